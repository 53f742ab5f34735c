// SPDX-License-Identifier: MIT
#include "tracecore/enable/enable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/high_fd.h"
#include "tracecore/base/lines.h"
#include "tracecore/base/quiet.h"
#include "tracecore/base/timens.h"
#include "tracecore/enable/admit.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/entry.h"
#include "tracecore/enable/lock.h"
#include "tracecore/enable/process.h"
#include "tracecore/enable/rows.h"
#include "tracecore/enable/state.h"
#include "tracecore/ring/room.h"

/* The number of rounds after which a registration gives up when rules change faster than it reads them. A
 * session repairs the rest. */
#define ROUNDS 1000
/* The number of entries of other processes that are examined; each costs a few microseconds. */
#define PROBES    16
#define PROVIDERS "providers"

static struct wt_enable_map *maps; /* under the lock */

/* The place of a registration. The file is opened from the user's directory in one step: the directories
 * on the way belong to the user, and the file is checked. */
struct site {
	int directory;                                      /* the user's */
	char file[sizeof(PROVIDERS) + WT_ENABLE_FILE_NAME]; /* PROVIDERS/NAME-HASH */
	char path[PATH_MAX];                                /* of directory */
};

static const char *name_of(const struct site *site)
{
	return site->file + sizeof(PROVIDERS);
}

static struct wt_abi_enable *header(const struct wt_enable_map *map)
{
	return (struct wt_abi_enable *)map->at;
}

static uint64_t *processes(const struct wt_enable_map *map)
{
	return (uint64_t *)(map->at + map->layout.processes);
}

static bool take_entry(uint64_t *entry, uint64_t seen, uint64_t self)
{
	return __atomic_compare_exchange_n(entry, &seen, self, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Enters this process: in the entry that has its pid already (before an exec, or of a dead process), else
 * in a free entry, else in the entry of a dead process; only a few entries are examined for that. A full
 * table is no error: the process is only not counted. */
static void enter_process(struct wt_enable_map *map)
{
	uint64_t self = wt_process_mark();
	uint64_t *table = processes(map);
	bool entered = false;

	for (uint32_t i = 0; i < WT_ABI_PROCESSES && !entered; i++) {
		uint64_t seen = __atomic_load_n(&table[i], __ATOMIC_RELAXED);

		entered = (uint32_t)seen == (uint32_t)self && take_entry(&table[i], seen, self);
	}
	for (uint32_t i = 0; i < WT_ABI_PROCESSES && !entered; i++)
		entered = take_entry(&table[(self + i) % WT_ABI_PROCESSES], 0, self);
	for (uint32_t i = 0; i < PROBES && !entered; i++) {
		uint64_t *entry = &table[(self + i) % WT_ABI_PROCESSES];
		uint64_t seen = __atomic_load_n(entry, __ATOMIC_RELAXED);

		entered = !wt_process_mark_alive(seen) && take_entry(entry, seen, self);
	}
	map->process = entered ? self : 0;
}

static void leave_process(struct wt_enable_map *map)
{
	uint64_t *table = processes(map);

	if ((uint32_t)map->process != wt_ring_pid())
		return;
	for (uint32_t i = 0; i < WT_ABI_PROCESSES; i++) {
		uint64_t seen = map->process;

		if (__atomic_compare_exchange_n(&table[i], &seen, 0, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
	}
	map->process = 0;
}

/* Reads the present wishes of the rows. stamps gets the stamps for which the result is valid. bits: enum
 * wt_rule_bit of slot s at s * n. -1: this process has no descriptor or no memory for it. */
static int read_wishes(const struct wt_enable_map *map, uint64_t *stamps, uint8_t *bits)
{
	uint32_t n = map->events.n;

	memset(bits, 0, (size_t)n * WT_ENABLE_SLOTS);
	for (unsigned s = 0; s < WT_ENABLE_SLOTS; s++) {
		struct wt_rules rules;
		struct wt_abi_row row;
		int rc;

		stamps[s] = 0;
		if (wt_rows_read(s, &row))
			continue;
		stamps[s] = row.stamp;
		rc = wt_rows_rules(s, &row, &rules);
		if (rc < 0 && wt_rows_out_of_means())
			return -1;
		if (rc == 0) {
			wt_rules_apply(&rules, map->name, &map->events, NULL, bits + (size_t)s * n);
			wt_rows_free_rules(&rules);
		}
	}
	return 0;
}

/* Sets *byte to wanted by changing only the bits that differ: other sessions change their bits at the same
 * time. True when a bit differed. */
static bool correct(uint8_t *byte, uint8_t wanted)
{
	uint8_t differ = __atomic_load_n(byte, __ATOMIC_RELAXED) ^ wanted;

	if (differ & wanted)
		__atomic_fetch_or(byte, differ & wanted, __ATOMIC_RELAXED);
	if (differ & ~wanted)
		__atomic_fetch_and(byte, (uint8_t) ~(differ & ~wanted), __ATOMIC_RELAXED);
	return differ;
}

/* True when a byte had to be changed. */
static bool write_bytes(const struct wt_enable_map *map, const uint8_t *bits)
{
	uint32_t n = map->events.n;
	bool changed = false;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t on = 0, stack = 0;

		for (unsigned s = 0; s < WT_ENABLE_SLOTS; s++) {
			uint8_t gets = bits[(size_t)s * n + i];

			on |= (uint8_t)((gets & WT_RULE_ON) << s);
			stack |= (uint8_t)((gets & WT_RULE_STACK) / WT_RULE_STACK << s);
		}
		changed |= correct(map->at + map->layout.stacks + i, stack);
		changed |= correct(map->at + map->layout.bytes + i, on);
	}
	return changed;
}

static bool unchanged(const uint64_t *stamps)
{
	bool same = true;

	for (unsigned s = 0; s < WT_ENABLE_SLOTS; s++)
		same &= wt_enable_stamp(s) == stamps[s];
	return same;
}

/* ENABLE.md section 3, the registrant's steps 2 to 6. */
static int follow_rows(struct wt_enable_map *map, struct wt_err *err)
{
	uint8_t *bits = malloc((size_t)map->events.n * WT_ENABLE_SLOTS + 1);
	uint64_t stamps[WT_ENABLE_SLOTS];
	bool changed = false;
	int rc = 0;

	if (!bits)
		return wt_fail_nomem(err);
	__atomic_fetch_add(&header(map)->begun, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < ROUNDS; i++) {
		/* Pairs with the controller's fence between stamp and directory: E1. */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		rc = read_wishes(map, stamps, bits);
		if (rc) {
			wt_fail_errno(err, "cannot read the demands of sessions");
			break;
		}
		changed |= write_bytes(map, bits);
		/* Pairs with the controller's fence between stamp and bits: E2. */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (unchanged(stamps)) {
			__atomic_fetch_add(&header(map)->done, 1, __ATOMIC_RELEASE);
			break;
		}
	}
	free(bits);
	if (changed)
		wt_rows_changed();
	return rc;
}

static int make_file(const struct site *site, const struct wt_enable_desc *desc,
		     const struct wt_enable_map *map)
{
	int dir = wt_directory_open_below(site->directory, PROVIDERS, true), rc, why;

	if (dir < 0)
		return -1;
	rc = wt_enable_file_make(dir, map->file, desc, &map->events, wt_rows_new_number());
	why = errno;
	close(dir);
	errno = why;
	return rc;
}

/* Opens the file for reading and writing; makes it if absent. */
static int open_file(const struct site *site, const struct wt_enable_desc *desc,
		     const struct wt_enable_map *map, struct stat *st, struct wt_err *err)
{
	int fd = wt_directory_open_known(site->directory, site->file, O_RDWR, geteuid(), st);

	if (fd < 0 && errno == ENOENT) {
		if (make_file(site, desc, map) < 0)
			return wt_fail_errno(err, "cannot make the enable file %s/%s", site->path,
					     site->file);
		fd = wt_directory_open_known(site->directory, site->file, O_RDWR, geteuid(), st);
	}
	if (fd < 0)
		wt_fail_errno(err, "cannot open the enable file %s/%s", site->path, site->file);
	return fd;
}

/* Checks that the file matches the description, and maps it. */
static int map_file(struct wt_enable_map *map, int fd, const struct stat *st, const struct site *site,
		    struct wt_err *err)
{
	struct wt_abi_enable head;
	void *at;

	if (wt_directory_read(fd, &head, sizeof(head), 0) ||
	    wt_enable_check(&head, (uint64_t)st->st_size, &map->layout) || head.n_events != map->events.n ||
	    head.hash != map->hash)
		return wt_fail(err, WT_ERR_FORMAT, "the enable file %s/%s is damaged: remove it", site->path,
			       site->file);
	if (wt_room_take_first(fd, st, map->layout.mapped))
		return wt_fail_errno(err, "no room for %s/%s", site->path, site->file);
	at = mmap(NULL, map->layout.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return wt_fail_errno(err, "cannot map %s/%s", site->path, site->file);
	wt_room_keep_from_dumps(at, map->layout.mapped);
	map->at = at;
	map->dev = st->st_dev;
	map->ino = st->st_ino;
	map->number = head.number;
	return 0;
}

/* Where no system call may be made nothing is freed, because that may take a system call. */
static void destroy_map(struct wt_enable_map *map)
{
	if (!wt_may_call())
		return;
	if (map->at)
		munmap(map->at, map->layout.mapped);
	wt_admit_deinit(map);
	wt_enable_events_deinit(&map->events);
	free(map->name);
	wt_lines_free(map);
}

static int create_map(const struct site *site, const struct wt_enable_desc *desc, uint64_t hash,
		      struct wt_enable_map **ret, struct wt_err *err)
{
	struct wt_enable_map *map = wt_lines_calloc(sizeof(*map));
	struct stat st;
	int fd;

	if (!map)
		return wt_fail_nomem(err);
	memcpy(map->file, name_of(site), strlen(name_of(site)));
	map->hash = hash;
	map->name = strdup(desc->name);
	if (!map->name || wt_enable_events_init(&map->events, desc, NULL)) {
		destroy_map(map);
		return wt_fail_nomem(err);
	}
	fd = open_file(site, desc, map, &st, err);
	if (fd >= 0 && map_file(map, fd, &st, site, err) == 0) {
		close(fd);
		*ret = map;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	destroy_map(map);
	return -1;
}

/* Finds this process's registration of the very file that now has the name. One of a removed directory
 * does not count. */
static struct wt_enable_map *find_map(const struct site *site, uint64_t hash)
{
	struct stat st;

	if (!maps || fstatat(site->directory, site->file, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return NULL;
	for (struct wt_enable_map *map = maps; map; map = map->next) {
		if (map->hash == hash && map->ino == st.st_ino && map->dev == st.st_dev &&
		    !strcmp(map->file, name_of(site)))
			return map;
	}
	return NULL;
}

static int register_in(struct site *site, const struct wt_enable_desc *desc, struct wt_enable_provider **ret,
		       struct wt_err *err)
{
	uint64_t hash = wt_enable_hash(desc);
	struct wt_enable_map *map;
	bool fresh;

	wt_enable_file_name(desc->name, hash, site->file + strlen(site->file));
	map = find_map(site, hash);
	fresh = !map;
	if (fresh && create_map(site, desc, hash, &map, err))
		return -1;
	if ((uint32_t)map->process != wt_ring_pid())
		enter_process(map);
	if (fresh) {
		if (follow_rows(map, err)) {
			leave_process(map);
			destroy_map(map);
			return -1;
		}
		map->next = maps;
		maps = map;
	}
	map->refs++;
	*ret = &map->head;
	return 0;
}

/* Opens the parts below the user's directory that a registration needs. The site is large, and stacks may be
 * small: it stands outside the stack, under the lock. */
static int register_locked(const struct wt_enable_desc *desc, struct wt_enable_provider **ret,
			   struct wt_err *err)
{
	static struct site site;
	int rc = -1;

	memcpy(site.file, PROVIDERS "/", sizeof(PROVIDERS "/"));
	wt_directory_path(site.path, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	site.directory = wt_directory_open_private(site.path, err);
	if (site.directory < 0)
		return -1;
	if (wt_rows_map(site.directory, site.path, err) == 0) {
		wt_admit_init();
		wt_entry_make(site.directory);
		rc = register_in(&site, desc, ret, err);
	}
	close(site.directory);
	return rc;
}

/* True when the user namespace does not map the process's user id. All unmapped users then look alike, so
 * the directory would have no certain owner. */
static bool is_unmapped(void)
{
	const uint32_t nobody = 65534;
	unsigned long first, outside, n;
	char text[1024];
	ssize_t len;
	int fd;

	if (geteuid() != nobody)
		return false;
	fd = wt_high_fd(open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC));
	if (fd < 0)
		return access("/proc/self", F_OK) < 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = 0;
	for (char *p = text, *end = text; *p; p = end) {
		first = strtoul(p, &end, 10);
		outside = strtoul(end, &end, 10);
		n = strtoul(end, &end, 10);
		(void)outside;
		if (end == p)
			break;
		if (nobody - first < n)
			return false;
		end += strspn(end, " \n");
	}
	return len >= 0;
}

int wt_enable_register(const struct wt_enable_desc *desc, struct wt_enable_provider **ret, struct wt_err *err)
{
	struct wt_quiet quiet;
	int rc;

	/* Must come before the first look at a clock. */
	if (wt_clock_is_forbidden())
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "the program has forbidden itself to read the CPU's clock (PR_TSC_SIGSEGV, or "
			       "wtrace_forbid)");
	if (getauxval(AT_SECURE))
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "a set-uid or otherwise privileged program does not register providers");
	if (!wt_enable_name_valid(desc->name, strlen(desc->name)))
		return wt_fail(err, WT_ERR_USAGE, "'%.80s' is no provider's name", desc->name);
	if (desc->n_events > WT_ABI_EVENTS_MAX || desc->manifest_len > WT_ABI_MANIFEST_MAX)
		return wt_fail(err, WT_ERR_LIMIT,
			       "provider '%.80s' has %u events and a manifest of %u bytes: at most %u and %u",
			       desc->name, desc->n_events, desc->manifest_len, WT_ABI_EVENTS_MAX,
			       WT_ABI_MANIFEST_MAX);
	quiet = wt_quiet_begin();
	wt_enable_lock();
	if (is_unmapped())
		rc = wt_fail(err, WT_ERR_UNSUPPORTED,
			     "this process's user id is not mapped in its user namespace: no session could "
			     "tell whose "
			     "events they are");
	else
		rc = register_locked(desc, ret, err);
	wt_enable_unlock();
	wt_quiet_end(&quiet);
	return rc;
}

void wt_enable_unregister(struct wt_enable_provider *provider)
{
	struct wt_enable_map *map = (struct wt_enable_map *)provider, **at;

	if (!map)
		return;
	wt_enable_lock();
	if (--map->refs == 0) {
		for (at = &maps; *at != map; at = &(*at)->next)
			;
		*at = map->next;
		wt_state_forget(map->number);
		leave_process(map);
		destroy_map(map);
	}
	wt_enable_unlock();
}

const volatile uint8_t *wt_enable_bytes(const struct wt_enable_provider *provider)
{
	const struct wt_enable_map *map = (const struct wt_enable_map *)provider;

	return map->at + map->layout.bytes;
}

const volatile uint8_t *wt_enable_stack_bytes(const struct wt_enable_provider *provider)
{
	const struct wt_enable_map *map = (const struct wt_enable_map *)provider;

	return map->at + map->layout.stacks;
}

uint32_t wt_enable_number(const struct wt_enable_provider *provider)
{
	return ((const struct wt_enable_map *)provider)->number;
}

void wt_enable_miss(struct wt_enable_provider *provider, unsigned slot, uint64_t n)
{
	__atomic_fetch_add(&header((struct wt_enable_map *)provider)->missed[slot], n, __ATOMIC_RELAXED);
}

void wt_enable_begin_in_child(bool ask)
{
	struct wt_quiet quiet = wt_quiet_begin();

	if (ask)
		wt_timens_forget();
	else
		wt_admit_ask_later();
	wt_entry_make_in_child(ask);
	wt_quiet_end(&quiet);
}
