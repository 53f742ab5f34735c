// SPDX-License-Identifier: MIT
/*
 * Any bytes as a manifest: refused with one line, or parsed; then its rendering parses again and renders to
 * the same text, and so does that of a clone.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_provider *first = NULL, *second = NULL, *clone;
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf text = {0};

	if (wt_manifest_parse((const char *)data, size, "fuzz", &first, &err)) {
		check_error(&err);
		return 0;
	}
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
