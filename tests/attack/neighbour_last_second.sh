#!/bin/sh
# SPDX-License-Identifier: MIT
# Users whose programs write for the first time just before a session ends: their events are in the log.
# WT_ATTACK_WHOLE=1 takes 50 users.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
users=5
[ -z "${WT_ATTACK_WHOLE:-}" ] || users=50

check 'start' wtrace start -q -p emit
i=0
while [ $i -lt $users ]; do
	uid=$((42000 + i))
	user_directory $uid
	as $uid user_emit -n 10 >>written 2>&1
	i=$((i + 1))
done
check 'stop, at once' wtrace stop -o last.etl
is 'every program wrote what it wanted' "$(grep -c '^ok 10 ' written)" $users
is 'all events of all users are there' "$(events last.etl tick)" $((users * 10))
is 'and they add up' "$(counted last.etl)" "$((users * 10)) $((users * 10)) 0 0"
done_testing
