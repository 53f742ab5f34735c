// SPDX-License-Identifier: MIT
/* Counts the words of files and reports them as events: wtrace manifest header words.json -o words.h */
#include <stdio.h>
#include <string.h>

#include <words.h>

static unsigned count_line(char *line)
{
	unsigned words = 0;
	char *rest;

	for (char *word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
		words++;
	return words;
}

static void count_file(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long words = 0;
	char line[4096];

	words_file_start(path);
	for (unsigned number = 1; file && fgets(line, sizeof(line), file); number++) {
		unsigned n = count_line(line);

		words_line(number, n);
		words += n;
	}
	words_file_stop(path, file ? WORDS_OUTCOME_COUNTED : WORDS_OUTCOME_UNREADABLE, words);
	printf("%8lu %s\n", words, path);
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	wtrace_register(&words_provider);
	for (int i = 1; i < argc; i++)
		count_file(argv[i]);
	wtrace_unregister(&words_provider);
	return 0;
}
