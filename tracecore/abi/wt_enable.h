/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * @file
 * The files of the rendezvous: session rows, rules, enable files, state files. tracecore/enable/ENABLE.md
 * is the protocol: it defines the writer of each word, the order of the writes, and the fences.
 *
 * Everything is little-endian and 8-byte aligned. Words that one process writes while others read them are
 * naturally aligned. A reader that must be safe makes a copy first and checks the copy.
 */
#ifndef TRACECORE_ABI_WT_ENABLE_H
#define TRACECORE_ABI_WT_ENABLE_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

/** Sessions that one provider can serve at once: bits of an enable byte. */
#define WT_ABI_SLOTS 8u
/** The first of root's slots in other users' directories. The user's own sessions there have the slots
 * below it. */
#define WT_ABI_ROOT_SLOT 6u

/** Bytes for names, with their terminating zero. */
#define WT_ABI_SESSION_NAME   72
#define WT_ABI_RINGS_NAME     96
#define WT_ABI_LOCK_DIRECTORY 240

#define WT_ABI_SESSIONS_MAGIC  UINT64_C(0x0031737372737477) /* "wtsrss1" */
#define WT_ABI_ENABLE_MAGIC    UINT64_C(0x00316c626e657477) /* "wtenbl1" */
#define WT_ABI_RULES_MAGIC     UINT64_C(0x00316c7572657477) /* "wterul1" */
#define WT_ABI_PROCESSES_MAGIC UINT64_C(0x0031737270727477) /* "wtrprs1" */
#define WT_ABI_STATE_MAGIC     UINT64_C(0x0031747461747377) /* "wstatt1" */

/** A session as programs see it. Only the slot's session writes it. */
struct wt_abi_row {
	/** life << 32 | rules; 0: no session. Each session has another life, and no life is used twice in
	 * this file. rules is the number in the name of the rules file; 0: no rules yet. Written last. */
	uint64_t stamp;
	uint32_t block_bytes, max_blocks; /**< struct wt_ring_spec */
	uint8_t zero, per_process, counter, reserved[5];
	uint32_t pid; /**< who published, for messages only */
	uint32_t reserved2;
	char session[WT_ABI_SESSION_NAME]; /**< zero-ended, as every name here */
	char rings[WT_ABI_RINGS_NAME];     /**< the ring directory's name below the user's directory */
	char lock_directory[WT_ABI_LOCK_DIRECTORY]; /**< directory of SESSION.lock when it is not beside
						     * this file */
	uint8_t reserved3[72];
};

/** The file `sessions`. */
struct wt_abi_sessions {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;     /**< sizeof(struct wt_abi_sessions) */
	uint32_t providers; /**< provider numbers given so far; atomic add by the maker of an enable file */
	uint32_t lives;     /**< lives given so far; written under the file's flock */
	uint32_t tables;    /**< changes when unwind tables have been published; 0: never yet */
	uint32_t changes;   /**< counts changes of enable bytes; atomic add by the process that made the
			     * change; a futex */
	uint8_t reserved[32];
	struct wt_abi_row rows[WT_ABI_SLOTS];
};

/** A rules file: this header, then n_rules times struct wt_abi_rule, each with the parts it announces. The
 * file never changes. */
struct wt_abi_rules {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes; /**< of the whole file, at most WT_ABI_RULES_MAX */
	uint32_t n_rules;
	uint32_t checksum; /**< wt_enable_checksum of everything after the header */
};
#define WT_ABI_RULES_MAX (1u << 20)

enum wt_abi_rule_flag {
	WT_ABI_RULE_STACK = 1,   /**< every event with a stack */
	WT_ABI_RULE_IDS_OUT = 2, /**< the ids are left out */
};

/** One rule. The parts that follow it, in this order: u32 pids[n_pids], u16 ids[n_ids], u16
 * stack_ids[n_stack_ids], the texts of provider, exe and names without zeros, zeros up to a multiple of 8. */
struct wt_abi_rule {
	uint32_t bytes; /**< of the rule with all parts that follow it */
	uint8_t level, flags, n_ids, n_stack_ids;
	uint64_t any, all;
	uint16_t provider_len, exe_len, names_len;
	uint8_t n_pids, reserved;
};

/** Most of each in a rule. */
#define WT_ABI_RULE_PIDS 8u
#define WT_ABI_RULE_IDS  64u
#define WT_ABI_RULE_TEXT 4096u

/** An enable file: this page, then, at the offsets in it: enable bytes, stack bytes, processes, events,
 * names, manifest. The layout follows from n_events, names_len and manifest_len alone (enable_file.h). */
struct wt_abi_enable {
	uint64_t magic;
	uint32_t version;
	uint32_t number; /**< the provider's number in this directory, from 1 */
	uint64_t bytes;  /**< of the whole file */
	uint64_t hash;   /**< of the manifest's text; also in the file's name */
	uint32_t n_events, names_len;
	uint32_t manifest_len, name_len;
	char name[256]; /**< the provider's, zero-ended */
	uint8_t reserved[16];
	/** Counts of registrants: begun counts those that started to write bytes, done those that then
	 * found the rows unchanged. A session checks its bits again when the two differ, or have grown
	 * since it last looked. */
	uint32_t begun, done;
	uint8_t reserved2[56];
	/** By slot: events that a session wanted and that programs could count nowhere else, since the slot
	 * was last taken. Programs add, controllers read. */
	uint64_t missed[WT_ABI_SLOTS];
};

/** One event in an enable file. */
struct wt_abi_event {
	uint64_t keywords;
	uint32_t name; /**< where its name starts in the names; zero-ended */
	uint16_t id;
	uint8_t level, reserved;
};

/** Processes in an enable file: 0 free, else moment << 32 | pid. The moment is the low half of the time of
 * registration, in the units of field 22 of /proc/PID/stat (hundredths of a second since boot). A process
 * that has this pid and started later is another process. */
#define WT_ABI_PROCESSES 1024u
/** Bounds of an enable file. */
#define WT_ABI_EVENTS_MAX   65535u
#define WT_ABI_MANIFEST_MAX (16u << 20)
#define WT_ABI_BYTES_OFFSET 4096u

/** The file `processes`: the processes that have registered in this directory, and the standing of each. */
struct wt_abi_processes {
	uint64_t magic;
	uint32_t version;
	uint32_t n; /**< entries that follow: WT_ABI_PROCESS_ENTRIES */
	uint8_t reserved[48];
};

struct wt_abi_process {
	uint64_t process; /**< as in an enable file; 0: free */
	/** Written by processes: inode of the process's pid namespace, low half | filters << 32 | low 16
	 * bits of the process's moment << 48. The moment shows that the facts belong to this process.
	 * filters: the system call filters that existed when it registered; 0xffff: not known. */
	uint64_t facts;
	uint64_t standing; /**< written by sessions: tag of process << 8 | bits (tracecore/ring/standing.h) */
	uint64_t reserved;
};
#define WT_ABI_PROCESS_ENTRIES 2046u
#define WT_ABI_FILTERS_UNKNOWN 0xffffu

/** A state file, one per process: this header, then entries up to used. */
struct wt_abi_state {
	uint64_t magic;
	uint32_t version;
	uint32_t pid;
	uint64_t start; /**< field 22 of /proc/PID/stat */
	uint32_t used;  /**< bytes of the header and the entries; written last when an entry is added */
	uint32_t reserved;
};

/** One record of the state area. Two halves of room bytes follow. The low bit of commit selects the valid
 * half. */
struct wt_abi_state_entry {
	uint64_t commit; /**< 0: no record; else it grows with every set in the file */
	uint32_t provider;
	uint16_t event, reserved;
	uint64_t key;
	uint32_t room; /**< bytes of one half with its head; a multiple of 8 */
	uint32_t reserved2;
};

/** Head of a half; len bytes follow. */
struct wt_abi_state_half {
	uint64_t commit; /**< equals the entry's when the half is whole */
	uint32_t len;
	uint32_t checksum; /**< of provider, event, key, commit, len and the bytes (state_check.h) */
};

/** A state file's size (sparse), and the longest record. */
#define WT_ABI_STATE_BYTES  (1u << 20)
#define WT_ABI_STATE_RECORD 16384u

#define WT_ABI_ENABLE_VERSION 1u

#ifndef __KERNEL__
static_assert(sizeof(struct wt_abi_row) == 512, "session row");
static_assert(offsetof(struct wt_abi_row, block_bytes) == 8, "session row");
static_assert(offsetof(struct wt_abi_row, session) == 32, "session row");
static_assert(offsetof(struct wt_abi_row, rings) == 104, "session row");
static_assert(offsetof(struct wt_abi_row, lock_directory) == 200, "session row");
static_assert(sizeof(struct wt_abi_sessions) == 64 + 8 * 512, "sessions file");
static_assert(offsetof(struct wt_abi_sessions, tables) == 24, "sessions file");
static_assert(offsetof(struct wt_abi_sessions, changes) == 28, "sessions file");
static_assert(offsetof(struct wt_abi_sessions, rows) == 64, "sessions file");
static_assert(sizeof(struct wt_abi_rules) == 24, "rules file");
static_assert(sizeof(struct wt_abi_rule) == 32, "rule");
static_assert(sizeof(struct wt_abi_enable) == 448, "enable file");
static_assert(offsetof(struct wt_abi_enable, name) == 48, "enable file");
static_assert(offsetof(struct wt_abi_enable, begun) == 320, "enable file");
static_assert(offsetof(struct wt_abi_enable, missed) == 384, "enable file");
static_assert(sizeof(struct wt_abi_event) == 16, "event");
static_assert(sizeof(struct wt_abi_processes) == 64, "processes file");
static_assert(sizeof(struct wt_abi_process) == 32, "process");
static_assert(sizeof(struct wt_abi_state) == 32, "state file");
static_assert(sizeof(struct wt_abi_state_entry) == 32, "state entry");
static_assert(sizeof(struct wt_abi_state_half) == 16, "state half");
#endif

#endif
