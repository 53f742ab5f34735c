// SPDX-License-Identifier: MIT
#include "tracecore/schema/schema.h"

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

static void types_have_fixed_numbers_names_and_widths(void **state)
{
	static const struct {
		enum wt_type type;
		unsigned number;
		const char *name;
		unsigned width;
		bool integer, is_signed, counted;
	} rows[] = {
		{WT_TYPE_U8, 1, "u8", 1, true, false, false},
		{WT_TYPE_U16, 2, "u16", 2, true, false, false},
		{WT_TYPE_U32, 3, "u32", 4, true, false, false},
		{WT_TYPE_U64, 4, "u64", 8, true, false, false},
		{WT_TYPE_I8, 5, "i8", 1, true, true, false},
		{WT_TYPE_I16, 6, "i16", 2, true, true, false},
		{WT_TYPE_I32, 7, "i32", 4, true, true, false},
		{WT_TYPE_I64, 8, "i64", 8, true, true, false},
		{WT_TYPE_F32, 9, "f32", 4, false, true, false},
		{WT_TYPE_F64, 10, "f64", 8, false, true, false},
		{WT_TYPE_BOOL, 11, "bool", 1, true, false, false},
		{WT_TYPE_POINTER, 12, "pointer", 8, true, false, false},
		{WT_TYPE_TIME, 13, "time", 8, true, false, false},
		{WT_TYPE_STRING, 14, "string", 0, false, false, true},
		{WT_TYPE_BINARY, 15, "binary", 0, false, false, true},
		{WT_TYPE_UUID, 16, "uuid", 16, false, false, false},
		{WT_TYPE_IPV4, 17, "ipv4", 4, false, false, false},
		{WT_TYPE_IPV6, 18, "ipv6", 16, false, false, false},
		{WT_TYPE_SOCKADDR, 19, "sockaddr", 0, false, false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(rows[i].type, rows[i].number);
		assert_string_equal(wt_type_name(rows[i].type), rows[i].name);
		assert_int_equal(wt_type_of_name(rows[i].name, strlen(rows[i].name)), rows[i].type);
		assert_int_equal(wt_type_width(rows[i].type), rows[i].width);
		assert_int_equal(wt_type_is_integer(rows[i].type), rows[i].integer);
		assert_int_equal(wt_type_is_signed(rows[i].type), rows[i].is_signed);
		assert_int_equal(wt_type_is_counted(rows[i].type), rows[i].counted);
	}
}

static void unknown_types_are_nothing(void **state)
{
	(void)state;
	assert_int_equal(wt_type_of_name("u128", 4), 0);
	assert_int_equal(wt_type_of_name("u8x", 2), WT_TYPE_U8);
	assert_int_equal(wt_type_of_name("", 0), 0);
	for (int type = 0; type < 300; type += type == 0 ? 20 : 1) {
		assert_int_equal(wt_type_width((enum wt_type)type), 0);
		assert_false(wt_type_is_integer((enum wt_type)type));
		assert_false(wt_type_is_counted((enum wt_type)type));
		assert_string_equal(wt_type_name((enum wt_type)type), "?");
	}
}

static void guids_are_version_5_uuids(void **state)
{
	/* As python3's uuid.uuid5(uuid.UUID("4b68b0fd-b189-4b81-9a12-afdde0dd5c3b"), name) gives them. */
	static const struct {
		const char *name, *guid;
	} rows[] = {
		{"", "\x5e\xbe\x25\x1d\x60\xd4\x55\xea\x86\xd1\x46\x1b\xe0\xb6\xe5\x8e"},
		{"wtrace", "\x5b\xa2\xba\x0b\xbd\x7c\x5d\xbd\x90\x05\x62\x66\x7d\x89\x41\xe8"},
		{"PMU-Profile", "\x78\x93\x68\xc2\xec\x55\x52\xad\xbd\x99\x49\x36\x86\x5a\x25\xca"},
		{"proc_thread", "\xd6\x33\xa4\x20\x03\x7e\x54\xb5\x95\xd7\x61\xaa\xcb\x47\x50\x16"},
		{"linux:sched", "\xcd\xfe\x11\x81\x82\x22\x5f\xe2\x96\xcd\xf3\x0d\xa5\xbf\x11\x8d"},
		{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		 "\xb1\xf7\xb4\x74\x0c\x1e\x5a\xb9\xb0\x09\x19\x5f\xb8\x02\x91\x27"},
		{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		 "\xcc\x18\x07\x55\x45\xd1\x57\x58\x84\xdc\x76\x6a\x9c\x66\x74\xdd"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 "\x06\xc7\xa7\x4d\x1d\xfb\x51\x7a\x91\x4b\x27\xff\x6e\xa7\x93\xf9"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t guid[16];

		wt_guid_of_name(rows[i].name, guid);
		assert_memory_equal(guid, rows[i].guid, 16);
	}
}

static void names_of_levels(void **state)
{
	struct wt_provider *p = builtin("proc_thread");

	(void)state;
	assert_string_equal(wt_level_name(p, WT_LEVEL_ALWAYS), "always");
	assert_string_equal(wt_level_name(p, WT_LEVEL_VERBOSE), "verbose");
	assert_string_equal(wt_level_name(p, 6), "6");
	assert_string_equal(wt_level_name(p, 255), "255");
	wt_provider_destroy(p);
}

static void lookups_find_by_name(void **state)
{
	struct wt_provider *p = builtin("proc_thread");
	const struct wt_event_desc *e = wt_provider_event(p, "Process_EXEC");

	(void)state;
	assert_non_null(e);
	assert_int_equal(e->id, 5);
	assert_null(wt_provider_event(p, "process_exe"));
	assert_int_equal(wt_event_field(e, "uid"), 5);
	assert_int_equal(wt_event_field(e, "UID"), 5);
	assert_int_equal(wt_event_field(e, "nothing"), -1);
	wt_provider_destroy(p);
}

static void fields_that_differ_in_case_are_told_apart(void **state)
{
	struct wt_field fields[] = {{.name = "A"}, {.name = "a"}, {.name = "B"}};
	const struct wt_event_desc e = {.fields = fields, .n_fields = 3};

	(void)state;
	assert_int_equal(wt_event_field(&e, "A"), 0);
	assert_int_equal(wt_event_field(&e, "a"), 1);
	assert_int_equal(wt_event_field(&e, "b"), 2);
}

static void clones_share_nothing(void **state)
{
	struct wt_provider *p = builtin("loader");
	struct wt_provider *clone = wt_provider_clone(p);
	struct wt_buf before = {0}, after = {0};
	const struct wt_field *field;

	(void)state;
	assert_non_null(clone);
	assert_int_equal(wt_manifest_render(p, &before, NULL), 0);
	assert_memory_equal(p->guid, clone->guid, 16);
	field = &p->events[0].fields[wt_event_field(&p->events[0], "kind")];
	assert_ptr_equal(field->map, &p->maps[0]);
	field = &clone->events[0].fields[wt_event_field(&clone->events[0], "kind")];
	assert_ptr_equal(field->map, &clone->maps[0]);
	wt_provider_destroy(p);
	assert_int_equal(wt_manifest_render(clone, &after, NULL), 0);
	assert_string_equal(wt_buf_cstr(&before), wt_buf_cstr(&after));
	wt_provider_destroy(clone);
	wt_provider_destroy(NULL);
	wt_buf_deinit(&before);
	wt_buf_deinit(&after);
}

static void maps_can_be_filled_in(void **state)
{
	struct wt_provider *p = builtin("pmu-profile");
	const struct wt_valmap *map = p->events[0].fields[0].map;
	struct wt_named entries[] = {{"cpu-clock", 0, NULL}, {"armv8_pmuv3_0/event=8/", 1, "instructions"}};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_non_null(map);
	assert_int_equal(map->n_entries, 0);
	assert_int_equal(wt_provider_set_map(p, "SOURCES", entries, 2, &err), 0);
	assert_ptr_equal(p->events[0].fields[0].map, map);
	assert_int_equal(map->n_entries, 2);
	assert_string_equal(map->entries[1].name, "armv8_pmuv3_0/event=8/");
	assert_string_equal(map->entries[1].help, "instructions");
	assert_ptr_not_equal(map->entries[1].name, entries[1].name);
	assert_int_equal(wt_provider_set_map(p, "sources", NULL, 0, &err), 0);
	assert_int_equal(map->n_entries, 0);
	assert_int_equal(wt_provider_set_map(p, "source", entries, 2, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	wt_provider_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_fixed_numbers_names_and_widths),
		cmocka_unit_test(unknown_types_are_nothing),
		cmocka_unit_test(guids_are_version_5_uuids),
		cmocka_unit_test(names_of_levels),
		cmocka_unit_test(lookups_find_by_name),
		cmocka_unit_test(fields_that_differ_in_case_are_told_apart),
		cmocka_unit_test(clones_share_nothing),
		cmocka_unit_test(maps_can_be_filled_in),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
