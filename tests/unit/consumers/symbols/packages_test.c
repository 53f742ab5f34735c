/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include "consumers/symbols/packages.h"

static int build(void **state)
{
	if (fixture_setup(state) < 0)
		return -1;
	run("mkdir -p root/etc root/var/lib/dpkg/info");
	write_file("root/etc/os-release",
		   "PRETTY_NAME=\"x ID=no\"\nVERSION_ID=\"12\"\nVERSION_CODENAME='bookworm'\n"
		   "ID=debian\nnonsense");
	write_file("root/var/lib/dpkg/info/libc6:amd64.list",
		   "/.\n/lib\n/lib/x86_64-linux-gnu/libc.so.6\n/usr/share/doc/libc6\n");
	write_file("root/var/lib/dpkg/info/libc6:i386.list", "/lib/i386-linux-gnu/libc.so.6\n");
	write_file("root/var/lib/dpkg/info/tool.list", "\n\n/usr/bin/tool\n/opt/tool/lib.so");
	write_file("root/var/lib/dpkg/info/gone.list", "/usr/bin/gone\n");
	write_file("root/var/lib/dpkg/info/tool.postinst", "/usr/bin/other\n");
	write_file("root/var/lib/dpkg/status",
		   "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nSource: glibc\n"
		   "Version: 2.36-9\nDescription: text\n Package: trap\n\n"
		   "Package: libc6\nArchitecture: i386\nVersion: 2.36-8\nSource: glibc\n\n"
		   "Package: unused\nVersion: 1\nArchitecture: all\n\n\n"
		   "Package: tool\nArchitecture: amd64\nVersion: 1:2.0-1+b2\nSource: tools (2.0-1)");
	return 0;
}

static void load(struct wt_packages *packages, const char *const *paths, const char *root)
{
	struct wt_err err = WT_ERR_INIT;

	for (; *paths; paths++)
		assert_int_equal(wt_packages_want(packages, *paths, strlen(*paths), &err), 0);
	assert_int_equal(wt_packages_load(packages, root, &err), 0);
}

static void check(const struct wt_packages *packages, const char *path, const char *name, const char *version,
		  const char *architecture, const char *source)
{
	const struct wt_package *package = wt_packages_of(packages, path, strlen(path));

	if (!name) {
		assert_null(package);
		return;
	}
	if (!package)
		fail_msg("%s has no package", path);
	assert_string_equal(wt_packages_text(packages, package->name), name);
	assert_string_equal(wt_packages_text(packages, package->version), version);
	assert_string_equal(wt_packages_text(packages, package->architecture), architecture);
	assert_string_equal(wt_packages_text(packages, package->source), source);
}

static void files_have_owners(void **state)
{
	const char *const paths[] = {"/usr/lib/x86_64-linux-gnu/libc.so.6",
				     "/lib/x86_64-linux-gnu/libc.so.6",
				     "/usr/lib/i386-linux-gnu/libc.so.6",
				     "/usr/bin/tool (deleted)",
				     "/bin/tool",
				     "/opt/tool/lib.so",
				     "/usr/opt/tool/lib.so",
				     "/usr/bin/gone",
				     "/usr/bin/other",
				     "/home/me/a.out",
				     "",
				     NULL};
	struct wt_packages packages = {0};

	(void)state;
	load(&packages, paths, in_folder("root"));
	check(&packages, paths[0], "libc6", "2.36-9", "amd64", "glibc");
	check(&packages, paths[1], "libc6", "2.36-9", "amd64", "glibc");
	check(&packages, paths[2], "libc6", "2.36-8", "i386", "glibc");
	check(&packages, paths[3], "tool", "1:2.0-1+b2", "amd64", "tools");
	check(&packages, paths[4], "tool", "1:2.0-1+b2", "amd64", "tools");
	check(&packages, paths[5], "tool", "1:2.0-1+b2", "amd64", "tools");
	for (size_t i = 6; paths[i]; i++)
		check(&packages, paths[i], NULL, NULL, NULL, NULL);
	check(&packages, "/never/wanted", NULL, NULL, NULL, NULL);
	assert_string_equal(wt_packages_text(&packages, packages.system), "debian bookworm");
	wt_packages_deinit(&packages);
}

static void other_systems_have_none(void **state)
{
	const char *const paths[] = {"/usr/bin/tool", NULL};
	struct wt_packages packages = {0};

	(void)state;
	load(&packages, paths, in_folder("nowhere"));
	check(&packages, paths[0], NULL, NULL, NULL, NULL);
	assert_string_equal(wt_packages_text(&packages, packages.system), "");
	wt_packages_deinit(&packages);
}

/** The machine this runs on, against dpkg-query. */
static void agrees_with_dpkg(void **state)
{
	const char *const paths[] = {"/usr/bin/dpkg-query", "/usr/bin/bash", "/bin/bash", NULL};
	struct wt_packages packages = {0};
	char version[128] = "", architecture[64] = "";
	FILE *file;

	(void)state;
	run("dpkg-query -W -f '${Version} ${Architecture}' bash >bash.is");
	file = fopen(in_folder("bash.is"), "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%127s %63s", version, architecture), 2);
	fclose(file);
	load(&packages, paths, "");
	for (int i = 1; i < 3; i++) {
		const struct wt_package *package = wt_packages_of(&packages, paths[i], strlen(paths[i]));

		assert_non_null(package);
		assert_string_equal(wt_packages_text(&packages, package->name), "bash");
		assert_string_equal(wt_packages_text(&packages, package->version), version);
		assert_string_equal(wt_packages_text(&packages, package->architecture), architecture);
	}
	assert_non_null(wt_packages_of(&packages, paths[0], strlen(paths[0])));
	wt_packages_deinit(&packages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_have_owners),
		cmocka_unit_test(other_systems_have_none),
		cmocka_unit_test(agrees_with_dpkg),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
