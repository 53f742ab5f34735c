// SPDX-License-Identifier: MIT
/* The error text of a thread, and the results that stand for it. */
#include "consumers/reader/impl.h"

struct wt_err *wtr_err(void)
{
	static _Thread_local struct wt_err last;

	return &last;
}

const char *wtr_error_text(void)
{
	return wtr_err()->text;
}

int wtr_failed(void)
{
	enum wt_code code = wtr_err()->code;

	return code >= WT_ERR_USAGE && code <= WT_ERR_NOTFOUND ? -(int)code : WTR_ERR_OTHER;
}

_Static_assert(-WT_ERR_USAGE == WTR_ERR_USAGE && -WT_ERR_NOMEM == WTR_ERR_NOMEM &&
		       -WT_ERR_SYSTEM == WTR_ERR_SYSTEM && -WT_ERR_PERMISSION == WTR_ERR_PERMISSION &&
		       -WT_ERR_FORMAT == WTR_ERR_FORMAT && -WT_ERR_VERSION == WTR_ERR_VERSION &&
		       -WT_ERR_LIMIT == WTR_ERR_LIMIT && -WT_ERR_NOTFOUND == WTR_ERR_NOTFOUND,
	       "results are the negated codes");
