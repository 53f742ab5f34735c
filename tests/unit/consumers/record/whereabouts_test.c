// SPDX-License-Identifier: MIT
#include "consumers/record/whereabouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void check_path(const char *text, const char *wanted)
{
	struct wt_str path = wt_cgroup_path(wt_str(text));

	assert_int_equal(path.len, strlen(wanted));
	assert_memory_equal(path.p, wanted, path.len);
}

static void the_path_of_version_2_goes_first(void **state)
{
	(void)state;
	check_path("0::/user.slice/a.scope\n", "/user.slice/a.scope");
	check_path("4:memory:/docker/long/path\n0::/short\n", "/short");
	check_path("4:memory:/docker/long\n1:cpu:/x\n0::/\n", "/docker/long");
	check_path("0::/\n", "/");
	check_path("1:name=systemd:/a:b\n", "/a:b");
	check_path("", "");
	check_path("nonsense\n:\n", "");
}

static void check_container(const char *path, const char *wanted)
{
	struct wt_buf out = {0};

	wt_cgroup_container(wt_str(path), &out);
	assert_string_equal(wt_buf_cstr(&out), wanted);
	wt_buf_deinit(&out);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void containers_have_the_ids_of_their_makers(void **state)
{
	(void)state;
	check_container("/system.slice/docker-" ID ".scope", ID);
	check_container("/docker/" ID, ID);
	check_container("/docker/" ID "/init.scope", ID);
	check_container("/machine.slice/libpod-" ID ".scope/container", ID);
	check_container("/machine.slice/libpod-conmon-" ID ".scope", "");
	check_container("/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope", ID);
	check_container("/kubepods/besteffort/pod1/" ID, ID);
	check_container("/lxc.payload.web/system.slice/x.service", "web");
	check_container("/lxc/web", "web");
	check_container("/machine.slice/machine-my\\x2dbox.scope", "my-box");
	check_container("/machine.slice/systemd-nspawn@box.service/payload", "box");
	check_container("/user.slice/user-0.slice/session-1.scope", "");
	check_container("/system.slice/docker.service", "");
	check_container("/", "");
	check_container("", "");
}

static void the_last_pid_is_the_innermost(void **state)
{
	(void)state;
	assert_int_equal(wt_status_inside_pid(wt_str("Name:\tx\nNSpid:\t77\t5\t1\nPid:\t9\n")), 1);
	assert_int_equal(wt_status_inside_pid(wt_str("NSpid:\t77\n")), 77);
	assert_int_equal(wt_status_inside_pid(wt_str("NSpid:\t77")), 77);
	assert_int_equal(wt_status_inside_pid(wt_str("NSpid:\t99999999999999999999\n")), 0);
	assert_int_equal(wt_status_inside_pid(wt_str("NSpid:\n")), 0);
	assert_int_equal(wt_status_inside_pid(wt_str("Pid:\t9\n")), 0);
	assert_int_equal(wt_status_inside_pid(wt_str("")), 0);
}

static void this_process_is_found(void **state)
{
	struct wt_whereabouts where = {0};
	struct wt_proc_payload told = {.pid = (uint32_t)getpid()};

	(void)state;
	wt_whereabouts_of(&where, NULL, &told);
	assert_int_equal(told.caught, WT_CAUGHT_WHOLE);
	assert_true(told.exe.len > 0 && told.command_line.len > 0 && told.inside_pid > 0);
	/* In the namespaces of who asks there is no other container than the group's. */
	assert_true(told.container.len < 4 || memcmp(told.container.p, "mnt:", 4) != 0);
	told = (struct wt_proc_payload){.pid = (uint32_t)getpid(), .name = wt_str("another program")};
	wt_whereabouts_of(&where, NULL, &told);
	assert_int_equal(told.caught, WT_CAUGHT_NO);
	assert_int_equal(told.exe.len + told.command_line.len, 0);
	wt_whereabouts_deinit(&where);
}

static void what_was_seen_goes_before_proc(void **state)
{
	struct wt_life life = {.file = wt_str("/bin/true"),
			       .command_line = wt_str_of("true\0a b\0", 9),
			       .cut = true,
			       .inside_pid = 3,
			       .mount_namespace = 1};
	struct wt_proc_payload told = {.pid = UINT32_MAX};
	struct wt_whereabouts where = {0};

	(void)state;
	wt_whereabouts_of(&where, &life, &told);
	assert_int_equal(told.caught, WT_CAUGHT_CUT);
	assert_int_equal(told.command_line.len, 8);
	assert_memory_equal(told.command_line.p, "true a b", 8);
	assert_memory_equal(told.exe.p, "/bin/true", 9);
	assert_int_equal(told.inside_pid, 3);
	assert_int_equal(told.container.len, 5);
	assert_memory_equal(told.container.p, "mnt:1", 5);
	wt_whereabouts_deinit(&where);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_path_of_version_2_goes_first),
		cmocka_unit_test(containers_have_the_ids_of_their_makers),
		cmocka_unit_test(the_last_pid_is_the_innermost),
		cmocka_unit_test(this_process_is_found),
		cmocka_unit_test(what_was_seen_goes_before_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
