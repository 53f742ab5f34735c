// SPDX-License-Identifier: MIT
/* Threads and processes that hand work to each other at random, for tests of pauses, and say what they did.
 * Times are those of the trace's clock.
 *
 *	handoff SEED [ROUNDS]
 *
 * In each round node 0 asks others, which may ask others in turn, one after another or all at once, work in
 * between, and answer. Half of the nodes are threads of the first process, half are processes. Questions and
 * answers go through futexes, pipes, sockets of two kinds, eventfds and signals, and are waited for in the
 * call itself or in poll. To work is to run, to sleep, to wait for what does not come until a timeout, or to
 * wait for a child that works. The seed decides everything but how long it takes. In the end:
 *
 *	pause TID FROM TO                  node 0: a round
 *	did TID spin|sleep|timeout FROM TO
 *	sent TID CHANNEL NUMBER FROM TO    TO 0: not known, it is the end of a process
 *	got TID CHANNEL NUMBER FROM TO     what was sent by that channel with that number; CHANNEL ends in t:
 *					   by TCP
 *	again TID FROM TO                  a wait that an earlier answer's wake ended; the next one follows
 */
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 6, PROCESSES_FROM = 3, MOST_OPS = 1 << 13, READ = 0, WRITE = 1, PATIENCE_S = 300 };
enum how { FUTEX, SIGNAL, PIPE, SOCKET, TCP, EVENTFD, HOWS };
enum what { SPIN, SLEEP, TIMEOUT, SENT, GOT, AGAIN, ROUND };

struct op {
	enum what what;
	int tid, number;
	char channel[4];
	uint64_t from, to;
};

struct history {
	int n;
	struct op ops[MOST_OPS];
};

/* By which a node is asked, or answers. */
struct link {
	char name;
	int node;
	int fds[HOWS][2];
	_Atomic uint32_t *word;
};

/* Of all processes. Children of a node write to its second history. */
static struct shared {
	_Atomic uint32_t words[2][NODES];
	_Atomic int ready;
	int pids[NODES], tids[NODES];
	struct history histories[NODES][2];
} * shared;

static uint64_t seed;
static int rounds = 20;
static struct link questions[NODES], answers[NODES];

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The same for all nodes. */
static unsigned drawn(int round, int salt, unsigned n)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u + (uint64_t)round * 1000003 + (uint64_t)salt;

	for (int i = 0; i < 3; i++)
		x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
	return (unsigned)(x >> 32) % n;
}

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static struct op *note(struct history *history, enum what what, uint64_t from, uint64_t to)
{
	struct op *op = &history->ops[history->n];

	if (history->n++ == MOST_OPS)
		fail("too many rounds");
	*op = (struct op){.what = what, .tid = gettid(), .from = from, .to = to};
	return op;
}

static void note_link(struct history *history, enum what what, const char name[2], int node, int number,
		      uint64_t from, uint64_t to)
{
	struct op *op = note(history, what, from, to);

	op->number = number;
	op->channel[0] = name[0];
	op->channel[1] = (char)('0' + node);
	op->channel[2] = name[1];
}

/* ---- links ---- */

static void open_tcp(int fds[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

	fds[WRITE] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&at, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &len) ||
	    connect(fds[WRITE], (struct sockaddr *)&at, len))
		fail("TCP to this machine");
	fds[READ] = accept(listener, NULL, NULL);
	if (fds[READ] < 0 || setsockopt(fds[WRITE], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		fail("accept");
	close(listener);
}

static void open_link(struct link *link, char name, int node)
{
	int event = eventfd(0, 0);

	link->name = name;
	link->node = node;
	link->word = &shared->words[name == 'a'][node];
	if (event < 0 || pipe(link->fds[PIPE]) || socketpair(AF_UNIX, SOCK_STREAM, 0, link->fds[SOCKET]))
		fail("channels");
	open_tcp(link->fds[TCP]);
	link->fds[EVENTFD][READ] = link->fds[EVENTFD][WRITE] = event;
}

static enum how how_of(const struct link *link, int round)
{
	return (enum how)drawn(round, 100 + 20 * link->node + link->name, HOWS);
}

static const char *channel_of(const struct link *link, enum how how)
{
	if (link->name == 'q')
		return how == TCP ? "qt" : "q";
	return how == TCP ? "at" : "a";
}

static int signal_of(const struct link *link)
{
	return SIGRTMIN + (link->name == 'a' ? link->node : 0);
}

static long futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

/* to: the node that waits. */
static void put(int node, const struct link *link, int round, int to)
{
	const uint64_t one = 1;
	enum how how = how_of(link, round);
	uint64_t from = now();

	if (how == FUTEX) {
		atomic_store(link->word, 1);
		futex(link->word, FUTEX_WAKE, 1, NULL);
	} else if (how == SIGNAL) {
		if (syscall(SYS_tgkill, shared->pids[to], shared->tids[to], signal_of(link)))
			fail("tgkill");
	} else if (write(link->fds[how][WRITE], &one, sizeof(one)) != sizeof(one)) {
		fail("write");
	}
	note_link(&shared->histories[node][0], SENT, channel_of(link, how), link->node, round, from, now());
}

static uint64_t get_word(int node, const struct link *link)
{
	uint64_t from = now();

	while (!atomic_exchange(link->word, 0)) {
		futex(link->word, FUTEX_WAIT, 0, NULL);
		if (atomic_load(link->word))
			continue;
		note(&shared->histories[node][0], AGAIN, from, now());
		from = now();
	}
	return from;
}

static void get_signal(const struct link *link)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal_of(link));
	while (sigwaitinfo(&set, NULL) < 0)
		if (errno != EINTR)
			fail("sigwaitinfo");
}

static void get(int node, const struct link *link, int round)
{
	enum how how = how_of(link, round);
	uint64_t from = now(), one;

	if (how == FUTEX) {
		from = get_word(node, link);
	} else if (how == SIGNAL) {
		get_signal(link);
	} else {
		struct pollfd one_fd = {.fd = link->fds[how][READ], .events = POLLIN};

		if (drawn(round, 500 + link->node, 2) && poll(&one_fd, 1, -1) != 1)
			fail("poll");
		if (read(one_fd.fd, &one, sizeof(one)) != sizeof(one))
			fail("read");
	}
	note_link(&shared->histories[node][0], GOT, channel_of(link, how), link->node, round, from, now());
}

/* ---- work ---- */

static void spin(struct history *history, long us)
{
	uint64_t from = now();

	while (now() < from + (uint64_t)us * 1000)
		;
	note(history, SPIN, from, now());
}

static void sleep_for(struct history *history, long us)
{
	const struct timespec ts = {0, us * 1000};
	uint64_t from = now();

	nanosleep(&ts, NULL);
	note(history, SLEEP, from, now());
}

static void time_out(struct history *history, long us, unsigned how)
{
	const struct timespec ts = {0, us * 1000};
	_Atomic uint32_t never = 0;
	uint64_t from = now();
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX);
	if (how == 0)
		futex(&never, FUTEX_WAIT, 0, &ts);
	else if (how == 1)
		ppoll(NULL, 0, &ts, NULL);
	else
		sigtimedwait(&set, NULL, &ts);
	note(history, TIMEOUT, from, now());
}

/* A process without threads of its own makes a child, and waits for it. */
static void wait_for_child(int node, int round, int salt, long us)
{
	struct history *own = &shared->histories[node][0], *its = &shared->histories[node][1];
	int number = round * 10000 + salt;
	pid_t child = fork();
	uint64_t from;

	if (!child) {
		if (drawn(round, salt + 3, 2))
			spin(its, us);
		else
			sleep_for(its, us);
		note_link(its, SENT, "x", node, number, now(), 0);
		_exit(0);
	}
	if (drawn(round, salt + 4, 2))
		spin(own, us / 4);
	from = now();
	if (waitpid(child, NULL, 0) != child)
		fail("waitpid");
	note_link(own, GOT, "x", node, number, from, now());
}

static void work(int node, int round, int salt)
{
	struct history *own = &shared->histories[node][0];
	long us = 60 + (long)drawn(round, salt + 1, 700);

	switch (drawn(round, salt, 6)) {
	case 0:
		sleep_for(own, us);
		break;
	case 1:
		time_out(own, us, drawn(round, salt + 2, 3));
		break;
	case 2:
		if (node >= PROCESSES_FROM) {
			wait_for_child(node, round, salt, us);
			break;
		}
		/* fall through */
	default:
		spin(own, us);
	}
}

/* ---- nodes ---- */

/* Who asks the node in this round; -1: nobody. */
static int asker_of(int round, int node)
{
	int asker = (int)drawn(round, 20 + node, (unsigned)node + 1) - 1;

	return asker <= 0 || asker_of(round, asker) >= 0 ? asker : -1;
}

static void ask(int node, int round)
{
	bool at_once = drawn(round, 40 + node, 2);

	for (int other = node + 1; other < NODES; other++) {
		if (asker_of(round, other) != node)
			continue;
		put(node, &questions[other], round, other);
		if (at_once)
			continue;
		get(node, &answers[other], round);
		work(node, round, 2000 + 100 * node + 10 * other);
	}
	if (at_once)
		work(node, round, 3000 + 100 * node);
	for (int other = node + 1; other < NODES && at_once; other++)
		if (asker_of(round, other) == node)
			get(node, &answers[other], round);
}

static void begin(int node)
{
	shared->pids[node] = getpid();
	shared->tids[node] = gettid();
	shared->ready++;
}

static void serve(int node)
{
	begin(node);
	for (int round = 0; round < rounds; round++) {
		if (asker_of(round, node) < 0)
			continue;
		get(node, &questions[node], round);
		work(node, round, 4000 + 100 * node);
		ask(node, round);
		put(node, &answers[node], round, asker_of(round, node));
	}
}

static void *serve_in_thread(void *node)
{
	serve((int)(intptr_t)node);
	return NULL;
}

static void lead(void)
{
	begin(0);
	while (atomic_load(&shared->ready) < NODES)
		sleep_for(&shared->histories[0][0], 1000);
	for (int round = 0; round < rounds; round++) {
		uint64_t from = now();

		ask(0, round);
		note(&shared->histories[0][0], ROUND, from, now());
	}
}

static void print(const struct op *op)
{
	static const char *const whats[] = {"did %d spin", "did %d sleep", "did %d timeout", "sent %d",
					    "got %d",      "again %d",     "pause %d"};

	printf(whats[op->what], op->tid);
	if (op->what == SENT || op->what == GOT)
		printf(" %s %d", op->channel, op->number);
	printf(" %lu %lu\n", op->from, op->to);
}

static void prepare(void)
{
	sigset_t set;

	/* Memory is touched before, so that nobody waits for it. */
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (shared == MAP_FAILED)
		fail("mmap");
	sigemptyset(&set);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		sigaddset(&set, n);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int node = 1; node < NODES; node++) {
		open_link(&questions[node], 'q', node);
		open_link(&answers[node], 'a', node);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[PROCESSES_FROM];

	if (argc < 2)
		return 2;
	seed = strtoul(argv[1], NULL, 10);
	rounds = argc > 2 ? (int)strtoul(argv[2], NULL, 10) : rounds;
	prepare();
	for (int node = PROCESSES_FROM; node < NODES; node++)
		if (!fork()) {
			alarm(PATIENCE_S);
			serve(node);
			_exit(0);
		}
	alarm(PATIENCE_S);
	for (int node = 1; node < PROCESSES_FROM; node++)
		if (pthread_create(&threads[node], NULL, serve_in_thread, (void *)(intptr_t)node))
			fail("pthread_create");
	lead();
	for (int node = 1; node < PROCESSES_FROM; node++)
		pthread_join(threads[node], NULL);
	while (wait(NULL) > 0)
		;
	for (int node = 0; node < NODES; node++)
		for (int whose = 0; whose < 2; whose++)
			for (int i = 0; i < shared->histories[node][whose].n; i++)
				print(&shared->histories[node][whose].ops[i]);
	return 0;
}
