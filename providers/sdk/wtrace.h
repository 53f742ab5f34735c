/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The interface for programs that are traced: it describes events and writes them.
 *
 * A **provider** is a named source of events. There are two ways to describe its events:
 *
 * - in a manifest: `wtrace manifest header my.json` makes a header with one typed call per event;
 * - in the program, one expression per event:
 *
 *       static struct wtrace_provider my_app = WTRACE_PROVIDER_INIT(my_app, "my-app");
 *
 *       int main(void)
 *       {
 *               wtrace_register(&my_app);
 *               wtrace_event(&my_app, "request", WTRACE_INFO, 0x1, wtrace_str("path", path),
 *                            wtrace_u32("bytes", n));
 *               wtrace_unregister(&my_app);
 *       }
 *
 * An event that nobody wants costs two loads and one branch, and its arguments are not evaluated. An event
 * that somebody wants is copied into shared memory: after a thread's first event in a session there is no
 * system call, no lock and no allocation. The library starts no thread unless asked, waits for nothing and
 * prints nothing.
 *
 * A provider that cannot register (no shared memory, a set-uid program, ...) stays silent: all calls are
 * still allowed, and wtrace_why() gives the reason.
 *
 * Being traced changes nothing in a program but a little time and memory. An event that cannot be written
 * under the program's limits (RLIMIT_FSIZE, RLIMIT_AS, no descriptors, a full /dev/shm, a memory group that
 * is nearly full, system calls that are filtered) is lost, and the loss is counted in the session's log. A
 * program that filters its system calls must register before it installs the filter. In the first second of a
 * filter, and under a filter that came with an exec, the library may still make system calls:
 * tracecore/enable/ENABLE.md, section 9, lists them.
 *
 * Signal safety: emitting, wtrace_enabled, wtrace_event, the activity calls and wtrace_now may be used in
 * signal handlers and keep errno; the other calls may not. Thread safety: any thread may make any call,
 * except where a comment says otherwise. A process made by vfork must not emit before it execs.
 *
 * C11 and C++11, gcc and clang, Linux on x86-64 and arm64. Names that end in an underscore, and everything
 * below the line "Inside", are not for use in programs.
 */
#ifndef PROVIDERS_SDK_WTRACE_H
#define PROVIDERS_SDK_WTRACE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__GNUC__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "wtrace.h needs gcc or clang and a little-endian machine"
#endif

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define WTRACE_VERSION_MAJOR 0
#define WTRACE_VERSION_MINOR 1
#define WTRACE_VERSION_PATCH 0
/** Version of the structs that programs pass to the library. A library accepts all versions up to its own. */
#define WTRACE_ABI 1u

/** ETW's levels. An event of level ALWAYS passes any level that a session asks for. */
enum wtrace_level {
	WTRACE_ALWAYS = 0,
	WTRACE_CRITICAL = 1,
	WTRACE_ERROR = 2,
	WTRACE_WARNING = 3,
	WTRACE_INFO = 4,
	WTRACE_VERBOSE = 5
};

/** An event's role. START and STOP of one activity make a region. */
enum wtrace_opcode { WTRACE_OP_INFO = 0, WTRACE_OP_START = 1, WTRACE_OP_STOP = 2 };

/** Field types, as in manifests. */
enum wtrace_type {
	WTRACE_TYPE_U8 = 1,
	WTRACE_TYPE_U16 = 2,
	WTRACE_TYPE_U32 = 3,
	WTRACE_TYPE_U64 = 4,
	WTRACE_TYPE_I8 = 5,
	WTRACE_TYPE_I16 = 6,
	WTRACE_TYPE_I32 = 7,
	WTRACE_TYPE_I64 = 8,
	WTRACE_TYPE_F32 = 9,
	WTRACE_TYPE_F64 = 10,
	WTRACE_TYPE_BOOL = 11,
	WTRACE_TYPE_POINTER = 12,
	WTRACE_TYPE_TIME = 13,
	WTRACE_TYPE_STRING = 14,
	WTRACE_TYPE_BINARY = 15,
	WTRACE_TYPE_UUID = 16,
	WTRACE_TYPE_IPV4 = 17,
	WTRACE_TYPE_IPV6 = 18,
	WTRACE_TYPE_SOCKADDR = 19
};

/** An event of a manifest, in the manifest's order. */
struct wtrace_event_desc {
	const char *name;
	uint64_t keywords;
	uint16_t id;
	uint8_t level;
	uint8_t reserved[5];
};

/** A keyword of a self-describing provider: its name in `-p my-app:NAME`. */
struct wtrace_keyword {
	const char *name;
	uint64_t mask;
};

/**
 * A provider. It must be in static storage and must exist until wtrace_unregister has returned. The macros
 * below fill it in. Programs read it only through the functions of this header. Declare a provider that
 * several files share with hidden visibility: the check of an event then stays at two loads.
 */
struct wtrace_provider {
	/** A byte per event: bit s is set when session s wants the event. Zeros while unregistered. */
	const volatile uint8_t *enabled;
	const volatile uint8_t *zeros; /**< as many zero bytes as there are events */
	const char *name;
	const char *manifest; /**< canonical JSON; NULL: self-describing */
	const struct wtrace_event_desc *events;
	const struct wtrace_keyword *keywords; /**< of a self-describing provider; NULL when it has none */
	uint32_t manifest_len;                 /**< bytes, without a terminating zero */
	uint32_t n_events;
	uint32_t n_keywords;
	uint32_t abi;     /**< WTRACE_ABI */
	void *impl;       /**< the library's */
	uint8_t never[8]; /**< zeros: unregistered self-describing events read them */
	uint64_t reserved[4];
};

/** `static struct wtrace_provider my_app = WTRACE_PROVIDER_INIT(my_app, "my-app");` for a provider whose
 * events are wtrace_event expressions. */
#define WTRACE_PROVIDER_INIT(variable, name) WTRACE_KEYWORDS_PROVIDER_INIT(variable, name, NULL, 0)
/** As WTRACE_PROVIDER_INIT, with names for the keywords: an array of n struct wtrace_keyword. */
#define WTRACE_KEYWORDS_PROVIDER_INIT(variable, name, keywords, n) \
	WTRACE_INIT_((variable).never, name, NULL, 0, NULL, 0, keywords, n)
/** For generated headers: zeros is an array of n_events zero bytes, text is the canonical manifest of
 * text_len bytes, and events are its n_events events in the manifest's order. */
#define WTRACE_MANIFEST_PROVIDER_INIT(zeros, name, text, text_len, events, n_events) \
	WTRACE_INIT_(zeros, name, text, text_len, events, n_events, NULL, 0)

/** Makes the provider visible to sessions. A session that already wants it gets its events from the next
 * instruction on. Call it once per provider object; several objects may have one name. The events of a
 * self-describing provider are those of the program or shared library that contains the call. Returns 0, or
 * -1: wtrace_why() gives the reason, and nothing else changes. The call may allocate memory and takes a lock
 * of the library. */
static inline int wtrace_register(struct wtrace_provider *provider);

/** Hides the provider from sessions: nobody gets its events any more. No other thread may be writing one of
 * its events. A shared library with a provider must call this before it is unloaded (from a destructor). It
 * has no effect on a provider that is not registered. */
void wtrace_unregister(struct wtrace_provider *provider);

/** The reason why the provider is not registered: one line of text, valid until the next call for this
 * provider. NULL when it is registered. */
const char *wtrace_why(const struct wtrace_provider *provider);

/** The things that a program can forbid itself. */
enum wtrace_forbidden {
	WTRACE_NO_CALLS = 1, /**< system calls: a seccomp filter, or strict mode */
	WTRACE_NO_CLOCK = 2, /**< the CPU's counter: PR_SET_TSC, or strict mode, which forbids it, too */
};

/** Announces to the library what the program will forbid itself. Call it before the filter is installed. Name
 * everything that will be forbidden: strict mode forbids both. There is no way back, and children of fork
 * inherit it.
 *
 * With NO_CALLS the library makes no system call from then on. During this call it still prepares the memory
 * that the first events need, for the sessions that want the provider now. An event that needs more is
 * counted as lost. wtrace_register and new state records fail. wtrace_unregister keeps its memory.
 * wtrace_dispatch and the helper thread still make calls. So do events and wtrace_now on a machine whose
 * clock is not the CPU's counter: name NO_CLOCK as well there.
 *
 * With NO_CLOCK events read no clock, and every event is counted as lost. Ids are made without a clock.
 * wtrace_now still reads the clock.
 *
 * No other thread may be writing an event when NO_CLOCK is named, or when the filter is for all threads.
 * Without this call a session finds a new filter within 40 ms in a process's first two seconds, and within a
 * second later. Once events are written, nobody detects that the counter was forbidden. Do not call it in
 * signal handlers. */
void wtrace_forbid(uint32_t what);

/** 1 when a session wants the event, which is given by its index in the manifest; else 0. Costs two loads and
 * one branch, and never makes a call. */
static inline int wtrace_enabled(const struct wtrace_provider *provider, uint32_t event)
{
	const volatile uint8_t *bytes = __atomic_load_n(&provider->enabled, __ATOMIC_RELAXED);

	return (int)__builtin_expect(bytes[event] != 0, 0);
}

/** The sessions (one bit each) that want at least one event of the provider. Looks at all its events. */
uint32_t wtrace_sessions(const struct wtrace_provider *provider);

/** 128 bits that connect events over threads and processes. */
struct wtrace_id {
	uint8_t bytes[16];
};

/** Makes a new id, which is unique on this machine. After wtrace_forbid the library makes it without system
 * calls or the clock, as they were named there. */
void wtrace_id_new(struct wtrace_id *ret);
/** Sets the calling thread's activity: every event it writes from now on carries the id. NULL: none. */
void wtrace_activity_set(const struct wtrace_id *id);
/** Returns 1 and *ret, or 0 when the thread has no activity. */
int wtrace_activity_get(struct wtrace_id *ret);

/** One piece of a payload. Pieces are copied one behind the other. */
struct wtrace_piece {
	const void *p;
	uint32_t len; /**< bytes */
};

/** The result of writing an event. */
enum wtrace_result {
	WTRACE_WRITTEN = 0, /**< every session that wants it has it; or none wants it */
	WTRACE_LOST = 1     /**< a session could not take it (buffer full, larger than 64 KB); the loss is
			       counted */
};

/** Writes one event to every session that wants it, with the thread's activity. payload has the manifest's
 * fields in order (little-endian, no padding). The call itself checks which sessions want the event. */
int wtrace_emit(const struct wtrace_provider *provider, uint32_t event, const void *payload, uint32_t len);
/** As wtrace_emit, for a payload in n pieces; at most WTRACE_PIECES_MAX. */
int wtrace_emit_pieces(const struct wtrace_provider *provider, uint32_t event,
		       const struct wtrace_piece *pieces, uint32_t n);
/** As wtrace_emit_pieces, with ids: activity NULL is the thread's, related may be NULL. */
int wtrace_emit_ids(const struct wtrace_provider *provider, uint32_t event, const struct wtrace_id *activity,
		    const struct wtrace_id *related, const struct wtrace_piece *pieces, uint32_t n);
/** Enough for 128 fields of counted types. */
#define WTRACE_PIECES_MAX 257

/** Sets state: the newest record for each event and key. A session copies it when it starts, on demand and
 * when it stops, so that the log has the state from before the session. The event is one of the provider's;
 * it need not be enabled. Returns 0, or -1: not registered, or no room. Do not call it in signal handlers. */
int wtrace_state_set(const struct wtrace_provider *provider, uint32_t event, uint64_t key,
		     const void *payload, uint32_t len);
/** As wtrace_state_set, for a payload in n pieces. */
int wtrace_state_set_pieces(const struct wtrace_provider *provider, uint32_t event, uint64_t key,
			    const struct wtrace_piece *pieces, uint32_t n);
int wtrace_state_clear(const struct wtrace_provider *provider, uint32_t event, uint64_t key);

/** The changes that a callback reports. */
enum wtrace_change {
	WTRACE_CHANGE_ENABLED = 1,  /**< the first session wants the provider */
	WTRACE_CHANGE_DISABLED = 2, /**< no session wants it any more */
	WTRACE_CHANGE_UPDATED = 3,  /**< the sessions, or the events they want, have changed */
	WTRACE_CHANGE_CAPTURE_STATE =
		4 /**< a session is new: write the state that it needs, as events or state */
};
typedef void wtrace_callback(struct wtrace_provider *provider, enum wtrace_change change, void *context);

/** Sets the provider's callback (NULL: none). It runs only inside wtrace_dispatch, or in the helper thread
 * when there is one. Its first run reports the state at that time. The provider must be registered. */
void wtrace_on_change(struct wtrace_provider *provider, wtrace_callback *callback, void *context);
/** Runs the callbacks that are due, in this thread, and returns their number. For a program's own loop.
 * Callbacks may call everything here except wtrace_register, wtrace_unregister and wtrace_dispatch. */
int wtrace_dispatch(void);
/** Starts a thread that sleeps until a session changes what it wants, and then calls wtrace_dispatch. All
 * signals are blocked in this thread. Returns 0 (also when the thread runs already), or -1 with errno.
 * wtrace_helper_stop waits for the end of the thread, so callbacks must not call it. One thread at a time may
 * call these two. A child made by fork has no helper. */
int wtrace_helper_start(void);
void wtrace_helper_stop(void);

/** The time on the clock of sessions: CLOCK_MONOTONIC_RAW, ns. It reads the clock in any case, also after
 * wtrace_forbid. */
uint64_t wtrace_now(void);
/** The version of the loaded library, for example "0.1.0". It may be newer than this header. */
const char *wtrace_version(void);

/* ---- Self-describing events ---- */

/**
 * wtrace_event(provider, name, level, keywords, fields...): describes an event and writes it, in one
 * expression of type void. provider is the address of a provider object, name is a string literal, level and
 * keywords are constants. There are at most 32 fields, each of them one of the field macros below. Their
 * values are evaluated once, in order, and only when a session wants the event. One event may stand in
 * several places.
 */
#define wtrace_event(provider, ...) \
	WTRACE_EVENT_(WTRACE_COUNT_(__VA_ARGS__), provider, NULL, NULL, WTRACE_OP_INFO, __VA_ARGS__, ~)
/** These begin and end a region: their opcodes are start and stop. */
#define wtrace_event_start(provider, ...) \
	WTRACE_EVENT_(WTRACE_COUNT_(__VA_ARGS__), provider, NULL, NULL, WTRACE_OP_START, __VA_ARGS__, ~)
#define wtrace_event_stop(provider, ...) \
	WTRACE_EVENT_(WTRACE_COUNT_(__VA_ARGS__), provider, NULL, NULL, WTRACE_OP_STOP, __VA_ARGS__, ~)
/** With explicit ids (const struct wtrace_id *): activity NULL is the thread's, related may be NULL. */
#define wtrace_event_ids(provider, activity, related, ...) \
	WTRACE_EVENT_(WTRACE_COUNT_(__VA_ARGS__), provider, activity, related, WTRACE_OP_INFO, __VA_ARGS__, ~)

/** wtrace_state(provider, key, name, level, keywords, fields...): describes an event and publishes it as
 * state (wtrace_state_set). An expression of type int. Its values are always evaluated. */
#define wtrace_state(provider, key, ...) \
	WTRACE_STATE_(WTRACE_COUNT_(__VA_ARGS__), provider, key, WTRACE_OP_INFO, __VA_ARGS__, ~)

/* Fields: a name (string literal) and a value. */
#define wtrace_u8(name, v)   (U8, 0, 1, name, wtrace_put_u8(WTRACE_PK_, (v)))
#define wtrace_u16(name, v)  (U16, 0, 1, name, wtrace_put_u16(WTRACE_PK_, (v)))
#define wtrace_u32(name, v)  (U32, 0, 1, name, wtrace_put_u32(WTRACE_PK_, (v)))
#define wtrace_u64(name, v)  (U64, 0, 1, name, wtrace_put_u64(WTRACE_PK_, (v)))
#define wtrace_i8(name, v)   (I8, 0, 1, name, wtrace_put_i8(WTRACE_PK_, (v)))
#define wtrace_i16(name, v)  (I16, 0, 1, name, wtrace_put_i16(WTRACE_PK_, (v)))
#define wtrace_i32(name, v)  (I32, 0, 1, name, wtrace_put_i32(WTRACE_PK_, (v)))
#define wtrace_i64(name, v)  (I64, 0, 1, name, wtrace_put_i64(WTRACE_PK_, (v)))
#define wtrace_f32(name, v)  (F32, 0, 1, name, wtrace_put_f32(WTRACE_PK_, (v)))
#define wtrace_f64(name, v)  (F64, 0, 1, name, wtrace_put_f64(WTRACE_PK_, (v)))
#define wtrace_bool(name, v) (BOOL, 0, 1, name, wtrace_put_bool(WTRACE_PK_, (v)))
/** An address; shown in hexadecimal. */
#define wtrace_pointer(name, v) (POINTER, 0, 1, name, wtrace_put_pointer(WTRACE_PK_, (v)))
/** ns on the session clock, as wtrace_now gives it. */
#define wtrace_time(name, v) (TIME, 0, 1, name, wtrace_put_time(WTRACE_PK_, (v)))
/** Unsigned, shown in hexadecimal. */
#define wtrace_x32(name, v) (U32, 1, 1, name, wtrace_put_u32(WTRACE_PK_, (v)))
#define wtrace_x64(name, v) (U64, 1, 1, name, wtrace_put_u64(WTRACE_PK_, (v)))
/** A zero-terminated string; NULL is "". Strings and binaries are cut at 65,535 bytes. */
#define wtrace_str(name, s) (STRING, 0, 1, name, wtrace_put_str(WTRACE_PK_, (s)))
/** A string of n bytes. */
#define wtrace_strn(name, s, n)   (STRING, 0, 1, name, wtrace_put_counted(WTRACE_PK_, (s), (n)))
#define wtrace_binary(name, p, n) (BINARY, 0, 1, name, wtrace_put_counted(WTRACE_PK_, (p), (n)))
/** Pointers to 16, 4 and 16 bytes: a UUID in the order it prints, struct in_addr, struct in6_addr. */
#define wtrace_uuid(name, p) (UUID, 0, 1, name, wtrace_put_uuid(WTRACE_PK_, (p)))
#define wtrace_ipv4(name, p) (IPV4, 0, 1, name, wtrace_put_ipv4(WTRACE_PK_, (p)))
#define wtrace_ipv6(name, p) (IPV6, 0, 1, name, wtrace_put_ipv6(WTRACE_PK_, (p)))
/** A struct sockaddr_* of n bytes. */
#define wtrace_sockaddr(name, p, n) (SOCKADDR, 0, 1, name, wtrace_put_counted(WTRACE_PK_, (p), (n)))
/** An array of n elements. type is the name of an integer or floating type in capitals: U8 ... I64, F32, F64.
 * p points to elements of that type. */
#define wtrace_array(name, type, p, n) \
	(type, 0, 0, name, wtrace_put_array(WTRACE_PK_, (p), (n), (uint32_t)sizeof(*(p))))

/* ---- Packing: for generated headers, and for programs that pack by hand ---- */

/** A payload being packed: fixed parts are in a buffer, counted parts are pieces that point to the caller's
 * bytes. */
struct wtrace_pack {
	uint8_t *open;               /**< first fixed byte that is in no piece yet */
	uint8_t *end;                /**< behind the last fixed byte */
	struct wtrace_piece *first;  /**< the caller's array */
	struct wtrace_piece *pieces; /**< the next free one */
};

/** Bytes of the fixed buffer for n fields, and pieces for n counted fields or arrays. Arrays of fixed size
 * are not included: each needs element size x count bytes. */
#define WTRACE_FIXED_BYTES(n) (16 * (n) + 2)
#define WTRACE_PIECES(n)      (2 * (n) + 1)

static inline struct wtrace_pack wtrace_pack_begin(uint8_t *fixed, struct wtrace_piece *pieces)
{
	struct wtrace_pack pack;

	pack.open = fixed;
	pack.end = fixed;
	pack.first = pieces;
	pack.pieces = pieces;
	return pack;
}

/** Packs n bytes unchanged. */
static inline void wtrace_put_fixed(struct wtrace_pack *pack, const void *p, size_t n)
{
	memcpy(pack->end, p, n);
	pack->end += n;
}

static inline void wtrace_close_(struct wtrace_pack *pack)
{
	pack->pieces->p = pack->open;
	pack->pieces->len = (uint32_t)(pack->end - pack->open);
	pack->pieces++;
	pack->open = pack->end;
}

/** Adds len bytes unchanged, as a piece of their own: for data that is too large to be copied twice. */
static inline void wtrace_put_piece(struct wtrace_pack *pack, const void *p, uint32_t len)
{
	wtrace_close_(pack);
	pack->pieces->p = p;
	pack->pieces->len = len;
	pack->pieces++;
}

/** A u16 count, then count elements of width bytes. */
static inline void wtrace_put_array(struct wtrace_pack *pack, const void *p, size_t n, uint32_t width)
{
	uint16_t count = n > UINT16_MAX ? (uint16_t)UINT16_MAX : (uint16_t)n;

	wtrace_put_fixed(pack, &count, sizeof(count));
	wtrace_put_piece(pack, p, count * width);
}

/** String, binary, sockaddr: a u16 length, then the bytes. */
static inline void wtrace_put_counted(struct wtrace_pack *pack, const void *p, size_t n)
{
	wtrace_put_array(pack, p, n, 1);
}

static inline void wtrace_put_str(struct wtrace_pack *pack, const char *s)
{
	wtrace_put_counted(pack, s, s ? strlen(s) : 0);
}

static inline void wtrace_put_bool(struct wtrace_pack *pack, int v)
{
	uint8_t byte = v != 0;

	wtrace_put_fixed(pack, &byte, sizeof(byte));
}

static inline void wtrace_put_pointer(struct wtrace_pack *pack, const volatile void *v)
{
	uint64_t address = (uint64_t)(uintptr_t)v;

	wtrace_put_fixed(pack, &address, sizeof(address));
}

#define WTRACE_PUT_(name, type)                                                \
	static inline void wtrace_put_##name(struct wtrace_pack *pack, type v) \
	{                                                                      \
		wtrace_put_fixed(pack, &v, sizeof(v));                         \
	}
WTRACE_PUT_(u8, uint8_t)
WTRACE_PUT_(u16, uint16_t)
WTRACE_PUT_(u32, uint32_t)
WTRACE_PUT_(u64, uint64_t)
WTRACE_PUT_(i8, int8_t)
WTRACE_PUT_(i16, int16_t)
WTRACE_PUT_(i32, int32_t)
WTRACE_PUT_(i64, int64_t)
WTRACE_PUT_(f32, float)
WTRACE_PUT_(f64, double)
WTRACE_PUT_(time, uint64_t)
#undef WTRACE_PUT_

static inline void wtrace_put_uuid(struct wtrace_pack *pack, const void *p)
{
	wtrace_put_fixed(pack, p, 16);
}

static inline void wtrace_put_ipv4(struct wtrace_pack *pack, const void *p)
{
	wtrace_put_fixed(pack, p, 4);
}

static inline void wtrace_put_ipv6(struct wtrace_pack *pack, const void *p)
{
	wtrace_put_fixed(pack, p, 16);
}

/** Writes the packed event. activity NULL: the thread's; related NULL: none. It is inline even
 * without optimisation, so that a stack begins in the program. */
static inline __attribute__((always_inline)) int wtrace_pack_emit(struct wtrace_pack *pack,
								  const struct wtrace_provider *provider,
								  uint32_t event,
								  const struct wtrace_id *activity,
								  const struct wtrace_id *related)
{
	uint32_t len = (uint32_t)(pack->end - pack->open);

	if (pack->pieces == pack->first && !activity && !related)
		return wtrace_emit(provider, event, len ? pack->open : NULL, len);
	if (len)
		wtrace_close_(pack);
	if (!activity && !related)
		return wtrace_emit_pieces(provider, event, pack->first,
					  (uint32_t)(pack->pieces - pack->first));
	return wtrace_emit_ids(provider, event, activity, related, pack->first,
			       (uint32_t)(pack->pieces - pack->first));
}

/** Publishes the packed record as state. */
static inline int wtrace_pack_state(struct wtrace_pack *pack, const struct wtrace_provider *provider,
				    uint32_t event, uint64_t key)
{
	if (pack->end != pack->open)
		wtrace_close_(pack);
	return wtrace_state_set_pieces(provider, event, key, pack->first,
				       (uint32_t)(pack->pieces - pack->first));
}

/* ---- Inside ---- */

#define WTRACE_INIT_(zeros, name, text, text_len, events, n_events, keywords, n_keywords)               \
	{                                                                                               \
		zeros, zeros, name, text, events, keywords, text_len, n_events, n_keywords, WTRACE_ABI, \
			NULL, {0, 0, 0, 0, 0, 0, 0, 0},                                                 \
		{                                                                                       \
			0, 0, 0, 0                                                                      \
		}                                                                                       \
	}

struct wtrace_field {
	const char *name;
	uint8_t type;  /**< enum wtrace_type */
	uint8_t radix; /**< 1: shown in hexadecimal */
	uint8_t count; /**< 1: a scalar, 0: a variable array */
	uint8_t reserved[5];
};

/** A self-describing event in one place of the program. Its fields stand behind it. */
struct wtrace_site {
	const volatile uint8_t *enabled; /**< the event's byte; the provider's `never` while unregistered */
	struct wtrace_provider *provider;
	const char *name;
	uint64_t keywords;
	uint32_t event; /**< index, given by wtrace_register */
	uint16_t n_fields;
	uint8_t level, opcode;
	uint64_t reserved[2];
};

/* The linker gathers the addresses of all sites of a program or shared library between these two. */
extern struct wtrace_site *const __start_wtrace_sites[] __attribute__((weak, visibility("hidden")));
extern struct wtrace_site *const __stop_wtrace_sites[] __attribute__((weak, visibility("hidden")));

int wtrace_register_sites_(struct wtrace_provider *provider, struct wtrace_site *const *sites,
			   struct wtrace_site *const *end);

static inline int wtrace_register(struct wtrace_provider *provider)
{
	return wtrace_register_sites_(provider, __start_wtrace_sites, __stop_wtrace_sites);
}

static inline int wtrace_site_enabled_(const struct wtrace_site *site)
{
	const volatile uint8_t *byte = __atomic_load_n(&site->enabled, __ATOMIC_RELAXED);

	return (int)__builtin_expect(*byte != 0, 0);
}

static inline __attribute__((always_inline)) void wtrace_site_emit_(const struct wtrace_site *site,
								    struct wtrace_pack *pack,
								    const struct wtrace_id *activity,
								    const struct wtrace_id *related)
{
	wtrace_pack_emit(pack, site->provider, site->event, activity, related);
}

static inline int wtrace_site_state_(const struct wtrace_site *site, struct wtrace_pack *pack, uint64_t key)
{
	return wtrace_pack_state(pack, site->provider, site->event, key);
}

#pragma GCC visibility pop
#ifdef __cplusplus
} /* extern "C" */
#endif

/* The assembler makes a list entry, not a section attribute: gcc refuses the attribute when inline and other
 * functions of a file have events, and drops it in templates. "?": in the function's own group, if any. */
#if defined(__aarch64__)
#define WTRACE_LIST_(site)                                                                                \
	__asm__(".pushsection wtrace_sites,\"aw?\",%%progbits\n\t.balign 8\n\t.quad %0\n\t.popsection" :: \
			"S"(&(site)))
#else
#define WTRACE_LIST_(site)                                                                                 \
	__asm__(".pushsection wtrace_sites,\"aw?\",%%progbits\n\t.balign 8\n\t.quad %c0\n\t.popsection" :: \
			"i"(&(site)))
#endif

#define WTRACE_SITE_INIT_(n, provider, name, level, keywords, opcode)             \
	{                                                                         \
		(provider)->never, provider, name, keywords, 0, n, level, opcode, \
		{                                                                 \
			0, 0                                                      \
		}                                                                 \
	}

#ifdef __cplusplus
/* The site of an event in a template or an inline function must be one object, and hidden, so that its
 * address needs no table: a static member of a hidden template over a type that each place makes anew. */
template <unsigned N> struct wtrace_site_of_ {
	struct wtrace_site site;
	struct wtrace_field fields[N + 1];
};
template <class Place> struct __attribute__((visibility("hidden"))) wtrace_place_ {
	static decltype(Place::make()) it;
};
template <class Place> decltype(Place::make()) wtrace_place_<Place>::it = Place::make();

#define WTRACE_SITE_(n, provider, name, level, keywords, opcode, ...)                              \
	struct wtrace_here_ {                                                                      \
		static constexpr wtrace_site_of_<n> make()                                         \
		{                                                                                  \
			return wtrace_site_of_<n>{                                                 \
				WTRACE_SITE_INIT_(n, provider, name, level, keywords, opcode),     \
				{WTRACE_EACH_##n(WTRACE_DESC_, __VA_ARGS__){NULL, 0, 0, 0, {0}}}}; \
		}                                                                                  \
	}
#define WTRACE_THE_SITE_ wtrace_place_<wtrace_here_>::it.site
#else
#define WTRACE_SITE_(n, provider, name, level, keywords, opcode, ...)                    \
	static struct {                                                                  \
		struct wtrace_site site;                                                 \
		struct wtrace_field fields[(n) + 1];                                     \
	} wtrace_site_ = {WTRACE_SITE_INIT_(n, provider, name, level, keywords, opcode), \
			  {WTRACE_EACH_##n(WTRACE_DESC_, __VA_ARGS__){NULL, 0, 0, 0, {0}}}}
#define WTRACE_THE_SITE_ wtrace_site_.site
#endif

#define WTRACE_PK_                                   &wtrace_pk_
#define WTRACE_DESC_(type, radix, count, name, put)  {name, WTRACE_TYPE_##type, radix, count, {0}},
#define WTRACE_VALUE_(type, radix, count, name, put) put,

#define WTRACE_PACK_(n)                                       \
	uint8_t wtrace_fixed_[WTRACE_FIXED_BYTES(n)];         \
	struct wtrace_piece wtrace_pieces_[WTRACE_PIECES(n)]; \
	struct wtrace_pack wtrace_pk_ = wtrace_pack_begin(wtrace_fixed_, wtrace_pieces_)

/* All values and the call are one full expression, so C++ temporaries live until the event is written. */
#define WTRACE_EVENT_(n, ...) WTRACE_EVENT_N_(n, __VA_ARGS__)
#define WTRACE_EVENT_N_(n, provider, activity, related, opcode, name, level, keywords, ...)             \
	__extension__({                                                                                 \
		WTRACE_SITE_(n, provider, name, level, keywords, opcode, __VA_ARGS__);                  \
		WTRACE_LIST_(WTRACE_THE_SITE_);                                                         \
		if (wtrace_site_enabled_(&WTRACE_THE_SITE_)) {                                          \
			WTRACE_PACK_(n);                                                                \
			(WTRACE_EACH_##n(WTRACE_VALUE_, __VA_ARGS__)                                    \
				 wtrace_site_emit_(&WTRACE_THE_SITE_, &wtrace_pk_, activity, related)); \
		}                                                                                       \
	})
#define WTRACE_STATE_(n, ...) WTRACE_STATE_N_(n, __VA_ARGS__)
#define WTRACE_STATE_N_(n, provider, key, opcode, name, level, keywords, ...)          \
	__extension__({                                                                \
		WTRACE_SITE_(n, provider, name, level, keywords, opcode, __VA_ARGS__); \
		WTRACE_PACK_(n);                                                       \
		WTRACE_LIST_(WTRACE_THE_SITE_);                                        \
		(WTRACE_EACH_##n(WTRACE_VALUE_, __VA_ARGS__)                           \
			 wtrace_site_state_(&WTRACE_THE_SITE_, &wtrace_pk_, key));     \
	})

/* The number of fields behind name, level and keywords. */
#define WTRACE_COUNT_(...)                                                                                   \
	WTRACE_COUNT_N_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, \
			14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~, ~, ~)
#define WTRACE_COUNT_N_(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, \
			_19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, n,   \
			...)                                                                                 \
	n
/* Applies m to each field. The last argument is always there and never used. */
#define WTRACE_EACH_0(m, ...)
#define WTRACE_EACH_1(m, f, ...)  m f
#define WTRACE_EACH_2(m, f, ...)  m f WTRACE_EACH_1(m, __VA_ARGS__)
#define WTRACE_EACH_3(m, f, ...)  m f WTRACE_EACH_2(m, __VA_ARGS__)
#define WTRACE_EACH_4(m, f, ...)  m f WTRACE_EACH_3(m, __VA_ARGS__)
#define WTRACE_EACH_5(m, f, ...)  m f WTRACE_EACH_4(m, __VA_ARGS__)
#define WTRACE_EACH_6(m, f, ...)  m f WTRACE_EACH_5(m, __VA_ARGS__)
#define WTRACE_EACH_7(m, f, ...)  m f WTRACE_EACH_6(m, __VA_ARGS__)
#define WTRACE_EACH_8(m, f, ...)  m f WTRACE_EACH_7(m, __VA_ARGS__)
#define WTRACE_EACH_9(m, f, ...)  m f WTRACE_EACH_8(m, __VA_ARGS__)
#define WTRACE_EACH_10(m, f, ...) m f WTRACE_EACH_9(m, __VA_ARGS__)
#define WTRACE_EACH_11(m, f, ...) m f WTRACE_EACH_10(m, __VA_ARGS__)
#define WTRACE_EACH_12(m, f, ...) m f WTRACE_EACH_11(m, __VA_ARGS__)
#define WTRACE_EACH_13(m, f, ...) m f WTRACE_EACH_12(m, __VA_ARGS__)
#define WTRACE_EACH_14(m, f, ...) m f WTRACE_EACH_13(m, __VA_ARGS__)
#define WTRACE_EACH_15(m, f, ...) m f WTRACE_EACH_14(m, __VA_ARGS__)
#define WTRACE_EACH_16(m, f, ...) m f WTRACE_EACH_15(m, __VA_ARGS__)
#define WTRACE_EACH_17(m, f, ...) m f WTRACE_EACH_16(m, __VA_ARGS__)
#define WTRACE_EACH_18(m, f, ...) m f WTRACE_EACH_17(m, __VA_ARGS__)
#define WTRACE_EACH_19(m, f, ...) m f WTRACE_EACH_18(m, __VA_ARGS__)
#define WTRACE_EACH_20(m, f, ...) m f WTRACE_EACH_19(m, __VA_ARGS__)
#define WTRACE_EACH_21(m, f, ...) m f WTRACE_EACH_20(m, __VA_ARGS__)
#define WTRACE_EACH_22(m, f, ...) m f WTRACE_EACH_21(m, __VA_ARGS__)
#define WTRACE_EACH_23(m, f, ...) m f WTRACE_EACH_22(m, __VA_ARGS__)
#define WTRACE_EACH_24(m, f, ...) m f WTRACE_EACH_23(m, __VA_ARGS__)
#define WTRACE_EACH_25(m, f, ...) m f WTRACE_EACH_24(m, __VA_ARGS__)
#define WTRACE_EACH_26(m, f, ...) m f WTRACE_EACH_25(m, __VA_ARGS__)
#define WTRACE_EACH_27(m, f, ...) m f WTRACE_EACH_26(m, __VA_ARGS__)
#define WTRACE_EACH_28(m, f, ...) m f WTRACE_EACH_27(m, __VA_ARGS__)
#define WTRACE_EACH_29(m, f, ...) m f WTRACE_EACH_28(m, __VA_ARGS__)
#define WTRACE_EACH_30(m, f, ...) m f WTRACE_EACH_29(m, __VA_ARGS__)
#define WTRACE_EACH_31(m, f, ...) m f WTRACE_EACH_30(m, __VA_ARGS__)
#define WTRACE_EACH_32(m, f, ...) m f WTRACE_EACH_31(m, __VA_ARGS__)

#endif
