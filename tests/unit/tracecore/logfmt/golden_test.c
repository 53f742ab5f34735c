// SPDX-License-Identifier: MIT
/* Files written once by version 1.0, 1.1 or 1.2 must read the same for ever. `log_golden_test make DIR`
 * writes new ones; that is right only for new cases, never to make a failing comparison pass. */
#include "tests/unit/tracecore/logfmt/text.h"

#include <sys/stat.h>

#include "tracecore/logfmt/rewrite/compact.h"
#include "tracecore/logfmt/write/writer_impl.h"
#include "tracecore/logfmt/rewrite/trim.h"

#define EMBED(name, file)                                                                                 \
	__asm__(".section .rodata\n.balign 8\n.globl " #name "\n" #name ":\n.incbin \"tests/golden/" file \
		"\"\n"                                                                                    \
		".globl " #name "_end\n" #name "_end:\n.byte 0\n.previous\n");                            \
	extern const uint8_t name[], name##_end[]

static void check(const uint8_t *bytes, const uint8_t *end, const uint8_t *text, const uint8_t *text_end)
{
	struct wt_buf out = {0};
	int fd = fixture_file();

	assert_true(end > bytes);
	assert_int_equal(pwrite(fd, bytes, (size_t)(end - bytes), 0), end - bytes);
	put_file(&out, fd);
	assert_int_equal(out.len, text_end - text);
	assert_memory_equal(out.data, text, out.len);
	wt_buf_deinit(&out);
	close(fd);
}

/* The test of a golden file: it reads as the text beside it says. */
#define GOLDEN(name)                                                                                       \
	EMBED(golden_##name, #name ".wtl");                                                                \
	EMBED(golden_##name##_text, #name ".txt");                                                         \
	static void name(void **state)                                                                     \
	{                                                                                                  \
		(void)state;                                                                               \
		check(golden_##name, golden_##name##_end, golden_##name##_text, golden_##name##_text_end); \
	}

GOLDEN(example)
GOLDEN(types)
GOLDEN(cut)
GOLDEN(growing)
GOLDEN(ranges)
GOLDEN(following)
GOLDEN(dropped)
GOLDEN(ticks)
GOLDEN(encodings)
GOLDEN(inlined)

static void save(const char *dir, const char *name, int fd, uint64_t size)
{
	struct wt_buf path = {0}, text = {0};
	uint8_t *bytes = malloc(size);
	FILE *f;

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(pread(fd, bytes, size, 0), size);
	wt_buf_printf(&path, "%s/%s.wtl", dir, name);
	f = fopen(wt_buf_cstr(&path), "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
	put_file(&text, fd);
	wt_buf_clear(&path);
	wt_buf_printf(&path, "%s/%s.txt", dir, name);
	f = fopen(wt_buf_cstr(&path), "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
	fclose(f);
	free(bytes);
	wt_buf_deinit(&path);
	wt_buf_deinit(&text);
}

static void make_example(const char *dir)
{
	static const char manifest[] =
		"{\"wtrace_manifest\":1,\"provider\":\"demo\",\"events\":[{\"id\":1,\"version\":0,\"name\":"
		"\"tick\","
		"\"fields\":[{\"name\":\"n\",\"type\":\"u32\"},{\"name\":\"text\",\"type\":\"string\"}]}]}";
	struct wt_log_position position = {1, 4096};
	struct wt_kinds kinds = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	struct wt_log_writer *log;
	uint32_t first;
	int fd = fixture_file();

	assert_ok(wt_manifest_parse(manifest, strlen(manifest), "demo", &provider, &err), err);
	assert_ok(wt_kinds_add(&kinds, provider, &first, &err), err);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	for (uint32_t i = 0; i < 4; i++) {
		static const char *const words[] = {"a", "bc", "a", ""};
		struct wt_buf payload = {0};
		struct wt_event event = {.time = 1000000 + 300 * i + (i == 2), .cpu = i & 1};

		wt_buf_put_u32(&payload, 258 + i);
		wt_buf_put_counted(&payload, words[i], strlen(words[i]));
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		assert_ok(wt_log_event(log, &event, 1, 0, &err), err);
		wt_buf_deinit(&payload);
	}
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	save(dir, "example", fd, wt_log_writer_stats(log)->bytes);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

static void put_types(struct wt_log_writer *log, uint64_t *seed, uint64_t *time)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};

	fixture_rows(log);
	for (uint32_t i = 0; i < 40; i++) {
		uint64_t r = fixture_random(seed);
		struct wt_event event = {.time = *time += r % 1000, .kind = i % KIND_COUNT};

		if (i < 30)
			fixture_stack(log, 64 * i + (r >> 60), i, i % 8 ? i : i / 3);
		event.cpu = i % 9 ? i % 4 : WT_CPU_NONE;
		event.flags = i % 5 ? 0 : WT_EVENT_SELF;
		fixture_payload(event.kind, seed, &payload);
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		assert_ok(wt_log_event(log, &event, i & 1, i % 31 % (i + 1), &err), err);
		if (i % 20 == 19)
			assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	}
	wt_buf_deinit(&payload);
}

static void make_types(const char *dir)
{
	struct wt_log_symbol symbols[2] = {
		{.name = wt_str("f(int)"),
		 .raw_name = wt_str("_Z1fi"),
		 .file = wt_str("f.cc"),
		 .line = 7,
		 .symbol_offset = 12},
		{.reason = WT_UNRESOLVED_NO_SYMBOLS},
	};
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	uint64_t seed = 42, time = 0;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	put_types(log, &seed, &time);
	assert_ok(wt_log_next_segment(log, &err), err);
	put_types(log, &seed, &time);
	assert_ok(wt_log_put_symbols(log, 0, 3, symbols, 2, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	save(dir, "types", fd, wt_log_writer_stats(log)->bytes);
	save(dir, "cut", fd, wt_log_writer_stats(log)->bytes * 2 / 3);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

/* Chains of inlined functions: none in the first block of symbols, a whole one and one that is cut in the
 * next, put together as a complete log has them. */
static void make_inlined(const char *dir)
{
	const struct wt_log_inlined calls[] = {{wt_str("leaf"), wt_str("leaf.h"), 12},
					       {wt_str("ns::middle(int)"), wt_str(""), 0}};
	struct wt_log_symbol symbols[2] = {{.name = wt_str("outer"), .file = wt_str("leaf.h"), .line = 5},
					   {.name = wt_str("other")}};
	struct wt_buf chain = {0};
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	uint64_t seed = 3, time = 0;
	struct stat st;
	int fd = fixture_file(), packed = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	put_types(log, &seed, &time);
	assert_ok(wt_log_put_symbols(log, 0, 0, symbols, 2, &err), err);
	for (size_t i = 0; i < 2; i++)
		assert_true(wt_log_inlined_put(&chain, &calls[i]));
	symbols[0].inlined = wt_str_of(chain.data, chain.len);
	symbols[1].inlined = wt_str_of(chain.data, chain.len - 1);
	assert_ok(wt_log_put_symbols(log, 0, 2, symbols, 2, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(wt_log_compact(fd, packed, &err), 0);
	assert_int_equal(fstat(packed, &st), 0);
	save(dir, "inlined", packed, (uint64_t)st.st_size);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	wt_buf_deinit(&chain);
	close(fd);
	close(packed);
}

/* A provider that appears in the middle of a segment, another schema of the same provider in the next, and
 * activities. */
static void make_growing(const char *dir)
{
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	static const uint8_t parent[WT_ACTIVITY_ID] = {0xaa, 0xbb};
	struct wt_log_writer *log;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	fixture_text_event(log, KIND_TEXT, 10, NULL, NULL);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	fixture_add_late(&kinds, 1);
	assert_ok(wt_log_adopt_kinds(log, &err), err);
	fixture_text_event(log, KIND_TEXT, 20, fixture_session, NULL);
	fixture_text_event(log, KIND_COUNT, 21, fixture_session, parent);
	fixture_text_event(log, KIND_COUNT, 22, NULL, NULL);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	assert_ok(wt_log_next_segment(log, &err), err);
	fixture_rows(log);
	fixture_add_late(&kinds, 2);
	assert_ok(wt_log_adopt_kinds(log, &err), err);
	fixture_text_event(log, KIND_COUNT, 30, NULL, fixture_session);
	fixture_text_event(log, KIND_COUNT + 1, 31, NULL, NULL);
	assert_ok(wt_log_finish(log, &err), err);
	save(dir, "growing", fd, wt_log_writer_stats(log)->bytes);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

/* Blocks of any size have ranges. */
static void make_ranges(const char *dir)
{
	struct wt_log_options options = {.ranged = 1};
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	uint64_t seed = 43, time = 0;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, &options, &log, &err), err);
	put_types(log, &seed, &time);
	assert_ok(wt_log_finish(log, &err), err);
	save(dir, "ranges", fd, wt_log_writer_stats(log)->bytes);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

/* Switches between a few threads, with statements that have numbers in them, as a compacted log has them:
 * what is known from the event before or from the thread's last time, and where that misses. */
static void put_switch(struct wt_log_writer *log, uint64_t *seed, uint32_t i, uint32_t *on)
{
	static const char *const names[] = {"idle", "cc1", "as", "ld", "make", "sh", "cc1plus"};
	static const char *const texts[] = {"SELECT a FROM t%u WHERE b = %u", "COMMIT",
					    "at 007 of %u to %u\x1b", "%u%u"};
	uint64_t r = fixture_random(seed);
	uint32_t next = (uint32_t)(r % 7), prev = i % 41 == 40 ? (*on + 1) % 7 : *on;
	struct wt_event event = {.time = 5000 + 900 * i + r % 800, .cpu = 3};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	char text[80];

	if (i % 50 == 49)
		event.time += 20000000000;
	wt_buf_put_u32(&payload, 100 + prev);
	wt_buf_put_counted(&payload, names[prev], strlen(names[prev]));
	wt_buf_put_u32(&payload, 100 + next);
	wt_buf_put_counted(&payload, names[i > 120 && next == 5 ? 4 : next],
			   strlen(names[i > 120 && next == 5 ? 4 : next]));
	wt_buf_put_u64(&payload, next * UINT64_C(0x123456789));
	snprintf(text, sizeof(text), texts[r >> 8 & 3], (unsigned)(r >> 16) % 5000,
		 (unsigned)(r >> 40) % 300);
	wt_buf_put_counted(&payload, text, strlen(text));
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	assert_ok(wt_log_event(log, &event, i & 1, 0, &err), err);
	if (i % 60 == 59)
		assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	wt_buf_deinit(&payload);
	*on = next;
}

static void make_following(const char *dir)
{
	static const char manifest[] =
		"{\"wtrace_manifest\":1,\"provider\":\"demo\",\"events\":[{\"id\":1,\"version\":0,\"name\":"
		"\"switch\",\"fields\":[{\"name\":\"prev\",\"type\":\"u32\"},{\"name\":\"prev_name\","
		"\"type\":\"string\"},"
		"{\"name\":\"next\",\"type\":\"u32\"},{\"name\":\"next_name\",\"type\":\"string\"},{\"name\":"
		"\"load\",\"type\":"
		"\"u64\"},{\"name\":\"text\",\"type\":\"string\"}]}]}";
	struct wt_kinds kinds = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	struct wt_log_writer *log;
	uint32_t first, on = 0;
	uint64_t seed = 7;
	struct stat st;
	int fd = fixture_file(), packed = fixture_file();

	assert_ok(wt_manifest_parse(manifest, strlen(manifest), "demo", &provider, &err), err);
	assert_ok(wt_kinds_add(&kinds, provider, &first, &err), err);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	for (uint32_t i = 0; i < 240; i++)
		put_switch(log, &seed, i, &on);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(wt_log_compact(fd, packed, &err), 0);
	assert_int_equal(fstat(packed, &st), 0);
	save(dir, "following", packed, (uint64_t)st.st_size);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
	close(packed);
}

/* A clock that steps every 10.0149 ns, corrected now and then. */
static void put_step(struct wt_log_writer *log, uint64_t *seed, uint64_t *tick, uint32_t i)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_event event = {.cpu = 2};

	*tick += 20 + fixture_random(seed) % 150;
	if (i % 100 == 99)
		*tick += 5000000;
	event.time = UINT64_C(2000000000) + *tick * 100149 / 10000 + i / 70;
	wt_buf_put_u32(&payload, i);
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	assert_ok(wt_log_event(log, &event, 1, 0, &err), err);
	if (i % 90 == 89)
		assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	wt_buf_deinit(&payload);
}

static void demo_kinds(struct wt_kinds *kinds, const char *manifest)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	*kinds = (struct wt_kinds){0};
	assert_ok(wt_manifest_parse(manifest, strlen(manifest), "demo", &provider, &err), err);
	assert_ok(wt_kinds_add(kinds, provider, &first, &err), err);
}

static void make_ticks(const char *dir)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	struct wt_kinds kinds;
	uint64_t seed = 5, tick = 0;
	struct stat st;
	int fd = fixture_file(), packed = fixture_file();

	demo_kinds(&kinds, "{\"wtrace_manifest\":1,\"provider\":\"demo\",\"events\":[{\"id\":1,\"version\":0,"
			   "\"name\":\"step\",\"fields\":[{\"name\":\"n\",\"type\":\"u32\"}]}]}");
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	for (uint32_t i = 0; i < 270; i++)
		put_step(log, &seed, &tick, i);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(wt_log_compact(fd, packed, &err), 0);
	assert_int_equal(fstat(packed, &st), 0);
	save(dir, "ticks", packed, (uint64_t)st.st_size);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
	close(packed);
}

/* ---- the document's example of the encodings since 1.1: four events, so small that no writer would ---- */

static void put_one(struct wt_buf *out, uint16_t id, uint64_t base, const char *plane, uint32_t n)
{
	uint8_t width = plane ? 1 : 0;

	wt_buf_put_u16(out, id);
	wt_buf_put_u8(out, WT_DISK_FOR);
	wt_buf_put_u8(out, width);
	wt_buf_put_u32(out, 8 + width * n);
	wt_buf_put_u64(out, base);
	if (plane)
		wt_buf_put(out, plane, n);
}

static size_t begin_column(struct wt_buf *out, uint16_t id, uint8_t encoding, uint8_t width)
{
	wt_buf_put_u16(out, id);
	wt_buf_put_u8(out, encoding);
	wt_buf_put_u8(out, width);
	wt_buf_put_u32(out, 0);
	return out->len;
}

static void end_column(struct wt_buf *out, size_t begun)
{
	uint32_t length = (uint32_t)(out->len - begun);

	memcpy(out->data + begun - sizeof(length), &length, sizeof(length));
}

/* TICKS of 10.5 ns; next as DICT; prev is what next was; load goes with next; text has numbers. */
static void put_encodings(struct wt_buf *out)
{
	size_t at = begin_column(out, WT_DISK_EVENT_TIME, WT_DISK_TICKS, 0);

	wt_buf_put_u64(out, 1000000);
	wt_buf_put_u64(out, UINT64_C(21) << (WT_DISK_TICK_BITS - 1));
	put_one(out, 0, 0, "\x00\x1e\x4b\x64", 4);
	wt_buf_put_u32(out, 2);
	put_one(out, 1, 0, "\x00\x02", 2);
	put_one(out, 2, 0, "\x00\x80", 2);
	end_column(out, at);
	at = begin_column(out, WT_DISK_EVENT_FIELD + 1, WT_DISK_DICT, 1);
	wt_buf_put_u32(out, 2);
	wt_buf_put_u64(out, 7);
	wt_buf_put_u64(out, 9);
	wt_buf_put(out, "\x00\x01\x00\x01", 4);
	end_column(out, at);
	for (unsigned follows = 0; follows < 2; follows++) {
		at = begin_column(out, WT_DISK_EVENT_FIELD + 2 * follows,
				  follows ? WT_DISK_LAST : WT_DISK_SAME, 0);
		wt_buf_put_u16(out, WT_DISK_EVENT_FIELD + 1);
		wt_buf_put_u8(out, !follows);
		wt_buf_put_u8(out, 0);
		wt_buf_put_u32(out, 1 + follows);
		put_one(out, 0, 0, follows ? "\x00\x01" : NULL, 2);
		put_one(out, 1, follows ? 100 : 5, follows ? "\x00\x64" : NULL, 2);
		end_column(out, at);
	}
	at = begin_column(out, WT_DISK_EVENT_FIELD + 3, WT_DISK_NUMBERED, 0);
	wt_buf_put_u32(out, 2);
	put_one(out, 1, 0, "\x00\x00\x01\x00", 4);
	{
		size_t forms = begin_column(out, 0, WT_DISK_BYTES, 0);

		put_one(out, 0, 4, "\x01\x00", 2);
		wt_buf_puts(out, "cpu \x1aidle");
		end_column(out, forms);
	}
	wt_buf_put_u32(out, 3);
	put_one(out, 2, 3, "\x00\x09\x01", 3);
	end_column(out, at);
}

static void make_encodings(const char *dir)
{
	struct wt_disk_block_header header;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	struct wt_buf raw = {0};
	struct wt_kinds kinds;
	int fd = fixture_file();

	demo_kinds(&kinds, "{\"wtrace_manifest\":1,\"provider\":\"demo\",\"events\":[{\"id\":1,\"version\":0,"
			   "\"name\":\"switch\",\"fields\":[{\"name\":\"prev\",\"type\":\"u32\"},"
			   "{\"name\":\"next\",\"type\":\"u32\"},{\"name\":\"load\",\"type\":\"u64\"},"
			   "{\"name\":\"text\",\"type\":\"string\"}]}]}");
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	put_encodings(&raw);
	header = wt_log_stage_header(log, WT_DISK_EVENTS);
	header.kind = 0;
	header.count = 4;
	header.time_min = 1000000;
	header.time_max = 1001050;
	assert_ok(wt_log_stage(log, &header, raw.data, raw.len, &err), err);
	assert_ok(wt_log_commit(log, &err), err);
	log->segment_events += header.count;
	assert_ok(wt_log_finish(log, &err), err);
	save(dir, "encodings", fd, wt_log_writer_stats(log)->bytes);
	wt_buf_deinit(&raw);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

static int take_name(void *ctx, struct wt_err *err)
{
	(void)ctx;
	(void)err;
	return 0;
}

/* Two segments are gone from its front; the last one is open. */
static void make_dropped(const char *dir)
{
	struct wt_kinds kinds;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	struct wt_log_trimming how = {.keep = 1, .into = fixture_file(), .publish = take_name};
	struct wt_log_trimmed trimmed;
	uint64_t seed = 3, time = 0;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	put_types(log, &seed, &time);
	assert_ok(wt_log_next_segment(log, &err), err);
	put_types(log, &seed, &time);
	assert_ok(wt_log_next_segment(log, &err), err);
	fixture_rows(log);
	fixture_text_event(log, KIND_TEXT, time + 1, NULL, NULL);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	assert_int_equal(wt_log_trim(log, &how, &trimmed, &err), 0);
	save(dir, "dropped", fd, wt_log_writer_stats(log)->bytes);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(how.into);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example), cmocka_unit_test(types),     cmocka_unit_test(cut),
		cmocka_unit_test(growing), cmocka_unit_test(following), cmocka_unit_test(ranges),
		cmocka_unit_test(dropped), cmocka_unit_test(ticks),     cmocka_unit_test(encodings),
		cmocka_unit_test(inlined),
	};

	if (argc == 3 && !strcmp(argv[1], "make")) {
		make_example(argv[2]);
		make_types(argv[2]);
		make_inlined(argv[2]);
		make_growing(argv[2]);
		make_ranges(argv[2]);
		make_following(argv[2]);
		make_dropped(argv[2]);
		make_ticks(argv[2]);
		make_encodings(argv[2]);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
