#!/bin/sh
# SPDX-License-Identifier: MIT
# The CPython example: what burns CPU in python3.11d -c '10**10**100' (Debian's debug build), pinned to one CPU.
#   demo.sh            records it twice, from before its start and from its middle, perf record beside it in the
#                      same runs; shows the tables, then how they agree with perf's: demo_compare.py
#   demo.sh --verify   only the comparison, as test points
# The program never ends by itself; it gets RECORD_SECONDS of CPU time (default 7) under both, and on a busy machine
# as long as it needs for them, at most ten times that.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${RECORD_SECONDS:-7} hz=${RECORD_HZ:-4999}
mode=${1:-show}
out=${DEMO_OUT:-$root/build/demo}
wtrace=$root/build/wtrace
as_root=''
[ "$(id -u)" = 0 ] || as_root='sudo -n'
session=demo-$$
mkdir -p "$out"
cd "$out"

# The last CPU that this shell may use: the first one has more interrupts.
cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
program=''
cleanup() {
	[ -z "$program" ] || kill "$program" 2>/dev/null || :
	$as_root "$wtrace" status -s $session >/dev/null 2>&1 || return 0
	$as_root "$wtrace" stop -s $session -o "$out/unfinished.etl" --force >/dev/null 2>&1 || :
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# The program gets at most a minute of CPU time, whatever happens to this script.
start_program() {
	(
		ulimit -t 60
		exec taskset -c "$cpu" python3.11d -c '10**10**100' >/dev/null 2>&1
	) &
	program=$!
}
stop_program() {
	kill -TERM $program 2>/dev/null || :
	wait $program 2>/dev/null || :
	program=''
}
start_session() {
	$as_root "$wtrace" start -p pmu-profile,loader,proc_thread --stackwalk -F "$hz" -s $session >start.txt
}
stop_session() {
	$as_root "$wtrace" stop -s $session -o "$1" --force >stop.txt
	[ -z "$as_root" ] || $as_root chown "$(id -u)" "$1"
}
# perf watches the program while it uses the agreed CPU time.
watch() {
	# A home of its own: perf takes symbols from copies of files that earlier runs left in ~/.debug.
	$as_root env HOME="$out" perf record -q -p "$program" -F "$hz" -o "$1.perf" -- \
		sh "$root/tests/cpu_time.sh" "$program" "$seconds" 2>"$1.perf.err"
}

record_before() {
	start_session
	start_program
	watch before
	stop_program
	stop_session before.etl
}
record_middle() {
	start_program
	sleep 2
	start_session
	watch middle
	stop_session middle.etl
	stop_program
}

# record_whole WHEN: for the comparison, up to three times while samples were lost: a busy machine may leave the recorder
# without a CPU for longer than its rings last, and the shares are then of other times than perf's.
record_whole() {
	for _ in 1 2 3; do
		"record_$1"
		[ "$mode" = --verify ] || return 0
		! "$wtrace" view "$1.etl" --strict --group-by function >/dev/null 2>&1 || return 0
	done
}

show() {
	printf '\n%s\n\n' "$2"
	cat start.txt stop.txt
	echo
	"$wtrace" view "$1.etl" --group-by function --where "$only" --top 20
}

# Debian builds it without frame pointers.
show_stacks() {
	printf '\nHow it came there, from where the program begins:\n\n'
	"$wtrace" view before.etl --group-by stack --where "$only" --min 10 | sed '1,/^==/d'
}

compare() {
	"$wtrace" view "$1.etl" --group-by function --where "$only" --top 0 >"$1.table"
	$as_root env HOME="$out" perf report -i "$1.perf" --stdio -q --no-children -g none \
		-F overhead,sample,symbol -t '|' 2>/dev/null >"$1.perf.table"
	"$wtrace" view "$1.etl" --folded --group-by stack --where "$only && function == 'x_mul'" >"$1.folded"
	python3 "$root/tests/demo_compare.py" "$1" "$1.table" "$1.perf.table" "$1.folded" "$2"
}

# Other programs get time on that CPU too: the comparison is about this one.
only="comm == 'python3.11d' && cpu == $cpu"
status=0
record_whole before
[ "$mode" = --verify ] || show before "The session was started before the program (CPU $cpu, $seconds s at $hz Hz):"
[ "$mode" = --verify ] || show_stacks
record_whole middle
[ "$mode" = --verify ] || show middle 'The session was started in the middle of the program:'
[ "$mode" = --verify ] || printf '\nBeside perf record in the same runs:\n\n'
# In the first session the tables of these files may still have to be made while it runs.
compare before 50 || status=1
compare middle 99 || status=1
[ "$mode" = --verify ] || printf '\nThe files are %s and middle.etl there; try:\n  build/wtrace view %s --group-by module,function\n' \
	"$out/before.etl" "$out/before.etl"
exit $status
