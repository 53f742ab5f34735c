// SPDX-License-Identifier: MIT
#include "providers/perf/spec.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "providers/perf/tracepoint.h"
#include "tracecore/base/nearest.h"

static const struct named_event {
	const char *name;
	uint32_t type;
	uint32_t config;
	const char *help;
} events[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "CPU cycles"},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "CPU cycles, other name"},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions retired"},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "last-level cache accesses"},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "last-level cache misses"},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branch instructions"},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "mispredicted branches"},
	{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus cycles"},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "cycles at constant frequency"},
	{"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	 "cycles without instructions to issue"},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	 "cycles waiting for data or units"},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "CPU time by a timer, ns"},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "a task's CPU time by a timer, ns"},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults"},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "page faults without I/O"},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "page faults with I/O"},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context switches"},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "moves to another CPU"},
	{"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment faults"},
	{"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "emulated instructions"},
};

/* Cache events are cache x operation x result; the names are the products of these. */
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const operations[] = {"load", "store", "prefetch"};

enum {
	N_EVENTS = sizeof(events) / sizeof(events[0]),
	N_CACHES = sizeof(caches) / sizeof(caches[0]),
	N_CACHE_EVENTS = N_CACHES * 3 * 2,
};

struct cache_name {
	char text[40];
};

static struct cache_name cache_event_name(unsigned i)
{
	const char *operation = operations[i / 2 % 3];
	struct cache_name name;

	if (i % 2)
		snprintf(name.text, sizeof(name.text), "%s-%s-misses", caches[i / 6], operation);
	else
		snprintf(name.text, sizeof(name.text), "%s-%s%s", caches[i / 6], operation,
			 i / 2 % 3 == 2 ? "es" : "s");
	return name;
}

static uint64_t cache_event_config(unsigned i)
{
	return i / 6 | (uint64_t)(i / 2 % 3) << 8 | (uint64_t)(i % 2) << 16;
}

void wt_perf_spec_each(void (*fn)(void *ctx, const char *group, const char *name, const char *help),
		       void *ctx)
{
	for (unsigned i = 0; i < N_EVENTS; i++)
		fn(ctx, events[i].type == PERF_TYPE_HARDWARE ? "hardware" : "software", events[i].name,
		   events[i].help);
	for (unsigned i = 0; i < N_CACHE_EVENTS; i++) {
		struct cache_name name = cache_event_name(i);

		fn(ctx, "hardware", name.text, "cache event");
	}
}

struct tracepoint_search {
	const char *word;
	char found[256]; /* the name for -p; empty: none */
};

/* Compares with an event or a subsystem, because trace-cmd accepts both. */
static void compare_tracepoint(void *ctx, const char *name)
{
	struct tracepoint_search *search = ctx;
	const char *event = strchr(name, ':');
	size_t len = event ? (size_t)(event - name) : 0;

	if (search->found[0] || !event)
		return;
	if (!strcmp(event + 1, search->word))
		snprintf(search->found, sizeof(search->found), "linux:%s", name);
	else if (strlen(search->word) == len && !memcmp(name, search->word, len))
		snprintf(search->found, sizeof(search->found), "'linux:%s:*'", search->word);
}

static int fail_unknown_event(const char *word, struct wt_err *err)
{
	struct tracepoint_search search = {.word = word};
	struct cache_name names[N_CACHE_EVENTS];
	const char *candidates[N_EVENTS + N_CACHE_EVENTS];

	for (unsigned i = 0; i < N_EVENTS; i++)
		candidates[i] = events[i].name;
	for (unsigned i = 0; i < N_CACHE_EVENTS; i++) {
		names[i] = cache_event_name(i);
		candidates[N_EVENTS + i] = names[i].text;
	}
	/* Without tracefs there are no tracepoints to find. */
	wt_tp_each(NULL, compare_tracepoint, &search, NULL);
	if (search.found[0])
		return wt_fail(err, WT_ERR_USAGE, "'%s' is not an event to sample; it is a tracepoint: -p %s",
			       word, search.found);
	return wt_fail_unknown(err, "event", word, candidates, N_EVENTS + N_CACHE_EVENTS);
}

static bool is_raw(const char *word)
{
	size_t len = strlen(word);

	return word[0] == 'r' && len >= 2 && len <= 17 &&
	       strspn(word + 1, "0123456789abcdefABCDEF") == len - 1;
}

static int parse_name(const char *word, struct wt_perf_spec *ret, struct wt_err *err)
{
	if (is_raw(word)) {
		ret->type = PERF_TYPE_RAW;
		ret->config = strtoull(word + 1, NULL, 16);
		return 0;
	}
	for (unsigned i = 0; i < N_EVENTS; i++)
		if (!strcasecmp(word, events[i].name)) {
			ret->type = events[i].type;
			ret->config = events[i].config;
			return 0;
		}
	for (unsigned i = 0; i < N_CACHE_EVENTS; i++)
		if (!strcasecmp(word, cache_event_name(i).text)) {
			ret->type = PERF_TYPE_HW_CACHE;
			ret->config = cache_event_config(i);
			return 0;
		}
	return fail_unknown_event(word, err);
}

/* True for perf's modifiers behind an event: cycles:u, cycles:kpp. */
static bool is_modifier(const char *text)
{
	return text[0] && !text[strspn(text, "ukhGHIpPSDWebR")];
}

/* Cuts ":PERIOD" off name. A PMU event may itself contain colons between its slashes. */
static int cut_period(struct wt_perf_spec *spec, struct wt_err *err)
{
	char *slash = strrchr(spec->name, '/');
	char *colon = strchr(slash ? slash : spec->name, ':');

	if (!colon)
		return 0;
	*colon = 0;
	if (is_modifier(colon + 1))
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s': perf's modifier ':%s' is not known here, only a period "
			       "(EVENT[:PERIOD]); user and kernel are both sampled",
			       spec->name, colon + 1);
	if (!strcmp(spec->name, "mem"))
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s:%s': accesses of an address (breakpoints) are not recorded; wtrace "
			       "list events shows what is",
			       spec->name, colon + 1);
	if (!strchr(spec->name, '/') && (isalpha((unsigned char)colon[1]) || colon[1] == '*'))
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s': period '%s' is not a positive number; a kernel tracepoint is "
			       "recorded with -p linux:%s:%s",
			       spec->name, colon + 1, spec->name, colon + 1);
	if (!wt_text_u64(colon + 1, &spec->period) || !spec->period || spec->period >> 63)
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s': period '%s' is not a positive number (digits alone, as in "
			       "%s:1000000)",
			       spec->name, colon + 1, spec->name);
	return 0;
}

/* Cuts NAME off and returns the EVENT of NAME=EVENT; NULL: there is no NAME. */
static char *cut_name(char *word)
{
	char *equals = strchr(word, '=');

	if (!equals || memchr(word, '/', (size_t)(equals - word)))
		return NULL;
	*equals = 0;
	return equals + 1;
}

int wt_perf_spec_parse(const char *word, const char *devices, struct wt_perf_spec *ret, struct wt_err *err)
{
	struct wt_perf_spec spec = {.period = 0};
	char *event;
	int n = snprintf(spec.name, sizeof(spec.name), "%s", word);

	if (n <= 0)
		return wt_fail(err, WT_ERR_USAGE, "an event name is empty");
	if ((size_t)n >= sizeof(spec.name))
		return wt_fail(err, WT_ERR_USAGE, "event '%.40s...' is longer than %zu characters", word,
			       sizeof(spec.name) - 1);
	if (cut_period(&spec, err) < 0)
		return -1;
	event = cut_name(spec.name);
	if (event && (!spec.name[0] || !event[0]))
		return wt_fail(err, WT_ERR_USAGE, "event '%s' is not of the form NAME=EVENT", word);
	event = event ? event : spec.name;
	if (strchr(event, '/') ? wt_perf_pmu_parse(event, devices, &spec, err) < 0
			       : parse_name(event, &spec, err) < 0)
		return -1;
	*ret = spec;
	return 0;
}

/* Events of one of several core PMUs have the PMU's type in the upper half. */
static const char *usual_name(const struct wt_perf_spec *spec, struct cache_name *scratch)
{
	for (unsigned i = 0; i < N_EVENTS; i++)
		if (spec->type == events[i].type && (uint32_t)spec->config == events[i].config)
			return events[i].name;
	for (unsigned i = 0; i < N_CACHE_EVENTS; i++)
		if (spec->type == PERF_TYPE_HW_CACHE && (uint32_t)spec->config == cache_event_config(i)) {
			*scratch = cache_event_name(i);
			return scratch->text;
		}
	return NULL;
}

bool wt_perf_spec_word(const struct wt_perf_spec *spec, const char *pmu, char *ret, size_t size)
{
	typedef unsigned long long ull;
	struct cache_name scratch;
	const char *name = usual_name(spec, &scratch);
	int n;

	if (name)
		n = snprintf(ret, size, "%s", name);
	else if (spec->type == PERF_TYPE_RAW && !spec->config1 && !spec->config2)
		n = snprintf(ret, size, "r%llx", (ull)spec->config);
	else
		n = snprintf(ret, size, "%s/config=0x%llx,config1=0x%llx,config2=0x%llx/", pmu,
			     (ull)spec->config, (ull)spec->config1, (ull)spec->config2);
	return n > 0 && (size_t)n < size;
}
