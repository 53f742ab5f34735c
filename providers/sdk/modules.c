// SPDX-License-Identifier: MIT
#include "providers/sdk/modules.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "providers/sdk/loaded.h"
#include "tracecore/base/quiet.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/tables.h"
#include "tracecore/ring/standing.h"

/* Modules whose place is remembered, in sets of four; further modules are looked up each time. */
#define ENTRIES 256u
#define SET     4u

struct wt_walk_cache wt_sdk_walk_cache;

/** A key (wt_unwind_loaded_key) and its table. */
static struct table {
	uint32_t state; /**< 0 free, BUSY, KNOWN: then the key never changes again */
	uint32_t tried; /**< wt_tables_published() when the table was last searched for */
	const struct wt_unwind_view
		*view; /**< NULL: not found; otherwise &loaded, which never changes again */
	struct wt_unwind_view loaded;
	uint32_t fallback; /**< enum wt_walk_fallback, for code the table does not cover */
	struct wt_unwind_key key;
	struct wt_sdk_loaded
		module; /**< the first one with this key; the key of another has to be read from its memory */
} tables[WT_SDK_TABLES];

enum { BUSY = 1, KNOWN = 2 };
enum { NO_TABLE = WT_SDK_TABLES, NOT_NOW = WT_SDK_TABLES + 1 };

/** The place where a module was found. Words, after a version that is odd while they change. */
static struct entry {
	uint32_t version;
	uint32_t table; /**< its index, or NO_TABLE */
	struct wt_sdk_loaded module;
	const uint8_t *build_id; /**< in its first page; NULL: it has none */
} entries[ENTRIES];

bool wt_sdk_modules_known(void)
{
	static uint32_t can; /* 1 yes, 2 no */
	uint32_t known = __atomic_load_n(&can, __ATOMIC_RELAXED);

	if (!wt_tables_published())
		return false;
	if (!known) {
		known = wt_sdk_can_find_loaded() ? 1 : 2;
		__atomic_store_n(&can, known, __ATOMIC_RELAXED);
	}
	return known == 1;
}

/* ---- tables ---- */

/* Maps a private copy of the file, so that the table stays as checked whatever happens to the file. */
static void *copy_file(int fd, uint64_t *size)
{
	struct stat st;
	void *copy;

	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(struct wt_abi_unwind) ||
	    st.st_size > (off_t)WT_SDK_TABLE_BYTES)
		return NULL;
	*size = (uint64_t)st.st_size;
	copy = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return NULL;
	if (wt_directory_read(fd, copy, *size, 0) == 0)
		return copy;
	munmap(copy, *size);
	return NULL;
}

static bool is_table_of(const void *bytes, uint64_t size, const struct wt_unwind_key *key,
			struct wt_unwind_view *view)
{
	const struct wt_abi_unwind *header = (const struct wt_abi_unwind *)bytes;

	return wt_unwind_view(bytes, size, view, NULL) == 0 && header->machine == WT_WALK_MACHINE &&
	       header->key_len == key->len && !memcmp(header->key, key->bytes, key->len) &&
	       header->checksum == wt_unwind_checksum(bytes, size);
}

static void load(struct table *table)
{
	char name[WT_TABLES_NAME];
	uint64_t size;
	void *bytes;
	int fd;

	if (!wt_tables_name(table->key.bytes, table->key.len, WT_WALK_MACHINE, WT_ABI_UNWIND_VERSION, name))
		return;
	fd = wt_tables_open(name);
	if (fd < 0)
		return;
	bytes = copy_file(fd, &size);
	close(fd);
	if (!bytes)
		return;
	if (!is_table_of(bytes, size, &table->key, &table->loaded)) {
		munmap(bytes, size);
		return;
	}
	table->fallback = wt_unwind_fallback(bytes);
	__atomic_store_n(&table->view, &table->loaded, __ATOMIC_RELEASE);
}

/* Searches for the table once per publication. */
static const struct wt_unwind_view *view_of(struct table *table)
{
	const struct wt_unwind_view *view = __atomic_load_n(&table->view, __ATOMIC_ACQUIRE);
	uint32_t tried = __atomic_load_n(&table->tried, __ATOMIC_RELAXED), published = wt_tables_published();
	struct wt_quiet quiet;

	if (view || tried == published || !wt_may_call() ||
	    !__atomic_compare_exchange_n(&table->tried, &tried, published, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return view;
	quiet = wt_quiet_begin();
	load(table);
	wt_quiet_end(&quiet);
	return __atomic_load_n(&table->view, __ATOMIC_ACQUIRE);
}

/* Copies this process's own memory by the kernel: a read behind the end of a truncated file is an error
 * here, but a direct access would raise SIGBUS. NULL: failed. */
static void *copy_own(uintptr_t at, size_t len)
{
	int fd = len <= WT_SDK_TABLE_BYTES ? open("/proc/self/mem", O_RDONLY | O_CLOEXEC) : -1;
	void *copy = MAP_FAILED;

	if (fd < 0)
		return NULL;
	copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy != MAP_FAILED && wt_directory_read(fd, copy, len, (off_t)at) != 0) {
		munmap(copy, len);
		copy = MAP_FAILED;
	}
	close(fd);
	return copy == MAP_FAILED ? NULL : copy;
}

/* Hashes a copy that the kernel makes of this process's memory. */
static bool hash_own(const struct wt_sdk_unwind_data *data, uint64_t *sum)
{
	void *copy = copy_own(data->at, data->len);

	if (!copy)
		return false;
	*sum = wt_unwind_hash(*sum, copy, data->len);
	munmap(copy, data->len);
	return true;
}

static bool make_key(const struct wt_sdk_loaded *loaded, const struct wt_elf_note_id *id,
		     struct wt_unwind_key *ret)
{
	struct wt_quiet quiet = wt_quiet_begin();
	struct wt_sdk_unwind_data data;
	bool read = true, any = false;
	uint64_t sum = 0;

	for (size_t at = 0; read && wt_sdk_find_unwind_data(loaded, &at, &data); any = true)
		read = hash_own(&data, &sum);
	wt_quiet_end(&quiet);
	if (read && any)
		wt_unwind_loaded_key(id->bytes, id->len, sum, ret);
	return read && any;
}

/* Returns the entry of a key, made if need be; NO_TABLE when there is no room, NOT_NOW while another one is
 * being made. */
static uint32_t find_key(const struct wt_unwind_key *key, const struct wt_sdk_loaded *loaded)
{
	for (uint32_t i = 0; i < WT_SDK_TABLES; i++) {
		uint32_t at = (key->bytes[0] + i) % WT_SDK_TABLES, state = 0;
		struct table *table = &tables[at];

		if (__atomic_compare_exchange_n(&table->state, &state, BUSY, false, __ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE)) {
			table->key = *key;
			table->module = *loaded;
			__atomic_store_n(&table->state, KNOWN, __ATOMIC_RELEASE);
			return at;
		}
		if (state == BUSY)
			return NOT_NOW;
		if (!memcmp(&table->key, key, sizeof(*key)))
			return at;
	}
	return NO_TABLE;
}

static bool same_module(const struct wt_sdk_loaded *a, const struct wt_sdk_loaded *b)
{
	return a->start == b->start && a->end == b->end && a->bias == b->bias && a->mark == b->mark;
}

/* True when the build id at these bytes is the one the key begins with. */
static bool begins_with(const struct wt_unwind_key *key, const uint8_t *build_id)
{
	return !memcmp(key->bytes, build_id, key->len - 8u);
}

/* Returns the entry of a module. A module that was read before at this place is not read again. */
static uint32_t find_table(const struct wt_sdk_loaded *loaded, const struct wt_elf_note_id *id)
{
	size_t len = id->len < WT_UNWIND_LOADED_ID ? id->len : WT_UNWIND_LOADED_ID;
	struct wt_unwind_key key;

	for (uint32_t i = 0; i < WT_SDK_TABLES; i++) {
		const struct table *table = &tables[(id->bytes[0] + i) % WT_SDK_TABLES];

		if (__atomic_load_n(&table->state, __ATOMIC_ACQUIRE) != KNOWN)
			break;
		if (same_module(&table->module, loaded) && table->key.len == len + 8 &&
		    begins_with(&table->key, id->bytes))
			return (uint32_t)(table - tables);
	}
	if (!wt_may_call())
		return NOT_NOW;
	return make_key(loaded, id, &key) ? find_key(&key, loaded) : NO_TABLE;
}

/* ---- places ---- */

static struct entry *set_of(uintptr_t start)
{
	return &entries[(start >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (ENTRIES - SET)];
}

/* Copies a place; false while it changes. */
static bool read_entry(const struct entry *entry, struct entry *ret)
{
	ret->version = __atomic_load_n(&entry->version, __ATOMIC_ACQUIRE);
	ret->table = __atomic_load_n(&entry->table, __ATOMIC_RELAXED);
	ret->module.start = __atomic_load_n(&entry->module.start, __ATOMIC_RELAXED);
	ret->module.end = __atomic_load_n(&entry->module.end, __ATOMIC_RELAXED);
	ret->module.bias = __atomic_load_n(&entry->module.bias, __ATOMIC_RELAXED);
	ret->module.mark = __atomic_load_n(&entry->module.mark, __ATOMIC_RELAXED);
	ret->build_id = __atomic_load_n(&entry->build_id, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(ret->version & 1) && ret->version == __atomic_load_n(&entry->version, __ATOMIC_RELAXED);
}

/* True when the module at a place is still the one that was read: another module may have been loaded there
 * since. */
static bool still_holds(const struct entry *entry, const struct wt_sdk_loaded *loaded)
{
	if (!same_module(&entry->module, loaded))
		return false;
	return !entry->build_id || entry->table == NO_TABLE ||
	       begins_with(&tables[entry->table].key, entry->build_id);
}

static void write_entry(struct entry *entry, const struct entry *value)
{
	uint32_t version = __atomic_load_n(&entry->version, __ATOMIC_RELAXED);

	if (version & 1 || !__atomic_compare_exchange_n(&entry->version, &version, version + 1, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	/* Pairs with the fence of read_place(): a reader that sees one of these values sees the odd version.
	 */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&entry->table, value->table, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->module.start, value->module.start, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->module.end, value->module.end, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->module.bias, value->module.bias, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->module.mark, value->module.mark, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->build_id, value->build_id, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->version, version + 2, __ATOMIC_RELEASE);
}

/* Forgets modules that lay where this one lies, and every rule, because the rules may be for the earlier
 * code. */
static void forget_overlapping(const struct wt_sdk_loaded *loaded)
{
	const struct entry none = {0};

	for (uint32_t i = 0; i < ENTRIES; i++) {
		const struct wt_sdk_loaded *old = &entries[i].module;

		if (__atomic_load_n(&old->start, __ATOMIC_RELAXED) < loaded->end &&
		    __atomic_load_n(&old->end, __ATOMIC_RELAXED) > loaded->start)
			write_entry(&entries[i], &none);
	}
	for (uint32_t i = 0; i < WT_WALK_CACHE_SLOTS; i++)
		__atomic_store_n(&wt_sdk_walk_cache.slot[i], 0, __ATOMIC_RELAXED);
}

/* Meets a module that has not been seen there. Only a build id in the first page can be compared again
 * without the module's headers; places of other modules are not remembered. */
static uint32_t meet(const struct wt_sdk_loaded *loaded)
{
	struct entry fresh = {.table = NO_TABLE, .module = *loaded};
	struct wt_elf_note_id id = {0};
	struct entry *set = set_of(loaded->start);
	uint32_t victim = (uint32_t)(loaded->start >> 12) % SET;

	if (wt_sdk_find_build_id(loaded, &id)) {
		fresh.table = find_table(loaded, &id);
		fresh.build_id = id.bytes;
	}
	if (fresh.table == NOT_NOW)
		return NO_TABLE;
	forget_overlapping(loaded);
	if (id.len && (uintptr_t)id.bytes + id.len > loaded->start + 4096)
		return fresh.table;
	for (uint32_t i = 0; i < SET; i++)
		if (!__atomic_load_n(&set[i].module.end, __ATOMIC_RELAXED))
			victim = i;
	write_entry(&set[victim], &fresh);
	return fresh.table;
}

static uint32_t table_of(const struct wt_sdk_loaded *loaded)
{
	struct entry *set = set_of(loaded->start), entry;

	for (uint32_t i = 0; i < SET; i++)
		if (read_entry(&set[i], &entry) && still_holds(&entry, loaded))
			return entry.table;
	return meet(loaded);
}

bool wt_sdk_find_module(void *ctx, uint64_t address, struct wt_walk_module *ret)
{
	struct wt_sdk_loaded loaded;
	uint32_t index;

	(void)ctx;
	if (!wt_sdk_find_loaded((uintptr_t)address, &loaded)) {
		/* Code that the program made while it runs. */
		*ret = (struct wt_walk_module){.start = address, .end = address + 1, .fallback = WT_WALK_FP};
		return true;
	}
	index = table_of(&loaded);
	*ret = (struct wt_walk_module){.start = loaded.start,
				       .end = loaded.end,
				       .bias = loaded.bias,
				       .id = index,
				       .fallback = WT_WALK_FP};
	if (index == NO_TABLE)
		return true;
	ret->view = view_of(&tables[index]);
	if (ret->view)
		ret->fallback = tables[index].fallback;
	return true;
}

void wt_sdk_modules_begin_in_child(void)
{
	for (uint32_t i = 0; i < WT_SDK_TABLES; i++) {
		if (tables[i].state == BUSY)
			tables[i].state = 0;
		if (!tables[i].view)
			tables[i].tried = 0;
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		if (entries[i].version & 1)
			entries[i] = (struct entry){0};
}
