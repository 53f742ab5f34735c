// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "providers/sdk/thread.h"
#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/** What makes this process's ids differ from all others': in a page that fork empties. */
struct origin {
	uint64_t random; /**< 0: not drawn yet */
	uint64_t count;
};

static struct origin *the_origin;

/* Threads and handlers may come here together: one page stays. NULL: no memory, or forks cannot be noticed;
 * then each id is drawn alone. */
static struct origin *origin(void)
{
	struct origin *page = __atomic_load_n(&the_origin, __ATOMIC_ACQUIRE), *none = NULL;

	if (page)
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

static uint64_t draw(void)
{
	uint64_t v = 0;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != sizeof(v) || !v)
		v = wt_clock_now() | 1;
	return v;
}

static void make_id(struct origin *from, struct wtrace_id *ret)
{
	uint64_t random = __atomic_load_n(&from->random, __ATOMIC_RELAXED), none = 0;

	if (!random) {
		random = draw();
		if (!__atomic_compare_exchange_n(&from->random, &none, random, false, __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
			random = none;
	}
	wt_store_u64(ret->bytes, random);
	wt_store_u64(ret->bytes + 8, __atomic_add_fetch(&from->count, 1, __ATOMIC_RELAXED));
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
