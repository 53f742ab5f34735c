/* SPDX-License-Identifier: MIT */
/* What never answers, for tests of who asks.
 *
 * hanging fs DIRECTORY OPERATION: mounts a file system at DIRECTORY, for everybody, whose files all have SIZE
 * zeros, and that answers no request of the OPERATION (read, write, open, lookup, getattr, flush; "none").
 *
 * hanging fs DIRECTORY OPERATION FILE: the same with the bytes of FILE, and it answers the OPERATION to all
 * but wtrace itself: what is asked apart (wtrace-reader) is told.
 *
 * hanging args FILE: lays FILE over its own arguments.
 *
 * hanging locked FILE: exchanges a mapping of FILE, which it has written to: its table of mappings is locked
 * meanwhile.
 *
 * hanging deep FILE: the same, with a thread that waits for a lock and one that works below a frame of 100
 * KB.
 *
 * hanging away FILE: these threads, with FILE in the place of the callers of that frame, of the lock and of
 * the stack of the one that waits.
 *
 * hanging exec FILE: maps code, while a child of it closes FILE in an exec.
 *
 * Each says "ready" when that is so, "locked" when it is over, and stays; with a file system or threads for
 * 150 seconds at most. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIZE = 1 << 20, MOST = 1 << 17, FILE_NODE = 1000 };

struct request {
	struct fuse_in_header head;
	char rest[(1 << 18)];
};

static int device, content = -1;
static uint64_t size = SIZE;
static uint32_t hung;

static void answer(uint64_t number, const void *bytes, size_t len, int error)
{
	static char out[sizeof(struct fuse_out_header) + MOST];
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + len), .error = error, .unique = number};

	memcpy(out, &head, sizeof(head));
	if (len)
		memcpy(out + sizeof(head), bytes, len);
	if (write(device, out, head.len) < 0 && errno != ENOENT)
		exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FUSE_ROOT_ID ? 0 : size,
		.blocks = size / 512,
		.mode = node == FUSE_ROOT_ID ? S_IFDIR | 01777 : S_IFREG | 0777,
		.nlink = 1,
		.uid = node == FUSE_ROOT_ID ? 0 : 4242,
		.gid = node == FUSE_ROOT_ID ? 0 : 4242,
		.blksize = 4096,
	};
}

static void begin(const struct request *request)
{
	struct fuse_init_in in;
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION, .max_readahead = 4096, .max_write = 65536, .time_gran = 1};

	memcpy(&in, request->rest, sizeof(in));
	out.minor = in.minor < FUSE_KERNEL_MINOR_VERSION ? in.minor : FUSE_KERNEL_MINOR_VERSION;
	answer(request->head.unique, &out, sizeof(out), 0);
}

/* Every name is that of the same file. Nothing is remembered of it, so that each asks anew. */
static void look_up(const struct request *request)
{
	const struct fuse_entry_out out = {.nodeid = FILE_NODE, .attr = attributes(FILE_NODE)};

	answer(request->head.unique, &out, sizeof(out), 0);
}

static void serve_read(const struct request *request)
{
	static char bytes[MOST];
	struct fuse_read_in in;
	size_t len;

	memcpy(&in, request->rest, sizeof(in));
	len = in.offset >= size ? 0 : size - in.offset;
	len = len < in.size ? len : in.size;
	len = len < MOST ? len : MOST;
	if (content >= 0 && pread(content, bytes, len, (off_t)in.offset) != (ssize_t)len)
		exit(1);
	answer(request->head.unique, bytes, len, 0);
}

static void serve_write(const struct request *request)
{
	struct fuse_write_in in;
	struct fuse_write_out out = {0};

	memcpy(&in, request->rest, sizeof(in));
	out.size = in.size;
	answer(request->head.unique, &out, sizeof(out), 0);
}

/* Who asks, as the kernel tells it. */
static int is_refused(uint32_t pid)
{
	char path[32], name[16] = "";
	FILE *file;

	if (content < 0)
		return 1;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(name, sizeof(name), file))
		name[0] = 0;
	if (file)
		fclose(file);
	return !strncmp(name, "wtrace", 6) && strncmp(name, "wtrace-reader", 13);
}

static void serve(const struct request *request)
{
	const struct fuse_attr_out attr = {.attr = attributes(request->head.nodeid)};
	const struct fuse_open_out file = {.fh = 1};
	uint32_t what = request->head.opcode;

	if (hung && what == hung && is_refused(request->head.pid))
		return;
	switch (what) {
	case FUSE_INIT:
		begin(request);
		break;
	case FUSE_LOOKUP:
		look_up(request);
		break;
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		answer(request->head.unique, &attr, sizeof(attr), 0);
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(request->head.unique, &file, sizeof(file), 0);
		break;
	case FUSE_READ:
		serve_read(request);
		break;
	case FUSE_WRITE:
		serve_write(request);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FSYNC:
		answer(request->head.unique, NULL, 0, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(request->head.unique, NULL, 0, -ENOSYS);
	}
}

static uint32_t operation(const char *name)
{
	static const struct {
		const char *name;
		uint32_t number;
	} operations[] = {{"read", FUSE_READ},
			  {"write", FUSE_WRITE},
			  {"open", FUSE_OPEN},
			  {"lookup", FUSE_LOOKUP},
			  {"getattr", FUSE_GETATTR},
			  {"flush", FUSE_FLUSH},
			  {"none", 0}};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (!strcmp(operations[i].name, name))
			return operations[i].number;
	exit(2);
}

static int file_system(const char *directory, const char *what, const char *file)
{
	static struct request request;
	char options[128];
	struct stat st;

	hung = operation(what);
	if (file) {
		content = open(file, O_RDONLY | O_CLOEXEC);
		if (content < 0 || fstat(content, &st))
			return 1;
		size = (uint64_t)st.st_size;
	}
	/* Whatever becomes of who started it. */
	alarm(150);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=4242,group_id=4242,allow_other",
		 device);
	if (device < 0 || mount("hanging", directory, "fuse.hanging", MS_NODEV, options)) {
		perror("hanging: cannot mount");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (read(device, &request, sizeof(request)) > 0)
			serve(&request);
		else if (errno == ENODEV)
			break;
	}
	umount2(directory, MNT_DETACH);
	return 0;
}

static void *map_file(const char *path, void *at, int fixed, int how)
{
	int fd = open(path, how & PROT_WRITE ? O_RDWR : O_RDONLY);
	void *map = fd < 0 ? MAP_FAILED
			   : mmap(at, 4096, how, (how & PROT_WRITE ? MAP_SHARED : MAP_PRIVATE) | fixed, fd,
				  0);

	if (map == MAP_FAILED)
		exit(1);
	return map;
}

/* What was written goes to the file first, with the table of mappings locked. */
static void exchange(void *at)
{
	mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

enum { STACK = 1 << 20, DEEP = 100 << 10 };

/* One thread works on the first stack, below a large frame; another waits on the second one, for a lock. */
static struct {
	char *work, *wait;
	pthread_mutex_t *lock;
	pid_t waits; /* the thread that does */
	int works;   /* the other one does */
	const char *file;
	int mapped;
} threads;

static const char ready[] = "ready\n";

static void *own_memory(size_t bytes)
{
	void *ret = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (ret == MAP_FAILED)
		exit(1);
	return ret;
}

static void *wait_for_lock(void *unused)
{
	(void)unused;
	__atomic_store_n(&threads.waits, gettid(), __ATOMIC_RELEASE);
	pthread_mutex_lock(threads.lock);
	return NULL;
}

static int is_waiting(pid_t tid)
{
	char path[64];
	int call = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%d", &call) != 1)
		call = -1;
	if (file)
		fclose(file);
	return call == SYS_futex;
}

static void *make_it_hang(void *unused)
{
	pid_t tid;

	(void)unused;
	do
		tid = __atomic_load_n(&threads.waits, __ATOMIC_ACQUIRE);
	while (!tid || !is_waiting(tid) || !__atomic_load_n(&threads.works, __ATOMIC_ACQUIRE));
	if (threads.mapped) {
		/* Where the callers of the one that works are, and all that belongs to the one that waits. */
		for (size_t at = STACK - 8192; at < STACK; at += 4096)
			map_file(threads.file, threads.work + at, MAP_FIXED, PROT_READ);
		for (size_t at = 0; at < STACK; at += 4096)
			map_file(threads.file, threads.wait + at, MAP_FIXED, PROT_READ);
		map_file(threads.file, threads.lock, MAP_FIXED, PROT_READ);
	}
	if (write(1, ready, sizeof(ready) - 1) < 0)
		exit(1);
	if (!threads.mapped) {
		char *map = map_file(threads.file, NULL, 0, PROT_READ | PROT_WRITE);

		map[0] = 1;
		exchange(map);
	}
	for (;;)
		pause();
}

static __attribute__((noinline)) void work_below(volatile char *frame)
{
	__atomic_store_n(&threads.works, 1, __ATOMIC_RELEASE);
	for (;;)
		frame[0]++;
}

static void work(void)
{
	volatile char frame[DEEP];

	memset((void *)frame, 1, sizeof(frame));
	work_below(frame);
	frame[1]++;
}

static void start(pthread_t *thread, char *stack, void *(*fn)(void *))
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) || (stack && pthread_attr_setstack(&attr, stack, STACK)) ||
	    pthread_create(thread, &attr, fn, NULL))
		exit(1);
}

/* The main thread, whose thread-local memory is elsewhere, works. */
static int with_threads(const char *file, int mapped)
{
	static ucontext_t here, there;
	pthread_t waiter, helper;

	alarm(150);
	threads.work = own_memory(STACK);
	threads.wait = own_memory(STACK);
	threads.lock = own_memory(4096);
	threads.file = file;
	threads.mapped = mapped;
	pthread_mutex_init(threads.lock, NULL);
	pthread_mutex_lock(threads.lock);
	getcontext(&there);
	there.uc_stack.ss_sp = threads.work;
	there.uc_stack.ss_size = STACK;
	makecontext(&there, work, 0);
	start(&waiter, threads.wait, wait_for_lock);
	start(&helper, NULL, make_it_hang);
	return swapcontext(&here, &there);
}

/* In its other files the kernel may wait for the exec, too. */
static char state_of(pid_t pid)
{
	char path[64], line[256], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && !state && fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) != 1)
			state = 0;
	if (file)
		fclose(file);
	return state;
}

static int with_exec(const char *file)
{
	char byte = 0;
	int ends[2];
	pid_t child;

	alarm(150);
	if (pipe(ends) || (child = fork()) < 0)
		return 1;
	if (!child) {
		alarm(150);
		if (open(file, O_RDONLY | O_CLOEXEC) < 0 || write(ends[1], &byte, 1) < 0)
			_exit(1);
		execl("/proc/self/exe", "hanging", "none", "none", NULL);
		_exit(1);
	}
	if (read(ends[0], &byte, 1) != 1)
		return 1;
	while (state_of(child) == 'R')
		usleep(10000);
	if (write(1, ready, sizeof(ready) - 1) < 0)
		return 1;
	for (;;) {
		void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		usleep(20000);
		munmap(code, 4096);
	}
}

int main(int argc, char **argv)
{
	uintptr_t page = (uintptr_t)argv[0] & ~(uintptr_t)4095;
	char *map;

	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "fs"))
		return file_system(argv[2], argv[3], argv[4]);
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "exec"))
		return with_exec(argv[2]);
	if (!strcmp(argv[1], "deep") || !strcmp(argv[1], "away"))
		return with_threads(argv[2], argv[1][0] == 'a');
	if (!strcmp(argv[1], "args")) {
		/* All of them in one page, or what is read of it reaches over. */
		map_file(argv[2], (void *)page, MAP_FIXED, PROT_READ);
	} else {
		map = map_file(argv[2], NULL, 0, PROT_READ | PROT_WRITE);
		map[0] = 1;
		exchange(map);
	}
	if (write(1, ready, sizeof(ready) - 1) < 0)
		return 1;
	for (;;)
		pause();
}
