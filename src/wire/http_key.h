/* http_key.h - does a request bring the API key? Pure; part of the HTTP server. */
#ifndef WIRE_HTTP_KEY_H
#define WIRE_HTTP_KEY_H

#include "wire/http.h"

enum http_key_verdict {
    HTTP_KEY_RIGHT,
    HTTP_KEY_MISSING,
    HTTP_KEY_WRONG,
};

/*
 * The key comes as "Authorization: Bearer KEY" or "X-API-Key: KEY". Whatever of the two is there,
 * and however often, must be the key: a proxy and we must not pick different ones. Takes as long
 * for a wrong key as for the right one.
 */
enum http_key_verdict http_key_check(struct str key, const struct http_header *header, size_t n);

#endif
