// SPDX-License-Identifier: MIT
/* Ways to files of others, with file systems mounted over them that nobody answers for. */
#include "tracecore/base/way.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cmocka.h>

static char top[] = "/tmp/wt-walk.XXXXXX", inner[64], file[80];
static int device = -1;
static uid_t by;

/* Mounts of this process alone. Every request to the file system waits for ever: so would this test. */
static int setup_mounts(void **state)
{
	char options[128];

	(void)state;
	if (geteuid() != 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return 0;
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0 || !mkdtemp(top))
		return -1;
	snprintf(inner, sizeof(inner), "%s/inner", top);
	snprintf(file, sizeof(file), "%s/file", inner);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=4242,group_id=0,allow_other",
		 device);
	if (mkdir(inner, 0700) || close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)))
		return -1;
	alarm(60);
	return mount("nobody", inner, "fuse", 0, options);
}

static int teardown_mounts(void **state)
{
	(void)state;
	if (device < 0)
		return 0;
	umount2(inner, MNT_DETACH);
	close(device);
	unlink(file);
	rmdir(inner);
	return rmdir(top);
}

static void is_refused(int ret)
{
	assert_int_equal(ret, -1);
	assert_int_equal(errno, EXDEV);
}

static void what_never_answers_is_not_asked(void **state)
{
	struct stat st;
	int above;

	(void)state;
	if (device < 0)
		skip();
	is_refused(wt_way_open(inner, &by));
	assert_int_equal(by, 4242);
	is_refused(wt_way_stat(inner, &st, &by));
	above = wt_way_open(top, &by);
	assert_true(above >= 0);
	is_refused(wt_way_below(above, "inner", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	is_refused(wt_way_stat_below(above, "inner", &st));
	close(above);
}

/* A user's directory in /run/user is a mount of its own. */
static void a_file_system_of_the_kernel_is(void **state)
{
	struct stat st, same;
	int fd;

	(void)state;
	if (device < 0)
		skip();
	assert_int_equal(umount2(inner, MNT_DETACH), 0);
	fd = wt_way_open(inner, &by);
	assert_true(fd >= 0);
	assert_int_equal(mount("mine", inner, "tmpfs", 0, NULL), 0);
	/* What is held stays what it was. */
	assert_int_equal(wt_way_stat_below(fd, "file", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(wt_way_stat(inner, &st, &by), 0);
	assert_int_equal(stat(inner, &same), 0);
	assert_int_equal(st.st_dev, same.st_dev);
	assert_int_equal(st.st_ino, same.st_ino);
	close(fd);
}

static void paths_that_lead_nowhere(void **state)
{
	static char far[2000];
	struct stat st, same;

	(void)state;
	assert_int_equal(wt_way_stat("/", &st, &by), 0);
	assert_int_equal(wt_way_stat("/tmp", &st, &by), 0);
	assert_int_equal(wt_way_stat("/tmp/wt-walk-none/x", &st, &by), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_way_stat("/run/user/4294967294/wtrace", &st, &by), -1);
	/* Any length: they are opened in pieces. */
	for (size_t n = 0; n < sizeof(far) / 8 - 1; n++)
		memcpy(far + 8 * n, "/tmp/../", 9);
	memcpy(far + strlen(far), "tmp", 4);
	assert_int_equal(wt_way_stat(far, &st, &by), 0);
	assert_int_equal(wt_way_stat("/tmp", &same, &by), 0);
	assert_int_equal(st.st_ino, same.st_ino);
	memset(far + 1, 'a', 300);
	assert_int_equal(wt_way_stat(far, &st, &by), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	/* Relative ones lead from the working directory. */
	assert_int_equal(wt_way_stat("wt-walk-none", &st, &by), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(wt_way_stat("tmp", &st, &by), 0);
	assert_int_equal(wt_way_stat("./tmp", &st, &by), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_never_answers_is_not_asked),
		cmocka_unit_test(a_file_system_of_the_kernel_is),
		cmocka_unit_test(paths_that_lead_nowhere),
	};

	return cmocka_run_group_tests_name("base/way", tests, setup_mounts, teardown_mounts);
}
