#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo_compare.py NAME WTRACE_TABLE PERF_TABLE FOLDED SHARE: do the two profiles of one run agree?

At least 5,000 samples in both; x_mul first in both; each function of 1 % and more in perf's table is in ours, and its
share differs by at most 2 percentage points, or what chance makes of so few samples. Prints test points. One function may
have several names at one address (pthread_self, __GI___pthread_self): names count as equal without __GI_ and leading
underscores, and memcpy is memmove. Addresses without a symbol are one row in both. FOLDED has the stacks that end in x_mul: SHARE percent of them begin where the program does.
"""
import math
import re
import sys

MIN_SAMPLES = 5000
MIN_SHARE = 1.0
MAX_DIFFERENCE = 2.0
SIGMAS = 4


def add(counts, name, count):
    unnamed = re.match(r"^(0x[0-9a-f]+$|\[unresolved\]|\[unknown\])", name)
    plain = "[unresolved]" if unnamed else re.sub(r"^memcpy", "memmove", re.sub(r"^(__GI_)?_*", "", name))
    counts[plain] = counts.get(plain, 0) + count


def read_wtrace(path):
    """Rows "  78.31   3133  x_mul:python3.11d" -> {name: count}, in order; the total row has a % sign."""
    counts = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            row = re.match(r"^\s*~?(\d+\.\d+)\s+(\d+)\s+(\S.*?)\s*$", line)
            if row:
                add(counts, row.group(3).rsplit(":", 1)[0], int(row.group(2)))
    return counts


def read_perf(path):
    """Rows "78.31%|3133|[.] x_mul" -> {name: count}, in order."""
    counts = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            row = re.match(r"^\s*(\d+\.\d+)%?\s*\|\s*(\d+)\s*\|\s*\[.\]\s*(\S.*?)\s*$", line)
            if row:
                add(counts, row.group(3), int(row.group(2)))
    return counts


def share_whole(path):
    """Of lines "_start:python3.11d;...;x_mul:python3.11d 57" the share that begins at _start, in percent."""
    total = whole = 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, count = line.rsplit(" ", 1)
            total += int(count)
            whole += int(count) if stack.startswith("_start:") else 0
    return 100.0 * whole / total if total else 0.0


def allowed(share, *totals):
    """By how many points two samplings of one share may differ."""
    part = share / 100
    return max(MAX_DIFFERENCE, 100 * SIGMAS * math.sqrt(part * (1 - part) * sum(1 / max(n, 1) for n in totals)))


def main(name, wtrace_path, perf_path, folded_path, wanted):
    ours, perf = read_wtrace(wtrace_path), read_perf(perf_path)
    total, perf_total = sum(ours.values()), sum(perf.values())
    points = [
        (total >= MIN_SAMPLES, f"{name}: at least {MIN_SAMPLES} samples in wtrace: {total}"),
        (perf_total >= MIN_SAMPLES, f"{name}: at least {MIN_SAMPLES} samples in perf: {perf_total}"),
        (max(ours, key=ours.get, default="") == "x_mul", f"{name}: x_mul first in wtrace"),
        (max(perf, key=perf.get, default="") == "x_mul", f"{name}: x_mul first in perf"),
    ]
    for function, count in perf.items():
        share = 100.0 * count / perf_total
        if share < MIN_SHARE:
            continue
        own = 100.0 * ours.get(function, 0) / total if total else 0.0
        good = function in ours and abs(own - share) <= allowed(share, total, perf_total)
        points.append((good, f"{name}: {function}: perf {share:.2f} %, wtrace {own:.2f} %"))
    whole = share_whole(folded_path)
    points.append((whole >= float(wanted), f"{name}: stacks from _start to x_mul: {whole:.2f} %, wanted {wanted}"))
    print(f"1..{len(points)}")
    for number, (good, text) in enumerate(points, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {text}")
    return 0 if all(good for good, _ in points) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:6]))
