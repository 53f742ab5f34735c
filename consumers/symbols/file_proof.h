/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Decides whether the file at a path is the one that was mapped.
 *
 * A path says little: files are replaced, written over, removed and made again, and the same path names
 * different files in different mount namespaces. A build id says little more: linkers give files that
 * differ in the names of their functions alone one build id. And the time of the content can be set back.
 * Therefore a file is accepted when its device and inode are those of the mapping, and its inode was last
 * changed before the mapping: nobody can set that time back. Commands that change the inode and not the
 * content (ln, chmod) cost the names of earlier mappings, because the content may have been different in
 * between.
 *
 * Times of files advance in ticks, so the time of a change may be a tick too early. Without a build id it
 * must be a tick before the mapping. With an equal build id it need only be before the mapping, so that a
 * program that is run right after it was built has names. One case is then not detected: in the tick in
 * which the file was mapped, it was overwritten with a file of the same build id and other names.
 *
 * With an equal build id one later change is allowed, because perf makes a link to each file that it has
 * sampled: the recorder saw the file while its last change still lay before the mapping, the file has
 * another number of links since, and the time of its content is to the nanosecond what it was. This is the
 * only evidence here that is not a proof: the owner of the file can make a link, overwrite the file and set
 * its time back.
 *
 *   the trace says    | the file                          | accepted
 *   device and inode  | the same, changed before          | yes
 *   device and inode  | the same, changed since           | no: changed
 *   change and content| the same, linked since            | yes, with an equal build id
 *   device and inode  | another                           | no: replaced
 *   device and inode  | copied up since by an overlay     | no: replaced, its inode is given as it was below
 *   another change    | the same, changed before          | no: replaced, its inode is used again
 *   no such file seen | the same                          | no: not proved
 *   device and inode  | the same, a process can write     | no: not proved (writers.h)
 *   device and inode  | the same, in memory, watched      | yes
 *   device and inode  | the same, in memory, not watched  | no: not proved
 *   no inode          |                                   | no: not proved
 *
 * A writer is noticed when the recorder looks at the file, and whenever its names are read: when the session
 * stops, and for what had no names then, when the log is viewed. In a file system in memory (writers.h) files
 * keep their times, so the recorder watches them from its first look on (tracecore/base/file_watch.h), and
 * notices writers that come and go. Without a watch, after the session above all, such a file proves nothing.
 * One case is not noticed: between a sample and the recorder's first look at the sample's file, a writer that
 * had it mapped wrote to it and let it go. A file on an overlay counts as in memory unless it is shown to be
 * on disk, and is not watched, because no report comes for a mapping through an overlay. Its writers are
 * found where the layers are seen (tracecore/base/overlay.h).
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
	bool layered;           /**< on an overlay or btrfs: stat reports another device than mappings do, and
				 * sometimes another inode */
	uint64_t device, inode; /**< device as in struct wt_log_image */
	uint64_t change;        /**< time of the last change of its inode, ns since 1970 */
	uint64_t modified;      /**< that of its content; its owner can set it */
	uint32_t links;         /**< its hard links */
	bool writer;            /**< a process can write to it, which may leave its times as they are */
	bool in_memory;         /**< for ever, in this file system */
};

/** Facts of the trace about the file that was mapped. */
struct wt_file_claim {
	uint64_t device, inode;     /**< inode 0: unknown */
	bool same_build;            /**< it has a build id, and the file has that one */
	bool elsewhere;             /**< the trace may be of another machine */
	bool same_boot;             /**< it is of this one, or of a container here */
	uint64_t changed, modified; /**< as in struct wt_log_image */
	uint32_t links;             /**< the same */
	bool watched;    /**< no process that could write to it has let it go since it was seen mapped */
	uint64_t mapped; /**< when it was seen mapped first, at the earliest, ns since 1970; 0: unknown */
};

/** Converts times of the trace to times since 1970. Zeroed: it cannot. */
struct wt_file_clock {
	uint64_t zero; /**< of raw time 0; clocks are set and drift: the earliest that was reported */
};

/** Takes readings of clocks, while the trace was made or where files are looked at. */
void wt_file_clock_take(struct wt_file_clock *clock, const struct wt_clockset *set);

/** WT_RESOLVED: it is the file that was mapped. Else why not: enum wt_unresolved. */
uint8_t wt_file_proof(const struct wt_file_claim *claim, const struct wt_file_facts *facts);

/** The claim of an image of the trace, in a log of this machine. same_build: as in the claim. */
struct wt_file_claim wt_file_claim_of(const struct wt_log_image *image, const struct wt_file_clock *clock,
				      bool same_build);

/** Facts of an open file, or with fd -1 of the one at path, of which no writer is known. */
void wt_file_facts_at(const char *path, int fd, struct wt_file_facts *ret);

#endif
