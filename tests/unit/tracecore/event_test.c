// SPDX-License-Identifier: MIT
#include "tracecore/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/schema/builtin.h"

static struct wt_provider *builtin(const char *name)
{
	struct wt_provider *p = NULL;

	assert_int_equal(wt_builtin_provider(name, &p, NULL), 0);
	return p;
}

static void kinds_are_dense_in_order_of_adding(void **state)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);
	struct wt_kinds kinds = {0};
	uint32_t expected = 0, first;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct wt_provider *p = builtin(names[i]);

		assert_int_equal(wt_kinds_add(&kinds, p, &first, NULL), 0);
		assert_int_equal(first, expected);
		for (uint32_t e = 0; e < p->n_events; e++) {
			assert_ptr_equal(kinds.kinds[first + e].provider, p);
			assert_ptr_equal(kinds.kinds[first + e].event, &p->events[e]);
		}
		expected += p->n_events;
	}
	assert_int_equal(kinds.n, expected);
	assert_int_equal(kinds.n_providers, n);
	for (uint32_t k = 0; k < kinds.n; k++)
		assert_int_equal(
			wt_kinds_find(&kinds, kinds.kinds[k].provider->name, kinds.kinds[k].event->name), k);
	wt_kinds_deinit(&kinds);
	assert_int_equal(kinds.n, 0);
}

static void a_provider_may_come_again_only_when_asked_to(void **state)
{
	struct wt_kinds kinds = {0};
	struct wt_provider *again = builtin("wtrace");
	uint32_t first, n;

	(void)state;
	assert_int_equal(wt_kinds_add(&kinds, builtin("wtrace"), &first, NULL), 0);
	n = kinds.n;
	assert_int_equal(wt_kinds_add(&kinds, again, &first, NULL), -1);
	assert_int_equal(kinds.n, n);
	assert_int_equal(wt_kinds_append(&kinds, again, &first, NULL), 0);
	assert_int_equal(first, n);
	assert_int_equal(wt_kinds_find(&kinds, "wtrace", "mark"), 0);
	wt_kinds_deinit(&kinds);
}

static void names_that_are_not_there_are_none(void **state)
{
	struct wt_kinds kinds = {0};
	uint32_t first;

	(void)state;
	assert_int_equal(wt_kinds_find(&kinds, "wtrace", "mark"), WT_KIND_NONE);
	assert_int_equal(wt_kinds_add(&kinds, builtin("wtrace"), &first, NULL), 0);
	assert_int_equal(wt_kinds_find(&kinds, "WTRACE", "Mark"), 0);
	assert_int_equal(wt_kinds_find(&kinds, "wtrace", "sample"), WT_KIND_NONE);
	assert_int_equal(wt_kinds_find(&kinds, "loader", "mark"), WT_KIND_NONE);
	wt_kinds_deinit(&kinds);
}

static void a_provider_is_added_once(void **state)
{
	struct wt_provider *again = builtin("loader");
	struct wt_kinds kinds = {0};
	struct wt_err err = WT_ERR_INIT;
	uint32_t first, n;

	(void)state;
	assert_int_equal(wt_kinds_add(&kinds, builtin("loader"), &first, &err), 0);
	n = kinds.n;
	assert_int_equal(wt_kinds_add(&kinds, again, &first, &err), -1);
	assert_int_equal(err.code, WT_ERR_EXISTS);
	assert_int_equal(kinds.n, n);
	assert_int_equal(kinds.n_providers, 1);
	wt_provider_destroy(again);
	wt_kinds_deinit(&kinds);
}

static void a_provider_without_events_takes_no_kinds(void **state)
{
	static const char json[] = "{\"wtrace_manifest\":1,\"provider\":\"empty\"}";
	struct wt_provider *p = NULL;
	struct wt_kinds kinds = {0};
	uint32_t first = 7;

	(void)state;
	assert_int_equal(wt_manifest_parse(json, sizeof(json) - 1, "t", &p, NULL), 0);
	assert_int_equal(wt_kinds_add(&kinds, p, &first, NULL), 0);
	assert_int_equal(wt_kinds_add(&kinds, builtin("wtrace"), &first, NULL), 0);
	assert_int_equal(first, 0);
	assert_int_equal(wt_kinds_find(&kinds, "empty", "mark"), WT_KIND_NONE);
	wt_kinds_deinit(&kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_dense_in_order_of_adding),
		cmocka_unit_test(a_provider_may_come_again_only_when_asked_to),
		cmocka_unit_test(names_that_are_not_there_are_none),
		cmocka_unit_test(a_provider_is_added_once),
		cmocka_unit_test(a_provider_without_events_takes_no_kinds),
	};

	return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
