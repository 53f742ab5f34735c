// SPDX-License-Identifier: MIT
#include <string.h>

#include "providers/manifest/header_state.h"

/* Arrays of fixed size up to this many bytes are copied with the scalars; larger ones are pieces. */
#define COPY_MAX 256

/* How a field is passed and packed. */
struct c_type {
	const char *parameter; /* a scalar's type */
	const char *element;   /* type that an array's parameter points to */
	const char *put;       /* the packing function of a scalar */
};

static const struct c_type types[] = {
	[WT_TYPE_U8] = {"uint8_t ", "uint8_t", "u8"},
	[WT_TYPE_U16] = {"uint16_t ", "uint16_t", "u16"},
	[WT_TYPE_U32] = {"uint32_t ", "uint32_t", "u32"},
	[WT_TYPE_U64] = {"uint64_t ", "uint64_t", "u64"},
	[WT_TYPE_I8] = {"int8_t ", "int8_t", "i8"},
	[WT_TYPE_I16] = {"int16_t ", "int16_t", "i16"},
	[WT_TYPE_I32] = {"int32_t ", "int32_t", "i32"},
	[WT_TYPE_I64] = {"int64_t ", "int64_t", "i64"},
	[WT_TYPE_F32] = {"float ", "float", "f32"},
	[WT_TYPE_F64] = {"double ", "double", "f64"},
	[WT_TYPE_BOOL] = {"bool ", "bool", "bool"},
	[WT_TYPE_POINTER] = {"const volatile void *", "void *", "pointer"},
	[WT_TYPE_TIME] = {"uint64_t ", "uint64_t", "time"},
	[WT_TYPE_STRING] = {"const char *", NULL, NULL},
	[WT_TYPE_BINARY] = {"const void *", NULL, NULL},
	[WT_TYPE_UUID] = {"const void *", "void", "uuid"},
	[WT_TYPE_IPV4] = {"const void *", "void", "ipv4"},
	[WT_TYPE_IPV6] = {"const void *", "void", "ipv6"},
	[WT_TYPE_SOCKADDR] = {"const void *", NULL, NULL},
};

/* The names of one function's parameters. They are kept in header->parameters, the reserved ones first. */
struct parameters {
	uint32_t value[WT_SCHEMA_MAX_FIELDS];
	uint32_t length[WT_SCHEMA_MAX_FIELDS];
};

static bool is_array(const struct wt_field *field)
{
	return field->variable || field->count > 1;
}

static bool has_length(const struct wt_field *field)
{
	return field->variable || wt_type_is_counted(field->type);
}

static uint32_t fixed_bytes(const struct wt_field *field)
{
	return has_length(field) ? 2 : wt_type_width(field->type) * field->count;
}

static bool is_far(const struct wt_field *field)
{
	return has_length(field) || fixed_bytes(field) > COPY_MAX;
}

static bool has_string(const struct wt_event_desc *event)
{
	for (uint32_t i = 0; i < event->n_fields; i++) {
		if (event->fields[i].type == WT_TYPE_STRING)
			return true;
	}
	return false;
}

/* Puts PREFIX_EVENT and an ending into header->scratch. */
static const char *function(struct wt_header *header, const struct wt_event_desc *event, const char *ending)
{
	struct wt_buf *name = &header->scratch;

	wt_buf_clear(name);
	wt_buf_put(name, header->prefix.data, header->prefix.len);
	wt_buf_puts(name, "_");
	wt_c_name(name, event->name, false);
	wt_buf_puts(name, ending);
	return wt_buf_cstr(name);
}

void wt_header_event_names(struct wt_header *header, uint32_t i)
{
	static const char *const endings[] = {"", "_ids", "_enabled", "_write", "_counted", "_write_counted"};
	const struct wt_event_desc *event = &header->provider->events[i];
	size_t n = has_string(event) ? 6 : 4, line = wt_manifest_file_line(header->file, "events", i);
	struct wt_buf owner = {0};

	wt_buf_printf(&owner, "event '%s'", event->name);
	for (size_t e = 0; e < n; e++) {
		if (!wt_header_name(header, function(header, event, endings[e]), line, wt_buf_cstr(&owner)))
			break;
	}
	wt_buf_deinit(&owner);
}

/* ---- parameters ---- */

static uint32_t add_parameter(struct wt_header *header, const char *text, const char *ending)
{
	struct wt_buf name = {0}, unused = {0};

	wt_buf_printf(&name, "%s%s", text, ending);
	wt_c_parameter(&unused, wt_buf_cstr(&name), &header->names, &header->parameters);
	header->out->failed |= unused.failed || name.failed;
	wt_buf_deinit(&name);
	wt_buf_deinit(&unused);
	return header->parameters.count - 1;
}

static void name_parameters(struct wt_header *header, const struct wt_event_desc *event,
			    struct parameters *ret)
{
	static const char *const own[] = {"wtrace_fixed", "wtrace_pieces", "wtrace_pack", "activity",
					  "related"};
	bool fresh;

	wt_strings_clear(&header->parameters);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		header->out->failed |= wt_strings_add(&header->parameters, own[i], strlen(own[i]), &fresh) ==
				       WT_INTERN_NONE;
	for (uint32_t i = 0; i < event->n_fields; i++)
		ret->value[i] = add_parameter(header, event->fields[i].name, "");
	for (uint32_t i = 0; i < event->n_fields; i++) {
		const struct wt_field *field = &event->fields[i];

		if (has_length(field))
			ret->length[i] = add_parameter(header, field->name, field->variable ? "_n" : "_len");
	}
}

static const char *text_of(const struct wt_header *header, uint32_t parameter)
{
	return wt_strings_get(&header->parameters, parameter, NULL);
}

/* counted: strings have a length too. */
static void put_parameter_list(struct wt_header *header, const struct wt_event_desc *event,
			       const struct parameters *names, bool counted)
{
	struct wt_buf *out = header->out;

	wt_buf_puts(out, "const struct wtrace_id *activity, const struct wtrace_id *related");
	for (uint32_t i = 0; i < event->n_fields; i++) {
		const struct wt_field *field = &event->fields[i];
		const struct c_type *type = &types[field->type];
		const char *name = text_of(header, names->value[i]);

		if (is_array(field) && field->type == WT_TYPE_POINTER)
			wt_buf_printf(out, ",\n\tvoid *const *%s", name);
		else if (is_array(field))
			wt_buf_printf(out, ",\n\tconst %s *%s", type->element, name);
		else
			wt_buf_printf(out, ",\n\t%s%s", type->parameter, name);
		if (has_length(field) && (counted || field->type != WT_TYPE_STRING))
			wt_buf_printf(out, ", size_t %s", text_of(header, names->length[i]));
	}
}

/* ---- packing ---- */

static void put_field(struct wt_header *header, const struct wt_field *field, const char *name,
		      const char *length)
{
	struct wt_buf *out = header->out;

	if (field->variable)
		wt_buf_printf(out, "\twtrace_put_array(&wtrace_pack, %s, %s, %u);\n", name, length,
			      wt_type_width(field->type));
	else if (has_length(field))
		wt_buf_printf(out, "\twtrace_put_counted(&wtrace_pack, %s, %s);\n", name, length);
	else if (is_far(field))
		wt_buf_printf(out, "\twtrace_put_piece(&wtrace_pack, %s, %u);\n", name, fixed_bytes(field));
	else if (is_array(field))
		wt_buf_printf(out, "\twtrace_put_fixed(&wtrace_pack, %s, %u);\n", name, fixed_bytes(field));
	else
		wt_buf_printf(out, "\twtrace_put_%s(&wtrace_pack, %s);\n", types[field->type].put, name);
}

static void put_body(struct wt_header *header, const struct wt_event_desc *event, uint32_t number,
		     const struct parameters *names)
{
	uint32_t fixed = 0, far = 0;
	struct wt_buf *out = header->out;

	for (uint32_t i = 0; i < event->n_fields; i++) {
		fixed += is_far(&event->fields[i]) && !has_length(&event->fields[i])
				 ? 0
				 : fixed_bytes(&event->fields[i]);
		far += is_far(&event->fields[i]);
	}
	wt_buf_printf(
		out,
		"\tuint8_t wtrace_fixed[%u];\n"
		"\tstruct wtrace_piece wtrace_pieces[WTRACE_PIECES(%u)];\n"
		"\tstruct wtrace_pack wtrace_pack = wtrace_pack_begin(wtrace_fixed, wtrace_pieces);\n\n",
		fixed ? fixed : 1, far);
	for (uint32_t i = 0; i < event->n_fields; i++)
		put_field(header, &event->fields[i], text_of(header, names->value[i]),
			  has_length(&event->fields[i]) ? text_of(header, names->length[i]) : NULL);
	wt_buf_printf(out, "\treturn wtrace_pack_emit(&wtrace_pack, &%s_provider, %u, activity, related);\n",
		      wt_buf_cstr(&header->prefix), number);
}

/* ---- calls ---- */

static void put_zero_ended(struct wt_header *header, const struct wt_event_desc *event,
			   const struct parameters *names)
{
	struct wt_buf *out = header->out;

	wt_buf_printf(out, "\nstatic inline int %s(", function(header, event, "_write"));
	put_parameter_list(header, event, names, false);
	wt_buf_printf(out, ")\n{\n\treturn %s(activity, related", function(header, event, "_write_counted"));
	for (uint32_t i = 0; i < event->n_fields; i++) {
		const char *name = text_of(header, names->value[i]);

		wt_buf_printf(out, ",\n\t\t%s", name);
		if (event->fields[i].type == WT_TYPE_STRING)
			wt_buf_printf(out, ", %s ? strlen(%s) : 0", name, name);
		else if (has_length(&event->fields[i]))
			wt_buf_printf(out, ", %s", text_of(header, names->length[i]));
	}
	wt_buf_puts(out, ");\n}\n");
}

static void put_macro(struct wt_header *header, const struct wt_event_desc *event, const char *ending,
		      const char *writes, const char *arguments)
{
	struct wt_buf *out = header->out;
	bool none = !event->n_fields && !strcmp(ending, "");

	wt_buf_printf(out, "#define %s(%s) \\\n", function(header, event, ending), none ? "" : "...");
	wt_buf_printf(out, "\t(%s() ? ", function(header, event, "_enabled"));
	wt_buf_printf(out, "(void)%s(%s) : (void)0)\n", function(header, event, writes),
		      none ? "NULL, NULL" : arguments);
}

static void put_comment(struct wt_header *header, const struct wt_event_desc *event)
{
	struct wt_buf *out = header->out;

	wt_buf_puts(out, "\n/* ");
	wt_header_comment_text(out, event->name);
	if (event->help && *event->help) {
		wt_buf_puts(out, ": ");
		wt_header_comment_text(out, event->help);
	}
	wt_buf_puts(out, " */\n");
}

void wt_header_event(struct wt_header *header, uint32_t i)
{
	const struct wt_event_desc *event = &header->provider->events[i];
	bool strings = has_string(event);
	struct wt_buf *out = header->out;
	struct parameters names;

	put_comment(header, event);
	wt_buf_printf(out, "static inline int %s(void)\n{\n", function(header, event, "_enabled"));
	wt_buf_printf(out, "\treturn wtrace_enabled(&%s_provider, %u);\n}\n\n", wt_buf_cstr(&header->prefix),
		      i);
	name_parameters(header, event, &names);
	wt_buf_printf(out, "static inline int %s(",
		      function(header, event, strings ? "_write_counted" : "_write"));
	put_parameter_list(header, event, &names, true);
	wt_buf_puts(out, ")\n{\n");
	if (event->n_fields)
		put_body(header, event, i, &names);
	else
		wt_buf_printf(out,
			      "\treturn wtrace_emit_ids(&%s_provider, %u, activity, related, NULL, 0);\n",
			      wt_buf_cstr(&header->prefix), i);
	wt_buf_puts(out, "}\n");
	if (strings)
		put_zero_ended(header, event, &names);
	wt_buf_puts(out, "\n");
	put_macro(header, event, "", "_write", "NULL, NULL, __VA_ARGS__");
	put_macro(header, event, "_ids", "_write", "__VA_ARGS__");
	if (strings)
		put_macro(header, event, "_counted", "_write_counted", "NULL, NULL, __VA_ARGS__");
}
