#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writers are killed while a session records: wtrace beside LTTng-UST.

    kill_peer.py [--kills N] [--limit SECONDS] [--only wtrace|lttng] [--json FILE]

Two writers write as fast as they can (writer.h) and tell in shared memory how many events have been written for sure;
one after the other is killed by SIGKILL at a random moment and a new one takes its place. Then the session is stopped,
and given up after SECONDS. What a writer was told of and neither the recording nor its count of losses has is missing.
Exit code 1 when wtrace does not stop in time or misses an event; for LTTng nothing is asserted.
"""
import argparse
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

import peers

WRITERS = 2
BUFFERS = 64 << 20
LONGEST_LIFE = 0.005  # s


class Writers:
    """Writers one after the other, each with a word of `told`."""

    def __init__(self, tool, path, kills):
        self.tool, self.path, self.next = tool, path, 0
        with open(path, "wb") as f:
            f.truncate(8 * (kills + WRITERS))
        with open(path, "r+b") as f:
            self.told = mmap.mmap(f.fileno(), 0)
        self.alive = []

    def begin(self):
        writer = [*self.tool.writer, "until-killed", self.path, str(self.next)]
        self.alive.append((self.next, subprocess.Popen(writer, env=self.tool.env)))
        self.next += 1

    def acknowledged(self, slot):
        return struct.unpack_from("<Q", self.told, 8 * slot)[0]

    def kill_oldest(self):
        """False when it never began to write."""
        slot, process = self.alive.pop(0)
        began = peers.wait_until(20, lambda: self.acknowledged(slot) > 0)
        time.sleep(random.uniform(0, LONGEST_LIFE))
        process.kill()
        process.wait()
        return began


def measure(tool, work, kills, limit):
    tool.start(BUFFERS)
    writers = Writers(tool, f"{work}/told", kills)
    for _ in range(kills):
        while len(writers.alive) < WRITERS:
            writers.begin()
        if not writers.kill_oldest():  # the session lets no new one in: it will not get better
            break
    while writers.alive:
        writers.kill_oldest()
    took = tool.stop(limit)
    found = tool.events_by_writer()
    told = [writers.acknowledged(slot) for slot in range(writers.next)]
    lost = tool.lost()
    short = sum(max(0, n - found.get(slot, 0)) for slot, n in enumerate(told))
    result = {"kills": writers.next, "stop_seconds": took, "hangs_in": tool.hangs_in,
              "acknowledged": sum(told), "found": sum(found.values()), "counted_lost": lost,
              "missing": max(0, short - lost)}
    tool.forget()
    return result


def show(name, result):
    took = f"stopped in {result['stop_seconds']:.2f} s" if result["stop_seconds"] is not None else \
        f"`{result['hangs_in']}` never returned"
    print(f"{name:8} {result['kills']} writers killed: {took}; {result['acknowledged']} events acknowledged, "
          f"{result['found']} found, {result['counted_lost']} counted as lost, {result['missing']} missing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--only", choices=("wtrace", "lttng"))
    parser.add_argument("--json", default=f"{peers.ROOT}/build/bench-kill.json")
    options = parser.parse_args()
    peers.isolate()
    results = {}
    for kind in (peers.Wtrace, peers.Lttng):
        if options.only not in (None, kind.name):
            continue
        with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
            tool = kind(work)
            try:
                results[kind.name] = measure(tool, work, options.kills, options.limit)
            finally:
                tool.close()
        show(kind.name, results[kind.name])
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump(results, f, indent=1)
    ours = results.get("wtrace")
    sys.exit(bool(ours and (ours["stop_seconds"] is None or ours["missing"])))


if __name__ == "__main__":
    main()
