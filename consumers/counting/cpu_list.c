// SPDX-License-Identifier: MIT
#include "consumers/counting/cpu_list.h"

#include <ctype.h>
#include <stdlib.h>

/* Reads a number; returns the text after it, or NULL. */
static const char *number(const char *text, uint32_t *ret)
{
	uint32_t value = 0;

	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text); text++) {
		value = value * 10 + (uint32_t)(*text - '0');
		if (value >= WT_PERF_MAX_CPUS)
			return NULL;
	}
	*ret = value;
	return text;
}

static int add(uint32_t first, uint32_t last, const struct wt_cpuset *online, struct wt_cpuset *ret,
	       struct wt_err *err)
{
	struct wt_buf known = {0};

	if (first > last)
		return add(last, first, online, ret, err);
	for (uint32_t cpu = first; cpu <= last; cpu++) {
		if (!wt_cpuset_has(online, cpu)) {
			wt_cpu_list_text(online, &known);
			wt_fail(err, WT_ERR_USAGE,
				"there is no CPU %u here, or it is off; CPUs that are on: %.200s", cpu,
				wt_buf_cstr(&known));
			wt_buf_deinit(&known);
			return -1;
		}
		wt_cpuset_add(ret, cpu);
	}
	return 0;
}

int wt_cpu_list_parse(const char *list, const struct wt_cpuset *online, struct wt_cpuset *ret,
		      struct wt_err *err)
{
	struct wt_cpuset set = {{0}};
	const char *at = list;

	for (;;) {
		uint32_t first, last;
		const char *word = at;

		at = number(at, &first);
		last = first;
		if (at && *at == '-')
			at = number(at + 1, &last);
		if (!at || (*at && *at != ','))
			return wt_fail(err, WT_ERR_USAGE,
				       "'%.80s' in '%.80s' is not a list of CPUs, as in 0,3-5", word, list);
		if (add(first, last, online, &set, err))
			return -1;
		if (!*at++)
			break;
	}
	*ret = set;
	return 0;
}

void wt_cpu_list_text(const struct wt_cpuset *set, struct wt_buf *out)
{
	uint32_t end = wt_cpuset_end(set);
	const char *between = "";

	for (uint32_t cpu = 0; cpu < end; cpu++) {
		uint32_t last = cpu;

		if (!wt_cpuset_has(set, cpu))
			continue;
		while (wt_cpuset_has(set, last + 1))
			last++;
		wt_buf_printf(out, last > cpu ? "%s%u-%u" : "%s%u", between, cpu, last);
		between = ",";
		cpu = last;
	}
}
