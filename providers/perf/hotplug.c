// SPDX-License-Identifier: MIT
/* Opens and closes the rings of CPUs that came or went. */
#include "providers/perf/internal.h"

#include "tracecore/base/clock.h"

static int tell(struct wt_perf *perf, uint32_t cpu, bool online,
		int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		void *ctx)
{
	struct wt_perf_ring *const rings[] = {&perf->cpus[cpu].sideband, &perf->cpus[cpu].names,
					      &perf->cpus[cpu].samples, &perf->cpus[cpu].writes};
	struct wt_source *sources[WT_PERF_RINGS];
	size_t n = 0;

	for (size_t i = 0; i < WT_PERF_RINGS; i++)
		if (rings[i]->source)
			sources[n++] = wt_perf_source_base(rings[i]->source);
	return fn(ctx, cpu, online, sources, n);
}

static int take_out(struct wt_perf *perf, uint32_t cpu,
		    int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		    void *ctx)
{
	struct wt_perf_cpu *c = &perf->cpus[cpu];
	int ret;

	/* The events are dead or, when reports were lost, perhaps not; counts from here on would be in no
	 * ring. */
	(void)wt_perf_ring_control(&c->samples, PERF_EVENT_IOC_DISABLE, NULL);
	(void)wt_perf_ring_control(&c->names, PERF_EVENT_IOC_DISABLE, NULL);
	(void)wt_perf_ring_control(&c->sideband, PERF_EVENT_IOC_DISABLE, NULL);
	(void)wt_perf_ring_control(&c->writes, PERF_EVENT_IOC_DISABLE, NULL);
	c->samples.ended = c->names.ended = c->sideband.ended = c->writes.ended = wt_clock_now();
	ret = tell(perf, cpu, false, fn, ctx);
	wt_perf_close_cpu(perf, cpu);
	c->samples.gone_from = c->sideband.gone_from = perf->last_online_check;
	return ret;
}

static int enable(struct wt_perf *perf, struct wt_perf_cpu *c, struct wt_err *err)
{
	uint64_t now;

	c->samples.shared->began = c->names.shared->began = c->sideband.shared->began =
		c->writes.shared->began = wt_clock_now();
	if (perf->armed && (wt_perf_ring_control(&c->writes, PERF_EVENT_IOC_ENABLE, err) < 0 ||
			    wt_perf_ring_control(&c->sideband, PERF_EVENT_IOC_ENABLE, err) < 0 ||
			    wt_perf_ring_control(&c->names, PERF_EVENT_IOC_ENABLE, err) < 0 ||
			    wt_perf_ring_control(&c->samples, PERF_EVENT_IOC_ENABLE, err) < 0))
		return -1;
	now = wt_clock_now();
	c->samples.gone_to = c->sideband.gone_to = now;
	if (!c->samples.gone_from)
		c->samples.gone_from = c->sideband.gone_from = perf->last_online_check;
	return 0;
}

static int put_in(struct wt_perf *perf, uint32_t cpu,
		  int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		  void *ctx, struct wt_err *err)
{
	struct wt_perf_cpu *c = &perf->cpus[cpu];

	if (wt_perf_open_cpu(perf, cpu, err) < 0)
		return -1;
	if (wt_perf_open_sideband(perf, cpu, err) < 0 || enable(perf, c, err) < 0 ||
	    wt_perf_source_create(perf, &c->sideband, err) < 0 ||
	    (c->names.map && wt_perf_source_create(perf, &c->names, err) < 0) ||
	    (c->writes.map && wt_perf_source_create(perf, &c->writes, err) < 0) ||
	    (c->samples.map && wt_perf_source_create(perf, &c->samples, err) < 0)) {
		wt_perf_close_cpu(perf, cpu);
		return -1;
	}
	return tell(perf, cpu, true, fn, ctx);
}

/* Events of a thread follow it to every CPU that was online at the start, and stay when that CPU goes and
 * comes back. */
static bool is_threads_alone(const struct wt_perf *perf)
{
	return perf->n_pids && !perf->follows;
}

int wt_perf_hotplug(struct wt_perf *perf,
		    int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		    void *ctx, struct wt_err *err)
{
	struct wt_cpuset online, bounced = {{0}};
	bool distrust = perf->nothing || wt_perf_cpu_news_read(perf, &bounced);
	int ret = 0;

	if (perf->nothing)
		return 0;
	if (wt_cpuset_read(perf->online_path, &online) < 0)
		return wt_fail_errno(err, "cannot read %s", perf->online_path);
	for (uint32_t cpu = 0; cpu < perf->n_cpus && !ret; cpu++) {
		bool is = wt_cpuset_has(&online, cpu), open = perf->cpus[cpu].open;

		if (is_threads_alone(perf)) {
			if (is && !open)
				wt_perf_late_note(perf, cpu);
			continue;
		}
		if (open && (!is || distrust || wt_cpuset_has(&bounced, cpu))) {
			ret = take_out(perf, cpu, fn, ctx);
			open = false;
		}
		if (is && !open && !ret) {
			wt_perf_late_note(perf, cpu);
			ret = put_in(perf, cpu, fn, ctx, err);
		}
	}
	perf->online = online;
	perf->last_online_check = wt_clock_now();
	return ret;
}
