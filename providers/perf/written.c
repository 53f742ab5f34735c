// SPDX-License-Identifier: MIT
#include "providers/perf/written.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "providers/perf/map_line.h"
#include "tracecore/base/apart.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/proc.h"
#include "tracecore/base/user_times.h"
#include "tracecore/event.h"

/* An entry of pagemap. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_FILE    (UINT64_C(1) << 61)
#define ENTRIES      512
/* Number of processes whose looks are counted. */
#define LOOKED 256

/* The kernel's search through pagemap: PAGEMAP_SCAN in <linux/fs.h> of Linux 6.7 and later. */
struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, any, returned;
};
struct region {
	uint64_t start, end, categories;
};
#define SCAN         _IOWR('f', 16, struct scan)
#define SCAN_FILE    (1u << 2)
#define SCAN_PRESENT (1u << 3)
#define SCAN_SWAPPED (1u << 4)

enum pages {
	PAGES_NONE,    /* no pages: not yet, or not any more */
	PAGES_FILE,    /* all are the file's */
	PAGES_OTHER,   /* some are not */
	PAGES_UNKNOWN, /* the process has ended, or is not ours */
};

/* Searches for present pages, the file's or others. 1: some; 0: none; -1: this kernel cannot search. */
static int search(int fd, uint64_t start, uint64_t end, bool file)
{
	struct region found;
	struct scan scan = {
		.size = sizeof(scan),
		.start = start,
		.end = end,
		.vec = (uintptr_t)&found,
		.vec_len = 1,
		.max_pages = 1,
		.inverted = file ? 0 : SCAN_FILE,
		.mask = SCAN_FILE,
		.any = SCAN_PRESENT | SCAN_SWAPPED,
		.returned = SCAN_PRESENT,
	};

	_Static_assert(sizeof(struct scan) == 96 && sizeof(struct region) == 24, "as the kernel has them");
	return ioctl(fd, SCAN, &scan);
}

static enum pages read_through(int fd, uint64_t start, uint64_t end)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entries[ENTRIES];
	uint64_t most = end - start < WT_WRITTEN_BYTES ? end : start + WT_WRITTEN_BYTES;
	enum pages ret = PAGES_NONE;

	for (uint64_t at = start / page, last = most / page; at < last;) {
		uint64_t n = last - at < ENTRIES ? last - at : ENTRIES;
		ssize_t got = pread(fd, entries, n * sizeof(*entries), (off_t)(at * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			return PAGES_UNKNOWN;
		n = (uint64_t)got / sizeof(*entries);
		for (uint64_t i = 0; i < n; i++) {
			if (!(entries[i] & (PAGE_PRESENT | PAGE_SWAPPED)))
				continue;
			if (!(entries[i] & PAGE_FILE))
				return PAGES_OTHER;
			ret = PAGES_FILE;
		}
		at += n;
	}
	return ret;
}

/* An ended process has no memory to be read. Memory that was unmapped reads as if no page were there. */
static bool is_alive(int fd, uint64_t start)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entry;

	return pread(fd, &entry, sizeof(entry), (off_t)(start / page * sizeof(entry))) == sizeof(entry);
}

static enum pages pages_of(int fd, uint64_t start, uint64_t end)
{
	int other = search(fd, start, end, false);

	if (other < 0)
		return errno == ESRCH ? PAGES_UNKNOWN : read_through(fd, start, end);
	if (other)
		return PAGES_OTHER;
	return search(fd, start, end, true) > 0 ? PAGES_FILE : PAGES_NONE;
}

/* True for a line "VmFlags: rd ex mr mw me ac" of memory that counts as writable ("ac") or was mapped so as
 * not to count. */
static bool was_writable(const char *line)
{
	return strstr(line, " ac") || strstr(line, " nr");
}

/* Finds a mapping of a file in the range that could be written to, with pages that are not the file's.
 * GONE: no mappings of files cover the whole range (any more). */
static enum wt_written find_writable(FILE *smaps, uint64_t start, uint64_t end)
{
	struct wt_map_line map;
	char *line = NULL;
	uint64_t kib, other = 0, covered = start;
	bool inside = false, found = false;
	size_t cap = 0;
	ssize_t len;

	while (!found && (len = getline(&line, &cap, smaps)) > 0) {
		line[len - 1] = 0;
		if (sscanf(line, "Anonymous: %" SCNu64, &kib) == 1 ||
		    sscanf(line, "Swap: %" SCNu64, &kib) == 1) {
			other += kib;
		} else if (!strncmp(line, "VmFlags:", 8)) {
			found = inside && other && was_writable(line);
		} else if (wt_map_line_parse(line, &map)) {
			inside = map.start < end && map.end > start && map.inode && map.exec;
			other = 0;
			if (inside && map.start <= covered)
				covered = map.end;
			if (map.start >= end)
				break;
		}
	}
	free(line);
	if (found)
		return WT_WRITTEN;
	return covered >= end ? WT_WRITTEN_NOT : WT_WRITTEN_GONE;
}

/* Looks whether pages that are not the file's lie there. */
static enum wt_written look_closer(uint32_t pid, uint64_t start, uint64_t end)
{
	char path[64];
	enum wt_written found;
	FILE *smaps;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/smaps", pid);
	smaps = fopen(path, "re");
	if (!smaps)
		return WT_WRITTEN_GONE;
	found = find_writable(smaps, start, end);
	fclose(smaps);
	return found;
}

static enum wt_written look(uint32_t pid, int pagemap, uint64_t start, uint64_t end)
{
	enum wt_written ret = WT_WRITTEN_UNSEEN;
	enum pages pages = pages_of(pagemap, start, end);

	if (pages == PAGES_FILE)
		ret = WT_WRITTEN_NOT;
	else if (pages == PAGES_OTHER)
		ret = look_closer(pid, start, end);
	/* Pages that were found were there. */
	if (pages == PAGES_UNKNOWN || (pages != PAGES_FILE && ret != WT_WRITTEN && !is_alive(pagemap, start)))
		ret = WT_WRITTEN_GONE;
	return ret;
}

struct question {
	uint32_t pid, n;
	struct wt_stretch stretches[WT_WRITTEN_MOST];
};

static size_t size_of(uint32_t n)
{
	return offsetof(struct question, stretches) + n * sizeof(struct wt_stretch);
}

/* Answers with a byte for each stretch. */
static size_t look_apart(const void *in, size_t len, void *out, int *fd)
{
	const struct question *question = in;
	uint8_t *answers = out;
	char path[64];
	int pagemap;

	(void)fd;
	if (len < size_of(0) || question->n > WT_WRITTEN_MOST || len != size_of(question->n))
		return 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", question->pid);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	for (uint32_t i = 0; i < question->n; i++) {
		const struct wt_stretch *it = &question->stretches[i];

		answers[i] = (uint8_t)(pagemap < 0 ? WT_WRITTEN_GONE
						   : look(question->pid, pagemap, it->start, it->end));
	}
	if (pagemap >= 0)
		close(pagemap);
	return question->n;
}

/* Asks a helper, because a process can keep its table of mappings locked. */
static void ask(uint32_t pid, struct wt_stretch *stretches, uint32_t n)
{
	static uint8_t answer[WT_APART_OUT];
	struct question question = {.pid = pid, .n = n};
	size_t len;

	memcpy(question.stretches, stretches, n * sizeof(*stretches));
	if (!wt_apart_ask(pid, look_apart, &question, size_of(n), answer, &len, NULL) || len != n)
		return;
	for (uint32_t i = 0; i < n; i++)
		stretches[i].written = (enum wt_written)answer[i];
}

/* A process that was looked at. Another process may take over its place, with the remaining looks if it is
 * of that user: a user with two processes for one place gains nothing. */
struct looked {
	uint32_t pid, left, uid;
	uint64_t since, uid_from;
};

static struct looked *process_of(uint32_t pid, uint64_t now)
{
	static struct looked processes[LOOKED];
	struct looked *it = &processes[pid % LOOKED];
	uint32_t uid;

	/* The process may have changed its user, or another process may have the pid. */
	if (it->pid == pid && it->uid != UINT32_MAX && now - it->uid_from <= WT_NSEC)
		return it;
	uid = wt_proc_uid(pid);
	if (it->pid != pid && it->uid != uid) {
		it->left = WT_WRITTEN_LOOKS;
		it->since = now;
	}
	it->pid = pid;
	it->uid = uid;
	it->uid_from = now;
	return it;
}

static bool may_look(struct looked *it, uint64_t now)
{
	uint64_t back = (now - it->since) / (WT_NSEC / WT_WRITTEN_LOOKS);

	it->since += back * (WT_NSEC / WT_WRITTEN_LOOKS);
	it->left = back < WT_WRITTEN_LOOKS - it->left ? it->left + (uint32_t)back : WT_WRITTEN_LOOKS;
	if (!it->left)
		return false;
	it->left--;
	return true;
}

uint32_t wt_perf_seen_flag(enum wt_written written)
{
	if (written == WT_WRITTEN_UNSEEN)
		return WT_EVENT_UNSEEN;
	return written == WT_WRITTEN_GONE ? WT_EVENT_GONE : 0;
}

/* The time of other users, and of trusted ones. */
static struct {
	bool begun;
	struct wt_user_times users;
	struct wt_user_time trusted;
} times;

static struct wt_user_time *time_of(uint32_t uid, uint64_t now)
{
	struct wt_user_time *time;

	if (!times.begun) {
		wt_user_times_init(&times.users, WT_WRITTEN_SECOND, WT_WRITTEN_SAVED, WT_WRITTEN_ALL_SECOND,
				   WT_WRITTEN_ALL_SAVED);
		wt_allowance_init(&times.trusted.allowance, WT_WRITTEN_TRUSTED_SECOND,
				  WT_WRITTEN_TRUSTED_SAVED, 0, now);
	}
	times.begun = true;
	time = wt_user_times_of(&times.users, uid);
	if (time)
		return time;
	wt_allowance_fill(&times.trusted.allowance, now);
	return &times.trusted;
}

struct wt_allowance *wt_perf_written_time(uint32_t pid)
{
	uint64_t now = wt_clock_now();

	return &time_of(process_of(pid, now)->uid, now)->allowance;
}

/* True for a process that just had no user: there is nothing to ask about. */
static bool has_ended(const struct looked *process)
{
	char path[32];

	if (process->uid != UINT32_MAX)
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu32, process->pid);
	return access(path, F_OK) && errno == ENOENT;
}

void wt_perf_look_written(uint32_t pid, struct wt_stretch *stretches, size_t n)
{
	uint64_t now = wt_clock_now();
	struct looked *process = process_of(pid, now);
	struct wt_user_time *time = time_of(process->uid, now);
	uint32_t may = 0;
	bool gone = has_ended(process);

	for (size_t i = 0; i < n; i++)
		stretches[i].written = gone ? WT_WRITTEN_GONE : WT_WRITTEN_UNSEEN;
	if (gone || wt_user_time_is_spent(time))
		return;
	while (may < n && may < WT_WRITTEN_MOST && may_look(process, now))
		may++;
	if (!may)
		return;
	ask(pid, stretches, may);
	/* It may have ended since its user was read. */
	if (stretches[0].written == WT_WRITTEN_GONE)
		process->uid_from = 0;
	wt_allowance_spend(&time->allowance, wt_apart_took());
}

enum wt_written wt_perf_is_written(uint32_t pid, uint64_t start, uint64_t end)
{
	struct wt_stretch stretch = {.start = start, .end = end, .written = WT_WRITTEN_NOT};

	if (start < end)
		wt_perf_look_written(pid, &stretch, 1);
	return stretch.written;
}
