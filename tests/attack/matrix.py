#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kinds of programs x limits and sandboxes x three ways: not linked with the library, linked, linked and traced.

    matrix.py DIRECTORY-OF-PROGRAMS [--whole] [--seed N] [--kind K] [--limit L] [--known]

The three must have the same exit code and output, in time; and what a traced program wrote is in the session's log or
counted there as lost. Where the library could not register it says why, and the events are not countable.
Runs as root in a mount namespace of its own (matrix.sh), whose /dev/shm it replaces. Prints a test point per pair.
"""
import argparse
import fnmatch
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from limits import KNOWN, KNOWN_OF_BUILD, LIMITS, UNASKED, UNCOUNTED, allowed, among, known_of_build  # noqa: E402

COUNT_FD = 200
KINDS = 40  # of programs, at least
NOT_STARTED = (98, 99, 125, 126, 127)  # exit codes of what leads to a program
PATIENCE = 60  # seconds until a program counts as hanging
SHM = "/dev/shm"
FILLER = f"{SHM}/filler"


class Pair:
    """A kind of program under a limit, in one build."""

    def __init__(self, number, kind, limit, build):
        self.number, self.kind, self.limit, self.build = number, kind, limit, build
        self.results = {}
        self.counts = None  # of the traced run

    def __str__(self):
        return f"{self.kind[1]} ({self.build}) under {self.limit.name}"

    def program(self, directory, linked):
        builds = {"dynamic": "", "static": "static_", "musl": "musl_"}
        return f"{directory}/{builds[self.build]}{'' if linked else 'no_'}{self.kind[0]}"


class Counts:
    def __init__(self, data):
        self.produced, self.linked, self.registered, self.ready, _ = struct.unpack_from("<QIIII", data)
        self.why = data[24:280].split(b"\0")[0].decode("utf-8", "replace")


class Run:
    """One start of a program, with its output and its counts."""

    def __init__(self, pair, directory, linked):
        limit = pair.limit
        inner = [pair.program(directory, linked), pair.kind[1], str(pair.number), limit.sandbox]
        command = [*limit.around, f"{directory}/limited", *limit.words, *limit.inside, *inner]
        if limit.late:
            command.append("late")
        self.late = limit.late
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "LD_LIBRARY_PATH": f"{directory}/../../sdk", "WT_PLUGIN": f"{directory}/sdk_plugin.so" if linked else "", **limit.env}
        if {"nproc=0", "nproc=1"} & set(limit.words):
            wait_until(lambda: not lives(limit.words))
        self.file = os.fdopen(os.memfd_create("counts"), "r+b")
        self.file.truncate(4096)
        os.dup2(self.file.fileno(), COUNT_FD, inheritable=True)
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      close_fds=False, env=env, start_new_session=True, cwd="/")
        os.close(COUNT_FD)

    def end(self):
        try:
            out, err = self.child.communicate(b"g" if self.late else b"", timeout=PATIENCE)
            code = self.child.returncode
        except subprocess.TimeoutExpired:
            code, out, err = "no end", b"", b""
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if code == "no end":
            self.child.communicate()
        return (code, plain(out), plain(err)), self.counts()

    def counts(self):
        return Counts(os.pread(self.file.fileno(), 4096, 0))


def plain(text):
    """What two runs may differ in: process ids in valgrind's lines, the names of programs and of missing libraries."""
    text = re.sub(r"==\d+==", "==", text.decode("utf-8", "replace"))
    return re.sub(r"(?m)^\S+: error while loading shared libraries: .*$", "not loaded", text)


def command(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


class Place:
    """/dev/shm as a group of pairs finds it."""

    def __init__(self, name):
        self.name = name
        options = "size=32m,mode=1777" + (",nr_inodes=60" if name == "inodes" else "") if name != "common" else "mode=1777"
        command("mount", "-t", "tmpfs", "-o", options, "none", SHM).check_returncode()

    def press(self):
        """Leaves as much room as the place's name says."""
        if self.name.startswith("full"):
            room = int(self.name[4:]) * os.sysconf("SC_PAGESIZE")
            with open(FILLER, "ab") as f:
                size = os.fstat(f.fileno()).st_size
                free = os.statvfs(SHM)
                wanted = size + free.f_bavail * free.f_frsize - room
                if wanted > size:
                    os.posix_fallocate(f.fileno(), 0, wanted)
                else:
                    f.truncate(max(wanted, 0))
        elif self.name == "inodes":
            n = 0
            try:
                while True:
                    os.close(os.open(f"{SHM}/inode{n}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                    n += 1
            except OSError:
                pass

    def release(self):
        for name in os.listdir(SHM):
            if name.startswith(("filler", "inode")):
                os.unlink(f"{SHM}/{name}")

    def leave(self):
        command("umount", "-l", SHM)


class Session:
    def __init__(self, name, rule):
        self.name, self.log = name, os.path.abspath(f"{name}.etl")
        self.problem = ""
        done = command("wtrace", "start", "-q", "-s", name, "-p", f"sdk-kinds{rule},sdk-plugin{rule}", "--buffer-size", "1M")
        if done.returncode:
            self.problem = f"start: {done.stderr.strip()}"

    def stop(self):
        """Written events of each pair, and {produced, written, lost} of the provider."""
        done = command("wtrace", "stop", "-s", self.name, "-o", self.log, "--force", "--json")
        # Where no program could register, the end says so; what that costs is judged by the counts.
        if done.returncode and "no program registered provider" not in done.stderr and not self.problem:
            self.problem = f"stop: exit {done.returncode}: {done.stderr.strip()[-300:]}"
        written, counted = {}, {"produced": 0, "written": 0, "lost": 0}
        records = 0  # of state, which are the provider's events, too, as often as the session copied them
        done = command("wtrace", "dump", self.log, "--json")
        if done.returncode and not self.problem:
            self.problem = f"dump: exit {done.returncode}: {done.stderr.strip()[-300:]}"
        for line in done.stdout.splitlines():
            event = json.loads(line)
            fields = event["fields"]
            if event["event"] == "counted" and fields.get("provider") == "sdk-kinds":
                for key in counted:
                    counted[key] += fields[key]
            elif event["provider"] == "sdk-kinds" and "case" in fields:
                written[fields["case"]] = written.get(fields["case"], 0) + 1
            records += event["provider"] == "sdk-kinds" and event["event"] == "state"
        counted["produced"] -= records
        counted["written"] -= records
        return written, counted


class Suite:
    def __init__(self, directory):
        self.directory, self.points, self.bad, self.sessions = directory, 0, 0, 0
        self.exact = self.short = self.uncountable = 0
        self.reasons = {}

    def point(self, good, name, why=""):
        self.points += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.points} - {name}" + ("" if good else f" - {why}"), flush=True)

    def run(self, pairs, place, way):
        for pair in pairs:
            if way == "traced" and pair.limit.late:
                continue
            place.press()
            pair.results[way], pair.counts = begun(lambda pair=pair: Run(pair, self.directory, way != "not linked").end())

    def traced(self, pairs, place):
        """Those that are to meet the session late are there before it."""
        late = [(p, Run(p, self.directory, True)) for p in pairs if p.limit.late]
        for _, run in late:
            wait_until(lambda run=run: run.counts().ready or run.child.poll() is not None)
        self.sessions += 1
        # Every other one wants stacks, the first too, which has most of the pairs.
        stacks = self.sessions % 2 and not any(p.limit.name in UNASKED for p in pairs)
        session = Session(f"m{os.getpid()}-{self.sessions}", ":::stack" if stacks else "")
        for pair, run in late:
            pair.results["traced"], pair.counts = run.end()
        self.run(pairs, place, "traced")
        place.release()
        written, counted = session.stop()
        return session, written, counted

    def group(self, name, pairs):
        place = Place(name)
        self.run(pairs, place, "not linked")
        self.run(pairs, place, "linked")
        place.release()
        session, written, counted = self.traced(pairs, place)
        place.leave()
        for pair in pairs:
            self.compare(pair)
        self.account(name, session, pairs, written, counted)

    def compare(self, pair):
        wanted = pair.results["not linked"]
        wrong = [f"{way}: {show(got)}" for way, got in pair.results.items() if got != wanted]
        if wanted[0] == "no end":
            wrong.append("no end")
        if wanted[0] in NOT_STARTED and "not loaded" not in wanted[2]:
            wrong.append("it did not start")
        self.point(not wrong, str(pair), f"not linked: {show(wanted)}; " + "; ".join(wrong))

    def account(self, name, session, pairs, written, counted):
        """written + lost = produced over the session; what did not register said why."""
        sure, unsure, short = 0, 0, []
        for pair in pairs:
            counts, got = pair.counts, written.get(pair.number, 0)
            if not counts.linked:
                continue
            if not counts.registered:
                self.uncountable += 1
                why = re.sub(r"\d+", "N", counts.why) or "it ended while it registered"
                self.reasons[why] = self.reasons.get(why, 0) + 1
                sure += got
                continue
            self.exact += got == counts.produced
            self.short += got < counts.produced
            if got != counts.produced:
                short.append(f"{pair}: {got} of {counts.produced} written")
            if among(UNCOUNTED, pair.kind[1], pair.limit):
                sure, unsure = sure + got, unsure + counts.produced - got
            else:
                sure += counts.produced
        total = sum(written.values())
        good = not session.problem and sure <= counted["produced"] <= sure + unsure
        good = good and counted["written"] == total and counted["produced"] == total + counted["lost"]
        self.point(good, f"{name}: written + lost = produced", f"{session.problem}; log: {counted}; programs: {sure}"
                   f"{f' to {sure + unsure}' if unsure else ''}; in the log: {total}; " + "; ".join(short[:20]))


def wait_until(done):
    deadline = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)


def begun(run):
    """Runs, again where the exec failed for a process of that user id that had ended: the kernel counts it until a moment
    after it has left /proc."""
    for _ in range(20):
        result, counts = run()
        if result[0] != 99 or "temporarily unavailable" not in result[2]:
            break
    return result, counts


def lives(words):
    """Is there a process of the user id that words name? One that is ending counts too."""
    ids = [int(w[4:]) for w in words if w.startswith("uid=")]
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{pid}").st_uid in ids:
                return True
        except OSError:
            pass
    return False


def show(result):
    code, out, err = result
    return f"{code} {out[-80:]!r} {err[-160:]!r}"


# Pairs that no draw leaves out: the program cannot see root's rows any more when it needs them for the first time; it cannot
# ask where what it has opened is; its signal handlers write events while it looks for root's rows.
ALWAYS = {("user_namespace", "a session later"), ("landlocked", "a session later"), ("numbers", "no /proc"),
          ("rain_of_events", "a session later")}


def draw(kinds, seed, options):
    """All pairs, or --pairs of them in which each kind and each limit is: the same ones for a seed."""
    chance = random.Random(seed)
    limits = [l for l in LIMITS if not options.limit or any(fnmatch.fnmatch(l.name, p) for p in options.limit)]
    kinds = [k for k in kinds if not options.kind or k[1] in options.kind]
    valid = [(k, l) for k in kinds for l in limits if allowed(k[1], l)]
    if options.whole or options.kind or options.limit:
        chosen = valid
    else:
        chosen = [(k, l) for k, l in valid if (k[1], l.name) in ALWAYS]
        shuffled = chance.sample(valid, len(valid))
        for new in (lambda k, l: k not in {c[0] for c in chosen}, lambda k, l: l not in {c[1] for c in chosen},
                    lambda k, l: (k, l) not in chosen):
            for kind, limit in shuffled:
                if len(chosen) < options.pairs and new(kind, limit):
                    chosen.append((kind, limit))
    pairs = []
    for kind, limit in chosen:
        for build in builds_of(kind, limit, chance, options.whole):
            pairs.append(Pair(len(pairs) + 1, kind, limit, build))
    return pairs


def builds_of(kind, limit, chance, every):
    can = [b for b in limit.builds if b in kind[2] and not known_of_build(kind[1], limit, b)]
    return can if every else [chance.choice(can)] if can else []


def find_kinds(directory):
    """(program, kind, builds) of all kinds there are."""
    found = {}
    for program in ("sdk_kinds", "sdk_processes", "sdk_odd", "sdk_malloc"):
        for build, prefix in (("dynamic", ""), ("static", "static_"), ("musl", "musl_")):
            for name in command(f"{directory}/{prefix}{program}").stdout.split():
                found.setdefault((program, name), []).append(build)
    return [(program, name, tuple(builds)) for (program, name), builds in found.items()]


def groups(pairs):
    """Those that one session serves: 200, of them 30 that wait for it with all their descriptors."""
    group = []
    for pair in pairs:
        group.append(pair)
        if len(group) == 200 or sum(p.limit.late for p in group) == 30:
            yield group
            group = []
    if group:
        yield group


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--pairs", type=int, default=600)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--limit", action="append")
    parser.add_argument("--known", action="store_true", help="what is known to fall short, too, and judged")
    parser.add_argument("--counted", action="store_true", help="losses that are known not to be counted, too, are judged")
    options = parser.parse_args()
    if options.known:
        KNOWN.clear()
        KNOWN_OF_BUILD.clear()
    if options.known or options.counted:
        UNCOUNTED.clear()
    kinds = find_kinds(options.directory)
    pairs = draw(kinds, options.seed, options)
    print(f"# {len(pairs)} pairs, {len({p.kind[1] for p in pairs})} kinds, {len({p.limit.name for p in pairs})} limits, "
          f"seed {options.seed}{', all there are' if options.whole else ''}", flush=True)
    for kind, limit, why in KNOWN:
        print(f"# known to fall short, left out: {kind} under {limit}: {why}")
    for kind, limit, build, why in KNOWN_OF_BUILD:
        print(f"# known to fall short, left out: {kind} ({build}) under {limit}: {why}")
    for kind, limit, why in UNCOUNTED:
        print(f"# known to fall short, losses not counted: {kind} under {limit}: {why}")
    suite = Suite(options.directory)
    n = len({kind[1] for kind in kinds})
    suite.point(n >= KINDS, f"there are {KINDS} kinds of programs and more", f"{n}")
    for place in sorted({p.limit.place for p in pairs}):
        for unasked in (False, True):
            for group in groups([p for p in pairs if p.limit.place == place and (p.limit.name in UNASKED) == unasked]):
                suite.group(place, group)
    print(f"# events of a traced program: all in the log in {suite.exact} pairs, lost in {suite.short}, "
          f"not countable in {suite.uncountable}")
    for why, n in sorted(suite.reasons.items()):
        print(f"# not countable, {n} pairs: {why}")
    print(f"1..{suite.points}")
    return 1 if suite.bad else 0


if __name__ == "__main__":
    sys.exit(main())
