/* SPDX-License-Identifier: MIT */
/* Ids and values of a key for the events of a batch. */
#include "consumers/analysis/filter.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"

/* ---- numbers ---- */

static void builtin_numbers(const struct wt_view_file *file, const struct wt_view_key *key,
			    const struct wt_view_segment *segment, const struct wt_log_batch *batch,
			    uint64_t *out)
{
	const struct wt_log_segment *tables = segment->tables;
	const uint32_t n = batch->n;

	switch (key->what) {
	case WT_KEY_PID:
		for (uint32_t i = 0; i < n; i++)
			out[i] = file->processes.rows[segment->process_of[batch->thread[i]]].number;
		break;
	case WT_KEY_TID:
		for (uint32_t i = 0; i < n; i++)
			out[i] = tables->threads[batch->thread[i]].tid;
		break;
	case WT_KEY_CPU:
		for (uint32_t i = 0; i < n; i++)
			out[i] = batch->cpu[i];
		break;
	case WT_KEY_SELF:
		for (uint32_t i = 0; i < n; i++)
			out[i] = batch->self[i];
		break;
	case WT_KEY_INSIDE_PID:
		for (uint32_t i = 0; i < n; i++) {
			uint32_t pid = wt_process_of(tables, batch->thread[i])->inside_pid;

			out[i] = pid ? pid : WT_VIEW_NO_NUMBER;
		}
		break;
	case WT_KEY_CLAIMED:
		for (uint32_t i = 0; i < n; i++)
			out[i] = batch->claimed[i];
		break;
	default:
		for (uint32_t i = 0; i < n; i++)
			out[i] = batch->time[i] - file->origin;
	}
}

enum { AHEAD = 12 /**< values ahead for which memory is asked */ };

static int intern_numbers(struct wt_view_key *key, const uint64_t *values, uint32_t n, uint32_t *ids,
			  struct wt_err *err)
{
	uint64_t last = 0;
	uint32_t id = WT_VIEW_NONE;
	bool fresh;

	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			wt_intern_expect(&key->numbers, values[i + AHEAD], 0);
		if (i + AHEAD / 2 < n)
			wt_intern_expect_key(&key->numbers, values[i + AHEAD / 2], 0);
		if (id == WT_VIEW_NONE || values[i] != last) {
			last = values[i];
			id = wt_intern(&key->numbers, last, 0, &fresh);
			if (id == WT_INTERN_NONE)
				return wt_fail_nomem(err);
		}
		ids[i] = id;
	}
	return 0;
}

int wt_view_key_numbers(struct wt_view_file *file, struct wt_view_key *key,
			const struct wt_view_segment *segment, const struct wt_log_batch *batch,
			const uint64_t **ret, struct wt_err *err)
{
	if (key->what == WT_KEY_FIELD) {
		int at = wt_view_field_column(&key->field, batch);

		*ret = at < 0 ? NULL : batch->columns[at].values;
		return 0;
	}
	if (wt_grow(&key->scratch, &key->scratch_n, 0, batch->n, err))
		return -1;
	builtin_numbers(file, key, segment, batch, key->scratch);
	if (key->what == WT_KEY_TIME)
		for (uint32_t i = 0; i < batch->n; i++)
			key->scratch[i] -= key->scratch[i] % key->bucket;
	*ret = key->scratch;
	return 0;
}

static int fill_numbers(struct wt_view_file *file, struct wt_view_key *key,
			const struct wt_view_segment *segment, const struct wt_log_batch *batch,
			uint32_t *ids, struct wt_err *err)
{
	const uint64_t *values;

	if (wt_view_key_numbers(file, key, segment, batch, &values, err))
		return -1;
	return intern_numbers(key, values, batch->n, ids, err);
}

/* ---- fields ---- */

static int fill_same(uint32_t id, uint32_t *ids, uint32_t n, struct wt_err *err)
{
	if (id == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		ids[i] = id;
	return 0;
}

static uint32_t none_id(struct wt_view_file *file, struct wt_view_key *key)
{
	bool fresh;

	if (key->domain == WT_DOMAIN_NUMBER)
		return wt_intern(&key->numbers, 0, 1, &fresh);
	return wt_view_text(file, "(none)", 6);
}

static int keep_named(struct wt_view_key *key, uint32_t at, uint32_t text)
{
	if (wt_grow(&key->named_text, &key->named_cap, at, 1, NULL))
		return -1;
	key->named_text[at] = text;
	return 0;
}

static uint32_t number_text(struct wt_view_file *file, struct wt_view_key *key, const struct wt_field *field,
			    uint64_t number)
{
	bool fresh;
	uint32_t text, at = wt_intern(&key->named, number, 0, &fresh);
	struct wt_value value = {.field = field, .n = 1, .u = number};
	struct wt_buf buf = {0};

	if (at == WT_INTERN_NONE || !fresh)
		return at == WT_INTERN_NONE ? WT_VIEW_NONE : key->named_text[at];
	memcpy(&value.f, &number, sizeof(value.f));
	wt_value_text(&value, &buf);
	text = wt_view_buf_text(file, &buf);
	return text == WT_VIEW_NONE || keep_named(key, at, text) ? WT_VIEW_NONE : text;
}

static int fill_number_texts(struct wt_view_file *file, struct wt_view_key *key,
			     const struct wt_log_batch *batch, const struct wt_log_column *column,
			     uint32_t *ids, struct wt_err *err)
{
	if (key->named_segment != batch->segment || key->named_kind != batch->kind)
		wt_intern_clear(&key->named);
	key->named_segment = batch->segment;
	key->named_kind = batch->kind;
	for (uint32_t i = 0; i < batch->n; i++) {
		ids[i] = number_text(file, key, column->field, column->values[i]);
		if (ids[i] == WT_VIEW_NONE)
			return wt_fail_nomem(err);
	}
	return 0;
}

static uint32_t value_text(struct wt_view_file *file, const struct wt_log_batch *batch, uint32_t i, int at)
{
	const struct wt_field *field = batch->columns[at].field;
	struct wt_value value;
	struct wt_buf buf = {0};

	if (wt_log_value(batch, i, (uint32_t)at, &value))
		return wt_view_text(file, "(damaged)", 9);
	if (field->type == WT_TYPE_STRING && !field->variable && field->count <= 1)
		return wt_view_text(file, value.bytes, value.len);
	wt_value_text(&value, &buf);
	return wt_view_buf_text(file, &buf);
}

static int fill_field(struct wt_view_file *file, struct wt_view_key *key, const struct wt_log_batch *batch,
		      uint32_t *ids, struct wt_err *err)
{
	int at = wt_view_field_column(&key->field, batch);
	const struct wt_log_column *column = at < 0 ? NULL : &batch->columns[at];

	if (!column)
		return fill_same(none_id(file, key), ids, batch->n, err);
	if (key->domain == WT_DOMAIN_NUMBER)
		return intern_numbers(key, column->values, batch->n, ids, err);
	if (column->values)
		return fill_number_texts(file, key, batch, column, ids, err);
	for (uint32_t i = 0; i < batch->n; i++) {
		ids[i] = value_text(file, batch, i, at);
		if (ids[i] == WT_VIEW_NONE)
			return wt_fail_nomem(err);
	}
	return 0;
}

/* ---- activities ---- */

static uint32_t activity_text(struct wt_view_file *file, const uint8_t *id)
{
	struct wt_buf buf = {0};

	wt_uuid_text(id, &buf);
	return wt_view_buf_text(file, &buf);
}

static int fill_activities(struct wt_view_file *file, const uint8_t *from, uint32_t n, uint32_t *ids,
			   struct wt_err *err)
{
	uint32_t none = wt_view_text(file, "(none)", 6);

	if (!from || none == WT_VIEW_NONE)
		return fill_same(none, ids, n, err);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *id = from + (size_t)i * WT_ACTIVITY_ID;

		if (i && !memcmp(id, id - WT_ACTIVITY_ID, WT_ACTIVITY_ID))
			ids[i] = ids[i - 1];
		else
			ids[i] = wt_activity_is_none(id) ? none : activity_text(file, id);
		if (ids[i] == WT_VIEW_NONE)
			return wt_fail_nomem(err);
	}
	return 0;
}

/* ---- keys with one value for all events of a kind ---- */

static uint32_t kind_id(struct wt_view_file *file, const struct wt_view_key *key,
			const struct wt_log_batch *batch)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	struct wt_buf buf = {0};

	switch (key->what) {
	case WT_KEY_PROVIDER:
		wt_buf_puts(&buf, kind->provider->name);
		break;
	case WT_KEY_LEVEL:
		wt_buf_puts(&buf, wt_level_name(kind->provider, kind->event->level));
		break;
	default:
		if (key->face == WT_FACE_GROUP)
			wt_buf_printf(&buf, "%s/", kind->provider->name);
		wt_buf_puts(&buf, kind->event->name);
	}
	return wt_view_buf_text(file, &buf);
}

/* ---- the program of a process ---- */

static struct wt_str process_text(const struct wt_log_process *process, enum wt_view_key_what what)
{
	switch (what) {
	case WT_KEY_EXE:
		return process->exe;
	case WT_KEY_COMMAND_LINE:
		return process->command_line;
	case WT_KEY_CGROUP:
		return process->cgroup;
	default:
		return process->container;
	}
}

/* Every process is in a control group; without the group the container is not known either. */
static const char *no_text(const struct wt_log_process *process, enum wt_view_key_what what)
{
	return (what == WT_KEY_CGROUP || what == WT_KEY_CONTAINER) && !process->cgroup.len ? "(unknown)"
											   : "(none)";
}

static bool is_process_text(enum wt_view_key_what what)
{
	return what == WT_KEY_EXE || what == WT_KEY_COMMAND_LINE || what == WT_KEY_CGROUP ||
	       what == WT_KEY_CONTAINER;
}

/* A thread's text is turned into an id once. */
static int fill_process_texts(struct wt_view_file *file, const struct wt_view_key *key,
			      struct wt_view_segment *segment, const struct wt_log_batch *batch,
			      uint32_t *ids, struct wt_err *err)
{
	uint32_t *memo = wt_view_memo(file, segment, key->slot, segment->tables->n_threads);

	if (!memo)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t thread = batch->thread[i];

		if (memo[thread] == WT_VIEW_NONE) {
			const struct wt_log_process *process = wt_process_of(segment->tables, thread);
			struct wt_str text = process_text(process, key->what);

			if (!text.len)
				text = wt_str(no_text(process, key->what));
			memo[thread] = wt_view_text(file, text.p, text.len);
		}
		if (memo[thread] == WT_VIEW_NONE)
			return wt_fail_nomem(err);
		ids[i] = memo[thread];
	}
	return 0;
}

/* ---- fill ---- */

static void gather(const uint32_t *of_thread, const struct wt_log_batch *batch, uint32_t *ids)
{
	for (uint32_t i = 0; i < batch->n; i++)
		ids[i] = of_thread[batch->thread[i]];
}

static void put_self(const struct wt_log_batch *batch, uint32_t id, uint32_t *ids)
{
	if (id == WT_VIEW_NONE || !memchr(batch->self, 1, batch->n))
		return;
	for (uint32_t i = 0; i < batch->n; i++)
		if (batch->self[i])
			ids[i] = id;
}

static void put_unsampled(const struct wt_log_batch *batch, uint32_t id, uint32_t *ids)
{
	if (id == WT_VIEW_NONE || !wt_view_is_unsampled(batch->segment, batch->kind))
		return;
	for (uint32_t i = 0; i < batch->n; i++)
		ids[i] = id;
}

int wt_view_key_fill(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		     const struct wt_log_batch *batch, uint32_t *ids, struct wt_err *err)
{
	int failed = 0;

	if (!batch->n)
		return 0;
	if (key->what == WT_KEY_PROCESS)
		gather(segment->process_of, batch, ids);
	else if (key->what == WT_KEY_THREAD)
		gather(segment->thread_of, batch, ids);
	else if (key->what == WT_KEY_COMM)
		gather(segment->comm_of, batch, ids);
	else if (key->what == WT_KEY_THREAD_NAME)
		gather(segment->name_of, batch, ids);
	else if (is_process_text(key->what))
		failed = fill_process_texts(file, key, segment, batch, ids, err);
	else if (key->what == WT_KEY_FIELD)
		failed = fill_field(file, key, batch, ids, err);
	else if (key->what == WT_KEY_ACTIVITY || key->what == WT_KEY_RELATED)
		failed = fill_activities(file,
					 key->what == WT_KEY_ACTIVITY ? batch->activity : batch->related,
					 batch->n, ids, err);
	else if (wt_view_key_is_code(key) || key->what == WT_KEY_STACK_STATUS)
		failed = wt_view_key_fill_code(file, key, segment, batch, ids, err);
	else if (key->what == WT_KEY_MARK)
		wt_view_key_fill_marks(key, batch, ids);
	else if (key->domain == WT_DOMAIN_NUMBER)
		failed = fill_numbers(file, key, segment, batch, ids, err);
	else
		failed = fill_same(kind_id(file, key, batch), ids, batch->n, err);
	if (!failed)
		put_unsampled(batch, wt_view_key_of_unsampled(file, key), ids);
	if (!failed)
		put_self(batch, wt_view_key_of_self(file, key), ids);
	return failed;
}

/* ---- filters ---- */

static int number_vector(struct wt_view_file *file, struct wt_view_key *key,
			 const struct wt_view_segment *segment, const struct wt_log_batch *batch,
			 struct wt_expr_vector *ret, struct wt_err *err)
{
	if (wt_grow(&key->scratch, &key->scratch_n, 0, batch->n, err))
		return -1;
	if (key->what == WT_KEY_LEVEL)
		for (uint32_t i = 0; i < batch->n; i++)
			key->scratch[i] = batch->segment->kinds.kinds[batch->kind].event->level;
	else
		builtin_numbers(file, key, segment, batch, key->scratch);
	*ret = (struct wt_expr_vector){.kind = WT_EXPR_U64, .numbers = key->scratch};
	ret->has_none = wt_view_key_may_lack(key->what);
	ret->none = WT_VIEW_NO_NUMBER;
	return 0;
}

static int field_numbers(const struct wt_view_file *file, struct wt_view_key *key,
			 const struct wt_log_batch *batch, const struct wt_log_column *column,
			 struct wt_expr_vector *ret, struct wt_err *err)
{
	enum wt_type type = column->field->type;

	if (!column->values)
		return 0;
	*ret = (struct wt_expr_vector){
		.kind = WT_EXPR_U64,
		.numbers = column->values,
		.has_none = wt_view_field_has_none(batch->segment, batch->kind, column->field),
		.none = WT_VIEW_NO_NUMBER};
	if (type == WT_TYPE_F32 || type == WT_TYPE_F64)
		ret->kind = WT_EXPR_F64;
	else if (wt_type_is_signed(type))
		ret->kind = WT_EXPR_I64;
	if (type != WT_TYPE_TIME)
		return 0;
	if (wt_grow(&key->scratch, &key->scratch_n, 0, batch->n, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		key->scratch[i] = column->values[i] - file->origin;
	*ret = (struct wt_expr_vector){.kind = WT_EXPR_I64, .numbers = key->scratch};
	return 0;
}

static bool in_place(const struct wt_log_column *column)
{
	return column->field->type == WT_TYPE_STRING && !column->field->variable && column->field->count <= 1;
}

static int text_ids(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, struct wt_expr_vector *ret, struct wt_err *err)
{
	if (wt_grow(&key->ids, &key->ids_n, 0, batch->n, err) ||
	    wt_view_key_fill(file, key, segment, batch, key->ids, err))
		return -1;
	*ret = (struct wt_expr_vector){.kind = WT_EXPR_IDS, .ids = key->ids};
	return 0;
}

int wt_view_key_vector(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		       const struct wt_log_batch *batch, enum wt_expr_types as, struct wt_expr_vector *ret,
		       struct wt_err *err)
{
	const struct wt_log_column *column;
	int at;

	*ret = (struct wt_expr_vector){.kind = WT_EXPR_ABSENT};
	if (key->what != WT_KEY_FIELD && as == WT_EXPR_NUMBER)
		return number_vector(file, key, segment, batch, ret, err);
	if (key->what != WT_KEY_FIELD)
		return text_ids(file, key, segment, batch, ret, err);
	at = wt_view_field_column(&key->field, batch);
	if (at < 0)
		return 0;
	column = &batch->columns[at];
	if (as == WT_EXPR_NUMBER)
		return field_numbers(file, key, batch, column, ret, err);
	if (wt_view_field_form(column->field) & (WT_FIELD_INTEGER | WT_FIELD_REAL))
		return 0;
	if (!in_place(column))
		return text_ids(file, key, segment, batch, ret, err);
	*ret = (struct wt_expr_vector){
		.kind = WT_EXPR_BYTES, .offsets = column->offsets, .bytes = column->bytes};
	return 0;
}
