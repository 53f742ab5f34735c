#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sample_schema.py FILE [--filtered PREFIX] [--annotated SYMBOL [--disassembled]]: the JSON of `sample` and `record` has the
keys and types that wperf's readers take, and its numbers add up. --filtered: only functions that begin with PREFIX are
there, and their shares are those of all samples. --annotated: the hits of SYMBOL's source lines are its samples."""
import argparse
import json

SAMPLING = {"pe_file": str, "pdb_file": str, "sample_display_row": int, "samples_generated": int, "samples_dropped": int,
            "base_address": int, "runtime_delta": int, "events": list}
EVENT = {"type": str, "samples": list, "interval": int, "printed_sample_num": int, "annotate": list}
SAMPLE = {"overhead": (int, float), "count": int, "symbol": str}
FUNCTION = {"function_name": str, "source_code": list}
LINE = {"line_number": int, "hits": int, "filename": str}
ASM = {"instruction_address": str, "disassembled_line": dict}
INSTRUCTION = {"address": str, "instruction": str}


def take(value, shape, what):
    assert type(value) is dict and set(value) == set(shape), f"{what}: {value if type(value) is not dict else sorted(value)}"
    for key, kind in shape.items():
        assert isinstance(value[key], kind) and type(value[key]) is not bool, f"{what}.{key}: {value[key]!r}"


def take_annotate(event, symbol, with_asm):
    counts = {sample["symbol"]: sample["count"] for sample in event["samples"]}
    hits = {}
    for function in event["annotate"]:
        take(function, FUNCTION, "annotate")
        name = function["function_name"]
        for line in function["source_code"]:
            take(line, LINE | ASM if with_asm else LINE, name)
            for instruction in line["disassembled_line"]["disassemble"] if with_asm else []:
                take(instruction, INSTRUCTION, name)
                int(instruction["address"], 16)
            hits[name] = hits.get(name, 0) + line["hits"]
            if with_asm and name == symbol:
                addresses = [row["address"] for row in line["disassembled_line"]["disassemble"]]
                assert line["instruction_address"] in addresses, line
    assert all(hits[name] <= counts.get(name, 0) for name in hits), (hits, counts)
    assert bool(event["annotate"]) == bool(symbol), event["annotate"]
    assert not symbol or hits[symbol] == counts[symbol] > 0, (hits, counts)


def main(path, prefix, symbol, with_asm):
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    take(document, {"sampling": dict}, "document")
    sampling = document["sampling"]
    take(sampling, SAMPLING, "sampling")
    assert sampling["events"], "no event"
    total = 0
    for event in sampling["events"]:
        take(event, EVENT, "event")
        assert event["printed_sample_num"] == len(event["samples"]) > 0, event["type"]
        assert event["interval"] > 0, event
        for sample in event["samples"]:
            take(sample, SAMPLE, event["type"])
            assert not prefix or sample["symbol"].startswith(prefix), sample
        take_annotate(event, symbol, with_asm)
        largest = event["samples"][0]
        assert all(sample["count"] <= largest["count"] for sample in event["samples"]), "not sorted"
        whole = largest["count"] * 100 / largest["overhead"]
        for sample in event["samples"]:
            assert abs(sample["overhead"] - 100 * sample["count"] / whole) < 0.001, sample
        total += sum(sample["count"] for sample in event["samples"])
    known = sampling["samples_generated"] - sampling["samples_dropped"]
    complete = all(len(event["samples"]) < sampling["sample_display_row"] for event in sampling["events"])
    assert total < known if prefix else total == known or not complete, (total, known)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--filtered", default="")
    parser.add_argument("--annotated", default="")
    parser.add_argument("--disassembled", action="store_true")
    given = parser.parse_args()
    main(given.path, given.filtered, given.annotated, given.disassembled)
