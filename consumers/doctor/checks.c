// SPDX-License-Identifier: MIT
#include "consumers/doctor/checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/plain.h"

/* Below these limits a recording with default settings loses something. */
enum {
	DEFAULT_HZ = 997,
	DEFAULT_CPU_PERCENT = 25,
	WANTED_MLOCK_KB = 516,
	FILES_PER_CPU = 8,
	FILES_FIXED = 64,
	WANTED_SPOOL_MIB = 256,
	WANTED_RUNTIME_MIB = 16,
};

#define MIB ((int64_t)1024 * 1024)

static void put(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void put(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out, size, fmt, ap);
	va_end(ap);
}

#define VALUE(check, ...) put((check)->value, sizeof((check)->value), __VA_ARGS__)
#define MEANS(check, ...) put((check)->meaning, sizeof((check)->meaning), __VA_ARGS__)

static void judge(struct wt_check *check, enum wt_check_state state, const char *meaning)
{
	check->state = state;
	MEANS(check, "%s", meaning);
}

/* A command that only root may run. */
static void fix_as_root(const struct wt_facts *facts, struct wt_check *check, const char *command)
{
	put(check->fix, sizeof(check->fix), "%s%s", facts->uid ? "sudo " : "", command);
}

static bool unknown(struct wt_check *check, int64_t number)
{
	if (number != WT_FACT_UNKNOWN)
		return false;
	VALUE(check, "unknown");
	judge(check, WT_CHECK_LIMITED, "cannot be read here (is /proc mounted?)");
	return true;
}

static bool may_perfmon(const struct wt_facts *facts)
{
	return wt_facts_can(facts, WT_CAP_PERFMON) || wt_facts_can(facts, WT_CAP_SYS_ADMIN);
}

/* perf_event_open itself fails: reports which of the possible reasons it is. */
static void explain_refusal(const struct wt_facts *facts, struct wt_check *check)
{
	if (facts->perf.own_user == ENOSYS && facts->seccomp != 2) {
		judge(check, WT_CHECK_MISSING, "this kernel was built without CONFIG_PERF_EVENTS");
	} else if (facts->paranoid > 2 && !may_perfmon(facts)) {
		judge(check, WT_CHECK_MISSING,
		      "kernel.perf_event_paranoid above 2 refuses everybody without CAP_PERFMON");
		fix_as_root(facts, check, "sysctl kernel.perf_event_paranoid=2");
	} else if (facts->seccomp == 2) {
		judge(check, WT_CHECK_MISSING, "a seccomp filter refuses the call, as container engines do");
		put(check->fix, sizeof(check->fix),
		    "start the container with --security-opt seccomp=unconfined --cap-add PERFMON");
	} else {
		judge(check, WT_CHECK_MISSING,
		      "the kernel refuses the call; a security module may forbid it");
	}
}

static bool whole_machine(const struct wt_facts *facts)
{
	return facts->uid == 0 && facts->perf.machine == 0;
}

static const char *scope_text(const struct wt_facts *facts)
{
	if (whole_machine(facts))
		return "whole machine, kernel and user mode";
	return facts->perf.own_kernel == 0 ? "your own processes, kernel and user mode"
					   : "your own processes, user mode only";
}

static void check_perf(const struct wt_facts *facts, struct wt_check *check)
{
	check->needed = true;
	if (facts->perf.own_user) {
		VALUE(check, "%s", strerror(facts->perf.own_user));
		explain_refusal(facts, check);
		return;
	}
	VALUE(check, "%s", scope_text(facts));
	if (whole_machine(facts))
		judge(check, WT_CHECK_OK, "sampling and counting work");
	else if (facts->uid)
		judge(check, WT_CHECK_LIMITED,
		      "use record -- COMMAND or --pid; the whole machine is for root");
	else
		judge(check, WT_CHECK_LIMITED,
		      "use record -- COMMAND or --pid; this root lacks CAP_PERFMON, as in a container");
}

/* Tracepoints of whole CPUs, or the kernel's records of own threads. */
static void check_switches(const struct wt_facts *facts, struct wt_check *check)
{
	if (facts->perf.own_user) {
		VALUE(check, "none");
		judge(check, WT_CHECK_MISSING, "perf_event_open is refused");
		return;
	}
	VALUE(check, "%s", facts->perf.machine == 0 ? "of all threads" : "of your own processes");
	if (facts->perf.machine == 0) {
		judge(check, WT_CHECK_OK,
		      "-p cswitch,dispatcher records waits, their stacks and who ends them");
		return;
	}
	judge(check, WT_CHECK_LIMITED,
	      "-p cswitch records when threads run, wait and are preempted; who wakes them, the stacks of "
	      "waits and who has the CPU meanwhile take root");
}

static void check_paranoid(const struct wt_facts *facts, struct wt_check *check)
{
	if (unknown(check, facts->paranoid))
		return;
	VALUE(check, "%" PRId64, facts->paranoid);
	if (may_perfmon(facts)) {
		judge(check, WT_CHECK_OK, "does not bind you: you have CAP_PERFMON or are root");
	} else if (facts->paranoid > 2) {
		judge(check, WT_CHECK_MISSING, "users without CAP_PERFMON can record nothing");
		fix_as_root(facts, check, "sysctl kernel.perf_event_paranoid=2");
	} else if (facts->paranoid == 2) {
		judge(check, WT_CHECK_LIMITED, "your own processes in user mode only; 1 adds kernel mode");
		fix_as_root(facts, check, "sysctl kernel.perf_event_paranoid=1");
	} else if (facts->paranoid >= 0) {
		judge(check, WT_CHECK_LIMITED,
		      "your own processes; -1 adds kernel tracepoints and lifts the limit on locked memory");
		fix_as_root(facts, check, "sysctl kernel.perf_event_paranoid=-1");
	} else {
		judge(check, WT_CHECK_OK, "your own processes, without limits");
	}
}

static void check_sample_rate(const struct wt_facts *facts, struct wt_check *check)
{
	if (unknown(check, facts->max_sample_rate))
		return;
	VALUE(check, "%" PRId64 " Hz", facts->max_sample_rate);
	if (facts->max_sample_rate >= DEFAULT_HZ) {
		judge(check, WT_CHECK_OK,
		      "the highest -F; the kernel lowers it by itself when sampling interrupts take too "
		      "long");
		return;
	}
	judge(check, WT_CHECK_LIMITED, "below the default of 997 Hz: fewer samples are taken");
	fix_as_root(facts, check, "sysctl kernel.perf_event_max_sample_rate=100000");
}

static void check_cpu_time(const struct wt_facts *facts, struct wt_check *check)
{
	if (unknown(check, facts->cpu_time_max_percent))
		return;
	VALUE(check, "%" PRId64 " %%", facts->cpu_time_max_percent);
	if (facts->cpu_time_max_percent == 0 || facts->cpu_time_max_percent >= DEFAULT_CPU_PERCENT) {
		judge(check, WT_CHECK_OK,
		      "share of a CPU that sampling interrupts may take before the kernel lowers the rate "
		      "(0: no bound)");
		return;
	}
	judge(check, WT_CHECK_LIMITED,
	      "the kernel lowers the sample rate early; spans held back are shown as blind");
	fix_as_root(facts, check, "sysctl kernel.perf_cpu_time_max_percent=25");
}

static void check_kernel_symbols(const struct wt_facts *facts, struct wt_check *check)
{
	if (facts->kptr_restrict == WT_FACT_UNKNOWN)
		VALUE(check, "kptr_restrict unknown");
	else
		VALUE(check, "kptr_restrict %" PRId64, facts->kptr_restrict);
	if (facts->kernel_symbols) {
		judge(check, WT_CHECK_OK, "kernel functions are shown by name");
		return;
	}
	judge(check, WT_CHECK_LIMITED,
	      "kernel addresses are hidden from you: kernel functions stay without names");
	if (facts->kptr_restrict > 1 || !facts->uid)
		fix_as_root(facts, check, "sysctl kernel.kptr_restrict=0");
	else
		fix_as_root(facts, check, "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
}

static void check_locked_memory(const struct wt_facts *facts, struct wt_check *check)
{
	char limit[32] = "unlimited";

	if (unknown(check, facts->mlock_kb))
		return;
	if (facts->memlock != WT_FACT_UNLIMITED)
		put(limit, sizeof(limit), "%" PRId64 " KiB", facts->memlock / 1024);
	VALUE(check, "%" PRId64 " KiB per CPU, RLIMIT_MEMLOCK %s", facts->mlock_kb, limit);
	if (wt_facts_can(facts, WT_CAP_IPC_LOCK) || facts->paranoid == -1) {
		judge(check, WT_CHECK_OK, "does not bind you: ring buffers may be of any size");
	} else if (facts->mlock_kb >= WANTED_MLOCK_KB) {
		judge(check, WT_CHECK_OK, "enough for your ring buffers; a larger --buffer-size needs more");
	} else {
		judge(check, WT_CHECK_LIMITED, "ring buffers will be small: events may be lost under load");
		fix_as_root(facts, check, "sysctl kernel.perf_event_mlock_kb=516");
	}
}

static void check_open_files(const struct wt_facts *facts, struct wt_check *check)
{
	int64_t wanted = facts->cpus * FILES_PER_CPU + FILES_FIXED;

	if (unknown(check, facts->files_max))
		return;
	if (facts->files_max == WT_FACT_UNLIMITED)
		VALUE(check, "unlimited");
	else
		VALUE(check, "%" PRId64 ", at most %" PRId64, facts->files, facts->files_max);
	if (facts->files_max >= wanted) {
		judge(check, WT_CHECK_OK,
		      "each event takes one descriptor per CPU; raised by itself when needed");
		return;
	}
	check->state = WT_CHECK_LIMITED;
	MEANS(check, "a session with few events wants %" PRId64 " on %" PRId64 " CPUs", wanted, facts->cpus);
	put(check->fix, sizeof(check->fix), "ulimit -Hn %" PRId64 "  (as root)", wanted);
}

/* Changing the directory's mode is not enough: only their group can read the files in it. */
static void fix_closed_tracefs(const struct wt_facts *facts, struct wt_check *check)
{
	char command[160];

	put(command, sizeof(command), "mount -o remount,mode=750,gid=%u /sys/kernel/tracing%s", facts->gid,
	    facts->paranoid == -1 ? "" : " && sudo sysctl kernel.perf_event_paranoid=-1");
	fix_as_root(facts, check, command);
}

static void check_tracefs(const struct wt_facts *facts, struct wt_check *check)
{
	switch (facts->tracefs) {
	case WT_DIRECTORY_USABLE:
		VALUE(check, "/sys/kernel/tracing");
		judge(check, WT_CHECK_OK, "any kernel tracepoint can be recorded as linux:SUBSYSTEM:EVENT");
		break;
	case WT_DIRECTORY_CLOSED:
		VALUE(check, "/sys/kernel/tracing, not readable");
		judge(check, WT_CHECK_LIMITED, "kernel tracepoints (linux:...) cannot be recorded by you");
		fix_closed_tracefs(facts, check);
		break;
	case WT_DIRECTORY_ABSENT:
		VALUE(check, "%s", facts->tracefs_debugfs ? "only below /sys/kernel/debug" : "not mounted");
		judge(check, WT_CHECK_MISSING, "kernel tracepoints (linux:...) cannot be recorded");
		fix_as_root(facts, check, "mount -t tracefs nodev /sys/kernel/tracing");
		break;
	}
}

static void check_cycles(const struct wt_facts *facts, struct wt_check *check)
{
	const char *pmus = facts->pmus[0] ? facts->pmus : "none";

	if (facts->perf.cycles == 0) {
		VALUE(check, "PMUs: %s", pmus);
		judge(check, WT_CHECK_OK, "hardware cycles can be sampled; they are the default event");
		return;
	}
	VALUE(check, "PMUs: %s; cycles: %s", pmus, strerror(facts->perf.cycles));
	if (facts->perf.own_user) {
		judge(check, WT_CHECK_MISSING, "is not known before perf_event_open works");
		return;
	}
	judge(check, WT_CHECK_LIMITED,
	      "no hardware events: pmu-profile samples cpu-clock instead; a virtual machine can be given a "
	      "PMU by "
	      "its host");
}

static void check_lost_counts(const struct wt_facts *facts, struct wt_check *check)
{
	VALUE(check, "Linux %s", facts->release);
	if (facts->perf.lost_counts == 0) {
		judge(check, WT_CHECK_OK, "the kernel counts lost samples per event: losses are exact");
		return;
	}
	if (facts->perf.own_user) {
		judge(check, WT_CHECK_MISSING, "is not known before perf_event_open works");
		return;
	}
	judge(check, WT_CHECK_LIMITED,
	      "this kernel does not count lost samples per event (it takes 6.0): losses are named as spans "
	      "only");
}

static void check_bpf(const struct wt_facts *facts, struct wt_check *check)
{
	VALUE(check, "%s", facts->perf.no_bpf[0] ? facts->perf.no_bpf : "allowed");
	if (!facts->perf.no_bpf[0])
		judge(check, WT_CHECK_OK,
		      "stacks deeper than the kernel's copy are recorded whole, and proved");
	else
		judge(check, WT_CHECK_LIMITED,
		      "callers of stacks deeper than the kernel's copy are cut, or probable and not proved");
}

static void check_clock(const struct wt_facts *facts, struct wt_check *check)
{
	static const char *const fast[] = {"tsc", "arch_sys_counter", "kvm-clock",
					   "hyperv_clocksource_tsc_page"};

	VALUE(check, "%s", facts->clocksource[0] ? facts->clocksource : "unknown");
	for (size_t i = 0; i < sizeof(fast) / sizeof(fast[0]); i++) {
		if (!strcmp(facts->clocksource, fast[i])) {
			judge(check, WT_CHECK_OK, "reading the time is cheap");
			return;
		}
	}
	judge(check, WT_CHECK_LIMITED, "reading the time may be slow: every event costs more");
}

static void check_rseq(const struct wt_facts *facts, struct wt_check *check)
{
	if (facts->rseq_size > 0) {
		VALUE(check, "%" PRId64 " bytes", facts->rseq_size);
		judge(check, WT_CHECK_OK, "programs write to per-CPU rings");
		return;
	}
	VALUE(check, "not registered");
	judge(check, WT_CHECK_LIMITED,
	      "programs use a ring per thread, which costs memory and a little time");
}

static void check_module(const struct wt_facts *facts, struct wt_check *check)
{
	VALUE(check, "%s", facts->module ? "a module of that name is loaded" : "not loaded");
	judge(check, WT_CHECK_MISSING,
	      "not in this version: all kernel events come through perf_event_open, nothing to do");
}

static void check_debug_files(const struct wt_facts *facts, struct wt_check *check)
{
	const char *also = facts->debuginfod[0] ? "; DEBUGINFOD_URLS is set: --debuginfod asks its servers"
						: "";

	VALUE(check, "/usr/lib/debug/.build-id %s%s", facts->debug_directory ? "is there" : "is not there",
	      also);
	if (facts->debug_directory) {
		judge(check, WT_CHECK_OK,
		      "stripped programs are named through it where their package is installed");
		return;
	}
	judge(check, WT_CHECK_LIMITED,
	      "stripped programs show only their exported functions; Debian has PACKAGE-dbg or "
	      "PACKAGE-dbgsym");
	fix_as_root(facts, check, "apt-get install libc6-dbg");
}

static void judge_directory(const struct wt_fact_directory *directory, int64_t wanted_mib,
			    const char *variable, struct wt_check *check)
{
	check->needed = true;
	if (directory->state != WT_DIRECTORY_USABLE) {
		if (directory->taken)
			VALUE(check, "%s, uid %u has the usual name", directory->path, directory->taken_by);
		else
			VALUE(check, "%s, %s", directory->path,
			      directory->state == WT_DIRECTORY_ABSENT
				      ? "cannot be made: the directory above it does not exist"
				      : "you may not write to it");
		judge(check, WT_CHECK_MISSING, "no session can start");
		put(check->fix, sizeof(check->fix), "export %s=DIRECTORY", variable);
		return;
	}
	if (directory->taken)
		VALUE(check, "%s, %" PRId64 " MiB free; uid %u has the usual name", directory->path,
		      directory->free_bytes / MIB, directory->taken_by);
	else
		VALUE(check, "%s, %" PRId64 " MiB free", directory->path, directory->free_bytes / MIB);
	if (directory->free_bytes >= wanted_mib * MIB)
		return;
	judge(check, WT_CHECK_LIMITED,
	      "little room: when it is full, events are lost and counted; the log stays readable");
	put(check->fix, sizeof(check->fix), "export %s=DIRECTORY", variable);
}

static void check_spool(const struct wt_facts *facts, struct wt_check *check)
{
	judge(check, WT_CHECK_OK, "logs grow here until stop");
	judge_directory(&facts->spool, WANTED_SPOOL_MIB, "WTRACE_SPOOL", check);
}

static void check_runtime(const struct wt_facts *facts, struct wt_check *check)
{
	judge(check, WT_CHECK_OK, "sessions have their control sockets here");
	judge_directory(&facts->runtime, WANTED_RUNTIME_MIB, "WTRACE_RUNTIME", check);
	if (!facts->odd_directories || check->state != WT_CHECK_OK)
		return;
	/* No command is offered: the user has chosen the name. */
	check->state = WT_CHECK_LIMITED;
	MEANS(check,
	      "in %u director%s of users an entry is invalid, and its events are not recorded: uid %u or "
	      "root should remove %.120s",
	      facts->odd_directories, facts->odd_directories == 1 ? "y" : "ies", facts->odd_uid,
	      facts->odd_part);
	wt_plain(check->meaning, sizeof(check->meaning));
}

static void check_walls(const struct wt_facts *facts, struct wt_check *check)
{
	bool filtered = facts->seccomp == 2;
	bool locked = facts->lockdown[0] && strcmp(facts->lockdown, "none") != 0;

	VALUE(check, "container: %s, seccomp filter: %s, lockdown: %s", facts->container ? "yes" : "no",
	      filtered ? "yes" : "no", facts->lockdown[0] ? facts->lockdown : "none");
	if (locked && !strcmp(facts->lockdown, "confidentiality"))
		judge(check, WT_CHECK_LIMITED,
		      "lockdown=confidentiality forbids kernel addresses and tracefs, to root too");
	else if (facts->container)
		judge(check, WT_CHECK_LIMITED,
		      "processes outside may show without files: record on the host, or share its pid "
		      "namespace");
	else if (filtered)
		judge(check, WT_CHECK_LIMITED,
		      "system calls are filtered; perf_event_open above says whether it matters");
	else
		judge(check, WT_CHECK_OK, "nothing in the way");
}

static const struct {
	const char *name;
	void (*make)(const struct wt_facts *facts, struct wt_check *check);
} table[] = {
	{"perf_event_open", check_perf},
	{"perf_event_paranoid", check_paranoid},
	{"context switches", check_switches},
	{"hardware counters", check_cycles},
	{"tracefs", check_tracefs},
	{"kernel symbols", check_kernel_symbols},
	{"debug files", check_debug_files},
	{"sample rate", check_sample_rate},
	{"sampling time", check_cpu_time},
	{"locked memory", check_locked_memory},
	{"open files", check_open_files},
	{"loss counts", check_lost_counts},
	{"BPF", check_bpf},
	{"clock", check_clock},
	{"spool directory", check_spool},
	{"runtime directory", check_runtime},
	{"confinement", check_walls},
	{"rseq", check_rseq},
	{"kernel module", check_module},
};
_Static_assert(sizeof(table) / sizeof(table[0]) <= WT_CHECKS_MAX, "room for every check");

size_t wt_checks_make(const struct wt_facts *facts, struct wt_check checks[WT_CHECKS_MAX])
{
	size_t n = sizeof(table) / sizeof(table[0]);

	for (size_t i = 0; i < n; i++) {
		checks[i] = (struct wt_check){.name = table[i].name};
		table[i].make(facts, &checks[i]);
	}
	return n;
}

bool wt_checks_verdict(const struct wt_facts *facts, const struct wt_check *checks, size_t n,
		       const char **scope)
{
	*scope = scope_text(facts);
	for (size_t i = 0; i < n; i++) {
		if (checks[i].needed && checks[i].state == WT_CHECK_MISSING)
			return false;
	}
	return true;
}

const char *wt_check_state_name(enum wt_check_state state)
{
	static const char *const names[] = {"ok", "limited", "missing"};

	return names[state];
}
