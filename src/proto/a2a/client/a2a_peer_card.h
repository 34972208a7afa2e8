/*
 * a2a_peer_card.h - the card of a remote agent: read it, and choose the interface to use.
 *
 * A card lists interfaces: URLs with a binding and a version. Cards of 1.0 have supportedInterfaces;
 * cards of 0.3 have url, preferredTransport and additionalInterfaces; older cards have only a url.
 * A card with supportedInterfaces is read as one of 1.0, even if it also has the members of 0.3.
 *
 * Pure. All data of a card is in the arena that it was read into.
 */
#ifndef PROTO_A2A_CLIENT_A2A_PEER_CARD_H
#define PROTO_A2A_CLIENT_A2A_PEER_CARD_H

#include "base/limits.h"
#include "core/agent/remote_spec.h"
#include "proto/a2a/a2a_dialect.h"
#include "proto/a2a/client/a2a_url.h"

enum { A2A_INTERFACES_MOST = 64 };

/* How the agent is reached. */
struct a2a_interface {
    struct a2a_url url;
    struct str binding, version; /* as the card names them */
    struct str tenant;           /* STR_NONE: none */
    enum a2a_dialect dialect;    /* how its messages are written */
    bool rest;                   /* HTTP+JSON; false: JSON-RPC */
    bool known;                  /* trefoil has the binding and the version */
};

struct a2a_peer_card {
    struct a2a_url url; /* where it was read */
    struct str raw;     /* the JSON text */
    struct json root;
    struct str name, description, version;
    bool streaming;
    struct a2a_interface *face; /* in the order of the card */
    size_t faces;
    size_t skills;
};

/* Read a card. ERR_INVALID: it is no card; the message says what is missing. */
bool a2a_card_read(struct arena *mem, const struct limits *limits, struct str text,
                   const struct a2a_url *url, struct a2a_peer_card *out, struct err *e);

/*
 * Choose an interface: the newest version, and of this version the first binding of the card,
 * unless the spec names a version or binding. Only interfaces at the origin `home`, or at an origin
 * that the spec lists, are considered. ERR_INVALID: the card has no interface that trefoil can use;
 * ERR_DENIED: it has one, but at another origin.
 */
bool a2a_card_choose(const struct a2a_peer_card *card, const struct remote_spec *spec,
                     struct str home, const struct a2a_interface **out, struct err *e);

#endif
