/*
 * a2a_proxy.h - requests that come through a reverse proxy.
 *
 * The headers X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host count only if the address
 * that the request came from is one of [a2a] trusted_proxies. Anyone can send them otherwise.
 */
#ifndef PROTO_A2A_SERVER_A2A_PROXY_H
#define PROTO_A2A_SERVER_A2A_PROXY_H

#include "proto/a2a/server/a2a_server.h"

/* Is the client on this machine? Behind a trusted proxy, the client that the proxy names counts. */
bool a2a_client_is_local(const struct a2a_setup *setup, const struct http_req *req);

/*
 * The base URL of this server as the client knows it, without a slash at the end: public_url, else
 * what a trusted proxy says, else the Host of the request.
 */
struct str a2a_base_url(const struct a2a_setup *setup, struct http_req *req);

#endif
