// SPDX-License-Identifier: MIT
#include "tracecore/base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
	wt_pool_work *work;
	void *own;
	struct wt_err err;
	pthread_t thread;
	bool started, failed;
};

static void *worker_main(void *arg)
{
	struct worker *worker = arg;

	worker->failed = worker->work(worker->own, &worker->err);
	return NULL;
}

int wt_pool_run(void *workers, uint32_t n, size_t size, wt_pool_work *work, struct wt_err *err)
{
	struct worker *all = calloc(n, sizeof(*all));
	int rc = 0;

	if (!all)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct worker){.work = work, .own = (char *)workers + i * size, .err = WT_ERR_INIT};
	for (uint32_t i = 1; i < n; i++)
		all[i].started = !pthread_create(&all[i].thread, NULL, worker_main, &all[i]);
	worker_main(&all[0]);
	for (uint32_t i = 0; i < n; i++) {
		if (all[i].started)
			pthread_join(all[i].thread, NULL);
		if (all[i].failed && !rc) {
			*err = all[i].err;
			rc = -1;
		}
	}
	free(all);
	return rc;
}

uint32_t wt_pool_cpus(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : (uint32_t)CPU_COUNT(&cpus);
}
