// SPDX-License-Identifier: MIT
/* Threads that wait in known ways, for tests of waits. Times are those of the trace's clock.
 *
 *	waits MODE [N]
 *
 * futex   two threads wake each other N times by a futex
 * pipe    two threads wake each other N times by pipes
 * sleep   one thread sleeps N times for 2 ms
 * lock    the first of four threads takes a mutex N times for 1 ms, while the others wait for it
 * child   one process waits N times for a child that sleeps for 2 ms
 * yield   two threads on one CPU give it to each other N times
 * spin    two threads on one CPU run for N ms each: each is ready while the other runs
 * starve  as spin, and the first thread has the lowest priority
 * sync    one thread writes 64 KiB to a file N times, and waits until they are on the disk
 * below   one thread waits N times in nanosleep, called by naps, or in poll, called by polls, below the same
 *frames
 *
 * All begin with a line "pid PID". Then a line for each thread, when it has ended its work, with what the
 *kernel counted of it between two moments when it ran:
 *
 *	thread NAME TID FROM TO RUN_NS WAIT_NS VOLUNTARY INVOLUNTARY
 *
 * RUN_NS and WAIT_NS are those of schedstat: they were 0 when the kernel does not keep them. sleep, lock,
 *child and sync also print a line for each wait: "wait TID BEFORE AFTER", the times just before and after the
 *call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WAITS = 4096, THREADS = 4 };

struct account {
	uint64_t time, run, wait;
	long voluntary, involuntary;
};

struct thread {
	const char *name;
	pthread_t id;
	int number, tid;
	struct account begin, end;
	struct {
		uint64_t before, after;
	} waits[MOST_WAITS];
	int n_waits;
	void (*work)(struct thread *thread);
};

static int rounds = 100;
static _Atomic int turn;
static int ends[2][2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void sleep_ns(long ns)
{
	const struct timespec ts = {0, ns};

	nanosleep(&ts, NULL);
}

static long switches_of(const struct rusage *usage)
{
	return usage->ru_nvcsw + usage->ru_nivcsw;
}

/* A thread reads its own account: it is running then, and leaves no CPU from the first reading to the last.
 */
static struct account account(int schedstat)
{
	struct account ret = {0};
	struct rusage before, usage;
	char text[128] = "";

	do {
		getrusage(RUSAGE_THREAD, &before);
		if (pread(schedstat, text, sizeof(text) - 1, 0) > 0)
			sscanf(text, "%lu %lu", &ret.run, &ret.wait);
		ret.time = now();
		getrusage(RUSAGE_THREAD, &usage);
	} while (switches_of(&before) != switches_of(&usage));
	ret.voluntary = usage.ru_nvcsw;
	ret.involuntary = usage.ru_nivcsw;
	return ret;
}

static void begin_wait(struct thread *thread)
{
	if (thread->n_waits < MOST_WAITS)
		thread->waits[thread->n_waits].before = now();
}

static void end_wait(struct thread *thread)
{
	if (thread->n_waits < MOST_WAITS)
		thread->waits[thread->n_waits++].after = now();
}

static void by_futex(struct thread *thread)
{
	for (int i = 0; i < rounds; i++) {
		while (turn % 2 != thread->number)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !thread->number, NULL, NULL, 0);
		turn = !thread->number;
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static void by_pipe(struct thread *thread)
{
	char byte = 0;

	for (int i = 0; i < rounds; i++) {
		if (thread->number == 0 && write(ends[0][1], &byte, 1) != 1)
			exit(1);
		if (read(ends[thread->number == 0][0], &byte, 1) != 1)
			exit(1);
		if (thread->number == 1 && write(ends[1][1], &byte, 1) != 1)
			exit(1);
	}
}

static void by_sleep(struct thread *thread)
{
	for (int i = 0; i < rounds; i++) {
		begin_wait(thread);
		sleep_ns(2000000);
		end_wait(thread);
	}
}

static void by_lock(struct thread *thread)
{
	for (int i = 0; i < rounds; i++) {
		if (thread->number == 0) {
			pthread_mutex_lock(&mutex);
			pthread_barrier_wait(&all);
			sleep_ns(1000000);
			pthread_mutex_unlock(&mutex);
		} else {
			pthread_barrier_wait(&all);
			begin_wait(thread);
			pthread_mutex_lock(&mutex);
			end_wait(thread);
			pthread_mutex_unlock(&mutex);
		}
		pthread_barrier_wait(&all);
	}
}

static void by_child(struct thread *thread)
{
	for (int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid) {
			sleep_ns(2000000);
			_exit(0);
		}
		begin_wait(thread);
		waitpid(pid, NULL, 0);
		end_wait(thread);
	}
}

/* The callers lie beyond what is copied of the stack, and their frames are alike. */
__attribute__((noinline)) static void wait_below(bool polls, int ms)
{
	volatile char room[6000];

	room[0] = 1;
	if (polls)
		poll(NULL, 0, ms);
	else
		sleep_ns(ms * 1000000L);
	room[sizeof(room) - 1] = room[0];
}

__attribute__((noinline)) static void naps(int ms)
{
	wait_below(false, ms);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void polls(int ms)
{
	wait_below(true, ms);
	__asm__ volatile("" ::: "memory");
}

static void by_below(struct thread *thread)
{
	(void)thread;
	for (int i = 0; i < rounds; i++)
		(i % 2 ? polls : naps)(i % 5 ? 1 : 200);
}

static void one_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void by_yield(struct thread *thread)
{
	(void)thread;
	for (int i = 0; i < rounds; i++)
		sched_yield();
}

static void by_spin(struct thread *thread)
{
	struct timespec ts;
	uint64_t until = 0;

	(void)thread;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		until = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
	} while (until < (uint64_t)rounds);
}

static void by_starve(struct thread *thread)
{
	if (thread->number == 0 && setpriority(PRIO_PROCESS, (id_t)thread->tid, 19))
		exit(1);
	by_spin(thread);
}

static void by_sync(struct thread *thread)
{
	static const char bytes[65536];
	FILE *file = tmpfile();

	for (int i = 0; i < rounds; i++) {
		if (!file || write(fileno(file), bytes, sizeof(bytes)) != sizeof(bytes))
			exit(1);
		begin_wait(thread);
		if (fsync(fileno(file)))
			exit(1);
		end_wait(thread);
	}
	fclose(file);
}

static void *run(void *arg)
{
	struct thread *thread = arg;
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY);

	thread->tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&all);
	thread->begin = account(schedstat);
	thread->work(thread);
	thread->end = account(schedstat);
	pthread_barrier_wait(&all);
	close(schedstat);
	return NULL;
}

static const struct {
	const char *name;
	int threads;
	bool one_cpu;
	void (*work)(struct thread *thread);
} modes[] = {{"futex", 2, false, by_futex}, {"pipe", 2, false, by_pipe},    {"sleep", 1, false, by_sleep},
	     {"lock", 4, false, by_lock},   {"child", 1, false, by_child},  {"yield", 2, true, by_yield},
	     {"spin", 2, true, by_spin},    {"starve", 2, true, by_starve}, {"sync", 1, false, by_sync},
	     {"below", 1, false, by_below}};

static void print(const struct thread *thread)
{
	const struct account *a = &thread->begin, *b = &thread->end;

	printf("thread %s %d %lu %lu %lu %lu %ld %ld\n", thread->name, thread->tid, a->time, b->time,
	       b->run - a->run, b->wait - a->wait, b->voluntary - a->voluntary,
	       b->involuntary - a->involuntary);
	for (int i = 0; i < thread->n_waits; i++)
		printf("wait %d %lu %lu\n", thread->tid, thread->waits[i].before, thread->waits[i].after);
}

int main(int argc, char **argv)
{
	static struct thread threads[THREADS];
	size_t mode = 0, n = sizeof(modes) / sizeof(modes[0]);

	while (argc > 1 && mode < n && strcmp(modes[mode].name, argv[1]) != 0)
		mode++;
	if (argc < 2 || mode == n || pipe(ends[0]) || pipe(ends[1]))
		return 2;
	rounds = argc > 2 ? (int)strtoul(argv[2], NULL, 10) : rounds;
	printf("pid %d\n", (int)getpid());
	if (modes[mode].one_cpu)
		one_cpu();
	pthread_barrier_init(&all, NULL, (unsigned)modes[mode].threads);
	for (int i = 0; i < modes[mode].threads; i++) {
		threads[i].name = modes[mode].name;
		threads[i].number = i;
		threads[i].work = modes[mode].work;
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			return 1;
	}
	for (int i = 0; i < modes[mode].threads; i++) {
		pthread_join(threads[i].id, NULL);
		print(&threads[i]);
	}
	return 0;
}
