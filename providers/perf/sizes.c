// SPDX-License-Identifier: MIT
/* Sizes of the rings: enough time for a recorder that is late, enough memory left for everyone else. */
#include "providers/perf/internal.h"

#include <sys/resource.h>

enum {
	SAMPLE_BYTES = 2 << 20,
	SIDEBAND_BYTES = 512 << 10,
	TASKS_BYTES = 2 << 20,  /* for processes and threads, where there are no samples */
	IMAGES_BYTES = 4 << 20, /* for mappings, too; other users can make 10,000 a second while the recorder
				   waits for a CPU */
	ALL_BYTES = 32 << 20,   /* over all CPUs */
	POINT_HZ = 4000,        /* assumed rate of tracepoints with stacks */
	SWITCH_HZ = 50000,      /* assumed rate of all events of the scheduler */
	WAKE_FRACTION = 2,      /* when this part of a ring is full, the recorder wakes */
	MEMLOCK_MOST = 1 << 30,
};

/* Rings for samples with copies of stacks. */
enum {
	RECORD_BYTES = 256, /* bytes of a sample beside the copy: registers, kernel frames */
	HOLD_MS = 250,      /* of samples fit */
	WAKE_MS = 50, /* of samples wake the recorder: the records it reads are still in a cache, and the
			 threads whose stacks were cut still live */
	ONE_MOST = 32 << 20,
	ALL_MOST = 128 << 20,
	ONE_FAIR = 16 << 20, /* rather than a larger ring, less of a stack is copied */
	ALL_FAIR = 64 << 20,
	FEW_RECORDS = 24, /* a ring for fewer records overflows whenever the recorder has to wait for a CPU */
};

/* Choices for the copied bytes of a stack. Of samples in compilers 85 % are less deep than 16 KiB, 93 % than
 * 32, 99.9 % than 56. Only existing bytes cost time; the whole size costs room in the ring. */
static const uint32_t stack_sizes[] = {WT_PERF_STACK_MOST, 32768, 16384, 8192, 4096};
enum { N_STACK_SIZES = sizeof(stack_sizes) / sizeof(stack_sizes[0]), USUAL = 2 };

static uint64_t power_of_two_below(uint64_t n)
{
	return n ? UINT64_C(1) << (63 - __builtin_clzll(n)) : 0;
}

static uint64_t power_of_two_above(uint64_t n)
{
	return n > 1 ? power_of_two_below(n - 1) * 2 : 1;
}

static uint32_t pages(uint64_t bytes)
{
	uint64_t n = power_of_two_below(bytes / wt_perf_page_size());

	return n ? (uint32_t)n : 1;
}

static bool has_dump(const struct wt_perf_slot *slot)
{
	return slot->attr.sample_type & PERF_SAMPLE_STACK_USER;
}

/* Copies of stacks that a CPU makes in a second, as far as is known: without those of the scheduler. */
static uint64_t dumps_a_second(const struct wt_perf *perf)
{
	uint64_t hz = 0, points = 0;

	for (size_t i = 0; i < perf->n_slots; i++) {
		const struct wt_perf_slot *slot = &perf->slots[i];

		if (!has_dump(slot) || slot->scheduler)
			continue;
		if (slot->program || slot->counts)
			points = POINT_HZ;
		else
			hz += slot->attr.freq ? slot->attr.sample_freq : WT_PERF_DEFAULT_HZ;
	}
	return hz + points;
}

/* Bytes of one copy in the scheduler's events, the largest; 0: they have none. */
static uint32_t switch_bytes(const struct wt_perf *perf)
{
	uint32_t bytes = 0;

	for (size_t i = 0; i < perf->n_slots; i++)
		if (perf->slots[i].scheduler && has_dump(&perf->slots[i]) &&
		    perf->slots[i].attr.sample_stack_user > bytes)
			bytes = perf->slots[i].attr.sample_stack_user;
	return bytes;
}

static bool any_dumps(const struct wt_perf *perf)
{
	return dumps_a_second(perf) || switch_bytes(perf);
}

/* Without those of the scheduler. */
static uint64_t dumps_in(const struct wt_perf *perf, uint64_t ms)
{
	return dumps_a_second(perf) * ms / 1000 * (perf->stack_bytes + RECORD_BYTES);
}

static uint64_t bytes_in(const struct wt_perf *perf, uint64_t ms)
{
	uint64_t each = switch_bytes(perf);

	return dumps_in(perf, ms) + (each ? SWITCH_HZ * ms / 1000 * (each + RECORD_BYTES) : 0);
}

static uint64_t ring_for(uint64_t bytes)
{
	uint64_t want = power_of_two_above(bytes);

	return want > SAMPLE_BYTES ? want : SAMPLE_BYTES;
}

/* Bytes that the kernel copies itself: they take room in the ring even when the stack is shorter. */
enum { KERNEL_BYTES = 8192 };

/* The same for the scheduler's events, of which there may be hundreds of thousands a second. Many threads
 * wait a few calls below their first function; stacks of others are completed while the thread waits. A waker
 * does not wait, but its stack is seldom asked for beyond the first callers. */
enum { SWITCH_BYTES = 2048, WAKE_BYTES = 1024 };

static uint32_t at_most(const struct wt_perf_slot *slot)
{
	return slot->scheduler->what == WT_SCHEDULER_SWITCH ? SWITCH_BYTES : WAKE_BYTES;
}

/* Not where every event counts: a record without room would be lost twice, as a copy and as an event. */
bool wt_perf_is_copied_on(const struct wt_perf_slot *slot)
{
	return !slot->program && !slot->period1 && slot->attr.sample_type & PERF_SAMPLE_STACK_USER;
}

uint32_t wt_perf_dump_bytes(const struct wt_perf *perf, const struct wt_perf_slot *slot, uint32_t bytes)
{
	if (slot->scheduler && perf->stack_chosen && bytes > at_most(slot))
		return at_most(slot);
	return perf->settings && perf->stack_chosen && wt_perf_is_copied_on(slot) && bytes > KERNEL_BYTES
		       ? KERNEL_BYTES
		       : bytes;
}

static void set_stack_bytes(struct wt_perf *perf, uint32_t bytes)
{
	perf->stack_bytes = bytes;
	for (size_t i = 0; i < perf->n_slots; i++)
		if (has_dump(&perf->slots[i]))
			perf->slots[i].attr.sample_stack_user = wt_perf_dump_bytes(perf, &perf->slots[i],
										   bytes);
}

static void choose_stack_bytes(struct wt_perf *perf, uint64_t n_cpus)
{
	for (size_t i = 0; i <= USUAL; i++) {
		set_stack_bytes(perf, stack_sizes[i]);
		if (ring_for(dumps_in(perf, HOLD_MS)) <= ONE_FAIR &&
		    ring_for(dumps_in(perf, HOLD_MS)) * n_cpus <= ALL_FAIR)
			break;
	}
}

void wt_perf_fit_stacks(struct wt_perf *perf)
{
	uint64_t ring = perf->sample_pages * wt_perf_page_size();

	for (size_t i = 0; i < N_STACK_SIZES && perf->stack_chosen; i++)
		if (stack_sizes[i] < perf->stack_bytes &&
		    ring / (perf->stack_bytes + RECORD_BYTES) < FEW_RECORDS)
			set_stack_bytes(perf, stack_sizes[i]);
}

/* Returns the bytes that a process may lock beyond the amount the kernel grants every user, for each CPU. */
static uint64_t memlock_share(uint64_t n_cpus)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return 0;
	return (limit.rlim_cur < MEMLOCK_MOST ? limit.rlim_cur : MEMLOCK_MOST) / n_cpus;
}

/* Without the right to lock memory, both rings of a CPU have to fit into the amount that the kernel grants
 * every user. Only for copies of stacks the process's own limit is used, too. */
static void choose_small_sizes(const struct wt_perf *perf, uint64_t n_cpus, uint64_t *samples,
			       uint64_t *sideband)
{
	uint64_t budget = (uint64_t)wt_text_number("/proc/sys/kernel/perf_event_mlock_kb", 516) << 10;
	uint64_t most = *samples;

	budget -= budget > 2 * wt_perf_page_size() ? 2 * wt_perf_page_size() : budget;
	*samples = perf->n_slots ? power_of_two_below(budget * 2 / 3) : 0;
	*sideband = power_of_two_below(budget - *samples);
	if (any_dumps(perf))
		*samples = power_of_two_below(budget - *sideband + memlock_share(n_cpus));
	if (*samples > most)
		*samples = most;
}

/* True when mappings come twice, because the event of the inodes reports them, too. */
static bool comes_twice(const struct wt_perf *perf)
{
	return perf->caps.build_id && !perf->no_images && perf->caps.whole_system;
}

/* Without samples the sideband has all the room. */
static uint64_t alone_bytes(const struct wt_perf *perf, uint64_t n_cpus)
{
	uint64_t bytes = perf->no_images ? TASKS_BYTES : IMAGES_BYTES, unused = 0;

	while (bytes > SIDEBAND_BYTES && bytes * n_cpus > ALL_BYTES)
		bytes /= 2;
	if (!perf->caps.whole_system)
		choose_small_sizes(perf, n_cpus, &unused, &bytes);
	return bytes;
}

/* Size where all users can fill the ring. With few CPUs there is room for the events that these make while
 * the recorder waits for one. */
static uint64_t shared_bytes(const struct wt_perf *perf, uint64_t n_cpus)
{
	uint64_t bytes = IMAGES_BYTES / 2;

	while (bytes > SIDEBAND_BYTES && (perf->n_pids || bytes * n_cpus > ALL_BYTES / 4))
		bytes /= 2;
	return bytes;
}

static void choose_both(struct wt_perf *perf, uint64_t n, uint64_t *ret_samples, uint64_t *ret_sideband)
{
	bool dumps = any_dumps(perf);
	uint64_t samples, sideband = shared_bytes(perf, n);

	if (perf->stack_chosen && dumps)
		choose_stack_bytes(perf, n);
	samples = ring_for(bytes_in(perf, HOLD_MS));
	if (samples > ONE_MOST)
		samples = ONE_MOST;
	if (!perf->caps.whole_system)
		choose_small_sizes(perf, n, &samples, &sideband);
	while (samples > 64 << 10 && (samples + sideband) * n > (dumps ? ALL_MOST : ALL_BYTES)) {
		samples /= 2;
		sideband /= 2;
	}
	if (comes_twice(perf))
		sideband *= 2;
	*ret_samples = samples;
	*ret_sideband = sideband;
}

bool wt_perf_reads_waits(const struct wt_perf *perf)
{
	for (size_t i = 0; i < perf->n_slots; i++)
		if (perf->slots[i].scheduler && has_dump(&perf->slots[i]))
			return true;
	return false;
}

void wt_perf_choose_sizes(struct wt_perf *perf)
{
	uint64_t n = wt_cpuset_count(&perf->online), samples = 0, sideband;

	if (perf->n_slots)
		choose_both(perf, n, &samples, &sideband);
	else
		sideband = alone_bytes(perf, n);
	if (!perf->sample_pages)
		perf->sample_pages = pages(samples);
	if (!perf->sideband_pages)
		perf->sideband_pages = pages(sideband);
	perf->names_pages = perf->sideband_pages > 1 ? perf->sideband_pages / 2 : 1;
	perf->writes_pages = perf->names_pages;
	wt_perf_fit_stacks(perf);
}

uint32_t wt_perf_watermark(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	uint64_t bytes = ring->data_size / WAKE_FRACTION;
	uint64_t soon = ring->sideband ? 0 : bytes_in(perf, WAKE_MS);

	return (uint32_t)(soon && soon < bytes ? soon : bytes);
}
