// SPDX-License-Identifier: MIT
#include "consumers/record/inject.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct wt_injected {
	struct wt_injected *prev, *next;
	struct wt_event event;
	struct wt_stack_dump dump; /* valid where the event has one */
	uint64_t bytes[];          /* the stack, then the payload, the ids and the bytes of the dump */
};

/* The source is the first member of the queue. */
_Static_assert(offsetof(struct wt_inject, source) == 0, "a source is embedded first");

static void refresh(struct wt_source *source)
{
	(void)source;
}

static int peek(struct wt_source *source, struct wt_event *ret)
{
	struct wt_inject *inject = (struct wt_inject *)source;

	if (!inject->first)
		return 1;
	*ret = inject->first->event;
	return 0;
}

static void pop(struct wt_source *source)
{
	struct wt_inject *inject = (struct wt_inject *)source;
	struct wt_injected *gone = inject->first;

	inject->first = gone->next;
	*(inject->first ? &inject->first->prev : &inject->last) = NULL;
	inject->popped++;
	free(gone);
}

static uint64_t position(const struct wt_source *source)
{
	return ((const struct wt_inject *)source)->popped;
}

static int seek(struct wt_source *source, uint64_t to)
{
	(void)source;
	(void)to;
	return -1;
}

static void release(struct wt_source *source)
{
	(void)source;
}

static void destroy(struct wt_source *source)
{
	wt_inject_deinit((struct wt_inject *)source);
}

static const struct wt_source_ops inject_ops = {
	.refresh = refresh,
	.peek = peek,
	.pop = pop,
	.position = position,
	.seek = seek,
	.release = release,
	.destroy = destroy,
};

void wt_inject_init(struct wt_inject *inject)
{
	*inject = (struct wt_inject){
		.source = {.ops = &inject_ops, .id = WT_INJECT_SOURCE, .name = "the session"}};
}

static const uint8_t *copy_id(uint8_t **at, const uint8_t *id)
{
	uint8_t *to = *at;

	if (!id)
		return NULL;
	memcpy(to, id, WT_ACTIVITY_ID);
	*at += WT_ACTIVITY_ID;
	return to;
}

/* Such dumps have no other parts. */
static void copy_dump(struct wt_injected *to, const struct wt_stack_dump *dump, uint8_t *bytes)
{
	to->dump = *dump;
	to->dump.bytes = bytes;
	to->dump.parts = NULL;
	to->dump.n_parts = 0;
	to->dump.mark = NULL;
	memcpy(bytes, dump->bytes, dump->size);
	to->event.stack.dump = &to->dump;
}

static struct wt_injected *copy_of(const struct wt_event *event)
{
	size_t n = (size_t)event->stack.n_kernel + event->stack.n_user;
	size_t ids = (size_t)WT_ACTIVITY_ID * ((event->activity != NULL) + (event->related != NULL));
	size_t dump = event->stack.dump ? event->stack.dump->size : 0;
	struct wt_injected *copy = malloc(sizeof(*copy) + n * sizeof(uint64_t) + event->payload_len + ids +
					  dump);
	uint8_t *payload, *id;

	if (!copy)
		return NULL;
	copy->event = *event;
	copy->event.stack.pc = copy->bytes;
	payload = (uint8_t *)&copy->bytes[n];
	copy->event.payload = payload;
	if (n)
		memcpy(copy->bytes, event->stack.pc, n * sizeof(uint64_t));
	if (event->payload_len)
		memcpy(payload, event->payload, event->payload_len);
	id = payload + event->payload_len;
	copy->event.activity = copy_id(&id, event->activity);
	copy->event.related = copy_id(&id, event->related);
	if (event->stack.dump)
		copy_dump(copy, event->stack.dump, id);
	return copy;
}

int wt_inject_put(struct wt_inject *inject, const struct wt_event *event, struct wt_err *err)
{
	struct wt_injected *copy = copy_of(event);
	struct wt_injected *after = inject->last;

	if (!copy)
		return wt_fail_nomem(err);
	while (after && after->event.time > event->time)
		after = after->prev;
	copy->prev = after;
	copy->next = after ? after->next : inject->first;
	*(after ? &after->next : &inject->first) = copy;
	*(copy->next ? &copy->next->prev : &inject->last) = copy;
	return 0;
}

void wt_inject_deinit(struct wt_inject *inject)
{
	while (inject->first)
		pop(&inject->source);
}
