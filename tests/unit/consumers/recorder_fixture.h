/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A recorder over two rings in memory and a log in memory, for the tests of the recorder.
 */
#ifndef TESTS_UNIT_CONSUMERS_RECORDER_FIXTURE_H
#define TESTS_UNIT_CONSUMERS_RECORDER_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "consumers/record/recorder.h"
#include "tests/unit/consumers/fake_log.h"
#include "tracecore/schema/builtin.h"

#define SELF   UINT32_C(4000)
#define KEEPER UINT32_C(4001)

static struct wt_log_writer *fake;
static struct wt_kinds kinds;
static struct wt_recorder *rec;
static struct wt_err err;
static uint32_t k_start, k_stop, k_rundown, k_exec, k_load, k_image_rundown, k_sample, k_lost, k_mark;

/* A ring: events put in become visible by refresh and stay until released. */
struct ring {
	struct wt_source source;
	struct wt_event events[4096];
	uint8_t payloads[4096][160];
	uint64_t pcs[4096][2];
	uint32_t n, visible, next, released;
	bool destroyed;
};

static inline void ring_refresh(struct wt_source *source)
{
	struct ring *ring = (struct ring *)source;

	ring->visible = ring->n;
}

static inline int ring_peek(struct wt_source *source, struct wt_event *ret)
{
	struct ring *ring = (struct ring *)source;

	if (ring->next >= ring->visible)
		return 1;
	*ret = ring->events[ring->next];
	return 0;
}

static inline void ring_pop(struct wt_source *source)
{
	((struct ring *)source)->next++;
}

static inline uint64_t ring_position(const struct wt_source *source)
{
	return ((const struct ring *)source)->next;
}

static inline void ring_release(struct wt_source *source)
{
	((struct ring *)source)->released = ((struct ring *)source)->next;
}

static inline void ring_destroy(struct wt_source *source)
{
	((struct ring *)source)->destroyed = true;
}

static const struct wt_source_ops ring_ops = {
	.refresh = ring_refresh,
	.peek = ring_peek,
	.pop = ring_pop,
	.position = ring_position,
	.release = ring_release,
	.destroy = ring_destroy,
};

static struct ring ring_a, ring_b;

static inline struct wt_event *put(struct ring *ring, uint32_t kind, uint64_t time, uint32_t pid,
				   const struct wt_buf *payload)
{
	struct wt_event *event = &ring->events[ring->n];

	assert_true(ring->n < 4096);
	assert_true(!payload || payload->len <= sizeof(ring->payloads[0]));
	if (payload)
		memcpy(ring->payloads[ring->n], payload->data, payload->len);
	*event = (struct wt_event){.time = time,
				   .kind = kind,
				   .cpu = ring->source.id,
				   .pid = pid,
				   .tid = pid,
				   .payload = ring->payloads[ring->n],
				   .payload_len = payload ? (uint32_t)payload->len : 0};
	ring->n++;
	return event;
}

static inline void put_proc(struct ring *ring, uint32_t kind, uint64_t time, uint32_t pid, uint32_t parent,
			    const char *name)
{
	struct wt_proc_payload p = {
		.pid = pid, .tid = pid, .parent_pid = parent, .parent_tid = parent, .name = wt_str(name)};
	struct wt_buf buf = {0};

	wt_proc_put(&buf, &p);
	put(ring, kind, time, pid, &buf);
	wt_buf_deinit(&buf);
}

static inline void put_image(struct ring *ring, uint32_t kind, uint64_t time, uint32_t pid, uint64_t address,
			     const char *path)
{
	struct wt_image_payload p = {.pid = pid, .address = address, .size = 0x1000, .path = wt_str(path)};
	struct wt_buf buf = {0};

	wt_image_put(&buf, &p);
	put(ring, kind, time, pid, &buf);
	wt_buf_deinit(&buf);
}

static inline void put_sample(struct ring *ring, uint64_t time, uint32_t pid, uint64_t pc)
{
	static const uint8_t zeros[9];
	struct wt_buf buf = {0};
	struct wt_event *event;

	wt_buf_put(&buf, zeros, sizeof(zeros));
	ring->pcs[ring->n][0] = pc;
	event = put(ring, k_sample, time, pid, &buf);
	event->stack.pc = ring->pcs[ring->n - 1];
	event->stack.n_user = 1;
	wt_buf_deinit(&buf);
}

static inline void put_lost_span(struct ring *ring, uint64_t from, uint64_t to, const char *provider,
				 uint64_t count, uint8_t exact)
{
	struct wt_lost_payload p = {.provider = wt_str(provider),
				    .event = wt_str(""),
				    .on_cpu = 3,
				    .cause = WT_LOSS_RING_FULL,
				    .count = count,
				    .exact = exact,
				    .from = from,
				    .to = to,
				    .ring = 1};
	struct wt_buf buf = {0};

	wt_lost_put(&buf, &p);
	put(ring, k_lost, to, 0, &buf);
	wt_buf_deinit(&buf);
}

static inline void put_lost(struct ring *ring, uint64_t time, const char *provider, uint64_t count,
			    uint8_t exact)
{
	put_lost_span(ring, time - 100, time, provider, count, exact);
}

static inline uint32_t kind_of(const char *provider, uint16_t event_id)
{
	for (uint32_t k = 0; k < kinds.n; k++) {
		if (!strcmp(kinds.kinds[k].provider->name, provider) && kinds.kinds[k].event->id == event_id)
			return k;
	}
	return WT_KIND_NONE;
}

static inline int create(struct wt_recorder_config config)
{
	config.log = fake;
	config.kinds = &kinds;
	config.self_pid = SELF;
	config.self_pid2 = KEEPER;
	return wt_recorder_create(&config, &rec, &err) || wt_recorder_add_source(rec, &ring_a.source, &err) ||
	       wt_recorder_add_source(rec, &ring_b.source, &err);
}

static inline int setup(void **state)
{
	static const char *const names[] = {"wtrace", "proc_thread", "loader", "pmu-profile"};
	struct wt_provider *provider;

	(void)state;
	fake = fake_log_create();
	kinds = (struct wt_kinds){0};
	err = (struct wt_err)WT_ERR_INIT;
	for (size_t i = 0; i < 4; i++) {
		uint32_t first;

		if (wt_builtin_provider(names[i], &provider, &err) ||
		    wt_kinds_add(&kinds, provider, &first, &err))
			return -1;
	}
	k_start = kind_of("proc_thread", WT_PROC_START);
	k_stop = kind_of("proc_thread", WT_PROC_STOP);
	k_rundown = kind_of("proc_thread", WT_PROC_RUNDOWN);
	k_exec = kind_of("proc_thread", WT_PROC_EXEC);
	k_load = kind_of("loader", WT_IMAGE_LOAD);
	k_image_rundown = kind_of("loader", WT_IMAGE_RUNDOWN);
	k_sample = kind_of("pmu-profile", WT_PROFILE_SAMPLE);
	k_lost = kind_of("wtrace", WT_CORE_LOST);
	k_mark = kind_of("wtrace", WT_CORE_MARK);
	memset(&ring_a, 0, sizeof(ring_a));
	memset(&ring_b, 0, sizeof(ring_b));
	ring_a.source = (struct wt_source){.ops = &ring_ops, .id = 0, .name = "a"};
	ring_b.source = (struct wt_source){.ops = &ring_ops, .id = 1, .name = "b"};
	return fake ? create((struct wt_recorder_config){0}) : -1;
}

static inline int teardown(void **state)
{
	int bad = (int)fake->violations;

	(void)state;
	wt_recorder_destroy(rec);
	bad += !ring_a.destroyed || !ring_b.destroyed;
	wt_kinds_deinit(&kinds);
	free(fake);
	return bad;
}

static inline void recreate(struct wt_recorder_config config)
{
	wt_recorder_destroy(rec);
	free(fake);
	fake = fake_log_create();
	ring_a.destroyed = ring_b.destroyed = false;
	assert_int_equal(create(config), 0);
}

static inline void round_all(void)
{
	assert_int_equal(wt_recorder_round(rec, UINT64_MAX, &err), 0);
}

static inline void flush_all(void)
{
	assert_int_equal(wt_recorder_flush(rec, &err), 0);
	assert_false(wt_recorder_pending(rec));
}

static inline const char *process_of(const struct fake_event *event)
{
	return fake->processes[fake->threads[event->thread].process].name;
}

static inline const char *path_of(const struct fake_event *event)
{
	return fake->images[fake->frames[fake->stacks[event->stack].frame].image].path;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
