/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the JSON library does not say of a text: the line of an offset, and keys given twice.
 *
 * Works on text a JSON parser has accepted; on any other text the answers are useless but harmless: nothing
 * outside [text, text + len) is read and every call ends after one or, for wt_json_twice, at most
 * nesting-depth many passes. Pure functions, no allocation.
 */
#ifndef TRACECORE_SCHEMA_JSON_PLACE_H
#define TRACECORE_SCHEMA_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Line of an offset, counted from 1. */
size_t wt_json_line(const char *text, size_t offset);

/** Members of all objects of the text together, doubles counted each. */
size_t wt_json_members(const char *text, size_t len);

/** A key given twice in one of the text's objects, which have few distinct keys each. False when there is
 * none (or it hides behind escapes); *offset is that of the second. */
bool wt_json_twice(const char *text, size_t len, size_t *offset);

#endif
