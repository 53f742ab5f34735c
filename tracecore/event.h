/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One event on its way from a provider to the log, and the kinds of event a session can see.
 *
 * A **kind** is a small number that stands for (provider, event) within a session and its log file, so events
 * carry only the number. The table of kinds grows when a new provider appears while a session runs. A
 * kind's row is there before its first event, and its content never changes.
 */
#ifndef TRACECORE_EVENT_H
#define TRACECORE_EVENT_H

#include <string.h>

#include "tracecore/schema/schema.h"

/** No CPU known, or several. */
#define WT_CPU_NONE UINT32_MAX
/** The kernel's own address space in loader events. */
#define WT_PID_KERNEL UINT32_MAX

/** The reliability of a stack. Stored in log files: append only. */
enum wt_stack_status {
	WT_STACK_NONE = 0,       /**< no stack was asked for; a sample then has one address, that of its
				  * instruction */
	WT_STACK_FP = 1,         /**< walked by frame pointers to where they ended; frames may be missing
				  * without a sign */
	WT_STACK_COMPLETE = 2,   /**< reached the thread's root */
	WT_STACK_TRUNCATED = 3,  /**< cut at the depth limit of the walker */
	WT_STACK_NO_USER = 4,    /**< the user half was not available (kernel thread, exiting task, an exec
				  * under way, not permitted) */
	WT_STACK_LOST = 5,       /**< the stack had to be dropped (no memory) */
	WT_STACK_ASTRAY = 6,     /**< walked by frame pointers until one led outside all code: the code does
				  * not keep frame pointers there, and callers are missing */
	WT_STACK_PROBABLE = 7,   /**< the copy of the stack ended too soon; the callers after its end were
				  * read later from the thread, or are those of the thread's previous
				  * stack: probable, not proved */
	WT_STACK_NO_DATA = 8,    /**< the walk has no data for the code of the outermost frame; that frame
				  * names the module */
	WT_STACK_BAD_MEMORY = 9, /**< the data for the outermost frame led to memory that is no stack */
	WT_STACK_DEPTH = 10,     /**< walked by tables; the depth limit came before the root */
	WT_STACK_RECURSION = 11, /**< walked by tables; cut at the depth limit, and the frames that were
				  * cut repeat themselves */
	WT_STACK_SHORT = 12,     /**< the copy of the stack ended before the root */
	WT_STACK_COMPLETED = 13, /**< reached the thread's root; words past the kernel's copy were read in
				  * the sample's own context */
	WT_STACK_WAITED = 14,    /**< reached the thread's root; words past the kernel's copy lay in its stack
				  * later in the same wait: true unless somebody else wrote there */
};
#define WT_STACK_LAST WT_STACK_WAITED

/** True when every caller in the stack was read at the moment of the sample. */
static inline bool wt_stack_is_proved(uint8_t status)
{
	return status == WT_STACK_COMPLETE || status == WT_STACK_COMPLETED;
}

/** True for the status of a walk by tables: every frame is a caller, and none is doubtful. */
static inline bool wt_stack_by_tables(uint8_t status)
{
	return status == WT_STACK_COMPLETE || status >= WT_STACK_PROBABLE;
}

/** A piece of a stack. */
struct wt_stack_part {
	uint64_t at; /**< address of the first byte */
	const uint8_t *bytes;
	uint32_t size;
};

/** Whether a thread's stacks are deeper than the kernel's copy. A value between DEEP and WHOLE counts how
 * often the additional copy was not needed. */
enum wt_stack_mark {
	WT_STACK_MARK_NONE = 0,    /**< not known */
	WT_STACK_MARK_DEEP = 1,    /**< one was cut */
	WT_STACK_MARK_WHOLE = 255, /**< no additional copy is needed, until a stack is cut */
};

/** The data that are needed to walk a user stack elsewhere: the registers at the moment of the interrupt,
 * and a copy of the stack from the stack pointer on. */
struct wt_stack_dump {
	uint8_t machine; /**< enum wt_abi_unwind_machine; 0: a 32-bit program, for which no table exists */
	bool cut;        /**< the copy has the largest size: the stack may continue after it */
	bool waited;     /**< the bytes were read while the thread waited in a system call */
	bool place;      /**< pc and stack pointer alone are known of its registers */
	bool changing;   /**< the kernel was about to change the registers: they prove nothing */
	uint32_t size;   /**< bytes of the copy; 0: none could be read */
	uint64_t pc;
	uint64_t r[32];       /**< by DWARF number: x86-64 0 to 15 (7 rsp), arm64 0 to 30, 31 sp */
	const uint8_t *bytes; /**< the memory at the stack pointer */
	/** Other parts, read in the sample's own context, by rising address, not overlapping. They may
	 * repeat bytes of `bytes`. The bytes between the parts could not be read. */
	const struct wt_stack_part *parts;
	uint32_t n_parts;
	/** NULL, or the mark (enum wt_stack_mark) that decides how much of the thread's next stack is
	 * copied. The walk writes it. */
	uint8_t *mark;
};

/** Addresses in the order of the walk, innermost first: n_kernel kernel frames, then n_user user frames. */
struct wt_raw_stack {
	const uint64_t *pc;
	uint16_t n_kernel;
	uint16_t n_user;
	uint8_t status; /**< enum wt_stack_status */
	/** Bit i % 64 of word i / 64: user frame i is an interrupted instruction, not a return address.
	 * NULL: only the first frame is one. */
	const uint64_t *exact;
	/** NULL: the stack is walked. Otherwise n_user is 0 and the user part must still be walked. */
	const struct wt_stack_dump *dump;
};

enum wt_event_flags {
	WT_EVENT_SELF = 1,      /**< caused by the recorder itself */
	WT_EVENT_CLAIMED = 4,   /**< pid and tid are claims of another user's program */
	WT_EVENT_QUIET = 2,     /**< for the recorder's state only, not written to the log */
	WT_EVENT_UNSEEN = 8,    /**< a mapping of a file: it was not checked that it has the file's bytes */
	WT_EVENT_GONE = 16,     /**< a mapping of a file: it cannot be checked; its process has ended, or may
				 * not be examined */
	WT_EVENT_WRITABLE = 32, /**< the recorder's state only: private memory of a file that may be written
				 * to from now on. With image_load's payload; on a loss: such events were
				 * lost. An image of kind WT_IMAGE_ANON: somebody writes to what is there,
				 * whatever the rights */
	WT_EVENT_MOVED = 64,    /**< the recorder's state only: private memory of a file is moved from there.
				 * With image_load's payload */
};

/** Bytes of an activity id. The events of one piece of work carry one id, whichever threads write them. */
#define WT_ACTIVITY_ID 16

/** An id of zeroes stands for none. */
static inline bool wt_activity_is_none(const uint8_t id[WT_ACTIVITY_ID])
{
	static const uint8_t none[WT_ACTIVITY_ID];

	return !memcmp(id, none, WT_ACTIVITY_ID);
}

/** An event. It belongs to its source; payload, stack and ids stay valid until the source is asked for the
 * next event. */
struct wt_event {
	uint64_t time; /**< session clock, ns */
	uint32_t kind;
	uint32_t cpu; /**< WT_CPU_NONE when it has none */
	uint32_t pid; /**< thread group id in the recorder's pid namespace; 0 idle */
	uint32_t tid;
	uint32_t flags; /**< enum wt_event_flags */
	/** 0: pid and tid come from the kernel. Otherwise they are a claim of a program of user claimer -
	 * 1. */
	uint32_t claimer;
	uint32_t payload_len;
	const uint8_t *payload;  /**< packed by the kind's schema */
	const uint8_t *activity; /**< WT_ACTIVITY_ID bytes; NULL: none */
	const uint8_t *related;  /**< of the activity that started this one; NULL: none */
	struct wt_raw_stack stack;
};

/** The kinds of a session: kind k is kinds[k]. When a provider is added, the array may move, but not the
 * objects that its rows point to. So keep numbers or the pointers in a row, never a pointer to a row. One
 * thread. */
struct wt_kinds {
	struct wt_kind {
		const struct wt_provider *provider;
		const struct wt_event_desc *event;
	} * kinds;
	uint32_t n;
	struct wt_provider **providers; /**< owned; in the order they were added */
	uint32_t n_providers;
};

/** Adds all events of the provider, which then belongs to the table; *first is the kind of its first event.
 * On failure (a provider of that name exists, no memory) the caller keeps the provider. */
int wt_kinds_add(struct wt_kinds *kinds, struct wt_provider *provider, uint32_t *first, struct wt_err *err);
/** As wt_kinds_add, but several providers may have one name: programs that were built with different
 * manifests of one provider may run side by side. */
int wt_kinds_append(struct wt_kinds *kinds, struct wt_provider *provider, uint32_t *first,
		    struct wt_err *err);
/** Returns the kind of an event by names (compared without case), or WT_KIND_NONE. */
uint32_t wt_kinds_find(const struct wt_kinds *kinds, const char *provider, const char *event);
#define WT_KIND_NONE UINT32_MAX
void wt_kinds_deinit(struct wt_kinds *kinds);

#endif
