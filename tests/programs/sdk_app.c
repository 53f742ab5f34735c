// SPDX-License-Identifier: MIT
/* Events in every situation a program can be in: sdk_app SITUATION [ARGUMENT]. Prints one line: what it did.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef WT_STATIC
#include <dlfcn.h>
#endif

#include "providers/sdk/wtrace.h"

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "sdk-app");

static void tick(int n)
{
	wtrace_event(&app, "tick", WTRACE_INFO, 0x1, wtrace_i32("n", n), wtrace_i32("pid", (int)getpid()));
}

/* Before main, and before the constructors of most libraries. */
static __attribute__((constructor(101))) void before_main(void)
{
	wtrace_register(&app);
	tick(0);
}

static int early(const char *unused)
{
	(void)unused;
	printf("1 tick\n");
	return 0;
}

static int ticks(const char *count)
{
	int n = (int)strtol(count, NULL, 10);

	for (int i = 1; i < n; i++)
		tick(i);
	printf("%d ticks\n", n);
	return 0;
}

static int forks(const char *unused)
{
	(void)unused;
	for (int i = 1; i <= 3; i++) {
		pid_t child = fork();

		if (!child) {
			tick(i);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		printf("tick %d of %d\n", i, (int)child);
	}
	return 0;
}

static void handle(int number)
{
	tick(number);
}

static int signals(const char *unused)
{
	(void)unused;
	signal(SIGUSR1, handle);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	printf("11 ticks\n");
	return 0;
}

static volatile int stop;

static void *keep_ticking(void *count)
{
	while (!stop) {
		tick(++*(int *)count);
		usleep(10);
	}
	return NULL;
}

#ifdef WT_STATIC
#define dlopen(path, how) NULL
#define dlerror()         "a static program"
#define dlclose(library)  (void)(library)
static void *dlsym(void *library, const char *name)
{
	(void)library, (void)name;
	return NULL;
}
#endif

/* A library with a provider comes and goes while another thread writes. */
static int plugins(const char *path)
{
	pthread_t thread;
	int count = 0;

	pthread_create(&thread, NULL, keep_ticking, &count);
	for (int i = 0; i < 50; i++) {
		void *library = dlopen(path, RTLD_NOW);
		void (*work)(int n);

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&work = dlsym(library, "wt_plugin_work");
		work(i);
		dlclose(library);
		if (dlopen(path, RTLD_NOW | RTLD_NOLOAD)) {
			fprintf(stderr, "%s is still there\n", path);
			return 1;
		}
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("%d ticks\n", count + 1);
	return 0;
}

/* What is not allowed: a child that shares the memory and writes before it execs. */
static int vforks(const char *unused)
{
	volatile int i;

	(void)unused;
	for (i = 1; i <= 100; i++) {
		pid_t child = vfork();

		if (!child) {
			tick(-i);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		tick(i);
	}
	printf("101 ticks\n");
	return 0;
}

/* Many objects with one name. */
static int instances(const char *unused)
{
	static struct wtrace_provider many[1000];

	(void)unused;
	for (int i = 0; i < 1000; i++) {
		struct wtrace_provider one = WTRACE_PROVIDER_INIT(many[i], "sdk-many");

		many[i] = one;
		if (wtrace_register(&many[i])) {
			printf("%d: %s\n", i, wtrace_why(&many[i]));
			return 1;
		}
	}
	for (int i = 0; i < 1000; i++)
		wtrace_unregister(&many[i]);
	printf("1000 instances\n");
	return 0;
}

/* Until a session wants the ticks, and then until none does. */
static int wait_for_sessions(const char *unused)
{
	int n = 0;

	(void)unused;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("waiting\n");
	while (!wtrace_sessions(&app))
		usleep(1000);
	tick(++n);
	printf("wanted\n");
	while (wtrace_sessions(&app))
		usleep(1000);
	printf("%d ticks\n", n);
	return 0;
}

/* Ticks for so many seconds, or while the file named is there, with a little of everything else that touches
 * what is shared. */
static int spell(const char *extent)
{
	static struct wtrace_provider other = WTRACE_PROVIDER_INIT(other, "sdk-other");
	time_t end = time(NULL) + strtol(extent, NULL, 10);
	int n = 0;

	while (*extent == '/' ? !access(extent, F_OK) : time(NULL) < end) {
		for (int i = 0; i < 100; i++)
			tick(++n);
		wtrace_register(&other);
		wtrace_event(&other, "once", WTRACE_INFO, 0x1, wtrace_i32("n", n));
		wtrace_unregister(&other);
		usleep(500);
	}
	printf("%d ticks\n", n + 1);
	return 0;
}

/* Until it is killed; FILE has the number of ticks whose write has returned, the first one included. */
static int acked(const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
	volatile uint64_t *done;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (done == MAP_FAILED)
		return 1;
	*done = 1;
	for (int n = 1;; n++) {
		tick(n);
		++*done;
	}
}

/* One tick, then until the input ends. */
static int hold(const char *unused)
{
	(void)unused;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1 tick\n");
	while (getchar() != EOF)
		;
	return 0;
}

static int why(const char *unused)
{
	const char *text = wtrace_why(&app);

	(void)unused;
	printf("%s\n", text ? text : "registered");
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *argument);
} situations[] = {
	{"early", early},         {"ticks", ticks},     {"forks", forks},
	{"signals", signals},     {"plugins", plugins}, {"vforks", vforks},
	{"instances", instances}, {"why", why},         {"wait", wait_for_sessions},
	{"spell", spell},         {"acked", acked},     {"hold", hold},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(situations) / sizeof(*situations); i++)
		if (!strcmp(argv[1], situations[i].name))
			return situations[i].run(argc > 2 ? argv[2] : "");
	fprintf(stderr, "usage: sdk_app SITUATION [ARGUMENT]\n");
	return 2;
}
