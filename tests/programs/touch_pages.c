// SPDX-License-Identifier: MIT
/* touch_pages THREADS PAGES: each thread touches so many fresh pages, one fault each, and ends. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 64 };

static size_t pages;

static void *touch(void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = pages * page;
	volatile char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	if (bytes == MAP_FAILED)
		return NULL;
	/* A huge page would be one fault. */
	madvise((void *)(uintptr_t)bytes, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page)
		bytes[at] = 1;
	munmap((void *)(uintptr_t)bytes, size);
	return &pages;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	pthread_t threads[MOST];
	int failed = 0;

	pages = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (n < 1 || n > MOST || !pages) {
		fprintf(stderr, "usage: touch_pages THREADS PAGES\n");
		return 2;
	}
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, touch, NULL))
			return 1;
	for (long i = 0; i < n; i++) {
		void *done;

		pthread_join(threads[i], &done);
		failed |= !done;
	}
	return failed;
}
