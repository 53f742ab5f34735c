/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rendezvous: how providers and sessions of one user find each other without a daemon. The provider's side.
 *
 * One folder per user id (RUNTIME, /dev/shm/wtrace-UID, mode 0700; tools/session/place.h) holds
 *
 *   sessions               the session rows: 8 slots, slots 6 and 7 are root's in other users' folders
 *   NAME.rules             a session's rules, replaced atomically
 *   providers/NAME-HASH    one enable file per (provider, schema hash): a byte of session bits per event,
 *                          a byte of stack bits per event, the manifest itself
 *   NAME.rings/            a session's ring files (tracecore/ring)
 *   state/                 the shared state area
 *
 * and /dev/shm/wtrace-root (root's, mode 0755, readable by all) announces root's sessions to programs of
 * other users whose folder root has not seen yet. ENABLE.md is the protocol and says what is written in which
 * order. Controller: publish the row, fence, update bytes. Registrant: link the file, fence, read the rows.
 */
#ifndef TRACECORE_ENABLE_ENABLE_H
#define TRACECORE_ENABLE_ENABLE_H

#include "tracecore/abi/wt_enable.h"
#include "tracecore/base/err.h"
#include "tracecore/ring/ring.h"

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

struct wt_enable_provider; /**< one registration in this process: maps the enable file */

/** Makes or joins the enable file of the description and maps it. May allocate; not async-signal-safe; makes
 * no thread, waits for nobody. */
int wt_enable_register(const struct wt_enable_desc *desc, struct wt_enable_provider **ret,
		       struct wt_err *err);
void wt_enable_unregister(struct wt_enable_provider *provider);
/** n_events bytes: bit s set = slot s wants the event; and n_events bytes of stack bits. Valid until
 * unregister; they change at any time. */
const volatile uint8_t *wt_enable_bytes(const struct wt_enable_provider *provider);
const volatile uint8_t *wt_enable_stack_bytes(const struct wt_enable_provider *provider);
/** The provider's number in its user's folder: wt_abi_record.provider. */
uint32_t wt_enable_number(const struct wt_enable_provider *provider);

/** A slot's session as a writer needs it. Async-signal-safe: reads the mapped row once, consistently. */
struct wt_enable_slot {
	uint64_t
		generation; /**< changes when the slot gets another session or other filters; 0: no session */
	struct wt_ring_spec spec;
	char rings[WT_ABI_RINGS_NAME]; /**< the ring folder's name below the user's folder */
};
int wt_enable_slot(unsigned slot, struct wt_enable_slot *ret);
/** Opens the slot's ring folder, making it when it is root's and not there yet. Descriptor or -1 (errno). */
int wt_enable_open_rings(const struct wt_enable_slot *slot);
/** The second test: may this process's events go to the slot (pid and exe filters)? Async-signal-safe after
 * the first call per generation. */
bool wt_enable_admits(const struct wt_enable_provider *provider, unsigned slot);

#endif
