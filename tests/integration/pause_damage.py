#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damages a log in many ways and asks for the same pause each time.

	pause_damage.py LOG TID TIMES [SEED]

wtrace ends by itself each time. Where it shows the pause, all sums are exact, and what it neither calls unknown nor
probable is what the whole log says of the same time: the same thread, in the same state, for the same cause.
view --waits adds up, too.
"""
import collections
import json
import random
import subprocess
import sys

log, tid, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
whole_bytes = open(log, "rb").read()
sums = collections.Counter()
PARTS = ["running", "ready", "blocked", "unknown"]


def run(*words):
    done = subprocess.run(["wtrace", *words], capture_output=True, timeout=120)
    assert done.returncode in (0, 1), (words, done.returncode, done.stderr[-2000:])
    assert done.returncode == 0 or done.stderr, "a failure without a word"
    return json.loads(done.stdout) if done.returncode == 0 else None


def cut(data):
    return data[: chance.randrange(64, len(data))]


def flip(data):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 5, 50])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def lose(data):
    """A part of the file was never written."""
    begin = chance.randrange(len(data))
    length = min(chance.choice([64, 512, 4096]), len(data) - begin)
    return data[:begin] + bytes(length) + data[begin + length :]


def drop(data):
    begin = chance.randrange(64, len(data)) & ~7
    return data[:begin] + data[begin + 8 * chance.randrange(1, 100) :]


def check(pause):
    at = 0
    for segment in pause["segments"]:
        assert segment["from_ns"] == at and segment["length_ns"] > 0, segment
        at += segment["length_ns"]
    assert at == pause["length_ns"] == sum(row["length_ns"] for row in pause["blame"])
    assert sum(row["share_of_10000"] for row in pause["blame"]) == 10000
    assert sum(pause["itself_ns"].values()) == sum(pause["path_ns"].values()) == at
    assert pause["probable_ns"] == sum(s["length_ns"] for s in pause["segments"] if s.get("probable"))


def check_view(path):
    table = run("view", path, "--waits", "--json", "--group-by", "tid", "--columns", "life," + ",".join(PARTS))
    for row in table["tables"][0]["rows"] if table and table["tables"] else []:
        assert row["life"] == sum(row[part] for part in PARTS), row


def spans(pause):
    """What a pause says, by time."""
    for segment in pause["segments"]:
        begin = pause["from_raw_ns"] + segment["from_ns"]
        yield begin, begin + segment["length_ns"], segment


def compare(pause):
    """A log that lacks an event may end earlier: the whole one is asked about the same time."""
    begin = pause["from_raw_ns"] - origin
    whole = run("pause", log, "--thread", tid, "--from", f"{begin}ns", "--to", f"{begin + pause['length_ns']}ns", "--json")
    whole = list(spans(whole["pauses"][0]))
    for begin, end, segment in spans(pause):
        if segment["state"] == "unknown" or segment.get("probable"):
            sums["ns not certain"] += end - begin
            continue
        sums["ns certain"] += end - begin
        for since, until, true in whole:
            if since >= end or until <= begin:
                continue
            same = (segment["tid"], segment["state"]) == (true["tid"], true["state"])
            causes = {segment["cause"], true["cause"]}
            assert same and (len(causes) == 1 or causes <= {"cpu taken", "cpu free", "no cpu"}), (segment, true)


first = run("pause", log, "--thread", tid, "--from", "0", "--json")["pauses"][0]
origin = first["from_raw_ns"] - first["from_ns"]
end = f"{first['from_ns'] + first['length_ns']}ns"
for i in range(times):
    damage = chance.choice([cut, flip, lose, drop])
    with open("damaged.etl", "wb") as f:
        f.write(damage(whole_bytes))
    sums[damage.__name__] += 1
    got = run("pause", "damaged.etl", "--thread", tid, "--from", f"{first['from_ns']}ns", "--to", end, "--json")
    check_view("damaged.etl")
    if not got:
        sums["refused"] += 1
        continue
    try:
        check(got["pauses"][0])
        compare(got["pauses"][0])
    except AssertionError:
        print("damage", i, damage.__name__)
        raise
    sums["shown"] += 1
print(dict(sums))
assert sums["shown"] and sums["refused"] < times, "nothing was shown"
assert sums["ns certain"] and sums["ns not certain"], "nothing was compared"
