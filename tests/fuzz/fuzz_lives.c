/* SPDX-License-Identifier: MIT */
// Covers: providers/perf/lives.c
/* Any bytes as records of beginnings and ends of processes: {u16 length, bytes} each, asked for in turn. */
#include <stdint.h>
#include <stdlib.h>

#include "providers/perf/lives.h"
#include "tracecore/base/cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct wt_lives *lives, uint32_t pid, uint64_t time)
{
	struct wt_life life;

	for (int news = WT_LIFE_EXEC; news <= WT_LIFE_EXIT; news++) {
		if (!wt_lives_find(lives, (enum wt_life_news)news, pid, time, wt_str("a"), &life))
			continue;
		for (uint32_t i = 0; i < life.command_line.len; i++)
			(void)*(volatile const char *)&life.command_line.p[i];
		if (life.exit_code < 0 || life.exit_signal > 127)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_cursor cur = wt_cursor(data, size);
	struct wt_lives *lives = wt_lives_create();

	while (lives && !cur.bad && wt_cur_left(&cur)) {
		size_t len = wt_cur_u16(&cur);
		const uint8_t *bytes = wt_cur_bytes(&cur, len < wt_cur_left(&cur) ? len : wt_cur_left(&cur));

		if (!bytes || !wt_lives_add(lives, bytes, len < 1 ? 0 : (size_t)(cur.pos - bytes), 1000))
			continue;
		for (uint32_t pid = 0; pid < 4; pid++)
			ask(lives, pid, pid & 1 ? 1000 : UINT64_MAX);
	}
	wt_lives_destroy(lives);
	return 0;
}
