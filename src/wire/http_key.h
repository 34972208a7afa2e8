/* http_key.h - find and check the API key of a request. Pure; part of the HTTP server. */
#ifndef WIRE_HTTP_KEY_H
#define WIRE_HTTP_KEY_H

#include "wire/http.h"

/* One API key. A key without a name admits a request, but does not identify its sender. */
struct http_key {
    struct str name, secret;
};

enum http_key_verdict {
    HTTP_KEY_RIGHT,
    HTTP_KEY_MISSING,
    HTTP_KEY_WRONG,
};

/*
 * The key is sent as "Authorization: Bearer KEY" or "X-API-Key: KEY". If a request has several of
 * these headers, all of them must have the same key: otherwise a proxy and this server might use
 * different ones. The given text is compared with every key, so that timing does not reveal a near
 * match. *out is set to the key if the verdict is HTTP_KEY_RIGHT.
 */
enum http_key_verdict http_key_check(const struct http_key *key, size_t keys,
                                     const struct http_header *header, size_t n,
                                     const struct http_key **out);

#endif
