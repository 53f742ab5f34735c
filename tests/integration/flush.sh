#!/bin/sh
# SPDX-License-Identifier: MIT
# How soon events are in the log's file: within --flush, a second without it, and not when nobody wants them there yet. The
# file itself is read: asking a session makes it write.
# Runs alone.
. "$(dirname "$0")/user.sh"

for seconds in 0.05 3600; do
	check "start with --flush $seconds" wtrace start -p emit --session "every$seconds" --flush "$seconds"
done
check 'start without it' wtrace start -p emit --session plain
in_file() { [ "$(events "$WTRACE_SPOOL/$1.part" tick)" -ge "$2" ]; }
# The rings of a program that ends are emptied and go, and what was in them is written then: this one stays.
mkfifo hold
background sh -c 'exec user_emit -n 100 -H 0<>hold'
holder=$bg
check 'some events' wait_until 20 grep -q '^ok ' background.out
check 'they are in the log of the session with 0.05 s' wait_until 30 in_file every0.05 100
is 'not yet in that with an hour' "$(events "$WTRACE_SPOOL/every3600.part" tick)" 0
check 'and by themselves in that with a second' wait_until 30 in_file plain 100
is 'the hour is not over' "$(events "$WTRACE_SPOOL/every3600.part" tick)" 0
kill "$holder"
wait "$holder" 2>/dev/null
for made in every0.05 every3600 plain; do
	check "stop $made" wtrace stop --session "$made" -o "$made.etl"
	is 'all have them in the end' "$(events "$made.etl" tick)" 100
done
for seconds in 0 0.001 -1 4000 1s '' nan; do
	check_exit "--flush '$seconds' is refused" 2 wtrace start -p emit --flush "$seconds"
	check_err 'with what it may be' 'between 0.02 and 3600 seconds'
done
done_testing
