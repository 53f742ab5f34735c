// SPDX-License-Identifier: MIT
// Covers: tracecore/schema/json_*.c
// Covers: tracecore/schema/manifest_*.c
// Covers: tracecore/schema/schema.c
/*
 * Any bytes as a manifest: refused with one line, by the check for all errors too, or parsed; then its
 * rendering parses again and renders to the same text, and so does that of a clone.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/schema/json_index.h"
#include "tracecore/schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_error(const struct wt_err *err)
{
	require(err->code != WT_OK && err->text[0] && !strchr(err->text, '\n'));
}

static void check_same(const struct wt_provider *provider, const struct wt_buf *expected)
{
	struct wt_buf text = {0};

	require(!wt_manifest_render(provider, &text, NULL));
	require(text.len == expected->len && !memcmp(text.data, expected->data, text.len));
	wt_buf_deinit(&text);
}

static void tell(void *ctx, size_t line, const char *text)
{
	size_t *n = ctx;

	require(line && text[0] && !strchr(text, '\n'));
	(*n)++;
}

/* Going on behind errors comes to the same verdict as stopping at the first. */
static void check_all_errors(const uint8_t *data, size_t size, bool valid)
{
	struct wt_provider *provider = NULL;
	struct wt_err err = WT_ERR_INIT;
	size_t told = 0;
	int rc = wt_manifest_check((const char *)data, size, "fuzz", tell, &told, &provider, &err);

	require(!rc == valid && !rc == !!provider && !rc == !told);
	require(told <= WT_MANIFEST_MAX_ERRORS);
	wt_provider_destroy(provider);
}

/* On bytes that are no JSON the index means nothing, and harms nothing. */
static void check_index(const uint8_t *data, size_t size)
{
	const struct wt_json_step path[] = {{"events", 0}, {NULL, 1}, {"fields", 0}};
	struct wt_json_index index;

	require(!wt_json_index_init(&index, (const char *)data, size));
	wt_json_index_line(&index, path, 3);
	wt_json_index_deinit(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_provider *first = NULL, *second = NULL, *clone;
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf text = {0};

	if (wt_manifest_parse((const char *)data, size, "fuzz", &first, &err)) {
		check_error(&err);
		check_index(data, size);
		check_all_errors(data, size, false);
		return 0;
	}
	check_all_errors(data, size, true);
	require(!wt_manifest_render(first, &text, NULL));
	require(!wt_manifest_parse((const char *)text.data, text.len, "again", &second, NULL));
	check_same(second, &text);
	clone = wt_provider_clone(first);
	require(clone);
	check_same(clone, &text);
	wt_provider_destroy(clone);
	wt_provider_destroy(second);
	wt_provider_destroy(first);
	wt_buf_deinit(&text);
	return 0;
}
