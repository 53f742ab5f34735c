#!/bin/sh
# SPDX-License-Identifier: MIT
# Somebody has made the directories of root and of another user before they did. Root takes its names back in one step, the
# other user goes to /run/user/UID, and root's session finds that one there; who has the names is said. In a mount
# namespace of its own.
# Runs beside others.
if [ -z "${WT_SQUAT_APART:-}" ]; then
	exec env WT_SQUAT_APART=1 unshare -m --propagation private sh "$0" "$@"
fi
mount -t tmpfs -o mode=1777 none /dev/shm
mount -t tmpfs -o mode=1777 none /var/tmp
mkdir -p /run/user && mount -t tmpfs -o mode=755 none /run/user
. "$(dirname "$0")/lib.sh"
unset WTRACE_RUNTIME WTRACE_SPOOL WTRACE_ROOT_RUNTIME
trap 'wtrace stop -q -o /dev/null --force >/dev/null 2>&1; cleanup' EXIT

check 'a neighbour takes names' as 4242 sh -c 'mkdir /dev/shm/wtrace-root /dev/shm/wtrace-0 /var/tmp/wtrace-0 /dev/shm/wtrace-65534 &&
	mkdir -p /dev/shm/wtrace-root/x/y && : >/var/tmp/wtrace-65534 && ln -s /etc /dev/shm/wtrace-65533'
mkdir -m 700 /run/user/65534 && chown 65534:65534 /run/user/65534
wtrace doctor >out 2>err
check_out 'doctor says who has the name' 'uid 4242 has the usual name'
user_emit -n 1 >out 2>&1 || :
is 'a program of root lets it have the name' "$(stat -c %u /dev/shm/wtrace-0)" 4242
check 'root starts a session' wtrace start -p emit
for name in /dev/shm/wtrace-0 /dev/shm/wtrace-root /var/tmp/wtrace-0; do
	check_err "and says who had $name" "$name belongs to uid 4242: it is taken back"
	is "$name is root's again" "$(stat -c '%u %F' $name)" '0 directory'
done
check_err 'and whose programs are looked for elsewhere' "/dev/shm/wtrace-65534 belongs to uid 4242"
check 'a program of root' user_emit -n 3
check 'a program of the user whose name is taken' as 65534 user_emit -n 5
check_out 'is traced' 'ok 5 '
is 'in its own place' "$(stat -c %u /run/user/65534/wtrace)" 65534
check 'the user starts a session' as 65534 wtrace start -p emit
check_err 'which says what is used instead' "/dev/shm/wtrace-65534 belongs to uid 4242: /run/user/65534/wtrace is used instead"
check 'events of it' as 65534 user_emit -n 2
check 'and stops it' as 65534 wtrace stop -o /run/user/65534/own.etl
is 'with the events' "$(events /run/user/65534/own.etl tick)" 2
check 'root stops' wtrace stop -o squat.etl
is 'all events are there' "$(events squat.etl tick)" 10

# The name is free again while programs and sessions are in the other place: everybody stays there.
check 'root starts, and looks before' wtrace start -q -p emit
check 'the user too' as 65534 wtrace start -q -p emit
rm -rf /dev/shm/wtrace-65534
check 'a program that comes when the name is free' as 65534 user_emit -n 6
check_out 'is traced by both' 'ok 12 '
check 'root starts another session' wtrace start -q -p emit --session later
check 'a program' as 65534 user_emit -n 8
is 'the name stays free' "$(ls -d /dev/shm/wtrace-65534 2>/dev/null)" ''
check 'the user finds the session' as 65534 wtrace stop -q -o /run/user/65534/own.etl --force
is 'with the events' "$(events /run/user/65534/own.etl tick)" 14
check 'root stops' wtrace stop -q -o before.etl
check 'and the other one' wtrace stop -q --session later -o later.etl
is 'all are in the first' "$(events before.etl tick)" 14
is 'and what came behind in the second' "$(events later.etl tick)" 8

background setpriv --reuid=4242 --regid=4242 --clear-groups neighbour.py hold /dev/shm/wtrace-root none 600
check 'a neighbour locks all files of root that it can open' wait_until 30 test -s background.out
at_least 'there are some' "$(cat background.out)" 2
check 'root starts nevertheless' wtrace start -q -p emit
check 'and stops' wtrace stop -q -o locked.etl
is "its lock is root's alone" "$(stat -c '%u %a' /dev/shm/wtrace-root/.lock)" '0 600'

check 'a program of somebody who came before' as 65532 user_emit -n 1
check 'a neighbour makes directories for 2,000 users' as 4242 sh -c 'cd /dev/shm && seq -f wtrace-%.0f 200000 201999 | xargs mkdir -m 700'
check 'root starts' wtrace start -q -p emit
check 'that user goes on' as 65532 user_emit -n 5
check_out 'and is traced' 'ok 5 '
check 'root stops' wtrace stop -q -o many.etl
is 'with the events' "$(events many.etl tick)" 5
check 'nobody follows the link' test ! -e /etc/providers
done_testing
