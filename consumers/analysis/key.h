/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Keys: values that events are grouped by and that filters compare.
 *
 * A key turns a batch into one dense id per event (for grouping) or one value per event (for filters). Ids of
 * a key mean the same in all segments. The recorder's own events have the one value "[wtrace recorder]" for
 * all keys that name a process, a thread or code.
 */
#ifndef CONSUMERS_ANALYSIS_KEY_H
#define CONSUMERS_ANALYSIS_KEY_H

#include "consumers/analysis/expr.h"
#include "consumers/model/field.h"
#include "tracecore/base/json.h"

enum wt_view_key_what {
	WT_KEY_PROCESS, /**< identity, shown as "name (pid)"; in a filter: the name */
	WT_KEY_COMM,    /**< process name alone */
	WT_KEY_PID,
	WT_KEY_THREAD, /**< identity, shown as "name (tid)"; in a filter: the name */
	WT_KEY_TID,
	WT_KEY_MODULE,
	WT_KEY_FUNCTION, /**< shown as "name:module"; in a filter: the name */
	WT_KEY_SYMBOL,   /**< shown as "name:module"; in a filter: that, too */
	WT_KEY_LINE,     /**< "file:line" */
	WT_KEY_ADDRESS,  /**< "module+0xoffset" */
	WT_KEY_STACK,    /**< a tree of frames, the last key; in a filter: the names of all frames */
	WT_KEY_CPU,
	WT_KEY_PROVIDER,
	WT_KEY_EVENT,
	WT_KEY_LEVEL,
	WT_KEY_TIME,         /**< grouping: second of the trace, or time:BUCKET; filter: ns from its start */
	WT_KEY_SELF,         /**< 1 for the recorder's own events */
	WT_KEY_ACTIVITY,     /**< the id of the piece of work an event belongs to */
	WT_KEY_STACK_STATUS, /**< how far the stack can be trusted, in the words of the header */
	WT_KEY_RELATED,      /**< the id of the activity that the event's activity came from */
	WT_KEY_EXE,          /**< path of the process's program */
	WT_KEY_COMMAND_LINE, /**< its arguments */
	WT_KEY_CGROUP,
	WT_KEY_CONTAINER,
	WT_KEY_INSIDE_PID, /**< the pid in the process's own pid namespace */
	WT_KEY_CLAIMED, /**< 1 where process and thread are claims of another user's program about itself */
	WT_KEY_MARK,    /**< text of the last mark before the event */
	WT_KEY_FIELD,
	WT_KEY_THREAD_NAME, /**< what WT_KEY_THREAD becomes in a filter */
	WT_KEY_IN_REGION,   /**< in a filter: inside of regions */
};

enum { WT_VIEW_N_KEYS = WT_KEY_FIELD };

/** True when the number may be WT_VIEW_NO_NUMBER: it is unknown, or belongs to nothing. */
static inline bool wt_view_key_may_lack(enum wt_view_key_what what)
{
	return what == WT_KEY_PID || what == WT_KEY_TID || what == WT_KEY_CPU || what == WT_KEY_INSIDE_PID;
}

/** The one of its two forms that a key shows. */
enum wt_view_face { WT_FACE_GROUP, WT_FACE_FILTER };

/** The meaning of a key's ids. */
enum wt_view_domain {
	WT_DOMAIN_TEXT,    /**< wt_view_file.texts */
	WT_DOMAIN_MODULE,  /**< a text, shown without its directory */
	WT_DOMAIN_SYMBOL,  /**< wt_view_file.symbols */
	WT_DOMAIN_PROCESS, /**< wt_view_file.processes */
	WT_DOMAIN_THREAD,
	WT_DOMAIN_NUMBER, /**< the key's own numbers */
};

/** The source of answers to "is this event inside a region". Zeroed: none yet. */
struct wt_view_inside {
	/** mask[i] = 1 where event i is inside, else 0. */
	int (*mask)(void *ctx, const struct wt_log_batch *batch, uint8_t *mask, struct wt_err *err);
	void (*destroy)(void *ctx);
	void *ctx;
	/** Regions that were picked; of them, those that lack an end, or a beginning, and those in doubt. */
	uint64_t regions, unfinished, unbegun, doubtful;
};

/** One of the log's marks, which are in the order of time. */
struct wt_view_mark {
	uint64_t time;
	uint32_t text;
};

struct wt_view_key {
	enum wt_view_key_what what;
	enum wt_view_face face;
	enum wt_view_domain domain;
	char *word;                 /**< as it was asked for; owned */
	struct wt_view_field field; /**< FIELD */
	uint64_t bucket;            /**< TIME: ns */
	struct wt_view_mark *marks; /**< MARK: owned; the first stands for the time before all marks */
	uint32_t n_marks;
	uint32_t slot;       /**< of wt_view_memo: by stack */
	uint32_t frame_slot; /**< STACK in a filter; of wt_view_memo: by frame */
	uint8_t *verdicts;   /**< STACK in a filter: by symbol, see stack_filter.c */
	uint32_t n_verdicts;
	struct wt_intern numbers; /**< NUMBER: a = value, b = 1 for "none" */
	struct wt_intern named;   /**< FIELD with names: value -> index of named_text; per kind */
	uint32_t *named_text;
	uint32_t named_cap;
	const struct wt_log_segment *named_segment;
	uint32_t named_kind;
	uint64_t *scratch; /**< of wt_view_key_vector, and of fill for numbers */
	uint32_t scratch_n;
	struct wt_view_inside inside; /**< IN_REGION: destroyed with the key */
	uint32_t *ids;                /**< of wt_view_key_vector */
	uint32_t ids_n;
};

/** Finds the key a word means: one of the built-in ones, else a field. -1: WT_ERR_USAGE with the nearest
 * word. */
int wt_view_key_init(struct wt_view_file *file, const char *word, enum wt_view_face face,
		     struct wt_view_key *ret, struct wt_err *err);
void wt_view_key_deinit(struct wt_view_key *key);

/** Types a filter may compare the key with. */
unsigned wt_view_key_types(const struct wt_view_key *key);
/** The key needs symbols. */
bool wt_view_key_is_code(const struct wt_view_key *key);

/** ids[i] of all n events of the batch. Not for WT_KEY_STACK. */
int wt_view_key_fill(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		     const struct wt_log_batch *batch, uint32_t *ids, struct wt_err *err);
/** For a key of WT_DOMAIN_NUMBER, the numbers themselves, which stand for what fill gives ids to; valid until
 * the next call for the same key. *ret NULL: none of the events has one. */
int wt_view_key_numbers(struct wt_view_file *file, struct wt_view_key *key,
			const struct wt_view_segment *segment, const struct wt_log_batch *batch,
			const uint64_t **ret, struct wt_err *err);
/** Ids for keys that are code, the same ones as fill gives: of one frame; of events of the recorder; of
 * events without a stack. WT_VIEW_NONE: memory. */
uint32_t wt_view_key_of_frame(struct wt_view_file *file, struct wt_view_key *key,
			      struct wt_view_segment *segment, uint32_t frame);
/** The part of fill for keys that come from the stack. */
int wt_view_key_fill_code(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
			  const struct wt_log_batch *batch, uint32_t *ids, struct wt_err *err);
/** Reads the marks of the whole log, for WT_KEY_MARK. */
int wt_view_key_read_marks(struct wt_view_file *file, struct wt_view_key *key, struct wt_err *err);
/** The part of fill for it. */
void wt_view_key_fill_marks(const struct wt_view_key *key, const struct wt_log_batch *batch, uint32_t *ids);
/** WT_VIEW_NONE for keys that are not code: their id is that of any event. */
uint32_t wt_view_key_of_unsampled(const struct wt_view_file *file, const struct wt_view_key *key);
uint32_t wt_view_key_of_self(const struct wt_view_file *file, const struct wt_view_key *key);
uint32_t wt_view_key_of_nothing(struct wt_view_file *file, const struct wt_view_key *key,
				const struct wt_view_segment *segment);
/** The values of a filter's key; valid until the next call for the same key. */
int wt_view_key_vector(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		       const struct wt_log_batch *batch, enum wt_expr_types as, struct wt_expr_vector *ret,
		       struct wt_err *err);

/** STACK in a filter: mask[i] = 1 where the test holds for some frame of event i's stack, for its function,
 * for FUNCTION:MODULE or for its name in the symbol table; else 0. A key always comes with the same test. */
int wt_view_key_any(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, const struct wt_expr_test *test, uint8_t *mask,
		    struct wt_err *err);

/** Order of two ids for people: by number or by text. */
int wt_view_key_order(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t a, uint32_t b);

#endif
