#!/bin/sh
# SPDX-License-Identifier: MIT
# cpu_time.sh PID SECONDS: waits until the process has used so much more CPU time, or has ended; ten times as long at most.
set -eu
hz=$(getconf CLK_TCK)
used() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 }'; }
end=$(($(used "$1") + $2 * hz)) tries=$(($2 * 200))
while now=$(used "$1") && [ -n "$now" ] && [ "$now" -lt "$end" ] && [ "$tries" -gt 0 ]; do
	sleep 0.05
	tries=$((tries - 1))
done
