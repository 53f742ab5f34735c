// SPDX-License-Identifier: MIT
#include "consumers/record/kin.h"

#include "consumers/record/tasks.h"

static void attach(struct wt_process *parent, struct wt_process *child, bool same)
{
	child->kin.parent = parent;
	child->kin.same = same;
	child->kin.prev = NULL;
	child->kin.next = parent->kin.first;
	if (child->kin.next)
		child->kin.next->kin.prev = child;
	parent->kin.first = child;
}

static void detach(struct wt_process *child)
{
	struct wt_kin *kin = &child->kin;

	if (!kin->parent)
		return;
	*(kin->prev ? &kin->prev->kin.next : &kin->parent->kin.first) = kin->next;
	if (kin->next)
		kin->next->kin.prev = kin->prev;
	kin->parent = kin->prev = kin->next = NULL;
	kin->same = false;
}

/* Reports need not make sense: this guards against cycles. */
static bool comes_of(const struct wt_process *process, const struct wt_process *ancestor)
{
	while (process && process != ancestor)
		process = process->kin.parent;
	return process;
}

void wt_kin_join(struct wt_process *parent, struct wt_process *child)
{
	if (!child->kin.parent && !comes_of(parent, child))
		attach(parent, child, false);
}

void wt_kin_leave(struct wt_process *process)
{
	struct wt_process *heir = process->kin.parent, *child;
	bool as_heir = process->kin.same;

	detach(process);
	if (!heir && (heir = process->kin.first)) {
		as_heir = heir->kin.same;
		detach(heir);
	}
	while ((child = process->kin.first)) {
		bool same = child->kin.same && as_heir;

		detach(child);
		attach(heir, child, same);
	}
}

/* The walk from one process to those that share its memory, over edges, each of which may have to be asked
 * about. */
struct walk {
	struct wt_process *of;
	enum wt_memory (*ask)(void *ctx, uint32_t a, uint32_t b);
	void *ctx;
	struct wt_sharers *found;
};

/* Reaches `to`, at the other end of an edge of a process that has, or may have, the memory. edge: the child
 * of that edge. */
static void reach(struct walk *walk, struct wt_process *to, struct wt_process *edge, bool surely)
{
	struct wt_sharers *found = walk->found;
	enum wt_memory memory = WT_MEMORY_SAME;

	if (found->n == WT_KIN_MOST) {
		found->more = true;
		return;
	}
	if (!surely || !edge->kin.same)
		memory = walk->ask(walk->ctx, walk->of->pid, to->pid);
	if (memory == WT_MEMORY_OTHER) {
		if (surely)
			detach(edge);
		return;
	}
	if (surely && memory == WT_MEMORY_SAME)
		edge->kin.same = true;
	found->of[found->n].process = to;
	found->of[found->n++].memory = memory;
}

/* Follows all edges of the process, except the one the walk came by. */
static void spread(struct walk *walk, struct wt_process *process, const struct wt_process *from, bool surely)
{
	if (process->kin.parent && process->kin.parent != from)
		reach(walk, process->kin.parent, process, surely);
	for (struct wt_process *next, *child = process->kin.first; child; child = next) {
		next = child->kin.next;
		if (child != from)
			reach(walk, child, child, surely);
	}
}

void wt_kin_sharers(struct wt_process *process, enum wt_memory (*ask)(void *ctx, uint32_t a, uint32_t b),
		    void *ctx, struct wt_sharers *ret)
{
	struct walk walk = {.of = process, .ask = ask, .ctx = ctx, .found = ret};
	const struct wt_process *from[WT_KIN_MOST] = {NULL};

	ret->n = 0;
	ret->more = false;
	spread(&walk, process, NULL, true);
	for (uint32_t i = 0; i < ret->n; i++)
		from[i] = process;
	for (uint32_t i = 0; i < ret->n; i++) {
		uint32_t n = ret->n;

		spread(&walk, ret->of[i].process, from[i], ret->of[i].memory == WT_MEMORY_SAME);
		for (uint32_t k = n; k < ret->n; k++)
			from[k] = ret->of[i].process;
	}
}

static void mark(struct wt_process *process, const struct wt_sharers *sharers, bool found)
{
	process->kin.found = found;
	for (uint32_t i = 0; i < sharers->n; i++)
		sharers->of[i].process->kin.found = found;
}

void wt_kin_rest(struct wt_process *process, const struct wt_sharers *sharers,
		 void (*fn)(void *ctx, struct wt_process *process), void *ctx)
{
	struct wt_process *at = process;

	mark(process, sharers, true);
	while (at->kin.parent)
		at = at->kin.parent;
	while (at) {
		if (!at->kin.found)
			fn(ctx, at);
		if (at->kin.first) {
			at = at->kin.first;
			continue;
		}
		while (at && !at->kin.next)
			at = at->kin.parent;
		at = at ? at->kin.next : NULL;
	}
	mark(process, sharers, false);
}
