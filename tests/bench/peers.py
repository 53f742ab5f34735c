# SPDX-License-Identifier: MIT
"""wtrace and LTTng-UST behind one face: build a writer (writer.h), start a session, stop it, count.

Nothing here touches another session of the machine: wtrace gets directories of its own, and a script that wants LTTng runs
again in namespaces of its own (isolate), where the daemon finds an empty /run/lttng and ends with the script.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WTRACE = f"{ROOT}/build/wtrace"

# LTTng wants its events in a header that is read several times with different meanings of its macros.
LTTNG_EVENTS = r"""
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER wt_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./events.h"
#if !defined(EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define EVENTS_H
#include <stdint.h>
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(wt_bench, two, LTTNG_UST_TP_ARGS(uint32_t, writer, uint32_t, n),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, writer, writer)
			    lttng_ust_field_integer(uint32_t, n, n)))
#endif
#include <lttng/tracepoint-event.h>
"""
LTTNG_WRITER = r"""
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "events.h"
#include "tests/bench/writer.h"

static void emit(uint32_t writer, uint32_t from, uint32_t to)
{
	for (uint32_t n = from; n < to; n++)
		lttng_ust_tracepoint(wt_bench, two, writer, n);
}

int main(int argc, char **argv)
{
	return writer_main(argc, argv, emit);
}
"""


def isolate():
    """Runs this script once more, as root, in a mount and a process namespace with an empty /run/lttng."""
    if os.environ.get("WT_PEERS_ISOLATED"):
        os.makedirs("/run/lttng", exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "nodev", "/run/lttng"], check=True)
        return
    command = ["env", "WT_PEERS_ISOLATED=1", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
               sys.executable, *sys.argv]
    sys.stdout.flush()
    os.execvp("env" if os.geteuid() == 0 else "sudo", command if os.geteuid() == 0 else ["sudo", *command])


def wait_until(seconds, condition):
    """False when the condition never came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def within(seconds, command, **more):
    """(output, seconds it took); the output is None when it did not end in time."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, check=True, timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, **more)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - begin
    except subprocess.CalledProcessError as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command)}: exit {error.returncode}\n{error.stdout}")
    return done.stdout, time.monotonic() - begin


class Wtrace:
    """Sessions of wtrace, with their files in `work`."""
    name = "wtrace"
    provider = "bench-writer"
    writer = [f"{ROOT}/build/tests/bench/sdk_writer"]

    def __init__(self, work):
        self.file = f"{work}/wtrace.etl"
        self.summary = None
        self.hangs_in = None
        os.makedirs(f"{work}/spool", 0o700)
        # In memory, as without these variables, and as LTTng's: on a disk each page is written back and faulted again.
        self.runtime = tempfile.mkdtemp(prefix="wtrace-bench.", dir="/dev/shm")
        os.mkdir(f"{self.runtime}/own", 0o700)
        self.env = dict(os.environ, WTRACE_RUNTIME=f"{self.runtime}/own", WTRACE_ROOT_RUNTIME=f"{self.runtime}/root",
                        WTRACE_SPOOL=f"{work}/spool")

    def start(self, buffer_bytes=None):
        size = ["--buffer-size", str(buffer_bytes)] if buffer_bytes else []
        within(60, [WTRACE, "start", "-p", self.provider, *size], env=self.env)

    def stop(self, seconds=60):
        """Seconds until the file is complete; None: not in time."""
        text, took = within(seconds, [WTRACE, "stop", "--json", "-o", self.file, "--force"], env=self.env)
        if text is None:
            self.hangs_in = "wtrace stop"
            return None
        self.summary = json.loads(text[text.index("{"):])
        return took

    def lost(self):
        return self.summary["lost"]

    def events_by_writer(self):
        view = [WTRACE, "view", self.file, "-e", "bench-writer/two", "--group-by", "writer", "--top", "1000000",
                "--json"]
        table = json.loads(subprocess.run(view, check=True, capture_output=True, env=self.env).stdout)["tables"][0]
        return {row["key"]["writer"]: row["count"] for row in table["rows"]}

    def forget(self):
        """Removes what was recorded."""
        if os.path.exists(self.file):
            os.unlink(self.file)

    def close(self):
        """Nothing of a session is left after stop but the directory of its rings."""
        shutil.rmtree(self.runtime)


class Lttng:
    """Sessions of LTTng-UST: a daemon from construction to close. Only after isolate()."""
    name = "lttng"
    events, source = LTTNG_EVENTS, LTTNG_WRITER

    def __init__(self, work):
        self.trace = f"{work}/lttng"
        self.env = dict(os.environ, LTTNG_UST_REGISTER_TIMEOUT="-1", LTTNG_HOME=work)
        for name, text in (("events.h", self.events), ("writer.c", self.source)):
            with open(f"{work}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", "-I.", f"-I{ROOT}", "writer.c", "-o", "writer", "-llttng-ust",
                        "-ldl", "-pthread"], cwd=work, check=True)
        self.writer = [f"{work}/writer"]
        self.discarded = 0
        self.hangs_in = None
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--quiet"], env=self.env)
        if not wait_until(20, self.answers):
            sys.exit("lttng-sessiond did not start")

    def answers(self):
        return subprocess.run(["lttng", "list"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env,
                              check=False).returncode == 0

    def lttng(self, *args, seconds=60):
        return within(seconds, ["lttng", *args], env=self.env)

    def start(self, buffer_bytes=None, *more):
        size = ["--subbuf-size", "1M", "--num-subbuf", str(buffer_bytes >> 20)] if buffer_bytes else []
        self.lttng("create", "wt-bench", "-o", self.trace)
        self.lttng("enable-channel", "-u", "c", *size, *more)
        self.lttng("enable-event", "-u", "wt_bench:*", "-c", "c")
        self.lttng("start")

    def stop(self, seconds=60):
        """Seconds until the trace is complete; None: not in time."""
        took = 0
        for args in (("stop",), ("list", "wt-bench"), ("destroy", "wt-bench")):
            text, more = self.lttng(*args, seconds=seconds)
            if text is None:
                self.hangs_in = "lttng " + args[0]
                return None
            took += more
            if args[0] == "list":  # now and then it says 2^63 more than there can be
                self.discarded = sum(int(n) % 2**63 for n in re.findall(r"Discarded events: (\d+)", text))
        return took

    def lost(self):
        return self.discarded

    def events_by_writer(self):
        """What babeltrace2 can read; after a hang that may be nothing."""
        found = collections.Counter()
        with subprocess.Popen(["babeltrace2", self.trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as reader:
            for line in reader.stdout:
                found[int(line.split("writer = ")[1].split(",")[0])] += 1
        return found

    def forget(self):
        shutil.rmtree(self.trace, ignore_errors=True)

    def close(self):
        self.daemon.kill()
        self.daemon.wait()
