// SPDX-License-Identifier: MIT
#include "consumers/record/effort.h"

#include "tracecore/base/clock.h"
#include "tracecore/logfmt/write/writer.h"

/* Thousandths. */
#define FILL_FAR_BEHIND 300
#define FILL_BEHIND     150
#define FILL_CALM       60
#define BUSY_BEHIND     600
#define BUSY_CALM       350
#define BUSY_IDLE       30
/* The CPU's share is measured over at least this time, because a single flush is no load. */
#define WINDOW_NS (WT_NSEC / 50)
#define CALM_NS   WT_NSEC

static const int levels[] = {
	[WT_EFFORT_STORED] = WT_LOG_LEVEL_STORED,
	[WT_EFFORT_QUICK] = -5,
	[WT_EFFORT_NORMAL] = 1,
	[WT_EFFORT_THOROUGH] = 3,
};

void wt_effort_init(struct wt_effort *effort, const struct wt_effort_load *now, bool bounded)
{
	*effort = (struct wt_effort){
		.step = WT_EFFORT_NORMAL,
		.least = bounded ? WT_EFFORT_QUICK : WT_EFFORT_STORED,
		.decided = now->now,
		.cpu = now->cpu,
	};
}

static bool go(struct wt_effort *effort, enum wt_effort_step to)
{
	bool changes = to != effort->step;

	effort->calm = 0;
	effort->step = to;
	return changes;
}

static bool go_quicker(struct wt_effort *effort)
{
	return go(effort, effort->step > effort->least ? effort->step - 1 : effort->least);
}

/* True when the recorder has had time to spare since effort->calm. */
static bool be_calm(struct wt_effort *effort, uint64_t now, uint64_t busy)
{
	if (!effort->calm)
		effort->calm = now;
	if (now - effort->calm < CALM_NS)
		return false;
	if (effort->step == WT_EFFORT_THOROUGH || (effort->step == WT_EFFORT_NORMAL && busy >= BUSY_IDLE))
		return false;
	return go(effort, effort->step + 1);
}

bool wt_effort_decide(struct wt_effort *effort, const struct wt_effort_load *load)
{
	uint64_t span = load->now - effort->decided, busy;

	if (load->fill > FILL_FAR_BEHIND)
		return go(effort, effort->least);
	if (span < WINDOW_NS)
		return false;
	busy = (load->cpu - effort->cpu) * 1000 / span;
	effort->decided = load->now;
	effort->cpu = load->cpu;
	if (load->fill > FILL_BEHIND || busy > BUSY_BEHIND)
		return go_quicker(effort);
	if (load->fill < FILL_CALM && busy < BUSY_CALM)
		return be_calm(effort, load->now, busy);
	effort->calm = 0;
	return false;
}

int wt_effort_level(const struct wt_effort *effort)
{
	return levels[effort->step];
}
