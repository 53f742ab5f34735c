/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/missing.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

void wt_view_missing_init(struct wt_view_missing *missing, struct wt_view_file *file)
{
	*missing = (struct wt_view_missing){.file = file};
}

void wt_view_missing_deinit(struct wt_view_missing *missing)
{
	for (uint32_t i = 0; i < missing->n_counts; i++)
		free(missing->counts[i]);
	free(missing->counts);
	free(missing->lacks);
	wt_intern_deinit(&missing->keys);
	wt_intern_deinit(&missing->modules);
	*missing = (struct wt_view_missing){0};
}

/* A package, a file or a command can supply the name that is missing for that reason. */
static bool can_come(uint8_t reason)
{
	return reason != WT_RESOLVED && reason != WT_UNRESOLVED_NO_MATCH && reason != WT_UNRESOLVED_ANON;
}

/* ---- events: by stack ---- */

static uint64_t *counts_of(struct wt_view_missing *missing, const struct wt_view_segment *segment)
{
	uint32_t i = (uint32_t)(segment - missing->file->segments);

	if (i >= missing->n_counts) {
		uint32_t n = missing->file->n_segments;
		uint64_t **counts = realloc(missing->counts, n * sizeof(*counts));

		if (!counts)
			return NULL;
		while (missing->n_counts < n)
			counts[missing->n_counts++] = NULL;
		missing->counts = counts;
	}
	if (!missing->counts[i])
		missing->counts[i] = calloc((size_t)segment->log->n_stacks + 1, sizeof(uint64_t));
	return missing->counts[i];
}

int wt_view_missing_tally(struct wt_view_missing *missing, const struct wt_log_batch *batch,
			  const uint32_t *rows, struct wt_err *err)
{
	struct wt_view_segment *segment;
	uint64_t *counts;

	if (wt_view_file_segment(missing->file, batch->segment, &segment, err))
		return -1;
	counts = counts_of(missing, segment);
	if (!counts)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++)
		if (rows[i] != WT_VIEW_NONE && !batch->self[i])
			counts[batch->stack[i]]++;
	return 0;
}

/* ---- stacks: missing names and ends ---- */

/** One segment's stacks on their way into rows. Arrays by stack id; 0 is the empty stack. */
struct fold {
	struct wt_view_missing *missing;
	struct wt_view_segment *segment;
	const uint64_t *own;
	uint64_t *total;    /**< own and that of all stacks called from it */
	uint32_t *row;      /**< that its innermost frame lacks a name for; WT_VIEW_NONE: it has one */
	uint32_t *nameless; /**< the nearest stack from here outwards, itself included, with a row; 0: none */
	uint32_t *root;     /**< its outermost frame's */
};

static const struct wt_log_stack *stack_at(const struct fold *fold, uint32_t id)
{
	return &fold->segment->log->stacks[id - 1];
}

static uint32_t caller_of(const struct fold *fold, uint32_t id)
{
	uint32_t caller = stack_at(fold, id)->caller;

	return caller < id ? caller : 0;
}

static const struct wt_log_image *image_of(const struct fold *fold, uint32_t id)
{
	const struct wt_log_segment *tables = fold->segment->log;
	uint32_t frame = stack_at(fold, id)->frame;
	uint32_t image = frame < tables->n_frames ? tables->frames[frame].image : 0;

	return &tables->images[image < tables->n_images ? image : 0];
}

/** The row of the module of a stack's innermost frame; WT_VIEW_NONE when memory is out. */
static uint32_t row_of(struct fold *fold, uint32_t id, uint32_t module)
{
	struct wt_view_missing *missing = fold->missing;
	const struct wt_log_image *image = image_of(fold, id);
	uint32_t build_id = wt_view_text(missing->file, image->build_id.p, image->build_id.len), row;
	bool fresh = false;

	row = build_id == WT_VIEW_NONE ? WT_INTERN_NONE : wt_intern(&missing->keys, module, build_id, &fresh);
	if (row == WT_INTERN_NONE)
		return WT_VIEW_NONE;
	if (wt_grow(&missing->lacks, &missing->cap, row, 1, NULL))
		return WT_VIEW_NONE;
	if (fresh)
		missing->lacks[row] = (struct wt_view_lack){.module = module,
							    .build_id = build_id,
							    .kind = image->kind,
							    .package.name = WT_VIEW_NONE};
	return row;
}

static int fold_init(struct fold *fold, struct wt_err *err)
{
	const struct wt_log_segment *tables = fold->segment->log;
	size_t n = (size_t)tables->n_stacks + 1;

	fold->total = malloc(n * sizeof(*fold->total));
	fold->row = malloc(n * sizeof(*fold->row));
	fold->nameless = calloc(n, sizeof(*fold->nameless));
	fold->root = calloc(n, sizeof(*fold->root));
	if (!fold->total || !fold->row || !fold->nameless || !fold->root)
		return wt_fail_nomem(err);
	memcpy(fold->total, fold->own, n * sizeof(*fold->total));
	for (uint32_t id = tables->n_stacks; id; id--)
		if (caller_of(fold, id))
			fold->total[caller_of(fold, id)] += fold->total[id];
	return 0;
}

static void fold_deinit(struct fold *fold)
{
	free(fold->total);
	free(fold->row);
	free(fold->nameless);
	free(fold->root);
}

/** The stack `from`, or one it was called from, lacks a name in the module of that row. */
static bool has_nameless(const struct fold *fold, uint32_t from, uint32_t row)
{
	while ((from = fold->nameless[from]) && fold->row[from] != row)
		from = caller_of(fold, from);
	return from;
}

static int fold_name(struct fold *fold, uint32_t id, struct wt_err *err)
{
	struct wt_view_missing *missing = fold->missing;
	uint32_t caller = caller_of(fold, id);
	const struct wt_view_frame *frame = wt_view_frame(missing->file, fold->segment,
							  stack_at(fold, id)->frame);
	struct wt_view_lack *lack;
	bool fresh;

	if (!frame || wt_intern(&missing->modules, frame->module, 0, &fresh) == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	if (frame->reason == WT_RESOLVED)
		return 0;
	fold->row[id] = row_of(fold, id, frame->module);
	if (fold->row[id] == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	lack = &missing->lacks[fold->row[id]];
	lack->exclusive += fold->own[id];
	if (!has_nameless(fold, caller, fold->row[id])) {
		uint8_t reason = frame->reason < WT_N_FRAME_REASONS ? frame->reason : WT_FRAME_NOT_LOOKED_UP;

		lack->inclusive += fold->total[id];
		lack->affected += fold->total[id];
		lack->reasons[reason] += fold->total[id];
	}
	fold->nameless[id] = id;
	return 0;
}

static bool is_cut(uint8_t status)
{
	return status == WT_STACK_NO_DATA || status == WT_STACK_BAD_MEMORY || status == WT_STACK_ASTRAY;
}

static int fold_cut(struct fold *fold, uint32_t id, struct wt_err *err)
{
	struct wt_view_missing *missing = fold->missing;
	uint32_t root = fold->root[id], row;
	const struct wt_view_frame *frame = wt_view_frame(missing->file, fold->segment,
							  stack_at(fold, root)->frame);

	row = frame ? row_of(fold, root, frame->module) : WT_VIEW_NONE;
	if (row == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	missing->lacks[row].cut += fold->own[id];
	missing->lacks[row].cuts[stack_at(fold, id)->status] += fold->own[id];
	if (!has_nameless(fold, id, row))
		missing->lacks[row].affected += fold->own[id];
	return 0;
}

static int fold_stacks(struct fold *fold, struct wt_err *err)
{
	struct wt_view_missing *missing = fold->missing;

	if (fold_init(fold, err) || wt_view_resolve(missing->file, fold->segment, err))
		return -1;
	for (uint32_t id = 1; id <= fold->segment->log->n_stacks; id++) {
		bool cut = fold->own[id] && is_cut(stack_at(fold, id)->status);

		fold->row[id] = WT_VIEW_NONE;
		fold->nameless[id] = fold->nameless[caller_of(fold, id)];
		fold->root[id] = caller_of(fold, id) ? fold->root[caller_of(fold, id)] : id;
		if (fold->total[id] && fold_name(fold, id, err))
			return -1;
		if (cut && fold_cut(fold, id, err))
			return -1;
		missing->events += fold->own[id];
		missing->affected += cut || fold->nameless[id] ? fold->own[id] : 0;
	}
	return 0;
}

static int fold_all(struct wt_view_missing *missing, struct wt_err *err)
{
	int failed = 0;

	for (uint32_t i = 0; !failed && i < missing->n_counts; i++) {
		struct fold fold = {.missing = missing, .segment = &missing->file->segments[i]};

		if (!missing->counts[i])
			continue;
		fold.own = missing->counts[i];
		failed = fold_stacks(&fold, err);
		fold_deinit(&fold);
	}
	return failed ? -1 : 0;
}

/* ---- packages ---- */

static int take_packages(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_missing *missing = ctx;
	struct wt_view_file *file = missing->file;

	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t path = wt_view_notice_text(file, batch, i, "path");
		const struct wt_view_package package = {
			.name = wt_view_notice_text(file, batch, i, "package"),
			.version = wt_view_notice_text(file, batch, i, "version"),
			.architecture = wt_view_notice_text(file, batch, i, "architecture"),
			.source = wt_view_notice_text(file, batch, i, "source"),
			.system = wt_view_notice_text(file, batch, i, "system"),
		};

		if (path == WT_VIEW_NONE || package.name == WT_VIEW_NONE || package.version == WT_VIEW_NONE ||
		    package.architecture == WT_VIEW_NONE || package.source == WT_VIEW_NONE ||
		    package.system == WT_VIEW_NONE)
			return wt_fail_nomem(err);
		for (uint32_t k = 0; k < missing->keys.count; k++)
			if (missing->lacks[k].module == path && missing->lacks[k].kind == WT_IMAGE_FILE)
				missing->lacks[k].package = package;
	}
	return 0;
}

static bool is_package(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *row = &segment->kinds.kinds[kind];

	(void)ctx;
	return row->event->id == WT_CORE_PACKAGE && !strcmp(row->provider->name, "wtrace");
}

/* ---- order ---- */

static uint64_t help(const struct wt_view_lack *lack)
{
	uint64_t sum = lack->cut;

	for (uint8_t reason = 0; reason < WT_N_FRAME_REASONS; reason++)
		sum += can_come(reason) ? lack->reasons[reason] : 0;
	return sum < lack->affected ? sum : lack->affected;
}

static int by_help(const void *a, const void *b, void *ctx)
{
	const struct wt_view_lack *x = a, *y = b;
	const struct wt_strings *texts = ctx;

	if (help(x) != help(y))
		return help(x) > help(y) ? -1 : 1;
	if (x->affected != y->affected)
		return x->affected > y->affected ? -1 : 1;
	if (x->exclusive != y->exclusive)
		return x->exclusive > y->exclusive ? -1 : 1;
	return strcmp(wt_strings_get(texts, x->module, NULL), wt_strings_get(texts, y->module, NULL));
}

int wt_view_missing_finish(struct wt_view_missing *missing, struct wt_err *err)
{
	struct wt_log_filter packages = {.want = is_package};

	if (fold_all(missing, err))
		return -1;
	if (missing->file->log && wt_log_scan(missing->file->log, &packages, take_packages, missing, err) < 0)
		return -1;
	if (missing->keys.count)
		qsort_r(missing->lacks, missing->keys.count, sizeof(*missing->lacks), by_help,
			&missing->file->texts);
	return 0;
}
