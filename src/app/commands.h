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
    const struct subcommand *sub; /* NULL: the verb has none, or none was named */
};

/* The options that every verb takes; their offsets count in struct app_options. */
extern const struct option global_options[];
extern const size_t global_options_count;

/* In the order in which help lists them; NULL behind the last. */
const struct verb *verb_at(size_t i);

/* NULL when there is none. */
const struct verb *verb_named(const char *name);

/* The verb that two words form together, such as `subagent serve`; NULL: none. */
const struct verb *verb_for_words(const char *first, const char *second);

const struct subcommand *subcommand_named(const struct verb *v, const char *name);

/* "trefoil servers add", for messages. */
const char *command_name(struct arena *mem, struct command c);

/* The words that follow the name, as help shows them. */
const char *command_words(struct command c);

/* The options of the verb that it takes, as in struct option_set; NULL: all. */
const char *command_options(struct command c);

/*
 * "trefoil: COMMAND: SENTENCE" and the usage of the command on stderr. Returns EXIT_USAGE, so that
 * `return command_usage(...)` works.
 */
int command_usage(struct arena *mem, struct command c, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a verb, or a subcommand of `v`, that does not exist; names the nearest that does. */
int unknown_verb(const char *name);
int unknown_subcommand(const struct verb *v, const char *name);

/*
 * Does the number of words fit? Otherwise prints what is missing or too much and returns
 * EXIT_USAGE. `words` does not count the name of the subcommand.
 */
int command_check_words(struct arena *mem, struct command c, int words, char **word);

#endif
