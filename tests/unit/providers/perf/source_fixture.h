/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A session's ring written by a test, and its source.
 */
#ifndef TESTS_UNIT_PROVIDERS_PERF_SOURCE_FIXTURE_H
#define TESTS_UNIT_PROVIDERS_PERF_SOURCE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/providers/perf/fake_ring.h"
#include "providers/perf/internal.h"
#include "providers/perf/user_regs.h"

/* A session with two events in a ring written by the test: slot 0 a profile event with stacks (id 71), slot 1
 * a tracepoint of one u32 (id 72); the sideband's id is 70. Slot 0's samples with copied stacks have id 73,
 * those of a user who may not see the kernel 74. */
enum { KIND_SAMPLE = 50, KIND_POINT = 51, KIND_LOST = 60, KIND_PROC = 100, KIND_IMAGE = 200 };

static struct fake_ring fake;
static struct wt_perf perf;
static struct wt_perf_ring *ring;
static struct wt_perf_shared shared[WT_PERF_RINGS];
static struct wt_perf_slot slots[2];
static struct wt_tp_copy copies[1] = {{.how = WT_TP_FIXED, .offset = 8, .size = 4}};
static struct wt_tp_program program = {copies, 1};
static struct wt_perf_cpu cpus[1];
static struct wt_source *source;
static struct wt_event event;
static struct wt_buf buf;

static inline void make_source(void)
{
	struct wt_err err;

	assert_int_equal(wt_perf_source_create(&perf, ring, &err), 0);
	source = wt_perf_source_base(ring->source);
}

static inline int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	memset(&perf, 0, sizeof(perf));
	memset(shared, 0, sizeof(shared));
	slots[0] = (struct wt_perf_slot){
		.provider = "pmu-profile", .name = "cycles", .kind = KIND_SAMPLE, .source = 3};
	slots[1] = (struct wt_perf_slot){.provider = "linux:sched",
					 .name = "tick",
					 .kind = KIND_POINT,
					 .program = &program,
					 .period1 = true};
	perf.slots = slots;
	perf.n_slots = 2;
	perf.max_stack = 127;
	perf.loader = perf.proc_thread = true;
	perf.k.lost = KIND_LOST;
	for (uint32_t i = 0; i <= WT_THREAD_NAME; i++)
		perf.k.proc[i] = KIND_PROC + i;
	for (uint32_t i = 0; i <= WT_IMAGE_UNLOAD; i++)
		perf.k.image[i] = KIND_IMAGE + i;
	perf.cpus = cpus;
	memset(cpus, 0, sizeof(cpus));
	ring = &cpus[0].samples;
	*ring = (struct wt_perf_ring){.id = 7,
				      .cpu = 3,
				      .name = "samples cpu 3",
				      .map = fake_map(&fake),
				      .control_size = FAKE_CONTROL,
				      .data_size = FAKE_SIZE,
				      .shared = &shared[0]};
	if (wt_perf_ids_add(&perf.ids, 70, (struct wt_perf_id){.slot = WT_PERF_SLOT_SIDEBAND}) ||
	    wt_perf_ids_add(&perf.ids, 71, (struct wt_perf_id){.slot = 0, .chain = true}) ||
	    wt_perf_ids_add(&perf.ids, 72, (struct wt_perf_id){.slot = 1, .raw = true}) ||
	    wt_perf_ids_add(&perf.ids, 73,
			    (struct wt_perf_id){.slot = 0, .chain = true, .n_regs = WT_PERF_REGS->n}) ||
	    wt_perf_ids_add(&perf.ids, 74, (struct wt_perf_id){.slot = 0, .n_regs = WT_PERF_REGS->n}))
		return -1;
	make_source();
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	if (source)
		source->ops->destroy(source);
	source = NULL;
	wt_perf_ids_deinit(&perf.ids);
	wt_buf_deinit(&buf);
	return ring->source ? -1 : 0;
}

static inline void commit(void)
{
	fake_end(&buf);
	fake_write_bytes(&fake, buf.data, buf.len);
}

static inline void write_tick(uint64_t time, uint32_t value)
{
	fake_sample(&buf, PERF_RECORD_MISC_KERNEL, 72, time, 1);
	wt_buf_put_u32(&buf, 12);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u32(&buf, value);
	commit();
}

static inline void write_lost(uint64_t count, uint64_t time)
{
	fake_lost(&buf, count, time, 71);
	commit();
}

static inline void write_throttle(uint32_t type, uint64_t time)
{
	fake_begin(&buf, type, 0);
	wt_buf_put_u64(&buf, time);
	wt_buf_put_u64(&buf, 71);
	wt_buf_put_u64(&buf, 71);
	fake_trailer(&buf, time, 71);
	commit();
}

static inline void expect(uint32_t kind, uint64_t time)
{
	assert_int_equal(source->ops->peek(source, &event), 0);
	assert_int_equal(event.kind, kind);
	assert_int_equal(event.time, time);
}

static inline void expect_end(void)
{
	assert_int_equal(source->ops->peek(source, &event), 1);
}

static inline struct wt_lost_payload expect_lost(uint64_t time)
{
	struct wt_lost_payload lost;

	expect(KIND_LOST, time);
	assert_int_equal(wt_lost_get(event.payload, event.payload_len, &lost), 0);
	assert_int_equal(lost.on_cpu, 3);
	assert_int_equal(lost.to, time);
	return lost;
}

static inline void pop(void)
{
	source->ops->pop(source);
}

static inline void refresh(void)
{
	source->ops->refresh(source);
}

#endif
