// SPDX-License-Identifier: MIT
#include "tracecore/kernel_events.h"

#define BUILD_ID_MAX 20

static void put_str(struct wt_buf *out, struct wt_str str, uint32_t max)
{
	wt_buf_put_counted(out, str.p, str.len > max ? max : str.len);
}

static struct wt_str get_str(struct wt_cursor *cur)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *p = wt_cur_bytes(cur, len);

	return wt_str_of(p, len);
}

void wt_proc_put(struct wt_buf *out, const struct wt_proc_payload *payload)
{
	wt_buf_put_u32(out, payload->pid);
	wt_buf_put_u32(out, payload->tid);
	wt_buf_put_u32(out, payload->parent_pid);
	wt_buf_put_u32(out, payload->parent_tid);
	wt_buf_put_u64(out, payload->start_time);
	wt_buf_put_u32(out, payload->uid);
	put_str(out, payload->name, UINT16_MAX);
	put_str(out, payload->exe, UINT16_MAX);
	put_str(out, payload->command_line, WT_COMMAND_LINE_MAX);
	wt_buf_put_u8(out, payload->caught);
	put_str(out, payload->cgroup, UINT16_MAX);
	put_str(out, payload->container, UINT16_MAX);
	wt_buf_put_u32(out, payload->inside_pid);
	wt_buf_put_u32(out,
		       payload->ended && !payload->exit_signal ? (uint32_t)payload->exit_code : UINT32_MAX);
	wt_buf_put_u32(out, payload->ended ? payload->exit_signal : 0);
}

/* Fields that later versions added after the command line: all of them are there, or none. */
static void get_added(struct wt_cursor *cur, struct wt_proc_payload *p)
{
	if (!wt_cur_left(cur)) {
		p->caught = p->command_line.len ? WT_CAUGHT_WHOLE : WT_CAUGHT_NO;
		p->cgroup = p->container = (struct wt_str){"", 0};
		p->inside_pid = p->exit_signal = 0;
		p->exit_code = -1;
		p->ended = false;
		return;
	}
	p->caught = wt_cur_u8(cur);
	p->cgroup = get_str(cur);
	p->container = get_str(cur);
	p->inside_pid = wt_cur_u32(cur);
	p->exit_code = (int32_t)wt_cur_u32(cur);
	p->exit_signal = wt_cur_u32(cur);
	p->ended = p->exit_code >= 0 || p->exit_signal;
}

int wt_proc_get(const void *bytes, size_t len, struct wt_proc_payload *ret)
{
	struct wt_cursor cur = wt_cursor(bytes, len);
	struct wt_proc_payload p;

	p.pid = wt_cur_u32(&cur);
	p.tid = wt_cur_u32(&cur);
	p.parent_pid = wt_cur_u32(&cur);
	p.parent_tid = wt_cur_u32(&cur);
	p.start_time = wt_cur_u64(&cur);
	p.uid = wt_cur_u32(&cur);
	p.name = get_str(&cur);
	p.exe = get_str(&cur);
	p.command_line = get_str(&cur);
	if (!cur.bad)
		get_added(&cur, &p);
	if (cur.bad)
		return -1;
	*ret = p;
	return 0;
}

void wt_image_put(struct wt_buf *out, const struct wt_image_payload *payload)
{
	wt_buf_put_u32(out, payload->pid);
	wt_buf_put_u32(out, payload->tid);
	wt_buf_put_u64(out, payload->address);
	wt_buf_put_u64(out, payload->size);
	wt_buf_put_u64(out, payload->file_offset);
	wt_buf_put_u8(out, payload->kind);
	wt_buf_put_u64(out, payload->device);
	wt_buf_put_u64(out, payload->inode);
	put_str(out, payload->build_id, BUILD_ID_MAX);
	put_str(out, payload->path, UINT16_MAX);
}

int wt_image_get(const void *bytes, size_t len, struct wt_image_payload *ret)
{
	struct wt_cursor cur = wt_cursor(bytes, len);
	struct wt_image_payload p;

	p.pid = wt_cur_u32(&cur);
	p.tid = wt_cur_u32(&cur);
	p.address = wt_cur_u64(&cur);
	p.size = wt_cur_u64(&cur);
	p.file_offset = wt_cur_u64(&cur);
	p.kind = wt_cur_u8(&cur);
	p.device = wt_cur_u64(&cur);
	p.inode = wt_cur_u64(&cur);
	p.build_id = get_str(&cur);
	p.path = get_str(&cur);
	if (cur.bad || p.build_id.len > BUILD_ID_MAX)
		return -1;
	*ret = p;
	return 0;
}

void wt_lost_put(struct wt_buf *out, const struct wt_lost_payload *payload)
{
	put_str(out, payload->provider, UINT16_MAX);
	put_str(out, payload->event, UINT16_MAX);
	wt_buf_put_u32(out, payload->on_cpu);
	wt_buf_put_u8(out, payload->cause);
	wt_buf_put_u64(out, payload->count);
	wt_buf_put_u8(out, payload->exact);
	wt_buf_put_u64(out, payload->from);
	wt_buf_put_u64(out, payload->to);
	wt_buf_put_u32(out, payload->ring);
}

int wt_lost_get(const void *bytes, size_t len, struct wt_lost_payload *ret)
{
	struct wt_cursor cur = wt_cursor(bytes, len);
	struct wt_lost_payload p;

	p.provider = get_str(&cur);
	p.event = get_str(&cur);
	p.on_cpu = wt_cur_u32(&cur);
	p.cause = wt_cur_u8(&cur);
	p.count = wt_cur_u64(&cur);
	p.exact = wt_cur_u8(&cur);
	p.from = wt_cur_u64(&cur);
	p.to = wt_cur_u64(&cur);
	p.ring = wt_cur_u32(&cur);
	if (cur.bad)
		return -1;
	*ret = p;
	return 0;
}

void wt_counted_put(struct wt_buf *out, const struct wt_counted_payload *payload)
{
	put_str(out, payload->provider, UINT16_MAX);
	put_str(out, payload->event, UINT16_MAX);
	wt_buf_put_u32(out, payload->on_cpu);
	wt_buf_put_u64(out, payload->produced);
	wt_buf_put_u64(out, payload->written);
	wt_buf_put_u64(out, payload->lost);
	wt_buf_put_u8(out, payload->period1);
}

void wt_switch_put(struct wt_buf *out, const struct wt_switch_payload *payload)
{
	wt_buf_put_u32(out, payload->new_tid);
	wt_buf_put_u32(out, payload->old_tid);
	wt_buf_put_u32(out, (uint32_t)payload->new_priority);
	wt_buf_put_u32(out, (uint32_t)payload->old_priority);
	wt_buf_put_u8(out, payload->old_state);
	wt_buf_put_u8(out, payload->preempted);
}

int wt_switch_get(const uint8_t *payload, size_t len, struct wt_switch_payload *ret)
{
	if (len < 18)
		return -1;
	*ret = (struct wt_switch_payload){
		.new_tid = wt_load_u32(payload),
		.old_tid = wt_load_u32(payload + 4),
		.new_priority = (int32_t)wt_load_u32(payload + 8),
		.old_priority = (int32_t)wt_load_u32(payload + 12),
		.old_state = payload[16],
		.preempted = payload[17],
	};
	return 0;
}

void wt_waiting_put(struct wt_buf *out, const struct wt_waiting_payload *payload)
{
	wt_buf_put_u32(out, payload->tid);
	wt_buf_put_u8(out, payload->state);
	wt_buf_put_u32(out, (uint32_t)payload->call);
	put_str(out, payload->function, UINT16_MAX);
	wt_buf_put_u64(out, payload->lock);
	wt_buf_put_u32(out, payload->owner);
	wt_buf_put_u8(out, payload->owner_is);
}

void wt_ready_put(struct wt_buf *out, const struct wt_ready_payload *payload)
{
	wt_buf_put_u32(out, payload->ready_tid);
	wt_buf_put_u32(out, (uint32_t)payload->priority);
	wt_buf_put_u32(out, payload->target_cpu);
	wt_buf_put_u8(out, payload->context);
}
