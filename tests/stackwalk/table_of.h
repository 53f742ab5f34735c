/* SPDX-License-Identifier: MIT */
/** @file The unwind table of a file, and a look into it, for tests. */
#ifndef TESTS_STACKWALK_TABLE_OF_H
#define TESTS_STACKWALK_TABLE_OF_H

#include "tracecore/stackwalk/elf_module.h"
#include "tracecore/stackwalk/walk_core.h"

/** Of an open file, under the key that it has by itself. */
static inline int table_of_fd(int fd, struct wt_unwind_table *ret, struct wt_err *err)
{
	struct wt_unwind_key key;

	return wt_unwind_key_of_fd(fd, &key, err) ? -1 : wt_unwind_from_fd_as(fd, &key, ret, err);
}

/** The rule for a link-time address, or NULL: "no data". */
static inline const struct wt_abi_unwind_rule *rule_at(const struct wt_unwind_view *view, uint64_t address)
{
	return wt_unwind_find(view, address - view->base);
}

#endif
