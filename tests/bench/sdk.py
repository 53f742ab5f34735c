#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an event of the SDK costs, beside LTTng-UST, in one run.

    sdk.py [--json FILE] [--no-lttng]

sdk_bench measures the library (its source says how); an LTTng program that this script writes and builds does the
same with LTTng's tracepoints, with the same loops and the best of as many rounds. "clocks" are the readings of the
CPU's counter that an event costs. Machines are noisy and differ: nothing is asserted, the limits stand beside
the figures. It runs as root, in namespaces of its own. Exit code 0 when it ran.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import peers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNS = 5
PROGRAMS = f"{ROOT}/build/tests/programs"

# LTTng wants its events in a header that is read several times with different meanings of its macros.
LTTNG_HEADER = r"""
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER wt_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./events.h"
#if !defined(EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define EVENTS_H
#include <stdint.h>
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(wt_bench, two, LTTNG_UST_TP_ARGS(int32_t, x, int32_t, y),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int32_t, x, x) lttng_ust_field_integer(int32_t, y, y)))
LTTNG_UST_TRACEPOINT_EVENT(wt_bench, bytes, LTTNG_UST_TP_ARGS(uint64_t, a, const uint8_t *, d),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a) lttng_ust_field_array(uint8_t, d, d, 120)))
#endif
#include <lttng/tracepoint-event.h>
"""
LTTNG_PROGRAM = r"""
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "events.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void two(int n)
{
	for (int i = 0; i < n; i++) {
		lttng_ust_tracepoint(wt_bench, two, i, i);
		__asm__ volatile("" ::: "memory");
	}
}

static void bytes(int n)
{
	static uint8_t d[120];

	for (int i = 0; i < n; i++) {
		lttng_ust_tracepoint(wt_bench, bytes, i, d);
		__asm__ volatile("" ::: "memory");
	}
}

static void nothing(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("" ::: "memory");
}

static double best(void (*work)(int), int n)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 400; i++) {
		uint64_t from = now(), took;

		work(n);
		took = now() - from;
		least = took < least ? took : least;
	}
	return (double)least / n;
}

static int by_size(const void *a, const void *b)
{
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

int main(void)
{
	static uint32_t ticks[200000];
	uint64_t tick, ns;
	double base = best(nothing, 100000), t = best(two, 100000) - base, b = best(bytes, 100000) - base;

	tick = __rdtsc(), ns = now();
	for (int i = 0; i < 200000; i++) {
		uint64_t from = __rdtsc();

		two(1);
		ticks[i] = (uint32_t)(__rdtsc() - from);
	}
	tick = __rdtsc() - tick, ns = now() - ns;
	qsort(ticks, 200000, 4, by_size);
	printf("{\"two_ints\": %.2f, \"bytes_128\": %.2f, \"p99_9\": %.2f}\n", t, b,
	       ticks[200000 - 200] * ((double)ns / tick));
	return 0;
}
"""

ROWS = [
    ("off", "disabled event", None),
    ("two_ints", "two integers, one thread", 1.4),
    ("bytes_128", "128 bytes", 2.2),
    ("two_sessions", "two sessions", None),
    ("lane", "lane (no rseq)", 2.0),
    ("stack_16", "with a stack of 16 frames", 10.0),
    ("stack_16_tables", "the same by unwind tables", None),
    ("p99_9", "slowest in a thousand", None),
]


def lttng(*args):
    subprocess.run(["lttng", *args], check=True, stdout=subprocess.DEVNULL)


def measure_lttng(work):
    """The same loops in LTTng: off, and on with a session that discards when its buffers are full or reads in time."""
    for name, text in (("events.h", LTTNG_HEADER), ("bench.c", LTTNG_PROGRAM)):
        with open(f"{work}/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    subprocess.run(["gcc", "-O2", "-I.", "bench.c", "-o", "bench", "-llttng-ust", "-ldl"], cwd=work, check=True)
    program = [f"{work}/bench"]
    off = json.loads(subprocess.run(program, check=True, capture_output=True).stdout)
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--quiet"])
    try:
        wait_for_daemon()
        lttng("create", "wt-bench", "-o", f"{work}/out")
        lttng("enable-channel", "-u", "c", "--overwrite", "--subbuf-size", "64K", "--num-subbuf", "32")
        lttng("enable-event", "-u", "wt_bench:*", "-c", "c")
        lttng("start")
        env = dict(os.environ, LTTNG_UST_REGISTER_TIMEOUT="-1")
        on = best_of_runs(program, env)
        lttng("destroy", "wt-bench")
    finally:
        daemon.terminate()
        daemon.wait()
    return {"off": off["two_ints"], **on}


def wait_for_daemon():
    for _ in range(100):
        if subprocess.run(["lttng", "list"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return
        subprocess.run(["sleep", "0.1"], check=True)
    sys.exit("sdk.py: lttng-sessiond did not start")


def table(ours, theirs):
    clock = ours["clock_ns"]
    print(f"clock reading {clock:.2f} ns\n{'':28}{'wtrace ns':>10}{'clocks':>8}{'limit':>8}{'LTTng ns':>10}")
    for key, name, limit in ROWS:
        other = f"{max(theirs[key], 0):10.1f}" if key in theirs else f"{'':>10}"
        print(f"{name:28}{max(ours[key]['ns'], 0):10.1f}{max(ours[key]['clocks'], 0):8.2f}{limit or '':>8}{other}")
    one = ours["cpu_1_thread"]["ns"]
    print("\nCPU time per event, of one thread's (limit 1.15)")
    for kind in ("threads", "processes"):
        print(f"{kind:28}" + "".join(f"{n:4}: {ours[f'cpu_{n}_{kind}']['ns'] / one:5.2f}" for n in (2, 4, 8)))
    two = ours["two_sessions"]["ns"] / ours["two_ints"]["ns"]
    start = ours["start_us"]
    print(f"two sessions, of one's (limit 2.2)  {two:.2f}")
    print(f"start of a program, us: {start['without']:.0f} without, +{start['with'] - start['without']:.0f} with the "
          f"library and one provider (limit +200), +{start['first'] - start['without']:.0f} the first time ever")


def install_library():
    """Programs in this namespace find the library as an installed one: in the loader's cache, with no search."""
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/conf", "w", encoding="utf-8") as f:
            f.write(f"{ROOT}/build/sdk\ninclude /etc/ld.so.conf\n")
        subprocess.run(["/sbin/ldconfig", "-X", "-f", f"{work}/conf", "-C", f"{work}/cache"], check=True)
        subprocess.run(["mount", "--bind", f"{work}/cache", "/etc/ld.so.cache"], check=True)


def best_of_runs(command, env=None):
    """Each figure's best: a neighbour on the host's core slows a virtual machine for seconds, and only ever slows it."""
    best = None
    for _ in range(RUNS):
        run = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env).stdout)
        best = run if best is None else lower(best, run)
    return best


def lower(one, other):
    return {key: lower(value, other[key]) if isinstance(value, dict) else min(value, other[key])
            for key, value in one.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", default=f"{ROOT}/build/bench-sdk.json")
    parser.add_argument("--no-lttng", action="store_true")
    options = parser.parse_args()
    peers.isolate()
    install_library()
    ours = best_of_runs([f"{ROOT}/build/tests/bench/sdk_bench", f"{PROGRAMS}/sdk_start", f"{PROGRAMS}/no_sdk_start"])
    for figure in ours.values():
        if isinstance(figure, dict) and "clocks" in figure:
            figure["clocks"] = figure["ns"] / ours["clock_ns"]
    theirs = {}
    if not options.no_lttng:
        with tempfile.TemporaryDirectory() as work:
            theirs = measure_lttng(work)
    table(ours, theirs)
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"wtrace": ours, "lttng_ns": theirs}, f, indent=1)


main()
