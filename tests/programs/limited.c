// SPDX-License-Identifier: MIT
/* Runs a program under limits: limited [WHAT=VALUE]... PROGRAM [ARGUMENT]...
 *
 * WHAT is a resource limit in small letters (fsize, nofile, as, data, stack, memlock, nproc, core, cpu,
 * rtprio, sigpending, locks, nice, msgqueue, rttime), uid, cgroup (a directory), or sandbox (kinds/sandbox.h:
 * a filter that holds from before exec). Limits are set in their order, before the user id.
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/programs/kinds/sandbox.h"

static const struct {
	const char *name;
	int resource;
} limits[] = {
	{"fsize", RLIMIT_FSIZE},
	{"nofile", RLIMIT_NOFILE},
	{"as", RLIMIT_AS},
	{"data", RLIMIT_DATA},
	{"stack", RLIMIT_STACK},
	{"memlock", RLIMIT_MEMLOCK},
	{"nproc", RLIMIT_NPROC},
	{"core", RLIMIT_CORE},
	{"cpu", RLIMIT_CPU},
	{"rtprio", RLIMIT_RTPRIO},
	{"sigpending", RLIMIT_SIGPENDING},
	{"locks", RLIMIT_LOCKS},
	{"nice", RLIMIT_NICE},
	{"msgqueue", RLIMIT_MSGQUEUE},
	{"rttime", RLIMIT_RTTIME},
};

static int join(const char *directory)
{
	char path[512];
	int fd, done;

	snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	done = write(fd, "0", 1) == 1 ? 0 : -1;
	close(fd);
	return done;
}

static int become(const char *number)
{
	uid_t id = (uid_t)strtoul(number, NULL, 10);

	return setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id);
}

static int apply(const char *name, const char *value)
{
	rlim_t n = strtoull(value, NULL, 10);
	struct rlimit limit = {n, n};

	if (!strcmp(name, "uid"))
		return become(value);
	if (!strcmp(name, "cgroup"))
		return join(value);
	if (!strcmp(name, "sandbox"))
		return sandbox_enter(value);
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (!strcmp(name, limits[i].name))
			return setrlimit(limits[i].resource, &limit);
	return -1;
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strchr(argv[i], '=') && argv[i][0] != '/'; i++) {
		char *value = strchr(argv[i], '=');

		*value++ = 0;
		if (apply(argv[i], value)) {
			fprintf(stderr, "limited: %s=%s: ", argv[i], value);
			perror(NULL);
			return 98;
		}
	}
	if (i == argc)
		return 2;
	execv(argv[i], argv + i);
	perror(argv[i]);
	return 99;
}
