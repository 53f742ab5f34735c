// SPDX-License-Identifier: MIT
#include "consumers/analysis/near_miss.h"

#include <string.h>

#include "consumers/analysis/expr_node.h"
#include "consumers/analysis/function_name.h"
#include "tracecore/base/foreign.h"
#include "tracecore/base/nearest.h"

enum { PROCESSES, THREADS };

/* Calls fn with each name of one kind, as the tables of the segments have it, until it says true. */
static bool any_name(const struct wt_view_file *file, int kind, bool (*fn)(void *ctx, struct wt_str name),
		     void *ctx)
{
	for (uint32_t s = 0; s < file->n_segments; s++) {
		const struct wt_log_segment *tables = file->segments[s].tables;

		for (uint32_t i = 0; kind == PROCESSES && i < tables->n_processes; i++)
			if (fn(ctx, tables->processes[i].name))
				return true;
		for (uint32_t i = 0; kind == THREADS && i < tables->n_threads; i++)
			if (fn(ctx, tables->threads[i].name))
				return true;
	}
	return false;
}

static bool is_value(void *ctx, struct wt_str name)
{
	const struct wt_expr_value *value = ctx;

	return name.len == value->len && !memcmp(name.p, value->text, name.len);
}

static bool has(const struct wt_view_file *file, int kind, struct wt_expr_value *value)
{
	return !strcmp(value->text, WT_VIEW_SELF) || any_name(file, kind, is_value, value);
}

struct nearest {
	const char *word;
	char best[64];
};

/* Keeps the nearer of the best name so far and the next one. */
static bool take_nearer(void *ctx, struct wt_str name)
{
	struct nearest *nearest = ctx;
	char next[sizeof(nearest->best)];
	const char *both[] = {nearest->best, next}, *near;

	if (!name.len || name.len >= sizeof(next))
		return false;
	memcpy(next, name.p, name.len);
	next[name.len] = '\0';
	near = wt_nearest(nearest->word, both, 2);
	if (near == next)
		memcpy(nearest->best, next, sizeof(next));
	return false;
}

static void put_line(const struct wt_view_file *file, int kind, struct wt_expr_value *value,
		     struct wt_buf *out)
{
	static const char *const one[] = {"process", "thread"};
	struct nearest nearest = {.word = value->text};

	wt_buf_printf(out, "no %s is named '", one[kind]);
	wt_text_escape(out, value->text, value->len);
	if (has(file, !kind, value)) {
		wt_buf_printf(out, "', a %s is: %s == '", one[!kind], one[!kind]);
		wt_text_escape(out, value->text, value->len);
		wt_buf_puts(out, "'");
		return;
	}
	any_name(file, kind, take_nearer, &nearest);
	if (nearest.best[0]) {
		wt_buf_puts(out, "'; did you mean '");
		wt_text_escape(out, nearest.best, strlen(nearest.best));
	}
	wt_buf_puts(out, nearest.best[0] ? "'?" : "'");
}

/* Returns -1 when the comparison is not with a name of either kind. */
static int kind_of(const struct wt_view_filter *filter, const struct wt_expr_node *node)
{
	if (!node->name || node->op != WT_EXPR_EQ || !node->value.is_text)
		return -1;
	switch (filter->keys[node->handle].what) {
	case WT_KEY_COMM:
		return PROCESSES;
	case WT_KEY_THREAD_NAME:
		return THREADS;
	default:
		return -1;
	}
}

/* ---- copies of functions ---- */

/* Whether these words come from a compiler. "main.main" is a function of Go. */
static bool is_suffix(const char *text, size_t len)
{
	static const char *const words[] = {".constprop.", ".isra.",     ".part.",
					    ".cold",       ".lto_priv.", ".llvm."};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len >= strlen(words[i]) && !memcmp(text, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "hot.constprop.0", and in C++ "hot(int) [clone .constprop.0]", is a copy of "hot". */
static bool is_copy(struct wt_str name, const struct wt_expr_value *value)
{
	static const char clone[] = " [clone ";
	const char *at = name.len ? memmem(name.p, name.len, clone, sizeof(clone) - 1) : NULL;
	size_t len = at ? (size_t)(at - name.p) : value->len, from = len + (at ? sizeof(clone) - 1 : 0);

	return value->len && name.len > from && wt_function_is(name.p, len, value->text, value->len) &&
	       is_suffix(name.p + from, name.len - from);
}

/* Returns the first copy that has an event; an empty name: there is none. */
static struct wt_str find_copy(const struct wt_view_file *file, const struct wt_expr_value *value)
{
	for (uint32_t s = 0; s < file->n_segments; s++) {
		const struct wt_log_segment *tables = file->segments[s].tables;

		for (uint32_t i = 0; i < tables->n_frames; i++)
			if (is_copy(tables->symbols[i].name, value))
				return tables->symbols[i].name;
	}
	return (struct wt_str){0};
}

static bool is_of_functions(const struct wt_view_filter *filter, const struct wt_expr_node *node)
{
	if (!node->name || !node->value.is_text)
		return false;
	switch (filter->keys[node->handle].what) {
	case WT_KEY_FUNCTION:
		return node->op == WT_EXPR_EQ;
	case WT_KEY_STACK:
		return node->op == WT_EXPR_HAS;
	default:
		return false;
	}
}

static void put_copy(const struct wt_view_filter *filter, const struct wt_expr_node *node, struct wt_buf *out)
{
	struct wt_str copy = {0};

	if (is_of_functions(filter, node))
		copy = find_copy(filter->file, &node->value);
	if (!copy.len)
		return;
	wt_buf_puts(out, "the compiler made a copy of '");
	wt_text_escape(out, node->value.text, node->value.len);
	wt_buf_puts(out, "', which is a function of its own: '");
	wt_text_escape(out, copy.p, copy.len);
	wt_buf_puts(out, "'");
}

int wt_view_near_misses(const struct wt_view_filter *filter, void (*fn)(void *ctx, const char *line),
			void *ctx, struct wt_err *err)
{
	struct wt_buf line = {0};
	int rc;

	for (uint32_t i = 0; filter->where && i < filter->where->n; i++) {
		struct wt_expr_node *node = &filter->where->nodes[i];
		int kind = kind_of(filter, node);

		wt_buf_clear(&line);
		if (kind >= 0 && !has(filter->file, kind, &node->value))
			put_line(filter->file, kind, &node->value, &line);
		put_copy(filter, node, &line);
		if (line.len)
			fn(ctx, wt_buf_cstr(&line));
	}
	rc = line.failed ? wt_fail_nomem(err) : 0;
	wt_buf_deinit(&line);
	return rc;
}
