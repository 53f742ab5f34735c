// SPDX-License-Identifier: MIT
/* Kinds of programs that stay one process: threads, stacks, signals, memory, descriptors, ends
 * (kinds/kind.h). */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>

#if !defined(WT_STATIC) && defined(__GLIBC__)
#include <dlfcn.h>
#endif
#ifdef __GLIBC__
#include <ucontext.h>
#endif

#include "tests/programs/kinds/kind.h"

static int nothing(void)
{
	return 0;
}

static int plain(void)
{
	ticks(100);
	return 0;
}

static int many(void)
{
	ticks(20000);
	return 0;
}

static int code(void)
{
	ticks(3);
	return 7;
}

static int threads(void)
{
	pthread_t all[8];
	int n = 0;

	while (n < 8 && !pthread_create(&all[n], NULL, ten_ticks, NULL))
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(all[i], NULL);
	say("%s\n", n ? "threads" : "no thread");
	return 0;
}

static int thread_chain(void)
{
	int n = 0;

	while (n < 100 && !in_thread(ten_ticks, NULL, 64))
		n++;
	say("%d threads\n", n);
	return 0;
}

static int small_stack(void)
{
	say("small stack %d\n", in_thread(ten_ticks, NULL, 16));
	return 0;
}

/* A cancel that waits: nothing on an event's way may be a point where it is looked at. */
static void *cancelled(void *ticked)
{
	pthread_cancel(pthread_self());
	ticks(10);
	*(int *)ticked = 1;
	pthread_testcancel();
	*(int *)ticked = 2;
	return NULL;
}

static int cancel(void)
{
	int ticked = 0, failed = in_thread(cancelled, &ticked, 64);

	say("cancelled %d %d\n", failed, ticked);
	return 0;
}

static pthread_key_t key;

static void at_thread_end(void *left)
{
	ticks(10);
	if ((intptr_t)left > 1)
		pthread_setspecific(key, (void *)((intptr_t)left - 1));
}

static void *with_key(void *unused)
{
	pthread_setspecific(key, (void *)3);
	return unused;
}

static int thread_end(void)
{
	pthread_key_create(&key, at_thread_end);
	say("thread %d\n", in_thread(with_key, NULL, 64));
	return 0;
}

static void at_end(void)
{
	ticks(10);
}

static int at_exit(void)
{
	atexit(at_end);
	ticks(1);
	return 0;
}

static void handle(int number)
{
	tick((unsigned)number);
}

static int storm(void)
{
	static char stack[16384];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_NODEFER};

	if (sigaltstack(&alternative, NULL) || sigaction(SIGUSR1, &action, NULL))
		return 1;
	for (int i = 0; i < 1000; i++)
		raise(SIGUSR1);
	return 0;
}

/* The mask is the program's own, before and after. */
static int mask(void)
{
	sigset_t all, now;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &now);
	ticks(10);
	say("mask %d", sigismember(&now, SIGUSR1));
	sigprocmask(SIG_SETMASK, &now, NULL);
	ticks(10);
	sigprocmask(SIG_SETMASK, NULL, &now);
	say(" %d\n", sigismember(&now, SIGUSR1));
	return 0;
}

static sigjmp_buf back;

static void leave(int number)
{
	tick((unsigned)number);
	siglongjmp(back, 1);
}

static int jump(void)
{
	volatile int n = 0;

	signal(SIGUSR1, leave);
	if (sigsetjmp(back, 1))
		n++;
	if (n < 100)
		raise(SIGUSR1);
	say("%d jumps\n", n);
	return 0;
}

static int keep_errno(void)
{
	for (unsigned i = 0; i < 10; i++) {
		errno = 77;
		tick(i);
		if (errno != 77)
			say("errno %d\n", errno);
	}
	return 0;
}

#ifdef __GLIBC__
static ucontext_t here, there;

static void coroutine(void)
{
	ticks(10);
	swapcontext(&there, &here);
	ticks(10);
}

static int coroutines(void)
{
	static char stacks[10][16384];

	for (int i = 0; i < 10; i++) {
		if (getcontext(&there))
			return 1;
		there.uc_stack.ss_sp = stacks[i];
		there.uc_stack.ss_size = sizeof(stacks[i]);
		there.uc_link = &here;
		makecontext(&there, coroutine, 0);
		swapcontext(&here, &there);
		swapcontext(&here, &there);
	}
	return 0;
}
#endif

/* So many bytes above a page that nothing may touch. */
static void *guarded(size_t size)
{
	const size_t page = 1 << 16; /* the largest there is */
	char *bytes = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return bytes == MAP_FAILED || mprotect(bytes, page, PROT_NONE) ? NULL : bytes + page;
}

/* The making of rings takes 2.4 KiB of stack: it is over before, for the CPU that the thread stays on. */
static void settle(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	ticks(2);
}

/* 2 KiB are enough for an event. */
#ifdef __GLIBC__
static int small_coroutine(void)
{
	settle();
	if (getcontext(&there))
		return 1;
	there.uc_stack.ss_sp = guarded(2048);
	there.uc_stack.ss_size = 2048;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
	swapcontext(&here, &there);
	return 0;
}
#endif

/* And 1 KiB beside what the kernel puts on a handler's stack. */
static int small_alternate(void)
{
#ifdef AT_MINSIGSTKSZ
	size_t size = getauxval(AT_MINSIGSTKSZ);
#else
	size_t size = 0;
#endif
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	stack_t alternative;

	settle();
	size = (size ? size : (size_t)MINSIGSTKSZ) + 1024;
	alternative = (stack_t){.ss_sp = guarded(size), .ss_size = size};
	if (sigaltstack(&alternative, NULL) || sigaction(SIGUSR1, &action, NULL))
		return 1;
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	return 0;
}

/* Down until 12 KiB of the thread's 64 are left. */
static __attribute__((noinline)) int down(const char *top, unsigned depth)
{
	volatile char frame[256];

	frame[0] = (char)depth;
	if (top - (const char *)__builtin_frame_address(0) < 52 * 1024)
		return down(top, depth + 1) + (frame[0] != (char)depth);
	ticks(10);
	return 0;
}

static void *deep_thread(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)down(__builtin_frame_address(0), 0);
}

static int deep(void)
{
	say("deep %d\n", in_thread(deep_thread, NULL, 64));
	return 0;
}

/* No more address space from here on. */
static int no_memory(void)
{
	struct rlimit none = {0, 0};

	ticks(1);
	setrlimit(RLIMIT_AS, &none);
	setrlimit(RLIMIT_DATA, &none);
	say("%s\n", malloc(64u << 20) ? "memory" : "no memory");
	ticks(100);
	return 0;
}

static int no_memory_first(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_AS, &none);
	ticks(100);
	return 0;
}

/* What is mapped from here on is to be in memory at once. */
static int locked(void)
{
	say("locked %d\n", mlockall(MCL_CURRENT | MCL_FUTURE) ? errno == EPERM || errno == ENOMEM : 0);
	ticks(100);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static int file_size(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_FSIZE, &none);
	ticks(100);
	return 0;
}

static int aborts(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	ticks(10);
	say("aborts\n");
	abort();
}

static int faults(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	ticks(10);
	say("faults\n");
	raise(SIGSEGV);
	return 0;
}

static void *ends_all(void *unused)
{
	(void)unused;
	ticks(10);
	exit(5);
}

static int exit_in_thread(void)
{
	atexit(at_end);
	say("thread %d\n", in_thread(ends_all, NULL, 64));
	return 0;
}

static pthread_mutex_t first_is_there = PTHREAD_MUTEX_INITIALIZER;

static void *outlives(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&first_is_there);
	ticks(10);
	say("outlives\n");
	exit(6);
}

/* The first thread ends before the others. */
static int first_ends(void)
{
	pthread_t thread;

	pthread_mutex_lock(&first_is_there);
	if (pthread_create(&thread, NULL, outlives, NULL))
		return 8;
	ticks(10);
	pthread_mutex_unlock(&first_is_there);
	pthread_exit(NULL);
}

static int closed_stdio(void)
{
	int mine, out = fcntl(1, F_DUPFD, 50);

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	kind_register();
	ticks(10);
	mine = open("/dev/null", O_RDWR);
	if (out >= 0)
		dup2(out, 1);
	ticks(10);
	say("opened %d\n", mine);
	return 0;
}

static int closes_all(void)
{
	ticks(1);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static int no_descriptors(void)
{
	int n = 0;

	while (n < 5000 && open("/dev/null", O_RDONLY) >= 0)
		n++;
	say("%d descriptors\n", n);
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static int no_umask(void)
{
	umask(0777);
	kind_register();
	ticks(100);
	say("umask %o\n", umask(0));
	return 0;
}

#ifdef WT_WITHOUT
static int big(void)
{
	kind_counts->produced += 20;
	return 0;
}

static int comes_and_goes(void)
{
	kind_counts->produced += 100;
	return 0;
}

static int state(void)
{
	ticks(10);
	return 0;
}

static int helper(void)
{
	ticks(10);
	return 0;
}
#else
static int big(void)
{
	static char bytes[60000];

	for (unsigned i = 0; i < 20; i++) {
		kind_counts->produced++;
		wtrace_event(&kind_provider, "big", WTRACE_INFO, 0x1, wtrace_u32("case", kind_case),
			     wtrace_binary("bytes", bytes, sizeof(bytes)));
	}
	return 0;
}

static int comes_and_goes(void)
{
	for (unsigned i = 0; i < 100; i++) {
		kind_register();
		tick(i);
		wtrace_unregister(&kind_provider);
	}
	return 0;
}

static int state(void)
{
	for (unsigned i = 0; i < 100; i++)
		wtrace_state(&kind_provider, i, "state", WTRACE_INFO, 0x2, wtrace_u32("at", i));
	ticks(10);
	return 0;
}

static int helper(void)
{
	wtrace_helper_start();
	ticks(10);
	wtrace_helper_stop();
	return 0;
}
#endif

#if !defined(WT_STATIC) && defined(__GLIBC__)
/* A library with a provider comes and goes; its events are not counted here. */
static int plugin(void)
{
	const char *path = getenv("WT_PLUGIN");

	for (int i = 0; path && i < 20; i++) {
		void *library = dlopen(path, RTLD_NOW);
		void (*work)(int n);

		if (!library)
			return 1;
		*(void **)&work = dlsym(library, "wt_plugin_work");
		if (work)
			work(i);
		dlclose(library);
		tick((unsigned)i);
	}
	return 0;
}
#endif

const struct kind wt_kinds[] = {
	{"nothing", nothing, NULL},
	{"plain", plain, NULL},
	{"many", many, NULL},
	{"code", code, NULL},
	{"big", big, NULL},
	{"threads", threads, NULL},
	{"thread_chain", thread_chain, NULL},
	{"small_stack", small_stack, NULL},
#ifdef __GLIBC__
	{"small_coroutine", small_coroutine, NULL},
#endif
	{"small_alternate", small_alternate, NULL},
	{"cancel", cancel, NULL},
	{"thread_end", thread_end, NULL},
	{"at_exit", at_exit, NULL},
	{"storm", storm, NULL},
	{"mask", mask, NULL},
	{"jump", jump, NULL},
	{"keep_errno", keep_errno, NULL},
	{"deep", deep, NULL},
	{"no_memory", no_memory, NULL},
	{"no_memory_first", no_memory_first, NULL},
	{"locked", locked, NULL},
	{"file_size", file_size, NULL},
	{"aborts", aborts, NULL},
	{"faults", faults, NULL},
	{"exit_in_thread", exit_in_thread, NULL},
	{"first_ends", first_ends, NULL},
	{"closed_stdio", closed_stdio, "register"},
	{"closes_all", closes_all, NULL},
	{"no_descriptors", no_descriptors, NULL},
	{"no_umask", no_umask, "register"},
	{"comes_and_goes", comes_and_goes, "register"},
	{"state", state, NULL},
	{"helper", helper, NULL},
#ifdef __GLIBC__
	{"coroutines", coroutines, NULL},
#endif
#if !defined(WT_STATIC) && defined(__GLIBC__)
	{"plugin", plugin, NULL},
#endif
	{NULL, NULL, NULL},
};
