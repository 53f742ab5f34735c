#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names circles of files: files of one directory that call each other around a ring.

check_circles.py OBJECTS FILE.c...: OBJECTS is the directory with the objects of the files (OBJECTS/PATH.o). A file
uses another one when its object needs a symbol that the other's object defines. Two files are one module, and may
use each other, when the name of one begins with the name of the other (reader.c, reader_open.c). Exit code 1 when
there is a circle, or nothing to check. --rooms prints one line for each directory instead: its files, its circles.
"""
import os
import subprocess
import sys


def symbols(paths):
    """By object: the symbols that it defines for others, and those that it needs. One nm for all: each start takes long."""
    found = {path: (set(), set()) for path in paths}
    text = subprocess.run(["nm", "-A", *paths], check=True, capture_output=True, text=True).stdout if paths else ""
    for line in text.splitlines():
        path, _, row = line.partition(":")
        *_, kind, name = row.split()
        defines, needs = found[path]
        if kind == "U":
            needs.add(name)
        elif kind.isupper():
            defines.add(name)
    return found


def circles(edges):
    """Tarjan's strongly connected components of more than one file."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for to in sorted(edges[node]):
            if to not in order:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], order[to])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return found


def one_module(circle):
    """Two files of which one has the other's name at its front."""
    names = sorted((os.path.basename(f)[:-2] for f in circle), key=len)
    return len(names) == 2 and names[1].startswith(names[0] + "_")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--rooms"]
    objects, files = arguments[0], arguments[1:]
    object_of = {path: os.path.join(objects, path[:-2] + ".o") for path in files}
    known = symbols(sorted(object_of.values()))
    rooms = {}
    for path in files:
        rooms.setdefault(os.path.dirname(path), {})[path] = known[object_of[path]]
    bad = 0
    for room, members in sorted(rooms.items()):
        home = {name: path for path, (defines, _) in members.items() for name in defines}
        edges = {path: {home[n] for n in needs if n in home} - {path} for path, (_, needs) in members.items()}
        found = [c for c in circles(edges) if not one_module(c)]
        bad += len(found)
        if "--rooms" in sys.argv:
            print(f"{room}: {len(members)} files, {len(found)} circles of {sum(map(len, found))} files")
            continue
        for circle in found:
            print(f"{room}: a circle of files: {' '.join(os.path.basename(f) for f in circle)}")
            for path in circle:
                for to in sorted(edges[path] & set(circle)):
                    names = sorted(n for n in members[path][1] if home.get(n) == to)
                    print(f"\t{os.path.basename(path)} uses {os.path.basename(to)}: {' '.join(names)}")
    if not rooms:
        print("no file was checked")
    return 1 if bad or not rooms else 0


if __name__ == "__main__":
    sys.exit(main())
