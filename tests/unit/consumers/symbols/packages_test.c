/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include "consumers/symbols/package_answers.h"

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
	assert_int_equal(wt_packages_load(packages, root, NULL, &err), 0);
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
	assert_string_equal(wt_strings_get(&packages->texts, package->name, NULL), name);
	assert_string_equal(wt_strings_get(&packages->texts, package->version, NULL), version);
	assert_string_equal(wt_strings_get(&packages->texts, package->architecture, NULL), architecture);
	assert_string_equal(wt_strings_get(&packages->texts, package->source, NULL), source);
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
	load(&packages, paths, in_directory("root"));
	check(&packages, paths[0], "libc6", "2.36-9", "amd64", "glibc");
	check(&packages, paths[1], "libc6", "2.36-9", "amd64", "glibc");
	check(&packages, paths[2], "libc6", "2.36-8", "i386", "glibc");
	check(&packages, paths[3], "tool", "1:2.0-1+b2", "amd64", "tools");
	check(&packages, paths[4], "tool", "1:2.0-1+b2", "amd64", "tools");
	check(&packages, paths[5], "tool", "1:2.0-1+b2", "amd64", "tools");
	for (size_t i = 6; paths[i]; i++)
		check(&packages, paths[i], NULL, NULL, NULL, NULL);
	check(&packages, "/never/wanted", NULL, NULL, NULL, NULL);
	assert_string_equal(wt_strings_get(&packages.texts, packages.system, NULL), "debian bookworm");
	wt_packages_deinit(&packages);
}

static void other_systems_have_none(void **state)
{
	const char *const paths[] = {"/usr/bin/tool", NULL};
	struct wt_packages packages = {0};

	(void)state;
	load(&packages, paths, in_directory("nowhere"));
	check(&packages, paths[0], NULL, NULL, NULL, NULL);
	assert_string_equal(wt_strings_get(&packages.texts, packages.system, NULL), "");
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
	file = fopen(in_directory("bash.is"), "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%127s %63s", version, architecture), 2);
	fclose(file);
	load(&packages, paths, "");
	for (int i = 1; i < 3; i++) {
		const struct wt_package *package = wt_packages_of(&packages, paths[i], strlen(paths[i]));

		assert_non_null(package);
		assert_string_equal(wt_strings_get(&packages.texts, package->name, NULL), "bash");
		assert_string_equal(wt_strings_get(&packages.texts, package->version, NULL), version);
		assert_string_equal(wt_strings_get(&packages.texts, package->architecture, NULL),
				    architecture);
	}
	assert_non_null(wt_packages_of(&packages, paths[0], strlen(paths[0])));
	wt_packages_deinit(&packages);
}

static struct wt_unwind_cache a_cache(const char *name)
{
	struct wt_unwind_cache cache;
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_unwind_cache_open(in_directory(name), 0, &cache, &err), 0);
	return cache;
}

/* The usual machine's answers, written and read back. */
static struct wt_buf answers(const char *const *paths, const struct wt_image_inputs *inputs)
{
	struct wt_packages packages = {0};
	struct wt_buf file = {0};

	load(&packages, paths, in_directory("root"));
	wt_package_answers_write(&packages, inputs, wt_cursor(NULL, 0), &file);
	assert_false(file.failed);
	wt_packages_deinit(&packages);
	return file;
}

static int reread(const struct wt_buf *file, size_t len, const char *const *paths, struct wt_packages *ret,
		  uint32_t *left)
{
	struct wt_err err = WT_ERR_INIT;
	bool fresh;

	*ret = (struct wt_packages){0};
	for (; *paths; paths++)
		assert_int_equal(wt_packages_want(ret, *paths, strlen(*paths), &err), 0);
	assert_int_equal(wt_strings_add(&ret->texts, "", 0, &fresh), 0);
	*left = ret->plain.count;
	return wt_package_answers_read(wt_cursor(file->data, len), ret, left);
}

static void answers_are_kept(void **state)
{
	const char *const asked[] = {"/usr/bin/tool", "/usr/bin/gone", "/nobody/has/it", NULL};
	const char *const later[] = {"/bin/tool", "/usr/bin/gone", "/nobody/has/it", "/opt/tool/lib.so",
				     NULL};
	struct wt_image_inputs inputs = {0};
	struct wt_packages packages;
	struct wt_buf file;
	uint32_t left;

	(void)state;
	wt_package_answers_begin(&inputs);
	file = answers(asked, &inputs);
	assert_int_equal(reread(&file, file.len, later, &packages, &left), 0);
	assert_int_equal(left, 1);
	check(&packages, "/usr/bin/tool", "tool", "1:2.0-1+b2", "amd64", "tools");
	check(&packages, "/usr/bin/gone", NULL, NULL, NULL, NULL);
	check(&packages, "/nobody/has/it", NULL, NULL, NULL, NULL);
	check(&packages, "/opt/tool/lib.so", NULL, NULL, NULL, NULL);
	assert_string_equal(wt_strings_get(&packages.texts, packages.system, NULL), "debian bookworm");
	wt_packages_deinit(&packages);
	for (size_t len = 0; len < file.len; len++) {
		assert_int_equal(reread(&file, len, later, &packages, &left), 1);
		assert_int_equal(left, 4);
		wt_packages_deinit(&packages);
	}
	/* The database is another one now. */
	file.data[16 + 4 + 4 + 4 * WT_KEPT_PARTS + 2 + strlen("/var/lib/dpkg/info") + 1] ^= 1;
	assert_int_equal(reread(&file, file.len, later, &packages, &left), 1);
	wt_packages_deinit(&packages);
	wt_buf_deinit(&file);
	wt_image_inputs_deinit(&inputs);
}

static void load_with(struct wt_unwind_cache *cache, const char *const *paths, const char *name)
{
	struct wt_packages packages = {0};
	struct wt_err err = WT_ERR_INIT;

	for (size_t i = 0; paths[i]; i++)
		assert_int_equal(wt_packages_want(&packages, paths[i], strlen(paths[i]), &err), 0);
	assert_int_equal(wt_packages_load(&packages, "", cache, &err), 0);
	for (size_t i = 0; paths[i]; i++) {
		const struct wt_package *package = wt_packages_of(&packages, paths[i], strlen(paths[i]));

		assert_int_equal(package != NULL, strncmp(paths[i], "/nobody", 7) != 0);
		if (package && name)
			assert_string_equal(wt_strings_get(&packages.texts, package->name, NULL), name);
	}
	wt_packages_deinit(&packages);
}

/* This machine's: asked in turns, damaged, and asked again. */
static void this_machine_is_asked_once(void **state)
{
	const char *const bash[] = {"/usr/bin/bash", "/nobody/1", NULL}, *const dpkg[] = {"/usr/bin/dpkg",
											  "/nobody/2", NULL};
	const char *const both[] = {"/bin/bash", "/usr/bin/dpkg", "/nobody/1", "/nobody/2", NULL};
	struct wt_unwind_cache cache = a_cache("cache");
	struct wt_packages packages;
	struct wt_unwind_mapping file;
	struct wt_buf bytes = {0};
	uint32_t left;

	(void)state;
	settle("/var/lib/dpkg/info");
	settle("/var/lib/dpkg/status");
	load_with(&cache, bash, "bash");
	load_with(&cache, bash, "bash");
	load_with(&cache, dpkg, "dpkg");
	load_with(&cache, both, NULL);
	assert_int_equal(wt_unwind_cache_find_other(&cache, "0-0000000000000000-packages.v3", &file), 0);
	wt_buf_put(&bytes, file.bytes, file.size);
	wt_unwind_mapping_deinit(&file);
	assert_int_equal(reread(&bytes, bytes.len, both, &packages, &left), 0);
	assert_int_equal(left, 0);
	wt_packages_deinit(&packages);
	wt_buf_deinit(&bytes);
	for (unsigned part = 3; part < 20; part++) {
		spoil("cache/0-*-packages.v3", part, 20);
		load_with(&cache, both, NULL);
		assert_int_equal(cache.damaged, part - 2);
	}
	wt_unwind_cache_close(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_have_owners),          cmocka_unit_test(other_systems_have_none),
		cmocka_unit_test(agrees_with_dpkg),           cmocka_unit_test(answers_are_kept),
		cmocka_unit_test(this_machine_is_asked_once),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
