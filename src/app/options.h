/*
 * options.h - the command line, read by tables.
 *
 * An option is --name VALUE, --name=VALUE or a bare --flag, or -x VALUE or -x where it has a letter;
 * "--" ends them. For verbs that have options with letters, a word that begins with a dash is one,
 * but for "-" itself. Of an option given twice the last one counts, unless it is one that may be given several times. What is not an
 * option stays, in order, as the words. Errors say what was wrong and what is accepted.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "base/err.h"
#include "base/str.h"

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_LIST };

enum { OPTION_LIST_MOST = 64 };

/* The values of an option that may be given several times, in order. */
struct option_list {
    const char *v[OPTION_LIST_MOST];
    size_t n;
};

struct option {
    const char *name; /* without the dashes; "a,agent": also -a */
    enum option_kind kind;
    size_t offset;     /* of its bool, const char * or option_list in the set's struct */
    const char *value; /* what stands for the value in help; NULL for flags */
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
    void *into; /* the struct the offsets count in */
};

/*
 * Take the options of all `sets` out of argv (argv[0] is not looked at); *argc becomes the number
 * of what is left. An option that no set has is an error.
 */
bool options_read(const struct option_set *set, size_t sets, int *argc, char **argv, struct err *e);

#endif
