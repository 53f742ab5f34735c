// SPDX-License-Identifier: MIT
#include "consumers/unwind/stay.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/clock.h"

/* Reads a file of the thread in /proc, zero-ended; false: there is none, or it may not be read. */
static bool read_file(const struct wt_unwind_task *task, const char *name, char *ret, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", task->pid, task->tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, ret, size - 1);
		close(fd);
	}
	ret[n > 0 ? n : 0] = 0;
	return n > 0;
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

static bool get_count(const struct wt_unwind_task *task, uint64_t *ret)
{
	char text[4096];

	*ret = 0;
	return read_file(task, "status", text, sizeof(text)) &&
	       add_number(text, "\nvoluntary_ctxt_switches:", ret) &&
	       add_number(text, "\nnonvoluntary_ctxt_switches:", ret);
}

/* True when the thread is off the CPUs in a wait: the kernel shows the call only of such a thread. sp, pc:
 * its user registers; call: -1 outside of calls. */
static bool get_place(const struct wt_unwind_task *task, long *call, uint64_t *sp, uint64_t *pc)
{
	char text[512];

	if (!read_file(task, "syscall", text, sizeof(text)))
		return false;
	if (sscanf(text, "-1 0x%" SCNx64 " 0x%" SCNx64, sp, pc) == 2) {
		*call = -1;
		return true;
	}
	return sscanf(text, "%ld %*s %*s %*s %*s %*s %*s 0x%" SCNx64 " 0x%" SCNx64, call, sp, pc) == 3;
}

/* Calls in which the registers belong to another program, or to another place of it, than the stack. */
static bool changes_registers(long call)
{
	return call == SYS_execve || call == SYS_execveat || call == SYS_rt_sigreturn;
}

/* The place comes before the count: while that shows no further switch, a thread that was off the CPUs has
 * not been on one since. */
bool wt_stay_is_proved(const struct wt_unwind_task *task, const struct wt_stack_dump *dump)
{
	uint64_t count, sp, pc, own_sp = dump->r[dump->machine == WT_ABI_UNWIND_AARCH64 ? 31 : 7];
	bool is_there;
	long call;

	if (!task->turns || !task->turn)
		return false;
	is_there = get_place(task, &call, &sp, &pc) && sp == own_sp && pc == dump->pc &&
		   !changes_registers(call);
	if (!get_count(task, &count))
		return false;
	if (count > task->turns->seen)
		task->turns->seen = count;
	return is_there && count == task->turn;
}

/* The count comes before the place: a thread that is off the CPUs then has passed the event of each switch
 * that is in the count. */
void wt_stay_ask(const struct wt_unwind_task *task)
{
	uint64_t from = wt_clock_now(), count, sp, pc;
	long call;

	if (task->turns && wt_turns_may_ask(task->turns, task->losses) && get_count(task, &count) &&
	    get_place(task, &call, &sp, &pc))
		wt_turns_answer(task->turns, from, wt_clock_now(), count, task->losses);
}
