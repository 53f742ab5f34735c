#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a session of one process costs all others: as root their samples are taken and dropped in the kernel.

    filter.py [--rounds N] [--json FILE]

The same work is done again and again by a program nobody asked for: without any session, beside one of a process that
sleeps, and beside one of the whole machine, in turn. Its CPU time with a session is divided by the one without; the
median over the rounds is shown. Machines are noisy and differ: nothing is asserted. Exit code 0 when it ran.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import bench

WTRACE = f"{bench.ROOT}/build/wtrace"
WORK = [sys.executable, "-c", "sum(i * i for i in range(6000000))"]


def work():
    """CPU seconds of the work."""
    child = subprocess.Popen(WORK)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit("filter.py: the work failed")
    return usage.ru_utime + usage.ru_stime


def beside(directory, words):
    session = f"filter-{os.getpid()}"
    subprocess.run([WTRACE, "start", "-s", session, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    try:
        return work()
    finally:
        subprocess.run([WTRACE, "stop", "-q", "-s", session, "-o", f"{directory}/log.etl", "--force"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", default=f"{bench.ROOT}/build/bench-filter.json")
    options = parser.parse_args()
    if os.geteuid() != 0:
        os.execvp("sudo", ["sudo", sys.executable, *sys.argv])
    sleeper = subprocess.Popen(["sleep", "3600"])
    sessions = {"of another process": ["--pid", str(sleeper.pid)], "of the whole machine": []}
    ratios = {name: [] for name in sessions}
    try:
        with tempfile.TemporaryDirectory() as directory:
            for _ in range(options.rounds):
                alone = work()
                for name, words in sessions.items():
                    ratios[name].append(beside(directory, words) / alone)
    finally:
        sleeper.kill()
        sleeper.wait()
    found = {name: statistics.median(list_) for name, list_ in ratios.items()}
    for name, ratio in found.items():
        print(f"CPU time beside a session {name}: {ratio:.3f} times")
    with open(options.json, "w", encoding="ascii") as file:
        json.dump(found, file)


main()
