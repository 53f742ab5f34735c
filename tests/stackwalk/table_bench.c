/* SPDX-License-Identifier: MIT */
/* What making and finding tables costs here, as JSON, each beside the least it could cost in the same run:
 *
 *   table_bench [-l] [FILE...]   FILEs (default: libc, libpython and cc1 where they are), and a synthetic
 * module
 *
 * ns_per_row is CPU time; read_ns_per_row, that of reading code and .eh_frame from the file. found_us is a
 * table found in the cache again, first_us the first time since the start of the system, open_us the file's
 * open and map without a look. Best of several rounds each. With -l, exit code 1 when a limit is passed. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/stackwalk/target.h"
#include "tracecore/base/buf.h"
#include "tracecore/stackwalk/build.h"
#include "tracecore/stackwalk/cache.h"
#include "tests/stackwalk/table_of.h"

enum { ROUNDS = 7, SYNTHETIC_ROWS = 3000000 };
/* Far above what is aimed at (150 ns, 8 bytes), so that only a mistake passes them; the cache's is its
 * promise. */
enum { MOST_NS_PER_ROW = 1000, MOST_BYTES_PER_ROW = 8, MOST_FOUND_US = 1000 };

static const char *separator = "";
static bool passed_limit;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void keep_least(uint64_t *least, uint64_t start)
{
	uint64_t ns = cpu_now() - start;

	*least = ns < *least ? ns : *least;
}

/* ---- finding ---- */

struct found {
	uint64_t first, again, open; /* ns */
};

/* The only file of the directory, opened, mapped and forgotten. */
static void time_open(const char *directory, const char *name, uint64_t *least)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = cpu_now();
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		struct stat st;
		void *p;

		if (fd < 0 || fstat(fd, &st) != 0)
			target_fail(path);
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED || !*(volatile uint8_t *)p)
			target_fail(path);
		close(fd);
		keep_least(least, start);
		munmap(p, (size_t)st.st_size);
	}
}

static void time_find(struct wt_unwind_cache *cache, const struct wt_unwind_table *table, uint64_t *least)
{
	const struct wt_abi_unwind *header = table->bytes;
	struct wt_unwind_key key = {.len = header->key_len};
	struct wt_unwind_mapping mapping;
	uint64_t start;

	memcpy(key.bytes, header->key, key.len);
	start = cpu_now();
	if (wt_unwind_cache_find(cache, &key, header->machine, &mapping) != 0)
		target_fail("cache");
	keep_least(least, start);
	wt_unwind_mapping_deinit(&mapping);
}

static struct found time_cache(const struct wt_unwind_table *table)
{
	struct found ret = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
	char directory[] = "/tmp/wt_bench.XXXXXX", command[64], name[128] = "";
	struct wt_unwind_cache cache;
	FILE *list;

	if (!mkdtemp(directory) || wt_unwind_cache_open(directory, 0, &cache, NULL) != 0)
		target_fail("cache");
	for (int i = 0; i < ROUNDS; i++) {
		if (wt_unwind_cache_put(&cache, table, NULL) != 0)
			target_fail("cache");
		time_find(&cache, table, &ret.first);
		time_find(&cache, table, &ret.again);
	}
	snprintf(command, sizeof(command), "ls %s", directory);
	list = popen(command, "r");
	if (!list || fscanf(list, "%127s", name) != 1)
		target_fail(command);
	pclose(list);
	time_open(directory, name, &ret.open);
	wt_unwind_cache_close(&cache);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command) != 0)
		target_fail(command);
	return ret;
}

/* ---- making ---- */

static void report(const char *name, const struct wt_unwind_table *table, uint64_t made, uint64_t read)
{
	const struct wt_abi_unwind *header = table->bytes;
	double rows = (double)(header->n_rows - header->n_repeats);
	struct found found = time_cache(table);

	printf("%s\n  {\"module\": \"%s\", \"rows\": %.0f, \"rules\": %u, \"bytes\": %llu, "
	       "\"bytes_per_row\": %.2f, "
	       "\"ns_per_row\": %.1f, \"read_ns_per_row\": %.1f, \"ratio\": %.1f, \"found_us\": %.1f, "
	       "\"first_us\": %.1f, \"open_us\": %.1f}",
	       separator, name, rows, header->n_rules, (unsigned long long)table->size,
	       (double)table->size / rows, (double)made / rows, (double)read / rows,
	       (double)made / (double)read, (double)found.again / 1e3, (double)found.first / 1e3,
	       (double)found.open / 1e3);
	separator = ",";
	passed_limit |= made > (uint64_t)(rows * MOST_NS_PER_ROW) ||
			table->size > (uint64_t)(rows * MOST_BYTES_PER_ROW) ||
			found.again > MOST_FOUND_US * 1000u;
}

/* Code and .eh_frame, nothing else. */
static uint64_t time_reading(int fd)
{
	static uint8_t bytes[1 << 16];
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, NULL));
	uint64_t least = UINT64_MAX;
	Elf_Scn *scn;
	GElf_Shdr section;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		target_fail("elf");
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = cpu_now();

		for (scn = NULL; (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &section);) {
			if (!(section.sh_flags & SHF_EXECINSTR) &&
			    strcmp(elf_strptr(elf, names, section.sh_name), ".eh_frame") != 0)
				continue;
			for (uint64_t at = 0; at < section.sh_size; at += sizeof(bytes))
				if (pread(fd, bytes, sizeof(bytes), (off_t)(section.sh_offset + at)) < 0)
					target_fail("pread");
		}
		keep_least(&least, start);
	}
	elf_end(elf);
	return least;
}

static void bench_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct wt_unwind_table table = {0};
	uint64_t least = UINT64_MAX;

	if (fd < 0)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = cpu_now();

		wt_unwind_table_deinit(&table);
		if (table_of_fd(fd, &table, NULL) != 0)
			target_fail(path);
		keep_least(&least, start);
	}
	report(path, &table, least, time_reading(fd));
	wt_unwind_table_deinit(&table);
	close(fd);
}

/* A prologue and an epilogue of six pushes, varied: 14 rows of a function of 200 bytes. */
static void put_leb(struct wt_buf *frame, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		wt_buf_put_u8(frame, (uint8_t)v | 0x80);
	wt_buf_put_u8(frame, (uint8_t)v);
}

static void put_function(struct wt_buf *frame, uint32_t n)
{
	static const uint8_t regs[] = {0x8f, 0x8e, 0x8d, 0x8c, 0x86, 0x83};
	size_t at = frame->len;

	wt_buf_put_u32(frame, 0);
	wt_buf_put_u32(frame, (uint32_t)(at + 4));
	wt_buf_put_u32(frame, (uint32_t)(0x1000 + (uint64_t)n * 200 - (0x80000000u + at + 8)));
	wt_buf_put_u32(frame, 200);
	wt_buf_put_u8(frame, 0);
	for (uint32_t i = 0; i < 6; i++) {
		wt_buf_put_u8(frame, 0x42);
		wt_buf_put_u8(frame, 0x0e);
		put_leb(frame, 16 + 8 * i);
		wt_buf_put_u8(frame, regs[i]);
		put_leb(frame, 2 + i);
	}
	wt_buf_put_u8(frame, 0x44);
	wt_buf_put_u8(frame, 0x0e);
	put_leb(frame, 64 + 16 * (n % 500));
	for (uint32_t i = 0; i < 7; i++) {
		wt_buf_put_u8(frame, i ? 0x42 : 0x7f);
		wt_buf_put_u8(frame, 0x0e);
		put_leb(frame, 56 - 8 * i);
	}
	while (frame->len % 4)
		wt_buf_put_u8(frame, 0);
	wt_store_u32(frame->data + at, (uint32_t)(frame->len - at - 4));
}

static void bench_synthetic(void)
{
	static const uint8_t cie[] = {20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
				      1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0};
	const uint32_t functions = SYNTHETIC_ROWS / 14 + 1;
	struct wt_unwind_code code = {.start = 0x1000, .end = 0x1000 + (uint64_t)functions * 200};
	struct wt_unwind_input input = {
		.machine = WT_ABI_UNWIND_X86_64, .code = &code, .n_code = 1, .key = {{1}, 20}};
	struct wt_unwind_table table = {0};
	struct wt_buf frame = {0};
	uint64_t least = UINT64_MAX, copied = UINT64_MAX;
	void *copy;

	wt_buf_put(&frame, cie, sizeof(cie));
	for (uint32_t n = 0; n < functions; n++)
		put_function(&frame, n);
	input.eh_frame = (struct wt_cfi_section){
		.bytes = frame.data, .len = frame.len, .address = 0x80000000u};
	copy = malloc(frame.len);
	for (int i = 0; i < 3; i++) {
		uint64_t start = cpu_now();

		wt_unwind_table_deinit(&table);
		if (frame.failed || !copy || wt_unwind_build(&input, &table, NULL) != 0)
			target_fail("synthetic");
		keep_least(&least, start);
		start = cpu_now();
		memcpy(copy, frame.data, frame.len);
		keep_least(&copied, start);
	}
	report("synthetic", &table, least, copied);
	free(copy);
	wt_buf_deinit(&frame);
	wt_unwind_table_deinit(&table);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"/usr/lib/x86_64-linux-gnu/libc.so.6",
					    "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
					    "/usr/lib/gcc/x86_64-linux-gnu/12/cc1"};
	bool limited = argc > 1 && !strcmp(argv[1], "-l");
	int first = 1 + limited;

	printf("{\"tables\": [");
	for (int i = first; i < argc; i++)
		bench_file(argv[i]);
	for (size_t i = 0; argc == first && i < sizeof(usual) / sizeof(usual[0]); i++)
		bench_file(usual[i]);
	bench_synthetic();
	printf("]}\n");
	return limited && passed_limit;
}
