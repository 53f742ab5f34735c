/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes the registered description from a program's events (its sites, gathered by the linker, or a
 * generated table).
 *
 * Sites that describe the same event (name, level, keywords, opcode, fields) share one; two descriptions
 * under one name are an error. Events are ordered by name and their ids derive from it, so that the text
 * depends neither on the linker nor on where the program is loaded, and an id stays when other events come
 * and go.
 */
#ifndef PROVIDERS_SDK_DESCRIBE_H
#define PROVIDERS_SDK_DESCRIBE_H

#include "providers/sdk/wtrace.h"
#include "tracecore/base/buf.h"
#include "tracecore/enable/enable.h"

struct wt_sdk_description {
	struct wtrace_site *
		*sites; /**< the provider's, in order of their events; owned; NULL with a manifest */
	uint32_t n_sites;
	struct wt_enable_event *events; /**< owned; names belong to the program */
	uint32_t n_events;
	struct wt_buf manifest; /**< self-describing: the canonical text; otherwise empty */
};

/** Describes the provider; sites (up to end) are those of all providers of its program or library. Gives each
 * of the provider's sites the index of its event. WT_ERR_USAGE gives the invalid name, or the event
 * described twice. */
int wt_sdk_describe(const struct wtrace_provider *provider, struct wtrace_site *const *sites,
		    struct wtrace_site *const *end, struct wt_sdk_description *ret, struct wt_err *err);
void wt_sdk_description_deinit(struct wt_sdk_description *description);

#endif
