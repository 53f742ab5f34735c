// SPDX-License-Identifier: MIT
#include "tools/peers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/peer_words.h"

struct reading {
	struct wt_typed *typed;
	char **next; /* the words that are left; NULL behind the last */
	struct wt_err *err;
};

/* There is always room: of a word come at most three, and each word is read once. */
static void put(struct wt_typed *typed, char *word)
{
	typed->argv[typed->argc++] = word;
}

static char *make(struct wt_typed *typed, const char *text, size_t len, const char *more)
{
	size_t rest = more ? strlen(more) : 0;
	char *word = malloc(len + rest + 1);

	if (!word)
		return NULL;
	memcpy(word, text, len);
	memcpy(word + len, more ? more : "", rest);
	word[len + rest] = '\0';
	return typed->made[typed->n_made++] = word;
}

static int put_words(struct reading *reading, const struct wt_peer *peer)
{
	const char *at = peer->here;

	while (*at) {
		size_t len = strcspn(at, " ");
		bool joins = peer->how == WT_PEER_RUN_WITH && !at[len] && at[len - 1] == '=';
		bool joined = joins && *reading->next && *reading->next[0] != '-';
		char *word = make(reading->typed, at, joins && !joined ? len - 1 : len,
				  joined ? *reading->next++ : NULL);

		if (!word)
			return wt_fail_nomem(reading->err);
		put(reading->typed, word);
		at += len + (at[len] == ' ');
	}
	return 0;
}

static int say(const struct wt_peer *peer, const char *word, struct wt_err *err)
{
	if (peer->how == WT_PEER_NEEDLESS || peer->how == WT_PEER_ROOT)
		return wt_fail(err, WT_ERR_USAGE,
			       "'%s' is a word of another tool, and wtrace does not need it: %s", word,
			       peer->here);
	return wt_fail(err, WT_ERR_USAGE, "'%s' is a word of another tool; in wtrace: %s%s", word,
		       peer->how == WT_PEER_SAY ? "" : "wtrace ", peer->here);
}

int wt_peers_command(const char *name, struct wt_err *err)
{
	const struct wt_peer *peer = wt_peer_first(name);

	return peer ? say(peer, name, err) : 0;
}

static int apply(struct reading *reading, const struct wt_peer *peer, const char *word)
{
	if (peer->how == WT_PEER_ROOT && geteuid() == 0)
		return 0;
	return peer->how < WT_PEER_RUN ? say(peer, word, reading->err) : put_words(reading, peer);
}

/* A letter that stands alone: no value follows it, and it stands for one word at most. */
static const struct wt_peer *flag_of(const char *command, char letter)
{
	char word[] = {'-', letter, '\0'};
	const struct wt_peer *peer = wt_peer_option(command, word);

	if (!peer || peer->how == WT_PEER_ROOT)
		return peer;
	return peer->how == WT_PEER_RUN && !strchr(peer->here, ' ') ? peer : NULL;
}

enum { MOST_LETTERS = 3 };

/* -ag is -a -g. 1: word was such a cluster. */
static int read_cluster(struct reading *reading, const struct wt_command *command, const char *word)
{
	size_t len = strlen(word);

	if (len < 3 || len > 1 + MOST_LETTERS || word[0] != '-')
		return 0;
	for (size_t i = 1; i < len; i++)
		if (!flag_of(command->name, word[i]))
			return 0;
	for (size_t i = 1; i < len; i++)
		if (apply(reading, flag_of(command->name, word[i]), word))
			return -1;
	return 1;
}

/* An option's value is its own, whatever it looks like. */
static int read_rest(struct reading *reading, const struct wt_command *command, const char *as_typed)
{
	while (*reading->next && strcmp(*reading->next, "--")) {
		char *word = *reading->next++;
		const struct wt_peer *peer = as_typed ? wt_peer_behind(as_typed, word) : NULL;
		int taken = wt_options_takes(command->options, word), cluster;

		if (!peer)
			peer = wt_peer_option(command->name, word);
		if (peer) {
			if (apply(reading, peer, word))
				return -1;
			continue;
		}
		cluster = read_cluster(reading, command, word);
		if (cluster < 0)
			return -1;
		if (cluster)
			continue;
		put(reading->typed, word);
		if (command->runs && word[0] != '-')
			break;
		if (taken == 2 && *reading->next)
			put(reading->typed, *reading->next++);
	}
	return 0;
}

/* -q and -v may stand before the command. */
static bool is_common(const char *word)
{
	return wt_options_takes(wt_options_common, word) == 1;
}

static const struct wt_command *known_command(const struct wt_typed *typed)
{
	for (int i = 1; i < typed->argc; i++)
		for (size_t k = 0; k < wt_n_commands; k++)
			if (!strcmp(typed->argv[i], wt_commands[k].name))
				return &wt_commands[k];
	return NULL;
}

static int read_first(struct reading *reading)
{
	const char *as_typed = NULL;
	const struct wt_command *command;
	const struct wt_peer *peer;

	while (*reading->next && is_common(*reading->next))
		put(reading->typed, *reading->next++);
	if (!*reading->next)
		return 0;
	peer = wt_peer_first(*reading->next);
	if (peer) {
		as_typed = *reading->next++;
		if (apply(reading, peer, as_typed))
			return -1;
	} else {
		put(reading->typed, *reading->next++);
	}
	command = known_command(reading->typed);
	return command ? read_rest(reading, command, as_typed) : 0;
}

int wt_peers_read(int argc, char **argv, struct wt_typed *ret, struct wt_err *err)
{
	struct reading reading = {.typed = ret, .next = argv + (argc > 0), .err = err};

	*ret = (struct wt_typed){.argv = calloc((size_t)argc * 3 + 1, sizeof(char *)),
				 .made = calloc((size_t)argc * 3 + 1, sizeof(char *))};
	if (!ret->argv || !ret->made)
		return wt_fail_nomem(err);
	if (argc > 0)
		put(ret, argv[0]);
	if (read_first(&reading))
		return -1;
	while (*reading.next)
		put(ret, *reading.next++);
	ret->argv[ret->argc] = NULL;
	return 0;
}

void wt_peers_deinit(struct wt_typed *typed)
{
	for (int i = 0; i < typed->n_made; i++)
		free(typed->made[i]);
	free(typed->made);
	free(typed->argv);
	*typed = (struct wt_typed){0};
}
