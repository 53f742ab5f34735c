// SPDX-License-Identifier: MIT
#include "consumers/session/generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "consumers/record/pair_table.h"
#include "consumers/session/code_lacks.h"
#include "consumers/session/generated_files.h"
#include "consumers/session/two_clocks.h"
#include "consumers/symbols/name_shares.h"
#include "tracecore/base/allowance.h"
#include "tracecore/base/apart.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/proc.h"

enum {
	BUCKETS = 256,
	MAX_PROCESSES = 2048,
	MAX_VERSIONS = 4096,         /* of a process, */
	MAX_USER_VERSIONS = 4 << 12, /* and of another user's */
	MAX_USES = 1 << 18,          /* addresses of a process, */
	MAX_ALL_USES = 1 << 20,      /* and of all */
	MAX_FILES = 128,             /* held open */
	MAX_USERS = 64,              /* distinguished; the others share the last one's share */
	USER_PART = 8,               /* another user may take this part of the room that is left */
	MAX_TRIES = 4,               /* files looked at in one round that may be a process's jitdump */
};
/* Bytes of a jitdump that one round reads; most bytes of a jitdump of the session's own user, and of another
 * user's. */
#define ROUND_BYTES (UINT64_C(8) << 20)
#define DUMP_BYTES  (UINT64_C(1) << 30)
#define USER_BYTES  (UINT64_C(64) << 20)
/* Most bytes of a map in memory, of the session's own user and of another user's. */
#define MAP_BYTES      (UINT64_C(48) << 20)
#define USER_MAP_BYTES (UINT64_C(4) << 20)
/* Most bytes of all jitdumps of another user. */
#define USER_DUMPS_BYTES (UINT64_C(16) << 20)
/* CPU time for finding and reading another user's files while the session runs, ns: a second and saved up,
 * for one user and for all. */
#define USER_RATE (UINT64_C(10) * 1000000)
#define USER_MOST (UINT64_C(200) * 1000000)
#define ALL_RATE  (UINT64_C(40) * 1000000)
#define ALL_MOST  (UINT64_C(400) * 1000000)
/* Time between two searches for a file that is not there yet. */
#define LOOK_AGAIN (WT_NSEC / 2)
/* Checks a second, over all processes, whether maps only grow. */
#define LOOKS 64

struct version {
	uint64_t since;
	struct wt_image_entry *image; /* owned */
};

/* The first and the last time an address was hit. */
struct use {
	uint64_t first, last;
};

/* The resources taken by one user's processes. */
struct account {
	uint32_t uid;
	uint32_t processes, uses, files, versions;
	uint64_t bytes; /* read of jitdumps */
	uint64_t map_bytes;
	struct wt_allowance time;
	struct wt_code_lacks lacks;
};

struct process {
	struct process *next;  /* in its bucket */
	struct process *older; /* of all */
	struct wt_generated_place place;
	uint32_t programs;        /* as in struct wt_generated_task */
	struct account *account;  /* NULL: needs none */
	uint64_t key;             /* inode of its images */
	uint64_t space;           /* version of the space that was searched last */
	struct version *versions; /* owned; the first is from the start */
	uint32_t n_versions, cap_versions;
	struct wt_pair_table hits; /* {address, version} */
	struct use *uses;          /* owned; by its ids */
	uint32_t cap_uses;
	struct wt_code_map dumped, mapped;
	struct wt_jitdump dump;
	uint64_t dump_at;
	uint64_t dump_read; /* session clock: everything that was in it then has been read */
	int dump_fd, map_fd;
	uint64_t look_again;
	bool map_read, slow;
	struct wt_map_times held; /* of map_fd */
	uint64_t map_since;       /* its map's content has been there since; 0: never looked at */
	struct wt_map_mark mark;
	uint64_t mark_again;
	bool rewritten; /* its map was written anew */
};

struct wt_generated {
	struct process *buckets[BUCKETS], *newest, *last;
	uint32_t n_processes, n_uses, n_files;
	uint32_t own;
	bool shared;
	struct account accounts[MAX_USERS];
	uint32_t n_accounts;
	struct wt_allowance common; /* of all accounts */
	struct wt_code_lacks lacks; /* of processes without an account */
	struct wt_name_shares shares;
	uint32_t looks; /* at maps, since */
	uint64_t looks_since;
	uint64_t keys;
	struct wt_two_clocks clocks;
};

struct wt_generated *wt_generated_create(bool shared)
{
	struct wt_generated *generated = calloc(1, sizeof(*generated));

	if (!generated)
		return NULL;
	generated->own = (uint32_t)geteuid();
	generated->shared = shared;
	generated->keys = wt_clock_now();
	wt_allowance_init(&generated->common, ALL_RATE, ALL_MOST, 0, wt_clock_now());
	if (shared)
		wt_name_shares_begin(&generated->shares, generated->own);
	wt_two_clocks_read(&generated->clocks);
	return generated;
}

static void forget(struct process *process)
{
	for (uint32_t i = 0; i < process->n_versions; i++)
		free(process->versions[i].image);
	free(process->versions);
	free(process->uses);
	wt_pair_table_deinit(&process->hits);
	wt_code_map_deinit(&process->dumped);
	wt_code_map_deinit(&process->mapped);
	if (process->dump_fd >= 0)
		close(process->dump_fd);
	if (process->map_fd >= 0)
		close(process->map_fd);
	free(process);
}

void wt_generated_destroy(struct wt_generated *generated)
{
	struct process *older;

	for (struct process *process = generated ? generated->newest : NULL; process; process = older) {
		older = process->older;
		forget(process);
	}
	free(generated);
}

static struct account *account_of(struct wt_generated *generated, uint32_t uid)
{
	uint32_t i = 0;

	if (!generated->shared || !uid || uid == generated->own)
		return NULL;
	while (i < generated->n_accounts && generated->accounts[i].uid != uid)
		i++;
	if (i == MAX_USERS)
		return &generated->accounts[i - 1];
	if (i < generated->n_accounts)
		return &generated->accounts[i];
	generated->accounts[i].uid = uid;
	wt_allowance_init(&generated->accounts[i].time, USER_RATE, USER_MOST, 0, wt_clock_now());
	generated->accounts[i].time.common = &generated->common;
	generated->n_accounts++;
	return &generated->accounts[i];
}

/* True when there is room for one more object, with n of `most` taken, `own` by this user. An account may
 * take a part of the remaining room, so that some is left for the next one. */
static bool has_room(const struct account *account, uint32_t own, uint32_t n, uint32_t most)
{
	return account ? own < (most - n) / USER_PART : n < most;
}

static struct wt_code_lacks *lacks_of(struct wt_generated *generated, struct account *account)
{
	return account ? &account->lacks : &generated->lacks;
}

/* Begins work for a process. False: its user has no time left for that. Work of the helper process is paid
 * for, too. */
static bool begin_work(struct process *process)
{
	struct account *account = process->account;
	uint64_t now;

	if (!account)
		return true;
	now = wt_clock_now();
	wt_allowance_fill(account->time.common, now);
	wt_allowance_fill(&account->time, now);
	if (wt_allowance_is_spent(&account->time))
		return false;
	wt_allowance_begin(&account->time);
	return true;
}

static void end_work(struct process *process, uint64_t apart)
{
	if (!process->account)
		return;
	wt_allowance_end(&process->account->time);
	wt_allowance_spend(&process->account->time, apart);
}

static struct process *add(struct wt_generated *generated, const struct wt_generated_task *task)
{
	struct process *process, **bucket = &generated->buckets[task->pid % BUCKETS];
	struct wt_generated_place place = {
		.pid = task->pid, .uid = task->uid, .start_time = task->start_time};
	struct account *account;

	/* Processes that cannot be kept are not asked for their user. */
	if (place.uid != UINT32_MAX && (account = account_of(generated, place.uid)) &&
	    !has_room(account, account->processes, generated->n_processes, MAX_PROCESSES)) {
		account->lacks.refused++;
		return NULL;
	}
	wt_generated_look(&place);
	if (place.uid == UINT32_MAX && task->parent_pid)
		place.uid = wt_proc_uid(task->parent_pid);
	account = account_of(generated, place.uid);
	if (!has_room(account, account ? account->processes : 0, generated->n_processes, MAX_PROCESSES) ||
	    !(process = calloc(1, sizeof(*process)))) {
		lacks_of(generated, account)->refused++;
		return NULL;
	}
	process->place = place;
	process->programs = task->programs;
	process->account = account;
	if (account)
		account->processes++;
	process->key = ++generated->keys;
	process->dump_fd = process->map_fd = -1;
	process->dumped.bound = process->mapped.bound = process->account ? USER_MAP_BYTES : MAP_BYTES;
	process->dump = (struct wt_jitdump){.map = &process->dumped,
					    .clock = wt_two_clocks_session,
					    .clock_ctx = &generated->clocks,
					    .time = account ? &account->time : NULL};
	process->next = *bucket;
	*bucket = process;
	process->older = generated->newest;
	generated->newest = process;
	generated->n_processes++;
	return process;
}

static bool is_of(const struct process *process, const struct wt_generated_task *task)
{
	return process->place.pid == task->pid && process->place.start_time == task->start_time &&
	       process->programs == task->programs;
}

static struct process *process_of(struct wt_generated *generated, const struct wt_generated_task *task)
{
	struct process *process = generated->last;

	if (process && is_of(process, task))
		return process;
	process = generated->buckets[task->pid % BUCKETS];
	while (process && !is_of(process, task))
		process = process->next;
	if (!process)
		process = add(generated, task);
	generated->last = process;
	return process;
}

static bool may_hold(struct wt_generated *generated, struct process *process)
{
	if (!has_room(process->account, process->account ? process->account->files : 0, generated->n_files,
		      MAX_FILES))
		return false;
	generated->n_files++;
	if (process->account)
		process->account->files++;
	return true;
}

static void give_back(struct wt_generated *generated, struct process *process)
{
	generated->n_files--;
	if (process->account)
		process->account->files--;
}

/* Returns the bytes that a jitdump's map which has `own` bytes may take. */
static uint64_t bound_of(const struct account *account, uint64_t own)
{
	uint64_t left = account->map_bytes < USER_DUMPS_BYTES ? USER_DUMPS_BYTES - account->map_bytes : 0;

	return own + left < USER_MAP_BYTES ? own + left : USER_MAP_BYTES;
}

static void read_dump(struct wt_generated *generated, struct process *process, bool last)
{
	uint64_t most = process->account ? USER_BYTES : DUMP_BYTES;
	uint64_t used = process->account ? process->account->bytes : process->dump_at;
	uint64_t round = last ? most : ROUND_BYTES, before = process->dump_at, map_bytes, now;

	if (process->dump_fd < 0 || process->dump.ended)
		return;
	if (used >= most) {
		process->dump.ended = process->dumped.cut = true;
		return;
	}
	wt_two_clocks_read(&generated->clocks);
	map_bytes = wt_code_map_bytes(&process->dumped);
	if (process->account)
		process->dumped.bound = bound_of(process->account, map_bytes);
	now = wt_clock_now();
	if (!wt_generated_read_dump(process->dump_fd, &process->dump_at,
				    round < most - used ? round : most - used, &process->dump))
		process->dump_read = now;
	else if (last)
		process->dumped.cut = true;
	if (!process->account)
		return;
	process->account->bytes += process->dump_at - before;
	process->account->map_bytes += wt_code_map_bytes(&process->dumped) - map_bytes;
}

/* A program that writes a jitdump maps the file, so that others can find it. */
static void look_for_dump(struct wt_generated *generated, struct process *process,
			  const struct wt_space *space)
{
	uint64_t apart = 0;
	int tries = 0;

	if (process->space == space->version || process->dump_fd >= 0 || !begin_work(process))
		return;
	process->space = space->version;
	for (uint32_t i = 0; i < space->n && process->dump_fd < 0 && tries < MAX_TRIES; i++) {
		if (!wt_generated_is_dump(&space->ranges[i]) || !may_hold(generated, process))
			continue;
		tries++;
		process->dump_fd = wt_generated_open_dump(&process->place, &space->ranges[i]);
		apart += wt_apart_took();
		if (process->dump_fd < 0)
			give_back(generated, process);
	}
	read_dump(generated, process, false);
	end_work(process, apart);
}

static struct wt_image_entry *make_image(uint64_t key, uint64_t since)
{
	static const char path[] = "[anon]";
	struct wt_image_entry *image = calloc(1, sizeof(*image) + sizeof(path));

	if (!image)
		return NULL;
	image->kind = WT_IMAGE_ANON;
	image->inode = key;
	image->mapped = since;
	image->looked = true;
	image->refs = 1;
	image->path_len = sizeof(path) - 1;
	memcpy(image->path, path, sizeof(path));
	return image;
}

/* Returns the index of the process's image of that version; MAX_VERSIONS: none. */
static uint32_t version_of(struct process *process, uint64_t since, bool add_it)
{
	struct wt_image_entry *image;
	uint32_t from = 0, to = process->n_versions;

	/* Versions are in the order they were met; most queries are for late ones. */
	while (to > from && process->versions[to - 1].since != since)
		to--;
	if (to)
		return to - 1;
	if (!add_it || process->n_versions == MAX_VERSIONS ||
	    (process->account && process->account->versions == MAX_USER_VERSIONS) ||
	    wt_grow(&process->versions, &process->cap_versions, process->n_versions, 1, NULL))
		return MAX_VERSIONS;
	image = make_image(process->key, since);
	if (!image)
		return MAX_VERSIONS;
	process->versions[process->n_versions] = (struct version){.since = since, .image = image};
	if (process->account)
		process->account->versions++;
	return process->n_versions++;
}

static bool may_add_use(struct wt_generated *generated, struct process *process)
{
	if (process->hits.count >= MAX_USES ||
	    !has_room(process->account, process->account ? process->account->uses : 0, generated->n_uses,
		      MAX_ALL_USES) ||
	    wt_grow(&process->uses, &process->cap_uses, process->hits.count, 1, NULL))
		return false;
	generated->n_uses++;
	if (process->account)
		process->account->uses++;
	return true;
}

/* Returns false when the address cannot be kept. */
static bool use(struct wt_generated *generated, struct process *process, uint64_t address, uint32_t version,
		uint64_t time)
{
	struct wt_pair_slot *slot;
	struct use *use;

	if (!wt_pair_table_reserve(&process->hits))
		return false;
	slot = wt_pair_table_find(&process->hits, address, version);
	if (!slot->id) {
		if (!may_add_use(generated, process))
			return false;
		process->uses[wt_pair_table_add(&process->hits, slot, address, version)] = (struct use){time,
													time};
		return true;
	}
	use = &process->uses[slot->id - 1];
	use->first = time < use->first ? time : use->first;
	use->last = time > use->last ? time : use->last;
	return true;
}

static bool may_look(struct wt_generated *generated, uint64_t now)
{
	if (now - generated->looks_since > WT_NSEC) {
		generated->looks_since = now;
		generated->looks = 0;
	}
	return generated->looks++ < LOOKS;
}

/* The content of a map before the first look is unknown. */
static void look_at_map(struct process *process, int fd, const struct wt_map_times *times)
{
	if (!process->map_since)
		process->map_since = times->since;
	if (!wt_generated_map_grew(fd, &process->mark))
		process->rewritten = true;
}

/* Maps are read at the end. While recording, this checks that lines of a map do not disappear. */
static bool watch_map(struct wt_generated *generated, struct process *process)
{
	uint64_t now = wt_clock_now();
	struct wt_map_times times;
	int fd;

	if (process->rewritten || now < process->mark_again || !may_look(generated, now))
		return false;
	process->mark_again = now + LOOK_AGAIN;
	fd = wt_generated_open_map(&process->place, &times);
	if (fd < 0)
		return true;
	look_at_map(process, fd, &times);
	close(fd);
	return true;
}

/* Looks as soon as there is something to name. */
static void look_first(struct wt_generated *generated, struct process *process)
{
	if (!process->mark_again && begin_work(process))
		end_work(process, watch_map(generated, process) ? wt_apart_took() : 0);
}

struct wt_image_entry *wt_generated_image(void *ctx, const struct wt_generated_task *task,
					  const struct wt_space *space, uint64_t address)
{
	struct wt_generated *generated = ctx;
	struct process *process = process_of(generated, task);
	uint32_t version;

	if (!process)
		return NULL;
	look_for_dump(generated, process, space);
	look_first(generated, process);
	version = version_of(process, wt_code_map_since(&process->dumped, address, task->time), true);
	if (version == MAX_VERSIONS || !use(generated, process, address, version, task->time))
		return NULL;
	return process->versions[version].image;
}

/* Reads the jitdump's new records, which may be about the code in the query. */
static void read_on(struct wt_generated *generated, struct process *process, uint64_t time)
{
	if (process->dump_fd < 0 || time <= process->dump_read || !begin_work(process))
		return;
	read_dump(generated, process, false);
	end_work(process, 0);
}

bool wt_generated_rule(void *ctx, const struct wt_generated_task *task, const struct wt_space *space,
		       uint64_t address, struct wt_abi_unwind_rule *ret)
{
	struct wt_generated *generated = ctx;
	struct process *process = space ? process_of(generated, task) : NULL;
	const struct wt_abi_unwind_rule *rule;

	if (!process)
		return false;
	look_for_dump(generated, process, space);
	read_on(generated, process, task->time);
	rule = wt_code_map_rule(&process->dumped, address, task->time);
	if (rule)
		*ret = *rule;
	return rule;
}

/* Holds the map open where it cannot be reached after the process has ended. */
static bool hold_map(struct wt_generated *generated, struct process *process)
{
	uint64_t now = wt_clock_now();

	if (process->map_fd >= 0 || !process->place.elsewhere || now < process->look_again ||
	    !may_hold(generated, process))
		return false;
	process->look_again = now + LOOK_AGAIN;
	process->map_fd = wt_generated_open_map(&process->place, &process->held);
	if (process->map_fd < 0)
		give_back(generated, process);
	return true;
}

/* At the end each user is granted once more the time that may be saved up. */
static void grant(struct wt_generated *generated)
{
	generated->common.left = ALL_MOST;
	for (uint32_t i = 0; i < generated->n_accounts; i++)
		generated->accounts[i].time.left = USER_MOST;
}

void wt_generated_read(struct wt_generated *generated, bool last)
{
	if (last)
		grant(generated);
	for (struct process *process = generated->newest; process; process = process->older) {
		uint64_t apart = 0;

		if (!begin_work(process)) {
			process->dumped.cut |= last && process->dump_fd >= 0 && !process->dump.ended;
			continue;
		}
		if (hold_map(generated, process))
			apart += wt_apart_took();
		if (watch_map(generated, process))
			apart += wt_apart_took();
		read_dump(generated, process, last);
		end_work(process, apart);
	}
}

/* True when two programs of one pid wrote to the map: their lines cannot be told apart. */
static bool has_two_programs(const struct process *process, const struct wt_generated *generated)
{
	const struct process *other = generated->newest;

	while (other && (other == process || other->place.pid != process->place.pid ||
			 other->place.start_time != process->place.start_time))
		other = other->older;
	return other;
}

/* Reads the map as it is at the end. */
static void read_map(struct wt_generated *generated, struct process *process)
{
	struct wt_map_times times = process->held;
	int fd = wt_generated_open_map(&process->place, &times);

	process->map_read = true;
	if (fd < 0 && process->map_fd >= 0) {
		fd = process->map_fd;
		times = process->held;
		process->map_fd = -1;
		give_back(generated, process);
	}
	if (fd < 0)
		return;
	look_at_map(process, fd, &times);
	process->mapped.sure = process->map_since;
	process->mapped.doubted = times.doubted || process->rewritten || has_two_programs(process, generated);
	if (!wt_generated_read_map(fd, &process->mapped))
		lacks_of(generated, process->account)->large++;
	close(fd);
}

/* Frees maps of other processes to make room. */
static void begin_map(struct wt_generated *generated, struct process *process)
{
	uint64_t bytes = 0;

	for (struct process *other = generated->newest; other; other = other->older)
		bytes += wt_code_map_bytes(&other->mapped);
	for (struct process *other = generated->newest; other && bytes > MAP_BYTES; other = other->older) {
		bytes -= wt_code_map_bytes(&other->mapped);
		wt_code_map_deinit(&other->mapped);
		other->map_read = false;
	}
	read_map(generated, process);
}

static struct process *process_of_key(struct wt_generated *generated, uint64_t key)
{
	struct process *process = generated->last;

	if (process && process->key == key)
		return process;
	for (process = generated->newest; process && process->key != key;)
		process = process->older;
	return generated->last = process;
}

/* Finds the code at the address from the first to the last use; reads the process's map where necessary. */
static bool find(struct wt_generated *generated, struct process *process, uint64_t address,
		 const struct use *use, struct wt_code_hit *ret)
{
	if (wt_code_map_find(&process->dumped, address, use->first, use->last, ret))
		return true;
	if (!process->map_read)
		begin_map(generated, process);
	return wt_code_map_find(&process->mapped, address, use->first, use->last, ret);
}

bool wt_generated_name(void *ctx, const struct wt_log_image *image, uint64_t address, struct wt_code_hit *ret)
{
	struct wt_generated *generated = ctx;
	struct process *process = process_of_key(generated, image->inode);
	const struct wt_pair_slot *slot;
	struct wt_name_share *share;
	uint32_t version;
	uint64_t began;
	bool found;

	if (!process || !process->hits.slots)
		return false;
	version = version_of(process, image->mapped, false);
	slot = wt_pair_table_find(&process->hits, address, version);
	if (!slot->id)
		return false;
	share = wt_name_shares_of(&generated->shares, process->place.uid);
	if (wt_name_share_is_spent(&generated->shares, share)) {
		lacks_of(generated, process->account)->slow += !process->slow;
		process->slow = true;
		return false;
	}
	began = wt_clock_now();
	found = find(generated, process, address, &process->uses[slot->id - 1], ret);
	wt_name_share_spend(&generated->shares, share, wt_clock_now() - began);
	return found;
}

static uint32_t count_cut(const struct wt_generated *generated, const struct account *account)
{
	uint32_t n = 0;

	for (const struct process *process = generated->newest; process; process = process->older)
		n += process->account == account && (process->dumped.cut || process->mapped.cut);
	return n;
}

static void tell(const struct wt_generated *generated, const struct account *account, const char *whose)
{
	wt_code_lacks_tell(account ? &account->lacks : &generated->lacks, count_cut(generated, account),
			   whose);
}

void wt_generated_tell(const struct wt_generated *generated)
{
	char whose[32] = "of nobody known";

	tell(generated, NULL, generated->own ? "of the session's user" : "of root");
	for (uint32_t i = 0; i < generated->n_accounts; i++) {
		if (generated->accounts[i].uid != UINT32_MAX)
			snprintf(whose, sizeof(whose), "of uid %u", generated->accounts[i].uid);
		else
			snprintf(whose, sizeof(whose), "of nobody known");
		tell(generated, &generated->accounts[i], whose);
	}
}
