/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/column.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"
#include "consumers/analysis/quantile.h"
#include "consumers/analysis/range.h"

static const char *const plain_words[] = {
	"count",       "overhead",  "exclusive", "inclusive", "overhead-inclusive", "weight",
	"first",       "last",      "sum:FIELD", "min:FIELD", "max:FIELD",          "avg:FIELD",
	"FIELD/FIELD", "p50:FIELD", "p99:FIELD", "unique:KEY"};

/* Of regions, and of waits. */
static const struct {
	const char *word, *means;
	bool waits;
} short_words[] = {
	{"p50", "p50:duration", false},   {"p99", "p99:duration", false},   {"min", "min:duration", false},
	{"max", "max:duration", false},   {"avg", "avg:duration", false},   {"total", "sum:duration", false},
	{"self", "sum:self_time", false}, {"life", "sum:life", true},       {"running", "sum:running", true},
	{"ready", "sum:ready", true},     {"blocked", "sum:blocked", true}, {"unknown", "sum:unknown", true},
	{"waits", "sum:waits", true},     {"longest", "max:waited", true},
};

static const char *short_word(const char *word, bool *waits)
{
	for (size_t i = 0; i < sizeof(short_words) / sizeof(*short_words); i++)
		if (!strcmp(short_words[i].word, word)) {
			*waits = short_words[i].waits;
			return short_words[i].means;
		}
	return NULL;
}

#define N_WORDS (sizeof(plain_words) / sizeof(*plain_words))

static int find_field(struct wt_view_file *file, const char *word, struct wt_view_column *column,
		      struct wt_err *err)
{
	if (wt_view_field_find(file, word, "field", NULL, 0, &column->field, err))
		return -1;
	column->real = column->field.forms & WT_FIELD_REAL;
	if (column->field.forms & (WT_FIELD_INTEGER | WT_FIELD_REAL | WT_FIELD_NAMED))
		return 0;
	return wt_fail(err, WT_ERR_USAGE, "column '%.80s': the field is not a number", column->word);
}

static int init_part(struct wt_view_file *file, const char *part, struct wt_view_column *column,
		     struct wt_err *err)
{
	if (column->what == WT_COLUMN_WEIGHT)
		return find_field(file, "period", column, err);
	if (column->what < WT_COLUMN_SUM)
		return 0;
	if (column->what < WT_COLUMN_UNIQUE)
		return find_field(file, part, column, err);
	if (wt_view_key_init(file, part, WT_FACE_GROUP, &column->key, err))
		return -1;
	if (column->key.what == WT_KEY_STACK)
		return wt_fail(err, WT_ERR_USAGE,
			       "column 'unique:stack': use unique:function or unique:address");
	return 0;
}

int wt_view_column_retitle(struct wt_view_column *column, const char *word, struct wt_err *err)
{
	char *title = strdup(word);

	if (!title) {
		wt_view_column_deinit(column);
		return wt_fail_nomem(err);
	}
	free(column->word);
	column->word = title;
	return 0;
}

/* The title stays as the user typed it. */
static int init_short(struct wt_view_file *file, const char *word, const char *means, bool waits,
		      struct wt_view_column *ret, struct wt_err *err)
{
	const char *rows = waits ? "waits" : "regions";

	if (wt_view_column_init_plain(file, means, ret, err))
		return err->code == WT_ERR_USAGE ? wt_fail(err, WT_ERR_USAGE,
							   "column '%s' belongs to %s: use --%s, "
							   "or %.3s:FIELD for events",
							   word, rows, rows, means)
						 : -1;
	if (!strcmp(word, "longest") && wt_view_field_find(file, "open", "field", NULL, 0, &ret->open, err)) {
		wt_view_column_deinit(ret);
		return -1;
	}
	return wt_view_column_retitle(ret, word, err);
}

int wt_view_column_init_plain(struct wt_view_file *file, const char *word, struct wt_view_column *ret,
			      struct wt_err *err)
{
	bool waits = false;
	const char *means = short_word(word, &waits);
	const char *colon = strchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) + 1 : strlen(word), i;

	*ret = (struct wt_view_column){0};
	if (means)
		return init_short(file, word, means, waits, ret, err);
	for (i = 0; i < N_WORDS; i++)
		if (!strncmp(plain_words[i], word, len) && (colon || !plain_words[i][len]))
			break;
	if (i == N_WORDS)
		return wt_fail_unknown(err, "column", word, plain_words, N_WORDS);
	ret->what = (enum wt_view_column_what)i;
	ret->word = strdup(word);
	if (!ret->word)
		return wt_fail_nomem(err);
	if (init_part(file, word + len, ret, err)) {
		wt_view_column_deinit(ret);
		return -1;
	}
	return 0;
}

void wt_view_column_deinit(struct wt_view_column *column)
{
	if (column->over)
		wt_view_column_deinit(column->over);
	free(column->over);
	free(column->word);
	wt_view_field_deinit(&column->field);
	wt_view_field_deinit(&column->open);
	wt_view_key_deinit(&column->key);
	free(column->accs);
	free(column->results);
	free(column->ranges);
	wt_intern_deinit(&column->pairs);
	free(column->pair_counts);
	wt_view_pairs_deinit(&column->rest);
	free(column->absent);
	free(column->order);
	free(column->ids);
	*column = (struct wt_view_column){0};
}

/* ---- adding ---- */

/* Makes a list by node longer; new entries are zero. */
static void *lengthen(void *list, uint32_t from, uint64_t to, size_t size)
{
	char *grown = realloc(list, to * size);

	if (grown)
		memset(grown + from * size, 0, (to - from) * size);
	return grown;
}

static bool is_quantile(const struct wt_view_column *column)
{
	return column->what == WT_COLUMN_P50 || column->what == WT_COLUMN_P99;
}

static int room_for_ranges(struct wt_view_column *column, uint64_t cap)
{
	struct wt_view_range *ranges;

	if (!is_quantile(column))
		return 0;
	ranges = realloc(column->ranges, cap * sizeof(*ranges));
	if (!ranges)
		return -1;
	column->ranges = ranges;
	wt_view_range_init(column, column->n_accs, (uint32_t)cap);
	return 0;
}

int wt_view_column_room(struct wt_view_column *column, uint32_t n, struct wt_err *err)
{
	uint64_t cap = (uint64_t)n + n / 8 + 64;
	void *grown;

	if (n <= column->n_accs)
		return 0;
	if (cap > UINT32_MAX)
		cap = UINT32_MAX;
	if (column->what < WT_COLUMN_P50) {
		grown = lengthen(column->accs, column->n_accs, cap, sizeof(*column->accs));
		column->accs = grown ? grown : column->accs;
	} else {
		grown = lengthen(column->results, column->n_accs, cap, sizeof(*column->results));
		column->results = grown ? grown : column->results;
	}
	if (!grown || room_for_ranges(column, cap))
		return wt_fail_nomem(err);
	column->n_accs = (uint32_t)cap;
	return 0;
}

/* Adds b to a by the column's rule for adding: used for values at first, later for whole rows. */
static void join(enum wt_view_column_what what, struct wt_view_acc *a, const struct wt_view_acc *b)
{
	if (!b->n)
		return;
	switch (what) {
	case WT_COLUMN_MIN:
	case WT_COLUMN_FIRST:
		a->i = !a->n || b->i < a->i ? b->i : a->i;
		a->f = !a->n || b->f < a->f ? b->f : a->f;
		break;
	case WT_COLUMN_MAX:
	case WT_COLUMN_LAST:
		a->i = !a->n || b->i > a->i ? b->i : a->i;
		a->f = !a->n || b->f > a->f ? b->f : a->f;
		break;
	default:
		a->i += b->i;
		a->f += b->f;
	}
	a->n += b->n;
}

/* Adds one (node, value); count of P50 and P99. */
static int put_pair(struct wt_view_column *column, uint32_t node, uint64_t b, uint64_t count,
		    struct wt_err *err)
{
	bool fresh;
	uint32_t at = wt_intern(&column->pairs, node, b, &fresh);

	if (at == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	if (column->what == WT_COLUMN_UNIQUE) {
		column->results[node] += fresh;
		return 0;
	}
	if (wt_grow(&column->pair_counts, &column->pair_cap, at, 1, err))
		return -1;
	column->pair_counts[at] = fresh ? count : column->pair_counts[at] + count;
	return 0;
}

static int add_pair(struct wt_view_column *column, uint32_t node, uint64_t b, uint64_t count,
		    struct wt_err *err)
{
	if (column->deferred)
		return 0;
	if (put_pair(column, node, b, count, err))
		return -1;
	if (column->most_pairs && column->pairs.count > column->most_pairs)
		wt_view_column_defer(column);
	return 0;
}

static struct wt_view_acc acc_of(const struct wt_view_column *column, enum wt_type type, uint64_t bits)
{
	struct wt_view_acc acc = {.n = 1};

	if (type == WT_TYPE_F32 || type == WT_TYPE_F64)
		memcpy(&acc.f, &bits, sizeof(acc.f));
	else if (wt_type_is_signed(type))
		acc.i = (int64_t)bits;
	else
		acc.i = (__int128)bits;
	if (column->real && type != WT_TYPE_F32 && type != WT_TYPE_F64)
		acc.f = (double)acc.i;
	return acc;
}

uint64_t wt_view_column_bucket(const struct wt_view_column *column, enum wt_type type, uint64_t bits)
{
	struct wt_view_acc acc = acc_of(column, type, bits);

	return wt_quantile_bucket(column->real ? acc.f : (double)acc.i);
}

void wt_view_column_range(struct wt_view_column *column, uint32_t node, enum wt_type type, uint64_t bits)
{
	struct wt_view_acc acc = acc_of(column, type, bits);

	wt_view_range_take(column, node,
			   column->real ? (union wt_view_bound){.f = acc.f}
					: (union wt_view_bound){.i = acc.i});
}

static int add_values(struct wt_view_column *column, const struct wt_log_batch *batch, const uint32_t *nodes,
		      struct wt_err *err)
{
	int at = wt_view_field_column(&column->field, batch);
	const struct wt_log_column *values = at < 0 ? NULL : &batch->columns[at];
	int open = column->open.name ? wt_view_field_column(&column->open, batch) : -1;
	const bool quantile = is_quantile(column);
	const uint64_t *sources = NULL;
	uint64_t source = 0;

	if (!values || !values->values ||
	    (column->source && !wt_view_column_sources(column, batch, &sources, &source)))
		return 0;
	for (uint32_t i = 0; i < batch->n; i++) {
		enum wt_type type = values->field->type;
		struct wt_view_acc acc;

		if (nodes[i] == WT_VIEW_NONE || (sources && sources[i] != source))
			continue;
		if (quantile) {
			wt_view_column_range(column, nodes[i], type, values->values[i]);
			if (add_pair(column, nodes[i], wt_view_column_bucket(column, type, values->values[i]),
				     1, err))
				return -1;
			continue;
		}
		acc = acc_of(column, type, values->values[i]);
		if (column->open.name)
			acc.i = 2 * acc.i + (open >= 0 && batch->columns[open].values[i]);
		join(column->what, &column->accs[nodes[i]], &acc);
	}
	return 0;
}

static void add_times(const struct wt_view_file *file, struct wt_view_column *column,
		      const struct wt_log_batch *batch, const uint32_t *nodes)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_view_acc acc = {.i = (int64_t)(batch->time[i] - file->origin), .n = 1};

		if (nodes[i] != WT_VIEW_NONE)
			join(column->what, &column->accs[nodes[i]], &acc);
	}
}

int wt_view_column_ids(struct wt_view_file *file, struct wt_view_column *column,
		       struct wt_view_segment *segment, const struct wt_log_batch *batch, struct wt_err *err)
{
	if (wt_grow(&column->ids, &column->ids_n, 0, batch->n, err))
		return -1;
	return wt_view_key_fill(file, &column->key, segment, batch, column->ids, err);
}

static int add_keys(struct wt_view_file *file, struct wt_view_column *column, struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, const uint32_t *nodes, struct wt_err *err)
{
	if (wt_view_column_ids(file, column, segment, batch, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		if (nodes[i] != WT_VIEW_NONE && add_pair(column, nodes[i], column->ids[i], 1, err))
			return -1;
	return 0;
}

int wt_view_column_add(struct wt_view_file *file, struct wt_view_column *column,
		       struct wt_view_segment *segment, const struct wt_log_batch *batch,
		       const uint32_t *nodes, uint32_t n_nodes, struct wt_err *err)
{
	if (column->what < WT_COLUMN_WEIGHT || column->deferred)
		return 0;
	if (wt_view_column_room(column, n_nodes, err) ||
	    (column->over && wt_view_column_add(file, column->over, segment, batch, nodes, n_nodes, err)))
		return -1;
	if (column->what == WT_COLUMN_UNIQUE)
		return add_keys(file, column, segment, batch, nodes, err);
	if (column->what != WT_COLUMN_FIRST && column->what != WT_COLUMN_LAST)
		return add_values(column, batch, nodes, err);
	add_times(file, column, batch, nodes);
	return 0;
}

/* ---- rows made anew ---- */

static int move_pairs(struct wt_view_column *column, const struct wt_view_column *old, const uint32_t *where,
		      struct wt_err *err)
{
	for (uint32_t i = 0; i < old->pairs.count; i++) {
		const struct wt_key *pair = &old->pairs.keys[i];
		uint64_t count = old->pair_counts ? old->pair_counts[i] : 1;

		if (add_pair(column, where[pair->a], pair->b, count, err))
			return -1;
	}
	return 0;
}

int wt_view_column_move(struct wt_view_column *column, const uint32_t *where, uint32_t n_old, uint32_t n_new,
			struct wt_err *err)
{
	struct wt_view_column old = *column;
	int failed;

	if (column->what < WT_COLUMN_WEIGHT)
		return 0;
	if (column->over && wt_view_column_move(column->over, where, n_old, n_new, err))
		return -1;
	column->accs = NULL;
	column->results = NULL;
	column->ranges = NULL;
	column->n_accs = 0;
	column->pairs = (struct wt_intern){0};
	column->pair_counts = NULL;
	column->pair_cap = 0;
	failed = wt_view_column_room(column, n_new, err);
	if (!failed && column->what >= WT_COLUMN_P50)
		failed = move_pairs(column, &old, where, err);
	for (uint32_t i = 0; !failed && column->what < WT_COLUMN_P50 && i < n_old && i < old.n_accs; i++)
		if (old.accs[i].n)
			join(column->what, &column->accs[where[i]], &old.accs[i]);
	for (uint32_t i = 0; !failed && old.ranges && i < n_old && i < old.n_accs; i++)
		if (wt_view_range_any(column, &old.ranges[i]))
			wt_view_range_join(column, where[i], &old.ranges[i]);
	free(old.accs);
	free(old.results);
	free(old.ranges);
	wt_intern_deinit(&old.pairs);
	free(old.pair_counts);
	return failed;
}

/* ---- columns of several threads ---- */

int wt_view_column_merge(struct wt_view_column *column, const struct wt_view_column *from,
			 const uint32_t *where, uint32_t n_from, uint32_t n_nodes, struct wt_err *err)
{
	if (column->what < WT_COLUMN_WEIGHT)
		return 0;
	if (wt_view_column_room(column, n_nodes, err) ||
	    (column->over && wt_view_column_merge(column->over, from->over, where, n_from, n_nodes, err)))
		return -1;
	for (uint32_t i = 0; from->ranges && i < n_from && i < from->n_accs; i++)
		if (wt_view_range_any(from, &from->ranges[i]))
			wt_view_range_join(column, where[i], &from->ranges[i]);
	if (from->deferred && column->what >= WT_COLUMN_P50)
		wt_view_column_defer(column);
	if (column->what >= WT_COLUMN_P50)
		return move_pairs(column, from, where, err);
	for (uint32_t i = 0; i < n_from && i < from->n_accs; i++)
		join(column->what, &column->accs[where[i]], &from->accs[i]);
	return 0;
}

void wt_view_column_clear(struct wt_view_column *column)
{
	if (column->over)
		wt_view_column_clear(column->over);
	free(column->accs);
	column->accs = NULL;
	free(column->results);
	column->results = NULL;
	free(column->ranges);
	column->ranges = NULL;
	column->n_accs = 0;
	wt_view_column_drop(column);
}

/* ---- rolling up ---- */

static int roll_pairs(struct wt_view_column *column, const uint32_t *parents, struct wt_err *err)
{
	uint32_t n = column->pairs.count;

	for (uint32_t i = 0; i < n; i++) {
		struct wt_key pair = column->pairs.keys[i];
		uint64_t count = column->what == WT_COLUMN_UNIQUE ? 1 : column->pair_counts[i];

		for (uint32_t up = parents[pair.a]; up != WT_VIEW_NONE; up = parents[up])
			if (put_pair(column, up, pair.b, count, err))
				return -1;
	}
	if (column->what == WT_COLUMN_UNIQUE)
		return 0;
	column->order = wt_quantile_order(&column->pairs);
	return column->order ? 0 : wt_fail_nomem(err);
}

int wt_view_column_roll(struct wt_view_column *column, const uint32_t *parents, uint32_t n_nodes,
			struct wt_err *err)
{
	if (column->what < WT_COLUMN_WEIGHT || column->passed)
		return 0;
	if (wt_view_column_room(column, n_nodes, err) ||
	    (column->over && wt_view_column_roll(column->over, parents, n_nodes, err)))
		return -1;
	for (uint32_t i = n_nodes; column->ranges && i-- > 0;)
		if (parents[i] != WT_VIEW_NONE)
			wt_view_range_join(column, parents[i], &column->ranges[i]);
	if (column->what >= WT_COLUMN_P50)
		return roll_pairs(column, parents, err);
	for (uint32_t i = n_nodes; i-- > 0;)
		if (parents[i] != WT_VIEW_NONE)
			join(column->what, &column->accs[parents[i]], &column->accs[i]);
	return 0;
}

/* ---- values ---- */

static struct wt_view_cell quantile_cell(const struct wt_view_column *column, uint32_t node)
{
	double rank = column->what == WT_COLUMN_P50 ? 0.50 : 0.99;
	struct wt_view_cell cell = {.kind = column->real ? WT_CELL_REAL : WT_CELL_INTEGER};

	if (column->passed
		    ? column->results[node] == WT_VIEW_NO_RESULT
		    : !wt_quantile(&column->pairs, column->pair_counts, column->order, node, rank, &cell.f))
		cell.kind = WT_CELL_NONE;
	else if (column->passed)
		memcpy(&cell.f, &column->results[node], sizeof(cell.f));
	if (cell.kind == WT_CELL_INTEGER)
		cell.i = (__int128)cell.f;
	wt_view_range_clamp(column, node, &cell);
	return cell;
}

static bool is_of_ns(const struct wt_view_column *column)
{
	const struct wt_field *sample = column->field.sample;

	return column->what >= WT_COLUMN_SUM && column->what < WT_COLUMN_UNIQUE && !column->over && sample &&
	       sample->unit && !strcmp(sample->unit, "ns");
}

static double sum_of(const struct wt_view_column *column, uint32_t node)
{
	const struct wt_view_acc *acc = &column->accs[node];

	return column->real ? acc->f : (double)acc->i;
}

static struct wt_view_cell quotient_cell(const struct wt_view_column *column, uint32_t node)
{
	double divisor = sum_of(column->over, node);

	if (!column->accs[node].n && !column->over->accs[node].n)
		return (struct wt_view_cell){.kind = WT_CELL_NONE};
	if (divisor == 0)
		return (struct wt_view_cell){.kind = WT_CELL_UNDEFINED};
	return (struct wt_view_cell){.kind = WT_CELL_REAL, .f = sum_of(column, node) / divisor};
}

static struct wt_view_cell plain_cell(const struct wt_view_column *column, uint32_t node)
{
	struct wt_view_cell cell = {.kind = column->real ? WT_CELL_REAL : WT_CELL_INTEGER};
	const struct wt_view_acc *acc;

	if (column->what == WT_COLUMN_UNIQUE)
		return (struct wt_view_cell){.kind = WT_CELL_INTEGER, .i = column->results[node]};
	if (column->what >= WT_COLUMN_P50)
		return quantile_cell(column, node);
	if (column->over)
		return quotient_cell(column, node);
	acc = &column->accs[node];
	if (!acc->n)
		return (struct wt_view_cell){.kind = WT_CELL_NONE};
	cell.i = column->open.name ? acc->i / 2 : acc->i;
	cell.or_more = column->open.name && acc->i % 2;
	cell.f = acc->f;
	if (column->what == WT_COLUMN_AVG) {
		cell.kind = WT_CELL_REAL;
		cell.f = (column->real ? acc->f : (double)acc->i) / (double)acc->n;
	}
	if (column->what == WT_COLUMN_FIRST || column->what == WT_COLUMN_LAST)
		cell.kind = WT_CELL_SECONDS;
	return cell;
}

struct wt_view_cell wt_view_column_cell(const struct wt_view_column *column, uint32_t node)
{
	struct wt_view_cell cell = plain_cell(column, node);

	cell.is_ns = is_of_ns(column);
	return cell;
}
