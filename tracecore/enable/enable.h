/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The provider's side of the rendezvous, by which providers and sessions of one user find each other
 * without a daemon. It runs inside other people's programs: it starts no thread, keeps no descriptor open,
 * prints nothing, and waits for no other process.
 *
 * One directory per user id (RUNTIME, /dev/shm/wtrace-UID, mode 0700; directory.h) holds
 *
 *   sessions               the session rows: 8 slots
 *   SESSION.rules-N        a session's rules; never changed, replaced by the next number
 *   providers/NAME-HASH    one enable file per (provider, manifest text): a byte of session bits per event, a
 *                          byte of stack bits per event, the processes, the events, the manifest itself
 *   SESSION.rings/         a session's ring files (tracecore/ring)
 *   state/PID-START        one process's state records
 *
 * For programs of users other than root, slots 6 and 7 belong to root: their rows and rules are in
 * /dev/shm/wtrace-root, which only root can write. ENABLE.md is the protocol and defines the order of the
 * writes. Controller: publish the row, fence, update bytes. Registrant: link the file, fence, read the
 * rows.
 */
#ifndef TRACECORE_ENABLE_ENABLE_H
#define TRACECORE_ENABLE_ENABLE_H

#include <stdbool.h>

#include "tracecore/abi/wt_enable.h"
#include "tracecore/base/err.h"
#include "tracecore/ring/ring.h"
#include "tracecore/ring/self.h"

/** Sessions that one provider can serve at once: bits of an enable byte. */
#define WT_ENABLE_SLOTS 8

/** The facts about an event that a registration needs. The manifest text has the rest. */
struct wt_enable_event {
	const char *name;
	uint64_t keywords;
	uint16_t id;
	uint8_t level;
};

struct wt_enable_desc {
	const char *name;     /**< provider */
	const char *manifest; /**< canonical JSON */
	uint32_t manifest_len;
	const struct wt_enable_event *events; /**< in the manifest's order */
	uint32_t n_events;
};

/** The answer of wt_enable_admits for one slot. */
struct wt_enable_verdict {
	uint64_t stamp;  /**< stamp of the row for which it is valid; 0: none yet */
	uint64_t image;  /**< the process for which it is valid (wt_ring_token); a fork makes a new value */
	uint32_t admits; /**< enum wt_enable_admission */
	uint32_t reserved;
};

enum wt_enable_admission { WT_ENABLE_NOTHING = 0, WT_ENABLE_EVERYTHING = 1, WT_ENABLE_BY_EVENT = 2 };

/** A provider, as registered by this process. Registrations with equal name and manifest share one. */
struct wt_enable_provider {
	struct wt_enable_verdict verdicts[WT_ENABLE_SLOTS];
	/* The rest is enable.c's. */
};

/** Makes or joins the enable file of the description and maps it. On return the bytes match the rules in
 * force. May allocate; not async-signal-safe; any thread. The description is copied. A failure changes
 * nothing: WT_ERR_UNSUPPORTED in a set-uid program, WT_ERR_PERMISSION when another user has the directory's
 * name or the directory cannot be written, WT_ERR_FORMAT when a file in it is damaged, WT_ERR_LIMIT for too
 * many events. */
int wt_enable_register(const struct wt_enable_desc *desc, struct wt_enable_provider **ret,
		       struct wt_err *err);
/** For the child after a fork: enters the child, so that sessions can find out what it may do. With ask
 * false it makes no system call. */
void wt_enable_begin_in_child(bool ask);
/** Undoes one wt_enable_register. The last such call in a process unmaps the bytes, which then may not be
 * read any more. It also removes the process's state records of the provider. NULL is allowed. */
void wt_enable_unregister(struct wt_enable_provider *provider);
/** n_events bytes: bit s set = slot s wants the event; and n_events bytes of stack bits. Valid until
 * unregister. They may change at any time. */
const volatile uint8_t *wt_enable_bytes(const struct wt_enable_provider *provider);
const volatile uint8_t *wt_enable_stack_bytes(const struct wt_enable_provider *provider);
/** Counts n events that the slot's session wanted and that were lost without a ring. The count is kept for
 * each provider, in memory that exists already, and the session reports it in its log. Async-signal-safe,
 * no system call. */
void wt_enable_miss(struct wt_enable_provider *provider, unsigned slot, uint64_t n);
/** The provider's number in its user's directory: wt_abi_record.provider. */
uint32_t wt_enable_number(const struct wt_enable_provider *provider);

/** The rows' stamps in the mapped files; a word of zero before there are any. Only enable.c writes them. */
extern const volatile uint64_t *wt_enable_stamps[WT_ENABLE_SLOTS];

/** A slot's stamp. It changes when the slot gets another session (upper half) or other rules (lower half);
 * 0: no session. Two loads. A writer compares it with the stamp for which it has prepared.
 * Async-signal-safe. */
static inline uint64_t wt_enable_stamp(unsigned slot)
{
	return __atomic_load_n(wt_enable_stamps[slot], __ATOMIC_ACQUIRE);
}

/** The parts of a slot's session that a writer needs. */
struct wt_enable_slot {
	uint64_t stamp; /**< 0: no session */
	uint32_t life;  /**< the stamp's upper half: rings are prepared once per life */
	struct wt_ring_spec spec;
	char rings[WT_ABI_RINGS_NAME]; /**< the ring directory's name below the user's directory */
};
/** Returns 0, or 1 when there is no session (or its row is invalid). Reads the mapped row once,
 * consistently. Async-signal-safe; may map root's rows; errno is kept. */
int wt_enable_slot(unsigned slot, struct wt_enable_slot *ret);
/** True when a read of the CPU's counter would kill the program, according to the kernel or to the program
 * itself. Makes a system call. A true answer is remembered for wt_standing(). */
bool wt_clock_is_forbidden(void);
/** Finds out whether the memory group of this process has room for the session's rings. Called before the
 * first rings of a session are made, while system calls are allowed, because it makes some. No lock of
 * another process may be held. */
void wt_enable_look_at_memory(const struct wt_enable_slot *session);
/** Opens the slot's ring directory, making it if absent. Descriptor or -1 (errno). Async-signal-safe. */
int wt_enable_open_rings(const struct wt_enable_slot *slot);
/** The path of the directory that contains the ring directories; NULL: there is none yet. */
const char *wt_enable_directory(void);

/** The second test after the byte: may this process's event go to the slot (pid and exe filters)? Callers
 * use wt_enable_admits. Async-signal-safe; the first call for a stamp and process reads the rules. errno
 * is kept. */
bool wt_enable_admits_slowly(struct wt_enable_provider *provider, unsigned slot, uint16_t event);

static inline bool wt_enable_admits(struct wt_enable_provider *provider, unsigned slot, uint16_t event)
{
	const struct wt_enable_verdict *verdict = &provider->verdicts[slot];
	uint64_t stamp = __atomic_load_n(&verdict->stamp, __ATOMIC_ACQUIRE);

	if (stamp && stamp == wt_enable_stamp(slot) &&
	    __atomic_load_n(&verdict->admits, __ATOMIC_RELAXED) == WT_ENABLE_EVERYTHING &&
	    __atomic_load_n(&verdict->image, __ATOMIC_RELAXED) == wt_ring_token())
		return true;
	return wt_enable_admits_slowly(provider, slot, event);
}

/** The state that wt_enable_wait compares with. Take it before looking at bytes and stamps. */
struct wt_enable_seen {
	const uint32_t *word;
	uint32_t count;
};
struct wt_enable_seen wt_enable_seen(void);
/** Sleeps until bytes or sessions may have changed since then, or wt_enable_wake was called; may also return
 * without a reason. Any thread, also before the first registration. */
void wt_enable_wait(const struct wt_enable_seen *seen);
/** Ends this process's waits. */
void wt_enable_wake(void);

/** Publishes a state record. Sessions copy it at start, on demand and at stop. event is the index of the
 * event whose schema packed the record. A later record with the same (event, key) replaces it; NULL removes
 * it. Whenever this process is killed, a session sees either the whole old record or the whole new one. At
 * most WT_ABI_STATE_RECORD bytes; any thread; not async-signal-safe. After fork the child has no records. */
int wt_enable_state_set(struct wt_enable_provider *provider, uint16_t event, uint64_t key, const void *record,
			uint32_t len, struct wt_err *err);

#endif
