#!/bin/sh
# SPDX-License-Identifier: MIT
# --max-file: the log stays below the bound and readable while it grows, also when both processes are killed; what is
# dropped is told and is no loss.
. "$(dirname "$0")/user.sh"

MOST=4194304
part() { stat -c %s "$TMP/spool/$1.part"; }
# Events until the log says that it dropped some more; its bound holds all the time.
dropped() { wtrace dump "$TMP/spool/$1.part" --event wtrace/info 2>/dev/null | sed -n 's/.*max-file dropped \([0-9]*\) .*/\1/p' | tail -n 1; }
fill() {
	before=$(dropped "$1")
	for round in $(seq 100); do
		user_emit -n 200000 -t 2 || return 1
		size=$(part "$1")
		[ "$size" -le $MOST ] || { echo "$size bytes" && return 1; }
		[ "$(dropped "$1")" = "$before" ] || return 0
	done
	echo "not after $round rounds"
	return 1
}

check_exit 'too small a bound' 2 wtrace start -p emit --max-file 1M
check_err 'says what is needed' '4M'
check 'start' wtrace start -p emit --session ring --max-file 4M --buffer-size 128M
wtrace dump --follow -s ring --event wtrace/info >/dev/null 2>dumped &
dumps=$!
"$WT_ROOT/build/tests/programs/reader_json" -s -e emit/note ring >live.json 2>read &
reads=$!
backgrounds="$backgrounds $dumps $reads"
has_read() { [ "$(wc -l <live.json)" -ge "$1" ]; }
check 'some events' user_emit -n 7 -e 2
check 'are read' wait_until 30 has_read 7
check 'the log drops its oldest part and stays below the bound' fill ring
wait "$dumps"
is 'who prints it while it grows is not left with an end that is none' "$? $(grep -c -e '--max-file' dumped)" '1 1'
check 'more events' user_emit -n 7 -e 2
check 'who reads it goes on in the new file' wait_until 30 has_read 14
is 'and misses nothing' "$(wc -l <live.json) $(wc -l <read)" '14 0'
kill -STOP "$reads"
check 'the log drops' fill ring
check 'events between' user_emit -n 7 -e 2
check 'the log drops again' fill ring
check 'and again' fill ring
check 'and again' fill ring
check 'more events' user_emit -n 7 -e 2
kill -CONT "$reads"
check 'who was too slow goes on, too' wait_until 30 has_read 21
is 'and is told what it has missed' "$(wc -l <live.json) $(grep -c 'dropped the events from .* to .* before they were read (--max-file)' read)" '21 1'
check_exit 'it can be verified meanwhile' 1 wtrace verify "$TMP/spool/ring.part"
check_out 'and is sound' 'sound, not complete'
keeper=$(field ring keeper)
kill -KILL "$(field ring worker)"
check 'the keeper takes over' wait_until 30 is_worker ring "$keeper"
check 'and events come' user_emit -n 5
check 'stop' wtrace stop --session ring -o ring.etl
wait "$reads"
is 'who reads it ends with it' "$? $(wc -l <read)" '0 1'
check 'the log is sound' wtrace verify ring.etl
at_most 'and below the bound' "$(stat -c %s ring.etl)" $MOST
check 'events' wtrace dump ring.etl --event wtrace/info
check_out 'say what is not kept' 'first [0-9.]+ s are not kept: --max-file dropped [0-9]+ segments'
check 'nothing is lost' wtrace view ring.etl --strict --group-by event

# The accounts of a tracepoint, exact, over takeovers before and after segments were dropped.
reads() { dd if=/dev/zero of=/dev/null bs=1 count="$1" 2>/dev/null; }
fill_reads() {
	for round in $(seq 100); do
		reads 300000
		[ -z "$(dropped "$1")" ] || return 0
	done
	echo "not after $round rounds"
	return 1
}
take_over() { # SESSION
	worker=$(field "$1" worker) keeper=$(field "$1" keeper)
	kill -KILL "$worker"
	wait_until 30 is_worker "$1" "$keeper" && wait_until 10 new_keeper "$1" "$keeper"
}
# The number of the first segment in the file: so many are gone.
first_number() { od -An -tu4 -j76 -N4 "$1" | tr -d ' '; }
told_in() { wtrace dump "$1" -e wtrace/info | sed -n 's/.*dropped \([0-9]*\) segments.*/\1/p' | tail -n 1; }
log_events() { wtrace info --json "$1" | python3 -c 'import json,sys; print(json.load(sys.stdin)["events"])'; }
READ=linux:syscalls:sys_enter_read

check 'start' wtrace start -p $READ --session read --max-file 4M --buffer-size 64M
check 'killed before' take_over read
check 'the log drops segments of two workers' fill_reads read
check 'killed again' take_over read
reads 1000
check 'stop' wtrace stop --session read -o read.etl
is 'the summary has the events of the file' "$(sed -n 's/^read.etl: \([0-9]*\) events.*/\1/p' out)" "$(log_events read.etl)"
is 'all that were dropped are told' "$(told_in read.etl)" "$(first_number read.etl)"
is 'nothing is wanting' "$(cat out err | grep -c 'were counted')" 0
set -- $(counted read.etl linux:syscalls)
is 'what was dropped and what is there add up' "$4" 0
at_least 'more than the file has was written' "$2" "$(($(log_events read.etl) + 1))"
check 'the log is whole' wtrace view read.etl --group-by event
check_out 'and all counters add up' 'as counted at the source by ([0-9]+) of \1 counters'

# What was lost in segments that are dropped is known to whoever takes over, though the rings that counted it are gone,
# and is not told again.
produced=0 refused=0
emit() {
	user_emit "$@" >emitted || return 1
	read -r _ ok _ full _ <emitted
	produced=$((produced + ok + full)) refused=$((refused + full))
}
drops() {
	for round in $(seq 100); do
		emit -n 200000 -t 2 || return 1
		[ -z "$(dropped "$1")" ] || return 0
	done
	echo "not after $round rounds"
	return 1
}
check 'start' wtrace start -p emit --session told --max-file 4M --buffer-size 1M
worker=$(field told worker)
kill -STOP "$worker"
check 'more than the buffers hold' emit -n 60000
kill -CONT "$worker"
at_least 'costs events' "$refused" 1
check 'what says so is dropped' drops told
check 'killed' take_over told
check 'more events' emit -n 5
check 'stop' wtrace stop --session told -o told.etl
set -- $(counted told.etl)
is 'what was lost is as the programs counted it' "$1 $(($2 + $3)) $3 $4" "$produced $produced $refused 0"

# A count that cannot be right is found, also when segments were dropped.
check 'start' wtrace start -p $READ --session bad --max-file 4M --buffer-size 64M
check 'it drops' fill_reads bad
check 'a block of it goes bad' python3 "$WT_ROOT/tests/integration/spoil_block.py" "$TMP/spool/bad.part"
check 'stop' wtrace stop --session bad -o bad.etl
check_out 'says what is not there' 'sys_enter_read on CPU [0-9]+: [0-9]+ were counted, [0-9]+ are written and [0-9]+ lost'
wtrace view bad.etl --strict --group-by event >out 2>err
is 'and so does strict' $? 3
check_file 'how many counters' err 'the kernel counted [0-9]+ events? that the log does not have'

check 'start' wtrace start -p emit --session dead --max-file 4M
check 'it drops' fill dead
set -- $(field dead keeper) $(field dead worker)
kill -STOP "$@"
kill -KILL "$@"
check_exit 'killed, the log is readable' 1 wtrace verify "$TMP/spool/dead.part"
check_out 'and sound' 'sound, not complete'
at_most 'and below the bound' "$(part dead)" $MOST
done_testing
