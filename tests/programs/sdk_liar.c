/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A program whose regions are made to be paired wrongly, for tests of regions.
 *
 *   sdk_liar SEED STEPS [THREADS]
 *
 * Threads begin and end regions of four names at random, recursive, most of them in activities that all
 * threads share, and so do children made by fork inside of them. Each of these ends in the thread that it
 * began in, innermost first. Some regions of an activity of their own are handed from thread to thread. Each
 * START has a number of its own in the field `id`, and in `parent` the number of the region around it in its
 * thread (0: none); each STOP has the number of its START in `id`.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/sdk/wtrace.h"

enum { MAX_THREADS = 16, DEPTH = 24, ACTIVITIES = 3, NAMES = 4 };

static struct wtrace_provider liar = WTRACE_PROVIDER_INIT(liar, "liar");
static struct wtrace_id shared[ACTIVITIES];
static uint64_t *next_id; /* of all processes */

struct open {
	int name, activity; /* activity -1: none */
	uint64_t id;
};

struct walker {
	uint32_t random;
	uint32_t steps;
	bool is_child;
	int n;
	struct open open[DEPTH];
};

static uint32_t draw(struct walker *walker, uint32_t below)
{
	walker->random = walker->random * 1664525 + 1013904223;
	return (walker->random >> 8) % below;
}

static void start_event(int name, uint64_t id, uint64_t parent)
{
	switch (name) {
	case 0:
		wtrace_event_start(&liar, "a_start", WTRACE_INFO, 1, wtrace_u64("id", id),
				   wtrace_u64("parent", parent));
		break;
	case 1:
		wtrace_event_start(&liar, "b_start", WTRACE_INFO, 2, wtrace_u64("id", id),
				   wtrace_u64("parent", parent));
		break;
	case 2:
		wtrace_event_start(&liar, "c_start", WTRACE_INFO, 4, wtrace_u64("id", id),
				   wtrace_u64("parent", parent));
		break;
	default:
		wtrace_event_start(&liar, "d_start", WTRACE_INFO, 8, wtrace_u64("id", id),
				   wtrace_u64("parent", parent));
	}
}

static void stop_event(int name, uint64_t id)
{
	switch (name) {
	case 0:
		wtrace_event_stop(&liar, "a_stop", WTRACE_INFO, 16, wtrace_u64("id", id));
		break;
	case 1:
		wtrace_event_stop(&liar, "b_stop", WTRACE_INFO, 32, wtrace_u64("id", id));
		break;
	case 2:
		wtrace_event_stop(&liar, "c_stop", WTRACE_INFO, 64, wtrace_u64("id", id));
		break;
	default:
		wtrace_event_stop(&liar, "d_stop", WTRACE_INFO, 128, wtrace_u64("id", id));
	}
}

static void be(int activity)
{
	wtrace_activity_set(activity < 0 ? NULL : &shared[activity]);
}

static void begin(struct walker *walker)
{
	int outer = walker->n ? walker->open[walker->n - 1].activity : (int)draw(walker, ACTIVITIES + 1) - 1;
	struct open *open = &walker->open[walker->n];

	open->name = (int)draw(walker, NAMES);
	open->activity = outer;
	open->id = __atomic_add_fetch(next_id, 1, __ATOMIC_RELAXED);
	be(open->activity);
	start_event(open->name, open->id, walker->n ? walker->open[walker->n - 1].id : 0);
	walker->n++;
}

static void end(struct walker *walker)
{
	const struct open *open = &walker->open[--walker->n];

	be(open->activity);
	stop_event(open->name, open->id);
}

/* One region lies here, begun by one thread, to be ended by whoever comes next. */
static pthread_mutex_t handed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	struct wtrace_id activity;
	uint64_t id;
	int name;
} handed;

static void hand_over(struct walker *walker)
{
	pthread_mutex_lock(&handed_lock);
	if (handed.id) {
		wtrace_activity_set(&handed.activity);
		stop_event(handed.name, handed.id);
		handed.id = 0;
	} else if (!walker->n) {
		wtrace_id_new(&handed.activity);
		wtrace_activity_set(&handed.activity);
		handed.name = (int)draw(walker, NAMES);
		handed.id = __atomic_add_fetch(next_id, 1, __ATOMIC_RELAXED);
		start_event(handed.name, handed.id, 0);
	}
	pthread_mutex_unlock(&handed_lock);
}

static void walk(struct walker *walker);

/* A child that begins inside of its parent's regions, and never ends those. */
static void fork_child(struct walker *walker)
{
	pid_t pid = fork();

	if (!pid) {
		struct walker own = {
			.random = walker->random ^ (uint32_t)getpid(), .steps = 20, .is_child = true};

		walk(&own);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void walk(struct walker *walker)
{
	for (uint32_t i = 0; i < walker->steps; i++) {
		uint32_t what = draw(walker, 1000);

		if (what < 500 && walker->n < DEPTH)
			begin(walker);
		else if (walker->n)
			end(walker);
		if (what == 999 && !walker->is_child)
			fork_child(walker);
		else if (what > 980 && !walker->is_child)
			hand_over(walker);
		else if (what > 960)
			sched_yield();
	}
	while (walker->n)
		end(walker);
}

static void *run(void *arg)
{
	walk(arg);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct walker walkers[MAX_THREADS];
	uint32_t seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	uint32_t steps = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 4;
	pthread_t threads[MAX_THREADS];

	if (!steps || !n || n > MAX_THREADS) {
		fputs("usage: sdk_liar SEED STEPS [THREADS]\n", stderr);
		return 2;
	}
	next_id = mmap(NULL, sizeof(*next_id), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (next_id == MAP_FAILED || wtrace_register(&liar))
		return 1;
	for (int i = 0; i < ACTIVITIES; i++)
		wtrace_id_new(&shared[i]);
	for (uint32_t i = 0; i < n; i++) {
		walkers[i] = (struct walker){.random = seed * 977 + i, .steps = steps};
		if (pthread_create(&threads[i], NULL, run, &walkers[i]))
			return 1;
	}
	for (uint32_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	wtrace_unregister(&liar);
	return 0;
}
