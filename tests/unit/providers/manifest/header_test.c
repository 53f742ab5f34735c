// SPDX-License-Identifier: MIT
/*
 * What the calls of a generated header pack, the decoder reads. The header is the expected output of the
 * command line test manifest_header, so that there is one copy of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/cli/manifest_header.stdout"
#include "tests/unit/providers/manifest/header_calls.inc"
#include "providers/manifest/header.h"
#include "tests/unit/tracecore/schema/payload.h"

static struct wt_provider *provider;
static uint8_t enabled[5];

static int setup(void **state)
{
	(void)state;
	return wt_manifest_parse(all_types_provider.manifest, all_types_provider.manifest_len, "embedded",
				 &provider, NULL);
}

static int teardown(void **state)
{
	(void)state;
	wt_provider_destroy(provider);
	return 0;
}

/* From a heap copy of exactly the payload, so that a read behind it is seen. */
static void check_payload(uint32_t event, const char *expected)
{
	const struct wt_event_desc *desc = &provider->events[event];
	struct wt_value values[WT_SCHEMA_MAX_FIELDS];
	uint8_t *payload = malloc(taken.len ? taken.len : 1);
	struct wt_buf text = {0};

	assert_int_equal(taken.times, 1);
	assert_int_equal(taken.event, event);
	memcpy(payload, taken.payload, taken.len);
	assert_int_equal(payload_decode(desc, payload, taken.len, values), 0);
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		wt_buf_puts(&text, i ? " " : "");
		wt_value_text(&values[i], &text);
	}
	assert_string_equal(wt_buf_cstr(&text), expected);
	wt_buf_deinit(&text);
	free(payload);
}

static void enable(void)
{
	memset(enabled, 1, sizeof(enabled));
	all_types_provider.enabled = enabled;
	taken.times = 0;
}

static void every_type_arrives(void **state)
{
	(void)state;
	enable();
	call_scalars();
	check_payload(1, "255 65535 4294967295 18446744073709551615 minus -32768 -2147483648 "
			 "-9223372036854775808 0.5 -0.25 true 0x1000 1.000000001 "
			 "01234567-89ab-cdef-0123-456789abcdef 127.0.0.1 2001:db8::1 top r|w");
}

static void counted_fields_arrive(void **state)
{
	(void)state;
	enable();
	call_counted();
	check_payload(2, "text 7 007fff 127.0.0.1:8080  9");
	enable();
	call_counted_with_lengths();
	check_payload(2, "text 7    9");
}

static void arrays_arrive(void **state)
{
	struct wt_buf expected = {0};

	(void)state;
	wt_buf_puts(&expected, "[1, 2, 3, 4, 5, 6] [1, 2, 65535] [0");
	for (int i = 1; i < 200; i++)
		wt_buf_printf(&expected, ", -%d", i);
	wt_buf_puts(&expected, "] [0.5, -1] [true, false] [0x0, 0x10] [0.000000005] "
			       "[01234567-89ab-cdef-0123-456789abcdef, ff000000-0000-0000-0000-000000000001] "
			       "[127.0.0.1, 10.0.0.255] 2001:db8::1 [1.5] -1");
	enable();
	call_arrays();
	check_payload(3, wt_buf_cstr(&expected));
	wt_buf_deinit(&expected);
}

static void fields_with_odd_names_arrive(void **state)
{
	(void)state;
	enable();
	call_odd_names();
	check_payload(4, "1 2 3 4 5 6 7 8 9 size length 6162 10 11 12 13");
}

static void an_event_without_fields_arrives(void **state)
{
	(void)state;
	enable();
	call_nothing();
	check_payload(0, "");
}

static void ids_are_handed_on(void **state)
{
	struct wtrace_id activity = {{1}}, related = {{2}};

	(void)state;
	enable();
	all_types_nothing_ids(&activity, &related);
	assert_ptr_equal(taken.activity, &activity);
	assert_ptr_equal(taken.related, &related);
	enable();
	assert_int_equal(all_types_counted_write(&activity, NULL, "a", 1, NULL, 0, NULL, 0, "b", 2),
			 WTRACE_WRITTEN);
	assert_ptr_equal(taken.activity, &activity);
	assert_null(taken.related);
	check_payload(2, "a 1   b 2");
}

static int evaluated;

static const char *evaluate(void)
{
	evaluated++;
	return "x";
}

static void what_nobody_wants_is_not_even_evaluated(void **state)
{
	(void)state;
	enable();
	enabled[2] = 0;
	assert_false(all_types_counted_enabled());
	assert_true(all_types_arrays_enabled());
	all_types_counted(evaluate(), 1, NULL, 0, NULL, 0, evaluate(), 2);
	assert_int_equal(evaluated, 0);
	assert_int_equal(taken.times, 0);
	enabled[2] = 0x80;
	all_types_counted(evaluate(), 1, NULL, 0, NULL, 0, evaluate(), 2);
	assert_int_equal(evaluated, 2);
	assert_int_equal(taken.times, 1);
}

static void the_tables_are_those_of_the_manifest(void **state)
{
	(void)state;
	assert_string_equal(all_types_provider.name, provider->name);
	assert_int_equal(all_types_provider.n_events, provider->n_events);
	for (uint32_t i = 0; i < provider->n_events; i++) {
		assert_string_equal(all_types_events_[i].name, provider->events[i].name);
		assert_int_equal(all_types_events_[i].id, provider->events[i].id);
		assert_int_equal(all_types_events_[i].level, provider->events[i].level);
		assert_int_equal(all_types_events_[i].keywords, provider->events[i].keywords);
		assert_int_equal(all_types_zeros_[i], 0);
	}
	assert_int_equal(ALL_TYPES_KEYWORD_HIGH_ONE, UINT64_C(1) << 47);
	assert_int_equal(ALL_TYPES_STATE_LEAST, INT32_MIN);
	assert_int_equal(ALL_TYPES_EVENT_LAST_IN_LINE, 4);
	assert_int_equal(ALL_TYPES_LEVEL_CHATTY + ALL_TYPES_TASK_REQUEST + ALL_TYPES_OPCODE_RETRY, 33);
}

/* The embedded text is the canonical one, and makes the same header again. */
static void the_embedded_manifest_makes_the_same_header(void **state)
{
	struct wt_manifest_file file = {.path = "embedded", .provider = provider};
	struct wt_remarks remarks = {0};
	struct wt_buf first = {0}, text = {0};

	(void)state;
	assert_int_equal(wt_manifest_header(&file, &remarks, &first, NULL), 0);
	assert_int_equal(remarks.n, 0);
	assert_int_equal(wt_manifest_render(provider, &text, NULL), 0);
	assert_int_equal(text.len, all_types_provider.manifest_len);
	assert_memory_equal(text.data, all_types_provider.manifest, text.len);
	assert_true(first.len > text.len);
	wt_buf_deinit(&first);
	wt_buf_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_arrives),
		cmocka_unit_test(counted_fields_arrive),
		cmocka_unit_test(arrays_arrive),
		cmocka_unit_test(fields_with_odd_names_arrive),
		cmocka_unit_test(an_event_without_fields_arrives),
		cmocka_unit_test(ids_are_handed_on),
		cmocka_unit_test(what_nobody_wants_is_not_even_evaluated),
		cmocka_unit_test(the_tables_are_those_of_the_manifest),
		cmocka_unit_test(the_embedded_manifest_makes_the_same_header),
	};

	return cmocka_run_group_tests_name("header", tests, setup, teardown);
}
