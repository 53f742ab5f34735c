// SPDX-License-Identifier: MIT
/* What an event of the SDK costs, against a reading of the CPU's counter in the same run. Prints JSON.
 *
 * The program is its own session: it passes over what is in the rings between rounds, so that only writing
 * is measured and nothing is lost. Every figure is the best of many short rounds, since other work on the
 * machine only ever adds; CPU time is what the kernel says the threads used. */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumers/unwind/publish.h"
#include "providers/sdk/wtrace.h"
#include "tracecore/base/clock.h"
#include "tracecore/enable/control.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/tables.h"
#include "tracecore/ring/ring_reader.h"

/* A round stays in the first few blocks of a ring. */
#define ROUNDS 8000
#define EVENTS 5000
/* What a thread or process writes in all, and before it passes over what is there: that of eight at once has
 * room in one ring. */
#define LONG 2000000
#define PART 50000

struct session {
	struct wt_control *control;
	struct wt_ring_directory *directory;
	struct wt_ring_reader *rings[64];
	unsigned n_rings;
};

static struct session *sessions[2];

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "sdk-bench");
static char directory[64];

static void must(int rc, struct wt_err *err)
{
	if (rc) {
		fprintf(stderr, "sdk_bench: %s\n", err->text);
		exit(1);
	}
}

static int add_ring(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct session *session = ctx;

	if (session->n_rings == sizeof(session->rings) / sizeof(session->rings[0]))
		return wt_fail(err, WT_ERR_LIMIT, "too many rings");
	session->rings[session->n_rings++] = ring;
	return 0;
}

/* All that was written may go. */
static void pass_over(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct wt_err err = WT_ERR_INIT;
	struct wt_ring_facts facts;

	pthread_mutex_lock(&lock);
	for (unsigned s = 0; s < sizeof(sessions) / sizeof(sessions[0]); s++) {
		struct session *session = sessions[s];

		if (!session)
			continue;
		must(wt_ring_directory_refresh(session->directory, add_ring, session, &err), &err);
		for (unsigned i = 0; i < session->n_rings; i++) {
			/* Says how far the head is. */
			wt_ring_reader_refresh(session->rings[i]);
			wt_ring_reader_facts(session->rings[i], &facts);
			if (!wt_ring_reader_seek(session->rings[i], facts.written))
				wt_ring_reader_release(session->rings[i], wt_clock_now());
		}
	}
	pthread_mutex_unlock(&lock);
}

static void begin(struct session *ret, const char *session, bool stack)
{
	struct wt_ring_spec spec = {.block_bytes = 65536, .max_blocks = 512, .counter = 1};
	struct wt_enable_rule rule = {.provider = "sdk-bench", .stack = stack};
	struct wt_err err = WT_ERR_INIT;
	char name[64];
	int dir = wt_directory_open_private(directory, &err), lock;

	must(dir < 0, &err);
	snprintf(name, sizeof(name), "%s.lock", session);
	lock = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB))
		exit(1);
	*ret = (struct session){0};
	must(wt_control_open(dir, directory, session, &spec, false, &ret->control, &err), &err);
	must(wt_control_set_rules(ret->control, &rule, 1, &err), &err);
	close(dir);
	dir = wt_control_rings(ret->control, &err);
	must(dir < 0 || wt_ring_directory_open(dir, geteuid(), session, &ret->directory, &err), &err);
	sessions[sessions[0] ? 1 : 0] = ret;
}

static void end(struct session *session)
{
	struct wt_err err = WT_ERR_INIT;

	sessions[sessions[0] == session ? 0 : 1] = NULL;
	must(wt_control_clear(session->control, &err), &err);
	wt_ring_directory_destroy(session->directory);
	wt_control_close(session->control);
}

static inline uint64_t counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#endif
}

static void clock_only(int n)
{
	for (int i = 0; i < n; i++)
		(void)*(volatile uint64_t *)&(uint64_t){counter()};
}

static void empty_loop(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("" ::: "memory");
}

static void two_ints(int n)
{
	for (int i = 0; i < n; i++) {
		wtrace_event(&app, "two", WTRACE_INFO, 1, wtrace_i32("x", i), wtrace_i32("y", i));
		__asm__ volatile("" ::: "memory");
	}
}

static void bytes_128(int n)
{
	static uint8_t bytes[112];

	for (int i = 0; i < n; i++) {
		uint64_t v = (uint64_t)i;

		wtrace_event(&app, "bytes", WTRACE_INFO, 1, wtrace_u64("a", v), wtrace_u32("b", 1),
			     wtrace_u16("c", 2), wtrace_binary("d", bytes, sizeof(bytes)));
		__asm__ volatile("" ::: "memory");
	}
}

static __attribute__((noinline)) void deep(int depth, int n)
{
	if (depth)
		deep(depth - 1, n);
	else
		two_ints(n);
	__asm__ volatile("");
}

/* main and what libc puts in front of it are frames too. */
static void deep_stack(int n)
{
	deep(16 - 7, n);
}

/* What a session does when stacks lack tables. */
static void publish_tables(void)
{
	struct wt_err err = WT_ERR_INIT;
	int dir = wt_directory_open_private(directory, &err);
	uint32_t fresh;

	must(dir < 0 || wt_unwind_publish(dir, getpid(), &fresh, &err) || wt_tables_announce(dir, &err),
	     &err);
	close(dir);
}

static double best_of(void (*work)(int n), int n)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t from, took;

		pass_over();
		from = wtrace_now();
		work(n);
		took = wtrace_now() - from;
		best = took < best ? took : best;
	}
	return (double)best / n;
}

static uint64_t cpu_ns(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * WT_NSEC +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static void write_long(void)
{
	for (int i = 0; i < LONG; i += PART) {
		two_ints(PART);
		pass_over();
	}
}

static void *work_in_thread(void *unused)
{
	(void)unused;
	write_long();
	return NULL;
}

static double cpu_of_threads(int n)
{
	pthread_t threads[8];
	uint64_t from = cpu_ns(RUSAGE_SELF);

	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work_in_thread, NULL))
			exit(1);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return (double)(cpu_ns(RUSAGE_SELF) - from) / ((double)LONG * n);
}

static double cpu_of_processes(int n)
{
	uint64_t from = cpu_ns(RUSAGE_CHILDREN);

	for (int i = 0; i < n; i++)
		if (!fork()) {
			write_long();
			_exit(0);
		}
	for (int i = 0; i < n; i++)
		wait(NULL);
	return (double)(cpu_ns(RUSAGE_CHILDREN) - from) / ((double)LONG * n);
}

static double best_cpu(double (*measure)(int n), int n)
{
	double best = 1e9;

	for (int i = 0; i < 5; i++) {
		double took = measure(n);

		best = took < best ? took : best;
	}
	return best;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* ns of the slowest event in a thousand, single events timed one by one. */
static double slow_events(double ns_per_tick)
{
	static uint32_t ticks[200000];
	const int n = sizeof(ticks) / sizeof(*ticks);

	for (int i = 0; i < n; i++) {
		uint64_t from;

		if (i % EVENTS == 0)
			pass_over();
		from = counter();

		two_ints(1);
		ticks[i] = (uint32_t)(counter() - from);
	}
	qsort(ticks, (size_t)n, sizeof(*ticks), by_size);
	return ticks[n - n / 1000] * ns_per_tick;
}

static double tick_length(void)
{
	uint64_t tick = counter(), ns = wtrace_now();

	usleep(50000);
	tick = counter() - tick;
	return (double)(wtrace_now() - ns) / (double)tick;
}

enum starts { LATER_STARTS, FIRST_STARTS };

/* A run of a program that does nothing, us. A first start is the first of all programs with the provider: it
 * makes the directory and all that is in it. */
static double spawn_us(const char *program, enum starts starts)
{
	char *argv[] = {(char *)(uintptr_t)program, NULL};
	double best = 1e9;

	for (int i = 0; i < 400; i++) {
		char fresh[96];
		uint64_t from;
		pid_t child;
		int status;

		snprintf(fresh, sizeof(fresh), "%s/first-%d", directory, i);
		if (starts == FIRST_STARTS)
			setenv("WTRACE_RUNTIME", fresh, 1);
		from = wtrace_now();
		if (posix_spawn(&child, program, NULL, NULL, argv, environ) ||
		    waitpid(child, &status, 0) != child || status)
			exit(1);
		from = wtrace_now() - from;
		best = (double)from < best ? (double)from : best;
	}
	setenv("WTRACE_RUNTIME", directory, 1);
	return best / 1000;
}

static double base, rdtsc;

static void print(const char *name, double ns)
{
	printf(",\n  \"%s\": {\"ns\": %.2f, \"clocks\": %.2f}", name, ns, ns / rdtsc);
}

static void measure_lane(void)
{
	struct session session;

	begin(&session, "lane", false);

	printf("%.3f\n", best_of(two_ints, EVENTS) - base);
	end(&session);
}

/* The lane needs a process without rseq: this program once more. */
static double lane_ns(const char *self)
{
	char command[512], line[64] = "";
	FILE *out;

	snprintf(command, sizeof(command), "GLIBC_TUNABLES=glibc.pthread.rseq=0 %s lane", self);
	out = popen(command, "r");
	if (!out || !fgets(line, sizeof(line), out) || pclose(out))
		exit(1);
	return strtod(line, NULL);
}

static void measure_all(const char *self, const char *with, const char *without)
{
	struct session first, second;
	double one;

	printf("{\n  \"clock_ns\": %.2f", rdtsc);
	print("off", best_of(two_ints, EVENTS) - base);
	begin(&first, "one", false);
	print("two_ints", best_of(two_ints, EVENTS) - base);
	print("bytes_128", best_of(bytes_128, EVENTS) - base);
	print("p99_9", slow_events(tick_length()));
	one = best_cpu(cpu_of_threads, 1);
	print("cpu_1_thread", one);
	for (int n = 2; n <= 8; n *= 2) {
		char name[32];

		snprintf(name, sizeof(name), "cpu_%d_threads", n);
		print(name, best_cpu(cpu_of_threads, n));
		snprintf(name, sizeof(name), "cpu_%d_processes", n);
		print(name, best_cpu(cpu_of_processes, n));
	}
	begin(&second, "two", false);
	print("two_sessions", best_of(two_ints, EVENTS) - base);
	end(&second);
	end(&first);
	begin(&first, "stacks", true);
	print("stack_16", best_of(deep_stack, EVENTS) - base);
	publish_tables();
	print("stack_16_tables", best_of(deep_stack, EVENTS) - base);
	end(&first);
	print("lane", lane_ns(self));
	if (with && without)
		printf(",\n  \"start_us\": {\"with\": %.1f, \"first\": %.1f, \"without\": %.1f}",
		       spawn_us(with, LATER_STARTS), spawn_us(with, FIRST_STARTS),
		       spawn_us(without, LATER_STARTS));
	printf("\n}\n");
}

int main(int argc, char **argv)
{
	char command[96], root[96];

	snprintf(directory, sizeof(directory), "/dev/shm/wt-bench-XXXXXX");
	if (!mkdtemp(directory))
		return 1;
	setenv("WTRACE_RUNTIME", directory, 1);
	snprintf(root, sizeof(root), "%s/root", directory);
	setenv("WTRACE_ROOT_RUNTIME", root, 1);
	if (wtrace_register(&app)) {
		fprintf(stderr, "sdk_bench: %s\n", wtrace_why(&app));
		return 1;
	}
	base = best_of(empty_loop, EVENTS);
	rdtsc = best_of(clock_only, EVENTS) - base;
	if (argc == 2 && !strcmp(argv[1], "lane"))
		measure_lane();
	else
		measure_all(argv[0], argc > 2 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
	wtrace_unregister(&app);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}
