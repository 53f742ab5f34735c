/* SPDX-License-Identifier: MIT */
/* What RING.md section 4 does not support, and how far it may do harm: children of vfork, which share their
 * parent's memory and its place in the rings, write and come to an end in every way.
 *
 *   ring_vfork ROUNDS
 *
 * Nobody else writes meanwhile, since a vfork'ed child that loses its CPU is not restarted: what that costs
 * is the unit tests' subject. Here the parent's ring must be none the worse: every acknowledged record, the
 * child's and the parent's, is there and whole. Without rseq, in lanes, a child that dies inside a write
 * takes one of its parent's levels along, so there children only exec and exit.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/stress/stress.h"
#include "tests/write_one.h"
#include "tracecore/ring/inject.h"

/* Injection points of sections (RING.md section 8), then the other ends. */
enum { POINTS = 8, EXITS = POINTS + 1, EXECS, KILLED, ENDS };

volatile int wt_ring_inject_at;

static struct stress s;
static struct wt_ring_writer *w;
static uint64_t seed = 88172645463325252ull, written, lost, seen, torn, counted_lost, landed[ENDS];
static uint64_t wrong_ends;

static void write_next(void)
{
	static uint64_t words[STRESS_WORDS];
	struct wt_abi_record head = {.event = 1};
	uint32_t n = 2 + (uint32_t)stress_random(&seed) % 40;
	int result;

	stress_payload(words, n, 1, written);
	result = write_one(w, &head, words, n * 8);
	if (result == WT_RING_OK)
		written++;
	else
		lost++;
}

/* The child's part. It changes nothing that its parent has on the stack. */
static __attribute__((noinline, noreturn)) void end_as(int end)
{
	static char *const argv[] = {(char *)(uintptr_t) "true", NULL};

	for (int i = 0; i < 20; i++)
		write_next();
	wt_ring_inject_at = end <= POINTS ? end : 0;
	/* Into the next block, and until the ring is full. */
	for (int i = 0; i < 100000 && wt_ring_inject_at; i++)
		write_next();
	if (end == EXECS)
		execv("/bin/true", argv);
	if (end == KILLED)
		kill(getpid(), SIGKILL);
	_exit(0);
}

static bool ended_as(int end, int status)
{
	if (end <= POINTS)
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
	if (end == KILLED)
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void round_of(int end)
{
	int status = 0;
	pid_t child = vfork();

	if (!child)
		end_as(end);
	wt_ring_inject_at = 0;
	waitpid(child, &status, 0);
	if (ended_as(end, status))
		landed[end]++;
	else
		wrong_ends++;
}

static void take(struct wt_ring_reader *ring, const struct wt_ring_record *record)
{
	uint64_t writer, number;

	(void)ring;
	torn += !stress_whole(record, &writer, &number) || number != seen ||
		record->head.pid != (uint32_t)getpid();
	seen++;
}

static bool all_landed(bool lanes_only)
{
	bool all = true;

	for (int i = 1; i < ENDS; i++) {
		printf("# end %d: %llu children\n", i, (unsigned long long)landed[i]);
		all &= landed[i] || (lanes_only && (i <= POINTS || i == KILLED));
	}
	return all;
}

static void half(const char *mode, uint64_t rounds, bool lanes_only)
{
	struct wt_ring_spec spec = {.block_bytes = 8192, .max_blocks = 16, .counter = 1};
	struct wt_err err = WT_ERR_INIT;

	stress_begin(&s, &spec);
	w = stress_writer(&s);
	for (uint64_t i = 0; i < rounds; i++) {
		for (int j = 0; j < 10; j++)
			write_next();
		round_of(lanes_only ? EXITS + (int)(i % 2) : 1 + (int)(i % (ENDS - 1)));
		write_next();
		stress_drain(&s, take);
	}
	counted_lost += stress_losses(&s);
	printf("# %s: %llu written, %llu lost, %llu counted\n", mode, (unsigned long long)written,
	       (unsigned long long)lost, (unsigned long long)counted_lost);
	point(!wrong_ends && all_landed(lanes_only), "every child came to its end, in every way");
	point(!torn && !stress_damage(&s), "no record is torn, all are in order");
	point(seen == written, "every acknowledged record is there");
	/* A child that died while it counted (points 7 and 8) has not said so. */
	point(counted_lost >= lost && counted_lost <= lost + landed[7] + landed[8], "losses are counted");
	point(!wt_ring_directory_close_rings(s.directory, 2000, &err), "the rings close");
	stress_end(&s);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1100;
	bool lanes_only = argc > 2;
	struct rlimit none = {0};
	cpu_set_t one;

	setrlimit(RLIMIT_CORE, &none);
	/* Parent, child and ring on one CPU: the records are in one order. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu() < 0 ? 0 : sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	printf("1..5\n");
	fflush(stdout);
	half(lanes_only ? "lanes" : "sections", rounds, lanes_only);
	if (failures || lanes_only)
		return failures != 0;
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl("/proc/self/exe", argv[0], argc > 1 ? argv[1] : "1100", "lanes", (char *)NULL);
	return 1;
}
