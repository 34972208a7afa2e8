/*
 * server_edit.h - changes the MCP servers in a configuration file of trefoil and keeps the rest of
 * its text.
 *
 * Comments, order and formatting stay as they are. The new text is parsed before it is returned: it
 * must be valid, contain the server as requested, and mean the same everywhere else. Otherwise the
 * function fails.
 */
#ifndef CONFIG_SERVER_EDIT_H
#define CONFIG_SERVER_EDIT_H

#include "config/config.h"

struct server_edit {
    struct arena *mem;
    const char *root;
    const struct limits *limits;
    const char *file; /* name of the file, for messages */
    struct str text;  /* the current text of the file; "" if the file does not exist */
};

/*
 * The server to add. For a variable without a value (p == NULL), trefoil passes on the value from
 * its own environment.
 */
struct server_new {
    const char *name;
    const char *const *argv; /* the command, which ends with NULL; NULL if `url` is set */
    const char *url;
    /* "http" or "sse"; NULL: trefoil detects the transport when it connects to the URL */
    const char *transport;
    const struct server_pair *env, *header;
    size_t envs, headers;
};

bool server_edit_add(const struct server_edit *ed, const struct server_new *n, struct str *out,
                     struct err *e);

/* Remove a server. ERR_NOT_FOUND: the file has no such server. */
bool server_edit_remove(const struct server_edit *ed, const char *name, struct str *out,
                        struct err *e);

/* Enable or disable a server. If the server is already in that state, *out is the same text. */
bool server_edit_switch(const struct server_edit *ed, const char *name, bool on, struct str *out,
                        struct err *e);

#endif
