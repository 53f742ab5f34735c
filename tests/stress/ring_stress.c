/* SPDX-License-Identifier: MIT */
/* Written + lost = produced, exactly, per provider, CPU and cause, while writers are faster than their
 * reader.
 *
 *   ring_stress SECONDS
 *
 * Processes of several threads write as fast as they can, interrupted by timer signals whose handler writes
 * too, and moved from CPU to CPU. Three parts of equal length: everywhere; each thread on its own CPU; and
 * closing under full load, over and over. Every thread and every handler is a provider.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/stress/stress.h"
#include "tests/write_one.h"
#include "tracecore/ring/cpus.h"

enum { PROCESSES = 3, THREADS = 2, WRITERS = PROCESSES * THREADS, PROVIDERS = 2 * WRITERS, CPUS = 64 };

volatile int wt_ring_inject_at;

/* By provider: what emit returned, and by result. A thread's own handler has a row of its own. */
struct produced {
	volatile uint64_t by_result[8];
} __attribute__((aligned(64)));

enum part { EVERYWHERE, PINNED, CLOSING };

static struct stress s;
static struct produced *produced;
static volatile int *stop;
static enum part part;
static struct wt_ring_writer *w;
static uint64_t seen[PROVIDERS], on_cpu[PROVIDERS][CPUS + 1], lost[PROVIDERS][8],
	lost_on[PROVIDERS][CPUS + 1];
static uint64_t torn, disorder;
static __thread unsigned self;
static __thread timer_t timer;
static __thread volatile sig_atomic_t rang;

static void emit(unsigned provider, uint64_t number, uint32_t n)
{
	static __thread uint64_t thread_words[STRESS_WORDS];
	uint64_t handler_words[8], *words = n > 8 || provider < WRITERS ? thread_words : handler_words;
	struct wt_abi_record head = {.provider = provider, .event = 1};

	stress_payload(words, n < STRESS_WORDS ? n : STRESS_WORDS, provider, number);
	int result = write_one(w, &head, words, n * 8);

	produced[provider].by_result[result & 7]++;
}

static void on_alarm(int signal)
{
	int saved = errno;
	static __thread uint64_t number;

	(void)signal;
	emit(WRITERS + self, number++, 4);
	rang = 1;
	errno = saved;
}

static void go_to(uint32_t cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void make_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};

	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		exit(1);
	rang = 1;
}

/* A signal at some moment of the next 200 us. Not a period: on a slow machine a thread would get nothing done
 * between one signal and the next. */
static void start_timer(uint64_t random)
{
	struct itimerspec once = {.it_value.tv_nsec = 1000 + (long)(random % 200000)};

	rang = 0;
	if (timer_settime(timer, 0, &once, NULL))
		exit(1);
}

static void *thread_main(void *arg)
{
	uint64_t number = 0, state;

	self = (unsigned)(uintptr_t)arg;
	state = self * 77 + 5;
	if (part != EVERYWHERE)
		go_to(self % wt_ring_cpus());
	make_timer();
	while (!*stop) {
		uint64_t r = stress_random(&state);

		if (rang)
			start_timer(r >> 24);
		/* Lanes have no CPU: where CPUs are compared, only what fits a section is written. */
		emit(self, number++, part == EVERYWHERE && r % 64 == 0 ? 400 : 2 + (uint32_t)(r >> 20) % 30);
		if (part == EVERYWHERE && r % 4096 == 1)
			go_to((uint32_t)(r >> 20) % wt_ring_cpus());
		if (r % 8192 == 2)
			sched_yield();
	}
	signal(SIGUSR1, SIG_IGN);
	return NULL;
}

static pid_t start_process(unsigned number)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	pthread_t thread[THREADS];
	pid_t pid = fork();

	if (pid)
		return pid;
	w = stress_writer(&s);
	sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, thread_main, (void *)(uintptr_t)(number * THREADS + i));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

static unsigned cpu_of(const struct wt_ring_reader *ring)
{
	struct wt_ring_facts facts;

	wt_ring_reader_facts(ring, &facts);
	return facts.cpu < CPUS ? facts.cpu : CPUS;
}

static void take(struct wt_ring_reader *ring, const struct wt_ring_record *record)
{
	static struct wt_ring_reader *last_ring;
	static uint64_t last_tick;
	uint64_t writer, number;

	if (!stress_whole(record, &writer, &number) || writer != record->head.provider ||
	    writer >= PROVIDERS) {
		torn++;
		return;
	}
	disorder += ring == last_ring && record->head.tick < last_tick;
	last_ring = ring;
	last_tick = record->head.tick;
	seen[writer]++;
	on_cpu[writer][cpu_of(ring)]++;
}

static void count_losses(void)
{
	struct wt_ring_loss loss[256];

	for (unsigned i = 0; i < s.n; i++) {
		size_t n = wt_ring_reader_losses(s.rings[i], loss, 256);

		for (size_t k = 0; k < n; k++) {
			if (loss[k].provider >= PROVIDERS || loss[k].result >= 8) {
				torn++;
				continue;
			}
			lost[loss[k].provider][loss[k].result] += loss[k].count;
			lost_on[loss[k].provider][cpu_of(s.rings[i])] += loss[k].count;
		}
	}
}

static void begin_part(enum part p)
{
	struct wt_ring_spec spec = {.block_bytes = 8192, .max_blocks = 64, .counter = 1};

	part = p;
	*stop = 0;
	memset(produced, 0, PROVIDERS * sizeof(*produced));
	memset(seen, 0, sizeof(seen));
	memset(on_cpu, 0, sizeof(on_cpu));
	memset(lost, 0, sizeof(lost));
	memset(lost_on, 0, sizeof(lost_on));
	torn = disorder = 0;
	stress_begin(&s, &spec);
}

static bool exact(bool cpus)
{
	bool ok = true;

	for (unsigned p = 0; p < PROVIDERS; p++) {
		volatile uint64_t *result = produced[p].by_result;
		uint64_t cpu = p % WRITERS % wt_ring_cpus();

		ok &= seen[p] == result[WT_RING_OK] && lost[p][WT_RING_FULL] == result[WT_RING_FULL];
		ok &= !result[WT_RING_NO_MEMORY] && !result[WT_RING_TOO_LARGE];
		if (cpus)
			ok &= on_cpu[p][cpu] == seen[p] && lost_on[p][cpu] == result[WT_RING_FULL];
	}
	return ok;
}

static void totals(const char *name)
{
	uint64_t n = 0, full = 0, all = 0;

	for (unsigned p = 0; p < PROVIDERS; p++) {
		n += seen[p];
		full += lost[p][WT_RING_FULL];
		all += produced[p].by_result[WT_RING_OK] + produced[p].by_result[WT_RING_FULL];
	}
	printf("# %s: %llu produced = %llu read + %llu without room\n", name, (unsigned long long)all,
	       (unsigned long long)n, (unsigned long long)full);
}

static void end_part(const char *name, bool cpus)
{
	char text[128];

	totals(name);
	snprintf(text, sizeof(text), "%s: written + lost = produced, per provider%s and cause", name,
		 cpus ? ", CPU" : "");
	point(exact(cpus), text);
	snprintf(text, sizeof(text), "%s: nothing torn, nothing out of order", name);
	point(!torn && !disorder && !stress_damage(&s), text);
	stress_end(&s);
}

static void read_for(double seconds)
{
	uint64_t end = wt_clock_now() + (uint64_t)(seconds * 1e9), state = 99;

	while (wt_clock_now() < end) {
		struct timespec pause = {.tv_nsec = (long)(stress_random(&state) % 3000000)};

		stress_drain(&s, take);
		count_losses();
		nanosleep(&pause, NULL); /* too slow by design */
	}
}

static void reap(const pid_t *pids)
{
	for (unsigned i = 0; i < PROCESSES; i++)
		waitpid(pids[i], NULL, 0);
}

static void run_part(enum part p, const char *name, double seconds)
{
	pid_t pids[PROCESSES];

	begin_part(p);
	for (unsigned i = 0; i < PROCESSES; i++)
		pids[i] = start_process(i);
	read_for(seconds);
	*stop = 1;
	reap(pids);
	while (stress_drain(&s, take)) {
	}
	count_losses();
	end_part(name, p != EVERYWHERE);
}

/* What emit called written before or while the rings were closed is there; nothing comes after. */
static void run_closing(double seconds)
{
	uint64_t end = wt_clock_now() + (uint64_t)(seconds * 1e9);
	struct wt_err err = WT_ERR_INIT;
	pid_t pids[PROCESSES];
	unsigned rounds = 0, bad = 0;

	while (wt_clock_now() < end) {
		begin_part(CLOSING);
		for (unsigned i = 0; i < PROCESSES; i++)
			pids[i] = start_process(i);
		while (s.n < wt_ring_cpus()) /* late rings are the directory's owner's business */
			stress_refresh(&s);
		read_for(0.02);
		bad += wt_ring_directory_close_rings(s.directory, 5000, &err) != 0;
		while (stress_drain(&s, take)) {
		}
		count_losses();
		*stop = 1;
		reap(pids);
		bad += stress_drain(&s, take) || !exact(true) || torn || disorder || stress_damage(&s);
		rounds++;
		stress_end(&s);
	}
	printf("# closing: %u rounds\n", rounds);
	point(rounds && !bad, "closing: what was acknowledged is there, nothing comes afterwards");
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 20;
	void *shared = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	produced = shared;
	stop = (volatile int *)((char *)shared + 32768);
	printf("1..5\n");
	run_part(EVERYWHERE, "everywhere", seconds / 3);
	run_part(PINNED, "pinned", seconds / 3);
	run_closing(seconds / 3);
	return failures != 0;
}
