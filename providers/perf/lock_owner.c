// SPDX-License-Identifier: MIT
#include "providers/perf/lock_owner.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/remote.h"

/* Linux 5.16 added this one. */
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

/* glibc: the word of a mutex for which somebody waits, and the bits of its kind. */
enum { CONTENDED = 2, TYPES = 3, ROBUST = 16, PRIO_PROTECT = 64, SHARED = 128, ELISION = 0x300 };

enum { WORD, COUNT, OWNER, USERS, KIND };

static uint32_t by_word(const uint32_t *words)
{
	return words[WORD] & FUTEX_WAITERS ? words[WORD] & FUTEX_TID_MASK : 0;
}

static uint32_t by_note(uint32_t value, const uint32_t *words)
{
	uint32_t kind = words[KIND];

	/* A call that does not wait for this value any more is about to end. */
	if (words[WORD] != value || kind & ~(uint32_t)(TYPES | ROBUST | PRIO_PROTECT | SHARED | ELISION))
		return 0;
	if (kind & ROBUST)
		return by_word(words);
	return value == CONTENDED ? words[OWNER] & FUTEX_TID_MASK : 0;
}

uint32_t wt_lock_owner_of(uint64_t op, uint32_t value, const uint32_t *words, uint32_t n, uint8_t *is)
{
	uint32_t command = (uint32_t)op & FUTEX_CMD_MASK, owner = 0;

	*is = WT_OWNER_NONE;
	if ((command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2) && n) {
		*is = WT_OWNER_WORD;
		owner = by_word(words);
	} else if ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && n == WT_LOCK_WORDS) {
		*is = WT_OWNER_HINT;
		owner = by_note(value, words);
	}
	if (!owner)
		*is = WT_OWNER_NONE;
	return owner;
}

/* Numbers in the memory of a process are those of its own namespace. True: they are the machine's, too. */
static bool has_our_numbers(uint32_t pid)
{
	char path[64], line[256];
	bool ours = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6))
			ours = strspn(line + 6, "\t0123456789\n") == strlen(line + 6) &&
			       strchr(line + 7, '\t') == NULL;
	if (file)
		fclose(file);
	return ours;
}

/* A word with the number of a thread of another process: a lock that processes share. */
static bool lives(uint32_t pid, uint32_t owner, uint8_t is)
{
	char path[64];

	if (is == WT_OWNER_WORD)
		snprintf(path, sizeof(path), "/proc/%" PRIu32, owner);
	else
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32, pid, owner);
	return access(path, F_OK) == 0;
}

void wt_lock_owner_read(uint32_t pid, const struct wt_thread_place *place, struct wt_lock_owner *ret)
{
	uint32_t words[WT_LOCK_WORDS] = {0};
	uint32_t got;

	*ret = (struct wt_lock_owner){0};
	if (place->call != SYS_futex || !place->sp || !place->args[0] || place->args[0] % sizeof(words[0]))
		return;
	ret->lock = place->args[0];
	got = wt_remote_read(pid, ret->lock, sizeof(words), words);
	if (got < sizeof(words[0]))
		return;
	ret->owner = wt_lock_owner_of(place->args[1], (uint32_t)place->args[2], words,
				      got / (uint32_t)sizeof(words[0]), &ret->owner_is);
	if (!ret->owner || (has_our_numbers(pid) && lives(pid, ret->owner, ret->owner_is)))
		return;
	ret->owner = 0;
	ret->owner_is = WT_OWNER_NONE;
}
