// SPDX-License-Identifier: MIT
/* The manifest language: the form of names, reserved names, standard names. */
#include <ctype.h>
#include <string.h>

#include "tracecore/schema/manifest_read.h"

const char *const wt_mf_standard_opcodes[5] = {"info", "start", "stop", "dcstart", "dcstop"};
const char *const wt_mf_standard_levels[6] = {"always", "critical", "error", "warning", "info", "verbose"};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool all_name_bytes(const char *name)
{
	while (is_letter(*name) || is_digit(*name) || *name == '.' || *name == '-')
		name++;
	return !*name;
}

static bool is_identifier(const char *name)
{
	if (!is_letter(*name))
		return false;
	while (is_letter(*name) || is_digit(*name))
		name++;
	return !*name;
}

static bool has_control(const char *name)
{
	for (; *name; name++) {
		if ((uint8_t)*name < 0x20 || *name == 0x7f)
			return true;
	}
	return false;
}

/* NULL, or the fault of the name. */
static const char *name_fault(const char *name, enum wt_mf_name rule)
{
	if (!*name)
		return "is empty";
	if (strlen(name) > WT_SCHEMA_MAX_NAME)
		return "is longer than 255 bytes";
	switch (rule) {
	case WT_MF_NAME_FREE:
		return has_control(name) ? "holds control characters" : NULL;
	case WT_MF_NAME_FIELD:
		return is_identifier(name) ? NULL
					   : "is not an identifier (letters, digits and '_', no digit first)";
	case WT_MF_NAME_PROVIDER:
		if (!strncmp(name, "linux:", 6) && name[6])
			name += 6;
		break;
	case WT_MF_NAME_WORD:
		if (!is_letter(*name))
			return "must begin with a letter or '_'";
		break;
	case WT_MF_NAME_EVENT:
		break;
	}
	if (!is_letter(*name) && !is_digit(*name))
		return "must begin with a letter, a digit or '_'";
	return all_name_bytes(name) ? NULL : "may hold only letters, digits, '_', '.' and '-'";
}

int wt_mf_name(struct wt_mf *mf, struct json_object *node, enum wt_mf_name rule, char **ret)
{
	const char *key = rule == WT_MF_NAME_PROVIDER ? "provider" : "name";
	const char *fault;

	if (!wt_mf_has(node, key))
		return wt_mf_fail(mf, "'%s' is missing", key);
	if (wt_mf_text(mf, node, key, ret))
		return -1;
	fault = name_fault(*ret, rule);
	if (!fault)
		return 0;
	wt_mf_enter(mf, key, 0);
	return wt_mf_fail(mf, "%s '%.64s' %s", key, *ret, fault);
}

/* Names are kept in lower case, because they compare without case. */
static size_t lower(const char *name, char to[WT_SCHEMA_MAX_NAME + 1])
{
	size_t n = 0;

	for (; name[n] && n < WT_SCHEMA_MAX_NAME; n++)
		to[n] = (char)tolower((unsigned char)name[n]);
	to[n] = 0;
	return n;
}

int wt_mf_unique(struct wt_mf *mf, enum wt_mf_list list, const char *what, const char *name)
{
	/* Words of a map are only shown. The kernel has some that differ in case alone. */
	bool exact = list == WT_MF_ENTRIES;
	char key[WT_SCHEMA_MAX_NAME + 1];
	size_t len = lower(name, key);
	bool fresh;

	if (wt_strings_add(&mf->names[list], exact ? name : key, len, &fresh) == WT_INTERN_NONE)
		return wt_fail_nomem(mf->err);
	return fresh ? 0
		     : wt_mf_fail(mf, "%s '%s' is there already%s", what, name,
				  exact ? "" : " (names compare without case)");
}

uint32_t wt_mf_find(const struct wt_mf *mf, enum wt_mf_list list, const char *name)
{
	char key[WT_SCHEMA_MAX_NAME + 1];

	if (strlen(name) > WT_SCHEMA_MAX_NAME)
		return WT_INTERN_NONE;
	return wt_strings_find(&mf->names[list], key, lower(name, key));
}
