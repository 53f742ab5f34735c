/* SPDX-License-Identifier: MIT */
// Covers: providers/perf/counts_chain.c
// Covers: providers/perf/counts_gpc.c
// Covers: providers/perf/counts_group.c
// Covers: providers/perf/record.c
// Covers: providers/perf/source.c
// Covers: providers/perf/translate.c
// Covers: providers/perf/user_regs.c
/* Perf ring bytes: the input is what lies in the ring, once as one record with nothing behind it, once as a
 * whole ring read by a source. Events that come out must fit their schemas; the source must come to an end.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "providers/perf/internal.h"
#include "providers/perf/user_regs.h"
#include "tracecore/schema/builtin.h"
#include "tests/unit/tracecore/schema/payload.h"

enum {
	CONTROL = 4096,
	DATA = 16384,
	ID_SIDEBAND = 1,
	ID_PROFILE = 2,
	ID_STACK = 3,
	ID_POINT = 4,
	ID_DUMP = 5,
	ID_ALL = 6,
	ID_SWITCH = 7,
	ID_INTERVAL = 8
};

static struct wt_kinds kinds;
static struct wt_perf perf;
static struct wt_perf_slot slots[5];
static struct wt_perf_cpu cpu;
static struct wt_tp_copy copies[] = {
	{.how = WT_TP_FIXED, .offset = 8, .size = 4},
	{.how = WT_TP_STRING, .offset = 12, .size = 8},
	{.how = WT_TP_LOC_STR, .offset = 20, .size = 1},
	{.how = WT_TP_LOC_ARRAY, .relative = true, .offset = 24, .size = 4},
	{.how = WT_TP_LOC_BYTES, .offset = 28, .size = 1},
};
static struct wt_tp_program program = {copies, sizeof(copies) / sizeof(copies[0])};
static struct wt_perf_shared shared;
static uint64_t memory[(CONTROL + DATA) / 8];

static void add(const char *name)
{
	struct wt_provider *provider;
	uint32_t first;

	if (wt_builtin_provider(name, &provider, NULL) || wt_kinds_add(&kinds, provider, &first, NULL))
		abort();
}

static void init(void)
{
	if (kinds.n)
		return;
	add("wtrace");
	add("proc_thread");
	add("loader");
	add("pmu-profile");
	add("windowsperf");
	for (uint16_t i = 1; i <= WT_THREAD_NAME; i++)
		perf.k.proc[i] = wt_perf_kind_of(&kinds, "proc_thread", i);
	for (uint16_t i = 1; i <= WT_IMAGE_UNLOAD; i++)
		perf.k.image[i] = wt_perf_kind_of(&kinds, "loader", i);
	perf.k.sample = wt_perf_kind_of(&kinds, "pmu-profile", WT_PROFILE_SAMPLE);
	perf.k.lost = wt_perf_kind_of(&kinds, "wtrace", WT_CORE_LOST);
	slots[0] = (struct wt_perf_slot){.provider = "pmu-profile", .name = "a", .kind = perf.k.sample};
	slots[1] = (struct wt_perf_slot){.provider = "pmu-profile", .name = "b", .kind = perf.k.sample};
	slots[2] = (struct wt_perf_slot){
		.provider = "linux:x", .name = "y", .kind = UINT32_MAX, .program = &program, .period1 = true};
	perf.slots = slots;
	slots[3] = (struct wt_perf_slot){.provider = "counters",
					 .name = "switch",
					 .kind = UINT32_MAX,
					 .counts = true,
					 .period1 = true};
	slots[4] = (struct wt_perf_slot){
		.provider = "counters", .name = "interval", .kind = UINT32_MAX, .counts = true};
	perf.n_slots = 5;
	perf.counts = (struct wt_perf_counts){.n = 2, .slots = {3, 4}, .n_slots = 2};
	for (uint16_t i = 0; i < 2; i++)
		perf.counts.gpc_kinds[i] = wt_perf_kind_of(&kinds, "windowsperf", i + 1);
	perf.max_stack = 127;
	if (wt_perf_ids_add(&perf.ids, ID_SIDEBAND, (struct wt_perf_id){.slot = WT_PERF_SLOT_SIDEBAND}) ||
	    wt_perf_ids_add(&perf.ids, ID_PROFILE, (struct wt_perf_id){.slot = 0}) ||
	    wt_perf_ids_add(&perf.ids, ID_STACK, (struct wt_perf_id){.slot = 1, .chain = true}) ||
	    wt_perf_ids_add(&perf.ids, ID_POINT,
			    (struct wt_perf_id){.slot = 2, .chain = true, .raw = true}) ||
	    wt_perf_ids_add(&perf.ids, ID_DUMP, (struct wt_perf_id){.slot = 0, .n_regs = WT_PERF_REGS->n}) ||
	    wt_perf_ids_add(
		    &perf.ids, ID_ALL,
		    (struct wt_perf_id){.slot = 2, .chain = true, .raw = true, .n_regs = WT_PERF_REGS->n}) ||
	    wt_perf_ids_add(&perf.ids, ID_SWITCH, (struct wt_perf_id){.slot = 3, .n_read = 2}) ||
	    wt_perf_ids_add(&perf.ids, ID_INTERVAL, (struct wt_perf_id){.slot = 4, .n_read = 1}))
		abort();
}

static void one_record(const uint8_t *data, size_t size)
{
	size_t len = size < UINT16_MAX ? size : UINT16_MAX;
	struct wt_perf_record record;
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		return;
	memcpy(copy, data, len);
	if (len >= 8)
		wt_store_u16(copy + 6, (uint16_t)len);
	wt_perf_record_parse(&perf.ids, copy, len, &record);
	free(copy);
}

static void check_event(const struct wt_event *event)
{
	static struct wt_value values[WT_SCHEMA_MAX_FIELDS];
	volatile uint64_t sum = 0;

	for (unsigned i = 0; i < (unsigned)event->stack.n_kernel + event->stack.n_user; i++)
		sum += event->stack.pc[i];
	if (event->stack.dump) {
		if (event->stack.n_user)
			abort();
		for (uint32_t i = 0; i < event->stack.dump->size; i++)
			sum += event->stack.dump->bytes[i];
	}
	(void)sum;
	if (event->kind == UINT32_MAX)
		return;
	if (event->kind >= kinds.n ||
	    payload_decode(kinds.kinds[event->kind].event, event->payload, event->payload_len, values))
		abort();
}

static void read_ring(struct wt_source *source)
{
	uint64_t last = source->ops->position(source), start = last;
	struct wt_event event;

	source->ops->refresh(source);
	while (source->ops->peek(source, &event) == 0) {
		check_event(&event);
		source->ops->pop(source);
		if (source->ops->position(source) - last > DATA ||
		    source->ops->position(source) - start > DATA)
			abort();
		last = source->ops->position(source);
	}
	source->ops->release(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_perf_ring *ring = &cpu.samples;
	uint8_t *map = (uint8_t *)memory;
	uint64_t tail, head;

	init();
	if (size < 2)
		return 0;
	one_record(data + 2, size - 2);
	tail = wt_load_u16(data) & ~UINT64_C(7);
	data += 2;
	size = size - 2 < DATA ? size - 2 : DATA;
	head = tail + size;
	for (size_t i = 0; i < size; i++)
		map[CONTROL + (tail + i) % DATA] = data[i];
	wt_store_u64(map + offsetof(struct perf_event_mmap_page, data_head), head);
	wt_store_u64(map + offsetof(struct perf_event_mmap_page, data_tail), tail);
	shared = (struct wt_perf_shared){0};
	*ring = (struct wt_perf_ring){.name = "samples",
				      .map = map,
				      .control_size = CONTROL,
				      .data_size = DATA,
				      .shared = &shared,
				      .ended = size & 1};
	if (wt_perf_source_create(&perf, ring, NULL))
		return 0;
	read_ring(wt_perf_source_base(ring->source));
	if (wt_load_u64(map + offsetof(struct perf_event_mmap_page, data_tail)) != head)
		abort();
	wt_perf_source_destroy(ring->source);
	return 0;
}
