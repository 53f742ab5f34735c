#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what the second decoder says of a log with what `wtrace dump --json` says, event for event.

    same_events.py DECODED DUMPED

Time, CPU, provider, event, whether the recorder caused it, and every field that dump gives as a whole number. Prints
the first differences; exit code 1 when there is one, or nothing to compare.
"""
import json
import re
import sys

EVENT = re.compile(r"(\d+) cpu (-?\d+) segment \d+ thread \d+ stack \d+ self ([01]) ([^ :]+(?::[^ :]+)*):([^ ]+)(.*)")


def decoded(path):
    for line in open(path, encoding="utf-8", errors="replace"):
        found = EVENT.match(line)
        if found:
            fields = dict(word.split("=", 1) for word in found[6].split() if "=" in word)
            yield int(found[1]), int(found[2]), found[3] == "1", found[4], found[5], fields


def key_of(event):
    return event[:5]


def number_differs(said, number, first):
    """Times of fields count from the log's first event, as dump says them; negative numbers are of their type's width."""
    value = int(said, 16) if said else 0
    return value not in (number, number + first) and value & 0xffffffffffffffff != number & (1 << max(8, 4 * len(said))) - 1


def main():
    ours = sorted(decoded(sys.argv[1]), key=key_of)
    dumped = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    first = ours[0][0] if ours else 0
    theirs = sorted(((e["time"] + first, -1 if e["cpu"] is None else e["cpu"], bool(e.get("recorder")), e["provider"], e["event"],
                      e["fields"]) for e in dumped), key=key_of)
    wrong = [f"{a[:5]} and {b[:5]}" for a, b in zip(ours, theirs) if key_of(a) != key_of(b)]
    numbers = 0
    for a, b in zip(ours, theirs):
        for name, value in b[5].items():
            if isinstance(value, bool) or not isinstance(value, int):
                continue
            numbers += 1
            if number_differs(a[5].get(name, ""), value, first):
                wrong.append(f"{a[:5]}: {name} is {a[5].get(name)} and {value}")
    for line in wrong[:10]:
        print(line)
    print(f"{len(ours)} and {len(theirs)} events, {numbers} numbers compared, {len(wrong)} differ")
    return 1 if wrong or not numbers or len(ours) != len(theirs) else 0


if __name__ == "__main__":
    sys.exit(main())
