#!/bin/sh
# SPDX-License-Identifier: MIT
# Unwind tables are each file's own: programs that carry one build id and differ in their frames, and a program without a
# build id that is written over in its place, in one session and in the next, whose tables come from the disk; and on an
# overlay, where nobody sees when a file was changed; and text that a program writes over in its memory.
# Runs beside others.
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

# record_own NAME LOG COMMAND...: the command and what it starts, and nothing else of a machine that may be busy with programs whose
# tables are made first. A command that has an end to wait for (AT_END, a pipe) lives until the recorder has looked at it.
mkfifo go
AT_END=
looked_at() { # SESSION: who asks for the status makes it take what there is
	check "$what: it comes to its end" wait_until 60 test -e "$AT_END.done"
	check "$what: all of it is read" wtrace status -s "$1" --json
	: >"$AT_END"
	rm "$AT_END.done"
}
record_own() {
	what=$1 log=$2 s=$(session "$points")
	shift 2
	sh -c 'read go && exec "$@"' sh "$@" <go &
	own=$!
	exec 4>go
	check "$what" wtrace start -q -s "$s" --pid "$own" -p pmu-profile,loader,proc_thread --stackwalk -F 997
	echo go >&4
	exec 4>&-
	[ -z "$AT_END" ] || looked_at "$s"
	wait $own
	is "$what: it ends well" "$?" 0
	check "$what: the log" wtrace stop -q -s "$s" -o "$log" --force
}

# judge LOG NAME: "KNOWN WRONG SHARE LAST": samples whose stack is told, those whose callers are not the program's, per thousand
# that reach the root, the same of the last process. A machine too busy for a look at a short program leaves its stacks with the
# word "callers probable": they reach the root all the same. What was written over has no names, but libc is called by nothing else than
# _start, which is alone and whole until then: the first that is seen of a process in its own file may be.
judge() {
	wtrace dump "$1" --json -e pmu-profile 2>/dev/null | /usr/bin/python3 -c '
import json, sys
known = wrong = whole = 0
last = {}
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
    libc = "__libc_start_main" in names or (row["pid"] not in last and names in (["_start"], [None]))
    wrong += (at is not None and names[at:at + 3] != ["leaf", "caller", "main"][:len(names) - at]) or (proved and not libc)
    reached = (proved or row["stack_status"] == "callers probable") and libc
    whole += reached
    last.setdefault(row["pid"], []).append(reached)
last = list(last.values())[-1] if last else [0]
print(known, wrong, whole * 1000 // max(known, 1), sum(last) * 1000 // len(last))' "$2"
}

# right NAME LOG PROCESS SHARE: SHARE in a thousand reach the root.
right() {
	judge "$2" "$3" >counted
	at_least "$1: samples" "$(cut -d' ' -f1 counted)" 200
	is "$1: stacks with other callers" "$(cut -d' ' -f2 counted)" 0
	at_least "$1: per thousand, stacks that reach the root" "$(cut -d' ' -f3 counted)" "$4"
	at_least "$1: per thousand, of the last process" "$(cut -d' ' -f4 counted)" 600
}

# What is written over before the recorder has looked at it has no table any more; the last always has one.
for round in first next; do
	record_own "$round session" "$round.etl" sh -c '
		for size in 100 900 2000 100; do ./same_$size || exit 1; done'
	right "$round session, one build id" "$round.etl" same_ 950
	record_own "$round session, written over" "over-$round.etl" sh -c '
		for size in 100 900 2000; do cat none_$size >prog && chmod +x prog && ./prog || exit 1; done'
	right "$round session, written over in its place" "over-$round.etl" prog 200
done

# A library that one process loads again and again, written over in between: work is called by mid, mid by run. By the
# other one's table the callers of work in the small one are whole, but mid is missing.
cat >turns.c <<'PROGRAM'
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library;
		clock_t end;
		void (*run)(void);
		if (system(argv[i]) || !(library = dlopen("./turn.so", RTLD_NOW)) || !(run = (void (*)(void))dlsym(library, "run")))
			return 1;
		for (end = clock() + CLOCKS_PER_SEC / 10; clock() < end;)
			run();
		dlclose(library);
	}
	return 0;
}
PROGRAM
cat >library.S <<'PROGRAM'
.macro passes_on name to
.globl \name
.type \name,@function
\name: .cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3,-16
	call \to
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.size \name,.-\name
.endm
.text
passes_on run mid
.hidden mid
passes_on mid work
.type work,@function
work: .cfi_startproc
#ifdef LARGE
	sub $16,%rsp
	.cfi_def_cfa_offset 24
#else
	nopl 0(%rax)
#endif
	mov $1000000,%ecx
1:	dec %ecx
	jnz 1b
#ifdef LARGE
	add $16,%rsp
	.cfi_def_cfa_offset 8
#else
	nopl 0(%rax)
#endif
	ret
	.cfi_endproc
.size work,.-work
.section .note.GNU-stack,"",@progbits
PROGRAM

# "KNOWN WRONG SHARE" of stacks in the library: those that are proved and have other than three frames of it, but for the few
# instructions outside work; whole ones per thousand.
judge_turns() {
	wtrace dump "$1" --json -e pmu-profile 2>/dev/null | /usr/bin/python3 -c '
import json, sys
known = whole = other = 0
for line in sys.stdin:
    row = json.loads(line)
    if row["process"] != "turns" or "stack" not in row:
        continue
    inside = 0
    while inside < len(row["stack"]) and row["stack"][inside].get("module", "").endswith("turn.so"):
        inside += 1
    known += inside > 0
    if inside and row["stack_status"] in ("complete", "completed"):
        whole += inside == 3
        other += inside != 3
print(known, other if other * 50 > known else 0, whole * 1000 // max(known, 1))'
}

# take_turns NAME DIRECTORY SHARE: up to three times: a busy machine may look at each of the four only when it is gone.
take_turns() {
	for _ in 1 2 3; do
		record_own "$1, a library written over" turns.etl sh -c '
			cd "$1" && "$2" "cat $3/large.so >turn.so" "cat $3/small.so >turn.so" "cat $3/large.so >turn.so" "cat $3/small.so >turn.so"' \
			turns "$2" "$PWD/turns" "$PWD"
		judge_turns turns.etl >counted
		[ "$(cut -d' ' -f2,3 counted | awk -v least="$3" '{ print $1 == 0 && $2 < least }')" = 1 ] || break
	done
	at_least "$1, a library written over: samples" "$(cut -d' ' -f1 counted)" 200
	is "$1, a library written over: stacks with other callers" "$(cut -d' ' -f2 counted)" 0
	at_least "$1, a library written over: per thousand, whole stacks" "$(cut -d' ' -f3 counted)" "$3"
}

# The program makes its library's text writable, writes the other's over it, and takes the right back: `open` may execute it all
# the time, `shut` not while it writes, `first` maps the file writable at first, `only` takes the right and writes nothing. With a
# second argument it says when it is done with that, and goes on when it may read.
cat >patch.c <<'PROGRAM'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
static void (*run)(void);
static void run_for(const char *name)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 4;
	prctl(PR_SET_NAME, name);
	while (clock() < end)
		run();
}
int main(int argc, char **argv)
{
	static char page[4096];
	int other = open("large.so", O_RDONLY), own = open("small.so", O_RDONLY);
	int writable = PROT_READ | PROT_WRITE | (argv[1][0] == 'o' && argv[1][1] == 'p' ? PROT_EXEC : 0);
	char *text;
	if (!(run = (void (*)(void))dlsym(dlopen("./small.so", RTLD_NOW), "run")))
		return 1;
	text = (char *)((unsigned long)run & ~4095UL);
	run_for("file");
	prctl(PR_SET_NAME, "between");
	if (argv[1][0] == 'f') {
		run = (void (*)(void))((unsigned long)run - (unsigned long)text);
		text = mmap(NULL, 4096, writable, MAP_PRIVATE, own, 4096);
		run = (void (*)(void))((unsigned long)run + (unsigned long)text);
	} else if (mprotect(text, 4096, writable)) {
		return 1;
	}
	if (pread(other, page, 4096, 4096) != 4096 || (strcmp(argv[1], "only") && !memcpy(text, page, 4096)))
		return 1;
	if (mprotect(text, 4096, PROT_READ | PROT_EXEC))
		return 1;
	if (argc > 2 && (puts("done"), fflush(stdout), !fgets(page, 2, stdin)))
		return 1;
	run_for("patched");
	/* The recorder looks at the memory while it is there. */
	snprintf(page, sizeof(page), "%s.done", getenv("AT_END"));
	close(open(page, O_CREAT | O_WRONLY, 0600));
	return open(getenv("AT_END"), O_RDONLY) < 0;
}
PROGRAM
# named_stacks LOG THREAD: "WITH WITHOUT": samples whose innermost frame has a name of the library's, and where it is of generated
# code and the stack is not called complete.
named_stacks() {
	wtrace dump "$1" --json -e pmu-profile 2>/dev/null | /usr/bin/python3 -c '
import json, sys
named = unnamed = 0
for line in sys.stdin:
    row = json.loads(line)
    if row["thread"] != sys.argv[1] or not row.get("stack"):
        continue
    top, proved = row["stack"][0], row["stack_status"] in ("complete", "completed")
    named += top.get("module", "").endswith("small.so") or top.get("function") in ("work", "mid", "run")
    unnamed += top.get("unresolved") == "generated code" and not proved
print(named, unnamed)' "$2"
}
# patched HOW LOG: written to, and so nameless.
patched() {
	is "text written over ($1): samples with a name" "$(named_stacks "$2" patched | cut -d' ' -f1)" 0
	at_least "text written over ($1): samples of generated code" "$(named_stacks "$2" patched | cut -d' ' -f2)" 100
}
patch_all() {
	mkfifo end
	export AT_END="$PWD/end"
	check "compile what writes over its text" gcc -O1 -o patch patch.c
	check "a library" gcc -shared -nostdlib -o small.so library.S
	check "another" gcc -shared -nostdlib -DLARGE -o large.so library.S
	for how in open shut first only; do
		record_own "text written over ($how)" patch.etl ./patch $how
		# What was written soon after it was mapped may have been looked at behind that: then it is generated code all along.
		at_least "before ($how): samples with a name, or of generated code" "$(named_stacks patch.etl file | awk '{ print $1 + $2 }')" 100
		[ $how = only ] || patched $how patch.etl
	done
	at_least "text that could be written over and was not: samples with a name" "$(named_stacks patch.etl patched | cut -d' ' -f1)" 100
}
# The same of a program that had done it before the session began.
patch_before() {
	s=$(session patch)
	./patch shut wait <go >done &
	patching=$!
	exec 4>go
	check 'it has written' wait_until 30 test -s done
	check 'a session begins after text was written over' wtrace start -q -s "$s" -p pmu-profile,loader,proc_thread --stackwalk -F 997
	check 'it has looked at what there is' wtrace status -s "$s" --json
	echo >&4
	exec 4>&-
	what='text written over before the session'
	looked_at "$s"
	wait $patching
	check 'it ends' wtrace stop -q -s "$s" -o patch.etl --force
	patched 'before the session' patch.etl
}

# What lay there before was looked at before the next was written, or has no table: the last always has one.
turns_everywhere() {
	for id in none 0x00112233445566778899aabbccddeeff; do
		check "compile a library" gcc -shared -nostdlib -Wl,--build-id=$id -o small.so library.S
		check "compile another" gcc -shared -nostdlib -Wl,--build-id=$id -DLARGE -o large.so library.S
		take_turns "build id $id" . 200
		! $on_overlay || take_turns "build id $id, on an overlay" over 200
	done
}

mkdir -p lower upper work over
on_overlay=false
if ! has_disk .; then
	skip "on an overlay" 'in memory its files have no names'
elif mount -t overlay none -o "lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work" over 2>err; then
	on_overlay=true
	record_own "on an overlay, written over" overlay.etl sh -c '
		cd over && for size in 100 900 2000; do cat ../none_$size >prog && chmod +x prog && ./prog || exit 1; done'
	right "on an overlay, written over in its place" overlay.etl prog 200
else
	skip "on an overlay" "$(head -1 err)"
fi
if [ "$(uname -m)" = x86_64 ]; then
	check "compile what loads a library" gcc -O1 -o turns turns.c
	turns_everywhere
	patch_all
	patch_before
else
	skip "a library written over" "its functions are written for another machine"
fi
! $on_overlay || umount over
done_testing
