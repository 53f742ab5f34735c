// SPDX-License-Identifier: MIT
#include "providers/perf/task_regs.h"

#include <stdlib.h>

#ifndef WT_WITHOUT_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include "providers/perf/bpf_load.h"
#include "tracecore/base/buf.h"
#include "tracecore/base/embed.h"

WT_EMBED(wt_task_regs_object, WT_BPF_TASK_REGS);

enum { READ_BYTES = 64 << 10, MOST_BYTES = 64 << 20 };

static int by_tid(const void *x, const void *y)
{
	const struct wt_bpf_task_regs *a = x, *b = y;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static void read_all(int fd, struct wt_buf *to)
{
	ssize_t got;
	uint8_t *at;

	while (to->len < MOST_BYTES && (at = wt_buf_reserve(to, READ_BYTES)) &&
	       (got = read(fd, at, READ_BYTES)) > 0)
		to->len += (size_t)got;
}

static void read_list(struct bpf_link *link, struct wt_task_regs *ret)
{
	int fd = bpf_iter_create(bpf_link__fd(link));
	struct wt_buf bytes = {0};

	if (fd < 0)
		return;
	read_all(fd, &bytes);
	close(fd);
	ret->n = bytes.len / sizeof(*ret->list);
	ret->list = (struct wt_bpf_task_regs *)(void *)bytes.data;
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_tid);
}

void wt_task_regs_read(struct wt_task_regs *ret)
{
	const struct wt_bpf_bytes bytes = {wt_task_regs_object, wt_task_regs_object_end};
	struct wt_err ignored = WT_ERR_INIT;
	struct bpf_object *object = wt_bpf_load(bytes, NULL, &ignored);
	struct bpf_program *program = object ? bpf_object__find_program_by_name(object, "registers") : NULL;
	struct bpf_link *link = program ? bpf_program__attach(program) : NULL;

	*ret = (struct wt_task_regs){0};
	if (link)
		read_list(link, ret);
	bpf_link__destroy(link);
	bpf_object__close(object);
}

#else

void wt_task_regs_read(struct wt_task_regs *ret)
{
	*ret = (struct wt_task_regs){0};
}

#endif

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
