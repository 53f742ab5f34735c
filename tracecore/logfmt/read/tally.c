// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/read/tally.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/read/reader_impl.h"

/* The number of lines remembered by CPU and value while the events of a block are counted; a power of two. */
#define MEMO 64

void wt_log_tally_deinit(struct wt_log_tally *tally)
{
	free(tally->lines);
	wt_intern_deinit(&tally->keys);
	wt_strings_deinit(&tally->names);
	*tally = (struct wt_log_tally){0};
}

const char *wt_log_tally_provider(const struct wt_log_tally *tally, const struct wt_log_tally_line *line)
{
	return wt_strings_get(&tally->names, line->names, NULL);
}

const char *wt_log_tally_name(const struct wt_log_tally *tally, const struct wt_log_tally_line *line)
{
	const char *provider = wt_log_tally_provider(tally, line);

	return provider + strlen(provider) + 1;
}

static uint32_t add_names(struct wt_log_tally *tally, struct wt_str provider, struct wt_str name)
{
	uint32_t id = WT_INTERN_NONE;
	struct wt_buf text = {0};
	bool fresh;

	wt_buf_put(&text, provider.p, strnlen(provider.p, provider.len));
	wt_buf_put_u8(&text, 0);
	wt_buf_put(&text, name.p, strnlen(name.p, name.len));
	if (!text.failed)
		id = wt_strings_add(&tally->names, text.data, text.len, &fresh);
	wt_buf_deinit(&text);
	return id;
}

/* Finds the line of names on a CPU; WT_INTERN_NONE: no memory. */
static uint32_t find_line(struct wt_log_tally *tally, uint32_t names, uint32_t cpu)
{
	bool fresh = false;
	uint32_t line;

	if (names == WT_INTERN_NONE)
		return WT_INTERN_NONE;
	if (wt_grow(&tally->lines, &tally->cap, tally->keys.count, 1, NULL))
		return WT_INTERN_NONE;
	line = wt_intern(&tally->keys, names, cpu, &fresh);
	if (fresh)
		tally->lines[line] = (struct wt_log_tally_line){.names = names, .cpu = cpu};
	return line;
}

int wt_log_tally_add(struct wt_log_tally *tally, struct wt_str provider, struct wt_str name, uint32_t cpu,
		     uint64_t n, uint64_t earlier, struct wt_err *err)
{
	uint32_t line = find_line(tally, add_names(tally, provider, name), cpu);

	if (line == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	tally->lines[line].events += n;
	tally->lines[line].earlier += earlier;
	return 0;
}

/* The names under which the events of a block are counted; field: see wt_log_tally_by. */
static struct wt_str name_of(const struct wt_kind *kind, int field, uint64_t value)
{
	const struct wt_named *entry;

	if (field < 0)
		return wt_str(kind->event->name);
	entry = wt_valmap_of_value(kind->event->fields[field].map, value);
	return wt_str(entry ? entry->name : "");
}

/* Counts the events of a decoded block one by one. */
static int count_batch(struct wt_log_tally *tally, const struct wt_log_batch *batch, int field, bool earlier,
		       struct wt_err *err)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	const uint64_t *values = field < 0 ? NULL : batch->columns[field].values;
	struct {
		uint64_t value;
		uint32_t cpu, line; /* line + 1; 0: free */
	} memo[MEMO] = {0};

	for (uint32_t i = 0; i < batch->n; i++) {
		uint64_t value = values ? values[i] : 0;
		uint32_t cpu = batch->cpu[i], at = (uint32_t)(cpu + value * 17) % MEMO, line;

		if (!memo[at].line || memo[at].cpu != cpu || memo[at].value != value) {
			line = find_line(
				tally,
				add_names(tally, wt_str(kind->provider->name), name_of(kind, field, value)),
				cpu);
			if (line == WT_INTERN_NONE)
				return wt_fail_nomem(err);
			memo[at].value = value;
			memo[at].cpu = cpu;
			memo[at].line = line + 1;
		}
		line = memo[at].line - 1;
		tally->lines[line].events++;
		tally->lines[line].earlier += earlier;
	}
	return 0;
}

static int count_block(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
		       const struct wt_kind *kind, const struct wt_log_tallying *how,
		       struct wt_log_tally *tally, struct wt_err *err)
{
	int field = how->by ? how->by(how->ctx, kind) : WT_LOG_TALLY_EVENT, rc;
	struct wt_log_need need = {0};
	uint64_t n = ref->header.count;

	if (field == WT_LOG_TALLY_NOT)
		return 0;
	if (how->headers && field < 0 && ref->header.cpu != WT_CPU_NONE)
		return wt_log_tally_add(tally, wt_str(kind->provider->name), wt_str(kind->event->name),
					ref->header.cpu, n, how->earlier ? n : 0, err);
	if (field >= 0)
		wt_log_need_field(&need, (uint32_t)field);
	rc = wt_log_decode_block(log, decoder, ref, how->headers ? &need : NULL, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return count_batch(tally, &decoder->store.batch, field, how->earlier, err);
}

static int count_segment(struct wt_log_reader *log, struct wt_log_decoder *decoder,
			 const struct wt_log_tables *tables, const struct wt_log_tallying *how,
			 struct wt_log_tally *tally, struct wt_err *err)
{
	const struct wt_log_segment *segment = &tables->segment;
	int rc = 0;

	for (uint32_t r = tables->first; r != WT_LOG_NONE && !rc; r = log->refs[r].next) {
		struct wt_log_ref *ref = &log->refs[r];

		if (ref->header.type == WT_DISK_EVENTS && !ref->bad &&
		    wt_log_kind_known(segment, ref->header.kind))
			rc = count_block(log, decoder, ref, &segment->kinds.kinds[ref->header.kind], how,
					 tally, err);
	}
	return rc;
}

int wt_log_tally_segment(struct wt_log_reader *log, uint32_t i, const struct wt_log_tallying *how,
			 struct wt_log_tally *tally, struct wt_err *err)
{
	const struct wt_log_segment *segment;
	struct wt_log_decoder decoder;
	int rc;

	if (wt_log_load_segment(log, i, &segment, err) || wt_log_decoder_take(log, &decoder, err))
		return -1;
	rc = count_segment(log, &decoder, &log->segments[i], how, tally, err);
	wt_log_decoder_put(log, &decoder);
	wt_log_unload_segment(log, i);
	return rc;
}
