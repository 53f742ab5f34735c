/* SPDX-License-Identifier: MIT */
/** @file The text that describes a CTF trace: its clock, its streams, its events. */
#ifndef CONSUMERS_EXPORT_CTF_METADATA_H
#define CONSUMERS_EXPORT_CTF_METADATA_H

#include "tracecore/logfmt/read/reader.h"

/** What stands before the events. */
void wt_ctf_put_head(struct wt_buf *out, const struct wt_log_info *info, const char *host);
/** Appends the description of an event. Events of this number have all its fields, each in the form of
 * wt_ctf_put_field. */
void wt_ctf_put_event(struct wt_buf *out, uint32_t number, const struct wt_provider *provider,
		      const struct wt_event_desc *event);

#endif
