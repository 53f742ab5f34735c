#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the callers in a log with the truth that tests/programs/frames.c, or twists.c, wrote.

stack_proof.py LOG TRUTH [PROGRAM]: prints, as JSON, how many samples in the truth's spans there are by status, and how many of
them name another caller than the truth; "deep" counts those in frames of 16 KB and more by status; "shares" has for each caller how many samples of such frames, none left out, name it ("?": they name nobody),
and beside it how many were taken while it ran; "off" is the largest difference of the two in points. "where" shows up to ten stacks that are called proved and are wrong, each with
its frame in KB, its true caller, the ns from the begin of its span and to the span's end, and its frames.
"""
import bisect
import collections
import json
import re
import subprocess
import sys

NEAR = 5000  # ns: the text of perf script has microseconds
CALLERS = {"caller_a": "a", "caller_b": "b", "caller_c": "c"}
SPINNING = {"spin_here", "small_frame", "small_frames"}
# A sample has its period before its event's name; a switch of the thread may come before its first sample.
HEAD = re.compile(r"^(?:frames|twists|liar)\s+\d+/(\d+)\s+\[\d+\]\s+(\d+)\.(\d{6}):\s+\d+ \S")


def spans_of(path):
    """By thread, in order of time: begin, end, caller, KB."""
    spans = collections.defaultdict(list)
    with open(path, encoding="ascii") as f:
        for line in f:
            tid, begin, end, caller, kb = line.split()
            spans[int(tid)].append((int(begin), int(end), caller, int(kb)))
    return {tid: sorted(found) for tid, found in spans.items()}


def samples_of(log, program):
    dump = subprocess.Popen(["wtrace", "dump", log, "--json", "--event", "pmu-profile/sample", "--where",
                             f"process == '{program}'"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in dump.stdout:
        yield json.loads(line)
    if dump.wait():
        sys.exit("dump failed")


def origin_of(log, first):
    """The log's start on the trace's clock: the first sample's time there, less its time from the start."""
    export = subprocess.Popen(["wtrace", "export", log, "--format", "perf-script"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace")
    for line in export.stdout:
        found = HEAD.match(line)
        if found and int(found.group(1)) == first["tid"]:
            export.kill()
            export.wait()
            return (int(found.group(2)) * 10**6 + int(found.group(3))) * 1000 - first["time"]
    sys.exit("no sample in perf-script")


def span_at(spans, time):
    at = bisect.bisect_right(spans, (time, 1 << 62, "", 0)) - 1
    if at < 0:
        return None
    begin, end, _, _ = spans[at]
    return spans[at] if begin + NEAR < time < end - NEAR else None


def main(log, truth, program="frames"):
    spans, origin = spans_of(truth), None
    statuses, wrong, deep = collections.Counter(), collections.Counter(), collections.Counter()
    where, told, true = [], collections.Counter(), collections.Counter()
    for sample in samples_of(log, program):
        if origin is None:
            origin = origin_of(log, sample)
        span = span_at(spans.get(sample["tid"], []), sample["time"] + origin)
        names = [frame.get("function") for frame in sample.get("stack", [])]
        if not span:
            continue
        status = sample["stack_status"]
        named = [CALLERS[name] for name in names if name in CALLERS]
        if span[3] >= 16:
            told[named[0] if named else "?"] += 1
            true[span[2]] += 1
        if SPINNING.isdisjoint(names):
            continue
        statuses[status] += 1
        whole = status in ("complete", "completed", "callers probable")
        if named != [span[2]] * (span[2] != "-") if whole else any(name != span[2] for name in named):
            wrong[status] += 1
            if status in ("complete", "completed") and len(where) < 10:
                time = sample["time"] + origin
                where.append(f"{status}, {span[3]} KB of {span[2]}, {time - span[0]} and {span[1] - time}: "
                             + " ".join(name or "?" for name in names))
        if span[3] >= 16:
            deep[status] += 1
    n = sum(true.values())
    print(json.dumps({
        "statuses": statuses, "wrong": wrong, "where": where, "deep": deep,
        "shares": {caller: [told[caller], true[caller]] for caller in sorted(told.keys() | true.keys())},
        "off": max((100 * abs(told[caller] - true[caller]) / n for caller in true), default=0)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
