// SPDX-License-Identifier: MIT
/*
 * Stacks of unusual ways to call, and the truth about them: twists CPU_SECONDS SEED TRUTH [LIBRARY...].
 *
 * Each thread has one of three callers lead, in one of many ways, to a function that spins for some ms:
 * signals on other stacks, contexts, jumps, unwinding, vfork, code without a file and without data, calls
 * that are the last instruction of a function, return addresses and whole chains of them left lying in
 * frames. TRUTH gets a line for each call as that of frames does; the caller is "-" on the stack of a
 * context, which ends there, and the last number says which way it was, from 1000 on. LIBRARIES have a
 * function "through", called while they are loaded, one after the other at the same addresses.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* One function, one frame. */
#ifdef __clang__ /* it makes no clones and does not know the word */
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif

enum { THREADS = 3, STACK = 1 << 20, ALTERNATE = 256 << 10, FIRST = 1000, MOST_LIBRARIES = 4 };

struct call {
	uint64_t begin, end;
	pid_t tid;
	char caller;
	int way;
};

struct worker {
	pthread_t thread;
	unsigned seed;
	pid_t tid;
	struct call *calls;
	size_t n, cap;
	ucontext_t here, there;
	void *context_stack, *other_stack;
	sigjmp_buf back;
	uint64_t until;
	/* Of the call that is on its way, where it is not the thread's own from caller to end. */
	uint64_t begin, end;
	pid_t child;
	char caller;
};

static struct worker workers[THREADS];
static _Thread_local struct worker *me;
static volatile uint64_t stop_at = UINT64_MAX;
static volatile uint64_t sink;
static char *libraries[MOST_LIBRARIES];
static int n_libraries;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void spin_here(uint64_t until);
__attribute__((used)) ALONE void spin_here(uint64_t until)
{
	while (now() < until && now() < stop_at)
		for (int i = 0; i < 200; i++)
			sink = sink * 6364136223846793005 + 1;
}

ALONE void caller_a(void (*way)(uint64_t), uint64_t until);
ALONE void caller_b(void (*way)(uint64_t), uint64_t until);
ALONE void caller_c(void (*way)(uint64_t), uint64_t until);

/* A frame full of what looks like frames: chains of pointers and return addresses into the callers. */
#define FILL(room)                                                                                \
	do {                                                                                      \
		for (size_t at = 0; at + 2 < sizeof(room) / 8; at += 2) {                         \
			(room)[at] = (uint64_t)(uintptr_t) & (room)[at + 2];                      \
			(room)[at + 1] = (uint64_t)(uintptr_t)(at & 2 ? caller_a : caller_b) + 9; \
		}                                                                                 \
	} while (0)

ALONE static void decoys(uint64_t until)
{
	volatile uint64_t room[200 << 7];

	FILL(room);
	spin_here(until);
	sink += room[5];
}

ALONE static void on_other_stack(int number)
{
	(void)number;
	spin_here(me->until);
	sink++;
}

ALONE static void on_other_stack_deep(int number)
{
	(void)number;
	decoys(me->until);
	sink++;
}

/* A signal below a large frame, taken on another stack. */
ALONE static void by_signal(uint64_t until)
{
	volatile uint64_t room[64 << 7];

	FILL(room);
	me->until = until;
	pthread_kill(pthread_self(), SIGUSR1);
	sink += room[5];
}

ALONE static void by_deep_signal(uint64_t until)
{
	volatile uint64_t room[16 << 7];

	FILL(room);
	me->until = until;
	pthread_kill(pthread_self(), SIGUSR2);
	sink += room[5];
}

/* The other stack lies in the frame of who is interrupted. */
ALONE static void by_inner_stack(uint64_t until)
{
	static _Thread_local stack_t was;
	char room[ALTERNATE / 4];
	stack_t inner = {.ss_sp = room, .ss_size = sizeof(room)};

	me->until = until;
	if (sigaltstack(&inner, &was))
		abort();
	pthread_kill(pthread_self(), SIGUSR1);
	sigaltstack(&was, NULL);
	sink += (uint64_t)room[5];
}

ALONE static void in_context(void)
{
	me->begin = now();
	spin_here(me->until);
	me->end = now();
	me->caller = '-';
}

ALONE static void by_context(uint64_t until)
{
	me->until = until;
	getcontext(&me->there);
	me->there.uc_stack.ss_sp = me->context_stack;
	me->there.uc_stack.ss_size = STACK;
	me->there.uc_link = &me->here;
	makecontext(&me->there, in_context, 0);
	swapcontext(&me->here, &me->there);
	sink++;
}

ALONE static void jump(int depth)
{
	volatile char room[8 << 10];

	room[depth] = 1;
	if (depth)
		jump(depth - 1);
	sink += (uint64_t)room[depth];
	siglongjmp(me->back, 1);
}

ALONE static void by_jump(uint64_t until)
{
	if (!sigsetjmp(me->back, 0))
		jump(20);
	spin_here(until);
	sink++;
}

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception, struct _Unwind_Context *context,
				void *arg)
{
	(void)version, (void)actions, (void)class, (void)exception, (void)context, (void)arg;
	spin_here(me->until);
	siglongjmp(me->back, 1);
}

/* In the middle of unwinding. */
ALONE static void by_unwinding(uint64_t until)
{
	static _Thread_local struct _Unwind_Exception exception;
	volatile char room[32 << 10];

	me->until = until;
	room[7] = 1;
	if (!sigsetjmp(me->back, 0))
		_Unwind_ForcedUnwind(&exception, stop, NULL);
	sink += (uint64_t)room[7];
}

ALONE static void by_vfork(uint64_t until)
{
	volatile char room[16 << 10];
	pid_t child;

	room[9] = 1;
	child = vfork();
	if (!child) {
		me->begin = now();
		spin_here(until);
		me->end = now();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	me->child = child;
	sink += (uint64_t)room[9];
}

ALONE static void by_alloca(uint64_t until)
{
	volatile char *room = __builtin_alloca(8000 + (until % 64) * 1000);

	room[3] = 1;
	spin_here(until);
	sink += (uint64_t)room[3];
}

/* A library that lies where another one lay. */
ALONE static void by_library(uint64_t until)
{
	void (*through)(void (*)(uint64_t), uint64_t);
	void *library;

	pthread_mutex_lock(&loading);
	library = n_libraries ? dlopen(libraries[until % (unsigned)n_libraries], RTLD_NOW) : NULL;
	if (library) {
		*(void **)&through = dlsym(library, "through");
		through(spin_here, until < now() + 3000000 ? until : now() + 3000000);
		dlclose(library);
	}
	pthread_mutex_unlock(&loading);
	sink++;
}

#ifdef __x86_64__
/* by_nothing has no data at all. by_end ends with its call: what it returns to is by_next, which is larger.
 * by_push goes on by ret. by_prologue makes many small frames for signals to hit. by_rbp lets its frame
 * pointer lead into decoys. Optimization at link time parts the functions of a file: what asm calls, and what
 * calls it, is known elsewhere. */
__asm__(".text\n"
	".globl by_nothing, by_end, by_push, small_frames\n"
	".type by_nothing,@function\n"
	"by_nothing: sub $72,%rsp; call spin_here; add $72,%rsp; ret\n"
	".size by_nothing,.-by_nothing\n"
	".type by_end,@function\n"
	"by_end: .cfi_startproc; sub $8,%rsp; .cfi_adjust_cfa_offset 8; call spin_and_jump\n"
	".cfi_endproc; .size by_end,.-by_end\n"
	".type by_next,@function\n"
	"by_next: .cfi_startproc; .cfi_def_cfa_offset 40016; sub $40008,%rsp; add $40008,%rsp; ret\n"
	".cfi_endproc; .size by_next,.-by_next\n"
	".type by_push,@function\n"
	"by_push: .cfi_startproc; lea 1f(%rip),%rax; push %rax; .cfi_adjust_cfa_offset 8\n"
	"lea spin_here(%rip),%rax; push %rax; ret\n"
	"1: .cfi_adjust_cfa_offset -8; ret; .cfi_endproc; .size by_push,.-by_push\n"
	".type small_frames,@function\n"
	"small_frames: .cfi_startproc\n"
	"2: call 3f; call 3f; call 3f; dec %rdi; jnz 2b; ret\n"
	".cfi_endproc; .size small_frames,.-small_frames\n"
	".type small_frame,@function\n"
	"small_frame: .cfi_startproc\n"
	"3: push %rbp; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbp,0; mov %rsp,%rbp; .cfi_def_cfa_register "
	"rbp\n"
	"push %rbx; .cfi_rel_offset rbx,-8; sub $200,%rsp; xor %ebx,%ebx; add $200,%rsp; pop %rbx; "
	".cfi_restore rbx\n"
	"pop %rbp; .cfi_restore rbp; .cfi_def_cfa rsp,8; ret; .cfi_endproc; .size "
	"small_frame,.-small_frame\n");
void by_nothing(uint64_t until);
void by_end(uint64_t until);
void by_push(uint64_t until);
void small_frames(uint64_t n);
void spin_and_jump(uint64_t until);

__attribute__((used)) ALONE void spin_and_jump(uint64_t until)
{
	spin_here(until);
	siglongjmp(me->back, 1);
}

ALONE static void by_last_call(uint64_t until)
{
	if (!sigsetjmp(me->back, 0))
		by_end(until);
	sink++;
}

/* A timer of the thread's own hits anywhere, prologues too. */
ALONE static void by_small_frames(uint64_t until)
{
	const struct itimerspec often = {{.tv_nsec = 700000}, {.tv_nsec = 700000}}, never = {0};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		abort();
	timer_settime(timer, 0, &often, NULL);
	while (now() < until && now() < stop_at)
		small_frames(2000);
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
}

/* Code without a file: with a frame pointer, without one, with one that leads astray. */
static const uint8_t plain[] = "\x55\x48\x89\xe5\x48\x89\xf8\x48\x89\xf7\xff\xd0\x5d\xc3";
static const uint8_t bare[] = "\x48\x83\xec\x48\x48\x89\xf8\x48\x89\xf7\xff\xd0\x48\x83\xc4\x48\xc3";
static const uint8_t astray[] =
	"\x55\x48\x89\xd5\x48\x83\xec\x40\x48\x89\xf8\x48\x89\xf7\xff\xd0\x48\x83\xc4\x40\x5d\xc3";

ALONE static void by_made_code(uint64_t until)
{
	static const struct {
		const uint8_t *code;
		size_t size;
	} codes[] = {{plain, sizeof(plain)}, {bare, sizeof(bare)}, {astray, sizeof(astray)}};
	unsigned which = (unsigned)rand_r(&me->seed) % 3;
	volatile uint64_t room[2 << 7];
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*made)(void (*)(uint64_t), uint64_t, volatile uint64_t *);

	if (code == MAP_FAILED)
		abort();
	FILL(room);
	memcpy(code, codes[which].code, codes[which].size);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	*(void **)&made = code;
	made(spin_here, until, room + 8);
	munmap(code, 4096);
	sink += room[5];
}

__attribute__((noinline, force_align_arg_pointer)) static void by_realigned(uint64_t until)
{
	volatile char room[20 << 10] __attribute__((aligned(64)));

	room[3] = 1;
	spin_here(until);
	sink += (uint64_t)room[3];
}
#endif

static void on_small(int number)
{
	(void)number;
	spin_here(now() + 200000);
}

static int run_alone(void *ctx)
{
	struct worker *w = ctx;

	w->begin = now();
	decoys(w->until);
	w->end = now();
	return 0;
}

/* Another process in the same memory, on a stack that lies beside this one's. */
ALONE static void by_clone(uint64_t until)
{
	pid_t child;

	me->until = until;
	child = clone(run_alone, (char *)me->other_stack + STACK, CLONE_VM | SIGCHLD, me);
	if (child > 0)
		waitpid(child, NULL, 0);
	me->child = child;
	me->caller = '-';
}

static void (*const ways[])(uint64_t until) = {
	decoys,       by_signal,    by_deep_signal, by_inner_stack,  by_context,   by_jump,
	by_unwinding, by_vfork,     by_alloca,      by_library,      by_clone,
#ifdef __x86_64__
	by_nothing,   by_last_call, by_push,        by_small_frames, by_made_code, by_realigned,
#endif
};
enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

#define CALLER(letter)                                              \
	void caller_##letter(void (*way)(uint64_t), uint64_t until) \
	{                                                           \
		way(until);                                         \
		sink += #letter[0];                                 \
	}
CALLER(a)
CALLER(b)
CALLER(c)

static void (*const callers[])(void (*way)(uint64_t), uint64_t until) = {caller_a, caller_b, caller_c};

static void call_one(struct worker *w)
{
	unsigned way = (unsigned)rand_r(&w->seed) % N_WAYS, caller = (unsigned)rand_r(&w->seed) % 3;
	uint64_t begin = now(), until = begin + (UINT64_C(1000000) << (unsigned)rand_r(&w->seed) % 6);

	w->caller = (char)('a' + caller);
	w->begin = w->end = 0;
	w->child = 0;
	callers[caller](ways[way], until);
	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 1024;
		w->calls = realloc(w->calls, w->cap * sizeof(*w->calls));
		if (!w->calls)
			abort();
	}
	if (w->begin)
		begin = w->begin;
	w->calls[w->n++] = (struct call){begin, w->end ? w->end : now(), w->child ? w->child : w->tid,
					 w->caller, FIRST + (int)way};
}

static void *work(void *ctx)
{
	stack_t stack = {.ss_size = ALTERNATE, .ss_sp = malloc(ALTERNATE)};

	me = ctx;
	me->tid = (pid_t)syscall(SYS_gettid);
	me->context_stack = malloc(STACK);
	me->other_stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!stack.ss_sp || !me->context_stack || me->other_stack == MAP_FAILED || sigaltstack(&stack, NULL))
		abort();
	while (now() < stop_at)
		call_one(me);
	return NULL;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void handle(int number, void (*fn)(int), int flags)
{
	struct sigaction action = {.sa_handler = fn, .sa_flags = flags | SA_RESTART};

	sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	char *stacks = mmap(NULL, THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	FILE *truth;

	if (argc < 4 || argc > 4 + MOST_LIBRARIES || stacks == MAP_FAILED)
		return 2;
	for (int i = 4; i < argc; i++)
		libraries[n_libraries++] = argv[i];
	handle(SIGUSR1, on_other_stack, SA_ONSTACK);
	handle(SIGUSR2, on_other_stack_deep, SA_ONSTACK);
	handle(SIGRTMIN, on_small, 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_attr_t attr;

		/* Stacks in one mapping, one beside the other. */
		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, stacks + (size_t)i * STACK, STACK);
		workers[i].seed = seed * 1000 + (unsigned)i;
		if (pthread_create(&workers[i].thread, &attr, work, &workers[i]))
			return 1;
	}
	while (cpu_seconds() < strtod(argv[1], NULL)) {
		const struct timespec pause = {.tv_nsec = 20000000};

		nanosleep(&pause, NULL);
	}
	stop_at = now();
	truth = fopen(argv[3], "w");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		for (size_t k = 0; truth && k < workers[i].n; k++)
			fprintf(truth, "%d %llu %llu %c %d\n", (int)workers[i].calls[k].tid,
				(unsigned long long)workers[i].calls[k].begin,
				(unsigned long long)workers[i].calls[k].end, workers[i].calls[k].caller,
				workers[i].calls[k].way);
	}
	return truth && !fclose(truth) ? 0 : 1;
}
