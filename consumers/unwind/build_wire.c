// SPDX-License-Identifier: MIT
#include "consumers/unwind/build_wire.h"

#include <string.h>

void wt_build_request_put(struct wt_buf *out, const struct wt_build_request *request)
{
	wt_buf_put_u32(out, request->id);
	wt_buf_put_u32(out, request->pid);
	wt_buf_put_u64(out, request->start);
	wt_buf_put_u64(out, request->end);
	wt_buf_put_u64(out, request->device);
	wt_buf_put_u64(out, request->inode);
	wt_buf_put_u64(out, request->mapped);
	wt_buf_put_u64(out, request->changed);
	wt_buf_put_u64(out, request->modified);
	wt_buf_put_u32(out, request->links);
	wt_buf_put_u8(out, request->kind);
	wt_buf_put_u8(out, request->build_id_len);
	wt_buf_put(out, request->build_id, request->build_id_len);
	wt_buf_put_counted(out, request->path, strlen(request->path));
}

/* A counted text of at most size - 1 bytes, without zeroes in it. */
static void get_text(struct wt_cursor *cur, char *ret, size_t size)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	if (!bytes || len >= size || memchr(bytes, 0, len)) {
		cur->bad = true;
		return;
	}
	memcpy(ret, bytes, len);
	ret[len] = 0;
}

static void get_id(struct wt_cursor *cur, uint8_t *ret, uint8_t *len, size_t most)
{
	const uint8_t *bytes;

	*len = wt_cur_u8(cur);
	bytes = wt_cur_bytes(cur, *len);
	if (bytes && *len <= most)
		memcpy(ret, bytes, *len);
	else
		cur->bad = true;
}

int wt_build_request_get(struct wt_cursor cur, struct wt_build_request *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->id = wt_cur_u32(&cur);
	ret->pid = wt_cur_u32(&cur);
	ret->start = wt_cur_u64(&cur);
	ret->end = wt_cur_u64(&cur);
	ret->device = wt_cur_u64(&cur);
	ret->inode = wt_cur_u64(&cur);
	ret->mapped = wt_cur_u64(&cur);
	ret->changed = wt_cur_u64(&cur);
	ret->modified = wt_cur_u64(&cur);
	ret->links = wt_cur_u32(&cur);
	ret->kind = wt_cur_u8(&cur);
	get_id(&cur, ret->build_id, &ret->build_id_len, sizeof(ret->build_id));
	get_text(&cur, ret->path, sizeof(ret->path));
	return cur.bad || wt_cur_left(&cur) ? -1 : 0;
}

void wt_build_answer_put(struct wt_buf *out, const struct wt_build_answer *answer)
{
	wt_buf_put_u32(out, answer->id);
	wt_buf_put_u8(out, answer->result);
	wt_buf_put_u64(out, answer->changed);
	wt_buf_put_u8(out, answer->key.len);
	wt_buf_put(out, answer->key.bytes, answer->key.len);
	wt_buf_put_counted(out, answer->text, strlen(answer->text));
}

int wt_build_answer_get(struct wt_cursor cur, struct wt_build_answer *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->id = wt_cur_u32(&cur);
	ret->result = wt_cur_u8(&cur);
	ret->changed = wt_cur_u64(&cur);
	get_id(&cur, ret->key.bytes, &ret->key.len, sizeof(ret->key.bytes));
	get_text(&cur, ret->text, sizeof(ret->text));
	return cur.bad || wt_cur_left(&cur) || ret->result >= WT_BUILD_DIED ? -1 : 0;
}
