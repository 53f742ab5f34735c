// SPDX-License-Identifier: MIT
/* Missing names and cut stacks, as JSON. */
#include "consumers/export/view.h"

#include "consumers/analysis/remedy.h"

struct missing_view {
	const struct wt_view_show *show;
	const struct wt_view_missing *missing;
	struct wt_view_remedies remedies;
	struct wt_json json;
	struct wt_buf text;
};

static void json_text(struct missing_view *view, const char *name, uint32_t id)
{
	size_t len;
	const char *text = wt_strings_get(&view->missing->file->texts, id, &len);

	wt_json_bytes(&view->json, name, text, len);
}

static void json_package(struct missing_view *view, const struct wt_view_package *package)
{
	if (package->name == WT_VIEW_NONE) {
		wt_json_null(&view->json, "package");
		return;
	}
	json_text(view, "package", package->name);
	json_text(view, "version", package->version);
	json_text(view, "architecture", package->architecture);
	json_text(view, "source", package->source);
	json_text(view, "system", package->system);
}

static void json_remedies(struct missing_view *view, const struct wt_view_lack *lack)
{
	struct wt_json *json = &view->json;
	enum wt_view_remedy what;

	wt_json_array(json, "remedies");
	for (unsigned i = 0; wt_view_remedy(&view->remedies, lack, i, &what, &view->text); i++) {
		wt_json_object(json, NULL);
		wt_json_bytes(json, what == WT_REMEDY_COMMAND ? "command" : "advice", view->text.data,
			      view->text.len);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	wt_buf_clear(&view->text);
	if (wt_view_remedy_archive(&view->remedies, lack, &view->text))
		wt_json_bytes(json, "archive", view->text.data, view->text.len);
	else
		wt_json_null(json, "archive");
}

static void json_row(struct missing_view *view, const struct wt_view_lack *lack)
{
	struct wt_json *json = &view->json;
	size_t len;
	const char *id = wt_strings_get(&view->missing->file->texts, lack->build_id, &len);

	wt_json_object(json, NULL);
	json_text(view, "module", lack->module);
	wt_json_hex(json, "build_id", id, len);
	wt_json_number(json, "affected", lack->affected);
	wt_json_number(json, "exclusive", lack->exclusive);
	wt_json_number(json, "inclusive", lack->inclusive);
	wt_json_number(json, "cut_off", lack->cut);
	wt_view_counts_json("names", wt_frame_reason_names + 1, lack->reasons + 1, WT_N_FRAME_REASONS - 1,
			    json);
	wt_view_counts_json("stacks", wt_stack_status_names, lack->cuts, WT_N_STACK_STATUSES, json);
	json_package(view, &lack->package);
	json_remedies(view, lack);
	wt_json_end_object(json);
}

static void json_missing(struct missing_view *view)
{
	const struct wt_view_missing *missing = view->missing;
	uint32_t n = wt_view_missing_shown(view->show, missing);
	struct wt_json *json = &view->json;

	wt_json_object(json, "missing");
	wt_json_number(json, "stacks", missing->events);
	wt_json_number(json, "affected", missing->affected);
	wt_json_number(json, "modules", missing->modules.count);
	wt_json_array(json, "rows");
	for (uint32_t i = 0; i < n; i++)
		json_row(view, &missing->lacks[i]);
	wt_json_end_array(json);
	wt_json_number(json, "rows_not_shown", missing->keys.count - n);
	wt_json_array(json, "advice");
	for (unsigned i = 0; wt_view_remedy_session(view->show->facts, i, &view->text); i++)
		wt_json_bytes(json, NULL, view->text.data, view->text.len);
	wt_json_end_array(json);
	wt_json_end_object(json);
}

int wt_view_missing_json_out(const struct wt_view_show *show, const struct wt_view_missing *missing,
			     struct wt_out *out, struct wt_err *err)
{
	struct missing_view view = {.show = show, .missing = missing, .json = wt_json(&out->buf)};

	wt_view_remedies_init(&view.remedies, missing);
	wt_json_object(&view.json, NULL);
	wt_json_text(&view.json, "file", show->path);
	wt_view_header_json(show, &view.json);
	json_missing(&view);
	wt_json_end_document(&view.json);
	wt_buf_deinit(&view.text);
	return wt_out_flow(out, err);
}
