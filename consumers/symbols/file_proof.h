/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether the file at a path is the one that was mapped.
 *
 * A path says little: files are replaced, written over, removed and made again, and the same path names
 * different files in different mount namespaces. A build id says little more: linkers give files that differ
 * in the names of their functions alone one build id. And the time of the content can be set back. So a file
 * is believed when its device and inode are those of the mapping and its inode was last changed before, which
 * nobody can set back. What also changes the inode and not the content (ln, chmod) costs the names of what
 * was mapped before: that the content was another meanwhile cannot be ruled out.
 *
 * Stamps of files move in ticks, so a change may bear a time that is a tick too early. Without a build id it
 * must lie a tick before the mapping. With an equal one it need only lie before: so a program has names that
 * is run when it has just been built, and what is not distinguished is a file that was written over in the
 * tick in which it had been mapped, with one of the same build id that differs in its names.
 *
 * With an equal build id one later change is allowed, because perf makes a link to each file that it has
 * sampled: the recorder saw the file while its last change still lay before the mapping, the file has another
 * number of links since, and the time of its content is to the nanosecond what it was. This is the only
 * evidence here that is not proof: who owns the file can make a link, write over it and set its time back.
 *
 *   the trace tells   | the file                          | believed
 *   device and inode  | the same, changed before          | yes
 *   device and inode  | the same, changed since           | no: changed
 *   change and content| the same, linked since            | yes, with an equal build id
 *   device and inode  | another                           | no: replaced
 *   device and inode  | copied up since by an overlay     | no: replaced, its inode is given as it was below
 *   another change    | the same, changed before          | no: replaced, its inode is used again
 *   no such file seen | the same                          | no: not proved
 *   no inode          |                                   | no: not proved
 *
 * On another machine or in a container with other files, where inodes say nothing, and for logs that do not
 * tell when files were mapped, an equal build id must do. Pure functions but for wt_file_facts_at.
 */
#ifndef CONSUMERS_SYMBOLS_FILE_PROOF_H
#define CONSUMERS_SYMBOLS_FILE_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/clock.h"
#include "tracecore/logfmt/format/tables.h"

/** A file as it is now. Zeroed: there is none. */
struct wt_file_facts {
	bool there;
	bool layered; /**< on an overlay or btrfs: stat tells another device than mappings do, and on some
		       * another inode */
	uint64_t device, inode; /**< device as in struct wt_log_image */
	uint64_t change;        /**< time of the last change of its inode, ns since 1970 */
	uint64_t modified;      /**< that of its content; its owner can set it */
	uint32_t links;         /**< its hard links */
};

/** What the trace knows of the file that was mapped. */
struct wt_file_claim {
	uint64_t device, inode;     /**< inode 0: unknown */
	bool same_build;            /**< it has a build id, and the file has that one */
	bool elsewhere;             /**< the trace may be of another machine */
	bool same_boot;             /**< it is of this one, or of a container here */
	uint64_t changed, modified; /**< as in struct wt_log_image */
	uint32_t links;             /**< the same */
	uint64_t mapped; /**< when it was seen mapped first, at the earliest, ns since 1970; 0: unknown */
};

/** How times of the trace become times since 1970. Zeroed: they cannot. */
struct wt_file_clock {
	uint64_t zero; /**< of raw time 0; clocks are set and drift: the earliest that was reported */
};

/** Takes readings of clocks, while the trace was made or where files are looked at. */
void wt_file_clock_take(struct wt_file_clock *clock, const struct wt_clockset *set);

/** WT_RESOLVED: it is the file that was mapped. Else why not: enum wt_unresolved. */
uint8_t wt_file_proof(const struct wt_file_claim *claim, const struct wt_file_facts *facts);

/** What an image of the trace claims, of a log of this machine. same_build: as in the claim. */
struct wt_file_claim wt_file_claim_of(const struct wt_log_image *image, const struct wt_file_clock *clock,
				      bool same_build);

/** Facts of an open file, or with fd -1 of the one at path. */
void wt_file_facts_at(const char *path, int fd, struct wt_file_facts *ret);

#endif
