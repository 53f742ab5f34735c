// SPDX-License-Identifier: MIT
/* How large the rings are: time enough for a recorder that is late, memory enough for everybody else. */
#include "providers/perf/internal.h"

#include <sys/resource.h>
#include <unistd.h>

enum {
	SAMPLE_BYTES = 2 << 20,
	SIDEBAND_BYTES = 512 << 10,
	ALL_BYTES = 32 << 20,       /* over all CPUs */
	ALL_DUMP_BYTES = 128 << 20, /* the same when stacks are copied */
	ONE_DUMP_BYTES = 32 << 20,  /* a ring of copies */
	HOLD_MS = 250,              /* of samples with copies fit into a ring */
	WAKE_MS = 50,               /* of them wake the recorder: what it has to read is still in a cache, and
				     * the threads whose stacks were cut still live */
	WAKE_FRACTION = 2,          /* of the ring full wakes it in any case */
	RECORD_BYTES = 256,         /* of a sample beside the copy: registers, kernel frames */
	POINT_HZ = 4000,            /* how often tracepoints with stacks are taken to happen */
	FEW_RECORDS = 24,           /* fewer in a ring, and the copies are made smaller */
	LEAST_STACK = 4096,
	MEMLOCK_MOST = 1 << 30,
};

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

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
	uint64_t n = power_of_two_below(bytes / page_size());

	return n ? (uint32_t)n : 1;
}

/* Copies of stacks that a CPU makes in a second, as far as it can be told. */
static uint64_t dumps_a_second(const struct wt_perf *perf)
{
	uint64_t hz = 0, points = 0;

	for (size_t i = 0; i < perf->n_slots; i++) {
		const struct wt_perf_slot *slot = &perf->slots[i];

		if (!(slot->attr.sample_type & PERF_SAMPLE_STACK_USER))
			continue;
		if (slot->program)
			points = POINT_HZ;
		else
			hz += slot->attr.freq ? slot->attr.sample_freq : WT_PERF_DEFAULT_HZ;
	}
	return hz + points;
}

static uint64_t bytes_in(const struct wt_perf *perf, uint64_t ms)
{
	return dumps_a_second(perf) * ms / 1000 * (perf->stack_bytes + RECORD_BYTES);
}

static uint64_t sample_bytes(const struct wt_perf *perf)
{
	uint64_t want = power_of_two_above(bytes_in(perf, HOLD_MS));

	if (want > ONE_DUMP_BYTES)
		return ONE_DUMP_BYTES;
	return want > SAMPLE_BYTES ? want : SAMPLE_BYTES;
}

/* What a process may lock beyond what the kernel gives everybody, for each CPU. */
static uint64_t memlock_share(uint64_t n_cpus)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return 0;
	return (limit.rlim_cur < MEMLOCK_MOST ? limit.rlim_cur : MEMLOCK_MOST) / n_cpus;
}

/* Without the right to lock memory both rings of a CPU have to fit into what the kernel gives everybody; only
 * copies of stacks are worth what the process's own limit gives. */
static void choose_small_sizes(const struct wt_perf *perf, uint64_t n_cpus, uint64_t *samples,
			       uint64_t *sideband)
{
	uint64_t budget = (uint64_t)wt_text_number("/proc/sys/kernel/perf_event_mlock_kb", 516) << 10;
	uint64_t most = *samples;

	budget -= budget > 2 * page_size() ? 2 * page_size() : budget;
	*samples = power_of_two_below(budget * 2 / 3);
	*sideband = power_of_two_below(budget - *samples);
	if (dumps_a_second(perf))
		*samples = power_of_two_below(budget - *sideband + memlock_share(n_cpus));
	if (*samples > most)
		*samples = most;
}

/* A ring that holds a handful of records overflows whenever the recorder has to wait for a CPU. */
void wt_perf_fit_stacks(struct wt_perf *perf)
{
	uint64_t ring = perf->sample_pages * page_size();

	if (perf->stack_must)
		return;
	while (perf->stack_bytes / 2 >= LEAST_STACK &&
	       ring / (perf->stack_bytes + RECORD_BYTES) < FEW_RECORDS)
		perf->stack_bytes = perf->stack_bytes / 2 & ~7u;
	for (size_t i = 0; i < perf->n_slots; i++)
		if (perf->slots[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			perf->slots[i].attr.sample_stack_user = perf->stack_bytes;
}

void wt_perf_choose_sizes(struct wt_perf *perf)
{
	uint64_t n = wt_cpuset_count(&perf->online);
	uint64_t samples = sample_bytes(perf), sideband = SIDEBAND_BYTES;
	uint64_t all = dumps_a_second(perf) ? ALL_DUMP_BYTES : ALL_BYTES;

	if (!perf->caps.whole_system)
		choose_small_sizes(perf, n, &samples, &sideband);
	while (samples > 64 << 10 && (samples + sideband) * n > all) {
		samples /= 2;
		sideband /= 2;
	}
	if (!perf->sample_pages)
		perf->sample_pages = pages(samples);
	if (!perf->sideband_pages)
		perf->sideband_pages = pages(sideband);
	wt_perf_fit_stacks(perf);
}

uint32_t wt_perf_watermark(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	uint64_t bytes = ring->data_size / WAKE_FRACTION;
	uint64_t soon = ring->sideband ? 0 : bytes_in(perf, WAKE_MS);

	return (uint32_t)(soon && soon < bytes ? soon : bytes);
}
