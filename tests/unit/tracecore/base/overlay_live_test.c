// SPDX-License-Identifier: MIT
/* Who has mapped a file for writing through an overlay is found in the file below, whatever its directories
 * are called, and an overlay tells whether its files lie in memory. */
#include "tracecore/base/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/writers.h"

static char at[64];
static bool mounting; /* root in mounts of its own */

static char *in(const char *name)
{
	static char paths[4][160];
	static unsigned n;
	char *path = paths[n++ % 4];

	snprintf(path, sizeof(*paths), "%s/%s", at, name);
	return path;
}

static void put(const char *name, const char *text)
{
	int fd = open(in(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void make(const char *name)
{
	assert_int_equal(mkdir(in(name), 0755), 0);
}

/* Mounts the layers at "over". Kernels without overlays skip the test. */
static void mount_over(const char *lower, const char *upper, const char *work, bool quote)
{
	char options[1024], *to = options;

	to += snprintf(to, 128, "lowerdir=");
	for (const char *from = in(lower); *from; *to++ = *from++)
		if (quote && (*from == ':' || *from == '\\' || *from == ','))
			*to++ = '\\';
	to += snprintf(to, 160, ":%s", in("empty"));
	if (upper)
		snprintf(to, 400, ",upperdir=%s,workdir=%s", in(upper), in(work));
	if (mount("none", in("over"), "overlay", 0, options) && errno == ENODEV)
		skip();
	assert_int_equal(access(in("over/file"), F_OK), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(at, sizeof(at), "/tmp/wtoverlayXXXXXX");
	if (!mkdtemp(at))
		return -1;
	return mounting ? mount("none", at, "tmpfs", 0, NULL) || mkdir(in("empty"), 0755) : 0;
}

static int end(void **state)
{
	(void)state;
	while (mounting && !umount2(in("over"), MNT_DETACH))
		;
	if (mounting)
		umount2(at, MNT_DETACH);
	return rmdir(at);
}

static int look(const char *name)
{
	int fd = open(in(name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(wt_is_on_overlay(fd));
	return fd;
}

/* By the lines of all overlays that this test mounted. */
static int below_cached(int fd)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char line[4096];
	int found = -1;

	assert_non_null(mounts);
	while (found < 0 && fgets(line, sizeof(line), mounts))
		if (strstr(line, " - overlay ") && strstr(line, at))
			found = wt_overlay_below_cached(fd, line);
	fclose(mounts);
	return found;
}

/* The file on the overlay has its content in that file. NULL: in none that is found. */
static void is_in(int fd, const char *name)
{
	int found[] = {wt_overlay_below(fd), below_cached(fd)};
	struct stat a, b;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(found[i] >= 0, name != NULL);
		if (found[i] < 0)
			continue;
		assert_int_equal(fstat(found[i], &a) | stat(in(name), &b), 0);
		assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
		close(found[i]);
	}
	assert_int_equal(wt_overlay_below_cached(fd, "24 1 0:22 / / rw - tmpfs none rw"), -1);
	assert_int_equal(wt_overlay_below_cached(fd, "24 1 0:22 / - overlay"), -1);
	assert_int_equal(wt_overlay_below_cached(fd, ""), -1);
}

static void maps_it_for_writing(const char *name)
{
	int fd = look(name), writer;
	void *map;

	assert_false(wt_file_has_writer(fd));
	assert_false(wt_path_has_writer(fd));
	close(fd);
	writer = open(in(name), O_RDWR | O_CLOEXEC);
	assert_true(writer >= 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0);
	assert_true(map != MAP_FAILED);
	close(writer);
	fd = look(name);
	errno = ENOTTY;
	assert_true(wt_file_has_writer(fd));
	assert_true(wt_path_has_writer(fd));
	assert_int_equal(errno, ENOTTY);
	munmap(map, 4096);
	assert_false(wt_file_has_writer(fd));
	close(fd);
}

static void writers_are_found_below(void **state)
{
	int fd;

	(void)state;
	if (!mounting)
		skip();
	make("lower"), make("upper"), make("work"), make("over"), make("lower/sub");
	put("lower/file", "one"), put("lower/sub/other", "two");
	mount_over("lower", "upper", "work", false);
	fd = look("over/file");
	is_in(fd, "lower/file");
	assert_true(wt_file_is_in_memory(fd));
	maps_it_for_writing("over/file");
	/* It was copied up: who has it open has the file as it was. */
	close(fd);
	fd = look("over/file");
	is_in(fd, "upper/file");
	assert_true(wt_file_is_in_memory(fd));
	close(fd);
	put("over/sub/new", "three");
	maps_it_for_writing("over/sub/new");
	fd = look("over/sub/new");
	is_in(fd, "upper/sub/new");
	assert_int_equal(unlink(in("over/sub/new")), 0);
	is_in(fd, NULL);
	close(fd);
}

/* Only a part of it is mounted, and at another place. */
static void parts_are_found(void **state)
{
	int fd;

	(void)state;
	if (!mounting)
		skip();
	make("lower"), make("upper"), make("work"), make("over"), make("part"), make("lower/sub");
	put("lower/file", "one"), put("lower/sub/other", "two");
	mount_over("lower", "upper", "work", false);
	assert_int_equal(mount(in("over/sub"), in("part"), NULL, MS_BIND, NULL), 0);
	fd = look("part/other");
	is_in(fd, "lower/sub/other");
	close(fd);
	maps_it_for_writing("part/other");
	fd = look("part/other");
	is_in(fd, "upper/sub/other");
	close(fd);
	assert_int_equal(umount2(in("part"), MNT_DETACH), 0);
}

static void odd_names_are_read(void **state)
{
	static const char *const names[] = {"a b", "a:b",           "a\\b", "a\\040b",
					    "a,b", "a - overlay b", "a\nb", "a=b"};
	char name[64];
	int fd;

	(void)state;
	if (!mounting)
		skip();
	make("over");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		make(names[i]);
		snprintf(name, sizeof(name), "%s/file", names[i]);
		put(name, "one");
		snprintf(name, sizeof(name), "%s/two", names[i]);
		make(name);
		mount_over(names[i], NULL, NULL, true);
		fd = look("over/file");
		snprintf(name, sizeof(name), "%s/file", names[i]);
		is_in(fd, name);
		close(fd);
		assert_int_equal(umount2(in("over"), MNT_DETACH), 0);
	}
}

/* A file at the same place that is another one. */
static void others_are_not_taken(void **state)
{
	int fd;

	(void)state;
	if (!mounting)
		skip();
	make("lower"), make("upper"), make("work"), make("over");
	put("lower/file", "one");
	mount_over("lower", "upper", "work", false);
	fd = look("over/file");
	assert_int_equal(rename(in("lower/file"), in("lower/away")), 0);
	put("lower/file", "longer");
	is_in(fd, NULL);
	close(fd);
}

static void disks_are_known(void **state)
{
	int fd;

	(void)state;
	if (!mounting)
		skip();
	make("over");
	put("file", "one"), make("lower"), put("lower/file", "one");
	fd = open(in("file"), O_RDONLY | O_CLOEXEC);
	assert_false(wt_is_on_overlay(fd));
	assert_true(wt_file_is_in_memory(fd));
	close(fd);
	mount_over("lower", NULL, NULL, false);
	fd = open(in("over/file"), O_PATH | O_CLOEXEC);
	assert_true(wt_file_is_in_memory(fd));
	close(fd);
	fd = open("/proc/self/status", O_PATH | O_CLOEXEC);
	assert_false(wt_is_on_overlay(fd));
	close(fd);
	assert_false(wt_is_on_overlay(fd));
	assert_int_equal(wt_overlay_below(fd), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writers_are_found_below, begin, end),
		cmocka_unit_test_setup_teardown(parts_are_found, begin, end),
		cmocka_unit_test_setup_teardown(odd_names_are_read, begin, end),
		cmocka_unit_test_setup_teardown(others_are_not_taken, begin, end),
		cmocka_unit_test_setup_teardown(disks_are_known, begin, end),
	};

	mounting = !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return cmocka_run_group_tests_name("overlay", tests, NULL, NULL);
}
