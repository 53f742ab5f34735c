// SPDX-License-Identifier: MIT
/* Short and odd lives of threads and processes, and the CPU time they came to, as the kernel's accounts of
 * whoever waited for them tell it.
 *
 *   lives SEED KIND N US
 *     N of them, each works for so many us, all named SEED-KIND. KIND:
 *       threads   one after the other, born and dead within a sampling period
 *       forks     children of one process, one after the other
 *       storm     the same by vfork, each becomes this program anew
 *       execs     one process that becomes this program again and again
 *       daemons   whose parents end before they begin
 *       bomb      all at once
 *       pinned    threads at once, all on the first CPU that is allowed
 *       nice      processes at once there, each second one as nice as can be
 *
 * Prints "SEED-KIND all NANOSECONDS", and "SEED-KIND own NANOSECONDS": without the way out, as they saw it on
 * their own clocks. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4000, OWN_FD = 100 };

static char name[16], seed[16], us_text[16], kind[16];
static uint64_t ns;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Where all of them write what they used, one word each. */
static void open_own(void)
{
	int fd;

	if (getenv("LIVES_OWN"))
		return;
	fd = memfd_create("own", 0);
	if (fd < 0 || dup2(fd, OWN_FD) < 0 || fcntl(OWN_FD, F_SETFL, O_APPEND) < 0)
		exit(1);
	close(fd);
	setenv("LIVES_OWN", "1", 1);
}

static void tell_own(void)
{
	uint64_t now = cpu_now();

	if (write(OWN_FD, &now, sizeof(now)) != sizeof(now))
		exit(1);
}

static uint64_t all_own(void)
{
	uint64_t sum = 0, one;

	for (off_t at = 0; pread(OWN_FD, &one, sizeof(one), at) == sizeof(one); at += sizeof(one))
		sum += one;
	return sum;
}

static void work(void)
{
	uint64_t begin = cpu_now();

	while (cpu_now() - begin < ns)
		for (volatile int i = 0; i < 1000; i++)
			;
}

static void *work_thread(void *arg)
{
	work();
	tell_own();
	return arg;
}

static void pin(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set)) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			return;
		}
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

static void threads(unsigned n, unsigned at_once)
{
	pthread_t thread[MOST];

	for (unsigned done = 0; done < n; done += at_once) {
		unsigned made = 0;

		while (made < at_once && !pthread_create(&thread[made], NULL, work_thread, NULL))
			made++;
		for (unsigned i = 0; i < made; i++)
			pthread_join(thread[i], NULL);
	}
}

static void begin_child(unsigned i)
{
	if (!strcmp(kind, "nice") && i % 2 && nice(19) < 0)
		_exit(1);
	if (strcmp(kind, "daemons") != 0 || fork() == 0)
		work();
	tell_own();
	_exit(0);
}

static void children(unsigned n, unsigned at_once)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			begin_child(i);
		if (pid < 0 || (i + 1) % at_once == 0)
			wait_for_all();
	}
	wait_for_all();
}

static void begin_one(void)
{
	if (vfork() == 0) {
		execl("/proc/self/exe", "lives", seed, "one", kind, us_text, NULL);
		_exit(1);
	}
}

static void storm(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		begin_one();
		wait_for_all();
	}
}

static void become_again(unsigned left)
{
	char text[16];

	work();
	snprintf(text, sizeof(text), "%u", left - 1);
	if (left > 1)
		execl("/proc/self/exe", "lives", seed, "execs", text, us_text, NULL);
}

static uint64_t used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

static int run(unsigned n)
{
	if (!strcmp(kind, "threads"))
		threads(n, 1);
	else if (!strcmp(kind, "pinned"))
		pin(), threads(n, n);
	else if (!strcmp(kind, "forks") || !strcmp(kind, "daemons"))
		children(n, 1);
	else if (!strcmp(kind, "nice"))
		pin(), children(n, n);
	else if (!strcmp(kind, "bomb"))
		children(n, n);
	else if (!strcmp(kind, "storm"))
		storm(n);
	else if (!strcmp(kind, "execs"))
		become_again(n);
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned n;

	if (argc != 5)
		return 2;
	snprintf(seed, sizeof(seed), "%s", argv[1]);
	snprintf(us_text, sizeof(us_text), "%s", argv[4]);
	snprintf(kind, sizeof(kind), "%s", strcmp(argv[2], "one") ? argv[2] : argv[3]);
	ns = strtoull(us_text, NULL, 10) * 1000;
	snprintf(name, sizeof(name), "%.7s-%.7s", seed, kind);
	prctl(PR_SET_NAME, name);
	if (!strcmp(argv[2], "one")) {
		work();
		tell_own();
		return 0;
	}
	open_own();
	n = (unsigned)strtoul(argv[3], NULL, 10);
	if (n > MOST)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (run(n) < 0)
		return 2;
	tell_own();
	printf("%s all %llu\n", name, (unsigned long long)(used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)));
	printf("%s own %llu\n", name, (unsigned long long)all_own());
	return 0;
}
