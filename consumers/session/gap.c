// SPDX-License-Identifier: MIT
#include "consumers/session/gap.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/session/program_rule.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"
#include "tracecore/kernel_events.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/read/host.h"

static bool has(const struct wt_gap *gap, const char *provider)
{
	for (size_t i = 0; i < gap->n; i++)
		if (!strcmp(gap->providers[i], provider))
			return true;
	return false;
}

static int add(struct wt_gap *gap, const char *provider, struct wt_err *err)
{
	if (has(gap, provider))
		return 0;
	if (wt_grow_one(&gap->providers, gap->n, err))
		return -1;
	snprintf(gap->providers[gap->n++], sizeof(*gap->providers), "%s", provider);
	return 0;
}

static int read_providers(struct wt_log_reader *log, bool programs, struct wt_gap *ret, struct wt_err *err)
{
	struct wt_log_census census;
	int rc = wt_log_census_take(log, &census, err);

	if (rc)
		return rc;
	for (uint32_t i = 0; !rc && i < census.n; i++) {
		const struct wt_log_census_line *line = &census.lines[i];
		const char *provider = wt_log_census_provider(&census, line);

		if (*provider && line->count && strcmp(provider, "wtrace") != 0 &&
		    (programs || !wt_program_provider_name(provider)))
			rc = add(ret, provider, err);
	}
	wt_log_census_deinit(&census);
	return rc;
}

static int read_boot(struct wt_log_reader *log, struct wt_gap *ret, struct wt_err *err)
{
	char boot[sizeof(((struct wt_host *)0)->boot)];
	struct wt_host host;

	if (!wt_log_info(log)->n_segments)
		return 0;
	if (wt_host_read(log, &host, err))
		return -1;
	wt_clock_boot_id(boot, sizeof(boot));
	ret->this_boot = *boot && !strcmp(boot, host.boot);
	return 0;
}

int wt_gap_read(const char *path, bool programs, struct wt_gap *ret, struct wt_err *err)
{
	struct wt_log_reader *log;
	int rc;

	*ret = (struct wt_gap){0};
	if (wt_log_open(path, &log, err))
		return -1;
	rc = read_providers(log, programs, ret, err) || read_boot(log, ret, err) ? -1 : 0;
	wt_log_close(log);
	return rc;
}

int wt_gap_put(const struct wt_gap *gap, uint64_t from, bool ended, const struct wt_kinds *kinds,
	       struct wt_log_writer *log, struct wt_err *err)
{
	uint64_t now = wt_clock_now(), last = wt_log_writer_stats(log)->last_time;
	struct wt_event event = {
		.cpu = WT_CPU_NONE, .flags = WT_EVENT_SELF, .time = last > from ? last : from};
	struct wt_lost_payload lost = {.on_cpu = WT_CPU_NONE, .cause = WT_LOSS_RECORDER_DIED, .from = from};
	struct wt_buf payload = {0};
	int rc = 0;

	lost.to = ended && gap->this_boot && now > from ? now : from;
	event.kind = wt_kinds_find(kinds, "wtrace", "lost");
	for (size_t i = 0; rc >= 0 && i < gap->n; i++) {
		lost.provider = wt_str(gap->providers[i]);
		wt_buf_clear(&payload);
		wt_lost_put(&payload, &lost);
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		rc = payload.failed ? wt_fail_nomem(err) : wt_log_event(log, &event, 0, 0, err);
	}
	wt_buf_deinit(&payload);
	return rc < 0 ? -1 : 0;
}

void wt_gap_deinit(struct wt_gap *gap)
{
	free(gap->providers);
	*gap = (struct wt_gap){0};
}
