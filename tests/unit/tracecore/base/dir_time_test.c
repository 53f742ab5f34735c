// SPDX-License-Identifier: MIT
#include "tracecore/base/dir_time.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND 1000000000LL
#define TICK   10000000LL

/* Changes of one tick have one time: after the first one the directory is looked at until the tick is over.
 */
static void changes_within_a_tick_are_seen(void **state)
{
	struct wt_dir_time dir = {0};
	int64_t now = 100 * SECOND;

	(void)state;
	assert_true(wt_dir_changed_at(&dir, 50 * SECOND, now, 1));
	assert_false(wt_dir_changed_at(&dir, 50 * SECOND, now, 1));
	for (unsigned i = 0; i < 3; i++)
		assert_true(wt_dir_changed_at(&dir, now, now, 1));
	/* The clock of ticks stands still while time passes, and so does a directory's. */
	assert_true(wt_dir_changed_at(&dir, now, now + TICK, 1 + TICK));
	assert_true(wt_dir_changed_at(&dir, now, now + 3 * TICK, 1 + 3 * TICK));
	assert_false(wt_dir_changed_at(&dir, now, now + 4 * TICK, 1 + 4 * TICK));
	assert_true(wt_dir_changed_at(&dir, now + 4 * TICK, now + 4 * TICK, 1 + 4 * TICK));
}

/* The directory is not looked at until the wall clock is where it was. */
static void a_clock_set_back_costs_little(void **state)
{
	struct wt_dir_time dir = {0};
	int64_t changed = 7200 * SECOND, real = 3600 * SECOND;
	unsigned looks = 0;

	(void)state;
	for (int64_t passed = 0; passed < 60 * SECOND; passed += TICK)
		looks += wt_dir_changed_at(&dir, changed, real + passed, passed);
	assert_in_range(looks, 1, 5);
	assert_true(wt_dir_changed_at(&dir, real + 60 * SECOND, real + 60 * SECOND, 60 * SECOND));
}

/* Whatever clocks and times of the kernel are: what came before a look is seen by it, or by one before. */
static void no_name_is_missed(void **state)
{
	char path[32], name[64];
	struct wt_dir_time dir = {0};
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/wt-dir-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	assert_non_null(mkdtemp(path));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%u", i);
		close(openat(fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		assert_true(wt_dir_changed(&dir, fd));
		unlinkat(fd, name, 0);
		assert_true(wt_dir_changed(&dir, fd));
	}
	close(fd);
	rmdir(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_within_a_tick_are_seen),
		cmocka_unit_test(a_clock_set_back_costs_little),
		cmocka_unit_test(no_name_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
