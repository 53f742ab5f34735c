// SPDX-License-Identifier: MIT
#include "tracecore/enable/control_impl.h"
#include "tests/unit/tracecore/enable/fixture.h"

#define BYTES(p, a, b, c)                                        \
	do {                                                     \
		const volatile uint8_t *at = wt_enable_bytes(p); \
		assert_int_equal(at[0], a);                      \
		assert_int_equal(at[1], b);                      \
		assert_int_equal(at[2], c);                      \
	} while (0)

static void a_provider_that_comes_later_is_enabled(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p;

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){.level = 4});
	p = fixture_register(&fixture_desc);
	BYTES(p, 1, 1, 0);
	fixture_stop(&session);
	BYTES(p, 0, 0, 0);
	wt_enable_unregister(p);
}

static void rules_change_while_it_runs(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	static const uint16_t ids[] = {3};
	uint64_t first, stamp;

	(void)state;
	BYTES(p, 0, 0, 0);
	fixture_want(session.control, (struct wt_enable_rule){.any = 2});
	BYTES(p, 0, 1, 0);
	stamp = wt_enable_stamp(0);
	first = stamp >> 32;
	assert_true(first > 0);
	fixture_want(session.control, (struct wt_enable_rule){.stack_ids = ids, .n_stack_ids = 1});
	BYTES(p, 1, 1, 1);
	assert_int_equal(wt_enable_stack_bytes(p)[0], 0);
	assert_int_equal(wt_enable_stack_bytes(p)[2], 1);
	assert_true(wt_enable_stamp(0) != stamp);
	assert_int_equal(wt_enable_stamp(0) >> 32, first);
	fixture_want(session.control, (struct wt_enable_rule){.provider = "TEST-other"});
	BYTES(p, 0, 0, 0);
	assert_int_equal(wt_enable_stack_bytes(p)[2], 0);
	fixture_stop(&session);
	assert_int_equal(wt_enable_stamp(0), 0);
	wt_enable_unregister(p);
}

/* In root's own directory a ninth is refused; in another user's own directory a seventh. */
static void one_too_many_is_refused_with_names(void **state)
{
	unsigned n = geteuid() == 0 ? 8 : 6;
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct fixture_session sessions[8];
	struct wt_control *more = NULL;
	struct wt_err err = WT_ERR_INIT;
	int directory = fixture_open_directory(), lock = fixture_lock(directory, "more");

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%u", i);
		sessions[i] = fixture_session(name);
		fixture_want(sessions[i].control, (struct wt_enable_rule){0});
	}
	BYTES(p, (1 << n) - 1, (1 << n) - 1, (1 << n) - 1);
	assert_int_equal(
		wt_control_open(directory, fixture_directory, "more", &fixture_spec, false, &more, &err), -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	assert_non_null(strstr(err.text, "n0, n1, n2, n3, n4, n5"));
	fixture_stop(&sessions[3]);
	BYTES(p, ((1 << n) - 1) & ~8, ((1 << n) - 1) & ~8, ((1 << n) - 1) & ~8);
	assert_int_equal(
		wt_control_open(directory, fixture_directory, "more", &fixture_spec, false, &more, &err), 0);
	assert_int_equal(more->slot, 3);
	wt_control_clear(more, NULL);
	wt_control_close(more);
	for (unsigned i = 0; i < n; i++) {
		if (i != 3)
			fixture_stop(&sessions[i]);
	}
	close(lock);
	close(directory);
	wt_enable_unregister(p);
}

static void a_dead_session_is_swept(void **state)
{
	struct fixture_session dead = fixture_session("dead"), live = fixture_session("live"), next;
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	uint64_t life;
	struct stat st;

	(void)state;
	fixture_want(dead.control, (struct wt_enable_rule){0});
	fixture_want(live.control, (struct wt_enable_rule){.any = 1});
	BYTES(p, 3, 1, 1);
	life = wt_enable_stamp(0) >> 32;
	fixture_die(&dead);
	next = fixture_session("next");
	assert_int_equal(next.control->slot, 0);
	assert_true(wt_enable_stamp(0) >> 32 != life);
	BYTES(p, 2, 0, 0);
	assert_int_equal(fstatat(next.directory, "dead.rules-1", &st, 0), -1);
	fixture_stop(&next);
	fixture_stop(&live);
	wt_enable_unregister(p);
}

/* The keeper's way: same row, same rules, same life. */
static void a_session_is_adopted(void **state)
{
	struct fixture_session first = fixture_session("s"), second = {.lock = -1};
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct wt_err err = WT_ERR_INIT;
	uint64_t stamp;

	(void)state;
	fixture_want(first.control, (struct wt_enable_rule){.level = 4});
	stamp = wt_enable_stamp(0);
	second.directory = dup(first.directory);
	second.lock = dup(first.lock);
	fixture_die(&first);
	if (wt_control_adopt(second.directory, fixture_directory, "s", false, &second.control, &err))
		fail_msg("%s", err.text);
	assert_int_equal(wt_enable_stamp(0), stamp);
	BYTES(p, 1, 1, 0);
	fixture_want(second.control, (struct wt_enable_rule){.level = 5});
	assert_int_equal(wt_enable_stamp(0), stamp + 1);
	BYTES(p, 1, 1, 1);
	fixture_stop(&second);
	BYTES(p, 0, 0, 0);
	second.directory = fixture_open_directory();
	assert_int_equal(
		wt_control_adopt(second.directory, fixture_directory, "s", false, &second.control, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	close(second.directory);
	wt_enable_unregister(p);
}

static void old_rings_are_put_aside(void **state)
{
	struct fixture_session session = fixture_session("s");
	int rings = wt_control_rings(session.control, NULL), file;
	struct stat st;
	char aside[64];

	(void)state;
	assert_true(rings >= 0);
	file = openat(rings, "0", O_RDWR | O_CREAT, 0600);
	assert_true(file >= 0);
	close(file);
	fixture_die(&session);
	session = fixture_session("s");
	assert_int_equal(fstatat(session.directory, "s.rings", &st, 0), -1);
	snprintf(aside, sizeof(aside), "s-%u.rings/0", session.control->life);
	assert_int_equal(fstatat(session.directory, aside, &st, 0), 0);
	fixture_stop(&session);
}

static void a_slot_says_what_a_writer_needs(void **state)
{
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct fixture_session session = fixture_session("s");
	struct wt_enable_slot slot;
	int fd;

	(void)state;
	assert_int_equal(wt_enable_slot(1, &slot), 1);
	assert_int_equal(wt_enable_slot(8, &slot), 1);
	assert_int_equal(wt_enable_slot(0, &slot), 0);
	assert_int_equal(slot.stamp, wt_enable_stamp(0));
	assert_int_equal(slot.spec.block_bytes, 65536);
	assert_int_equal(slot.spec.max_blocks, 64);
	assert_int_equal(slot.spec.counter, 1);
	assert_string_equal(slot.rings, "s.rings");
	fd = wt_enable_open_rings(&slot);
	assert_true(fd >= 0);
	close(fd);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

static int see(void *ctx, const struct wt_control_provider *provider, struct wt_err *err)
{
	struct wt_control_provider *ret = ctx;

	(void)err;
	*ret = *provider;
	assert_int_equal(provider->manifest_len, 2);
	assert_memory_equal(provider->manifest, "{}", 2);
	return 0;
}

static void a_scan_tells_what_is_new(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_control_provider seen = {0};
	struct wt_enable_provider *p;

	(void)state;
	assert_int_equal(wt_control_scan(session.control, false, see, &seen, NULL), 0);
	assert_null(seen.name);
	p = fixture_register(&fixture_desc);
	assert_int_equal(wt_control_scan(session.control, false, see, &seen, NULL), 0);
	assert_string_equal(seen.name, "test-app");
	assert_int_equal(seen.number, wt_enable_number(p));
	assert_int_equal(seen.n_events, 3);
	assert_int_equal(seen.processes, 1);
	seen = (struct wt_control_provider){0};
	assert_int_equal(wt_control_scan(session.control, false, see, &seen, NULL), 0);
	assert_null(seen.name);
	assert_int_equal(wt_control_scan(session.control, true, see, &seen, NULL), 0);
	assert_string_equal(seen.name, "test-app");
	wt_enable_unregister(p);
	assert_int_equal(wt_control_scan(session.control, true, see, &seen, NULL), 0);
	assert_int_equal(seen.processes, 0);
	assert_int_equal(wt_control_damaged(session.control), 0);
	fixture_stop(&session);
}

/* Programs that end without saying so are not counted, and their entries are used again. */
static void dead_processes_are_not_counted(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_control_provider seen = {0};
	struct wt_enable_provider *p;

	(void)state;
	for (unsigned i = 0; i < 1030; i++) {
		pid_t child = fixture_fork();

		if (child == 0)
			_exit(wt_enable_register(&fixture_desc, &p, NULL) ? 1 : 0);
		assert_int_equal(fixture_reap(child), 0);
	}
	p = fixture_register(&fixture_desc);
	assert_int_equal(wt_control_scan(session.control, true, see, &seen, NULL), 0);
	assert_int_equal(seen.processes, 1);
	wt_enable_unregister(p);
	fixture_stop(&session);
}

/* A process left bits that no rule wants, and died before it said it was done. */
static void a_scan_mends_bits(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct wt_control_provider seen = {0};
	volatile uint8_t *bytes = (volatile uint8_t *)wt_enable_bytes(p);
	struct wt_abi_enable *head = (struct wt_abi_enable *)(bytes - WT_ABI_BYTES_OFFSET);

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){.any = 1});
	assert_int_equal(wt_control_scan(session.control, false, see, &seen, NULL), 0);
	__atomic_fetch_add(&head->begun, 1, __ATOMIC_RELAXED);
	bytes[0] = 0x80;
	bytes[1] = 0x81;
	assert_int_equal(wt_control_scan(session.control, false, see, &seen, NULL), 0);
	BYTES(p, 0x81, 0x80, 0);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

static void instances_share_a_registration(void **state)
{
	struct wt_enable_provider *instances[1000];

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		instances[i] = fixture_register(&fixture_desc);
	for (unsigned i = 1; i < 1000; i++)
		assert_ptr_equal(wt_enable_bytes(instances[i]), wt_enable_bytes(instances[0]));
	for (unsigned i = 0; i < 1000; i++) {
		BYTES(instances[i], 0, 0, 0);
		wt_enable_unregister(instances[i]);
	}
	wt_enable_unregister(NULL);
}

/* Same name, other manifest: another file, another number. */
static void manifests_are_told_apart(void **state)
{
	struct wt_enable_desc other = fixture_desc;
	struct wt_enable_provider *a = fixture_register(&fixture_desc), *b, *c;

	(void)state;
	other.manifest = "{ }";
	other.manifest_len = 3;
	b = fixture_register(&other);
	other.name = "TEST-app";
	c = fixture_register(&other);
	assert_true(wt_enable_number(a) != wt_enable_number(b));
	assert_int_equal(wt_enable_number(b), wt_enable_number(c));
	wt_enable_unregister(a);
	wt_enable_unregister(b);
	wt_enable_unregister(c);
}

static void ten_thousand_events(void **state)
{
	struct wt_enable_event *events = calloc(10000, sizeof(*events));
	struct wt_enable_desc desc = {
		.name = "big", .manifest = "[]", .manifest_len = 2, .events = events, .n_events = 10000};
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p;
	unsigned on = 0;

	(void)state;
	for (unsigned i = 0; i < 10000; i++)
		events[i] = (struct wt_enable_event){
			.name = i % 2 ? "odd" : "even", .id = (uint16_t)i, .level = 4};
	p = fixture_register(&desc);
	free(events);
	fixture_want(session.control, (struct wt_enable_rule){.provider = "big", .names = "o*"});
	for (unsigned i = 0; i < 10000; i++)
		on += wt_enable_bytes(p)[i] == i % 2;
	assert_int_equal(on, 10000);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

static void bad_descriptions_are_refused(void **state)
{
	static const char *const names[] = {"", ".x", "a/b", "a b", "-a"};
	struct wt_enable_desc desc = fixture_desc;
	struct wt_enable_provider *p = NULL;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		desc.name = names[i];
		assert_int_equal(wt_enable_register(&desc, &p, &err), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
	}
	desc = fixture_desc;
	desc.n_events = WT_ABI_EVENTS_MAX + 1;
	assert_int_equal(wt_enable_register(&desc, &p, &err), -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	assert_null(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_provider_that_comes_later_is_enabled, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(rules_change_while_it_runs, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(one_too_many_is_refused_with_names, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_dead_session_is_swept, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_session_is_adopted, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(old_rings_are_put_aside, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_slot_says_what_a_writer_needs, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_scan_tells_what_is_new, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(dead_processes_are_not_counted, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_scan_mends_bits, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(instances_share_a_registration, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(manifests_are_told_apart, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(ten_thousand_events, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(bad_descriptions_are_refused, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
