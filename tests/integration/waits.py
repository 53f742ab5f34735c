#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the turns of threads that view --waits shows with what the program and the kernel counted.

	waits.py LOG TRUTH [CHECK...]

Each thread is viewed between two moments at which it ran. Without CHECK: its parts add up to that time exactly; it left
the CPU as often as the kernel says, of its own will and not; it ran and was ready at least as long as the kernel says,
and did not run while the kernel says that it was ready.

	waits       each wait that the program timed holds the blocked time of one turn, and none is left
	kind=K      all its blocked time is of this kind
	waker       its waits ended by wakes of the program's threads, or it is told that it is not known; waker=K: those
	            of this kind
	yielded     it was ready because it yielded, N times
"""
import json
import subprocess
import sys

SWITCH_NS = 20000  # between the tracepoint and the kernel's own account of a switch, beside a twentieth of all time
log, truth, checks = sys.argv[1], sys.argv[2], sys.argv[3:]


def view(*options):
    out = subprocess.run(["wtrace", "view", log, "--waits", "--json", *options], check=True, capture_output=True)
    return json.loads(out.stdout)


def rows(table, *keys):
    """The rows of a view by one or two keys, as a dictionary of their values."""
    got = {}
    for row in table["tables"][0]["rows"] if table["tables"] else []:
        first = row["key"].get(keys[0] + "_text", row["key"][keys[0]])
        if len(keys) == 1:
            got[first] = row
        for below in row.get("rows", []) if len(keys) > 1 else []:
            got[first, below["key"].get(keys[1] + "_text", below["key"][keys[1]])] = below
    return got


whole = view("--group-by", "tid")["waits"]
origin = whole["start_raw_ns"]
# Where a wake is missing, a wait may have ended earlier than the log knows: it says so, and what was ready may be less.
probable = whole["probable"] > 0
threads, waits = [], {}
for line in open(truth):
    words = line.split()
    if words[0] == "thread":
        threads.append([int(word) for word in words[2:]])
    elif words[0] == "wait":
        waits.setdefault(int(words[1]), []).append((int(words[2]), int(words[3])))
assert threads, "the program printed nothing"
PARTS = ["running", "ready", "blocked", "unknown"]

for tid, begin, end, run, wait, voluntary, involuntary in threads:
    time = ["--from", f"{begin - origin}ns", "--to", f"{end - origin}ns"]
    span = [*time, "--where", f"tid == {tid}"]
    table = view(*span, "--group-by", "tid", "--columns", "count,life,waits," + ",".join(PARTS))
    row = rows(table, "tid")[tid]
    running, ready, blocked, unknown = (row[part] for part in PARTS)
    switches = voluntary + involuntary
    print(tid, "of", end - begin, "ns", row, "kernel:", run, wait, voluntary, involuntary)
    assert row["life"] == end - begin == running + ready + blocked + unknown, "the parts add up"
    # The turn that was going on at the beginning has its wait before it.
    assert row["count"] == switches + 1, "a turn for each switch"
    assert row["waits"] == voluntary, "waits are the switches of its own will"
    if run and wait:
        slack = (switches + 2) * SWITCH_NS + (end - begin) // 20
        # The kernel books the way from a wake to the CPU as time that it ran.
        assert probable or running + ready + unknown >= run + wait - slack, "it ran and was ready as long as the kernel says"
        assert running <= end - begin - wait + slack, "it did not run while it was ready"
        assert ready + unknown + blocked >= wait - slack, "it waited for a CPU as long as the kernel says"
        if not voluntary and not unknown:
            assert ready >= wait - slack, "it was ready as long as the kernel says"
    if "waits" in checks:
        mine = waits[tid]
        assert blocked + unknown >= 0.5 * sum(after - before for before, after in mine) or ready, "it was blocked"
        for before, after in mine:
            one = view("--from", f"{before - origin}ns", "--to", f"{after - origin}ns", "--where", f"tid == {tid}",
                       "--group-by", "tid", "--columns", "life,waits," + ",".join(PARTS))
            part = rows(one, "tid")[tid]
            assert part["life"] == after - before, (part, before, after)
            blocked -= part["blocked"]
            unknown -= part["unknown"]
        outside = rows(view(*span, "--group-by", "tid,kind", "--columns", "blocked,unknown"), "tid", "kind")
        print("  outside of its timed waits:", blocked, unknown, outside)
        assert blocked >= 0 and unknown >= 0, "no more than all"
        # A page fault or a lock of the kernel may come between.
        assert blocked + unknown <= 0.1 * row["blocked"] + 0.1 * row["unknown"], "it was blocked where it waited"
    for check in checks:
        if check.startswith("kind="):
            kinds = rows(view(*span, "--group-by", "tid,kind", "--columns", "blocked,waits"), "tid", "kind")
            of_kind = kinds.get((tid, check[5:]), {"waits": 0, "blocked": 0})
            print("  kinds:", {key[1]: (value["waits"], value["blocked"]) for key, value in kinds.items()})
            # A page fault, or a lock of the kernel inside, is another kind.
            assert of_kind["waits"] >= 0.9 * voluntary, "its waits are of that kind"
    for check in checks:
        if not check.startswith("waker"):
            continue
        where = f"tid == {tid}" + (f" && kind == '{check[6:]}'" if check[5:] else "")

        def waits_by(key, more=""):
            got = rows(view(*time, "--where", where + more, "--group-by", key, "--columns", "waits"), key)
            return {value: row["waits"] for value, row in got.items()}

        wakers, mine = waits_by("waker_tid"), {t[0] for t in threads}
        unseen = sum(waits_by("tid", " && certainty == 'not known'").values())
        print("  wakers:", wakers, "not known:", unseen)
        strangers = sum(n for waker, n in wakers.items() if waker is not None and waker not in mine)
        assert strangers <= 0.02 * sum(wakers.values()) + 2, "nobody else woke it"
        named = sum(n for waker, n in wakers.items() if waker in mine - {tid})
        assert named >= 0.9 * (sum(wakers.values()) - unseen) - 2, "its partners woke it"
        assert not sum(waits_by("tid", " && ready_by == 'signal'").values()), \
            "no signal was sent: each wait has a waker, or it is told that it is not known"
    if "interrupt" in checks:
        contexts = rows(view(*time, "--where", f"tid == {tid} && kind == 'timer'", "--group-by", "tid,waker",
                             "--columns", "waits"), "tid", "waker")
        print("  woken by:", {key[1]: value["waits"] for key, value in contexts.items()})
        assert not [key for key in contexts if key[1] not in ("", None, "[interrupt]", "[softirq]")], \
            "a timer's interrupt wakes, not the thread that it stopped"
    if "yielded" in checks:
        yields = rows(view(*span, "--group-by", "tid,ready_by", "--columns", "count,ready"), "tid", "ready_by")
        print("  ready by:", {key[1]: value["count"] for key, value in yields.items()})
        assert yields[tid, "yielded"]["count"] >= 0.8 * involuntary, "it yielded"
