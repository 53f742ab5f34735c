// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/mman.h>

#include "tests/unit/providers/perf/fake_ring.h"
#include "providers/perf/record.h"

static struct wt_perf_ids ids;
static struct wt_buf buf;
static struct wt_perf_record record;

static int setup(void **state)
{
	(void)state;
	return wt_perf_ids_add(&ids, 70, (struct wt_perf_id){.slot = WT_PERF_SLOT_SIDEBAND}) ||
	       wt_perf_ids_add(&ids, 75, (struct wt_perf_id){.slot = WT_PERF_SLOT_INODES}) ||
	       wt_perf_ids_add(&ids, 71, (struct wt_perf_id){.slot = 0}) ||
	       wt_perf_ids_add(&ids, 72, (struct wt_perf_id){.slot = 1, .chain = true}) ||
	       wt_perf_ids_add(&ids, 73, (struct wt_perf_id){.slot = 2, .chain = true, .raw = true}) ||
	       wt_perf_ids_add(&ids, 74,
			       (struct wt_perf_id){.slot = 3, .chain = true, .raw = true, .n_regs = 2});
}

static int teardown(void **state)
{
	(void)state;
	wt_perf_ids_deinit(&ids);
	wt_buf_deinit(&buf);
	return 0;
}

/* Parses a copy that ends where the record ends, so that a sanitizer sees any step beyond it. */
static int parse(size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	int ret;

	memcpy(copy, buf.data, len);
	ret = wt_perf_record_parse(&ids, copy, len, &record);
	free(copy);
	return ret;
}

static int parse_kept(void)
{
	return wt_perf_record_parse(&ids, buf.data, buf.len, &record);
}

static void check_trailer(uint32_t slot)
{
	assert_int_equal(record.pid, 100);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(record.time, 999);
	assert_int_equal(record.slot, slot);
}

static void put_map_head(uint32_t type, uint16_t misc)
{
	fake_begin(&buf, type, misc);
	wt_buf_put_u32(&buf, 7);
	wt_buf_put_u32(&buf, 8);
	wt_buf_put_u64(&buf, 0x1000);
	wt_buf_put_u64(&buf, 0x2000);
	wt_buf_put_u64(&buf, 0x3000);
}

static void mmap2_with_inode(void **state)
{
	(void)state;
	put_map_head(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	wt_buf_put_u32(&buf, 8);
	wt_buf_put_u32(&buf, 1);
	wt_buf_put_u64(&buf, 4242);
	wt_buf_put_u64(&buf, 1);
	wt_buf_put_u32(&buf, PROT_READ | PROT_EXEC);
	wt_buf_put_u32(&buf, MAP_PRIVATE);
	fake_name(&buf, "/lib/a b.so");
	fake_trailer(&buf, 999, 70);
	assert_int_equal(parse_kept(), 0);
	check_trailer(WT_PERF_SLOT_SIDEBAND);
	assert_int_equal(record.map.pid, 7);
	assert_int_equal(record.map.tid, 8);
	assert_int_equal(record.map.address, 0x1000);
	assert_int_equal(record.map.size, 0x2000);
	assert_int_equal(record.map.file_offset, 0x3000);
	assert_true(record.map.device == (UINT64_C(8) << 32 | 1));
	assert_int_equal(record.map.inode, 4242);
	assert_int_equal(record.map.build_id.len, 0);
	assert_int_equal(record.map.path.len, 11);
	assert_memory_equal(record.map.path.p, "/lib/a b.so", 11);
}

static void put_build_id_map(uint8_t size, uint64_t id)
{
	put_map_head(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	wt_buf_put_u8(&buf, size);
	wt_buf_put_u8(&buf, 0);
	wt_buf_put_u16(&buf, 0);
	for (uint8_t i = 0; i < 20; i++)
		wt_buf_put_u8(&buf, i);
	wt_buf_put_u32(&buf, PROT_EXEC);
	wt_buf_put_u32(&buf, 0);
	fake_name(&buf, "/x");
	fake_trailer(&buf, 999, id);
}

static void mmap2_with_build_id(void **state)
{
	(void)state;
	put_build_id_map(20, 70);
	assert_int_equal(parse_kept(), 0);
	assert_int_equal(record.map.build_id.len, 20);
	assert_int_equal((uint8_t)record.map.build_id.p[19], 19);
	assert_int_equal(record.map.inode, 0);
	put_build_id_map(21, 70);
	assert_int_equal(parse_kept(), -1);
}

/* Where another event's record of the same mapping had a build id, the flag is still there. */
static void an_inode_under_the_flag_of_a_build_id(void **state)
{
	(void)state;
	put_build_id_map(200, 75);
	assert_int_equal(parse_kept(), 0);
	assert_int_equal(record.map.build_id.len, 0);
	assert_int_equal(record.map.device, UINT64_C(200) << 32 | 0x03020100);
	assert_int_equal(record.map.inode, UINT64_C(0x0b0a090807060504));
	assert_int_equal(record.map.prot, PROT_EXEC);
	assert_int_equal(record.slot, WT_PERF_SLOT_INODES);
}

static void old_mmap_has_exec_only(void **state)
{
	(void)state;
	put_map_head(PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	fake_name(&buf, "[kernel.kallsyms]_text");
	fake_trailer(&buf, 999, 70);
	assert_int_equal(parse_kept(), 0);
	assert_int_equal(record.map.prot, PROT_EXEC);
	assert_int_equal(record.map.path.len, 22);
}

static void tasks_and_names(void **state)
{
	(void)state;
	fake_begin(&buf, PERF_RECORD_FORK, 0);
	for (uint32_t i = 1; i <= 4; i++)
		wt_buf_put_u32(&buf, i);
	wt_buf_put_u64(&buf, 998);
	fake_trailer(&buf, 999, 70);
	assert_int_equal(parse(buf.len), 0);
	check_trailer(WT_PERF_SLOT_SIDEBAND);
	assert_int_equal(record.task.pid, 1);
	assert_int_equal(record.task.parent_pid, 2);
	assert_int_equal(record.task.tid, 3);
	assert_int_equal(record.task.parent_tid, 4);

	fake_begin(&buf, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	wt_buf_put_u32(&buf, 1);
	wt_buf_put_u32(&buf, 2);
	fake_name(&buf, "a\nb");
	fake_trailer(&buf, 999, 70);
	assert_int_equal(parse_kept(), 0);
	assert_int_equal(record.comm.name.len, 3);
	assert_memory_equal(record.comm.name.p, "a\nb", 3);
}

static void kernel_symbols(void **state)
{
	(void)state;
	fake_begin(&buf, PERF_RECORD_KSYMBOL, 0);
	wt_buf_put_u64(&buf, 0xffff000000001000);
	wt_buf_put_u32(&buf, 64);
	wt_buf_put_u16(&buf, PERF_RECORD_KSYMBOL_TYPE_BPF);
	wt_buf_put_u16(&buf, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	fake_name(&buf, "bpf_prog_1");
	fake_trailer(&buf, 999, 70);
	assert_int_equal(parse_kept(), 0);
	assert_int_equal(record.symbol.size, 64);
	assert_true(record.symbol.gone);
	assert_int_equal(record.symbol.name.len, 10);
}

/* As the kernel writes them for the second and third of several events: larger than what is in them. */
static void kernel_symbols_of_several_events(void **state)
{
	(void)state;
	for (unsigned extra = 0; extra < 3; extra++) {
		fake_begin(&buf, PERF_RECORD_KSYMBOL, 0);
		wt_buf_put_u64(&buf, 0xffff000000001000);
		wt_buf_put_u32(&buf, 64);
		wt_buf_put_u16(&buf, PERF_RECORD_KSYMBOL_TYPE_BPF);
		wt_buf_put_u16(&buf, 0);
		fake_name(&buf, "bpf_prog");
		fake_trailer(&buf, 999, 70);
		for (unsigned i = 0; i < extra * 48; i++)
			wt_buf_put_u8(&buf, 0x77);
		fake_end(&buf);
		assert_int_equal(parse_kept(), 0);
		assert_int_equal(record.symbol.name.len, 8);
		assert_int_equal(record.time, 999);
		assert_int_equal(record.pid, 100);
		assert_int_equal(record.cpu, 3);
	}
}

static void losses_and_throttles(void **state)
{
	(void)state;
	fake_lost(&buf, 12345, 999, 71);
	assert_int_equal(parse(buf.len), 0);
	assert_int_equal(record.lost.count, 12345);
	check_trailer(0);
	fake_begin(&buf, PERF_RECORD_THROTTLE, 0);
	wt_buf_put_u64(&buf, 999);
	wt_buf_put_u64(&buf, 72);
	wt_buf_put_u64(&buf, 72);
	fake_trailer(&buf, 999, 71);
	assert_int_equal(parse(buf.len), 0);
	check_trailer(1);
}

static void put_full_sample(uint64_t chain, uint32_t raw)
{
	fake_sample(&buf, PERF_RECORD_MISC_USER, 73, 999, 0x5555);
	wt_buf_put_u64(&buf, chain);
	for (uint64_t i = 0; i < 3; i++)
		wt_buf_put_u64(&buf, i + 10);
	wt_buf_put_u32(&buf, raw);
	for (uint8_t i = 0; i < 12; i++)
		wt_buf_put_u8(&buf, i);
	fake_end(&buf);
}

static void samples(void **state)
{
	(void)state;
	put_full_sample(3, 12);
	assert_int_equal(parse_kept(), 0);
	check_trailer(2);
	assert_int_equal(record.sample.ip, 0x5555);
	assert_int_equal(record.sample.period, 5000);
	assert_int_equal(record.sample.n_chain, 3);
	assert_int_equal(wt_load_u64(record.sample.chain + 16), 12);
	assert_int_equal(record.sample.raw_len, 12);
	assert_int_equal(record.sample.raw[11], 11);
	fake_sample(&buf, PERF_RECORD_MISC_KERNEL, 71, 999, 1);
	fake_end(&buf);
	assert_int_equal(parse_kept(), 0);
	assert_null(record.sample.chain);
	assert_null(record.sample.raw);
}

static void lying_samples(void **state)
{
	static const uint64_t lengths[] = {6, 1000, UINT64_MAX, UINT64_C(1) << 61, UINT64_MAX / 8};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_full_sample(lengths[i], 12);
		assert_int_equal(parse(buf.len), -1);
	}
	put_full_sample(3, 13);
	assert_int_equal(parse(buf.len), -1);
	put_full_sample(3, UINT32_MAX);
	assert_int_equal(parse(buf.len), -1);
	fake_sample(&buf, 0, 9999, 999, 1);
	fake_end(&buf);
	assert_int_equal(parse(buf.len), -1);
}

/* A sample with everything; the parts behind the raw bytes are the test's. */
static void put_user(uint64_t abi, uint64_t asked, uint64_t len)
{
	fake_sample(&buf, PERF_RECORD_MISC_USER, 74, 999, 0x5555);
	wt_buf_put_u64(&buf, 1);
	wt_buf_put_u64(&buf, 10);
	wt_buf_put_u32(&buf, 4);
	wt_buf_put_u32(&buf, 0x01020304);
	fake_user(&buf, abi, 2, asked, len);
	fake_end(&buf);
}

static void registers_and_stack(void **state)
{
	(void)state;
	put_user(PERF_SAMPLE_REGS_ABI_64, 64, 40);
	assert_int_equal(parse_kept(), 0);
	check_trailer(3);
	assert_true(record.sample.user);
	assert_int_equal(record.sample.raw_len, 4);
	assert_int_equal(record.sample.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(wt_load_u64(record.sample.regs), 1000);
	assert_int_equal(wt_load_u64(record.sample.regs + 8), 1001);
	assert_int_equal(record.sample.stack_asked, 64);
	assert_int_equal(record.sample.stack_len, 40);
	assert_int_equal(record.sample.stack[39], 39);
	put_user(PERF_SAMPLE_REGS_ABI_32, 8, 0);
	assert_int_equal(parse_kept(), 0);
	assert_int_equal(record.sample.abi, PERF_SAMPLE_REGS_ABI_32);
	assert_int_equal(record.sample.stack_len, 0);
}

/* Kernel threads have neither; the kernel then writes two zeros. */
static void no_user_half(void **state)
{
	(void)state;
	put_user(PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_int_equal(parse_kept(), 0);
	assert_true(record.sample.user);
	assert_null(record.sample.regs);
	assert_null(record.sample.stack);
	put_full_sample(3, 12);
	assert_int_equal(parse_kept(), 0);
	assert_false(record.sample.user);
}

static void lying_stacks(void **state)
{
	size_t asked_at;

	(void)state;
	put_user(3, 64, 40);
	assert_int_equal(parse(buf.len), -1);
	put_user(UINT64_MAX, 64, 40);
	assert_int_equal(parse(buf.len), -1);
	put_user(PERF_SAMPLE_REGS_ABI_64, 64, 65);
	assert_int_equal(parse(buf.len), -1);
	put_user(PERF_SAMPLE_REGS_ABI_64, 64, UINT64_MAX);
	assert_int_equal(parse(buf.len), -1);
	put_user(PERF_SAMPLE_REGS_ABI_64, 64, 40);
	asked_at = buf.len - 8 - 64 - 8;
	wt_store_u64(buf.data + asked_at, 65);
	assert_int_equal(parse(buf.len), -1);
	wt_store_u64(buf.data + asked_at, 73);
	assert_int_equal(parse(buf.len), -1);
	wt_store_u64(buf.data + asked_at, UINT64_MAX);
	assert_int_equal(parse(buf.len), -1);
}

/* Every record cut at every length: refused or read, never beyond its end. */
static void cut_everywhere(void **state)
{
	(void)state;
	put_full_sample(3, 12);
	for (size_t len = 0; len < buf.len; len++) {
		if (len >= 8)
			wt_store_u16(buf.data + 6, (uint16_t)len);
		assert_int_equal(parse(len), -1);
	}
	put_user(PERF_SAMPLE_REGS_ABI_64, 64, 40);
	for (size_t len = 8; len < buf.len; len++) {
		wt_store_u16(buf.data + 6, (uint16_t)len);
		assert_int_equal(parse(len), -1);
	}
	put_build_id_map(20, 70);
	for (size_t len = 0; len < 8 + 32 + 32; len++) {
		if (len >= 8)
			wt_store_u16(buf.data + 6, (uint16_t)len);
		assert_int_equal(parse(len), -1);
	}
}

static void size_must_agree(void **state)
{
	(void)state;
	fake_lost(&buf, 1, 999, 71);
	wt_store_u16(buf.data + 6, (uint16_t)(buf.len - 8));
	assert_int_equal(parse(buf.len), -1);
}

static void unknown_types_pass(void **state)
{
	(void)state;
	fake_begin(&buf, 4711, 0);
	wt_buf_put_u64(&buf, 1);
	fake_trailer(&buf, 999, 70);
	assert_int_equal(parse(buf.len), 0);
	assert_int_equal(record.type, 4711);
	assert_int_equal(record.time, 999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mmap2_with_inode),
		cmocka_unit_test(mmap2_with_build_id),
		cmocka_unit_test(an_inode_under_the_flag_of_a_build_id),
		cmocka_unit_test(old_mmap_has_exec_only),
		cmocka_unit_test(tasks_and_names),
		cmocka_unit_test(kernel_symbols),
		cmocka_unit_test(kernel_symbols_of_several_events),
		cmocka_unit_test(losses_and_throttles),
		cmocka_unit_test(samples),
		cmocka_unit_test(lying_samples),
		cmocka_unit_test(registers_and_stack),
		cmocka_unit_test(no_user_half),
		cmocka_unit_test(lying_stacks),
		cmocka_unit_test(cut_everywhere),
		cmocka_unit_test(size_must_agree),
		cmocka_unit_test(unknown_types_pass),
	};

	return cmocka_run_group_tests_name("perf/record", tests, setup, teardown);
}
