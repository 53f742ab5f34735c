#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's own directory of sessions, or a name in it, is a file system that is a program and never answers: fusermount lets him,
# where root has allowed it (user_allow_other). Root's session starts, records others, and stops; `list` and `recover` end.
# Runs alone.
. "$(dirname "$0")/lib.sh"
cp "$WT_ROOT/build/tests/programs/hanging" "$WT_ROOT/build/tests/programs/busy" bin/
chmod 755 bin/*
if [ ! -c /dev/fuse ]; then
	skip 'what never answers' 'this kernel has no FUSE'
	done_testing
fi
mounts=
unmount_all() {
	for directory in $mounts; do umount -l "$directory" 2>/dev/null; done
	unmount
}
trap unmount_all EXIT
# WHERE OPERATION: mounts it there.
over() {
	mounts="$mounts $1"
	hanging fs "$1" "$2" >"over.out" 2>&1 &
	backgrounds="$backgrounds $!" servers="$servers $!"
	wait_until 20 grep -q ready over.out
}
attack() { # NAME
	timed wtrace start -q -p emit,pmu-profile,loader,proc_thread --stackwalk --session "m-$1"
	is "$1: start" "$code" 0
	echo "# start took $took ms"
	cat out err >"said.$1"
	check "$1: another user goes on" setpriv --reuid=65534 --regid=65534 --clear-groups busy 0.3
	check "$1: a user with a directory, too" as 4243 user_emit -n 10
	timed wtrace status --session "m-$1"
	is "$1: status" "$code" 0
	timed wtrace list providers
	is "$1: list" "$code" 0
	timed wtrace doctor
	at_most "$1: doctor ends" "$took" 50000
	timed wtrace stop --session "m-$1" -o "m-$1.etl"
	is "$1: stop" "$code" 0
	echo "# stop took $took ms"
	cat out err >>"said.$1"
	timed wtrace recover
	at_most "$1: recover ends" "$took" 50000
	at_least "$1: samples of the other user" \
		"$(wtrace view "m-$1.etl" --where 'comm == "busy"' --group-by comm --csv 2>/dev/null | tail -n +2 | cut -d, -f4)" 50
	at_least "$1: events of the user with a directory" "$(wtrace dump "m-$1.etl" -e emit/tick --json 2>/dev/null | grep -c tick)" 10
	check "$1: nobody answered meanwhile" all_hang
}
user_directory 4242 4243 4244
for operation in getattr lookup open read; do
	check "$operation: a directory that never answers" over "$TMP/wtrace-4242" $operation
	attack $operation
	check "$operation: it is said" grep -q 'wtrace-4242 are left out: a file system that is a program is mounted there' "said.$operation"
	umount -l "$TMP/wtrace-4242"
	servers=
done
check 'a directory with a program' as 4244 user_emit -n 10
for below in $(ls "$TMP/wtrace-4244"); do
	[ -d "$TMP/wtrace-4244/$below" ] || continue
	check "$below: a name in it that never answers" over "$TMP/wtrace-4244/$below" getattr
	attack "$below"
	umount -l "$TMP/wtrace-4244/$below"
	servers=
done
done_testing
