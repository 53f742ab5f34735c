// SPDX-License-Identifier: MIT
#include "tracecore/enable/admit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tracecore/base/timens.h"
#include "tracecore/enable/entry.h"
#include "tracecore/enable/rows.h"
#include "tracecore/ring/standing.h"

/* New rules may be published between the reading of a row and the reading of its rules. */
#define TRIES 8

static const char *exe = ""; /* of this process since exec; "": unknown */
static bool not_asked;       /* since a fork: the child has yet to ask, where it may make calls */

/* Asks now and not when a rule needs it: later the file may have been replaced, or /proc may be out of
 * reach. Under the registration lock, as is the path: stacks may be small. */
void wt_admit_init(void)
{
	static char path[PATH_MAX];
	char *known;
	ssize_t n;

	if (exe[0])
		return;
	n = readlink("/proc/self/exe", path, sizeof(path));
	known = n > 0 && n < (ssize_t)sizeof(path) ? strndup(path, (size_t)n) : NULL;
	if (known)
		__atomic_store_n(&exe, known, __ATOMIC_RELEASE);
}

void wt_admit_ask_later(void)
{
	__atomic_store_n(&not_asked, true, __ATOMIC_RELAXED);
}

/* Never 0; another value after each fork. */
static uint64_t image_now(void)
{
	uint64_t token = wt_ring_image_token();

	/* Where fork cannot be noticed the pid identifies the image, at the cost of a system call. Tokens
	 * are odd. */
	return token ? token : (uint64_t)wt_ring_pid() << 1;
}

static struct wt_rule_process this_process(void)
{
	return (struct wt_rule_process){.pid = wt_ring_pid(), .exe = __atomic_load_n(&exe, __ATOMIC_ACQUIRE)};
}

/* The slot's present rules, with the row's stamp: 0; 1 no session or no rules yet; -1 they cannot be read. */
static int rules_now(unsigned slot, uint64_t *stamp, struct wt_rules *ret)
{
	struct wt_abi_row row;
	int rc = 1;

	wt_rows_look(slot);
	for (unsigned i = 0; i < TRIES; i++) {
		if (wt_rows_read(slot, &row))
			return 1;
		*stamp = row.stamp;
		rc = wt_rows_rules(slot, &row, ret);
		if (rc >= 0)
			break;
	}
	return rc;
}

/* Every rule for the provider admits the process, none does, or some do. */
static enum wt_enable_admission judge(const struct wt_enable_map *map, const struct wt_rules *rules,
				      const struct wt_rule_process *process)
{
	unsigned yes = 0, no = 0;
	struct wt_cursor cur;
	struct wt_rule rule;

	if (!rules->bytes)
		return WT_ENABLE_NOTHING;
	cur = wt_rules_begin(rules);
	while (wt_rules_next(&cur, &rule) == 0) {
		if (!wt_rule_is_for(&rule, map->name))
			continue;
		if (wt_rule_admits(&rule, process))
			yes++;
		else
			no++;
	}
	if (!yes)
		return WT_ENABLE_NOTHING;
	return no ? WT_ENABLE_BY_EVENT : WT_ENABLE_EVERYTHING;
}

/* Fills in the events of a slot whose rules differ in pids or executables. */
static int fill_by_event(struct wt_enable_map *map, unsigned slot, const struct wt_rules *rules,
			 const struct wt_rule_process *process)
{
	if (!map->by_event[slot]) {
		void *at = mmap(NULL, map->events.n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);

		if (at == MAP_FAILED)
			return -1;
		map->by_event[slot] = at;
	}
	memset(map->by_event[slot], 0, map->events.n);
	wt_rules_apply(rules, map->name, &map->events, process, map->by_event[slot]);
	return 0;
}

/* Only the caller that has busy[slot] gets here. The stamp is 0 while the rest changes, so that nobody
 * uses half a verdict. */
static void keep(struct wt_enable_map *map, unsigned slot, uint64_t stamp, uint64_t image,
		 const struct wt_rules *rules, const struct wt_rule_process *process)
{
	struct wt_enable_verdict *verdict = &map->head.verdicts[slot];
	enum wt_enable_admission admits = judge(map, rules, process);

	__atomic_store_n(&verdict->stamp, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (admits == WT_ENABLE_BY_EVENT && fill_by_event(map, slot, rules, process))
		return;
	__atomic_store_n(&verdict->image, image, __ATOMIC_RELAXED);
	__atomic_store_n(&verdict->admits, admits, __ATOMIC_RELAXED);
	__atomic_store_n(&verdict->stamp, stamp, __ATOMIC_RELEASE);
}

bool wt_clock_is_forbidden(void)
{
#ifdef __x86_64__
	int mode = PR_TSC_ENABLE;

	if (wt_may_read_clock() && !prctl(PR_GET_TSC, &mode) && mode == PR_TSC_SIGSEGV)
		__atomic_fetch_or(&wt_standing_told, WT_STANDING_NO_CLOCK, __ATOMIC_RELAXED);
#endif
	return !wt_may_read_clock();
}

/* Asks once for each stamp of the slot: a lost event must not cost a system call each time. */
static bool is_clock_forbidden(struct wt_enable_map *map, unsigned slot, uint64_t stamp)
{
	if (stamp && __atomic_load_n(&map->clock_asked[slot], __ATOMIC_RELAXED) == stamp)
		return !wt_may_read_clock();
	__atomic_store_n(&map->clock_asked[slot], stamp, __ATOMIC_RELAXED);
	return wt_clock_is_forbidden();
}

/* The rules cannot be read now: no descriptor, no memory, another user than before, no call allowed. The
 * byte says that the session wants the event, but not whether this process passes its filters. An earlier
 * verdict for the session decides. Without one the event counts as wanted, so that it is counted where it
 * cannot be written. */
static bool admits_unread(const struct wt_enable_map *map, unsigned slot)
{
	const struct wt_enable_verdict *verdict = &map->head.verdicts[slot];

	if (!wt_enable_stamp(slot))
		return wt_rows_hidden(slot);
	return verdict->stamp >> 32 != wt_enable_stamp(slot) >> 32 || verdict->admits != WT_ENABLE_NOTHING;
}

/* A signal handler may interrupt its own thread while that fills the verdict. The handler then asks the
 * rules and keeps nothing. */
static bool ask_rules(struct wt_enable_map *map, unsigned slot, uint16_t event)
{
	struct wt_rule_process process = this_process();
	uint64_t image = image_now();
	uint64_t busy = __atomic_load_n(&map->busy[slot], __ATOMIC_RELAXED);
	struct wt_rules rules = {0};
	bool admitted = false, unread;
	uint64_t stamp = wt_enable_stamp(slot);
	bool bound = !wt_may_call() || is_clock_forbidden(map, slot, stamp);
	int rc;

	/* Without a stamp the row is not mapped, and will not be. */
	if (bound && !stamp)
		return true;
	if (bound || !wt_patience_over_with_stack(&map->patience[slot]))
		return admits_unread(map, slot);
	if (__atomic_exchange_n(&not_asked, false, __ATOMIC_RELAXED)) {
		wt_timens_forget();
		wt_entry_make_later();
	}
	rc = rules_now(slot, &stamp, &rules);
	/* An invalid rules file stays invalid until the stamp changes. */
	unread = rc < 0 && errno != ENOENT && errno != EBADMSG;
	wt_patience_note(&map->patience[slot], unread);
	if (rc > 0)
		return wt_rows_hidden(slot);
	if (unread)
		return admits_unread(map, slot);
	if (!rc)
		admitted = wt_rules_event(&rules, map->name, &map->events, event, &process) & WT_RULE_ON;
	/* A value left by a thread that this process lost in a fork names another image. */
	if (busy != image && __atomic_compare_exchange_n(&map->busy[slot], &busy, image, false,
							 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		keep(map, slot, stamp, image, &rules, &process);
		__atomic_store_n(&map->busy[slot], 0, __ATOMIC_RELEASE);
	}
	wt_rows_free_rules(&rules);
	return admitted;
}

bool wt_enable_admits_slowly(struct wt_enable_provider *provider, unsigned slot, uint16_t event)
{
	struct wt_enable_map *map = (struct wt_enable_map *)provider;
	struct wt_enable_verdict *verdict = &provider->verdicts[slot];
	uint64_t stamp = __atomic_load_n(&verdict->stamp, __ATOMIC_ACQUIRE);
	uint32_t admits = __atomic_load_n(&verdict->admits, __ATOMIC_RELAXED);
	int kept = errno;
	bool ret;

	if (event >= map->events.n)
		return false;
	if (stamp && stamp == wt_enable_stamp(slot) &&
	    __atomic_load_n(&verdict->image, __ATOMIC_RELAXED) == image_now())
		ret = admits == WT_ENABLE_EVERYTHING ||
		      (admits == WT_ENABLE_BY_EVENT && (map->by_event[slot][event] & WT_RULE_ON));
	else
		ret = ask_rules(map, slot, event);
	errno = kept;
	return ret;
}

void wt_admit_deinit(struct wt_enable_map *map)
{
	for (unsigned s = 0; s < WT_ENABLE_SLOTS; s++) {
		if (map->by_event[s])
			munmap(map->by_event[s], map->events.n);
		map->by_event[s] = NULL;
	}
}
