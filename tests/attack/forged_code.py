#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A user's processes with generated code, and with files that are to name it and are made to harm who reads them.

forged_code.py KIND[,KIND...] COUNT SECONDS: COUNT processes of each KIND that run in anonymous memory, each of which has one
/tmp/perf-PID.map or jit-PID.dump of it. Says "under way" and their pids when all have begun. At SIGTERM, or after SECONDS, it ends them and
removes their files.

    honest    a map that names the code `honest_K`, K being the place
    none      no file
    sparse    a map of 10 GB that has no bytes
    garbage   a map of 20 MB without a line of the form
    lines     a map of 200,000 lines
    long      a map with names of 1 MB
    escapes   a map with control characters, quotes and invalid UTF-8 in its names
    overlap   a map whose 50,000 pieces all share addresses
    changing  a map that is cut and written again all the while
    pipe, link, directory   what has the map's name is none
    hardlink  the map is one more name of a file of somebody else (HARDLINK in the environment), where the kernel allows that
    unended   a jitdump whose record claims 64 MB and has 63
    lying     a jitdump with lengths of every kind that lie
    many      a jitdump of 60,000 pieces, and of as many lines

WT_ATTACK_WHOLE makes them ten and more times as large.
"""
import ctypes
import mmap
import os
import platform
import shutil
import signal
import struct
import sys
import time

PLACES, STEP = 64, 64
WHOLE = os.environ.get("WT_ATTACK_WHOLE")
COUNTED = {  # counts down from its first argument and returns
    "x86_64": bytes.fromhex("48ffcf75fbc3"),
    "aarch64": bytes.fromhex("000400f1e1ffff54c0035fd6"),
}[platform.machine()]

PR_SET_PDEATHSIG = 1  # from <linux/prctl.h>: nobody stays when a test is killed


def make_code():
    memory = mmap.mmap(-1, PLACES * STEP, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    for place in range(PLACES):
        memory[place * STEP:place * STEP + len(COUNTED)] = COUNTED
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


def map_lines(kind, start):
    """Pieces of text, each written at once."""
    for place in range(PLACES):
        yield b"%x %x honest_%d\n" % (start + place * STEP, STEP, place) if kind == "honest" else b""
    if kind == "garbage":
        for _ in range(200 if WHOLE else 20):
            yield b"there is nothing here" * 50000
    elif kind == "lines":
        for i in range(1000 if WHOLE else 20):
            yield b"".join(b"%x 10 f%d\n" % (start + (i * 10000 + j) % (PLACES * STEP), j) for j in range(10000))
    elif kind == "long":
        for place in range(PLACES):
            yield b"%x %x " % (start + place * STEP, STEP) + b"n" * 1000000 + b"\n"
    elif kind == "escapes":
        for place in range(PLACES):
            yield b"%x %x \x1b]0;owned\x07\x1b[31m\"',;\t\xff\xc2\x9b\xe2\x80\xae\r%d\n" % (start + place * STEP, STEP, place)
    elif kind == "overlap":
        yield b"".join(b"%x %x o%d\n" % (start + i % STEP, PLACES * STEP, i) for i in range(50000))
    elif kind == "changing":
        yield b"".join(b"%x %x c%d\n" % (start + i % STEP, STEP, i) for i in range(20000))


def make_map(path, kind, start):
    if kind == "none":
        return
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "link":
        os.symlink("/dev/zero", path)
    elif kind == "hardlink":
        try:
            os.link(os.environ["HARDLINK"], path)
        except OSError:
            pass
    else:
        with open(path, "wb") as f:
            for text in map_lines(kind, start):
                f.write(text)
            if kind == "sparse":
                f.truncate(10 << 30)


def record(number, body, size=None):
    return struct.pack("<IIQ", number, len(body) + 16 if size is None else size, time.clock_gettime_ns(time.CLOCK_MONOTONIC)) + body


def load(start, size, name, index):
    return record(0, struct.pack("<IIQQQQ", os.getpid(), os.getpid(), start, start, size, index) + name + b"\0")


def dump_bytes(kind, start):
    yield struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, os.getpid(), time.clock_gettime_ns(time.CLOCK_MONOTONIC), 0)
    if kind == "unended":
        yield load(start, STEP, b"before", 1) + record(0, b"x" * 100, 64 << 20)
        for _ in range(63):
            yield b"y" * (1 << 20)
    elif kind == "many":
        for i in range(0, 400000 if WHOLE else 60000, 1000):
            yield b"".join(load(start + j % 4096, 4096, b"m%d" % j, j) for j in range(i, i + 1000))
            yield record(2, struct.pack("<QQ", start, 1000) + b"".join(struct.pack("<QII", start + j, j, 0) + b"f%d\0" % j for j in range(1000)))
    else:
        yield load(2**64 - 8, 2**63, b"wraps", 1) + load(start, 2**64 - 1, b"whole", 2) + load(start, 0, b"", 3)
        yield record(2, struct.pack("<QQ", start, 2**64 - 1)) + record(2, struct.pack("<QQ", start, 2**62) + b"a" * 40)
        yield record(1, struct.pack("<IIQQQQQ", 1, 1, 0, start, 2**64 - 4, 2**64 - 1, 2)) + record(0, b"short")
        yield load(start, STEP, b"n" * 200000, 4) + record(77, b"unknown") + record(0, b"", os.getpid() % 2 * (2**32 - 1))


def make_dump(path, kind, start):
    with open(path, "wb") as f:
        for text in dump_bytes(kind, start):
            f.write(text)
    with open(path, "rb") as f:
        return mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)


def change(path, kind, start):
    with open(path, "r+b") as f:
        f.truncate(0)
        for text in map_lines(kind, start):
            f.write(text)


def live(kind, until, begun, started):
    _, start = make_code()
    functions = [ctypes.CFUNCTYPE(None, ctypes.c_uint64)(start + place * STEP) for place in range(PLACES)]
    is_dump = kind in ("unended", "lying", "many")
    path = f"jit-{os.getpid()}.dump" if is_dump else f"/tmp/perf-{os.getpid()}.map"
    kept = make_dump(path, kind, start) if is_dump else make_map(path, kind, start)
    os.write(begun, b"b")
    os.read(started, 1)
    i = 0
    while time.monotonic() < until:
        functions[i % PLACES](500000)
        i += 1
        if kind == "changing":
            change(path, kind, start)
        # Some samples of them will do; the CPU is for who is to be named.
        if kind not in ("honest", "none"):
            time.sleep(0.01)
    del kept
    return path


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def main():
    kinds, count, seconds = sys.argv[1].split(","), int(sys.argv[2]), float(sys.argv[3])
    begun, began = os.pipe()
    started, start = os.pipe()
    pids = []
    for kind in kinds * count:
        pid = os.fork()
        if not pid:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            live(kind, time.monotonic() + seconds, began, started)
            os._exit(0)
        pids.append(pid)
    for _ in pids:
        os.read(begun, 1)
    os.write(start, b"s" * len(pids))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("under way", *pids, flush=True)
    try:
        time.sleep(seconds)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            remove(f"/tmp/perf-{pid}.map")
            remove(f"jit-{pid}.dump")


if __name__ == "__main__":
    main()
