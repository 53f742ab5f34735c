/* SPDX-License-Identifier: MIT */
/* Programs of many kinds, for tests/attack/matrix.py: PROGRAM KIND CASE [SANDBOX] [late]. What they print is
 * the same without the library (WT_WITHOUT), with it, and traced. How many events they wrote, and whether the
 * library let them register, they leave in a page of the file that is open as COUNT_FD.
 *
 * "told": the library is told of the sandbox before (SANDBOX-told).
 * late: waits, registered and in its sandbox, for a byte on standard input.
 */
#ifndef TESTS_PROGRAMS_KINDS_KIND_H
#define TESTS_PROGRAMS_KINDS_KIND_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/kinds/sandbox.h"

#ifndef WT_WITHOUT
#include "providers/sdk/wtrace.h"
#endif

struct kind {
	const char *name;
	int (*run)(void);
	const char *before; /* "register" when the program does so itself; else NULL */
};

/* The last one has no name. */
extern const struct kind wt_kinds[];

enum { COUNT_FD = 200 };

struct kind_counts {
	uint64_t produced; /* events written, as far as the program knows */
	uint32_t linked, registered, ready, unused;
	char why[256];
};

static struct kind_counts kind_nothing, *kind_counts = &kind_nothing;
static unsigned kind_case;

/* To standard output, whatever has become of stdio. */
static __attribute__((format(printf, 1, 2), unused)) void say(const char *format, ...)
{
	char text[256];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (write(1, text, (size_t)n) != n)
		_exit(91);
}

#ifdef WT_WITHOUT
static __attribute__((unused)) void kind_register(void)
{
}

static void tell(const char *sandbox)
{
	(void)sandbox;
}

static __attribute__((unused)) void tick(unsigned n)
{
	(void)n;
	__atomic_fetch_add(&kind_counts->produced, 1, __ATOMIC_RELAXED);
}
#else
static struct wtrace_provider kind_provider = WTRACE_PROVIDER_INIT(kind_provider, "sdk-kinds");

static __attribute__((unused)) void kind_register(void)
{
	const char *why;

	kind_counts->linked = 1;
	kind_counts->registered = !wtrace_register(&kind_provider);
	why = wtrace_why(&kind_provider);
	snprintf(kind_counts->why, sizeof(kind_counts->why), "%s", why ? why : "");
}

static void tell(const char *sandbox)
{
	wtrace_forbid(!strcmp(sandbox, "tsc")    ? WTRACE_NO_CLOCK
		      : !strcmp(sandbox, "kill") ? WTRACE_NO_CALLS
						 : WTRACE_NO_CALLS | WTRACE_NO_CLOCK);
}

static __attribute__((unused)) void tick(unsigned n)
{
	__atomic_fetch_add(&kind_counts->produced, 1, __ATOMIC_RELAXED);
	wtrace_event(&kind_provider, "tick", WTRACE_INFO, 0x1, wtrace_u32("case", kind_case),
		     wtrace_u32("n", n));
}
#endif

static __attribute__((unused)) void ticks(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		tick(i);
}

/* A thread with a stack of that many KiB; 0, or what pthread_create said. Ends when the thread has. */
static __attribute__((unused)) int in_thread(void *(*run)(void *), void *argument, size_t kilobytes)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int failed;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, kilobytes << 10);
	failed = pthread_create(&thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	return failed ? failed : pthread_join(thread, NULL);
}

static __attribute__((unused)) void *ten_ticks(void *unused)
{
	(void)unused;
	ticks(10);
	return NULL;
}

/* The child's exit code, or 1000 + the signal that ended it. */
static __attribute__((unused)) int end_of(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void kind_map(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, COUNT_FD, 0);

	if (page != MAP_FAILED)
		kind_counts = page;
	close(COUNT_FD);
}

int main(int argc, char **argv)
{
	const struct kind *kind = wt_kinds;
	char *sandbox = argc > 3 ? argv[3] : "none", *told;
	int code;
	char byte;

	while (argc > 2 && kind->name && strcmp(kind->name, argv[1]) != 0)
		kind++;
	if (argc < 3 || !kind->name) {
		for (kind = wt_kinds; kind->name; kind++)
			printf("%s\n", kind->name);
		return argc == 1 ? 0 : 2;
	}
	kind_case = (unsigned)strtoul(argv[2], NULL, 10);
	kind_map();
	if (!kind->before)
		kind_register();
	told = strstr(sandbox, "-told");
	if (told) {
		*told = 0;
		tell(sandbox);
	}
	if (sandbox_enter(sandbox)) {
		say("no sandbox %s\n", sandbox);
		return 3;
	}
	kind_counts->ready = 1;
	if (argc > 4 && read(0, &byte, 1) != 1)
		sandbox_exit(sandbox, 4);
	code = kind->run();
	say("%s done\n", kind->name);
	sandbox_exit(sandbox, code);
	return code;
}

#endif
