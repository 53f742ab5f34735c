// SPDX-License-Identifier: MIT
#include "tracecore/base/remote.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracecore/base/apart.h"
#include "tracecore/base/proc.h"

/* The smallest page: the kernel gives what lies before a page that cannot be read only if that page is
 * another part of the question. */
enum { PAGE = 4096, PAGES = WT_REMOTE_BYTES / PAGE + 2 * WT_REMOTE_PARTS };

struct question {
	uint32_t pid, n;
	struct wt_remote_part parts[WT_REMOTE_PARTS];
};

static unsigned divide(const struct wt_remote_part *part, struct iovec *there, unsigned n)
{
	uint64_t at = part->at;

	for (uint64_t left = part->size; left && n < PAGES;) {
		uint64_t size = PAGE - at % PAGE;

		size = size < left ? size : left;
		there[n++] = (struct iovec){(void *)(uintptr_t)at, size};
		at += size;
		left -= size;
	}
	return n;
}

static uint32_t read_now(const struct question *question, void *ret)
{
	struct iovec here = {ret, 0}, there[PAGES];
	unsigned n = 0;
	ssize_t got;

	for (unsigned i = 0; i < question->n; i++) {
		here.iov_len += question->parts[i].size;
		n = divide(&question->parts[i], there, n);
	}
	if (here.iov_len > WT_REMOTE_BYTES)
		return 0;
	got = process_vm_readv((pid_t)question->pid, &here, 1, there, n, 0);
	return got > 0 ? (uint32_t)got : 0;
}

static size_t read_apart(const void *in, size_t len, void *out, int *fd)
{
	struct question question;

	(void)fd;
	if (len != sizeof(question))
		return 0;
	memcpy(&question, in, sizeof(question));
	return read_now(&question, out);
}

bool wt_remote_is_trusted(uint32_t pid)
{
	uint32_t uid = wt_proc_uid(pid);

	return !uid || uid == geteuid();
}

uint32_t wt_remote_read_parts(uint32_t pid, bool direct, const struct wt_remote_part *parts, unsigned n,
			      void *ret)
{
	static uint8_t bytes[WT_APART_OUT];
	struct question question = {.pid = pid, .n = n};
	size_t got;

	_Static_assert(WT_REMOTE_BYTES <= WT_APART_OUT, "an answer holds what can be asked for");
	if (n > WT_REMOTE_PARTS)
		return 0;
	memcpy(question.parts, parts, n * sizeof(*parts));
	if (direct)
		return read_now(&question, ret);
	if (!wt_apart_ask(pid, read_apart, &question, sizeof(question), bytes, &got, NULL))
		return 0;
	memcpy(ret, bytes, got);
	return (uint32_t)got;
}

uint32_t wt_remote_read(uint32_t pid, uint64_t at, uint32_t size, void *ret)
{
	const struct wt_remote_part part = {at, size};

	return wt_remote_read_parts(pid, false, &part, 1, ret);
}
