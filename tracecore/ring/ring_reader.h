/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The session's side of its rings: finds the ring files of one directory, gives their records in order,
 * counts losses, and closes them.
 *
 * Every byte of a ring file may be hostile: a block is copied to private memory first and checked there.
 * Files may shrink or change at any time while they are read. Invalid bytes are counted as damage and
 * skipped. The reader writes only the consumer's line of a ring (and punches holes in blocks that have been
 * read). One thread.
 */
#ifndef TRACECORE_RING_RING_READER_H
#define TRACECORE_RING_RING_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracecore/base/allowance.h"
#include "tracecore/ring/ring.h"

struct wt_ring_directory; /**< all rings of one (session, user) */
struct wt_ring_reader;    /**< one ring or lane */

/** Opens the ring directory, which may be empty. dir_fd still belongs to the caller. Files must be regular
 * and belong to owner. */
int wt_ring_directory_open(int dir_fd, uid_t owner, const char *path, struct wt_ring_directory **ret,
			   struct wt_err *err);
/** Marks the directory's user as not trusted. The time to read the files is charged to the allowance; when
 * it is used up, the next refresh continues. Memory for rings is charged to it too. Files and rings beyond
 * one user's share, and further names of a file that is read already, are left out and counted (refused).
 * The allowance is borrowed. Before the first refresh. */
void wt_ring_directory_limit(struct wt_ring_directory *directory, struct wt_allowance *allowance);
/** Looks for new ring files and calls added for each new ring. The ring belongs to the directory until that
 * is closed. Cheap when nothing changed (one stat or inotify read). */
int wt_ring_directory_refresh(struct wt_ring_directory *directory,
			      int (*added)(void *ctx, struct wt_ring_reader *ring, struct wt_err *err),
			      void *ctx, struct wt_err *err);
/** Becomes readable when a ring file appears; for poll. -1: not available, refresh by time. */
int wt_ring_directory_fd(const struct wt_ring_directory *directory);
/** True when the last refresh found that descriptor readable. */
bool wt_ring_directory_heard(const struct wt_ring_directory *directory);

struct wt_ring_record {
	struct wt_abi_record head; /**< checked: sizes fit; in a CPU's ring, cpu is the ring's */
	const uint8_t *body;       /**< the content after the header: optional parts and payload; private
				    * memory */
	uint32_t body_len;
};

/** Takes up the records that writers have committed by now. Copies at most one block, and none while
 * records of the last copy are left. In both cases the facts then show how much is written. */
void wt_ring_reader_refresh(struct wt_ring_reader *ring);
/** The approximate cost of looking for records since the last call, in units of work
 * (tracecore/base/allowance.h). It counts whether records were found or not. */
uint64_t wt_ring_reader_effort(struct wt_ring_reader *ring);
/** 0: *ret is the next record; repeated calls give the same record until pop. 1: the last refresh saw no
 * further record. */
int wt_ring_reader_peek(struct wt_ring_reader *ring, struct wt_ring_record *ret);
void wt_ring_reader_pop(struct wt_ring_reader *ring);
/** Gives the next records that peek and pop would give without another refresh: at most `most`, fewer at
 * damage. The reader's position does not change. */
size_t wt_ring_reader_peek_many(const struct wt_ring_reader *ring, struct wt_ring_record *ret, size_t most);
/** Moves past the first n of those records; n is not 0. */
void wt_ring_reader_pop_many(struct wt_ring_reader *ring, const struct wt_ring_record *records, size_t n);
/** The number of records from the next one on, at most `most`, that differ in tick and payload only: they
 * have no parts, and the same size, provider, event and thread. They lie side by side; *ret is the first.
 * 0: there is no next record, or it has parts. The reader's position does not change. */
uint32_t wt_ring_reader_peek_alike(const struct wt_ring_reader *ring, struct wt_ring_record *ret,
				   uint32_t most);
/** Moves past the first n of those records; n is not 0. */
void wt_ring_reader_pop_alike(struct wt_ring_reader *ring, const struct wt_ring_record *first, uint32_t n);
/** Byte position after the last popped record, counted from the ring's birth. seek goes to such a position
 * before the first refresh (-1: it was given back already or never written). */
uint64_t wt_ring_reader_position(const struct wt_ring_reader *ring);
int wt_ring_reader_seek(struct wt_ring_reader *ring, uint64_t position);
/** Lets writers reuse everything before position(): stores the tail, and gives back memory that was not
 * needed for a second. now: ns of any clock that never goes backwards. */
void wt_ring_reader_release(struct wt_ring_reader *ring, uint64_t now);
/** Makes the CPU's ring `name` for all programs of the directory's owner. The memory of its first `ready`
 * blocks is charged to the caller. 0; 1: there is one; -1 with errno. */
int wt_ring_directory_make_common(const struct wt_ring_directory *directory, const char *name,
				  const struct wt_ring_spec *spec, uint32_t cpu, uint32_t ready);
/** Gives the ring's first blocks memory that is charged to the caller, for as long as the ring is read. This
 * is for writers that may not take memory. Not for lanes. 0, or -1: there is no memory. */
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
	uint32_t id;  /**< unique in the directory; every reader of the ring uses it */
	uint32_t cpu; /**< UINT32_MAX for lanes */
	uint32_t pid; /**< 0: shared by the user's processes */
	uint8_t is_lane, counter;
	uint64_t used, in_force, cap; /**< bytes: not read yet; allowed now; the largest allowed */
	uint64_t written;             /**< bytes, by all writers */
	uint64_t damaged;             /**< places skipped */
	char name[64];                /**< the file's */
};
void wt_ring_reader_facts(const struct wt_ring_reader *ring, struct wt_ring_facts *ret);
/** True when no further record can come: the ring is a lane or belongs to one process, the process has ended,
 * and the ring is drained. The directory may then drop it, after it has looked for its siblings. */
bool wt_ring_reader_ended(struct wt_ring_reader *ring);
/** For a ring that has ended: opens the lanes of its file that the process took after the last look. They may
 * hold records, and the file is removed when its last ring is dropped. added: as for a refresh. */
int wt_ring_directory_look_for_siblings(struct wt_ring_directory *directory, struct wt_ring_reader *ring,
					int (*added)(void *ctx, struct wt_ring_reader *ring,
						     struct wt_err *err),
					void *ctx, struct wt_err *err);
/** The ring's file is removed with its last ring. */
int wt_ring_directory_drop(struct wt_ring_directory *directory, struct wt_ring_reader *ring,
			   struct wt_err *err);

/** Sets the closed word of every ring, visits each CPU once so that sections in flight end, and waits (at
 * most wait_ms) for lanes that announced a write. After that nothing is written: drain, then unlink. */
int wt_ring_directory_close_rings(struct wt_ring_directory *directory, int wait_ms, struct wt_err *err);
/** Removes the files. */
int wt_ring_directory_unlink(struct wt_ring_directory *directory, struct wt_err *err);
void wt_ring_directory_destroy(struct wt_ring_directory *directory);

#endif
