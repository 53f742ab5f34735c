// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "consumers/record/recorder.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/schema/builtin.h"
#include "tracecore/logfmt/rewrite/resume.h"

/* A ring shared by the recorders of one session: it outlives them, as the keeper's does. */
struct ring {
	struct wt_source source;
	struct {
		struct wt_event event;
		uint8_t payload[160];
		uint64_t pc[2];
	} slots[20000];
	uint32_t n, visible, next, tail;
};

static struct ring ring;
static struct wt_kinds kinds;
static struct wt_log_writer *log_writer;
static struct wt_recorder *rec;
static struct wt_err err;
static char path[64];
static int fd;
static bool enabled[256], past;
static uint32_t k_start, k_rundown, k_exec, k_load, k_sample, k_lost;
static struct wt_log_options options;

static void ring_refresh(struct wt_source *source)
{
	(void)source;
	ring.visible = ring.n;
}

static int ring_peek(struct wt_source *source, struct wt_event *ret)
{
	(void)source;
	if (ring.next >= ring.visible)
		return 1;
	*ret = ring.slots[ring.next].event;
	return 0;
}

static void ring_pop(struct wt_source *source)
{
	(void)source;
	ring.next++;
}

static uint64_t ring_position(const struct wt_source *source)
{
	(void)source;
	return ring.next;
}

static int ring_seek(struct wt_source *source, uint64_t position)
{
	(void)source;
	if (position < ring.tail || position > ring.n)
		return -1;
	ring.next = (uint32_t)position;
	return 0;
}

static void ring_release(struct wt_source *source)
{
	(void)source;
	ring.tail = ring.next;
}

static void ring_destroy(struct wt_source *source)
{
	(void)source;
}

static const struct wt_source_ops ring_ops = {
	.refresh = ring_refresh,
	.peek = ring_peek,
	.pop = ring_pop,
	.position = ring_position,
	.seek = ring_seek,
	.release = ring_release,
	.destroy = ring_destroy,
};

static struct wt_event *put(uint32_t kind, uint64_t time, uint32_t pid, struct wt_buf *payload)
{
	struct wt_event *event = &ring.slots[ring.n].event;

	assert_true(payload->len <= sizeof(ring.slots[0].payload) && ring.n < 20000);
	memcpy(ring.slots[ring.n].payload, payload->data, payload->len);
	*event = (struct wt_event){.time = time,
				   .kind = kind,
				   .cpu = 1,
				   .pid = pid,
				   .tid = pid,
				   .payload = ring.slots[ring.n].payload,
				   .payload_len = (uint32_t)payload->len};
	ring.n++;
	wt_buf_deinit(payload);
	return event;
}

static void put_proc(uint32_t kind, uint64_t time, uint32_t pid, const char *name)
{
	struct wt_proc_payload p = {.pid = pid, .tid = pid, .parent_pid = 50, .name = wt_str(name)};
	struct wt_buf buf = {0};

	wt_proc_put(&buf, &p);
	put(kind, time, pid, &buf);
}

static void put_image(uint64_t time, uint32_t pid, uint64_t address, const char *image)
{
	struct wt_image_payload p = {.pid = pid,
				     .address = address,
				     .size = 0x1000,
				     .build_id = wt_str("0123"),
				     .path = wt_str(image)};
	struct wt_buf buf = {0};

	wt_image_put(&buf, &p);
	put(k_load, time, pid, &buf);
}

static void put_sample(uint64_t time, uint32_t pid, uint64_t pc)
{
	struct wt_buf buf = {0};
	struct wt_event *event;

	wt_buf_put_u8(&buf, 0);
	wt_buf_put_u64(&buf, time);
	event = put(k_sample, time, pid, &buf);
	ring.slots[ring.n - 1].pc[0] = pc;
	event->stack = (struct wt_raw_stack){.pc = ring.slots[ring.n - 1].pc, .n_user = 1};
}

static void put_lost(uint64_t time, const char *provider)
{
	struct wt_lost_payload p = {
		.provider = wt_str(provider), .event = wt_str(""), .cause = WT_LOSS_RING_FULL, .count = 1};
	struct wt_buf buf = {0};

	wt_lost_put(&buf, &p);
	put(k_lost, time, 0, &buf);
}

static uint32_t kind_of(const char *provider, uint16_t event_id)
{
	for (uint32_t k = 0; k < kinds.n; k++) {
		if (!strcmp(kinds.kinds[k].provider->name, provider) && kinds.kinds[k].event->id == event_id)
			return k;
	}
	return WT_KIND_NONE;
}

static int begin(void)
{
	struct wt_recorder_config config = {
		.log = log_writer, .kinds = &kinds, .enabled = enabled, .past = past};

	return wt_recorder_create(&config, &rec, &err) || wt_recorder_add_source(rec, &ring.source, &err);
}

static int setup(void **state)
{
	static const char *const names[] = {"wtrace", "proc_thread", "loader", "pmu-profile"};
	static const uint8_t session[16] = {7};
	struct wt_provider *provider;
	uint32_t first;

	(void)state;
	kinds = (struct wt_kinds){0};
	options = (struct wt_log_options){0};
	memset(enabled, 1, sizeof(enabled));
	past = false;
	for (size_t i = 0; i < 4; i++) {
		if (wt_builtin_provider(names[i], &provider, &err) ||
		    wt_kinds_add(&kinds, provider, &first, &err))
			return -1;
	}
	k_start = kind_of("proc_thread", WT_PROC_START);
	k_rundown = kind_of("proc_thread", WT_PROC_RUNDOWN);
	k_exec = kind_of("proc_thread", WT_PROC_EXEC);
	k_load = kind_of("loader", WT_IMAGE_LOAD);
	k_sample = kind_of("pmu-profile", WT_PROFILE_SAMPLE);
	k_lost = kind_of("wtrace", WT_CORE_LOST);
	memset(&ring, 0, sizeof(ring));
	ring.source = (struct wt_source){.ops = &ring_ops, .id = 2, .name = "ring"};
	snprintf(path, sizeof(path), "/tmp/wt_takeover_XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	options.segment_bytes = 8192;
	return wt_log_create(fd, &kinds, session, &options, &log_writer, &err) || begin();
}

static int teardown(void **state)
{
	(void)state;
	wt_recorder_destroy(rec);
	wt_log_writer_destroy(log_writer);
	wt_kinds_deinit(&kinds);
	close(fd);
	return unlink(path);
}

/* The recorder is gone in the middle of its work; another goes on with ring and file. */
static void die_and_take_over(void)
{
	struct wt_log_position *positions;
	size_t n;

	wt_recorder_destroy(rec);
	wt_log_writer_destroy(log_writer);
	rec = NULL;
	log_writer = NULL;
	ring.next = ring.tail;
	ring.visible = 0;
	assert_int_equal(wt_log_resume(fd, &kinds, &options, &log_writer, &positions, &n, &err), 0);
	assert_int_equal(begin(), 0);
	assert_int_equal(wt_recorder_take_over(rec, path, positions, n, &err), 0);
	free(positions);
}

static void round_all(void)
{
	assert_int_equal(wt_recorder_round(rec, UINT64_MAX, &err), 0);
}

static void flush_all(void)
{
	assert_int_equal(wt_recorder_flush(rec, &err), 0);
}

/* What a reader of the file finds: each sample carries its time as its period. */
struct found {
	uint64_t samples, named, mapped, last_time, disk_lost, segments;
};

static void look_at(const struct wt_log_batch *batch, uint32_t i, struct found *ret)
{
	const struct wt_log_segment *seg = batch->segment;
	const struct wt_log_process *process = &seg->processes[seg->threads[batch->thread[i]].process];
	struct wt_value v;

	if (batch->kind == k_lost) {
		assert_int_equal(wt_log_value(batch, i, 4, &v), 0);
		ret->disk_lost += v.u;
	}
	if (batch->kind != k_sample)
		return;
	ret->samples++;
	assert_true(batch->time[i] > ret->last_time);
	ret->last_time = batch->time[i];
	ret->named += process->name.len == 3 && !memcmp(process->name.p, "new", 3);
	if (batch->stack[i]) {
		const struct wt_log_frame *frame = &seg->frames[seg->stacks[batch->stack[i] - 1].frame];

		ret->mapped += frame->image && seg->images[frame->image].path.len == 4;
	}
}

static struct found read_back(void)
{
	struct found found = {0};
	struct wt_log_reader *log;
	struct wt_log_iter *iter;
	const struct wt_log_batch *batch;
	uint32_t index;
	int rc;

	assert_int_equal(wt_log_open(path, &log, &err), 0);
	assert_int_equal(wt_log_info(log)->n_damages, 0);
	found.segments = wt_log_info(log)->n_segments;
	assert_int_equal(wt_log_iter_create(log, NULL, &iter, &err), 0);
	while (!(rc = wt_log_iter_next(iter, &batch, &index, &err)))
		look_at(batch, index, &found);
	assert_int_equal(rc, 1);
	wt_log_iter_destroy(iter);
	wt_log_close(log);
	return found;
}

static void tell_of_process(void)
{
	put_proc(k_rundown, 5, 50, "old");
	put_proc(k_start, 10, 60, "");
	put_proc(k_exec, 11, 60, "new");
	put_image(12, 60, 0x1000, "/new");
}

static void test_nothing_lost_nothing_twice(void **state)
{
	struct found found;

	(void)state;
	tell_of_process();
	for (uint64_t i = 0; i < 10000; i++) {
		put_sample(100 + i, 60, 0x1000 + i % 256);
		if (i % 500 == 250)
			round_all();
		if (i % 300 == 200)
			flush_all();
		if (i % 3000 == 2400) {
			die_and_take_over();
			assert_false(wt_recorder_wants_rundown(rec));
		}
	}
	round_all();
	flush_all();
	found = read_back();
	assert_int_equal(found.samples, 10000);
	assert_int_equal(found.named, 10000);
	assert_int_equal(found.mapped, 10000);
	assert_true(found.segments > 4);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
}

static void test_death_before_the_first_flush(void **state)
{
	struct found found;

	(void)state;
	tell_of_process();
	put_sample(100, 60, 0x1010);
	round_all();
	die_and_take_over();
	assert_true(wt_recorder_wants_rundown(rec));
	round_all();
	flush_all();
	found = read_back();
	assert_int_equal(found.samples, 1);
	assert_int_equal(found.mapped, 1);
}

static void test_wants_rundown(void **state)
{
	(void)state;
	tell_of_process();
	round_all();
	flush_all();
	die_and_take_over();
	assert_false(wt_recorder_wants_rundown(rec));
	put_lost(20, "proc_thread,loader");
	round_all();
	flush_all();
	assert_true(wt_recorder_wants_rundown(rec));
	die_and_take_over();
	assert_true(wt_recorder_wants_rundown(rec));
	/* Events that were never in the log cannot be read back from it. */
	enabled[k_load] = false;
	die_and_take_over();
	assert_true(wt_recorder_wants_rundown(rec));
}

/* How many users claim to be somebody nobody knows of, with a log that tells of process `first`. */
static uint32_t claimants(uint32_t first)
{
	struct wt_claimant *list;
	uint32_t n;

	put_proc(k_rundown, 5, first, "old");
	round_all();
	flush_all();
	past = true;
	die_and_take_over();
	put_sample(100, 4194300, 0x1010);
	ring.slots[ring.n - 1].event.claimer = 4243;
	round_all();
	list = wt_recorder_claimants(rec, &n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(list[i].forged, 0);
	return n;
}

static void test_a_log_of_some_processes_is_no_proof(void **state)
{
	(void)state;
	assert_int_equal(claimants(50), 0);
}

static void test_a_log_of_all_processes_knows_strangers(void **state)
{
	(void)state;
	assert_int_equal(claimants(1), 1);
}

/* Only events that do not go into the log were released: no checkpoint tells. */
static void test_position_behind_the_tail(void **state)
{
	struct found found;

	(void)state;
	tell_of_process();
	round_all();
	flush_all();
	enabled[k_exec] = false;
	put_proc(k_exec, 50, 60, "new");
	round_all();
	flush_all();
	assert_int_equal(ring.tail, ring.n);
	put_sample(100, 60, 0x1010);
	die_and_take_over();
	assert_true(wt_recorder_wants_rundown(rec));
	round_all();
	flush_all();
	found = read_back();
	assert_int_equal(found.samples, 1);
}

/* A file size limit is the disk: what fits is read back, the rest is counted to the last event. */
static void test_full_disk(void **state)
{
	struct rlimit old, limit;
	struct found found;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	tell_of_process();
	for (uint64_t i = 0; i < 6000; i++) {
		put_sample(100 + i, 60, 0x1000 + i % 256);
		if (i == 2000) {
			limit = old;
			limit.rlim_cur = 16384;
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		}
		if (i == 4000)
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		if (i % 100 == 0) {
			round_all();
			if (wt_recorder_flush(rec, &err))
				assert_int_equal(err.code, WT_ERR_NOSPACE);
		}
	}
	round_all();
	flush_all();
	assert_false(wt_recorder_pending(rec));
	found = read_back();
	assert_true(found.disk_lost > 0);
	assert_int_equal(found.samples + found.disk_lost, 6000);
	assert_int_equal(found.named, found.samples);
	assert_int_equal(wt_recorder_stats(rec)->lost, found.disk_lost);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_lost_nothing_twice),
		TEST(test_death_before_the_first_flush),
		TEST(test_wants_rundown),
		TEST(test_position_behind_the_tail),
		TEST(test_full_disk),
		TEST(test_a_log_of_some_processes_is_no_proof),
		TEST(test_a_log_of_all_processes_knows_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
