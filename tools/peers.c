// SPDX-License-Identifier: MIT
#include "tools/peers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/commands.h"

#define RECORD "wtrace record -o FILE -- COMMAND"

/* Words of other tools behind one of their commands, or as the first word (where ""). */
struct peer {
	const char *where;
	const char *words; /* with blanks between them */
	enum {
		SAY,      /* the error says what is typed here */
		NEEDLESS, /* the error says why there is nothing like it here */
		ROOT,     /* needless; of no effect for root */
		RUN,      /* stands for other words, with blanks between them */
		RUN_WITH, /* the same, and the next word goes behind the last of them, after an '=' if that
			     ends so */
	} how;
	const char *here;
};

static const struct peer first_words[] = {
	/* perf */
	{"", "report", RUN, "view"},
	{"", "script show", RUN, "dump"},
	{"", "evlist", RUN, "info"},
	{"", "inject", SAY, "wtrace relog LOG -o FILE"},
	{"", "annotate", SAY, "wtrace view LOG --group-by function,line"},
	{"", "diff", SAY, "wtrace view LOG --group-by function, for each of the two logs"},
	{"", "top", SAY, "wtrace record -o FILE -- sleep 5; wtrace view FILE"},
	{"", "trace", SAY, "wtrace record -p 'linux:raw_syscalls:*' -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "sched", SAY, "wtrace record -p 'linux:sched:*' -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "lock", SAY, "wtrace record -p 'linux:lock:*' --stackwalk -o FILE -- COMMAND"},
	{"", "kmem", SAY, "wtrace record -p 'linux:kmem:*' --stackwalk -o FILE -- COMMAND"},
	{"", "mem", SAY, "wtrace record -e page-faults:1 --stackwalk -o FILE -- COMMAND"},
	{"", "probe", SAY,
	 "wtrace list events, which shows the tracepoints there are; a program's own events: wtrace "
	 "manifest header"},
	{"", "archive", NEEDLESS, "a log has the names in it, and opens on any machine"},
	/* LTTng */
	{"", "create", SAY, "wtrace start -s NAME -p LIST -o FILE"},
	{"", "destroy reset -stop", RUN, "stop"},
	{"", "enable-event", SAY, "wtrace start -p linux:SUBSYSTEM:EVENT,PROGRAM'S-PROVIDER"},
	{"", "disable-event", SAY, "wtrace disable PROVIDER"},
	{"", "enable-channel", SAY, "wtrace start --buffer-size SIZE"},
	{"", "add-context", NEEDLESS,
	 "events have their process and thread, and with --stackwalk their stack"},
	{"", "track", SAY, "wtrace start --pid PID"},
	{"", "snapshot", SAY, "wtrace start --max-file SIZE, which keeps the newest; wtrace stop -o FILE"},
	{"", "rotate", SAY, "wtrace start --max-file SIZE, which drops the oldest"},
	/* trace-cmd */
	{"", "extract", SAY, "wtrace stop -o FILE"},
	{"", "stream live", SAY, "wtrace start -p LIST; wtrace dump --follow"},
	{"", "profile", SAY, "wtrace record --stackwalk -o FILE -- COMMAND; wtrace view FILE"},
	{"", "split", SAY, "wtrace relog LOG -o FILE --from TIME --to TIME"},
	{"", "restore", SAY, "wtrace recover"},
	/* wperf */
	{"", "sample", SAY, "wtrace record -e EVENT:PERIOD --cpu LIST -o FILE -- COMMAND; wtrace view FILE"},
	{"", "timeline", SAY, "wtrace view LOG --group-by time:100ms"},
	{"", "test detect", RUN, "doctor"},
	{"", "man", SAY, "man wtrace; wtrace help COMMAND"},
	{"", "disassemble", SAY, "wtrace view LOG --group-by function,address"},
	/* What is to come here. */
	{"", "pause waits", SAY,
	 "wtrace record -p linux:sched:sched_switch --stackwalk -o FILE -- COMMAND; wtrace dump FILE"},
	{"", "import", SAY, "the tool that made the file; other logs of wtrace are joined by wtrace merge"},
	/* xperf, WPR, logman */
	{"", "-on", RUN_WITH, "start -p"},
	{"", "-d", RUN_WITH, "stop -o"},
	{"", "-status", RUN, "status"},
	{"", "-loggers query", RUN, "list sessions"},
	{"", "-providers", RUN, "list providers"},
	{"", "-profiles", SAY, "wtrace list, and wtrace start -p LIST"},
	{"", "-start", SAY, "wtrace start -p pmu-profile,loader,proc_thread --stackwalk"},
	{"", "-cancel", SAY, "wtrace stop, and remove the log that it names"},
	{"", "-marker -m", RUN, "mark"},
	{"", "-i", SAY, "wtrace view LOG, or wtrace dump LOG"},
	{"", "-merge", SAY, "wtrace merge LOG... -o FILE"},
	{"", "-f -c -F -a -o --", SAY, RECORD},
	{"", "-version", RUN, "--version"},
	{"", "-help", RUN, "--help"},
	{"", "update", SAY, "wtrace enable -p LIST"},
	{"", "delete", SAY, "wtrace stop -s NAME"},
	/* bpftrace, strace */
	{"", "-e", SAY,
	 "wtrace record -p linux:SUBSYSTEM:EVENT -o FILE -- COMMAND; wtrace view FILE --group-by "
	 "EVENT.FIELD"},
	{"", "-l", RUN, "list events"},
	{"", "-p", SAY, "wtrace start -p LIST; a process: --pid PID"},
	{"", "-g", SAY, "wtrace record --stackwalk -o FILE -- COMMAND"},
};

static const struct peer options[] = {
	/* perf record, for both that record */
	{"record", "-g --call-graph=dwarf --call-graph=lbr", RUN, "--stackwalk"},
	{"record", "--call-graph=fp", RUN, "--stackwalk --unwind=fp"},
	{"record", "--call-graph", SAY, "--stackwalk, with --unwind=fp by frame pointers"},
	{"record", "-a --all-cpus", ROOT,
	 "root records the whole machine without it, others record their own processes"},
	{"record", "-C", RUN_WITH, "--cpu"},
	{"record", "-c", SAY, "-e EVENT:N, a sample every N events (perf), or --cpu N, a core (wperf)"},
	{"record", "--count", SAY, "-e EVENT:N, a sample every N events"},
	{"record", "-t --tid", SAY,
	 "--pid PID: all threads of a process are recorded, and views tell them apart"},
	{"record", "-m --mmap-pages -BufferSize -MinBuffers -MaxBuffers", SAY, "--buffer-size SIZE"},
	{"record", "-b", NEEDLESS, "branches are not recorded; stacks are by --stackwalk"},
	{"record", "-u", SAY, "-p NAME, a program's provider (LTTng), or --pid PID (perf)"},
	{"record", "-k", SAY, "-p linux:SUBSYSTEM:EVENT"},
	{"record", "--exclude-perf", SAY, "wtrace view LOG --no-self"},
	/* trace-cmd */
	{"record", "-P", SAY, "--pid PID"},
	{"record", "-O", SAY, "--max-file SIZE, --flush SECONDS and the like: wtrace help start"},
	/* xperf and WPR */
	{"record", "-stackwalk", RUN_WITH, "--stackwalk="},
	{"record", "-on", RUN_WITH, "-p"},
	{"record", "-f", SAY, "-o FILE, and for a rate -F HZ"},
	{"record", "-d -stop", SAY, "wtrace stop -o FILE"},
	{"record", "-MaxFile", SAY, "--max-file SIZE"},
	{"record", "-FileMode", SAY, "--max-file SIZE, which drops the oldest"},
	{"record", "-filemode", NEEDLESS, "a log is a file"},
	{"record", "-PidNewProcess", SAY, RECORD},
	/* wperf */
	{"record", "--timeout", SAY, RECORD ", for example of: sleep 10"},
	{"record", "--annotate", SAY, "wtrace view LOG --group-by function,line"},
	{"record", "--disassemble", SAY, "wtrace view LOG --group-by function,address"},
	{"record", "--output-csv", SAY, "wtrace view LOG --csv"},
	/* perf stat */
	{"stat", "-M", RUN_WITH, "-m"},
	{"stat", "--metrics", RUN_WITH, "-m"},
	{"stat", "-G", RUN_WITH, "--cgroup"},
	{"stat", "-A", RUN, "--by cpu"},
	{"stat", "--no-aggr", RUN, "--by cpu"},
	{"stat", "--per-thread", RUN, "--by thread"},
	{"stat", "--per-core", SAY, "--by cpu, or --by type"},
	{"stat", "--per-socket", SAY, "--by cpu, or --by type"},
	{"stat", "--per-node", SAY, "--by cpu, or --by type"},
	{"stat", "--interval-count", RUN_WITH, "--count"},
	{"stat", "-B", RUN, ""},
	{"stat", "--big-num", RUN, ""},
	{"stat", "--topdown", SAY, "-m Topdown_L1, where the CPU's model has it"},
	{"stat", "-D", SAY, "sleep N in the command: what is counted begins with it"},
	/* wperf stat */
	{"stat", "--force-lock", NEEDLESS, "counters have no owner here"},
	{"stat", "--dmc", SAY, "-e PMU/EVENT/, for each PMU of memory that wtrace list events shows"},
	{"stat", "--config", NEEDLESS, "the kernel decides how long an event's turn is"},
	{"stat", "--cwd", RUN_WITH, "--output-prefix"},
	/* the ends of sessions */
	{"stop", "-d", RUN_WITH, "-o"},
	/* perf report and script */
	{"view", "--stdio --no-children", RUN, ""},
	{"view", "--children", RUN, "--inclusive"},
	{"view", "--pid", SAY, "--where 'pid == PID'"},
	{"view", "--comm --comms", SAY, "--where \"comm == 'NAME'\""},
	{"view", "--dsos", SAY, "--where \"module == 'NAME'\""},
	{"view", "-F", SAY, "--columns, or for dump --csv"},
	{"dump", "-F", SAY, "--csv or --json: all fields are there"},
	{"dump", "-T", RUN, ""},
	/* lists of others */
	{"list", "-k -e hw sw pmu tracepoint", RUN, "events"},
	{"list", "-u", RUN, "providers"},
	{"list", "cache", RUN, "events cache"},
	{"list", "metric metricgroup metricgroups", RUN, "metrics"},
};

/* What stands behind a command that is put into other words has a meaning of its own. */
static const struct peer behind[] = {
	{"report", "-i --input", RUN, ""},
	{"report", "-g", SAY, "wtrace view LOG --group-by stack"},
	{"report", "-s --sort", SAY, "wtrace view LOG --group-by comm,module,function"},
	{"script", "-i --input", RUN, ""},
	{"evlist", "-i", RUN, ""},
	{"-stop", "-d", RUN_WITH, "-o"},
	{"-l", "tracepoint:*", RUN, ""},
	{"destroy", "-a", SAY, "wtrace stop -s NAME, for each that wtrace list sessions shows"},
	{"query", "-ets", RUN, ""},
	{"query", "providers", SAY, "wtrace list providers"},
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	if (!len || strchr(word, ' '))
		return false;
	for (const char *at = words; (at = strstr(at, word)); at++)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static const struct peer *find(const struct peer *rows, size_t n, const char *where, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].where, where) && has_word(rows[i].words, word))
			return &rows[i];
	return NULL;
}

struct reading {
	struct wt_typed *typed;
	char **next; /* the words that are left; NULL behind the last */
	struct wt_err *err;
};

/* There is always room: of a word come at most three, and each word is read once. */
static void put(struct wt_typed *typed, char *word)
{
	typed->argv[typed->argc++] = word;
}

static char *make(struct wt_typed *typed, const char *text, size_t len, const char *more)
{
	size_t rest = more ? strlen(more) : 0;
	char *word = malloc(len + rest + 1);

	if (!word)
		return NULL;
	memcpy(word, text, len);
	memcpy(word + len, more ? more : "", rest);
	word[len + rest] = '\0';
	return typed->made[typed->n_made++] = word;
}

static int put_words(struct reading *reading, const struct peer *peer)
{
	const char *at = peer->here;

	while (*at) {
		size_t len = strcspn(at, " ");
		bool joins = peer->how == RUN_WITH && !at[len] && at[len - 1] == '=';
		bool joined = joins && *reading->next && *reading->next[0] != '-';
		char *word = make(reading->typed, at, joins && !joined ? len - 1 : len,
				  joined ? *reading->next++ : NULL);

		if (!word)
			return wt_fail_nomem(reading->err);
		put(reading->typed, word);
		at += len + (at[len] == ' ');
	}
	return 0;
}

static int say(const struct peer *peer, const char *word, struct wt_err *err)
{
	if (peer->how == NEEDLESS || peer->how == ROOT)
		return wt_fail(err, WT_ERR_USAGE, "'%s' is another tool's, and not needed here: %s", word,
			       peer->here);
	return wt_fail(err, WT_ERR_USAGE, "'%s' is another tool's; here it is: %s%s", word,
		       peer->how == SAY ? "" : "wtrace ", peer->here);
}

int wt_peers_command(const char *name, struct wt_err *err)
{
	const struct peer *peer = find(first_words, COUNT(first_words), "", name);

	return peer ? say(peer, name, err) : 0;
}

static int apply(struct reading *reading, const struct peer *peer, const char *word)
{
	if (peer->how == ROOT && geteuid() == 0)
		return 0;
	return peer->how < RUN ? say(peer, word, reading->err) : put_words(reading, peer);
}

/* start and record have the same words, and so have view and dump but for a few. */
static const struct peer *find_option(const char *command, const char *word)
{
	const struct peer *peer = find(options, COUNT(options), command, word);

	if (!peer && !strcmp(command, "start"))
		peer = find(options, COUNT(options), "record", word);
	if (!peer && !strcmp(command, "dump"))
		peer = find(options, COUNT(options), "view", word);
	return peer;
}

/* An option's value is its own, whatever it looks like. */
static int read_rest(struct reading *reading, const struct wt_command *command, const char *as_typed)
{
	while (*reading->next && strcmp(*reading->next, "--")) {
		char *word = *reading->next++;
		const struct peer *peer = as_typed ? find(behind, COUNT(behind), as_typed, word) : NULL;
		int taken = wt_options_takes(command->options, word);

		if (!peer)
			peer = find_option(command->name, word);
		if (peer) {
			if (apply(reading, peer, word))
				return -1;
			continue;
		}
		put(reading->typed, word);
		if (command->runs && word[0] != '-')
			break;
		if (taken == 2 && *reading->next)
			put(reading->typed, *reading->next++);
	}
	return 0;
}

/* -q and -v may stand before the command. */
static bool is_common(const char *word)
{
	return wt_options_takes(wt_options_common, word) == 1;
}

static const struct wt_command *known_command(const struct wt_typed *typed)
{
	for (int i = 1; i < typed->argc; i++)
		for (size_t k = 0; k < wt_n_commands; k++)
			if (!strcmp(typed->argv[i], wt_commands[k].name))
				return &wt_commands[k];
	return NULL;
}

static int read_first(struct reading *reading)
{
	const char *as_typed = NULL;
	const struct wt_command *command;
	const struct peer *peer;

	while (*reading->next && is_common(*reading->next))
		put(reading->typed, *reading->next++);
	if (!*reading->next)
		return 0;
	peer = find(first_words, COUNT(first_words), "", *reading->next);
	if (peer) {
		as_typed = *reading->next++;
		if (apply(reading, peer, as_typed))
			return -1;
	} else {
		put(reading->typed, *reading->next++);
	}
	command = known_command(reading->typed);
	return command ? read_rest(reading, command, as_typed) : 0;
}

int wt_peers_read(int argc, char **argv, struct wt_typed *ret, struct wt_err *err)
{
	struct reading reading = {.typed = ret, .next = argv + (argc > 0), .err = err};

	*ret = (struct wt_typed){.argv = calloc((size_t)argc * 3 + 1, sizeof(char *)),
				 .made = calloc((size_t)argc * 3 + 1, sizeof(char *))};
	if (!ret->argv || !ret->made)
		return wt_fail_nomem(err);
	if (argc > 0)
		put(ret, argv[0]);
	if (read_first(&reading))
		return -1;
	while (*reading.next)
		put(ret, *reading.next++);
	ret->argv[ret->argc] = NULL;
	return 0;
}

void wt_peers_deinit(struct wt_typed *typed)
{
	for (int i = 0; i < typed->n_made; i++)
		free(typed->made[i]);
	free(typed->made);
	free(typed->argv);
	*typed = (struct wt_typed){0};
}
