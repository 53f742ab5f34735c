/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the maker of headers: header.c makes the whole and the constants, header_event.c the calls of one
 * event.
 */
#ifndef PROVIDERS_MANIFEST_HEADER_STATE_H
#define PROVIDERS_MANIFEST_HEADER_STATE_H

#include "providers/manifest/header.h"
#include "providers/manifest/names.h"

struct wt_header {
	const struct wt_manifest_file *file;
	const struct wt_provider *provider;
	struct wt_remarks *remarks;
	struct wt_buf *out;
	struct wt_buf prefix, capitals; /**< of the provider's name: my_app, MY_APP */
	struct wt_strings names;        /**< all identifiers of the header, by id */
	struct wt_buf owners;           /**< by id: offset (u32) of its owner in owner_text */
	struct wt_buf owner_text;       /**< "event 'x'", each with a zero behind it */
	struct wt_strings parameters;   /**< of the function being written */
	struct wt_buf scratch;
};

/** Enters an identifier. If it exists already, returns false and adds an error at the line, which names both
 * owners. */
bool wt_header_name(struct wt_header *header, const char *identifier, size_t line, const char *owner);

/** Writes a comment's text on one line, so that nothing in it ends the comment, opens another, or changes its
 * direction. */
void wt_header_comment_text(struct wt_buf *out, const char *text);

/** Enters the identifiers of event i. */
void wt_header_event_names(struct wt_header *header, uint32_t i);
/** Appends its calls. */
void wt_header_event(struct wt_header *header, uint32_t i);

#endif
