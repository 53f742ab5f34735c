/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Maps objects to the ids of the log's current segment: processes, threads, images, frames, stacks.
 *
 * The first use of an object in a segment puts its row into the log. Stacks form a tree that grows from the
 * outermost frame inwards, so that frames shared by samples are stored once. A node of the tree is found by
 * a hash over all its frames, each as image and offset, because addresses differ between processes. A known
 * stack takes one look-up at any depth; a new stack takes one for each new frame, plus one.
 *
 * Addresses: the first of each half (kernel, user) is where a thread was interrupted and is taken as it is.
 * An address that a signal interrupted (wt_raw_stack.exact) is taken as it is, too. All others are return
 * addresses and are taken minus one, so that every frame lies within its call.
 *
 * Code without frame pointers leaves arbitrary values in that register, and a walk by frame pointers follows
 * them. A user caller outside every executable image of the process is therefore no caller: the stack ends
 * before it and is marked (WT_STACK_ASTRAY). A stack does not end so in an unknown address space, nor in one
 * with mappings left out; there, unknown addresses belong to the image "[left out]". Walks by tables are not
 * checked.
 *
 * A new segment (wt_interner_begin) makes all ids void. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_INTERNER_H
#define CONSUMERS_RECORD_INTERNER_H

#include "consumers/record/generated.h"
#include "consumers/record/mounts.h"
#include "consumers/record/pair_table.h"
#include "consumers/record/selves.h"
#include "consumers/record/tasks.h"
#include "tracecore/event.h"
#include "tracecore/logfmt/write/writer.h"

/** One frame of a stack: the meaning of its address, and the id of the stack that ends in it. */
struct wt_step {
	struct wt_log_frame frame;
	uint64_t a; /**< 96 bits of hash over all frames from the outermost to this one */
	uint32_t b;
};

/** A stack in ids of the log's current segment; invalid when the next segment begins. */
struct wt_path {
	struct wt_step *steps; /**< room for all its frames; the innermost first */
	uint32_t n;
	uint16_t n_kernel; /**< the first ones */
	uint8_t status;    /**< enum wt_stack_status */
};

struct wt_interner {
	struct wt_log_writer *log;      /**< borrowed */
	const struct wt_selves *selves; /**< borrowed */
	uint32_t epoch;                 /**< counts segments, from 1 */
	uint32_t n_processes, n_threads, n_images;
	struct wt_pair_table frames; /**< {offset, image} */
	struct wt_pair_table nodes;  /**< {a, b} of struct wt_step; stack id - 1 */
	struct wt_row left_out;      /**< image of addresses whose mappings were left out */
	struct wt_space doubted;     /**< always empty: used for processes whose mappings are in doubt */
	struct wt_row in_doubt;      /**< image of addresses of processes whose mappings are not known */
	struct wt_mounts mounts;     /**< finds images' files */
	wt_generated_fn
		*generated; /**< NULL: code in memory without a file is treated alike in all processes */
	void *generated_ctx;
	struct wt_generated_task task; /**< the process whose stack is looked at next */
	uint64_t seed[3];
	uint32_t added;        /**< nodes added since the caller set it to 0 */
	struct wt_step *steps; /**< owned; of wt_interner_stack */
	uint32_t cap_steps;
	bool broken; /**< row 0 is not defined yet: only a new segment helps */
};

void wt_interner_init(struct wt_interner *interner, struct wt_log_writer *log,
		      const struct wt_selves *selves);
void wt_interner_deinit(struct wt_interner *interner);

/** Call when the log has begun a segment. Forgets all ids and defines row 0 of processes, threads and images.
 */
int wt_interner_begin(struct wt_interner *interner, struct wt_err *err);

/** Returns the row of the thread, after adding its process's row where needed. NULL: row 0. */
int wt_interner_thread(struct wt_interner *interner, struct wt_thread *thread, uint32_t *ret,
		       struct wt_err *err);

/** Finds the meaning of the addresses now, before the next event changes mappings. user: the address space of
 * the thread, NULL when unknown. ret->steps belongs to the caller and has room for all frames. */
int wt_interner_look(struct wt_interner *interner, const struct wt_raw_stack *stack, struct wt_space *kernel,
		     struct wt_space *user, struct wt_path *ret, struct wt_err *err);
/** Prefetches the memory that wt_interner_put will read, because the tables do not fit the processor's
 * caches. */
void wt_interner_prefetch(const struct wt_interner *interner, const struct wt_path *path);
/** Returns the id of the stack in *ret, 0 for an empty one. */
int wt_interner_put(struct wt_interner *interner, const struct wt_path *path, uint32_t *ret,
		    struct wt_err *err);

/** Look and put at once. */
int wt_interner_stack(struct wt_interner *interner, const struct wt_raw_stack *stack, struct wt_space *kernel,
		      struct wt_space *user, uint32_t *ret, struct wt_err *err);

/** Frees the tables if they take more than that many bytes. Their ids become invalid; wt_interner_begin must
 * follow. */
void wt_interner_shrink(struct wt_interner *interner, uint64_t bytes);
/** Bytes of the tables that grow with the segment, including a growth that is near. */
size_t wt_interner_bytes(const struct wt_interner *interner);

#endif
