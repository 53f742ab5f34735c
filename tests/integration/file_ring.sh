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
is 'and is told what it has missed' "$(wc -l <live.json) $(grep -c 'dropped what was behind .* and before .* before it was read (--max-file)' read)" '21 1'
check_exit 'it can be verified meanwhile' 1 wtrace verify "$TMP/spool/ring.part"
check_out 'and is sound' 'sound, not complete'
keeper=$(field ring keeper)
kill -KILL "$(field ring worker)"
check 'the keeper takes over' wait_until 10 is_worker ring "$keeper"
check 'and events come' user_emit -n 5
check 'stop' wtrace stop --session ring -o ring.etl
wait "$reads"
is 'who reads it ends with it' "$? $(wc -l <read)" '0 1'
check 'the log is sound' wtrace verify ring.etl
at_most 'and below the bound' "$(stat -c %s ring.etl)" $MOST
check 'events' wtrace dump ring.etl --event wtrace/info
check_out 'say what is not kept' 'first [0-9.]+ s are not kept: --max-file dropped [0-9]+ segments'
check 'nothing is lost' wtrace view ring.etl --strict --group-by event

check 'start' wtrace start -p emit --session dead --max-file 4M
check 'it drops' fill dead
set -- $(field dead keeper) $(field dead worker)
kill -STOP "$@"
kill -KILL "$@"
check_exit 'killed, the log is readable' 1 wtrace verify "$TMP/spool/dead.part"
check_out 'and sound' 'sound, not complete'
at_most 'and below the bound' "$(part dead)" $MOST
done_testing
