#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hottest functions instruction by instruction: `wtrace annotate` beside `perf annotate --stdio`.

    annotate.py [--samples N] [--json FILE]

Both record the whole machine and the same work, one after the other, with N samples at least and without stacks: on each CPU
a Python with debug information and without its source (python3.11-dbg) that encodes, searches, sorts, multiplies, asks
sqlite and compiles. A short recording first shows how many samples the machine gives in a second. Then:
  wtrace  one call for the ten hottest functions of Python, the best of three
  perf    ten calls, one for each of its ten hottest functions, once: a call without a name prints all functions
Both use objdump, and neither asks servers for debug files. No command gets input, each has a time limit, and the first
that fails or needs longer ends the comparison with a sentence; a recording that cannot be read is made again, twice at
most. Nothing is asserted; the limit stands beside the figure.
Exit code 0 when it ran.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

WTRACE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "build/wtrace")
PYTHON = "/usr/bin/python3.11d"
PERIOD = 100000  # ns of cpu-clock; at a quarter of that some machines do little else than sample
FIRST = 3  # seconds of the short recording
LONGEST = 100  # seconds of a recording
READING = 60  # seconds of a command that reads
TOP = 10
MOST = 0.1
WORK = r"""
import json, re, sqlite3, subprocess, sys, time
end = time.monotonic() + float(sys.argv[1])
code = "".join("int f%d(int n) { int s = %d; while (n--) s = s * 31 + n %% %d; return s; }\n" % (i, i, i + 2) for i in range(50))
table = sqlite3.connect(":memory:")
table.execute("create table t (n integer, text)")
while time.monotonic() < end:
    for _ in range(5):
        rows = [{"n": i, "text": str(i) * 3, "part": i / 7} for i in range(2000)]
        text = json.dumps(rows)
        re.findall(r'"n": (\d+)', text), sorted(rows, key=lambda row: row["text"]), 3 ** 20000 % 10007
        table.executemany("insert into t values (?, ?)", [(row["n"], row["text"][:2]) for row in rows])
    table.execute("select text, sum(n) from t group by text order by 2").fetchall()
    table.execute("delete from t")
    subprocess.run(["gcc", "-O2", "-x", "c", "-c", "-o", "/dev/null", "-"], input=code.encode(), check=True)
"""
# As many copies as there are CPUs.
COPIES = 'n=$1; shift; while [ "$n" -gt 0 ]; do "$@" & n=$((n - 1)); done; wait'


class Failed(Exception):
    """A command that failed or did not end in time: a sentence about it."""


def work(seconds):
    return ["sh", "-c", COPIES, "work", str(os.cpu_count()), PYTHON, "-c", WORK, f"{seconds:.1f}"]


def stop_all(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(limit, command):
    """Runs a command to its end. Returns (standard output, wall seconds, CPU seconds of it and of its children)."""
    words = " ".join(word for word in command if word != WORK)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                 env=os.environ | {"DEBUGINFOD_URLS": ""})
        timer = threading.Timer(limit, stop_all, [child.pid])
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            timer.cancel()
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if child.returncode and wall >= limit:
            raise Failed(f"{words}: not at its end after {limit:.0f} s")
        if child.returncode:
            raise Failed(f"{words}: exit {child.returncode}: {err.read().strip()[-300:]}")
        return out.read(), wall, usage.ru_utime + usage.ru_stime


def record_until(samples, who, record, count):
    """Records for as long as a recording before has shown to be enough. Returns how many samples there are."""
    seconds, failures = FIRST, 0
    while seconds <= LONGEST:
        run(seconds + 2 * READING, record + work(seconds))
        try:
            got = count()
        except Failed as why:
            # perf 6.1 cannot read what it recorded while others load BPF programs.
            failures += 1
            if failures == 3:
                raise
            print(f"annotate.py: {why}: recorded again", file=sys.stderr)
            continue
        if got >= samples:
            return got
        if not got:
            raise Failed(f"{who} took no sample in {seconds:.0f} s")
        seconds *= 1.2 * samples / got
    raise Failed(f"{samples} samples by {who} would take {seconds:.0f} s here, more than {LONGEST}")


def count_wtrace(log):
    text = run(READING, [WTRACE, "view", log, "--group-by", "event", "--event", "pmu-profile", "--json", "--no-resolve"])[0]
    return json.loads(text)["counted"]["samples"]


def count_perf(data):
    return run(READING, ["perf", "script", "-i", data, "-F", "ip"])[0].count("\n")


def hottest_of_perf(data):
    report = run(READING, ["perf", "report", "-i", data, "--stdio", "--sort", "overhead,sym", "--dsos",
                           os.path.basename(PYTHON)])[0]
    names = re.findall(r"(?m)^\s+[\d.]+%\s+\[\.\] (\S+)", report)[:TOP]
    if len(names) < TOP:
        raise Failed(f"perf report names {len(names)} functions of {PYTHON}, fewer than {TOP}")
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=500000)
    parser.add_argument("--json", default="build/bench_annotate.json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        log, data = f"{directory}/run.etl", f"{directory}/perf.data"
        ours = record_until(args.samples, "wtrace", [WTRACE, "record", "-q", "-e", f"cpu-clock:{PERIOD}", "-o", log,
                                                     "--force", "--"], lambda: count_wtrace(log))
        # Collecting build ids at its end aborts over some files: the kernel gives them with the mappings.
        record = ["perf", "record", "-q", "--buildid-mmap", "-a", "-e", "cpu-clock", "-c", str(PERIOD), "-o", data, "--"]
        theirs = record_until(args.samples, "perf", record, lambda: count_perf(data))
        seconds = min(run(READING, [WTRACE, "annotate", log, "--where", f"module == '{os.path.basename(PYTHON)}'", "--top",
                                    str(TOP)])[1:] for _ in range(3))
        calls = [run(READING, ["perf", "annotate", "-i", data, "--stdio", "-s", name])[1:] for name in hottest_of_perf(data)]
    peer = [sum(column) for column in zip(*calls)]
    ratio = [mine / its for mine, its in zip(seconds, peer)]
    print(f"\nthe {TOP} hottest functions, annotated      wall         CPU\n"
          f"  wtrace, {ours:7} samples         {seconds[0]:8.2f} s  {seconds[1]:8.2f} s\n"
          f"  perf, {theirs:9} samples         {peer[0]:8.2f} s  {peer[1]:8.2f} s   ({TOP} calls; the fastest: "
          f"{min(call[0] for call in calls):.2f} s)\n"
          f"  of perf's time                  {ratio[0]:8.3f}    {ratio[1]:8.3f}     (at most {MOST})")
    with open(args.json, "w", encoding="utf-8") as out:
        json.dump({"samples": ours, "perf_samples": theirs, "wtrace_wall_s": seconds[0], "wtrace_cpu_s": seconds[1],
                   "perf_wall_s": peer[0], "perf_cpu_s": peer[1]}, out, indent=1)


if __name__ == "__main__":
    try:
        main()
    except Failed as why:
        sys.exit(f"annotate.py: {why}")
