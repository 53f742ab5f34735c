#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What one user of a machine can do to another's trace, with nothing but the files of its own directory.

neighbour.py WAY DIRECTORY SESSION COUNT: fills DIRECTORY (wtrace-UID, with a ring directory of SESSION in it) in one way:

    links      COUNT names each for one ring file and one enable file
    copies     COUNT copies of a ring file, all of them rings
    manifests  COUNT enable files, each with another manifest of the same provider
    storm      makes, renames and removes names
    heads      many rings of many blocks whose heads move on all the while
    many       for root: COUNT users at once, from the one of DIRECTORY on, each in its own directory beside it, with heads
    pads       large rings full of padding, whose heads move on; 4, or 48 with WT_ATTACK_WHOLE
    sizes      cuts and lengthens its rings and enable files, and makes holes in them
    states     COUNT state files of processes that live, each full of the smallest records there are
    odd        COUNT names of each kind that is no file, and files larger than any memory
    hold       locks all files below DIRECTORY that it can open, for COUNT seconds
    rubbish    puts random words into the loss tables of its rings, COUNT times
    shapes     for root: a directory beside DIRECTORY, of the user ids from COUNT on, for each name below DIRECTORY and each thing
               that can stand there in its place; the rest is as in DIRECTORY. Prints what it made
    maps       COUNT executable mappings of SESSION, which is a file here, in this process, which stays for DIRECTORY (seconds)
    forge      PIDS (in place of COUNT, divided by commas): puts them, in turn, into the records of its rings

The ways storm, heads, many, pads and sizes go on until the file `enough` is in the working directory, for COUNT seconds at most,
and say "under way" once all of it has been done.
"""
import ctypes
import fcntl
import glob
import mmap
import os
import random
import re
import shutil
import socket
import struct
import sys
import time

ENABLE_HASH, ENABLE_MANIFEST_LEN, ENABLE_BYTES, ENABLE_NUMBER = 24, 40, 16, 12
LOSSES, LOSSES_BYTES = 256, 4096 - 256
RING_HEAD, RING_TAIL, RING_SLOTS = 64, 128, 4096
STATE_MAGIC = 0x0031747461747377


def rings(directory, session):
    """The largest first: those that hold something."""
    found = [p for p in glob.glob(f"{directory}/.root-{session}-*.rings/*") if os.path.getsize(p) > 4096]
    return sorted(found, key=lambda p: -os.stat(p).st_blocks)


def enable_file(directory):
    return sorted(glob.glob(f"{directory}/providers/*"))[0]


def links(directory, session, count):
    for source in (rings(directory, session)[0], enable_file(directory)):
        for i in range(count):
            try:
                os.link(source, f"{os.path.dirname(source)}/{os.path.basename(source)[:20]}.{i}")
            except FileExistsError:
                pass


def copies(directory, session, count):
    source = rings(directory, session)[0]
    # Control pages alone: a ring is made cheaply, and as many as there is room for.
    page = os.pread(os.open(source, os.O_RDONLY), 16384, 0)
    for i in range(count):
        with open(f"{os.path.dirname(source)}/ring-{1000 + i}", "wb") as file:
            file.write(page)
            file.truncate(os.path.getsize(source))


def fnv(data, value=0xCBF29CE484222325):
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def manifests(directory, _session, count):
    source = enable_file(directory)
    data = bytearray(open(source, "rb").read())
    size, name_len = struct.unpack_from("<II", data, ENABLE_MANIFEST_LEN)
    name = bytes(data[48:48 + name_len])
    # The manifest is the last part, filled up to 8 bytes.
    start = len(data) - (size + 7) // 8 * 8
    text = bytes(data[start:start + size]).rstrip(b"\0 \n")
    for i in range(count):
        other = text + b"\n" * (1 + i % 64) + b" " * (i // 64)
        image = data[:start] + other + bytes(-len(other) % 8)
        digest = fnv(other, fnv(name.lower() + b"\0"))
        struct.pack_into("<Q", image, ENABLE_BYTES, len(image))
        struct.pack_into("<Q", image, ENABLE_HASH, digest)
        struct.pack_into("<I", image, ENABLE_MANIFEST_LEN, len(other))
        struct.pack_into("<I", image, ENABLE_NUMBER, 100000 + i)
        with open(f"{directory}/providers/{name.decode().lower()}-{digest:016x}", "wb") as file:
            file.write(image)


def rounds(seconds):
    """For as long as a way goes on: the number of the round."""
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end and not os.path.exists("enough"):
        yield n
        n += 1
        if n == 1:
            # In one write: sixty of them share the file.
            os.write(1, b"under way\n")


def storm(directory, session, seconds):
    for i in rounds(seconds):
        for where in (*glob.glob(f"{directory}/.root-{session}-*.rings"), f"{directory}/providers"):
            name = f"{where}/storm{i % 64}"
            with open(name, "wb"):
                pass
            os.rename(name, f"{where}/again{i % 64}")
            os.unlink(f"{where}/again{i % 64}")


def big_rings(directory, session, count, block_bytes, blocks):
    """Rings of that many blocks, sparse; their descriptors."""
    source = rings(directory, session)[0]
    page = bytearray(os.pread(os.open(source, os.O_RDONLY), 4096, 0))
    struct.pack_into("<IIBBBB", page, 12, block_bytes, blocks, 0, page[21], 0, 0)
    struct.pack_into("<QQQ", page, RING_HEAD, head(1, 0, 40), 0, 0)
    struct.pack_into("<QQII", page, RING_TAIL, 0, 0, 0, 0)
    fds = []
    for i in range(count):
        fds.append(os.open(f"{os.path.dirname(source)}/big-{i}", os.O_RDWR | os.O_CREAT, 0o600))
        # In one go: a reader that comes between finds no ring.
        os.ftruncate(fds[-1], (4096 + 8 * blocks + 4095) // 4096 * 4096 + block_bytes * blocks)
        os.pwrite(fds[-1], page[8:], 8)
        os.pwrite(fds[-1], page[:8], 0)
    return fds


def head(sequence, slot, offset):
    return sequence << 30 | slot << 18 | offset // 8


def heads(directory, session, seconds, count=400, pause=0):
    blocks = 4096
    fds = big_rings(directory, session, count, 8192, blocks)
    for fd in fds:
        os.pwrite(fd, b"".join(struct.pack("<Q", 1 + 3 * i) for i in range(blocks)), RING_SLOTS)
    for i in rounds(seconds):
        sequence = 6 + 5 * i
        for fd in fds:
            os.pwrite(fd, struct.pack("<Q", head(sequence, sequence % blocks, 8000)), RING_HEAD)
        time.sleep(pause)


def many(directory, session, count):
    base, first = directory.rsplit("-", 1)
    for uid in range(int(first), int(first) + count):
        if os.fork() == 0:
            os.setgid(uid)
            os.setuid(uid)
            heads(f"{base}-{uid}", session, 600, 16, 0.03)
            os._exit(0)
    failed = 0
    while True:
        try:
            failed += os.wait()[1] != 0
        except ChildProcessError:
            sys.exit(f"{failed} of {count} neighbours failed" if failed else 0)


def pads(directory, session, seconds):
    size = 1 << 20
    fds = big_rings(directory, session, 48 if os.environ.get("WT_ATTACK_WHOLE") else 4, size, 8)
    pad = struct.pack("<IIHBBIQII", 65536 - 8, 0, 0, 128, 0, 0, 1, 0, 0).ljust(65536 - 8, b"\0")
    for fd in fds:
        for slot in range(8):
            os.pwrite(fd, pad * 15, 8192 + slot * size + 32)
    for i in rounds(seconds):
        sequence, slot = i + 1, (i + 1) % 8
        for fd in fds:
            base = 8192 + slot * size
            os.pwrite(fd, struct.pack("<QQIIII", sequence, 1, 32 + 15 * len(pad), (slot + 1) % 8, 0, 0), base)
            os.pwrite(fd, struct.pack("<Q", sequence), RING_SLOTS + 8 * slot)
            os.pwrite(fd, struct.pack("<Q", head(sequence, slot, 32 + 15 * len(pad))), RING_HEAD)


def sizes(directory, session, seconds):
    rng = random.Random(12)
    files = [*rings(directory, session), *glob.glob(f"{directory}/providers/*"), f"{directory}/sessions", f"{directory}/processes"]
    fds = [os.open(path, os.O_RDWR) for path in files if os.path.exists(path)]
    whole = [os.fstat(fd).st_size for fd in fds]
    for _ in rounds(seconds):
        i = rng.randrange(len(fds))
        os.ftruncate(fds[i], rng.choice((0, 1, 100, 4096, 8192, whole[i] // 2, whole[i], 2 * whole[i])))
        if rng.random() < 0.3:
            os.pwrite(fds[i], rng.randbytes(64), rng.randrange(0, 8192, 8))
    for fd, size in zip(fds, whole):
        os.ftruncate(fd, size)


def states(directory, _session, count):
    os.makedirs(f"{directory}/state", mode=0o700, exist_ok=True)
    entries = bytearray()
    for key in range((1 << 20) // 64 - 1):
        value = fnv(struct.pack("<IHQQI", 1, 0, key, 2, 0))
        entries += struct.pack("<QIHHQIIQIIQII", 2, 1, 0, 0, key, 16, 0, 2, 0, (value ^ value >> 32) % 2**32, 2, 0, 0)
    image = struct.pack("<QIIQII", STATE_MAGIC, 1, 0, 0, 32 + len(entries), 0) + entries
    made = 0
    for pid in sorted((int(p) for p in os.listdir("/proc") if p.isdigit()), reverse=True):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                began = file.read().rsplit(")", 1)[1].split()[19]
        except OSError:
            continue
        with open(f"{directory}/state/{pid}-{int(began) % 2**32}", "wb") as file:
            file.write(image[:12] + struct.pack("<I", pid) + image[16:])
        made += 1
        if made == count:
            break
    print(made)


def odd(directory, session, count):
    for where in (os.path.dirname(rings(directory, session)[0]), f"{directory}/providers"):
        for i in range(count):
            deep = f"{where}/dir-{i}"
            os.makedirs(f"{deep}/{'d' * 200}/{'e' * 200}")
            os.mkfifo(f"{where}/fifo-{i}")
            os.symlink(f"link-{i}", f"{where}/link-{i}")
            os.symlink("/dev/zero", f"{where}/zero-{i}")
            os.symlink(f"/proc/{os.getppid()}/mem", f"{where}/mem-{i}")
            with open(os.fsencode(f"{where}/") + b"\x1b[31m\n\xff" + b"n" * 200 + b"%d" % i, "wb") as file:
                file.truncate(1 << 42)
            with open(f"{where}/large-{i}", "wb") as file:
                file.truncate(1 << 43)


def names_below(directory):
    """What wtrace and a program have made there, one ring for all of them."""
    found, rings_seen = [], False
    for at, directories, files in os.walk(directory):
        for name in sorted(directories) + sorted(files):
            part = os.path.relpath(f"{at}/{name}", directory)
            if ".rings/" in part and rings_seen:
                continue
            rings_seen |= ".rings/" in part
            found.append(part)
    return found


def put_shape(shape, path, source):
    if shape == "empty":
        open(path, "wb").close()
    elif shape == "rubbish":
        with open(path, "wb") as file:
            file.write(bytes(range(256)) * 64)
    elif shape == "directory":
        os.makedirs(f"{path}/d/e")
    elif shape == "fifo":
        os.mkfifo(path)
    elif shape == "socket":
        socket.socket(socket.AF_UNIX).bind(path)
    elif shape == "closed" and os.path.isdir(source):
        os.mkdir(path)
        os.chmod(path, 0)
    elif shape in ("closed", "giant"):
        with open(path, "wb") as file:
            if os.path.isfile(source):
                with open(source, "rb") as from_file:
                    file.write(from_file.read(1 << 16))
            file.truncate(1 << 42 if shape == "giant" else file.tell())
            os.fchmod(file.fileno(), 0o600 if shape == "giant" else 0)
    else:
        os.symlink({"link": "nowhere", "directory link": "/tmp", "device link": "/dev/full"}[shape], path)


SHAPES = "empty", "rubbish", "directory", "fifo", "socket", "closed", "giant", "link", "directory link", "device link"


def like(directory, path, part, shape, lives):
    """A directory as the other one, with that thing in that place. Rings: of all sessions to come."""
    os.mkdir(path, 0o700)
    for name in names_below(directory):
        if ".rings" in name and (name.split("/")[0] != part.split("/")[0] or shape == "giant" and name != part):
            continue
        for target in {re.sub(r"-[0-9]+\.rings", f"-{life}.rings", name) for life in lives}:
            source = f"{directory}/{name}"
            if not os.path.isdir(os.path.dirname(f"{path}/{target}")) or os.path.islink(os.path.dirname(f"{path}/{target}")):
                continue
            if name == part:
                put_shape(shape, f"{path}/{target}", source)
            elif os.path.isdir(source):
                os.makedirs(f"{path}/{target}", mode=0o700, exist_ok=True)
            elif not name.startswith(f"{part}/"):
                shutil.copyfile(source, f"{path}/{target}")


def shapes(directory, _session, first):
    uid = first
    for part in names_below(directory):
        for shape in SHAPES:
            path = f"{os.path.dirname(directory)}/wtrace-{uid}"
            like(directory, path, part, shape, range(1, 21))
            for at, directories, files in os.walk(path):
                for name in (".", *directories, *files):
                    os.lchown(f"{at}/{name}", uid, uid)
            print(f"{uid} {part}: {shape}")
            uid += 1


def hold(directory, _session, seconds):
    held = []
    for at, _, names in os.walk(directory):
        for name in (".", *names):
            try:
                held.append(os.open(f"{at}/{name}", os.O_RDONLY))
                fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                pass
    print(len(held), flush=True)
    time.sleep(seconds)


def rubbish(directory, session, count):
    rng = random.Random(11)
    for path in rings(directory, session):
        fd = os.open(path, os.O_RDWR)
        for _ in range(count):
            word = rng.getrandbits(rng.choice((8, 16, 32, 42, 64)))
            os.pwrite(fd, word.to_bytes(8, "little"), rng.randrange(0, 16384, 8) if rng.random() < 0.2
                      else LOSSES + rng.randrange(0, LOSSES_BYTES, 8))
        os.close(fd)


def forge(directory, session, pids):
    """Every word that is the writer's own pid, in the blocks of each ring, becomes another."""
    own, others = pids[0], pids[1:]
    changed = 0
    for path in rings(directory, session):
        fd = os.open(path, os.O_RDWR)
        at = 0
        while True:
            try:
                at = os.lseek(fd, max(at, 4096), os.SEEK_DATA)
            except OSError:
                break
            end = os.lseek(fd, at, os.SEEK_HOLE)
            data = bytearray(os.pread(fd, end - at, at))
            for i in range(0, len(data) - 3, 4):
                if struct.unpack_from("<I", data, i)[0] == own:
                    struct.pack_into("<I", data, i, others[changed // 2 % len(others)])
                    changed += 1
            os.pwrite(fd, data, at)
            at = end
        os.close(fd)
    print(changed)


def maps(seconds, path, count):
    """Says its pid once all is mapped. Python's own mmap takes a descriptor for each."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_ssize_t
    libc.mmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    fd = os.open(path, os.O_RDONLY)
    # MAP_PRIVATE; each is of the same bytes of the file, so that those side by side are not one.
    for _ in range(count):
        if libc.mmap(0, 4096, mmap.PROT_READ | mmap.PROT_EXEC, 2, fd, 0) == -1:
            sys.exit(f"mmap: errno {ctypes.get_errno()}")
    print(os.getpid(), flush=True)
    time.sleep(float(seconds))


def main():
    way, directory, session, count = sys.argv[1:5]
    if way == "forge":
        forge(directory, session, [int(p) for p in count.split(",")])
    else:
        {"links": links, "copies": copies, "manifests": manifests, "storm": storm, "hold": hold,
         "rubbish": rubbish, "heads": heads, "pads": pads, "sizes": sizes, "states": states, "odd": odd,
         "shapes": shapes, "maps": maps, "many": many}[way](directory, session, int(count))


main()
