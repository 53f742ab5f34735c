// SPDX-License-Identifier: MIT
#include "providers/manifest/doubts.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/abi/wt_record.h"
#include "tracecore/base/intern.h"

typedef unsigned long long ull;

/* The parts of the provider that its events use. */
struct doubts {
	const struct wt_manifest_file *file;
	const struct wt_provider *provider;
	struct wt_remarks *remarks;
	struct wt_intern levels, tasks, opcodes; /* numbers in the provider's rows */
	bool *task_used, *level_used, *opcode_used, *map_used;
	uint8_t *map_bytes;  /* by map: the widest field that uses it for its values; 0: none */
	uint8_t *task_seen;  /* by row of tasks: bit of each standard opcode */
	uint64_t keywords;   /* of all events together */
	uint64_t known_bits; /* of all keywords together */
};

#define DOUBT(doubts, line, ...) \
	wt_remarks_add((doubts)->remarks, WT_REMARK_WARNING, (doubts)->file->path, line, __VA_ARGS__)

static int index_rows(struct wt_intern *table, const struct wt_named *rows, uint32_t n, bool **used)
{
	bool fresh;

	*used = calloc(n + 1, sizeof(**used));
	if (!*used)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		if (wt_intern(table, rows[i].value, 0, &fresh) == WT_INTERN_NONE)
			return -1;
	}
	return 0;
}

static int prepare(struct doubts *doubts)
{
	const struct wt_provider *p = doubts->provider;

	doubts->map_used = calloc(p->n_maps + 1, sizeof(*doubts->map_used));
	doubts->map_bytes = calloc(p->n_maps + 1, sizeof(*doubts->map_bytes));
	doubts->task_seen = calloc(p->n_tasks + 1, sizeof(*doubts->task_seen));
	if (!doubts->map_used || !doubts->map_bytes || !doubts->task_seen ||
	    index_rows(&doubts->levels, p->levels, p->n_levels, &doubts->level_used) ||
	    index_rows(&doubts->tasks, p->tasks, p->n_tasks, &doubts->task_used) ||
	    index_rows(&doubts->opcodes, p->opcodes, p->n_opcodes, &doubts->opcode_used))
		return -1;
	for (uint32_t i = 0; i < p->n_keywords; i++)
		doubts->known_bits |= p->keywords[i].value;
	return 0;
}

static void finish(struct doubts *doubts)
{
	wt_intern_deinit(&doubts->levels);
	wt_intern_deinit(&doubts->tasks);
	wt_intern_deinit(&doubts->opcodes);
	free(doubts->level_used);
	free(doubts->task_used);
	free(doubts->opcode_used);
	free(doubts->map_used);
	free(doubts->map_bytes);
	free(doubts->task_seen);
}

/* Looks at a number above the standard ones to which the manifest gives no name. */
static void look_at_number(struct doubts *doubts, uint32_t event, const char *key, uint64_t value,
			   uint64_t standard, const struct wt_intern *rows, bool *used)
{
	uint32_t row = wt_intern_find(rows, value, 0);

	if (row != WT_INTERN_NONE)
		used[row] = true;
	else if (value > standard)
		DOUBT(doubts, wt_manifest_file_line_at(doubts->file, "events", event, key),
		      "event '%s' has the %s %llu, which has no name", doubts->provider->events[event].name,
		      key, (ull)value);
}

static uint64_t smallest_payload(const struct wt_event_desc *event)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < event->n_fields; i++) {
		const struct wt_field *field = &event->fields[i];
		unsigned width = wt_type_width(field->type);

		bytes += field->variable || !width ? 2 : (uint64_t)width * field->count;
	}
	return bytes;
}

static void look_at_fields(struct doubts *doubts, uint32_t number)
{
	const struct wt_event_desc *event = &doubts->provider->events[number];

	for (uint32_t i = 0; i < event->n_fields; i++) {
		const struct wt_field *field = &event->fields[i];
		uint8_t width = (uint8_t)wt_type_width(field->type);

		if (field->map) {
			size_t map = (size_t)(field->map - doubts->provider->maps);

			doubts->map_used[map] = true;
			if (width > doubts->map_bytes[map])
				doubts->map_bytes[map] = width;
		}
		if (field->map && field->radix != WT_RADIX_DEC)
			DOUBT(doubts, wt_manifest_file_line_in(doubts->file, "events", number, "fields", i),
			      "field '%s' of event '%s' has a map and a format: the format shows only values "
			      "the map does not name",
			      field->name, event->name);
	}
}

static void look_at_event(struct doubts *doubts, uint32_t i)
{
	const struct wt_event_desc *event = &doubts->provider->events[i];
	uint64_t bytes = smallest_payload(event) + sizeof(struct wt_abi_record);
	uint64_t unnamed = event->keywords & ~doubts->known_bits;
	uint32_t task = wt_intern_find(&doubts->tasks, event->task, 0);

	look_at_number(doubts, i, "level", event->level, WT_LEVEL_VERBOSE, &doubts->levels,
		       doubts->level_used);
	look_at_number(doubts, i, "task", event->task, 0, &doubts->tasks, doubts->task_used);
	look_at_number(doubts, i, "opcode", event->opcode, WT_OPCODE_DCSTOP, &doubts->opcodes,
		       doubts->opcode_used);
	doubts->keywords |= event->keywords;
	if (task != WT_INTERN_NONE && event->opcode <= WT_OPCODE_DCSTOP)
		doubts->task_seen[task] |= (uint8_t)(1u << event->opcode);
	if (unnamed)
		DOUBT(doubts, wt_manifest_file_line_at(doubts->file, "events", i, "keywords"),
		      "event '%s' has the keyword bits 0x%llx, which no keyword names", event->name,
		      (ull)unnamed);
	if (bytes > WT_ABI_RECORD_MAX)
		DOUBT(doubts, wt_manifest_file_line(doubts->file, "events", i),
		      "event '%s' takes at least %llu bytes, a record has at most %u: every one would be "
		      "lost",
		      event->name, (ull)bytes, WT_ABI_RECORD_MAX);
	look_at_fields(doubts, i);
}

static void unused_rows(const struct doubts *doubts, const char *list, const char *what,
			const struct wt_named *rows, uint32_t n, const bool *used)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!used[i])
			DOUBT(doubts, wt_manifest_file_line(doubts->file, list, i),
			      "%s '%s' is used by no event", what, rows[i].name);
	}
}

static void look_at_keywords(const struct doubts *doubts)
{
	for (uint32_t i = 0; i < doubts->provider->n_keywords; i++) {
		const struct wt_named *row = &doubts->provider->keywords[i];

		if (!(row->value & doubts->keywords))
			DOUBT(doubts, wt_manifest_file_line(doubts->file, "keywords", i),
			      "keyword '%s' is used by no event: a session that asks for it alone gets only "
			      "events without keywords",
			      row->name);
	}
}

static void look_at_tasks(const struct doubts *doubts)
{
	const uint8_t start = 1u << WT_OPCODE_START, stop = 1u << WT_OPCODE_STOP;

	for (uint32_t i = 0; i < doubts->provider->n_tasks; i++) {
		uint8_t ends = doubts->task_seen[i] & (start | stop);

		if (ends == start || ends == stop)
			DOUBT(doubts, wt_manifest_file_line(doubts->file, "tasks", i),
			      "task '%s' has %s event but no %s event", doubts->provider->tasks[i].name,
			      ends == start ? "a start" : "a stop", ends == start ? "stop" : "start");
	}
}

/* True when a field of that many bytes can hold the value, as a number or as a negative one. */
static bool fits(uint64_t value, unsigned bytes)
{
	uint64_t beyond = bytes >= 8 ? 0 : value >> (8 * bytes);
	bool negative = bytes < 8 && (int64_t)value < 0 && (int64_t)value >= -(INT64_C(1) << (8 * bytes - 1));

	return !beyond || negative;
}

/* Entries of one value are legal; in a value map only the first of them is ever shown. */
static int look_at_entries(const struct doubts *doubts, uint32_t number)
{
	const struct wt_valmap *map = &doubts->provider->maps[number];
	unsigned bytes = doubts->map_bytes[number];
	struct wt_intern values = {0};
	int rc = 0;

	for (uint32_t i = 0; i < map->n_entries && !rc; i++) {
		const struct wt_named *entry = &map->entries[i];
		size_t line = wt_manifest_file_line_in(doubts->file, "maps", number, "entries", i);
		bool fresh = true;

		rc = wt_intern(&values, entry->value, 0, &fresh) == WT_INTERN_NONE;
		if (!fresh && !map->bitmap)
			DOUBT(doubts, line,
			      "map entry '%s' has the value of an earlier one, which is shown in its place",
			      entry->name);
		if (bytes && !fits(entry->value, bytes))
			DOUBT(doubts, line,
			      "map entry '%s' has a value that no field of map '%s' can have: the widest has "
			      "%u "
			      "bits",
			      entry->name, map->name, bytes * 8);
	}
	wt_intern_deinit(&values);
	return rc;
}

static int look_at_maps(const struct doubts *doubts)
{
	for (uint32_t i = 0; i < doubts->provider->n_maps; i++) {
		if (!doubts->map_used[i])
			DOUBT(doubts, wt_manifest_file_line(doubts->file, "maps", i),
			      "map '%s' is used by no field", doubts->provider->maps[i].name);
		if (look_at_entries(doubts, i))
			return -1;
	}
	return 0;
}

static void look_at_provider(const struct doubts *doubts)
{
	const struct wt_provider *p = doubts->provider;

	if (!p->n_events)
		DOUBT(doubts, wt_manifest_file_line_of(doubts->file, "events"), "provider '%s' has no events",
		      p->name);
	if (!strncmp(p->name, "linux:", 6))
		DOUBT(doubts, wt_manifest_file_line_of(doubts->file, "provider"),
		      "providers that begin with 'linux:' are the kernel's tracepoints: a session cannot "
		      "enable "
		      "this one by name");
}

int wt_manifest_doubts(const struct wt_manifest_file *file, struct wt_remarks *remarks, struct wt_err *err)
{
	const struct wt_provider *p = file->provider;
	struct doubts doubts = {.file = file, .provider = p, .remarks = remarks};
	int rc = prepare(&doubts);

	if (!rc) {
		look_at_provider(&doubts);
		for (uint32_t i = 0; i < p->n_events; i++)
			look_at_event(&doubts, i);
		look_at_keywords(&doubts);
		unused_rows(&doubts, "levels", "level", p->levels, p->n_levels, doubts.level_used);
		unused_rows(&doubts, "tasks", "task", p->tasks, p->n_tasks, doubts.task_used);
		unused_rows(&doubts, "opcodes", "opcode", p->opcodes, p->n_opcodes, doubts.opcode_used);
		look_at_tasks(&doubts);
		rc = look_at_maps(&doubts);
	}
	finish(&doubts);
	return rc || remarks->failed ? wt_fail_nomem(err) : 0;
}
