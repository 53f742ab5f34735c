// SPDX-License-Identifier: MIT
#include "tracecore/base/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "tracecore/base/plain.h"

static enum wt_diag_level current_level = WT_DIAG_NORMAL;
static void (*redirect)(void *ctx, const char *line);
static void *redirect_ctx;

void wt_diag_level(enum wt_diag_level level)
{
	current_level = level;
}

bool wt_diag_enabled(void)
{
	return current_level != WT_DIAG_QUIET;
}

bool wt_diag_verbose(void)
{
	return current_level == WT_DIAG_VERBOSE;
}

void wt_diag_redirect(void (*fn)(void *ctx, const char *line), void *ctx)
{
	redirect = fn;
	redirect_ctx = ctx;
}

static void emit(const char *prefix, const char *fmt, va_list ap)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%s", prefix);

	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	wt_plain(line, sizeof(line));
	if (redirect)
		redirect(redirect_ctx, line);
	else
		fprintf(stderr, "wtrace: %s\n", line);
}

void wt_note(const char *fmt, ...)
{
	va_list ap;

	if (current_level == WT_DIAG_QUIET)
		return;
	va_start(ap, fmt);
	emit("note: ", fmt, ap);
	va_end(ap);
}

void wt_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit("warning: ", fmt, ap);
	va_end(ap);
}

void wt_debug(const char *fmt, ...)
{
	va_list ap;

	if (current_level < WT_DIAG_VERBOSE)
		return;
	va_start(ap, fmt);
	emit("", fmt, ap);
	va_end(ap);
}
