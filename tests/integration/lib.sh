# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Helpers for tests written in sh (here and in the virtual machine's busybox). A script is executable and reads:
#
#	#!/bin/sh
#	. "$(dirname "$0")/lib.sh"
#	check 'the session starts' wtrace start -p pmu-profile
#	check_out 'it says which event' 'cpu-clock|cycles'
#	done_testing
#
# Each test point prints "ok N - NAME" or "not ok N - NAME - WHY"; done_testing prints the plan and exits. A script
# that ends without it has failed. The working directory is $TMP, private and removed at the end. Sessions live in a
# place of this test alone; those still there at the end are stopped.
#
#	ok NAME / not_ok NAME WHY / skip NAME WHY
#	check NAME CMD...            exit code 0 wanted; output in $TMP/out and $TMP/err (as for all check_ functions)
#	check_exit NAME CODE CMD...  that exit code wanted
#	check_out NAME ERE           standard output of the last command matches
#	check_err NAME ERE           standard error of the last command matches
#	is NAME GOT WANTED           equal as text
#	at_least NAME GOT MIN        numbers, fractions and the mark of a partial share (~) allowed; at_most likewise
#	wait_until SECONDS CMD...    runs CMD until it succeeds; 1 when it did not within that time
#	background CMD...            runs CMD, its process id in $bg; killed at the end if still there
#	as_nobody CMD...             runs CMD as user id $nobody, who may write in $TMP (the test itself is root)
#	last_cpu                     prints the number of the last CPU that this test may use
#	lost_in LOG                  prints how many events were lost, as the log says
#	whole_or_told NAME LOG ARG...  view --strict LOG: nothing was lost, or, on a busy machine, the log says what was
#	record_knowing FILE ARG...   wtrace record -o FILE ARG..., again while the log lacks processes or mappings: a busy machine
#	                             may leave the recorder without a CPU for longer than its rings last
#	record_switches NAME CMD...  records the switches and wakes of CMD in NAME.etl and its output in NAME.truth, again where some
#	                             were lost; on a busy machine wakes may be missing in the end, never switches
#	perf_script FILE OPTION...   prints what perf script does; perf 6.1 aborts now and then, and is asked again
#
# $nobody is a user id of this test's own where that can be had: what else runs as nobody has used up part of the memory
# that the kernel lets a user lock, and perf's buffers are then too small.

points=0 bad=0 backgrounds='' bg=''
# Whoever started this: other users may run what lies here, and numbers have a point.
umask 022
export LC_ALL=C.UTF-8
TMP=$(mktemp -d "${TMPDIR:-/tmp}/wt-test.XXXXXX") || exit 1
chmod 777 "$TMP"
cd "$TMP" || exit 1
: >out && : >err
# A copy of the program that everybody may run, wherever the tree is.
mkdir bin && cp "$(command -v wtrace)" bin/ && PATH="$TMP/bin:$PATH" && export PATH
mkdir -m 700 run spool nobody nobody/run nobody/spool
nobody=65534
! setpriv --help 2>&1 | grep -q -- --reuid || nobody=$((100000 + $$))
chown -R "$nobody:$nobody" nobody 2>/dev/null
export WTRACE_RUNTIME="$TMP/run" WTRACE_SPOOL="$TMP/spool" WTRACE_ROOT_RUNTIME="$TMP/root" WTRACE_UNWIND_CACHE="$TMP/tables"

cleanup() {
	for pid in $backgrounds; do kill -KILL "$pid" 2>/dev/null; done
	for lock in "$WTRACE_RUNTIME"/*.lock "$TMP"/nobody/run/*.lock; do
		[ -e "$lock" ] || continue
		name=${lock##*/}
		WTRACE_RUNTIME=${lock%/*} wtrace stop -s "${name%.lock}" -o "$TMP/left-over.etl" --force >/dev/null 2>&1
	done
	cd / && rm -rf "$TMP"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

ok() {
	points=$((points + 1))
	echo "ok $points - $1"
}

not_ok() {
	points=$((points + 1)) bad=$((bad + 1))
	echo "not ok $points - $1 - ${2:-}"
}

skip() {
	points=$((points + 1))
	echo "ok $points - $1 # SKIP ${2:-}"
}

show_output() {
	for stream in out err; do
		[ ! -s "$TMP/$stream" ] || tail -n 20 "$TMP/$stream" | sed "s/^/# $stream: /"
	done
}

check_exit() {
	name=$1 wanted=$2
	shift 2
	code=0
	"$@" >"$TMP/out" 2>"$TMP/err" || code=$?
	if [ "$code" = "$wanted" ]; then ok "$name"; else
		not_ok "$name" "exit code $code, wanted $wanted"
		show_output
		return 1
	fi
}

check() {
	name=$1
	shift
	check_exit "$name" 0 "$@"
}

check_file() {
	if grep -Eq -- "$3" "$TMP/$2"; then ok "$1"; else
		not_ok "$1" "nothing in std$2 matches: $3"
		show_output
		return 1
	fi
}
check_out() { check_file "$1" out "$2"; }
check_err() { check_file "$1" err "$2"; }

is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', wanted '$3'"; fi
}

at_least() {
	if awk -v a="${2#"~"}" -v b="$3" 'BEGIN { exit !(a != "" && a + 0 >= b + 0) }'; then ok "$1"; else
		not_ok "$1" "got '$2', wanted at least $3"
	fi
}

at_most() {
	if awk -v a="${2#"~"}" -v b="$3" 'BEGIN { exit !(a != "" && a + 0 <= b + 0) }'; then ok "$1"; else
		not_ok "$1" "got '$2', wanted at most $3"
	fi
}

# Files there have a disk, also when they are seen through an overlay.
has_disk() { case $(stat -f -c %T "$1") in tmpfs | ramfs) false ;; esac; }

wait_until() {
	read -r wait_now _ </proc/uptime
	wait_end=$((${wait_now%.*} + $1 + 1))
	shift
	# Once more when the time is over: what was asked last may have been asked long ago.
	until "$@" >/dev/null 2>&1; do
		[ "${wait_now%.*}" -lt "$wait_end" ] || return 1
		sleep 0.05
		read -r wait_now _ </proc/uptime
	done
}

background() {
	"$@" >"$TMP/background.out" 2>&1 </dev/null &
	bg=$!
	backgrounds="$backgrounds $bg"
}

lost_in() {
	wtrace dump "$1" --json --event wtrace/lost 2>/dev/null |
		python3 -c 'import json, sys; print(sum(json.loads(line)["fields"]["count"] for line in sys.stdin))'
}

whole_or_told() {
	name=$1 lost=$(lost_in "$2")
	shift
	if [ "$lost" = 0 ]; then check "$name" wtrace view --strict "$@"; else
		echo "# lost: $lost"
		check_exit "$name, or told" 3 wtrace view --strict "$@"
	fi
}

# record_again PROVIDERS FILE ARG...: records up to three times, while the log lost events of a provider that matches.
record_again() {
	lossy=$1 file=$2
	shift 2
	for try in 1 2 3; do
		wtrace record -o "$file" --force "$@" || return
		wtrace dump "$file" --json --event wtrace/lost 2>/dev/null >"$TMP/lost"
		grep -qE '"provider":"[^"]*'"$lossy" "$TMP/lost" || return 0
		echo "# try $try: $(lost_in "$file") lost"
	done
}

record_switches() {
	name=$1
	shift
	for _ in 1 2 3 4 5 6; do
		wtrace record --buffer-size 16M -p CSWITCH,READYTHREAD --stackwalk --unwind=fp -o "$name.etl" --force -- "$@" \
			>"$name.truth" 2>"$name.err" || { cat "$name.err" >&2 && return 1; }
		grep -q 'lost: ' "$name.err" || return 0
	done
	# Where only wakes are missing, the log says what that makes uncertain.
	grep -q 'lost: cswitch' "$name.err" || return 0
	cat "$name.err" >&2
	return 1
}

record_knowing() { record_again '(loader|proc_thread)' "$@"; }
record_whole() { record_again '' "$@"; }

perf_script() {
	for _ in 1 2 3 4 5; do
		perf script -i "$@" >"$TMP/perf.out" 2>/dev/null && break
	done
	cat "$TMP/perf.out"
}

last_cpu() { taskset -cp $$ | sed 's/.*[:,-] *//'; }

session() {
	echo "t$$-$1" >>"$TMP/sessions"
	echo "t$$-$1"
}

as_nobody() {
	(
		export WTRACE_RUNTIME="$TMP/nobody/run" WTRACE_SPOOL="$TMP/nobody/spool" WTRACE_UNWIND_CACHE="$TMP/nobody/tables" HOME="$TMP/nobody"
		if [ "$nobody" != 65534 ]; then
			exec setpriv --reuid="$nobody" --regid="$nobody" --clear-groups "$@"
		else
			exec su -s /bin/sh -- nobody -c 'exec "$@"' sh "$@"
		fi
	)
}

done_testing() {
	echo "1..$points"
	[ "$bad" = 0 ] || exit 1
	exit 0
}
