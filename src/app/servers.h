/*
 * servers.h - the verb `servers`. Each subcommand has one row in servers.c and one function.
 *
 * Subcommands that use running servers are in separate files.
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

/* Run a subcommand. `word` has the words after its name. Returns the exit code. */
typedef int servers_fn(struct app *app, const struct servers_args *a, int words, char **word);

/* servers_approve.c: approve changed definitions of the tools of a server. */
servers_fn servers_approve_tools;

/* These two functions are in servers_list.c. */
servers_fn servers_list, servers_test;

/*
 * Print `text`, the error that no server has this name, and suggest the most similar name. Returns
 * EXIT_USAGE.
 */
int servers_unknown(const struct app *app, const char *text, const char *name);

/*
 * servers_add.c: parse the words and options of `add` into *out. There must be at least one word.
 */
bool servers_read_new(struct arena *mem, const struct servers_args *a, int words, char **word,
                      struct server_new *out, struct err *e);

#endif
