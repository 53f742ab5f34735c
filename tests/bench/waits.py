#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of recording and reading waits, beside perf: two threads that wake each other by a futex, and a mixture.

    waits.py [--rounds N] [--threads N] [--repeat N] [--json FILE]

Recording with the stacks of both, from the start to the complete text: wtrace record -p cswitch,dispatcher --stackwalk and
view --waits, beside perf record of sched_switch and sched_waking with --call-graph dwarf and perf script. Then the reading alone, of a log
of switches without stacks, beside perf sched timehist -s of the same work. Figures are medians over the repetitions:
  switches    that the recording holds
  CPU         user + system time of recorder and reader
  a switch    CPU by switches
  work        how long the program took, by what it takes alone
  file        bytes of the file by switches
Nothing is asserted; the limits stand beside the figures. Exit code 0 when it ran.
"""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time

import bench

PROGRAMS = f"{bench.ROOT}/build/tests/programs"
POINTS = "sched:sched_switch,sched:sched_waking"


def work(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def size_of(path):
    return os.path.getsize(path)


def perf(command, directory, graph=("--call-graph", "dwarf")):
    keep = f"{directory}/perf.data"
    child, _ = bench.perf_armed(directory, ["-m", "16M", "-c", "1", "-e", POINTS, *graph], keep)
    seconds = work(command)
    child.send_signal(signal.SIGINT)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    child.stderr.close()
    with subprocess.Popen(["perf", "script", "-i", keep, "-F", "comm,tid,time,event,ip,sym"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace") as reader:
        switches = sum("sched:sched_switch:" in line for line in reader.stdout)
        _, _, reading = os.wait4(reader.pid, 0)
        reader.returncode = 0
    cpu = usage.ru_utime + usage.ru_stime + reading.ru_utime + reading.ru_stime
    return switches, cpu, seconds, size_of(keep)


def wtrace(command, directory, stacks=("--stackwalk",)):
    log = f"{directory}/waits.etl"
    _, start, _ = bench.run([bench.WTRACE, "start", "-q", "-s", "bench", "-p", "cswitch,dispatcher", *stacks])
    watch = bench.Watch(bench.wtrace_pids())
    seconds = work(command)
    watch.hurry()
    _, stop, _ = bench.run([bench.WTRACE, "stop", "-q", "-s", "bench", "-o", log])
    _, session = watch.stop()
    _, read, table = bench.run([bench.WTRACE, "view", log, "--waits"])
    lost = re.search(r"^lost +(\d+) events", table, re.M)
    print(f"  wtrace: {lost.group(1) if lost else 0} events lost")
    counts = json.loads(bench.run([bench.WTRACE, "view", log, "-q", "-e", "cswitch/switch", "--group-by", "event", "--json"])[2])
    return counts["tables"][0]["rows"][0]["count"], start + session + stop + read, seconds, size_of(log)


def reading(rounds, directory):
    """Both read the same number of switches of the same program, recorded without stacks."""
    command = [f"{PROGRAMS}/waits", "futex", str(rounds)]
    log = f"{directory}/waits.etl"
    switches, _, _, _ = wtrace(command, directory, ("--buffer-size", "64M"))
    wall, cpu, _ = bench.run([bench.WTRACE, "view", log, "--waits"])
    found, _, _, _ = perf(command, directory, ())
    their_wall, their_cpu, _ = bench.run(["perf", "sched", "timehist", "-s", "-i", f"{directory}/perf.data"])
    print(f"reading: wtrace view --waits {wall:.2f} s wall, {cpu:.2f} s CPU for {switches} switches "
          f"({wall * 1e7 / switches:.2f} s for 10,000,000: at most 2); "
          f"perf sched timehist -s {their_wall:.2f} s for {found} ({their_wall / found / (wall / switches):.1f} times as long: at least 4)")
    return {"switches": switches, "wall": wall, "cpu": cpu, "perf_switches": found, "perf_wall": their_wall, "perf_cpu": their_cpu}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--threads", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--reading", type=int, default=500000, help="rounds of the log that is only read")
    parser.add_argument("--json", default=f"{bench.ROOT}/build/bench-waits.json")
    options = parser.parse_args()
    results = {}
    for name, command in (("futex", [f"{PROGRAMS}/waits", "futex", str(options.rounds)]),
                          ("mixture", [f"{PROGRAMS}/mixture", str(options.threads), "3000"])):
        alone, runs = [], {"perf": [], "wtrace": []}
        for _ in range(options.repeat):
            alone.append(work(command))
            for peer, way in (("perf", perf), ("wtrace", wtrace)):
                with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
                    runs[peer].append(way(command, directory))
        found = {peer: [statistics.median(column) for column in zip(*rows)] for peer, rows in runs.items()}
        base = statistics.median(alone)
        print(f"{name}: medians of {options.repeat}")
        print(f"{'':<8}{'switches':>10}{'CPU':>10}{'a switch':>12}{'work':>8}{'file':>12}")
        for peer, (switches, cpu, seconds, size) in found.items():
            print(f"{peer:<8}{switches:10.0f}{cpu:8.2f} s{cpu / switches * 1e6:9.1f} us{seconds / base:8.2f}{size / switches:10.1f} B")
        (n, cpu, *_), (their_n, their_cpu, *_) = found["wtrace"], found["perf"]
        print(f"a switch: {cpu / n / (their_cpu / their_n):.3f} of perf (at most 0.05)")
        results[name] = {"alone": base, **found}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        results["reading"] = reading(options.reading, directory)
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
