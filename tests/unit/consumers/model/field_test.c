// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/model/field.h"
#include "tracecore/event.h"

/* In both events: equal names, other names, another kind of map, another type. */
static const char manifest[] =
	"{\"wtrace_manifest\":1,\"provider\":\"p\",\"maps\":[\n"
	"{\"name\":\"a\",\"entries\":[{\"name\":\"one\",\"value\":1},{\"name\":\"two\",\"value\":2}]},\n"
	"{\"name\":\"like_a\",\"entries\":[{\"name\":\"one\",\"value\":1},{\"name\":\"two\",\"value\":2}]},\n"
	"{\"name\":\"b\",\"entries\":[{\"name\":\"one\",\"value\":2},{\"name\":\"two\",\"value\":1}]},\n"
	"{\"name\":\"bits\",\"kind\":\"bitmap\",\"entries\":[{\"name\":\"one\",\"value\":1}]}],\n"
	"\"events\":[{\"id\":1,\"name\":\"first\",\"fields\":[\n"
	"{\"name\":\"equal\",\"type\":\"u8\",\"map\":\"a\"},\n"
	"{\"name\":\"other\",\"type\":\"u8\",\"map\":\"a\"},\n"
	"{\"name\":\"kind\",\"type\":\"u8\",\"map\":\"a\"},\n"
	"{\"name\":\"wide\",\"type\":\"u8\",\"map\":\"a\"}]},\n"
	"{\"id\":2,\"name\":\"second\",\"fields\":[\n"
	"{\"name\":\"equal\",\"type\":\"u8\",\"map\":\"like_a\"},\n"
	"{\"name\":\"other\",\"type\":\"u8\",\"map\":\"b\"},\n"
	"{\"name\":\"kind\",\"type\":\"u8\",\"map\":\"bits\"},\n"
	"{\"name\":\"wide\",\"type\":\"u16\",\"map\":\"a\"},\n"
	"{\"name\":\"plain\",\"type\":\"u32\"}]}]}\n";

static bool differ(const struct wt_view_file *file, const char *word, unsigned forms)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_view_field field;
	bool differ;

	if (wt_view_field_find(file, word, "key", NULL, 0, &field, &err))
		fail_msg("%s: %s", word, err.text);
	assert_int_equal(field.forms, forms);
	differ = field.maps_differ;
	wt_view_field_deinit(&field);
	return differ;
}

static void names_are_the_same_or_not(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	struct wt_log_segment tables = {0};
	struct wt_view_segment segments[] = {{.log = &tables, .tables = &tables}};
	struct wt_view_file file = {.segments = segments, .n_segments = 1};
	uint32_t first;

	(void)state;
	if (wt_manifest_parse(manifest, sizeof(manifest) - 1, "test", &provider, &err) ||
	    wt_kinds_add(&tables.kinds, provider, &first, &err))
		fail_msg("%s", err.text);
	assert_false(differ(&file, "equal", WT_FIELD_NAMED));
	assert_true(differ(&file, "other", WT_FIELD_NAMED));
	assert_false(differ(&file, "first.other", WT_FIELD_NAMED));
	assert_true(differ(&file, "kind", WT_FIELD_NAMED));
	assert_true(differ(&file, "wide", WT_FIELD_NAMED));
	assert_false(differ(&file, "plain", WT_FIELD_INTEGER));
	wt_kinds_deinit(&tables.kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_the_same_or_not),
	};

	return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
