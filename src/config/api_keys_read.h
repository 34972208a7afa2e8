/*
 * api_keys_read.h - read the API keys of `serve`.
 *
 *   [serve]
 *   api_key = "env:TREFOIL_KEY"     the key named "default"
 *
 *   [[serve.keys]]
 *   name = "ci"                     its clients are the principal key:ci
 *   key = "file:ci.key"
 *
 * Two keys with one name, or one key under two names, are an error. A key in a project's file does
 * not authenticate a client to the user who serves the project, because the author of the file
 * knows it. Without trust, [[serve.keys]] is ignored, and api_key is required of clients but
 * identifies no principal, and only if the user has configured no key.
 */
#ifndef CONFIG_API_KEYS_READ_H
#define CONFIG_API_KEYS_READ_H

#include "config/server_read.h"
#include "wire/http_key.h"

struct key_list {
    struct http_key *v; /* secrets */
    size_t n;
    bool has_api_key; /* one of them is api_key of a file: a later file replaces it */
};

/* Add the keys of the table [serve] of one file; `r` tells whose file it is. */
bool keys_read(const struct server_reader *r, bool trusted, struct json serve,
               struct key_list *list, struct err *e);

bool keys_equal(const struct key_list *a, const struct key_list *b);

#endif
