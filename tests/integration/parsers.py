#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the parsers of folded.py, demo_compare.py and export_text.sh over generated text, as perf and wtrace print it with
times of 1 to 7 digits of seconds, process ids of 1 to 7 digits, CPUs of 1 to 4, and names with spaces and brackets."""
import importlib.util
import itertools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMMS = ("busy", "Web Content", "kworker/0:1-ev", "a 1", "12 [3] 4", "(sd-pam)", "x [000] 1", "[brackets]", "a;b", "1/2", ":-1", "é")
SECONDS = [int("9876543"[:n]) for n in range(1, 8)] + [0]
PIDS = [int("1234567"[:n]) for n in range(1, 8)]
CPUS = [None, 0, 7, 12, 255, 1023]
EVENTS = ("cpu-clock", "cycles:u", "sched:sched_switch")


def load(path):
    spec = importlib.util.spec_from_file_location("parser", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def heads():
    """(comm, a line as perf script prints it: "%16s %5d/%-5d [%03d] %5lu.%06lu: %10lu %s: ")."""
    for comm, seconds, pid, cpu, event in itertools.product(COMMS, SECONDS, PIDS, CPUS, EVENTS):
        where = "" if cpu is None else "[%03d] " % cpu
        rest = "%s%5d.%06d: " % (where, seconds, pid % 1000000)
        yield comm, "%16s %5d/%-5d %s%10d %s: " % (comm, pid, pid + 1, rest, 1, event)
        yield comm, "%16s %7d %s%10d %20s: " % (comm, pid, rest, 1003009, event)
        yield comm, "%s %d/%d %s%10d %s:" % (comm, pid, pid, rest, 250000, event)
    yield "gone", "            gone    -1/-1    [000]     0.000001:          1 cpu-clock: "


def folded_reads_heads():
    parser = load(os.path.join(HERE, "folded.py"))
    frames = ("\t    55d0c0ffee01 work(int, char const*)+0x12 (/usr/bin/a b (deleted))",
              "\tffffffff81000000 do_idle+0xe ([kernel.kallsyms])", "\t               0 [unknown] ([unknown])")
    n = 0
    for comm, line in heads():
        got = list(parser.from_script([line, *frames, ""]))
        assert len(got) == 1 and got[0][0] == comm and len(got[0][1]) == 3, (line, got)
        n += 1
    return "folded.py: %d lines" % n


def shape_reads_heads():
    """The sed program of export_text.sh, which knows lines with a CPU and both ids."""
    with open(os.path.join(HERE, "export_text.sh"), encoding="utf-8") as file:
        program = re.search(r"^shape\(\) \{ sed -nE '(.*)' \"\$1\"", file.read(), re.M).group(1)
    lines = [line for _, line in heads() if "/" in line and "[" in line and not line.startswith("            gone")]
    lines = [line for line in lines if re.search(r"/\d+ +\[\d+\] ", line)]
    done = subprocess.run(["sed", "-nE", program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True,
                          env=dict(os.environ, LC_ALL="C"))
    got = done.stdout.splitlines()
    assert got == ["head"] * len(lines), [pair for pair in zip(lines, got) if pair[1] != "head"][:3]
    return "export_text.sh: %d lines" % len(lines)


def demo_reads_rows():
    parser = load(os.path.join(HERE, "..", "demo_compare.py"))
    n = 0
    for count, name in itertools.product(PIDS, ("x_mul", "operator new(unsigned long)", "[unknown]", "a|b")):
        with tempfile.TemporaryDirectory() as directory:
            ours, perf = os.path.join(directory, "ours"), os.path.join(directory, "perf")
            with open(ours, "w", encoding="utf-8") as file:
                file.write("%16.2f%*d  %s:python3.11d\n" % (78.31, 7, count, name))
            with open(perf, "w", encoding="utf-8") as file:
                file.write("%6.2f%%|%12d|[.] %s\n" % (78.31, count, name))
            assert list(parser.read_perf(perf).values()) == [count], name
            if count < 1000000:
                assert list(parser.read_wtrace(ours).values()) == [count], (name, count)
        n += 1
    return "demo_compare.py: %d rows" % n


def main():
    for test in (folded_reads_heads, shape_reads_heads, demo_reads_rows):
        print(test())


sys.dont_write_bytecode = True
main()
