#!/bin/sh
# SPDX-License-Identifier: MIT
# Another user's memory that never answers (tests/programs/hanging.c): the callers of a thread that works, the lock and the
# stack of a thread that waits, a process whose table of mappings is locked, and one that never comes through an exec. Root's
# sessions start, wait for none of them for ever, record others, and stop. With BPF, and without it.
# Runs beside others.
export TMPDIR=/dev/shm
. "$(dirname "$0")/lib.sh"
cp "$WT_ROOT/build/tests/programs/hanging" "$WT_ROOT/build/tests/programs/busy" bin/
chmod 755 bin/*
if [ ! -c /dev/fuse ]; then
	skip 'memory that never answers' 'this kernel has no FUSE'
	done_testing
fi
trap unmount EXIT
# The kernel itself would wait for the memory of a thread that works, if it had to write there.
export GLIBC_TUNABLES=glibc.pthread.rseq=0
neighbour() { # WAY OPERATION
	check "$1: a file system" file_system "$2"
	setpriv --reuid=4242 --regid=4242 --clear-groups hanging "$1" "$TMP/fs-$2/file" >"$1.out" 2>&1 &
	neighbour=$!
	backgrounds="$backgrounds $neighbour"
	check "$1: the neighbour's threads run" wait_until 20 grep -q ready "$1.out"
}
attacked() { # WHAT LOG
	timed wtrace start -q -p pmu-profile,cswitch,dispatcher,loader,proc_thread --stackwalk --session memory
	is "$1: start" "$code" 0
	check "$1: another user goes on" setpriv --reuid=65534 --regid=65534 --clear-groups busy 0.5
	timed wtrace status --session memory
	is "$1: status" "$code" 0
	timed wtrace stop --session memory -o "$2"
	is "$1: stop" "$code" 0
	check "$1: the neighbour still works" kill -0 "$neighbour"
	check "$1: nobody answered meanwhile" all_hang
	check "$1: the other user has names" wtrace view "$2" --where 'comm == "busy"' --group-by function
	check_out "$1: of functions" ' [a-z_]+:busy'
}
for way in away:read deep:write exec:flush; do
	operation=${way#*:} way=${way%:*}
	neighbour "$way" "$operation"
	attacked "$way" "$way.etl"
	WTRACE_BPF=0 attacked "$way, without BPF" "$way-without.etl"
	for server in $servers; do kill -KILL "$server"; done
	servers=
done
done_testing
