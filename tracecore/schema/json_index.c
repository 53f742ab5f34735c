// SPDX-License-Identifier: MIT
#include "tracecore/schema/json_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/cursor.h"
#include "tracecore/base/grow.h"

/* Deeper than any JSON parser here reads; deeper values are left out. */
#define DEPTH_MAX 40

struct wt_json_node {
	uint32_t line;
	uint32_t key, key_len; /* in the text; key_len 0: no member, or an empty key */
	uint32_t parent;
	uint32_t first, n; /* its children in wt_json_index.children */
};

struct build {
	struct wt_json_index *index;
	struct wt_cursor cur;
	uint32_t open[DEPTH_MAX]; /* the objects and arrays that contain the cursor */
	size_t depth;
	uint32_t line, key, key_len, key_line;
	bool has_key; /* the next value belongs to the key */
	bool failed;
};

static struct wt_json_node *next_node(struct wt_json_index *index)
{
	if (wt_grow(&index->nodes, &index->cap, index->n, 1, NULL))
		return NULL;
	return &index->nodes[index->n++];
}

static void add_value(struct build *build)
{
	uint32_t parent = build->depth && build->depth <= DEPTH_MAX ? build->open[build->depth - 1] : 0;
	struct wt_json_node *node;

	if (build->depth > DEPTH_MAX)
		return;
	node = next_node(build->index);
	if (!node) {
		build->failed = true;
		return;
	}
	*node = (struct wt_json_node){.line = build->line, .parent = parent};
	if (build->has_key) {
		node->line = build->key_line;
		node->key = build->key;
		node->key_len = build->key_len;
	}
	build->has_key = false;
}

static void open_value(struct build *build)
{
	add_value(build);
	if (build->depth < DEPTH_MAX && !build->failed)
		build->open[build->depth] = build->index->n - 1;
	build->depth++;
}

/* Called after the opening quote. A string that a colon follows is a key. */
static void take_string(struct build *build)
{
	uint32_t start = (uint32_t)wt_cur_offset(&build->cur), line = build->line, len;
	struct wt_cursor ahead;
	uint8_t c;

	while ((c = wt_cur_u8(&build->cur)) != '"' && !build->cur.bad) {
		if (c == '\\')
			c = wt_cur_u8(&build->cur);
		build->line += c == '\n';
	}
	len = (uint32_t)wt_cur_offset(&build->cur) - start - (build->cur.bad ? 0 : 1);
	ahead = build->cur;
	do {
		c = wt_cur_u8(&ahead);
	} while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	if (c != ':') {
		add_value(build);
		return;
	}
	build->has_key = true;
	build->key = start;
	build->key_len = len;
	build->key_line = line;
}

static bool ends_word(uint8_t c)
{
	return !c || strchr(" \t\r\n,]}[{\":", c);
}

static void take_token(struct build *build)
{
	uint8_t c = wt_cur_u8(&build->cur);

	switch (c) {
	case '\n':
		build->line++;
		break;
	case '{':
	case '[':
		open_value(build);
		break;
	case '}':
	case ']':
		build->depth -= build->depth > 0;
		break;
	case '"':
		take_string(build);
		break;
	case ' ':
	case '\t':
	case '\r':
	case ',':
	case ':':
		break;
	default:
		add_value(build);
		while (wt_cur_left(&build->cur) && !ends_word(*build->cur.pos))
			wt_cur_u8(&build->cur);
	}
}

/* Puts the children of each parent beside each other, in their order. Node 0 is the root and has no
 * parent. */
static int gather_children(struct wt_json_index *index)
{
	uint32_t at = 0;

	index->children = calloc(index->n + 1, sizeof(*index->children));
	if (!index->children)
		return -1;
	for (uint32_t i = 1; i < index->n; i++)
		index->nodes[index->nodes[i].parent].n++;
	for (uint32_t i = 0; i < index->n; i++) {
		index->nodes[i].first = at;
		at += index->nodes[i].n;
		index->nodes[i].n = 0;
	}
	for (uint32_t i = 1; i < index->n; i++) {
		struct wt_json_node *parent = &index->nodes[index->nodes[i].parent];

		index->children[parent->first + parent->n++] = i;
	}
	return 0;
}

int wt_json_index_init(struct wt_json_index *index, const char *text, size_t len)
{
	struct build build = {.index = index, .cur = wt_cursor(text, len), .line = 1};

	*index = (struct wt_json_index){.text = text};
	while (wt_cur_left(&build.cur) && !build.failed)
		take_token(&build);
	if (!build.failed && !gather_children(index))
		return 0;
	wt_json_index_deinit(index);
	return -1;
}

void wt_json_index_deinit(struct wt_json_index *index)
{
	free(index->nodes);
	free(index->children);
	*index = (struct wt_json_index){0};
}

static const struct wt_json_node *step_down(const struct wt_json_index *index,
					    const struct wt_json_node *from, const struct wt_json_step *step)
{
	const uint32_t *children = index->children + from->first;
	size_t len = step->key ? strlen(step->key) : 0;

	if (!step->key)
		return step->index < from->n ? &index->nodes[children[step->index]] : NULL;
	for (uint32_t i = 0; i < from->n; i++) {
		const struct wt_json_node *node = &index->nodes[children[i]];

		if (node->key_len == len && !memcmp(index->text + node->key, step->key, len))
			return node;
	}
	return NULL;
}

size_t wt_json_index_line(const struct wt_json_index *index, const struct wt_json_step *path, size_t n)
{
	const struct wt_json_node *node = index->nodes;

	if (!index->n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct wt_json_node *next = step_down(index, node, &path[i]);

		if (!next)
			break;
		node = next;
	}
	return node->line;
}
