// SPDX-License-Identifier: MIT
#include "tracecore/enable/changes.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleepers are told apart by one bit of 32. */
static uint32_t own_bit(void)
{
	return 1u << (uint32_t)getpid() % 32;
}

void wt_changes_count(uint32_t *word, enum wt_changes_for whom)
{
	uint32_t bits = whom == WT_CHANGES_EVERYBODY ? FUTEX_BITSET_MATCH_ANY : own_bit();

	/* The bits of providers are stored before: a reader of this count that then reads the bits sees
	 * them (E4). */
	__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, bits);
}

void wt_changes_count_foreign(uint32_t *word)
{
	const uint32_t add_one = (uint32_t)FUTEX_OP_ADD << 28 | 1u << 12;
	uint32_t nobody_waits_here = 0;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	syscall(SYS_futex, &nobody_waits_here, FUTEX_WAKE_OP, 0, NULL, word, add_one);
	syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

void wt_changes_wait(const uint32_t *word, uint32_t seen)
{
	const struct timespec a_while = {.tv_nsec = 100000000};

	if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, NULL, NULL, own_bit()) < 0 && errno != EAGAIN &&
	    errno != EINTR)
		nanosleep(&a_while, NULL); /* the file was cut, or the call is forbidden here */
}
