// SPDX-License-Identifier: MIT
/*
 * Holds manifests/manifest.schema.json and the parser together. A small validator for the part of JSON Schema
 * the file uses (an unknown keyword of the schema language fails the test, so nothing is passed over).
 */
#include "tracecore/schema/schema.h"

#include <json-c/json.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/tracecore/schema/payload.h"

static struct json_object *root;

static bool valid(struct json_object *schema, struct json_object *value);

static bool keyword_type(struct json_object *arg, struct json_object *value)
{
	const char *type = json_object_get_string(arg);

	if (!strcmp(type, "object"))
		return json_object_is_type(value, json_type_object);
	if (!strcmp(type, "array"))
		return json_object_is_type(value, json_type_array);
	if (!strcmp(type, "string"))
		return json_object_is_type(value, json_type_string);
	assert_string_equal(type, "integer");
	return json_object_is_type(value, json_type_int);
}

static bool keyword_enum(struct json_object *arg, struct json_object *value)
{
	for (size_t i = 0; i < json_object_array_length(arg); i++) {
		if (json_object_equal(json_object_array_get_idx(arg, i), value))
			return true;
	}
	return false;
}

static bool keyword_any_of(struct json_object *arg, struct json_object *value)
{
	for (size_t i = 0; i < json_object_array_length(arg); i++) {
		if (valid(json_object_array_get_idx(arg, i), value))
			return true;
	}
	return false;
}

static bool keyword_ref(struct json_object *arg, struct json_object *value)
{
	static const char prefix[] = "#/definitions/";
	const char *name = json_object_get_string(arg);
	struct json_object *definitions = json_object_object_get(root, "definitions"), *schema = NULL;

	assert_memory_equal(name, prefix, sizeof(prefix) - 1);
	assert_true(json_object_object_get_ex(definitions, name + sizeof(prefix) - 1, &schema));
	return valid(schema, value);
}

static bool keyword_pattern(struct json_object *arg, struct json_object *value)
{
	bool matches;
	regex_t re;

	if (!json_object_is_type(value, json_type_string))
		return true;
	assert_int_equal(regcomp(&re, json_object_get_string(arg), REG_EXTENDED | REG_NOSUB), 0);
	matches = !regexec(&re, json_object_get_string(value), 0, NULL, 0);
	regfree(&re);
	return matches;
}

static bool keyword_length(const char *keyword, struct json_object *arg, struct json_object *value)
{
	int64_t bound = json_object_get_int64(arg);

	if (!strcmp(keyword, "maxItems"))
		return !json_object_is_type(value, json_type_array) ||
		       (int64_t)json_object_array_length(value) <= bound;
	if (!json_object_is_type(value, json_type_string))
		return true;
	return !strcmp(keyword, "minLength") ? json_object_get_string_len(value) >= bound
					     : json_object_get_string_len(value) <= bound;
}

static bool keyword_range(const char *keyword, struct json_object *arg, struct json_object *value)
{
	double bound = json_object_get_double(arg);

	if (!json_object_is_type(value, json_type_int))
		return true;
	return !strcmp(keyword, "minimum") ? json_object_get_double(value) >= bound
					   : json_object_get_double(value) <= bound;
}

static bool keyword_required(struct json_object *arg, struct json_object *value)
{
	for (size_t i = 0; i < json_object_array_length(arg); i++) {
		const char *key = json_object_get_string(json_object_array_get_idx(arg, i));

		if (json_object_is_type(value, json_type_object) &&
		    !json_object_object_get_ex(value, key, NULL))
			return false;
	}
	return true;
}

/* "properties" with "additionalProperties": false beside it. */
static bool keyword_properties(struct json_object *arg, struct json_object *value)
{
	if (!json_object_is_type(value, json_type_object))
		return true;
	json_object_object_foreach(value, key, member)
	{
		struct json_object *schema = NULL;

		if (!json_object_object_get_ex(arg, key, &schema) || !valid(schema, member))
			return false;
	}
	return true;
}

static bool keyword_items(struct json_object *arg, struct json_object *value)
{
	if (!json_object_is_type(value, json_type_array))
		return true;
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		if (!valid(arg, json_object_array_get_idx(value, i)))
			return false;
	}
	return true;
}

static bool keyword_holds(struct json_object *schema, const char *keyword, struct json_object *arg,
			  struct json_object *value)
{
	if (!strcmp(keyword, "type"))
		return keyword_type(arg, value);
	if (!strcmp(keyword, "enum"))
		return keyword_enum(arg, value);
	if (!strcmp(keyword, "anyOf"))
		return keyword_any_of(arg, value);
	if (!strcmp(keyword, "$ref"))
		return keyword_ref(arg, value);
	if (!strcmp(keyword, "pattern"))
		return keyword_pattern(arg, value);
	if (!strcmp(keyword, "maxLength") || !strcmp(keyword, "minLength") || !strcmp(keyword, "maxItems"))
		return keyword_length(keyword, arg, value);
	if (!strcmp(keyword, "minimum") || !strcmp(keyword, "maximum"))
		return keyword_range(keyword, arg, value);
	if (!strcmp(keyword, "required"))
		return keyword_required(arg, value);
	if (!strcmp(keyword, "items"))
		return keyword_items(arg, value);
	if (!strcmp(keyword, "properties")) {
		assert_false(json_object_get_boolean(json_object_object_get(schema, "additionalProperties")));
		return keyword_properties(arg, value);
	}
	if (!strcmp(keyword, "additionalProperties"))
		return true;
	assert_ptr_equal(schema, root);
	assert_true(!strcmp(keyword, "$schema") || !strcmp(keyword, "title") ||
		    !strcmp(keyword, "description") || !strcmp(keyword, "definitions"));
	return true;
}

static bool valid(struct json_object *schema, struct json_object *value)
{
	assert_true(json_object_is_type(schema, json_type_object));
	json_object_object_foreach(schema, keyword, arg)
	{
		if (!keyword_holds(schema, keyword, arg, value))
			return false;
	}
	return true;
}

static int load_schema(void **state)
{
	(void)state;
	root = json_object_from_file("manifests/manifest.schema.json");
	return root ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	return json_object_put(root) == 1 ? 0 : -1;
}

static void shipped_manifests_are_valid(void **state)
{
	static const char *const paths[] = {"manifests/wtrace.json", "manifests/kernel_proc_thread.json",
					    "manifests/kernel_loader.json", "manifests/pmu_profile.json"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct json_object *manifest = json_object_from_file(paths[i]);

		assert_non_null(manifest);
		if (!valid(root, manifest))
			fail_msg("%s is not valid", paths[i]);
		json_object_put(manifest);
	}
}

#define HEAD      "{\"wtrace_manifest\":1,\"provider\":\"a\""
#define EVENT(e)  HEAD ",\"events\":[{\"id\":1,\"name\":\"e\"" e "}]}"
#define FIELD(f)  EVENT(",\"fields\":[{\"name\":\"f\"" f "}]")
#define MAP(m)    HEAD ",\"maps\":[{\"name\":\"m\"" m "}]}"
#define ROW(l, r) HEAD ",\"" l "\":[{\"name\":\"r\"" r "}]}"

static const char *const both_take[] = {
	HEAD "}",
	HEAD ",\"$schema\":\"x\",\"help\":\"\",\"guid\":\"01234567-89ab-CDEF-0123-456789abcdef\"}",
	"{\"wtrace_manifest\":1,\"provider\":\"linux:9p\"}",
	ROW("keywords", ",\"mask\":\"0xff\""),
	ROW("keywords", ",\"mask\":281474976710655,\"help\":\"h\""),
	ROW("levels", ",\"value\":16"),
	ROW("levels", ",\"value\":255,\"help\":\"h\""),
	ROW("tasks", ",\"value\":1"),
	ROW("tasks", ",\"value\":65535"),
	ROW("opcodes", ",\"value\":10"),
	ROW("opcodes", ",\"value\":239"),
	MAP(""),
	MAP(",\"kind\":\"bitmap\",\"entries\":[{\"name\":\"a "
	    "b\",\"value\":-1},{\"name\":\"c\",\"value\":\"0xA\"}]"),
	EVENT(""),
	EVENT(",\"version\":255,\"level\":\"error\",\"opcode\":\"dcstop\",\"help\":\"h\",\"message\":\"m\""),
	EVENT(",\"level\":255,\"opcode\":239,\"task\":65535,\"keywords\":[1,\"0x2\"]"),
	FIELD(",\"type\":\"u8\",\"format\":\"oct\",\"count\":65535,\"unit\":\"u\",\"help\":\"h\""),
	FIELD(",\"type\":\"u8\",\"count\":\"variable\""),
	FIELD(",\"type\":\"sockaddr\""),
};

static const char *const both_refuse[] = {
	"[]",
	"{\"provider\":\"a\"}",
	"{\"wtrace_manifest\":1}",
	"{\"wtrace_manifest\":2,\"provider\":\"a\"}",
	"{\"wtrace_manifest\":1,\"provider\":\"a b\"}",
	"{\"wtrace_manifest\":1,\"provider\":\"other:a\"}",
	"{\"wtrace_manifest\":1,\"provider\":\"\"}",
	HEAD ",\"other\":1}",
	HEAD ",\"guid\":\"1\"}",
	HEAD ",\"help\":1}",
	HEAD ",\"events\":{}}",
	ROW("keywords", ""),
	ROW("keywords", ",\"mask\":0"),
	ROW("keywords", ",\"mask\":281474976710656"),
	ROW("keywords", ",\"mask\":\"ff\""),
	ROW("keywords", ",\"mask\":1,\"value\":1"),
	ROW("levels", ",\"value\":15"),
	ROW("levels", ",\"value\":256"),
	ROW("tasks", ",\"value\":0"),
	ROW("tasks", ",\"value\":65536"),
	ROW("opcodes", ",\"value\":9"),
	ROW("opcodes", ",\"value\":240"),
	MAP(",\"kind\":\"bits\""),
	MAP(",\"entries\":[{\"name\":\"\",\"value\":1}]"),
	MAP(",\"entries\":[{\"name\":\"a\"}]"),
	MAP(",\"help\":\"h\""),
	HEAD ",\"events\":[{\"id\":1}]}",
	HEAD ",\"events\":[{\"name\":\"e\"}]}",
	HEAD ",\"events\":[{\"id\":65536,\"name\":\"e\"}]}",
	HEAD ",\"events\":[{\"id\":1.5,\"name\":\"e\"}]}",
	EVENT(",\"version\":256"),
	EVENT(",\"level\":256"),
	EVENT(",\"opcode\":240"),
	EVENT(",\"task\":-1"),
	EVENT(",\"keywords\":1"),
	EVENT(",\"keywords\":[281474976710656]"),
	EVENT(",\"message\":null"),
	FIELD(""),
	FIELD(",\"type\":\"int\""),
	FIELD(",\"type\":\"u8\",\"format\":\"bin\""),
	FIELD(",\"type\":\"u8\",\"count\":0"),
	FIELD(",\"type\":\"u8\",\"count\":\"some\""),
	FIELD(",\"type\":\"u8\",\"size\":1"),
	EVENT(",\"fields\":[{\"name\":\"1f\",\"type\":\"u8\"}]"),
};

static void check_both(const char *json, bool expected)
{
	struct json_object *manifest = json_tokener_parse(json);
	struct wt_provider *p = NULL;
	struct wt_err err = WT_ERR_INIT;
	bool parsed = !wt_manifest_parse(json, strlen(json), "t", &p, &err);

	assert_non_null(manifest);
	if (valid(root, manifest) != expected || parsed != expected)
		fail_msg("%s: schema %d, parser %d, expected %d (%s)", json, valid(root, manifest), parsed,
			 expected, err.text);
	wt_provider_destroy(p);
	json_object_put(manifest);
}

static void parser_and_schema_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(both_take) / sizeof(both_take[0]); i++)
		check_both(both_take[i], true);
	for (size_t i = 0; i < sizeof(both_refuse) / sizeof(both_refuse[0]); i++)
		check_both(both_refuse[i], false);
}

static void every_type_is_in_the_schema(void **state)
{
	(void)state;
	for (int type = WT_TYPE_U8; type <= WT_TYPE_SOCKADDR; type++) {
		struct wt_buf json = {0};

		wt_buf_printf(&json, FIELD(",\"type\":\"%s\""), wt_type_name((enum wt_type)type));
		check_both(wt_buf_cstr(&json), true);
		wt_buf_deinit(&json);
	}
}

static void canonical_form_is_valid_too(void **state)
{
	struct json_object *canonical;
	struct wt_provider *p = NULL;
	struct wt_buf text = {0};
	static const char json[] = FIELD(",\"type\":\"u64\",\"format\":\"hex\",\"count\":2");

	(void)state;
	assert_int_equal(wt_manifest_parse(json, sizeof(json) - 1, "t", &p, NULL), 0);
	assert_int_equal(wt_manifest_render(p, &text, NULL), 0);
	canonical = json_tokener_parse(wt_buf_cstr(&text));
	assert_true(valid(root, canonical));
	json_object_put(canonical);
	wt_buf_deinit(&text);
	wt_provider_destroy(p);
}

/* The text between the first ```json and the next ``` of MANIFEST.md. */
static size_t read_example(char *text, size_t size, const char **begin)
{
	FILE *f = fopen("manifests/MANIFEST.md", "rb");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, size - 1, f);
	fclose(f);
	text[n] = 0;
	*begin = strstr(text, "```json\n");
	assert_non_null(*begin);
	*begin += strlen("```json\n");
	return (size_t)(strstr(*begin, "```") - *begin);
}

static void show(const struct wt_event_desc *event, const struct wt_value *values, const char *expected)
{
	struct wt_buf out = {0};

	for (uint32_t i = 0; i < event->n_fields; i++) {
		wt_buf_printf(&out, "%s\"%s\":", i ? "," : "{", event->fields[i].name);
		wt_value_json(&values[i], &out);
	}
	wt_buf_puts(&out, "}");
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

/* What MANIFEST.md shows parses, is valid, has the GUID and the payload it says. */
static void example_of_the_document_is_real(void **state)
{
	static const char payload[] = "\x06\x00\x2f\x74\x6d\x70\x2f\x61\x01\x00\x10\x00\x00";
	static const uint8_t guid[4] = {0x51, 0x97, 0x7a, 0xda};
	static char text[65536];
	const struct wt_event_desc *event;
	struct wt_provider *p = NULL;
	struct wt_value values[3];
	const char *begin;
	size_t len = read_example(text, sizeof(text), &begin);

	(void)state;
	assert_non_null(strstr(begin, "\n06 00 2f 74 6d 70 2f 61 "));
	assert_non_null(strstr(begin, "\n01       "));
	assert_non_null(strstr(begin, "\n00 10 00 00 "));
	assert_int_equal(wt_manifest_parse(begin, len, "MANIFEST.md", &p, NULL), 0);
	text[begin - text + (ptrdiff_t)len] = 0;
	check_both(begin, true);
	assert_memory_equal(p->guid, guid, sizeof(guid));
	event = wt_provider_event(p, "request_stop");
	assert_int_equal(payload_decode(event, payload, sizeof(payload) - 1, values), 0);
	show(event, values, "{\"path\":\"/tmp/a\",\"verdict\":\"refused\",\"bytes\":4096}");
	wt_provider_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_manifests_are_valid),
		cmocka_unit_test(parser_and_schema_agree),
		cmocka_unit_test(every_type_is_in_the_schema),
		cmocka_unit_test(canonical_form_is_valid_too),
		cmocka_unit_test(example_of_the_document_is_real),
	};

	return cmocka_run_group_tests_name("manifest_schema", tests, load_schema, free_schema);
}
