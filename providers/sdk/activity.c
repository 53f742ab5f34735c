// SPDX-License-Identifier: MIT
/* Ids of activities, and the activity of each thread. */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "providers/sdk/thread.h"
#include "tracecore/base/bytes.h"
#include "tracecore/ring/section.h"
#include "tracecore/ring/self.h"
#include "tracecore/ring/standing.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/** Makes this process's ids differ from those of all others. Lies in a page that fork empties. */
struct origin {
	uint64_t random; /**< 0: not drawn yet */
	uint64_t count;
};

static struct origin *the_origin;
/* The last random value drawn by this process or an ancestor, and the number of its forks and draws. */
static uint64_t drawn, steps;

/* Several threads and handlers may come here at once: one page stays. NULL: no memory, or forks cannot be
 * detected; then each id is drawn separately. */
static struct origin *origin(void)
{
	struct origin *page = __atomic_load_n(&the_origin, __ATOMIC_ACQUIRE), *none = NULL;

	if (page || !wt_may_call())
		return page;
	page = (struct origin *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (!madvise(page, 4096, MADV_WIPEONFORK) &&
	    __atomic_compare_exchange_n(&the_origin, &none, page, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return page;
	munmap(page, 4096);
	return none;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ a >> 29;
}

/* Draws from values that distinguish this process from all others, without a system call, and without the
 * clock where that is forbidden: its image, its pid, addresses in it, and its ids before a fork. */
static uint64_t draw_at_hand(void)
{
	uint64_t token = wt_ring_image_token(), v = mix(__atomic_load_n(&drawn, __ATOMIC_RELAXED), token);

	v = mix(v, __atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED));
	v = mix(v, (uintptr_t)&v);
	v = mix(v, token ? wt_ring_pid() : 0);
	return wt_may_read_clock() ? mix(v, wt_section_tick()) : v;
}

/* Never 0. */
static uint64_t draw(void)
{
	uint64_t v = 0;

	if (!wt_may_call() || getrandom(&v, sizeof(v), GRND_NONBLOCK) != sizeof(v) || !v)
		v = draw_at_hand();
	v = v ? v : 1;
	__atomic_store_n(&drawn, v, __ATOMIC_RELAXED);
	return v;
}

static uint64_t random_of(struct origin *from)
{
	uint64_t random = __atomic_load_n(&from->random, __ATOMIC_RELAXED), none = 0;

	if (!random) {
		random = draw();
		if (!__atomic_compare_exchange_n(&from->random, &none, random, false, __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
			random = none;
	}
	return random;
}

static void make_id(struct origin *from, struct wtrace_id *ret)
{
	wt_store_u64(ret->bytes, random_of(from));
	wt_store_u64(ret->bytes + 8, __atomic_add_fetch(&from->count, 1, __ATOMIC_RELAXED));
}

void wt_sdk_draw_ids(void)
{
	struct origin *from = origin();

	if (from)
		random_of(from);
	else
		draw();
}

void wt_sdk_ids_before_fork(void)
{
	__atomic_fetch_add(&steps, 1, __ATOMIC_RELAXED);
}

void wt_sdk_forget_ids(void)
{
	struct origin *from = __atomic_load_n(&the_origin, __ATOMIC_ACQUIRE);

	if (from)
		__atomic_store_n(&from->random, 0, __ATOMIC_RELAXED);
}

void wtrace_id_new(struct wtrace_id *ret)
{
	int saved = errno;
	struct origin alone = {0}, *from = origin();

	make_id(from ? from : &alone, ret);
	errno = saved;
}

/* A handler may write an event at any point here: it sees the old activity, none, or the new one. */
void wtrace_activity_set(const struct wtrace_id *id)
{
	struct wt_sdk_thread *thread = &wt_sdk_thread;

	thread->has_activity = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!id)
		return;
	thread->activity = *id;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->has_activity = 1;
}

int wtrace_activity_get(struct wtrace_id *ret)
{
	if (!wt_sdk_thread.has_activity)
		return 0;
	*ret = wt_sdk_thread.activity;
	return 1;
}
