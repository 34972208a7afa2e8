/*
 * options.h - the command line, read by tables.
 *
 * An option is --name VALUE, --name=VALUE or a bare --flag, or -x VALUE, -xVALUE or -x where it has
 * a letter. "--" ends the options. "-" alone and -5 are words. If an option is given twice the last
 * value counts, unless the option may be given several times. All other arguments remain, in
 * order, as the words. An error says what was wrong and what is accepted.
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
    const char *name; /* without the dashes; "a,agent": also -a */
    enum option_kind kind;
    size_t offset;     /* of its bool, const char * or option_list in the set's struct */
    const char *value; /* the placeholder of the value in help; NULL for flags */
    const char *what;  /* one line of help */
};

/* The letter of an option, 0 for none, and its name without it. */
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
    void *into;       /* the struct the offsets count in */
    const char *only; /* the names of the accepted options, separated by spaces; NULL: all */
};

/* Is the option named in such a list? */
bool option_in(const struct option *o, const char *names);

/*
 * The index in argv (argv[0] is ignored) of the first word that is not an option of a set or its
 * value; 0 when there is none.
 */
int options_first_word(const struct option_set *set, size_t sets, int argc, char **argv);

/*
 * Remove the options of all `sets` from argv (argv[0] is ignored); *argc becomes the number of
 * remaining words. An option that no set accepts is an error; `command` is the name of the command
 * in errors.
 */
bool options_read(const struct option_set *set, size_t sets, const char *command, int *argc,
                  char **argv, struct err *e);

#endif
