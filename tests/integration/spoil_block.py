#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flips one bit in the payload of a log's largest event block (tracecore/logfmt/LOGFORMAT.md, section 4)."""
import struct
import sys

HEADER, EVENTS = 72, 9


def blocks(data):
    at = 64
    while at + HEADER <= len(data):
        magic, _, kind = struct.unpack_from("<IIH", data, at)
        size, = struct.unpack_from("<I", data, at + 60)
        if magic != 0x425457D7:
            return
        yield kind, at, size
        at += HEADER + (size + 7) // 8 * 8


with open(sys.argv[1], "r+b") as file:
    size, at = max((size, at) for kind, at, size in blocks(file.read()) if kind == EVENTS)
    file.seek(at + HEADER + size // 2)
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes([byte ^ 1]))
