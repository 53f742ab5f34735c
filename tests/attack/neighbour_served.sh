#!/bin/sh
# SPDX-License-Identifier: MIT
# Somebody has made the directories of root and of other users before they did, and serves in them a file system that never
# answers. Everybody's programs start and end, root takes its names back, and who has the names is said. In a mount namespace
# of its own.
# Runs alone.
if [ -z "${WT_SQUAT_APART:-}" ]; then
	exec env WT_SQUAT_APART=1 unshare -m --propagation private sh "$0" "$@"
fi
mount -t tmpfs -o mode=1777 none /dev/shm
mount -t tmpfs -o mode=1777 none /var/tmp
mkdir -p /run/user && mount -t tmpfs -o mode=755 none /run/user
. "$(dirname "$0")/lib.sh"
unset WTRACE_RUNTIME WTRACE_SPOOL WTRACE_ROOT_RUNTIME
cp "$WT_ROOT/build/tests/programs/hanging" bin/
chmod 755 bin/*
if [ ! -c /dev/fuse ]; then
	skip 'what never answers' 'this kernel has no FUSE'
	done_testing
fi
taken='/dev/shm/wtrace-root /dev/shm/wtrace-0 /var/tmp/wtrace-0 /dev/shm/wtrace-65534 /dev/shm/wtrace-65533 /var/tmp/wtrace-65533'
unmount_all() {
	for name in $taken; do umount -l "$name" 2>/dev/null; done
	timeout 60 wtrace stop -q -o /dev/null --force >/dev/null 2>&1
	unmount
}
trap unmount_all EXIT
# OPERATION: takes all names.
take() {
	servers=
	for path in $taken; do
		# A lookup of what is not there is refused at once where this user may not search.
		[ -d "$path" ] || mkdir -m 1777 "$path"
		chown 4242:4242 "$path"
		hanging fs "$path" "$1" >over.out 2>&1 &
		backgrounds="$backgrounds $!" servers="$servers $!"
		wait_until 20 grep -q ready over.out || return
	done
}
# Names that root has taken back are root's: their servers have ended.
ends() { # NAME UID CMD...
	what=$1 uid=$2
	shift 2
	timed setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@" || :
	at_most "$what ends" "$took" 50000
	echo "# $what took $took ms, exit $code"
}
mkdir -m 700 /run/user/65534 && chown 65534:65534 /run/user/65534

for operation in getattr lookup open; do
	check "$operation: a neighbour takes names" take $operation
	for user in 0 65533 65534 65532; do
		ends "$operation: a program of uid $user" $user user_emit -n 3
		case $user in
		65534 | 65532) check_out "$operation: which counts" 'ok 0 ' ;;
		0) check_err "$operation: which says why not" 'a program of uid 4242 serves a file system over directory /dev/shm/wtrace-0' ;;
		*) check_err "$operation: which says why not" 'a program of uid 4242 serves a file system over directory /dev/shm/wtrace-65533' ;;
		esac
		ends "$operation: doctor of uid $user" $user wtrace doctor
		[ $user = 65532 ] || check_out "$operation: which says who has the name" 'uid 4242 has the usual name'
		[ $user != 0 ] || continue
		for asked in 'list sessions' 'list providers' status recover; do
			ends "$operation: $asked of uid $user" $user wtrace $asked
		done
	done
	ends "$operation: start of a user who has no other place" 65533 wtrace start -q -p emit
	is "$operation: is refused" "$code" 1
	check_err "$operation: with the reason" 'a program of uid 4242 serves a file system over directory /dev/shm/wtrace-65533'
	ends "$operation: status of root" 0 wtrace status
	check "$operation: all still serve" all_hang

	timed wtrace start -p emit
	is "$operation: root starts a session" "$code" 0
	for path in /dev/shm/wtrace-0 /dev/shm/wtrace-root /var/tmp/wtrace-0; do
		check_err "$operation: and says who had $path" "$path belongs to uid 4242: it is taken back"
		is "$operation: $path is root's" "$(stat -c '%u %F' $path)" '0 directory'
	done
	check_err "$operation: and whose programs are looked for elsewhere" '/dev/shm/wtrace-65534 belongs to uid 4242'
	is "$operation: nobody is left out" "$(grep 'left out' err)" ''
	ends "$operation: a program of root" 0 user_emit -n 3
	check_out "$operation: is traced" 'ok 3 '
	ends "$operation: a program of a user who has another place" 65534 user_emit -n 5
	check_out "$operation: is traced" 'ok 5 '
	ends "$operation: a program of a user who has none" 65533 user_emit -n 7
	ends "$operation: start of a user who has another place" 65534 wtrace start -p emit
	is "$operation: works" "$code" 0
	check_err "$operation: and says what is used" '/dev/shm/wtrace-65534 belongs to uid 4242: /run/user/65534/wtrace is used instead'
	ends "$operation: a program in it" 65534 user_emit -n 2
	ends "$operation: stop of that user" 65534 wtrace stop -q -o /run/user/65534/own.etl --force
	is "$operation: with the events" "$(events /run/user/65534/own.etl tick)" 2
	timed wtrace stop -o served.etl --force
	is "$operation: root stops" "$code" 0
	is "$operation: with the events of all who could be traced" "$(events served.etl tick)" 10
	for asked in 'list sessions' 'list providers' recover; do
		ends "$operation: $asked of root" 0 wtrace $asked
		is "$operation: works" "$code" 0
	done
	for name in $taken; do umount -l "$name" 2>/dev/null; done
	rm -rf /dev/shm/* /var/tmp/* /run/user/65534/*
done

# The user's other place is one, too: by the user who was driven there.
mkdir -m 755 /dev/shm/wtrace-65534 && chown 4242:4242 /dev/shm/wtrace-65534
mkdir -m 700 /run/user/65534/wtrace && chown 65534:65534 /run/user/65534/wtrace
for place in /run/user/65534/wtrace /run/user/65534; do
	hanging fs $place getattr >over.out 2>&1 &
	backgrounds="$backgrounds $!" servers=$!
	check "$place: never answers" wait_until 20 grep -q ready over.out
	for asked in 'start -p emit' 'list providers' status doctor; do
		ends "$place: $asked of root" 0 wtrace $asked
		is "$place: works" "$code" 0
	done
	ends "$place: another user's program" 65532 user_emit -n 4
	check_out "$place: is traced" 'ok 4 '
	ends "$place: stop" 0 wtrace stop -q -o served.etl --force
	is "$place: with the events" "$(events served.etl tick)" 4
	check "$place: still serves" all_hang
	umount -l $place
done
done_testing
