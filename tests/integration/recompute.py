#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Works views out again from what `wtrace dump --json` says of every event, and compares.

recompute.py LOG DUMP CHECKS: for each line of the file CHECKS, "CHECK<tab>NAME", prints "NAME<tab>ok<tab>" and the number of
rows that agree, or "NAME<tab>not ok<tab>" and what differs.
Nothing here knows how the viewer counts: a stack is a list of names, a row a tuple of names, a count a Counter.
"""
import collections
import csv
import io
import json
import re
import subprocess
import sys

sys.setrecursionlimit(100000)
SELF = "[wtrace recorder]"
# Text that people see has other names for what would disturb a terminal, and who knows what else runs on the machine.
PLAIN = "comm == 'deep'"


def view(log, *options):
    command = ["wtrace", "view", log, "-q", *options]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, errors="surrogateescape").stdout


def base(module):
    return module if module.startswith("[") else module.rsplit("/", 1)[-1] or module


def symbol(function, module):
    return function if function == module else f"{function}:{module}"


class Frame:
    """name is what people see; two files of one name in different directories are told apart by full."""

    def __init__(self, row):
        self.module = row["module"]
        nothing = "[unknown]" if self.module == "[unknown]" else "[unresolved]"
        self.function = row.get("function", nothing)
        self.name = symbol(self.function, base(self.module))
        self.full = symbol(self.function, self.module)


class Special(Frame):
    def __init__(self, name):
        self.module = self.function = self.name = self.full = name


class Sample:
    """One sample: who, and its frames from the outermost to the innermost."""

    def __init__(self, event):
        self.self = event.get("recorder", False)
        self.comm = SELF if self.self else event["process"]
        self.pid = event["pid"]
        self.status = event.get("stack_status")
        frames = [Frame(row) for row in reversed(event.get("stack", []))]
        self.beneath = frames if self.self else []  # of the recorder: found by filters, not shown
        if self.self:
            frames = [Special(SELF)]
        self.frames = frames or [Special("[no stack]")]

    def frames_told_apart(self):
        """Unknown callers in a row are one."""
        kept = []
        for frame in self.frames:
            if not (frame.name == "[unknown]" and kept and kept[-1].name == frame.name):
                kept.append(frame)
        return kept

    def path(self):
        return [frame.full for frame in self.frames_told_apart()]

    def shown_path(self):
        return [frame.name for frame in self.frames_told_apart()]

    def key(self, word, frame):
        return {"function": frame.full, "module": frame.module, "comm": self.comm, "pid": self.pid}[word]

    def row(self, keys, frame):
        return tuple(str(self.key(word, frame)) for word in keys)


def read_samples(dump):
    samples = []
    with open(dump, errors="surrogateescape") as lines:
        for line in lines:
            event = json.loads(line)
            if event["event"] == "sample":
                samples.append(Sample(event))
    return samples


def differ(what, got, want):
    """What is said of rows that agree."""
    for row in sorted(set(got) | set(want)):
        assert got.get(row) == want.get(row), f"{what}: {row}: the view has {got.get(row)}, the events give {want.get(row)}"
    assert want, f"{what}: nothing to compare"
    return f"{what}: {len(want)} rows agree"


def check_table(log, samples, words):
    """count, exclusive and inclusive of rows by keys, at every level."""
    keys = words.split(",")
    own, inclusive = collections.Counter(), collections.Counter()
    for sample in samples:
        leaf = sample.row(keys, sample.frames[-1])
        own.update(leaf[:n] for n in range(1, len(keys) + 1))
        rows = {sample.row(keys, frame) for frame in sample.frames}
        inclusive.update({row[:n] for row in rows for n in range(1, len(keys) + 1)})
    want = {row: (own[row], own[row], inclusive[row]) for row in inclusive}
    got = {}

    def take(node, above):
        for row in node.get("rows", []):
            key = row["key"]
            word = keys[len(above)]
            name = key.get(word)
            if word == "function":
                name = frame_name(key)
            path = above + (str(name),)
            got[path] = (row["count"], row["exclusive"], row["inclusive"])
            take(row, path)

    text = view(log, "--group-by", words, "--columns", "count,exclusive,inclusive", "--json")
    for table in json.loads(text)["tables"]:
        take(table, ())
        assert table["count"] == len(samples), (table["count"], len(samples))
    return differ(words, got, want)


def frame_name(key):
    return symbol(key["function"], key["module"])


def tree_of(log, *options):
    rows = {}

    def take(node, above):
        for row in node.get("rows", []):
            path = above + (frame_name(row["key"]),)
            rows[path] = row["count"]
            below = sum(child["count"] for child in row.get("rows", []))
            assert below + row.get("exclusive", row["count"] - below) == row["count"], (path, row["count"], below)
            take(row, path)

    for table in json.loads(view(log, "--json", *options))["tables"]:
        take(table, ())
    return rows


def tree_from(paths):
    rows = collections.Counter()
    for path in paths:
        rows.update(tuple(path[:n]) for n in range(1, len(path) + 1))
    return rows


def check_root(log, samples, _):
    return differ("stack, root first", tree_of(log, "--group-by", "stack"), tree_from(s.path() for s in samples))


def check_leaf(log, samples, _):
    paths = [s.path()[::-1] for s in samples]
    return differ("stack, leaf first", tree_of(log, "--stack-order", "leaf"), tree_from(paths))


def named(name, path):
    return next((i for i, at in enumerate(path) if at == name or at.rsplit(":", 1)[0] == name), None)


def check_callers(log, samples, name):
    paths = [s.path() for s in samples]
    paths = [path[named(name, path)::-1] for path in paths if named(name, path) is not None]
    return differ(f"callers of {name}", tree_of(log, "--callers-of", name), tree_from(paths))


def check_callees(log, samples, name):
    paths = [s.path() for s in samples]
    paths = [path[named(name, path):] for path in paths if named(name, path) is not None]
    return differ(f"callees of {name}", tree_of(log, "--callees-of", name), tree_from(paths))


def check_folded(log, samples, _):
    want = collections.Counter(";".join([s.comm] + s.shown_path()) for s in samples if s.comm == "deep")
    got = collections.Counter()
    for line in view(log, "--folded", "--where", PLAIN).splitlines():
        # What flame graph tools do: the number behind the last space, frames between semicolons, none empty.
        found = re.fullmatch(r"(.+) (\d+)", line)
        assert found and int(found[2]) > 0, line
        assert all(found[1].split(";")), line
        got[found[1]] += int(found[2])
    return differ("folded", got, want)


def check_csv(log, samples, _):
    want = tree_from([s.comm] + s.shown_path() for s in samples if s.comm == "deep")
    got = collections.Counter()
    for row in csv.DictReader(io.StringIO(view(log, "--group-by", "comm,stack", "--csv", "--where", PLAIN))):
        got[(row["comm"], *row["stack"].split(";"))] += int(row["count"])
    return differ("comm,stack as CSV", got, {row: n for row, n in want.items() if len(row) > 1})


def check_has(log, samples, name):
    """Events a filter lets through, in view and in dump."""
    want = sum(any(name in (f.function, f.name) for f in s.frames + s.beneath) for s in samples)
    where = f"event == 'sample' && stack has '{name}'"
    text = json.loads(view(log, "--group-by", "pid", "--where", where, "--json"))
    got = {"view": sum(table["count"] for table in text["tables"])}
    lines = subprocess.run(["wtrace", "dump", log, "--json", "--where", where], check=True, stdout=subprocess.PIPE)
    got["dump"] = lines.stdout.count(b"\n")
    return differ(f"stack has '{name}'", got, {"view": want, "dump": want} if want else {})


def check_status(log, samples, _):
    want = collections.Counter(s.status for s in samples if s.status)
    text = json.loads(view(log, "--group-by", "pid", "--json"))["counted"]["stacks"]
    return differ("stacks by status", text, dict(want))


def main():
    log, dump, checks = sys.argv[1:4]
    samples = read_samples(dump)
    with open(checks, encoding="utf-8") as lines:
        todo = [line.rstrip("\n").split("\t") for line in lines]
    for check, name in todo:
        what, _, rest = check.partition(":")
        try:
            result = "ok\t" + globals()[f"check_{what}"](log, samples, rest)
        except Exception as error:  # one that goes wrong leaves the others
            result = "not ok\t" + repr(error)
        print(f"{name}\t{result}", flush=True)


main()
