#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that wtrace looks for in another user's directory is, in one user's directory each, something else: a file, a directory,
# a pipe, a socket, a link, too large, closed. Root's sessions start, take in providers, answer, stop and are recovered; what
# is left out is said; and the events of the user who did nothing are all there.
# Runs beside others.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
. "$(dirname "$0")/lib.sh"
chmod 711 .
user_directory 65534
first=5000

# Both processes of a session are stopped before either is killed: one that sees the other go makes a new one, or takes over. A child
# that was just forked has the session's lock until it closes it.
is_stopped() { [ "$(sed 's/.*) //' "/proc/$1/stat" | cut -c1)" = T ]; }
kill_session() {
	w=$(field "$1" worker) k=$(field "$1" keeper)
	[ "${w:-0}" -gt 1 ] && [ "${k:-0}" -gt 1 ] || return
	kill -STOP "$k" "$w"
	wait_until 20 is_stopped "$k" && wait_until 20 is_stopped "$w" || return
	all="$k $w $(pgrep -d ' ' -P "$k,$w")"
	kill -KILL "$k" "$w"
	for pid in $all; do wait_until 20 sh -c "! kill -0 $pid 2>/dev/null" || return; done
}

# All names there are: rings, state records, entries of processes.
check 'a session' wtrace start -q -p emit --session parts
mkfifo enough
background as 65534 sh -c "user_emit -n 10 -g -H <$TMP/enough"
exec 9>enough
check 'a program of the user goes on' wait_until 20 has_logged parts emit tick 10
check 'its directory is the model' neighbour.py shapes "$TMP/wtrace-65534" parts $first
cp out made
at_least 'of directories with one thing wrong in each' "$(wc -l <made)" 60
check 'the model is stopped' wtrace stop -q --session parts -o model.etl
is 'with all events' "$(events model.etl tick)" 10

check 'a session starts whatever is in the directories' wtrace start -p emit --session parts
cat err out >said
while read -r uid part shape; do
	case $part in
	state: | .root-*.rings:)
		case $shape in
		closed) continue ;; # root is not kept out
		esac
		;;
	providers:) [ "$shape" != closed ] || continue ;;
	*) continue ;;
	esac
	[ "$shape" != directory ] || continue
	if grep -q "wtrace-$uid" said; then ok "$part $shape: it is said"; else not_ok "$part $shape: it is said" "nothing of uid $uid"; fi
done <made
check 'doctor' wtrace doctor --json
check_out 'names one' "in [0-9]+ directories of users an entry is invalid.* uid 5[0-9]* or root should remove $TMP/wtrace-5"
check 'a program of the user' as 65534 user_emit -n 100 -d 10
check_out 'is traced' 'ok 100 '
check 'another provider is taken in' wtrace enable -p other --session parts
check 'its program' as 65534 user_emit -p other -n 50
check_out 'is traced, too' 'ok 50 '
check 'status answers' wtrace status --session parts
check 'list answers' wtrace list providers
check 'one provider less' wtrace disable other --session parts
check 'stop' wtrace stop --session parts -o parts.etl
is 'all events are there' "$(events parts.etl tick)" 100
is 'of the other provider, too' "$(wtrace dump parts.etl -e other/tick | wc -l)" 50
is 'and none was lost' "$(lost_in parts.etl)" 0
is "nothing of root is left with the user" "$(ls -A wtrace-65534 | grep -c rings)" 0

# The same things come while the session runs.
mkdir -m 711 aside && mv wtrace-5??? aside/
check 'a session without them' wtrace start -q -p emit --session parts
mv aside/wtrace-5??? .
check 'a program while they come' as 65534 user_emit -n 1500 -d 1000
check 'another provider is taken in' wtrace enable -p other --session parts
check 'its program' as 65534 user_emit -p other -n 50
check 'status answers' wtrace status --session parts
check 'both processes of the session are killed' kill_session parts
check 'the session is recovered' wtrace recover --session parts -o recovered.etl
is 'all events are there' "$(events recovered.etl tick)" 1500
check 'record' wtrace record -q -p emit -o record.etl -- user_emit -n 5
is 'has the events' "$(events record.etl tick)" 5
done_testing
