/*
 * app.h - what a verb gets: where we are, what is configured, how to print.
 *
 * A verb is one file here with a `const struct verb` and one row in main.c.
 */
#ifndef APP_APP_H
#define APP_APP_H

#include "app/config.h"
#include "app/options.h"
#include "app/root.h"
#include "app/state_dir.h"

#define TREFOIL_NAME "trefoil"

enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* it was tried and did not work */
    EXIT_USAGE = 2,  /* the command line or the configuration is wrong */
    EXIT_DENIED = 3, /* the guard said no, or asked and nobody could answer */
    EXIT_LIMIT =
        4, /* a limit ended a turn: length, requests, budget, tokens, time, context, stuck */
    EXIT_REFUSED = 5, /* the model refused */
    EXIT_INTERRUPTED = 130,
};

/* Options that every verb takes. */
struct app_options {
    const char *root, *config, *log_level;
    bool json, help, version, trust;
};

struct app {
    struct arena mem; /* program lifetime */
    struct app_options opt;
    struct root root;
    struct state_dir state; /* of the root */
    struct config config;
};

enum { WORDS_ANY = -1 };

/* One of several things that a verb does: `servers add`. */
struct subcommand {
    const char *name;
    const char *words;   /* what follows it, for help; "" for nothing */
    const char *summary; /* one line; NULL: help does not list it */
    int least, most;     /* how many words may follow; most may be WORDS_ANY */
    const char *options; /* the names of those options of the verb that it takes, separated by
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
    const char *more;             /* said below the options of its help; NULL: nothing */
    const struct subcommand *sub; /* the first one runs when none is named */
    size_t subs;
    bool needs_subcommand; /* none runs unless it is named */
    int least, most;       /* without subcommands: how many words may follow */
    const struct option *option;
    size_t options;
    size_t args_size; /* of the struct the option offsets count in */
    bool bare;        /* runs without root and configuration */
    bool serves;      /* logs what there is to remark about the configuration */
    int (*run)(struct app *app, const void *args, int words, char **word); /* subcommand included */
};

extern const struct verb verb_agents, verb_approvals, verb_backup, verb_chat, verb_config,
    verb_connect, verb_doctor, verb_explain, verb_gc, verb_help, verb_init, verb_locks, verb_mcp,
    verb_models, verb_run, verb_serve, verb_servers, verb_sessions, verb_state, verb_tasks,
    verb_tools, verb_trust, verb_version;
extern const char trefoil_version[];

/*
 * The database of the root, if there is one. ERR_NOT_FOUND: nothing is kept for it. Creates nothing.
 */
bool app_find_database(struct app *app, const char **out, struct err *e);

/*
 * Open the state directory for a verb that can also work without it. *keeps is false when it cannot
 * be used: then stderr says why nothing is kept. False, with the reason on stderr, when the verb must
 * not run: the directory is on a network file system, or is set to something that is not a path.
 */
bool app_open_state(struct app *app, bool *keeps);

/* What a verb has to say, to stdout, now. */
void app_print(const struct buf *out);

/*
 * "trefoil: SENTENCE" on stderr, whatever a file put into it made harmless (show.h). Returns
 * EXIT_FAILED, so that `return app_fail(...)` works.
 */
int app_fail(const struct err *e);

/*
 * The same, with EXIT_USAGE when the user named something that does not exist or is wrong
 * (ERR_NOT_FOUND, ERR_INVALID).
 */
int app_fail_given(const struct err *e);

/* The same with EXIT_USAGE. */
int app_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "trefoil: SENTENCE" on stderr, for what the user should know although nothing failed. */
void app_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "DONE NAME in FILE" on stdout, or the three as an object with --json. Returns EXIT_OK. */
int app_done(const struct app *app, const char *done, const char *name, const char *file);

#endif
