// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/perf/rundown.h"
#include "providers/perf/map_line.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"
#include "tracecore/schema/builtin.h"

static struct wt_kinds kinds;
static struct wt_err err;

static int setup(void **state)
{
	static const char *const names[] = {"wtrace", "proc_thread", "loader"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wt_provider *provider;
		uint32_t first;

		if (wt_builtin_provider(names[i], &provider, &err) ||
		    wt_kinds_add(&kinds, provider, &first, &err))
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_kinds_deinit(&kinds);
	return 0;
}

static void map_lines(void **state)
{
	char file[] = "7f00-8f00 r-xp 00001000 fd:01 1234                       /lib/a b\\012c.so (deleted)";
	char anon[] = "7ffc0000-7ffc1000 rw-p 00000000 00:00 0 ";
	char vdso[] = "7ffc0000-7ffc1000 r-xp 00000000 00:00 0                          [vdso]";
	struct wt_map_line map;

	(void)state;
	assert_true(wt_map_line_parse(file, &map));
	assert_int_equal(map.start, 0x7f00);
	assert_int_equal(map.end, 0x8f00);
	assert_int_equal(map.offset, 0x1000);
	assert_true(map.device == (UINT64_C(0xfd) << 32 | 1));
	assert_int_equal(map.inode, 1234);
	assert_true(map.exec);
	assert_false(map.written);
	assert_string_equal(map.path, "/lib/a b\nc.so (deleted)");
	assert_true(wt_map_line_parse(anon, &map));
	assert_false(map.exec);
	assert_true(map.written);
	assert_string_equal(map.path, "");
	assert_true(wt_map_line_parse(vdso, &map));
	assert_string_equal(map.path, "[vdso]");
}

static void lines_that_are_none(void **state)
{
	char bad[][64] = {"", "x", "10-", "20-10 r-xp 0 0:0 0", "10-20 r-xp", "10-20 r-xp 0 0:0"};
	struct wt_map_line map;
	struct wt_stat_line stat;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(wt_map_line_parse(bad[i], &map));
	assert_false(wt_stat_line_parse("", &stat));
	assert_false(wt_stat_line_parse("12 (x", &stat));
	assert_false(wt_stat_line_parse("12 (x) S", &stat));
	assert_false(wt_stat_line_parse("12 (x) S 1 2 3", &stat));
}

static void stat_lines(void **state)
{
	struct wt_stat_line stat;

	(void)state;
	assert_true(wt_stat_line_parse(
		"12 (a) b) (c) S 7 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 987 21 22", &stat));
	assert_int_equal(stat.pid, 12);
	assert_int_equal(stat.parent, 7);
	assert_int_equal(stat.start_ticks, 987);
}

/* What a rundown said. */
struct seen {
	uint32_t child, thread, uid;
	unsigned processes, child_images, threads, kernels, others, pauses;
	bool named, ended;
	uint64_t last_time, start_time;
	uint32_t parent, last_pid;
	unsigned stop_after, anon;
};

static int on_proc(struct seen *seen, const struct wt_event *event)
{
	uint16_t id = kinds.kinds[event->kind].event->id;
	struct wt_proc_payload proc;

	assert_int_equal(wt_proc_get(event->payload, event->payload_len, &proc), 0);
	if (id == WT_PROC_RUNDOWN || id == WT_PROC_RUNDOWN_END) {
		assert_true(proc.pid > seen->last_pid); /* none twice */
		seen->last_pid = proc.pid;
		seen->processes++;
	}
	seen->ended |= id == WT_PROC_RUNDOWN_END;
	if (proc.pid != seen->child)
		return seen->others++, 0;
	seen->threads += (id == WT_THREAD_RUNDOWN || id == WT_THREAD_RUNDOWN_END) && proc.name.len == 6 &&
			 !memcmp(proc.name.p, "second", 6);
	if (proc.tid == proc.pid) {
		seen->named = proc.name.len == 6 && !memcmp(proc.name.p, "a b\n)c", 6);
		seen->start_time = proc.start_time;
		seen->parent = proc.parent_pid;
		assert_int_equal(proc.uid, seen->uid ? seen->uid : getuid());
		assert_true(proc.exe.len > 0 && proc.command_line.len > 0);
	}
	return 0;
}

static int on_event(void *ctx, const struct wt_event *event, struct wt_err *e)
{
	struct seen *seen = ctx;
	struct wt_image_payload image;

	assert_true(event->time >= seen->last_time);
	seen->last_time = event->time;
	if (seen->stop_after && !--seen->stop_after)
		return wt_fail(e, WT_ERR_LIMIT, "enough");
	if (!strcmp(kinds.kinds[event->kind].provider->name, "proc_thread"))
		return on_proc(seen, event);
	assert_int_equal(wt_image_get(event->payload, event->payload_len, &image), 0);
	seen->kernels += image.kind == WT_IMAGE_KERNEL;
	seen->anon += image.pid == seen->child && image.kind == WT_IMAGE_ANON;
	seen->child_images += image.pid == seen->child && image.kind == WT_IMAGE_FILE && image.inode;
	return 0;
}

static int on_pause(void *ctx, struct wt_err *e)
{
	(void)e;
	((struct seen *)ctx)->pauses++;
	return 0;
}

static void *sleep_for_ever(void *arg)
{
	char byte = 1;

	prctl(PR_SET_NAME, "second");
	if (write(*(int *)arg, &byte, 1) == 1)
		pause();
	return NULL;
}

/* A child with a strange name and a second thread; returns once both are there. */
static pid_t start_child(void)
{
	int fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "a b\n)c");
		if (!pthread_create(&thread, NULL, sleep_for_ever, &fds[1]))
			pause();
		_exit(0);
	}
	/* Its end is an end of file. */
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void one_process(void **state)
{
	uint64_t before = wt_clock_now();
	pid_t pid = start_child();
	struct seen seen = {.child = (uint32_t)pid};
	const struct wt_rundown rundown = {
		.kinds = &kinds, .pids = &pid, .n_pids = 1, .fn = on_event, .ctx = &seen};

	(void)state;
	assert_int_equal(wt_perf_rundown(&rundown, &err), 0);
	end_child(pid);
	assert_int_equal(seen.processes, 1);
	assert_int_equal(seen.others, 0);
	assert_int_equal(seen.threads, 1);
	assert_int_equal(seen.kernels, 1);
	assert_true(seen.child_images > 0);
	assert_true(seen.named);
	assert_false(seen.ended);
	assert_int_equal(seen.parent, getpid());
	/* /proc counts in ticks of 10 ms. */
	assert_true(seen.start_time + 20000000 >= before && seen.start_time <= wt_clock_now() + 20000000);
}

static void everything(void **state)
{
	pid_t pid = start_child();
	struct seen seen = {.child = (uint32_t)pid};
	const struct wt_rundown rundown = {
		.kinds = &kinds, .end = true, .fn = on_event, .pause = on_pause, .ctx = &seen};

	(void)state;
	assert_int_equal(wt_perf_rundown(&rundown, &err), 0);
	end_child(pid);
	assert_true(seen.processes >= 2);
	assert_int_equal(seen.threads, 1);
	assert_true(seen.ended);
	assert_true(seen.pauses >= seen.processes / 16);
}

static void descendants(void **state)
{
	pid_t self = getpid(), pid = start_child();
	struct seen seen = {.child = (uint32_t)pid};
	const struct wt_rundown rundown = {
		.kinds = &kinds, .pids = &self, .n_pids = 1, .fn = on_event, .ctx = &seen};
	struct wt_buf text = {0};

	(void)state;
	/* The process that reads for this one is there, too. */
	assert_true(wt_apart_proc((uint32_t)self, "comm", 16, &text));
	wt_buf_deinit(&text);
	assert_int_equal(wt_perf_rundown(&rundown, &err), 0);
	end_child(pid);
	assert_int_equal(seen.processes, 3);
	assert_int_equal(seen.threads, 1);
}

static void ends_when_errors(void **state)
{
	struct seen seen = {.stop_after = 2};
	const struct wt_rundown rundown = {.kinds = &kinds, .fn = on_event, .ctx = &seen};

	(void)state;
	assert_int_equal(wt_perf_rundown(&rundown, &err), -1);
	assert_string_equal(err.text, "enough");
}

enum { OTHER_USER = 65534, PAGE = 4096, MANY = 6000 };

/* A child of another user with MANY executable mappings; 0: not allowed here. */
static pid_t start_mapper(void)
{
	int fds[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		char *at = mmap(NULL, 2 * (size_t)MANY * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t i = 0; i < MANY; i++)
			byte |= mprotect(at + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC) != 0;
		byte |= setresuid(OTHER_USER, OTHER_USER, OTHER_USER) != 0;
		/* Taking another id forgets it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(fds[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	/* Its end is an end of file. */
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	if (!byte)
		return pid;
	end_child(pid);
	return 0;
}

/* Who is not the caller's business is read up to what is kept, and later when the user's time is used up. */
static void others_take_turns(void **state)
{
	pid_t pid = start_mapper();
	struct seen seen = {.child = (uint32_t)pid, .uid = OTHER_USER};
	struct wt_rundown rundown = {
		.kinds = &kinds, .pids = &pid, .n_pids = 1, .fn = on_event, .pause = on_pause, .ctx = &seen};
	struct wt_allowance *time;

	(void)state;
	if (!pid)
		skip();
	assert_int_equal(wt_perf_rundown(&rundown, &err), 0);
	assert_true(seen.anon >= MANY);
	assert_true(seen.pauses >= MANY / 1024);
	rundown.turns = wt_map_turns_create();
	assert_non_null(rundown.turns);
	seen = (struct seen){.child = (uint32_t)pid, .uid = OTHER_USER};
	assert_int_equal(wt_perf_rundown(&rundown, &err), 0);
	assert_true(seen.anon <= WT_MAPPINGS_MOST + 1 && seen.anon > WT_MAPPINGS_MOST - 100);
	assert_int_equal(wt_map_turns_due(rundown.turns), 0);

	time = wt_map_turns_of(rundown.turns, OTHER_USER);
	time->left = -(int64_t)(3600 * WT_NSEC);
	seen = (struct seen){.child = (uint32_t)pid, .uid = OTHER_USER};
	assert_int_equal(wt_perf_rundown(&rundown, &err), 0);
	assert_int_equal(seen.processes, 1);
	assert_int_equal(seen.anon, 0);
	assert_int_equal(wt_map_turns_due(rundown.turns), 1);
	assert_int_equal(wt_perf_rundown_due(&rundown, &err), 0);
	assert_int_equal(wt_map_turns_due(rundown.turns), 1);
	wt_allowance_grant(time, WT_NSEC);
	assert_int_equal(wt_perf_rundown_due(&rundown, &err), 0);
	assert_int_equal(wt_map_turns_due(rundown.turns), 0);
	assert_true(seen.anon > WT_MAPPINGS_MOST - 100);
	assert_null(wt_map_turns_of(rundown.turns, geteuid()));
	wt_map_turns_destroy(rundown.turns);
	end_child(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_lines),        cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(stat_lines),       cmocka_unit_test(one_process),
		cmocka_unit_test(everything),       cmocka_unit_test(descendants),
		cmocka_unit_test(ends_when_errors), cmocka_unit_test(others_take_turns),
	};

	return cmocka_run_group_tests_name("perf/rundown", tests, setup, teardown);
}
