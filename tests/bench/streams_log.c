// SPDX-License-Identifier: MIT
/**
 * @file
 * Writes logs for measuring how events of many streams are put in order: streams_log PREFIX FILES CPUS EVENTS
 *
 * EVENTS events in all, each from a random CPU of a random one of FILES logs (PREFIX0.etl, ...), a
 * microsecond apart: no two that follow each other are likely to be of one stream. Each CPU has blocks of its
 * own. The same arguments give the same logs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracecore/logfmt/write/writer.h"
#include "tracecore/schema/builtin.h"
#include "tracecore/source.h"

enum { ROUND = 400000, PAYLOAD = 9 /* source u8, period u64 */ };

struct stream {
	uint64_t times[WT_STRIP_MAX];
	uint8_t payload[WT_STRIP_MAX * PAYLOAD];
	uint32_t n;
};

struct bench {
	struct wt_kinds kinds;
	struct wt_log_writer **writers;
	struct stream *streams;
	uint32_t n_files, n_cpus, sample;
	uint64_t time, seed, written;
};

static void must(int failed, const struct wt_err *err)
{
	if (!failed)
		return;
	fprintf(stderr, "streams_log: %s\n", err->text);
	exit(1);
}

static void begin(struct bench *bench, const char *prefix)
{
	static const struct wt_named source = {.name = (char *)(uintptr_t) "cpu-clock"};
	static const uint8_t id[16] = {1};
	struct wt_log_process process = {.pid = 1, .start_time = 1, .name = {"process", 7}};
	struct wt_log_thread thread = {.process = 1, .tid = 1, .start_time = 1, .name = {"thread", 6}};
	struct wt_log_options options = {.pending_bytes = 64 << 20};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	must(wt_builtin_provider("pmu-profile", &provider, &err), &err);
	must(wt_provider_set_map(provider, "sources", &source, 1, &err), &err);
	must(wt_kinds_add(&bench->kinds, provider, &first, &err), &err);
	bench->sample = wt_kinds_find(&bench->kinds, "pmu-profile", "sample");
	for (uint32_t i = 0; i < bench->n_files; i++) {
		char path[4096];
		int fd;

		snprintf(path, sizeof(path), "%s%u.etl", prefix, i);
		fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
		must(fd < 0 && wt_fail_errno(&err, "cannot create %s", path), &err);
		must(wt_log_create(fd, &bench->kinds, id, &options, &bench->writers[i], &err), &err);
		must(wt_log_put_process(bench->writers[i], &(struct wt_log_process){0}, &err) ||
			     wt_log_put_process(bench->writers[i], &process, &err) ||
			     wt_log_put_thread(bench->writers[i], &(struct wt_log_thread){0}, &err) ||
			     wt_log_put_thread(bench->writers[i], &thread, &err) ||
			     wt_log_put_image(bench->writers[i], &(struct wt_log_image){0}, &err),
		     &err);
	}
}

static void put(struct bench *bench, uint32_t number)
{
	struct stream *stream = &bench->streams[number];
	struct wt_log_writer *writer = bench->writers[number / bench->n_cpus];
	struct wt_err err = WT_ERR_INIT;
	struct wt_strip strip = {.times = stream->times,
				 .payload = stream->payload,
				 .stride = PAYLOAD,
				 .payload_len = PAYLOAD,
				 .n = stream->n,
				 .kind = bench->sample,
				 .cpu = number % bench->n_cpus,
				 .pid = 1,
				 .tid = 1};

	while (strip.n) {
		uint32_t taken = 0;

		must(wt_log_strip(writer, &strip, 1, 0, &taken, &err) < 0, &err);
		wt_strip_skip(&strip, taken);
	}
	stream->n = 0;
}

static void add(struct bench *bench)
{
	struct stream *stream;
	uint32_t number;

	bench->seed = bench->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	number = (uint32_t)(bench->seed >> 33) % (bench->n_files * bench->n_cpus);
	stream = &bench->streams[number];
	stream->times[stream->n] = bench->time += 1000;
	wt_store_u64(stream->payload + (size_t)stream->n * PAYLOAD + 1, 1000 + (bench->seed >> 56));
	if (++stream->n == WT_STRIP_MAX)
		put(bench, number);
}

static void end_round(struct bench *bench)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t i = 0; i < bench->n_files * bench->n_cpus; i++)
		put(bench, i);
	for (uint32_t i = 0; i < bench->n_files; i++) {
		must(wt_log_flush(bench->writers[i], NULL, 0, &err), &err);
	}
}

int main(int argc, char **argv)
{
	struct bench bench = {.time = 1000000000, .seed = 1};
	struct wt_err err = WT_ERR_INIT;
	uint64_t events;

	if (argc != 5) {
		fputs("usage: streams_log PREFIX FILES CPUS EVENTS\n", stderr);
		return 2;
	}
	bench.n_files = (uint32_t)strtoul(argv[2], NULL, 10);
	bench.n_cpus = (uint32_t)strtoul(argv[3], NULL, 10);
	events = strtoull(argv[4], NULL, 10);
	bench.writers = calloc(bench.n_files, sizeof(struct wt_log_writer *));
	bench.streams = calloc((size_t)bench.n_files * bench.n_cpus, sizeof(*bench.streams));
	if (!bench.writers || !bench.streams)
		return 1;
	begin(&bench, argv[1]);
	for (uint64_t i = 0; i < events; i++) {
		add(&bench);
		if (i % ROUND == ROUND - 1)
			end_round(&bench);
	}
	end_round(&bench);
	for (uint32_t i = 0; i < bench.n_files; i++)
		must(wt_log_finish(bench.writers[i], &err), &err);
	return 0;
}
