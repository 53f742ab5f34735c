/* SPDX-License-Identifier: MIT */
/* A program with generated code, as runtimes make it: generate MODE MILLISECONDS. A stack is
 *
 *	main > run_generation > code at OUTER > between > code at INNER > spin_K
 *
 * whose pieces of code are CPython's trampolines: they keep no frame pointer, and they call what they are
 * given. What spin_K's caller is called, as the program tells, ends in _K; so each sample holds the truth
 * beside the name.
 *
 * Modes:
 *	map    perf-PID.map in /tmp: a place for each K (own_K), and one where all K take turns (shared_K)
 *	again  perf-PID.map, which is written anew for each of the K, who take turns at one place (again_K)
 *	swap   perf-PID.map, which is there at the end only, and names own_K after another K
 *	dump   jit-PID.dump, written before the code runs: places as above, one where all K take turns
 *	       (turn_K); and `outer` moves to and fro between two places
 *	late   as dump, but all records are written at the end
 *	unwind as dump, of code that no walker knows: only the dump says how its stack is walked
 *	silent as unwind, but the dump does not say it
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 4, PLACE = 64, OUTER = 16, ELSEWHERE = 17, INNER = 18, TURN = 20000000 };

static const uint8_t cpython[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};
/* push %rbp; xor %ebp,%ebp; sub $32,%rsp; call *%rcx; add $32,%rsp; pop %rbp; ret: known to nobody, and what
 * frame pointers lead through ends here. */
static const uint8_t unknown[] = {0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 0x20, 0xff,
				  0xd1, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3};
static const uint8_t *trampoline = cpython;
static size_t trampoline_size = sizeof(cpython);
static bool tells_unwinding;

/* How the stack is walked through `unknown`, as it lies 16 bytes before this: .eh_frame, then .eh_frame_hdr.
 */
static const uint8_t unwinding[] = {
	/* CIE: "zR", code in bytes, data in -8, return address 16, addresses from here; CFA is rsp + 8, ra at
	   -8 */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	/* FDE, 15 bytes of code that begin 48 bytes before their address here */
	32, 0, 0, 0, 28, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, 15, 0, 0, 0, 0,
	/* 1: + 16, rbp at -16; 7: + 48; 13: + 16; 14: + 8, rbp as it is */
	0x41, 0x0e, 16, 0x86, 2, 0x46, 0x0e, 48, 0x46, 0x0e, 16, 0x41, 0x0e, 8, 0xc6, 0, 0, 0, 0,
	/* the end, and the header, which nobody needs for a table of one */
	0, 0, 0, 0, 1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
enum { HEADER = 20 };

/* It calls its fourth argument with the others. */
typedef void code_fn(uint64_t a, uint64_t b, uint64_t c, void *what);

static uint8_t *memory;
static FILE *map, *dump;
static uint64_t n_codes;
static volatile uint64_t sink;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#define SPIN(k)                                                                 \
	__attribute__((noinline, noclone)) static void spin_##k(uint64_t until) \
	{                                                                       \
		while (now() < until)                                           \
			for (uint64_t i = 0; i < 1000 + (k); i++)               \
				sink += i * ((k) + 3);                          \
		sink++;                                                         \
	}
SPIN(0)
SPIN(1)
SPIN(2)
SPIN(3)

static code_fn *code_at(uint32_t place)
{
	code_fn *code;
	void *address = memory + place * PLACE;

	memcpy(&code, &address, sizeof(code));
	return code;
}

static uint64_t address_of(uint32_t place)
{
	return (uint64_t)(uintptr_t)(memory + place * PLACE);
}

/* ---- what it tells ---- */

static void put(const void *bytes, size_t n)
{
	fwrite(bytes, 1, n, dump);
}

static void put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void put64(uint64_t v)
{
	put(&v, sizeof(v));
}

static void begin_record(uint32_t id, size_t size)
{
	put32(id);
	put32((uint32_t)size + 16);
	put64(now());
}

static void put_task(void)
{
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
}

static void tell_line(uint32_t place, uint32_t line)
{
	static const char file[] = "generated.src";

	begin_record(2, 16 + 16 + sizeof(file));
	put64(address_of(place));
	put64(1);
	put64(address_of(place));
	put32(line);
	put32(0);
	put(file, sizeof(file));
}

static void tell_unwinding(void)
{
	begin_record(4, 24 + sizeof(unwinding));
	put64(sizeof(unwinding));
	put64(HEADER);
	put64(sizeof(unwinding));
	put(unwinding, sizeof(unwinding));
}

static void tell_load(uint32_t place, const char *name, uint32_t line)
{
	size_t len = strlen(name) + 1;

	if (map)
		fprintf(map, "%llx %zx %s\n", (unsigned long long)address_of(place), trampoline_size, name);
	if (!dump)
		return;
	tell_line(place, line);
	if (tells_unwinding)
		tell_unwinding();
	begin_record(0, 40 + len + trampoline_size);
	put_task();
	put64(address_of(place));
	put64(address_of(place));
	put64(trampoline_size);
	put64(++n_codes);
	put(name, len);
	put(trampoline, trampoline_size);
}

static void tell_move(uint32_t from, uint32_t to, uint64_t index)
{
	if (!dump)
		return;
	begin_record(1, 48);
	put_task();
	put64(address_of(to));
	put64(address_of(from));
	put64(address_of(to));
	put64(trampoline_size);
	put64(index);
}

static void begin_dump(bool late)
{
	static char buffer[16 << 20];
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	dump = fopen(path, "w+");
	if (!dump)
		exit(1);
	setvbuf(dump, late ? buffer : NULL, late ? _IOFBF : _IONBF, late ? sizeof(buffer) : 0);
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(62);
	put32(0);
	put32((uint32_t)getpid());
	put64(now());
	put64(0);
	/* So that others learn of it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		exit(1);
}

static void begin_map(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
}

/* ---- what it does ---- */

struct turn {
	uint32_t inner;
	int k;
};

__attribute__((noinline)) static void between(const struct turn *turn)
{
	static void (*const spins[KINDS])(uint64_t) = {spin_0, spin_1, spin_2, spin_3};
	void *spin;

	memcpy(&spin, &spins[turn->k], sizeof(spin));
	code_at(turn->inner)(now() + TURN, 0, 0, spin);
	sink++;
}

__attribute__((noinline)) static void run_generation(uint32_t outer, const struct turn *turn)
{
	void (*what)(const struct turn *) = between;
	void *to;

	memcpy(&to, &what, sizeof(to));
	code_at(outer)((uint64_t)(uintptr_t)turn, 0, 0, to);
	sink++;
}

/* The map is there before its code runs, by stamps as coarse as file systems have; and stays as it is until
 * the end. */
static void settle(void)
{
	static char buffer[1 << 20];
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	fclose(map);
	map = fopen(path, "a");
	if (!map)
		exit(1);
	setvbuf(map, buffer, _IOFBF, sizeof(buffer));
	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static void run(uint64_t end)
{
	const char *taking_turns = map ? "shared" : "turn";
	uint32_t outer = OUTER;
	uint64_t outer_index;
	char name[32];

	tell_load(outer, "outer", 1);
	outer_index = n_codes;
	for (int k = 0; k < KINDS; k++) {
		snprintf(name, sizeof(name), "own_%d", k);
		tell_load((uint32_t)k, name, 10 + (uint32_t)k);
	}
	if (map)
		settle();
	for (int i = 0; now() < end; i++) {
		struct turn turn = {.inner = i % 8 < 4 ? (uint32_t)i % 4 : INNER, .k = i % KINDS};
		uint32_t to = outer == OUTER ? ELSEWHERE : OUTER;

		if (turn.inner == INNER) {
			snprintf(name, sizeof(name), "%s_%d", taking_turns, turn.k);
			tell_load(INNER, name, 100 + (uint32_t)turn.k);
		}
		if (dump && i % 3 == 2) {
			tell_move(outer, to, outer_index);
			outer = to;
		}
		run_generation(outer, &turn);
	}
}

enum { AGAIN = 600000000 };

/* Nothing of what it told before is in the map any more. */
static void run_again(uint64_t end)
{
	char name[32];

	for (int k = 0; now() < end; k = (k + 1) % KINDS) {
		uint64_t next = now() + AGAIN;
		struct turn turn = {.inner = INNER, .k = k};

		fclose(map);
		begin_map();
		tell_load(OUTER, "outer", 1);
		snprintf(name, sizeof(name), "again_%d", k);
		tell_load(INNER, name, 0);
		fflush(map);
		while (now() < next)
			run_generation(OUTER, &turn);
	}
}

/* It may have told something else before, and nobody would know. */
static void tell_lies(void)
{
	char name[32];

	begin_map();
	for (int k = 0; k < KINDS; k++) {
		snprintf(name, sizeof(name), "own_%d", (k + 1) % KINDS);
		tell_load((uint32_t)k, name, 0);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "map";
	char *end = NULL;
	uint64_t ms = argc > 2 ? strtoull(argv[2], &end, 10) : 1000;

	if (end && (*end || !ms))
		return 2;
	tells_unwinding = !strcmp(mode, "unwind");
	if (tells_unwinding || !strcmp(mode, "silent")) {
		trampoline = unknown;
		trampoline_size = sizeof(unknown);
	}
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (uint32_t place = 0; place < 4096 / PLACE; place++)
		memcpy(memory + place * PLACE, trampoline, trampoline_size);
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 1;
	if (!strcmp(mode, "map") || !strcmp(mode, "again"))
		begin_map();
	else if (strcmp(mode, "swap"))
		begin_dump(!strcmp(mode, "late"));
	if (!strcmp(mode, "again"))
		run_again(now() + ms * 1000000);
	else
		run(now() + ms * 1000000);
	if (!strcmp(mode, "swap"))
		tell_lies();
	if (map)
		fclose(map);
	if (dump)
		fclose(dump);
	printf("%d\n", (int)getpid());
	return 0;
}
