// SPDX-License-Identifier: MIT
#include "providers/manifest/header.h"

#include <limits.h>
#include <string.h>

#include "providers/manifest/header_state.h"

typedef unsigned long long ull;

/* ---- names ---- */

bool wt_header_name(struct wt_header *header, const char *identifier, size_t line, const char *owner)
{
	bool fresh = true;
	uint32_t id = wt_strings_add(&header->names, identifier, strlen(identifier), &fresh);
	const char *first;

	if (id == WT_INTERN_NONE) {
		header->out->failed = true;
		return false;
	}
	if (fresh) {
		wt_buf_put_u32(&header->owners, (uint32_t)header->owner_text.len);
		wt_buf_put(&header->owner_text, owner, strlen(owner) + 1);
		return true;
	}
	if (header->owners.failed || header->owner_text.failed)
		return false;
	first = (const char *)header->owner_text.data + wt_load_u32(header->owners.data + 4 * (size_t)id);
	wt_remarks_add(header->remarks, WT_REMARK_ERROR, header->file->path, line,
		       "%s is called %s in C, and so is %s: rename one", owner, identifier, first);
	return false;
}

/* Puts PREFIX_LIST_ROW in capitals into header->scratch. */
static const char *constant(struct wt_header *header, const char *list, const char *row)
{
	struct wt_buf *name = &header->scratch;

	wt_buf_clear(name);
	wt_buf_put(name, header->capitals.data, header->capitals.len);
	wt_buf_puts(name, "_");
	wt_c_name(name, list, true);
	wt_buf_puts(name, "_");
	wt_c_name(name, row, true);
	return wt_buf_cstr(name);
}

static bool enter_constant(struct wt_header *header, const char *list, const char *row, size_t line,
			   const char *what)
{
	struct wt_buf owner = {0};
	bool fresh;

	wt_buf_printf(&owner, "%s '%s'", what, row);
	fresh = wt_header_name(header, constant(header, list, row), line, wt_buf_cstr(&owner));
	wt_buf_deinit(&owner);
	return fresh;
}

static void enter_rows(struct wt_header *header, const char *list, const char *what,
		       const struct wt_named *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		enter_constant(header, what, rows[i].name, wt_manifest_file_line(header->file, list, i),
			       what);
}

static void enter_maps(struct wt_header *header)
{
	const struct wt_provider *p = header->provider;

	for (uint32_t i = 0; i < p->n_maps; i++) {
		for (uint32_t j = 0; j < p->maps[i].n_entries; j++)
			enter_constant(header, p->maps[i].name, p->maps[i].entries[j].name,
				       wt_manifest_file_line_in(header->file, "maps", i, "entries", j),
				       "map entry");
	}
}

static void enter_own(struct wt_header *header, const char *ending, bool capitals)
{
	const struct wt_buf *prefix = capitals ? &header->capitals : &header->prefix;

	wt_buf_clear(&header->scratch);
	wt_buf_put(&header->scratch, prefix->data, prefix->len);
	wt_buf_puts(&header->scratch, ending);
	wt_header_name(header, wt_buf_cstr(&header->scratch),
		       wt_manifest_file_line_of(header->file, "provider"), "the provider");
}

static void enter_all(struct wt_header *header)
{
	const struct wt_provider *p = header->provider;

	enter_own(header, "_provider", false);
	enter_own(header, "_manifest_", false);
	enter_own(header, "_events_", false);
	enter_own(header, "_zeros_", false);
	enter_own(header, "_WTRACE_H", true);
	enter_rows(header, "keywords", "keyword", p->keywords, p->n_keywords);
	enter_rows(header, "levels", "level", p->levels, p->n_levels);
	enter_rows(header, "tasks", "task", p->tasks, p->n_tasks);
	enter_rows(header, "opcodes", "opcode", p->opcodes, p->n_opcodes);
	enter_maps(header);
	for (uint32_t i = 0; i < p->n_events; i++) {
		/* One error is enough for an event. */
		if (enter_constant(header, "event", p->events[i].name,
				   wt_manifest_file_line(header->file, "events", i), "event"))
			wt_header_event_names(header, i);
	}
}

static void make_prefix(struct wt_header *header)
{
	const char *name = header->provider->name;

	if (*name >= '0' && *name <= '9') {
		wt_buf_puts(&header->prefix, "p_");
		wt_buf_puts(&header->capitals, "P_");
	}
	wt_c_name(&header->prefix, name, false);
	wt_c_name(&header->capitals, name, true);
}

/* ---- text ---- */

static bool turns_direction(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] == 0xe2 && ((u[1] == 0x80 && u[2] >= 0xaa && u[2] <= 0xae) ||
				(u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

void wt_header_comment_text(struct wt_buf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (turns_direction(p)) {
			wt_buf_puts(out, "?");
			p += 2;
			continue;
		}
		wt_buf_put_u8(out, (uint8_t)*p < 0x20 || *p == 0x7f ? ' ' : (uint8_t)*p);
		if ((p[0] == '*' && p[1] == '/') || (p[0] == '/' && p[1] == '*') ||
		    (p[0] == '?' && p[1] == '?'))
			wt_buf_puts(out, " ");
	}
}

/* Writes one byte inside a string literal, so that it is never part of a trigraph or of a longer escape.
 * Returns its width. */
static size_t put_literal_byte(struct wt_buf *out, uint8_t c)
{
	size_t before = out->len;

	if (c == '"' || c == '\\' || c == '?')
		wt_buf_printf(out, "\\%c", c);
	else if (c < 0x20 || c >= 0x7f)
		wt_buf_printf(out, "\\%03o", c);
	else
		wt_buf_put_u8(out, c);
	return out->len - before;
}

static void put_literal(struct wt_buf *out, const uint8_t *bytes, size_t n)
{
	size_t column = 0;

	wt_buf_puts(out, "\t\"");
	for (size_t i = 0; i < n; i++) {
		if (column >= 100) {
			wt_buf_puts(out, "\"\n\t\"");
			column = 0;
		}
		column += put_literal_byte(out, bytes[i]);
	}
	wt_buf_puts(out, "\"");
}

/* ---- constants ---- */

static void put_help(struct wt_header *header, const char *help)
{
	if (!help || !*help)
		return;
	wt_buf_puts(header->out, " /* ");
	wt_header_comment_text(header->out, help);
	wt_buf_puts(header->out, " */");
}

static bool fits_int(const struct wt_named *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if ((int64_t)rows[i].value < INT_MIN || (int64_t)rows[i].value > INT_MAX)
			return false;
	}
	return true;
}

static void put_enum(struct wt_header *header, const char *list, const struct wt_named *rows, uint32_t n)
{
	wt_buf_printf(header->out, "\nenum %s_", wt_buf_cstr(&header->prefix));
	wt_c_name(header->out, list, false);
	wt_buf_puts(header->out, " {\n");
	for (uint32_t i = 0; i < n; i++) {
		long long value = (long long)(int64_t)rows[i].value;

		wt_buf_printf(header->out, "\t%s = ", constant(header, list, rows[i].name));
		if (value == INT_MIN)
			wt_buf_printf(header->out, "-%d - 1", INT_MAX);
		else
			wt_buf_printf(header->out, "%lld", value);
		wt_buf_puts(header->out, i + 1 < n ? "," : "");
		put_help(header, rows[i].help);
		wt_buf_puts(header->out, "\n");
	}
	wt_buf_puts(header->out, "};\n");
}

/* Macros for values that an enumerator of C11, an int, cannot hold. */
static void put_macros(struct wt_header *header, const char *list, const struct wt_named *rows, uint32_t n)
{
	wt_buf_puts(header->out, "\n");
	for (uint32_t i = 0; i < n; i++) {
		wt_buf_printf(header->out, "#define %s UINT64_C(0x%llx)",
			      constant(header, list, rows[i].name), (ull)rows[i].value);
		put_help(header, rows[i].help);
		wt_buf_puts(header->out, "\n");
	}
}

static void put_rows(struct wt_header *header, const char *list, const struct wt_named *rows, uint32_t n)
{
	if (n && fits_int(rows, n))
		put_enum(header, list, rows, n);
	else if (n)
		put_macros(header, list, rows, n);
}

static void put_event_indices(struct wt_header *header)
{
	const struct wt_provider *p = header->provider;

	wt_buf_printf(
		header->out,
		"\n/* Events by their place in the manifest, as wtrace.h takes them. */\nenum %s_event {\n",
		wt_buf_cstr(&header->prefix));
	for (uint32_t i = 0; i < p->n_events; i++)
		wt_buf_printf(header->out, "\t%s = %u%s\n", constant(header, "event", p->events[i].name), i,
			      i + 1 < p->n_events ? "," : "");
	wt_buf_puts(header->out, "};\n");
}

static void put_constants(struct wt_header *header)
{
	const struct wt_provider *p = header->provider;

	if (p->n_keywords)
		put_macros(header, "keyword", p->keywords, p->n_keywords);
	put_rows(header, "level", p->levels, p->n_levels);
	put_rows(header, "task", p->tasks, p->n_tasks);
	put_rows(header, "opcode", p->opcodes, p->n_opcodes);
	for (uint32_t i = 0; i < p->n_maps; i++)
		put_rows(header, p->maps[i].name, p->maps[i].entries, p->maps[i].n_entries);
	put_event_indices(header);
}

/* ---- the whole header ---- */

static void put_top(struct wt_header *header)
{
	const char *prefix = wt_buf_cstr(&header->prefix), *capitals = wt_buf_cstr(&header->capitals);
	struct wt_buf *out = header->out;

	wt_buf_puts(
		out,
		"/* Made by `wtrace manifest header`: change the manifest, not this file.\n *\n * Provider ");
	wt_header_comment_text(out, header->provider->name);
	if (header->provider->help && *header->provider->help) {
		wt_buf_puts(out, ": ");
		wt_header_comment_text(out, header->provider->help);
	}
	wt_buf_printf(
		out,
		"\n *\n"
		" * wtrace_register(&%s_provider)\n"
		" *     once, before its events; wtrace_unregister before the library they are in is "
		"unloaded\n"
		" * %s_EVENT(fields...)\n"
		" *     writes the event when a session wants it; otherwise the fields are not even "
		"evaluated\n"
		" * %s_EVENT_counted(fields...)\n"
		" *     takes a length after each string, so strings need not end with a zero\n"
		" * %s_EVENT_ids(activity, related, fields...)\n"
		" *     takes ids too (struct wtrace_id *): NULL is the thread's activity, and no "
		"related one\n"
		" * %s_EVENT_enabled()\n"
		" *     does a session want it? Two loads and a branch\n"
		" * %s_EVENT_write(activity, related, fields...), %s_EVENT_write_counted\n"
		" *     functions that write it and return the result (enum wtrace_result)\n"
		" *\n"
		" * The number of elements follows a variable array; the number of bytes follows other "
		"counted "
		"fields.\n"
		" * Files of one program or shared library that include this header share one provider.\n"
		" */\n",
		prefix, prefix, prefix, prefix, prefix, prefix, prefix);
	wt_buf_printf(out,
		      "#ifndef %s_WTRACE_H\n"
		      "#define %s_WTRACE_H\n"
		      "\n"
		      "#include <stdbool.h>\n"
		      "#include <wtrace.h>\n",
		      capitals, capitals);
}

static void put_events(struct wt_header *header)
{
	const struct wt_provider *p = header->provider;
	struct wt_buf *out = header->out;

	wt_buf_printf(out, "\nstatic const struct wtrace_event_desc %s_events_[%u] = {\n",
		      wt_buf_cstr(&header->prefix), p->n_events);
	for (uint32_t i = 0; i < p->n_events; i++)
		wt_buf_printf(out, "\t{\"%s\", UINT64_C(0x%llx), %u, %u, {0, 0, 0, 0, 0}}%s\n",
			      p->events[i].name, (ull)p->events[i].keywords, p->events[i].id,
			      p->events[i].level, i + 1 < p->n_events ? "," : "");
	wt_buf_puts(out, "};\n");
}

/* The manifest may be longer than the 4,095 bytes of a string that ISO C promises; gcc and clang take any. */
static int put_provider(struct wt_header *header, struct wt_err *err)
{
	const char *prefix = wt_buf_cstr(&header->prefix);
	const struct wt_provider *p = header->provider;
	struct wt_buf *out = header->out;
	struct wt_buf manifest = {0};

	if (wt_manifest_render(p, &manifest, err))
		return -1;
	wt_buf_printf(out,
		      "\n#pragma GCC diagnostic push\n"
		      "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
		      "static const char %s_manifest_[] =\n",
		      prefix);
	put_literal(out, manifest.data, manifest.len);
	wt_buf_puts(out, ";\n#pragma GCC diagnostic pop\n");
	put_events(header);
	wt_buf_printf(out, "\nstatic const volatile uint8_t %s_zeros_[%u] = {0};\n", prefix, p->n_events);
	wt_buf_printf(
		out,
		"\n/* Weak, so that it may stand in many files; hidden, so that a check is two loads. */\n"
		"extern struct wtrace_provider %s_provider __attribute__((weak, visibility(\"hidden\")));\n"
		"struct wtrace_provider %s_provider = WTRACE_MANIFEST_PROVIDER_INIT(\n"
		"\t%s_zeros_, \"%s\", %s_manifest_, %zu, %s_events_, %u);\n",
		prefix, prefix, prefix, p->name, prefix, manifest.len, prefix, p->n_events);
	wt_buf_deinit(&manifest);
	return 0;
}

static int put_header(struct wt_header *header, struct wt_err *err)
{
	struct wt_buf *out = header->out;

	put_top(header);
	put_constants(header);
	wt_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	if (put_provider(header, err))
		return -1;
	for (uint32_t i = 0; i < header->provider->n_events; i++)
		wt_header_event(header, i);
	wt_buf_puts(out, "\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif\n");
	return 0;
}

static void check_provider(struct wt_header *header)
{
	if (!header->provider->n_events)
		wt_remarks_add(header->remarks, WT_REMARK_ERROR, header->file->path,
			       wt_manifest_file_line_of(header->file, "events"),
			       "the provider has no events: there is nothing to call");
	if (!strcmp(wt_buf_cstr(&header->capitals), "WTRACE"))
		wt_remarks_add(header->remarks, WT_REMARK_ERROR, header->file->path,
			       wt_manifest_file_line_of(header->file, "provider"),
			       "names that begin with %s_ are the library's: rename the provider",
			       wt_buf_cstr(&header->prefix));
}

int wt_manifest_header(const struct wt_manifest_file *file, struct wt_remarks *remarks, struct wt_buf *out,
		       struct wt_err *err)
{
	struct wt_header header = {.file = file, .provider = file->provider, .remarks = remarks, .out = out};
	int rc = 0;

	make_prefix(&header);
	check_provider(&header);
	enter_all(&header);
	if (!remarks->of_kind[WT_REMARK_ERROR])
		rc = put_header(&header, err);
	if (!rc && (out->failed || remarks->failed || header.prefix.failed || header.capitals.failed ||
		    header.owners.failed || header.owner_text.failed || header.scratch.failed))
		rc = wt_fail_nomem(err);
	wt_buf_deinit(&header.prefix);
	wt_buf_deinit(&header.capitals);
	wt_buf_deinit(&header.owners);
	wt_buf_deinit(&header.owner_text);
	wt_buf_deinit(&header.scratch);
	wt_strings_deinit(&header.names);
	wt_strings_deinit(&header.parameters);
	return rc;
}
