// SPDX-License-Identifier: MIT
/*
 * Another process of the same user writes random words over every file of the directory, and cuts them, while
 * a session and a program use them. The session always lives; the program lives as long as nothing is cut.
 */
#include "tests/unit/extent.h"
#include "tests/unit/tracecore/enable/fixture.h"

#include <dirent.h>

#define TURNS (extent_whole() ? 150 : 40)

static uint64_t random_state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16) % below;
}

/* One random change of the file, taken back after a moment. */
static void disturb(int fd, bool cut)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint64_t kept, value = random_state;
	off_t at;

	if (size < 8)
		return;
	at = draw((uint32_t)(draw(2) ? size : size < 512 ? size : 512) / 8) * 8;
	if (pread(fd, &kept, 8, at) != 8)
		return;
	if (draw(4) == 0)
		value = kept ^ UINT64_C(1) << draw(64);
	(void)!pwrite(fd, &value, 8, at);
	if (cut && draw(4) == 0)
		(void)!ftruncate(fd, draw((uint32_t)size));
	usleep(draw(300));
	if (cut)
		(void)!ftruncate(fd, size);
	(void)!pwrite(fd, &kept, 8, at);
}

static void disturb_directory(const char *path, bool cut)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = entry->d_name[0] == '.' ? -1 : openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC);

		if (fd < 0)
			continue;
		disturb(fd, cut);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

static void disturb_for_ever(bool cut)
{
	char providers[128], states[128];

	random_state += (uint64_t)getpid();
	snprintf(providers, sizeof(providers), "%s/providers", fixture_directory);
	snprintf(states, sizeof(states), "%s/state", fixture_directory);
	for (;;) {
		disturb_directory(fixture_directory, cut);
		disturb_directory(providers, cut);
		disturb_directory(states, cut);
	}
}

static int see_provider(void *ctx, const struct wt_control_provider *provider, struct wt_err *err)
{
	unsigned *sum = ctx;

	(void)err;
	*sum += (unsigned)strlen(provider->name);
	for (uint32_t i = 0; i < provider->manifest_len; i++)
		*sum += (uint8_t)provider->manifest[i];
	return 0;
}

static int see_record(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	unsigned *sum = ctx;

	(void)err;
	for (uint32_t i = 0; i < record->len; i++)
		*sum += record->payload[i];
	return 0;
}

/* A session's life again and again. What fails says why, in one line. */
static int be_session(void)
{
	struct wt_enable_rule rule = {.provider = "test-app", .names = "s*"};
	int directory = fixture_open_directory(), lock = fixture_lock(directory, "s");
	unsigned sum = 0;

	for (unsigned i = 0; i < TURNS; i++) {
		struct wt_control *control = NULL;
		struct wt_err err = WT_ERR_INIT;

		if (wt_control_open(directory, fixture_directory, "s", &fixture_spec, false, &control,
				    &err)) {
			if (!err.text[0])
				return 1;
			usleep(100);
			continue;
		}
		wt_control_set_rules(control, &rule, 1, &err);
		wt_control_scan(control, i % 2, see_provider, &sum, &err);
		wt_control_state(control, see_record, &sum, &err);
		if (i % 8)
			wt_control_clear(control, &err);
		wt_control_close(control);
	}
	close(lock);
	return 0;
}

static int be_program(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < TURNS; i++) {
		struct wt_enable_provider *p = NULL;
		struct wt_err err = WT_ERR_INIT;

		if (wt_enable_register(&fixture_desc, &p, &err)) {
			if (!err.text[0])
				return 1;
			usleep(100);
			continue;
		}
		for (unsigned s = 0; s < WT_ENABLE_SLOTS; s++) {
			struct wt_enable_slot slot;

			sum += wt_enable_bytes(p)[i % 3];
			sum += (unsigned)wt_enable_slot(s, &slot) + wt_enable_admits(p, s, i % 3);
		}
		wt_enable_state_set(p, 0, i % 5, "record", 6, &err);
		if (i % 4)
			wt_enable_unregister(p);
	}
	return sum == UINT32_MAX;
}

static void both_sides(bool cut)
{
	pid_t hostile, session, program;
	int status;

	hostile = fixture_fork();
	if (hostile == 0)
		disturb_for_ever(cut);
	session = fixture_fork();
	if (session == 0)
		_exit(be_session());
	program = fixture_fork();
	if (program == 0)
		_exit(be_program());
	assert_int_equal(fixture_reap(session), 0);
	assert_int_equal(waitpid(program, &status, 0), program);
	if (!cut || WIFEXITED(status))
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	else
		assert_int_equal(WTERMSIG(status), SIGBUS);
	kill(hostile, SIGKILL);
	assert_int_equal(waitpid(hostile, NULL, 0), hostile);
}

static void random_words(void **state)
{
	(void)state;
	both_sides(false);
}

static void files_are_cut(void **state)
{
	(void)state;
	both_sides(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_words, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(files_are_cut, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
