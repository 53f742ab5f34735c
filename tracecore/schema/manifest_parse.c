// SPDX-License-Identifier: MIT
/* Parses the text of a manifest into a provider: the tree, the language, duplicate keys. */
#include <stdlib.h>

#include "tracecore/schema/manifest_read.h"

/* The library does not report a duplicate key; it keeps the last value. The number of members in the text
 * reveals it. */
static int check_twice(struct wt_mf *mf)
{
	size_t offset = 0;

	if (wt_json_members(mf->text, mf->len) == mf->members)
		return 0;
	mf->depth = 0;
	if (!wt_json_twice(mf->text, mf->len, &offset))
		return wt_mf_fail(mf, "a key is given twice in one object");
	return wt_mf_fail_line(mf, wt_json_line(mf->text, offset), "this key is given twice in one object");
}

/* When rows were left out after an error the number of members has no meaning. */
static int check_twice_after_errors(struct wt_mf *mf)
{
	size_t offset = 0;

	if (wt_json_twice(mf->text, mf->len, &offset))
		wt_mf_fail_line(mf, wt_json_line(mf->text, offset), "this key is given twice in one object");
	return -1;
}

static int parse_tree(struct wt_mf *mf, struct json_object *root, struct wt_provider **ret)
{
	int failed;

	mf->provider = calloc(1, sizeof(*mf->provider));
	if (!mf->provider)
		return wt_fail_nomem(mf->err);
	failed = wt_mf_provider(mf, root);
	if (mf->n_errors)
		failed = check_twice_after_errors(mf);
	else if (!failed)
		failed = check_twice(mf);
	for (unsigned i = 0; i < WT_MF_LISTS; i++)
		wt_strings_deinit(&mf->names[i]);
	wt_json_index_deinit(&mf->index);
	if (failed) {
		wt_provider_destroy(mf->provider);
		return -1;
	}
	*ret = mf->provider;
	return 0;
}

static int parse_text(struct wt_mf *mf, struct wt_provider **ret)
{
	struct json_object *root = NULL;
	int failed = wt_mf_tree(mf, &root);

	if (!failed)
		failed = parse_tree(mf, root, ret);
	wt_mf_tree_free(root);
	return failed;
}

int wt_manifest_parse(const char *json, size_t len, const char *origin, struct wt_provider **ret,
		      struct wt_err *err)
{
	struct wt_mf mf = {.text = json, .len = len, .origin = origin, .err = err};

	return parse_text(&mf, ret);
}

int wt_manifest_check(const char *json, size_t len, const char *origin, wt_manifest_tell *tell, void *ctx,
		      struct wt_provider **ret, struct wt_err *err)
{
	struct wt_mf mf = {
		.text = json, .len = len, .origin = origin, .err = err, .tell = tell, .tell_ctx = ctx};

	return parse_text(&mf, ret);
}
