// SPDX-License-Identifier: MIT
/* Plans slots from a request: the events to open, their attributes, and the unavailable ones. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/perf/spec.h"
#include "tracecore/base/clock.h"
#include "tracecore/schema/builtin.h"

/* ns; the kernel itself holds sampling back at about that rate. */
enum { SPAN_LEAST = 10000 };

static int plan_cpus(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	struct wt_cpuset possible;

	perf->online_path = "/sys/devices/system/cpu/online";
	if (wt_cpuset_read(perf->online_path, &perf->online) < 0)
		return wt_fail_errno(err, "cannot read the list of CPUs, %s", perf->online_path);
	if (wt_cpuset_read("/sys/devices/system/cpu/possible", &possible) < 0)
		possible = perf->online;
	perf->n_cpus = wt_cpuset_end(&possible);
	if (perf->n_cpus < wt_cpuset_end(&perf->online))
		perf->n_cpus = wt_cpuset_end(&perf->online);
	for (size_t i = 0; i < request->n_cpus; i++) {
		if (!wt_cpuset_has(&perf->online, request->cpus[i]))
			return wt_fail(err, WT_ERR_USAGE,
				       "CPU %u is not online; /sys/devices/system/cpu/online lists those "
				       "that are",
				       request->cpus[i]);
		wt_cpuset_add(&perf->sample_cpus, request->cpus[i]);
	}
	perf->cpus = calloc(perf->n_cpus, sizeof(*perf->cpus));
	return perf->cpus ? 0 : wt_fail_nomem(err);
}

static int plan_pids(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	if (request->child && request->n_pids != 1)
		return wt_fail(err, WT_ERR_USAGE, "a program to start must be the only process traced");
	for (size_t i = 0; i < request->n_pids; i++)
		if (request->pids[i] <= 0 || (kill(request->pids[i], 0) < 0 && errno == ESRCH))
			return wt_fail(err, WT_ERR_NOTFOUND, "there is no process %d", (int)request->pids[i]);
	perf->child = request->child;
	perf->n_pids = request->n_pids;
	perf->pids = calloc(request->n_pids + 1, sizeof(*perf->pids));
	if (!perf->pids)
		return wt_fail_nomem(err);
	if (request->n_pids)
		memcpy(perf->pids, request->pids, request->n_pids * sizeof(*perf->pids));
	return 0;
}

/* An explicit rate must be possible; the default rate may be lowered. The kernel lowers its limit by itself
 * when its interrupts take long. */
static int choose_rate(struct wt_perf *perf, uint64_t asked, uint64_t *ret, struct wt_err *err)
{
	int64_t max = wt_text_number("/proc/sys/kernel/perf_event_max_sample_rate", INT64_MAX);

	*ret = asked ? asked : WT_PERF_DEFAULT_HZ;
	if (*ret <= (uint64_t)max)
		return 0;
	if (asked)
		return wt_fail(err, WT_ERR_LIMIT,
			       "%llu samples a second are more than kernel.perf_event_max_sample_rate "
			       "allows (%lld); lower -F or raise it with sysctl",
			       (unsigned long long)asked, (long long)max);
	*ret = (uint64_t)max;
	wt_perf_say(perf, true,
		    "sampling at %lld Hz instead of %d: kernel.perf_event_max_sample_rate allows no more "
		    "(raise it "
		    "with sysctl)",
		    (long long)max, WT_PERF_DEFAULT_HZ);
	return 0;
}

static bool is_clock(const struct wt_perf_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE &&
	       (spec->config == PERF_COUNT_SW_CPU_CLOCK || spec->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool any_accounts(const struct wt_perf *perf)
{
	for (size_t i = 0; i < perf->n_slots; i++)
		if (perf->slots[i].accounts)
			return true;
	return false;
}

/* A clock that can be followed on CPUs sees threads of any length. */
static void set_machine(struct wt_perf *perf, struct wt_perf_slot *slot)
{
	slot->machine = wt_perf_follow(perf);
	if (!slot->machine)
		return;
	slot->attr.inherit = 0;
	slot->attr.enable_on_exec = 0;
}

/* Nothing exact was requested, so no beat is kept. A clock has several timers. A PMU has few counters, so
 * the frequency varies instead. Other software events come when they come. */
static void set_varying(struct wt_perf_slot *slot, const struct wt_perf_spec *spec, uint64_t hz)
{
	uint64_t most = (uint64_t)wt_text_number("/proc/sys/kernel/perf_event_max_sample_rate", INT64_MAX);

	slot->varies = is_clock(spec) || (spec->type != PERF_TYPE_SOFTWARE && slot->machine);
	slot->hz = hz;
	slot->hz_most = hz * 5 / 4 < most ? hz * 5 / 4 : most;
	if (!is_clock(spec))
		return;
	slot->n_vary = slot->machine ? WT_VARY_CPU : WT_VARY_THREAD;
	slot->attr.freq = 0;
	slot->attr.sample_period = WT_NSEC * slot->n_vary / hz;
	snprintf(slot->text, sizeof(slot->text), "%s at %llu Hz, periods vary", spec->name,
		 (unsigned long long)hz);
}

/* A clock of threads counts the run time of each thread: the part without samples is reported in spans,
 * unless these are so short that reporting costs more than sampling. One clock's account is enough. */
static void set_account(struct wt_perf *perf, struct wt_perf_slot *slot, const struct wt_perf_spec *spec,
			uint64_t hz)
{
	bool other = any_accounts(perf);

	if (slot->machine || !is_clock(spec))
		return;
	slot->span = spec->period ? spec->period : WT_NSEC / hz;
	slot->accounts = slot->span >= SPAN_LEAST && !other;
	if (!slot->accounts)
		wt_perf_say(perf, false, "%s: its CPU time without samples is not reported as unsampled: %s",
			    spec->name,
			    other ? "that of another clock is" : "its period is shorter than 10 us");
}

static void set_rate(struct wt_perf_slot *slot, const struct wt_perf_spec *spec, uint64_t hz)
{
	bool clock = is_clock(spec);

	if (!spec->period) {
		slot->attr.freq = 1;
		slot->attr.sample_freq = hz;
		snprintf(slot->text, sizeof(slot->text), "%s at %llu Hz", spec->name, (unsigned long long)hz);
		return;
	}
	slot->attr.sample_period = spec->period;
	slot->period1 = spec->period == 1 && !clock;
	snprintf(slot->text, sizeof(slot->text), "%s every %llu%s", spec->name,
		 (unsigned long long)spec->period, clock ? " ns" : "");
}

static void fill_attr(const struct wt_perf *perf, const struct wt_perf_spec *spec, bool stack,
		      struct perf_event_attr *attr)
{
	wt_perf_attr_init(perf, attr);
	attr->type = spec->type;
	/* PMUs do not count halted CPUs, and those of arm64 refuse this attribute. */
	attr->exclude_idle = spec->type == PERF_TYPE_SOFTWARE;
	attr->config = spec->config;
	attr->config1 = spec->config1;
	attr->config2 = spec->config2;
	if (stack)
		wt_perf_ask_stack(perf, attr);
}

/* Two events of one kind with different periods need different names. False: the event exists already. */
static bool source_name(const struct wt_perf *perf, const struct wt_perf_spec *spec, char *ret, size_t size)
{
	snprintf(ret, size, "%s", spec->name);
	for (size_t i = 0; i < perf->n_slots; i++) {
		const struct perf_event_attr *attr = &perf->slots[i].attr;
		uint64_t period = attr->freq || perf->slots[i].varies ? 0 : attr->sample_period;

		if (attr->type != spec->type || attr->config != spec->config ||
		    attr->config1 != spec->config1 || attr->config2 != spec->config2)
			continue;
		if (period == spec->period)
			return false;
		if (spec->period)
			snprintf(ret, size, "%s:%llu", spec->name, (unsigned long long)spec->period);
		else
			snprintf(ret, size, "%s:freq", spec->name);
	}
	return true;
}

static int plan_event(struct wt_perf *perf, const struct wt_perf_request *request,
		      const struct wt_perf_spec *spec, bool probe, struct wt_err *err)
{
	uint64_t hz = 0;
	char name[160], what[192];
	struct wt_perf_slot *slot;

	if (perf->n_slots >= WT_PERF_MAX_PROFILE)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d events (-e) in one session",
			       WT_PERF_MAX_PROFILE);
	if (!spec->period && choose_rate(perf, request->frequency, &hz, err) < 0)
		return -1;
	if (!source_name(perf, spec, name, sizeof(name)))
		return wt_fail(err, WT_ERR_USAGE, "event '%s' is given twice", spec->name);
	slot = wt_perf_add_slot(perf, "pmu-profile", name);
	if (!slot)
		return wt_fail_nomem(err);
	fill_attr(perf, spec, request->profile_stack, &slot->attr);
	set_rate(slot, spec, hz);
	if (perf->n_pids && is_clock(spec) && !spec->period)
		set_machine(perf, slot);
	if (!spec->period && !request->frequency)
		set_varying(slot, spec, hz);
	set_account(perf, slot, spec, hz);
	slot->source = (uint8_t)(perf->n_slots - 1);
	slot->cpus = spec->cpus;
	snprintf(what, sizeof(what), "event '%s'", name);
	if (probe && !wt_perf_probe_event(perf, &slot->attr, &slot->cpus))
		return wt_perf_fail_open(perf, what, err);
	return 0;
}

/* Plans cycles where a PMU counts them, otherwise the clock that every kernel has. */
static int plan_default(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	struct wt_perf_spec cycles, clock;
	struct perf_event_attr attr;

	if (wt_perf_spec_parse("cycles", NULL, &cycles, err) < 0 ||
	    wt_perf_spec_parse("cpu-clock", NULL, &clock, err) < 0)
		return -1;
	fill_attr(perf, &cycles, request->profile_stack, &attr);
	attr.sample_period = 1000000;
	if (wt_perf_probe_event(perf, &attr, &cycles.cpus))
		return plan_event(perf, request, &cycles, true, err);
	if (errno != ENOENT && errno != EOPNOTSUPP && errno != ENODEV)
		return wt_perf_fail_open(perf, "event 'cycles'", err);
	wt_perf_say(perf, true,
		    "no hardware PMU: sampling cpu-clock instead of cycles (no samples where interrupts are "
		    "off)");
	return plan_event(perf, request, &clock, true, err);
}

static int plan_profile(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	if (!request->n_events)
		return plan_default(perf, request, err);
	for (size_t i = 0; i < request->n_events; i++) {
		struct wt_perf_spec spec;

		if (wt_perf_spec_parse(request->events[i], NULL, &spec, err) < 0 ||
		    plan_event(perf, request, &spec, true, err) < 0)
			return -1;
	}
	return 0;
}

static int fill_sources(const struct wt_perf *perf, struct wt_provider *provider, struct wt_err *err)
{
	struct wt_named entries[WT_PERF_MAX_PROFILE] = {{0}};

	for (size_t i = 0; i < perf->n_slots; i++)
		entries[i] = (struct wt_named){
			.name = perf->slots[i].name, .value = i, .help = perf->slots[i].text};
	return wt_provider_set_map(provider, "sources", entries, (uint32_t)perf->n_slots, err);
}

static int add_builtin(struct wt_perf *perf, const char *name, struct wt_kinds *kinds, struct wt_err *err)
{
	struct wt_provider *provider;
	uint32_t first;

	if (wt_builtin_provider(name, &provider, err) < 0)
		return -1;
	if ((!strcmp(name, "pmu-profile") && fill_sources(perf, provider, err) < 0) ||
	    wt_kinds_add(kinds, provider, &first, err) < 0) {
		wt_provider_destroy(provider);
		return -1;
	}
	return 0;
}

static int find_kinds(const struct wt_kinds *kinds, const char *provider, uint32_t *ret, uint16_t n,
		      struct wt_err *err)
{
	for (uint16_t id = 1; id < n; id++) {
		ret[id] = wt_perf_kind_of(kinds, provider, id);
		if (ret[id] == WT_KIND_NONE)
			return wt_fail(err, WT_ERR_FORMAT, "provider '%s' has no event %u", provider, id);
	}
	return 0;
}

/* loader and proc_thread are always planned, because without them no address has a name. */
static int plan_kinds(struct wt_perf *perf, struct wt_kinds *kinds, struct wt_err *err)
{
	if (add_builtin(perf, "proc_thread", kinds, err) < 0 || add_builtin(perf, "loader", kinds, err) < 0 ||
	    (perf->n_slots && add_builtin(perf, "pmu-profile", kinds, err) < 0))
		return -1;
	if (find_kinds(kinds, "proc_thread", perf->k.proc, WT_THREAD_NAME + 1, err) < 0 ||
	    find_kinds(kinds, "loader", perf->k.image, WT_IMAGE_UNLOAD + 1, err) < 0)
		return -1;
	perf->k.lost = wt_perf_kind_of(kinds, "wtrace", WT_CORE_LOST);
	if (perf->k.lost == WT_KIND_NONE)
		return wt_fail(err, WT_ERR_FORMAT, "the kinds lack provider 'wtrace'");
	perf->k.sample = wt_perf_kind_of(kinds, "pmu-profile", WT_PROFILE_SAMPLE);
	perf->k.unsampled = wt_perf_kind_of(kinds, "pmu-profile", WT_PROFILE_UNSAMPLED);
	perf->k.cpu_time = wt_perf_kind_of(kinds, "pmu-profile", WT_PROFILE_CPU_TIME);
	for (size_t i = 0; i < perf->n_slots; i++)
		perf->slots[i].kind = perf->k.sample;
	return 0;
}

static bool wants_stack(const struct wt_perf_request *request, const char *system, const char *name)
{
	for (size_t i = 0; i < request->n_tracepoints; i++)
		if (request->tracepoints[i].stack &&
		    wt_tp_matches(request->tracepoints[i].name, system, name))
			return true;
	return false;
}

static int plan_tracepoint(struct wt_perf *perf, const struct wt_perf_request *request,
			   const struct wt_tp_system *system, size_t i, uint32_t kind, struct wt_err *err)
{
	const struct wt_tracepoint *point = &system->points[i];
	bool stack = wants_stack(request, system->name, point->name);
	char provider[288], what[320];
	struct wt_perf_slot *slot;

	snprintf(provider, sizeof(provider), "linux:%s", system->name);
	slot = wt_perf_add_slot(perf, provider, point->name);
	if (!slot)
		return wt_fail_nomem(err);
	wt_perf_attr_init(perf, &slot->attr);
	slot->attr.type = PERF_TYPE_TRACEPOINT;
	slot->attr.config = point->id;
	slot->attr.sample_period = 1;
	slot->attr.sample_type |= PERF_SAMPLE_RAW;
	if (stack)
		wt_perf_ask_stack(perf, &slot->attr);
	slot->kind = kind;
	slot->program = &point->program;
	slot->period1 = true;
	snprintf(slot->text, sizeof(slot->text), "%s:%s, every event%s", provider, point->name,
		 stack ? " with stack" : "");
	snprintf(what, sizeof(what), "tracepoint '%s:%s'", system->name, point->name);
	if (!wt_perf_probe_event(perf, &slot->attr, &slot->cpus))
		return wt_perf_fail_open(perf, what, err);
	return 0;
}

static int plan_tracepoints(struct wt_perf *perf, const struct wt_perf_request *request,
			    struct wt_kinds *kinds, struct wt_err *err)
{
	const char **names = calloc(request->n_tracepoints + 1, sizeof(*names));
	int ret = names ? 0 : wt_fail_nomem(err);

	for (size_t i = 0; i < request->n_tracepoints && !ret; i++)
		names[i] = request->tracepoints[i].name;
	if (!ret)
		ret = wt_tp_load(request->tracefs, names, request->n_tracepoints, &perf->systems,
				 &perf->n_systems, err);
	free(names);
	for (size_t s = 0; s < perf->n_systems && !ret; s++) {
		uint32_t first;

		ret = wt_kinds_add(kinds, perf->systems[s].provider, &first, err);
		if (ret)
			break;
		perf->systems[s].provider = NULL;
		for (size_t i = 0; i < perf->systems[s].n && !ret; i++)
			ret = plan_tracepoint(perf, request, &perf->systems[s], i, first + (uint32_t)i, err);
	}
	return ret;
}

/* Unknown words are reported before any error about rights and hardware. */
static int check_words(const struct wt_perf_request *request, struct wt_err *err)
{
	struct wt_perf_spec spec;

	for (size_t i = 0; i < request->n_events; i++)
		if (wt_perf_spec_parse(request->events[i], NULL, &spec, err) < 0)
			return -1;
	return 0;
}

static bool wants_stacks(const struct wt_perf_request *request)
{
	bool stacks = request->profile_stack || request->count_stack || request->cswitch_stack ||
		      request->dispatcher_stack;

	for (size_t i = 0; i < request->n_tracepoints; i++)
		stacks |= request->tracepoints[i].stack;
	return stacks;
}

/* The ability to copy stacks is tried with an event that needs no right and no hardware. */
static int plan_stacks(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	struct perf_event_attr attr = perf->dummy;
	struct wt_cpuset any = {0};

	if (!request->stack_bytes || !wants_stacks(request))
		return 0;
	perf->stack_chosen = request->stack_bytes == WT_PERF_STACK_CHOSEN;
	if (!perf->stack_chosen && request->stack_bytes > WT_PERF_STACK_MOST)
		return wt_fail(err, WT_ERR_LIMIT, "%u bytes of a stack are more than a sample can hold (%d)",
			       request->stack_bytes, WT_PERF_STACK_MOST);
	perf->stack_bytes = perf->stack_chosen ? WT_PERF_STACK_MOST : (request->stack_bytes + 7) & ~7u;
	wt_perf_ask_stack(perf, &attr);
	if (wt_perf_probe_event(perf, &attr, &any))
		return 0;
	if (request->stack_must)
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "this kernel copies no user stacks (%s): without them there are only frame "
			       "pointers to follow (--unwind=fp)",
			       strerror(errno));
	wt_perf_say(perf, true, "this kernel copies no user stacks (%s): they are walked by frame pointers",
		    strerror(errno));
	perf->stack_bytes = 0;
	return 0;
}

static int plan(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_kinds *kinds,
		struct wt_err *err)
{
	perf->kinds = kinds;
	perf->nothing = request->nothing;
	if (request->nothing)
		return plan_kinds(perf, kinds, err);
	perf->no_images = request->no_images;
	perf->loader = request->loader;
	perf->proc_thread = request->proc_thread;
	perf->sample_pages = request->sample_pages;
	perf->sideband_pages = request->sideband_pages;
	if (check_words(request, err) < 0 || plan_cpus(perf, request, err) < 0 ||
	    plan_pids(perf, request, err) < 0 || wt_perf_probe(perf, err) < 0 ||
	    plan_stacks(perf, request, err) < 0)
		return -1;
	if ((request->profile || request->n_events) && plan_profile(perf, request, err) < 0)
		return -1;
	if (plan_kinds(perf, kinds, err) < 0)
		return -1;
	if (request->n_tracepoints && plan_tracepoints(perf, request, kinds, err) < 0)
		return -1;
	if (wt_scheduler_plan(perf, request, kinds, err) < 0)
		return -1;
	return request->n_counters ? wt_perf_counts_plan(perf, request, kinds, err) : 0;
}

int wt_perf_plan(const struct wt_perf_request *request, struct wt_kinds *kinds, struct wt_perf **ret,
		 struct wt_err *err)
{
	struct wt_perf *perf = calloc(1, sizeof(*perf));

	if (!perf)
		return wt_fail_nomem(err);
	perf->cpu_events = perf->wake = -1;
	wt_vary_seed(&perf->vary);
	if (plan(perf, request, kinds, err) < 0) {
		wt_perf_destroy(perf);
		return -1;
	}
	*ret = perf;
	return 0;
}
