/* SPDX-License-Identifier: MIT */
/* Names of all addresses that a log's stacks hit, written into that log. */
#include "consumers/symbols/symbols.h"

#include <malloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/symbols/arena.h"
#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/file_proof.h"
#include "consumers/symbols/name_shares.h"
#include "tracecore/base/apart_file.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/intern.h"

/** Offsets resolved, and rows written, at a time. */
enum { BATCH = 512, BATCH_ROWS = 16384, SILENT = 8 };

/** A frame without a name. */
struct job {
	uint64_t offset;
	uint32_t group; /**< images equal in all that counts */
	uint32_t at;    /**< its index in `asked` */
};

/** Where a frame is, and what came of it. */
struct asked_frame {
	uint32_t frame;
	uint32_t outcome; /**< once resolved */
};

/** A struct wt_log_symbol whose strings are interned. */
struct outcome {
	uint32_t name, raw_name, file, inlined;
	uint32_t line, symbol_offset;
	uint8_t reason;
};

struct embed {
	struct wt_symbols *symbols;
	struct wt_log_reader *reader;
	struct wt_log_writer *log;
	struct wt_packages *lacking;
	struct wt_name_shares *shares;
	uint64_t silent[SILENT]; /**< devices whose files do not answer */
	unsigned n_silent;
	uint32_t segment;          /**< its number in the file */
	struct job *jobs;          /**< n of them, room for all the segment's frames */
	struct asked_frame *asked; /**< theirs, in the order of frames */
	size_t n;
	struct wt_log_image *images; /**< by group: one of the equal ones, its strings in `arena` */
	size_t images_cap;
	struct wt_arena arena;
	struct wt_strings keys; /**< of groups */
	struct wt_strings strings;
	struct outcome *outcomes;
	size_t n_outcomes, outcomes_cap;
};

/* The segment's tables are gone when the image is needed. */
static bool keep_image(struct embed *embed, const struct wt_log_image *image, struct wt_log_image *ret)
{
	*ret = *image;
	ret->build_id.p = wt_arena_copy(&embed->arena, image->build_id.p, image->build_id.len);
	ret->path.p = wt_arena_copy(&embed->arena, image->path.p, image->path.len);
	return ret->build_id.p && ret->path.p;
}

static uint32_t group_of(struct embed *embed, const struct wt_log_image *image)
{
	struct wt_buf key = {0};
	bool fresh = false;
	uint32_t id;

	wt_buf_put_u8(&key, image->kind);
	wt_buf_put_counted(&key, image->build_id.p, image->build_id.len);
	wt_buf_put_u64(&key, image->device);
	wt_buf_put_u64(&key, image->inode);
	wt_buf_put_u64(&key, image->mapped);
	wt_buf_put_u64(&key, image->changed);
	wt_buf_put_u64(&key, image->modified);
	wt_buf_put_u32(&key, image->links);
	wt_buf_put(&key, image->path.p, image->path.len);
	id = key.failed ? WT_INTERN_NONE : wt_strings_add(&embed->keys, key.data, key.len, &fresh);
	wt_buf_deinit(&key);
	if (!fresh)
		return id;
	if (wt_grow(&embed->images, &embed->images_cap, id, 1, NULL))
		return WT_INTERN_NONE;
	return keep_image(embed, image, &embed->images[id]) ? id : WT_INTERN_NONE;
}

static bool is_resolved(const struct wt_log_symbol *symbol)
{
	return symbol->name.len || symbol->reason != WT_RESOLVED;
}

static int collect_segment(struct embed *embed, const struct wt_log_segment *segment, struct wt_err *err)
{
	uint32_t *groups = malloc((segment->n_images + 1) * sizeof(*groups));
	int status;

	embed->segment = segment->number;
	embed->jobs = reallocarray(NULL, segment->n_frames + 1, sizeof(*embed->jobs));
	embed->asked = reallocarray(NULL, segment->n_frames + 1, sizeof(*embed->asked));
	status = groups && embed->jobs && embed->asked ? 0 : wt_fail_nomem(err);
	for (uint32_t i = 0; !status && i < segment->n_images; i++) {
		groups[i] = group_of(embed, &segment->images[i]);
		if (groups[i] == WT_INTERN_NONE)
			status = wt_fail_nomem(err);
	}
	for (uint32_t i = 0; !status && i < segment->n_frames; i++) {
		const struct wt_log_frame *frame = &segment->frames[i];
		uint32_t image = frame->image < segment->n_images ? frame->image : 0;

		if (is_resolved(&segment->symbols[i]))
			continue;
		embed->jobs[embed->n] = (struct job){
			.offset = frame->offset, .group = groups[image], .at = (uint32_t)embed->n};
		embed->asked[embed->n++].frame = i;
	}
	free(groups);
	return status;
}

static int by_image(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int keep(struct embed *embed, const struct wt_log_symbol *row, struct wt_err *err)
{
	struct outcome outcome = {
		.line = row->line, .symbol_offset = row->symbol_offset, .reason = row->reason};
	bool fresh;

	if (wt_grow(&embed->outcomes, &embed->outcomes_cap, embed->n_outcomes, 1, err))
		return -1;
	outcome.name = wt_strings_add(&embed->strings, row->name.p, row->name.len, &fresh);
	outcome.raw_name = wt_strings_add(&embed->strings, row->raw_name.p, row->raw_name.len, &fresh);
	outcome.file = wt_strings_add(&embed->strings, row->file.p, row->file.len, &fresh);
	outcome.inlined = wt_strings_add(&embed->strings, row->inlined.p, row->inlined.len, &fresh);
	if (outcome.name == WT_INTERN_NONE || outcome.raw_name == WT_INTERN_NONE ||
	    outcome.file == WT_INTERN_NONE || outcome.inlined == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	embed->outcomes[embed->n_outcomes++] = outcome;
	return 0;
}

/* The file at the path, as this machine sees it, is the one that was mapped. In a container, or below another
 * root, the same path is another file, and this machine's packages say nothing of it. */
static bool is_ours(const struct wt_log_image *image)
{
	struct wt_str path = image->path;
	struct wt_elf file = WT_ELF_CLOSED;
	struct wt_file_facts facts;
	struct wt_buf text = {0};
	bool same = false;

	wt_buf_put(&text, path.p, path.len);
	if (!text.failed && !memchr(path.p, 0, path.len)) {
		wt_file_facts_at(wt_buf_cstr(&text), -1, &facts);
		same = facts.there && image->inode && facts.inode == image->inode &&
		       (facts.device == image->device || facts.layered || !image->device);
		/* A layer tells another inode than mappings do, or nobody knows one. */
		if (!same && facts.there && image->build_id.len && (facts.layered || !image->inode) &&
		    wt_elf_open(wt_buf_cstr(&text), &file))
			same = wt_elf_is_build(&file, image->build_id);
		wt_elf_close(&file);
	}
	wt_buf_deinit(&text);
	return same;
}

/* Who opens the image's file would wait for somebody who never answers, as files of the same device have
 * shown. */
static bool is_silent(struct embed *embed, const struct wt_log_image *image, const char *path)
{
	if (!embed->shares->on)
		return false;
	for (unsigned i = 0; i < embed->n_silent; i++)
		if (embed->silent[i] == image->device)
			return true;
	if (wt_apart_answers(path, UINT32_MAX))
		return false;
	wt_name_shares_of(embed->shares, UINT32_MAX)->left_out++;
	if (embed->n_silent < SILENT)
		embed->silent[embed->n_silent++] = image->device;
	return true;
}

/* Rows without a reason are looked for again by whoever views the log. */
static int resolve_batch(struct embed *embed, const struct wt_log_image *image, const uint64_t *offsets,
			 size_t n, struct wt_log_symbol *rows, struct wt_err *err)
{
	struct wt_name_share *share = NULL;
	char path[PATH_MAX];
	uint64_t began;
	int rc;

	if (image->kind == WT_IMAGE_FILE && image->path.len && image->path.len < sizeof(path)) {
		memcpy(path, image->path.p, image->path.len);
		path[image->path.len] = 0;
		if (is_silent(embed, image, path)) {
			memset(rows, 0, n * sizeof(*rows));
			return 0;
		}
		/* Another file at its path says nothing of whose it is. */
		if (embed->shares->on && !is_ours(image))
			path[0] = 0;
		if (!wt_name_shares_allow(embed->shares, path, &share)) {
			memset(rows, 0, n * sizeof(*rows));
			return 0;
		}
	}
	began = wt_clock_now();
	rc = wt_symbols_resolve(embed->symbols, image, offsets, n, rows, err);
	wt_name_share_spend(embed->shares, share, wt_clock_now() - began);
	return rc;
}

/** Resolves some jobs of one image, from `from` on; returns the first job not done, 0 on failure. Equal
 * offsets share their outcome. */
static size_t resolve_some(struct embed *embed, size_t from, struct wt_err *err)
{
	uint32_t group = embed->jobs[from].group;
	struct wt_log_symbol rows[BATCH];
	uint64_t offsets[BATCH];
	size_t n = 1, i;

	offsets[0] = embed->jobs[from].offset;
	for (i = from; i < embed->n && embed->jobs[i].group == group; i++) {
		struct job *job = &embed->jobs[i];

		if (offsets[n - 1] != job->offset) {
			if (n == BATCH)
				break;
			offsets[n++] = job->offset;
		}
		embed->asked[job->at].outcome = (uint32_t)(embed->n_outcomes + n - 1);
	}
	if (resolve_batch(embed, &embed->images[group], offsets, n, rows, err) < 0)
		return 0;
	for (size_t k = 0; k < n; k++)
		if (keep(embed, &rows[k], err) < 0)
			return 0;
	return i;
}

static int resolve_all(struct embed *embed, struct wt_err *err)
{
	if (embed->n)
		qsort(embed->jobs, embed->n, sizeof(*embed->jobs), by_image);
	for (size_t i = 0; i < embed->n;) {
		i = resolve_some(embed, i, err);
		if (!i)
			return -1;
	}
	return 0;
}

static struct wt_str string(const struct embed *embed, uint32_t id)
{
	size_t len;
	const char *text = wt_strings_get(&embed->strings, id, &len);

	return wt_str_of(text, len);
}

/** A package can bring what is missing. */
static bool may_come(uint8_t reason)
{
	return reason == WT_UNRESOLVED_NO_FILE || reason == WT_UNRESOLVED_BUILD_ID ||
	       reason == WT_UNRESOLVED_NO_SYMBOLS || reason == WT_UNRESOLVED_STRIPPED;
}

static int want(struct embed *embed, const struct wt_log_image *image, struct wt_err *err)
{
	char path[PATH_MAX];

	if (image->kind != WT_IMAGE_FILE || !image->path.len || image->path.len >= sizeof(path))
		return 0;
	memcpy(path, image->path.p, image->path.len);
	path[image->path.len] = 0;
	if (is_silent(embed, image, path) || !is_ours(image))
		return 0;
	return wt_packages_want(embed->lacking, image->path.p, image->path.len, err);
}

static int want_nameless(struct embed *embed, struct wt_err *err)
{
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < embed->n; i++) {
		const struct job *job = &embed->jobs[i];
		const struct outcome *outcome = &embed->outcomes[embed->asked[job->at].outcome];

		if (job->group == last || !may_come(outcome->reason))
			continue;
		last = job->group;
		if (want(embed, &embed->images[last], err) < 0)
			return -1;
	}
	return 0;
}

static bool is_cut(uint8_t status)
{
	return status == WT_STACK_NO_DATA || status == WT_STACK_BAD_MEMORY || status == WT_STACK_ASTRAY;
}

/** Wants the images that stacks ended in, before the segment's tables go. */
static int want_cut(struct embed *embed, const struct wt_log_segment *segment, struct wt_err *err)
{
	bool *seen = calloc(segment->n_images + 1, sizeof(*seen));
	uint32_t *roots = calloc((size_t)segment->n_stacks + 1, sizeof(*roots));
	int status = seen && roots ? 0 : wt_fail_nomem(err);

	for (uint32_t id = 1; !status && id <= segment->n_stacks; id++) {
		const struct wt_log_stack *stack = &segment->stacks[id - 1];
		uint32_t frame, image;

		roots[id] = stack->caller && stack->caller < id ? roots[stack->caller] : id;
		frame = segment->stacks[roots[id] - 1].frame;
		image = frame < segment->n_frames ? segment->frames[frame].image : 0;
		if (!is_cut(stack->status) || image >= segment->n_images || seen[image])
			continue;
		seen[image] = true;
		status = want(embed, &segment->images[image], err);
	}
	free(seen);
	free(roots);
	return status;
}

/** Writes what came of n frames that follow each other. */
static int write_run(struct embed *embed, const struct asked_frame *asked, size_t n,
		     struct wt_log_symbol *rows, struct wt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct outcome *outcome = &embed->outcomes[asked[i].outcome];

		rows[i] = (struct wt_log_symbol){
			.name = string(embed, outcome->name),
			.raw_name = string(embed, outcome->raw_name),
			.file = string(embed, outcome->file),
			.line = outcome->line,
			.symbol_offset = outcome->symbol_offset,
			.reason = outcome->reason,
			.inlined = string(embed, outcome->inlined),
		};
	}
	return wt_log_put_symbols(embed->log, embed->segment, asked->frame, rows, n, err);
}

static int write_all(struct embed *embed, struct wt_err *err)
{
	struct wt_log_symbol *rows = malloc(BATCH_ROWS * sizeof(*rows));
	int status = rows ? 0 : wt_fail_nomem(err);

	for (size_t i = 0, n; !status && i < embed->n; i += n) {
		const struct asked_frame *asked = &embed->asked[i];

		for (n = 1; i + n < embed->n && n < BATCH_ROWS && asked[n].frame == asked->frame + n;)
			n++;
		status = write_run(embed, asked, n, rows, err);
	}
	free(rows);
	return status;
}

static void embed_clear(struct embed *embed)
{
	free(embed->jobs);
	free(embed->asked);
	free(embed->images);
	free(embed->outcomes);
	wt_arena_deinit(&embed->arena);
	wt_strings_deinit(&embed->keys);
	wt_strings_deinit(&embed->strings);
	*embed = (struct embed){.symbols = embed->symbols,
				.reader = embed->reader,
				.log = embed->log,
				.lacking = embed->lacking,
				.shares = embed->shares};
}

/* One segment at a time, and its tables only until it is known what to resolve: they and the symbols of the
 * images it hit are never in memory together. */
static int embed_segment(struct embed *embed, uint32_t i, struct wt_err *err)
{
	const struct wt_log_segment *segment;
	int status = wt_log_load_segment(embed->reader, i, &segment, err);

	if (!status)
		wt_symbols_prove(embed->symbols, segment);
	if (!status)
		status = collect_segment(embed, segment, err);
	if (!status)
		status = want_cut(embed, segment, err);
	wt_log_unload_segment(embed->reader, i);
	malloc_trim(0);
	if (!status)
		status = resolve_all(embed, err);
	if (!status)
		status = want_nameless(embed, err);
	if (!status)
		status = write_all(embed, err);
	embed_clear(embed);
	return status;
}

int wt_symbols_embed(struct wt_symbols *symbols, struct wt_log_reader *reader, struct wt_log_writer *log,
		     struct wt_packages *lacking, const struct wt_listener *listener, bool shared,
		     struct wt_err *err)
{
	struct wt_name_shares shares = {0};
	struct embed embed = {
		.symbols = symbols, .reader = reader, .log = log, .lacking = lacking, .shares = &shares};
	uint32_t n = wt_log_info(reader)->n_segments;
	int status = 0;

	if (shared)
		wt_name_shares_begin(&shares, (uint32_t)geteuid());
	for (uint32_t i = 0; !status && i < n; i++) {
		wt_listener_tell(listener, i, n);
		status = embed_segment(&embed, i, err);
	}
	wt_name_shares_tell(&shares);
	return status;
}
