#!/bin/sh
# SPDX-License-Identifier: MIT
# Unwind data and code that are right, or open to doubt, and that a walk which guesses gets wrong: registers in the red zone, data of
# interrupted frames, functions that two descriptions cover, code in a linker's sections, segments in any order. Every trap leads a wrong
# walk through `fake`, which never runs. Every stack that says complete or completed has the true callers.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip 'traps for walks' 'they are written for x86-64'; done_testing; }

# Each way has 40 bytes of caller_a above it, in which a return address to fake waits; fake's caller is main.
cat >traps.S <<'PROGRAM'
.macro begin name
.globl \name
.type \name,@function
\name: .cfi_startproc
.endm
.macro finish name
.cfi_endproc
.size \name,.-\name
.endm
.macro spin
	mov $300000,%ecx
1:	dec %ecx
	jnz 1b
.endm
.text
begin caller_a
	sub $40,%rsp
	.cfi_adjust_cfa_offset 40
	lea fake_on(%rip),%rax
	mov %rax,24(%rsp)
	movq $0,32(%rsp)
	call *%rdi
	add $40,%rsp
	.cfi_adjust_cfa_offset -40
	ret
finish caller_a
begin fake
	sub $8,%rsp
	.cfi_adjust_cfa_offset 8
	call fake
fake_on:
	add $8,%rsp
	.cfi_adjust_cfa_offset -8
	ret
finish fake
begin fake_deep
	sub $48,%rsp
	.cfi_adjust_cfa_offset 48
	call fake
fake_deep_on:
	add $48,%rsp
	.cfi_adjust_cfa_offset -48
	ret
finish fake_deep

/* No trap. */
begin plain
	spin
	ret
finish plain

/* The frame is found by rbx, which the leaf keeps in the red zone after it gave its frame back. */
.macro by_rbx name leaf
begin \name
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx,0
	mov %rsp,%rbx
	.cfi_def_cfa_register rbx
	call \leaf
	pop %rbx
	.cfi_def_cfa rsp,8
	.cfi_restore rbx
	ret
finish \name
.endm
begin red_leaf
	sub $24,%rsp
	.cfi_adjust_cfa_offset 24
	mov %rbx,8(%rsp)
	.cfi_rel_offset rbx,8
	add $24,%rsp
	.cfi_adjust_cfa_offset -24
	lea 32(%rbx),%rbx
	spin
	mov -16(%rsp),%rbx
	.cfi_restore rbx
	ret
finish red_leaf
by_rbx red red_leaf
/* The place of rbx is given by an expression: rsp - 16. */
begin written_leaf
	mov %rbx,-16(%rsp)
	.cfi_escape 0x10,3,2,0x77,0x70
	lea 32(%rbx),%rbx
	spin
	mov -16(%rsp),%rbx
	.cfi_restore rbx
	ret
finish written_leaf
by_rbx written written_leaf
/* rsp - 16 again, while the frame has 8 bytes more. */
begin lower_leaf
	sub $8,%rsp
	.cfi_adjust_cfa_offset 8
	mov %rbx,-16(%rsp)
	.cfi_escape 0x10,3,2,0x77,0x70
	lea 32(%rbx),%rbx
	spin
	mov -16(%rsp),%rbx
	.cfi_restore rbx
	add $8,%rsp
	.cfi_adjust_cfa_offset -8
	ret
finish lower_leaf
by_rbx lower lower_leaf

/* What is returned to is the first instruction of goes_on, as for a frame that was interrupted. */
begin before
	nop
	.cfi_def_cfa_offset 40
	nop
finish before
begin goes_on
	ret
finish goes_on
begin signalled
	.cfi_signal_frame
	spin
	ret
finish signalled
begin interrupted
	lea goes_on(%rip),%rax
	push %rax
	.cfi_adjust_cfa_offset 8
	jmp signalled
finish interrupted

/* Two descriptions: that of covers reaches over covered, which has one of its own. */
begin covers
	nop
	.cfi_def_cfa_offset 40
	nop
.globl covered
.type covered,@function
covered:
	spin
	ret
covered_end:
.size covered,.-covered
finish covers
.section .eh_frame,"a",@progbits
cie:	.long cie_end-cie_id
cie_id:	.long 0
	.byte 1
	.asciz "zR"
	.byte 1,0x78,16,1,0x1b,0x0c,7,8,0x90,1
	.balign 8
cie_end:
	.long fde_end-fde_id
fde_id:	.long fde_id-cie
	.long covered-.
	.long covered_end-covered
	.byte 0
	.balign 8
fde_end:

/* No description, in sections that a linker fills. */
.macro pushes name
.globl \name
.type \name,@function
\name:
	lea fake_deep_on(%rip),%rax
	push %rax
	spin
	pop %rax
	ret
.size \name,.-\name
.endm
.section .plt.got,"ax",@progbits
pushes in_got
.section .plt.sec,"ax",@progbits
pushes in_sec
.section .iplt,"ax",@progbits
pushes in_iplt
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >traps.c <<'PROGRAM'
#include <time.h>
void caller_a(void (*way)(void));
#define WAYS X(plain) X(red) X(written) X(lower) X(interrupted) X(covered) X(in_got) X(in_sec) X(in_iplt)
#define X(name) void name(void);
WAYS
#undef X
static void (*const ways[])(void) = {
#define X(name) name,
	WAYS
};
int main(void)
{
	/* In turns, because a busy host may stop a virtual machine for as long as a way runs in all. */
	for (unsigned turn = 0; turn < 10; turn++)
		for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
			for (clock_t end = clock() + CLOCKS_PER_SEC / 100; clock() < end;)
				caller_a(ways[i]);
	return 0;
}
PROGRAM

# Code in three segments. Their places in the file have another order than their addresses.
cat >segments.S <<'PROGRAM'
.macro function name section depth callee
.section \section,"ax",@progbits
.globl \name
.type \name,@function
\name: .cfi_startproc
	sub $\depth,%rsp
	.cfi_adjust_cfa_offset \depth
	\callee
	add $\depth,%rsp
	.cfi_adjust_cfa_offset -\depth
	ret
	.cfi_endproc
.size \name,.-\name
.endm
.macro spin
	mov $1000000,%ecx
1:	dec %ecx
	jnz 1b
.endm
function near near_text 40 spin
function far far_text 8 spin
function plain .text 8 spin
function caller_a .text 40 "lea fake_on(%rip),%rax; mov %rax,24(%rsp); movq $0,32(%rsp); call *%rdi"
function fake .text 8 "call fake; fake_on:"
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >segments.c <<'PROGRAM'
#include <time.h>
void caller_a(void (*way)(void)), far(void), near(void), plain(void);
int main(int argc, char **argv)
{
	(void)argv;
	for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) {
		caller_a(plain);
		caller_a(argc < 9 ? far : near);
	}
	return 0;
}
PROGRAM
cat >move.py <<'PROGRAM'
"""Of three executable segments, a page each, the second moves to the end of the file, and the third to where the second's address would
be in a file that has the first one's order. Addresses stay as they are."""
import struct
import sys
data = bytearray(open("segments", "rb").read())
at, n = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
headers = [at + 56 * i for i in range(n) if struct.unpack_from("<II", data, at + 56 * i) == (1, 5)]
places = [struct.unpack_from("<QQ", data, header + 8) for header in headers]
print("offsets and addresses:", [tuple(map(hex, place)) for place in places])
if len(places) != 3 or places[1][0] - places[0][0] != places[1][1] - places[0][1] or places[1][0] & 4095 or places[2][0] & 4095:
    sys.exit("another layout")
data += bytes(-len(data) % 4096)
data += data[places[1][0]:places[1][0] + 4096]
size = struct.unpack_from("<Q", data, headers[2] + 32)[0]
data[places[1][0]:places[1][0] + size] = data[places[2][0]:places[2][0] + size]
moved = {places[1][1]: len(data) - 4096, places[2][1]: places[1][0]}
struct.pack_into("<Q", data, headers[1] + 8, moved[places[1][1]])
struct.pack_into("<Q", data, headers[2] + 8, moved[places[2][1]])
sections, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
for header in range(sections, sections + 64 * count, 64):
    address = struct.unpack_from("<Q", data, header + 16)[0]
    if address in moved:
        struct.pack_into("<Q", data, header + 24, moved[address])
open("segments", "wb").write(data)
PROGRAM
cat >judge.py <<'PROGRAM'
"""judge.py PROGRAM FUNCTION CALLER...: of the samples in FUNCTION, how many there are, say that they are whole, and are wrong."""
import json, sys
program, *wanted = sys.argv[1:]
known = proved = wrong = 0
statuses = {}
for line in sys.stdin:
    row = json.loads(line)
    names = [frame.get("function") for frame in row.get("stack", [])]
    if row["process"] != program or not any(name == wanted[0] or (name or "").startswith("fake") for name in names):
        continue
    known += 1
    statuses[row["stack_status"]] = statuses.get(row["stack_status"], 0) + 1
    if row["stack_status"] in ("complete", "completed"):
        proved += 1
        at = names.index(wanted[0]) if wanted[0] in names else 0
        if names[at:at + len(wanted)] != wanted or any((name or "").startswith("fake") for name in names):
            wrong += 1
            if wrong < 3:
                print("#", names, file=sys.stderr)
print(known, proved, wrong, statuses)
PROGRAM
# trap_held LOG PROGRAM FUNCTION CALLER...
trap_held() {
	log=$1
	shift
	wtrace dump "$log" --json -e pmu-profile/sample 2>/dev/null | python3 judge.py "$@" >judged 2>odd
	cat odd
	sed "s/^/# $2: samples, proved, wrong: /" judged
	at_least "$2: samples" "$(cut -d' ' -f1 judged)" 20
	is "$2: whole stacks with other callers" "$(cut -d' ' -f3 judged)" 0
}
# On a busy machine the first session may end before there are tables.
record_with_tables() {
	for _ in 1 2 3 4; do
		record "$@" || return
		wtrace dump traps.etl --json -e pmu-profile/sample 2>/dev/null | python3 judge.py "$(basename "$1")" plain caller_a main >judged 2>odd
		[ "$(cut -d' ' -f2 judged)" = 0 ] || return 0
	done
}
record() { record_at 4000 "$@"; }
# record_at HZ COMMAND...
record_at() {
	rate=$1
	shift
	timeout 60 wtrace record --stackwalk -F "$rate" -o traps.etl --force -- "$@"
}

check 'the traps are built' gcc -O1 -Wl,--no-eh-frame-hdr -o traps traps.c traps.S
check 'the traps are recorded' record_with_tables ./traps
trap_held traps.etl traps plain caller_a main
at_least 'plain: whole stacks' "$(cut -d' ' -f2 judged)" 1
for way in 'red_leaf red' 'written_leaf written' 'lower_leaf lower' 'signalled goes_on' covered in_got in_sec in_iplt; do
	# shellcheck disable=SC2086
	trap_held traps.etl traps $way caller_a main
done

check 'segments are built' gcc -O1 -no-pie -Wl,-z,max-page-size=4096 -Wl,--section-start=near_text=0x403000 \
	-Wl,--section-start=far_text=0x20000000 -o segments segments.c segments.S
check 'a segment moves' python3 move.py
cat out
check 'segments' record_with_tables ./segments
trap_held traps.etl segments far caller_a main

# Stubs that lead to functions chosen at start: in a static program they have a form of their own.
cat >chosen.S <<'PROGRAM'
.macro fakes name depth
.globl \name
.type \name,@function
\name: .cfi_startproc
	sub $\depth,%rsp
	.cfi_adjust_cfa_offset \depth
	call \name
\name\()_on:
	add $\depth,%rsp
	.cfi_adjust_cfa_offset -\depth
	ret
	.cfi_endproc
.size \name,.-\name
.endm
.text
fakes fake_a 32
fakes fake_b 24
.globl calls
.type calls,@function
calls: .cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx,0
	sub $32,%rsp
	.cfi_adjust_cfa_offset 32
	lea fake_a_on(%rip),%rax
	mov %rax,(%rsp)
	lea fake_b_on(%rip),%rax
	mov %rax,8(%rsp)
	mov $100000,%ebx
1:	call chosen
	call chosen_too
	dec %ebx
	jnz 1b
	add $32,%rsp
	.cfi_adjust_cfa_offset -32
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
	.cfi_endproc
.size calls,.-calls
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >chosen.c <<'PROGRAM'
#include <time.h>
static void nothing(void) {}
static void (*choose(void))(void) { return nothing; }
static void (*choose_too(void))(void) { return nothing; }
void chosen(void) __attribute__((ifunc("choose")));
void chosen_too(void) __attribute__((ifunc("choose_too")));
void calls(void);
int main(void)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
		calls();
	return 0;
}
PROGRAM
check 'a static program is built' gcc -O1 -static -o chosen chosen.c chosen.S
check 'chosen' record ./chosen
trap_held traps.etl chosen calls main

# Signals without end: some samples are taken while the kernel has changed the stack pointer and not yet the instruction pointer. In
# the frame that it wrote for the signal rbx lies where the interrupted function's return address would be.
cat >signals.S <<'PROGRAM'
.text
.globl raises
.type raises,@function
raises: .cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx,0
	sub $128,%rsp
	.cfi_adjust_cfa_offset 128
	lea fake_on(%rip),%rbx
	mov $10,%edx
	mov $234,%eax
	syscall
	add $128,%rsp
	.cfi_adjust_cfa_offset -128
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
	.cfi_endproc
.size raises,.-raises
.globl fake
.type fake,@function
fake: .cfi_startproc
	.cfi_undefined rip
	call fake
fake_on:
	hlt
	.cfi_endproc
.size fake,.-fake
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >signals.c <<'PROGRAM'
#include <signal.h>
#include <time.h>
#include <unistd.h>
void raises(int pid, int tid);
static void on_signal(int number) { (void)number; }
int main(void)
{
	signal(SIGUSR1, on_signal);
	for (clock_t end = clock() + 2 * CLOCKS_PER_SEC; clock() < end;)
		for (int i = 0; i < 1000; i++)
			raises(getpid(), getpid());
	return 0;
}
PROGRAM
check 'signals are built' gcc -O1 -o signals signals.c signals.S
check 'signals' record_at 8000 ./signals
trap_held traps.etl signals raises main

# Two images on one loop device, one after the other: the files agree in device, inode, size and times. Work is called by mid, mid by
# run; by the large one's table mid is missing.
cat >place.S <<'PROGRAM'
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
passes_on mid work
.type work,@function
work: .cfi_startproc
#ifdef LARGE
	sub $16,%rsp
	.cfi_def_cfa_offset 24
#else
	nopl 0(%rax)
#endif
	mov $300000,%ecx
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
cat >place.c <<'PROGRAM'
#include <time.h>
void run(void);
int main(void)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
		run();
	return 0;
}
PROGRAM
cat >other.py <<'PROGRAM'
"""other.py IMAGE OLD NEW: in the image each block of the file OLD becomes that of NEW."""
import sys
image, old, new = (bytearray(open(path, "rb").read()) for path in sys.argv[1:])
for at in range(0, len(old), 1024):
    if old[at:at + 1024] != new[at:at + 1024]:
        here = image.find(old[at:at + 1024])
        assert len(old) == len(new) and here >= 0 and here % 1024 == 0
        image[here:here + len(new[at:at + 1024])] = new[at:at + 1024]
open(sys.argv[1], "wb").write(image)
PROGRAM
mkdir files place
attach() { losetup "$device" "$1" && mount -o ro "$device" place; }
detach() { umount place && losetup -d "$device"; }
for id in none sha1; do
	check "$id: large" gcc -O1 -DLARGE -Wl,--build-id=$id -o large place.c place.S
	check "$id: small" gcc -O1 -Wl,--build-id=$id -o small place.c place.S
	cp large files/prog
	rm -f first.img second.img
	check "$id: an image" mkfs.ext4 -q -b 1024 -d files first.img 4M
	cp first.img second.img
	check "$id: another" python3 other.py second.img large small
	device=$(losetup -f) && attach first.img 2>err || { skip "$id: images in turn" 'nothing can be mounted here'; continue; }
	stat -c '# %d %i %s %Z' place/prog
	check "$id: the first" record ./place/prog
	check "$id: the first goes" detach
	check "$id: the second comes" attach second.img
	stat -c '# %d %i %s %Z' place/prog
	check "$id: it is another file" cmp -s place/prog small
	check "$id: the second" record ./place/prog
	detach
	trap_held traps.etl prog work mid run main
done

# Registers that the kernel is changing. While a handler returns, r12 may still be the handler's, and the frame of by_r12 is found by it.
# While a program begins another, its registers lead into the other's stack, which its environment has filled.
cat >late.S <<'PROGRAM'
.macro begin name
.globl \name
.type \name,@function
\name: .cfi_startproc
.endm
.macro finish name
.cfi_endproc
.size \name,.-\name
.endm
.macro fakes name depth
begin \name
	sub $\depth,%rsp
	.cfi_adjust_cfa_offset \depth
	call \name
\name\()_on:
	add $\depth,%rsp
	.cfi_adjust_cfa_offset -\depth
	ret
finish \name
.endm
.text
fakes fake_a 8
fakes fake_b 64
begin caller_a
	sub $40,%rsp
	.cfi_adjust_cfa_offset 40
	lea fake_a_on(%rip),%rax
	mov %rax,24(%rsp)
	movq $0,32(%rsp)
	call by_r12
	add $40,%rsp
	.cfi_adjust_cfa_offset -40
	ret
finish caller_a
begin by_r12
	push %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12,0
	mov %rsp,%r12
	.cfi_def_cfa_register r12
	sub $16,%rsp
	lea fake_b_on(%rip),%rax
	mov %rax,(%rsp)
	movl $20000,left(%rip)
1:	mov pid(%rip),%edi
	mov pid(%rip),%esi
	mov $10,%edx
	mov $234,%eax
	syscall
	decl left(%rip)
	jnz 1b
	add $16,%rsp
	pop %r12
	.cfi_def_cfa rsp,8
	.cfi_restore r12
	ret
finish by_r12
begin handler
	add $32,%r12
	ret
finish handler
.globl pid
.data
left: .long 0
pid: .long 0
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >late.c <<'PROGRAM'
#include <signal.h>
#include <time.h>
#include <unistd.h>
extern int pid;
void caller_a(void), handler(int);
int main(void)
{
	clock_t end = clock() + 2 * CLOCKS_PER_SEC;
	struct sigaction a = {.sa_handler = handler};
	pid = getpid();
	sigaction(10, &a, NULL);
	while (clock() < end)
		caller_a();
	return 0;
}
PROGRAM
cat >again.S <<'PROGRAM'
.macro begin name
.globl \name
.type \name,@function
\name: .cfi_startproc
.endm
.macro finish name
.cfi_endproc
.size \name,.-\name
.endm
.text
begin fake
	nop
	call fake
.globl fake_on
fake_on:
	nop
	ret
finish fake
begin fake_start
	.cfi_undefined rip
	nop
	call fake
.globl fake_start_on
fake_start_on:
	hlt
finish fake_start
begin execs
	mov $59,%eax
	syscall
	ret
finish execs
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >again.c <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <stdint.h>
extern char fake_on[], fake_start_on[];
long execs(const char *path, char **argv, char **envp);
static char pool[64 << 10];
__attribute__((noinline)) static long caller_a(const char *p, char **a, char **e) { long r = execs(p, a, e); return r + 1; }
int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 0, big = argc > 2 ? atoi(argv[2]) : 0, n = 0;
	static char *envp[200000], count[16], size[2] = "0", pad[16];
	char *args[] = {"again", count, size, pad, NULL};
	if (argc < 4) personality(ADDR_NO_RANDOMIZE);
	if (left <= 0) return 0;
	sprintf(count, "%d", left - 1);
	memset(pad, 'p', left / 2 % 8 + 1);
	if (!big) {
		uint64_t *w = (uint64_t *)pool; size_t words = sizeof(pool) / 8;
		for (size_t i = 0; i < words; i++) w[i] = (uint64_t)(uintptr_t)(i % 64 == 63 ? fake_start_on : fake_on);
		for (char *p = pool; p < pool + sizeof(pool) - 8;) { envp[n++] = p; p += strlen(p) + 1; }
		size[0] = '1';
	}
	return (int)caller_a("./again", args, envp);
}
PROGRAM
cat >never.py <<'PROGRAM'
"""never.py PROGRAM: the samples of the program, those that say they are whole, and of these those that name what never ran."""
import json, sys
samples = proved = wrong = 0
for line in sys.stdin:
    row = json.loads(line)
    if row["process"] != sys.argv[1]:
        continue
    names = [frame.get("function") or "" for frame in row.get("stack", [])]
    samples += 1
    if row["stack_status"] in ("complete", "completed"):
        proved += 1
        wrong += any(name.startswith("fake") for name in names)
print(samples, proved, wrong)
PROGRAM
bpf=$(wtrace doctor --json | python3 -c 'import json, sys; print([c["state"] for c in json.load(sys.stdin)["checks"] if c["name"] == "BPF"][0])')
check 'late is built' gcc -O1 -o late late.c late.S
check 'again is built' gcc -O1 -static -no-pie -o again again.c again.S
for program in late 'again 600'; do
	rate=4000
	[ "$program" != late ] || rate=20000
	[ "$bpf" = ok ] || { skip "$program" 'without BPF nothing tells of it'; continue; }
	# shellcheck disable=SC2086
	check "$program" timeout 60 wtrace record --stackwalk -F $rate -o traps.etl --force -- ./$program
	wtrace dump traps.etl --json -e pmu-profile/sample 2>/dev/null | python3 never.py "${program%% *}" >judged
	sed "s/^/# $program: samples, proved, wrong: /" judged
	at_least "$program: samples" "$(cut -d' ' -f1 judged)" 200
	is "$program: whole stacks that name what never ran" "$(cut -d' ' -f3 judged)" 0
done
done_testing
