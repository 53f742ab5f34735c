#!/bin/sh
# SPDX-License-Identifier: MIT
# The model of registering against enabling: no violation as it is, one as soon as a fence or the rereading is gone.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
n=0 failed=0

# check NAME ERRORS-EXPECTED [-DX]
check() {
	n=$((n + 1))
	if spin -a $3 "$here/enable.pml" >spin.log 2>&1 && gcc -O2 -DSAFETY -o pan pan.c >>spin.log 2>&1 &&
		./pan -m100000 >pan.log 2>&1 &&
		grep -q "errors: $2\$" pan.log && ! grep -q 'max search depth too small' pan.log; then
		echo "ok $n - enable: $1"
	else
		echo "not ok $n - enable: $1"
		sed 's/^/# /' spin.log pan.log 2>/dev/null
		failed=1
	fi
}

echo 1..4
check 'the bits are those of the rules in force' 0
check 'seen: no fence in the controller' 1 -DNO_CONTROLLER_FENCE
check 'seen: no fence in the registrant' 1 -DNO_REGISTRANT_FENCE
check 'seen: the stamps are not read again' 1 -DNO_REREADING
exit $failed
