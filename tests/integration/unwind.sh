#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks walked by tables while recording: the process that makes tables may die or hang, the worker may die, the directory
# of tables may not be writable. What a session tells of its stacks.
. "$(dirname "$0")/lib.sh"

number() { # SESSION FIELD of the status' stacks
	wtrace status --session "$1" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["stacks"][sys.argv[1]])' "$2"
}
field() {
	wtrace status --session "$1" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}
more_than() { [ "$(number "$1" "$2")" -gt "$3" ]; }
# The builder of a session's worker.
builder() {
	for p in $(cat "/proc/$(field "$1" worker)/task/"*/children 2>/dev/null); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = wtrace-builder ] && echo "$p"
	done
}
has_builder() { [ -n "$(builder "$1")" ]; }
is_gone() { ! kill -0 "$1" 2>/dev/null || [ "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f1)" = Z ]; }
is_worker() { [ "$(field "$1" worker 2>/dev/null)" = "$2" ]; }

record='-p pmu-profile --stackwalk --unwind=tables'
background python3 -c 'while True: sum(i * i for i in range(10000))'
python=$bg

s=tables
# shellcheck disable=SC2086
check 'start' wtrace start $record --session "$s"
check 'stacks become complete' wait_until 60 more_than "$s" complete 20
made=$(number "$s" tables_made)
at_least 'tables were made' "$made" 1
# Two images with one build id have one.
at_least 'and are in the directory' "$(find "$WTRACE_UNWIND_CACHE" -name '*.v*' | wc -l)" 1
check 'status' wtrace status --session "$s"
check_out 'status tells of stacks and tables' 'stacks: .* complete, .*; unwind tables: .* in use, .* made'
check_out 'and that events waited' 'events waited .* for unwind tables'

old=$(builder "$s")
cpu_of() { awk '{ print $1 }' "/proc/$1/schedstat"; }
used=$(($(cpu_of "$(field "$s" worker)") + $(cpu_of "$old")))
at_least "the builder's time is the recorder's" "$(field "$s" cpu_ns)" "$used"
kill -KILL "$old"
before=$(number "$s" complete)
check 'without the builder the session goes on' wait_until 60 more_than "$s" complete "$((before + 20))"
keeper=$(field "$s" keeper) worker=$(field "$s" worker)
cp "$(command -v perl || command -v bash)" fresh && objcopy --remove-section .note.gnu.build-id fresh 2>/dev/null
background ./fresh -e 'while (1) { $x += $_ for 1 .. 1000 }'
check 'a new program brings a new one' wait_until 60 has_builder "$s"
new=$(builder "$s")
kill -KILL "$worker"
check 'the keeper takes over' wait_until 20 is_worker "$s" "$keeper"
check 'the builder has died with the worker' wait_until 20 is_gone "$new"
check 'stacks go on' wait_until 60 more_than "$s" complete 20
check 'stop' wtrace stop --session "$s" -o tables.etl
check 'view' wtrace view tables.etl --where "pid == $python" --json
complete=$(python3 -c '
import json, sys
REACHED = ("complete", "completed", "callers probable")
counts = {}
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e.get("event") != "sample" or e["pid"] != int(sys.argv[2]):
        continue
    # How long tables take to be made is not asked here: from the first stack on that has them.
    if counts or e["stack_status"] in REACHED:
        counts[e["stack_status"]] = counts.get(e["stack_status"], 0) + 1
reach = sum(counts.get(status, 0) for status in REACHED)
print(100 * reach / max(1, sum(counts.values()) - counts.get("without user frames", 0)))' /dev/stdin "$python" <<EOF
$(wtrace dump tables.etl --json)
EOF
)
at_least 'stacks of the program reach its root, percent' "$complete" 90

s=warm
# shellcheck disable=SC2086
check 'a second session' wtrace start $record --session "$s" --pid "$python"
check 'has stacks' wait_until 60 more_than "$s" complete 20
is 'and makes no tables' "$(number "$s" tables_made)" 0
check 'stop the second' wtrace stop --session "$s" -o warm.etl

# Tables that code of another revision made are not believed: it may have asked less of the file.
s=older
mkdir -m 700 "$TMP/older"
for table in "$WTRACE_UNWIND_CACHE"/*.v*.[0-9]*; do
	revision=${table##*.}
	cp -p "$table" "$TMP/older/$(basename "${table%.*}").$((revision - 1))"
done
export WTRACE_UNWIND_CACHE="$TMP/older"
# shellcheck disable=SC2086
check 'a session with tables of an older revision' wtrace start $record --session "$s" --pid "$python"
check 'has stacks' wait_until 60 more_than "$s" complete 20
at_least 'and makes tables' "$(number "$s" tables_made)" 1
check 'stop it' wtrace stop --session "$s" -o older.etl

s=hang
export WTRACE_UNWIND_CACHE="$TMP/cold"
# shellcheck disable=SC2086
check 'a session without tables' wtrace start $record --session "$s"
check 'has a builder' wait_until 60 has_builder "$s"
kill -STOP "$(builder "$s")"
check 'that hangs: stacks go without tables' wait_until 60 more_than "$s" given_up 0
check 'commands are heard' wtrace status --session "$s"
check 'and it ends' timeout 60 wtrace stop --session "$s" -o hang.etl

s=nowhere
export WTRACE_UNWIND_CACHE="$TMP/out/tables"
# shellcheck disable=SC2086
check 'a directory that cannot be made' wtrace start $record --session "$s" --pid "$python"
check 'stacks all the same' wait_until 60 more_than "$s" complete 20
check 'its status' wtrace status --session "$s"
check_out 'says where tables are kept' "unwind tables are kept in $WTRACE_SPOOL"
check 'stop the last' wtrace stop --session "$s" -o nowhere.etl
done_testing
