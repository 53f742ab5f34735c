/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Code that a test program puts in the place of a file's: other_code to other_code_end.
 */
#ifndef TESTS_PROGRAMS_OTHER_CODE_H
#define TESTS_PROGRAMS_OTHER_CODE_H

typedef void spin_fn(unsigned long rounds);

/* Position-independent, and with no frame, like the file's function: a walk by the file's table finds the
 * callers. */
#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN const char other_code[], other_code_end[];
#ifdef __x86_64__
__asm__(".text\n.type other_code, @function\nother_code: .cfi_startproc\ndec %rdi; jnz other_code; ret\n"
	".cfi_endproc\nother_code_end:\n.size other_code, . - other_code\n");
#else
__asm__(".text\n.type other_code, @function\nother_code: .cfi_startproc\nsubs x0, x0, #1\nb.ne "
	"other_code\nret\n"
	".cfi_endproc\nother_code_end:\n.size other_code, . - other_code\n");
#endif

#endif
