// SPDX-License-Identifier: MIT
/* Turns the schemas of providers that register while a session runs into kinds. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/session/programs_impl.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

#define SCHEMAS_OTHER 256u
#define BYTES_OTHER   (16u << 20)

static uint32_t lower_name(const char *name, char ret[WT_SCHEMA_MAX_NAME + 1])
{
	uint32_t n = 0;

	for (; name[n] && n < WT_SCHEMA_MAX_NAME; n++)
		ret[n] = (char)tolower((unsigned char)name[n]);
	ret[n] = 0;
	return n;
}

static bool wants(const struct wt_programs *programs, const char *provider)
{
	char name[WT_SCHEMA_MAX_NAME + 1];
	uint32_t len = lower_name(provider, name);

	return wt_strings_find(&programs->wanted, name, len) != WT_INTERN_NONE;
}

int wt_programs_want(struct wt_programs *programs, const char *provider, struct wt_err *err)
{
	char name[WT_SCHEMA_MAX_NAME + 1];
	uint32_t len = lower_name(provider, name);
	bool fresh;

	return wt_strings_add(&programs->wanted, name, len, &fresh) == WT_INTERN_NONE ? wt_fail_nomem(err)
										      : 0;
}

static struct wt_programs_schema *find_schema(const struct wt_programs *programs,
					      const struct wt_control_provider *found)
{
	for (size_t i = 0; i < programs->n_schemas; i++) {
		struct wt_programs_schema *schema = &programs->schemas[i];

		if (schema->manifest_len == found->manifest_len &&
		    !memcmp(schema->manifest, found->manifest, found->manifest_len))
			return schema;
	}
	return NULL;
}

/* The kinds' table has grown: everything indexed by kind grows with it. */
static int adopt_kinds(struct wt_programs *programs, uint32_t before, struct wt_err *err)
{
	struct wt_session *session = programs->session;
	bool *enabled = realloc(session->enabled, (session->kinds.n + (size_t)1) * sizeof(*enabled));

	if (!enabled)
		return wt_fail_nomem(err);
	for (uint32_t k = before; k < session->kinds.n; k++)
		enabled[k] = true;
	session->enabled = enabled;
	return wt_recorder_adopt_kinds(programs->rec, enabled, err);
}

static int keep_schema(struct wt_programs *programs, const struct wt_control_provider *found,
		       struct wt_provider *provider, struct wt_err *err)
{
	struct wt_programs_schema *schema;

	if (wt_grow_one(&programs->schemas, programs->n_schemas, err))
		return -1;
	schema = &programs->schemas[programs->n_schemas];
	*schema = (struct wt_programs_schema){.provider = provider, .manifest_len = found->manifest_len};
	schema->manifest = malloc((size_t)found->manifest_len + 1);
	if (!schema->manifest)
		return wt_fail_nomem(err);
	memcpy(schema->manifest, found->manifest, found->manifest_len);
	if (wt_kinds_append(&programs->session->kinds, provider, &schema->first_kind, err)) {
		free(schema->manifest);
		return -1;
	}
	programs->n_schemas++;
	return 0;
}

/* Most processes that are looked up by their pids. */
#define PIDS_MOST  (1u << 17)
#define PIDS_OTHER 4096u

/* Parses foreign bytes. A text that is no manifest of that name with that many events is left out and
 * reported. */
static struct wt_provider *parse(struct wt_programs_directory *directory,
				 const struct wt_control_provider *found)
{
	struct wt_err why = WT_ERR_INIT;
	struct wt_provider *provider;

	if (wt_manifest_parse(found->manifest, found->manifest_len, found->name, &provider, &why)) {
		if (wt_programs_may_complain(directory))
			wt_warn("provider %s: its manifest cannot be used: %s", found->name, why.text);
		return NULL;
	}
	if (!strcasecmp(provider->name, found->name) && provider->n_events == found->n_events)
		return provider;
	if (wt_programs_may_complain(directory))
		wt_warn("provider %s: its manifest is that of provider %s with %u events", found->name,
			provider->name, provider->n_events);
	wt_provider_destroy(provider);
	return NULL;
}

static int add_schema(struct wt_programs_directory *directory, const struct wt_control_provider *found,
		      struct wt_err *err)
{
	struct wt_programs *programs = directory->programs;
	uint32_t before = programs->session->kinds.n;
	struct wt_provider *provider = parse(directory, found);

	if (!provider)
		return 0;
	if (keep_schema(programs, found, provider, err)) {
		wt_provider_destroy(provider);
		return -1;
	}
	return adopt_kinds(programs, before, err);
}

/* Kinds and memory are common to all users: programs of another user get a share. */
static bool has_share(struct wt_programs_directory *directory, const struct wt_control_provider *found)
{
	bool was_full = directory->n_schemas > SCHEMAS_OTHER || directory->schema_bytes > BYTES_OTHER;

	directory->n_schemas++;
	directory->schema_bytes += found->manifest_len;
	if (!directory->as_root ||
	    (directory->n_schemas <= SCHEMAS_OTHER && directory->schema_bytes <= BYTES_OTHER))
		return true;
	if (directory->allowance)
		directory->allowance->refused++;
	if (!was_full)
		wt_warn("provider %s of uid %u is left out: more than %u schemas or %u MiB of manifests of "
			"one user",
			found->name, directory->uid, SCHEMAS_OTHER, BYTES_OTHER >> 20);
	return false;
}

/* Running programs that will be asked for stacks get their tables before their first event. */
static void expect_stacks(struct wt_programs_directory *directory, const struct wt_control_provider *found)
{
	const struct wt_programs *programs = directory->programs;
	bool wanted = false;

	for (size_t i = 0; i < programs->n_rules; i++)
		wanted |= !strcasecmp(programs->rules[i].provider, found->name) &&
			  (programs->rules[i].stack || programs->rules[i].n_stack_ids);
	for (uint32_t i = 0; wanted && directory->kinds.lacking && i < found->processes; i++)
		directory->kinds.lacking(directory, found->pids[i]);
}

static int on_provider(void *ctx, const struct wt_control_provider *found, struct wt_err *err)
{
	struct wt_programs_directory *directory = ctx;
	struct wt_programs_schema *schema;

	if (!wt_program_provider_name(found->name) || !wants(directory->programs, found->name))
		return 0;
	expect_stacks(directory, found);
	schema = find_schema(directory->programs, found);
	if (!schema) {
		if (!has_share(directory, found))
			return 0;
		if (add_schema(directory, found, err))
			return -1;
		schema = find_schema(directory->programs, found);
	}
	return schema ? wt_ring_kinds_add(&directory->kinds, found->number, schema->provider,
					  schema->first_kind, err)
		      : 0;
}

int wt_programs_scan(struct wt_programs_directory *directory, bool all, struct wt_err *err)
{
	return wt_control_scan(directory->control, all, on_provider, directory, err);
}

void wt_programs_learn(void *ctx, uint32_t number)
{
	struct wt_programs_directory *directory = ctx;
	struct wt_err err = WT_ERR_INIT;

	bool measured = directory->allowance && directory->allowance->began;

	if (directory->learned || wt_allowance_is_spent(directory->allowance))
		return;
	directory->learned = true;
	if (!measured)
		wt_allowance_begin(directory->allowance);
	if (wt_programs_scan(directory, false, &err))
		wt_warn("looking for provider number %u in %s: %s", number, directory->path, err.text);
	if (!measured)
		wt_allowance_end(directory->allowance);
}

/* Without the kernel's events a process is looked up when its first event is taken. */
void wt_programs_seen(void *ctx, uint32_t pid)
{
	struct wt_programs_directory *directory = ctx;
	struct wt_programs *programs = directory->programs;
	bool fresh;

	if ((pid_t)pid <= 0 || programs->pids.count >= PIDS_MOST ||
	    (directory->allowance && directory->n_pids >= PIDS_OTHER) ||
	    wt_intern(&programs->pids, pid, 0, &fresh) == WT_INTERN_NONE || !fresh)
		return;
	directory->n_pids++;
	wt_recorder_expect(programs->rec, pid);
}

struct naming {
	struct wt_programs *programs;
	uint64_t time;
};

static int on_rundown_event(void *ctx, const struct wt_event *event, struct wt_err *err)
{
	struct naming *naming = ctx;
	struct wt_event early = *event;

	early.time = naming->time;
	return wt_recorder_take_now(naming->programs->rec, &early, err);
}

void wt_programs_met(void *ctx, uint32_t pid, uint64_t time)
{
	struct wt_programs *programs = ctx;
	struct naming naming = {programs, time};
	struct wt_err err = WT_ERR_INIT;
	pid_t one = (pid_t)pid;
	struct wt_rundown rundown = {
		.kinds = &programs->session->kinds,
		.pids = &one,
		.n_pids = 1,
		.fn = on_rundown_event,
		.ctx = &naming,
	};

	if (wt_perf_rundown(&rundown, &err))
		wt_debug("process %u: %s", pid, err.text);
}
