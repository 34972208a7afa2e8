#include "proto/http_principal.h"

struct principal http_principal(const struct http_req *req)
{
    if (req->key.n)
        return principal_of_key(req->key);
    if (req->has_uid)
        return principal_of_user(ORIGIN_SOCKET, req->uid);
    if (req->loopback)
        return principal_of_loopback();
    return (struct principal){ .origin = ORIGIN_NONE };
}
