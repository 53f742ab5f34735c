// SPDX-License-Identifier: MIT
/* A thread waits, called by truly, while somebody puts other bytes into its stack, by which falsely called
 *it. Before it goes on, its stack is as it was. Nothing ever waits below falsely, but for what an exec has
 *begun.
 *
 *	wait_liar WHO [N]
 *
 * N times, by
 * thread   another thread, while the first one waits
 * second   the first thread, while another one waits
 * vm       a process that shares the memory
 * vfork    the child that the thread has made with vfork, and waits for
 * process  another process, with process_vm_writev
 * exec     nobody: another thread begins the program ./liar_after, a link to this one, whose first thread
 *then has the same number and has left its CPU as often, and waits in the same place below falsely
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ROOM bytes lie between the place of the wait and the return address to truly or falsely; what is written
 * over begins SPARE bytes into them. */
enum { ROOM = 6000, SPARE = 3000, WRITTEN = 3400, STACK = 1 << 20, LIE_MS = 60, TURNS = 12 };
/* The stack of the waiting thread is there in every program, so that an address in it is the same again. */
#define STACK_AT ((void *)UINT64_C(0x200000000000))

static uint8_t right[WRITTEN], wrong[WRITTEN];
static uint8_t *volatile place; /* where they belong */
static int begun[2], ended[2];  /* pipes between the thread and the liar */
static int rounds = 8;
static const char *who;
static ucontext_t first, on_stack;

static void write_at(const uint8_t *bytes)
{
	memcpy(place, bytes, WRITTEN);
}

/* Lies once, when the thread waits; 0: the end. */
static int lie(void (*learn)(void), void (*put)(const uint8_t *bytes))
{
	char byte;

	if (read(begun[0], &byte, 1) != 1 || !byte)
		return 0;
	learn();
	usleep(3000);
	put(wrong);
	usleep(LIE_MS * 1000);
	put(right);
	return write(ended[1], &byte, 1) == 1;
}

static void know(void)
{
}

static void *by_thread(void *arg)
{
	while (lie(know, write_at))
		;
	return arg;
}

static int by_vm(void *arg)
{
	by_thread(arg);
	return 0;
}

static void put_from_outside(const uint8_t *bytes)
{
	struct iovec here = {(void *)(uintptr_t)bytes, WRITTEN}, there = {place, WRITTEN};

	if (process_vm_writev(getppid(), &here, 1, &there, 1, 0) != WRITTEN)
		_exit(1);
}

static void learn_from_outside(void)
{
	struct iovec all[3] = {
		{right, WRITTEN}, {wrong, WRITTEN}, {(void *)(uintptr_t)&place, sizeof(place)}};

	if (process_vm_readv(getppid(), all, 3, all, 3, 0) != 2 * WRITTEN + (ssize_t)sizeof(place))
		_exit(1);
}

static int by_process(void)
{
	while (lie(learn_from_outside, put_from_outside))
		;
	return 0;
}

/* Without a wait of its own. */
static void spin(void)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < LIE_MS);
}

/* Waits for the liar, or for the child that lies. */
__attribute__((noinline)) static void wait_below(int writes)
{
	const struct timespec long_time = {1, 0};
	volatile uint8_t room[ROOM];
	char byte = 1;

	room[0] = room[ROOM - 1] = 1;
	place = (uint8_t *)room + SPARE;
	if (writes) {
		memcpy(wrong, place, WRITTEN);
		return;
	}
	memcpy(right, place, WRITTEN);
	if (!strcmp(who, "exec")) {
		/* The same call with one thread and with several. */
		syscall(SYS_ppoll, NULL, 0, &long_time, NULL, 0);
	} else if (strcmp(who, "vfork") != 0) {
		if (write(begun[1], &byte, 1) != 1 || read(ended[0], &byte, 1) != 1)
			_exit(1);
	} else if (!vfork()) {
		write_at(wrong);
		spin();
		write_at(right);
		_exit(0);
	}
	room[1] = room[0];
}

__attribute__((noinline)) static void truly(int writes)
{
	wait_below(writes);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void falsely(int writes)
{
	wait_below(writes);
	__asm__ volatile("" ::: "memory");
}

static void (*volatile below[2])(int writes) = {falsely, truly};

static void by_hand(void)
{
	below[0](1);
	for (int i = 0; i < rounds; i++)
		below[1](0);
}

/* ---- exec ---- */

static long turns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static char wanted[16];

static void *begin_after(void *arg)
{
	char byte;

	if (read(begun[0], &byte, 1) == 1) {
		usleep(1000);
		execl("./liar_after", "liar_after", "after", wanted, NULL);
	}
	return arg;
}

/* Both programs come to their wait with the same stack pointer. */
static void before(void)
{
	char byte = 1;
	pthread_t thread;

	if (pthread_create(&thread, NULL, begin_after, NULL))
		exit(1);
	while (turns() < TURNS)
		usleep(1);
	snprintf(wanted, sizeof(wanted), "%ld", turns());
	if (write(begun[1], &byte, 1) != 1)
		exit(1);
}

static void after(void)
{
	while (turns() < rounds)
		usleep(1);
	if (turns() != rounds)
		exit(0);
}

static void once(void)
{
	int is_after = !strcmp(who, "after");

	(is_after ? after : before)();
	who = "exec";
	below[!is_after](0);
	exit(0);
}

/* ---- */

static void *by_second(void *arg)
{
	char byte = 0;

	by_hand();
	return write(begun[1], &byte, 1) == 1 ? arg : NULL;
}

static void on_the_stack(void)
{
	if (mmap(STACK_AT, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		 -1, 0) != STACK_AT)
		exit(2);
	getcontext(&on_stack);
	on_stack.uc_stack.ss_sp = STACK_AT;
	on_stack.uc_stack.ss_size = STACK / 2;
	on_stack.uc_link = &first;
	makecontext(&on_stack, once, 0);
	swapcontext(&first, &on_stack);
}

static void execs(void)
{
	for (int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid)
			on_the_stack();
		waitpid(pid, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static uint8_t stack[65536] __attribute__((aligned(16)));
	char byte = 0;
	pthread_t thread;
	pid_t pid = 0;

	if (argc < 2 || pipe(begun) || pipe(ended))
		return 2;
	who = argv[1];
	rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : rounds;
	if (!strcmp(who, "exec") && !(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		personality(ADDR_NO_RANDOMIZE);
		execv(argv[0], argv);
	}
	if (!strcmp(who, "exec"))
		execs();
	else if (!strcmp(who, "after"))
		on_the_stack();
	if (!strcmp(who, "exec") || !strcmp(who, "after"))
		return 0;
	if (!strcmp(who, "thread") && pthread_create(&thread, NULL, by_thread, NULL))
		return 1;
	if (!strcmp(who, "second")) {
		if (pthread_create(&thread, NULL, by_second, NULL))
			return 1;
		by_thread(NULL);
		return 0;
	}
	if (!strcmp(who, "vm"))
		pid = clone(by_vm, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	if (!strcmp(who, "process") && !(pid = fork()))
		return by_process();
	by_hand();
	if (write(begun[1], &byte, 1) != 1)
		return 1;
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return 0;
}
