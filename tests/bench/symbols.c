/* SPDX-License-Identifier: MIT */
/* What stop does for a log with many distinct frames: symbols FRAMES FILE... spreads them over the code of
 * the files and prints CPU time, time and memory of naming them, without and with source lines. Figures of
 * another machine, or of other files, do not compare. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "consumers/symbols/symbols.h"
#include "tracecore/schema/builtin.h"

enum { MAX_FILES = 64, DEPTH = 20 };

struct code {
	const char *path;
	uint64_t offset, size;
};

static void die(const char *what, const struct wt_err *err)
{
	fprintf(stderr, "symbols: %s: %s\n", what, err ? err->text : "failed");
	exit(1);
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/** Where the file's instructions are. */
static struct code code_of(const char *path)
{
	struct code code = {.path = path};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header))
		die(path, NULL);
	for (int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (pread(fd, &segment, sizeof(segment),
			  (off_t)(header.e_phoff + sizeof(segment) * (size_t)i)) != sizeof(segment))
			die(path, NULL);
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		code.offset = segment.p_offset;
		code.size = segment.p_filesz;
	}
	close(fd);
	if (!code.size)
		die(path, NULL);
	return code;
}

static void put_rows(struct wt_log_writer *log, const struct code *codes, uint32_t n_codes, uint32_t n_frames)
{
	struct wt_log_process process = {.name = {"?", 1}};
	struct wt_log_thread thread = {.name = {"?", 1}};
	struct wt_log_image image = {0};
	struct wt_err err = WT_ERR_INIT;
	uint64_t random = 88172645463325252;
	int failed = wt_log_put_process(log, &process, &err) || wt_log_put_thread(log, &thread, &err) ||
		     wt_log_put_image(log, &image, &err);

	for (uint32_t i = 0; !failed && i < n_codes; i++) {
		image.path = wt_str(codes[i].path);
		failed = wt_log_put_image(log, &image, &err);
	}
	for (uint32_t i = 0; !failed && i < n_frames; i++) {
		const struct code *code = &codes[i % n_codes];
		struct wt_log_frame frame = {.image = i % n_codes + 1};
		struct wt_log_stack stack = {
			.frame = i, .caller = i % DEPTH ? i : 0, .status = WT_STACK_COMPLETE};

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		frame.offset = code->offset + random % code->size;
		failed = wt_log_put_frame(log, &frame, &err) || wt_log_put_stack(log, &stack, &err);
	}
	if (failed)
		die("rows", &err);
}

/** An event, so that the rows are written. */
static void put_event(struct wt_log_writer *log, const struct wt_kinds *kinds, uint32_t stack)
{
	struct wt_event event = {.time = 1, .cpu = WT_CPU_NONE};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};

	wt_buf_put_counted(&payload, "key", 3);
	wt_buf_put_counted(&payload, "value", 5);
	event.kind = wt_kinds_find(kinds, "wtrace", "info");
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	if (wt_log_event(log, &event, 0, stack, &err) < 0 || wt_log_flush(log, NULL, 0, &err) < 0)
		die("event", &err);
	wt_buf_deinit(&payload);
}

static void measure(const struct code *codes, uint32_t n_codes, uint32_t n_frames, bool lines)
{
	const struct wt_symbols_options options = {.lines = lines, .max_bytes = 12 << 20};
	const struct wt_log_options log_options = {0};
	const uint8_t id[16] = {1};
	struct wt_err err = WT_ERR_INIT;
	struct wt_kinds kinds = {0};
	struct wt_provider *provider;
	struct wt_log_writer *log;
	struct rusage usage;
	double cpu, wall;
	uint32_t first;
	char path[64];
	int fd = memfd_create("log", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (wt_builtin_provider("wtrace", &provider, &err) || wt_kinds_add(&kinds, provider, &first, &err) ||
	    wt_log_create(fd, &kinds, id, &log_options, &log, &err))
		die("log", &err);
	put_rows(log, codes, n_codes, n_frames);
	put_event(log, &kinds, n_frames);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	wall = seconds(CLOCK_MONOTONIC);
	if (wt_symbols_complete(&options, path, &kinds, log, &err))
		die("symbols", &err);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	getrusage(RUSAGE_SELF, &usage);
	printf("%u frames of %u files, %s lines: CPU %.3f s, time %.3f s, at most %ld MiB\n", n_frames,
	       n_codes, lines ? "with" : "without", cpu, wall, usage.ru_maxrss / 1024);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

int main(int argc, char **argv)
{
	struct code codes[MAX_FILES];
	uint32_t n_codes = 0, n_frames = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;

	if (argc < 3 || argc - 2 > MAX_FILES || !n_frames) {
		fprintf(stderr, "usage: symbols FRAMES FILE...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		codes[n_codes++] = code_of(argv[i]);
	measure(codes, n_codes, n_frames, false);
	measure(codes, n_codes, n_frames, true);
	return 0;
}
