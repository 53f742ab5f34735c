/* SPDX-License-Identifier: MIT */
/* Names of functions, from the symbol tables of files. Errors end the program. */
#ifndef TESTS_STACKWALK_NAMES_H
#define TESTS_STACKWALK_NAMES_H

#include "tests/stackwalk/target.h"

/* Link-time address of a symbol; 0: the file has none of that name. */
uint64_t names_address(const char *path, const char *name);
/* The file's entry, link-time. */
uint64_t names_entry(const char *path);
/* Which of the `n` names a function has that covers a run-time address; -1: none. A function may have
 * several. */
int names_find(const struct target *target, uint64_t address, const char *const *names, int n);

#endif
