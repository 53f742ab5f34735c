// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/front.h"
#include "tools/peers.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/diag.h"
#include "tracecore/enable/process.h"

/* A file opened while 0, 1 or 2 is closed would get that number, and messages would be written into it. */
static void occupy_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void go_on(int sig)
{
	(void)sig;
}

/* A file size limit is an error like a full disk. An exec resets the handler, so the command of `record` is
 * not affected. */
static void bear_size_limit(void)
{
	if (signal(SIGXFSZ, go_on) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_front front = {0};
	struct wt_typed typed;
	int code;

	occupy_standard_streams();
	bear_size_limit();
	wt_process_read = wt_apart_proc_text;
	if (wt_peers_read(argc, argv, &typed, &err)) {
		code = err.code == WT_ERR_USAGE ? WT_EXIT_USAGE : WT_EXIT_FAILED;
	} else {
		wt_front_take(&front, &typed.argc, typed.argv);
		wt_diag_level(front.level);
		code = wt_front_run(&front, typed.argc, typed.argv, &err);
	}
	if (code == WT_EXIT_OK && wt_output_end(&err))
		code = WT_EXIT_FAILED;
	if (code != WT_EXIT_OK && err.text[0])
		fprintf(stderr, "wtrace%s%s: %s\n", front.command ? " " : "",
			front.command ? front.command->name : "", err.text);
	wt_peers_deinit(&typed);
	return code;
}
