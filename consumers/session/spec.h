/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The data that a session records, from the options of `start` and `record`, checked and in order.
 *
 * Provider syntax: NAME[:KEYWORDS[:LEVEL[:stack]]], several separated by commas. NAME is pmu-profile, loader,
 * proc_thread (or the ETW flag names PROFILE, LOADER, PROC_THREAD in any case), linux:SUBSYSTEM:EVENT, or the
 * name of a program's provider, registered already or not yet. A name that looks like a misspelt kernel
 * provider is refused; user:NAME says that a program's is meant. KEYWORDS is a number (0x3) or keyword names
 * joined by '|'; LEVEL a number or critical, error, warning, info, verbose. Provider counters has events in
 * place of keywords: counters:EVENT+EVENT...[:LEVEL][:stack]. program_rule.h has the syntax of
 * --filter.
 */
#ifndef CONSUMERS_SESSION_SPEC_H
#define CONSUMERS_SESSION_SPEC_H

#include "providers/perf/perf.h"
#include "consumers/session/program_rule.h"

/** Most providers in one session; names beyond it are refused. */
#define WT_SPEC_MAX 256

/** One -p item. */
struct wt_spec_provider {
	char *name;     /**< canonical: "pmu-profile", "linux:sched" */
	char *event;    /**< tracepoints: the event or "*"; otherwise NULL */
	char *keywords; /**< as the user wrote them; NULL when not given: all */
	uint8_t level;  /**< 0: all */
	bool stack;
	bool added; /**< not requested, but needed by another */
	bool user;  /**< a program's, not the kernel's... */
	bool sure;  /**< ...said explicitly: user:NAME */
	bool bare;  /**< of a set: has stacks only where --stackwalk names it */
};

/** The owner of the rings that receive a program's events. */
enum wt_spec_buffers { WT_BUFFERS_CHOSEN = 0, WT_BUFFERS_USER, WT_BUFFERS_PROCESS };

/** How the user half of the kernel's events' stacks is walked. */
enum wt_spec_unwind { WT_UNWIND_CHOSEN = 0, WT_UNWIND_TABLES, WT_UNWIND_FP };

struct wt_spec {
	char *session; /**< never NULL */
	char *output;  /**< absolute path or NULL */
	char *command; /**< absolute path of the program that will be run, or NULL */
	struct wt_spec_provider providers[WT_SPEC_MAX];
	size_t n_providers;
	char *events[WT_SPEC_MAX]; /**< -e */
	size_t n_events;
	uint64_t frequency;
	char *counters[WT_SPEC_MAX]; /**< of provider counters */
	size_t n_counters;
	uint64_t count_ns; /**< --count-interval; 0: 100 ms */
	pid_t pids[WT_SPEC_MAX];
	size_t n_pids;
	bool child; /**< pids[0] is a child that waits for its exec */
	uint32_t cpus[WT_SPEC_MAX];
	size_t n_cpus;
	uint64_t buffer_bytes; /**< sample ring per CPU, and ring per CPU of programs; 0: chosen */
	uint64_t max_file;     /**< --max-file: bytes the log stays below; 0: it grows */
	uint64_t flush_ns;     /**< --flush: events reach the file within this time; 1 s */
	enum wt_spec_buffers buffers;
	char *filters[WT_SPEC_MAX]; /**< --filter: NAME:KEY=VALUE;... */
	size_t n_filters;
	char *manifests[WT_SPEC_MAX]; /**< --manifest: files that name keywords */
	size_t n_manifests;
	struct wt_program_rule *rules; /**< of programs' providers; owned, made by wt_spec_resolve */
	size_t n_rules;
	bool only_programs;         /**< only programs' providers were requested */
	bool no_images;             /**< no requested event has code addresses */
	bool no_kernel;             /**< perf is not used: not needed, or not permitted */
	bool stackwalk;             /**< --stackwalk without a list: everything that can have stacks */
	enum wt_spec_unwind unwind; /**< --unwind */
	uint32_t stack_bytes; /**< --stack-bytes: bytes of a stack copied with each sample; settled: 0 with
				 fp, or chosen */
	bool stack_must;      /**< settled: tables were requested explicitly */
	char *stack_list[WT_SPEC_MAX];
	size_t n_stack_list;
	bool debuginfod; /**< --debuginfod: names may come from debug files of servers */
	bool force;      /**< -o may replace any file */
	bool json;
	bool tied;         /**< the session ends when the process that launched it does (record) */
	bool quiet_output; /**< the caller prints its own summary (record) */
};

void wt_spec_init(struct wt_spec *spec);
/** True when the spec asks for a program's provider. */
bool wt_spec_has_programs(const struct wt_spec *spec);
/** Makes the rules: looks up keyword names in --manifest and among the providers registered now, and reads
 * filters. Refuses a --pid or --cpu that would not hold for them, and names that belong to something else.
 * Notes the names that no program has registered yet. Reads the user's directory. */
int wt_spec_resolve(struct wt_spec *spec, struct wt_err *err);

/** Call after the options are read. Adds default providers, resolves aliases, adds needed providers, and
 * applies the stack list; notes additions. Non-root without --pid is refused here unless spec->child. */
int wt_spec_settle(struct wt_spec *spec, struct wt_err *err);
/** Fills a perf request that borrows from the spec. tracepoints has room for WT_SPEC_MAX. */
void wt_spec_perf_request(struct wt_spec *spec, struct wt_perf_request *ret,
			  struct wt_perf_tracepoint *tracepoints, char (*names)[256]);
/** Finds for each kind whether the spec's keywords and level admit it to the log (malloc'd, kinds->n bools).
 */
int wt_spec_enabled_kinds(const struct wt_spec *spec, const struct wt_kinds *kinds, bool **ret,
			  struct wt_err *err);
void wt_spec_deinit(struct wt_spec *spec);

#endif
