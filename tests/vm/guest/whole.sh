# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced. Now and then the emulated machine stands still for a second: it counts 10^9 instructions in ptep_clear_flush,
# where a page fault asks the other CPU for a TLB flush. Rings hold what is sampled meanwhile; when they do not, samples
# are lost, the log says so, and the next try is it.
record_whole() { # FILE RECORD'S OTHER OPTIONS AND COMMAND: a recording that lost nothing
	file=$1
	shift
	for try in 1 2 3 4 5; do
		wtrace record -o "$file" --force --buffer-size 64M "$@" || return 1
		! wtrace view "$file" --strict --group-by function >/dev/null 2>&1 || return 0
		echo "try $try: $(wtrace view "$file" --group-by function 2>/dev/null | grep '^lost')"
	done
	return 1
}
