#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The test runner itself: what it must count as passed, failed, skipped."""
import io
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import run  # noqa: E402


def counted(text, code=0):
    stage = run.Stage("x", None)
    stage.count_points("x", text, code)
    return stage.passed, len(stage.failed), len(stage.skipped)


def cli(script, **files):
    """One CLI case in a directory of its own; True when it passed."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in dict(files, sh=script).items():
            with open(f"{directory}/case.{name.replace('_', '.')}", "w", encoding="utf-8") as f:
                f.write(text)
        stage = run.Stage("x", None)
        stage.log = io.StringIO()
        run.cli_case(stage, f"{directory}/case.sh", False)
        return not stage.failed


def command(*cmd, timeout=60):
    stage = run.Stage("x", None)
    stage.log = io.StringIO()
    stage.tap("x", list(cmd), timeout=timeout)
    return stage.passed, len(stage.failed), len(stage.skipped)


def hangs():
    """What is said of a command that hangs."""
    stage = run.Stage("x", None)
    stage.log = io.StringIO()
    return stage.execute(["sh", "-c", "sleep 61 & wait"], timeout=0.5)[1]


def script_leaves(command):
    """How many failures come of what a script leaves running; it is gone in any case."""
    mark = f"selftest-{os.getpid()}-{time.monotonic_ns()}"
    subprocess.run(["sh", "-c", command], env=dict(os.environ, WT_SCRIPT=mark), check=True)
    for _ in range(600 if "&" in command else 0):  # it may be on its way into the program it runs
        if any(left.startswith("sleep ") for left in run.of_script(mark).values()):
            break
        time.sleep(0.1)
    stage = run.Stage("x", None)
    stage.log = io.StringIO()
    run.nothing_left(stage, "x", mark, 0.2)
    return len(stage.failed), wait_gone(mark)


def wait_gone(mark):
    for _ in range(100):
        if not run.of_script(mark):
            return 0
        time.sleep(0.1)
    return len(run.of_script(mark))


def left_out(change):
    """Whether `make check` leaves a slow test out that passed before `change`, made in the directory that it runs in."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        try:
            os.chdir(directory)
            os.makedirs("manifests")
            for name in ("manifests/a.json", "program"):
                write(name, "before")
            run.Passed().note("x/y_test", "program", 2.0)
            change()
            return run.Passed().has("x/y_test", "program")
        finally:
            os.chdir(here)


def write(name, text):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)


def rows():
    """Which scripts run in which row; one whose header says two things runs once."""
    with tempfile.TemporaryDirectory() as directory:
        write(f"{directory}/alone.sh", "#!/bin/sh\n# Runs alone.\n")
        write(f"{directory}/beside.sh", "#!/bin/sh\n# Runs beside others.\n")
        write(f"{directory}/silent.sh", "#!/bin/sh\n# It says nothing. Runs alone. Not: # Runs beside others.\n")
        write(f"{directory}/torn.sh", "#!/bin/sh\n# Runs beside others.\n# Runs alone.\n")
        found = run.rows_of([f"{directory}/{name}.sh" for name in ("alone", "beside", "silent", "torn")])
        return [[os.path.basename(script) for script in row] for row in found]


def together():
    """Which scripts were there at the same time, and which ran; the scripts are named after their row."""
    running, met, ran, looking, both = [], set(), [], threading.Lock(), threading.Barrier(2, timeout=60)

    def work(script):
        with looking:
            met.update(frozenset((script[0], other[0])) for other in running)
            running.append(script)
            ran.append(script)
        if script in ("b1", "b2"):
            both.wait()  # until two rows take from the last
        with looking:
            running.remove(script)

    scripts = [f"{row}{n}" for row in "arb" for n in range(4)] + ["b4", "b5", "b6", "b7"]
    run.in_rows(scripts[:4], scripts[4:8], scripts[8:], work)
    return sorted(ran) == sorted(scripts), ran[:4] == scripts[:4], met <= {frozenset("rb"), frozenset("b")}, frozenset("b") in met


def breaks():
    """What a row's exception leads to: it is not swallowed."""
    def work(_):
        raise OSError("no such script")
    try:
        run.in_rows([], ["r"], [], work)
    except OSError:
        return True
    return False


def slowest():
    """The commands that a stage knows it ran, and what is said of three."""
    stage = run.Stage("x", None)
    stage.log = io.StringIO()
    stage.execute(["true"])
    known = [shown for _, shown in stage.taken]
    stage.taken = [(1.0, "quick"), (30.0, "sh -c a\n\tb"), (2.0, "slower")]
    return known, stage.slowest(2)


POINTS = [
    ("all passed", counted("1..2\nok 1 - a\nok 2 - b\n"), (2, 0, 0)),
    ("one failed", counted("1..2\nok 1 - a\nnot ok 2 - b\n", 1), (1, 1, 0)),
    ("a failure is one even with exit code 0", counted("1..1\nnot ok 1 - b\n"), (0, 1, 0)),
    ("skipped", counted("1..1\nok 1 - a # SKIP no kernel\n"), (0, 0, 1)),
    ("a plan at the end", counted("ok 1 - a\n1..1\n"), (1, 0, 0)),
    ("plans of several groups add up", counted("1..1\nok 1 - a\n1..1\nok 1 - b\n"), (2, 0, 0)),
    ("a crash in the middle", counted("1..3\nok 1 - a\n", -11), (1, 1, 0)),
    ("an early end with exit code 0", counted("1..3\nok 1 - a\n"), (1, 1, 0)),
    ("no plan", counted("ok 1 - a\n"), (1, 1, 0)),
    ("silence", counted(""), (0, 1, 0)),
    ("all passed, then exit code 1", counted("1..1\nok 1 - a\n", 1), (1, 1, 0)),
    ("words that only look like it", counted("1..1\nokay then\nok 1 - a\n"), (1, 0, 0)),
    ("a command that hangs", command("sh", "-c", "echo 1..1; echo ok 1 - a; sleep 60", timeout=0.5), (1, 1, 0)),
    ("a command that hangs is shown with all it started", "sh -c sleep 61" in (said := hangs()) and ": sleep 61" in said, True),
    ("a program that is not there is an error, not a pass", command("sh", "-c", "exec /no/such"), (0, 1, 0)),
    ("a script that leaves a process behind", script_leaves("setsid sleep 61 >/dev/null 2>&1 &"), (1, 0)),
    ("a script that leaves nothing behind", script_leaves("true"), (0, 0)),
    ("scripts are in the rows that their headers name", rows(), [["alone.sh", "torn.sh"], ["silent.sh"], ["beside.sh"]]),
    ("each runs once, those alone first, and none beside one that does not want it", together(), (True, True, True, True)),
    ("a row that breaks is not silent", breaks(), True),
    ("the slowest commands are named, a line each", slowest(), (["true"], "slowest:    30.0 s  sh -c a b\nslowest:     2.0 s  slower\n")),
    ("a slow test that passed and has not changed is left out", left_out(lambda: None), True),
    ("one whose program has changed is run", left_out(lambda: write("program", "after")), False),
    ("one whose data have changed is run", left_out(lambda: write("manifests/a.json", "after")), False),
    ("one that has failed since is run", left_out(lambda: run.Passed().note("x/y_test", "program", None)), False),
    ("a quick one is run", left_out(lambda: run.Passed().note("x/y_test", "program", 0.1)), False),
    ("CLI case: silence and exit code 0 by default", cli("true"), True),
    ("CLI case: unexpected output", cli("echo x"), False),
    ("CLI case: unexpected words on standard error", cli("echo x >&2"), False),
    ("CLI case: expected output", cli("echo x; exit 3", stdout="x\n", exit="3\n"), True),
    ("CLI case: wrong exit code", cli("exit 3"), False),
    ("CLI case: patterns", cli("echo a1; echo b; echo c", stdout_glob="a?\n...\nc\n"), True),
    ("CLI case: patterns that do not match", cli("echo a1; echo b", stdout_glob="a?\n...\nc\n"), False),
]


def main():
    bad = 0
    print(f"1..{len(POINTS)}")
    for number, (name, got, wanted) in enumerate(POINTS, 1):
        bad += got != wanted
        note = "" if got == wanted else f": got {got}, wanted {wanted}"
        print(f"{'ok' if got == wanted else 'not ok'} {number} - {name}{note}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
