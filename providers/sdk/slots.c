// SPDX-License-Identifier: MIT
#include "providers/sdk/slots.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rings that could not be had are asked for again after so many events: each try makes system calls. */
#define RETRY_EVENTS 1024u

static struct wt_sdk_rings *slots[WT_ENABLE_SLOTS];

/* Per slot: the stamp that failed, and events since; life << 32 and events of it that were lost. */
static struct {
	uint64_t stamp;
	uint64_t missed;
	uint32_t events;
} failures[WT_ENABLE_SLOTS];

static void miss(unsigned slot, uint32_t life)
{
	uint64_t *missed = &failures[slot].missed, seen = __atomic_load_n(missed, __ATOMIC_RELAXED), next;

	do
		next = (seen >> 32 == life ? seen : (uint64_t)life << 32) + 1;
	while ((uint32_t)next &&
	       !__atomic_compare_exchange_n(missed, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Gives what the life has lost so far to its rings. */
static void tell_missed(unsigned slot, struct wt_sdk_rings *rings)
{
	uint64_t missed = __atomic_exchange_n(&failures[slot].missed, 0, __ATOMIC_RELAXED);

	if (missed >> 32 == rings->life)
		wt_ring_writer_missed(wt_sdk_writer(rings), (uint32_t)missed);
}

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
	tell_missed(slot, rings);
	if (old)
		wt_ring_writer_retire(wt_sdk_writer(old));
	return rings;
}

/* No rings: another thread's, made in this moment, or one event more that has no place. */
static struct wt_sdk_rings *give_up(unsigned slot)
{
	struct wt_sdk_rings *rings = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE);
	uint32_t life = (uint32_t)(wt_enable_stamp(slot) >> 32);

	if (rings && rings->life == life)
		return rings;
	if (life)
		miss(slot, life);
	return NULL;
}

struct wt_sdk_rings *wt_sdk_rings(unsigned slot)
{
	struct wt_sdk_rings *rings = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE);
	int saved;

	if (rings && rings->life == (uint32_t)(wt_enable_stamp(slot) >> 32))
		return rings;
	saved = errno;
	rings = bind(slot);
	if (!rings)
		rings = give_up(slot);
	errno = saved;
	return rings;
}
