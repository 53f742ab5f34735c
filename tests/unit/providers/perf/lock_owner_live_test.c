// SPDX-License-Identifier: MIT
/* Owners of locks, by the words of a futex, and of threads that wait in this kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/perf/lock_owner.h"

enum { WAIT = FUTEX_WAIT | FUTEX_PRIVATE_FLAG, TIMED = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME };

static void tells(uint32_t owner, uint8_t is, uint64_t op, uint32_t value, const uint32_t *words, uint32_t n)
{
	uint8_t got = 99;

	assert_int_equal(wt_lock_owner_of(op, value, words, n, &got), owner);
	assert_int_equal(got, is);
}

static void by_the_words_of_a_mutex(void **state)
{
	const uint32_t plain[] = {2, 1, 77, 1, 0}, shared[] = {2, 1, 78, 1, 128 | 1},
		       other[] = {2, 1, 77, 1, 4}, text[] = {2, 1, 77, 1, 0x6f6c6c6f},
		       open[] = {1, 1, 77, 1, 0}, freed[] = {2, 0, 0, 0, 0};

	(void)state;
	tells(77, WT_OWNER_HINT, WAIT, 2, plain, 5);
	tells(77, WT_OWNER_HINT, TIMED, 2, plain, 5);
	tells(78, WT_OWNER_HINT, FUTEX_WAIT, 2, shared, 5);
	tells(0, WT_OWNER_NONE, WAIT, 2, other, 5);
	tells(0, WT_OWNER_NONE, WAIT, 2, text, 5);
	tells(0, WT_OWNER_NONE, WAIT, 2, open, 5);
	tells(0, WT_OWNER_NONE, WAIT, 1, open, 5); /* nobody waits for a word that says so */
	tells(0, WT_OWNER_NONE, WAIT, 2, freed, 5);
	tells(0, WT_OWNER_NONE, WAIT, 2, plain, 4); /* the rest cannot be read */
	tells(0, WT_OWNER_NONE, FUTEX_WAIT_REQUEUE_PI, 2, plain, 5);
	tells(0, WT_OWNER_NONE, FUTEX_WAKE, 2, plain, 5);
}

static void by_the_word_itself(void **state)
{
	const uint32_t robust[] = {FUTEX_WAITERS | 55, 1, 77, 1, 16}, mine[] = {55, 1, 55, 1, 16},
		       dead[] = {FUTEX_WAITERS | FUTEX_OWNER_DIED, 0, 77, 0, 16};

	(void)state;
	tells(55, WT_OWNER_HINT, WAIT, robust[0], robust, 5);
	tells(0, WT_OWNER_NONE, WAIT, robust[0] - 1, robust, 5);
	tells(0, WT_OWNER_NONE, WAIT, mine[0], mine, 5);
	tells(0, WT_OWNER_NONE, WAIT, dead[0], dead, 5);
	tells(55, WT_OWNER_WORD, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0, robust, 1);
	tells(55, WT_OWNER_WORD, 13, 0, robust, 5);
	tells(0, WT_OWNER_NONE, FUTEX_LOCK_PI, 0, mine, 5); /* nobody waits */
	tells(0, WT_OWNER_NONE, FUTEX_LOCK_PI, 0, dead, 5);
	tells(0, WT_OWNER_NONE, FUTEX_LOCK_PI, 0, robust, 0);
}

/* ---- a thread that waits ---- */

static pthread_mutex_t mutex;
static sem_t semaphore;
static _Atomic int tid;

static void *lock_mutex(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	if (pthread_mutex_lock(&mutex) == EOWNERDEAD)
		pthread_mutex_consistent(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *lock_semaphore(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	sem_wait(&semaphore);
	return arg;
}

static struct wt_lock_owner read_waiter(void *(*work)(void *), void (*release)(void))
{
	struct wt_lock_owner ret = {0};
	struct wt_thread_place place;
	uint64_t before, after;
	pthread_t thread;
	char state;

	tid = 0;
	assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
	while (!tid)
		sched_yield();
	do {
		sched_yield();
		if (!wt_thread_switches((uint32_t)getpid(), (uint32_t)tid, &before, &state) ||
		    !wt_thread_place((uint32_t)getpid(), (uint32_t)tid, false, &place))
			continue;
		wt_lock_owner_read((uint32_t)getpid(), &place, &ret);
	} while (!ret.lock || !wt_thread_switches((uint32_t)getpid(), (uint32_t)tid, &after, &state) ||
		 after != before);
	release();
	pthread_join(thread, NULL);
	return ret;
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void post(void)
{
	sem_post(&semaphore);
}

static struct wt_lock_owner read_mutex(int protocol, int robust)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutexattr_setrobust(&attr, robust);
	assert_int_equal(pthread_mutex_init(&mutex, &attr), 0);
	pthread_mutex_lock(&mutex);
	return read_waiter(lock_mutex, unlock);
}

static void is_ours(struct wt_lock_owner found, uint8_t is)
{
	assert_int_equal(found.lock, (uintptr_t)&mutex);
	assert_int_equal(found.owner, syscall(SYS_gettid));
	assert_int_equal(found.owner_is, is);
}

static void of_real_locks(void **state)
{
	struct wt_lock_owner found;

	(void)state;
	is_ours(read_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED), WT_OWNER_HINT);
	is_ours(read_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST), WT_OWNER_HINT);
	is_ours(read_mutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED), WT_OWNER_WORD);
	sem_init(&semaphore, 0, 0);
	found = read_waiter(lock_semaphore, post);
	assert_int_not_equal(found.lock, 0);
	assert_int_equal(found.owner, 0);
	assert_int_equal(found.owner_is, WT_OWNER_NONE);
}

/* The note names a thread that is not of this process: nobody's lock, or another process's. */
static void of_the_living_alone(void **state)
{
	static uint32_t words[] = {2, 1, 1, 1, 0};
	struct wt_thread_place place = {
		.call = SYS_futex, .args = {(uintptr_t)words, WAIT, 2}, .sp = 1, .pc = 1};
	struct wt_lock_owner found;

	(void)state;
	wt_lock_owner_read((uint32_t)getpid(), &place, &found);
	assert_int_equal(found.lock, (uintptr_t)words);
	assert_int_equal(found.owner, 0);
	words[2] = (uint32_t)syscall(SYS_gettid);
	wt_lock_owner_read((uint32_t)getpid(), &place, &found);
	assert_int_equal(found.owner, words[2]);
	place.args[0] = 8; /* not its memory */
	wt_lock_owner_read((uint32_t)getpid(), &place, &found);
	assert_int_equal(found.lock, 8);
	assert_int_equal(found.owner, 0);
	place.args[0] = (uintptr_t)words + 1;
	wt_lock_owner_read((uint32_t)getpid(), &place, &found);
	assert_int_equal(found.lock, 0);
	place.args[0] = (uintptr_t)words;
	place.call = SYS_read;
	wt_lock_owner_read((uint32_t)getpid(), &place, &found);
	assert_int_equal(found.lock, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_words_of_a_mutex),
		cmocka_unit_test(by_the_word_itself),
		cmocka_unit_test(of_real_locks),
		cmocka_unit_test(of_the_living_alone),
	};

	return cmocka_run_group_tests_name("lock_owner_live", tests, NULL, NULL);
}
