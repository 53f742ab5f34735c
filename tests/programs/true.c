/* SPDX-License-Identifier: MIT */
/* Ends at once; unlike busybox it has libraries to load. The virtual machine's /bin/true. */
int main(void)
{
	return 0;
}
