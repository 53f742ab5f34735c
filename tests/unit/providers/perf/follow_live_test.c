// SPDX-License-Identifier: MIT
/* CPUs sampled for the sake of some processes: theirs and those of whom they start, and nobody else's. */
#include "tests/unit/providers/perf/live.h"

#include <stdlib.h>

#include "providers/perf/internal.h"

enum { ENOUGH = 30 };

struct family {
	pid_t own, foreign;
	unsigned grown, child, strange;
};

static void on_event(struct live *live, const struct wt_event *event)
{
	struct family *family = live->ctx;

	if (live_id(live, event, "pmu-profile") != WT_PROFILE_SAMPLE)
		return;
	if (event->pid == (uint32_t)family->own)
		family->grown++;
	else if (event->pid == (uint32_t)family->foreign || event->pid == 0)
		family->strange++;
	else if (event->pid != UINT32_MAX)
		family->child++;
}

/* Works, and its child's child does. */
static pid_t start_family(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(HANG_SECONDS);
	/* In front of the session it is one process: what it has made by then is not followed. */
	raise(SIGSTOP);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(HANG_SECONDS);
		if (vfork() == 0)
			execl("/bin/sh", "sh", "-c", "while :; do :; done", NULL);
		pause();
	}
	for (volatile uint64_t i = 0;; i++)
		;
	return 0;
}

static void only_those_asked_for(void **state)
{
	struct family family = {.foreign = start_busy(), .own = start_family()};
	const pid_t pids[] = {family.own};
	const struct wt_perf_request request = {.profile = true, .pids = pids, .n_pids = 1};
	struct live live = {.fn = on_event, .ctx = &family};
	int status;

	(void)state;
	setpgid(family.own, family.own);
	assert_int_equal(waitpid(family.own, &status, WUNTRACED), family.own);
	check(&live, live_start(&live, &request));
	if (!live.perf->follows)
		print_message("without BPF\n");
	kill(family.own, SIGCONT);
	while (family.grown < ENOUGH || family.child < ENOUGH)
		live_turn(&live);
	check(&live, live_stop(&live));
	assert_int_equal(family.strange, 0);
	live_deinit(&live);
	kill(-family.own, SIGKILL);
	end_child(family.own);
	end_child(family.foreign);
}

/* A program that waits to begin is sampled when it has become itself. */
static void from_its_beginning(void **state)
{
	static char *const words[] = {"/bin/sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done",
				      NULL};
	int go;
	struct family family = {.own = start_waiting(&go, words)};
	const pid_t pids[] = {family.own};
	const struct wt_perf_request request = {.profile = true, .pids = pids, .n_pids = 1, .child = true};
	struct live live = {.fn = on_event, .ctx = &family};

	(void)state;
	check(&live, live_start(&live, &request));
	assert_int_equal(write(go, "g", 1), 1);
	assert_int_equal(waitpid(family.own, NULL, 0), family.own);
	check(&live, live_stop(&live));
	assert_true(family.grown > 0);
	assert_int_equal(family.child, 0);
	close(go);
	live_deinit(&live);
}

struct plugged {
	struct live *live;
	struct family *family;
	unsigned gone, came, gaps, late, quiet, loud;
};

static int on_plug(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n)
{
	struct plugged *plugged = ctx;

	assert_true(cpu < plugged->live->perf->n_cpus);
	assert_int_equal(n, 2);
	plugged->gone += !online;
	plugged->came += online;
	for (size_t i = 0; i < n && !online; i++)
		sources[i]->ops->destroy(sources[i]);
	return 0;
}

static void on_late_event(struct live *live, const struct wt_event *event)
{
	static const char late[] = "loader,proc_thread,linux:sched";
	struct plugged *plugged = live->ctx;
	struct wt_lost_payload lost;

	if (plugged->came && (live_id(live, event, "proc_thread") || live_id(live, event, "loader"))) {
		plugged->quiet += event->flags & WT_EVENT_QUIET;
		plugged->loud += !(event->flags & WT_EVENT_QUIET);
	}
	live->ctx = plugged->family;
	on_event(live, event);
	live->ctx = plugged;
	if (live_id(live, event, "wtrace") != WT_CORE_LOST)
		return;
	assert_int_equal(wt_lost_get(event->payload, event->payload_len, &lost), 0);
	assert_true(lost.from < lost.to);
	plugged->gaps += lost.cause == WT_LOSS_CPU_OFFLINE && !str_is(lost.provider, late);
	plugged->late += lost.cause == WT_LOSS_CPU_OFFLINE && str_is(lost.provider, late);
}

static void write_online(const char *path, const char *list)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, list, strlen(list)), strlen(list));
	close(fd);
}

/* The list of CPUs is the test's. Those that come are sampled for the same processes; of events that threads
 * have, and have on no CPU that comes later, it is told that they are missing. What others begin and map
 * there is not for the log. */
static void cpus_that_come_late(void **state)
{
	static const struct wt_perf_tracepoint point = {"sched:sched_switch", false};
	struct family family = {.foreign = start_busy(), .own = start_busy()};
	const pid_t pids[] = {family.own};
	const struct wt_perf_request request = {.profile = true,
						.loader = true,
						.proc_thread = true,
						.pids = pids,
						.n_pids = 1,
						.tracepoints = &point,
						.n_tracepoints = 1};
	struct plugged plugged = {.family = &family};
	struct live live = {.fn = on_late_event, .ctx = &plugged};
	char path[] = "/tmp/wtrace-online-XXXXXX", list[256];
	unsigned n_cpus;

	(void)state;
	close(mkstemp(path));
	assert_true(wt_text_read("/sys/devices/system/cpu/online", list, sizeof(list)) > 0);
	plugged.live = &live;
	check(&live, live_start(&live, &request));
	n_cpus = live.perf->follows ? wt_cpuset_count(&live.perf->online) : 0;
	live.perf->online_path = path;
	while (family.grown < ENOUGH)
		live_turn(&live);
	write_online(path, "");
	check(&live, wt_perf_hotplug(live.perf, on_plug, &plugged, &live.err));
	assert_int_equal(plugged.gone, n_cpus);
	write_online(path, list);
	check(&live, wt_perf_hotplug(live.perf, on_plug, &plugged, &live.err));
	unlink(path);
	assert_int_equal(plugged.came, n_cpus);
	check(&live, live_sources(&live));
	family.grown = 0;
	end_child(start_busy());
	while (family.grown < ENOUGH)
		live_turn(&live);
	check(&live, live_stop(&live));
	assert_int_equal(family.strange, 0);
	assert_true(!n_cpus || (plugged.quiet > 0 && plugged.loud == 0));
	assert_int_equal(plugged.gaps, 2 * n_cpus);
	assert_int_equal(plugged.late, n_cpus);
	live_deinit(&live);
	end_child(family.own);
	end_child(family.foreign);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(only_those_asked_for, live_setup),
		cmocka_unit_test_setup(from_its_beginning, live_setup),
		cmocka_unit_test_setup(cpus_that_come_late, live_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
