#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The highest rate at which two writers lose nothing while a session writes a file: wtrace beside LTTng-UST.

    rate.py [--seconds S] [--only wtrace|lttng] [--json FILE]

Both programs write the same events of two integers from two threads (writer.h), and both sessions write to the same
disk. A rate is free of loss when a run of S seconds loses no event and the writers kept up with it; the highest one is
searched in steps of a tenth, with each tool's own buffers and with 64 MB per CPU for both. Nothing is asserted; the
limit stands beside the figures. Exit code 0 when it ran.
"""
import argparse
import json
import subprocess
import sys
import tempfile

import peers

WRITERS = 2
BUFFERS = (("own buffers", None), ("64 MB per CPU", 64 << 20))
STEP = 1.1
LIMIT = 4.0


def run(tool, buffers, rate, seconds):
    """One recording: events a second that were written, how many of them were lost, the recorder's cost."""
    tool.start(buffers)
    writer = [*tool.writer, "rate", str(WRITERS), str(rate // WRITERS), str(seconds)]
    done = json.loads(subprocess.run(writer, check=True, capture_output=True, env=tool.env).stdout)
    if tool.stop() is None:
        sys.exit(f"rate.py: {tool.name} did not stop")
    tool.forget()
    result = {"asked": rate, "rate": done["produced"] / done["seconds"], "produced": done["produced"],
              "lost": tool.lost()}
    kept_up = not rate or done["produced"] >= 0.98 * rate * seconds
    result["free"] = kept_up and not result["lost"]
    print(f"rate.py: {tool.name}: {result['rate'] / 1e6:.2f} M/s, lost {result['lost']}", file=sys.stderr)
    return result


def search(tool, buffers, seconds):
    """Without a pause first; then between the highest rate that was free and the lowest that was not."""
    runs = [run(tool, buffers, 0, seconds)]
    best, high = 0, runs[0]["rate"]
    if runs[0]["free"]:
        return runs[0]["rate"], runs
    low = 50000
    while high / low > STEP:
        middle = int((low * high) ** 0.5)
        runs.append(run(tool, buffers, middle, seconds))
        if runs[-1]["free"]:
            low, best = middle, max(best, runs[-1]["rate"])
        else:
            high = middle
    return best, runs


def show(results):
    print(f"highest rate without loss of {WRITERS} writers into a file, million events a second")
    for label, _ in BUFFERS:
        both = [results[t][label]["best"] / 1e6 if t in results else 0 for t in ("wtrace", "lttng")]
        ratio = f"{both[0] / both[1]:.1f} (at least {LIMIT:.0f})" if both[1] else "-"
        print(f"{label:20}{'wtrace':>8}{both[0]:8.2f}{'LTTng':>8}{both[1]:8.2f}   ratio {ratio}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", choices=("wtrace", "lttng"))
    parser.add_argument("--json", default=f"{peers.ROOT}/build/bench-rate.json")
    options = parser.parse_args()
    peers.isolate()
    results = {}
    for kind in (peers.Wtrace, peers.Lttng):
        if options.only not in (None, kind.name):
            continue
        with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
            tool = kind(work)
            try:
                results[kind.name] = {}
                for label, size in BUFFERS:
                    best, runs = search(tool, size, options.seconds)
                    results[kind.name][label] = {"best": best, "runs": runs}
            finally:
                tool.close()
    show(results)
    with open(options.json, "w", encoding="utf-8") as f:
        json.dump({"writers": WRITERS, "seconds": options.seconds, "results": results}, f, indent=1)


if __name__ == "__main__":
    main()
