// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The uncore PMUs: each has one CPU that reads it, no counter per task, no overflow, and counts all the time.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

#include "tests/vm/pmu/law.h"
#include "tests/vm/pmu/scripted.h"

struct uncore {
	struct pmu pmu;
	const char *name;
	unsigned int cpu, times;
	u64 (*rate)(const struct perf_event_attr *attr);
	const struct attribute_group **groups;
};

static struct uncore *uncore_of(struct pmu *pmu)
{
	return container_of(pmu, struct uncore, pmu);
}

static u64 dsu_rate(const struct perf_event_attr *attr)
{
	return attr->config & 0xffff;
}

static u64 cmn_rate(const struct perf_event_attr *attr)
{
	u64 number = (attr->config & 0xffff) + (attr->config >> 16 & 0x7ff),
	    node = attr->config >> 32 & 0xffff;

	return number * (attr->config >> 31 & 1 ? node % 4 + 1 : 10);
}

static u64 dmc_rate(const struct perf_event_attr *attr)
{
	u64 number = (attr->config2 >> 3 & 0x3f) + 1;

	return attr->config2 >> 9 & 1 ? number : 2 * number;
}

static u64 tick_now(void)
{
	return sched_clock() / SCRIPTED_TICK_NS;
}

static void uncore_read(struct perf_event *event)
{
	u64 now = tick_now(), before = local64_xchg(&event->hw.prev_count, now);

	local64_add((now - before) * event->hw.config, &event->count);
}

static void uncore_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, tick_now());
	event->hw.state = 0;
}

static void uncore_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	uncore_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int uncore_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		uncore_start(event, flags);
	return 0;
}

static void uncore_del(struct perf_event *event, int flags)
{
	uncore_stop(event, flags);
}

static int uncore_event_init(struct perf_event *event)
{
	struct uncore *uncore = uncore_of(event->pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK)
		return -EOPNOTSUPP;
	if (event->cpu < 0)
		return -EINVAL;
	event->cpu = uncore->cpu;
	event->hw.config = uncore->rate(&event->attr) * uncore->times;
	return 0;
}

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return cpumap_print_to_pagebuf(true, page, cpumask_of(uncore_of(pmu)->cpu));
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute *cpumask_attrs[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group cpumask_group = {.attrs = cpumask_attrs};

static ssize_t associated_cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumask_show(dev, attr, page);
}
static DEVICE_ATTR_RO(associated_cpus);
static struct attribute *associated_attrs[] = {&dev_attr_associated_cpus.attr, NULL};
static const struct attribute_group associated_group = {.attrs = associated_attrs};

PMU_FORMAT_ATTR(event, "config:0-31");
static struct attribute *dsu_format[] = {&format_attr_event.attr, NULL};
static const struct attribute_group dsu_format_group = {.name = "format", .attrs = dsu_format};
PMU_EVENT_ATTR_STRING(cycles, dsu_cycles, "event=0x11");
PMU_EVENT_ATTR_STRING(bus_access, dsu_bus_access, "event=0x19");
PMU_EVENT_ATTR_STRING(l3d_cache_refill, dsu_refill, "event=0x2a");
PMU_EVENT_ATTR_STRING(l3d_cache, dsu_l3d_cache, "event=0x2b");
static struct attribute *dsu_events[] = {&dsu_cycles.attr.attr, &dsu_bus_access.attr.attr,
					 &dsu_refill.attr.attr, &dsu_l3d_cache.attr.attr, NULL};
static const struct attribute_group dsu_events_group = {.name = "events", .attrs = dsu_events};
static const struct attribute_group *dsu_groups[] = {&dsu_format_group, &dsu_events_group, &cpumask_group,
						     &associated_group, NULL};

PMU_FORMAT_ATTR(type, "config:0-15");
PMU_FORMAT_ATTR(eventid, "config:16-26");
PMU_FORMAT_ATTR(bynodeid, "config:31");
PMU_FORMAT_ATTR(nodeid, "config:32-47");
static struct attribute *cmn_format[] = {&format_attr_type.attr, &format_attr_eventid.attr,
					 &format_attr_bynodeid.attr, &format_attr_nodeid.attr, NULL};
static const struct attribute_group cmn_format_group = {.name = "format", .attrs = cmn_format};
PMU_EVENT_ATTR_STRING(dtc_cycles, cmn_dtc_cycles, "type=0x3");
PMU_EVENT_ATTR_STRING(hnf_cache_miss, cmn_miss, "type=0x5,eventid=0x1");
PMU_EVENT_ATTR_STRING(hnf_slc_sf_cache_access, cmn_access, "type=0x5,eventid=0x2");
static struct attribute *cmn_events[] = {&cmn_dtc_cycles.attr.attr, &cmn_miss.attr.attr,
					 &cmn_access.attr.attr, NULL};
static const struct attribute_group cmn_events_group = {.name = "events", .attrs = cmn_events};
static const struct attribute_group *cmn_groups[] = {&cmn_format_group, &cmn_events_group, &cpumask_group,
						     NULL};

PMU_FORMAT_ATTR(mask, "config:0-44");
PMU_FORMAT_ATTR(match, "config1:0-44");
PMU_FORMAT_ATTR(clkdiv2, "config2:9");
static ssize_t dmc_event_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "config2:3-8\n");
}
static struct device_attribute dmc_event = __ATTR(event, 0444, dmc_event_show, NULL);
static struct attribute *dmc_format[] = {&format_attr_mask.attr, &format_attr_match.attr, &dmc_event.attr,
					 &format_attr_clkdiv2.attr, NULL};
static const struct attribute_group dmc_format_group = {.name = "format", .attrs = dmc_format};
PMU_EVENT_ATTR_STRING(clk_cycle_count, dmc_cycles, "clkdiv2=0x0,event=0x0");
PMU_EVENT_ATTR_STRING(clkdiv2_rdwr, dmc_rdwr, "clkdiv2=0x1,event=0x12");
static struct attribute *dmc_events[] = {&dmc_cycles.attr.attr, &dmc_rdwr.attr.attr, NULL};
static const struct attribute_group dmc_events_group = {.name = "events", .attrs = dmc_events};
static const struct attribute_group *dmc_groups[] = {&dmc_format_group, &dmc_events_group, &cpumask_group,
						     NULL};

static struct uncore uncores[] = {
	{.name = "arm_dsu_0", .cpu = 0, .times = 1, .rate = dsu_rate, .groups = dsu_groups},
	{.name = "arm_dsu_1", .cpu = 1, .times = 2, .rate = dsu_rate, .groups = dsu_groups},
	{.name = "arm_cmn_0", .cpu = 1, .times = 1, .rate = cmn_rate, .groups = cmn_groups},
	{.name = "arm_dmc620_0", .cpu = 0, .times = 1, .rate = dmc_rate, .groups = dmc_groups},
	{.name = "arm_dmc620_1", .cpu = 0, .times = 2, .rate = dmc_rate, .groups = dmc_groups},
};

static int register_one(struct uncore *uncore)
{
	uncore->pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.attr_groups = uncore->groups,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
		.event_init = uncore_event_init,
		.add = uncore_add,
		.del = uncore_del,
		.start = uncore_start,
		.stop = uncore_stop,
		.read = uncore_read,
	};
	return perf_pmu_register(&uncore->pmu, uncore->name, -1);
}

static void unregister_first(size_t n)
{
	while (n--)
		perf_pmu_unregister(&uncores[n].pmu);
}

int scripted_uncore_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(uncores); i++) {
		int ret = register_one(&uncores[i]);

		if (ret) {
			unregister_first(i);
			return ret;
		}
	}
	return 0;
}

void scripted_uncore_deinit(void)
{
	unregister_first(ARRAY_SIZE(uncores));
}
