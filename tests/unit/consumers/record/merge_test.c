// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/record/inject.h"
#include "consumers/record/merge.h"

/* A source over an array of times; the events' kind is the index. */
struct list_source {
	struct wt_source source;
	const uint64_t *times;
	uint32_t n, next, visible, refreshed;
};

static void list_refresh(struct wt_source *source)
{
	struct list_source *list = (struct list_source *)source;

	list->visible = list->n;
	list->refreshed++;
}

static int list_peek(struct wt_source *source, struct wt_event *ret)
{
	struct list_source *list = (struct list_source *)source;

	if (list->next >= list->visible)
		return 1;
	*ret = (struct wt_event){.time = list->times[list->next], .kind = list->next, .cpu = source->id};
	return 0;
}

static void list_pop(struct wt_source *source)
{
	((struct list_source *)source)->next++;
}

static const struct wt_source_ops list_ops = {.refresh = list_refresh, .peek = list_peek, .pop = list_pop};

static struct list_source list_of(uint32_t id, const uint64_t *times, uint32_t n)
{
	return (struct list_source){.source = {.ops = &list_ops, .id = id}, .times = times, .n = n};
}

static void test_order_and_ties(void **state)
{
	const uint64_t a[] = {1, 5, 5, 9}, b[] = {2, 5, 10};
	struct list_source low = list_of(3, a, 4), high = list_of(7, b, 3), empty = list_of(1, NULL, 0);
	const uint64_t expect[][2] = {{1, 3}, {2, 7}, {5, 3}, {5, 3}, {5, 7}, {9, 3}, {10, 7}};
	struct wt_merge merge = {0};

	(void)state;
	assert_int_equal(wt_merge_add(&merge, &high.source, NULL), 0);
	assert_int_equal(wt_merge_add(&merge, &empty.source, NULL), 0);
	assert_int_equal(wt_merge_add(&merge, &low.source, NULL), 0);
	wt_merge_refresh(&merge);
	for (size_t i = 0; i < sizeof(expect) / sizeof(expect[0]); i++) {
		assert_non_null(wt_merge_top(&merge));
		assert_int_equal(wt_merge_top(&merge)->time, expect[i][0]);
		assert_int_equal(wt_merge_top(&merge)->cpu, expect[i][1]);
		wt_merge_pop(&merge);
	}
	assert_null(wt_merge_top(&merge));
	wt_merge_deinit(&merge);
}

static void test_many_random_sources(void **state)
{
	enum { SOURCES = 67, EVENTS = 300 };
	static uint64_t times[SOURCES][EVENTS];
	static struct list_source lists[SOURCES];
	struct wt_merge merge = {0};
	uint64_t last = 0, seen = 0;
	uint32_t next[SOURCES] = {0};

	(void)state;
	srand(7);
	for (uint32_t s = 0; s < SOURCES; s++) {
		for (uint32_t i = 0; i < EVENTS; i++)
			times[s][i] = (i ? times[s][i - 1] : 0) + (uint64_t)(rand() % 50);
		lists[s] = list_of(s, times[s], s % 5 ? EVENTS : 0);
		assert_int_equal(wt_merge_add(&merge, &lists[s].source, NULL), 0);
	}
	wt_merge_refresh(&merge);
	for (const struct wt_event *top; (top = wt_merge_top(&merge)); wt_merge_pop(&merge), seen++) {
		assert_true(top->time >= last);
		assert_int_equal(top->kind, next[top->cpu]++);
		last = top->time;
	}
	assert_int_equal(seen, (SOURCES - 14) * EVENTS);
	wt_merge_deinit(&merge);
}

static void test_remove(void **state)
{
	const uint64_t a[] = {1, 4}, b[] = {2}, c[] = {3};
	struct list_source x = list_of(0, a, 2), y = list_of(1, b, 1), z = list_of(2, c, 1);
	struct wt_merge merge = {0};

	(void)state;
	wt_merge_add(&merge, &x.source, NULL);
	wt_merge_add(&merge, &y.source, NULL);
	wt_merge_add(&merge, &z.source, NULL);
	wt_merge_refresh(&merge);
	wt_merge_pop(&merge);
	assert_true(wt_merge_remove(&merge, &y.source));
	assert_false(wt_merge_remove(&merge, &y.source));
	assert_null(wt_merge_top(&merge));
	wt_merge_refresh(&merge);
	assert_int_equal(wt_merge_top(&merge)->time, 3);
	wt_merge_pop(&merge);
	assert_int_equal(wt_merge_top(&merge)->time, 4);
	wt_merge_deinit(&merge);
}

static void test_injected_copies_in_order(void **state)
{
	uint64_t pcs[3] = {10, 20, 30};
	uint8_t payload[] = "abc";
	struct wt_event event = {.payload = payload,
				 .payload_len = 3,
				 .stack = {.pc = pcs, .n_kernel = 1, .n_user = 2, .status = WT_STACK_FP}};
	const uint64_t times[] = {5, 9, 7, 7, 1};
	const uint64_t expect[][2] = {{1, 4}, {5, 0}, {7, 2}, {7, 3}, {9, 1}};
	struct wt_inject inject;
	struct wt_event got;

	(void)state;
	wt_inject_init(&inject);
	assert_true(wt_inject_empty(&inject));
	for (uint32_t i = 0; i < 5; i++) {
		event.time = times[i];
		event.kind = i;
		assert_int_equal(wt_inject_put(&inject, &event, NULL), 0);
	}
	memset(payload, 'x', 3);
	memset(pcs, 0, sizeof(pcs));
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(inject.source.ops->peek(&inject.source, &got), 0);
		assert_int_equal(got.time, expect[i][0]);
		assert_int_equal(got.kind, expect[i][1]);
		assert_memory_equal(got.payload, "abc", 3);
		assert_int_equal(got.stack.pc[2], 30);
		if (i < 4)
			inject.source.ops->pop(&inject.source);
	}
	assert_false(wt_inject_empty(&inject));
	wt_inject_deinit(&inject);
	assert_true(wt_inject_empty(&inject));
}

static void test_injected_copies_a_stack_to_be_walked(void **state)
{
	uint8_t bytes[64] = "stack";
	struct wt_stack_dump dump = {
		.machine = 62, .place = true, .size = sizeof(bytes), .pc = 7, .bytes = bytes};
	struct wt_event event = {.payload = bytes, .payload_len = 5, .stack = {.dump = &dump}}, got;
	struct wt_inject inject;

	(void)state;
	wt_inject_init(&inject);
	dump.r[7] = 0x7000;
	assert_int_equal(wt_inject_put(&inject, &event, NULL), 0);
	memset(bytes, 'x', sizeof(bytes));
	memset(&dump, 0, sizeof(dump));
	assert_int_equal(inject.source.ops->peek(&inject.source, &got), 0);
	assert_memory_equal(got.payload, "stack", 5);
	assert_ptr_not_equal(got.stack.dump, &dump);
	assert_int_equal(got.stack.dump->size, 64);
	assert_memory_equal(got.stack.dump->bytes, "stack", 6);
	assert_int_equal(got.stack.dump->pc, 7);
	assert_int_equal(got.stack.dump->r[7], 0x7000);
	assert_true(got.stack.dump->place);
	wt_inject_deinit(&inject);
}

/* What is charged beside the events is part of all that is paid for: never more than the time it took. */
static void test_charges_are_part_of_all_work(void **state)
{
	const uint64_t times[] = {1, 2};
	struct list_source own = list_of(0, times, 2), other = list_of(1, times, 2);
	struct wt_allowance allowance;
	struct wt_merge merge = {0};
	uint64_t all;

	(void)state;
	wt_allowance_init(&allowance, 1000000, 100000000, 0, 0);
	other.source.allowance = &allowance;
	wt_merge_add(&merge, &own.source, NULL);
	wt_merge_add(&merge, &other.source, NULL);
	wt_merge_refresh(&merge);
	while (wt_merge_top(&merge))
		wt_merge_pop(&merge);
	all = merge.work;
	assert_false(wt_merge_charge(&merge, &allowance, 400));
	assert_int_equal(merge.work, all + 400);
	assert_int_equal(allowance.work, all / 2 + 400);
	wt_merge_pay(&merge, all + 400);
	assert_int_equal(allowance.used, all / 2 + 400);
	assert_int_equal(merge.work, 0);
	assert_int_equal(allowance.work, 0);
	wt_merge_deinit(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_ties),
		cmocka_unit_test(test_many_random_sources),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_injected_copies_in_order),
		cmocka_unit_test(test_injected_copies_a_stack_to_be_walked),
		cmocka_unit_test(test_charges_are_part_of_all_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
