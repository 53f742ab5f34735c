/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The code addresses that events hit, and the images that these lie in.
 *
 * Hits are gathered as for annotations (annotate.h). Addresses are those of the image, as disassemblers show
 * them: no load address is in them. An address of the kernel or of one of its modules counts from its load
 * address, and one of code that no file here knows is an offset in the image's file. One thread.
 */
#ifndef CONSUMERS_ANNOTATE_ADDRESSES_H
#define CONSUMERS_ANNOTATE_ADDRESSES_H

#include "consumers/annotate/annotate.h"

struct wt_hit_address {
	struct wt_str event; /**< the sampled event */
	struct wt_str name;  /**< NAME:MODULE of the function that a symbol names, or a word in brackets */
	uint64_t address, hits;
};

/** A section of the program's memory. */
struct wt_hit_section {
	struct wt_str name;
	uint64_t address, size;
};

/** An image with hits. */
struct wt_hit_image {
	struct wt_str path;              /**< or a name in brackets */
	struct wt_hit_section *sections; /**< owned; none where no file of the same build is here */
	uint32_t n_sections;
};

/** Strings live until wt_hits_deinit. Zeroed: none. */
struct wt_hits {
	struct wt_hit_address *addresses; /**< owned; by event, then the most hits first */
	uint32_t n_addresses;
	struct wt_hit_image *images; /**< owned */
	uint32_t n_images;
	struct wt_arena texts;
};

/** Undo with wt_hits_deinit, also after a failure. */
int wt_hits_find(const struct wt_annotate *annotate, struct wt_hits *ret, struct wt_err *err);
void wt_hits_deinit(struct wt_hits *hits);

#endif
