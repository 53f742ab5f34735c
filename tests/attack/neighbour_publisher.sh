#!/bin/sh
# SPDX-License-Identifier: MIT
# Root's session makes unwind tables for programs with their user's rights, so that user can stop the process that makes them. Five
# users do, more than there are such processes at a time. Another user's programs have their tables all the same, what was stopped is
# ended, and the session says whose it was.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
SDK="$WT_ROOT/build/sdk"
hogs='64300 64301 64302 64303 64304'
mkdir sdk large && cp "$SDK/libwtrace.so.0" "$SDK/libwtrace.so" "$SDK/wtrace.h" sdk/
export LD_LIBRARY_PATH="$TMP/sdk"
# shellcheck disable=SC2086
user_directory 64305 $hogs
python3 "$root/tests/attack/large_tables.py" make large/1 1500000 0 1 || not_ok 'make a large file' 'it cannot be made'

cat >says.c <<'PROGRAM'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "wtrace.h"
struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stk");
/* says [FILE]: events for two minutes at most; a table of the code of FILE is wanted, too. */
int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE);
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	if (argc > 1 && mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, page) == MAP_FAILED)
		return 1;
	wtrace_register(&app);
	for (int i = 0; i < 12000; i++) {
		wtrace_event(&app, "say", WTRACE_INFO, 1);
		usleep(10000);
	}
	return 0;
}
PROGRAM
check 'a program is built' gcc -O1 -Isdk says.c -o says -Lsdk -lwtrace
# Stops the first process of its own user that is the recorder's, and prints its number.
cat >stops.c <<'PROGRAM'
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	for (time_t end = time(NULL) + 60; time(NULL) < end; usleep(5000)) {
		DIR *proc = opendir("/proc");
		struct dirent *entry;

		while ((entry = readdir(proc))) {
			char path[300], name[32] = "";
			FILE *file;

			snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
			file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
			if (!file)
				continue;
			if (fgets(name, sizeof(name), file) && !strncmp(name, "wtrace", 6) &&
			    kill(atoi(entry->d_name), SIGSTOP) == 0)
				return printf("%s\n", entry->d_name) < 0;
			fclose(file);
		}
		closedir(proc);
	}
	return 1;
}
PROGRAM
check 'a program that stops others is built' gcc -O1 stops.c -o stops
# In the background, with that process's own number in $!.
become() { exec setpriv --reuid="$1" --regid="$1" --clear-groups env WTRACE_RUNTIME="$TMP/wtrace-$1" "$2" ${3:+"$3"}; }
published() { n=$(od -An -tu4 -j24 -N4 "$TMP/wtrace-$1/sessions" 2>/dev/null | tr -d " ") && [ "${n:-0}" != 0 ]; }
all_stopped() { [ "$(cat stopped-* | wc -l)" = 5 ]; }
all_gone() { for pid in $(cat stopped-*); do [ ! -d "/proc/$pid" ] || return 1; done; }
is_told() { wtrace status --session publisher | grep -q "warning: .* unwind tables for programs of uid $1 "; }

check 'start' wtrace start -q -p stk:::stack --session publisher
for uid in $hogs; do
	become "$uid" "$TMP/stops" >"stopped-$uid" &
	backgrounds="$backgrounds $!"
	# However this test runs: on a busy machine, too, it has the CPU before what it is to stop has done its work.
	renice -n -5 -p $! >/dev/null 2>&1 || :
	become "$uid" "$TMP/says" "$TMP/large/1" &
	backgrounds="$backgrounds $!"
done
check 'one after the other stops the process that makes its tables' wait_until 60 test -s stopped-64300
become 64305 "$TMP/says" &
backgrounds="$backgrounds $!"
check 'another user has tables' wait_until 15 published 64305
check 'each of them has stopped one' wait_until 30 all_stopped
check 'what was stopped is ended' wait_until 15 all_gone
for uid in $hogs; do
	check "uid $uid is named" wait_until 10 is_told "$uid"
done
timed wtrace stop -q --session publisher -o publisher.etl
is 'stop' "$code" 0
done_testing
