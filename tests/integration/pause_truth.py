#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the paths of pauses with what the processes of the program handoff say that they did.

	pause_truth.py LOG TRUTH DECOY

Whatever a process did for longer than 50 us, between two moments at which it ran, is in the path, of that process, in
that time, and as what it was: spinning is running or ready, sleeping is blocked until a timer, or running or ready. The
rest of the path is in the processes of the program. Time that is unknown proves nothing; it must not be all.

A process that asks may lose its CPU in the middle of that, most often to the one that it asks. Then it does not wait for
an answer yet, and is ready: that is the path, whatever the other one does meanwhile. When it gets the CPU, it runs for a
moment, until it waits.
"""
import json
import subprocess
import sys

LEAST = 50000
log, truth, decoy = sys.argv[1], sys.argv[2], int(sys.argv[3])


def pauses(tid, *words):
    out = subprocess.run(["wtrace", "pause", log, "--thread", str(tid), "--json", *words], check=True, capture_output=True)
    return json.loads(out.stdout)["pauses"]


lines = [line.split() for line in open(truth)]
did = [(int(w[1]), w[2], int(w[3]), int(w[4])) for w in lines if w[0] == "did"]
rounds = [tuple(int(word) for word in w[1:]) for w in lines if w[0] == "pause"]
ours = {one[0] for one in did} | {one[0] for one in rounds}
first = pauses(rounds[0][0])[0]
origin = first["from_raw_ns"] - first["from_ns"]
known = unknown = compared = theirs = others = 0

for tid, begin, end in rounds:
    pause, = pauses(tid, "--from", f"{begin - origin}ns", "--to", f"{end - origin}ns")
    segments = [(begin + s["from_ns"], begin + s["from_ns"] + s["length_ns"], s) for s in pause["segments"]]
    assert segments[0][0] == begin and segments[-1][1] == end, "the path fills the pause"
    assert all(a[1] == b[0] for a, b in zip(segments, segments[1:])), "without gaps"
    for _, _, segment in segments:
        length = segment["length_ns"]
        if segment["state"] == "unknown":
            unknown += length
            continue
        known += length
        assert segment["tid"] in ours and segment["tid"] != decoy, segment
    for who, what, since, until in did:
        if since < begin or until > end or until - since < LEAST:
            continue
        compared += 1
        for at, to, segment in segments:
            if to <= since or at >= until or segment["state"] == "unknown":
                continue
            if segment["tid"] != who:
                asks = (segment["state"] == "ready" and segment["ready_by"] == "preempted") or (
                    segment["state"] == "running" and min(to, until) - max(at, since) < LEAST)
                assert asks, (who, what, since, until, segment)
                others += min(to, until) - max(at, since)
                continue
            theirs += min(to, until) - max(at, since)
            right = segment["state"] in ("running", "ready") or (what == "sleep" and segment["cause"] == "timer")
            assert right, (who, what, since, until, segment)
print(len(rounds), "pauses,", compared, "things done,", known, "ns known,", unknown, "ns unknown;", theirs, "ns of what was done as told,",
      others, "ns in one that asked")
assert compared >= len(rounds), "each round has work"
assert known > 0 and theirs > others, "little is proved"
