/* SPDX-License-Identifier: MIT */
// Covers: tracecore/stackwalk/elf_module.c
// Covers: tracecore/stackwalk/epilogue.c
/* ELF of any content, as the module an unwind table is made of: from memory and from a file. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/stackwalk/table_of.h"
#include "tracecore/stackwalk/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct wt_unwind_table *table)
{
	struct wt_unwind_view view;

	if (wt_unwind_view(table->bytes, table->size, &view, NULL) != 0)
		abort();
	for (unsigned i = 0; i < 256; i++)
		rule_at(&view, view.base + i * (view.span / 256 + 1));
	wt_unwind_table_deinit(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	struct wt_unwind_table table;
	struct wt_err err = WT_ERR_INIT;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (wt_unwind_from_memory(data, size, &table, &err) == 0)
		check(&table);
	if (table_of_fd(fd, &table, &err) == 0)
		check(&table);
	close(fd);
	return 0;
}
