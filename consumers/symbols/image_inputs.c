/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/image_inputs.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tracecore/base/writers.h"

/* Clocks of file systems are coarse: two changes in one tick show as one. */
enum { SETTLED_SECONDS = 2 };

static void put_time(struct wt_buf *out, const struct timespec *time)
{
	wt_buf_put_u64(out, (uint64_t)time->tv_sec);
	wt_buf_put_u32(out, (uint32_t)time->tv_nsec);
}

static void put_state(struct wt_buf *out, const struct stat *st)
{
	wt_buf_put_u8(out, st != NULL);
	if (!st)
		return;
	wt_buf_put_u64(out, (uint64_t)st->st_dev);
	wt_buf_put_u64(out, (uint64_t)st->st_ino);
	wt_buf_put_u64(out, (uint64_t)st->st_size);
	put_time(out, &st->st_mtim);
	put_time(out, &st->st_ctim);
}

void wt_image_inputs_add(struct wt_image_inputs *inputs, const char *path, int fd)
{
	struct stat st;
	bool there = (fd >= 0 ? fstat(fd, &st) : stat(path, &st)) == 0;

	wt_buf_put_counted(&inputs->bytes, path, strlen(path));
	put_state(&inputs->bytes, there ? &st : NULL);
	inputs->n++;
	inputs->fresh |= there && st.st_ctim.tv_sec + SETTLED_SECONDS > time(NULL);
	inputs->fresh |= fd >= 0 && (wt_file_is_in_memory(fd) || wt_path_has_writer(fd));
}

static bool holds(struct wt_cursor *cur, struct wt_buf *state)
{
	size_t len = wt_cur_u16(cur);
	const uint8_t *path = wt_cur_bytes(cur, len), *was;
	char text[PATH_MAX];
	struct stat st;

	if (!path || len >= sizeof(text))
		return false;
	memcpy(text, path, len);
	text[len] = '\0';
	wt_buf_clear(state);
	put_state(state, stat(text, &st) == 0 ? &st : NULL);
	was = wt_cur_bytes(cur, state->len);
	return was && !state->failed && !memcmp(was, state->data, state->len);
}

bool wt_image_inputs_hold(struct wt_cursor *cur, uint32_t n)
{
	struct wt_buf state = {0};
	bool hold = true;

	for (uint32_t i = 0; hold && i < n; i++)
		hold = holds(cur, &state);
	wt_buf_deinit(&state);
	return hold;
}

void wt_image_inputs_deinit(struct wt_image_inputs *inputs)
{
	wt_buf_deinit(&inputs->bytes);
	*inputs = (struct wt_image_inputs){0};
}
