// SPDX-License-Identifier: MIT
/*
 * Many threads that do a bit of everything, and the kernel's account of each: mixture THREADS MS [SEED].
 *
 * Threads are partners by two. Each works for a random time, sleeps, takes one of a few mutexes, hands a byte
 *to its partner through a pipe or a futex and waits for the answer, or yields, until MS ms of the trace's
 *clock are over. It prints what tests/programs/waits.c prints: "pid PID", and for each thread
 *
 *	thread mixture TID FROM TO RUN_NS WAIT_NS VOLUNTARY INVOLUNTARY
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MUTEXES = 8, SMALL_STACK = 64 << 10 };

struct account {
	uint64_t time, run, wait;
	long voluntary, involuntary;
};

/* What two threads share. */
struct pair {
	_Atomic uint32_t asked, answered;
	int pipes[2][2]; /* to the second, to the first */
	_Atomic int ended;
};

struct thread {
	pthread_t id;
	int number, tid;
	unsigned seed;
	struct pair *pair;
	struct account begin, end;
};

static uint64_t stop_at;
static pthread_mutex_t mutexes[MUTEXES];
static pthread_barrier_t all;
static volatile uint64_t sink;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static long switches_of(const struct rusage *usage)
{
	return usage->ru_nvcsw + usage->ru_nivcsw;
}

/* A thread reads its own account: it is running then, and leaves no CPU from the first reading to the last.
 */
static struct account account(void)
{
	struct account ret = {0};
	struct rusage before, usage;
	char text[128] = "";
	int fd = open("/proc/thread-self/schedstat", O_RDONLY);

	do {
		getrusage(RUSAGE_THREAD, &before);
		if (fd >= 0 && pread(fd, text, sizeof(text) - 1, 0) > 0)
			sscanf(text, "%lu %lu", &ret.run, &ret.wait);
		ret.time = now();
		getrusage(RUSAGE_THREAD, &usage);
	} while (switches_of(&before) != switches_of(&usage));
	if (fd >= 0)
		close(fd);
	ret.voluntary = usage.ru_nvcsw;
	ret.involuntary = usage.ru_nivcsw;
	return ret;
}

static void spin(unsigned us)
{
	for (uint64_t end = now() + us * UINT64_C(1000); now() < end;)
		for (int i = 0; i < 100; i++)
			sink = sink * 6364136223846793005 + 1;
}

static void nap(unsigned us)
{
	const struct timespec ts = {0, us * 1000L};

	nanosleep(&ts, NULL);
}

/* Waits until the number is reached; a timeout looks whether the partner has ended. */
static void wait_for(struct thread *thread, _Atomic uint32_t *number, uint32_t goal)
{
	const struct timespec most = {0, 20000000};
	uint32_t seen;

	while ((int32_t)((seen = *number) - goal) < 0 && !thread->pair->ended)
		syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, &most, NULL, 0);
}

static void add_one(_Atomic uint32_t *number)
{
	(*number)++;
	syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The first of a pair asks; the second only ever answers. */
static void by_futex(struct thread *thread)
{
	struct pair *pair = thread->pair;

	add_one(&pair->asked);
	wait_for(thread, &pair->answered, pair->asked);
}

static void by_pipe(struct thread *thread)
{
	char byte = 1;
	const int *to = thread->pair->pipes[0], *from = thread->pair->pipes[1];

	if (write(to[1], &byte, 1) != 1)
		exit(1);
	add_one(&thread->pair->asked);
	if (read(from[0], &byte, 1) != 1 && !thread->pair->ended)
		exit(1);
	wait_for(thread, &thread->pair->answered, thread->pair->asked);
}

static void by_mutex(struct thread *thread)
{
	pthread_mutex_t *mutex = &mutexes[(unsigned)rand_r(&thread->seed) % MUTEXES];

	pthread_mutex_lock(mutex);
	spin((unsigned)rand_r(&thread->seed) % 100);
	pthread_mutex_unlock(mutex);
}

static void ask(struct thread *thread)
{
	while (now() < stop_at) {
		switch (rand_r(&thread->seed) % 8) {
		case 0:
			spin((unsigned)rand_r(&thread->seed) % 200);
			break;
		case 1:
			sched_yield();
			break;
		case 2:
			by_mutex(thread);
			break;
		case 3:
			nap((unsigned)rand_r(&thread->seed) % 100000);
			break;
		case 4:
		case 5:
			by_pipe(thread);
			break;
		default:
			by_futex(thread);
			break;
		}
		nap((unsigned)rand_r(&thread->seed) % 40000);
	}
	thread->pair->ended = 1;
	add_one(&thread->pair->asked);
}

static void answer(struct thread *thread)
{
	struct pair *pair = thread->pair;
	char byte;

	fcntl(pair->pipes[0][0], F_SETFL, O_NONBLOCK);
	while (!pair->ended) {
		wait_for(thread, &pair->asked, pair->answered + 1);
		if (read(pair->pipes[0][0], &byte, 1) == 1 && write(pair->pipes[1][1], &byte, 1) != 1)
			exit(1);
		if (pair->answered != pair->asked)
			add_one(&pair->answered);
	}
}

static void *run(void *ctx)
{
	struct thread *thread = ctx;

	thread->tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&all);
	thread->begin = account();
	if (thread->number % 2)
		answer(thread);
	else
		ask(thread);
	thread->end = account();
	pthread_barrier_wait(&all);
	return NULL;
}

static void print(const struct thread *thread)
{
	const struct account *a = &thread->begin, *b = &thread->end;

	printf("thread mixture %d %lu %lu %lu %lu %ld %ld\n", thread->tid, a->time, b->time, b->run - a->run,
	       b->wait - a->wait, b->voluntary - a->voluntary, b->involuntary - a->involuntary);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) & ~1U : 2;
	uint64_t ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	unsigned seed = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	struct thread *threads = calloc(n, sizeof(*threads));
	struct pair *pairs = calloc(n / 2 + 1, sizeof(*pairs));
	pthread_attr_t attr;

	if (!n || !threads || !pairs)
		return 2;
	for (int i = 0; i < MUTEXES; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	pthread_barrier_init(&all, NULL, n);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	printf("pid %d\n", (int)getpid());
	stop_at = now() + ms * 1000000;
	for (unsigned i = 0; i < n; i++) {
		struct thread *thread = &threads[i];

		*thread = (struct thread){.number = (int)i, .seed = seed + i, .pair = &pairs[i / 2]};
		if (!(i % 2) && (pipe(thread->pair->pipes[0]) || pipe(thread->pair->pipes[1])))
			return 1;
		if (pthread_create(&thread->id, &attr, run, thread))
			return 1;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(threads[i].id, NULL);
		print(&threads[i]);
	}
	return 0;
}
