/*
 * api_keys_read.h - reads the API keys with which clients authenticate to `trefoil serve`.
 *
 *   [serve]
 *   api_key = "env:TREFOIL_KEY"     the key named "default"
 *
 *   [[serve.keys]]
 *   name = "ci"                     clients with this key are the principal key:ci
 *   key = "file:ci.key"
 *
 * Two keys with the same name, or one key under two names, are an error.
 *
 * A key in a project's file is known to the author of that file, so such a key does not prove who a
 * client is. Unless the user trusts the project, its [[serve.keys]] are ignored. The project's
 * api_key is used only if the user's own files contain no key: then clients must send this key, but
 * the key identifies no principal.
 */
#ifndef CONFIG_API_KEYS_READ_H
#define CONFIG_API_KEYS_READ_H

#include "config/server_read.h"
#include "wire/http_key.h"

struct key_list {
    struct http_key *v; /* the keys, which are secrets */
    size_t n;
    bool has_api_key; /* one of the keys is an api_key; the api_key of a later file replaces it */
};

/*
 * Add the keys of the table [serve] of one file. r->from_project tells whether the file belongs to
 * the project or to the user.
 */
bool keys_read(const struct server_reader *r, bool trusted, struct json serve,
               struct key_list *list, struct err *e);

bool keys_equal(const struct key_list *a, const struct key_list *b);

#endif
