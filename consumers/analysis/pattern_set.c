/* SPDX-License-Identifier: MIT */
/* Bracket expressions: [a-z], [^,], [[:digit:]_]. */
#include <ctype.h>
#include <string.h>

#include "consumers/analysis/pattern_tree.h"

static const char unclosed[] = "'[' without its ']'";
static const char bad_range[] = "a range that ends before it begins, or ends in a class";

static void add(struct wt_pattern_set *set, uint8_t c)
{
	set->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

/* As the C locale has them. */
static bool add_class(const char *name, size_t len, struct wt_pattern_set *set)
{
	static const struct {
		const char *name;
		int (*is)(int c);
	} classes[] = {
		{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
		{"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
		{"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strlen(classes[i].name) != len || memcmp(classes[i].name, name, len) != 0)
			continue;
		for (int c = 0; c < 0x80; c++)
			if (classes[i].is(c))
				add(set, (uint8_t)c);
		return true;
	}
	return false;
}

/* One element of a list: a byte, or all of a class (then *c is -1). */
static const char *read_element(const char **at, struct wt_pattern_set *set, int *c)
{
	const char *p = *at, *end;
	char kind = p[1];

	if (!*p)
		return unclosed;
	if (p[0] != '[' || (kind != ':' && kind != '=' && kind != '.')) {
		*c = (uint8_t)*p;
		*at = p + 1;
		return NULL;
	}
	for (end = p + 2; *end && !(end[0] == kind && end[1] == ']'); end++)
		;
	if (!*end)
		return unclosed;
	*at = end + 2;
	*c = kind == ':' || end - p != 3 ? -1 : (uint8_t)p[2];
	if (kind == ':')
		return add_class(p + 2, (size_t)(end - p - 2), set) ? NULL : "no such [:class:]";
	if (*c < 0)
		return "[. .] and [= =] take one byte";
	if (kind == '=') {
		add(set, (uint8_t)*c);
		*c = -1;
	}
	return NULL;
}

/* An element, or a range of two. A '-' stands for itself only first, last, or as the end of a range. */
static const char *read_item(const char **at, bool first, struct wt_pattern_set *set)
{
	const char *wrong;
	int low, high;

	if (**at == '-' && !first && (*at)[1] != ']')
		return (*at)[1] ? "'-' in the middle of '[...]'" : unclosed;
	wrong = read_element(at, set, &low);
	if (wrong)
		return wrong;
	high = low;
	if (**at == '-' && (*at)[1] != ']') {
		if (!(*at)[1])
			return unclosed;
		(*at)++;
		wrong = read_element(at, set, &high);
		if (wrong)
			return wrong;
		if (low < 0 || high < low)
			return bad_range;
	}
	for (int c = low; c >= 0 && c <= high; c++)
		add(set, (uint8_t)c);
	return NULL;
}

const char *wt_pattern_read_set(const char **at, struct wt_pattern_set *ret)
{
	bool turned = **at == '^', first = true;
	const char *wrong;

	*ret = (struct wt_pattern_set){{0}};
	*at += turned;
	for (; first || **at != ']'; first = false) {
		if (!**at)
			return unclosed;
		wrong = read_item(at, first, ret);
		if (wrong)
			return wrong;
	}
	(*at)++;
	for (int i = 0; turned && i < 4; i++)
		ret->bits[i] = ~ret->bits[i];
	return NULL;
}
