/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads recordings of wtrace: a log, several logs as one trace, a log that still grows, or a running session.
 *
 *     struct wtr_trace *trace;
 *     struct wtr_cursor *cursor;
 *     const struct wtr_event *event;
 *
 *     if (wtr_open("run.etl", &trace) || wtr_cursor_create(trace, &cursor))
 *             fail(wtr_error_text());
 *     while (wtr_next(cursor, &event) == WTR_OK)
 *             printf("%llu %s\n", (unsigned long long)wtr_event_time(event),
 *                    wtr_type_name(wtr_event_type(event)));
 *     wtr_cursor_destroy(cursor);
 *     wtr_close(trace);
 *
 * A **trace** is one or more logs. A **cursor** gives its events sorted by time, over all CPUs and logs. Data
 * outside its selection is left out as early as possible: whole blocks by their headers, and columns that
 * nobody asked for. An **event** is a view into decoded columns: no memory is allocated per event. Everything
 * that an event, a value or a frame points to is valid until the next call that moves its cursor. A **type**
 * describes events of one kind and lives as long as the trace: compare types by pointer, and look fields up
 * once per type.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC_RAW on the recorded machine, the **session clock**.
 * wtr_wall_time converts them to wall time.
 *
 * Files may be cut, damaged or hostile. Every whole block is read. Places that could not be read are counted
 * and named (wtr_damage), and wtr_info says whether the log is complete. An id in a file that names nothing
 * is read as the unknown process, or as no stack.
 *
 * Memory: the tables of the segments that the cursor is in (the recorder closes a segment at about 24 MiB of
 * tables), 64 MiB of decoded events at most, the tables of symbols looked up on this machine (32 MiB), and
 * about 100 bytes per block of the file. Memory does not grow with the number of events read. With several
 * logs the tables add up, and the 64 MiB are shared.
 *
 * Calls that can fail return enum wtr_result. Zero and positive values are not failures. After a negative
 * value wtr_error_text says what failed, on what, and why, for the calling thread. Calls that look at an
 * event, a type or a frame set no text. Result pointers are untouched on failure. `ret` is never NULL.
 *
 * Threads: one thread at a time may use a trace and its cursors. Different traces are independent. Do not
 * call these functions in signal handlers. The library starts no thread and prints nothing.
 *
 * The header needs C11 or C++11, or newer, and Linux on x86-64 or arm64. The ABI is stable: types are opaque,
 * structs carry their size, numbers of enumerators never change, and new enumerators may appear at the end.
 */
#ifndef CONSUMERS_READER_WTRACE_READER_H
#define CONSUMERS_READER_WTRACE_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum wtr_result {
	WTR_OK = 0,
	WTR_END = 1,   /**< there is nothing more */
	WTR_AGAIN = 2, /**< nothing new came within the given time; the trace goes on */

	WTR_ERR_USAGE = -1,      /**< the call is not allowed here, or an argument makes no sense */
	WTR_ERR_NOMEM = -2,      /**< no memory */
	WTR_ERR_SYSTEM = -3,     /**< a system call failed */
	WTR_ERR_PERMISSION = -4, /**< not allowed */
	WTR_ERR_FORMAT = -5,     /**< not a wtrace log */
	WTR_ERR_VERSION = -6,    /**< a log of a newer major version */
	WTR_ERR_LIMIT = -7,      /**< a stated bound was reached */
	WTR_ERR_NOTFOUND = -8,   /**< no such file, session, field, element */
	WTR_ERR_OTHER = -99,     /**< see the text */
	WTR_ERR_TYPE = -100      /**< the field has another type, or the value does not fit the result */
};

/** The reason why this thread's last call failed: one line, never NULL, valid until the thread's next call.
 */
const char *wtr_error_text(void);

/* ---- traces ---- */

struct wtr_trace;

/** Opens a log, even if it is cut or damaged. */
int wtr_open(const char *path, struct wtr_trace **ret);

/** Opens n logs (1 to 1,024) of one machine and one boot as one trace. WTR_ERR_USAGE when the logs are of
 * different machines or boots: their clocks cannot be compared, so they cannot be read together. */
int wtr_open_files(const char *const *paths, size_t n, struct wtr_trace **ret);

/** Opens a log that may still grow. The cursor ends when the log is complete; before that, wtr_next and
 * wtr_wait return WTR_AGAIN when there is nothing new. */
int wtr_open_growing(const char *path, struct wtr_trace **ret);

/** Opens the log of a session that runs, by its name (NULL: "default"), as the user who started it. The
 * cursor gives the session's events from the beginning (wtr_seek skips past events) and ends when the session
 * ends for any reason. It goes on when the session's worker is killed and its keeper takes over. The cursor
 * reads the file that the session writes: it does not communicate with the session and does not slow it down.
 * WTR_ERR_NOTFOUND: no such session runs.
 *
 * A session with --max-file goes on in another file when it drops the oldest part of its log, and the cursor
 * follows it there. The cursor may be so far behind that events were dropped before it read them. wtr_next
 * then returns WTR_ERR_LIMIT once, with the time span in wtr_error_text, and the next call goes on with the
 * oldest event that is left. WTR_ERR_LIMIT is the last result only when the session ends at that moment.
 *
 * Latency: a session writes events to its file within a second (or as its --flush says); the cursor sees them
 * at most 50 ms later. Order: events of one write are sorted by time. A later write may hold events that are
 * older by some milliseconds (from a CPU that stalled). wtr_next gives them as they come. */
int wtr_open_session(const char *name, struct wtr_trace **ret);

/** Destroys the trace and all its types. Its cursors must be destroyed before. NULL is allowed. */
void wtr_close(struct wtr_trace *trace);

/** Facts about a trace. `events` counts the events in blocks whose headers are sound; reading the blocks may
 * find more damage. */
struct wtr_info {
	uint32_t size;       /**< set by the caller: sizeof(struct wtr_info) */
	uint32_t files;      /**< logs */
	uint64_t file_bytes; /**< of all logs */
	uint64_t events;
	uint64_t first_time, last_time; /**< of events; 0 when there are no events */
	uint64_t damages;               /**< places found so far that cannot be read */
	uint32_t segments;
	uint32_t complete; /**< 1: every log was ended cleanly */
};
int wtr_get_info(const struct wtr_trace *trace, struct wtr_info *ret);

/** A fact about the recorded machine: "host", "kernel", "machine", "boot" (id of the boot), "cpus",
 * "page_size". NULL: not known. Lives as long as the trace. */
const char *wtr_fact(struct wtr_trace *trace, const char *key);

/** Converts a session time to nanoseconds since 1970, by the clocks that were read when the first log was
 * begun. */
uint64_t wtr_wall_time(const struct wtr_trace *trace, uint64_t time);

/** A place that cannot be read. */
struct wtr_damage {
	uint32_t size;    /**< set by the caller: sizeof(struct wtr_damage) */
	uint32_t file;    /**< number of the log, in the order they were opened */
	uint64_t offset;  /**< in the log */
	const char *text; /**< what is wrong; valid until the next call on the trace */
};
/** Gives place i of those found so far; WTR_END behind the last one. The first 64 of each log are kept. */
int wtr_get_damage(const struct wtr_trace *trace, size_t i, struct wtr_damage *ret);

/** A loss: events that were produced and are not in the log, or a time span for which the number of events
 * produced is not known. Each loss is also an event of the trace: provider "wtrace", event "lost". */
struct wtr_loss {
	uint32_t size; /**< set by the library: bytes of the struct that it knows */
	uint32_t cpu;  /**< UINT32_MAX: all */
	const char *provider;
	const char *event; /**< "": any of the provider's */
	const char *cause; /**< "ring full", "throttled", ... */
	uint64_t count;    /**< events; a lower bound, maybe 0, when not exact */
	uint32_t exact;    /**< 0: the span is blind time */
	uint32_t reserved;
	uint64_t from, to; /**< the time span */
};
/** Calls fn for every loss, sorted by time, until fn returns a value other than 0. It then returns that
 * value. The strings are valid during the call of fn. The call is not allowed on a trace that has a cursor
 * and still grows. */
int wtr_each_loss(struct wtr_trace *trace, int (*fn)(void *ctx, const struct wtr_loss *loss), void *ctx);

/** The sources of function names. */
enum wtr_symbols {
	WTR_SYMBOLS_LOG = 0,     /**< the log alone */
	WTR_SYMBOLS_MACHINE = 1, /**< the default: names that the log lacks are looked up in this machine's
				  * files whose build ids match, when a frame's name is asked for */
	WTR_SYMBOLS_LINES = 2    /**< names and source lines */
};
/** Call this before the first frame is looked at. */
int wtr_set_symbols(struct wtr_trace *trace, enum wtr_symbols how);

/* ---- cursors ---- */

struct wtr_cursor;
struct wtr_event;

/** Makes a cursor before the first event. A trace may have several cursors, a growing trace only one at a
 * time. */
int wtr_cursor_create(struct wtr_trace *trace, struct wtr_cursor **ret);
void wtr_cursor_destroy(struct wtr_cursor *cursor);

/* Selecting. Make these calls before the first wtr_next, wtr_wait, wtr_each or wtr_seek. Several calls of one
 * function add up. An event is selected when it is of one of the types, on one of the CPUs, and of one of the
 * pids. */

/** Selects an event of a provider, or all of its events when event is NULL. Names are compared without case.
 * Names that never appear select nothing. */
int wtr_select_event(struct wtr_cursor *cursor, const char *provider, const char *event);
/** Selects events with from <= time < to; to 0 means no end. */
int wtr_select_time(struct wtr_cursor *cursor, uint64_t from, uint64_t to);
int wtr_select_cpu(struct wtr_cursor *cursor, uint32_t cpu);
int wtr_select_pid(struct wtr_cursor *cursor, uint32_t pid);
/** Decodes only the fields with these names; for all others the wtr_get functions return WTR_ERR_NOTFOUND. n
 * 0: no field. */
int wtr_select_fields(struct wtr_cursor *cursor, const char *const *names, size_t n);

/** Goes to the first selected event at or after time, forwards or backwards. The next wtr_next gives that
 * event. The selection stays: a time before the selected start leads to that start, and behind the selected
 * end there is nothing. The call costs as much as decoding the blocks around that time. */
int wtr_seek(struct wtr_cursor *cursor, uint64_t time);

/** Gives the next event. WTR_END: there is none. WTR_AGAIN: there is none yet. After a negative result the
 * previous event is no longer valid, and every further call returns the same result until wtr_seek starts
 * again. The trace and its other cursors are not affected. One result is returned once only: WTR_ERR_LIMIT
 * for events that a session with --max-file dropped. */
int wtr_next(struct wtr_cursor *cursor, const struct wtr_event **ret);
/** As wtr_next, but waits for an event for up to timeout_ms (-1: without a limit). */
int wtr_wait(struct wtr_cursor *cursor, int timeout_ms, const struct wtr_event **ret);
/** Calls fn for every event until the trace ends, and then returns 0; or until fn returns a value other than
 * 0, and then returns that value. On a growing trace it waits for new events. fn must not destroy anything or
 * move a cursor. */
int wtr_each(struct wtr_cursor *cursor, int (*fn)(void *ctx, const struct wtr_event *event), void *ctx);

/* ---- events ---- */

struct wtr_type;

uint64_t wtr_event_time(const struct wtr_event *event);
/** -1: none, or several. */
int32_t wtr_event_cpu(const struct wtr_event *event);
uint32_t wtr_event_pid(const struct wtr_event *event);
uint32_t wtr_event_tid(const struct wtr_event *event);
/** The name of the process at the event's time, as the kernel knows it ("?": unknown); the name of the
 * thread; and the path of the program, which may be "". Never NULL. */
const char *wtr_event_process(const struct wtr_event *event);
const char *wtr_event_thread(const struct wtr_event *event);
const char *wtr_event_exe(const struct wtr_event *event);
/** The time when the process began, session clock; 0: unknown. Pid and this time identify a process. */
uint64_t wtr_event_process_start(const struct wtr_event *event);
/** 1: the recorder itself caused the event. */
int wtr_event_is_recorder(const struct wtr_event *event);
/** 1: process and thread are claims of a program that runs as another user than the recorder. */
int wtr_event_is_claimed(const struct wtr_event *event);
/** 16 bytes: the id of the activity that the event belongs to, and the id of the activity from which that one
 * was started. NULL: none. */
const uint8_t *wtr_event_activity(const struct wtr_event *event);
const uint8_t *wtr_event_related(const struct wtr_event *event);
/** The number of the event's log, in the order the logs were opened. */
uint32_t wtr_event_file(const struct wtr_event *event);
const struct wtr_type *wtr_event_type(const struct wtr_event *event);

/* ---- types and their fields ---- */

/* Strings are never NULL; a string that is absent is "". When two logs, or two programs, describe an event in
 * different ways, there are two types with one name. */
const char *wtr_type_provider(const struct wtr_type *type);
const char *wtr_type_name(const struct wtr_type *type);
const char *wtr_type_help(const struct wtr_type *type);
uint32_t wtr_type_id(const struct wtr_type *type);
uint32_t wtr_type_version(const struct wtr_type *type);
uint32_t wtr_type_level(const struct wtr_type *type);
const char *wtr_type_level_name(const struct wtr_type *type);
uint32_t wtr_type_opcode(const struct wtr_type *type);
uint64_t wtr_type_keywords(const struct wtr_type *type);
/** The 16 bytes of the provider's GUID, in the order in which they are printed. */
const uint8_t *wtr_type_guid(const struct wtr_type *type);

uint32_t wtr_type_n_fields(const struct wtr_type *type);
/** The number of the field with that name, or -1. When no field matches exactly, upper and lower case are not
 * distinguished. */
int wtr_type_field(const struct wtr_type *type, const char *name);

/** Field types, with the numbers of wtrace.h. */
enum wtr_field_type {
	WTR_TYPE_NONE = 0, /**< no such field */
	WTR_TYPE_U8 = 1,
	WTR_TYPE_U16 = 2,
	WTR_TYPE_U32 = 3,
	WTR_TYPE_U64 = 4,
	WTR_TYPE_I8 = 5,
	WTR_TYPE_I16 = 6,
	WTR_TYPE_I32 = 7,
	WTR_TYPE_I64 = 8,
	WTR_TYPE_F32 = 9,
	WTR_TYPE_F64 = 10,
	WTR_TYPE_BOOL = 11,
	WTR_TYPE_POINTER = 12,
	WTR_TYPE_TIME = 13, /**< session time, ns; 0: none */
	WTR_TYPE_STRING = 14,
	WTR_TYPE_BINARY = 15,
	WTR_TYPE_UUID = 16,
	WTR_TYPE_IPV4 = 17, /**< 4 bytes in network order */
	WTR_TYPE_IPV6 = 18,
	WTR_TYPE_SOCKADDR = 19 /**< bytes of a struct sockaddr */
};

/* A field number out of range gives "", WTR_TYPE_NONE, 0. */
const char *wtr_field_name(const struct wtr_type *type, uint32_t field);
enum wtr_field_type wtr_field_type(const struct wtr_type *type, uint32_t field);
/** "u32", "string"... */
const char *wtr_field_type_name(const struct wtr_type *type, uint32_t field);
int wtr_field_is_array(const struct wtr_type *type, uint32_t field);
/** "ns", "bytes"... */
const char *wtr_field_unit(const struct wtr_type *type, uint32_t field);
const char *wtr_field_help(const struct wtr_type *type, uint32_t field);
/** The best base for showing a number: 10, 16 or 8. */
int wtr_field_radix(const struct wtr_type *type, uint32_t field);
/** Name of the field's map of values; "": it has none. */
const char *wtr_field_map(const struct wtr_type *type, uint32_t field);
/** 1: the values of the map are bits, and a field may have several of them. */
int wtr_field_is_bitmap(const struct wtr_type *type, uint32_t field);
/** The map's name for a value, or for a single bit of a bitmap; NULL: there is none. */
const char *wtr_field_value_name(const struct wtr_type *type, uint32_t field, uint64_t value);

/* ---- values ---- */

/* Values are found by the number of their field. WTR_ERR_NOTFOUND: there is no such field or element, or it
 * was not selected. Arrays have elements, counted from 0; a scalar has one element. */

/** Integers, BOOL, POINTER, TIME that are not negative. */
int wtr_get_u64(const struct wtr_event *event, uint32_t field, uint64_t *ret);
/** Integers, BOOL, POINTER, TIME up to INT64_MAX, negative ones too. */
int wtr_get_i64(const struct wtr_event *event, uint32_t field, int64_t *ret);
/** F32, F64, and all integers (rounded). */
int wtr_get_double(const struct wtr_event *event, uint32_t field, double *ret);
/** STRING: UTF-8 as the program wrote it, not checked and not zero-terminated. */
int wtr_get_string(const struct wtr_event *event, uint32_t field, const char **ret, size_t *len);
/** STRING, BINARY, UUID, addresses: their bytes. Arrays: the elements, without padding, little-endian. */
int wtr_get_bytes(const struct wtr_event *event, uint32_t field, const uint8_t **ret, size_t *len);

/** Number of elements. */
int wtr_get_count(const struct wtr_event *event, uint32_t field, uint32_t *ret);
int wtr_get_element_u64(const struct wtr_event *event, uint32_t field, uint32_t i, uint64_t *ret);
int wtr_get_element_i64(const struct wtr_event *event, uint32_t field, uint32_t i, int64_t *ret);
int wtr_get_element_double(const struct wtr_event *event, uint32_t field, uint32_t i, double *ret);
int wtr_get_element_bytes(const struct wtr_event *event, uint32_t field, uint32_t i, const uint8_t **ret,
			  size_t *len);

/** Any field as text for people, as `wtrace dump` shows it: maps by name, devices as major:minor, control
 * characters escaped. TIME: session time as a number. Ends with a zero; valid until the next wtr_get_text or
 * wtr_get_json of the cursor. */
int wtr_get_text(const struct wtr_event *event, uint32_t field, const char **ret);
/** Any field as JSON: numbers as numbers, maps as strings (bitmaps as an array of strings), bytes in hex. */
int wtr_get_json(const struct wtr_event *event, uint32_t field, const char **ret);

/* ---- stacks ---- */

/** How far a stack can be trusted. */
enum wtr_stack_status {
	WTR_STACK_NONE = 0,       /**< no stack was asked for; a sample then has its one address */
	WTR_STACK_FP = 1,         /**< walked by frame pointers until they ended; frames may be missing */
	WTR_STACK_COMPLETE = 2,   /**< to the root of the thread */
	WTR_STACK_TRUNCATED = 3,  /**< cut at the depth limit of the kernel's walker */
	WTR_STACK_NO_USER = 4,    /**< the user part was not available */
	WTR_STACK_LOST = 5,       /**< dropped for want of memory */
	WTR_STACK_ASTRAY = 6,     /**< cut where code has no frame pointers */
	WTR_STACK_PROBABLE = 7,   /**< to the root, with callers that were read later or come from the stack
				   * before: probable, not proved */
	WTR_STACK_NO_DATA = 8,    /**< no unwind data for the outermost frame's code */
	WTR_STACK_BAD_MEMORY = 9, /**< the outermost frame's data led to no stack */
	WTR_STACK_DEPTH = 10,     /**< cut at the depth limit of unwind tables */
	WTR_STACK_RECURSION = 11, /**< cut at that depth limit, within a recursion */
	WTR_STACK_SHORT = 12,     /**< the copy of the stack ended */
	WTR_STACK_COMPLETED = 13, /**< to the root; all of it was read at the moment of the sample */
	WTR_STACK_WAITED = 14     /**< to the root; some of it was read later, while the thread still waited:
				   * true unless somebody else wrote into its stack */
};

struct wtr_frame;

/** Frames of the event's stack, at most 2,048; 0: it has none. */
uint32_t wtr_stack_depth(const struct wtr_event *event);
enum wtr_stack_status wtr_stack_status(const struct wtr_event *event);
/** The status in words; "of a newer version" for a status that this library does not know. */
const char *wtr_stack_status_name(enum wtr_stack_status status);
/** Frame i, the innermost is 0; NULL: there is none, or no memory. */
const struct wtr_frame *wtr_stack_frame(const struct wtr_event *event, uint32_t i);

/** 1: kernel code. */
int wtr_frame_is_kernel(const struct wtr_frame *frame);
/** The image: its path, or a name in brackets: [kernel], [vdso], [anon], [unknown]... Never NULL. */
const char *wtr_frame_module(const struct wtr_frame *frame);
/** The place in the image. For a file it is the offset in the file; for the kernel and its modules it is the
 * distance from their load address; when no image is known it is the address itself. In a caller it lies
 * within the call instruction. */
uint64_t wtr_frame_offset(const struct wtr_frame *frame);
/** The image's build id: *ret points to its bytes, and the result is their number; 0: unknown. */
size_t wtr_frame_build_id(const struct wtr_frame *frame, const uint8_t **ret);
/** The name of the function, demangled; NULL: not resolved, and wtr_frame_reason gives the reason. */
const char *wtr_frame_function(const struct wtr_frame *frame);
/** The name of the function as in the symbol table. */
const char *wtr_frame_symbol(const struct wtr_frame *frame);
/** Bytes from the start of the function. */
uint32_t wtr_frame_function_offset(const struct wtr_frame *frame);
/** The source file and line; NULL and 0: unknown. */
const char *wtr_frame_file(const struct wtr_frame *frame);
uint32_t wtr_frame_line(const struct wtr_frame *frame);
/** The number of functions that the compiler inlined at the frame's place, at most 64; 0: none, or not known.
 * They come from the log, or from this machine's files when the function's name does. They are not frames of
 * the stack: all of them were inlined into wtr_frame_function. If there are any, wtr_frame_file and
 * wtr_frame_line give the place of the innermost one's code. */
uint32_t wtr_frame_n_inlined(const struct wtr_frame *frame);
/** Inlined function i, the innermost is 0; "": without a name; NULL: there is none. */
const char *wtr_frame_inlined_function(const struct wtr_frame *frame, uint32_t i);
/** The place where inlined function i was called, in the next function outwards; NULL and 0: unknown. */
const char *wtr_frame_inlined_call_file(const struct wtr_frame *frame, uint32_t i);
uint32_t wtr_frame_inlined_call_line(const struct wtr_frame *frame, uint32_t i);
/** The reason why there is no function name, in words; "resolved" when there is one. */
const char *wtr_frame_reason(const struct wtr_frame *frame);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
