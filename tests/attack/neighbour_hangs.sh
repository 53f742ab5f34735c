#!/bin/sh
# SPDX-License-Identifier: MIT
# What never answers (tests/programs/hanging.c): a process that keeps its table of mappings locked, generated code whose perf map
# and whose root lie in a file system that is a program, and programs and libraries there. The session starts, records others and
# stops, and says whose it was. All that hangs is let go after 150 s, whatever becomes of this test.
# Not in /tmp, which is another one for some of it.
# Runs beside others.
export TMPDIR=/dev/shm
. "$(dirname "$0")/lib.sh"
cp "$WT_ROOT/build/tests/programs/hanging" "$WT_ROOT/build/tests/programs/busy" "$root/tests/attack/forged_code.py" bin/
chmod 755 bin/*
if [ ! -c /dev/fuse ]; then
	skip 'what never answers' 'this kernel has no FUSE'
	done_testing
fi
trap unmount EXIT
# Of files with content, which anybody may run, but wtrace cannot read unless it asks apart.
running_file_system() { # OPERATION
	mkdir -p "fs-run-$1"
	hanging fs "$TMP/fs-run-$1" "$1" "$TMP/bin/busy" >"fs-run-$1.out" 2>&1 &
	backgrounds="$backgrounds $!" servers="$servers $!"
	wait_until 20 grep -q ready "fs-run-$1.out"
}
for operation in write read lookup getattr; do
	check "a file system that never answers to $operation" file_system $operation
done

setpriv --reuid=4242 --regid=4242 --clear-groups hanging locked "$TMP/fs-write/file" >locked.out 2>&1 &
locked=$!
backgrounds="$backgrounds $locked"
# By then it can say nothing itself.
is_locked() { [ "$(cut -d' ' -f2-3 "/proc/$locked/stat")" = '(hanging) D' ]; }
check 'a process whose mappings are locked' wait_until 20 is_locked
for operation in open read lookup getattr; do
	check "a file system that tells only who asks apart, $operation" running_file_system $operation
	setpriv --reuid=4242 --regid=4242 --clear-groups "$TMP/fs-run-$operation/hot" 140 >"run-$operation.out" 2>&1 &
	backgrounds="$backgrounds $!"
	check 'a program runs from there' wait_until 20 grep -q ready "run-$operation.out"
done
timed wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk --session hangs
is 'start' "$code" 0
echo "# start took $took ms"
cat out err >said
check 'whose it is is said' grep -q 'of uid 4242 could not be read' said
check 'another user goes on' setpriv --reuid=65534 --regid=65534 --clear-groups busy 0.3

# Generated code that is to be named by a map there. Its process cannot make one.
for operation in lookup read; do
	unshare -m --propagation private sh -c 'mount --bind "$1" /tmp && exec setpriv --reuid=4242 --regid=4242 --clear-groups forged_code.py none 1 60' \
		sh "$TMP/fs-$operation" >"made-$operation.out" 2>&1 &
	backgrounds="$backgrounds $!"
	check "generated code with a map there, $operation" wait_until 20 grep -q 'under way' "made-$operation.out"
done
check 'another user still goes on' setpriv --reuid=65534 --regid=65534 --clear-groups busy 0.3
timed wtrace status --session hangs
is 'status' "$code" 0
timed wtrace stop --session hangs -o hangs.etl
is 'stop' "$code" 0
check 'nobody answered meanwhile' all_hang
echo "# stop took $took ms"
for server in $servers; do kill -KILL "$server" 2>/dev/null; done
pkill -KILL -f "$TMP/bin/forged_code.py"
whole_or_told 'nothing is lost, or it is said' hangs.etl
check 'view' wtrace view hangs.etl --where 'comm == "busy"' --group-by function
check_out 'the other user has names' ' [a-z_]+:busy'
done_testing
