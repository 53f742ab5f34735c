#!/bin/sh
# SPDX-License-Identifier: MIT
# How sessions end under limits and in a hurry: file size limits, several stops at once, closed streams, a recording
# whose command is killed. What was recorded is kept, and each command gets an answer.
# Runs beside others.
. "$(dirname "$0")/../integration/lib.sh"

# The spool is on another file system: the log is copied.
mkdir far && mount -t tmpfs -o size=256m none far
export WTRACE_SPOOL="$TMP/far"
s=$(session limit)
check 'start' wtrace start -s "$s" -p proc_thread
check_exit 'stop under a file size limit fails' 1 sh -c "ulimit -f 1; exec wtrace stop -s $s -o limit.etl"
check_err 'says the limit' 'limit.etl not written: .*file size limit \(ulimit -f\)'
check_err 'and where the log is' "the complete log is kept in .*/far/$s-.*\\.etl"
kept=$(sed -n 's/.*kept in \(.*\)$/\1/p' err)
check 'which is whole' wtrace verify "$kept"
is 'nothing half-written stays' "$(ls | grep -c '^limit')" 0
check_exit 'results beyond the limit' 1 sh -c "(ulimit -f 0; wtrace dump $kept 2>&3 >cut.txt; echo \$? >&3) 3>&1 | tee said; exit \$(tail -n 1 said)"
check_out 'are an error' 'File too large'
check_exit 'a command keeps its own ways' 153 sh -c \
	"wtrace record -q -s $(session own) -p proc_thread -o own.etl -- sh -c 'ulimit -f 0; exec head -c 1000 /dev/zero >zeros'"
check_exit 'also where its signal was ignored' 1 sh -c \
	"trap '' XFSZ; wtrace record -q -s $(session own) -p proc_thread -o own2.etl -- sh -c 'ulimit -f 0; exec head -c 1000 /dev/zero >zeros'"

# Four at once.
s=$(session four)
check 'start' wtrace start -s "$s" -p proc_thread
for i in 1 2 3 4; do
	(code=0; wtrace stop -s "$s" -o four.$i.etl >four.$i.out 2>&1 || code=$?; echo $code >four.$i.code) &
done
wait
is 'one of four stops it' "$(cat four.*.code | grep -c '^0$')" 1
is 'it has the log' "$(ls four.*.etl | wc -l)" 1
check 'which is whole' wtrace verify four.*.etl
answers='is already being stopped; the log goes to .*/four\.[1-4]\.etl$|ended before it answered; its log is where|no session (.* )?is running'
tail -n +1 four.*.out | sed 's/^/# /'
is 'the others are told' "$(cat four.*.out | grep -cE "$answers")" 3

# Closed streams.
s=$(session closed)
code=0
wtrace start -s "$s" -p proc_thread <&- >&- 2>&- || code=$?
is 'start with all streams closed' "$code" 0
check 'the session runs' wtrace status -s "$s"
code=0
wtrace stop -s "$s" -o closed.etl <&- >&- 2>closed.err || code=$?
is 'stop as well' "$code" 0
is 'and nothing is wrong' "$(cat closed.err)" ''
check 'the log is whole' wtrace verify closed.etl

# The command that records is killed; its session ends, and the log is where it was to be.
s=$(session killed)
background wtrace record -q -s "$s" -p proc_thread -o killed.etl -- sh -c 'echo $$ >killed.pid; exec sleep 60'
check 'it records' wait_until 30 test -s killed.pid
kill -KILL "$bg"
ended() { ! wtrace status -s "$s"; }
check 'the session ends by itself' wait_until 60 ended
check 'and leaves its log' wait_until 60 test -s killed.etl
check 'which is whole' wtrace verify killed.etl
kill -KILL "$(cat killed.pid)"

# Also when another process took over from a dead worker.
s=$(session heir)
rm -f killed.pid
background wtrace record -q -s "$s" -p proc_thread -o heir.etl -- sh -c 'echo $$ >killed.pid; exec sleep 60'
check 'it records' wait_until 30 test -s killed.pid
worker=$(wtrace status -s "$s" --json | sed -n 's/.*"worker":\([0-9]*\).*/\1/p')
kill -KILL "$worker"
another() { wtrace status -s "$s" --json | grep -q '"takeovers":1'; }
check 'another worker goes on' wait_until 30 another
kill -KILL "$bg"
check 'the session ends by itself' wait_until 60 ended
check 'and leaves its log' wait_until 60 test -s heir.etl
kill -KILL "$(cat killed.pid)"
umount -l far
done_testing
