// SPDX-License-Identifier: MIT
#include "consumers/inventory/devices.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/doctor/facts.h"
#include "providers/perf/textfile.h"

#define DEVICES "/sys/bus/event_source/devices"

static void put_row(struct wt_table *table, bool more, const char *device, const char *what, const char *why)
{
	wt_table_cell(table, "%s", device);
	wt_table_cell(table, "%s", what);
	if (more)
		wt_table_cell(table, "%s%s", *why ? "no: " : "yes", why);
}

static int read_of(const char *pmu, const char *name, char *ret, size_t size)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", pmu, name) >= (int)sizeof(path))
		return -1;
	return wt_text_read(path, ret, size);
}

static size_t count_in(const char *pmu, const char *name)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%s", pmu, name) >= (int)sizeof(path) || !(dir = opendir(path)))
		return 0;
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
	closedir(dir);
	return n;
}

/* "type 4, CPUs 0-3, 12 events" */
static void describe(const char *pmu, char *ret, size_t size)
{
	char type[32], cpus[200];
	size_t events = count_in(pmu, "events");
	int at = snprintf(ret, size, "type %s", read_of(pmu, "type", type, sizeof(type)) < 0 ? "?" : type);

	if (read_of(pmu, "cpus", cpus, sizeof(cpus)) > 0)
		at += snprintf(ret + at, size - (size_t)at, ", CPUs %s", cpus);
	else if (read_of(pmu, "cpumask", cpus, sizeof(cpus)) > 0)
		at += snprintf(ret + at, size - (size_t)at, ", counted by CPU %s", cpus);
	if (events)
		snprintf(ret + at, size - (size_t)at, ", %zu events", events);
}

static const char *refusal(const struct wt_facts *facts, bool whole)
{
	static char why[120];
	int e = whole ? facts->perf.machine : facts->perf.own_user;

	if (!e)
		return "";
	if (e == EPERM || e == EACCES)
		snprintf(why, sizeof(why), "not permitted, kernel.perf_event_paranoid is %lld",
			 (long long)facts->paranoid);
	else
		snprintf(why, sizeof(why), "%.100s", strerror(e));
	return why;
}

static void list_pmus(const char *root, bool more, const struct wt_facts *facts, struct wt_table *ret)
{
	char directory[PATH_MAX], path[PATH_MAX], what[400], mask[200];
	struct dirent **entries;
	int n;

	if (snprintf(directory, sizeof(directory), "%s" DEVICES, root) >= (int)sizeof(directory))
		return;
	n = scandir(directory, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		if (name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", directory, name) < (int)sizeof(path)) {
			bool shared = read_of(path, "cpumask", mask, sizeof(mask)) > 0;

			describe(path, what, sizeof(what));
			put_row(ret, more, path, what, refusal(facts, shared));
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void list_abilities(const struct wt_facts *facts, bool more, struct wt_table *ret)
{
	static const char *const places[] = {"not there", "needs rights", ""};

	put_row(ret, more, "perf_event_open", "counters and samples of one's own programs",
		refusal(facts, false));
	put_row(ret, more, "perf_event_open (CPUs)", "counters and samples of the whole machine",
		refusal(facts, true));
	put_row(ret, more, "/sys/kernel/tracing", "tracepoints of the kernel", places[facts->tracefs]);
	put_row(ret, more, "bpf", "filters in the kernel, deep stacks",
		facts->perf.no_bpf[0] ? facts->perf.no_bpf : "");
	put_row(ret, more, "wtrace.h", "events of programs, by shared memory", places[facts->runtime.state]);
}

int wt_devices_list(const char *root, bool more, struct wt_table *ret, struct wt_err *err)
{
	struct wt_facts *facts = malloc(sizeof(*facts));

	if (!facts)
		return wt_fail_nomem(err);
	wt_facts_read(root, facts);
	wt_facts_probe(facts);
	wt_table_column(ret, "Device Instance ID", false);
	wt_table_column(ret, "Hardware IDs", false);
	if (more)
		wt_table_column(ret, "Usable Here", false);
	list_pmus(root, more, facts, ret);
	list_abilities(facts, more, ret);
	free(facts);
	return 0;
}
