#!/bin/sh
# SPDX-License-Identifier: MIT
# Unwind tables are each file's own: programs that carry one build id and differ in their frames, and a program without a
# build id that is written over in its place, in one session and in the next, whose tables come from the disk.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C

# Three functions, whose frames are as large as asked for.
cat >frames.c <<'PROGRAM'
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) static long used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}
__attribute__((noinline)) void leaf(void)
{
	volatile char frame[SIZE];
	for (int i = 0; i < 100000; i++)
		sink += frame[0] = (char)i;
}
__attribute__((noinline)) void caller(void)
{
	volatile char frame[SIZE * 3];
	frame[0] = 1;
	leaf();
	frame[1] = frame[0];
}
int main(void)
{
	while (used() < 150)
		caller();
	return 0;
}
PROGRAM
for size in 100 900 2000; do
	check "compile $size" gcc -g -O1 -fomit-frame-pointer -DSIZE=$size -Wl,--build-id=0x00112233445566778899aabbccddeeff -o "same_$size" frames.c
	check "without a build id $size" gcc -g -O1 -fomit-frame-pointer -DSIZE=$size -Wl,--build-id=none -o "none_$size" frames.c
done

# "KNOWN WRONG SHARE": samples whose stack is told, those whose callers are not the program's, per thousand that reach the root.
# What was written over has no names, but libc is called by nothing else than _start.
judge() {
	wtrace dump "$1" --json -e pmu-profile 2>/dev/null | /usr/bin/python3 -c '
import json, sys
known = wrong = whole = 0
for line in sys.stdin:
    row = json.loads(line)
    if not row["process"].startswith(sys.argv[1]) or "stack" not in row:
        continue
    names = [frame.get("function") for frame in row["stack"]]
    if not any("/" + sys.argv[1] in frame.get("module", "") for frame in row["stack"][:1]):
        continue
    known += 1
    at = names.index("leaf") if "leaf" in names else None
    proved = row["stack_status"] in ("complete", "completed")
    libc = "__libc_start_main" in names
    wrong += (at is not None and names[at:at + 3] != ["leaf", "caller", "main"][:len(names) - at]) or (proved and not libc)
    whole += proved and libc
print(known, wrong, whole * 1000 // max(known, 1))' "$2"
}

# right NAME LOG PROCESS SHARE: SHARE in a thousand reach the root.
right() {
	judge "$2" "$3" >counted
	at_least "$1: samples" "$(cut -d' ' -f1 counted)" 200
	is "$1: stacks with other callers" "$(cut -d' ' -f2 counted)" 0
	at_least "$1: per thousand, stacks that reach the root" "$(cut -d' ' -f3 counted)" "$4"
}

# What is written over before the recorder has looked at it has no table any more; the last always has one.
for round in first next; do
	check "$round session" wtrace record -q -p pmu-profile,loader,proc_thread --stackwalk -F 997 -o "$round.etl" -- sh -c '
		for size in 100 900 2000 100; do ./same_$size || exit 1; done'
	right "$round session, one build id" "$round.etl" same_ 950
	check "$round session, written over" wtrace record -q -p pmu-profile,loader,proc_thread --stackwalk -F 997 -o "over-$round.etl" -- sh -c '
		for size in 100 900 2000; do cat none_$size >prog && chmod +x prog && ./prog || exit 1; done'
	right "$round session, written over in its place" "over-$round.etl" prog 200
done
done_testing
