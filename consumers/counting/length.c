// SPDX-License-Identifier: MIT
#include "consumers/counting/length.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{"", 1000000000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", 60 * UINT64_C(1000000000)},
	{"h", 3600 * UINT64_C(1000000000)},
	{"d", 86400 * UINT64_C(1000000000)},
};

static bool unit_of(const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name)) {
			*ret = units[i].ns;
			return true;
		}
	return false;
}

/* Hundredths of the unit, and the text after them. */
static const char *hundredths(const char *text, uint64_t *ret)
{
	uint64_t value = 0;

	if (!isdigit((unsigned char)*text) || (*text == '0' && isdigit((unsigned char)text[1])))
		return NULL;
	for (; isdigit((unsigned char)*text); text++) {
		if (value > UINT64_MAX / 1000)
			return NULL;
		value = value * 10 + (uint64_t)(*text - '0');
	}
	value *= 100;
	if (*text == '.') {
		if (!isdigit((unsigned char)*++text))
			return NULL;
		value += (uint64_t)(*text++ - '0') * 10;
		if (isdigit((unsigned char)*text))
			value += (uint64_t)(*text++ - '0');
	}
	*ret = value;
	return text;
}

bool wt_length_parse(const char *text, uint64_t *ret)
{
	uint64_t value, unit;
	const char *rest = hundredths(text, &value);

	if (!rest || !unit_of(rest, &unit))
		return false;
	/* A hundredth of a unit is a whole number of ns. */
	if (value > (uint64_t)INT64_MAX / (unit / 100))
		return false;
	*ret = value * (unit / 100);
	return true;
}
