/* SPDX-License-Identifier: MIT */
/**
 * @file
 * From image + offset to function, file and line.
 *
 * Looks, for a user-space image, at: the file itself (its build id must match when one is given), the
 * separate debug file by build id (/usr/lib/debug/.build-id/xx/yyyy.debug), by .gnu_debuglink (CRC checked;
 * same directory, .debug/, /usr/lib/debug/<directory>); takes .symtab, else what is packed into
 * .gnu_debugdata, with .dynsym; names the stubs of the PLT; lines from DWARF. The kernel and its modules:
 * /proc/kallsyms (subject to kptr_restrict); the vdso: the one of this process. Their build ids must match
 * those of the trace. ELF and DWARF are read through elfutils; C++ and Rust names are demangled by libiberty.
 *
 * The executed file and symbol tables are read piece by piece, debug information is mapped; files over 4 GiB
 * are not looked at, and compressed debug information that expands to more than 256 MiB gives no lines.
 * Opened images are cached; memory is bounded by dropping the least recently used image's tables beyond
 * max_bytes. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_SYMBOLS_H
#define CONSUMERS_SYMBOLS_SYMBOLS_H

#include "consumers/symbols/code_map.h"
#include "consumers/symbols/packages.h"
#include "tracecore/base/file_watch.h"
#include "tracecore/base/progress.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/format/tables.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/stackwalk/cache.h"

struct wt_symbols;

/** Finds the code that lay at the address in an image of generated code (WT_IMAGE_ANON with an inode); false:
 * not known. The strings live until the next call. */
typedef bool wt_symbols_generated_fn(void *ctx, const struct wt_log_image *image, uint64_t address,
				     struct wt_code_hit *ret);

/** What happened to the image's file since it was mapped. apart: asked in a forked child, where reports are
 * not read. */
typedef enum wt_file_written wt_symbols_watched_fn(void *ctx, const struct wt_log_image *image, bool apart);

/** The mark before a name that may belong to other code. */
#define WT_NAME_MAY_BE "may be "

struct wt_symbols_options {
	const char *debug_root; /**< NULL: /usr/lib/debug */
	const char *sysroot;    /**< put in front of image paths; NULL: none */
	const int *roots; /**< directories that were / for processes of the trace: files that do not lie at
			   * their paths here are looked for below them; n_roots of them, borrowed */
	size_t n_roots;
	const char *kallsyms; /**< NULL: /proc/kallsyms */
	const char *sys; /**< build ids of the kernel and its modules; NULL: /sys, or with kallsyms given:
			  * none are compared */
	uint64_t
		kernel_address; /**< load address of the kernel image (address of _stext); 0: from kallsyms */
	bool lines;             /**< read DWARF line tables too */
	bool inlines;           /**< and the functions inlined at an address */
	bool debuginfod;        /**< ask servers for debug files that are not here (debuginfod.h) */
	bool elsewhere; /**< a trace of a host of another name was recorded on another machine: there a build
			 * id must do as proof of a file */
	bool any_machine; /**< the trace may have been recorded elsewhere: the kernel, its modules and the
			   * vdso are only taken for those of this machine when their build ids say so */
	bool shared; /**< the trace is of processes of many users: of whose files each has a share of the time
		      * of wt_symbols_complete (name_shares.h) */
	uint64_t max_bytes;                 /**< symbol tables kept; 0: 32 MiB */
	struct wt_listener listener;        /**< of wt_symbols_complete */
	struct wt_unwind_cache *cache;      /**< where functions of the running kernel and of files are kept
					     * (kernel_names.h, image_names.h); borrowed; NULL: nowhere */
	wt_symbols_generated_fn *generated; /**< NULL: generated code has no names */
	void *generated_ctx;
	wt_symbols_watched_fn *watched; /**< asked of files in memory, behind the reading (file_proof.h);
					 * NULL: nobody watched them */
	void *watched_ctx;
};

int wt_symbols_create(const struct wt_symbols_options *options, struct wt_symbols **ret, struct wt_err *err);
void wt_symbols_destroy(struct wt_symbols *symbols);

/** Open files that resolving needs, ascending; returns how many. */
#define WT_SYMBOLS_FDS 64
size_t wt_symbols_fds(const struct wt_symbols *symbols, int ret[WT_SYMBOLS_FDS]);

/** From now on images are of that segment. Files are used only when they are proved to be those that were
 * mapped (file_proof.h); below a sysroot this is not required. */
void wt_symbols_prove(struct wt_symbols *symbols, const struct wt_log_segment *segment);

/** The segment is not of this machine, or of an earlier boot under another name: a build id must do. */
bool wt_symbols_is_elsewhere(const struct wt_symbols *symbols);

/** Resolves n frames of one image; offsets are as in struct wt_log_frame, ascending order is fastest. Never
 * fails for reasons of the image: rows[i].reason says why a name is missing. The strings live until the next
 * call. */
int wt_symbols_resolve(struct wt_symbols *symbols, const struct wt_log_image *image, const uint64_t *offsets,
		       size_t n, struct wt_log_symbol *rows, struct wt_err *err);
/** As wt_symbols_resolve, but lines and inlined functions are not looked up. */
int wt_symbols_name(struct wt_symbols *symbols, const struct wt_log_image *image, const uint64_t *offsets,
		    size_t n, struct wt_log_symbol *rows, struct wt_err *err);

/** In a forked child: what is resolved there has to be checked in its parent. */
void wt_symbols_go_apart(struct wt_symbols *symbols);
/** Takes the names away if the image's file may have been written until they were read. */
void wt_symbols_check(const struct wt_symbols *symbols, const struct wt_log_image *image, size_t n,
		      struct wt_log_symbol *rows);

/** Bytes of a function that are read at most. */
#define WT_SYMBOLS_CODE_MOST (UINT32_C(1) << 20)

/** The place of a function's code. */
struct wt_symbols_code {
	uint64_t start;   /**< of its first byte, an offset as in struct wt_log_frame */
	uint64_t address; /**< of its first byte in the image's own address space; of the kernel: where it
			     lies now */
	uint32_t size;    /**< bytes; WT_SYMBOLS_CODE_MOST at most */
	uint8_t reason;   /**< enum wt_unresolved: why nothing is known of the function; else WT_RESOLVED */
	bool unproved;    /**< read from a file in memory that nobody watched: it may have been written to
			   * through a mapping since */
};

/** Finds the function that holds the offset, by the rules of wt_symbols_resolve, and appends its bytes, size
 * of them: from the file that was mapped, from one of the same build id (below the debug root, or kept by
 * perf), or from the running kernel. Nothing is appended where these are not there. */
int wt_symbols_code(struct wt_symbols *symbols, const struct wt_log_image *image, uint64_t offset,
		    struct wt_symbols_code *ret, struct wt_buf *bytes, struct wt_err *err);

/** Resolves all frames of every segment of the file that are not resolved yet, and writes them to the log.
 * reader must see the same file as log (all flushed). Files that lack symbols, or unwind data for a stack
 * that ended there, are asked for in `lacking`. listener hears of progress in segments. shared: as in
 * the options. */
int wt_symbols_embed(struct wt_symbols *symbols, struct wt_log_reader *reader, struct wt_log_writer *log,
		     struct wt_packages *lacking, const struct wt_listener *listener, bool shared,
		     struct wt_err *err);

/** The work of `stop`: embeds the symbols of the log at path, which is also `log` (all flushed), and the
 * packages that the files came from that lack something. */
int wt_symbols_complete(const struct wt_symbols_options *options, const char *path,
			const struct wt_kinds *kinds, struct wt_log_writer *log, struct wt_err *err);

/** Demangles a C++ or Rust name into out; false (and out unchanged) when it is not mangled. */
bool wt_demangle(const char *name, struct wt_buf *out);

/** Address of the kernel's _stext from kallsyms, 0 when hidden. Load address of the kernel image in loader
 * events. */
uint64_t wt_symbols_kernel_address(const char *kallsyms);

#endif
