/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A compiled BPF object in the kernel: its programs, its maps. The only user of libbpf.
 *
 * An object is optional. Opening fails with the reason when rights are missing, when the kernel lacks a
 * needed feature (Linux 5.17 and its types, CONFIG_DEBUG_INFO_BTF), with WTRACE_BPF=0 in the environment, or
 * in a build without BPF. Its programs run until it is closed in every process that had it before a fork.
 */
#ifndef PROVIDERS_PERF_BPF_OBJECT_H
#define PROVIDERS_PERF_BPF_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/embed.h"
#include "tracecore/base/err.h"

/** Most programs of one object that wt_bpf_run runs. */
#define WT_BPF_MOST_PROGRAMS 4

struct wt_bpf_object;

/** The bytes of a compiled object, in static memory. start is NULL in a build without BPF. */
struct wt_bpf_bytes {
	const char *start, *end;
};

/** Defines `name`, the bytes of that file of the directory with the compiled objects. */
#ifndef WT_WITHOUT_BPF
#define WT_BPF_EMBED(name, file)                          \
	WT_EMBED(wt_bpf_##name, WT_BPF_OBJECTS "/" file); \
	static const struct wt_bpf_bytes name = {wt_bpf_##name, wt_bpf_##name##_end}
#else
#define WT_BPF_EMBED(name, file) static const struct wt_bpf_bytes name = {NULL, NULL}
#endif

/** Loads the object without the program named `without` (NULL: with all). On failure *ret is NULL and err
 * gives the reason, in words that follow "without BPF: ". */
int wt_bpf_open(struct wt_bpf_object **ret, struct wt_bpf_bytes bytes, const char *without,
		struct wt_err *err);
/** Loads the object and attaches those programs: all, or none and the object is closed. */
int wt_bpf_start(struct wt_bpf_object **ret, struct wt_bpf_bytes bytes, const char *const programs[],
		 size_t n_programs, struct wt_err *err);
/** May be NULL. */
void wt_bpf_close(struct wt_bpf_object *object);

/** Attaches the program to the place that its section names. */
int wt_bpf_run(struct wt_bpf_object *object, const char *program, struct wt_err *err);
/** Attaches an iterator's program, appends what it writes, up to `most` bytes, and detaches it. Whatever
 * fails leaves less in `to`. */
void wt_bpf_list(struct wt_bpf_object *object, const char *program, size_t most, struct wt_buf *to);
/** Returns the descriptor of a program or a map, which the object owns. -1: it has none of that name. */
int wt_bpf_program(const struct wt_bpf_object *object, const char *name);
int wt_bpf_map(const struct wt_bpf_object *object, const char *name);
/** Maps the object's variables that begin as zero, which its programs read and write. NULL: impossible, or
 * they are fewer than `size` bytes. The caller unmaps them. */
void *wt_bpf_variables(const struct wt_bpf_object *object, size_t size);

/** Reads an entry of a map; *value stays as it is where the map has none. */
void wt_bpf_map_get(int map, const void *key, void *value);
/** Sets an entry of a map. value NULL: removes it. -1: errno. */
int wt_bpf_map_set(int map, const void *key, const void *value);
/** Sets the event "bpf-output" of a CPU to which programs write, in their map of these; -1: none. Call that
 * before the event is closed, because the map keeps it alive. -1: errno. */
int wt_bpf_set_output(int map, uint32_t cpu, int fd);

/** Is given each record of a ring. A return value other than 0 is a failure. */
typedef int wt_bpf_record_fn(void *ctx, void *bytes, size_t len);
/** Calls fn with each waiting record of the object's ring buffer of that name; one of each object is read.
 * -1: it cannot be read. */
int wt_bpf_drain(struct wt_bpf_object *object, const char *ring, wt_bpf_record_fn *fn, void *ctx);

#endif
