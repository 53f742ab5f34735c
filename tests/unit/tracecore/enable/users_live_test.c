// SPDX-License-Identifier: MIT
/* Root and another user: slots 6 and 7, squatting, set-uid programs. Run as root. */
#include "tracecore/enable/control_impl.h"
#include "tests/unit/tracecore/enable/fixture.h"

#define NOBODY 65534

static char users_directory[128];

static int setup(void **state)
{
	int rc = fixture_setup(state);

	chmod(fixture_base, 01777);
	snprintf(users_directory, sizeof(users_directory), "%s/user", fixture_base);
	return rc;
}

/* A child that runs as another user with a directory of its own. */
static pid_t fork_user(void)
{
	pid_t child = fixture_fork();

	if (child == 0) {
		setenv("WTRACE_RUNTIME", users_directory, 1);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(90);
		/* setuid takes it back. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	return child;
}

static struct fixture_session session_of_root(const char *name, int lock)
{
	struct fixture_session ret = {.lock = lock};
	struct wt_err err = WT_ERR_INIT;

	ret.directory = wt_directory_open_owned(users_directory, NOBODY);
	assert_true(ret.directory >= 0);
	if (wt_control_open(ret.directory, users_directory, name, &fixture_spec, true, &ret.control, &err))
		fail_msg("%s", err.text);
	return ret;
}

static int count(void *ctx, const struct wt_control_provider *provider, struct wt_err *err)
{
	(void)provider;
	(void)err;
	++*(unsigned *)ctx;
	return 0;
}

/* The user's program is there first; root enables it, changes the rules, stops. */
static void root_enables_a_users_program(void **state)
{
	int to[2], from[2], own = fixture_open_directory(), lock = fixture_lock(own, "r");
	struct fixture_session session;
	struct wt_enable_slot slot;
	unsigned n = 0;
	pid_t child;
	char c;

	(void)state;
	assert_int_equal(pipe(to) | pipe(from), 0);
	child = fork_user();
	if (child == 0) {
		struct wt_enable_provider *p = NULL;
		int bad = 0, fd;

		/* However often it registered before: its first event finds the session. */
		for (int i = 0; i < 8; i++) {
			wt_enable_unregister(p);
			bad |= wt_enable_register(&fixture_desc, &p, NULL) ? 1 : 0;
		}
		(void)!write(from[1], "x", 1);
		(void)!read(to[0], &c, 1);
		bad |= wt_enable_bytes(p)[0] == 1 << 6 && wt_enable_admits(p, 6, 0) ? 0 : 2;
		bad |= wt_enable_slot(6, &slot) == 0 && slot.spec.block_bytes == 65536 ? 0 : 4;
		bad |= wt_enable_admits(p, 6, 0) && !wt_enable_admits(p, 7, 0) ? 0 : 8;
		fd = wt_enable_open_rings(&slot);
		bad |= fd >= 0 && openat(fd, "ring", O_RDWR | O_CREAT | O_EXCL, 0600) >= 0 ? 0 : 16;
		(void)!write(from[1], "x", 1);
		(void)!read(to[0], &c, 1);
		bad |= wt_enable_bytes(p)[0] == 0 && wt_enable_slot(6, &slot) == 1 ? 0 : 32;
		_exit(bad);
	}
	assert_int_equal(read(from[0], &c, 1), 1);
	session = session_of_root("r", lock);
	assert_int_equal(session.control->slot, 6);
	fixture_want(session.control, (struct wt_enable_rule){0});
	assert_int_equal(wt_control_scan(session.control, false, count, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_true(wt_control_rings(session.control, NULL) >= 0);
	assert_int_equal(write(to[1], "x", 1), 1);
	assert_int_equal(read(from[0], &c, 1), 1);
	fixture_stop(&session);
	assert_int_equal(write(to[1], "x", 1), 1);
	assert_int_equal(fixture_reap(child), 0);
	close(own);
	for (unsigned i = 0; i < 2; i++) {
		close(to[i]);
		close(from[i]);
	}
}

/* Root's session has never seen the directory of this user: the program finds it. Then a third is refused. */
static void a_program_finds_roots_sessions(void **state)
{
	int own = fixture_open_directory(), locks[3];
	struct wt_control *more = NULL;
	struct fixture_session sessions[2];
	struct wt_err err = WT_ERR_INIT;
	pid_t child;

	(void)state;
	/* Some other user's directory, so that there is one to open. */
	child = fork_user();
	if (child == 0) {
		struct wt_enable_provider *p = NULL;

		_exit(wt_enable_register(&fixture_desc, &p, NULL) ? 1 : 0);
	}
	assert_int_equal(fixture_reap(child), 0);
	for (unsigned i = 0; i < 3; i++) {
		char name[8];

		snprintf(name, sizeof(name), "r%u", i);
		locks[i] = fixture_lock(own, name);
		if (i == 2)
			break;
		sessions[i] = session_of_root(name, locks[i]);
		fixture_want(sessions[i].control, (struct wt_enable_rule){.level = 4});
	}
	assert_int_equal(wt_control_open(sessions[0].directory, users_directory, "r2", &fixture_spec, true,
					 &more, &err),
			 -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	assert_non_null(strstr(err.text, "r0, r1"));
	child = fork_user();
	if (child == 0) {
		struct wt_enable_provider *p = NULL;
		char other[160];

		snprintf(other, sizeof(other), "%s-other", users_directory);
		setenv("WTRACE_RUNTIME", other, 1);
		if (wt_enable_register(&fixture_desc, &p, NULL))
			_exit(1);
		_exit(wt_enable_bytes(p)[0] == 0xc0 && wt_enable_bytes(p)[2] == 0 && wt_enable_admits(p, 7, 0)
			      ? 0
			      : 2);
	}
	assert_int_equal(fixture_reap(child), 0);
	fixture_stop(&sessions[0]);
	fixture_stop(&sessions[1]);
	close(locks[2]);
	close(own);
}

/* A `sessions` file where root's should be, with a row in slot 6. */
static int make_roots_rows(uid_t owner, mode_t mode)
{
	struct wt_abi_sessions file = {
		.magic = WT_ABI_SESSIONS_MAGIC, .version = WT_ABI_ENABLE_VERSION, .bytes = sizeof(file)};
	char path[160];
	int fd;

	file.rows[6] = (struct wt_abi_row){.stamp = UINT64_C(1) << 32,
					   .block_bytes = 65536,
					   .max_blocks = 4,
					   .session = "r",
					   .rings = ".root-r-1.rings"};
	snprintf(path, sizeof(path), "%s/root", fixture_base);
	if (mkdir(path, 0755) || chown(path, owner, owner) || chmod(path, mode))
		return -1;
	snprintf(path, sizeof(path), "%s/root/sessions", fixture_base);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	return fd >= 0 && write(fd, &file, sizeof(file)) == sizeof(file) && !fchown(fd, owner, owner) ? 0
												      : -1;
}

static int asks_for_slot_6(void)
{
	struct wt_enable_provider *p = NULL;
	struct wt_enable_slot slot;

	if (wt_enable_register(&fixture_desc, &p, NULL))
		return 2;
	return wt_enable_slot(6, &slot) == 0;
}

static void roots_rows_are_roots(uid_t owner, mode_t mode, int seen)
{
	pid_t child;

	assert_int_equal(make_roots_rows(owner, mode), 0);
	child = fork_user();
	if (child == 0)
		_exit(asks_for_slot_6());
	assert_int_equal(fixture_reap(child), seen);
}

static void rows_of_root_are_taken(void **state)
{
	(void)state;
	roots_rows_are_roots(0, 0755, 1);
}

static void rows_of_others_are_not(void **state)
{
	(void)state;
	roots_rows_are_roots(NOBODY, 0755, 0);
}

static void rows_that_others_may_write_are_not(void **state)
{
	(void)state;
	roots_rows_are_roots(0, 0777, 0);
}

static void a_squatter_is_named(void **state)
{
	struct wt_enable_provider *p = NULL;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(mkdir(fixture_directory, 0755), 0);
	assert_int_equal(chown(fixture_directory, NOBODY, NOBODY), 0);
	assert_int_equal(wt_enable_register(&fixture_desc, &p, &err), -1);
	assert_int_equal(err.code, WT_ERR_PERMISSION);
	assert_non_null(strstr(err.text, "uid 65534"));
	assert_null(p);
}

/* The directory becomes read-only: what is registered goes on, what is new is refused with the reason. */
static void a_read_only_directory(void **state)
{
	pid_t child = fork_user();

	(void)state;
	if (child == 0) {
		struct wt_enable_desc other = fixture_desc;
		struct wt_enable_provider *p = NULL, *q = NULL;
		struct wt_err err = WT_ERR_INIT;
		char providers[160];

		other.name = "other";
		snprintf(providers, sizeof(providers), "%s/providers", users_directory);
		if (wt_enable_register(&fixture_desc, &p, &err) || chmod(providers, 0500))
			_exit(1);
		if (!wt_enable_register(&other, &q, &err) || err.code != WT_ERR_PERMISSION ||
		    !strstr(err.text, "other"))
			_exit(2);
		_exit(wt_enable_register(&fixture_desc, &q, &err) || wt_enable_bytes(p)[0] ? 3 : 0);
	}
	assert_int_equal(fixture_reap(child), 0);
}

/* This program again, as a set-uid one. */
static void set_uid_programs_do_not_register(void **state)
{
	char path[128], command[PATH_MAX + 600], self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(len > 0);
	self[len] = 0;
	/* Not in /dev/shm, which may be mounted nosuid. */
	snprintf(path, sizeof(path), "/var/tmp/wt-setuid-%d", getpid());
	snprintf(command, sizeof(command), "cp %s %s && chown 65534 %s && chmod 4755 %s", self, path, path,
		 path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s register", path);
	len = system(command);
	unlink(path);
	assert_int_equal(WEXITSTATUS(len), 42);
	assert_int_equal(access(fixture_directory, F_OK), -1);
}

/* As a set-uid program: 42 when it is refused as it should be. */
static int try_to_register(void)
{
	struct wt_enable_provider *p = NULL;
	struct wt_err err = WT_ERR_INIT;

	if (geteuid() != NOBODY)
		return 41;
	return wt_enable_register(&fixture_desc, &p, &err) && err.code == WT_ERR_UNSUPPORTED ? 42 : 40;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(root_enables_a_users_program, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_program_finds_roots_sessions, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(rows_of_root_are_taken, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(rows_of_others_are_not, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(rows_that_others_may_write_are_not, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_squatter_is_named, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_read_only_directory, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(set_uid_programs_do_not_register, setup, fixture_teardown),
	};

	/* Without the end of a program: the leak check cannot run in a set-uid one. */
	if (argc > 1)
		_exit(!strcmp(argv[1], "register") ? try_to_register() : 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
