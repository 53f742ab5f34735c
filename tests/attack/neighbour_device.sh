#!/bin/sh
# SPDX-License-Identifier: MIT
# A user puts a pipe, a device or another thing where root's commands look for a file: behind the program that was recorded,
# its map of names, the log, the manifest, the target of stop. With a device opening alone may have an effect, so none of
# them is opened: watched with inotify, which tells of every open. In a mount namespace of its own, so that nobody else's
# session on this machine finds the trap.
# Runs beside others.
if [ -z "${WT_DEVICE_APART:-}" ]; then
	exec env WT_DEVICE_APART=1 unshare -m --propagation private sh "$0" "$@"
fi
mount -t tmpfs -o mode=1777 none /var/tmp
export TMPDIR=/var/tmp
. "$(dirname "$0")/lib.sh"
chmod 755 .
cat >watch.py <<'PY'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(os.O_NONBLOCK)
for path in sys.argv[1:]:
    assert libc.inotify_add_watch(fd, path.encode(), 0x20) >= 0
print("watching", flush=True)
for line in sys.stdin:
    try:
        opened = len(os.read(fd, 1 << 16)) // 16
    except BlockingIOError:
        opened = 0
    print("by", line.strip(), opened, flush=True)
PY
mkfifo trap enough && chmod 666 trap
mkdir -m 777 home
user_directory 4242
background sh -c "python3 watch.py trap <enough"
exec 9>enough
check 'every open of the trap is seen' wait_until 10 grep -qx watching background.out
watcher=$bg

not_opened() { # WHAT
	echo "$1" >&9
	wait_until 10 grep -q "^by $1 " background.out
	is "$1: nobody has opened the trap" "$(grep "^by $1 " background.out)" "by $1 0"
}

cp bin/user_emit home/ev && chown 4242:4242 home home/ev
check 'a session with stacks' wtrace start -q -p emit:::stack,pmu-profile --session device
as 4242 "$TMP/home/ev" -n 200 -d 10 >ev.out 2>&1
check 'the program has run' grep -q 'ok 200' ev.out
rm home/ev && ln -s "$TMP/trap" home/ev
check 'its file is a pipe by now, and the session stops' timeout 60 wtrace stop --session device -o device.etl
not_opened stop
check 'view' timeout 60 wtrace view device.etl
check 'dump' timeout 60 wtrace dump device.etl
not_opened view
for kind in trap /dev/full; do
	check "record for $kind" wtrace record -q -p emit -o small.etl --force -- user_emit -n 5
	ln -sf "$(realpath $kind)" home/link
	check_exit "$kind as a log" 1 timeout 20 wtrace view home/link
	check_err 'is refused' 'it is a (pipe|device), not a regular file'
	check_exit "$kind as one to follow" 1 timeout 20 wtrace dump --follow home/link
	check_err 'is refused' 'it is a (pipe|device), not a regular file'
	check_exit "$kind as a manifest" 1 timeout 20 wtrace manifest check home/link
	check_err 'is refused' 'it is a (pipe|device), not a regular file'
	check_exit "$kind as a target" 1 timeout 20 wtrace recover small.etl -o home/link
	check_err 'is refused' 'exists already'
done
check_exit 'a log from a pipe' 1 sh -c 'cat small.etl | timeout 20 wtrace view /dev/stdin'
check_err 'is refused' 'it is a pipe, not a regular file'
check 'a log on standard input is none' timeout 20 sh -c 'wtrace dump /dev/stdin <small.etl'
check_out 'and is read' 'emit/tick'
not_opened commands
exec 9>&-
check 'the watcher ends' wait "$watcher"
done_testing
