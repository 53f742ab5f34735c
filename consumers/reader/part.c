// SPDX-License-Identifier: MIT
/* Loaded segments: their types, and names of processes and threads that end with a zero. */
#include <stdlib.h>
#include <string.h>

#include "consumers/reader/impl.h"

static int describe(struct wtr_part *part)
{
	const struct wt_kinds *kinds = &part->tables->kinds;
	const struct wt_provider *last = NULL;
	const struct wtr_schema *schema = NULL;

	part->types = calloc(kinds->n + (size_t)1, sizeof(*part->types));
	if (!part->types)
		return wt_fail_nomem(wtr_err());
	for (uint32_t k = 0; k < kinds->n; k++) {
		const struct wt_kind *kind = &kinds->kinds[k];

		if (!wt_log_kind_known(part->tables, k))
			continue;
		if (kind->provider != last)
			schema = wtr_schema_of(part->file, kind->provider);
		if (!schema)
			return -1;
		last = kind->provider;
		part->types[k] = &schema->types[kind->event - kind->provider->events];
	}
	return 0;
}

static void destroy(struct wtr_part *part)
{
	free(part->types);
	free(part->comms);
	free(part->exes);
	free(part->threads);
	for (uint32_t i = 0; part->frames && i < part->tables->n_frames; i++)
		free(part->frames[i].inlined);
	free(part->frames);
	wt_arena_deinit(&part->arena);
	if (part->tables)
		wt_log_unload_segment(part->file->log, part->segment);
	free(part);
}

static int fill(struct wtr_part *part)
{
	const struct wt_log_segment *tables;

	if (wt_log_load_segment(part->file->log, part->segment, &tables, wtr_err()))
		return -1;
	part->tables = tables;
	part->comms = calloc(tables->n_processes, sizeof(*part->comms));
	part->exes = calloc(tables->n_processes, sizeof(*part->exes));
	part->threads = calloc(tables->n_threads, sizeof(*part->threads));
	if (!part->comms || !part->exes || !part->threads)
		return wt_fail_nomem(wtr_err());
	return describe(part);
}

static int make_room(struct wtr_file *file, uint32_t segment)
{
	uint32_t n = wt_log_info(file->log)->n_segments;
	struct wtr_part **parts;

	if (segment < file->n_parts)
		return 0;
	parts = realloc(file->parts, n * sizeof(*parts));
	if (!parts)
		return wt_fail_nomem(wtr_err());
	memset(parts + file->n_parts, 0, (n - file->n_parts) * sizeof(*parts));
	file->parts = parts;
	file->n_parts = n;
	return 0;
}

struct wtr_part *wtr_part_get(struct wtr_file *file, uint32_t segment)
{
	struct wtr_part *part;

	if (make_room(file, segment))
		return NULL;
	part = file->parts[segment];
	if (!part) {
		part = calloc(1, sizeof(*part));
		if (!part) {
			wt_fail_nomem(wtr_err());
			return NULL;
		}
		part->file = file;
		part->segment = segment;
		if (fill(part)) {
			destroy(part);
			return NULL;
		}
		file->parts[segment] = part;
	}
	part->users++;
	return part;
}

void wtr_part_put(struct wtr_part *part)
{
	if (!part || --part->users)
		return;
	part->file->parts[part->segment] = NULL;
	destroy(part);
}

/* ---- names, copied with a zero at their end when they are first needed ---- */

static const char *name(struct wtr_part *part, const char **slot, struct wt_str text)
{
	if (!*slot)
		*slot = wt_arena_copy(&part->arena, text.p, text.len);
	return *slot ? *slot : "?";
}

const char *wtr_part_process(struct wtr_part *part, uint32_t thread)
{
	const struct wt_log_process *process = wt_process_of(part->tables, thread);

	return name(part, &part->comms[process - part->tables->processes], process->name);
}

const char *wtr_part_exe(struct wtr_part *part, uint32_t thread)
{
	const struct wt_log_process *process = wt_process_of(part->tables, thread);

	return name(part, &part->exes[process - part->tables->processes], process->exe);
}

const char *wtr_part_thread(struct wtr_part *part, uint32_t thread)
{
	return name(part, &part->threads[thread], part->tables->threads[thread].name);
}
