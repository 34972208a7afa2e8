/* http_principal.h - the principal of an HTTP request. */
#ifndef PROTO_HTTP_PRINCIPAL_H
#define PROTO_HTTP_PRINCIPAL_H

#include "core/principal.h"
#include "wire/http_server.h"

/* A request from another machine without a named key has ORIGIN_NONE. */
struct principal http_principal(const struct http_req *req);

#endif
