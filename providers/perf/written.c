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
#include "tracecore/event.h"

/* An entry of pagemap. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_FILE    (UINT64_C(1) << 61)
#define ENTRIES      512
/* Processes whose looks are counted. */
#define LOOKED 256

/* The kernel's search through pagemap: <linux/fs.h> of Linux 6.7 and later has it as PAGEMAP_SCAN. */
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

/* 1: a page is not the file's; 0: all are; -1: this kernel does not search. */
static int search(int fd, uint64_t start, uint64_t end)
{
	struct region found;
	struct scan scan = {
		.size = sizeof(scan),
		.start = start,
		.end = end,
		.vec = (uintptr_t)&found,
		.vec_len = 1,
		.max_pages = 1,
		.inverted = SCAN_FILE,
		.mask = SCAN_FILE,
		.any = SCAN_PRESENT | SCAN_SWAPPED,
		.returned = SCAN_PRESENT,
	};

	_Static_assert(sizeof(struct scan) == 96 && sizeof(struct region) == 24, "as the kernel has them");
	return ioctl(fd, SCAN, &scan);
}

static int read_through(int fd, uint64_t start, uint64_t end)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entries[ENTRIES];
	uint64_t most = end - start < WT_WRITTEN_BYTES ? end : start + WT_WRITTEN_BYTES;

	for (uint64_t at = start / page, last = most / page; at < last;) {
		uint64_t n = last - at < ENTRIES ? last - at : ENTRIES;
		ssize_t got = pread(fd, entries, n * sizeof(*entries), (off_t)(at * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			return -1;
		n = (uint64_t)got / sizeof(*entries);
		for (uint64_t i = 0; i < n; i++)
			if (entries[i] & (PAGE_PRESENT | PAGE_SWAPPED) && !(entries[i] & PAGE_FILE))
				return 1;
		at += n;
	}
	return 0;
}

/* As search; -1: the process is gone, or not ours. */
static int has_other_pages(uint32_t pid, uint64_t start, uint64_t end)
{
	char path[64];
	int fd, found;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	found = search(fd, start, end);
	if (found < 0 && errno != ESRCH)
		found = read_through(fd, start, end);
	close(fd);
	return found;
}

/* A line "VmFlags: rd ex mr mw me ac": it counts as memory that may be written to, or was mapped so as not
 * to count. */
static bool was_writable(const char *line)
{
	return strstr(line, " ac") || strstr(line, " nr");
}

/* A mapping of a file in the range that could be written to, with pages that are not the file's. */
static bool find_writable(FILE *smaps, uint64_t start, uint64_t end)
{
	struct wt_map_line map;
	char *line = NULL;
	uint64_t kib, other = 0;
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
			if (map.start >= end)
				break;
		}
	}
	free(line);
	return found;
}

static enum wt_written look(uint32_t pid, uint64_t start, uint64_t end)
{
	int others = has_other_pages(pid, start, end);
	char path[64];
	FILE *smaps;
	bool found;

	if (others <= 0)
		return others ? WT_WRITTEN_GONE : WT_WRITTEN_NOT;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/smaps", pid);
	smaps = fopen(path, "re");
	if (!smaps)
		return WT_WRITTEN_GONE;
	found = find_writable(smaps, start, end);
	fclose(smaps);
	return found ? WT_WRITTEN : WT_WRITTEN_NOT;
}

struct stretch {
	uint64_t start, end;
	uint32_t pid;
};

static size_t look_apart(const void *in, size_t len, void *out, int *fd)
{
	struct stretch stretch;

	(void)fd;
	if (len != sizeof(stretch))
		return 0;
	memcpy(&stretch, in, sizeof(stretch));
	*(uint8_t *)out = (uint8_t)look(stretch.pid, stretch.start, stretch.end);
	return 1;
}

/* A process can keep its table of mappings locked. */
static enum wt_written ask(uint32_t pid, uint64_t start, uint64_t end)
{
	const struct stretch stretch = {.start = start, .end = end, .pid = pid};
	static uint8_t answer[WT_APART_OUT];
	size_t len;

	if (!wt_apart_ask(pid, look_apart, &stretch, sizeof(stretch), answer, &len, NULL) || len != 1)
		return WT_WRITTEN_UNSEEN;
	return (enum wt_written)answer[0];
}

/* A process that was looked at; another one may take its place, and with it what is left. */
struct looked {
	uint32_t pid, left;
	uint64_t since;
};

static bool may_look(uint32_t pid, uint64_t now)
{
	static struct looked processes[LOOKED];
	struct looked *it = &processes[pid % LOOKED];
	uint64_t back;

	if (it->pid != pid) {
		*it = (struct looked){pid, WT_WRITTEN_LOOKS - 1, now};
		return true;
	}
	back = (now - it->since) / (WT_NSEC / WT_WRITTEN_LOOKS);
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

enum wt_written wt_perf_is_written(uint32_t pid, uint64_t start, uint64_t end)
{
	static uint64_t left = WT_WRITTEN_SAVED, last;
	uint64_t now = wt_clock_now(), took;
	enum wt_written found;

	left += last ? (now - last) / (WT_NSEC / WT_WRITTEN_SECOND) : 0;
	left = left < WT_WRITTEN_SAVED ? left : WT_WRITTEN_SAVED;
	last = now;
	if (start >= end)
		return WT_WRITTEN_NOT;
	if (!left || !may_look(pid, now))
		return WT_WRITTEN_UNSEEN;
	found = ask(pid, start, end);
	took = wt_apart_took();
	left -= took < left ? took : left;
	return found;
}
