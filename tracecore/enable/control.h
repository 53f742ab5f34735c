/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rendezvous, the session's side: rows, rules, and the providers there are. ENABLE.md is the protocol.
 *
 * Enable files are written by other processes of the user and may be hostile: everything is checked on a
 * private copy.
 */
#ifndef TRACECORE_ENABLE_CONTROL_H
#define TRACECORE_ENABLE_CONTROL_H

#include "tracecore/base/allowance.h"
#include "tracecore/enable/enable.h"

/** What a session wants of the providers whose names match. Level and keywords as ETW: MANIFEST.md section 3.
 */
struct wt_enable_rule {
	const char *provider; /**< exact name, without case */
	uint64_t any, all;    /**< keyword masks; any 0: all */
	uint8_t level;        /**< 0: all */
	uint8_t stack;        /**< 1: every event with a stack */
	/** Filters; each may be empty (NULL, 0) and then passes everything. */
	const uint32_t *pids;
	uint32_t n_pids;     /**< at most 8 */
	const char *exe;     /**< glob over the executable's path or base name; alternatives by ';' */
	const uint16_t *ids; /**< event ids, at most 64 */
	uint32_t n_ids;
	bool ids_are_out;          /**< the ids are left out instead */
	const char *names;         /**< glob over event names; alternatives by ';' */
	const uint16_t *stack_ids; /**< stacks for these events only, at most 64 */
	uint32_t n_stack_ids;
};

struct wt_control; /**< one session in one user's directory */

/** Takes a slot for the session in the directory (an open descriptor, mode 0700, checked by the caller, who
 * holds the session's lock, SESSION.lock). Rows of dead sessions (their lock is free) are swept first: their
 * bits leave every enable file; so is an old row of the same session. WT_ERR_LIMIT names the sessions that
 * have all slots. as_root: the directory is another user's; the row then is one of root's two in
 * /dev/shm/wtrace-root, and the second control of the same session and process shares it. A ring directory
 * that a dead session of this name left is renamed to SESSION-LIFE.rings, so that old records never mix with
 * new ones. */
int wt_control_open(int directory_fd, const char *directory, const char *session,
		    const struct wt_ring_spec *spec, bool as_root, struct wt_control **ret,
		    struct wt_err *err);
/** As wt_control_open with as_root, and with wt_control_limit from the first file on. The caller measures the
 * work. */
int wt_control_open_limited(int directory_fd, const char *directory, const char *session,
			    const struct wt_ring_spec *spec, struct wt_allowance *allowance,
			    struct wt_control **ret, struct wt_err *err);
/** Goes on with the row that an earlier process of the session has published: rules, bits and rings stay. The
 * caller holds the session's lock. WT_ERR_NOTFOUND when there is none. */
int wt_control_adopt(int directory_fd, const char *directory, const char *session, bool as_root,
		     struct wt_control **ret, struct wt_err *err);
/** Without a session, to see who has registered: only scan, damaged and close may be called. Nothing is made
 * or written. */
int wt_control_browse(int directory_fd, const char *directory, struct wt_control **ret, struct wt_err *err);
/** The directory's user is not trusted: looking at its files stops when the allowance is used up, and the
 * next scan goes on. Borrowed. Without one, too, only so many files of another user are looked at. */
void wt_control_limit(struct wt_control *control, struct wt_allowance *allowance);
/** True: the last scan did not come to its end. */
bool wt_control_is_behind(const struct wt_control *control);
/** Replaces the rules, publishes the row, then brings every enable file up to date. Events that pass before
 * and after are not lost in between. */
int wt_control_set_rules(struct wt_control *control, const struct wt_enable_rule *rules, uint32_t n,
			 struct wt_err *err);

/** A provider somebody has registered. */
struct wt_control_provider {
	uint32_t number;
	const char *name; /**< a provider's name; control's memory until it is closed */
	const char
		*manifest; /**< the text as found in the file, during the call: foreign bytes, parse them */
	uint32_t manifest_len;
	uint32_t n_events;
	uint32_t processes;   /**< that are registered now, as far as known */
	const uint32_t *pids; /**< theirs, as they see themselves; during the call */
};
/** Calls fn for every enable file that appeared since the last scan (all: every one). Files that make no
 * sense are skipped and counted (wt_control_damaged). Also mends what a registrant killed in the middle left:
 * call it every second or so; it is cheap when nothing changed. fn may not call the control. */
int wt_control_scan(struct wt_control *control, bool all,
		    int (*fn)(void *ctx, const struct wt_control_provider *provider, struct wt_err *err),
		    void *ctx, struct wt_err *err);
/** Events that programs lost where there was no ring to count them in, newly since the last call: fn for each
 * provider that a scan has found. Also after clear. 1: the allowance was used up before all were asked, and
 * the next call goes on. */
int wt_control_missed(struct wt_control *control,
		      int (*fn)(void *ctx, uint32_t provider, uint64_t n, struct wt_err *err), void *ctx,
		      struct wt_err *err);
/** Looks from outside at the directory's processes and publishes what each may do to write an event
 * (ENABLE.md section 9): the young and those nobody has looked at every time, all of them once a second. Call
 * it 20 times a second, and before rules are published. */
void wt_control_look(struct wt_control *control);
/** What the session decided about its rings. */
void wt_control_spec(const struct wt_control *control, struct wt_ring_spec *ret);
/** May that process take no memory, or make no call? As of the last look. */
bool wt_control_is_bound(const struct wt_control *control, uint32_t pid);
/** Is there any such process? */
bool wt_control_has_bound(const struct wt_control *control);
/** The session's ring directory below the user's directory, made if absent. Descriptor (the control's) or -1.
 */
int wt_control_rings(struct wt_control *control, struct wt_err *err);

/** Removes the ring directory, which must be empty by now. */
int wt_control_remove_rings(struct wt_control *control, struct wt_err *err);

/** A record of the state area: checked, in private memory; valid during the call. */
struct wt_control_record {
	uint32_t provider; /**< number; may be one that is not registered: foreign bytes */
	uint16_t event;    /**< index in the provider's manifest */
	uint32_t pid;
	uint64_t key;
	const uint8_t *payload;
	uint32_t len;
};
/** Every state record of the user's living programs, now. Files of dead processes are removed. */
int wt_control_state(struct wt_control *control,
		     int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		     void *ctx, struct wt_err *err);
/** Files and records found damaged so far. */
uint64_t wt_control_damaged(const struct wt_control *control);

/** Gives the slot back and takes the session's bits out of every enable file; removes its rules. The rings
 * stay: close and drain them afterwards. */
int wt_control_clear(struct wt_control *control, struct wt_err *err);
/** Frees; the row and the bits stay as they are, so that another process can adopt them. NULL is allowed. */
void wt_control_close(struct wt_control *control);

#endif
