/*
 * a2a_url.h - URLs of A2A servers: parse, compare origins, resolve.
 *
 * The card of a server names the URLs at which its agent is reached. trefoil sends credentials and
 * prompts only to the origin that the user has configured. libcurl parses the URLs (wire/http_url.h),
 * so the origin that is checked is the one to which libcurl connects. The scheme must be http or
 * https, and a user name or password is not accepted.
 */
#ifndef PROTO_A2A_CLIENT_A2A_URL_H
#define PROTO_A2A_CLIENT_A2A_URL_H

#include "base/arena.h"
#include "base/err.h"

struct a2a_url {
    struct str text;   /* the whole URL, normalised, without a fragment */
    struct str origin; /* "https://host:port", in lower case, without the default port */
    struct str path;   /* path and query; may be empty */
};

/* Parse a URL; the parts are in mem. ERR_INVALID: it is not such a URL. */
bool a2a_url_read(struct arena *mem, struct str text, struct a2a_url *out, struct err *e);

/* Resolve a URL that a card names: it may be relative to the URL of the card ("/a2a"). */
bool a2a_url_resolve(struct arena *mem, const struct a2a_url *card, struct str text,
                     struct a2a_url *out, struct err *e);

/*
 * Do both URLs have the same scheme, host and port? localhost, 127.0.0.1 and [::1] are the same
 * host.
 */
bool a2a_same_origin(struct str a, struct str b);

/* Return `base` without slashes at its end, followed by `tail`. In mem. */
struct str a2a_url_add(struct arena *mem, struct str base, const char *tail);

/* Append s to a URL with all bytes escaped that have a meaning in a URL. */
struct str a2a_url_escape(struct arena *mem, struct str s);

#endif
