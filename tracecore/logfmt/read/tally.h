/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counts the events of a log by name and CPU, and those in segments that were dropped from its front
 * (LOGFORMAT.md, DROPPED). One thread.
 */
#ifndef TRACECORE_LOGFMT_READ_TALLY_H
#define TRACECORE_LOGFMT_READ_TALLY_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/lost.h"
#include "tracecore/logfmt/read/reader.h"

/** The events of one provider and name on one CPU. */
struct wt_log_tally_line {
	uint32_t names;   /**< for wt_log_tally_provider and _name */
	uint32_t cpu;     /**< WT_CPU_NONE: those without a CPU */
	uint64_t events;  /**< all of them */
	uint64_t earlier; /**< those of them that earlier writers wrote */
};

/** Zeroed is a valid empty tally. */
struct wt_log_tally {
	struct wt_log_tally_line *lines; /**< owned; keys.count of them */
	uint32_t cap;
	struct wt_intern keys;   /**< {names, cpu} */
	struct wt_strings names; /**< "provider\0name" */
};

void wt_log_tally_deinit(struct wt_log_tally *tally);
/** Valid until the next line is added. */
const char *wt_log_tally_provider(const struct wt_log_tally *tally, const struct wt_log_tally_line *line);
const char *wt_log_tally_name(const struct wt_log_tally *tally, const struct wt_log_tally_line *line);
/** Adds n events of that name; earlier writers wrote `earlier` of them. -1: no memory. */
int wt_log_tally_add(struct wt_log_tally *tally, struct wt_str provider, struct wt_str name, uint32_t cpu,
		     uint64_t n, uint64_t earlier, struct wt_err *err);

/** The name under which a kind's events are counted. NOT: they are not counted. EVENT: the event's name. 0
 * and above: the name that the map of this field has for its value, "" where the map has none. */
enum { WT_LOG_TALLY_NOT = -2, WT_LOG_TALLY_EVENT = -1 };
typedef int wt_log_tally_by(void *ctx, const struct wt_kind *kind);

struct wt_log_tallying {
	wt_log_tally_by *by; /**< NULL: all events are counted by their own name */
	void *ctx;
	bool headers; /**< blocks of one CPU are counted by their header alone, damaged or not */
	bool earlier; /**< an earlier writer wrote this segment */
};

/** Counts the readable events of segment i. -1: the file cannot be read, or no memory. */
int wt_log_tally_segment(struct wt_log_reader *log, uint32_t i, const struct wt_log_tallying *how,
			 struct wt_log_tally *tally, struct wt_err *err);

/** The segments and events that were dropped from the front of a log since it was begun. Zeroed: none. */
struct wt_log_dropped {
	uint64_t segments, events;
	struct wt_log_tally tally; /**< of the events that are counted by name */
	struct wt_log_lost lost;   /**< the losses reported in these segments */
};

void wt_log_dropped_deinit(struct wt_log_dropped *dropped);
/** The payload of a DROPPED block. */
void wt_log_dropped_put(const struct wt_log_dropped *dropped, struct wt_buf *out);
/** Reads a DROPPED block's payload with that many lines; all events are of earlier writers. 1: it is
 * invalid. */
int wt_log_dropped_get(struct wt_cursor *payload, uint32_t lines, struct wt_log_dropped *ret,
		       struct wt_err *err);
/** Reads the record of dropped events from the log; none when the log has no such record. A damaged record is
 * noted in the log. */
int wt_log_read_dropped(struct wt_log_reader *log, struct wt_log_dropped *ret, struct wt_err *err);

#endif
