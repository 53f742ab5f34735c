#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a comparison of two pauses against the segments of both.

	pause_compare.py FILE     the output of wtrace pause --compare --json

Each row is added up again from the segments whose reason it has; no segment is left over; sums are exact.
"""
import collections
import json
import sys

got = json.load(open(sys.argv[1]))
pauses, compare = got["pauses"], got["compare"]
assert len(pauses) == 2 and got["other_log"], got["other_log"]


def reason(segment):
    """The words by which segments are added up."""
    itself = segment["depth"] == 0
    waits = segment["state"] in ("blocked", "unknown")
    where = segment if waits else segment.get("woke", {})
    return (itself, None if itself else segment["name"] or "?", segment["state"], segment["cause"],
            (segment["by"]["name"] or "?") if "by" in segment else None, where.get("kind", "none"), where.get("function"))


sums = [collections.Counter(), collections.Counter()]
numbers = [collections.Counter(), collections.Counter()]
for side, pause in enumerate(pauses):
    for segment in pause["segments"]:
        sums[side][reason(segment)] += segment["length_ns"]
        numbers[side][reason(segment)] += 1
    assert sum(sums[side].values()) == pause["length_ns"]
keys = set(sums[0]) | set(sums[1])
assert len(compare["rows"]) == len(keys), (len(compare["rows"]), len(keys))
for row in compare["rows"]:
    key = tuple(row[word] for word in ("itself", "name", "state", "cause", "by", "kind", "function"))
    assert key in keys, row
    assert (row["length_ns"], row["other_length_ns"]) == (sums[0][key], sums[1][key]), row
    assert (row["segments"], row["other_segments"]) == (numbers[0][key], numbers[1][key]), row
    assert row["more_ns"] == row["length_ns"] - row["other_length_ns"], row
more = [row["more_ns"] for row in compare["rows"]]
assert more == sorted(more, reverse=True), "most more first"
assert sum(more) == compare["more_ns"] == pauses[0]["length_ns"] - pauses[1]["length_ns"]
assert (compare["length_ns"], compare["other_length_ns"]) == tuple(pause["length_ns"] for pause in pauses)
print(len(keys), "reasons,", compare["more_ns"], "ns more")
