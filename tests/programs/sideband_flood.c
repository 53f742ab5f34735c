// SPDX-License-Identifier: MIT
/* Tells the kernel the same thing again and again, as fast as it can: for tests of sessions that hear it.
 *
 *	sideband_flood names|maps|protects|moves|writes TIMES
 *
 * names: its thread's name; maps: a page of its own file as code, mapped and unmapped; protects: the same
 * page made unexecutable and code again; moves: the same page moved to and fro; writes: a byte of it, through
 * /proc/self/mem. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static int file;
static void *page;

static int name_it(void)
{
	static unsigned n;
	char name[16];

	snprintf(name, sizeof(name), "flood-%u", n++ & 0xffff);
	return prctl(PR_SET_NAME, name);
}

static void *map(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
}

static int map_it(void)
{
	void *at = map();

	return at == MAP_FAILED || munmap(at, 4096);
}

static int protect_it(void)
{
	return mprotect(page, 4096, PROT_READ) || mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static int move_it(void)
{
	static unsigned char *places;
	static unsigned n;

	if (!places)
		places = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page = mremap(page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, places + 4096UL * (n++ & 1));
	return page == MAP_FAILED;
}

static int write_it(void)
{
	static int memory;

	if (!memory)
		memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	return pwrite(memory, "", 1, (off_t)(uintptr_t)page) != 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*fn)(void);
	} ways[] = {{"names", name_it},
		    {"maps", map_it},
		    {"protects", protect_it},
		    {"moves", move_it},
		    {"writes", write_it}};
	unsigned long long times = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };
	size_t way = 0;

	while (argc == 3 && way < N_WAYS && strcmp(ways[way].name, argv[1]))
		way++;
	if (argc != 3 || way == N_WAYS)
		return 2;
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	page = map();
	if (file < 0 || page == MAP_FAILED)
		return 1;
	while (times--)
		if (ways[way].fn())
			return 1;
	return 0;
}
