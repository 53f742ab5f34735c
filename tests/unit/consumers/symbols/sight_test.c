// SPDX-License-Identifier: MIT
/* Whether somebody else can put another file at a path that was looked at. */
#include "consumers/symbols/sight.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* base/above/below/file: base is the caller's alone. */
static char base[PATH_MAX], above[PATH_MAX], below[PATH_MAX], file[PATH_MAX];

static void join(char ret[PATH_MAX], const char *directory, const char *name)
{
	assert_in_range(snprintf(ret, PATH_MAX, "%s/%s", directory, name), 1, PATH_MAX - 1);
}

static int build(void **state)
{
	char template[] = "/tmp/sight-XXXXXX";
	int fd;

	(void)state;
	if (!mkdtemp(template) || !realpath(template, base))
		return -1;
	join(above, base, "above");
	join(below, above, "below");
	join(file, below, "file");
	if (mkdir(above, 0755) || mkdir(below, 0755))
		return -1;
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd < 0 ? -1 : close(fd);
}

static int unbuild(void **state)
{
	(void)state;
	unlink(file);
	rmdir(below);
	rmdir(above);
	return rmdir(base);
}

static struct wt_sight see(const char *path)
{
	const struct wt_log_image image = {.kind = WT_IMAGE_FILE, .path = wt_str(path)};
	struct wt_sight sight;

	wt_sight_see(&image, &sight);
	return sight;
}

/* Where the caller does not even trust what is above base, nothing is kept. */
static void skip_where_nothing_is(void)
{
	if (!see(file).kept)
		skip();
}

static void assert_kept(bool kept)
{
	struct wt_sight sight = see(file);

	assert_true(sight.there);
	assert_int_equal(sight.kept, kept);
}

static void with_mode(const char *directory, mode_t mode, bool kept)
{
	assert_int_equal(chmod(directory, mode), 0);
	assert_kept(kept);
	assert_int_equal(chmod(directory, 0755), 0);
	assert_kept(true);
}

static void others_may_write_beside_it(void **state)
{
	(void)state;
	skip_where_nothing_is();
	with_mode(below, 0777, false);
	with_mode(below, 0775, false);
	with_mode(below, 01777, false);
}

/* Who may rename a directory can put another one in its place. */
static void others_may_write_above_it(void **state)
{
	(void)state;
	skip_where_nothing_is();
	with_mode(above, 0777, false);
	with_mode(above, 0775, false);
	with_mode(above, 01777, true);
}

static void a_directory_of_somebody_else(void **state)
{
	(void)state;
	skip_where_nothing_is();
	if (chown(above, 64123, 64123))
		skip();
	assert_kept(false);
	assert_int_equal(chown(above, geteuid(), getegid()), 0);
	assert_kept(true);
}

static void a_link_leads_there(void **state)
{
	char link[PATH_MAX], path[PATH_MAX];

	(void)state;
	skip_where_nothing_is();
	join(link, base, "link");
	join(path, link, "file");
	assert_int_equal(symlink(below, link), 0);
	assert_true(see(path).there);
	assert_false(see(path).kept);
	unlink(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_may_write_beside_it),
		cmocka_unit_test(others_may_write_above_it),
		cmocka_unit_test(a_directory_of_somebody_else),
		cmocka_unit_test(a_link_leads_there),
	};

	return cmocka_run_group_tests(tests, build, unbuild);
}
