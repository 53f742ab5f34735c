/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Kernel tracepoints: from the format files of tracefs to schemas and to copy programs.
 *
 * libtraceevent is used once, at plan time (tracepoint_format.c). Each event then takes only a short list of
 * copies from the tracepoint's bytes to the packed payload.
 *
 * Types: integers by size and sign; pointers; char arrays and __data_loc strings become strings; other
 * arrays become arrays, byte arrays binary. __print_symbolic and __print_flags on a field become its map;
 * results of system calls have the names of errors, and a dev_t has the unit WT_UNIT_DEVICE. System call
 * arguments are stored as registers; they keep the width of their C type. The common_ fields are left out:
 * every event has its CPU, process and thread already.
 */
#ifndef PROVIDERS_PERF_TRACEPOINT_H
#define PROVIDERS_PERF_TRACEPOINT_H

#include "tracecore/schema/schema.h"

/** Copies one field, or several adjacent ones. */
struct wt_tp_copy {
	enum wt_tp_how {
		WT_TP_FIXED,   /**< size bytes as they are */
		WT_TP_STRING,  /**< size bytes of characters, cut at the first zero */
		WT_TP_BYTES,   /**< size bytes, counted */
		WT_TP_LOC_STR, /**< __data_loc or __rel_loc: characters */
		WT_TP_LOC_BYTES,
		WT_TP_LOC_ARRAY /**< elements of size bytes each */
	} how;
	bool relative;   /**< __rel_loc: counted from the end of the word itself */
	uint32_t offset; /**< in the tracepoint's bytes */
	uint32_t size;
};

/** How to pack one tracepoint. */
struct wt_tp_program {
	struct wt_tp_copy *copies; /**< owned */
	size_t n;
};

/** Appends a copy, joined to the last one when the bytes are adjacent. -1 when memory is out. */
int wt_tp_program_add(struct wt_tp_program *program, struct wt_tp_copy copy);

/** Where a value lies in the tracepoint's bytes; size 0: nowhere. */
struct wt_tp_place {
	uint32_t offset, size;
};

/** One requested tracepoint. */
struct wt_tracepoint {
	char *system, *name; /**< owned */
	uint16_t id;         /**< the kernel's number: perf_event_attr.config, and the event's id */
	struct wt_tp_program program;
	uint32_t *map_of;           /**< by field: index in the provider's maps + 1, 0 none; owned */
	struct wt_tp_place *places; /**< by field; owned */
	struct wt_tp_place flags;   /**< common_flags: the context in which the event happened */
};

/** All requested tracepoints of one subsystem; becomes a provider "linux:SUBSYSTEM". */
struct wt_tp_system {
	char *name;                   /**< owned */
	struct wt_provider *provider; /**< owned until handed to a table of kinds (then set NULL) */
	struct wt_tracepoint *points; /**< owned; points[i] is provider->events[i] */
	size_t n;
};

/** Reads the formats of `names` ("system:event" or "system:*") below tracefs (NULL: /sys/kernel/tracing), one
 * wt_tp_system per subsystem in order of first appearance, no tracepoint twice. Unknown names fail with
 * WT_ERR_USAGE and the nearest word; an unreadable tracefs with what to mount or allow. */
int wt_tp_load(const char *tracefs, const char *const *names, size_t n, struct wt_tp_system **ret,
	       size_t *n_ret, struct wt_err *err);
void wt_tp_destroy(struct wt_tp_system *systems, size_t n);

/** The content of one format file: an event, its maps, its program. */
struct wt_tp_parsed {
	struct wt_event_desc event; /**< parts owned; the fields' maps are not linked yet */
	struct wt_valmap *maps;     /**< owned */
	uint32_t n_maps;
	uint32_t *map_of; /**< by field: index in maps + 1, 0 none; owned */
	struct wt_tp_program program;
	struct wt_tp_place *places; /**< by field; owned */
	struct wt_tp_place flags;
};

/** format: the text of a format file, not changed. */
int wt_tp_parse(const char *system, const char *format, size_t len, struct wt_tp_parsed *ret,
		struct wt_err *err);
void wt_tp_parsed_deinit(struct wt_tp_parsed *parsed);

/** Makes a map with the names of the errors that system calls return, by their negative numbers. The map is
 * called "errno", and a subsystem has it once. -1 when memory is out (*ret must be destroyed
 * nevertheless). */
int wt_tp_errno_map(struct wt_valmap *ret);

/** True when "system:event", in which event may contain '*', matches this tracepoint. */
bool wt_tp_matches(const char *pattern, const char *system, const char *name);

/** Packs a tracepoint's bytes and appends them to out. -1 when they are too short for the program. */
int wt_tp_pack(const struct wt_tp_program *program, const uint8_t *raw, size_t len, struct wt_buf *out);

/** Calls fn with every tracepoint below tracefs as "system:event"; -1 when tracefs cannot be read. */
int wt_tp_each(const char *tracefs, void (*fn)(void *ctx, const char *name), void *ctx, struct wt_err *err);

#endif
