#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reading and counting: wtrace beside babeltrace2, over the same stream of events, in one run.

    scan.py [--seconds S] [--rate R] [--json FILE]

Two threads write events of two integers (writer.h) for S seconds at R events a second in all, once into LTTng-UST and
once into wtrace. Then, each the best of several runs:
  scan   `wtrace view` with two keys and a filter, on one CPU and on two in turn, beside `babeltrace2 -c
         sink.utils.dummy`; and what two CPUs give to two such views at once, each on its own: that is what this
         machine's second CPU is worth to this work, whoever divides it, and the gain on two is shown as a share of it
  long   the same on two CPUs over 60 million events of scan_log.c: of a tenth of a second, which is what the stream takes,
         beginning and end are a large part
  text   `wtrace dump` beside babeltrace2's text, both on one CPU
Beside these, over logs of scan_log.c and streams_log.c:
  seek   100 events from the middle of a file of 2 GB, with cold caches and with warm ones, beside a scan of all of it
  groups a view of a million groups: time, and the highest RssAnon
  skip   a view whose filter only a few blocks can pass, beside one that all can
  streams CPU time of going through events of 200 streams, beside as many of 2: reader_count and `wtrace dump`
Nothing is asserted; the limits stand beside the figures. Exit code 0 when it ran.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import peers

WRITERS = 2
RUNS = 3
TURNS = 7  # of views on one CPU and on two
STREAM_EVENTS, STREAMS = 4000000, (2, 200)
BIG_EVENTS, BIG_PADDING = 105000000, 16
GROUP_EVENTS, GROUPS = 10000000, 1000000
LONG_EVENTS = 60000000
VIEW = [peers.WTRACE, "view", "--no-resolve"]
QUERY = ["-e", "bench-writer/two", "--group-by", "writer,cpu", "--where", "n > 1000"]
# Figure, against what, at least (or at most when the name says so).
LIMITS = {"scan, one CPU": 8.0, "scan, two CPUs": 1.8, "scan, two CPUs, long": 1.8, "text": 5.0, "seek, cold": 100.0}
MOST = {"iteration, 200 streams": 2.0, "dump, 200 streams": 1.3}
SEEK_AIM_MS, MEMORY_MB = 50.0, 256.0


def watched(child):
    """Waits for a child: how it ended, what it used, and its highest RssAnon in MB."""
    anon = 0
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            return status, usage, anon / 1024
        try:
            with open(f"/proc/{child.pid}/status", encoding="ascii") as f:
                found = re.search(r"^RssAnon:\s+(\d+) kB", f.read(), re.M)
            anon = max(anon, int(found.group(1)) if found else 0)
        except OSError:
            pass
        time.sleep(0.001)


def run(cpus, command, watch=False):
    """Wall and CPU seconds of a command on these CPUs; standard output is dropped. Watched, which takes some of the
    CPUs' time: also its highest RssAnon in MB."""
    begin = time.monotonic()
    child = subprocess.Popen(["taskset", "-c", cpus, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, usage, anon = watched(child) if watch else (*os.wait4(child.pid, 0)[1:], None)
    wall = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"scan.py: {' '.join(command)}: exit {child.returncode}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "anon_mb": anon}


def best(cpus, command):
    return min((run(cpus, command) for _ in range(RUNS)), key=lambda r: r["wall"])


def twice(command):
    """Wall seconds of the command on each of two CPUs at once."""
    begin = time.monotonic()
    children = [subprocess.Popen(["taskset", "-c", str(cpu), *command], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL) for cpu in range(2)]
    if any([child.wait() for child in children]):
        sys.exit(f"scan.py: {' '.join(command)} failed")
    return time.monotonic() - begin


def record(kind, work, options):
    """One recording: the tool and how many events are in it."""
    tool = kind(work)
    try:
        tool.start(64 << 20)
        writer = [*tool.writer, "rate", str(WRITERS), str(options.rate // WRITERS), str(options.seconds)]
        done = json.loads(subprocess.run(writer, check=True, capture_output=True, env=tool.env).stdout)
        if tool.stop() is None:
            sys.exit(f"scan.py: {tool.name} did not stop")
    finally:
        tool.close()
    return tool, done["produced"] - tool.lost()


def drop_caches():
    """Everything but the programs: those are read again before the figure is taken."""
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
        f.write("3")
    subprocess.run([peers.WTRACE, "--version"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["taskset", "-c", "0", "true"], check=True)


def on_two(view):
    """The view on one CPU and on two, and how many times as much as one CPU does this machine's two do at best."""
    turns = [(run("0", view), run("0,1", view), twice(view)) for _ in range(TURNS)]
    one, two = (min((turn[i] for turn in turns), key=lambda r: r["wall"]) for i in range(2))
    return one, two, 2 * one["wall"] / min(turn[2] for turn in turns)


def show_gain(one, two, most):
    gain = one["wall"] / two["wall"]
    print(f"  two views at once, each on a CPU: {most:.2f} times what one does; a view on two CPUs: {gain:.2f} times, "
          f"{100 * gain / most:.0f} % of that")
    return gain


def compare_long(work):
    """The same query over a log that takes a second: of a tenth of one, beginning and end are a large part."""
    log = f"{work}/long.etl"
    subprocess.run([f"{peers.ROOT}/build/tests/bench/scan_log", log, str(LONG_EVENTS), "100", "0"], check=True)
    print(f"{LONG_EVENTS} events on one CPU and on two")
    one, two, most = on_two([*VIEW, log, "-e", "bench/two", *QUERY[2:]])
    os.unlink(log)
    return show_gain(one, two, most)


def compare_peer(work, options):
    trace, n_trace = record(peers.Lttng, work, options)
    log, n_log = record(peers.Wtrace, work, options)
    dummy = best("0", ["babeltrace2", trace.trace, "-c", "sink.utils.dummy"])
    view = [*VIEW, log.file, *QUERY]
    one, two, most = on_two(view)
    text = best("0", ["babeltrace2", trace.trace])
    dump = best("0", [peers.WTRACE, "dump", log.file, "--no-resolve"])
    rate = {"babeltrace2, dummy": n_trace / dummy["wall"], "view, one CPU": n_log / one["wall"],
            "view, two CPUs": n_log / two["wall"], "babeltrace2, text": n_trace / text["wall"],
            "dump, text": n_log / dump["wall"]}
    print(f"{n_trace} events in LTTng's trace, {n_log} in wtrace's log; million events a second")
    for name, value in rate.items():
        print(f"  {name:20}{value / 1e6:10.2f}")
    gain = show_gain(one, two, most)
    rate["two at once"] = most * rate["view, one CPU"]
    return rate, {"scan, one CPU": rate["view, one CPU"] / rate["babeltrace2, dummy"],
                  "scan, two CPUs": gain,
                  "text": rate["dump, text"] / rate["babeltrace2, text"]}


def seek(work):
    log = f"{work}/big.etl"
    subprocess.run([f"{peers.ROOT}/build/tests/bench/scan_log", log, str(BIG_EVENTS), "1000", str(BIG_PADDING)],
                   check=True)
    middle = BIG_EVENTS * 250 / 2e9
    some = [peers.WTRACE, "dump", log, "--no-resolve", "--from", f"{middle:.6f}", "--to", f"{middle + 25e-6:.6f}"]
    whole = [*VIEW, log, "--group-by", "cpu"]
    drop_caches()
    cold = run("0", some)["wall"]
    drop_caches()
    cold = min(cold, run("0", some)["wall"])
    drop_caches()
    scan = run("0", whole)["wall"]
    result = {"bytes": os.path.getsize(log), "cold_ms": cold * 1e3, "warm_ms": best("0", some)["wall"] * 1e3,
              "scan_cold_ms": scan * 1e3, "scan_warm_ms": best("0", whole)["wall"] * 1e3}
    os.unlink(log)
    print(f"100 events in the middle of {result['bytes'] / 1e9:.2f} GB: {result['cold_ms']:.1f} ms cold (aim "
          f"{SEEK_AIM_MS:.0f}), {result['warm_ms']:.1f} ms warm; a scan of all: {scan * 1e3:.0f} ms cold, "
          f"{result['scan_warm_ms']:.0f} ms warm")
    return result, {"seek, cold": result["scan_cold_ms"] / result["cold_ms"]}


def groups(work):
    log = f"{work}/groups.etl"
    subprocess.run([f"{peers.ROOT}/build/tests/bench/scan_log", log, str(GROUP_EVENTS), str(GROUPS), "0"], check=True)
    result = {}
    print(f"{GROUP_EVENTS} events in {GROUPS} groups; memory at most {MEMORY_MB:.0f} MB")
    few = run("0", [*VIEW, log, "--group-by", "writer", "--where", "n > 2000000 && n < 2010000"])
    all_of_them = run("0", [*VIEW, log, "--group-by", "writer", "--where", "n > 2000000 || n < 2010000"])
    result["skip"] = {"some": few["wall"], "all": all_of_them["wall"]}
    print(f"  a filter 0.2 % pass: {few['wall'] * 1e3:.0f} ms; one that all pass: {all_of_them['wall'] * 1e3:.0f} ms")
    for columns in ("count", "count,sum:n,min:n,max:n", "count,unique:n", "count,p50:n,p99:n"):
        figures = run("0,1", [*VIEW, log, "--group-by", "group", "--columns", columns], watch=True)
        result[columns] = figures
        print(f"  {columns:26}{figures['wall']:8.2f} s{figures['anon_mb']:8.0f} MB")
    return result


def streams(work):
    result, ratios = {}, {}
    for n in STREAMS:
        subprocess.run([f"{peers.ROOT}/build/tests/bench/streams_log", f"{work}/of{n}-", "1", str(n),
                        str(STREAM_EVENTS)], check=True)
    for name, command, cost in (
            ("iteration", [f"{peers.ROOT}/build/tests/programs/reader_count"],
             lambda c: float(re.search(r"ns/event ([\d.]+)", subprocess.run(c, check=True, capture_output=True,
                                                                            text=True).stdout).group(1))),
            ("dump", [peers.WTRACE, "dump", "--no-resolve"], lambda c: run("0", c)["cpu"] * 1e9 / STREAM_EVENTS)):
        turns = [[cost([*command, f"{work}/of{n}-0.etl"]) for n in STREAMS] for _ in range(TURNS)]
        few, many = (min(turn[i] for turn in turns) for i in range(2))
        result[name] = {"few": few, "many": many}
        ratios[f"{name}, 200 streams"] = many / few
        print(f"{name}: {few:.1f} ns of CPU time per event of {STREAMS[0]} streams, {many:.1f} of {STREAMS[1]}")
    return result, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rate", type=int, default=1000000)
    parser.add_argument("--json", default=f"{peers.ROOT}/build/bench-scan.json")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # what is measured is shown, also when the rest does not end
    peers.isolate()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        rates, ratios = compare_peer(work, options)
        ratios["scan, two CPUs, long"] = compare_long(work)
        seeks, more = seek(work)
        ratios |= more
        memory = groups(work)
        many, most = streams(work)
    for name, value in ratios.items():
        print(f"{name:24}{value:8.2f}   at least {LIMITS[name]}")
    for name, value in most.items():
        print(f"{name:24}{value:8.2f}   at most {MOST[name]}")
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"rates": rates, "ratios": ratios, "most": most, "limits": LIMITS | MOST, "seek": seeks,
                   "groups": memory, "streams": many}, f, indent=1)


if __name__ == "__main__":
    main()
