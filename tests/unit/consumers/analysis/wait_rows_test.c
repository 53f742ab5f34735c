// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/analysis/wait_rows.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/schema/builtin.h"

#define START UINT64_C(1000000)

enum { R = WT_STATE_RUNNABLE, S = WT_STATE_SLEEPING, Z = WT_STATE_ZOMBIE };

/* Threads 1 to 5 of a process; row 0 is unknown. */
enum { THREADS = 6 };

struct world {
	struct wt_kinds kinds;
	struct wt_log_writer *writer;
	struct wt_log_reader *log;
	int fd;
	uint32_t lost, info, change, record, ready, stop, rundown;
	struct wt_buf text;
};

struct event {
	enum { CHANGE, RECORD, WAKE, WAKE_BY_INTERRUPT, STOP } what;
	uint64_t time;
	uint32_t cpu, tid, other; /* old and new; woken and waker */
	uint8_t state;
};

static void must(int failed, const struct wt_err *err)
{
	if (failed)
		fail_msg("%s", err->text);
}

static struct wt_str str(const char *text)
{
	return (struct wt_str){text, (uint32_t)strlen(text)};
}

/* ---- writing ---- */

static void add_provider(struct world *world, const char *name)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	must(wt_builtin_provider(name, &provider, &err), &err);
	must(wt_kinds_add(&world->kinds, provider, &first, &err), &err);
}

static void put_rows(struct world *world)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_process process = {.pid = UINT32_MAX, .name = str("?")};
	char name[8];

	must(wt_log_put_process(world->writer, &process, &err), &err);
	process = (struct wt_log_process){.pid = 10, .start_time = 5, .name = str("p")};
	must(wt_log_put_process(world->writer, &process, &err), &err);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct wt_log_thread thread = {
			.process = i > 0, .tid = i ? i : UINT32_MAX, .start_time = i * 7};

		snprintf(name, sizeof(name), "t%u", i);
		thread.name = str(name);
		must(wt_log_put_thread(world->writer, &thread, &err), &err);
	}
}

static void put(struct world *world, uint32_t kind, uint64_t time, uint32_t cpu, uint32_t thread,
		const struct wt_buf *payload)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_event event = {.time = START + time,
				 .kind = kind,
				 .cpu = cpu,
				 .payload = payload->data,
				 .payload_len = (uint32_t)payload->len};

	if (wt_log_event(world->writer, &event, thread, 0, &err) < 0)
		fail_msg("%s", err.text);
}

static void put_event(struct world *world, const struct event *event)
{
	struct wt_buf out = {0};

	switch (event->what) {
	case CHANGE:
		wt_switch_put(&out, &(struct wt_switch_payload){.new_tid = event->other,
								.old_tid = event->tid,
								.old_state = event->state});
		put(world, world->change, event->time, event->cpu, event->tid, &out);
		break;
	case RECORD:
		wt_buf_put_u32(&out, event->other);
		wt_buf_put_u32(&out, event->tid);
		put(world, world->record, event->time, event->cpu, event->other, &out);
		break;
	case STOP:
		wt_proc_put(&out, &(struct wt_proc_payload){.pid = 10, .tid = event->tid});
		put(world, world->stop, event->time, event->cpu, event->tid, &out);
		break;
	default:
		wt_ready_put(&out,
			     &(struct wt_ready_payload){.ready_tid = event->tid,
							.context = event->what == WAKE ? WT_WAKER_THREAD
										       : WT_WAKER_INTERRUPT});
		put(world, world->ready, event->time, event->cpu, event->other, &out);
	}
	wt_buf_deinit(&out);
}

static void loss(struct world *world, const char *provider, uint32_t cpu, uint64_t from, uint64_t to)
{
	struct wt_lost_payload lost = {.provider = str(provider),
				       .event = str(""),
				       .on_cpu = cpu,
				       .cause = WT_LOSS_RING_FULL,
				       .count = 1,
				       .exact = true,
				       .from = START + from,
				       .to = START + to};
	struct wt_buf out = {0};

	wt_lost_put(&out, &lost);
	put(world, world->lost, 900, WT_CPU_NONE, 0, &out);
	wt_buf_deinit(&out);
}

static void scope(struct world *world, uint32_t told)
{
	struct wt_buf out = {0};

	wt_buf_put_counted(&out, "scope", 5);
	wt_buf_put_counted(&out, "only process 10", 15);
	put(world, world->info, 0, WT_CPU_NONE, 0, &out);
	wt_buf_clear(&out);
	wt_proc_put(&out, &(struct wt_proc_payload){.pid = 10, .tid = told});
	put(world, world->rundown, 0, WT_CPU_NONE, told, &out);
	wt_buf_deinit(&out);
}

static void begin(struct world *world)
{
	static const uint8_t id[16] = {1};
	const struct wt_log_options options = {0};
	struct wt_err err = WT_ERR_INIT;

	*world = (struct world){.fd = memfd_create("waits", MFD_CLOEXEC)};
	assert_true(world->fd >= 0);
	add_provider(world, "wtrace");
	add_provider(world, "proc_thread");
	add_provider(world, "cswitch");
	add_provider(world, "dispatcher");
	world->lost = wt_kinds_find(&world->kinds, "wtrace", "lost");
	world->info = wt_kinds_find(&world->kinds, "wtrace", "info");
	world->stop = wt_kinds_find(&world->kinds, "proc_thread", "thread_stop");
	world->rundown = wt_kinds_find(&world->kinds, "proc_thread", "thread_rundown");
	world->change = wt_kinds_find(&world->kinds, "cswitch", "switch");
	world->record = wt_kinds_find(&world->kinds, "cswitch", "switch_in");
	world->ready = wt_kinds_find(&world->kinds, "dispatcher", "ready");
	must(wt_log_create(world->fd, &world->kinds, id, &options, &world->writer, &err), &err);
	put_rows(world);
}

static void next_segment(struct world *world)
{
	struct wt_err err = WT_ERR_INIT;

	must(wt_log_flush(world->writer, NULL, 0, &err), &err);
	must(wt_log_next_segment(world->writer, &err), &err);
	put_rows(world);
}

static void end(struct world *world)
{
	if (world->log)
		wt_log_close(world->log);
	wt_log_writer_destroy(world->writer);
	wt_kinds_deinit(&world->kinds);
	wt_buf_deinit(&world->text);
	close(world->fd);
}

/* ---- reading ---- */

/* "TIME tTID: running ready blocked unknown kind ready_by certainty waker" */
static int tell(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	static const char *const shown[] = {"running",  "ready",     "blocked", "unknown",
					    "ready_by", "certainty", "waker"};
	struct world *world = ctx;
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	(void)err;
	assert_string_equal(event->name, "wait");
	for (uint32_t i = 0; i < batch->n; i++) {
		uint64_t sum = 0;

		wt_buf_printf(&world->text, "%llu t%u:", (unsigned long long)(batch->time[i] - START),
			      batch->segment->threads[batch->thread[i]].tid);
		for (size_t f = 0; f < sizeof(shown) / sizeof(shown[0]); f++) {
			struct wt_value value;

			assert_int_equal(
				wt_log_value(batch, i, (uint32_t)wt_event_field(event, shown[f]), &value), 0);
			wt_buf_puts(&world->text, " ");
			if (f < 4)
				wt_buf_put_dec(&world->text, value.u), sum += value.u;
			else
				wt_value_text(&value, &world->text);
		}
		assert_int_equal(sum, batch->columns[wt_event_field(event, "life")].values[i]);
		wt_buf_puts(&world->text, "\n");
	}
	return 0;
}

static const char *read_waits(struct world *world, uint64_t from, uint64_t to)
{
	const struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_view_file file;
	struct wt_wait_rows rows;

	must(wt_log_finish(world->writer, &err), &err);
	must(wt_log_open_fd(dup(world->fd), "test", &world->log, &err), &err);
	must(wt_view_file_init(&file, world->log, &options, &err), &err);
	must(wt_wait_rows_init(&rows, &file, &err), &err);
	rows.from = from ? START + from : 0;
	rows.to = to ? START + to : 0;
	must(wt_wait_rows_scan(&rows, tell, world, &err), &err);
	wt_view_file_deinit(&file);
	wt_wait_rows_deinit(&rows);
	return wt_buf_cstr(&world->text);
}

/* ---- tests ---- */

static const struct event pair[] = {
	{CHANGE, 100, 1, 3, 2, S}, {CHANGE, 110, 0, 1, 0, S}, {WAKE, 150, 1, 1, 2, 0},
	{CHANGE, 170, 0, 0, 1, R}, {CHANGE, 200, 0, 1, 0, S}, {WAKE_BY_INTERRUPT, 220, 1, 1, 2, 0},
	{CHANGE, 230, 0, 0, 1, R}, {STOP, 240, 0, 1, 0, 0},   {CHANGE, 250, 0, 1, 0, Z}};
enum { PAIR = sizeof(pair) / sizeof(pair[0]) };

static void turns_are_events_with_their_waker(void **state)
{
	struct world world;

	(void)state;
	for (int split = 0; split < 2; split++) {
		begin(&world);
		for (int i = 0; i < PAIR; i++) {
			if (split && i == 4)
				next_segment(&world);
			put_event(&world, &pair[i]);
		}
		assert_string_equal(read_waits(&world, 0, 0), "100 t1: 10 0 0 0 none cut \n"
							      "100 t3: 0 0 150 0 none cut \n"
							      "100 t2: 150 0 0 0 before cut \n"
							      "110 t1: 30 20 40 0 woken exact t2\n"
							      "200 t1: 20 10 20 0 woken exact [interrupt]\n");
		end(&world);
	}
}

static void a_range_cuts_turns(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	for (int i = 0; i < PAIR; i++)
		put_event(&world, &pair[i]);
	assert_non_null(strstr(read_waits(&world, 160, 180), "160 t1: 10 10 0 0 woken cut t2\n"));
	end(&world);
}

static void losses_count_on_their_cpu(void **state)
{
	static const char exact[] = "110 t1: 30 20 40 0 woken exact t2\n",
			  probable[] = "110 t1: 30 20 40 0 woken probable t2\n",
			  unknown[] = "110 t1: 30 0 0 60 none not known \n";
	static const struct {
		const char *provider;
		uint32_t cpu;
		const char *turn;
	} all[] = {{"cswitch,dispatcher", 1, unknown},
		   {"dispatcher", 1, probable},
		   {"pmu-profile", 1, exact},
		   {"cswitch", WT_CPU_NONE, unknown},
		   {"", 1, unknown},
		   {"cswitcher,my-cswitch", 1, exact}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct world world;
		const char *text;

		begin(&world);
		for (int e = 0; e < PAIR; e++)
			put_event(&world, &pair[e]);
		loss(&world, all[i].provider, all[i].cpu, 130, 140);
		text = read_waits(&world, 0, 0);
		assert_non_null(strstr(text, all[i].turn));
		assert_non_null(strstr(text, "200 t1: 20 10 20 0 woken exact [interrupt]\n"));
		end(&world);
	}
}

static void a_session_of_some_processes_has_turns_of_theirs_alone(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	scope(&world, 1);
	for (int i = 0; i < PAIR; i++)
		put_event(&world, &pair[i]);
	assert_string_equal(read_waits(&world, 0, 0), "100 t1: 10 0 0 0 none cut \n"
						      "110 t1: 30 20 40 0 woken exact t2\n"
						      "200 t1: 20 10 20 0 woken exact [interrupt]\n");
	end(&world);
}

/* Events of one time have no order in a log: whatever order they are written in, the turns are the same. */
static void order_of_equal_times_does_not_matter(void **state)
{
	static const struct event events[] = {
		{CHANGE, 90, 0, 5, 1, S},
		{CHANGE, 90, 1, 4, 2, S},
		/* Thread 1 is woken when it leaves; 2 leaves CPU 1 and gets CPU 0; 3 gets CPU 1. */
		{WAKE, 100, 1, 1, 2, 0},
		{CHANGE, 100, 0, 1, 2, S},
		{CHANGE, 100, 1, 2, 3, R},
		{CHANGE, 120, 1, 3, 1, S},
		{WAKE, 120, 0, 3, 2, 0},
		{STOP, 120, 1, 4, 0, 0},
		{CHANGE, 140, 1, 1, 3, S},
		{CHANGE, 150, 0, 2, 0, S}};
	enum { N = sizeof(events) / sizeof(events[0]) };
	char first[4096] = "";

	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct event list[N];
		struct world world;
		const char *text;

		memcpy(list, events, sizeof(list));
		srand(seed);
		for (int i = 0; seed && i < 200; i++) {
			int at = rand() % (N - 1);
			struct event other = list[at];

			if (list[at].time != list[at + 1].time)
				continue;
			list[at] = list[at + 1];
			list[at + 1] = other;
		}
		begin(&world);
		for (int i = 0; i < N; i++)
			put_event(&world, &list[i]);
		text = read_waits(&world, 0, 0);
		if (!seed)
			snprintf(first, sizeof(first), "%s", text);
		assert_string_equal(text, first);
		end(&world);
	}
	assert_non_null(strstr(first, "100 t1: 20 20 0 0 woken exact t2\n"));
	assert_non_null(strstr(first, "100 t2: 50 0 0 0 preempted exact \n"));
	assert_null(strstr(first, "not known"));
}

static void a_log_without_switches_is_refused(void **state)
{
	const struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_view_file file;
	struct wt_wait_rows rows;
	struct world world;
	static const uint8_t id[16] = {1};
	const struct wt_log_options none = {0};

	(void)state;
	world = (struct world){.fd = memfd_create("waits", MFD_CLOEXEC)};
	add_provider(&world, "wtrace");
	must(wt_log_create(world.fd, &world.kinds, id, &none, &world.writer, &err), &err);
	must(wt_log_finish(world.writer, &err), &err);
	must(wt_log_open_fd(dup(world.fd), "test", &world.log, &err), &err);
	must(wt_view_file_init(&file, world.log, &options, &err), &err);
	assert_int_equal(wt_wait_rows_init(&rows, &file, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_non_null(strstr(err.text, "cswitch,dispatcher"));
	wt_view_file_deinit(&file);
	wt_wait_rows_deinit(&rows);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_are_events_with_their_waker),
		cmocka_unit_test(a_range_cuts_turns),
		cmocka_unit_test(losses_count_on_their_cpu),
		cmocka_unit_test(a_session_of_some_processes_has_turns_of_theirs_alone),
		cmocka_unit_test(order_of_equal_times_does_not_matter),
		cmocka_unit_test(a_log_without_switches_is_refused),
	};

	return cmocka_run_group_tests_name("wait_rows", tests, NULL, NULL);
}
