/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the files of the perf back end share: slots (events asked for), rings, CPUs.
 *
 *   wt_perf -> cpus[cpu] -> two rings (sideband, samples) -> descriptors, each of one slot
 *
 * The first descriptor of a ring owns the buffer; the others are redirected into it. When processes are
 * traced instead of CPUs there is one descriptor per thread, CPU and slot.
 */
#ifndef PROVIDERS_PERF_INTERNAL_H
#define PROVIDERS_PERF_INTERNAL_H

#include <linux/perf_event.h>

#include "providers/perf/hold.h"
#include "providers/perf/perf.h"
#include "providers/perf/record.h"
#include "providers/perf/ring.h"
#include "providers/perf/textfile.h"
#include "providers/perf/tracepoint.h"

/** Profile events in one session: their number is a byte in each sample, and nobody has so many counters. */
enum { WT_PERF_MAX_PROFILE = 64 };

/** One event asked for. */
struct wt_perf_slot {
	struct perf_event_attr attr;
	char *provider;                      /**< "pmu-profile", "linux:sched"; owned */
	char *name;                          /**< the source's or the tracepoint's; owned */
	char text[320];                      /**< "cpu-clock at 997 Hz" */
	uint32_t kind;                       /**< of its events */
	uint8_t source;                      /**< number in the map of sources */
	const struct wt_tp_program *program; /**< NULL: not a tracepoint */
	struct wt_cpuset cpus;               /**< its PMU's CPUs; empty: all */
	bool period1;                        /**< every event is a sample: losses are exact */
};

/** The kinds the translation writes. */
struct wt_perf_kinds {
	uint32_t proc[WT_THREAD_NAME + 1];   /**< by enum wt_proc_event */
	uint32_t image[WT_IMAGE_UNLOAD + 1]; /**< by enum wt_loader_event */
	uint32_t sample, lost;
};

/** What a reader of a ring must know beyond the bytes in it, for the recorder that takes over: lives in
 * memory shared by all processes of the session, written at each release just before data_tail moves. Two
 * copies; the one whose tail is the reader's holds. */
struct wt_perf_shared {
	struct wt_perf_held held;
	uint32_t turn; /**< the copy written last */
	struct wt_perf_carry {
		uint64_t tail;
		uint64_t lost;      /**< sum of all loss records before tail */
		uint64_t last_time; /**< of the record before tail */
	} copy[2];
};

struct wt_perf_fd {
	int fd;
	uint32_t slot; /**< or WT_PERF_SLOT_SIDEBAND */
};

/** What a closed descriptor had counted. */
struct wt_perf_past {
	uint64_t produced, lost;
};

struct wt_perf_ring {
	uint32_t id, cpu;
	bool sideband;
	char name[32];
	struct wt_perf_fd *fds; /**< owned */
	size_t n_fds, cap_fds;
	size_t poll;         /**< the descriptor poll uses: one whose task still lives */
	uint8_t *map;        /**< control page and data; NULL: not mapped in this process */
	size_t control_size; /**< bytes of the control page, in front of the data */
	uint64_t data_size;  /**< bytes, a power of two */
	struct wt_perf_shared *shared;
	struct wt_perf_hold hold;
	struct wt_perf_source *source; /**< NULL: none */
	struct wt_perf_past *past;     /**< by slot; owned; NULL until the ring was closed once */
	uint64_t gone_from, gone_to;   /**< blind span to report: the CPU was away; 0 none */
	uint64_t ended;                /**< when its events stopped counting; 0: they count */
};

struct wt_perf_cpu {
	bool open;
	struct wt_perf_ring sideband, samples;
};

/** What this kernel and this user can do, found out by trying. */
struct wt_perf_caps {
	bool format_lost;  /**< PERF_FORMAT_LOST, Linux 6.0 */
	bool build_id;     /**< build ids in mmap records, 5.12 */
	bool ksymbol;      /**< 5.1 */
	bool kernel;       /**< may see the kernel */
	bool whole_system; /**< may trace CPUs, not just own tasks */
	int paranoid;      /**< kernel.perf_event_paranoid; 2 when unreadable */
};

struct wt_perf {
	struct wt_perf_slot *slots; /**< owned */
	size_t n_slots;
	struct wt_tp_system *systems; /**< owned */
	size_t n_systems;
	const struct wt_kinds *kinds; /**< borrowed */
	struct wt_perf_kinds k;
	bool loader, proc_thread; /**< asked for; otherwise their events are quiet */
	bool nothing;             /**< no event is opened */
	struct wt_perf_caps caps;
	struct perf_event_attr dummy;
	struct wt_perf_ids ids;
	struct wt_intern threads; /**< thread ids already attached */

	pid_t *pids; /**< owned; n_pids 0: whole machine */
	size_t n_pids;
	bool child;
	struct wt_cpuset online;      /**< CPUs with open rings */
	struct wt_cpuset sample_cpus; /**< asked for; empty: all */
	uint32_t sample_pages, sideband_pages;
	unsigned max_stack; /**< frames the kernel walks */
	uint32_t
		stack_bytes; /**< of a user stack copied with each sample that has one; 0: the kernel walks */
	bool stack_chosen;   /**< how many is ours to choose */

	struct wt_perf_cpu *cpus; /**< by CPU number; owned */
	uint32_t n_cpus;          /**< possible CPUs */
	struct wt_perf_shared *shared;
	uint8_t *holds; /**< shared: hold_stride bytes for each possible CPU; NULL: nothing can be held */
	uint64_t hold_stride;    /**< its sideband's, behind its samples' */
	const char *online_path; /**< the list of online CPUs; tests point it elsewhere */
	bool armed;
	int cpu_events;      /**< netlink socket of the kernel's CPU events; -1 none */
	pid_t cpu_events_of; /**< whose socket: each process has its own, so that none misses news */
	int wake;            /**< eventfd: a probe took a wake-up that poll has to see; -1 none */
	uint64_t last_online_check;

	struct wt_perf_note *notes; /**< owned */
	size_t n_notes;
};

/** Adds a line to the notes. */
void wt_perf_say(struct wt_perf *perf, bool warning, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** perf_event_open(2) with PERF_FLAG_FD_CLOEXEC. */
int wt_perf_sys_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/** Fills in what can be done here. Fails when what perf->pids asks for cannot. */
int wt_perf_probe(struct wt_perf *perf, struct wt_err *err);
/** True when an event like this can be opened for sampling here; errno says why not. */
bool wt_perf_probe_event(const struct wt_perf *perf, const struct perf_event_attr *attr,
			 const struct wt_cpuset *cpus);
/** Turns errno of a refused perf_event_open into an error that says what to do. what: "event 'cycles' on cpu
 * 3". */
int wt_perf_fail_open(const struct wt_perf *perf, const char *what, struct wt_err *err);
/** The attr all events share: clock, ids, counters. */
void wt_perf_attr_init(const struct wt_perf *perf, struct perf_event_attr *attr);

/** Iterates the CPUs whose rings are open. */
#define wt_perf_each_cpu(perf, c)                                                          \
	for (struct wt_perf_cpu *c = (perf)->cpus; c < (perf)->cpus + (perf)->n_cpus; c++) \
		if (c->open)

/** Opens, and maps, both rings of a CPU. On failure nothing of it stays. */
int wt_perf_open_cpu(struct wt_perf *perf, uint32_t cpu, struct wt_err *err);
/** Folds the counts of its descriptors into `past` and closes them, unmaps. */
void wt_perf_close_cpu(struct wt_perf *perf, uint32_t cpu);
/** Attaches threads that came since; *fresh says how many. Only when processes are traced. */
int wt_perf_open_threads(struct wt_perf *perf, size_t *fresh, struct wt_err *err);
int wt_perf_ring_map(struct wt_perf_ring *ring, struct wt_err *err);
void wt_perf_ring_unmap(struct wt_perf_ring *ring);
/** Enables or disables all descriptors of a ring: PERF_EVENT_IOC_ENABLE, _DISABLE. */
int wt_perf_ring_control(struct wt_perf_ring *ring, unsigned long request, struct wt_err *err);
/** Begins to listen for CPUs that come and go; in a process that inherited a socket, with one of its own. */
void wt_perf_hotplug_init(struct wt_perf *perf);
/** Reads one descriptor's counts; lost is 0 where the kernel does not tell. */
int wt_perf_fd_read(const struct wt_perf *perf, int fd, struct wt_perf_past *ret);
/** The sum of PERF_FORMAT_LOST over the descriptors of a ring. */
uint64_t wt_perf_ring_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring);

/** Decides how much of a stack is copied and how large the rings are, where the request left it open. */
void wt_perf_choose_sizes(struct wt_perf *perf);
/** Where it is ours to choose: lowers stack_bytes until the rings hold more than a handful of samples. */
void wt_perf_fit_stacks(struct wt_perf *perf);
/** Bytes in the ring that wake the recorder. */
uint32_t wt_perf_watermark(const struct wt_perf *perf, const struct wt_perf_ring *ring);

/** What may still be held, of all rings together. Bytes. */
uint64_t wt_perf_hold_room(const struct wt_perf *perf);

/** Makes the ring's source, ring->source; -1 when memory is out. */
int wt_perf_source_create(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err);
void wt_perf_source_destroy(struct wt_perf_source *source);
struct wt_source *wt_perf_source_base(struct wt_perf_source *source);

/** Kind of a provider's event by its id; WT_KIND_NONE. */
uint32_t wt_perf_kind_of(const struct wt_kinds *kinds, const char *provider, uint16_t id);

#endif
