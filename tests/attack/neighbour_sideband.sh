#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's programs make the kernel tell of their names and mappings as fast as they can, while root's session profiles somebody
# else: his samples have their names and stacks, what is left out is lost with its cause and its user, and all adds up.
. "$(dirname "$0")/lib.sh"
cp "$WT_ROOT/build/tests/programs/sideband_flood" "$WT_ROOT/build/tests/programs/busy" bin/

# Of that log: events of that kind that the flood made; of the losses with that cause the events.
written() { wtrace dump "$1" -e "$2" --json 2>/dev/null | grep -c "flood"; }
lost() { # LOG CAUSE [WHAT]
	wtrace dump "$1" -e wtrace/lost --json 2>/dev/null | python3 -c '
import json, sys
lost = [json.loads(line)["fields"] for line in sys.stdin]
print(sum(l["count"] for l in lost if l["cause_text"] == sys.argv[1] and (len(sys.argv) == 2 or l["event"] == sys.argv[2])))' \
		"$2" ${3:+"$3"}
}
# Percent of the samples of `busy` in functions of its own and of the kernel.
named() {
	wtrace view "$1" --where 'comm == "busy"' --group-by function --csv --top 0 --columns count 2>/dev/null | python3 -c '
import csv, sys
rows = [row for row in csv.DictReader(sys.stdin)]
all = sum(int(row["count"]) for row in rows)
known = sum(int(row["count"]) for row in rows if not row["function"].startswith(("[unknown]", "[unresolved]", "[in doubt]")))
print(100 * known // all if all else 0)'
}

# Says of a log whose victim has too few names what its samples are called, when, and what was lost.
explained() { # LOG LEAST
	known=$(named "$1")
	[ "$known" -ge "$2" ] && return
	echo "# $1: $known percent have names:"
	wtrace view "$1" --where 'comm == "busy"' --group-by function --csv --top 0 --columns count,first,last 2>/dev/null | sed 's/^/# /'
	wtrace dump "$1" -e wtrace/lost --json 2>/dev/null | grep -v "over this user" | head -20 | sed 's/^/# /'
	wtrace dump "$1" -e wtrace/info --json 2>/dev/null | sed 's/^/# /'
}

flood() { # WAY TIMES EVENT
	way=$1
	check "$way: start" wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk --session side
	setpriv --reuid=65534 --regid=65534 --clear-groups busy 600 >victim.out 2>&1 &
	victim=$!
	check "$way: the victim runs" wait_until 30 grep -q ready victim.out
	as 4242 sideband_flood "$way" "$2" &
	one=$!
	as 4242 sideband_flood "$way" "$2" &
	check "$way: the flood ends" wait "$one" "$!"
	check "$way: stop" wtrace stop -q --session side -o "$way.etl"
	kill "$victim" && wait "$victim" 2>/dev/null
	share=$(lost "$way.etl" "over this user's share" "${3#*/} of uid 4242") full=$(lost "$way.etl" 'ring full')
	# Samples have a ring of their own, which may be full, too.
	[ "$way" != names ] || full=$(lost "$way.etl" 'ring full' 'thread_name or process_exec')
	taken=$(written "$way.etl" "$3")
	echo "# $way: $taken taken, $share left out, $full lost as a ring was full"
	at_least "$way: some are left out" "$share" 1
	if [ "$full" -eq 0 ]; then
		at_least "$way: written and lost are what was produced" $((taken + share)) $((2 * $2))
		# A mapping that is told with its build id first is told again with its inode.
		[ "$way" != names ] || at_most "$way: and no more" $((taken + share)) $((2 * $2))
	else
		# Of names that are lost those are counted that cannot have been forks.
		[ "$way" = names ] || at_least "$way: nothing is missing silently" $((taken + share + full)) $((2 * $2))
		[ "$way" != names ] || at_most "$way: and no more" $((taken + share + full)) $((2 * $2))
	fi
	check "$way: the user is named" sh -c "wtrace dump $way.etl -e wtrace/info --json | grep -q 'processes of uid 4242 .* rename threads more often'"
	# A recorder that gets no CPU for some ms loses a few mappings, and reads everybody's again: those until then have no names.
	least=90
	[ "$way" = names ] || [ "$full" -eq 0 ] || least=60
	[ "$way" = names ] || at_most "$way: a tenth at most found no room" "$full" $((2 * $2 / 10))
	explained "$way.etl" "$least"
	at_least "$way: percent of the victim's samples with names" "$(named "$way.etl")" $least
}
# The recorder stands still: the ring of names fills, and what is lost there leaves names in doubt, no mapping.
held() {
	check "held: start" wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk --session held
	setpriv --reuid=65534 --regid=65534 --clear-groups busy 600 >victim.out 2>&1 &
	victim=$!
	check "held: the victim runs" wait_until 30 grep -q ready victim.out
	worker=$(wtrace status -s held --json | sed -n 's/.*"worker":\([0-9]*\).*/\1/p')
	kill -STOP "$worker"
	as 4242 sideband_flood names 1000000
	as 4242 sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done'
	kill -CONT "$worker"
	check "held: stop" wtrace stop -q --session held -o held.etl
	kill "$victim" && wait "$victim" 2>/dev/null
	share=$(lost held.etl "over this user's share") full=$(lost held.etl 'ring full' 'thread_name or process_exec')
	taken=$(written held.etl proc_thread/thread_name)
	echo "# held: $taken taken, $share left out, at least $full lost as a ring was full"
	at_least "held: names are lost" "$full" 1
	at_most "held: what is counted is no more than was produced" $((taken + share + full)) 1000100
	is "held: no mapping is" "$(wtrace dump held.etl -e wtrace/lost --json | grep -c '"provider":"[^"]*loader')" 0
	explained held.etl 90
	at_least "held: percent of the victim's samples with names" "$(named held.etl)" 90
}
held
flood names 400000 proc_thread/thread_name
flood maps 80000 loader/image_load
flood protects 120000 loader/image_load
done_testing
