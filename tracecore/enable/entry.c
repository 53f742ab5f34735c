// SPDX-License-Identifier: MIT
#include "tracecore/enable/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracecore/base/high_fd.h"
#include "tracecore/enable/enable.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/outside.h"
#include "tracecore/enable/process.h"
#include "tracecore/ring/ring_file.h"
#include "tracecore/ring/room.h"
#include "tracecore/ring/self.h"
#include "tracecore/ring/standing.h"

#define FILE_NAME "processes"
/* The number of entries examined, and of those whose process is looked for. */
#define PROBES    256u
#define QUESTIONS 16u

/* Mappings are replaced, never unmapped: wt_standing_entry points into one. */
static struct wt_abi_process *entries;
static dev_t dev;
static ino_t ino;
static uint64_t entered; /* this process's value in its entry; 0: it has none */
static bool entering;    /* one thread or one handler is entering */

static int make_file(int directory)
{
	struct wt_abi_processes head = {.magic = WT_ABI_PROCESSES_MAGIC,
					.version = WT_ABI_ENABLE_VERSION,
					.n = WT_ABI_PROCESS_ENTRIES};
	struct wt_new_file file;
	int rc = -1;

	if (wt_new_file_begin(directory, 0600, &file) < 0)
		return -1;
	if (wt_room_take(file.fd, 0, WT_ENTRY_FILE_BYTES) == 0 &&
	    wt_directory_write(file.fd, &head, sizeof(head), 0) == 0)
		rc = wt_new_file_link(&file, FILE_NAME);
	wt_new_file_end(&file);
	return rc;
}

static bool is_whole(int fd, const struct stat *st)
{
	struct wt_abi_processes head;

	return st->st_size >= (off_t)WT_ENTRY_FILE_BYTES &&
	       wt_directory_read(fd, &head, sizeof(head), 0) == 0 && head.magic == WT_ABI_PROCESSES_MAGIC &&
	       head.version == WT_ABI_ENABLE_VERSION && head.n == WT_ABI_PROCESS_ENTRIES &&
	       wt_room_take_first(fd, st, WT_ENTRY_FILE_BYTES) == 0;
}

static void map_file(int directory)
{
	struct stat st;
	uint8_t *at = MAP_FAILED;
	int fd = wt_directory_open_known(directory, FILE_NAME, O_RDWR, geteuid(), &st);

	if (fd < 0 && errno == ENOENT && make_file(directory) >= 0)
		fd = wt_directory_open_known(directory, FILE_NAME, O_RDWR, geteuid(), &st);
	if (fd < 0)
		return;
	if (is_whole(fd, &st))
		at = mmap(NULL, WT_ENTRY_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return;
	wt_room_keep_from_dumps(at, WT_ENTRY_FILE_BYTES);
	entries = (struct wt_abi_process *)(at + sizeof(struct wt_abi_processes));
	dev = st.st_dev;
	ino = st.st_ino;
}

/* The number after `name` in the text of /proc/PID/status; UINT32_MAX: it is not there. */
static uint32_t number_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? (uint32_t)strtoul(line + strlen(name), NULL, 10) : UINT32_MAX;
}

/* The number of filters that the process had at the start. Registering has shown that they allow the
 * calls. One thread at a time is here (`entering`), so the text need not stand on a stack that may be small.
 */
static uint64_t count_filters(void)
{
	static char text[4096];
	int fd = wt_high_fd(open("/proc/self/status", O_RDONLY | O_CLOEXEC));
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint32_t filters;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return WT_ABI_FILTERS_UNKNOWN;
	text[n] = 0;
	if (number_of(text, "\nSeccomp:") == 0)
		return 0;
	filters = number_of(text, "\nSeccomp_filters:");
	return filters < WT_ABI_FILTERS_UNKNOWN ? filters : WT_ABI_FILTERS_UNKNOWN;
}

static bool may_be_taken(const struct wt_abi_process *entry, uint64_t seen, uint64_t self,
			 unsigned *questions)
{
	uint64_t standing = __atomic_load_n(&entry->standing, __ATOMIC_RELAXED);

	if (!seen || (uint32_t)seen == (uint32_t)self)
		return true;
	if (standing >> 8 == wt_entry_tag(seen) && standing & WT_ENTRY_GONE)
		return true;
	return *questions && (*questions)-- && !wt_process_mark_alive(seen);
}

static struct wt_abi_process *take_entry(uint64_t self, unsigned questions)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct wt_abi_process *entry = &entries[((uint32_t)self + i) % WT_ABI_PROCESS_ENTRIES];
		uint64_t seen = __atomic_load_n(&entry->process, __ATOMIC_RELAXED);

		if (may_be_taken(entry, seen, self, &questions) &&
		    __atomic_compare_exchange_n(&entry->process, &seen, self, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return entry;
	}
	return NULL;
}

/* Two places are used in turn: one may be read while the other is filled. A process seldom enters. */
static void point_to(struct wt_abi_process *entry, uint64_t self)
{
	static struct wt_standing_entry places[2];
	struct wt_standing_entry *place =
		&places[__atomic_load_n(&wt_standing_entry, __ATOMIC_RELAXED) == &places[0]];

	*place = (struct wt_standing_entry){&entry->standing, wt_entry_tag(self)};
	__atomic_store_n(&wt_standing_entry, place, __ATOMIC_RELEASE);
}

/* Where nothing may be asked, known facts are used. Only the first process of a pid namespace can then
 * notice that its namespace is not its parent's. */
static void enter_alone(bool ask)
{
	static uint64_t filters, pid_ns;
	static bool known;
	uint64_t self = ask ? wt_process_mark() : wt_process_mark_at_hand();
	struct wt_abi_process *entry;

	if (!known && ask) {
		filters = count_filters();
		known = true;
	}
	if (ask)
		pid_ns = wt_ring_pid_namespace() & UINT32_MAX;
	else if ((uint32_t)self == 1)
		pid_ns = 0;
	entry = known ? take_entry(self, ask ? QUESTIONS : 0) : NULL;
	if (!entry)
		return;
	__atomic_store_n(&entry->facts, pid_ns | filters << 32 | (self >> 32 & 0xffff) << 48,
			 __ATOMIC_RELEASE);
	point_to(entry, self);
	__atomic_store_n(&entered, self, __ATOMIC_RELEASE);
}

static void enter(bool ask)
{
	/* An entry has a moment. */
	if (!wt_may_read_clock() || __atomic_exchange_n(&entering, true, __ATOMIC_ACQUIRE))
		return;
	enter_alone(ask);
	__atomic_store_n(&entering, false, __ATOMIC_RELEASE);
}

void wt_entry_make(int directory)
{
	struct stat st;

	if (!entries || fstatat(directory, FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != dev ||
	    st.st_ino != ino) {
		entered = 0;
		map_file(directory);
	}
	if (entries && (uint32_t)entered != wt_ring_pid())
		enter(true);
}

void wt_entry_make_in_child(bool ask)
{
	unsigned standing = wt_standing();

	if (standing & WT_STANDING_KNOWN)
		wt_standing_at_first = standing & ~(WT_STANDING_KNOWN | WT_ENTRY_GONE);
	__atomic_store_n(&entering, false, __ATOMIC_RELAXED);
	if (entries)
		enter(ask);
}

void wt_entry_make_later(void)
{
	if (entries && (uint32_t)__atomic_load_n(&entered, __ATOMIC_ACQUIRE) != wt_ring_pid())
		enter(true);
}

void wt_enable_look_at_memory(const struct wt_enable_slot *session)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	/* The caller is the only one here: registering, under the library's lock, or a child that has just
	 * begun. */
	static struct wt_outside outside;

	outside.need = wt_outside_need(cpus > 0 ? (uint32_t)cpus : 1, session->spec.block_bytes,
				       session->spec.max_blocks);
	outside.group[0] = 0;
	wt_standing_at_first = wt_outside_memory_is_short(&outside, wt_ring_pid()) ? WT_STANDING_NO_MEMORY
										   : 0;
}
