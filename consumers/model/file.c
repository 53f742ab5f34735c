/* SPDX-License-Identifier: MIT */
#include "consumers/model/file.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

uint32_t wt_view_text(struct wt_view_file *file, const void *bytes, size_t len)
{
	bool fresh;

	return wt_strings_add(&file->texts, bytes, len, &fresh);
}

static uint32_t text_of(struct wt_view_file *file, const char *text)
{
	return wt_view_text(file, text, strlen(text));
}

uint32_t wt_view_buf_text(struct wt_view_file *file, struct wt_buf *buf)
{
	uint32_t id = buf->failed ? WT_VIEW_NONE : wt_view_text(file, buf->data, buf->len);

	wt_buf_deinit(buf);
	return id;
}

uint32_t wt_view_same_identity(struct wt_view_file *to, const struct wt_view_identities *of_to,
			       const struct wt_view_file *from, const struct wt_view_identities *of_from,
			       uint32_t id)
{
	struct wt_key key = of_from->keys.keys[id];

	if (key.b != UINT64_MAX && key.b & WT_VIEW_BY_NAME) {
		size_t len;
		const char *name = wt_strings_get(&from->texts, (uint32_t)key.b, &len);
		uint32_t text = wt_view_text(to, name, len);

		if (text == WT_VIEW_NONE)
			return WT_VIEW_NONE;
		key.b = text | WT_VIEW_BY_NAME;
	}
	return wt_intern_find(&of_to->keys, key.a, key.b);
}

/* ---- init ---- */

static struct wt_view_frame named_frame(struct wt_view_file *file, const char *name, uint8_t reason)
{
	uint32_t text = text_of(file, name);
	bool fresh;

	return (struct wt_view_frame){
		.function = text,
		.module = text,
		.raw = WT_VIEW_NONE,
		.symbol = wt_intern(&file->symbols, text, text, &fresh),
		.file = WT_VIEW_NONE,
		.reason = reason,
	};
}

static int add_segment(struct wt_view_file *file, const struct wt_log_segment *tables, struct wt_err *err)
{
	if (wt_grow(&file->segments, &file->segments_cap, file->n_segments, 1, err))
		return -1;
	file->segments[file->n_segments++] = (struct wt_view_segment){.log = tables, .tables = tables};
	return 0;
}

static int load_all(struct wt_view_file *file, struct wt_err *err)
{
	uint32_t n = wt_log_info(file->log)->n_segments;

	for (uint32_t i = file->options.first_segment; i < n; i++) {
		const struct wt_log_segment *tables;

		if (wt_log_load_segment(file->log, i, &tables, err) || add_segment(file, tables, err))
			return -1;
	}
	return 0;
}

int wt_view_file_init(struct wt_view_file *file, struct wt_log_reader *log,
		      const struct wt_view_options *options, struct wt_err *err)
{
	*file = (struct wt_view_file){.log = log,
				      .options = *options,
				      .here = {.lines = options->lines,
					       .inlines = !options->no_inline,
					       .watched = options->watched,
					       .watched_ctx = options->watched_ctx}};
	file->self_frame = named_frame(file, WT_VIEW_SELF, WT_RESOLVED);
	file->no_frame = named_frame(file, "[no stack]", WT_RESOLVED);
	file->unsampled_frame = named_frame(file, WT_VIEW_UNSAMPLED, WT_RESOLVED);
	file->unknown_frame = named_frame(file, "[unknown]", WT_UNRESOLVED_NO_IMAGE);
	file->self_text = file->self_frame.function;
	file->self_process = wt_view_identity_of_self(&file->processes, file->self_text);
	file->self_thread = wt_view_identity_of_self(&file->threads, file->self_text);
	if (file->unknown_frame.symbol == WT_INTERN_NONE || file->self_process == WT_VIEW_NONE ||
	    file->self_thread == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	if (!log)
		return 0;
	file->origin = wt_log_info(log)->first_time;
	return load_all(file, err);
}

/* Drops everything derived from the earlier tables. */
static void drop_tables(struct wt_view_segment *segment)
{
	free(segment->frames);
	segment->frames = NULL;
	if (segment->unfolded)
		wt_unfolded_deinit(segment->unfolded);
	free(segment->unfolded);
	segment->unfolded = NULL;
	for (uint32_t i = 0; i < segment->n_memos; i++)
		free(segment->memos[i]);
	free(segment->memos);
	segment->memos = NULL;
	segment->n_memos = 0;
}

void wt_view_named_free(struct wt_view_named *named)
{
	if (!named)
		return;
	free(named->symbols);
	free(named->local);
	wt_arena_deinit(&named->strings);
	free(named);
}

static void segment_deinit(struct wt_view_segment *segment)
{
	free(segment->process_of);
	free(segment->thread_of);
	free(segment->comm_of);
	free(segment->name_of);
	drop_tables(segment);
	wt_view_named_free(segment->named);
}

void wt_view_file_deinit(struct wt_view_file *file)
{
	for (uint32_t i = 0; i < file->n_segments; i++)
		segment_deinit(&file->segments[i]);
	free(file->segments);
	wt_view_identities_deinit(&file->processes);
	wt_view_identities_deinit(&file->threads);
	wt_intern_deinit(&file->symbols);
	wt_intern_deinit(&file->raw_names);
	wt_strings_deinit(&file->texts);
	wt_here_deinit(&file->here);
	*file = (struct wt_view_file){0};
}

/* ---- segments ---- */

static int translate_threads(struct wt_view_file *file, struct wt_view_segment *segment)
{
	const struct wt_log_segment *tables = segment->tables;

	for (uint32_t i = 0; i < tables->n_threads; i++) {
		const struct wt_log_thread *thread = &tables->threads[i];
		const struct wt_log_process *process = wt_process_of(tables, i);
		uint32_t comm = wt_view_text(file, process->name.p, process->name.len);
		uint32_t name = wt_view_text(file, thread->name.p, thread->name.len);

		segment->comm_of[i] = comm;
		segment->name_of[i] = name;
		if (comm == WT_VIEW_NONE || name == WT_VIEW_NONE)
			return -1;
		segment->process_of[i] = wt_view_identity(&file->processes, process->pid, process->start_time,
							  comm);
		segment->thread_of[i] = wt_view_identity(&file->threads, thread->tid, thread->start_time,
							 name);
		if (segment->process_of[i] == WT_VIEW_NONE || segment->thread_of[i] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

static int unfold(const struct wt_view_file *file, struct wt_view_segment *segment,
		  const struct wt_log_segment *from)
{
	bool failed = false;

	if (file->options.no_inline)
		return 0;
	segment->unfolded = calloc(1, sizeof(*segment->unfolded));
	if (!segment->unfolded)
		return -1;
	if (wt_unfold(from, segment->unfolded, &failed, NULL)) {
		segment->tables = &segment->unfolded->segment;
		return 0;
	}
	free(segment->unfolded);
	segment->unfolded = NULL;
	return failed ? -1 : 0;
}

int wt_view_segment_take(const struct wt_view_file *file, struct wt_view_segment *segment,
			 const struct wt_log_segment *from)
{
	drop_tables(segment);
	segment->tables = from;
	if (unfold(file, segment, from))
		return -1;
	segment->frames = malloc(((size_t)segment->tables->n_frames + 1) * sizeof(*segment->frames));
	for (uint32_t i = 0; segment->frames && i < segment->tables->n_frames; i++)
		segment->frames[i].symbol = WT_VIEW_NONE;
	return segment->frames ? 0 : -1;
}

static int segment_init(struct wt_view_file *file, struct wt_view_segment *segment)
{
	const struct wt_log_segment *log = segment->log;

	segment->process_of = calloc(log->n_threads, sizeof(uint32_t));
	segment->thread_of = calloc(log->n_threads, sizeof(uint32_t));
	segment->comm_of = calloc(log->n_threads, sizeof(uint32_t));
	segment->name_of = calloc(log->n_threads, sizeof(uint32_t));
	if (!segment->process_of || !segment->thread_of || !segment->comm_of || !segment->name_of ||
	    wt_view_segment_take(file, segment, log))
		return -1;
	return translate_threads(file, segment);
}

int wt_view_file_segment(struct wt_view_file *file, const struct wt_log_segment *tables,
			 struct wt_view_segment **ret, struct wt_err *err)
{
	uint32_t i = file->last;

	if (i >= file->n_segments || file->segments[i].log != tables) {
		for (i = 0; i < file->n_segments && file->segments[i].log != tables; i++)
			;
		if (i == file->n_segments && add_segment(file, tables, err))
			return -1;
		file->last = i;
	}
	*ret = &file->segments[i];
	if (!(*ret)->frames && segment_init(file, *ret))
		return wt_fail_nomem(err);
	return 0;
}

void wt_view_segment_exchange(struct wt_view_segment *segment, const struct wt_log_segment *tables)
{
	segment->log = tables;
	if (segment->named)
		segment->named->segment.kinds = tables->kinds;
	if (segment->unfolded)
		segment->unfolded->segment.kinds = tables->kinds;
	else if (!segment->named)
		segment->tables = tables;
}

uint32_t *wt_view_memo(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t slot, uint32_t n)
{
	if (slot >= segment->n_memos) {
		uint32_t want = file->n_slots > slot ? file->n_slots : slot + 1;
		uint32_t **memos = realloc(segment->memos, want * sizeof(*memos));

		if (!memos)
			return NULL;
		while (segment->n_memos < want)
			memos[segment->n_memos++] = NULL;
		segment->memos = memos;
	}
	if (!segment->memos[slot]) {
		segment->memos[slot] = malloc((size_t)n * sizeof(uint32_t));
		if (segment->memos[slot])
			memset(segment->memos[slot], 0xff, (size_t)n * sizeof(uint32_t));
	}
	return segment->memos[slot];
}

/* ---- texts ---- */

const char *wt_view_module_base(const char *module)
{
	const char *slash = module[0] == '[' ? NULL : strrchr(module, '/');

	return slash && slash[1] ? slash + 1 : module;
}

struct wt_str wt_view_module_end(struct wt_str module)
{
	const char *slash = module.len && module.p[0] != '[' ? memrchr(module.p, '/', module.len - (size_t)1)
							     : NULL;
	uint32_t before = slash ? (uint32_t)(slash - module.p) + 1 : 0;

	return (struct wt_str){.p = module.p + before, .len = module.len - before};
}

void wt_view_symbol_text(const struct wt_view_file *file, uint32_t symbol, struct wt_buf *out)
{
	const struct wt_key *key = &file->symbols.keys[symbol];
	size_t len;
	const char *text = wt_strings_get(&file->texts, (uint32_t)key->a, &len);

	wt_buf_put(out, text, len);
	if (key->a == key->b)
		return;
	wt_buf_put_u8(out, ':');
	wt_buf_puts(out, wt_view_module_base(wt_strings_get(&file->texts, (uint32_t)key->b, NULL)));
}

void wt_view_identity_text(const struct wt_view_file *file, const struct wt_view_identities *identities,
			   uint32_t id, struct wt_buf *out)
{
	const struct wt_view_identity *row = &identities->rows[id];
	int64_t start = (int64_t)(row->start - file->origin);
	size_t len;
	const char *text = wt_strings_get(&file->texts, row->name, &len);

	wt_buf_put(out, text, len);
	if (row->number == UINT32_MAX && row->name == file->self_text)
		return;
	if (row->number == UINT32_MAX)
		wt_buf_puts(out, " (none)");
	else
		wt_buf_printf(out, " (%u)", row->number);
	if (row->shared && row->start)
		wt_buf_printf(out, " started %+.6fs", (double)start / (double)WT_NSEC);
}
