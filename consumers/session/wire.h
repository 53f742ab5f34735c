/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The control protocol between a command and a session's worker: one SOCK_SEQPACKET message each way.
 *
 * A message is {u32 magic, u16 version, u16 type, body}. The worker answers a request with the same type and
 * the body below, or with WT_MSG_ERROR {u32 code, string}. Strings are u16 counted. Both sides read through a
 * cursor and treat the other as hostile; only the same uid (or root) is answered. A message is at most
 * WT_WIRE_MAX bytes.
 */
#ifndef CONSUMERS_SESSION_WIRE_H
#define CONSUMERS_SESSION_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/err.h"
#include "tracecore/event.h"

#define WT_WIRE_MAX (128 * 1024)

enum wt_msg_type {
	WT_MSG_ERROR = 1,
	WT_MSG_STATUS = 2, /**< request: empty; answer: struct wt_status */
	WT_MSG_STOP = 3,   /**< request: string, where the log will be put (may be empty); answer when the log
			      is complete: struct wt_status; then the session ends */
	WT_MSG_MARK = 4,   /**< request: string; answer: empty */
	WT_MSG_ENABLE = 5, /**< request: u16 n, n rules of programs' providers (program_rule.h); answer:
			      empty. Each rule replaces the old one of its provider */
	WT_MSG_DISABLE = 6,   /**< request: string, a provider's name; answer: empty */
	WT_MSG_UNWRITTEN = 7, /**< request: u64 device, u64 inode, u64 session clock: has the session watched
			       * that file, and did nobody who could write to it let it go since then?
			       * answer: empty; an error: no */
};

/** Counts of one kind of event on one CPU, or of one cause of loss. */
struct wt_status_row {
	char provider[64], event[64];
	uint32_t cpu;  /**< WT_CPU_NONE: all */
	uint8_t cause; /**< loss rows: enum wt_loss_cause; 0 in event rows */
	uint64_t count;
	uint64_t blind_ns; /**< loss rows: sum of the blind spans */
};

/** User stacks walked by unwind tables. */
struct wt_status_stacks {
	uint64_t by_status[WT_STACK_LAST + 1]; /**< stacks, by enum wt_stack_status */
	uint64_t tables, built, failed;        /**< unwind tables: in use, made, not available */
	uint64_t waited_ns;                    /**< time events waited for tables */
	uint64_t given_up; /**< stacks walked without waiting for a table that was being made */
};

/** A session's report about itself. Arrays are malloc'd by the decoder and freed by wt_status_deinit. */
struct wt_status {
	char session[80];
	char output[4096]; /**< where stop will put the log; empty when not given */
	char spool[4096];  /**< path of the growing log; after stop: path of the complete file */
	uint32_t worker_pid, keeper_pid;
	uint64_t started_realtime; /**< ns since 1970 */
	uint64_t elapsed;          /**< ns */
	uint64_t armed_after;      /**< ns from the start of the command to all providers armed */
	uint64_t events, bytes, lost, blind_ns, late, segments, takeovers;
	uint64_t processes, threads, images;
	uint64_t ring_bytes, cpu_time,
		memory; /**< bytes; ns of the worker; RssAnon + RssShmem bytes of the worker */
	uint64_t first_time, last_time; /**< session clock of the events written */
	uint64_t event_rate, byte_rate; /**< per second, over the last seconds: events, bytes of log */
	uint64_t user_rings, user_lanes,
		user_providers; /**< programs' rings, and providers that have registered */
	uint64_t user_used, user_in_force, user_cap; /**< bytes of those rings */
	uint64_t fullest;                            /**< most that one ring holds, thousandths of its cap */
	uint64_t held_ns; /**< longest pause of the worker that they bear at the present rate; 0: not known */
	uint64_t advice;  /**< a --buffer-size that would suffice; 0: the present one does */
	struct wt_status_stacks stacks;
	char absent[1024]; /**< providers of rules that no program has registered, separated by commas */
	uint8_t force;     /**< the output may replace any file */
	uint8_t exact;     /**< every period-1 event: produced == written + lost */
	char **lines;      /**< settings in force: events, notes ("warning: ..." for warnings) */
	uint32_t n_lines;
	struct wt_status_row *rows;
	uint32_t n_rows;
};

void wt_status_encode(const struct wt_status *status, struct wt_buf *out);
int wt_status_decode(struct wt_cursor *cur, struct wt_status *ret, struct wt_err *err);
void wt_status_deinit(struct wt_status *status);
/** True when events were lost or there are blind spans. */
bool wt_status_lossy(const struct wt_status *status);
/** Removes lines from a status that an earlier one contained. */
void wt_status_forget(struct wt_status *status, const struct wt_status *earlier);

/** Starts a message in out (cleared); the body follows with wt_buf_put_*. */
void wt_wire_begin(struct wt_buf *out, enum wt_msg_type type);
/** Sends it whole. */
int wt_wire_send(int fd, const struct wt_buf *message, struct wt_err *err);
/** Sends a message of that type without a body, or the reason why a request is refused. A peer that has
 * closed the connection is no error. */
int wt_wire_send_empty(int fd, enum wt_msg_type type, struct wt_err *err);
void wt_wire_send_error(int fd, const struct wt_err *why);
/** Receives one message into buffer (WT_WIRE_MAX bytes), waiting at most timeout_ms (-1: forever). *body is
 * the part after the header. Returns 0; 1: the peer closed; -1. A WT_MSG_ERROR becomes *err and -1. */
int wt_wire_receive(int fd, int timeout_ms, uint8_t *buffer, enum wt_msg_type *type, struct wt_cursor *body,
		    struct wt_err *err);
/** Makes two connected sockets for messages between processes of one session. */
int wt_wire_pair(int ret[2], struct wt_err *err);
/** True when the peer of the socket may command this session: same uid, or root. */
bool wt_wire_peer_allowed(int fd);
/** The peer's uid, or UINT32_MAX. */
uid_t wt_wire_peer_uid(int fd);

/** Reads a counted string into ret (cut to size - 1, zero-ended). */
void wt_wire_string(struct wt_cursor *cur, char *ret, size_t size);

#endif
