// SPDX-License-Identifier: MIT
#include "providers/perf/task_regs.h"

#include <stdlib.h>

#include "providers/perf/bpf_object.h"

WT_BPF_EMBED(task_regs_object, "task_regs.bpf.o");

enum { MOST_BYTES = 64 << 20 };

static int by_tid(const void *x, const void *y)
{
	const struct wt_bpf_task_regs *a = x, *b = y;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

void wt_task_regs_read(struct wt_task_regs *ret)
{
	struct wt_err ignored = WT_ERR_INIT;
	struct wt_bpf_object *object;
	struct wt_buf bytes = {0};

	*ret = (struct wt_task_regs){0};
	if (wt_bpf_open(&object, task_regs_object, NULL, &ignored) < 0)
		return;
	wt_bpf_list(object, "registers", MOST_BYTES, &bytes);
	wt_bpf_close(object);
	ret->n = bytes.len / sizeof(*ret->list);
	ret->list = (struct wt_bpf_task_regs *)(void *)bytes.data;
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_tid);
}

uint64_t wt_task_regs_get(const struct wt_bpf_task_regs *regs, uint64_t r[32])
{
#if defined(__aarch64__)
	/* x0 to x30, sp, pc. */
	for (int i = 0; i < 32; i++)
		r[i] = regs->words[i];
	return regs->words[32];
#else
	/* r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp. */
	static const uint8_t places[16] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0};

	for (int i = 0; i < 16; i++)
		r[i] = regs->words[places[i]];
	return regs->words[16];
#endif
}

void wt_task_regs_deinit(struct wt_task_regs *regs)
{
	free(regs->list);
	*regs = (struct wt_task_regs){0};
}

const struct wt_bpf_task_regs *wt_task_regs_find(const struct wt_task_regs *regs, uint32_t pid, uint32_t tid,
						 uint64_t switches)
{
	size_t lo = 0, hi = regs->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct wt_bpf_task_regs *at = &regs->list[mid];

		if (at->tid == tid)
			return at->pid == pid && at->switches == switches ? at : NULL;
		if (at->tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}
