#!/bin/sh
# SPDX-License-Identifier: MIT
# --max-file: the log stays below the bound and readable while it grows, also when both processes are killed; what is
# dropped is told and is no loss.
. "$(dirname "$0")/user.sh"

MOST=4194304
part() { stat -c %s "$TMP/spool/$1.part"; }
trimmed() { wtrace dump "$TMP/spool/$1.part" --event wtrace/info 2>/dev/null | grep -q 'max-file dropped'; }
# Events until the log says that it dropped some, at most 40 times as many as it holds.
fill() {
	rounds=0
	while ! trimmed "$1" && [ $((rounds += 1)) -lt 40 ]; do
		user_emit -n 200000 -t 2 -p 50 >/dev/null || return 1
		[ "$(part "$1")" -le $MOST ] || return 1
	done
	trimmed "$1"
}

check_exit 'too small a bound' 2 wtrace start -p emit --max-file 1M
check_err 'says what is needed' '4M'
check 'start' wtrace start -p emit --session ring --max-file 4M
check 'the log drops its oldest part and stays below the bound' fill ring
check 'it can be verified meanwhile' wtrace verify "$TMP/spool/ring.part"
keeper=$(field ring keeper)
kill -KILL "$(field ring worker)"
check 'the keeper takes over' wait_until 10 is_worker ring "$keeper"
check 'and events come' user_emit -n 5
check 'stop' wtrace stop --session ring -o ring.etl
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
check 'killed, the log is readable' wtrace verify "$TMP/spool/dead.part"
at_most 'and below the bound' "$(part dead)" $MOST
done_testing
