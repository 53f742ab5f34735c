// SPDX-License-Identifier: MIT
#include "consumers/record/merge.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

/* Sources that are looked at to find the length of a run. */
#define LOOKS_PER_RUN 256

int wt_merge_add(struct wt_merge *merge, struct wt_source *source, struct wt_err *err)
{
	uint32_t inputs = merge->cap, heap = merge->cap;

	if (wt_grow(&merge->inputs, &inputs, merge->n, 1, err) ||
	    wt_grow(&merge->heap, &heap, merge->n, 1, err))
		return -1;
	merge->cap = heap;
	merge->inputs[merge->n++] = (struct wt_merge_input){.source = source};
	return 0;
}

bool wt_merge_remove(struct wt_merge *merge, struct wt_source *source)
{
	for (uint32_t i = 0; i < merge->n; i++) {
		if (merge->inputs[i].source != source)
			continue;
		merge->n--;
		memmove(&merge->inputs[i], &merge->inputs[i + 1], (merge->n - i) * sizeof(*merge->inputs));
		merge->heap_n = 0;
		return true;
	}
	return false;
}

bool wt_merge_charge(struct wt_merge *merge, struct wt_allowance *allowance, uint64_t units)
{
	merge->work += units;
	return wt_allowance_work(allowance, units);
}

/* Returns true when the source has done enough for now. */
static bool work(struct wt_merge *merge, struct wt_source *source, uint64_t units)
{
	units += source->effort;
	source->effort = 0;
	return wt_merge_charge(merge, source->allowance, units);
}

void wt_merge_burden(struct wt_merge *merge, uint64_t units)
{
	if (merge->heap_n)
		work(merge, merge->inputs[merge->heap[0]].source, units);
}

void wt_merge_pay(struct wt_merge *merge, uint64_t ns)
{
	for (uint32_t i = 0; i < merge->n; i++)
		wt_allowance_pay(merge->inputs[i].source->allowance, ns, merge->work);
	merge->work = 0;
}

/* Units for looking at an event, its bytes and its frames. */
static uint64_t units_of(const struct wt_event *event)
{
	return 2 + event->payload_len / 64 + (uint64_t)event->stack.n_user / 2;
}

static bool before(const struct wt_merge *merge, uint32_t a, uint32_t b)
{
	const struct wt_merge_input *x = &merge->inputs[a], *y = &merge->inputs[b];

	if (x->head.time != y->head.time)
		return x->head.time < y->head.time;
	if (x->source->id != y->source->id)
		return x->source->id < y->source->id;
	return a < b;
}

/* Moves the entry at i down to where it belongs. */
static void sift(struct wt_merge *merge, uint32_t i)
{
	uint32_t *heap = merge->heap;
	uint32_t input = heap[i];

	for (;;) {
		uint32_t child = i * 2 + 1;

		if (child >= merge->heap_n)
			break;
		if (child + 1 < merge->heap_n && before(merge, heap[child + 1], heap[child]))
			child++;
		if (before(merge, input, heap[child]))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = input;
}

void wt_merge_refresh(struct wt_merge *merge)
{
	merge->heap_n = 0;
	for (uint32_t i = 0; i < merge->n; i++) {
		struct wt_merge_input *input = &merge->inputs[i];

		if (wt_allowance_is_spent(input->source->allowance) || work(merge, input->source, 1))
			continue;
		input->source->ops->refresh(input->source);
		if (!input->source->ops->peek(input->source, &input->head))
			merge->heap[merge->heap_n++] = i;
		work(merge, input->source, 0);
	}
	for (uint32_t i = merge->heap_n / 2; i-- > 0;)
		sift(merge, i);
}

/* Renews the first source's entry: it now stands before another event, or is at its end, or has done enough.
 */
static void renew_top(struct wt_merge *merge, uint64_t units)
{
	struct wt_merge_input *input = &merge->inputs[merge->heap[0]];

	if (work(merge, input->source, units) || input->source->ops->peek(input->source, &input->head))
		merge->heap[0] = merge->heap[--merge->heap_n];
	if (merge->heap_n)
		sift(merge, 0);
}

void wt_merge_pop(struct wt_merge *merge)
{
	struct wt_source *source = merge->inputs[merge->heap[0]].source;
	uint64_t units = units_of(&merge->inputs[merge->heap[0]].head);

	source->ops->pop(source);
	renew_top(merge, units);
}

/* Returns the time up to which events of the first source may be taken one after the other. A source that is
 * ordered against it ends the run, and so does the first source beyond LOOKS_PER_RUN. In the heap, all
 * sources below a source are later than it. */
static uint64_t run_end(const struct wt_merge *merge, uint64_t horizon)
{
	const struct wt_merge_input *top = &merge->inputs[merge->heap[0]];
	/* Only the used part is written, because this runs once for each run, and a run may have a single
	 * event. */
	uint32_t stack[LOOKS_PER_RUN + 2], n = 0, looks = 0;
	uint64_t before = horizon;

	stack[n++] = 1;
	stack[n++] = 2;
	while (n) {
		uint32_t i = stack[--n];
		const struct wt_merge_input *other;

		if (i >= merge->heap_n)
			continue;
		other = &merge->inputs[merge->heap[i]];
		if (other->head.time >= before)
			continue;
		if (!other->source->ops->run || other->head.cpu == top->head.cpu || looks >= LOOKS_PER_RUN) {
			before = other->head.time;
			continue;
		}
		looks++;
		stack[n++] = i * 2 + 1;
		stack[n++] = i * 2 + 2;
	}
	return before;
}

void wt_merge_run(const struct wt_merge *merge, uint64_t horizon, struct wt_run *ret)
{
	struct wt_source *source = merge->inputs[merge->heap[0]].source;

	source->ops->run(source, run_end(merge, horizon), ret);
}

void wt_merge_strip(const struct wt_merge *merge, uint64_t horizon, struct wt_strip *ret)
{
	struct wt_source *source = merge->inputs[merge->heap[0]].source;

	ret->n = 0;
	if (source->ops->strip)
		source->ops->strip(source, run_end(merge, horizon), ret);
}

void wt_merge_pop_run(struct wt_merge *merge, uint32_t n)
{
	struct wt_source *source = merge->inputs[merge->heap[0]].source;
	uint64_t units = 1 + n * units_of(&merge->inputs[merge->heap[0]].head) / 4;

	source->ops->pop_run(source, n);
	renew_top(merge, units);
}

void wt_merge_pop_strip(struct wt_merge *merge, uint32_t n)
{
	struct wt_source *source = merge->inputs[merge->heap[0]].source;
	uint64_t units = 1 + n * units_of(&merge->inputs[merge->heap[0]].head) / 8;

	source->ops->pop_strip(source, n);
	renew_top(merge, units);
}

void wt_merge_deinit(struct wt_merge *merge)
{
	free(merge->inputs);
	free(merge->heap);
	*merge = (struct wt_merge){0};
}
