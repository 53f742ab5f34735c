#!/bin/sh
# SPDX-License-Identifier: MIT
# The names in a library's file are written over through a mapping, which may leave the file's times as they are, on disk and in
# memory: no sample is named by what came later, and none in the next session by what was before. Where nobody can write to it,
# samples have their names.
. "$(dirname "$0")/lib.sh"

cat >library.c <<'PROGRAM'
#include <time.h>
__attribute__((noinline)) void spin_alpha(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	volatile long n = 0;
	do
		for (int i = 0; i < 100000; i++)
			n += i;
	while (clock() < end);
}
PROGRAM
cat >victim.c <<'PROGRAM'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	struct link_map *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	void (*spin)(double) = library ? (void (*)(double))dlsym(library, "spin_alpha") : 0;
	if (library && argc > 2) /* where it lies, whatever its name */
		spin = (void (*)(double))(library->l_addr + strtoul(argv[2], 0, 16));
	if (!spin)
		return 1;
	spin(0.3);
	return 0;
}
PROGRAM
# Maps the file, writes to each page what is there, and waits for a line; writes the other name, and waits for another one.
cat >writer.c <<'PROGRAM'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1, n = 0;
	struct stat st;
	char *map, *at, line[8];
	if (fd < 0 || fstat(fd, &st))
		return 1;
	map = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	for (long i = 0; i < st.st_size; i += 4096)
		*(volatile char *)(map + i) = map[i];
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (at = map; (at = memmem(at, map + st.st_size - at, "spin_alpha", 10)); n++)
		memcpy(at, "spin_omega", 10);
	printf("%d written\n", n);
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}
PROGRAM
check 'the library' gcc -O1 -fPIC -shared -o library.so library.c
check 'who calls it' gcc -O1 -o victim victim.c -ldl
check 'who writes to it' gcc -O1 -o writer writer.c
place=$(nm library.so | sed -n 's/ . spin_alpha//p')
mkdir disk memory
mounted=
! mount -t tmpfs none memory 2>/dev/null || mounted=1

begin_writer() {
	rm -f lines && mkfifo lines
	./writer "$1" <lines >written 2>&1 &
	writer=$!
	exec 7>lines
	wait_until 30 grep -q ready written
}
write_names() { echo >&7 && wait_until 30 grep -q '[1-9] written' written; }
end_writer() { echo >&7 && wait "$writer" && exec 7>&-; }

# Times of a moment ago prove nothing, so names are not kept then.
is_settled() { [ "$(($(date +%s) - $(stat -c %Z "$1")))" -gt 3 ]; }

# The recorder has read the end of the victim, and all before it.
has_ended() { wtrace dump -s default --event process_stop --json 2>/dev/null | grep -q victim; }

# Samples of the victim with that name, in the log or in "-s SESSION"; all of them in the library: "" as name.
named() {
	wtrace view $1 --where 'comm == "victim" && module =~ "library"' --group-by function --csv --top 0 --columns count 2>/dev/null |
		python3 -c '
import csv, sys
print(sum(int(row["count"]) for row in csv.DictReader(sys.stdin) if sys.argv[1] in row["function"]))' "$2"
}
judge() { # NAME LOG EXPECTED
	echo "# $1: alpha $(named "$2" spin_alpha), omega $(named "$2" spin_omega) of $(named "$2" '')"
	at_least "$1: samples" "$(named "$2" '')" 20
	is "$1: named by what came later" "$(named "$2" spin_omega)" 0
	# Some samples may lie in the stub of a call, which has no name.
	[ "$3" != names ] || at_least "$1: named, percent" $((100 * $(named "$2" spin_alpha) / $(named "$2" ''))) 90
}
try() { # WHERE
	where=$1
	cp library.so "$where/library.so" && sleep 0.05 # the file system's clock goes on
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: at rest" ./victim "$where/library.so"
	judge "$where, nobody writes, while it runs" '-s default' names
	check "$where: stop" wtrace stop -q -o "$where.rest.etl"
	judge "$where, nobody writes" "$where.rest.etl" names

	check "$where: somebody has it mapped" begin_writer "$where/library.so"
	sleep 0.05
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: it runs" ./victim "$where/library.so"
	check "$where: the recorder has met it" wait_until 30 has_ended
	check "$where: names are written" write_names
	check "$where: and let go" end_writer
	check "$where: stop" wtrace stop -q -o "$where.before.etl"
	judge "$where, mapped before, let go" "$where.before.etl" ''

	cp library.so "$where/other.so" && mv "$where/other.so" "$where/library.so" && sleep 0.05
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: it runs" ./victim "$where/library.so"
	check "$where: somebody maps it then" begin_writer "$where/library.so"
	check "$where: names are written" write_names
	check "$where: stop" wtrace stop -q -o "$where.after.etl"
	judge "$where, mapped later, held" "$where.after.etl" ''
	check "$where: and let go" end_writer
	judge "$where, mapped later, held, then let go" "$where.after.etl" ''

	cp library.so "$where/other.so" && mv "$where/other.so" "$where/library.so" && sleep 0.05
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: it runs" ./victim "$where/library.so"
	check "$where: the recorder has met it" wait_until 30 has_ended
	check "$where: somebody maps it then" begin_writer "$where/library.so"
	check "$where: names are written" write_names
	check "$where: and let go" end_writer
	judge "$where, came and went, while it runs" '-s default' ''
	check "$where: stop" wtrace stop -q -o "$where.between.etl"
	judge "$where, came and went" "$where.between.etl" ''

	cp library.so "$where/other.so" && mv "$where/other.so" "$where/library.so" && sleep 0.05
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: it runs" ./victim "$where/library.so"
	check "$where: stop" wtrace stop -q -o "$where.late.etl"
	check "$where: somebody maps it after the end" begin_writer "$where/library.so"
	check "$where: names are written" write_names
	check "$where: and let go" end_writer
	judge "$where, written after the end" "$where.late.etl" names

	cp library.so "$where/other.so" && mv "$where/other.so" "$where/library.so"
	check "$where: the file has its time for a while" wait_until 30 is_settled "$where/library.so"
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: a session that may keep its names" ./victim "$where/library.so"
	check "$where: stop" wtrace stop -q -o "$where.kept.etl"
	check "$where: somebody maps it" begin_writer "$where/library.so"
	check "$where: names are written" write_names
	check "$where: and let go" end_writer
	check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997
	check "$where: the next session" ./victim "$where/library.so" "$place"
	check "$where: stop" wtrace stop -q -o "$where.next.etl"
	is "$where, the next session: named by what was before" "$(named "$where.next.etl" spin_alpha)" 0
	at_least "$where, the next session: samples" "$(named "$where.next.etl" '')" 20
}
try disk
if [ "$mounted" ]; then
	try memory
	umount -l memory
else
	skip 'in memory' 'no tmpfs can be mounted'
fi
done_testing
