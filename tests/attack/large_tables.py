#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files whose unwind data take long to make a table of, and a process that works in them.

large_tables.py make PATH COUNT SYMBOLS [ID]  a file that says of COUNT functions how their frames are unwound, with SYMBOLS names,
                                         and of the build ID (a number) if there is one
large_tables.py run SECONDS PATH...      maps the files and works in each in turn, for that long; says "under way" first
"""
import array
import ctypes
import mmap
import os
import platform
import struct
import sys
import time

PAGE, LINK = 4096, 4
X86 = platform.machine() == "x86_64"
MACHINE, STACK, RETURN, DATA_ALIGN = (62, 7, 16, 0x78) if X86 else (183, 31, 30, 0x78)
# Counts down from 16,777,216 or so, and returns.
CODE = (b"\xb9\x00\x00\x00\x01\xff\xc9\x75\xfc\xc3" if X86
        else struct.pack("<4I", 0x52A01000, 0x71000400, 0x54FFFFE1, 0xD65F03C0))


def frames(text, count):
    """.eh_frame: absolute 32-bit addresses; each function is of three rows that differ, and from those of the next."""
    start = struct.pack("<BBB", 0x0C, STACK, 8) + (struct.pack("<BB", 0x80 | RETURN, 1) if X86 else b"")
    cie = struct.pack("<IB", 0, 1) + b"zR\0" + bytes([1, DATA_ALIGN, RETURN, 1, 3]) + start
    cie += b"\0" * (-len(cie) % 4)
    cie = struct.pack("<I", len(cie)) + cie
    # DW_CFA_def_cfa_offset thrice, with DW_CFA_advance_loc of one in between, and nops; the augmentation's length is 0.
    depths = [8 * (i % 7 + 1) for i in range(9)]
    rows = [struct.unpack("<III", bytes([0, 0x0E, a, 0x41, 0x0E, b, 0x41, 0x0E, c, 0, 0, 0]))
            for a, b, c in zip(depths, depths[1:], depths[2:])]
    words = array.array("I", [24, 0, 0, LINK, 0, 0, 0]) * count
    words[1::7] = array.array("I", range(len(cie) + 4, len(cie) + 4 + 28 * count, 28))
    words[2::7] = array.array("I", range(text, text + LINK * count, LINK))
    for i in range(3):
        words[4 + i::7] = (array.array("I", [row[i] for row in rows]) * (count // len(rows) + 1))[:count]
    return cie + words.tobytes() + struct.pack("<I", 0)


def symbols(count):
    """A symbol table of functions side by side, its strings, and the section headers of both, for their offset in the file."""
    words = array.array("I", [1, 0x00010012, 0, 0, LINK, 0]) * (count + 1)
    words[0:6] = array.array("I", [0] * 6)
    words[2::6] = array.array("I", range(PAGE - LINK, PAGE + LINK * count, LINK))
    words[2] = 0
    strings = b"\0same\0.symtab\0.strtab\0"

    def headers(at):
        table, text = words.itemsize * len(words), len(strings)
        return struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) + \
            struct.pack("<IIQQQQIIQQ", 6, 2, 0, 0, at, table, 2, 1, 8, 24) + \
            struct.pack("<IIQQQQIIQQ", 14, 3, 0, 0, at + table, text, 0, 0, 1, 0)
    return words.tobytes() + strings, headers


def make(path, count, n_symbols, build=None):
    text_size = -(-max(LINK * count, len(CODE)) // PAGE) * PAGE
    data_at = PAGE + text_size
    # .eh_frame_hdr: version 1, .eh_frame is 4 bytes behind this field (pcrel sdata4), no table.
    header = struct.pack("<BBBBi", 1, 0x1B, 0xFF, 0xFF, 4)
    data = header + frames(PAGE, count)
    segments = [(1, 5, PAGE, text_size), (1, 4, data_at, len(data)), (0x6474E550, 4, data_at, len(header))]
    note = b""
    if build is not None:
        note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + build.to_bytes(20, "little")
        segments = [(1, 4, 0, PAGE), *segments, (4, 4, PAGE // 2, len(note))]
    names, headers = symbols(n_symbols)
    names_at = -(-(data_at + len(data)) // 8) * 8
    headers_at = -(-(names_at + len(names)) // 8) * 8
    with open(path, "wb") as file:
        file.write(b"\x7fELF\2\1\1" + b"\0" * 9)
        file.write(struct.pack("<HHIQQQIHHHHHH", 3, MACHINE, 1, 0, 64, headers_at, 0, 64, 56, len(segments), 64, 3, 2))
        for kind, flags, at, size in segments:
            file.write(struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, PAGE))
        file.seek(PAGE // 2)
        file.write(note)
        file.seek(PAGE)
        file.write(CODE)
        file.seek(data_at)
        file.write(data)
        file.seek(names_at)
        file.write(names)
        file.seek(headers_at)
        file.write(headers(names_at))


def run(seconds, paths):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    work = []
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        at = libc.mmap(0, PAGE, mmap.PROT_READ | mmap.PROT_EXEC, 2, fd, PAGE)
        work.append(ctypes.CFUNCTYPE(None)(at))
        os.close(fd)
    print("under way", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for one in work:
            one()


if sys.argv[1] == "make":
    make(sys.argv[2], *map(int, sys.argv[3:]))
else:
    run(float(sys.argv[2]), sys.argv[3:])
