/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The remedy for names or unwind data that a module lacks: a command where one is known, else a sentence.
 *
 * Names of debug packages follow the rules of Debian and Ubuntu. They are made here from the package that
 * the log names: only the recorded machine knew from which package a file came.
 */
#ifndef CONSUMERS_ANALYSIS_REMEDY_H
#define CONSUMERS_ANALYSIS_REMEDY_H

#include "consumers/analysis/missing.h"

struct wt_view_remedies {
	const struct wt_view_file *file;
	bool images;     /**< the log knows what was mapped: an address in nothing is no address of code */
	bool debuginfod; /**< this machine has debuginfod-find */
};

enum wt_view_remedy {
	WT_REMEDY_COMMAND, /**< to be typed */
	WT_REMEDY_ADVICE,  /**< to be read */
};

/** Looks for the programs remedies may name. */
void wt_view_remedies_init(struct wt_view_remedies *remedies, const struct wt_view_missing *missing);
/** Puts remedy number i of a module into out; false when all have been put. */
bool wt_view_remedy(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack, unsigned i,
		    enum wt_view_remedy *what, struct wt_buf *out);
/** The line for apt's sources that has the debug packages of that row's system; false when none is needed or
 * known. */
bool wt_view_remedy_archive(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
			    struct wt_buf *out);
/** Puts sentence number i about the whole recording into out; false when all have been put. */
bool wt_view_remedy_session(const struct wt_view_facts *facts, unsigned i, struct wt_buf *out);

#endif
