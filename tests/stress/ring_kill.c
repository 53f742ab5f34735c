/* SPDX-License-Identifier: MIT */
/* Writers die, the session goes on.
 *
 *   ring_kill KILLS
 *
 * Several processes write into one session's rings, records of all sizes. One after the other is killed: at a
 * random moment by SIGKILL, or exactly at one of RING.md's injection points, where it executes an undefined
 * instruction. After each death its records are counted: every one that was acknowledged is there and whole,
 * at most one more. The second half runs without rseq, in lanes alone.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/stress/stress.h"
#include "tests/write_one.h"
#include "tracecore/ring/inject.h"

enum { WRITERS = 3, POINTS = 13, LIVES = 1 << 20 };

volatile int wt_ring_inject_at;

/* What a writer has been told of its records: shared with the parent. */
struct told {
	volatile uint64_t written, lost;
};

struct life {
	pid_t pid;
	uint64_t number; /* of this life, from 1 */
	int plan;        /* injection point, or 0: a random moment */
	uint64_t seen;
};

static struct stress s;
static struct told *told;
static struct life lives[WRITERS];
static uint64_t torn, missing, surplus, landed[POINTS + 1], missed, counted_lost, told_lost, kills_done;
static uint64_t acknowledged;
static uint64_t seed = 88172645463325252ull;

static uint32_t some_length(uint64_t *state)
{
	uint64_t r = stress_random(state);

	if (r % 64 == 0)
		return 8704; /* 69,632 bytes: too large */
	if (r % 16 == 0)
		return 256 + (uint32_t)(r >> 20) % 1000;
	return 2 + (uint32_t)(r >> 20) % 40;
}

static void live(unsigned slot, uint64_t number, int plan, uint64_t after)
{
	static uint64_t words[STRESS_WORDS];
	struct wt_ring_writer *w = stress_writer(&s);
	struct wt_abi_record head = {.provider = slot, .event = 1};
	uint64_t state = number * 0x9e3779b97f4a7c15ull + 1;

	for (uint64_t i = 0;; i++) {
		uint32_t n = some_length(&state);

		if (i == after)
			wt_ring_inject_at = plan;
		stress_payload(words, n < STRESS_WORDS ? n : STRESS_WORDS, number, i);
		int result = write_one(w, &head, words, n * 8);

		if (result == WT_RING_OK)
			told[slot].written++;
		else if (result == WT_RING_FULL || result == WT_RING_TOO_LARGE)
			told[slot].lost++;
		else
			_exit(result);
	}
}

static void take(struct wt_ring_reader *ring, const struct wt_ring_record *record)
{
	uint64_t number, i;

	(void)ring;
	if (!stress_whole(record, &number, &i) || record->head.provider >= WRITERS) {
		torn++;
		return;
	}
	struct life *life = &lives[record->head.provider];

	torn += number != life->number || record->head.pid != (uint32_t)life->pid;
	life->seen++;
}

static void begin_life(unsigned slot, bool lanes_only)
{
	static uint64_t number;
	struct life *life = &lives[slot];
	uint64_t r = stress_random(&seed);

	*life = (struct life){.number = ++number, .plan = (int)(r % (POINTS + 5))};
	if (life->plan > POINTS || (lanes_only && life->plan >= 1 && life->plan <= 3))
		life->plan = 0;
	told[slot] = (struct told){0};
	life->pid = fork();
	if (!life->pid)
		live(slot, life->number, life->plan, life->plan == 9 ? 0 : (r >> 20) % 200);
}

/* 0: dead as planned. */
static int end_life(struct life *life)
{
	struct timespec pause = {.tv_nsec = (long)(stress_random(&seed) % 1500000)};
	uint64_t deadline = wt_clock_now() + 10 * WT_NSEC;
	int status = 0;

	if (!life->plan) {
		nanosleep(&pause, NULL);
		kill(life->pid, SIGKILL);
		waitpid(life->pid, &status, 0);
		return !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	/* The session goes on reading, so that the writer gets to its point. */
	while (!waitpid(life->pid, &status, WNOHANG)) {
		stress_drain(&s, take);
		if (wt_clock_now() > deadline)
			kill(life->pid, SIGKILL);
	}
	return !(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
}

static void drop_ended(void)
{
	struct wt_err err = WT_ERR_INIT;

	for (unsigned i = 0; i < s.n;) {
		if (wt_ring_reader_ended(s.rings[i])) {
			if (wt_ring_directory_drop(s.directory, s.rings[i], &err))
				give_up("drop", &err);
			s.rings[i] = s.rings[--s.n];
		} else {
			i++;
		}
	}
}

static void kill_one(unsigned slot, bool lanes_only)
{
	struct life *life = &lives[slot];

	if (end_life(life))
		missed++;
	else
		landed[life->plan]++;
	kills_done++;
	while (stress_drain(&s, take) && life->seen < told[slot].written) {
	}
	counted_lost += stress_losses(&s);
	missing += life->seen < told[slot].written;
	surplus += life->seen > told[slot].written + 1;
	told_lost += told[slot].lost;
	acknowledged += told[slot].written;
	drop_ended();
	begin_life(slot, lanes_only);
}

static void finish(void)
{
	struct wt_err err = WT_ERR_INIT;
	uint64_t start = wt_clock_now();

	for (unsigned i = 0; i < WRITERS; i++) {
		kill(lives[i].pid, SIGKILL);
		waitpid(lives[i].pid, NULL, 0);
	}
	point(!wt_ring_directory_close_rings(s.directory, 2000, &err), "the rings close");
	printf("# closed after %.1f ms\n", (double)(wt_clock_now() - start) / 1e6);
	stress_drain(&s, take);
	counted_lost += stress_losses(&s);
	for (unsigned i = 0; i < WRITERS; i++) {
		missing += lives[i].seen < told[i].written;
		surplus += lives[i].seen > told[i].written + 1;
		told_lost += told[i].lost;
		acknowledged += told[i].written;
	}
}

static bool all_landed(bool lanes_only, uint64_t least)
{
	bool all = true;

	for (int i = 0; i <= POINTS; i++) {
		printf("# %s %d: %llu kills\n", i ? "point" : "random moments", i,
		       (unsigned long long)landed[i]);
		all &= landed[i] >= least || (lanes_only && i >= 1 && i <= 3);
	}
	return all;
}

static void show_progress(uint64_t kills, uint64_t start)
{
	printf("# %llu kills after %.1f s\n", (unsigned long long)kills,
	       (double)(wt_clock_now() - start) / 1e9);
	fflush(stdout);
}

/* The window is small: after each death the reader goes through what the others have written meanwhile. */
static void half(const char *mode, uint64_t kills, bool lanes_only)
{
	struct wt_ring_spec spec = {.block_bytes = 8192, .max_blocks = 32, .counter = 1};
	uint64_t start = wt_clock_now(), progress = kills / 5 + 1;

	stress_begin(&s, &spec);
	for (unsigned i = 0; i < WRITERS; i++)
		begin_life(i, lanes_only);
	for (uint64_t i = 1; i <= kills; i++) {
		kill_one((unsigned)(i % WRITERS), lanes_only);
		if (i % progress == 0)
			show_progress(i, start);
	}
	finish();
	printf("# %s: %llu kills, %llu records acknowledged\n", mode, (unsigned long long)kills_done,
	       (unsigned long long)acknowledged);
	point(!missed, "every writer died where it should");
	point(all_landed(lanes_only, kills / 100 + 1), "kills landed at every point");
	point(!torn && !stress_damage(&s), "no record is torn");
	point(!missing, "every acknowledged record is there");
	point(!surplus, "at most one that was not acknowledged");
	printf("# losses: %llu counted, %llu told\n", (unsigned long long)counted_lost,
	       (unsigned long long)told_lost);
	point(counted_lost >= told_lost && counted_lost <= told_lost + kills_done + WRITERS,
	      "losses are counted");
	stress_end(&s);
}

int main(int argc, char **argv)
{
	uint64_t kills = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	bool lanes_only = argc > 2;
	struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	printf("1..7\n");
	fflush(stdout);
	half(lanes_only ? "lanes alone" : "sections and lanes", kills / 2, lanes_only);
	if (failures || lanes_only)
		return failures != 0;
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl("/proc/self/exe", argv[0], argc > 1 ? argv[1] : "1000", "lanes", (char *)NULL);
	return 1;
}
