#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a log with the CTF trace made of it, value by value.

    ctf_compare.py LOG TRACE

The log is read by the decoder that was written from LOGFORMAT.md alone, the trace by babeltrace2's library: neither
shares code with the program that exported it. Every event is compared: time, CPU, process, thread, flags, ids, stack, and
each field's bits. Prints "N events are equal", or the first that is not; exit code 1 then.
"""
import contextlib
import io
import os
import struct
import sys

import bt2

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../refdecoder"))
import wtl_decode  # noqa: E402

NO_CPU = (1 << 32) - 1
MASK = (1 << 64) - 1
INTEGERS = ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "bool", "pointer", "time")


def log_events(path):
    """Per CPU, in order: (time, pid, tid, process, thread, self, stack frames, text of kind and fields)."""
    segments = {}
    with open(path, "rb") as file:
        data = file.read()
    original = wtl_decode.print_tables
    wtl_decode.print_tables = lambda segment: segments.__setitem__(segment.number, segment)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            wtl_decode.decode(data)
    finally:
        wtl_decode.print_tables = original
    events = {}
    for number, segment in segments.items():
        for event in segment.events:
            events.setdefault(event[3] & NO_CPU, []).append((event[:3], number, event))
    result = {}
    for cpu, of_cpu in events.items():
        result[cpu] = [name_event(segments[number], event) for _, number, event in sorted(of_cpu, key=lambda e: e[0])]
    return result, segments


def row(table, index):
    return table[index] if index < len(table) else table[0]


def name_event(segment, event):
    time, _, _, _, thread, stack, own, text = event
    process, tid, _, thread_name = row(segment.tables[5], thread)
    process = row(segment.tables[4], process)
    frames, at = [], stack if stack <= len(segment.tables[8]) else 0
    while at:
        back, frame, _, _ = segment.tables[8][at - 1]
        frames.append(segment.symbols.get(frame, (b"",))[0].decode("utf-8", "replace"))
        at = at - 1 - back if back <= at - 1 else 0
    return (time, id_of(process[0]), id_of(tid), text_of(process[3]), text_of(thread_name), own, frames, text)


def id_of(number):
    """Of nobody's events CTF says -1."""
    return -1 if number == 0xFFFFFFFF else number


def text_of(item):
    return item.split(b"\0")[0].decode("utf-8", "replace")


def string(field):
    """babeltrace2 2.0 gives an empty string the text of an event before (lttng.org review 4528), but the right length."""
    return str(field) if len(field) else ""


def pack(kind, value):
    """An element of an array as it lies in a payload."""
    if kind in INTEGERS:
        return (int(value) & MASK).to_bytes(8, "little")[:wtl_decode.WIDTH[kind]]
    if kind in ("f32", "f64"):
        return struct.pack("<f" if kind == "f32" else "<d", float(value))
    if kind == "string":
        text = string(value).encode()
        return struct.pack("<H", len(text)) + text
    content = bytes(int(byte) for byte in value["_bytes"])
    return (struct.pack("<H", len(content)) if kind in ("binary", "sockaddr") else b"") + content


def field_text(field, value):
    """As wtl_decode.field_values gives it."""
    count, kind = field.get("count", 1), field["type"]
    if count != 1:
        content = b"".join(pack(kind, element) for element in value)
        return ((struct.pack("<H", len(value)) if count == "variable" else b"") + content).hex()
    if kind in INTEGERS:
        return "%x" % (int(value) & MASK)
    if kind in ("f32", "f64"):
        return "%x" % struct.unpack("<Q", struct.pack("<d", float(value)))[0]
    if kind == "string":
        return string(value).encode().hex()
    return bytes(int(byte) for byte in value).hex()


def is_schema_of(fields, payload):
    """Providers of one name may have different schemas: programs built at different times."""
    names = [name for name in payload if not name.startswith("_")] if payload is not None else []
    return names == [field["name"] for field in fields]


def trace_events(path, fields_of):
    result = {}
    for message in bt2.TraceCollectionMessageIterator(path):
        if type(message) is not bt2._EventMessageConst:
            continue
        event = message.event
        context = event.common_context_field
        text = event.name
        for field in next(f for f in fields_of[event.name] if is_schema_of(f, event.payload_field)):
            text += " %s=%s" % (field["name"], field_text(field, event.payload_field[field["name"]]))
        for word in ("activity", "related"):
            content = bytes(int(byte) for byte in context[word])
            text += " %s=%s" % (word, content.hex()) if any(content) else ""
        cpu = int(event.packet.context_field["cpu_id"])
        result.setdefault(cpu, []).append((
            message.default_clock_snapshot.value, int(context["pid"]), int(context["tid"]), string(context["process"]),
            string(context["thread"]), int(context["self"]), [string(frame) for frame in context["stack"]], text))
    return result


def same_frames(wanted, got):
    """A frame is NAME:MODULE; what has no name in the log is called something else. Inlined functions are no frames of the log:
    inlined.sh compares them."""
    got = [frame for frame in got if " (inlined):" not in frame]
    return len(wanted) == len(got) and all(not w or g.startswith(w + ":") for w, g in zip(wanted, got))


def main():
    log, segments = log_events(sys.argv[1])
    fields_of = {}
    for segment in segments.values():
        for provider, name, fields in segment.kinds.values():
            fields_of.setdefault("%s:%s" % (provider, name), []).append(fields)
    trace = trace_events(sys.argv[2], fields_of)
    if set(log) != set(trace):
        sys.exit("CPUs differ: log %s, trace %s" % (sorted(log), sorted(trace)))
    n = 0
    for cpu in sorted(log):
        if len(log[cpu]) != len(trace[cpu]):
            sys.exit("CPU %d: %d events in the log, %d in the trace" % (cpu, len(log[cpu]), len(trace[cpu])))
        for wanted, got in zip(log[cpu], trace[cpu]):
            if wanted[:6] + wanted[7:] != got[:6] + got[7:] or not same_frames(wanted[6], got[6]):
                sys.exit("CPU %d:\nlog   %s\ntrace %s" % (cpu, wanted, got))
            n += 1
    print("%d events are equal" % n)


if __name__ == "__main__":
    main()
