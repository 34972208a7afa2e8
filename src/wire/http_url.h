/*
 * http_url.h - a URL that may be fetched, in its parts.
 *
 * Read by libcurl's own URL parser, so that what was checked is what is fetched. Only http and
 * https; no user or password in it; the host in ASCII. Part of the HTTP client.
 */
#ifndef WIRE_HTTP_URL_H
#define WIRE_HTTP_URL_H

#include "base/arena.h"
#include "wire/curl_api.h"

struct http_url {
    struct str text; /* whole and normalised, without fragment; NUL-terminated */
    struct str host; /* without brackets */
    uint16_t port;
    bool tls;
};

/*
 * Parse `text`, relative to `base` if that is not NULL (as for a Location). The parts are in the
 * arena. The ERR_INVALID message never repeats more of the URL than the host.
 */
bool http_url_read(const struct curl_api *api, struct arena *mem, struct str text,
                   const struct http_url *base, struct http_url *out, struct err *e);

/* Same scheme, host and port. */
bool http_url_same_origin(const struct http_url *a, const struct http_url *b);

#endif
