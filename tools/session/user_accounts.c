// SPDX-License-Identifier: MIT
#include "tools/session/user_accounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file that says who owns what, bytes. */
#define TEXT_MAX (1u << 20)

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* A number that ends in `end` or with the line; false: there is none. */
static bool take_number(const char **at, char end, uint32_t *ret)
{
	char *behind;
	unsigned long value;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	value = strtoul(*at, &behind, 10);
	if (errno || value > UINT32_MAX || (*behind != end && (end != '\n' || *behind)))
		return false;
	*ret = (uint32_t)value;
	*at = *behind ? behind + 1 : behind;
	return true;
}

/* "name:password:uid:...". */
static bool find_user(const char *passwd, const char *name, size_t len, uid_t *ret)
{
	for (const char *line = passwd; *line; line = next_line(line)) {
		const char *at;

		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		at = strchr(line + len + 1, ':');
		if (!at)
			return false;
		at++;
		return take_number(&at, ':', ret);
	}
	return false;
}

/* ":first:count" up to the line's end. */
static bool parse_range(const char *range, struct wt_subordinate *ret)
{
	return *range == ':' && range++ && take_number(&range, ':', &ret->first) &&
	       take_number(&range, '\n', &ret->count) && ret->count;
}

/* Users that /etc/passwd does not name have one account too: that of the first id they were given. */
static uid_t owner_of(const char *subuid, const char *name, size_t len, const char *passwd)
{
	struct wt_subordinate first = {0};
	const char *at = name;
	uid_t ret;

	if (find_user(passwd, name, len, &ret) || take_number(&at, ':', &ret))
		return ret;
	for (const char *line = subuid; *line; line = next_line(line))
		if (!strncmp(line, name, len) && parse_range(line + len, &first))
			break;
	return first.first;
}

/* "owner:first:count", owner a name or a number. */
static bool parse_line(const char *subuid, const char *line, const char *passwd, struct wt_subordinate *ret)
{
	size_t len = strcspn(line, ":\n");

	if (!len || !parse_range(line + len, ret))
		return false;
	ret->owner = owner_of(subuid, line, len, passwd);
	return true;
}

int wt_subordinates_parse(struct wt_subordinates *ret, const char *subuid, const char *passwd)
{
	for (const char *line = subuid; *line; line = next_line(line)) {
		struct wt_subordinate one, *list;

		if (!parse_line(subuid, line, passwd, &one))
			continue;
		list = realloc(ret->list, (ret->n + 1) * sizeof(*list));
		if (!list)
			return -1;
		ret->list = list;
		list[ret->n++] = one;
	}
	return 0;
}

uid_t wt_subordinates_owner(const struct wt_subordinates *subordinates, uid_t uid)
{
	for (size_t i = 0; i < subordinates->n; i++) {
		const struct wt_subordinate *one = &subordinates->list[i];

		if (uid >= one->first && uid - one->first < one->count)
			return one->owner;
	}
	return uid;
}

/* Whole lines; owned. NULL: there is none, or no memory. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(TEXT_MAX + 1) : NULL;
	size_t len = text ? fread(text, 1, TEXT_MAX, file) : 0;

	if (len == TEXT_MAX)
		while (len && text[len - 1] != '\n')
			len--;
	if (text)
		text[len] = 0;
	if (file)
		fclose(file);
	return text;
}

void wt_accounts_init(struct wt_accounts *ret, uint64_t now)
{
	char *subuid = read_text("/etc/subuid"), *passwd = read_text("/etc/passwd");

	*ret = (struct wt_accounts){0};
	wt_allowance_init(&ret->common, WT_ACCOUNTS_RATE, WT_ACCOUNTS_MOST, WT_ACCOUNTS_BYTES, now);
	if (subuid)
		wt_subordinates_parse(&ret->subordinates, subuid, passwd ? passwd : "");
	free(subuid);
	free(passwd);
}

struct wt_account *wt_accounts_of(struct wt_accounts *accounts, uid_t uid)
{
	uid_t owner = wt_subordinates_owner(&accounts->subordinates, uid);
	struct wt_account **list, *account;

	for (size_t i = 0; i < accounts->n; i++)
		if (accounts->list[i]->owner == owner)
			return accounts->list[i];
	list = realloc(accounts->list, (accounts->n + 1) * sizeof(struct wt_account *));
	if (!list)
		return NULL;
	accounts->list = list;
	account = calloc(1, sizeof(*account));
	if (!account)
		return NULL;
	account->owner = owner;
	wt_allowance_init(&account->allowance, WT_ACCOUNT_RATE, WT_ACCOUNT_MOST, WT_ACCOUNT_BYTES,
			  accounts->common.filled);
	account->allowance.common = &accounts->common;
	list[accounts->n++] = account;
	return account;
}

/* Who asks whether it is over reads a clock. */
#define STATES_PER_LOOK 64

bool wt_account_takes_state(struct wt_allowance *allowance, uint32_t *taken)
{
	if (!allowance)
		return true;
	if (*taken >= WT_ACCOUNT_STATES ||
	    (*taken % STATES_PER_LOOK == 0 && wt_allowance_is_over(allowance))) {
		allowance->refused++;
		return false;
	}
	(*taken)++;
	return true;
}

void wt_accounts_fill(struct wt_accounts *accounts, uint64_t now)
{
	wt_allowance_fill(&accounts->common, now);
	for (size_t i = 0; i < accounts->n; i++)
		wt_allowance_fill(&accounts->list[i]->allowance, now);
}

void wt_accounts_grant(struct wt_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		wt_allowance_grant(&accounts->list[i]->allowance, WT_ACCOUNT_LAST);
}

void wt_accounts_close(struct wt_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		accounts->list[i]->allowance.rate = 0, accounts->list[i]->allowance.left = 0;
}

void wt_accounts_deinit(struct wt_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		free(accounts->list[i]);
	free(accounts->list);
	free(accounts->subordinates.list);
	*accounts = (struct wt_accounts){0};
}
