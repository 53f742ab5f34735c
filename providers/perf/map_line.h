/* SPDX-License-Identifier: MIT */
/** @file One line of /proc/PID/maps. */
#ifndef PROVIDERS_PERF_MAP_LINE_H
#define PROVIDERS_PERF_MAP_LINE_H

#include <stdbool.h>
#include <stdint.h>

/** The parts of the line; path is changed in place ("\012" is a newline). False: not such a line. */
struct wt_map_line {
	uint64_t start, end, offset, device, inode;
	bool exec, private;
	bool written; /**< private and writable: the bytes there may differ from the file's */
	char *path;   /**< in the line; "" when there is none */
};
bool wt_map_line_parse(char *line, struct wt_map_line *ret);

#endif
