// SPDX-License-Identifier: MIT
/* The program on sampling events: pieces of a stack of known bytes come directly in front of the sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/perf/bpf.h"
#include "providers/perf/ring.h"
#include "providers/perf/user_regs.h"
#include "tracecore/base/bytes.h"

enum { RING = 1 << 20, DEEP = 100 << 10, KERNEL_BYTES = 8192, PATTERN = 0x5a };

struct rig {
	int sampling, output, cpu;
	pid_t child;
	uint8_t *map;
	struct wt_perf_bpf *bpf;
	struct wt_perf_reader reader;
	struct wt_perf_ids ids;
};

static void spin_deep(void)
{
	volatile char frame[DEEP];

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = PATTERN;
	for (volatile uint64_t i = 0;; i++)
		frame[0] = PATTERN;
}

static pid_t start_deep(int cpu)
{
	pid_t pid = fork();
	cpu_set_t set;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	alarm(60);
	spin_deep();
	_exit(1);
}

static int open_event(uint64_t config, uint64_t type, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.sample_period = config == PERF_COUNT_SW_CPU_CLOCK ? 1000000 : 1,
		.sample_type = WT_PERF_SAMPLE_TYPE | type,
		.sample_id_all = 1,
		.disabled = config == PERF_COUNT_SW_CPU_CLOCK,
		.sample_regs_user = type & PERF_SAMPLE_REGS_USER ? WT_PERF_REGS->mask : 0,
		.sample_stack_user = type & PERF_SAMPLE_STACK_USER ? KERNEL_BYTES : 0,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void identify(struct rig *rig, int fd, struct wt_perf_id entry)
{
	uint64_t id;

	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ID, &id), 0);
	assert_int_equal(wt_perf_ids_add(&rig->ids, id, entry), 0);
}

/* False: BPF is not to be had here. */
static bool set_up(struct rig *rig)
{
	const struct wt_perf_id sampled = {.slot = 0, .n_regs = WT_PERF_REGS->n};
	const struct wt_perf_id written = {.slot = 1, .raw = true};
	struct wt_err err = WT_ERR_INIT;
	struct wt_bpf_settings *settings;

	*rig = (struct rig){.cpu = sched_getcpu()};
	if (wt_perf_bpf_open(&rig->bpf, &err) < 0) {
		print_message("# without BPF: %s\n", err.text);
		return false;
	}
	rig->child = start_deep(rig->cpu);
	rig->sampling = open_event(PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
				   rig->child, rig->cpu);
	rig->output = open_event(PERF_COUNT_SW_BPF_OUTPUT, PERF_SAMPLE_RAW, -1, rig->cpu);
	assert_true(rig->sampling >= 0 && rig->output >= 0);
	rig->map = mmap(NULL, RING + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, rig->sampling, 0);
	assert_true(rig->map != MAP_FAILED);
	assert_int_equal(ioctl(rig->output, PERF_EVENT_IOC_SET_OUTPUT, rig->sampling), 0);
	identify(rig, rig->sampling, sampled);
	identify(rig, rig->output, written);
	assert_int_equal(wt_perf_reader_init(&rig->reader, rig->map, rig->map + 4096, RING), 0);
	assert_int_equal(wt_perf_bpf_attach(rig->bpf, rig->sampling), 0);
	assert_int_equal(wt_perf_bpf_set_output(rig->bpf, (uint32_t)rig->cpu, rig->output), 0);
	settings = wt_perf_bpf_settings(rig->bpf);
	settings->copy_from = KERNEL_BYTES;
	settings->copy_most = RING / 4;
	settings->marks[rig->child & (WT_BPF_THREADS - 1)] = WT_STACK_MARK_DEEP;
	settings->copy_on = 1;
	return true;
}

static void tear_down(struct rig *rig)
{
	if (rig->bpf)
		assert_int_equal(wt_perf_bpf_set_output(rig->bpf, (uint32_t)rig->cpu, -1), 0);
	wt_perf_bpf_close(rig->bpf);
	kill(rig->child, SIGKILL);
	waitpid(rig->child, NULL, 0);
	munmap(rig->map, RING + 4096);
	close(rig->output);
	close(rig->sampling);
	wt_perf_reader_deinit(&rig->reader);
	wt_perf_ids_deinit(&rig->ids);
}

static uint64_t hash_of(const struct wt_perf_record *record)
{
	unsigned long long words[64];

	for (unsigned i = 0; i < WT_PERF_REGS->n; i++)
		words[i] = wt_load_u64(record->sample.regs + 8 * (size_t)i);
	return wt_bpf_hash(words, WT_PERF_REGS->n);
}

/* What was seen of one sample: its pieces in order, nothing between. */
struct seen {
	struct wt_bpf_piece head;
	uint64_t next, bytes, filled;
	uint32_t number;
	unsigned whole; /* samples with all their pieces, and the deep frame in them */
};

static void take_piece(struct seen *seen, const struct wt_perf_record *record)
{
	struct wt_bpf_piece head;

	assert_true(record->sample.raw_len >= sizeof(head));
	memcpy(&head, record->sample.raw, sizeof(head));
	assert_true(sizeof(head) + head.size <= record->sample.raw_len);
	if (!head.number)
		*seen = (struct seen){.next = head.address, .whole = seen->whole};
	assert_int_equal(head.number, seen->number++);
	/* Pages that were not written yet are left out. */
	assert_true(head.address >= seen->next);
	seen->next = head.address + head.size;
	seen->bytes += head.size;
	for (uint32_t i = 0; i < head.size; i++)
		seen->filled += record->sample.raw[sizeof(head) + i] == PATTERN;
	seen->head = head;
}

static void take_sample(struct seen *seen, const struct wt_perf_record *record)
{
	if (!seen->number || !record->sample.regs)
		return;
	assert_true(seen->head.end != WT_BPF_MORE);
	assert_int_equal(hash_of(record), seen->head.regs);
	/* The kernel's copy ends at a page that the program has not written yet. */
	seen->whole += seen->filled >= DEEP - 2 * KERNEL_BYTES && record->sample.stack_len == KERNEL_BYTES;
	seen->number = 0;
}

static void test_pieces_come_before_their_sample(void **state)
{
	struct seen seen = {0};
	struct rig rig;
	uint64_t len;

	(void)state;
	if (!set_up(&rig))
		return;
	assert_int_equal(ioctl(rig.sampling, PERF_EVENT_IOC_ENABLE, 0), 0);
	alarm(60);
	while (seen.whole < 20) {
		wt_perf_reader_refresh(&rig.reader);
		while (wt_perf_reader_next(&rig.reader, &len) == WT_PERF_RECORD) {
			struct wt_perf_record record;

			assert_int_equal(wt_perf_record_parse(&rig.ids, rig.reader.record, len, &record), 0);
			if (record.type == PERF_RECORD_SAMPLE && record.slot == 1)
				take_piece(&seen, &record);
			else if (record.type == PERF_RECORD_SAMPLE)
				take_sample(&seen, &record);
			else
				seen.number = 0;
		}
		wt_perf_reader_release(&rig.reader, rig.reader.pos);
	}
	alarm(0);
	tear_down(&rig);
}

static void test_it_can_be_turned_off(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_perf_bpf *bpf;

	(void)state;
	setenv("WTRACE_BPF", "0", 1);
	assert_int_equal(wt_perf_bpf_open(&bpf, &err), -1);
	assert_null(bpf);
	assert_string_equal(err.text, "WTRACE_BPF=0 is set");
	unsetenv("WTRACE_BPF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_come_before_their_sample),
		cmocka_unit_test(test_it_can_be_turned_off),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
