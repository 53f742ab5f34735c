/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A program that runs its own code at addresses where a file's text lies or lay, for tests of names.
 *
 *   text_liar FILE OFFSET MS WAY [GO]
 *
 * FILE's function at OFFSET never runs. GO: the program waits for that file to exist before it begins.
 * Exits with 77 where the kernel refuses a way.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/programs/liar_text.h"

#define STACK 65536

static char *const *arguments;
static volatile int go;

static void move(char *from, char *to, int flags)
{
	if (mremap(from, page, page, MREMAP_MAYMOVE | MREMAP_FIXED | flags, to) == MAP_FAILED)
		refused("mremap");
}

static void moved_over(void)
{
	char *at = text();

	move(own(), at, 0);
	run(at);
}

static void copied_over(void)
{
	char *at = text();

	move(own(), at, MREMAP_DONTUNMAP);
	run(at);
}

/* The text itself goes to another place, where another text was. */
static void file_moved_over(void)
{
	char *at = text(), *from = text();

	rewrite(from);
	move(from, at, 0);
	run(at);
}

/* Writable and executable, moved, and no longer writable. */
static void rwx_moved(void)
{
	char *at = map(NULL, RX | PROT_WRITE, MAP_PRIVATE, file);
	char *to = map(NULL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	put_code(at);
	move(at, to, 0);
	set_rights(to, RX);
	run(to);
}

/* Moved while it is writable, and back over the text where nothing was ever written. */
static void moved_and_made(void)
{
	char *at = text(), *from = map(NULL, RW, MAP_PRIVATE, file);

	put_code(from);
	move(from, at, 0);
	set_rights(at, RX);
	run(at);
}

/* Where text was, the kernel finds room for code that grows. */
static void moved_anywhere(void)
{
	char *from = own(), *at = NULL;
	char *room = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		refused("mmap");
	map(room, RX, MAP_PRIVATE | MAP_FIXED, file);
	map(room + page, RX, MAP_PRIVATE | MAP_FIXED, file);
	munmap(room, 2 * page);
	/* No better place is free. */
	for (int i = 0; i < 10000 && at != room; i++)
		at = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(room, 2 * page);
	at = mremap(from, page, 2 * page, MREMAP_MAYMOVE);
	if (at != room) {
		errno = EEXIST;
		refused("mremap elsewhere");
	}
	run(at);
}

/* To a place that is only asked for. */
static void moved_by_hint(void)
{
	char *at = text(), *from = own();

	munmap(at, page);
	if (mremap(from, page, page, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, at) != at)
		refused("mremap");
	run(at);
}

/* By a system call of 32-bit programs. */
static void moved_by_int80(void)
{
#ifdef __x86_64__
	char *at = map(NULL, RX, MAP_PRIVATE | MAP_32BIT, file);
	char *from = map(NULL, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1);
	const uint64_t above = UINT64_C(5) << 32; /* not looked at */
	long ret = 163;

	put_code(from);
	set_rights(from, RX);
	__asm__ volatile("int $0x80"
			 : "+a"(ret)
			 : "b"(from + above), "c"(page + above), "d"(page + above),
			   "S"((MREMAP_MAYMOVE | MREMAP_FIXED) + above), "D"(at + above)
			 : "memory", "r8", "r9", "r10", "r11");
	if ((uint32_t)ret != (uint32_t)(uintptr_t)at)
		refused("int80");
	run(at);
#else
	errno = ENOSYS;
	refused("int80");
#endif
}

/* By a number of which the kernel looks at the lower half. */
static void moved_by_long_number(void)
{
#ifdef __x86_64__
	char *at = text(), *from = own();
	register long flags __asm__("r10") = MREMAP_MAYMOVE | MREMAP_FIXED;
	register char *to __asm__("r8") = at;
	uint64_t ret = UINT64_C(5) << 32 | SYS_mremap;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"(from), "S"(page), "d"(page), "r"(flags), "r"(to)
			 : "memory", "rcx", "r11");
	if (ret != (uintptr_t)at)
		refused("mremap");
	run(at);
#else
	errno = ENOSYS;
	refused("a long number");
#endif
}

static int open_mem(void)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		refused("/proc/self/mem");
	return fd;
}

static void is_written(ssize_t n)
{
	if (n != (ssize_t)code_size)
		refused("/proc/self/mem");
}

static void through_mem(void)
{
	char *at = text();

	is_written(pwrite(open_mem(), other_code, code_size, (off_t)(uintptr_t)(at + inside)));
	run(at);
}

static void through_mem_at(void)
{
	char *at = text();
	int fd = open_mem();

	lseek(fd, (off_t)(uintptr_t)(at + inside), SEEK_SET);
	is_written(write(fd, other_code, code_size));
	run(at);
}

static void through_mem_in_parts(void)
{
	struct iovec parts[] = {{(void *)other_code, 4}, {(char *)other_code + 4, code_size - 4}};
	char *at = text();

	is_written(pwritev(open_mem(), parts, 2, (off_t)(uintptr_t)(at + inside)));
	run(at);
}

/* By a ring of requests to the kernel. */
static void through_mem_by_ring(void)
{
	struct io_uring_params params = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 4, &params), mem = open_mem();
	struct io_uring_sqe *request;
	char *at = text(), *queue;

	if (ring < 0)
		refused("io_uring");
	queue = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(uint32_t), RW, MAP_SHARED, ring,
		     IORING_OFF_SQ_RING);
	request = mmap(NULL, params.sq_entries * sizeof(*request), RW, MAP_SHARED, ring, IORING_OFF_SQES);
	if (queue == MAP_FAILED || request == MAP_FAILED)
		refused("io_uring");
	*request = (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
					 .fd = mem,
					 .addr = (uintptr_t)other_code,
					 .len = (uint32_t)code_size,
					 .off = (uintptr_t)(at + inside)};
	*(uint32_t *)(queue + params.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(queue + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1 ||
	    memcmp(at + inside, other_code, code_size))
		refused("io_uring");
	run(at);
}

static void poked(void)
{
	char *at = text();
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		run(at);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	for (size_t i = 0; i < code_size; i += 8) {
		long word = 0;

		memcpy(&word, other_code + i, code_size - i < 8 ? code_size - i : 8);
		if (ptrace(PTRACE_POKETEXT, child, at + inside + i, word))
			refused("ptrace");
	}
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	waitpid(child, NULL, 0);
}

static void by_pkey(void)
{
	char *at = text();

	if (syscall(SYS_pkey_mprotect, at, page, RW, -1))
		refused("pkey_mprotect");
	put_code(at);
	if (syscall(SYS_pkey_mprotect, at, page, RX, -1))
		refused("pkey_mprotect");
	run(at);
}

static void implied(void)
{
	char *at;

	personality(READ_IMPLIES_EXEC);
	at = map(NULL, RW, MAP_PRIVATE, file);
	put_code(at);
	set_rights(at, PROT_READ);
	run(at);
}

static void over_a_part(void)
{
	char *at = mmap(NULL, 3 * page, RX, MAP_PRIVATE, file, 0);

	if (at == MAP_FAILED)
		refused("mmap");
	at += at_page;
	map(at, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	put_code(at);
	set_rights(at, RX);
	run(at);
}

static void child_writes(void)
{
	char *at = text();

	set_rights(at, RW);
	if (!fork()) {
		put_code(at);
		set_rights(at, RX);
		run(at);
		_exit(0);
	}
	wait(NULL);
}

static void parent_writes(void)
{
	char *at = text();

	set_rights(at, RW);
	if (!fork())
		_exit(0);
	put_code(at);
	set_rights(at, RX);
	run(at);
	wait(NULL);
}

static int rewrite_and_end(void *at)
{
	rewrite(at);
	return 0;
}

static int rewrite_and_stay(void *at)
{
	rewrite(at);
	go = 1;
	usleep(300000);
	return 0;
}

static int run_later(void *at)
{
	while (!go)
		sched_yield();
	run(at);
	return 0;
}

static pid_t share(int (*fn)(void *), void *at, int flags)
{
	char *stack = malloc(STACK);
	pid_t ret = stack ? clone(fn, stack + STACK, CLONE_VM | SIGCHLD | flags, at) : -1;

	if (ret < 0)
		refused("clone");
	return ret;
}

static void vforked(void)
{
	char *at = text();

	share(rewrite_and_end, at, CLONE_VFORK);
	run(at);
	wait(NULL);
}

static void sharer_writes(void)
{
	char *at = text();

	share(rewrite_and_stay, at, 0);
	while (!go)
		sched_yield();
	run(at);
	wait(NULL);
}

/* The child of a fork of a vfork has the text that its grandparent's child wrote. */
static void vforked_then_forked(void)
{
	char *at = text();

	share(rewrite_and_end, at, CLONE_VFORK);
	if (!fork()) {
		run(at);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static int wait_long(void *at)
{
	(void)at;
	while (!go)
		usleep(10000);
	usleep(500000);
	return 0;
}

/* More relatives than are asked about, first and last of which run. */
static void many_sharers(void)
{
	char *at = text();

	share(run_later, at, 0);
	for (int i = 0; i < 200; i++)
		share(wait_long, at, 0);
	share(run_later, at, 0);
	usleep(50000);
	rewrite(at);
	go = 1;
	run(at);
	while (wait(NULL) > 0)
		;
}

static void *begin_again(void *unused)
{
	char *const next[] = {arguments[0], arguments[1], arguments[2], arguments[3], "pkey", NULL};

	execv("/proc/self/exe", next);
	return unused;
}

static void thread_begins(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, begin_again, NULL);
	pthread_join(thread, NULL);
}

/* The file in memory that has the page's bytes, and nothing else but the name. */
static int copy_to_memory(void)
{
	int fd = memfd_create("victim.so", MFD_CLOEXEC);
	char *bytes = malloc(page);

	if (fd < 0 || !bytes || pread(file, bytes, page, at_page) < 1 ||
	    pwrite(fd, bytes, page, at_page) != (ssize_t)page)
		refused("memfd");
	free(bytes);
	return fd;
}

static void memory_file_written(void)
{
	int fd = copy_to_memory();
	char *at = map(NULL, RX, MAP_PRIVATE, fd), *shared = map(NULL, RW, MAP_SHARED, fd);

	put_code(shared);
	run(at);
}

static void faulted_in(void)
{
	int memory = copy_to_memory(), fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_copy copy = {0};
	char *at, *bytes = calloc(1, page);

	/* A hole of the file: nothing is there yet. */
	if (ftruncate(memory, 0) || ftruncate(memory, at_page + (off_t)page))
		refused("ftruncate");
	at = map(NULL, RX, MAP_PRIVATE, memory);
	range.range.start = (uintptr_t)at;
	range.range.len = page;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		refused("userfaultfd");
	put_code(bytes);
	copy.dst = (uintptr_t)at;
	copy.src = (uintptr_t)bytes;
	copy.len = page;
	if (ioctl(fd, UFFDIO_COPY, &copy))
		refused("UFFDIO_COPY");
	run(at);
}

static void in_namespaces(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		refused("unshare");
	by_pkey();
}

static void vm_written(void)
{
	char *at = text();
	struct iovec from = {(void *)(uintptr_t)other_code, code_size}, to = {at + inside, code_size};

	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) < 0)
		refused("process_vm_writev");
	run(at);
}

/* Its own code runs, and the file's bytes are back before anybody looks. */
static void put_back(void)
{
	char *at = map(NULL, RW, MAP_PRIVATE, file);

	put_code(at);
	set_rights(at, RX);
	run(at);
	map(at, RX, MAP_PRIVATE | MAP_FIXED, file);
	usleep(20000);
}

static const struct {
	const char *name;
	void (*fn)(void);
} ways[] = {
	{"moved-over", moved_over},
	{"copied-over", copied_over},
	{"file-moved", file_moved_over},
	{"rwx-moved", rwx_moved},
	{"made-later", moved_and_made},
	{"anywhere", moved_anywhere},
	{"by-hint", moved_by_hint},
	{"int80", moved_by_int80},
	{"long-number", moved_by_long_number},
	{"mem", through_mem},
	{"mem-at", through_mem_at},
	{"mem-parts", through_mem_in_parts},
	{"mem-ring", through_mem_by_ring},
	{"poke", poked},
	{"vm-writev", vm_written},
	{"pkey", by_pkey},
	{"implied", implied},
	{"part", over_a_part},
	{"child", child_writes},
	{"parent", parent_writes},
	{"vfork", vforked},
	{"vfork-fork", vforked_then_forked},
	{"sharer", sharer_writes},
	{"many", many_sharers},
	{"exec", thread_begins},
	{"memfd", memory_file_written},
	{"uffd", faulted_in},
	{"namespaces", in_namespaces},
	{"put-back", put_back},
};

int main(int argc, char **argv)
{
	size_t offset;

	if (argc < 5 || (file = open(argv[1], O_RDONLY | O_CLOEXEC)) < 0)
		refused("usage: text_liar FILE OFFSET MS WAY [GO]");
	page = (size_t)sysconf(_SC_PAGESIZE);
	offset = strtoul(argv[2], NULL, 0);
	inside = offset % page;
	at_page = (off_t)(offset - inside);
	code_size = (size_t)(other_code_end - other_code);
	seconds = strtod(argv[3], NULL) / 1000;
	arguments = argv;
	while (argc > 5 && access(argv[5], F_OK))
		usleep(2000);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(argv[4], ways[i].name)) {
			ways[i].fn();
			return 0;
		}
	}
	errno = EINVAL;
	refused(argv[4]);
	return 1;
}
