// SPDX-License-Identifier: MIT
#include "consumers/counting/own.h"

#include <unistd.h>

#include "providers/perf/textfile.h"

enum { MOST_BYTES = 1 << 20 };

static int read_file(const char *path, struct wt_buf *ret, struct wt_err *err)
{
	return wt_text_read_all(path, ret, MOST_BYTES) ? wt_fail_errno(err, "cannot read %.200s", path) : 0;
}

static int add_metrics(struct wt_pmu_models *models, const char *path, struct wt_err *err)
{
	struct wt_buf text = {0};
	int rc = read_file(path, &text, err);

	if (!rc)
		rc = wt_pmu_add_metrics(models, wt_buf_cstr(&text), path, err);
	wt_buf_deinit(&text);
	return rc;
}

static int add_events(struct wt_pmu_models *models, const char *value, struct wt_err *err)
{
	struct wt_buf text = {0};
	int rc;

	if (access(value, F_OK))
		return wt_pmu_add_events(models, value, "-E", err);
	rc = read_file(value, &text, err);
	if (!rc)
		rc = wt_pmu_add_events(models, wt_buf_cstr(&text), value, err);
	wt_buf_deinit(&text);
	return rc;
}

int wt_own_add(struct wt_pmu_models *models, const char *metrics, const char *events, struct wt_err *err)
{
	if (events && add_events(models, events, err))
		return -1;
	return metrics ? add_metrics(models, metrics, err) : 0;
}
