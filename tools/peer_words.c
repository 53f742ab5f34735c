// SPDX-License-Identifier: MIT
#include "tools/peer_words.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/* The rows of tools/peers.txt: first_words, options (behind a command of wtrace), and behind (another tool's
 * command). */
#include WT_PEER_ROWS

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* one, of len bytes, is the word itself, or a pattern where it has a '*'. */
static bool is_one(const char *one, size_t len, const char *word, size_t word_len)
{
	char pattern[32];

	if (!memchr(one, '*', len) || len >= sizeof(pattern) || word[word_len])
		return len == word_len && !memcmp(one, word, len);
	memcpy(pattern, one, len);
	pattern[len] = '\0';
	return !fnmatch(pattern, word, 0);
}

static bool has_word(const char *words, const char *word, size_t len)
{
	if (!len || memchr(word, ' ', len))
		return false;
	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
		if (is_one(at, strcspn(at, " "), word, len))
			return true;
	return false;
}

/* --word=value is matched as --word where an error says what to type. */
static bool is_word(const struct wt_peer *peer, const char *word)
{
	size_t len = strlen(word), to_value = strcspn(word, "=");

	return has_word(peer->words, word, len) ||
	       (peer->how <= WT_PEER_NEEDLESS && to_value < len && !strncmp(word, "--", 2) &&
		has_word(peer->words, word, to_value));
}

static const struct wt_peer *find(const struct wt_peer *rows, size_t n, const char *where, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].where, where) && is_word(&rows[i], word))
			return &rows[i];
	return NULL;
}

const struct wt_peer *wt_peer_first(const char *word)
{
	return find(first_words, COUNT(first_words), "", word);
}

const struct wt_peer *wt_peer_option(const char *command, const char *word)
{
	const struct wt_peer *peer = find(options, COUNT(options), command, word);

	if (!peer && !strcmp(command, "start"))
		peer = find(options, COUNT(options), "record", word);
	if (!peer && !strcmp(command, "dump"))
		peer = find(options, COUNT(options), "view", word);
	return peer;
}

const struct wt_peer *wt_peer_behind(const char *first, const char *word)
{
	return find(behind, COUNT(behind), first, word);
}
