#!/bin/sh
# SPDX-License-Identifier: MIT
# The ring's protocol under spin: whole it holds, and without any one of its barriers it does not.
set -u
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

errors() { # -DMODEL [-DNO_BARRIER]: violations found, or nothing when spin did not come to its end
	(
		cd "$work" && spin "$@" -a "$OLDPWD/ring.pml" >spin.log 2>&1 &&
			gcc -O1 -w -DSAFETY -DVECTORSZ=2048 -o pan pan.c && ./pan -m100000 >pan.log 2>&1
		grep -q 'max search depth too small' pan.log && exit 1
		sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log
	)
}

point() { # GOOD NAME
	n=$((n + 1))
	[ "$1" = 1 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	sed 's/^/# /' "$work/spin.log" "$work/pan.log"
	failed=1
}

holds() { # MODEL
	found=$(errors "-D$1")
	point "$([ "$found" = 0 ] && echo 1)" "$1 holds"
}

needs() { # MODEL BARRIER...
	model=$1
	shift
	for barrier; do
		found=$(errors "-D$model" "-DNO_$barrier")
		point "$([ "${found:-0}" -gt 0 ] && echo 1)" "$model does not hold without $barrier"
	done
}

echo 1..11
holds REUSE
needs REUSE COMMIT_RELEASE HEAD_ACQUIRE TAIL_RELEASE
holds CLOSE_LANE
needs CLOSE_LANE VISIT BUSY_RELEASE BUSY_ACQUIRE
holds CLOSE_SECTION
needs CLOSE_SECTION VISIT RESTART
exit $failed
