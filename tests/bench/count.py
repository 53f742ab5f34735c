#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of counting at 1 kHz: wtrace stat, its timeline, and the provider counters beside `perf stat -I 1`.

    count.py [--seconds S] [--repeat N] [--json FILE]

All count the same software events of all CPUs, one after the other, while one process on each CPU works. Figures are
medians over the repetitions:
  reads    how often all events were read, as the output says
  CPU      user + system time, from the start to the last line or the complete log
  a read   CPU by reads
A machine that is slow reads less often than asked, so that the ratio of a read stands beside the ratio of the whole.
Nothing is asserted; the limit stands beside the figure. Exit code 0 when it ran.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import bench

EVENTS = "cpu-clock,page-faults,context-switches,cpu-migrations"
NAMES = EVENTS.split(",")
WORK = "import time\nend = time.monotonic() + 600\nwhile time.monotonic() < end: bytearray(1 << 20)"
MOST = 1.0


def perf(seconds, directory):
    out = f"{directory}/perf"
    _, cpu, _ = bench.run(["perf", "stat", "-I", "1", "-a", "-e", EVENTS, "-o", out, "sleep", str(seconds)])
    return len(re.findall(r"page-faults", bench.read(out))), cpu


def stat(seconds, directory):
    out = f"{directory}/stat"
    _, cpu, _ = bench.run([bench.WTRACE, "stat", "-q", "-I", "1", "-a", "-e", EVENTS, "-o", out, "sleep", str(seconds)])
    return len(re.findall(r"page-faults", bench.read(out))), cpu


def timeline(seconds, directory):
    out = f"{directory}/line.csv"
    _, cpu, _ = bench.run([bench.WTRACE, "stat", "-q", "-t", "-i", "0", "--timeout", "1ms", "-n", str(seconds * 1000), "-a",
                           "-e", EVENTS, "--output-csv", out])
    return len(re.findall(r"^[0-9]+,", bench.read(out), re.M)) - 1, cpu


def counters(seconds, directory):
    log = f"{directory}/counts.etl"
    _, start, _ = bench.run([bench.WTRACE, "start", "-q", "-s", "bench", "--count-interval", "1ms", "-p",
                             "counters:" + EVENTS.replace(",", "+") + ":info"])
    watch = bench.Watch(bench.wtrace_pids())
    time.sleep(seconds)
    watch.hurry()
    _, stop, _ = bench.run([bench.WTRACE, "stop", "-q", "-s", "bench", "-o", log])
    _, session = watch.stop()
    table = json.loads(bench.run([bench.WTRACE, "view", log, "-q", "-e", "counters/interval", "--group-by", "cpu", "--json"])[2])
    rows = re.findall(r'"count": ?(\d+)', json.dumps(table))
    return int(max(rows, key=int)) // (os.cpu_count() or 1), start + session + stop


WAYS = [("perf stat -I 1", perf), ("wtrace stat -I 1", stat), ("wtrace stat -t", timeline), ("-p counters", counters)]


def measure(options):
    found = {name: [] for name, _ in WAYS}
    workers = [subprocess.Popen([sys.executable, "-c", WORK]) for _ in range(os.cpu_count() or 1)]
    try:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
            for _ in range(options.repeat):
                for name, way in WAYS:
                    found[name].append(way(options.seconds, directory))
                    shutil.rmtree(directory), os.mkdir(directory)
    finally:
        for worker in workers:
            worker.kill(), worker.wait()
    return {name: [statistics.median(column) for column in zip(*runs)] for name, runs in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", default=f"{bench.ROOT}/build/bench-count.json")
    options = parser.parse_args()
    found = measure(options)
    reads, cpu = found["perf stat -I 1"]
    print(f"{len(NAMES)} software events of {os.cpu_count()} busy CPUs at 1 kHz for {options.seconds} s, medians of "
          f"{options.repeat}")
    print(f"{'':<20}{'reads':>9}{'CPU':>10}{'a read':>12}{'of perf':>9}  {'of its read':>11}")
    for name, (n, seconds) in found.items():
        ratio = "" if name.startswith("perf") else f"{seconds / cpu:9.2f}  {seconds / n / (cpu / reads):11.2f}   (at most {MOST})"
        print(f"{name:<20}{n:9.0f}{seconds:8.2f} s{seconds / n * 1e6:9.1f} us{ratio}")
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"events": NAMES, "seconds": options.seconds, "ways": found}, f, indent=1)


if __name__ == "__main__":
    main()
