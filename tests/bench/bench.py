#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wtrace beside perf: the same machine-wide sampling with stacks over the same work, in turns, in one run.

    bench.py [--seconds S] [--hz HZ] [--repeat N] [--json FILE]

The work is a parallel compile of wtrace's own sources, repeated until it takes about S seconds. Every repetition runs
it once bare, once under perf, once under wtrace. Figures are medians over the repetitions; ratios are wtrace / perf.
Machines are noisy and differ: nothing is asserted, the limits are printed beside the figures. Exit code 0 when it ran.

What is measured:
  recording CPU   user + system time of the recorder's processes, from armed to the end of the work
  start to stop   the same from the start to the complete file
  whole way CPU   the same over everything: start, recording, stop, and one view (perf: record and report --stdio)
  whole way wait  wall time a person waits beyond the work: start to armed, stop, and the view
  file            size, and bytes per sample (the two take about the same number of samples)
  memory          RssAnon + RssShmem of the recorder's processes, sampled four times a second, and often while they stop
"""
import argparse
import glob
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WTRACE = f"{ROOT}/build/wtrace"
SYSCTL = "/proc/sys/kernel/"


def read(path, default=""):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return default


def run(cmd, **more):
    """Runs to the end; returns (wall seconds, CPU seconds, standard output)."""
    begin = time.monotonic()
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more) as child:
        out, err = [], []
        readers = [threading.Thread(target=lambda f, to: to.append(f.read()), args=a)
                   for a in ((child.stdout, out), (child.stderr, err))]
        for reader in readers:
            reader.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        for reader in readers:
            reader.join()
    if child.returncode != 0:
        sys.exit(f"bench.py: {' '.join(cmd)}: exit {child.returncode}\n{err[0].decode('utf-8', 'replace')}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, out[0].decode("utf-8", "replace")


def cpu_of(pids):
    """Exact seconds on a CPU of live processes, all their threads."""
    total = 0
    for pid in pids:
        for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
            total += int((read(path) or "0").split()[0])
    return total / 1e9


def memory_of(pids):
    total = 0
    for pid in pids:
        status = read(f"/proc/{pid}/status")
        total += sum(int(n) for n in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+) kB", status, re.M))
    return total * 1024


def family(pids):
    """The processes and the children they have now."""
    found = list(pids)
    for pid in found:
        for path in glob.glob(f"/proc/{pid}/task/*/children"):
            found += [int(child) for child in read(path).split() if int(child) not in found]
    return found


def wtrace_pids():
    found = []
    for exe in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(exe) == WTRACE:
                found.append(int(exe.split("/")[2]))
        except OSError:
            pass
    return found


class Watch(threading.Thread):
    """The highest memory of some processes and their children, and the CPU time they had used when last seen alive."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.peak, self.cpu, self.interval, self.done = pids, 0, {}, 0.25, False
        self.turn = threading.Event()  # the next look is due at once
        self.start()

    def look(self):
        pids = family(self.pids)
        self.peak = max(self.peak, memory_of(pids))
        for pid in pids:
            self.cpu[pid] = max(self.cpu.get(pid, 0), cpu_of([pid]))

    def run(self):
        while not self.done:
            self.turn.wait(self.interval)
            self.turn.clear()
            self.look()

    def hurry(self):
        """The processes are about to end: look often, from now on."""
        self.interval = 0.002
        self.turn.set()

    def stop(self):
        self.done = True
        self.turn.set()
        self.join()
        return self.peak, sum(self.cpu.values())


class Work:
    """`passes` times wtrace's libraries through gcc -O2, on all CPUs."""

    def __init__(self, seconds):
        found = (glob.glob(f"{ROOT}/tracecore/**/*.c", recursive=True)
                 + glob.glob(f"{ROOT}/consumers/**/*.c", recursive=True)
                 + glob.glob(f"{ROOT}/providers/perf/*.c") + glob.glob(f"{ROOT}/providers/sdk/*.c"))
        # Examples are built against what is installed, and some files with what the build makes first and names by -D.
        made = re.compile("|".join(re.findall(r"-D(WT_\w+)='", read(f"{ROOT}/Makefile")) + ["WT_BPF_EMBED"]))
        self.sources = sorted(path for path in found if "/examples/" not in path and not made.search(read(path)))
        self.passes = 1
        once = self.run()
        self.passes = max(1, round(seconds / once))

    def run(self):
        compile_one = f"gcc -std=gnu11 -D_GNU_SOURCE -I{ROOT} -O2 -g -c -o /dev/null {{}}"
        names = "\n".join(self.sources * self.passes) + "\n"
        begin = time.monotonic()
        subprocess.run(["xargs", "-P", str(os.cpu_count()), "-I", "{}", *compile_one.split()], input=names.encode(),
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - begin


def perf_armed(directory, options, output):
    """Starts perf record machine-wide with options of what and how; returns when it counts. Collecting build
    ids at its end aborted on large files here, and left nothing to report: the kernel gives them with the mappings, which
    also spares perf work. Without them perf could not read what it had recorded beside another session that asks for them:
    Linux marks the mappings of both as carrying one."""
    for name in ("control", "ack"):
        os.mkfifo(f"{directory}/{name}")
    begin = time.monotonic()
    child = subprocess.Popen(["perf", "record", "-q", "--buildid-mmap", "-a", *options, "-o", output, "-D", "-1",
                              f"--control=fifo:{directory}/control,{directory}/ack"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with open(f"{directory}/control", "w", encoding="ascii") as control, open(f"{directory}/ack", encoding="ascii") as ack:
        control.write("enable\n")
        control.flush()
        ack.readline()
    return child, time.monotonic() - begin


def record_perf(work, event, hz, keep, graph="-g"):
    with tempfile.TemporaryDirectory() as directory:
        child, armed = perf_armed(directory, [graph, "-e", event, "-F", str(hz)], keep)
        watch, before = Watch([child.pid]), cpu_of([child.pid])
        seconds = work.run()
        recording = cpu_of([child.pid]) - before
        watch.hurry()
        peak_recording = watch.peak
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        child.stderr.close()
        stop = time.monotonic() - begin
        peak, _ = watch.stop()
    return {"work_seconds": seconds, "armed_seconds": armed, "recording_cpu": recording, "stop_seconds": stop,
            "record_cpu": usage.ru_utime + usage.ru_stime, "file_bytes": os.path.getsize(keep), "peak_bytes": peak,
            "peak_recording_bytes": peak_recording}


def run_perf(work, event, hz, keep):
    result = record_perf(work, event, hz, keep)
    view_wall, view_cpu, text = run(["perf", "report", "-i", keep, "--stdio"])
    flat_wall, _, _ = run(["perf", "report", "-i", keep, "--stdio", "--no-children", "-g", "none"])
    samples = sum(sample_count(n) for n in re.findall(r"^# Samples: (\S+) ", text, re.M))
    if not samples:
        sys.exit("bench.py: perf report shows no samples: there is nothing to compare with")
    return finished(result, samples, view_wall, view_cpu) | {"view_flat_seconds": flat_wall}


def finished(result, samples, view_wall, view_cpu):
    return result | {
        "samples": samples, "view_seconds": view_wall, "view_flat_seconds": view_wall,
        "whole_cpu": result["record_cpu"] + view_cpu,
        "whole_wait": result["armed_seconds"] + result["stop_seconds"] + view_wall}


def sample_count(word):
    """perf shortens: 1K, 1M."""
    return float(word[:-1]) * {"K": 1e3, "M": 1e6}[word[-1]] if word[-1] in "KM" else float(word)


def record_wtrace(work, event, hz, keep, unwind="fp"):
    armed, start_cpu, _ = run([WTRACE, "start", "-p", "pmu-profile,loader,proc_thread", "--stackwalk", "-e", event,
                               "-F", str(hz), "-s", "bench", f"--unwind={unwind}"])
    pids = wtrace_pids()
    watch, before = Watch(pids), cpu_of(family(pids))
    seconds = work.run()
    recording, peak_recording = cpu_of(family(pids)) - before, watch.peak
    watch.hurry()
    stop, stop_cpu, _ = run([WTRACE, "stop", "-s", "bench", "-o", keep, "--force"])
    peak, session_cpu = watch.stop()
    return {"work_seconds": seconds, "armed_seconds": armed, "recording_cpu": recording, "stop_seconds": stop,
            "record_cpu": start_cpu + session_cpu + stop_cpu, "file_bytes": os.path.getsize(keep), "peak_bytes": peak,
            "peak_recording_bytes": peak_recording}


def run_wtrace(work, event, hz, keep):
    """perf record -g follows frame pointers; so does this."""
    result = record_wtrace(work, event, hz, keep)
    view, view_cpu, table = run([WTRACE, "view", keep, "--group-by", "function"])
    samples = re.search(r"the (\d+) samples counted here", table)
    return finished(result, int(samples.group(1)) if samples else 0, view, view_cpu)


ROWS = [  # title, key, unit, divisor, limit of the ratio
    ("recording CPU", "recording_cpu", "s", 1, 1.0),
    ("start to stop CPU", "record_cpu", "s", 1, None),
    ("whole way CPU", "whole_cpu", "s", 1, 0.5),
    ("whole way wait", "whole_wait", "s", 1, 0.5),
    ("start to armed", "armed_seconds", "s", 1, None),
    ("stop", "stop_seconds", "s", 1, None),
    ("view by function", "view_seconds", "s", 1, 0.1),
    ("  beside a flat report", "view_flat_seconds", "s", 1, None),
    ("samples", "samples", "", 1, None),
    ("file", "file_bytes", "MB", 1e6, 0.2),
    ("bytes per sample", "bytes_per_sample", "B", 1, 0.2),
    ("memory while recording", "peak_recording_bytes", "MB", 1e6, None),
    ("memory at the peak", "peak_bytes", "MB", 1e6, None),
    ("work under recording", "work_seconds", "s", 1, None),
]


def summary(runs):
    rows = []
    for title, key, unit, divisor, limit in ROWS:
        ours, peer = (statistics.median(r[key] for r in runs[tool]) / divisor for tool in ("wtrace", "perf"))
        rows.append({"name": title.strip(), "title": title, "unit": unit, "wtrace": ours, "perf": peer,
                     "ratio": ours / peer if peer else None, "limit": limit})
    return rows


def show(rows, bare):
    print(f"{'':<24}{'wtrace':>12}{'perf':>12}      {'ratio':>8}  limit")
    for row in rows:
        ratio = f"{row['ratio']:8.3f}" if row["ratio"] is not None else f"{'-':>8}"
        limit = f"  {row['limit']}" if row["limit"] else ""
        print(f"{row['title']:<24}{row['wtrace']:12.3f}{row['perf']:12.3f} {row['unit']:<4} {ratio}{limit}")
    print(f"{'work alone':<24}{bare:12.3f} s; memory limit of wtrace 64 MB")


def set_sysctl(name, value):
    with open(SYSCTL + name, "w", encoding="ascii") as f:
        f.write(value)


def set_rate_limits(rate, percent):
    """The kernel takes a new rate only while its own throttling is on (percent neither 0 nor 100)."""
    set_sysctl("perf_cpu_time_max_percent", "25")
    set_sysctl("perf_event_max_sample_rate", rate)
    set_sysctl("perf_cpu_time_max_percent", percent)


def prepare(hz):
    """Lets the kernel sample that fast; returns what to put back."""
    old = [read(SYSCTL + name).strip() for name in ("perf_event_max_sample_rate", "perf_cpu_time_max_percent")]
    set_rate_limits(str(max(hz, 100000)), "0")
    return old


def usual_event():
    has_pmu = subprocess.run(["perf", "stat", "-x,", "-e", "cycles", "true"], capture_output=True, text=True,
                             check=False).stderr
    return "cpu-clock" if "not supported" in has_pmu or not has_pmu else "cycles"


def measure(options):
    event = usual_event()
    work = Work(options.seconds)
    runs = {"bare": [], "perf": [], "wtrace": []}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        for number in range(options.repeat):
            runs["bare"].append({"work_seconds": work.run()})
            for tool, function in (("perf", run_perf), ("wtrace", run_wtrace)):
                result = function(work, event, options.hz, f"{directory}/{tool}.data")
                result["bytes_per_sample"] = result["file_bytes"] / max(1, result["samples"])
                runs[tool].append(result)
            print(f"bench.py: repetition {number + 1} of {options.repeat} done", file=sys.stderr)
    return event, work, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hz", type=int, default=9999)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", default=f"{ROOT}/build/bench.json")
    options = parser.parse_args()
    if os.geteuid() != 0:
        os.execvp("sudo", ["sudo", sys.executable, *sys.argv])
    if not shutil.which("perf"):
        sys.exit("bench.py: perf is missing; tests/deps.sh bench installs it")
    old = prepare(options.hz)
    try:
        event, work, runs = measure(options)
    finally:
        set_rate_limits(*old)
    rows = summary(runs)
    bare = statistics.median(r["work_seconds"] for r in runs["bare"])
    print(f"{event} at {options.hz} Hz on {os.cpu_count()} CPUs, compile of {bare:.0f} s ({work.passes} passes), "
          f"medians of {options.repeat}")
    show(rows, bare)
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"kernel": platform.release(), "cpus": os.cpu_count(), "event": event, "hz": options.hz,
                   "passes": work.passes, "rows": rows, "runs": runs}, f, indent=1)
    print(f"all figures: {os.path.relpath(options.json)}")


if __name__ == "__main__":
    main()
