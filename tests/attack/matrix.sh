#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are not linked with the library, linked, and linked and traced, under limits and in sandboxes (matrix.py),
# in a mount namespace whose /dev/shm may be filled. WT_ATTACK_SEED draws other pairs, WT_ATTACK_WHOLE=1 takes all.
. "$(dirname "$0")/../integration/lib.sh"

# Everybody may run them, wherever the tree is.
mkdir -p tests/programs sdk && cp "$WT_ROOT"/build/tests/programs/* tests/programs/ && cp "$WT_ROOT"/build/sdk/libwtrace.so.0 sdk/
chmod -R go+rX .
unset WTRACE_RUNTIME WTRACE_ROOT_RUNTIME
unshare -m --propagation private python3 "$WT_ROOT/tests/attack/matrix.py" "$TMP/tests/programs" \
	--seed "${WT_ATTACK_SEED:-11}" ${WT_ATTACK_WHOLE:+--whole} "$@"
