// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "providers/perf/bpf/idle_points.h"
#include "providers/perf/scheduler.h"
#include "tests/unit/providers/perf/fake_directory.h"
#include "tracecore/kernel_events.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define PLACES                                                           \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"  \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"     \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"

/* As Linux 6.18 prints it. */
static const char new_format[] =
	"name: sched_switch\nID: 372\n" COMMON PLACES
	"print fmt: \"%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | "
	"0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state "
	"& "
	"((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | "
	"0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, "
	"\"T\" "
	"}, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { "
	"0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | "
	"0x00000004 | "
	"0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\"\n";

/* Other numbers, as kernels before 4.14 had them: X and Z are elsewhere, and so is the mark of preemption. */
static const char old_format[] =
	"name: sched_switch\nID: 300\n" COMMON PLACES "print fmt: \"%s%s\", REC->prev_state & (1024-1) ? "
	"__print_flags(REC->prev_state & (1024-1), \"|\", { 1, "
	"\"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { "
	"128, "
	"\"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\"\n";

static const char wake_format[] = "name: sched_waking\nID: 375\n" COMMON
				  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				  "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				  "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				  "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"
				  "print fmt: \"%d\", REC->pid\n";

enum { SWITCH_BYTES = 64, WAKE_BYTES = 36 };

struct result {
	uint32_t new_tid, old_tid;
	int32_t new_priority, old_priority;
	uint8_t state, preempted;
};

static void load_format(const char *format, const char *name, enum wt_scheduler_what what,
			struct wt_scheduler_point *ret)
{
	char path[128];

	snprintf(path, sizeof(path), "events/sched/%s/format", name);
	assert_int_equal(fake_write(path, format), 0);
	assert_int_equal(wt_scheduler_load(fake_root, what, ret, NULL), 0);
}

static struct result pack_switch(const struct wt_scheduler_point *point, uint64_t state)
{
	uint8_t raw[SWITCH_BYTES] = {0};
	struct wt_buf out = {0};
	struct result ret;
	uint32_t new_tid = 0;

	wt_store_u32(raw + 24, 4711);
	wt_store_u32(raw + 28, 120);
	wt_store_u64(raw + 32, state);
	wt_store_u32(raw + 56, 815);
	wt_store_u32(raw + 60, (uint32_t)-1);
	assert_int_equal(wt_scheduler_pack(point, raw, sizeof(raw), &out, &new_tid), 0);
	assert_int_equal(out.len, 18);
	ret = (struct result){wt_load_u32(out.data),
			      wt_load_u32(out.data + 4),
			      (int32_t)wt_load_u32(out.data + 8),
			      (int32_t)wt_load_u32(out.data + 12),
			      out.data[16],
			      out.data[17]};
	assert_int_equal(ret.new_tid, new_tid);
	wt_buf_deinit(&out);
	return ret;
}

static void states_are_those_of_the_format(void **state)
{
	static const struct {
		uint64_t bits;
		uint8_t state, preempted;
	} new_states[] = {{0, WT_STATE_RUNNABLE, 0},        {0x100, WT_STATE_RUNNABLE, 1},
			  {1, WT_STATE_SLEEPING, 0},        {0x101, WT_STATE_SLEEPING, 1},
			  {2, WT_STATE_UNINTERRUPTIBLE, 0}, {4, WT_STATE_STOPPED, 0},
			  {8, WT_STATE_TRACED, 0},          {16, WT_STATE_DEAD, 0},
			  {32, WT_STATE_ZOMBIE, 0},         {64, WT_STATE_PARKED, 0},
			  {128, WT_STATE_IDLE, 0},          {3, WT_STATE_NOT_KNOWN, 0},
			  {0x200, WT_STATE_NOT_KNOWN, 0}},
	  old_states[] = {{0, WT_STATE_RUNNABLE, 0},      {1024, WT_STATE_RUNNABLE, 1},
			  {0x100, WT_STATE_NOT_KNOWN, 0}, {16, WT_STATE_ZOMBIE, 0},
			  {32, WT_STATE_DEAD, 0},         {512, WT_STATE_PARKED, 0}};
	struct wt_scheduler_point point;
	struct result got;

	(void)state;
	load_format(new_format, "sched_switch", WT_SCHEDULER_SWITCH, &point);
	assert_int_equal(point.id, 372);
	for (size_t i = 0; i < sizeof(new_states) / sizeof(new_states[0]); i++) {
		got = pack_switch(&point, new_states[i].bits);
		assert_int_equal(got.state, new_states[i].state);
		assert_int_equal(got.preempted, new_states[i].preempted);
	}
	assert_int_equal(got.new_tid, 815);
	assert_int_equal(got.old_tid, 4711);
	assert_int_equal(got.new_priority, -1);
	assert_int_equal(got.old_priority, 120);
	load_format(old_format, "sched_switch", WT_SCHEDULER_SWITCH, &point);
	for (size_t i = 0; i < sizeof(old_states) / sizeof(old_states[0]); i++) {
		got = pack_switch(&point, old_states[i].bits);
		assert_int_equal(got.state, old_states[i].state);
		assert_int_equal(got.preempted, old_states[i].preempted);
	}
}

static void wakes_have_their_context(void **state)
{
	static const struct {
		uint8_t flags, context;
	} all[] = {{0, WT_WAKER_THREAD},       {0x80, WT_WAKER_THREAD},    {0x10, WT_WAKER_SOFTIRQ},
		   {0x18, WT_WAKER_INTERRUPT}, {0x08, WT_WAKER_INTERRUPT}, {0x48, WT_WAKER_NMI}};
	struct wt_scheduler_point point;

	(void)state;
	load_format(wake_format, "sched_waking", WT_SCHEDULER_READY, &point);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint8_t raw[WAKE_BYTES] = {0};
		struct wt_buf out = {0};

		raw[2] = all[i].flags;
		wt_store_u32(raw + 24, 77);
		wt_store_u32(raw + 28, 99);
		wt_store_u32(raw + 32, 3);
		assert_int_equal(wt_scheduler_pack(&point, raw, sizeof(raw), &out, NULL), 0);
		assert_int_equal(out.len, 13);
		assert_int_equal(wt_load_u32(out.data), 77);
		assert_int_equal(wt_load_u32(out.data + 4), 99);
		assert_int_equal(wt_load_u32(out.data + 8), 3);
		assert_int_equal(out.data[12], all[i].context);
		wt_buf_deinit(&out);
	}
}

/* The bytes of a program on an idle thread, of every length. */
static void events_of_idle_threads_have_their_context(void **state)
{
	static const struct {
		uint32_t count;
		uint8_t context;
	} all[] = {{0, WT_WAKER_THREAD},          {1, WT_WAKER_THREAD},
		   {0x200, WT_WAKER_THREAD},      {0x100, WT_WAKER_SOFTIRQ},
		   {0x10100, WT_WAKER_INTERRUPT}, {0x10001, WT_WAKER_INTERRUPT},
		   {0x110000, WT_WAKER_NMI},      {WT_BPF_NOT_TOLD, WT_WAKER_IDLE}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct wt_bpf_idle_wake wake = {77, 99, 3, all[i].count};
		struct wt_buf out = {0};

		assert_int_equal(wt_scheduler_pack_idle(WT_SCHEDULER_READY, (const uint8_t *)&wake,
							sizeof(wake), &out, NULL),
				 0);
		assert_int_equal(out.len, 13);
		assert_int_equal(wt_load_u32(out.data), 77);
		assert_int_equal(wt_load_u32(out.data + 4), 99);
		assert_int_equal(wt_load_u32(out.data + 8), 3);
		assert_int_equal(out.data[12], all[i].context);
		wt_buf_deinit(&out);
	}
}

static void switches_of_idle_threads_name_who_comes(void **state)
{
	const struct wt_bpf_idle_switch given = {815, -1, 120};
	struct wt_buf out = {0};
	uint32_t new_tid = 0;

	(void)state;
	for (size_t len = 0; len < sizeof(given); len++)
		assert_int_equal(wt_scheduler_pack_idle(WT_SCHEDULER_SWITCH, (const uint8_t *)&given, len,
							&out, &new_tid),
				 -1);
	assert_int_equal(out.len, 0);
	assert_int_equal(wt_scheduler_pack_idle(WT_SCHEDULER_SWITCH, (const uint8_t *)&given, sizeof(given),
						&out, &new_tid),
			 0);
	assert_int_equal(new_tid, 815);
	assert_int_equal(wt_load_u32(out.data), 815);
	assert_int_equal(wt_load_u32(out.data + 4), 0);
	assert_int_equal(wt_load_u32(out.data + 8), (uint32_t)-1);
	assert_int_equal(wt_load_u32(out.data + 12), 120);
	assert_int_equal(out.data[16], WT_STATE_RUNNABLE);
	assert_int_equal(out.data[17], 0);
	wt_buf_deinit(&out);
}

static void short_bytes_are_refused(void **state)
{
	struct wt_scheduler_point points[2];
	const size_t whole[2] = {SWITCH_BYTES, WAKE_BYTES};

	(void)state;
	load_format(new_format, "sched_switch", WT_SCHEDULER_SWITCH, &points[0]);
	load_format(wake_format, "sched_waking", WT_SCHEDULER_READY, &points[1]);
	for (int i = 0; i < 2; i++)
		for (size_t len = 0; len <= whole[i]; len++) {
			uint8_t *raw = calloc(1, len ? len : 1);
			struct wt_buf out = {0};
			uint32_t new_tid;

			assert_int_equal(wt_scheduler_pack(&points[i], raw, len, &out, &new_tid),
					 len < whole[i] ? -1 : 0);
			assert_int_equal(out.len != 0, len == whole[i]);
			wt_buf_deinit(&out);
			free(raw);
		}
}

static void formats_that_say_less_are_refused(void **state)
{
	struct wt_scheduler_point point;
	struct wt_err err = WT_ERR_INIT, other = WT_ERR_INIT;

	(void)state;
	assert_int_equal(fake_write("events/sched/sched_switch/format",
				    "name: sched_switch\nID: 372\n" COMMON PLACES
				    "print fmt: \"%d\", REC->prev_pid\n"),
			 0);
	assert_int_equal(wt_scheduler_load(fake_root, WT_SCHEDULER_SWITCH, &point, &err), -1);
	assert_int_equal(err.code, WT_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "sched_switch"));
	assert_int_equal(wt_scheduler_load(fake_root, WT_SCHEDULER_READY_NEW, &point, &other), -1);
	assert_int_equal(other.code, WT_ERR_USAGE);
}

/* tid: of the record; out: a switch-out. Returns whether it gave an event. */
static bool take(struct wt_scheduler_turn *turn, uint32_t tid, bool leaves)
{
	struct wt_perf_record record = {.type = PERF_RECORD_SWITCH_CPU_WIDE,
					.misc = leaves ? PERF_RECORD_MISC_SWITCH_OUT : 0,
					.tid = tid,
					.other = {.pid = 1, .tid = 9}};
	struct wt_buf out = {0};
	bool gave = wt_scheduler_take_record(turn, &record, &out);

	assert_int_equal(out.len, gave ? 8 : 0);
	if (gave) {
		assert_int_equal(wt_load_u32(out.data), tid);
		assert_int_equal(wt_load_u32(out.data + 4), 9);
	}
	wt_buf_deinit(&out);
	return gave;
}

static void own_threads_come_and_go(void **state)
{
	struct wt_perf_record record = {.type = PERF_RECORD_SWITCH, .tid = 5};
	struct wt_buf out = {0};

	(void)state;
	assert_false(wt_scheduler_take_own(&record, &out));
	assert_int_equal(out.len, 4);
	assert_int_equal(wt_load_u32(out.data), 5);
	wt_buf_clear(&out);
	record.misc = PERF_RECORD_MISC_SWITCH_OUT;
	assert_true(wt_scheduler_take_own(&record, &out));
	assert_int_equal(out.len, 5);
	assert_int_equal(out.data[4], 0);
	wt_buf_clear(&out);
	record.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	assert_true(wt_scheduler_take_own(&record, &out));
	assert_int_equal(out.data[4], 1);
	wt_buf_deinit(&out);
}

static void only_switches_without_a_tracepoint_give_events(void **state)
{
	struct wt_scheduler_turn turn = {0};

	(void)state;
	/* The tracepoint named the thread. */
	turn = (struct wt_scheduler_turn){true, 5};
	assert_false(take(&turn, 4, true));
	assert_false(take(&turn, 5, false));
	/* Nothing named this one. */
	assert_true(take(&turn, 5, false));
	assert_true(take(&turn, 6, false));
	/* The idle thread's own record is missing, and then its tracepoint. */
	turn = (struct wt_scheduler_turn){true, 0};
	assert_true(take(&turn, 7, false));
	/* A thread that is released has no number in the record. */
	turn = (struct wt_scheduler_turn){true, 8};
	assert_false(take(&turn, UINT32_MAX, false));
	assert_false(take(&turn, UINT32_MAX, false));
	assert_true(take(&turn, 8, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_those_of_the_format),
		cmocka_unit_test(wakes_have_their_context),
		cmocka_unit_test(events_of_idle_threads_have_their_context),
		cmocka_unit_test(switches_of_idle_threads_name_who_comes),
		cmocka_unit_test(short_bytes_are_refused),
		cmocka_unit_test(formats_that_say_less_are_refused),
		cmocka_unit_test(own_threads_come_and_go),
		cmocka_unit_test(only_switches_without_a_tracepoint_give_events),
	};

	return cmocka_run_group_tests_name("scheduler", tests, fake_setup, fake_teardown);
}
