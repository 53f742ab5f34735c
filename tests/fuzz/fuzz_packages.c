/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/packages.c
// Covers: consumers/symbols/packages_load.c
// Covers: consumers/symbols/text_lines.c
/* A system's files of any content: status, one package's list and os-release, with zero bytes between them;
 * and all of it as the notes that tell a kernel's build id. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/symbols/kernel.h"
#include "consumers/symbols/packages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[] = "/dev/shm/fuzz-packages-XXXXXX";
static const char *const directories[] = {"/etc", "/var", "/var/lib", "/var/lib/dpkg", "/var/lib/dpkg/info"};
static const char *const files[] = {"/var/lib/dpkg/status", "/var/lib/dpkg/info/p:amd64.list",
				    "/etc/os-release"};

static const char *below(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return path;
}

static void clean(void)
{
	for (int i = 0; i < 3; i++)
		unlink(below(files[i]));
	for (int i = 4; i >= 0; i--)
		rmdir(below(directories[i]));
	rmdir(root);
}

static void prepare(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	if (!mkdtemp(root))
		abort();
	for (int i = 0; i < 5; i++)
		if (mkdir(below(directories[i]), 0700))
			abort();
	atexit(clean);
}

static void put(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "we");

	if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {"/usr/bin/a", "/b (deleted)", ""};
	struct wt_str id = wt_kernel_notes_build_id(data, size);
	struct wt_packages packages = {0};
	struct wt_err err = WT_ERR_INIT;

	if (id.len &&
	    ((const uint8_t *)id.p < data || (size_t)((const uint8_t *)id.p - data) + id.len > size))
		abort();
	prepare();
	for (int i = 0; i < 3; i++) {
		const uint8_t *zero = size && i < 2 ? memchr(data, 0, size) : NULL;
		size_t n = zero ? (size_t)(zero - data) : size;

		put(below(files[i]), data, n);
		data += n + (zero ? 1 : 0);
		size -= n + (zero ? 1 : 0);
	}
	for (int i = 0; i < 3; i++)
		if (wt_packages_want(&packages, paths[i], strlen(paths[i]), &err) < 0)
			abort();
	if (wt_packages_load(&packages, root, NULL, &err) == 0)
		for (int i = 0; i < 3; i++) {
			const struct wt_package *package = wt_packages_of(&packages, paths[i],
									  strlen(paths[i]));

			if (package && !wt_strings_get(&packages.texts, package->name, NULL))
				abort();
		}
	wt_packages_deinit(&packages);
	return 0;
}
