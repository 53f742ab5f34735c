#!/bin/sh
# SPDX-License-Identifier: MIT
# A library that somebody writes over through a mapping which was written to before: the file has one time and two contents. One
# process runs the first, another the second. No stack is walked by the other's table: work is called by mid, mid by run.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip 'a file changed unnoticed' 'its library is for x86-64'; done_testing; }

cat >library.S <<'PROGRAM'
.macro passes_on name to
.globl \name
.type \name,@function
\name: .cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3,-16
	call \to
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.size \name,.-\name
.endm
.text
passes_on run mid
.hidden mid
passes_on mid work
.type work,@function
work: .cfi_startproc
#ifdef LARGE
	sub $16,%rsp
	.cfi_def_cfa_offset 24
#else
	nopl 0(%rax)
#endif
	mov $1000000,%ecx
1:	dec %ecx
	jnz 1b
#ifdef LARGE
	add $16,%rsp
	.cfi_def_cfa_offset 8
#else
	nopl 0(%rax)
#endif
	ret
	.cfi_endproc
.size work,.-work
.section .note.GNU-stack,"",@progbits
PROGRAM
cat >writer.c <<'PROGRAM'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void child(const char *path, const char *name)
{
	pid_t pid = fork();
	if (!pid) {
		clock_t end;
		void (*run)(void);
		void *library = dlopen(path, RTLD_NOW);
		if (!library || !(run = (void (*)(void))dlsym(library, "run"))) _exit(1);
		prctl(PR_SET_NAME, name);
		for (end = clock() + CLOCKS_PER_SEC / 3; clock() < end;)
			run();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}
int main(int argc, char **argv)
{
	static char a[1 << 16], b[1 << 16];
	int fd = open("large.so", O_RDONLY);
	ssize_t n = read(fd, a, sizeof(a)), m = read(open("small.so", O_RDONLY), b, sizeof(b));
	struct stat s, t;
	char *map;
	if (n != m || argc < 2)
		return 2;
	if (argc > 2) {
		child(argv[2], "second");
		return 0;
	}
	unlink(argv[1]);
	fd = open(argv[1], O_RDWR | O_CREAT, 0755);
	if (write(fd, a, n) != n)
		return 3;
	map = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (ssize_t i = 0; i < n; i += 4096)
		*(volatile char *)(map + i) = map[i];
	usleep(20000); /* the clock of the file system goes on */
	fstat(fd, &s);
	child(argv[1], "first");
	memcpy(map, b, n);
	munmap(map, n);
	close(fd);
	if (stat(argv[1], &t))
		return 4;
	printf("%s\n", memcmp(&s.st_ctim, &t.st_ctim, sizeof(s.st_ctim)) ? "another time" : "one time");
	fflush(stdout);
	child(argv[1], "second");
	return 0;
}
PROGRAM
cat >judge.py <<'PROGRAM'
import json, sys
known = proved = wrong = 0
for line in sys.stdin:
    row = json.loads(line)
    names = [frame.get("function") for frame in row.get("stack", [])]
    if row["process"] not in ("first", "second") or "work" not in names:
        continue
    known += 1
    at = names.index("work")
    if row["stack_status"] in ("complete", "completed"):
        proved += 1
        wrong += names[at + 1:at + 3] != ["mid", "run"]
print(known, proved, wrong)
PROGRAM
check 'small frames' gcc -shared -Wl,--build-id=none -o small.so library.S
check 'large frames' gcc -shared -DLARGE -Wl,--build-id=none -o large.so library.S
check 'the writer' gcc -O1 -o writer writer.c -ldl
# A busy machine may not come to ask for the table while the file is open.
for try in 1 2 3 4 5; do
	wtrace record --stackwalk -F 997 -o writer.etl --force -- ./writer ./turn.so >printed 2>said
	sed 's/^/# /' printed
	! grep -q 'turn.so: a process has it open for writing' said || break
done
check 'it is said why there is no table' grep 'turn.so: a process has it open for writing' said
wtrace dump writer.etl --json -e pmu-profile/sample 2>/dev/null | python3 judge.py >judged
sed 's/^/# samples, proved, wrong: /' judged
# In memory the file keeps its time for ever, and the session may hear of the writer's end only after the second one has begun:
# then it has no names.
[ "$(stat -f -c %T .)" = tmpfs ] || at_least 'samples' "$(cut -d' ' -f1 judged)" 50
is 'proved stacks with other callers' "$(cut -d' ' -f3 judged)" 0
# The writer is gone.
check 'it is recorded at rest' wtrace record --stackwalk -F 997 -o rest.etl -- ./writer ./other.so ./turn.so
wtrace dump rest.etl --json -e pmu-profile/sample 2>/dev/null | python3 judge.py >judged
sed 's/^/# samples, proved, wrong: /' judged
is 'none with other callers at rest' "$(cut -d' ' -f3 judged)" 0
at_least 'proved at rest' "$(cut -d' ' -f2 judged)" 50
done_testing
