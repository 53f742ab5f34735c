#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""csv_compare.py EVENTS.csv EVENTS.json: the lines of dump --csv and dump --json say the same, value by value."""
import csv
import json
import re
import sys

COMMON = ("time", "realtime", "cpu", "process", "pid", "thread", "tid", "provider", "event", "activity", "related", "stack_status")


ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u\{([0-9a-f]+)\}|(.))")


def plain(cell):
    """What a cell stands for: its escapes undone; what is no UTF-8 as JSON has it."""
    letters = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}
    whole, at = b"", 0
    for found in ESCAPE.finditer(cell):
        whole += cell[at:found.start()].encode()
        byte, code, letter = found.groups()
        whole += bytes([int(byte, 16)]) if byte else chr(int(code, 16)).encode() if code else letters[letter]
        at = found.end()
    return (whole + cell[at:].encode()).decode(errors="replace")


def same(cell, value):
    """A cell of text against a value of JSON."""
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    if isinstance(value, int):
        return int(cell, 0) == value
    if isinstance(value, float):
        return abs(float(cell) - value) <= 1e-6 * abs(value)
    if isinstance(value, list):
        return True  # arrays and bit maps have a text form of their own
    return plain(cell) == value


def main():
    csv.field_size_limit(1 << 30)
    with open(sys.argv[1], encoding="utf-8", errors="replace", newline="") as file:
        header = file.readline()
    if not header.startswith('"time",') or not header.endswith('"\r\n'):
        sys.exit("the header is not quoted, or does not end as it should")
    rows = csv.DictReader(open(sys.argv[1], encoding="utf-8", errors="replace", newline=""), strict=True)
    checked = n = 0
    with open(sys.argv[2], encoding="utf-8") as file:
        for n, line in enumerate(file, 1):
            event, row = json.loads(line), next(rows)
            if None in row or None in row.values():
                sys.exit("line %d has more or fewer cells than the header" % n)
            for name in COMMON:
                if not same(row.get(name, ""), event.get(name)):
                    sys.exit("line %d: %s is %r, wanted %r" % (n, name, row.get(name), event.get(name)))
            if row["recorder"] != ("true" if event.get("recorder") else "false"):
                sys.exit("line %d: recorder" % n)
            if row["claimed"] != ("true" if event.get("claimed") else "false"):
                sys.exit("line %d: claimed" % n)
            fields = event["fields"]
            texts = {name + "_text" for name in fields if name + "_text" in fields}
            for name, value in fields.items():
                if name in texts:
                    continue
                value = fields.get(name + "_text", value)
                cell = row.pop("field." + name if name in COMMON + ("recorder", "claimed", "stack") else name)
                checked += 1
                if value is None and cell == "none":
                    continue
                if not same(cell, value):
                    sys.exit("line %d: field %s is %r, wanted %r" % (n, name, cell, value))
            frames = event.get("stack", [])
            if len([f for f in row["stack"].split(";") if f]) != len(frames):
                sys.exit("line %d: %d frames" % (n, len(frames)))
    if next(rows, None):
        sys.exit("the CSV has more lines")
    print("%d events, %d values are equal" % (n, checked))


if __name__ == "__main__":
    main()
