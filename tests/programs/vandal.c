// SPDX-License-Identifier: MIT
/*
 * Another process of the same user that plays with what sessions and programs share: vandal [-c] [-k] SECONDS
 * DIRECTORY
 *
 * Random words go into every regular file below the directory, mostly where it hurts, small values as often
 * as large ones. Each is taken back after a moment, else nothing would be believed any more and the rest stay
 * untried; with -k they stay. With -c files are also cut, and grow to their old size again. Prints "N words".
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX 4
/* Changes of one file before the next one. */
#define CHANGES 64

static bool cuts, keeps;
static uint64_t seed, words;
static struct timespec end;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool is_over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
}

/* Headers, tables, the starts of 64 KiB blocks behind a page or two of header, or anywhere. */
static off_t place(off_t size)
{
	static const off_t heads[] = {512, 4096, 8192};
	uint64_t r = draw(), at = draw() >> 8;

	if (r % 4 < 3)
		at %= (uint64_t)heads[r % 3];
	if (r % 8 == 0)
		at = at % 64 + 65536 * (draw() % 16) + 4096 * (1 + draw() % 2);
	return (off_t)(at % (uint64_t)size) & ~(off_t)7;
}

static void change(int fd, off_t size)
{
	uint64_t value = draw() >> draw() % 64, kept;
	off_t at = place(size);

	if (pread(fd, &kept, 8, at) != 8)
		return;
	if (draw() % 4 == 0)
		value = kept ^ UINT64_C(1) << draw() % 64;
	words += pwrite(fd, &value, 8, at) == 8;
	if (cuts && draw() % 16 == 0 && ftruncate(fd, (off_t)(draw() % (uint64_t)size)) == 0 &&
	    ftruncate(fd, size))
		return;
	if (draw() % 8 == 0)
		usleep((useconds_t)(draw() % 200));
	if (!keeps)
		(void)!pwrite(fd, &kept, 8, at);
}

static void play(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 8)
		for (int i = 0; i < CHANGES && !is_over(); i++)
			change(fd, st.st_size);
	close(fd);
}

static void visit(int directory, unsigned depth)
{
	DIR *dir = fdopendir(directory);
	struct dirent *entry;

	if (!dir) {
		close(directory);
		return;
	}
	while (!is_over() && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		int below = depth ? openat(directory, entry->d_name,
					   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				  : -1;

		if (below >= 0)
			visit(below, depth - 1);
		else
			play(directory, entry->d_name);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	int c, directory;

	while ((c = getopt(argc, argv, "ck")) != -1) {
		cuts |= c == 'c';
		keeps |= c == 'k';
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: vandal [-c] [-k] SECONDS DIRECTORY\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	seed = (uint64_t)end.tv_nsec << 20 | (uint64_t)getpid();
	end.tv_sec += strtol(argv[optind], NULL, 10);
	while (!is_over()) {
		directory = open(argv[optind + 1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (directory < 0) {
			perror(argv[optind + 1]);
			return 1;
		}
		visit(directory, DEPTH_MAX);
	}
	printf("%llu words\n", (unsigned long long)words);
	return 0;
}
