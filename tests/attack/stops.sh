#!/bin/sh
# SPDX-License-Identifier: MIT
# Sessions whose processes stand still, sessions whose stop is cut short anywhere, and many of them: each command gets
# an answer, nothing looks whole that is not, and what was recorded is kept.
# Runs beside others.
. "$(dirname "$0")/../integration/lib.sh"

process() { wtrace status -s "$1" --json | sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p"; } # SESSION worker|keeper
over() { ! wtrace status -s "$1"; }
there_is_one() { [ -n "$(logs "$1")" ]; }
logs() { find "$TMP" -name "*$1*.etl" -size +0; } # of a session, wherever they are

# The worker stands still: whoever asks is told, and the session goes on where it was.
s=$(session still)
check 'start' wtrace start -s "$s" -p proc_thread
worker=$(process "$s" worker) keeper=$(process "$s" keeper)
kill -STOP "$worker"
wtrace stop -s "$s" -o still.etl >stop.out 2>&1 &
stop=$!
check_exit 'status of a session that stands still' 1 wtrace status -s "$s"
check_err 'says so' "session '$s' does not answer within 5 seconds: its recording process is stopped"
code=0
wait $stop || code=$?
is 'stop as well' "$code" 1
check 'says so' grep -q "session '$s' does not answer within 5 seconds" stop.out
sh -c 'echo $$; exec true' >pid
kill -CONT "$worker"
check 'it goes on' wait_until 30 wtrace status -s "$s"
kill -STOP "$keeper"
check 'a keeper that stands still is not missed' wtrace stop -s "$s" -o still.etl
kill -CONT "$keeper"
check 'the log is whole' wtrace verify still.etl
wtrace dump still.etl -e process_stop --json >out
check_out 'and has what happened meanwhile' "\"pid\":$(cat pid),"

# The keeper dies while its session is stopped.
s=$(session alone)
check 'start' wtrace start -s "$s" -p proc_thread
keeper=$(process "$s" keeper)
wtrace stop -s "$s" -o alone.etl >alone.out 2>&1 &
stop=$!
kill -KILL "$keeper"
code=0
wait $stop || code=$?
is 'stop ends well' "$code" 0
check 'the log is whole' wtrace verify alone.etl

# Who stops is killed, at any step.
steps='000 005 020 080' whole=0 cut=0
[ -z "${WT_ATTACK_WHOLE:-}" ] || steps='000 001 002 003 005 007 010 015 020 030 040 060 080'
for ms in $steps; do
	cut=$((cut + 1))
	s=$(session cut$ms)
	wtrace start -q -s "$s" -p proc_thread >start.out 2>&1 || not_ok 'start' "$(cat start.out)"
	wtrace stop -s "$s" -o "$s.etl" >/dev/null 2>&1 &
	stop=$!
	sleep 0.$ms
	kill -KILL $stop 2>/dev/null
	wait $stop 2>/dev/null
	# The question may have been on its way, or not.
	wait_until 2 over "$s" || wtrace stop -s "$s" -o "$s.etl" >/dev/null 2>&1 || wait_until 30 over "$s"
	wait_until 30 there_is_one "$s"
	for log in $(logs "$s"); do
		if wtrace verify "$log" >verify.out 2>&1; then whole=$((whole + 1)); else not_ok "$log" "$(cat verify.out)"; fi
	done
done
is 'each log is there, and whole' "$whole" "$cut"
is 'no session is left' "$(ls run | grep -c '\.sock$')" 0

# The directory of the log goes, or is full.
s=$(session gone)
mkdir there
check 'start' wtrace start -s "$s" -p proc_thread -o there/gone.etl
rmdir there
check_exit 'stop without the directory' 1 wtrace stop -s "$s"
check_err 'the session goes on' "session '$s' goes on: cannot write .*/there/gone.etl: directory .*: No such file"
mkdir small && mount -t tmpfs -o size=8k none small
check_exit 'stop where there is no room' 1 wtrace stop -s "$s" -o small/gone.etl
check_err 'says so' 'small/gone.etl not written: .*No space left.*; the complete log is kept in'
is 'nothing half-written stays' "$(ls small)" ''
kept=$(sed -n 's/.*kept in \(.*\)$/\1/p' err)
check 'the kept log is whole' wtrace verify "$kept"
umount -l small

# Many at once.
n=${WT_SESSIONS:-10}
for i in $(seq "$n"); do
	(code=0; wtrace start -s "t$$-many$i" -p proc_thread >many.$i.out 2>&1 || code=$?; echo $code >many.$i.start) &
done
wait
is "$n sessions start" "$(cat many.*.start | grep -c '^0$')" "$n"
is 'and run' "$(wtrace status --json | grep -c "\"session\":\"t$$-many")" "$n"
for i in $(seq "$n"); do
	(code=0; wtrace stop -s "t$$-many$i" -o "many.$i.etl" >>many.$i.out 2>&1 || code=$?; echo $code >many.$i.stop) &
done
wait
is 'each stops' "$(cat many.*.stop | grep -c '^0$')" "$n"
for i in $(seq "$n"); do
	[ "$(cat many.$i.start many.$i.stop)" = "$(printf '0\n0')" ] || sed 's/^/# /' many.$i.out
done
check 'and its log is whole' wtrace verify many.*.etl
is 'nothing is left' "$(ls run)$(ls spool | grep -v '\.etl$')" ''
done_testing
