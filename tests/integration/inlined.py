#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inlined functions as wtrace tells them against what addr2line tells.

inlined.py addresses FILE N [DEBUG_ROOT]: N addresses of FILE's .text, spread evenly, asked of tests/programs/inlined and of `addr2line -i -f -C` (binutils) and `eu-addr2line -i -f -C`.
inlined.py log DECODED FILE: the frames of FILE in the text of a log (tests/refdecoder/wtl_decode.py), which is
    what stop wrote, against addr2line.

ADDR2LINE in the environment is asked in the place of binutils' addr2line.

Compared are, innermost first, each function's name and the place within it: base name of the file, and line. Every
difference has to be one that is known and explained here, or the test fails:

  clone      the symbol table names a clone (.isra.0, .cold, ...), DWARF its origin
  alias      the symbol table has several names for a function; DWARF has one
  padding    no symbol covers the address: wtrace names none, addr2line the one before
  no line    code without debug information: addr2line takes the file from the symbol table
  file       binutils (2.40) gives another file of the unit to the line; eu-addr2line agrees with wtrace
  overlap    addr2line (binutils) takes the call with the tightest range, whoever contains it; eu-addr2line, and
             wtrace, the one that lies within its caller. Such a difference counts only when both eu-addr2line and
             llvm-addr2line agree with wtrace: eu-addr2line alone misses functions within lambdas
"""
import os
import re
import subprocess
import sys

CLONE = re.compile(r"( \[clone [^]]*\]|\.(isra|part|constprop|cold|lto_priv|llvm)(\.\d+)?)+$")


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
    """n addresses of .text, evenly spread."""
    _, start, _, size = next(row for row in sections(path) if row[0] == ".text")
    return sorted({start + size * i // n + i % 7 for i in range(n)})


def place(text):
    text = re.sub(r" \(discriminator \d+\)| \(inlined.*\)", "", text.strip())
    file, _, line = text.partition(":")
    line = re.match(r"\d*", line)[0] or "0"
    return ("" if file in ("??", "") else file.rsplit("/", 1)[-1]), int(line)


def addr2line(tool, path, addresses):
    """By address: (function, file, line), innermost first."""
    given = "".join("0x%x\n" % address for address in addresses)
    # eu-addr2line fails when it does not know one of them.
    out = subprocess.run([tool, "-a", "-i", "-f", "-C", "-e", path], input=given, capture_output=True, text=True,
                         check=False).stdout.splitlines()
    found, at, i = {}, None, 0
    while i < len(out):
        if re.fullmatch(r"0x[0-9a-f]+", out[i]):
            at = found.setdefault(int(out[i], 16), [])
            i += 1
            continue
        name = re.sub(r" inlined at \S+( in .*)?$", "", out[i])
        at.append(("" if name == "??" else name, *place(out[i + 1])))
        i += 2
    return found


def asked(path, addresses, root):
    """The same of wtrace, and its CPU time."""
    places = list(loads(path))
    offsets = {}
    for address in addresses:
        for offset, start, size in places:
            if start <= address < start + size:
                offsets[address - start + offset] = address
    out = subprocess.run(["inlined", path, *root], input="".join("%x\n" % o for o in sorted(offsets)),
                         capture_output=True, text=True, check=True)
    found, at = {}, None
    for line in out.stdout.splitlines():
        words = line.split("\t")
        if len(words) == 1:
            at = found.setdefault(offsets[int(line, 16)], [])
        else:
            at.append((words[0], words[1].rsplit("/", 1)[-1], int(words[2])))
    return found, out.stderr.strip()


def names_of(path):
    """Symbols by address: names that are those of one function."""
    names = {}
    for demangle in ([], ["-C"]):
        out = subprocess.run(["nm", *demangle, path], capture_output=True, text=True, check=False).stdout
        for line in out.splitlines():
            match = re.match(r"([0-9a-f]+) [tTwWiu] (.*)", line)
            if match:
                names.setdefault(int(match[1], 16), set()).add(match[2])
    groups = {}
    for group in names.values():
        for name in group:
            groups.setdefault(name, set()).update(group)
    return groups


def covered_by(path):
    """Where symbols with a size are."""
    out = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=False).stdout
    rows = [line.split()[:2] for line in out.splitlines() if re.match(r"[0-9a-f]+ [0-9a-f]+ [tTwWiu] ", line)]
    return [(int(start, 16), int(start, 16) + int(size, 16)) for start, size in rows]


def same_places(own, other):
    """Equal but for the spelling of the outermost function."""
    return other is not None and [row[:1] for row in own[:-1]] == [row[:1] for row in other[:-1]] and \
        [row[2] for row in own] == [row[2] for row in other]


def judge(own, binutils, elfutils, llvm, aliases, covered):
    """Why they differ: a word, "" when they do not."""
    if own == binutils:
        return ""
    if len(own) == 1 and not own[0][0] and not covered:
        return "padding"
    if [row[0] for row in own[:-1]] == [row[0] for row in binutils[:-1]] and own[-1][0] != binutils[-1][0]:
        mine, theirs = own[-1][0], binutils[-1][0]
        same = [row[1:] for row in own] == [row[1:] for row in binutils]
        if same and CLONE.sub("", mine) == CLONE.sub("", theirs):
            return "clone"
        if same and theirs in aliases.get(mine, set()) | aliases.get(CLONE.sub("", mine), set()):
            return "alias"
    if [row[0] for row in own] == [row[0] for row in binutils] and own[1:] == binutils[1:] and 0 in (
            own[0][2], binutils[0][2]):
        return "no line"
    if elfutils is not None and [row[1:] for row in own] == [row[1:] for row in elfutils] and \
            [(CLONE.sub("", row[0]), row[2]) for row in own] == [(CLONE.sub("", row[0]), row[2]) for row in binutils]:
        return "file"
    if same_places(own, elfutils) and same_places(own, llvm):
        return "overlap"
    return "unexplained"


def compare(label, own, path, addresses):
    tool = os.environ.get("ADDR2LINE", "addr2line")
    binutils = addr2line(tool, path, addresses)
    elfutils = addr2line("eu-addr2line", path, addresses)
    llvm = addr2line("llvm-addr2line-14", path, addresses)
    aliases, spans = names_of(path), covered_by(path)
    reasons, with_inlined, deepest, eu_same, shown = {}, 0, 0, 0, 0
    for address in addresses:
        mine = own.get(address, [])
        reason = judge(mine, binutils[address], elfutils.get(address), llvm.get(address), aliases,
                       any(start <= address < end for start, end in spans))
        reasons[reason] = reasons.get(reason, 0) + 1
        with_inlined += len(mine) > 1
        deepest = max(deepest, len(mine) - 1)
        eu_same += same_places(mine, elfutils.get(address))
        if reason == "unexplained" and shown < 5:
            shown += 1
            print("0x%x\n  wtrace    %s\n  addr2line %s\n  elfutils  %s"
                  % (address, mine, binutils[address], elfutils.get(address)))
    equal = reasons.pop("", 0)
    print("%s: %d addresses, %d with inlined functions (up to %d deep): %d equal to %s%s; %d to eu-addr2line"
          % (label, len(addresses), with_inlined, deepest, equal, tool,
             "".join(", %d %s" % (n, reason) for reason, n in sorted(reasons.items())), eu_same))
    return 1 if reasons.get("unexplained") or not equal else 0


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
        own, cost = asked(path, addresses, sys.argv[4:])
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
