// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/read/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/err.h"

/* The largest difference of wall clock and session clock within one boot: for one correction of the clock,
 * and for a clock that is slowed or sped up by a thousandth. */
#define CLOCK_STEP (5 * WT_NSEC)
#define CLOCK_SLEW 1000

static void take_fact(const struct wt_log_segment *segment, const char *key, char ret[65])
{
	ret[0] = 0;
	for (uint32_t i = 0; i < segment->n_facts; i++) {
		const struct wt_log_fact *fact = &segment->facts[i];

		if (fact->key.len == strlen(key) && !memcmp(fact->key.p, key, fact->key.len))
			snprintf(ret, 65, "%.*s", (int)(fact->value.len < 64 ? fact->value.len : 64),
				 fact->value.p);
	}
}

int wt_host_read(struct wt_log_reader *log, struct wt_host *ret, struct wt_err *err)
{
	const struct wt_log_segment *segment;

	*ret = (struct wt_host){.clock = wt_log_info(log)->clock};
	if (!wt_log_info(log)->n_segments)
		return 0;
	if (wt_log_load_segment(log, 0, &segment, err))
		return -1;
	take_fact(segment, "host", ret->name);
	take_fact(segment, "boot", ret->boot);
	take_fact(segment, "kernel", ret->kernel);
	take_fact(segment, "machine", ret->machine);
	wt_log_unload_segment(log, 0);
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static int boots_agree(const struct wt_host *a, const struct wt_host *b)
{
	uint64_t apart = distance(a->clock.raw, b->clock.raw);

	return distance(a->clock.realtime - a->clock.raw, b->clock.realtime - b->clock.raw) <=
	       CLOCK_STEP + apart / CLOCK_SLEW;
}

int wt_host_same(const struct wt_host *a, const char *a_name, const struct wt_host *b, const char *b_name,
		 struct wt_err *err)
{
	if (a->boot[0] && b->boot[0] && strcmp(a->boot, b->boot) != 0)
		return wt_fail(err, WT_ERR_FORMAT,
			       "%s (host %s) and %s (host %s) are of different boots or machines: their "
			       "times do not count from the same moment",
			       a_name, a->name, b_name, b->name);
	if (a->boot[0] && b->boot[0])
		return 0;
	if (strcmp(a->name, b->name) != 0 || strcmp(a->kernel, b->kernel) != 0 ||
	    strcmp(a->machine, b->machine) != 0)
		return wt_fail(err, WT_ERR_FORMAT,
			       "%s was recorded on %s (%s, %s) and %s on %s (%s, %s): only logs of one "
			       "machine can be read together",
			       a_name, a->name, a->kernel, a->machine, b_name, b->name, b->kernel,
			       b->machine);
	if (!boots_agree(a, b))
		return wt_fail(err, WT_ERR_FORMAT,
			       "%s and %s were recorded between different boots of %s: their times do not "
			       "count from the same moment",
			       a_name, b_name, a->name);
	return 0;
}
