/*
 * commands.h - the verbs of the program, the arguments of each, and the errors for a wrong command
 * line.
 */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "app/app.h"

/* The target of a command line: a verb, and one of its subcommands if the verb has any. */
struct command {
    const struct verb *verb;
    /* the subcommand; NULL: the verb has none, or the user named none */
    const struct subcommand *sub;
};

/* The options that every verb takes. Their offsets are those in struct app_options. */
extern const struct option global_options[];
extern const size_t global_options_count;

/* Return the i-th verb, in the order in which help lists the verbs. NULL: there is no i-th verb. */
const struct verb *verb_at(size_t i);

/* Find a verb by name. NULL: there is none. */
const struct verb *verb_named(const char *name);

/* Find the verb that two words form together, such as `subagent serve`. NULL: there is none. */
const struct verb *verb_for_words(const char *first, const char *second);

const struct subcommand *subcommand_named(const struct verb *v, const char *name);

/* Return the name of a command for messages, such as "trefoil servers add". */
const char *command_name(struct arena *mem, struct command c);

/* Return the words that follow the name of the command, as help shows them. */
const char *command_words(struct command c);

/*
 * Return the names of the verb's options that the command takes, in the form of option_set.only.
 * NULL: all options.
 */
const char *command_options(struct command c);

/*
 * Print "trefoil: COMMAND: SENTENCE" and the usage of the command to stderr. Returns EXIT_USAGE, so
 * that `return command_usage(...)` works.
 */
int command_usage(struct arena *mem, struct command c, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Like command_usage, for a verb or subcommand that does not exist. Also prints the most similar
 * name.
 */
int unknown_verb(const char *name);
int unknown_subcommand(const struct verb *v, const char *name);

/*
 * Check the number of words. If words are missing or there are too many, prints an error and
 * returns EXIT_USAGE; else returns EXIT_OK. `words` does not count the name of the subcommand.
 */
int command_check_words(struct arena *mem, struct command c, int words, char **word);

#endif
