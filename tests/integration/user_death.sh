#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGKILL of worker, keeper and both while programs write, and recover: every acknowledged event is in the log, once.
# Runs beside others.
. "$(dirname "$0")/user.sh"

check 'start' wtrace start -p emit --session one
keeper=$(field one keeper) worker=$(field one worker)
background user_emit -n 20000 -t 2 -c 1 -d 50
emit=$bg
check 'its events come' wait_until 20 has_logged one emit tick 100
kill -KILL "$worker"
check 'the keeper takes over' wait_until 30 is_worker one "$keeper"
check 'and has a new keeper' wait_until 30 new_keeper one "$keeper"
kill -KILL "$(field one keeper)"
check 'the worker starts a new one' wait_until 30 wtrace status --session one
wait "$emit"
is 'the program ran to its end' "$(cat background.out)" 'ok 80000 full 0 large 0 memory 0 off 0'
check 'stop' wtrace stop --session one -o one.etl
is 'nothing is lost, nothing is there twice' "$(events one.etl tick)" 80000
is 'and the counts hold' "$(counted one.etl)" '80000 80000 0 0'

check 'overload, and the worker dies in it' wtrace start -p emit --session load --buffer-size 128K
keeper=$(field load keeper) worker=$(field load worker)
background user_emit -n 300000 -t 2
emit=$bg
check 'its events come' wait_until 20 has_logged load emit tick 100
kill -KILL "$worker"
wait "$emit"
check 'the keeper took over' wait_until 30 is_worker load "$keeper"
read -r _ ok _ full _ <background.out
check 'stop' wtrace stop --session load -o load.etl
is 'written is what was acknowledged, lost what was refused' "$(counted load.etl)" "600000 $ok $full 0"
is 'the log has them' "$(events load.etl tick)" "$ok"

check 'rules that changed outlive the worker' wtrace start -p emit:net --session rules
check 'enable' wtrace enable --session rules -p emit:io
keeper=$(field rules keeper)
kill -KILL "$(field rules worker)"
check 'the keeper takes over' wait_until 30 is_worker rules "$keeper"
check 'status' wtrace status --session rules
check_out 'knows the new rule' 'emit: keywords 0x1'
check 'events' user_emit -n 5
check 'stop' wtrace stop --session rules -o rules.etl
is 'are recorded' "$(events rules.etl tick)" 5

gone() { ! kill -0 "$1" 2>/dev/null && ! kill -0 "$2" 2>/dev/null; }
both() { # NAME: kills both processes of the session at once, and sees them gone: they hold its lock until then
	set -- $(field "$1" worker) $(field "$1" keeper)
	kill -STOP "$@"
	kill -KILL "$@"
	wait_until 30 gone "$@"
}
mkfifo hold
for s in alive gone; do
	check "start, $s" wtrace start -p emit --session $s
	check 'events' user_emit -n 100
	check 'are in the log' wait_until 20 has_logged $s emit tick 100
	both $s
	if [ $s = alive ]; then
		background sh -c 'exec user_emit -n 500 -H 0<>hold'
		check 'a program goes on writing' wait_until 30 grep -q '^ok 500' background.out
	else
		check 'a program that ends' user_emit -n 500
	fi
	check 'recover' wtrace recover --session $s -o $s.etl
	check_out 'says how many were in rings' 'complete, .* 500 of them from'
	is 'all are there' "$(events $s.etl tick)" 600
	check 'the log is complete' wtrace dump $s.etl --strict
	check 'programs are off now' user_emit -n 1
	check_out 'as if nobody had listened' 'off 1'
done

check 'start' wtrace start -p emit --session bare
both bare
check 'events nobody drains' user_emit -n 50
rm -f "$WTRACE_SPOOL/bare.part"
check 'recover rings without a log' wtrace recover
check_out 'makes one' 'bare-.*: complete, 50 events, 50 of them'
is 'nothing is left' "$(ls "$WTRACE_RUNTIME" | grep -c bare)" 0

check 'start' wtrace start -p emit --session copy
both copy
check 'events' user_emit -n 30
check 'recover a directory of rings' wtrace recover --rings "$WTRACE_RUNTIME/copy.rings" -o rings.etl
is 'they are there' "$(events rings.etl tick)" 30
check 'the next session takes its own rings' wtrace start -p emit --session copy
check 'stop' wtrace stop --session copy -o copy.etl
is 'and none of the old events' "$(events copy.etl tick)" 0

check 'a log' wtrace record -p emit -o whole.etl -- user_emit -n 5000
size=$(stat -c %s whole.etl)
head -c $((size * 2 / 3)) whole.etl >cut.etl
check 'a cut log' wtrace recover cut.etl -o mended.etl
check 'is complete then' wtrace dump mended.etl --strict
check 'in place too' wtrace recover cut.etl
is 'with the same events' "$(wtrace dump cut.etl | wc -l)" "$(wtrace dump mended.etl | wc -l)"
check 'a complete one stays as it is' wtrace recover whole.etl
is 'to the byte' "$(stat -c %s whole.etl)" "$size"
echo rubbish >rubbish.etl
check_exit 'rubbish is refused' 1 wtrace recover rubbish.etl

done_testing
