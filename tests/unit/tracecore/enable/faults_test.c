// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/enable/fixture.h"

static void empty_directory(void)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -rf %s", fixture_directory);
	assert_int_equal(system(command), 0);
}

/* What is registered goes on without sessions; the next registration makes the directory anew and serves new
 * ones.
 */
static void the_directory_is_removed(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *old = fixture_register(&fixture_desc), *new;
	struct wt_enable_slot slot;

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){0});
	empty_directory();
	assert_int_equal(wt_enable_bytes(old)[0], 1);
	assert_int_equal(wt_enable_slot(0, &slot), 0);
	assert_int_equal(wt_enable_open_rings(&slot), -1);
	wt_enable_admits(old, 0, 0);
	wt_enable_state_set(old, 0, 0, "x", 1, NULL);
	fixture_die(&session);
	new = fixture_register(&fixture_desc);
	assert_ptr_not_equal(new, old);
	assert_int_equal(wt_enable_bytes(new)[0], 0);
	session = fixture_session("s");
	fixture_want(session.control, (struct wt_enable_rule){.level = 4});
	assert_int_equal(wt_enable_bytes(new)[0], 1);
	assert_int_equal(wt_enable_bytes(old)[2], 1);
	fixture_stop(&session);
	wt_enable_unregister(old);
	wt_enable_unregister(new);
}

/* A file where the directory should be, a link to a directory, a name that cannot be made. */
static void there_is_no_directory_to_use(void **state)
{
	struct wt_enable_provider *p = NULL;
	struct wt_err err = WT_ERR_INIT;
	int fd;

	(void)state;
	fd = open(fixture_directory, O_RDWR | O_CREAT, 0600);
	close(fd);
	assert_int_equal(wt_enable_register(&fixture_desc, &p, &err), -1);
	assert_non_null(strstr(err.text, fixture_directory));
	unlink(fixture_directory);
	assert_int_equal(symlink("/tmp", fixture_directory), 0);
	assert_int_equal(wt_enable_register(&fixture_desc, &p, &err), -1);
	unlink(fixture_directory);
	setenv("WTRACE_RUNTIME", "/proc/no/such", 1);
	assert_int_equal(wt_enable_register(&fixture_desc, &p, &err), -1);
	assert_non_null(strstr(err.text, "/proc/no/such"));
	assert_null(p);
}

static void put(const char *name, const char *text)
{
	int directory = fixture_open_directory(),
	    fd = openat(directory, name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	close(directory);
}

static void damaged_files_are_named(void **state)
{
	struct wt_enable_provider *p = NULL;
	struct wt_control *control = NULL;
	char file[WT_ENABLE_FILE_NAME] = "", path[300];
	struct wt_err err = WT_ERR_INIT;
	int directory;

	(void)state;
	put("sessions", "no sessions");
	assert_int_equal(wt_enable_register(&fixture_desc, &p, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_non_null(strstr(err.text, "/sessions is damaged"));
	directory = fixture_open_directory();
	assert_int_equal(
		wt_control_open(directory, fixture_directory, "s", &fixture_spec, false, &control, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	close(directory);
	empty_directory();
	p = fixture_register(&fixture_desc);
	wt_enable_unregister(p);
	wt_enable_file_name("test-app", wt_enable_hash(&fixture_desc), file);
	snprintf(path, sizeof(path), "providers/%s", file);
	put(path, "no enable file");
	assert_int_equal(wt_enable_register(&fixture_desc, &p, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_non_null(strstr(err.text, file));
}

static int ignore(void *ctx, const struct wt_control_provider *provider, struct wt_err *err)
{
	(void)provider;
	(void)err;
	++*(unsigned *)ctx;
	return 0;
}

/* Odd things in the directory of providers: counted, skipped, and the others served. */
static void strange_files_are_skipped(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	int directory = fixture_open_directory();
	unsigned n = 0;

	(void)state;
	put("providers/text", "no enable file");
	put("providers/empty", "");
	assert_int_equal(mkdirat(directory, "providers/directory", 0700), 0);
	assert_int_equal(symlinkat("/etc/passwd", directory, "providers/link"), 0);
	assert_int_equal(mkfifoat(directory, "providers/pipe", 0600), 0);
	fixture_want(session.control, (struct wt_enable_rule){0});
	assert_int_equal(wt_enable_bytes(p)[0], 1);
	assert_true(wt_control_damaged(session.control) >= 5);
	assert_int_equal(wt_control_scan(session.control, true, ignore, &n, NULL), 0);
	assert_int_equal(n, 1);
	close(directory);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

/* The enable file is cut between the session's look and its write: an answer, no signal. */
static void a_file_is_cut_under_the_session(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct wt_enable_copy copy;
	struct wt_rules rules;
	char name[WT_ENABLE_FILE_NAME];
	struct wt_buf buf = {0};
	int fd;

	(void)state;
	(void)p; /* mapped here, and not touched any more */
	wt_enable_file_name("test-app", wt_enable_hash(&fixture_desc), name);
	assert_int_equal(wt_rules_encode(&(struct wt_enable_rule){.provider = "test-app"}, 1, &buf, NULL), 0);
	rules = (struct wt_rules){.bytes = buf.data, .len = buf.len};
	assert_int_equal(wt_enable_copy_read(session.control->providers, name, geteuid(), &copy, NULL), 0);
	fd = openat(session.control->providers, name, O_RDWR);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(wt_enable_copy_apply(session.control->providers, name, geteuid(), &copy, 1, &rules),
			 -1);
	wt_enable_copy_deinit(&copy);
	assert_int_equal(wt_enable_copy_read(session.control->providers, name, geteuid(), &copy, NULL), 1);
	close(fd);
	wt_buf_deinit(&buf);
	fixture_stop(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_directory_is_removed, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(there_is_no_directory_to_use, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(damaged_files_are_named, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(strange_files_are_skipped, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_file_is_cut_under_the_session, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
