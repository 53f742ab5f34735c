/* SPDX-License-Identifier: MIT */
/* Names of all addresses that a log's stacks hit, written into that log. */
#include "consumers/symbols/symbols.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/symbols/arena.h"
#include "consumers/symbols/name_shares.h"
#include "consumers/symbols/namer.h"
#include "consumers/symbols/sight.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/intern.h"

/** Offsets resolved, and rows written, at a time. */
enum { BATCH = 512, BATCH_ROWS = 16384 };
#define NO_OUTCOME UINT32_MAX

/** A frame without a name. */
struct job {
	uint64_t offset;
	uint32_t group; /**< images that are equal in everything that matters here */
	uint32_t at;    /**< its index in `asked` */
};

/** The place of a frame, and the result for it. */
struct asked_frame {
	uint32_t frame;
	uint32_t outcome; /**< NO_OUTCOME: not resolved yet */
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
	struct wt_sights *sights;
	struct wt_namer namer;     /**< has the segment's images */
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
		embed->asked[embed->n++] = (struct asked_frame){.frame = i, .outcome = NO_OUTCOME};
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

/* The file at the image's path; false: a look at it would wait for a program that never answers. */
static bool look(struct embed *embed, const struct wt_log_image *image, struct wt_sight *ret)
{
	if (wt_sight_look(embed->sights, image, ret))
		return true;
	wt_name_shares_of(embed->shares, UINT32_MAX)->left_out++;
	return false;
}

/* Names frames of a file that another user made or serves, or that is in another user's directory. A missing
 * answer costs that user at most the whole share, so that other users have some left. */
static void resolve_apart(struct embed *embed, uint32_t group, const struct wt_sight *sight,
			  struct wt_name_share *share, const uint64_t *offsets, size_t n,
			  struct wt_log_symbol *rows)
{
	uint64_t began = wt_clock_now(), took;
	bool named = wt_namer_ask(&embed->namer, embed->symbols, embed->images, group, offsets, n, rows);

	took = wt_clock_now() - began;
	wt_name_share_spend(embed->shares, share, took < WT_NAMES_TIME ? took : WT_NAMES_TIME);
	if (named)
		wt_symbols_check(embed->symbols, &embed->images[group], n, rows);
	if (named)
		return;
	/* Others did not answer, whoever owns the file. */
	share = share ? share : wt_name_shares_of(embed->shares, UINT32_MAX);
	share->left_out++;
	if (!sight->near)
		wt_sights_add_silent(embed->sights, &embed->images[group]);
}

/* True for an image whose frames this process names itself. Otherwise they are named, or left out. A viewer
 * of the log looks again for names of rows without a reason. */
static bool is_own(struct embed *embed, uint32_t group, const uint64_t *offsets, size_t n,
		   struct wt_log_symbol *rows)
{
	const struct wt_log_image *image = &embed->images[group];
	struct wt_name_share *share = NULL;
	struct wt_sight sight;

	if (!wt_sight_is_file(image))
		return true;
	memset(rows, 0, n * sizeof(*rows));
	/* Another file at the path does not show who owned the mapped file. */
	if (!look(embed, image, &sight) ||
	    !wt_name_shares_allow_file(embed->shares, sight.ours ? sight.uid : UINT32_MAX,
				       sight.ours ? sight.size : 0, &share))
		return false;
	if (sight.near && sight.kept && !share)
		return true;
	resolve_apart(embed, group, &sight, share, offsets, n, rows);
	return false;
}

/* Jobs that are resolved together: some of one image. Equal offsets share their outcome. */
struct batch {
	size_t from, to; /* jobs */
	size_t n;
	uint64_t offsets[BATCH];
	struct wt_log_symbol rows[BATCH];
};

static void take_batch(const struct embed *embed, size_t from, struct batch *ret)
{
	size_t n = 1, i = from;

	ret->offsets[0] = embed->jobs[from].offset;
	for (; i < embed->n && embed->jobs[i].group == embed->jobs[from].group; i++) {
		if (ret->offsets[n - 1] == embed->jobs[i].offset)
			continue;
		if (n == BATCH)
			break;
		ret->offsets[n++] = embed->jobs[i].offset;
	}
	ret->from = from;
	ret->to = i;
	ret->n = n;
}

static int keep_batch(struct embed *embed, const struct batch *batch, struct wt_err *err)
{
	size_t first = embed->n_outcomes, at = 0;

	for (size_t i = batch->from; i < batch->to; i++) {
		at += embed->jobs[i].offset != batch->offsets[at];
		embed->asked[embed->jobs[i].at].outcome = (uint32_t)(first + at);
	}
	for (size_t i = 0; i < batch->n; i++)
		if (keep(embed, &batch->rows[i], err) < 0)
			return -1;
	return 0;
}

/* What another process names. It is forked before this one has tables of symbols, and ends before: their
 * memory is not taken twice. */
static int resolve_others(struct embed *embed, struct batch *batch, struct wt_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < embed->n; i = batch->to) {
		take_batch(embed, i, batch);
		if (!is_own(embed, embed->jobs[i].group, batch->offsets, batch->n, batch->rows))
			rc = keep_batch(embed, batch, err);
	}
	wt_namer_end(&embed->namer);
	return rc;
}

static int resolve_own(struct embed *embed, struct batch *batch, struct wt_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < embed->n; i = batch->to) {
		take_batch(embed, i, batch);
		if (embed->asked[embed->jobs[i].at].outcome != NO_OUTCOME)
			continue;
		rc = wt_symbols_resolve(embed->symbols, &embed->images[embed->jobs[i].group], batch->offsets,
					batch->n, batch->rows, err);
		rc = rc < 0 ? rc : keep_batch(embed, batch, err);
	}
	return rc;
}

static int resolve_all(struct embed *embed, struct wt_err *err)
{
	struct batch *batch = malloc(sizeof(*batch));
	int rc = batch ? 0 : wt_fail_nomem(err);

	if (embed->n)
		qsort(embed->jobs, embed->n, sizeof(*embed->jobs), by_image);
	if (!rc && embed->shares->on)
		rc = resolve_others(embed, batch, err);
	if (!rc)
		rc = resolve_own(embed, batch, err);
	free(batch);
	return rc;
}

static struct wt_str string(const struct embed *embed, uint32_t id)
{
	size_t len;
	const char *text = wt_strings_get(&embed->strings, id, &len);

	return wt_str_of(text, len);
}

/** A package can supply what is missing. */
static bool may_come(uint8_t reason)
{
	return reason == WT_UNRESOLVED_NO_FILE || reason == WT_UNRESOLVED_BUILD_ID ||
	       reason == WT_UNRESOLVED_NO_SYMBOLS || reason == WT_UNRESOLVED_STRIPPED;
}

static int want(struct embed *embed, const struct wt_log_image *image, struct wt_err *err)
{
	struct wt_sight sight;

	if (!wt_sight_is_file(image))
		return 0;
	if (!embed->shares->on)
		wt_sight_see(image, &sight);
	else if (!look(embed, image, &sight))
		return 0;
	return sight.ours ? wt_packages_want(embed->lacking, image->path.p, image->path.len, err) : 0;
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

/** Writes the outcome of n consecutive frames. */
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
	wt_namer_end(&embed->namer);
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
				.shares = embed->shares,
				.sights = embed->sights};
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
	struct wt_sights sights = {0};
	struct embed embed = {.symbols = symbols,
			      .reader = reader,
			      .log = log,
			      .lacking = lacking,
			      .shares = &shares,
			      .sights = &sights};
	uint32_t n = wt_log_info(reader)->n_segments;
	int status = 0;

	if (shared)
		wt_name_shares_begin(&shares, (uint32_t)geteuid());
	for (uint32_t i = 0; !status && i < n; i++) {
		wt_listener_tell(listener, i, n);
		status = embed_segment(&embed, i, err);
	}
	wt_name_shares_tell(&shares);
	wt_sights_deinit(&sights);
	return status;
}
