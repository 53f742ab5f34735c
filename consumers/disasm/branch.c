/* SPDX-License-Identifier: MIT */
/* Recognizes instructions that jump, and their targets, by their text. */
#include <stdlib.h>
#include <string.h>

#include "consumers/disasm/back.h"

/* Whether the word is the mnemonic, as a whole or up to a '*'. */
static bool is_one_of(const char *word, size_t len, const char *const *list)
{
	for (; *list; list++) {
		size_t n = strlen(*list);

		if ((*list)[n - 1] == '*' ? len >= n - 1 && !memcmp(word, *list, n - 1)
					  : len == n && !memcmp(word, *list, n))
			return true;
	}
	return false;
}

static const char *skip_prefixes(const char *text)
{
	static const char *const prefixes[] = {"bnd",    "notrack", "repz", "repnz", "rep", "data16",
					       "cs",     "ds",      "es",   "ss",    "fs",  "gs",
					       "addr32", "rex*",    "lock", NULL};

	for (;;) {
		size_t len = strcspn(text, " ,");

		if (!text[len] || !is_one_of(text, len, prefixes))
			return text;
		text += len + strspn(text + len, " ,");
	}
}

static bool jumps_x86(const char *text, size_t len)
{
	static const char *const list[] = {"j*",  "loop*", "ret*",  "iret*", "xbegin",
					   "hlt", "ud2",   "lret*", "ljmp*", NULL};

	return is_one_of(text, len, list);
}

static bool calls_x86(const char *text, size_t len)
{
	static const char *const list[] = {"call*", NULL};

	return is_one_of(text, len, list);
}

static bool jumps_arm(const char *text, size_t len)
{
	static const char *const list[] = {"b",    "b.*", "bc.*", "cbz",   "cbnz", "tbz",
					   "tbnz", "br*", "ret*", "eret*", "udf",  NULL};

	return is_one_of(text, len, list) && !(len == 3 && !memcmp(text, "brk", 3));
}

static bool calls_arm(const char *text, size_t len)
{
	static const char *const list[] = {"bl", NULL};

	return is_one_of(text, len, list);
}

/* The last word that is an address. */
static bool find_target(const char *operands, uint64_t *ret)
{
	const char *at = NULL;
	char *end;

	for (const char *p = operands; (p = strstr(p, "0x")); p += 2)
		if (p == operands || p[-1] == ' ' || p[-1] == ',')
			at = p;
	if (!at)
		return false;
	*ret = strtoull(at, &end, 16);
	return !*end || *end == ' ';
}

void wt_disasm_classify(enum wt_disasm_arch arch, const char *text, struct wt_disasm_line *line)
{
	bool arm = arch == WT_DISASM_ARM64, calls;
	size_t len;

	text = arm ? text : skip_prefixes(text);
	len = strcspn(text, " ,");
	line->jumps = arm ? jumps_arm(text, len) : jumps_x86(text, len);
	calls = arm ? calls_arm(text, len) : calls_x86(text, len);
	line->has_target = (line->jumps || calls) && text[len] && find_target(text + len + 1, &line->target);
}
