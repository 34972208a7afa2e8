/*
 * servers.h - the verb `servers`: one row per word in servers.c, one function per row.
 *
 * Words that look at running servers have a file of their own.
 */
#ifndef APP_SERVERS_H
#define APP_SERVERS_H

#include "app/app.h"
#include "app/trust_verb.h"

struct servers_args {
    const char *url;
    struct option_list env, header;
    struct trust_args trust;
    bool user;
};

/* `word` is what follows the word of the row. Returns the exit code. */
typedef int servers_fn(struct app *app, const struct servers_args *a, int words, char **word);

/* servers_list.c */
servers_fn servers_list, servers_test;

#endif
