/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/package_answers.c
// Covers: consumers/symbols/kept_file.c
/* Any file as kept answers of the package database, for three files that are asked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/symbols/package_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {"/usr/bin/a", "/b (deleted)", ""};
enum { N = sizeof(paths) / sizeof(paths[0]) };

static void ask(const struct wt_packages *packages)
{
	for (int i = 0; i < N; i++) {
		const struct wt_package *package = wt_packages_of(packages, paths[i], strlen(paths[i]));

		if (package && (!wt_strings_get(&packages->texts, package->name, NULL) ||
				!wt_strings_get(&packages->texts, package->source, NULL)))
			abort();
	}
	if (!wt_strings_get(&packages->texts, packages->system, NULL))
		abort();
}

/* What was read is read again as it was. */
static void write_and_read(const struct wt_packages *packages)
{
	struct wt_image_inputs inputs = {0};
	struct wt_packages again = {0};
	struct wt_buf file = {0};
	struct wt_err err = WT_ERR_INIT;
	uint32_t left = N;
	bool fresh;

	for (int i = 0; i < 3; i++)
		wt_image_inputs_add(&inputs, "/nowhere/at/all", -1);
	wt_package_answers_write(packages, &inputs, wt_cursor(NULL, 0), &file);
	for (int i = 0; i < N; i++)
		if (wt_packages_want(&again, paths[i], strlen(paths[i]), &err) < 0)
			abort();
	if (wt_strings_add(&again.texts, "", 0, &fresh) == WT_INTERN_NONE ||
	    wt_package_answers_read(wt_cursor(file.data, file.len), &again, &left) || left)
		abort();
	for (int i = 0; i < N; i++)
		if (!wt_packages_of(packages, paths[i], strlen(paths[i])) !=
		    !wt_packages_of(&again, paths[i], strlen(paths[i])))
			abort();
	wt_packages_deinit(&again);
	wt_buf_deinit(&file);
	wt_image_inputs_deinit(&inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_packages packages = {0};
	struct wt_err err = WT_ERR_INIT;
	uint32_t left = N;
	bool fresh;

	for (int i = 0; i < N; i++)
		if (wt_packages_want(&packages, paths[i], strlen(paths[i]), &err) < 0)
			abort();
	if (wt_strings_add(&packages.texts, "", 0, &fresh) == WT_INTERN_NONE)
		abort();
	if (wt_package_answers_read(wt_cursor(data, size), &packages, &left) == 0) {
		ask(&packages);
		write_and_read(&packages);
	}
	wt_packages_deinit(&packages);
	return 0;
}
