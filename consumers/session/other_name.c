// SPDX-License-Identifier: MIT
#include "consumers/session/other_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "providers/perf/perf.h"

#define WINDOWS "Microsoft-Windows-"

/* Flags of ETW's kernel logger, each with its nearest equivalent here. */
static const struct flag {
	const char *name, *here;
} flags[] = {
	{"DISK_IO", "-p linux:block:block_rq_issue,linux:block:block_rq_complete"},
	{"DISK_IO_INIT", "-p linux:block:block_rq_issue"},
	{"FILE_IO", "-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit"},
	{"FILE_IO_INIT", "-p linux:raw_syscalls:sys_enter"},
	{"FILENAME", "-p loader"},
	{"FLT_IO", "-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit"},
	{"FLT_IO_INIT", "-p linux:raw_syscalls:sys_enter"},
	{"FLT_FASTIO", "-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit"},
	{"OPTICAL_IO", "-p linux:block:block_rq_issue,linux:block:block_rq_complete"},
	{"SPLIT_IO", "-p linux:block:block_split"},
	{"COMPACT_CSWITCH", "-p CSWITCH"},
	{"PRIORITY", "-p linux:sched:sched_pi_setprio"},
	{"SPINLOCK", "-p linux:lock:contention_begin,linux:lock:contention_end"},
	{"KQUEUE", "-p linux:workqueue:workqueue_execute_start,linux:workqueue:workqueue_execute_end"},
	{"IPI", "-p 'linux:ipi:*'"},
	{"IDLE_STATES", "-p linux:power:cpu_idle"},
	{"POOL", "-p linux:kmem:kmalloc,linux:kmem:kfree"},
	{"VAMAP", "-p linux:mmap:vm_unmapped_area"},
	{"PERF_COUNTER", "-p counters:EVENT+EVENT"},
	{"KE_CLOCK", "-p linux:timer:hrtimer_expire_entry"},
	{"MEMORY", "-p linux:kmem:mm_page_alloc,linux:kmem:mm_page_free"},
	{"CPU_CONFIG", "-p linux:power:cpu_frequency"},
	{"ALPC", NULL},
	{"CC", NULL},
	{"SESSION", NULL},
	{"DEBUG_EVENTS", NULL},
	{"FLT_IO_FAILURE", NULL},
	{"HV_PROFILE", NULL},
	{"INTERRUPT_STEER", NULL},
	{"OB_HANDLE", NULL},
	{"OB_OBJECT", NULL},
	{"SHOULDYIELD", NULL},
	{"UMS_EVENTS", NULL},
	{"WDF_DPC", NULL},
	{"WDF_INTERRUPT", NULL},
	{"DRIVERS", NULL},
	{"REFSET", NULL},
	{"FOOTPRINT", NULL},
	{"MEMINFO_WS", NULL},
	{"CONTMEMGEN", NULL},
	{"DBGPRINT", "-p linux:printk:console"},
	{"REGISTRY", NULL},
	{"SYSCALL", "-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit"},
	{"INTERRUPT", "-p linux:irq:irq_handler_entry,linux:irq:irq_handler_exit"},
	{"DPC", "-p linux:irq:softirq_entry,linux:irq:softirq_exit"},
	{"ALL_FAULTS", "-e page-faults:1"},
	{"PAGE_FAULTS", "-e page-faults:1"},
	{"HARD_FAULTS", "-e major-faults:1"},
	{"MEMINFO", NULL},
	{"VIRT_ALLOC", "-p linux:raw_syscalls:sys_enter"},
	{"NETWORKTRACE", "-p linux:net:net_dev_queue,linux:net:netif_receive_skb"},
	{"POWER", "-p linux:power:cpu_idle,linux:power:cpu_frequency"},
	{"TIMER", "-p linux:timer:hrtimer_expire_entry"},
	{"PMC_PROFILE", "-e cycles"},
	{"Base", "-p PROFILE,LOADER,PROC_THREAD"},
	{"DiagEasy", "-p PROFILE,LOADER,PROC_THREAD,CSWITCH --stackwalk"},
	{"Diag", "-p PROFILE,LOADER,PROC_THREAD,CSWITCH --stackwalk"},
	{"SysProf", "-p PROFILE,LOADER,PROC_THREAD --stackwalk"},
	{"ResidentSet", "-e page-faults:1 --stackwalk"},
	{"ReferenceSet", "-e page-faults:1 --stackwalk"},
	{"IOTrace", "-p PROFILE,LOADER,PROC_THREAD,linux:block:block_rq_issue,linux:block:block_rq_complete"},
	{"ResumeTrace", "-p PROFILE,LOADER,PROC_THREAD,linux:power:suspend_resume"},
	{"FileIO", "-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit"},
	{"Network", "-p linux:net:net_dev_queue,linux:net:netif_receive_skb"},
	{WINDOWS "Kernel-Process", "-p proc_thread,loader"},
	{WINDOWS "Kernel-Disk", "-p linux:block:block_rq_issue,linux:block:block_rq_complete"},
	{WINDOWS "Kernel-File", "-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit"},
	{WINDOWS "Kernel-Registry", NULL},
};

/* A single word in lower case may well be a program's name. */
static bool is_flag(const struct flag *flag, const char *name)
{
	return strpbrk(flag->name, "_-") ? !strcasecmp(flag->name, name) : !strcmp(flag->name, name);
}

static int fail_flag(const char *name, const char *here, struct wt_err *err)
{
	if (!here)
		return wt_fail(err, WT_ERR_USAGE,
			       "'%s' is a name of Windows, and wtrace has nothing like it; 'wtrace list' "
			       "shows all providers (a program's provider of that name: user:%s)",
			       name, name);
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is a name of Windows; in wtrace that is %s (a program's provider of that name: "
		       "user:%s)",
		       name, here, name);
}

static int check_tracers(const char *name, struct wt_err *err)
{
	static const char *const tracers[] = {"function_graph", "irqsoff",   "preemptoff", "preemptirqsoff",
					      "hwlat",          "wakeup_rt", "mmiotrace",  "function",
					      "wakeup",         "wakeup_dl"};

	if (!strcmp(name, "nop"))
		return wt_fail(
			err, WT_ERR_USAGE,
			"'nop' is the tracer of ftrace that traces nothing; leave it out: -e "
			"SUBSYSTEM:EVENT alone records tracepoints (a program's provider of that name: "
			"user:nop)");

	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (!strcmp(name, tracers[i]))
			return wt_fail(
				err, WT_ERR_USAGE,
				"'%s' is a tracer of ftrace; in wtrace that is --stackwalk with samples or "
				"tracepoints "
				"(a program's provider of that name: user:%s)",
				name, name);
	return 0;
}

static int check_windows(const char *name, struct wt_err *err)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (is_flag(&flags[i], name))
			return fail_flag(name, flags[i].here, err);
	return strncasecmp(name, WINDOWS, strlen(WINDOWS)) ? 0 : fail_flag(name, NULL, err);
}

struct search {
	const char *name, *keywords;
	char found[256]; /* the name to type here; empty: not found */
};

/* -p reads SUBSYSTEM:EVENT as a name and keywords. */
static bool is_tracepoint(const struct search *search, const char *name)
{
	const char *event = strchr(name, ':');
	size_t len = event ? (size_t)(event - name) : 0;

	if (!event)
		return false;
	return !strcmp(event + 1, search->name) ||
	       (search->keywords && strlen(search->name) == len && !memcmp(search->name, name, len) &&
		!strcmp(event + 1, search->keywords));
}

static void on_known(void *ctx, const char *group, const char *name, const char *help)
{
	struct search *search = ctx;

	(void)help;
	if (search->found[0])
		return;
	if (!strcmp(group, "tracepoint") && is_tracepoint(search, name))
		snprintf(search->found, sizeof(search->found), "-p linux:%s", name);
	else if (strcmp(group, "tracepoint") && !strcmp(name, search->name))
		snprintf(search->found, sizeof(search->found), "-e %s", name);
}

int wt_other_name(const struct wt_spec_provider *item, struct wt_err *err)
{
	struct search search = {.name = item->name, .keywords = item->keywords};
	struct wt_err ignored = WT_ERR_INIT;

	if (strspn(item->name, "0123456789") == strlen(item->name))
		return wt_fail(err, WT_ERR_USAGE,
			       "-p takes names of providers, and '%s' is a number; a process is --pid %s (a "
			       "program's provider of that name: user:%s)",
			       item->name, item->name, item->name);
	if (check_windows(item->name, err) || check_tracers(item->name, err))
		return -1;
	/* Without tracefs its events are unknown, and cannot be recorded. */
	wt_perf_list(on_known, &search, &ignored);
	if (!search.found[0])
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is an event of the kernel; ask for it with %s (a program's provider of that "
		       "name: user:%s)",
		       item->name, search.found, item->name);
}
