/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Programs compiled while testing, and what nm, readelf and addr2line say about them.
 *
 * Everything lies in one temporary directory, made by fixture_setup and removed by fixture_teardown. Commands
 * run there; one that fails fails the test.
 */
#ifndef TESTS_UNIT_CONSUMERS_SYMBOLS_FIXTURE_H
#define TESTS_UNIT_CONSUMERS_SYMBOLS_FIXTURE_H

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/symbols/symbols.h"

static char fixture_directory[64];

static inline int fixture_setup(void **state)
{
	(void)state;
	snprintf(fixture_directory, sizeof(fixture_directory), "/var/tmp/wtrace-symbols-XXXXXX");
	return mkdtemp(fixture_directory) ? 0 : -1;
}

static inline void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline void run(const char *fmt, ...)
{
	char command[2048], full[2304];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(full, sizeof(full), "cd %s && { %s\n}", fixture_directory, command);
	if (system(full) != 0)
		fail_msg("command failed: %s", command);
}

static inline int fixture_teardown(void **state)
{
	(void)state;
	run("cd / && rm -rf %s", fixture_directory);
	return 0;
}

/** Full path of a file in the directory; a few stay valid at a time. */
static inline const char *in_directory(const char *name)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", fixture_directory, name);
	return path;
}

static inline void write_file(const char *name, const char *text)
{
	FILE *file = fopen(in_directory(name), "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/** One function as nm lists it. */
struct nm_row {
	uint64_t start, size;
	char name[512];
};

struct nm {
	struct nm_row *rows;
	size_t n;
};

static inline int nm_order(const void *a, const void *b)
{
	const struct nm_row *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/** Sized functions of a file; versions are cut from dynamic names. nm is told which plugin to load: by itself
 * it loads all that are installed, LLVM among them, which takes most of its time. */
static inline struct nm nm_functions(const char *options, const char *path)
{
	struct nm nm = {0};
	char line[1024], type;
	struct nm_row row;
	FILE *file;

	run("nm --plugin \"$(gcc -print-file-name=liblto_plugin.so)\" -S --defined-only %s %s >nm.out",
	    options, path);
	file = fopen(in_directory("nm.out"), "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %lx %c %511s", &row.start, &row.size, &type, row.name) != 4)
			continue;
		if (!strchr("tTwWi", type) || !row.size)
			continue;
		row.name[strcspn(row.name, "@")] = '\0';
		if (!(nm.n & (nm.n - 1))) /* room for the next power of two: ASan's realloc always copies */
			nm.rows = realloc(nm.rows, (nm.n ? 2 * nm.n : 1) * sizeof(row));
		assert_non_null(nm.rows);
		nm.rows[nm.n++] = row;
	}
	fclose(file);
	if (nm.n)
		qsort(nm.rows, nm.n, sizeof(row), nm_order);
	return nm;
}

/** Loadable segments as readelf lists them. */
struct segment {
	uint64_t offset, address, size;
};

static inline size_t segments(const char *path, struct segment *ret, size_t cap)
{
	char line[512];
	size_t n = 0;
	FILE *file;

	run("readelf -lW %s >loads.out", path);
	file = fopen(in_directory("loads.out"), "r");
	assert_non_null(file);
	while (n < cap && fgets(line, sizeof(line), file))
		if (sscanf(line, " LOAD 0x%lx 0x%lx 0x%*x 0x%lx", &ret[n].offset, &ret[n].address,
			   &ret[n].size) == 3)
			n++;
	fclose(file);
	assert_true(n > 0);
	return n;
}

static inline uint64_t offset_of(const struct segment *segment, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address >= segment[i].address && address - segment[i].address < segment[i].size)
			return address - segment[i].address + segment[i].offset;
	fail_msg("address %lx is in no segment", address);
	return 0;
}

/** Waits until a file's change is so old that what was found out about it is kept. */
static inline void settle(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	while (time(NULL) < st.st_ctim.tv_sec + 2)
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/** Changes one bit of the one file that fits the pattern, `part` of `parts` behind its start. */
static inline void spoil(const char *pattern, unsigned part, unsigned parts)
{
	glob_t found;
	uint8_t byte;
	FILE *file;
	long at;

	assert_int_equal(glob(in_directory(pattern), 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	file = fopen(found.gl_pathv[0], "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	at = ftell(file) * (long)part / (long)parts;
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	assert_int_equal(fread(&byte, 1, 1, file), 1);
	byte ^= 0x10;
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	assert_int_equal(fwrite(&byte, 1, 1, file), 1);
	assert_int_equal(fclose(file), 0);
	globfree(&found);
}

static inline void assert_str(struct wt_str got, const char *want)
{
	if (got.len != strlen(want) || memcmp(got.p, want, got.len) != 0)
		fail_msg("got '%.*s', want '%s'", (int)got.len, got.p, want);
}

static inline struct wt_log_image file_image(const char *path)
{
	return (struct wt_log_image){.kind = WT_IMAGE_FILE, .path = wt_str(path)};
}

static inline struct wt_symbols *symbols_with(const struct wt_symbols_options *options)
{
	struct wt_symbols *symbols;
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_symbols_create(options, &symbols, &err), 0);
	return symbols;
}

/** Symbols whose debug root is the directory "debug" of the fixture. */
static inline struct wt_symbols *local_symbols(bool lines)
{
	return symbols_with(
		&(struct wt_symbols_options){.debug_root = in_directory("debug"), .lines = lines});
}

static inline struct wt_log_symbol resolve(struct wt_symbols *symbols, const struct wt_log_image *image,
					   uint64_t offset)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_symbol row;

	assert_int_equal(wt_symbols_resolve(symbols, image, &offset, 1, &row, &err), 0);
	return row;
}

#endif
