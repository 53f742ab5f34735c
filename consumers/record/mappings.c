// SPDX-License-Identifier: MIT
/* The mappings of each process, from the loader's events: the mappings of struct wt_identity. */
#include "consumers/record/identity.h"
#include "tracecore/base/bound.h"
#include "consumers/record/image_change.h"

#include <string.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/proc.h"
#include "tracecore/event.h"

/* Start of the kernel's half when the kernel's load address is hidden (kptr_restrict). */
#define KERNEL_HALF (UINT64_C(1) << 63)
#define DELETED     " (deleted)"
/* Written pieces of one mapping that are kept one by one; beyond that number the whole mapping counts as
 * written. */
#define WRITTEN_MAX 32

static bool in_kernel(const struct wt_image_payload *payload)
{
	return payload->pid == WT_PID_KERNEL || payload->kind == WT_IMAGE_KERNEL ||
	       payload->kind == WT_IMAGE_MODULE || payload->kind == WT_IMAGE_KSYMBOL;
}

/* Makes a range with offsets by the rules of struct wt_log_frame; the image stays NULL. */
static struct wt_range range_of(const struct wt_image_payload *payload)
{
	struct wt_range range = {.start = payload->address};
	uint64_t room = UINT64_MAX - payload->address;

	range.end = range.start + (payload->size < room ? payload->size : room);
	if (payload->kind == WT_IMAGE_KERNEL && !payload->address)
		return (struct wt_range){.start = KERNEL_HALF, .end = UINT64_MAX};
	if (payload->kind == WT_IMAGE_FILE || payload->kind == WT_IMAGE_VDSO)
		range.bias = payload->file_offset - payload->address;
	else if (payload->kind != WT_IMAGE_ANON)
		range.bias = 0 - payload->address;
	return range;
}

static struct wt_str without_deleted(struct wt_str path)
{
	uint32_t n = sizeof(DELETED) - 1;

	if (path.len > n && !memcmp(path.p + path.len - n, DELETED, n))
		path.len -= n;
	return path;
}

static bool same_path(const struct wt_image_entry *image, struct wt_str path)
{
	struct wt_str known = without_deleted(wt_str_of(image->path, image->path_len));

	path = without_deleted(path);
	return known.len == path.len && (!path.len || !memcmp(known.p, path.p, path.len));
}

/* Live records and /proc report different facts about a file: inode, build id, or both. */
static bool same_image(const struct wt_image_entry *image, const struct wt_image_payload *payload)
{
	bool same_inode = image->inode && image->inode == payload->inode && image->device == payload->device;

	if (image->kind != payload->kind)
		return false;
	if (image->build_id_len && payload->build_id.len &&
	    (image->build_id_len != payload->build_id.len ||
	     memcmp(image->build_id, payload->build_id.p, payload->build_id.len)))
		return false;
	return same_inode || ((!image->inode || !payload->inode) && same_path(image, payload->path));
}

static bool is_mapped(const struct wt_space *space, const struct wt_range *range,
		      const struct wt_image_payload *payload, const struct wt_image_entry **ret)
{
	const struct wt_range *old = wt_space_look(space, range->start);

	if (!old || old->end < range->end || old->bias != range->bias || !same_image(old->image, payload))
		return false;
	*ret = old->image;
	return true;
}

/* The first file mapped after exec is the program itself. */
static void take_exe(struct wt_identity *identity, struct wt_process *process,
		     const struct wt_image_payload *payload)
{
	bool file = payload->kind == WT_IMAGE_FILE ||
		    (payload->kind == WT_IMAGE_ANON && payload->path.len && payload->path.p[0] == '/');

	if (!process->exe_due || !file)
		return;
	process->exe_due = false;
	if (payload->path.len == process->exe.len &&
	    !memcmp(payload->path.p, process->exe.p, payload->path.len))
		return;
	if (wt_process_set_exe(&identity->tasks, process, payload->path))
		process->row.epoch = 0;
}

/* Returns another image for a file that may have been overwritten in place since other processes mapped it.
 * The holder of the only reference is the first. */
static struct wt_image_entry *image_now(struct wt_identity *identity, const struct wt_image_payload *payload,
					bool elsewhere, uint64_t time)
{
	struct wt_image_entry *image = wt_image_set_get(&identity->images, payload, time);

	/* Only the process itself can look where it maps. */
	if (image && elsewhere && image->kind == WT_IMAGE_FILE)
		wt_image_change(image, &identity->mounts);
	if (!image || image->refs == 1 || !wt_image_is_past(image, time, &identity->mounts))
		return image;
	wt_image_set_put(&identity->images, image);
	return wt_image_set_get(&identity->images, payload, time);
}

/* Index of the first range that ends behind the address. */
static uint32_t first_behind(const struct wt_space *space, uint64_t address)
{
	return WT_BOUND(i, 0, space ? space->n : 0, space->ranges[i].end <= address);
}

/* Finds memory of a file that could be written to (anonymous, with the file's path), below a mapping of that
 * file. Written pages stay when the rights of the mapping change, and no event distinguishes this from a new
 * mapping. Returns the number of pieces and shares the first WRITTEN_MAX of them into ret. */
static uint32_t written_below(const struct wt_space *space, const struct wt_range *range,
			      const struct wt_image_payload *payload, struct wt_range ret[WRITTEN_MAX])
{
	uint32_t n = 0;

	if (!space || payload->kind != WT_IMAGE_FILE || !payload->path.len)
		return 0;
	for (uint32_t i = first_behind(space, range->start); i < space->n; i++) {
		struct wt_range piece = space->ranges[i];

		if (piece.start >= range->end)
			break;
		if (piece.image->kind != WT_IMAGE_ANON || !same_path(piece.image, payload->path))
			continue;
		piece.start = piece.start > range->start ? piece.start : range->start;
		piece.end = piece.end < range->end ? piece.end : range->end;
		if (n < WRITTEN_MAX) {
			wt_image_set_share(piece.image);
			ret[n] = piece;
		}
		n++;
	}
	return n;
}

/* A written piece lies on top of the mapping, or is all of it. Gives the pieces back. */
static int map_written(struct wt_identity *identity, struct wt_space **space, const struct wt_range *range,
		       struct wt_range written[WRITTEN_MAX], uint32_t n)
{
	struct wt_range whole = *range;
	int failed = 0;

	if (n > WRITTEN_MAX) {
		whole.bias = 0;
		whole.image = written[0].image;
		failed = wt_space_map(space, &identity->images, &whole);
		n = WRITTEN_MAX;
	} else {
		for (uint32_t i = 0; i < n && !failed; i++)
			failed = wt_space_map(space, &identity->images, &written[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		wt_image_set_put(&identity->images, written[i].image);
	return failed;
}

void wt_identity_ask_owner(struct wt_identity *identity, struct wt_process *process)
{
	uint64_t from = wt_clock_now();
	uint32_t uid;

	if (!identity->probing || !wt_map_shares_frees(&identity->shares, process->uid))
		return;
	uid = wt_proc_uid(process->pid);
	if (uid == UINT32_MAX)
		return;
	process->uid = process->euid = uid;
	process->ids_from = from;
	process->ids_by = wt_clock_now();
}

/* Finds the share that the process's mappings count for. For a process that maps much, the kernel is asked.
 */
static struct wt_map_share *share_of(struct wt_identity *identity, struct wt_process *process)
{
	uint32_t n = process->space->n;
	bool doubtful = process->uid == UINT32_MAX ? n % 64 == 63
						   : n % WT_MAPPINGS_MOST == WT_MAPPINGS_MOST - 1;

	if (!identity->shares.users.on)
		return NULL;
	if (doubtful)
		wt_identity_ask_owner(identity, process);
	return wt_map_shares_of(&identity->shares, process->uid);
}

/* The mapping lies within one range and leaves parts of it on both sides. The part behind it is removed too,
 * so that the space does not grow. */
static uint64_t end_without_growth(const struct wt_space *space, const struct wt_range *range)
{
	const struct wt_range *old = wt_space_look(space, range->start);

	return old && old->end > range->end ? old->end : range->end;
}

/* Forgets all mappings of the process, because a copy of the space it shares is beyond the share, too. */
static int forget_all(struct wt_identity *identity, struct wt_process *process)
{
	struct wt_space *empty = wt_space_create(&identity->images);

	if (!empty)
		return -1;
	empty->left_out = true;
	wt_process_set_space(&identity->tasks, process, empty);
	wt_space_put(empty, &identity->images);
	return 0;
}

static bool can_own(const struct wt_space *space, const struct wt_map_share *share)
{
	return space->refs == 1 || wt_map_share_has(share, space->n * sizeof(*space->ranges));
}

/* Leaves the mapping out. Mappings that it covers are removed nevertheless. */
static enum wt_news leave_out(struct wt_identity *identity, struct wt_process *process,
			      const struct wt_range *range, struct wt_map_share *share, bool is_news)
{
	struct wt_space **space = &process->space;
	uint64_t end = end_without_growth(*space, range);

	if (is_news || !(*space)->left_out)
		wt_user_share_leave_out(&share->user, process->pid);
	if (!can_own(*space, share)) {
		if (forget_all(identity, process))
			return WT_NEWS_LOST;
	} else if (wt_space_own(space, &identity->images) ||
		   wt_space_unmap(space, &identity->images, range->start, end)) {
		return WT_NEWS_LOST;
	}
	(*space)->left_out = true;
	return WT_NEWS_LEFT_OUT;
}

/* True when there is room for one more mapping, its image and, where the space is shared, the process's own
 * copy of it. */
static bool has_room(const struct wt_space *space, const struct wt_image_payload *payload,
		     const struct wt_range *range, const struct wt_map_share *share)
{
	uint64_t need = sizeof(*range) + sizeof(struct wt_image_entry) + payload->path.len;
	const struct wt_range *old;

	if (!share)
		return true;
	if (space->refs > 1)
		need += space->n * sizeof(*range);
	old = wt_space_look(space, range->start);
	if (space->n >= WT_MAPPINGS_MOST && !(old && old->start == range->start && old->end == range->end))
		return false;
	return wt_map_share_has(share, need);
}

/* True when nobody checked that the mapping has the file's bytes. Where nobody could check, only mappings
 * that the kernel makes in an exec are sure to have them. A later mapping may come from taking back a right
 * to write. */
static bool is_unseen(const struct wt_space *space, const struct wt_range *range,
		      const struct wt_image_payload *payload, bool is_news)
{
	const struct wt_image_entry *known;

	if (payload->kind != WT_IMAGE_FILE || !payload->seen)
		return false;
	return payload->seen & WT_EVENT_UNSEEN || !is_news || space->begun ||
	       is_mapped(space, range, payload, &known);
}

/* is_news: just mapped, not a repeated report. */
static enum wt_news map(struct wt_identity *identity, struct wt_process *process, struct wt_range *range,
			const struct wt_image_payload *payload, uint64_t time, bool is_news)
{
	struct wt_space **space = process ? &process->space : &identity->kernel;
	struct wt_map_share *share = process ? share_of(identity, process) : NULL;
	struct wt_range written[WRITTEN_MAX];
	uint32_t n;
	int failed;

	if (!has_room(*space, payload, range, share))
		return leave_out(identity, process, range, share, is_news);
	if (wt_identity_bytes(identity) > identity->tasks.bound)
		return WT_NEWS_LOST;
	range->unseen = is_unseen(*space, range, payload, is_news);
	range->image = image_now(identity, payload, process && process->elsewhere, time);
	if (!range->image)
		return WT_NEWS_LOST;
	wt_image_charge(range->image, share);
	n = written_below(*space, range, payload, written);
	failed = wt_space_map(space, &identity->images, range);
	(*space)->begun |= !failed && payload->kind == WT_IMAGE_VDSO;
	if (map_written(identity, space, range, written, n) && !failed)
		failed = -1;
	wt_image_set_put(&identity->images, range->image);
	if (!failed && process)
		wt_space_charge(*space, share);
	return failed ? WT_NEWS_LOST : WT_NEWS;
}

/* True when the process has begun no other program since its mappings were recorded. Another program would
 * have its vdso elsewhere. */
static bool is_as_known(const struct wt_identity *identity, uint32_t pid)
{
	const struct wt_process *process = wt_tasks_process(&identity->tasks, pid);
	const struct wt_space *space = process ? process->space : NULL;

	for (uint32_t i = 0; space && i < space->n; i++)
		if (space->ranges[i].image->kind == WT_IMAGE_VDSO)
			return wt_task_probe_has(pid, space->ranges[i].start);
	return false;
}

/* A process that has another memory now, because it runs another program, may have shared it at the time of
 * the mapping. */
static enum wt_memory ask_kernel(void *ctx, uint32_t a, uint32_t b)
{
	enum wt_memory memory = wt_task_probe_memory(a, b);

	if (memory == WT_MEMORY_OTHER && !(is_as_known(ctx, a) && is_as_known(ctx, b)))
		return WT_MEMORY_UNKNOWN;
	return memory;
}

/* Marks the address as unknown where the image recorded there may not be the one mapped by a sharer. */
static void doubt_there(struct wt_identity *identity, struct wt_process *process, struct wt_range *range,
			const struct wt_image_payload *payload, uint64_t time)
{
	const struct wt_image_payload in_doubt = {
		.kind = WT_IMAGE_IN_DOUBT, .path = {WT_MAPPINGS_IN_DOUBT, sizeof(WT_MAPPINGS_IN_DOUBT) - 1}};
	const struct wt_space *space = process->space;
	uint32_t i = first_behind(space, range->start);
	const struct wt_image_entry *known;

	if (i < space->n && space->ranges[i].start < range->end && !is_mapped(space, range, payload, &known))
		map(identity, process, range, &in_doubt, time, true);
}

struct missing {
	struct wt_identity *identity;
	uint64_t time;
};

static void miss(void *ctx, struct wt_process *process)
{
	const struct missing *missing = ctx;

	wt_identity_miss(missing->identity, process, missing->time);
}

/* Relatives beyond the number that the kernel is asked about: their mappings have to be read again. */
static void miss_rest(struct wt_identity *identity, struct wt_process *process,
		      const struct wt_sharers *sharers, uint64_t time)
{
	struct missing missing = {.identity = identity, .time = time};

	if (sharers->more)
		wt_kin_rest(process, sharers, miss, &missing);
}

void wt_identity_sharers(struct wt_identity *identity, const struct wt_image_payload *payload, uint64_t time,
			 struct wt_sharers *ret)
{
	struct wt_process *process = in_kernel(payload) ? NULL
							: wt_tasks_process(&identity->tasks, payload->pid);
	struct wt_sharers found;

	ret->n = 0;
	if (!identity->probing || !process || !wt_kin_has(&process->kin))
		return;
	wt_kin_sharers(process, ask_kernel, identity, &found);
	miss_rest(identity, process, &found, time);
	for (uint32_t i = 0; i < found.n; i++) {
		struct wt_range range = range_of(payload);

		if (found.of[i].memory == WT_MEMORY_SAME)
			ret->of[ret->n++] = found.of[i];
		else if (range.start < range.end)
			doubt_there(identity, found.of[i].process, &range, payload, time);
	}
}

/* Where there is no room for the part, nothing is known about this memory any more. */
static void write_to(struct wt_identity *identity, struct wt_process *process,
		     const struct wt_image_payload *payload)
{
	const struct wt_map_share *share = share_of(identity, process);

	if (!wt_map_share_has(share, sizeof(struct wt_write)) ||
	    wt_identity_bytes(identity) > identity->tasks.bound || !payload->inode)
		wt_space_forget_writes(process->space, &identity->images);
	else if (wt_space_write(&process->space, &identity->images, payload))
		wt_space_forget_writes(process->space, &identity->images);
}

/* A relative that has a memory of its own by now may have shared it at that time. */
void wt_identity_writable(struct wt_identity *identity, const struct wt_image_payload *payload, uint64_t time)
{
	struct wt_process *process = wt_tasks_process(&identity->tasks, payload->pid);
	struct wt_sharers sharers;

	/* The memory of an unknown process is not known to be complete. */
	if (!process)
		return;
	write_to(identity, process, payload);
	if (!identity->probing || !wt_kin_has(&process->kin))
		return;
	wt_kin_sharers(process, ask_kernel, identity, &sharers);
	for (uint32_t i = 0; i < sharers.n; i++)
		write_to(identity, sharers.of[i].process, payload);
	if (sharers.more)
		wt_identity_lose_writes(identity, time);
}

static void note_moved(struct wt_identity *identity, struct wt_process *process)
{
	if (process->space->moved)
		return;
	if (wt_space_own(&process->space, &identity->images))
		wt_space_forget_writes(process->space, &identity->images);
	process->space->moved = true;
}

void wt_identity_moved(struct wt_identity *identity, uint32_t pid)
{
	struct wt_process *process = wt_tasks_process(&identity->tasks, pid);
	struct wt_sharers sharers;

	if (!process)
		return;
	note_moved(identity, process);
	if (!identity->probing || !wt_kin_has(&process->kin))
		return;
	wt_kin_sharers(process, ask_kernel, identity, &sharers);
	for (uint32_t i = 0; i < sharers.n; i++)
		note_moved(identity, sharers.of[i].process);
	/* Memory of the others counts as moved, too. */
	if (sharers.more)
		identity->watches_moves = false;
}

bool wt_identity_files(const struct wt_identity *identity, uint32_t pid, uint64_t address, uint64_t end,
		       struct wt_image_payload *ret)
{
	const struct wt_process *process = wt_tasks_process(&identity->tasks, pid);
	const struct wt_space *space = process ? process->space : NULL;

	for (uint32_t i = first_behind(space, address); space && i < space->n; i++) {
		const struct wt_range *range = &space->ranges[i];
		const struct wt_image_entry *image = range->image;
		uint64_t from = range->start > address ? range->start : address;

		if (from >= end)
			break;
		if (image->kind != WT_IMAGE_FILE)
			continue;
		*ret = (struct wt_image_payload){
			.pid = pid,
			.tid = pid,
			.kind = WT_IMAGE_FILE,
			.address = from,
			.size = (range->end < end ? range->end : end) - from,
			.file_offset = from + range->bias,
			.device = image->device,
			.inode = image->inode,
			.path = wt_str_of(image->path, image->path_len),
		};
		return true;
	}
	return false;
}

void wt_identity_lose_writes(struct wt_identity *identity, uint64_t until)
{
	if (until > identity->writes_from)
		identity->writes_from = until;
}

bool wt_identity_untouched(const struct wt_identity *identity, const struct wt_image_payload *payload,
			   struct wt_writes_part *here, struct wt_writes_part *elsewhere)
{
	const struct wt_process *process = wt_tasks_process(&identity->tasks, payload->pid);

	*here = *elsewhere = (struct wt_writes_part){0};
	if (!process || !payload->inode)
		return false;
	wt_writes_find(&process->space->writes, payload, here, elsewhere);
	if (identity->watches_moves && !process->space->moved)
		*elsewhere = (struct wt_writes_part){0};
	return process->space->writes.since > identity->writes_from && process->sure == identity->doubts;
}

void wt_identity_miss_all(struct wt_identity *identity, struct wt_process *process, uint64_t time)
{
	struct wt_sharers sharers;

	wt_identity_miss(identity, process, time);
	if (!identity->probing || !wt_kin_has(&process->kin))
		return;
	wt_kin_sharers(process, ask_kernel, identity, &sharers);
	miss_rest(identity, process, &sharers, time);
	for (uint32_t i = 0; i < sharers.n; i++)
		wt_identity_miss(identity, sharers.of[i].process, time);
}

static enum wt_news unmap(struct wt_identity *identity, struct wt_space **space,
			  const struct wt_image_payload *payload)
{
	const struct wt_range *old = wt_space_look(*space, payload->address);
	struct wt_range range = range_of(payload);

	if (!payload->size && old)
		range.end = old->end;
	return wt_space_unmap(space, &identity->images, range.start, range.end) ? WT_NEWS_LOST : WT_NEWS;
}

/* True when the payload has an inode or a build id that the live record lacked. */
static bool tells_more(const struct wt_image_entry *known, const struct wt_image_payload *payload)
{
	return (payload->build_id.len && !known->build_id_len) || (payload->inode && !known->inode);
}

/* Combines both records under the name of the live one, because the file may have been deleted since. */
static struct wt_image_payload fuller(const struct wt_image_entry *known,
				      const struct wt_image_payload *payload)
{
	struct wt_image_payload both = *payload;

	both.path = wt_str_of(known->path, known->path_len);
	if (!both.build_id.len)
		both.build_id = wt_str_of(known->build_id, known->build_id_len);
	if (!both.inode) {
		both.device = known->device;
		both.inode = known->inode;
	}
	return both;
}

/* The file may have changed since it was mapped. The time at which a change was first seen stays. */
static enum wt_news rundown(struct wt_identity *identity, struct wt_process *process, struct wt_range *range,
			    const struct wt_image_payload *payload, uint64_t time)
{
	const struct wt_space *space = process ? process->space : identity->kernel;
	const struct wt_image_entry *known;
	struct wt_image_payload both;
	enum wt_news news;
	bool seen;

	if (!is_mapped(space, range, payload, &known))
		return map(identity, process, range, payload, time, false);
	seen = payload->seen || !wt_space_look(space, range->start)->unseen;
	if (!tells_more(known, payload) && seen)
		return WT_NEWS_KNOWN;
	both = fuller(known, payload);
	news = map(identity, process, range, &both,
		   known->mapped && known->mapped < time ? known->mapped : time, false);
	return news == WT_NEWS ? WT_NEWS_KNOWN : news;
}

enum wt_news wt_identity_image(struct wt_identity *identity, uint16_t kind,
			       const struct wt_image_payload *payload, uint64_t time)
{
	struct wt_process *process = NULL;
	struct wt_space **space = &identity->kernel;
	struct wt_range range = range_of(payload);
	enum wt_news news;

	identity->tasks.changes++;
	if (!in_kernel(payload)) {
		process = wt_identity_process(identity, payload->pid);
		if (!process)
			return WT_NEWS_LOST;
		space = &process->space;
	}
	if (identity->counting && kind != WT_IMAGE_LOAD && payload->pid == identity->counting)
		wt_identity_end_count(identity, time);
	if (kind == WT_IMAGE_UNLOAD)
		return unmap(identity, space, payload);
	if (range.start >= range.end)
		return WT_NEWS;
	if (kind == WT_IMAGE_LOAD) {
		if (process)
			take_exe(identity, process, payload);
		if (process && payload->kind == WT_IMAGE_VDSO)
			wt_identity_vdso(identity, process, time);
		return map(identity, process, &range, payload, time, true);
	}
	news = rundown(identity, process, &range, payload, time);
	return kind == WT_IMAGE_RUNDOWN_END && news == WT_NEWS_KNOWN ? WT_NEWS : news;
}
