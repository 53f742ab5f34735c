// SPDX-License-Identifier: MIT
/* Who sleeps until something changes is woken by each thing that may be one, and by nothing else. */
#include "tests/unit/tracecore/enable/fixture.h"

#include <pthread.h>
#include <sys/syscall.h>

/* A thread that sleeps again and again. */
struct sleeper {
	pthread_t thread;
	uint32_t rounds; /* looks taken; it is about to sleep, or sleeps, behind the last */
	int tid, stop;
};

static void *sleep_again(void *arg)
{
	struct sleeper *s = arg;

	__atomic_store_n(&s->tid, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	for (;;) {
		struct wt_enable_seen seen = wt_enable_seen();

		if (__atomic_load_n(&s->stop, __ATOMIC_SEQ_CST))
			return NULL;
		__atomic_add_fetch(&s->rounds, 1, __ATOMIC_SEQ_CST);
		wt_enable_wait(&seen);
	}
}

static uint32_t rounds(struct sleeper *s)
{
	return __atomic_load_n(&s->rounds, __ATOMIC_SEQ_CST);
}

/* Voluntary switches of the thread so far: what a sleeper that polls makes more of. */
static long switches(const struct sleeper *s)
{
	char path[64], line[128];
	long ret = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", s->tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &ret) == 1)
			break;
	if (f)
		fclose(f);
	return ret;
}

static void until_it_has_looked(struct sleeper *s, uint32_t before)
{
	for (unsigned tries = 0; rounds(s) == before; tries++) {
		if (tries > 2000)
			fail_msg("nobody woke the sleeper");
		usleep(5000);
	}
}

static void begin(struct sleeper *s)
{
	*s = (struct sleeper){0};
	assert_int_equal(pthread_create(&s->thread, NULL, sleep_again, s), 0);
	until_it_has_looked(s, 0);
}

static void end(struct sleeper *s)
{
	__atomic_store_n(&s->stop, 1, __ATOMIC_SEQ_CST);
	wt_enable_wake();
	pthread_join(s->thread, NULL);
}

static void every_change_wakes(void **state)
{
	struct wt_enable_provider *p, *again;
	struct fixture_session session;
	struct sleeper s;
	uint32_t before;
	char command[160];

	(void)state;
	begin(&s);
	p = fixture_register(&fixture_desc);
	until_it_has_looked(&s, 1);
	session = fixture_session("s");
	before = rounds(&s);
	fixture_want(session.control, (struct wt_enable_rule){0});
	until_it_has_looked(&s, before);
	before = rounds(&s);
	fixture_want(session.control, (struct wt_enable_rule){.level = 4});
	until_it_has_looked(&s, before);
	before = rounds(&s);
	fixture_stop(&session);
	until_it_has_looked(&s, before);
	/* A directory made anew has another word. */
	snprintf(command, sizeof(command), "rm -rf %s", fixture_directory);
	assert_int_equal(system(command), 0);
	before = rounds(&s);
	again = fixture_register(&fixture_desc);
	until_it_has_looked(&s, before);
	session = fixture_session("s");
	before = rounds(&s);
	fixture_want(session.control, (struct wt_enable_rule){0});
	until_it_has_looked(&s, before);
	fixture_stop(&session);
	end(&s);
	wt_enable_unregister(p);
	wt_enable_unregister(again);
}

static void bits_that_a_registrant_sets_wake(void **state)
{
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct fixture_session session = fixture_session("s");
	const struct wt_enable_desc other = {.name = "test-app",
					     .manifest = "{ }",
					     .manifest_len = 3,
					     .events = fixture_events,
					     .n_events = 3};
	struct sleeper s;
	uint32_t before;
	pid_t child;

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){0});
	begin(&s);
	before = rounds(&s);
	child = fixture_fork();
	if (child == 0) {
		fixture_register(&other);
		_exit(0);
	}
	assert_int_equal(fixture_reap(child), 0);
	until_it_has_looked(&s, before);
	end(&s);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

/* It does not look now and then: nothing happens, and the kernel does not run it. */
static void nothing_else_does(void **state)
{
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct sleeper s;
	uint32_t before;
	long ran, now;

	(void)state;
	begin(&s);
	/* Asleep when it has not run for a while. */
	for (now = -1, ran = switches(&s); ran != now; ran = switches(&s)) {
		now = ran;
		usleep(50000);
	}
	before = rounds(&s);
	usleep(400000);
	assert_int_equal(rounds(&s), before);
	assert_int_equal(switches(&s), ran);
	end(&s);
	wt_enable_unregister(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_change_wakes, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(bits_that_a_registrant_sets_wake, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(nothing_else_does, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
