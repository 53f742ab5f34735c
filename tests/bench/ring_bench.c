/* SPDX-License-Identifier: MIT */
/* What one event costs in the ring alone, next to reading the clock in the same run. Prints JSON:
 * nanoseconds of CPU time per event, the best of many short rounds (the machine may be busy), and the ratio
 * to the clock.
 *
 *   ring_bench [ROUNDS]
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/write_one.h"
#include "tracecore/base/clock.h"
#include "tracecore/ring/ring_reader.h"
#include "tracecore/ring/section.h"

enum { EVENTS = 20000, SINGLES = 200000, MANY_MAX = 8 };

static struct wt_ring_writer *w;
static char path[] = "/dev/shm/wtbenchXXXXXX";
static uint8_t payload[4096];
static int rounds = 200;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * WT_NSEC + (uint64_t)t.tv_nsec;
}

static double clock_round(uint32_t len)
{
	volatile uint64_t sum = 0;
	uint64_t start = cpu_now();

	(void)len;
	for (int i = 0; i < EVENTS; i++)
		sum += wt_section_tick();
	return (double)(cpu_now() - start) / EVENTS;
}

static double event_round(uint32_t len)
{
	struct wt_abi_record head = {.provider = 1, .event = 2};
	uint64_t start = cpu_now();

	for (int i = 0; i < EVENTS; i++) {
		payload[0] = (uint8_t)i;
		write_one(w, &head, payload, len);
	}
	return (double)(cpu_now() - start) / EVENTS;
}

static double best_of(double (*round)(uint32_t len), uint32_t len)
{
	double best = 1e9;

	for (int i = 0; i < rounds; i++) {
		double ns = round(len);

		best = ns < best ? ns : best;
	}
	return best;
}

static void *thread_main(void *arg)
{
	double *ret = arg;

	event_round(16);
	*ret = best_of(event_round, 16);
	return NULL;
}

static double mean(const volatile double *ns, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += ns[i];
	return sum / n;
}

static double threads(int n)
{
	pthread_t thread[MANY_MAX];
	double ns[MANY_MAX];

	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, thread_main, &ns[i]);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return mean(ns, n);
}

static double processes(int n)
{
	double *ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child[MANY_MAX];

	for (int i = 0; i < n; i++) {
		if (!(child[i] = fork())) {
			thread_main(&ns[i]);
			_exit(0);
		}
	}
	for (int i = 0; i < n; i++)
		waitpid(child[i], NULL, 0);
	return mean(ns, n);
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Single events, timed from outside: the clock's own cost is in the figure. */
static double p999(double ns_per_tick)
{
	struct wt_abi_record head = {.provider = 1, .event = 2};
	uint32_t *took = malloc(SINGLES * sizeof(*took));
	double ret;

	for (int i = 0; i < SINGLES; i++) {
		uint64_t start = wt_section_tick();

		write_one(w, &head, payload, 16);
		took[i] = (uint32_t)(wt_section_tick() - start);
	}
	qsort(took, SINGLES, sizeof(*took), by_size);
	ret = took[SINGLES - SINGLES / 1000] * ns_per_tick;
	free(took);
	return ret;
}

static double tick_length(void)
{
	uint64_t t = wt_clock_now(), c = wt_section_tick();
	struct timespec wait = {.tv_nsec = 20000000};

	nanosleep(&wait, NULL);
	return (double)(wt_clock_now() - t) / (double)(wt_section_tick() - c);
}

/* The cheapest of all consumers: it gives blocks back unread. What the writers pay does not depend on it, as
 * long as it is in time. */
static void consume(const char *directory)
{
	struct wt_abi_ring *rings[64] = {0};
	struct timespec wait = {.tv_nsec = 100000};
	char name[96];

	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
	while (getppid() != 1) {
		for (int i = 0; i < 64; i++) {
			snprintf(name, sizeof(name), "%s/cpu-%d", directory, i);
			int fd = rings[i] ? -1 : open(name, O_RDWR);

			if (fd >= 0)
				rings[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			if (rings[i])
				__atomic_store_n(&rings[i]->tail, wt_abi_head_sequence(rings[i]->head),
						 __ATOMIC_RELEASE);
		}
		nanosleep(&wait, NULL);
	}
	_exit(0);
}

static struct wt_ring_writer *make_writer(const char *directory)
{
	struct wt_ring_writer *ret = aligned_alloc(64, wt_ring_writer_size());
	struct wt_ring_spec spec = {.block_bytes = 1 << 16, .max_blocks = 512, .counter = 1};
	struct wt_err err = WT_ERR_INIT;

	if (!ret ||
	    wt_ring_writer_init(ret, open(directory, O_RDONLY | O_DIRECTORY), &spec, directory, &err)) {
		fprintf(stderr, "ring_bench: %s\n", err.text);
		exit(1);
	}
	return ret;
}

static uint64_t lost(const char *directory)
{
	struct wt_abi_loss loss[WT_ABI_LOSSES];
	char name[96];
	uint64_t sum = 0;

	for (int i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "%s/cpu-%d", directory, i);
		int fd = open(name, O_RDONLY);

		if (fd >= 0 && pread(fd, loss, sizeof(loss), WT_ABI_RING_LOSSES) == sizeof(loss)) {
			for (unsigned k = 0; k < WT_ABI_LOSSES; k++)
				sum += loss[k].count;
		}
		if (fd >= 0)
			close(fd);
	}
	return sum;
}

static void report(const char *name, double ns, double clock)
{
	printf("  \"%s\": {\"ns\": %.2f, \"clock\": %.2f},\n", name, ns, ns / clock);
}

static void measure_many(double one)
{
	char name[32];

	for (int n = 2; n <= MANY_MAX; n *= 2) {
		snprintf(name, sizeof(name), "threads_%d", n);
		report(name, threads(n), one);
		snprintf(name, sizeof(name), "processes_%d", n);
		report(name, processes(n), one);
	}
}

static void measure_lane(double clock)
{
	char directory[] = "/dev/shm/wtbenchXXXXXX", command[64];

	if (!mkdtemp(directory))
		return;
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	snprintf(command, sizeof(command), "%f", clock);
	pid_t child = fork();

	if (!child) {
		execl("/proc/self/exe", "ring_bench", "--lane", directory, command, (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	if (system(command))
		fprintf(stderr, "ring_bench: %s stays\n", directory);
}

static int keep(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	(void)err;
	*(struct wt_ring_reader **)ctx = ring;
	return 0;
}

static void drain(struct wt_ring_reader *ring)
{
	struct wt_ring_record record;
	bool any;

	do {
		any = false;
		wt_ring_reader_refresh(ring);
		for (; !wt_ring_reader_peek(ring, &record); any = true)
			wt_ring_reader_pop(ring);
		wt_ring_reader_release(ring, wt_clock_now());
	} while (any);
}

/* In a process without rseq; the lane is read between the rounds. */
static int lane_main(const char *directory, double clock)
{
	int dir = open(directory, O_RDONLY | O_DIRECTORY);
	struct wt_ring_directory *rings;
	struct wt_ring_reader *lane = NULL;
	double best = 1e9;

	w = make_writer(directory);
	event_round(16);
	if (wt_ring_directory_open(dir, geteuid(), directory, &rings, NULL) ||
	    wt_ring_directory_refresh(rings, keep, &lane, NULL) || !lane)
		return 1;
	for (int i = 0; i < rounds; i++) {
		drain(lane);
		double ns = event_round(16);

		best = ns < best ? ns : best;
	}
	report("lane_16_bytes", best, clock);
	fflush(stdout);
	wt_ring_directory_destroy(rings);
	return 0;
}

int main(int argc, char **argv)
{
	char command[64];
	double clock, one;

	if (argc == 4 && !strcmp(argv[1], "--lane"))
		return lane_main(argv[2], strtod(argv[3], NULL));
	if (argc > 1)
		rounds = (int)strtol(argv[1], NULL, 10);
	if (!mkdtemp(path))
		return 1;
	w = make_writer(path);
	pid_t consumer = fork();

	if (!consumer)
		consume(path);
	event_round(16);
	clock = best_of(clock_round, 0);
	one = best_of(event_round, 16);
	printf("{\n  \"clock\": {\"ns\": %.2f},\n", clock);
	report("section_16_bytes", one, clock);
	report("section_128_bytes", best_of(event_round, 128), clock);
	fflush(stdout);
	measure_lane(clock);
	measure_many(one);
	printf("  \"p999_ns\": %.0f,\n", p999(tick_length()));
	kill(consumer, SIGKILL);
	waitpid(consumer, NULL, 0);
	printf("  \"lost\": %llu\n}\n", (unsigned long long)lost(path));
	snprintf(command, sizeof(command), "rm -rf %s", path);
	return system(command) != 0;
}
