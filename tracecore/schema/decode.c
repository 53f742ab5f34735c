// SPDX-License-Identifier: MIT
#include "tracecore/schema/decode.h"

#include <string.h>

static float float_of_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static double double_of_bits(uint64_t bits)
{
	double f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Fills u or f from the bytes, which have the width of the type. Other types keep their bytes. */
static void load(struct wt_value *value, enum wt_type type)
{
	const uint8_t *p = value->bytes;

	switch (type) {
	case WT_TYPE_U8:
	case WT_TYPE_BOOL:
		value->u = *p;
		break;
	case WT_TYPE_I8:
		value->u = (uint64_t)(int64_t)(int8_t)*p;
		break;
	case WT_TYPE_U16:
		value->u = wt_load_u16(p);
		break;
	case WT_TYPE_I16:
		value->u = (uint64_t)(int64_t)(int16_t)wt_load_u16(p);
		break;
	case WT_TYPE_U32:
		value->u = wt_load_u32(p);
		break;
	case WT_TYPE_I32:
		value->u = (uint64_t)(int64_t)(int32_t)wt_load_u32(p);
		break;
	case WT_TYPE_U64:
	case WT_TYPE_I64:
	case WT_TYPE_POINTER:
	case WT_TYPE_TIME:
		value->u = wt_load_u64(p);
		break;
	case WT_TYPE_F32:
		value->f = (double)float_of_bits(wt_load_u32(p));
		break;
	case WT_TYPE_F64:
		value->f = double_of_bits(wt_load_u64(p));
		break;
	case WT_TYPE_STRING:
	case WT_TYPE_BINARY:
	case WT_TYPE_UUID:
	case WT_TYPE_IPV4:
	case WT_TYPE_IPV6:
	case WT_TYPE_SOCKADDR:
		break;
	}
}

static void load_scalar(const uint8_t *p, const struct wt_field *field, unsigned width, struct wt_value *ret)
{
	*ret = (struct wt_value){.field = field, .n = 1, .bytes = p, .len = width};
	load(ret, field->type);
}

static int decode_counted(struct wt_cursor *cur, const struct wt_field *field, struct wt_value *ret)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *p = wt_cur_bytes(cur, len);

	if (!p)
		return -1;
	*ret = (struct wt_value){.field = field, .n = 1, .bytes = p, .len = len};
	return 0;
}

static int decode_array(struct wt_cursor *cur, const struct wt_field *field, unsigned width,
			struct wt_value *ret)
{
	uint32_t n = field->variable ? wt_cur_u16(cur) : field->count;
	const uint8_t *p = wt_cur_bytes(cur, (size_t)n * width);

	if (!p)
		return -1;
	*ret = (struct wt_value){.field = field, .n = n, .bytes = p, .len = n * width};
	return 0;
}

int wt_decode_field(struct wt_cursor *cur, const struct wt_field *field, struct wt_value *ret)
{
	unsigned width = wt_type_width(field->type);
	bool array = field->variable || field->count > 1;
	const uint8_t *p;

	if (!width && (array || !wt_type_is_counted(field->type))) {
		cur->bad = true;
		return -1;
	}
	if (array)
		return decode_array(cur, field, width, ret);
	if (!width)
		return decode_counted(cur, field, ret);
	p = wt_cur_bytes(cur, width);
	if (!p)
		return -1;
	load_scalar(p, field, width, ret);
	return 0;
}

int wt_value_element(const struct wt_value *value, uint32_t i, struct wt_value *ret)
{
	unsigned width = wt_type_width(value->field->type);

	if (i >= value->n || (uint64_t)width * (i + (uint64_t)1) > value->len)
		return -1;
	if (width)
		load_scalar(value->bytes + (size_t)i * width, value->field, width, ret);
	else
		*ret = *value;
	ret->element = true;
	return 0;
}
