/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Kernel-side providers over perf_event_open: pmu-profile, loader, proc_thread, any tracepoint.
 *
 * Three rings per CPU: a dummy event carries mmap, task and ksymbol records in its own ring (id 3 * cpu), one
 * for comm records has another (id 3 * cpu + 1), all asked-for events share the last (id 3 * cpu + 2). Each
 * ring is a wt_source. Clock: CLOCK_MONOTONIC_RAW. Events are opened disabled; sideband is enabled first.
 *
 * Names are apart because any process can give itself a million a second: where their ring is full, names and
 * beginnings of programs are lost (WT_LOST_NAMES), and nothing else. The kernel tells forks and exits there
 * too and counts them among what it lost; they are taken from the first ring alone. Where processes are
 * traced there are no others that could fill it: then names come with the rest, and there are two rings.
 *
 * Life: describe (wt_perf_request) -> plan (which event will be used and what is not available; adds kinds)
 * -> open (in the keeper, before any fork) -> map (in each process that needs the rings; mappings do not
 * survive fork) -> arm_sideband -> rundown -> arm -> ... -> disarm -> counters. All in one thread;
 * descriptors are inherited across fork.
 */
#ifndef PROVIDERS_PERF_PERF_H
#define PROVIDERS_PERF_PERF_H

#include <sys/types.h>

#include "tracecore/event.h"
#include "tracecore/gate.h"
#include "tracecore/kernel_events.h"
#include "tracecore/lives.h"
#include "tracecore/source.h"

/** Samples per second and CPU when nothing is asked, in the mean: periods vary then (vary.h). */
#define WT_PERF_DEFAULT_HZ 997

/** Bytes of a stack that can be copied at most: a record's size is 16 bits. */
#define WT_PERF_STACK_MOST 57344
/** As many as rings of a fair size can hold, at the rate and number of CPUs. */
#define WT_PERF_STACK_CHOSEN UINT32_MAX

/** What a session wants. Strings are borrowed until wt_perf_plan returns. */
struct wt_perf_request {
	bool nothing; /**< only the kinds the recorder needs; nothing is asked of the kernel, no right is
			 needed */
	bool profile, loader, proc_thread; /**< providers wanted */
	bool no_images; /**< nothing has code addresses: mappings are not asked for, and processes
			   and threads have their ring to themselves, a larger one */
	bool profile_stack;
	/** How the user half of stacks is had. 0: the kernel follows frame pointers. Else registers and up to
	 * so many bytes of the stack are copied (rounded up to 8, at most WT_PERF_STACK_MOST, or
	 * WT_PERF_STACK_CHOSEN): events then carry a struct wt_stack_dump. */
	uint32_t stack_bytes;
	bool stack_must; /**< when stacks cannot be copied here that is an error, not a note */
	const char **
		events; /**< -e: EVENT[:PERIOD]; EVENT = hardware or software name, rNNN, pmu/term=val,.../ */
	size_t n_events;
	uint64_t frequency; /**< -F in Hz, for events without a period; 0: WT_PERF_DEFAULT_HZ, varying */
	const struct wt_perf_tracepoint {
		const char *name; /**< "sched:sched_switch" (subsystem:event; '*' as event: all of it) */
		bool stack;
	} * tracepoints;
	size_t n_tracepoints;
	const char **counters; /**< read together: EVENT as in events, without a period, or SUBSYSTEM:EVENT */
	size_t n_counters;
	bool count_switches;     /**< when a thread leaves a CPU... */
	bool count_stack;        /**< with the stack of who leaves, or runs */
	bool windowsperf;        /**< and so is each reading of an interval, in other words */
	uint64_t count_interval; /**< ...and of each CPU every so many ns; 0: not; one of both is wanted */
	const pid_t *pids;       /**< these processes, their threads and what they start; n_pids 0: all */
	size_t n_pids;
	bool child;           /**< pids[0] waits to exec: enable_on_exec, nothing before counts */
	const uint32_t *cpus; /**< only these; n_cpus 0: all online */
	size_t n_cpus;
	uint32_t sample_pages, sideband_pages; /**< data pages per ring, powers of two; 0: chosen */
	const char *tracefs;                   /**< NULL: /sys/kernel/tracing */
};

struct wt_perf;

/** What came of a request, for `start` to print and `status` to repeat. */
struct wt_perf_note {
	bool warning;   /**< something asked for is not as asked */
	char text[240]; /**< "no hardware PMU: sampling cpu-clock instead of cycles" */
};

/** Checks everything that can be checked without opening: names (WT_ERR_USAGE with the nearest valid word),
 * sysfs and tracefs; probes which profile event works here (cycles, else cpu-clock) and what the caller may
 * see (user only). Adds the providers' schemas to kinds: pmu-profile with its map of sources filled in,
 * loader, proc_thread, and one provider "linux:SUBSYSTEM" per tracepoint subsystem. kinds must already hold
 * provider `wtrace`. */
int wt_perf_plan(const struct wt_perf_request *request, struct wt_kinds *kinds, struct wt_perf **ret,
		 struct wt_err *err);

/** Opens all events on all CPUs and maps the rings once (to create them). On EMFILE raises RLIMIT_NOFILE
 * first; on the mlock limit falls back to smaller rings and notes it; EPERM/EACCES become WT_ERR_PERMISSION
 * naming perf_event_paranoid, its value and what to set. */
int wt_perf_open(struct wt_perf *perf, struct wt_err *err);

/** Maps the rings again after a fork, in the new process. */
int wt_perf_map(struct wt_perf *perf, struct wt_err *err);

/** Makes a source of every mapped ring; the sources stay valid until wt_perf_destroy or their own destroy. */
int wt_perf_sources(struct wt_perf *perf, struct wt_source **ret, size_t cap, size_t *n, struct wt_err *err);

/** The sources ask it of each name and mapping before they give it; NULL: they give all. ctx has to outlive
 * them. */
void wt_perf_set_gate(struct wt_perf *perf, wt_gate_fn *gate, void *ctx);

/** Enables the sideband: from here on no process and no mapping is missed. The rundown comes next, so that
 * the first sample already finds everything it needs. */
int wt_perf_arm_sideband(struct wt_perf *perf, struct wt_err *err);
/** Enables the events that were asked for (and the sideband, if that was not done). After it returns every
 * event counts. */
int wt_perf_arm(struct wt_perf *perf, struct wt_err *err);
/** Disables the asked-for events first, the sideband last. */
int wt_perf_disarm(struct wt_perf *perf, struct wt_err *err);

/** A wt_life_fn; ctx is the struct wt_perf. Knows nothing where BPF cannot be had (lives.h). */
bool wt_perf_life(void *ctx, enum wt_life_news news, uint32_t pid, uint64_t time, struct wt_str name,
		  struct wt_life *ret);
/** Takes what the kernel has reported of them by now, so that its ring does not get full. */
void wt_perf_lives_drain(struct wt_perf *perf);
/** Why nothing is known; NULL: it is. And what found no room in the ring. */
const char *wt_perf_lives_why(const struct wt_perf *perf);
uint64_t wt_perf_lives_lost(const struct wt_perf *perf);

/** Draws new periods where they vary and it is time; until it will be, ns. UINT64_MAX: never. */
uint64_t wt_perf_vary(struct wt_perf *perf);

/** For poll(2): the ring descriptors (POLLIN at the watermark, POLLHUP when all traced tasks are gone for
 * good). Returns how many; fills at most cap. */
size_t wt_perf_poll_fds(const struct wt_perf *perf, int *fds, size_t cap);
/** The descriptors of the rings that tell of all processes and are below their watermark: for a caller that
 * looks at the rings by time. Returns how many; fills at most cap. */
size_t wt_perf_poll_sideband(const struct wt_perf *perf, int *fds, size_t cap);

/** CPUs that came or went since the last call: opens, maps and arms new ones, closes gone ones. For each
 * change calls fn (before a gone CPU's source is invalid, after a new one's is ready). Cheap when nothing
 * changed. */
int wt_perf_hotplug(struct wt_perf *perf,
		    int (*fn)(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n),
		    void *ctx, struct wt_err *err);

/** The kernel's counts per event and CPU, after disarm: one wt_counted_payload each, with `produced` from
 * read(2) and `lost` from PERF_FORMAT_LOST. `written` is left 0: the session fills in what it finds in the
 * file, so that the sum is a check and not a definition. event is the source's name for pmu-profile, the
 * event's for tracepoints. */
int wt_perf_counters(struct wt_perf *perf, void (*fn)(void *ctx, const struct wt_counted_payload *counted),
		     void *ctx, struct wt_err *err);

/** Calls fn with an event pmu-profile/idle for each CPU that is sampled: since wt_perf_open. Not where
 * processes are. */
int wt_perf_idle(struct wt_perf *perf, int (*fn)(void *ctx, const struct wt_event *event, struct wt_err *err),
		 void *ctx, struct wt_err *err);

size_t wt_perf_notes(const struct wt_perf *perf, const struct wt_perf_note **ret);
/** One line for status: "cpu-clock at 997 Hz", per sampled event. */
size_t wt_perf_event_count(const struct wt_perf *perf);
const char *wt_perf_event_text(const struct wt_perf *perf, size_t i);
/** Bytes of all rings together. */
uint64_t wt_perf_ring_bytes(const struct wt_perf *perf);
void wt_perf_destroy(struct wt_perf *perf);

/** Reads /proc: a WT_PROC_RUNDOWN per process, a WT_THREAD_RUNDOWN per further thread, a WT_IMAGE_RUNDOWN per
 * executable mapping (with build id), before that the kernel and its modules. Each event has the time at
 * which it was read. opcode_end: the *_RUNDOWN_END kinds instead. pids: only these and their children; n_pids
 * 0: all. fn returns -1 to end. Processes that vanish while being read are left out. pause is called every
 * few processes and mappings so that the caller can drain its rings; may be NULL. */
struct wt_rundown {
	const struct wt_kinds *kinds;
	const pid_t *pids;
	size_t n_pids;
	bool end;
	bool no_images; /**< processes and threads alone */
	/** What other users' processes have mapped takes its turn: WT_MAPPINGS_MOST and one more of each, as
	 * far as there is time; what is left is due, but not at the end. NULL: everything at once. */
	struct wt_map_turns *turns;
	int (*fn)(void *ctx, const struct wt_event *event, struct wt_err *err);
	int (*pause)(void *ctx, struct wt_err *err);
	void *ctx;
};
/** NULL: memory is out. */
struct wt_map_turns *wt_map_turns_create(void);
void wt_map_turns_destroy(struct wt_map_turns *turns);
/** Processes whose mappings are due. */
size_t wt_map_turns_due(const struct wt_map_turns *turns);
/** Tells what is due and has time by now; pids are not looked at. As wt_perf_rundown. */
int wt_perf_rundown_due(const struct wt_rundown *rundown, struct wt_err *err);
int wt_perf_rundown(const struct wt_rundown *rundown, struct wt_err *err);
/** The processes of pids alone, without their children and the kernel; what is due stays. As wt_perf_rundown.
 */
int wt_perf_rundown_only(const struct wt_rundown *rundown, struct wt_err *err);

/** Whether a tracepoint's event is meant by the last part of SUBSYSTEM:EVENT, in which '*' stands for
 * anything. */
bool wt_perf_event_matches(const char *pattern, const char *name);

/** Everything that can be enabled here, for `list`: calls fn with (group, name, help). group: "hardware",
 * "software", "pmu", "tracepoint". */
int wt_perf_list(void (*fn)(void *ctx, const char *group, const char *name, const char *help), void *ctx,
		 struct wt_err *err);

#endif
