#!/bin/sh
# SPDX-License-Identifier: MIT
# The ground gives way under programs that write: the disk is full, shared memory is full, the directory is removed or may
# not be written any more. Programs go on, and what is lost is counted.
# Runs beside others.
. "$(dirname "$0")/user.sh"

PROGRAMS="$WT_ROOT/build/tests/programs"
mkdir programs && cp "$PROGRAMS/sdk_app" "$PROGRAMS/static_sdk_app" "$WT_ROOT/build/sdk/libwtrace.so.0" programs/
chmod 755 programs
export LD_LIBRARY_PATH="$TMP/programs"
APP="$TMP/programs/sdk_app" STATIC="$TMP/programs/static_sdk_app"

mounted=''
mount_small() { # DIRECTORY SIZE
	mkdir -p "$1" && mount -t tmpfs -o "size=$2,mode=0700" small "$1" && mounted="$mounted $1"
}
unmount() {
	for directory in $mounted; do umount "$directory"; done 2>/dev/null
	cleanup
}
trap unmount EXIT

# The spool: a session leaves an eighth to others, so this one has about 260 KiB.
check 'a small disk' mount_small "$TMP/disk" 300k
check 'start' env WTRACE_SPOOL="$TMP/disk" wtrace start -p emit --session full
check 'more events than it holds' user_emit -n 400000 -t 2 -e 3 -s 64
read -r _ ok _ full _ large _ memory _ off <out
check 'status' wtrace status --session full
check_out 'names the cause, and what to do' 'disk of .*/disk is nearly full: the session leaves the last 37 KiB to others.*WTRACE_SPOOL'
check 'stop' env WTRACE_SPOOL="$TMP/disk" wtrace stop --session full -o full.etl
check 'the log is whole' wtrace dump full.etl -e lost
check_out 'and says what the disk cost' 'disk'
# shellcheck disable=SC2046
set -- $(counted full.etl)
is 'written + lost = produced, as the program counted' "$1 $(($2 + $3)) $4" "$((ok + full)) $((ok + full)) 0"
is 'the log has what it says' "$(events full.etl big)" "$2"
at_least 'some were lost' "$3" 1
is 'nothing else happened to them' "$large $memory $off" '0 0 0'

# The disk becomes read-only, then takes writes slowly: strace answers the worker's writes.
traced() { [ "$(sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$worker/status")" != 0 ]; }
untraced() { ! traced; }
disk() { # INJECTION of strace, for pwrite64 and ftruncate
	background strace -f -qq -o /dev/null -e trace=pwrite64,ftruncate -e "inject=pwrite64,ftruncate:$1" -p "$worker"
	wait_until 30 traced
}
disk_again() { kill "$bg" && wait_until 30 untraced; }
names() { wtrace status --session "$1" | grep -Eq "$2"; }
check 'start' wtrace start -p emit --session sick --buffer-size 256K
worker=$(field sick worker)
check 'events while the disk works' user_emit -n 1000
check 'are in the log' wait_until 30 has_logged sick emit tick 1000
check 'the disk becomes read-only' disk error=EROFS
check 'events that find no disk' user_emit -n 2000 -e 2
check 'status names the reason' wait_until 30 names sick 'cannot write.*Read-only file system'
check 'the session lives' is_worker sick "$worker"
check 'the disk works again' disk_again
check 'events after that' user_emit -n 3000
check 'are in the log' wait_until 30 has_logged sick emit tick 4000
check 'status says that it is over' names sick 'can be written again'
check 'the disk becomes slow' disk delay_exit=300000
produced=0
slow_disk_costs() {
	user_emit -n 100000 -t 2 -e 3 -s 64 >emitted || return 1
	produced=$((produced + 200000))
	names sick 'lost: emit.*disk'
}
check 'and costs events' wait_until 60 slow_disk_costs
check 'the session lives' is_worker sick "$worker"
check 'the disk is itself again' disk_again
check 'stop' wtrace stop --session sick -o sick.etl
check 'the log is whole' wtrace verify sick.etl
# shellcheck disable=SC2046
set -- $(counted sick.etl)
is 'written + lost = produced' "$(($2 + $3)) $4" "$1 0"
is 'as the programs counted' "$1" $((6000 + produced))
is 'what came before and after is there' "$(events sick.etl tick)" 4000
is 'what came between is not' "$(events sick.etl note)" 0

# Shared memory: rings that find no room are losses, not signals.
check 'little shared memory' mount_small "$TMP/memory" 3M
for rseq in 1 0; do
	check 'start' env WTRACE_RUNTIME="$TMP/memory" wtrace start -p emit --session narrow
	worker=$(WTRACE_RUNTIME="$TMP/memory" field narrow worker)
	kill -STOP "$worker"
	check "more events than it holds, rseq $rseq" env WTRACE_RUNTIME="$TMP/memory" \
		GLIBC_TUNABLES=glibc.pthread.rseq=$rseq user_emit -n 20000 -t 4 -c 3 -e 3 -s 256
	read -r _ ok _ full _ large _ memory _ off <out
	is 'each is written or refused' "$((ok + full + memory)) $large $off" '320000 0 0'
	at_least 'some were written' "$ok" 100
	at_least 'some were refused' "$((full + memory))" 1000
	kill -CONT "$worker"
	check 'stop' env WTRACE_RUNTIME="$TMP/memory" wtrace stop --session narrow -o "narrow$rseq.etl"
	is 'what was written is in the log' "$(events "narrow$rseq.etl" big)" "$ok"
done
dd if=/dev/zero of="$TMP/memory/filler" bs=4096 >/dev/null 2>&1
check 'without any memory a program works' env WTRACE_RUNTIME="$TMP/memory" "$APP" ticks 1000
check 'so does a static one' env WTRACE_RUNTIME="$TMP/memory" "$STATIC" ticks 1000
check_exit 'a session cannot begin' 1 env WTRACE_RUNTIME="$TMP/memory" wtrace start -p emit --session none
check_err 'and says why' 'No space left|no room|memory'

# The directory is removed under session and program, then made anew by whoever comes next.
mkdir -m 700 gone
background env WTRACE_RUNTIME="$TMP/gone" "$APP" spell 4
check 'start' env WTRACE_RUNTIME="$TMP/gone" wtrace start -p sdk-app --session gone
worker=$(WTRACE_RUNTIME="$TMP/gone" field gone worker)
has_ticks() { WTRACE_RUNTIME="$TMP/gone" has_logged gone sdk-app tick 100; }
check 'its events come' wait_until 20 has_ticks
check 'the directory is removed' wait_until 30 rm -rf "$TMP/gone"
check 'a program registers where there is no directory' env WTRACE_RUNTIME="$TMP/gone" "$APP" ticks 1000
code=0
wait "$bg" || code=$?
is 'a program whose directory is gone lives' "$code" 0
check 'the session lives' kill -0 "$worker"
dead() { ! kill -0 "$1" 2>/dev/null; }
kill -TERM "$worker"
check 'and ends when told to' wait_until 30 dead "$worker"
check 'its log is whole' sh -c "wtrace dump '$WTRACE_SPOOL'/gone-*.etl"
at_least 'with the events from before' "$(grep -c sdk-app/tick out)" 100
check 'a new session in the new directory' env WTRACE_RUNTIME="$TMP/gone" wtrace record -p sdk-app -o new.etl -- "$APP" ticks 100
is 'has its events' "$(wtrace dump new.etl | grep -c sdk-app/tick)" 100

# Directory and files may not be written any more: as another user, since root may always.
cat >readonly.sh <<'PROGRAM'
set -e
wtrace start -q -p user:sdk-app --session fixed >/dev/null 2>&1
"$1" hold <"$3" >held &
tries=0
until grep -q '1 tick' held; do
	[ $((tries += 1)) -lt 200 ] || exit 1
	sleep 0.05
done
chmod -R a-w "$WTRACE_RUNTIME"
"$1" ticks 500
"$2" ticks 500
"$1" why
chmod -R u+w "$WTRACE_RUNTIME"
kill %1 2>/dev/null || kill $!
wtrace stop -q --session fixed -o nobody/fixed.etl >/dev/null
PROGRAM
mkfifo hold && chmod 666 hold
exec 7<>hold
check 'programs work in a directory that may not be written' as_nobody sh "$TMP/readonly.sh" "$APP" "$STATIC" "$TMP/hold"
check_out 'all of them' '500 ticks'
exec 7<&-
check 'the log is whole' wtrace dump nobody/fixed.etl
done_testing
