#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A frame's share of a walk, beside perf: the walker over recorded dumps with warm tables, and perf script over what
perf record --call-graph dwarf took of the same program, in one run; then a program's walk of its own stack by tables
beside the same walk by frame pointers.

    walk.py [--seconds S] [--json FILE]

S seconds of each program are recorded by perf at 997 Hz; its time is the CPU time of `perf script`, which prints each
frame with its name, divided by the frames printed. The walker's is the median over rounds through 200 dumps of up to
32 KiB, with a cache of rules and without (tests/stackwalk/bench.c). Machines are noisy and differ: nothing is asserted,
the limits are printed beside the figures. Exit code 0 when it ran.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import bench
import stacks

WALKS = f"{bench.ROOT}/build/tests/stackwalk/bench"
PROGRAMS = (
    ["/usr/bin/python3.11", "-c", "while 1: sorted(str(i) for i in range(999))"],
    ["/usr/bin/perl", "-e", 'while (1) { %h = (); $h{$_ % 97} .= "x$_" for 1..99 }'],
)
HZ = 997
MOST_NS, MOST_SHARE, MOST_TIMES = 60, 1 / 50, 10


def walks(command=()):
    return json.loads(bench.run([WALKS, *command])[2])


def perf_frame(command, event, seconds, directory):
    """CPU ns of perf script for a frame of that program. Build ids come with the mappings, see bench.py."""
    keep = f"{directory}/perf.data"
    subprocess.run(["perf", "record", "-q", "--buildid-mmap", "-e", event, "-F", str(HZ), "--call-graph=dwarf", "-o", keep, "--",
                    "timeout", str(seconds), *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    try:
        found = stacks.read_perf(keep)
    except stacks.Aborted as why:
        sys.exit(f"walk.py: {why}: there is nothing to compare with")
    os.unlink(keep)
    return {"ns": 1e9 * found["read_cpu"] / max(1, found["frames"]), "frames": found["frames"], "samples": found["samples"]}


def show(rows, own):
    print(f"{'ns a frame':<24}{'no cache':>10}{'walk':>10}{'limit':>8}{'perf script':>14}{'ratio':>10}  limit")
    for row in rows:
        print(f"{row['program']:<24}{row['without_cache']:10.1f}{row['walk']:10.1f}{MOST_NS:8}{row['perf']['ns']:14.1f}"
              f"{row['ratio']:10.4f}  {MOST_SHARE}")
    if own:
        print(f"own stack, {own['frames']} frames: {own['by_tables_ns']:.0f} ns by tables, "
              f"{own['by_frame_pointers_ns']:.0f} ns by frame pointers: {own['ratio']:.1f} times; limit {MOST_TIMES}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json", default=f"{bench.ROOT}/build/bench-walk.json")
    options = parser.parse_args()
    if os.geteuid() != 0:
        os.execvp("sudo", ["sudo", sys.executable, *sys.argv])
    if not shutil.which("perf"):
        sys.exit("walk.py: perf is missing; tests/deps.sh bench installs it")
    event, rows = bench.usual_event(), []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        for command in PROGRAMS:
            dumps = {dump["cache"]: dump for dump in walks(command)["dumps"]}
            row = {"program": os.path.basename(command[0]), "dumps": dumps[True]["dumps"],
                   "frames": dumps[True]["frames"], "without_cache": dumps[False]["ns_per_frame_median"],
                   "walk": dumps[True]["ns_per_frame_median"],
                   "perf": perf_frame(command, event, options.seconds, directory)}
            rows.append(row | {"ratio": row["walk"] / row["perf"]["ns"]})
    own = walks()["own_stack"]
    show(rows, own)
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"event": event, "hz": HZ, "rows": rows, "own_stack": own}, f, indent=1)
    print(f"all figures: {os.path.relpath(options.json)}")


if __name__ == "__main__":
    main()
