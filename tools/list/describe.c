// SPDX-License-Identifier: MIT
#include "tools/list/describe.h"

#include "tracecore/schema/decode.h"

enum { WIDTH = 100 };

static void put_foreign(const char *text, struct wt_buf *out)
{
	wt_text_escape(out, text, strlen(text));
}

/* Text folded at WIDTH; further lines begin under `indent`. */
struct fold {
	struct wt_buf *out;
	size_t column, indent;
};

static struct fold fold_begin(struct wt_buf *out, const char *heading)
{
	wt_buf_printf(out, "    %-10s", heading);
	return (struct fold){out, 14, 14};
}

static void fold_put(struct fold *fold, struct wt_buf *piece)
{
	const char *text = wt_buf_cstr(piece);

	if (fold->column > fold->indent && fold->column + piece->len + 1 > WIDTH) {
		wt_buf_printf(fold->out, "\n%*s", (int)fold->indent, "");
		fold->column = fold->indent;
	}
	wt_buf_printf(fold->out, " %s", text);
	fold->column += piece->len + 1;
	wt_buf_clear(piece);
}

static void put_names(const struct wt_named *names, uint32_t n, const char *heading, struct wt_buf *out)
{
	struct fold fold;
	struct wt_buf piece = {0};

	if (!n)
		return;
	fold = fold_begin(out, heading);
	for (uint32_t i = 0; i < n; i++) {
		wt_buf_printf(&piece, "%s=0x%llx%s", names[i].name, (unsigned long long)names[i].value,
			      i + 1 < n ? "," : "");
		fold_put(&fold, &piece);
	}
	wt_buf_puts(out, "\n");
	wt_buf_deinit(&piece);
}

static void put_levels(const struct wt_provider *provider, struct wt_buf *out)
{
	struct fold fold = fold_begin(out, "levels");
	struct wt_buf piece = {0};
	bool first = true;

	for (unsigned level = 0; level <= UINT8_MAX; level++) {
		bool used = false;

		for (uint32_t i = 0; i < provider->n_events && !used; i++)
			used = provider->events[i].level == level;
		if (!used)
			continue;
		if (!first)
			wt_buf_puts(out, ",");
		wt_buf_printf(&piece, "%s=%u", wt_level_name(provider, (uint8_t)level), level);
		fold_put(&fold, &piece);
		first = false;
	}
	wt_buf_puts(out, "\n");
	wt_buf_deinit(&piece);
}

static void put_fields(const struct wt_event_desc *event, const char *heading, struct wt_buf *out)
{
	struct fold fold = fold_begin(out, heading);
	struct wt_buf piece = {0};

	for (uint32_t i = 0; i < event->n_fields; i++) {
		wt_buf_printf(&piece, "%s ", event->fields[i].name);
		wt_field_type_text(&event->fields[i], &piece);
		if (i + 1 < event->n_fields)
			wt_buf_puts(&piece, ",");
		fold_put(&fold, &piece);
	}
	wt_buf_puts(out, event->n_fields ? "\n" : " none\n");
	wt_buf_deinit(&piece);
}

static bool same_fields(const struct wt_event_desc *a, const struct wt_event_desc *b)
{
	if (a->n_fields != b->n_fields)
		return false;
	for (uint32_t i = 0; i < a->n_fields; i++) {
		const struct wt_field *x = &a->fields[i], *y = &b->fields[i];

		if (strcmp(x->name, y->name) != 0 || x->type != y->type || x->count != y->count ||
		    x->variable != y->variable)
			return false;
	}
	return true;
}

static bool all_same_fields(const struct wt_provider *provider)
{
	for (uint32_t i = 1; i < provider->n_events; i++) {
		if (!same_fields(&provider->events[0], &provider->events[i]))
			return false;
	}
	return true;
}

static void put_keywords(const struct wt_provider *provider, uint64_t mask, struct wt_buf *out)
{
	bool first = true;

	for (uint32_t i = 0; i < provider->n_keywords; i++) {
		if (!(provider->keywords[i].value & mask))
			continue;
		wt_buf_printf(out, "%s%s", first ? "" : "|", provider->keywords[i].name);
		first = false;
	}
	if (first)
		wt_buf_puts(out, "-");
}

static void put_event(const struct wt_provider *provider, const struct wt_event_desc *event,
		      struct wt_buf *out)
{
	struct wt_buf keywords = {0};

	put_keywords(provider, event->keywords, &keywords);
	wt_buf_printf(out, "    %5u  %-22s %-8s %-14s ", event->id, event->name,
		      wt_level_name(provider, event->level), wt_buf_cstr(&keywords));
	put_foreign(event->help ? event->help : "", out);
	wt_buf_puts(out, "\n");
	wt_buf_deinit(&keywords);
}

/* Puts everything after the heading's name. */
static void put_provider(const struct wt_provider *provider, struct wt_buf *out)
{
	bool shared = provider->n_events > 1 && all_same_fields(provider);

	wt_buf_puts(out, "\n");
	if (provider->help) {
		wt_buf_puts(out, "    ");
		put_foreign(provider->help, out);
		wt_buf_puts(out, "\n");
	}
	put_names(provider->keywords, provider->n_keywords, "keywords", out);
	put_levels(provider, out);
	if (shared)
		put_fields(&provider->events[0], "fields", out);
	for (uint32_t i = 0; i < provider->n_events; i++) {
		put_event(provider, &provider->events[i], out);
		if (!shared)
			put_fields(&provider->events[i], "", out);
	}
}

void wt_describe_registered(const struct wt_registered *registered, struct wt_buf *out)
{
	wt_text_escape(out, registered->provider->name, strlen(registered->provider->name));
	wt_buf_printf(out, "  (of programs of uid %u; %u running)", registered->uid, registered->processes);
	put_provider(registered->provider, out);
}

void wt_describe_provider(const struct wt_provider *provider, const char *alias, struct wt_buf *out)
{
	wt_buf_puts(out, provider->name);
	if (alias)
		wt_buf_printf(out, "  (also %s)", alias);
	put_provider(provider, out);
}

int wt_describe_provider_json(const struct wt_provider *provider, const char *alias,
			      const struct wt_registered *registered, struct wt_json *json,
			      struct wt_err *err)
{
	wt_json_object(json, NULL);
	wt_json_text(json, "name", provider->name);
	wt_json_text(json, "alias", alias);
	if (registered) {
		wt_json_number(json, "uid", registered->uid);
		wt_json_number(json, "processes", registered->processes);
	}
	wt_json_key(json, "manifest");
	if (wt_manifest_render(provider, json->out, err))
		return -1;
	wt_json_end_object(json);
	return 0;
}

static const char *heading_of(const struct wt_catalog_item *item)
{
	static const struct {
		const char *group, *heading;
	} headings[] = {
		{"hardware", "hardware events (-e NAME)"},
		{"software", "software events (-e NAME)"},
		{"pmu", "events of a PMU (-e NAME)"},
		{"model", "events of the CPUs' model (stat -e NAME)"},
		{"tracepoint", "kernel tracepoints (-p NAME)"},
	};

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (!strcmp(item->group, headings[i].group))
			return headings[i].heading;
	}
	return item->group;
}

void wt_describe_catalog(const struct wt_catalog *catalog, struct wt_buf *out)
{
	for (size_t i = 0; i < catalog->n; i++) {
		const struct wt_catalog_item *item = &catalog->items[i];

		if (!i || strcmp(item->group, item[-1].group) != 0)
			wt_buf_printf(out, "%s%s\n", i ? "\n" : "", heading_of(item));
		wt_buf_puts(out, "  ");
		wt_text_escape(out, item->name, strlen(item->name));
		if (item->help[0]) {
			int pad = strlen(item->name) < 28 ? 28 - (int)strlen(item->name) : 0;

			wt_buf_printf(out, "%*s  ", pad, "");
			wt_text_escape(out, item->help, strlen(item->help));
		}
		wt_buf_puts(out, "\n");
		if (item->schema)
			put_fields(&item->schema->events[0], "", out);
		if (item->flaw) {
			wt_buf_printf(out, "%15scannot be recorded: ", "");
			put_foreign(item->flaw, out);
			wt_buf_puts(out, "\n");
		}
	}
}
