/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The test's own process as the unwinder sees a traced one: registers, a copy of the stack, the mappings.
 */
#ifndef TESTS_UNIT_CONSUMERS_UNWIND_OWN_STACK_H
#define TESTS_UNIT_CONSUMERS_UNWIND_OWN_STACK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <ucontext.h>
#include <unistd.h>

#include "consumers/record/task_probe.h"
#include "consumers/unwind/unwinder.h"
#include "tracecore/base/clock.h"
#include "tracecore/stackwalk/elf_module.h"

#define SP_REGISTER (WT_WALK_MACHINE == WT_ABI_UNWIND_AARCH64 ? 31 : 7)

/* The most of a stack that is copied. */
#define COPY_BYTES (256u << 10)

static struct wt_image_set images;
static uint8_t copy[COPY_BYTES];
static struct wt_stack_dump dump;
static uint64_t stack_end;

static inline void own_dump_from(const ucontext_t *context)
{
	dump = (struct wt_stack_dump){.machine = WT_WALK_MACHINE, .bytes = copy};
#if defined(__aarch64__)
	dump.pc = context->uc_mcontext.pc;
	memcpy(dump.r, context->uc_mcontext.regs, 31 * sizeof(uint64_t));
	dump.r[31] = context->uc_mcontext.sp;
#else
	static const int order[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
				      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (int i = 0; i < 16; i++)
		dump.r[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	dump.pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#endif
}

/* Copies `size` bytes of the stack from the stack pointer on, or what there is. */
__attribute__((no_sanitize_address)) static inline void own_copy(uint32_t size)
{
	const uint8_t *from = (const uint8_t *)(uintptr_t)dump.r[SP_REGISTER];
	uint64_t left = stack_end - dump.r[SP_REGISTER];

	dump.size = size < left ? size : (uint32_t)left;
	dump.cut = size < left;
	assert_true(dump.size <= COPY_BYTES);
	for (uint32_t i = 0; i < dump.size; i++)
		((volatile uint8_t *)copy)[i] = from[i];
}

/* Here and now. A macro: the frame must live on. */
#define OWN_DUMP(size)                       \
	do {                                 \
		ucontext_t own_context;      \
		getcontext(&own_context);    \
		own_dump_from(&own_context); \
		own_copy(size);              \
	} while (0)

enum own_ids { WITH_BUILD_IDS, WITHOUT_BUILD_IDS };

static inline void own_build_id(const char *path, struct wt_image_payload *payload, uint8_t id[32])
{
	struct wt_unwind_key key;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && wt_unwind_key_of_fd(fd, &key, NULL) == 0 && key.len <= WT_BUILD_ID_MAX) {
		memcpy(id, key.bytes, key.len);
		payload->build_id = (struct wt_str){(const char *)id, key.len};
	}
	if (fd >= 0)
		close(fd);
}

static inline void own_map(struct wt_space **space, const struct wt_image_payload *payload)
{
	struct wt_range range = {
		.start = payload->address,
		.end = payload->address + payload->size,
		.bias = payload->kind == WT_IMAGE_ANON ? 0 : payload->file_offset - payload->address,
		.image = wt_image_set_get(&images, payload, 0)};

	assert_non_null(range.image);
	assert_int_equal(wt_space_map(space, &images, &range), 0);
	wt_image_set_put(&images, range.image);
}

/* What lies where in this process, as loader events tell it. */
static inline struct wt_space *own_space(enum own_ids ids)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct wt_space *space = wt_space_create(&images);
	char line[PATH_MAX + 128];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long long start, end, offset, inode;
		unsigned major, minor;
		char perms[8], path[PATH_MAX] = "";
		uint8_t id[32];
		int n = sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %4095[^\n]", &start, &end, perms, &offset,
			       &major, &minor, &inode, path);
		struct wt_image_payload payload = {.address = start,
						   .size = end - start,
						   .file_offset = offset,
						   .device = (uint64_t)major << 32 | minor,
						   .inode = inode,
						   .path = {path, (uint32_t)strlen(path)}};

		if (n >= 8 && !strcmp(path, "[stack]"))
			stack_end = end;
		if (n < 8 || perms[2] != 'x' || (path[0] != '/' && strcmp(path, "[vdso]")))
			continue;
		payload.kind = path[0] == '/' ? WT_IMAGE_FILE : WT_IMAGE_VDSO;
		if (ids == WITH_BUILD_IDS && path[0] == '/')
			own_build_id(path, &payload, id);
		own_map(&space, &payload);
	}
	fclose(maps);
	return space;
}

static inline struct wt_unwind_task own_task(struct wt_space *space)
{
	static struct wt_task_probe probe;
	struct wt_proc_payload self;

	assert_int_equal(wt_task_probe(&probe, (uint32_t)getpid(), &self), 0);
	return (struct wt_unwind_task){.pid = (uint32_t)getpid(),
				       .tid = (uint32_t)getpid(),
				       .start_time = self.start_time,
				       .time = wt_clock_now(),
				       .space = space};
}

/* Lets the builder answer; false when it has not within a minute. */
static inline bool own_serve(struct wt_unwinder *unwinder)
{
	struct pollfd fd = {.fd = wt_unwinder_fd(unwinder), .events = POLLIN};
	bool ready = poll(&fd, 1, 60000) > 0;

	wt_unwinder_serve(unwinder);
	return ready;
}

/* Walks what the dump says, waiting for tables as the recorder does. */
static inline struct wt_raw_stack own_walk(struct wt_unwinder *unwinder, const struct wt_unwind_task *task)
{
	struct wt_raw_stack raw = {.dump = &dump}, ret = {.n_user = 0};

	while (wt_unwind(unwinder, task, &raw, WT_UNWIND_PATIENTLY, &ret) == WT_UNWIND_WAIT)
		assert_true(own_serve(unwinder));
	return ret;
}

static inline struct wt_unwinder_stats own_stats(const struct wt_unwinder *unwinder)
{
	struct wt_unwinder_stats stats;

	wt_unwinder_stats(unwinder, &stats);
	return stats;
}

/* An empty directory for tables below `base`. */
static inline const char *own_directory(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/wtrace-tables-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

static inline void own_remove(const char *directory)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	assert_int_equal(system(command), 0);
}

#endif
