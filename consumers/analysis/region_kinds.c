/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/region_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tracecore/base/nearest.h"
#include "tracecore/schema/builtin.h"

/* Kinds for each pair of begin and end of one class; with more, whole regions lack the end's fields. */
enum { MAX_CROSSED = 64 };

/* ---- names ---- */

size_t wt_region_base_name(const char *event)
{
	static const char *const ends[] = {"start", "begin", "enter", "entry", "open", "stop",
					   "end",   "exit",  "leave", "close", "done", "finish"};
	size_t len = strlen(event);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t n = strlen(ends[i]), at = len - n;

		if (len <= n || strcasecmp(event + at, ends[i]) != 0)
			continue;
		if (strchr("_.-:/", event[at - 1]))
			return at > 1 ? at - 1 : len;
		if (event[at] >= 'A' && event[at] <= 'Z')
			return at;
	}
	return len;
}

static bool is_of_programs(const struct wt_provider *provider)
{
	size_t len;

	return strncmp(provider->name, "linux:", 6) != 0 && !wt_builtin_manifest(provider->name, &len);
}

/* The part of a name after a prefix; NULL: it has another prefix. */
static const char *behind(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) ? NULL : name + len;
}

/* ---- tables that grow ---- */

static void *grown(void *list, uint32_t n, size_t size)
{
	/* At powers of two. */
	return n & (n - 1) ? list : realloc(list, (n ? n * (size_t)2 : 1) * size);
}

static int push_number(uint32_t **list, uint32_t *n, uint32_t value)
{
	uint32_t *numbers = grown(*list, *n, sizeof(**list));

	if (!numbers)
		return -1;
	numbers[(*n)++] = value;
	*list = numbers;
	return 0;
}

static void put_field(struct wt_buf *out, const struct wt_field *field)
{
	wt_buf_printf(out, "%s:%d:%d:%u:%d:%s\n", field->name, (int)field->type, (int)field->radix,
		      field->count, field->variable, field->unit ? field->unit : "");
}

/* The number of an event's shape. */
static uint32_t shape_of(struct wt_region_kinds *kinds, const struct wt_kind *kind)
{
	struct wt_region_shape *shapes;
	struct wt_buf text = {0};
	uint32_t id = WT_REGION_NONE;
	bool fresh = false;

	wt_buf_printf(&text, "%s\n%s\n%d\n%d\n", kind->provider->name, kind->event->name, kind->event->opcode,
		      kind->event->task);
	for (uint32_t f = 0; f < kind->event->n_fields; f++)
		put_field(&text, &kind->event->fields[f]);
	if (!text.failed)
		id = wt_strings_add(&kinds->shape_names, text.data, text.len, &fresh);
	wt_buf_deinit(&text);
	if (id == WT_INTERN_NONE || !fresh)
		return id;
	shapes = grown(kinds->shapes, kinds->n_shapes, sizeof(*shapes));
	if (!shapes)
		return WT_REGION_NONE;
	kinds->shapes = shapes;
	shapes[kinds->n_shapes++] = (struct wt_region_shape){kind->provider, kind->event};
	return id;
}

/* ---- classes ---- */

/* The properties that distinguish the classes of a log. */
struct class_word {
	struct wt_buf key, name;
	enum wt_region_owner owner;
	bool by_number;
};

static uint32_t need_class(struct wt_region_kinds *kinds, struct class_word *word,
			   const struct wt_provider *provider)
{
	struct wt_region_class *classes;
	const char *name = wt_buf_cstr(&word->name), *key = wt_buf_cstr(&word->key);
	bool fresh = false, other;
	uint32_t id = word->key.failed || word->name.failed
			      ? WT_INTERN_NONE
			      : wt_strings_add(&kinds->class_names, key, strlen(key), &fresh);

	if (id != WT_INTERN_NONE && fresh) {
		classes = grown(kinds->classes, kinds->n_classes, sizeof(*classes));
		if (!classes)
			return WT_REGION_NONE;
		kinds->classes = classes;
		classes[id] = (struct wt_region_class){
			.name = strdup(name), .owner = word->owner, .by_number = word->by_number};
		classes[id].group = wt_strings_add(&kinds->groups, provider->name, strlen(provider->name),
						   &other);
		kinds->n_classes++;
		if (!classes[id].name || classes[id].group == WT_INTERN_NONE)
			id = WT_REGION_NONE;
	}
	return id;
}

/* The place of the shape among the shapes of the class. The shape is added if the class does not have it. */
static uint32_t place_of(struct wt_region_kinds *kinds, uint32_t c, bool begins, uint32_t shape)
{
	struct wt_region_class *class = &kinds->classes[c];
	uint32_t **list = begins ? &class->begins : &class->ends;
	uint32_t *n = begins ? &class->n_begins : &class->n_ends, n_places = kinds->place_ids.count;
	bool fresh;
	uint32_t id = wt_intern(&kinds->place_ids, (uint64_t)c * 2 + begins, shape, &fresh);

	if (id == WT_INTERN_NONE || !fresh)
		return id == WT_INTERN_NONE ? WT_REGION_NONE : kinds->places[id];
	if (push_number(&kinds->places, &n_places, *n) || push_number(list, n, shape))
		return WT_REGION_NONE;
	return kinds->places[id];
}

static int add_role(struct wt_region_kinds *kinds, struct wt_region_segment *segment, struct class_word *word,
		    const struct wt_kind *kind, struct wt_region_role role, struct wt_err *err)
{
	uint32_t shape = shape_of(kinds, kind);
	struct wt_region_role *roles = grown(segment->roles, segment->n_roles, sizeof(*roles));

	role.class = need_class(kinds, word, kind->provider);
	segment->roles = roles ? roles : segment->roles;
	wt_buf_deinit(&word->key);
	wt_buf_deinit(&word->name);
	if (!roles || role.class == WT_REGION_NONE || shape == WT_REGION_NONE)
		return wt_fail_nomem(err);
	role.at = place_of(kinds, role.class, role.begins, shape);
	if (role.at == WT_REGION_NONE)
		return wt_fail_nomem(err);
	segment->shape[kind - segment->real->kinds.kinds] = shape;
	segment->roles[segment->n_roles++] = role;
	return 0;
}

static const char *task_name(const struct wt_provider *provider, uint16_t task)
{
	for (uint32_t i = 0; i < provider->n_tasks; i++)
		if (provider->tasks[i].value == task)
			return provider->tasks[i].name;
	return NULL;
}

static int add_programs(struct wt_region_kinds *kinds, struct wt_region_segment *segment,
			const struct wt_kind *kind, struct wt_err *err)
{
	const struct wt_event_desc *event = kind->event;
	const char *task = event->task ? task_name(kind->provider, event->task) : NULL;
	struct class_word word = {.owner = WT_OWNER_WORK};
	struct wt_region_role role = {.begins = event->opcode == WT_OPCODE_START, .number = -1, .result = -1};
	size_t len = wt_region_base_name(event->name);

	if ((event->opcode != WT_OPCODE_START && event->opcode != WT_OPCODE_STOP) ||
	    !is_of_programs(kind->provider))
		return 0;
	if (event->task)
		wt_buf_printf(&word.key, "task\n%s\n%d", kind->provider->name, event->task);
	else
		wt_buf_printf(&word.key, "name\n%s\n%.*s", kind->provider->name, (int)len, event->name);
	if (task)
		wt_buf_puts(&word.name, task);
	else
		wt_buf_printf(&word.name, "%.*s", (int)len, event->name);
	return add_role(kinds, segment, &word, kind, role, err);
}

static int add_calls(struct wt_region_kinds *kinds, struct wt_region_segment *segment,
		     const struct wt_kind *kind, struct wt_err *err)
{
	bool raw = !strcmp(kind->provider->name, "linux:raw_syscalls");
	const char *enter = behind(kind->event->name, "sys_enter"),
		   *exit = behind(kind->event->name, "sys_exit");
	const char *rest = enter ? enter : exit;
	struct class_word word = {.owner = WT_OWNER_CALL, .by_number = raw};
	struct wt_region_role role = {.begins = enter != NULL, .number = -1, .result = -1};

	if (!rest || (!raw && strcmp(kind->provider->name, "linux:syscalls")) || raw == (*rest == '_'))
		return 0;
	if (raw)
		role.number = wt_event_field(kind->event, "id");
	if (raw && (role.number < 0 || !wt_type_is_integer(kind->event->fields[role.number].type)))
		return 0;
	if (exit)
		role.result = wt_event_field(kind->event, "ret");
	if (role.result >= 0 && !wt_type_is_integer(kind->event->fields[role.result].type))
		role.result = -1;
	wt_buf_printf(&word.key, "call\n%s\n%s", kind->provider->name, raw ? "" : rest);
	wt_buf_printf(&word.name, "sys%s", raw ? "call" : rest);
	return add_role(kinds, segment, &word, kind, role, err);
}

static bool is_event(const struct wt_kind *kind, const char *word)
{
	size_t len = strlen(kind->provider->name);

	return !strcasecmp(kind->event->name, word) ||
	       (!strncasecmp(kind->provider->name, word, len) && word[len] == '/' &&
		!strcasecmp(kind->event->name, word + len + 1));
}

static int fail_field(const struct wt_kind *kind, const char *field, struct wt_err *err)
{
	const char *names[WT_SCHEMA_MAX_FIELDS];
	size_t n = 0;

	for (; n < kind->event->n_fields && n < WT_SCHEMA_MAX_FIELDS; n++)
		names[n] = kind->event->fields[n].name;
	wt_fail_unknown(err, "field", field, names, n);
	return wt_fail_prefix(err, "--pair");
}

static int add_pair_end(struct wt_region_kinds *kinds, struct wt_region_segment *segment,
			const struct wt_region_pair *pair, uint32_t index, bool begins,
			const struct wt_kind *kind, struct wt_err *err)
{
	struct class_word word = {.owner = pair->n_fields ? WT_OWNER_KEY : WT_OWNER_THREAD};
	struct wt_region_role role = {.begins = begins, .number = -1, .result = -1, .n_keys = pair->n_fields};
	const char *begin = strrchr(pair->begin, '/'), *end = strrchr(pair->end, '/');

	for (uint32_t i = 0; i < pair->n_fields; i++) {
		const char *name = begins ? pair->begin_field[i] : pair->end_field[i];

		role.keys[i] = wt_event_field(kind->event, name);
		if (role.keys[i] < 0)
			return fail_field(kind, name, err);
	}
	wt_buf_printf(&word.key, "pair\n%u", index);
	wt_buf_printf(&word.name, "%s..%s", begin ? begin + 1 : pair->begin, end ? end + 1 : pair->end);
	return add_role(kinds, segment, &word, kind, role, err);
}

/* Ends come first: an event that is both ends a region before it begins another. */
static int add_pairs(struct wt_region_kinds *kinds, struct wt_region_segment *segment,
		     const struct wt_region_pairs *pairs, const struct wt_kind *kind, struct wt_err *err)
{
	for (uint32_t i = 0; pairs && i < pairs->n; i++) {
		const struct wt_region_pair *pair = &pairs->pairs[i];

		if (is_event(kind, pair->end) && add_pair_end(kinds, segment, pair, i, false, kind, err))
			return -1;
		if (is_event(kind, pair->begin) && add_pair_end(kinds, segment, pair, i, true, kind, err))
			return -1;
	}
	return 0;
}

static int find_roles(struct wt_region_kinds *kinds, struct wt_region_segment *segment,
		      const struct wt_region_pairs *pairs, struct wt_err *err)
{
	uint32_t n = segment->real->kinds.n;

	segment->first = calloc(n + (size_t)1, sizeof(uint32_t));
	segment->shape = malloc((n + (size_t)1) * sizeof(uint32_t));
	if (!segment->first || !segment->shape)
		return wt_fail_nomem(err);
	memset(segment->shape, 0xff, (n + (size_t)1) * sizeof(uint32_t));
	for (uint32_t k = 0; k < n; k++) {
		const struct wt_kind *kind = &segment->real->kinds.kinds[k];

		segment->first[k] = segment->n_roles;
		if (add_pairs(kinds, segment, pairs, kind, err) || add_programs(kinds, segment, kind, err) ||
		    add_calls(kinds, segment, kind, err))
			return -1;
	}
	segment->first[n] = segment->n_roles;
	return 0;
}

/* ---- pairs of events that are not there ---- */

static bool has_event(const struct wt_region_kinds *kinds, const char *word)
{
	for (uint32_t s = 0; s < kinds->n_segments; s++) {
		const struct wt_kinds *real = &kinds->segments[s].real->kinds;

		for (uint32_t k = 0; k < real->n; k++)
			if (is_event(&real->kinds[k], word))
				return true;
	}
	return false;
}

static int fail_event(const struct wt_region_kinds *kinds, const char *word, struct wt_err *err)
{
	const struct wt_kinds *real = kinds->n_segments ? &kinds->segments[0].real->kinds : NULL;
	const char **names = calloc(real ? real->n + (size_t)1 : 1, sizeof(char *));

	if (!names)
		return wt_fail_nomem(err);
	for (uint32_t k = 0; real && k < real->n; k++)
		names[k] = real->kinds[k].event->name;
	wt_fail_unknown(err, "event", word, names, real ? real->n : 0);
	free(names);
	return wt_fail_prefix(err, "--pair");
}

static int check_pairs(const struct wt_region_kinds *kinds, const struct wt_region_pairs *pairs,
		       struct wt_err *err)
{
	for (uint32_t i = 0; pairs && i < pairs->n; i++) {
		if (!has_event(kinds, pairs->pairs[i].begin))
			return fail_event(kinds, pairs->pairs[i].begin, err);
		if (!has_event(kinds, pairs->pairs[i].end))
			return fail_event(kinds, pairs->pairs[i].end, err);
	}
	return 0;
}

/* ---- kinds of regions ---- */

static const struct {
	const char *name;
	enum wt_type type;
	const char *unit;
} own_fields[WT_REGION_N_OWN] = {
	[WT_REGION_NAME] = {"region", WT_TYPE_STRING, NULL},
	[WT_REGION_DURATION] = {"duration", WT_TYPE_U64, "ns"},
	[WT_REGION_SELF] = {"self_time", WT_TYPE_U64, "ns"},
	[WT_REGION_WITHIN] = {"within", WT_TYPE_STRING, NULL},
	[WT_REGION_STATE] = {"region_state", WT_TYPE_STRING, NULL},
	[WT_REGION_ENDED] = {"ended", WT_TYPE_TIME, NULL},
	[WT_REGION_END_CPU] = {"end_cpu", WT_TYPE_U32, NULL},
	[WT_REGION_END_TID] = {"end_tid", WT_TYPE_U32, NULL},
};

static bool has_own(enum wt_region_what what, enum wt_region_own own)
{
	switch (own) {
	case WT_REGION_NAME:
	case WT_REGION_STATE:
		return true;
	case WT_REGION_WITHIN:
		return what != WT_REGION_IS_UNBEGUN;
	default:
		return what == WT_REGION_IS_WHOLE || what == WT_REGION_IS_BARE;
	}
}

static bool is_own_name(const char *name)
{
	for (int i = 0; i < WT_REGION_N_OWN; i++)
		if (!strcmp(own_fields[i].name, name))
			return true;
	return false;
}

static int push_field(struct wt_region_kind *kind, const struct wt_field *like, const char *prefix,
		      const char *name, struct wt_region_from from)
{
	struct wt_event_desc *event = &kind->event;
	struct wt_field *field = &event->fields[event->n_fields];
	char *text = NULL;

	if (asprintf(&text, "%s%s", prefix, name) < 0)
		return -1;
	*field = *like;
	field->name = text;
	field->help = NULL;
	kind->from[event->n_fields++] = from;
	return 0;
}

static int push_own(struct wt_region_kind *kind)
{
	for (int i = 0; i < WT_REGION_N_OWN; i++) {
		struct wt_field field = {.type = own_fields[i].type, .count = 1};
		struct wt_region_from from = {WT_FROM_OWN, (uint32_t)i};

		field.unit = (char *)(uintptr_t)own_fields[i].unit;
		if (has_own(kind->what, (enum wt_region_own)i) &&
		    push_field(kind, &field, "", own_fields[i].name, from))
			return -1;
	}
	return 0;
}

static bool has_field(const struct wt_event_desc *event, const char *name)
{
	return wt_event_field(event, name) >= 0;
}

/* Adds the fields of one end. A name that is in use gets a prefix. If that name is in use too, the field
 * is left out. */
static int push_side(struct wt_region_kind *kind, const struct wt_event_desc *event, bool begin)
{
	const char *prefix = begin ? "start_" : "stop_";
	char longer[WT_SCHEMA_MAX_NAME + 16];

	for (uint32_t f = 0; f < event->n_fields && kind->event.n_fields < WT_SCHEMA_MAX_FIELDS; f++) {
		const char *name = event->fields[f].name;
		bool taken = is_own_name(name) || has_field(&kind->event, name);
		struct wt_region_from from = {begin ? WT_FROM_BEGIN : WT_FROM_END, f};

		snprintf(longer, sizeof(longer), "%s%s", prefix, name);
		if (taken && has_field(&kind->event, longer))
			continue;
		if (push_field(kind, &event->fields[f], taken ? prefix : "", name, from))
			return -1;
	}
	return 0;
}

static int fill_kind(const struct wt_region_kinds *kinds, struct wt_region_kind *kind)
{
	const struct wt_region_shape *begin = kind->begin != WT_REGION_NONE ? &kinds->shapes[kind->begin]
									    : NULL;
	const struct wt_region_shape *end = kind->end != WT_REGION_NONE ? &kinds->shapes[kind->end] : NULL;
	const struct wt_region_shape *one = begin ? begin : end;
	size_t most = WT_REGION_N_OWN + (size_t)(begin ? begin->event->n_fields : 0) +
		      (end ? end->event->n_fields : 0);

	most = most < WT_SCHEMA_MAX_FIELDS ? most : WT_SCHEMA_MAX_FIELDS;
	kind->provider = one->provider;
	kind->event = (struct wt_event_desc){.name = strdup(kinds->classes[kind->class].name),
					     .id = UINT16_MAX,
					     .level = one->event->level,
					     .keywords = one->event->keywords};
	kind->event.fields = calloc(most, sizeof(struct wt_field));
	kind->from = calloc(most, sizeof(*kind->from));
	if (!kind->event.name || !kind->event.fields || !kind->from || push_own(kind) ||
	    (begin && push_side(kind, begin->event, true)) || (end && push_side(kind, end->event, false)))
		return -1;
	return 0;
}

static int add_kind(struct wt_region_kinds *kinds, uint32_t class, enum wt_region_what what, uint32_t begin,
		    uint32_t end)
{
	struct wt_region_kind *list = grown(kinds->kinds, kinds->n_kinds, sizeof(*list));

	if (!list)
		return -1;
	kinds->kinds = list;
	list[kinds->n_kinds] = (struct wt_region_kind){
		.class = class, .what = what, .begin = begin, .end = end};
	return fill_kind(kinds, &list[kinds->n_kinds++]);
}

static int add_whole(struct wt_region_kinds *kinds, uint32_t c)
{
	struct wt_region_class *class = &kinds->classes[c];

	class->crossed = class->n_ends && (uint64_t) class->n_begins * class->n_ends <= MAX_CROSSED;
	class->whole = kinds->n_kinds;
	for (uint32_t b = 0; class->crossed && b < class->n_begins; b++)
		for (uint32_t e = 0; e < class->n_ends; e++)
			if (add_kind(kinds, c, WT_REGION_IS_WHOLE, class->begins[b], class->ends[e]))
				return -1;
	return 0;
}

static int add_kinds(struct wt_region_kinds *kinds, uint32_t c)
{
	struct wt_region_class *class = &kinds->classes[c];
	int failed = add_whole(kinds, c);

	class->bare = kinds->n_kinds;
	for (uint32_t b = 0; b < class->n_begins && !failed; b++)
		failed = add_kind(kinds, c, WT_REGION_IS_BARE, class->begins[b], WT_REGION_NONE);
	class->unfinished = kinds->n_kinds;
	for (uint32_t b = 0; b < class->n_begins && !failed; b++)
		failed = add_kind(kinds, c, WT_REGION_IS_UNFINISHED, class->begins[b], WT_REGION_NONE);
	class->unbegun = kinds->n_kinds;
	for (uint32_t e = 0; e < class->n_ends && !failed; e++)
		failed = add_kind(kinds, c, WT_REGION_IS_UNBEGUN, WT_REGION_NONE, class->ends[e]);
	return failed;
}

/* ---- shadows ---- */

static int cast_shadow(struct wt_region_kinds *kinds, struct wt_region_segment *segment)
{
	const struct wt_kinds *real = &segment->real->kinds;
	struct wt_kind *rows = calloc(real->n + (size_t)kinds->n_kinds + 1, sizeof(*rows));

	if (!rows)
		return -1;
	segment->shadow = *segment->real;
	segment->shadow.kinds.kinds = rows;
	segment->shadow.kinds.n = real->n + kinds->n_kinds;
	if (real->n)
		memcpy(rows, real->kinds, real->n * sizeof(*rows));
	for (uint32_t k = 0; k < kinds->n_kinds; k++)
		rows[real->n + k] = (struct wt_kind){kinds->kinds[k].provider, &kinds->kinds[k].event};
	return 0;
}

static void mark_loose(struct wt_region_kinds *kinds)
{
	for (uint32_t s = 0; s < kinds->n_segments; s++)
		for (uint32_t r = 0; r < kinds->segments[s].n_roles; r++) {
			struct wt_region_role *role = &kinds->segments[s].roles[r];
			const struct wt_region_class *class = &kinds->classes[role->class];

			role->loose = !role->begins && !class->n_begins && class->owner == WT_OWNER_WORK;
		}
}

int wt_region_kinds_init(struct wt_region_kinds *kinds, struct wt_view_file *file,
			 const struct wt_region_pairs *pairs, struct wt_err *err)
{
	int failed = 0;

	*kinds = (struct wt_region_kinds){.file = file};
	kinds->segments = calloc(file->n_segments + (size_t)1, sizeof(*kinds->segments));
	if (!kinds->segments)
		return wt_fail_nomem(err);
	kinds->n_segments = file->n_segments;
	for (uint32_t s = 0; s < kinds->n_segments; s++)
		kinds->segments[s].real = file->segments[s].log;
	if (check_pairs(kinds, pairs, err))
		return -1;
	for (uint32_t s = 0; s < kinds->n_segments; s++)
		if (find_roles(kinds, &kinds->segments[s], pairs, err))
			return -1;
	mark_loose(kinds);
	for (uint32_t c = 0; c < kinds->n_classes && !failed; c++)
		failed = add_kinds(kinds, c);
	for (uint32_t s = 0; s < kinds->n_segments && !failed; s++)
		failed = cast_shadow(kinds, &kinds->segments[s]);
	if (failed)
		return wt_fail_nomem(err);
	for (uint32_t s = 0; s < kinds->n_segments; s++)
		wt_view_segment_exchange(&file->segments[s], &kinds->segments[s].shadow);
	return 0;
}

static void kind_deinit(struct wt_region_kind *kind)
{
	for (uint32_t f = 0; f < kind->event.n_fields; f++)
		free(kind->event.fields[f].name);
	free(kind->event.fields);
	free(kind->event.name);
	free(kind->from);
}

void wt_region_kinds_deinit(struct wt_region_kinds *kinds)
{
	for (uint32_t k = 0; k < kinds->n_kinds; k++)
		kind_deinit(&kinds->kinds[k]);
	for (uint32_t c = 0; c < kinds->n_classes; c++) {
		free(kinds->classes[c].name);
		free(kinds->classes[c].begins);
		free(kinds->classes[c].ends);
	}
	for (uint32_t s = 0; s < kinds->n_segments; s++) {
		free(kinds->segments[s].shadow.kinds.kinds);
		free(kinds->segments[s].first);
		free(kinds->segments[s].shape);
		free(kinds->segments[s].roles);
	}
	free(kinds->kinds);
	free(kinds->classes);
	free(kinds->shapes);
	free(kinds->places);
	wt_intern_deinit(&kinds->place_ids);
	free(kinds->segments);
	wt_strings_deinit(&kinds->shape_names);
	wt_strings_deinit(&kinds->class_names);
	wt_strings_deinit(&kinds->groups);
	*kinds = (struct wt_region_kinds){0};
}
