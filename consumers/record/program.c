// SPDX-License-Identifier: MIT
#include "consumers/record/program.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a command line that are kept where there is little room. */
#define SHORT 256u

static struct wt_str copy(char **at, struct wt_str from)
{
	struct wt_str ret = {.p = *at, .len = from.len};

	if (from.len)
		memcpy(*at, from.p, from.len);
	*at += from.len;
	return ret;
}

struct wt_program *wt_program_create(const struct wt_program_facts *from, bool roomy)
{
	struct wt_program_facts facts = *from;
	struct wt_program *program;
	char *at;

	if (!roomy && facts.command_line.len > SHORT) {
		facts.command_line.len = SHORT;
		facts.caught = WT_CAUGHT_CUT;
	}
	program = malloc(sizeof(*program) + facts.command_line.len + facts.cgroup.len + facts.container.len);
	if (!program)
		return NULL;
	at = (char *)(program + 1);
	*program = (struct wt_program){.refs = 1, .facts = {.caught = facts.caught}};
	program->facts.command_line = copy(&at, facts.command_line);
	program->facts.cgroup = copy(&at, facts.cgroup);
	program->facts.container = copy(&at, facts.container);
	return program;
}

struct wt_program *wt_program_share(struct wt_program *program)
{
	if (program)
		program->refs++;
	return program;
}

void wt_program_put(struct wt_program *program)
{
	if (program && !--program->refs)
		free(program);
}

size_t wt_program_bytes(const struct wt_program *program)
{
	const struct wt_program_facts *facts = &program->facts;

	return sizeof(*program) + facts->command_line.len + facts->cgroup.len + facts->container.len;
}

const struct wt_program_facts *wt_program_facts(const struct wt_program *program)
{
	static const struct wt_program_facts none = {
		.command_line = {"", 0}, .cgroup = {"", 0}, .container = {"", 0}};

	return program ? &program->facts : &none;
}
