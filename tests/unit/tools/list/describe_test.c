// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/session/spec_word.h"
#include "tools/list/describe.h"
#include "tracecore/schema/builtin.h"

static struct wt_provider *parse(const char *json)
{
	struct wt_provider *provider = NULL;
	struct wt_err err = WT_ERR_INIT;

	if (wt_manifest_parse(json, strlen(json), "test.json", &provider, &err))
		fail_msg("%s", err.text);
	return provider;
}

static void describe(const char *json, const char *alias, struct wt_buf *out)
{
	struct wt_provider *provider = parse(json);

	wt_buf_clear(out);
	wt_describe_provider(provider, alias, out);
	wt_provider_destroy(provider);
}

#define HEAD     "{\"wtrace_manifest\":1,\"provider\":\"app\",\"help\":\"An app\","
#define KEYWORDS "\"keywords\":[{\"name\":\"io\",\"mask\":\"0x1\"},{\"name\":\"net\",\"mask\":\"0x20\"}],"

static void provider_with_different_events(void **state)
{
	struct wt_buf out = {0};

	(void)state;
	describe(HEAD KEYWORDS
		 "\"events\":["
		 "{\"id\":1,\"name\":\"go\",\"level\":\"error\",\"keywords\":[\"io\",\"net\"],"
		 "\"help\":\"It goes\",\"fields\":[{\"name\":\"a\",\"type\":\"u32\",\"count\":4},"
		 "{\"name\":\"b\",\"type\":\"string\"},"
		 "{\"name\":\"c\",\"type\":\"i64\",\"count\":\"variable\"}]},"
		 "{\"id\":20,\"name\":\"end\",\"level\":\"verbose\",\"fields\":[]}]}",
		 "APP", &out);
	assert_string_equal(wt_buf_cstr(&out),
			    "app  (also APP)\n"
			    "    An app\n"
			    "    keywords   io=0x1, net=0x20\n"
			    "    levels     error=2, verbose=5\n"
			    "        1  go                     error    io|net         It goes\n"
			    "               a u32[4], b string, c i64[]\n"
			    "       20  end                    verbose  -              \n"
			    "               none\n");
	wt_buf_deinit(&out);
}

static void fields_shared_by_all_events_stand_once(void **state)
{
	struct wt_buf out = {0};

	(void)state;
	describe(HEAD "\"events\":["
		      "{\"id\":1,\"name\":\"a\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]},"
		      "{\"id\":2,\"name\":\"b\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]}]}",
		 NULL, &out);
	assert_non_null(strstr(wt_buf_cstr(&out), "    fields     x u8\n"));
	assert_null(strstr(wt_buf_cstr(&out), "               x u8\n"));
	describe(HEAD "\"events\":["
		      "{\"id\":1,\"name\":\"a\",\"fields\":[{\"name\":\"x\",\"type\":\"u8\"}]},"
		      "{\"id\":2,\"name\":\"b\",\"fields\":[{\"name\":\"x\",\"type\":\"u16\"}]}]}",
		 NULL, &out);
	assert_null(strstr(wt_buf_cstr(&out), "    fields "));
	wt_buf_deinit(&out);
}

static void long_lists_of_fields_fold(void **state)
{
	struct wt_buf out = {0};
	struct wt_provider *provider;
	struct wt_err err = WT_ERR_INIT;
	const char *line;

	(void)state;
	assert_int_equal(wt_builtin_provider("loader", &provider, &err), 0);
	wt_describe_provider(provider, wt_spec_alias("loader"), &out);
	line = strstr(wt_buf_cstr(&out), "    fields");
	assert_non_null(line);
	assert_true(strcspn(line, "\n") <= 100);
	assert_non_null(strstr(line, "\n               "));
	assert_non_null(strstr(line, "path string\n"));
	wt_provider_destroy(provider);
	wt_buf_deinit(&out);
}

static void every_builtin_as_json_is_its_manifest(void **state)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);

	(void)state;
	assert_true(n >= 4);
	for (size_t i = 0; i < n; i++) {
		struct wt_provider *provider = NULL, *again = NULL;
		struct wt_err err = WT_ERR_INIT;
		struct wt_buf out = {0};
		struct wt_json json = wt_json(&out);
		const char *manifest;

		assert_int_equal(wt_builtin_provider(names[i], &provider, &err), 0);
		assert_int_equal(
			wt_describe_provider_json(provider, wt_spec_alias(names[i]), NULL, &json, &err), 0);
		manifest = strstr(wt_buf_cstr(&out), "\"manifest\":");
		assert_non_null(manifest);
		manifest += strlen("\"manifest\":");
		assert_int_equal(out.data[out.len - 1], '}');
		assert_int_equal(wt_manifest_parse(manifest, strlen(manifest) - 1, "json", &again, &err), 0);
		assert_string_equal(again->name, names[i]);
		assert_int_equal(again->n_events, provider->n_events);
		wt_provider_destroy(provider);
		wt_provider_destroy(again);
		wt_buf_deinit(&out);
	}
}

static void etw_names(void **state)
{
	(void)state;
	assert_string_equal(wt_spec_alias("pmu-profile"), "PROFILE");
	assert_string_equal(wt_spec_alias("proc_thread"), "PROC_THREAD");
	assert_null(wt_spec_alias("wtrace"));
}

static struct wt_catalog catalog_of_some(void)
{
	struct wt_catalog catalog = {0};

	wt_catalog_add(&catalog, "tracepoint", "sched:sched_switch", NULL);
	wt_catalog_add(&catalog, "software", "page-faults", "faults");
	wt_catalog_add(&catalog, "tracepoint", "linux:irq:irq_handler_entry", "");
	wt_catalog_add(&catalog, "hardware", "cycles", "CPU\033cycles");
	wt_catalog_add(&catalog, "software", "cpu-clock", "time");
	wt_catalog_sort(&catalog);
	assert_false(catalog.failed);
	return catalog;
}

static void catalog_in_order_with_headings(void **state)
{
	struct wt_catalog catalog = catalog_of_some();
	struct wt_buf out = {0};

	(void)state;
	wt_describe_catalog(&catalog, &out);
	assert_string_equal(wt_buf_cstr(&out), "hardware events (-e NAME)\n"
					       "  cycles                        CPU\\x1bcycles\n"
					       "\n"
					       "software events (-e NAME)\n"
					       "  cpu-clock                     time\n"
					       "  page-faults                   faults\n"
					       "\n"
					       "kernel tracepoints (-p NAME)\n"
					       "  linux:irq:irq_handler_entry\n"
					       "  linux:sched:sched_switch\n");
	wt_buf_deinit(&out);
	wt_catalog_deinit(&catalog);
}

static void described_tracepoints_show_their_fields(void **state)
{
	struct wt_catalog catalog = catalog_of_some();
	struct wt_buf out = {0};

	(void)state;
	catalog.items[3].flaw = strdup("field 'buf' has \"no\" place");
	catalog.items[4].schema = parse(HEAD "\"events\":[{\"id\":1,\"name\":\"sched_switch\",\"fields\":["
					     "{\"name\":\"prev_comm\",\"type\":\"string\"}]}]}");
	wt_describe_catalog(&catalog, &out);
	assert_non_null(strstr(wt_buf_cstr(&out),
			       "  linux:irq:irq_handler_entry\n"
			       "               cannot be recorded: field 'buf' has \"no\" place\n"
			       "  linux:sched:sched_switch\n"
			       "               prev_comm string\n"));
	wt_buf_clear(&out);
	wt_catalog_json(&catalog, &out);
	assert_non_null(
		strstr(wt_buf_cstr(&out), "\"fields\":[{\"name\":\"prev_comm\",\"type\":\"string\"}]}"));
	assert_non_null(strstr(wt_buf_cstr(&out), "\"flaw\":\"field 'buf' has \\\"no\\\" place\"}"));
	wt_buf_deinit(&out);
	wt_catalog_deinit(&catalog);
}

static void catalog_as_json(void **state)
{
	struct wt_catalog catalog = catalog_of_some();
	struct wt_buf out = {0};

	(void)state;
	wt_catalog_json(&catalog, &out);
	assert_non_null(strstr(wt_buf_cstr(&out), "{\"group\":\"software\",\"name\":\"page-faults\","
						  "\"option\":\"-e\",\"help\":\"faults\"}"));
	assert_non_null(strstr(wt_buf_cstr(&out), "\"name\":\"linux:sched:sched_switch\",\"option\":\"-p\""));
	wt_buf_deinit(&out);
	wt_catalog_deinit(&catalog);
}

static void a_word_keeps_what_has_it(void **state)
{
	struct wt_catalog catalog = catalog_of_some();
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_catalog_keep(&catalog, "C", &err), 0);
	assert_int_equal(catalog.n, 4);
	assert_int_equal(wt_catalog_keep(&catalog, "SCHED_", &err), 0);
	assert_int_equal(catalog.n, 1);
	assert_string_equal(catalog.items[0].name, "linux:sched:sched_switch");
	wt_catalog_deinit(&catalog);
}

static void a_word_that_nothing_has_names_the_nearest(void **state)
{
	struct wt_catalog catalog = catalog_of_some();
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_catalog_keep(&catalog, "cycels", &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_string_equal(err.text, "no event has 'cycels' in its name; did you mean 'cycles'?");
	assert_int_equal(wt_catalog_keep(&catalog, "shced_switch", &err), -1);
	assert_string_equal(err.text,
			    "no event has 'shced_switch' in its name; did you mean 'sched_switch'?");
	assert_int_equal(wt_catalog_keep(&catalog, "zzzzzzz", &err), -1);
	assert_non_null(strstr(err.text, "'wtrace list events' shows all"));
	assert_int_equal(catalog.n, 5);
	wt_catalog_deinit(&catalog);
}

static void an_empty_catalog_is_fine(void **state)
{
	struct wt_catalog catalog = {0};
	struct wt_buf out = {0};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	wt_catalog_sort(&catalog);
	wt_catalog_json(&catalog, &out);
	assert_string_equal(wt_buf_cstr(&out), "{\"events\":[\n]}\n");
	assert_int_equal(wt_catalog_keep(&catalog, "x", &err), -1);
	wt_buf_deinit(&out);
	wt_catalog_deinit(&catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(provider_with_different_events),
		cmocka_unit_test(fields_shared_by_all_events_stand_once),
		cmocka_unit_test(long_lists_of_fields_fold),
		cmocka_unit_test(every_builtin_as_json_is_its_manifest),
		cmocka_unit_test(etw_names),
		cmocka_unit_test(catalog_in_order_with_headings),
		cmocka_unit_test(described_tracepoints_show_their_fields),
		cmocka_unit_test(catalog_as_json),
		cmocka_unit_test(a_word_keeps_what_has_it),
		cmocka_unit_test(a_word_that_nothing_has_names_the_nearest),
		cmocka_unit_test(an_empty_catalog_is_fine),
	};

	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
