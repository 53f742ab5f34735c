/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A program that puts other code in the place of a file's, for tests of names and stacks.
 *
 *   rewrites FILE OFFSET NOISE MS [gone|once|away|moved|clean]
 *
 * With "- -" the file is the program's own, and the text a function of it, other_code.
 * Maps the page of FILE's text at OFFSET NOISE times; then maps it to be written to, puts code of its own
 * there, takes the right to write back, makes it executable, and runs it for MS. `gone`: the file is mapped
 * executable first, and a child does all that and is gone at once. `once`: the same, but the child maps the
 * file to be written to first, so that it becomes executable only once. `moved`: as `once`, and the memory is
 * moved to another address before it becomes executable. `away`: the code is
 * unmapped when it has run, and the process lives on for a while. `clean`: nothing is written, the
 * file's own code runs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/programs/other_code.h"

extern HIDDEN const char __executable_start[];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void run(char *code, double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		for (int i = 0; i < 1000; i++)
			(*(spin_fn *)(void *)code)(100);
}

static char *move(char *at, size_t size)
{
	char *to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	at = to == MAP_FAILED ? MAP_FAILED : mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (at == MAP_FAILED)
		die("mremap");
	return at;
}

static void rewrite(char *at, size_t size, size_t offset, double seconds, int moved)
{
	if (mprotect(at, size, PROT_READ | PROT_WRITE))
		die("mprotect");
	memcpy(at + offset, other_code, (size_t)(other_code_end - other_code));
	if (moved)
		at = move(at, size);
	if (mprotect(at, size, PROT_READ | PROT_EXEC))
		die("mprotect");
	__builtin___clear_cache(at + offset, at + offset + 64);
	run(at + offset, seconds);
}

int main(int argc, char **argv)
{
	int moved = argc > 5 && !strcmp(argv[5], "moved"),
	    once = moved || (argc > 5 && !strcmp(argv[5], "once")),
	    gone = argc > 5 && !strcmp(argv[5], "gone"), away = argc > 5 && !strcmp(argv[5], "away"),
	    clean = argc > 5 && !gone && !once && !away, own = argc > 4 && !strcmp(argv[1], "-"),
	    fd = argc > 4 ? open(own ? "/proc/self/exe" : argv[1], O_RDONLY | O_CLOEXEC) : -1;
	size_t offset = own        ? (size_t)(other_code - __executable_start)
			: argc > 4 ? strtoul(argv[2], NULL, 0)
				   : 0;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	off_t page = (off_t)(offset / size * size);
	char *at;

	if (fd < 0)
		die("usage: rewrites FILE OFFSET NOISE MS [gone|once|away|moved|clean]");
	for (long i = strtol(argv[3], NULL, 10); i > 0; i--)
		if (mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, page) == MAP_FAILED)
			die("mmap");
	at = mmap(NULL, size, gone || clean ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
		  page);
	if (at == MAP_FAILED)
		die("mmap");
	if ((gone || once) && fork()) {
		wait(NULL);
		return 0;
	}
	if (clean)
		run(at + offset % size, strtod(argv[4], NULL) / 1000);
	else
		rewrite(at, size, offset % size, strtod(argv[4], NULL) / 1000, moved);
	if (away && !munmap(at, size))
		nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
	return 0;
}
