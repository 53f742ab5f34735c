#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the paths of pauses with what the threads of the program handoff say that they did.

	pause_truth.py LOG TRUTH PAUSES [DECOY...]

PAUSES pauses are asked for: the rounds of the first thread, and waits of all threads for one another, drawn by chance.
For each the program's own account gives the path: it follows what was got to the one that sent it. Each part of it that
is longer than 50 us is in the path that pause shows: in that thread, and as what it was. To spin is to run or to be
ready; to sleep, and to wait for a timeout, is to be blocked until a timer, or to run or be ready. Time that is unknown is
counted, and proves nothing.

Where wakes were lost, pause says what is probable, and that may be otherwise.

Four things the program cannot know. While one sends, the other may wake before the call returns: that time belongs to
either. One that is about to wait may lose its CPU before it is blocked, most often to the one that it asked: up to then it
is in the path itself, runs for a moment or is ready because it was preempted. A call or a page fault may wait for a lock
that a thread of the kernel's own holds; then that one is in the path. And what is sent to the own machine by TCP is
delivered by the sender's own call, but on a busy machine by an interrupt or a thread of the kernel: then pause says that
it waited for the network. The last three are little of all time.
"""
import bisect
import collections
import json
import random
import subprocess
import sys

LEAST = 50000
PF_KTHREAD = 0x200000
log, truth, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
decoys = {int(word) for word in sys.argv[4:]}
STATES = ["running", "ready", "blocked", "unknown"]

Op = collections.namedtuple("Op", "begin end what key")
Sent = collections.namedtuple("Sent", "tid begin end")
# What the truth says of a time: the threads whose it is, what they do, and who waits meanwhile, as (thread, since when,
# for what comes by TCP).
Part = collections.namedtuple("Part", "begin end tids what waiters")


def pauses(tid, *words):
    out = subprocess.run(["wtrace", "pause", log, "--thread", str(tid), "--json", *words], check=True, capture_output=True)
    return json.loads(out.stdout)["pauses"]


def read(path):
    histories, sent, rounds = collections.defaultdict(list), {}, []
    for line in open(path):
        words = line.split()
        kind, tid, begin, end = words[0], int(words[1]), int(words[-2]), int(words[-1])
        if kind == "pause":
            rounds.append((tid, begin, end))
            continue
        key = (words[2], int(words[3])) if kind in ("sent", "got") else None
        if kind == "sent":
            assert key not in sent, line
            sent[key] = Sent(tid, begin, end)
        histories[tid].append(Op(begin, end, words[2] if kind == "did" else kind, key))
    for ops in histories.values():
        ops.sort()
    return histories, sent, rounds


histories, sent, rounds = read(truth)


def path(tid, low, at, waiters):
    """Parts of the path of the thread in [low, at), from the last to the first."""
    ops = histories[tid]
    while at > low:
        i = bisect.bisect_left(ops, (at,)) - 1
        begin = max(low, ops[i].begin if i >= 0 else low)
        if i < 0 or (0 < ops[i].end < at):
            begin = max(low, ops[i].end if i >= 0 else low)
            yield Part(begin, at, {tid}, "spin", waiters)
        elif ops[i].what == "got":
            yield from path_of_wait(tid, ops[i], begin, at, waiters)
        else:
            yield Part(begin, at, {tid}, ops[i].what, waiters)
        at = begin


def path_of_wait(tid, op, begin, at, waiters):
    by = sent[op.key]
    end = by.end or op.end
    if end <= op.begin:
        yield Part(begin, at, {tid}, "spin", waiters)
    elif by.begin <= op.begin:
        yield Part(begin, at, {tid, by.tid}, "either", waiters)
    else:
        if max(begin, end) < at:
            yield Part(max(begin, end), at, {tid}, "woken", waiters)
        if max(begin, by.begin) < min(end, at):
            yield Part(max(begin, by.begin), min(end, at), {tid, by.tid}, "either", waiters)
        if begin < min(by.begin, at):
            yield from path(by.tid, begin, min(by.begin, at), waiters + [(tid, op.begin, op.key[0].endswith("t"))])


def is_of_kernel(tid):
    """A thread of the kernel's own, which may hold a lock of the kernel."""
    try:
        with open(f"/proc/{tid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rsplit(")", 1)[1].split()[6]) & PF_KTHREAD != 0
    except OSError:
        return False


def is_right(segment, part):
    if part.what == "again":
        return True
    state = segment["state"]
    if segment["tid"] not in part.tids:
        # What is sent by TCP may be delivered by a thread of the kernel.
        return part.what in ("woken", "either") and (segment["name"] or "").startswith("ksoftirqd/")
    if part.what == "either" or state in ("running", "ready"):
        return True
    return part.what in ("sleep", "timeout") and segment["cause"] == "timer"


def is_asking(segments, i, waiters):
    """The thread of the segment is one of those, about to wait: neither it nor who waits for it has been blocked since."""
    for outer, (tid, since, _) in enumerate(waiters):
        if segments[i][2]["tid"] == tid and all(
                segment["state"] == "unknown" or
                (segment["tid"] == tid and
                 (segment["state"] == "running" or (segment["state"] == "ready" and segment["ready_by"] == "preempted"))) or
                (segment["tid"] != tid and is_asking(segments, k, waiters[:outer]))
                for k, (_, end, segment) in enumerate(segments[: i + 1]) if end > since):
            return True
    return False


def is_delivered(segment, waiters):
    """What came by TCP was delivered by an interrupt or by a thread of the kernel: the log does not tell who sent it."""
    return segment["cause"] == "network" and (segment["tid"], True) in [(tid, tcp) for tid, _, tcp in waiters]


sums = collections.Counter()
wrong = []


def compare(tid, begin, end):
    pause, = pauses(tid, "--from", f"{begin - origin}ns", "--to", f"{end - origin}ns")
    segments = [(begin + s["from_ns"], begin + s["from_ns"] + s["length_ns"], s) for s in pause["segments"]]
    assert segments[0][0] == begin and segments[-1][1] == end, "the path fills the pause"
    assert all(a[1] == b[0] for a, b in zip(segments, segments[1:])), "without gaps"
    for state in STATES:
        assert pause["path_ns"][state] == sum(s["length_ns"] for _, _, s in segments if s["state"] == state), state
    assert sum(pause["itself_ns"].values()) == end - begin, "what it did itself adds up"
    assert sum(row["length_ns"] for row in pause["blame"]) == end - begin, "blame adds up"
    assert sum(row["share_of_10000"] for row in pause["blame"]) == 10000, "to 100 %"
    assert not [s for _, _, s in segments if s["tid"] in decoys], "a decoy is blamed"
    sums["pauses"] += 1
    ends = [segment[1] for segment in segments]
    at = end
    for part in path(tid, begin, end, []):
        length = part.end - part.begin
        assert part.end == at and length > 0, "the account has no gaps"
        at = part.begin
        if length < LEAST:
            sums["ns in shorter parts"] += length
            continue
        sums["parts"] += 1
        for i in range(bisect.bisect_right(ends, part.begin), len(segments)):
            since, until, segment = max(segments[i][0], part.begin), min(segments[i][1], part.end), segments[i][2]
            if since >= until:
                break
            if segment["state"] == "unknown":
                sums["ns unknown"] += until - since
            elif segment.get("probable") and not is_right(segment, part):
                sums["ns probable, and not so"] += until - since
            elif is_right(segment, part):
                sums["ns right"] += until - since
            elif is_asking(segments, i, part.waiters):
                sums["ns in one that was about to wait"] += until - since
            elif is_delivered(segment, part.waiters):
                sums["ns until the network"] += until - since
            elif segment["tid"] not in histories and is_of_kernel(segment["tid"]):
                sums["ns in threads of the kernel"] += until - since
            else:
                sums["ns wrong"] += until - since
                wrong.append((tid, begin, end, part, since, until, segment))
    assert at == begin, "the account fills the pause"


waits = [(tid, op.begin, op.end) for tid, ops in histories.items() for op in ops
         if op.what == "got" and op.end - op.begin >= LEAST and op.begin >= rounds[0][1]]
random.Random(truth).shuffle(waits)
waits = waits[: max(0, wanted - len(rounds))]
assert len(rounds) + len(waits) >= wanted, "the program made fewer pauses"
first = pauses(rounds[0][0])[0]
origin = first["from_raw_ns"] - first["from_ns"]
for one in rounds[:wanted] + waits:
    compare(*one)
for one in wrong[:10]:
    print("wrong:", *one)
print(json.dumps(sums))
assert not wrong, f"{len(wrong)} differ from what the program did"
assert sums["parts"] >= wanted and sums["ns right"] > 0, "little is compared"
