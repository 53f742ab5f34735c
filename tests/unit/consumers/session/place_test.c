// SPDX-License-Identifier: MIT
#include "tests/unit/tools/session/fixture.h"

#include <sys/stat.h>

#include "consumers/session/place.h"

static void names(void **state)
{
	static const char *const bad[] = {
		"",
		".x",
		"a/b",
		"a b",
		"ä",
		"..",
		"0123456789012345678901234567890123456789012345678901234567890123456789"};
	struct wt_err err = WT_ERR_INIT;
	struct wt_place place;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_place_open(bad[i], &place, &err), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
	}
	assert_int_equal(wt_place_open("a-b_c.9", &place, &err), 0);
	wt_place_close(&place);
}

static int count_name(void *ctx, const char *name, struct wt_err *err)
{
	(void)err;
	*(int *)ctx += !strcmp(name, "x");
	return 0;
}

static void lock_and_part(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_place first, second;
	char kept[PATH_MAX];
	int fd, n = 0;

	(void)state;
	assert_int_equal(wt_place_open("x", &first, &err), 0);
	assert_int_equal(wt_place_open("x", &second, &err), 0);
	assert_false(wt_place_alive(&second));
	assert_int_equal(wt_place_lock(&first, &err), 0);
	assert_int_equal(wt_place_lock(&second, &err), 1);
	assert_true(wt_place_alive(&second));
	assert_int_equal(wt_place_each(count_name, &n, &err), 0);
	assert_int_equal(n, 1);
	fd = wt_place_create_part(&first, &err);
	assert_true(fd >= 0);
	assert_int_equal(wt_place_create_part(&second, &err), -1);
	assert_true(wt_place_has_part(&second));
	assert_int_equal(wt_place_keep_part(&first, kept, &err), 0);
	assert_int_equal(access(kept, R_OK), 0);
	assert_false(wt_place_has_part(&first));
	close(fd);
	wt_place_remove(&first);
	wt_place_close(&first);
	assert_false(wt_place_alive(&second));
	assert_int_equal(wt_place_lock(&second, &err), 0);
	wt_place_remove(&second);
	wt_place_close(&second);
}

static void sockets(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_place place;
	struct stat st;
	char path[PATH_MAX];
	int server, client;

	(void)state;
	assert_int_equal(wt_place_open("s", &place, &err), 0);
	assert_int_equal(wt_place_connect(&place, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	server = wt_place_listen(&place, &err);
	assert_true(server >= 0);
	snprintf(path, sizeof(path), "%s/s.sock", getenv("WTRACE_RUNTIME"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	client = wt_place_connect(&place, &err);
	assert_true(client >= 0);
	close(client);
	close(server);
	wt_place_close(&place);
}

static void links_are_not_followed(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_place place;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/link", fixture_directory);
	assert_int_equal(symlink("/tmp", path), 0);
	setenv("WTRACE_RUNTIME", path, 1);
	assert_int_equal(wt_place_open("s", &place, &err), -1);
	fixture_name_directory("WTRACE_RUNTIME", "run");
	snprintf(path, sizeof(path), "%s/run", fixture_directory);
	/* A directory that others can read is made private. */
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(wt_place_open("s", &place, &err), 0);
	wt_place_close(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(lock_and_part),
		cmocka_unit_test(sockets),
		cmocka_unit_test(links_are_not_followed),
	};

	return cmocka_run_group_tests(tests, fixture_begin, fixture_end);
}
