/* SPDX-License-Identifier: MIT */
/* objdump of binutils as a child process. It gets the bytes in a memory file, and a deadline. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumers/disasm/back.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/in_path.h"
#include "tracecore/base/write_all.h"

/* The limits of a child: time, and bytes printed for each byte of code and in all. */
#define PATIENCE (UINT64_C(30) * WT_NSEC)
enum { PRINTED_PER_BYTE = 256, PRINTED_MORE = 65536 };

/* The descriptor of the code in the child. */
enum { CODE_FD = 3 };

struct objdump {
	enum wt_disasm_arch arch;
	const char *program;
};

static bool open_objdump(enum wt_disasm_arch arch, void **state)
{
	static const char *const of_arch[] = {"x86_64-linux-gnu-objdump", "aarch64-linux-gnu-objdump"};
	const char *program = of_arch[arch];
	struct objdump *objdump;

#if defined(__x86_64__)
	program = arch == WT_DISASM_X86_64 ? "objdump" : program;
#elif defined(__aarch64__)
	program = arch == WT_DISASM_ARM64 ? "objdump" : program;
#endif
	if (!wt_is_in_path(program))
		return false;
	objdump = malloc(sizeof(*objdump));
	if (!objdump)
		return false;
	*objdump = (struct objdump){arch, program};
	*state = objdump;
	return true;
}

static int put_code(const uint8_t *bytes, uint32_t n)
{
	int fd = memfd_create("wtrace-code", MFD_CLOEXEC);

	if (fd >= 0 && (wt_write_all(fd, bytes, n) || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int start(const struct objdump *objdump, int code, int out, uint64_t address, pid_t *ret)
{
	bool arm = objdump->arch == WT_DISASM_ARM64;
	static char locale[] = "LC_ALL=C";
	char vma[64], path[4096], file[] = "/proc/self/fd/3";
	char *environment[] = {locale, path, NULL};
	const char *const words[] = {objdump->program,
				     "-D",
				     "-z",
				     "-w",
				     "--no-show-raw-insn",
				     "-b",
				     "binary",
				     "-m",
				     arm ? "aarch64" : "i386:x86-64",
				     vma,
				     file,
				     NULL};
	posix_spawn_file_actions_t actions;
	int failed;

	snprintf(vma, sizeof(vma), "--adjust-vma=0x%llx", (unsigned long long)address);
	snprintf(path, sizeof(path), "PATH=%s", getenv("PATH") ? getenv("PATH") : "");
	if (posix_spawn_file_actions_init(&actions))
		return -1;
	failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) ||
		 posix_spawn_file_actions_adddup2(&actions, out, 1) ||
		 posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
		 posix_spawn_file_actions_adddup2(&actions, code, CODE_FD) ||
		 posix_spawnp(ret, objdump->program, &actions, NULL, (char *const *)(uintptr_t)words,
			      environment);
	posix_spawn_file_actions_destroy(&actions);
	return failed ? -1 : 0;
}

/* Reads everything that it prints; false: it took too long, or printed too much. */
static bool take(int fd, size_t most, struct wt_buf *out)
{
	const uint64_t end = wt_clock_now() + PATIENCE;
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	for (;;) {
		uint64_t now = wt_clock_now();
		uint8_t *room = wt_buf_reserve(out, PRINTED_MORE);
		ssize_t n;

		if (!room || now >= end || out->len > most)
			return false;
		if (poll(&poller, 1, (int)((end - now) / 1000000) + 1) < 0 && errno != EINTR)
			return false;
		if (!poller.revents)
			continue;
		n = read(fd, room, PRINTED_MORE);
		if (n == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		out->len += n > 0 ? (size_t)n : 0;
	}
}

static int fail_child(const struct objdump *objdump, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_SYSTEM, "%s did not disassemble the code: try --disassembler llvm",
		       objdump->program);
}

static int run_child(const struct objdump *objdump, int code, uint32_t n, uint64_t address,
		     struct wt_buf *out, struct wt_err *err)
{
	int ends[2], status = -1;
	bool whole;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return wt_fail_errno(err, "pipe to %s", objdump->program);
	if (start(objdump, code, ends[1], address, &child)) {
		close(ends[0]);
		close(ends[1]);
		return fail_child(objdump, err);
	}
	close(ends[1]);
	whole = take(ends[0], (size_t)n * PRINTED_PER_BYTE + PRINTED_MORE, out);
	close(ends[0]);
	if (!whole)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return whole && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : fail_child(objdump, err);
}

static int run(void *state, const uint8_t *bytes, uint32_t n, uint64_t address, struct wt_disasm_text *ret,
	       struct wt_err *err)
{
	const struct objdump *objdump = state;
	int code = put_code(bytes, n), failed;
	struct wt_buf out = {0};

	if (code < 0)
		return wt_fail_errno(err, "memory for %s", objdump->program);
	failed = run_child(objdump, code, n, address, &out, err) ||
		 wt_objdump_text_read(wt_cursor(out.data, out.len), address, n, ret, err);
	close(code);
	wt_buf_deinit(&out);
	return failed ? -1 : 0;
}

const struct wt_disasm_back wt_disasm_objdump = {"objdump", open_objdump, run, free};
