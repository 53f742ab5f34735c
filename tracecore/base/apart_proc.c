// SPDX-License-Identifier: MIT
#include "tracecore/base/apart_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/apart.h"

struct question {
	uint32_t pid;
	int flags; /* of the descriptor */
	char name[32];
	uint64_t most;
};

static bool get_question(const void *in, size_t len, struct question *ret, char path[64])
{
	if (len != sizeof(*ret))
		return false;
	memcpy(ret, in, sizeof(*ret));
	snprintf(path, 64, "/proc/%u/%s", ret->pid, ret->name);
	return true;
}

/* Fills the room with the file's content. A result below size means that the file ended. */
static size_t fill(int fd, uint8_t *room, uint64_t size)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < size) {
		do
			n = read(fd, room + len, size - len);
		while (n < 0 && errno == EINTR);
		len += n > 0 ? (size_t)n : 0;
	}
	return len;
}

/* Content beyond the size of a message goes into a file in memory. */
static size_t fill_file(int fd, uint8_t *room, size_t len, uint64_t most, int *ret)
{
	uint64_t all = 0;

	*ret = memfd_create("wtrace-text", MFD_CLOEXEC);
	while (*ret >= 0 && len && write(*ret, room, len) == (ssize_t)len) {
		all += len;
		len = fill(fd, room, most - all < WT_APART_OUT ? most - all : WT_APART_OUT);
	}
	return 0;
}

static size_t read_proc(const void *in, size_t len, void *out, int *ret)
{
	uint8_t *room = out;
	struct question question;
	char path[64];
	int fd;

	if (!get_question(in, len, &question, path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = fill(fd, room, question.most < WT_APART_OUT ? question.most : WT_APART_OUT);
	if (len == WT_APART_OUT && question.most > WT_APART_OUT)
		len = fill_file(fd, room, len, question.most, ret);
	close(fd);
	return len;
}

static size_t read_link(const void *in, size_t len, void *out, int *ret)
{
	struct question question;
	char path[64];
	ssize_t n;

	(void)ret;
	if (!get_question(in, len, &question, path))
		return 0;
	n = readlink(path, out, WT_APART_OUT);
	return n > 0 ? (size_t)n : 0;
}

static size_t follow(const void *in, size_t len, void *out, int *ret)
{
	struct question question;
	char path[64];

	(void)out;
	if (get_question(in, len, &question, path))
		*ret = open(path, question.flags | O_PATH | O_CLOEXEC);
	return 0;
}

static void take_file(int fd, struct wt_buf *out)
{
	struct stat st;
	uint8_t *room = fstat(fd, &st) ? NULL : wt_buf_reserve(out, (size_t)st.st_size);
	ssize_t n = room ? pread(fd, room, (size_t)st.st_size, 0) : 0;

	out->len += n > 0 ? (size_t)n : 0;
	close(fd);
}

static bool ask_of(wt_apart_fn *fn, struct question *question, const char *name, void *out, size_t *len,
		   int *fd)
{
	if (strlen(name) >= sizeof(question->name))
		return false;
	memcpy(question->name, name, strlen(name));
	return wt_apart_ask(question->pid, fn, question, sizeof(*question), out, len, fd);
}

static bool ask(uint32_t pid, const char *name, uint64_t most, void *text, size_t *len, int *fd)
{
	struct question question = {.pid = pid, .most = most};

	return ask_of(read_proc, &question, name, text, len, fd);
}

static bool take_text(const uint8_t *text, size_t len, char *ret, size_t size)
{
	len = len < size ? len : size - 1;
	memcpy(ret, text, len);
	ret[len] = 0;
	return len;
}

bool wt_apart_proc_text(uint32_t pid, const char *name, char *ret, size_t size)
{
	static uint8_t text[WT_APART_OUT];
	size_t len;

	return take_text(text, ask(pid, name, size - 1, text, &len, NULL) ? len : 0, ret, size);
}

bool wt_apart_proc_link(uint32_t pid, const char *name, char *ret, size_t size)
{
	static uint8_t text[WT_APART_OUT];
	struct question question = {.pid = pid};
	size_t len;

	return take_text(text, ask_of(read_link, &question, name, text, &len, NULL) ? len : 0, ret, size);
}

int wt_apart_proc_follow(uint32_t pid, const char *name, int flags)
{
	static uint8_t nothing[WT_APART_OUT];
	struct question question = {.pid = pid, .flags = flags};
	size_t len;
	int fd;

	return ask_of(follow, &question, name, nothing, &len, &fd) ? fd : -1;
}

bool wt_apart_proc(uint32_t pid, const char *name, uint64_t most, struct wt_buf *out)
{
	static uint8_t text[WT_APART_OUT];
	size_t len, before = out->len;
	int fd;

	if (!ask(pid, name, most, text, &len, &fd))
		return false;
	wt_buf_put(out, text, len);
	if (fd >= 0)
		take_file(fd, out);
	return !out->failed && out->len > before;
}

/* Makes a copy, because other questions are asked while it is read. */
static FILE *stream_of(const void *text, size_t len)
{
	FILE *file = len ? fmemopen(NULL, len + 1, "w+") : NULL;

	if (!file)
		return NULL;
	if (fwrite(text, 1, len, file) == len && !fseek(file, 0, SEEK_SET))
		return file;
	fclose(file);
	return NULL;
}

FILE *wt_apart_proc_open(uint32_t pid, const char *name, uint64_t most)
{
	static uint8_t text[WT_APART_OUT];
	FILE *file;
	size_t len;
	int fd;

	if (!ask(pid, name, most, text, &len, &fd))
		return NULL;
	if (fd < 0)
		return stream_of(text, len);
	file = lseek(fd, 0, SEEK_SET) ? NULL : fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}
