// SPDX-License-Identifier: MIT
#include "consumers/record/turns.h"

void wt_turns_begin(struct wt_turns *turns, uint32_t losses)
{
	*turns = (struct wt_turns){.losses = losses, .known = true};
}

void wt_turns_exec(struct wt_turns *first, uint32_t losses)
{
	if (!first->known || !first->alone || first->losses != losses)
		*first = (struct wt_turns){.last = first->last, .losses = losses};
}

/* Brings the thread to the time of its next switch. */
static struct wt_turns come_to(const struct wt_turns *turns, uint64_t time, uint32_t losses)
{
	struct wt_turns now = *turns;

	/* A switch that comes after a later one would count where it does not belong. */
	if (now.losses != losses || time < now.last)
		return (struct wt_turns){.losses = losses, .last = now.last};
	if (now.asked && time >= now.from) {
		/* A switch between the two times may be in the answer, or not. */
		if (time > now.to) {
			now.count = now.answer;
			now.known = true;
		}
		now.asked = false;
	}
	return now;
}

uint64_t wt_turns_with(const struct wt_turns *turns, uint64_t time, uint32_t losses)
{
	struct wt_turns now = come_to(turns, time, losses);

	return now.known ? now.count + 1 : 0;
}

void wt_turns_leave(struct wt_turns *turns, uint64_t time, uint32_t losses)
{
	*turns = come_to(turns, time, losses);
	if (time > turns->last)
		turns->last = time;
	turns->count++;
}

void wt_turns_answer(struct wt_turns *turns, uint64_t from, uint64_t to, uint64_t count, uint32_t losses)
{
	if (turns->losses != losses)
		*turns = (struct wt_turns){.losses = losses, .last = turns->last};
	turns->from = from;
	turns->to = to;
	turns->answer = count;
	turns->asked = true;
}

bool wt_turns_may_ask(const struct wt_turns *turns, uint32_t losses)
{
	return !turns->asked || turns->losses != losses;
}
