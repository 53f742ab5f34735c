/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The session's side of the rendezvous: rows, rules, and the registered providers. ENABLE.md is the
 * protocol.
 *
 * Enable files are written by other processes of the user and may be hostile: everything is checked on a
 * private copy.
 */
#ifndef TRACECORE_ENABLE_CONTROL_H
#define TRACECORE_ENABLE_CONTROL_H

#include "tracecore/base/allowance.h"
#include "tracecore/enable/enable.h"

/** The events that a session wants from the providers whose names match. Level and keywords are as in ETW:
 * MANIFEST.md section 3. */
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
	bool ids_are_out;          /**< true: events with these ids are left out instead */
	const char *names;         /**< glob over event names; alternatives by ';' */
	const uint16_t *stack_ids; /**< stacks for these events only, at most 64 */
	uint32_t n_stack_ids;
};

struct wt_control; /**< one session in one user's directory */

/** Takes a slot for the session in the directory. The directory is an open descriptor, mode 0700, checked by
 * the caller. The caller holds the session's lock, SESSION.lock. Rows of dead sessions (their lock is free)
 * and an old row of this session are swept first: their bits are removed from every enable file.
 * WT_ERR_LIMIT: all slots are taken; the error names their sessions. as_root: the directory belongs to
 * another user. The row then is one of root's two in /dev/shm/wtrace-root; all controls of one session and
 * process share it. A ring directory that a dead session of this name left is renamed to
 * SESSION-LIFE.rings, so that old records never mix with new ones. */
int wt_control_open(int directory_fd, const char *directory, const char *session,
		    const struct wt_ring_spec *spec, bool as_root, struct wt_control **ret,
		    struct wt_err *err);
/** As wt_control_open with as_root; wt_control_limit applies from the first file on. The caller measures
 * the work. */
int wt_control_open_limited(int directory_fd, const char *directory, const char *session,
			    const struct wt_ring_spec *spec, struct wt_allowance *allowance,
			    struct wt_control **ret, struct wt_err *err);
/** Continues with the row that an earlier process of the session has published: rules, bits and rings stay.
 * The caller holds the session's lock. WT_ERR_NOTFOUND when there is no such row. */
int wt_control_adopt(int directory_fd, const char *directory, const char *session, bool as_root,
		     struct wt_control **ret, struct wt_err *err);
/** Opens the directory without a session, to see which programs have registered: only scan, damaged and close
 * may be called. Nothing is made or written. */
int wt_control_browse(int directory_fd, const char *directory, struct wt_control **ret, struct wt_err *err);
/** Marks the directory's user as not trusted: a scan of its files stops when the allowance is used up, and
 * the next scan continues. The allowance is borrowed. Even without an allowance, only a limited number of
 * files of another user is read. */
void wt_control_limit(struct wt_control *control, struct wt_allowance *allowance);
/** True: the last scan did not reach its end. */
bool wt_control_is_behind(const struct wt_control *control);
/** Replaces the rules, publishes the row, then brings every enable file up to date. Events that pass both
 * the old and the new rules are not lost during the change. */
int wt_control_set_rules(struct wt_control *control, const struct wt_enable_rule *rules, uint32_t n,
			 struct wt_err *err);

/** A provider somebody has registered. */
struct wt_control_provider {
	uint32_t number;
	const char *name;     /**< a provider's name; the control's memory, until it is closed */
	const char *manifest; /**< the text in the file, valid during the call: foreign bytes, parse them */
	uint32_t manifest_len;
	uint32_t n_events;
	uint32_t processes;   /**< the number of processes known to be registered now */
	const uint32_t *pids; /**< their pids, in their own pid namespaces; valid during the call */
};
/** Calls fn for every enable file that appeared since the last scan (all: every one). Invalid files are
 * skipped and counted (wt_control_damaged). It also repairs bits of a registrant that was killed while it
 * wrote them. Call it about once a second; it is cheap when nothing changed. fn may not call the control. */
int wt_control_scan(struct wt_control *control, bool all,
		    int (*fn)(void *ctx, const struct wt_control_provider *provider, struct wt_err *err),
		    void *ctx, struct wt_err *err);
/** Gives the events that programs lost since the last call and could not count in a ring: calls fn for each
 * provider that a scan has found. Also works after clear. 1: the allowance was used up before all files
 * were read; the next call continues. */
int wt_control_missed(struct wt_control *control,
		      int (*fn)(void *ctx, uint32_t provider, uint64_t n, struct wt_err *err), void *ctx,
		      struct wt_err *err);
/** Examines the directory's processes from outside and publishes, for each, the actions it may take to write
 * an event (ENABLE.md section 9). Each call examines the young processes and those not examined yet; once a
 * second all processes are examined. Call it 20 times a second, and before rules are published. */
void wt_control_look(struct wt_control *control);
/** Gives the session's decisions about its rings. */
void wt_control_spec(const struct wt_control *control, struct wt_ring_spec *ret);
/** True when that process was last found unable to take memory or to make calls. */
bool wt_control_is_bound(const struct wt_control *control, uint32_t pid);
/** True when there is any such process. */
bool wt_control_has_bound(const struct wt_control *control);
/** The session's ring directory below the user's directory, made if absent. Returns a descriptor, which
 * belongs to the control, or -1. */
int wt_control_rings(struct wt_control *control, struct wt_err *err);

/** Removes the ring directory, which must be empty. */
int wt_control_remove_rings(struct wt_control *control, struct wt_err *err);

/** A record of the state area: checked, in private memory; valid during the call. */
struct wt_control_record {
	uint32_t provider; /**< a provider's number, perhaps of one that is not registered: foreign bytes */
	uint16_t event;    /**< index in the provider's manifest */
	uint32_t pid;
	uint64_t key;
	const uint8_t *payload;
	uint32_t len;
};
/** Calls fn for every present state record of the user's living programs. Files of dead processes are
 * removed. */
int wt_control_state(struct wt_control *control,
		     int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		     void *ctx, struct wt_err *err);
/** The number of damaged files and records found so far. */
uint64_t wt_control_damaged(const struct wt_control *control);

/** Gives the slot back, removes the session's bits from every enable file, and removes its rules. The rings
 * stay: close and drain them afterwards. */
int wt_control_clear(struct wt_control *control, struct wt_err *err);
/** Frees the control. The row and the bits stay, so that another process can adopt them. NULL is allowed. */
void wt_control_close(struct wt_control *control);

#endif
