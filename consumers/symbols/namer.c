/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/namer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/proc.h"
#include "tracecore/base/stray.h"

/* CHUNK: of an answer, bytes. ROW_LEAST: of one row. */
enum { CHUNK = 64 << 10, ANSWER_MOST = 64 << 20, ROW_LEAST = 25, LOOK_MS = 50 };

struct question {
	uint32_t at, n;
	uint64_t offsets[WT_NAMER_MOST];
};

/* ---- the child ---- */

static void put_text(struct wt_buf *out, struct wt_str text)
{
	wt_buf_put_u32(out, text.len);
	wt_buf_put(out, text.p, text.len);
}

static void put_row(struct wt_buf *out, const struct wt_log_symbol *row)
{
	wt_buf_put_u8(out, row->reason);
	wt_buf_put_u32(out, row->line);
	wt_buf_put_u32(out, row->symbol_offset);
	put_text(out, row->name);
	put_text(out, row->raw_name);
	put_text(out, row->file);
	put_text(out, row->inlined);
}

static bool send_all(const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		ssize_t n = send(STDIN_FILENO, from, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		from += n;
		len -= (size_t)n;
	}
	return true;
}

static bool answer(struct wt_symbols *symbols, const struct wt_log_image *images,
		   const struct question *question)
{
	static struct wt_log_symbol rows[WT_NAMER_MOST];
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf out = {0};
	uint32_t len;
	bool sent;

	if (wt_symbols_resolve(symbols, &images[question->at], question->offsets, question->n, rows, &err) <
	    0)
		return false;
	for (uint32_t i = 0; i < question->n; i++)
		put_row(&out, &rows[i]);
	len = (uint32_t)out.len;
	sent = !out.failed && out.len <= ANSWER_MOST && send_all(&len, sizeof(len)) &&
	       send_all(out.data, len);
	wt_buf_deinit(&out);
	return sent;
}

/* All but what resolving needs: the parent's locks are held by whoever has its descriptors, and who reads its
 * output waits for the end of whoever can write there. */
static void leave_parent(int fd, struct wt_symbols *symbols)
{
	int kept[WT_SYMBOLS_FDS], last = STDIN_FILENO;
	size_t n = wt_symbols_fds(symbols, kept);

	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	for (size_t i = 0; i < n; i++) {
		if (kept[i] > last + 1)
			close_range((unsigned)last + 1, (unsigned)kept[i] - 1, 0);
		last = kept[i] > last ? kept[i] : last;
	}
	close_range((unsigned)last + 1, ~0u, 0);
}

static void live(int fd, pid_t parent, struct wt_symbols *symbols, const struct wt_log_image *images)
	__attribute__((noreturn));
static void live(int fd, pid_t parent, struct wt_symbols *symbols, const struct wt_log_image *images)
{
	static struct question question;

	leave_parent(fd, symbols);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "wtrace-namer");
	if (getppid() != parent)
		_exit(1);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGHUP ? SIG_IGN : SIG_DFL);
	wt_diag_level(WT_DIAG_QUIET);
	wt_symbols_go_apart(symbols);
	while (recv(STDIN_FILENO, &question, sizeof(question), MSG_WAITALL) == sizeof(question))
		if (!answer(symbols, images, &question))
			break;
	_exit(0);
}

/* ---- its parent ---- */

static bool begin_child(struct wt_namer *namer, struct wt_symbols *symbols, const struct wt_log_image *images)
{
	pid_t parent = getpid();
	int pair[2];

	if (namer->child)
		return true;
	if (wt_strays() >= WT_STRAYS || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	namer->child = fork();
	if (!namer->child)
		live(pair[1], parent, symbols, images);
	close(pair[1]);
	namer->fd = pair[0];
	if (namer->child > 0)
		return true;
	namer->child = 0;
	close(pair[0]);
	return false;
}

static uint64_t cpu_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * WT_NSEC + (uint64_t)used.tv_nsec;
}

/* The time since which an answer is awaited. */
struct wait {
	uint64_t from, cpu;
};

static bool has_patience(const struct wt_namer *namer, const struct wait *wait)
{
	uint64_t waited = wt_clock_now() - wait->from;

	if (waited < WT_NAMER_PATIENCE)
		return true;
	return waited < WT_NAMER_BUSY && cpu_of(namer->child) - wait->cpu < WT_NAMER_PATIENCE &&
	       wt_proc_is_runnable((uint32_t)namer->child);
}

/* Appends n bytes to the answer. */
static bool receive(struct wt_namer *namer, size_t n, const struct wait *wait)
{
	while (n) {
		struct pollfd there = {.fd = namer->fd, .events = POLLIN};
		uint8_t *room;
		ssize_t got;

		if (poll(&there, 1, LOOK_MS) <= 0) {
			if (!has_patience(namer, wait))
				return false;
			continue;
		}
		room = wt_buf_reserve(&namer->answer, n < CHUNK ? n : CHUNK);
		got = room ? recv(namer->fd, room, n < CHUNK ? n : CHUNK, MSG_DONTWAIT) : 0;
		if (got <= 0 && !(got < 0 && (errno == EINTR || errno == EAGAIN)))
			return false;
		if (got > 0) {
			namer->answer.len += (size_t)got;
			n -= (size_t)got;
		}
	}
	return true;
}

static struct wt_str get_text(struct wt_cursor *cur)
{
	uint32_t len = wt_cur_u32(cur);

	return wt_str_of(wt_cur_bytes(cur, len), len);
}

static bool get_rows(const struct wt_namer *namer, size_t n, struct wt_log_symbol *rows)
{
	struct wt_cursor cur = wt_cursor(namer->answer.data, namer->answer.len);

	if (namer->answer.len < n * ROW_LEAST)
		return false;
	for (size_t i = 0; i < n; i++) {
		rows[i] = (struct wt_log_symbol){.reason = wt_cur_u8(&cur)};
		rows[i].line = wt_cur_u32(&cur);
		rows[i].symbol_offset = wt_cur_u32(&cur);
		rows[i].name = get_text(&cur);
		rows[i].raw_name = get_text(&cur);
		rows[i].file = get_text(&cur);
		rows[i].inlined = get_text(&cur);
	}
	return !cur.bad;
}

static bool await(struct wt_namer *namer)
{
	const struct wait wait = {.from = wt_clock_now(), .cpu = cpu_of(namer->child)};
	uint32_t len;

	wt_buf_clear(&namer->answer);
	if (!receive(namer, sizeof(len), &wait))
		return false;
	memcpy(&len, namer->answer.data, sizeof(len));
	wt_buf_clear(&namer->answer);
	return len <= ANSWER_MOST && receive(namer, len, &wait);
}

bool wt_namer_ask(struct wt_namer *namer, struct wt_symbols *symbols, const struct wt_log_image *images,
		  uint32_t at, const uint64_t *offsets, size_t n, struct wt_log_symbol *rows)
{
	struct question question = {.at = at, .n = (uint32_t)n};

	if (n > WT_NAMER_MOST || !begin_child(namer, symbols, images))
		return false;
	memcpy(question.offsets, offsets, n * sizeof(*offsets));
	if (send(namer->fd, &question, sizeof(question), MSG_NOSIGNAL) == sizeof(question) && await(namer) &&
	    get_rows(namer, n, rows))
		return true;
	memset(rows, 0, n * sizeof(*rows));
	wt_namer_end(namer);
	return false;
}

void wt_namer_end(struct wt_namer *namer)
{
	if (namer->child) {
		close(namer->fd);
		wt_stray_end(namer->child, UINT32_MAX);
	}
	wt_buf_deinit(&namer->answer);
	*namer = (struct wt_namer){0};
}
