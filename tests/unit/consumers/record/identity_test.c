// SPDX-License-Identifier: MIT
#include "tests/unit/consumers/identity_fixture.h"

#include <sys/auxv.h>
#include <sys/prctl.h>

static void test_fork_exec_exit(void **state)
{
	(void)state;
	assert_int_equal(rundown(10, "sh", 5, 100), WT_NEWS);
	assert_int_equal(image(WT_IMAGE_RUNDOWN, 10, 0x1000, 0x1000, "/bin/sh"), WT_NEWS);
	assert_int_equal(proc(WT_PROC_START, 20, 10, "", 200), WT_NEWS);
	expect_name(20, 20, 201, "sh");
	expect_image(20, 0x1800, "/bin/sh");
	assert_ptr_equal(wt_tasks_process(&id.tasks, 20)->space, wt_tasks_process(&id.tasks, 10)->space);
	assert_int_equal(wt_tasks_process(&id.tasks, 20)->start_time, 200);
	assert_int_equal(wt_tasks_process(&id.tasks, 20)->uid, 1000);

	proc(WT_PROC_EXEC, 20, 0, "ls", 300);
	expect_name(20, 20, 301, "ls");
	expect_image(20, 0x1800, NULL);
	expect_image(10, 0x1800, "/bin/sh");
	image(WT_IMAGE_LOAD, 20, 0x5000, 0x1000, "/bin/ls");
	image(WT_IMAGE_LOAD, 20, 0x9000, 0x1000, "/lib/ld.so");
	assert_memory_equal(wt_tasks_process(&id.tasks, 20)->exe.p, "/bin/ls", 7);
	expect_image(20, 0x5000, "/bin/ls");

	proc(WT_PROC_STOP, 20, 10, "", 400);
	assert_int_equal(id.tasks.live_processes, 1);
	expect_name(20, 20, 401, "ls");
	wt_tasks_trim(&id.tasks, 400 + WT_TASK_GRACE);
	expect_image(20, 0x5000, "/bin/ls");
	wt_tasks_trim(&id.tasks, 401 + WT_TASK_GRACE);
	assert_null(wt_tasks_process(&id.tasks, 20));
	assert_int_equal(id.tasks.processes.count, 1);
}

static void map_vdso(uint32_t pid)
{
	const struct wt_image_payload vdso = {.pid = pid,
					      .tid = pid,
					      .address = 0x7000,
					      .size = 0x1000,
					      .kind = WT_IMAGE_VDSO,
					      .path = wt_str("[vdso]")};

	assert_int_equal(wt_identity_image(&id, WT_IMAGE_LOAD, &vdso, 400), WT_NEWS);
}

static const struct wt_range *mapped(uint32_t pid, uint32_t seen, uint16_t how, uint64_t at, uint64_t size)
{
	const struct wt_image_payload payload = {.pid = pid,
						 .tid = pid,
						 .address = at,
						 .size = size,
						 .file_offset = at - 0x10000,
						 .kind = WT_IMAGE_FILE,
						 .device = 1,
						 .inode = 2,
						 .path = wt_str("/lib/x.so"),
						 .seen = seen};

	assert_int_not_equal(wt_identity_image(&id, how, &payload, 100), WT_NEWS_LOST);
	return wt_space_look(wt_tasks_process(&id.tasks, pid)->space, at);
}

/* What nobody could look at is believed when the kernel maps it in an exec, and neither when the same was
 * there before nor when the program itself has begun. */
static void test_unseen_mappings(void **state)
{
	const struct wt_space *space;

	(void)state;
	/* Of a program that was there already, nobody knows whether an exec is going on. */
	rundown(10, "sh", 5, 100);
	assert_true(mapped(10, WT_EVENT_GONE, WT_IMAGE_LOAD, 0x20000, 0x4000)->unseen);
	proc(WT_PROC_EXEC, 10, 0, "sh", 100);
	assert_false(mapped(10, 0, WT_IMAGE_LOAD, 0x10000, 0x4000)->unseen);
	space = wt_tasks_process(&id.tasks, 10)->space;
	assert_false(mapped(10, WT_EVENT_GONE, WT_IMAGE_LOAD, 0x20000, 0x4000)->unseen);
	assert_false(space->unseen);
	assert_true(mapped(10, WT_EVENT_GONE, WT_IMAGE_LOAD, 0x21000, 0x1000)->unseen);
	assert_false(wt_space_look(space, 0x20000)->unseen);
	assert_false(wt_space_look(space, 0x22000)->unseen);
	assert_true(space->unseen);
	assert_true(mapped(10, WT_EVENT_UNSEEN, WT_IMAGE_LOAD, 0x30000, 0x4000)->unseen);
	/* Whoever looks finds out. */
	assert_true(mapped(10, WT_EVENT_UNSEEN, WT_IMAGE_RUNDOWN, 0x30000, 0x4000)->unseen);
	assert_false(mapped(10, 0, WT_IMAGE_RUNDOWN, 0x30000, 0x4000)->unseen);
	wt_space_seen(wt_tasks_process(&id.tasks, 10)->space, wt_space_look(space, 0x21000));
	assert_false(space->unseen);
	/* Whoever ends during the rundown may have written anywhere. */
	assert_true(mapped(10, WT_EVENT_GONE, WT_IMAGE_RUNDOWN, 0x40000, 0x4000)->unseen);
	map_vdso(10);
	assert_true(mapped(10, WT_EVENT_GONE, WT_IMAGE_LOAD, 0x50000, 0x4000)->unseen);
	assert_false(mapped(10, 0, WT_IMAGE_LOAD, 0x60000, 0x4000)->unseen);
}

static void test_pid_reuse(void **state)
{
	(void)state;
	rundown(1, "init", 1, 1);
	proc(WT_PROC_START, 30, 1, "", 100);
	proc(WT_PROC_EXEC, 30, 0, "first", 110);
	image(WT_IMAGE_LOAD, 30, 0x1000, 0x1000, "/first");
	thread(WT_THREAD_START, 30, 31, "", 120);
	proc(WT_PROC_STOP, 30, 0, "", 200);
	proc(WT_PROC_START, 30, 1, "", 210);
	expect_name(30, 30, 211, "init");
	expect_image(30, 0x1000, NULL);
	assert_int_equal(wt_tasks_process(&id.tasks, 30)->start_time, 210);
	assert_null(wt_tasks_thread(&id.tasks, 31));
	/* The exit of the second was lost. */
	proc(WT_PROC_START, 30, 1, "", 300);
	assert_int_equal(wt_tasks_process(&id.tasks, 30)->start_time, 300);
	/* A thread id that was a process. */
	proc(WT_PROC_STOP, 30, 0, "", 400);
	thread(WT_THREAD_START, 1, 30, "worker", 500);
	expect_name(1, 30, 501, "worker");
	assert_null(wt_tasks_process(&id.tasks, 30));
}

static void test_threads(void **state)
{
	(void)state;
	rundown(50, "srv", 1, 1);
	assert_int_equal(thread(WT_THREAD_RUNDOWN, 50, 51, "pool", 2), WT_NEWS);
	assert_int_equal(thread(WT_THREAD_RUNDOWN, 50, 51, "pool", 3), WT_NEWS_KNOWN);
	thread(WT_THREAD_START, 50, 52, "", 10);
	expect_name(50, 52, 11, "srv");
	thread(WT_THREAD_NAME, 50, 52, "io", 20);
	expect_name(50, 52, 21, "io");
	expect_name(50, 50, 21, "srv");
	thread(WT_THREAD_NAME, 50, 50, "main", 30);
	assert_memory_equal(wt_tasks_process(&id.tasks, 50)->name.text, "main", 4);
	/* The main thread may end first: the process lives on. */
	proc(WT_PROC_STOP, 50, 0, "", 40);
	assert_int_equal(id.tasks.live_processes, 1);
	wt_tasks_trim(&id.tasks, 50 + WT_TASK_GRACE);
	assert_non_null(wt_tasks_process(&id.tasks, 50));
	thread(WT_THREAD_STOP, 50, 51, "", 60 + WT_TASK_GRACE);
	thread(WT_THREAD_STOP, 50, 52, "", 61 + WT_TASK_GRACE);
	assert_int_equal(id.tasks.live_processes, 0);
	wt_tasks_trim(&id.tasks, 70 + 2 * WT_TASK_GRACE);
	assert_int_equal(id.tasks.processes.count, 0);
	assert_int_equal(id.tasks.threads.count, 0);
}

/* exec by a thread that is not the main one: the main one is reported gone, then its id lives on. */
static void test_exec_by_other_thread(void **state)
{
	(void)state;
	rundown(60, "jvm", 1, 1);
	thread(WT_THREAD_START, 60, 61, "", 10);
	proc(WT_PROC_STOP, 60, 0, "", 20);
	proc(WT_PROC_EXEC, 60, 0, "new", 21);
	expect_name(60, 60, 22, "new");
	assert_int_equal(id.tasks.live_threads, 1);
	assert_int_equal(id.tasks.live_processes, 1);
	wt_tasks_trim(&id.tasks, 30 + WT_TASK_GRACE);
	assert_non_null(wt_tasks_thread(&id.tasks, 60));
	assert_null(wt_tasks_thread(&id.tasks, 61));
}

static void test_rundown_completes(void **state)
{
	const struct wt_process *process;

	(void)state;
	rundown(1, "init", 1, 1);
	proc(WT_PROC_START, 70, 1, "", 5000);
	assert_int_equal(rundown(70, "child", 4999, 6000), WT_NEWS_KNOWN);
	process = wt_tasks_process(&id.tasks, 70);
	assert_int_equal(process->start_time, 5000);
	assert_int_equal(process->uid, 1000);
	assert_memory_equal(process->exe.p, "/bin/exe", 8);
	expect_name(70, 70, 6001, "child");
	/* Nobody has announced 80: its rundown is news, and its start time is better than none. */
	expect_name(80, 80, 6002, "?");
	assert_int_equal(rundown(80, "found", 3000, 7000), WT_NEWS);
	assert_int_equal(wt_tasks_process(&id.tasks, 80)->start_time, 3000);
	assert_int_equal(rundown(80, "found", 3017, 7000), WT_NEWS_KNOWN);
	assert_int_equal(wt_tasks_process(&id.tasks, 80)->start_time, 3000);
	/* A start far from the known one is another process, whose beginning was lost. */
	assert_int_equal(rundown(80, "other", 3000 + 10 * WT_NSEC, 10 * WT_NSEC), WT_NEWS);
	assert_int_equal(wt_tasks_process(&id.tasks, 80)->start_time, 3000 + 10 * WT_NSEC);
	/* The fork of a process that the rundown saw a moment too early. */
	image(WT_IMAGE_RUNDOWN, 80, 0x1000, 0x1000, "/lib");
	proc(WT_PROC_START, 80, 1, "", 10 * WT_NSEC + 4000);
	expect_image(80, 0x1000, "/lib");
	assert_int_equal(wt_tasks_process(&id.tasks, 80)->start_time, 10 * WT_NSEC + 4000);
}

static void test_rundown_of_known_image(void **state)
{
	struct wt_image_payload live = {.pid = 5,
					.address = 0x1000,
					.size = 0x4000,
					.file_offset = 0x200,
					.build_id = {"0123", 4},
					.path = wt_str("/x")};
	struct wt_image_payload proc_maps = live;
	const struct wt_image_entry *known;

	(void)state;
	rundown(5, "p", 1, 1);
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_LOAD, &live, 0), WT_NEWS);
	proc_maps.inode = 77;
	proc_maps.path = wt_str("/x (deleted)");
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &proc_maps, 0), WT_NEWS_KNOWN);
	proc_maps.address += 0x1000;
	proc_maps.file_offset += 0x1000;
	proc_maps.size = 0x1000;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &proc_maps, 0), WT_NEWS_KNOWN);
	expect_image(5, 0x2000, "/x");
	proc_maps.file_offset += 1;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &proc_maps, 0), WT_NEWS);
	proc_maps.file_offset -= 1;
	proc_maps.build_id = wt_str("0124");
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &proc_maps, 0), WT_NEWS);
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN_END, &proc_maps, 0), WT_NEWS);
	/* An inode that is told later comes to the build id, and the time of the mapping stays. */
	live.address = 0x8000;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_LOAD, &live, 50), WT_NEWS);
	proc_maps = live;
	proc_maps.build_id.len = 0;
	proc_maps.inode = 77;
	proc_maps.device = 8;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &proc_maps, 90), WT_NEWS_KNOWN);
	known = wt_space_look(wt_tasks_process(&id.tasks, 5)->space, 0x8000)->image;
	assert_int_equal(known->inode, 77);
	assert_int_equal(known->device, 8);
	assert_int_equal(known->build_id_len, 4);
	assert_int_equal(known->mapped, 50);
	/* What is known stays when less is told. */
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &live, 95), WT_NEWS_KNOWN);
	assert_int_equal(wt_space_look(wt_tasks_process(&id.tasks, 5)->space, 0x8000)->image->inode, 77);
	/* A build id nobody knew before is taken over without news. */
	live.build_id.len = 0;
	live.address = 0x10000;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_LOAD, &live, 0), WT_NEWS);
	live.build_id.len = 4;
	live.inode = 9;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &live, 0), WT_NEWS_KNOWN);
	assert_int_equal(wt_space_look(wt_tasks_process(&id.tasks, 5)->space, 0x10000)->image->build_id_len,
			 4);
}

static uint64_t kernel_offset(uint64_t address)
{
	const struct wt_range *range = wt_space_look(id.kernel, address);

	assert_non_null(range);
	return address + range->bias;
}

static void test_kernel_space(void **state)
{
	struct wt_image_payload kernel = {.pid = WT_PID_KERNEL,
					  .address = UINT64_C(0xffffffff81000000),
					  .size = 0x1000000,
					  .kind = WT_IMAGE_KERNEL,
					  .path = wt_str("[kernel.kallsyms]")};
	struct wt_image_payload module = {.pid = WT_PID_KERNEL,
					  .address = UINT64_C(0xffffffffc0000000),
					  .size = 0x1000,
					  .kind = WT_IMAGE_MODULE,
					  .path = wt_str("[m]")};

	(void)state;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &kernel, 0), WT_NEWS);
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &kernel, 0), WT_NEWS_KNOWN);
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_LOAD, &module, 0), WT_NEWS);
	assert_int_equal(kernel_offset(UINT64_C(0xffffffff81000123)), 0x123);
	assert_int_equal(kernel_offset(UINT64_C(0xffffffffc0000456)), 0x456);
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_UNLOAD, &module, 0), WT_NEWS);
	assert_null(wt_space_look(id.kernel, module.address));
	wt_identity_image(&id, WT_IMAGE_UNLOAD, &kernel, 0);
	/* Hidden addresses: everything in the kernel's half is the kernel, at its own address. */
	kernel.address = 0;
	assert_int_equal(wt_identity_image(&id, WT_IMAGE_RUNDOWN, &kernel, 0), WT_NEWS);
	assert_int_equal(kernel_offset(UINT64_C(0xffffffff81000123)), UINT64_C(0xffffffff81000123));
	assert_int_equal(id.tasks.processes.count, 0);
}

static void test_idle_and_exiting(void **state)
{
	(void)state;
	expect_name(0, 0, 1, "swapper");
	assert_null(wt_identity_thread(&id, UINT32_MAX, UINT32_MAX, 1));
	assert_null(wt_identity_thread(&id, 1, UINT32_MAX, 1));
	assert_int_equal(proc(WT_PROC_START, 7, UINT32_MAX, "", 5), WT_NEWS);
	expect_name(7, 7, 6, "?");
	assert_int_equal(id.tasks.processes.count, 2);
}

static void test_late_sample_of_ended_process(void **state)
{
	(void)state;
	proc(WT_PROC_START, 7, 1, "x", 5);
	proc(WT_PROC_STOP, 7, 1, "", 10);
	expect_name(7, 7, 11, "x");
	expect_name(7, 8, 11, "x");
	assert_int_equal(wt_tasks_process(&id.tasks, 7)->n_live, 0);
	wt_tasks_trim(&id.tasks, 20 + WT_TASK_GRACE);
	assert_null(wt_tasks_process(&id.tasks, 7));
}

static void test_unknown_pid_from_proc(void **state)
{
	char name[16] = "";
	struct wt_thread *self;

	(void)state;
	/* An emulator has its own. */
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	id.probing = true;
	self = wt_identity_thread(&id, (uint32_t)getpid(), (uint32_t)getpid(), 1);
	assert_memory_equal(self->name.text, name, strlen(name));
	assert_int_equal(self->process->parent_pid, getppid());
	assert_true(self->process->start_time > 0 && self->process->start_time <= wt_clock_now());
	assert_true(self->process->exe.len > 13);
	expect_name(UINT32_MAX - 1, UINT32_MAX - 1, 1, "?");
}

static void test_stat_text(void **state)
{
	struct wt_proc_payload p = {0};
	const char *odd = "7 (a) b (c) S 42 7 7 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 100 5 6\n";

	(void)state;
	assert_int_equal(wt_task_probe_stat(odd, 0, &p), 0);
	assert_int_equal(p.name.len, 7);
	assert_memory_equal(p.name.p, "a) b (c", 7);
	assert_int_equal(p.parent_pid, 42);
	assert_int_equal(p.start_time, 100 * (WT_NSEC / (uint64_t)sysconf(_SC_CLK_TCK)));
	assert_int_equal(wt_task_probe_stat(odd, (int64_t)WT_NSEC * 1000, &p), 0);
	assert_int_equal(p.start_time, 1);
	assert_int_equal(wt_task_probe_stat("7 (x) S 1", 0, &p), -1);
	assert_int_equal(wt_task_probe_stat("7 )x( S 1", 0, &p), -1);
	assert_int_equal(wt_task_probe_stat("", 0, &p), -1);
}

/* Two thousand short-lived processes a second, for a minute. */
static void read_ids(uint32_t pid, uint32_t uid, uint64_t time)
{
	struct wt_proc_payload payload = {.pid = pid, .tid = pid, .uid = uid, .name = wt_str("a")};

	wt_identity_proc(&id, WT_PROC_RUNDOWN, &payload, time);
}

/* A child's ids are as surely known as its parent's were at the fork. */
static void test_since_when_ids_are_known(void **state)
{
	const struct wt_owner_news news = {5000, 40, 7, 7};
	struct wt_process *process;

	(void)state;
	read_ids(40, 5, 1000);
	process = wt_tasks_process(&id.tasks, 40);
	assert_int_equal(process->uid, 5);
	assert_int_equal(process->ids_from, 1000);
	assert_in_range(process->ids_by, 1001, wt_clock_now());
	/* It may have been read behind the fork. */
	proc(WT_PROC_START, 41, 40, "", 2000);
	assert_int_equal(wt_tasks_process(&id.tasks, 41)->ids_from, 0);
	wt_owners_note(&id.owners, &news);
	proc(WT_PROC_START, 42, 40, "", 6000);
	assert_int_equal(wt_tasks_process(&id.tasks, 42)->uid, 7);
	assert_int_equal(wt_tasks_process(&id.tasks, 42)->ids_from, 5000);
	/* What was read a moment before the news and told behind them is old. */
	read_ids(40, 5, 7000);
	assert_int_equal(process->uid, 7);
}

static void test_fork_storm_is_bounded(void **state)
{
	size_t peak = 0;

	(void)state;
	rundown(1, "make", 1, 1);
	for (uint64_t i = 0; i < 120000; i++) {
		uint64_t time = 1000 + i * 500000;
		uint32_t pid = (uint32_t)(100 + i % 32768);
		char path[32];

		snprintf(path, sizeof(path), "/tmp/conftest%llu", (unsigned long long)i);
		wt_tasks_trim(&id.tasks, time);
		proc(WT_PROC_START, pid, 1, "", time);
		proc(WT_PROC_EXEC, pid, 1, "cc", time + 1);
		image(WT_IMAGE_LOAD, pid, 0x1000, 0x1000, path);
		image(WT_IMAGE_LOAD, pid, 0x9000, 0x1000, "/lib/ld.so");
		proc(WT_PROC_STOP, pid, 1, "", time + 400000);
		peak = wt_identity_bytes(&id) > peak ? wt_identity_bytes(&id) : peak;
	}
	assert_true(peak < 4 << 20);
	assert_true(id.tasks.n_graves <= 2001);
	assert_int_equal(id.tasks.live_processes, 1);
}

static void test_bound_holds(void **state)
{
	uint32_t refused = 0;

	(void)state;
	id.tasks.bound = 1 << 20;
	for (uint32_t pid = 1; pid < 20000; pid++)
		refused += proc(WT_PROC_START, pid, 0, "x", pid) == WT_NEWS_LOST;
	assert_true(refused > 0 && refused < 19000);
	assert_true(wt_identity_bytes(&id) < (1 << 20) + (600 << 10));
	for (uint32_t i = 0; i < 100; i++)
		image(WT_IMAGE_LOAD, 1, 0x1000 * i, 0x100, "/lib");
	assert_null(wt_identity_thread(&id, 19999, 19999, 1));
	/* What ends makes room. */
	for (uint32_t pid = 1; pid < 5000; pid++)
		proc(WT_PROC_STOP, pid, 0, "", 20000);
	wt_tasks_trim(&id.tasks, 30000 + WT_TASK_GRACE);
	assert_int_equal(proc(WT_PROC_START, 19999, 0, "x", 30000 + WT_TASK_GRACE), WT_NEWS);
}

/* Text that could be written to stays what it is when its rights change; another file's does not. */
static void test_written_text(void **state)
{
	struct wt_image_payload text = {.pid = 5, .address = 0x1000, .size = 0x4000, .path = wt_str("/x")};
	struct wt_image_payload page = {
		.pid = 5, .address = 0x2000, .size = 0x1000, .kind = WT_IMAGE_ANON, .path = wt_str("/x")};
	const struct wt_space *space;

	(void)state;
	rundown(5, "a", 1, 1);
	wt_identity_image(&id, WT_IMAGE_LOAD, &text, 0);
	wt_identity_image(&id, WT_IMAGE_LOAD, &page, 1);
	for (uint64_t time = 2; time < 4; time++) {
		wt_identity_image(&id, WT_IMAGE_LOAD, &text, time);
		space = wt_tasks_process(&id.tasks, 5)->space;
		assert_int_equal(wt_space_look(space, 0x1fff)->image->kind, WT_IMAGE_FILE);
		assert_int_equal(wt_space_look(space, 0x2000)->image->kind, WT_IMAGE_ANON);
		assert_int_equal(wt_space_look(space, 0x2fff)->bias, 0);
		assert_int_equal(wt_space_look(space, 0x3000)->image->kind, WT_IMAGE_FILE);
	}
	/* So many pieces that nobody keeps them apart. */
	text.size = 0x100000;
	for (page.address = 0x1000; page.address < 0x80000; page.address += 0x2000)
		wt_identity_image(&id, WT_IMAGE_LOAD, &page, 5);
	wt_identity_image(&id, WT_IMAGE_LOAD, &text, 6);
	space = wt_tasks_process(&id.tasks, 5)->space;
	assert_int_equal(wt_space_look(space, 0x90000)->image->kind, WT_IMAGE_ANON);
	text.path = wt_str("/y");
	wt_identity_image(&id, WT_IMAGE_LOAD, &text, 7);
	space = wt_tasks_process(&id.tasks, 5)->space;
	assert_int_equal(wt_space_look(space, 0x2000)->image->kind, WT_IMAGE_FILE);
}

/* Where news were lost it is not known which threads live, until they are told again: all of them. */
static void test_threads_are_counted_again(void **state)
{
	const struct wt_process *process;

	(void)state;
	rundown(50, "srv", 1, 100);
	process = wt_tasks_process(&id.tasks, 50);
	thread(WT_THREAD_START, 50, 51, "", 110);
	thread(WT_THREAD_START, 50, 52, "", 120);
	assert_true(wt_identity_counts(&id, process));
	wt_identity_doubt(&id);
	assert_false(wt_identity_counts(&id, process));
	rundown(50, "srv", 1, 200);
	thread(WT_THREAD_RUNDOWN, 50, 52, "", 201);
	thread(WT_THREAD_RUNDOWN, 50, 53, "", 202);
	/* There may be more of them. */
	thread(WT_THREAD_START, 50, 54, "", 203);
	assert_false(wt_identity_counts(&id, process));
	image(WT_IMAGE_RUNDOWN, 50, 0x1000, 0x1000, "/bin/srv");
	assert_true(wt_identity_counts(&id, process));
	assert_true(wt_tasks_thread(&id.tasks, 51)->dead);
	assert_int_equal(process->n_live, 4);
	/* Lost meanwhile: what was told is not all. */
	wt_identity_doubt(&id);
	rundown(50, "srv", 1, 300);
	wt_identity_doubt(&id);
	rundown(60, "other", 1, 301);
	assert_false(wt_identity_counts(&id, process));
	/* A new program and a new process have one. */
	proc(WT_PROC_EXEC, 50, 0, "new", 400);
	assert_true(wt_identity_counts(&id, process));
	assert_int_equal(process->n_live, 1);
	proc(WT_PROC_START, 70, 60, "", 401);
	assert_true(wt_identity_counts(&id, wt_tasks_process(&id.tasks, 70)));
}

static const struct wt_space *space_of(uint32_t pid)
{
	return wt_identity_space(&id, wt_tasks_process(&id.tasks, pid));
}

/* What loader events were lost of is named by nothing, until all that is mapped is known again. */
static void test_doubt(void **state)
{
	uint64_t changes;

	(void)state;
	rundown(10, "a", 5, 100);
	image(WT_IMAGE_RUNDOWN, 10, 0x1000, 0x1000, "/bin/a");
	proc(WT_PROC_START, 20, 10, "", 200);
	assert_non_null(space_of(20));
	changes = id.tasks.changes;
	wt_identity_doubt(&id);
	assert_true(id.tasks.changes > changes);
	assert_null(space_of(10));
	assert_null(space_of(20));
	/* A child has its parent's doubts, a new program none. */
	proc(WT_PROC_START, 30, 10, "", 300);
	assert_null(space_of(30));
	proc(WT_PROC_EXEC, 30, 0, "b", 301);
	assert_non_null(space_of(30));
	image(WT_IMAGE_LOAD, 20, 0x9000, 0x1000, "/lib/c");
	assert_null(space_of(20));
	/* A rundown begins with nothing: what is not told again is no more. */
	rundown(10, "a", 5, 400);
	expect_image(10, 0x1000, NULL);
	assert_int_equal(image(WT_IMAGE_RUNDOWN, 10, 0x1000, 0x1000, "/lib/d"), WT_NEWS);
	assert_non_null(space_of(10));
	expect_image(10, 0x1000, "/lib/d");
	rundown(10, "a", 5, 500);
	expect_image(10, 0x1000, "/lib/d");
	/* Who is met first afterwards is not in doubt. */
	assert_non_null(wt_identity_thread(&id, 40, 40, 600));
	assert_non_null(space_of(40));
}

/* Where names were lost a vdso that nobody announced is a program that began: what it maps is in doubt, what
 * all others have mapped is not. */
static void test_lost_names(void **state)
{
	(void)state;
	rundown(10, "a", 5, 100);
	rundown(20, "b", 5, 100);
	thread(WT_THREAD_START, 20, 21, "", 110);
	map_vdso(10);
	assert_non_null(space_of(10));
	wt_identity_doubt_names(&id);
	if (!getauxval(AT_SYSINFO_EHDR)) {
		/* Where the kernel maps no vdso nothing tells of programs that began: all are in doubt. */
		assert_null(space_of(10));
		return;
	}
	assert_non_null(space_of(10));
	proc(WT_PROC_EXEC, 10, 0, "c", 300);
	map_vdso(10);
	assert_non_null(space_of(10));
	map_vdso(20);
	assert_null(space_of(20));
	assert_non_null(space_of(10));
	assert_int_equal(wt_tasks_process(&id.tasks, 20)->n_live, 1);
	assert_int_equal(wt_identity_next_missed(&id), 20);
	rundown(20, "d", 5, 500);
	assert_non_null(space_of(20));
}

/* Of whose mappings one was kept back is named by nothing, until they are read later than that. */
static void test_missed(void **state)
{
	(void)state;
	rundown(10, "a", 5, 100);
	rundown(20, "b", 5, 100);
	wt_identity_miss(&id, wt_tasks_process(&id.tasks, 10), 300);
	assert_null(space_of(10));
	assert_non_null(space_of(20));
	/* What was read before it says nothing. */
	rundown(10, "a", 5, 300);
	assert_null(space_of(10));
	proc(WT_PROC_EXEC, 10, 0, "c", 299);
	assert_null(space_of(10));
	proc(WT_PROC_START, 11, 10, "", 250);
	assert_null(space_of(11));
	/* Each is to be read again once, and those only that still are to. */
	wt_identity_miss(&id, wt_tasks_process(&id.tasks, 20), 310);
	assert_int_equal(wt_identity_next_missed(&id), 20);
	/* A child has its parent's doubts, and is to be read too. */
	assert_int_equal(wt_identity_next_missed(&id), 11);
	assert_int_equal(wt_identity_next_missed(&id), 10);
	assert_int_equal(wt_identity_next_missed(&id), 0);
	rundown(10, "a", 5, 301);
	assert_non_null(space_of(10));
	wt_identity_miss(&id, wt_tasks_process(&id.tasks, 10), 400);
	proc(WT_PROC_EXEC, 10, 0, "c", 401);
	assert_non_null(space_of(10));
	assert_int_equal(wt_identity_next_missed(&id), 0);
}

/* The mapping was read in one ring before the start of its process in another: the pid was still the one's
 * that had it before. */
static void test_missed_before_the_start(void **state)
{
	(void)state;
	rundown(5, "p", 1, 50);
	rundown(10, "old", 5, 100);
	wt_identity_miss(&id, wt_tasks_process(&id.tasks, 10), 900);
	proc(WT_PROC_STOP, 10, 5, "", 700);
	proc(WT_PROC_START, 10, 5, "", 800);
	assert_null(space_of(10));
	proc(WT_PROC_STOP, 10, 5, "", 910);
	proc(WT_PROC_START, 10, 5, "", 950);
	assert_non_null(space_of(10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fork_exec_exit),
		TEST(test_pid_reuse),
		TEST(test_unseen_mappings),
		TEST(test_threads),
		TEST(test_exec_by_other_thread),
		TEST(test_rundown_completes),
		TEST(test_rundown_of_known_image),
		TEST(test_kernel_space),
		TEST(test_idle_and_exiting),
		TEST(test_late_sample_of_ended_process),
		TEST(test_unknown_pid_from_proc),
		TEST(test_stat_text),
		TEST(test_fork_storm_is_bounded),
		TEST(test_since_when_ids_are_known),
		TEST(test_bound_holds),
		TEST(test_written_text),
		TEST(test_threads_are_counted_again),
		TEST(test_doubt),
		TEST(test_missed),
		TEST(test_missed_before_the_start),
		TEST(test_lost_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
