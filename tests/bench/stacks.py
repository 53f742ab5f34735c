#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks without frame pointers, beside perf: wtrace with unwind tables and perf record --call-graph dwarf take the same
machine-wide samples of the same compile, in turns, in one run; then both print every sample with its frames by name.

    stacks.py [--samples N] [--hz HZ] [--repeat N] [--processes N] [--minutes M] [--json FILE]

Samples are those of one repetition, roughly: they set how long the compile lasts. --repeat 0 leaves the comparison out,
--processes 0 the crowd. The first repetition of wtrace begins without any table and is given apart (cold). The two never
get the same number of samples, so what is compared is a sample's share. perf script 6.1 may abort over a process it met:
that is said, and perf's repetition is done again, three times at most. Machines are noisy and differ: nothing is
asserted, the limits are printed beside the figures. Exit code 0 when it ran.

What is measured:
  record CPU      user + system time of the recorder's processes, from the start to the complete file
  reading CPU     the same of `perf script`, of `wtrace dump --stack`
  whole way CPU   both together, divided by the samples read
  file            size, and bytes per sample
  whole stacks    share of the user stacks whose outermost frame is one that has no caller (_start, clone3, ...), by
                  the same rule in what both print
  memory          RssAnon + RssShmem of wtrace's processes while N processes run for M minutes: peak, and the means of
                  the first, the middle and the last tenth
"""
import argparse
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import bench

# Where threads and programs begin. perf gives names without versions; so do we.
ROOTS = {"_start", "__clone3", "clone3", "__clone", "clone", "thread_start", "_dl_start_user", "__GI___clone3"}


def frames_of(lines):
    """Yields the frames of each sample, innermost first: what perf script and wtrace dump --stack print below a line that
    does not begin with white space."""
    frames = None
    for line in lines:
        if line[:1].isspace():
            if frames is not None and line.strip():
                frames.append(line)
        else:
            if frames is not None:
                yield frames
            frames = []
    if frames is not None:
        yield frames


def name_in_perf(line):
    """"  55d0 x_mul+0x12 (/usr/bin/python3.11d)" or without offset."""
    words = line.split()
    return words[1].split("+")[0] if len(words) > 1 else ""


def name_in_dump(line):
    return re.split(r"[+:]", line.strip(), maxsplit=1)[0]


class Aborted(Exception):
    """A reader that did not get to its end: its figures mean nothing."""


def read_stacks(cmd, name, in_kernel):
    """Runs the command to its end; returns its CPU time and how the user stacks in what it prints end."""
    found = {"samples": 0, "user": 0, "whole": 0, "frames": 0}
    begin = time.monotonic()
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                          bufsize=1 << 20) as child:
        for frames in frames_of(child.stdout):
            found["samples"] += 1
            found["frames"] += len(frames)
            if frames and not in_kernel(frames[-1]):
                found["user"] += 1
                found["whole"] += name(frames[-1]) in ROOTS
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Aborted(f"{' '.join(cmd[:2])}: exit {child.returncode} after {found['samples']} samples")
    if not found["samples"]:
        sys.exit("stacks.py: there is nothing to compare with")
    return found | {"read_cpu": usage.ru_utime + usage.ru_stime, "read_seconds": time.monotonic() - begin}


def read_perf(keep):
    return read_stacks(["perf", "script", "-i", keep, "--no-inline", "-F", "comm,tid,time,event,ip,sym,dso"], name_in_perf,
                       lambda frame: "([" in frame and "vdso" not in frame)


def read_wtrace(keep, event):
    return read_stacks([bench.WTRACE, "dump", keep, "--event", event, "--stack", "--no-resolve"], name_in_dump,
                       lambda frame: re.search(r":\[[^]]*\]$", frame.rstrip()))


def statuses(keep):
    _, _, text = bench.run([bench.WTRACE, "view", keep, "--group-by", "process", "--json", "--top", "1"])
    return json.loads(text)["counted"]["stacks"]


def finished(result, read):
    result |= read
    result["whole_cpu"] = result["record_cpu"] + result["read_cpu"]
    for key in ("record_cpu", "read_cpu", "whole_cpu"):
        result[key + "_us"] = 1e6 * result[key] / result["samples"]
    result["bytes_per_sample"] = result["file_bytes"] / result["samples"]
    result["whole_share"] = 100 * result["whole"] / max(1, result["user"])
    result["read_ns_per_frame"] = 1e9 * result["read_cpu"] / max(1, result["frames"])
    return result


def once_wtrace(work, event, hz, directory):
    keep = f"{directory}/wtrace.etl"
    result = bench.record_wtrace(work, event, hz, keep, "tables")
    result = finished(result, read_wtrace(keep, event)) | {"statuses": statuses(keep)}
    os.unlink(keep)
    return result


def once_perf(work, event, hz, directory):
    keep = f"{directory}/perf.data"
    for _ in range(3):
        result = bench.record_perf(work, event, hz, keep, "--call-graph=dwarf")
        try:
            return finished(result, read_perf(keep))
        except Aborted as why:
            print(f"stacks.py: {why}: recorded again", file=sys.stderr)
        finally:
            os.unlink(keep)
    sys.exit("stacks.py: perf script aborted three times: there is nothing to compare with")


def compare(options, event, directory):
    if not options.repeat:
        return None, None
    work = bench.Work(options.samples / options.hz / os.cpu_count())
    runs = {"perf": [], "wtrace": []}
    for number in range(options.repeat + 1):  # the first one of wtrace is the cold one
        runs["wtrace"].append(once_wtrace(work, event, options.hz, directory))
        if number < options.repeat:
            runs["perf"].append(once_perf(work, event, options.hz, directory))
        print(f"stacks.py: repetition {number + 1} of {options.repeat + 1} done", file=sys.stderr)
    return work, runs


CROWD = (
    ["python3.11", "-c", "import json,time\nwhile True:\n json.loads(json.dumps(list(range(3000)))); time.sleep(.05)"],
    ["perl", "-e", "while (1) { my %h = map { $_ => 1 } 1..2000; select(undef, undef, undef, 0.05); }"],
    ["bash", "-c", "exec 9<> <(:); while :; do for i in {1..1000}; do :; done; read -t 0.05 -u 9; done"],
)


def memory(options, event, directory):
    """The recorder's memory: its peak, and the means of the first, the middle and the last tenth of the time."""
    crowd = [subprocess.Popen(CROWD[i % len(CROWD)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) for i in range(options.processes)]
    series = []
    try:
        bench.run([bench.WTRACE, "start", "--stackwalk", "--unwind=tables", "-e", event, "-F", str(options.hz), "-s", "crowd"])
        pids = bench.wtrace_pids()
        end = time.monotonic() + options.minutes * 60
        while time.monotonic() < end:
            series.append(bench.memory_of(bench.family(pids)))
            time.sleep(0.5)
        bench.run([bench.WTRACE, "stop", "-s", "crowd", "-o", f"{directory}/crowd.etl"])
    finally:
        for process in crowd:
            os.killpg(process.pid, signal.SIGKILL)
        for process in crowd:
            process.wait()
    tenth = max(1, len(series) // 10)
    parts = {"first": series[:tenth], "middle": series[len(series) // 2:][:tenth], "last": series[-tenth:]}
    return {"peak_bytes": max(series), "processes": options.processes, "minutes": options.minutes,
            "statuses": statuses(f"{directory}/crowd.etl")} | {
                f"{name}_bytes": statistics.mean(part) for name, part in parts.items()}


ROWS = [  # title, key, unit, divisor, limit of the ratio wtrace / perf
    ("record CPU", "record_cpu", "s", 1, None),
    ("reading CPU", "read_cpu", "s", 1, None),
    ("whole way CPU", "whole_cpu", "s", 1, None),
    ("recording a sample", "record_cpu_us", "us", 1, None),
    ("reading a sample", "read_cpu_us", "us", 1, None),
    ("whole way of a sample", "whole_cpu_us", "us", 1, 1 / 10),
    ("reading a frame", "read_ns_per_frame", "ns", 1, None),
    ("file", "file_bytes", "MB", 1e6, 1 / 200),
    ("bytes per sample", "bytes_per_sample", "B", 1, 1 / 200),
    ("samples", "samples", "", 1, None),
    ("frames", "frames", "", 1, None),
    ("whole user stacks", "whole_share", "%", 1, None),
    ("memory at the peak", "peak_bytes", "MB", 1e6, None),
    ("work under recording", "work_seconds", "s", 1, None),
]


def summary(runs):
    rows = []
    for title, key, unit, divisor, limit in ROWS:
        cold = runs["wtrace"][0][key] / divisor
        ours = statistics.median(r[key] for r in runs["wtrace"][1:]) / divisor
        peer = statistics.median(r[key] for r in runs["perf"]) / divisor
        rows.append({"name": title, "unit": unit, "wtrace": ours, "cold": cold, "perf": peer,
                     "ratio": ours / peer if peer else None, "limit": limit})
    return rows


def show(rows):
    print(f"{'':<24}{'cold':>12}{'wtrace':>12}{'perf':>12}      {'ratio':>8}  limit")
    for row in rows:
        ratio = f"{row['ratio']:8.4f}" if row["ratio"] is not None else f"{'-':>8}"
        limit = f"  {row['limit']}" if row["limit"] else ""
        print(f"{row['name']:<24}{row['cold']:12.3f}{row['wtrace']:12.3f}{row['perf']:12.3f} {row['unit']:<4} {ratio}{limit}")


def show_statuses(title, found):
    total = sum(found.values())
    print(f"{title}: " + ", ".join(f"{100 * n / total:.2f} % {name}" for name, n in
                                   sorted(found.items(), key=lambda item: -item[1])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--hz", type=int, default=997)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--json", default=f"{bench.ROOT}/build/bench-stacks.json")
    options = parser.parse_args()
    if os.geteuid() != 0:
        os.execvp("sudo", ["sudo", sys.executable, *sys.argv])
    if not shutil.which("perf"):
        sys.exit("stacks.py: perf is missing; tests/deps.sh bench installs it")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the crowd ends too
    event = bench.usual_event()
    old = bench.prepare(options.hz)
    try:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
            os.environ["WTRACE_UNWIND_CACHE"] = f"{directory}/tables"
            work, runs = compare(options, event, directory)
            crowd = memory(options, event, directory) if options.processes else None
    finally:
        bench.set_rate_limits(*old)
    rows = summary(runs) if runs else []
    if runs:
        print(f"{event} at {options.hz} Hz on {os.cpu_count()} CPUs, compile of {runs['perf'][0]['work_seconds']:.0f} s "
              f"({work.passes} passes), medians of {options.repeat}")
        show(rows)
        show_statuses("stacks of wtrace", runs["wtrace"][-1]["statuses"])
    if crowd:
        print(f"memory with {crowd['processes']} processes, {crowd['minutes']:g} min: " + ", ".join(
            f"{part} {crowd[part + '_bytes'] / 1e6:.1f}" for part in ("first", "middle", "last", "peak"))
            + " MB; limit 256 MB, flat")
        show_statuses("stacks of the crowd", crowd["statuses"])
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"kernel": platform.release(), "cpus": os.cpu_count(), "event": event, "hz": options.hz,
                   "rows": rows, "runs": runs, "crowd": crowd}, f, indent=1)
    print(f"all figures: {os.path.relpath(options.json)}")


if __name__ == "__main__":
    main()
