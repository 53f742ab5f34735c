#!/bin/sh
# SPDX-License-Identifier: MIT
# Sessions: start, status, mark, stop; names taken, nothing to stop, several at once, what a dead one left.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

one=one two=two

check_exit 'stop of nothing fails' 1 wtrace stop --session "$one"
check_err 'and says that none is running' 'no session|is running'
check_exit 'mark without a session fails' 1 wtrace mark hello
check 'status without a session' wtrace status
check_exit 'a bad session name is usage' 2 wtrace start --session 'a b'
check_err 'and says what a name may hold' "letters, digits"

check 'start' wtrace start -p pmu-profile,loader,proc_thread --stackwalk --session "$one"
check_out 'says what is sampled' 'cpu-clock at 997 Hz|cycles'
check_exit 'the name is taken' 1 wtrace start --session "$one"
check_err 'and says how to stop it' "already running.*wtrace stop --session $one"
check 'a second session beside it' wtrace start -e context-switches:1 --session "$two"
check 'status of both' wtrace status
check_out 'shows the first' "session '$one'"
check_out 'shows the second' "session '$two'"
check 'a mark into both' wtrace mark 'half way, "quoted" and ünïcode'
check 'status as JSON' wtrace status --session "$one" --json
cp out status.json
check 'which parses' python3 -c 'import json; d=json.load(open("status.json")); assert d["state"]=="running" and d["worker"]'
# What opening the kernel's events needed is given back before the keeper and what reads apart are forked.
keeper=$(python3 -c 'import json; print(json.load(open("status.json"))["keeper"])')
check 'the keeper holds less than 4 MiB' test "$(awk '/^RssAnon:/ { print $2 }' "/proc/$keeper/status")" -lt 4096
check 'list sessions' wtrace list sessions
check_out 'names it' "$one"
check 'stop the first' wtrace stop --session "$one" -o one.etl
check_out 'says what was written' 'one.etl: [0-9]+ events over'
check 'the second still runs' wtrace status --session "$two"
check 'stop the second without -o' wtrace stop --session "$two"
kept=$(sed -n 's/^\(.*\.etl\): .*/\1/p' "$TMP/out" | head -n 1)
check 'the kept file is there' test -s "$kept"
check 'and reads' wtrace dump "$kept"
check_out 'it has the mark' 'half way'
check 'the first has the mark too' wtrace dump one.etl
check_out 'in full' 'half way, .*quoted.* and ünïcode'
check 'nothing is left in the runtime directory' sh -c "! ls $WTRACE_RUNTIME/$one.* 2>/dev/null"

# The spool directory is shared, the runtime directory is not: another container, another WTRACE_RUNTIME.
mkdir -m 700 elsewhere
check 'a session' wtrace start -p proc_thread --session "$one"
for command in 'start -p proc_thread' stop recover; do
	# shellcheck disable=SC2086
	check_exit "$command from another runtime directory: not taken for dead" 1 env WTRACE_RUNTIME="$TMP/elsewhere" wtrace $command --session "$one"
	check_err 'says who writes there' "of another runtime directory is recording into .*/$one.part"
done
check 'recover of all' env WTRACE_RUNTIME="$TMP/elsewhere" wtrace recover
check_err 'leaves it out' "of another runtime directory is recording into .*/$one.part"
is 'and leaves no trace' "$(ls elsewhere)" ''
check 'it goes on' wtrace mark 'still here'
check 'and stops' wtrace stop --session "$one" -o still.etl
check 'whole' wtrace dump still.etl -e mark
check_out 'with all' 'still here'

check 'start with -o' wtrace start -p proc_thread --session "$one" -o given.etl
check 'stop brings it there' wtrace stop --session "$one"
check 'the file is there' test -s given.etl
done_testing
