/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Facts about a JSON text that the JSON library does not give: the line of an offset, and duplicate keys.
 *
 * The functions work on text that a JSON parser has accepted. On any other text the answers are wrong but
 * harmless: nothing outside [text, text + len) is read, and every call ends after one pass, or for
 * wt_json_twice after at most as many passes as the text has levels of nesting. Pure functions, no
 * allocation.
 */
#ifndef TRACECORE_SCHEMA_JSON_PLACE_H
#define TRACECORE_SCHEMA_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Line of an offset, counted from 1. */
size_t wt_json_line(const char *text, size_t offset);

/** The number of members in all objects of the text together; duplicates are counted each time. */
size_t wt_json_members(const char *text, size_t len);

/** Finds a duplicate key in one of the text's objects, which have few distinct keys each. False when there
 * is none (or escapes hide it); *offset is that of the second occurrence. */
bool wt_json_twice(const char *text, size_t len, size_t *offset);

#endif
