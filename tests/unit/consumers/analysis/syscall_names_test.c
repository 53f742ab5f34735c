// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "consumers/analysis/syscall_names.h"

static void expect(const char *machine, uint64_t number, const char *want)
{
	size_t len = 0;
	const char *name = wt_syscall_name(machine, number, &len);

	if (!want)
		assert_null(name);
	else if (!name || len != strlen(want) || memcmp(name, want, len) != 0)
		fail_msg("%s %llu: '%.*s', not '%s'", machine, (unsigned long long)number, (int)len,
			 name ? name : "", want);
}

static void known_numbers(void **state)
{
	(void)state;
	expect("x86_64", 0, "read");
	expect("x86_64", 59, "execve");
	expect("x86_64", 334, "rseq");
	expect("x86_64", 335, NULL);
	expect("x86_64", 423, NULL);
	expect("x86_64", 424, "pidfd_send_signal");
	expect("x86_64", 100000, NULL);
	expect("x86_64", UINT64_MAX, NULL);
	expect("aarch64", 56, "openat");
	expect("aarch64", 63, "read");
	expect("aarch64", 79, "newfstatat");
	expect("aarch64", 222, "mmap");
	expect("aarch64", 260, "wait4");
	expect("riscv64", 64, "write");
	expect("vax", 0, NULL);
	expect("", 0, NULL);
}

/* What the compiler of this test says of the machine it runs on. */
static void numbers_of_this_machine(void **state)
{
	struct utsname name;

	(void)state;
	assert_int_equal(uname(&name), 0);
	expect(name.machine, SYS_read, "read");
	expect(name.machine, SYS_openat, "openat");
	expect(name.machine, SYS_futex, "futex");
	expect(name.machine, SYS_exit_group, "exit_group");
	expect(name.machine, SYS_getrandom, "getrandom");
	expect(name.machine, SYS_clone3, "clone3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_numbers),
		cmocka_unit_test(numbers_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
