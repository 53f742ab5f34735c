# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For tests of names: lib.sh, and a library victim.so whose only function, victim, is at $offset of the file.
. "$(dirname "$0")/lib.sh"

cat >victim.c <<'C'
int victim(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("");
	return n;
}
C
gcc -O1 -g -shared -fPIC -o victim.so victim.c
offset=0x$(nm victim.so | sed -n 's/ T victim$//p' | sed 's/^0*//')
