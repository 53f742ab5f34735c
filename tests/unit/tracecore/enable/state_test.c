// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/enable/fixture.h"

#include <dirent.h>
#include <stdlib.h>

#include "tracecore/enable/state_check.h"

struct seen {
	unsigned n;
	uint32_t pid, len;
	uint16_t event;
	uint64_t key;
	char payload[64];
};

static int see(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	struct seen *seen = ctx;

	(void)err;
	seen->n++;
	seen->pid = record->pid;
	seen->len = record->len;
	seen->event = record->event;
	seen->key = record->key;
	memcpy(seen->payload, record->payload, record->len < 64 ? record->len : 64);
	return 0;
}

static struct seen look(struct wt_control *control)
{
	struct seen seen = {0};
	struct wt_err err = WT_ERR_INIT;

	if (wt_control_state(control, see, &seen, &err))
		fail_msg("%s", err.text);
	return seen;
}

static void the_last_record_is_seen(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	static const char large[300];
	struct seen seen;

	(void)state;
	assert_int_equal(look(session.control).n, 0);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(wt_enable_state_set(p, 2, 9, i % 2 ? "one" : "zero", i % 2 ? 4 : 5, NULL),
				 0);
		seen = look(session.control);
		assert_int_equal(seen.n, 1);
		assert_string_equal(seen.payload, i % 2 ? "one" : "zero");
	}
	assert_int_equal(seen.pid, getpid());
	assert_int_equal(seen.event, 2);
	assert_int_equal(seen.key, 9);
	assert_int_equal(wt_enable_state_set(p, 2, 9, large, sizeof(large), NULL), 0);
	seen = look(session.control);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.len, sizeof(large));
	assert_int_equal(wt_enable_state_set(p, 2, 10, "", 0, NULL), 0);
	assert_int_equal(look(session.control).n, 2);
	assert_int_equal(wt_enable_state_set(p, 2, 9, NULL, 0, NULL), 0);
	seen = look(session.control);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.key, 10);
	wt_enable_unregister(p);
	assert_int_equal(look(session.control).n, 0);
	assert_int_equal(wt_control_damaged(session.control), 0);
	fixture_stop(&session);
}

static void bounds_are_refused(void **state)
{
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	static const char large[WT_ABI_STATE_RECORD + 1];
	struct wt_err err = WT_ERR_INIT;
	uint64_t key = 0;

	(void)state;
	assert_int_equal(wt_enable_state_set(p, 3, 0, "", 0, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_int_equal(wt_enable_state_set(p, 0, 0, large, sizeof(large), &err), -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	while (wt_enable_state_set(p, 0, key, large, WT_ABI_STATE_RECORD, &err) == 0)
		assert_true(++key < 100);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	assert_true(key > 20);
	wt_enable_unregister(p);
}

static unsigned count_files(int directory)
{
	int fd = openat(directory, "state", O_RDONLY | O_DIRECTORY);
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* A child has its own file, without its parent's records; when it is dead the session removes it. */
static void forked_children_have_their_own(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	int ready[2], go[2];
	pid_t child;
	char c;

	(void)state;
	assert_int_equal(pipe(ready) | pipe(go), 0);
	assert_int_equal(wt_enable_state_set(p, 0, 1, "parent", 7, NULL), 0);
	child = fixture_fork();
	if (child == 0) {
		wt_enable_state_set(p, 0, 1, "child", 6, NULL);
		(void)!write(ready[1], "x", 1);
		(void)!read(go[0], &c, 1);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(look(session.control).n, 2);
	assert_int_equal(count_files(session.directory), 2);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(look(session.control).n, 1);
	assert_string_equal(look(session.control).payload, "parent");
	assert_int_equal(count_files(session.directory), 1);
	for (unsigned i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	wt_enable_unregister(p);
	fixture_stop(&session);
}

static int whole(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	unsigned *n = ctx;

	(void)err;
	for (uint32_t i = 0; i < record->len; i++)
		assert_int_equal(record->payload[i], record->payload[0]);
	assert_int_equal(record->len, record->payload[0] * 4);
	(*n)++;
	return 0;
}

/* The process sets records as fast as it can, growing ones too, while the session reads: each is whole. */
static void a_reader_sees_whole_records(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	unsigned n = 0;
	pid_t child = fixture_fork();

	(void)state;
	if (child == 0) {
		for (uint8_t i = 1;; i = i < 200 ? i + 1 : 1) {
			char bytes[800];

			memset(bytes, i, sizeof(bytes));
			wt_enable_state_set(p, 0, i % 3, bytes, i * 4u, NULL);
			if (i == 200)
				wt_enable_state_set(p, 0, 0, NULL, 0, NULL);
		}
	}
	for (unsigned i = 0; i < 2000 || n < 1000; i++)
		assert_int_equal(wt_control_state(session.control, whole, &n, NULL), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	wt_enable_unregister(p);
	fixture_stop(&session);
}

/* As many as a file holds: each key of a quarter of them four times, the third time with the highest commit.
 */
static void of_many_that_stand_again_the_highest_commit_holds(void **state)
{
	const struct wt_abi_state_half empty = {0};
	const size_t each = sizeof(struct wt_abi_state_entry) + 2 * sizeof(struct wt_abi_state_half);
	const size_t n = (WT_ABI_STATE_BYTES - sizeof(struct wt_abi_state)) / each / 4;
	uint8_t *file = calloc(1, WT_ABI_STATE_BYTES), *at = file + sizeof(struct wt_abi_state);
	struct wt_abi_state head = {.magic = WT_ABI_STATE_MAGIC, .version = WT_ABI_ENABLE_VERSION, .pid = 3};
	struct seen seen = {0};
	uint64_t damaged = 0;

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < 4 * n; i++) {
		struct wt_abi_state_entry entry = {.commit = 2 * (i / n == 2 ? 5 : i / n + 1),
						   .provider = 1,
						   .event = 4,
						   .key = i % n,
						   .room = sizeof(empty)};
		struct wt_abi_state_half half = {.commit = entry.commit};

		half.checksum = wt_state_checksum(&entry, &half, (const uint8_t *)"");
		memcpy(at, &entry, sizeof(entry));
		memcpy(at + sizeof(entry), &half, sizeof(half));
		memcpy(at + sizeof(entry) + sizeof(half), &empty, sizeof(empty));
		at += each;
	}
	head.used = (uint32_t)(at - file);
	memcpy(file, &head, sizeof(head));
	assert_int_equal(wt_state_parse(file, head.used, see, &seen, &damaged, NULL), 0);
	assert_int_equal(damaged, 0);
	assert_int_equal(seen.n, n);
	assert_int_equal(seen.key, n - 1);
	assert_int_equal(seen.pid, 3);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_last_record_is_seen, fixture_setup, fixture_teardown),
		cmocka_unit_test(of_many_that_stand_again_the_highest_commit_holds),
		cmocka_unit_test_setup_teardown(bounds_are_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(forked_children_have_their_own, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_reader_sees_whole_records, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
