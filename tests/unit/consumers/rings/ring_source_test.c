// SPDX-License-Identifier: MIT
/* Records written by the ring's own writer, as events: kinds, parts, damage, order, positions. */
#include "consumers/rings/ring_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/write_one.h"
#include "tracecore/base/clock.h"

static const char manifest[] = "{\"wtrace_manifest\":1,\"provider\":\"app\",\"events\":["
			       "{\"id\":1,\"name\":\"one\",\"fields\":[{\"name\":\"n\",\"type\":\"u32\"}]},"
			       "{\"id\":2,\"name\":\"two\",\"fields\":[]}]}";

enum { NUMBER = 7, LATE = 9, FIRST_KIND = 40 };

struct bed {
	char path[32];
	int dir_fd;
	struct wt_ring_writer *writer;
	struct wt_ring_directory *directory;
	struct wt_ring_source *source; /* of the only ring */
	struct wt_tick_line line;
	struct wt_ring_kinds kinds;
	struct wt_provider *provider;
	unsigned learned, seen;
};

static void learn(void *ctx, uint32_t number)
{
	struct bed *bed = ctx;

	bed->learned++;
	if (number == LATE)
		assert_int_equal(wt_ring_kinds_add(&bed->kinds, LATE, bed->provider, FIRST_KIND + 2, NULL),
				 0);
}

static void seen(void *ctx, uint32_t pid)
{
	struct bed *bed = ctx;

	assert_int_equal(pid, getpid());
	bed->seen++;
}

static int begin(void **state)
{
	struct wt_ring_spec spec = {.block_bytes = 8192, .max_blocks = 16, .counter = wt_clock_has_counter()};
	struct bed *bed = calloc(1, sizeof(*bed));
	struct wt_err err = WT_ERR_INIT;

	memcpy(bed->path, "/tmp/wtringsXXXXXX", sizeof("/tmp/wtringsXXXXXX"));
	assert_non_null(mkdtemp(bed->path));
	bed->dir_fd = open(bed->path, O_RDONLY | O_DIRECTORY);
	wt_tick_line_init(&bed->line, NULL);
	bed->kinds = (struct wt_ring_kinds){.n_cpus = 64, .learn = learn, .seen = seen, .ctx = bed};
	assert_int_equal(wt_manifest_parse(manifest, strlen(manifest), "app", &bed->provider, &err), 0);
	assert_int_equal(wt_ring_kinds_add(&bed->kinds, NUMBER, bed->provider, FIRST_KIND, &err), 0);
	bed->writer = aligned_alloc(64, (wt_ring_writer_size() + 63) & ~(size_t)63);
	assert_int_equal(wt_ring_writer_init(bed->writer, dup(bed->dir_fd), &spec, bed->path, &err), 0);
	assert_int_equal(wt_ring_directory_open(bed->dir_fd, geteuid(), bed->path, &bed->directory, &err), 0);
	*state = bed;
	return 0;
}

static int end(void **state)
{
	struct bed *bed = *state;
	struct wt_err err = WT_ERR_INIT;

	if (bed->source)
		bed->source->base.ops->destroy(&bed->source->base);
	wt_ring_directory_close_rings(bed->directory, 10, &err);
	wt_ring_directory_unlink(bed->directory, &err);
	wt_ring_directory_destroy(bed->directory);
	wt_ring_writer_retire(bed->writer);
	free(bed->writer);
	wt_ring_kinds_deinit(&bed->kinds);
	wt_provider_destroy(bed->provider);
	close(bed->dir_fd);
	rmdir(bed->path);
	free(bed);
	return 0;
}

static void put(struct bed *bed, uint32_t provider, uint16_t event, uint8_t flags, const void *body,
		uint32_t len)
{
	struct wt_abi_record head = {.provider = provider, .event = event, .flags = flags};

	assert_int_equal(write_one(bed->writer, &head, body, len), WT_RING_OK);
}

static int on_ring(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct bed *bed = ctx;

	/* The thread may have moved to another CPU: one ring is enough for the test. */
	if (bed->source)
		return 0;
	return wt_ring_source_create(ring, &bed->line, &bed->kinds, 99, &bed->source, err);
}

static void refresh(struct bed *bed)
{
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_ring_directory_refresh(bed->directory, on_ring, bed, &err), 0);
	assert_non_null(bed->source);
	bed->source->base.ops->refresh(&bed->source->base);
}

static bool next(struct bed *bed, struct wt_event *ret)
{
	return bed->source->base.ops->peek(&bed->source->base, ret) == 0;
}

static void pop(struct bed *bed)
{
	bed->source->base.ops->pop(&bed->source->base);
}

/* All events of a test on one CPU, so that they are in one ring. */
static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void records_become_events(void **state)
{
	struct bed *bed = *state;
	uint64_t before = wt_clock_now();
	struct wt_event event, again;

	pin();
	put(bed, NUMBER, 0, 0, &(uint32_t){5}, 4);
	put(bed, NUMBER, 1, 0, "", 0);
	refresh(bed);
	assert_true(next(bed, &event));
	assert_true(next(bed, &again));
	assert_memory_equal(&event, &again, sizeof(event));
	assert_int_equal(event.kind, FIRST_KIND);
	assert_int_equal(event.pid, getpid());
	assert_int_equal(event.payload_len, 4);
	assert_int_equal(wt_load_u32(event.payload), 5);
	assert_null(event.activity);
	assert_int_equal(event.stack.n_user, 0);
	assert_in_range(event.time, before - 1000, wt_clock_now() + 1000);
	pop(bed);
	assert_true(next(bed, &event));
	assert_int_equal(event.kind, FIRST_KIND + 1);
	assert_int_equal(event.payload_len, 0);
	assert_true(event.time >= again.time);
	pop(bed);
	assert_false(next(bed, &event));
	assert_int_equal(bed->kinds.list[0]->taken[event.cpu < 64 ? event.cpu : 64], 2);
	assert_int_equal(bed->seen, 1);
}

static void parts_are_taken_apart(void **state)
{
	struct bed *bed = *state;
	struct wt_buf body = {0};
	struct wt_event event;

	pin();
	wt_buf_put(&body, "0123456789abcdef", 16);
	wt_buf_put(&body, "fedcba9876543210", 16);
	wt_buf_put_u16(&body, 2);
	wt_buf_put_u8(&body, WT_STACK_DEPTH);
	wt_buf_put(&body, "\2\3\0\1",
		   5); /* the second was interrupted; there is no third, and no more behind a 0 */
	wt_buf_put_u64(&body, 0x1111);
	wt_buf_put_u64(&body, 0x2222);
	wt_buf_put_u32(&body, 77);
	put(bed, NUMBER, 0, WT_ABI_RECORD_ACTIVITY | WT_ABI_RECORD_RELATED | WT_ABI_RECORD_STACK, body.data,
	    (uint32_t)body.len);
	refresh(bed);
	assert_true(next(bed, &event));
	assert_memory_equal(event.activity, "0123456789abcdef", 16);
	assert_memory_equal(event.related, "fedcba9876543210", 16);
	assert_int_equal(event.stack.n_user, 2);
	assert_int_equal(event.stack.n_kernel, 0);
	assert_int_equal(event.stack.status, WT_STACK_DEPTH);
	assert_int_equal(event.stack.exact[0], 2);
	assert_int_equal(event.stack.pc[1], 0x2222);
	assert_int_equal(event.payload_len, 4);
	assert_int_equal(wt_load_u32(event.payload), 77);
	wt_buf_deinit(&body);
}

static void what_nobody_knows_is_skipped_and_counted(void **state)
{
	struct bed *bed = *state;
	struct wt_event event;

	pin();
	put(bed, 1234, 0, 0, "", 0);   /* a provider that is not there */
	put(bed, NUMBER, 2, 0, "", 0); /* an event it does not have */
	put(bed, LATE, 1, 0, "", 0);   /* one that registered meanwhile */
	put(bed, NUMBER, 1, 0, "", 0);
	refresh(bed);
	assert_true(next(bed, &event));
	assert_int_equal(event.kind, FIRST_KIND + 3);
	assert_int_equal(bed->learned, 2);
	pop(bed);
	assert_true(next(bed, &event));
	assert_int_equal(event.kind, FIRST_KIND + 1);
	assert_int_equal(bed->source->unknown, 2);
	assert_int_equal(bed->source->broken, 0);
}

/* A position is where a reader that comes later goes on. */
static void positions_lead_back(void **state)
{
	struct bed *bed = *state;
	struct wt_event event;
	uint64_t position;

	pin();
	for (uint32_t i = 0; i < 1000; i++)
		put(bed, NUMBER, 0, 0, &i, 4);
	refresh(bed);
	for (uint32_t i = 0; i < 600; i++) {
		assert_true(next(bed, &event));
		assert_int_equal(wt_load_u32(event.payload), i);
		pop(bed);
	}
	position = bed->source->base.ops->position(&bed->source->base);
	bed->source->base.ops->destroy(&bed->source->base);
	bed->source = NULL;
	wt_ring_directory_destroy(bed->directory);
	assert_int_equal(wt_ring_directory_open(bed->dir_fd, geteuid(), bed->path, &bed->directory, NULL), 0);
	assert_int_equal(wt_ring_directory_refresh(bed->directory, on_ring, bed, NULL), 0);
	assert_int_equal(bed->source->base.ops->seek(&bed->source->base, position), 0);
	refresh(bed);
	for (uint32_t i = 600; i < 1000; i++) {
		assert_true(next(bed, &event));
		assert_int_equal(wt_load_u32(event.payload), i);
		pop(bed);
	}
	assert_false(next(bed, &event));
}

/* A strip is what the events would be one by one, and ends where they are no longer alike. */
static void strips_are_events(void **state)
{
	static struct wt_strip strip;
	static uint64_t times[100];
	struct bed *bed = *state;
	const struct wt_source_ops *ops;
	struct wt_event event;

	pin();
	for (uint32_t i = 0; i < 100; i++)
		put(bed, NUMBER, 0, 0, &i, 4);
	put(bed, NUMBER, 1, 0, "", 0);
	refresh(bed);
	ops = bed->source->base.ops;
	if (bed->source->facts.is_lane)
		return; /* no rseq here: lanes give none */
	assert_true(next(bed, &event));
	ops->strip(&bed->source->base, UINT64_MAX, &strip);
	assert_int_equal(strip.n, 100);
	assert_int_equal(strip.kind, event.kind);
	assert_int_equal(strip.cpu, event.cpu);
	assert_int_equal(strip.pid, event.pid);
	assert_int_equal(strip.tid, event.tid);
	assert_int_equal(strip.payload_len, 4);
	memcpy(times, strip.times, sizeof(times));
	ops->strip(&bed->source->base, times[40], &strip);
	assert_in_range(strip.n, 1, 40);
	ops->strip(&bed->source->base, times[0], &strip);
	assert_int_equal(strip.n, 0);
	/* Having been cut short it gives fewer, and then more again. */
	for (uint32_t last = 0; strip.n < 100; last = strip.n) {
		ops->strip(&bed->source->base, UINT64_MAX, &strip);
		assert_true(strip.n > last);
	}
	ops->pop_strip(&bed->source->base, 30);
	for (uint32_t i = 30; i < 100; i++) {
		assert_int_equal(wt_load_u32(strip.payload + (size_t)i * strip.stride), i);
		assert_true(next(bed, &event));
		assert_int_equal(event.time, times[i]);
		assert_int_equal(wt_load_u32(event.payload), i);
		pop(bed);
	}
	assert_true(next(bed, &event));
	assert_int_equal(event.kind, FIRST_KIND + 1);
	ops->strip(&bed->source->base, UINT64_MAX, &strip);
	assert_int_equal(strip.n, 0);
	assert_int_equal(bed->kinds.list[0]->taken[event.cpu < 64 ? event.cpu : 64], 100);
}

/* A round reads what was there when it began, also when more comes meanwhile. */
static void a_round_ends(void **state)
{
	struct bed *bed = *state;
	struct wt_event event;
	uint32_t n = 0;

	pin();
	for (uint32_t i = 0; i < 400; i++)
		put(bed, NUMBER, 0, 0, &i, 4);
	refresh(bed);
	for (; next(bed, &event); n++) {
		pop(bed);
		if (n < 100)
			put(bed, NUMBER, 0, 0, &n, 4);
	}
	assert_in_range(n, 400, 499);
	refresh(bed);
	for (; next(bed, &event); n++)
		pop(bed);
	assert_int_equal(n, 500);
}

/* What was written before a refresh comes in that round, also where records of an earlier copy were left:
 * else events of other sources would overtake it. */
static void a_round_goes_to_the_head_of_its_refresh(void **state)
{
	struct bed *bed = *state;
	struct wt_event event;
	uint32_t n = 0;

	pin();
	for (uint32_t i = 0; i < 10; i++)
		put(bed, NUMBER, 0, 0, &i, 4);
	refresh(bed);
	for (; n < 3; n++) {
		assert_true(next(bed, &event));
		pop(bed);
	}
	/* Some in the block of the copy, and some far behind it. */
	for (uint32_t i = 10; i < 1000; i++)
		put(bed, NUMBER, 0, 0, &i, 4);
	refresh(bed);
	assert_true(bed->source->grown > 0);
	for (; next(bed, &event); n++) {
		assert_int_equal(wt_load_u32(event.payload), n);
		pop(bed);
	}
	assert_int_equal(n, 1000);
}

/* However much of it was taken meanwhile. */
static void growth_is_what_came_between_refreshes(void **state)
{
	struct bed *bed = *state;
	struct wt_event event;
	uint64_t all;
	uint32_t n = 0;

	pin();
	for (uint32_t i = 0; i < 10; i++)
		put(bed, NUMBER, 1, 0, &i, 4);
	refresh(bed);
	all = bed->source->grown;
	assert_true(all >= 10 * sizeof(struct wt_abi_record));
	while (next(bed, &event)) {
		pop(bed);
		n++;
	}
	assert_int_equal(n, 10);
	put(bed, NUMBER, 1, 0, &n, 4);
	refresh(bed);
	assert_in_range(bed->source->grown, 1, all / 5);
	refresh(bed);
	assert_int_equal(bed->source->grown, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_become_events, begin, end),
		cmocka_unit_test_setup_teardown(parts_are_taken_apart, begin, end),
		cmocka_unit_test_setup_teardown(what_nobody_knows_is_skipped_and_counted, begin, end),
		cmocka_unit_test_setup_teardown(positions_lead_back, begin, end),
		cmocka_unit_test_setup_teardown(strips_are_events, begin, end),
		cmocka_unit_test_setup_teardown(a_round_ends, begin, end),
		cmocka_unit_test_setup_teardown(a_round_goes_to_the_head_of_its_refresh, begin, end),
		cmocka_unit_test_setup_teardown(growth_is_what_came_between_refreshes, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
