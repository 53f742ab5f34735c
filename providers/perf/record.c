// SPDX-License-Identifier: MIT
#include "providers/perf/record.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tracecore/base/grow.h"

_Static_assert(sizeof(struct perf_event_header) == 8, "perf record header");

enum { HEADER_SIZE = 8, TRAILER_SIZE = 32, SYMBOL_FIXED = 16, BUILD_ID_MAX = 20, READ_FIXED = 16 };

int wt_perf_ids_add(struct wt_perf_ids *ids, uint64_t id, struct wt_perf_id entry)
{
	struct wt_perf_direct *direct = &ids->direct[id % WT_PERF_DIRECT];
	uint32_t i;
	bool fresh;

	if (wt_grow(&ids->entries, &ids->cap, ids->ids.count, 1, NULL))
		return -1;
	i = wt_intern(&ids->ids, id, 0, &fresh);
	if (i == WT_INTERN_NONE)
		return -1;
	ids->entries[i] = entry;
	if (!direct->at)
		*direct = (struct wt_perf_direct){.id = id, .at = i + 1};
	return 0;
}

static const struct wt_perf_id *find_id(const struct wt_perf_ids *ids, uint64_t id)
{
	const struct wt_perf_direct *direct = &ids->direct[id % WT_PERF_DIRECT];
	uint32_t i;

	if (direct->at && direct->id == id)
		return &ids->entries[direct->at - 1];
	i = wt_intern_find(&ids->ids, id, 0);
	return i == WT_INTERN_NONE ? NULL : &ids->entries[i];
}

void wt_perf_ids_deinit(struct wt_perf_ids *ids)
{
	wt_intern_deinit(&ids->ids);
	free(ids->entries);
	*ids = (struct wt_perf_ids){0};
}

static void set_slot(const struct wt_perf_ids *ids, uint64_t id, struct wt_perf_record *ret)
{
	const struct wt_perf_id *entry = find_id(ids, id);

	ret->slot = entry ? entry->slot : WT_PERF_SLOT_NONE;
}

/* Reads the rest of the record up to its first zero byte; the kernel pads names with zeros. */
static struct wt_str rest_as_name(struct wt_cursor *cur)
{
	size_t left = wt_cur_left(cur);
	const uint8_t *p = wt_cur_bytes(cur, left);
	const uint8_t *zero = left ? memchr(p, 0, left) : NULL;

	return wt_str_of(p, zero ? (size_t)(zero - p) : left);
}

static void parse_trailer(struct wt_cursor cur, const struct wt_perf_ids *ids, struct wt_perf_record *ret)
{
	ret->pid = wt_cur_u32(&cur);
	ret->tid = wt_cur_u32(&cur);
	ret->time = wt_cur_u64(&cur);
	ret->cpu = wt_cur_u32(&cur);
	wt_cur_u32(&cur);
	set_slot(ids, wt_cur_u64(&cur), ret);
}

/* Size of the fixed part of a sample: id, ip, pid, tid, time, cpu and 4 unused bytes, period. */
enum { SAMPLE_FIXED = 48 };

/* Reads the interrupted program's registers, and the readable part of its stack: the record has room for the
 * whole requested size. */
static int parse_user(struct wt_cursor *cur, uint8_t n_regs, struct wt_perf_record *ret)
{
	uint64_t abi = wt_cur_u64(cur), asked, len;

	if (abi > PERF_SAMPLE_REGS_ABI_64)
		return -1;
	ret->sample.abi = (uint8_t)abi;
	if (abi != PERF_SAMPLE_REGS_ABI_NONE)
		ret->sample.regs = wt_cur_bytes(cur, (size_t)n_regs * 8);
	asked = wt_cur_u64(cur);
	if (!asked)
		return 0;
	if (asked > wt_cur_left(cur))
		return -1;
	ret->sample.stack = wt_cur_bytes(cur, asked);
	len = wt_cur_u64(cur);
	if (len > asked)
		return -1;
	ret->sample.stack_asked = (uint32_t)asked;
	ret->sample.stack_len = (uint32_t)len;
	return 0;
}

/* Reads the counts of the events of a group: their number, two times, and words for each. */
static int parse_read(struct wt_cursor *cur, uint8_t words, struct wt_perf_record *ret)
{
	uint64_t n = wt_cur_u64(cur);

	if (n > wt_cur_left(cur) / 8 / words)
		return -1;
	ret->sample.read = wt_cur_bytes(cur, READ_FIXED + n * words * 8);
	ret->sample.n_read = (uint32_t)n;
	ret->sample.read_words = words;
	return 0;
}

/* Almost all records are samples: the fixed part is checked once. */
static int parse_sample(struct wt_cursor *cur, const struct wt_perf_ids *ids, struct wt_perf_record *ret)
{
	const uint8_t *p = wt_cur_bytes(cur, SAMPLE_FIXED);
	const struct wt_perf_id *entry = p ? find_id(ids, wt_load_u64(p)) : NULL;

	if (!entry)
		return -1;
	ret->slot = entry->slot;
	ret->sample.ip = wt_load_u64(p + 8);
	ret->pid = wt_load_u32(p + 16);
	ret->tid = wt_load_u32(p + 20);
	ret->time = wt_load_u64(p + 24);
	ret->cpu = wt_load_u32(p + 32);
	ret->sample.period = wt_load_u64(p + 40);
	ret->sample.chain = ret->sample.raw = ret->sample.regs = ret->sample.stack = NULL;
	ret->sample.n_chain = ret->sample.raw_len = ret->sample.stack_len = ret->sample.stack_asked = 0;
	ret->sample.abi = PERF_SAMPLE_REGS_ABI_NONE;
	ret->sample.user = entry->n_regs != 0;
	ret->sample.idle = entry->idle;
	ret->sample.read = NULL;
	if (entry->n_read && parse_read(cur, entry->n_read, ret) < 0)
		return -1;
	if (entry->chain) {
		ret->sample.n_chain = wt_cur_u64(cur);
		if (ret->sample.n_chain > wt_cur_left(cur) / 8)
			return -1;
		ret->sample.chain = wt_cur_bytes(cur, ret->sample.n_chain * 8);
	}
	if (entry->raw) {
		ret->sample.raw_len = wt_cur_u32(cur);
		ret->sample.raw = wt_cur_bytes(cur, ret->sample.raw_len);
	}
	if (entry->n_regs && parse_user(cur, entry->n_regs, ret) < 0)
		return -1;
	return cur->bad ? -1 : 0;
}

/* The kernel leaves the flag set when it writes one mapping to several events, of any session, although
 * later records contain an inode (perf_event_mmap_output in kernel/events/core.c does not reset it). */
static bool has_build_id(const struct wt_perf_record *record)
{
	return record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID && record->slot != WT_PERF_SLOT_INODES &&
	       record->slot != WT_PERF_SLOT_WRITES;
}

static void parse_map(struct wt_cursor *cur, struct wt_perf_record *ret)
{
	ret->map.pid = wt_cur_u32(cur);
	ret->map.tid = wt_cur_u32(cur);
	ret->map.address = wt_cur_u64(cur);
	ret->map.size = wt_cur_u64(cur);
	ret->map.file_offset = wt_cur_u64(cur);
	ret->map.prot = PROT_EXEC;
	ret->map.shared = false;
	if (ret->type == PERF_RECORD_MMAP2 && has_build_id(ret)) {
		uint8_t size = wt_cur_u8(cur);
		const uint8_t *id;

		wt_cur_bytes(cur, 3);
		id = wt_cur_bytes(cur, BUILD_ID_MAX);
		if (size > BUILD_ID_MAX)
			cur->bad = true;
		ret->map.build_id = wt_str_of(id, size);
	} else if (ret->type == PERF_RECORD_MMAP2) {
		uint32_t major = wt_cur_u32(cur), minor = wt_cur_u32(cur);

		ret->map.device = (uint64_t)major << 32 | minor;
		ret->map.inode = wt_cur_u64(cur);
		wt_cur_u64(cur); /* the inode's generation */
	}
	if (ret->type == PERF_RECORD_MMAP2) {
		ret->map.prot = wt_cur_u32(cur);
		ret->map.shared = wt_cur_u32(cur) & MAP_SHARED;
	}
	ret->map.path = rest_as_name(cur);
}

static void parse_task(struct wt_cursor *cur, struct wt_perf_record *ret)
{
	ret->task.pid = wt_cur_u32(cur);
	ret->task.parent_pid = wt_cur_u32(cur);
	ret->task.tid = wt_cur_u32(cur);
	ret->task.parent_tid = wt_cur_u32(cur);
	wt_cur_u64(cur); /* the time again */
}

static void parse_symbol(struct wt_cursor *cur, struct wt_perf_record *ret)
{
	ret->symbol.address = wt_cur_u64(cur);
	ret->symbol.size = wt_cur_u32(cur);
	wt_cur_u16(cur); /* BPF program or out-of-line code */
	ret->symbol.gone = wt_cur_u16(cur) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	ret->symbol.name = rest_as_name(cur);
}

static void parse_body(struct wt_cursor *cur, const struct wt_perf_ids *ids, struct wt_perf_record *ret)
{
	switch (ret->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		parse_map(cur, ret);
		break;
	case PERF_RECORD_COMM:
		ret->comm.pid = wt_cur_u32(cur);
		ret->comm.tid = wt_cur_u32(cur);
		ret->comm.name = rest_as_name(cur);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		parse_task(cur, ret);
		break;
	case PERF_RECORD_LOST:
		wt_cur_u64(cur); /* an event of the ring; the trailer has this id, too */
		ret->lost.count = wt_cur_u64(cur);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		ret->lost.count = wt_cur_u64(cur);
		break;
	case PERF_RECORD_READ:
		ret->read.pid = wt_cur_u32(cur);
		ret->read.tid = wt_cur_u32(cur);
		ret->read.value = wt_cur_u64(cur); /* the id and the count of losses follow */
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		wt_cur_u64(cur); /* the time again */
		set_slot(ids, wt_cur_u64(cur), ret);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		ret->other.pid = wt_cur_u32(cur);
		ret->other.tid = wt_cur_u32(cur);
		break;
	case PERF_RECORD_KSYMBOL:
		parse_symbol(cur, ret);
		break;
	default:
		break;
	}
}

/* Returns where the trailer begins. The kernel writes records of symbols for all events that want them from
 * one header, whose size grows with each (perf_event_ksymbol_output in kernel/events/core.c does not reset
 * it). From the second on, they end in bytes that were never written, and the trailer follows the name. */
static size_t trailer_of(const uint8_t *bytes, size_t len, uint32_t type)
{
	size_t last = len - TRAILER_SIZE, name = HEADER_SIZE + SYMBOL_FIXED, at;

	if (type != PERF_RECORD_KSYMBOL || last < name)
		return last;
	at = (name + strnlen((const char *)bytes + name, last - name) + 8) & ~(size_t)7;
	return at < last ? at : last;
}

int wt_perf_record_parse(const struct wt_perf_ids *ids, const uint8_t *bytes, size_t len,
			 struct wt_perf_record *ret)
{
	struct wt_cursor cur = wt_cursor(bytes, len);
	const uint8_t *header = wt_cur_bytes(&cur, HEADER_SIZE);
	struct wt_cursor body;

	if (!header || wt_load_u16(header + 6) != len)
		return -1;
	if (wt_load_u32(header) == PERF_RECORD_SAMPLE) {
		ret->type = PERF_RECORD_SAMPLE;
		ret->misc = wt_load_u16(header + 4);
		return parse_sample(&cur, ids, ret);
	}
	*ret = (struct wt_perf_record){.type = wt_load_u32(header),
				       .misc = wt_load_u16(header + 4),
				       .slot = WT_PERF_SLOT_NONE,
				       .cpu = UINT32_MAX};
	if (len < HEADER_SIZE + TRAILER_SIZE)
		return -1;
	body = wt_cur_sub(&cur, trailer_of(bytes, len, ret->type) - HEADER_SIZE);
	parse_trailer(cur, ids, ret);
	parse_body(&body, ids, ret);
	return body.bad ? -1 : 0;
}

int wt_perf_record_move(const struct wt_perf_record *record, struct wt_bpf_move *ret)
{
	if (record->sample.raw_len < sizeof(*ret))
		return -1;
	memcpy(ret, record->sample.raw, sizeof(*ret));
	return 0;
}
