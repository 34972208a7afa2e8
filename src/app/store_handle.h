/*
 * store_handle.h - opens the store of the root, with a loop of its own, for verbs that only read or
 * change stored data. All functions block.
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
    struct arena mem; /* memory of histories, until the handle is closed */
};

/*
 * Open the store. If the root has no database, the function sets s->port to NULL, and there is
 * nothing to close. If the database cannot be opened, prints the reason to stderr and returns
 * false.
 */
bool store_handle_open(struct store_handle *s, struct app *app);

/* Open the database at this path. A missing database is created. */
bool store_handle_create(struct store_handle *s, struct app *app, const char *path, struct err *e);

void store_handle_close(struct store_handle *s);

/* Open the store, call `act` for a verb, and close the store. Returns the exit code. */
typedef int store_verb_fn(struct app *app, struct store_handle *s, const void *args, int words,
                          char **word);
int store_handle_run(struct app *app, store_verb_fn *act, const void *args, int words, char **word);

/* Call `each` for each stored record of a session, in order. */
bool store_handle_records(struct store_handle *s, struct str session,
                          bool (*each)(void *ctx, const struct store_event *record, struct err *e),
                          void *ctx, struct err *e);

/*
 * Read the history of a session into s->mem. The caller must call history_free. Returns NULL on
 * failure.
 */
struct history *store_handle_history(struct store_handle *s, const struct limits *limits,
                                     struct arena *mem, struct str session, struct err *e);

#endif
