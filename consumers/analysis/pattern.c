/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/pattern_tree.h"

/* Repeating what is empty makes no steps, but takes time: so much is tried. */
#define MOST_TRIES (64 * WT_PATTERN_MOST)

struct step {
	enum {
		STEP_BYTE,  /* one of the set, then the next step */
		STEP_PLACE, /* only here, then the next step */
		STEP_SPLIT, /* x and y */
		STEP_FOUND,
	} what;
	enum wt_pattern_place place;
	uint32_t x, y;
	struct wt_pattern_set set;
};

/* Steps in the order they were added, each at most once. */
struct list {
	uint32_t n;
	uint32_t steps[WT_PATTERN_MOST];
};

struct wt_pattern {
	struct step steps[WT_PATTERN_MOST];
	uint32_t n;
	struct wt_pattern_set first; /* a match that is not empty begins with one of them */
	bool may_be_empty;           /* one may be */
	/* of a search */
	const uint8_t *text;
	size_t len;
	struct list lists[2];
	uint64_t mark, marks[WT_PATTERN_MOST];
	uint32_t waiting[WT_PATTERN_MOST + 1];
};

/* ---- from the tree ---- */

struct maker {
	struct wt_pattern *pattern;
	const struct wt_pattern_tree *tree;
	uint32_t tries;
	bool too_large;
};

static struct step *new_step(struct maker *maker, int what)
{
	static struct step nowhere;

	if (maker->pattern->n == WT_PATTERN_MOST) {
		maker->too_large = true;
		return &nowhere;
	}
	maker->pattern->steps[maker->pattern->n] = (struct step){.what = what};
	return &maker->pattern->steps[maker->pattern->n++];
}

static void make(struct maker *maker, uint32_t at);

static void make_either(struct maker *maker, const struct wt_pattern_node *node)
{
	struct step *split = new_step(maker, STEP_SPLIT), *over;

	split->x = maker->pattern->n;
	make(maker, node->left);
	over = new_step(maker, STEP_SPLIT);
	split->y = maker->pattern->n;
	make(maker, node->right);
	over->x = over->y = maker->pattern->n;
}

static void make_loop(struct maker *maker, uint32_t body)
{
	uint32_t begin = maker->pattern->n;
	struct step *split = new_step(maker, STEP_SPLIT), *back;

	split->x = maker->pattern->n;
	make(maker, body);
	back = new_step(maker, STEP_SPLIT);
	back->x = back->y = begin;
	split->y = maker->pattern->n;
}

/* Counts are written out: what must be, then what may be, each with a way to the end. */
static void make_repeat(struct maker *maker, const struct wt_pattern_node *node)
{
	const uint32_t none = WT_PATTERN_MOST;
	struct wt_pattern *pattern = maker->pattern;
	uint32_t skip = none, before;

	for (int i = 0; i < node->min && !maker->too_large; i++)
		make(maker, node->left);
	if (node->max < 0)
		make_loop(maker, node->left);
	for (int i = node->min; i < node->max && !maker->too_large; i++) {
		struct step *split = new_step(maker, STEP_SPLIT);

		/* Until the end is known each leads to the one before it. */
		split->x = pattern->n;
		split->y = skip;
		if (!maker->too_large)
			skip = pattern->n - 1;
		make(maker, node->left);
	}
	for (; skip != none; skip = before) {
		before = pattern->steps[skip].y;
		pattern->steps[skip].y = pattern->n;
	}
}

static void make(struct maker *maker, uint32_t at)
{
	const struct wt_pattern_node *node = &maker->tree->nodes[at];

	maker->too_large |= ++maker->tries > MOST_TRIES;
	if (maker->too_large)
		return;
	switch (node->kind) {
	case WT_PATTERN_EMPTY:
		break;
	case WT_PATTERN_SET:
		new_step(maker, STEP_BYTE)->set = node->set;
		break;
	case WT_PATTERN_PLACE:
		new_step(maker, STEP_PLACE)->place = node->place;
		break;
	case WT_PATTERN_BOTH:
		make(maker, node->left);
		make(maker, node->right);
		break;
	case WT_PATTERN_EITHER:
		make_either(maker, node);
		break;
	case WT_PATTERN_REPEAT:
		make_repeat(maker, node);
		break;
	}
}

/* ---- search ---- */

static bool holds(const struct wt_pattern *pattern, enum wt_pattern_place place, size_t at)
{
	bool before = at && wt_pattern_is_word(pattern->text[at - 1]);
	bool behind = at < pattern->len && wt_pattern_is_word(pattern->text[at]);

	switch (place) {
	case WT_PLACE_BEGIN:
		return !at;
	case WT_PLACE_END:
		return at == pattern->len;
	case WT_PLACE_WORD_BEGIN:
		return !before && behind;
	case WT_PLACE_WORD_END:
		return before && !behind;
	case WT_PLACE_WORD_EDGE:
		return before != behind;
	default:
		return before == behind;
	}
}

/* Adds what can be reached from `from` without a byte; anywhere: also over places that are not here. True: a
 * match. */
static bool reach(struct wt_pattern *pattern, struct list *list, uint32_t from, size_t at, bool anywhere)
{
	uint32_t n = 0;

	pattern->waiting[n++] = from;
	while (n) {
		uint32_t number = pattern->waiting[--n];
		const struct step *step = &pattern->steps[number];

		if (pattern->marks[number] == pattern->mark)
			continue;
		pattern->marks[number] = pattern->mark;
		if (step->what == STEP_FOUND)
			return true;
		if (step->what == STEP_BYTE)
			list->steps[list->n++] = number;
		else if (step->what == STEP_PLACE && (anywhere || holds(pattern, step->place, at)))
			pattern->waiting[n++] = number + 1;
		else if (step->what == STEP_SPLIT) {
			pattern->waiting[n++] = step->x;
			if (pattern->marks[step->y] != pattern->mark)
				pattern->waiting[n++] = step->y;
		}
	}
	return false;
}

/* One byte further. True: a match. */
static bool go(struct wt_pattern *pattern, const struct list *now, struct list *next, size_t at)
{
	next->n = 0;
	pattern->mark++;
	for (uint32_t i = 0; i < now->n; i++)
		if (wt_pattern_has(&pattern->steps[now->steps[i]].set, pattern->text[at]) &&
		    reach(pattern, next, now->steps[i] + 1, at + 1, false))
			return true;
	return false;
}

bool wt_pattern_find(struct wt_pattern *pattern, const char *text, size_t len)
{
	struct list *now = &pattern->lists[0], *next = &pattern->lists[1], *swap;

	pattern->text = (const uint8_t *)text;
	pattern->len = len;
	pattern->mark++;
	now->n = 0;
	for (size_t at = 0;; at++) {
		bool begins = pattern->may_be_empty ||
			      (at < len && wt_pattern_has(&pattern->first, pattern->text[at]));

		if (begins && reach(pattern, now, 0, at, false))
			return true;
		if (at == len)
			return false;
		if (go(pattern, now, next, at))
			return true;
		swap = now;
		now = next;
		next = swap;
	}
}

/* ---- both ends ---- */

static void find_first(struct wt_pattern *pattern)
{
	struct list *list = &pattern->lists[0];

	pattern->mark = 1;
	list->n = 0;
	pattern->may_be_empty = reach(pattern, list, 0, 0, true);
	for (uint32_t i = 0; i < list->n; i++)
		for (int w = 0; w < 4; w++)
			pattern->first.bits[w] |= pattern->steps[list->steps[i]].set.bits[w];
}

int wt_pattern_compile(const char *text, struct wt_pattern **ret, struct wt_err *err)
{
	struct maker maker = {.pattern = calloc(1, sizeof(struct wt_pattern))};
	struct wt_pattern_tree tree = {0};
	int rc;

	*ret = NULL;
	if (!maker.pattern)
		return wt_fail_nomem(err);
	maker.tree = &tree;
	/* Longer than any that fits; and what is made of it is as deep as the text is long. */
	maker.too_large = strlen(text) > 8 * WT_PATTERN_MOST;
	rc = maker.too_large ? 0 : wt_pattern_parse(text, &tree, err);
	if (!rc && !maker.too_large) {
		make(&maker, tree.root);
		new_step(&maker, STEP_FOUND);
	}
	free(tree.nodes);
	if (!rc && maker.too_large)
		rc = wt_fail(err, WT_ERR_USAGE,
			     "regular expression '%.100s': more than %d steps with its counts written out; "
			     "use smaller ones, or * and +, or several expressions joined by ||",
			     text, WT_PATTERN_MOST);
	if (rc) {
		free(maker.pattern);
		return -1;
	}
	find_first(maker.pattern);
	*ret = maker.pattern;
	return 0;
}

void wt_pattern_destroy(struct wt_pattern *pattern)
{
	free(pattern);
}
