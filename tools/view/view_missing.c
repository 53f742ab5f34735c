/* SPDX-License-Identifier: MIT */
/* Names and stacks that are missing, as text for people. */
#include "tools/view/show.h"

#include "consumers/analysis/remedy.h"

typedef unsigned long long ull;

enum { INDENT = 4, TEXT_INDENT = 8 };

struct missing_view {
	const struct wt_view_show *show;
	const struct wt_view_missing *missing;
	struct wt_view_remedies remedies;
	struct wt_out *out;
	struct wt_buf text;
};

static double share(const struct missing_view *view, uint64_t n)
{
	return view->missing->events ? 100.0 * (double)n / (double)view->missing->events : 0;
}

/* Puts "exported symbols only 12, file not readable 3": the reasons, in the words of the other views. */
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

/** Puts each archive once, for the rows shown. */
static void put_archives(struct missing_view *view)
{
	struct wt_strings seen = {0};
	bool any = false, fresh;

	for (uint32_t i = 0; i < wt_view_missing_shown(view->show, view->missing); i++) {
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
		wt_buf_puts(&view->out->buf, "once a package is installed, here or on the recorded machine, "
					     "view takes missing names from it\n");
	wt_strings_deinit(&seen);
}

static void put_foot(struct missing_view *view)
{
	const struct wt_view_missing *missing = view->missing;
	struct wt_buf *out = &view->out->buf;

	wt_buf_printf(out, "%6.2f%%%10llu  of %llu stack%s a name or callers", share(view, missing->affected),
		      (ull)missing->affected, (ull)missing->events,
		      missing->events == 1 ? " lacks" : "s lack");
	if (wt_view_missing_shown(view->show, view->missing) < missing->keys.count)
		wt_buf_printf(out, "; %u of %u modules shown",
			      wt_view_missing_shown(view->show, view->missing), missing->keys.count);
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
	for (uint32_t i = 0; i < wt_view_missing_shown(show, missing); i++)
		put_row(&view, &missing->lacks[i]);
	if (missing->keys.count)
		put_foot(&view);
	wt_buf_deinit(&view.text);
	return wt_out_flow(out, err);
}
