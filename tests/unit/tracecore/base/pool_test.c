// SPDX-License-Identifier: MIT
#include "tracecore/base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct shared {
	pthread_mutex_t lock;
	uint32_t next, most;
	uint64_t sum;
};

struct worker {
	struct shared *shared;
	uint32_t runs;
	int rc;
	pthread_t thread;
};

static int work(void *arg, struct wt_err *err)
{
	struct worker *worker = arg;
	struct shared *shared = worker->shared;

	worker->runs++;
	worker->thread = pthread_self();
	if (worker->rc)
		return wt_fail(err, WT_ERR_FORMAT, "number %d", worker->rc);
	pthread_mutex_lock(&shared->lock);
	for (; shared->next < shared->most; shared->next++)
		shared->sum += shared->next;
	pthread_mutex_unlock(&shared->lock);
	return 0;
}

static void test_each_works_once(void **state)
{
	enum { N = 9 };
	struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .most = 1000};
	struct worker workers[N] = {0};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	for (int i = 0; i < N; i++)
		workers[i].shared = &shared;
	assert_int_equal(wt_pool_run(workers, N, sizeof(*workers), work, &err), 0);
	assert_int_equal(shared.sum, 999 * 1000 / 2);
	for (int i = 0; i < N; i++)
		assert_int_equal(workers[i].runs, 1);
	assert_true(pthread_equal(workers[0].thread, pthread_self()));
	assert_int_equal(err.code, WT_OK);
}

static void test_first_failure_is_told(void **state)
{
	struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct worker workers[4] = {{.shared = &shared},
				    {.shared = &shared},
				    {.shared = &shared, .rc = 2},
				    {.shared = &shared, .rc = 3}};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_pool_run(workers, 4, sizeof(*workers), work, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_string_equal(err.text, "number 2");
	for (int i = 0; i < 4; i++)
		assert_int_equal(workers[i].runs, 1);
}

static void test_one_is_the_caller(void **state)
{
	struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .most = 10};
	struct worker worker = {.shared = &shared};

	(void)state;
	assert_int_equal(wt_pool_run(&worker, 1, sizeof(worker), work, NULL), 0);
	assert_true(pthread_equal(worker.thread, pthread_self()));
	assert_int_equal(shared.sum, 45);
	assert_true(wt_pool_cpus() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_works_once),
		cmocka_unit_test(test_first_failure_is_told),
		cmocka_unit_test(test_one_is_the_caller),
	};

	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
