// SPDX-License-Identifier: MIT
#include "tracecore/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/plain.h"

static void fill(struct wt_err *err, enum wt_code code, int sys_errno, const char *fmt, va_list ap)
{
	err->code = code;
	err->sys_errno = sys_errno;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	wt_plain(err->text, sizeof(err->text));
}

int wt_fail(struct wt_err *err, enum wt_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	fill(err, code, 0, fmt, ap);
	va_end(ap);
	return -1;
}

static enum wt_code code_of_errno(int e)
{
	switch (e) {
	case EPERM:
	case EACCES:
		return WT_ERR_PERMISSION;
	case ENOMEM:
		return WT_ERR_NOMEM;
	case ENOSPC:
	case EDQUOT:
		return WT_ERR_NOSPACE;
	case ENOENT:
		return WT_ERR_NOTFOUND;
	case EEXIST:
		return WT_ERR_EXISTS;
	default:
		return WT_ERR_SYSTEM;
	}
}

int wt_fail_errno(struct wt_err *err, const char *fmt, ...)
{
	int e = errno;
	va_list ap;
	size_t len;

	if (!err)
		return -1;
	va_start(ap, fmt);
	fill(err, code_of_errno(e), e, fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(e));
	return -1;
}

int wt_fail_prefix(struct wt_err *err, const char *fmt, ...)
{
	char old[WT_ERR_TEXT_SIZE];
	va_list ap;
	size_t len;

	if (!err)
		return -1;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", old);
	wt_plain(err->text, sizeof(err->text));
	return -1;
}

int wt_fail_nomem(struct wt_err *err)
{
	return wt_fail(err, WT_ERR_NOMEM, "out of memory");
}
