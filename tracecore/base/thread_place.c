// SPDX-License-Identifier: MIT
#include "tracecore/base/thread_place.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/apart_proc.h"

/* Reads a file of the thread in /proc, zero-ended; false: there is none, or it may not be read. */
static bool read_file(uint32_t pid, uint32_t tid, const char *name, char *ret, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, ret, size - 1);
		close(fd);
	}
	ret[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool ask_file(uint32_t pid, uint32_t tid, const char *name, char *ret, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "task/%" PRIu32 "/%s", tid, name);
	return wt_apart_proc_text(pid, path, ret, size);
}

bool wt_thread_place(uint32_t pid, uint32_t tid, bool direct, struct wt_thread_place *ret)
{
	char text[512];

	*ret = (struct wt_thread_place){.call = -1};
	if (!(direct ? read_file(pid, tid, "syscall", text, sizeof(text))
		     : ask_file(pid, tid, "syscall", text, sizeof(text))))
		return false;
	return sscanf(text, "-1 0x%" SCNx64 " 0x%" SCNx64, &ret->sp, &ret->pc) == 2 ||
	       sscanf(text,
		      "%" SCNd32 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " %*s %*s %*s 0x%" SCNx64
		      " 0x%" SCNx64,
		      &ret->call, &ret->args[0], &ret->args[1], &ret->args[2], &ret->sp, &ret->pc) == 6;
}

bool wt_thread_place_changes(const struct wt_thread_place *place)
{
	return place->call == SYS_execve || place->call == SYS_execveat || place->call == SYS_rt_sigreturn;
}

/* Adds the number behind the word to *ret. */
static bool add_number(const char *text, const char *word, uint64_t *ret)
{
	const char *at = strstr(text, word);
	uint64_t n;

	if (!at || sscanf(at + strlen(word), "%" SCNu64, &n) != 1)
		return false;
	*ret += n;
	return true;
}

bool wt_thread_switches(uint32_t pid, uint32_t tid, uint64_t *ret, char *state)
{
	char text[4096];
	const char *at;

	*ret = 0;
	*state = 0;
	if (!read_file(pid, tid, "status", text, sizeof(text)))
		return false;
	at = strstr(text, "\nState:\t");
	if (at)
		*state = at[strlen("\nState:\t")];
	return at && add_number(text, "\nvoluntary_ctxt_switches:", ret) &&
	       add_number(text, "\nnonvoluntary_ctxt_switches:", ret);
}

void wt_thread_function(uint32_t pid, uint32_t tid, char ret[64])
{
	if (!ask_file(pid, tid, "wchan", ret, 64) || !strcmp(ret, "0"))
		ret[0] = 0;
}
