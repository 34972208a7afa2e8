/*
 * a2a_peer.h - a remote agent: its address, its credentials, its card and its access token.
 *
 * A peer is created without any I/O. a2a_meet() reads the card when it is needed, and again after
 * limits.a2a_card_ms. If the card cannot be read again, the old one stays in use.
 *
 * The user configures one URL. Requests are sent to the origin of this URL, and to further origins
 * that the user lists, and to no other: a card, a redirect or a changed card cannot lead prompts
 * and credentials elsewhere.
 */
#ifndef PROTO_A2A_CLIENT_A2A_PEER_H
#define PROTO_A2A_CLIENT_A2A_PEER_H

#include "proto/a2a/client/a2a_peer_card.h"
#include "wire/http_client.h"

struct a2a_peer_opts {
    struct loop *loop;
    const struct limits *limits;
    struct http_client *http; /* must outlive the requests of the peer */
    const char *user_agent;   /* "trefoil/1.0 A2A"; borrowed */
    /* copied; its secrets are values, not references */
    const struct remote_spec *spec;
    /* FETCH_OUTSIDE: the URL is from a model; `policy` says which addresses it may reach */
    enum fetch_zone zone;
    const struct address_policy *policy;
};

struct a2a_peer {
    struct a2a_peer_opts o;
    struct arena mem;
    struct remote_spec spec;
    struct a2a_url url; /* as configured */
    size_t refs;

    struct arena card_mem;
    struct a2a_peer_card card;
    struct a2a_interface face; /* the chosen one */
    int64_t met;               /* when the card was read (loop_now); -1: never */

    struct arena token_mem; /* OAuth */
    struct str token;       /* STR_NONE: none */
    int64_t token_until;    /* loop_now */

    int64_t requests; /* ids of JSON-RPC requests so far */
};

/* Create a peer with one reference. NULL and ERR_INVALID: the URL is not valid. */
struct a2a_peer *a2a_peer_new(const struct a2a_peer_opts *opts, struct err *e);
struct a2a_peer *a2a_peer_hold(struct a2a_peer *p);
void a2a_peer_drop(struct a2a_peer *p); /* p may be NULL */

/* Is the card known and not too old? */
bool a2a_peer_met(const struct a2a_peer *p);

/* ---- reading the card ------------------------------------------------------------------------ */

enum { A2A_CARD_PLACES = 4 };

struct a2a_exchange;

/* An op that reads the card. Zero it; it must live until the op is done. */
struct a2a_meeting {
    struct op op; /* first */
    struct a2a_peer *peer;
    struct arena mem;
    struct str place[A2A_CARD_PLACES]; /* the URLs to try, in this order */
    size_t places, at;
    bool other[A2A_CARD_PLACES]; /* the card may be that of another agent of the same server */
    struct a2a_exchange *exchange;
    struct err why; /* why the first place had no card */
};

/*
 * Read the card of a peer and choose its interface; if the peer has a card that is not too old,
 * nothing is sent. Tries the URL itself if it ends with .json, otherwise
 * .well-known/agent-card.json and .well-known/agent.json below the URL, then at the root of its
 * origin. Fails with ERR_NOT_FOUND (no card), ERR_INVALID, ERR_DENIED (credentials, or another
 * origin) or as a fetch does.
 */
void a2a_meet(struct a2a_meeting *m, struct a2a_peer *p, struct op *parent, op_done_fn *done,
              void *ctx);

#endif
