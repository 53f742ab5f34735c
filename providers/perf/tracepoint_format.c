// SPDX-License-Identifier: MIT
/* Parses the format file of a tracepoint: the fields of its event, and the copies of its record. */
#include "providers/perf/tracepoint.h"

#include <ctype.h>
#include <traceevent/event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

/* C types of system call arguments that take only the low 32 bits of their register. */
static const struct narrow {
	const char *name;
	enum wt_type type;
} narrow[] = {
	{"int", WT_TYPE_I32},
	{"unsigned int", WT_TYPE_U32},
	{"unsigned", WT_TYPE_U32},
	{"u32", WT_TYPE_U32},
	{"__u32", WT_TYPE_U32},
	{"s32", WT_TYPE_I32},
	{"__s32", WT_TYPE_I32},
	{"pid_t", WT_TYPE_I32},
	{"uid_t", WT_TYPE_U32},
	{"gid_t", WT_TYPE_U32},
	{"umode_t", WT_TYPE_U16},
	{"clockid_t", WT_TYPE_I32},
	{"const clockid_t", WT_TYPE_I32},
	{"timer_t", WT_TYPE_I32},
	{"mqd_t", WT_TYPE_I32},
	{"key_serial_t", WT_TYPE_I32},
	{"qid_t", WT_TYPE_U32},
	{"rwf_t", WT_TYPE_I32},
};

static enum wt_type integer_type(unsigned size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? WT_TYPE_I8 : WT_TYPE_U8;
	case 2:
		return is_signed ? WT_TYPE_I16 : WT_TYPE_U16;
	case 4:
		return is_signed ? WT_TYPE_I32 : WT_TYPE_U32;
	case 8:
		return is_signed ? WT_TYPE_I64 : WT_TYPE_U64;
	default:
		return 0;
	}
}

static bool is_text(const struct tep_format_field *field)
{
	return strstr(field->type, "char") && !strstr(field->type, "unsigned");
}

static enum wt_type scalar_type(const struct tep_format_field *field, const char *system)
{
	if (field->flags & TEP_FIELD_IS_POINTER && field->size == 8)
		return WT_TYPE_POINTER;
	if (!strcmp(field->type, "bool") && field->size == 1)
		return WT_TYPE_BOOL;
	for (size_t i = 0;
	     !strcmp(system, "syscalls") && field->size == 8 && i < sizeof(narrow) / sizeof(narrow[0]); i++)
		if (!strcmp(field->type, narrow[i].name))
			return narrow[i].type;
	return integer_type((unsigned)field->size, field->flags & TEP_FIELD_IS_SIGNED);
}

/* Sets type and count of the schema's field, and how its bytes are copied. */
static void plan_located(const struct tep_format_field *field, struct wt_field *to, struct wt_tp_copy *copy)
{
	unsigned element = field->elementsize > 0 ? field->elementsize : 1;

	copy->relative = field->flags & TEP_FIELD_IS_RELATIVE;
	copy->size = element;
	to->count = 1;
	if (is_text(field)) {
		to->type = WT_TYPE_STRING;
		copy->how = WT_TP_LOC_STR;
	} else if (element > 1 && integer_type(element, false)) {
		to->type = integer_type(element, field->flags & TEP_FIELD_IS_SIGNED);
		to->variable = true;
		copy->how = WT_TP_LOC_ARRAY;
	} else {
		to->type = WT_TYPE_BINARY;
		copy->how = WT_TP_LOC_BYTES;
	}
}

/* Derives a type from the name of a byte array: addresses in the order of packets, and identifiers of file
 * systems. */
static enum wt_type bytes_type(const struct tep_format_field *field)
{
	static const struct {
		const char *end; /* of the field's name */
		int size;
		enum wt_type type;
	} known[] = {
		{"addr", 4, WT_TYPE_IPV4}, {"src", 4, WT_TYPE_IPV4},   {"dst", 4, WT_TYPE_IPV4},
		{"gw4", 4, WT_TYPE_IPV4},  {"addr", 16, WT_TYPE_IPV6}, {"addr_v6", 16, WT_TYPE_IPV6},
		{"src", 16, WT_TYPE_IPV6}, {"dst", 16, WT_TYPE_IPV6},  {"gw", 16, WT_TYPE_IPV6},
		{"gw6", 16, WT_TYPE_IPV6}, {"fsid", 16, WT_TYPE_UUID}, {"uuid", 16, WT_TYPE_UUID},
	};
	size_t len = strlen(field->name);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t end = strlen(known[i].end);

		if (field->size == known[i].size && len >= end &&
		    !strcmp(field->name + len - end, known[i].end))
			return known[i].type;
	}
	return 0;
}

static void plan_array(const struct tep_format_field *field, struct wt_field *to, struct wt_tp_copy *copy)
{
	unsigned element = field->elementsize > 0 ? field->elementsize : 1;
	unsigned count = (unsigned)field->size / element;

	to->count = 1;
	if (is_text(field)) {
		to->type = WT_TYPE_STRING;
		copy->how = WT_TP_STRING;
	} else if (element > 1 && integer_type(element, false) && count * element == (unsigned)field->size &&
		   count > 1 && count <= UINT16_MAX) {
		to->type = integer_type(element, field->flags & TEP_FIELD_IS_SIGNED);
		to->count = (uint16_t)count;
		copy->how = WT_TP_FIXED;
	} else if (element == 1 && bytes_type(field)) {
		to->type = bytes_type(field);
		copy->how = WT_TP_FIXED;
	} else {
		to->type = WT_TYPE_BINARY;
		copy->how = WT_TP_BYTES;
	}
}

static void plan_scalar(const struct tep_format_field *field, const char *system, struct wt_field *to,
			struct wt_tp_copy *copy)
{
	to->count = 1;
	to->type = scalar_type(field, system);
	copy->how = WT_TP_FIXED;
	if (to->type) {
		copy->size = wt_type_width(to->type);
	} else {
		to->type = WT_TYPE_BINARY;
		copy->how = WT_TP_BYTES;
	}
}

/* Makes a C identifier that no earlier field has, because names in a schema compare without case. */
static char *field_name(const struct wt_event_desc *event, const char *name)
{
	char text[WT_SCHEMA_MAX_NAME + 1];
	size_t len = (size_t)snprintf(text, sizeof(text) - 4, "%s", name);

	if (len > sizeof(text) - 5)
		len = sizeof(text) - 5;
	for (char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	if (!len || isdigit((unsigned char)text[0]))
		text[0] = '_';
	for (int i = 2; wt_event_field(event, text) >= 0 && i < 100; i++)
		snprintf(text + len, sizeof(text) - len, "_%d", i);
	return strdup(text);
}

static int add_field(const struct tep_format_field *field, const char *system, struct wt_tp_parsed *ret)
{
	struct wt_field to = {.radix = WT_RADIX_DEC};
	struct wt_tp_copy copy = {.offset = (uint32_t)field->offset, .size = (uint32_t)field->size};

	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		plan_located(field, &to, &copy);
	else if (field->flags & TEP_FIELD_IS_ARRAY)
		plan_array(field, &to, &copy);
	else
		plan_scalar(field, system, &to, &copy);
	to.name = field_name(&ret->event, field->name);
	if (to.type == WT_TYPE_U32 && !strcmp(field->type, "dev_t"))
		to.unit = strdup(WT_UNIT_DEVICE);
	if (!to.name || (to.type == WT_TYPE_U32 && !strcmp(field->type, "dev_t") && !to.unit)) {
		free(to.name);
		return -1;
	}
	ret->places[ret->event.n_fields] = (struct wt_tp_place){(uint32_t)field->offset,
								(uint32_t)field->size};
	ret->event.fields[ret->event.n_fields++] = to;
	return wt_tp_program_add(&ret->program, copy);
}

static int add_fields(const struct tep_event *event, const char *system, struct wt_tp_parsed *ret,
		      struct wt_err *err)
{
	int n = event->format.nr_fields;

	if (n < 0 || n > WT_SCHEMA_MAX_FIELDS)
		return wt_fail(err, WT_ERR_LIMIT, "tracepoint '%s:%s' has %d fields, more than %d", system,
			       event->name, n, WT_SCHEMA_MAX_FIELDS);
	ret->event.fields = calloc((size_t)n + 1, sizeof(*ret->event.fields));
	ret->map_of = calloc((size_t)n + 1, sizeof(*ret->map_of));
	ret->places = calloc((size_t)n + 1, sizeof(*ret->places));
	if (!ret->event.fields || !ret->map_of || !ret->places)
		return wt_fail_nomem(err);
	for (const struct tep_format_field *f = event->format.common_fields; f; f = f->next)
		if (!strcmp(f->name, "common_flags") && f->offset >= 0 && f->size == 1)
			ret->flags = (struct wt_tp_place){(uint32_t)f->offset, (uint32_t)f->size};
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		if (f->offset < 0 || f->size <= 0 || f->size > UINT16_MAX)
			return wt_fail(err, WT_ERR_FORMAT, "tracepoint '%s:%s': field '%s' has no place",
				       system, event->name, f->name);
		if (ret->event.n_fields >= (uint32_t)n || add_field(f, system, ret) < 0)
			return wt_fail_nomem(err);
	}
	return 0;
}

/* Returns the field whose value is printed, possibly cast or masked. */
static const char *printed_field(const struct tep_print_arg *arg, bool masked)
{
	const char *name;

	if (!arg)
		return NULL;
	switch (arg->type) {
	case TEP_PRINT_FIELD:
		return arg->field.name;
	case TEP_PRINT_TYPE:
		return printed_field(arg->typecast.item, masked);
	case TEP_PRINT_OP:
		if (!masked || !arg->op.op || strcmp(arg->op.op, "&"))
			return NULL;
		name = printed_field(arg->op.left, false);
		return name ? name : printed_field(arg->op.right, false);
	default:
		return NULL;
	}
}

/* A name that exists already would be ambiguous in a schema; the second entry's name includes its value. */
static char *entry_name(const struct wt_valmap *map, const char *name, uint64_t value)
{
	char text[WT_SCHEMA_MAX_NAME + 1];

	snprintf(text, sizeof(text) - 24, "%s", name);
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	if (!*text || wt_valmap_of_name(map, text)) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s(0x%llx)", len ? " " : "",
			 (unsigned long long)value);
	}
	return strdup(text);
}

static int fill_map(struct wt_valmap *map, const struct tep_print_flag_sym *syms)
{
	for (const struct tep_print_flag_sym *s = syms; s; s = s->next) {
		uint64_t value = strtoull(s->value, NULL, 0);

		if ((map->bitmap && !value) || wt_valmap_of_value(map, value) ||
		    map->n_entries >= WT_SCHEMA_MAX_MAP_ENTRIES)
			continue;
		if (wt_grow_one(&map->entries, map->n_entries, NULL))
			return -1;
		map->entries[map->n_entries] = (struct wt_named){.value = value};
		map->entries[map->n_entries].name = entry_name(map, s->str, value);
		if (!map->entries[map->n_entries++].name)
			return -1;
	}
	return 0;
}

/* Gives the field a map unless it has one: the map printed first is the one the author meant. */
static int add_map(struct wt_tp_parsed *ret, const char *name, const struct tep_print_flag_sym *syms,
		   bool bitmap)
{
	int field = name ? wt_event_field(&ret->event, name) : -1;
	struct wt_valmap *map;
	char text[2 * WT_SCHEMA_MAX_NAME + 2];

	if (field < 0 || !syms || ret->map_of[field] || ret->event.fields[field].count != 1 ||
	    ret->event.fields[field].variable || !wt_type_is_integer(ret->event.fields[field].type))
		return 0;
	if (wt_grow_one(&ret->maps, ret->n_maps, NULL))
		return -1;
	map = &ret->maps[ret->n_maps++];
	snprintf(text, sizeof(text), "%s.%s", ret->event.name, ret->event.fields[field].name);
	text[WT_SCHEMA_MAX_NAME] = 0;
	*map = (struct wt_valmap){.name = strdup(text), .bitmap = bitmap};
	ret->map_of[field] = ret->n_maps;
	return map->name ? fill_map(map, syms) : -1;
}

/* Computes an expression of numbers; false when it contains anything else. */
static bool constant(const struct tep_print_arg *arg, unsigned depth, uint64_t *ret)
{
	uint64_t a, b;
	char *end;

	if (!arg || depth > 64)
		return false;
	if (arg->type == TEP_PRINT_TYPE)
		return constant(arg->typecast.item, depth + 1, ret);
	if (arg->type == TEP_PRINT_ATOM) {
		*ret = strtoull(arg->atom.atom, &end, 0);
		return end != arg->atom.atom && strspn(end, "uUlL") == strlen(end);
	}
	if (arg->type != TEP_PRINT_OP || !constant(arg->op.left, depth + 1, &a) ||
	    !constant(arg->op.right, depth + 1, &b))
		return false;
	if (!strcmp(arg->op.op, "|"))
		*ret = a | b;
	else if (!strcmp(arg->op.op, "&"))
		*ret = a & b;
	else if (!strcmp(arg->op.op, "+"))
		*ret = a + b;
	else if (!strcmp(arg->op.op, "-"))
		*ret = a - b;
	else if (!strcmp(arg->op.op, "<<") && b < 64)
		*ret = a << b;
	else
		return false;
	return true;
}

static const char *word_of(const struct tep_print_arg *arg)
{
	return arg && arg->type == TEP_PRINT_ATOM ? arg->atom.atom : NULL;
}

static bool is_choice(const struct tep_print_arg *arg)
{
	return arg && arg->type == TEP_PRINT_OP && arg->op.op && !strcmp(arg->op.op, "?") && arg->op.right &&
	       arg->op.right->type == TEP_PRINT_OP;
}

/* Adds a name for one more value of the field's flags. */
static int add_flag(struct wt_tp_parsed *ret, const char *field, uint64_t value, const char *word)
{
	int at = field ? wt_event_field(&ret->event, field) : -1;
	struct wt_valmap *map = at >= 0 && ret->map_of[at] ? &ret->maps[ret->map_of[at] - 1] : NULL;

	if (!map || !map->bitmap || !*word || wt_valmap_of_value(map, value) ||
	    wt_valmap_of_name(map, word) || wt_grow_one(&map->entries, map->n_entries, NULL))
		return 0;
	map->entries[map->n_entries] = (struct wt_named){.name = strdup(word), .value = value};
	return map->entries[map->n_entries].name ? (int)(map->n_entries++, 0) : -1;
}

/* FLAGS ? __print_flags(FLAGS, ...) : "R" gives the name for no flag at all. FIELD & 0x100 ? "+" : "" gives
 * a suffix: a running task that was preempted is R+. */
static int add_choice(struct wt_tp_parsed *ret, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *yes = arg->op.right->op.left, *no = arg->op.right->op.right;
	const struct tep_print_arg *when = arg->op.left;
	const char *word = word_of(no), *mark = word_of(yes), *field;
	const struct wt_named *plain;
	char both[WT_SCHEMA_MAX_NAME + 1];
	uint64_t mask;
	int at;

	if (yes && yes->type == TEP_PRINT_FLAGS && word)
		return add_flag(ret, printed_field(yes->flags.field, true), 0, word);
	if (!mark || !when || when->type != TEP_PRINT_OP || strcmp(when->op.op, "&") != 0 ||
	    !constant(when->op.right, 0, &mask) || !mask)
		return 0;
	field = printed_field(when, true);
	at = field ? wt_event_field(&ret->event, field) : -1;
	if (at < 0 || !ret->map_of[at])
		return 0;
	plain = wt_valmap_of_value(&ret->maps[ret->map_of[at] - 1], 0);
	if (!plain)
		return 0;
	snprintf(both, sizeof(both), "%.100s%.100s", plain->name, mark);
	return add_flag(ret, field, mask, both);
}

static int find_maps(const struct tep_print_arg *arg, unsigned depth, struct wt_tp_parsed *ret)
{
	int failed = 0;

	for (; arg && depth < 64 && !failed; arg = arg->next) {
		switch (arg->type) {
		case TEP_PRINT_FLAGS:
			failed = add_map(ret, printed_field(arg->flags.field, true), arg->flags.flags, true);
			break;
		case TEP_PRINT_SYMBOL:
			failed = add_map(ret, printed_field(arg->symbol.field, false), arg->symbol.symbols,
					 false);
			break;
		case TEP_PRINT_TYPE:
			failed = find_maps(arg->typecast.item, depth + 1, ret);
			break;
		case TEP_PRINT_OP:
			failed = find_maps(arg->op.left, depth + 1, ret) ||
				 find_maps(arg->op.right, depth + 1, ret) ||
				 (is_choice(arg) && add_choice(ret, arg));
			break;
		case TEP_PRINT_FUNC:
			failed = find_maps(arg->func.args, depth + 1, ret);
			break;
		default:
			break;
		}
	}
	return failed ? -1 : 0;
}

/* The result of a system call has names where it is an error. */
static int add_errno(struct wt_tp_parsed *ret)
{
	int field = wt_event_field(&ret->event, "ret");

	if (field < 0 || ret->map_of[field] || ret->event.fields[field].type != WT_TYPE_I64)
		return 0;
	if (wt_grow_one(&ret->maps, ret->n_maps, NULL))
		return -1;
	ret->map_of[field] = ++ret->n_maps;
	return wt_tp_errno_map(&ret->maps[ret->n_maps - 1]);
}

static bool is_call_end(const char *system, const char *event)
{
	return (!strcmp(system, "syscalls") && !strncmp(event, "sys_exit_", 9)) ||
	       (!strcmp(system, "raw_syscalls") && !strcmp(event, "sys_exit"));
}

static int convert(const struct tep_event *event, const char *system, struct wt_tp_parsed *ret,
		   struct wt_err *err)
{
	if (event->id < 0 || event->id > UINT16_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "tracepoint '%s:%s' has number %d, not one of 16 bits",
			       system, event->name, event->id);
	ret->event.id = (uint16_t)event->id;
	ret->event.level = WT_LEVEL_INFO;
	ret->event.name = strdup(event->name);
	if (!ret->event.name)
		return wt_fail_nomem(err);
	if (add_fields(event, system, ret, err) < 0)
		return -1;
	if (find_maps(event->print_fmt.args, 0, ret))
		return wt_fail_nomem(err);
	return is_call_end(system, event->name) && add_errno(ret) ? wt_fail_nomem(err) : 0;
}

int wt_tp_parse(const char *system, const char *format, size_t len, struct wt_tp_parsed *ret,
		struct wt_err *err)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	int failed = -1;

	*ret = (struct wt_tp_parsed){.n_maps = 0};
	if (!tep)
		return wt_fail_nomem(err);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	/* libtraceevent warns about a print format that it cannot read, but the fields are parsed
	 * nevertheless. */
	tep_parse_event(tep, format, len, system);
	event = tep_get_event(tep, 0);
	if (!event || !event->name || (event->flags & (int)TEP_EVENT_FL_FAILED && !event->format.fields))
		wt_fail(err, WT_ERR_FORMAT, "a tracepoint of '%s' has a format that cannot be read", system);
	else
		failed = convert(event, system, ret, err);
	tep_free(tep);
	if (failed)
		wt_tp_parsed_deinit(ret);
	return failed;
}

void wt_tp_parsed_deinit(struct wt_tp_parsed *parsed)
{
	for (uint32_t i = 0; i < parsed->event.n_fields; i++)
		free(parsed->event.fields[i].name), free(parsed->event.fields[i].unit);
	free(parsed->event.fields);
	free(parsed->event.name);
	for (uint32_t i = 0; i < parsed->n_maps; i++) {
		for (uint32_t j = 0; j < parsed->maps[i].n_entries; j++)
			free(parsed->maps[i].entries[j].name);
		free(parsed->maps[i].entries);
		free(parsed->maps[i].name);
	}
	free(parsed->maps);
	free(parsed->map_of);
	free(parsed->places);
	free(parsed->program.copies);
	*parsed = (struct wt_tp_parsed){.n_maps = 0};
}
