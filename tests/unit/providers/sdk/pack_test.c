// SPDX-License-Identifier: MIT
#include "providers/sdk/wtrace.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/base/bytes.h"
#include "tests/unit/tracecore/schema/payload.h"

/* This test is the library: what the header's inline code hands over is kept here. */
static struct {
	uint8_t payload[70000];
	uint32_t len, n_pieces;
	unsigned calls;
	const struct wtrace_id *activity, *related;
	uint64_t key;
} got;

static void take(const struct wtrace_piece *pieces, uint32_t n)
{
	got.len = 0;
	for (uint32_t i = 0; i < n; i++) {
		assert_true(got.len + pieces[i].len <= sizeof(got.payload));
		if (pieces[i].len)
			memcpy(got.payload + got.len, pieces[i].p, pieces[i].len);
		got.len += pieces[i].len;
	}
	got.n_pieces = n;
	got.calls++;
}

int wtrace_emit(const struct wtrace_provider *provider, uint32_t event, const void *payload, uint32_t len)
{
	struct wtrace_piece piece = {payload, len};

	(void)provider, (void)event;
	take(&piece, 1);
	return 0;
}

int wtrace_emit_pieces(const struct wtrace_provider *provider, uint32_t event,
		       const struct wtrace_piece *pieces, uint32_t n)
{
	return wtrace_emit_ids(provider, event, NULL, NULL, pieces, n);
}

int wtrace_emit_ids(const struct wtrace_provider *provider, uint32_t event, const struct wtrace_id *activity,
		    const struct wtrace_id *related, const struct wtrace_piece *pieces, uint32_t n)
{
	(void)provider, (void)event;
	take(pieces, n);
	got.activity = activity;
	got.related = related;
	return 0;
}

int wtrace_state_set_pieces(const struct wtrace_provider *provider, uint32_t event, uint64_t key,
			    const struct wtrace_piece *pieces, uint32_t n)
{
	(void)provider, (void)event;
	take(pieces, n);
	got.key = key;
	return 0;
}

static struct wtrace_provider provider = WTRACE_PROVIDER_INIT(provider, "pack");

/* Every event of the test is wanted, or none. */
static void want(bool on)
{
	static const uint8_t one = 1;

	for (struct wtrace_site *const *p = __start_wtrace_sites; p < __stop_wtrace_sites; p++)
		(*p)->enabled = on ? &one : provider.never;
}

/* The fields as the site describes them, for the decoder. */
static struct wt_event_desc describe(const char *name, struct wt_field fields[static 40])
{
	struct wt_event_desc event = {.fields = fields};

	for (struct wtrace_site *const *p = __start_wtrace_sites; p < __stop_wtrace_sites; p++) {
		const struct wtrace_field *from = (const struct wtrace_field *)(*p + 1);

		if (strcmp((*p)->name, name))
			continue;
		event.n_fields = (*p)->n_fields;
		for (uint32_t i = 0; i < event.n_fields; i++)
			fields[i] = (struct wt_field){.name = (char *)(uintptr_t)from[i].name,
						      .type = (enum wt_type)from[i].type,
						      .radix = (enum wt_radix)from[i].radix,
						      .count = 1,
						      .variable = !from[i].count};
		return event;
	}
	fail_msg("no event %s", name);
	return event;
}

/* Decodes what was handed over, and shows it on one line. */
static void check(const char *name, const char *text)
{
	struct wt_field fields[40];
	struct wt_value values[40];
	struct wt_event_desc event = describe(name, fields);
	struct wt_buf out = {0};

	assert_int_equal(payload_decode(&event, got.payload, got.len, values), 0);
	for (uint32_t i = 0; i < event.n_fields; i++) {
		wt_buf_printf(&out, "%s%s=", i ? " " : "", fields[i].name);
		wt_value_text(&values[i], &out);
	}
	assert_string_equal(wt_buf_cstr(&out), text);
	wt_buf_deinit(&out);
}

static void every_type_reads_back(void **state)
{
	static const uint8_t id[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
				       1,    2,    3,    4,    5,    6,    7,    8};
	const int16_t list[3] = {-1, 0, 300};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};

	(void)state;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	want(true);
	wtrace_event(&provider, "all", WTRACE_INFO, 0, wtrace_u8("u8", 255), wtrace_u16("u16", 65535),
		     wtrace_u32("u32", 4294967295u), wtrace_u64("u64", UINT64_MAX), wtrace_i8("i8", -128),
		     wtrace_i16("i16", -2), wtrace_i32("i32", INT32_MIN), wtrace_i64("i64", INT64_MIN),
		     wtrace_f32("f32", 0.1f), wtrace_f64("f64", -2.5), wtrace_bool("yes", 256),
		     wtrace_bool("no", 0), wtrace_pointer("p", (void *)0x1000),
		     wtrace_time("t", UINT64_C(1000000001)), wtrace_str("s", "hello"),
		     wtrace_strn("sn", "abcdef", 3), wtrace_str("null", NULL),
		     wtrace_binary("b", "\x01\xff", 2), wtrace_uuid("uuid", id),
		     wtrace_ipv4("v4", &address.sin_addr), wtrace_ipv6("v6", &in6addr_loopback),
		     wtrace_sockaddr("sa", &address, sizeof(address)), wtrace_x32("x", 255),
		     wtrace_array("list", I16, list, 3), wtrace_array("none", I16, list, 0),
		     wtrace_i32("last", 7));
	check("all",
	      "u8=255 u16=65535 u32=4294967295 u64=18446744073709551615 i8=-128 i16=-2 i32=-2147483648 "
	      "i64=-9223372036854775808 f32=0.1 f64=-2.5 yes=true no=false p=0x1000 t=1.000000001 s=hello "
	      "sn=abc null= b=01ff uuid=01234567-89ab-cdef-0102-030405060708 v4=127.0.0.1 v6=::1 "
	      "sa=127.0.0.1:8080 x=0xff list=[-1, 0, 300] none=[] last=7");
}

static void fixed_fields_are_one_piece(void **state)
{
	(void)state;
	want(true);
	wtrace_event(&provider, "two", WTRACE_INFO, 0, wtrace_i32("x", -1), wtrace_i64("y", 2));
	assert_int_equal(got.len, 12);
	check("two", "x=-1 y=2");
	wtrace_event(&provider, "none", WTRACE_INFO, 0);
	assert_int_equal(got.len, 0);
	check("none", "");
}

static void thirty_two_fields_fit(void **state)
{
#define S(n) wtrace_str("s" #n, #n)
	(void)state;
	want(true);
	wtrace_event(&provider, "many", WTRACE_INFO, 0, S(1), S(2), S(3), S(4), S(5), S(6), S(7), S(8), S(9),
		     S(10), S(11), S(12), S(13), S(14), S(15), S(16), S(17), S(18), S(19), S(20), S(21),
		     S(22), S(23), S(24), S(25), S(26), S(27), S(28), S(29), S(30), S(31), S(32));
	assert_int_equal(got.n_pieces, 64);
	assert_int_equal(got.len, 32 * 2 + 9 + 23 * 2);
	assert_memory_equal(got.payload + got.len - 4,
			    "\x02\0"
			    "32",
			    4);
#undef S
}

static void long_strings_are_cut(void **state)
{
	char *text = malloc(70000);

	(void)state;
	memset(text, 'x', 69999);
	text[69999] = 0;
	want(true);
	wtrace_event(&provider, "long", WTRACE_INFO, 0, wtrace_str("s", text), wtrace_u8("after", 9));
	assert_int_equal(got.len, 2 + 65535 + 1);
	assert_int_equal(wt_load_u16(got.payload), 65535);
	assert_int_equal(got.payload[got.len - 1], 9);
	free(text);
}

static void arguments_are_evaluated_once_and_only_when_wanted(void **state)
{
	int evaluated = 0;
	unsigned before = got.calls;

	(void)state;
	for (int on = 0; on < 2; on++) {
		want(on);
		wtrace_event(&provider, "lazy", WTRACE_INFO, 0, wtrace_i32("x", evaluated++),
			     wtrace_str("s", evaluated++ ? "s" : ""));
		assert_int_equal(evaluated, on ? 2 : 0);
	}
	assert_int_equal(got.calls, before + 1);
}

static void ids_are_handed_on(void **state)
{
	struct wtrace_id a = {{1}}, b = {{2}};

	(void)state;
	want(true);
	wtrace_event_ids(&provider, &a, &b, "ids", WTRACE_INFO, 0, wtrace_i32("x", 5));
	assert_ptr_equal(got.activity, &a);
	assert_ptr_equal(got.related, &b);
	check("ids", "x=5");
}

static void state_is_packed_though_nobody_listens(void **state)
{
	(void)state;
	want(false);
	assert_int_equal(wtrace_state(&provider, 77, "config", WTRACE_INFO, 0, wtrace_str("path", "/etc/x"),
				      wtrace_u32("n", 3)),
			 0);
	assert_int_equal(got.key, 77);
	check("config", "path=/etc/x n=3");
}

static void an_event_is_one_expression(void **state)
{
	unsigned before = got.calls;

	(void)state;
	want(true);
	for (int i = 0; i < 2; i++)
		if (i)
			wtrace_event(&provider, "branch", WTRACE_INFO, 0, wtrace_i32("i", i));
		else
			(void)0, wtrace_event(&provider, "comma", WTRACE_INFO, 0);
	assert_int_equal(got.calls, before + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_reads_back),
		cmocka_unit_test(fixed_fields_are_one_piece),
		cmocka_unit_test(thirty_two_fields_fit),
		cmocka_unit_test(long_strings_are_cut),
		cmocka_unit_test(arguments_are_evaluated_once_and_only_when_wanted),
		cmocka_unit_test(ids_are_handed_on),
		cmocka_unit_test(state_is_packed_though_nobody_listens),
		cmocka_unit_test(an_event_is_one_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
