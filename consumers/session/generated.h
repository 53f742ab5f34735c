/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Generated code in a session: the processes that have it, the code at each address when samples hit it, and
 * its names.
 *
 * While recording, each process has its own images for such code. It gets a new image when its jitdump
 * reports that other code lies at an address. The first and the last hit of each address are kept. At the
 * end the process's files name the addresses for exactly these times. The data kept is bounded, and each
 * user other than the session's own has a share; code beyond it has no names. One thread.
 */
#ifndef CONSUMERS_SESSION_GENERATED_H
#define CONSUMERS_SESSION_GENERATED_H

#include "consumers/record/generated.h"
#include "consumers/symbols/symbols.h"

struct wt_generated;

/** shared: processes of many users are met. NULL: memory is out. */
struct wt_generated *wt_generated_create(bool shared);
/** Call after destroying the recorder, which uses its images. NULL is fine. */
void wt_generated_destroy(struct wt_generated *generated);

/** A wt_generated_fn; ctx is the object. */
struct wt_image_entry *wt_generated_image(void *ctx, const struct wt_generated_task *task,
					  const struct wt_space *space, uint64_t address);
/** A wt_generated_rule_fn; ctx is the object. */
bool wt_generated_rule(void *ctx, const struct wt_generated_task *task, const struct wt_space *space,
		       uint64_t address, struct wt_abi_unwind_rule *ret);
/** Reads new reports of processes. Call before each round. last: reads everything. */
void wt_generated_read(struct wt_generated *generated, bool last);
/** A wt_symbols_generated_fn; ctx is the object. */
bool wt_generated_name(void *ctx, const struct wt_log_image *image, uint64_t address,
		       struct wt_code_hit *ret);
/** Reports the users whose files were left out. */
void wt_generated_tell(const struct wt_generated *generated);

#endif
