// SPDX-License-Identifier: MIT
#include "consumers/counting/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/grow.h"

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int wt_threads_read(int pid, struct wt_threads *ret, struct wt_err *err)
{
	struct wt_threads threads = {0};
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir && errno == ENOENT)
		return wt_fail(err, WT_ERR_NOTFOUND, "there is no process %d", pid);
	if (!dir)
		return wt_fail_errno(err, "cannot read %s", path);
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (wt_grow_one(&threads.tids, threads.n, err)) {
			closedir(dir);
			wt_threads_deinit(&threads);
			return -1;
		}
		threads.tids[threads.n++] = (int)strtol(entry->d_name, NULL, 10);
	}
	closedir(dir);
	if (!threads.n)
		return wt_fail(err, WT_ERR_NOTFOUND, "there is no process %d", pid);
	qsort(threads.tids, threads.n, sizeof(threads.tids[0]), by_number);
	*ret = threads;
	return 0;
}

void wt_threads_deinit(struct wt_threads *threads)
{
	free(threads->tids);
	*threads = (struct wt_threads){0};
}

bool wt_threads_equal(const struct wt_threads *a, const struct wt_threads *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->tids, b->tids, a->n * sizeof(a->tids[0])));
}

/* A short file of /proc. */
static bool slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

int wt_thread_process(int tid, struct wt_err *err)
{
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	line = slurp(path, text, sizeof(text)) ? strstr(text, "\nTgid:") : NULL;
	if (!line)
		return wt_fail(err, WT_ERR_NOTFOUND, "there is no thread %d", tid);
	return (int)strtol(line + 6, NULL, 10);
}

void wt_thread_name(int tid, char ret[16])
{
	char path[64], line[18]; /* the name, the kernel's newline, zero; a name may contain newlines too */
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (!slurp(path, line, sizeof(line)))
		return;
	len = strlen(line);
	if (len && line[len - 1] == '\n')
		len--;
	snprintf(ret, 16, "%.*s", (int)len, line);
}

bool wt_thread_lives(int tid)
{
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	line = slurp(path, text, sizeof(text)) ? strstr(text, "\nState:") : NULL;
	if (!line)
		return false;
	line += 7 + strspn(line + 7, " \t");
	return *line != 'Z' && *line != 'X';
}

bool wt_process_lives(int pid)
{
	struct wt_threads threads = {0};
	bool alive = false;

	if (wt_threads_read(pid, &threads, NULL))
		return false;
	for (size_t i = 0; !alive && i < threads.n; i++)
		alive = wt_thread_lives(threads.tids[i]);
	wt_threads_deinit(&threads);
	return alive;
}
