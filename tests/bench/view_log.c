// SPDX-License-Identifier: MIT
/**
 * @file
 * Writes a log for measuring views: view_log FILE EVENTS STACKS DEPTH [PROCESSES]
 *
 * EVENTS samples of STACKS different stacks (in each of four segments) of up to DEPTH frames. Every process
 * has a tree of calls of its own: a new stack leaves an old one at a random frame. Some stacks are far more
 * frequent than others. The same arguments give the same log.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/logfmt/write/writer.h"
#include "tracecore/schema/builtin.h"

enum { SEGMENTS = 4, IMAGES = 20, FRAMES = 8000, FRAMES_PER_FUNCTION = 4, NEW_FRAMES = 7 };

struct node {
	uint32_t caller, depth;
};

struct bench {
	struct wt_kinds kinds;
	struct wt_log_writer *writer;
	uint64_t time, seed, events;
	uint32_t sample, n_stacks, depth, n_processes;
	struct node *nodes; /* by stack id */
	uint32_t n_nodes;
	uint32_t *stacks; /* ids of those that end samples; the one with index i belongs to process i %
			     n_processes */
};

static void must(int failed, const struct wt_err *err)
{
	if (!failed)
		return;
	fprintf(stderr, "view_log: %s\n", err->text);
	exit(1);
}

static void *room(size_t n, size_t size)
{
	void *bytes = calloc(n, size);

	if (!bytes) {
		fputs("view_log: out of memory\n", stderr);
		exit(1);
	}
	return bytes;
}

static uint32_t below(struct bench *bench, uint32_t n)
{
	bench->seed = bench->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(bench->seed >> 33) % n;
}

static struct wt_str name(char *text, size_t size, const char *format, uint32_t n)
{
	return (struct wt_str){.p = text, .len = (uint32_t)snprintf(text, size, format, n)};
}

static void put_rows(struct bench *bench)
{
	struct wt_err err = WT_ERR_INIT;
	char text[64];

	for (uint32_t i = 0; i <= bench->n_processes; i++) {
		struct wt_log_process process = {
			.pid = i, .start_time = i, .name = name(text, sizeof(text), "process%u", i)};
		struct wt_log_thread thread = {.process = i, .tid = i, .start_time = i, .name = process.name};

		must(wt_log_put_process(bench->writer, &process, &err), &err);
		must(wt_log_put_thread(bench->writer, &thread, &err), &err);
	}
	for (uint32_t i = 0; i <= IMAGES; i++) {
		struct wt_log_image image = {.kind = WT_IMAGE_FILE,
					     .path = name(text, sizeof(text), "/usr/lib/lib%u.so", i)};

		must(wt_log_put_image(bench->writer, i ? &image : &(struct wt_log_image){0}, &err), &err);
	}
	for (uint32_t i = 0; i < FRAMES; i++) {
		struct wt_log_frame frame = {.image = 1 + i / FRAMES_PER_FUNCTION % IMAGES, .offset = i * 64};

		must(wt_log_put_frame(bench->writer, &frame, &err), &err);
	}
}

static uint32_t put_stack(struct bench *bench, uint32_t from)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t n = 1 + below(bench, NEW_FRAMES); n && bench->nodes[from].depth < bench->depth; n--) {
		struct wt_log_stack row = {
			.caller = from, .frame = below(bench, FRAMES), .status = WT_STACK_COMPLETE};

		must(wt_log_put_stack(bench->writer, &row, &err), &err);
		bench->nodes[++bench->n_nodes] = (struct node){from, bench->nodes[from].depth + 1};
		from = bench->n_nodes;
	}
	return from;
}

static void put_stacks(struct bench *bench)
{
	bench->n_nodes = 0;
	for (uint32_t i = 0; i < bench->n_stacks; i++) {
		uint32_t own = i / bench->n_processes, from = 0;

		if (own)
			from = bench->stacks[i % bench->n_processes + below(bench, own) * bench->n_processes];
		while (bench->nodes[from].depth > bench->depth - 2)
			from = bench->nodes[from].caller;
		bench->stacks[i] = put_stack(bench, from);
	}
}

static void put_events(struct bench *bench)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};

	wt_buf_put_u8(&payload, 0);
	wt_buf_put_u64(&payload, 1000);
	for (uint64_t i = 0; i < bench->events / SEGMENTS; i++) {
		uint32_t a = below(bench, bench->n_stacks), b = below(bench, bench->n_stacks);
		uint32_t at = a < b ? a : b;
		struct wt_event event = {.time = bench->time += 1000,
					 .kind = bench->sample,
					 .cpu = (uint32_t)(i & 1),
					 .payload = payload.data,
					 .payload_len = (uint32_t)payload.len};
		int full = wt_log_event(bench->writer, &event, 1 + at % bench->n_processes, bench->stacks[at],
					&err);

		must(full < 0 || (full && wt_log_flush(bench->writer, NULL, 0, &err)), &err);
	}
	must(wt_log_flush(bench->writer, NULL, 0, &err), &err);
	wt_buf_deinit(&payload);
}

static void put_symbols(struct bench *bench, uint32_t segment)
{
	struct wt_err err = WT_ERR_INIT;
	char text[32];

	for (uint32_t i = 0; i < FRAMES; i++) {
		struct wt_log_symbol row = {
			.name = name(text, sizeof(text), "function_%u", i / FRAMES_PER_FUNCTION)};

		must(wt_log_put_symbols(bench->writer, segment, i, &row, 1, &err), &err);
	}
}

static void begin(struct bench *bench, const char *path)
{
	static const struct wt_named source = {.name = (char *)(uintptr_t) "cpu-clock"};
	static const uint8_t id[16] = {1};
	struct wt_log_options options = {.pending_bytes = 16 << 20};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	must(fd < 0 && wt_fail_errno(&err, "cannot create %s", path), &err);
	must(wt_builtin_provider("wtrace", &provider, &err), &err);
	must(wt_kinds_add(&bench->kinds, provider, &first, &err), &err);
	must(wt_builtin_provider("pmu-profile", &provider, &err), &err);
	must(wt_provider_set_map(provider, "sources", &source, 1, &err), &err);
	must(wt_kinds_add(&bench->kinds, provider, &first, &err), &err);
	bench->sample = wt_kinds_find(&bench->kinds, "pmu-profile", "sample");
	must(wt_log_create(fd, &bench->kinds, id, &options, &bench->writer, &err), &err);
}

int main(int argc, char **argv)
{
	struct bench bench = {.time = 1000000000, .seed = 1, .n_processes = 1};
	struct wt_err err = WT_ERR_INIT;

	if (argc < 5) {
		fputs("usage: view_log FILE EVENTS STACKS DEPTH [PROCESSES]\n", stderr);
		return 2;
	}
	bench.events = strtoull(argv[2], NULL, 10);
	bench.n_stacks = (uint32_t)strtoul(argv[3], NULL, 10);
	bench.depth = (uint32_t)strtoul(argv[4], NULL, 10);
	if (argc > 5)
		bench.n_processes = (uint32_t)strtoul(argv[5], NULL, 10);
	bench.nodes = room((size_t)bench.n_stacks * NEW_FRAMES + 1, sizeof(*bench.nodes));
	bench.stacks = room(bench.n_stacks, sizeof(*bench.stacks));
	begin(&bench, argv[1]);
	for (uint32_t segment = 0; segment < SEGMENTS; segment++) {
		if (segment)
			must(wt_log_next_segment(bench.writer, &err), &err);
		put_rows(&bench);
		put_stacks(&bench);
		put_events(&bench);
		put_symbols(&bench, segment);
	}
	must(wt_log_finish(bench.writer, &err), &err);
	printf("{\"frames\":%u}\n", bench.n_nodes);
	return 0;
}
