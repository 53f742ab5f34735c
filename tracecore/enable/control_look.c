// SPDX-License-Identifier: MIT
/* Finds out from outside what each process may do, and publishes it in the process's entry: ENABLE.md
 * section 9. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"
#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/entry.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/outside.h"
#include "tracecore/enable/process.h"
#include "tracecore/ring/self.h"

/* The interval between looks at a process: in its first two seconds, and later. */
#define YOUNG_NS (WT_NSEC / 25)
#define OLD_NS   WT_NSEC
#define YOUNG    200u /* hundredths of a second */
/* Time for one call, ns. The first call looks at all processes. */
#define FIRST_NS WT_NSEC
#define CALL_NS  UINT64_C(2000000)
/* The number of bound processes that are kept by pid. */
#define BOUND 256u

struct wt_control_looking {
	struct wt_outside outside;
	bool begun;
	uint32_t next;   /* the entry at which the next call continues */
	uint32_t pid_ns; /* ours */
	uint32_t n_bound, bound[BOUND];
	uint64_t looked[WT_ABI_PROCESS_ENTRIES]; /* session clock */
	uint8_t copy[WT_ENTRY_FILE_BYTES];
};

void wt_control_end_looking(struct wt_control *control)
{
	free(control->looking);
	control->looking = NULL;
}

static struct wt_control_looking *looking_of(struct wt_control *control)
{
	struct wt_control_looking *looking = control->looking;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (looking)
		return looking;
	looking = calloc(1, sizeof(*looking));
	if (!looking)
		return NULL;
	looking->outside.need = wt_outside_need(cpus > 0 ? (uint32_t)cpus : 1, control->row.block_bytes,
						control->row.max_blocks);
	looking->pid_ns = (uint32_t)wt_ring_pid_namespace();
	control->looking = looking;
	return looking;
}

static struct wt_abi_process entry_at(const struct wt_control_looking *looking, uint32_t i)
{
	struct wt_abi_process entry;

	memcpy(&entry, looking->copy + sizeof(struct wt_abi_processes) + i * sizeof(entry), sizeof(entry));
	return entry;
}

/* The published standing; -1: this process has not been looked at. */
static int published(const struct wt_abi_process *entry)
{
	return entry->standing >> 8 == wt_entry_tag(entry->process) ? (int)(entry->standing & 0xff) : -1;
}

static bool is_young(const struct wt_abi_process *entry)
{
	return (uint32_t)(wt_process_mark() >> 32) - (uint32_t)(entry->process >> 32) < YOUNG;
}

static void publish(int fd, uint32_t i, const struct wt_abi_process *entry, unsigned standing)
{
	uint64_t word = wt_entry_tag(entry->process) << 8 | standing;

	/* A failure is ignored: nobody reads a file that was truncated. */
	if (word != entry->standing)
		(void)wt_directory_write(fd, &word, sizeof(word),
					 (off_t)(sizeof(struct wt_abi_processes) + i * sizeof(*entry) +
						 offsetof(struct wt_abi_process, standing)));
}

static void note_bound(struct wt_control_looking *looking, uint32_t pid, unsigned standing)
{
	uint32_t i = 0;

	while (i < looking->n_bound && looking->bound[i] != pid)
		i++;
	if (standing & (WT_STANDING_NO_CALLS | WT_STANDING_NO_MEMORY) && !(standing & WT_ENTRY_GONE)) {
		if (i == looking->n_bound && i < BOUND)
			looking->bound[looking->n_bound++] = pid;
	} else if (i < looking->n_bound) {
		looking->bound[i] = looking->bound[--looking->n_bound];
	}
}

/* Processes in other pid namespaces cannot be found by their pids. The published standing stays when a
 * process has ended: children without their own entry use it. */
static void look_at(struct wt_control_looking *looking, int fd, uint32_t i,
		    const struct wt_abi_process *entry)
{
	uint32_t pid = (uint32_t)entry->process;
	int before = published(entry);
	unsigned standing = WT_ENTRY_GONE | (before > 0 ? (unsigned)before : 0);

	if ((uint32_t)entry->facts != looking->pid_ns ||
	    entry->facts >> 48 != (entry->process >> 32 & 0xffff))
		return;
	if (wt_process_mark_alive(entry->process))
		standing = wt_outside_look(&looking->outside, pid, (uint32_t)(entry->facts >> 32 & 0xffff));
	if (!standing)
		return;
	note_bound(looking, pid, standing);
	publish(fd, i, entry, standing);
}

/* Copies the present entries. */
static int read_entries(struct wt_control *control, struct wt_control_looking *looking)
{
	int fd = wt_directory_open_file(control->directory, "processes", O_RDWR, control->owner);

	if (fd >= 0 && wt_directory_read(fd, looking->copy, sizeof(looking->copy), 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_due(const struct wt_control_looking *looking, uint32_t i, const struct wt_abi_process *entry,
		   uint64_t now)
{
	int standing = published(entry);

	if (!entry->process || (standing > 0 && (unsigned)standing & WT_ENTRY_GONE))
		return false;
	return standing < 0 || now - looking->looked[i] >= (is_young(entry) ? YOUNG_NS : OLD_NS);
}

/* Continues where the last call stopped, so that every process has its turn however little time there is. */
void wt_control_look(struct wt_control *control)
{
	struct wt_control_looking *looking = looking_of(control);
	int fd = looking ? read_entries(control, looking) : -1;
	uint64_t begin = wt_clock_now(), now = begin;

	if (fd < 0)
		return;
	looking->outside.group[0] = 0;
	for (uint32_t n = 0; n < WT_ABI_PROCESS_ENTRIES; n++) {
		uint32_t i = looking->next;
		struct wt_abi_process entry = entry_at(looking, i);

		looking->next = (i + 1) % WT_ABI_PROCESS_ENTRIES;
		if (!is_due(looking, i, &entry, now))
			continue;
		look_at(looking, fd, i, &entry);
		looking->looked[i] = now = wt_clock_now();
		if (now - begin > (looking->begun ? CALL_NS : FIRST_NS))
			break;
	}
	looking->begun = true;
	close(fd);
}

bool wt_control_is_bound(const struct wt_control *control, uint32_t pid)
{
	for (uint32_t i = 0; control->looking && i < control->looking->n_bound; i++)
		if (control->looking->bound[i] == pid)
			return true;
	return false;
}

bool wt_control_has_bound(const struct wt_control *control)
{
	return control->looking && control->looking->n_bound > 0;
}
