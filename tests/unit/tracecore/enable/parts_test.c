// SPDX-License-Identifier: MIT
#include "tracecore/enable/parts.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	char base[64], own[96];
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	snprintf(place->base, sizeof(place->base), "/tmp/wt-parts-XXXXXX");
	assert_non_null(mkdtemp(place->base));
	snprintf(place->own, sizeof(place->own), "%s/wtrace-%u", place->base, geteuid());
	assert_int_equal(mkdir(place->own, 0700), 0);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	rmdir(place->own);
	rmdir(place->base);
	free(place);
	return 0;
}

static char *part_of(const struct place *place, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", place->own, name);
	return path;
}

static void put_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	close(fd);
}

/* It is found, and is what is found; then it is removed. */
static void expect_odd(const struct place *place, const char *name)
{
	char found[PATH_MAX] = "";
	uid_t uid = (uid_t)-1;

	assert_int_equal(wt_parts_odd(place->base, found, &uid), 1);
	assert_string_equal(found, part_of(place, name));
	assert_int_equal(uid, geteuid());
	assert_int_equal(remove(part_of(place, name)), 0);
}

static void what_is_as_it_must_be(void **state)
{
	static const char *const directories[] = {"providers", "state", "unwind", "default.rings",
						  ".root-x-1.rings"};
	static const char *const files[] = {"sessions", "processes", "default.lock"};
	struct place *place = *state;
	char found[PATH_MAX] = "untouched";
	uid_t uid;

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		assert_int_equal(mkdir(part_of(place, directories[i]), 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		put_file(part_of(place, files[i]));
	assert_int_equal(wt_parts_odd(place->base, found, &uid), 0);
	assert_string_equal(found, "untouched");
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		assert_int_equal(rmdir(part_of(place, directories[i])), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_int_equal(unlink(part_of(place, files[i])), 0);
}

static void files_and_links_for_directories(void **state)
{
	static const char *const directories[] = {"providers", "state", "unwind", "default.rings",
						  ".root-x-1.rings"};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
		put_file(part_of(place, directories[i]));
		expect_odd(place, directories[i]);
		assert_int_equal(symlink("/tmp", part_of(place, directories[i])), 0);
		expect_odd(place, directories[i]);
		assert_int_equal(mkfifo(part_of(place, directories[i]), 0600), 0);
		expect_odd(place, directories[i]);
	}
}

static void directories_and_pipes_for_files(void **state)
{
	static const char *const files[] = {"sessions", "processes"};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		assert_int_equal(mkdir(part_of(place, files[i]), 0700), 0);
		expect_odd(place, files[i]);
		assert_int_equal(mkfifo(part_of(place, files[i]), 0600), 0);
		expect_odd(place, files[i]);
	}
}

static void other_names_are_not_looked_into(void **state)
{
	struct place *place = *state;
	char path[PATH_MAX], found[PATH_MAX];
	uid_t uid;

	snprintf(path, sizeof(path), "%s/wtrace-99999999999", place->base);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(wt_parts_odd(place->base, found, &uid), 0);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(wt_parts_odd("/nowhere/at/all", found, &uid), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_as_it_must_be, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_and_links_for_directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(directories_and_pipes_for_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_names_are_not_looked_into, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
