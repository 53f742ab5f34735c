#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""wakeups.py SECONDS: records wake-ups and switches into wakeups.etl while counters of its own run, which only count: outer
ones from before the session to after it, inner ones within it. For each event: inner <= written + lost <= outer, and
written + lost is what the session's own counters say. What stop says goes to stop.err."""
import collections
import ctypes
import json
import os
import platform
import struct
import subprocess
import sys
import threading
import time

EVENTS = ("sched_waking", "sched_wakeup", "sched_switch")
SYS_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[platform.machine()]
PERF_TYPE_TRACEPOINT = 2
libc = ctypes.CDLL(None, use_errno=True)


def online():
    with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
        for part in file.read().strip().split(","):
            first, _, last = part.partition("-")
            yield from range(int(first), int(last or first) + 1)


def counters():
    """An open counter per event and CPU; it counts from here on."""
    fds = collections.defaultdict(list)
    for event in EVENTS:
        with open("/sys/kernel/tracing/events/sched/%s/id" % event, encoding="ascii") as file:
            number = int(file.read())
        # type, size, config; no period: nothing is sampled.
        attr = struct.pack("=IIQ", PERF_TYPE_TRACEPOINT, 128, number).ljust(128, b"\0")
        for cpu in online():
            fd = libc.syscall(SYS_PERF_EVENT_OPEN, ctypes.c_char_p(attr), -1, cpu, -1, 8)
            if fd < 0:
                raise OSError(ctypes.get_errno(), "perf_event_open")
            fds[event].append(fd)
    return fds


def totals(fds):
    return {event: sum(struct.unpack("=Q", os.read(fd, 8))[0] for fd in list_) for event, list_ in fds.items()}


def echo(source, target):
    while os.read(source, 1):
        os.write(target, b"x")


def work(seconds):
    """Wake-ups by a partner, and by timers while the CPU has nothing to do."""
    there, back = os.pipe(), os.pipe()
    partner = threading.Thread(target=echo, args=(there[0], back[1]))
    partner.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(100):
            os.write(there[1], b"x")
            os.read(back[0], 1)
        for _ in range(20):
            time.sleep(0.001)
    os.close(there[1])
    partner.join()


def accounts():
    """Per event: events in the file; counted, written and lost as it says itself."""
    seen, said, lost = collections.Counter(), collections.defaultdict(lambda: [0, 0, 0]), collections.Counter()
    dump = subprocess.Popen(["wtrace", "dump", "wakeups.etl", "--json", "--where",
                             "provider == 'linux:sched' || event == 'counted' || event == 'lost'"], stdout=subprocess.PIPE)
    for line in dump.stdout:
        event = json.loads(line)
        fields = event["fields"]
        if event["provider"] == "linux:sched":
            seen[event["event"]] += 1
        elif event["event"] == "counted" and fields["provider"] == "linux:sched":
            assert fields["period1"] and fields["produced"] == fields["written"] + fields["lost"], fields
            for i, name in enumerate(("produced", "written", "lost")):
                said[fields["event"]][i] += fields[name]
        elif event["event"] == "lost":
            assert fields["exact"] and fields["from"] <= fields["to"], fields
            # What no room was for is counted for all events of the ring together.
            lost[fields["event"]] += fields["count"]
    assert dump.wait() == 0
    return seen, said, lost


def main():
    outer = counters()
    subprocess.run(["wtrace", "start", "-p", ",".join("linux:sched:" + e for e in EVENTS)], check=True)
    inner = counters()
    work(float(sys.argv[1]))
    least = totals(inner)
    with open("stop.err", "wb") as err:
        subprocess.run(["wtrace", "stop", "-o", "wakeups.etl"], check=True, stderr=err)
    most = totals(outer)
    seen, said, lost = accounts()
    for event in EVENTS:
        produced, written, gone = said[event]
        print("%s: %d <= %d = %d written + %d lost <= %d" % (event, least[event], produced, written, gone, most[event]))
        assert seen[event] == written, (event, seen[event], written)
        assert least[event] <= produced <= most[event], event
    assert sum(lost.values()) == sum(s[2] for s in said.values()), (lost, said)


main()
