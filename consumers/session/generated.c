// SPDX-License-Identifier: MIT
#include "consumers/session/generated.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "consumers/record/pair_table.h"
#include "consumers/record/task_probe.h"
#include "consumers/session/generated_files.h"
#include "consumers/symbols/name_shares.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

enum {
	BUCKETS = 256,
	MAX_PROCESSES = 1024,
	MAX_VERSIONS = 4096,     /* of a process */
	MAX_USES = 1 << 18,      /* addresses of a process, */
	MAX_ALL_USES = 1 << 20,  /* of all, */
	MAX_USER_USES = 1 << 16, /* and of another user's */
	MAX_FILES = 128,         /* held open, */
	MAX_USER_FILES = 16,     /* and another user's */
	MAX_USERS = 64,          /* distinguished; the others share the last one's share */
};
/* Bytes of a jitdump that one round reads, and of all of it that are read at all, ours and another user's. */
#define ROUND_BYTES (UINT64_C(8) << 20)
#define DUMP_BYTES  (UINT64_C(1) << 30)
#define USER_BYTES  (UINT64_C(64) << 20)
/* Bytes of a map in memory, ours and another user's. */
#define MAP_BYTES      (UINT64_C(48) << 20)
#define USER_MAP_BYTES (UINT64_C(4) << 20)
/* How often a file that is not there yet is looked for. */
#define LOOK_AGAIN (WT_NSEC / 2)
/* Looks a second at whether maps only grow, of all processes. */
#define LOOKS 64
/* Readings of both clocks from which times are known. */
enum { READINGS = 256 };

struct version {
	uint64_t since;
	struct wt_image_entry *image; /* owned */
};

/* When an address was hit. */
struct use {
	uint64_t first, last;
};

/* What one user's processes have taken. */
struct account {
	uint32_t uid;
	uint32_t uses, files;
	uint64_t bytes; /* read of jitdumps */
};

struct process {
	struct process *next;  /* in its bucket */
	struct process *older; /* of all */
	struct wt_generated_place place;
	uint32_t programs;        /* as in the task */
	struct account *account;  /* NULL: needs none */
	uint64_t key;             /* images of it have this inode */
	uint64_t space;           /* version of the space that was looked through */
	struct version *versions; /* owned; the first is from the start */
	uint32_t n_versions, cap_versions;
	struct wt_pair_table hits; /* {address, version} */
	struct use *uses;          /* owned; by its ids */
	uint32_t cap_uses;
	struct wt_code_map dumped, mapped;
	struct wt_jitdump dump;
	uint64_t dump_at;
	int dump_fd, map_fd;
	uint64_t look_again;
	bool map_read, map_doubted;
	struct wt_map_mark mark;
	uint64_t mark_again;
	bool rewritten; /* its map has been written anew */
};

struct wt_generated {
	struct process *buckets[BUCKETS], *newest, *last;
	uint32_t n_processes, n_uses, n_files;
	uint32_t own;
	bool shared;
	struct account accounts[MAX_USERS];
	uint32_t n_accounts;
	struct wt_name_shares shares;
	uint32_t n_large;
	uint32_t looks; /* at maps, since */
	uint64_t looks_since;
	uint64_t keys;
	struct wt_clockset readings[READINGS];
	uint32_t n_readings;
};

/* Both clocks run evenly between two readings that are near. */
static void read_clocks(struct wt_generated *generated)
{
	struct wt_clockset *last = generated->readings + generated->n_readings;

	if (generated->n_readings > 1 && wt_clock_now() - last[-2].raw < WT_NSEC)
		last--;
	else if (generated->n_readings == READINGS) {
		for (uint32_t i = 0; i < READINGS / 2; i++)
			generated->readings[i] = generated->readings[2 * i];
		generated->n_readings = READINGS / 2;
		last = generated->readings + generated->n_readings++;
	} else {
		generated->n_readings++;
	}
	wt_clock_sample(last);
}

static uint64_t to_session(void *ctx, uint64_t mono)
{
	const struct wt_generated *generated = ctx;
	const struct wt_clockset *a = generated->readings, *b = a;
	uint32_t i = 0;

	while (i + 1 < generated->n_readings && generated->readings[i + 1].mono <= mono)
		i++;
	a = b = &generated->readings[i];
	if (i + 1 < generated->n_readings)
		b = a + 1;
	if (b->mono <= a->mono || mono < a->mono || mono - a->mono > b->mono - a->mono)
		return mono + (a->raw - a->mono);
	return a->raw +
	       (uint64_t)((double)(mono - a->mono) * (double)(b->raw - a->raw) / (double)(b->mono - a->mono));
}

struct wt_generated *wt_generated_create(bool shared)
{
	struct wt_generated *generated = calloc(1, sizeof(*generated));

	if (!generated)
		return NULL;
	generated->own = (uint32_t)geteuid();
	generated->shared = shared;
	generated->keys = wt_clock_now();
	if (shared)
		wt_name_shares_begin(&generated->shares, generated->own);
	read_clocks(generated);
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
	if (i == generated->n_accounts)
		generated->accounts[generated->n_accounts++].uid = uid;
	return &generated->accounts[i];
}

static struct process *add(struct wt_generated *generated, const struct wt_generated_task *task)
{
	struct process *process, **bucket = &generated->buckets[task->pid % BUCKETS];

	if (generated->n_processes == MAX_PROCESSES || !(process = calloc(1, sizeof(*process))))
		return NULL;
	process->place = (struct wt_generated_place){
		.pid = task->pid, .uid = task->uid, .start_time = task->start_time};
	process->programs = task->programs;
	wt_generated_look(&process->place);
	if (process->place.uid == UINT32_MAX && task->parent_pid)
		process->place.uid = wt_task_probe_uid(task->parent_pid);
	process->account = account_of(generated, process->place.uid);
	process->key = ++generated->keys;
	process->dump_fd = process->map_fd = -1;
	process->dumped.bound = process->mapped.bound = process->account ? USER_MAP_BYTES : MAP_BYTES;
	process->dump = (struct wt_jitdump){
		.map = &process->dumped, .clock = to_session, .clock_ctx = generated};
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
	if (generated->n_files == MAX_FILES ||
	    (process->account && process->account->files == MAX_USER_FILES))
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

static void read_dump(struct wt_generated *generated, struct process *process, bool last)
{
	uint64_t most = process->account ? USER_BYTES : DUMP_BYTES;
	uint64_t used = process->account ? process->account->bytes : process->dump_at;
	uint64_t round = last ? most : ROUND_BYTES, before = process->dump_at;

	if (process->dump_fd < 0 || process->dump.ended)
		return;
	if (used >= most) {
		process->dump.ended = process->dumped.cut = true;
		return;
	}
	read_clocks(generated);
	wt_generated_read_dump(process->dump_fd, &process->dump_at, round < most - used ? round : most - used,
			       &process->dump);
	if (process->account)
		process->account->bytes += process->dump_at - before;
}

/* A program that writes a jitdump maps it, so that others learn of it. */
static void look_for_dump(struct wt_generated *generated, struct process *process,
			  const struct wt_space *space)
{
	if (process->space == space->version || process->dump_fd >= 0)
		return;
	process->space = space->version;
	for (uint32_t i = 0; i < space->n && process->dump_fd < 0; i++) {
		if (!wt_generated_is_dump(&space->ranges[i]) || !may_hold(generated, process))
			continue;
		process->dump_fd = wt_generated_open_dump(&process->place, &space->ranges[i]);
		if (process->dump_fd < 0)
			give_back(generated, process);
	}
	read_dump(generated, process, false);
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

/* The process's image of that version, MAX_VERSIONS: none. */
static uint32_t version_of(struct process *process, uint64_t since, bool add_it)
{
	struct wt_image_entry *image;
	uint32_t from = 0, to = process->n_versions;

	/* In the order they were met: most questions are of late ones. */
	while (to > from && process->versions[to - 1].since != since)
		to--;
	if (to)
		return to - 1;
	if (!add_it || process->n_versions == MAX_VERSIONS ||
	    wt_grow(&process->versions, &process->cap_versions, process->n_versions, 1, NULL))
		return MAX_VERSIONS;
	image = make_image(process->key, since);
	if (!image)
		return MAX_VERSIONS;
	process->versions[process->n_versions] = (struct version){.since = since, .image = image};
	return process->n_versions++;
}

static bool may_add_use(struct wt_generated *generated, struct process *process)
{
	if (process->hits.count >= MAX_USES || generated->n_uses >= MAX_ALL_USES ||
	    (process->account && process->account->uses >= MAX_USER_USES) ||
	    wt_grow(&process->uses, &process->cap_uses, process->hits.count, 1, NULL))
		return false;
	generated->n_uses++;
	if (process->account)
		process->account->uses++;
	return true;
}

/* False: the address cannot be kept. */
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

struct wt_image_entry *wt_generated_image(void *ctx, const struct wt_generated_task *task,
					  const struct wt_space *space, uint64_t address)
{
	struct wt_generated *generated = ctx;
	struct process *process = process_of(generated, task);
	uint32_t version;

	if (!process)
		return NULL;
	look_for_dump(generated, process, space);
	version = version_of(process, wt_code_map_since(&process->dumped, address, task->time), true);
	if (version == MAX_VERSIONS || !use(generated, process, address, version, task->time))
		return NULL;
	return process->versions[version].image;
}

/* Where others cannot reach it once the process is gone it is held. */
static void hold_map(struct wt_generated *generated, struct process *process)
{
	uint64_t now = wt_clock_now();

	if (process->map_fd >= 0 || !process->place.elsewhere || now < process->look_again ||
	    !may_hold(generated, process))
		return;
	process->look_again = now + LOOK_AGAIN;
	process->map_fd = wt_generated_open_map(&process->place, &process->map_doubted);
	if (process->map_fd < 0)
		give_back(generated, process);
}

static bool may_look(struct wt_generated *generated, uint64_t now)
{
	if (now - generated->looks_since > WT_NSEC) {
		generated->looks_since = now;
		generated->looks = 0;
	}
	return generated->looks++ < LOOKS;
}

/* A map is read at the end: what it told before and does not any more is found out meanwhile. */
static void watch_map(struct wt_generated *generated, struct process *process)
{
	uint64_t now = wt_clock_now();
	bool doubted;
	int fd;

	if (process->rewritten || now < process->mark_again || !may_look(generated, now))
		return;
	process->mark_again = now + LOOK_AGAIN;
	fd = wt_generated_open_map(&process->place, &doubted);
	if (fd < 0)
		return;
	process->rewritten = !wt_generated_map_grew(fd, &process->mark);
	close(fd);
}

void wt_generated_read(struct wt_generated *generated, bool last)
{
	for (struct process *process = generated->newest; process; process = process->older) {
		hold_map(generated, process);
		watch_map(generated, process);
		read_dump(generated, process, last);
	}
}

/* What one process number said of two programs cannot be separated. */
static bool has_two_programs(const struct process *process, const struct wt_generated *generated)
{
	const struct process *other = generated->newest;

	while (other && (other == process || other->place.pid != process->place.pid ||
			 other->place.start_time != process->place.start_time))
		other = other->older;
	return other;
}

/* The map as it is at the end. */
static void read_map(struct wt_generated *generated, struct process *process)
{
	struct wt_name_share *share;
	bool doubted = process->map_doubted;
	uint64_t began = wt_clock_now();
	int fd = wt_generated_open_map(&process->place, &doubted);

	process->map_read = true;
	if (fd < 0 && process->map_fd >= 0) {
		fd = process->map_fd;
		doubted = process->map_doubted;
		process->map_fd = -1;
		give_back(generated, process);
	}
	if (fd < 0)
		return;
	if (!wt_generated_map_grew(fd, &process->mark))
		process->rewritten = true;
	process->mapped.doubted = doubted || process->rewritten || has_two_programs(process, generated);
	if (!wt_name_shares_allow_file(&generated->shares, process->place.uid, 0, &share) ||
	    !wt_generated_read_map(fd, &process->mapped))
		generated->n_large++;
	wt_name_share_spend(&generated->shares, share, wt_clock_now() - began);
	close(fd);
}

/* Maps of other processes make room. */
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

bool wt_generated_name(void *ctx, const struct wt_log_image *image, uint64_t address, struct wt_code_hit *ret)
{
	struct wt_generated *generated = ctx;
	struct process *process = process_of_key(generated, image->inode);
	const struct wt_pair_slot *slot;
	const struct use *use;
	uint32_t version;

	if (!process || !process->hits.slots)
		return false;
	version = version_of(process, image->mapped, false);
	slot = wt_pair_table_find(&process->hits, address, version);
	if (!slot->id)
		return false;
	use = &process->uses[slot->id - 1];
	if (wt_code_map_find(&process->dumped, address, use->first, use->last, ret))
		return true;
	if (!process->map_read)
		begin_map(generated, process);
	return wt_code_map_find(&process->mapped, address, use->first, use->last, ret);
}

void wt_generated_tell(const struct wt_generated *generated)
{
	uint32_t cut = 0;

	for (const struct process *process = generated->newest; process; process = process->older)
		cut += process->dumped.cut || process->mapped.cut;
	if (generated->n_large)
		wt_warn("the generated code of %u processes has no names: their perf maps take longer to "
			"read than one user's files may at the end of a session, or are larger than %u MiB",
			generated->n_large, (unsigned)(WT_GENERATED_FILE >> 20));
	if (cut)
		wt_warn("names of the generated code of %u processes are not sure, or lack: they tell of "
			"more code "
			"than is kept",
			cut);
}
