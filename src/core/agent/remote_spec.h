/*
 * remote_spec.h - the address and the credentials of a remote agent: the keys `url`, `auth`,
 * `binding`, `protocol_version` and `origins` of an agent's definition, and the entries of
 * [[a2a.external_agents]]. Pure data; proto/a2a/client uses it.
 *
 * A definition holds credentials as they are written, usually as a reference (env:NAME or
 * file:PATH). The reference is resolved when the agent is used.
 */
#ifndef CORE_AGENT_REMOTE_SPEC_H
#define CORE_AGENT_REMOTE_SPEC_H

#include "base/pick.h"

enum remote_auth {
    REMOTE_AUTH_NONE,
    REMOTE_AUTH_BEARER,  /* Authorization: Bearer SECRET */
    REMOTE_AUTH_API_KEY, /* a header, query parameter or cookie */
    REMOTE_AUTH_BASIC,   /* Authorization: Basic, with `user` and SECRET */
    REMOTE_AUTH_OAUTH,   /* OAuth 2.0 client credentials, with `user` and SECRET */
    REMOTE_AUTHS,
};

enum remote_key_place { REMOTE_KEY_HEADER, REMOTE_KEY_QUERY, REMOTE_KEY_COOKIE };

struct remote_spec {
    struct str url; /* the URL of the card, or the one below which the card is looked for */
    enum remote_auth auth;
    struct str secret;   /* token, key, password or client secret; may be a reference */
    struct str user;     /* user name, or client id; may be a reference */
    struct str key_name; /* API key: name of the header, parameter or cookie */
    enum remote_key_place place;
    struct str token_url; /* OAuth: the endpoint that issues tokens */
    struct str scope;     /* OAuth: scopes, separated by spaces; STR_NONE: none */
    struct str binding;   /* "JSONRPC" or "HTTP+JSON"; STR_NONE: the first one of the card */
    struct str version;   /* "1.0", "0.3" or "0.1"; STR_NONE: the newest one of the card */
    bool trefoil; /* the agent is another trefoil: its events are read from metadata.trefoil */
    /* further origins that the card may name, such as "https://api.example.org" */
    struct pick_strs origins;
};

/* Return a deep copy in mem. */
struct remote_spec remote_spec_copy(struct arena *mem, const struct remote_spec *s);

/* Do both specs have the same values? */
bool remote_spec_same(const struct remote_spec *a, const struct remote_spec *b);

#endif
