/* SPDX-License-Identifier: MIT */
#include "tests/stackwalk/target.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "tracecore/stackwalk/build.h"
#include "tests/stackwalk/table_of.h"

void target_fail(const char *what)
{
	printf("Bail out! %s\n", what);
	fflush(stdout);
	perror(what);
	exit(1);
}

size_t target_copy(const struct target *target, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};
	ssize_t n = process_vm_readv(target->pid, &local, 1, &remote, 1, 0);

	return n < 0 ? 0 : (size_t)n;
}

enum wt_walk_read target_read(void *ctx, uint64_t address, uint64_t *ret)
{
	return target_copy(ctx, address, ret, 8) == 8 ? WT_WALK_READ_OK : WT_WALK_READ_BAD;
}

/* qemu puts the signal trampoline on a page of its own, in no file: two instructions, known by sight. */
static bool find_trampoline(const struct target *target, uint64_t address, struct wt_walk_module *ret)
{
	static const uint8_t wanted[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
	static struct wt_unwind_table table;
	static struct wt_unwind_view view;
	static const uint8_t page[16] = {[4] = 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
	const struct wt_unwind_code code = {.start = 0x1000, .end = 0x1010, .bytes = page};
	const struct wt_unwind_input input = {.machine = WT_ABI_UNWIND_AARCH64, .code = &code, .n_code = 1};
	uint64_t at = (address & ~(uint64_t)3) + 4;
	uint8_t bytes[sizeof(wanted)];

	/* Looked up at, or one byte before, one of the two. */
	for (unsigned i = 0; i < 3; i++, at -= 4) {
		if (target_copy(target, at, bytes, sizeof(bytes)) != sizeof(bytes) ||
		    memcmp(bytes, wanted, sizeof(wanted)))
			continue;
		if (!table.bytes && (wt_unwind_build(&input, &table, NULL) != 0 ||
				     wt_unwind_view(table.bytes, table.size, &view, NULL) != 0))
			target_fail("trampoline");
		*ret = (struct wt_walk_module){.view = &view,
					       .start = at - 4,
					       .end = at + 8,
					       .bias = at - 0x1004,
					       .id = TARGET_MODULES};
		return true;
	}
	return false;
}

bool target_find(void *ctx, uint64_t address, struct wt_walk_module *ret)
{
	const struct target *target = ctx;
	uint32_t low = 0, high = target->n;

	/* Its page may follow that of a module, and it is looked up one byte before itself. */
	if (target->emulated && (address & 0xfff) == 0xfff && find_trampoline(target, address, ret))
		return true;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (target->modules[middle].walk.end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == target->n || address < target->modules[low].walk.start)
		return target->emulated && find_trampoline(target, address, ret);
	*ret = target->modules[low].walk;
	return true;
}

static int vdso_table(const struct target *target, uint64_t start, uint64_t end, struct wt_unwind_table *ret,
		      struct wt_err *err)
{
	static uint8_t image[1 << 16];
	size_t len = end - start < sizeof(image) ? end - start : sizeof(image);

	if (target_copy(target, start, image, len) != len)
		return -1;
	return wt_unwind_from_memory(image, len, ret, err);
}

static int file_table(const struct target *target, const struct target_module *m, struct wt_unwind_table *ret,
		      struct wt_err *err)
{
	int failed, fd;

	fd = wt_unwind_open_mapping(target->pid, m->walk.start, m->walk.end, m->path, 0, err);
	if (fd < 0)
		return -1;
	failed = table_of_fd(fd, ret, err);
	close(fd);
	return failed;
}

static void make_table(const struct target *target, struct target_module *m)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_unwind_table table = {0};
	bool vdso = !strcmp(m->path, "[vdso]");
	uint64_t at;
	int failed;

	if (!vdso && m->path[0] != '/')
		return;
	failed = vdso ? vdso_table(target, m->walk.start, m->walk.end, &table, &err)
		      : file_table(target, m, &table, &err);
	if (failed || wt_unwind_view(table.bytes, table.size, &m->view, &err) != 0 ||
	    !wt_unwind_link_address(table.bytes, vdso ? 0 : m->offset, &at)) {
		printf("# %s: no table: %s\n", m->path, err.text);
		wt_unwind_table_deinit(&table);
		return;
	}
	m->table = table.bytes;
	m->walk.view = &m->view;
	m->walk.fallback = wt_unwind_fallback(m->table);
	m->walk.bias = m->walk.start - at;
}

/* The module that was there before, so that its table is kept. */
static bool keep(struct target *to, const struct target *from, uint64_t start, uint64_t end, const char *path)
{
	for (uint32_t i = 0; i < from->n; i++) {
		const struct target_module *old = &from->modules[i];

		if (old->walk.start != start || old->walk.end != end || strcmp(old->path, path) != 0)
			continue;
		to->modules[to->n] = *old;
		return true;
	}
	return false;
}

static void take_line(struct target *target, const struct target *before, const char *line)
{
	struct target_module *m = &target->modules[target->n];
	unsigned long long start, end, offset;
	char rights[8], path[256] = "";

	if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255[^\n]", &start, &end, rights, &offset, path) < 4)
		return;
	if (!strcmp(path, "[stack]")) {
		target->stack_start = start;
		target->stack_end = end;
	}
	if ((rights[2] != 'x' && !(target->emulated && path[0] == '/')) || target->n == TARGET_MODULES)
		return;
	if (!before || !keep(target, before, start, end, path)) {
		*m = (struct target_module){.walk = {.start = start, .end = end}, .offset = offset};
		memcpy(m->path, path, sizeof(path));
		make_table(target, m);
	}
	m->walk.id = target->n;
	target->n++;
}

void target_load(struct target *target, pid_t pid)
{
	struct target *before = target->n ? malloc(sizeof(*before)) : NULL;
	char name[64], line[512];
	FILE *f;

	if (before)
		*before = *target;
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "r");
	if (!f)
		target_fail(name);
	target->pid = pid;
	target->n = 0;
	while (fgets(line, sizeof(line), f))
		take_line(target, before, line);
	fclose(f);
	/* Views are part of the modules: they moved. */
	for (uint32_t i = 0; i < target->n; i++)
		if (target->modules[i].table)
			target->modules[i].walk.view = &target->modules[i].view;
	free(before);
}

void target_deinit(struct target *target)
{
	for (uint32_t i = 0; i < target->n; i++)
		free(target->modules[i].table);
	target->n = 0;
}

void target_regs(pid_t tid, struct wt_walk_regs *ret)
{
#if defined(__x86_64__)
	struct user_regs_struct u;
	struct iovec io = {&u, sizeof(u)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) != 0)
		target_fail("PTRACE_GETREGSET");
	*ret = (struct wt_walk_regs){
		.pc = u.rip,
		.r = {u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi, u.rbp, u.rsp, u.r8, u.r9, u.r10, u.r11, u.r12,
		      u.r13, u.r14, u.r15},
	};
#else
	struct user_regs_struct u;
	struct iovec io = {&u, sizeof(u)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) != 0)
		target_fail("PTRACE_GETREGSET");
	*ret = (struct wt_walk_regs){.pc = u.pc};
	for (unsigned i = 0; i < 31; i++)
		ret->r[i] = u.regs[i];
	ret->r[31] = u.sp;
#endif
}
