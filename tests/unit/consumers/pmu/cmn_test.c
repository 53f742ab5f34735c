// SPDX-License-Identifier: MIT
#include "consumers/pmu/cmn.h"
#include "tests/unit/consumers/pmu/fake_root.h"

#define DEVICE "/sys/bus/event_source/devices/"

/* As the driver draws it: two columns, two rows, two ports. */
static const char map[] = "     X    0        1    \n"
			  "Y P D+--------+--------+\n"
			  "1    | XP #2  | XP #3  |\n"
			  "     | DTC 0  | DTC 1  |\n"
			  "     |........|........|\n"
			  "  0  | RN-F_B |  HN-F  |\n"
			  "    0|   #0   |   #1   |\n"
			  "    1|        |        |\n"
			  "  1  |        |  SBSX  |\n"
			  "    0|        |   #0   |\n"
			  "    1|        |        |\n"
			  "-----+--------+--------+\n"
			  "0    | XP #0  | XP #1  |\n"
			  "     | DTC 0  | DTC ?? |\n"
			  "     |........|........|\n"
			  "  0  |  HN-F  |  HN-F  |\n"
			  "    0|   #2   |   #3   |\n"
			  "    1|        |        |\n"
			  "  1  |  ????  |  RN-D  |\n"
			  "    0|        |   #0   |\n"
			  "    1|        |        |\n"
			  "-----+--------+--------+\n";

static struct wt_cmn *read_meshes(size_t expected)
{
	struct wt_cmn *cmns = NULL;
	struct wt_err err = WT_ERR_INIT;
	size_t n = 0;

	assert_int_equal(wt_cmns_read(root, &cmns, &n, &err), 0);
	assert_int_equal(n, expected);
	return cmns;
}

static void expect_kind(const struct wt_cmn *cmn, const char *name, uint32_t n)
{
	size_t i = 0;

	while (i < cmn->n_kinds && strcmp(cmn->kinds[i].name, name))
		i++;
	assert_true(i < cmn->n_kinds);
	assert_int_equal(cmn->kinds[i].n, n);
}

static void no_mesh(void **state)
{
	(void)state;
	assert_null(read_meshes(0));
	put_file(DEVICE "cpu/type", "4\n");
	put_file(DEVICE "arm_cmn_x/cpumask", "0\n");
	put_file(DEVICE "arm_cmn_0x/cpumask", "0\n");
	assert_null(read_meshes(0));
}

static void meshes_with_and_without_a_map(void **state)
{
	struct wt_cmn *cmns;

	(void)state;
	put_file(DEVICE "arm_cmn_10/identifier", "43c01\n");
	put_file(DEVICE "arm_cmn_10/cpumask", "64\n");
	put_file(DEVICE "arm_cmn_10/events/hnf_cache_miss", "type=0x5,eventid=0x1\n");
	put_file(DEVICE "arm_cmn_10/events/dtc_cycles", "type=0x3\n");
	put_file(DEVICE "arm_cmn_0/identifier", "43404\n");
	put_file("/sys/kernel/debug/arm-cmn/map", map);
	cmns = read_meshes(2);
	assert_string_equal(cmns[0].name, "arm_cmn_0");
	assert_string_equal(cmns[0].product, "CMN-600");
	assert_string_equal(cmns[0].revision, "r2p0");
	assert_int_equal(cmns[0].x, 2);
	assert_int_equal(cmns[0].y, 2);
	assert_int_equal(cmns[0].dtcs, 2);
	assert_int_equal(cmns[0].n_kinds, 4);
	expect_kind(&cmns[0], "HN-F", 3);
	expect_kind(&cmns[0], "RN-F_B", 1);
	expect_kind(&cmns[0], "SBSX", 1);
	expect_kind(&cmns[0], "RN-D", 1);
	assert_string_equal(cmns[1].name, "arm_cmn_10");
	assert_string_equal(cmns[1].product, "CMN-700");
	assert_string_equal(cmns[1].revision, "r1p0");
	assert_string_equal(cmns[1].cpus, "64");
	assert_int_equal(cmns[1].n_events, 2);
	assert_int_equal(cmns[1].x, 0);
	free(cmns);
}

static void files_that_are_none(void **state)
{
	const char *const maps[] = {"",
				    "X",
				    "|||||\n|DTC 9|",
				    "     X    0    1\n0    | XP",
				    "     X    0\n0    |THIS-IS-NO-KIND-OF-DEVICE| A | B | C |",
				    "\n0 |\n1 |\n"};

	(void)state;
	put_file(DEVICE "arm_cmn_0/identifier", "no number\n");
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct wt_cmn *cmns;

		put_file("/sys/kernel/debug/arm-cmn/map", maps[i]);
		cmns = read_meshes(1);
		assert_string_equal(cmns[0].product, "");
		assert_int_equal(cmns[0].y != 0, cmns[0].x != 0);
		free(cmns);
	}
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, new_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(no_mesh),
		IN_ROOT(meshes_with_and_without_a_map),
		IN_ROOT(files_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
