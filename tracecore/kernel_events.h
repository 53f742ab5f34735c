/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The events whose payload the recorder itself reads: processes, threads, images, and its own notices.
 *
 * The layouts are those of manifests/kernel_proc_thread.json, kernel_loader.json, pmu_profile.json,
 * counters.json and wtrace.json; a unit test checks that they agree. The perf back end writes them, and the
 * recorder's identity tracker reads them. Strings in these structs point into the payload (get) or to the
 * caller's memory (put); they are counted, not zero-terminated. get returns 0, or -1 (and *ret untouched)
 * when the payload is too short. It ignores bytes after the known fields, because later versions append
 * fields. put cuts strings at 65,535 bytes, or at the bound stated at the field.
 */
#ifndef TRACECORE_KERNEL_EVENTS_H
#define TRACECORE_KERNEL_EVENTS_H

#include <stdbool.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/str.h"

/** Event ids of provider `proc_thread`. Names: process_start, process_stop, process_rundown,
 * process_rundown_end, process_exec, thread_start ... thread_rundown_end, thread_name. */
enum wt_proc_event {
	WT_PROC_START = 1,       /**< fork made a process */
	WT_PROC_STOP = 2,        /**< its last thread ended */
	WT_PROC_RUNDOWN = 3,     /**< was there at start */
	WT_PROC_RUNDOWN_END = 4, /**< is there at stop */
	WT_PROC_EXEC = 5,        /**< a new program in this process, with a new name; the old images no longer
				  * exist */
	WT_THREAD_START = 6,
	WT_THREAD_STOP = 7,
	WT_THREAD_RUNDOWN = 8,
	WT_THREAD_RUNDOWN_END = 9,
	WT_THREAD_NAME = 10, /**< comm changed without exec */
};

/** All proc_thread events share one layout. Unused fields are 0 and empty. Fields in this order:
 *  pid u32, tid u32, parent_pid u32, parent_tid u32, start_time time, uid u32, name string, exe string,
 *  command_line string, caught u8 (map caught), cgroup string, container string, inside_pid u32, exit_code
 *  i32, exit_signal u32. Logs of earlier versions end with command_line. */
struct wt_proc_payload {
	uint32_t pid, tid, parent_pid, parent_tid;
	uint64_t start_time;        /**< session clock, ns; pid + start_time identify a process */
	uint32_t uid;               /**< real uid; UINT32_MAX when unknown */
	struct wt_str name;         /**< comm */
	struct wt_str exe;          /**< path of the program; empty when unknown, and for threads */
	struct wt_str command_line; /**< arguments joined by spaces, at most 4,096 bytes; empty when
				     * unknown, and for threads */
	uint8_t caught;             /**< enum wt_proc_caught: the command line */
	struct wt_str cgroup;       /**< path of the control group; empty when unknown */
	struct wt_str container;    /**< id or name; empty: none, or unknown */
	uint32_t inside_pid;        /**< pid in the process's own pid namespace; 0 unknown */
	bool ended;                 /**< the two below are known */
	int32_t exit_code;          /**< of WT_PROC_STOP; -1 in the event: unknown, or a signal ended the
				     * process */
	uint32_t exit_signal;       /**< of WT_PROC_STOP: 0 none; in the event 0 also means unknown */
};

/** The known part of a process's command line. Stored in log files: append only. */
enum wt_proc_caught { WT_CAUGHT_NO = 0, WT_CAUGHT_WHOLE = 1, WT_CAUGHT_CUT = 2 };

/** The largest size of a command line, bytes. */
#define WT_COMMAND_LINE_MAX 4096u

void wt_proc_put(struct wt_buf *out, const struct wt_proc_payload *payload);
int wt_proc_get(const void *bytes, size_t len, struct wt_proc_payload *ret);

/** Event ids of provider `loader`. Names: image_load, image_rundown, image_rundown_end, image_unload. */
enum wt_loader_event {
	WT_IMAGE_LOAD = 1,
	WT_IMAGE_RUNDOWN = 2,     /**< was mapped at start */
	WT_IMAGE_RUNDOWN_END = 3, /**< is mapped at stop */
	WT_IMAGE_UNLOAD = 4,      /**< of a kernel module or BPF program; perf does not report munmap */
};

/** The kind of a mapping. Stored in log files: append only. */
enum wt_image_kind {
	WT_IMAGE_FILE = 0,   /**< an executable mapping of a file */
	WT_IMAGE_KERNEL = 1, /**< the kernel's text; path "[kernel.kallsyms]" */
	WT_IMAGE_MODULE = 2, /**< a kernel module; path "[name]" */
	WT_IMAGE_VDSO = 3,
	WT_IMAGE_ANON = 4,     /**< executable memory without a file: JIT code. Also private memory of a
				* file, with its path, that its process wrote to, or could write to while
				* executing it */
	WT_IMAGE_KSYMBOL = 5,  /**< one dynamic kernel symbol (BPF program, trampoline); path is the
				* symbol's name */
	WT_IMAGE_LEFT_OUT = 6, /**< not in an event: memory of a process, some of whose mappings were left
				* out (WT_MAPPINGS_MOST) */
	WT_IMAGE_IN_DOUBT = 7, /**< not in an event: memory of a process whose mappings are not known */
};

/** The number of executable mappings that are kept of one process when processes of many users are traced.
 * It does not bound processes of root and of the session's own user. */
#define WT_MAPPINGS_MOST 4096u
/** Path of the image that represents mappings that were left out. */
#define WT_MAPPINGS_LEFT_OUT "[left out]"
/** Path of the image that represents mappings that are in doubt because events were lost. */
#define WT_MAPPINGS_IN_DOUBT "[in doubt]"

/** All loader events share one layout. Fields in this order:
 *  pid u32, tid u32, address pointer, size u64, file_offset u64, kind u8 (map image_kind), device u64, inode
 * u64, build_id binary, path string. */
struct wt_image_payload {
	uint32_t pid, tid;      /**< WT_PID_KERNEL for the kernel's address space */
	uint64_t address;       /**< first byte of the mapping */
	uint64_t size;          /**< bytes */
	uint64_t file_offset;   /**< file offset of the first byte; 0 for kernel kinds */
	uint8_t kind;           /**< enum wt_image_kind */
	uint64_t device;        /**< major << 32 | minor; 0 unknown */
	uint64_t inode;         /**< 0 unknown */
	struct wt_str build_id; /**< raw bytes, at most 20; empty when unknown */
	struct wt_str path;
	uint32_t seen; /**< WT_EVENT_UNSEEN or WT_EVENT_GONE of its event; not in the payload */
};

void wt_image_put(struct wt_buf *out, const struct wt_image_payload *payload);
int wt_image_get(const void *bytes, size_t len, struct wt_image_payload *ret);

/** Event ids of provider `pmu-profile`. Names: sample, unsampled, cpu_time, idle. */
enum wt_profile_event {
	WT_PROFILE_SAMPLE = 1,    /**< fields: source u8 (map sources, filled in per session), period u64 */
	WT_PROFILE_UNSAMPLED = 2, /**< the fields of a sample; a span of CPU time that no sample represents */
	WT_PROFILE_CPU_TIME = 3,  /**< time u64 ns: of a thread that has ended, counted by the kernel */
	WT_PROFILE_IDLE = 4,      /**< on_cpu u32, from time, time u64 ns */
};

/** Event ids of provider `counters`. Names: switch, interval, rest, total. */
enum wt_counters_event {
	WT_COUNTERS_SWITCH = 1, /**< fields: certainty u8 (map certainty), enabled u64 ns, running u64 ns, and
				 * u64 for each counter of the session */
	WT_COUNTERS_INTERVAL = 2, /**< the fields of switch, but two u64 for each counter: since the last
				   * record, and so far */
	WT_COUNTERS_REST = 3,     /**< as switch */
	WT_COUNTERS_TOTAL = 4, /**< counter u8 (map counters, filled in per session), value, enabled, running
				* u64 */
};

/** The certainty of the counts in an event: the first byte of the first three events. Stored in log files:
 * append only. */
enum wt_counts_certainty {
	WT_COUNTS_EXACT = 0,
	WT_COUNTS_OVER_LOSS = 1,   /**< records between the two readings are missing, or may be */
	WT_COUNTS_MULTIPLEXED = 2, /**< the counters did not count all the time */
	WT_COUNTS_REST = 3,        /**< no record was read: the counts that were left when counting ended */
};

/** Event ids of provider `cswitch`. Names: switch, switch_in, waiting, enter, leave. */
enum wt_cswitch_event {
	WT_CSWITCH = 1,         /**< see wt_switch_payload */
	WT_CSWITCH_IN = 2,      /**< new_tid u32, old_tid u32: a switch without its own event */
	WT_CSWITCH_WAITING = 3, /**< see wt_waiting_payload */
	WT_CSWITCH_ENTER = 4,   /**< tid u32: of a thread of which alone it is told */
	WT_CSWITCH_LEAVE = 5,   /**< tid u32, preempted u8: the same */
};

/** Event ids of provider `dispatcher`. Names: ready, ready_new. Fields of both: ready_tid u32, priority i32,
 * target_cpu u32, context u8 (map context). */
enum wt_dispatcher_event {
	WT_READY = 1,
	WT_READY_NEW = 2,
};

/** The state of a thread that leaves a CPU. Stored in log files: append only. */
enum wt_thread_state {
	WT_STATE_RUNNABLE = 0,
	WT_STATE_SLEEPING = 1,
	WT_STATE_UNINTERRUPTIBLE = 2,
	WT_STATE_STOPPED = 3,
	WT_STATE_TRACED = 4,
	WT_STATE_DEAD = 5,
	WT_STATE_ZOMBIE = 6,
	WT_STATE_PARKED = 7,
	WT_STATE_IDLE = 8,
	WT_STATE_NOT_KNOWN = 255,
};

/** What made a thread ready. Stored in log files: append only. */
enum wt_waker_context {
	WT_WAKER_THREAD = 0,
	WT_WAKER_SOFTIRQ = 1,
	WT_WAKER_INTERRUPT = 2,
	WT_WAKER_NMI = 3,
	WT_WAKER_IDLE = 4,
};

/** A context switch. Fields in this order: new_tid u32, old_tid u32, new_priority i32, old_priority i32,
 * old_state u8 (map thread_state), preempted bool. */
struct wt_switch_payload {
	uint32_t new_tid, old_tid; /**< 0: the idle thread */
	int32_t new_priority, old_priority;
	uint8_t old_state; /**< enum wt_thread_state */
	uint8_t preempted; /**< taken off in the kernel, whatever its state */
};

void wt_switch_put(struct wt_buf *out, const struct wt_switch_payload *payload);
/** -1 when the payload is too short. */
int wt_switch_get(const uint8_t *payload, size_t len, struct wt_switch_payload *ret);

/** How far the owner of a lock is known. Stored in log files: append only. */
enum wt_lock_owner_is {
	WT_OWNER_NONE = 0,
	WT_OWNER_HINT = 1, /**< by the C library's notes in a mutex */
	WT_OWNER_WORD = 2, /**< by the word of a futex with priority inheritance */
};

/** A thread that waits when the session begins or ends. */
struct wt_waiting_payload {
	uint32_t tid;
	uint8_t state;          /**< enum wt_thread_state */
	int32_t call;           /**< number of the system call; -1: none */
	struct wt_str function; /**< of the kernel; empty: not known */
	uint64_t lock;          /**< address of the futex for which it waits; 0: for none */
	uint32_t owner;         /**< thread that had the lock when it was read at that time; 0: not known */
	uint8_t owner_is;       /**< enum wt_lock_owner_is */
};

void wt_waiting_put(struct wt_buf *out, const struct wt_waiting_payload *payload);

/** A thread that is made ready. */
struct wt_ready_payload {
	uint32_t ready_tid;
	int32_t priority;
	uint32_t target_cpu;
	uint8_t context; /**< enum wt_waker_context */
};

void wt_ready_put(struct wt_buf *out, const struct wt_ready_payload *payload);

/** Event ids of provider `wtrace`, the recorder's own notices. Names: mark, lost, info, cpu, cost, counted,
 * package. */
enum wt_core_event {
	WT_CORE_MARK = 1,    /**< text string, uid u32 */
	WT_CORE_LOST = 2,    /**< see wt_lost_payload */
	WT_CORE_INFO = 3,    /**< key string, value string: settings in force, facts about the machine and the
			      * session */
	WT_CORE_CPU = 4,     /**< cpu u32, online bool */
	WT_CORE_COST = 5,    /**< the cost of recording in the span: from time, cpu_time u64 ns, events u64,
			      * bytes    u64 */
	WT_CORE_COUNTED = 6, /**< see wt_counted_payload: checks the count of one period-1 event on one CPU */
	WT_CORE_PACKAGE = 7, /**< path string, package string, version string, architecture string, source
			      * string, system string: the origin of a file that lacks something */
};

/** The reason why events are missing. Stored in log files: append only. */
enum wt_loss_cause {
	WT_LOSS_RING_FULL = 1,   /**< the ring was full: the recorder was too slow or stopped */
	WT_LOSS_THROTTLED = 2,   /**< the kernel throttled sampling (perf_event_max_sample_rate) */
	WT_LOSS_DISK = 3,        /**< the log could not be written, or so slowly that a ring overflowed in the
				  * meantime */
	WT_LOSS_DAMAGED = 4,     /**< invalid bytes in the ring, or in a log that was copied */
	WT_LOSS_CPU_OFFLINE = 5, /**< the CPU went offline and came back */
	WT_LOSS_RECORDER_DIED = 6,     /**< nobody was draining */
	WT_LOSS_MEMORY = 7,            /**< the recorder's memory bound was reached */
	WT_LOSS_TOO_LARGE = 8,         /**< larger than the largest record */
	WT_LOSS_NO_LANE = 9,           /**< a thread that needs its own ring got none */
	WT_LOSS_NO_SHARED_MEMORY = 10, /**< a program could not make or map a ring */
	WT_LOSS_OVERWRITTEN = 11,      /**< overwritten by newer events before it was read */
	WT_LOSS_NOT_SAMPLED = 12,      /**< counted by the kernel, but neither sampled nor reported by it
					* as lost */
	WT_LOSS_SHARE = 13,            /**< beyond one user's share of the session */
};

/** The event name of a loss that concerns only thread names and program starts (its provider: proc_thread).
 * After such a loss the known processes and their mappings are still certain. */
#define WT_LOST_NAMES "thread_name or process_exec"

/** A loss or a blind span. Fields in this order: provider string, event string, on_cpu u32, cause u8 (map
 *  loss_cause), count u64, exact bool, from time, to time, ring u32.
 * exact and count > 0: count events were lost. exact false: a blind span; count is a lower bound and may be
 * 0. */
struct wt_lost_payload {
	struct wt_str provider, event; /**< event may be empty: any event of the provider */
	uint32_t on_cpu;               /**< WT_CPU_NONE: all */
	uint8_t cause;                 /**< enum wt_loss_cause */
	uint64_t count;
	uint8_t exact;
	uint64_t from, to; /**< session clock, ns */
	uint32_t ring;     /**< id of the source whose ring counted the loss: a recorder that takes over
			    * continues the count from here. 0: none, the recorder itself had already taken
			    * these events */
};

void wt_lost_put(struct wt_buf *out, const struct wt_lost_payload *payload);
int wt_lost_get(const void *bytes, size_t len, struct wt_lost_payload *ret);

/** The count of the kernel, or of a program's rings, beside the recorder's count, for each event and CPU;
 * written at stop. Fields: provider string, event string, on_cpu u32, produced u64, written u64, lost u64,
 * period1 bool. For period1 events produced == written + lost must hold. For other events, produced counts
 * event units, not samples.
 */
struct wt_counted_payload {
	struct wt_str provider, event;
	uint32_t on_cpu;
	uint64_t produced, written, lost;
	uint8_t period1;
};

void wt_counted_put(struct wt_buf *out, const struct wt_counted_payload *payload);

#endif
