// SPDX-License-Identifier: MIT
/* Work of a session on open rings: map them, make sources of them, arm and disarm, poll. */
#include "providers/perf/internal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "providers/perf/bpf.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

int wt_perf_map(struct wt_perf *perf, struct wt_err *err)
{
	wt_perf_each_cpu (perf, c) {
		/* The parent's mappings do not exist here: perf mappings do not survive fork. */
		c->sideband.map = c->names.map = c->samples.map = c->writes.map = NULL;
		if (wt_perf_ring_map(&c->sideband, err) < 0 || wt_perf_ring_map(&c->names, err) < 0 ||
		    wt_perf_ring_map(&c->samples, err) < 0 || wt_perf_ring_map(&c->writes, err) < 0)
			return -1;
	}
	if (!perf->nothing)
		wt_perf_cpu_news_open(perf);
	return 0;
}

static int add_source(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_source **ret, size_t cap,
		      size_t *n, struct wt_err *err)
{
	if (!ring->map)
		return 0;
	if (!ring->source && wt_perf_source_create(perf, ring, err) < 0)
		return -1;
	if (*n >= cap)
		return wt_fail(err, WT_ERR_LIMIT, "more rings than the %zu there is room for", cap);
	ret[(*n)++] = wt_perf_source_base(ring->source);
	return 0;
}

int wt_perf_sources(struct wt_perf *perf, struct wt_source **ret, size_t cap, size_t *n, struct wt_err *err)
{
	*n = 0;
	wt_perf_each_cpu (perf, c)
		if (add_source(perf, &c->sideband, ret, cap, n, err) < 0 ||
		    add_source(perf, &c->names, ret, cap, n, err) < 0 ||
		    add_source(perf, &c->writes, ret, cap, n, err) < 0 ||
		    add_source(perf, &c->samples, ret, cap, n, err) < 0)
			return -1;
	return 0;
}

/* On all CPUs before any beginning of a program is reported: of programs with such a report all writable
 * memory is known. */
static int arm_writes(struct wt_perf *perf, struct wt_err *err)
{
	wt_perf_each_cpu (perf, c) {
		if (!c->writes.shared->began)
			c->writes.shared->began = wt_clock_now();
		if (wt_perf_ring_control(&c->writes, PERF_EVENT_IOC_ENABLE, err) < 0)
			return -1;
	}
	return 0;
}

int wt_perf_arm_sideband(struct wt_perf *perf, struct wt_err *err)
{
	if (perf->child)
		return 0;
	if (arm_writes(perf, err) < 0)
		return -1;
	wt_perf_each_cpu (perf, c) {
		if (!c->sideband.shared->began)
			c->sideband.shared->began = c->names.shared->began = wt_clock_now();
		if (wt_perf_ring_control(&c->sideband, PERF_EVENT_IOC_ENABLE, err) < 0 ||
		    wt_perf_ring_control(&c->names, PERF_EVENT_IOC_ENABLE, err) < 0)
			return -1;
	}
	return 0;
}

/* Arms the events that begin at once while all others wait for a program to begin. */
static bool is_machines(const struct wt_perf *perf, const struct wt_perf_fd *fd)
{
	return fd->slot == WT_PERF_SLOT_SWITCHES || fd->slot == WT_PERF_SLOT_MOVES ||
	       (fd->slot < perf->n_slots && perf->slots[fd->slot].machine);
}

static int arm_machines(const struct wt_perf *perf, const struct wt_perf_ring *ring, struct wt_err *err)
{
	for (size_t i = 0; i < ring->n_fds; i++)
		if (is_machines(perf, &ring->fds[i]) && ioctl(ring->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
			return wt_fail_errno(err, "cannot switch the events of CPU %u", ring->cpu);
	return 0;
}

static int arm_machine(struct wt_perf *perf, struct wt_err *err)
{
	wt_perf_each_cpu (perf, c)
		if (arm_machines(perf, &c->samples, err) < 0 || arm_machines(perf, &c->sideband, err) < 0)
			return -1;
	return 0;
}

int wt_perf_arm(struct wt_perf *perf, struct wt_err *err)
{
	perf->armed = true;
	wt_perf_rest_begin(perf);
	wt_perf_each_cpu (perf, c)
		c->samples.shared->began = wt_clock_now();
	if (perf->child)
		return arm_machine(perf, err);
	if (wt_perf_arm_sideband(perf, err) < 0)
		return -1;
	wt_perf_each_cpu (perf, c) {
		if (wt_perf_ring_control(&c->samples, PERF_EVENT_IOC_ENABLE, err) < 0)
			return -1;
	}
	return 0;
}

/* A process that found no place in the filter's table was not sampled. */
static void tell_unfollowed(const struct wt_perf *perf)
{
	uint32_t n = perf->follows ? wt_perf_bpf_settings(perf->bpf)->unfollowed : 0;

	if (n)
		wt_warn("%u processes were not sampled: no more than %d can be followed at a time", n,
			WT_BPF_PROCESSES);
}

int wt_perf_disarm(struct wt_perf *perf, struct wt_err *err)
{
	perf->armed = false;
	tell_unfollowed(perf);
	wt_perf_each_cpu (perf, c) {
		if (wt_perf_ring_control(&c->samples, PERF_EVENT_IOC_DISABLE, err) < 0)
			return -1;
		c->samples.ended = wt_clock_now();
	}
	wt_perf_rest_end(perf);
	wt_perf_each_cpu (perf, c) {
		if (wt_perf_ring_control(&c->sideband, PERF_EVENT_IOC_DISABLE, err) < 0 ||
		    wt_perf_ring_control(&c->names, PERF_EVENT_IOC_DISABLE, err) < 0 ||
		    wt_perf_ring_control(&c->writes, PERF_EVENT_IOC_DISABLE, err) < 0)
			return -1;
		c->sideband.ended = c->names.ended = c->writes.ended = wt_clock_now();
	}
	return 0;
}

/* A CPU's descriptor never hangs up. */
static bool is_of_task(const struct wt_perf *perf, const struct wt_perf_ring *ring, size_t at)
{
	uint32_t slot = ring->fds[at].slot;

	if (ring->everybodys || slot == WT_PERF_SLOT_COPY || slot == WT_PERF_SLOT_COUNTER ||
	    slot == WT_PERF_SLOT_MOVES || slot == WT_PERF_SLOT_SWITCHES)
		return false;
	return slot >= perf->n_slots || !perf->slots[slot].machine;
}

/* A thread's descriptor hangs up when the thread and all that inherited from it have ended; others of the
 * same ring may live. Looking for a live one may consume a wake-up, so an eventfd passes that on. Only when
 * processes are traced. */
static bool find_living(const struct wt_perf *perf, struct wt_perf_ring *ring, bool *woken)
{
	for (size_t i = 0; i < ring->n_fds; i++) {
		size_t at = (ring->poll + i) % ring->n_fds;
		struct pollfd p = {.fd = ring->fds[at].fd, .events = POLLIN};

		if (!is_of_task(perf, ring, at))
			continue;
		if (poll(&p, 1, 0) >= 0 && !(p.revents & (POLLHUP | POLLERR))) {
			*woken = *woken || p.revents & POLLIN;
			ring->poll = at;
			return true;
		}
	}
	return false;
}

/* When no thread is alive: returns for each CPU a descriptor that has hung up, so that poll reports it. */
static size_t dead_fds(const struct wt_perf *perf, int *fds, size_t cap)
{
	size_t n = 0;

	wt_perf_each_cpu (perf, c)
		for (size_t at = 0; at < c->sideband.n_fds; at++)
			if (n < cap && is_of_task(perf, &c->sideband, at)) {
				fds[n++] = c->sideband.fds[at].fd;
				break;
			}
	return n;
}

static size_t living_fds(const struct wt_perf *perf, int *fds, size_t cap)
{
	uint64_t count = 1;
	bool woken = false;
	size_t n = 0;

	wt_perf_each_cpu (perf, c) {
		struct wt_perf_ring *const rings[] = {&c->sideband, &c->samples};

		for (size_t i = 0; i < 2; i++)
			if (n < cap && find_living(perf, rings[i], &woken))
				fds[n++] = rings[i]->fds[rings[i]->poll].fd;
	}
	if (woken && n < cap && write(perf->wake, &count, sizeof(count)) > 0)
		fds[n++] = perf->wake;
	return n;
}

/* Any descriptor of a ring wakes for all events in it: returns one for each ring with descriptors of a CPU.
 */
static size_t cpu_fds(const struct wt_perf *perf, int *fds, size_t cap)
{
	size_t n = 0;

	wt_perf_each_cpu (perf, c) {
		const struct wt_perf_ring *const rings[] = {&c->sideband, &c->samples};

		for (size_t i = 0; i < 2; i++)
			for (size_t at = 0; at < rings[i]->n_fds; at++)
				if (n < cap && !is_of_task(perf, rings[i], at)) {
					fds[n++] = rings[i]->fds[at].fd;
					break;
				}
	}
	return n;
}

/* Descriptors of threads come first. */
static size_t task_fds(const struct wt_perf *perf, int *fds, size_t cap)
{
	uint64_t count;
	size_t n;

	while (read(perf->wake, &count, sizeof(count)) > 0)
		;
	n = living_fds(perf, fds, cap);
	if (!n)
		n = dead_fds(perf, fds, cap);
	return n + cpu_fds(perf, fds + n, cap - n);
}

size_t wt_perf_poll_fds(const struct wt_perf *perf, int *fds, size_t cap)
{
	size_t n = 0;

	if (perf->n_pids)
		return task_fds(perf, fds, cap);
	wt_perf_each_cpu (perf, c) {
		const struct wt_perf_ring *const rings[] = {&c->sideband, &c->names, &c->samples, &c->writes};

		for (size_t i = 0; i < WT_PERF_RINGS; i++)
			if (rings[i]->n_fds && n < cap)
				fds[n++] = rings[i]->fds[0].fd;
	}
	return n;
}

void wt_perf_set_gate(struct wt_perf *perf, wt_gate_fn *gate, void *ctx)
{
	perf->gate = gate;
	perf->gate_ctx = ctx;
}

static bool is_filling(const struct wt_perf_ring *ring)
{
	struct wt_source *base = ring->source ? wt_perf_source_base(ring->source) : NULL;

	return base && base->ops->fill(base) < WT_PERF_WAKE_FILL;
}

size_t wt_perf_poll_sideband(const struct wt_perf *perf, int *fds, size_t cap)
{
	size_t n = 0;

	if (perf->n_pids)
		return 0;
	wt_perf_each_cpu (perf, c) {
		const struct wt_perf_ring *const rings[] = {&c->sideband, &c->names, &c->writes};

		for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++)
			if (rings[i]->n_fds && n < cap && is_filling(rings[i]))
				fds[n++] = rings[i]->fds[0].fd;
	}
	return n;
}

uint64_t wt_perf_ring_bytes(const struct wt_perf *perf)
{
	uint64_t bytes = 0;

	wt_perf_each_cpu (perf, c) {
		const struct wt_perf_ring *const rings[] = {&c->sideband, &c->names, &c->samples, &c->writes};

		for (size_t i = 0; i < WT_PERF_RINGS; i++)
			bytes += rings[i]->n_fds ? rings[i]->control_size + rings[i]->data_size : 0;
	}
	return bytes;
}
