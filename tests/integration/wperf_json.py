# SPDX-License-Identifier: MIT
"""wperf_json.py KIND [SYMBOL [disassembled]]: checks the JSON on standard input against tests/schemas/KIND.json, which is
written after wperf's documents, and takes from it what two editors' extensions take from wperf, as they take it."""
import json
import pathlib
import sys

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "schemas"


def rows(found, key, *members):
    """The values of a table's rows: texts, as an extension binds them to a grid."""
    taken = [[row[member] for member in members] for row in found[key]]
    assert all(isinstance(value, str) for row in taken for value in row), key
    return taken


def read_list(found):
    events = rows(found, "Predefined_Events", "Alias_Name", "Raw_Index", "Event_Type")
    assert events, "no events"
    for _, index, _ in events:
        int(index, 16)
    for _, of_metric in rows(found, "Predefined_Metrics", "Metric", "Events"):
        assert of_metric[1:-1].split(","), of_metric
    metrics = {metric.lower() for metric, in rows(found, "Predefined_Metrics", "Metric")}
    for group, of_group in rows(found, "Predefined_Groups_of_Metrics", "Group", "Metrics"):
        assert {metric.lower() for metric in of_group.split(",")} <= metrics, group


def read_list_v(found):
    read_list(found)
    rows(found, "Predefined_Events", "Description")
    rows(found, "Predefined_Metrics", "Formula", "Unit", "Description")
    rows(found, "Predefined_Groups_of_Metrics", "Description")


def read_test(found):
    names = rows(found, "Test_Results", "Test_Name", "Result")
    result = dict(names)
    assert len(result) == len(names), "a name twice"
    unused, of_all, _ = (int(result[name], 16) for name in (
        "PMU_CTL_QUERY_HW_CFG [gpc_num]", "PMU_CTL_QUERY_HW_CFG [total_gpc_num]",
        "pmu_device.sampling.INTERVAL_DEFAULT"))
    assert unused <= of_all, "more free than there are"


def read_man(found):
    types = [name for name, _ in rows(found, "Manual_Results", "Field_Type", "Result")]
    assert "NAME" in types, types


def read_version(found):
    components = {row[0]: row for row in rows(found, "Version", "Component", "Version", "FeatureString")}
    assert "wperf" in components, components


def read_stat(found):
    core = found["core"]
    tables = [one["Performance_counter"] for one in core["cores"]]
    if core["overall"]:
        tables.append(core["overall"]["Systemwide_Overall_Performance_Counters"])
    assert tables, "no counters"
    for table in tables:
        for counter in table:
            assert counter["event_name"] and counter["counter_value"] >= 0 and counter["event_note"]
    float(found["Time_elapsed"])


def read_timeline(found):
    assert len(found["timeline"]) == found["count_timeline"], len(found["timeline"])
    for count in found["timeline"]:
        read_stat(count)


def lines_of(event, symbol):
    """The hits of a function's lines, and how many instructions were painted beside them."""
    hits = instructions = 0
    for function in event["annotate"]:
        for line in function["source_code"] if function["function_name"] == symbol else []:
            assert line["filename"] and line["line_number"], line
            hits += line["hits"]
            below = line.get("disassembled_line", {"disassemble": []})["disassemble"]
            instructions += len(below)
            assert not below or line["instruction_address"] in [row["address"] for row in below], line
    return hits, instructions


def read_sample(found, symbol, disassembled):
    for event in found["sampling"]["events"]:
        counts = {sample["symbol"]: sample["count"] for sample in event["samples"]}
        assert event["type"] and counts, event
        if symbol:
            hits, instructions = lines_of(event, symbol)
            assert 0 < hits <= counts[symbol], (hits, counts)
            assert bool(instructions) == disassembled, instructions


def read_sample_v(found):
    """Each symbol's addresses have its samples, and lie in a section of its module."""
    sampling = found["sampling"]
    code = {info["module"]: [(row["offset"], row["offset"] + row["virtual_size"]) for row in info["sections"]]
            for info in sampling["modules_info"]}
    assert [module["name"] for module in sampling["modules"]] == list(code), code
    assert any(code.values()), "no module has sections"
    for event in sampling["events"]:
        counts = {sample["symbol"]: sample["count"] for sample in event["samples"]}
        hits = {}
        for pc in event["pcs"]:
            if pc["in_symbol"][0] == "[":
                continue
            hits[pc["in_symbol"]] = hits.get(pc["in_symbol"], 0) + pc["count"]
            places = code.get(pc["in_symbol"].rpartition(":")[2])
            assert not places or any(start <= pc["address"] < end for start, end in places), pc
        assert [pc["count"] for pc in event["pcs"]] == sorted((pc["count"] for pc in event["pcs"]), reverse=True)
        assert hits == {symbol: n for symbol, n in counts.items() if symbol[0] != "["}, (hits, counts)


READERS = {"list": read_list, "list-v": read_list_v, "test": read_test, "man": read_man, "version": read_version,
           "stat": read_stat, "timeline": read_timeline}


def main(kind, symbol=None, disassembled=None):
    document = json.load(sys.stdin)
    with open(SCHEMAS / (kind.removesuffix("-v") + ".json"), encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(document, schema, cls=jsonschema.Draft7Validator)
    if kind in ("sample", "sample-v", "annotate"):
        read_sample(document, symbol, disassembled is not None)
    if kind == "sample-v":
        read_sample_v(document)
    elif kind in READERS:
        READERS[kind](document)


main(*sys.argv[1:])
