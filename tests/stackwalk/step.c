/* SPDX-License-Identifier: MIT */
/* Steps through a program one instruction at a time and compares, at each, the walk by unwind tables with the
 * call stack known from following calls and returns:
 *
 *   step [-v] [-s EVERY | -q ROOT] NAME PROGRAM
 *
 * Compared is everything that runs below main, libraries and vdso included; -s sends SIGUSR1 before every so
 * many instructions, -v demands some in the vdso. Prints one test point for NAME. Instructions whose true
 * stack is undefined are set aside and listed by count; aside.h says which they are, and nothing else is. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/stackwalk/aside.h"
#include "tests/stackwalk/names.h"
#include "tests/stackwalk/qemu.h"
#include "tests/stackwalk/shadow.h"
#include "tests/stackwalk/status.h"

enum {
	PAGE = 4096,
	CODE_PAGES = 1024,
	WINDOW = 4096,
	REMEMBERED = 4096, /* differences that may turn out to be set aside: more than any pass has */
	SHOWN = 5,
};

static struct {
	struct target target;
	struct shadow shadow;
	pid_t pid;
	uint64_t main_address;
	uint32_t main_depth; /* of the shadow in main; 0: not there */
	uint64_t steps, compared, signals, outside;
	uint64_t aside;  /* compared where the true stack is undefined */
	uint64_t agreed; /* of all compared */
	uint64_t differ; /* of those not set aside */
	uint64_t met;    /* differences, set aside or not */
	uint64_t vdso;   /* compared instructions of it */
	bool wants_vdso;
	unsigned every;
	const char *root; /* qemu's; NULL: ptrace */
	struct {
		uint64_t moment; /* of the shadow */
		char *text;      /* owned; NULL: free */
	} late[REMEMBERED];
	struct {
		uint64_t at;
		uint8_t bytes[PAGE];
	} code[CODE_PAGES];
} t;

/* ---- the program ---- */

static uint64_t auxv(pid_t pid, uint64_t type)
{
	uint64_t pair[2];
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/auxv", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, pair, sizeof(pair)) == sizeof(pair))
		if (pair[0] == type) {
			close(fd);
			return pair[1];
		}
	target_fail("auxv");
}

/* Link-time addresses of main and of the entry. */
static uint64_t find_main(const char *path, uint64_t *entry)
{
	uint64_t found = names_address(path, "main");

	if (!found)
		target_fail(path);
	*entry = names_entry(path);
	return found;
}

static int wait_stop(void)
{
	int status;

	while (waitpid(t.pid, &status, __WALL) < 0)
		if (errno != EINTR)
			target_fail("waitpid");
	return status;
}

/* Runs to the program's entry: the loader has done its work, no frame is there yet. */
static void run_to_entry(uint64_t entry)
{
	long word = ptrace(PTRACE_PEEKTEXT, t.pid, (void *)entry, NULL), stop = word;
	struct wt_walk_regs regs;

#if defined(__x86_64__)
	stop = (stop & ~0xffL) | 0xcc;
#else
	stop = (stop & ~0xffffffffL) | 0xd4200000L;
#endif
	if (ptrace(PTRACE_POKETEXT, t.pid, (void *)entry, (void *)stop) != 0 ||
	    ptrace(PTRACE_CONT, t.pid, NULL, NULL) != 0 || !WIFSTOPPED(wait_stop()) ||
	    ptrace(PTRACE_POKETEXT, t.pid, (void *)entry, (void *)word) != 0)
		target_fail("the entry was not reached");
#if defined(__x86_64__)
	/* The breakpoint left the pc behind itself. */
	if (ptrace(PTRACE_POKEUSER, t.pid, (void *)(16 * 8), (void *)entry) != 0)
		target_fail("PTRACE_POKEUSER");
#endif
	target_regs(t.pid, &regs);
	if (regs.pc != entry)
		target_fail("the program stopped elsewhere than at its entry");
}

/* On one CPU a step costs a switch instead of a wake-up across CPUs. */
static void stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		target_fail("sched_setaffinity");
}

/* Under qemu: its own auxiliary vector is not the program's. The entry is where the file was mapped. */
static void start_qemu(char **argv)
{
	uint64_t linked_entry, base = 0;

	t.main_address = find_main(argv[0], &linked_entry);
	t.pid = qemu_start(t.root, argv);
	t.target.machine = WT_ABI_UNWIND_AARCH64;
	t.target.emulated = true;
	target_load(&t.target, t.pid);
	for (uint32_t i = 0; i < t.target.n; i++)
		if (strstr(t.target.modules[i].path, argv[0]) && t.target.modules[i].walk.view) {
			base = t.target.modules[i].walk.bias;
			break;
		}
	t.main_address += base;
	qemu_run_to(linked_entry + base);
	target_load(&t.target, t.pid);
}

static void start(char **argv)
{
	uint64_t linked_entry, entry;

	if (t.root) {
		start_qemu(argv);
		return;
	}
	t.target.machine = WT_WALK_MACHINE;
	t.main_address = find_main(argv[0], &linked_entry);
	t.pid = fork();
	if (t.pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(127);
	}
	if (t.pid < 0 || !WIFSTOPPED(wait_stop()))
		target_fail("the program cannot be started");
	ptrace(PTRACE_SETOPTIONS, t.pid, NULL, (void *)(long)PTRACE_O_EXITKILL);
	entry = auxv(t.pid, AT_ENTRY);
	t.main_address += entry - linked_entry;
	run_to_entry(entry);
	target_load(&t.target, t.pid);
}

static enum shadow_insn insn_at(uint64_t pc)
{
	uint64_t page = pc & ~(uint64_t)(PAGE - 1);
	unsigned slot = (unsigned)(page / PAGE) % CODE_PAGES;
	size_t left = PAGE - (pc - page);

	if (t.code[slot].at != page) {
		t.code[slot].at = target_copy(&t.target, page, t.code[slot].bytes, PAGE) == PAGE ? page : 0;
		if (!t.code[slot].at)
			return SHADOW_OTHER;
	}
	if (left < 16) { /* rare: an instruction across pages */
		uint8_t bytes[16];

		return shadow_classify(t.target.machine, bytes,
				       target_copy(&t.target, pc, bytes, sizeof(bytes)));
	}
	return shadow_classify(t.target.machine, t.code[slot].bytes + (pc - page), left);
}

/* ---- comparison ---- */

/* With what earlier steps left in the caches, and the one before as a trail: the same walk, frame by frame.
 */
static bool walk_cached(struct wt_walk_input in, const struct wt_walk_result *wanted)
{
	static struct wt_walk_cache cache;
	static struct wt_walk_shared shared;
	static struct {
		uint64_t pc[WT_WALK_MAX], sp[WT_WALK_MAX], word[WT_WALK_MAX];
		uint32_t n;
	} walks[2];
	static unsigned turn;
	uint64_t *pc = walks[turn & 1].pc;
	const uint64_t *expected = in.pc;
	struct wt_walk_result result;

	in.cache = &cache;
	in.shared = &shared;
	in.pc = pc;
	in.sp = walks[turn & 1].sp;
	in.word = walks[turn & 1].word;
	turn++;
	in.trail.pc = walks[turn & 1].pc;
	in.trail.sp = walks[turn & 1].sp;
	in.trail.word = walks[turn & 1].word;
	in.trail.n = walks[turn & 1].n;
	wt_walk(t.target.machine, &in, &result);
	walks[(turn - 1) & 1].n = result.n;
	return result.n == wanted->n && result.status == wanted->status &&
	       !memcmp(pc, expected, result.n * sizeof(*pc));
}

static uint32_t walk(const struct wt_walk_regs *regs, uint64_t *pc, struct wt_walk_result *ret)
{
	static uint8_t window[WINDOW];
	uint64_t sp = regs->r[t.target.machine == WT_ABI_UNWIND_AARCH64 ? 31 : 7];
	uint64_t left = sp < t.target.stack_end ? t.target.stack_end - sp : WINDOW;
	struct wt_walk_input in = {.regs = regs,
				   .window = window,
				   .window_at = sp,
				   .read = target_read,
				   .find = target_find,
				   .ctx = &t.target,
				   .max = WT_WALK_MAX,
				   .pc = pc};

	in.window_size = target_copy(&t.target, sp, window, left < WINDOW ? left : WINDOW);
	wt_walk(t.target.machine, &in, ret);
	if (!walk_cached(in, ret))
		target_fail("a cache changes the walk");
	return ret->n;
}

static void place(uint64_t pc, char *text, size_t size)
{
	struct wt_walk_module m;
	const char *base;

	if (!target_find(&t.target, pc, &m)) {
		snprintf(text, size, "%llx", (unsigned long long)pc);
		return;
	}
	base = strrchr(t.target.modules[m.id].path, '/');
	snprintf(text, size, "%s+0x%llx", base ? base + 1 : t.target.modules[m.id].path,
		 (unsigned long long)(pc - m.bias));
}

/* Both chains side by side; malloc'd. */
static char *describe(const uint64_t *wanted, uint32_t n_wanted, const uint64_t *pc,
		      const struct wt_walk_result *got)
{
	char a[300], b[300], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		target_fail("open_memstream");
	fprintf(f, "# step %llu: %s, %u frames instead of %u\n", (unsigned long long)t.steps,
		walk_status_text(got->status), got->n, n_wanted);
	for (uint32_t i = 0; i < n_wanted || i < got->n; i++) {
		snprintf(a, sizeof(a), "-");
		snprintf(b, sizeof(b), "-");
		if (i < n_wanted)
			place(wanted[i], a, sizeof(a));
		if (i < got->n)
			place(pc[i], b, sizeof(b));
		fprintf(f, "#   %c %-44s %s\n", strcmp(a, b) ? '!' : ' ', a, b);
		if (i > 30)
			break;
	}
	fclose(f);
	return text;
}

static void show_unexplained(void)
{
	for (unsigned i = 0, shown = 0; i < REMEMBERED && shown < SHOWN; i++)
		if (t.late[i].text) {
			fputs(t.late[i].text, stdout);
			shown++;
		}
}

/* The first differences are kept, in case they are set aside afterwards or have to be shown. */
static void differs(const uint64_t *wanted, uint32_t n_wanted, const uint64_t *pc,
		    const struct wt_walk_result *got)
{
	unsigned late = t.met++ % REMEMBERED;

	t.differ++;
	if (t.late[late].text)
		return;
	t.late[late].moment = t.shadow.now;
	t.late[late].text = describe(wanted, n_wanted, pc, got);
}

/* The code at pc has left frames: what was compared since its stack became undefined is set aside. */
static void set_aside(uint64_t pc)
{
	uint64_t from;

	if (!aside_take(&t.target, pc, &t.shadow.left, t.compared, &from)) {
		char text[300];

		place(pc, text, sizeof(text));
		printf("# frames left by %s, which may not\n", text);
		t.shadow.in_transfer = false;
		t.differ++;
		return;
	}
	t.aside += t.compared - from;
	t.agreed -= t.compared - from;
	for (unsigned i = 0; i < REMEMBERED; i++)
		if (t.late[i].text && t.late[i].moment >= from) {
			free(t.late[i].text);
			t.late[i].text = NULL;
			t.differ--;
			t.agreed++;
		}
}

/* False when they differ. */
static bool compare(const struct wt_walk_regs *regs)
{
	static uint64_t pc[WT_WALK_MAX], wanted[WT_WALK_MAX];
	static bool exact[WT_WALK_MAX];
	static struct wt_walk_result got;
	uint32_t n = shadow_chain(&t.shadow, regs, wanted, exact);
	bool same;

	t.compared++;
	if (t.shadow.in_transfer) {
		t.aside++;
		aside_more(1);
		return false;
	}
	walk(regs, pc, &got);
	same = got.n == n && got.status == WT_WALK_COMPLETE && !got.n_fp &&
	       !memcmp(pc, wanted, n * sizeof(*pc));
	for (uint32_t i = 0; same && i < n; i++)
		same = exact[i] == wt_walk_is_exact(&got, i);
	if (same)
		t.agreed++;
	else
		differs(wanted, n, pc, &got);
	return same;
}

/* ---- stepping ---- */

static void follow_main(const struct wt_walk_regs *regs)
{
	if (!t.main_depth && regs->pc == t.main_address)
		t.main_depth = t.shadow.n;
	else if (t.main_depth && t.shadow.n < t.main_depth)
		t.main_depth = 0;
}

static bool in_handler(void)
{
	for (uint32_t i = 0; i < t.shadow.n; i++)
		if (t.shadow.entry[i].interrupted)
			return true;
	return false;
}

/* True once the program has a handler. */
static bool catches(int signal_number)
{
	static bool seen;
	unsigned long long mask = 0;
	char name[64], line[256];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)t.pid);
	f = seen ? NULL : fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigCgt: %llx", &mask) == 1)
			seen = mask >> (signal_number - 1) & 1;
	if (f)
		fclose(f);
	return seen;
}

static int choose_signal(void)
{
	/* Counted outside handlers: the program gets on however long one takes. */
	if (!t.every || !t.main_depth || in_handler() || ++t.outside % t.every || !catches(SIGUSR1))
		return 0;
	t.signals++;
	return SIGUSR1;
}

static void read_regs(struct wt_walk_regs *regs)
{
	if (t.root)
		qemu_regs(regs);
	else
		target_regs(t.pid, regs);
}

/* Lets the program do one instruction, or enter a handler. Returns the signal it stopped for, 0: none, -1: it
 * has ended with *code. */
static int advance(int signal_number, int *code)
{
	int status;

	if (t.root)
		return qemu_step(signal_number, code);
	if (ptrace(PTRACE_SINGLESTEP, t.pid, NULL, (void *)(long)signal_number) != 0)
		target_fail("PTRACE_SINGLESTEP");
	status = wait_stop();
	if (!WIFSTOPPED(status)) {
		*code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		return -1;
	}
	return WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

/* An emulator's step over a system call goes one instruction further: to what that one started from. */
static void skip_syscall(struct wt_walk_regs *before)
{
	enum { SIGRETURN = 139, NUMBER = 8 };

	if (insn_at(before->pc) != SHADOW_SYSCALL)
		return;
	before->pc += 4;
	if (before->r[NUMBER] == SIGRETURN && t.shadow.n && t.shadow.entry[t.shadow.n - 1].interrupted)
		before->pc = t.shadow.entry[--t.shadow.n].pc;
}

/* One step and what it means; false when the program has ended. */
static bool step(struct wt_walk_regs *regs, int *signal_number, int *code)
{
	struct wt_walk_regs before = *regs;
	int sent = *signal_number;

	*signal_number = advance(sent, code);
	if (*signal_number < 0)
		return false;
	t.steps++;
	t.shadow.now = t.compared;
	read_regs(regs);
	if (sent) {
		shadow_signal(&t.shadow, &t.target, &before, regs);
	} else if (!*signal_number || regs->pc != before.pc) {
		if (t.target.emulated && !*signal_number)
			skip_syscall(&before);
		if (shadow_step(&t.shadow, &t.target, insn_at(before.pc), &before, regs))
			set_aside(before.pc);
	}
	return true;
}

static bool is_vdso(const struct wt_walk_module *m)
{
	return m->id < t.target.n && !strcmp(t.target.modules[m->id].path, "[vdso]");
}

static int run(void)
{
	struct wt_walk_regs regs;
	int signal_number = 0, code = 255;

	read_regs(&regs);
	while (step(&regs, &signal_number, &code)) {
		struct wt_walk_module m = {.id = TARGET_MODULES};

		follow_main(&regs);
		if (!target_find(&t.target, regs.pc, &m))
			target_load(&t.target, t.pid);
		if (!t.main_depth)
			continue;
		t.vdso += is_vdso(&m);
		/* No handler runs on top of what is undefined: all of its instructions would be, too. */
		if (!signal_number && compare(&regs))
			signal_number = choose_signal();
	}
	return code;
}

int main(int argc, char **argv)
{
	uint64_t compared;
	const char *name;
	int code, option;
	bool good;

	while ((option = getopt(argc, argv, "vs:q:")) >= 0) {
		t.wants_vdso |= option == 'v';
		if (option == 's')
			t.every = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'q')
			t.root = optarg;
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: step [-v] [-s EVERY | -q ROOT] NAME PROGRAM\n");
		return 2;
	}
	name = argv[optind];
	printf("1..1\n");
	stay_on_one_cpu();
	start(argv + optind + 1);
	code = run();
	show_unexplained();
	aside_print();
	compared = t.compared - t.aside;
	good = code == 0 && compared > 1000 && t.agreed == compared && !t.differ && (t.vdso || !t.wants_vdso);
	printf("%s 1 - %s: %llu of %llu instructions agree (%.4f %%), %llu set aside, %llu in the vdso, %llu "
	       "signals%s\n",
	       good ? "ok" : "not ok", name, (unsigned long long)t.agreed, (unsigned long long)compared,
	       compared ? 100.0 * (double)t.agreed / (double)compared : 0, (unsigned long long)t.aside,
	       (unsigned long long)t.vdso, (unsigned long long)t.signals, code ? ", the program failed" : "");
	target_deinit(&t.target);
	return !good;
}
