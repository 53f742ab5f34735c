// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/regular.h"
#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/format/walk.h"

/* growth NULL: the log is listed as a whole. */
static int open_file(struct wt_log_reader *log, const enum wt_log_growth *growth, struct wt_err *err)
{
	struct wt_disk_file_header header;
	struct stat st;
	bool damaged = false;

	if (fstat(log->fd, &st) < 0)
		return wt_fail_errno(err, "cannot open %s", log->name);
	if (!S_ISREG(st.st_mode))
		return wt_fail(err, WT_ERR_FORMAT, "%s is not a regular file: a log must be seekable",
			       log->name);
	if (wt_log_read_file_header(log->fd, log->name, &header, &damaged, err))
		return -1;
	if (damaged)
		wt_log_damage(log, 0, "file header checksum");
	log->info.version_major = header.version_major;
	log->info.version_minor = header.version_minor;
	memcpy(log->info.session_id, header.session_id, sizeof(header.session_id));
	log->info.file_bytes = (uint64_t)st.st_size;
	log->info.clock = (struct wt_clockset){
		.raw = header.raw, .mono = header.mono, .realtime = header.realtime};
	wt_log_bound_tables(log);
	if (!growth)
		return wt_log_list(log, header.header_size, err);
	log->followed = header.header_size;
	return wt_log_follow(log, *growth, err) < 0 ? -1 : 0;
}

static int reader_alloc(int fd, const char *name, struct wt_log_reader **ret, struct wt_err *err)
{
	struct wt_log_reader *log = calloc(1, sizeof(*log));

	if (!log)
		return wt_fail_nomem(err);
	pthread_mutex_init(&log->lock, NULL);
	log->fd = -1;
	log->name = strdup(name);
	if (!log->name || wt_log_decoder_init(&log->decoder, err)) {
		wt_log_close(log);
		return wt_fail_nomem(err);
	}
	log->fd = fd;
	*ret = log;
	return 0;
}

static int open_fd(int fd, const char *name, const enum wt_log_growth *growth, struct wt_log_reader **ret,
		   struct wt_err *err)
{
	struct wt_log_reader *log = NULL;

	if (reader_alloc(fd, name, &log, err)) {
		close(fd);
		return -1;
	}
	if (open_file(log, growth, err)) {
		wt_log_close(log);
		return -1;
	}
	*ret = log;
	return 0;
}

int wt_log_open_fd(int fd, const char *name, struct wt_log_reader **ret, struct wt_err *err)
{
	return open_fd(fd, name, NULL, ret, err);
}

int wt_log_open_growing(int fd, const char *name, enum wt_log_growth growth, struct wt_log_reader **ret,
			struct wt_err *err)
{
	return open_fd(fd, name, &growth, ret, err);
}

int wt_log_open(const char *path, struct wt_log_reader **ret, struct wt_err *err)
{
	int fd;

	if (!path[0])
		return wt_fail(err, WT_ERR_USAGE, "the name of the log is empty");
	if (!strcmp(path, "-"))
		return wt_fail(err, WT_ERR_USAGE,
			       "a log cannot be read from a pipe: it must be a seekable file");
	fd = wt_regular_open(path, err);
	return fd < 0 ? -1 : wt_log_open_fd(fd, path, ret, err);
}

void wt_log_close(struct wt_log_reader *log)
{
	if (!log)
		return;
	for (uint32_t i = 0; i < log->info.n_segments; i++)
		wt_log_tables_deinit(&log->segments[i]);
	for (uint32_t i = 0; i < log->n_schemas; i++)
		wt_provider_destroy(log->schemas[i].provider);
	wt_strings_deinit(&log->schema_texts);
	free(log->schemas);
	free(log->segments);
	free(log->refs);
	free(log->name);
	wt_intern_deinit(&log->numbers);
	wt_log_decoder_deinit(&log->decoder);
	wt_log_decoder_deinit(&log->spare);
	pthread_mutex_destroy(&log->lock);
	if (log->fd >= 0)
		close(log->fd);
	free(log);
}

const struct wt_log_info *wt_log_info(const struct wt_log_reader *log)
{
	return &log->info;
}
