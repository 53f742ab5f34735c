// SPDX-License-Identifier: MIT
#include "tracecore/base/subordinates.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

/* Size limit of a file with the owners of ids, bytes. */
#define TEXT_MAX (1u << 20)

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* Reads a number that ends at `end` or at the line's end. False: there is none. */
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

/* Reads ":first:count" up to the line's end. */
static bool parse_range(const char *range, struct wt_subordinate *ret)
{
	return *range == ':' && range++ && take_number(&range, ':', &ret->first) &&
	       take_number(&range, '\n', &ret->count) && ret->count;
}

/* Users who are missing in /etc/passwd also have one account: the first id that they were given. */
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

/* Reads "owner:first:count"; owner is a name or a number. */
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
		struct wt_subordinate one;

		if (!parse_line(subuid, line, passwd, &one))
			continue;
		if (wt_grow_one(&ret->list, ret->n, NULL))
			return -1;
		ret->list[ret->n++] = one;
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

/* Returns the whole lines of a file; owned. NULL: there are none, or no memory. */
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

void wt_subordinates_read(struct wt_subordinates *ret)
{
	char *subuid = read_text("/etc/subuid"), *passwd = read_text("/etc/passwd");

	*ret = (struct wt_subordinates){0};
	if (subuid)
		wt_subordinates_parse(ret, subuid, passwd ? passwd : "");
	free(subuid);
	free(passwd);
}

void wt_subordinates_deinit(struct wt_subordinates *subordinates)
{
	free(subordinates->list);
	*subordinates = (struct wt_subordinates){0};
}
