#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent evaluator of vendors' formulas: Python's own parser over the vendors' files, not over our tables.

    vectors.py --telemetry-solution GIT --perfmon GIT >vectors.txt

Metrics of PMUs outside the cores are ours, not a vendor's: what they are meant to be stands in UNCORE.

One line for each metric: table, metric, and its value for each seed, as the shortest decimal number that reads back to the
same double, or "n/a" after a division by zero. Inputs are made from the seed and the name (value()), as vectors_test.c
makes them. It is run by hand when the tables are made anew; the output is committed.
"""
import argparse
import json
import subprocess

SEEDS = 4
ARM = [("neoverse-n1", "neoverse-n1"), ("neoverse-n2-r0p0", "neoverse-n2"), ("neoverse-n2-r0p3", "neoverse-n2-r0p3"),
       ("neoverse-n3", "neoverse-n3"), ("neoverse-v1", "neoverse-v1"), ("neoverse-v2", "neoverse-v2"),
       ("neoverse-v3", "neoverse-v3")]
# Counts that no event of the kernel gives: our formulas name them as properties.
NO_EVENT = {"freerun_pkg_energy_status", "freerun_dram_energy_status", "topdown.slots:percore"}
INTEL = [("icelake-sp", "ICX", "icelakex"), ("sapphire-rapids", "SPR", "sapphirerapids")]

# By table: metric, and its value, from v(name of an event or a property).
UNCORE = {
    "arm-dsu": {
        "cluster_bus_read_rate": lambda v: v("bus_access_rd") / v("#duration_time"),
        "cluster_bus_write_rate": lambda v: v("bus_access_wr") / v("#duration_time"),
        "l3_bandwidth": lambda v: 64 * v("l3d_cache") / v("#duration_time"),
        "l3_miss_ratio": lambda v: v("l3d_cache_refill") / v("l3d_cache") * 100,
        "l3_read_bandwidth": lambda v: 64 * v("l3d_cache_rd") / v("#duration_time"),
        "l3_refill_bandwidth": lambda v: 64 * v("l3d_cache_refill") / v("#duration_time"),
        "l3_write_back_bandwidth": lambda v: 64 * v("l3d_cache_wb") / v("#duration_time"),
        "l3_write_bandwidth": lambda v: 64 * v("l3d_cache_wr") / v("#duration_time"),
    },
    "arm-dmc620": {
        "ddr_activates_per_access": lambda v: v("clkdiv2_activate") / v("clkdiv2_rdwr"),
        "ddr_bandwidth": lambda v: 64 * v("clkdiv2_rdwr") / v("#duration_time"),
    },
}


def show(git, path):
    out = subprocess.run(["git", "-C", git, "show", f"HEAD:{path}"], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def value(seed, name):
    """FNV-1a of "SEED:name". From seed 2 on a quarter of the counts is 0, so that divisors are."""
    hashed = 0xCBF29CE484222325
    for byte in f"{seed}:{name.lower()}".encode():
        hashed = (hashed ^ byte) * 0x100000001B3 & (1 << 64) - 1
    hashed ^= hashed >> 29
    if name.lower() == "#smt_on":
        return float(seed & 1)
    if seed >= 2 and hashed % 4 == 0:
        return 0.0
    return float(hashed % 1000003 + 1)


def evaluated(formula, names):
    try:
        return repr(float(eval(formula, {"__builtins__": {"min": min, "max": max}}, names)))
    except ZeroDivisionError:
        return "n/a"


def arm(git, table, file):
    for name, metric in show(git, f"data/pmu/cpu/neoverse/{file}.json")["metrics"].items():
        values = [evaluated(metric["formula"], {e: value(seed, e) for e in metric["events"]}) for seed in range(SEEDS)]
        yield table, name.lower(), values


def constant(seed, name, tma):
    """A constant of Intel's files. Its formulas of topdown take the rate of the time stamp counter for its count."""
    if name.isdigit():
        return float(name)
    if name == "DURATIONTIMEINMILLISECONDS":
        return value(seed, "#duration_time") * 1000
    return value(seed, {"SYSTEM_TSC_FREQ": "tsc" if tma else "#system_tsc_freq", "HYPERTHREADING_ON": "#smt_on",
                        "THREADS_PER_CORE": "#threads_per_core", "SOCKET_COUNT": "#num_packages",
                        "CHAS_PER_SOCKET": "#chas_per_socket",
                        "system.sockets[0].cpus.count * system.socket_count": "#num_cpus"}[name])


def intel(git, table, directory, file):
    for metric in show(git, f"{directory}/metrics/{file}_metrics.json")["Metrics"]:
        tma = metric["Category"] == "TMA"
        values = []
        for seed in range(SEEDS):
            names = {e["Alias"]: value(seed, ("#" if e["Name"].lower() in NO_EVENT else "") + e["Name"])
                     for e in metric["Events"]}
            names.update({c["Alias"]: constant(seed, c["Name"], tma) for c in metric["Constants"]})
            names["DURATIONTIMEINSECONDS"] = value(seed, "#duration_time")
            values.append(evaluated(metric["Formula"], names))
        yield table, ("tma_" if tma else "") + metric["MetricName"].lower(), values


def of_seed(fn, seed):
    try:
        return repr(fn(lambda name: value(seed, name)))
    except ZeroDivisionError:
        return "n/a"


def uncore():
    for table, metrics in UNCORE.items():
        for name, fn in metrics.items():
            yield table, name, [of_seed(fn, seed) for seed in range(SEEDS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--telemetry-solution", required=True)
    parser.add_argument("--perfmon", required=True)
    args = parser.parse_args()
    rows = [row for table in ARM for row in arm(args.telemetry_solution, *table)]
    rows += [row for table in INTEL for row in intel(args.perfmon, *table)]
    rows += uncore()
    for table, metric, values in rows:
        print(table, metric, *values)


if __name__ == "__main__":
    main()
