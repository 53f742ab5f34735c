// SPDX-License-Identifier: MIT
/*
 * The process's own state file. This process is its only writer, under the registration lock. It keeps the
 * places of its records in private memory, so that it need not trust the shared file.
 */
#include "tracecore/enable/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracecore/base/quiet.h"
#include "tracecore/enable/admit.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/lock.h"
#include "tracecore/enable/process.h"
#include "tracecore/enable/rows.h"
#include "tracecore/enable/state_check.h"
#include "tracecore/ring/room.h"
#include "tracecore/ring/standing.h"

#define PAGE 4096u

struct record {
	uint64_t key;
	uint32_t provider;
	uint16_t event;
	bool live;     /* false: its room may be taken */
	uint32_t at;   /* of the entry */
	uint32_t room; /* of one half */
};

static struct {
	uint8_t *file;         /* mapping, WT_ABI_STATE_BYTES; NULL: none */
	uint32_t pid;          /* whose it is */
	const char *directory; /* its directory: the pointer of rows.c, which changes when the directory is
				* made anew */
	uint32_t used, sure;   /* bytes in use; bytes that have memory */
	uint64_t commits;
	struct record *records;
	uint32_t n, cap;
} area;

/* Leaves the file: in a forked child it belongs to the parent, and nobody reads one in a removed
 * directory. */
static void leave_file(void)
{
	if (wt_may_call()) {
		if (area.file)
			munmap(area.file, WT_ABI_STATE_BYTES);
		free(area.records);
	}
	memset(&area, 0, sizeof(area));
}

static int make_file(int dir, const char *name, const struct wt_abi_state *head, struct wt_err *err)
{
	struct wt_new_file file;
	void *at = MAP_FAILED;

	if (wt_new_file_begin(dir, 0600, &file) < 0)
		return wt_fail_errno(err, "cannot make the state file state/%s", name);
	/* Removes the file of an earlier process with this identity, or of this one before an exec. */
	unlinkat(dir, name, 0);
	if (wt_room_extend(file.fd, WT_ABI_STATE_BYTES) == 0 &&
	    wt_directory_write(file.fd, head, sizeof(*head), 0) == 0)
		at = mmap(NULL, WT_ABI_STATE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
	if (at == MAP_FAILED || wt_new_file_link(&file, name)) {
		wt_fail_errno(err, "cannot make the state file state/%s", name);
		if (at != MAP_FAILED)
			munmap(at, WT_ABI_STATE_BYTES);
		wt_new_file_end(&file);
		return -1;
	}
	wt_new_file_end(&file);
	wt_room_keep_from_dumps(at, WT_ABI_STATE_BYTES);
	area.file = at;
	area.sure = PAGE;
	area.pid = head->pid;
	area.directory = wt_rows_directory();
	area.used = sizeof(*head);
	return 0;
}

static int open_area(struct wt_err *err)
{
	uint64_t self = wt_process_self();
	struct wt_abi_state head = {.magic = WT_ABI_STATE_MAGIC,
				    .version = WT_ABI_ENABLE_VERSION,
				    .pid = (uint32_t)self,
				    .start = self >> 32,
				    .used = sizeof(head)};
	const char *path = wt_rows_directory();
	int directory, dir, rc = -1;
	char name[32];

	snprintf(name, sizeof(name), "%u-%u", head.pid, (uint32_t)head.start);
	directory = wt_directory_open_owned(path, geteuid());
	if (directory < 0)
		return wt_fail_errno(err, "cannot open directory %s", path);
	dir = wt_directory_open_below(directory, "state", true);
	if (dir < 0)
		wt_fail_errno(err, "cannot open directory %s/state", path);
	else
		rc = make_file(dir, name, &head, err);
	if (dir >= 0)
		close(dir);
	close(directory);
	return rc;
}

static struct record *find(uint32_t provider, uint16_t event, uint64_t key)
{
	for (uint32_t i = 0; i < area.n; i++) {
		struct record *record = &area.records[i];

		if (record->live && record->provider == provider && record->event == event &&
		    record->key == key)
			return record;
	}
	return NULL;
}

static struct wt_abi_state_entry *entry_of(const struct record *record)
{
	return (struct wt_abi_state_entry *)(area.file + record->at);
}

static void clear(struct record *record)
{
	__atomic_store_n(&entry_of(record)->commit, 0, __ATOMIC_RELEASE);
	record->live = false;
}

/* Writes the half that is not valid, then commit: ENABLE.md section 6. */
static void put(const struct record *record, const void *bytes, uint32_t len)
{
	struct wt_abi_state_entry *entry = entry_of(record);
	/* The next number whose low bit selects the other half. */
	uint64_t old = __atomic_load_n(&entry->commit, __ATOMIC_RELAXED), commit = ++area.commits;
	struct wt_abi_state_half half = {.len = len};
	uint8_t *to = (uint8_t *)(entry + 1);

	if (((commit ^ old) & 1) == 0)
		commit = ++area.commits;
	to += (commit & 1) * record->room;
	half.commit = commit;
	half.checksum = wt_state_checksum(entry, &half, bytes);
	memcpy(to, &half, sizeof(half));
	memcpy(to + sizeof(half), bytes, len);
	__atomic_store_n(&entry->commit, commit, __ATOMIC_RELEASE);
}

/* Gets memory up to `end` before it is touched. */
static bool have_memory(uint32_t end)
{
	end = (end + PAGE - 1) / PAGE * PAGE;
	if (end <= area.sure)
		return true;
	if (!wt_may_take_memory() || !wt_room_populate(area.file + area.sure, end - area.sure))
		return false;
	area.sure = end;
	return true;
}

/* Makes an index entry for a record of that size: one with free room that is large enough, else a new one
 * at the end of the file. The new entry is complete before `used` grows over it. */
static struct record *make_room(uint32_t provider, uint16_t event, uint64_t key, uint32_t len)
{
	uint32_t room = (uint32_t)(sizeof(struct wt_abi_state_half) + len + 7) / 8 * 8;
	struct record *record = NULL;

	for (uint32_t i = 0; i < area.n && !record; i++) {
		if (!area.records[i].live && area.records[i].room >= room)
			record = &area.records[i];
	}
	if (!record) {
		uint32_t size = (uint32_t)sizeof(struct wt_abi_state_entry) + 2 * room;

		if (area.used + size > WT_ABI_STATE_BYTES || !have_memory(area.used + size))
			return NULL;
		if (area.n == area.cap) {
			uint32_t cap = area.cap ? area.cap * 2 : 8;
			struct record *grown = wt_may_call() ? realloc(area.records, cap * sizeof(*grown))
							     : NULL;

			if (!grown)
				return NULL;
			area.records = grown;
			area.cap = cap;
		}
		record = &area.records[area.n++];
		*record = (struct record){.at = area.used, .room = room};
		area.used += size;
	}
	*record = (struct record){.key = key,
				  .provider = provider,
				  .event = event,
				  .live = true,
				  .at = record->at,
				  .room = record->room};
	return record;
}

/* Fills in the names of an entry without a record, and makes it visible. */
static void show(const struct record *record)
{
	struct wt_abi_state *head = (struct wt_abi_state *)area.file;
	struct wt_abi_state_entry *entry = entry_of(record);

	entry->provider = record->provider;
	entry->event = record->event;
	entry->key = record->key;
	entry->room = record->room;
	__atomic_store_n(&head->used, area.used, __ATOMIC_RELEASE);
}

static int set_locked(uint32_t provider, uint16_t event, uint64_t key, const void *bytes, uint32_t len,
		      struct wt_err *err)
{
	struct record *old, *record;
	uint32_t old_index;

	if (area.pid != wt_ring_pid() || area.directory != wt_rows_directory())
		leave_file();
	if (!area.file && bytes && !wt_may_call())
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "a process that filters its system calls cannot begin "
			       "to publish state");
	if (!area.file && (!bytes || open_area(err)))
		return bytes ? -1 : 0;
	old = find(provider, event, key);
	if (!bytes) {
		if (old)
			clear(old);
		return 0;
	}
	if (old && sizeof(struct wt_abi_state_half) + len <= old->room) {
		put(old, bytes, len);
		return 0;
	}
	old_index = old ? (uint32_t)(old - area.records) : UINT32_MAX;
	record = make_room(provider, event, key, len);
	if (!record)
		return wt_fail(err, WT_ERR_LIMIT,
			       "the state area of this process is full (%u bytes), or memory is",
			       WT_ABI_STATE_BYTES);
	show(record);
	put(record, bytes, len);
	if (old_index != UINT32_MAX)
		clear(&area.records[old_index]);
	return 0;
}

int wt_enable_state_set(struct wt_enable_provider *provider, uint16_t event, uint64_t key, const void *record,
			uint32_t len, struct wt_err *err)
{
	const struct wt_enable_map *map = (const struct wt_enable_map *)provider;
	struct wt_quiet quiet;
	int rc;

	if (event >= map->events.n)
		return wt_fail(err, WT_ERR_USAGE, "provider '%.80s' has no event of index %u", map->name,
			       event);
	if (len > WT_ABI_STATE_RECORD)
		return wt_fail(err, WT_ERR_LIMIT, "a state record of %u bytes: at most %u", len,
			       WT_ABI_STATE_RECORD);
	quiet = wt_quiet_begin();
	wt_enable_lock();
	rc = set_locked(map->number, event, key, record, len, err);
	wt_enable_unlock();
	wt_quiet_end(&quiet);
	return rc;
}

void wt_state_forget(uint32_t provider)
{
	if (!area.file || area.pid != wt_ring_pid())
		return;
	for (uint32_t i = 0; i < area.n; i++) {
		if (area.records[i].live && area.records[i].provider == provider)
			clear(&area.records[i]);
	}
}
