// SPDX-License-Identifier: MIT
#include "tracecore/schema/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/schema/builtin.h"

#define HEAD "{\"wtrace_manifest\":1,\n\"provider\":\"my-app\",\n"

static struct wt_provider *parse(const char *json)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *p = NULL;

	if (wt_manifest_parse(json, strlen(json), "t.json", &p, &err))
		fail_msg("%s", err.text);
	return p;
}

static const char everything[] =
	"{\"$schema\":\"manifest.schema.json\",\"wtrace_manifest\":1,\"provider\":\"my-app\","
	"\"guid\":\"01234567-89ab-CDEF-0123-456789abcdef\",\"help\":\"all \\u00e4 \\\"of\\\" it\\n\","
	"\"keywords\":[{\"name\":\"a\",\"mask\":\"0x1\"},{\"name\":\"b\",\"mask\":2,\"help\":\"second\"},"
	"{\"name\":\"top\",\"mask\":\"0x800000000000\"}],"
	"\"levels\":[{\"name\":\"chatty\",\"value\":16}],"
	"\"tasks\":[{\"name\":\"io\",\"value\":7,\"help\":\"in and out\"}],"
	"\"opcodes\":[{\"name\":\"retry\",\"value\":10}],"
	"\"maps\":[{\"name\":\"state\",\"entries\":[{\"name\":\"off\",\"value\":0},{\"name\":\"on, really\","
	"\"value\":\"0xffffffffffffffff\"},{\"name\":\"minus\",\"value\":-2}]},"
	"{\"name\":\"flags\",\"kind\":\"bitmap\",\"entries\":[{\"name\":\"R\",\"value\":1},{\"name\":\"W\","
	"\"value\":2}]}],"
	"\"events\":[{\"id\":1,\"version\":2,\"name\":\"read\",\"level\":\"chatty\",\"keywords\":[\"A\","
	"\"b\"],"
	"\"task\":\"IO\",\"opcode\":\"start\",\"help\":\"h\",\"message\":\"%{fd} 100% {x} "
	"%{buf}\",\"fields\":["
	"{\"name\":\"fd\",\"type\":\"i32\",\"map\":\"state\"},"
	"{\"name\":\"mode\",\"type\":\"u16\",\"map\":\"FLAGS\",\"format\":\"oct\",\"unit\":\"bits\"},"
	"{\"name\":\"buf\",\"type\":\"u8\",\"count\":\"variable\",\"format\":\"hex\",\"help\":\"bytes\"},"
	"{\"name\":\"mac\",\"type\":\"u8\",\"count\":6}]},"
	"{\"id\":\"0xffff\",\"name\":\"9p_op\",\"keywords\":[\"0x100\"],\"opcode\":\"retry\"},"
	"{\"id\":3,\"name\":\"third\",\"level\":5,\"task\":12,\"opcode\":200}]}";

static void everything_is_understood(void **state)
{
	struct wt_provider *p = parse(everything);
	const struct wt_event_desc *e = &p->events[0];

	(void)state;
	assert_string_equal(p->name, "my-app");
	assert_string_equal(p->help, "all \xc3\xa4 \"of\" it\n");
	assert_memory_equal(p->guid, "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef", 16);
	assert_int_equal(p->n_keywords, 3);
	assert_int_equal(p->keywords[2].value, UINT64_C(1) << 47);
	assert_string_equal(p->keywords[1].help, "second");
	assert_int_equal(p->maps[0].entries[1].value, UINT64_MAX);
	assert_int_equal(p->maps[0].entries[2].value, (uint64_t)-2);
	assert_false(p->maps[0].bitmap);
	assert_true(p->maps[1].bitmap);
	assert_int_equal(p->n_events, 3);
	assert_int_equal(e->version, 2);
	assert_int_equal(e->level, 16);
	assert_int_equal(e->keywords, 3);
	assert_int_equal(e->task, 7);
	assert_int_equal(e->opcode, WT_OPCODE_START);
	assert_ptr_equal(e->fields[0].map, &p->maps[0]);
	assert_ptr_equal(e->fields[1].map, &p->maps[1]);
	assert_int_equal(e->fields[1].radix, WT_RADIX_OCT);
	assert_string_equal(e->fields[1].unit, "bits");
	assert_true(e->fields[2].variable);
	assert_int_equal(e->fields[3].count, 6);
	assert_int_equal(p->events[1].id, 65535);
	assert_int_equal(p->events[1].level, WT_LEVEL_INFO);
	assert_int_equal(p->events[1].keywords, 0x100);
	assert_int_equal(p->events[1].opcode, 10);
	assert_int_equal(p->events[2].task, 12);
	assert_int_equal(p->events[2].opcode, 200);
	wt_provider_destroy(p);
}

static void defaults_are_as_documented(void **state)
{
	struct wt_provider *p = parse(HEAD "\"events\":[{\"id\":0,\"name\":\"e\",\"fields\":[{\"name\":\"x\","
					   "\"type\":\"u8\"}]}]}");
	uint8_t guid[16];

	(void)state;
	wt_guid_of_name("MY-app", guid);
	assert_memory_equal(p->guid, guid, 16);
	assert_null(p->help);
	assert_int_equal(p->events[0].level, WT_LEVEL_INFO);
	assert_int_equal(p->events[0].keywords, 0);
	assert_int_equal(p->events[0].version, 0);
	assert_int_equal(p->events[0].fields[0].count, 1);
	assert_int_equal(p->events[0].fields[0].radix, WT_RADIX_DEC);
	assert_null(p->events[0].message);
	wt_provider_destroy(p);
}

/* Renders, parses that, renders again: equal texts mean equal providers. */
static void check_round_trip(struct wt_provider *p)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf first = {0}, second = {0};
	struct wt_provider *again = NULL;

	if (wt_manifest_render(p, &first, &err))
		fail_msg("%s", err.text);
	again = parse(wt_buf_cstr(&first));
	assert_int_equal(wt_manifest_render(again, &second, &err), 0);
	assert_string_equal(wt_buf_cstr(&first), wt_buf_cstr(&second));
	wt_provider_destroy(again);
	wt_buf_deinit(&first);
	wt_buf_deinit(&second);
}

static void rendering_parses_to_an_equal_provider(void **state)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);
	struct wt_provider *p = parse(everything);

	(void)state;
	check_round_trip(p);
	wt_provider_destroy(p);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(wt_builtin_provider(names[i], &p, NULL), 0);
		check_round_trip(p);
		wt_provider_destroy(p);
	}
}

static void rendering_is_the_documented_text(void **state)
{
	struct wt_provider *p = parse(everything);
	struct wt_buf out = {0};

	(void)state;
	wt_buf_puts(&out, "before");
	assert_int_equal(wt_manifest_render(p, &out, NULL), 0);
	assert_string_equal(
		wt_buf_cstr(&out),
		"before{\"wtrace_manifest\":1,\"provider\":\"my-app\","
		"\"guid\":\"01234567-89ab-cdef-0123-456789abcdef\",\"help\":\"all \xc3\xa4 \\\"of\\\" "
		"it\\n\","
		"\"keywords\":[{\"name\":\"a\",\"mask\":\"0x1\"},{\"name\":\"b\",\"mask\":\"0x2\","
		"\"help\":\"second\"},{\"name\":\"top\",\"mask\":\"0x800000000000\"}],"
		"\"levels\":[{\"name\":\"chatty\",\"value\":16}],"
		"\"tasks\":[{\"name\":\"io\",\"value\":7,\"help\":\"in and out\"}],"
		"\"opcodes\":[{\"name\":\"retry\",\"value\":10}],"
		"\"maps\":[{\"name\":\"state\",\"kind\":\"value\",\"entries\":[{\"name\":\"off\",\"value\":0}"
		","
		"{\"name\":\"on, really\",\"value\":\"0xffffffffffffffff\"},"
		"{\"name\":\"minus\",\"value\":\"0xfffffffffffffffe\"}]},"
		"{\"name\":\"flags\",\"kind\":\"bitmap\",\"entries\":[{\"name\":\"R\",\"value\":1},"
		"{\"name\":\"W\",\"value\":2}]}],"
		"\"events\":[{\"name\":\"read\",\"id\":1,\"version\":2,\"level\":16,\"task\":7,\"opcode\":1,"
		"\"keywords\":[\"0x3\"],\"help\":\"h\",\"message\":\"%{fd} 100% {x} %{buf}\",\"fields\":["
		"{\"name\":\"fd\",\"type\":\"i32\",\"map\":\"state\"},"
		"{\"name\":\"mode\",\"type\":\"u16\",\"map\":\"flags\",\"format\":\"oct\",\"unit\":\"bits\"},"
		"{\"name\":\"buf\",\"type\":\"u8\",\"format\":\"hex\",\"count\":\"variable\",\"help\":"
		"\"bytes\"},"
		"{\"name\":\"mac\",\"type\":\"u8\",\"count\":6}]},"
		"{\"name\":\"9p_op\",\"id\":65535,\"version\":0,\"level\":4,\"task\":0,\"opcode\":10,"
		"\"keywords\":[\"0x100\"],\"fields\":[]},"
		"{\"name\":\"third\",\"id\":3,\"version\":0,\"level\":5,\"task\":12,\"opcode\":200,"
		"\"fields\":[]}]}");
	wt_buf_deinit(&out);
	wt_provider_destroy(p);
}

static void what_no_reader_could_parse_is_not_rendered(void **state)
{
	struct wt_provider *p = parse(everything);
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf out = {0};

	(void)state;
	p->events[0].fields[0].name[0] = '*';
	wt_buf_puts(&out, "before");
	assert_int_equal(wt_manifest_render(p, &out, &err), -1);
	assert_string_equal(wt_buf_cstr(&out), "before");
	assert_non_null(strstr(err.text, "provider 'my-app' cannot be written as a manifest"));
	assert_non_null(strstr(err.text, "name '*d'"));
	wt_buf_deinit(&out);
	wt_provider_destroy(p);
}

#define EVENT(rest) HEAD "\"events\":[\n{\"id\":1,\"name\":\"e\"," rest "}]}"
#define FIELD(rest) EVENT("\"fields\":[\n{\"name\":\"f\"," rest "}]")

/* What is wrong, and how the error begins behind "t.json:". */
static const struct {
	const char *json, *error;
} wrong[] = {
	{"", "1: the text ends before the manifest does"},
	{"   ", "1: the text ends before the manifest does"},
	{"{\n\"wtrace_manifest\":1", "2: the text ends before the manifest does"},
	{"{\n\n\"wtrace_manifest\" 1}", "3: not valid JSON: "},
	{"{\"wtrace_manifest\":1,\n}", "2: not valid JSON: "},
	{"{} {}", "1: not valid JSON: "},
	{"{}", "1: 'wtrace_manifest' is missing"},
	{"[]", "1: the manifest must be an object"},
	{"12 ", "1: the manifest must be an object"},
	{"null ", "1: the manifest must be an object"},
	{"{\"wtrace_manifest\":0}", "1: 'wtrace_manifest' is 0, it must be from 1 to"},
	{"{\n\"wtrace_manifest\":2,\"provider\":\"x\"}",
	 "2: manifest language 2, this program knows up to 1"},
	{"{\"wtrace_manifest\":1}", "1: 'provider' is missing"},
	{"{\"wtrace_manifest\":1,\"provider\":\"\"}", "1: provider '' is empty"},
	{"{\"wtrace_manifest\":1,\n\"provider\":\"a b\"}", "2: provider 'a b' may hold only letters"},
	{"{\"wtrace_manifest\":1,\n\"provider\":\"a:b\"}", "2: provider 'a:b' may hold only letters"},
	{"{\"wtrace_manifest\":1,\n\"provider\":\"linux:\"}", "2: provider 'linux:' may hold only letters"},
	{"{\"wtrace_manifest\":1,\n\"provider\":\"linux:a:b\"}",
	 "2: provider 'linux:a:b' may hold only letters"},
	{"{\"wtrace_manifest\":1,\n\"provider\":\"-a\"}",
	 "2: provider '-a' must begin with a letter, a digit"},
	{"{\"wtrace_manifest\":1,\n\"provider\":5}", "2: 'provider' must be a string"},
	{"{\"wtrace_manifest\":1,\n\"provider\":\"a\\u0000b\"}", "2: 'provider' holds a zero byte"},
	{"{\"wtrace_manifest\":2,\"shiny\":1}", "1: manifest language 2, this program knows up to 1"},
	{HEAD "\"guid\":\"123\"}", "3: guid '123' does not have the form"},
	{HEAD "\"guid\":\"01234567-89ab-cdef-0123-456789abcdef0\"}", "3: guid '"},
	{HEAD "\"guid\":\"0123456789ab-cdef-0123-456789abcdef\"}", "3: guid '"},
	{HEAD "\"help\":null}", "3: 'help' must be a string"},
	{HEAD "\"evnts\":[]}", "3: unknown key of the manifest 'evnts'; did you mean 'events'?"},
	{HEAD "\"events\":{}}", "3: 'events' must be a list"},
	{HEAD "\"events\":[],\n\"events\":[]}", "4: this key is given twice"},
	{HEAD "\"events\":[{\"id\":1,\"name\":\"e\",\n\"id\":2}]}", "4: this key is given twice"},
	{HEAD "\"events\":[],\"\\u0065vents\":[]}", "1: a key is given twice"},

	{HEAD "\"keywords\":[1]}", "3: a keyword must be an object"},
	{HEAD "\"keywords\":[\n{\"mask\":1}]}", "4: 'name' is missing"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\"}]}", "4: 'mask' is missing"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"value\":1}]}", "4: unknown key of a keyword 'value'"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":0}]}", "4: the mask of keyword 'k' is 0"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":1.5}]}", "4: 1.5 is not a whole number"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":\"0x\"}]}", "4: \"0x\" is not a whole number"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":\"12\"}]}", "4: \"12\" is not a whole number"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":\"0x11112222333344445\"}]}", "4: \"0x11112222"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":\"0x1000000000000\"}]}",
	 "4: the mask of keyword 'k' (0x1000000000000) uses the top 16 bits"},
	{HEAD "\"keywords\":[\n{\"name\":\"k\",\"mask\":-1}]}",
	 "4: the mask of keyword 'k' (0xffffffffffffffff)"},
	{HEAD "\"keywords\":[{\"name\":\"k\",\"mask\":3},\n{\"name\":\"l\",\n\"mask\":2}]}",
	 "5: the mask of keyword 'l' (0x2) overlaps keyword 'k'"},
	{HEAD "\"keywords\":[{\"name\":\"k\",\"mask\":1},\n{\"name\":\"K\",\"mask\":2}]}",
	 "4: keyword 'K' is there already"},
	{HEAD "\"keywords\":[{\"name\":\"0x1\",\"mask\":1}]}",
	 "3: name '0x1' must begin with a letter or '_'"},

	{HEAD "\"levels\":[\n{\"name\":\"l\",\"value\":15}]}", "4: 'value' is 15, it must be from 16 to 255"},
	{HEAD "\"levels\":[\n{\"name\":\"l\"}]}", "4: 'value' is missing"},
	{HEAD "\"levels\":[\n{\"name\":\"Info\",\"value\":16}]}", "4: level 'Info' is a standard one"},
	{HEAD "\"levels\":[{\"name\":\"a\",\"value\":16},\n{\"name\":\"b\",\"value\":16}]}",
	 "4: level 'b' has the value 16, which another one has"},
	{HEAD "\"tasks\":[\n{\"name\":\"t\",\"value\":0}]}", "4: 'value' is 0, it must be from 1 to 65535"},
	{HEAD "\"tasks\":[\n{\"name\":\"t\",\"value\":-1}]}", "4: 'value' is -1, it must be from 1 to 65535"},
	{HEAD "\"tasks\":[\n{\"name\":\"t\",\"value\":65536}]}", "4: 'value' is 65536, it must be from 1 to"},
	{HEAD "\"tasks\":[\n{\"name\":\"t\",\"value\":99999999999999999999}]}", "4: a number does not fit"},
	{HEAD "\"opcodes\":[\n{\"name\":\"o\",\"value\":9}]}", "4: 'value' is 9, it must be from 10 to 239"},
	{HEAD "\"opcodes\":[\n{\"name\":\"START\",\"value\":10}]}", "4: opcode 'START' is a standard one"},

	{HEAD "\"maps\":[\n{\"name\":\"m\",\"kind\":\"bits\"}]}", "4: unknown kind of map 'bits'"},
	{HEAD "\"maps\":[{\"name\":\"m\"},\n{\"name\":\"M\"}]}", "4: map 'M' is there already"},
	{HEAD "\"maps\":[{\"name\":\"m\",\"entries\":[{\"name\":\"x\",\n\"value\":-9223372036854775809}]}]}",
	 "4: a number does not fit"},
	{HEAD "\"maps\":[\n{\"name\":\"m\",\"entries\":[\n{\"name\":\"x\"}]}]}", "5: 'value' is missing"},
	{HEAD "\"maps\":[\n{\"name\":\"m\",\"entries\":[\n{\"name\":\"\",\"value\":1}]}]}",
	 "5: name '' is empty"},
	{HEAD "\"maps\":[\n{\"name\":\"m\",\"entries\":[\n{\"name\":\"a\\nb\",\"value\":1}]}]}",
	 "5: name 'a?b' holds control"},
	{HEAD "\"maps\":[\n{\"name\":\"m\",\"entries\":[{\"name\":\"x\",\"value\":1},\n{\"name\":\"x\","
	      "\"value\":2}]}]}",
	 "5: map entry 'x' is there already"},

	{HEAD "\"events\":[\n7]}", "4: an event must be an object"},
	{HEAD "\"events\":[\n{\"id\":1}]}", "4: 'name' is missing"},
	{HEAD "\"events\":[\n{\"name\":\"e\"}]}", "4: event 'e' has no 'id'"},
	{HEAD "\"events\":[\n{\"name\":\"e\",\"id\":65536}]}",
	 "4: 'id' is 65536, it must be from 0 to 65535"},
	{HEAD "\"events\":[{\"name\":\"e\",\"id\":1},\n{\"name\":\"d\",\"id\":1}]}",
	 "4: event 'd' has the id 1, which event 'e' has"},
	{HEAD "\"events\":[{\"name\":\"e\",\"id\":1},\n{\"name\":\"E\",\"id\":2}]}",
	 "4: event 'E' is there already"},
	{EVENT("\n\"version\":256"), "5: 'version' is 256, it must be from 0 to 255"},
	{EVENT("\n\"level\":\"inf\""), "5: unknown level 'inf'; did you mean 'info'?"},
	{EVENT("\n\"level\":256"), "5: 'level' is 256"},
	{EVENT("\n\"opcode\":\"begin\""),
	 "5: unknown opcode 'begin'; known: info, start, stop, dcstart, dcstop"},
	{EVENT("\n\"task\":\"t\""), "5: unknown task 't'; the manifest defines none"},
	{EVENT("\n\"keywords\":[\n\"k\"]"), "6: unknown keyword 'k'; the manifest defines none"},
	{EVENT("\n\"keywords\":[\n\"0xzz\"]"), "6: \"0xzz\" is not a whole number"},
	{EVENT("\n\"keywords\":[\n\"0x1000000000000\"]"), "6: the keyword mask 0x1000000000000 uses the top"},
	{EVENT("\n\"message\":\"%{nothing}\""),
	 "5: the message names a field 'nothing', which event 'e' does"},
	{EVENT("\n\"message\":\"a %{\""), "5: the message has a \"%{\" without a \"}\""},
	{EVENT("\n\"fields\":[{\"name\":\"f\",\"type\":\"u8\"},\n{\"name\":\"f\",\"type\":\"u8\"}]"),
	 "6: event 'e' has a field 'f' already"},

	{FIELD("\"x\":1"),
	 "5: unknown key of a field 'x'; known: name, type, map, format, count, unit, help"},
	{FIELD("\"help\":\"\""), "5: field 'f' has no 'type'"},
	{FIELD("\n\"type\":\"int\""), "6: unknown type 'int'; known: u8, u16"},
	{FIELD("\n\"type\":\"u33\""), "6: unknown type 'u33'; did you mean 'u32'?"},
	{FIELD("\"type\":\"u8\",\n\"map\":\"m\""), "6: unknown map 'm'; the manifest defines none"},
	{FIELD("\"type\":\"string\",\n\"map\":\"m\""), "6: field 'f' is a string: 'map' is for integers"},
	{FIELD("\"type\":\"f32\",\n\"format\":\"hex\""), "6: field 'f' is a f32: 'format' is for integers"},
	{FIELD("\"type\":\"u8\",\n\"format\":\"bin\""), "6: unknown format 'bin'; known: dec, hex, oct"},
	{FIELD("\"type\":\"u8\",\n\"count\":0"), "6: 'count' is 0, it must be from 1 to 65535"},
	{FIELD("\"type\":\"u8\",\n\"count\":\"many\""), "6: 'count' is 'many', it must be a number"},
	{FIELD("\"type\":\"binary\",\n\"count\":2"),
	 "6: field 'f' is a binary: lists are for types of a fixed"},
	{EVENT("\"fields\":[\n{\"name\":\"1f\",\"type\":\"u8\"}]"), "5: name '1f' is not an identifier"},
};

static void every_mistake_is_named_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_provider *p = NULL;
		char expected[256];

		snprintf(expected, sizeof(expected), "t.json:%s", wrong[i].error);
		assert_int_equal(wt_manifest_parse(wrong[i].json, strlen(wrong[i].json), "t.json", &p, &err),
				 -1);
		if (strncmp(err.text, expected, strlen(expected)))
			fail_msg("%s\nexpected: %s\ngot:      %s", wrong[i].json, expected, err.text);
		assert_null(p);
		assert_int_equal(err.code,
				 strstr(err.text, "manifest language") ? WT_ERR_VERSION : WT_ERR_FORMAT);
		assert_int_equal(wt_manifest_parse(wrong[i].json, strlen(wrong[i].json), "t.json", &p, NULL),
				 -1);
	}
}

struct found {
	size_t n;
	char first[256];
};

static void tell(void *ctx, size_t line, const char *text)
{
	struct found *found = ctx;

	if (found->n++)
		return;
	snprintf(found->first, sizeof(found->first), "%zu: %s", line, text);
}

/* Each mistake above is also the first (nearly always the only) one that a check tells. */
static void a_check_tells_the_same_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_provider *p = NULL;
		struct found found = {0};

		assert_int_equal(wt_manifest_check(wrong[i].json, strlen(wrong[i].json), "t.json", tell,
						   &found, &p, &err),
				 -1);
		if (strncmp(found.first, wrong[i].error, strlen(wrong[i].error)))
			fail_msg("%s\nexpected: %s\ngot:      %s", wrong[i].json, wrong[i].error,
				 found.first);
		assert_null(p);
	}
}

static void a_check_of_a_valid_manifest_tells_nothing(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *p = NULL;
	struct found found = {0};

	(void)state;
	assert_int_equal(
		wt_manifest_check(everything, sizeof(everything) - 1, "t.json", tell, &found, &p, &err), 0);
	assert_int_equal(found.n, 0);
	assert_int_equal(p->n_events, 3);
	wt_provider_destroy(p);
}

/* A manifest of 10,000 faulty events: the check gives up after a bounded number of errors. */
static void a_check_gives_up_after_a_hundred(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *p = NULL;
	struct found found = {0};
	struct wt_buf text = {0};

	(void)state;
	wt_buf_puts(&text, HEAD "\"events\":[");
	for (int i = 0; i < 10000; i++)
		wt_buf_printf(&text, "%s\n{\"id\":1,\"name\":\"e%d\"}", i ? "," : "", i);
	wt_buf_puts(&text, "]}");
	assert_int_equal(wt_manifest_check(wt_buf_cstr(&text), text.len, "t.json", tell, &found, &p, &err),
			 -1);
	assert_int_equal(found.n, WT_MANIFEST_MAX_ERRORS);
	assert_string_equal(found.first, "5: event 'e1' has the id 1, which event 'e0' has");
	assert_null(p);
	wt_buf_deinit(&text);
}

static void what_is_no_mistake_in_the_text_is_not_told(void **state)
{
	char *text = calloc(1, WT_SCHEMA_MAX_JSON + 1);
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *p = NULL;
	struct found found = {0};

	(void)state;
	assert_int_equal(wt_manifest_check(text, WT_SCHEMA_MAX_JSON + 1, "t.json", tell, &found, &p, &err),
			 -1);
	assert_int_equal(found.n, 0);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	free(text);
}

/* Cut anywhere, a manifest is an error and never half a provider. */
static void every_cut_is_refused(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(everything) - 1; len++) {
		char *cut = malloc(len ? len : 1);
		struct wt_provider *p = NULL;

		memcpy(cut, everything, len);
		assert_int_equal(wt_manifest_parse(cut, len, "t", &p, NULL), -1);
		free(cut);
	}
}

static void bytes_that_json_forbids_are_refused(void **state)
{
	static const char zero[] = "{\"wtrace_manifest\":1,\"provider\":\"a\"}\0";
	static const char latin1[] = "{\"wtrace_manifest\":1,\"provider\":\"a\",\"help\":\"\xe4\"}";
	struct wt_provider *p = NULL;

	(void)state;
	assert_int_equal(wt_manifest_parse(zero, sizeof(zero) - 1, "t", &p, NULL), -1);
	assert_int_equal(wt_manifest_parse(latin1, sizeof(latin1) - 1, "t", &p, NULL), -1);
	assert_int_equal(wt_manifest_parse("{}\xff", 3, "t", &p, NULL), -1);
}

static void white_space_around_is_fine(void **state)
{
	struct wt_provider *p = parse(" \r\n\t{\"wtrace_manifest\" : 1 , \"provider\":\"a\"}\n \n");

	(void)state;
	assert_string_equal(p->name, "a");
	wt_provider_destroy(p);
}

/* A manifest with n of something: before, then n times one printed with its number, then after. */
static char *many(const char *before, const char *one, size_t n, const char *after)
{
	struct wt_buf out = {0};
	char *text;

	wt_buf_puts(&out, before);
	for (size_t i = 0; i < n; i++) {
		wt_buf_puts(&out, i ? "," : "");
		for (const char *p = one; *p; p++) {
			if (*p == '#')
				wt_buf_printf(&out, "%zu", i);
			else
				wt_buf_put_u8(&out, (uint8_t)*p);
		}
	}
	wt_buf_puts(&out, after);
	text = strdup(wt_buf_cstr(&out));
	wt_buf_deinit(&out);
	return text;
}

static void bounds_hold_and_are_named(void **state)
{
	static const struct {
		const char *before, *one;
		size_t n;
		const char *after;
	} bounds[] = {
		{HEAD "\"events\":[", "{\"id\":#,\"name\":\"e#\"}", WT_SCHEMA_MAX_EVENTS, "]}"},
		{HEAD "\"events\":[{\"id\":1,\"name\":\"e\",\"fields\":[",
		 "{\"name\":\"f#\",\"type\":\"u8\"}", WT_SCHEMA_MAX_FIELDS, "]}]}"},
		{HEAD "\"maps\":[", "{\"name\":\"m#\"}", WT_SCHEMA_MAX_MAPS, "]}"},
		{HEAD "\"maps\":[{\"name\":\"m\",\"entries\":[", "{\"name\":\"#\",\"value\":#}",
		 WT_SCHEMA_MAX_MAP_ENTRIES, "]}]}"},
		{HEAD "\"tasks\":[", "{\"name\":\"t#\",\"value\":1#}", 1000, "]}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		char *fits = many(bounds[i].before, bounds[i].one, bounds[i].n, bounds[i].after);
		struct wt_provider *p = parse(fits);

		wt_provider_destroy(p);
		free(fits);
	}
	for (size_t i = 0; i + 1 < sizeof(bounds) / sizeof(bounds[0]); i++) {
		char *over = many(bounds[i].before, bounds[i].one, bounds[i].n + 1, bounds[i].after);
		struct wt_err err = WT_ERR_INIT;
		struct wt_provider *p = NULL;
		char bound[32];

		assert_int_equal(wt_manifest_parse(over, strlen(over), "t", &p, &err), -1);
		snprintf(bound, sizeof(bound), "at most %zu", bounds[i].n);
		assert_non_null(strstr(err.text, bound));
		free(over);
	}
}

static void long_names_and_deep_nesting_are_refused(void **state)
{
	char *fits = many(HEAD "\"events\":[{\"id\":1,\"name\":\"", "aaaa", 1, "\"}]}");
	struct wt_buf name = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *p = parse(fits);

	(void)state;
	wt_provider_destroy(p);
	free(fits);
	wt_buf_puts(&name, HEAD "\"events\":[{\"id\":1,\"name\":\"");
	for (int i = 0; i < 256; i++)
		wt_buf_puts(&name, "a");
	wt_buf_puts(&name, "\"}]}");
	assert_int_equal(wt_manifest_parse((char *)name.data, name.len, "t", &p, &err), -1);
	assert_non_null(strstr(err.text, "longer than 255 bytes"));
	wt_buf_clear(&name);
	for (int i = 0; i < 100000; i++)
		wt_buf_puts(&name, "[");
	assert_int_equal(wt_manifest_parse((char *)name.data, name.len, "t", &p, &err), -1);
	assert_string_equal(err.text, "t:1: nested deeper than 32 levels");
	assert_int_equal(wt_manifest_parse("", WT_SCHEMA_MAX_JSON + 1, "t", &p, &err), -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	wt_buf_deinit(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_understood),
		cmocka_unit_test(defaults_are_as_documented),
		cmocka_unit_test(rendering_parses_to_an_equal_provider),
		cmocka_unit_test(rendering_is_the_documented_text),
		cmocka_unit_test(what_no_reader_could_parse_is_not_rendered),
		cmocka_unit_test(every_mistake_is_named_with_its_line),
		cmocka_unit_test(a_check_tells_the_same_mistakes),
		cmocka_unit_test(a_check_of_a_valid_manifest_tells_nothing),
		cmocka_unit_test(a_check_gives_up_after_a_hundred),
		cmocka_unit_test(what_is_no_mistake_in_the_text_is_not_told),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(bytes_that_json_forbids_are_refused),
		cmocka_unit_test(white_space_around_is_fine),
		cmocka_unit_test(bounds_hold_and_are_named),
		cmocka_unit_test(long_names_and_deep_nesting_are_refused),
	};

	return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
