# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For the attacks of users on each other's traces: user.sh, and neighbour.py in PATH.
#
#	user_directory UID...           directories of users whose programs root's session reaches, in $TMP
#	as UID CMD...                runs CMD as that user, in its directory if it has one in $TMP
#	file_system OPERATION        a file system that is a program (tests/programs/hanging.c, in PATH) at $TMP/fs-OPERATION,
#	                             which never answers to it; with `trap unmount EXIT`. all_hang: all of them still serve
#	timed CMD...                 runs CMD, at most a minute, whatever it says: output in $TMP/out and $TMP/err, ms in $took,
#	                             the longest so far in $longest
. "$(dirname "$0")/../integration/user.sh"
cp "$root/tests/attack/neighbour.py" bin/
chmod 755 . bin bin/neighbour.py
mkdir -m 755 root

user_directory() {
	for uid; do
		mkdir -m 700 "$TMP/wtrace-$uid" && chown "$uid:$uid" "$TMP/wtrace-$uid"
	done
}

as() {
	(
		uid=$1
		shift
		[ ! -d "$TMP/wtrace-$uid" ] || export WTRACE_RUNTIME="$TMP/wtrace-$uid"
		exec setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"
	)
}

longest=0
timed() {
	began=$(date +%s%N)
	timeout 60 "$@" >"$TMP/out" 2>"$TMP/err"
	code=$?
	took=$((($(date +%s%N) - began) / 1000000))
	longest=$((took > longest ? took : longest))
	return $code
}

servers=
file_system() {
	mkdir -p "$TMP/fs-$1"
	hanging fs "$TMP/fs-$1" "$1" >"$TMP/fs-$1.out" 2>&1 &
	backgrounds="$backgrounds $!" servers="$servers $!"
	wait_until 20 grep -q ready "$TMP/fs-$1.out"
}
all_hang() { for server in $servers; do kill -0 "$server" || return; done; }
# Ends with what it waits for, without which nothing in it can be killed.
unmount() {
	for fs in "$TMP"/fs-*; do umount -l "$fs" 2>/dev/null; done
	cleanup
}
