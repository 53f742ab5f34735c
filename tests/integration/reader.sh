#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader library as somebody else uses it: the names it shows, installed and found by pkg-config, the example on a
# recording, and the same events as `wtrace dump --json`, value by value, whole and selected.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

LIBRARY="$WT_ROOT/build/reader"
READ="$WT_ROOT/build/tests/programs/reader_json"
check 'the program that prints through the library' make -s -C "$WT_ROOT" build/tests/programs/reader_json

# ---- what it shows ----
sed -n 's/^\t\(wtr_[a-z0-9_]*\);$/\1/p' "$WT_ROOT/consumers/reader/wtrace_reader.map" | sort >wanted
is 'the map names functions' "$(test "$(wc -l <wanted)" -gt 60 && echo yes)" yes
nm -D --defined-only "$LIBRARY/libwtrace-reader.so.0" | sed -n 's/.* [TDBRVW] \([a-z_0-9]*\)@*.*/\1/p' | sort >shown
check 'the shared library shows what its map names' cmp wanted shown
nm -g --defined-only "$LIBRARY/libwtrace-reader.a" | awk '$2 ~ /^[A-Z]$/ { print $3 }' | sort >shown
check 'and so does the static one' cmp wanted shown
check 'the shared library has a versioned name' readelf -d "$LIBRARY/libwtrace-reader.so.0"
check_out 'it is libwtrace-reader.so.0' 'SONAME.*\[libwtrace-reader\.so\.0\]'

# ---- installed ----
check 'make install' make -C "$WT_ROOT" install PREFIX="$TMP/usr"
export PKG_CONFIG_PATH="$TMP/usr/lib/pkgconfig" LD_LIBRARY_PATH="$TMP/usr/lib"
check 'pkg-config knows it' pkg-config --modversion wtrace-reader
check_out 'with the version of the program' "^$(wtrace --version | sed 's/^wtrace \([0-9.]*\).*/\1/;q')\$"
flags=$(pkg-config --cflags --libs wtrace-reader)
cp "$WT_ROOT"/consumers/reader/examples/events.c .
# shellcheck disable=SC2086
check 'the example compiles' gcc -std=gnu11 -Wall -Wextra -Werror events.c -o events $flags
# shellcheck disable=SC2046
check 'against the static library' gcc events.c -o events_static -I"$TMP/usr/include" "$TMP/usr/lib/libwtrace-reader.a" \
	$(pkg-config --static --libs-only-l wtrace-reader | sed 's/-lwtrace-reader//')
# shellcheck disable=SC2086
check 'as C++17' g++ -std=c++17 -Wall -Wextra -Werror -x c++ events.c -o events_cxx $flags

# ---- a running session: lines come as events do, into a pipe as well ----
check 'a session' wtrace start -s lines -p linux:sched:sched_switch
(./events --session lines | cat >lines) &
check 'its events come through a pipe while it runs' wait_until 20 grep -q 'linux:sched/sched_switch' lines
check 'and whole lines' sh -c '! sed "\$d" lines | grep -v "^ *[+-][0-9]\|^	"'
check 'it ends' wtrace stop -s lines -o lines.etl
wait

# ---- a recording ----
check 'record' wtrace record -p pmu-profile,linux:sched:sched_switch,linux:syscalls:sys_enter_openat --stackwalk -F 499 \
	-o run.etl -- sh -c 'ls -R /usr/include >/dev/null; ls -R /usr/include >/dev/null'
check 'the example prints it' ./events run.etl
check_out 'an event with its fields' 'linux:syscalls/sys_enter_openat .*filename='
check_out 'a frame with its function and module' '^	[A-Za-z_].*\+0x[0-9a-f]+  .*/libc'
mv out shared
check 'the static one too' ./events_static run.etl
mv out static
check 'and prints the same' cmp shared static

# same NAME FILE DUMP-OPTIONS -- READER-OPTIONS: dump and the library tell the same events.
cat >same.py <<'PROGRAM'
import json, sys
sides = [[json.loads(line) for line in open(path, encoding="utf-8", errors="replace")] for path in sys.argv[1:3]]
least = int(sys.argv[3])
different = [i for i, (a, b) in enumerate(zip(*sides)) if a != b]
print(len(sides[0]), len(sides[1]), "events,", len(different), "differ")
for i in different[:3]:
    print(sides[0][i], sides[1][i], sep="\n")
sys.exit(bool(different) or len(sides[0]) != len(sides[1]) or len(sides[0]) < least)
PROGRAM
same() {
	label=$1 least=$2 dumped=$3 read=$4
	# shellcheck disable=SC2086
	wtrace dump --json $dumped >dumped.json && $READ $read >read.json
	check "$label" python3 same.py dumped.json read.json "$least"
	tail -n +2 out | head -4 | sed 's/^/# /'
}
for file in "$WT_ROOT"/tests/golden/*.wtl "$WT_ROOT"/tests/cli/view.etl; do
	same "$(basename "$file"): the same as dump --json" 1 "$file" "$file"
done
same 'the recording: the same as dump --json, stacks and names too' 1000 run.etl run.etl
same 'names of the log alone' 1000 '--no-resolve run.etl' '-l run.etl'
same 'one provider' 10 '--event linux:sched run.etl' '-e linux:sched run.etl'
same 'two events' 10 '--event sched_switch --event sys_enter_openat run.etl' \
	'-e linux:sched/sched_switch -e LINUX:SYSCALLS/sys_enter_openat run.etl'
# The span is the middle third of the events: how long the recording took is the machine's affair.
# shellcheck disable=SC2046
set -- $(wtrace dump --json run.etl | python3 -c '
import json, sys
times = [json.loads(line)["time"] for line in sys.stdin]
third = sorted(times)[len(times) // 3 :: len(times) // 3]
print(third[0], third[1], "%.9f %.9f" % (third[0] / 1e9, third[1] / 1e9))')
same 'a span of time' 10 "--from $3 --to $4 run.etl" "-f $1 -t $2 run.etl"
same 'from a time on' 10 "--from $3 run.etl" "-S $1 run.etl"
wtrace dump --json --where 'cpu == 0' run.etl >dumped.json && "$READ" -c 0 run.etl >read.json
check 'one CPU' python3 same.py dumped.json read.json 10
pid=$(wtrace dump --json --event sys_enter_openat run.etl | sed -n 's/.*"process":"ls","pid":\([0-9]*\).*/\1/p;' | head -1)
wtrace dump --json --where "pid == $pid" run.etl >dumped.json && "$READ" -p "$pid" run.etl >read.json
check 'one process' python3 same.py dumped.json read.json 10
check 'what never appears selects nothing' "$READ" -e linux:sched/never run.etl
is 'not a line' "$(wc -l <out)" 0

same 'fields that were not asked for are not there, what is has its value' 10 '--event sched_switch run.etl' \
	'-e linux:sched/sched_switch run.etl'
"$READ" -e linux:sched/sched_switch -k next_pid -k prev_comm run.etl >some.json
check 'some fields' python3 - read.json some.json <<'PROGRAM'
import json, sys
whole, some = [[json.loads(line) for line in open(path)] for path in sys.argv[1:3]]
for event in whole:
    event["fields"] = {k: v for k, v in event["fields"].items() if k in ("next_pid", "prev_comm")}
sys.exit(whole != some or not some)
PROGRAM
check 'what it costs' make -s -C "$WT_ROOT" build/tests/programs/reader_count
check 'everything of every event' "$WT_ROOT/build/tests/programs/reader_count" -a run.etl
number() { sed -n "s/.* *$1 \([0-9]*\).*/\1/p" out; }
sed 's/^/# /' out
is 'in the order of time' "$(number ordered)" 1
at_most 'no allocation per event: less than one for four' "$(($(number allocations) * 4))" "$(number events)"
check 'nothing but the times' "$WT_ROOT/build/tests/programs/reader_count" run.etl
at_most 'nor there' "$(($(number allocations) * 4))" "$(number events)"

# ---- several logs as one ----
check 'a second recording' wtrace record -p linux:sched:sched_switch -o more.etl -- sleep 0.1
"$READ" -e linux:sched run.etl >one.json && "$READ" -e linux:sched more.etl >two.json
check 'both as one trace' "$READ" -e linux:sched more.etl run.etl
is 'with the events of both' "$(wc -l <out)" "$(cat one.json two.json | wc -l)"
is 'in the order of time' "$(sed 's/{"time":\([-0-9]*\).*/\1/' out | sort -n -c 2>&1)" ''

# ---- what is damaged ----
size=$(stat -c %s run.etl)
head -c $((size / 2)) run.etl >cut.etl
same 'half of the file: all whole blocks' 1 cut.etl cut.etl
check 'it says so' "$READ" -i cut.etl
check_out 'as not complete, with the place' 'complete 0 damages [1-9]'
check_out 'of the cut' '^damage file 0 offset [0-9]+: cut in the middle of a block'
check 'what is known of the whole one' "$READ" -i run.etl
check_out 'complete, without damage, with the host' "complete 1 damages 0 host $(uname -n)"
check_exit 'a file that is not there' 1 "$READ" never.etl
check_err 'is named' 'open: cannot open never.etl: No such file'
check_exit 'a file that is no log' 1 "$READ" same.py
check_err 'is named too' 'same.py is not a wtrace log'
done_testing
