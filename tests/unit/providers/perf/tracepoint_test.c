// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/providers/perf/fake_directory.h"
#include "providers/perf/tracepoint.h"
#include "tests/unit/tracecore/schema/payload.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_format[] =
	"name: sched_switch\nID: 372\n" COMMON "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\n"
	"print fmt: \"%s %d %d %s%s %s\", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & "
	"((0x1 | 0x2 | 0x8) - 0)) ? __print_flags(REC->prev_state & 0xff, \"|\", { 0x0001, \"S\" }, { 0x2, "
	"\"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\", "
	"REC->next_comm\n";

static const char openat_format[] = "name: sys_enter_openat\nID: 782\n" COMMON
				    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
				    "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
				    "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
				    "\tfield:umode_t mode;\toffset:32;\tsize:8;\tsigned:0;\n"
				    "\tfield:size_t count;\toffset:40;\tsize:8;\tsigned:0;\n\n"
				    "print fmt: \"dfd: 0x%08lx\", ((unsigned long)(REC->dfd))\n";

static const char loc_format[] =
	"name: odd\nID: 9\n" COMMON "\tfield:__data_loc char[] path;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] blob;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 addr[6];\toffset:24;\tsize:6;\tsigned:0;\n"
	"\tfield:bool yes;\toffset:30;\tsize:1;\tsigned:0;\n"
	"\tfield:u16 pair[2];\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:int why;\toffset:36;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%s %s\", __get_str(path), __print_symbolic(REC->why, { 0, \"none\" }, { -1, \"bad\" }, "
	"{ 1, \"NONE\" })\n";

static const char net_format[] = "name: net\nID: 11\n" COMMON
				 "\tfield:__u8 saddr[4];\toffset:8;\tsize:4;\tsigned:0;\n"
				 "\tfield:__u8 daddr_v6[16];\toffset:12;\tsize:16;\tsigned:0;\n"
				 "\tfield:u8 fsid[16];\toffset:28;\tsize:16;\tsigned:0;\n"
				 "\tfield:u8 cookie[16];\toffset:44;\tsize:16;\tsigned:0;\n\n"
				 "print fmt: \"%pI4 %pI6c\", REC->saddr, REC->daddr_v6\n";

#define EXIT_FORMAT(name, id)                                        \
	"name: sys_exit_" name "\nID: " id "\n" COMMON               \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"0x%lx\", REC->ret\n"

static const char issue_format[] = "name: issue\nID: 20\n" COMMON
				   "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\n"
				   "print fmt: \"%d\", REC->dev\n";

static struct wt_err err;
static struct wt_tp_system *systems;
static size_t n_systems;

static int setup(void **state)
{
	return fake_setup(state) || fake_write("events/sched/sched_switch/format", switch_format) ||
	       fake_write("events/sched/enable", "0") || fake_write("events/header_page", "x") ||
	       fake_write("events/syscalls/sys_enter_openat/format", openat_format) ||
	       fake_write("events/misc/odd/format", loc_format) ||
	       fake_write("events/misc/odder/format", "name: odder\nID: 10\n" COMMON "\nprint fmt: \"\"\n") ||
	       fake_write("events/syscalls/sys_exit_openat/format", EXIT_FORMAT("openat", "781")) ||
	       fake_write("events/syscalls/sys_exit_read/format", EXIT_FORMAT("read", "783")) ||
	       fake_write("events/block/issue/format", issue_format) ||
	       fake_write("events/net/net/format", net_format) || fake_write("events/ftrace/f/format", "") ||
	       fake_write("events/broken/empty/format", "") ||
	       fake_write("events/broken/junk/format", "this is\nnot a format\n\"\n") ||
	       fake_write("events/broken/huge_id/format",
			  "name: huge_id\nID: 70000\n" COMMON "\nprint fmt: \"\"\n");
}

static int load(const char *const *names, size_t n)
{
	err = (struct wt_err)WT_ERR_INIT;
	return wt_tp_load(fake_root, names, n, &systems, &n_systems, &err);
}

static int load_one(const char *name)
{
	return load(&name, 1);
}

static void unload(void)
{
	wt_tp_destroy(systems, n_systems);
	systems = NULL;
	n_systems = 0;
}

static const struct wt_field *field(const struct wt_event_desc *event, const char *name)
{
	int i = wt_event_field(event, name);

	assert_true(i >= 0);
	return &event->fields[i];
}

static void schemas(void **state)
{
	const struct wt_event_desc *event;
	const struct wt_valmap *map;

	(void)state;
	assert_int_equal(load_one("sched:sched_switch"), 0);
	assert_int_equal(n_systems, 1);
	assert_string_equal(systems[0].provider->name, "linux:sched");
	event = &systems[0].provider->events[0];
	assert_string_equal(event->name, "sched_switch");
	assert_int_equal(event->id, 372);
	assert_int_equal(event->n_fields, 5);
	assert_int_equal(field(event, "prev_comm")->type, WT_TYPE_STRING);
	assert_int_equal(field(event, "prev_pid")->type, WT_TYPE_I32);
	assert_int_equal(field(event, "prev_state")->type, WT_TYPE_I64);
	map = field(event, "prev_state")->map;
	assert_non_null(map);
	assert_true(map->bitmap);
	assert_int_equal(map->n_entries, 6);
	assert_string_equal(map->entries[0].name, "S");
	assert_string_equal(map->entries[3].name, "t");
	assert_string_equal(map->entries[4].name, "R");
	assert_int_equal(map->entries[4].value, 0);
	assert_string_equal(map->entries[5].name, "R+");
	assert_int_equal(map->entries[5].value, 0x100);
	assert_null(field(event, "prev_pid")->map);
	unload();
}

static void system_call_arguments(void **state)
{
	const struct wt_event_desc *event;

	(void)state;
	assert_int_equal(load_one("syscalls:sys_enter_openat"), 0);
	event = &systems[0].provider->events[0];
	assert_int_equal(field(event, "dfd")->type, WT_TYPE_I32);
	assert_int_equal(field(event, "filename")->type, WT_TYPE_POINTER);
	assert_int_equal(field(event, "mode")->type, WT_TYPE_U16);
	assert_int_equal(field(event, "count")->type, WT_TYPE_U64);
	unload();
}

static const char *text_of(const struct wt_field *field, uint64_t u, struct wt_buf *text)
{
	struct wt_value value = {.field = field, .n = 1, .u = u};

	wt_buf_clear(text);
	wt_value_text(&value, text);
	return wt_buf_cstr(text);
}

static void numbers_with_a_meaning(void **state)
{
	static const char *const calls[] = {"syscalls:sys_exit_openat", "syscalls:sys_exit_read",
					    "block:issue"};
	const struct wt_event_desc *event;
	struct wt_buf text = {0};

	(void)state;
	assert_int_equal(load(calls, 3), 0);
	assert_int_equal(n_systems, 2);
	assert_int_equal(systems[0].provider->n_maps, 1);
	for (int i = 0; i < 2; i++) {
		event = &systems[0].provider->events[i];
		assert_string_equal(text_of(field(event, "ret"), (uint64_t)-2, &text), "ENOENT");
		assert_string_equal(text_of(field(event, "ret"), (uint64_t)-512, &text), "ERESTARTSYS");
		assert_string_equal(text_of(field(event, "ret"), (uint64_t)-4000, &text), "-4000");
		assert_string_equal(text_of(field(event, "ret"), 3, &text), "3");
	}
	event = &systems[1].provider->events[0];
	assert_string_equal(text_of(field(event, "dev"), 254 << 20 | 17, &text), "254:17");
	wt_buf_deinit(&text);
	unload();
}

static void pack_and_decode(const uint8_t *raw, size_t len, struct wt_buf *out, struct wt_value *values)
{
	wt_buf_clear(out);
	assert_int_equal(wt_tp_pack(&systems[0].points[0].program, raw, len, out), 0);
	assert_int_equal(payload_decode(&systems[0].provider->events[0], out->data, out->len, values), 0);
}

static void packed_switch(void **state)
{
	struct wt_value values[8];
	struct wt_buf out = {0};
	uint8_t raw[56] = {0};

	(void)state;
	assert_int_equal(load_one("sched:sched_switch"), 0);
	/* Three fields that follow each other are one copy. */
	assert_int_equal(systems[0].points[0].program.n, 3);
	memcpy(raw + 8, "bash", 4);
	wt_store_u32(raw + 24, 77);
	wt_store_u32(raw + 28, 120);
	wt_store_u64(raw + 32, 2);
	memset(raw + 40, 'x', 16);
	pack_and_decode(raw, sizeof(raw), &out, values);
	assert_int_equal(values[0].len, 4);
	assert_memory_equal(values[0].bytes, "bash", 4);
	assert_int_equal(values[1].u, 77);
	assert_int_equal(values[3].u, 2);
	assert_int_equal(values[4].len, 16);
	for (size_t len = 0; len < sizeof(raw); len++)
		assert_int_equal(wt_tp_pack(&systems[0].points[0].program, raw, len, &out), -1);
	wt_buf_deinit(&out);
	unload();
}

static void fill_odd(uint8_t raw[80])
{
	memset(raw, 0, 80);
	wt_store_u32(raw + 8, 40 | 6 << 16);
	memcpy(raw + 40, "/tmp", 5);
	wt_store_u32(raw + 12, 48 | 8 << 16);
	wt_store_u32(raw + 48, 11);
	wt_store_u32(raw + 52, 22);
	wt_store_u32(raw + 16, 56 | 3 << 16);
	memcpy(raw + 56, "\1\2\3", 3);
	wt_store_u32(raw + 20, (60 - 24) | 4 << 16);
	memcpy(raw + 60, "rel", 4);
	memcpy(raw + 24, "\xa\xb\xc\xd\xe\xf", 6);
	raw[30] = 1;
	wt_store_u16(raw + 32, 5);
	wt_store_u16(raw + 34, 6);
	wt_store_u32(raw + 36, (uint32_t)-1);
}

static void located_fields(void **state)
{
	struct wt_value values[16], element;
	struct wt_buf out = {0};
	uint8_t raw[80];

	(void)state;
	assert_int_equal(load_one("misc:odd"), 0);
	fill_odd(raw);
	pack_and_decode(raw, sizeof(raw), &out, values);
	assert_int_equal(values[0].len, 4);
	assert_memory_equal(values[0].bytes, "/tmp", 4);
	assert_int_equal(values[1].n, 2);
	assert_int_equal(wt_value_element(&values[1], 1, &element), 0);
	assert_int_equal(element.u, 22);
	assert_int_equal(values[2].len, 3);
	assert_memory_equal(values[3].bytes, "rel", 3);
	assert_int_equal(values[4].field->type, WT_TYPE_BINARY);
	assert_int_equal(values[4].len, 6);
	assert_int_equal(values[5].field->type, WT_TYPE_BOOL);
	assert_int_equal(values[6].n, 2);
	assert_true(values[7].u == (uint64_t)-1);
	wt_buf_clear(&out);
	wt_value_text(&values[7], &out);
	assert_string_equal(wt_buf_cstr(&out), "bad");
	wt_buf_deinit(&out);
	unload();
}

static void located_fields_that_lie(void **state)
{
	struct wt_buf out = {0};
	uint8_t raw[80];

	(void)state;
	assert_int_equal(load_one("misc:odd"), 0);
	for (size_t at = 8; at <= 20; at += 4) {
		fill_odd(raw);
		wt_store_u32(raw + at, 0xffffffff);
		assert_int_equal(wt_tp_pack(&systems[0].points[0].program, raw, sizeof(raw), &out), -1);
		fill_odd(raw);
		wt_store_u32(raw + at, 70 | 11 << 16);
		assert_int_equal(wt_tp_pack(&systems[0].points[0].program, raw, sizeof(raw), &out), -1);
	}
	wt_buf_deinit(&out);
	unload();
}

static void bytes_with_a_meaning(void **state)
{
	const struct wt_event_desc *event;

	(void)state;
	assert_int_equal(load_one("net:net"), 0);
	event = &systems[0].provider->events[0];
	assert_int_equal(field(event, "saddr")->type, WT_TYPE_IPV4);
	assert_int_equal(field(event, "daddr_v6")->type, WT_TYPE_IPV6);
	assert_int_equal(field(event, "fsid")->type, WT_TYPE_UUID);
	assert_int_equal(field(event, "cookie")->type, WT_TYPE_BINARY);
	assert_int_equal(systems[0].points[0].program.copies[0].size, 36);
	unload();
}

static void wildcards(void **state)
{
	static const char *const names[] = {"misc:*", "sched:sched_*", "misc:odd"};

	(void)state;
	assert_int_equal(load(names, 3), 0);
	assert_int_equal(n_systems, 2);
	assert_int_equal(systems[0].n, 2);
	assert_string_equal(systems[0].points[1].name, "odder");
	assert_int_equal(systems[0].provider->n_events, 2);
	unload();
	assert_true(wt_tp_matches("sched:*", "sched", "sched_switch"));
	assert_false(wt_tp_matches("sched:*", "sched2", "sched_switch"));
	assert_false(wt_tp_matches("sched:sched", "sched", "sched_switch"));
}

/* What is written to a file is read from there again: the schema has to survive its own text. */
static void schemas_render(void **state)
{
	static const char *const names[] = {"misc:*", "sched:*", "syscalls:*"};
	struct wt_buf out = {0};

	(void)state;
	assert_int_equal(load(names, 3), 0);
	for (size_t i = 0; i < n_systems; i++) {
		struct wt_provider *again;

		wt_buf_clear(&out);
		assert_int_equal(wt_manifest_render(systems[i].provider, &out, &err), 0);
		assert_int_equal(wt_manifest_parse((const char *)out.data, out.len, "test", &again, &err), 0);
		assert_int_equal(again->n_events, systems[i].provider->n_events);
		wt_provider_destroy(again);
	}
	wt_buf_deinit(&out);
	unload();
}

static void check_error(const char *word, enum wt_code code, const char *part)
{
	assert_int_equal(load_one(word), -1);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, part))
		fail_msg("'%s' does not say '%s'", err.text, part);
	assert_null(systems);
}

static void mistakes(void **state)
{
	(void)state;
	check_error("sched:sched_swich", WT_ERR_USAGE,
		    "unknown event 'sched_swich'; did you mean 'sched_switch'?");
	check_error("shed:sched_switch", WT_ERR_USAGE, "unknown subsystem 'shed'; did you mean 'sched'?");
	check_error("sched:nothing*", WT_ERR_USAGE, "no tracepoint matches");
	check_error("sched", WT_ERR_USAGE, "SUBSYSTEM:EVENT");
	check_error("sched:", WT_ERR_USAGE, "SUBSYSTEM:EVENT");
	check_error(":x", WT_ERR_USAGE, "SUBSYSTEM:EVENT");
	check_error("../sched:x", WT_ERR_USAGE, "SUBSYSTEM:EVENT");
	check_error("sched:../../x", WT_ERR_USAGE, "SUBSYSTEM:EVENT");
	check_error("broken:empty", WT_ERR_FORMAT, "cannot be read");
	check_error("broken:junk", WT_ERR_FORMAT, "cannot be read");
	check_error("broken:huge_id", WT_ERR_FORMAT, "70000");
	assert_int_equal(
		wt_tp_load("/nonexistent", (const char *const[]){"a:b"}, 1, &systems, &n_systems, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_non_null(strstr(err.text, "mount -t tracefs"));
}

static void count(void *ctx, const char *name)
{
	*(size_t *)ctx += strchr(name, ':') != NULL;
}

static void lists(void **state)
{
	size_t n = 0;

	(void)state;
	assert_int_equal(wt_tp_each(fake_root, count, &n, &err), 0);
	assert_int_equal(n, 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemas),
		cmocka_unit_test(system_call_arguments),
		cmocka_unit_test(numbers_with_a_meaning),
		cmocka_unit_test(packed_switch),
		cmocka_unit_test(located_fields),
		cmocka_unit_test(located_fields_that_lie),
		cmocka_unit_test(bytes_with_a_meaning),
		cmocka_unit_test(wildcards),
		cmocka_unit_test(schemas_render),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests_name("perf/tracepoint", tests, setup, fake_teardown);
}
