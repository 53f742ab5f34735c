#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""folded.py json|script [--functions] [--comm NAME] <INPUT: folded stacks, sorted, from samples in the JSON of dump or in the text
of perf script (wtrace's or perf's own). --functions: names of functions alone, no modules. --leaf: the innermost alone."""
import collections
import json
import os
import re
import sys

FRAME = re.compile(r"^\s+[0-9a-f]+ (.*) \(([^()]*(?: \(deleted\))?)\)$")
# "comm pid/tid [cpu] seconds: period event:", each padded to a width of its own. Names may hold what looks like the rest: the
# last place where the rest fits is it.
HEAD = re.compile(r"^\s*(\S(?:.*\S)?)\s+-?\d+(?:/-?\d+)?\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+(?:\d+\s+)?(\S+?):")


def joined(name):
    """A name as lines have it that join names and end with a number."""
    return re.sub(r"^ +| (?=[0-9./]+(?: |$))", lambda m: "_" * len(m.group()), name.replace(";", ":"))


def label(function, module):
    if "--functions" in sys.argv:  # perf script says (inlined) in place of the module, and export has no " (" in names
        return function.removesuffix(" (inlined)").replace(" (", "_(")
    module = module if module.startswith("[") else os.path.basename(module)
    if module == "[unknown]":
        return module
    return "%s:%s" % (function, module) if function != module else function


def from_json(lines):
    for line in lines:
        event = json.loads(line)
        if event["event"] != "sample" or event["provider"] != "pmu-profile":
            continue
        frames = [label(f.get("function", "[unresolved]"), f["module"]) for f in event.get("stack", [])]
        if event.get("recorder") and "--recorder" in sys.argv:
            yield "[wtrace recorder]", ["[wtrace recorder]"]
        else:
            yield event["thread" if "--thread" in sys.argv else "process"], frames


def from_script(lines):
    comm, frames = None, []
    for line in lines:
        head, frame = HEAD.match(line), FRAME.match(line)
        if frame and comm is not None:
            name = re.sub(r"\+0x[0-9a-f]+$", "", frame.group(1))
            name = "[unresolved]" if name == "[unknown]" else name
            frames.append(label(name, "[kernel]" if frame.group(2) == "[kernel.kallsyms]" else frame.group(2)))
        elif head:
            comm, frames = head.group(1), []
        elif not line.strip() and comm is not None:
            yield comm, frames
            comm = None


def main():
    lines = (line.decode("utf-8", "replace").rstrip("\n") for line in sys.stdin.buffer)
    wanted = sys.argv[sys.argv.index("--comm") + 1] if "--comm" in sys.argv else None
    counts = collections.Counter()
    for comm, frames in (from_json if sys.argv[1] == "json" else from_script)(lines):
        if wanted is None or comm == wanted:
            frames = frames[:1] if "--leaf" in sys.argv else frames
            # Addresses in a row that belong to nothing are one frame.
            frames = [f for i, f in enumerate(frames) if f != "[unknown]" or i == 0 or frames[i - 1] != f]
            counts[";".join(joined(name) for name in [comm] + frames[::-1])] += 1
    for stack, n in sorted(counts.items()):
        print(stack, n)


if __name__ == "__main__":
    main()
