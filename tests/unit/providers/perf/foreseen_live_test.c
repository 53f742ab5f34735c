// SPDX-License-Identifier: MIT
/* Mappings of this process, whose records a test writes into a ring. */
#include "providers/perf/foreseen.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/providers/perf/fake_ring.h"

enum { ID = 70, MOST_RECORDS = 8 };

static struct fake_ring ring;
static struct wt_perf_reader reader;
static struct wt_perf_hold no_hold;
static struct wt_perf_ids ids;
static struct wt_foreseen foreseen;
static struct wt_buf buf;
static size_t page;

static int setup(void **state)
{
	(void)state;
	memset(&ring, 0, sizeof(ring));
	foreseen = (struct wt_foreseen){0};
	if (wt_perf_ids_add(&ids, ID, (struct wt_perf_id){.slot = WT_PERF_SLOT_SIDEBAND}) ||
	    wt_perf_reader_init(&reader, fake_map(&ring), fake_map(&ring) + FAKE_CONTROL, FAKE_SIZE))
		return -1;
	wt_perf_reader_set_hold(&reader, &no_hold, &ids);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_foreseen_deinit(&foreseen);
	wt_perf_reader_deinit(&reader);
	wt_perf_ids_deinit(&ids);
	wt_buf_deinit(&buf);
	return 0;
}

/* A page of a file that is in memory; the process may write there. */
static volatile char *map_page(void)
{
	char path[] = "/tmp/foreseen-XXXXXX";
	int fd = mkstemp(path);
	volatile char *at;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	assert_int_equal(at[0], 0);
	return at;
}

static void write_map(uint32_t pid, volatile char *at, uint32_t prot)
{
	fake_begin(&buf, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	wt_buf_put_u32(&buf, pid);
	wt_buf_put_u32(&buf, pid);
	wt_buf_put_u64(&buf, (uintptr_t)at);
	wt_buf_put_u64(&buf, page);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u64(&buf, 5);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u32(&buf, prot);
	wt_buf_put_u32(&buf, MAP_PRIVATE);
	fake_name(&buf, "/lib/library.so");
	fake_trailer(&buf, 10, ID);
	fake_write_bytes(&ring, buf.data, buf.len);
}

/* Reads the next record; returns what was found in its memory. */
static enum wt_written next(void)
{
	struct wt_perf_record record;
	uint64_t position, len;

	wt_perf_reader_refresh(&reader);
	position = reader.pos;
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_RECORD);
	assert_int_equal(wt_perf_record_parse(&ids, reader.record, len, &record), 0);
	return wt_foreseen_written(&foreseen, &reader, &record, position);
}

static void protect(volatile char *at, int prot)
{
	assert_int_equal(mprotect((void *)at, page, prot), 0);
}

/* The first question is about all mappings that lie ahead; their answers are not asked for again, and a later
 * record of one of them is. */
static void test_one_question(void **state)
{
	volatile char *clean = map_page(), *written = map_page();
	const uint32_t pid = (uint32_t)getpid();

	(void)state;
	written[0] = 1;
	protect(clean, PROT_READ | PROT_EXEC);
	protect(written, PROT_READ | PROT_EXEC);
	write_map(pid, clean, PROT_READ | PROT_EXEC);
	write_map(pid, written, PROT_READ | PROT_EXEC);
	write_map(pid, written, PROT_READ | PROT_EXEC);
	assert_int_equal(next(), WT_WRITTEN_NOT);
	assert_int_equal(foreseen.n, 3);
	assert_int_equal(madvise((void *)written, page, MADV_DONTNEED), 0);
	assert_int_equal(written[0], 0);
	assert_int_equal(next(), WT_WRITTEN);
	assert_int_equal(next(), WT_WRITTEN);
	write_map(pid, written, PROT_READ | PROT_EXEC);
	assert_int_equal(next(), WT_WRITTEN_NOT);
	assert_int_equal(foreseen.n, 1);
	munmap((void *)clean, page);
	munmap((void *)written, page);
}

/* Other processes, and memory that can be written to, are not in the question. */
static void test_of_the_process_alone(void **state)
{
	volatile char *at = map_page();
	const uint32_t pid = (uint32_t)getpid();

	(void)state;
	protect(at, PROT_READ | PROT_EXEC);
	write_map(pid, at, PROT_READ | PROT_EXEC);
	write_map(pid, at, PROT_READ | PROT_WRITE | PROT_EXEC);
	write_map((uint32_t)getppid(), at, PROT_READ | PROT_EXEC);
	fake_lost(&buf, 1, 10, ID);
	fake_write_bytes(&ring, buf.data, buf.len);
	write_map(pid, at + page, PROT_READ | PROT_EXEC);
	assert_int_equal(next(), WT_WRITTEN_NOT);
	assert_int_equal(foreseen.n, 2);
	munmap((void *)at, page);
}

/* A search ends where the ring makes no sense, and in a ring that wraps no record is taken for another. */
static void test_many_and_damaged(void **state)
{
	volatile char *at = map_page();
	const uint32_t pid = (uint32_t)getpid();

	(void)state;
	protect(at, PROT_READ | PROT_EXEC);
	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < MOST_RECORDS; i++)
			write_map(pid, at, PROT_READ | PROT_EXEC);
		for (int i = 0; i < MOST_RECORDS; i++)
			assert_int_equal(next(), WT_WRITTEN_NOT);
		assert_int_equal(foreseen.n, MOST_RECORDS);
	}
	write_map(pid, at, PROT_READ | PROT_EXEC);
	wt_buf_clear(&buf);
	wt_buf_put_u64(&buf, 0);
	fake_write_bytes(&ring, buf.data, buf.len);
	assert_int_equal(next(), WT_WRITTEN_NOT);
	assert_int_equal(foreseen.n, 1);
	munmap((void *)at, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_question, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_the_process_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_and_damaged, setup, teardown),
	};

	page = (size_t)sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
