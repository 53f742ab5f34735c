// SPDX-License-Identifier: MIT
/* Unwind tables for programs that walk their own stacks, published by children with their user's rights. */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumers/unwind/own_memory.h"
#include "consumers/unwind/publish.h"
#include "consumers/session/programs_impl.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/tables.h"

/* Least time between two rounds of a directory, and first and longest time between two looks at a process: a
 * process whose tables cannot be made asks with every event. */
#define ROUND_NS       (WT_NSEC / 20)
#define PATIENCE_FIRST 250
#define PATIENCE_MOST  64000
/* Time between two looks at the children. */
#define LOOK_NS (WT_NSEC / 100)
/* Most CPU time of a child, seconds: for another user, and for the session's own. What it has published
 * stays, and the next child goes on from there. */
#define CPU_SECONDS     5
#define OWN_CPU_SECONDS 60
/* CPU time of the child that a session waits for before it begins. */
#define FIRST_CPU_SECONDS 2
/* Memory that a child may take: any file may be given to it. */
#define MEMORY     (UINT64_C(1) << 30)
#define OWN_MEMORY (UINT64_C(8) << 30)

void wt_programs_lacking(void *ctx, uint32_t pid)
{
	struct wt_programs_directory *directory = ctx;
	struct wt_programs_lack *lack = &directory->lack;
	struct wt_programs_lacking *entry = &lack->list[pid % (sizeof(lack->list) / sizeof(*lack->list))];

	if (entry->pid != pid)
		*entry = (struct wt_programs_lacking){.pid = pid};
	entry->marked = true;
	lack->any = true;
}

/* Becomes the programs' user for good, so that a malicious file gives no more rights than that user's. */
static int become(const struct wt_programs_directory *directory, struct wt_err *err)
{
	struct stat st;

	if (geteuid() == directory->uid)
		return 0;
	if (stat(directory->path, &st) || st.st_uid != directory->uid || setgroups(0, NULL) ||
	    setresgid(st.st_gid, st.st_gid, st.st_gid) ||
	    setresuid(directory->uid, directory->uid, directory->uid))
		return wt_fail_errno(err, "cannot become uid %u", directory->uid);
	return 0;
}

/* True when the process belongs to the user; a number from a ring may be any process. */
static bool is_of(uint32_t pid, uid_t uid)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%u", pid);
	return stat(name, &st) == 0 && st.st_uid == uid;
}

static int publish(const struct wt_programs_directory *directory, const uint32_t *pids, unsigned n,
		   struct wt_err *err)
{
	int fd = wt_directory_open_owned(directory->path, directory->uid), failed;
	uint32_t fresh;

	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s", directory->path);
	for (unsigned i = 0; i < n; i++) {
		struct wt_err why = WT_ERR_INIT;

		if (is_of(pids[i], directory->uid) && wt_unwind_publish(fd, (pid_t)pids[i], &fresh, &why))
			wt_debug("unwind tables of process %u: %s", pids[i], why.text);
	}
	failed = wt_tables_announce(fd, err);
	close(fd);
	return failed;
}

/* Leaves the session's descriptors, limits and log behind. */
static void restrain(unsigned cpu_seconds, uint64_t memory)
{
	const struct rlimit cpu = {cpu_seconds, cpu_seconds}, none = {0, 0};
	struct rlimit size;

	wt_diag_level(WT_DIAG_QUIET);
	close_range(STDERR_FILENO + 1, ~0u, 0);
	signal(SIGTERM, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	wt_own_memory_limit(memory);
	/* The session's limit is for the growth of its own file. */
	if (getrlimit(RLIMIT_FSIZE, &size) == 0) {
		size.rlim_cur = size.rlim_max;
		setrlimit(RLIMIT_FSIZE, &size);
	}
	setpriority(PRIO_PROCESS, 0, 5);
}

static void start_child(struct wt_programs_directory *directory, const uint32_t *pids, unsigned n)
{
	bool own = !directory->uid || directory->uid == geteuid();
	struct wt_err err = WT_ERR_INIT;
	pid_t parent = getpid(), child;

	wt_allowance_begin(directory->allowance);
	child = fork();
	if (child) {
		wt_allowance_end(directory->allowance);
		if (child > 0)
			wt_publishers_add(&directory->programs->publishers, child, directory->uid,
					  wt_clock_now());
		else
			wt_debug("unwind tables for programs: %s", strerror(errno));
		return;
	}
	restrain(own ? OWN_CPU_SECONDS : CPU_SECONDS, own ? OWN_MEMORY : MEMORY);
	/* A change of user clears the parent-death signal. */
	if (become(directory, &err) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    publish(directory, pids, n, &err) == 0)
		_exit(0);
	_exit(1);
}

static int publish_first(const struct wt_programs_directory *directory, struct wt_err *err)
{
	int fd = wt_directory_open_owned(directory->path, directory->uid), failed;
	uint32_t fresh;

	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s", directory->path);
	failed = wt_unwind_publish_first(fd, directory->programs->session->spec.command, &fresh, err) ||
		 wt_tables_announce(fd, err);
	close(fd);
	return failed ? -1 : 0;
}

/* Programs of other users get their tables when they are seen. */
static const struct wt_programs_directory *own_directory(const struct wt_programs *programs)
{
	for (size_t i = 0; i < programs->n_directories; i++)
		if (programs->directories[i]->uid == geteuid() && !programs->directories[i]->beacon)
			return programs->directories[i];
	return NULL;
}

/* A session without stacks leaves the command's table for a later session with stacks. */
void wt_programs_first_tables(struct wt_programs *programs)
{
	const struct wt_programs_directory *directory = own_directory(programs);
	bool stacks = wt_program_rules_have_stacks(programs->rules, programs->n_rules);
	struct wt_err err = WT_ERR_INIT;
	pid_t parent = getpid(), child;

	if (!directory || programs->session->spec.unwind == WT_UNWIND_FP ||
	    (!stacks && !programs->session->spec.command))
		return;
	child = fork();
	if (child > 0)
		waitpid(child, NULL, 0);
	if (child)
		return;
	restrain(FIRST_CPU_SECONDS, OWN_MEMORY);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    publish_first(directory, &err) == 0)
		_exit(0);
	_exit(1);
}

/* Takes the processes that are due, and finds when the next ones are. */
static unsigned take_due(struct wt_programs_lack *lack, uint64_t now, uint32_t *pids)
{
	unsigned n = 0;

	lack->any = false;
	lack->due = now + ROUND_NS;
	for (size_t i = 0; i < sizeof(lack->list) / sizeof(*lack->list); i++) {
		struct wt_programs_lacking *entry = &lack->list[i];

		if (!entry->marked)
			continue;
		if (now < entry->due) {
			lack->any = true;
			continue;
		}
		entry->marked = false;
		entry->patience = entry->patience ? entry->patience * 2 : PATIENCE_FIRST;
		if (entry->patience > PATIENCE_MOST)
			entry->patience = PATIENCE_MOST;
		entry->due = now + entry->patience * (WT_NSEC / 1000);
		pids[n++] = entry->pid;
	}
	return n;
}

/* The directory that is due whose account has most time left, the first one from the last choice on. NULL:
 * none. */
static struct wt_programs_directory *choose(struct wt_programs *programs, uint64_t now)
{
	struct wt_programs_directory *best = NULL;
	size_t first = programs->next_tables;
	int64_t most = 0;

	for (size_t i = 0; i < programs->n_directories; i++) {
		size_t at = (first + i) % programs->n_directories;
		struct wt_programs_directory *directory = programs->directories[at];
		int64_t left;

		if (!directory->lack.any || now < directory->lack.due ||
		    wt_allowance_is_spent(directory->allowance))
			continue;
		left = wt_publishers_left(&programs->publishers, directory->uid, now);
		if (left <= most)
			continue;
		most = left;
		best = directory;
		programs->next_tables = at + 1;
	}
	return best;
}

void wt_programs_look_tables(struct wt_programs *programs)
{
	uint32_t pids[sizeof(programs->directories[0]->lack.list) /
		      sizeof(programs->directories[0]->lack.list[0])];
	struct wt_programs_directory *directory;
	uint64_t now = wt_clock_now();

	if (now - programs->last_tables < LOOK_NS)
		return;
	programs->last_tables = now;
	wt_publishers_reap(&programs->publishers, now);
	while (wt_publishers_have_place(&programs->publishers) && (directory = choose(programs, now))) {
		unsigned n = take_due(&directory->lack, now, pids);

		if (n)
			start_child(directory, pids, n);
	}
}

void wt_programs_end_tables(struct wt_programs *programs)
{
	wt_publishers_end(&programs->publishers);
}
