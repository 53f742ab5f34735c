// SPDX-License-Identifier: MIT
/* Pieces of a stack are joined to the sample they are of, and to no other, whatever the ring holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "providers/perf/copy.h"
#include "providers/perf/user_regs.h"
#include "tracecore/base/bytes.h"

enum { SP = 0x7000, KERNEL_BYTES = 64, PIECE = 256, N_WORDS = 33 };
#if defined(__aarch64__)
enum { SP_NUMBER = 31 };
#else
enum { SP_NUMBER = 7 };
#endif

static uint8_t stack[1 << 16], regs[N_WORDS * 8];

struct made {
	uint8_t bytes[sizeof(struct wt_bpf_piece) + (1 << 15)];
	struct wt_perf_record record;
};

static uint64_t hash(void)
{
	unsigned long long words[N_WORDS];

	for (unsigned i = 0; i < WT_PERF_REGS->n; i++)
		words[i] = wt_load_u64(regs + 8 * (size_t)i);
	return wt_bpf_hash(words, WT_PERF_REGS->n);
}

static struct wt_bpf_piece head_of(uint32_t number, uint64_t offset, uint32_t size, uint32_t end)
{
	return (struct wt_bpf_piece){
		.regs = hash(), .sp = SP, .address = SP + offset, .size = size, .number = number, .end = end};
}

static void make(struct made *made, struct wt_bpf_piece head, uint32_t len)
{
	memcpy(made->bytes, &head, sizeof(head));
	if (len >= sizeof(head) && head.address - SP < sizeof(stack) - sizeof(made->bytes))
		memcpy(made->bytes + sizeof(head), stack + (head.address - SP), len - sizeof(head));
	made->record = (struct wt_perf_record){.type = PERF_RECORD_SAMPLE,
					       .pid = 10,
					       .tid = 11,
					       .time = 1000,
					       .slot = WT_PERF_SLOT_COPY,
					       .sample.raw = made->bytes,
					       .sample.raw_len = len};
}

/* Gives the piece to the copy, at a position in the ring; the next one belongs at the position returned. */
static uint64_t give(struct wt_perf_copy *copy, struct wt_bpf_piece head, uint64_t at)
{
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	make(made, head, (uint32_t)sizeof(head) + head.size);
	wt_perf_copy_take(copy, &made->record, at, at + 1000);
	free(made);
	return at + 1000;
}

static struct wt_perf_record sample(void)
{
	return (struct wt_perf_record){.type = PERF_RECORD_SAMPLE,
				       .pid = 10,
				       .tid = 11,
				       .time = 1010,
				       .sample.abi = PERF_SAMPLE_REGS_ABI_64,
				       .sample.user = true,
				       .sample.regs = regs,
				       .sample.stack = stack,
				       .sample.stack_len = KERNEL_BYTES,
				       .sample.stack_asked = KERNEL_BYTES};
}

static bool join(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t at,
		 struct wt_stack_dump *dump)
{
	*dump = (struct wt_stack_dump){
		.machine = WT_PERF_REGS->machine, .size = KERNEL_BYTES, .bytes = stack, .r[SP_NUMBER] = SP};
	return wt_perf_copy_join(copy, record, at, dump);
}

static bool joins(struct wt_perf_copy *copy, uint64_t at)
{
	struct wt_perf_record record = sample();
	struct wt_stack_dump dump;

	return join(copy, &record, at, &dump);
}

static uint64_t give_two(struct wt_perf_copy *copy)
{
	uint64_t at = give(copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);

	return give(copy, head_of(1, PIECE, PIECE, WT_BPF_STACK_END), at);
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t i = 0; i < sizeof(regs); i++)
		regs[i] = (uint8_t)(i * 13);
	return 0;
}

static void test_pieces_become_one_part(void **state)
{
	struct wt_perf_copy copy = {0};
	struct wt_perf_record record = sample();
	struct wt_stack_dump dump;

	(void)state;
	assert_true(join(&copy, &record, give_two(&copy), &dump));
	assert_int_equal(dump.n_parts, 1);
	assert_int_equal(dump.parts[0].at, SP);
	assert_int_equal(dump.parts[0].size, 2 * PIECE);
	assert_memory_equal(dump.parts[0].bytes, stack, 2 * PIECE);
	assert_int_equal(copy.start, 5000);
	wt_perf_copy_deinit(&copy);
}

static void test_what_cannot_be_read_is_left_out(void **state)
{
	struct wt_perf_copy copy = {0};
	struct wt_perf_record record = sample();
	struct wt_stack_dump dump;
	uint64_t at;

	(void)state;
	at = give(&copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);
	at = give(&copy, head_of(1, 8192, PIECE, WT_BPF_MORE), at);
	at = give(&copy, head_of(2, 16384, 0, WT_BPF_STACK_END), at);
	assert_true(join(&copy, &record, at, &dump));
	assert_int_equal(dump.n_parts, 2);
	assert_int_equal(dump.parts[1].at, SP + 8192);
	assert_memory_equal(dump.parts[1].bytes, stack + 8192, PIECE);
	wt_perf_copy_deinit(&copy);
}

static void test_more_parts_than_there_is_room_for(void **state)
{
	struct wt_perf_copy copy = {0};
	struct wt_perf_record record = sample();
	struct wt_stack_dump dump;
	uint64_t at = 5000;

	(void)state;
	for (uint32_t i = 0; i < 2 * WT_PERF_COPY_PARTS; i++)
		at = give(&copy, head_of(i, i * 64, 8, i == 2 * WT_PERF_COPY_PARTS - 1), at);
	assert_true(join(&copy, &record, at, &dump));
	assert_int_equal(dump.n_parts, WT_PERF_COPY_PARTS);
	wt_perf_copy_deinit(&copy);
}

/* Each changes one thing in what would be joined. */
static void test_another_samples_pieces(void **state)
{
	struct wt_perf_copy copy = {0};
	struct wt_stack_dump dump;

	(void)state;
	for (int what = 0; what < 9; what++) {
		struct wt_perf_record record = sample();
		uint64_t at = give_two(&copy);
		uint8_t other[KERNEL_BYTES] = {0}, changed[sizeof(regs)];

		memcpy(changed, regs, sizeof(regs));
		changed[9] ^= 1;
		dump = (struct wt_stack_dump){.machine = WT_PERF_REGS->machine,
					      .size = KERNEL_BYTES,
					      .bytes = stack,
					      .r[SP_NUMBER] = SP};
		record.pid += what == 0;
		record.tid += what == 1;
		record.time += what == 2 ? WT_PERF_COPY_NEAR + 1 : 0;
		record.sample.regs = what == 3 ? changed : what == 4 ? NULL : regs;
		at += what == 5 ? 8 : 0;
		dump.r[SP_NUMBER] += what == 6 ? 8 : 0;
		dump.machine = what == 7 ? 0 : dump.machine;
		dump.bytes = what == 8 ? other : stack;
		assert_false(wt_perf_copy_join(&copy, &record, at, &dump));
		assert_int_equal(dump.n_parts, 0);
		assert_false(copy.open);
	}
	assert_true(joins(&copy, give_two(&copy)));
	assert_false(joins(&copy, 7000));
	wt_perf_copy_deinit(&copy);
}

static void test_pieces_that_are_not_all_there(void **state)
{
	struct wt_perf_copy copy = {0};
	uint64_t at;

	(void)state;
	assert_false(joins(&copy, 0));
	at = give(&copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);
	assert_false(joins(&copy, at));
	at = give(&copy, head_of(1, PIECE, PIECE, WT_BPF_STACK_END), 5000);
	assert_false(joins(&copy, at));
	at = give(&copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);
	at = give(&copy, head_of(2, PIECE, PIECE, WT_BPF_STACK_END), at);
	assert_false(joins(&copy, at));
	at = give(&copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);
	at = give(&copy, head_of(1, PIECE, PIECE, WT_BPF_STACK_END), at + 8);
	assert_false(joins(&copy, at));
	at = give_two(&copy);
	at = give(&copy, head_of(2, 2 * PIECE, PIECE, WT_BPF_STACK_END), at);
	assert_false(joins(&copy, at));
	at = give_two(&copy);
	wt_perf_copy_drop(&copy);
	assert_false(joins(&copy, at));
	wt_perf_copy_deinit(&copy);
}

static void test_pieces_of_another_kind(void **state)
{
	struct wt_perf_copy copy = {0};

	(void)state;
	for (int what = 0; what < 5; what++) {
		struct wt_bpf_piece head = head_of(1, PIECE, PIECE, WT_BPF_STACK_END);
		uint64_t at = give(&copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);

		head.regs += what == 0;
		head.sp += what == 1 ? 8 : 0;
		head.address = what == 2 ? UINT64_MAX - 8 : head.address;
		head.end = what == 3 ? WT_BPF_CHANGING : what == 4 ? WT_BPF_CHANGING + 1 : head.end;
		at = give(&copy, head, at);
		assert_false(joins(&copy, at));
	}
	wt_perf_copy_deinit(&copy);
}

static void test_registers_that_are_being_changed(void **state)
{
	struct wt_perf_copy copy = {0};
	struct wt_perf_record record = sample();
	struct wt_stack_dump dump;
	uint64_t at = give(&copy, head_of(0, 0, 0, WT_BPF_CHANGING), 5000);

	(void)state;
	assert_true(join(&copy, &record, at, &dump));
	assert_true(dump.changing);
	assert_int_equal(dump.n_parts, 0);
	at = give_two(&copy);
	assert_true(join(&copy, &record, at, &dump));
	assert_false(dump.changing);
	at = give(&copy, head_of(0, 0, PIECE, WT_BPF_CHANGING), 5000);
	assert_false(joins(&copy, at));
	wt_perf_copy_deinit(&copy);
}

/* A signal was taken on a stack of its own: the one it interrupted lies below, or above. */
static void test_two_stacks(void **state)
{
	static const int64_t places[] = {-(1 << 20), 1 << 20};
	struct wt_perf_copy copy = {0};
	struct wt_perf_record record = sample();
	struct wt_stack_dump dump;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct wt_bpf_piece head = head_of(1, 0, PIECE, WT_BPF_STACK_END);
		uint64_t at = give(&copy, head_of(0, 0, PIECE, WT_BPF_MORE), 5000);

		head.address = SP + (uint64_t)places[i];
		assert_true(join(&copy, &record, give(&copy, head, at), &dump));
		assert_int_equal(dump.n_parts, 2);
		assert_int_equal(dump.parts[0].at, SP);
		assert_int_equal(dump.parts[1].at, head.address);
		assert_int_equal(dump.parts[1].size, PIECE);
	}
	wt_perf_copy_deinit(&copy);
}

static void test_sizes_that_lie(void **state)
{
	struct wt_perf_copy copy = {0};
	struct made *made = calloc(1, sizeof(*made));

	(void)state;
	assert_non_null(made);
	for (uint32_t len = 0; len < sizeof(struct wt_bpf_piece) + PIECE; len += 7) {
		make(made, head_of(0, 0, PIECE, WT_BPF_STACK_END), len);
		wt_perf_copy_take(&copy, &made->record, 0, 1000);
		assert_false(joins(&copy, 1000));
	}
	make(made, head_of(0, 0, UINT32_MAX, WT_BPF_STACK_END), sizeof(made->bytes));
	wt_perf_copy_take(&copy, &made->record, 0, 1000);
	assert_false(joins(&copy, 1000));
	free(made);
	wt_perf_copy_deinit(&copy);
}

static void test_no_more_than_there_is_room_for(void **state)
{
	struct wt_perf_copy copy = {0};
	const uint32_t size = 1 << 15;
	uint64_t at = 5000;

	(void)state;
	for (uint32_t i = 0; i <= WT_BPF_COPY_MOST / size; i++)
		at = give(&copy, head_of(i, (uint64_t)i * size, size, WT_BPF_MORE), at);
	assert_false(copy.open);
	assert_false(joins(&copy, at));
	wt_perf_copy_deinit(&copy);
}

/* Pieces with random damage: nothing is read that is not there (the sanitizers look), and what is joined is
 * whole. */
static void test_random_pieces(void **state)
{
	struct wt_perf_copy copy = {0};
	struct made *made = calloc(1, sizeof(*made));
	unsigned seed = 1;

	(void)state;
	assert_non_null(made);
	for (unsigned turn = 0; turn < 20000; turn++) {
		uint32_t len = (uint32_t)sizeof(struct wt_bpf_piece) + (uint32_t)rand_r(&seed) % 600;
		uint64_t at = copy.open && rand_r(&seed) % 4 ? copy.end : (uint64_t)rand_r(&seed);
		uint32_t number = rand_r(&seed) % 3 ? copy.number : 0;

		make(made,
		     head_of(number, (uint64_t)rand_r(&seed) % 4096, (uint32_t)rand_r(&seed) % 700,
			     (uint32_t)rand_r(&seed) % 4),
		     len);
		if (rand_r(&seed) % 4 == 0)
			made->bytes[(size_t)rand_r(&seed) % sizeof(struct wt_bpf_piece)] ^= (uint8_t)rand_r(
				&seed);
		wt_perf_copy_take(&copy, &made->record, at, at + 500);
		assert_true(copy.used <= WT_BPF_COPY_MOST && copy.n_parts <= WT_PERF_COPY_PARTS);
		if (rand_r(&seed) % 3 == 0)
			joins(&copy, at + 500);
	}
	free(made);
	wt_perf_copy_deinit(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_become_one_part),
		cmocka_unit_test(test_what_cannot_be_read_is_left_out),
		cmocka_unit_test(test_more_parts_than_there_is_room_for),
		cmocka_unit_test(test_another_samples_pieces),
		cmocka_unit_test(test_pieces_that_are_not_all_there),
		cmocka_unit_test(test_pieces_of_another_kind),
		cmocka_unit_test(test_registers_that_are_being_changed),
		cmocka_unit_test(test_two_stacks),
		cmocka_unit_test(test_sizes_that_lie),
		cmocka_unit_test(test_no_more_than_there_is_room_for),
		cmocka_unit_test(test_random_pieces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, NULL);
}
