#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the examples in hex of a specification with the files they are about.

    example_hex.py LOGFORMAT.md DIRECTORY

Lines "OFFSET  BYTES" are a file's bytes there: example.wtl's up to where encodings.wtl is named, then that one's. The block
of lines behind "which expands to" is the payload of the first one's EVENTS block. Prints what differs; exit code 1 when
something does, or when there is too little to compare.
"""
import os
import re
import struct
import subprocess
import sys

PAIRS = r"((?:[0-9a-f]{2} {1,2})*[0-9a-f]{2})(?: |$)"


def compare(text, path, least):
    """How many lines are wrong, or one when they say less than so many bytes."""
    with open(path, "rb") as file:
        data = file.read()
    wrong = compared = 0
    for line in text.split("\n"):
        found = re.match(r" *([0-9a-f]{4})  +" + PAIRS, line)
        if not found:
            continue
        at, said = int(found[1], 16), bytes.fromhex(found[2])
        compared += len(said)
        if data[at:at + len(said)] != said:
            wrong += 1
            print(f"{path} has {data[at:at + len(said)].hex(' ')} where the text says: {line}")
    print(f"{compared} bytes of {path} compared")
    return wrong or compared < least


def main():
    text = open(sys.argv[1], encoding="utf-8").read().split("\n## 10.")[1].split("\n## 11.")[0]
    first, second = (f"{sys.argv[2]}/{name}.wtl" for name in ("example", "encodings"))
    text, more = text.split(os.path.basename(second), 1)
    wrong = compare(text, first, 200) + compare(more, second, 300)
    with open(first, "rb") as file:
        data = file.read()
    lines = text.split("The frame expands to")[1].split("```")[1].split("\n")
    said = b"".join(bytes.fromhex(found[1]) for found in (re.match(r" *" + PAIRS, line) for line in lines) if found)
    raw_size, stored_size = struct.unpack_from("<II", data, 0x398 + 56)
    stored = data[0x398 + 72:0x398 + 72 + stored_size]
    expanded = subprocess.run(["zstd", "-dcq"], input=stored, capture_output=True, check=True).stdout
    if said != expanded or len(said) != raw_size:
        wrong += 1
        print(f"the payload is {expanded.hex(' ')}, the text says {said.hex(' ')}")
    print(f"{len(said)} bytes of a payload compared")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
