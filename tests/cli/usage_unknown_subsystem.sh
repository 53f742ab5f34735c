# SPDX-License-Identifier: MIT
sudo=$([ "$(id -u)" = 0 ] || echo sudo -n -E)
[ -e /sys/kernel/tracing/events ] || $sudo mount -t tracefs nodev /sys/kernel/tracing
$sudo "$(command -v wtrace)" start -q -p linux:shced:sched_switch
