/*
 * http_url.h - parse and check a URL to be fetched.
 *
 * libcurl parses the URL, so the parts that are checked are the same parts that libcurl uses. The
 * scheme must be http or https, the host must be ASCII, and a user or password is not allowed. Part
 * of the HTTP client.
 */
#ifndef WIRE_HTTP_URL_H
#define WIRE_HTTP_URL_H

#include "base/arena.h"
#include "wire/curl_api.h"

struct http_url {
    struct str text; /* the whole URL, normalised, without fragment; NUL-terminated */
    struct str host; /* without brackets */
    uint16_t port;
    bool tls;
};

/*
 * Parse `text`; if `base` is not NULL, `text` may be relative to it, as in a Location header. The
 * parts are in the arena. The ERR_INVALID message never has more of the URL than the host.
 */
bool http_url_read(const struct curl_api *api, struct arena *mem, struct str text,
                   const struct http_url *base, struct http_url *out, struct err *e);

/* Do both have the same scheme, host and port? */
bool http_url_same_origin(const struct http_url *a, const struct http_url *b);

#endif
