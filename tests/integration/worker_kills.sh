#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGKILL of a session's worker within a write (10; WT_WORKER_KILLS says how many): a limit of the file's size ends a write
# some bytes behind where the log ends now, and strace kills the worker when it wants to cut off what it could not write
# whole. The log as the kill left it reads, with all that was there before, and can be completed; the keeper goes on; in
# the end every event of the programs is in the log once or counted as lost.
# Runs beside others.
. "$(dirname "$0")/user.sh"

KILLS=${WT_WORKER_KILLS:-10} PER_SESSION=20
pid() { wtrace status --session "$1" --json 2>/dev/null | sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" | head -n 1; }
is_settled() { # SESSION OLD-WORKER: another works, and has a keeper of its own
	w=$(pid "$1" worker) k=$(pid "$1" keeper)
	[ -n "$w" ] && [ "$w" != "$2" ] && [ -n "$k" ] && [ "$k" != 0 ] && [ "$k" != "$w" ]
}
dead() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null; }
count() { sed -n 's/.*"events":\([0-9]*\).*/\1/p' "$1"; }
damages() { sed -n 's/.*"damaged":\([0-9]*\).*/\1/p' "$1"; }
traced() { [ "$(sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$1/status")" != 0 ]; }
stopped() { grep -q '^State:[[:space:]]*[tT]' "/proc/$1/status"; }
kill_in_write() { # WORKER FILE BYTES: ends its next write that takes the file beyond so many bytes more
	strace -f -qq -o /dev/null -e trace=ftruncate -e inject=ftruncate:signal=KILL -p "$1" 2>strace.err &
	wait_until 30 traced "$1" && kill -STOP "$1" && wait_until 30 stopped "$1" || return 1
	prlimit --pid "$1" --fsize=$(($(stat -c %s "$2") + $3)) && kill -CONT "$1" && wait_until 60 dead "$1"
}
# The worker dies while the keeper is held, and the log is looked at as it is then.
kill_once() {
	keeper=$(pid "$1" keeper) worker=$(pid "$1" worker)
	kill -STOP "$keeper" && kill_in_write "$worker" "$WTRACE_SPOOL/$1.part" $((($2 * 397 + $$) % 1500 + 1)) || {
		kill -CONT "$keeper"
		return 1
	}
	rm -f killed.etl whole.etl
	cp "$WTRACE_SPOOL/$1.part" killed.etl
	kill -CONT "$keeper"
	wtrace verify --json killed.etl >killed.json
	wtrace recover killed.etl -o whole.etl --force >recovered && wtrace verify --json whole.etl >whole.json || return 1
	[ "$(damages killed.json)" -le 1 ] && [ "$(damages whole.json)" = 0 ] || return 1
	[ "$(count killed.json)" -ge "$seen" ] && [ "$(count whole.json)" -ge "$(count killed.json)" ] || return 1
	seen=$(count killed.json) cut=$((cut + $(damages killed.json)))
	wait_until 30 is_settled "$1" "$worker"
}

done=0 cut=0 sessions=0
while [ "$done" -lt "$KILLS" ]; do
	s="kills$sessions" seen=0 good=0 tried=0
	wtrace start -q -p emit --session "$s" --flush 0.02 >/dev/null || exit 1
	background user_emit -n 100000000 -t 2 -d 20
	wait_until 30 has_logged "$s" emit tick 1000 || exit 1
	while [ "$tried" -lt "$PER_SESSION" ] && [ "$done" -lt "$KILLS" ]; do
		tried=$((tried + 1)) done=$((done + 1))
		if kill_once "$s" "$done"; then good=$((good + 1)); else
			cat killed.json recovered whole.json 2>/dev/null | sed 's/^/# /'
			break
		fi
	done
	kill "$bg"
	wait "$bg" 2>/dev/null
	is "killed $tried times, the worker left a log that reads and can be completed" "$good" "$tried"
	check 'stop' wtrace stop --session "$s" -o "$s.etl"
	check_out 'says how often' "killed $good times? and replaced"
	check 'the log is sound' wtrace verify "$s.etl"
	# shellcheck disable=SC2046
	set -- $(counted "$s.etl")
	is 'written + lost = produced' "$(($2 + $3)) $4" "$1 0"
	is 'and written is in the log' "$(events "$s.etl" tick)" "$2"
	at_least 'which has what was read after the last kill' "$2" 1000
	[ "$good" = "$tried" ] || break
	rm -f "$s.etl"
	sessions=$((sessions + 1))
done
at_least 'nearly all were killed in the middle of a block' $((cut * 10)) $((done * 9))
echo "# $done kills, $cut in the middle of a block"
done_testing
