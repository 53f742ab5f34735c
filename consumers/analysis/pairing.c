/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/intern.h"

/* A region is in up to four lists: the regions that an end of its class may close, those of its thread,
 * those of its activity, and those of its class in its activity on any thread. */
enum { LIST_MATCH, LIST_THREAD, LIST_ACTIVITY, LIST_SHARED, N_LISTS };

/* Open regions with something in common, the last one first. The list is removed with its last region. */
struct wt_pairing_list {
	struct wt_pairing_list *next; /* in its bucket */
	struct wt_pairing_open *top;
	uint32_t hash, key_len;
	bool doubtful; /* an end closed one of several possible regions */
	uint8_t key[];
};

struct wt_pairing_open {
	struct {
		struct wt_pairing_list *list; /* NULL: in none */
		struct wt_pairing_open *above, *below;
	} links[N_LISTS];
	struct wt_pairing_open *before, *after; /* in the order of their beginnings */
	struct wt_pairing_open *around;
	uint32_t class, group, name;
	bool overlapping, doubtful, has_activity;
	bool closed, ended;             /* delivered, but regions inside it are not; delivered at its end */
	uint32_t inside;                /* regions directly inside that are not delivered... */
	uint32_t busy;                  /* ...and those of them that are open */
	uint64_t covered, covered_from; /* ns in which some were open; since when some are open */
	struct wt_region_side begin;
	uint8_t activity[WT_ACTIVITY_ID];
	size_t payload_len;
	uint8_t payload[];
};

/* ---- lists by key ---- */

struct key {
	const void *head, *tail;
	uint32_t head_len, tail_len;
};

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len) {
		uint64_t word = 0;
		size_t n = len < sizeof(word) ? len : sizeof(word);

		memcpy(&word, p, n);
		hash = wt_hash2(hash, word + n);
		p += n;
		len -= n;
	}
	return hash;
}

static bool is_key(const struct wt_pairing_list *list, const struct key *key)
{
	return list->key_len == key->head_len + key->tail_len &&
	       !memcmp(list->key, key->head, key->head_len) &&
	       (!key->tail_len || !memcmp(list->key + key->head_len, key->tail, key->tail_len));
}

static uint32_t hash_of(const struct key *key)
{
	return (uint32_t)mix(mix(0, key->head, key->head_len), key->tail, key->tail_len);
}

static struct wt_pairing_list *find_list(const struct wt_pairing *pairing, const struct key *key)
{
	uint32_t hash = hash_of(key);
	struct wt_pairing_list *list = pairing->buckets ? pairing->buckets[hash & pairing->mask] : NULL;

	while (list && (list->hash != hash || !is_key(list, key)))
		list = list->next;
	return list;
}

static int grow_buckets(struct wt_pairing *pairing)
{
	uint32_t n = pairing->buckets ? (pairing->mask + 1) * 2 : 64;
	struct wt_pairing_list **buckets = calloc(n, sizeof(struct wt_pairing_list *));

	if (!buckets)
		return -1;
	for (uint32_t i = 0; pairing->buckets && i <= pairing->mask; i++) {
		struct wt_pairing_list *list = pairing->buckets[i], *next;

		for (; list; list = next) {
			next = list->next;
			list->next = buckets[list->hash & (n - 1)];
			buckets[list->hash & (n - 1)] = list;
		}
	}
	free(pairing->buckets);
	pairing->buckets = buckets;
	pairing->mask = n - 1;
	return 0;
}

static struct wt_pairing_list *need_list(struct wt_pairing *pairing, const struct key *key)
{
	struct wt_pairing_list *list = find_list(pairing, key);

	if (list)
		return list;
	if ((!pairing->buckets || (pairing->n_lists > pairing->mask && pairing->mask < UINT32_MAX / 4)) &&
	    grow_buckets(pairing))
		return NULL;
	list = malloc(sizeof(*list) + key->head_len + key->tail_len);
	if (!list)
		return NULL;
	list->hash = hash_of(key);
	list->top = NULL;
	list->doubtful = false;
	list->key_len = key->head_len + key->tail_len;
	memcpy(list->key, key->head, key->head_len);
	if (key->tail_len)
		memcpy(list->key + key->head_len, key->tail, key->tail_len);
	list->next = pairing->buckets[list->hash & pairing->mask];
	pairing->buckets[list->hash & pairing->mask] = list;
	pairing->n_lists++;
	return list;
}

static void drop_list(struct wt_pairing *pairing, struct wt_pairing_list *list)
{
	struct wt_pairing_list **at = &pairing->buckets[list->hash & pairing->mask];

	while (*at != list)
		at = &(*at)->next;
	*at = list->next;
	pairing->n_lists--;
	free(list);
}

/* ---- the keys of an event's lists ---- */

/* The keys by which the lists of one event are found; borrows from the event. */
struct keys {
	uint32_t match_head[3], thread_head[2], activity_head, shared_head[2];
	struct key keys[N_LISTS];
	bool has[N_LISTS];
};

static void make_keys(const struct wt_region_event *event, struct keys *ret)
{
	bool by_activity = event->owner == WT_OWNER_WORK && event->activity;

	*ret = (struct keys){
		.match_head = {(uint32_t)event->owner << 8 | (by_activity ? 1 : 0),
			       event->owner == WT_OWNER_CALL ? event->group : event->class,
			       event->side.thread},
		.thread_head = {1U << 30, event->side.thread},
		.activity_head = 1U << 31,
		.shared_head = {1U << 29, event->class},
	};
	/* The thread is not part of the key of regions by key. */
	ret->keys[LIST_MATCH] = (struct key){.head = ret->match_head, .head_len = sizeof(ret->match_head)};
	if (event->owner == WT_OWNER_KEY)
		ret->keys[LIST_MATCH].head_len -= (uint32_t)sizeof(*ret->match_head);
	if (by_activity)
		ret->keys[LIST_MATCH].tail = event->activity;
	if (event->owner == WT_OWNER_KEY)
		ret->keys[LIST_MATCH].tail = event->key;
	ret->keys[LIST_MATCH].tail_len = by_activity                    ? WT_ACTIVITY_ID
					 : event->owner == WT_OWNER_KEY ? (uint32_t)event->key_len
									: 0;
	ret->keys[LIST_THREAD] = (struct key){.head = ret->thread_head, .head_len = sizeof(ret->thread_head)};
	ret->keys[LIST_ACTIVITY] = (struct key){.head = &ret->activity_head,
						.head_len = sizeof(ret->activity_head),
						.tail = event->activity,
						.tail_len = WT_ACTIVITY_ID};
	ret->keys[LIST_SHARED] = (struct key){.head = ret->shared_head,
					      .head_len = sizeof(ret->shared_head),
					      .tail = event->activity,
					      .tail_len = WT_ACTIVITY_ID};
	ret->has[LIST_MATCH] = true;
	ret->has[LIST_THREAD] = event->owner != WT_OWNER_KEY;
	ret->has[LIST_ACTIVITY] = ret->has[LIST_SHARED] = by_activity;
}

static struct wt_pairing_open *top_of(const struct wt_pairing *pairing, const struct key *key)
{
	const struct wt_pairing_list *list = find_list(pairing, key);

	return list ? list->top : NULL;
}

/* ---- in and out of lists ---- */

static int enter(struct wt_pairing *pairing, struct wt_pairing_open *region, int which, const struct key *key)
{
	struct wt_pairing_list *list = need_list(pairing, key);

	if (!list)
		return -1;
	region->links[which].list = list;
	region->links[which].above = NULL;
	region->links[which].below = list->top;
	if (list->top)
		list->top->links[which].above = region;
	list->top = region;
	return 0;
}

static void leave(struct wt_pairing *pairing, struct wt_pairing_open *region, int which)
{
	struct wt_pairing_list *list = region->links[which].list;
	struct wt_pairing_open *above = region->links[which].above, *below = region->links[which].below;

	if (!list)
		return;
	region->links[which].list = NULL;
	if (above)
		above->links[which].below = below;
	else
		list->top = below;
	if (below)
		below->links[which].above = above;
	if (!list->top)
		drop_list(pairing, list);
}

static void enter_order(struct wt_pairing *pairing, struct wt_pairing_open *region)
{
	region->before = pairing->last;
	if (pairing->last)
		pairing->last->after = region;
	else
		pairing->first = region;
	pairing->last = region;
	if (++pairing->open > pairing->most)
		pairing->most = pairing->open;
}

static void leave_all(struct wt_pairing *pairing, struct wt_pairing_open *region)
{
	for (int i = 0; i < N_LISTS; i++)
		leave(pairing, region, i);
	if (region->before)
		region->before->after = region->after;
	else
		pairing->first = region->after;
	if (region->after)
		region->after->before = region->before;
	else
		pairing->last = region->before;
	pairing->open--;
}

/* ---- nesting ---- */

enum { MAX_LOOKED = 64 /**< regions of other activities on a thread that may be skipped */ };

/* The last open region on the thread that does not belong to another activity. */
static struct wt_pairing_open *around_on_thread(const struct wt_pairing *pairing,
						const struct wt_region_event *event, const struct keys *keys)
{
	struct wt_pairing_open *at = top_of(pairing, &keys->keys[LIST_THREAD]);

	if (!event->activity)
		return at;
	for (int i = 0; at && i < MAX_LOOKED; i++, at = at->links[LIST_THREAD].below)
		if (!at->has_activity || !memcmp(at->activity, event->activity, WT_ACTIVITY_ID))
			return at;
	return NULL;
}

/* The last open region of the activity. Regions of the same class on other threads are its neighbours. */
static struct wt_pairing_open *around_in_activity(const struct wt_pairing *pairing,
						  const struct wt_region_event *event,
						  const struct keys *keys)
{
	struct wt_pairing_open *at = top_of(pairing, &keys->keys[LIST_ACTIVITY]);

	for (int i = 0; at && i < MAX_LOOKED; i++, at = at->links[LIST_ACTIVITY].below)
		if (at->class != event->class)
			return at;
	return NULL;
}

static struct wt_pairing_open *find_around(const struct wt_pairing *pairing,
					   const struct wt_region_event *event, const struct keys *keys)
{
	struct wt_pairing_open *thread, *work;

	if (event->owner == WT_OWNER_KEY)
		return NULL;
	thread = around_on_thread(pairing, event, keys);
	if (!keys->has[LIST_ACTIVITY] || (thread && thread->has_activity))
		return thread;
	work = around_in_activity(pairing, event, keys);
	if (!thread || !work)
		return thread ? thread : work;
	return work->begin.time > thread->begin.time ? work : thread;
}

/* A region may be delivered before the regions inside it. It then waits for them and is in no list. */
static void let_go(struct wt_pairing_open *region)
{
	while (region && region->closed && !region->inside) {
		struct wt_pairing_open *around = region->around;

		free(region);
		if (around)
			around->inside--;
		region = around;
	}
}

static void begin_inside(struct wt_pairing_open *around, uint64_t time)
{
	around->inside++;
	if (!around->busy++)
		around->covered_from = time;
}

static void end_inside(struct wt_pairing_open *around, uint64_t time)
{
	if (!--around->busy && !around->closed && time > around->covered_from)
		around->covered += time - around->covered_from;
}

/* ---- giving out ---- */

static bool is_shared_in_doubt(const struct wt_pairing_open *open)
{
	const struct wt_pairing_list *list = open->links[LIST_SHARED].list;

	return list && list->doubtful;
}

static int give(struct wt_pairing *pairing, struct wt_pairing_open *open, const struct wt_region_side *end,
		uint64_t time, struct wt_err *err)
{
	uint64_t length = end && end->time > open->begin.time ? end->time - open->begin.time : 0;
	uint64_t covered = open->covered;
	struct wt_region region = {
		.class = open->class,
		.group = open->group,
		.name = open->name,
		.around = open->around ? open->around->name : WT_REGION_NONE,
		.around_class = open->around ? open->around->class : 0,
		.around_since = open->around ? open->around->begin.time : 0,
		.state = end ? WT_REGION_WHOLE : WT_REGION_UNFINISHED,
		.overlapping = open->overlapping || (end && open->busy) ||
			       (open->around && open->around->ended),
		.doubtful = open->doubtful || is_shared_in_doubt(open),
		.begin = open->begin,
		.until = time,
		.activity = open->has_activity ? open->activity : NULL,
		.payload = open->payload,
		.payload_len = open->payload_len,
	};

	if (end) {
		region.end = *end;
		region.crossed = open->links[LIST_SHARED].list && end->thread != open->begin.thread;
	}
	if (end && open->busy && end->time > open->covered_from)
		covered += end->time - open->covered_from;
	region.self = length > covered ? length - covered : 0;
	return pairing->fn(pairing->ctx, &region, err);
}

/* Ends a region at a time; end NULL: it has none. */
static int close_region(struct wt_pairing *pairing, struct wt_pairing_open *open,
			const struct wt_region_side *end, uint64_t time, struct wt_err *err)
{
	int failed = give(pairing, open, end, time, err);

	leave_all(pairing, open);
	if (open->around)
		end_inside(open->around, time);
	if (open->around && !end)
		open->around->overlapping = true;
	open->closed = true;
	open->ended = end != NULL;
	let_go(open);
	return failed;
}

/* ---- beginnings ---- */

static bool is_alone(enum wt_region_owner owner)
{
	return owner == WT_OWNER_CALL || owner == WT_OWNER_KEY;
}

static struct wt_pairing_open *make_open(const struct wt_region_event *event, const void *payload, size_t len)
{
	struct wt_pairing_open *open = calloc(1, sizeof(*open) + len);

	if (!open)
		return NULL;
	open->class = event->class;
	open->group = event->group;
	open->name = event->name;
	open->doubtful = event->doubtful;
	open->begin = event->side;
	open->has_activity = event->activity != NULL;
	if (event->activity)
		memcpy(open->activity, event->activity, WT_ACTIVITY_ID);
	open->payload_len = len;
	if (len)
		memcpy(open->payload, payload, len);
	return open;
}

int wt_pairing_begin(struct wt_pairing *pairing, const struct wt_region_event *event, const void *payload,
		     size_t len, struct wt_err *err)
{
	struct wt_pairing_open *open, *before;
	struct keys keys;

	make_keys(event, &keys);
	before = is_alone(event->owner) ? top_of(pairing, &keys.keys[LIST_MATCH]) : NULL;
	if (before && close_region(pairing, before, NULL, event->side.time, err))
		return -1;
	open = make_open(event, payload, len);
	if (!open)
		return wt_fail_nomem(err);
	open->around = find_around(pairing, event, &keys);
	if (open->around)
		begin_inside(open->around, event->side.time);
	enter_order(pairing, open);
	for (int i = 0; i < N_LISTS; i++)
		if (keys.has[i] && enter(pairing, open, i, &keys.keys[i]))
			return wt_fail_nomem(err);
	return 0;
}

/* ---- ends ---- */

static bool is_other_work(const struct wt_pairing_open *open, const struct wt_region_event *event)
{
	return open->has_activity && event->activity &&
	       memcmp(open->activity, event->activity, WT_ACTIVITY_ID);
}

static struct wt_pairing_open *find_loose(const struct wt_pairing *pairing,
					  const struct wt_region_event *event, const struct keys *keys)
{
	int which = keys->has[LIST_ACTIVITY] ? LIST_ACTIVITY : LIST_THREAD;
	struct wt_pairing_open *at = top_of(pairing, &keys->keys[which]);

	for (int i = 0; at && i < MAX_LOOKED; i++, at = at->links[which].below)
		if (at->group == event->group && !is_other_work(at, event))
			return at;
	return NULL;
}

/* One side has an activity and the other has none: the thread decides. */
static struct wt_pairing_open *find_on_thread(const struct wt_pairing *pairing,
					      const struct wt_region_event *event, const struct keys *keys)
{
	struct wt_pairing_open *at = top_of(pairing, &keys->keys[LIST_THREAD]);

	for (int i = 0; at && i < MAX_LOOKED; i++, at = at->links[LIST_THREAD].below)
		if (at->class == event->class && !is_other_work(at, event))
			return at;
	return NULL;
}

/* Finds the region for an end by another thread than the beginning's: the last one of its class in the
 * activity. */
static struct wt_pairing_open *find_shared(const struct wt_pairing *pairing, const struct keys *keys)
{
	return keys->has[LIST_SHARED] ? top_of(pairing, &keys->keys[LIST_SHARED]) : NULL;
}

static struct wt_pairing_open *find_open(const struct wt_pairing *pairing,
					 const struct wt_region_event *event)
{
	struct wt_pairing_open *open;
	struct keys keys;

	make_keys(event, &keys);
	open = event->loose ? find_loose(pairing, event, &keys) : top_of(pairing, &keys.keys[LIST_MATCH]);
	if (!open && !event->loose)
		open = find_shared(pairing, &keys);
	if (!open && !event->loose && event->owner == WT_OWNER_WORK)
		open = find_on_thread(pairing, event, &keys);
	if (open && event->or_name && open->name == *event->or_name)
		return open;
	/* This is the end of another call. The beginning of that call is missing, and so is the end of
	 * this one. */
	if (open && event->owner == WT_OWNER_CALL && open->name != event->name)
		return NULL;
	return open;
}

bool wt_pairing_closes(const struct wt_pairing *pairing, const struct wt_region_event *event, uint64_t before)
{
	const struct wt_pairing_open *open = find_open(pairing, event);

	return open && open->begin.time < before;
}

static int give_unbegun(struct wt_pairing *pairing, const struct wt_region_event *event, struct wt_err *err)
{
	struct wt_region region = {
		.class = event->class,
		.group = event->group,
		.name = event->name,
		.around = WT_REGION_NONE,
		.state = WT_REGION_UNBEGUN,
		.doubtful = event->doubtful,
		.end = event->side,
		.activity = event->activity,
	};

	return pairing->fn(pairing->ctx, &region, err);
}

/* This is an end by another thread, and it may belong to several regions: all of them are in doubt. An end
 * by another process may belong to none, because a child begins with its parent's activity. */
static void doubt_shared(struct wt_pairing_open *open, const struct wt_region_event *event)
{
	struct wt_pairing_list *list = open->links[LIST_SHARED].list;

	if (!list || open->begin.thread == event->side.thread)
		return;
	if (list->top->links[LIST_SHARED].below || open->begin.process != event->side.process)
		list->doubtful = true;
}

int wt_pairing_end(struct wt_pairing *pairing, const struct wt_region_event *event, struct wt_err *err)
{
	struct wt_pairing_open *open = find_open(pairing, event);

	if (!open)
		return give_unbegun(pairing, event, err);
	open->doubtful |= event->doubtful;
	doubt_shared(open, event);
	return close_region(pairing, open, &event->side, event->side.time, err);
}

int wt_pairing_finish(struct wt_pairing *pairing, struct wt_err *err)
{
	while (pairing->first)
		if (close_region(pairing, pairing->first, NULL, UINT64_MAX, err))
			return -1;
	return 0;
}

static int forget(void *ctx, const struct wt_region *region, struct wt_err *err)
{
	(void)ctx;
	(void)region;
	(void)err;
	return 0;
}

void wt_pairing_deinit(struct wt_pairing *pairing)
{
	pairing->fn = forget;
	wt_pairing_finish(pairing, NULL);
	free(pairing->buckets);
	*pairing = (struct wt_pairing){0};
}
