#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are not linked with the library, linked, and linked and traced, under limits and in sandboxes (matrix.py),
# in a mount namespace whose /dev/shm may be filled. Pairs are drawn by the library's sources: other ones whenever these change.
# WT_ATTACK_SEED draws others, WT_ATTACK_WHOLE=1 takes all.
# Runs beside others.
. "$(dirname "$0")/../integration/lib.sh"

# Everybody may run them, wherever the tree is.
mkdir -p tests/programs sdk && cp "$WT_ROOT"/build/tests/programs/* tests/programs/ && cp "$WT_ROOT"/build/sdk/libwtrace.so.0 sdk/
chmod -R go+rX .
seed=$(cat "$WT_ROOT"/providers/sdk/*.[ch] "$WT_ROOT"/tracecore/ring/*.[ch] "$WT_ROOT"/tracecore/enable/*.[ch] | cksum | cut -d' ' -f1)
unset WTRACE_RUNTIME WTRACE_ROOT_RUNTIME
unshare -m --propagation private python3 "$WT_ROOT/tests/attack/matrix.py" "$TMP/tests/programs" \
	--seed "${WT_ATTACK_SEED:-$seed}" ${WT_ATTACK_WHOLE:+--whole} "$@"
