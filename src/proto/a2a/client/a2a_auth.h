/* a2a_auth.h - the credentials of a peer in its requests. */
#ifndef PROTO_A2A_CLIENT_A2A_AUTH_H
#define PROTO_A2A_CLIENT_A2A_AUTH_H

#include "proto/a2a/client/a2a_peer.h"

/*
 * Return the header that carries the credentials, with values in mem. name STR_NONE: there is none.
 */
struct http_header a2a_auth_header(struct arena *mem, const struct a2a_peer *p);

/* Return the URL with an API key that belongs into its query; otherwise `url` itself. */
struct str a2a_auth_url(struct arena *mem, const struct a2a_peer *p, struct str url);

/* Must a token be fetched before the next request? */
bool a2a_auth_needs_token(const struct a2a_peer *p);

/* The request for a token: OAuth 2.0 client credentials (RFC 6749, 4.4). In mem. */
struct str a2a_token_body(struct arena *mem, const struct a2a_peer *p);
struct http_header a2a_token_header(struct arena *mem, const struct a2a_peer *p);

/* Read the answer of the token endpoint, and keep the token. Errors never contain the answer. */
bool a2a_token_read(struct a2a_peer *p, int status, struct str text, struct err *e);

/* Forget the token, because the agent has rejected it. */
void a2a_token_drop(struct a2a_peer *p);

#endif
