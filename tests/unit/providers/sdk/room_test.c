/* SPDX-License-Identifier: MIT */
/* How much of the stack an event with a stack takes, and where none is walked for want of room. The order of
 * the tests matters: the first event of the process is written on a stack that is not its thread's. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "consumers/unwind/publish.h"
#include "providers/sdk/modules.h"
#include "providers/sdk/stack.h"
#include "tests/unit/providers/sdk/listener.h"
#include "tracecore/enable/tables.h"
#include "tracecore/event.h"

/* What events take there: on x86-64 a coroutine of 1 KiB has room for one; arm64 saves more registers. */
#ifdef __aarch64__
#define ELSEWHERE 1536u
#else
#define ELSEWHERE 1000u
#endif
/* A signal has room beside it in WT_SDK_WALK_ROOM. */
#define OWN_FIRST 4600u
#define OWN_LATER 4200u

#define PAINT 0xa5
#define ROOM  32768u

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "room-test");
static struct listener listener;
static char directory[64];

/* Sanitizers have frames of their own, and stacks that they must be told of. */
static bool frames_are_ours(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return false;
#endif
#endif
	return true;
}

static __attribute__((noinline)) void say(void)
{
	wtrace_event(&app, "said", WTRACE_INFO, 1, wtrace_u32("n", 1));
	__asm__ volatile("");
}

static size_t used(const volatile uint8_t *bytes, size_t size)
{
	size_t clean = 0;

	while (clean < size && bytes[clean] == PAINT)
		clean++;
	return size - clean;
}

static size_t used_elsewhere(void)
{
	static uint8_t bytes[ROOM] __attribute__((aligned(64)));
	ucontext_t here, there;

	memset(bytes, PAINT, sizeof(bytes));
	getcontext(&there);
	there.uc_stack.ss_sp = bytes;
	there.uc_stack.ss_size = sizeof(bytes);
	there.uc_link = &here;
	makecontext(&there, say, 0);
	swapcontext(&here, &there);
	return used(bytes, sizeof(bytes));
}

/* Below the frame that is called next. */
static __attribute__((noinline)) void paint(void)
{
	volatile uint8_t bytes[ROOM];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = PAINT;
}

static __attribute__((noinline)) size_t used_here(void)
{
	volatile uint8_t *low = (uint8_t *)__builtin_frame_address(0) - ROOM;

	paint();
	say();
	return used(low + 1024, ROOM - 1024);
}

static void a_first_event_on_another_stack_takes_little(void **state)
{
	(void)state;
	assert_in_range(used_elsewhere(), 1, ELSEWHERE);
}

static void and_so_do_later_ones(void **state)
{
	(void)state;
	assert_in_range(used_elsewhere(), 1, ELSEWHERE);
}

static void publish(void)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = wt_directory_open_private(directory, &err);
	uint32_t fresh;

	if (fd < 0 || wt_unwind_publish(fd, getpid(), &fresh, &err) || wt_tables_announce(fd, &err))
		fail_msg("%s", err.text);
	close(fd);
}

static void a_walk_takes_less_than_is_asked_for(void **state)
{
	(void)state;
	assert_in_range(used_here(), 1, OWN_FIRST);
	publish();
	assert_false(wt_tables_published() == 0);
	assert_in_range(used_here(), 1, OWN_FIRST); /* with the tables' loading */
	assert_in_range(used_here(), 1, OWN_LATER);
}

static void *use_in_thread(void *ret)
{
	((size_t *)ret)[0] = used_here();
	((size_t *)ret)[1] = used_here();
	return NULL;
}

static void in_a_thread_too(void **state)
{
	pthread_t thread;
	size_t bytes[2] = {0, 0};

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, use_in_thread, bytes), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_in_range(bytes[0], 1, OWN_FIRST);
	assert_in_range(bytes[1], 1, OWN_LATER);
}

static uint32_t frames_heard(const struct heard *heard)
{
	return wt_load_u16(heard_stack(heard));
}

static void stacks_are_whole_on_the_own_stack_only(void **state)
{
	uint32_t elsewhere = 2;

	(void)state;
	listen_end(&listener);
	assert_int_equal(listener.n, elsewhere + 5);
	for (uint32_t i = 0; i < listener.n; i++) {
		const uint8_t *stack = heard_stack(&listener.heard[i]);

		assert_int_equal(heard_number(&listener.heard[i]), 1);
		if (i < elsewhere) {
			assert_int_equal(frames_heard(&listener.heard[i]), 1);
			assert_int_equal(stack[2], WT_STACK_TRUNCATED);
		} else {
			assert_true(frames_heard(&listener.heard[i]) > 1);
		}
	}
	listen_free(&listener);
}

static __attribute__((noinline)) bool can_walk(void)
{
	return wt_sdk_can_walk(WT_SDK_HERE);
}

/* Down until so much is left above the stack's lower end. */
static __attribute__((noinline)) bool can_walk_above(uintptr_t low, uintptr_t left)
{
	volatile char room[256];
	bool can;

	room[0] = 0;
	can = (uintptr_t)room - low > left ? can_walk_above(low, left) : can_walk();
	room[0] = 1;
	return can;
}

/* Whether it walks: where the thread begins, with a little more left than a walk takes, and with no more. */
static void *walk_near_the_end(void *ret)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	if (pthread_getattr_np(pthread_self(), &attributes) ||
	    pthread_attr_getstack(&attributes, &low, &size))
		return NULL;
	((bool *)ret)[0] = can_walk();
	((bool *)ret)[1] = can_walk_above((uintptr_t)low, WT_SDK_WALK_ROOM + 2048);
	((bool *)ret)[2] = can_walk_above((uintptr_t)low, WT_SDK_WALK_ROOM);
	pthread_attr_destroy(&attributes);
	return ret;
}

static void where_little_is_left_no_stack_is_walked(void **state)
{
	bool can[3] = {false, false, true};
	pthread_attr_t attributes;
	pthread_t thread;
	void *answer = NULL;

	(void)state;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 16);
	assert_int_equal(pthread_create(&thread, &attributes, walk_near_the_end, can), 0);
	assert_int_equal(pthread_join(thread, &answer), 0);
	pthread_attr_destroy(&attributes);
	assert_ptr_equal(answer, can);
	assert_true(can[0]);
	assert_true(can[1]);
	assert_false(can[2]);
}

static void *ask(void *can)
{
	*(bool *)can = can_walk();
	return NULL;
}

/* The program's own memory below it may be read, and go at any time. */
static void a_stack_without_a_guard_is_not_walked(void **state)
{
	const size_t size = 1 << 18, page = 1 << 16;
	char *bytes = (char *)mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				   0);
	pthread_attr_t attributes;
	pthread_t thread;
	bool can = true;

	(void)state;
	assert_true(bytes != MAP_FAILED);
	assert_int_equal(mprotect(bytes, page, PROT_READ), 0);
	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstack(&attributes, bytes + page, size), 0);
	assert_int_equal(pthread_create(&thread, &attributes, ask, &can), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
	assert_false(can);
	munmap(bytes, page + size);
}

static void *fork_and_ask(void *ret)
{
	pid_t child = fork();

	if (!child)
		_exit(can_walk() ? 10 : 11);
	assert_int_equal(waitpid(child, (int *)ret, 0), child);
	return NULL;
}

/* Its id is the process's, its stack the thread's. */
static void a_child_of_a_thread_knows_its_stack(void **state)
{
	pthread_t thread;
	int status = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, fork_and_ask, &status), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 10);
}

int main(void)
{
	const struct wt_enable_rule rule = {.provider = "room-test", .stack = true};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_event_on_another_stack_takes_little),
		cmocka_unit_test(and_so_do_later_ones),
		cmocka_unit_test(a_walk_takes_less_than_is_asked_for),
		cmocka_unit_test(in_a_thread_too),
		cmocka_unit_test(stacks_are_whole_on_the_own_stack_only),
		cmocka_unit_test(where_little_is_left_no_stack_is_walked),
		cmocka_unit_test(a_stack_without_a_guard_is_not_walked),
		cmocka_unit_test(a_child_of_a_thread_knows_its_stack),
	};
	/* The first six look at frames. */
	const size_t from = frames_are_ours() ? 0 : 6;
	int failed;

	listen_here(directory);
	listen_begin(&listener, directory, "room", &rule);
	if (wtrace_register(&app))
		return 1;
	failed = _cmocka_run_group_tests("room", tests + from, sizeof(tests) / sizeof(tests[0]) - from, NULL,
					 NULL);
	wtrace_unregister(&app);
	listen_no_more(directory);
	return failed;
}
