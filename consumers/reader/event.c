// SPDX-License-Identifier: MIT
/* The properties of an event, and the values of its fields. */
#include <string.h>

#include "consumers/model/field.h"
#include "consumers/reader/impl.h"

static const struct wt_log_thread *thread_of(const struct wtr_event *event)
{
	return &event->part->tables->threads[event->batch->thread[event->index]];
}

static const struct wt_log_process *process_of(const struct wtr_event *event)
{
	return wt_process_of(event->part->tables, event->batch->thread[event->index]);
}

uint64_t wtr_event_time(const struct wtr_event *event)
{
	return event->time;
}

int32_t wtr_event_cpu(const struct wtr_event *event)
{
	return (int32_t)event->batch->cpu[event->index];
}

uint32_t wtr_event_pid(const struct wtr_event *event)
{
	return process_of(event)->pid;
}

uint32_t wtr_event_tid(const struct wtr_event *event)
{
	return thread_of(event)->tid;
}

const char *wtr_event_process(const struct wtr_event *event)
{
	return wtr_part_process(event->part, event->batch->thread[event->index]);
}

const char *wtr_event_thread(const struct wtr_event *event)
{
	return wtr_part_thread(event->part, event->batch->thread[event->index]);
}

const char *wtr_event_exe(const struct wtr_event *event)
{
	return wtr_part_exe(event->part, event->batch->thread[event->index]);
}

uint64_t wtr_event_process_start(const struct wtr_event *event)
{
	return process_of(event)->start_time;
}

int wtr_event_is_recorder(const struct wtr_event *event)
{
	return event->batch->self[event->index] != 0;
}

int wtr_event_is_claimed(const struct wtr_event *event)
{
	return event->batch->claimed[event->index] != 0;
}

static const uint8_t *id_of(const uint8_t *ids, uint32_t i)
{
	const uint8_t *id = ids ? ids + (size_t)i * WT_ACTIVITY_ID : NULL;

	return id && !wt_activity_is_none(id) ? id : NULL;
}

const uint8_t *wtr_event_activity(const struct wtr_event *event)
{
	return id_of(event->batch->activity, event->index);
}

const uint8_t *wtr_event_related(const struct wtr_event *event)
{
	return id_of(event->batch->related, event->index);
}

uint32_t wtr_event_file(const struct wtr_event *event)
{
	return event->part->file->number;
}

const struct wtr_type *wtr_event_type(const struct wtr_event *event)
{
	return event->part->types[event->batch->kind];
}

/* ---- values ---- */

static int value_of(const struct wtr_event *event, uint32_t field, struct wt_value *ret)
{
	const struct wt_log_batch *batch = event->batch;
	const struct wt_event_desc *desc = batch->segment->kinds.kinds[batch->kind].event;

	if (field >= desc->n_fields || (!batch->columns[field].values && !batch->columns[field].offsets))
		return WTR_ERR_NOTFOUND;
	return wt_log_value(batch, event->index, field, ret) ? WTR_ERR_NOTFOUND : WTR_OK;
}

static int element_of(const struct wtr_event *event, uint32_t field, uint32_t i, struct wt_value *ret)
{
	struct wt_value whole;
	int rc = value_of(event, field, &whole);

	if (rc)
		return rc;
	if (whole.field->variable || whole.field->count > 1)
		return wt_value_element(&whole, i, ret) ? WTR_ERR_NOTFOUND : WTR_OK;
	*ret = whole;
	return i ? WTR_ERR_NOTFOUND : WTR_OK;
}

static bool is_scalar(const struct wt_value *value)
{
	return value->element || (!value->field->variable && value->field->count <= 1);
}

static int as_u64(const struct wt_value *value, uint64_t *ret)
{
	if (!is_scalar(value) || !wt_type_is_integer(value->field->type))
		return WTR_ERR_TYPE;
	if (wt_type_is_signed(value->field->type) && value->u >> 63)
		return WTR_ERR_TYPE;
	*ret = value->u;
	return WTR_OK;
}

static int as_i64(const struct wt_value *value, int64_t *ret)
{
	if (!is_scalar(value) || !wt_type_is_integer(value->field->type))
		return WTR_ERR_TYPE;
	if (!wt_type_is_signed(value->field->type) && value->u >> 63)
		return WTR_ERR_TYPE;
	*ret = (int64_t)value->u;
	return WTR_OK;
}

static int as_double(const struct wt_value *value, double *ret)
{
	enum wt_type type = value->field->type;

	if (!is_scalar(value))
		return WTR_ERR_TYPE;
	if (type == WT_TYPE_F32 || type == WT_TYPE_F64)
		*ret = value->f;
	else if (!wt_type_is_integer(type))
		return WTR_ERR_TYPE;
	else
		*ret = wt_type_is_signed(type) ? (double)(int64_t)value->u : (double)value->u;
	return WTR_OK;
}

static int as_bytes(const struct wt_value *value, const uint8_t **ret, size_t *len)
{
	enum wt_type type = value->field->type;

	if (is_scalar(value) && (wt_type_is_integer(type) || type == WT_TYPE_F32 || type == WT_TYPE_F64))
		return WTR_ERR_TYPE;
	*ret = value->bytes;
	*len = value->len;
	return WTR_OK;
}

int wtr_get_u64(const struct wtr_event *event, uint32_t field, uint64_t *ret)
{
	struct wt_value value;
	int rc = value_of(event, field, &value);

	return rc ? rc : as_u64(&value, ret);
}

int wtr_get_i64(const struct wtr_event *event, uint32_t field, int64_t *ret)
{
	struct wt_value value;
	int rc = value_of(event, field, &value);

	return rc ? rc : as_i64(&value, ret);
}

int wtr_get_double(const struct wtr_event *event, uint32_t field, double *ret)
{
	struct wt_value value;
	int rc = value_of(event, field, &value);

	return rc ? rc : as_double(&value, ret);
}

int wtr_get_bytes(const struct wtr_event *event, uint32_t field, const uint8_t **ret, size_t *len)
{
	struct wt_value value;
	int rc = value_of(event, field, &value);

	return rc ? rc : as_bytes(&value, ret, len);
}

int wtr_get_string(const struct wtr_event *event, uint32_t field, const char **ret, size_t *len)
{
	struct wt_value value;
	int rc = value_of(event, field, &value);

	if (rc)
		return rc;
	if (value.field->type != WT_TYPE_STRING || !is_scalar(&value))
		return WTR_ERR_TYPE;
	*ret = (const char *)value.bytes;
	*len = value.len;
	return WTR_OK;
}

int wtr_get_count(const struct wtr_event *event, uint32_t field, uint32_t *ret)
{
	struct wt_value value;
	int rc = value_of(event, field, &value);

	if (rc == WTR_OK)
		*ret = value.n;
	return rc;
}

int wtr_get_element_u64(const struct wtr_event *event, uint32_t field, uint32_t i, uint64_t *ret)
{
	struct wt_value value;
	int rc = element_of(event, field, i, &value);

	return rc ? rc : as_u64(&value, ret);
}

int wtr_get_element_i64(const struct wtr_event *event, uint32_t field, uint32_t i, int64_t *ret)
{
	struct wt_value value;
	int rc = element_of(event, field, i, &value);

	return rc ? rc : as_i64(&value, ret);
}

int wtr_get_element_double(const struct wtr_event *event, uint32_t field, uint32_t i, double *ret)
{
	struct wt_value value;
	int rc = element_of(event, field, i, &value);

	return rc ? rc : as_double(&value, ret);
}

int wtr_get_element_bytes(const struct wtr_event *event, uint32_t field, uint32_t i, const uint8_t **ret,
			  size_t *len)
{
	struct wt_value value;
	int rc = element_of(event, field, i, &value);

	return rc ? rc : as_bytes(&value, ret, len);
}

typedef void render_fn(const struct wtr_event *event, const struct wt_value *value, struct wt_buf *out);

static void put_text(const struct wtr_event *event, const struct wt_value *value, struct wt_buf *out)
{
	if (wt_view_is_none(event->batch->segment, event->batch->kind, value))
		wt_buf_puts(out, "none");
	else
		wt_value_text(value, out);
}

static void put_json(const struct wtr_event *event, const struct wt_value *value, struct wt_buf *out)
{
	(void)event;
	wt_value_json(value, out);
}

static int render(const struct wtr_event *event, uint32_t field, render_fn *fn, const char **ret)
{
	struct wt_buf *text = &event->cursor->text;
	struct wt_value value;
	int rc = value_of(event, field, &value);

	if (rc)
		return rc;
	wt_buf_clear(text);
	fn(event, &value, text);
	wt_buf_put_u8(text, 0);
	if (text->failed) {
		wt_fail_nomem(wtr_err());
		return WTR_ERR_NOMEM;
	}
	*ret = (const char *)text->data;
	return WTR_OK;
}

int wtr_get_text(const struct wtr_event *event, uint32_t field, const char **ret)
{
	return render(event, field, put_text, ret);
}

int wtr_get_json(const struct wtr_event *event, uint32_t field, const char **ret)
{
	return render(event, field, put_json, ret);
}
