#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what pause shows with what view --waits shows of the same times, and with what the program did.

	pause.py LOG TRUTH [CHECK...]

For a stretch of each thread, between two moments at which it ran: segments follow each other and fill the stretch; the
blame adds up; what the thread itself did is what view --waits says; each of the longest segments is in its thread, all
of its length, what view --waits says.

	own       running and waiting are in threads of the program alone, or unknown
	timer     the blocked time of the path ended by timers, or it is unknown
	other     ready time in which the program's other thread had the CPU is exactly that one's running time
	decoy=T   the thread T, which waits for nothing and wakes nobody, is in no path
"""
import json
import subprocess
import sys

LONGEST = 12  # segments to compare with view
log, truth, checks = sys.argv[1], sys.argv[2], sys.argv[3:]
STATES = ["running", "ready", "blocked", "unknown"]


def run(*words):
    return json.loads(subprocess.run(["wtrace", *words], check=True, capture_output=True).stdout)


def parts(tid, begin, end):
    """What view --waits says that a thread did in a time."""
    table = run("view", log, "--waits", "--json", "--from", f"{begin}ns", "--to", f"{end}ns", "--where", f"tid == {tid}",
                "--group-by", "tid", "--columns", ",".join(STATES))
    rows = table["tables"][0]["rows"] if table["tables"] else []
    assert len(rows) <= 1, rows
    return {state: rows[0][state] if rows else 0 for state in STATES}


threads = [[int(word) for word in line.split()[2:5]] for line in open(truth) if line.startswith("thread")]
assert threads, "the program printed nothing"
first = run("pause", log, "--thread", str(threads[0][0]), "--json")["pauses"][0]
origin = first["from_raw_ns"] - first["from_ns"]
mine = {tid for tid, _, _ in threads}
compared = 0

for tid, begin, end in threads:
    begin, end = begin - origin, end - origin
    pause, = run("pause", log, "--thread", str(tid), "--from", f"{begin}ns", "--to", f"{end}ns", "--json")["pauses"]
    segments = pause["segments"]
    print(tid, pause["itself_ns"], pause["path_ns"], len(segments), "segments", pause["blame"][:3])
    assert (pause["from_ns"], pause["length_ns"]) == (begin, end - begin)
    at = 0
    for segment in segments:
        assert segment["from_ns"] == at and segment["length_ns"] > 0, segment
        at += segment["length_ns"]
    assert at == end - begin, "segments fill the stretch"
    for state in STATES:
        assert pause["path_ns"][state] == sum(s["length_ns"] for s in segments if s["state"] == state), state
    assert sum(row["length_ns"] for row in pause["blame"]) == end - begin, "blame adds up"
    assert sum(row["share_of_10000"] for row in pause["blame"]) == 10000, "to 100 %"
    assert pause["itself_ns"] == parts(tid, begin, end), "what it did itself"
    for segment in sorted(segments, key=lambda s: -s["length_ns"])[:LONGEST]:
        if segment["cause"] in ("not in the log", "contradiction"):
            continue
        there = begin + segment["from_ns"], begin + segment["from_ns"] + segment["length_ns"]
        assert parts(segment["tid"], *there)[segment["state"]] == segment["length_ns"], segment
        if "by" in segment:
            assert parts(segment["by"]["tid"], *there)["running"] == segment["length_ns"], segment
        compared += 1
    unknown = pause["path_ns"]["unknown"]
    if "own" in checks:
        strangers = [s for s in segments if s["state"] != "unknown" and s["tid"] not in mine]
        assert not strangers or unknown, strangers
    if "timer" in checks:
        assert {s["cause"] for s in segments if s["state"] == "blocked"} <= {"timer"}, "nothing but timers"
        assert pause["path_ns"]["blocked"] + unknown > 0
    if "other" in checks:
        other, = mine - {tid}
        taken = sum(s["length_ns"] for s in segments if s.get("by", {}).get("tid") == other)
        ran = parts(other, begin, end)["running"]
        assert 0 < taken <= ran, (taken, ran)
        if not unknown and not pause["itself_ns"]["blocked"]:
            assert taken == ran, (taken, ran)
    for check in checks:
        if check.startswith("decoy="):
            assert int(check[6:]) not in {s["tid"] for s in segments}, "a decoy is blamed"
assert compared, "nothing was compared"
