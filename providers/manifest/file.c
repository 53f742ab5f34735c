// SPDX-License-Identifier: MIT
#include "providers/manifest/file.h"

#include <stdio.h>
#include <unistd.h>

#include "tracecore/base/regular.h"

struct collector {
	struct wt_remarks *remarks;
	const char *path;
	uint32_t n;
};

static void tell(void *ctx, size_t line, const char *text)
{
	struct collector *to = ctx;

	to->n++;
	wt_remarks_add(to->remarks, WT_REMARK_ERROR, to->path, line, "%s", text);
}

static int read_stream(FILE *stream, struct wt_manifest_file *file, struct wt_err *err)
{
	enum { CHUNK = 1 << 16 };

	for (;;) {
		uint8_t *to = wt_buf_reserve(&file->text, CHUNK);
		size_t n;

		if (!to)
			return wt_fail_nomem(err);
		n = fread(to, 1, CHUNK, stream);
		file->text.len += n;
		if (n < CHUNK)
			break;
		if (file->text.len > WT_SCHEMA_MAX_JSON)
			return wt_fail(err, WT_ERR_LIMIT, "%s is too long: a manifest has at most %d bytes",
				       file->path, WT_SCHEMA_MAX_JSON);
	}
	return ferror(stream) ? wt_fail_errno(err, "%s cannot be read", file->path) : 0;
}

static int read_text(struct wt_manifest_file *file, struct wt_err *err)
{
	int fd = wt_regular_open_or_held(file->path, err), rc;
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		return -1;
	if (!stream) {
		close(fd);
		return wt_fail_nomem(err);
	}
	rc = read_stream(stream, file, err);
	fclose(stream);
	return rc;
}

int wt_manifest_file_read(struct wt_manifest_file *file, const char *path, struct wt_remarks *remarks,
			  struct wt_err *err)
{
	struct collector collector = {remarks, path, 0};
	const char *text;

	file->path = path;
	if (read_text(file, err))
		return -1;
	text = wt_buf_cstr(&file->text);
	if (wt_manifest_check(text, file->text.len, path, tell, &collector, &file->provider, err))
		return collector.n && err->code != WT_ERR_NOMEM ? 0 : -1;
	return wt_json_index_init(&file->index, text, file->text.len) ? wt_fail_nomem(err) : 0;
}

void wt_manifest_file_deinit(struct wt_manifest_file *file)
{
	wt_provider_destroy(file->provider);
	wt_json_index_deinit(&file->index);
	wt_buf_deinit(&file->text);
	*file = (struct wt_manifest_file){0};
}

size_t wt_manifest_file_line_of(const struct wt_manifest_file *file, const char *key)
{
	return wt_json_index_line(&file->index, &(struct wt_json_step){.key = key}, 1);
}

size_t wt_manifest_file_line(const struct wt_manifest_file *file, const char *list, size_t i)
{
	const struct wt_json_step path[] = {{.key = list}, {.index = i}};

	return wt_json_index_line(&file->index, path, 2);
}

size_t wt_manifest_file_line_at(const struct wt_manifest_file *file, const char *list, size_t i,
				const char *key)
{
	const struct wt_json_step path[] = {{.key = list}, {.index = i}, {.key = key}};

	return wt_json_index_line(&file->index, path, 3);
}

size_t wt_manifest_file_line_in(const struct wt_manifest_file *file, const char *list, size_t i,
				const char *inner, size_t j)
{
	const struct wt_json_step path[] = {{.key = list}, {.index = i}, {.key = inner}, {.index = j}};

	return wt_json_index_line(&file->index, path, 4);
}
