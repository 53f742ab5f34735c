#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of a program in every situation it can be in (tests/programs/sdk_app.c), recorded by a real session.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

PROGRAMS="$WT_ROOT/build/tests/programs"
# The wall between the test and other users: nobody runs copies.
mkdir sdk programs && cp "$WT_ROOT/build/sdk/libwtrace.so.0" sdk/ && cp "$PROGRAMS/sdk_app" "$PROGRAMS/static_sdk_app" "$PROGRAMS/musl_sdk_app" programs/
export LD_LIBRARY_PATH="$TMP/sdk"
APP="$TMP/programs/sdk_app" STATIC="$TMP/programs/static_sdk_app"
NO_RSEQ=GLIBC_TUNABLES=glibc.pthread.rseq=0

names=sdk-app # of the providers that register
# record_app NAME CMD...: its ticks as lines "n pid-of-the-event pid-it-wrote" in $TMP/ticks, its words in $TMP/said
record_app() {
	name=$1
	shift
	check "$name" wtrace record -s "$(session "$points")" -p "$names" --strict -o "$TMP/app.etl" --force -- "$@" ||
		return
	cp out said
	wtrace dump "$TMP/app.etl" >dumped 2>&1
	sed -n 's/.*(\([0-9]*\))\/[0-9]* sdk-app\/tick n=\([-0-9]*\) pid=\([0-9]*\).*/\2 \1 \3/p' dumped >ticks
}
ticks() { wc -l <ticks | tr -d ' '; }
wrong_pids() { awk '$2 != $3' ticks | wc -l | tr -d ' '; }

for program in "$APP" "$STATIC" "$TMP/programs/musl_sdk_app"; do
	kind=$(basename "$program")
	missed=0
	s=$(session "$kind")
	check "$kind: a session before the program exists" wtrace start -s "$s" -p sdk-app
	for i in 1 2 3 4 5 6 7 8 9 10; do "$program" early >/dev/null || missed=$((missed + 1)); done
	check "$kind: stop" wtrace stop -s "$s" -o "early-$kind.etl" --strict
	is "$kind: it ran" "$missed" 0
	is "$kind: written before main by programs that end at once" \
		"$(wtrace dump "early-$kind.etl" | grep -c 'sdk-app/tick n=0')" 10

	record_app "$kind: children of fork" "$program" forks
	is "$kind: one event of each, and the parent's" "$(ticks)" 4
	is "$kind: each under the pid it has" "$(wrong_pids)" 0
	is "$kind: three children" "$(awk '{ print $2 }' ticks | sort -u | wc -l | tr -d ' ')" 4
	record_app "$kind: a signal handler" "$program" signals
	is "$kind: its events" "$(ticks)" 11
	record_app "$kind: without rseq" env "$NO_RSEQ" "$program" ticks 5000
	is "$kind: every event, by the lane" "$(ticks)" 5000
	is "$kind: in order" "$(awk '$1 != NR - 1' ticks | wc -l | tr -d ' ')" 0
done

record_app 'a thousand instances' "$APP" instances
is 'all of them registered' "$(cat said)" '1000 instances'
names=sdk-app,sdk-plugin
record_app 'a library with a provider comes and goes' "$APP" plugins "$PROGRAMS/sdk_plugin.so"
is 'its events' "$(grep -c 'sdk-plugin/work' dumped)" 50
names=sdk-app
is "the other thread's" "$(ticks) ticks" "$(cat said)"
record_app 'children of vfork that write' "$APP" vforks
is 'the parent lost none of its own' "$(awk '$1 >= 0' ticks | wc -l | tr -d ' ')" 101
is "the children's are there" "$(awk '$1 < 0' ticks | wc -l | tr -d ' ')" 100
is "under the parent's pid, as RING.md says" "$(awk '{ print $2 }' ticks | sort -u | wc -l | tr -d ' ')" 1
check 'the file is whole' wtrace dump app.etl

s=$(session late)
background "$APP" wait
check 'a program that runs already' wait_until 30 grep -q waiting background.out
check 'start' wtrace start -s "$s" -p sdk-app
check 'it hears of the session' wait_until 30 grep -q wanted background.out
check 'stop' wtrace stop -s "$s" -o late.etl --strict
check 'its events' sh -c 'wtrace dump late.etl | grep -c "sdk-app/tick"'
check_out 'are there' '^[1-9]'
wait "$bg"

# Where registering is not possible the program works all the same, and can tell why.
is 'registered' "$("$APP" why)" registered
chmod 4755 "$STATIC"
is 'a set-uid program does not register' "$(as_nobody "$STATIC" why | grep -c 'set-uid')" 1
chmod 755 "$STATIC"
mkdir -m 700 squatted
is "another user's directory is refused and named" \
	"$(as_nobody env WTRACE_RUNTIME="$TMP/squatted" "$APP" why | grep -c "squatted.*\(user\|uid\|belongs\|owner\)")" 1
is 'a directory that cannot be is named' "$(WTRACE_RUNTIME=/proc/nowhere "$APP" why | grep -c '/proc/nowhere')" 1
is 'and its events go nowhere' "$(WTRACE_RUNTIME=/proc/nowhere "$APP" ticks 100)" '100 ticks'
check 'valgrind finds nothing' valgrind -q --error-exitcode=9 --leak-check=no "$APP" ticks 100
done_testing
