#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that know their own names, and whether a log has them right. Run by true_names.sh in its directory.

run SEED TRUTH       starts every program of every kind, does something to its file, writes down what was done
files TRUTH DUMP     compares the samples of these programs with it
replace TRUTH        puts other files at all their paths
reuse DUMP           compares each event and sample of libraries that take turns with what the program said
"""
import collections
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

KINDS = ("none", "own", "same")
# What is done to the file, when, and whether the names must be there all the same.
ACTIONS = {
    "stays": ("after", KINDS),
    "renamed over": ("within", ()),
    "renamed over later": ("after", ()),
    "written over": ("after", ()),
    "written over, its time set back": ("after", ()),
    "cut and written anew": ("after", ()),
    "another hard link": ("after", ()),
    "a link to another directory": ("after", ()),
    "another file bound over it": ("before", ()),
    "removed": ("after", ()),
    "its directory exchanged": ("after", ()),
    "linked": ("after", ()),  # as soon as it has ended, maybe before the recorder has seen the file
    "mode changed": ("within", ()),
}
REST = 0.1  # a file whose last change is so old is at rest for any file system's clock


def at_rest(path):
    """Waits until the file's change lies behind us for certain."""
    while time.time() < os.stat(path).st_ctime + REST:
        time.sleep(0.01)


def do(action, directory, path, other):
    spare = directory + ".spare"
    if action == "renamed over" or action == "renamed over later":
        os.rename(spare + "/prog", path)
    elif action.startswith("written over"):
        old = os.stat(path)
        with open(other, "rb") as source, open(path, "r+b") as target:
            target.write(source.read())
            target.truncate()
        if action != "written over":
            os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    elif action == "cut and written anew":
        shutil.copyfile(other, path)
    elif action == "another hard link":
        os.link(spare + "/prog", path + ".link")
        os.rename(path + ".link", path)
    elif action == "a link to another directory":
        os.rename(directory, directory + ".old")
        os.symlink(spare, directory)
    elif action == "removed":
        os.unlink(path)
    elif action == "its directory exchanged":
        os.rename(directory, directory + ".old")
        os.rename(spare, directory)
    elif action == "linked":
        os.link(path, path + ".link")
    elif action == "mode changed":
        os.chmod(path, 0o711)


def one(number, kind, action, k):
    """Runs variant k of a kind; returns what is true of it."""
    directory = os.path.abspath("files.%d" % number)
    path, other = directory + "/prog", "%s.%d" % (kind, (k + 1) % 4)
    when, named = ACTIONS[action]
    os.makedirs(directory)
    os.makedirs(directory + ".spare")
    shutil.copy("%s.%d" % (kind, k), path)
    shutil.copy(other, directory + ".spare/prog")
    at_rest(directory + ".spare/prog")
    command = [path]
    if when == "before":
        command = ["unshare", "-m", "sh", "-c", 'mount --bind "$2" "$1" && exec "$1"', "sh", path, directory + ".spare/prog"]
        k = (k + 1) % 4
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        if program.stdout.readline() != "half\n":
            sys.exit("%s did not do its work" % path)
        if when == "within":
            do(action, directory, path, other)
        program.stdin.write("on\n")
        program.stdin.close()
        if program.wait():
            sys.exit("%s failed" % path)
    if when == "after":
        do(action, directory, path, other)
    return {"pid": program.pid, "path": path, "other": other, "k": k, "kind": kind, "action": action,
            "named": kind in named}


def run(seed, truth):
    chance = random.Random(int(seed))
    cases = [(kind, action) for kind in KINDS for action in ACTIONS]
    chance.shuffle(cases)
    base = int(seed) * 1000
    rows = [one(base + i, kind, action, chance.randrange(4)) for i, (kind, action) in enumerate(cases)]
    with open(truth, "w", encoding="ascii") as file:
        json.dump(rows, file)


def replace(truth):
    with open(truth, encoding="ascii") as file:
        rows = json.load(file)
    for row in rows:
        if os.path.isdir(os.path.dirname(row["path"])):
            shutil.copy(row["other"], row["path"] + ".next")
            os.rename(row["path"] + ".next", row["path"])


def events(dump):
    with open(dump, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            yield json.loads(line)


@functools.lru_cache(None)
def stubs(path):
    """The parts of a file that hold code without symbols: (offset, end) of its sections .plt and the like."""
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    found = re.findall(r" \.(?:plt\S*|init|fini) +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", text)
    return [(int(offset, 16), int(offset, 16) + int(size, 16)) for offset, size in found]


def is_stub(path, frame):
    """True for code that has no symbol in the file."""
    return frame.get("unresolved") == "no symbol there" and any(a <= frame["offset"] < b for a, b in stubs(path))


def files(truth, dump):
    with open(truth, encoding="ascii") as file:
        rows = {row["pid"]: row for row in json.load(file)}
    seen, wrong, lacking = collections.Counter(), collections.Counter(), collections.Counter()
    why, lost = collections.Counter(), collections.Counter()
    for event in events(dump):
        if event["event"] == "lost":
            lost[event["fields"]["provider"] + ", " + event["fields"]["cause_text"]] += 1
            continue
        row = rows.get(event["pid"])
        for frame in event.get("stack", []) if row else []:
            name = frame.get("function", "")
            work = re.fullmatch(r"work_(\d+)", name)
            if frame["module"].split(" (deleted)")[0] != row["path"]:
                continue
            seen[event["pid"]] += 1
            if work and int(work.group(1)) != row["k"]:
                wrong[event["pid"]] += 1
            if "function" not in frame and not is_stub(row["path"], frame):
                lacking[event["pid"]] += 1
                where = " at %#x, in a stack that is %s" % (frame["offset"], event.get("stack_status")) if row["named"] else ""
                why[row["kind"], row["action"], frame.get("unresolved", "?") + where] += 1
    bad = 0
    for pid, row in rows.items():
        verdict = ""
        if wrong[pid]:
            verdict = "%d WRONG" % wrong[pid]
        elif lost:
            continue
        elif row["named"] and lacking[pid]:
            verdict = "%d WITHOUT NAME" % lacking[pid]
        elif row["named"] and not seen[pid]:
            verdict = "NOT SAMPLED"
        bad += bool(verdict)
        if verdict:
            print("%s, %s: %s of %d" % (row["kind"], row["action"], verdict, seen[pid]))
    for (kind, action, reason), n in sorted(why.items()):
        print("%s, %s: %d without a name: %s" % (kind, action, n, reason))
    for cause, n in lost.items():
        print("lost: %s, %d times" % (cause, n))
    print("%d programs, %d frames, %d wrong" % (len(rows), sum(seen.values()), sum(wrong.values())))
    return bad


def reuse(dump):
    """The library in force is what the last `begin` of the thread says, until its `end`; `say` tells its own."""
    inside, counts, bad, nameless = {}, collections.Counter(), 0, False
    lost = False
    for event in events(dump):
        thread, name = (event["pid"], event["tid"]), event["event"]
        if name == "lost":
            lost = True
            continue
        if name == "begin":
            inside[thread] = event["fields"]["n"]
            continue
        if name == "end":
            inside.pop(thread, None)
            continue
        n = event["fields"]["n"] if name == "say" else inside.get(thread)
        if n is None:
            continue
        libraries = set()
        for frame in event.get("stack", []):
            for text in (frame.get("function", ""), frame["module"].rsplit("/", 1)[-1]):
                found = re.fullmatch(r"(?:call_|lib)(\d+)(?:\.so)?", text)
                libraries |= {int(found.group(1))} if found else set()
        what = "event" if name == "say" else "sample"
        cut = len(event.get("stack", [])) < 2
        counts[what] += 1
        counts[what + " cut"] += cut and not libraries
        if libraries - {n}:
            counts[what + " WRONG"] += 1
            bad += 1
        elif name == "say" and not cut and not libraries:
            counts[what + " NAMELESS"] += 1
            nameless = True
    print(", ".join("%s %d" % pair for pair in sorted(counts.items())))
    if not lost and (nameless or not counts["event"]):
        print("NAMES OR EVENTS ARE MISSING, AND NONE WAS LOST")
        return 1
    return bad


def main():
    command = {"run": run, "files": files, "replace": replace, "reuse": reuse}[sys.argv[1]]
    sys.exit(1 if command(*sys.argv[2:]) else 0)


main()
