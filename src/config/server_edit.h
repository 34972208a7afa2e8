/*
 * server_edit.h - change the servers in one of our files and leave the rest of its text unchanged.
 *
 * The position comes from the TOML reader; comments, order and formatting stay as they are. The new
 * text is parsed before it is returned: it must be valid, contain the server as requested, and mean
 * the same everywhere else. Otherwise the function fails and nothing is written.
 */
#ifndef CONFIG_SERVER_EDIT_H
#define CONFIG_SERVER_EDIT_H

#include "config/config.h"

struct server_edit {
    struct arena *mem;
    const char *root;
    const struct limits *limits;
    const char *file; /* for messages */
    struct str text;  /* the current text of the file; "" when there is none */
};

/* The server to add. A variable without a value (p == NULL) passes our value on. */
struct server_new {
    const char *name;
    const char *const *argv; /* ended by NULL; NULL with a url */
    const char *url;
    const char *transport; /* http or sse; NULL: what fits the url is found out */
    const struct server_pair *env, *header;
    size_t envs, headers;
};

bool server_edit_add(const struct server_edit *ed, const struct server_new *n, struct str *out,
                     struct err *e);

/* ERR_NOT_FOUND when the file has no such server. */
bool server_edit_remove(const struct server_edit *ed, const char *name, struct str *out,
                        struct err *e);

/* Enable or disable. The same text when it is so already. */
bool server_edit_switch(const struct server_edit *ed, const char *name, bool on, struct str *out,
                        struct err *e);

#endif
