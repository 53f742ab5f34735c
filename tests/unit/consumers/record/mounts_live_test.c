// SPDX-License-Identifier: MIT
#include "consumers/record/mounts.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The mount's id in the kernel's text about the descriptor. */
static unsigned told(int fd)
{
	char path[64], line[256];
	unsigned id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "mnt_id:", 7))
			id = (unsigned)strtoul(line + 7, NULL, 10);
	fclose(file);
	assert_int_not_equal(id, 0);
	return id;
}

/* Of file systems with handles and without, of files and directories, of descriptors with and without rights.
 */
static void test_as_told(void **state)
{
	static const char *const paths[] = {"/",   "/proc/self/status", "/proc", "/dev", "/dev/null", "/tmp",
					    "/sys"};
	static const int flags[] = {O_PATH | O_CLOEXEC, O_RDONLY | O_CLOEXEC};
	struct wt_mounts mounts = {0};
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(paths) / sizeof(paths[0]); i++) {
		int fd = open(paths[i / 2], flags[i % 2]);
		const struct wt_mount *mount;

		if (fd < 0)
			continue;
		mount = wt_mounts_of(&mounts, fd);
		/* A root directory that is none of a mount has a mount that the table does not name. */
		if (mount)
			assert_int_equal(mount->id, told(fd));
		assert_ptr_equal(wt_mounts_of_directory(&mounts, fd), mount);
		n += mount != NULL;
		close(fd);
	}
	assert_true(n > 0);
	wt_mounts_deinit(&mounts);
}

/* What no descriptor is, is on no mount. */
static void test_none(void **state)
{
	struct wt_mounts mounts = {0};
	int fd = open("/", O_PATH | O_CLOEXEC);

	(void)state;
	close(fd);
	assert_null(wt_mounts_of(&mounts, fd));
	assert_null(wt_mounts_of(&mounts, -1));
	wt_mounts_deinit(&mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_told), cmocka_unit_test(test_none)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
