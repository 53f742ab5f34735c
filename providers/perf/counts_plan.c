// SPDX-License-Identifier: MIT
/* Plans a group from the requested counters, and the provider whose events have a field for each. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/perf/internal.h"
#include "providers/perf/spec.h"
#include "tracecore/base/clock.h"
#include "tracecore/schema/builtin.h"

static const struct {
	const char *name;
	uint16_t event;
	uint64_t config;
} whats[WT_COUNTS_WHATS] = {
	[WT_COUNTS_SWITCH] = {"switch", WT_COUNTERS_SWITCH, PERF_COUNT_SW_CONTEXT_SWITCHES},
	[WT_COUNTS_INTERVAL] = {"interval", WT_COUNTERS_INTERVAL, PERF_COUNT_SW_CPU_CLOCK},
};

/* SUBSYSTEM:EVENT. A PMU's event may hold colons between its slashes. */
static bool is_tracepoint(const char *word)
{
	const char *colon = strchr(word, ':');

	return colon && !strchr(word, '/') && !isdigit((unsigned char)colon[1]);
}

static int point_number(const struct wt_perf_request *request, const char *word, uint64_t *ret,
			struct wt_err *err)
{
	struct wt_tp_system *systems = NULL;
	size_t n = 0;

	if (wt_tp_load(request->tracefs, &word, 1, &systems, &n, err) < 0)
		return -1;
	if (n == 1 && systems[0].n == 1)
		*ret = systems[0].points[0].id;
	else
		wt_fail(err, WT_ERR_USAGE, "counter '%s': one tracepoint is counted, not several", word);
	n = n == 1 && systems[0].n == 1 ? n : 0;
	wt_tp_destroy(systems, 1);
	return n ? 0 : -1;
}

static int find_event(const struct wt_perf_request *request, const char *word, struct perf_event_attr *attr,
		      struct wt_err *err)
{
	struct wt_perf_spec spec;
	uint64_t number = 0;

	if (is_tracepoint(word)) {
		if (point_number(request, word, &number, err) < 0)
			return -1;
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = number;
		return 0;
	}
	if (wt_perf_spec_parse(word, NULL, &spec, err) < 0)
		return -1;
	if (spec.period)
		return wt_fail(err, WT_ERR_USAGE,
			       "counter '%s': every event is counted, so a period means nothing here", word);
	if (wt_cpuset_end(&spec.cpus))
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "counter '%s' is not there on every CPU, and a group is opened on each", word);
	attr->type = spec.type;
	attr->config = spec.config;
	attr->config1 = spec.config1;
	attr->config2 = spec.config2;
	return 0;
}

/* The length of NAME in NAME=EVENT; 0: the word is an EVENT. */
static size_t own_name(const char *word)
{
	size_t len = strcspn(word, "=/:");

	return word[len] == '=' ? len : 0;
}

/* Characters that a field's name may not contain become '_'. */
static void name_field(struct wt_perf_counter *counter)
{
	size_t at = 0;

	if (isdigit((unsigned char)counter->name[0]))
		counter->field[at++] = '_';
	for (const char *p = counter->name; *p && at < sizeof(counter->field) - 1; p++)
		counter->field[at++] = isalnum((unsigned char)*p) ? *p : '_';
	while (at > 1 && counter->field[at - 1] == '_')
		at--;
	counter->field[at] = 0;
}

static bool is_taken(const struct wt_perf_counts *counts, const char *field)
{
	static const char *const own[] = {"certainty", "enabled", "running"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(own[i], field))
			return true;
	for (uint32_t i = 0; i < counts->n; i++)
		if (!strcmp(counts->counters[i].field, field))
			return true;
	return false;
}

/* The attribute is for CPUs, for all threads that run there. */
static void init_attr(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	wt_perf_attr_init(perf, attr);
	attr->inherit = attr->enable_on_exec = 0;
}

static int add_counter(struct wt_perf *perf, const struct wt_perf_request *request, const char *word,
		       struct wt_err *err)
{
	struct wt_perf_counts *counts = &perf->counts;
	struct wt_perf_counter *counter = &counts->counters[counts->n];
	size_t len = own_name(word) ? own_name(word) : strlen(word);

	if (counts->n == WT_PERF_COUNTS_MOST)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d counters in one session",
			       WT_PERF_COUNTS_MOST);
	if (len >= sizeof(counter->name))
		return wt_fail(err, WT_ERR_USAGE, "counter '%.40s...' is longer than %zu characters", word,
			       sizeof(counter->name) - 1);
	*counter = (struct wt_perf_counter){0};
	memcpy(counter->name, word, len);
	name_field(counter);
	if (is_taken(counts, counter->field))
		return wt_fail(err, WT_ERR_USAGE, "counter '%s' is given twice", word);
	init_attr(perf, &counter->attr);
	/* The group is enabled and disabled by its leader, and each counter is read alone at the end. */
	counter->attr.disabled = 0;
	counter->attr.sample_type = 0;
	counter->attr.sample_id_all = counter->attr.watermark = 0;
	counter->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (find_event(request, word, &counter->attr, err) < 0)
		return -1;
	counts->n++;
	return 0;
}

static int add_slot(struct wt_perf *perf, enum wt_perf_counts_what what,
		    const struct wt_perf_request *request, struct wt_err *err)
{
	struct wt_perf_counts *counts = &perf->counts;
	struct wt_perf_slot *slot = wt_perf_add_slot(perf, "counters", whats[what].name);

	if (!slot)
		return wt_fail_nomem(err);
	init_attr(perf, &slot->attr);
	slot->attr.type = PERF_TYPE_SOFTWARE;
	slot->attr.config = whats[what].config;
	slot->attr.sample_period = what == WT_COUNTS_SWITCH ? 1 : request->count_interval;
	slot->attr.sample_type |= PERF_SAMPLE_READ;
	slot->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				 PERF_FORMAT_TOTAL_TIME_RUNNING |
				 (perf->caps.format_lost ? PERF_FORMAT_LOST : 0);
	slot->attr.disabled = !counts->n_slots;
	slot->machine = slot->counts = true;
	if (request->count_stack)
		wt_perf_ask_stack(perf, &slot->attr);
	/* Where processes are traced, the switches of others are left out. */
	slot->period1 = what == WT_COUNTS_SWITCH && !perf->n_pids;
	counts->slots[what] = (uint32_t)perf->n_slots - 1;
	counts->n_slots++;
	return 0;
}

static void describe(struct wt_perf *perf, enum wt_perf_counts_what what, uint64_t interval)
{
	struct wt_perf_counts *counts = &perf->counts;
	struct wt_perf_slot *slot = &perf->slots[counts->slots[what]];
	size_t at = 0;

	for (uint32_t i = 0; i < counts->n && at < sizeof(slot->text); i++)
		at += (size_t)snprintf(slot->text + at, sizeof(slot->text) - at, "%s%s", i ? "+" : "",
				       counts->counters[i].name);
	if (at >= sizeof(slot->text))
		at = sizeof(slot->text) - 1;
	if (what == WT_COUNTS_SWITCH)
		snprintf(slot->text + at, sizeof(slot->text) - at, " of each thread");
	else
		snprintf(slot->text + at, sizeof(slot->text) - at, " of each CPU every %g ms",
			 (double)interval / 1e6);
}

static bool counts_ns(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int add_field(struct wt_event_desc *event, const char *name, const char *suffix, const char *help,
		     bool ns, struct wt_err *err)
{
	struct wt_field *fields = realloc(event->fields, (event->n_fields + (size_t)1) * sizeof(*fields)),
			*field;
	char full[160];

	if (!fields)
		return wt_fail_nomem(err);
	snprintf(full, sizeof(full), "%s%s", name, suffix);
	event->fields = fields;
	field = &fields[event->n_fields];
	*field = (struct wt_field){.name = strdup(full),
				   .type = WT_TYPE_U64,
				   .count = 1,
				   .unit = ns ? strdup("ns") : NULL,
				   .help = strdup(help)};
	event->n_fields++;
	return field->name && field->help && (!ns || field->unit) ? 0 : wt_fail_nomem(err);
}

static int add_fields(const struct wt_perf_counts *counts, struct wt_event_desc *event, struct wt_err *err)
{
	char help[160];

	for (uint32_t i = 0; i < counts->n; i++) {
		const struct wt_perf_counter *counter = &counts->counters[i];
		bool ns = counts_ns(&counter->attr);

		snprintf(help, sizeof(help), "%s", counter->name);
		if (add_field(event, counter->field, "", help, ns, err))
			return -1;
		snprintf(help, sizeof(help), "%s, so far", counter->name);
		if (event->id == WT_COUNTERS_INTERVAL &&
		    add_field(event, counter->field, "_so_far", help, ns, err))
			return -1;
	}
	return 0;
}

static int fill_map(const struct wt_perf_counts *counts, struct wt_provider *provider, struct wt_err *err)
{
	struct wt_named entries[WT_PERF_COUNTS_MOST] = {{0}};

	for (uint32_t i = 0; i < counts->n; i++)
		entries[i] = (struct wt_named){.name = (char *)counts->counters[i].name, .value = i};
	return wt_provider_set_map(provider, "counters", entries, counts->n, err);
}

static int add_provider(struct wt_perf *perf, struct wt_kinds *kinds, struct wt_err *err)
{
	struct wt_perf_counts *counts = &perf->counts;
	struct wt_provider *provider;
	uint32_t first = 0;
	int ret;

	if (wt_builtin_provider("counters", &provider, err) < 0)
		return -1;
	ret = fill_map(counts, provider, err);
	for (uint32_t i = 0; i < provider->n_events && !ret; i++)
		if (provider->events[i].id != WT_COUNTERS_TOTAL)
			ret = add_fields(counts, &provider->events[i], err);
	if (!ret)
		ret = wt_kinds_add(kinds, provider, &first, err);
	if (ret) {
		wt_provider_destroy(provider);
		return -1;
	}
	for (int what = 0; what < WT_COUNTS_WHATS; what++)
		if (counts->slots[what] != UINT32_MAX)
			perf->slots[counts->slots[what]].kind = wt_perf_kind_of(kinds, "counters",
										whats[what].event);
	counts->rest_kind = wt_perf_kind_of(kinds, "counters", WT_COUNTERS_REST);
	counts->total_kind = wt_perf_kind_of(kinds, "counters", WT_COUNTERS_TOTAL);
	return 0;
}

static int add_windowsperf(struct wt_perf *perf, bool wanted, struct wt_kinds *kinds, struct wt_err *err)
{
	uint32_t *ret = perf->counts.gpc_kinds, first;
	struct wt_provider *provider;

	ret[0] = ret[1] = WT_KIND_NONE;
	if (!wanted)
		return 0;
	if (wt_builtin_provider("windowsperf", &provider, err) < 0)
		return -1;
	if (wt_kinds_add(kinds, provider, &first, err) < 0) {
		wt_provider_destroy(provider);
		return -1;
	}
	ret[0] = wt_perf_kind_of(kinds, "windowsperf", 1);
	ret[1] = wt_perf_kind_of(kinds, "windowsperf", 2);
	return 0;
}

int wt_perf_counts_plan(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_kinds *kinds,
			struct wt_err *err)
{
	const bool wanted[WT_COUNTS_WHATS] = {request->count_switches, request->count_interval != 0};

	for (int what = 0; what < WT_COUNTS_WHATS; what++)
		perf->counts.slots[what] = UINT32_MAX;
	if (!perf->caps.whole_system)
		return wt_fail(err, WT_ERR_PERMISSION,
			       "counters count all code on a CPU, and kernel.perf_event_paranoid is %d; run "
			       "as root, or sysctl kernel.perf_event_paranoid=0",
			       perf->caps.paranoid);
	for (size_t i = 0; i < request->n_counters; i++)
		if (add_counter(perf, request, request->counters[i], err) < 0)
			return -1;
	for (int what = 0; what < WT_COUNTS_WHATS; what++) {
		if (!wanted[what])
			continue;
		if (add_slot(perf, (enum wt_perf_counts_what)what, request, err) < 0)
			return -1;
		describe(perf, (enum wt_perf_counts_what)what, request->count_interval);
	}
	return add_provider(perf, kinds, err) < 0 ? -1
						  : add_windowsperf(perf, request->windowsperf, kinds, err);
}
