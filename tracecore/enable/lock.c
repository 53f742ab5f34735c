// SPDX-License-Identifier: MIT
#include "tracecore/enable/lock.h"

#include <stdbool.h>
#include <time.h>

#include "tracecore/ring/self.h"

static uint32_t owner; /* pid of the holder; 0: free */

void wt_enable_lock(void)
{
	uint32_t self = wt_ring_pid(), seen = 0;

	while (!__atomic_compare_exchange_n(&owner, &seen, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		struct timespec moment = {.tv_nsec = 20000};

		/* The lock was held by a thread of the parent that does not exist in this process: nobody
		 * will free it. */
		if (seen != self && __atomic_compare_exchange_n(&owner, &seen, self, false, __ATOMIC_ACQUIRE,
								__ATOMIC_RELAXED))
			return;
		nanosleep(&moment, NULL);
		seen = 0;
	}
}

void wt_enable_unlock(void)
{
	__atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
}
