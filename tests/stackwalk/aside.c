/* SPDX-License-Identifier: MIT */
#include "tests/stackwalk/aside.h"

#include <stdio.h>

#include "tests/stackwalk/names.h"

/* The C library's own name is not in a stripped file; those of the functions that call it, or its caller,
 * are. */
static const char *const jumpers[] = {"__longjmp",         "siglongjmp",     "longjmp",      "_longjmp",
				      "__libc_siglongjmp", "__libc_longjmp", "__longjmp_chk"};
static const char *const unwinders[] = {"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_ForcedUnwind",
					"_Unwind_Resume_or_Rethrow"};

enum {
	N_JUMPERS = sizeof(jumpers) / sizeof(jumpers[0]),
	N_UNWINDERS = sizeof(unwinders) / sizeof(unwinders[0]),
	KINDS = 1 + N_UNWINDERS,
};

static struct {
	uint64_t instructions, times;
} count[KINDS];
static int last; /* kind that was counted last */

static bool is_longjmp(const struct target *target, uint64_t pc, const struct shadow_left *left)
{
	return names_find(target, pc, jumpers, 1) == 0 ||
	       names_find(target, left->caller[0], jumpers, N_JUMPERS) > 0 ||
	       names_find(target, left->caller[1], jumpers, N_JUMPERS) > 0;
}

bool aside_take(const struct target *target, uint64_t pc, const struct shadow_left *left, uint64_t now,
		uint64_t *from)
{
	int unwinder = names_find(target, pc, unwinders, N_UNWINDERS);

	if (unwinder >= 0 && left->n_calls >= 2) {
		last = 1 + unwinder;
		*from = left->call[0];
	} else if (is_longjmp(target, pc, left)) {
		last = 0;
		*from = left->entered;
	} else {
		return false;
	}
	count[last].times++;
	count[last].instructions += now - *from;
	return true;
}

void aside_more(uint64_t n)
{
	count[last].instructions += n;
}

void aside_print(void)
{
	for (int i = 0; i < KINDS; i++)
		if (count[i].times)
			printf("# set aside: %llu instructions in %llu passes of %s%s\n",
			       (unsigned long long)count[i].instructions, (unsigned long long)count[i].times,
			       i ? unwinders[i - 1] : jumpers[0],
			       i ? ", from its call of uw_install_context_1 on" : "");
}
