/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rendezvous: how providers and sessions of one user find each other without a daemon. The provider's side,
 * which lives in strangers' programs: no thread, no descriptor kept open, nothing printed, no wait for
 * another process.
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
 * Slots 6 and 7 of programs of other users than root are root's: their rows and rules are in
 * /dev/shm/wtrace-root, which only root can write. ENABLE.md is the protocol and says what is written in
 * which order. Controller: publish the row, fence, update bytes. Registrant: link the file, fence, read the
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

/** What registration needs of an event; the rest is in the manifest text. */
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

/** What wt_enable_admits found out for one slot. */
struct wt_enable_verdict {
	uint64_t stamp;  /**< of the row it holds for; 0 none yet */
	uint64_t image;  /**< of the process it holds for (wt_ring_token): fork makes a new one */
	uint32_t admits; /**< enum wt_enable_admission */
	uint32_t reserved;
};

enum wt_enable_admission { WT_ENABLE_NOTHING = 0, WT_ENABLE_EVERYTHING = 1, WT_ENABLE_BY_EVENT = 2 };

/** A provider as this process has registered it: registrations of the same name and manifest share one. */
struct wt_enable_provider {
	struct wt_enable_verdict verdicts[WT_ENABLE_SLOTS];
	/* The rest is enable.c's. */
};

/** Makes or joins the enable file of the description and maps it; when it returns, the bytes are right for
 * the rules in force. May allocate; not async-signal-safe; any thread. The description is copied. Fails, and
 * changes nothing, where there is nowhere to register: WT_ERR_UNSUPPORTED in a set-uid program,
 * WT_ERR_PERMISSION when another user has the directory's name or it cannot be written, WT_ERR_FORMAT when a
 * file in it is damaged, WT_ERR_LIMIT for too many events. */
int wt_enable_register(const struct wt_enable_desc *desc, struct wt_enable_provider **ret,
		       struct wt_err *err);
/** In the child after a fork: it enters itself, so that sessions find out what it may do. Not to ask: it
 * makes no system call. */
void wt_enable_begin_in_child(bool ask);
/** One for each register. The last one of a process unmaps the bytes: nobody may read them any more. Also
 * removes the process's state records of the provider. NULL is allowed. */
void wt_enable_unregister(struct wt_enable_provider *provider);
/** n_events bytes: bit s set = slot s wants the event; and n_events bytes of stack bits. Valid until
 * unregister; they change at any time. */
const volatile uint8_t *wt_enable_bytes(const struct wt_enable_provider *provider);
const volatile uint8_t *wt_enable_stack_bytes(const struct wt_enable_provider *provider);
/** n events that the slot's session wanted are lost and stand in no ring: they are counted in memory that
 * exists, by provider, and the session takes them into its log. Async-signal-safe, no system call. */
void wt_enable_miss(struct wt_enable_provider *provider, unsigned slot, uint64_t n);
/** The provider's number in its user's directory: wt_abi_record.provider. */
uint32_t wt_enable_number(const struct wt_enable_provider *provider);

/** The rows' stamps in the mapped files; a word of zero before there are any. Only enable.c writes them. */
extern const volatile uint64_t *wt_enable_stamps[WT_ENABLE_SLOTS];

/** A slot's stamp: changes when the slot gets another session (upper half) or other rules (lower half); 0: no
 * session. Two loads: a writer compares it with what it has prepared for. Async-signal-safe. */
static inline uint64_t wt_enable_stamp(unsigned slot)
{
	return __atomic_load_n(wt_enable_stamps[slot], __ATOMIC_ACQUIRE);
}

/** A slot's session as a writer needs it. */
struct wt_enable_slot {
	uint64_t stamp; /**< 0: no session */
	uint32_t life;  /**< the stamp's upper half: rings are prepared once per life */
	struct wt_ring_spec spec;
	char rings[WT_ABI_RINGS_NAME]; /**< the ring directory's name below the user's directory */
};
/** 0, or 1 when there is no session (or its row makes no sense). Reads the mapped row once, consistently.
 * Async-signal-safe; may map root's rows, so errno is kept. */
int wt_enable_slot(unsigned slot, struct wt_enable_slot *ret);
/** Reading the CPU's counter would kill: the kernel says so, or the program did. Makes a system call, and
 * remembers a yes for wt_standing(). */
bool wt_clock_is_forbidden(void);
/** Before the first rings of a session are made, while calls may be: is there room for them where memory is
 * charged to this process? Makes system calls; under no lock of another's. */
void wt_enable_look_at_memory(const struct wt_enable_slot *session);
/** Opens the slot's ring directory, making it when it is not there yet. Descriptor or -1 (errno).
 * Async-signal-safe. */
int wt_enable_open_rings(const struct wt_enable_slot *slot);
/** The path of the directory in which rings are; NULL: there is none yet. */
const char *wt_enable_directory(void);

/** The second test behind the byte: may this process's event go to the slot (pid and exe filters)? Use
 * wt_enable_admits. Async-signal-safe; the first call per stamp and process reads the rules. errno is kept.
 */
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

/** What wt_enable_wait goes by: taken before looking at bytes and stamps. */
struct wt_enable_seen {
	const uint32_t *word;
	uint32_t count;
};
struct wt_enable_seen wt_enable_seen(void);
/** Sleeps until bytes or sessions may have changed since, or wt_enable_wake was called since; may return for
 * nothing. Any thread, also before the first registration. */
void wt_enable_wait(const struct wt_enable_seen *seen);
/** Ends this process's waits. */
void wt_enable_wake(void);

/** Publishes a state record: what a session copies at start, on demand and at stop. event is the index of the
 * event whose schema packed the record; a later record of the same (event, key) replaces it; NULL takes it
 * away. A session sees the old record or the new one, whole, whenever this process is killed. At most
 * WT_ABI_STATE_RECORD bytes; any thread; not async-signal-safe. After fork the child has no records. */
int wt_enable_state_set(struct wt_enable_provider *provider, uint16_t event, uint64_t key, const void *record,
			uint32_t len, struct wt_err *err);

#endif
