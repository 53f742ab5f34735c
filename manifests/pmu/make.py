#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the tables of this directory from vendors' files (README.md says what is in a table).

    make.py --telemetry-solution GIT --arm-data GIT --perfmon GIT --gator GIT --windowsperf GIT [DIRECTORY]

Each GIT is a clone, with or without a work tree: Arm's telemetry-solution, ARM-software/data, intel/perfmon,
ARM-software/gator, arm-developer-tools/windowsperf. What is
taken is facts: codes, names, units, formulas, groups, events to sample, trees of topdown. Titles and descriptions stay
where they are.
"""
import argparse
import json
import os
import re
import subprocess

NAME = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z_#][A-Za-z0-9_.:=#@]*")
WORDS = {"if", "else", "min", "max"}

# Which CPUs a table describes: MIDR with the revisions, or vendor, family and model. Microsoft's Cobalt 100 is an N2 r0p0
# that names another implementer (Linux, arch/arm64/include/asm/cputype.h).
OTHERS = {"neoverse-n2-r0p0": [{"implementer": "0x6d", "part": "0xd49"}]}
ARM = [
    # (table, file, part, first and last revision; None: all)
    ("neoverse-n1", "neoverse-n1", 0xD0C, None),
    ("neoverse-n2-r0p0", "neoverse-n2", 0xD49, ("r0p0", "r0p2")),
    ("neoverse-n2-r0p3", "neoverse-n2-r0p3", 0xD49, ("r0p3", "r15p15")),
    ("neoverse-n3", "neoverse-n3", 0xD8E, None),
    ("neoverse-v1", "neoverse-v1", 0xD40, None),
    ("neoverse-v2", "neoverse-v2", 0xD4F, None),
    ("neoverse-v3", "neoverse-v3", 0xD84, None),
]
COMMON = [("armv8-a", "common_armv8"), ("armv9-a", "common_armv9")]
# PMUs outside the cores. Their metrics are ours. A line of the cache is 64 bytes; an access of DRAM moves a burst of 8 on a
# bus of 8 bytes.
DSU_METRICS = {
    "l3_bandwidth": ("l3d_cache * 64 / #duration_time", "bytes per second"),
    "l3_read_bandwidth": ("l3d_cache_rd * 64 / #duration_time", "bytes per second"),
    "l3_write_bandwidth": ("l3d_cache_wr * 64 / #duration_time", "bytes per second"),
    "l3_refill_bandwidth": ("l3d_cache_refill * 64 / #duration_time", "bytes per second"),
    "l3_write_back_bandwidth": ("l3d_cache_wb * 64 / #duration_time", "bytes per second"),
    "l3_miss_ratio": ("l3d_cache_refill / l3d_cache * 100", "percent of L3 accesses"),
    "cluster_bus_read_rate": ("bus_access_rd / #duration_time", "beats per second"),
    "cluster_bus_write_rate": ("bus_access_wr / #duration_time", "beats per second"),
}
DSU_GROUPS = {
    "l3_cache": ["l3_bandwidth", "l3_miss_ratio"],
    "l3_traffic": ["l3_read_bandwidth", "l3_write_bandwidth", "l3_refill_bandwidth", "l3_write_back_bandwidth"],
    "cluster_bus": ["cluster_bus_read_rate", "cluster_bus_write_rate"],
}
DMC_METRICS = {
    "ddr_bandwidth": ("clkdiv2_rdwr * 64 / #duration_time", "bytes per second"),
    "ddr_activates_per_access": ("clkdiv2_activate / clkdiv2_rdwr", "per access"),
}
DMC_GROUPS = {"ddr_bw": ["ddr_bandwidth"]}
# As the kernel's driver spells it.
DMC_NAMES = {"clk_upload_stal": "clk_upload_stall"}

INTEL = [
    ("icelake-sp", "Ice Lake SP", "ICX", "icelakex", [0x6A, 0x6C]),
    ("sapphire-rapids", "Sapphire Rapids", "SPR", "sapphirerapids", [0x8F]),
]

# Fixed counters, and the kernel's names for what hardware reports of slots (perf's "topdown" events).
INTEL_CONFIG = {
    "inst_retired.any": 0xC0,
    "cpu_clk_unhalted.thread": 0x3C,
    "cpu_clk_unhalted.ref_tsc": 0x300,
    "topdown.slots": 0x400,
    "perf_metrics.retiring": 0x8000,
    "perf_metrics.bad_speculation": 0x8100,
    "perf_metrics.frontend_bound": 0x8200,
    "perf_metrics.backend_bound": 0x8300,
    "perf_metrics.heavy_operations": 0x8400,
    "perf_metrics.branch_mispredicts": 0x8500,
    "perf_metrics.fetch_latency": 0x8600,
    "perf_metrics.memory_bound": 0x8700,
}
INTEL_OTHER = {
    "tsc": {"config": "0x0", "pmu": "msr"},
}
# What no event of the kernel counts as Intel's formulas mean it: energy in units of 61 uJ, slots of both threads.
INTEL_NO_EVENT = {"freerun_pkg_energy_status", "freerun_dram_energy_status", "topdown.slots:percore"}
# Constants of Intel's files, as properties of the machine.
INTEL_CONSTANT = {
    "SYSTEM_TSC_FREQ": "#system_tsc_freq",
    "SOCKET_COUNT": "#num_packages",
    "CHAS_PER_SOCKET": "#chas_per_socket",
    "HYPERTHREADING_ON": "#smt_on",
    "THREADS_PER_CORE": "#threads_per_core",
    "DURATIONTIMEINSECONDS": "#duration_time",
    "num_cpus": "#num_cpus",
    "duration_time": "#duration_time",
    "smt_on": "#smt_on",
}
UNITS = {"CHA": "uncore_cha", "iMC": "uncore_imc", "M2M": "uncore_m2m", "UPI": "uncore_upi", "UPI LL": "uncore_upi",
         "IIO": "uncore_iio", "PCU": "uncore_pcu"}


class Git:
    def __init__(self, path):
        self.path = path

    def run(self, *words):
        return subprocess.run(["git", "-C", self.path, *words], check=True, capture_output=True, text=True).stdout

    def text(self, path):
        return self.run("show", f"HEAD:{path}")

    def json(self, path):
        return json.loads(self.text(path))

    def version(self, path):
        return self.run("log", "-1", "--format=%H", "--", path).strip() or self.run("rev-parse", "HEAD").strip()


def hexa(number):
    return f"{number:#x}"


def names_of(formula):
    return [w for w in dict.fromkeys(NAME.findall(formula)) if w not in WORDS]


def renamed(formula, fn):
    return NAME.sub(lambda m: m[0] if m[0] in WORDS else fn(m[0]), formula)


def tidy(formula):
    """Without parentheses around a single name or number, and with single spaces."""
    formula = " ".join(formula.split())
    return re.sub(r"(?<![A-Za-z_])\( ([A-Za-z0-9_.:=#@]+) \)", r"\1", formula)


def arm_metric(metric):
    ret = {"formula": tidy(metric["formula"].lower()), "unit": metric["units"]}
    if metric.get("sample_events"):
        ret["sample"] = [e.lower() for e in metric["sample_events"]]
    return ret


def arm_topdown(source):
    tree = source["methodologies"]["topdown_methodology"]["decision_tree"]
    nodes = {}
    for node in tree["metrics"]:
        nodes[node["name"]] = {"metric": node["name"], "next": node["next_items"]}
    return {"roots": tree["root_nodes"], "nodes": nodes}


def arm_table(git, name, file, part, revisions):
    path = f"data/pmu/cpu/neoverse/{file}.json"
    source = git.json(path)
    product = source["product_configuration"]
    assert int(product["part_num"], 0) == part, path
    cpu = {"implementer": "0x41", "part": hexa(part)}
    if revisions:
        cpu["revisions"] = list(revisions)
    return {
        "wtrace_pmu": 1, "name": name, "product": product["product_name"], "vendor": "Arm Limited",
        "source": f"Arm telemetry-solution, {path}, commit {git.version(path)[:12]}",
        "licence": source["document"]["license"], "copyright": source["document"]["copyright"],
        "cpus": [cpu] + OTHERS.get(name, []),
        "events": {n.lower(): hexa(int(e["code"], 0)) for n, e in source["events"].items()},
        "metrics": {n: arm_metric(m) for n, m in source["metrics"].items()},
        "groups": {n: g["metrics"] for n, g in source["groups"]["metrics"].items()},
        "topdown": arm_topdown(source),
    }


def common_table(git, name, file):
    path = f"pmu/{file}.json"
    source = git.json(path)
    events = {}
    for event in source["events"]:
        events.setdefault(event["name"].lower(), hexa(event["code"]))
    return {
        "wtrace_pmu": 1, "name": name, "product": source["cpu"], "vendor": "Arm Limited",
        "source": f"ARM-software/data, {path}, commit {git.version(path)[:12]}",
        "licence": "Apache-2.0", "copyright": "Arm Limited", "cpus": [], "events": events,
    }


def far_table(name, product, pmu, source, licence, events, metrics, groups):
    return {
        "wtrace_pmu": 1, "name": name, "product": product, "vendor": "Arm Limited", "source": source,
        "licence": licence, "copyright": "Arm Limited", "cpus": [], "pmu": pmu, "events": events,
        "metrics": {n: {"formula": formula, "unit": unit} for n, (formula, unit) in metrics.items()}, "groups": groups,
    }


def dsu_table(git):
    """The mnemonic of an event is a comment before its row."""
    path = "daemon/events-DSU.xml"
    rows = re.findall(r'<!-- *([A-Z0-9_]+) *-->\s*<event [^>]*?event="(0x[0-9A-Fa-f]+)"', git.text(path))
    return far_table("arm-dsu", "DynamIQ Shared Unit", "arm_dsu", f"ARM-software/gator, {path}, commit {git.version(path)[:12]}",
                     "GPL-2.0-only", {n.lower(): hexa(int(code, 16)) for n, code in rows}, DSU_METRICS, DSU_GROUPS)


def dmc_table(git):
    """config2 of the kernel's driver: the event in bits 3 to 8, bit 9 for those that count at half the clock."""
    events = {}
    for clock in ("clk", "clkdiv2"):
        path = f"wperf-common/dmc-{clock}-events.def"
        for code, word in re.findall(r'^WPERF_DMC_\w+\(\w+, *(0x[0-9a-f]+), *"(\w+)"\)', git.text(path), re.M):
            name = f"{clock}_{word}"
            config2 = int(code, 16) << 3 | (clock == "clkdiv2") << 9
            events[DMC_NAMES.get(name, name)] = {"config": "0x0", "config2": hexa(config2)}
    return far_table("arm-dmc620", "DMC-620", "arm_dmc620", "arm-developer-tools/windowsperf, wperf-common/dmc-*-events.def, "
                     f"commit {git.version(path)[:12]}", "BSD-3-Clause", events, DMC_METRICS, DMC_GROUPS)


def number(event, key):
    text = event.get(key) or "0"
    return int(text.split(",")[0], 0) if text not in ("na", "null", "") else 0


def core_event(event):
    """The config of perf's "cpu" PMU: event, umask, edge, any, inv, cmask; config1 for offcore, frontend and latency."""
    config = INTEL_CONFIG.get(event["EventName"].lower())
    if config is None:
        config = number(event, "EventCode") | number(event, "UMask") << 8 | number(event, "EdgeDetect") << 18
        config |= number(event, "AnyThread") << 21 | number(event, "Invert") << 23 | number(event, "CounterMask") << 24
    config1 = number(event, "MSRValue") if number(event, "MSRIndex") in (0x1A6, 0x3F6, 0x3F7) else 0
    return config, config1


def core_value(config, config1):
    return {"config": hexa(config), "config1": hexa(config1)} if config1 else hexa(config)


def uncore_event(event):
    config = number(event, "EventCode") | number(event, "UMask") << 8 | number(event, "UMaskExt") << 32
    if event["Unit"] == "IIO":
        config |= number(event, "PortMask") << 36 | number(event, "FCMask") << 48
    return {"config": hexa(config), "pmu": UNITS[event["Unit"]]}


def modified(event, modifiers):
    """An event with what Intel's formulas put behind it: ":c1" counter mask, ":e1" edge, ":u0x80" umask, ":sup"."""
    config, config1 = core_event(event)
    value = {}
    for word in modifiers.lower().split(":"):
        if re.fullmatch(r"c\d+", word):
            config = config & ~(0xFF << 24) | int(word[1:]) << 24
        elif word == "e1":
            config |= 1 << 18
        elif word.startswith("u0x"):
            config = config & ~0xFF00 | int(word[1:], 16) << 8
        elif word.startswith("ocr_msr_val="):
            config1 = int(word.split("=")[1], 16)
        elif word in ("sup", "user"):
            value["only"] = "kernel" if word == "sup" else "user"
        else:
            assert word == "perf_metrics", word
    value.update({"config": hexa(config)}, **({"config1": hexa(config1)} if config1 else {}))
    return value if len(value) > 1 else value["config"]


def intel_events(core, uncore, needed):
    by_name = {e["EventName"].lower(): e for e in core}
    far = {e["EventName"].lower(): e for e in uncore}
    ret = {n: core_value(*core_event(e)) for n, e in by_name.items() if e.get("Deprecated", "0") != "1"}
    for name in sorted(needed):
        base, _, modifiers = name.partition(":")
        if name in ret:
            continue
        if name in INTEL_OTHER:
            ret[name] = INTEL_OTHER[name]
        elif name in INTEL_CONFIG:
            ret[name] = hexa(INTEL_CONFIG[name])
        elif base in by_name:
            ret[name] = modified(by_name[base], modifiers) if modifiers else core_value(*core_event(by_name[base]))
        elif base in far:
            assert modifiers in ("", "one_unit", "c1"), name
            ret[name] = uncore_event(far[base])
            if modifiers == "one_unit":
                ret[name]["pmu"] += "_0"
            if modifiers == "c1":
                ret[name]["config"] = hexa(int(ret[name]["config"], 0) | 1 << 24)
        else:
            raise SystemExit(f"no event {name}")
    return ret


def intel_name(metric):
    return ("tma_" if metric["Category"] == "TMA" else "") + metric["MetricName"].lower()


def intel_word(word):
    return INTEL_CONSTANT.get(word) or ("#" if word.lower() in INTEL_NO_EVENT else "") + word.lower()


def intel_formula(metric, metrics):
    """The base formula, over names of events and of other metrics; without one, the formula with its letters
    replaced. A metric in percent has a base formula that is a fraction."""
    if "BaseFormula" in metric:
        return renamed(metric["BaseFormula"], intel_word), \
            100 if metric["Formula"].startswith("100 * (") and metric["UnitOfMeasure"] == "percent" else 1
    alias = {e["Alias"]: e["Name"].lower() for e in metric["Events"]}
    alias.update({c["Alias"]: INTEL_CONSTANT[c["Name"]] for c in metric["Constants"]})
    return renamed(metric["Formula"], lambda w: alias.get(w) or INTEL_CONSTANT[w]), 1


def threshold(metric):
    """The metric's own part of the vendor's threshold: what it must be over to stand out."""
    alias = [a["Alias"] for a in metric.get("Threshold", {}).get("ThresholdMetrics", [])
             if a["Value"] == metric["LegacyName"]]
    found = alias and re.search(rf"\b{alias[0]} > ([0-9.]+)", metric["Threshold"]["Formula"])
    return float(found[1]) if found else None


def intel_metric(metric, metrics):
    formula, scale = intel_formula(metric, metrics)
    ret = {"formula": tidy(formula), "unit": metric["UnitOfMeasure"] or metric.get("CountDomain", "").lower().replace("_", " ")}
    if metric["UnitOfMeasure"] == "" and metric.get("CountDomain", "").endswith(("Metric", "Slots")):
        ret["unit"] = ""
    if metric["UnitOfMeasure"] == "percent" and metric.get("CountDomain"):
        ret["unit"] = "percent of " + metric["CountDomain"].lower().replace("_", " ")
    if scale != 1:
        ret["scale"] = scale
    sample = [e.lower() for e in metric.get("LocateWith", "").split(";") if e and e != "#NA"]
    if sample:
        ret["sample"] = sample
    return ret


def intel_topdown(metrics):
    """The levels of top-down analysis: each metric that is in percent and has a parent, or is of level 1."""
    named = {m["MetricName"]: m for m in metrics if m["Category"] == "TMA"}
    roots = [m for m in named.values() if m["Level"] == 1 and "TmaL1" in m["MetricGroup"]
             and m["UnitOfMeasure"] == "percent"]
    nodes, todo = {}, list(roots)
    while todo:
        metric = todo.pop(0)
        below = [m for m in named.values() if m.get("ParentCategory") == metric["MetricName"]]
        nodes[intel_name(metric)] = {"metric": intel_name(metric), "next": [intel_name(m) for m in below]}
        if threshold(metric) is not None:
            nodes[intel_name(metric)]["over"] = threshold(metric)
        todo += below
    return {"roots": [intel_name(m) for m in roots], "nodes": nodes}


def intel_groups(metrics):
    ret = {}
    for metric in metrics:
        for group in re.findall(r"[^;, ]+", metric["MetricGroup"] or metric["Category"]):
            ret.setdefault(group, []).append(intel_name(metric))
    return dict(sorted(ret.items()))


def intel_table(git, name, product, directory, file, models):
    paths = [f"{directory}/events/{file}_{kind}.json" for kind in ("core", "uncore", "uncore_experimental")]
    path = f"{directory}/metrics/{file}_metrics.json"
    core, *uncore = [git.json(p)["Events"] for p in paths]
    source = git.json(path)
    metrics = source["Metrics"]
    table = {intel_name(m): intel_metric(m, metrics) for m in metrics}
    needed = {n for m in table.values() for n in names_of(m["formula"]) if n not in table and n[0] != "#"}
    known = {e["EventName"].lower() for e in core}
    for metric in table.values():
        metric["sample"] = [e for e in metric.get("sample", []) if e in known]
        needed.update(metric["sample"])
        if not metric["sample"]:
            del metric["sample"]
    return {
        "wtrace_pmu": 1, "name": name, "product": product, "vendor": "GenuineIntel",
        "source": f"intel/perfmon, {directory}, metrics {source['Header']['Version']}, commit {git.version(path)[:12]}",
        "licence": "BSD-3-Clause", "copyright": "Copyright (c) Intel Corporation",
        "cpus": [{"vendor": "GenuineIntel", "family": 6, "model": hexa(m)} for m in models],
        "events": intel_events(core, sum(uncore, []), needed), "metrics": table, "groups": intel_groups(metrics),
        "topdown": intel_topdown(metrics),
    }


def dump(value):
    return json.dumps(value, separators=(",", ":"))


def write(directory, table):
    """One row per line, so that a difference between two versions can be read."""
    with open(os.path.join(directory, table["name"] + ".json"), "w", encoding="utf-8") as out:
        lines = []
        for key, value in table.items():
            if key in ("events", "metrics", "groups"):
                rows = ",\n".join(f"{dump(k)}:{dump(v)}" for k, v in sorted(value.items()))
                lines.append(f"{dump(key)}:{{\n{rows}}}")
            elif key == "topdown":
                rows = ",\n".join(f"{dump(k)}:{dump(v)}" for k, v in value["nodes"].items())
                lines.append(f'"topdown":{{"roots":{dump(value["roots"])},"nodes":{{\n{rows}}}}}')
            else:
                lines.append(f"{dump(key)}:{dump(value)}")
        out.write("{" + ",\n".join(lines) + "}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--telemetry-solution", required=True)
    parser.add_argument("--arm-data", required=True)
    parser.add_argument("--perfmon", required=True)
    parser.add_argument("--gator", required=True)
    parser.add_argument("--windowsperf", required=True)
    parser.add_argument("directory", nargs="?", default=os.path.dirname(os.path.abspath(__file__)))
    args = parser.parse_args()
    tables = [arm_table(Git(args.telemetry_solution), *row) for row in ARM]
    tables += [common_table(Git(args.arm_data), *row) for row in COMMON]
    tables += [intel_table(Git(args.perfmon), *row) for row in INTEL]
    tables += [dsu_table(Git(args.gator)), dmc_table(Git(args.windowsperf))]
    for table in tables:
        write(args.directory, table)
    index = [{k: t[k] for k in ("name", "cpus", "pmu") if k in t} for t in tables]
    with open(os.path.join(args.directory, "index.json"), "w", encoding="utf-8") as out:
        out.write('{"wtrace_pmu_index":1,"tables":[\n' + ",\n".join(dump(row) for row in index) + "]}\n")


if __name__ == "__main__":
    main()
