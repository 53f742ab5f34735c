// SPDX-License-Identifier: MIT
// Covers: consumers/unwind/modules.c
// Covers: consumers/unwind/unwinder.c
// Covers: consumers/unwind/whole_walks.c
// Covers: tracecore/stackwalk/walk.c
/* Any registers and stack bytes over any mappings, walked whole and then cut: sections of the input are
 * {u8 n, n ranges {u8 kind, u64 start, u32 size, u64 offset}}, {u8 machine, u8 flags, 33 registers}, stack.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/unwind/cache_directory.h"
#include "consumers/unwind/unwinder.h"
#include "tracecore/base/cursor.h"
#include "tracecore/stackwalk/build.h"
#include "tests/stackwalk/table_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/tmp/wtrace-fuzz-XXXXXX";
static struct wt_unwind_key own;

static void remove_directory(void)
{
	char path[128];

	for (uint32_t i = 0; i < own.len; i++)
		snprintf(path + 2 * i, 3, "%02x", own.bytes[i]);
	if (chdir(directory) == 0) {
		snprintf(path + 2 * own.len, 32, "-%u.v%u.%u", WT_WALK_MACHINE, WT_ABI_UNWIND_VERSION,
			 WT_UNWIND_REVISION);
		unlink(path);
		rmdir(directory);
	}
}

/* One table, this program's, as if it were the vdso's: nothing has to be made. */
static void prepare(void)
{
	struct wt_unwind_cache cache;
	struct wt_unwind_table table = {0};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (own.len)
		return;
	if (!mkdtemp(directory) || fd < 0 || wt_unwind_cache_prepare(directory, 0, &cache, NULL) ||
	    wt_unwind_key_of_fd(fd, &own, NULL) || own.len > WT_BUILD_ID_MAX ||
	    table_of_fd(fd, &table, NULL) || wt_unwind_cache_put(&cache, &table, NULL))
		abort();
	atexit(remove_directory);
	wt_unwind_table_deinit(&table);
	wt_unwind_cache_close(&cache);
	close(fd);
}

static void map(struct wt_image_set *images, struct wt_space **space, struct wt_cursor *cur)
{
	static const uint8_t kinds[] = {WT_IMAGE_VDSO, WT_IMAGE_ANON, WT_IMAGE_KSYMBOL, WT_IMAGE_VDSO};
	struct wt_image_payload payload = {.kind = kinds[wt_cur_u8(cur) & 3], .path = {"/x", 2}};
	struct wt_range range = {.start = wt_cur_u64(cur)};

	range.end = range.start + wt_cur_u32(cur);
	range.bias = wt_cur_u64(cur) - range.start;
	if (range.end <= range.start)
		return;
	if (payload.kind == WT_IMAGE_VDSO)
		payload.build_id = (struct wt_str){(const char *)own.bytes, own.len};
	range.image = wt_image_set_get(images, &payload, 0);
	if (!range.image || wt_space_map(space, images, &range))
		abort();
	wt_image_set_put(images, range.image);
}

static void read_dump(struct wt_cursor *cur, struct wt_stack_dump *ret)
{
	static const uint8_t machines[] = {WT_ABI_UNWIND_X86_64, WT_ABI_UNWIND_AARCH64, WT_WALK_MACHINE, 0};
	uint8_t flags;

	ret->machine = machines[wt_cur_u8(cur) & 3];
	flags = wt_cur_u8(cur);
	ret->cut = flags & 1;
	ret->pc = wt_cur_u64(cur);
	for (size_t i = 0; i < 32; i++)
		ret->r[i] = wt_cur_u64(cur);
	ret->size = (uint32_t)wt_cur_left(cur);
	ret->bytes = wt_cur_bytes(cur, ret->size);
}

static void walk(struct wt_unwinder *unwinder, const struct wt_unwind_task *task,
		 const struct wt_stack_dump *dump)
{
	const struct wt_raw_stack raw = {.dump = dump};
	struct wt_raw_stack stack;

	if (wt_unwind(unwinder, task, &raw, WT_UNWIND_NOW, &stack) != WT_UNWOUND ||
	    stack.n_user > WT_WALK_MAX || !stack.n_user || stack.status > WT_STACK_LAST)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_unwinder_config config = {.cache = directory, .past = true};
	struct wt_cursor cur = wt_cursor(data, size);
	struct wt_image_set images = {0};
	struct wt_space *space = wt_space_create(&images);
	struct wt_unwind_task task = {.pid = 1, .tid = 1};
	struct wt_stack_dump dump = {0};
	struct wt_unwinder *unwinder;

	prepare();
	if (!space || wt_unwinder_create(&config, &unwinder, NULL))
		abort();
	for (uint8_t n = wt_cur_u8(&cur) & 7; n; n--)
		map(&images, &space, &cur);
	task.space = space;
	read_dump(&cur, &dump);
	if (!cur.bad) {
		walk(unwinder, &task, &dump);
		dump.size /= 2;
		walk(unwinder, &task, &dump);
	}
	if (wt_unwinder_fd(unwinder) >= 0)
		abort();
	wt_unwinder_destroy(unwinder);
	wt_space_put(space, &images);
	wt_image_set_deinit(&images);
	return 0;
}
