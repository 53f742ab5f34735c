#!/bin/sh
# SPDX-License-Identifier: MIT
# Sessions where ordinary machines differ: /proc that hides others' processes, a file system that is read-only, a group with little
# memory, one CPU. Of root and of a user: what they start, record, say and stop is as ever.
# Runs alone. What a session has to know of other scripts would count against the group.
export TMPDIR=/dev/shm
. "$(dirname "$0")/../integration/user.sh"
cp "$WT_ROOT/build/tests/programs/busy" bin/ && chmod 755 bin/busy
cat >bin/as_user <<EOF
#!/bin/sh
exec setpriv --reuid=$nobody --regid=$nobody --clear-groups env HOME="$TMP/nobody" WTRACE_RUNTIME="$TMP/nobody/run" \\
	WTRACE_SPOOL="$TMP/nobody/spool" "\$@"
EOF
chmod 755 bin/as_user

# in_mounts COMMAND CMD...: CMD where COMMAND was run in mounts of its own.
in_mounts() {
	mounted=$1
	shift
	unshare -m --propagation private sh -c "$mounted"' && exec "$@"' sh "$@"
}
hidden() { in_mounts 'mount -t proc -o hidepid=2 proc /proc' "$@"; }
read_only() { in_mounts 'mount -o remount,bind,ro / && { ! mountpoint -q /tmp || mount -o remount,bind,ro /tmp; }' "$@"; }
one_cpu() { taskset -c "$(last_cpu)" "$@"; }
grouped() { sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"; }

group=
cleanup_group() {
	cleanup
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
}
trap cleanup_group EXIT
for base in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	limit=memory.limit_in_bytes
	[ ! -e "$base/cgroup.controllers" ] || limit=memory.max
	{ mkdir "$base/wt-places-$$" 2>/dev/null && [ -e "$base/wt-places-$$/$limit" ] && group=$base/wt-places-$$ && break; } || rmdir "$base/wt-places-$$" 2>/dev/null
done
[ -z "$group" ] || echo 100663296 >"$group/$limit"

# as_ever PLACE: a session of root has names of a user's program and all events; one of a user has its own events.
as_ever() {
	place=$1 session=$(echo "$1" | tr _ -)
	check "$place: start" "$place" wtrace start -q -p pmu-profile,loader,proc_thread,emit --stackwalk --session "$session"
	check "$place: a program of a user" "$place" as_user busy 0.3
	check "$place: events" "$place" user_emit -n 100
	check "$place: stop" "$place" wtrace stop -q --session "$session" -o "$session.etl"
	is "$place: all events are there" "$(events "$session.etl" tick)" 100
	check "$place: view" wtrace view "$session.etl" --where 'comm == "busy"' --group-by function
	echo "# $place: $(grep -c take-over out) take-overs"
	check_out "$place: functions have names" ' [a-z_]+:busy'
	rm -f nobody/own.etl
	check "$place: a user's session" "$place" as_user wtrace record -q -p emit -o "$TMP/nobody/own.etl" -- user_emit -n 100
	is "$place: has all events" "$(events nobody/own.etl tick)" 100
}

as_ever hidden
as_ever read_only
as_ever one_cpu
if [ -n "$group" ]; then
	as_ever grouped
else
	skip 'a group with little memory' 'no memory groups here'
fi

# Nowhere to write: it is said, and nothing is left running.
check_exit 'a spool that is read-only' 1 read_only env WTRACE_SPOOL=/var/tmp/wt-places-none WTRACE_RUNTIME="$TMP/run" wtrace start -p proc_thread --session nowhere
check_err 'it is said where' '/var/tmp.*[Rr]ead-only'
check 'nothing runs then' sh -c '! wtrace status --session nowhere 2>/dev/null'
done_testing
