// SPDX-License-Identifier: MIT
// Covers: tracecore/enable/enable_file.c
// Covers: tracecore/enable/control_*.c
// Covers: tracecore/enable/state_read.c
/*
 * Any bytes as an enable file, read and changed as a session does it; then as a state file. The file stands
 * in memory's file system, where the session finds it by descriptor.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/directory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/dev/shm/wt-fuzz-XXXXXX";

static void remove_directory(void)
{
	rmdir(path);
}

static int directory(void)
{
	static int fd = -1;

	if (fd < 0 && mkdtemp(path)) {
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		atexit(remove_directory);
	}
	if (fd < 0)
		abort();
	return fd;
}

static void as_enable_file(int dir, const uint8_t *data, size_t size)
{
	struct wt_enable_copy copy;
	int fd = openat(dir, "file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	if (wt_directory_write(fd, data, size, 0) == 0 &&
	    wt_enable_copy_read(dir, "file", geteuid(), &copy, NULL) == 0) {
		volatile uint32_t sum = copy.data[copy.layout.end - 1];

		(void)sum;
		wt_enable_copy_apply(dir, "file", geteuid(), &copy, 0xff, NULL);
		wt_enable_copy_deinit(&copy);
	}
	close(fd);
	unlinkat(dir, "file", 0);
}

static int see(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	volatile uint8_t last = record->len ? record->payload[record->len - 1] : 0;

	(void)last;
	(void)err;
	++*(unsigned *)ctx;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t damaged = 0;
	unsigned n = 0;

	as_enable_file(directory(), data, size);
	wt_state_parse(data, size, see, &n, &damaged, NULL);
	return 0;
}
