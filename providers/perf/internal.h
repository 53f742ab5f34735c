/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Shared by the files of the perf back end: slots (requested events), rings, CPUs.
 *
 *   wt_perf -> cpus[cpu] -> four rings (sideband, names, samples, writes) -> descriptors, each of one slot
 *
 * The first descriptor of a ring owns the buffer; the others are redirected into it. When processes are
 * traced instead of CPUs there is one descriptor per thread, CPU and slot.
 */
#ifndef PROVIDERS_PERF_INTERNAL_H
#define PROVIDERS_PERF_INTERNAL_H

#include <linux/perf_event.h>
#include <unistd.h>

#include "providers/perf/account.h"
#include "providers/perf/bpf.h"
#include "providers/perf/counts_group.h"
#include "providers/perf/hold.h"
#include "providers/perf/lives.h"
#include "providers/perf/moves.h"
#include "providers/perf/perf.h"
#include "providers/perf/record.h"
#include "providers/perf/rest.h"
#include "providers/perf/ring.h"
#include "providers/perf/scheduler.h"
#include "providers/perf/textfile.h"
#include "providers/perf/tracepoint.h"
#include "providers/perf/unsampled.h"
#include "providers/perf/vary.h"

/** Most profile events in one session: their number is a byte in each sample, and no machine has so many
 * counters. */
enum { WT_PERF_MAX_PROFILE = 64 };

/** One requested event. */
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
	uint8_t n_vary;                      /**< timers of varying periods that share it; 0: as asked */
	bool varies;     /**< its frequency is drawn at random; with n_vary its periods are */
	bool machine;    /**< of CPUs, for all threads that run there; otherwise of threads */
	bool counts;     /**< of the group of counters */
	bool everybodys; /**< of processes that are not traced, too */
	const struct wt_scheduler_point *scheduler; /**< NULL: not of cswitch or dispatcher */
	bool accounts;                              /**< time without samples is reported, thread by thread */
	uint64_t hz, hz_most;                       /**< samples a second of a slot that varies */
	uint64_t span; /**< ns that a sample stands for, of a slot that accounts */
};

/** The kinds that the translation writes. */
struct wt_perf_kinds {
	uint32_t proc[WT_THREAD_NAME + 1];   /**< by enum wt_proc_event */
	uint32_t image[WT_IMAGE_UNLOAD + 1]; /**< by enum wt_loader_event */
	uint32_t sample, lost, unsampled, cpu_time;
};

/** The reader's state beyond the bytes in a ring, for the recorder that takes over. It lives in memory shared
 * by all processes of the session and is written at each release just before data_tail moves. There are two
 * copies; the one whose tail is the reader's is valid. */
struct wt_perf_shared {
	struct wt_perf_held held;
	uint32_t turn; /**< the copy written last */
	struct wt_perf_carry {
		uint64_t tail;
		uint64_t lost;       /**< sum of all loss records before tail */
		uint64_t last_time;  /**< of the record before tail */
		uint64_t ahead;      /**< of `lost`: number reported before their loss record came */
		uint64_t emptied_to; /**< the ring was empty with everything before this position released ...
				      */
		uint64_t emptied;    /**< ... at this time; 0: not seen empty */
	} copy[2];
	uint64_t began; /**< when its events began to count; 0: not yet, or each separately */
};

/** The part of a slot of cswitch or dispatcher that its idle threads are (idle_points.h). */
#define WT_PERF_PART_IDLE 1

struct wt_perf_fd {
	int fd;
	uint32_t slot; /**< or WT_PERF_SLOT_SIDEBAND, and others of record.h */
	uint32_t part; /**< which of the slot's n_vary timers, or of the counters */
};

/** The counts of a closed descriptor. */
struct wt_perf_past {
	uint64_t produced, lost;
	uint64_t unsampled; /**< counted and not sampled (account.h) */
};

/** A ring's findings about processes, for rest.h. Empty where nothing accounts for its samples. */
struct wt_perf_noted {
	struct wt_perf_unsampled processes; /**< processes that did not end: samples and spans, and ns */
	bool waits;                         /**< the source has not settled yet */
};

struct wt_perf_ring {
	uint32_t id, cpu;
	bool sideband; /**< of names and writes too */
	bool names;
	bool writes;
	char name[32];
	struct wt_perf_fd *fds; /**< owned */
	size_t n_fds, cap_fds;
	bool copies;     /**< its event "bpf-output" is among them */
	bool everybodys; /**< of all threads on the CPU although processes are traced: for the identity, not
			    for the log */
	size_t poll;     /**< the descriptor for poll: one whose task still lives */
	uint8_t *map;    /**< control page and data; NULL: not mapped in this process */
	size_t control_size; /**< bytes of the control page, in front of the data */
	uint64_t data_size;  /**< bytes, a power of two */
	struct wt_perf_shared *shared;
	struct wt_perf_sums *sums; /**< shared, too: n_slots for each copy in shared; NULL: sideband */
	struct wt_perf_hold hold;
	struct wt_perf_source *source; /**< NULL: none */
	struct wt_perf_past *past;     /**< by slot; owned; NULL until the ring was closed once */
	uint64_t gone_from, gone_to;   /**< blind span to report, because the CPU was offline; 0: none */
	uint64_t ended;                /**< when its events stopped counting; 0: they still count */
	struct wt_perf_noted noted;
};

struct wt_perf_cpu {
	bool open;
	struct wt_perf_ring sideband, names, samples, writes;
};

/** The sideband wakes the recorder at this fill, thousandths. */
#define WT_PERF_WAKE_FILL 500

/** The abilities of this kernel and this user, found by trying. */
struct wt_perf_caps {
	bool format_lost;  /**< PERF_FORMAT_LOST, Linux 6.0 */
	bool build_id;     /**< build ids in mmap records, 5.12 */
	bool ksymbol;      /**< 5.1 */
	bool kernel;       /**< kernel mode may be observed */
	bool whole_system; /**< CPUs may be traced, not just own tasks */
	int paranoid;      /**< kernel.perf_event_paranoid; 2 when unreadable */
};

struct wt_perf {
	struct wt_perf_slot *slots; /**< owned */
	size_t n_slots;
	struct wt_tp_system *systems; /**< owned */
	size_t n_systems;
	const struct wt_kinds *kinds; /**< borrowed */
	struct wt_perf_kinds k;
	bool loader, proc_thread; /**< requested; otherwise their events are quiet */
	bool nothing;             /**< no event is opened */
	bool no_images;           /**< the sideband has no mappings */
	struct wt_perf_caps caps;
	struct perf_event_attr dummy;
	struct perf_event_attr inodes; /**< for mappings alone, without build ids */
	struct perf_event_attr
		names; /**< for names alone; the dummy event has them too where they have no ring */
	struct perf_event_attr writes; /**< for memory of files that may be written to */
	struct wt_perf_ids ids;
	struct wt_intern threads; /**< thread ids already attached */

	pid_t *pids; /**< owned; n_pids 0: whole machine */
	size_t n_pids;
	bool child;
	struct wt_cpuset online;      /**< CPUs with open rings */
	struct wt_cpuset sample_cpus; /**< requested; empty: all */
	uint32_t sample_pages, sideband_pages, names_pages, writes_pages;
	unsigned max_stack;   /**< most frames that the kernel walks */
	uint32_t stack_bytes; /**< bytes of a user stack copied with each sample that has one; 0: the kernel
				 walks */
	bool stack_chosen;    /**< stack_bytes may be chosen here */

	struct wt_perf_bpf *bpf;     /**< owned; NULL: none */
	struct wt_bpf_object *watch; /**< owned; NULL: none */
	struct wt_lives *lives;      /**< owned; NULL: none, for the reason in no_lives */
	char no_lives[120];
	struct wt_bpf_object *moves;      /**< owned; NULL: moved memory is not reported */
	bool watches_writes;              /**< the rings of writes are open */
	bool copy_refused;                /**< a note was made that stacks are not copied on everywhere */
	struct wt_bpf_settings *settings; /**< bpf's settings when it copies stacks on; otherwise NULL */
	uint8_t *marks; /**< settings->marks where our thread ids are the machine's; otherwise NULL */
	struct wt_perf_cpu *cpus; /**< by CPU number; owned */
	uint32_t n_cpus;          /**< possible CPUs */
	struct wt_perf_shared *shared;
	struct wt_perf_counts counts;
	struct wt_scheduler *scheduler; /**< owned; NULL: neither cswitch nor dispatcher */
	struct wt_perf_chain *chains; /**< shared: 2 for each possible CPU, as copies in wt_perf_shared; NULL:
					 no counters */
	struct wt_perf_sums *sums;    /**< shared: 2 * n_slots for each possible CPU */
	uint8_t *holds; /**< shared: hold_stride bytes for each possible CPU; NULL: nothing can be held. Names
			 * are not */
	uint64_t hold_stride;    /**< of its sideband's hold, behind its samples' */
	const char *online_path; /**< the list of online CPUs; tests point it elsewhere */
	bool armed;
	int cpu_events;      /**< netlink socket of the kernel's CPU events; -1 none */
	pid_t cpu_events_of; /**< pid of the socket's process: each process has its own socket, so that none
				misses reports */
	int wake;            /**< eventfd: passes on a wake-up that a probe consumed; -1: none */
	uint64_t last_online_check;
	uint64_t *late; /**< shared, by CPU: when a CPU came online while threads were traced, so that none of
			   their events are there; 0: no such CPU; NULL: not open */
	struct wt_cpuset late_told;
	bool follows; /**< samples of CPUs are filtered for pids and their descendants */
	bool follow_failed;
	struct wt_perf_rest rest;
	bool out_of_files;   /**< an event could not be opened for lack of descriptors */
	uint64_t *idle;      /**< idle ns by CPU when the session began; owned; NULL: not needed */
	uint64_t idle_from;  /**< when that was */
	struct wt_vary vary; /**< source of random periods */
	uint64_t next_draw;  /**< time of the next draw; 0: none yet */

	wt_gate_fn *gate; /**< asked by the sources; NULL: everything is given */
	void *gate_ctx;   /**< borrowed */

	struct wt_perf_note *notes; /**< owned */
	size_t n_notes;
};

static inline uint64_t wt_perf_page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* notes.c */
/** Adds a line to the notes. */
void wt_perf_say(struct wt_perf *perf, bool warning, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* kinds.c */
/** Kind of a provider's event by its id; WT_KIND_NONE. */
uint32_t wt_perf_kind_of(const struct wt_kinds *kinds, const char *provider, uint16_t id);

/* probe.c */
/** perf_event_open(2) with PERF_FLAG_FD_CLOEXEC. */
int wt_perf_sys_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);
/** Finds the abilities here. Fails when perf->pids requires one that is missing. */
int wt_perf_probe(struct wt_perf *perf, struct wt_err *err);
/** True when an event like this can be opened for sampling here; otherwise errno gives the reason. */
bool wt_perf_probe_event(const struct wt_perf *perf, const struct perf_event_attr *attr,
			 const struct wt_cpuset *cpus);
/** Turns the errno of a refused perf_event_open into an error with advice. what: "event 'cycles' on cpu 3".
 */
int wt_perf_fail_open(const struct wt_perf *perf, const char *what, struct wt_err *err);
/** Initializes the part of the attr that all events share: clock, ids, counters. */
void wt_perf_attr_init(const struct wt_perf *perf, struct perf_event_attr *attr);

/* descriptors.c */
/** Adds a descriptor to the ring, which then owns it. -1: memory. */
int wt_perf_ring_add_fd(struct wt_perf_ring *ring, struct wt_perf_fd fd);
int wt_perf_ring_map(struct wt_perf_ring *ring, struct wt_err *err);
void wt_perf_ring_unmap(struct wt_perf_ring *ring);
/** Enables or disables all descriptors of a ring: PERF_EVENT_IOC_ENABLE, _DISABLE. */
int wt_perf_ring_control(struct wt_perf_ring *ring, unsigned long request, struct wt_err *err);

/* counts.c */
/** Reads one descriptor's counts; lost is 0 where the kernel does not report it. For a counter of a group
 * nothing is read. */
int wt_perf_fd_read(const struct wt_perf *perf, const struct wt_perf_ring *ring, const struct wt_perf_fd *fd,
		    struct wt_perf_past *ret);
/** Returns the time of all threads counted by a ring's descriptors of a slot that accounts; ns. */
uint64_t wt_perf_ring_counted(const struct wt_perf *perf, const struct wt_perf_ring *ring);
/** Sums PERF_FORMAT_LOST over the descriptors of a ring; events that come twice count once. */
uint64_t wt_perf_ring_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring);
/** Sums PERF_FORMAT_LOST over the descriptors that a slot has in a ring. */
uint64_t wt_perf_ring_slot_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot);

/* shared.c */
/** Maps perf->shared, sums and late, and the holds where records may be held. Call before the first fork. */
int wt_perf_shared_open(struct wt_perf *perf, struct wt_err *err);
void wt_perf_shared_close(struct wt_perf *perf);
/** Returns the bytes that may still be held, for all rings together. */
uint64_t wt_perf_hold_room(const struct wt_perf *perf);

/* sizes.c */
/** Decides the copied bytes of a stack and the size of the rings, where the request left them open. */
void wt_perf_choose_sizes(struct wt_perf *perf);
/** Where stack_bytes may be chosen: lowers it until the rings hold more than a handful of samples. */
void wt_perf_fit_stacks(struct wt_perf *perf);
/** Returns the bytes in the ring that wake the recorder. */
uint32_t wt_perf_watermark(const struct wt_perf *perf, const struct wt_perf_ring *ring);
/** True when the BPF program may copy on the user stacks of the slot's samples. */
bool wt_perf_is_copied_on(const struct wt_perf_slot *slot);
/** Returns the bytes of a slot's user stacks that the kernel itself copies, where `bytes` may be chosen: less
 * where the program copies on. */
uint32_t wt_perf_dump_bytes(const struct wt_perf *perf, const struct wt_perf_slot *slot, uint32_t bytes);

/* periods.c */
/** Draws the first periods of a slot's descriptors of one CPU or thread, in slot->n_vary places (one for a
 * frequency that varies). */
void wt_perf_draw(struct wt_perf *perf, const struct wt_perf_slot *slot, uint64_t *ret);

/* follow.c */
/** Where processes are traced: makes the kernel drop samples of CPUs from other processes. False: that is not
 * possible here, which is noted. Tries once. */
bool wt_perf_follow(struct wt_perf *perf);
/** True when process and thread ids are those that the BPF program sees; in a container they differ. */
bool wt_perf_numbers_are_the_machines(void);
/** True when the event samples CPUs and drops samples of other processes. */
bool wt_perf_is_filtered(const struct wt_perf *perf, uint32_t slot);

/* watch.c */
/** Starts reports of beginnings and ends of processes where they are available. A failure costs only these
 * reports. */
void wt_perf_watch_open(struct wt_perf *perf);
void wt_perf_watch_close(struct wt_perf *perf);

/* copies.c */
/** Loads the program on sampling events where it is available and useful; notes when it is not. */
void wt_perf_copies_init(struct wt_perf *perf);
/** Makes the program copy stacks on for a sampling event that was opened into the ring. A failure costs only
 * that. */
void wt_perf_copies_add(struct wt_perf *perf, struct wt_perf_ring *ring, int fd, uint32_t slot);
/** Call before the ring is closed. */
void wt_perf_copies_remove(struct wt_perf *perf, struct wt_perf_ring *ring);

/* idle.c */
/** Notes the idle time of CPUs so far, where CPUs are sampled. */
void wt_perf_idle_begin(struct wt_perf *perf);

/* late.c */
/** CPU `cpu` came online: threads that were traced before have no event there, from the last look on. The
 * log's last events report it. */
void wt_perf_late_note(struct wt_perf *perf, uint32_t cpu);
/** Returns a CPU that came late and was not reported yet, and since when it may be online; marks it as
 * reported. */
bool wt_perf_late_next(struct wt_perf *perf, uint32_t *cpu, uint64_t *from);
/** Writes into text the providers whose events exist for threads only on the CPUs that were online when the
 * threads were attached. */
struct wt_str wt_perf_late_providers(const struct wt_perf *perf, char *text, size_t size);

/* cpu_news.c */
/** Begins to listen for CPUs that come and go; a process that inherited a socket opens its own. */
void wt_perf_cpu_news_open(struct wt_perf *perf);
/** Adds the CPUs that went offline since the last look, whatever their state now. True: reports were lost,
 * and all CPUs are in doubt. */
bool wt_perf_cpu_news_read(struct wt_perf *perf, struct wt_cpuset *bounced);

/* source.c */
/** Makes the ring's source, ring->source. -1 when memory is out. */
int wt_perf_source_create(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err);
void wt_perf_source_destroy(struct wt_perf_source *source);
struct wt_source *wt_perf_source_base(struct wt_perf_source *source);
/** Returns the sums by slot of the records it read; n_slots of them. */
const struct wt_perf_sums *wt_perf_source_sums(const struct wt_perf_source *source);

/* slots.c */
/** Adds a slot; NULL: memory. */
struct wt_perf_slot *wt_perf_add_slot(struct wt_perf *perf, const char *provider, const char *name);

/** Requests the kernel's half of a stack and, for the user half, either the kernel's walk by frame pointers
 * or the data for a walk elsewhere. */
void wt_perf_ask_stack(const struct wt_perf *perf, struct perf_event_attr *attr);

/* open_event.c */
/** Calls perf_event_open(2), with all the descriptors that the hard limit allows. group: the leader's, or -1.
 */
int wt_perf_open_retry(struct wt_perf *perf, const struct perf_event_attr *attr, pid_t pid, uint32_t cpu,
		       int group);
/** Opens the event for moved memory (moves.h) in the ring, where it is reported. When that fails, it is
 * reported nowhere, and a note says so. */
void wt_perf_moves_open(struct wt_perf *perf, struct wt_perf_ring *ring);
void wt_perf_moves_close(struct wt_perf *perf, const struct wt_perf_ring *ring);
/** Opens one descriptor into the ring, of a thread on the ring's CPU or, with pid -1, of all threads there.
 * The first owns the buffer; further ones are redirected to it. Returns 1 when the thread has ended. */
int wt_perf_open_event(struct wt_perf *perf, struct wt_perf_ring *ring, struct perf_event_attr attr,
		       struct wt_perf_fd of, pid_t pid, int group, struct wt_err *err);

/* open.c */
/** Iterates the CPUs whose rings are open. */
#define wt_perf_each_cpu(perf, c)                                                          \
	for (struct wt_perf_cpu *c = (perf)->cpus; c < (perf)->cpus + (perf)->n_cpus; c++) \
		if (c->open)
/** The rings of a CPU. */
enum { WT_PERF_RINGS = 4 };
/** Opens and maps the rings of a CPU. After a failure nothing of them is left. */
int wt_perf_open_cpu(struct wt_perf *perf, uint32_t cpu, struct wt_err *err);
/** Opens the sideband of a CPU that came late where processes are followed: for all threads there, because
 * only the kernel knows which of them belong to the processes. Does nothing where wt_perf_open_cpu opened
 * it. */
int wt_perf_open_sideband(struct wt_perf *perf, uint32_t cpu, struct wt_err *err);
/** Adds the counts of its descriptors to `past`, closes and unmaps them. */
void wt_perf_close_cpu(struct wt_perf *perf, uint32_t cpu);
/** Closes the rings of all CPUs. */
void wt_perf_close_all(struct wt_perf *perf);

#endif
