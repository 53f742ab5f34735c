/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over the files named on the command line, one test point each. A finding ends the
 * process by a sanitizer or abort; the points that follow are then missing, which the runner counts as a
 * failure. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return NULL;
	uint8_t *data = NULL;
	size_t n, cap = 0;

	*size = 0;
	do {
		cap = cap ? cap * 2 : 4096;
		uint8_t *bigger = realloc(data, cap);

		if (!bigger) {
			free(data);
			data = NULL;
			break;
		}
		data = bigger;
		n = fread(data + *size, 1, cap - *size, f);
		*size += n;
	} while (*size == cap);
	fclose(f);
	return data;
}

/* An exact allocation, so that a sanitizer sees the first byte read beyond the input. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		abort();
	if (size)
		memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = read_file(argv[i], &size);
		const char *base = strrchr(argv[i], '/');

		base = base ? base + 1 : argv[i];
		if (!data) {
			printf("not ok %d - %s: cannot be read\n", i, base);
			failed = 1;
			continue;
		}
		run(data, size);
		free(data);
		printf("ok %d - %s\n", i, base);
		fflush(stdout);
	}
	return failed;
}
