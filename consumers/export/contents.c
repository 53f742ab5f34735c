// SPDX-License-Identifier: MIT
#include "consumers/export/contents.h"

#include <stdio.h>
#include <string.h>

#include "consumers/export/view.h"

double wt_contents_span(const struct wt_contents *contents)
{
	const struct wt_log_info *log = wt_log_info(contents->log);

	return (double)(log->last_time - log->first_time) / (double)WT_NSEC;
}

/* Returns the events known to be lost, over all causes. The loss of a ring with several events has no
 * event's name. */
static uint64_t lost(const struct wt_contents *contents, const char *provider, const char *event)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < contents->facts.n_losses; i++) {
		const struct wt_view_loss *loss = &contents->facts.losses[i];

		if (!strcmp(wt_strings_get(&contents->file.texts, loss->provider, NULL), provider) &&
		    !strcmp(wt_strings_get(&contents->file.texts, loss->event, NULL), event))
			sum += loss->count;
	}
	return sum;
}

uint64_t wt_contents_lost(const struct wt_contents *contents, const struct wt_log_census_line *line)
{
	if (line->type != WT_DISK_EVENTS)
		return 0;
	return lost(contents, wt_log_census_provider(&contents->census, line),
		    wt_log_census_event(&contents->census, line));
}

static void put_json_line(const struct wt_contents *contents, const struct wt_log_census_line *line,
			  struct wt_json *json)
{
	wt_json_object(json, NULL);
	wt_json_text(json, "type", wt_log_block_name(line->type));
	if (line->type == WT_DISK_EVENTS) {
		wt_json_text(json, "provider", wt_log_census_provider(&contents->census, line));
		wt_json_text(json, "event", wt_log_census_event(&contents->census, line));
		wt_json_number(json, "lost", wt_contents_lost(contents, line));
		wt_json_number(json, "first", line->first_time - wt_log_info(contents->log)->first_time);
		wt_json_number(json, "last", line->last_time - wt_log_info(contents->log)->first_time);
	}
	wt_json_number(json, "count", line->count);
	wt_json_number(json, "blocks", line->blocks);
	wt_json_number(json, "raw_bytes", line->raw_bytes);
	wt_json_number(json, "bytes", line->bytes);
	wt_json_end_object(json);
}

static void put_version(const struct wt_log_info *log, struct wt_json *json)
{
	char version[24];

	snprintf(version, sizeof(version), "%u.%u", log->version_major, log->version_minor);
	wt_json_text(json, "version", version);
}

void wt_contents_json(const struct wt_contents *contents, struct wt_buf *out)
{
	const struct wt_log_info *log = wt_log_info(contents->log);
	const char *scope = wt_view_facts_info(&contents->facts, "scope");
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", contents->path);
	put_version(log, &json);
	wt_json_bool(&json, "complete", log->complete);
	wt_json_hex(&json, "session", log->session_id, 16);
	if (scope)
		wt_json_text(&json, "scope", scope);
	wt_json_number(&json, "bytes", log->file_bytes);
	wt_json_number(&json, "segments", log->n_segments);
	wt_json_number(&json, "damaged", log->n_damages);
	wt_json_number(&json, "events", log->events);
	wt_json_number(&json, "lost", contents->facts.lost);
	wt_json_number(&json, "blind_ns", contents->facts.blind_ns);
	wt_json_number(&json, "span_ns", log->last_time - log->first_time);
	wt_json_array(&json, "lines");
	for (uint32_t i = 0; i < contents->census.n; i++)
		put_json_line(contents, &contents->census.lines[i], &json);
	wt_json_end_array(&json);
	wt_json_end_document(&json);
}

int wt_contents_read(struct wt_contents *ret, const char *path, struct wt_err *err)
{
	struct wt_view_options plain = {.resolve = false};

	ret->path = path;
	if (wt_log_open(path, &ret->log, err) || wt_view_file_init(&ret->file, ret->log, &plain, err))
		return -1;
	wt_view_facts_init(&ret->facts, &ret->file);
	return wt_view_facts_read(&ret->facts, err) || wt_log_census_take(ret->log, &ret->census, err) ? -1
												       : 0;
}

void wt_contents_deinit(struct wt_contents *contents)
{
	wt_log_census_deinit(&contents->census);
	wt_view_facts_deinit(&contents->facts);
	wt_view_file_deinit(&contents->file);
	if (contents->log)
		wt_log_close(contents->log);
}

void wt_verified_json(const char *path, const struct wt_log_reader *log, const char *failure,
		      struct wt_buf *out)
{
	const struct wt_log_info *info = log ? wt_log_info(log) : NULL;
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", path);
	wt_json_bool(&json, "sound", info && !info->n_damages);
	wt_json_bool(&json, "complete", info && info->complete);
	if (info) {
		wt_json_number(&json, "events", info->events);
		wt_json_number(&json, "segments", info->n_segments);
		wt_json_number(&json, "damaged", info->n_damages);
		wt_damages_json(log, &json);
	} else {
		wt_json_text(&json, "error", failure);
	}
	wt_json_end_document(&json);
}
