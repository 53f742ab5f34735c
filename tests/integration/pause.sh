#!/bin/sh
# SPDX-License-Identifier: MIT
# Pauses of real programs: what pause shows is compared with view --waits and with what the program did. A decoy runs
# all the time, waits for nothing, wakes nobody, and must be in no path.
. "$(dirname "$0")/lib.sh"

program=$WT_ROOT/build/tests/programs/waits
compare=$WT_ROOT/tests/integration/pause.py
background sh -c 'while :; do :; done'
decoy=$bg

record() {
	record_switches "$1" "$program" "$1" "$2"
}

check 'a lock and three waiters' record lock 20
check 'the path is in the threads that hold it' "$compare" lock.etl lock.truth decoy="$decoy"
check 'pipe: two threads wake each other' record pipe 200
check 'the path is in the two' "$compare" pipe.etl pipe.truth own decoy="$decoy"
check 'sleep' record sleep 10
check 'the path ends at timers' "$compare" sleep.etl sleep.truth own timer decoy="$decoy"
check 'a parent and its children' record child 5
check 'the path is in the children' "$compare" child.etl child.truth decoy="$decoy"
check 'spin: two threads on one CPU' record spin 50
check 'each is ready while the other has the CPU' "$compare" spin.etl spin.truth own other decoy="$decoy"
check 'starve: one of the two has the lowest priority' record starve 50
check 'it is ready while the other has the CPU' "$compare" starve.etl starve.truth own other decoy="$decoy"
check 'its pause' wtrace pause starve.etl --thread "$(sed -n 's/^thread starve \([0-9]*\) .*/\1/p' starve.truth | head -n 1)" --json
check_out 'has the lowest priority' '"state":"ready","cause":"cpu taken","by":\{"tid":[0-9]+,"name":"[^"]*","priority":[0-9]+\},"cpu":[0-9]+,"priority":139,'
check 'sync: a file is written to the disk' record sync 5
check 'parts add up' "$compare" sync.etl sync.truth decoy="$decoy"

tid=$(sed -n 's/^thread sleep \([0-9]*\) .*/\1/p' sleep.truth)
check 'text' wtrace pause sleep.etl --thread "$tid"
check_out 'has what the thread did' '^itself +running [0-9.]+, ready [0-9.]+, blocked [0-9.]+, unknown [0-9.]+ ms'
check_out 'has blame of 100 %' '^ +100\.00 % +[0-9.]+ +[0-9]+  all$'
check_out 'and says how far it is certain' '^certain +all '
check 'three waits' wtrace pause sleep.etl --thread "$tid" --top 3
check_out 'have numbers' '^pause +3 of 3: '
check 'a name' wtrace pause spin.etl --thread waits --top 2
check_exit 'a name of several threads with --from' 2 wtrace pause spin.etl --thread waits --from 0
check_err 'says so' 'threads have the name'
check_exit 'an unknown thread' 1 wtrace pause sleep.etl --thread nobody-here
check_exit 'no thread' 2 wtrace pause sleep.etl
check_exit '--to before --from' 2 wtrace pause sleep.etl --thread "$tid" --from 0.2 --to 0.1
check_exit 'a wrong --top' 2 wtrace pause sleep.etl --thread "$tid" --top 0
check 'a log without switches' wtrace record -o none.etl -- true
check_exit 'says so' 1 wtrace pause none.etl --thread 1
check_err 'and what to record' '-p cswitch,dispatcher'

# From a mark to the next one: the longest of those with the text.
check 'a session' wtrace start -p cswitch,dispatcher -s marked
background "$program" sleep 3000
for text in one two one three; do
	check "mark $text" wtrace mark "$text"
	[ "$text" = two ] || sleep 0.1
	sleep 0.1
done
check 'ends' wtrace stop -s marked -o marked.etl
wtrace dump marked.etl --event mark >marks
tid=$(wtrace view marked.etl --waits --group-by tid --where "process == 'waits' && blocked > 1ms" --csv | sed -n '2s/^,\([0-9]*\),.*/\1/p')
check 'two' wtrace pause marked.etl --thread "$tid" --mark two --json
is 'is the time between the second mark and the third' \
	"$(python3 -c 'import json; p = json.load(open("out"))["pauses"][0]; print("%.9f %.9f" % (p["from_ns"] / 1e9, (p["from_ns"] + p["length_ns"]) / 1e9))')" \
	"$(sed -n '2,3s/^ *\([0-9.]*\) .*/\1/p' marks | tr '\n' ' ' | sed 's/ $//')"
check_exit 'an unknown mark' 1 wtrace pause marked.etl --thread "$tid" --mark four
check_err 'is told' "no mark 'four'"
check_exit '--mark with --from' 2 wtrace pause marked.etl --thread "$tid" --mark two --from 0

# The slowest regions of a program.
cat >regions.py <<'P'
import json, subprocess
rows = [json.loads(line) for line in open("regions.json")]
want = sorted((r["fields"]["duration"] for r in rows if r["event"] == "request"), reverse=True)[:3]
pauses = json.load(open("pauses.json"))["pauses"]
assert [p["length_ns"] for p in pauses] == want, (want, [p["length_ns"] for p in pauses])
for p in pauses:
    r, = (r for r in rows if r["event"] == "request" and (r["fields"]["duration"], r["tid"]) == (p["length_ns"], p["tid"]))
    assert r["time"] == p["from_ns"], (r, p)
    assert sum(s["length_ns"] for s in p["segments"]) == p["length_ns"]
    assert sum(p["itself_ns"].values()) == p["length_ns"]
P
check 'requests' wtrace record --buffer-size 16M -p shop,cswitch,dispatcher -o shop.etl -- "$WT_ROOT/build/tests/programs/sdk_requests" truth
check 'their regions' wtrace dump shop.etl --regions --json
cp out regions.json
check 'the three slowest' wtrace pause shop.etl --region request --top 3 --json
cp out pauses.json
check 'are the longest ones of all' python3 regions.py
slow=$(sed -n 's/.*"tid": *\([0-9]*\),.*/\1/p' pauses.json | head -1)
check 'one of a thread' wtrace pause shop.etl --region request --thread "$slow"
check_out 'is shown' "^pause +1 of 1: .* \\($slow\\) of "
check_exit 'an unknown region' 1 wtrace pause shop.etl --region nothing
check_err 'is told' "no region 'nothing'"

# What one pause has more than another one: of one log, and of two.
compared() {
	check "$1" wtrace pause "$2" --json "$3" "$4" --compare "$5"
	cp out compared.json
	check 'is what their segments add up to' "$WT_ROOT/tests/integration/pause_compare.py" compared.json
}
compared 'a wait and the fifth longest' lock.etl --thread waits 5
compared 'the slowest request and another one' shop.etl --region request 20
compared 'a wait with itself' lock.etl --thread waits 1
is 'has nothing more' "$(grep -c '"more_ns": *0,' compared.json)" "$(grep -c '"more_ns"' compared.json)"
check 'another run' record lock 20
compared 'waits of two runs' lock.etl --thread waits pipe.etl
tid=$(sed -n 's/^thread sleep \([0-9]*\) .*/\1/p' sleep.truth)
check 'another thread of another time' wtrace pause lock.etl --thread waits --compare sleep.etl --other-thread "$tid" --other-from 0 --json
cp out compared.json
check 'is what their segments add up to' "$WT_ROOT/tests/integration/pause_compare.py" compared.json
is 'is of that thread' "$(python3 -c 'import json; print(json.load(open("compared.json"))["pauses"][1]["tid"])')" "$tid"
check 'as text' wtrace pause lock.etl --thread waits --compare sleep.etl --other-thread "$tid" --other-from 0
check_out 'both have sums' '^other +1 of 1: waits '
check_out 'differences have a sign' '^ +[+-][0-9]+\.[0-9]{6} .* itself: '
check_out 'and a sum' '^ +[+-][0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+  all$'
check_out 'both are certain or not' '^certain +other: all of it'
check_exit 'more waits than there are' 1 wtrace pause lock.etl --thread waits --compare 1000
check_err 'says how many' 'there are only [0-9]+'
check_exit '--other-thread for the same search' 2 wtrace pause lock.etl --thread waits --compare 2 --other-thread 3
check_exit 'no number' 2 wtrace pause lock.etl --thread waits --compare 0
check_err 'says what a number is' 'from 1 to 1000, or a log'
check_exit '--other-from alone' 2 wtrace pause lock.etl --thread waits --other-from 0
check_exit '--top' 2 wtrace pause lock.etl --thread waits --top 2 --compare 2
check_exit '--other-mark with --other-to' 2 wtrace pause lock.etl --thread waits --compare lock.etl --other-mark a --other-to 1
check_exit '--other-to before --other-from' 2 wtrace pause lock.etl --thread waits --compare lock.etl --other-from 2 --other-to 1
check_err 'names the options' 'other-to is not after --other-from'
check_exit 'a log that is not there' 1 wtrace pause lock.etl --thread waits --compare nowhere.etl

# Lines for flame graphs: the sum is that of the pauses, and each chain is one of the path.
cat >folded.py <<'P'
import collections, json
pauses = json.load(open("pauses.json"))["pauses"]
lines = dict(line.rstrip("\n").rsplit(" ", 1) for line in open("folded"))
assert sum(map(int, lines.values())) == sum(p["length_ns"] for p in pauses)
# By the number of threads in the chain, its first and its last thread, and the cause.
want, got = collections.Counter(), collections.Counter()
for p in pauses:
    for s in p["segments"]:
        want[s["depth"], p["name"], s["name"], s["cause"]] += s["length_ns"]
for line, length in lines.items():
    frames = line.split(";")
    assert len(frames) % 2 == 0, line
    got[len(frames) // 2 - 1, frames[0], frames[-2], frames[-1][1:].split("]")[0]] += int(length)
assert got == want, (got - want, want - got)
assert max(key[0] for key in got) >= 1, "nobody waited for another one"
P
check 'all pauses' wtrace pause lock.etl --thread waits --top 1000 --json
cp out pauses.json
check 'as lines' wtrace pause lock.etl --thread waits --top 1000 --folded
cp out folded
check 'are the same' python3 folded.py
check_exit '--folded with --json' 2 wtrace pause lock.etl --thread waits --folded --json
check_exit '--folded with --compare' 2 wtrace pause lock.etl --thread waits --folded --compare 2

# Without wakes nothing tells who ended a wait.
check 'switches alone' wtrace record -p cswitch -o alone.etl -- "$program" sleep 5
tid=$(sed -n 's/^thread sleep \([0-9]*\) .*/\1/p' out)
check 'are shown' wtrace pause alone.etl --thread "$tid" --from 0
check_out 'as not known' 'certain +all of it but .* the log has no wakes: -p dispatcher records them'
done_testing
