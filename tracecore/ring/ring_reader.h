/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The session's side of its rings: finds the ring files of one directory, gives their records in order,
 * counts what was lost, closes them.
 *
 * Every byte of a ring file may be hostile: a block is copied to private memory first and checked there;
 * files may shrink or change under the reader at any time. What makes no sense is counted as damage and
 * skipped. The reader writes only the consumer's own line of a ring (and punches holes behind it).
 * One thread.
 */
#ifndef TRACECORE_RING_RING_READER_H
#define TRACECORE_RING_RING_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracecore/base/allowance.h"
#include "tracecore/ring/ring.h"

struct wt_ring_directory; /**< all rings of one (session, user) */
struct wt_ring_reader;    /**< one ring or lane */

/** Opens the ring directory, which may be empty. dir_fd stays the caller's; files must belong to owner and be
 * regular. */
int wt_ring_directory_open(int dir_fd, uid_t owner, const char *path, struct wt_ring_directory **ret,
			   struct wt_err *err);
/** The directory's user is not trusted: looking at its files is paid for, and goes on in the next refresh
 * when that is used up; rings take memory of it. Files and rings beyond what one user may have, and other
 * names of a file that is read already, are left out and counted (refused). Borrowed; before the first
 * refresh. */
void wt_ring_directory_limit(struct wt_ring_directory *directory, struct wt_allowance *allowance);
/** Looks for new ring files; calls added for each, which then is the directory's until it is closed. Cheap
 * when nothing changed (one stat or inotify read). */
int wt_ring_directory_refresh(struct wt_ring_directory *directory,
			      int (*added)(void *ctx, struct wt_ring_reader *ring, struct wt_err *err),
			      void *ctx, struct wt_err *err);
/** Becomes readable when a ring file appears; for poll. -1: not available, refresh by time. */
int wt_ring_directory_fd(const struct wt_ring_directory *directory);
/** The last refresh found that readable. */
bool wt_ring_directory_heard(const struct wt_ring_directory *directory);

struct wt_ring_record {
	struct wt_abi_record head; /**< checked: sizes fit; cpu is the ring's for CPU rings */
	const uint8_t *body;       /**< behind the header: optional parts and payload; private memory */
	uint32_t body_len;
};

/** Takes up what writers have committed by now: copies at most one block, and none while records of the copy
 * before are left. The facts say how much is written as of now in either case. */
void wt_ring_reader_refresh(struct wt_ring_reader *ring);
/** What looking for records has cost since the last call, whether there were any: in units of work
 * (tracecore/base/allowance.h), about. */
uint64_t wt_ring_reader_effort(struct wt_ring_reader *ring);
/** 0: *ret is the next record, the same until pop. 1: nothing more in what refresh saw. */
int wt_ring_reader_peek(struct wt_ring_reader *ring, struct wt_ring_record *ret);
void wt_ring_reader_pop(struct wt_ring_reader *ring);
/** The next records, as peek and pop would give them one by one without another refresh: at most `most`,
 * fewer at damage. The reader stands where it stood. */
size_t wt_ring_reader_peek_many(const struct wt_ring_reader *ring, struct wt_ring_record *ret, size_t most);
/** Moves behind the first n of those records; n is not 0. */
void wt_ring_reader_pop_many(struct wt_ring_reader *ring, const struct wt_ring_record *records, size_t n);
/** How many records from the next one on, at most `most`, differ in tick and payload only: without parts, of
 * one size, provider, event and thread. They lie side by side; *ret is the first. 0: there is no next, or it
 * has parts. The reader stands where it stood. */
uint32_t wt_ring_reader_peek_alike(const struct wt_ring_reader *ring, struct wt_ring_record *ret,
				   uint32_t most);
/** Moves behind the first n of those records; n is not 0. */
void wt_ring_reader_pop_alike(struct wt_ring_reader *ring, const struct wt_ring_record *first, uint32_t n);
/** Byte position behind the last popped record, counted from the ring's birth; seek goes there before the
 * first refresh (-1: given back already or never written). */
uint64_t wt_ring_reader_position(const struct wt_ring_reader *ring);
int wt_ring_reader_seek(struct wt_ring_reader *ring, uint64_t position);
/** Writers may reuse everything before position(): stores the tail, gives memory back that was not needed
 * for a second. now: ns of any clock that does not fall. */
void wt_ring_reader_release(struct wt_ring_reader *ring, uint64_t now);
/** Makes the CPU's ring `name` for all programs of the directory's owner, with `ready` blocks in memory of
 * the caller's. 0; 1: there is one; -1 with errno. */
int wt_ring_directory_make_common(const struct wt_ring_directory *directory, const char *name,
				  const struct wt_ring_spec *spec, uint32_t cpu, uint32_t ready);
/** Gives the ring's first blocks memory of the caller's, for as long as it is read: for writers that may not
 * take any. Not for lanes. 0, or -1: there is none. */
int wt_ring_reader_ready(struct wt_ring_reader *ring, uint32_t blocks);

struct wt_ring_loss {
	uint32_t provider;
	uint8_t result;    /**< enum wt_ring_result */
	uint64_t count;    /**< since the last call */
	uint64_t from, to; /**< ticks: the span; both within the ring's life */
};
/** Losses newly counted in this ring, at most n; returns how many. Exact once the ring is closed. */
size_t wt_ring_reader_losses(struct wt_ring_reader *ring, struct wt_ring_loss *ret, size_t n);

struct wt_ring_facts {
	uint32_t id;  /**< unique in the directory, the same for every reader of it */
	uint32_t cpu; /**< UINT32_MAX for lanes */
	uint32_t pid; /**< 0: shared by the user's processes */
	uint8_t is_lane, counter;
	uint64_t used, in_force, cap; /**< bytes: not read yet, allowed now, at most */
	uint64_t written;             /**< bytes, by all writers */
	uint64_t damaged;             /**< places skipped */
	char name[64];                /**< the file's */
};
void wt_ring_reader_facts(const struct wt_ring_reader *ring, struct wt_ring_facts *ret);
/** True when nothing can come any more: a lane or per-process ring whose process is gone and which is
 * drained. The directory may then drop it (its file is removed). */
bool wt_ring_reader_ended(struct wt_ring_reader *ring);
int wt_ring_directory_drop(struct wt_ring_directory *directory, struct wt_ring_reader *ring,
			   struct wt_err *err);

/** Sets the closed word of every ring, visits each CPU once so that sections in flight end, waits (at most
 * wait_ms) for lanes that announced a write. After that nothing is written any more; drain, then unlink. */
int wt_ring_directory_close_rings(struct wt_ring_directory *directory, int wait_ms, struct wt_err *err);
/** Removes the files. */
int wt_ring_directory_unlink(struct wt_ring_directory *directory, struct wt_err *err);
void wt_ring_directory_destroy(struct wt_ring_directory *directory);

#endif
