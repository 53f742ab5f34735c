// SPDX-License-Identifier: MIT
#include "consumers/doctor/facts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ_SIZE 1
#endif

#include "tracecore/enable/directory.h"
#include "tracecore/enable/parts.h"
#include "tracecore/base/way.h"
#include "tracecore/enable/squat.h"

enum { TEXT_SIZE = 4096 };

bool wt_facts_can(const struct wt_facts *facts, enum wt_cap cap)
{
	return facts->capabilities >> cap & 1;
}

/* The beginning of a small file, zero-ended. Returns its length; empty when it cannot be read. */
static size_t read_text(const char *root, const char *path, char *out, size_t size)
{
	char full[PATH_MAX];
	ssize_t n = -1;
	int fd;

	out[0] = '\0';
	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return 0;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static void read_line(const char *root, const char *path, char *out, size_t size)
{
	read_text(root, path, out, size);
	out[strcspn(out, "\n")] = '\0';
}

static int64_t number_of(const char *text, int base)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, base);
	if (end == text || errno || (*end && !isspace((unsigned char)*end)))
		return WT_FACT_UNKNOWN;
	return value;
}

static int64_t read_number(const char *root, const char *path)
{
	char text[64];

	read_text(root, path, text, sizeof(text));
	return number_of(text, 10);
}

/* The value behind "Key:" in a file of such lines, as a number in the given base. */
static int64_t status_number(const char *text, const char *key, int base)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len) && line[len] == ':')
			return number_of(line + len + 1, base);
	}
	return WT_FACT_UNKNOWN;
}

/* Capabilities count in the first user namespace only: those of root in another one do not. */
static bool in_first_user_namespace(const char *root)
{
	char text[128];
	unsigned inside, outside, count;

	read_text(root, "/proc/self/uid_map", text, sizeof(text));
	if (!text[0])
		return true;
	return sscanf(text, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 && outside == 0 &&
	       count == UINT32_MAX;
}

static void read_status(const char *root, struct wt_facts *ret)
{
	char text[TEXT_SIZE];
	int64_t capabilities;

	read_text(root, "/proc/self/status", text, sizeof(text));
	ret->seccomp = status_number(text, "Seccomp", 10);
	capabilities = status_number(text, "CapEff", 16);
	if (capabilities > 0 && in_first_user_namespace(root))
		ret->capabilities = (uint64_t)capabilities;
}

static bool exists(const char *root, const char *path)
{
	char full[PATH_MAX];

	return snprintf(full, sizeof(full), "%s%s", root, path) < (int)sizeof(full) && !access(full, F_OK);
}

/* Kernels hide addresses by printing zeros; any digit other than 0 in an address field shows that they are
 * visible. */
static bool shows_addresses(const char *root)
{
	char text[TEXT_SIZE];

	read_text(root, "/proc/kallsyms", text, sizeof(text));
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (line[strspn(line, "0")] && isxdigit((unsigned char)line[strspn(line, "0")]))
			return true;
	}
	return false;
}

static bool is_software_pmu(const char *name)
{
	static const char *const software[] = {"breakpoint", "kprobe",     "msr",
					       "software",   "tracepoint", "uprobe"};

	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++) {
		if (!strcmp(name, software[i]))
			return true;
	}
	return name[0] == '.';
}

static int is_hardware_pmu(const struct dirent *entry)
{
	return !is_software_pmu(entry->d_name);
}

static void read_pmus(const char *root, struct wt_facts *ret)
{
	char path[PATH_MAX];
	struct dirent **entries = NULL;
	size_t len = 0;
	int n = 0;

	if (snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", root) < (int)sizeof(path))
		n = scandir(path, &entries, is_hardware_pmu, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		if (len + strlen(name) + 3 <= sizeof(ret->pmus))
			len += (size_t)snprintf(ret->pmus + len, sizeof(ret->pmus) - len, "%s%s",
						len ? ", " : "", name);
		free(entries[i]);
	}
	free(entries);
}

/* Recording needs to read the format files of events; a directory that is mounted but closed does not show
 * one. */
static enum wt_directory_state tracefs_state(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s/events/sched/sched_switch/format", root, path);
	if (!access(full, R_OK))
		return WT_DIRECTORY_USABLE;
	if (errno == EACCES)
		return WT_DIRECTORY_CLOSED;
	snprintf(full, sizeof(full), "%s%s/events", root, path);
	return access(full, F_OK) && errno != EACCES ? WT_DIRECTORY_ABSENT : WT_DIRECTORY_CLOSED;
}

/* Its parent may be closed to the caller whether or not anything is mounted there; the mount table knows. */
static bool tracefs_mounted(const char *root)
{
	char text[65536];

	read_text(root, "/proc/self/mounts", text, sizeof(text));
	return strstr(text, " /sys/kernel/tracing tracefs ") != NULL;
}

static void read_tracefs(const char *root, struct wt_facts *ret)
{
	ret->tracefs = tracefs_state(root, "/sys/kernel/tracing");
	if (ret->tracefs == WT_DIRECTORY_CLOSED && !tracefs_mounted(root))
		ret->tracefs = WT_DIRECTORY_ABSENT;
	if (ret->tracefs == WT_DIRECTORY_ABSENT)
		ret->tracefs_debugfs = tracefs_state(root, "/sys/kernel/debug/tracing") ==
				       WT_DIRECTORY_USABLE;
}

/* "none [integrity] confidentiality": the one in force is in brackets. */
static void read_lockdown(const char *root, struct wt_facts *ret)
{
	char text[128];
	char *open_bracket, *close_bracket;

	read_line(root, "/sys/kernel/security/lockdown", text, sizeof(text));
	open_bracket = strchr(text, '[');
	close_bracket = open_bracket ? strchr(open_bracket, ']') : NULL;
	if (close_bracket)
		snprintf(ret->lockdown, sizeof(ret->lockdown), "%.*s",
			 (int)(close_bracket - open_bracket - 1), open_bracket + 1);
}

void wt_facts_read(const char *root, struct wt_facts *ret)
{
	ret->paranoid = read_number(root, "/proc/sys/kernel/perf_event_paranoid");
	ret->max_sample_rate = read_number(root, "/proc/sys/kernel/perf_event_max_sample_rate");
	ret->cpu_time_max_percent = read_number(root, "/proc/sys/kernel/perf_cpu_time_max_percent");
	ret->mlock_kb = read_number(root, "/proc/sys/kernel/perf_event_mlock_kb");
	ret->kptr_restrict = read_number(root, "/proc/sys/kernel/kptr_restrict");
	ret->kernel_symbols = shows_addresses(root);
	ret->module = exists(root, "/sys/module/wtrace");
	ret->debug_directory = exists(root, "/usr/lib/debug/.build-id");
	ret->container = exists(root, "/.dockerenv") || exists(root, "/run/.containerenv") ||
			 exists(root, "/run/systemd/container");
	read_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", ret->clocksource,
		  sizeof(ret->clocksource));
	read_status(root, ret);
	read_pmus(root, ret);
	read_tracefs(root, ret);
	read_lockdown(root, ret);
}

static int64_t limit_value(rlim_t value)
{
	return value == RLIM_INFINITY || value > INT64_MAX ? WT_FACT_UNLIMITED : (int64_t)value;
}

static void probe_limits(struct wt_facts *ret)
{
	struct rlimit limit;

	ret->memlock = ret->files = ret->files_max = WT_FACT_UNKNOWN;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit))
		ret->memlock = limit_value(limit.rlim_cur);
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		ret->files = limit_value(limit.rlim_cur);
		ret->files_max = limit_value(limit.rlim_max);
	}
}

/* Checks a directory by the rules of sessions: it belongs to the caller, or the caller could make it. */
static enum wt_directory_state directory_state(const char *path, const char *parent)
{
	struct stat st;

	if (!wt_way_stat(path, &st, NULL)) {
		if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || access(path, W_OK | X_OK))
			return WT_DIRECTORY_CLOSED;
		return WT_DIRECTORY_USABLE;
	}
	if (errno == EXDEV)
		return WT_DIRECTORY_CLOSED;
	if (access(parent, F_OK))
		return WT_DIRECTORY_ABSENT;
	return access(parent, W_OK | X_OK) ? WT_DIRECTORY_CLOSED : WT_DIRECTORY_USABLE;
}

/* Whether the usual name belongs to somebody else. */
static void probe_usual(const char *base, struct wt_fact_directory *ret)
{
	char usual[64];

	snprintf(usual, sizeof(usual), "%s/wtrace-%u", base, geteuid());
	ret->taken = wt_squat_is_taken(usual, geteuid(), &ret->taken_by);
}

static void probe_directory(const char *variable, const char *base, struct wt_fact_directory *ret)
{
	const char *given = secure_getenv(variable);
	char parent[PATH_MAX];
	struct statvfs fs;
	bool as_parent;
	char *slash;

	if (given && *given)
		snprintf(ret->path, sizeof(ret->path), "%s", given);
	else
		probe_usual(base, ret);
	if (!given || !*given)
		wt_directory_path(ret->path, variable, base);
	memcpy(parent, ret->path, sizeof(parent));
	slash = strrchr(parent, '/');
	if (slash)
		slash[slash == parent] = '\0';
	else
		snprintf(parent, sizeof(parent), ".");
	/* Root takes its usual name back. */
	as_parent = ret->taken && geteuid() == 0;
	ret->state = as_parent ? WT_DIRECTORY_USABLE : directory_state(ret->path, parent);
	as_parent |= ret->state != WT_DIRECTORY_USABLE;
	ret->free_bytes = WT_FACT_UNKNOWN;
	if ((!as_parent && !statvfs(ret->path, &fs)) || !statvfs(parent, &fs))
		ret->free_bytes = (int64_t)((uint64_t)fs.f_bavail * fs.f_frsize);
}

/* Checks the directories of users whose programs a session of root would reach. */
static void probe_users(struct wt_facts *ret)
{
	char base[PATH_MAX];

	if (geteuid() != 0)
		return;
	memcpy(base, ret->runtime.path, sizeof(base));
	ret->odd_directories = wt_parts_odd(dirname(base), ret->odd_part, &ret->odd_uid);
}

void wt_facts_probe(struct wt_facts *ret)
{
	struct utsname name;
	const char *urls = getenv("DEBUGINFOD_URLS");

	ret->uid = geteuid();
	ret->gid = getegid();
	probe_limits(ret);
	probe_directory("WTRACE_SPOOL", "/var/tmp", &ret->spool);
	probe_directory("WTRACE_RUNTIME", "/dev/shm", &ret->runtime);
	probe_users(ret);
	wt_perf_abilities(&ret->perf);
	ret->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (!uname(&name))
		snprintf(ret->release, sizeof(ret->release), "%s", name.release);
	snprintf(ret->debuginfod, sizeof(ret->debuginfod), "%s", urls ? urls : "");
#ifdef HAVE_RSEQ_SIZE
	ret->rseq_size = __rseq_size;
#endif
}
