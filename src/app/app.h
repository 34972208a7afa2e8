/*
 * app.h - what a verb gets: where we are, what is configured, how to print.
 *
 * A verb is one file here with a `const struct verb` and one row in main.c.
 */
#ifndef APP_APP_H
#define APP_APP_H

#include "app/options.h"
#include "base/json.h"
#include "base/version.h"
#include "config/project.h"
#include "term/print.h"

/* Options that every verb takes. */
struct app_options {
    const char *root, *config, *log_level;
    bool json, help, version, trust;
};

struct app {
    struct app_options opt;
    struct project project;
};

enum { WORDS_ANY = -1 };

/* One of several actions of a verb: `servers add`. */
struct subcommand {
    const char *name;
    const char *words;   /* what follows it, for help; "" for nothing */
    const char *summary; /* one line; NULL: help does not list it */
    int least, most;     /* how many words may follow; most may be WORDS_ANY */
    const char *options; /* the names of the options of the verb that it accepts, separated by
                          * spaces; NULL: none */
};

/*
 * The command line is checked against these tables before `run` is called: the subcommand exists,
 * it takes the options, and the number of words fits.
 */
struct verb {
    const char *name;
    const char *words;            /* what may follow, for help; "" for nothing */
    const char *summary;          /* one line: an imperative verb phrase */
    const char *more;             /* printed below the options of its help; NULL: nothing */
    const struct subcommand *sub; /* the first one runs when none is named */
    size_t subs;
    bool needs_subcommand; /* none runs unless it is named */
    int least, most;       /* without subcommands: how many words may follow */
    const struct option *option;
    size_t options;
    size_t args_size; /* of the struct the option offsets count in */
    bool bare;        /* runs without root and configuration */
    bool serves;      /* logs the notes about the configuration */
    int (*run)(struct app *app, const void *args, int words, char **word); /* subcommand included */
};

extern const struct verb verb_agents, verb_approvals, verb_backup, verb_chat, verb_config,
    verb_connect, verb_doctor, verb_explain, verb_gc, verb_help, verb_init, verb_locks, verb_mcp,
    verb_models, verb_run, verb_serve, verb_servers, verb_sessions, verb_state, verb_tasks,
    verb_tools, verb_trust, verb_version;

/* "DONE NAME in FILE" on stdout, or the three as an object with --json. Returns EXIT_OK. */
int app_done(const struct app *app, const char *done, const char *name, const char *file);

/* A list for stdout: lines in `out`, or with --json the items of an array, written by `w`. */
struct app_list {
    bool json;
    struct buf out;
    struct jw w;
};

void app_list_begin(struct app_list *l, const struct app *app);

/* Print the list if `ok`, and free it. */
void app_list_end(struct app_list *l, bool ok);

#endif
