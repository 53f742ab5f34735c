// SPDX-License-Identifier: MIT
#include "providers/sdk/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/schema/schema.h"

static const struct wtrace_keyword words[] = {{"io", 0x1}, {"net", 0x6}};
static struct wtrace_provider good = WTRACE_KEYWORDS_PROVIDER_INIT(good, "My-App.1", words, 2);
static struct wtrace_provider empty = WTRACE_PROVIDER_INIT(empty, "empty");
static struct wtrace_provider twice = WTRACE_PROVIDER_INIT(twice, "twice");
static struct wtrace_provider twice_case = WTRACE_PROVIDER_INIT(twice_case, "twice_case");
static struct wtrace_provider bad_event = WTRACE_PROVIDER_INIT(bad_event, "bad_event");
static struct wtrace_provider bad_field = WTRACE_PROVIDER_INIT(bad_field, "bad_field");
static struct wtrace_provider same_field = WTRACE_PROVIDER_INIT(same_field, "same_field");
static struct wtrace_provider bad_name = WTRACE_PROVIDER_INIT(bad_name, "linux:sched");
static struct wtrace_provider many = WTRACE_PROVIDER_INIT(many, "many");

static inline void in_an_inline_function(int v)
{
	wtrace_event(&good, "b.second", WTRACE_ERROR, 0x2, wtrace_i32("v", v));
}

/* Nothing here is written: no provider is registered. The linker lists the events all the same. */
static void sites_of_this_file(const void *p, int v)
{
	wtrace_event_start(&good, "a-first", WTRACE_ALWAYS, 0);
	in_an_inline_function(v);
	wtrace_event(&good, "b.second", WTRACE_ERROR, 0x2, wtrace_i32("v", v + 1));
	wtrace_event(&good, "C", WTRACE_INFO, 1, wtrace_u8("a1", 1), wtrace_u16("a2", 1), wtrace_u32("a3", 1),
		     wtrace_u64("a4", 1), wtrace_i8("a5", 1), wtrace_i16("a6", 1), wtrace_i32("a7", 1),
		     wtrace_i64("a8", 1), wtrace_f32("a9", 1), wtrace_f64("a10", 1), wtrace_bool("a11", 1),
		     wtrace_pointer("a12", p), wtrace_time("a13", 1), wtrace_str("a14", "x"),
		     wtrace_binary("a15", p, 1), wtrace_uuid("a16", p), wtrace_ipv4("a17", p),
		     wtrace_ipv6("a18", p), wtrace_sockaddr("a19", p, 1), wtrace_x32("a20", 1),
		     wtrace_x64("a21", 1), wtrace_strn("a22", "x", 1),
		     wtrace_array("a23", U16, (const uint16_t *)p, 1),
		     wtrace_array("a24", F64, (const double *)p, 1));
	wtrace_state(&good, 7, "state", WTRACE_VERBOSE, 0, wtrace_str("what", "x"));
	wtrace_event(&twice, "e", WTRACE_INFO, 0, wtrace_i32("v", v));
	wtrace_event(&twice, "e", WTRACE_INFO, 0, wtrace_u32("v", 1));
	wtrace_event(&twice_case, "e", WTRACE_INFO, 0);
	wtrace_event(&twice_case, "E", WTRACE_INFO, 0);
	wtrace_event(&bad_event, "two words", WTRACE_INFO, 0);
	wtrace_event(&bad_field, "e", WTRACE_INFO, 0, wtrace_i32("a.b", v));
	wtrace_event(&same_field, "e", WTRACE_INFO, 0, wtrace_i32("v", v), wtrace_i32("v", v));
}

static int describe(struct wtrace_provider *provider, struct wt_sdk_description *desc, struct wt_err *err)
{
	return wt_sdk_describe(provider, __start_wtrace_sites, __stop_wtrace_sites, desc, err);
}

static struct wt_provider *parse(const struct wt_sdk_description *desc)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;

	if (wt_manifest_parse((const char *)desc->manifest.data, desc->manifest.len, "text", &provider, &err))
		fail_msg("%s", err.text);
	return provider;
}

static void events_are_those_of_the_provider_in_order_of_name(void **state)
{
	static const char *const names[] = {"a-first", "b.second", "C", "state"};
	struct wt_sdk_description desc;
	struct wt_provider *provider;

	(void)state;
	sites_of_this_file(state, 0);
	assert_int_equal(describe(&good, &desc, NULL), 0);
	assert_int_equal(desc.n_sites, 5);
	assert_int_equal(desc.n_events, 4);
	provider = parse(&desc);
	assert_string_equal(provider->name, "My-App.1");
	assert_int_equal(provider->n_events, 4);
	assert_int_equal(provider->n_keywords, 2);
	assert_int_equal(provider->keywords[1].value, 6);
	for (uint32_t i = 0; i < 4; i++) {
		assert_string_equal(provider->events[i].name, names[i]);
		assert_string_equal(desc.events[i].name, names[i]);
		assert_int_equal(provider->events[i].id, desc.events[i].id);
		assert_int_equal(provider->events[i].level, desc.events[i].level);
		assert_int_equal(provider->events[i].keywords, desc.events[i].keywords);
	}
	assert_int_equal(provider->events[0].opcode, WT_OPCODE_START);
	assert_int_equal(provider->events[0].level, WT_LEVEL_ALWAYS);
	assert_int_equal(provider->events[1].keywords, 2);
	for (uint32_t i = 0; i < desc.n_sites; i++)
		assert_string_equal(names[desc.sites[i]->event], desc.sites[i]->name);
	wt_provider_destroy(provider);
	wt_sdk_description_deinit(&desc);
}

static void fields_have_their_types(void **state)
{
	struct wt_sdk_description desc;
	struct wt_provider *provider;
	const struct wt_event_desc *event;

	(void)state;
	assert_int_equal(describe(&good, &desc, NULL), 0);
	provider = parse(&desc);
	event = wt_provider_event(provider, "C");
	assert_int_equal(event->n_fields, 24);
	for (uint32_t i = 0; i < 19; i++)
		assert_int_equal(event->fields[i].type, i + 1);
	assert_int_equal(event->fields[19].radix, WT_RADIX_HEX);
	assert_int_equal(event->fields[20].type, WT_TYPE_U64);
	assert_int_equal(event->fields[21].type, WT_TYPE_STRING);
	assert_int_equal(event->fields[22].type, WT_TYPE_U16);
	assert_true(event->fields[22].variable);
	assert_false(event->fields[21].variable);
	wt_provider_destroy(provider);
	wt_sdk_description_deinit(&desc);
}

static void text_is_canonical(void **state)
{
	struct wt_sdk_description desc;
	struct wt_provider *provider;
	struct wt_buf again = {0};

	(void)state;
	assert_int_equal(describe(&good, &desc, NULL), 0);
	provider = parse(&desc);
	assert_int_equal(wt_manifest_render(provider, &again, NULL), 0);
	assert_int_equal(again.len, desc.manifest.len);
	assert_memory_equal(again.data, desc.manifest.data, again.len);
	wt_buf_deinit(&again);
	wt_provider_destroy(provider);
	wt_sdk_description_deinit(&desc);
}

static void an_order_of_linking_changes_nothing(void **state)
{
	size_t n = (size_t)(__stop_wtrace_sites - __start_wtrace_sites);
	struct wtrace_site **turned = calloc(n, sizeof(*turned));
	struct wt_sdk_description desc, other;

	(void)state;
	for (size_t i = 0; i < n; i++)
		turned[i] = __start_wtrace_sites[n - 1 - i];
	assert_int_equal(describe(&good, &desc, NULL), 0);
	assert_int_equal(wt_sdk_describe(&good, turned, turned + n, &other, NULL), 0);
	assert_int_equal(desc.manifest.len, other.manifest.len);
	assert_memory_equal(desc.manifest.data, other.manifest.data, desc.manifest.len);
	wt_sdk_description_deinit(&desc);
	wt_sdk_description_deinit(&other);
	free(turned);
}

static void a_provider_without_events_is_fine(void **state)
{
	struct wt_sdk_description desc;

	(void)state;
	assert_int_equal(describe(&empty, &desc, NULL), 0);
	assert_int_equal(desc.n_events, 0);
	wt_provider_destroy(parse(&desc));
	wt_sdk_description_deinit(&desc);
	assert_int_equal(wt_sdk_describe(&empty, NULL, NULL, &desc, NULL), 0);
	wt_sdk_description_deinit(&desc);
}

static void what_cannot_be_is_named(void **state)
{
	static const struct {
		struct wtrace_provider *provider;
		const char *text;
	} cases[] = {
		{&twice, "event 'e' is described in two different ways"},
		{&twice_case, "is described in two different ways"},
		{&bad_event, "'two words' cannot be the name of an event"},
		{&bad_field, "'a.b' cannot be the name of a field: letters, digits and _, 1 to 255 bytes"},
		{&same_field, "event 'e' has two fields 'v'"},
		{&bad_name, "'linux:sched' cannot be the name of a provider"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_sdk_description desc;

		assert_int_equal(describe(cases[i].provider, &desc, &err), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		if (!strstr(err.text, cases[i].text))
			fail_msg("got: %s", err.text);
	}
}

#define MANY 2000

static void ten_thousand_sites_are_quick_and_have_ids_of_their_own(void **state)
{
	static char names[MANY][16];
	static struct {
		struct wtrace_site site;
		struct wtrace_field end;
	} objects[MANY];
	static struct wtrace_site *list[MANY * 5];
	static uint8_t seen[65536];
	struct wt_sdk_description desc;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "event_%u", i * 7919 % MANY);
		objects[i].site = (struct wtrace_site){
			.provider = &many, .name = names[i], .level = WTRACE_INFO};
	}
	for (unsigned i = 0; i < MANY * 5; i++)
		list[i] = &objects[i % MANY].site;
	assert_int_equal(wt_sdk_describe(&many, list, list + MANY * 5, &desc, NULL), 0);
	assert_int_equal(desc.n_events, MANY);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(seen[desc.events[i].id]++, 0);
	wt_provider_destroy(parse(&desc));
	wt_sdk_description_deinit(&desc);
}

static void ids_stay_when_other_events_come(void **state)
{
	struct wt_sdk_description all, some;
	struct wtrace_site *one = NULL;

	(void)state;
	assert_int_equal(describe(&good, &all, NULL), 0);
	for (uint32_t i = 0; i < all.n_sites; i++)
		if (!strcmp(all.sites[i]->name, "b.second"))
			one = all.sites[i];
	assert_int_equal(wt_sdk_describe(&good, &one, &one + 1, &some, NULL), 0);
	assert_int_equal(some.n_events, 1);
	assert_int_equal(some.events[0].id, all.events[1].id);
	wt_sdk_description_deinit(&all);
	wt_sdk_description_deinit(&some);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_those_of_the_provider_in_order_of_name),
		cmocka_unit_test(fields_have_their_types),
		cmocka_unit_test(text_is_canonical),
		cmocka_unit_test(an_order_of_linking_changes_nothing),
		cmocka_unit_test(a_provider_without_events_is_fine),
		cmocka_unit_test(what_cannot_be_is_named),
		cmocka_unit_test(ten_thousand_sites_are_quick_and_have_ids_of_their_own),
		cmocka_unit_test(ids_stay_when_other_events_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
