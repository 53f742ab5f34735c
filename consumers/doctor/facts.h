/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Facts about the machine and the caller that doctor judges: settings, limits, directories, capabilities.
 *
 * Gathering reads only; a file that is missing or unreadable leaves its fact unknown and is never an error.
 */
#ifndef CONSUMERS_DOCTOR_FACTS_H
#define CONSUMERS_DOCTOR_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "providers/perf/abilities.h"

/** A number that could not be read. */
#define WT_FACT_UNKNOWN INT64_MIN
/** A limit that is none. */
#define WT_FACT_UNLIMITED INT64_MAX

/** Capabilities that matter here, as bits of CapEff in /proc/PID/status. */
enum wt_cap {
	WT_CAP_IPC_LOCK = 14,
	WT_CAP_SYS_ADMIN = 21,
	WT_CAP_SYSLOG = 34,
	WT_CAP_PERFMON = 38,
};

enum wt_directory_state { WT_DIRECTORY_ABSENT = 0, WT_DIRECTORY_CLOSED = 1, WT_DIRECTORY_USABLE = 2 };

/** A private directory that recording writes to; sessions make it when it is absent. CLOSED: it belongs to
 * somebody else, or the caller may not make it. ABSENT: it and the directory above it do not exist. */
struct wt_fact_directory {
	char path[PATH_MAX];
	enum wt_directory_state state;
	int64_t free_bytes; /**< for the caller; WT_FACT_UNKNOWN */
	bool taken;         /**< the usual name belongs to somebody else */
	uint32_t taken_by;
};

struct wt_facts {
	uint32_t uid, gid;
	uint64_t capabilities; /**< effective; 0 inside a user namespace, where the kernel does not count them
				*/
	int64_t cpus;          /**< online */
	char release[128];     /**< uname -r */

	int64_t paranoid, max_sample_rate, cpu_time_max_percent, mlock_kb, kptr_restrict; /**< sysctls */
	int64_t memlock;          /**< RLIMIT_MEMLOCK, bytes */
	int64_t files, files_max; /**< RLIMIT_NOFILE, soft and hard */
	struct wt_perf_abilities perf;
	bool kernel_symbols; /**< /proc/kallsyms shows addresses to the caller */
	char pmus[256];      /**< names under event_source, without the software ones */

	enum wt_directory_state tracefs;         /**< USABLE: events/ can be listed and read */
	bool tracefs_debugfs;                    /**< only the old place below debugfs is there */
	int64_t rseq_size;                       /**< bytes glibc registered; 0: none */
	bool module;                             /**< wtrace.ko is loaded */
	bool debug_directory;                    /**< /usr/lib/debug/.build-id is there */
	char debuginfod[256];                    /**< DEBUGINFOD_URLS; empty: not set */
	struct wt_fact_directory spool, runtime; /**< where session logs grow; where sockets live */
	uint32_t odd_directories;                /**< for root: invalid directories of users beside runtime */
	uint32_t odd_uid;                        /**< whose the first one is */
	char odd_part[PATH_MAX];                 /**< the first of these; valid if there are any */
	char clocksource[64];                    /**< empty: unknown */
	int64_t seccomp;                         /**< 0 none, 1 strict, 2 filter */
	bool container;                          /**< signs of a container were found */
	char lockdown[32]; /**< "none", "integrity", "confidentiality"; empty: unknown */
};

/** Fills ret from the files below root ("" for the real machine, no slash at the end). */
void wt_facts_read(const char *root, struct wt_facts *ret);
/** Fills in the facts about the process itself, and those that are found by trying: user, limits, perf,
 * directories, rseq. */
void wt_facts_probe(struct wt_facts *ret);

bool wt_facts_can(const struct wt_facts *facts, enum wt_cap cap);

#endif
