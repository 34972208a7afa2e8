/*
 * store_handle.h - for verbs that only read or change stored data: the store of the root, with its
 * own loop. Blocking, like the verbs.
 */
#ifndef APP_STORE_HANDLE_H
#define APP_STORE_HANDLE_H

#include "app/app.h"
#include "core/session/history.h"
#include "store/store.h"

struct store_handle {
    struct loop *loop;
    struct store *store;
    struct store_port *port;
    struct arena mem; /* of histories, until it is closed */
};

/*
 * Creates nothing: without a database *port is NULL, and there is nothing to close. False, with the
 * reason on stderr, when it cannot be opened.
 */
bool store_handle_open(struct store_handle *s, struct app *app);

/* The database at a path, which is created if it is missing. */
bool store_handle_create(struct store_handle *s, struct app *app, const char *path, struct err *e);

void store_handle_close(struct store_handle *s);

/* Open the store, call `act` for a verb, and close the store. Returns the exit code. */
typedef int store_verb_fn(struct app *app, struct store_handle *s, const void *args, int words,
                          char **word);
int store_handle_run(struct app *app, store_verb_fn *act, const void *args, int words, char **word);

/* The records of a session, as they are stored, one after the other. */
bool store_handle_records(struct store_handle *s, struct str session,
                          bool (*each)(void *ctx, const struct store_event *record, struct err *e),
                          void *ctx, struct err *e);

/* Its conversation, in mem. history_free it. NULL on failure. */
struct history *store_handle_history(struct store_handle *s, const struct limits *limits,
                                     struct arena *mem, struct str session, struct err *e);

#endif
