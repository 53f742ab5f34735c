#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What views of stacks cost: CPU time and memory of `wtrace view` over logs of ten million events.

    view.py [--events N] [--json FILE]

Three logs are made (view_log.c): few stacks, as a profile of one program has; many, of a hundred programs; and a
million that are all different, the worst there is. The limit beside the figures is a view that counts the same events
by CPU, without stacks. Nothing is asserted; exit code 0 when it ran.
"""
import argparse
import json
import os
import subprocess
import tempfile

LOGS = (("2,000 stacks", 2000, 1), ("100,000 stacks, 100 processes", 100000, 100), ("1,000,000 stacks", 1000000, 1))
DEPTH = 60
VIEWS = (
    ("by cpu: the limit", ["--group-by", "cpu"]),
    ("functions", []),
    ("functions, inclusive", ["--inclusive"]),
    ("process,function, inclusive", ["--group-by", "process,function", "--inclusive"]),
    ("tree from the root", ["--group-by", "stack"]),
    ("process and tree", ["--group-by", "process,stack"]),
    ("tree from the leaf", ["--stack-order", "leaf"]),
    ("callers of a function", ["--callers-of", "function_7"]),
    ("stacks that have a function", ["--where", "stack has function_7"]),
)


def cost(command):
    """User CPU seconds and peak memory (MB) of a command."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"view.py: {' '.join(command)} failed")
    return usage.ru_utime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=10000000)
    parser.add_argument("--json", default="build/bench_view.json")
    args = parser.parse_args()
    results = []
    for title, stacks, processes in LOGS:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
            log = os.path.join(directory, "view.etl")
            made = subprocess.run(["build/tests/bench/view_log", log, str(args.events), str(stacks), str(DEPTH),
                                   str(processes)], check=True, capture_output=True)
            frames = json.loads(made.stdout)["frames"]
            print(f"\n{args.events} events of {title}, a tree of {frames} frames in each of four segments")
            for view, options in VIEWS:
                seconds, memory = min(cost(["build/wtrace", "view", log, "--no-resolve", *options]) for _ in range(2))
                print(f"  {view:30} {seconds:7.2f} s user  {memory:7.0f} MB")
                results.append({"log": title, "view": view, "user_s": seconds, "rss_mb": memory})
    with open(args.json, "w") as out:
        json.dump(results, out, indent=1)


main()
