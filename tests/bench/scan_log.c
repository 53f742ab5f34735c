// SPDX-License-Identifier: MIT
/**
 * @file
 * Writes a log for measuring scans: scan_log FILE EVENTS GROUPS PADDING
 *
 * EVENTS events bench/two {writer u32, n u32, group u32, padding binary}: two writers take turns on two CPUs,
 * n counts up, group is one of GROUPS in no order, and PADDING bytes per event cannot be compressed, so that
 * a file grows large without as many events. An event every 250 ns. The same arguments give the same log.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/logfmt/write/writer.h"
#include "tracecore/schema/schema.h"

enum { WRITERS = 2, MOST_PADDING = 4096, NS_PER_EVENT = 250 };

static const char manifest[] = "{\"wtrace_manifest\":1,\"provider\":\"bench\","
			       "\"events\":[{\"id\":1,\"version\":0,\"name\":\"two\",\"fields\":[{\"name\":"
			       "\"writer\",\"type\":\"u32\"},"
			       "{\"name\":\"n\",\"type\":\"u32\"},{\"name\":\"group\",\"type\":\"u32\"},"
			       "{\"name\":\"padding\",\"type\":\"binary\"}]}]}";

static void must(int failed, const struct wt_err *err)
{
	if (!failed)
		return;
	fprintf(stderr, "scan_log: %s\n", err->text);
	exit(1);
}

struct bench {
	struct wt_kinds kinds;
	struct wt_log_writer *writer;
	uint64_t seed, events, written;
	uint32_t groups, padding, n[WRITERS];
	uint64_t times[WT_STRIP_MAX];
	struct wt_buf payloads;
};

static uint64_t random_word(struct bench *bench)
{
	bench->seed = bench->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return bench->seed ^ bench->seed >> 29;
}

static void put_rows(struct bench *bench)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t i = 0; i <= WRITERS; i++) {
		struct wt_str name = {.p = i ? "writer" : "", .len = i ? 6 : 0};
		struct wt_log_process process = {.pid = i ? 100 : 0, .start_time = 1, .name = name};
		struct wt_log_thread thread = {
			.process = i ? 1 : 0, .tid = i ? 100 + i : 0, .start_time = 1, .name = name};

		must(i < 2 && wt_log_put_process(bench->writer, &process, &err), &err);
		must(wt_log_put_thread(bench->writer, &thread, &err), &err);
	}
	must(wt_log_put_image(bench->writer, &(struct wt_log_image){0}, &err), &err);
}

static void fill_strip(struct bench *bench, uint32_t writer, uint32_t n)
{
	wt_buf_clear(&bench->payloads);
	for (uint32_t i = 0; i < n; i++) {
		bench->times[i] = 1000000000 + (bench->written + i) * NS_PER_EVENT + random_word(bench) % 100;
		wt_buf_put_u32(&bench->payloads, writer);
		wt_buf_put_u32(&bench->payloads, bench->n[writer]++);
		wt_buf_put_u32(&bench->payloads, (uint32_t)((random_word(bench) >> 32) % bench->groups));
		wt_buf_put_u16(&bench->payloads, (uint16_t)bench->padding);
		for (uint32_t at = 0; at < bench->padding; at += 8)
			wt_buf_put_u64(&bench->payloads, random_word(bench));
	}
	must(bench->payloads.failed, &(struct wt_err){.text = "out of memory"});
}

static void put_strip(struct bench *bench, uint32_t writer, uint32_t n)
{
	uint32_t size = 14 + bench->padding, taken;
	struct wt_err err = WT_ERR_INIT;
	struct wt_strip strip = {.times = bench->times, .stride = size, .payload_len = size, .cpu = writer};

	fill_strip(bench, writer, n);
	strip.payload = bench->payloads.data;
	for (strip.n = n; strip.n; wt_strip_skip(&strip, taken)) {
		int full = wt_log_strip(bench->writer, &strip, 1 + writer, 0, &taken, &err);

		must(full < 0 || (full && wt_log_flush(bench->writer, NULL, 0, &err)), &err);
	}
	bench->written += n;
	if (!wt_log_segment_full(bench->writer))
		return;
	must(wt_log_flush(bench->writer, NULL, 0, &err) || wt_log_next_segment(bench->writer, &err), &err);
	put_rows(bench);
}

static void begin(struct bench *bench, const char *path)
{
	static const uint8_t id[16] = {1};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	must(fd < 0 && wt_fail_errno(&err, "cannot create %s", path), &err);
	must(wt_manifest_parse(manifest, sizeof(manifest) - 1, "bench", &provider, &err), &err);
	must(wt_kinds_add(&bench->kinds, provider, &first, &err), &err);
	must(wt_log_create(fd, &bench->kinds, id, NULL, &bench->writer, &err), &err);
	put_rows(bench);
}

int main(int argc, char **argv)
{
	struct bench bench = {.seed = 1};
	struct wt_err err = WT_ERR_INIT;

	if (argc != 5) {
		fputs("usage: scan_log FILE EVENTS GROUPS PADDING\n", stderr);
		return 2;
	}
	bench.events = strtoull(argv[2], NULL, 10);
	bench.groups = (uint32_t)strtoul(argv[3], NULL, 10);
	bench.padding = (uint32_t)strtoul(argv[4], NULL, 10) / 8 * 8;
	must(!bench.groups || bench.padding > MOST_PADDING, &(struct wt_err){.text = "GROUPS or PADDING"});
	begin(&bench, argv[1]);
	for (uint32_t turn = 0; bench.written < bench.events; turn++) {
		uint64_t left = bench.events - bench.written;

		put_strip(&bench, turn % WRITERS, left < WT_STRIP_MAX ? (uint32_t)left : WT_STRIP_MAX);
	}
	must(wt_log_finish(bench.writer, &err), &err);
	wt_log_writer_destroy(bench.writer);
	wt_kinds_deinit(&bench.kinds);
	wt_buf_deinit(&bench.payloads);
	return 0;
}
