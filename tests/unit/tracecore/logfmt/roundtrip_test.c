// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/logfmt/fixture.h"

#include <pthread.h>

/* An event as it was written. */
struct written {
	uint64_t time;
	uint32_t kind, cpu, thread, stack, segment, flush, order;
	bool self, claimed;
	uint8_t *payload;
	uint32_t len;
};

struct model {
	struct wt_kinds kinds;
	int fd;
	struct wt_log_writer *log;
	struct written *events;
	uint32_t n;
	uint32_t flush;
	uint32_t stacks; /* in this segment */
};

static void begin_segment(struct model *model)
{
	fixture_rows(model->log);
	model->stacks = 0;
}

static void add_event(struct model *model, uint64_t *seed, uint64_t time, uint32_t kind)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct written *w = &model->events[model->n];
	uint64_t r = fixture_random(seed);
	struct wt_event event = {.time = time, .kind = kind, .pid = 10, .tid = 11};

	if (r % 3 == 0) {
		fixture_stack(model->log, r >> 3, model->stacks,
			      model->stacks ? (r >> 50) % model->stacks : 0);
		model->stacks++;
	}
	fixture_payload(kind, seed, &payload);
	event.cpu = r >> 10 & 1 ? WT_CPU_NONE : (r >> 11) % 8;
	event.flags = (r >> 20 & 1 ? WT_EVENT_SELF : 0u) | (r >> 21 & 1 ? WT_EVENT_CLAIMED : 0u);
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	*w = (struct written){
		.time = time,
		.kind = kind,
		.cpu = event.cpu,
		.thread = r >> 21 & 1,
		.stack = model->stacks ? (r >> 22) % (model->stacks + 1) : 0,
		.segment = wt_log_segment(model->log),
		.flush = model->flush,
		.order = model->n,
		.self = event.flags & WT_EVENT_SELF,
		.claimed = event.flags & WT_EVENT_CLAIMED,
		.payload = payload.data,
		.len = event.payload_len,
	};
	assert_true(wt_log_event(model->log, &event, w->thread, w->stack, &err) >= 0);
	model->n++;
}

static int by_time(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->flush != y->flush)
		return x->flush < y->flush ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Times mostly rise, repeat, and go back now and then. */
static void fill(struct model *model, uint64_t seed, uint32_t n)
{
	struct wt_err err = WT_ERR_INIT;
	uint64_t time = 1000;

	fixture_kinds(&model->kinds);
	model->fd = fixture_file();
	model->events = calloc(n, sizeof(*model->events));
	assert_non_null(model->events);
	assert_ok(wt_log_create(model->fd, &model->kinds, fixture_session, NULL, &model->log, &err), err);
	begin_segment(model);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t r = fixture_random(&seed);

		time += r & 1 ? r >> 50 : 0;
		add_event(model, &seed, r % 50 == 0 && time > 2000 ? time - 700 : time,
			  (r >> 8) % KIND_COUNT);
		if (r >> 20 & 1 && r % 97 == 0) {
			assert_ok(wt_log_flush(model->log, NULL, 0, &err), err);
			model->flush++;
		}
		if (r % 1999 == 0) {
			assert_ok(wt_log_flush(model->log, NULL, 0, &err), err);
			model->flush++;
			assert_ok(wt_log_next_segment(model->log, &err), err);
			begin_segment(model);
		}
	}
	assert_ok(wt_log_finish(model->log, &err), err);
	assert_int_equal(wt_log_writer_stats(model->log)->events, n);
	qsort(model->events, n, sizeof(*model->events), by_time);
}

static void drop(struct model *model)
{
	for (uint32_t i = 0; i < model->n; i++)
		free(model->events[i].payload);
	free(model->events);
	wt_log_writer_destroy(model->log);
	wt_kinds_deinit(&model->kinds);
	close(model->fd);
}

static void compare(const struct written *w, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *buf)
{
	assert_int_equal(batch->time[i], w->time);
	assert_int_equal(batch->kind, w->kind);
	assert_int_equal(batch->cpu[i], w->cpu);
	assert_int_equal(batch->thread[i], w->thread);
	assert_int_equal(batch->stack[i], w->stack);
	assert_int_equal(batch->self[i], w->self);
	assert_int_equal(batch->claimed[i], w->claimed);
	assert_int_equal(batch->segment->number, w->segment);
	fixture_repack(batch, i, buf);
	assert_int_equal(buf->len, w->len);
	if (w->len)
		assert_memory_equal(buf->data, w->payload, w->len);
}

static void iterator_gives_everything_in_order(void **state)
{
	struct model model = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf buf = {0};
	struct wt_log_reader *reader;
	struct wt_log_iter *iter;
	const struct wt_log_batch *batch;
	uint32_t index, n = 0;
	int rc;

	(void)state;
	fill(&model, 1, 20000);
	reader = fixture_open(model.fd);
	assert_true(wt_log_info(reader)->complete);
	assert_int_equal(wt_log_info(reader)->events, model.n);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	assert_true(wt_log_info(reader)->n_segments > 3);
	assert_int_equal(wt_log_info(reader)->first_time, model.events[0].time);
	assert_int_equal(wt_log_info(reader)->last_time, model.events[model.n - 1].time);
	assert_memory_equal(wt_log_info(reader)->session_id, fixture_session, 16);
	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while ((rc = wt_log_iter_next(iter, &batch, &index, &err)) == 0) {
		assert_true(n < model.n);
		compare(&model.events[n++], batch, index, &buf);
	}
	assert_int_equal(rc, 1);
	assert_int_equal(n, model.n);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_iter_destroy(iter);
	wt_log_close(reader);
	wt_buf_deinit(&buf);
	drop(&model);
}

struct scan {
	const struct model *model;
	uint64_t events, batches;
	uint64_t from, to;
	uint32_t kind;
	uint32_t asked;
};

static int count_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct scan *scan = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		assert_true(batch->time[i] >= scan->from && (!scan->to || batch->time[i] < scan->to));
		assert_true(i == 0 || batch->time[i] >= batch->time[i - 1]);
		assert_true(batch->thread[i] < batch->segment->n_threads);
		assert_true(batch->stack[i] <= batch->segment->n_stacks);
	}
	if (scan->kind != WT_KIND_NONE)
		assert_int_equal(batch->kind, scan->kind);
	scan->events += batch->n;
	scan->batches++;
	return 0;
}

static bool want_kind(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct scan *scan = ctx;

	assert_true(kind < segment->kinds.n);
	scan->asked++;
	return kind == scan->kind;
}

static uint64_t iterate(struct wt_log_reader *reader, const struct wt_log_filter *filter,
			const struct scan *scan)
{
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t index;
	uint64_t n = 0;

	assert_ok(wt_log_iter_create(reader, filter, &iter, &err), err);
	while (wt_log_iter_next(iter, &batch, &index, &err) == 0) {
		assert_true(batch->time[index] >= scan->from && (!scan->to || batch->time[index] < scan->to));
		n++;
	}
	wt_log_iter_destroy(iter);
	return n;
}

static uint64_t expect(const struct scan *scan)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < scan->model->n; i++) {
		const struct written *w = &scan->model->events[i];

		n += w->time >= scan->from && (!scan->to || w->time < scan->to) &&
		     (scan->kind == WT_KIND_NONE || w->kind == scan->kind);
	}
	return n;
}

static void scans_filter_by_time_kind_and_segment(void **state)
{
	struct model model = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;
	struct scan scan = {.model = &model, .kind = WT_KIND_NONE};
	struct wt_log_filter filter = {.ctx = &scan};
	uint64_t sum = 0, middle;

	(void)state;
	fill(&model, 2, 10000);
	middle = model.events[model.n / 2].time;
	reader = fixture_open(model.fd);
	assert_ok(wt_log_scan(reader, NULL, count_batch, &scan, &err), err);
	assert_int_equal(scan.events, model.n);

	for (uint64_t step = 0; step < 40; step++) {
		scan.events = 0;
		scan.from = filter.from = step % 2 ? model.events[step * 100].time : middle - step;
		scan.to = filter.to = step % 3 ? middle + step * 50 : 0;
		assert_ok(wt_log_scan(reader, &filter, count_batch, &scan, &err), err);
		assert_int_equal(scan.events, expect(&scan));
		assert_int_equal(iterate(reader, &filter, &scan), expect(&scan));
	}
	scan.from = filter.from = scan.to = filter.to = 0;
	filter.want = want_kind;
	for (scan.kind = 0; scan.kind < KIND_COUNT; scan.kind++) {
		scan.events = 0;
		scan.asked = 0;
		assert_ok(wt_log_scan(reader, &filter, count_batch, &scan, &err), err);
		assert_int_equal(scan.events, expect(&scan));
		assert_true(scan.asked <= KIND_COUNT * wt_log_info(reader)->n_segments);
		sum += scan.events;
	}
	assert_int_equal(sum, model.n);
	scan.kind = WT_KIND_NONE;
	scan.events = 0;
	filter = (struct wt_log_filter){.n_segments = 1};
	for (; filter.first_segment < wt_log_info(reader)->n_segments; filter.first_segment++)
		assert_ok(wt_log_scan(reader, &filter, count_batch, &scan, &err), err);
	assert_int_equal(scan.events, model.n);
	wt_log_close(reader);
	drop(&model);
}

/* A call through NULL: the frame has no image and lies at address 0. */
static void a_frame_at_address_0_is_a_frame(void **state)
{
	const struct wt_log_frame frames[] = {{.image = 1, .offset = 4096}, {0}};
	const struct wt_log_stack stacks[] = {{.frame = 0},
					      {.caller = 1, .frame = 1, .status = WT_STACK_COMPLETE}};
	const struct wt_log_segment *segment;
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;
	struct model model = {0};

	(void)state;
	fixture_kinds(&model.kinds);
	model.fd = fixture_file();
	assert_ok(wt_log_create(model.fd, &model.kinds, fixture_session, NULL, &model.log, &err), err);
	begin_segment(&model);
	for (int i = 0; i < 2; i++) {
		assert_ok(wt_log_put_frame(model.log, &frames[i], &err), err);
		assert_ok(wt_log_put_stack(model.log, &stacks[i], &err), err);
	}
	assert_ok(wt_log_finish(model.log, &err), err);
	reader = fixture_open(model.fd);
	assert_ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	assert_int_equal(segment->n_stacks, 2);
	assert_int_equal(segment->stacks[1].status, WT_STACK_COMPLETE);
	wt_log_close(reader);
	drop(&model);
}

struct job {
	struct wt_log_reader *reader;
	uint32_t first;
	struct scan scan;
	int rc;
};

static int sum_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct scan *scan = ctx;

	(void)err;
	scan->events += batch->n;
	return 0;
}

static void *scan_segments(void *ctx)
{
	struct job *job = ctx;
	struct wt_log_filter filter = {.n_segments = 1};

	for (filter.first_segment = job->first; filter.first_segment < wt_log_info(job->reader)->n_segments;
	     filter.first_segment += 4)
		job->rc |= wt_log_scan(job->reader, &filter, sum_batch, &job->scan, NULL);
	return NULL;
}

static void threads_scan_different_segments(void **state)
{
	struct model model = {0};
	struct wt_log_reader *reader;
	struct job jobs[4];
	pthread_t threads[4];
	uint64_t sum = 0;

	(void)state;
	fill(&model, 4, 30000);
	reader = fixture_open(model.fd);
	assert_true(wt_log_info(reader)->n_segments >= 8);
	for (uint32_t i = 0; i < 4; i++) {
		jobs[i] = (struct job){.reader = reader, .first = i};
		assert_int_equal(pthread_create(&threads[i], NULL, scan_segments, &jobs[i]), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(jobs[i].rc, 0);
		sum += jobs[i].scan.events;
	}
	assert_int_equal(sum, model.n);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
	drop(&model);
}

/* Blocks that all span the whole time, more than an iterator holds decoded: read piece by piece. */
static void blocks_that_all_overlap_come_out_in_order(void **state)
{
	enum { BLOCKS = 20, EVENTS = 60000 };
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_options options = {.pending_bytes = UINT64_C(1) << 30};
	struct wt_log_writer *log;
	struct wt_log_reader *reader;
	struct wt_log_iter *iter;
	const struct wt_log_batch *batch;
	uint8_t payload[9] = {0};
	uint32_t index;
	uint64_t n = 0;
	int fd = fixture_file(), rc;

	(void)state;
	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, &options, &log, &err), err);
	fixture_rows(log);
	for (uint64_t b = 0; b < BLOCKS; b++) {
		for (uint64_t i = 0; i < EVENTS; i++) {
			struct wt_event event = {
				.time = i * BLOCKS + b, .payload = payload, .payload_len = 9};

			wt_store_u64(payload + 1, event.time);
			assert_ok(wt_log_event(log, &event, 1, 0, &err), err);
		}
		assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	}
	assert_ok(wt_log_finish(log, &err), err);
	reader = fixture_open(fd);
	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while ((rc = wt_log_iter_next(iter, &batch, &index, &err)) == 0) {
		if (batch->time[index] != n || batch->columns[1].values[index] != n)
			fail_msg("event %llu has time %llu", (unsigned long long)n,
				 (unsigned long long)batch->time[index]);
		n++;
	}
	assert_int_equal(rc, 1);
	assert_int_equal(n, BLOCKS * EVENTS);
	wt_log_iter_destroy(iter);
	wt_log_close(reader);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

static int stop_after(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	int *calls = ctx;

	(void)batch;
	if (++*calls == 3)
		return wt_fail(err, WT_ERR_LIMIT, "enough");
	return *calls == 2;
}

static void scan_ends_when_errors(void **state)
{
	struct model model = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;
	int calls = 0;

	(void)state;
	fill(&model, 3, 3000);
	reader = fixture_open(model.fd);
	assert_int_equal(wt_log_scan(reader, NULL, stop_after, &calls, &err), 0);
	assert_int_equal(calls, 2);
	assert_int_equal(wt_log_scan(reader, NULL, stop_after, &calls, &err), -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	wt_log_close(reader);
	drop(&model);
}

static bool str_is(struct wt_str str, const char *text)
{
	return str.len == strlen(text) && !memcmp(str.p, text, str.len);
}

static void write_tables(int fd, const struct wt_kinds *kinds)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	struct wt_log_position position = {7, UINT64_C(1) << 50};
	struct wt_log_symbol symbols[3] = {
		{.name = wt_str("main"), .file = wt_str("a.c"), .line = 12, .symbol_offset = 4},
		{.name = wt_str("f(int)"), .raw_name = wt_str("_Z1fi")},
		{.reason = WT_UNRESOLVED_NO_MATCH},
	};

	assert_ok(wt_log_create(fd, kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	for (uint32_t i = 0; i < 100; i++)
		fixture_stack(log, 4096 + 16 * i, i, i % 10 ? i : i / 2);
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	for (uint32_t i = 100; i < 150; i++)
		fixture_stack(log, i, i, i);
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	assert_ok(wt_log_next_segment(log, &err), err);
	assert_int_equal(wt_log_segment(log), 1);
	fixture_rows(log);
	assert_ok(wt_log_put_symbols(log, 0, 60, symbols, 3, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
}

static void tables_come_back(void **state)
{
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_segment *segment, *again;
	struct wt_log_reader *reader;
	int fd = fixture_file();

	(void)state;
	fixture_kinds(&kinds);
	write_tables(fd, &kinds);
	reader = fixture_open(fd);
	assert_int_equal(wt_log_info(reader)->n_segments, 2);
	assert_ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	assert_ok(wt_log_load_segment(reader, 0, &again, &err), err);
	assert_ptr_equal(segment, again);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	assert_int_equal(segment->n_processes, 2);
	assert_int_equal(segment->n_threads, 2);
	assert_int_equal(segment->n_images, 2);
	assert_int_equal(segment->n_frames, 150);
	assert_int_equal(segment->n_stacks, 150);
	assert_true(str_is(segment->processes[0].name, "?") && !segment->processes[0].self);
	assert_true(str_is(segment->processes[1].exe, "/bin/proc") && segment->processes[1].self);
	assert_int_equal(segment->processes[1].pid, 10);
	assert_int_equal(segment->processes[1].start_time, 99);
	assert_int_equal(segment->threads[1].process, 1);
	assert_true(str_is(segment->threads[1].name, "thr"));
	assert_int_equal(segment->images[1].inode, UINT64_C(1) << 40);
	assert_true(str_is(segment->images[1].build_id, "0123456789"));
	for (uint32_t i = 0; i < 150; i++) {
		assert_int_equal(segment->frames[i].offset, i < 100 ? 4096 + 16 * i : i);
		assert_int_equal(segment->frames[i].image, 1);
		assert_int_equal(segment->stacks[i].caller, i < 100 && i % 10 == 0 ? i / 2 : i);
		assert_int_equal(segment->stacks[i].frame, i);
		assert_int_equal(segment->stacks[i].kernel, i & 1);
		assert_int_equal(segment->stacks[i].status, WT_STACK_COMPLETE);
	}
	assert_true(str_is(segment->symbols[60].name, "main") && str_is(segment->symbols[60].file, "a.c"));
	assert_int_equal(segment->symbols[60].line, 12);
	assert_true(str_is(segment->symbols[61].raw_name, "_Z1fi"));
	assert_int_equal(segment->symbols[62].reason, WT_UNRESOLVED_NO_MATCH);
	assert_true(str_is(segment->symbols[0].name, "") && segment->symbols[0].reason == WT_RESOLVED);
	assert_true(segment->n_clocks >= 2 && segment->clocks[0].raw && segment->clocks[0].realtime);
	assert_true(segment->n_facts >= 3);
	assert_int_equal(segment->kinds.n, KIND_COUNT);
	assert_int_equal(wt_kinds_find(&segment->kinds, "second", "text"), KIND_TEXT);
	assert_ok(wt_log_load_segment(reader, 1, &again, &err), err);
	assert_ptr_equal(again->kinds.providers[0], segment->kinds.providers[0]);
	assert_int_equal(again->n_processes, 2);
	assert_int_equal(wt_log_load_segment(reader, 2, &again, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	wt_log_close(reader);
	wt_kinds_deinit(&kinds);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iterator_gives_everything_in_order),
		cmocka_unit_test(scans_filter_by_time_kind_and_segment),
		cmocka_unit_test(a_frame_at_address_0_is_a_frame),
		cmocka_unit_test(scan_ends_when_errors),
		cmocka_unit_test(threads_scan_different_segments),
		cmocka_unit_test(blocks_that_all_overlap_come_out_in_order),
		cmocka_unit_test(tables_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
