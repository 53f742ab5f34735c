/* SPDX-License-Identifier: MIT */
#include "consumers/annotate/addresses.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/annotate/work.h"
#include "consumers/symbols/sections.h"
#include "tracecore/base/grow.h"

struct finding {
	const struct wt_view_agg *agg;
	struct wt_annotate_work work;
	struct wt_annotate_place *places; /* owned */
	uint32_t n_places;
	uint32_t *images; /* by image of ret: its text; owned */
	struct wt_hits *ret;
	bool failed; /* memory is out */
};

static const char *text(const struct finding *finding, uint32_t id, size_t *len)
{
	return wt_strings_get(&finding->work.file->texts, id, len);
}

static struct wt_str keep_text(struct finding *finding, uint32_t id)
{
	size_t len;
	const char *p = text(finding, id, &len);
	struct wt_str kept = wt_annotate_keep(&finding->work, p, len);

	finding->failed |= !kept.p;
	return kept;
}

/* ---- images ---- */

static void on_section(void *ctx, const char *name, uint64_t address, uint64_t size)
{
	struct finding *finding = ctx;
	struct wt_hit_image *image = &finding->ret->images[finding->ret->n_images - 1];
	struct wt_str kept = wt_annotate_keep(&finding->work, name, strlen(name));

	finding->failed |= !kept.p || wt_grow_one(&image->sections, image->n_sections, NULL);
	if (!finding->failed)
		image->sections[image->n_sections++] = (struct wt_hit_section){kept, address, size};
}

/* Once for each image, whatever event hits it. */
static int take_image(struct finding *finding, const struct wt_annotate_place *place, struct wt_err *err)
{
	struct wt_hits *ret = finding->ret;

	for (uint32_t i = 0; i < ret->n_images; i++)
		if (finding->images[i] == place->image)
			return 0;
	if (wt_grow_one(&finding->images, ret->n_images, err) ||
	    wt_grow_one(&ret->images, ret->n_images, err))
		return -1;
	finding->images[ret->n_images] = place->image;
	ret->images[ret->n_images++] = (struct wt_hit_image){.path = keep_text(finding, place->module)};
	wt_sections_each(wt_frame_image(place->tables, place->frame), on_section, finding);
	return finding->failed ? wt_fail_nomem(err) : 0;
}

/* ---- addresses ---- */

static struct wt_str name_of(struct finding *finding, const struct wt_annotate_place *place)
{
	struct wt_buf name = {0};
	struct wt_str kept;
	size_t len;
	const char *function = text(finding, place->name, &len);

	wt_buf_put(&name, function, len);
	if (place->name != place->module)
		wt_buf_printf(&name, ":%s", wt_view_module_base(text(finding, place->module, NULL)));
	kept = wt_annotate_keep(&finding->work, name.data, name.len);
	finding->failed |= name.failed || !kept.p;
	wt_buf_deinit(&name);
	return kept;
}

/* Whether addresses of the image are of its file, not of where it lies now. */
static bool is_of_file(const struct wt_annotate_place *place)
{
	uint8_t kind = wt_frame_image(place->tables, place->frame)->kind;

	return kind == WT_IMAGE_FILE || kind == WT_IMAGE_VDSO;
}

static int add_address(struct finding *finding, const struct wt_hit_address *address, struct wt_err *err)
{
	struct wt_hits *ret = finding->ret;
	struct wt_hit_address *last = ret->n_addresses ? &ret->addresses[ret->n_addresses - 1] : NULL;

	/* Places of several segments. */
	if (last && last->address == address->address && last->name.p == address->name.p) {
		last->hits += address->hits;
		return 0;
	}
	if (wt_grow_one(&ret->addresses, ret->n_addresses, err))
		return -1;
	ret->addresses[ret->n_addresses++] = *address;
	return 0;
}

static int take_function(struct finding *finding, const struct wt_annotate_place *places, uint32_t n,
			 struct wt_err *err)
{
	struct wt_hit_address row = {
		.event = keep_text(finding, finding->agg->rows.nodes[places->root].id),
		.name = name_of(finding, places),
	};
	struct wt_symbols_code where = {.reason = WT_FRAME_NOT_LOOKED_UP};
	struct wt_buf bytes = {0};
	int failed = finding->failed ? wt_fail_nomem(err) : 0;

	if (!failed && places->named && is_of_file(places))
		failed = wt_annotate_where(&finding->work, places, &where, &bytes, err);
	wt_buf_deinit(&bytes);
	for (uint32_t i = 0; !failed && i < n; i++) {
		row.address = where.reason ? places[i].offset
					   : where.address + (places[i].offset - where.start);
		row.hits = places[i].count;
		failed = add_address(finding, &row, err);
	}
	return failed;
}

static int take_all(struct finding *finding, struct wt_err *err)
{
	for (uint32_t from = 0, to; from < finding->n_places; from = to) {
		const struct wt_annotate_place *first = &finding->places[from];

		for (to = from; to < finding->n_places && !wt_annotate_order(first, &finding->places[to]);
		     to++)
			;
		if (take_image(finding, first, err) || take_function(finding, first, to - from, err))
			return -1;
	}
	return 0;
}

static int most_hits_first(const void *x, const void *y)
{
	const struct wt_hit_address *a = x, *b = y;
	size_t len = a->event.len < b->event.len ? a->event.len : b->event.len;
	int order = memcmp(a->event.p, b->event.p, len);

	if (order || a->event.len != b->event.len)
		return order ? order : a->event.len < b->event.len ? -1 : 1;
	if (a->hits != b->hits)
		return a->hits > b->hits ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

int wt_hits_find(const struct wt_annotate *annotate, struct wt_hits *ret, struct wt_err *err)
{
	struct finding finding = {
		.agg = &annotate->counter->agg,
		.work = {.file = &annotate->counter->file, .texts = &ret->texts},
		.ret = ret,
	};
	int failed;

	*ret = (struct wt_hits){0};
	failed = wt_annotate_places(annotate, &finding.places, &finding.n_places, err) ||
		 wt_annotate_symbols(&finding.work.file->options, &finding.work.symbols, err) ||
		 take_all(&finding, err);
	if (ret->n_addresses)
		qsort(ret->addresses, ret->n_addresses, sizeof(*ret->addresses), most_hits_first);
	wt_symbols_destroy(finding.work.symbols);
	free(finding.places);
	free(finding.images);
	return failed ? -1 : 0;
}

void wt_hits_deinit(struct wt_hits *hits)
{
	for (uint32_t i = 0; i < hits->n_images; i++)
		free(hits->images[i].sections);
	free(hits->images);
	free(hits->addresses);
	wt_arena_deinit(&hits->texts);
	*hits = (struct wt_hits){0};
}
