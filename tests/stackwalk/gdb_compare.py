# SPDX-License-Identifier: MIT
"""Stops a program at many moments and compares the stacks of all its threads with gdb's, frame by frame.

    ANSWER=build/tests/stackwalk/answer STOPS=40 NAME=perl gdb -nx -q -batch -x gdb_compare.py --args PROGRAM...

Compared is everything up to the first frame that gdb itself cannot unwind; where gdb reaches the end of the stack,
the walk must end there too and say complete. Go's code has no unwind data and gdb guesses there: behind its first
frame, every address the walk found must lie behind a call instruction. Prints one test point.
"""
import collections
import os
import random
import re
import subprocess
import time

import gdb

REGISTERS = ("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15").split()
MASK = (1 << 64) - 1
WHOLE = (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)


class Count:
    stops = threads = frames = short = aside = 0
    shown = 0
    differ = 0
    go_frames = 0
    go_ends = collections.Counter()


KINDS = {}  # path: is it Go's


def is_go(path):
    if path not in KINDS:
        shown = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=False).stdout
        KINDS[path] = ".gopclntab" in shown
    return KINDS[path]


def code_ranges(pid):
    """Where the process has code, and where that was made by Go."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        lines = [line.split() for line in maps]
    every, go = [], []
    for words in lines:
        if "x" not in words[1]:
            continue
        every.append(tuple(int(x, 16) for x in words[0].split("-")))
        if len(words) > 5 and words[5].startswith("/") and is_go(words[5]):
            go.append(every[-1])
    return every, go


def within(ranges, pc):
    return any(start <= pc < end for start, end in ranges)


def gdb_chain(pid):
    """Program counters as gdb unwinds them, and whether it came to the end.

    Left out are frames that have no stack of their own: inlined functions, and callers that ended in a jump, which gdb
    puts in from debug information. Behind data that ends (the loader's first function) gdb takes words off the stack
    for return addresses: a frame that is not in code is one it could not unwind."""
    pcs, frame, (ranges, go) = [], gdb.newest_frame(), code_ranges(pid)
    try:
        while frame is not None:
            if not within(ranges, frame.pc()):
                return pcs, False
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                pcs.append(frame.pc())
            if within(go, frame.pc()):
                return pcs, False
            last, frame = frame, frame.older()
        return pcs, last.unwind_stop_reason() in WHOLE
    except gdb.error:
        return pcs, False


def own_chain(answer, pid):
    frame = gdb.newest_frame()
    values = [frame.pc()] + [int(frame.read_register(name)) & MASK for name in REGISTERS]
    answer.stdin.write(f"{pid} " + " ".join(f"{v:x}" for v in values) + "\n")
    answer.stdin.flush()
    while True:
        line = answer.stdout.readline()
        if not line:
            raise RuntimeError("the walker ended")
        if not line.startswith("#"):
            break
    words = line.split()
    first = next(i for i, w in enumerate(words) if w.isdigit())  # the status has several words
    exact = {i for i, w in enumerate(words[first + 1:]) if w.startswith("=")}
    return " ".join(words[:first]), [int(w.lstrip("="), 16) for w in words[first + 1:]], exact


# What may stand before a return address: call rel32, and call by register or memory with each kind of operand.
CALL = re.compile(rb"(\xe8....|\xff[\x10-\x17\xd0-\xd7]|\xff[\x50-\x57].|\xff[\x90-\x97]....|"
                  rb"\xff\x14.|\xff\x54..|\xff\x94.....)\Z", re.S)


def misplaced(pid, pcs, exact):
    """The first address in Go's code that no call can return to; None when there is none. A goroutine's first function
    was not called: it returns to the second byte of one that begins with a nop (runtime.goexit)."""
    (_, go), inferior = code_ranges(pid), gdb.selected_inferior()
    for i, pc in enumerate(pcs):
        if not within(go, pc):
            continue
        Count.go_frames += 1
        before = bytes(inferior.read_memory(pc - 8, 8))
        outermost = i == len(pcs) - 1 and before.endswith(b"\x90")
        if i not in exact and not outermost and not CALL.search(before):
            return pc
    return None


# Functions that put another frame's registers over their caller's, from whose call of uw_install_context_1 on nobody can
# tell the caller (STACKWALK.md section 6); gdb shows what lies there.
INSTALLERS = {"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_ForcedUnwind", "_Unwind_Resume_or_Rethrow"}


def describe(pcs, i):
    if i >= len(pcs):
        return "-"
    text = gdb.execute(f"info symbol {pcs[i]:#x}", to_string=True).strip()
    return f"{pcs[i]:x} {text[:60]}"


def compare_thread(answer, pid):
    wanted, whole = gdb_chain(pid)
    status, got, exact = own_chain(answer, pid)
    if status == "no unwind data" and got == wanted[:len(got)] and describe(got, len(got) - 1).split()[1] in INSTALLERS:
        Count.aside += 1
        return
    same = got[:len(wanted)] == wanted and (not whole or (len(got) == len(wanted) and status == "complete"))
    Count.threads += 1
    Count.frames += len(wanted)
    Count.short += not whole
    if any(KINDS.values()):
        Count.go_ends[status] += 1
        same = same and misplaced(pid, got, exact) is None
    if same:
        return
    Count.differ += 1
    Count.shown += 1
    if Count.shown <= 4:
        print(f"# stop {Count.stops}: {status}, {len(got)} frames; gdb {len(wanted)}{'' if whole else ', not to the end'}")
        for i in range(min(24, max(len(got), len(wanted)))):
            a, b = describe(wanted, i), describe(got, i)
            print(f"#  {' ' if a == b else '!'} {a:<72} {b}")


def compare_all(answer):
    inferior = gdb.selected_inferior()
    Count.stops += 1
    for thread in inferior.threads():
        thread.switch()
        compare_thread(answer, inferior.pid)


def run_for(seconds):
    """Lets the program run on; False when it has ended."""
    pid = gdb.selected_inferior().pid
    # gdb keeps Python's lock while the program runs: another process must wake it.
    timer = subprocess.Popen(["sh", "-c", f"sleep {seconds:.3f}; exec kill -PROF {pid}"], preexec_fn=os.setpgrp,
                             stderr=subprocess.DEVNULL)
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:
        pass
    timer.kill()
    timer.wait()
    return gdb.selected_inferior().pid != 0


def main():
    name, stops = os.environ["NAME"], int(os.environ["STOPS"])
    print("1..1")
    for line in ("pagination off", "confirm off", "print thread-events off", "backtrace past-main on", "backtrace past-entry on",
                 "backtrace limit 1024", "debuginfod enabled off", "auto-load safe-path /",
                 "print inferior-events off"):
        try:
            gdb.execute("set " + line, to_string=True)
        except gdb.error:
            pass
    for sig in ("SIGPROF stop print nopass", "SIGUSR1 nostop noprint pass", "SIGALRM nostop noprint pass",
                "SIGCHLD nostop noprint pass", "SIGURG nostop noprint pass"):
        gdb.execute("handle " + sig, to_string=True)
    random.seed(1)
    answer = subprocess.Popen([os.environ["ANSWER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              preexec_fn=os.setpgrp)
    gdb.execute("starti", to_string=True)
    start = time.monotonic()
    while Count.stops < stops and run_for(random.uniform(0.003, 0.06)):
        compare_all(answer)
    if gdb.selected_inferior().pid:
        gdb.execute("kill", to_string=True)
    answer.stdin.close()
    answer.wait()
    if Count.go_frames:
        ends = ", ".join(f"{n} {status}" for status, n in Count.go_ends.most_common())
        print(f"# {Count.go_frames} frames of Go behind calls; the walks ended: {ends}")
    # The few instructions set aside are no excuse for many.
    good = Count.differ == 0 and Count.stops >= min(stops, 10) and Count.aside * 5 <= Count.threads
    print(f"{'ok' if good else 'not ok'} 1 - {name}: {Count.threads - Count.differ} of {Count.threads} stacks, {Count.frames} "
          f"frames, at {Count.stops} moments agree with gdb ({Count.short} that gdb could not finish, {Count.aside} set aside), "
          f"{time.monotonic() - start:.0f} s")


try:
    main()
except Exception as error:  # pylint: disable=broad-except
    print(f"not ok 1 - {os.environ.get('NAME')}: {error!r}")
