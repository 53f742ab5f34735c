/* SPDX-License-Identifier: MIT */
/* What walks cost here, as JSON:
 *
 *   bench PROGRAM [ARGUMENT...]   of dumps taken of that program, without a cache of rules and with one
 *   bench                         of the own stack, against frame pointers
 *
 * Other work on the machine can only add: the median of many rounds, and the best. tests/bench/walk.py has
 * perf beside it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/stackwalk/target.h"
#include "tracecore/base/clock.h"

enum { ROUNDS = 7, DUMPS = 200, DUMP_SIZE = 32768, FRAMES = 16 };

static const char *separator = "";

/* ---- dumps ---- */

static struct dump {
	struct wt_walk_regs regs;
	uint8_t *bytes;
	size_t size;
} dumps[DUMPS];

static struct target target;

enum cached { WITHOUT_CACHE, WITH_CACHE };

/* Stops a child at many moments and keeps what a sample holds: registers and the top of the stack. */
static unsigned record_dumps(char **argv)
{
	pid_t pid = fork();
	unsigned n = 0;
	int status;

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(null, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	usleep(400000);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)PTRACE_O_EXITKILL) != 0)
		target_fail("PTRACE_SEIZE");
	for (; n < DUMPS; n++) {
		struct dump *d = &dumps[n];

		usleep(2000);
		if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 || waitpid(pid, &status, __WALL) != pid ||
		    !WIFSTOPPED(status))
			break;
		if (!target.n)
			target_load(&target, pid);
		target_regs(pid, &d->regs);
		d->bytes = malloc(DUMP_SIZE);
		if (!d->bytes)
			target_fail("malloc");
		d->size = target.stack_end - d->regs.r[7] < DUMP_SIZE ? target.stack_end - d->regs.r[7]
								      : DUMP_SIZE;
		d->size = target_copy(&target, d->regs.r[7], d->bytes, d->size);
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, __WALL) == pid && !WIFEXITED(status) && !WIFSIGNALED(status))
		;
	return n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void walk_dump(const struct dump *d, struct wt_walk_cache *cache, struct wt_walk_result *result)
{
	static uint64_t pc[WT_WALK_MAX];
	struct wt_walk_input in = {.regs = &d->regs,
				   .window = d->bytes,
				   .window_at = d->regs.r[7],
				   .window_size = d->size,
				   .cache = cache,
				   .find = target_find,
				   .ctx = &target,
				   .max = WT_WALK_MAX,
				   .pc = pc};

	wt_walk(WT_WALK_MACHINE, &in, result);
}

/* Median over all dumps; all dumps are walked in turn, as a recorder does, so none is the one just walked. */
static void bench_dumps(char **argv, enum cached cached)
{
	static struct wt_walk_result result;
	static struct wt_walk_cache cache;
	double per_frame[ROUNDS * 30];
	unsigned n = record_dumps(argv), complete = 0;
	uint64_t frames = 0;

	memset(&cache, 0, sizeof(cache));
	if (!n)
		return;
	for (unsigned round = 0; round < ROUNDS * 30; round++) {
		uint64_t start = wt_clock_now();

		frames = complete = 0;
		for (unsigned i = 0; i < n; i++) {
			walk_dump(&dumps[i], cached == WITH_CACHE ? &cache : NULL, &result);
			frames += result.n;
			complete += result.status == WT_WALK_COMPLETE;
		}
		per_frame[round] = (double)(wt_clock_now() - start) / (double)frames;
	}
	qsort(per_frame, ROUNDS * 30, sizeof(double), by_value);
	printf("%s\n  {\"cache\": %s, \"dumps\": %u, \"complete\": %u, \"frames\": "
	       "%llu, "
	       "\"ns_per_frame_median\": %.1f, "
	       "\"ns_per_frame_best\": %.1f}",
	       separator, cached == WITH_CACHE ? "true" : "false", n, complete, (unsigned long long)frames,
	       per_frame[ROUNDS * 15], per_frame[0]);
	separator = ",";
	for (unsigned i = 0; i < n; i++)
		free(dumps[i].bytes);
	target_deinit(&target);
}

/* ---- the own stack ---- */

#if defined(__x86_64__)
static uint64_t by_tables, by_pointers;

static __attribute__((noinline)) void take_regs(struct wt_walk_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	__asm__ volatile("lea 0(%%rip), %0" : "=r"(regs->pc));
	__asm__ volatile("mov %%rbx, %0; mov %%rbp, %1; mov %%rsp, %2; mov %%r12, %3"
			 : "=m"(regs->r[3]), "=m"(regs->r[6]), "=m"(regs->r[7]), "=m"(regs->r[12]));
	__asm__ volatile("mov %%r13, %0; mov %%r14, %1; mov %%r15, %2"
			 : "=m"(regs->r[13]), "=m"(regs->r[14]), "=m"(regs->r[15]));
}

static __attribute__((noinline)) uint32_t walk_own(void)
{
	static struct wt_walk_result result;
	static struct wt_walk_cache cache;
	static uint64_t pc[FRAMES];
	struct wt_walk_regs regs;
	struct wt_walk_input in = {.regs = &regs,
				   .cache = &cache,
				   .find = target_find,
				   .ctx = &target,
				   .max = FRAMES,
				   .pc = pc,
				   .options = WT_WALK_WHOLE_STACK};

	take_regs(&regs);
	in.window_at = regs.r[7];
	in.window = (const uint8_t *)(uintptr_t)in.window_at;
	in.window_size = target.stack_end - in.window_at;
	wt_walk(WT_WALK_MACHINE, &in, &result);
	return result.n;
}

/* What a walk by frame pointers alone costs: the least there is. */
static __attribute__((noinline)) uint32_t follow_pointers(void)
{
	static uint64_t pc[FRAMES];
	const uint64_t *fp = __builtin_frame_address(0), *end = (const void *)(uintptr_t)target.stack_end;
	uint32_t n = 0;

	while (n < FRAMES && fp < end && !((uintptr_t)fp & 7)) {
		const uint64_t *next = (const void *)(uintptr_t)fp[0];

		pc[n++] = fp[1];
		if (next <= fp)
			break;
		fp = next;
	}
	return n + (pc[0] == 0);
}

static __attribute__((noinline)) void deep(unsigned left)
{
	if (left) {
		deep(left - 1);
		__asm__ volatile("");
		return;
	}
	by_tables = by_pointers = UINT64_MAX;
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t a = wt_clock_now(), b, c;

		for (unsigned i = 0; i < 10; i++)
			if (walk_own() != FRAMES)
				target_fail("walk of the own stack");
		b = wt_clock_now();
		for (unsigned i = 0; i < 10; i++)
			if (follow_pointers() < FRAMES)
				target_fail("frame pointers of the own stack");
		c = wt_clock_now();
		by_tables = b - a < by_tables ? b - a : by_tables;
		by_pointers = c - b < by_pointers ? c - b : by_pointers;
	}
}

static void bench_own(void)
{
	target_load(&target, getpid());
	deep(FRAMES);
	printf("\"own_stack\": {\"frames\": %d, \"by_tables_ns\": %.1f, \"by_frame_pointers_ns\": %.1f, "
	       "\"ratio\": %.1f}",
	       FRAMES, (double)by_tables / 10, (double)by_pointers / 10,
	       (double)by_tables / (double)by_pointers);
	target_deinit(&target);
}
#else
static void bench_own(void)
{
	printf("\"own_stack\": null");
}
#endif

int main(int argc, char **argv)
{
	printf("{");
	fflush(stdout);
	if (argc < 2) {
		bench_own();
	} else {
		printf("\"dumps\": [");
		fflush(stdout);
		bench_dumps(argv + 1, WITHOUT_CACHE);
		bench_dumps(argv + 1, WITH_CACHE);
		printf("]");
	}
	printf("}\n");
	return 0;
}
