// SPDX-License-Identifier: MIT
/* What the reader says of events, types, fields, values and frames: of a golden log, and of one whose
 * manifest uses every part of the language. */
#include "tests/unit/consumers/reader/reader_fixture.h"

#define EMBED(name, file)                                                                                 \
	__asm__(".section .rodata\n.balign 8\n.globl " #name "\n" #name ":\n.incbin \"tests/golden/" file \
		"\"\n"                                                                                    \
		".globl " #name "_end\n" #name "_end:\n.byte 0\n.previous\n");                            \
	extern const uint8_t name[], name##_end[]

EMBED(golden_types, "types.wtl");
EMBED(golden_inlined, "inlined.wtl");
EMBED(golden_manifest, "manifests/types.json");

static struct {
	int fd;
	struct wtr_trace *trace;
	struct wtr_cursor *cursor;
	const struct wtr_event *event;
	const struct wtr_type *type;
} it;

static int begin(void **state)
{
	(void)state;
	it.fd = fixture_bytes(golden_types, (size_t)(golden_types_end - golden_types));
	it.trace = fixture_trace(it.fd);
	assert_result(wtr_set_symbols(it.trace, WTR_SYMBOLS_LOG), WTR_OK);
	it.cursor = fixture_cursor(it.trace);
	return 0;
}

static int begin_inlined(void **state)
{
	(void)state;
	it.fd = fixture_bytes(golden_inlined, (size_t)(golden_inlined_end - golden_inlined));
	it.trace = fixture_trace(it.fd);
	assert_result(wtr_set_symbols(it.trace, WTR_SYMBOLS_LOG), WTR_OK);
	it.cursor = fixture_cursor(it.trace);
	return 0;
}

static int end(void **state)
{
	(void)state;
	wtr_cursor_destroy(it.cursor);
	wtr_close(it.trace);
	close(it.fd);
	return 0;
}

/* Stands at the first event at or after that time. */
static void at(uint64_t time)
{
	assert_result(wtr_seek(it.cursor, time), WTR_OK);
	assert_result(wtr_next(it.cursor, &it.event), WTR_OK);
	it.type = wtr_event_type(it.event);
	assert_int_equal(wtr_event_time(it.event), time);
}

static uint32_t field(const char *name)
{
	int number = wtr_type_field(it.type, name);

	if (number < 0)
		fail_msg("no field %s", name);
	return (uint32_t)number;
}

/* ---- events of the golden log: tests/golden/types.txt says what is in it ---- */

static void an_event_and_who_caused_it(void **state)
{
	struct wtr_info info = {.size = sizeof(info)};
	uint64_t wall;

	(void)state;
	at(2399);
	assert_int_equal(wtr_event_cpu(it.event), 1);
	assert_int_equal(wtr_event_pid(it.event), 10);
	assert_int_equal(wtr_event_tid(it.event), 11);
	assert_string_equal(wtr_event_process(it.event), "proc");
	assert_string_equal(wtr_event_thread(it.event), "thr");
	assert_string_equal(wtr_event_exe(it.event), "/bin/proc");
	assert_int_equal(wtr_event_process_start(it.event), 99);
	assert_int_equal(wtr_event_is_recorder(it.event), 1);
	assert_int_equal(wtr_event_file(it.event), 0);
	assert_null(wtr_event_activity(it.event));
	assert_null(wtr_event_related(it.event));
	wall = wtr_wall_time(it.trace, 2399);
	assert_int_equal(wtr_wall_time(it.trace, 3399), wall + 1000);
	assert_int_equal(wtr_wall_time(it.trace, 0), wall - 2399);
	at(413);
	assert_int_equal(wtr_event_cpu(it.event), -1);
	assert_int_equal(wtr_event_pid(it.event), 0);
	assert_string_equal(wtr_event_process(it.event), "?");
	assert_string_equal(wtr_event_exe(it.event), "");
	assert_int_equal(wtr_event_process_start(it.event), 0);
	assert_result(wtr_get_info(it.trace, &info), WTR_OK);
	assert_int_equal(info.events, 80);
	assert_int_equal(info.complete, 1);
}

static void integers_keep_their_range(void **state)
{
	uint64_t u = 77;
	int64_t i = 77;

	(void)state;
	at(2399);
	assert_string_equal(wtr_type_name(it.type), "every");
	assert_result(wtr_get_u64(it.event, field("d"), &u), WTR_OK);
	assert_true(u == UINT64_C(0xca66bd1654b3beaa));
	assert_result(wtr_get_i64(it.event, field("d"), &i), WTR_ERR_TYPE); /* above INT64_MAX */
	assert_result(wtr_get_u64(it.event, field("h"), &u), WTR_ERR_TYPE); /* negative */
	assert_int_equal(i, 77);
	assert_true(u == UINT64_C(0xca66bd1654b3beaa)); /* both untouched */
	assert_result(wtr_get_i64(it.event, field("h"), &i), WTR_OK);
	assert_true(i == INT64_C(-0x5ac3c7b2202e4c4));
	assert_result(wtr_get_i64(it.event, field("b"), &i), WTR_OK);
	assert_int_equal(i, 0xb0ba);
	assert_result(wtr_get_u64(it.event, field("e"), &u), WTR_OK);
	assert_int_equal(u, 0x5b);
	assert_result(wtr_get_u64(it.event, field("m"), &u), WTR_OK);
	assert_true(u == UINT64_C(0xd91d9ef6e9d443b8));
	at(13309);
	assert_result(wtr_get_i64(it.event, field("e"), &i), WTR_OK);
	assert_int_equal(i, -0x31);
	assert_result(wtr_get_u64(it.event, field("e"), &u), WTR_ERR_TYPE);
	assert_result(wtr_get_i64(it.event, field("f"), &i), WTR_OK);
	assert_int_equal(i, -0x750a);
	assert_result(wtr_get_u64(it.event, field("n"), &u), WTR_ERR_TYPE); /* a string */
	assert_result(wtr_get_i64(it.event, field("i"), &i), WTR_ERR_TYPE); /* a float */
	assert_result(wtr_get_u64(it.event, field("t"), &u), WTR_ERR_TYPE); /* an array */
	assert_result(wtr_get_u64(it.event, 22, &u), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_i64(it.event, UINT32_MAX, &i), WTR_ERR_NOTFOUND);
}

static void doubles_are_of_all_numbers(void **state)
{
	double f = 77;

	(void)state;
	at(13309);
	assert_result(wtr_get_double(it.event, field("i"), &f), WTR_OK);
	assert_true(f == 3.493408203125);
	assert_result(wtr_get_double(it.event, field("e"), &f), WTR_OK);
	assert_true(f == -0x31);
	assert_result(wtr_get_double(it.event, field("c"), &f), WTR_OK);
	assert_true(f == 0x8497fbc0);
	at(2399);
	assert_result(wtr_get_double(it.event, field("d"), &f), WTR_OK);
	assert_true(f == (double)UINT64_C(0xca66bd1654b3beaa));
	assert_result(wtr_get_double(it.event, field("n"), &f), WTR_ERR_TYPE);
	assert_result(wtr_get_double(it.event, field("u"), &f), WTR_ERR_TYPE);
	assert_result(wtr_get_double(it.event, 22, &f), WTR_ERR_NOTFOUND);
}

static void strings_and_bytes(void **state)
{
	const uint8_t *bytes;
	const char *text;
	size_t len;

	(void)state;
	at(2399);
	assert_result(wtr_get_string(it.event, field("n"), &text, &len), WTR_OK);
	assert_int_equal(len, 6);
	assert_memory_equal(text, "text 3", 6);
	assert_result(wtr_get_string(it.event, field("o"), &text, &len), WTR_ERR_TYPE);
	assert_result(wtr_get_string(it.event, field("a"), &text, &len), WTR_ERR_TYPE);
	assert_result(wtr_get_string(it.event, 22, &text, &len), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_bytes(it.event, field("n"), &bytes, &len), WTR_OK);
	assert_int_equal(len, 6);
	assert_result(wtr_get_bytes(it.event, field("o"), &bytes, &len), WTR_OK);
	assert_int_equal(len, 0);
	assert_result(wtr_get_bytes(it.event, field("q"), &bytes, &len), WTR_OK);
	assert_int_equal(len, 4);
	assert_memory_equal(bytes, "\xfc\x01\xd5\xad", 4);
	assert_result(wtr_get_bytes(it.event, field("t"), &bytes, &len), WTR_OK);
	assert_int_equal(len, 8);
	assert_memory_equal(bytes, "\x5f\x6f\x8b\x1c\x89\x3a\x01\x93", 8);
	assert_result(wtr_get_bytes(it.event, field("u"), &bytes, &len), WTR_OK);
	assert_int_equal(len, 12);
	assert_result(wtr_get_bytes(it.event, field("d"), &bytes, &len), WTR_ERR_TYPE);
	assert_result(wtr_get_text(it.event, field("d"), &text), WTR_OK);
	assert_string_equal(text, "14584552346893926058");
	assert_result(wtr_get_json(it.event, field("n"), &text), WTR_OK);
	assert_string_equal(text, "\"text 3\"");
}

static void arrays_have_elements(void **state)
{
	const uint8_t *bytes;
	uint32_t n;
	uint64_t u;
	int64_t i;
	double f;
	size_t len;

	(void)state;
	at(2399);
	assert_result(wtr_get_count(it.event, field("u"), &n), WTR_OK);
	assert_int_equal(n, 3);
	assert_result(wtr_get_count(it.event, field("t"), &n), WTR_OK);
	assert_int_equal(n, 4);
	assert_result(wtr_get_count(it.event, field("a"), &n), WTR_OK);
	assert_int_equal(n, 1);
	assert_result(wtr_get_count(it.event, 22, &n), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_element_i64(it.event, field("u"), 0, &i), WTR_OK);
	assert_int_equal(i, (int32_t)0xb2de79ed);
	assert_result(wtr_get_element_u64(it.event, field("u"), 0, &u), WTR_ERR_TYPE); /* negative */
	assert_result(wtr_get_element_u64(it.event, field("u"), 2, &u), WTR_OK);
	assert_int_equal(u, 0x3d5f2943);
	assert_result(wtr_get_element_double(it.event, field("u"), 1, &f), WTR_OK);
	assert_true(f == (int32_t)0xc3cb395c);
	assert_result(wtr_get_element_i64(it.event, field("u"), 3, &i), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_element_u64(it.event, field("u"), UINT32_MAX, &u), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_element_double(it.event, field("t"), 4, &f), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_element_u64(it.event, field("t"), 3, &u), WTR_OK);
	assert_int_equal(u, 0x9301);
	assert_result(wtr_get_element_bytes(it.event, field("t"), 0, &bytes, &len), WTR_ERR_TYPE);
	assert_result(wtr_get_element_u64(it.event, field("c"), 0, &u), WTR_OK); /* a scalar has one */
	assert_int_equal(u, 0x468616ba);
	assert_result(wtr_get_element_u64(it.event, field("c"), 1, &u), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_element_bytes(it.event, field("n"), 0, &bytes, &len), WTR_OK);
	assert_int_equal(len, 6);
	assert_result(wtr_get_element_bytes(it.event, field("n"), 1, &bytes, &len), WTR_ERR_NOTFOUND);
	assert_result(wtr_get_element_bytes(it.event, 22, 0, &bytes, &len), WTR_ERR_NOTFOUND);
	at(1271);
	assert_result(wtr_get_count(it.event, field("u"), &n), WTR_OK);
	assert_int_equal(n, 0);
	assert_result(wtr_get_element_i64(it.event, field("u"), 0, &i), WTR_ERR_NOTFOUND);
}

/* The stack of the event at 3638 is the log's stack 7, at 2649 stack 6: frames 6 and 5 and their callers. */
static void frames_name_their_place(void **state)
{
	const struct wtr_frame *frame;
	const uint8_t *id = NULL;

	(void)state;
	at(3638);
	assert_int_equal(wtr_stack_depth(it.event), 7);
	assert_int_equal(wtr_stack_status(it.event), WTR_STACK_COMPLETE);
	assert_string_equal(wtr_stack_status_name(WTR_STACK_COMPLETE), "complete");
	frame = wtr_stack_frame(it.event, 0);
	assert_non_null(frame);
	assert_int_equal(wtr_frame_is_kernel(frame), 0);
	assert_int_equal(wtr_frame_offset(frame), 384);
	assert_string_equal(wtr_frame_module(frame), "/bin/proc");
	assert_int_equal(wtr_frame_build_id(frame, &id), 10);
	assert_memory_equal(id, "0123456789", 10);
	assert_null(wtr_frame_function(frame));
	assert_null(wtr_frame_symbol(frame));
	assert_null(wtr_frame_file(frame));
	assert_int_equal(wtr_frame_line(frame), 0);
	assert_string_not_equal(wtr_frame_reason(frame), "resolved");
	frame = wtr_stack_frame(it.event, 3); /* frame 3 is the one with a name */
	assert_int_equal(wtr_frame_is_kernel(frame), 1);
	assert_int_equal(wtr_frame_offset(frame), 197);
	assert_string_equal(wtr_frame_function(frame), "f(int)");
	assert_string_equal(wtr_frame_symbol(frame), "_Z1fi");
	assert_int_equal(wtr_frame_function_offset(frame), 12);
	assert_string_equal(wtr_frame_file(frame), "f.cc");
	assert_int_equal(wtr_frame_line(frame), 7);
	assert_string_equal(wtr_frame_reason(frame), "resolved");
	assert_null(wtr_stack_frame(it.event, 7));
	at(413);
	assert_int_equal(wtr_stack_depth(it.event), 0);
	assert_null(wtr_stack_frame(it.event, 0));
}

/* Stack 3 of the log, frames 2, 1, 0 from the innermost on: in frame 2 "leaf" was inlined, and
 * "ns::middle(int)". */
static void inlined_functions_are_of_their_frame(void **state)
{
	const struct wtr_frame *frame = NULL;

	(void)state;
	do {
		assert_result(wtr_next(it.cursor, &it.event), WTR_OK);
		frame = wtr_stack_frame(it.event, 0);
	} while (!frame || wtr_frame_offset(frame) != 134);
	assert_int_equal(wtr_stack_depth(it.event), 3);
	assert_string_equal(wtr_frame_function(frame), "outer");
	assert_int_equal(wtr_frame_line(frame), 5);
	assert_int_equal(wtr_frame_n_inlined(frame), 2);
	assert_string_equal(wtr_frame_inlined_function(frame, 0), "leaf");
	assert_string_equal(wtr_frame_inlined_call_file(frame, 0), "leaf.h");
	assert_int_equal(wtr_frame_inlined_call_line(frame, 0), 12);
	assert_string_equal(wtr_frame_inlined_function(frame, 1), "ns::middle(int)");
	assert_null(wtr_frame_inlined_call_file(frame, 1));
	assert_int_equal(wtr_frame_inlined_call_line(frame, 1), 0);
	assert_null(wtr_frame_inlined_function(frame, 2));
	assert_null(wtr_frame_inlined_call_file(frame, 2));
	frame = wtr_stack_frame(it.event, 1);
	assert_int_equal(wtr_frame_n_inlined(frame), 0);
	assert_null(wtr_frame_inlined_function(frame, 0));
}

/* ---- types of a manifest that uses every part of the language ---- */

static struct wt_provider *all_types(void)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;

	assert_ok(wt_manifest_parse((const char *)golden_manifest,
				    (size_t)(golden_manifest_end - golden_manifest), "types.json", &provider,
				    &err),
		  err);
	return provider;
}

/* One event "scalars" (kind 1): all zero but e = -2, q the top bit, r = r | w. */
static int described_log(struct wt_kinds *kinds)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_event event = {.time = 500, .kind = 1};
	uint8_t payload[59 + 16 + 4 + 16 + 8 + 1] = {0};
	struct wt_log_writer *log;
	uint32_t first;
	int fd = fixture_file();

	assert_ok(wt_kinds_add(kinds, all_types(), &first, &err), err);
	assert_ok(wt_log_create(fd, kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	payload[15] = 0xfe;
	payload[sizeof(payload) - 2] = 0x80;
	payload[sizeof(payload) - 1] = 3;
	event.payload = payload;
	event.payload_len = sizeof(payload);
	assert_ok(wt_log_event(log, &event, 1, 0, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	return fd;
}

static int begin_described(void **state)
{
	struct wt_kinds kinds = {0};

	(void)state;
	it.fd = described_log(&kinds);
	wt_kinds_deinit(&kinds);
	it.trace = fixture_trace(it.fd);
	it.cursor = fixture_cursor(it.trace);
	at(500);
	return 0;
}

static void types_say_what_the_manifest_says(void **state)
{
	struct wt_provider *provider = all_types();

	(void)state;
	assert_string_equal(wtr_type_provider(it.type), "all-types");
	assert_string_equal(wtr_type_name(it.type), "scalars");
	assert_string_equal(wtr_type_help(it.type), "One of each that has a fixed size");
	assert_int_equal(wtr_type_id(it.type), 2);
	assert_int_equal(wtr_type_version(it.type), 1);
	assert_int_equal(wtr_type_level(it.type), 16);
	assert_string_equal(wtr_type_level_name(it.type), "chatty");
	assert_int_equal(wtr_type_opcode(it.type), 10);
	assert_true(wtr_type_keywords(it.type) == UINT64_C(0x800000000001));
	assert_memory_equal(wtr_type_guid(it.type), provider->guid, 16);
	assert_int_equal(wtr_type_n_fields(it.type), 18);
	assert_int_equal(wtr_type_field(it.type, "r"), 17);
	assert_int_equal(wtr_type_field(it.type, "R"), 17);
	assert_int_equal(wtr_type_field(it.type, "s"), -1);
	assert_int_equal(wtr_type_field(it.type, ""), -1);
	wt_provider_destroy(provider);
}

static void fields_say_what_the_manifest_says(void **state)
{
	static const char *const names[] = {"u8",  "u16", "u32",  "u64",     "i8",   "i16",  "i32",  "i64",
					    "f32", "f64", "bool", "pointer", "time", "uuid", "ipv4", "ipv6"};

	(void)state;
	for (uint32_t f = 0; f < sizeof(names) / sizeof(names[0]); f++) {
		assert_string_equal(wtr_field_type_name(it.type, f), names[f]);
		assert_int_equal(wtr_field_is_array(it.type, f), 0);
		assert_string_equal(wtr_field_unit(it.type, f), "");
		assert_string_equal(wtr_field_help(it.type, f), "");
	}
	assert_string_equal(wtr_field_name(it.type, 4), "e");
	assert_int_equal(wtr_field_type(it.type, field("n")), WTR_TYPE_UUID);
	assert_int_equal(wtr_field_radix(it.type, field("a")), 10);
	assert_int_equal(wtr_field_radix(it.type, field("l")), 16);
	assert_string_equal(wtr_field_map(it.type, field("a")), "");
	assert_string_equal(wtr_field_map(it.type, field("e")), "state");
	assert_int_equal(wtr_field_is_bitmap(it.type, field("e")), 0);
	assert_string_equal(wtr_field_value_name(it.type, field("e"), 1), "on, really");
	assert_string_equal(wtr_field_value_name(it.type, field("e"), (uint64_t)-2), "minus");
	assert_null(wtr_field_value_name(it.type, field("e"), 2));
	assert_null(wtr_field_value_name(it.type, field("a"), 0));
	assert_string_equal(wtr_field_map(it.type, field("r")), "flags");
	assert_int_equal(wtr_field_is_bitmap(it.type, field("r")), 1);
	assert_string_equal(wtr_field_value_name(it.type, field("r"), 2), "w");
	assert_null(wtr_field_value_name(it.type, field("r"), 3)); /* a single bit */
	assert_string_equal(wtr_field_value_name(it.type, field("q"), UINT64_C(1) << 63), "top");
}

static void fields_out_of_range_are_nothing(void **state)
{
	static const uint32_t beyond[] = {18, 1000, UINT32_MAX};

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_string_equal(wtr_field_name(it.type, beyond[i]), "");
		assert_int_equal(wtr_field_type(it.type, beyond[i]), WTR_TYPE_NONE);
		assert_string_equal(wtr_field_type_name(it.type, beyond[i]), "");
		assert_int_equal(wtr_field_is_array(it.type, beyond[i]), 0);
		assert_string_equal(wtr_field_unit(it.type, beyond[i]), "");
		assert_string_equal(wtr_field_help(it.type, beyond[i]), "");
		assert_int_equal(wtr_field_radix(it.type, beyond[i]), 0);
		assert_string_equal(wtr_field_map(it.type, beyond[i]), "");
		assert_int_equal(wtr_field_is_bitmap(it.type, beyond[i]), 0);
		assert_null(wtr_field_value_name(it.type, beyond[i], 0));
	}
}

static void values_of_maps_are_numbers_and_names(void **state)
{
	const char *text;
	uint64_t u;
	int64_t i;

	(void)state;
	assert_result(wtr_get_i64(it.event, field("e"), &i), WTR_OK);
	assert_int_equal(i, -2);
	assert_result(wtr_get_u64(it.event, field("q"), &u), WTR_OK);
	assert_true(u == UINT64_C(1) << 63);
	assert_result(wtr_get_text(it.event, field("e"), &text), WTR_OK);
	assert_string_equal(text, "minus");
	assert_result(wtr_get_json(it.event, field("r"), &text), WTR_OK);
	assert_string_equal(text, "[\"r\",\"w\"]");
	assert_result(wtr_get_u64(it.event, field("k"), &u),
		      WTR_OK); /* bool, pointer and time are integers */
	assert_result(wtr_get_u64(it.event, field("l"), &u), WTR_OK);
	assert_result(wtr_get_i64(it.event, field("m"), &i), WTR_OK);
}

/* ---- a log that grows ---- */

static void waiting_ends_with_an_event_or_the_log(void **state)
{
	struct wt_log_position position = {1, 1};
	const struct wtr_event *event = NULL;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	struct wtr_cursor *cursor;
	struct wtr_trace *trace;
	struct wt_kinds kinds;
	int fd = fixture_file();

	(void)state;
	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	assert_result(wtr_open_growing(fixture_path(fd), &trace), WTR_OK);
	cursor = fixture_cursor(trace);
	assert_result(wtr_next(cursor, &event), WTR_AGAIN);
	assert_result(wtr_wait(cursor, 0, &event), WTR_AGAIN);
	assert_result(wtr_wait(cursor, 1, &event), WTR_AGAIN);
	assert_null(event);
	fixture_text_event(log, KIND_TEXT, 40, NULL, NULL);
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	assert_result(wtr_wait(cursor, -1, &event), WTR_OK);
	assert_int_equal(wtr_event_time(event), 40);
	assert_result(wtr_wait(cursor, 0, &event), WTR_AGAIN);
	assert_ok(wt_log_finish(log, &err), err);
	assert_result(wtr_wait(cursor, -1, &event), WTR_END);
	assert_result(wtr_wait(cursor, 0, &event), WTR_END);
	wtr_cursor_destroy(cursor);
	wtr_close(trace);
	assert_result(wtr_open_session("never-begun", &trace), WTR_ERR_NOTFOUND);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_event_and_who_caused_it, begin, end),
		cmocka_unit_test_setup_teardown(integers_keep_their_range, begin, end),
		cmocka_unit_test_setup_teardown(doubles_are_of_all_numbers, begin, end),
		cmocka_unit_test_setup_teardown(strings_and_bytes, begin, end),
		cmocka_unit_test_setup_teardown(arrays_have_elements, begin, end),
		cmocka_unit_test_setup_teardown(frames_name_their_place, begin, end),
		cmocka_unit_test_setup_teardown(inlined_functions_are_of_their_frame, begin_inlined, end),
		cmocka_unit_test_setup_teardown(types_say_what_the_manifest_says, begin_described, end),
		cmocka_unit_test_setup_teardown(fields_say_what_the_manifest_says, begin_described, end),
		cmocka_unit_test_setup_teardown(fields_out_of_range_are_nothing, begin_described, end),
		cmocka_unit_test_setup_teardown(values_of_maps_are_numbers_and_names, begin_described, end),
		cmocka_unit_test(waiting_ends_with_an_event_or_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
