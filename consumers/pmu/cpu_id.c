// SPDX-License-Identifier: MIT
#include "consumers/pmu/cpu_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/small_file.h"
#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

#define CPUS_MAX    65536
#define CPUINFO_MAX (64u << 20)

static struct wt_cpu_id *nth(const struct wt_cpu_ids *ids, uint32_t cpu)
{
	size_t at = WT_BOUND(i, (size_t)0, ids->n, ids->list[i].cpu < cpu);

	return at < ids->n && ids->list[at].cpu == cpu ? &ids->list[at] : NULL;
}

const struct wt_cpu_id *wt_cpu_id_of(const struct wt_cpu_ids *ids, uint32_t cpu)
{
	return nth(ids, cpu);
}

void wt_cpu_ids_deinit(struct wt_cpu_ids *ids)
{
	free(ids->list);
	*ids = (struct wt_cpu_ids){0};
}

static int add(struct wt_cpu_ids *ids, uint32_t cpu, struct wt_err *err)
{
	if (wt_grow_one(&ids->list, ids->n, err))
		return -1;
	ids->list[ids->n++] = (struct wt_cpu_id){
		.cpu = cpu, .package = -1, .core = -1, .cluster = -1, .node = -1};
	return 0;
}

/* "0-3,8,10-11", rising. */
static int read_list(const char *text, struct wt_cpu_ids *ids, struct wt_err *err)
{
	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last >= CPUS_MAX || first > last || (ids->n && ids->list[ids->n - 1].cpu >= first))
			break;
		for (; first <= last; first++)
			if (add(ids, (uint32_t)first, err))
				return -1;
		text = *end == ',' ? end + 1 : end;
	}
	return 0;
}

/* The value behind "key   : ", when the line is of that key; else NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n))
		return NULL;
	n += strspn(line + n, " \t");
	if (line[n] != ':')
		return NULL;
	n++;
	return line + n + strspn(line + n, " \t");
}

struct paragraph {
	struct wt_cpu_id *cpu; /* NULL: of none that is known */
	uint32_t part, implementer, variant, revision;
};

static bool take_number(const char *line, const char *key, uint32_t *ret)
{
	const char *value = value_of(line, key);

	if (value)
		*ret = (uint32_t)strtoul(value, NULL, 0);
	return value;
}

static void take_line(struct paragraph *p, const char *line)
{
	const char *value;

	if (!p->cpu || take_number(line, "cpu family", &p->cpu->family) ||
	    take_number(line, "model", &p->cpu->model) || take_number(line, "stepping", &p->cpu->stepping) ||
	    take_number(line, "CPU implementer", &p->implementer) ||
	    take_number(line, "CPU variant", &p->variant) || take_number(line, "CPU part", &p->part) ||
	    take_number(line, "CPU revision", &p->revision))
		return;
	value = value_of(line, "vendor_id");
	if (value)
		snprintf(p->cpu->vendor, sizeof(p->cpu->vendor), "%s", value);
	value = value_of(line, "model name");
	if (value)
		snprintf(p->cpu->name, sizeof(p->cpu->name), "%s", value);
	value = value_of(line, "Features");
	if (value)
		p->cpu->sve2 = strstr(value, " sve2") != NULL;
}

/* Kernels without the registers in sysfs report them here. */
static void end_paragraph(struct paragraph *p)
{
	if (p->cpu && p->implementer && !p->cpu->midr)
		p->cpu->midr = (uint64_t)(p->implementer & 0xff) << 24 | (p->variant & 0xf) << 20 |
			       0xf << 16 | (p->part & 0xfff) << 4 | (p->revision & 0xf);
	*p = (struct paragraph){0};
}

/* A paragraph for each CPU. text is cut into lines. */
static int read_cpuinfo(char *text, struct wt_cpu_ids *ids, struct wt_err *err)
{
	bool listed = ids->n;
	struct paragraph p = {0};
	uint32_t cpu = 0;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!take_number(line, "processor", &cpu)) {
			take_line(&p, line);
			continue;
		}
		end_paragraph(&p);
		if (!listed && cpu < CPUS_MAX && (!ids->n || ids->list[ids->n - 1].cpu < cpu) &&
		    add(ids, cpu, err))
			return -1;
		p.cpu = nth(ids, cpu);
	}
	end_paragraph(&p);
	return 0;
}

static uint64_t read_number(const char *sys, uint32_t cpu, const char *name, uint64_t other)
{
	char path[512], text[64], *end;
	unsigned long long number;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/%s", sys, cpu, name);
	if (wt_small_read(path, text, sizeof(text)) <= 0)
		return other;
	number = strtoull(text, &end, 0);
	return end == text ? other : number;
}

static int32_t read_place(const char *sys, uint32_t cpu, const char *name)
{
	return (int32_t)read_number(sys, cpu, name, UINT32_MAX);
}

static void read_places(const char *sys, struct wt_cpu_id *cpu)
{
	uint64_t midr = read_number(sys, cpu->cpu, "regs/identification/midr_el1", 0);

	if (midr)
		cpu->midr = midr;
	cpu->package = read_place(sys, cpu->cpu, "topology/physical_package_id");
	cpu->core = read_place(sys, cpu->cpu, "topology/core_id");
	cpu->cluster = read_place(sys, cpu->cpu, "topology/cluster_id");
	cpu->max_khz = read_number(sys, cpu->cpu, "cpufreq/cpuinfo_max_freq", 0);
	if (cpu->cluster >= 65535) /* the value on x86 where there is none */
		cpu->cluster = -1;
}

/* /sys/devices/system/node/nodeN/cpulist. */
static int read_nodes(const char *sys, struct wt_cpu_ids *ids, struct wt_err *err)
{
	int misses = 0;

	for (int32_t node = 0; node < 1024 && misses < 64; node++) {
		struct wt_cpu_ids of_node = {0};
		char path[512], text[4096];

		snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%d/cpulist", sys, node);
		if (wt_small_read(path, text, sizeof(text)) < 0) {
			misses++;
			continue;
		}
		if (read_list(text, &of_node, err)) {
			wt_cpu_ids_deinit(&of_node);
			return -1;
		}
		for (size_t i = 0; i < of_node.n; i++) {
			struct wt_cpu_id *cpu = nth(ids, of_node.list[i].cpu);

			if (cpu)
				cpu->node = node;
		}
		wt_cpu_ids_deinit(&of_node);
	}
	return 0;
}

static int read_all(const char *sys, struct wt_cpu_ids *ids, struct wt_err *err)
{
	char path[512], present[4096], *cpuinfo = NULL;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/present", sys);
	if (wt_small_read(path, present, sizeof(present)) > 0)
		rc = read_list(present, ids, err);
	snprintf(path, sizeof(path), "%s/proc/cpuinfo", sys);
	if (!rc && !wt_small_read_whole(path, CPUINFO_MAX, &cpuinfo, NULL, NULL))
		rc = read_cpuinfo(cpuinfo, ids, err);
	free(cpuinfo);
	if (rc)
		return -1;
	if (!ids->n && add(ids, 0, err))
		return -1;
	for (size_t i = 0; i < ids->n; i++)
		read_places(sys, &ids->list[i]);
	return read_nodes(sys, ids, err);
}

int wt_cpu_ids_read(const char *sys, struct wt_cpu_ids *ret, struct wt_err *err)
{
	*ret = (struct wt_cpu_ids){0};
	if (!read_all(sys, ret, err))
		return 0;
	wt_cpu_ids_deinit(ret);
	return -1;
}
