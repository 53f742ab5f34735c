// SPDX-License-Identifier: MIT
#include "tools/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/base/in_path.h"

extern char **environ;

/* Exit codes of sh for a command that it does not find or may not run. */
enum { NOT_RUN = 126, NOT_FOUND = 127 };

/* NULL: none. */
static const char *chosen(void)
{
	const char *pager = getenv("WTRACE_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = wt_is_in_path("less") ? "less -R" : "";
	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

static int spawn(const char *command, int input, pid_t *pid)
{
	char *words[] = {(char *)"sh", (char *)"-c", (char *)(uintptr_t)command, NULL};
	posix_spawn_file_actions_t actions;
	int failed;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) ||
		 posix_spawn(pid, "/bin/sh", &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed ? -1 : 0;
}

void wt_pager_begin(struct wt_pager *ret)
{
	const char *command = isatty(STDOUT_FILENO) ? chosen() : NULL;
	int ends[2];

	*ret = (struct wt_pager){.stream = stdout};
	if (!command || pipe2(ends, O_CLOEXEC))
		return;
	/* A text of one page needs no keys: F. Its colours are kept: R. It stays on the screen: X. */
	setenv("LESS", "FRX", 0);
	if (spawn(command, ends[0], &ret->pid))
		ret->pid = 0;
	close(ends[0]);
	ret->stream = ret->pid ? fdopen(ends[1], "w") : stdout;
	if (!ret->pid)
		close(ends[1]);
	else
		signal(SIGINT, SIG_IGN); /* the pager's key, from here on */
	if (!ret->stream)
		ret->stream = stdout;
}

int wt_pager_end(struct wt_pager *pager, int failed, struct wt_err *err)
{
	int status = 0;

	if (!pager->pid)
		return failed;
	if (pager->stream != stdout)
		fclose(pager->stream);
	waitpid(pager->pid, &status, 0);
	if (WIFEXITED(status) && (WEXITSTATUS(status) == NOT_RUN || WEXITSTATUS(status) == NOT_FOUND))
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "cannot run the pager '%.80s'; WTRACE_PAGER=cat shows the text without one",
			       chosen());
	/* No text in the error: the reader went away. */
	return failed && !err->text[0] ? 0 : failed;
}
