// SPDX-License-Identifier: MIT
/*
 * Registering against enabling, ENABLE.md section 3: E1 (nobody is missed), E2 (the last word is right) and
 * E3 (a kill is mended).
 */
#include "tracecore/enable/control_impl.h"
#include "tests/unit/extent.h"
#include "tests/unit/tracecore/enable/fixture.h"

#include <sched.h>
#include <sys/mman.h>

#define ROUNDS   (extent_whole() ? 3000U : 200U)
#define KILLS    300
#define N_EVENTS 64

struct shared {
	uint32_t round, registered, checked, wrong;
};

static struct wt_enable_event events[N_EVENTS];

static struct wt_enable_desc describe(const char *manifest)
{
	return (struct wt_enable_desc){.name = "racer",
				       .manifest = manifest,
				       .manifest_len = (uint32_t)strlen(manifest),
				       .events = events,
				       .n_events = N_EVENTS};
}

static int setup(void **state)
{
	for (unsigned i = 0; i < N_EVENTS; i++)
		events[i] = (struct wt_enable_event){.name = "e", .id = (uint16_t)i, .level = 1 + i % 5};
	return fixture_setup(state);
}

static void await(const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		sched_yield();
}

static void dawdle(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

static bool right(const volatile uint8_t *bytes, uint8_t level)
{
	for (unsigned i = 0; i < N_EVENTS; i++) {
		if (bytes[i] != (level && events[i].level <= level))
			return false;
	}
	return true;
}

static uint8_t level_of(uint32_t round)
{
	return (uint8_t)(1 + round % 4);
}

/* Registers a provider of its own in each round, at the very moment the rules change, and looks at its bytes
 * when both are through. */
static void race(struct shared *shared, unsigned seed)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		char manifest[32], file[WT_ENABLE_FILE_NAME] = "", path[512];
		struct wt_enable_provider *p = NULL;
		struct wt_enable_desc desc;

		snprintf(manifest, sizeof(manifest), "%u-%u", seed, round);
		desc = describe(manifest);
		await(&shared->round, round);
		dawdle((round * 7919u * (seed + 1)) % 60000);
		if (wt_enable_register(&desc, &p, NULL))
			_exit(1);
		__atomic_add_fetch(&shared->registered, 1, __ATOMIC_RELEASE);
		/* The parent counts itself when its rules are through. */
		await(&shared->registered, 3 * round);
		if (!right(wt_enable_bytes(p), level_of(round)))
			__atomic_add_fetch(&shared->wrong, 1, __ATOMIC_RELAXED);
		wt_enable_unregister(p);
		wt_enable_file_name("racer", wt_enable_hash(&desc), file);
		snprintf(path, sizeof(path), "%s/providers/%s", fixture_directory, file);
		unlink(path);
		__atomic_add_fetch(&shared->checked, 1, __ATOMIC_RELEASE);
	}
	_exit(0);
}

static void nobody_is_missed(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t children[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		children[i] = fixture_fork();
		if (children[i] == 0)
			race(shared, i);
	}
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		__atomic_store_n(&shared->round, round, __ATOMIC_RELEASE);
		dawdle((round * 104729u) % 60000);
		fixture_want(session.control,
			     (struct wt_enable_rule){.provider = "racer", .level = level_of(round)});
		__atomic_add_fetch(&shared->registered, 1, __ATOMIC_RELEASE);
		await(&shared->checked, 2 * round);
	}
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(fixture_reap(children[i]), 0);
	assert_int_equal(shared->wrong, 0);
	munmap(shared, sizeof(*shared));
	fixture_stop(&session);
}

static int ignore(void *ctx, const struct wt_control_provider *provider, struct wt_err *err)
{
	(void)ctx;
	(void)provider;
	(void)err;
	return 0;
}

/* Registrants die at random moments while the rules change. Whatever they leave, the next scan makes right.
 */
static void a_kill_is_mended(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_desc desc = describe("kills");
	struct wt_enable_provider *p = fixture_register(&desc);
	uint32_t rounds = 0;

	(void)state;
	for (unsigned i = 0; i < KILLS; i++) {
		pid_t child = fixture_fork();

		if (child == 0) {
			/* Its own mapping, made and filled anew each time. */
			wt_enable_unregister(p);
			for (;;) {
				if (wt_enable_register(&desc, &p, NULL))
					_exit(1);
				wt_enable_unregister(p);
			}
		}
		for (unsigned n = 0; n < 1 + i % 5; n++, rounds++) {
			dawdle(i * 6151u % 40000);
			fixture_want(session.control,
				     (struct wt_enable_rule){.provider = "racer", .level = level_of(rounds)});
		}
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		assert_int_equal(wt_control_scan(session.control, false, ignore, NULL, NULL), 0);
		assert_true(right(wt_enable_bytes(p), level_of(rounds - 1)));
	}
	assert_int_equal(wt_control_damaged(session.control), 0);
	wt_enable_unregister(p);
	fixture_stop(&session);
}

/* Controllers die at random moments; the next one of the same directory leaves only its own bits. */
static void a_dead_controller_is_swept(void **state)
{
	struct wt_enable_desc desc = describe("controllers");
	struct wt_enable_provider *p = fixture_register(&desc);

	(void)state;
	for (unsigned i = 0; i < KILLS; i++) {
		struct fixture_session next;
		pid_t child = fixture_fork();

		if (child == 0) {
			struct fixture_session mine = fixture_session("dying");

			for (uint32_t n = 0;; n++)
				fixture_want(mine.control, (struct wt_enable_rule){.provider = "racer",
										   .level = level_of(n)});
		}
		dawdle(i * 104729u % 2000000);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		next = fixture_session("next");
		assert_true(right(wt_enable_bytes(p), 0));
		fixture_want(next.control, (struct wt_enable_rule){.provider = "racer", .level = 3});
		assert_int_equal(next.control->slot, 0);
		assert_true(right(wt_enable_bytes(p), 3));
		fixture_stop(&next);
	}
	wt_enable_unregister(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_is_missed, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_kill_is_mended, setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_dead_controller_is_swept, setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
