// SPDX-License-Identifier: MIT
/* Two records of one mapping become one event, in whatever order they come and whatever is lost of them. */
#include "providers/perf/twins.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wt_perf_twins twins;

static int begin(void **state)
{
	(void)state;
	memset(&twins, 0, sizeof(twins));
	return 0;
}

static struct wt_perf_record map(uint32_t slot, uint64_t time, uint64_t address, const char *path)
{
	struct wt_perf_record record = {.type = PERF_RECORD_MMAP2, .slot = slot, .time = time};

	record.map.pid = 5;
	record.map.address = address;
	record.map.size = 4096;
	record.map.path = wt_str(path);
	return record;
}

static struct wt_perf_record built(uint64_t time, uint64_t address, const char *path, const char *build_id)
{
	struct wt_perf_record record = map(WT_PERF_SLOT_SIDEBAND, time, address, path);

	record.map.build_id = wt_str(build_id);
	return record;
}

static struct wt_perf_record placed(uint64_t time, uint64_t address, const char *path, uint64_t inode)
{
	struct wt_perf_record record = map(WT_PERF_SLOT_INODES, time, address, path);

	record.map.device = 7;
	record.map.inode = inode;
	return record;
}

static void expect(struct wt_perf_record record, const char *build_id, uint64_t inode)
{
	assert_true(wt_perf_twins_take(&twins, &record));
	assert_int_equal(record.map.inode, inode);
	assert_int_equal(record.map.build_id.len, strlen(build_id));
	assert_memory_equal(record.map.build_id.p, build_id, strlen(build_id));
}

static void expect_none(struct wt_perf_record record)
{
	assert_false(wt_perf_twins_take(&twins, &record));
}

static void the_inode_comes_first(void **state)
{
	(void)state;
	expect_none(placed(1, 0x1000, "/a", 11));
	expect(built(2, 0x1000, "/a", "id"), "id", 11);
	/* The same once more has its own pair. */
	expect_none(placed(3, 0x1000, "/a", 12));
	expect(built(3, 0x1000, "/a", "id"), "id", 12);
	/* Without a build id the kernel tells the inode both times. */
	expect_none(placed(4, 0x2000, "/b", 13));
	expect(map(WT_PERF_SLOT_SIDEBAND, 4, 0x2000, "/b"), "", 13);
}

static void the_build_id_comes_first(void **state)
{
	struct wt_perf_record same = map(WT_PERF_SLOT_SIDEBAND, 4, 0x2000, "/b");

	(void)state;
	expect(built(1, 0x1000, "/a", "id"), "id", 0);
	expect(placed(2, 0x1000, "/a", 11), "id", 11);
	same.map.inode = 13;
	expect(same, "", 13);
	expect_none(placed(5, 0x2000, "/b", 13));
}

static void other_mappings_are_no_twins(void **state)
{
	(void)state;
	expect_none(placed(1, 0x1000, "/a", 11));
	expect(built(2, 0x1000, "/b", "id"), "id", 0);
	expect_none(placed(3, 0x1000, "/a", 11));
	expect(built(4, 0x2000, "/a", "id"), "id", 0);
	expect_none(placed(5, 0x1000, "/a", 11));
	wt_perf_twins_forget(&twins);
	expect(built(6, 0x1000, "/a", "id"), "id", 0);
	expect_none(placed(9, 0x5000, "/a", 11));
	expect(built(8, 0x5000, "/a", "id"), "id", 0);
}

static void other_records_pass_once(void **state)
{
	struct wt_perf_record fork = {.type = PERF_RECORD_FORK, .slot = WT_PERF_SLOT_SIDEBAND};

	(void)state;
	expect_none(placed(1, 0x1000, "/a", 11));
	assert_true(wt_perf_twins_take(&twins, &fork));
	expect(built(2, 0x1000, "/a", "id"), "id", 11);
	fork.slot = WT_PERF_SLOT_INODES;
	assert_false(wt_perf_twins_take(&twins, &fork));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_inode_comes_first, begin),
		cmocka_unit_test_setup(the_build_id_comes_first, begin),
		cmocka_unit_test_setup(other_mappings_are_no_twins, begin),
		cmocka_unit_test_setup(other_records_pass_once, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
