/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The description of events: providers, their events, and the typed fields of a payload.
 *
 * A schema comes from a manifest (JSON, `manifests/MANIFEST.md`) or is built in code (kernel tracepoints).
 * Viewers know events only through the schemas in the file that they read.
 *
 * Payload layout ("packed"): the fields in order, little-endian, no padding. A scalar takes its width. STRING
 * and BINARY are a u16 length and the bytes (no terminating zero). A fixed array (count > 1) is count
 * elements; a variable array (`variable`) is a u16 element count and the elements. Payloads from other
 * processes and from files are read through a cursor only.
 *
 * A wt_provider is immutable once parsed or handed out; readers may share it between threads. Code that
 * builds one must allocate every string and every array with malloc, because wt_provider_destroy frees them.
 */
#ifndef TRACECORE_SCHEMA_SCHEMA_H
#define TRACECORE_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/err.h"

/** Field types. The numbers are part of the log format: never renumber, append only. */
enum wt_type {
	WT_TYPE_U8 = 1,
	WT_TYPE_U16 = 2,
	WT_TYPE_U32 = 3,
	WT_TYPE_U64 = 4,
	WT_TYPE_I8 = 5,
	WT_TYPE_I16 = 6,
	WT_TYPE_I32 = 7,
	WT_TYPE_I64 = 8,
	WT_TYPE_F32 = 9,
	WT_TYPE_F64 = 10,
	WT_TYPE_BOOL = 11,     /**< one byte, 0 or 1 */
	WT_TYPE_POINTER = 12,  /**< 8 bytes */
	WT_TYPE_TIME = 13,     /**< 8 bytes, ns on the session clock */
	WT_TYPE_STRING = 14,   /**< UTF-8, counted */
	WT_TYPE_BINARY = 15,   /**< counted */
	WT_TYPE_UUID = 16,     /**< 16 bytes, in the order in which they are printed */
	WT_TYPE_IPV4 = 17,     /**< 4 bytes, network order */
	WT_TYPE_IPV6 = 18,     /**< 16 bytes, network order */
	WT_TYPE_SOCKADDR = 19, /**< counted bytes of a struct sockaddr_* */
};

/** The base in which an integer is shown when no map applies. */
enum wt_radix { WT_RADIX_DEC = 0, WT_RADIX_HEX = 1, WT_RADIX_OCT = 2 };

/** ETW's levels. 0 always passes. */
enum wt_level {
	WT_LEVEL_ALWAYS = 0,
	WT_LEVEL_CRITICAL = 1,
	WT_LEVEL_ERROR = 2,
	WT_LEVEL_WARNING = 3,
	WT_LEVEL_INFO = 4,
	WT_LEVEL_VERBOSE = 5,
};

/** ETW's standard opcodes; 10..239 are the manifest's own. */
enum wt_opcode {
	WT_OPCODE_INFO = 0,
	WT_OPCODE_START = 1,
	WT_OPCODE_STOP = 2,
	WT_OPCODE_DCSTART = 3, /**< rundown at start: it existed already */
	WT_OPCODE_DCSTOP = 4,  /**< rundown at stop: it still exists */
};

/** The bounds of a manifest. A larger one is refused with an error that names the bound. */
enum {
	WT_SCHEMA_MAX_EVENTS = 10000,
	WT_SCHEMA_MAX_FIELDS = 128,
	WT_SCHEMA_MAX_MAPS = 4096,
	WT_SCHEMA_MAX_MAP_ENTRIES = 65536,
	WT_SCHEMA_MAX_TASKS = 4096,
	WT_SCHEMA_MAX_NAME = 255,              /**< bytes of any name */
	WT_SCHEMA_MAX_TEXT = 16384,            /**< bytes of any help or message */
	WT_SCHEMA_MAX_JSON = 16 * 1024 * 1024, /**< bytes of manifest text */
};

struct wt_named {
	char *name;
	uint64_t value; /**< keyword: its mask; task, opcode, level: its number; map entry: its value */
	char *help;     /**< may be NULL */
};

/** Names for the values of an integer field. */
struct wt_valmap {
	char *name;
	bool bitmap; /**< entries are masks, shown joined by '|' */
	struct wt_named *entries;
	uint32_t n_entries;
};

struct wt_field {
	char *name;
	enum wt_type type;
	enum wt_radix radix;
	uint16_t count; /**< elements; 1 for a scalar */
	bool variable;  /**< a u16 element count stands before the elements; count is then ignored */
	const struct wt_valmap *map; /**< NULL or one of the provider's */
	char *unit;                  /**< "ns", "bytes", "pages"...; may be NULL */
	char *help;                  /**< may be NULL */
};

/** The unit of a u32 that is a device number of the kernel: shown as major:minor. */
#define WT_UNIT_DEVICE "dev_t"

struct wt_event_desc {
	char *name;
	char *help;    /**< may be NULL */
	char *message; /**< "%{field}" is replaced by the field's text; may be NULL */
	uint16_t id;
	uint8_t version;
	uint8_t level;
	uint8_t opcode;
	uint16_t task;
	uint64_t keywords;
	struct wt_field *fields;
	uint32_t n_fields;
};

struct wt_provider {
	char *name;
	char *help;       /**< may be NULL */
	uint8_t guid[16]; /**< derived from the name (wt_guid_of_name), or given by the manifest */
	struct wt_named *keywords, *levels, *tasks, *opcodes;
	uint32_t n_keywords, n_levels, n_tasks, n_opcodes;
	struct wt_valmap *maps;
	uint32_t n_maps;
	struct wt_event_desc *events;
	uint32_t n_events;
};

/** Reads a manifest. origin names it in errors ("my.json"): an error has the form "origin:line: text" and
 * lists the allowed values. The caller owns *ret (wt_provider_destroy). The text may be hostile: the bounds
 * above apply to it, and its nesting depth is at most 32. */
int wt_manifest_parse(const char *json, size_t len, const char *origin, struct wt_provider **ret,
		      struct wt_err *err);

/** The number of errors of one manifest after which wt_manifest_check gives up. */
#define WT_MANIFEST_MAX_ERRORS 100

/** Receives an error: its line, counted from 1, and a description, one line of text. */
typedef void wt_manifest_tell(void *ctx, size_t line, const char *text);

/** As wt_manifest_parse, for authors of manifests: reports every error that it can find in one go, at most
 * WT_MANIFEST_MAX_ERRORS, roughly in the order of lines. err (not NULL) is the last error, or an error that
 * is not in the text (no memory, too long) and is not reported. */
int wt_manifest_check(const char *json, size_t len, const char *origin, wt_manifest_tell *tell, void *ctx,
		      struct wt_provider **ret, struct wt_err *err);

/** Writes the provider as canonical manifest JSON (no white space, all fields in a fixed order). Parsing it
 * gives an equal provider. Schema blocks of a log file hold this text. */
int wt_manifest_render(const struct wt_provider *provider, struct wt_buf *out, struct wt_err *err);

/** A deep copy whose parts the caller may change before publishing it (a session fills its own maps in). */
struct wt_provider *wt_provider_clone(const struct wt_provider *provider);
void wt_provider_destroy(struct wt_provider *provider);
/** Replaces the entries of the map called name. Only on a clone not yet shared. */
int wt_provider_set_map(struct wt_provider *provider, const char *name, const struct wt_named *entries,
			uint32_t n, struct wt_err *err);

/** UUID version 5 of the lower-case provider name in wtrace's own namespace (defined in MANIFEST.md). */
void wt_guid_of_name(const char *name, uint8_t ret[16]);

/** NULL when there is none. Names compare without case. */
const struct wt_event_desc *wt_provider_event(const struct wt_provider *provider, const char *name);
/** Index of the field or -1. */
int wt_event_field(const struct wt_event_desc *event, const char *name);
/** The first entry with that value, or that name; NULL: none. map NULL has none. */
const struct wt_named *wt_valmap_of_value(const struct wt_valmap *map, uint64_t value);
const struct wt_named *wt_valmap_of_name(const struct wt_valmap *map, const char *name);

/** "u32", "string"...; and back (0 when unknown). */
const char *wt_type_name(enum wt_type type);
enum wt_type wt_type_of_name(const char *name, size_t len);
/** Appends the type of a field with its count: "u32", "u8[16]", "string[]". */
void wt_field_type_text(const struct wt_field *field, struct wt_buf *out);
/** Bytes of one element; 0 for counted types. */
unsigned wt_type_width(enum wt_type type);
/** True when a u16 length stands before its bytes. */
bool wt_type_is_counted(enum wt_type type);
bool wt_type_is_signed(enum wt_type type);
/** True for an integer, bool, pointer or time: its value fits 64 bits. */
bool wt_type_is_integer(enum wt_type type);
/** The name, or the number as text when it has none; never NULL. */
const char *wt_level_name(const struct wt_provider *provider, uint8_t level);

#endif
