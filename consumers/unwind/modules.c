// SPDX-License-Identifier: MIT
#include "consumers/unwind/modules.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/record/image_change.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/intern.h"
#include "tracecore/base/proc.h"
#include "tracecore/logfmt/format/tables.h"
#include "tracecore/stackwalk/elf_id.h"

#define BUCKETS 4096u
/* Times that a table is asked for: of other processes, and of all after a while, doubled each time. */
#define MAX_TRIES  8
#define FIRST_WAIT (WT_NSEC / 4)
/* The time until the next try of a request that found no room; it doubles with each try, up to a limit. A try
 * reads /proc.
 */
#define REFUSED_WAIT (WT_NSEC / 20)
#define REFUSED_MOST 5
/* Builders that a module may kill. */
#define MAX_DEATHS 2

int wt_modules_init(struct wt_modules *modules, const struct wt_unwind_cache *cache, uint64_t build_time,
		    struct wt_err *err)
{
	*modules = (struct wt_modules){.cache = *cache};
	wt_builder_init(&modules->builder, &modules->cache, build_time);
	modules->list = calloc(WT_MODULES, sizeof(*modules->list));
	modules->buckets = calloc(BUCKETS, sizeof(*modules->buckets));
	if (modules->list && modules->buckets)
		return 0;
	wt_modules_deinit(modules);
	return wt_fail_nomem(err);
}

void wt_modules_deinit(struct wt_modules *modules)
{
	wt_builder_deinit(&modules->builder);
	for (uint32_t i = 0; modules->list && i < modules->n; i++)
		wt_unwind_mapping_deinit(&modules->list[i].mapping);
	free(modules->list);
	free(modules->buckets);
	wt_mounts_deinit(&modules->mounts);
	wt_unwind_cache_close(&modules->cache);
}

/* A build id is a file's claim about itself, and a file may be overwritten in place: only its last change
 * proves that it is the one that was mapped. The vdso is the kernel's. */
static struct wt_module_id id_of(struct wt_modules *modules, struct wt_image_entry *image)
{
	struct wt_module_id id = {.kind = image->kind, .build_id_len = image->build_id_len};

	memcpy(id.build_id, image->build_id, sizeof(id.build_id));
	if (image->kind == WT_IMAGE_VDSO && id.build_id_len)
		return id;
	id.device = image->device;
	id.inode = image->inode;
	id.path = UINT64_C(0xcbf29ce484222325);
	for (uint32_t i = 0; i < image->path_len; i++)
		id.path = (id.path ^ (uint8_t)image->path[i]) * UINT64_C(0x100000001b3);
	id.changed = wt_image_change(image, &modules->mounts);
	if (id.changed <= WT_LOG_IMAGE_GONE || image->late)
		id.changed = UINT64_C(1) << 63 | ++modules->unseen;
	return id;
}

static uint32_t *bucket_of(struct wt_modules *modules, const struct wt_module_id *id)
{
	uint64_t words[sizeof(*id) / 8];
	uint64_t hash = 0;

	memcpy(words, id, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		hash = wt_hash2(hash, words[i]);
	return &modules->buckets[hash % BUCKETS];
}

static struct wt_module *look_up(struct wt_modules *modules, const struct wt_module_id *id)
{
	for (uint32_t at = *bucket_of(modules, id); at; at = modules->list[at - 1].next) {
		struct wt_module *module = &modules->list[at - 1];

		if (!memcmp(&module->id, id, sizeof(*id)))
			return module;
	}
	return NULL;
}

static struct wt_allowance *bytes_of(struct wt_modules *modules, uint32_t uid)
{
	struct wt_table_share *share = wt_table_share_of(&modules->builder.shares, uid, wt_clock_now());

	return share ? &share->time : NULL;
}

static void take_out(struct wt_modules *modules, struct wt_module *module)
{
	uint32_t *at = bucket_of(modules, &module->id);

	while (*at && &modules->list[*at - 1] != module)
		at = &modules->list[*at - 1].next;
	*at = module->next;
	if (module->state == WT_MODULE_READY) {
		wt_allowance_give_bytes(bytes_of(modules, module->charged), module->mapping.size);
		modules->tables--;
		modules->table_bytes -= module->mapping.size;
		modules->removed++;
	}
	wt_unwind_mapping_deinit(&module->mapping);
	*module = (struct wt_module){0};
}

/* A free slot, made free if need be. NULL: every table is being made. */
static struct wt_module *free_slot(struct wt_modules *modules)
{
	struct wt_module *oldest = NULL;

	if (modules->n < WT_MODULES)
		return &modules->list[modules->n++];
	for (uint32_t i = 0; i < WT_MODULES; i++) {
		struct wt_module *module = &modules->list[i];

		if (module->state != WT_MODULE_WANTED && (!oldest || module->used < oldest->used))
			oldest = module;
	}
	if (oldest && oldest->state != WT_MODULE_FREE)
		take_out(modules, oldest);
	return oldest;
}

static struct wt_module *add(struct wt_modules *modules, const struct wt_module_id *id)
{
	struct wt_module *module = free_slot(modules);
	uint32_t *bucket = bucket_of(modules, id);

	if (!module)
		return NULL;
	*module = (struct wt_module){
		.state = WT_MODULE_NONE, .id = *id, .next = *bucket, .epoch = ++modules->epochs};
	*bucket = (uint32_t)(module - modules->list) + 1;
	return module;
}

/* Of the account, or of all that have one: the table that was not used for longest is no longer in memory.
 * False: there is none. */
static bool take_oldest(struct wt_modules *modules, struct wt_allowance *account)
{
	struct wt_module *oldest = NULL;

	for (uint32_t i = 0; i < modules->n; i++) {
		struct wt_module *module = &modules->list[i];
		struct wt_allowance *of;

		if (module->state != WT_MODULE_READY || (oldest && module->used >= oldest->used))
			continue;
		of = bytes_of(modules, module->charged);
		if (of && (!account || of == account))
			oldest = module;
	}
	if (oldest)
		take_out(modules, oldest);
	return oldest;
}

/* Makes room on the account, first of its own. False: the table is larger than all it may have. */
static bool charge(struct wt_modules *modules, struct wt_module *module)
{
	struct wt_allowance *account = bytes_of(modules, module->uid);
	uint64_t bytes = module->mapping.size;

	if (account && bytes > account->bytes_most)
		return false;
	while (account && account->bytes + bytes > account->bytes_most && take_oldest(modules, account))
		;
	while (!wt_allowance_take_bytes(account, bytes))
		if (!take_oldest(modules, NULL))
			return false;
	module->charged = module->uid;
	return true;
}

/* The table of that key, if the cache has it. */
static bool load(struct wt_modules *modules, struct wt_module *module, const struct wt_unwind_key *key)
{
	const struct wt_abi_unwind *header;

	if (wt_unwind_cache_find(&modules->cache, key, WT_WALK_MACHINE, &module->mapping))
		return false;
	header = module->mapping.bytes;
	if (wt_unwind_view(header, module->mapping.size, &module->view, NULL) || !charge(modules, module)) {
		wt_unwind_mapping_deinit(&module->mapping);
		return false;
	}
	module->fallback = wt_unwind_fallback(header);
	module->state = WT_MODULE_READY;
	modules->tables++;
	modules->table_bytes += module->mapping.size;
	return true;
}

/* The kernel makes the vdso and its build id, so a table that is kept under that id belongs to it. For a
 * process that began in the session the kernel reports no id: it has this machine's vdso, as for the
 * builder. */
static bool load_vdso(struct wt_modules *modules, struct wt_module *module)
{
	struct wt_elf_note_id own;
	struct wt_unwind_key key = {.len = module->id.build_id_len};

	if (module->id.kind != WT_IMAGE_VDSO)
		return false;
	memcpy(key.bytes, module->id.build_id, sizeof(module->id.build_id));
	if (!key.len && wt_elf_id_of_vdso(&own) && own.len <= WT_BUILD_ID_MAX) {
		key.len = (uint8_t)own.len;
		memcpy(key.bytes, own.bytes, own.len);
	}
	return key.len && load(modules, module, &key);
}

/* From the session clock to the time of files, ns. */
static uint64_t past_epoch(void)
{
	struct wt_clockset now;

	wt_clock_sample_times(&now);
	return now.realtime - now.raw;
}

/* A file is unchanged since a tick after its last change: the content of earlier mappings is not known. */
static uint64_t good_from(uint64_t changed)
{
	uint64_t at_rest = changed + WT_FILE_TICK, epoch = past_epoch();

	return changed && at_rest > epoch ? at_rest - epoch : 0;
}

static void ask(struct wt_modules *modules, struct wt_module *module, const struct wt_range *range,
		uint32_t pid)
{
	const struct wt_image_entry *image = range->image;
	struct wt_build_request request = {
		.id = (uint32_t)(module - modules->list),
		.pid = pid,
		.start = range->start,
		.end = range->end,
		.device = image->device,
		.inode = image->inode,
		.mapped = image->mapped ? image->mapped + past_epoch() : 0,
		.changed = image->changed,
		.modified = image->modified,
		.links = image->links,
		.kind = image->kind,
		.build_id_len = image->build_id_len,
	};
	uint32_t len = image->path_len;

	if (len >= sizeof(request.path))
		len = sizeof(request.path) - 1;
	memcpy(request.path, image->path, len);
	memcpy(request.build_id, image->build_id, sizeof(request.build_id));
	module->uid = modules->builder.shares.users.on ? wt_proc_uid(pid) : 0;
	module->waiter = pid;
	if (wt_builder_ask(&modules->builder, &request, module->uid)) {
		module->again = wt_clock_now() + (REFUSED_WAIT << module->refused);
		module->refused += module->refused < REFUSED_MOST;
		return;
	}
	module->refused = 0;
	module->state = WT_MODULE_WANTED;
	module->asked = wt_clock_now();
	module->last_pid = pid;
	module->tries++;
}

/* A module that an image is of for the first time. */
static struct wt_module *enter(struct wt_modules *modules, const struct wt_range *range, uint32_t pid)
{
	struct wt_module_id id = id_of(modules, range->image);
	struct wt_module *module = look_up(modules, &id);

	if (!module) {
		module = add(modules, &id);
		if (module && range->image->late)
			module->tries = MAX_TRIES; /* the mapped file no longer exists */
		else if (module && !load_vdso(modules, module))
			ask(modules, module, range, pid);
	}
	if (module)
		range->image->module = (struct wt_row){.epoch = module->epoch,
						       .id = (uint32_t)(module - modules->list)};
	return module;
}

/* A file may come back, and a machine may become less busy: a failed table is tried again. */
static bool may_be_asked(const struct wt_module *module, uint32_t pid)
{
	if (module->state != WT_MODULE_NONE || module->tries >= MAX_TRIES)
		return false;
	if (module->refused)
		return wt_clock_now() >= module->again;
	if (!module->tries || (module->gone && module->last_pid != pid))
		return true;
	return module->again && wt_clock_now() >= module->again;
}

struct wt_module *wt_modules_find(struct wt_modules *modules, const struct wt_range *range, uint32_t pid)
{
	const struct wt_image_entry *image = range->image;
	struct wt_module *module = &modules->list[image->module.id % WT_MODULES];

	if (image->kind != WT_IMAGE_FILE && image->kind != WT_IMAGE_VDSO)
		return NULL;
	if (!image->module.epoch || module->epoch != image->module.epoch)
		module = enter(modules, range, pid);
	if (!module)
		return NULL;
	if (may_be_asked(module, pid))
		ask(modules, module, range, pid);
	module->used = ++modules->turn;
	return module;
}

/* The table may matter more to another process than to the first that wanted it. */
static void change_account(struct wt_modules *modules, struct wt_module *module, uint32_t pid)
{
	struct wt_table_shares *shares = &modules->builder.shares;
	uint32_t uid;

	if (pid == module->waiter || !wt_table_share_of(shares, module->uid, wt_clock_now()))
		return;
	module->waiter = pid;
	uid = wt_proc_uid(pid);
	if (uid == module->uid || wt_table_share_is_spent(wt_table_share_of(shares, uid, wt_clock_now())))
		return;
	module->uid = uid;
	wt_builder_charge(&modules->builder, (uint32_t)(module - modules->list), uid);
}

uint64_t wt_modules_patience(struct wt_modules *modules, struct wt_module *module, uint32_t pid,
			     uint64_t patience)
{
	struct wt_table_share *share;

	change_account(modules, module, pid);
	share = wt_table_share_of(&modules->builder.shares, module->uid, wt_clock_now());
	if (wt_table_share_is_spent(share))
		return 0;
	return share && WT_TABLE_PATIENCE < patience ? WT_TABLE_PATIENCE : patience;
}

/* Files of one name and one fault may be many: what runtimes generate into a memfd. Once is enough. */
static void warn(struct wt_modules *modules, const char *why)
{
	uint64_t hash = wt_unwind_hash(0, why, strlen(why));

	for (uint32_t i = 0; i < modules->n_warnings; i++)
		if (modules->warned[i] == hash)
			return;
	if (modules->n_warnings == WT_MODULES_WARNED)
		return;
	modules->warned[modules->n_warnings++] = hash;
	wt_warn("no unwind data for a module (its stacks end there): %s", why);
}

static void settle(struct wt_modules *modules, struct wt_module *module, struct wt_build_answer *answer)
{
	bool there = answer->result == WT_BUILD_MADE || answer->result == WT_BUILD_FOUND;
	bool later = answer->result == WT_BUILD_LATER;

	module->state = WT_MODULE_NONE;
	module->gone = answer->result == WT_BUILD_GONE;
	module->again = 0;
	if (module->gone || there || later || (answer->result == WT_BUILD_DIED && module->tries < MAX_DEATHS))
		module->again = wt_clock_now() + (FIRST_WAIT << module->tries);
	if (there && load(modules, module, &answer->key)) {
		module->from = good_from(answer->changed);
		modules->built += answer->result == WT_BUILD_MADE;
		return;
	}
	modules->failed++;
	if (module->gone || (later && module->tries > 1))
		wt_debug("no unwind data: %s", answer->text);
	else
		warn(modules, there ? "its table could not be kept" : answer->text);
}

void wt_modules_serve(struct wt_modules *modules)
{
	struct wt_build_answer answer;

	while (wt_builder_answer(&modules->builder, &answer)) {
		modules->answered = wt_clock_now();
		if (answer.id < WT_MODULES && modules->list[answer.id].state == WT_MODULE_WANTED)
			settle(modules, &modules->list[answer.id], &answer);
	}
}
