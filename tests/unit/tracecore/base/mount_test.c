// SPDX-License-Identifier: MIT
/* Who answers for a mount, from texts of mountinfo in which users chose what they could. */
#include "tracecore/base/mount.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char table[] =
	"24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
	"30 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda1 rw,errors=remount-ro\n"
	"31 30 0:40 / /home/a/fuse rw - fuse.sshfs a@b:/ rw,user_id=4242,group_id=7,allow_other\n"
	"32 30 0:41 /- /home/a/\\040-\\040ext4 rw - fuse.x\\040- \\040-\\040ext4,user_id=0 "
	"rw,user_id=4243,group_id=0\n"
	"33 30 0:42 / /srv rw - fuse - rw,user_id=0,group_id=0,default_permissions,allow_other\n"
	"34 30 0:43 / /odd rw - fuse - rw,group_id=0,xuser_id=5\n"
	"35 30 0:44 / /ctl rw - fusectl fusectl rw\n"
	"3 30 0:45 / /short rw - tmpfs tmpfs rw,user_id=9\n"
	"36x 30 0:46 / /no rw - fuse fuse rw,user_id=9\n"
	"37 30 0:47 / /cut rw - fuse cut rw,user_id=42";

static enum wt_mount_kind ask(uint64_t id, size_t part, uid_t *by)
{
	struct wt_mount_search search;
	size_t len = strlen(table);

	wt_mount_search_begin(&search, id);
	for (size_t at = 0; at < len; at += part)
		if (wt_mount_search_take(&search, table + at, part < len - at ? part : len - at))
			break;
	return wt_mount_search_end(&search, by);
}

static void each_line_in_parts_of_any_size(void **state)
{
	static const struct {
		uint64_t id;
		enum wt_mount_kind kind;
		uid_t by;
	} wanted[] = {
		{24, WT_MOUNT_KERNEL, WT_MOUNT_NOBODY},
		{30, WT_MOUNT_KERNEL, WT_MOUNT_NOBODY},
		{31, WT_MOUNT_PROGRAM, 4242},
		{32, WT_MOUNT_PROGRAM, 4243},
		{33, WT_MOUNT_PROGRAM, 0},
		{34, WT_MOUNT_PROGRAM, WT_MOUNT_NOBODY},
		{3, WT_MOUNT_KERNEL, WT_MOUNT_NOBODY},
		{36, WT_MOUNT_UNKNOWN, WT_MOUNT_NOBODY},
		{0, WT_MOUNT_UNKNOWN, WT_MOUNT_NOBODY},
		{2, WT_MOUNT_UNKNOWN, WT_MOUNT_NOBODY},
		{372, WT_MOUNT_UNKNOWN, WT_MOUNT_NOBODY},
		/* The number may go on in what was not read. */
		{37, WT_MOUNT_PROGRAM, WT_MOUNT_NOBODY},
	};
	uid_t by;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		for (size_t part = 1; part <= sizeof(table); part++) {
			assert_int_equal(ask(wanted[i].id, part, &by), wanted[i].kind);
			assert_int_equal(by, wanted[i].by);
		}
}

static void of_open_files(void **state)
{
	int root = open("/", O_PATH | O_CLOEXEC), proc = open("/proc", O_PATH | O_CLOEXEC);
	int below = open("/proc/self", O_PATH | O_CLOEXEC);
	uint64_t a, b, c;
	uid_t by;

	(void)state;
	assert_true(wt_mount_id(proc, &b));
	assert_true(wt_mount_id(below, &c));
	assert_int_equal(b, c);
	assert_true(wt_mount_id(root, &a));
	assert_true(a != b);
	assert_int_equal(wt_mount_kind(b, &by), WT_MOUNT_KERNEL);
	assert_int_equal(by, WT_MOUNT_NOBODY);
	assert_int_equal(wt_mount_kind(UINT64_MAX, &by), WT_MOUNT_UNKNOWN);
	close(root);
	close(proc);
	close(below);
	assert_false(wt_mount_id(below, &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_in_parts_of_any_size),
		cmocka_unit_test(of_open_files),
	};

	return cmocka_run_group_tests_name("base/mount", tests, NULL, NULL);
}
