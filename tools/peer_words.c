// SPDX-License-Identifier: MIT
#include "tools/peer_words.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#define RECORD       "wtrace record -o FILE -- COMMAND"
#define SYSTEM_CALLS "wtrace record -p 'linux:raw_syscalls:*' -o FILE -- COMMAND; wtrace dump FILE --regions"
#define SCRIPT                                                                                    \
	"wtrace record -p linux:SUBSYSTEM:EVENT -o FILE -- COMMAND; wtrace view FILE --group-by " \
	"EVENT.FIELD; system calls: " SYSTEM_CALLS
#define RUN_QUEUE                                                                                            \
	"wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace view FILE --histogram duration --pair " \
	"'sched_wakeup,sched_switch by pid=next_pid'"
#define OFF_CPU                                                                                          \
	"wtrace record -p cswitch,dispatcher --stackwalk -o FILE -- COMMAND; wtrace view FILE --waits; " \
	"wtrace "                                                                                        \
	"view FILE --waits --folded"
#define LOCKS                                                                                               \
	"wtrace record -p 'linux:lock:*' -o FILE -- COMMAND; wtrace view FILE --histogram duration --pair " \
	"'contention_begin,contention_end by lock_addr'"
#define FOLDED "wtrace view LOG --folded | flamegraph.pl >FILE.svg"

static const struct wt_peer first_words[] = {
	{"",
	 "perf xperf wpr logman tracerpt tracefmt wpaexporter wperf lttng babeltrace babeltrace2 trace-cmd "
	 "bpftrace strace",
	 WT_PEER_NEEDLESS, "leave it out, and type what follows it: wtrace is one program"},
	/* perf */
	{"", "report", WT_PEER_RUN, "view"},
	{"", "script show", WT_PEER_RUN, "dump"},
	{"", "evlist", WT_PEER_RUN, "info"},
	{"", "inject", WT_PEER_SAY, "wtrace relog LOG -o FILE"},
	{"", "diff", WT_PEER_SAY, "wtrace view LOG --group-by function, for each of the two logs"},
	{"", "top htop", WT_PEER_SAY, "wtrace record -o FILE -- sleep 5; wtrace view FILE"},
	{"", "trace sysdig", WT_PEER_SAY, SYSTEM_CALLS},
	{"", "sched", WT_PEER_SAY, "wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "lock", WT_PEER_SAY, "wtrace record -p 'linux:lock:*' --stackwalk -o FILE -- COMMAND"},
	{"", "kmem", WT_PEER_SAY, "wtrace record -p 'linux:kmem:*' --stackwalk -o FILE -- COMMAND"},
	{"", "mem", WT_PEER_SAY, "wtrace record -e page-faults:1 --stackwalk -o FILE -- COMMAND"},
	{"", "probe", WT_PEER_SAY,
	 "wtrace list events, which shows the tracepoints there are; a program's own events: wtrace manifest "
	 "header"},
	{"", "kwork", WT_PEER_SAY,
	 "wtrace record -p 'linux:irq:*,linux:workqueue:*' -o FILE -- COMMAND; wtrace view FILE --histogram "
	 "duration --pair 'softirq_entry,softirq_exit by vec'"},
	{"", "check", WT_PEER_SAY, "wtrace --version, and wtrace doctor"},
	{"", "kallsyms", WT_PEER_NEEDLESS, "a log has the names in it: wtrace view LOG --group-by function"},
	{"", "archive", WT_PEER_NEEDLESS, "a log has the names in it, and opens on any machine"},
	{"", "data", WT_PEER_SAY, "wtrace export LOG -o DIRECTORY, a trace of CTF"},
	{"", "timechart", WT_PEER_SAY,
	 "wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace export FILE -o DIRECTORY, for Trace "
	 "Compass"},
	{"", "ftrace profile profile-bpfcc vtune", WT_PEER_SAY,
	 "wtrace record --stackwalk -o FILE -- COMMAND; wtrace view FILE"},
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
	{"", "version -version -vv", WT_PEER_RUN, "--version"},
	{"", "flamegraph flamegraph.pl stackcollapse-perf.pl", WT_PEER_SAY, FOLDED},
	/* LTTng */
	{"", "create", WT_PEER_SAY, "wtrace start -s NAME -p LIST -o FILE"},
	{"", "destroy reset -stop", WT_PEER_RUN, "stop"},
	{"", "enable-event", WT_PEER_SAY, "wtrace start -p linux:SUBSYSTEM:EVENT,PROGRAM'S-PROVIDER"},
	{"", "disable-event disable-channel", WT_PEER_SAY, "wtrace disable PROVIDER"},
	{"", "enable-channel", WT_PEER_SAY, "wtrace start --buffer-size SIZE"},
	{"", "add-context", WT_PEER_NEEDLESS,
	 "events have their process and thread, and with --stackwalk their stack"},
	{"", "track", WT_PEER_SAY, "wtrace start --pid PID"},
	{"", "snapshot", WT_PEER_SAY,
	 "wtrace start --max-file SIZE, which keeps the newest; wtrace stop -o FILE"},
	{"", "rotate enable-rotation disable-rotation", WT_PEER_SAY,
	 "wtrace start --max-file SIZE, which drops the oldest"},
	{"", "untrack", WT_PEER_SAY, "wtrace stop -o FILE; wtrace start --pid PID"},
	{"", "set-session -instancename", WT_PEER_SAY, "-s NAME after every command on a session"},
	{"", "add-trigger list-triggers remove-trigger", WT_PEER_SAY, "wtrace dump --follow --where EXPR"},
	{"", "save load -exportprofile", WT_PEER_NEEDLESS, "a session is one line: wtrace start -p LIST"},
	{"", "regenerate metadata", WT_PEER_NEEDLESS, "a log has its schemas in it"},
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
	{"", "set", WT_PEER_SAY, "wtrace enable -p LIST, for a session that runs"},
	{"", "attach", WT_PEER_SAY, "wtrace merge LOG... -o FILE"},
	{"", "sqlhist", WT_PEER_SAY,
	 "wtrace view LOG --histogram duration --pair 'EVENT,EVENT by FIELD=FIELD'"},
	{"", "check-events", WT_PEER_SAY, "wtrace doctor; wtrace list events"},
	{"",
	 "--clock-cycles --clock-seconds --clock-gmt --clock-date --names --fields --no-delta --component "
	 "--stream-intersection --plugin-path",
	 WT_PEER_SAY, "wtrace dump LOG"},
	{"", "--begin --end --timerange", WT_PEER_SAY, "wtrace dump LOG --from TIME --to TIME"},
	{"", "list-plugins", WT_PEER_SAY, "wtrace help view; wtrace help export"},
	/* uftrace */
	{"", "replay", WT_PEER_SAY, "wtrace dump LOG --stack"},
	{"", "graph tui", WT_PEER_SAY, "wtrace view LOG --group-by stack"},
	/* wperf */
	{"", "timeline", WT_PEER_SAY,
	 "wtrace stat -t -i 0 -n N -e EVENTS, which counts again and again; of a log: wtrace view LOG "
	 "--group-by time:100ms"},
	{"", "count", WT_PEER_SAY, "wtrace stat -e EVENTS"},
	{"", "cmnlist", WT_PEER_RUN, "cmninfo"},
	{"", "--info", WT_PEER_RUN, "doctor"},
	{"", "disassemble", WT_PEER_RUN, "annotate"},
	/* Commands that are planned for later. */
	{"", "waits", WT_PEER_SAY, OFF_CPU},
	{"", "import", WT_PEER_SAY,
	 "the tool that made the file; other logs of wtrace are joined by wtrace merge"},
	/* xperf, WPR, logman */
	{"", "-on", WT_PEER_RUN_WITH, "start -p"},
	{"", "-d", WT_PEER_RUN_WITH, "stop -o"},
	{"", "-status", WT_PEER_RUN, "status"},
	{"", "-loggers query -query", WT_PEER_RUN, "list sessions"},
	{"", "-providers ep gp -enumguid", WT_PEER_RUN, "list providers"},
	{"", "qe", WT_PEER_SAY, "wtrace dump LOG"},
	{"", "-pmcsources", WT_PEER_RUN, "list"},
	{"", "-profiles profiles", WT_PEER_SAY, "wtrace list, and wtrace start -p LIST"},
	{"", "-start", WT_PEER_SAY,
	 "wtrace start -p pmu-profile,loader,proc_thread --stackwalk; a session with a name and other "
	 "providers: wtrace start -s NAME -p LIST"},
	{"", "-cancel", WT_PEER_SAY, "wtrace stop, and remove the log that it names"},
	{"", "-marker -marktrace -markerflush -m", WT_PEER_RUN, "mark"},
	{"", "-i -tle -tti", WT_PEER_SAY, "wtrace view LOG, or wtrace dump LOG"},
	{"", "-merge", WT_PEER_SAY, "wtrace merge LOG... -o FILE"},
	{"", "-addsessionstring", WT_PEER_SAY, "wtrace mark 'TEXT', while the session runs"},
	{"", "-singlesession -skippdbgen -skipPdbGen", WT_PEER_NEEDLESS,
	 "a session is one log, and the log has the names in it"},
	{"", "-enableperiodicsnapshot -disableperiodicsnapshot -singlesnapshot", WT_PEER_SAY,
	 "wtrace start -p LIST --max-file SIZE, which keeps the newest; wtrace stop -o FILE"},
	{"", "-pmcsessions", WT_PEER_SAY, "wtrace status"},
	{"", "-f", WT_PEER_SAY, RECORD "; its system calls: " SYSTEM_CALLS},
	{"", "-capturestate -capturestateondemand -systemrundown", WT_PEER_NEEDLESS,
	 "a session lists the processes that run when it starts and when it stops"},
	{"", "-SetProfInt -setprofint -profileint -profint -resetprofint", WT_PEER_SAY,
	 "wtrace start -F HZ, by default 997; an interval of N is 10000000 / N HZ"},
	{"", "-heap -heaptracingconfig -snapshotconfig", WT_PEER_SAY,
	 "wtrace record -e page-faults:1 --stackwalk -o FILE -- COMMAND: where memory is first touched; "
	 "allocations of a heap are not recorded"},
	{"", "-log", WT_PEER_NEEDLESS,
	 "messages go to standard error; wtrace -v COMMAND prints more of them"},
	{"", "-purgecache", WT_PEER_NEEDLESS, "a log has the names in it"},
	{"", "-enable", WT_PEER_SAY, "wtrace enable -p LIST -s NAME"},
	{"", "-disable", WT_PEER_SAY, "wtrace disable PROVIDER -s NAME"},
	{"", "-profiledetails", WT_PEER_SAY, "wtrace list providers"},
	{"", "-flush", WT_PEER_SAY, "wtrace start --flush SECONDS; wtrace dump --follow"},
	{"", "-boottrace -boot -addboot -stopboot -cancelboot", WT_PEER_SAY,
	 "wtrace start -p LIST, in a unit that the system starts first"},
	{"", "-disablepagingexecutive", WT_PEER_NEEDLESS, "stacks of the kernel depend on no setting"},
	{"", "-help -?", WT_PEER_RUN, "--help"},
	{"", "update -update", WT_PEER_SAY, "wtrace enable -p LIST"},
	{"", "delete", WT_PEER_SAY, "wtrace stop -s NAME"},
	{"", "collect", WT_PEER_SAY, "wtrace start -p pmu-profile,loader,proc_thread --stackwalk"},
	/* bpftrace, strace */
	{"",
	 "-e -kk --unsafe --btf --include --dry-run --no-warnings --usdt-file-activation --emit-elf -B -I "
	 "*.bt "
	 "*.stp",
	 WT_PEER_SAY, SCRIPT},
	{"", "-l", WT_PEER_RUN, "list events"},
	{"", "-lv -vl", WT_PEER_RUN, "list events --long"},
	{"",
	 "-ff -t -tt -ttt -r -T -y -yy -s -x -xx -n -z -Z -P -E -u -D -b -O -X -A -qq --decode-fds --status "
	 "--successful-only --failed-only --attach --output --env --seccomp-bpf --string-limit --no-abbrev",
	 WT_PEER_SAY, SYSTEM_CALLS},
	{"", "--inject --fault", WT_PEER_NEEDLESS, "programs are watched, and run unchanged"},
	{"", "--trace --follow-forks --syscall-times --relative-timestamps --absolute-timestamps",
	 WT_PEER_SAY, SYSTEM_CALLS},
	{"", "-C -w -S --summary --summary-only --summary-sort-by", WT_PEER_SAY,
	 SYSTEM_CALLS "; wtrace view FILE --regions"},
	{"", "-k --stack-traces", WT_PEER_SAY,
	 "wtrace record -p 'linux:raw_syscalls:*' --stackwalk -o FILE -- COMMAND; wtrace dump FILE --stack"},
	{"", "-c", WT_PEER_SAY,
	 RECORD "; counts of its system calls: wtrace record -p 'linux:raw_syscalls:*' -o FILE -- COMMAND; "
		"wtrace view FILE --regions"},
	/* bcc and other tools that trace functions */
	{"", "execsnoop* exitsnoop*", WT_PEER_SAY,
	 "wtrace record -p proc_thread -o FILE -- COMMAND; wtrace dump FILE --event process_exec"},
	{"", "opensnoop*", WT_PEER_SAY,
	 "wtrace record -p 'linux:syscalls:sys_*_openat' -o FILE -- COMMAND; wtrace dump FILE --regions"},
	{"", "biolatency* biosnoop* biotop* bitesize* biostacks*", WT_PEER_SAY,
	 "wtrace record -p 'linux:block:*' -o FILE -- COMMAND; wtrace view FILE --histogram duration --pair "
	 "'block_rq_issue,block_rq_complete by sector'"},
	{"", "runqlat* runqslower* runqlen*", WT_PEER_SAY, RUN_QUEUE},
	{"", "offcputime* offwaketime* wakeuptime* cpudist*", WT_PEER_SAY, OFF_CPU},
	{"", "tcpconnect tcpaccept tcplife tcpstates tcptop tcptracer", WT_PEER_SAY,
	 "wtrace record -p linux:sock:inet_sock_set_state -o FILE -- COMMAND; wtrace dump FILE"},
	{"",
	 "syscount fileslower ext4slower xfsslower filetop ext4dist xfsdist btrfsdist nfsdist mountsnoop "
	 "statsnoop "
	 "syncsnoop",
	 WT_PEER_SAY, SYSTEM_CALLS "; wtrace view FILE --regions"},
	{"", "hardirqs softirqs", WT_PEER_SAY,
	 "wtrace record -p 'linux:irq:*' -o FILE -- COMMAND; wtrace view FILE --histogram duration --pair "
	 "'softirq_entry,softirq_exit by vec'"},
	{"", "llcstat", WT_PEER_SAY, "wtrace stat -e cache-references,cache-misses -- COMMAND"},
	{"", "killsnoop", WT_PEER_SAY,
	 "wtrace record -p linux:signal:signal_generate -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "oomkill", WT_PEER_SAY,
	 "wtrace record -p linux:oom:mark_victim -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "memleak slabratetop kmemleak", WT_PEER_SAY,
	 "wtrace record -p 'linux:kmem:*' --stackwalk -o FILE -- COMMAND; wtrace view FILE --group-by stack"},
	{"", "cachestat cachetop", WT_PEER_SAY,
	 "wtrace record -p 'linux:filemap:*' -o FILE -- COMMAND; wtrace view FILE --group-by event,process"},
	{"", "*-bpfcc", WT_PEER_SAY, SCRIPT},
	{"",
	 "vfsstat vfscount dcsnoop dcstat capable gethostlatency bashreadline sslsniff deadlock threadsnoop "
	 "tplist",
	 WT_PEER_SAY,
	 "wtrace list events, which shows the tracepoints there are; functions are sampled, not traced: "
	 "wtrace "
	 "record --stackwalk"},
	{"", "ltrace uftrace funccount funclatency stackcount argdist", WT_PEER_NEEDLESS,
	 "functions are sampled, not traced: wtrace record --stackwalk -o FILE -- COMMAND"},
	{"", "-p", WT_PEER_SAY, "wtrace start -p LIST; a process: --pid PID"},
	{"", "-a", WT_PEER_SAY, RECORD "; what a log has: wtrace view LOG"},
	{"", "-F -o --", WT_PEER_SAY, RECORD},
};

static const struct wt_peer options[] = {
	/* perf record, for both commands that record */
	{"record", "-g --call-graph=dwarf --call-graph=dwarf,* --call-graph=lbr", WT_PEER_RUN, "--stackwalk"},
	{"record", "--call-graph=fp", WT_PEER_RUN, "--stackwalk --unwind=fp"},
	{"record", "--call-graph", WT_PEER_SAY, "--stackwalk, with --unwind=fp by frame pointers"},
	{"record", "-a --all-cpus", WT_PEER_ROOT,
	 "root records the whole machine without it, others record their own processes"},
	{"record", "-C", WT_PEER_RUN_WITH, "--cpu"},
	{"start", "-c", WT_PEER_SAY,
	 "-e EVENT:N, a sample every N events (perf), or --cpu N, a core (wperf)"},
	{"record", "--count", WT_PEER_SAY, "-e EVENT:N, a sample every N events"},
	{"record", "-t --tid", WT_PEER_SAY,
	 "--pid PID: all threads of a process are recorded, and views tell them apart"},
	{"record", "-m", WT_PEER_SAY,
	 "--buffer-size SIZE (perf); metrics are counted: wtrace stat -m METRIC (wperf)"},
	{"record", "--metric", WT_PEER_SAY, "-e EVENT:N; wtrace stat -m METRIC counts what a metric needs"},
	{"record", "-b", WT_PEER_SAY, "--buffer-size SIZE (trace-cmd); branches (perf) are not recorded"},
	{"record", "--mmap-pages -BufferSize -MinBuffers -MaxBuffers", WT_PEER_SAY, "--buffer-size SIZE"},
	{"record", "-j --branch-filter", WT_PEER_NEEDLESS,
	 "branches are not recorded; stacks are by --stackwalk"},
	{"record", "-u", WT_PEER_SAY, "-p NAME, a program's provider (LTTng), or --pid PID (perf)"},
	{"record", "--uid", WT_PEER_SAY,
	 "--pid PID, or without root: a user other than root records the own processes"},
	{"record", "--max-size", WT_PEER_SAY, "--max-file SIZE, which drops the oldest"},
	{"record", "--off-cpu", WT_PEER_SAY, OFF_CPU},
	{"record", "--profile", WT_PEER_SAY,
	 "wtrace record --stackwalk -o FILE -- COMMAND; wtrace view FILE"},
	{"record", "-H --hook", WT_PEER_SAY, "wtrace view LOG --pair 'EVENT,EVENT by FIELD=FIELD'"},
	{"record", "--max-graph-depth", WT_PEER_NEEDLESS,
	 "functions are sampled, not traced: --stackwalk; wtrace view LOG --depth N"},
	{"record", "--dry-run", WT_PEER_SAY, "wtrace doctor, which says what can be recorded here"},
	{"record", "--timestamp-filename", WT_PEER_SAY, "-o FILE-$(date +%s).etl"},
	{"record", "--transaction --setup-filter", WT_PEER_NEEDLESS,
	 "each sample has its time, process, thread and CPU; traces and transactions of the CPU are not "
	 "recorded"},
	{"record", "-k", WT_PEER_SAY,
	 "-p linux:SUBSYSTEM:EVENT (LTTng); the kernel's code is sampled without it (wperf)"},
	{"record",
	 "-R --raw-samples -T --timestamp -N --no-buildid-cache --no-buildid --buildid-all --buildid-mmap "
	 "--sample-cpu --strict-freq --tail-synthesize --no-bpf-event --timestamp-boundary --date --kcore "
	 "--poll --no-filter",
	 WT_PEER_RUN, ""},
	{"record", "-W --weight --data --phys-data", WT_PEER_NEEDLESS,
	 "weights and addresses of data are not recorded"},
	{"record", "-I --intr-regs --user-regs", WT_PEER_NEEDLESS,
	 "registers are not recorded; stacks are by --stackwalk"},
	{"record", "--per-thread", WT_PEER_NEEDLESS,
	 "threads are recorded one by one: wtrace view LOG --group-by thread"},
	{"record", "-K --clockid", WT_PEER_NEEDLESS,
	 "there is one clock; times of day: wtrace dump LOG --absolute"},
	{"record", "-r --realtime --aio --affinity --nr-thread-synthesize --threads --synth",
	 WT_PEER_NEEDLESS, "the recorder keeps up by itself; where events are lost: --buffer-size SIZE"},
	{"record", "--control", WT_PEER_SAY, "wtrace start, and wtrace stop where recording ends"},
	{"record", "-S --snapshot", WT_PEER_SAY, "--max-file SIZE, which drops the oldest"},
	{"record", "--group", WT_PEER_NEEDLESS, "each event is sampled by itself: -e EVENT,EVENT"},
	{"record", "--func-stack", WT_PEER_SAY, "--stackwalk"},
	{"record", "-B", WT_PEER_SAY,
	 "-s NAME, a session of its own (trace-cmd); build ids are recorded without it (perf)"},
	{"record", "--compression-level --compression", WT_PEER_NEEDLESS, "a log is compressed as it is"},
	{"record",
	 "--proc-map-timeout --cmdlines-size --file-version --tsync-interval -ClockType -GuidSet -MinBuf",
	 WT_PEER_NEEDLESS, "there is one clock and one format, and the recorder finds names by itself"},
	{"record", "--by-comm", WT_PEER_SAY, "wtrace view LOG --group-by comm"},
	{"record", "-A --name", WT_PEER_SAY, "a session in each machine; wtrace merge LOG... -o FILE"},
	{"record", "--module", WT_PEER_SAY, "-p 'linux:SUBSYSTEM:*', as wtrace list events shows them"},
	{"record", "-start", WT_PEER_SAY, "wtrace start -s NAME -p LIST, in a line of its own"},
	{"record", "--freq", WT_PEER_RUN_WITH, "--frequency"},
	{"record", "--user-callchains --kernel-callchains", WT_PEER_NEEDLESS,
	 "a stack has both parts, and views show them"},
	{"record", "--exclude-perf", WT_PEER_SAY, "wtrace view LOG --no-self"},
	{"record", "-D --delay", WT_PEER_SAY,
	 "wtrace view LOG --from SECONDS: the whole run is recorded, and read from there on"},
	{"record", "--switch-output --overwrite -FileMode -buffering", WT_PEER_SAY,
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
	{"record", "-P", WT_PEER_SAY, "--pid PID (trace-cmd); periods are recorded without it (perf)"},
	{"record", "-O", WT_PEER_SAY, "--max-file SIZE, --flush SECONDS and the like: wtrace help start"},
	/* xperf and WPR */
	{"record", "-stackwalk", WT_PEER_RUN_WITH, "--stackwalk="},
	{"record", "-on", WT_PEER_RUN_WITH, "-p"},
	{"record", "-f", WT_PEER_SAY,
	 "-o FILE, a rate is -F HZ, and events are filtered when a log is read: wtrace view LOG --where "
	 "EXPR"},
	{"record", "-d", WT_PEER_SAY,
	 "wtrace stop -o FILE (xperf); addresses of data (perf) are not recorded"},
	{"record", "-stop", WT_PEER_SAY, "wtrace stop -o FILE"},
	{"record", "-MaxFile", WT_PEER_SAY, "--max-file SIZE"},
	{"record", "-filemode", WT_PEER_NEEDLESS, "a log is a file"},
	{"record", "-pids", WT_PEER_RUN_WITH, "--pid"},
	{"record", "-PmcProfile -Pmc", WT_PEER_SAY, "-e EVENT:N; wtrace list shows the events there are"},
	{"record", "-SetProfInt -setprofint", WT_PEER_SAY, "-F HZ; an interval of N is 10000000 / N HZ"},
	{"record", "-heap", WT_PEER_SAY, "-e page-faults:1 --stackwalk: where memory is first touched"},
	{"record", "-PidNewProcess", WT_PEER_SAY, RECORD},
	/* wperf */
	{"start", "--timeout", WT_PEER_SAY, RECORD ", for example of: sleep 10"},
	{"start", "--annotate --disassemble", WT_PEER_SAY,
	 "wtrace annotate LOG, or wtrace sample --annotate, which needs no log"},
	/* wperf sample, also with one dash, as in its first versions */
	{"sample", "-pe_file", WT_PEER_RUN_WITH, "--pe_file"},
	{"sample", "-image_name", WT_PEER_RUN_WITH, "--image_name"},
	{"sample", "-pdb_file", WT_PEER_RUN_WITH, "--pdb_file"},
	{"sample", "-k --kernel", WT_PEER_RUN, ""},
	{"sample", "-t --timeline -i --interval -n", WT_PEER_SAY,
	 "wtrace stat -t -i T -n N, which counts again and again; sample ends with --timeout T"},
	{"sample", "-m --metric", WT_PEER_SAY,
	 "-e EVENT:N; wtrace stat -m METRIC counts what a metric needs"},
	{"sample", "-C --core --cores", WT_PEER_RUN_WITH, "-c"},
	{"sample", "--image --process", WT_PEER_RUN_WITH, "--image_name"},
	{"sample", "-E", WT_PEER_SAY, "-e NAME=rHEX:N, an event by number with a name of its own"},
	{"sample", "--record_spawn_delay", WT_PEER_SAY,
	 "wtrace record --record_spawn_delay MS -e EVENT:N -- COMMAND; sample samples what runs already"},
	{"sample", "--output-prefix --cwd", WT_PEER_SAY, "-o DIRECTORY/FILE"},
	{"sample", "--config", WT_PEER_NEEDLESS, "events that are sampled do not take turns"},
	{"sample", "--dmc", WT_PEER_SAY,
	 "wtrace stat -e PMU/EVENT/, which counts; what memory does has no code that could be sampled"},
	{"sample", "--export_perf_data", WT_PEER_SAY,
	 "wtrace record -o LOG -- COMMAND; wtrace export LOG --format perf-script"},
	{"record", "--export_perf_data", WT_PEER_SAY,
	 "wtrace record -o LOG -- COMMAND; wtrace export LOG --format perf-script"},
	/* perf stat */
	{"stat", "-M --metrics", WT_PEER_RUN_WITH, "-m"},
	{"stat", "-G", WT_PEER_RUN_WITH, "--cgroup"},
	{"stat", "-A --no-aggr", WT_PEER_RUN, "--by=cpu"},
	{"stat", "--per-thread", WT_PEER_RUN, "--by thread"},
	{"stat",
	 "--per-core --per-socket --per-node --per-die --per-cluster --per-cache --percore-show-thread",
	 WT_PEER_SAY, "--by cpu, or --by type"},
	{"stat", "--interval-count", WT_PEER_RUN_WITH, "--count"},
	{"stat", "-B --big-num --scale", WT_PEER_RUN, ""},
	{"stat", "-j --json-output", WT_PEER_RUN, "--json"},
	{"stat", "--no-big-num", WT_PEER_SAY, "-x SEP or --json, which have plain numbers"},
	{"stat", "--null", WT_PEER_SAY, "-e task-clock; the time elapsed is below the table"},
	{"stat", "--table", WT_PEER_SAY, "-r N, which shows mean and deviation"},
	{"stat", "--metric-only", WT_PEER_SAY, "-m METRIC"},
	{"stat", "--for-each-cgroup", WT_PEER_SAY, "--cgroup DIR, once for each"},
	{"stat", "--interval-clear", WT_PEER_SAY, "-I MS"},
	{"stat", "--log-fd --append", WT_PEER_SAY, "-o FILE"},
	{"stat", "--pre --post -S --sync", WT_PEER_SAY,
	 "wtrace stat -- sh -c 'COMMANDS', or a script around it"},
	{"stat", "--all-user", WT_PEER_SAY, "-e EVENT:u"},
	{"stat", "--all-kernel", WT_PEER_SAY, "-e EVENT:k"},
	{"stat", "--no-inherit", WT_PEER_SAY, "--tid TID, a thread without what it starts"},
	{"stat", "-u --uid", WT_PEER_SAY, "--pid LIST, or --cgroup DIR"},
	{"stat", "--cputype", WT_PEER_SAY, "--by type, or -c LIST"},
	{"stat", "--td-level", WT_PEER_SAY, "-m Topdown_L1, where the CPU's model has it"},
	{"stat", "--smi-cost", WT_PEER_SAY, "-a -e msr/smi/, where wtrace list events shows it"},
	{"stat", "-T --transaction", WT_PEER_SAY, "-e PMU/EVENT/, as wtrace list events shows them"},
	{"stat", "--iostat", WT_PEER_SAY, "-a -e PMU/EVENT/, for each PMU that wtrace list events shows"},
	{"stat", "--sleep", WT_PEER_SAY, "--timeout T"},
	{"stat", "--control", WT_PEER_SAY, "--pid PID, until Ctrl-C"},
	{"stat", "--bpf-counters", WT_PEER_NEEDLESS, "the kernel's own counts are read"},
	{"stat", "--filter", WT_PEER_SAY,
	 "wtrace record -p linux:SUBSYSTEM:EVENT; wtrace view LOG --where EXPR"},
	{"stat", "--topdown", WT_PEER_SAY, "-m Topdown_L1, where the CPU's model has it"},
	{"stat", "-D --delay", WT_PEER_SAY, "sleep N in the command: what is counted begins with it"},
	{"stat", "--no-csv-summary", WT_PEER_RUN, ""},
	{"stat", "--summary", WT_PEER_SAY, "-I MS; the sums of the whole time: without -I"},
	{"stat", "-g --group", WT_PEER_SAY, "-e '{EVENT,EVENT}'"},
	{"stat", "--no-merge", WT_PEER_SAY, "-e PMU/EVENT/, for each PMU that wtrace list events shows"},
	{"stat", "--hybrid-merge", WT_PEER_NEEDLESS,
	 "an event of several kinds of cores is one row; --by type shows each"},
	{"stat", "--metric-no-group --metric-no-merge --metric-no-threshold", WT_PEER_NEEDLESS,
	 "events of a metric that do not fit the PMU at once take turns by themselves"},
	{"stat", "-b --bpf-prog", WT_PEER_SAY,
	 "--pid LIST, or --cgroup DIR; programs of BPF are not counted"},
	{"stat", "record", WT_PEER_SAY,
	 "wtrace record -p counters:EVENT+EVENT -o LOG -- COMMAND; a program of that name: wtrace stat -- "
	 "record"},
	{"stat", "report", WT_PEER_SAY, "wtrace view LOG; a program of that name: wtrace stat -- report"},
	/* wperf stat */
	{"stat", "--force-lock", WT_PEER_NEEDLESS, "counters have no owner in wtrace"},
	{"stat", "--dmc", WT_PEER_SAY, "-e PMU/EVENT/, for each PMU of memory that wtrace list events shows"},
	{"stat", "--config", WT_PEER_NEEDLESS, "the kernel decides how long an event's turn is"},
	{"stat", "--cwd", WT_PEER_RUN_WITH, "--output-prefix"},
	{"stat", "--core --cores", WT_PEER_RUN_WITH, "-c"},
	{"stat", "--events", WT_PEER_RUN_WITH, "-e"},
	{"stat",
	 "--pe_file --image_name --pdb_file --sample-display-row --sample-display-long -s --symbol "
	 "--annotate "
	 "--disassemble",
	 WT_PEER_SAY, "wtrace sample -e EVENT:N, which samples; stat counts, and has no functions"},
	{"stat", "--record_spawn_delay", WT_PEER_NEEDLESS, "a command is counted from its exec"},
	{"stat", "--enable-dpc-overflow", WT_PEER_NEEDLESS, "the kernel adds up overflows"},
	{"stat", "--export_perf_data", WT_PEER_SAY, "wtrace record -o LOG -- COMMAND; wtrace view LOG"},
	{"stat", "-l", WT_PEER_SAY, "wtrace list"},
	/* ends of sessions */
	{"stop", "-d", WT_PEER_RUN_WITH, "-o"},
	{"stop", "-ets -compress -skipPdbGen", WT_PEER_RUN, ""},
	{"stop", "-a --all", WT_PEER_SAY, "wtrace stop -s NAME, for each that wtrace list sessions shows"},
	/* perf report and script */
	{"view", "--stdio --no-children --tui --gtk --header --show-nr-samples", WT_PEER_RUN, ""},
	{"view", "--children", WT_PEER_RUN, "--inclusive"},
	{"view", "--pid", WT_PEER_SAY, "--where 'pid == PID'"},
	{"view", "-C --cpu", WT_PEER_SAY, "--where 'cpu == CPU'"},
	{"view", "--comm --comms", WT_PEER_SAY, "--where \"comm == 'NAME'\""},
	{"view", "--dsos", WT_PEER_SAY, "--where \"module == 'NAME'\""},
	{"view", "--percent-limit", WT_PEER_RUN_WITH, "--min"},
	{"view", "--max-stack", WT_PEER_RUN_WITH, "--depth"},
	{"view", "--call-graph=none", WT_PEER_RUN, ""},
	{"view", "--show-cpu-utilization", WT_PEER_NEEDLESS,
	 "samples of the kernel are a module: wtrace view LOG --group-by module"},
	{"view", "--latency --total-cycles", WT_PEER_SAY,
	 "--group-by thread,function; waits: wtrace view LOG --waits"},
	{"view", "--ignore-callees --graph-function --stop-bt", WT_PEER_SAY,
	 "--callers-of NAME, or --callees-of NAME"},
	{"view", "--stitch-lbr --addr2line --dlarg", WT_PEER_NEEDLESS,
	 "stacks and lines are found by unwind tables and debug information"},
	{"view", "--events --first-event --last-event --align-ts", WT_PEER_SAY,
	 "wtrace info LOG; all events: wtrace dump LOG"},
	{"view", "--ts-diff --deltatime --raw-ts --nodate --ts-check", WT_PEER_SAY,
	 "wtrace dump LOG: each event with its time"},
	{"view", "-N -L -O", WT_PEER_NEEDLESS, "a log is decoded by the schemas in it"},
	{"view", "--call-graph", WT_PEER_SAY,
	 "--group-by stack, and from the functions up: --stack-order leaf"},
	{"view", "--tid", WT_PEER_SAY, "--where 'tid == TID'"},
	{"view", "--time", WT_PEER_SAY, "--from TIME --to TIME"},
	{"view", "-S --symbols", WT_PEER_SAY, "--where \"function == 'NAME'\""},
	{"view", "-G --inverted", WT_PEER_SAY,
	 "--group-by stack, and from the functions up: --stack-order leaf"},
	{"view", "--inline --demangle --group --show-total-period --total-period --full-source-path",
	 WT_PEER_RUN, ""},
	{"view", "-k --vmlinux --kallsyms -m --modules --symfs", WT_PEER_NEEDLESS,
	 "a log has the names in it; wtrace view LOG --missing says what it lacks"},
	{"view", "-p --parent -x --exclude-other -U --hide-unresolved", WT_PEER_SAY,
	 "--where EXPR, for example --where \"function =~ 'NAME'\""},
	{"view", "-M --disassembler-style --objdump", WT_PEER_SAY, "wtrace annotate LOG FUNCTION"},
	{"view", "--branch-history --branch-stack --mem-mode", WT_PEER_NEEDLESS,
	 "branches and addresses of data are not recorded"},
	{"view", "--percentage", WT_PEER_NEEDLESS,
	 "shares are of the events that are shown; the line '100 %' says so"},
	{"view", "--socket-filter", WT_PEER_SAY, "--where 'cpu == CPU'"},
	{"view", "--header-only --show-info --stats --stat --uname -V", WT_PEER_SAY, "wtrace info LOG"},
	{"view", "--symbol-filter", WT_PEER_SAY, "--where \"function =~ 'NAME'\""},
	{"view", "-F --fields", WT_PEER_SAY,
	 "--columns (perf's fields), or --where EXPR (trace-cmd's filter)"},
	{"dump", "--max-stack", WT_PEER_SAY, "--stack, which shows whole stacks"},
	{"dump", "--chrome", WT_PEER_SAY,
	 "wtrace export LOG --format perf-script, for speedscope and others"},
	{"dump", "--flame-graph", WT_PEER_SAY, FOLDED},
	{"dump", "--summary", WT_PEER_SAY, "wtrace info LOG"},
	{"dump", "-F --fields", WT_PEER_SAY, "--csv or --json: all fields are there"},
	{"dump", "-T --ns", WT_PEER_RUN, ""},
	{"dump", "--per-event-dump", WT_PEER_SAY, "--event NAME, once for each"},
	{"annotate", "--stdio --stdio2 --tui -l --print-line -P --full-paths --group -f --force", WT_PEER_RUN,
	 ""},
	{"annotate", "-M --disassembler-style --objdump", WT_PEER_SAY, "--disassembler objdump, or llvm"},
	{"annotate", "-d --dsos --dso", WT_PEER_SAY, "--where \"module == 'NAME'\""},
	{"annotate", "-c -C --cpu", WT_PEER_SAY, "--where 'cpu == CPU'"},
	{"annotate", "-k --vmlinux -m --modules --symfs", WT_PEER_NEEDLESS,
	 "code comes from the file that was mapped, and the kernel's from the running kernel"},
	{"annotate", "--percent-type", WT_PEER_NEEDLESS,
	 "each line has its hits and its share of the function"},
	{"annotate", "--source --asm-raw --show-total-period --show-nr-samples --skip-missing", WT_PEER_RUN,
	 ""},
	{"annotate", "--prefix", WT_PEER_SAY, "--source-prefix DIR"},
	{"annotate", "-S", WT_PEER_SAY, "wtrace annotate LOG FUNCTION"},
	{"annotate", "-D --dump-raw-trace", WT_PEER_SAY, "wtrace dump LOG"},
	{"annotate", "--data-type", WT_PEER_NEEDLESS, "addresses of data are not recorded"},
	{"annotate", "-i --input", WT_PEER_RUN_WITH, ""},
	{"annotate", "--symbol", WT_PEER_SAY, "wtrace annotate LOG FUNCTION"},
	{"annotate", "--disassemble --annotate", WT_PEER_RUN, ""},
	{"annotate", "--pe_file --image_name --pdb_file", WT_PEER_SAY,
	 "--where \"module == 'NAME'\", or --process NAME; files are found by build id"},
	{"annotate", "--timeout", WT_PEER_SAY,
	 "wtrace sample --annotate --timeout T; annotate reads a log that is there"},
	/* wperf man */
	{"man", "-e --event -m --metric", WT_PEER_RUN, ""},
	{"man", "-c --cpu --cpu-model", WT_PEER_SAY, "wtrace man CPU/WORD, as in neoverse-n1/ld_spec"},
	/* wperf test */
	{"test", "--config", WT_PEER_NEEDLESS, "the kernel decides how long an event's turn is"},
	{"test", "-c --cpu -k -t -i -n --timeout", WT_PEER_SAY,
	 "wtrace stat, which counts; test shows the turns"},
	/* lists of others */
	{"list", "-m --metrics", WT_PEER_RUN, "metrics"},
	{"list", "-k --kernel -e --event --events hw sw pmu", WT_PEER_RUN, "events"},
	{"list", "tracepoint", WT_PEER_RUN, "events linux:"},
	{"list", "hwcache", WT_PEER_RUN, "events cache"},
	{"list", "sdt", WT_PEER_SAY, "wtrace list providers, of programs that describe their own events"},
	{"list", "--long-desc", WT_PEER_RUN, "-v"},
	{"list", "--desc --no-desc --deprecated --raw-dump --full", WT_PEER_RUN, ""},
	{"list", "--unit", WT_PEER_SAY, "wtrace list events PMU"},
	{"list", "groups", WT_PEER_RUN, "metrics"},
	{"list", "-j", WT_PEER_RUN, "--json"},
	{"list", "--fields -F", WT_PEER_RUN, "--long"},
	{"list", "-L -O -B -C -P -c -s --channel", WT_PEER_SAY,
	 "wtrace list, and for the settings of a session wtrace help start"},
	{"list", "-u --userspace", WT_PEER_RUN, "providers"},
	{"list", "--syscall", WT_PEER_RUN, ""},
	{"list", "--details", WT_PEER_RUN, "--long"},
	{"list", "cache", WT_PEER_RUN, "events cache"},
	{"list", "metric metricgroup metricgroups", WT_PEER_RUN, "metrics"},
	{"list", "-p -t", WT_PEER_SAY, "wtrace list events, and for functions --stackwalk"},
	{"list", "-f", WT_PEER_NEEDLESS, "functions are sampled, not traced: wtrace record --stackwalk"},
};

/* Words behind a command that is translated have their own meanings. */
static const struct wt_peer behind[] = {
	{"report", "-i --input", WT_PEER_RUN_WITH, ""},
	{"report", "-n -f --force", WT_PEER_RUN, ""},
	{"report", "--hierarchy", WT_PEER_SAY, "wtrace view LOG --group-by KEY,KEY, which makes a tree"},
	{"report", "-l -R -P -E", WT_PEER_SAY, "wtrace dump LOG"},
	{"report", "-T --threads", WT_PEER_SAY, "wtrace view LOG --group-by process,thread"},
	{"report", "--tasks", WT_PEER_SAY, "wtrace dump LOG --event proc_thread"},
	{"report", "--mmaps", WT_PEER_SAY, "wtrace dump LOG --event loader"},
	{"report", "-I", WT_PEER_SAY, "wtrace info LOG"},
	{"report", "--profile", WT_PEER_SAY, "wtrace view LOG --group-by comm,module,function"},
	{"report", "-w --column-widths", WT_PEER_NEEDLESS, "columns are as wide as what they show"},
	{"report", "-c", WT_PEER_SAY, "wtrace view LOG --where \"comm == 'NAME'\""},
	{"report", "-d --dso", WT_PEER_SAY, "wtrace view LOG --where \"module == 'NAME'\""},
	{"report", "-t --field-separator", WT_PEER_SAY, "wtrace view LOG --csv; times: wtrace dump LOG"},
	{"report -g", "none", WT_PEER_RUN, ""},
	{"view --call-graph", "none", WT_PEER_RUN, ""},
	{"report -g", "folded*", WT_PEER_SAY, "wtrace view LOG --folded"},
	{"record --call-graph", "dwarf dwarf,* lbr", WT_PEER_RUN, "--stackwalk"},
	{"record --call-graph", "fp", WT_PEER_RUN, "--stackwalk --unwind=fp"},
	{"record -R", "stacktrace*", WT_PEER_SAY, "--stackwalk"},
	{"record -R", "traceon* traceoff* snapshot* enable_event:* disable_event:* hist:*", WT_PEER_SAY,
	 "wtrace dump --follow --where EXPR, which shows an event when it happens"},
	{"record -N", "*:[0-9]*", WT_PEER_NEEDLESS, "a log is a file, which opens on any machine"},
	{"report", "-g", WT_PEER_SAY, "wtrace view LOG --group-by stack"},
	{"report", "-s --sort", WT_PEER_SAY,
	 "wtrace view LOG --group-by comm,module,function, or other keys: process, thread, line, cpu"},
	{"script", "-i --input", WT_PEER_RUN_WITH, ""},
	{"script", "-s --script -g --gen-script", WT_PEER_SAY,
	 "wtrace dump LOG --json, a line for each event that a program of yours reads"},
	{"script",
	 "-f --force -D --dump-raw-trace -G --hide-call-graph -a --all-cpus --reltime --show-task-events "
	 "--show-mmap-events --show-switch-events --show-lost-events --show-namespace-events",
	 WT_PEER_RUN, ""},
	{"script", "-l -L --list list", WT_PEER_SAY,
	 "wtrace dump LOG --json, a line for each event that a program of yours reads"},
	{"script", "failed-syscalls syscall-counts failed-syscalls-by-pid syscall-counts-by-pid", WT_PEER_SAY,
	 SYSTEM_CALLS},
	{"script", "--itrace --insn-trace --call-trace --xed", WT_PEER_NEEDLESS,
	 "the CPU's own traces are not recorded"},
	{"script", "-c --comms", WT_PEER_SAY, "wtrace dump LOG --where \"comm == 'NAME'\""},
	{"script", "report", WT_PEER_SAY, "wtrace view LOG, or " FOLDED},
	{"script", "flamegraph stackcollapse gecko", WT_PEER_SAY, FOLDED},
	{"script", "record", WT_PEER_SAY, RECORD},
	{"evlist", "-i --input", WT_PEER_RUN_WITH, ""},
	{"-providers", "K KF KG KP I R", WT_PEER_RUN, ""},
	{"-d", "-e", WT_PEER_SAY, "wtrace record -p linux:SUBSYSTEM:EVENT -o FILE -- COMMAND"},
	{"-on", "-f", WT_PEER_RUN_WITH, "-o"},
	{"-status", "profiles collectors -details", WT_PEER_RUN, ""},
	{"-providers", "-details", WT_PEER_RUN, ""},
	{"-marker", "-flush", WT_PEER_RUN, ""},
	{"-start", "Registry* Audio* Video* GPU* DotNET* XAML* HTML* EdgeBrowser*", WT_PEER_SAY,
	 "wtrace list providers; the kernel has no events like those of this profile"},
	{"-start", "Heap* VirtualAllocation* ReferenceSet* ResidentSet*", WT_PEER_SAY,
	 "wtrace start -e page-faults:1 --stackwalk"},
	{"-start", "DiskIO* Minifilter*", WT_PEER_SAY, "wtrace start -p 'linux:block:*' --stackwalk"},
	{"-start", "FileIO*", WT_PEER_SAY, "wtrace start -p 'linux:raw_syscalls:*' --stackwalk"},
	{"-start", "Network*", WT_PEER_SAY, "wtrace start -p 'linux:net:*,linux:sock:*' --stackwalk"},
	{"-start", "Power*", WT_PEER_SAY, "wtrace start -p 'linux:power:*'"},
	{"-stop", "-d", WT_PEER_RUN_WITH, "-o"},
	{"-l", "tracepoint:\\*", WT_PEER_RUN, ""},
	{"-l", "hardware:*", WT_PEER_RUN, "hardware"},
	{"-l", "software:*", WT_PEER_RUN, "software"},
	{"-l", "kprobe:* k:* kretprobe:* kfunc:* kretfunc:* fentry:* fexit:* rawtracepoint:* iter:*",
	 WT_PEER_SAY,
	 "wtrace list events, which shows the tracepoints there are; functions of the kernel are sampled, "
	 "not "
	 "traced: wtrace record --stackwalk"},
	{"-l", "uprobe:* u:* uretprobe:* usdt:* U:*", WT_PEER_SAY,
	 "wtrace list providers, of programs that describe their own events; functions are sampled, not "
	 "traced: wtrace record --stackwalk"},
	{"-l", "profile:* interval:*", WT_PEER_SAY, "wtrace record -e cpu-clock -F HZ -o FILE -- COMMAND"},
	/* The text behind a command that only prints something. */
	{"sched", "latency timehist", WT_PEER_SAY, RUN_QUEUE},
	{"sched", "map", WT_PEER_SAY,
	 "wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace export FILE -o DIRECTORY, for Trace "
	 "Compass"},
	{"trace", "-e --event", WT_PEER_SAY,
	 "wtrace record -p 'linux:syscalls:sys_*_openat' -o FILE -- COMMAND; wtrace dump FILE --regions; "
	 "other "
	 "events: -p linux:SUBSYSTEM:EVENT"},
	{"trace", "-s -S --summary --with-summary", WT_PEER_SAY, SYSTEM_CALLS "; wtrace view FILE --regions"},
	{"lock", "report contention con", WT_PEER_SAY, LOCKS},
	{"create", "counter", WT_PEER_SAY,
	 "wtrace stat -I MS -e EVENTS, or in a log: wtrace record -p counters:EVENT+EVENT"},
	{"create", "--live", WT_PEER_SAY, "wtrace start -p LIST; wtrace dump --follow"},
	{"create", "--snapshot", WT_PEER_SAY,
	 "wtrace start --max-file SIZE, which keeps the newest; wtrace stop -o FILE"},
	{"destroy", "-a", WT_PEER_SAY, "wtrace stop -s NAME, for each that wtrace list sessions shows"},
	{"query", "-ets", WT_PEER_RUN, ""},
	{"query", "providers", WT_PEER_SAY, "wtrace list providers"},
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* one, of len bytes, is the word itself, or a pattern where it has a '*'. */
static bool is_one(const char *one, size_t len, const char *word, size_t word_len)
{
	char pattern[32];

	if (!memchr(one, '*', len) || len >= sizeof(pattern) || word[word_len])
		return len == word_len && !memcmp(one, word, len);
	memcpy(pattern, one, len);
	pattern[len] = '\0';
	return !fnmatch(pattern, word, 0);
}

static bool has_word(const char *words, const char *word, size_t len)
{
	if (!len || memchr(word, ' ', len))
		return false;
	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
		if (is_one(at, strcspn(at, " "), word, len))
			return true;
	return false;
}

/* --word=value is matched as --word where an error says what to type. */
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
