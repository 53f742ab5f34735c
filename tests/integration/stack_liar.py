#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes programs whose stacks are hard to walk, and compares what a log says of them with their own account.

stack_liar.py emit SEED DIRECTORY: writes liar.cc, a program with functions drawn by the seed, and lib0.s to lib3.s, libraries for it.
The program is called liar CPU_SECONDS TRUTH LIBRARY...: each thread keeps a list of the functions it is in, and TRUTH gets a line
for each time that a thread spins: thread id, begin and end on the trace's clock in ns, and the functions from the outermost in.
stack_liar.py judge LOG TRUTH: prints, as JSON, how many samples there are by status, how many of them name other functions than the
truth, and examples of these. A stack that ends early is wrong where the functions it names are not the innermost ones.
"""
import bisect
import collections
import json
import random
import re
import sys

import stack_proof

OWN = re.compile(r"^g(\d+)_\w+(?:\.cold)?$")
LIBRARIES = 4

PROLOGUE = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#define ALONE extern "C" __attribute__((noipa))
typedef void fn(unsigned depth);
enum { MOST = 300, SPANS = 60000, WORDS = 1 << 22 };
struct flow { uint16_t chain[MOST]; int n, pinned; char *low; long reserve; struct co *co; };
struct span { uint64_t begin, end; int tid; uint32_t at, n; };
struct co { void *sp, *back; flow f; char *stack; size_t size; unsigned depth; bool done; };
struct worker {
	pthread_t thread; uint64_t seed; struct flow own, *flow; span *spans; uint16_t *words; uint32_t n_spans, n_words;
	int tid; volatile int spinning, nested; char *alt; size_t alt_size, stack_size; int kind; sigjmp_buf back;
	pthread_mutex_t dead; char *volatile dead_low, *volatile dead_high;
};
enum { THREADS = 6 };
static worker workers[THREADS];
static __thread worker *own;
static volatile uint64_t stop, sink;
static char **libraries;
static int n_libraries;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER, pooling = PTHREAD_MUTEX_INITIALIZER;
static co *pool[16];
static int pooled;
ALONE worker *me(void) { return own; }
static inline uint64_t now(void) { timespec t; clock_gettime(CLOCK_MONOTONIC_RAW, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
ALONE unsigned draw(unsigned n) { worker *w = me(); w->seed = w->seed * 6364136223846793005ull + 1442695040888963407ull; return (unsigned)(w->seed >> 33) % n; }
ALONE void note(uint64_t begin, uint64_t end, int n)
{
	worker *w = me();
	if (w->n_spans == SPANS || w->n_words + n > WORDS) return;
	memcpy(w->words + w->n_words, w->flow->chain, n * 2);
	w->spans[w->n_spans++] = span{begin, end, (int)syscall(SYS_gettid), w->n_words, (uint32_t)n};
	w->n_words += n;
}
/* What is on the list while the function runs, however it ends. */
struct in {
	flow *f; int n;
	explicit in(int id) : f(me()->flow), n(f->n) { if (n == MOST) abort(); f->chain[n] = id; f->n = n + 1; }
	~in() { f->n = n; }
};
struct pin { flow *f; pin() : f(me()->flow) { f->pinned++; } ~pin() { f->pinned--; } };
ALONE fn *pick(unsigned depth);
#define NEXT(depth) pick(depth)((depth) ? (depth) - 1 : 0)
/* Frames full of what looks like frames. */
static void fill(volatile uint64_t *room, size_t words, size_t step)
{
	for (size_t at = 0; at + 1 < words; at += step) { room[at] = (uint64_t)&room[at + 1 < words ? at + 1 : at]; room[at + 1] = (uint64_t)pick + 16 * (at % 64); }
}
/* Spins, while another thread may write over what lies far below this frame. */
ALONE void spin(unsigned us)
{
	worker *w = me();
	char *sp = (char *)__builtin_frame_address(0);
	uint64_t begin = now(), until = begin + us * 1000ull;
	bool outer = !w->spinning;
	if (outer && sp - w->flow->low > (96 << 10)) { w->dead_high = sp - (64 << 10); w->dead_low = w->flow->low + 4096; }
	w->spinning = w->spinning + 1;
	while (now() < until && !stop) for (int i = 0; i < 200; i++) sink = sink * 6364136223846793005ull + 1;
	w->spinning = w->spinning - 1;
	if (outer) { pthread_mutex_lock(&w->dead); w->dead_low = w->dead_high = nullptr; pthread_mutex_unlock(&w->dead); }
	note(begin, now(), w->flow->n);
}
ALONE void g0_leaf(unsigned) { in f(0); spin(100 + draw(40) * draw(100)); sink++; }
/* A signal, on another stack or on this one, that may come again within. */
ALONE void g1_signal(int number)
{
	worker *w = own;
	if (!w || !w->spinning || w->nested == 3) return;
	uint64_t begin = now();
	flow *fl = w->flow; char *low = fl->low, *sp = (char *)__builtin_frame_address(0); long reserve = fl->reserve;
	char *dl = w->dead_low, *dh = w->dead_high;
	int spinning = w->spinning;
	w->nested = w->nested + 1; w->spinning = 0; /* from here on another signal returns at once */
	pthread_mutex_lock(&w->dead); w->dead_low = w->dead_high = nullptr; pthread_mutex_unlock(&w->dead);
	if (w->alt && sp >= w->alt && sp < w->alt + w->alt_size) { fl->low = w->alt; fl->reserve = 28 << 10; }
	else if (number == SIGUSR2) { fl->low = sp - (40 << 10) > low ? low : sp; }
	{ in f(1); pin p; NEXT(draw(6)); sink++; }
	fl->low = low; fl->reserve = reserve;
	note(begin, now(), 0);
	w->dead_high = dh; w->dead_low = dl;
	w->nested = w->nested - 1; w->spinning = spinning; /* the last: what a signal interrupts is as it was */
}
/* Stacks that change hands. */
extern "C" void switch_to(void **save, void *to);
extern "C" void co_known(void); extern "C" void co_bare(void);
__asm__(".text\n.type switch_to,@function\nswitch_to: .cfi_startproc\n"
	"push %rbp; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbp,0; push %rbx; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbx,0\n"
	"push %r12; .cfi_adjust_cfa_offset 8; .cfi_rel_offset r12,0; push %r13; .cfi_adjust_cfa_offset 8; .cfi_rel_offset r13,0\n"
	"push %r14; .cfi_adjust_cfa_offset 8; .cfi_rel_offset r14,0; push %r15; .cfi_adjust_cfa_offset 8; .cfi_rel_offset r15,0\n"
	"mov %rsp,(%rdi); mov %rsi,%rsp\n"
	"pop %r15; .cfi_adjust_cfa_offset -8; .cfi_restore r15; pop %r14; .cfi_adjust_cfa_offset -8; .cfi_restore r14\n"
	"pop %r13; .cfi_adjust_cfa_offset -8; .cfi_restore r13; pop %r12; .cfi_adjust_cfa_offset -8; .cfi_restore r12\n"
	"pop %rbx; .cfi_adjust_cfa_offset -8; .cfi_restore rbx; pop %rbp; .cfi_adjust_cfa_offset -8; .cfi_restore rbp\n"
	"ret; .cfi_endproc; .size switch_to,.-switch_to\n"
	".type co_known,@function\nnop\nco_known: .cfi_startproc; .cfi_undefined rip; mov %r12,%rdi; call *%rbx; ud2; .cfi_endproc; .size co_known,.-co_known\n"
	".type co_bare,@function\nnop\nco_bare: mov %r12,%rdi; call *%rbx; ud2; .size co_bare,.-co_bare\n");
static char *new_stack(size_t size) { char *s = (char *)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (s == MAP_FAILED) abort(); return s; }
ALONE void g2_co(co *c)
{
	{ in f(2); NEXT(c->depth); sink++; }
	c->done = true;
	switch_to(&c->sp, c->back);
	abort();
}
ALONE void resume(co *c)
{
	flow *was = me()->flow;
	me()->flow = &c->f;
	switch_to(&c->back, c->sp);
	me()->flow = was;
}
static void begin_co(co *c, char *stack, size_t size, unsigned depth, void (*entry)(void))
{
	void **sp = (void **)(stack + size);
	c->stack = stack; c->size = size; c->depth = depth; c->done = false;
	c->f.n = c->f.pinned = 0; c->f.low = stack; c->f.reserve = 28 << 10; c->f.co = c;
	*--sp = nullptr; *--sp = nullptr; *--sp = (void *)entry;
	*--sp = nullptr; *--sp = (void *)g2_co; *--sp = c; *--sp = nullptr; *--sp = nullptr; *--sp = nullptr;
	c->sp = sp;
}
static void in_context(void) { in f(3); NEXT(draw(5)); sink++; }
ALONE void g3_context(void) { in_context(); sink++; }

ALONE int raise_deep(unsigned n, unsigned kb)
{
	volatile char *room = (volatile char *)__builtin_alloca(kb << 10);
	room[5] = 1;
	if (!n) throw 7;
	int r = raise_deep(n - 1, kb);
	return r + room[5];
}
ALONE void jump_deep(unsigned n, jmp_buf *to)
{
	volatile char room[3000];
	room[n] = 1;
	if (!n) longjmp(*to, 1);
	jump_deep(n - 1, to);
	sink += room[n];
}
extern char **environ;
"""

# KIND: what a function does after it is on the list; KB is the size of its frame.
BODIES = {
    "fixed": "volatile char room[{b}]; for (unsigned i = 0; i < {b} / 3; i += 509) room[i] = i; NEXT(d); sink += room[1];",
    "filled": "volatile uint64_t room[{b} / 8]; fill(room, {b} / 8, {step}); NEXT(d); sink += room[1];",
    "aligned": "volatile char room[{b}] __attribute__((aligned({align}))); room[3] = 1; NEXT(d); sink += room[3];",
    "alloca": "size_t n = 16 + draw({b}); volatile char *room = (volatile char *)__builtin_alloca(n); room[n / 2] = 1; NEXT(d); sink += room[n / 2];",
    "allocas": "volatile char *room = nullptr; for (unsigned i = 0, n = 1 + draw(4); i < n; i++) {{ room = (volatile char *)__builtin_alloca(16 + draw({b} / 4)); "
               "room[0] = i; NEXT(d / 2); }} sink += room[0];",
    "vla": "unsigned n = 1 + draw({b}); volatile char room[n]; room[n / 2] = 1; NEXT(d); sink += room[n / 2];",
    "jump": "jmp_buf to; flow *fl = me()->flow; volatile unsigned keep = d; volatile int n = fl->n; if (!setjmp(to)) jump_deep({few}, &to); me()->flow->n = n; "
            "NEXT(keep); sink++;",
    "caught": "volatile char room[{b}]; room[1] = 1; pin p; try {{ raise_deep({few}, {small}); }} catch (int) {{ NEXT(d); sink++; }} sink += room[1];",
    "dtor": "struct last {{ unsigned d; ~last() {{ NEXT(d); sink++; }} }}; pin p; try {{ last l{{d}}; volatile char room[{b}]; room[1] = 1; raise_deep({few}, {small}); "
            "sink += room[1]; }} catch (int) {{ sink++; }}",
    "context": "ucontext_t here, there; flow *was = me()->flow, inner; getcontext(&there); size_t size = {kb2} << 10; char *s = new_stack(size); "
               "inner.n = 0; inner.pinned = 1; inner.low = s; inner.reserve = 28 << 10; inner.co = nullptr; there.uc_stack.ss_sp = s; there.uc_stack.ss_size = size; "
               "there.uc_link = &here; {{ pin p; me()->flow = &inner; makecontext(&there, in_context, 0); swapcontext(&here, &there); me()->flow = was; }} munmap(s, size); sink += d;",
    "hand": "co *c = nullptr; pin p; pthread_mutex_lock(&pooling); if (pooled && draw(2)) c = pool[--pooled]; pthread_mutex_unlock(&pooling); "
            "if (!c) {{ c = (co *)malloc(sizeof(*c)); begin_co(c, new_stack({kb2} << 10), {kb2} << 10, d, {entry}); }} resume(c); bool keep = false; "
            "pthread_mutex_lock(&pooling); if (!c->done && pooled < 16) {{ pool[pooled++] = c; keep = true; }} pthread_mutex_unlock(&pooling); "
            "if (!keep) {{ munmap(c->stack, c->size); free(c); }}",
    "within": "char room[96 << 10] __attribute__((aligned(16))); co c; pin p; begin_co(&c, room, sizeof(room) - 64, d, {entry}); "
              "c.f.pinned = 1; resume(&c); sink += room[9];",
    "yield": "NEXT(d / 2); flow *fl = me()->flow; if (fl->co && !fl->pinned) switch_to(&fl->co->sp, fl->co->back); NEXT(d); sink++;",
    "vfork": "flow *fl = me()->flow; volatile int n = fl->n; volatile char room[{b}]; room[2] = 1; pin p; worker *w = me(); char *alt = w->alt; w->alt = nullptr; int busy = w->nested; w->nested = 3; "
             "volatile int pinned = fl->pinned; pid_t child = vfork(); if (!child) {{ g0_leaf(0); _exit(0); }} fl->n = n; fl->pinned = pinned; w->alt = alt; w->nested = busy; w->spinning = 0; "
             "waitpid(child, nullptr, 0); sink += room[2];",
    "spawn": "pid_t child; char name[] = \"true\", *argv[] = {{name, nullptr}}; if (!draw(4) && !posix_spawn(&child, \"/bin/true\", nullptr, nullptr, argv, environ)) "
             "waitpid(child, nullptr, 0); NEXT(d); sink++;",
    "raise": "worker *w = me(); uint64_t begin = now(); w->spinning = w->spinning + 1; pthread_kill(pthread_self(), draw(2) ? SIGUSR1 : SIGUSR2); w->spinning = w->spinning - 1; (void)begin; NEXT(d / 2); sink++;",
    "library": "pin p; if (pthread_mutex_trylock(&loading)) {{ NEXT(d); sink++; return; }} "
               "unsigned which = draw(n_libraries); void *l = dlopen(libraries[which], RTLD_NOW); if (!l) abort(); "
               "void (*through)(fn *, unsigned) = *(void (**)(fn *, unsigned))dlsym(l, \"through\"); flow *fl = me()->flow; int n = fl->n; fl->chain[fl->n++] = 1000 + which; "
               "int id = 1000 + which; if ({over}) {{ unsigned other = draw(n_libraries); int fd = open(libraries[other], O_RDONLY | O_CLOEXEC); "
               "if (mmap((void *)((uintptr_t)through & ~4095ul), 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 4096) == MAP_FAILED) abort(); close(fd); id = 1000 + other; }} "
               "fl->chain[n] = id; through(g0_leaf, 0); fl->n = n; char *page = (char *)((uintptr_t)through & ~4095ul); dlclose(l); "
               "if ({after}) {{ char *code = (char *)mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0); "
               "if (code != MAP_FAILED) {{ memcpy(code + ((uintptr_t)through & 4095), made, sizeof(made)); mprotect(code, 4096, PROT_READ | PROT_EXEC); through(g0_leaf, 0); munmap(code, 4096); }} }} "
               "pthread_mutex_unlock(&loading); sink++;",
}
NEEDS = {"library": 72, "caught": 48, "dtor": 48, "spawn": 48, "context": 8, "hand": 4, "within": 110, "jump": 50}
# Another signal would begin at the top of the alternate stack again, over the frames that still lie there.
SWITCHES = {"context", "hand", "within"}


def emit(seed, directory):
    draw = random.Random(seed)
    made, needs, out = {0: "g0_leaf", 1: "g1_signal", 2: "g2_co", 3: "in_context"}, {}, [PROLOGUE]
    frame = draw.choice([40, 4104, 30008, 70008])
    code = b"\x48\x81\xec" + frame.to_bytes(4, "little") + b"\x48\x89\xf8\x89\xf7\xff\xd0\x48\x81\xc4" + frame.to_bytes(4, "little") + b"\xc3"
    out.append("static const unsigned char made[] = {" + ",".join(map(str, code)) + "};\n")
    kinds = [kind for kind in BODIES for _ in range(2)] + draw.choices(list(BODIES), k=16) + ["tail"] * 6
    draw.shuffle(kinds)
    table = []
    for number, kind in enumerate(kinds, 10):
        kb = int(2 ** draw.uniform(0, 7.65))
        size = min(kb * 1024 + draw.randrange(128) * 8, 200 << 10)
        if kind == "tail":
            size = 0
            out.append(f"ALONE void g{number}_tail(unsigned d) {{ sink++; return NEXT(d); }}\n")
        else:
            few, small = draw.randrange(1, 6), draw.choice([1, 2, 5])
            body = BODIES[kind].format(b=size, step=draw.choice([2, 3, 7]), align=draw.choice([32, 64, 256, 4096]), few=few, small=small,
                                       kb2=draw.choice([64, 128, 300, 1024]), entry=draw.choice(["co_known", "co_known", "co_bare"]),
                                       over=draw.randrange(2), after=draw.randrange(2))
            attribute = draw.choice(["", "", "", ' __attribute__((optimize("O0")))', ' __attribute__((optimize("no-omit-frame-pointer")))', ' __attribute__((optimize("Os")))'])
            out.append(f"ALONE{attribute} void g{number}_{kind}(unsigned d) {{ in f({number}); {body} }}\n")
        if kind in NEEDS:
            need = NEEDS[kind] * 1024 + (size if kind in ("caught", "dtor") else 0)
        else:
            need = size + 2048 + (4096 if "aligned" in kind else 0)
        table.append(f"{{g{number}_{kind}, {need}, {int(kind in SWITCHES)}}}")
    out.append("static const struct { fn *f; long need; int switches; } table[] = {" + ", ".join(table) + "};\n")
    out.append(EPILOGUE.replace("N_LIBRARIES_ID", "1000"))
    with open(f"{directory}/liar.cc", "w", encoding="ascii") as f:
        f.write("".join(out))
    for number in range(LIBRARIES):
        size = draw.choice([24, 1000, 5000, 20008, 60008]) // 16 * 16 + 8 + number * 16
        name = f"g{1000 + number}_library"
        with open(f"{directory}/lib{number}.s", "w", encoding="ascii") as f:
            f.write(f".text\n.globl {name}\n.type {name},@function\n{name}: .cfi_startproc\n.byte 0x48,0x81,0xec\n.long {size}\n.cfi_def_cfa_offset {size + 8}\n"
                    f"mov %rdi,%rax\nmov %esi,%edi\ncall *%rax\n.byte 0x48,0x81,0xc4\n.long {size}\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size {name},.-{name}\n"
                    f".data\n.globl through\nthrough: .quad {name}\n.section .note.GNU-stack,\"\",@progbits\n")


EPILOGUE = r"""
ALONE fn *pick(unsigned depth)
{
	worker *w = me();
	long room = (char *)__builtin_frame_address(0) - w->flow->low - w->flow->reserve;
	if (!depth || stop || w->flow->n > MOST - 40) return g0_leaf;
	for (int tries = 0; tries < 8; tries++) {
		unsigned which = draw(sizeof(table) / sizeof(table[0]));
		if (table[which].need < room && !(table[which].switches && w->nested)) return table[which].f;
	}
	return g0_leaf;
}
static void *work(void *ctx)
{
	worker *w = own = (worker *)ctx;
	w->tid = (int)syscall(SYS_gettid);
	w->flow = &w->own;
	if (w->alt) {
		stack_t alt; memset(&alt, 0, sizeof(alt)); alt.ss_sp = w->alt; alt.ss_size = w->alt_size;
		if (sigaltstack(&alt, nullptr)) abort();
	}
	while (!stop && w->n_spans < SPANS) { w->own.n = 0; NEXT(1 + draw(14)); }
	return nullptr;
}
/* Writes over what lies below the frames of threads that spin. */
static void *vandal(void *)
{
	static uint64_t n;
	while (!stop) {
		worker *w = &workers[n++ % THREADS];
		pthread_mutex_lock(&w->dead);
		char *low = w->dead_low, *high = w->dead_high;
		if (low && high > low) for (uint64_t *p = (uint64_t *)((uintptr_t)(high - 8) & ~7ul); (char *)p > low && (char *)p > high - (48 << 10); p -= 3) *p = (uint64_t)pick + 40;
		pthread_mutex_unlock(&w->dead);
		timespec t = {0, 300000};
		nanosleep(&t, nullptr);
	}
	return nullptr;
}
/* The program has a fault of its own, or tracing has harmed it: what a reader needs to tell which. */
static void fault(int number, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	worker *w = own;
	dprintf(2, "liar: signal %d, code %d, address %p, rip %#llx, rsp %#llx; pick at %p\n", number, info->si_code, info->si_addr,
		(unsigned long long)m->gregs[REG_RIP], (unsigned long long)m->gregs[REG_RSP], (void *)pick);
	if (w) {
		dprintf(2, "liar: thread %d of tid %d, nested %d, spinning %d, stack from %p, alternate from %p, flow from %p reserve %ld, chain:", (int)(w - workers),
			w->tid, w->nested, w->spinning, (void *)w->own.low, (void *)w->alt, (void *)w->flow->low, w->flow->reserve);
		for (int i = 0; i < w->flow->n; i++) dprintf(2, " %d", w->flow->chain[i]);
		dprintf(2, "\n");
	}
	unsigned long long at[3] = {(unsigned long long)m->gregs[REG_RIP], (unsigned long long)m->gregs[REG_RSP], (unsigned long long)(uintptr_t)info->si_addr}, from, to;
	FILE *maps = fopen("/proc/self/maps", "r"); char line[4096];
	while (maps && fgets(line, sizeof(line), maps))
		for (int i = 0; i < 3; i++) if (sscanf(line, "%llx-%llx", &from, &to) == 2 && at[i] + 4096 >= from && at[i] < to + 4096) dprintf(2, "liar: %d: %s", i, line);
	signal(number, SIG_DFL);
	raise(number);
}
static void handle(int number, int flags)
{
	struct sigaction a; memset(&a, 0, sizeof(a)); a.sa_handler = g1_signal; a.sa_flags = flags | SA_RESTART | SA_NODEFER;
	sigaction(number, &a, nullptr);
}
int main(int argc, char **argv)
{
	if (argc < 5) return 2;
	libraries = argv + 3; n_libraries = argc - 3;
	handle(SIGUSR1, SA_ONSTACK); handle(SIGUSR2, SA_ONSTACK);
	struct sigaction a; memset(&a, 0, sizeof(a)); a.sa_sigaction = fault; a.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESETHAND;
	sigaction(SIGSEGV, &a, nullptr); sigaction(SIGBUS, &a, nullptr); sigaction(SIGILL, &a, nullptr);
	static const size_t sizes[THREADS] = {2 << 20, 48 << 10, 1 << 20, 512 << 10, 64 << 10, 4 << 20};
	for (int i = 0; i < THREADS; i++) {
		worker *w = &workers[i];
		pthread_attr_t attr;
		w->seed = 977 * i + atoi(getenv("LIAR_SEED") ? getenv("LIAR_SEED") : "1");
		w->spans = (span *)new_stack(SPANS * sizeof(span)); w->words = (uint16_t *)new_stack(WORDS * 2);
		w->alt_size = (size_t)(i == 3 ? 0 : 96 << (i % 3)) << 10; w->alt = w->alt_size ? new_stack(w->alt_size) : nullptr;
		pthread_mutex_init(&w->dead, nullptr);
		char *stack = new_stack(sizes[i]);
		w->own.low = stack; w->own.reserve = sizes[i] < (100 << 10) ? 20 << 10 : i == 3 ? 80 << 10 : 40 << 10;
		pthread_attr_init(&attr); pthread_attr_setstack(&attr, stack, sizes[i]);
		if (pthread_create(&w->thread, &attr, work, w)) return 1;
	}
	pthread_t v;
	pthread_create(&v, nullptr, vandal, nullptr);
	double seconds = atof(argv[1]);
	uint64_t n = 7;
	timespec used;
	do {
		timespec t = {0, 1500000};
		nanosleep(&t, nullptr);
		n = n * 6364136223846793005ull + 1442695040888963407ull;
		pthread_kill(workers[(n >> 33) % THREADS].thread, n >> 63 ? SIGUSR1 : SIGUSR2);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (used.tv_sec + used.tv_nsec / 1e9 < seconds);
	stop = 1;
	FILE *truth = fopen(argv[2], "w");
	if (!truth) return 1;
	for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, nullptr);
	for (int i = 0; i < THREADS; i++)
		for (uint32_t k = 0; k < workers[i].n_spans; k++) {
			span *s = &workers[i].spans[k];
			fprintf(truth, "%d %llu %llu ", s->tid, (unsigned long long)s->begin, (unsigned long long)s->end);
			for (uint32_t j = 0; j < s->n; j++) fprintf(truth, "%s%d", j ? "," : "", workers[i].words[s->at + j]);
			fputs(s->n ? "\n" : "-\n", truth);
		}
	return fclose(truth) ? 1 : 0;
}
"""


def segments_of(path):
    """By thread, in order of time and without overlap: begin, end, functions from the innermost out (None: not known)."""
    spans = collections.defaultdict(list)
    with open(path, encoding="ascii") as f:
        for line in f:
            tid, begin, end, chain = line.split()
            spans[int(tid)].append((int(begin), -int(end), None if chain == "-" else tuple(reversed(list(map(int, chain.split(",")))))))
    found = {}
    for tid, of_thread in spans.items():
        flat, open_spans, at = [], [], 0

        def until(time):
            while open_spans and open_spans[-1][0] <= time:
                end, chain = open_spans.pop()
                flat.append((at_of[0], end, chain))
                at_of[0] = end
            if open_spans and time > at_of[0]:
                flat.append((at_of[0], time, open_spans[-1][1]))
            at_of[0] = max(at_of[0], time)
        at_of = [at]
        for begin, end, chain in sorted(of_thread, key=lambda s: s[:2]):
            until(begin)
            open_spans.append((-end, chain))
        until(1 << 62)
        found[tid] = flat
    return found


def judge(log, truth):
    segments, origin = segments_of(truth), None
    statuses, wrong, examples = collections.Counter(), collections.Counter(), []
    for sample in stack_proof.samples_of(log, "liar"):
        if origin is None:
            origin = stack_proof.origin_of(log, sample)
        flat, time = segments.get(sample["tid"], []), sample["time"] + origin
        at = bisect.bisect_right(flat, (time, 1 << 62)) - 1
        if at < 0 or flat[at][2] is None or not flat[at][0] + stack_proof.NEAR < time < flat[at][1] - stack_proof.NEAR:
            continue
        names = [frame.get("function", "?") for frame in sample.get("stack", [])]
        named = [3 if name == "in_context()" else int(OWN.match(name).group(1)) for name in names if name == "in_context()" or OWN.match(name)]
        # Two signals that come at once: the second interrupts the first one's handler before that has put itself on the list.
        named = [number for i, number in enumerate(named) if number != 1 or named[i + 1:i + 2] != [1]]
        if named[:1] == [1]:
            continue  # a handler that has not looked at the clock yet, or does no more
        status, real = sample["stack_status"], list(flat[at][2])
        statuses[status] += 1
        if named != (real if status in ("complete", "completed") else real[:len(named)]):
            wrong[status] += 1
            if len(examples) < 200:
                examples.append({"status": status, "tid": sample["tid"], "time": sample["time"], "names": names, "truth": real})
    return {"statuses": statuses, "wrong": wrong, "examples": examples}


if __name__ == "__main__":
    if sys.argv[1] == "emit":
        emit(int(sys.argv[2]), sys.argv[3])
    else:
        print(json.dumps(judge(*sys.argv[2:])))
