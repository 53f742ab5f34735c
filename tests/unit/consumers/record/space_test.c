// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/record/idmap.h"
#include "consumers/record/space.h"

static struct wt_image_entry *image(struct wt_image_set *set, const char *path, uint64_t inode)
{
	struct wt_image_payload payload = {.path = {path, (uint32_t)strlen(path)}, .inode = inode};

	return wt_image_set_get(set, &payload, 0);
}

static void map(struct wt_space **space, struct wt_image_set *set, uint64_t start, uint64_t end,
		const char *path)
{
	struct wt_range range = {.start = start, .end = end, .bias = 0 - start, .image = image(set, path, 1)};

	assert_int_equal(wt_space_map(space, set, &range), 0);
	wt_image_set_put(set, range.image);
}

static void expect(struct wt_space *space, uint64_t address, const char *path)
{
	const struct wt_range *range = wt_space_find(space, address);

	if (!path) {
		assert_null(range);
		return;
	}
	assert_non_null(range);
	assert_int_equal(range->image->path_len, strlen(path));
	assert_memory_equal(range->image->path, path, strlen(path));
}

static void test_cuts(void **state)
{
	struct wt_image_set set = {0};
	struct wt_space *space = wt_space_create(&set);

	(void)state;
	map(&space, &set, 100, 200, "a");
	map(&space, &set, 300, 400, "b");
	map(&space, &set, 150, 160, "c");
	expect(space, 99, NULL);
	expect(space, 100, "a");
	expect(space, 149, "a");
	expect(space, 150, "c");
	expect(space, 160, "a");
	assert_int_equal(160 + wt_space_find(space, 160)->bias, 60);
	map(&space, &set, 155, 350, "d");
	expect(space, 154, "c");
	expect(space, 199, "d");
	expect(space, 349, "d");
	expect(space, 350, "b");
	expect(space, 400, NULL);
	assert_int_equal(space->n, 4);
	assert_int_equal(wt_space_unmap(&space, &set, 120, 360), 0);
	expect(space, 119, "a");
	expect(space, 120, NULL);
	expect(space, 360, "b");
	assert_int_equal(space->n, 2);
	assert_int_equal(set.count, 2);
	map(&space, &set, 0, UINT64_MAX, "e");
	assert_int_equal(space->n, 1);
	assert_int_equal(set.count, 1);
	wt_space_put(space, &set);
	assert_int_equal(set.count, 0);
	wt_image_set_deinit(&set);
}

static void test_neighbours_join(void **state)
{
	struct wt_image_set set = {0};
	struct wt_space *space = wt_space_create(&set);
	struct wt_image_entry *a = image(&set, "a", 1);

	(void)state;
	for (uint64_t i = 0; i < 100; i += 2) {
		struct wt_range range = {.start = i, .end = i + 1, .image = a};

		assert_int_equal(wt_space_map(&space, &set, &range), 0);
	}
	assert_int_equal(space->n, 50);
	for (uint64_t i = 1; i < 99; i += 2) {
		struct wt_range range = {.start = i, .end = i + 1, .image = a};

		assert_int_equal(wt_space_map(&space, &set, &range), 0);
	}
	assert_int_equal(space->n, 1);
	assert_int_equal(space->ranges[0].end, 99);
	assert_int_equal(a->refs, 2);
	wt_image_set_put(&set, a);
	wt_space_put(space, &set);
	wt_image_set_deinit(&set);
}

static void test_shared_until_changed(void **state)
{
	struct wt_image_set set = {0};
	struct wt_space *parent = wt_space_create(&set);
	struct wt_space *child;

	(void)state;
	map(&parent, &set, 100, 200, "a");
	child = wt_space_share(parent);
	map(&child, &set, 100, 200, "a");
	assert_ptr_equal(child, parent);
	assert_int_equal(wt_space_unmap(&child, &set, 500, 600), 0);
	assert_ptr_equal(child, parent);
	map(&child, &set, 150, 300, "b");
	assert_ptr_not_equal(child, parent);
	expect(parent, 160, "a");
	expect(child, 160, "b");
	expect(parent, 250, NULL);
	wt_space_put(child, &set);
	wt_space_put(parent, &set);
	assert_int_equal(set.count, 0);
	wt_image_set_deinit(&set);
}

/* The range found last is remembered; it may not outlive its mapping. */
static void test_last_hit_follows_mappings(void **state)
{
	struct wt_image_set set = {0};
	struct wt_space *space = wt_space_create(&set);

	(void)state;
	map(&space, &set, 100, 200, "a");
	map(&space, &set, 300, 400, "b");
	expect(space, 350, "b");
	map(&space, &set, 340, 360, "c");
	expect(space, 350, "c");
	map(&space, &set, 10, 20, "d");
	expect(space, 350, "c");
	expect(space, 450, NULL);
	map(&space, &set, 440, 460, "e");
	expect(space, 450, "e");
	wt_space_unmap(&space, &set, 0, 1000);
	expect(space, 450, NULL);
	wt_space_put(space, &set);
	wt_image_set_deinit(&set);
}

/* Against an array with one cell per address. */
static void test_random_against_model(void **state)
{
	enum { SIZE = 256 };
	static const char *const names[] = {"a", "b", "c", "d"};
	const char *model[SIZE] = {0};
	struct wt_image_set set = {0};
	struct wt_space *space = wt_space_create(&set);

	(void)state;
	srand(1);
	for (int round = 0; round < 5000; round++) {
		uint64_t start = (uint64_t)(rand() % SIZE), end = start + 1 + (uint64_t)(rand() % 40);
		const char *name = rand() % 4 ? names[rand() % 4] : NULL;

		end = end > SIZE ? SIZE : end;
		if (name)
			map(&space, &set, start, end, name);
		else
			assert_int_equal(wt_space_unmap(&space, &set, start, end), 0);
		for (uint64_t i = start; i < end; i++)
			model[i] = name;
		for (uint32_t i = 0; i < space->n; i++) {
			assert_true(space->ranges[i].start < space->ranges[i].end);
			assert_true(!i || space->ranges[i - 1].end <= space->ranges[i].start);
		}
		for (uint64_t i = (uint64_t)(round % 7); i < SIZE; i += 7)
			expect(space, i, model[i]);
	}
	wt_space_put(space, &set);
	assert_int_equal(set.count, 0);
	wt_image_set_deinit(&set);
	assert_int_equal(set.bytes, 0);
}

static void test_full(void **state)
{
	struct wt_image_set set = {0};
	struct wt_space *space = wt_space_create(&set);
	struct wt_range range = {.image = image(&set, "a", 1)};

	(void)state;
	for (uint64_t i = 0; i < WT_SPACE_MAX_RANGES; i++) {
		range.start = i * 2;
		range.end = i * 2 + 1;
		assert_int_equal(wt_space_map(&space, &set, &range), 0);
	}
	range.start = 1 << 30;
	range.end = range.start + 1;
	assert_int_equal(wt_space_map(&space, &set, &range), 1);
	assert_int_equal(space->n, WT_SPACE_MAX_RANGES);
	expect(space, 1 << 30, NULL);
	wt_image_set_put(&set, range.image);
	wt_space_put(space, &set);
	wt_image_set_deinit(&set);
}

static void test_images_by_identity(void **state)
{
	struct wt_image_set set = {0};
	struct wt_image_payload with_id = {.path = {"/x", 2}, .build_id = {"0123", 4}};
	struct wt_image_payload both = {.path = {"/x", 2}, .build_id = {"0123", 4}, .inode = 5, .device = 6};
	struct wt_image_payload other = {.path = {"/x", 2}, .build_id = {"0124", 4}};
	struct wt_image_entry *a = image(&set, "/x", 1), *b = image(&set, "/x", 2), *c = image(&set, "/x", 1);
	struct wt_image_entry *d = wt_image_set_get(&set, &with_id, 0),
			      *e = wt_image_set_get(&set, &both, 77);
	struct wt_image_entry *f = wt_image_set_get(&set, &other, 0);

	(void)state;
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(a, c);
	assert_ptr_not_equal(a, d);
	assert_ptr_not_equal(d, e);
	assert_int_equal(e->inode, 5);
	assert_int_equal(e->mapped, 77);
	assert_ptr_equal(wt_image_set_get(&set, &both, 78), e);
	assert_int_equal(e->mapped, 77);
	wt_image_set_put(&set, e);
	assert_ptr_not_equal(d, f);
	assert_int_equal(set.count, 5);
	wt_image_set_put(&set, a);
	wt_image_set_put(&set, b);
	assert_int_equal(set.count, 4);
	assert_ptr_equal(image(&set, "/x", 1), c);
	wt_image_set_put(&set, c);
	wt_image_set_put(&set, c);
	wt_image_set_put(&set, d);
	wt_image_set_put(&set, e);
	wt_image_set_put(&set, f);
	assert_int_equal(set.count, 0);
	for (uint64_t i = 0; i < 5000; i++)
		assert_non_null(image(&set, "/many", i));
	assert_int_equal(set.count, 5000);
	for (uint64_t i = 0; i < 5000; i++) {
		struct wt_image_entry *again = image(&set, "/many", i);

		wt_image_set_put(&set, again);
		wt_image_set_put(&set, again);
	}
	assert_int_equal(set.count, 0);
	wt_image_set_deinit(&set);
}

/* Against a plain array, with ids that collide. */
static void test_idmap(void **state)
{
	static char there[512];
	struct wt_idmap map_of = {0};
	uint32_t count = 0, walked = 0;
	size_t at = 0;

	(void)state;
	assert_null(wt_idmap_find(&map_of, 1));
	wt_idmap_remove(&map_of, 1);
	srand(3);
	for (int round = 0; round < 20000; round++) {
		uint32_t id = (uint32_t)(rand() % 512);

		assert_ptr_equal(wt_idmap_find(&map_of, id), there[id] ? &there[id] : NULL);
		if (there[id]) {
			wt_idmap_remove(&map_of, id);
			count--;
		} else {
			assert_true(wt_idmap_add(&map_of, id, &there[id]));
			count++;
		}
		there[id] = !there[id];
		assert_int_equal(map_of.count, count);
	}
	for (char *p; (p = wt_idmap_next(&map_of, &at)); walked++)
		assert_int_equal(*p, 1);
	assert_int_equal(walked, count);
	wt_idmap_deinit(&map_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_neighbours_join),
		cmocka_unit_test(test_shared_until_changed),
		cmocka_unit_test(test_last_hit_follows_mappings),
		cmocka_unit_test(test_random_against_model),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_images_by_identity),
		cmocka_unit_test(test_idmap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
