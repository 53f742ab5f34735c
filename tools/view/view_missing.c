/* SPDX-License-Identifier: MIT */
/* What names and stacks lack, as text and as JSON. */
#include "tools/view/show.h"

#include <string.h>

#include "consumers/analysis/remedy.h"

typedef unsigned long long ull;

enum { INDENT = 4, TEXT_INDENT = 8 };

struct missing_view {
	const struct wt_view_show *show;
	const struct wt_view_missing *missing;
	struct wt_view_remedies remedies;
	struct wt_out *out;
	struct wt_json json; /* into out, when it is JSON */
	struct wt_buf text;
};

static double share(const struct missing_view *view, uint64_t n)
{
	return view->missing->events ? 100.0 * (double)n / (double)view->missing->events : 0;
}

static uint32_t shown(const struct missing_view *view)
{
	uint32_t n = view->missing->keys.count;

	return view->show->top && view->show->top < n ? view->show->top : n;
}

/* ---- text ---- */

/** "exported symbols only 12, file not readable 3": what is missing, in the words of the other views. */
static void put_what(const struct wt_view_lack *lack, struct wt_buf *out)
{
	const char *before = "";

	for (uint32_t i = 1; i < WT_N_FRAME_REASONS; i++) {
		if (!lack->reasons[i])
			continue;
		wt_buf_printf(out, "%s%s (%llu)", before, wt_frame_reason_names[i], (ull)lack->reasons[i]);
		before = ", ";
	}
	for (uint32_t i = 0; i < WT_N_STACK_STATUSES; i++) {
		if (!lack->cuts[i])
			continue;
		wt_buf_printf(out, "%sstacks end here: %s (%llu)", before, wt_stack_status_names[i],
			      (ull)lack->cuts[i]);
		before = ", ";
	}
}

static void put_escaped_line(struct missing_view *view, const char *mark)
{
	wt_buf_printf(&view->out->buf, "%*s%s", TEXT_INDENT, "", mark);
	wt_text_escape(&view->out->buf, view->text.data, view->text.len);
	wt_buf_put_u8(&view->out->buf, '\n');
}

static void put_row(struct missing_view *view, const struct wt_view_lack *lack)
{
	struct wt_buf *out = &view->out->buf;
	enum wt_view_remedy what;
	const char *module;
	size_t len;

	module = wt_strings_get(&view->missing->file->texts, lack->module, &len);
	wt_buf_printf(out, "%*s%8llu  %6.2f  %9llu  %9llu  %7llu  ", INDENT, "", (ull)lack->affected,
		      share(view, lack->affected), (ull)lack->exclusive, (ull)lack->inclusive,
		      (ull)lack->cut);
	wt_text_escape(out, module, len);
	wt_buf_put_u8(out, '\n');
	wt_buf_clear(&view->text);
	put_what(lack, &view->text);
	put_escaped_line(view, "");
	for (unsigned i = 0; wt_view_remedy(&view->remedies, lack, i, &what, &view->text); i++)
		put_escaped_line(view, what == WT_REMEDY_COMMAND ? "$ " : "");
}

static void put_head(struct missing_view *view)
{
	wt_buf_printf(
		&view->out->buf,
		"\n======================== missing symbols and unwind data, by module: %u of %u modules "
		"========================\n",
		view->missing->keys.count, view->missing->modules.count);
	wt_buf_printf(&view->out->buf, "%*saffected       %%  exclusive  inclusive  cut off  module\n",
		      INDENT, "");
	wt_buf_printf(&view->out->buf, "%*s========  ======  =========  =========  =======  ======\n", INDENT,
		      "");
}

/** Each archive once, for the rows shown. */
static void put_archives(struct missing_view *view)
{
	struct wt_strings seen = {0};
	bool any = false, fresh;

	for (uint32_t i = 0; i < shown(view); i++) {
		wt_buf_clear(&view->text);
		if (!wt_view_remedy_archive(&view->remedies, &view->missing->lacks[i], &view->text))
			continue;
		any = true;
		wt_strings_add(&seen, view->text.data, view->text.len, &fresh);
		if (!fresh)
			continue;
		wt_buf_puts(&view->out->buf,
			    "packages named -dbgsym are in an archive of their own; in apt's "
			    "sources:\n");
		put_escaped_line(view, "");
	}
	if (any)
		wt_buf_puts(&view->out->buf,
			    "once installed, here or where it was recorded, view takes names the "
			    "log lacks from there\n");
	wt_strings_deinit(&seen);
}

static void put_foot(struct missing_view *view)
{
	const struct wt_view_missing *missing = view->missing;
	struct wt_buf *out = &view->out->buf;

	wt_buf_printf(out, "%6.2f%%%10llu  of %llu stack%s a name or callers", share(view, missing->affected),
		      (ull)missing->affected, (ull)missing->events,
		      missing->events == 1 ? " lacks" : "s lack");
	if (shown(view) < missing->keys.count)
		wt_buf_printf(out, "; %u of %u modules shown", shown(view), missing->keys.count);
	wt_buf_put_u8(out, '\n');
	put_archives(view);
	for (unsigned i = 0; wt_view_remedy_session(view->show->facts, i, &view->text); i++) {
		wt_buf_put(out, view->text.data, view->text.len);
		wt_buf_put_u8(out, '\n');
	}
}

int wt_view_missing_text_out(const struct wt_view_show *show, const struct wt_view_missing *missing,
			     struct wt_out *out, struct wt_err *err)
{
	struct missing_view view = {.show = show, .missing = missing, .out = out};

	wt_view_remedies_init(&view.remedies, missing);
	wt_view_header(show, &out->buf);
	if (missing->keys.count)
		put_head(&view);
	else
		wt_buf_puts(&out->buf, "\nnothing is missing\n");
	for (uint32_t i = 0; i < shown(&view); i++)
		put_row(&view, &missing->lacks[i]);
	if (missing->keys.count)
		put_foot(&view);
	wt_buf_deinit(&view.text);
	return wt_out_flow(out, err);
}

/* ---- JSON ---- */

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
	struct wt_json *json = &view->json;

	wt_json_object(json, "missing");
	wt_json_number(json, "stacks", missing->events);
	wt_json_number(json, "affected", missing->affected);
	wt_json_number(json, "modules", missing->modules.count);
	wt_json_array(json, "rows");
	for (uint32_t i = 0; i < shown(view); i++)
		json_row(view, &missing->lacks[i]);
	wt_json_end_array(json);
	wt_json_number(json, "rows_not_shown", missing->keys.count - shown(view));
	wt_json_array(json, "advice");
	for (unsigned i = 0; wt_view_remedy_session(view->show->facts, i, &view->text); i++)
		wt_json_bytes(json, NULL, view->text.data, view->text.len);
	wt_json_end_array(json);
	wt_json_end_object(json);
}

int wt_view_missing_json_out(const struct wt_view_show *show, const struct wt_view_missing *missing,
			     struct wt_out *out, struct wt_err *err)
{
	struct missing_view view = {.show = show, .missing = missing, .out = out, .json = wt_json(&out->buf)};

	wt_view_remedies_init(&view.remedies, missing);
	wt_json_object(&view.json, NULL);
	wt_json_text(&view.json, "file", show->path);
	wt_view_header_json(show, &view.json);
	json_missing(&view);
	wt_json_end_document(&view.json);
	wt_buf_deinit(&view.text);
	return wt_out_flow(out, err);
}
