// SPDX-License-Identifier: MIT
#include "tracecore/kernel_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/schema/builtin.h"
#include "tests/unit/tracecore/schema/payload.h"

static const struct wt_proc_payload proc = {.pid = 0x01020304,
					    .tid = 0x11121314,
					    .parent_pid = 0x21222324,
					    .parent_tid = 0x31323334,
					    .start_time = UINT64_C(0x4142434445464748),
					    .uid = 0x51525354,
					    .name = {"na me", 5},
					    .exe = {"/usr/bin/\xc3\xa4", 11},
					    .command_line = {"na me -x a,b", 12},
					    .caught = WT_CAUGHT_CUT,
					    .cgroup = {"/docker/ab", 10},
					    .container = {"ab", 2},
					    .inside_pid = 0x61626364,
					    .ended = true,
					    .exit_code = 3};

static const struct wt_image_payload image = {.pid = 0x01020304,
					      .tid = UINT32_MAX,
					      .address = UINT64_C(0xffffffff81000000),
					      .size = 0x200000,
					      .file_offset = 0x1000,
					      .kind = WT_IMAGE_MODULE,
					      .device = UINT64_C(8) << 32 | 1,
					      .inode = UINT64_C(0x8000000000000001),
					      .build_id = {"\x01\x00\xff\x80", 4},
					      .path = {"[nf_tables]", 11}};

static const struct wt_lost_payload lost = {.provider = {"linux:sched", 11},
					    .event = {"", 0},
					    .on_cpu = 3,
					    .cause = WT_LOSS_THROTTLED,
					    .count = 17,
					    .exact = 1,
					    .from = 1000,
					    .to = UINT64_C(0xfffffffffffffff0),
					    .ring = 0x81000002};

static const struct wt_counted_payload counted = {.provider = {"pmu-profile", 11},
						  .event = {"cpu-clock", 9},
						  .on_cpu = 63,
						  .produced = 100,
						  .written = 90,
						  .lost = 10,
						  .period1 = 1};

struct schema {
	struct wt_provider *provider;
	const struct wt_event_desc *event;
	struct wt_value values[WT_SCHEMA_MAX_FIELDS];
};

static const struct wt_event_desc *event_of_id(const struct wt_provider *provider, uint16_t id)
{
	for (uint32_t i = 0; i < provider->n_events; i++)
		if (provider->events[i].id == id)
			return &provider->events[i];
	return NULL;
}

static void decode(struct schema *s, const char *provider, uint16_t id, const struct wt_buf *payload)
{
	assert_int_equal(wt_builtin_provider(provider, &s->provider, NULL), 0);
	s->event = event_of_id(s->provider, id);
	assert_non_null(s->event);
	assert_int_equal(payload_decode(s->event, payload->data, payload->len, s->values), 0);
}

static const struct wt_value *value(const struct schema *s, const char *field)
{
	int i = wt_event_field(s->event, field);

	if (i < 0)
		fail_msg("no field %s", field);
	return &s->values[i];
}

static void check_text(const struct schema *s, const char *field, struct wt_str expected)
{
	assert_int_equal(value(s, field)->len, expected.len);
	assert_memory_equal(value(s, field)->bytes, expected.p, expected.len);
}

static void check_number(const struct schema *s, const char *field, uint64_t expected)
{
	assert_true(wt_type_is_integer(value(s, field)->field->type));
	assert_int_equal(value(s, field)->u, expected);
}

static void proc_layout_is_the_manifests(void **state)
{
	(void)state;
	for (uint16_t id = WT_PROC_START; id <= WT_THREAD_NAME; id++) {
		struct wt_buf out = {0};
		struct schema s;

		wt_proc_put(&out, &proc);
		decode(&s, "proc_thread", id, &out);
		check_number(&s, "pid", proc.pid);
		check_number(&s, "tid", proc.tid);
		check_number(&s, "parent_pid", proc.parent_pid);
		check_number(&s, "parent_tid", proc.parent_tid);
		check_number(&s, "start_time", proc.start_time);
		check_number(&s, "uid", proc.uid);
		check_text(&s, "name", proc.name);
		check_text(&s, "exe", proc.exe);
		check_text(&s, "command_line", proc.command_line);
		check_number(&s, "caught", proc.caught);
		check_text(&s, "cgroup", proc.cgroup);
		check_text(&s, "container", proc.container);
		check_number(&s, "inside_pid", proc.inside_pid);
		check_number(&s, "exit_code", (uint64_t)proc.exit_code);
		check_number(&s, "exit_signal", proc.exit_signal);
		assert_int_equal(s.event->n_fields, 15);
		wt_provider_destroy(s.provider);
		wt_buf_deinit(&out);
	}
}

static void image_layout_is_the_manifests(void **state)
{
	(void)state;
	for (uint16_t id = WT_IMAGE_LOAD; id <= WT_IMAGE_UNLOAD; id++) {
		struct wt_buf out = {0};
		struct schema s;

		wt_image_put(&out, &image);
		decode(&s, "loader", id, &out);
		check_number(&s, "pid", image.pid);
		check_number(&s, "tid", image.tid);
		check_number(&s, "address", image.address);
		check_number(&s, "size", image.size);
		check_number(&s, "file_offset", image.file_offset);
		check_number(&s, "kind", image.kind);
		check_number(&s, "device", image.device);
		check_number(&s, "inode", image.inode);
		check_text(&s, "build_id", image.build_id);
		check_text(&s, "path", image.path);
		assert_int_equal(s.event->n_fields, 10);
		wt_provider_destroy(s.provider);
		wt_buf_deinit(&out);
	}
}

static void lost_layout_is_the_manifests(void **state)
{
	struct wt_buf out = {0}, text = {0};
	struct schema s;

	(void)state;
	wt_lost_put(&out, &lost);
	decode(&s, "wtrace", WT_CORE_LOST, &out);
	check_text(&s, "provider", lost.provider);
	check_text(&s, "event", lost.event);
	check_number(&s, "on_cpu", lost.on_cpu);
	check_number(&s, "cause", lost.cause);
	check_number(&s, "count", lost.count);
	check_number(&s, "exact", lost.exact);
	check_number(&s, "from", lost.from);
	check_number(&s, "to", lost.to);
	check_number(&s, "ring", lost.ring);
	wt_value_text(value(&s, "cause"), &text);
	assert_string_equal(wt_buf_cstr(&text), "throttled");
	wt_provider_destroy(s.provider);
	wt_buf_deinit(&out);
	wt_buf_deinit(&text);
}

static void counted_layout_is_the_manifests(void **state)
{
	struct wt_buf out = {0};
	struct schema s;

	(void)state;
	wt_counted_put(&out, &counted);
	decode(&s, "wtrace", WT_CORE_COUNTED, &out);
	check_text(&s, "provider", counted.provider);
	check_text(&s, "event", counted.event);
	check_number(&s, "on_cpu", counted.on_cpu);
	check_number(&s, "produced", counted.produced);
	check_number(&s, "written", counted.written);
	check_number(&s, "lost", counted.lost);
	check_number(&s, "period1", counted.period1);
	wt_provider_destroy(s.provider);
	wt_buf_deinit(&out);
}

/* The layouts the header only states, for which there is no put: name and type of every field in order. */
static void stated_layouts_are_the_manifests(void **state)
{
	static const struct {
		const char *provider;
		uint16_t id;
		const char *fields;
	} stated[] = {
		{"wtrace", WT_CORE_MARK, "text string, uid u32"},
		{"wtrace", WT_CORE_INFO, "key string, value string"},
		{"wtrace", WT_CORE_CPU, "cpu u32, online bool"},
		{"wtrace", WT_CORE_COST, "from time, cpu_time u64, events u64, bytes u64"},
		{"wtrace", WT_CORE_PACKAGE,
		 "path string, package string, version string, architecture string, source string, system "
		 "string"},
		{"pmu-profile", WT_PROFILE_SAMPLE, "source u8, period u64"},
		{"cswitch", WT_CSWITCH,
		 "new_tid u32, old_tid u32, new_priority i32, old_priority i32, old_state u8, preempted "
		 "bool"},
		{"cswitch", WT_CSWITCH_IN, "new_tid u32, old_tid u32"},
		{"dispatcher", WT_READY, "ready_tid u32, priority i32, target_cpu u32, context u8"},
		{"dispatcher", WT_READY_NEW, "ready_tid u32, priority i32, target_cpu u32, context u8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stated) / sizeof(stated[0]); i++) {
		struct wt_provider *p = NULL;
		const struct wt_event_desc *e;
		struct wt_buf text = {0};

		assert_int_equal(wt_builtin_provider(stated[i].provider, &p, NULL), 0);
		e = event_of_id(p, stated[i].id);
		assert_non_null(e);
		for (uint32_t f = 0; f < e->n_fields; f++)
			wt_buf_printf(&text, "%s%s %s", f ? ", " : "", e->fields[f].name,
				      wt_type_name(e->fields[f].type));
		assert_string_equal(wt_buf_cstr(&text), stated[i].fields);
		wt_buf_deinit(&text);
		wt_provider_destroy(p);
	}
}

static void maps_name_every_value(void **state)
{
	static const struct {
		const char *provider, *map;
		uint32_t at, n;
	} maps[] = {{"loader", "image_kind", 0, WT_IMAGE_KSYMBOL + 1},
		    {"proc_thread", "caught", 0, WT_CAUGHT_CUT + 1},
		    {"cswitch", "thread_state", 0, WT_STATE_IDLE + 2},
		    {"cswitch", "owner_is", 1, WT_OWNER_WORD + 1},
		    {"dispatcher", "context", 0, WT_WAKER_IDLE + 1},
		    {"wtrace", "loss_cause", 0, WT_LOSS_SHARE}};

	(void)state;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct wt_provider *p = NULL;

		assert_int_equal(wt_builtin_provider(maps[i].provider, &p, NULL), 0);
		assert_true(p->n_maps > maps[i].at);
		assert_string_equal(p->maps[maps[i].at].name, maps[i].map);
		assert_int_equal(p->maps[maps[i].at].n_entries, maps[i].n);
		wt_provider_destroy(p);
	}
}

static void get_gives_back_what_put_took(void **state)
{
	struct wt_buf out = {0};
	struct wt_proc_payload p;
	struct wt_image_payload i;

	(void)state;
	wt_proc_put(&out, &proc);
	assert_int_equal(wt_proc_get(out.data, out.len, &p), 0);
	assert_int_equal(p.start_time, proc.start_time);
	assert_int_equal(p.uid, proc.uid);
	assert_int_equal(p.command_line.len, proc.command_line.len);
	assert_memory_equal(p.command_line.p, proc.command_line.p, p.command_line.len);
	wt_buf_clear(&out);
	wt_image_put(&out, &image);
	assert_int_equal(wt_image_get(out.data, out.len, &i), 0);
	assert_int_equal(i.inode, image.inode);
	assert_int_equal(i.kind, image.kind);
	assert_int_equal(i.build_id.len, 4);
	assert_memory_equal(i.path.p, image.path.p, i.path.len);
	wt_buf_deinit(&out);
}

static void payloads_of_the_first_version_are_taken(void **state)
{
	const size_t first = 7 * 4 + 2 + proc.name.len + 2 + proc.exe.len + 2 + proc.command_line.len;
	struct wt_buf out = {0};
	struct wt_proc_payload p;

	(void)state;
	wt_proc_put(&out, &proc);
	assert_int_equal(wt_proc_get(out.data, first, &p), 0);
	assert_int_equal(p.command_line.len, proc.command_line.len);
	assert_int_equal(p.caught, WT_CAUGHT_WHOLE);
	assert_int_equal(p.exit_code, -1);
	assert_int_equal(p.cgroup.len + p.container.len + p.inside_pid + p.exit_signal, 0);
	wt_buf_deinit(&out);
}

static void loss_comes_back(void **state)
{
	struct wt_buf out = {0};
	struct wt_lost_payload l;

	(void)state;
	wt_lost_put(&out, &lost);
	assert_int_equal(wt_lost_get(out.data, out.len, &l), 0);
	assert_int_equal(l.event.len, 0);
	assert_int_equal(l.to, lost.to);
	assert_int_equal(l.cause, lost.cause);
	wt_buf_deinit(&out);
}

/* Every shorter payload is refused and leaves the result alone; every longer one is a later version's. */
static void short_payloads_are_refused_long_ones_taken(void **state)
{
	const size_t first = 7 * 4 + 2 + proc.name.len + 2 + proc.exe.len + 2 + proc.command_line.len;
	struct wt_buf out[3] = {0};

	(void)state;
	wt_proc_put(&out[0], &proc);
	wt_image_put(&out[1], &image);
	wt_lost_put(&out[2], &lost);
	for (unsigned i = 0; i < 3; i++) {
		size_t whole = out[i].len;

		wt_buf_put_u32(&out[i], 0xdeadbeef);
		for (size_t len = 0; len <= out[i].len; len++) {
			uint8_t *exact = malloc(len ? len : 1);
			struct wt_proc_payload p = {.pid = 77};
			struct wt_image_payload im = {.pid = 77};
			struct wt_lost_payload l = {.on_cpu = 77};
			int got[3];

			memcpy(exact, out[i].data, len);
			got[0] = i == 0 ? wt_proc_get(exact, len, &p) : 0;
			got[1] = i == 1 ? wt_image_get(exact, len, &im) : 0;
			got[2] = i == 2 ? wt_lost_get(exact, len, &l) : 0;
			/* A process's may end where that of the first version did. */
			bool whole_or_first = len >= whole || (i == 0 && len == first);

			assert_int_equal(got[i], whole_or_first ? 0 : -1);
			if (!whole_or_first)
				assert_true(p.pid == 77 && im.pid == 77 && l.on_cpu == 77);
			free(exact);
		}
		wt_buf_deinit(&out[i]);
	}
}

static void bounds_are_kept(void **state)
{
	static char big[70000];
	struct wt_proc_payload p = {.name = {big, sizeof(big)}, .command_line = {big, sizeof(big)}};
	struct wt_image_payload im = {.build_id = {big, 40}};
	struct wt_buf out = {0};

	(void)state;
	wt_proc_put(&out, &p);
	assert_int_equal(wt_proc_get(out.data, out.len, &p), 0);
	assert_int_equal(p.name.len, 65535);
	assert_int_equal(p.command_line.len, 4096);
	wt_buf_clear(&out);
	wt_image_put(&out, &im);
	assert_int_equal(wt_image_get(out.data, out.len, &im), 0);
	assert_int_equal(im.build_id.len, 20);
	wt_buf_deinit(&out);
}

static void oversized_build_id_is_refused(void **state)
{
	struct wt_buf out = {0};
	struct wt_image_payload im = {.build_id = {"", 0}, .path = {"", 0}};
	const size_t build_id_at = 4 + 4 + 8 + 8 + 8 + 1 + 8 + 8;

	(void)state;
	wt_image_put(&out, &im);
	out.len = build_id_at;
	wt_buf_put_counted(&out, "123456789012345678901", 21);
	wt_buf_put_counted(&out, "", 0);
	assert_int_equal(wt_image_get(out.data, out.len, &im), -1);
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proc_layout_is_the_manifests),
		cmocka_unit_test(image_layout_is_the_manifests),
		cmocka_unit_test(lost_layout_is_the_manifests),
		cmocka_unit_test(counted_layout_is_the_manifests),
		cmocka_unit_test(stated_layouts_are_the_manifests),
		cmocka_unit_test(maps_name_every_value),
		cmocka_unit_test(get_gives_back_what_put_took),
		cmocka_unit_test(payloads_of_the_first_version_are_taken),
		cmocka_unit_test(loss_comes_back),
		cmocka_unit_test(short_payloads_are_refused_long_ones_taken),
		cmocka_unit_test(bounds_are_kept),
		cmocka_unit_test(oversized_build_id_is_refused),
	};

	return cmocka_run_group_tests_name("kernel_events", tests, NULL, NULL);
}
