/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which events of a log begin and end regions, and what the regions look like as events.
 *
 * Three sources: events with the opcodes START and STOP of programs' own providers, of which those with the
 * same task, or with the same name but for "_start", "_begin", "_stop", "_end" and the like, belong
 * together; system calls, by linux:syscalls or linux:raw_syscalls; and pairs a user names (region_pair.h).
 * A STOP that belongs to no START closes the region that its provider began last.
 *
 * The return of a new thread or process from the call that made it is no end: the call is its parent's. The
 * kernel forgets the number of rt_sigreturn before that returns: the return of number -1 is its end.
 *
 * A region becomes an event of its own, so that keys, columns, filters and printers work on it as on any
 * other: at the time, thread, CPU and stack of its beginning, with its activity, of the beginning's provider
 * and the region's name, with these fields:
 *
 *   region        its name: the task, the event's name without "_start", sys_openat, BEGIN..END
 *   duration      ns
 *   self_time     ns in which no region directly inside was open
 *   within        the name of the region around it
 *   region_state  "complete", "unfinished", "no start", "overlapping", each perhaps with ", in doubt", or
 * with
 *                 ", within in doubt" where the region around it may have ended unseen
 *   ended, end_cpu, end_tid
 *
 * then the fields of the beginning, then those of the end; a name that is in use by then gets "start_" or
 * "stop_" before it. A region that is unfinished or has no start lacks the fields of the missing event.
 *
 * A log's own tables stay as they are: each segment gets a copy with these kinds behind its own (a shadow),
 * which takes its place in a view of the file.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_KINDS_H
#define CONSUMERS_ANALYSIS_REGION_KINDS_H

#include "consumers/analysis/pairing.h"
#include "consumers/analysis/region_pair.h"
#include "consumers/model/file.h"

/** The fields all regions may have, in this order. */
enum wt_region_own {
	WT_REGION_NAME,
	WT_REGION_DURATION,
	WT_REGION_SELF,
	WT_REGION_WITHIN,
	WT_REGION_STATE,
	WT_REGION_ENDED,
	WT_REGION_END_CPU,
	WT_REGION_END_TID,
	WT_REGION_N_OWN,
};

/** The properties of a kind of regions. */
enum wt_region_what {
	WT_REGION_IS_WHOLE,      /**< both ends' fields */
	WT_REGION_IS_BARE,       /**< both ends, the fields of the beginning alone */
	WT_REGION_IS_UNFINISHED, /**< the beginning's fields */
	WT_REGION_IS_UNBEGUN,    /**< the end's fields */
};

struct wt_region_kind {
	uint32_t class;
	enum wt_region_what what;
	const struct wt_provider *provider; /**< borrowed from the log's tables */
	struct wt_event_desc event;         /**< its own; names owned, maps borrowed */
	/** By field: where it comes from. */
	struct wt_region_from {
		enum { WT_FROM_OWN, WT_FROM_BEGIN, WT_FROM_END } side;
		uint32_t field; /**< of that event, or enum wt_region_own */
	} * from;
	uint32_t begin, end; /**< shapes; WT_REGION_NONE: that side's fields are not there */
};

/** An event as it looks in all segments that have it: one per provider, name and list of fields. */
struct wt_region_shape {
	const struct wt_provider *provider;
	const struct wt_event_desc *event;
};

struct wt_region_class {
	char *name;     /**< owned; of the regions, unless it is by_number */
	uint32_t group; /**< number of its provider's name */
	enum wt_region_owner owner;
	bool by_number;          /**< of system calls by their number: the name is the event's */
	uint32_t *begins, *ends; /**< shapes; owned */
	uint32_t n_begins, n_ends;
	bool crossed;                              /**< there is a whole kind for every begin and end */
	uint32_t whole, bare, unfinished, unbegun; /**< the first kind of each */
};

/** The roles of an event in regions; it may have several. */
struct wt_region_role {
	uint32_t class;
	bool begins, loose;
	uint32_t at; /**< place of its shape among the class's */
	int number;  /**< field with the number of a system call; -1: none */
	int result;  /**< field with what it returned, of an end; -1: none */
	uint32_t n_keys;
	int keys[WT_REGION_MAX_FIELDS]; /**< fields */
};

struct wt_region_kinds {
	struct wt_view_file *file; /**< borrowed */
	struct wt_region_shape *shapes;
	uint32_t n_shapes;
	struct wt_strings shape_names, class_names, groups;
	struct wt_intern place_ids; /**< (2 x class + 1 for its begins, shape) -> index of places */
	uint32_t *places;
	struct wt_region_class *classes;
	uint32_t n_classes;
	struct wt_region_kind *kinds;
	uint32_t n_kinds;
	struct wt_region_segment {
		const struct wt_log_segment *real;
		struct wt_log_segment shadow;
		uint32_t *first; /**< by real kind: its roles begin in roles; one more entry */
		uint32_t *shape; /**< by real kind; WT_REGION_NONE: it has no role */
		struct wt_region_role *roles;
		uint32_t n_roles;
	} * segments; /**< as in file */
	uint32_t n_segments;
};

/** Finds the classes of a log and puts shadows in place of the file's segments, before anything is asked of
 * the file. -1: WT_ERR_USAGE for pairs of events that the log does not have. Undo with
 * wt_region_kinds_deinit, also after a failure, once the file is not used any more. */
int wt_region_kinds_init(struct wt_region_kinds *kinds, struct wt_view_file *file,
			 const struct wt_region_pairs *pairs, struct wt_err *err);
void wt_region_kinds_deinit(struct wt_region_kinds *kinds);

/** The name of a region: the event's name without the part that says which end the event is ("parse" of
 * "parse_start", "ParseBegin", "parse.enter"). The whole name if there is no such part. */
size_t wt_region_base_name(const char *event);

#endif
