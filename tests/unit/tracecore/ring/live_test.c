/* SPDX-License-Identifier: MIT */
/* What the ring promises about the kernel: no system call for an event, no signal when memory is short. Needs
 * a kernel with seccomp, and root for a small tmpfs. */
#include "tests/unit/tracecore/ring/ring_fixture.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { PROVIDER = 2, BLOCK = 8192 };

/* From here on only exit_group is allowed; anything else ends the process. */
static int allow_nothing(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void events_without_system_calls(uint32_t len, unsigned n, uint32_t block)
{
	struct fixture f;
	int status;
	pid_t child;

	fixture_begin(&f, block, 64);
	fixture_pin();
	child = fork();
	if (!child) {
		fixture_write(f.w, PROVIDER, 0, len);
		if (allow_nothing())
			syscall(SYS_exit_group, 2);
		errno = 77;
		for (unsigned i = 1; i < n; i++) {
			if (fixture_write(f.w, PROVIDER, i, len) || errno != 77)
				syscall(SYS_exit_group, 3);
		}
		syscall(SYS_exit_group, 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fixture_end(&f);
}

static void a_small_event_makes_no_system_call(void **state)
{
	(void)state;
	events_without_system_calls(16, 1000, 1 << 16);
}

static void a_lane_event_makes_no_system_call(void **state)
{
	(void)state;
	events_without_system_calls(3000, 5, BLOCK);
}

/* tmpfs is full: records are lost and counted, and the program lives. */
static void no_memory_is_a_loss(void **state)
{
	static const uint32_t sizes[] = {16, 64, 1000, 3000, 60000};
	struct fixture f;
	struct wt_ring_loss loss[8];
	uint64_t lost = 0, counted = 0, written = 0, seen = 0;
	struct wt_ring_record record;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	fixture_begin(&f, BLOCK, 512);
	fixture_pin();
	wt_ring_writer_retire(f.w);
	free(f.w);
	assert_int_equal(mount("none", f.path, "tmpfs", 0, "size=1m"), 0);
	close(f.dir_fd);
	f.dir_fd = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	wt_ring_directory_destroy(f.directory);
	fixture_open_directory(&f);
	f.w = fixture_writer(&f);
	for (uint64_t i = 0; i < 40000; i++) {
		int result = fixture_write(f.w, PROVIDER, i, sizes[i % 5]);

		assert_true(result == WT_RING_OK || result == WT_RING_FULL);
		*(result == WT_RING_OK ? &written : &lost) += 1;
	}
	assert_true(written > 0 && lost > 0);
	fixture_refresh(&f);
	for (unsigned i = 0; i < f.n; i++) {
		for (unsigned blocks = 0; blocks < 600; blocks++) {
			wt_ring_reader_refresh(f.rings[i]);
			for (; !wt_ring_reader_peek(f.rings[i], &record); seen++)
				wt_ring_reader_pop(f.rings[i]);
		}
		size_t n = wt_ring_reader_losses(f.rings[i], loss, 8);

		while (n)
			counted += loss[--n].count;
	}
	assert_int_equal(seen, written);
	assert_int_equal(counted, lost);
	assert_int_equal(wt_ring_directory_unlink(f.directory, &err), 0);
	assert_int_equal(umount2(f.path, MNT_DETACH), 0);
	fixture_end(&f);
	rmdir(f.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_event_makes_no_system_call),
		cmocka_unit_test(a_lane_event_makes_no_system_call),
		cmocka_unit_test(no_memory_is_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
