/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The wtrace command line: one table, one file per command.
 *
 * A command is a row {name, function, one line of help, full help, options}. main() finds it, takes the
 * common options
 * (-q, -v, --help) out, calls it, prints the error it returns ("wtrace COMMAND: text") on standard error and
 * turns it into the exit code: 0 done, 1 failed, 2 usage (WT_ERR_USAGE), 3 data was lost and --strict was
 * given. Results go to standard output, everything else to standard error.
 */
#ifndef TOOLS_CMD_H
#define TOOLS_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

enum wt_exit {
	WT_EXIT_OK = 0,
	WT_EXIT_FAILED = 1,
	WT_EXIT_USAGE = 2,
	WT_EXIT_LOSSY = 3,
	WT_EXIT_NO_COMMAND = 127, /**< as of a shell: the command to run does not exist */
};

struct wt_option;

struct wt_command {
	const char *name;
	/** argv[0] is the command's name. Returns an exit code; on failure err gives the reason (empty:
	 * already reported). */
	int (*run)(int argc, char **argv, struct wt_err *err);
	const char *line;                /**< one line for the list of commands */
	const char *help;                /**< usage, description, examples: tools/help/NAME.txt */
	const struct wt_option *options; /**< NULL: none */
	bool runs;                       /**< the first word that is not an option begins a command to run */
	const char *words; /**< words that completion offers for the first word and, behind '|', for others */
};

extern const struct wt_command wt_commands[];
extern const size_t wt_n_commands;
/** Returns the command called name; NULL: there is none. */
const struct wt_command *wt_command_named(const char *name);

/**
 * One option of a command: the row that --help, the man page, completion and parsing come from. Options are
 * given as --name VALUE, --name=VALUE, -x VALUE or -xVALUE; a long one's name behind one dash is refused.
 */
struct wt_option {
	const char *name; /**< without dashes */
	char letter;      /**< 0: none */
	const char *
		argument; /**< its word in the texts; NULL: a flag; "[WORD]": only in the form --name=VALUE */
	const char *help; /**< plain text without line breaks, no full stop */
	/** Called for each use, in order; value is NULL for a flag and for "[WORD]" without one. */
	int (*set)(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
	size_t where; /**< for wt_set_flag and wt_set_text: offset of the member in ctx */
	const char
		*values; /**< words that completion offers, or "@files" and the like (docs/wtrace.bash.in) */
	const struct wt_option *rows; /**< a row without a name stands for this table */
	int (*each)(void *ctx, char *word, struct wt_err *err);        /**< for wt_set_list */
	int (*take)(void *ctx, const char *value, struct wt_err *err); /**< for wt_set_word */
};

/** The ends of rows that set a bool or a const char * (a second use is refused) in the struct that is the
 * ctx, or that call a function with the value, or for each word of a list with commas. */
#define WT_FLAG(type, member) .set = wt_set_flag, .where = offsetof(type, member)
#define WT_TEXT(type, member) .set = wt_set_text, .where = offsetof(type, member)
#define WT_WORD(function)     .set = wt_set_word, .take = function
#define WT_LIST(function)     .set = wt_set_list, .each = function

/** The end of a table of options. */
#define WT_OPTIONS_END \
	{              \
		0      \
	}

/** Most options that one command can have. */
#define WT_OPTIONS_MAX 64

/** Collects the rows of a table and of the tables in it. Returns their number. */
size_t wt_options_rows(const struct wt_option *options, const struct wt_option *ret[WT_OPTIONS_MAX]);
/** -q, -v and -h, which wt_front_take removes. */
extern const struct wt_option wt_options_common[];

int wt_set_flag(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
int wt_set_text(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
int wt_set_word(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
int wt_set_list(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);

/** Returns the number of words that an option takes: 2 with its value in the next word, 1 by itself; 0: it is
 * not one of these options. */
int wt_options_takes(const struct wt_option *options, const char *word);

/** Parses options up to the first "--" or the end. Words that are not options are handed to `word` (NULL:
 * refused); options end before one for which it returns 1. Unknown options fail with WT_ERR_USAGE naming the
 * nearest one. Returns the index behind "--", of that word, or argc; -1. */
int wt_options_parse(int argc, char **argv, const struct wt_option *options,
		     int (*word)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		     struct wt_err *err);

/** A `word` for commands that run one: the first word that is not an option begins it. */
int wt_begin_command(void *ctx, const char *word, struct wt_err *err);

/** Like wt_options_parse, but also hands all words behind "--" to `word`. Returns 0 or -1. */
int wt_options_words(int argc, char **argv, const struct wt_option *options,
		     int (*word)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		     struct wt_err *err);
/** Sets *ret to the word; a second one is refused: "one WHAT at a time". */
int wt_take_one(const char **ret, const char *word, const char *what, struct wt_err *err);

/* The function, the help and the options of each command. */
#define WT_COMMAND(name)                                           \
	int cmd_##name(int argc, char **argv, struct wt_err *err); \
	extern const char cmd_##name##_help[];                     \
	extern const struct wt_option cmd_##name##_options[]

WT_COMMAND(start);
WT_COMMAND(stop);
WT_COMMAND(record);
WT_COMMAND(sample);
WT_COMMAND(stat);
WT_COMMAND(status);
WT_COMMAND(list);
WT_COMMAND(man);
WT_COMMAND(test);
WT_COMMAND(detect);
WT_COMMAND(cpuinfo);
WT_COMMAND(cmninfo);
WT_COMMAND(view);
WT_COMMAND(pause);
WT_COMMAND(annotate);
WT_COMMAND(dump);
WT_COMMAND(info);
WT_COMMAND(verify);
WT_COMMAND(merge);
WT_COMMAND(relog);
WT_COMMAND(export);
WT_COMMAND(mark);
WT_COMMAND(enable);
WT_COMMAND(disable);
WT_COMMAND(recover);
WT_COMMAND(doctor);
WT_COMMAND(manifest);

/** Writes the text to standard output in one piece, so that the reason of a failure is known. When the reader
 * has closed the pipe, fails without a text in err. */
int wt_output_put(const struct wt_buf *text, struct wt_err *err);
/** Flushes standard output; fails like wt_output_put. */
int wt_output_end(struct wt_err *err);
/** Standard output is a terminal that shows colours, and the user has not declined them (NO_COLOR). */
bool wt_output_wants_colours(void);
/** The name of an output, NULL for none, ends in ".json". */
bool wt_output_names_json(const char *path);

#endif
