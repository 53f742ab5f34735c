// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/commands.h"
#include "tools/peers.h"

static int read_words(const char *const *words, struct wt_typed *ret, struct wt_err *err)
{
	char *argv[16];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	*err = (struct wt_err)WT_ERR_INIT;
	return wt_peers_read(argc, argv, ret, err);
}

static void becomes(const char *const *words, const char *want)
{
	struct wt_buf got = {0};
	struct wt_typed typed;
	struct wt_err err;

	if (read_words(words, &typed, &err))
		fail_msg("%s: %s", want, err.text);
	for (int i = 0; i < typed.argc; i++)
		wt_buf_printf(&got, "%s%s", i ? " " : "", typed.argv[i]);
	assert_string_equal(wt_buf_cstr(&got), want);
	assert_null(typed.argv[typed.argc]);
	wt_buf_deinit(&got);
	wt_peers_deinit(&typed);
}

static void says(const char *const *words, const char *text)
{
	struct wt_typed typed;
	struct wt_err err;

	assert_int_equal(read_words(words, &typed, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, text))
		fail_msg("no '%s' in: %s", text, err.text);
	wt_peers_deinit(&typed);
}

#define W(...) ((const char *const[]){"wtrace", ##__VA_ARGS__, NULL})

static void own_words_stay(void **state)
{
	(void)state;
	becomes(W(), "wtrace");
	becomes(W("view", "x", "--top", "3"), "wtrace view x --top 3");
	becomes(W("-q", "record", "-o", "-g", "--", "ls", "-g"), "wtrace -q record -o -g -- ls -g");
	becomes(W("record", "-o", "x", "perf", "-g", "report"), "wtrace record -o x perf -g report");
	becomes(W("mark", "report"), "wtrace mark report");
	becomes(W("status", "-on"), "wtrace status -on");
	becomes(W("no-such-word", "-g"), "wtrace no-such-word -g");
	becomes(W("stream live"), "wtrace stream live");
	becomes(W(""), "wtrace ");
}

/* As it is typed, with a value where it takes one, it is nobody else's. */
static void stays(const char *command, const char *option)
{
	char want[128];

	snprintf(want, sizeof(want), "wtrace %s %s value", command, option);
	becomes(W(command, option, "value"), want);
}

static void no_option_of_ours_is_taken_for_theirs(void **state)
{
	(void)state;
	for (size_t i = 0; i < wt_n_commands; i++) {
		const struct wt_option *rows[WT_OPTIONS_MAX];
		size_t n = wt_options_rows(wt_commands[i].options, rows);

		for (size_t k = 0; k < n; k++) {
			char word[64], letter[] = {'-', rows[k]->letter, '\0'};

			snprintf(word, sizeof(word), "--%s", rows[k]->name);
			stays(wt_commands[i].name, word);
			if (rows[k]->letter)
				stays(wt_commands[i].name, letter);
		}
	}
}

static void words_that_mean_one_thing_become_ours(void **state)
{
	(void)state;
	becomes(W("-on", "A+B", "-stackwalk", "A"), "wtrace start -p A+B --stackwalk=A");
	becomes(W("record", "-stackwalk", "-o", "x", "ls"), "wtrace record --stackwalk -o x ls");
	becomes(W("record", "-stackwalk"), "wtrace record --stackwalk");
	becomes(W("-stop", "-d", "x"), "wtrace stop -o x");
	becomes(W("-d", "x"), "wtrace stop -o x");
	becomes(W("-d"), "wtrace stop -o");
	becomes(W("record", "-g", "-F", "99", "-g", "ls", "-g"),
		"wtrace record --stackwalk -F 99 --stackwalk ls -g");
	becomes(W("start", "-C", "0,1"), "wtrace start --cpu 0,1");
	becomes(W("-v", "report", "-i", "x"), "wtrace -v view x");
	becomes(W("report", "-n", "--stdio", "x"), "wtrace view x");
	becomes(W("view", "-n", "3", "x"), "wtrace view -n 3 x");
	becomes(W("report", "x", "--percent-limit", "1"), "wtrace view x --min 1");
	becomes(W("stop", "x", "-ets"), "wtrace stop x");
	becomes(W("-l", "tracepoint:*"), "wtrace list events");
	becomes(W("-l", "tracepoint:sched:*"), "wtrace list events tracepoint:sched:*");
	if (geteuid() == 0) {
		becomes(W("record", "-ag", "ls"), "wtrace record --stackwalk ls");
		becomes(W("record", "-zag", "-o", "x", "ls", "-ag"), "wtrace record --stackwalk -o x ls -ag");
	}
	becomes(W("record", "-gg"), "wtrace record --stackwalk --stackwalk");
	becomes(W("record", "-gggg"), "wtrace record -gggg");
	becomes(W("record", "-gF", "99"), "wtrace record --stackwalk -F 99");
	becomes(W("stat", "-Aa", "ls"), "wtrace stat --by=cpu -a ls");
	becomes(W("stat", "-aAe", "cs", "ls"), "wtrace stat -a --by=cpu -e cs ls");
	becomes(W("stat", "-Ax,", "ls"), "wtrace stat --by=cpu -x, ls");
	becomes(W("stat", "-av", "ls"), "wtrace stat -a -v ls");
	becomes(W("stat", "-ad", "ls"), "wtrace stat -ad ls");
	becomes(W("stat", "-verbose", "ls"), "wtrace stat -verbose ls");
	becomes(W("stat", "-Ae"), "wtrace stat --by=cpu -e");
	becomes(W("stat", "--events", "cs", "--core", "0", "ls", "-g"), "wtrace stat -e cs -c 0 ls -g");
	becomes(W("stat", "-M", "ipc", "-A", "ls"), "wtrace stat -m ipc --by=cpu ls");
	becomes(W("report", "x", "--stdio"), "wtrace view x");
	becomes(W("view", "x", "-i"), "wtrace view x -i");
	becomes(W("destroy", "s"), "wtrace stop s");
}

static void keys_of_a_report_become_ours(void **state)
{
	(void)state;
	becomes(W("report", "--sort", "comm,dso", "x"), "wtrace view --group-by=comm,module x");
	becomes(W("report", "x", "--sort=overhead,sym,symbol"), "wtrace view x --group-by=function");
	becomes(W("report", "-s", "srcline", "-n", "x"), "wtrace view --group-by=line x");
	becomes(W("report", "-g", "none", "x"), "wtrace view x");
	becomes(W("view", "-g", "none", "x"), "wtrace view -g none x");
	becomes(W("view", "--sort", "comm", "x"), "wtrace view --sort comm x");
	becomes(W("record", "-R", "stack", "ls"), "wtrace record stack ls");
	becomes(W("-on", "LOADER", "-f", "x.etl"), "wtrace start -p LOADER -o x.etl");
}

static void others_show_the_line(void **state)
{
	(void)state;
	says(W("top"), "'top' is a word of another tool; in wtrace: wtrace record");
	says(W("create", "x"), "in wtrace: wtrace start -s NAME");
	says(W("record", "-filemode"), "does not need it: a log is a file");
	says(W("report", "x", "--sort=dso,parent"), "--group-by comm,module,function");
	says(W("report", "x", "--sort", "overhead"), "--group-by comm,module,function");
	says(W("report", "x", "--sort="), "--group-by comm,module,function");
	says(W("report", "x", "--sort"), "--group-by comm,module,function");
	says(W("record", "-R", "stacktrace", "ls"),
	     "'-R stacktrace' is a word of another tool; in wtrace: --stackwalk");
	says(W("-start", "DiskIO.light"), "linux:block:*");
	says(W("view", "--call-graph=caller"), "--group-by stack");
	says(W("record", "--switch-output=1s"), "--max-file SIZE");
	if (geteuid() != 0)
		says(W("record", "-ag", "ls"), "root records the whole machine without it");
	says(W("report", "-g"), "wtrace view LOG --group-by stack");
	says(W("sched", "latency"), "'sched latency' is a word of another tool; in wtrace: wtrace record");
	says(W("sched", "latency"), "by pid=next_pid");
	says(W("sched", "record"), "'sched' is a word of another tool");
	says(W("-l", "kprobe:vfs_*"), "wtrace list events");
	says(W("tools/runqlat.bt"), "'tools/runqlat.bt' is a word of another tool");
	if (geteuid() == 0)
		becomes(W("record", "-a", "ls"), "wtrace record ls");
	else
		says(W("record", "-a", "ls"), "root records the whole machine without it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_words_stay),
		cmocka_unit_test(no_option_of_ours_is_taken_for_theirs),
		cmocka_unit_test(words_that_mean_one_thing_become_ours),
		cmocka_unit_test(keys_of_a_report_become_ours),
		cmocka_unit_test(others_show_the_line),
	};

	return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
