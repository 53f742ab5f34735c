// SPDX-License-Identifier: MIT
#include "tests/unit/providers/sdk/listener.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "sdk-test");
static struct wtrace_provider app_again = WTRACE_PROVIDER_INIT(app_again, "sdk-test");
static char directory[64];

static const struct wt_enable_rule everything = {.provider = "sdk-test"};
static const struct wt_enable_rule with_stacks = {.provider = "sdk-test", .stack = 1};

static void say(int n)
{
	wtrace_event(&app, "said", WTRACE_INFO, 0x1, wtrace_i32("n", n), wtrace_str("text", "some text"));
}

static void whisper(int n)
{
	wtrace_event(&app, "whispered", WTRACE_VERBOSE, 0x2, wtrace_i32("n", n));
}

static void whisper_again(int n)
{
	wtrace_event(&app_again, "whispered", WTRACE_VERBOSE, 0x2, wtrace_i32("n", n));
}

static int set_up(void **state)
{
	(void)state;
	listen_here(directory);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	listen_no_more(directory);
	return 0;
}

static int nobody_registered(void **state)
{
	(void)state;
	wtrace_unregister(&app);
	return 0;
}

static void registered(struct wtrace_provider *provider)
{
	if (wtrace_register(provider))
		fail_msg("%s", wtrace_why(provider));
	assert_null(wtrace_why(provider));
}

static void nothing_is_written_before_and_after_registration(void **state)
{
	struct listener l;

	(void)state;
	listen_begin(&l, directory, "before", &everything);
	say(1);
	assert_non_null(wtrace_why(&app));
	registered(&app);
	say(2);
	wtrace_unregister(&app);
	say(3);
	assert_int_equal(wtrace_emit(&app, 0, NULL, 0), WTRACE_WRITTEN);
	listen_end(&l);
	assert_int_equal(l.n, 1);
	assert_int_equal(heard_number(&l.heard[0]), 2);
	listen_free(&l);
}

static void an_event_arrives_as_it_was_written(void **state)
{
	struct listener l;
	const uint8_t *payload;
	uint32_t len;

	(void)state;
	registered(&app);
	say(1);
	listen_begin(&l, directory, "arrives", &everything);
	assert_int_equal(wtrace_sessions(&app), 1);
	errno = 77;
	say(-5);
	assert_int_equal(errno, 77);
	listen_end(&l);
	say(2);
	assert_int_equal(wtrace_sessions(&app), 0);
	assert_int_equal(l.n, 1);
	payload = heard_payload(&l.heard[0], &len);
	assert_int_equal(len, 4 + 2 + 9);
	assert_memory_equal(payload, "\xfb\xff\xff\xff\x09\0some text", len);
	assert_int_equal(l.heard[0].head.pid, getpid());
	assert_int_equal(l.heard[0].head.tid, syscall(SYS_gettid));
	assert_int_equal(l.heard[0].head.flags, 0);
	listen_free(&l);
}

static void levels_and_keywords_choose_and_may_change(void **state)
{
	struct wt_enable_rule info = {.provider = "SDK-TEST", .level = WTRACE_INFO},
			      second = {.provider = "sdk-test", .any = 0x2};
	struct listener l;

	(void)state;
	registered(&app);
	listen_begin(&l, directory, "chooses", &info);
	say(1);
	whisper(2);
	listen_set(&l, &second, 1);
	say(3);
	whisper(4);
	listen_end(&l);
	assert_int_equal(l.n, 2);
	assert_int_equal(heard_number(&l.heard[0]), 1);
	assert_int_equal(heard_number(&l.heard[1]), 4);
	listen_free(&l);
}

#define SESSIONS 8

static void eight_sessions_have_the_same_event(void **state)
{
	struct listener l[SESSIONS];
	char name[24];

	(void)state;
	registered(&app);
	for (int i = 0; i < SESSIONS; i++) {
		snprintf(name, sizeof(name), "eight%d", i);
		listen_begin(&l[i], directory, name, &everything);
	}
	assert_int_equal(wtrace_sessions(&app), 0xff);
	for (int i = 0; i < SESSIONS; i++)
		say(i);
	for (int i = 0; i < SESSIONS; i++) {
		listen_end(&l[i]);
		assert_int_equal(l[i].n, SESSIONS);
		for (int j = 0; j < SESSIONS; j++)
			assert_int_equal(heard_number(&l[i].heard[j]), j);
		listen_free(&l[i]);
	}
}

static void sessions_follow_each_other(void **state)
{
	(void)state;
	registered(&app);
	for (int i = 0; i < 20; i++) {
		struct listener l;

		listen_begin(&l, directory, i % 2 ? "odd" : "even", &everything);
		say(i);
		listen_end(&l);
		assert_int_equal(l.n, 1);
		assert_int_equal(heard_number(&l.heard[0]), i);
		listen_free(&l);
	}
}

static void a_child_has_its_own_pid(void **state)
{
	struct listener l;
	pid_t child;
	int status;

	(void)state;
	registered(&app);
	listen_begin(&l, directory, "forks", &everything);
	say(1);
	child = fork();
	if (!child) {
		say(2);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	say(3);
	listen_end(&l);
	assert_int_equal(l.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(heard_number(&l.heard[i]), i + 1);
		assert_int_equal(l.heard[i].head.pid, i == 1 ? child : getpid());
		assert_int_equal(l.heard[i].head.tid, l.heard[i].head.pid);
	}
	listen_free(&l);
}

static void *talk(void *arg)
{
	int first = *(int *)arg;

	for (int i = 0; i < 100; i++)
		say(first + i);
	return NULL;
}

/* Threads come and go; each writes under its own tid. */
static void threads_come_and_go(void **state)
{
	struct listener l;
	pthread_t threads[4];
	int first[20];
	uint8_t seen[2000] = {0};

	(void)state;
	registered(&app);
	listen_begin(&l, directory, "threads", &everything);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 4; i++) {
			first[round * 4 + i] = (round * 4 + i) * 100;
			assert_int_equal(pthread_create(&threads[i], NULL, talk, &first[round * 4 + i]), 0);
		}
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	listen_end(&l);
	assert_int_equal(l.n + l.lost, 2000);
	assert_int_equal(l.lost, 0);
	for (uint32_t i = 0; i < l.n; i++) {
		assert_int_equal(seen[heard_number(&l.heard[i])]++, 0);
		assert_int_equal(l.heard[i].head.pid, getpid());
		assert_int_not_equal(l.heard[i].head.tid, getpid());
	}
	listen_free(&l);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	errno = 5;
	whisper(++signals);
	if (errno != 5)
		abort();
}

static void *send_signals(void *arg)
{
	pthread_t target = *(pthread_t *)arg;

	for (int i = 0; i < 2000; i++)
		pthread_kill(target, SIGUSR1);
	return NULL;
}

static void signal_handlers_write_in_the_middle_of_a_write(void **state)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
	pthread_t self = pthread_self(), sender;
	struct listener l;
	int said = 0, whispered = 0;

	(void)state;
	registered(&app);
	sigaction(SIGUSR1, &action, &old);
	signals = 0;
	listen_begin(&l, directory, "signals", &everything);
	assert_int_equal(pthread_create(&sender, NULL, send_signals, &self), 0);
	for (int i = 0; i < 20000; i++)
		say(i);
	pthread_join(sender, NULL);
	sigaction(SIGUSR1, &old, NULL);
	listen_end(&l);
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t len;

		heard_payload(&l.heard[i], &len);
		if (len == 4)
			whispered++;
		else
			said++;
	}
	assert_true(signals > 0);
	assert_int_equal(whispered, signals);
	assert_int_equal(said, 20000);
	listen_free(&l);
}

static void several_instances_have_one_name(void **state)
{
	struct listener l;

	(void)state;
	registered(&app);
	registered(&app_again);
	listen_begin(&l, directory, "instances", &everything);
	whisper(1);
	whisper_again(2);
	wtrace_unregister(&app_again);
	whisper_again(3);
	whisper(4);
	listen_end(&l);
	assert_int_equal(l.n, 3);
	assert_int_equal(heard_number(&l.heard[1]), 2);
	assert_int_equal(heard_number(&l.heard[2]), 4);
	assert_int_not_equal(l.heard[0].head.provider, l.heard[1].head.provider);
	listen_free(&l);
}

static void activities_stand_before_the_payload(void **state)
{
	struct wtrace_id mine, other, now;
	struct listener l;

	(void)state;
	wtrace_id_new(&mine);
	wtrace_id_new(&other);
	assert_memory_not_equal(&mine, &other, sizeof(mine));
	registered(&app);
	listen_begin(&l, directory, "activity", &everything);
	assert_int_equal(wtrace_activity_get(&now), 0);
	wtrace_activity_set(&mine);
	assert_int_equal(wtrace_activity_get(&now), 1);
	assert_memory_equal(&now, &mine, sizeof(now));
	say(1);
	whisper(2);
	wtrace_event_ids(&app, &other, &mine, "joined", WTRACE_INFO, 0, wtrace_i32("n", 3));
	wtrace_activity_set(NULL);
	whisper(4);
	listen_end(&l);
	assert_int_equal(l.n, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(heard_number(&l.heard[i]), i + 1);
	assert_int_equal(l.heard[0].head.flags, WT_ABI_RECORD_ACTIVITY);
	assert_memory_equal(l.heard[0].body, &mine, 16);
	assert_memory_equal(l.heard[1].body, &mine, 16);
	assert_int_equal(l.heard[2].head.flags, WT_ABI_RECORD_ACTIVITY | WT_ABI_RECORD_RELATED);
	assert_memory_equal(l.heard[2].body, &other, 16);
	assert_memory_equal(l.heard[2].body + 16, &mine, 16);
	assert_int_equal(l.heard[3].head.flags, 0);
	listen_free(&l);
}

static void a_childs_ids_are_its_own(void **state)
{
	struct wtrace_id mine, childs;
	int pipes[2];
	pid_t child;

	(void)state;
	registered(&app);
	wtrace_id_new(&mine);
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		wtrace_id_new(&childs);
		_exit(write(pipes[1], &childs, sizeof(childs)) != sizeof(childs));
	}
	wtrace_id_new(&mine);
	assert_int_equal(read(pipes[0], &childs, sizeof(childs)), sizeof(childs));
	waitpid(child, NULL, 0);
	assert_memory_not_equal(&mine, &childs, sizeof(mine));
	close(pipes[0]);
	close(pipes[1]);
}

static __attribute__((noinline)) void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		say(n);
	__asm__ volatile("");
}

/* The recursion shows as so many equal return addresses. */
static unsigned count_frames(const struct heard *heard, unsigned *depth)
{
	const uint8_t *stack = heard_stack(heard);
	unsigned run = 1, longest = 0;

	*depth = wt_load_u16(stack);
	for (unsigned i = 1; i < *depth; i++) {
		run = wt_load_u64(stack + 8 + 8 * i) == wt_load_u64(stack + 8 * i) ? run + 1 : 1;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void *deep_in_a_thread(void *unused)
{
	(void)unused;
	deep(14);
	return NULL;
}

static void stacks_are_walked_to_the_thread_s_root(void **state)
{
	struct listener plain, stacks;
	pthread_t thread;
	unsigned depth;

	(void)state;
	registered(&app);
	listen_begin(&plain, directory, "plain", &everything);
	listen_begin(&stacks, directory, "stacks", &with_stacks);
	deep(14);
	assert_int_equal(pthread_create(&thread, NULL, deep_in_a_thread, NULL), 0);
	pthread_join(thread, NULL);
	deep(300);
	listen_end(&plain);
	listen_end(&stacks);
	assert_int_equal(plain.n, 3);
	assert_int_equal(stacks.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(plain.heard[i].head.flags, 0);
		assert_int_equal(heard_number(&stacks.heard[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(count_frames(&stacks.heard[i], &depth), 14);
		assert_int_equal(heard_stack(&stacks.heard[i])[2], 1);
	}
	count_frames(&stacks.heard[2], &depth);
	assert_int_equal(depth, 128);
	assert_int_equal(heard_stack(&stacks.heard[2])[2], 3);
	listen_free(&plain);
	listen_free(&stacks);
}

static void on_alternate_stack(int number)
{
	(void)number;
	deep(3);
}

static void an_alternate_stack_gives_one_frame_and_spoils_nothing(void **state)
{
	struct sigaction action = {.sa_handler = on_alternate_stack, .sa_flags = SA_ONSTACK}, old;
	stack_t alternate = {.ss_size = 65536, .ss_sp = malloc(65536)}, before;
	struct listener l;
	unsigned depth;

	(void)state;
	registered(&app);
	sigaltstack(&alternate, &before);
	sigaction(SIGUSR2, &action, &old);
	listen_begin(&l, directory, "altstack", &with_stacks);
	raise(SIGUSR2);
	deep(5);
	raise(SIGUSR2);
	sigaction(SIGUSR2, &old, NULL);
	sigaltstack(&before, NULL);
	listen_end(&l);
	assert_int_equal(l.n, 3);
	assert_int_equal(wt_load_u16(heard_stack(&l.heard[0])), 1);
	assert_int_equal(heard_stack(&l.heard[0])[2], 3);
	assert_int_equal(count_frames(&l.heard[1], &depth), 5);
	assert_int_equal(wt_load_u16(heard_stack(&l.heard[2])), 1);
	listen_free(&l);
	free(alternate.ss_sp);
}

static void large_events_pass_and_larger_ones_are_counted(void **state)
{
	static char text[65000];
	struct listener l;
	uint32_t len;

	(void)state;
	memset(text, 'x', sizeof(text));
	registered(&app);
	listen_begin(&l, directory, "large", &everything);
	wtrace_event(&app, "large", WTRACE_INFO, 0, wtrace_i32("n", 1), wtrace_strn("s", text, sizeof(text)));
	wtrace_event(&app, "larger", WTRACE_INFO, 0, wtrace_i32("n", 1), wtrace_strn("s", text, sizeof(text)),
		     wtrace_strn("t", text, 1000));
	listen_end(&l);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.lost, 1);
	heard_payload(&l.heard[0], &len);
	assert_int_equal(len, 4 + 2 + sizeof(text));
	listen_free(&l);
}

/* Something else has the ring directory's name for a while: nothing can be written, and the session hears how
 * much that was when something can. */
static void events_without_rings_are_counted(void **state)
{
	enum { N = 3000 };
	char rings[96], aside[96];
	struct listener l;
	int fd;

	(void)state;
	registered(&app);
	listen_begin(&l, directory, "missing", &everything);
	snprintf(rings, sizeof(rings), "%s/missing.rings", directory);
	snprintf(aside, sizeof(aside), "%s/aside", directory);
	assert_int_equal(rename(rings, aside), 0);
	fd = open(rings, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < 100; i++)
		whisper(i);
	assert_int_equal(unlink(rings), 0);
	assert_int_equal(rename(aside, rings), 0);
	/* The longest time between two tries. */
	usleep(1100000);
	for (int i = 100; i < N; i++)
		whisper(i);
	listen_end(&l);
	assert_int_equal(l.lost, 100);
	assert_int_equal(l.n, N - 100);
	listen_free(&l);
}

#define S(n) wtrace_str("s" #n, #n)
static void thirty_two_strings_pass(void **state)
{
	struct listener l;
	const uint8_t *payload;
	uint32_t len;

	(void)state;
	registered(&app);
	listen_begin(&l, directory, "pieces", &everything);
	wtrace_event(&app, "pieces", WTRACE_INFO, 0, S(1), S(2), S(3), S(4), S(5), S(6), S(7), S(8), S(9),
		     S(10), S(11), S(12), S(13), S(14), S(15), S(16), S(17), S(18), S(19), S(20), S(21),
		     S(22), S(23), S(24), S(25), S(26), S(27), S(28), S(29), S(30), S(31), S(32));
	listen_end(&l);
	assert_int_equal(l.n, 1);
	payload = heard_payload(&l.heard[0], &len);
	assert_int_equal(len, 32 * 2 + 9 + 23 * 2);
	assert_memory_equal(payload + len - 4,
			    "\x02\0"
			    "32",
			    4);
	listen_free(&l);
}
#undef S

struct received {
	int n;
	enum wtrace_change changes[8];
};

static void take_note(struct wtrace_provider *provider, enum wtrace_change change, void *context)
{
	struct received *received = (struct received *)context;

	assert_ptr_equal(provider, &app);
	if (received->n < 8)
		received->changes[received->n++] = change;
}

static void callbacks_run_in_dispatch_only(void **state)
{
	struct received received = {0};
	struct listener l;

	(void)state;
	registered(&app);
	wtrace_on_change(&app, take_note, &received);
	assert_int_equal(wtrace_dispatch(), 0);
	listen_begin(&l, directory, "calls", &everything);
	say(1);
	assert_int_equal(received.n, 0);
	assert_int_equal(wtrace_dispatch(), 2);
	assert_int_equal(wtrace_dispatch(), 0);
	assert_int_equal(received.changes[0], WTRACE_CHANGE_ENABLED);
	assert_int_equal(received.changes[1], WTRACE_CHANGE_CAPTURE_STATE);
	listen_set(&l, &(struct wt_enable_rule){.provider = "sdk-test", .any = 2}, 1);
	assert_int_equal(wtrace_dispatch(), 1);
	assert_int_equal(received.changes[2], WTRACE_CHANGE_UPDATED);
	listen_end(&l);
	assert_int_equal(wtrace_dispatch(), 1);
	assert_int_equal(received.changes[3], WTRACE_CHANGE_DISABLED);
	listen_free(&l);
}

static void count_calls(struct wtrace_provider *provider, enum wtrace_change change, void *context)
{
	(void)provider, (void)change;
	__atomic_add_fetch((int *)context, 1, __ATOMIC_SEQ_CST);
}

static void the_helper_dispatches(void **state)
{
	struct listener l;
	int calls = 0, tries = 600;

	(void)state;
	registered(&app);
	wtrace_on_change(&app, count_calls, &calls);
	assert_int_equal(wtrace_helper_start(), 0);
	assert_int_equal(wtrace_helper_start(), 0);
	listen_begin(&l, directory, "helper", &everything);
	while (__atomic_load_n(&calls, __ATOMIC_SEQ_CST) < 2 && --tries)
		usleep(50000);
	assert_true(tries > 0);
	wtrace_helper_stop();
	wtrace_helper_stop();
	listen_end(&l);
	listen_free(&l);
}

static int take_state(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	(void)err;
	assert_int_equal(record->pid, getpid());
	assert_int_equal(record->key, 9);
	assert_int_equal(record->len, 4 + 2 + 3);
	assert_memory_equal(record->payload + 4, "\x03\0abc", 5);
	++*(int *)ctx;
	return 0;
}

static int set_config(const char *text)
{
	return wtrace_state(&app, 9, "config", WTRACE_INFO, 0, wtrace_i32("n", 1), wtrace_str("s", text));
}

static void state_is_there_for_sessions_that_come_later(void **state)
{
	struct listener l;
	int records = 0;

	(void)state;
	registered(&app);
	assert_int_equal(set_config("x"), 0);
	assert_int_equal(set_config("abc"), 0);
	listen_begin(&l, directory, "state", &everything);
	assert_int_equal(wt_control_state(l.control, take_state, &records, NULL), 0);
	assert_int_equal(records, 1);
	listen_end(&l);
	listen_free(&l);
}

static void why_it_cannot_be_is_told(void **state)
{
	static struct wtrace_provider bad = WTRACE_PROVIDER_INIT(bad, "not a name");
	static struct wtrace_provider newer = WTRACE_PROVIDER_INIT(newer, "newer");
	static struct wtrace_provider lonely = WTRACE_PROVIDER_INIT(lonely, "lonely");

	(void)state;
	newer.abi = WTRACE_ABI + 1;
	assert_int_equal(wtrace_register(&bad), -1);
	assert_non_null(strstr(wtrace_why(&bad), "'not a name' cannot be the name of a provider"));
	wtrace_unregister(&bad);
	assert_int_equal(wtrace_register(&newer), -1);
	assert_non_null(strstr(wtrace_why(&newer), "needs a newer libwtrace"));
	wtrace_unregister(&newer);
	assert_int_equal(wtrace_register(&lonely), 0);
	assert_int_equal(wtrace_register(&lonely), 0);
	wtrace_unregister(&lonely);
	wtrace_unregister(&lonely);
	assert_non_null(wtrace_why(&lonely));
	assert_string_equal(wtrace_version(), "0.1.0");
	assert_true(wtrace_now() > 0);
}

#define point(f) cmocka_unit_test_teardown(f, nobody_registered)

int main(void)
{
	const struct CMUnitTest tests[] = {
		point(nothing_is_written_before_and_after_registration),
		point(an_event_arrives_as_it_was_written),
		point(levels_and_keywords_choose_and_may_change),
		point(eight_sessions_have_the_same_event),
		point(sessions_follow_each_other),
		point(a_child_has_its_own_pid),
		point(threads_come_and_go),
		point(signal_handlers_write_in_the_middle_of_a_write),
		point(several_instances_have_one_name),
		point(activities_stand_before_the_payload),
		point(a_childs_ids_are_its_own),
		point(stacks_are_walked_to_the_thread_s_root),
		point(an_alternate_stack_gives_one_frame_and_spoils_nothing),
		point(large_events_pass_and_larger_ones_are_counted),
		point(events_without_rings_are_counted),
		point(thirty_two_strings_pass),
		point(callbacks_run_in_dispatch_only),
		point(the_helper_dispatches),
		point(state_is_there_for_sessions_that_come_later),
		point(why_it_cannot_be_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
