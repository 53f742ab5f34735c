/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the files of the perf back end share: slots (events asked for), rings, CPUs.
 *
 *   wt_perf -> cpus[cpu] -> three rings (sideband, names, samples) -> descriptors, each of one slot
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
#include "providers/perf/perf.h"
#include "providers/perf/record.h"
#include "providers/perf/rest.h"
#include "providers/perf/ring.h"
#include "providers/perf/textfile.h"
#include "providers/perf/tracepoint.h"
#include "providers/perf/unsampled.h"
#include "providers/perf/vary.h"

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
	uint8_t n_vary;                      /**< timers of varying periods that share it; 0: as asked */
	bool varies;          /**< its frequency is drawn at random; with n_vary its periods are */
	bool machine;         /**< of CPUs, whatever runs there; else of threads */
	bool counts;          /**< of the group of counters */
	bool accounts;        /**< what its samples do not account for is reported, thread by thread */
	uint64_t hz, hz_most; /**< samples a second of one that varies */
	uint64_t span;        /**< ns that a sample stands for, of one that accounts */
};

/** The kinds the translation writes. */
struct wt_perf_kinds {
	uint32_t proc[WT_THREAD_NAME + 1];   /**< by enum wt_proc_event */
	uint32_t image[WT_IMAGE_UNLOAD + 1]; /**< by enum wt_loader_event */
	uint32_t sample, lost, unsampled, cpu_time;
};

/** What a reader of a ring must know beyond the bytes in it, for the recorder that takes over: lives in
 * memory shared by all processes of the session, written at each release just before data_tail moves. Two
 * copies; the one whose tail is the reader's holds. */
struct wt_perf_shared {
	struct wt_perf_held held;
	uint32_t turn; /**< the copy written last */
	struct wt_perf_carry {
		uint64_t tail;
		uint64_t lost;       /**< sum of all loss records before tail */
		uint64_t last_time;  /**< of the record before tail */
		uint64_t ahead;      /**< of `lost`: reported before their loss record came */
		uint64_t emptied_to; /**< the ring was empty, all before this position released ... */
		uint64_t emptied;    /**< ... at this time; 0: not seen empty */
	} copy[2];
	uint64_t began; /**< when its events began to count; 0: not yet, or each by itself */
};

struct wt_perf_fd {
	int fd;
	uint32_t slot; /**< or WT_PERF_SLOT_SIDEBAND, WT_PERF_SLOT_INODES, WT_PERF_SLOT_NAMES */
	uint32_t part; /**< which of the slot's n_vary timers, or of the counters */
};

/** What a closed descriptor had counted. */
struct wt_perf_past {
	uint64_t produced, lost;
	uint64_t unsampled; /**< counted and not sampled (account.h) */
};

/** What a ring's source got to know of processes, for rest.h. Empty where nothing accounts for its samples.
 */
struct wt_perf_noted {
	struct wt_perf_unsampled processes; /**< that did not end: of samples and spans, and ns */
	bool waits;                         /**< the source has not come to its end */
};

struct wt_perf_ring {
	uint32_t id, cpu;
	bool sideband; /**< of names too */
	bool names;
	char name[32];
	struct wt_perf_fd *fds; /**< owned */
	size_t n_fds, cap_fds;
	bool copies;     /**< its event "bpf-output" is among them */
	bool everybodys; /**< of whatever runs though processes are traced: for identity, not for the log */
	size_t poll;     /**< the descriptor poll uses: one whose task still lives */
	uint8_t *map;    /**< control page and data; NULL: not mapped in this process */
	size_t control_size; /**< bytes of the control page, in front of the data */
	uint64_t data_size;  /**< bytes, a power of two */
	struct wt_perf_shared *shared;
	struct wt_perf_sums *sums; /**< shared as well: n_slots for each copy in shared; NULL: sideband */
	struct wt_perf_hold hold;
	struct wt_perf_source *source; /**< NULL: none */
	struct wt_perf_past *past;     /**< by slot; owned; NULL until the ring was closed once */
	uint64_t gone_from, gone_to;   /**< blind span to report: the CPU was away; 0 none */
	uint64_t ended;                /**< when its events stopped counting; 0: they count */
	struct wt_perf_noted noted;
};

struct wt_perf_cpu {
	bool open;
	struct wt_perf_ring sideband, names, samples;
};

/** The sideband wakes the recorder when it is as full as that, thousandths. */
#define WT_PERF_WAKE_FILL 500

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
	bool no_images;           /**< the sideband has no mappings */
	struct wt_perf_caps caps;
	struct perf_event_attr dummy;
	struct perf_event_attr inodes; /**< the same for mappings alone, without build ids */
	struct perf_event_attr names;  /**< for names alone; the dummy has them too where they have no ring */
	struct wt_perf_ids ids;
	struct wt_intern threads; /**< thread ids already attached */

	pid_t *pids; /**< owned; n_pids 0: whole machine */
	size_t n_pids;
	bool child;
	struct wt_cpuset online;      /**< CPUs with open rings */
	struct wt_cpuset sample_cpus; /**< asked for; empty: all */
	uint32_t sample_pages, sideband_pages, names_pages;
	unsigned max_stack; /**< frames the kernel walks */
	uint32_t
		stack_bytes; /**< of a user stack copied with each sample that has one; 0: the kernel walks */
	bool stack_chosen;   /**< how many is ours to choose */

	struct wt_perf_bpf *bpf;    /**< owned; NULL: none */
	struct wt_bpf_lives *watch; /**< owned; NULL: none */
	struct wt_lives *lives;     /**< owned; NULL: none, for the reason in no_lives */
	char no_lives[120];
	bool copy_refused;                /**< noted that stacks are not copied on everywhere */
	struct wt_bpf_settings *settings; /**< bpf's, when it copies stacks on; NULL */
	uint8_t *marks;                   /**< settings->marks where our thread ids are those; NULL */
	struct wt_perf_cpu *cpus;         /**< by CPU number; owned */
	uint32_t n_cpus;                  /**< possible CPUs */
	struct wt_perf_shared *shared;
	struct wt_perf_counts counts;
	struct wt_perf_chain *chains; /**< shared: 2 for each possible CPU, as copies in wt_perf_shared; NULL:
					 no counters */
	struct wt_perf_sums *sums;    /**< shared: 2 * n_slots for each possible CPU */
	uint8_t *holds; /**< shared: hold_stride bytes for each possible CPU; NULL: nothing can be held. Names
			 * are not */
	uint64_t hold_stride;    /**< its sideband's, behind its samples' */
	const char *online_path; /**< the list of online CPUs; tests point it elsewhere */
	bool armed;
	int cpu_events;      /**< netlink socket of the kernel's CPU events; -1 none */
	pid_t cpu_events_of; /**< whose socket: each process has its own, so that none misses news */
	int wake;            /**< eventfd: a probe took a wake-up that poll has to see; -1 none */
	uint64_t last_online_check;
	uint64_t *late; /**< shared: by CPU, when one that came while threads were traced was not there yet:
			 * no event of theirs is there; 0: another; NULL: not open */
	struct wt_cpuset late_told;
	bool follows; /**< samples of CPUs are filtered for pids and what they start */
	bool follow_failed;
	struct wt_perf_rest rest;
	bool out_of_files;   /**< an event could not be opened for want of descriptors */
	uint64_t *idle;      /**< ns by CPU when the session began; owned; NULL: nobody asks */
	uint64_t idle_from;  /**< when that was */
	struct wt_vary vary; /**< periods are drawn from it */
	uint64_t next_draw;  /**< when they are drawn again; 0: not yet */

	wt_gate_fn *gate; /**< asked by the sources; NULL: they give all */
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

/* descriptors.c */
/** Adds a descriptor to the ring's, which owns it then. -1: memory. */
int wt_perf_ring_add_fd(struct wt_perf_ring *ring, struct wt_perf_fd fd);
int wt_perf_ring_map(struct wt_perf_ring *ring, struct wt_err *err);
void wt_perf_ring_unmap(struct wt_perf_ring *ring);
/** Enables or disables all descriptors of a ring: PERF_EVENT_IOC_ENABLE, _DISABLE. */
int wt_perf_ring_control(struct wt_perf_ring *ring, unsigned long request, struct wt_err *err);

/* counts.c */
/** Reads one descriptor's counts; lost is 0 where the kernel does not tell. Of a counter of a group: nothing.
 */
int wt_perf_fd_read(const struct wt_perf *perf, const struct wt_perf_fd *fd, struct wt_perf_past *ret);
/** What was counted of all threads by a ring's descriptors of a slot that accounts; ns. */
uint64_t wt_perf_ring_counted(const struct wt_perf *perf, const struct wt_perf_ring *ring);
/** The sum of PERF_FORMAT_LOST over the descriptors of a ring; of events that come twice, once. */
uint64_t wt_perf_ring_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring);
/** The sum of PERF_FORMAT_LOST over the descriptors that a slot has in a ring. */
uint64_t wt_perf_ring_slot_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot);

/* shared.c */
/** Maps perf->shared, sums and late, and holds where something may be held. Before the first fork. */
int wt_perf_shared_open(struct wt_perf *perf, struct wt_err *err);
void wt_perf_shared_close(struct wt_perf *perf);
/** What may still be held, of all rings together. Bytes. */
uint64_t wt_perf_hold_room(const struct wt_perf *perf);

/* sizes.c */
/** Decides how much of a stack is copied and how large the rings are, where the request left it open. */
void wt_perf_choose_sizes(struct wt_perf *perf);
/** Where it is ours to choose: lowers stack_bytes until the rings hold more than a handful of samples. */
void wt_perf_fit_stacks(struct wt_perf *perf);
/** Bytes in the ring that wake the recorder. */
uint32_t wt_perf_watermark(const struct wt_perf *perf, const struct wt_perf_ring *ring);
/** The BPF program may copy on the user stacks of the slot's samples. */
bool wt_perf_is_copied_on(const struct wt_perf_slot *slot);
/** What the kernel itself is to copy of a slot's user stacks, where `bytes` is our choice: less where the
 * program copies on. */
uint32_t wt_perf_dump_bytes(const struct wt_perf *perf, const struct wt_perf_slot *slot, uint32_t bytes);

/* periods.c */
/** What a slot's descriptors of one CPU or thread begin with, in slot->n_vary places (one for a frequency
 * that varies). */
void wt_perf_draw(struct wt_perf *perf, const struct wt_perf_slot *slot, uint64_t *ret);

/* follow.c */
/** Where processes are traced: makes the kernel drop samples of CPUs that are of others. False: it cannot be
 * done here, which is noted. Asks once. */
bool wt_perf_follow(struct wt_perf *perf);
/** Process and thread ids are those the BPF program sees; in a container they are others. */
bool wt_perf_numbers_are_the_machines(void);
/** The event samples CPUs and drops what is of other processes. */
bool wt_perf_is_filtered(const struct wt_perf *perf, uint32_t slot);

/* watch.c */
/** Has beginnings and ends of processes reported, where that can be had. Failing costs only that. */
void wt_perf_watch_open(struct wt_perf *perf);
void wt_perf_watch_close(struct wt_perf *perf);

/* copies.c */
/** Loads the program on sampling events where it can be had and is of use; says so when it cannot. */
void wt_perf_copies_init(struct wt_perf *perf);
/** Has it copy stacks on for a sampling event that was opened into the ring. Failing costs only that. */
void wt_perf_copies_add(struct wt_perf *perf, struct wt_perf_ring *ring, int fd, uint32_t slot);
/** The ring is about to be closed. */
void wt_perf_copies_remove(struct wt_perf *perf, struct wt_perf_ring *ring);

/* idle.c */
/** Notes how long CPUs have been idle, where CPUs are sampled. */
void wt_perf_idle_begin(struct wt_perf *perf);

/* late.c */
/** CPU `cpu` came online: from the last look on, threads that were traced before have no event there. The
 * log's last events say so. */
void wt_perf_late_note(struct wt_perf *perf, uint32_t cpu);
/** A CPU that came late and was not reported yet, and since when it may be there: then it is. */
bool wt_perf_late_next(struct wt_perf *perf, uint32_t *cpu, uint64_t *from);
/** The providers whose events threads have on the CPUs that were there when they were attached, and on no
 * other; written into text. */
struct wt_str wt_perf_late_providers(const struct wt_perf *perf, char *text, size_t size);

/* cpu_news.c */
/** Begins to listen for CPUs that come and go; in a process that inherited a socket, with one of its own. */
void wt_perf_cpu_news_open(struct wt_perf *perf);
/** Adds the CPUs that went since the last look, whatever they do now. True: some news was lost, all CPUs are
 * in doubt. */
bool wt_perf_cpu_news_read(struct wt_perf *perf, struct wt_cpuset *bounced);

/* source.c */
/** Makes the ring's source, ring->source; -1 when memory is out. */
int wt_perf_source_create(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err);
void wt_perf_source_destroy(struct wt_perf_source *source);
struct wt_source *wt_perf_source_base(struct wt_perf_source *source);
/** Sums by slot of what it read; n_slots of them. */
const struct wt_perf_sums *wt_perf_source_sums(const struct wt_perf_source *source);

/* slots.c */
/** Adds a slot; NULL: memory. */
struct wt_perf_slot *wt_perf_add_slot(struct wt_perf *perf, const char *provider, const char *name);

/** The kernel's half of a stack, and of the user's half either what the kernel finds by frame pointers, or
 * what is needed to walk it elsewhere. */
void wt_perf_ask_stack(const struct wt_perf *perf, struct perf_event_attr *attr);

/* open_event.c */
/** perf_event_open(2), with all the descriptors the hard limit allows. group: the leader's, or -1. */
int wt_perf_open_retry(struct wt_perf *perf, const struct perf_event_attr *attr, pid_t pid, uint32_t cpu,
		       int group);
/** Opens one descriptor into the ring, of a thread on the ring's CPU or, with pid -1, of whatever runs there:
 * the first owns the buffer, further ones are redirected to it. 1: the thread has gone. */
int wt_perf_open_event(struct wt_perf *perf, struct wt_perf_ring *ring, struct perf_event_attr attr,
		       struct wt_perf_fd of, pid_t pid, int group, struct wt_err *err);

/* open.c */
/** Iterates the CPUs whose rings are open. */
#define wt_perf_each_cpu(perf, c)                                                          \
	for (struct wt_perf_cpu *c = (perf)->cpus; c < (perf)->cpus + (perf)->n_cpus; c++) \
		if (c->open)
/** The rings of a CPU. */
enum { WT_PERF_RINGS = 3 };
/** Opens, and maps, the rings of a CPU. On failure nothing of it stays. */
int wt_perf_open_cpu(struct wt_perf *perf, uint32_t cpu, struct wt_err *err);
/** The sideband of a CPU that came late to processes that are followed: of whatever runs there, for who of
 * them has mappings to tell is known to the kernel alone. Nothing where wt_perf_open_cpu opened it. */
int wt_perf_open_sideband(struct wt_perf *perf, uint32_t cpu, struct wt_err *err);
/** Folds the counts of its descriptors into `past` and closes them, unmaps. */
void wt_perf_close_cpu(struct wt_perf *perf, uint32_t cpu);
/** Closes the rings of all CPUs. */
void wt_perf_close_all(struct wt_perf *perf);

#endif
