// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The core PMU. Each CPU has 7 counters, one clock for all of them, and one timer that stands for the
 * interrupt. */
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>

#include "tests/vm/pmu/law.h"
#include "tests/vm/pmu/scripted.h"

enum {
	OVERFLOWS_AT_ONCE = 1000, /* what remains is due at once again */
	TIMER_LEAST_NS = 10000,
};

struct counters {
	struct perf_event *event[SCRIPTED_COUNTERS];
	struct hrtimer timer;
	bool in_timer;
	unsigned int frozen; /* how often: the clock stands while counters are changed, read together, or
				overflow */
	u64 frozen_at;
};
static DEFINE_PER_CPU(struct counters, counters);

static bool by_time = true;
module_param(by_time, bool, 0644);
MODULE_PARM_DESC(by_time, "0: all events count what is rung");

static unsigned int taken;
module_param(taken, uint, 0644);
MODULE_PARM_DESC(taken, "how many counters of each CPU somebody else has");

#ifdef CONFIG_X86
static char *core = "cpu";
#else
static char *core = "armv8_scripted";
#endif
module_param(core, charp, 0444);
MODULE_PARM_DESC(core, "name of the core PMU");

static int (*overflow)(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);

static void freeze(struct counters *c)
{
	if (!c->frozen++)
		c->frozen_at = sched_clock();
}

static void thaw(struct counters *c)
{
	c->frozen--;
}

static u64 tick_now(const struct counters *c)
{
	return (c->frozen ? c->frozen_at : sched_clock()) / SCRIPTED_TICK_NS;
}

static bool is_rung(const struct perf_event *event)
{
	return event->hw.event_base;
}

static bool is_counting(const struct perf_event *event)
{
	return event && !(event->hw.state & PERF_HES_STOPPED);
}

static u64 rate_of(const struct perf_event *event)
{
	return scripted_rate(event->hw.config, !event->attr.exclude_user, !event->attr.exclude_kernel);
}

static void count(struct perf_event *event, u64 n)
{
	local64_add(n, &event->count);
	if (is_sampling_event(event))
		local64_sub(n, &event->hw.period_left);
}

/* The law of time, up to now. */
static void update(struct counters *c, struct perf_event *event)
{
	u64 now = tick_now(c), before = local64_xchg(&event->hw.prev_count, now), config = event->hw.config;

	if (!is_rung(event))
		count(event,
		      rate_of(event) * (scripted_ticks_on(config, now) - scripted_ticks_on(config, before)));
}

/* The timer's next moment: that of the event whose period is over first. */
static void rearm(struct counters *c)
{
	u64 next = U64_MAX, now = tick_now(c);

	if (c->in_timer || c->frozen)
		return;
	for (unsigned int i = 0; i < SCRIPTED_COUNTERS; i++) {
		struct perf_event *event = c->event[i];
		s64 left;
		u64 until;

		if (!is_counting(event) || !is_sampling_event(event) || is_rung(event) || !rate_of(event))
			continue;
		update(c, event);
		left = local64_read(&event->hw.period_left);
		until = left <= 0 ? 0 : DIV64_U64_ROUND_UP(left, rate_of(event));
		next = min(next, until ? scripted_ticks_until(event->hw.config, now, until) : 0);
	}
	if (next == U64_MAX)
		return;
	next = clamp_t(u64, next, TIMER_LEAST_NS / SCRIPTED_TICK_NS, 10 * NSEC_PER_SEC / SCRIPTED_TICK_NS);
	hrtimer_start(&c->timer, ns_to_ktime(next * SCRIPTED_TICK_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

/* No sample of an idle CPU: without work there may be no tick either, and the kernel counts samples per tick.
 */
static bool is_excluded(const struct perf_event *event, struct pt_regs *regs)
{
	if (is_idle_task(current))
		return true;
	return user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel;
}

static void core_stop(struct perf_event *event, int flags);

/* One sample for each whole period that is over. By frequency one in all: the period is the kernel's means
 * then. */
static void overflow_due(struct perf_event *event, struct pt_regs *regs)
{
	for (unsigned int n = 0; n < OVERFLOWS_AT_ONCE && is_counting(event); n++) {
		struct perf_sample_data data;

		if (local64_read(&event->hw.period_left) > 0)
			return;
		event->hw.last_period = event->hw.sample_period;
		local64_add(event->hw.sample_period, &event->hw.period_left);
		if (event->attr.freq && local64_read(&event->hw.period_left) <= 0)
			local64_set(&event->hw.period_left, event->hw.sample_period);
		perf_sample_data_init(&data, 0, event->hw.last_period);
		if (!is_excluded(event, regs) && overflow(event, &data, regs))
			core_stop(event, 0);
	}
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct counters *c = container_of(timer, struct counters, timer);
	struct pt_regs *regs = get_irq_regs();

	freeze(c);
	c->in_timer = true;
	for (unsigned int i = 0; regs && i < SCRIPTED_COUNTERS; i++) {
		struct perf_event *event = c->event[i];

		if (!is_counting(event) || !is_sampling_event(event) || is_rung(event))
			continue;
		update(c, event);
		overflow_due(event, regs);
	}
	c->in_timer = false;
	thaw(c);
	rearm(c);
	return HRTIMER_NORESTART;
}

void scripted_core_ring(const struct scripted_ring *ring)
{
	struct counters *c;
	struct pt_regs here;
	unsigned long flags;

	perf_fetch_caller_regs(&here);
	local_irq_save(flags);
	c = this_cpu_ptr(&counters);
	freeze(c);
	for (unsigned int i = 0; i < SCRIPTED_COUNTERS; i++) {
		struct perf_event *event = c->event[i];
		u64 user = ring->user, kernel = ring->kernel;

		if (!is_counting(event) || !is_rung(event) || (event->hw.config & 0xffff) != ring->event)
			continue;
		count(event, event->attr.exclude_user ? 0 : user);
		if (is_sampling_event(event))
			overflow_due(event, task_pt_regs(current));
		count(event, event->attr.exclude_kernel ? 0 : kernel);
		if (is_sampling_event(event))
			overflow_due(event, &here);
	}
	thaw(c);
	local_irq_restore(flags);
}

static void core_start(struct perf_event *event, int flags)
{
	struct counters *c = this_cpu_ptr(&counters);

	local64_set(&event->hw.prev_count, tick_now(c));
	event->hw.state = 0;
	rearm(c);
}

static void core_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	update(this_cpu_ptr(&counters), event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int core_add(struct perf_event *event, int flags)
{
	struct counters *c = this_cpu_ptr(&counters);

	for (unsigned int i = 0; i + taken < SCRIPTED_COUNTERS; i++) {
		if (c->event[i])
			continue;
		c->event[i] = event;
		event->hw.idx = i;
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		if (flags & PERF_EF_START)
			core_start(event, flags);
		perf_event_update_userpage(event);
		return 0;
	}
	return -EAGAIN;
}

static void core_del(struct perf_event *event, int flags)
{
	struct counters *c = this_cpu_ptr(&counters);

	core_stop(event, PERF_EF_UPDATE);
	c->event[event->hw.idx] = NULL;
	perf_event_update_userpage(event);
}

static void core_read(struct perf_event *event)
{
	if (is_counting(event))
		update(this_cpu_ptr(&counters), event);
}

static void core_enable(struct pmu *pmu)
{
	struct counters *c = this_cpu_ptr(&counters);

	thaw(c);
	rearm(c);
}

static void core_disable(struct pmu *pmu)
{
	freeze(this_cpu_ptr(&counters));
}

/* A group is read at one moment. Its members are added between disable and enable, that is at one moment too.
 */
static void core_start_txn(struct pmu *pmu, unsigned int flags)
{
	freeze(this_cpu_ptr(&counters));
}

static void core_cancel_txn(struct pmu *pmu)
{
	thaw(this_cpu_ptr(&counters));
	rearm(this_cpu_ptr(&counters));
}

static int core_commit_txn(struct pmu *pmu)
{
	core_cancel_txn(pmu);
	return 0;
}

/* Hardware and cache events by their raw numbers, which are Arm's where it has one. 0: not there. */
static u64 raw_number(const struct perf_event_attr *attr)
{
	static const u16 hardware[] = {0x11, 0x08, 0x04, 0x03, 0x0c, 0x10, 0x1d, 0x23, 0x24};
	u64 cache = attr->config & 0xff, op = attr->config >> 8 & 0xff, result = attr->config >> 16 & 0xff;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return attr->config < ARRAY_SIZE(hardware) ? hardware[attr->config] : 0;
	case PERF_TYPE_HW_CACHE:
		return cache < 7 && op < 3 && result < 2 ? 0x100 + cache * 6 + op * 2 + result : 0;
	default:
		return attr->config & 0xffff ? attr->config : 0;
	}
}

/* A group that has more events of this PMU than it has counters can never count. */
static bool group_fits(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader, *sibling;
	unsigned int n = 1;

	if (leader == event)
		return true;
	n += leader->pmu == event->pmu;
	for_each_sibling_event(sibling, (struct perf_event *)leader) n += sibling->pmu == event->pmu;
	return n <= SCRIPTED_COUNTERS;
}

static int core_event_init(struct perf_event *event)
{
	u64 config = raw_number(&event->attr);

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_HW_CACHE &&
	    event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!config)
		return -ENOENT;
	if (has_branch_stack(event) || event->attr.precise_ip)
		return -EOPNOTSUPP;
	if (!group_fits(event))
		return -EINVAL;
	event->hw.config = config;
	event->hw.event_base = !by_time || (config & 0xffff) >= SCRIPTED_FIRST_RUNG;
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-15");
PMU_FORMAT_ATTR(burst, "config:16-23");
PMU_FORMAT_ATTR(on, "config:24-31");
static struct attribute *formats[] = {&format_attr_event.attr, &format_attr_burst.attr, &format_attr_on.attr,
				      NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = formats};

PMU_EVENT_ATTR_STRING(cpu_cycles, name_cycles, "event=0x11");
PMU_EVENT_ATTR_STRING(inst_retired, name_inst, "event=0x08");
PMU_EVENT_ATTR_STRING(l1d_cache, name_l1d, "event=0x04");
PMU_EVENT_ATTR_STRING(l1d_cache_refill, name_l1d_refill, "event=0x03");
PMU_EVENT_ATTR_STRING(bursty, name_bursty, "event=0x20,burst=10,on=3");
PMU_EVENT_ATTR_STRING(locked, name_locked, "event=0x20,burst=96,on=28");
PMU_EVENT_ATTR_STRING(rung, name_rung, "event=0x200");
static struct attribute *names[] = {
	&name_cycles.attr.attr, &name_inst.attr.attr,   &name_l1d.attr.attr,  &name_l1d_refill.attr.attr,
	&name_bursty.attr.attr, &name_locked.attr.attr, &name_rung.attr.attr, NULL};
static const struct attribute_group name_group = {.name = "events", .attrs = names};

#ifdef CONFIG_ARM64
static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumap_print_to_pagebuf(true, page, cpu_possible_mask);
}
static DEVICE_ATTR_RO(cpus);
static struct attribute *cpus_attrs[] = {&dev_attr_cpus.attr, NULL};
static const struct attribute_group cpus_group = {.attrs = cpus_attrs};
#endif

static const struct attribute_group *core_groups[] = {&format_group, &name_group,
#ifdef CONFIG_ARM64
						      &cpus_group,
#endif
						      NULL};

static struct pmu core_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	/* else Linux 6.1 gives the context to the first PMU that was ever registered, this one before it was
	   unloaded */
	.capabilities = PERF_PMU_CAP_HETEROGENEOUS_CPUS,
	.attr_groups = core_groups,
	.event_init = core_event_init,
	.pmu_enable = core_enable,
	.pmu_disable = core_disable,
	.add = core_add,
	.del = core_del,
	.start = core_start,
	.stop = core_stop,
	.read = core_read,
	.start_txn = core_start_txn,
	.cancel_txn = core_cancel_txn,
	.commit_txn = core_commit_txn,
};

/* The kernel does not export what each PMU driver calls when a counter overflows. */
static int find_overflow(void)
{
	struct kprobe probe = {.symbol_name = "perf_event_overflow"};
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	overflow = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

int scripted_core_init(void)
{
	int cpu, ret = find_overflow();

	if (ret)
		return ret;
	for_each_possible_cpu(cpu)
	{
		struct counters *c = per_cpu_ptr(&counters, cpu);

		hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		c->timer.function = on_timer;
	}
	ret = perf_pmu_register(&core_pmu, core, PERF_TYPE_RAW);
	if (!ret && core_pmu.type != PERF_TYPE_RAW) { /* this machine has a PMU of that type */
		perf_pmu_unregister(&core_pmu);
		return -EBUSY;
	}
	return ret;
}

void scripted_core_deinit(void)
{
	int cpu;

	perf_pmu_unregister(&core_pmu);
	for_each_possible_cpu(cpu) hrtimer_cancel(&per_cpu_ptr(&counters, cpu)->timer);
}
