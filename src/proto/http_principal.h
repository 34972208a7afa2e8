/* http_principal.h - find out which principal has sent an HTTP request. */
#ifndef PROTO_HTTP_PRINCIPAL_H
#define PROTO_HTTP_PRINCIPAL_H

#include "core/principal.h"
#include "wire/http_server.h"

/* Return the principal. Its origin is ORIGIN_NONE if the request came from another machine without
 * a named API key. */
struct principal http_principal(const struct http_req *req);

#endif
