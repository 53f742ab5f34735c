#!/bin/sh
# SPDX-License-Identifier: MIT
# Users without rights trace their own programs; root's sessions reach everybody's.
# Runs alone.
. "$(dirname "$0")/user.sh"
mkdir -m 755 root
mkdir -m 700 wtrace-65534
chown -R 65534:65534 wtrace-65534 nobody
chmod 711 .

# The user nobody, whose directory is beside root's.
nobody() {
	(
		export WTRACE_RUNTIME="$TMP/wtrace-65534" WTRACE_SPOOL="$TMP/nobody/spool" HOME="$TMP/nobody"
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	)
}

# limits.sh may run beside this.
exec 8</proc/sys/kernel/perf_event_paranoid
flock 8
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo 4 >/proc/sys/kernel/perf_event_paranoid
check 'a user with no right to perf starts a session of programs' nobody wtrace start -p emit:::stack
check 'and it takes their events' nobody user_emit -n 100 -t 2 -d 5000
check 'status' nobody wtrace status
check_out 'with its rings' 'buffers of uid 65534: [1-9]'
check 'stop' nobody wtrace stop -o "$TMP/nobody/own.etl"
is 'all are there' "$(events nobody/own.etl tick)" 200
is 'and add up' "$(counted nobody/own.etl)" '200 200 0 0'
check 'dump' wtrace dump nobody/own.etl -e emit
check_out 'names the program' 'user_emit\('
check 'record needs no right either' nobody wtrace record -p emit -o "$TMP/nobody/record.etl" -- user_emit -n 10
is 'events' "$(events nobody/record.etl tick)" 10
check_exit 'the kernel needs some' 1 nobody wtrace start -p emit,pmu-profile --filter "emit:pid=$$" --pid $$
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
flock -u 8

mkdir -m 700 wtrace-65533 && : >wtrace-65533/providers && chown -R 65533:65533 wtrace-65533
check "root's session, whatever another user did to his directory" wtrace start -p emit
check_err 'which is said' 'wtrace-65533 are left out'
check 'reaches a program of root' user_emit -n 3
check "and one of somebody else, in that user's directory" nobody user_emit -n 4 -t 2
check_out 'which writes' 'ok 8 '
check 'status' wtrace status
check_out "tells of both users' buffers: root's" 'buffers of uid 0: [1-9]'
check_out "and the other's" 'buffers of uid 65534: [1-9]'
check "the user's own session at the same time" nobody wtrace start -q -p emit
check 'both get it' nobody user_emit -n 2
check_out 'twice' 'ok 4 '
check 'list shows both users' wtrace list providers emit
check_out 'with uid 65534' 'uid 65534'
check 'the user stops' nobody wtrace stop -o "$TMP/nobody/mine.etl"
check 'root stops' wtrace stop -o root.etl
is "the user's log" "$(events nobody/mine.etl tick)" 2
is "root's log" "$(events root.etl tick)" 13
is 'adds up' "$(counted root.etl)" '13 13 0 0'
is 'pids of two users' "$(wtrace dump root.etl --json -e emit | grep -o '"pid":[0-9]*' | sort -u | wc -l)" 3
rm -rf wtrace-65533
is 'nothing of root is left there' "$(ls -A wtrace-65534 | grep -c rings)" 0

rm -rf wtrace-65534
check 'a session before the user has a directory' wtrace start -q -p emit
mkdir -m 700 wtrace-65534 && chown 65534:65534 wtrace-65534
check 'a program of that user' nobody user_emit -n 5
check_out 'is on at once' 'ok 5 '
check 'is seen' wait_until 20 sh -c 'wtrace status | grep -q "buffers of uid 65534: 1 rings\|buffers of uid 65534: [2-9]"'
check 'stop' wtrace stop -o later.etl
is 'and recorded' "$(events later.etl tick)" 5

check_exit "root's directory and the one for all must not be the same" 2 env WTRACE_RUNTIME="$TMP/one" \
	WTRACE_ROOT_RUNTIME="$TMP/one" wtrace start -p emit
check_err 'which is said' "WTRACE_RUNTIME and WTRACE_ROOT_RUNTIME are both $TMP/one: let them name two directories"
is 'and leaves nothing running' "$(env WTRACE_RUNTIME="$TMP/one" wtrace status --json)" ''
is 'nor rings' "$(ls -A one | grep -c rings)" 0

done_testing
