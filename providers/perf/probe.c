// SPDX-License-Identifier: MIT
/* Finds the abilities of this kernel and this user by trying, and advice for a refusal. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SYSCTL(name) "/proc/sys/kernel/" name

enum { PARANOID_DEFAULT = 2, MAX_STACK_DEFAULT = 127 };

int wt_perf_sys_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

void wt_perf_attr_init(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_type = WT_PERF_SAMPLE_TYPE,
		.read_format = PERF_FORMAT_ID | (perf->caps.format_lost ? PERF_FORMAT_LOST : 0),
		.disabled = 1,
		.inherit = perf->n_pids > 0,
		.enable_on_exec = perf->child,
		.exclude_kernel = !perf->caps.kernel,
		.exclude_hv = !perf->caps.kernel,
		.exclude_guest = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
	};
}

static void init_dummy(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	wt_perf_attr_init(perf, attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->mmap = !perf->no_images;
	attr->mmap2 = !perf->no_images;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->build_id = perf->caps.build_id && !perf->no_images;
	attr->ksymbol = perf->caps.ksymbol && perf->caps.kernel && !perf->no_images;
}

/* Without build ids, so that mappings come with device and inode. */
static void init_inodes(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	wt_perf_attr_init(perf, attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
}

/* The kernel writes forks and exits there, too. */
static void init_names(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	wt_perf_attr_init(perf, attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
}

/* The kernel reports memory that is not executable to events with mmap_data, also when mprotect changes it.
 * The format with the rights (mmap2) reports executable memory too. */
static void init_writes(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	init_inodes(perf, attr);
	attr->mmap_data = 1;
}

static bool opens(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = wt_perf_sys_open(attr, pid, cpu, -1);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool dummy_opens(struct wt_perf *perf, pid_t pid, int cpu)
{
	init_dummy(perf, &perf->dummy);
	return opens(&perf->dummy, pid, cpu);
}

/* Drops features that the kernel lacks, newest first. */
static bool find_features(struct wt_perf *perf)
{
	bool *const newest_first[] = {&perf->caps.format_lost, &perf->caps.build_id, &perf->caps.ksymbol};
	const struct wt_perf_caps all = perf->caps;

	for (size_t i = 0; i < 3; i++) {
		if (dummy_opens(perf, 0, -1))
			return true;
		if (errno != EINVAL)
			break;
		*newest_first[i] = false;
	}
	if (dummy_opens(perf, 0, -1))
		return true;
	perf->caps = all;
	return false;
}

static void note_features(struct wt_perf *perf)
{
	if (!perf->caps.format_lost)
		wt_perf_say(perf, true,
			    "this kernel does not count lost events per event (Linux 6.0 does): losses are "
			    "known only as the ring reports them");
	if (!perf->caps.build_id)
		wt_perf_say(perf, false,
			    "this kernel does not record build ids (Linux 5.12 does): replaced files may "
			    "go unnoticed");
	if (!perf->caps.kernel)
		wt_perf_say(perf, true,
			    "user only: kernel.perf_event_paranoid is %d, the kernel's part of the time "
			    "and of stacks is not seen (root, or sysctl kernel.perf_event_paranoid=1)",
			    perf->caps.paranoid);
}

static int first_cpu(const struct wt_cpuset *set)
{
	for (uint32_t cpu = 0; cpu < WT_PERF_MAX_CPUS; cpu++)
		if (wt_cpuset_has(set, cpu))
			return (int)cpu;
	return -1;
}

int wt_perf_probe(struct wt_perf *perf, struct wt_err *err)
{
	struct wt_perf_caps *caps = &perf->caps;
	bool dummy = true;

	perf->max_stack = (unsigned)wt_text_number(SYSCTL("perf_event_max_stack"), MAX_STACK_DEFAULT);
	*caps = (struct wt_perf_caps){.format_lost = true, .build_id = true, .ksymbol = true};
	caps->paranoid = (int)wt_text_number(SYSCTL("perf_event_paranoid"), PARANOID_DEFAULT);
	if (!find_features(perf))
		return wt_perf_fail_open(perf, "tracing", err);
	caps->kernel = true;
	if (!dummy_opens(perf, 0, -1) && errno == EINVAL) {
		caps->ksymbol = false;
		dummy = dummy_opens(perf, 0, -1);
	}
	caps->kernel = dummy && dummy_opens(perf, 0, -1);
	caps->whole_system = dummy_opens(perf, -1, first_cpu(&perf->online));
	if (!caps->whole_system && !perf->n_pids)
		return wt_perf_fail_open(perf, "tracing the whole machine", err);
	init_dummy(perf, &perf->dummy);
	init_inodes(perf, &perf->inodes);
	init_names(perf, &perf->names);
	init_writes(perf, &perf->writes);
	note_features(perf);
	return 0;
}

bool wt_perf_probe_event(const struct wt_perf *perf, const struct perf_event_attr *attr,
			 const struct wt_cpuset *cpus)
{
	int cpu = first_cpu(cpus);

	if (perf->caps.whole_system && !perf->n_pids)
		return opens(attr, -1, cpu >= 0 ? cpu : first_cpu(&perf->online));
	return opens(attr, 0, cpu);
}

static int fail_permission(const struct wt_perf *perf, const char *what, struct wt_err *err)
{
	int paranoid = perf->caps.paranoid;

	if (!geteuid())
		return wt_fail(err, WT_ERR_PERMISSION,
			       "%s is not permitted even as root: a container or sandbox forbids "
			       "perf_event_open; give it CAP_PERFMON or run outside",
			       what);
	if (paranoid >= 3)
		return wt_fail(err, WT_ERR_PERMISSION,
			       "%s is not permitted: kernel.perf_event_paranoid is %d, which refuses "
			       "everybody but root; run as root, or sysctl kernel.perf_event_paranoid=2 to "
			       "trace your own programs",
			       what, paranoid);
	if (!perf->n_pids)
		return wt_fail(err, WT_ERR_PERMISSION,
			       "%s is not permitted: kernel.perf_event_paranoid is %d; run as root, or "
			       "sysctl kernel.perf_event_paranoid=0, or trace only your own program (record "
			       "-- CMD)",
			       what, paranoid);
	return wt_fail(err, WT_ERR_PERMISSION,
		       "%s is not permitted: kernel.perf_event_paranoid is %d, or the process belongs to "
		       "another user; run as root, or sysctl kernel.perf_event_paranoid=-1",
		       what, paranoid);
}

static int fail_files(const char *what, int e, struct wt_err *err)
{
	struct rlimit limit = {0};

	if (e == ENFILE)
		return wt_fail(err, WT_ERR_LIMIT,
			       "%s: the machine is out of file descriptors; raise sysctl fs.file-max", what);
	getrlimit(RLIMIT_NOFILE, &limit);
	return wt_fail(err, WT_ERR_LIMIT,
		       "%s: out of file descriptors, the limit is %llu; raise it (ulimit -n, "
		       "LimitNOFILE=), or trace fewer events or CPUs",
		       what, (unsigned long long)limit.rlim_max);
}

int wt_perf_fail_open(const struct wt_perf *perf, const char *what, struct wt_err *err)
{
	int e = errno;

	switch (e) {
	case EPERM:
	case EACCES:
		return fail_permission(perf, what, err);
	case EMFILE:
	case ENFILE:
		return fail_files(what, e, err);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "%s: nothing here counts or samples it (no PMU, as in most virtual machines, "
			       "or an event it does not have); cpu-clock works everywhere",
			       what);
	case ENOSYS:
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "%s: this kernel has no perf_event_open (CONFIG_PERF_EVENTS), or a sandbox "
			       "hides it",
			       what);
	case EBUSY:
	case ENOSPC:
		return wt_fail(err, WT_ERR_LIMIT,
			       "%s: all counters are taken; end other profilers, or free the one of the "
			       "watchdog with sysctl kernel.nmi_watchdog=0",
			       what);
	case EINVAL:
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "%s: the kernel refuses these settings (a term, a period, or sampling is not "
			       "supported by this PMU)",
			       what);
	default:
		return wt_fail_errno(err, "cannot open %s", what);
	}
}
