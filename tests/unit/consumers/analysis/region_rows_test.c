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

#include "consumers/analysis/column.h"
#include "consumers/analysis/region_set.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/schema/builtin.h"

#define START UINT64_C(1000000)

/* Requests have a task, parse has names alone, "work_done" ends what the program began last. */
static const char app[] =
	"{\"wtrace_manifest\":1,\"provider\":\"app\",\"tasks\":[{\"name\":\"request\",\"value\":1}],"
	"\"events\":["
	"{\"id\":1,\"version\":0,\"name\":\"got\",\"task\":\"request\",\"opcode\":\"start\",\"fields\":["
	"{\"name\":\"number\",\"type\":\"u32\"},{\"name\":\"url\",\"type\":\"string\"}]},"
	"{\"id\":2,\"version\":0,\"name\":\"answered\",\"task\":\"request\",\"opcode\":\"stop\",\"fields\":["
	"{\"name\":\"number\",\"type\":\"u32\"},{\"name\":\"duration\",\"type\":\"u32\"}]},"
	"{\"id\":3,\"version\":0,\"name\":\"parse_start\",\"opcode\":\"start\",\"fields\":[]},"
	"{\"id\":4,\"version\":0,\"name\":\"parse_stop\",\"opcode\":\"stop\",\"fields\":[]},"
	"{\"id\":5,\"version\":0,\"name\":\"work_done\",\"opcode\":\"stop\",\"fields\":[]},"
	"{\"id\":6,\"version\":0,\"name\":\"note\",\"fields\":[{\"name\":\"n\",\"type\":\"u32\"}]},"
	"{\"id\":7,\"version\":0,\"name\":\"issue\",\"fields\":[{\"name\":\"sector\",\"type\":\"u64\"},"
	"{\"name\":\"disk\",\"type\":\"string\"}]},"
	"{\"id\":8,\"version\":0,\"name\":\"complete\",\"fields\":[{\"name\":\"at\",\"type\":\"u64\"},"
	"{\"name\":\"disk\",\"type\":\"string\"}]},"
	"{\"id\":9,\"version\":0,\"name\":\"switch\",\"fields\":[{\"name\":\"prev\",\"type\":\"i32\"},"
	"{\"name\":\"next\",\"type\":\"i32\"}]}]}";
static const char calls[] =
	"{\"wtrace_manifest\":1,\"provider\":\"linux:raw_syscalls\",\"events\":["
	"{\"id\":1,\"version\":0,\"name\":\"sys_enter\",\"fields\":[{\"name\":\"id\",\"type\":\"i64\"}]},"
	"{\"id\":2,\"version\":0,\"name\":\"sys_exit\",\"fields\":[{\"name\":\"id\",\"type\":\"i64\"},"
	"{\"name\":\"ret\",\"type\":\"i64\"}]}]}";

enum { GOT, ANSWERED, PARSE, PARSED, DONE, NOTE, ISSUE, COMPLETE, SWITCH };

struct world {
	struct wt_kinds kinds;
	struct wt_log_writer *writer;
	int fd;
	uint32_t first, enter, lost, info;
	struct wt_log_reader *log;
	struct wt_buf text;
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

static uint32_t add_provider(struct world *world, const char *manifest)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	must(wt_manifest_parse(manifest, strlen(manifest), "test", &provider, &err), &err);
	must(wt_kinds_add(&world->kinds, provider, &first, &err), &err);
	return first;
}

static void put_rows(struct world *world)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t i = 0; i < 4; i++) {
		struct wt_log_process process = {
			.pid = i ? 10 : UINT32_MAX, .start_time = i ? 5 : 0, .name = str("p")};
		struct wt_log_thread thread = {
			.process = i, .tid = i ? 10 + i : UINT32_MAX, .start_time = i * 7, .name = str("t")};

		must(wt_log_put_process(world->writer, &process, &err), &err);
		must(wt_log_put_thread(world->writer, &thread, &err), &err);
	}
}

static void put(struct world *world, uint32_t kind, uint64_t time, uint32_t thread, const char *activity,
		const struct wt_buf *payload)
{
	struct wt_err err = WT_ERR_INIT;
	uint8_t id[WT_ACTIVITY_ID] = {0};
	struct wt_event event = {.time = START + time, .kind = kind, .cpu = thread % 2};

	if (activity) {
		memcpy(id, activity, strlen(activity));
		event.activity = id;
	}
	if (payload) {
		event.payload = payload->data;
		event.payload_len = (uint32_t)payload->len;
	}
	if (wt_log_event(world->writer, &event, thread, 0, &err) < 0)
		fail_msg("%s", err.text);
}

static void plain(struct world *world, uint32_t what, uint64_t time, uint32_t thread, const char *activity)
{
	put(world, world->first + what, time, thread, activity, NULL);
}

static void request(struct world *world, uint32_t what, uint64_t time, uint32_t thread, const char *activity,
		    uint32_t number)
{
	struct wt_buf payload = {0};

	wt_buf_put_u32(&payload, number);
	if (what == GOT)
		wt_buf_put_counted(&payload, "/a", 2);
	else
		wt_buf_put_u32(&payload, 7);
	put(world, world->first + what, time, thread, activity, &payload);
	wt_buf_deinit(&payload);
}

static void note(struct world *world, uint64_t time, uint32_t thread, const char *activity)
{
	struct wt_buf payload = {0};

	wt_buf_put_u32(&payload, (uint32_t)time);
	put(world, world->first + NOTE, time, thread, activity, &payload);
	wt_buf_deinit(&payload);
}

static void disk(struct world *world, uint32_t what, uint64_t time, uint32_t thread, uint64_t sector,
		 const char *name)
{
	struct wt_buf payload = {0};

	wt_buf_put_u64(&payload, sector);
	wt_buf_put_counted(&payload, name, strlen(name));
	put(world, world->first + what, time, thread, NULL, &payload);
	wt_buf_deinit(&payload);
}

static void call(struct world *world, bool enter, uint64_t time, uint32_t thread, uint64_t number)
{
	struct wt_buf payload = {0};

	wt_buf_put_u64(&payload, number);
	if (!enter)
		wt_buf_put_u64(&payload, (uint64_t)-2);
	put(world, world->enter + !enter, time, thread, NULL, &payload);
	wt_buf_deinit(&payload);
}

static void loss(struct world *world, const char *provider, uint64_t from, uint64_t to)
{
	struct wt_lost_payload lost = {.provider = str(provider),
				       .event = str(""),
				       .cause = WT_LOSS_RING_FULL,
				       .count = 1,
				       .exact = true,
				       .from = START + from,
				       .to = START + to};
	struct wt_buf payload = {0};

	wt_lost_put(&payload, &lost);
	put(world, world->lost, 900, 0, NULL, &payload);
	wt_buf_deinit(&payload);
}

static void begin(struct world *world)
{
	static const uint8_t id[16] = {1};
	const struct wt_log_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	*world = (struct world){.fd = memfd_create("regions", MFD_CLOEXEC)};
	assert_true(world->fd >= 0);
	must(wt_builtin_provider("wtrace", &provider, &err), &err);
	must(wt_kinds_add(&world->kinds, provider, &first, &err), &err);
	world->lost = wt_kinds_find(&world->kinds, "wtrace", "lost");
	world->info = wt_kinds_find(&world->kinds, "wtrace", "info");
	world->first = add_provider(world, app);
	world->enter = add_provider(world, calls);
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

static void machine(struct world *world)
{
	struct wt_buf payload = {0};

	wt_buf_put_counted(&payload, "machine", 7);
	wt_buf_put_counted(&payload, "x86_64", 6);
	put(world, world->info, 1, 0, NULL, &payload);
	wt_buf_deinit(&payload);
}

static void finish(struct world *world)
{
	struct wt_err err = WT_ERR_INIT;

	must(wt_log_finish(world->writer, &err), &err);
	must(wt_log_open_fd(dup(world->fd), "test", &world->log, &err), &err);
}

static void end(struct world *world)
{
	wt_log_close(world->log);
	wt_log_writer_destroy(world->writer);
	wt_kinds_deinit(&world->kinds);
	wt_buf_deinit(&world->text);
	close(world->fd);
}

/* ---- reading ---- */

/* "TIME tid T cpu C: field=value ..." */
static int tell(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct world *world = ctx;
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		wt_buf_printf(&world->text, "%llu t%u", (unsigned long long)(batch->time[i] - START),
			      batch->segment->threads[batch->thread[i]].tid);
		for (uint32_t f = 0; f < event->n_fields; f++) {
			struct wt_value value;

			assert_int_equal(wt_log_value(batch, i, f, &value), 0);
			wt_buf_puts(&world->text, " ");
			if (event->fields[f].type == WT_TYPE_TIME)
				wt_buf_put_dec(&world->text, value.u - START);
			else
				wt_value_text(&value, &world->text);
		}
		wt_buf_puts(&world->text, "\n");
	}
	return 0;
}

static void expect_pairs(struct world *world, const char *const *pairs, const char *want)
{
	const struct wt_view_options options = {0};
	struct wt_region_pairs list = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_region_rows rows;
	struct wt_view_file file;

	for (; pairs && *pairs; pairs++)
		must(wt_region_pairs_add(&list, *pairs, &err), &err);
	must(wt_view_file_init(&file, world->log, &options, &err), &err);
	must(wt_region_rows_init(&rows, &file, &list, &err), &err);
	rows.most = 1;
	wt_buf_clear(&world->text);
	must(wt_region_rows_scan(&rows, tell, world, &err), &err);
	assert_string_equal(wt_buf_cstr(&world->text), want);
	/* Once more, in large batches. */
	rows.most = 0;
	wt_buf_clear(&world->text);
	must(wt_region_rows_scan(&rows, tell, world, &err), &err);
	assert_int_equal(world->text.len, strlen(want));
	wt_view_file_deinit(&file);
	wt_region_rows_deinit(&rows);
	wt_region_pairs_deinit(&list);
}

static void expect(struct world *world, const char *want)
{
	expect_pairs(world, NULL, want);
}

static void expect_inside(struct world *world, const char *expr, const char *want)
{
	struct wt_view_file file;
	struct wt_view_filter filter = {.file = &file};
	const struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t i;

	must(wt_view_file_init(&file, world->log, &options, &err), &err);
	must(wt_view_filter_where(&filter, expr, NULL, &err), &err);
	must(wt_view_filter_regions(&filter, NULL, &err), &err);
	must(wt_log_iter_create(world->log, NULL, &iter, &err), &err);
	wt_buf_clear(&world->text);
	while (!wt_log_iter_next(iter, &batch, &i, &err)) {
		uint8_t mask[4096];
		struct wt_view_segment *segment;

		if (strcmp(batch->segment->kinds.kinds[batch->kind].event->name, "note"))
			continue;
		must(wt_view_file_segment(&file, batch->segment, &segment, &err), &err);
		must(wt_view_filter_mask(&filter, segment, batch, mask, &err), &err);
		if (mask[i])
			wt_buf_printf(&world->text, "%llu ", (unsigned long long)(batch->time[i] - START));
	}
	wt_log_iter_destroy(iter);
	assert_string_equal(wt_buf_cstr(&world->text), want);
	wt_view_filter_deinit(&filter);
	wt_view_file_deinit(&file);
}

/* ---- tests ---- */

static void regions_are_events(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	machine(&world);
	request(&world, GOT, 10, 1, "A", 5);
	plain(&world, PARSE, 20, 1, "A");
	call(&world, true, 22, 1, 0);
	call(&world, false, 28, 1, 0);
	plain(&world, PARSED, 30, 1, "A");
	plain(&world, PARSE, 40, 2, NULL);
	next_segment(&world);
	request(&world, ANSWERED, 50, 2, "A", 6);
	call(&world, true, 55, 3, 100000);
	finish(&world);
	expect(&world, "22 t11 sys_read 6 6 parse complete 28 1 11 0 0 -2\n"
		       "20 t11 parse 10 4 request complete 30 1 11\n"
		       "10 t11 request 40 30  complete 50 0 12 5 /a 6 7\n"
		       "40 t12 parse  unfinished\n"
		       "55 t13 syscall 100000  unfinished 100000\n");
	end(&world);
}

static void loose_ends_and_missing_starts(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	plain(&world, DONE, 5, 1, NULL);
	request(&world, ANSWERED, 8, 1, NULL, 3);
	plain(&world, PARSE, 10, 1, NULL);
	request(&world, GOT, 20, 1, NULL, 4);
	plain(&world, DONE, 30, 1, NULL);
	plain(&world, DONE, 40, 1, NULL);
	finish(&world);
	expect(&world, "5 t11 work no start\n"
		       "8 t11 request no start 3 7\n"
		       "20 t11 request 10 10 parse complete 30 1 11 4 /a\n"
		       "10 t11 parse 30 20  complete 40 1 11\n");
	end(&world);
}

static void what_was_lost_makes_doubt(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	loss(&world, "app,other", 15, 25);
	loss(&world, "linux:sched", 0, 1000);
	loss(&world, "pmu-profile", 0, 1000);
	plain(&world, PARSE, 5, 1, NULL);
	plain(&world, PARSED, 10, 1, NULL);
	plain(&world, PARSE, 12, 1, NULL);
	plain(&world, PARSED, 20, 1, NULL);
	plain(&world, PARSE, 30, 1, NULL);
	plain(&world, PARSED, 40, 1, NULL);
	plain(&world, PARSE, 50, 1, NULL);
	finish(&world);
	expect(&world, "5 t11 parse 5 5  complete 10 1 11\n"
		       "12 t11 parse 8 8  complete, in doubt 20 1 11\n"
		       "30 t11 parse 10 10  complete 40 1 11\n"
		       "50 t11 parse  unfinished\n");
	end(&world);
}

/* The last block of events says what was written last; without it nothing is sure. */
static void damage_makes_doubt(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct world world;

	(void)state;
	begin(&world);
	plain(&world, PARSE, 5, 1, NULL);
	plain(&world, PARSED, 10, 1, NULL);
	must(wt_log_flush(world.writer, NULL, 0, &err), &err);
	must(wt_log_open_fd(dup(world.fd), "test", &world.log, &err), &err);
	expect(&world, "5 t11 parse 5 5  complete, in doubt 10 1 11\n");
	end(&world);
}

/* Which of two events of one time came first is not in the log. */
static void events_of_one_time(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	plain(&world, PARSE, 10, 1, NULL);
	plain(&world, PARSED, 10, 1, NULL);
	plain(&world, PARSE, 20, 1, NULL);
	plain(&world, PARSED, 30, 1, NULL);
	request(&world, GOT, 30, 1, NULL, 1);
	request(&world, ANSWERED, 40, 1, NULL, 1);
	plain(&world, PARSE, 50, 1, NULL);
	plain(&world, PARSED, 60, 1, NULL);
	plain(&world, PARSE, 60, 1, NULL);
	plain(&world, PARSED, 70, 1, NULL);
	finish(&world);
	expect(&world, "10 t11 parse 0 0  complete 10 1 11\n"
		       "20 t11 parse 10 10  complete 30 1 11\n"
		       "30 t11 request 10 10  complete 40 1 11 1 /a 1 7\n"
		       "50 t11 parse 10 10  complete, in doubt 60 1 11\n"
		       "60 t11 parse 10 10  complete, in doubt 70 1 11\n");
	end(&world);
}

static void pairs_of_users(void **state)
{
	const char *const by_field[] = {"issue,app/complete by sector=at,disk", NULL};
	const char *const by_thread[] = {"issue,note", "switch,switch by prev=next", NULL};
	struct wt_buf payload = {0};
	struct world world;

	(void)state;
	begin(&world);
	disk(&world, ISSUE, 10, 1, 7, "sda");
	disk(&world, ISSUE, 11, 2, 7, "sdb");
	disk(&world, COMPLETE, 20, 3, 7, "sdb");
	disk(&world, COMPLETE, 30, 3, 7, "sda");
	disk(&world, COMPLETE, 31, 3, 8, "sda");
	disk(&world, ISSUE, 40, 1, 7, "sda");
	disk(&world, ISSUE, 50, 1, 7, "sda");
	note(&world, 60, 1, NULL);
	for (uint32_t i = 0; i < 3; i++) {
		wt_buf_clear(&payload);
		wt_buf_put_u32(&payload, i);
		wt_buf_put_u32(&payload, (i + 1) % 3);
		put(&world, world.first + SWITCH, 100 + 10 * i, 0, NULL, &payload);
	}
	wt_buf_deinit(&payload);
	finish(&world);
	expect_pairs(&world, by_field,
		     "11 t12 issue..complete 9 9  complete 20 1 13 7 sdb 7 sdb\n"
		     "10 t11 issue..complete 20 20  complete 30 1 13 7 sda 7 sda\n"
		     "31 t13 issue..complete no start 8 sda\n"
		     "40 t11 issue..complete  unfinished 7 sda\n"
		     "50 t11 issue..complete  unfinished 7 sda\n");
	expect_pairs(&world, by_thread,
		     "50 t11 issue..note 10 10 issue..note complete 60 1 11 7 sda 60\n"
		     "100 t4294967295 switch..switch no start 0 1\n"
		     "110 t4294967295 switch..switch no start 1 2\n"
		     "100 t4294967295 switch..switch 20 20  complete 120 0 4294967295 0 1 2 0\n"
		     "10 t11 issue..note  unfinished 7 sda\n"
		     "11 t12 issue..note  unfinished 7 sdb\n"
		     "40 t11 issue..note issue..note unfinished 7 sda\n"
		     "110 t4294967295 switch..switch  unfinished 1 2\n"
		     "120 t4294967295 switch..switch  unfinished 2 0\n");
	end(&world);
}

static void what_is_inside(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	note(&world, 5, 1, NULL);
	request(&world, GOT, 10, 1, "A", 5);
	note(&world, 11, 1, NULL);
	note(&world, 12, 1, "A");
	note(&world, 13, 1, "B");
	note(&world, 14, 2, "A");
	note(&world, 15, 2, NULL);
	plain(&world, PARSE, 20, 1, NULL);
	note(&world, 21, 1, "B");
	note(&world, 22, 1, NULL);
	plain(&world, PARSED, 30, 1, NULL);
	note(&world, 31, 1, NULL);
	next_segment(&world);
	note(&world, 40, 1, NULL);
	request(&world, ANSWERED, 50, 1, "A", 5);
	note(&world, 51, 1, "A");
	request(&world, GOT, 60, 2, "C", 6);
	note(&world, 65, 2, NULL);
	note(&world, 66, 3, "C");
	request(&world, ANSWERED, 70, 3, "C", 6);
	plain(&world, PARSE, 80, 3, NULL);
	note(&world, 85, 3, "D");
	finish(&world);
	expect_inside(&world, "in region 'request'", "11 12 14 22 31 40 66 ");
	expect_inside(&world, "in region 'parse'", "21 22 85 ");
	expect_inside(&world, "in region 'request' && !in region 'parse' && n > 12", "14 31 40 66 ");
	expect_inside(&world, "in region (region == 'request' && duration > 20ns)", "11 12 14 22 31 40 ");
	expect_inside(&world, "in region (number == 6)", "66 ");
	expect_inside(&world, "in region (region =~ '^pa' && in region (number == 5))", "21 22 ");
	expect_inside(&world, "in region 'nothing'", "");
	end(&world);
}

static void errors_of_expressions(void **state)
{
	static const struct {
		const char *expr, *says;
	} bad[] = {
		{"in region", "the filter ends"},
		{"in region parse", "'NAME' or ( EXPRESSION )"},
		{"in region (region == 'a'", "the filter ends"},
		{"in region (regoin == 'a')", "did you mean 'region'"},
		{"in region ()", "a name"},
		{"in region (duration > 5 || )", "a name"},
		{"region == 'parse'", "unknown"},
	};
	struct world world;

	(void)state;
	begin(&world);
	plain(&world, PARSE, 5, 1, NULL);
	finish(&world);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct wt_view_file file;
		struct wt_view_filter filter = {.file = &file};
		const struct wt_view_options options = {0};
		struct wt_err err = WT_ERR_INIT;

		must(wt_view_file_init(&file, world.log, &options, &err), &err);
		assert_int_equal(wt_view_filter_where(&filter, bad[i].expr, NULL, &err) ||
					 wt_view_filter_regions(&filter, NULL, &err),
				 1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		if (!strstr(err.text, bad[i].says))
			fail_msg("%s: %s", bad[i].expr, err.text);
		wt_view_filter_deinit(&filter);
		wt_view_file_deinit(&file);
	}
	end(&world);
}

static void words_of_pairs(void **state)
{
	static const char *const bad[] = {"",          "a",         "a,",       ",b",
					  "a,b,c",     "a,b by",    "a,b by ",  "a,b by x,",
					  "a,b by =y", "a,b by x=", "a,b of x", "a,b by 1,2,3,4,5"};
	struct wt_region_pairs pairs = {0};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	must(wt_region_pairs_add(&pairs, "linux:block:block_rq_issue, p/b", &err), &err);
	must(wt_region_pairs_add(&pairs, " a,b  by  x , y=z ", &err), &err);
	assert_string_equal(pairs.pairs[0].begin, "linux:block/block_rq_issue");
	assert_string_equal(pairs.pairs[0].end, "p/b");
	assert_int_equal(pairs.pairs[0].n_fields, 0);
	assert_int_equal(pairs.pairs[1].n_fields, 2);
	assert_string_equal(pairs.pairs[1].begin_field[0], "x");
	assert_string_equal(pairs.pairs[1].end_field[0], "x");
	assert_string_equal(pairs.pairs[1].begin_field[1], "y");
	assert_string_equal(pairs.pairs[1].end_field[1], "z");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (!wt_region_pairs_add(&pairs, bad[i], &err))
			fail_msg("'%s' passes", bad[i]);
		assert_int_equal(err.code, WT_ERR_USAGE);
	}
	assert_int_equal(pairs.n, 2);
	wt_region_pairs_deinit(&pairs);
}

static void base_names(void **state)
{
	static const struct {
		const char *name;
		size_t len;
	} names[] = {{"parse_start", 5}, {"parse.enter", 5}, {"ParseBegin", 5}, {"parse", 5}, {"restart", 7},
		     {"_start", 6},      {"start", 5},       {"io-done", 2},    {"legend", 6}};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(wt_region_base_name(names[i].name), names[i].len);
}

/* The columns of regions have short words; quantiles of one field share their passes. */
static void short_columns(void **state)
{
	static const char *const words[] = {"p50", "p99", "p99:self_time", "total"};
	const struct wt_view_options options = {0};
	struct wt_view_column columns[4];
	struct wt_err err = WT_ERR_INIT;
	struct wt_region_rows rows;
	struct wt_view_file file;
	struct world world;

	(void)state;
	begin(&world);
	plain(&world, PARSE, 5, 1, NULL);
	finish(&world);
	must(wt_view_file_init(&file, world.log, &options, &err), &err);
	must(wt_region_rows_init(&rows, &file, NULL, &err), &err);
	for (int i = 0; i < 4; i++) {
		must(wt_view_column_init(&file, words[i], &columns[i], &err), &err);
		assert_string_equal(columns[i].word, words[i]);
	}
	assert_true(wt_view_column_is_twin(&columns[0], &columns[1]));
	assert_false(wt_view_column_is_twin(&columns[0], &columns[2]));
	assert_false(wt_view_column_is_twin(&columns[0], &columns[3]));
	for (int i = 0; i < 4; i++)
		wt_view_column_deinit(&columns[i]);
	wt_view_file_deinit(&file);
	wt_region_rows_deinit(&rows);
	end(&world);
}

static int count(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	uint64_t *sum = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++)
		*sum += batch->columns[WT_REGION_DURATION].values[i];
	return 0;
}

/* Very many regions, few at a time: what is kept is what is open. */
static void many_regions(void **state)
{
	enum { PAIRS = 300000 };
	const struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_region_rows rows;
	struct wt_view_file file;
	struct world world;
	uint64_t sum = 0;

	(void)state;
	begin(&world);
	for (uint32_t i = 0; i < PAIRS; i++) {
		plain(&world, PARSE, 10 * i, 1 + i % 3, NULL);
		plain(&world, PARSED, 10 * i + 25, 1 + i % 3, NULL);
		if (i % 100000 == 99999)
			next_segment(&world);
	}
	finish(&world);
	must(wt_view_file_init(&file, world.log, &options, &err), &err);
	must(wt_region_rows_init(&rows, &file, NULL, &err), &err);
	must(wt_region_rows_scan(&rows, count, &sum, &err), &err);
	assert_int_equal(rows.counts.all, PAIRS);
	assert_int_equal(rows.counts.unfinished + rows.counts.unbegun + rows.counts.overlapping, 0);
	assert_int_equal(sum, UINT64_C(25) * PAIRS);
	assert_true(rows.counts.most_open <= 3);
	wt_view_file_deinit(&file);
	wt_region_rows_deinit(&rows);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_are_events),
		cmocka_unit_test(loose_ends_and_missing_starts),
		cmocka_unit_test(what_was_lost_makes_doubt),
		cmocka_unit_test(damage_makes_doubt),
		cmocka_unit_test(events_of_one_time),
		cmocka_unit_test(pairs_of_users),
		cmocka_unit_test(what_is_inside),
		cmocka_unit_test(errors_of_expressions),
		cmocka_unit_test(words_of_pairs),
		cmocka_unit_test(base_names),
		cmocka_unit_test(short_columns),
		cmocka_unit_test(many_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
