/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Generated code in a session: which process has some, what lay where when samples hit it, and how it is
 * called.
 *
 * While recording, each process has images of its own for such code, another one wherever its jitdump tells
 * that something else lies at an address now; and it is kept when each address was hit first and last. At the
 * end the process's files name the addresses for just those times. What is kept is bounded, and of users that
 * the session is not of each has a share: beyond it code has no names. One thread.
 */
#ifndef CONSUMERS_SESSION_GENERATED_H
#define CONSUMERS_SESSION_GENERATED_H

#include "consumers/record/generated.h"
#include "consumers/symbols/symbols.h"

struct wt_generated;

/** shared: processes of many users are met. NULL: memory is out. */
struct wt_generated *wt_generated_create(bool shared);
/** After the recorder, which has its images. NULL is fine. */
void wt_generated_destroy(struct wt_generated *generated);

/** A wt_generated_fn; ctx is the object. */
struct wt_image_entry *wt_generated_image(void *ctx, const struct wt_generated_task *task,
					  const struct wt_space *space, uint64_t address);
/** Reads what processes have said since. Before each round. last: all of it. */
void wt_generated_read(struct wt_generated *generated, bool last);
/** A wt_symbols_generated_fn; ctx is the object. */
bool wt_generated_name(void *ctx, const struct wt_log_image *image, uint64_t address,
		       struct wt_code_hit *ret);
/** Says whose files were left out. */
void wt_generated_tell(const struct wt_generated *generated);

#endif
