// SPDX-License-Identifier: MIT
#include "consumers/rings/reported_losses.h"

#include <stdlib.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/read/tally.h"

static uint64_t key_of(uint32_t ring, uint8_t cause)
{
	return (uint64_t)ring << 8 | cause;
}

static int add(struct wt_reported_losses *reported, const struct wt_lost_payload *lost, struct wt_err *err)
{
	uint8_t cause = lost->cause;
	uint32_t name, i;
	bool fresh;

	/* A ring that overflowed while the disk was slow was reported with the disk as its cause. */
	if (cause == WT_LOSS_DISK || cause == WT_LOSS_SHARE)
		cause = WT_LOSS_RING_FULL;
	if (wt_grow(&reported->counts, &reported->cap, reported->keys.count, 1, err))
		return -1;
	name = wt_strings_add(&reported->providers, lost->provider.p, lost->provider.len, &fresh);
	i = name == WT_INTERN_NONE ? name
				   : wt_intern(&reported->keys, key_of(lost->ring, cause), name, &fresh);
	if (i == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	reported->counts[i] = fresh ? lost->count : reported->counts[i] + lost->count;
	return 0;
}

/* Sums the losses of the present segments and of those that --max-file has dropped. */
static int sum_up(struct wt_log_reader *log, struct wt_log_dropped *dropped, struct wt_err *err)
{
	int rc = wt_log_read_dropped(log, dropped, err);

	for (uint32_t i = 0; !rc && i < wt_log_info(log)->n_segments; i++)
		rc = wt_log_lost_segment(log, i, &dropped->lost, err);
	return rc;
}

int wt_reported_losses_read(struct wt_reported_losses *reported, const char *path, struct wt_err *err)
{
	struct wt_log_dropped sums = {0};
	struct wt_log_reader *log;
	int rc;

	if (wt_log_open(path, &log, err))
		return -1;
	rc = sum_up(log, &sums, err);
	wt_log_close(log);
	for (uint32_t i = 0; !rc && i < sums.lost.n; i++)
		if (sums.lost.rows[i].ring)
			rc = add(reported, &sums.lost.rows[i], err);
	wt_log_dropped_deinit(&sums);
	return rc;
}

uint64_t wt_reported_losses_take(struct wt_reported_losses *reported, uint32_t ring, struct wt_str provider,
				 uint8_t cause, uint64_t count)
{
	uint32_t name = wt_strings_find(&reported->providers, provider.p, provider.len), i;
	uint64_t part;

	i = name == WT_INTERN_NONE ? name : wt_intern_find(&reported->keys, key_of(ring, cause), name);
	if (i == WT_INTERN_NONE)
		return 0;
	part = reported->counts[i] < count ? reported->counts[i] : count;
	reported->counts[i] -= part;
	return part;
}

void wt_reported_losses_deinit(struct wt_reported_losses *reported)
{
	wt_strings_deinit(&reported->providers);
	wt_intern_deinit(&reported->keys);
	free(reported->counts);
	*reported = (struct wt_reported_losses){0};
}
