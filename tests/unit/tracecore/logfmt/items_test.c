// SPDX-License-Identifier: MIT
/* Items of a field's column that no payload can hold are damage. */
#include "tests/unit/tracecore/logfmt/fixture.h"

#include "tracecore/logfmt/format/block.h"

/* The bytes of an empty log whose only kind has that field. */
static ssize_t one_field(const char *field, uint8_t *ret, size_t size)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	struct wt_kinds kinds = {0};
	struct wt_log_writer *log;
	struct wt_buf json = {0};
	int fd = fixture_file();
	uint32_t first;
	ssize_t len;

	wt_buf_printf(&json,
		      "{\"wtrace_manifest\":1,\"provider\":\"p\",\"events\":[{\"id\":1,\"version\":0,"
		      "\"name\":\"e\",\"fields\":[%s]}]}",
		      field);
	assert_ok(wt_manifest_parse((const char *)json.data, json.len, "p", &provider, &err), err);
	assert_ok(wt_kinds_add(&kinds, provider, &first, &err), err);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	len = pread(fd, ret, size, 0);
	assert_true(len > 64 && (size_t)len < size);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	wt_buf_deinit(&json);
	close(fd);
	return len;
}

static void put_column(struct wt_buf *out, uint16_t id, uint8_t encoding, uint32_t length)
{
	wt_buf_put_u16(out, id);
	wt_buf_put_u8(out, encoding);
	wt_buf_put_u8(out, 0);
	wt_buf_put_u32(out, length);
}

/* That log with one event at time 5 that has this item. */
static struct wt_log_reader *with_item(const char *field, const void *item, uint32_t size)
{
	struct wt_disk_block_header header = {
		.type = WT_DISK_EVENTS, .sequence = UINT32_MAX, .count = 1, .time_min = 5, .time_max = 5};
	struct wt_buf file = {0}, payload = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;
	uint8_t log[4096];
	int fd = fixture_file();

	wt_buf_put(&file, log, (size_t)one_field(field, log, sizeof(log)));
	put_column(&payload, WT_DISK_EVENT_TIME, WT_DISK_FOR, 8);
	wt_buf_put_u64(&payload, 5);
	put_column(&payload, WT_DISK_EVENT_FIELD, WT_DISK_BYTES, 16 + size);
	put_column(&payload, 0, WT_DISK_FOR, 8);
	wt_buf_put_u64(&payload, size);
	wt_buf_put(&payload, item, size);
	assert_ok(wt_log_pack(NULL, &file, &header, payload.data, payload.len, (struct wt_log_cuts){0}, &err),
		  err);
	assert_int_equal(pwrite(fd, file.data, file.len, 0), file.len);
	reader = fixture_open(fd);
	close(fd);
	wt_buf_deinit(&file);
	wt_buf_deinit(&payload);
	return reader;
}

static bool is_named(const struct wt_log_reader *reader)
{
	for (uint32_t i = 0; i < wt_log_info(reader)->n_damages; i++) {
		if (strstr(wt_log_damages(reader)[i].what, "field column does not decode"))
			return true;
	}
	return false;
}

static int count(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	(void)err;
	*(uint32_t *)ctx += batch->n;
	return 0;
}

static void item_is(const char *field, const void *item, uint32_t size, bool good)
{
	struct wt_log_reader *reader = with_item(field, item, size);
	struct wt_err err = WT_ERR_INIT;
	uint32_t n = 0;

	assert_ok(wt_log_scan(reader, NULL, count, &n, &err), err);
	assert_int_equal(n, good);
	assert_int_equal(is_named(reader), !good);
	wt_log_close(reader);
}

/* Only what a payload can hold is an item: a text of at most 65,535 bytes, an array as long as its count. */
static void items_that_fit_no_payload_are_damage(void **state)
{
	static const char text[] = "{\"name\":\"f\",\"type\":\"string\"}";
	static const char data[] = "{\"name\":\"f\",\"type\":\"binary\"}";
	static const char list[] = "{\"name\":\"f\",\"type\":\"u32\",\"count\":\"variable\"}";
	static const char pair[] = "{\"name\":\"f\",\"type\":\"u32\",\"count\":2}";
	static const uint8_t two[12] = {2};
	static uint8_t bytes[UINT16_MAX + 3];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	item_is(text, bytes, 0, true);
	item_is(text, bytes, UINT16_MAX, true);
	item_is(text, bytes, UINT16_MAX + 1, false);
	item_is(data, bytes, UINT16_MAX + 3, false);
	for (uint32_t size = 0; size <= sizeof(two); size++) {
		item_is(list, two, size, size == 10);
		item_is(pair, two, size, size == 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_that_fit_no_payload_are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
