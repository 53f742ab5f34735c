// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/logfmt/fixture.h"
#include "tracecore/logfmt/format/walk.h"

enum { RUN = 100, CPUS = 3, ROUNDS = 40 };

static struct {
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	int fd;
	struct wt_buf payloads[RUN];
	struct wt_run_event events[RUN];
} it;

static int begin(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	memset(&it, 0, sizeof(it));
	fixture_kinds(&it.kinds);
	it.fd = fixture_file();
	assert_ok(wt_log_create(it.fd, &it.kinds, fixture_session, NULL, &it.log, &err), err);
	fixture_rows(it.log);
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (int i = 0; i < RUN; i++)
		wt_buf_deinit(&it.payloads[i]);
	wt_log_writer_destroy(it.log);
	wt_kinds_deinit(&it.kinds);
	close(it.fd);
	return 0;
}

static struct wt_run make_run(uint32_t kind, uint32_t cpu, uint64_t time, uint64_t seed)
{
	for (uint32_t i = 0; i < RUN; i++) {
		fixture_payload(kind, &seed, &it.payloads[i]);
		it.events[i] = (struct wt_run_event){.time = time + i,
						     .kind = kind,
						     .payload = it.payloads[i].data,
						     .payload_len = (uint32_t)it.payloads[i].len};
	}
	return (struct wt_run){.events = it.events, .n = RUN, .cpu = cpu};
}

static void put_all(struct wt_run run)
{
	struct wt_err err = WT_ERR_INIT;
	uint32_t taken;

	for (; run.n; run.events += taken, run.n -= taken) {
		assert_true(wt_log_run(it.log, &run, 1, WT_EVENT_SELF, &taken, &err) >= 0);
		assert_true(taken > 0);
	}
}

/* The same as strips of payloads of one size each. */
static void put_strips(const struct wt_run *run)
{
	static uint8_t room[RUN * 512];
	uint64_t times[RUN];
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t i = 0, n; i < run->n; i += n) {
		const struct wt_run_event *first = &run->events[i];
		struct wt_strip strip = {.times = times,
					 .payload = room,
					 .stride = first->payload_len + 7,
					 .payload_len = first->payload_len,
					 .kind = first->kind,
					 .cpu = run->cpu};
		uint32_t taken;

		for (n = 0; i + n < run->n && first[n].payload_len == first->payload_len; n++) {
			times[n] = first[n].time;
			memcpy(room + n * strip.stride, first[n].payload, first->payload_len);
		}
		strip.n = n;
		assert_true(wt_log_strip(it.log, &strip, 1, WT_EVENT_SELF, &taken, &err) >= 0);
		assert_int_equal(taken, n);
	}
}

static struct wt_log_reader *finish(void)
{
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_finish(it.log, &err), err);
	return fixture_open(it.fd);
}

/* Runs of several CPUs and kinds at the same times, single events between them: read in order, whole. */
static void everything_comes_back_in_order(void **state)
{
	static const uint32_t some[] = {KIND_SAMPLE, KIND_TEXT, KIND_EVERY, KIND_BARE};
	const struct wt_log_batch *batch;
	struct wt_err err = WT_ERR_INIT;
	uint64_t last = 0, n = 0, singles = 0, sum = 0, read = 0;
	struct wt_log_reader *reader;
	struct wt_log_iter *iter;
	struct wt_buf buf = {0};
	uint32_t i;

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			struct wt_run run = make_run(some[round % 4], cpu, round * 2 * RUN + cpu,
						     round * CPUS + cpu);

			if (round / 4 % 2)
				put_all(run);
			else
				put_strips(&run);
			for (i = 0; i < RUN; i++)
				sum += it.payloads[i].len;
		}
		fixture_text_event(it.log, KIND_TEXT, round * 2 * RUN, NULL, NULL);
		if (round % 16 == 15)
			assert_ok(wt_log_flush(it.log, NULL, 0, &err), err);
	}
	reader = finish();
	assert_int_equal(wt_log_writer_stats(it.log)->events, ROUNDS * (CPUS * RUN + 1));
	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while (!wt_log_iter_next(iter, &batch, &i, &err)) {
		assert_true(batch->time[i] >= last);
		last = batch->time[i];
		if (!batch->self[i]) {
			singles++;
			continue;
		}
		n++;
		assert_int_equal(batch->thread[i], 1);
		assert_int_equal(batch->stack[i], 0);
		assert_true(batch->cpu[i] < CPUS);
		fixture_repack(batch, i, &buf);
		read += buf.len;
	}
	assert_int_equal(n, ROUNDS * CPUS * RUN);
	assert_int_equal(singles, ROUNDS);
	assert_int_equal(read, sum);
	wt_buf_deinit(&buf);
	wt_log_iter_destroy(iter);
	wt_log_close(reader);
}

/* A payload that does not fit ends the run before it; alone it is refused, and the rest goes on. */
static void misfits_are_refused(void **state)
{
	static const uint32_t some[] = {KIND_SAMPLE, KIND_TEXT};
	struct wt_err err = WT_ERR_INIT;
	uint32_t taken;

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct wt_run run = make_run(some[k], 2, 1000, 7);

		run.events[40].payload_len--;
		assert_true(wt_log_run(it.log, &run, 1, 0, &taken, &err) >= 0);
		assert_int_equal(taken, 40);
		run.events += 40;
		run.n -= 40;
		assert_int_equal(wt_log_run(it.log, &run, 1, 0, &taken, &err), -1);
		assert_int_equal(taken, 0);
		assert_int_equal(err.code, WT_ERR_FORMAT);
		run.events++;
		run.n--;
		put_all(run);
	}
	assert_int_equal(
		wt_log_run(it.log, &(struct wt_run){.events = it.events, .n = RUN}, 99, 0, &taken, &err), -1);
	wt_log_close(finish());
	assert_int_equal(wt_log_writer_stats(it.log)->events, 2 * (RUN - 1));
}

/* A strip that does not fit its schema is refused, and leaves nothing behind. */
static void a_strip_that_misfits_is_refused(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_run run = make_run(KIND_SAMPLE, 1, 1000, 7);
	struct wt_strip strip = {.times = (uint64_t[]){1, 2, 3},
				 .payload = (const uint8_t[32]){0},
				 .stride = 9,
				 .payload_len = 8,
				 .n = 3,
				 .kind = KIND_SAMPLE,
				 .cpu = 1};
	uint32_t taken = 7;

	(void)state;
	assert_int_equal(wt_log_strip(it.log, &strip, 1, 0, &taken, &err), -1);
	assert_int_equal(taken, 0);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	put_strips(&run);
	wt_log_close(finish());
	assert_int_equal(wt_log_writer_stats(it.log)->events, RUN);
}

/* What the headers of all blocks say is missing. */
static uint64_t missing(void)
{
	struct wt_log_walk walk;
	struct wt_log_place place;
	struct wt_err err = WT_ERR_INIT;
	uint64_t sum = 0;
	enum wt_log_step step;

	wt_log_walk_init(&walk, it.fd, sizeof(struct wt_disk_file_header),
			 wt_log_writer_stats(it.log)->bytes);
	while ((step = wt_log_walk_next(&walk, &place, &err)) == WT_LOG_STEP_BLOCK)
		sum += place.header.lost;
	return sum;
}

/* Dropped runs count, and later blocks say how many are missing, once. */
static void drops_are_told_once(void **state)
{
	(void)state;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		put_all(make_run(KIND_SAMPLE, cpu, 1000, cpu));
	assert_int_equal(wt_log_drop_pending(it.log), CPUS * RUN);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		put_all(make_run(KIND_SAMPLE, cpu, 5000, cpu));
	wt_log_close(finish());
	assert_int_equal(wt_log_writer_stats(it.log)->events, CPUS * RUN);
	assert_int_equal(missing(), CPUS * RUN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything_comes_back_in_order, begin, end),
		cmocka_unit_test_setup_teardown(misfits_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_strip_that_misfits_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(drops_are_told_once, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
