#!/bin/sh
# SPDX-License-Identifier: MIT
# Writers faster than the session, for WT_OVERLOAD_SECONDS (5; nightly 60): what was produced is what was written and
# what was lost, to the event, for each provider, CPU and cause; the writers' own counts say the same.
# Runs alone.
. "$(dirname "$0")/user.sh"

# PROVIDER: what its two threads were told: acknowledged, refused for want of room, anything else.
told() {
	read -r _ ok _ full _ large _ memory _ <"$1.told"
	echo "$ok $full $((large + memory))"
}

# PROVIDER: how many of its events lost events tell of, and causes that have no place here. A ring that overflows
# while the recorder waits for the disk is the disk's fault.
lost_by_cause() {
	wtrace dump all.etl --json -e lost | python3 -c '
import json, sys
count, others = 0, set()
for line in sys.stdin:
    f = json.loads(line)["fields"]
    if f["provider"] == sys.argv[1]:
        count += f["count"]
        others |= {f["cause_text"]} - {"ring full", "disk"}
print(count, *others)' "$1"
}

# PROVIDER: on how many CPUs the "counted" events, the events in the log and the lost ones do not agree.
cpus_wrong() {
	wtrace view all.etl -e "$1/tick" --group-by cpu --json >by_cpu.json
	wtrace dump all.etl --json -e counted -e lost | python3 -c '
import collections, json, sys
name = sys.argv[1]
tables = json.load(open("by_cpu.json"))["tables"]
found = {row["key"]["cpu"]: row["count"] for row in tables[0]["rows"]} if tables else {}
lost, counted = collections.Counter(), {}
for line in sys.stdin:
    event = json.loads(line)
    f = event["fields"]
    if f["provider"] != name:
        continue
    if event["event"] == "lost":
        lost[f["on_cpu"]] += f["count"]
    else:
        counted[f["on_cpu"]] = (f["produced"], f["written"], f["lost"])
cpus = set(found) | set(lost) | set(counted)
wrong = [c for c in cpus
         if counted.get(c, (0, 0, 0)) != (found.get(c, 0) + lost[c], found.get(c, 0), lost[c])]
print(len(wrong), *(f"cpu {c}: counted {counted.get(c)}, found {found.get(c)}, lost {lost[c]}" for c in wrong))' "$1"
}

for p in over-a over-b; do
	user_emit -p $p -w -n 0 -t 2 >$p.told &
	backgrounds="$backgrounds $!" writers="${writers:-} $!"
done
check 'start' wtrace start -p over-a,over-b --buffer-size 128K
sleep "${WT_OVERLOAD_SECONDS:-5}"
check 'stop' wtrace stop -o all.etl
for pid in $writers; do wait "$pid"; done

for p in over-a over-b; do
	set -- $(told $p)
	is "$p: produced, written, lost" "$(counted all.etl $p)" "$(($1 + $2)) $1 $2 0"
	is "$p: the log has what was acknowledged" "$(wtrace view all.etl -e "$p/tick" --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["counted"]["events"])')" "$1"
	is "$p: lost by the right cause is what was refused" "$(lost_by_cause $p)" "$2"
	is "$p: nothing else was refused" "$3" 0
	is "$p: CPU by CPU too" "$(cpus_wrong $p)" 0
	at_least "$p: it was an overload" "$2" 1000
done

done_testing
