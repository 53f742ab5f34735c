#!/bin/sh
# SPDX-License-Identifier: MIT
# The worst directories that one user can make (neighbour.py), while root's session traces another user: answers are given,
# the other user's events are all there, and the neighbour's account has no more than 5 % of a CPU and 64 MB.
# WT_ATTACK_WHOLE=1 makes it large, and judges also what no account says: answers within 1 s, or where a busy machine takes
# longer than a third of that without the neighbour, within three times as long as there; and the worker's CPU time by the
# kernel's clock less that of the same session before, in which the price of rounds that come closer together is too: 5 % of a
# CPU. WT_ATTACK_WAYS: only these.
# In memory, as users' directories are.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
. "$(dirname "$0")/lib.sh"
whole=${WT_ATTACK_WHOLE:-}
if [ "$whole" ]; then
	links=60000 copies=8192 manifests=1500 states=500 odd=500 seconds=20 events=20000
else
	links=5000 copies=1500 manifests=300 states=20 odd=20 seconds=1 events=3000
fi
user_directory 65534 4242

answers() { # NAME CMD...
	name=$1
	shift
	if timed "$@"; then ok "$name"; else not_ok "$name" "exit code $code after $took ms" && show_output; fi
}

# What status says, to $cpu: the worker's CPU time, ns; $memory: its memory, bytes; $ms: CPU time in ms that the worker says
# it spent on the neighbour, or "none" where it says nothing.
look() {
	wtrace status --session worst --json | python3 -c '
import json, re, sys
status = json.load(sys.stdin)
lines = [line for line in status["lines"] if line.startswith("buffers of uid 4242:")]
cpu = re.search(r"CPU ([0-9.]+) s", lines[0]) if len(lines) == 1 else None
print(status["cpu_ns"], status["memory_bytes"], round(1000 * float(cpu.group(1))) if cpu else "none")' >looked
	read -r cpu memory ms <looked
}

# What is answered at any time, which waits for nobody.
answers_of_all() { # NAME
	answers "$1: status answers" wtrace status --session worst
	answers "$1: list answers" wtrace list providers
	answers "$1: a second session starts" wtrace start -q -p emit --session other
	answers "$1: it stops" wtrace stop -q --session other -o other.etl --force
}

# Percent of a CPU that the process takes by the kernel's clock, from one CPU time and time to another.
share_of() { awk -v c="$(($3 - $1))" -v t="$(($4 - $2))" 'BEGIN { printf "%.1f", 100 * c / t }'; }

attack() { # WAY COUNT: for a COUNT of "while" the way goes on until the file `enough` is there
	way=$1 longest=0
	rm -rf enough wtrace-4242/* wtrace-4242/.root-* "$TMP"/*.etl
	check "$way: start" wtrace start -q -p emit --session worst
	check "$way: the neighbour's program" as 4242 user_emit -n 10
	check "$way: and another user's" as 65534 user_emit -n 100 -d 100
	wait_until 20 has_logged worst emit tick 110
	idle=0 usual=0
	if [ "$whole" ]; then
		answers_of_all "$way, before"
		usual=$longest longest=0
		look
		before=$cpu at=$(date +%s%N)
		sleep 5
		look
		idle=$(share_of "$before" "$at" "$cpu" "$(date +%s%N)")
	fi
	look
	had=$memory ms_before=$ms at=$(date +%s%N)
	if [ "$2" = while ]; then
		background as 4242 neighbour.py "$way" "$TMP/wtrace-4242" worst 600
		check "$way: it is under way" wait_until 60 grep -qx 'under way' background.out
	else
		check "$way: the directory is filled" as 4242 neighbour.py "$way" "$TMP/wtrace-4242" worst "$2"
	fi
	if [ "$whole" ] || [ "$way" = links ]; then
		answers_of_all "$way"
	else
		answers "$way: status answers" wtrace status --session worst
		answers "$way: list answers" wtrace list providers
	fi
	check "$way: the other user goes on" as 65534 user_emit -n "$events" -d 1
	look
	before=$cpu quiet=$(date +%s%N)
	sleep "$seconds"
	look
	share=$(share_of "$before" "$quiet" "$cpu" "$(date +%s%N)")
	# 50 ms a second at most, 100 saved up, and a last piece of work.
	most=$((($(date +%s%N) - at) / 20000000 + 150))
	if [ "$2" = while ]; then
		touch enough
		wait "$bg"
		is "$way: it went on until then" $? 0
		sed 's/^/# /' background.out
	fi
	answers "$way: stop answers" wtrace stop --session worst -o "$way.etl"
	is "$way: all of the other user's events are there" \
		"$(events_of "$way.etl")" $((100 + events))
	if ! echo "$ms_before $ms" | grep -qxE '[0-9]+ [0-9]+'; then
		not_ok "$way: the neighbour has an account" "ms before and after: $ms_before, $ms"
		return
	fi
	ms=$((ms - ms_before)) more=$(((memory - had) >> 20))
	echo "# $way: longest answer $longest ms, $usual ms before; worker $share % of a CPU, $idle % before, $ms ms on the neighbour's account, $more MiB more"
	at_most "$way: ms on the neighbour's account" "$ms" "$most"
	at_most "$way: MiB" "$more" 64
	if [ "$whole" ]; then
		at_most "$way: ms to answer" "$longest" $((3 * usual > 1000 ? 3 * usual : 1000))
		at_most "$way: percent of a CPU" "$(awk -v a="$share" -v b="$idle" 'BEGIN { print a - b }')" 5
	fi
}

# Of programs that the neighbour did not run: its own pids are in no list of these.
events_of() {
	wtrace dump "$1" -e emit/tick --json | python3 -c '
import collections, json, sys
by = collections.Counter(json.loads(line)["pid"] for line in sys.stdin)
print(sum(n for n in by.values() if n in (100, int(sys.argv[1]))))' "$events"
}

only=${WT_ATTACK_WAYS:-}
try() { # WAY COUNT|while
	case " ${only:-$1} " in *" $1 "*) attack "$@" ;; esac
}
try links "$links"
try copies "$copies"
try manifests "$manifests"
try states "$states"
try odd "$odd"
try storm while
try sizes while
try heads while
try pads while
done_testing
