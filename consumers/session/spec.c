// SPDX-License-Identifier: MIT
#include "consumers/session/spec.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "consumers/session/other_name.h"
#include "consumers/session/place.h"
#include "consumers/session/spec_word.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/nearest.h"

/* The default of --count-interval. */
#define COUNT_NS (WT_NSEC / 10)

void wt_spec_init(struct wt_spec *spec)
{
	*spec = (struct wt_spec){.flush_ns = WT_NSEC};
}

static struct wt_spec_provider *find_provider(struct wt_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_providers; i++)
		if (!spec->providers[i].user && !strcmp(spec->providers[i].name, name))
			return &spec->providers[i];
	return NULL;
}

static int add_provider(struct wt_spec *spec, const char *name, const char *reason, struct wt_err *err)
{
	char word[64];

	if (find_provider(spec, name))
		return 0;
	snprintf(word, sizeof(word), "%s", name);
	if (wt_spec_parse_provider(spec, word, err) < 0)
		return -1;
	if (reason) {
		spec->providers[spec->n_providers - 1].added = true;
		if (*reason)
			wt_note("provider %s turned on: %s", name, reason);
	}
	return 0;
}

/* True when a name of --stackwalk=LIST names this provider: by the provider's name, or for a tracepoint also
 * by its event's. */
static bool stack_name_matches(const struct wt_spec_provider *item, const char *name)
{
	char full[520];

	if (!strcasecmp(name, item->name))
		return true;
	for (size_t i = 0; i < wt_spec_n_known; i++)
		if (!strcasecmp(name, wt_spec_known[i].alias) && !strcmp(item->name, wt_spec_known[i].name))
			return true;
	if (!item->event)
		return false;
	snprintf(full, sizeof(full), "%s:%s", item->name, item->event);
	return !strcmp(name, full) || !strcmp(name, item->event);
}

static int apply_stack_list(struct wt_spec *spec, struct wt_err *err)
{
	for (size_t s = 0; s < spec->n_stack_list; s++) {
		const char *names[WT_SPEC_MAX];
		bool found = false;

		for (size_t i = 0; i < spec->n_providers; i++) {
			names[i] = spec->providers[i].name;
			if (!stack_name_matches(&spec->providers[i], spec->stack_list[s]))
				continue;
			spec->providers[i].stack = true;
			found = true;
		}
		/* An invalid name in -p is reported first. */
		for (size_t i = 0; !found && i < spec->n_providers; i++)
			if (spec->providers[i].user && !spec->providers[i].sure &&
			    wt_other_name(&spec->providers[i], err))
				return -1;
		if (!found) {
			wt_fail_unknown(err, "provider in --stackwalk", spec->stack_list[s], names,
					spec->n_providers);
			return -1;
		}
	}
	return 0;
}

bool wt_spec_has_programs(const struct wt_spec *spec)
{
	for (size_t i = 0; i < spec->n_providers; i++)
		if (spec->providers[i].user)
			return true;
	return false;
}

static bool asks_kernel(const struct wt_spec *spec)
{
	for (size_t i = 0; i < spec->n_providers; i++)
		if (!spec->providers[i].user)
			return true;
	return spec->n_events || !spec->n_providers;
}

static int check_scope(const struct wt_spec *spec, struct wt_err *err)
{
	if (geteuid() == 0 || spec->child || spec->n_pids || spec->only_programs)
		return 0;
	return wt_fail(err, WT_ERR_PERMISSION,
		       "recording the whole machine needs root; your own processes: 'wtrace record -o FILE "
		       "-- COMMAND' or "
		       "--pid PID");
}

static int make_absolute(char **path, struct wt_err *err)
{
	char cwd[PATH_MAX], full[PATH_MAX * 2];

	if (!*path || (*path)[0] == '/')
		return 0;
	if (!getcwd(cwd, sizeof(cwd)))
		return wt_fail_errno(err, "cannot find the current directory");
	snprintf(full, sizeof(full), "%s/%s", cwd, *path);
	return wt_spec_copy(path, full, err);
}

static int settle_unwind(struct wt_spec *spec, bool stacks, struct wt_err *err)
{
	if (!stacks && (spec->unwind || spec->stack_bytes))
		return wt_fail(err, WT_ERR_USAGE,
			       "%s has no effect: no stacks are recorded (--stackwalk records them)",
			       spec->stack_bytes ? "--stack-bytes" : "--unwind");
	if (spec->unwind == WT_UNWIND_FP && spec->stack_bytes)
		return wt_fail(err, WT_ERR_USAGE,
			       "--stack-bytes copies stacks for tables; with --unwind=fp none is copied");
	spec->stack_must = spec->unwind == WT_UNWIND_TABLES || spec->stack_bytes;
	if (stacks && spec->unwind != WT_UNWIND_FP && !spec->stack_bytes)
		spec->stack_bytes = WT_PERF_STACK_CHOSEN;
	return 0;
}

/* Adds providers that are necessary to read the requested events. */
static int add_helpers(struct wt_spec *spec, bool code, struct wt_err *err)
{
	bool images = code && !find_provider(spec, "loader"), tasks = !find_provider(spec, "proc_thread");

	if ((images && add_provider(spec, "loader", "", err)) ||
	    (tasks && add_provider(spec, "proc_thread", "", err)))
		return -1;
	if (images || tasks)
		wt_note("%s%s%s turned on: names of %s%s%s need %s", images ? "loader" : "",
			images && tasks ? " and " : "", tasks ? "proc_thread" : "", images ? "code" : "",
			images && tasks ? " and " : "", tasks ? "processes" : "",
			images && tasks ? "them" : "it");
	return 0;
}

int wt_spec_settle(struct wt_spec *spec, struct wt_err *err)
{
	bool stacks = spec->stackwalk || spec->n_stack_list;

	if (!spec->session && wt_spec_copy(&spec->session, WT_SESSION_DEFAULT, err) < 0)
		return -1;
	spec->only_programs = !asks_kernel(spec);
	/* Programs report their events without the kernel. The kernel adds only names of code and processes,
	 * and for processes of all users only root may read them. */
	spec->no_kernel = spec->only_programs && geteuid() != 0 && !spec->child && !spec->n_pids;
	if (make_absolute(&spec->output, err) < 0 || check_scope(spec, err) < 0)
		return -1;
	if (!spec->n_providers && add_provider(spec, "pmu-profile", NULL, err) < 0)
		return -1;
	if (spec->n_events && !find_provider(spec, "pmu-profile") &&
	    add_provider(spec, "pmu-profile", "-e names events to sample", err) < 0)
		return -1;
	if (spec->count_ns && !spec->n_counters)
		return wt_fail(err, WT_ERR_USAGE,
			       "--count-interval belongs to provider counters, which -p does not name "
			       "(counters:EVENT+EVENT...)");
	if (find_provider(spec, "windowsperf") && !spec->n_counters)
		return wt_fail(err, WT_ERR_USAGE,
			       "windowsperf reports the counts of provider counters, which -p does not name "
			       "(counters:EVENT+EVENT...)");
	if (apply_stack_list(spec, err) < 0)
		return -1;
	for (size_t i = 0; i < spec->n_providers; i++) {
		struct wt_spec_provider *item = &spec->providers[i];

		item->stack |= spec->stackwalk && !item->bare &&
			       (item->user || item->event || !strcmp(item->name, "pmu-profile") ||
				!strcmp(item->name, "cswitch") || !strcmp(item->name, "dispatcher"));
		stacks |= item->stack;
	}
	if (settle_unwind(spec, stacks, err) < 0)
		return -1;
	/* The tables name the writing processes, and events of other processes were not requested. Near-idle
	 * programs would have logs full of them. */
	if (spec->no_kernel || (spec->only_programs && !stacks))
		return 0;
	return add_helpers(spec, stacks || find_provider(spec, "pmu-profile"), err);
}

/* True when only programs' events are recorded, none with a stack. */
static bool needs_no_images(const struct wt_spec *spec)
{
	return spec->only_programs && !wt_program_rules_have_stacks(spec->rules, spec->n_rules);
}

void wt_spec_perf_request(struct wt_spec *spec, struct wt_perf_request *ret,
			  struct wt_perf_tracepoint *tracepoints, char (*names)[256])
{
	*ret = (struct wt_perf_request){
		.nothing = spec->no_kernel,
		.no_images = spec->no_images = needs_no_images(spec),
		.events = (const char **)spec->events,
		.n_events = spec->n_events,
		.frequency = spec->frequency,
		.pids = spec->pids,
		.n_pids = spec->n_pids,
		.child = spec->child,
		.cpus = spec->cpus,
		.n_cpus = spec->n_cpus,
		.tracepoints = tracepoints,
		.stack_bytes = spec->stack_bytes,
		.stack_must = spec->stack_must,
	};
	for (size_t i = 0; i < spec->n_providers; i++) {
		const struct wt_spec_provider *item = &spec->providers[i];

		ret->loader |= !strcmp(item->name, "loader");
		ret->proc_thread |= !strcmp(item->name, "proc_thread");
		if (!strcmp(item->name, "pmu-profile")) {
			ret->profile = true;
			ret->profile_stack |= item->stack;
		}
		if (!item->user && !strcmp(item->name, "cswitch")) {
			ret->cswitch = true;
			ret->cswitch_stack |= item->stack;
		}
		if (!item->user && !strcmp(item->name, "dispatcher")) {
			ret->dispatcher = true;
			ret->dispatcher_stack |= item->stack;
		}
		if (!item->event)
			continue;
		snprintf(names[ret->n_tracepoints], 256, "%s:%s", item->name + strlen("linux:"), item->event);
		tracepoints[ret->n_tracepoints] = (struct wt_perf_tracepoint){
			.name = names[ret->n_tracepoints], .stack = item->stack};
		ret->n_tracepoints++;
	}
	ret->counters = (const char **)spec->counters;
	ret->n_counters = spec->n_counters;
	ret->windowsperf = find_provider(spec, "windowsperf");
	for (size_t i = 0; i < spec->n_providers; i++)
		if (!strcmp(spec->providers[i].name, "counters") && !spec->providers[i].user) {
			uint8_t level = spec->providers[i].level;

			ret->count_switches = !level || level >= WT_LEVEL_VERBOSE;
			ret->count_stack = spec->providers[i].stack;
			ret->count_interval = spec->count_ns ? spec->count_ns : COUNT_NS;
		}
	if (spec->buffer_bytes) {
		uint64_t pages = spec->buffer_bytes / (uint64_t)sysconf(_SC_PAGESIZE);
		uint32_t power = 1;

		while (power < pages && power < 1u << 20)
			power *= 2;
		ret->sample_pages = power;
	}
}

/* Converts KEYWORDS to a mask: a number, or the provider's names joined by '|'. */
static int keyword_mask(const struct wt_provider *provider, const char *text, uint64_t *ret,
			struct wt_err *err)
{
	char *copy, *rest, *word;
	int rc = 0;

	if (isdigit((unsigned char)text[0]))
		return wt_spec_number(text, "keywords", UINT64_MAX, ret, err);
	copy = rest = strdup(text);
	if (!copy)
		return wt_fail_nomem(err);
	*ret = 0;
	while (rc == 0 && (word = strsep(&rest, "|"))) {
		const char *names[64];
		uint32_t i;

		for (i = 0; i < provider->n_keywords && i < 64; i++) {
			names[i] = provider->keywords[i].name;
			if (!strcasecmp(names[i], word))
				break;
		}
		if (i < provider->n_keywords && i < 64)
			*ret |= provider->keywords[i].value;
		else
			rc = wt_fail_unknown(err, "keyword", word, names, i);
	}
	free(copy);
	return rc;
}

/* ETW's rule: level 0 passes on either side, keyword 0 of the event passes, mask 0 means all. */
static bool passes(const struct wt_event_desc *event, uint64_t mask, uint8_t level)
{
	bool level_ok = !level || !event->level || event->level <= level;

	return level_ok && (!mask || !event->keywords || (event->keywords & mask));
}

static int enable_provider(const struct wt_spec_provider *item, const struct wt_kinds *kinds, bool *enabled,
			   struct wt_err *err)
{
	for (uint32_t k = 0; k < kinds->n; k++) {
		const struct wt_kind *kind = &kinds->kinds[k];
		uint64_t mask = 0;

		if (strcmp(kind->provider->name, item->name))
			continue;
		if (item->event && !wt_perf_event_matches(item->event, kind->event->name))
			continue;
		if (item->keywords && keyword_mask(kind->provider, item->keywords, &mask, err) < 0)
			return -1;
		enabled[k] |= passes(kind->event, mask, item->level);
	}
	return 0;
}

int wt_spec_enabled_kinds(const struct wt_spec *spec, const struct wt_kinds *kinds, bool **ret,
			  struct wt_err *err)
{
	bool *enabled = calloc(kinds->n ? kinds->n : 1, sizeof(*enabled));

	if (!enabled)
		return wt_fail_nomem(err);
	for (uint32_t k = 0; k < kinds->n; k++)
		enabled[k] = !strcmp(kinds->kinds[k].provider->name, "wtrace");
	for (size_t i = 0; i < spec->n_providers; i++) {
		if (enable_provider(&spec->providers[i], kinds, enabled, err) < 0) {
			free(enabled);
			return -1;
		}
	}
	*ret = enabled;
	return 0;
}

void wt_spec_deinit(struct wt_spec *spec)
{
	free(spec->command);
	for (size_t i = 0; i < spec->n_providers; i++) {
		free(spec->providers[i].name);
		free(spec->providers[i].event);
		free(spec->providers[i].keywords);
	}
	for (size_t i = 0; i < spec->n_events; i++)
		free(spec->events[i]);
	for (size_t i = 0; i < spec->n_stack_list; i++)
		free(spec->stack_list[i]);
	for (size_t i = 0; i < spec->n_counters; i++)
		free(spec->counters[i]);
	for (size_t i = 0; i < spec->n_filters; i++)
		free(spec->filters[i]);
	for (size_t i = 0; i < spec->n_manifests; i++)
		free(spec->manifests[i]);
	free(spec->rules);
	free(spec->session);
	free(spec->output);
	*spec = (struct wt_spec){0};
}
