// SPDX-License-Identifier: MIT
#include "tests/unit/extent.h"
#include "tests/unit/tracecore/logfmt/fixture.h"

#include <fcntl.h>

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/format/block.h"
#include "tracecore/logfmt/format/walk.h"

/* A small file with two segments and several flushes, whole in memory. */
struct file {
	uint8_t *bytes;
	size_t len;
	uint64_t *events; /* a hash of each, in file order */
	uint32_t n;
	uint64_t finish; /* where the index begins */
};

static struct file whole;

static uint64_t hash_event(const struct wt_log_batch *batch, uint32_t i, struct wt_buf *buf)
{
	uint64_t h = wt_hash2(batch->time[i], (uint64_t)batch->kind << 32 | batch->cpu[i]);

	fixture_repack(batch, i, buf);
	wt_buf_put_u64(buf, buf->len);
	for (size_t b = 0; b + 8 <= buf->len; b += 8)
		h = wt_hash2(h, wt_load_u64(buf->data + b));
	h = wt_hash2(h, wt_load_u64(buf->data + buf->len - 8));
	return h;
}

struct hashes {
	uint64_t *list;
	uint32_t n, cap;
	struct wt_buf buf;
};

static int collect(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct hashes *hashes = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		assert_true(batch->thread[i] < batch->segment->n_threads);
		assert_true(batch->stack[i] <= batch->segment->n_stacks);
		if (hashes->n == hashes->cap) {
			hashes->cap = hashes->cap * 2 + 64;
			hashes->list = realloc(hashes->list, hashes->cap * sizeof(uint64_t));
			assert_non_null(hashes->list);
		}
		hashes->list[hashes->n++] = hash_event(batch, i, &hashes->buf);
	}
	return 0;
}

static void write_small(int fd)
{
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	struct wt_buf payload = {0};
	uint64_t seed = 11, time = 5000;

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	for (uint32_t flush = 0; flush < 6; flush++) {
		struct wt_log_position position = {3, flush};
		struct wt_log_symbol symbol = {.name = wt_str("name")};

		if (flush % 3 == 0)
			fixture_rows(log);
		for (uint32_t i = 0; i < 12; i++) {
			struct wt_event event = {.time = time += fixture_random(&seed) % 99,
						 .kind = i % KIND_COUNT};

			fixture_stack(log, i, flush % 3 * 12 + i, flush % 3 * 12 + i);
			fixture_payload(event.kind, &seed, &payload);
			event.payload = payload.data;
			event.payload_len = (uint32_t)payload.len;
			assert_ok(wt_log_event(log, &event, i & 1, i, &err), err);
		}
		assert_ok(wt_log_flush(log, &position, 1, &err), err);
		if (flush == 2) {
			assert_ok(wt_log_next_segment(log, &err), err);
			assert_ok(wt_log_put_symbols(log, 0, 4, &symbol, 1, &err), err);
		}
	}
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	wt_buf_deinit(&payload);
}

static int make_file(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct hashes hashes = {0};
	struct wt_disk_end_mark mark;
	struct wt_log_reader *reader;
	struct stat st;
	int fd = fixture_file();

	(void)state;
	write_small(fd);
	assert_int_equal(fstat(fd, &st), 0);
	whole.len = (size_t)st.st_size;
	whole.bytes = malloc(whole.len);
	assert_int_equal(pread(fd, whole.bytes, whole.len, 0), whole.len);
	assert_true(wt_log_read_end_mark(fd, whole.len, &mark));
	whole.finish = mark.index_offset;
	reader = fixture_open(fd);
	assert_ok(wt_log_scan(reader, NULL, collect, &hashes, &err), err);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	whole.events = hashes.list;
	whole.n = hashes.n;
	assert_int_equal(whole.n, 72);
	wt_buf_deinit(&hashes.buf);
	wt_log_close(reader);
	close(fd);
	return 0;
}

static int free_file(void **state)
{
	(void)state;
	free(whole.bytes);
	free(whole.events);
	return 0;
}

static int file_of(const void *bytes, size_t len)
{
	int fd = fixture_file();

	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	return fd;
}

static struct wt_log_reader *open_bytes(const void *bytes, size_t len)
{
	int fd = file_of(bytes, len);
	struct wt_log_reader *reader = fixture_open(fd);

	close(fd);
	return reader;
}

/* How many events the iterator gives, in order of time. */
static uint32_t iterate_all(struct wt_log_reader *reader)
{
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t index, n = 0;
	uint64_t last = 0;
	int rc;

	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while ((rc = wt_log_iter_next(iter, &batch, &index, &err)) == 0) {
		assert_true(batch->time[index] >= last);
		last = batch->time[index];
		n++;
	}
	assert_int_equal(rc, 1);
	wt_log_iter_destroy(iter);
	return n;
}

/* How many events a scan gives: all of them written ones, in the order of the file. */
static uint32_t scan_all(struct wt_log_reader *reader)
{
	struct wt_err err = WT_ERR_INIT;
	struct hashes hashes = {0};
	uint32_t at = 0;

	assert_ok(wt_log_scan(reader, NULL, collect, &hashes, &err), err);
	for (uint32_t i = 0; i < hashes.n; i++, at++) {
		while (at < whole.n && whole.events[at] != hashes.list[i])
			at++;
		assert_true(at < whole.n);
	}
	free(hashes.list);
	wt_buf_deinit(&hashes.buf);
	return hashes.n;
}

/* Everything a viewer does, scan or iterator first in turns: whichever is first meets the damage. */
static uint32_t read_all(struct wt_log_reader *reader)
{
	static unsigned turn;
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_segment *segment;
	uint32_t scanned, iterated;

	if (turn++ % 2) {
		iterated = iterate_all(reader);
		scanned = scan_all(reader);
	} else {
		for (uint32_t i = 0; i < wt_log_info(reader)->n_segments; i++)
			assert_ok(wt_log_load_segment(reader, i, &segment, &err), err);
		scanned = scan_all(reader);
		iterated = iterate_all(reader);
	}
	assert_int_equal(scanned, iterated);
	return scanned;
}

/* Events in blocks that end at or before len. */
static uint32_t events_before(int fd, size_t len)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_log_place place;
	uint32_t n = 0;

	wt_log_walk_init(walk, fd, 64, whole.len);
	while (wt_log_walk_next(walk, &place, NULL) == WT_LOG_STEP_BLOCK && walk->offset <= len)
		n += place.header.type == WT_DISK_EVENTS ? place.header.count : 0;
	free(walk);
	return n;
}

static void cut_anywhere_reads_up_to_the_last_whole_block(void **state)
{
	int uncut = file_of(whole.bytes, whole.len);

	(void)state;
	for (size_t len = 0; len < whole.len; len += extent_step(7)) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_log_reader *reader;
		int fd = file_of(whole.bytes, len);

		if (len < 64) {
			assert_int_equal(wt_log_open_fd(fd, "cut", &reader, &err), -1);
			assert_int_equal(err.code, WT_ERR_FORMAT);
			continue;
		}
		assert_ok(wt_log_open_fd(fd, "cut", &reader, &err), err);
		assert_false(wt_log_info(reader)->complete);
		assert_int_equal(read_all(reader), events_before(uncut, len));
		assert_true(wt_log_info(reader)->n_damages <= 1);
		wt_log_close(reader);
	}
	close(uncut);
}

static void damage(uint8_t *bytes, size_t *len, uint64_t *seed)
{
	uint64_t r = fixture_random(seed);
	size_t at, n = 1 + (r >> 32) % 64;

	if (!*len)
		return; /* an earlier damage took everything */
	at = (r & 0xffffffff) % *len;
	n = n > *len - at ? *len - at : n;
	switch (r >> 56 & 7) {
	case 0:
		memset(bytes + at, 0, n);
		break;
	case 1:
		*len = at + 1;
		break;
	case 2: /* a hole closed up */
		memmove(bytes + at, bytes + at + n, *len - at - n);
		*len -= n;
		break;
	case 3:
		memmove(bytes + at, bytes + (r >> 40) % (*len - n + 1), n);
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			bytes[at + i] = (uint8_t)fixture_random(seed);
		break;
	default:
		bytes[at] ^= 1u << (r >> 50 & 7);
		break;
	}
}

static void damage_anywhere_costs_only_what_it_hits(void **state)
{
	uint8_t *bytes = malloc(whole.len);
	uint64_t seed = 99, opened = 0, events = 0;
	const unsigned rounds = extent_whole() ? 10000 : 500;

	(void)state;
	for (unsigned round = 0; round < rounds; round++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_log_reader *reader;
		size_t len = whole.len;
		uint32_t n;

		memcpy(bytes, whole.bytes, len);
		for (unsigned i = 0; i <= round % 3; i++)
			damage(bytes, &len, &seed);
		if (wt_log_open_fd(file_of(bytes, len), "damaged", &reader, &err)) {
			assert_true(err.code == WT_ERR_FORMAT || err.code == WT_ERR_VERSION);
			continue;
		}
		n = read_all(reader);
		if (n < whole.n)
			assert_true(wt_log_info(reader)->n_damages > 0 || !wt_log_info(reader)->complete);
		assert_int_equal(wt_log_info(reader)->events, n);
		opened++;
		events += n;
		wt_log_close(reader);
	}
	assert_true(opened > rounds / 20 * 19);
	assert_true(events > opened * whole.n / 2);
	free(bytes);
}

static void one_flipped_bit_in_a_payload_loses_one_block(void **state)
{
	uint8_t *bytes = malloc(whole.len);
	int fd = file_of(whole.bytes, whole.len);
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_log_place place;
	struct wt_log_reader *reader;
	uint32_t blocks = 0;

	(void)state;
	wt_log_walk_init(walk, fd, 64, whole.finish);
	while (wt_log_walk_next(walk, &place, NULL) == WT_LOG_STEP_BLOCK) {
		if (place.header.type != WT_DISK_EVENTS)
			continue;
		blocks++;
		memcpy(bytes, whole.bytes, whole.len);
		bytes[place.offset + 72 + place.header.stored_size / 2] ^= 4;
		reader = open_bytes(bytes, whole.len);
		assert_true(wt_log_info(reader)->complete);
		assert_int_equal(read_all(reader), whole.n - place.header.count);
		assert_int_equal(wt_log_info(reader)->n_damages, 1);
		assert_int_equal(wt_log_damages(reader)[0].offset, place.offset);
		assert_string_equal(wt_log_damages(reader)[0].what, "block checksum");
		wt_log_close(reader);
	}
	assert_true(blocks >= 24);
	close(fd);
	free(walk);
	free(bytes);
}

static void a_bad_index_is_not_needed(void **state)
{
	uint8_t *bytes = malloc(whole.len);
	struct wt_log_reader *reader;

	(void)state;
	for (size_t at = whole.finish; at < whole.len; at++) {
		memcpy(bytes, whole.bytes, whole.len);
		bytes[at] ^= 0x10;
		reader = open_bytes(bytes, whole.len);
		assert_int_equal(read_all(reader), whole.n);
		wt_log_close(reader);
	}
	free(bytes);
}

static void refused(const void *bytes, size_t len, enum wt_code code, const char *words)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;

	assert_int_equal(wt_log_open_fd(file_of(bytes, len), "x.etl", &reader, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, "x.etl"));
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
}

static void other_files_are_named_for_what_they_are(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;
	uint8_t header[64];

	(void)state;
	refused("", 0, WT_ERR_FORMAT, "empty");
	refused("PERFILE2 and more", 17, WT_ERR_FORMAT, "not a wtrace log");
	refused(whole.bytes, 20, WT_ERR_FORMAT, "cut");
	memcpy(header, whole.bytes, 64);
	header[8] = 2;
	header[10] = 9;
	refused(header, 64, WT_ERR_VERSION, "2.9");
	header[8] = 0;
	refused(header, 64, WT_ERR_FORMAT, "version 0");
	assert_int_equal(wt_log_open("/nonexistent/x", &reader, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_int_equal(wt_log_open("/", &reader, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_int_equal(wt_log_open("-", &reader, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
}

static void put_crc(uint8_t *header)
{
	wt_store_u32(header + 60, wt_log_crc32(header, 60));
}

static void newer_minor_versions_and_longer_headers_open(void **state)
{
	uint8_t *bytes = calloc(1, whole.len + 8);
	struct wt_log_reader *reader;

	(void)state;
	memcpy(bytes, whole.bytes, 64);
	memcpy(bytes + 72, whole.bytes + 64, whole.finish - 64);
	wt_store_u16(bytes + 10, 7);
	wt_store_u16(bytes + 12, 72);
	put_crc(bytes);
	reader = open_bytes(bytes, whole.finish + 8);
	assert_int_equal(wt_log_info(reader)->version_minor, 7);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	assert_int_equal(read_all(reader), whole.n);
	wt_log_close(reader);
	bytes[20] ^= 1; /* in the session id: the checksum no longer fits */
	reader = open_bytes(bytes, whole.finish + 8);
	assert_int_equal(wt_log_info(reader)->n_damages, 1);
	assert_int_equal(read_all(reader), whole.n);
	wt_log_close(reader);
	free(bytes);
}

/* The file up to its index, and one block more. */
static struct wt_log_reader *with_block(struct wt_disk_block_header *header, const void *raw, size_t size)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_packer *packer;
	struct wt_buf buf = {0};
	struct wt_log_reader *reader;
	uint16_t flags = header->flags;
	uint8_t copy[72];
	size_t at;

	wt_buf_put(&buf, whole.bytes, whole.finish);
	at = buf.len;
	assert_ok(wt_log_packer_create(1, &packer, &err), err);
	header->sequence = UINT32_MAX;
	assert_ok(wt_log_pack(packer, &buf, header, raw, size, (struct wt_log_cuts){0}, &err), err);
	wt_store_u16(buf.data + at + 10, flags);
	memcpy(copy, buf.data + at, 72);
	wt_store_u32(buf.data + at + 4, wt_log_crc32(copy + 8, 64));
	wt_log_packer_destroy(packer);
	reader = open_bytes(buf.data, buf.len);
	wt_buf_deinit(&buf);
	return reader;
}

static void says(struct wt_log_reader *reader, const char *words)
{
	uint32_t n = wt_log_info(reader)->n_damages;

	for (uint32_t i = 0; i < n; i++) {
		if (strstr(wt_log_damages(reader)[i].what, words))
			return;
	}
	fail_msg("nothing says '%s', but for example '%s'", words, n ? wt_log_damages(reader)[0].what : "");
}

static void strange_blocks_are_skipped(void **state)
{
	struct wt_disk_block_header header = {.type = 77, .segment = 0, .count = 9};
	struct wt_log_reader *reader;
	static const struct {
		struct wt_disk_block_header header;
		const char *says;
	} cases[] = {
		{{.type = WT_DISK_EVENTS, .kind = 99, .count = 1}, "without a schema"},
		{{.type = WT_DISK_EVENTS, .kind = 0, .count = 0}, "block with 0 rows"},
		{{.type = WT_DISK_EVENTS, .kind = 0, .count = 1 << 17}, "rows"},
		{{.type = WT_DISK_EVENTS, .kind = KIND_TEXT, .count = 1}, "field column"},
		{{.type = WT_DISK_EVENTS, .kind = 0, .count = 1, .time_min = 5, .time_max = 9},
		 "event times"},
		{{.type = WT_DISK_EVENTS, .kind = 0, .count = 1, .flags = 0x8000}, "newer format"},
		{{.type = WT_DISK_PROCESSES, .first = 1, .count = 1}, "rows defined twice"},
		{{.type = WT_DISK_FRAMES, .first = 0xfffffff0, .count = 1}, "bound"},
		{{.type = WT_DISK_STACKS, .first = 0, .count = 1}, "count from 1"},
		{{.type = WT_DISK_SYMBOLS, .first = 99, .count = 1}, "symbols of frames"},
		{{.type = WT_DISK_SYMBOLS, .segment = 9, .count = 1}, "symbols of a segment"},
		{{.type = WT_DISK_SCHEMA, .first = 0, .count = 1}, "kinds defined twice"},
		{{.type = WT_DISK_SCHEMA, .first = 50, .count = 1}, "no manifest"},
		{{.type = WT_DISK_CLOCK, .count = 1}, "clock sets"},
	};

	(void)state;
	reader = with_block(&header, "whatever", 8);
	assert_int_equal(read_all(reader), whole.n);
	assert_int_equal(wt_log_info(reader)->n_damages, 1); /* the sequence number jumps */
	wt_log_close(reader);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		header = cases[i].header;
		reader = with_block(&header, "", 0);
		assert_int_equal(read_all(reader), whole.n);
		says(reader, cases[i].says);
		wt_log_close(reader);
	}
}

static int count(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	uint32_t *n = ctx;

	(void)err;
	*n += batch->n;
	return 0;
}

static void put_constant(struct wt_buf *buf, uint16_t id, uint64_t value)
{
	wt_buf_put_u16(buf, id);
	wt_buf_put_u8(buf, WT_DISK_FOR);
	wt_buf_put_u8(buf, 0);
	wt_buf_put_u32(buf, 8);
	wt_buf_put_u64(buf, value);
}

/* Events at time 5, before all others, with columns of a later version; then with a column twice. */
static void unknown_columns_are_ignored_and_doubles_refused(void **state)
{
	struct wt_disk_block_header header = {
		.type = WT_DISK_EVENTS, .kind = KIND_BARE, .count = 70, .time_min = 5, .time_max = 5};
	struct wt_log_filter filter = {.to = 6};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_log_reader *reader;
	uint32_t n = 0;

	(void)state;
	put_constant(&payload, 9, 1);
	put_constant(&payload, WT_DISK_EVENT_TIME, 5);
	put_constant(&payload, WT_DISK_EVENT_FIELD, 1);
	put_constant(&payload, WT_DISK_EVENT_THREAD, 1000); /* not there */
	reader = with_block(&header, payload.data, payload.len);
	assert_ok(wt_log_scan(reader, &filter, count, &n, &err), err);
	assert_int_equal(n, 70);
	assert_int_equal(wt_log_info(reader)->first_time, 5);
	says(reader, "70 threads or stacks");
	wt_log_close(reader);
	put_constant(&payload, WT_DISK_EVENT_THREAD, 1);
	reader = with_block(&header, payload.data, payload.len);
	assert_int_equal(read_all(reader), whole.n);
	says(reader, "columns do not fit");
	wt_log_close(reader);
	wt_buf_deinit(&payload);
}

/* A row block far behind the others: the rows between are unknown, and nothing dangles. */
static void missing_rows_become_unknown(void **state)
{
	struct wt_disk_block_header header = {.type = WT_DISK_STACKS, .segment = 0, .first = 50, .count = 2};
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_segment *segment;
	struct wt_log_reader *reader;

	(void)state;
	reader = with_block(&header, "", 0);
	assert_ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	assert_int_equal(segment->n_stacks, 51);
	assert_int_equal(segment->n_frames, 37); /* one more, for frames that are lost */
	assert_int_equal(segment->frames[36].image, 0);
	assert_int_equal(segment->stacks[40].frame, 36);
	assert_int_equal(segment->stacks[40].status, WT_STACK_LOST);
	assert_int_equal(segment->stacks[49].caller, 49);
	assert_int_equal(segment->stacks[49].status, WT_STACK_LOST); /* it lacks callers */
	assert_int_equal(segment->symbols[36].name.len, 0);
	says(reader, "rows that are not there");
	wt_log_close(reader);
}

static void removed_blocks_are_noticed(void **state)
{
	int fd = file_of(whole.bytes, whole.len);
	uint8_t *bytes = malloc(whole.len);
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_log_reader *reader;
	struct wt_log_place place;
	size_t size;

	(void)state;
	wt_log_walk_init(walk, fd, 64, whole.finish);
	do
		assert_int_equal(wt_log_walk_next(walk, &place, NULL), WT_LOG_STEP_BLOCK);
	while (place.header.type != WT_DISK_EVENTS);
	size = walk->offset - place.offset;
	memcpy(bytes, whole.bytes, place.offset);
	memcpy(bytes + place.offset, whole.bytes + walk->offset, whole.finish - walk->offset);
	reader = open_bytes(bytes, whole.finish - size);
	assert_int_equal(wt_log_info(reader)->n_damages, 1);
	says(reader, "blocks missing");
	assert_int_equal(read_all(reader), whole.n - place.header.count);
	says(reader, "events are missing");
	wt_log_close(reader);
	close(fd);
	free(walk);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_anywhere_reads_up_to_the_last_whole_block),
		cmocka_unit_test(damage_anywhere_costs_only_what_it_hits),
		cmocka_unit_test(one_flipped_bit_in_a_payload_loses_one_block),
		cmocka_unit_test(a_bad_index_is_not_needed),
		cmocka_unit_test(other_files_are_named_for_what_they_are),
		cmocka_unit_test(newer_minor_versions_and_longer_headers_open),
		cmocka_unit_test(strange_blocks_are_skipped),
		cmocka_unit_test(unknown_columns_are_ignored_and_doubles_refused),
		cmocka_unit_test(missing_rows_become_unknown),
		cmocka_unit_test(removed_blocks_are_noticed),
	};

	return cmocka_run_group_tests(tests, make_file, free_file);
}
