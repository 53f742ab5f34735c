/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Kernel-side providers over perf_event_open: pmu-profile, loader, proc_thread, any tracepoint.
 *
 * Four rings per CPU: a dummy event carries mmap, task and ksymbol records in its own ring (id 4 * cpu),
 * one for comm records has another (id 4 * cpu + 1), all requested events share the third (id 4 * cpu + 2),
 * and the last (id 4 * cpu + 3) is for memory of files that may be written to. Each ring is a wt_source.
 * Clock: CLOCK_MONOTONIC_RAW. Events are opened disabled; sideband is enabled first.
 *
 * Names have a ring of their own because any process can rename itself a million times a second: when that
 * ring is full, only names and beginnings of programs are lost (WT_LOST_NAMES). The kernel also writes forks
 * and exits there and counts them among its losses; they are taken from the first ring alone. Where
 * processes are traced, no other process can fill the ring: then names come with the rest.
 *
 * The ring of writes reports private memory of files whenever a process gets the right to write to it, as
 * quiet events with WT_EVENT_WRITABLE. Text of a program that was never reported there has the file's bytes,
 * and nobody has to look at the living process. It is open in sessions that see the whole machine.
 * Programs that allocate memory at a high rate
 * fill it, because the kernel writes every mapping there; what is lost is an event with WT_EVENT_WRITABLE,
 * too. Where the kernel takes probes on its functions, such a session also learns of memory that is moved
 * and of writes from outside (moves.h); otherwise a note says that it does not.
 *
 * Life: describe (wt_perf_request) -> plan (chooses events and notes unavailable ones; adds kinds) -> open
 * (in the keeper, before any fork) -> map (in each process that needs the rings; mappings do not survive
 * fork) -> arm_sideband -> rundown -> arm -> ... -> disarm -> counters. All in one thread; descriptors are
 * inherited across fork.
 */
#ifndef PROVIDERS_PERF_PERF_H
#define PROVIDERS_PERF_PERF_H

#include <sys/types.h>

#include "tracecore/event.h"
#include "tracecore/gate.h"
#include "tracecore/kernel_events.h"
#include "tracecore/lives.h"
#include "tracecore/source.h"

/** Samples per second and CPU by default, in the mean: periods vary then (vary.h). */
#define WT_PERF_DEFAULT_HZ 997

/** Most bytes of a stack that can be copied: a record's size is 16 bits. */
#define WT_PERF_STACK_MOST 57344
/** As many bytes as rings of a fair size can hold, at the rate and number of CPUs. */
#define WT_PERF_STACK_CHOSEN UINT32_MAX

/** The request of a session. Strings are borrowed until wt_perf_plan returns. */
struct wt_perf_request {
	bool nothing; /**< only the kinds for the recorder; nothing is opened, and no right is needed */
	bool profile, loader, proc_thread; /**< providers wanted */
	bool no_images; /**< no event has code addresses: mappings are not requested, and processes and
			   threads have a larger ring to themselves */
	bool profile_stack;
	/** How the user half of stacks is obtained. 0: the kernel follows frame pointers. Otherwise registers
	 * and up to this many bytes of the stack are copied (rounded up to 8, at most WT_PERF_STACK_MOST, or
	 * WT_PERF_STACK_CHOSEN): events then carry a struct wt_stack_dump. */
	uint32_t stack_bytes;
	bool stack_must; /**< if stacks cannot be copied here, that is an error, not a note */
	const char **
		events; /**< -e: EVENT[:PERIOD]; EVENT = hardware or software name, rNNN, pmu/term=val,.../ */
	size_t n_events;
	uint64_t frequency; /**< -F in Hz, for events without a period; 0: WT_PERF_DEFAULT_HZ, varying */
	const struct wt_perf_tracepoint {
		const char *name; /**< "sched:sched_switch" (subsystem:event; '*' as event: all of it) */
		bool stack;
	} * tracepoints;
	size_t n_tracepoints;
	bool cswitch, dispatcher; /**< providers wanted: of all threads on all CPUs */
	bool cswitch_stack, dispatcher_stack;
	const char **counters; /**< read together: EVENT as in events, without a period, or SUBSYSTEM:EVENT */
	size_t n_counters;
	bool count_switches;     /**< when a thread leaves a CPU... */
	bool count_stack;        /**< with the stack of the thread that leaves, or runs */
	bool windowsperf;        /**< each reading of an interval also comes in the form of WindowsPerf */
	uint64_t count_interval; /**< ...and of each CPU at this interval, ns; 0: not; at least one of both is
				    wanted */
	const pid_t *pids;       /**< these processes, their threads and descendants; n_pids 0: all */
	size_t n_pids;
	bool child;           /**< pids[0] waits to exec: enable_on_exec, nothing counts before */
	const uint32_t *cpus; /**< only these; n_cpus 0: all online */
	size_t n_cpus;
	uint32_t sample_pages, sideband_pages; /**< data pages per ring, powers of two; 0: chosen */
	const char *tracefs;                   /**< NULL: /sys/kernel/tracing */
};

struct wt_perf;

/** A note about the result of a request, for `start` to print and `status` to repeat. */
struct wt_perf_note {
	bool warning;   /**< a part of the request is not fulfilled as requested */
	char text[240]; /**< "no hardware PMU: sampling cpu-clock instead of cycles" */
};

/** Checks everything that can be checked without opening: names (WT_ERR_USAGE with the nearest valid word),
 * sysfs and tracefs; probes which profile event works here (cycles, otherwise cpu-clock) and whether the
 * caller may observe the kernel. Adds the providers' schemas to kinds: pmu-profile with its map of sources
 * filled in, loader, proc_thread, and one provider "linux:SUBSYSTEM" per tracepoint subsystem. kinds must
 * already hold provider `wtrace`. */
int wt_perf_plan(const struct wt_perf_request *request, struct wt_kinds *kinds, struct wt_perf **ret,
		 struct wt_err *err);

/** Opens all events on all CPUs and maps the rings once (to create them). On EMFILE it raises RLIMIT_NOFILE
 * first; on the mlock limit it uses smaller rings and notes that. EPERM and EACCES become WT_ERR_PERMISSION
 * with the value of perf_event_paranoid and the value to set. */
int wt_perf_open(struct wt_perf *perf, struct wt_err *err);

/** Maps the rings again after a fork, in the new process. */
int wt_perf_map(struct wt_perf *perf, struct wt_err *err);

/** Makes a source from every mapped ring; the sources stay valid until wt_perf_destroy or their own destroy.
 */
int wt_perf_sources(struct wt_perf *perf, struct wt_source **ret, size_t cap, size_t *n, struct wt_err *err);

/** True when writable memory of files is reported; then nobody has looked at the mappings that are. */
bool wt_perf_watches_writes(const struct wt_perf *perf);
/** True when moved memory of files is reported, too (WT_EVENT_MOVED). */
bool wt_perf_watches_moves(const struct wt_perf *perf);

/** The sources call the gate for each name and mapping before they give it; NULL: everything is given. ctx
 * has to outlive the sources. */
void wt_perf_set_gate(struct wt_perf *perf, wt_gate_fn *gate, void *ctx);

/** Enables the sideband: from here on no process and no mapping is missed. The rundown comes next, so that
 * the first sample finds everything it needs. */
int wt_perf_arm_sideband(struct wt_perf *perf, struct wt_err *err);
/** Enables the requested events (and the sideband, if not done yet). After it returns every event counts. */
int wt_perf_arm(struct wt_perf *perf, struct wt_err *err);
/** Disables the requested events first, the sideband last. */
int wt_perf_disarm(struct wt_perf *perf, struct wt_err *err);

/** A wt_life_fn; ctx is the struct wt_perf. Gives no answers where BPF is not available (lives.h). */
bool wt_perf_life(void *ctx, enum wt_life_news news, uint32_t pid, uint64_t time, struct wt_str name,
		  struct wt_life *ret);
/** Takes the kernel's reports about processes so far, so that their ring does not get full. */
void wt_perf_lives_drain(struct wt_perf *perf);
/** Returns why there are no such reports; NULL: there are. And the number of reports that found no room in
 * the ring. */
const char *wt_perf_lives_why(const struct wt_perf *perf);
uint64_t wt_perf_lives_lost(const struct wt_perf *perf);

/** Draws new periods where they vary and a draw is due. Returns the time to the next draw, ns. UINT64_MAX:
 * never. */
uint64_t wt_perf_vary(struct wt_perf *perf);
/** True when stacks of waits are copied: the earlier the rings are read, the more threads still wait, and the
 * rest of their stacks can be read. */
bool wt_perf_reads_waits(const struct wt_perf *perf);

/** Fills the ring descriptors for poll(2) (POLLIN at the watermark, POLLHUP when all traced tasks have ended
 * for good). Returns how many; fills at most cap. */
size_t wt_perf_poll_fds(const struct wt_perf *perf, int *fds, size_t cap);
/** Fills the descriptors of the rings that report all processes and are below their watermark: for a caller
 * that reads the rings at intervals. Returns how many; fills at most cap. */
size_t wt_perf_poll_sideband(const struct wt_perf *perf, int *fds, size_t cap);

/** Handles CPUs that came or went since the last call: opens, maps and arms the rings of new ones and closes
 * those of others. Calls fn for each change, before a closed source is invalid and after a new one is ready.
 * Cheap when nothing changed. */
int wt_perf_hotplug(struct wt_perf *perf,
		    int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		    void *ctx, struct wt_err *err);

/** The kernel's counts per event and CPU, after disarm: one wt_counted_payload each, with `produced` from
 * read(2) and `lost` from PERF_FORMAT_LOST. `written` is left 0: the session fills in the number found in
 * the file, so that the sum is a check and not a definition. event is the source's name for pmu-profile, the
 * event's for tracepoints. */
int wt_perf_counters(struct wt_perf *perf, void (*fn)(void *ctx, const struct wt_counted_payload *counted),
		     void *ctx, struct wt_err *err);

/** Calls fn with an event pmu-profile/idle for each sampled CPU, for the time since wt_perf_open. Not where
 * processes are traced. */
int wt_perf_idle(struct wt_perf *perf, int (*fn)(void *ctx, const struct wt_event *event, struct wt_err *err),
		 void *ctx, struct wt_err *err);

size_t wt_perf_notes(const struct wt_perf *perf, const struct wt_perf_note **ret);
/** Returns the number of sampled events; wt_perf_event_text gives a line for status: "cpu-clock at 997 Hz".
 */
size_t wt_perf_event_count(const struct wt_perf *perf);
const char *wt_perf_event_text(const struct wt_perf *perf, size_t i);
/** Bytes of all rings together. */
uint64_t wt_perf_ring_bytes(const struct wt_perf *perf);
void wt_perf_destroy(struct wt_perf *perf);

/** Reads /proc and reports a WT_PROC_RUNDOWN per process, a WT_THREAD_RUNDOWN per further thread, a
 * WT_IMAGE_RUNDOWN per executable mapping (with build id), after those of the kernel and its modules. Each
 * event has the time at which it was read. opcode_end: the *_RUNDOWN_END kinds instead. pids: only these and
 * their descendants; n_pids 0: all. fn returns -1 to end. Processes that vanish while being read are left
 * out. pause is called every few processes and mappings so that the caller can drain its rings; may be
 * NULL. */
struct wt_rundown {
	const struct wt_kinds *kinds;
	const pid_t *pids;
	size_t n_pids;
	bool end;
	bool no_images;   /**< processes and threads alone */
	bool waits;       /**< threads that wait, too, where provider cswitch is among the kinds... */
	bool stacks;      /**< ...with the stacks of their programs */
	bool waits_alone; /**< nothing but these */
	/** Limits the reading of other users' mappings: WT_MAPPINGS_MOST and one more of each process, as far
	 * as there is time; the rest becomes due, except at the end. NULL: everything is read at once. */
	struct wt_map_turns *turns;
	int (*fn)(void *ctx, const struct wt_event *event, struct wt_err *err);
	int (*pause)(void *ctx, struct wt_err *err);
	void *ctx;
};
/** NULL: memory is out. */
struct wt_map_turns *wt_map_turns_create(void);
void wt_map_turns_destroy(struct wt_map_turns *turns);
/** Returns the number of processes whose mappings are due. */
size_t wt_map_turns_due(const struct wt_map_turns *turns);
/** Reports due mappings for which there is time by now, without regard to pids. Like wt_perf_rundown. */
int wt_perf_rundown_due(const struct wt_rundown *rundown, struct wt_err *err);
int wt_perf_rundown(const struct wt_rundown *rundown, struct wt_err *err);
/** Reports only the processes in pids, without their children and the kernel; due mappings stay due. Like
 * wt_perf_rundown. */
int wt_perf_rundown_only(const struct wt_rundown *rundown, struct wt_err *err);

/** True when the last part of SUBSYSTEM:EVENT, in which '*' stands for any text, matches a tracepoint's
 * event. */
bool wt_perf_event_matches(const char *pattern, const char *name);

/** Everything that can be enabled here, for `list`: calls fn with (group, name, help). group: "hardware",
 * "software", "pmu", "tracepoint". */
int wt_perf_list(void (*fn)(void *ctx, const char *group, const char *name, const char *help), void *ctx,
		 struct wt_err *err);

#endif
