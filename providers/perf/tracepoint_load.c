// SPDX-License-Identifier: MIT
/* Loads the tracepoints of tracefs that match the requested names, as providers. */
#include "providers/perf/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "providers/perf/perf.h"
#include "providers/perf/textfile.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

#define TRACEFS "/sys/kernel/tracing"

enum { FORMAT_MAX = 1 << 20 };

/* Sorted names of a directory. */
struct directory {
	char **name;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void directory_deinit(struct directory *directory)
{
	for (size_t i = 0; i < directory->n; i++)
		free(directory->name[i]);
	free(directory->name);
	*directory = (struct directory){0};
}

/* Only directories count: events and subsystems; files beside them are switches. "ftrace" describes records
 * of the function tracer, which are no tracepoints. */
static int directory_read(const char *path, struct directory *ret)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	*ret = (struct directory){0};
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "ftrace") ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		if (wt_grow_one(&ret->name, ret->n, NULL))
			break;
		ret->name[ret->n] = strdup(entry->d_name);
		if (!ret->name[ret->n])
			break;
		ret->n++;
	}
	closedir(dir);
	if (ret->n)
		qsort(ret->name, ret->n, sizeof(ret->name[0]), by_name);
	return 0;
}

static bool directory_has(const struct directory *directory, const char *name)
{
	for (size_t i = 0; i < directory->n; i++)
		if (!strcmp(directory->name[i], name))
			return true;
	return false;
}

static int fail_tracefs(const char *tracefs, struct wt_err *err)
{
	if (errno == EACCES || errno == EPERM)
		return wt_fail(err, WT_ERR_PERMISSION,
			       "tracepoints cannot be read: %s is closed to this user; run as root, or mount "
			       "-o remount,gid=GROUP,mode=0750 %s for a group of yours",
			       tracefs, tracefs);
	if (errno == ENOENT)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "tracepoints need tracefs: mount -t tracefs nodev %s (as root)", tracefs);
	return wt_fail_errno(err, "cannot read %s/events", tracefs);
}

static const char *root_of(const char *tracefs)
{
	return tracefs ? tracefs : TRACEFS;
}

/* The part before the colon; -1 when there is none or it does not fit. */
static int split(const char *word, char *system, size_t size, const char **event)
{
	const char *colon = strchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) : 0;

	if (!len || len >= size || !colon[1] || strchr(word, '/') || word[0] == '.')
		return -1;
	memcpy(system, word, len);
	system[len] = 0;
	*event = colon + 1;
	return 0;
}

bool wt_perf_event_matches(const char *pattern, const char *name)
{
	return strchr(pattern, '*') ? !fnmatch(pattern, name, 0) : !strcmp(pattern, name);
}

bool wt_tp_matches(const char *pattern, const char *system, const char *name)
{
	char wanted[NAME_MAX + 1];
	const char *event;

	return split(pattern, wanted, sizeof(wanted), &event) == 0 && !strcmp(wanted, system) &&
	       wt_perf_event_matches(event, name);
}

static struct wt_tp_system *get_system(const char *name, struct wt_tp_system **systems, size_t *n)
{
	struct wt_tp_system *fresh;

	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*systems)[i].name, name))
			return &(*systems)[i];
	if (wt_grow_one(systems, *n, NULL))
		return NULL;
	fresh = &(*systems)[(*n)++];
	*fresh = (struct wt_tp_system){.name = strdup(name), .provider = calloc(1, sizeof(*fresh->provider))};
	if (fresh->provider && asprintf(&fresh->provider->name, "linux:%s", name) < 0)
		fresh->provider->name = NULL;
	if (!fresh->name || !fresh->provider || !fresh->provider->name)
		return NULL;
	wt_guid_of_name(fresh->provider->name, fresh->provider->guid);
	return fresh;
}

static bool grow(struct wt_tp_system *system, uint32_t n_maps)
{
	struct wt_provider *p = system->provider;
	struct wt_tracepoint *points = realloc(system->points, (system->n + 1) * sizeof(*points));
	struct wt_event_desc *events = realloc(p->events, (p->n_events + 1) * sizeof(*events));
	struct wt_valmap *maps = realloc(p->maps, (p->n_maps + n_maps + 1) * sizeof(*maps));

	system->points = points ? points : system->points;
	p->events = events ? events : p->events;
	p->maps = maps ? maps : p->maps;
	return points && events && maps;
}

/* Returns the index of the map in the provider, which keeps an existing map of that name. */
static uint32_t take_map(struct wt_provider *p, struct wt_valmap *map)
{
	for (uint32_t i = 0; i < p->n_maps; i++) {
		if (strcmp(p->maps[i].name, map->name) != 0)
			continue;
		for (uint32_t e = 0; e < map->n_entries; e++)
			free(map->entries[e].name);
		free(map->entries);
		free(map->name);
		return i;
	}
	p->maps[p->n_maps] = *map;
	return p->n_maps++;
}

/* The maps move while events are added, so fields are linked to them last, by link_maps. */
static void take(struct wt_tp_system *system, struct wt_tp_parsed *parsed)
{
	struct wt_provider *p = system->provider;
	struct wt_tracepoint *point = &system->points[system->n];
	struct wt_event_desc *event = &p->events[p->n_events];

	*event = parsed->event;
	for (uint32_t i = 0; i < event->n_fields; i++)
		if (parsed->map_of[i])
			parsed->map_of[i] = take_map(p, &parsed->maps[parsed->map_of[i] - 1]) + 1;
	*point = (struct wt_tracepoint){.name = strdup(event->name),
					.system = strdup(system->name),
					.id = event->id,
					.program = parsed->program,
					.map_of = parsed->map_of,
					.places = parsed->places,
					.flags = parsed->flags};
	p->n_events++;
	system->n++;
	free(parsed->maps);
}

static void link_maps(struct wt_tp_system *system)
{
	struct wt_provider *p = system->provider;

	for (size_t i = 0; i < system->n; i++) {
		struct wt_event_desc *event = &p->events[i];

		for (uint32_t f = 0; f < event->n_fields; f++)
			if (system->points[i].map_of[f])
				event->fields[f].map = &p->maps[system->points[i].map_of[f] - 1];
	}
}

static int load_point(const char *root, struct wt_tp_system *system, const char *name, struct wt_err *err)
{
	struct wt_tp_parsed parsed;
	struct wt_buf text = {0};
	char path[PATH_MAX];
	int ret;

	for (size_t i = 0; i < system->n; i++)
		if (!strcmp(system->points[i].name, name))
			return 0;
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, system->name, name);
	ret = wt_text_read_all(path, &text, FORMAT_MAX);
	if (ret < 0)
		wt_fail_errno(err, "tracepoint '%s:%s': cannot read %s", system->name, name, path);
	else
		ret = wt_tp_parse(system->name, (const char *)text.data, text.len, &parsed, err);
	wt_buf_deinit(&text);
	if (ret < 0)
		return -1;
	if (!grow(system, parsed.n_maps)) {
		wt_tp_parsed_deinit(&parsed);
		return wt_fail_nomem(err);
	}
	take(system, &parsed);
	return system->points[system->n - 1].name && system->points[system->n - 1].system
		       ? 0
		       : wt_fail_nomem(err);
}

static int fail_event(const char *word, const char *event, const struct directory *events, struct wt_err *err)
{
	if (strchr(event, '*'))
		return wt_fail(err, WT_ERR_USAGE, "no tracepoint matches '%s'", word);
	wt_fail_unknown(err, "event", event, (const char *const *)events->name, events->n);
	return wt_fail_prefix(err, "tracepoint '%s'", word);
}

static int load_events(const char *root, const char *word, const char *system, const struct directory *events,
		       struct wt_tp_system **ret, size_t *n_ret, struct wt_err *err)
{
	const char *event = strchr(word, ':') + 1;
	size_t found = 0;

	for (size_t i = 0; i < events->n; i++) {
		struct wt_tp_system *to;

		if (!wt_tp_matches(word, system, events->name[i]))
			continue;
		found++;
		to = get_system(system, ret, n_ret);
		if (!to)
			return wt_fail_nomem(err);
		if (load_point(root, to, events->name[i], err) < 0)
			return -1;
	}
	return found ? 0 : fail_event(word, event, events, err);
}

static int fail_system(const char *word, const char *system, const struct directory *systems,
		       struct wt_err *err)
{
	const char *const *names = (const char *const *)systems->name;

	if (systems->n && !wt_nearest(system, names, systems->n))
		return wt_fail(err, WT_ERR_USAGE,
			       "tracepoint '%s': unknown subsystem '%s'; wtrace list events shows them (the "
			       "number of events between two samples has digits alone: cycles:100000)",
			       word, system);
	wt_fail_unknown(err, "subsystem", system, names, systems->n);
	return wt_fail_prefix(err, "tracepoint '%s'", word);
}

static int load_word(const char *root, const struct directory *systems, const char *word,
		     struct wt_tp_system **ret, size_t *n_ret, struct wt_err *err)
{
	char system[NAME_MAX + 1], path[PATH_MAX];
	struct directory events;
	const char *event;
	int failed;

	if (split(word, system, sizeof(system), &event) < 0)
		return wt_fail(err, WT_ERR_USAGE, "tracepoint '%s' is not of the form SUBSYSTEM:EVENT", word);
	if (!directory_has(systems, system))
		return fail_system(word, system, systems, err);
	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	if (directory_read(path, &events) < 0)
		return fail_tracefs(root, err);
	failed = load_events(root, word, system, &events, ret, n_ret, err);
	directory_deinit(&events);
	return failed;
}

int wt_tp_load(const char *tracefs, const char *const *names, size_t n, struct wt_tp_system **ret,
	       size_t *n_ret, struct wt_err *err)
{
	const char *root = root_of(tracefs);
	char path[PATH_MAX];
	struct directory systems;
	int failed = 0;

	*ret = NULL;
	*n_ret = 0;
	snprintf(path, sizeof(path), "%s/events", root);
	if (directory_read(path, &systems) < 0)
		return fail_tracefs(root, err);
	for (size_t i = 0; i < n && !failed; i++)
		failed = load_word(root, &systems, names[i], ret, n_ret, err);
	directory_deinit(&systems);
	if (failed) {
		wt_tp_destroy(*ret, *n_ret);
		*ret = NULL;
		*n_ret = 0;
		return -1;
	}
	for (size_t i = 0; i < *n_ret; i++)
		link_maps(&(*ret)[i]);
	return 0;
}

void wt_tp_destroy(struct wt_tp_system *systems, size_t n)
{
	for (size_t s = 0; s < n; s++) {
		for (size_t i = 0; i < systems[s].n; i++) {
			free(systems[s].points[i].system);
			free(systems[s].points[i].name);
			free(systems[s].points[i].map_of);
			free(systems[s].points[i].places);
			free(systems[s].points[i].program.copies);
		}
		free(systems[s].points);
		wt_provider_destroy(systems[s].provider);
		free(systems[s].name);
	}
	free(systems);
}

int wt_tp_each(const char *tracefs, void (*fn)(void *ctx, const char *name), void *ctx, struct wt_err *err)
{
	const char *root = root_of(tracefs);
	struct directory systems, events;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/events", root);
	if (directory_read(path, &systems) < 0)
		return fail_tracefs(root, err);
	for (size_t s = 0; s < systems.n; s++) {
		snprintf(path, sizeof(path), "%s/events/%s", root, systems.name[s]);
		if (directory_read(path, &events) < 0)
			continue;
		for (size_t i = 0; i < events.n; i++) {
			char name[2 * NAME_MAX + 2];

			snprintf(name, sizeof(name), "%s:%s", systems.name[s], events.name[i]);
			fn(ctx, name);
		}
		directory_deinit(&events);
	}
	directory_deinit(&systems);
	return 0;
}
