// SPDX-License-Identifier: MIT
/* The change of an image's file is seen while the file is there, and that another one lies at its path; no
 * file system can make the caller wait. */
#include "consumers/record/image_change.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/record/roots.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/file_watch.h"
#include "tracecore/logfmt/format/tables.h"

static struct wt_image_set set;
static struct wt_mounts mounts;
static char directory[64], path[128];
static struct stat st;
static bool mounting; /* as root, on a kernel that can do what is asked for */

/* Emulated kernels and old ones do not follow paths in memory alone. */
static bool knows_paths_in_memory(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool has_own_mounts(void)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int begin(void **state)
{
	FILE *file;

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/wtchangeXXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/file", directory);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fclose(file);
	return stat(path, &st);
}

static int end(void **state)
{
	(void)state;
	wt_image_set_deinit(&set);
	wt_mounts_deinit(&mounts);
	unlink(path);
	return rmdir(directory);
}

/* What is seen of an image at that path with the file's inode + more. */
static uint64_t seen(const char *at, uint64_t more)
{
	struct wt_image_payload payload = {
		.kind = WT_IMAGE_FILE,
		.device = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev),
		.inode = st.st_ino + more,
		.path = {at, (uint32_t)strlen(at)},
	};
	struct wt_image_entry *image = wt_image_set_get(&set, &payload, 1);
	uint64_t change;

	assert_non_null(image);
	change = wt_image_change(image, &mounts);
	/* It is looked at once. */
	image->inode++;
	assert_int_equal(wt_image_change(image, &mounts), change);
	wt_image_set_put(&set, image);
	return change;
}

static uint64_t change_of(const struct stat *of)
{
	return (uint64_t)of->st_ctim.tv_sec * WT_NSEC + (uint64_t)of->st_ctim.tv_nsec;
}

/* Kernels that follow paths in memory alone may forget what is there, or not know how (5.12): nothing is seen
 * then, and nothing wrong. */
static void a_file_is_seen(void **state)
{
	uint64_t own = seen(path, 0), other = seen(path, 1), relative = seen("relative", 0);

	(void)state;
	assert_true(own == change_of(&st) || !own);
	assert_true(other == WT_LOG_IMAGE_GONE || !other);
	assert_int_equal(relative, 0);
}

/* Who can write to a file may do so without leaving another time. */
static void a_file_that_is_written(void **state)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint64_t change = seen(path, 0);

	(void)state;
	assert_true(fd >= 0);
	assert_true(change == WT_LOG_IMAGE_GONE || !change);
	close(fd);
	change = seen(path, 0);
	assert_true(change == change_of(&st) || !change);
}

static void a_file_that_is_not_there(void **state)
{
	uint64_t change;

	(void)state;
	unlink(path);
	change = seen(path, 0);
	assert_true(change == 0 || change == WT_LOG_IMAGE_GONE);
	/* Nobody's inode is not looked for. */
	st.st_ino = 0;
	assert_int_equal(seen(path, 0), 0);
}

/* In a file system of our own in memory all is known: there nothing may be missed. */
static void what_is_in_memory_is_seen(void **state)
{
	uint64_t device;

	(void)state;
	if (!mounting)
		skip();
	assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, NULL), 0);
	close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(seen(path, 0), change_of(&st));
	assert_int_equal(seen(path, 1), WT_LOG_IMAGE_GONE);
	/* It has no device of its own: mappings of other file systems may tell any. */
	device = st.st_dev;
	st.st_dev = makedev(8, 99);
	assert_int_equal(seen(path, 0), 0);
	st.st_dev = device;
	assert_int_equal(umount(directory), 0);
	/* The table of mounts is read again. */
	assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, NULL), 0);
	close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(seen(path, 0), change_of(&st));
	assert_int_equal(umount(directory), 0);
}

static struct wt_image_payload own_payload(void)
{
	return (struct wt_image_payload){
		.kind = WT_IMAGE_FILE,
		.device = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev),
		.inode = st.st_ino,
		.path = {path, (uint32_t)strlen(path)},
	};
}

/* Of the file as it is, known before and mapped once more at that time. */
static bool is_past(struct wt_image_entry *image, uint64_t time)
{
	return wt_image_is_past(image, time, &mounts);
}

/* Where the file cannot be seen, what was looked at before a mapping is not known to be what was mapped. */
static void what_cannot_be_seen_is_another(void **state)
{
	struct wt_image_payload payload = own_payload();
	struct wt_image_entry *image;
	uint64_t before;

	(void)state;
	payload.path = (struct wt_str){"relative", 8};
	image = wt_image_set_get(&set, &payload, 1);
	assert_non_null(image);
	before = wt_clock_now();
	assert_false(is_past(image, before)); /* looked at for the first time, after that mapping */
	assert_false(is_past(image, before));
	assert_true(is_past(image, image->looked_at + 1));
	assert_true(is_past(image, before));
	wt_image_set_put(&set, image);
	/* The vdso is no file. */
	payload.kind = WT_IMAGE_VDSO;
	image = wt_image_set_get(&set, &payload, 1);
	assert_false(is_past(image, UINT64_MAX));
	wt_image_set_put(&set, image);
}

/* However short a time ago it was looked at. */
static void what_was_written_over_is_another(void **state)
{
	struct wt_image_payload payload;
	struct wt_image_entry *image;
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
	struct stat now;

	(void)state;
	if (!mounting)
		skip();
	assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, NULL), 0);
	close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	assert_int_equal(stat(path, &st), 0);
	payload = own_payload();
	image = wt_image_set_get(&set, &payload, 0);
	assert_int_equal(wt_image_change(image, &mounts), change_of(&st));
	assert_false(is_past(image, image->looked_at + 1));
	assert_false(is_past(image, wt_clock_now()));
	do {
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		assert_int_equal(stat(path, &now), 0);
	} while (change_of(&now) == change_of(&st));
	assert_true(is_past(image, image->looked_at + 1));
	wt_image_set_put(&set, image);
	assert_int_equal(umount(directory), 0);
}

static void add_root(struct wt_roots *roots, const char *name, struct stat *of)
{
	char root[128], file[160];

	snprintf(root, sizeof(root), "%s/%s", directory, name);
	snprintf(file, sizeof(file), "%s/only-there", root);
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(mount("tmpfs", root, "tmpfs", 0, NULL), 0);
	close(open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	assert_int_equal(stat(file, of), 0);
	roots->list[roots->n].fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(roots->list[roots->n++].fd >= 0);
}

/* Another file system lies at that path in the first root; the file is in the second. */
static void a_writer_in_a_later_root(void **state)
{
	struct wt_roots roots = {0};
	struct stat other;
	int writer;

	(void)state;
	if (!mounting)
		skip();
	assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, NULL), 0);
	add_root(&roots, "first", &other);
	add_root(&roots, "second", &st);
	mounts.roots = &roots;
	assert_int_equal(seen("/only-there", 0), change_of(&st));
	writer = openat(roots.list[1].fd, "only-there", O_RDWR | O_CLOEXEC);
	assert_true(writer >= 0);
	assert_int_equal(seen("/only-there", 0), WT_LOG_IMAGE_GONE);
	close(writer);
	assert_int_equal(seen("/only-there", 0), change_of(&st));
	wt_roots_deinit(&roots);
	mounts.roots = NULL;
	assert_int_equal(umount2(directory, MNT_DETACH), 0);
}

/* A file in memory keeps its times: who came and went is known from the watch. */
static void who_came_and_went_is_noticed(void **state)
{
	struct wt_file_watch watch = {.began = 1};
	struct wt_image_payload payload;
	struct wt_image_entry *image;
	int fd;

	(void)state;
	if (!mounting)
		skip();
	assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, NULL), 0);
	close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	assert_int_equal(stat(path, &st), 0);
	mounts.watch = &watch;
	payload = own_payload();
	image = wt_image_set_get(&set, &payload, wt_clock_now());
	assert_int_equal(wt_image_change(image, &mounts), change_of(&st));
	assert_false(is_past(image, wt_clock_now()));
	assert_int_equal(watch.n_files, 1);
	fd = open(path, O_RDWR | O_CLOEXEC);
	close(fd);
	assert_true(is_past(image, wt_clock_now()));
	wt_image_set_put(&set, image);
	mounts.watch = NULL;
	wt_file_watch_deinit(&watch);
	assert_int_equal(umount(directory), 0);
}

/* A file system of a program that never answers. The alarm ends a test that waits for it. */
static void nobody_is_waited_for(void **state)
{
	int fuse = mounting ? open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;
	char options[96];

	(void)state;
	if (fuse < 0)
		skip();
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	assert_int_equal(mount("none", directory, "fuse", 0, options), 0);
	st.st_dev = makedev(8, 99);
	alarm(20);
	assert_int_equal(seen(path, 0), 0);
	assert_int_equal(seen(directory, 0), 0);
	alarm(0);
	assert_int_equal(umount2(directory, MNT_DETACH), 0);
	close(fuse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_written, begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_not_there, begin, end),
		cmocka_unit_test_setup_teardown(what_is_in_memory_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_seen_is_another, begin, end),
		cmocka_unit_test_setup_teardown(what_was_written_over_is_another, begin, end),
		cmocka_unit_test_setup_teardown(a_writer_in_a_later_root, begin, end),
		cmocka_unit_test_setup_teardown(who_came_and_went_is_noticed, begin, end),
		cmocka_unit_test_setup_teardown(nobody_is_waited_for, begin, end),
	};

	mounting = knows_paths_in_memory() && has_own_mounts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
