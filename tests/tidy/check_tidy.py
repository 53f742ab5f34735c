#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""House rules as a test: bans with their replacement, licence line, size habits, own header first, include paths
that exist, layer table acyclic and equal to the one in tracecore/README.md, global names with their prefix,
functions of libraries called by a test.

    check_tidy.py [--library ARCHIVE] [ROOT]

Prints one test point per rule and the places that break it.
"""
import os
import re
import subprocess
import sys

MAX_FILE_LINES = 700
MAX_BODY_LINES = 70
SOURCE_DIRECTORIES = ("tracecore", "providers", "consumers", "tools", "tests")
LICENSED = (".c", ".h", ".S", ".sh", ".py", ".awk", ".bash")
SHARED_WITH_KERNEL = ("tracecore/abi/", "tests/vm/pmu/")
PREFIXES = re.compile(r"^(wt_|cmd_|wtrace_|wtr_)")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def blank(match):
    """Comments and literals become spaces of the same shape, so that lines keep their numbers."""
    text = match.group(0)
    quote = text[0] if text[0] in "\"'" else " "
    return quote + re.sub(r"[^\n]", " ", text[1:-1]) + quote


class Tree:
    def __init__(self, root):
        self.root = root
        self.paths = sorted(
            os.path.relpath(os.path.join(directory, name), root)
            for top in SOURCE_DIRECTORIES
            for directory, _, names in os.walk(os.path.join(root, top))
            for name in names
            if "__pycache__" not in directory
        )
        self.sources = [p for p in self.paths if p.endswith((".c", ".h"))]
        self.text = {p: self.read(p) for p in self.paths if p.endswith(LICENSED)}
        self.code = {p: TOKEN.sub(blank, self.text[p]) for p in self.sources}

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as f:
            return f.read()

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def bans(tree):
    with open(os.path.join(os.path.dirname(__file__), "bans.txt"), encoding="utf-8") as f:
        rules = [line.rstrip("\n").split("\t") for line in f if line.strip() and line[0] != "#"]
    for where, pattern, may, instead in rules:
        allowed = tuple(may.split()) if may != "-" else ()
        for path in tree.sources:
            if path.startswith(allowed):
                continue
            if where == "include":
                hits = [
                    (m.start(), m.group(1))
                    for m in re.finditer(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", tree.text[path], re.M)
                    if re.search(pattern, m.group(1))
                ]
            else:
                text = tree.code[path] if where == "code" else tree.text[path]
                hits = [(m.start(), m.group(0)) for m in re.finditer(pattern, text)]
                tree_text = text
            base = tree.text[path] if where == "include" else tree_text
            for offset, word in hits:
                yield f"{path}:{line_of(base, offset)}: {word} is not for here: {instead}"


def licence(tree):
    for path, text in tree.text.items():
        head = text.split("\n", 2)
        line = head[1] if head[0].startswith("#!") and len(head) > 1 else head[0]
        wanted = "GPL-2.0 OR MIT" if path.startswith(SHARED_WITH_KERNEL) else "MIT"
        if not re.search(rf"SPDX-License-Identifier: {wanted}(?! OR)", line):
            yield f"{path}:1: the first line (after #!) must be SPDX-License-Identifier: {wanted}"


def file_length(tree):
    for path in tree.sources:
        n = tree.text[path].count("\n")
        if n > MAX_FILE_LINES:
            yield f"{path}: {n} lines, at most {MAX_FILE_LINES}: split it by noun"


def body_length(tree):
    for path in tree.sources:
        start = None
        for number, line in enumerate(tree.code[path].split("\n"), 1):
            if line.startswith("{"):
                start = number
            elif line.startswith("}") and start:
                if number - start - 1 > MAX_BODY_LINES:
                    yield f"{path}:{start}: a body of {number - start - 1} lines, at most {MAX_BODY_LINES}"
                start = None


def includes(tree):
    for path in tree.sources:
        quoted = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', tree.text[path], re.M)
        for name in quoted:
            if not tree.exists(name):
                yield f'{path}: "{name}" is not a path from the root of the tree'
        own = path[:-2] + ".h"
        if path.endswith(".c") and tree.exists(own):
            first = re.search(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', tree.text[path], re.M)
            if not first or first.group(1) != own:
                yield f'{path}: the first include must be its own header "{own}"'


def guards(tree):
    for path in tree.sources:
        if not path.endswith(".h"):
            continue
        guard = re.sub(r"[^A-Z0-9]", "_", path.upper())
        if f"#ifndef {guard}\n#define {guard}\n" not in tree.text[path]:
            yield f"{path}: include guard must be {guard}"


def layer_lines(text):
    lines = [re.sub(r"\s+", " ", l).strip() for l in text.split("\n")]
    return [l for l in lines if re.match(r"^[a-z_/.]+:( |$)", l)]


def layer_table(tree):
    listed = layer_lines(tree.read("tests/tidy/layers.txt"))
    if not tree.exists("tracecore/README.md"):
        yield "tracecore/README.md: missing"
        return
    block = re.search(r"```layers\n(.*?)```", tree.read("tracecore/README.md"), re.S)
    if not block or layer_lines(block.group(1)) != listed:
        yield "tracecore/README.md: its ```layers block must equal tests/tidy/layers.txt"
    edges = {l.split(":")[0]: l.split(":")[1].split() for l in listed}
    done, walking = set(), []

    def walk(name):
        if name in walking:
            return [f"tests/tidy/layers.txt: a circle: {' > '.join(walking[walking.index(name):] + [name])}"]
        if name in done:
            return []
        walking.append(name)
        found = []
        for target in edges.get(name, []):
            stem = target[:-2] if target.endswith("/*") else None
            below = [n for n in edges if n == stem or n.startswith(stem + "/")] if stem else [target]
            for n in below:
                found += walk(n)
        walking.pop()
        done.add(name)
        return found

    for name in edges:
        yield from walk(name)


def prefixes(library):
    out = subprocess.run(["nm", "-g", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    symbols = re.findall(r"^[0-9a-f]+ [A-Z] (\S+)$", out, re.M)
    if not symbols:
        yield f"{library}: no symbols seen"
    for name in symbols:
        if not PREFIXES.match(name) and not name.startswith("__"):
            yield f"{library}: global name {name} lacks the wt_ prefix"


def maps_tested(tree):
    """Every function that a library shows is called by some test."""
    tests = "\n".join(code for path, code in tree.code.items() if path.startswith("tests/"))
    called = set(re.findall(r"\b(\w+)\(", tests))
    for path in tree.paths:
        if path.endswith(".map") and not path.startswith("tests/"):
            for m in re.finditer(r"^\t(\w+);$", tree.read(path), re.M):
                if m.group(1) not in called:
                    yield f"{path}:{line_of(tree.read(path), m.start())}: {m.group(1)} is called by no test"


def main(argv):
    library = None
    if argv and argv[0] == "--library":
        library, argv = argv[1], argv[2:]
    tree = Tree(argv[0] if argv else ".")
    rules = [
        ("bans with replacement", bans(tree)),
        ("licence line", licence(tree)),
        ("file length", file_length(tree)),
        ("function length", body_length(tree)),
        ("include paths and order", includes(tree)),
        ("include guards", guards(tree)),
        ("layer table", layer_table(tree)),
        ("functions of libraries are tested", maps_tested(tree)),
    ]
    if library:
        rules.append(("global names", prefixes(library)))
    print(f"1..{len(rules)}")
    failed = 0
    for number, (name, findings) in enumerate(rules, 1):
        found = list(findings)
        failed += bool(found)
        for text in found:
            print("# " + text)
        print(f"{'not ok' if found else 'ok'} {number} - {name}" + (f" - {len(found)} places" if found else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
