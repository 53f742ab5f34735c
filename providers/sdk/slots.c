// SPDX-License-Identifier: MIT
#include "providers/sdk/slots.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracecore/ring/standing.h"

static struct wt_sdk_rings *slots[WT_ENABLE_SLOTS];

/* Sessions whose rings could not be opened: each try makes system calls. */
static struct {
	uint64_t stamp;
	struct wt_patience patience;
} refused[WT_ENABLE_SLOTS];

/* True when it is not yet time to try again for this stamp. */
static bool too_early(unsigned slot, uint64_t stamp)
{
	return __atomic_load_n(&refused[slot].stamp, __ATOMIC_RELAXED) == stamp &&
	       !wt_patience_over_with_stack(&refused[slot].patience);
}

static void note(unsigned slot, uint64_t stamp, bool was_refused)
{
	__atomic_store_n(&refused[slot].stamp, stamp, __ATOMIC_RELAXED);
	wt_patience_note(&refused[slot].patience, was_refused);
}

static size_t rings_size(void)
{
	return sizeof(struct wt_sdk_rings) + wt_ring_writer_size();
}

/* Makes new rings for the session, which no other thread knows yet. */
static struct wt_sdk_rings *prepare(unsigned slot, const struct wt_enable_slot *session)
{
	struct wt_sdk_rings *rings;
	int dir_fd = wt_enable_open_rings(session);

	if (dir_fd < 0)
		return NULL;
	rings = (struct wt_sdk_rings *)mmap(NULL, rings_size(), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rings == MAP_FAILED) {
		close(dir_fd);
		return NULL;
	}
	rings->life = session->life;
	rings->slot = slot;
	if (!wt_ring_writer_init(wt_sdk_writer(rings), dir_fd, &session->spec, session->rings, NULL)) {
		wt_ring_writer_leave_missed(wt_sdk_writer(rings));
		wt_ring_writer_let_go(wt_sdk_writer(rings), wt_enable_directory(), session->rings);
		return rings;
	}
	munmap(rings, rings_size());
	return NULL;
}

/* Not inlined into the path that finds rings, because stacks may be small. */
static __attribute__((noinline)) struct wt_sdk_rings *bind(unsigned slot, uint64_t stamp)
{
	struct wt_sdk_rings *old = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE), *rings;
	struct wt_enable_slot session;

	if (wt_enable_slot(slot, &session)) {
		note(slot, stamp, true);
		return NULL;
	}
	if (old && old->life == session.life)
		return old;
	if (too_early(slot, session.stamp))
		return NULL;
	rings = prepare(slot, &session);
	note(slot, session.stamp, !rings);
	if (!rings)
		return NULL;
	/* Another thread, or a handler of this one, may have been faster; its rings are equivalent. */
	if (!__atomic_compare_exchange_n(&slots[slot], &old, rings, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		wt_ring_writer_retire(wt_sdk_writer(rings));
		munmap(rings, rings_size());
		return old && old->life == session.life ? old : NULL;
	}
	if (old)
		wt_ring_writer_retire(wt_sdk_writer(old));
	return rings;
}

struct wt_sdk_rings *wt_sdk_rings(unsigned slot)
{
	struct wt_sdk_rings *rings = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE);
	uint64_t stamp = wt_enable_stamp(slot);
	uint32_t life = (uint32_t)(stamp >> 32);
	int saved;

	if (rings && rings->life == life)
		return rings;
	/* Before the session is looked at, which takes stack. */
	if (!wt_may_call() || too_early(slot, stamp))
		return NULL;
	saved = errno;
	rings = bind(slot, stamp);
	errno = saved;
	if (rings)
		return rings;
	/* Another thread made these rings in this moment. */
	rings = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE);
	return rings && life && rings->life == life ? rings : NULL;
}
