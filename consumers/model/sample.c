/* SPDX-License-Identifier: MIT */
#include "consumers/model/sample.h"

#include <string.h>

static bool is_of_profile(const struct wt_log_segment *segment, uint32_t kind, uint16_t id)
{
	const struct wt_kind *k = &segment->kinds.kinds[kind];

	return k->event->id == id && !strcmp(k->provider->name, "pmu-profile");
}

bool wt_view_is_unsampled(const struct wt_log_segment *segment, uint32_t kind)
{
	return is_of_profile(segment, kind, WT_PROFILE_UNSAMPLED);
}

bool wt_view_is_sample(const struct wt_log_segment *segment, uint32_t kind)
{
	return is_of_profile(segment, kind, WT_PROFILE_SAMPLE) || wt_view_is_unsampled(segment, kind);
}
