/*
 * app.h - the data and helper functions that each verb (command) of the program gets.
 *
 * A verb is one file in this folder with a `const struct verb`, and one row in main.c.
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
    const char *words;   /* the words that may follow, as shown in help; "": none */
    const char *summary; /* one line; NULL: help does not list it */
    int least, most;     /* how many words may follow; `most` may be WORDS_ANY */
    /*
     * names of the verb's options that the subcommand accepts, separated by spaces; NULL: none
     */
    const char *options;
};

/*
 * Before `run` is called, the command line is checked against these tables: the subcommand must
 * exist and take the given options, and the number of words must be allowed.
 */
struct verb {
    const char *name;
    const char *words;            /* the words that may follow, as shown in help; "": none */
    const char *summary;          /* one line: an imperative verb phrase */
    const char *more;             /* text that help shows below the options; NULL: none */
    const struct subcommand *sub; /* the first one is the default */
    size_t subs;
    bool needs_subcommand; /* the user must name a subcommand, because there is no default */
    int least, most;       /* how many words may follow, if the verb has no subcommands */
    const struct option *option;
    size_t options;
    size_t args_size; /* size of the struct that contains the option values (option.offset) */
    bool bare;        /* the verb needs no root and no configuration */
    bool serves;      /* the verb itself writes the notes about the configuration to the log */
    /* runs the verb; `word` includes the subcommand. Returns the exit code */
    int (*run)(struct app *app, const void *args, int words, char **word);
};

extern const struct verb verb_a2a, verb_acp, verb_agents, verb_approvals, verb_audit, verb_backup,
    verb_chat, verb_config, verb_connect, verb_doctor, verb_explain, verb_gc, verb_help, verb_init,
    verb_locks, verb_mcp, verb_models, verb_run, verb_sandbox, verb_serve, verb_servers,
    verb_sessions, verb_state, verb_tasks, verb_tools, verb_trust, verb_version;

/*
 * Print "DONE NAME in FILE" to stdout, or with --json these three texts as a JSON object. Returns
 * EXIT_OK.
 */
int app_done(const struct app *app, const char *done, const char *name, const char *file);

/*
 * A list for stdout. Write lines to `out` or, with --json, write the items of a JSON array with
 * `w`.
 */
struct app_list {
    bool json;
    struct buf out;
    struct jw w;
};

void app_list_begin(struct app_list *l, const struct app *app);

/* Print the list if `ok`, and free it. */
void app_list_end(struct app_list *l, bool ok);

#endif
