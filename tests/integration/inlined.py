#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inlined functions as wtrace tells them against what addr2line -i tells.

inlined.py addresses FILE N: N addresses of FILE's .text and some of its stubs, spread evenly, asked of tests/programs/inlined and of
    `addr2line -i -f -C` (binutils).
inlined.py log DECODED FILE: the frames of FILE in the text of a log (tests/refdecoder/wtl_decode.py), which is
    what stop wrote, against addr2line.

Compared are, innermost first, each function's name and the place within it: base name of the file, and line. Where
the two differ, wtrace is not believed: tests/integration/dwarf_proof.py must prove from what `readelf` and
`llvm-dwarfdump` read in the file that wtrace's answer is what is written there. Without a proof the test fails.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dwarf_proof import Proof  # noqa: E402


def sections(path):
    for line in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)", line)
        if match:
            yield match[1], *(int(word, 16) for word in match.groups()[1:])


def loads(path):
    for line in subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            yield tuple(int(word, 16) for word in (words[1], words[2], words[4]))


def chosen(path, n):
    """n addresses of .text, and some of .plt, evenly spread."""
    found = set()
    for name, start, _, size in sections(path):
        if name in (".text", ".plt"):
            count = n if name == ".text" else n // 50
            found |= {start + size * i // count + i % 7 for i in range(count)}
    return sorted(found)


def place(text):
    text = re.sub(r" \(discriminator \d+\)| \(inlined.*\)", "", text.strip())
    file, _, line = text.partition(":")
    line = re.match(r"\d*", line)[0] or "0"
    return ("" if file in ("??", "") else file.rsplit("/", 1)[-1]), int(line)


def addr2line(path, addresses):
    """By address: (function, file, line), innermost first."""
    given = "".join("0x%x\n" % address for address in addresses)
    out = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", path], input=given, capture_output=True, text=True,
                         check=True).stdout.splitlines()
    found, at, i = {}, None, 0
    while i < len(out):
        if re.fullmatch(r"0x[0-9a-f]+", out[i]):
            at = found.setdefault(int(out[i], 16), [])
            i += 1
            continue
        at.append(("" if out[i] == "??" else out[i], *place(out[i + 1])))
        i += 2
    return found


def asked(path, addresses):
    """The same of wtrace, and its CPU time."""
    places = list(loads(path))
    offsets = {}
    for address in addresses:
        for offset, start, size in places:
            if start <= address < start + size:
                offsets[address - start + offset] = address
    out = subprocess.run(["inlined", path], input="".join("%x\n" % o for o in sorted(offsets)),
                         capture_output=True, text=True, check=True)
    found, at = {}, None
    for line in out.stdout.splitlines():
        words = line.split("\t")
        if len(words) == 1:
            at = found.setdefault(offsets[int(line, 16)], [])
        else:
            at.append((words[0], words[1].rsplit("/", 1)[-1], int(words[2])))
    return found, out.stderr.strip()


def changed(rows):
    """Answers that are wrong where rows are right."""
    (name, file, line), *outer = rows
    yield [("not_" + name, file, line), *outer]
    yield [(name, "not_" + file, line), *outer]
    yield [(name, file, line + 1), *outer]
    yield [(name, file, line), *rows]
    yield [*rows[:-1], ("not_" + rows[-1][0], *rows[-1][1:])]
    if outer:
        yield outer


def compare(label, own, path, addresses):
    theirs, proof = addr2line(path, addresses), Proof(path)
    kinds, unproved, credulous = {}, 0, 0
    for address in addresses:
        mine = own.get(address, [])
        kind = "" if mine == theirs[address] else proof.kind(address, mine, theirs[address])
        if kind is None:
            unproved += 1
            if unproved <= 5:
                print("0x%x\n  wtrace    %s\n  addr2line %s" % (address, mine, theirs[address]))
            continue
        if kind and kind not in kinds: # a proof that believes anything is none
            credulous += sum(proof.kind(address, rows, theirs[address]) is not None for rows in changed(mine))
        kinds[kind] = kinds.get(kind, 0) + 1
    equal = kinds.pop("", 0)
    print("%s: %d addresses, %d with inlined functions (up to %d deep): %d equal to addr2line%s; %d differ without a proof, "
          "%d wrong answers were proved" % (label, len(addresses), sum(len(rows) > 1 for rows in own.values()), max(map(len, own.values())) - 1, equal,
             "".join(", %d proved (%s)" % (n, kind) for kind, n in sorted(kinds.items())), unproved, credulous))
    return 1 if unproved or credulous or not equal else 0


def of_log(decoded, path):
    """Frames of the image: by address what the log says."""
    images, found, at = set(), {}, None
    places = list(loads(path))
    with open(decoded, encoding="utf-8", errors="replace") as text:
        for line in text:
            match = re.match(r"image (\d+): .* path (.*)$", line)
            if match and match[2] == path:
                images.add(match[1])
            match = re.match(r"frame \d+: image (\d+) offset (\d+) = (.*) \((\S*|.*)\) (\S*):(\d+) \+\d+ reason 0$", line)
            if match:
                at = None
                if match[1] not in images or not match[3]:
                    continue
                for offset, start, size in places:
                    if offset <= int(match[2]) < offset + size:
                        at = found.setdefault(int(match[2]) - offset + start, [])
                if at is not None:
                    at[:] = [(match[3], match[5].rsplit("/", 1)[-1], int(match[6]))]
                continue
            match = re.match(r"inlined (.*) called at (.*):(\d+)$", line)
            if match and at is not None:
                outer = at[-1]
                at[-1] = (match[1], *outer[1:])
                at.append((outer[0], match[2].rsplit("/", 1)[-1], int(match[3])))
    return found


def main():
    if sys.argv[1] == "addresses":
        path = sys.argv[2]
        addresses = chosen(path, int(sys.argv[3]))
        own, cost = asked(path, addresses)
        failed = compare(path.rsplit("/", 1)[-1], own, path, addresses)
        print("# %s" % cost)
        return failed
    path = sys.argv[3]
    own = of_log(sys.argv[2], path)
    if not own:
        print("the log has no named frame of %s" % path)
        return 1
    return compare("log of " + path.rsplit("/", 1)[-1], own, path, sorted(own))


sys.exit(main())
