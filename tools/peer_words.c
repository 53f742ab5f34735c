// SPDX-License-Identifier: MIT
#include "tools/peer_words.h"

#include <stdbool.h>
#include <string.h>

#define RECORD       "wtrace record -o FILE -- COMMAND"
#define SYSTEM_CALLS "wtrace record -p 'linux:raw_syscalls:*' -o FILE -- COMMAND; wtrace dump FILE --regions"

static const struct wt_peer first_words[] = {
	/* perf */
	{"", "report", WT_PEER_RUN, "view"},
	{"", "script show", WT_PEER_RUN, "dump"},
	{"", "evlist", WT_PEER_RUN, "info"},
	{"", "inject", WT_PEER_SAY, "wtrace relog LOG -o FILE"},
	{"", "annotate", WT_PEER_SAY, "wtrace view LOG --group-by function,line"},
	{"", "diff", WT_PEER_SAY, "wtrace view LOG --group-by function, for each of the two logs"},
	{"", "top", WT_PEER_SAY, "wtrace record -o FILE -- sleep 5; wtrace view FILE"},
	{"", "trace", WT_PEER_SAY,
	 "wtrace record -p 'linux:raw_syscalls:*' -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "sched", WT_PEER_SAY, "wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "lock", WT_PEER_SAY, "wtrace record -p 'linux:lock:*' --stackwalk -o FILE -- COMMAND"},
	{"", "kmem", WT_PEER_SAY, "wtrace record -p 'linux:kmem:*' --stackwalk -o FILE -- COMMAND"},
	{"", "mem", WT_PEER_SAY, "wtrace record -e page-faults:1 --stackwalk -o FILE -- COMMAND"},
	{"", "probe", WT_PEER_SAY,
	 "wtrace list events, which shows the tracepoints there are; a program's own events: wtrace manifest "
	 "header"},
	{"", "archive", WT_PEER_NEEDLESS, "a log has the names in it, and opens on any machine"},
	{"", "data", WT_PEER_SAY, "wtrace export LOG -o DIRECTORY, a trace of CTF"},
	{"", "timechart", WT_PEER_SAY,
	 "wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace export FILE -o DIRECTORY, for Trace "
	 "Compass"},
	{"", "ftrace profile", WT_PEER_SAY, "wtrace record --stackwalk -o FILE -- COMMAND; wtrace view FILE"},
	{"", "c2c", WT_PEER_SAY,
	 "wtrace record -e cache-misses --stackwalk -o FILE -- COMMAND; wtrace view FILE --group-by line"},
	{"", "kvm", WT_PEER_SAY, "wtrace record -p 'linux:kvm:*' -o FILE -- COMMAND; wtrace view FILE"},
	{"", "iostat", WT_PEER_SAY, "wtrace record -p 'linux:block:*' -o FILE -- COMMAND; wtrace view FILE"},
	{"", "bench", WT_PEER_SAY, "make bench, in the source tree"},
	{"", "daemon", WT_PEER_SAY, "wtrace start -s NAME -p LIST --max-file SIZE, for each session"},
	{"", "config", WT_PEER_NEEDLESS,
	 "there is no file of settings; wtrace help COMMAND shows the options"},
	{"", "buildid-list", WT_PEER_SAY, "wtrace dump LOG --event loader"},
	{"", "buildid-cache -symbols", WT_PEER_NEEDLESS,
	 "a log has the names in it; wtrace view LOG --missing says what it lacks"},
	{"", "version -version", WT_PEER_RUN, "--version"},
	{"", "flamegraph", WT_PEER_SAY, "wtrace view LOG --folded | flamegraph.pl >FILE.svg"},
	/* LTTng */
	{"", "create", WT_PEER_SAY, "wtrace start -s NAME -p LIST -o FILE"},
	{"", "destroy reset -stop", WT_PEER_RUN, "stop"},
	{"", "enable-event", WT_PEER_SAY, "wtrace start -p linux:SUBSYSTEM:EVENT,PROGRAM'S-PROVIDER"},
	{"", "disable-event", WT_PEER_SAY, "wtrace disable PROVIDER"},
	{"", "enable-channel", WT_PEER_SAY, "wtrace start --buffer-size SIZE"},
	{"", "add-context", WT_PEER_NEEDLESS,
	 "events have their process and thread, and with --stackwalk their stack"},
	{"", "track", WT_PEER_SAY, "wtrace start --pid PID"},
	{"", "snapshot", WT_PEER_SAY,
	 "wtrace start --max-file SIZE, which keeps the newest; wtrace stop -o FILE"},
	{"", "rotate", WT_PEER_SAY, "wtrace start --max-file SIZE, which drops the oldest"},
	{"", "untrack", WT_PEER_SAY, "wtrace stop -o FILE; wtrace start --pid PID"},
	{"", "set-session", WT_PEER_SAY, "-s NAME behind every command of a session"},
	{"", "add-trigger", WT_PEER_SAY, "wtrace dump --follow --where EXPR"},
	{"", "save load", WT_PEER_NEEDLESS, "a session is one line: wtrace start -p LIST"},
	{"", "regenerate", WT_PEER_NEEDLESS, "a log has its schemas in it"},
	/* trace-cmd */
	{"", "extract", WT_PEER_SAY, "wtrace stop -o FILE"},
	{"", "stream live listen", WT_PEER_SAY, "wtrace start -p LIST; wtrace dump --follow"},
	{"", "split", WT_PEER_SAY, "wtrace relog LOG -o FILE --from TIME --to TIME"},
	{"", "restore", WT_PEER_SAY, "wtrace recover"},
	{"", "clear", WT_PEER_SAY, "wtrace stop -o FILE; wtrace start -p LIST"},
	{"", "convert", WT_PEER_SAY,
	 "wtrace export LOG -o DIRECTORY; a log itself is read by wtrace view LOG"},
	{"", "hist", WT_PEER_SAY, "wtrace view LOG --group-by stack, or --histogram FIELD"},
	{"", "stack run -g", WT_PEER_SAY, "wtrace record --stackwalk -o FILE -- COMMAND"},
	{"", "options", WT_PEER_SAY, "wtrace help start"},
	{"", "check-events", WT_PEER_SAY, "wtrace doctor; wtrace list events"},
	/* wperf */
	{"", "sample", WT_PEER_SAY,
	 "wtrace record -e EVENT:PERIOD --cpu LIST -o FILE -- COMMAND; wtrace view FILE"},
	{"", "timeline", WT_PEER_SAY, "wtrace view LOG --group-by time:100ms"},
	{"", "test detect --info", WT_PEER_RUN, "doctor"},
	{"", "man", WT_PEER_SAY, "man wtrace; wtrace help COMMAND"},
	{"", "disassemble", WT_PEER_SAY, "wtrace view LOG --group-by function,address"},
	/* What is to come here. */
	{"", "pause waits", WT_PEER_SAY,
	 "wtrace record -p linux:sched:sched_switch --stackwalk -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "import", WT_PEER_SAY,
	 "the tool that made the file; other logs of wtrace are joined by wtrace merge"},
	/* xperf, WPR, logman */
	{"", "-on", WT_PEER_RUN_WITH, "start -p"},
	{"", "-d", WT_PEER_RUN_WITH, "stop -o"},
	{"", "-status", WT_PEER_RUN, "status"},
	{"", "-loggers query", WT_PEER_RUN, "list sessions"},
	{"", "-providers ep", WT_PEER_RUN, "list providers"},
	{"", "-profiles", WT_PEER_SAY, "wtrace list, and wtrace start -p LIST"},
	{"", "-start", WT_PEER_SAY,
	 "wtrace start -p pmu-profile,loader,proc_thread --stackwalk; a session with a name and other "
	 "providers: wtrace start -s NAME -p LIST"},
	{"", "-cancel", WT_PEER_SAY, "wtrace stop, and remove the log that it names"},
	{"", "-marker -m", WT_PEER_RUN, "mark"},
	{"", "-i", WT_PEER_SAY, "wtrace view LOG, or wtrace dump LOG"},
	{"", "-merge", WT_PEER_SAY, "wtrace merge LOG... -o FILE"},
	{"", "-f", WT_PEER_SAY, RECORD "; its system calls: " SYSTEM_CALLS},
	{"", "-capturestate", WT_PEER_NEEDLESS,
	 "a session writes what runs already when it starts and when it stops"},
	{"", "-SetProfInt -setprofint", WT_PEER_SAY,
	 "wtrace start -F HZ; an interval of N is 10000000 / N HZ"},
	{"", "-profiledetails", WT_PEER_SAY, "wtrace list providers"},
	{"", "-flush", WT_PEER_SAY, "wtrace start --flush SECONDS; wtrace dump --follow"},
	{"", "-boottrace", WT_PEER_SAY, "wtrace start -p LIST, in a unit that the system starts first"},
	{"", "-disablepagingexecutive", WT_PEER_NEEDLESS, "stacks of the kernel depend on no setting"},
	{"", "-help", WT_PEER_RUN, "--help"},
	{"", "update", WT_PEER_SAY, "wtrace enable -p LIST"},
	{"", "delete", WT_PEER_SAY, "wtrace stop -s NAME"},
	{"", "collect", WT_PEER_SAY, "wtrace start -p pmu-profile,loader,proc_thread --stackwalk"},
	/* bpftrace, strace */
	{"", "-e", WT_PEER_SAY,
	 "wtrace record -p linux:SUBSYSTEM:EVENT -o FILE -- COMMAND; wtrace view FILE --group-by "
	 "EVENT.FIELD; system calls: " SYSTEM_CALLS},
	{"", "-l", WT_PEER_RUN, "list events"},
	{"", "-lv", WT_PEER_RUN, "list events --long"},
	{"", "-ff -t -tt -ttt -r -T -y -yy -s", WT_PEER_SAY, SYSTEM_CALLS},
	{"", "-C -w", WT_PEER_SAY, SYSTEM_CALLS "; wtrace view FILE --regions"},
	{"", "-k", WT_PEER_SAY,
	 "wtrace record -p 'linux:raw_syscalls:*' --stackwalk -o FILE -- COMMAND; wtrace dump FILE --stack"},
	{"", "-c", WT_PEER_SAY,
	 RECORD "; counts of its system calls: wtrace record -p 'linux:raw_syscalls:*' -o FILE -- COMMAND; "
		"wtrace view FILE --regions"},
	{"", "-p", WT_PEER_SAY, "wtrace start -p LIST; a process: --pid PID"},
	{"", "-F -a -o --", WT_PEER_SAY, RECORD},
};

static const struct wt_peer options[] = {
	/* perf record, for both that record */
	{"record", "-g --call-graph=dwarf --call-graph=lbr", WT_PEER_RUN, "--stackwalk"},
	{"record", "--call-graph=fp", WT_PEER_RUN, "--stackwalk --unwind=fp"},
	{"record", "--call-graph", WT_PEER_SAY, "--stackwalk, with --unwind=fp by frame pointers"},
	{"record", "-a --all-cpus", WT_PEER_ROOT,
	 "root records the whole machine without it, others record their own processes"},
	{"record", "-C", WT_PEER_RUN_WITH, "--cpu"},
	{"record", "-c", WT_PEER_SAY,
	 "-e EVENT:N, a sample every N events (perf), or --cpu N, a core (wperf)"},
	{"record", "--count", WT_PEER_SAY, "-e EVENT:N, a sample every N events"},
	{"record", "-t --tid", WT_PEER_SAY,
	 "--pid PID: all threads of a process are recorded, and views tell them apart"},
	{"record", "-m --mmap-pages -b -BufferSize -MinBuffers -MaxBuffers", WT_PEER_SAY,
	 "--buffer-size SIZE"},
	{"record", "-b -j --branch-filter", WT_PEER_NEEDLESS,
	 "branches are not recorded; stacks are by --stackwalk"},
	{"record", "-u", WT_PEER_SAY, "-p NAME, a program's provider (LTTng), or --pid PID (perf)"},
	{"record", "-k", WT_PEER_SAY, "-p linux:SUBSYSTEM:EVENT"},
	{"record", "--exclude-perf", WT_PEER_SAY, "wtrace view LOG --no-self"},
	{"record", "-D --delay", WT_PEER_SAY,
	 "wtrace view LOG --from SECONDS: the whole run is recorded, and read from there on"},
	{"record", "--switch-output --overwrite -FileMode", WT_PEER_SAY,
	 "--max-file SIZE, which drops the oldest"},
	{"record", "--all-user", WT_PEER_SAY, "wtrace view LOG --where \"module != '[kernel]'\""},
	{"record", "--all-kernel", WT_PEER_SAY, "wtrace view LOG --where \"module == '[kernel]'\""},
	{"record", "-G --cgroup", WT_PEER_SAY, "wtrace view LOG --where \"cgroup =~ 'NAME'\""},
	{"record", "-z -ets", WT_PEER_RUN, ""},
	{"record", "-n", WT_PEER_SAY, "-p proc_thread,loader, a session without samples"},
	{"record", "-i --no-inherit", WT_PEER_SAY, "wtrace view LOG --where 'pid == PID'"},
	{"record", "--namespaces", WT_PEER_NEEDLESS, "events have container, cgroup and inside_pid"},
	{"record", "-l", WT_PEER_NEEDLESS,
	 "functions are sampled, not traced: --stackwalk; wtrace view LOG --callees-of NAME"},
	{"record", "-M", WT_PEER_SAY, "--cpu LIST, by numbers: 0,2-3"},
	/* trace-cmd */
	{"record", "-P", WT_PEER_SAY, "--pid PID"},
	{"record", "-O", WT_PEER_SAY, "--max-file SIZE, --flush SECONDS and the like: wtrace help start"},
	/* xperf and WPR */
	{"record", "-stackwalk", WT_PEER_RUN_WITH, "--stackwalk="},
	{"record", "-on", WT_PEER_RUN_WITH, "-p"},
	{"record", "-f", WT_PEER_SAY,
	 "-o FILE, a rate is -F HZ, and a filter is of reading: wtrace view LOG --where EXPR"},
	{"record", "-d", WT_PEER_SAY,
	 "wtrace stop -o FILE (xperf); addresses of data (perf) are not recorded"},
	{"record", "-stop", WT_PEER_SAY, "wtrace stop -o FILE"},
	{"record", "-MaxFile", WT_PEER_SAY, "--max-file SIZE"},
	{"record", "-filemode", WT_PEER_NEEDLESS, "a log is a file"},
	{"record", "-PidNewProcess", WT_PEER_SAY, RECORD},
	/* wperf */
	{"record", "--timeout", WT_PEER_SAY, RECORD ", for example of: sleep 10"},
	{"record", "--annotate", WT_PEER_SAY, "wtrace view LOG --group-by function,line"},
	{"record", "--disassemble", WT_PEER_SAY, "wtrace view LOG --group-by function,address"},
	{"record", "--output-csv", WT_PEER_SAY, "wtrace view LOG --csv"},
	/* perf stat */
	{"stat", "-M --metrics", WT_PEER_RUN_WITH, "-m"},
	{"stat", "-G", WT_PEER_RUN_WITH, "--cgroup"},
	{"stat", "-A --no-aggr", WT_PEER_RUN, "--by cpu"},
	{"stat", "--per-thread", WT_PEER_RUN, "--by thread"},
	{"stat", "--per-core --per-socket --per-node", WT_PEER_SAY, "--by cpu, or --by type"},
	{"stat", "--interval-count", WT_PEER_RUN_WITH, "--count"},
	{"stat", "-B --big-num", WT_PEER_RUN, ""},
	{"stat", "--topdown", WT_PEER_SAY, "-m Topdown_L1, where the CPU's model has it"},
	{"stat", "-D", WT_PEER_SAY, "sleep N in the command: what is counted begins with it"},
	/* wperf stat */
	{"stat", "--force-lock", WT_PEER_NEEDLESS, "counters have no owner in wtrace"},
	{"stat", "--dmc", WT_PEER_SAY, "-e PMU/EVENT/, for each PMU of memory that wtrace list events shows"},
	{"stat", "--config", WT_PEER_NEEDLESS, "the kernel decides how long an event's turn is"},
	{"stat", "--cwd", WT_PEER_RUN_WITH, "--output-prefix"},
	/* the ends of sessions */
	{"stop", "-d", WT_PEER_RUN_WITH, "-o"},
	{"stop", "-ets", WT_PEER_RUN, ""},
	{"stop", "-a --all", WT_PEER_SAY, "wtrace stop -s NAME, for each that wtrace list sessions shows"},
	/* perf report and script */
	{"view", "--stdio --no-children --tui --gtk --header --show-nr-samples", WT_PEER_RUN, ""},
	{"view", "--children", WT_PEER_RUN, "--inclusive"},
	{"view", "--pid", WT_PEER_SAY, "--where 'pid == PID'"},
	{"view", "--comm --comms", WT_PEER_SAY, "--where \"comm == 'NAME'\""},
	{"view", "--dsos", WT_PEER_SAY, "--where \"module == 'NAME'\""},
	{"view", "--percent-limit", WT_PEER_RUN_WITH, "--min"},
	{"view", "--max-stack", WT_PEER_RUN_WITH, "--depth"},
	{"view", "--call-graph", WT_PEER_SAY,
	 "--group-by stack, and from the functions up: --stack-order leaf"},
	{"view", "--tid", WT_PEER_SAY, "--where 'tid == TID'"},
	{"view", "--time", WT_PEER_SAY, "--from TIME --to TIME"},
	{"view", "-S --symbols", WT_PEER_SAY, "--where \"function == 'NAME'\""},
	{"view", "--symbol-filter", WT_PEER_SAY, "--where \"function =~ 'NAME'\""},
	{"view", "-F", WT_PEER_SAY, "--columns, or for dump --csv"},
	{"dump", "-F", WT_PEER_SAY, "--csv or --json: all fields are there"},
	{"dump", "-T --ns", WT_PEER_RUN, ""},
	/* lists of others */
	{"list", "-k -e hw sw pmu tracepoint", WT_PEER_RUN, "events"},
	{"list", "-u", WT_PEER_RUN, "providers"},
	{"list", "cache", WT_PEER_RUN, "events cache"},
	{"list", "metric metricgroup metricgroups", WT_PEER_RUN, "metrics"},
	{"list", "-p -t", WT_PEER_SAY, "wtrace list events, and for functions --stackwalk"},
	{"list", "-f", WT_PEER_NEEDLESS, "functions are sampled, not traced: wtrace record --stackwalk"},
};

/* What stands behind a command that is put into other words has a meaning of its own. */
static const struct wt_peer behind[] = {
	{"report", "-i --input -n", WT_PEER_RUN, ""},
	{"report", "-g", WT_PEER_SAY, "wtrace view LOG --group-by stack"},
	{"report", "-s --sort", WT_PEER_SAY, "wtrace view LOG --group-by comm,module,function"},
	{"script", "-i --input", WT_PEER_RUN, ""},
	{"script", "report", WT_PEER_SAY,
	 "wtrace view LOG, or wtrace view LOG --folded | flamegraph.pl >FILE.svg"},
	{"script", "flamegraph", WT_PEER_SAY, "wtrace view LOG --folded | flamegraph.pl >FILE.svg"},
	{"script", "record", WT_PEER_SAY, RECORD},
	{"evlist", "-i", WT_PEER_RUN, ""},
	{"-stop", "-d", WT_PEER_RUN_WITH, "-o"},
	{"-l", "tracepoint:*", WT_PEER_RUN, ""},
	{"destroy", "-a", WT_PEER_SAY, "wtrace stop -s NAME, for each that wtrace list sessions shows"},
	{"query", "-ets", WT_PEER_RUN, ""},
	{"query", "providers", WT_PEER_SAY, "wtrace list providers"},
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static bool has_word(const char *words, const char *word, size_t len)
{
	if (!len || memchr(word, ' ', len))
		return false;
	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && !memcmp(at, word, len))
			return true;
	return false;
}

/* --word=value is --word where an error says what to type. */
static bool is_word(const struct wt_peer *peer, const char *word)
{
	size_t len = strlen(word), to_value = strcspn(word, "=");

	return has_word(peer->words, word, len) ||
	       (peer->how <= WT_PEER_NEEDLESS && to_value < len && !strncmp(word, "--", 2) &&
		has_word(peer->words, word, to_value));
}

static const struct wt_peer *find(const struct wt_peer *rows, size_t n, const char *where, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].where, where) && is_word(&rows[i], word))
			return &rows[i];
	return NULL;
}

const struct wt_peer *wt_peer_first(const char *word)
{
	return find(first_words, COUNT(first_words), "", word);
}

const struct wt_peer *wt_peer_option(const char *command, const char *word)
{
	const struct wt_peer *peer = find(options, COUNT(options), command, word);

	if (!peer && !strcmp(command, "start"))
		peer = find(options, COUNT(options), "record", word);
	if (!peer && !strcmp(command, "dump"))
		peer = find(options, COUNT(options), "view", word);
	return peer;
}

const struct wt_peer *wt_peer_behind(const char *first, const char *word)
{
	return find(behind, COUNT(behind), first, word);
}
