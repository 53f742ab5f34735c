// SPDX-License-Identifier: MIT
/* Events of /sys/bus/event_source: pmu/term=value,.../ and the names that PMUs give their events. */
#include "providers/perf/spec.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/nearest.h"

#define DEVICES "/sys/bus/event_source/devices"

enum { MAX_NAMES = 512, MAX_DEPTH = 2 };

struct pmu {
	char path[PATH_MAX];
	const char *name;
	char event[256]; /* the word as typed, for errors */
};

/* Names of a directory's entries, for nearest-word errors and lists. */
struct names {
	char *name[MAX_NAMES];
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_read(const char *directory, struct names *ret)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	ret->n = 0;
	if (!dir)
		return;
	while (ret->n < MAX_NAMES && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (ret->name[ret->n] = strdup(entry->d_name)))
			ret->n++;
	closedir(dir);
	qsort(ret->name, ret->n, sizeof(ret->name[0]), by_name);
}

static void names_deinit(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->name[i]);
	names->n = 0;
}

static int join(char *out, const char *directory, const char *name)
{
	int n = snprintf(out, PATH_MAX, "%s/%s", directory, name);

	return n > 0 && n < PATH_MAX ? 0 : -1;
}

static int fail_unknown_in(struct wt_err *err, const char *what, const char *word, const char *directory,
			   const char *directory2)
{
	struct names names, more = {.n = 0};
	int ret;

	names_read(directory, &names);
	if (directory2)
		names_read(directory2, &more);
	for (size_t i = 0; i < more.n && names.n < MAX_NAMES; i++) {
		names.name[names.n++] = more.name[i];
		more.name[i] = NULL;
	}
	ret = wt_fail_unknown(err, what, word, (const char *const *)names.name, names.n);
	names_deinit(&names);
	names_deinit(&more);
	return ret;
}

/* Spreads the low bits of value over the bit ranges of a format ("config1:0-7,32-35"), lowest range first. */
static int spread(const char *format, uint64_t value, struct wt_perf_spec *ret)
{
	uint64_t *word = !strncmp(format, "config:", 7)    ? &ret->config
			 : !strncmp(format, "config1:", 8) ? &ret->config1
			 : !strncmp(format, "config2:", 8) ? &ret->config2
							   : NULL;
	const char *p = word ? strchr(format, ':') + 1 : "";

	while (isdigit((unsigned char)*p)) {
		char *end;
		unsigned long first = strtoul(p, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last > 63 || first > last)
			return -1;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*word = (*word & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
		p = *end == ',' ? end + 1 : end;
		if (!*end)
			return value ? 1 : 0;
	}
	return -1;
}

static int apply_terms(const struct pmu *pmu, char *terms, unsigned depth, struct wt_perf_spec *ret,
		       struct wt_err *err);

/* A term without a value may be one of the PMU's named events, whose file holds terms again. */
static int apply_alias(const struct pmu *pmu, const char *name, unsigned depth, struct wt_perf_spec *ret,
		       struct wt_err *err)
{
	char directory[PATH_MAX], path[PATH_MAX], terms[512];

	if (depth >= MAX_DEPTH || join(directory, pmu->path, "events") < 0 ||
	    join(path, directory, name) < 0 || wt_text_read(path, terms, sizeof(terms)) < 0)
		return 1;
	return apply_terms(pmu, terms, depth + 1, ret, err);
}

/* Returns a whole word of perf_event_attr, which perf accepts as a term for every PMU. */
static uint64_t *whole_word(const char *term, struct wt_perf_spec *ret)
{
	return !strcmp(term, "config")    ? &ret->config
	       : !strcmp(term, "config1") ? &ret->config1
	       : !strcmp(term, "config2") ? &ret->config2
					  : NULL;
}

/* Applies one of perf's own terms where the PMU has none of that name. Returns 1 when it is none of them. */
static int apply_general(const struct pmu *pmu, const char *term, const char *value, struct wt_perf_spec *ret,
			 struct wt_err *err)
{
	uint64_t *word = whole_word(term, ret), number = 0;

	if (!value)
		return 1;
	if (!strcmp(term, "name"))
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s': leave out name=%s: an event is shown as it is typed", pmu->event,
			       value);
	if (!word)
		return 1;
	if (!wt_text_u64(value, &number))
		return wt_fail(err, WT_ERR_USAGE, "event '%s': %s=%s is not a number (decimal or 0x...)",
			       pmu->event, term, value);
	*word = number;
	return 0;
}

static int apply_format(const struct pmu *pmu, const char *term, const char *value, struct wt_perf_spec *ret,
			struct wt_err *err)
{
	char directory[PATH_MAX], events[PATH_MAX], path[PATH_MAX], format[128];
	uint64_t number = 1;
	int fits;

	if (join(directory, pmu->path, "format") < 0 || join(events, pmu->path, "events") < 0)
		return wt_fail(err, WT_ERR_USAGE, "event '%s': the path is too long", pmu->event);
	if (join(path, directory, term) < 0 || wt_text_read(path, format, sizeof(format)) < 0) {
		int done = apply_general(pmu, term, value, ret, err);

		if (done <= 0)
			return done;
		fail_unknown_in(err, "term", term, directory, value ? NULL : events);
		return wt_fail_prefix(err, "event '%s'", pmu->event);
	}
	if (value && !wt_text_u64(value, &number))
		return wt_fail(err, WT_ERR_USAGE, "event '%s': %s=%s is not a number (decimal or 0x...)",
			       pmu->event, term, value);
	fits = spread(format, number, ret);
	if (fits < 0)
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "event '%s': the text '%s' in sysfs for term %s is not understood", pmu->event,
			       format, term);
	if (fits > 0)
		return wt_fail(err, WT_ERR_USAGE, "event '%s': %s=%s does not fit its bits (%s)", pmu->event,
			       term, value, format);
	return 0;
}

static int apply_term(const struct pmu *pmu, char *term, unsigned depth, struct wt_perf_spec *ret,
		      struct wt_err *err)
{
	char *value = strchr(term, '=');
	int done = 1;

	if (value)
		*value++ = 0;
	if (!*term || strchr(term, '/') || *term == '.')
		return wt_fail(err, WT_ERR_USAGE, "event '%s': a term is missing its name", pmu->event);
	if (value && !strcmp(value, "?"))
		return wt_fail(err, WT_ERR_USAGE, "event '%s' needs a value: add %s=NUMBER", pmu->event,
			       term);
	if (!value)
		done = apply_alias(pmu, term, depth, ret, err);
	return done == 1 ? apply_format(pmu, term, value, ret, err) : done;
}

static int apply_terms(const struct pmu *pmu, char *terms, unsigned depth, struct wt_perf_spec *ret,
		       struct wt_err *err)
{
	char *next = terms;

	while (next && *next) {
		char *term = strsep(&next, ",");

		if (apply_term(pmu, term, depth, ret, err) < 0)
			return -1;
	}
	return 0;
}

/* Reads the CPUs that count for the PMU: "cpus" for a core type, "cpumask" for a PMU shared by several CPUs.
 */
static void read_cpus(const struct pmu *pmu, struct wt_perf_spec *ret)
{
	char path[PATH_MAX];

	if (join(path, pmu->path, "cpus") == 0 && wt_cpuset_read(path, &ret->cpus) == 0)
		return;
	if (join(path, pmu->path, "cpumask") == 0)
		ret->shared = wt_cpuset_read(path, &ret->cpus) == 0;
}

/* PMUs that count nothing: they write a trace of the CPU's work, which is not recorded. */
static bool is_tracer(const char *name)
{
	static const char *const tracers[] = {"arm_spe_", "intel_pt", "intel_bts", "cs_etm", "hisi_ptt"};

	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (!strncmp(name, tracers[i], strlen(tracers[i])))
			return true;
	return false;
}

int wt_perf_pmu_parse(const char *word, const char *devices, struct wt_perf_spec *ret, struct wt_err *err)
{
	const char *directory = devices ? devices : DEVICES;
	char copy[sizeof(ret->name)], path[PATH_MAX];
	char *terms, *end;
	struct pmu pmu;
	int64_t type;

	snprintf(copy, sizeof(copy), "%s", word);
	snprintf(pmu.event, sizeof(pmu.event), "%s", word);
	terms = strchr(copy, '/');
	end = strrchr(copy, '/');
	if (!terms || terms == copy || end == terms || end[1])
		return wt_fail(err, WT_ERR_USAGE, "event '%s' is not of the form PMU/TERM=VALUE,.../", word);
	*terms++ = 0;
	*end = 0;
	pmu.name = copy;
	if (*copy == '.' || join(pmu.path, directory, copy) < 0 || join(path, pmu.path, "type") < 0)
		return wt_fail(err, WT_ERR_USAGE, "'%s' is not the name of a PMU", copy);
	if (is_tracer(copy))
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s': the CPU's own traces (Arm SPE, Intel PT, CoreSight) are not "
			       "recorded; in wtrace: -e EVENT:N, a sample every N events",
			       word);
	type = wt_text_number(path, -1);
	if (type < 0 || type > UINT32_MAX) {
		fail_unknown_in(err, "PMU", copy, directory, NULL);
		return wt_fail_prefix(err, "event '%s'", word);
	}
	ret->type = (uint32_t)type;
	read_cpus(&pmu, ret);
	return apply_terms(&pmu, terms, 0, ret, err);
}

static bool is_event_file(const char *name)
{
	return !strchr(name, '.');
}

static void each_of_pmu(const char *path, const char *pmu,
			void (*fn)(void *ctx, const char *group, const char *name, const char *help),
			void *ctx)
{
	char directory[PATH_MAX], file[PATH_MAX], name[600], help[512];
	struct names terms, named = {.n = 0};
	size_t len = 0;

	if (join(directory, path, "format") < 0)
		return;
	names_read(directory, &terms);
	help[0] = 0;
	for (size_t i = 0; i < terms.n && len < sizeof(help); i++)
		len += (size_t)snprintf(help + len, sizeof(help) - len, "%s%s",
					i ? ", " : "terms: ", terms.name[i]);
	snprintf(name, sizeof(name), "%s/TERM=VALUE,.../", pmu);
	if (terms.n)
		fn(ctx, "pmu", name, help);
	if (join(directory, path, "events") == 0)
		names_read(directory, &named);
	for (size_t i = 0; i < named.n; i++) {
		snprintf(name, sizeof(name), "%s/%s/", pmu, named.name[i]);
		if (is_event_file(named.name[i]) && join(file, directory, named.name[i]) == 0 &&
		    wt_text_read(file, help, sizeof(help)) >= 0)
			fn(ctx, "pmu", name, help);
	}
	names_deinit(&named);
	names_deinit(&terms);
}

void wt_perf_pmu_each(const char *devices,
		      void (*fn)(void *ctx, const char *group, const char *name, const char *help), void *ctx)
{
	const char *directory = devices ? devices : DEVICES;
	char path[PATH_MAX];
	struct names pmus;

	names_read(directory, &pmus);
	for (size_t i = 0; i < pmus.n; i++)
		if (join(path, directory, pmus.name[i]) == 0)
			each_of_pmu(path, pmus.name[i], fn, ctx);
	names_deinit(&pmus);
}
