// SPDX-License-Identifier: MIT
#include "tools/peers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/peer_keys.h"
#include "tools/peer_words.h"

struct reading {
	struct wt_typed *typed;
	char **next; /* the remaining words; NULL at the end */
	struct wt_err *err;
};

/* There is always room: a word becomes at most three, and each word is read once. */
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

/* Returns a letter without a value that becomes at most one word. */
static const struct wt_peer *flag_of(const char *command, char letter)
{
	char word[] = {'-', letter, '\0'};
	const struct wt_peer *peer = wt_peer_option(command, word);

	if (!peer || peer->how == WT_PEER_ROOT)
		return peer;
	return peer->how == WT_PEER_RUN && !strchr(peer->here, ' ') ? peer : NULL;
}

enum { MOST_LETTERS = 3 };

/* True for -q and -v, which may stand before the command. */
static bool is_common(const char *word)
{
	return wt_options_takes(wt_options_common, word) == 1;
}

/* For a letter of the command itself, returns 2 when the rest of the word is its value. */
static int own_letter(const struct wt_command *command, char letter)
{
	char word[] = {'-', letter, '\0'};

	return is_common(word) ? 1 : wt_options_takes(command->options, word);
}

/* Returns how many letters of the word are options, the last possibly with a value; 0: it is no cluster. A
 * cluster of only the command's letters is left to the command. */
static size_t cluster_of(const struct wt_command *command, const char *word)
{
	bool others = false;
	size_t n = 0;

	if (word[0] != '-' || word[1] == '-')
		return 0;
	for (bool value = false; word[n + 1] && !value; n++) {
		char letter[] = {'-', word[n + 1], '\0'};
		bool other = flag_of(command->name, word[n + 1]) || is_common(letter);

		value = !other && own_letter(command, word[n + 1]) == 2;
		if (n == MOST_LETTERS || (!other && !own_letter(command, word[n + 1])))
			return 0;
		others = others || other;
	}
	/* -verbose is a long option behind one dash, not -v -e rbose. */
	return others && n > 1 && !isalpha((unsigned char)word[n + 1]) ? n : 0;
}

/* Reads -ag as -a -g. Returns 1 when word was such a cluster. */
static int read_cluster(struct reading *reading, const struct wt_command *command, const char *word)
{
	size_t n = cluster_of(command, word);

	for (size_t i = 1; i <= n; i++) {
		char letter[] = {'-', word[i], '\0'};
		const struct wt_peer *peer = flag_of(command->name, word[i]);
		const char *value = i == n && word[i + 1] ? word + i + 1 : NULL;
		char *own = peer ? NULL : make(reading->typed, letter, 2, value);

		if (peer ? apply(reading, peer, word) : !own)
			return peer ? -1 : wt_fail_nomem(reading->err);
		if (own)
			put(reading->typed, own);
		if (own && !value && own_letter(command, word[i]) == 2 && *reading->next)
			put(reading->typed, *reading->next++);
	}
	return n > 0;
}

/* Finds the word before a value that is joined to it: --input=FILE, -C0, and -iFILE behind another tool's
 * command. NULL: no such word takes a value. */
static const struct wt_peer *find_joined(const struct wt_command *command, const char *as_typed,
					 const char *word, const char **value)
{
	size_t len = strncmp(word, "--", 2) ? 2 : strcspn(word, "=");
	const struct wt_peer *peer = NULL;
	char name[32];

	if (word[0] != '-' || strlen(word) <= len || len >= sizeof(name))
		return NULL;
	memcpy(name, word, len);
	name[len] = '\0';
	*value = word + len + (word[len] == '=');
	if (as_typed)
		peer = wt_peer_behind(as_typed, name);
	if (peer && peer->how == WT_PEER_RUN_WITH)
		return peer;
	if (len == 2 && (!isdigit((unsigned char)**value) || wt_options_takes(command->options, word)))
		return NULL;
	if (!peer)
		peer = wt_peer_option(command->name, name);
	return peer && (peer->how < WT_PEER_ROOT || peer->how == WT_PEER_RUN_WITH) ? peer : NULL;
}

/* Returns 1 when word was a word of another tool with its value. */
static int read_joined(struct reading *reading, const struct wt_command *command, const char *as_typed,
		       const char *word)
{
	const char *value = NULL;
	const struct wt_peer *peer = find_joined(command, as_typed, word, &value);
	char *made;

	if (!peer)
		return 0;
	if (peer->how < WT_PEER_RUN)
		return apply(reading, peer, word);
	made = make(reading->typed, value, strlen(value), NULL);
	if (!made)
		return wt_fail_nomem(reading->err);
	if (put_words(reading, peer))
		return -1;
	put(reading->typed, made);
	return 1;
}

/* The value is the next word, and has not been joined to the translated one. */
static bool wants_next(const struct wt_peer *peer)
{
	size_t len = strlen(peer->here);

	return peer->how == WT_PEER_RUN_WITH && len && peer->here[len - 1] != '=';
}

/* A word of another tool with its value: "-g none". */
static const struct wt_peer *find_both(const struct reading *reading, const char *first, char *both,
				       size_t cap)
{
	if (!first || !*reading->next || first[0] == '-')
		return NULL;
	snprintf(both, cap, "%s %s", first, reading->next[-1]);
	return wt_peer_behind(both, *reading->next);
}

/* Returns 1 when the last word and the next were read as one. */
static int read_both(struct reading *reading, const char *command, const char *as_typed)
{
	char both[64];
	const struct wt_peer *peer = find_both(reading, as_typed, both, sizeof(both));

	if (!peer)
		peer = find_both(reading, command, both, sizeof(both));
	if (!peer)
		return 0;
	snprintf(both, sizeof(both), "%s %s", reading->next[-1], reading->next[0]);
	reading->next++;
	return apply(reading, peer, both) ? -1 : 1;
}

/* The keys behind perf report's --sort, in any of its forms; NULL: it is another word. */
static const char *keys_of(const struct reading *reading, const char *word)
{
	if (!strncmp(word, "--sort=", 7))
		return word + 7;
	if (!strcmp(word, "--sort") || !strcmp(word, "-s"))
		return *reading->next;
	return NULL;
}

/* Returns 1 when word and its value became --group-by. */
static int read_keys(struct reading *reading, const char *as_typed, const char *word)
{
	const char *typed = as_typed && !strcmp(as_typed, "report") ? keys_of(reading, word) : NULL;
	struct wt_buf keys = {0};
	bool known = typed && wt_peer_keys(typed, &keys);
	char *made = known ? make(reading->typed, "--group-by=", 11, wt_buf_cstr(&keys)) : NULL;
	bool short_of_memory = keys.failed || (known && !made);

	wt_buf_deinit(&keys);
	if (short_of_memory)
		return wt_fail_nomem(reading->err);
	if (!known)
		return 0;
	put(reading->typed, made);
	reading->next += typed == *reading->next;
	return 1;
}

/* A word that is an option's value is never translated. */
static int read_rest(struct reading *reading, const struct wt_command *command, const char *as_typed)
{
	while (*reading->next && strcmp(*reading->next, "--")) {
		char *word = *reading->next++;
		const struct wt_peer *peer = as_typed ? wt_peer_behind(as_typed, word) : NULL;
		int taken = wt_options_takes(command->options, word), read;

		read = read_keys(reading, as_typed, word);
		if (!read)
			read = read_both(reading, command->name, as_typed);
		if (read < 0)
			return -1;
		if (read)
			continue;
		if (!peer)
			peer = wt_peer_option(command->name, word);
		if (peer) {
			if (apply(reading, peer, word))
				return -1;
			/* Its value is not the command that begins here. */
			if (command->runs && wants_next(peer) && *reading->next && *reading->next[0] != '-')
				put(reading->typed, *reading->next++);
			continue;
		}
		read = read_joined(reading, command, as_typed, word);
		if (!read)
			read = read_cluster(reading, command, word);
		if (read < 0)
			return -1;
		if (read)
			continue;
		put(reading->typed, word);
		if (command->runs && word[0] != '-')
			break;
		if (taken == 2 && *reading->next)
			put(reading->typed, *reading->next++);
	}
	return 0;
}

static const struct wt_command *known_command(const struct wt_typed *typed)
{
	const struct wt_command *command = NULL;

	for (int i = 1; i < typed->argc && !command; i++)
		command = wt_command_named(typed->argv[i]);
	return command;
}

/* Reads strace's letters in one word, as in -ttT, and returns the first that adds to -f, which means all
 * processes, and to -q and -v. NULL: it is no such word. */
static const struct wt_peer *first_of_cluster(const char *word)
{
	static const char letters[] = "qvfrtTcCwyk", with_value[] = "eops";
	size_t n = 1, say;

	if (word[0] != '-')
		return NULL;
	n += strspn(word + n, letters);
	if (word[n] && strchr(with_value, word[n]))
		n++;
	say = 1 + strspn(word + 1, "qvf");
	return word[n] || say == n ? NULL : wt_peer_first((char[]){'-', word[say], '\0'});
}

/* sched latency: two words that say more than the first alone. */
static int say_both(struct reading *reading, const char *first)
{
	const char *second = *reading->next;
	const struct wt_peer *peer = second ? wt_peer_behind(first, second) : NULL;
	char both[64];

	if (!peer || peer->how >= WT_PEER_RUN)
		return 0;
	snprintf(both, sizeof(both), "%s %s", first, second);
	return say(peer, both, reading->err);
}

static int read_first(struct reading *reading)
{
	const char *as_typed = NULL;
	const struct wt_command *command;
	const struct wt_peer *peer;

	while (*reading->next && is_common(*reading->next) && !wt_peer_first(*reading->next))
		put(reading->typed, *reading->next++);
	if (!*reading->next)
		return 0;
	peer = wt_peer_first(*reading->next);
	if (!peer)
		peer = first_of_cluster(*reading->next);
	if (peer) {
		as_typed = *reading->next++;
		if (peer->how < WT_PEER_RUN && say_both(reading, as_typed))
			return -1;
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
