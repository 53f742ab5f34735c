/* SPDX-License-Identifier: MIT */
/* A program with generated code, as runtimes make it: generate map|again|dump|late MILLISECONDS. A stack is
 *
 *	main > run_generation > code at OUTER > between > code at INNER > spin_K
 *
 * whose pieces of code are CPython's trampolines: they keep no frame pointer, and they call what they are
 *given. What spin_K's caller is called, as the program tells, ends in _K; so each sample holds the truth
 *beside the name.
 *
 *	again perf-PID.map as below, which is written anew for each of the K, who take turns at one place
 *(again_K) map   perf-PID.map in /tmp: a place for each K (own_K), and one where all K take turns (shared_K)
 *	dump  jit-PID.dump, written before the code runs: places as above, one where all K take turns
 *(turn_K); and `outer` moves to and fro between two places late  the same, but all records are written at the
 *end */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 4, PLACE = 64, OUTER = 16, ELSEWHERE = 17, INNER = 18, TURN = 20000000 };

static const uint8_t trampoline[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};

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

static void tell_load(uint32_t place, const char *name, uint32_t line)
{
	size_t len = strlen(name) + 1;

	if (map)
		fprintf(map, "%llx %zx %s\n", (unsigned long long)address_of(place), sizeof(trampoline),
			name);
	if (!dump)
		return;
	tell_line(place, line);
	begin_record(0, 40 + len + sizeof(trampoline));
	put_task();
	put64(address_of(place));
	put64(address_of(place));
	put64(sizeof(trampoline));
	put64(++n_codes);
	put(name, len);
	put(trampoline, sizeof(trampoline));
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
	put64(sizeof(trampoline));
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

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "map";
	char *end = NULL;
	uint64_t ms = argc > 2 ? strtoull(argv[2], &end, 10) : 1000;

	if (end && (*end || !ms))
		return 2;
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (uint32_t place = 0; place < 4096 / PLACE; place++)
		memcpy(memory + place * PLACE, trampoline, sizeof(trampoline));
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 1;
	if (!strcmp(mode, "map") || !strcmp(mode, "again"))
		begin_map();
	else
		begin_dump(!strcmp(mode, "late"));
	if (!strcmp(mode, "again"))
		run_again(now() + ms * 1000000);
	else
		run(now() + ms * 1000000);
	if (map)
		fclose(map);
	if (dump)
		fclose(dump);
	printf("%d\n", (int)getpid());
	return 0;
}
