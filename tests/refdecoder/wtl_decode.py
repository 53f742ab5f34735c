#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second decoder of log files, written from tracecore/logfmt/LOGFORMAT.md alone.

Prints a file as the golden texts are: tables of every segment, then all events in time order. It shares no code
with the C reader on purpose and uses nothing but CRC-32 and the zstd command: where the two differ, one of them or
the specification is wrong.
"""
import json
import struct
import subprocess
import sys
import zlib

FILE_MAGIC = b"\x89WTL\r\n\x1a\n"
BLOCK_MAGIC = b"\xd7WTB"
HEADER = struct.Struct("<4sIHHIIIIIIIQQIIIBBH")
FIELDS = ("magic crc type flags segment sequence cpu kind first count lost time_min time_max raw_size stored_size "
          "payload_crc codec clock reserved").split()
MAX_RAW, MAX_ROWS = 16 << 20, 65536
MASK = (1 << 64) - 1
WIDTH = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8, "bool": 1,
         "pointer": 8, "time": 8, "uuid": 16, "ipv4": 4, "ipv6": 16}
# name: columns as (name, is an item, has 64 bits)
TABLES = {
    4: ("process", [("pid", 0, 0), ("parent", 0, 0), ("start", 0, 1), ("name", 1, 0), ("exe", 1, 0), ("flags", 0, 0),
        ("command_line", 1, 0), ("cgroup", 1, 0), ("container", 1, 0), ("inside_pid", 0, 0)]),
    5: ("thread", [("process", 0, 0), ("tid", 0, 0), ("start", 0, 1), ("name", 1, 0)]),
    6: ("image", [("kind", 0, 0), ("device", 0, 1), ("inode", 0, 1), ("build_id", 1, 0), ("path", 1, 0)]),
    7: ("frame", [("image", 0, 0), ("offset", 0, 1)]),
    8: ("stack", [("back", 0, 0), ("frame", 0, 0), ("flags", 0, 0), ("status", 0, 0)]),
    12: ("symbol", [("name", 1, 0), ("raw", 1, 0), ("file", 1, 0), ("line", 0, 0), ("offset", 0, 0), ("reason", 0, 0),
                    ("inlined", 1, 0)]),
}


class Damaged(Exception):
    """A block that must be skipped; the text says why."""


def require(condition, why):
    if not condition:
        raise Damaged(why)


class Header:
    def __init__(self, data, offset):
        values = HEADER.unpack_from(data, offset)
        self.__dict__.update(zip(FIELDS, values))
        self.offset = offset
        self.sound = (self.magic == BLOCK_MAGIC and self.crc == zlib.crc32(data[offset + 8:offset + 72])
                      and self.raw_size <= MAX_RAW and self.stored_size <= MAX_RAW + 65536)
        self.end = offset + 72 + (self.stored_size + 7) // 8 * 8


def payload(data, header):
    require(not header.flags & 0xff00, "block uses a feature of a newer format version")
    stored = data[header.offset + 72:header.offset + 72 + header.stored_size]
    require(zlib.crc32(stored) == header.payload_crc, "block checksum")
    if header.codec == 1:
        run = subprocess.run(["zstd", "-dcq"], input=stored, capture_output=True, check=False)
        require(run.returncode == 0, "block does not expand")
        stored = run.stdout
    else:
        require(header.codec == 0, "block compressed by an unknown method")
    require(len(stored) == header.raw_size, "block does not expand")
    return stored


def list_blocks(data, start, end, damages):
    """Section 7: sound headers one behind the other, finding the way again after damage."""
    at = start
    while at < end:
        if end - at < 72:
            damages.append((at, "cut in the middle of a block"))
            return
        header = Header(data, at)
        if header.sound:
            if header.end > end:
                damages.append((at, "cut in the middle of a block"))
                return
            yield header
            at = header.end
            continue
        damages.append((at, "no block header"))
        at += 8
        while end - at >= 72 and not Header(data, at).sound:
            at += 8
        if end - at < 72:
            return


def take_columns(raw):
    columns, at = {}, 0
    while at < len(raw):
        require(len(raw) - at >= 8, "columns do not fit the block")
        ident, encoding, width, length = struct.unpack_from("<HBBI", raw, at)
        require(len(raw) - at - 8 >= length, "columns do not fit the block")
        require(ident not in columns, "column twice")
        columns[ident] = (encoding, width, raw[at + 8:at + 8 + length])
        at += 8 + length
    return columns


def planes(data, n, width):
    require(len(data) == n * width, "column length")
    return [sum(data[p * n + i] << 8 * p for p in range(width)) for i in range(n)]


def integers(column, n):
    encoding, width, data = column
    require(width <= 8, "column width")
    if encoding == 1:
        base, = struct.unpack_from("<Q", data)
        return [(base + v) & MASK for v in planes(data[8:], n, width)]
    if encoding == 2:
        value, least = struct.unpack_from("<QQ", data)
        values = [value]
        for v in planes(data[16:], n - 1, width):
            values.append((values[-1] + least + v) & MASK)
        return values
    words, indices = dictionary(column, n)
    return [words[i] for i in indices]


def dictionary(column, n):
    encoding, width, data = column
    require(encoding == 3 and width <= 4, "column encoding")
    entries, = struct.unpack_from("<I", data)
    words = struct.unpack_from("<%dQ" % entries, data, 4)
    indices = planes(data[4 + 8 * entries:], n, width)
    require(max(indices) < entries, "dictionary index")
    return words, indices


def words_of(column, n, before):
    """Integers in any encoding; before: the columns of the block that stand before this one."""
    encoding, _, data = column
    if encoding == 10:
        return ticks_of(data, n)
    if encoding not in (7, 8):
        return integers(column, n)
    ident, lag, reserved, misses = struct.unpack_from("<HBBI", data)
    other = dict(before[:256]).get(ident)
    require(lag <= 1 and not reserved and misses <= n and other is not None, "column it follows")
    missed, rest = {}, data[8:]
    if misses:
        column, rest = nested(rest)
        rows_missed = integers(column, misses)
        require(are_rows(rows_missed, n), "rows of misses")
        column, rest = nested(rest)
        missed = dict(zip(rows_missed, integers(column, misses)))
    require(not rest, "column length")
    if encoding == 7:
        keys = integers(other, n)
    else:
        entries, keys = dictionary(other, n)
        require(len(entries) <= n, "entries of the column it follows")
    values, last = [], {}
    for i in range(n):
        key = keys[i - lag] if i >= lag else None
        value = missed.get(i, (0 if key is None else key) if encoding == 7 else last.get(key, 0))
        values.append(value)
        if key is not None:
            last[key] = value
    return values


def are_rows(rows_said, n):
    return rows_said == sorted(set(rows_said)) and rows_said[-1] < n


def ticks_of(data, n):
    origin, unit = struct.unpack_from("<QQ", data)
    column, rest = nested(data[16:])
    ticks = integers(column, n)
    pieces, = struct.unpack_from("<I", rest)
    require(1 <= pieces <= n, "number of pieces")
    column, rest = nested(rest[4:])
    starts = integers(column, pieces)
    column, rest = nested(rest)
    offsets = [signed_word(w) for w in integers(column, pieces)]
    require(not rest and starts[0] == 0 and are_rows(starts, n), "pieces")
    values = []
    for start, end, offset in zip(starts, starts[1:] + [n], offsets):
        values += [(origin + (tick * unit + (offset << 40) >> 48)) & MASK for tick in ticks[start:end]]
    return values


def nested(data):
    """The column at the start of data, and what follows it."""
    _, encoding, width, length = struct.unpack_from("<HBBI", data)
    require(len(data) - 8 >= length, "nested column")
    return (encoding, width, data[8:8 + length]), data[8 + length:]


def numbered(data, n, before):
    forms, = struct.unpack_from("<I", data)
    require(1 <= forms <= n, "number of forms")
    column, rest = nested(data[4:])
    indices = words_of(column, n, before)
    column, rest = nested(rest)
    require(column[0] in (4, 5) and max(indices) < forms, "forms")
    words = items(column, forms)
    count, = struct.unpack_from("<I", rest)
    rest, numbers = rest[4:], []
    require(count <= 4 * n, "number of numbers")
    if count:
        column, rest = nested(rest)
        numbers = integers(column, count)
    require(not rest, "column length")
    result, left = [], iter(numbers)
    for index in indices:
        head, *parts = words[index].split(b"\x1a")
        for part in parts:
            number = next(left, None)
            require(number is not None, "numbers are missing")
            head += b"%d" % number + part
        result.append(head)
    require(next(left, None) is None, "numbers too many")
    return result


def items(column, n, before=None):
    encoding, width, data = column
    if encoding == 9 and before is not None:
        return numbered(data, n, before)
    if encoding == 4:
        require(len(data) == n * width, "column length")
        return [data[i * width:(i + 1) * width] for i in range(n)]
    if encoding == 5:
        column, data = nested(data)
        lengths, result, at = integers(column, n), [], 0
        require(sum(lengths) == len(data), "item lengths")
        for length in lengths:
            result.append(data[at:at + length])
            at += length
        return result
    require(encoding == 6, "column encoding")
    entries, = struct.unpack_from("<I", data)
    require(1 <= entries <= n, "dictionary size")
    column, rest = nested(data[4:])
    indices = words_of(column, n, before or [])
    column, rest = nested(rest)
    require(not rest and column[0] != 6 and max(indices) < entries, "item dictionary")
    words = items(column, entries)
    return [words[i] for i in indices]


def rows(header, raw):
    require(1 <= header.count <= MAX_ROWS, "row count")
    columns, values = take_columns(raw), []
    for ident, (_, is_item, wide) in enumerate(TABLES[header.type][1]):
        if ident not in columns:
            values.append([b"" if is_item else 0] * header.count)
        elif is_item:
            values.append(items(columns[ident], header.count))
        else:
            values.append(integers(columns[ident], header.count))
            require(wide or max(values[-1]) < 1 << 32, "number column out of range")
    return list(zip(*values))


class Segment:
    def __init__(self, number):
        self.number, self.kinds, self.tables, self.symbols = number, {}, {t: [] for t in (4, 5, 6, 7, 8)}, {}
        self.events, self.blocks, self.ranges = [], {}, []


def take_schema(segment, header, raw):
    manifest = json.loads(raw)
    require(len(manifest["events"]) == header.count and header.first > max(segment.kinds, default=-1), "schema")
    for i, event in enumerate(manifest["events"]):
        segment.kinds[header.first + i] = (manifest["provider"], event["name"], event.get("fields", []))


def field_values(field, column, n, before):
    count, kind = field.get("count", 1), field["type"]
    scalar = count == 1
    if scalar and kind in WIDTH and WIDTH[kind] <= 8 and kind != "ipv4":
        words = words_of(column, n, before) if column else [0] * n
        bits = 8 * WIDTH[kind]
        words = [w & (1 << bits) - 1 for w in words]
        if kind[0] == "i":
            words = [(w - (1 << bits) if w >> bits - 1 else w) & MASK for w in words]
        if kind == "f32":
            floats = [struct.unpack("<f", struct.pack("<I", w))[0] for w in words]
            words = [struct.unpack("<Q", struct.pack("<d", f))[0] for f in floats]
        return ["%x" % w for w in words]
    require(column, "item column missing")
    result = items(column, n, before)
    if kind in WIDTH and count != "variable":
        require(all(len(item) == WIDTH[kind] * count for item in result), "item size")
    elif kind in WIDTH:
        require(all(len(item) >= 2 and len(item) == 2 + WIDTH[kind] * int.from_bytes(item[:2], "little")
                    for item in result), "item size")
    else:
        require(all(len(item) < 1 << 16 for item in result), "item size")
    return [item.hex() for item in result]


def take_events(segment, header, raw):
    n = header.count
    require(1 <= n <= MAX_ROWS and header.clock == 0, "event count or clock")
    require(header.kind in segment.kinds, "events of a kind without a schema")
    provider, name, fields = segment.kinds[header.kind]
    columns = take_columns(raw)
    order = list(columns.items())
    before = {ident: order[:i] for i, (ident, _) in enumerate(order)}
    time, cpu, thread, stack, flags = (words_of(columns[c], n, before[c]) if c in columns else [0] * n for c in range(5))
    require(time == sorted(time) and time[0] >= header.time_min and time[-1] <= header.time_max, "event times")
    ids = [items(columns[c], n, before[c]) if c in columns else [b""] * n for c in (5, 6)]
    require(all(len(item) in (0, 16) for column in ids for item in column), "activity id")
    values = [field_values(field, columns.get(16 + f), n, before.get(16 + f)) for f, field in enumerate(fields)]
    signed = {c - 16: [signed_word(w) for w in words_of(columns[c], n, before[c])] for c in columns
              if c >= 16 and columns[c][0] in (1, 2, 3, 7, 8, 10)}
    segment.blocks.setdefault((header.kind, header.time_min, n), []).append(signed)
    for i in range(n):
        text = "".join(" %s=%s" % (field["name"], values[f][i]) for f, field in enumerate(fields))
        text += "".join(" %s=%s" % (word, column[i].hex()) for word, column in zip(("activity", "related"), ids)
                        if any(column[i]))
        segment.events.append((time[i], header.offset, i, (cpu[i] & 0xffffffff) - 1, thread[i], stack[i],
                               flags[i] & 1, "%s:%s%s" % (provider, name, text)))


def signed_word(word):
    return word - (1 << 64) if word >> 63 else word


def take_ranges(segment, header, raw):
    require(1 <= header.count <= MAX_ROWS, "row count")
    columns = take_columns(raw)
    rows = zip(*(integers(columns[c], header.count) if c in columns else [0] * header.count for c in range(6)))
    segment.ranges += [(kind, time, count, field, signed_word(least), signed_word(most))
                       for kind, time, count, field, least, most in rows]


def check_ranges(segment):
    """Every row holds for its blocks; nothing is said of blocks that are not there."""
    spans = {}
    for *block, field, least, most in segment.ranges:
        low, high = spans.get((*block, field), (least, most))
        spans[(*block, field)] = min(low, least), max(high, most)
    for (*block, field), (least, most) in spans.items():
        for columns in segment.blocks.get(tuple(block), []):
            words = columns.get(field, [0])
            require(least <= min(words) and max(words) <= most, "a range that does not hold")


def take_block(segment, header, raw):
    if header.type == 2:
        take_schema(segment, header, raw)
    elif header.type in segment.tables:
        base = 1 if header.type == 8 else 0
        require(header.first - base == len(segment.tables[header.type]), "rows not in order")
        segment.tables[header.type] += rows(header, raw)
    elif header.type == 9:
        take_events(segment, header, raw)
    elif header.type == 12:
        for i, row in enumerate(rows(header, raw)):
            segment.symbols[header.first + i] = row
    elif header.type == 14:
        take_ranges(segment, header, raw)


def text_of(item):
    return item.decode("utf-8", "replace")


def inlined(chain):
    """The calls of an item of column inlined."""
    calls, at = [], 0
    while at < len(chain) and len(calls) < 64:
        texts = []
        for _ in range(2):
            size = int.from_bytes(chain[at:at + 2], "little")
            texts.append(chain[at + 2:at + 2 + size])
            at += 2 + size
        if at + 4 > len(chain):
            break
        calls.append((*texts, int.from_bytes(chain[at:at + 4], "little")))
        at += 4
    return calls


def print_tables(segment):
    print("segment %d" % segment.number)
    for i, (pid, parent, start, name, exe, flags, *_) in enumerate(segment.tables[4]):
        print("process %d: pid %d parent %d start %d name %s exe %s self %d"
              % (i, pid, parent, start, text_of(name), text_of(exe), flags & 1))
    for i, (process, tid, start, name) in enumerate(segment.tables[5]):
        print("thread %d: process %d tid %d start %d name %s" % (i, process, tid, start, text_of(name)))
    for i, (kind, device, inode, build_id, path) in enumerate(segment.tables[6]):
        print("image %d: kind %d device %d inode %d build id %s path %s"
              % (i, kind, device, inode, build_id.hex(), text_of(path)))
    for i, (image, offset) in enumerate(segment.tables[7]):
        name, raw, file, line, plus, reason, chain = segment.symbols.get(i, (b"", b"", b"", 0, 0, 0, b""))
        print("frame %d: image %d offset %d = %s (%s) %s:%d +%d reason %d"
              % (i, image, offset, text_of(name), text_of(raw), text_of(file), line, plus, reason))
        for function, file, line in inlined(chain):
            print("inlined %s called at %s:%d" % (text_of(function), text_of(file), line))
    for i, (back, frame, flags, status) in enumerate(segment.tables[8]):
        print("stack %d: caller %d frame %d kernel %d status %d"
              % (i + 1, i - back if back <= i else 0, frame, flags & 1, status))


def dropped(raw, count):
    lines, at = ["dropped: %d segments %d events" % struct.unpack_from("<QQ", raw)], 16
    for _ in range(count):
        names = []
        for _ in range(2):
            size, = struct.unpack_from("<H", raw, at)
            names.append(text_of(raw[at + 2:at + 2 + size]))
            at += 2 + size
        lines.append("dropped %s:%s cpu %d: %d" % (*names, *struct.unpack_from("<iQ", raw, at)))
        at += 12
    return lines


def decode(data):
    magic, major, minor, size, clock = struct.unpack_from("<8sHHHH", data)
    if magic != FILE_MAGIC or major != 1 or clock != 0:
        sys.exit("not a log this decoder reads")
    end_mark = struct.unpack("<8sQQII", data[-32:])
    complete = (end_mark[0] == b"WTLOGEND" and end_mark[2] == len(data)
                and end_mark[4] == zlib.crc32(data[-32:-4]))
    segments, damages, gone = {}, [], []
    for header in list_blocks(data, size, len(data) - 32 * complete, damages):
        if header.type == 15 and not segments:
            gone = dropped(payload(data, header), header.count)
        if header.segment == 0xffffffff or (header.type == 12 and header.segment not in segments):
            continue
        segment = segments.setdefault(header.segment, Segment(header.segment))
        try:
            take_block(segment, header, payload(data, header))
        except (Damaged, struct.error, ValueError) as why:
            damages.append((header.offset, str(why)))
    for segment in segments.values():
        try:
            check_ranges(segment)
        except Damaged as why:
            damages.append((0, str(why)))
        print_tables(segment)
    events = sorted((event[:3], event, segment.number) for segment in segments.values() for event in segment.events)
    for _, (time, _, _, cpu, thread, stack, own, text), number in events:
        print("%d cpu %d segment %d thread %d stack %d self %d %s" % (time, cpu, number, thread, stack, own, text))
    print("version %d.%d events %d segments %d complete %d" % (major, minor, len(events), len(segments), complete))
    for text in gone:
        print(text)
    for offset, what in damages:
        print("damage at %d: %s" % (offset, what))


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        decode(file.read())
