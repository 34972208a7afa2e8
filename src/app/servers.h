/*
 * servers.h - the verb `servers`: one row per word in servers.c, one function per row.
 *
 * Words that use running servers have separate files.
 */
#ifndef APP_SERVERS_H
#define APP_SERVERS_H

#include "app/app.h"
#include "app/trust.h"
#include "config/server_edit.h"

struct servers_args {
    const char *url, *transport;
    struct option_list env, header;
    struct trust_args trust;
    bool user;
};

/* `word` is what follows the word of the row. Returns the exit code. */
typedef int servers_fn(struct app *app, const struct servers_args *a, int words, char **word);

/* servers_list.c */
servers_fn servers_list, servers_test;

/* Print TEXT, which says that there is no server of this name, and the nearest name. Returns
 * EXIT_USAGE. */
int servers_unknown(const struct app *app, const char *text, const char *name);

/* servers_add.c: what the words and options behind `add` mean; word[0] is there. */
bool servers_read_new(struct arena *mem, const struct servers_args *a, int words, char **word,
                      struct server_new *out, struct err *e);

#endif
