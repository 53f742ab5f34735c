// SPDX-License-Identifier: MIT
/*
 * Two processes, of one memory or of two, that map text for one another.
 *
 *   sharing shared|own A.so B.so OFFSET [wait]
 *
 * OFFSET is that of the function in the second page of each library. The thread's name says what is run:
 * "before" A, before there is a child; "theirs" B, where the child has mapped it; "moved" what lies in A's
 * place since the child has mapped B there: B, or with a memory of one's own still A; "child" A, that the
 * parent has put in B's place, or with memories of their own still B. With "wait" it says when the child is
 * there, and goes on when it may read.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 4096, STACK = 256 << 10 };

static atomic_int *turn;
static int a, b;
static char *place, *more;
static long start;

static void wait_for(int wanted)
{
	struct timespec moment = {.tv_nsec = 1000000};

	while (atomic_load(turn) != wanted)
		nanosleep(&moment, NULL);
}

/* The text of a library alone: one page of it, position-independent. */
static void *map_text(int file, void *at)
{
	return mmap(at, TEXT, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), file, TEXT);
}

static void run_for(const char *name, char *text)
{
	struct timespec t;
	long end = 0, now;

	prctl(PR_SET_NAME, name);
	do {
		((void (*)(void))(text + start))();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		now = t.tv_sec * 1000 + t.tv_nsec / 1000000;
		end = end ? end : now + 250;
	} while (now < end);
	prctl(PR_SET_NAME, "between");
}

/* In the child: maps, and lets the parent run it. */
static int child(void *nothing)
{
	(void)nothing;
	wait_for(1);
	more = map_text(b, NULL);
	atomic_store(turn, 2);
	wait_for(3);
	map_text(b, place);
	atomic_store(turn, 4);
	wait_for(5);
	run_for("child", more);
	atomic_store(turn, 6);
	return 0;
}

static int parent(bool shared)
{
	atomic_store(turn, 1);
	wait_for(2);
	if (shared)
		run_for("theirs", more);
	else
		more = map_text(a, NULL);
	atomic_store(turn, 3);
	wait_for(4);
	run_for("moved", place);
	/* And the other way round. */
	map_text(a, more);
	atomic_store(turn, 5);
	wait_for(6);
	return 0;
}

int main(int argc, char **argv)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool shared = argc > 1 && !strcmp(argv[1], "shared");
	char line[8];
	int status;
	pid_t pid;

	if (argc < 5 || (a = open(argv[2], O_RDONLY)) < 0 || (b = open(argv[3], O_RDONLY)) < 0)
		return 2;
	turn = mmap(NULL, TEXT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	start = strtol(argv[4], NULL, 0);
	place = map_text(a, NULL);
	run_for("before", place);
	pid = clone(child, stack + STACK, (shared ? CLONE_VM : 0) | SIGCHLD, NULL);
	if (pid < 0)
		return 1;
	if (argc > 5 && (puts("there"), fflush(stdout), !fgets(line, sizeof(line), stdin)))
		return 1;
	return parent(shared) || waitpid(pid, &status, 0) != pid || status;
}
