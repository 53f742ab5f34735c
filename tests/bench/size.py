#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How large files are: wtrace beside LTTng-UST on the same events, and what a real compile takes. Every byte counts.

    size.py [--only ROW,ROW] [--samples N] [--hz HZ] [--seconds S] [--json FILE]

Rows:
  two       two integers from two threads without a pause; bytes per event
  sql       what a database writes, with strings, three processes, irregular gaps; beside LTTng's trace after zstd -3
  idle      one event a second, everything in the file within a second (LTTng: a switch timer); bytes a minute
  switch    sched_switch of a compile, without stacks; bytes each, and of the whole file
  sample    profile samples of a compile with full stacks; bytes per sample of the whole file
  encode    from records to blocks in a file, beside zstd -1 on the same records; CPU time per event

Machines are noisy and differ: nothing is asserted, limits stand beside the figures. Exit code 0 when it ran.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import bench
import peers

EVENTS = r"""
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER wt_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./events.h"
#if !defined(EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define EVENTS_H
#include <stdint.h>
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(wt_bench, two, LTTNG_UST_TP_ARGS(int32_t, a, int64_t, b),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int32_t, a, a) lttng_ust_field_integer(int64_t, b, b)))
LTTNG_UST_TRACEPOINT_EVENT(wt_bench, statement,
	LTTNG_UST_TP_ARGS(uint32_t, connection, const char *, sql, uint32_t, rows, int32_t, rc),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, connection, connection) lttng_ust_field_string(sql, sql)
			    lttng_ust_field_integer(uint32_t, rows, rows) lttng_ust_field_integer(int32_t, rc, rc)))
LTTNG_UST_TRACEPOINT_EVENT(wt_bench, step,
	LTTNG_UST_TP_ARGS(uint32_t, connection, const char *, table, uint64_t, page, uint32_t, bytes),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, connection, connection)
			    lttng_ust_field_string(table, table) lttng_ust_field_integer(uint64_t, page, page)
			    lttng_ust_field_integer(uint32_t, bytes, bytes)))
#endif
#include <lttng/tracepoint-event.h>
"""
SOURCE = r"""
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "events.h"
#include "tests/bench/size_work.h"

static void two(int32_t a, int64_t b)
{
	lttng_ust_tracepoint(wt_bench, two, a, b);
}

static void statement(uint32_t connection, const char *sql, uint32_t rows, int32_t rc)
{
	lttng_ust_tracepoint(wt_bench, statement, connection, sql, rows, rc);
}

static void step(uint32_t connection, const char *table, uint64_t page, uint32_t bytes)
{
	lttng_ust_tracepoint(wt_bench, step, connection, table, page, bytes);
}

int main(int argc, char **argv)
{
	static const struct size_work work = {two, statement, step};

	return size_main(argc, argv, &work);
}
"""
BUFFERS = 64 << 20


class Wtrace(peers.Wtrace):
    provider = "bench-size"
    writer = [f"{peers.ROOT}/build/tests/bench/sdk_size"]

    def sizes(self):
        return {"bytes": os.path.getsize(self.file)}

    def events(self):
        return counted(self.file, "bench-size")["count"]


class Lttng(peers.Lttng):
    events, source = EVENTS, SOURCE

    def sizes(self):
        """All files; and the streams with their metadata, without the index, through zstd -3 in one go."""
        files = [f for f in glob.glob(f"{self.trace}/**", recursive=True) if os.path.isfile(f)]
        kept = sorted(f for f in files if "/index/" not in f)
        whole = b"".join(open(f, "rb").read() for f in kept)
        packed = subprocess.run(["zstd", "-3", "-q", "-c"], input=whole, capture_output=True, check=True).stdout
        return {"bytes": sum(os.path.getsize(f) for f in files), "packed": len(packed)}


def counted(path, provider, event=None):
    """Events of the provider in a log and the bytes of their blocks."""
    lines = json.loads(subprocess.run([bench.WTRACE, "info", path, "--json"], capture_output=True, check=True).stdout)["lines"]
    found = [l for l in lines if l.get("provider") == provider and event in (None, l["event"])]
    return {"count": sum(l["count"] for l in found), "bytes": sum(l["bytes"] for l in found)}


def together(tool, calls):
    writers = [subprocess.Popen([*tool.writer, *map(str, call)], env=tool.env) for call in calls]
    if any(writer.wait() for writer in writers):
        sys.exit(f"size.py: a writer of {tool.name} failed")


def record(tool, calls, buffers, *more):
    tool.start(buffers, *more)
    together(tool, calls)
    if tool.stop() is None:
        sys.exit(f"size.py: {tool.name} did not stop")
    found = tool.sizes() | {"lost": tool.lost()}
    if tool.name == "wtrace":
        found["events"] = tool.events()
    tool.forget()
    return found


def row_two(tools, _):
    n = 1000000
    found = {t.name: record(t, [("two", 2, n)], BUFFERS) for t in tools}
    ours, peer = found["wtrace"], found["lttng"]
    peer["events"] = 2 * n - peer["lost"]
    each = [ours["bytes"] / ours["events"], peer["bytes"] / peer["events"], peer["packed"] / peer["events"]]
    print(f"two      wtrace {each[0]:.3f} B/event (limit 1.5), lost {ours['lost']}; LTTng {each[1]:.2f}, zstd -3 {each[2]:.2f}, "
          f"lost {peer['lost']}")
    return found


def row_sql(tools, _):
    found = {t.name: record(t, [("sql", seed, 20000) for seed in range(3)], BUFFERS) for t in tools}
    ours, peer = found["wtrace"], found["lttng"]
    ratio = (ours["bytes"] / ours["events"]) / (peer["packed"] / (ours["events"] + ours["lost"] - peer["lost"]))
    print(f"sql      wtrace {ours['bytes'] / ours['events']:.3f} B/event of {ours['events']}; LTTng {peer['bytes'] / ours['events']:.2f}, "
          f"zstd -3 {peer['packed'] / ours['events']:.3f}; ratio {ratio:.3f} (limit 0.4)")
    return found


def row_idle(tools, options):
    found, threads = {}, []

    def one(tool, more):
        found[tool.name] = record(tool, [("idle", options.seconds)], None, *more)

    for tool, more in zip(tools, ((), ("--switch-timer", "1000000"))):
        threads.append(threading.Thread(target=one, args=(tool, more)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    scale = 60 / options.seconds
    print(f"idle     wtrace {found['wtrace']['bytes'] * scale:.0f} B a minute, LTTng {found['lttng']['bytes'] * scale:.0f} "
          f"({options.seconds} s scaled); ratio {found['wtrace']['bytes'] / found['lttng']['bytes']:.4f} (limit 0.1)")
    return found


def compile_under(tool, seconds, args):
    """A compile that lasts so long; the log stays in tool.file."""
    work = bench.Work(seconds)
    subprocess.run([bench.WTRACE, "start", *args], check=True, env=tool.env, capture_output=True)
    work.run()
    tool.stop(600)


def row_switch(tools, options):
    tool = tools[0]
    compile_under(tool, options.seconds, ["-p", "linux:sched:sched_switch"])
    found = counted(tool.file, "linux:sched") | tool.sizes() | {"file": os.path.getsize(tool.file), "lost": tool.lost()}
    blocks = counted(tool.file, "linux:sched")["bytes"]
    print(f"switch   wtrace {blocks / found['count']:.2f} B each of {found['count']} (limit 6); "
          f"{found['file'] / found['count']:.2f} with every byte of the file")
    tool.forget()
    return found


def row_sample(tools, options):
    tool, event = tools[0], bench.usual_event()
    old = bench.prepare(options.hz)
    try:
        compile_under(tool, options.samples / options.hz / os.cpu_count(),
                      ["--stackwalk", "--unwind=tables", "-e", event, "-F", str(options.hz)])
    finally:
        bench.set_rate_limits(*old)
    found = counted(tool.file, "pmu-profile") | {"file": os.path.getsize(tool.file), "lost": tool.lost()}
    print(f"sample   wtrace {found['file'] / found['count']:.2f} B per sample of {found['count']}, all included "
          f"(limits: 41 of 20,000, 16 of 500,000)")
    tool.forget()
    return found


def row_encode(_, __):
    text = subprocess.run([f"{peers.ROOT}/build/tests/bench/drain_bench"], capture_output=True, check=True).stdout
    found = json.loads(text)
    encode = found["flush"]["median"]
    print(f"encode   columns to file {encode:.2f} ns, ring to columns {found['take']['median']:.2f} ns an event; zstd -1 on the records "
          f"{found['zstd']['median']:.2f} ns; ratio {encode / found['zstd']['median']:.3f} (limit 0.5), with taking "
          f"{(encode + found['take']['median']) / found['zstd']['median']:.3f}")
    return found


ROWS = {"two": row_two, "sql": row_sql, "idle": row_idle, "switch": row_switch, "sample": row_sample,
        "encode": row_encode}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(ROWS))
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--hz", type=int, default=997)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json", default=f"{peers.ROOT}/build/bench-size.json")
    options = parser.parse_args()
    wanted = options.only.split(",")
    if not set(wanted) <= set(ROWS):
        sys.exit(f"size.py: rows are {', '.join(ROWS)}")
    peers.isolate()
    results, begin = {}, time.monotonic()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        tools = [Wtrace(directory)]
        try:
            if {"two", "sql", "idle"} & set(wanted):
                tools.append(Lttng(directory))
            for name in wanted:
                results[name] = ROWS[name](tools, options)
        finally:
            for tool in tools:
                tool.close()
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"cpus": os.cpu_count(), "seconds": time.monotonic() - begin, "results": results}, f, indent=1)


if __name__ == "__main__":
    main()
