/*
 * options.h - parses the options of a command line, which are defined in tables.
 *
 * An option is written as --name VALUE, --name=VALUE or --flag; if it has a letter, also as -x
 * VALUE, -xVALUE or -x. "--" ends the options. "-" and negative numbers such as -5 are words. If an
 * option is given twice, the last value is used, unless the option is a list. All other arguments
 * are the words of the command, in order. Errors name the wrong argument and what is accepted
 * instead.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "base/err.h"
#include "base/str.h"

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_LIST };

enum { OPTION_LIST_MOST = 64 };

/* The values of an option that may be repeated, in order. */
struct option_list {
    const char *v[OPTION_LIST_MOST];
    size_t n;
};

struct option {
    const char *name; /* name without the dashes; "a,agent" means --agent or -a */
    enum option_kind kind;
    size_t offset;     /* offset of the bool, const char * or option_list in *option_set.into */
    const char *value; /* the placeholder of the value in help; NULL for flags */
    const char *what;  /* a line of help that describes the option */
};

/*
 * option_letter returns the letter of an option (0: none); option_name returns its name without the
 * letter.
 */
static inline char option_letter(const struct option *o)
{
    return o->name[1] == ',' ? o->name[0] : '\0';
}

static inline const char *option_name(const struct option *o)
{
    return o->name + (option_letter(o) ? 2 : 0);
}

struct option_set {
    const struct option *row;
    size_t rows;
    void *into;       /* the struct that receives the values */
    const char *only; /* the names of the accepted options, separated by spaces; NULL: all */
};

/* Is the option in a list like option_set.only? */
bool option_in(const struct option *o, const char *names);

/*
 * Find the first argument after argv[0] that is neither an option of the sets nor the value of such
 * an option. Returns its index in argv; 0: there is none.
 */
int options_first_word(const struct option_set *set, size_t sets, int argc, char **argv);

/*
 * Remove the options of all `sets` from argv (argv[0] is ignored); *argc becomes the number of
 * remaining words. An option that no set accepts is an error. Errors contain `command`, the name of
 * the command.
 */
bool options_read(const struct option_set *set, size_t sets, const char *command, int *argc,
                  char **argv, struct err *e);

#endif
