// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/keys.h"

#include <string.h>

/* The number of rows that are examined to choose keys. */
#define SAMPLE 8192
/* A column follows another one when it does so this many times for each of its own changes. */
#define WORTH 4
/* With fewer changes, the column itself takes less room than a description of what it follows. */
#define MIN_CHANGES 32

/* One way to derive a column from a key. */
struct rule {
	const struct wt_log_key *key;
	uint8_t encoding;
	uint8_t lag;
};

static uint32_t count_changes(const uint64_t *values, uint32_t n)
{
	uint32_t changes = 0;

	for (uint32_t i = 1; i < n; i++)
		changes += values[i] != values[i - 1];
	return changes;
}

/* Counts the rows whose value the rule does not give. rows and found (may be NULL) get these rows and
 * their values. */
static uint32_t misses_of(struct rule rule, const uint64_t *values, uint32_t n, uint64_t *last,
			  uint64_t *rows, uint64_t *found)
{
	uint32_t misses = 0;

	memset(last, 0, rule.key->entries * sizeof(*last));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t told = 0;

		if (i >= rule.lag && rule.encoding == WT_DISK_SAME) {
			told = rule.key->values[i - rule.lag];
		} else if (i >= rule.lag) {
			uint64_t *slot = &last[rule.key->codes[i - rule.lag]];

			told = *slot;
			*slot = values[i];
		}
		if (told == values[i])
			continue;
		if (rows) {
			rows[misses] = i;
			found[misses] = values[i];
		}
		misses++;
	}
	return misses;
}

/* Finds the rule of a key that misses fewest rows. */
static uint32_t best_rule(const struct wt_log_key *key, const uint64_t *values, uint32_t n, uint64_t *last,
			  struct rule *ret)
{
	uint32_t least = UINT32_MAX;

	for (uint8_t lag = 0; lag < 2; lag++)
		for (uint8_t encoding = WT_DISK_SAME; encoding <= WT_DISK_LAST; encoding++) {
			struct rule rule = {key, encoding, lag};
			uint32_t misses = misses_of(rule, values, n, last, NULL, NULL);

			if (misses < least) {
				least = misses;
				*ret = rule;
			}
		}
	return least;
}

static bool is_worth(uint32_t misses, uint32_t changes)
{
	return changes >= MIN_CHANGES && (uint64_t)misses * WORTH <= changes;
}

/* Finds columns that change often and between few values. */
static uint32_t find_candidates(const struct wt_log_cols *set, uint32_t from, uint32_t n,
				struct wt_log_column_scratch *scratch)
{
	uint32_t limit = n / 8 < WT_LOG_DICT_MAX ? n / 8 : WT_LOG_DICT_MAX, found = 0;

	for (uint32_t c = 0; c < set->n_cols && found < WT_LOG_KEY_CANDIDATES; c++) {
		const struct wt_log_col *col = &set->cols[c];
		struct wt_log_key *key = &scratch->keys->candidates[found];

		if (col->items || col->same || col->id == WT_DISK_EVENT_TIME ||
		    count_changes(col->words + from, n) < n / 4)
			continue;
		key->entries = wt_log_make_dict(col->words + from, n, limit, scratch);
		if (key->entries < 4)
			continue;
		key->id = col->id;
		key->values = col->words + from;
		memcpy(key->codes, scratch->codes, n * sizeof(*key->codes));
		found++;
	}
	return found;
}

/* Counts the columns that follow the key. *told gets a bit for each candidate among them. */
static uint32_t count_followers(struct wt_log_keys *keys, uint32_t k, uint32_t n_candidates,
				const struct wt_log_cols *set, uint32_t from, uint32_t n, uint32_t *told)
{
	uint32_t followers = 0;

	*told = 1u << k;
	for (uint32_t c = 0; c < set->n_cols; c++) {
		const struct wt_log_col *col = &set->cols[c];
		const uint64_t *values = col->words + from;
		struct rule rule;
		uint32_t changes;

		if (col->items || col->same || col->id == keys->candidates[k].id)
			continue;
		changes = count_changes(values, n);
		if (changes < n / 16 ||
		    !is_worth(best_rule(&keys->candidates[k], values, n, keys->last, &rule), changes))
			continue;
		followers++;
		for (uint32_t other = 0; other < n_candidates; other++)
			*told |= keys->candidates[other].id == col->id ? 1u << other : 0;
	}
	return followers;
}

/* Chooses the column that most others follow, then the same among the columns that do not follow it, and
 * so on. */
static void choose(struct wt_log_keys *keys, uint32_t n_candidates, const struct wt_log_cols *set,
		   uint32_t from, uint32_t n)
{
	uint32_t told[WT_LOG_KEY_CANDIDATES], followers[WT_LOG_KEY_CANDIDATES], done = 0;

	for (uint32_t k = 0; k < n_candidates; k++)
		followers[k] = count_followers(keys, k, n_candidates, set, from, n, &told[k]);
	while (keys->n < WT_LOG_KEYS) {
		uint32_t best = n_candidates;

		for (uint32_t k = 0; k < n_candidates; k++)
			if (!(done >> k & 1) && followers[k] &&
			    (best == n_candidates || followers[k] > followers[best]))
				best = k;
		if (best == n_candidates)
			return;
		keys->list[keys->n++] = &keys->candidates[best];
		done |= told[best];
	}
}

void wt_log_put_keys(const struct wt_log_cols *set, uint32_t from, uint32_t to, struct wt_buf *out,
		     struct wt_log_column_scratch *scratch)
{
	struct wt_log_keys *keys = scratch->keys;
	uint32_t n = to - from, n_candidates;

	keys->n = 0;
	keys->rows = keys->wanted ? n : 0;
	if (keys->rows < WT_LOG_KEY_ROWS)
		return;
	n_candidates = find_candidates(set, from, n, scratch);
	choose(keys, n_candidates, set, from, n < SAMPLE ? n : SAMPLE);
	for (uint32_t k = 0; k < keys->n; k++)
		wt_log_put_dict(out, keys->list[k]->id, keys->list[k]->values, n, scratch);
}

bool wt_log_is_key(const struct wt_log_keys *keys, uint16_t id)
{
	for (uint32_t k = 0; k < keys->n; k++)
		if (keys->list[k]->id == id)
			return true;
	return false;
}

static bool put_following(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
			  struct wt_log_column_scratch *scratch)
{
	struct wt_log_keys *keys = scratch->keys;
	uint32_t least = UINT32_MAX;
	struct rule rule = {0};
	size_t at;

	for (uint32_t k = 0; k < keys->n && n == keys->rows; k++) {
		struct rule one;
		uint32_t misses = best_rule(keys->list[k], values, n, keys->last, &one);

		if (misses < least) {
			least = misses;
			rule = one;
		}
	}
	if (!rule.key || !is_worth(least, count_changes(values, n)))
		return false;
	misses_of(rule, values, n, keys->last, keys->miss_rows, keys->miss_values);
	at = wt_log_begin_column(out, scratch);
	wt_buf_put_u16(out, rule.key->id);
	wt_buf_put_u8(out, rule.lag);
	wt_buf_put_u8(out, 0);
	wt_buf_put_u32(out, least);
	if (least) {
		wt_log_put_ints(out, 0, keys->miss_rows, least, scratch);
		wt_log_put_ints(out, 1, keys->miss_values, least, scratch);
	}
	wt_log_end_column(out, at, id, rule.encoding, 0);
	return true;
}

void wt_log_put_words(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		      struct wt_log_column_scratch *scratch)
{
	if (!scratch->keys || !put_following(out, id, values, n, scratch))
		wt_log_put_ints(out, id, values, n, scratch);
}
