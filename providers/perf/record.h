/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One perf record, from the kernel's bytes to a plain struct.
 *
 * Everything is read through a cursor; the bytes are a private copy. Pointers in the result point into them.
 * All events are opened with sample_id_all and the same id fields, so every record but a sample ends in the
 * same trailer {pid, tid, time, cpu, id}.
 */
#ifndef PROVIDERS_PERF_RECORD_H
#define PROVIDERS_PERF_RECORD_H

#include "providers/perf/bpf/moves.h"
#include "tracecore/base/intern.h"
#include "tracecore/kernel_events.h"

/** Slot of the dummy event that carries the sideband. */
#define WT_PERF_SLOT_SIDEBAND (UINT32_MAX - 1)
/** Slot of the event that reports the inodes of mapped files: the kernel's records have either the build id
 * or these. */
#define WT_PERF_SLOT_INODES (UINT32_MAX - 2)
/** Slot of the event "bpf-output", to which the program on sampling events writes (bpf/sample.h). */
#define WT_PERF_SLOT_COPY (UINT32_MAX - 3)
/** Slot of the event that reports the names of threads, and programs that begin. */
#define WT_PERF_SLOT_NAMES (UINT32_MAX - 4)
/** Slot of the counters of a group, which write no records (counts_group.h). */
#define WT_PERF_SLOT_COUNTER (UINT32_MAX - 5)
/** Slot of the event that reports switches (scheduler.h). */
#define WT_PERF_SLOT_SWITCHES (UINT32_MAX - 6)
/** Slot of the event that reports writable memory of files (writes.h). */
#define WT_PERF_SLOT_WRITES (UINT32_MAX - 7)
/** Slot of the event that reports moved memory (moves.h). */
#define WT_PERF_SLOT_MOVES (UINT32_MAX - 8)
#define WT_PERF_SLOT_NONE  UINT32_MAX

/** perf_event_attr.sample_type of every event; stacks and tracepoints add to it. */
#define WT_PERF_SAMPLE_TYPE                                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD)

/** A power of two. */
#define WT_PERF_DIRECT 64

/** Maps the kernel's event ids to slots (the session's numbering of requested events) and the contents of a
 * sample of each. A zeroed table is empty. */
struct wt_perf_ids {
	struct wt_intern ids;
	struct wt_perf_id {
		uint32_t slot;
		bool chain;     /**< samples hold a call chain */
		bool raw;       /**< samples hold the tracepoint's bytes */
		bool idle;      /**< ... or those of bpf/idle_points.h */
		uint8_t n_regs; /**< number of user registers in samples, with a copy of the stack; 0: neither
				 */
		uint8_t n_read; /**< words for each of a group's events in samples; 0: samples have no counts
				   of a group */
	} * entries;            /**< by interned id; owned */
	uint32_t cap;
	struct wt_perf_direct {
		uint64_t id;
		uint32_t at;      /**< in entries, plus 1; 0: free */
	} direct[WT_PERF_DIRECT]; /**< by the id's last bits, because the kernel numbers events consecutively
				   */
};

/** -1 when memory is out. */
int wt_perf_ids_add(struct wt_perf_ids *ids, uint64_t id, struct wt_perf_id entry);
void wt_perf_ids_deinit(struct wt_perf_ids *ids);

struct wt_perf_record {
	uint32_t type; /**< PERF_RECORD_*; for an unknown type only this and misc are set */
	uint16_t misc;
	uint32_t pid, tid; /**< of the thread that caused the record; UINT32_MAX while it exits */
	uint32_t cpu;
	uint64_t time; /**< CLOCK_MONOTONIC_RAW, ns */
	uint32_t slot; /**< by the id in the record; WT_PERF_SLOT_NONE when the event is not ours */
	union {
		struct {
			uint64_t ip, period;
			const uint8_t *read; /**< of a group: times, then n_read events of read_words words
						each (counts_chain.h); NULL: of no group */
			uint32_t n_read;
			uint8_t read_words;
			const uint8_t *chain; /**< n_chain 64-bit words with context markers */
			uint64_t n_chain;
			const uint8_t *raw;
			uint32_t raw_len;
			bool idle;            /**< raw is of bpf/idle_points.h */
			uint32_t stack_len;   /**< bytes of the stack that could be read */
			uint32_t stack_asked; /**< bytes requested: all there are, or the limit */
			uint8_t abi; /**< of the registers: PERF_SAMPLE_REGS_ABI_*; NONE: no user half */
			bool user;   /**< registers and stack were requested */
			const uint8_t *regs;  /**< words in the kernel's order; NULL with NONE */
			const uint8_t *stack; /**< at the stack pointer; NULL when stack_asked is 0 */
		} sample;
		struct {
			uint32_t pid, tid;
			uint64_t address, size, file_offset, device,
				inode;          /**< device and inode are 0 with a build id */
			uint32_t prot;          /**< PROT_*; PROT_EXEC for the older record without it */
			bool shared;            /**< shared mapping: writes to it go to the file */
			struct wt_str build_id; /**< empty unless the kernel read it */
			struct wt_str path;
		} map;
		struct {
			uint32_t pid, tid;
			struct wt_str name;
		} comm;
		struct {
			uint32_t pid, parent_pid, tid, parent_tid;
		} task;
		struct {
			uint32_t pid, tid; /**< of the thread before; UINT32_MAX when it has ended */
		} other;                   /**< of a switch: the record is the new thread's */
		struct {
			uint64_t count;
		} lost;
		struct {
			uint32_t pid, tid;
			uint64_t value;
		} read; /**< of a thread that ends */
		struct {
			uint64_t address;
			uint32_t size;
			bool gone;
			struct wt_str name;
		} symbol;
	};
};

/** Parses a record. bytes: the whole record with its header. Returns 0; -1 when the bytes are not a record of
 * their type. */
int wt_perf_record_parse(const struct wt_perf_ids *ids, const uint8_t *bytes, size_t len,
			 struct wt_perf_record *ret);
/** Takes what a sample of WT_PERF_SLOT_MOVES reports. -1: it is too short. */
int wt_perf_record_move(const struct wt_perf_record *record, struct wt_bpf_move *ret);

#endif
