// SPDX-License-Identifier: MIT
#include "providers/sdk/slots.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rings that could not be had are asked for again after so many events: each try makes system calls. */
#define RETRY_EVENTS 1024u

static struct wt_sdk_rings *slots[WT_ENABLE_SLOTS];

/* Per slot: the stamp that failed, and events since. */
static struct {
	uint64_t stamp;
	uint32_t events;
} failures[WT_ENABLE_SLOTS];

/* True when the last try for this stamp failed a short while ago. */
static bool too_early(unsigned slot, uint64_t stamp)
{
	if (__atomic_load_n(&failures[slot].stamp, __ATOMIC_RELAXED) != stamp)
		return false;
	return __atomic_add_fetch(&failures[slot].events, 1, __ATOMIC_RELAXED) % RETRY_EVENTS != 0;
}

static size_t rings_size(void)
{
	return sizeof(struct wt_sdk_rings) + wt_ring_writer_size();
}

/* Fresh rings for the session, known to nobody yet. */
static struct wt_sdk_rings *prepare(const struct wt_enable_slot *session)
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
	if (!wt_ring_writer_init(wt_sdk_writer(rings), dir_fd, &session->spec, session->rings, NULL))
		return rings;
	munmap(rings, rings_size());
	return NULL;
}

static struct wt_sdk_rings *bind(unsigned slot)
{
	struct wt_sdk_rings *old = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE), *rings;
	struct wt_enable_slot session;

	if (wt_enable_slot(slot, &session) || too_early(slot, session.stamp))
		return NULL;
	if (old && old->life == session.life)
		return old;
	rings = prepare(&session);
	if (!rings) {
		__atomic_store_n(&failures[slot].stamp, session.stamp, __ATOMIC_RELAXED);
		return NULL;
	}
	/* Another thread, or a handler of this one, may have been faster; its rings are as good. */
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
	int saved;

	if (rings && rings->life == (uint32_t)(wt_enable_stamp(slot) >> 32))
		return rings;
	saved = errno;
	rings = bind(slot);
	errno = saved;
	return rings;
}
