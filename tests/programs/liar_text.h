/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A page of a file's text, and memory with a program's own code that runs in its place: what all ways of
 * text_liar.c begin and end with.
 */
#ifndef TESTS_PROGRAMS_LIAR_TEXT_H
#define TESTS_PROGRAMS_LIAR_TEXT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/programs/other_code.h"

#define RX     (PROT_READ | PROT_EXEC)
#define RW     (PROT_READ | PROT_WRITE)
#define NO_WAY 77

static size_t page, inside, code_size;
static off_t at_page;
static int file;
static double seconds;

static void refused(const char *what)
{
	fprintf(stderr, "text_liar: %s: %s\n", what, strerror(errno));
	exit(NO_WAY);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run(char *at)
{
	double end = now() + seconds;

	__builtin___clear_cache(at + inside, at + inside + code_size);
	while (now() < end)
		for (int i = 0; i < 1000; i++)
			(*(spin_fn *)(void *)(at + inside))(100);
}

static char *map(void *where, int rights, int flags, int fd)
{
	char *ret = mmap(where, page, rights, flags, fd, fd < 0 ? 0 : at_page);

	if (ret == MAP_FAILED)
		refused("mmap");
	return ret;
}

static char *text(void)
{
	return map(NULL, RX, MAP_PRIVATE, file);
}

static void set_rights(char *at, int rights)
{
	if (mprotect(at, page, rights))
		refused("mprotect");
}

static void put_code(char *at)
{
	memcpy(at + inside, other_code, code_size);
}

static void rewrite(char *at)
{
	set_rights(at, RW);
	put_code(at);
	set_rights(at, RX);
}

/* Memory of nobody with the code. */
static char *own(void)
{
	char *ret = map(NULL, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	put_code(ret);
	set_rights(ret, RX);
	return ret;
}

#endif
