#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""many_segments.py [--empty] LOG N: a log on standard output, not complete, whose N segments all hold what LOG's first one holds,
or only that block which begins it."""
import struct
import sys
import zlib

HEADER, MAGIC, BEGIN, SYMBOLS, NONE = 72, b"\xd7WTB", 1, 12, 0xFFFFFFFF
empty, (log, n) = "--empty" in sys.argv, sys.argv[-2:]
data = open(log, "rb").read()
at = data.index(MAGIC)
sys.stdout.buffer.write(data[:at])
blocks = []
while data[at : at + 4] == MAGIC:
    header = data[at : at + HEADER]
    kind, _, segment = struct.unpack_from("<HHI", header, 8)
    size = (HEADER + struct.unpack_from("<I", header, 60)[0] + 7) & ~7
    if segment == 0 and kind != SYMBOLS and (kind == BEGIN or not empty):
        blocks.append((header, data[at + HEADER : at + size]))
    at += size
sequence = 0
for segment in range(int(n)):
    for header, payload in blocks:
        rest = header[8:12] + struct.pack("<II", segment, sequence & NONE) + header[20:]
        sequence += 1
        sys.stdout.buffer.write(header[:4] + struct.pack("<I", zlib.crc32(rest[:64])) + rest + payload)
