// SPDX-License-Identifier: MIT
/* The manifest language: one event with its fields. */
#include "tracecore/schema/manifest_read.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Fails with "unknown WHAT 'WORD'"; the known words are the standard names and those of the list. */
static int fail_unknown_row(struct wt_mf *mf, const char *what, const char *word, enum wt_mf_list list,
			    const char *const *standard, size_t n_standard)
{
	const struct wt_strings *names = &mf->names[list];
	const char **known = calloc(n_standard + names->count + 1, sizeof(*known));
	size_t n = 0;

	if (!known)
		return wt_fail_nomem(mf->err);
	while (n < n_standard) {
		known[n] = standard[n];
		n++;
	}
	for (uint32_t i = 0; i < names->count; i++)
		known[n++] = wt_strings_get(names, i, NULL);
	if (n)
		wt_mf_fail_unknown(mf, what, word, known, n);
	else
		wt_mf_fail(mf, "unknown %s '%.64s'; the manifest defines none", what, word);
	free(known);
	return -1;
}

/* Reads a number that events give as a standard name, one of the provider's names, or the number itself. */
struct numbered {
	const char *key;
	enum wt_mf_list list;
	uint64_t max;
	const char *const *standard;
	size_t n_standard;
};

static int parse_numbered(struct wt_mf *mf, struct json_object *node, const struct numbered *kind,
			  const struct wt_named *rows, uint64_t *ret)
{
	const char *word = NULL;
	uint32_t row;

	if (!wt_mf_has(node, kind->key))
		return 0;
	if (!wt_mf_is_text(wt_mf_member(node, kind->key)))
		return wt_mf_number(mf, node, kind->key, 0, kind->max, ret);
	if (wt_mf_word(mf, node, kind->key, &word))
		return -1;
	for (size_t i = 0; i < kind->n_standard; i++) {
		if (!strcasecmp(word, kind->standard[i])) {
			*ret = i;
			return 0;
		}
	}
	row = wt_mf_find(mf, kind->list, word);
	if (row != WT_INTERN_NONE) {
		*ret = rows[row].value;
		return 0;
	}
	wt_mf_enter(mf, kind->key, 0);
	return fail_unknown_row(mf, kind->key, word, kind->list, kind->standard, kind->n_standard);
}

static int parse_event_keyword(struct wt_mf *mf, struct json_object *node, uint64_t *mask)
{
	const char *word = wt_mf_is_text(node) ? wt_mf_text_of(node) : NULL;
	uint32_t row = word ? wt_mf_find(mf, WT_MF_KEYWORDS, word) : WT_INTERN_NONE;
	uint64_t bits;

	if (row != WT_INTERN_NONE) {
		*mask |= mf->provider->keywords[row].value;
		return 0;
	}
	if (word && strncmp(word, "0x", 2))
		return fail_unknown_row(mf, "keyword", word, WT_MF_KEYWORDS, NULL, 0);
	if (wt_mf_bits_of(mf, node, &bits))
		return -1;
	*mask |= bits;
	return 0;
}

/* The top 16 bits are reserved for the system, in ETW and here; an event may not claim them. */
static int parse_event_keywords(struct wt_mf *mf, struct json_object *node, uint64_t *mask)
{
	struct json_object *array;
	size_t n;

	if (wt_mf_array(mf, node, "keywords", 48, &array, &n))
		return -1;
	wt_mf_enter(mf, "keywords", 0);
	for (size_t i = 0; i < n; i++) {
		wt_mf_enter(mf, NULL, i);
		if (parse_event_keyword(mf, wt_mf_element(array, i), mask))
			return -1;
		if (*mask >> 48)
			return wt_mf_fail(mf,
					  "the keyword mask 0x%llx uses the top 16 bits, which are "
					  "reserved",
					  (unsigned long long)*mask);
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	return 0;
}

static int parse_type(struct wt_mf *mf, struct json_object *node, struct wt_field *field)
{
	const char *known[WT_TYPE_SOCKADDR];
	const char *word = NULL;

	if (!wt_mf_has(node, "type"))
		return wt_mf_fail(mf, "field '%s' has no 'type'", field->name);
	if (wt_mf_word(mf, node, "type", &word))
		return -1;
	field->type = wt_type_of_name(word, strlen(word));
	if (field->type)
		return 0;
	for (size_t i = 0; i < COUNT(known); i++)
		known[i] = wt_type_name((enum wt_type)(i + 1));
	wt_mf_enter(mf, "type", 0);
	return wt_mf_fail_unknown(mf, "type", word, known, COUNT(known));
}

static int parse_format(struct wt_mf *mf, struct json_object *node, struct wt_field *field)
{
	static const char *const formats[] = {
		[WT_RADIX_DEC] = "dec", [WT_RADIX_HEX] = "hex", [WT_RADIX_OCT] = "oct"};
	const char *word = NULL;

	if (wt_mf_word(mf, node, "format", &word))
		return -1;
	if (!word)
		return 0;
	wt_mf_enter(mf, "format", 0);
	if (!wt_type_is_integer(field->type))
		return wt_mf_fail(mf, "field '%s' is a %s: 'format' is for integers", field->name,
				  wt_type_name(field->type));
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (!strcmp(word, formats[i])) {
			field->radix = (enum wt_radix)i;
			wt_mf_leave(mf);
			return 0;
		}
	}
	return wt_mf_fail_unknown(mf, "format", word, formats, COUNT(formats));
}

static int parse_count(struct wt_mf *mf, struct json_object *node, struct wt_field *field)
{
	const char *word = NULL;
	uint64_t count = 1;

	field->count = 1;
	if (!wt_mf_has(node, "count"))
		return 0;
	wt_mf_enter(mf, "count", 0);
	if (!wt_type_width(field->type))
		return wt_mf_fail(mf, "field '%s' is a %s: lists are for types of a fixed size", field->name,
				  wt_type_name(field->type));
	wt_mf_leave(mf);
	if (!wt_mf_is_text(wt_mf_member(node, "count"))) {
		if (wt_mf_number(mf, node, "count", 1, UINT16_MAX, &count))
			return -1;
		field->count = (uint16_t)count;
		return 0;
	}
	if (wt_mf_word(mf, node, "count", &word))
		return -1;
	field->variable = !strcmp(word, "variable");
	if (field->variable)
		return 0;
	wt_mf_enter(mf, "count", 0);
	return wt_mf_fail(mf, "'count' is '%.64s', it must be a number from 1 to 65535 or \"variable\"",
			  word);
}

static int parse_field_map(struct wt_mf *mf, struct json_object *node, struct wt_field *field)
{
	const char *word = NULL;
	uint32_t row;

	if (wt_mf_word(mf, node, "map", &word))
		return -1;
	if (!word)
		return 0;
	wt_mf_enter(mf, "map", 0);
	if (!wt_type_is_integer(field->type))
		return wt_mf_fail(mf, "field '%s' is a %s: 'map' is for integers", field->name,
				  wt_type_name(field->type));
	row = wt_mf_find(mf, WT_MF_MAPS, word);
	if (row == WT_INTERN_NONE)
		return fail_unknown_row(mf, "map", word, WT_MF_MAPS, NULL, 0);
	field->map = &mf->provider->maps[row];
	wt_mf_leave(mf);
	return 0;
}

static int parse_field(struct wt_mf *mf, struct json_object *node, const struct wt_event_desc *event,
		       struct wt_field *field)
{
	static const char *const keys[] = {"name", "type", "map", "format", "count", "unit", "help"};

	if (wt_mf_object(mf, node, "a field", keys, COUNT(keys)) ||
	    wt_mf_name(mf, node, WT_MF_NAME_FIELD, &field->name))
		return -1;
	for (const struct wt_field *other = event->fields; other < field; other++) {
		if (other->name && !strcmp(other->name, field->name))
			return wt_mf_fail(mf, "event '%s' has a field '%s' already", event->name,
					  field->name);
	}
	if (parse_type(mf, node, field) || parse_count(mf, node, field) || parse_format(mf, node, field) ||
	    parse_field_map(mf, node, field) || wt_mf_text(mf, node, "unit", &field->unit))
		return -1;
	return wt_mf_text(mf, node, "help", &field->help);
}

static int parse_fields(struct wt_mf *mf, struct json_object *node, struct wt_event_desc *event)
{
	struct json_object *array;
	size_t n;

	if (wt_mf_array(mf, node, "fields", WT_SCHEMA_MAX_FIELDS, &array, &n))
		return -1;
	event->fields = calloc(n ? n : 1, sizeof(*event->fields));
	if (!event->fields)
		return wt_fail_nomem(mf->err);
	event->n_fields = (uint32_t)n;
	wt_mf_enter(mf, "fields", 0);
	for (size_t i = 0; i < n; i++) {
		wt_mf_enter(mf, NULL, i);
		if (parse_field(mf, wt_mf_element(array, i), event, &event->fields[i]) && wt_mf_stop(mf, 4))
			return -1;
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	return 0;
}

static bool has_field(const struct wt_event_desc *event, const char *name, size_t len)
{
	for (uint32_t i = 0; i < event->n_fields; i++) {
		const char *field = event->fields[i].name;

		if (field && !strncmp(field, name, len) && !field[len])
			return true;
	}
	return false;
}

/* Every %{name} in the message must be one of the event's fields. */
static int check_message(struct wt_mf *mf, const struct wt_event_desc *event)
{
	const char *p = event->message;

	if (!p)
		return 0;
	wt_mf_enter(mf, "message", 0);
	while ((p = strstr(p, "%{"))) {
		const char *name = p + 2;
		size_t len = strcspn(name, "}");

		if (!name[len])
			return wt_mf_fail(mf, "the message has a \"%%{\" without a \"}\"");
		if (!has_field(event, name, len))
			return wt_mf_fail(mf,
					  "the message names a field '%.*s', which event '%s' does not have",
					  len > 64 ? 64 : (int)len, name, event->name);
		p = name + len;
	}
	wt_mf_leave(mf);
	return 0;
}

static int parse_id(struct wt_mf *mf, struct json_object *node, struct wt_event_desc *event)
{
	uint64_t id = 0;

	if (!wt_mf_has(node, "id"))
		return wt_mf_fail(mf, "event '%s' has no 'id'", event->name);
	if (wt_mf_number(mf, node, "id", 0, UINT16_MAX, &id))
		return -1;
	event->id = (uint16_t)id;
	return 0;
}

static int parse_numbers(struct wt_mf *mf, struct json_object *node, struct wt_event_desc *event)
{
	static const struct numbered level_kind = {"level", WT_MF_LEVELS, 255, wt_mf_standard_levels,
						   COUNT(wt_mf_standard_levels)};
	static const struct numbered task_kind = {"task", WT_MF_TASKS, UINT16_MAX, NULL, 0};
	static const struct numbered opcode_kind = {"opcode", WT_MF_OPCODES, 239, wt_mf_standard_opcodes,
						    COUNT(wt_mf_standard_opcodes)};
	const struct wt_provider *p = mf->provider;
	uint64_t version = 0, level = WT_LEVEL_INFO, task = 0, opcode = WT_OPCODE_INFO;

	if (wt_mf_number(mf, node, "version", 0, UINT8_MAX, &version) ||
	    parse_numbered(mf, node, &level_kind, p->levels, &level) ||
	    parse_numbered(mf, node, &task_kind, p->tasks, &task) ||
	    parse_numbered(mf, node, &opcode_kind, p->opcodes, &opcode))
		return -1;
	event->version = (uint8_t)version;
	event->level = (uint8_t)level;
	event->task = (uint16_t)task;
	event->opcode = (uint8_t)opcode;
	return 0;
}

int wt_mf_event(struct wt_mf *mf, struct json_object *node, struct wt_event_desc *event)
{
	static const char *const keys[] = {"id",   "version", "name", "level",   "keywords",
					   "task", "opcode",  "help", "message", "fields"};

	if (wt_mf_object(mf, node, "an event", keys, COUNT(keys)) ||
	    wt_mf_name(mf, node, WT_MF_NAME_EVENT, &event->name) ||
	    wt_mf_unique(mf, WT_MF_EVENTS, "event", event->name) || parse_id(mf, node, event) ||
	    (parse_numbers(mf, node, event) && wt_mf_stop(mf, 2)) ||
	    (parse_event_keywords(mf, node, &event->keywords) && wt_mf_stop(mf, 2)) ||
	    (parse_fields(mf, node, event) && wt_mf_stop(mf, 2)) ||
	    wt_mf_text(mf, node, "help", &event->help) || wt_mf_text(mf, node, "message", &event->message))
		return -1;
	return check_message(mf, event);
}
