// SPDX-License-Identifier: MIT
#include "providers/perf/counter.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICES  "/sys/bus/event_source/devices"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

enum { USUAL_TURN_MS = 4 };

struct wt_counter {
	size_t n;
	bool together; /* one read returns the whole group */
	int fds[];     /* [0] leads */
};

/* ---- opening ---- */

static struct perf_event_attr attr_of(const struct wt_counter_event *event, bool leads,
				      const struct wt_counter_target *target)
{
	const struct wt_perf_spec *spec = event->spec;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = spec->type,
		.config = spec->config,
		.config1 = spec->config1,
		.config2 = spec->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       (target->inherit ? 0 : PERF_FORMAT_GROUP),
		.disabled = leads,
		.inherit = target->inherit,
		.enable_on_exec = leads && target->on_exec,
		.exclude_user = !!(event->exclude & WT_NOT_IN_USER),
		.exclude_kernel = !!(event->exclude & WT_NOT_IN_KERNEL),
		.exclude_hv = !!(event->exclude & WT_NOT_IN_HYPERVISOR),
		.exclude_host = !!(event->exclude & WT_NOT_IN_HOST),
		.exclude_guest = !!(event->exclude & WT_NOT_IN_GUEST),
	};

	return attr;
}

static int open_one(const struct wt_counter_event *event, int leader, const struct wt_counter_target *target)
{
	struct perf_event_attr attr = attr_of(event, leader < 0, target);
	bool cgroup = target->cgroup_fd >= 0;

	return (int)syscall(SYS_perf_event_open, &attr, cgroup ? target->cgroup_fd : target->tid, target->cpu,
			    leader, PERF_FLAG_FD_CLOEXEC | (cgroup ? PERF_FLAG_PID_CGROUP : 0));
}

static bool opens_alone(const struct wt_counter_event *event, const struct wt_counter_target *target)
{
	int fd = open_one(event, -1, target);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* ---- refusals of perf_event_open ---- */

static int fail_permission(const char *name, const struct wt_counter_target *target, struct wt_err *err)
{
	int paranoid = (int)wt_text_number(PARANOID, 2);

	if (!geteuid())
		return wt_fail(err, WT_ERR_PERMISSION,
			       "event '%s' is not permitted even as root: a container or sandbox forbids "
			       "perf_event_open; give it CAP_PERFMON or run outside",
			       name);
	if (target->tid < 0)
		return wt_fail(err, WT_ERR_PERMISSION,
			       "counting '%s' on whole CPUs is not permitted: kernel.perf_event_paranoid is "
			       "%d; run as root, or sysctl kernel.perf_event_paranoid=0, or count a program "
			       "of yours (-- COMMAND, --pid PID)",
			       name, paranoid);
	return wt_fail(err, WT_ERR_PERMISSION,
		       "counting '%s' is not permitted: kernel.perf_event_paranoid is %d, or the process is "
		       "another user's; run as root, or, for your own processes, sysctl "
		       "kernel.perf_event_paranoid=1",
		       name, paranoid);
}

static int fail_files(struct wt_err *err)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	return wt_fail(err, WT_ERR_LIMIT,
		       "out of file descriptors, the limit is %llu: each event needs one for each CPU or "
		       "thread; raise it (ulimit -n), or count fewer events, CPUs or threads",
		       (unsigned long long)limit.rlim_max);
}

static const char *watchdog_hint(void)
{
	return wt_text_number(WATCHDOG, 0) > 0
		       ? "; the NMI watchdog holds one counter: sysctl kernel.nmi_watchdog=0"
		       : "";
}

/* Software events and tracepoints can be grouped with events of any PMU. */
static bool goes_with_all(const struct wt_perf_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE || spec->type == PERF_TYPE_TRACEPOINT;
}

static bool is_generic(const struct wt_perf_spec *spec)
{
	return spec->type == PERF_TYPE_HARDWARE || spec->type == PERF_TYPE_HW_CACHE ||
	       spec->type == PERF_TYPE_RAW;
}

static const struct wt_perf_spec *other_pmu(const struct wt_counter_event *events, size_t n)
{
	const struct wt_perf_spec *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct wt_perf_spec *spec = events[i].spec;

		if (goes_with_all(spec))
			continue;
		if (first && first->type != spec->type && !(is_generic(first) && is_generic(spec)))
			return spec;
		first = first ? first : spec;
	}
	return NULL;
}

/* The kernel refused the group with events[at], but accepts that event alone. */
static int fail_group(const struct wt_counter_event *events, size_t n, size_t at, struct wt_err *err)
{
	const struct wt_perf_spec *other = other_pmu(events, n);
	size_t counters = 0;

	if (other)
		return wt_fail(err, WT_ERR_USAGE,
			       "group of '%s' and %zu more: '%s' belongs to another PMU, and a group has one "
			       "PMU; write it outside the braces",
			       events[0].spec->name, n - 1, other->name);
	for (size_t i = 0; i < at; i++)
		counters += !goes_with_all(events[i].spec);
	return wt_fail(
		err, WT_ERR_LIMIT,
		"group of %zu, this PMU has %zu counters: '%s' does not fit with the events before it; "
		"write fewer events between the braces, or none%s",
		n, counters, events[at].spec->name, watchdog_hint());
}

static int fail_unsupported(const struct wt_perf_spec *spec, struct wt_err *err)
{
	if (wt_counter_is_hardware(spec))
		return wt_fail(
			err, WT_ERR_UNSUPPORTED,
			"nothing here counts '%s': there is no PMU, as in most virtual machines, or it "
			"does not have the event; software events count everywhere (task-clock, "
			"page-faults, context-switches)",
			spec->name);
	return wt_fail(err, WT_ERR_UNSUPPORTED, "event '%s': this kernel or PMU does not count it",
		       spec->name);
}

static int fail_open(const struct wt_counter_event *events, size_t n, size_t at,
		     const struct wt_counter_target *target, struct wt_err *err)
{
	const struct wt_perf_spec *spec = events[at].spec;
	int e = errno;

	if (target->cgroup_fd >= 0 && (e == EBADF || e == ENOENT))
		return wt_fail(
			err, WT_ERR_UNSUPPORTED,
			"event '%s': the controller perf_event is not there for this control group: name "
			"one below that controller's hierarchy, or below the unified one (cgroup2)",
			spec->name);
	switch (e) {
	case EPERM:
	case EACCES:
		return fail_permission(spec->name, target, err);
	case EMFILE:
	case ENFILE:
		return fail_files(err);
	case ESRCH:
		return wt_fail(err, WT_ERR_NOTFOUND, "there is no thread %d", target->tid);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return fail_unsupported(spec, err);
	case ENOSYS:
		return wt_fail(
			err, WT_ERR_UNSUPPORTED,
			"this kernel has no perf_event_open (CONFIG_PERF_EVENTS), or a sandbox hides it");
	case EBUSY:
	case ENOSPC:
		return wt_fail(err, WT_ERR_LIMIT, "event '%s': all counters are taken; end other profilers%s",
			       spec->name, watchdog_hint());
	case EINVAL:
		if (spec->shared && target->cpu < 0)
			return wt_fail(err, WT_ERR_USAGE,
				       "event '%s' belongs to a PMU outside the cores and cannot be counted "
				       "for a process: count CPUs (-a, or -c LIST)",
				       spec->name);
		if (n > 1 && opens_alone(&events[at], target))
			return fail_group(events, n, at, err);
		return wt_fail(
			err, WT_ERR_UNSUPPORTED,
			"event '%s': the kernel refuses it (a term the PMU does not have, or a mode it "
			"cannot leave out)",
			spec->name);
	default:
		errno = e;
		return wt_fail_errno(err, "cannot count '%s'", spec->name);
	}
}

int wt_counter_open(const struct wt_counter_event *events, size_t n, const struct wt_counter_target *target,
		    struct wt_counter **ret, struct wt_err *err)
{
	struct wt_counter *counter = malloc(sizeof(*counter) + n * sizeof(counter->fds[0]));

	if (!counter)
		return wt_fail_nomem(err);
	counter->together = !target->inherit;
	for (counter->n = 0; counter->n < n; counter->n++) {
		int fd = open_one(&events[counter->n], counter->n ? counter->fds[0] : -1, target);

		if (fd < 0) {
			fail_open(events, n, counter->n, target, err);
			wt_counter_close(counter);
			return -1;
		}
		counter->fds[counter->n] = fd;
	}
	*ret = counter;
	return 0;
}

void wt_counter_close(struct wt_counter *counter)
{
	/* The leader is closed last, because the members of a group without its leader count separately. */
	while (counter && counter->n)
		close(counter->fds[--counter->n]);
	free(counter);
}

/* ---- use ---- */

static int tell(const struct wt_counter *counter, unsigned long what, struct wt_err *err)
{
	if (ioctl(counter->fds[0], what, PERF_IOC_FLAG_GROUP) < 0)
		return wt_fail_errno(err, "cannot start or stop a counter");
	return 0;
}

int wt_counter_enable(const struct wt_counter *counter, struct wt_err *err)
{
	return tell(counter, PERF_EVENT_IOC_ENABLE, err);
}

int wt_counter_disable(const struct wt_counter *counter, struct wt_err *err)
{
	return tell(counter, PERF_EVENT_IOC_DISABLE, err);
}

enum { GROUP_HEAD = 3 };

/* Returns how many words were read, at most n; -1. */
static int read_some(int fd, uint64_t *words, size_t n, struct wt_err *err)
{
	ssize_t got;

	do
		got = read(fd, words, n * sizeof(*words));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return wt_fail_errno(err, "cannot read a counter");
	return (int)((size_t)got / sizeof(*words));
}

static int read_all(int fd, uint64_t *words, size_t n, struct wt_err *err)
{
	int got = read_some(fd, words, n, err);

	if (got >= 0 && (size_t)got != n)
		return wt_fail(err, WT_ERR_SYSTEM, "a counter that is pinned has lost its place in the PMU");
	return got < 0 ? -1 : 0;
}

/* When a CPU goes offline, the kernel splits its groups: each member becomes a group of its own. */
static int read_apart(const struct wt_counter *counter, struct wt_count *ret, struct wt_err *err)
{
	uint64_t words[GROUP_HEAD + 1];

	for (size_t i = 0; i < counter->n; i++) {
		if (read_all(counter->fds[i], words, GROUP_HEAD + 1, err))
			return -1;
		ret[i] = (struct wt_count){words[GROUP_HEAD], words[1], words[2]};
	}
	return 0;
}

/* {n, enabled, running, value...} */
static int read_group(const struct wt_counter *counter, struct wt_count *ret, struct wt_err *err)
{
	uint64_t few[GROUP_HEAD + 16], *words = few;
	size_t n = GROUP_HEAD + counter->n;
	int got;

	if (n > sizeof(few) / sizeof(few[0]) && !(words = malloc(n * sizeof(*words))))
		return wt_fail_nomem(err);
	got = read_some(counter->fds[0], words, n, err);
	for (size_t i = 0; got == (int)n && i < counter->n; i++)
		ret[i] = (struct wt_count){words[GROUP_HEAD + i], words[1], words[2]};
	if (words != few)
		free(words);
	return got < 0 ? -1 : got == (int)n ? 0 : read_apart(counter, ret, err);
}

int wt_counter_read(const struct wt_counter *counter, struct wt_count *ret, struct wt_err *err)
{
	uint64_t words[3];

	if (counter->together)
		return read_group(counter, ret, err);
	for (size_t i = 0; i < counter->n; i++) {
		if (read_all(counter->fds[i], words, 3, err))
			return -1;
		ret[i] = (struct wt_count){words[0], words[1], words[2]};
	}
	return 0;
}

/* ---- properties of events and PMUs ---- */

bool wt_counter_is_hardware(const struct wt_perf_spec *spec)
{
	if (is_generic(spec))
		return true;
	/* The PMU of one core type has a list of its CPUs; "cpu" is the PMU of all cores. */
	return !goes_with_all(spec) && !spec->shared &&
	       (wt_cpuset_count(&spec->cpus) || !strncmp(spec->name, "cpu/", 4) ||
		!strncmp(spec->name, "armv8_pmuv3", 11));
}

bool wt_counter_is_of_user(const struct wt_perf_spec *spec)
{
	if (spec->type == PERF_TYPE_TRACEPOINT)
		return false;
	return spec->type != PERF_TYPE_SOFTWARE || (spec->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
						    spec->config != PERF_COUNT_SW_CPU_MIGRATIONS);
}

void wt_counter_tracepoint(uint16_t id, const char *name, struct wt_perf_spec *ret)
{
	*ret = (struct wt_perf_spec){.type = PERF_TYPE_TRACEPOINT, .config = id};
	snprintf(ret->name, sizeof(ret->name), "%s", name);
}

/* Reads one attribute of each PMU in sysfs, until fn returns that this is enough. */
static void each_pmu(const char *devices, const char *attribute,
		     bool (*fn)(void *ctx, const char *pmu, const char *path), void *ctx)
{
	const char *directory = devices ? devices : DEVICES;
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s/%s", directory, entry->d_name, attribute) <
			    (int)sizeof(path) &&
		    fn(ctx, entry->d_name, path))
			break;
	if (dir)
		closedir(dir);
}

struct turn {
	const char *devices;
	int64_t type, ms;
};

static bool turn_of(void *ctx, const char *pmu, const char *path)
{
	struct turn *turn = ctx;
	char interval[PATH_MAX];

	if (wt_text_number(path, -1) != turn->type)
		return false;
	if (snprintf(interval, sizeof(interval), "%s/%s/perf_event_mux_interval_ms", turn->devices, pmu) <
	    (int)sizeof(interval))
		turn->ms = wt_text_number(interval, -1);
	return true;
}

uint64_t wt_counter_turn(const char *devices, uint32_t type)
{
	struct turn turn = {.devices = devices ? devices : DEVICES, .type = type, .ms = -1};

	/* Generic events belong to the core, whose PMU has the type of raw events or one of its own. */
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		turn.type = PERF_TYPE_RAW;
	each_pmu(devices, "type", turn_of, &turn);
	return (uint64_t)(turn.ms > 0 ? turn.ms : USUAL_TURN_MS) * 1000000;
}

struct core_pmu {
	uint32_t cpu;
	bool found;
	char name[64];
	struct wt_cpuset cpus;
};

static bool has_cpu(void *ctx, const char *pmu, const char *path)
{
	struct core_pmu *core = ctx;
	struct wt_cpuset cpus;

	if (wt_cpuset_read(path, &cpus) || !wt_cpuset_has(&cpus, core->cpu))
		return false;
	core->found = true;
	core->cpus = cpus;
	snprintf(core->name, sizeof(core->name), "%s", pmu);
	return true;
}

int64_t wt_counter_core_pmu(const char *devices, uint32_t cpu, char *name, size_t size,
			    struct wt_cpuset *cpus)
{
	struct core_pmu core = {.cpu = cpu};
	char path[PATH_MAX];

	each_pmu(devices, "cpus", has_cpu, &core);
	if (!core.found || snprintf(path, sizeof(path), "%s/%s/type", devices ? devices : DEVICES,
				    core.name) >= (int)sizeof(path))
		return -1;
	snprintf(name, size, "%s", core.name);
	*cpus = core.cpus;
	return wt_text_number(path, -1);
}

struct pmu_search {
	const char *name;
	bool numbered;
	size_t n;
	void (*fn)(void *ctx, const char *pmu);
	void *ctx;
};

/* Decimal of any length; hexadecimal as in the names of DMC-620 (the address of its channel), from 3 digits
 * on. */
static bool is_number(const char *text)
{
	size_t hex = strspn(text, "0123456789abcdef");

	return text[0] && !text[hex] && (hex > 2 || !text[strspn(text, "0123456789")]);
}

static bool match_pmu(void *ctx, const char *pmu, const char *path)
{
	struct pmu_search *search = ctx;
	size_t len = strlen(search->name);

	(void)path;
	if (strncmp(pmu, search->name, len) != 0)
		return false;
	if (search->numbered ? pmu[len] == '_' && is_number(pmu + len + 1) : !pmu[len]) {
		search->fn(search->ctx, pmu);
		search->n++;
	}
	return false;
}

void wt_counter_pmus(const char *devices, const char *name, void (*fn)(void *ctx, const char *pmu), void *ctx)
{
	struct pmu_search search = {.name = name, .fn = fn, .ctx = ctx};

	each_pmu(devices, "type", match_pmu, &search);
	search.numbered = true;
	if (!search.n)
		each_pmu(devices, "type", match_pmu, &search);
}

int wt_counter_online(const char *path, struct wt_cpuset *ret, struct wt_err *err)
{
	const char *online = path ? path : "/sys/devices/system/cpu/online";

	if (wt_cpuset_read(online, ret) || !wt_cpuset_count(ret))
		return wt_fail_errno(err, "cannot read the list of CPUs from %s", online);
	return 0;
}

void wt_counter_raise_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
