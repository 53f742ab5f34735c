/* SPDX-License-Identifier: MIT */
#include "tests/stackwalk/qemu.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PACKET = 16384, GDB_SIGTRAP = 5 };

static int server = -1;
static char packet[PACKET];

/* ---- the remote protocol: $TEXT#SUM, each answered by + ---- */

static void send_packet(const char *text)
{
	char out[256];
	unsigned sum = 0;
	int n;

	for (const char *p = text; *p; p++)
		sum += (unsigned char)*p;
	n = snprintf(out, sizeof(out), "$%s#%02x", text, sum & 255);
	if (write(server, out, (size_t)n) != n)
		target_fail("gdb server");
}

/* The next packet's text; NULL when the server has gone. */
static const char *receive(void)
{
	size_t n = 0, start;

	for (;;) {
		const char *dollar = memchr(packet, '$', n), *hash;
		ssize_t got;

		start = dollar ? (size_t)(dollar - packet) + 1 : n;
		hash = dollar ? memchr(packet + start, '#', n - start) : NULL;
		if (hash && hash + 2 < packet + n) {
			packet[hash - packet] = 0;
			if (write(server, "+", 1) != 1)
				return NULL;
			return packet + start;
		}
		if (n == sizeof(packet))
			target_fail("a long packet");
		got = read(server, packet + n, sizeof(packet) - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return NULL;
		n += (size_t)got;
	}
}

static const char *ask(const char *text)
{
	send_packet(text);
	return receive();
}

static unsigned hex(const char *p, unsigned digits)
{
	char text[9] = "";

	memcpy(text, p, digits);
	return (unsigned)strtoul(text, NULL, 16);
}

/* ---- the program ---- */

static void connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timespec pause = {.tv_nsec = 10000000};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (int i = 0; i < 2000; i++) {
		if (connect(server, (const struct sockaddr *)&address, sizeof(address)) == 0)
			return;
		nanosleep(&pause, NULL);
	}
	target_fail("qemu's gdb server");
}

pid_t qemu_start(const char *root, char **argv)
{
	char path[64];
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/wt_qemu.%d", (int)getpid());
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* it would wait for a debugger for ever */
		execlp("qemu-aarch64-static", "qemu-aarch64-static", "-g", path, "-L", root, argv[0],
		       (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		target_fail("fork");
	connect_to(path);
	unlink(path);
	return pid;
}

void qemu_regs(struct wt_walk_regs *ret)
{
	const char *text = ask("g");

	if (!text || strlen(text) < 33 * 16)
		target_fail("registers");
	*ret = (struct wt_walk_regs){0};
	for (unsigned i = 0; i < 33; i++) {
		uint64_t v = 0;

		for (unsigned byte = 8; byte-- > 0;)
			v = v << 8 | hex(text + i * 16 + byte * 2, 2);
		*(i < 32 ? &ret->r[i] : &ret->pc) = v;
	}
}

/* The next stop or end; answers to what was asked before are passed over. */
static const char *receive_stop(void)
{
	const char *got;

	do
		got = receive();
	while (got && !strchr("TSWX", got[0]));
	return got;
}

void qemu_run_to(uint64_t address)
{
	char text[64];
	const char *got;

	snprintf(text, sizeof(text), "Z0,%llx,4", (unsigned long long)address);
	ask(text);
	send_packet("c");
	got = receive_stop();
	if (!got || got[0] != 'T')
		target_fail("the entry was not reached");
	text[0] = 'z';
	ask(text);
}

int qemu_step(int signal_number, int *code)
{
	char text[32];
	const char *got;

	snprintf(text, sizeof(text), signal_number ? "vCont;S%02x" : "vCont;s", (unsigned)signal_number);
	send_packet(text);
	got = receive_stop();
	if (!got || got[0] == 'W' || got[0] == 'X') {
		*code = got && got[0] == 'W' ? (int)hex(got + 1, 2) : 255;
		return -1;
	}
	signal_number = (int)hex(got + 1, 2);
	return signal_number == GDB_SIGTRAP ? 0 : signal_number;
}
