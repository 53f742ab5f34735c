// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/providers/perf/source_fixture.h"

static void check_name(struct wt_str s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.p, text, s.len);
}

static void put_chain(uint16_t misc, const uint64_t *chain, uint64_t n)
{
	fake_sample(&buf, misc, 71, 10, 0x999);
	wt_buf_put_u64(&buf, n);
	for (uint64_t i = 0; i < n; i++)
		wt_buf_put_u64(&buf, chain[i]);
	commit();
	refresh();
	expect(KIND_SAMPLE, 10);
	pop();
}

static void stacks(void **state)
{
	const uint64_t both[] = {(uint64_t)PERF_CONTEXT_KERNEL,
				 0xffff1,
				 0xffff2,
				 (uint64_t)PERF_CONTEXT_USER,
				 0x11,
				 0x12,
				 0x13};
	const uint64_t user_first[] = {(uint64_t)PERF_CONTEXT_USER, 0x11, (uint64_t)PERF_CONTEXT_KERNEL,
				       0xffff1};
	const uint64_t guest[] = {0x5, (uint64_t)PERF_CONTEXT_GUEST, 0x6, (uint64_t)PERF_CONTEXT_KERNEL,
				  0xffff1};
	uint64_t deep[130] = {(uint64_t)PERF_CONTEXT_USER};

	(void)state;
	put_chain(PERF_RECORD_MISC_KERNEL, both, 7);
	assert_int_equal(event.stack.n_kernel, 2);
	assert_int_equal(event.stack.n_user, 3);
	assert_int_equal(event.stack.pc[1], 0xffff2);
	assert_int_equal(event.stack.pc[4], 0x13);
	assert_int_equal(event.stack.status, WT_STACK_FP);
	assert_int_equal(event.payload_len, 9);
	assert_int_equal(event.payload[0], 3);
	assert_int_equal(wt_load_u64(event.payload + 1), 5000);
	assert_int_equal(event.pid, 100);
	assert_int_equal(event.tid, 101);
	assert_int_equal(event.cpu, 3);
	put_chain(PERF_RECORD_MISC_USER, user_first, 4);
	assert_int_equal(event.stack.n_kernel, 1);
	assert_int_equal(event.stack.pc[0], 0xffff1);
	assert_int_equal(event.stack.pc[1], 0x11);
	put_chain(PERF_RECORD_MISC_KERNEL, guest, 5);
	assert_int_equal(event.stack.n_kernel, 1);
	assert_int_equal(event.stack.n_user, 0);
	assert_int_equal(event.stack.status, WT_STACK_NO_USER);
	put_chain(PERF_RECORD_MISC_USER, deep, 128);
	assert_int_equal(event.stack.n_user, 127);
	assert_int_equal(event.stack.status, WT_STACK_TRUNCATED);
	put_chain(PERF_RECORD_MISC_USER, both, 0);
	assert_int_equal(event.stack.n_user, 0);
}

/* One sample with a stack of which len bytes out of 1,000 could be read. */
static void write_dump(uint64_t id, uint64_t abi, uint64_t asked, uint64_t len)
{
	fake_sample(&buf, PERF_RECORD_MISC_KERNEL, id, 10, 0x999);
	if (id == 73) {
		wt_buf_put_u64(&buf, 2);
		wt_buf_put_u64(&buf, (uint64_t)PERF_CONTEXT_KERNEL);
		wt_buf_put_u64(&buf, 0xffff1);
	}
	fake_user(&buf, abi, WT_PERF_REGS->n, asked, len);
	commit();
}

static void expect_dump(uint64_t id, uint64_t abi, uint64_t asked, uint64_t len)
{
	write_dump(id, abi, asked, len);
	refresh();
	expect(KIND_SAMPLE, 10);
	pop();
	source->ops->release(source);
	assert_int_equal(event.stack.n_user, 0);
	assert_int_equal(event.stack.status, WT_STACK_NO_USER);
}

static void copied_stacks(void **state)
{
	const struct wt_stack_dump *dump;

	(void)state;
	/* Several times, so that one lies across the ring's end. */
	for (int i = 0; i < 9; i++) {
		expect_dump(73, PERF_SAMPLE_REGS_ABI_64, 1000, 999);
		dump = event.stack.dump;
		assert_non_null(dump);
		assert_int_equal(event.stack.n_kernel, 1);
		assert_int_equal(event.stack.pc[0], 0xffff1);
		assert_int_equal(dump->machine, WT_PERF_REGS->machine);
		assert_false(dump->cut);
		assert_int_equal(dump->size, 999);
		for (uint32_t b = 0; b < dump->size; b++)
			assert_int_equal(dump->bytes[b], (uint8_t)b);
		for (uint8_t r = 0; r < WT_PERF_REGS->n; r++)
			if (WT_PERF_REGS->dwarf[r] == WT_PERF_REG_PC)
				assert_int_equal(dump->pc, 1000 + r);
			else
				assert_int_equal(dump->r[WT_PERF_REGS->dwarf[r]], 1000 + r);
	}
	expect_dump(73, PERF_SAMPLE_REGS_ABI_64, 1000, 1000);
	assert_true(event.stack.dump->cut);
	expect_dump(74, PERF_SAMPLE_REGS_ABI_64, 1000, 8);
	assert_int_equal(event.stack.n_kernel, 0);
	assert_int_equal(event.stack.dump->size, 8);
	expect_dump(73, PERF_SAMPLE_REGS_ABI_32, 1000, 8);
	assert_int_equal(event.stack.dump->machine, 0);
	expect_dump(73, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_null(event.stack.dump);
	assert_int_equal(event.stack.n_kernel, 1);
	/* Within an exec. */
	expect_dump(73, PERF_SAMPLE_REGS_ABI_64, 1000, 0);
	assert_null(event.stack.dump);
}

/* A copy that was shown and then moved out of the ring is shown again, from where it is now. */
static void copied_stacks_that_are_held(void **state)
{
	static uint8_t bytes[FAKE_SIZE * WT_PERF_HOLD_SPAN];

	(void)state;
	source->ops->destroy(source);
	perf.shared = shared;
	perf.n_cpus = 1;
	ring->hold = (struct wt_perf_hold){&shared[0].held, bytes, sizeof(bytes), 4096};
	make_source();
	write_lost(3, 9);
	write_dump(73, PERF_SAMPLE_REGS_ABI_64, 1000, 999);
	write_dump(73, PERF_SAMPLE_REGS_ABI_64, 1000, 500);
	refresh();
	expect(KIND_LOST, 9);
	pop();
	expect(KIND_SAMPLE, 10);
	assert_true(source->ops->fill(source) > 500);
	assert_true(source->ops->hold(source));
	assert_int_equal(source->ops->fill(source), 0);
	refresh();
	expect(KIND_SAMPLE, 10);
	assert_true(event.stack.dump->bytes >= bytes && event.stack.dump->bytes < bytes + sizeof(bytes));
	assert_int_equal(event.stack.dump->size, 999);
	pop();
	expect(KIND_SAMPLE, 10);
	assert_int_equal(event.stack.dump->size, 500);
	pop();
	expect_end();
	source->ops->release(source);
	assert_int_equal(shared[0].held.bytes, 0);
	/* The loss before it has been told. */
	assert_int_equal(shared[0].copy[shared[0].turn].lost, 3);
}

static void tracepoints(void **state)
{
	(void)state;
	write_tick(20, 0xabcd);
	refresh();
	expect(KIND_POINT, 20);
	assert_int_equal(event.payload_len, 4);
	assert_int_equal(wt_load_u32(event.payload), 0xabcd);
	assert_int_equal(event.stack.n_kernel, 0);
	pop();
	fake_sample(&buf, PERF_RECORD_MISC_KERNEL, 72, 21, 1);
	wt_buf_put_u32(&buf, 4); /* too short for its program */
	wt_buf_put_u32(&buf, 0);
	commit();
	refresh();
	assert_int_equal(expect_lost(20).cause, WT_LOSS_DAMAGED);
}

static void peek_waits_for_pop(void **state)
{
	(void)state;
	write_tick(1, 1);
	write_tick(2, 2);
	expect_end();
	refresh();
	expect(KIND_POINT, 1);
	expect(KIND_POINT, 1);
	assert_int_equal(source->ops->position(source), 0);
	pop();
	assert_int_equal(source->ops->position(source), buf.len);
	expect(KIND_POINT, 2);
	assert_int_equal(source->ops->position(source), buf.len);
	source->ops->release(source);
	assert_int_equal(*fake_tail(&fake), buf.len);
	pop();
	expect_end();
	source->ops->release(source);
	assert_int_equal(*fake_tail(&fake), *fake_head(&fake));
}

/* Records without an event must not keep the ring full. */
static void silent_records_are_released(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		fake_begin(&buf, PERF_RECORD_SWITCH, 0);
		fake_trailer(&buf, 5, 70);
		commit();
	}
	refresh();
	expect_end();
	source->ops->release(source);
	assert_int_equal(*fake_tail(&fake), *fake_head(&fake));
}

static void losses_have_a_span(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	write_tick(100, 1);
	write_lost(17, 300);
	refresh();
	expect(KIND_POINT, 100);
	pop();
	lost = expect_lost(300);
	assert_int_equal(lost.cause, WT_LOSS_RING_FULL);
	assert_int_equal(lost.count, 17);
	assert_int_equal(lost.from, 100);
	assert_int_equal(lost.exact, 0);
	check_name(lost.provider, "pmu-profile,linux:sched");
	check_name(lost.event, "");
}

static void losses_of_one_exact_event(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	source->ops->destroy(source);
	perf.slots = &slots[1];
	perf.n_slots = 1;
	make_source();
	write_lost(17, 300);
	refresh();
	lost = expect_lost(300);
	assert_int_equal(lost.exact, 1);
	assert_int_equal(lost.from, 300);
	check_name(lost.provider, "linux:sched");
	check_name(lost.event, "tick");
}

static void sideband_losses(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	source->ops->destroy(source);
	ring->sideband = true;
	make_source();
	write_lost(2, 300);
	refresh();
	lost = expect_lost(300);
	assert_int_equal(lost.exact, 1);
	check_name(lost.provider, "loader,proc_thread");
}

static void lost_samples_name_their_event(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	fake_begin(&buf, PERF_RECORD_LOST_SAMPLES, 0);
	wt_buf_put_u64(&buf, 9);
	fake_trailer(&buf, 50, 72);
	commit();
	refresh();
	lost = expect_lost(50);
	assert_int_equal(lost.count, 9);
	assert_int_equal(lost.exact, 1);
	check_name(lost.event, "tick");
}

static void throttling_is_blind_time(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	write_throttle(PERF_RECORD_THROTTLE, 100);
	write_tick(150, 1);
	write_throttle(PERF_RECORD_UNTHROTTLE, 200);
	refresh();
	expect(KIND_POINT, 150);
	pop();
	lost = expect_lost(200);
	assert_int_equal(lost.cause, WT_LOSS_THROTTLED);
	assert_int_equal(lost.from, 100);
	assert_int_equal(lost.exact, 0);
	check_name(lost.provider, "pmu-profile");
	check_name(lost.event, "cycles");
	pop();
	expect_end();
}

static void throttled_to_the_end(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	write_throttle(PERF_RECORD_THROTTLE, 100);
	refresh();
	expect_end();
	ring->ended = 500;
	expect_end(); /* the ring may hold more than was seen before the end */
	refresh();
	lost = expect_lost(500);
	assert_int_equal(lost.from, 100);
	assert_int_equal(lost.cause, WT_LOSS_THROTTLED);
	pop();
	expect_end();
}

static void damage_is_told_and_survived(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	write_tick(100, 1);
	fake_begin(&buf, PERF_RECORD_COMM, 0);
	fake_write_bytes(&fake, buf.data, buf.len); /* its size is 0 */
	refresh();
	expect(KIND_POINT, 100);
	pop();
	lost = expect_lost(100);
	assert_int_equal(lost.cause, WT_LOSS_DAMAGED);
	assert_int_equal(lost.exact, 0);
	pop();
	expect_end();
	fake_sample(&buf, 0, 4711, 110, 1); /* an event that is not ours */
	commit();
	write_tick(120, 1);
	refresh();
	assert_int_equal(expect_lost(100).cause, WT_LOSS_DAMAGED);
	pop();
	expect(KIND_POINT, 120);
}

static void a_cpu_that_came_back(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	source->ops->destroy(source);
	ring->gone_from = 10;
	ring->gone_to = 30;
	make_source();
	lost = expect_lost(30);
	assert_int_equal(lost.cause, WT_LOSS_CPU_OFFLINE);
	assert_int_equal(lost.from, 10);
	pop();
	expect_end();
}

/* A second reader goes on exactly behind what the first had released, and knows the last record's time. */
static void taken_over_at_the_tail(void **state)
{
	struct wt_source *first = source; /* of the recorder that died */

	(void)state;
	write_tick(100, 1);
	write_tick(200, 2);
	write_lost(3, 300);
	refresh();
	expect(KIND_POINT, 100);
	pop();
	expect(KIND_POINT, 200);
	source->ops->release(source);
	make_source();
	refresh();
	expect(KIND_POINT, 200);
	pop();
	assert_int_equal(expect_lost(300).from, 200);
	first->ops->destroy(first);
	ring->source = (struct wt_perf_source *)source;
}

/* The log's last checkpoint may be ahead of the tail; what lies between is not given out again. */
static void taken_over_ahead_of_the_tail(void **state)
{
	struct wt_source *first = source;
	uint64_t position;

	(void)state;
	write_tick(100, 1);
	write_lost(3, 150);
	write_throttle(PERF_RECORD_THROTTLE, 160);
	write_tick(200, 2);
	write_throttle(PERF_RECORD_UNTHROTTLE, 300);
	refresh();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(source->ops->peek(source, &event), 0);
		pop();
	}
	position = source->ops->position(source);
	make_source();
	assert_int_equal(source->ops->seek(source, *fake_head(&fake) + 1), -1);
	assert_int_equal(source->ops->seek(source, position), 0);
	assert_int_equal(source->ops->position(source), position);
	refresh();
	assert_int_equal(expect_lost(300).from, 160);
	pop();
	expect_end();
	first->ops->destroy(first);
	ring->source = (struct wt_perf_source *)source;
}

/* What the counters told before the record came is taken off it. */
static void a_loss_told_ahead_is_told_once(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	source->ops->destroy(source);
	shared[0].copy[0] = (struct wt_perf_carry){.lost = 5, .last_time = 90, .ahead = 5};
	make_source();
	write_lost(3, 100);
	write_lost(4, 200);
	write_lost(6, 300);
	refresh();
	lost = expect_lost(200);
	assert_int_equal(lost.count, 2);
	assert_int_equal(lost.from, 100);
	pop();
	lost = expect_lost(300);
	assert_int_equal(lost.count, 6);
	pop();
	source->ops->release(source);
	assert_int_equal(shared[0].copy[shared[0].turn].lost, 13);
	assert_int_equal(shared[0].copy[shared[0].turn].ahead, 0);
	expect_end();
}

static void write_fork(uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid)
{
	fake_begin(&buf, type, 0);
	wt_buf_put_u32(&buf, pid);
	wt_buf_put_u32(&buf, parent);
	wt_buf_put_u32(&buf, tid);
	wt_buf_put_u32(&buf, parent);
	wt_buf_put_u64(&buf, 5);
	fake_trailer(&buf, 5, 70);
	commit();
}

static struct wt_proc_payload expect_proc(uint32_t id)
{
	struct wt_proc_payload proc;

	refresh();
	expect(KIND_PROC + id, 5);
	assert_int_equal(wt_proc_get(event.payload, event.payload_len, &proc), 0);
	pop();
	return proc;
}

static void tasks(void **state)
{
	struct wt_proc_payload proc;

	(void)state;
	write_fork(PERF_RECORD_FORK, 200, 100, 200);
	proc = expect_proc(WT_PROC_START);
	assert_int_equal(proc.pid, 200);
	assert_int_equal(proc.parent_pid, 100);
	assert_int_equal(proc.start_time, 5);
	assert_int_equal(proc.uid, UINT32_MAX);
	write_fork(PERF_RECORD_FORK, 200, 200, 201);
	assert_int_equal(expect_proc(WT_THREAD_START).tid, 201);
	write_fork(PERF_RECORD_EXIT, 200, 200, 201);
	assert_int_equal(expect_proc(WT_THREAD_STOP).tid, 201);
	write_fork(PERF_RECORD_EXIT, 200, 100, 200);
	assert_int_equal(expect_proc(WT_PROC_STOP).start_time, 0);
	write_fork(PERF_RECORD_EXIT, UINT32_MAX, 100, UINT32_MAX);
	assert_int_equal(expect_proc(WT_PROC_STOP).pid, UINT32_MAX);
}

static void names(void **state)
{
	(void)state;
	for (int exec = 0; exec < 2; exec++) {
		fake_begin(&buf, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
		wt_buf_put_u32(&buf, 200);
		wt_buf_put_u32(&buf, 201);
		fake_name(&buf, "new name");
		fake_trailer(&buf, 5, 70);
		commit();
		check_name(expect_proc(exec ? WT_PROC_EXEC : WT_THREAD_NAME).name, "new name");
	}
}

static void write_map_of(uint16_t misc, uint32_t prot, uint32_t flags, const char *path)
{
	fake_begin(&buf, PERF_RECORD_MMAP2, misc);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	wt_buf_put_u64(&buf, 0x1000);
	wt_buf_put_u64(&buf, 0x2000);
	wt_buf_put_u64(&buf, 0x3000);
	for (int i = 0; i < 6; i++)
		wt_buf_put_u32(&buf, 9);
	wt_buf_put_u32(&buf, prot);
	wt_buf_put_u32(&buf, flags);
	fake_name(&buf, path);
	fake_trailer(&buf, 5, 70);
	commit();
	refresh();
}

static void write_map(uint16_t misc, uint32_t prot, const char *path)
{
	write_map_of(misc, prot, MAP_PRIVATE, path);
}

/* What is written to a private mapping is no file's, to a shared one the file's. */
static void text_that_can_be_written(void **state)
{
	struct wt_image_payload image;

	(void)state;
	for (uint32_t flags = MAP_SHARED; flags <= MAP_PRIVATE; flags++) {
		bool file = flags == MAP_SHARED;

		write_map_of(PERF_RECORD_MISC_USER, PROT_WRITE | PROT_EXEC, flags, "/lib/x.so");
		expect(KIND_IMAGE + WT_IMAGE_LOAD, 5);
		assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
		assert_int_equal(image.kind, file ? WT_IMAGE_FILE : WT_IMAGE_ANON);
		assert_int_equal(image.file_offset, file ? 0x3000 : 0);
		assert_int_equal(image.inode != 0, file);
		check_name(image.path, "/lib/x.so");
		pop();
	}
}

static void check_map(uint16_t misc, const char *path, uint8_t kind, const char *shown)
{
	bool kernel = kind == WT_IMAGE_KERNEL || kind == WT_IMAGE_MODULE;
	struct wt_image_payload image;

	write_map(misc, PROT_EXEC, path);
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 5);
	assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
	assert_int_equal(image.kind, kind);
	assert_int_equal(image.pid, kernel ? WT_PID_KERNEL : 200);
	assert_int_equal(image.file_offset, kind == WT_IMAGE_FILE ? 0x3000 : 0);
	check_name(image.path, shown);
	pop();
}

static void images(void **state)
{
	(void)state;
	check_map(PERF_RECORD_MISC_USER, "/lib/x.so", WT_IMAGE_FILE, "/lib/x.so");
	check_map(PERF_RECORD_MISC_USER, "[vdso]", WT_IMAGE_VDSO, "[vdso]");
	check_map(PERF_RECORD_MISC_USER, "//anon", WT_IMAGE_ANON, "[anon]");
	check_map(PERF_RECORD_MISC_USER, "[heap]", WT_IMAGE_ANON, "[heap]");
	check_map(PERF_RECORD_MISC_USER, "", WT_IMAGE_ANON, "[anon]");
	check_map(PERF_RECORD_MISC_KERNEL, "[ext4]", WT_IMAGE_MODULE, "[ext4]");
	check_map(PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]_text", WT_IMAGE_KERNEL, "[kernel.kallsyms]");
	write_map(PERF_RECORD_MISC_USER, PROT_READ, "/data");
	expect_end();
}

static void write_twin(uint16_t misc, uint64_t id, uint64_t time)
{
	fake_begin(&buf, PERF_RECORD_MMAP2, (uint16_t)(PERF_RECORD_MISC_USER | misc));
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	wt_buf_put_u64(&buf, 0x1000);
	wt_buf_put_u64(&buf, 0x2000);
	wt_buf_put_u64(&buf, 0x3000);
	if (misc) {
		wt_buf_put_u8(&buf, 20);
		for (int i = 0; i < 3; i++)
			wt_buf_put_u8(&buf, 0);
		for (int i = 0; i < 20; i++)
			wt_buf_put_u8(&buf, 0xab);
	} else {
		wt_buf_put_u32(&buf, 8);
		wt_buf_put_u32(&buf, 1);
		wt_buf_put_u64(&buf, 77);
		wt_buf_put_u64(&buf, 0);
	}
	wt_buf_put_u32(&buf, PROT_EXEC);
	wt_buf_put_u32(&buf, 0);
	fake_name(&buf, "/lib/x.so");
	fake_trailer(&buf, time, id);
	commit();
	refresh();
}

/* A recorder that dies between the two records of a mapping has not let go of the first. */
static void taken_over_between_twins(void **state)
{
	struct wt_source *first = source;
	struct wt_image_payload image;

	(void)state;
	assert_int_equal(wt_perf_ids_add(&perf.ids, 75, (struct wt_perf_id){.slot = WT_PERF_SLOT_INODES}), 0);
	write_tick(4, 1);
	refresh();
	expect(KIND_POINT, 4);
	pop();
	write_twin(0, 75, 5);
	expect_end();
	source->ops->release(source);
	make_source();
	write_twin(PERF_RECORD_MISC_MMAP_BUILD_ID, 70, 6);
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 6);
	assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
	assert_int_equal(image.inode, 77);
	assert_int_equal(image.build_id.len, 20);
	/* Nor before the event is taken. */
	source->ops->release(source);
	source->ops->destroy(source);
	make_source();
	refresh();
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 6);
	assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
	assert_int_equal(image.inode, 77);
	pop();
	source->ops->release(source);
	assert_int_equal(source->ops->position(source), *fake_head(&fake));
	expect_end();
	first->ops->destroy(first);
	ring->source = (struct wt_perf_source *)source;
}

static void quiet_when_not_asked_for(void **state)
{
	(void)state;
	perf.loader = perf.proc_thread = false;
	write_map(PERF_RECORD_MISC_USER, PROT_EXEC, "/lib/x.so");
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 5);
	/* Whether the text could be looked at depends on what has that pid here. */
	assert_int_equal(event.flags & ~(unsigned)(WT_EVENT_GONE | WT_EVENT_UNSEEN), WT_EVENT_QUIET);
	pop();
	write_fork(PERF_RECORD_FORK, 200, 100, 200);
	expect_proc(WT_PROC_START);
	assert_true(event.flags & WT_EVENT_QUIET);
}

#define SOURCE_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOURCE_TEST(stacks),
		SOURCE_TEST(copied_stacks),
		SOURCE_TEST(copied_stacks_that_are_held),
		SOURCE_TEST(tracepoints),
		SOURCE_TEST(peek_waits_for_pop),
		SOURCE_TEST(silent_records_are_released),
		SOURCE_TEST(losses_have_a_span),
		SOURCE_TEST(losses_of_one_exact_event),
		SOURCE_TEST(sideband_losses),
		SOURCE_TEST(lost_samples_name_their_event),
		SOURCE_TEST(throttling_is_blind_time),
		SOURCE_TEST(throttled_to_the_end),
		SOURCE_TEST(damage_is_told_and_survived),
		SOURCE_TEST(a_cpu_that_came_back),
		SOURCE_TEST(taken_over_at_the_tail),
		SOURCE_TEST(taken_over_ahead_of_the_tail),
		SOURCE_TEST(a_loss_told_ahead_is_told_once),
		SOURCE_TEST(tasks),
		SOURCE_TEST(names),
		SOURCE_TEST(images),
		SOURCE_TEST(text_that_can_be_written),
		SOURCE_TEST(taken_over_between_twins),
		SOURCE_TEST(quiet_when_not_asked_for),
	};

	return cmocka_run_group_tests_name("perf/source", tests, NULL, NULL);
}
