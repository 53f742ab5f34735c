/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One error type for the whole of user space.
 *
 * Every function that can fail for a reason that a user must know takes a `struct wt_err *` as its last
 * argument and returns an int: 0 done, -1 failed (the error is filled), 1 "nothing now" or "end" where its
 * contract says so. Filling an error never allocates, so a lack of memory can be reported too. A message is
 * one line without full stop or newline. It names the failed action, its object, the reason and, where
 * possible, the remedy. A message is safe to show on a terminal: control characters in quoted text are
 * written as escapes (plain.h).
 */
#ifndef TRACECORE_BASE_ERR_H
#define TRACECORE_BASE_ERR_H

/** Causes that a caller may want to distinguish. The text is for people, the code is for programs. */
enum wt_code {
	WT_OK = 0,
	WT_ERR_USAGE,       /**< the user's words are wrong: exit code 2 */
	WT_ERR_NOMEM,       /**< no memory */
	WT_ERR_SYSTEM,      /**< a system call failed: see sys_errno */
	WT_ERR_PERMISSION,  /**< not allowed; the text names the setting to change */
	WT_ERR_FORMAT,      /**< foreign bytes are invalid (file, record, JSON, ELF) */
	WT_ERR_VERSION,     /**< written by a newer version */
	WT_ERR_LIMIT,       /**< a stated bound was reached */
	WT_ERR_NOTFOUND,    /**< no such session, event, symbol or file */
	WT_ERR_EXISTS,      /**< the name is taken */
	WT_ERR_UNSUPPORTED, /**< this kernel or machine cannot do it */
	WT_ERR_TIMEOUT,     /**< the other side did not answer in time */
	WT_ERR_NOSPACE,     /**< the disk takes nothing more for now: it is full or the spool's cap is
			     * reached. For writers of a log also: the disk is read-only or failing */
	WT_ERR_ENDING,      /**< the process that was asked is about to end */
};

/** Bytes an error text can hold, with its terminating zero. Longer texts are cut. */
#define WT_ERR_TEXT_SIZE 480

struct wt_err {
	enum wt_code code;
	int sys_errno; /**< errno at the failure, 0 if none */
	char text[WT_ERR_TEXT_SIZE];
};

#define WT_ERR_INIT           \
	{                     \
		.code = WT_OK \
	}

/** Fills *err and returns -1, so that a failure is one statement: `return wt_fail(err, ...)`. err may be
 * NULL. */
int wt_fail(struct wt_err *err, enum wt_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** As wt_fail, with the code and the reason from errno; appends ": <strerror>" to the text.
 *  EPERM and EACCES become WT_ERR_PERMISSION, ENOMEM WT_ERR_NOMEM, ENOSPC and EDQUOT WT_ERR_NOSPACE, ENOENT
 *  WT_ERR_NOTFOUND, EEXIST WT_ERR_EXISTS, all others WT_ERR_SYSTEM. */
int wt_fail_errno(struct wt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Puts "prefix: " in front of the present text; returns -1. */
int wt_fail_prefix(struct wt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Out of memory; returns -1. */
int wt_fail_nomem(struct wt_err *err);

#endif
