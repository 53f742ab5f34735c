/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The tables a segment owns, as rows in memory. The writer and the reader use these rows; LOGFORMAT.md
 * defines their form in the file. Ids are dense per table and segment, counted from 0 in order of
 * definition, and never cross segments. Row 0 of processes, threads and images stands for an unknown one;
 * every segment defines it first. Stack 0 is the empty stack and is never stored.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_TABLES_H
#define TRACECORE_LOGFMT_FORMAT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/kernel_events.h"

#define WT_LOG_NONE UINT32_MAX

/** A fact about the machine that recorded: "kernel", "machine", "host", "boot", "cpus", "page_size". Also a
 * fact about the events that a copy lacks: "left_out". */
struct wt_log_fact {
	struct wt_str key, value;
};

/** A process while it runs one program under one name. An exec or a change of comm makes a new row with
 * equal pid and start. */
struct wt_log_process {
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t start_time; /**< session clock, ns; 0 when unknown. pid + start_time identify the process */
	struct wt_str name;  /**< comm of the main thread; "?" when unknown */
	struct wt_str exe;   /**< path; may be empty */
	bool self;           /**< the recorder: its rows are shown separately */
	struct wt_str command_line; /**< arguments joined by spaces; empty when not known */
	struct wt_str cgroup;       /**< path of its control group; may be empty */
	struct wt_str container;    /**< the container's id or name; empty: none, or not known */
	uint32_t inside_pid;        /**< pid in its own pid namespace; 0 when not known */
};

struct wt_log_thread {
	uint32_t process; /**< id of the process row */
	uint32_t tid;
	uint64_t start_time;
	struct wt_str name; /**< comm */
};

/** As `changed`. */
#define WT_LOG_IMAGE_GONE 1

struct wt_log_image {
	uint8_t kind;           /**< enum wt_image_kind */
	uint64_t device, inode; /**< 0 when unknown */
	struct wt_str build_id; /**< raw bytes, may be empty */
	struct wt_str path;
	uint64_t mapped;   /**< session clock: the earliest time at which it was seen mapped; 0 when
			    * unknown */
	uint64_t changed;  /**< last change of the file's inode, ns since 1970, as seen while recording; 0:
			    * not examined, WT_LOG_IMAGE_GONE: the path led to no such file, or to one
			    * that a process could write to at that moment */
	uint64_t modified; /**< last change of the file's content (mtime), ns since 1970, and */
	uint32_t links;    /**< number of its hard links; both were read together with `changed`; 0:
			    * unknown */
};

/** A code address that is valid in every process: image and offset.
 *  offset: WT_IMAGE_FILE and WT_IMAGE_VDSO: the offset in the file. WT_IMAGE_KERNEL: address minus the image
 * load address given by the loader event (so KASLR drops out). WT_IMAGE_MODULE, WT_IMAGE_KSYMBOL: address
 * minus the load address. WT_IMAGE_ANON, WT_IMAGE_LEFT_OUT, WT_IMAGE_IN_DOUBT and image 0: the address
 * itself. The address of the innermost frame, and of the first user frame below a kernel part, is the place
 * where the thread was interrupted. For callers it is the return address - 1, which lies within the call. */
struct wt_log_frame {
	uint32_t image;
	uint64_t offset;
};

/** A node of the tree of stacks: this frame, called from the stack `caller`. A stack is named by the id of
 * its innermost node, counted from 1; 0 is the empty stack. */
struct wt_log_stack {
	uint32_t caller; /**< a stack id below this one's; 0 when this is the outermost frame */
	uint32_t frame;  /**< frame id */
	bool kernel;     /**< the frame is kernel code */
	uint8_t status;  /**< enum wt_stack_status of stacks whose innermost frame is here */
};

/** The names that were found for a frame. They are written at stop for the frames that were hit; a reader may
 * look them up again. */
struct wt_log_symbol {
	struct wt_str name;     /**< demangled; empty when unresolved */
	struct wt_str raw_name; /**< as in the symbol table; empty when equal to name */
	struct wt_str
		file;  /**< source file, of the innermost inlined function; empty without line information */
	uint32_t line; /**< 0 when none */
	uint32_t symbol_offset; /**< bytes from the symbol's start to the frame's address */
	uint8_t reason;         /**< enum wt_unresolved: why name is empty */
	struct wt_str
		inlined; /**< the chain of functions inlined there, read with inlined.h; empty: none known */
};

/** The reason why an address has no name. Stored in log files: append only. */
enum wt_unresolved {
	WT_RESOLVED = 0,
	WT_UNRESOLVED_NO_IMAGE = 1,   /**< no image was mapped there */
	WT_UNRESOLVED_NO_FILE = 2,    /**< the file no longer exists or is not readable */
	WT_UNRESOLVED_BUILD_ID = 3,   /**< the file on disk has another build id */
	WT_UNRESOLVED_NO_SYMBOLS = 4, /**< the file has no symbol table */
	WT_UNRESOLVED_NO_MATCH = 5,   /**< no symbol covers the address */
	WT_UNRESOLVED_ANON = 6,       /**< memory without a file: JIT code */
	WT_UNRESOLVED_KPTR = 7,       /**< kernel addresses are hidden (kptr_restrict) */
	WT_UNRESOLVED_STRIPPED = 8,   /**< the file has only the symbols that it exports, and none there */
	WT_UNRESOLVED_REPLACED = 10,  /**< another file is at the path now (9 is not a reason in a log) */
	WT_UNRESOLVED_CHANGED = 11,   /**< the file was changed when or after it was mapped */
	WT_UNRESOLVED_UNPROVED =
		12, /**< there is no proof that the file at the path is the one that was mapped */
	WT_UNRESOLVED_LEFT_OUT = 13, /**< the process maps more than is kept for one user: the mapping at the
				      * address was left out */
	WT_UNRESOLVED_IN_DOUBT =
		14, /**< events about mappings were lost: the mapping at the address is not known */
};

#endif
