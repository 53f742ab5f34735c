// SPDX-License-Identifier: MIT
#include "consumers/unwind/whole_walks.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/intern.h"

int wt_whole_walks_init(struct wt_whole_walks *walks)
{
	*walks = (struct wt_whole_walks){.list = calloc(WT_WHOLE_THREADS, sizeof(*walks->list))};
	return walks->list ? 0 : -1;
}

void wt_whole_walks_deinit(struct wt_whole_walks *walks)
{
	for (uint32_t i = 0; walks->list && i < WT_WHOLE_THREADS; i++)
		free(walks->list[i]);
	free(walks->list);
	*walks = (struct wt_whole_walks){0};
}

static struct wt_whole_walk **place_of(const struct wt_whole_walks *walks, const struct wt_unwind_task *task)
{
	return &walks->list[wt_hash2(task->pid, task->tid) % WT_WHOLE_THREADS];
}

/* With some room to grow: the next walk of the thread is seldom much deeper. */
static size_t bytes_for(uint32_t n)
{
	uint32_t rounded = (n + 15) / 16 * 16;

	return sizeof(struct wt_whole_walk) + (size_t)rounded * 3 * sizeof(uint64_t);
}

static void drop(struct wt_whole_walks *walks, struct wt_whole_walk **at)
{
	if (*at)
		walks->bytes -= bytes_for((*at)->n);
	free(*at);
	*at = NULL;
}

static void make_room(struct wt_whole_walks *walks, size_t bytes)
{
	for (uint32_t i = 0; walks->bytes + bytes > WT_WHOLE_BYTES && i < WT_WHOLE_THREADS; i++)
		drop(walks, &walks->list[walks->hand++ % WT_WHOLE_THREADS]);
}

/* Room for n frames at *at; NULL: memory. */
static struct wt_whole_walk *renew(struct wt_whole_walks *walks, struct wt_whole_walk **at, uint32_t n)
{
	size_t bytes = bytes_for(n);

	if (*at && bytes_for((*at)->n) == bytes)
		return *at;
	drop(walks, at);
	make_room(walks, bytes);
	*at = malloc(bytes);
	if (*at)
		walks->bytes += bytes;
	return *at;
}

void wt_whole_walks_keep(struct wt_whole_walks *walks, const struct wt_unwind_task *task,
			 const struct wt_words_state *state, const struct wt_walk_frames *frames)
{
	uint32_t n = frames->result.n;
	struct wt_whole_walk *walk = renew(walks, place_of(walks, task), n);

	if (!walk)
		return;
	walk->pid = task->pid;
	walk->tid = task->tid;
	walk->start_time = task->start_time;
	walk->time = task->time;
	walk->state = *state;
	walk->n = n;
	memcpy(walk->exact, frames->result.exact, (n + 63) / 64 * sizeof(walk->exact[0]));
	memcpy(walk->words, frames->pc, n * sizeof(uint64_t));
	memcpy(walk->words + n, frames->sp, n * sizeof(uint64_t));
	memcpy(walk->words + 2 * (size_t)n, frames->word, n * sizeof(uint64_t));
}

const struct wt_whole_walk *wt_whole_walks_find(const struct wt_whole_walks *walks,
						const struct wt_unwind_task *task)
{
	const struct wt_whole_walk *walk = *place_of(walks, task);

	return walk && walk->pid == task->pid && walk->tid == task->tid &&
			       walk->start_time == task->start_time
		       ? walk
		       : NULL;
}

static bool bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static void put_bit(uint64_t *bits, uint32_t i, bool on)
{
	bits[i / 64] = (bits[i / 64] & ~(UINT64_C(1) << (i % 64))) | (uint64_t)on << (i % 64);
}

/* A frame of the whole walk with that stack pointer that returns to that address; n: none. */
static uint32_t meet(const struct wt_whole_walk *whole, uint64_t sp, uint64_t pc)
{
	uint32_t i = 0;

	while (i < whole->n &&
	       (whole->words[whole->n + i] != sp || whole->words[i] != pc || bit(whole->exact, i)))
		i++;
	return i;
}

bool wt_whole_walk_splice(const struct wt_whole_walk *whole, struct wt_walk_frames *frames)
{
	struct wt_walk_result *result = &frames->result;
	uint32_t last = result->n - 1, at;

	/* The interrupted frame has nothing on the stack that could meet. */
	if (!result->n || wt_walk_is_exact(result, last))
		return false;
	at = meet(whole, frames->sp[last], frames->pc[last]);
	if (at == whole->n)
		return false;
	for (uint32_t i = at + 1; i < whole->n && result->n < WT_WALK_MAX; i++) {
		frames->pc[result->n] = whole->words[i];
		frames->sp[result->n] = whole->words[whole->n + i];
		frames->word[result->n] = 0;
		put_bit(result->exact, result->n++, bit(whole->exact, i));
	}
	result->status = WT_WALK_COMPLETED;
	return true;
}
