// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/mman.h>

#include "providers/perf/tracepoint.h"
#include "tests/unit/providers/perf/live.h"
#include "tests/unit/tracecore/schema/payload.h"

static void samples_a_busy_process(void **state)
{
	const struct wt_perf_request request = {.profile = true,
						.profile_stack = true,
						.events = (const char *[]){"cpu-clock"},
						.n_events = 1};
	struct samples samples = {.earliest = wt_clock_now()};
	struct live live = {.fn = on_sample, .ctx = &samples};

	(void)state;
	check(&live, live_start(&live, &request));
	samples.pid = start_busy();
	while (samples.user < 200)
		live_turn(&live);
	end_child(samples.pid);
	check(&live, live_stop(&live));
	assert_true(samples.stacks > 0);
	assert_string_equal(wt_perf_event_text(live.perf, 0), "cpu-clock at 997 Hz, periods vary");
	live_deinit(&live);
}

static void without_stacks_one_address(void **state)
{
	const struct wt_perf_request request = {
		.profile = true, .events = (const char *[]){"cpu-clock:1000000"}, .n_events = 1};
	struct samples samples = {.earliest = wt_clock_now()};
	struct live live = {.fn = on_sample, .ctx = &samples};

	(void)state;
	check(&live, live_start(&live, &request));
	samples.pid = start_busy();
	while (samples.user < 50)
		live_turn(&live);
	end_child(samples.pid);
	check(&live, live_stop(&live));
	assert_int_equal(samples.stacks, 0);
	live_deinit(&live);
}

struct life {
	pid_t parent, pid;
	unsigned start, exec, image, stop, threads, names, mapped, build_ids;
	const char *mapped_path;
};

static void on_process(struct life *life, uint16_t id, const struct wt_event *event)
{
	struct wt_proc_payload proc;

	assert_int_equal(wt_proc_get(event->payload, event->payload_len, &proc), 0);
	if (proc.pid == (uint32_t)life->pid) {
		life->start += id == WT_PROC_START && proc.start_time == event->time &&
			       proc.parent_pid == (uint32_t)life->parent;
		life->exec += id == WT_PROC_EXEC && str_is(proc.name, "true");
		life->stop += id == WT_PROC_STOP;
	}
	if (proc.pid == (uint32_t)life->parent) {
		life->threads += id == WT_THREAD_START;
		life->names += id == WT_THREAD_NAME && str_is(proc.name, "odd, name");
	}
}

static void on_life(struct live *live, const struct wt_event *event)
{
	uint16_t proc_id = live_id(live, event, "proc_thread");
	struct life *life = live->ctx;
	struct wt_image_payload image;

	if (proc_id)
		on_process(life, proc_id, event);
	if (live_id(live, event, "loader") != WT_IMAGE_LOAD)
		return;
	assert_int_equal(wt_image_get(event->payload, event->payload_len, &image), 0);
	if (image.pid == (uint32_t)life->pid && image.kind == WT_IMAGE_FILE) {
		life->image++;
		life->build_ids += image.build_id.len == 20;
	}
	if (image.pid == (uint32_t)life->parent && life->mapped_path && str_is(image.path, life->mapped_path))
		life->mapped++;
}

static void *rename_self(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "odd, name");
	return NULL;
}

/* Maps a page of a file executable, as a loader does. */
static void map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
	void *map;

	assert_int_equal(ftruncate(fd, 4096), 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(map != MAP_FAILED);
	munmap(map, 4096);
	close(fd);
	unlink(path);
}

static void processes_threads_and_images(void **state)
{
	const struct wt_perf_request request = {.loader = true, .proc_thread = true};
	struct life life = {.parent = getpid(), .mapped_path = "/tmp/wtrace map,\nü.so"};
	struct live live = {.fn = on_life, .ctx = &life};
	pthread_t thread;

	(void)state;
	check(&live, live_start(&live, &request));
	map_file(life.mapped_path);
	life.pid = fork();
	if (life.pid == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(life.pid, NULL, 0);
	assert_int_equal(pthread_create(&thread, NULL, rename_self, NULL), 0);
	pthread_join(thread, NULL);
	check(&live, live_stop(&live));
	assert_int_equal(life.start, 1);
	assert_int_equal(life.exec, 1);
	assert_int_equal(life.stop, 1);
	assert_true(life.image >= 1);
	assert_int_equal(life.threads, 1);
	assert_int_equal(life.names, 1);
	assert_int_equal(life.mapped, 1);
	assert_int_equal(live.lost, 0);
	live_deinit(&live);
}

static void a_program_from_its_start(void **state)
{
	struct samples samples = {0};
	struct live live = {.fn = on_sample, .ctx = &samples};

	(void)state;
	run_child_session(&live, true);
	assert_true(samples.user > 20);
	live_deinit(&live);
}

/* Who has not been polling while they ended hears of it as well: what samples whole CPUs does not stand in
 * for them. */
static void gone_before_the_poll(void **state)
{
	char *const argv[] = {"/bin/true", NULL};
	int go, fds[LIVE_SOURCES];
	pid_t pid = start_waiting(&go, argv);
	const struct wt_perf_request request = {.profile = true,
						.loader = true,
						.proc_thread = true,
						.events = (const char *[]){"cpu-clock"},
						.n_events = 1,
						.pids = &pid,
						.n_pids = 1,
						.child = true};
	struct live live = {.n = 0};
	struct pollfd p = {.events = POLLIN};

	(void)state;
	check(&live, live_start(&live, &request));
	assert_true(wt_perf_poll_fds(live.perf, fds, LIVE_SOURCES) > 0);
	assert_int_equal(write(go, "x", 1), 1);
	close(go);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(wt_perf_poll_fds(live.perf, fds, LIVE_SOURCES) > 0);
	p.fd = fds[0];
	assert_int_equal(poll(&p, 1, 0), 1);
	assert_true(p.revents & POLLHUP);
	check(&live, live_stop(&live));
	live_deinit(&live);
}

static void check_refused(const struct wt_perf_request *request, enum wt_code code, const char *part)
{
	struct live live = {.n = 0};

	if (!live_plan(&live, request))
		fail_msg("planned what should be refused: '%s'", part);
	assert_int_equal(live.err.code, code);
	if (!strstr(live.err.text, part))
		fail_msg("'%s' does not say '%s'", live.err.text, part);
	wt_kinds_deinit(&live.kinds);
}

static void mistakes_are_found_while_planning(void **state)
{
	pid_t nobody = INT32_MAX;

	(void)state;
	check_refused(&(struct wt_perf_request){.cpus = (uint32_t[]){8000}, .n_cpus = 1}, WT_ERR_USAGE,
		      "CPU 8000 is not online");
	check_refused(&(struct wt_perf_request){.pids = &nobody, .n_pids = 1}, WT_ERR_NOTFOUND,
		      "there is no process");
	check_refused(&(struct wt_perf_request){.events = (const char *[]){"cpu-clok"}, .n_events = 1},
		      WT_ERR_USAGE, "did you mean 'cpu-clock'?");
	check_refused(&(struct wt_perf_request){.events = (const char *[]){"cpu-clock", "cpu-clock"},
						.n_events = 2},
		      WT_ERR_USAGE, "given twice");
	check_refused(&(struct wt_perf_request){.profile = true, .frequency = 2000000000}, WT_ERR_LIMIT,
		      "perf_event_max_sample_rate");
	check_refused(&(struct wt_perf_request){.events = (const char *[]){"msr/tcs/"}, .n_events = 1},
		      WT_ERR_USAGE, "event 'msr/tcs/'");
}

static void on_source(struct live *live, const struct wt_event *event)
{
	unsigned *by_source = live->ctx;
	struct wt_value values[4];

	if (live_id(live, event, "pmu-profile") != WT_PROFILE_SAMPLE)
		return;
	assert_int_equal(payload_decode(live->kinds.kinds[event->kind].event, event->payload,
					event->payload_len, values),
			 0);
	assert_true(values[0].u < 3);
	by_source[values[0].u]++;
}

static void several_events_in_one_ring(void **state)
{
	const struct wt_perf_request request = {
		.events = (const char *[]){"cpu-clock", "page-faults:1", "cpu-clock:2000000"},
		.n_events = 3,
		.cpus = (uint32_t[]){0},
		.n_cpus = 1};
	unsigned by_source[3] = {0};
	struct live live = {.fn = on_source, .ctx = by_source};
	const struct wt_provider *provider;
	pid_t pid;

	(void)state;
	check(&live, live_start(&live, &request));
	provider = live.kinds.kinds[wt_kinds_find(&live.kinds, "pmu-profile", "sample")].provider;
	assert_int_equal(provider->maps[0].n_entries, 3);
	assert_string_equal(provider->maps[0].entries[2].name, "cpu-clock:2000000");
	while (!by_source[0] || !by_source[1] || !by_source[2]) {
		pid = start_busy();
		live_turn(&live);
		end_child(pid);
	}
	check(&live, live_stop(&live));
	live_deinit(&live);
}

/* libtraceevent 1.7.1 loses two bytes on one of the kernel's formats; that is not ours to report. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

/* Every schema has to survive its own text, which is what a file holds. */
static void load_point(void *ctx, const char *name)
{
	unsigned *n = ctx;
	struct wt_tp_system *systems;
	const char *names[] = {name};
	struct wt_provider *again = NULL;
	struct wt_buf text = {0};
	struct wt_err err;
	size_t n_systems;

	if (wt_tp_load(NULL, names, 1, &systems, &n_systems, &err))
		fail_msg("%s: %s", name, err.text);
	if (wt_manifest_render(systems[0].provider, &text, &err) ||
	    wt_manifest_parse((const char *)text.data, text.len, name, &again, &err))
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(again->n_events, 1);
	wt_provider_destroy(again);
	wt_buf_deinit(&text);
	wt_tp_destroy(systems, n_systems);
	++*n;
}

static void every_tracepoint_has_a_schema(void **state)
{
	struct wt_err err;
	unsigned n = 0;

	(void)state;
	assert_int_equal(wt_tp_each(NULL, load_point, &n, &err), 0);
	assert_true(n > 100);
}

static void count_lines(void *ctx, const char *group, const char *name, const char *help)
{
	unsigned *n = ctx;

	(void)help;
	n[0] += !strcmp(group, "software") && !strcmp(name, "cpu-clock");
	n[1] += !strcmp(group, "tracepoint") && !strcmp(name, "sched:sched_switch");
}

static void lists(void **state)
{
	struct wt_err err;
	unsigned n[2] = {0};

	(void)state;
	assert_int_equal(wt_perf_list(count_lines, n, &err), 0);
	assert_int_equal(n[0], 1);
	assert_int_equal(n[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_a_busy_process),
		cmocka_unit_test(without_stacks_one_address),
		cmocka_unit_test(processes_threads_and_images),
		cmocka_unit_test(a_program_from_its_start),
		cmocka_unit_test(gone_before_the_poll),
		cmocka_unit_test(mistakes_are_found_while_planning),
		cmocka_unit_test(several_events_in_one_ring),
		cmocka_unit_test(every_tracepoint_has_a_schema),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests_name("perf/live", tests, live_setup, NULL);
}
