// SPDX-License-Identifier: MIT
/* Copies of a log have the same events with the same rows, whether its segments were taken whole or written
 * anew. */
#include "tests/unit/tracecore/logfmt/fixture.h"

#include "tracecore/logfmt/rewrite/copy.h"
#include "tracecore/logfmt/read/census.h"

enum { EVENTS = 600, PER_SEGMENT = 200 };

static struct wt_kinds kinds;

static void put_rows(struct wt_log_writer *log)
{
	fixture_rows(log);
	for (uint32_t i = 0; i < 40; i++)
		fixture_stack(log, i * 64, i, i / 2);
}

static void name_frames(struct wt_log_writer *log)
{
	struct wt_log_symbol rows[40];
	struct wt_err err = WT_ERR_INIT;
	char names[40][16];

	for (uint32_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "function%u", i);
		rows[i] = (struct wt_log_symbol){.name = wt_str(names[i]),
						 .raw_name = wt_str(""),
						 .file = wt_str("file.c"),
						 .line = i};
	}
	assert_ok(wt_log_put_symbols(log, 0, 0, rows, 40, &err), err);
}

/* Three segments, the first with symbols, of every kind of event. */
static int write_log(void)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_log_writer *log;
	int fd = fixture_file();
	uint64_t seed = 4711;

	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct wt_event event = {
			.time = 1000 + i * 10 + (i & 1), .kind = i % KIND_COUNT, .cpu = i % 3};
		uint8_t id[WT_ACTIVITY_ID] = {(uint8_t)i, 1};

		if (i && i % PER_SEGMENT == 0) {
			assert_ok(wt_log_flush(log, NULL, 0, &err), err);
			if (i == PER_SEGMENT)
				name_frames(log);
			assert_ok(wt_log_next_segment(log, &err), err);
		}
		if (i % PER_SEGMENT == 0)
			put_rows(log);
		fixture_payload(event.kind, &seed, &payload);
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		event.flags = i & 8 ? WT_EVENT_SELF : 0;
		event.activity = i & 4 ? id : NULL;
		assert_true(wt_log_event(log, &event, i & 1, (uint32_t)(fixture_random(&seed) % 41), &err) >=
			    0);
	}
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	wt_buf_deinit(&payload);
	return fd;
}

static void put_str(struct wt_buf *out, struct wt_str str)
{
	wt_buf_put(out, str.p, str.len);
	wt_buf_put_u8(out, ' ');
}

enum stacks { WITH_STACKS, WITHOUT_STACKS };

/* All that an event is, without any id. */
static void describe(const struct wt_log_batch *batch, uint32_t i, enum stacks stacks, struct wt_buf *out)
{
	const struct wt_log_segment *segment = batch->segment;
	const struct wt_log_thread *thread = &segment->threads[batch->thread[i]];
	const struct wt_log_process *process = &segment->processes[thread->process];
	const struct wt_kind *kind = &segment->kinds.kinds[batch->kind];
	struct wt_buf payload = {0};

	fixture_repack(batch, i, &payload);
	wt_buf_printf(out, "%llu %u %u %s:%s %u %u ", (unsigned long long)batch->time[i], batch->cpu[i],
		      batch->self[i], kind->provider->name, kind->event->name, thread->tid, process->pid);
	put_str(out, thread->name);
	put_str(out, process->exe);
	wt_buf_put(out, payload.data, payload.len);
	if (batch->activity && !wt_activity_is_none(batch->activity + (size_t)i * WT_ACTIVITY_ID))
		wt_buf_put(out, batch->activity + (size_t)i * WT_ACTIVITY_ID, WT_ACTIVITY_ID);
	for (uint32_t s = batch->stack[i]; stacks == WITH_STACKS && s; s = segment->stacks[s - 1].caller) {
		const struct wt_log_frame *frame = &segment->frames[segment->stacks[s - 1].frame];

		wt_buf_printf(out, " %llu %u %u ", (unsigned long long)frame->offset,
			      segment->stacks[s - 1].kernel, segment->stacks[s - 1].status);
		put_str(out, segment->images[frame->image].path);
		put_str(out, segment->symbols[segment->stacks[s - 1].frame].name);
	}
	wt_buf_deinit(&payload);
}

/* Iterates both; `passes` says which of the first one's events the second has. */
static void compare(struct wt_log_reader *whole, struct wt_log_reader *copy, bool (*passes)(uint64_t time),
		    enum stacks stacks)
{
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *a, *b;
	struct wt_log_iter *ai, *bi;
	struct wt_buf x = {0}, y = {0};
	uint32_t i, j, n = 0;

	assert_ok(wt_log_iter_create(whole, NULL, &ai, &err), err);
	assert_ok(wt_log_iter_create(copy, NULL, &bi, &err), err);
	while (wt_log_iter_next(ai, &a, &i, &err) == 0) {
		if (passes && !passes(a->time[i]))
			continue;
		assert_int_equal(wt_log_iter_next(bi, &b, &j, &err), 0);
		wt_buf_clear(&x);
		wt_buf_clear(&y);
		describe(a, i, stacks, &x);
		describe(b, j, stacks, &y);
		assert_int_equal(x.len, y.len);
		assert_memory_equal(x.data, y.data, x.len);
		n++;
	}
	assert_int_equal(wt_log_iter_next(bi, &b, &j, &err), 1);
	assert_true(n > 0);
	wt_log_iter_destroy(ai);
	wt_log_iter_destroy(bi);
	wt_buf_deinit(&x);
	wt_buf_deinit(&y);
}

/* Copies all segments; the copy must be sound. */
static struct wt_log_reader *copy_of(struct wt_log_reader *from, const struct wt_log_sieve *sieve)
{
	const struct wt_log_info *info = wt_log_info(from);
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *ret;
	struct wt_log_copy *copy;
	int fd = fixture_file();
	uint64_t events;

	assert_ok(wt_log_copy_create(fd, info->session_id, &info->clock, &copy, &err), err);
	for (uint32_t i = 0; i < info->n_segments; i++)
		assert_ok(wt_log_copy_segment(copy, from, i, sieve, &err), err);
	assert_ok(wt_log_copy_finish(copy, &events, &err), err);
	wt_log_copy_destroy(copy);
	ret = fixture_open(fd);
	close(fd);
	assert_ok(wt_log_verify(ret, 1, NULL, &err), err);
	if (wt_log_info(ret)->n_damages)
		fail_msg("at %llu: %s", (unsigned long long)wt_log_damages(ret)[0].offset,
			 wt_log_damages(ret)[0].what);
	assert_true(wt_log_info(ret)->complete);
	assert_int_equal(wt_log_info(ret)->events, events);
	assert_memory_equal(wt_log_info(ret)->session_id, info->session_id, 16);
	return ret;
}

static void whole_segments_are_equal(void **state)
{
	int fd = write_log();
	struct wt_log_reader *from = fixture_open(fd), *copy = copy_of(from, NULL);

	(void)state;
	assert_int_equal(wt_log_info(copy)->n_segments, 3);
	assert_int_equal(wt_log_info(copy)->events, EVENTS);
	assert_memory_equal(&wt_log_info(copy)->clock, &wt_log_info(from)->clock, sizeof(struct wt_clockset));
	compare(from, copy, NULL, WITH_STACKS);
	wt_log_close(copy);
	wt_log_close(from);
	close(fd);
}

static void written_anew_they_are_equal_too(void **state)
{
	static const struct wt_log_sieve everything;
	int fd = write_log();
	struct wt_log_reader *from = fixture_open(fd), *copy = copy_of(from, &everything);
	const struct wt_log_segment *a, *b;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	compare(from, copy, NULL, WITH_STACKS);
	for (uint32_t i = 0; i < 3; i++) {
		assert_ok(wt_log_load_segment(from, i, &a, &err), err);
		assert_ok(wt_log_load_segment(copy, i, &b, &err), err);
		assert_int_equal(a->n_facts, b->n_facts);
		assert_int_equal(a->n_clocks, b->n_clocks);
		assert_memory_equal(a->clocks, b->clocks, a->n_clocks * sizeof(*a->clocks));
		assert_int_equal(a->kinds.n, b->kinds.n);
	}
	wt_log_close(copy);
	wt_log_close(from);
	close(fd);
}

static bool in_third(uint64_t time)
{
	return time % 3 == 0;
}

static int mask_third(void *ctx, const struct wt_log_batch *batch, bool always, uint8_t *mask,
		      struct wt_err *err)
{
	(void)ctx, (void)err;
	assert_false(always);
	for (uint32_t i = 0; i < batch->n; i++)
		mask[i] = in_third(batch->time[i]);
	return 0;
}

static void a_sieve_keeps_what_it_says(void **state)
{
	const struct wt_log_sieve third = {.mask = mask_third};
	int fd = write_log();
	struct wt_log_reader *from = fixture_open(fd), *copy = copy_of(from, &third);

	(void)state;
	compare(from, copy, in_third, WITH_STACKS);
	assert_true(wt_log_info(copy)->file_bytes < wt_log_info(from)->file_bytes);
	wt_log_close(copy);
	wt_log_close(from);
	close(fd);
}

static enum wt_log_keep_stack keep_one(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	(void)ctx, (void)segment;
	return kind == KIND_SAMPLE ? WT_LOG_STACK_INNERMOST : WT_LOG_STACK_DROPPED;
}

static int check_flat(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t stack = batch->stack[i];

		if (batch->kind != KIND_SAMPLE)
			assert_int_equal(stack, 0);
		if (stack) {
			assert_int_equal(batch->segment->stacks[stack - 1].caller, 0);
			assert_int_equal(batch->segment->stacks[stack - 1].status, WT_STACK_NONE);
			++*(uint32_t *)ctx;
		}
	}
	return 0;
}

static void stacks_are_dropped(void **state)
{
	const struct wt_log_sieve flat = {.stack = keep_one};
	int fd = write_log();
	struct wt_log_reader *from = fixture_open(fd), *copy = copy_of(from, &flat);
	struct wt_err err = WT_ERR_INIT;
	uint32_t n = 0;

	(void)state;
	compare(from, copy, NULL, WITHOUT_STACKS);
	assert_ok(wt_log_scan(copy, NULL, check_flat, &n, &err), err);
	assert_true(n > EVENTS / KIND_COUNT / 2);
	wt_log_close(copy);
	wt_log_close(from);
	close(fd);
}

static bool is_bare(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	(void)ctx, (void)segment;
	return kind == KIND_BARE;
}

static void some_kinds_stay_whatever_the_filter_says(void **state)
{
	const struct wt_log_sieve sieve = {.filter = {.from = 1, .to = 2}, .always = is_bare};
	int fd = write_log();
	struct wt_log_reader *from = fixture_open(fd), *copy = copy_of(from, &sieve);

	(void)state;
	assert_int_equal(wt_log_info(copy)->events, EVENTS / KIND_COUNT);
	wt_log_close(copy);
	wt_log_close(from);
	close(fd);
}

static void segments_without_events_are_left_out(void **state)
{
	const struct wt_log_sieve sieve = {.filter = {.from = 1, .to = 1010}};
	int fd = write_log();
	struct wt_log_reader *from = fixture_open(fd), *copy = copy_of(from, &sieve);

	(void)state;
	assert_int_equal(wt_log_info(copy)->n_segments, 1);
	assert_int_equal(wt_log_info(copy)->events, 1);
	wt_log_close(copy);
	wt_log_close(from);
	close(fd);
}

/* Any byte of the log may be wrong: its copy is sound and has what the log's reader still finds. */
static void a_damaged_log_has_a_sound_copy(void **state)
{
	int fd = write_log(), other = fixture_file();
	uint8_t bytes[1 << 16];
	ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
	uint64_t seed = 1;

	(void)state;
	assert_true(len > 0 && len < (ssize_t)sizeof(bytes));
	for (int i = 0; i < 300; i++) {
		size_t at = 64 + fixture_random(&seed) % (uint64_t)(len - 64);
		struct wt_log_reader *from, *copy;

		bytes[at] ^= 0x41;
		assert_int_equal(pwrite(other, bytes, (size_t)len, 0), len);
		bytes[at] ^= 0x41;
		from = fixture_open(other);
		copy = copy_of(from, NULL);
		assert_int_equal(wt_log_info(copy)->events, wt_log_info(from)->events);
		wt_log_close(copy);
		wt_log_close(from);
	}
	close(other);
	close(fd);
}

static int make_kinds(void **state)
{
	(void)state;
	fixture_kinds(&kinds);
	return 0;
}

static int free_kinds(void **state)
{
	(void)state;
	wt_kinds_deinit(&kinds);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_segments_are_equal),
		cmocka_unit_test(written_anew_they_are_equal_too),
		cmocka_unit_test(a_sieve_keeps_what_it_says),
		cmocka_unit_test(stacks_are_dropped),
		cmocka_unit_test(some_kinds_stay_whatever_the_filter_says),
		cmocka_unit_test(segments_without_events_are_left_out),
		cmocka_unit_test(a_damaged_log_has_a_sound_copy),
	};

	return cmocka_run_group_tests(tests, make_kinds, free_kinds);
}
