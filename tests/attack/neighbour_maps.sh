#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's processes map the same executable page 20,000 times each, before and while root's session traces: what is kept of
# them is bounded and given back, the log says so and names the user, and others' mappings are all known.
. "$(dirname "$0")/lib.sh"
many=20000

# Loader events of that process, of that kind.
images_of() { # LOG PID EVENT
	wtrace dump "$1" -e "loader/image_$3" --json | python3 -c '
import json, sys
print(sum(json.loads(line)["pid"] == int(sys.argv[1]) for line in sys.stdin))' "$2"
}
says_left_out() { wtrace status --session maps | grep -q "warning: .* of uid 4242 .* are left out"; }

# A process of that user maps COUNT times; its pid goes to $pid.
begin() { # NAME UID COUNT
	as "$2" neighbour.py maps 600 /bin/true "$3" >"$1.out" 2>&1 </dev/null &
	pids="$pids $!"
	check "$1 has mapped" wait_until 60 test -s "$1.out"
	pid=$(cat "$1.out")
	pids="$pids $pid"
}
pids=
# shellcheck disable=SC2086 # as many words as there are pids
trap 'kill $pids 2>/dev/null; cleanup' EXIT
begin first 4242 "$many"
first=$pid
begin second 4242 "$many"
second=$pid
begin victim 65534 100
victim=$pid
check 'start' wtrace start -p loader,proc_thread --session maps
check 'it says whose mappings are left out' wait_until 30 says_left_out
begin third 4242 "$many"
third=$pid
check 'stop' wtrace stop --session maps -o maps.etl
check 'the log says it, with the user and the count' sh -c \
	'wtrace dump maps.etl -e wtrace/info --json | grep -E "of uid 4242 .*first: ($1|$2).* mappings are left out"' - "$first" "$second"
check 'and how many in all' sh -c \
	'wtrace dump maps.etl -e wtrace/info --json | grep -E "processes of uid 4242 .*at least [0-9]{4,} mappings"'
at_most 'of the first as many as are kept' "$(images_of maps.etl "$first" rundown)" 4096
at_least 'and no fewer' "$(images_of maps.etl "$first" rundown)" 4000
at_most 'of the second too' "$(images_of maps.etl "$second" rundown)" 4096
at_least "what is mapped meanwhile is told beyond that" "$(images_of maps.etl "$third" load)" 4097
at_least "all of the other user's are known" "$(images_of maps.etl "$victim" rundown)" 100
done_testing
