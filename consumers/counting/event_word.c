// SPDX-License-Identifier: MIT
#include "consumers/counting/event_word.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "providers/perf/counter.h"
#include "providers/perf/tracepoint.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

#define NAME_SIZE sizeof(((struct wt_count_event *)0)->name)

/* A word without its modes. */
struct word {
	char name[NAME_SIZE];
	char modes[16]; /* with their colon; "": none */
	unsigned exclude;
	const struct wt_cores *cores;
	const char *tracefs;
	struct wt_count_event **events; /* found so far */
	size_t *n;
	struct wt_err *err;
};

void wt_event_word_free(struct wt_count_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(events[i].ways);
	free(events);
}

/* ---- modes ---- */

#define PERF_MODES "ukhGHIpPSDWebR"

static bool look_like_modes(const char *text)
{
	return text[0] && !text[strspn(text, PERF_MODES)];
}

int wt_event_modes(const char *modes, unsigned *ret, struct wt_err *err)
{
	/* S asks for all counts of a group beside each sample; without samples they are read together anyway.
	 */
	size_t others = strspn(modes, "ukhGHS");
	bool places = strpbrk(modes, "ukh"), worlds = strpbrk(modes, "GH");

	if (modes[others] && strchr("pP", modes[others]))
		return wt_fail(
			err, WT_ERR_USAGE,
			"mode '%c' belongs to sampling, not to counting; modes here are u, k, h, G and H",
			modes[others]);
	if (modes[others] && strchr(PERF_MODES, modes[others]))
		return wt_fail(
			err, WT_ERR_USAGE,
			"mode '%c' of perf is not known here; leave it out: modes here are u, k, h, G and "
			"H",
			modes[others]);
	if (!modes[0] || modes[others])
		return wt_fail(err, WT_ERR_USAGE, "':%.40s' is no mode; modes are u, k, h, G and H", modes);
	*ret = 0;
	if (places)
		*ret |= (strchr(modes, 'u') ? 0u : WT_NOT_IN_USER) |
			(strchr(modes, 'k') ? 0u : WT_NOT_IN_KERNEL) |
			(strchr(modes, 'h') ? 0u : WT_NOT_IN_HYPERVISOR);
	if (worlds)
		*ret |= (strchr(modes, 'H') ? 0u : WT_NOT_IN_HOST) |
			(strchr(modes, 'G') ? 0u : WT_NOT_IN_GUEST);
	return 0;
}

/* The text after a PMU's second slash, or after the last colon if it can be modes. */
static char *find_modes(char *name)
{
	char *slash = strrchr(name, '/'), *colon = strrchr(slash ? slash : name, ':');

	if (slash && slash != strchr(name, '/') && slash[1] && slash[1] != ':') {
		memmove(slash + 2, slash + 1, strlen(slash));
		slash[1] = '\0';
		return slash + 2;
	}
	if (!colon || (!slash && !look_like_modes(colon + 1)))
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static int cut_modes(struct word *word)
{
	char *modes = find_modes(word->name);

	if (!modes)
		return 0;
	if (wt_event_modes(modes, &word->exclude, word->err))
		return wt_fail_prefix(word->err, "event '%s'", word->name);
	snprintf(word->modes, sizeof(word->modes), ":%s", modes);
	return 0;
}

/* ---- what was found ---- */

static struct wt_count_event *add_event(struct word *word, const char *name)
{
	struct wt_count_event *event;

	if (wt_grow_one(word->events, *word->n, word->err))
		return NULL;
	event = &(*word->events)[(*word->n)++];
	*event = (struct wt_count_event){
		.modes = word->modes[0], .exclude = word->exclude, .group = WT_COUNT_NO_GROUP};
	snprintf(event->name, sizeof(event->name), "%s%s", name, word->modes);
	return event;
}

static int add_way(struct word *word, struct wt_count_event *event, const struct wt_perf_spec *spec, int core)
{
	struct wt_count_way *way;

	if (wt_grow_one(&event->ways, event->n_ways, word->err))
		return -1;
	way = &event->ways[event->n_ways++];
	*way = (struct wt_count_way){.spec = *spec, .core = core};
	snprintf(way->spec.name, sizeof(way->spec.name), "%s", event->name);
	return 0;
}

/* A generic or raw event for the PMU of a core type, where there are several types. */
static void aim(struct wt_perf_spec *spec, const struct wt_core_type *core)
{
	if (core->pmu < 0)
		return;
	spec->cpus = core->cpus;
	if (spec->type == WT_SPEC_RAW)
		spec->type = (uint32_t)core->pmu;
	else
		spec->config |= (uint64_t)core->pmu << 32;
}

static bool is_of_cores(const struct wt_perf_spec *spec)
{
	return spec->type == WT_SPEC_HARDWARE || spec->type == WT_SPEC_CACHE || spec->type == WT_SPEC_RAW;
}

static int add_spec(struct word *word, const struct wt_perf_spec *spec)
{
	struct wt_count_event *event = add_event(word, word->name);
	bool aimed = is_of_cores(spec) && word->cores->n > 1;

	if (!event)
		return -1;
	if (!aimed)
		return add_way(word, event, spec, -1);
	for (size_t i = 0; i < word->cores->n; i++) {
		struct wt_perf_spec one = *spec;

		aim(&one, &word->cores->types[i]);
		if (add_way(word, event, &one, (int)i))
			return -1;
	}
	return 0;
}

/* ---- names of the CPU's model ---- */

/* An event on each PMU of a name. */
struct placing {
	struct word *word;
	struct wt_count_event *event;
	const char *terms;                /* "/TERMS/"; "//": the numbers are config and its like */
	const struct wt_pmu_event *found; /* NULL: the terms are all */
	size_t n;
	int rc;
};

static void place(void *ctx, const char *pmu)
{
	struct placing *placing = ctx;
	struct word *word = placing->word;
	char full[NAME_SIZE];
	struct wt_perf_spec spec;

	placing->n++;
	if (placing->rc)
		return;
	snprintf(full, sizeof(full), "%s%s", pmu, placing->terms);
	placing->rc = wt_perf_spec_parse(full, word->cores->devices, &spec, word->err);
	if (!placing->rc && placing->found) {
		spec.config = placing->found->config;
		spec.config1 = placing->found->config1;
		spec.config2 = placing->found->config2;
	}
	if (!placing->rc)
		placing->rc = add_way(word, placing->event, &spec, -1);
}

static int place_outside(struct word *word, struct wt_count_event *event, const struct wt_pmu_event *found)
{
	struct placing placing = {.word = word, .event = event, .terms = "//", .found = found};

	wt_counter_pmus(word->cores->devices, found->pmu, place, &placing);
	if (placing.n)
		return placing.rc;
	return wt_fail(word->err, WT_ERR_USAGE,
		       "event '%s' belongs to the PMU '%s', which this machine does not have", word->name,
		       found->pmu);
}

static int place_in_core(struct word *word, struct wt_count_event *event, const struct wt_pmu_event *found,
			 size_t core)
{
	struct wt_perf_spec spec = {.type = WT_SPEC_RAW,
				    .config = found->config,
				    .config1 = found->config1,
				    .config2 = found->config2};

	aim(&spec, &word->cores->types[core]);
	return add_way(word, event, &spec, word->cores->n > 1 ? (int)core : -1);
}

/* Handles events that the vendor counts in one mode only. */
static void narrow(struct wt_count_event *event, const struct wt_pmu_event *found)
{
	if (event->modes || (!found->no_user && !found->no_kernel))
		return;
	event->modes = true;
	event->exclude = (found->no_user ? WT_NOT_IN_USER : 0u) | (found->no_kernel ? WT_NOT_IN_KERNEL : 0u);
}

/* 1: no model has it. */
static int read_model(struct word *word)
{
	struct wt_count_event *event = NULL;

	for (size_t i = 0; i < word->cores->n; i++) {
		const struct wt_pmu_event *found = wt_pmu_event_named(word->cores->types[i].model,
								      word->name);

		if (!found)
			continue;
		if (!event && !(event = add_event(word, found->name)))
			return -1;
		narrow(event, found);
		if (found->pmu && event->n_ways)
			continue;
		if (found->pmu ? place_outside(word, event, found) : place_in_core(word, event, found, i))
			return -1;
	}
	return event ? 0 : 1;
}

/* ---- tracepoints ---- */

static int read_tracepoint(struct word *word)
{
	const char *name = !strncmp(word->name, "linux:", 6) ? word->name + 6 : word->name;
	struct wt_tp_system *systems = NULL;
	size_t n = 0;
	int rc = wt_tp_load(word->tracefs, &name, 1, &systems, &n, word->err);

	for (size_t i = 0; !rc && i < n; i++)
		for (size_t k = 0; !rc && k < systems[i].n; k++) {
			const struct wt_tracepoint *point = &systems[i].points[k];
			char full[NAME_SIZE];
			struct wt_count_event *event;
			struct wt_perf_spec spec;

			snprintf(full, sizeof(full), "%s:%s", point->system, point->name);
			event = add_event(word, full);
			wt_counter_tracepoint(point->id, full, &spec);
			rc = event ? add_way(word, event, &spec, -1) : -1;
		}
	wt_tp_destroy(systems, n);
	return rc;
}

/* ---- what is wrong ---- */

struct candidates {
	const char **names; /* texts of models are theirs; others are owned, in `made` */
	char **made;
	size_t n, n_made;
};

static void add_candidate(struct candidates *all, const char *name)
{
	if (!wt_grow_one(&all->names, all->n, NULL))
		all->names[all->n++] = name;
}

static void on_spec_name(void *ctx, const char *group, const char *name, const char *help)
{
	struct candidates *all = ctx;
	char *copy = strdup(name);

	(void)group;
	(void)help;
	if (!copy || wt_grow_one(&all->made, all->n_made, NULL)) {
		free(copy);
		return;
	}
	all->made[all->n_made++] = copy;
	add_candidate(all, copy);
}

struct point_search {
	const char *word;
	char found[NAME_SIZE];
};

static void compare_point(void *ctx, const char *name)
{
	struct point_search *search = ctx;
	const char *event = strchr(name, ':');

	if (event && !search->found[0] && !strcasecmp(event + 1, search->word))
		snprintf(search->found, sizeof(search->found), "%s", name);
}

/* Times that perf takes itself. */
static bool is_of_perf(const char *name)
{
	return !strcasecmp(name, "duration_time") || !strcasecmp(name, "user_time") ||
	       !strcasecmp(name, "system_time");
}

/* A model that has the event, though no CPU here is of it. */
static const struct wt_pmu_model *elsewhere(const struct word *word)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; word->cores->models && (model = wt_pmu_model_at(word->cores->models, i)); i++)
		if (wt_pmu_event_named(model, word->name))
			return model;
	return NULL;
}

static int fail_unknown(struct word *word)
{
	struct point_search search = {.word = word->name};
	const struct wt_pmu_model *other = elsewhere(word);
	struct candidates all = {0};

	if (other)
		return wt_fail(
			word->err, WT_ERR_USAGE,
			"event '%s' is one of other CPUs (such as %s), not of this one; 'wtrace list' shows "
			"what there is here, 'wtrace man %s' explains it",
			word->name, other->name, word->name);
	wt_tp_each(word->tracefs, compare_point, &search, NULL);
	if (search.found[0])
		return wt_fail(word->err, WT_ERR_USAGE,
			       "unknown event '%s'; did you mean the tracepoint '%s'?", word->name,
			       search.found);
	if (is_of_perf(word->name))
		return wt_fail(word->err, WT_ERR_USAGE,
			       "'%s' is not an event of the kernel: perf computes it; in wtrace: task-clock, "
			       "and the time elapsed below the table",
			       word->name);
	wt_perf_spec_each(on_spec_name, &all);
	for (size_t i = 0; i < word->cores->n; i++)
		for (size_t k = 0; k < word->cores->types[i].model->n_events; k++)
			add_candidate(&all, word->cores->types[i].model->events[k].name);
	wt_fail_unknown(word->err, "event", word->name, all.names, all.n);
	for (size_t i = 0; i < all.n_made; i++)
		free(all.made[i]);
	free(all.made);
	free(all.names);
	return -1;
}

/* ---- a word ---- */

static int fail_period(const struct word *word, const char *period)
{
	return wt_fail(word->err, WT_ERR_USAGE,
		       "event '%s': '%s' is a period, and counting has none; to sample: wtrace record -e %s "
		       "-o FILE -- COMMAND",
		       word->name, period, word->name);
}

/* Other names that wperf and perf have. */
static const char *usual_name(const char *name)
{
	static const char *const others[][2] = {
		{"cycle", "cycles"},
		{"cs", "context-switches"},
		{"migrations", "cpu-migrations"},
		{"faults", "page-faults"},
		{"branch-instructions", "branches"},
		{"idle-cycles-frontend", "stalled-cycles-frontend"},
		{"idle-cycles-backend", "stalled-cycles-backend"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcasecmp(name, others[i][0]))
			return others[i][1];
	return name;
}

struct known {
	const char *name;
	bool found;
};

static void compare_name(void *ctx, const char *group, const char *name, const char *help)
{
	struct known *known = ctx;

	(void)group;
	(void)help;
	known->found = known->found || !strcasecmp(name, known->name);
}

static bool is_raw(const char *name)
{
	return name[0] == 'r' && name[1] && !name[1 + strspn(name + 1, "0123456789abcdefABCDEF")];
}

/* Whether the word is a generic or a raw event, so that no model has to know it. With an unknown word
 * wt_perf_spec_parse would have to look at all tracepoints. */
static bool is_generic(const char *name)
{
	struct known known = {.name = name};

	if (is_raw(name))
		return true;
	wt_perf_spec_each(compare_name, &known);
	return known.found;
}

/* page-faults:x is the event with an invalid mode, and not a tracepoint of the subsystem page-faults. */
static int check_mode(const struct word *word, const char *colon)
{
	char name[NAME_SIZE];
	unsigned unused;

	snprintf(name, sizeof(name), "%.*s", (int)(colon - word->name), word->name);
	if (!is_generic(usual_name(name)) || !wt_event_modes(colon + 1, &unused, word->err))
		return 0;
	return wt_fail_prefix(word->err, "event '%s'", name);
}

/* wperf's /dsu/l3d_cache is an event of a PMU in sysfs here. */
static int fail_class(const struct word *word)
{
	size_t len = strcspn(word->name + 1, "/");

	return wt_fail(word->err, WT_ERR_USAGE,
		       "'%s' is a word of another tool; in wtrace events of other PMUs are PMU/EVENT/: "
		       "wtrace list events '%.*s'",
		       word->name, (int)len, word->name + 1);
}

/* Those that this machine has. */
static int read_class(const struct word *word)
{
	static const char *const classes[][2] = {
		{"/dsu/", "arm_dsu."},
		{"/dmc_clk/", "arm_dmc620.clk_"},
		{"/dmc_clkdiv2/", "arm_dmc620.clkdiv2_"},
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct word named = *word;
		size_t len = strlen(classes[i][0]);
		int rc = 1;

		if (!strncasecmp(word->name, classes[i][0], len) &&
		    snprintf(named.name, sizeof(named.name), "%s%s", classes[i][1], word->name + len) <
			    (int)sizeof(named.name))
			rc = read_model(&named);
		if (rc != 1)
			return rc;
	}
	return fail_class(word);
}

static int read_plain(struct word *word)
{
	const char *name = usual_name(word->name);
	struct wt_perf_spec spec;
	int rc = read_model(word);

	if (rc != 1)
		return rc;
	if (word->name[0] == 'R') { /* R1B is r1B */
		word->name[0] = 'r';
		word->name[0] = is_raw(word->name) ? 'r' : 'R';
	}
	if (!is_generic(name))
		return fail_unknown(word);
	return wt_perf_spec_parse(name, word->cores->devices, &spec, word->err) ? -1 : add_spec(word, &spec);
}

/* Finds a PMU by its name, or all numbered PMUs of that name. */
static int read_pmu(struct word *word)
{
	char pmu[NAME_SIZE];
	const char *slash = strchr(word->name, '/');
	struct placing placing = {.word = word, .terms = slash};
	struct wt_perf_spec spec;

	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - word->name), word->name);
	placing.event = add_event(word, word->name);
	if (!placing.event)
		return -1;
	wt_counter_pmus(word->cores->devices, pmu, place, &placing);
	if (placing.n)
		return placing.rc;
	if (!strncmp(pmu, "core_", 5) && pmu[5] && !pmu[5 + strspn(pmu + 5, "0123456789")])
		return wt_fail(word->err, WT_ERR_USAGE,
			       "'%s' is a word of another tool; in wtrace: -c %s -e '%.*s'", word->name,
			       pmu + 5, (int)strcspn(slash + 1, "/"), slash + 1);
	/* There is no such PMU: the error names the nearest one. */
	return wt_perf_spec_parse(word->name, word->cores->devices, &spec, word->err)
		       ? -1
		       : add_way(word, placing.event, &spec, -1);
}

int wt_event_word_read(const char *text, const struct wt_cores *cores, const char *tracefs,
		       struct wt_count_event **ret, size_t *n, struct wt_err *err)
{
	struct word word = {.cores = cores, .tracefs = tracefs, .events = ret, .n = n, .err = err};
	const char *colon;

	*ret = NULL;
	*n = 0;
	/* Leaves room for the zero between a PMU's slash and the modes. */
	if (snprintf(word.name, sizeof(word.name), "%s", text) >= (int)NAME_SIZE - 1)
		return wt_fail(err, WT_ERR_USAGE, "event '%.40s...' is longer than %d characters", text,
			       (int)NAME_SIZE - 2);
	if (word.name[0] == '/')
		return read_class(&word);
	colon = strrchr(word.name, ':');
	if (colon && !strchr(word.name, '/') && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")])
		return fail_period(&word, colon + 1);
	if (cut_modes(&word))
		return -1;
	if (strchr(word.name, '/'))
		return read_pmu(&word);
	colon = strchr(word.name, ':');
	if (colon && check_mode(&word, colon))
		return -1;
	return colon ? read_tracepoint(&word) : read_plain(&word);
}
