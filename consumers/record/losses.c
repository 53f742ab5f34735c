// SPDX-License-Identifier: MIT
#include "consumers/record/losses.h"

#include <stdlib.h>

#include "tracecore/base/grow.h"

static bool same_thing(const struct wt_loss *a, const struct wt_loss *b)
{
	return a->provider == b->provider && a->event == b->event && a->on_cpu == b->on_cpu &&
	       a->ring == b->ring && a->cause == b->cause && a->exact == b->exact;
}

static void merge(struct wt_loss *into, const struct wt_loss *more)
{
	into->count += more->count;
	if (more->from < into->from)
		into->from = more->from;
	if (more->to > into->to)
		into->to = more->to;
}

/* Adds the loss to one that waits already. */
static bool add_up(struct wt_losses *losses, const struct wt_loss *loss, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!losses->list[i].in_flight && same_thing(&losses->list[i], loss)) {
			merge(&losses->list[i], loss);
			return true;
		}
	}
	return false;
}

static int append(struct wt_losses *losses, const struct wt_loss *loss, struct wt_err *err)
{
	if (wt_grow(&losses->list, &losses->cap, losses->n, 1, err))
		return -1;
	losses->list[losses->n++] = *loss;
	return 0;
}

static int loss_of(struct wt_losses *losses, const struct wt_lost_payload *lost, struct wt_loss *ret,
		   struct wt_err *err)
{
	bool fresh;

	*ret = (struct wt_loss){
		.provider = wt_strings_add(&losses->names, lost->provider.p, lost->provider.len, &fresh),
		.event = wt_strings_add(&losses->names, lost->event.p, lost->event.len, &fresh),
		.on_cpu = lost->on_cpu,
		.ring = lost->ring,
		.cause = lost->cause,
		.exact = lost->exact,
		.count = lost->count,
		.from = lost->from,
		.to = lost->to,
	};
	if (ret->provider == WT_INTERN_NONE || ret->event == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	return 0;
}

int wt_losses_add(struct wt_losses *losses, const struct wt_lost_payload *lost, struct wt_err *err)
{
	struct wt_loss loss;

	if (loss_of(losses, lost, &loss, err))
		return -1;
	return add_up(losses, &loss, losses->n) ? 0 : append(losses, &loss, err);
}

int wt_losses_repeat(struct wt_losses *losses, const struct wt_lost_payload *lost, struct wt_err *err)
{
	struct wt_loss loss;

	if (loss_of(losses, lost, &loss, err))
		return -1;
	loss.in_flight = true;
	return append(losses, &loss, err);
}

static struct wt_str name(const struct wt_losses *losses, uint32_t id)
{
	size_t len;
	const char *p = wt_strings_get(&losses->names, id, &len);

	return wt_str_of(p, len);
}

struct wt_loss *wt_losses_next(struct wt_losses *losses, struct wt_lost_payload *ret)
{
	for (size_t i = 0; i < losses->n; i++) {
		struct wt_loss *loss = &losses->list[i];

		if (loss->in_flight)
			continue;
		*ret = (struct wt_lost_payload){
			.provider = name(losses, loss->provider),
			.event = name(losses, loss->event),
			.on_cpu = loss->on_cpu,
			.ring = loss->ring,
			.cause = loss->cause,
			.count = loss->count,
			.exact = loss->exact,
			.from = loss->from,
			.to = loss->to,
		};
		return loss;
	}
	return NULL;
}

void wt_losses_written(struct wt_losses *losses)
{
	size_t kept = 0;

	for (size_t i = 0; i < losses->n; i++) {
		if (!losses->list[i].in_flight)
			losses->list[kept++] = losses->list[i];
	}
	losses->n = kept;
	if (!kept)
		wt_strings_clear(&losses->names);
}

void wt_losses_returned(struct wt_losses *losses)
{
	size_t kept = 0;

	for (size_t i = 0; i < losses->n; i++) {
		struct wt_loss loss = losses->list[i];

		loss.in_flight = false;
		if (!add_up(losses, &loss, kept))
			losses->list[kept++] = loss;
	}
	losses->n = kept;
}

void wt_losses_deinit(struct wt_losses *losses)
{
	free(losses->list);
	wt_strings_deinit(&losses->names);
	*losses = (struct wt_losses){0};
}
