// SPDX-License-Identifier: MIT
#include "consumers/stat/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "consumers/counting/cpu_list.h"
#include "consumers/counting/length.h"
#include "consumers/counting/metric_sets.h"
#include "consumers/counting/own.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

#define USUAL_GAP (60 * WT_NSEC)

/* ---- numbers and lengths ---- */

static int read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *ret,
		       struct wt_err *err)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (!text[0] || text[strspn(text, "0123456789")] || errno || *ret < least || *ret > most)
		return wt_fail(err, WT_ERR_USAGE, "%s '%.80s' is not a whole number from %llu to %llu",
			       option, text, (unsigned long long)least, (unsigned long long)most);
	return 0;
}

static int read_length(const char *option, const char *text, uint64_t *ret, struct wt_err *err)
{
	if (wt_length_parse(text, ret))
		return 0;
	return wt_fail(
		err, WT_ERR_USAGE,
		"%s '%.80s' is not a length of time: a number with at most two decimals, then ms, s, m, h or "
		"d (seconds without)",
		option, text);
}

static int read_times(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	uint64_t number = 0;

	plan->timeline = args->timeline || args->every;
	plan->perf_lines = args->every;
	plan->length = plan->timeline ? WT_NSEC : UINT64_MAX;
	plan->gap = args->every ? 0 : USUAL_GAP;
	plan->repeat = 1;
	if (args->timeout && read_length("--timeout", args->timeout, &plan->length, err))
		return -1;
	if (!plan->timeline && (args->interval || args->count))
		return wt_fail(err, WT_ERR_USAGE, "%s belongs to a timeline: it needs -t; perf's %s",
			       args->interval ? "--interval" : "--count",
			       args->interval ? "-i is --tid TID" : "-n is -e task-clock");
	if (args->every && (args->interval || args->timeline))
		return wt_fail(err, WT_ERR_USAGE,
			       "-I prints counts without gaps; %s belongs to the other timeline (-t -i)",
			       args->timeline ? "-t" : "--interval");
	if (args->interval && read_length("--interval", args->interval, &plan->gap, err))
		return -1;
	if (args->count && read_number("--count", args->count, 0, UINT32_MAX, &plan->n_counts, err))
		return -1;
	if (args->every && read_number("-I", args->every, 1, 86400000, &number, err))
		return -1;
	if (args->every)
		plan->length = number * 1000000;
	if (plan->timeline && !plan->length)
		return wt_fail(err, WT_ERR_USAGE, "--timeout 0: a count of a timeline needs a length");
	if (args->repeat && read_number("--repeat", args->repeat, 1, 100000, &number, err))
		return -1;
	if (args->repeat)
		plan->repeat = (unsigned)number;
	return 0;
}

/* With -I the timeout ends the whole run. */
static int read_end(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	uint64_t whole;

	if (!args->every || !args->timeout)
		return 0;
	if (read_length("--timeout", args->timeout, &whole, err))
		return -1;
	plan->ends = true;
	plan->n_counts = (whole + plan->length - 1) / plan->length;
	return plan->n_counts ? 0 : wt_fail(err, WT_ERR_USAGE, "--timeout 0 leaves no time to count");
}

/* ---- who ---- */

static int read_ids(const char *option, const char *list, int **ret, size_t *n, struct wt_err *err)
{
	char *copy = strdup(list), *rest = copy, *word;
	int rc = copy ? 0 : wt_fail_nomem(err);

	while (!rc && (word = strsep(&rest, ","))) {
		uint64_t id;

		rc = read_number(option, word, 1, INT_MAX, &id, err);
		if (!rc)
			rc = wt_grow_one(ret, *n, err);
		for (size_t i = 0; !rc && i < *n; i++)
			if ((*ret)[i] == (int)id)
				rc = wt_fail(err, WT_ERR_USAGE, "%s names %d twice", option, (int)id);
		if (!rc)
			(*ret)[(*n)++] = (int)id;
	}
	free(copy);
	return rc;
}

static bool is_control_group(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC);
}

/* The directory of the control group: as given, or below the mount point of control groups; '/' is their
 * root. */
static int open_cgroup(const char *name, struct wt_err *err)
{
	static const char *const roots[] = {"", "/sys/fs/cgroup/perf_event/", "/sys/fs/cgroup/unified/",
					    "/sys/fs/cgroup/"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		int fd;

		if (snprintf(path, sizeof(path), "%s%s", roots[i], name) >= (int)sizeof(path))
			continue;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && is_control_group(fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return wt_fail(err, WT_ERR_NOTFOUND, "there is no control group '%.200s', nor below /sys/fs/cgroup",
		       name);
}

/* Only one kind of target is allowed; a command beside CPUs only says how long to count. */
static int check_targets(const struct wt_stat_args *args, char **command, struct wt_err *err)
{
	const char *cpus = args->cpus ? "--cpu" : args->all ? "--all-cpus" : args->cgroup ? "--cgroup" : NULL;
	const char *tasks = args->pids ? "--pid" : args->tids ? "--tid" : NULL;

	if (args->cpus && args->all)
		return wt_fail(err, WT_ERR_USAGE, "--cpu or --all-cpus, not both");
	if (args->pids && args->tids)
		return wt_fail(err, WT_ERR_USAGE, "--pid or --tid, not both");
	if (cpus && tasks)
		return wt_fail(err, WT_ERR_USAGE, "%s and %s: whole CPUs are counted or tasks, not both",
			       cpus, tasks);
	if (tasks && command)
		return wt_fail(err, WT_ERR_USAGE, "%s and a command: only one of them can be counted", tasks);
	return 0;
}

static int read_targets(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	struct wt_counting_aim *aim = &plan->aim;

	aim->cgroup_fd = -1;
	aim->kernel = args->kernel;
	plan->cgroup = args->cgroup;
	if (check_targets(args, plan->command, err))
		return -1;
	if (args->pids && read_ids("--pid", args->pids, &plan->pids, &aim->n_pids, err))
		return -1;
	if (args->tids && read_ids("--tid", args->tids, &plan->tids, &aim->n_tids, err))
		return -1;
	aim->pids = plan->pids;
	aim->tids = plan->tids;
	if (args->cgroup && (aim->cgroup_fd = open_cgroup(args->cgroup, err)) < 0)
		return -1;
	if (args->cpus)
		return wt_cpu_list_parse(args->cpus, &plan->cores.online, &aim->cpus, err);
	if (args->slept && !args->all && !args->cgroup && !args->pids && !args->tids && !args->cpus &&
	    !plan->command)
		wt_note("'sleep %s' is the length of the count, of all CPUs; the program sleep is: -- sleep "
			"%s",
			args->timeout, args->timeout);
	plan->whole = args->all || args->cgroup || (!plan->command && !args->pids && !args->tids);
	if (plan->whole)
		aim->cpus = plan->cores.online;
	return 0;
}

static bool counts_cpus(const struct wt_stat_plan *plan)
{
	return wt_cpuset_count(&plan->aim.cpus) > 0;
}

static enum wt_count_by usual_key(const struct wt_stat_args *args, const struct wt_stat_plan *plan)
{
	if (args->all || args->cgroup)
		return WT_BY_TOTAL;
	if (counts_cpus(plan))
		return WT_BY_CPU;
	if (plan->aim.n_tids > 1)
		return WT_BY_THREAD;
	return plan->aim.n_pids > 1 ? WT_BY_PROCESS : WT_BY_TOTAL;
}

static int read_key(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	static const char *const names[] = {"total", "cpu", "type", "process", "thread"};
	int key;

	plan->by = usual_key(args, plan);
	if (!args->by)
		return 0;
	key = wt_one_of(err, "key of --by", args->by, names, 5);
	if (key < 0)
		return -1;
	plan->by = (enum wt_count_by)key;
	if ((plan->by == WT_BY_CPU || plan->by == WT_BY_TYPE) && !counts_cpus(plan))
		return wt_fail(err, WT_ERR_USAGE,
			       "--by %s: tasks are counted wherever they run; CPUs are with -a or -c",
			       args->by);
	if (plan->by >= WT_BY_PROCESS && (counts_cpus(plan) || plan->command))
		return wt_fail(
			err, WT_ERR_USAGE,
			"--by %s is for --pid and --tid; of a COMMAND, or of CPUs, a log has the counts of "
			"each %s: wtrace record -p counters:page-faults+task-clock -o FILE -- COMMAND; "
			"wtrace view FILE -e counters/switch --group-by %s --columns "
			"sum:page_faults,sum:task_clock",
			args->by, args->by, args->by);
	return 0;
}

/* ---- what ---- */

/* The default events of perf; the time of a CPU comes from its clock. */
static int add_usual(struct wt_stat_plan *plan, const char *names, struct wt_err *err)
{
	size_t first = plan->list.n;

	if (wt_count_list_add(&plan->list, names, &plan->cores, NULL, err))
		return -1;
	for (size_t i = first; i < plan->list.n; i++)
		plan->list.events[i].optional = true;
	return 0;
}

static int add_defaults(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	if (!args->events.len && !args->metrics.len) {
		plan->defaults = true;
		if (add_usual(plan, counts_cpus(plan) ? "cpu-clock" : "task-clock", err) ||
		    add_usual(plan, "context-switches,cpu-migrations,page-faults", err) ||
		    add_usual(plan, "cycles,instructions,branches,branch-misses", err))
			return -1;
	}
	return args->detailed
		       ? add_usual(plan, "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
				   err)
		       : 0;
}

static int add_own(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	if (args->metrics.len && wt_metric_sets_add(plan->cores.models, err))
		return -1;
	return wt_own_add(plan->cores.models, args->own, args->own_events, err);
}

/* wperf's sets also count the cycles, which have a counter of their own in most PMUs. */
static int add_cycle(struct wt_stat_plan *plan, struct wt_err *err)
{
	for (size_t i = 0; i < plan->list.n; i++)
		if (wt_count_event_is_cycles(&plan->list.events[i]))
			return 0;
	return add_usual(plan, "cycle", err);
}

static int read_events(struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	if (args->events.len &&
	    wt_count_list_add(&plan->list, wt_buf_cstr(&args->events), &plan->cores, NULL, err))
		return -1;
	if (args->metrics.len && wt_metric_sets_named(wt_buf_cstr(&args->metrics)) && add_cycle(plan, err))
		return -1;
	if (args->metrics.len &&
	    wt_metric_list_add(&plan->metrics, wt_buf_cstr(&args->metrics), &plan->cores, &plan->list, err))
		return -1;
	return add_defaults(args, plan, err);
}

/* ---- how it is shown ---- */

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len >= n && !strcmp(name + len - n, end);
}

static int read_form(const struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	bool named_json = args->output && ends_in(args->output, ".json") && !args->separator;

	plan->form = args->separator ? WT_STAT_LINES : args->json || named_json ? WT_STAT_JSON : WT_STAT_TEXT;
	if (args->separator && args->json)
		return wt_fail(err, WT_ERR_USAGE, "--json or --field-separator, not both");
	if (args->separator && !args->separator[0])
		return wt_fail(err, WT_ERR_USAGE, "-x needs a separator: it is empty");
	if (args->separator && plan->timeline && !plan->perf_lines)
		return wt_fail(err, WT_ERR_USAGE,
			       "-x with -t: the timeline's CSV has commas; lines with a separator "
			       "of yours: -I MS -x SEP");
	if ((args->csv || args->with_time) && (!plan->timeline || plan->perf_lines))
		return wt_fail(err, WT_ERR_USAGE, "%s belongs to a timeline: it needs -t",
			       args->csv ? "--output-csv" : "--csv-time");
	if (plan->repeat > 1 && !plan->command)
		return wt_fail(err, WT_ERR_USAGE,
			       "--repeat runs a command again: wtrace stat -r N -- COMMAND");
	if (plan->repeat > 1 && plan->timeline)
		return wt_fail(err, WT_ERR_USAGE,
			       "--repeat or a timeline (-t or -I), not both; a thread is --tid TID");
	return 0;
}

static int make(struct wt_stat_args *args, struct wt_stat_plan *plan, struct wt_err *err)
{
	if (read_times(args, plan, err) || read_end(args, plan, err) || read_form(args, plan, err))
		return -1;
	if (wt_cores_init(&plan->cores, args->telemetry, err) || add_own(args, plan, err) ||
	    wt_cores_find(&plan->cores, err))
		return -1;
	return read_targets(args, plan, err) || read_key(args, plan, err) || read_events(args, plan, err) ? -1
													  : 0;
}

int wt_stat_plan_make(struct wt_stat_args *args, char **command, struct wt_stat_plan *ret, struct wt_err *err)
{
	*ret = (struct wt_stat_plan){.command = command, .aim.cgroup_fd = -1};
	return make(args, ret, err);
}

void wt_stat_plan_deinit(struct wt_stat_plan *plan)
{
	wt_metric_list_deinit(&plan->metrics);
	wt_count_list_deinit(&plan->list);
	wt_cores_deinit(&plan->cores);
	if (plan->aim.cgroup_fd >= 0)
		close(plan->aim.cgroup_fd);
	free(plan->pids);
	free(plan->tids);
}
