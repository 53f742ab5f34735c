// SPDX-License-Identifier: MIT
/* When two threads that inherited the same events switch, the kernel swaps their contexts and pairs the
 * events of the two by their places in two lists: those of the parent in the order of opening, those of a
 * child in the order of CPUs. The counts of an event with inherit_stat go to the wrong event where the two
 * differ. So the events of one CPU are opened before those of the next one. */
#include <stdio.h>
#include <sys/ioctl.h>

#include "providers/perf/internal.h"
#include "tests/unit/providers/perf/live.h"

/* The kernel numbers events in the order in which they are opened. */
static void rings_are_in_order(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint64_t *last,
			       size_t *n)
{
	for (size_t i = 0; i < ring->n_fds; i++) {
		uint64_t id = 0;

		if (ring->fds[i].slot < perf->n_slots && perf->slots[ring->fds[i].slot].machine)
			continue;
		assert_int_equal(ioctl(ring->fds[i].fd, PERF_EVENT_IOC_ID, &id), 0);
		if (id <= *last)
			fail_msg("%s: its event %zu was opened before one of a CPU before it", ring->name, i);
		*last = id;
		(*n)++;
	}
}

static void events_are_opened_cpu_by_cpu(void **state)
{
	static const char *events[] = {"cpu-clock:1000000", "page-faults:100"};
	pid_t self = getpid();
	const struct wt_perf_request request = {
		.profile = true, .loader = true, .events = events, .n_events = 2, .pids = &self, .n_pids = 1};
	struct live live = {0};
	uint64_t last = 0;
	size_t n = 0;

	(void)state;
	check(&live, live_plan(&live, &request));
	check(&live, wt_perf_open(live.perf, &live.err));
	wt_perf_each_cpu (live.perf, cpu) {
		rings_are_in_order(live.perf, &cpu->sideband, &last, &n);
		rings_are_in_order(live.perf, &cpu->samples, &last, &n);
	}
	assert_true(n >= 3);
	live_deinit(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(events_are_opened_cpu_by_cpu)};

	return cmocka_run_group_tests(tests, live_setup, NULL);
}
