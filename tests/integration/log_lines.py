#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""log_lines.py [--no-stacks] [--drop-notices] [--comm NAME] [--provider NAME] LOG...

Prints the events of logs, sorted, one line each, by nothing but the decoder written from LOGFORMAT.md: time on the session
clock, CPU, who by name and identity, fields, and the stack with the symbols in the file. No id is left in a line, so that
equal lines mean equal events whatever segment and row they came from. Damage is an error."""
import argparse
import os
import re
import subprocess
import sys

DECODER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../refdecoder/wtl_decode.py")
EVENT = re.compile(r"^(\d+) cpu (-?\d+) segment (\d+) thread (\d+) stack (\d+) self (\d) (.*)$", re.S)
ROW = re.compile(r"^(process|thread|image|frame|stack) (\d+): (.*)$", re.S)


def number_after(word, text):
    return int(re.search(r"\b%s (-?\d+)" % word, text).group(1))


class Segment:
    def __init__(self):
        self.rows = {"process": {}, "thread": {}, "image": {}, "frame": {}, "stack": {}}
        self.stacks = {}

    def process(self, thread):
        return self.rows["process"].get(number_after("process", self.rows["thread"][thread]), "")

    def who(self, thread):
        return re.sub(r"^process \d+ ", "", self.rows["thread"][thread]) + " of " + self.process(thread)

    def frame(self, number):
        text = self.rows["frame"][number]
        image = self.rows["image"].get(number_after("image", text), "")
        return re.sub(r"^image \d+ ", "", text) + " in " + image

    def stack(self, number):
        if number and number not in self.stacks:
            text = self.rows["stack"][number]
            caller = number_after("caller", text)
            line = "%s kernel %d" % (self.frame(number_after("frame", text)), number_after("kernel", text))
            self.stacks[number] = line + (" < " + self.stack(caller) if caller else "")
        return self.stacks.get(number, "")

    def status(self, number):
        return number_after("status", self.rows["stack"][number]) if number else 0


def lines_of(path, args):
    output = subprocess.run([sys.executable, DECODER, path], check=True, stdout=subprocess.PIPE).stdout
    segments, segment, ret = {}, None, []
    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        row, event = ROW.match(line), EVENT.match(line)
        if line.startswith("segment "):
            segment = segments.setdefault(int(line.split()[1]), Segment())
        elif row:
            segment.rows[row.group(1)][int(row.group(2))] = row.group(3)
        elif line.startswith("damage"):
            sys.exit("%s: %s" % (path, line))
        elif event:
            time, cpu, number, thread, stack, own = (int(g) for g in event.groups()[:6])
            at, what = segments[number], event.group(7)
            notice = what.startswith("wtrace:") and not what.startswith("wtrace:mark")
            if args.drop_notices and notice:
                continue
            if not notice and not passes(at, thread, what, args):
                continue
            text = "%020d cpu %d self %d %s | %s" % (time, cpu, own, what, at.who(thread))
            if not args.no_stacks:
                text += " | status %d %s" % (at.status(stack), at.stack(stack))
            ret.append(text)
    return ret


def passes(segment, thread, what, args):
    if args.comm and not re.search(r" name %s exe " % re.escape(args.comm), segment.process(thread)):
        return False
    return not args.provider or what.startswith(args.provider + ":")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-stacks", action="store_true")
    parser.add_argument("--drop-notices", action="store_true")
    parser.add_argument("--comm")
    parser.add_argument("--provider")
    parser.add_argument("logs", nargs="+")
    args = parser.parse_args()
    for line in sorted(line for path in args.logs for line in lines_of(path, args)):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape") + b"\n")


if __name__ == "__main__":
    main()
