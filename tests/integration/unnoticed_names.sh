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
inside= programs=. # where they run, as seen there
mounted=
! mount -t tmpfs none memory 2>/dev/null || mounted=1

begin_writer() {
	rm -f lines && mkfifo lines
	$inside "$programs/writer" "$1" <lines >written 2>&1 &
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

begin() { check "$where: start" wtrace start -q -p pmu-profile,loader,proc_thread -F 997; }
finish() { check "$where: stop" wtrace stop -q -o "$where.$1.etl"; } # LOG
run() { check "$where: it runs" $inside "$programs/victim" "$files/library.so" $1; }
meet() { check "$where: the recorder has met it" wait_until 30 has_ended; }
hold() { check "$where: somebody has it mapped" begin_writer "$files/library.so"; }
spoil() { check "$where: names are written" write_names; }
let_go() { check "$where: and let go" end_writer; }
renew() { $inside cp "$programs/library.so" "$files/other.so" && $inside mv "$files/other.so" "$files/library.so" && settle; }
settle() { sleep 0.05; } # the file system's clock goes on

# NAMES: "names", where it can be proved that nobody wrote to a file, or "".
at_rest() {
	renew && begin && run
	# The root of a container's process that has ended is the recorder's to see, not a viewer's.
	judge "$where, nobody writes, while it runs" '-s default' "$([ "$inside" ] || echo "$names")"
	finish rest
	judge "$where, nobody writes" "$where.rest.etl" "$names"
}
mapped_before() {
	renew && hold && sleep 0.05
	begin && run && meet && spoil && let_go
	finish before
	judge "$where, mapped before, let go" "$where.before.etl" ''
}
mapped_later() {
	renew && begin && run && hold && spoil
	finish after
	judge "$where, mapped later, held" "$where.after.etl" ''
	let_go
	judge "$where, mapped later, held, then let go" "$where.after.etl" ''
}
came_and_went() {
	renew && begin && run && meet && hold && spoil && let_go
	judge "$where, came and went, while it runs" '-s default' ''
	finish between
	judge "$where, came and went" "$where.between.etl" ''
}
written_after_the_end() {
	renew && begin && run
	finish late
	hold && spoil && let_go
	judge "$where, written after the end" "$where.late.etl" "$names"
}
next_session() {
	renew
	check "$where: the file has its time for a while" wait_until 30 is_settled "$where/library.so"
	begin && run
	finish kept
	hold && spoil && let_go
	begin && run "$place"
	finish next
	is "$where, the next session: named by what was before" "$(named "$where.next.etl" spin_alpha)" 0
	at_least "$where, the next session: samples" "$(named "$where.next.etl" '')" 20
}
try() { # WHERE NAMES
	where=$1 names=$2 files=$1
	at_rest
	mapped_before
	mapped_later
	came_and_went
	written_after_the_end
	next_session
}
try disk names
if [ "$mounted" ]; then
	try memory names
else
	skip 'in memory' 'no tmpfs can be mounted'
fi

# On an overlay the kernel reports no writer who has only mapped the file.
over() { # WHERE UPPER NAMES
	mkdir -p "$1" "$2/upper" "$2/work" lower
	if mount -t overlay none -o "lowerdir=$PWD/lower,upperdir=$PWD/$2/upper,workdir=$PWD/$2/work" "$1" 2>err; then
		try "$1" "$3"
		umount -l "$1"
	else
		skip "an overlay, $1" "$(head -1 err)"
	fi
}

# Nor does the recorder see the layers of a container that mounts them itself.
cat >container.sh <<'S'
mkdir -p inner/layers && { [ "$1" = disk ] || mount -t tmpfs none inner/layers; } &&
	mkdir -p inner/root inner/layers/upper/programs inner/layers/upper/files inner/layers/work &&
	cp victim writer library.so inner/layers/upper/programs &&
	mount -t overlay none -o lowerdir=/,upperdir=inner/layers/upper,workdir=inner/layers/work inner/root &&
	cd inner/root && mkdir -p old && mount -t proc proc proc && pivot_root . old && umount -l old && echo ready && read line
S
contained() { # disk|memory NAMES
	rm -rf inner lives && mkfifo lives
	unshare --mount sh container.sh "$1" <lives >began 2>&1 &
	container=$!
	exec 8>lives
	if wait_until 10 grep -q . began && grep -q ready began; then
		where=container_on_$1 names=$2 files=/files programs=/programs inside="nsenter -t $container -m"
		at_rest
		[ "$1" = disk ] || mapped_before
		came_and_went
		written_after_the_end
		inside= programs=.
	else
		skip "a container, $1" "$(head -1 began)"
	fi
	exec 8>&-
	wait "$container"
}
mkdir below
on_disk=
! has_disk below || on_disk=names
over on_disk below "$on_disk"
[ ! "$mounted" ] || over on_memory memory ''
[ ! "$mounted" ] || umount -l memory
contained disk "$on_disk"
contained memory ''
done_testing
