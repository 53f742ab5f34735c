#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The test runner: run.py [--variant V] [--update] check | all | STAGE...

A stage is a list of test cases: one per test point (TAP: "ok N - name") of the programs it runs, one per build.
Logs go to build/log/STAGE.log; a stage that fails shows the end of what failed. The last line is
"N passed, N failed[, N skipped]"; the exit code is 0 when nothing failed. With CI set a skip is a failure, and so
is a test program that ends without having announced and delivered its plan (1..N).
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = "build/log"
ARM_ROOT = "build/arm64-root"
SLOTS = 2
UNIT_SECONDS = {"release": 60}  # what a unit test may take; the builds that are not listed are slow ones
NEEDS_KERNEL = ("live_test", "rundown_test")  # tests that qemu's user mode cannot serve: the arm64 VM runs them
NEEDS_HOST = ("disasm_test",)  # libLLVM and the other architecture's objdump: arm64's are not unpacked
POINT = re.compile(r"^\s*(ok|not ok)\b\s*\d*\s*-?\s*(.*?)\s*(#\s*SKIP\b\s*(.*))?$", re.I)
PLAN = re.compile(r"^1\.\.(\d+)\s*(#\s*SKIP\b.*)?$", re.I)


def where_they_are(session):
    """What hangs: the processes of a session, and where their threads are."""
    found = []
    for pid in sorted(int(p) for p in os.listdir("/proc") if p.isdigit()):
        try:
            if os.getsid(pid) != session:
                continue
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                found.append(f"# {pid}: " + f.read().replace(b"\0", b" ").decode("utf-8", "replace"))
            gdb = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all backtrace 12"]
            done = subprocess.run(gdb, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired) as error:
            found.append(f"#   {error}")
            continue
        text = done.stdout.decode("utf-8", "replace")
        found += ["#   " + line for line in text.splitlines() if line.startswith(("#", "Thread"))]
    return "\n".join(found) + "\n"


class Stage:
    """Runs commands, keeps their output in one log, and counts their test points."""

    def __init__(self, name, work, after=(), requires=(), slots=1):
        """after: stages to wait for; requires: wait, and do not start when one of these failed."""
        self.name, self.work, self.slots = name, work, slots
        self.after, self.requires = (*after, *requires), requires
        self.passed, self.failed, self.skipped, self.shown, self.notes = 0, [], [], [], []
        self.ok, self.seconds = None, 0.0
        self.log, self.writing, self.counting = None, threading.Lock(), threading.Lock()
        self.taken = []  # (seconds, command line) of each command

    def point(self, good, name, note=""):
        with self.counting:
            if good:
                self.passed += 1
            else:
                self.failed.append(name + (f": {note}" if note else ""))

    def skip(self, name, why):
        self.skipped.append(f"{name}: {why}")

    def execute(self, cmd, env=None, timeout=900, cwd=None):
        """Returns (exit code, output); the code of a timeout is None."""
        shown = " ".join(cmd)
        start = time.monotonic()
        full = dict(os.environ, **(env or {}))
        with subprocess.Popen(cmd, env=full, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as child:
            try:
                out, _ = child.communicate(timeout=timeout)
                code = child.returncode
            except subprocess.TimeoutExpired:
                where = where_they_are(child.pid)
                os.killpg(child.pid, 9)
                out, _ = child.communicate()
                out += f"\n# no end after {timeout} s\n{where}".encode()
                code = None
        text = out.decode("utf-8", "replace")
        seconds = time.monotonic() - start
        end = f"--- {'timeout' if code is None else f'exit {code}'}, {seconds:.1f} s\n"
        with self.writing:
            self.taken.append((seconds, shown))
            self.log.write(f"--- {shown}\n" + text + ("" if text.endswith("\n") or not text else "\n") + end)
            self.log.flush()
        return code, text

    def slowest(self, most=10):
        """Where the stage's time went: the lines that its log ends with."""
        first = sorted(self.taken, reverse=True)[:most]
        return "".join(f"slowest: {seconds:7.1f} s  {' '.join(shown.split())[:200]}\n" for seconds, shown in first)

    def build(self, name, cmd, timeout=900):
        code, text = self.execute(cmd, timeout=timeout)
        self.point(code == 0, name, "" if code == 0 else f"exit {code}")
        if code != 0:
            self.remember(name, text)
        return code == 0

    def remember(self, name, text):
        """Keeps what a failed program said around each failure, and its end, to be shown."""
        lines = [l for l in text.splitlines() if not re.match(r"\s*(ok \d|CC |LD |AR )", l)]
        near = set(range(len(lines) - 20, len(lines)))
        for at in [i for i, l in enumerate(lines) if re.match(r"\s*not ok\b", l)][:10]:
            near.update(range(at - 3, at + 8))
        self.shown += [f"--- {name}"] + [l for i, l in enumerate(lines) if i in near]

    def tap(self, name, cmd, env=None, timeout=300):
        """True when every point was passed, and none skipped."""
        code, text = self.execute(cmd, env, timeout)
        before = len(self.failed), len(self.skipped)
        self.count_points(name, text, code)
        if len(self.failed) > before[0]:
            self.remember(name, text)
        return before == (len(self.failed), len(self.skipped))

    def count_points(self, name, text, code):
        planned, seen, bad = 0, 0, False
        for line in text.split("\n"):
            plan = PLAN.match(line.strip())
            found = POINT.match(line)
            if plan:
                planned += int(plan.group(1))
            elif found:
                seen += 1
                label = f"{name}: {found.group(2)}"
                if found.group(3):
                    self.skip(label, found.group(4))
                elif found.group(1).lower() == "not ok":
                    self.point(False, label)
                    bad = True
                else:
                    self.point(True, label)
        if seen != planned or (not seen and code == 0):
            self.point(False, name, f"{seen} of {planned} planned test points, exit {code}")
        elif code != 0 and not bad:
            self.point(False, name, "timeout" if code is None else f"exit {code}")


def as_root(cmd, env=None):
    """The command line that runs cmd as root; sudo would not keep the environment."""
    if os.geteuid() == 0:
        return cmd
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "CI", "TMPDIR") or k.startswith("WT_")}
    kept.update(env or {})
    return ["sudo", "-n", "env", *[f"{k}={v}" for k, v in kept.items()], *cmd]


def build_directory(variant):
    return "build" if variant == "release" else f"build/{variant}"


def make(stage, variant, *targets):
    cmd = ["make", f"-j{SLOTS}", f"VARIANT={variant}", "WERROR=1", *targets]
    return stage.build(f"make {variant} {' '.join(targets)}", cmd)


def build_stage(variant, *targets):
    return lambda stage: make(stage, variant, *targets)


class Passed:
    """Slow unit tests that passed in this tree. `make check` runs them again when their program, which holds all the code
    that they test, or the data that tests read, has changed; all other stages run them always."""
    SLOW = 0.5  # seconds
    DATA = ("manifests/**", "tests/golden*/**")

    def __init__(self):
        files = sorted(f for pattern in self.DATA for f in glob.glob(pattern, recursive=True) if os.path.isfile(f))
        self.data = hashlib.sha256(os.uname().release.encode())
        for name in files:
            with open(name, "rb") as f:
                self.data.update(name.encode() + f.read())
        self.left_out = []

    def key(self, program):
        key = self.data.copy()
        with open(program, "rb") as f:
            key.update(f.read())
        return key.hexdigest()

    def has(self, name, program):
        if read(f"build/passed/{name}") != self.key(program):
            return False
        self.left_out.append(name)
        return True

    def note(self, name, program, seconds):
        """seconds: None when it failed."""
        path = f"build/passed/{name}"
        if os.path.exists(path):
            os.remove(path)
        if seconds is not None and seconds >= self.SLOW:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.key(program))


def run_unit(stage, variant, source, whole, passed=None):
    name = source[len("tests/unit/"):-len(".c")]
    live = name.endswith("live_test")
    if variant == "arm64" and name.endswith(NEEDS_KERNEL + NEEDS_HOST):
        return
    cmd = [f"{build_directory(variant)}/{source[:-2]}"]
    if variant == "arm64":
        cmd = ["qemu-aarch64-static", "-L", ARM_ROOT] + cmd
    env = {"CMOCKA_MESSAGE_OUTPUT": "TAP", **({"WT_WHOLE": "1"} if whole else {})}
    if passed and passed.has(name, cmd[0]):
        return
    start = time.monotonic()
    good = stage.tap(name, as_root(cmd, env) if live else cmd, env, UNIT_SECONDS.get(variant, 300))
    if passed:
        passed.note(name, cmd[0], time.monotonic() - start if good else None)


def run_units(stage, variant, whole, at_once, quick):
    if not make(stage, variant, "unit-build"):
        return
    passed = Passed() if quick else None
    sources = sorted(glob.glob("tests/unit/**/*_test.c", recursive=True))
    live = [source for source in sources if source.endswith("live_test.c")]  # what they see of the kernel is theirs alone
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        list(pool.map(lambda source: run_unit(stage, variant, source, whole, passed),
                      [s for s in sources if s not in live]))
    for source in live:
        run_unit(stage, variant, source, whole, passed)
    if passed and passed.left_out:
        stage.notes.append(f"{len(passed.left_out)} of {len(sources)} tests, slow and unchanged since they passed, were not run")


def unit_stage(variant, whole="WT_WHOLE" in os.environ, at_once=1, quick=False):
    """whole: exhaustive tests leave nothing out (tests/unit/extent.h). quick: see Passed."""
    return lambda stage: run_units(stage, variant, whole, at_once, quick)


# Cuts and damages of logs; kills of their writers within a write.
FAULTS = os.environ.get("WT_FAULTS", "200 5000")
LOG_KILLS = os.environ.get("WT_LOG_KILLS", "20")
# What a script with real sessions may take; its own long form is asked for by variables that it names.
SCRIPT_SECONDS = int(os.environ.get("WT_SCRIPT_SECONDS", "650"))
# Damaged logs whose cost is measured.
BOUNDS = os.environ.get("WT_BOUNDS", "3000")


def fuzz_replay(stage):
    if not make(stage, "asan", "fuzz-build"):
        return
    for source in sorted(glob.glob("tests/fuzz/fuzz_*.c")):
        name = os.path.basename(source)[len("fuzz_"):-len(".c")]
        files = sorted(f for f in glob.glob(f"tests/fuzz/corpus/{name}/*") if os.path.isfile(f))
        stage.tap(f"fuzz {name}", [f"build/asan/tests/fuzz/fuzz_{name}"] + files)
    faults, kills = "build/asan/tests/stress/log_faults", "build/asan/tests/stress/log_kills"
    if make(stage, "asan", faults, kills):
        stage.tap("log faults", [faults, *FAULTS.split()], timeout=7200)
        stage.tap("log kills", [kills, LOG_KILLS], timeout=7200)


def first_include(path):
    """The header that a file includes before anything else; None when something else comes first."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", read(path), flags=re.S).lstrip()
    found = re.match(r'#include "([^"]+)"', text)
    return found and found.group(1)


def compiled_alone(sources):
    """Headers that the build has compiled alone: the first thing in a file whose object is newer than the header."""
    found = set()
    for source in [s for s in sources if s.endswith(".c")]:
        header, built = first_include(source), f"build/obj/{source[:-2]}.o"
        if header and os.path.exists(built) and os.path.exists(header):
            if os.path.getmtime(built) > max(os.path.getmtime(header), os.path.getmtime(source)):
                found.add(header)
    return found


def unchanged_since(stamp, files):
    """No file is younger than the stamp, or as old."""
    return os.path.exists(stamp) and all(
        os.path.exists(f) and os.path.getmtime(f) < os.path.getmtime(stamp) for f in files)


def alone(stage, header):
    """Compiles a header alone, again when it or one that it includes has changed: make's rule for the header."""
    rule = f"build/alone/{header}.d"
    needs = read(rule).replace("\\\n", " ").split()[1:]
    if needs and unchanged_since(rule, needs):
        stage.point(True, f"alone: {header}")
        return
    os.makedirs(os.path.dirname(rule), exist_ok=True)
    if not stage.build(f"alone: {header}", ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-I.",
                                            "-fsyntax-only", "-MMD", "-MT", "alone", "-MF", rule, "-include", header,
                                            "-x", "c", "/dev/null"]):
        os.path.exists(rule) and os.remove(rule)


def format_of(stage, sources):
    """Looks at the files that have changed since all were in order."""
    stamp = "build/formatted"
    begun = time.time()
    changed = [s for s in sources if not unchanged_since(stamp, [s, ".clang-format"])]
    if stage.build("clang-format", ["clang-format", "--dry-run", "-Werror"] + changed if changed else ["true"]):
        open(stamp, "w", encoding="utf-8").close()
        os.utime(stamp, (begun, begun))


def tidy(stage, whole):
    """whole: with the tests of these checks and of the runner."""
    sources = subprocess.run(["tests/tidy/sources.sh"], capture_output=True, text=True, check=True).stdout.split()
    stage.build("layers", ["awk", "-f", "tests/tidy/check_layers.awk", "tests/tidy/layers.txt"] + sources)
    compiled = [s for s in sources if s.endswith(".c") and os.path.exists(f"build/obj/{s[:-2]}.o")]
    stage.build("no circles of files", ["tests/tidy/check_circles.py", "build/obj"] +
                [s for s in compiled if not s.startswith("tests/")])
    format_of(stage, sources)
    library = ["--library", "build/internal.a"] if os.path.exists("build/internal.a") else []
    stage.tap("tidy", ["tests/tidy/check_tidy.py"] + library)
    if whole:
        stage.tap("tidy selftest", ["tests/tidy/selftest.sh"])
        stage.tap("runner selftest", ["tests/tidy/runner_selftest.py"])
    for script in sorted(glob.glob("tests/tidy/check_*.sh")):
        stage.tap(os.path.basename(script), [script])
    built = compiled_alone(sources)
    for header in [s for s in sources if s.endswith(".h")]:
        if header in built:
            stage.point(True, f"alone: {header}")
            continue
        alone(stage, header)


def matches(expected, actual):
    """Lines match as file name patterns; a line "..." stands for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[n:]) for n in range(len(actual) + 1))
    return bool(actual) and fnmatch.fnmatchcase(actual[0], expected[0]) and matches(expected[1:], actual[1:])


def read(path, default=""):
    if not os.path.exists(path):
        return default
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def compare(stem, stream, actual):
    if os.path.exists(f"{stem}.{stream}.glob"):
        return matches(read(f"{stem}.{stream}.glob").splitlines(), actual.splitlines())
    return actual == read(f"{stem}.{stream}")


def cli_case(stage, script, update):
    stem = os.path.abspath(script)[: -len(".sh")]
    name = f"cli {os.path.basename(stem)}"
    with tempfile.TemporaryDirectory() as cwd:
        env = dict(os.environ, PATH=f"{ROOT}/build:{os.environ['PATH']}", WT_ROOT=ROOT, LC_ALL="C.UTF-8",
                   WTRACE_RUNTIME=f"{cwd}/.run", WTRACE_SPOOL=f"{cwd}/.spool", WTRACE_UNWIND_CACHE=f"{cwd}/.tables")
        try:
            done = subprocess.run(["sh", "-u", stem + ".sh"], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            stage.point(False, name, "timeout")
            return
    got = {"stdout": done.stdout.decode("utf-8", "replace"), "stderr": done.stderr.decode("utf-8", "replace"),
           "exit": f"{done.returncode}\n"}
    stage.log.write(f"--- {name}\n{got['stdout']}{got['stderr']}exit {got['exit']}")
    if update:
        for stream, text in got.items():
            default = "0\n" if stream == "exit" else ""
            if not os.path.exists(f"{stem}.{stream}.glob") and text != read(f"{stem}.{stream}", default):
                with open(f"{stem}.{stream}", "w", encoding="utf-8") as f:
                    f.write(text)
    wrong = [s for s in ("stdout", "stderr") if not compare(stem, s, got[s])]
    if done.returncode != int(read(f"{stem}.exit", "0")):
        wrong.append(f"exit code {done.returncode}")
    stage.point(not wrong, name, ", ".join(wrong) + " differ" if wrong else "")


def cli_stage(update):
    def work(stage):
        prepare_kernel(stage)
        for script in sorted(glob.glob("tests/cli/*.sh")):
            cli_case(stage, script, update)
    return work


def prepare_kernel(stage):
    """tracefs, and the kernel's own defaults for sampling: it may have lowered the rate on a busy machine."""
    if not os.path.exists("/sys/kernel/tracing/events"):
        stage.execute(as_root(["mount", "-t", "tracefs", "nodev", "/sys/kernel/tracing"]))
    stage.execute(as_root(["sysctl", "-q", "kernel.perf_cpu_time_max_percent=25",
                           "kernel.perf_event_max_sample_rate=100000"]))


def of_script(mark):
    """The processes that a script started, daemons too: {pid: command line}. They have its mark in their environment."""
    found = {}
    for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if b"WT_SCRIPT=" + mark.encode() not in f.read().split(b"\0"):
                    continue
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                found[int(pid)] = f.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:
            continue  # it has ended, or is another user's
    return found


def still_there(mark):
    """What is left of a script. One that is just beginning another program shows no environment for a moment."""
    left = of_script(mark)
    if not left:
        time.sleep(0.05)
        left = of_script(mark)
    return left


def nothing_left(stage, name, mark, seconds=10):
    """A script that leaves processes behind has failed; they are ended, since what runs after it must not meet them."""
    end = time.monotonic() + seconds
    left = still_there(mark)
    while left and time.monotonic() < end:
        time.sleep(0.1)
        left = still_there(mark)
    for pid, command in left.items():
        stage.point(False, f"{name}: left behind: {command}")
        stage.execute(as_root(["kill", "-KILL", str(pid)]))


def run_script(stage, script):
    name = os.path.basename(script)[: -len(".sh")]
    mark = f"{name}-{os.getpid()}-{time.monotonic_ns()}"
    env = {"WT_ROOT": ROOT, "PATH": f"{ROOT}/build:{os.environ['PATH']}", "WT_SCRIPT": mark}
    stage.tap(name, as_root([script], env), env, SCRIPT_SECONDS)
    nothing_left(stage, name, mark)


def says(script, line):
    """Whether a script's header has that line."""
    with open(script, encoding="utf-8") as f:
        return f"\n# {line}\n" in f.read(4000)


def rows_of(scripts):
    """Three rows: scripts that want nothing at all beside them, as what they compare is the whole machine's; those that want
    nothing but scripts of the last row beside them; and these, which measure nothing and have their own places."""
    alone = [s for s in scripts if says(s, "Runs alone.")]
    beside = [s for s in scripts if s not in alone and says(s, "Runs beside others.")]
    return alone, [s for s in scripts if s not in alone + beside], beside


def in_rows(alone, rest, beside, work):
    """The first row, then the two others at the same time. Who is done with the second helps with the third: both end together."""
    for script in alone:
        work(script)
    waiting, taking = list(beside), threading.Lock()

    def others():
        while True:
            with taking:
                if not waiting:
                    return
                script = waiting.pop(0)
            work(script)

    def second():
        for script in rest:
            work(script)
        others()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for row in [pool.submit(second), pool.submit(others)]:
            row.result()


def run_scripts(stage, directory):
    """Every script of a directory but those that others read, with real sessions, as root."""
    prepare_kernel(stage)
    scripts = [s for s in sorted(glob.glob(f"{directory}/*.sh")) if os.path.basename(s) not in ("lib.sh", "user.sh", "victim.sh")]
    in_rows(*rows_of(scripts), lambda script: run_script(stage, script))


def scripts_stage(directory):
    return lambda stage: run_scripts(stage, directory)


def stress(stage):
    if not make(stage, "release", "stress-build"):
        return
    seconds, kills = os.environ.get("WT_STRESS_SECONDS", "20"), os.environ.get("WT_STRESS_KILLS", "5000")
    stage.tap("ring stress", ["build/tests/stress/ring_stress", seconds], timeout=1800)
    stage.tap("children of vfork", ["build/tests/stress/ring_vfork", str(min(int(kills), 20000))], timeout=600)
    stage.tap("log faults", ["build/tests/stress/log_faults", *FAULTS.split()], timeout=3600)
    stage.tap("log kills", ["build/tests/stress/log_kills", LOG_KILLS], timeout=3600)
    logs = sorted(glob.glob("tests/golden/*.wtl") + glob.glob("tests/cli/*.etl") + glob.glob("tests/fuzz/corpus/log_reader/*"))
    stage.tap("log bounds", ["build/tests/stress/log_bounds", BOUNDS, *logs], timeout=900)
    stage.tap("ring kills", ["build/tests/stress/ring_kill", kills], timeout=7200)


def stackwalk(extent, stops):
    """Every instruction of a corpus, and programs of the distribution against gdb."""
    def work(stage):
        if not make(stage, "release", "stackwalk-build"):
            return
        gdb = ["tests/stackwalk/gdb_compare.sh", f"{ROOT}/build", stops, extent]
        stage.tap("stackwalk", ["tests/stackwalk/run.sh", f"{ROOT}/build", extent], timeout=3600)
        stage.tap("stackwalk gdb", as_root(gdb), timeout=1800)
    return work


def install_tree(stage):
    with tempfile.TemporaryDirectory() as target:
        if not stage.build("make install", ["make", "install", f"DESTDIR={target}", "PREFIX=/opt/w"]):
            return
        for path in ("bin/wtrace", "share/man/man1/wtrace.1", "share/bash-completion/completions/wtrace",
                     "include/wtrace.h", "lib/libwtrace.so", "lib/libwtrace.a", "lib/pkgconfig/wtrace.pc",
                     "include/wtrace_reader.h", "lib/libwtrace-reader.so", "lib/libwtrace-reader.a",
                     "lib/pkgconfig/wtrace-reader.pc", "share/man/man3/wtrace.3", "share/man/man3/wtrace-reader.3"):
            stage.point(os.path.exists(f"{target}/opt/w/{path}"), f"installed {path}")
        code, _ = stage.execute([f"{target}/opt/w/bin/wtrace", "--version"])
        stage.point(code == 0, "the installed program runs")


def machine(name):
    """amd64 comes first: what builds modules, for both, comes with it."""
    def work(stage):
        if stage.build(f"vm download {name}", ["tests/vm/fetch.sh", "kernel", f"build/vm/{name}", name]):
            stage.tap(f"vm {name}", ["tests/vm/machine.sh", name, "all"], timeout=900)
    return work


def all_stages(options):
    quick = "check" in options.stages
    return [
        Stage("build", build_stage("release", "all", "programs"), slots=2),
        Stage("arm64-root", lambda s: s.build("arm64 root", ["make", f"{ARM_ROOT}/ready"])),
        Stage("tidy", lambda s: tidy(s, not quick), ["build"]),
        Stage("unit", unit_stage("release", not quick, 3 if quick else 1, quick), ["build"]),
        Stage("vm-amd64", machine("amd64"), ["unit"], ["build"]),
        Stage("build-clang", build_stage("clang", "all", "unit-objects"), ["unit"]),
        Stage("build-arm64", build_stage("arm64", "all", "programs", "unit-build", "stress-build"), ["unit"],
              ["arm64-root"]),
        Stage("vm-arm64", machine("arm64"), ["vm-amd64"], ["build-arm64"]),
        Stage("unit-asan", unit_stage("asan"), ["build-clang"]),
        Stage("fuzz", fuzz_replay, ["unit-asan"]),
        Stage("unit-arm64", unit_stage("arm64"), requires=["build-arm64"]),
        Stage("spin", lambda s: s.tap("spin", ["tests/spin/run.sh"]), ["build"]),
        Stage("stress", stress, ["unit-asan"], ["build"]),
        Stage("stackwalk", stackwalk("short", "25"), requires=["build"]),
        Stage("stackwalk-all", stackwalk("all", "100"), requires=["build"]),
        Stage("cli", cli_stage(options.update), requires=["build"]),
        Stage("spin-enable", lambda s: s.tap("spin enable", ["tests/spin/enable.sh"]), ["build"]),
        Stage("install", install_tree, requires=["build"]),
        Stage("integration", scripts_stage("tests/integration"), ["vm-arm64", "vm-amd64", "fuzz", "unit-arm64"], ["build"],
              slots=2),
        Stage("attack", scripts_stage("tests/attack"), ["integration"], ["build"], slots=2),
    ]


CHECK = ("build", "unit", "tidy", "cli")
NIGHTLY = ("stackwalk-all",)  # not in `all`: too long for every change


def run_stage(stage):
    start = time.monotonic()
    with open(f"{LOGS}/{stage.name}.log", "w", encoding="utf-8") as stage.log:
        try:
            stage.work(stage)
        except Exception as error:  # a broken stage is a failure, not the end of the run
            stage.point(False, stage.name, repr(error))
            stage.log.write(repr(error) + "\n")
        stage.log.write(stage.slowest())
    stage.seconds = time.monotonic() - start
    if not stage.passed and not stage.failed and not stage.skipped:
        stage.point(False, stage.name, "nothing ran")
    stage.ok = not stage.failed


def show(stage):
    state = "ok    " if stage.ok else "FAILED"
    skipped = f", {len(stage.skipped)} skipped" if stage.skipped else ""
    print(f"{state} {stage.name:<12} {stage.passed:5d} passed{skipped}, {stage.seconds:6.1f} s", flush=True)
    for note in stage.notes:
        print(f"       {note}")
    for name in stage.failed:
        print(f"       not ok: {name}")
    for name in stage.skipped:
        print(f"       skipped: {name}")
    if not stage.ok:
        print("       " + "\n       ".join(stage.shown[-120:] + [f"whole log: {LOGS}/{stage.name}.log"]), flush=True)


def ready(stage, chosen):
    """True to start, False to leave out (what it requires failed), None to wait."""
    if any(s.ok is None for s in chosen if s.name in stage.after):
        return None
    return all(s.ok for s in chosen if s.name in stage.requires)


def run_all(chosen):
    """Starts stages as what they need is done and slots are free."""
    waiting, running, free = list(chosen), {}, SLOTS
    while waiting or running:
        for stage in list(waiting):
            state = ready(stage, chosen)
            if state is False:
                stage.point(False, stage.name, "not run: what it requires failed")
                stage.ok = False
                waiting.remove(stage)
                open(f"{LOGS}/{stage.name}.log", "w", encoding="utf-8").close()
                show(stage)
            elif state and stage.slots <= free:
                free -= stage.slots
                waiting.remove(stage)
                running[stage] = threading.Thread(target=run_stage, args=(stage,))
                running[stage].start()
            elif state:
                break  # a big stage waits for its slots: nothing later overtakes it for ever
        for stage, thread in list(running.items()):
            thread.join(0.05)
            if not thread.is_alive():
                del running[stage]
                free += stage.slots
                show(stage)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="release", help="for the stage `unit`")
    parser.add_argument("--update", action="store_true", help="write the expected output of CLI tests anew")
    parser.add_argument("stages", nargs="*", default=["check"])
    options = parser.parse_args()
    os.chdir(ROOT)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))  # as users have
    os.makedirs(LOGS, exist_ok=True)
    every = all_stages(options)
    known = {s.name: s for s in every}
    if options.variant != "release" and options.stages == ["unit"]:
        chosen = [Stage(f"unit-{options.variant}", unit_stage(options.variant))]
    else:
        names = {"check": CHECK, "all": tuple(n for n in known if n not in NIGHTLY)}
        wanted = [n for word in options.stages for n in names.get(word, (word,))]
        unknown = [n for n in wanted if n not in known]
        if unknown:
            parser.error(f"unknown stage {unknown[0]}; known: check all {' '.join(known)}")
        chosen = [s for s in every if s.name in wanted]
    run_all(chosen)
    passed, failed = sum(s.passed for s in chosen), sum(len(s.failed) for s in chosen)
    skipped = sum(len(s.skipped) for s in chosen)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or (skipped and os.environ.get("CI")) else 0


if __name__ == "__main__":
    sys.exit(main())
