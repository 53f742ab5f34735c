/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/key.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/expr_lex.h"

static const char *const key_names[WT_VIEW_N_KEYS] = {
	[WT_KEY_PROCESS] = "process",
	[WT_KEY_COMM] = "comm",
	[WT_KEY_PID] = "pid",
	[WT_KEY_THREAD] = "thread",
	[WT_KEY_TID] = "tid",
	[WT_KEY_MODULE] = "module",
	[WT_KEY_FUNCTION] = "function",
	[WT_KEY_SYMBOL] = "symbol",
	[WT_KEY_LINE] = "line",
	[WT_KEY_ADDRESS] = "address",
	[WT_KEY_STACK] = "stack",
	[WT_KEY_CPU] = "cpu",
	[WT_KEY_PROVIDER] = "provider",
	[WT_KEY_EVENT] = "event",
	[WT_KEY_LEVEL] = "level",
	[WT_KEY_TIME] = "time",
	[WT_KEY_SELF] = "self",
	[WT_KEY_ACTIVITY] = "activity",
	[WT_KEY_RELATED] = "related",
	[WT_KEY_STACK_STATUS] = "stack_status",
	[WT_KEY_CLAIMED] = "claimed",
	[WT_KEY_EXE] = "exe",
	[WT_KEY_CGROUP] = "cgroup",
	[WT_KEY_CONTAINER] = "container",
	[WT_KEY_COMMAND_LINE] = "command_line",
	[WT_KEY_INSIDE_PID] = "inside_pid",
	[WT_KEY_MARK] = "mark",
};

static enum wt_view_domain domain_of(enum wt_view_key_what what, enum wt_view_face face)
{
	switch (what) {
	case WT_KEY_PROCESS:
		return WT_DOMAIN_PROCESS;
	case WT_KEY_THREAD:
		return WT_DOMAIN_THREAD;
	case WT_KEY_MODULE:
		return face == WT_FACE_GROUP ? WT_DOMAIN_MODULE : WT_DOMAIN_TEXT;
	case WT_KEY_FUNCTION:
	case WT_KEY_SYMBOL:
	case WT_KEY_STACK:
		return face == WT_FACE_GROUP ? WT_DOMAIN_SYMBOL : WT_DOMAIN_TEXT;
	case WT_KEY_PID:
	case WT_KEY_TID:
	case WT_KEY_CPU:
	case WT_KEY_TIME:
	case WT_KEY_SELF:
	case WT_KEY_CLAIMED:
	case WT_KEY_INSIDE_PID:
		return WT_DOMAIN_NUMBER;
	default:
		return WT_DOMAIN_TEXT;
	}
}

static int init_time(struct wt_view_key *key, const char *word, struct wt_err *err)
{
	struct wt_expr_value value = {.whole = (__int128)WT_NSEC};

	if (word[4] == ':' && (wt_expr_number(word + 5, strlen(word + 5), &value) || !value.has_unit ||
			       value.whole <= 0 || value.whole > INT64_MAX))
		return wt_fail(err, WT_ERR_USAGE,
			       "key '%.60s': a width with a unit is needed, as in time:100ms", word);
	key->what = WT_KEY_TIME;
	key->bucket = (uint64_t)value.whole;
	return 0;
}

/* A field is a column of numbers if it is one everywhere; groups of numbers with names, too, where every
 * event has the same names. */
static enum wt_view_domain field_domain(const struct wt_view_field *field, enum wt_view_face face)
{
	unsigned kinds = field->forms & (WT_FIELD_INTEGER | WT_FIELD_REAL | WT_FIELD_NAMED | WT_FIELD_TEXT);

	if (kinds == WT_FIELD_NAMED && face == WT_FACE_GROUP && !field->maps_differ)
		return WT_DOMAIN_NUMBER;
	return kinds == WT_FIELD_INTEGER || kinds == WT_FIELD_REAL ? WT_DOMAIN_NUMBER : WT_DOMAIN_TEXT;
}

static int init_field(struct wt_view_file *file, const char *word, struct wt_view_key *key,
		      struct wt_err *err)
{
	if (wt_view_field_find(file, word, key->face == WT_FACE_FILTER ? "name" : "key", key_names,
			       WT_VIEW_N_KEYS, &key->field, err))
		return -1;
	key->what = WT_KEY_FIELD;
	key->domain = field_domain(&key->field, key->face);
	return 0;
}

static int init_builtin(struct wt_view_file *file, struct wt_view_key *key)
{
	if (key->face == WT_FACE_FILTER && key->what == WT_KEY_PROCESS)
		key->what = WT_KEY_COMM;
	if (key->face == WT_FACE_FILTER && key->what == WT_KEY_THREAD)
		key->what = WT_KEY_THREAD_NAME;
	key->domain = domain_of(key->what, key->face);
	if (wt_view_key_is_code(key) || key->what == WT_KEY_STACK_STATUS || key->what == WT_KEY_EXE ||
	    key->what == WT_KEY_COMMAND_LINE || key->what == WT_KEY_CGROUP || key->what == WT_KEY_CONTAINER)
		key->slot = file->n_slots++;
	if (key->face == WT_FACE_FILTER && key->what == WT_KEY_STACK)
		key->frame_slot = file->n_slots++;
	return 0;
}

static int find_key(struct wt_view_file *file, const char *word, struct wt_view_key *key, struct wt_err *err)
{
	if (!strncmp(word, "time", 4) && (!word[4] || word[4] == ':')) {
		if (init_time(key, word, err))
			return -1;
		return init_builtin(file, key);
	}
	if (key->face == WT_FACE_FILTER && !strcmp(word, WT_EXPR_IN_REGION)) {
		key->what = WT_KEY_IN_REGION;
		return 0;
	}
	for (int i = 0; i < WT_VIEW_N_KEYS; i++) {
		if (strcmp(word, key_names[i]) != 0)
			continue;
		key->what = (enum wt_view_key_what)i;
		if (key->what == WT_KEY_MARK && wt_view_key_read_marks(file, key, err))
			return -1;
		return init_builtin(file, key);
	}
	return init_field(file, word, key, err);
}

int wt_view_key_init(struct wt_view_file *file, const char *word, enum wt_view_face face,
		     struct wt_view_key *ret, struct wt_err *err)
{
	*ret = (struct wt_view_key){.face = face};
	if (find_key(file, word, ret, err)) {
		wt_view_key_deinit(ret);
		return -1;
	}
	ret->word = strdup(word);
	if (!ret->word) {
		wt_view_key_deinit(ret);
		return wt_fail_nomem(err);
	}
	return 0;
}

void wt_view_key_deinit(struct wt_view_key *key)
{
	free(key->word);
	wt_view_field_deinit(&key->field);
	wt_intern_deinit(&key->numbers);
	wt_intern_deinit(&key->named);
	free(key->named_text);
	free(key->verdicts);
	free(key->scratch);
	free(key->ids);
	free(key->marks);
	if (key->inside.destroy)
		key->inside.destroy(key->inside.ctx);
	*key = (struct wt_view_key){0};
}

bool wt_view_key_is_code(const struct wt_view_key *key)
{
	switch (key->what) {
	case WT_KEY_MODULE:
	case WT_KEY_FUNCTION:
	case WT_KEY_SYMBOL:
	case WT_KEY_LINE:
	case WT_KEY_ADDRESS:
	case WT_KEY_STACK:
		return true;
	default:
		return false;
	}
}

static unsigned field_types(unsigned forms)
{
	unsigned types = 0;

	if (forms & (WT_FIELD_INTEGER | WT_FIELD_REAL | WT_FIELD_NAMED))
		types |= WT_EXPR_NUMBER;
	if (forms & (WT_FIELD_NAMED | WT_FIELD_TEXT))
		types |= WT_EXPR_TEXT;
	if (forms == (WT_FIELD_INTEGER | WT_FIELD_TIME))
		types |= WT_EXPR_DURATION;
	return types;
}

unsigned wt_view_key_types(const struct wt_view_key *key)
{
	if (key->what == WT_KEY_FIELD)
		return field_types(key->field.forms);
	if (key->what == WT_KEY_IN_REGION)
		return WT_EXPR_NAMES;
	if (key->what == WT_KEY_STACK)
		return WT_EXPR_NAMES | WT_EXPR_CALLS;
	if (key->what == WT_KEY_FUNCTION)
		return WT_EXPR_TEXT | WT_EXPR_CALLS;
	if (key->what == WT_KEY_TIME)
		return WT_EXPR_NUMBER | WT_EXPR_DURATION;
	if (key->what == WT_KEY_LEVEL)
		return WT_EXPR_NUMBER | WT_EXPR_TEXT;
	return key->domain == WT_DOMAIN_NUMBER ? WT_EXPR_NUMBER : WT_EXPR_TEXT;
}
