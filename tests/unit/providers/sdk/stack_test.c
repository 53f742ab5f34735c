/* SPDX-License-Identifier: MIT */
/* The own stack by tables, against what glibc's unwinder finds; and tables that come late, or are none. The
 * order of the tests matters: what a process has loaded it keeps. */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "consumers/unwind/publish.h"
#include "providers/sdk/loaded.h"
#include "providers/sdk/modules.h"
#include "providers/sdk/stack.h"
#include "tests/unit/providers/sdk/listener.h"
#include "tracecore/enable/tables.h"
#include "tracecore/event.h"

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stack-test");
static char directory[64];
static struct wt_sdk_stack stack;
static void *traced[WT_SDK_FRAMES];
static int n_traced;

/* As an event does it. */
static void walk(struct wt_sdk_frame frame, struct wt_sdk_stack *ret)
{
	if (wt_sdk_can_walk(frame))
		wt_sdk_walk(frame, ret);
	else
		wt_sdk_innermost(frame, (struct wt_sdk_innermost *)(void *)ret);
}

/* Both walks of the same moment. */
static __attribute__((noinline)) void take(void)
{
	n_traced = backtrace(traced, WT_SDK_FRAMES);
	errno = 1234;
	walk(WT_SDK_HERE, &stack);
	assert_int_equal(errno, 1234);
	__asm__ volatile("" ::: "memory");
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

/* Every frame that glibc's unwinder finds, to the thread's root; it begins with frames of its own. */
static void check_equal(void)
{
	int skip = 0;

	while (skip < n_traced && (uintptr_t)traced[skip] != stack.pc[0])
		skip++;
	assert_int_equal(stack.status, WT_STACK_COMPLETE);
	assert_int_equal(stack.n, n_traced - skip);
	for (int i = 0; i < stack.n; i++)
		assert_int_equal(stack.pc[i], (uintptr_t)traced[skip + i]);
}

static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	take();
	return 0;
}

/* libc is built without frame pointers: only tables lead through it. */
static __attribute__((noinline)) void take_below_libc(void)
{
	int numbers[2] = {2, 1};

	qsort(numbers, 2, sizeof(*numbers), compare);
	__asm__ volatile("");
}

static void without_tables_frame_pointers_are_followed(void **state)
{
	(void)state;
	assert_false(wt_sdk_modules_known());
	take_below_libc();
	assert_int_equal(stack.status, WT_STACK_FP);
	assert_true(stack.n >= 1);
}

typedef void spoiler(int dir, const char *name, uint8_t *bytes, uint64_t size);

static void write_file(int dir, const char *name, const void *bytes, uint64_t size)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || wt_directory_write(fd, bytes, size, 0))
		_exit(20);
	close(fd);
}

static void spoil_file(int dir, const char *name, spoiler *spoil)
{
	int fd = openat(dir, name, O_RDONLY);
	struct stat st;
	uint8_t *bytes;

	if (fd < 0 || fstat(fd, &st))
		_exit(21);
	bytes = malloc((size_t)st.st_size);
	if (!bytes || wt_directory_read(fd, bytes, (size_t)st.st_size, 0))
		_exit(22);
	close(fd);
	unlinkat(dir, name, 0);
	spoil(dir, name, bytes, (uint64_t)st.st_size);
	free(bytes);
}

/* Publishes good tables and puts what the spoiler makes of them in their place, before anybody looks. */
static void publish_spoiled(spoiler *spoil)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = wt_directory_open_private(directory, &err), dir = wt_tables_directory(fd, &err);
	struct dirent *entry;
	DIR *list;

	publish();
	list = fdopendir(dup(dir));
	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			spoil_file(dir, entry->d_name, spoil);
	closedir(list);
	wt_tables_announce(fd, &err);
}

/* Added to a child's answer: a death by a sanitizer is none. */
#define SAID 100

/* The status of a walk in a child that meets spoiled tables. */
static int status_with(spoiler *spoil)
{
	pid_t child = fork();
	char command[96];
	int status;

	if (!child) {
		publish_spoiled(spoil);
		take_below_libc();
		_exit(stack.n >= 1 ? SAID + stack.status : 23);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	snprintf(command, sizeof(command), "rm -rf %s/unwind", directory);
	assert_int_equal(system(command), 0);
	return WEXITSTATUS(status) - SAID;
}

static void keep(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	write_file(dir, name, bytes, size);
}

static void cut(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	write_file(dir, name, bytes, size / 2);
}

static void empty(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	(void)size;
	write_file(dir, name, bytes, 0);
}

static void flip_a_bit(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	bytes[size - 5] ^= 4;
	write_file(dir, name, bytes, size);
}

static void sign(uint8_t *bytes, uint64_t size)
{
	((struct wt_abi_unwind *)(void *)bytes)->checksum = wt_unwind_checksum(bytes, size);
}

static void of_another_module(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	((struct wt_abi_unwind *)(void *)bytes)->key[3] ^= 1;
	sign(bytes, size);
	write_file(dir, name, bytes, size);
}

static void huge(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	int fd;

	write_file(dir, name, bytes, size);
	fd = openat(dir, name, O_WRONLY);
	if (ftruncate(fd, (off_t)WT_SDK_TABLE_BYTES + 8))
		_exit(24);
	close(fd);
}

static void pipe_instead(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	(void)bytes, (void)size;
	if (mkfifoat(dir, name, 0600))
		_exit(25);
}

static void link_instead(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	char other[160];

	snprintf(other, sizeof(other), ".%s", name);
	write_file(dir, other, bytes, size);
	if (symlinkat(other, dir, name))
		_exit(26);
}

static void tables_that_are_none_count_as_absent(void **state)
{
	static spoiler *const spoilers[] = {cut,  empty,        flip_a_bit,  of_another_module,
					    huge, pipe_instead, link_instead};

	(void)state;
	assert_int_equal(status_with(keep), WT_STACK_COMPLETE);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(*spoilers); i++)
		assert_int_equal(status_with(spoilers[i]), WT_STACK_FP);
}

static unsigned seed;

/* Its checksum is right and its parts add up: rows and rules are anything. */
static void any_rules(int dir, const char *name, uint8_t *bytes, uint64_t size)
{
	srand(seed++);
	for (uint64_t i = sizeof(struct wt_abi_unwind); i < size; i++)
		if (rand() % 4 == 0)
			bytes[i] = (uint8_t)(rand() % 3 ? rand() % 16 : rand());
	sign(bytes, size);
	write_file(dir, name, bytes, size);
}

static void tables_of_any_content_end_the_walk_somehow(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		assert_in_range(status_with(any_rules), WT_STACK_FP, WT_STACK_RECURSION);
}

static void tables_may_come_later(void **state)
{
	(void)state;
	take_below_libc();
	assert_int_equal(stack.status, WT_STACK_FP);
	publish();
	take_below_libc();
	check_equal();
}

/* What was loaded does not depend on files any more. */
static void tables_may_be_cut_and_go(void **state)
{
	char command[192];

	(void)state;
	snprintf(command, sizeof(command), "truncate -s 0 %s/unwind/*; rm -r %s/unwind", directory,
		 directory);
	assert_int_equal(system(command), 0);
	take_below_libc();
	check_equal();
	publish();
}

static void *in_thread(void *unused)
{
	(void)unused;
	take_below_libc();
	return NULL;
}

static void a_thread_has_a_root_of_its_own(void **state)
{
	pthread_t thread;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		check_equal();
	}
}

static void in_handler(int number)
{
	(void)number;
	take_below_libc();
}

/* A frame outside all modules: qemu's user mode has its trampoline there, real kernels in the vdso. */
static bool has_foreign_frame(void)
{
	struct wt_sdk_loaded loaded;
	bool foreign = false;

	for (int i = 0; i < n_traced; i++)
		foreign |= !wt_sdk_find_loaded((uintptr_t)traced[i], &loaded);
	return foreign;
}

static void a_signal_handler_s_stack_goes_on_below_it(void **state)
{
	struct sigaction action = {.sa_handler = in_handler};
	unsigned mark;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	if (has_foreign_frame()) {
		assert_int_equal(stack.status, WT_STACK_FP);
		return;
	}
	check_equal();
	/* One frame was interrupted; it is not the innermost one. */
	mark = stack.interrupted[0];
	assert_in_range(mark, 2, stack.n);
	assert_int_equal(stack.interrupted[1], 0);
}

static void on_an_alternate_stack_the_innermost_address_is_given(void **state)
{
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
	stack_t other = {.ss_size = 1 << 16, .ss_sp = malloc(1 << 16)}, none = {.ss_flags = SS_DISABLE};

	(void)state;
	assert_non_null(other.ss_sp);
	sigaltstack(&other, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	assert_int_equal(stack.status, WT_STACK_TRUNCATED);
	assert_int_equal(stack.n, 1);
	sigaltstack(&none, NULL);
	free(other.ss_sp);
}

static void a_child_walks_as_its_parent(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		take_below_libc();
		_exit(SAID + stack.status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), SAID + WT_STACK_COMPLETE);
}

static __attribute__((noinline)) void take_deep(unsigned left)
{
	if (left)
		take_deep(left - 1);
	else
		take_below_libc();
	__asm__ volatile("");
}

static void a_deep_stack_is_cut_and_says_so(void **state)
{
	(void)state;
	take_deep(40);
	check_equal();
	take_deep(400);
	assert_int_equal(stack.n, WT_SDK_FRAMES);
	assert_int_equal(stack.status, WT_STACK_RECURSION);
}

/* Handlers interrupt walks of their own thread at any moment while the other thread walks too. */
static void walks_do_not_disturb_each_other(void **state)
{
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct wt_sdk_stack mine;

	(void)state;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	for (int i = 0; i < 20000; i++) {
		walk(WT_SDK_HERE, &mine);
		if (mine.status != WT_STACK_COMPLETE)
			break;
	}
	setitimer(ITIMER_PROF, &never, NULL);
	assert_int_equal(mine.status, WT_STACK_COMPLETE);
}

static void modules_are_found_with_their_build_ids(void **state)
{
	struct wt_elf_note_id id;
	struct wt_sdk_loaded loaded;
	struct wt_walk_module module;

	(void)state;
	assert_true(wt_sdk_find_loaded((uintptr_t)take, &loaded));
	assert_in_range((uintptr_t)take, loaded.start, loaded.end - 1);
	assert_true(wt_sdk_find_build_id(&loaded, &id));
	assert_int_equal(id.len, 20);
	assert_true(wt_sdk_find_module(NULL, (uintptr_t)take, &module));
	assert_non_null(module.view);
	/* Data of no module: made at run time, for all that is known. */
	assert_false(wt_sdk_find_loaded((uintptr_t)&loaded, &loaded));
	assert_true(wt_sdk_find_module(NULL, (uintptr_t)&loaded, &module));
	assert_null(module.view);
	assert_int_equal(module.fallback, WT_WALK_FP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_tables_frame_pointers_are_followed),
		cmocka_unit_test(tables_that_are_none_count_as_absent),
		cmocka_unit_test(tables_of_any_content_end_the_walk_somehow),
		cmocka_unit_test(tables_may_come_later),
		cmocka_unit_test(tables_may_be_cut_and_go),
		cmocka_unit_test(a_thread_has_a_root_of_its_own),
		cmocka_unit_test(a_signal_handler_s_stack_goes_on_below_it),
		cmocka_unit_test(on_an_alternate_stack_the_innermost_address_is_given),
		cmocka_unit_test(a_child_walks_as_its_parent),
		cmocka_unit_test(a_deep_stack_is_cut_and_says_so),
		cmocka_unit_test(walks_do_not_disturb_each_other),
		cmocka_unit_test(modules_are_found_with_their_build_ids),
	};
	int failed;

	listen_here(directory);
	if (wtrace_register(&app))
		return 1;
	failed = cmocka_run_group_tests_name("stack", tests, NULL, NULL);
	wtrace_unregister(&app);
	listen_no_more(directory);
	return failed;
}
