/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/filter.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"

static int lookup(void *ctx, const char *name, uint32_t *handle, unsigned *types, struct wt_err *err)
{
	struct wt_view_filter *filter = ctx;
	struct wt_view_key *key;

	if (wt_grow_one(&filter->keys, filter->n_keys, err))
		return -1;
	key = &filter->keys[filter->n_keys];
	if (wt_view_key_init(filter->file, name, WT_FACE_FILTER, key, err))
		return -1;
	*types = wt_view_key_types(key);
	*handle = filter->n_keys++;
	return 0;
}

static int parse(struct wt_view_filter *filter, const char *text, struct wt_expr **ret,
		 struct wt_expr_place *place, struct wt_err *err)
{
	struct wt_expr_scope scope = {.lookup = lookup, .ctx = filter};

	if (wt_expr_parse(text, ret, place, err))
		return -1;
	return wt_expr_bind(*ret, &scope, place, err);
}

int wt_view_filter_where(struct wt_view_filter *filter, const char *text, struct wt_expr_place *place,
			 struct wt_err *err)
{
	return parse(filter, text, &filter->where, place, err);
}

static void put_quoted(struct wt_buf *out, const char *text)
{
	wt_buf_put_u8(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			wt_buf_put_u8(out, '\\');
		wt_buf_put_u8(out, (uint8_t)*text);
	}
	wt_buf_put_u8(out, '\'');
}

int wt_view_filter_sources(struct wt_view_filter *filter, const char *const *sources, size_t n,
			   struct wt_err *err)
{
	struct wt_buf text = {0};
	uint32_t before = filter->n_keys;
	int failed;

	for (size_t i = 0; i < n; i++) {
		wt_buf_puts(&text, i ? " || pmu-profile/sample.source == " : "pmu-profile/sample.source == ");
		put_quoted(&text, sources[i]);
	}
	failed = text.failed ? wt_fail_nomem(err)
			     : parse(filter, wt_buf_cstr(&text), &filter->sources, NULL, err);
	wt_buf_deinit(&text);
	for (uint32_t k = before; k < filter->n_keys; k++)
		wt_view_field_of_any_event(&filter->keys[k].field);
	return failed;
}

void wt_view_filter_deinit(struct wt_view_filter *filter)
{
	for (uint32_t i = 0; i < filter->n_keys; i++)
		wt_view_key_deinit(&filter->keys[i]);
	free(filter->keys);
	wt_expr_destroy(filter->where);
	wt_expr_destroy(filter->sources);
	free(filter->scratch);
	*filter = (struct wt_view_filter){0};
}

bool wt_view_filter_asks_regions(const struct wt_view_filter *filter)
{
	for (uint32_t k = 0; k < filter->n_keys; k++)
		if (filter->keys[k].what == WT_KEY_IN_REGION)
			return true;
	return false;
}

/* ---- a batch ---- */

struct source {
	struct wt_view_filter *filter;
	struct wt_view_segment *segment;
	const struct wt_log_batch *batch;
};

static int fetch(void *ctx, uint32_t handle, enum wt_expr_types as, struct wt_expr_vector *ret,
		 struct wt_err *err)
{
	struct source *source = ctx;

	return wt_view_key_vector(source->filter->file, &source->filter->keys[handle], source->segment,
				  source->batch, as, ret, err);
}

static int any(void *ctx, uint32_t handle, const struct wt_expr_test *test, uint8_t *mask, struct wt_err *err)
{
	struct source *source = ctx;
	struct wt_view_key *key = &source->filter->keys[handle];

	if (key->what == WT_KEY_IN_REGION)
		return key->inside.mask(key->inside.ctx, source->batch, mask, err);
	return wt_view_key_any(source->filter->file, &source->filter->keys[handle], source->segment,
			       source->batch, test, mask, err);
}

static const char *text_of(void *ctx, uint32_t handle, uint32_t id, size_t *len)
{
	const struct source *source = ctx;

	(void)handle;
	return wt_strings_get(&source->filter->file->texts, id, len);
}

/* The event has a stack, and it names callers that may be others, or lacks some. The kernel's own frames,
 * where nothing of a program is claimed (a kernel thread's, of an exec), are as proved as any. */
static bool is_unproved(const struct wt_log_batch *batch, uint32_t i)
{
	uint32_t stack = batch->stack[i];
	uint8_t status = stack ? batch->segment->stacks[stack - 1].status : WT_STACK_NONE;

	return status != WT_STACK_NONE && status != WT_STACK_NO_USER && !wt_stack_is_proved(status);
}

static void leave_unproved(struct wt_view_filter *filter, const struct wt_log_batch *batch, uint8_t *mask)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		if (!mask[i] || !is_unproved(batch, i))
			continue;
		mask[i] = 0;
		filter->unproved++;
	}
}

int wt_view_filter_mask(struct wt_view_filter *filter, struct wt_view_segment *segment,
			const struct wt_log_batch *batch, uint8_t *mask, struct wt_err *err)
{
	struct source source = {.filter = filter, .segment = segment, .batch = batch};
	struct wt_expr_source values = {.fetch = fetch, .text = text_of, .any = any, .ctx = &source};
	bool by_source = filter->sources && wt_view_is_sample(batch->segment, batch->kind);

	if (!batch->n)
		return 0;
	memset(mask, 1, batch->n);
	if (filter->where && wt_expr_eval(filter->where, &values, batch->n, mask, err))
		return -1;
	if (by_source && (wt_grow(&filter->scratch, &filter->scratch_n, 0, batch->n, err) ||
			  wt_expr_eval(filter->sources, &values, batch->n, filter->scratch, err)))
		return -1;
	for (uint32_t i = 0; by_source && i < batch->n; i++)
		mask[i] &= filter->scratch[i];
	for (uint32_t i = 0; filter->no_self && i < batch->n; i++)
		mask[i] &= !batch->self[i];
	if (filter->proved)
		leave_unproved(filter, batch, mask);
	return 0;
}

int wt_view_filter_one(struct wt_view_filter *filter, const struct wt_log_batch *batch, uint32_t i,
		       uint8_t *ret, struct wt_err *err)
{
	struct wt_log_column columns[WT_SCHEMA_MAX_FIELDS];
	struct wt_view_segment *segment;
	struct wt_log_batch one;

	*ret = 1;
	if (!filter->where && !filter->sources && !filter->no_self && !filter->proved)
		return 0;
	one = wt_log_batch_single(batch, i, columns);
	if (wt_view_file_segment(filter->file, batch->segment, &segment, err))
		return -1;
	return wt_view_filter_mask(filter, segment, &one, ret, err);
}
