# SPDX-License-Identifier: MIT
"""Shares of a table against the truth that tests/programs/loops.c prints.

    shares.py shares TRUTH TABLE SIGMAS PERCENT   of each thread's functions, within so many sigmas in so many percent
    shares.py total TRUTH TABLE PERCENT [SIGMAS]  CPU time of each process, unsampled included, within so many percent
                                                  and, where it was sampled by chance, so many sigmas
    shares.py between TRUTH TABLE PERCENT         the same where it was counted by thread: between what the threads saw of
                                                  themselves and all they used, and so many percent beyond
    shares.py lost TRUTH TABLE EVENTS PERCENT [SIGMAS]  the same where so many names were lost: no more processes are
                                                  beyond that, and all that was told is no less than what they used

TABLE is what `wtrace view --csv --top 0 --columns count --group-by thread,function` prints, for total by
process,function. Sigma is that of samples at moments of pure chance: it knows nothing of the machine's load or speed.
"""
import collections
import csv
import math
import sys

SPAN = 1e9 / 997


def read_truth(path):
    truth = collections.defaultdict(dict)
    for line in open(path, encoding="ascii"):
        name, function, ns = line.split()
        truth[name][function] = truth[name].get(function, 0) + int(ns)
    return truth


def read_table(path):
    table = collections.defaultdict(collections.Counter)
    for row in csv.reader(open(path, encoding="utf-8")):
        if len(row) == 4 and row[3].isdigit():
            table[row[1].rsplit(" (", 1)[0]][row[2].split(":", 1)[0]] += int(row[3])
    return table


def check_shares(truth, table, sigmas, percent):
    tried, beyond = 0, []
    for name, spent in truth.items():
        if "all" in spent:
            continue
        counts = {function: table[name][function] for function in spent}
        n, total = sum(counts.values()), sum(spent.values())
        for function, ns in spent.items():
            share = ns / total
            sigma = math.sqrt(share * (1 - share) / n) if n else 0
            off = abs(counts[function] / n - share) / sigma if sigma else math.inf
            tried += 1
            if off > sigmas:
                beyond.append(f"{name} {function}: {counts[function]} of {n} samples, truth {share:.4f}: "
                              f"{off:.1f} sigmas")
    print("\n".join(beyond))
    print(f"{tried - len(beyond)} of {tried} shares within {sigmas:g} sigmas")
    return tried > 0 and len(beyond) * 100 <= tried * (100 - percent)


def check_total(truth, table, percent, sigmas=0, most=0):
    wrong = 0
    for name, spent in truth.items():
        if "all" not in spent:
            continue
        told = sum(table[name].values()) * SPAN
        off = (told / spent["all"] - 1) * 100
        print(f"{name}: {told / 1e6:.1f} ms told of {spent['all'] / 1e6:.1f}, {off:+.2f} %")
        wrong += abs(off) > percent + sigmas * 100 / math.sqrt(spent["all"] / SPAN)
    return wrong <= most and any("all" in spent for spent in truth.values())


def check_between(truth, table, percent):
    """What the kernel counts of a thread ends on its way out. The threads saw less: they wrote down what they saw, and
    went. Whoever waited for them was told more: the whole way out. Nor does the kernel count how it changes from one
    thread to another, which both have: 0.15 ms of every 3 in a machine within a machine, with many who want its CPUs."""
    wrong = 0
    for name, spent in truth.items():
        told = sum(table[name].values()) * SPAN
        # What its last moments took may be missing in what is told of one that ended on another CPU.
        least, most = spent["own"], max(spent["own"], spent["all"])
        print(f"{name}: {told / 1e6:.1f} ms told, {least / 1e6:.1f} seen, {most / 1e6:.1f} used")
        wrong += not least * (1 - percent / 100) <= told <= most * (1 + percent / 100)
    return wrong == 0 and len(truth) > 0


def check_lost(truth, table, most, percent, sigmas=0):
    used = sum(spent.get("all", 0) for spent in truth.values())
    told = sum(sum(counts.values()) for counts in table.values()) * SPAN
    print(f"{most:g} names lost; of everything {told / 1e6:.1f} ms told, of them {used / 1e6:.1f} used")
    return check_total(truth, table, percent, sigmas, most) and told >= used * (1 - percent / 100)


def main():
    truth, table = read_truth(sys.argv[2]), read_table(sys.argv[3])
    numbers = [float(word) for word in sys.argv[4:]]
    checks = {"shares": check_shares, "total": check_total, "between": check_between, "lost": check_lost}
    sys.exit(0 if checks[sys.argv[1]](truth, table, *numbers) else 1)


main()
