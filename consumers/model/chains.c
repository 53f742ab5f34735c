/* SPDX-License-Identifier: MIT */
#include "consumers/model/chains.h"

#include <stdlib.h>

/* The row of a chain. Its text is the ring's bytes from `at` on, continued by the chain `next`. Zeroed:
 * none, because stacks count from 1. */
struct wt_chain {
	uint64_t at;
	uint32_t segment, stack;
	uint32_t len;
	uint32_t next; /* 0: nothing follows */
	uint16_t frames;
	uint16_t met; /* times other stacks went on with it, up to OFTEN */
};

enum {
	LONGEST = WT_CHAINS_BYTES / 16, /* longer texts are not kept: they would push out too much */
	OFTEN = 3,                      /* from this number on a chain's text is kept in one piece */
};

/* A stack in progress: its chains from the second frame on, with one mark for each that was looked for. */
struct putting {
	struct wt_chains *chains;
	struct wt_buf *out;
	uint32_t segment, stack;
	uint32_t frames; /* put so far */
	uint32_t n;      /* marks */
	uint32_t fresh;  /* the first of the marks behind which all text was newly made */
	uint32_t often;  /* the first mark of a chain met OFTEN times; UINT32_MAX: none */
};

static int make_room(struct wt_chains *chains, struct wt_err *err)
{
	if (chains->marks)
		return 0;
	chains->rows = calloc(WT_CHAINS_ROWS, sizeof(*chains->rows));
	chains->bytes = malloc(WT_CHAINS_BYTES);
	chains->marks = malloc(WT_MAX_FRAMES * sizeof(*chains->marks));
	if (chains->rows && chains->bytes && chains->marks)
		return 0;
	wt_chains_deinit(chains);
	return wt_fail_nomem(err);
}

void wt_chains_deinit(struct wt_chains *chains)
{
	free(chains->rows);
	free(chains->bytes);
	free(chains->marks);
	*chains = (struct wt_chains){0};
}

/* Ids are in the order in which stacks came up, and neighbours are used together. */
static struct wt_chain *row_of(struct wt_chains *chains, uint32_t segment, uint32_t stack)
{
	return &chains->rows[(stack + segment * UINT32_C(0x9e3779b9)) % WT_CHAINS_ROWS];
}

/* Returns the chain's row when its text still exists, also after one more text is kept; otherwise NULL. */
static struct wt_chain *find(struct wt_chains *chains, uint32_t segment, uint32_t stack)
{
	struct wt_chain *row = row_of(chains, segment, stack);

	return row->stack == stack && row->segment == segment &&
			       chains->written - row->at <= WT_CHAINS_BYTES - 2 * LONGEST
		       ? row
		       : NULL;
}

static void mark(struct putting *put)
{
	put->chains->marks[put->n++] = (struct wt_chain_mark){
		.stack = put->stack, .frames = put->frames, .at = put->out->len};
}

/* Keeps the chains of the marks from `first` on: each goes on to the end of the output, then with the stack.
 */
static void keep(struct putting *put, uint32_t first)
{
	struct wt_chains *chains = put->chains;
	const struct wt_chain_mark *marks = chains->marks;
	size_t from = first < put->n ? marks[first].at : 0, len = put->out->len - from;
	uint64_t left = WT_CHAINS_BYTES - chains->written % WT_CHAINS_BYTES;

	if (first >= put->n || len > LONGEST || put->out->failed)
		return;
	if (len > left)
		chains->written += left;
	memcpy(chains->bytes + chains->written % WT_CHAINS_BYTES, put->out->data + from, len);
	for (uint32_t i = first; i < put->n; i++)
		*row_of(chains, put->segment, marks[i].stack) = (struct wt_chain){
			.at = chains->written + (marks[i].at - from),
			.segment = put->segment,
			.stack = marks[i].stack,
			.len = (uint32_t)(put->out->len - marks[i].at),
			.next = put->stack,
			.frames = (uint16_t)(put->frames - marks[i].frames),
		};
	chains->written += len;
}

static void put_kept(struct putting *put, struct wt_chain *row)
{
	struct wt_chain chain;

	if (row->met < OFTEN && ++row->met == OFTEN && row->next && put->often == UINT32_MAX)
		put->often = put->n;
	chain = *row;
	keep(put, put->fresh);
	mark(put);
	put->fresh = put->n;
	wt_buf_put(put->out, put->chains->bytes + chain.at % WT_CHAINS_BYTES, chain.len);
	put->frames += chain.frames;
	put->stack = chain.next;
}

void wt_chains_expect(const struct wt_log_batch *batch, uint32_t i)
{
	const struct wt_log_segment *tables = batch->segment;
	uint32_t later = i + 8 < batch->n ? batch->stack[i + 8] : 0;
	uint32_t soon = i + 4 < batch->n ? batch->stack[i + 4] : 0;

	if (later && later <= tables->n_stacks)
		__builtin_prefetch(&tables->stacks[later - 1]);
	if (!soon || soon > tables->n_stacks || tables->stacks[soon - 1].frame >= tables->n_frames)
		return;
	__builtin_prefetch(&tables->frames[tables->stacks[soon - 1].frame]);
	__builtin_prefetch(wt_frame_log_symbol(tables, tables->stacks[soon - 1].frame));
}

int wt_chains_put(struct wt_chains *chains, const struct wt_view_file *file, struct wt_view_segment *segment,
		  uint32_t stack, wt_chains_words *words, void *ctx, struct wt_buf *out, struct wt_err *err)
{
	const struct wt_log_segment *tables = segment->tables;
	struct putting put = {.chains = chains,
			      .out = out,
			      .segment = (uint32_t)(segment - file->segments),
			      .frames = 1,
			      .often = UINT32_MAX};

	if (!stack || stack > tables->n_stacks)
		return 0;
	if (make_room(chains, err))
		return -1;
	words(ctx, segment, stack, true, out);
	put.stack = tables->stacks[stack - 1].caller;
	while (put.stack && put.stack <= tables->n_stacks && put.frames < WT_MAX_FRAMES) {
		struct wt_chain *chain = find(chains, put.segment, put.stack);

		if (chain && put.frames + chain->frames <= WT_MAX_FRAMES) {
			put_kept(&put, chain);
			continue;
		}
		mark(&put);
		words(ctx, segment, put.stack, false, out);
		put.stack = tables->stacks[put.stack - 1].caller;
		put.frames++;
	}
	keep(&put, put.fresh);
	keep(&put, put.often);
	return 0;
}
