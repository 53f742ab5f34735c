// SPDX-License-Identifier: MIT
#include "providers/perf/internal.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

#define CPU_PATH "/devices/system/cpu/cpu"

/* The kernel's own news of CPUs. The list of online CPUs alone would not show one that went and came back
 * between two looks, and its events would stay dead. Where there is no such socket (containers) the list has
 * to do. */
void wt_perf_hotplug_init(struct wt_perf *perf)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd;

	if (perf->cpu_events >= 0 && perf->cpu_events_of == getpid())
		return;
	if (perf->cpu_events >= 0)
		close(perf->cpu_events);
	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	perf->last_online_check = wt_clock_now();
	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		fd = -1;
	}
	perf->cpu_events = fd;
	perf->cpu_events_of = getpid();
}

/* "offline@/devices/system/cpu/cpu3" and then zero-ended KEY=VALUE lines. */
static void note_message(const char *text, size_t len, struct wt_cpuset *bounced)
{
	const char *at = memchr(text, '@', len);
	uint64_t cpu;

	if (!at || at - text != 7 || memcmp(text, "offline", 7) || !memchr(text, 0, len) ||
	    strncmp(at + 1, CPU_PATH, strlen(CPU_PATH)))
		return;
	if (wt_text_u64(at + 1 + strlen(CPU_PATH), &cpu) && cpu < WT_PERF_MAX_CPUS)
		wt_cpuset_add(bounced, (uint32_t)cpu);
}

/* CPUs that went since the last look, whatever they do now. A message that did not fit the socket's buffer is
 * a reason to distrust all: *all. */
static bool read_news(struct wt_perf *perf, struct wt_cpuset *bounced)
{
	char text[4096];
	ssize_t len;

	if (perf->cpu_events < 0)
		return false;
	for (;;) {
		len = recv(perf->cpu_events, text, sizeof(text), 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == ENOBUFS;
		note_message(text, (size_t)len, bounced);
	}
}

static int tell(struct wt_perf *perf, uint32_t cpu, bool online,
		int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		void *ctx)
{
	struct wt_perf_ring *const rings[] = {&perf->cpus[cpu].sideband, &perf->cpus[cpu].names,
					      &perf->cpus[cpu].samples};
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

	/* They are dead, or, when news were lost, maybe not: what is counted from here on would be in no
	 * ring. */
	(void)wt_perf_ring_control(&c->samples, PERF_EVENT_IOC_DISABLE, NULL);
	(void)wt_perf_ring_control(&c->names, PERF_EVENT_IOC_DISABLE, NULL);
	(void)wt_perf_ring_control(&c->sideband, PERF_EVENT_IOC_DISABLE, NULL);
	c->samples.ended = c->names.ended = c->sideband.ended = wt_clock_now();
	ret = tell(perf, cpu, false, fn, ctx);
	wt_perf_close_cpu(perf, cpu);
	c->samples.gone_from = c->sideband.gone_from = perf->last_online_check;
	return ret;
}

static int enable(struct wt_perf *perf, struct wt_perf_cpu *c, struct wt_err *err)
{
	uint64_t now;

	c->samples.shared->began = c->names.shared->began = c->sideband.shared->began = wt_clock_now();
	if (perf->armed && (wt_perf_ring_control(&c->sideband, PERF_EVENT_IOC_ENABLE, err) < 0 ||
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
	    (c->samples.map && wt_perf_source_create(perf, &c->samples, err) < 0)) {
		wt_perf_close_cpu(perf, cpu);
		return -1;
	}
	return tell(perf, cpu, true, fn, ctx);
}

bool wt_perf_late_next(struct wt_perf *perf, uint32_t *cpu, uint64_t *from)
{
	for (*cpu = 0; perf->late && *cpu < perf->n_cpus; (*cpu)++)
		if (perf->late[*cpu] && !wt_cpuset_has(&perf->late_told, *cpu)) {
			*from = perf->late[*cpu];
			wt_cpuset_add(&perf->late_told, *cpu);
			return true;
		}
	return false;
}

struct wt_str wt_perf_late_providers(const struct wt_perf *perf, char *text, size_t size)
{
	/* Where they are followed both are known, and who reads the log has not got them. */
	bool loader = !perf->follows || perf->loader, proc_thread = !perf->follows || perf->proc_thread;
	const char *last = "";
	size_t n = (size_t)snprintf(text, size, "%s%s%s", loader ? "loader" : "",
				    loader && proc_thread ? "," : "", proc_thread ? "proc_thread" : "");

	for (size_t i = 0; i < perf->n_slots && n < size; i++) {
		const struct wt_perf_slot *slot = &perf->slots[i];

		if (slot->machine || !strcmp(last, slot->provider))
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", slot->provider);
		last = slot->provider;
	}
	return (struct wt_str){text, (uint32_t)(n < size ? n : size - 1)};
}

/* True when an event is one of threads: those that run have none for a CPU that came later. Of the sideband
 * there what is of others is in it as well, so that none of it is for the log. */
static bool has_thread_events(const struct wt_perf *perf)
{
	for (size_t i = 0; i < perf->n_slots; i++)
		if (!perf->slots[i].machine)
			return true;
	return !perf->follows || perf->loader || perf->proc_thread;
}

/* The log's last events say from when on. */
static void note_late(struct wt_perf *perf, uint32_t cpu)
{
	/* Who recorded before may have noted it. */
	if (!perf->n_pids || !perf->late || perf->late[cpu] || !has_thread_events(perf))
		return;
	perf->late[cpu] = perf->last_online_check;
	wt_warn("CPU %u came online: what the processes do there is %s", cpu,
		perf->follows ? "sampled and named, but their other events are not recorded"
			      : "not recorded");
}

/* Events of a thread follow it to any CPU that was there at the start, and stay when that goes and comes
 * back. */
static bool is_threads_alone(const struct wt_perf *perf)
{
	return perf->n_pids && !perf->follows;
}

int wt_perf_hotplug(struct wt_perf *perf,
		    int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		    void *ctx, struct wt_err *err)
{
	struct wt_cpuset online, bounced = {{0}};
	bool distrust = perf->nothing || read_news(perf, &bounced);
	int ret = 0;

	if (perf->nothing)
		return 0;
	if (wt_cpuset_read(perf->online_path, &online) < 0)
		return wt_fail_errno(err, "cannot read %s", perf->online_path);
	for (uint32_t cpu = 0; cpu < perf->n_cpus && !ret; cpu++) {
		bool is = wt_cpuset_has(&online, cpu), open = perf->cpus[cpu].open;

		if (is_threads_alone(perf)) {
			if (is && !open)
				note_late(perf, cpu);
			continue;
		}
		if (open && (!is || distrust || wt_cpuset_has(&bounced, cpu))) {
			ret = take_out(perf, cpu, fn, ctx);
			open = false;
		}
		if (is && !open && !ret) {
			note_late(perf, cpu);
			ret = put_in(perf, cpu, fn, ctx, err);
		}
	}
	perf->online = online;
	perf->last_online_check = wt_clock_now();
	return ret;
}
