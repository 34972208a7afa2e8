/*
 * own_secrets.h - the values of the secrets that trefoil itself holds: keys of model providers, API
 * keys of its clients, and secrets in the variables and headers of MCP servers.
 *
 * The set finds these values in a text. A value that is too short or too plain to be a secret is
 * not added, because it would be found in unrelated texts.
 */
#ifndef CORE_GUARD_OWN_SECRETS_H
#define CORE_GUARD_OWN_SECRETS_H

#include "base/arena.h"

enum { OWN_SECRET_BITS = 4096 };

struct own_secret {
    struct str name, value;
    struct own_secret *next;
};

/* Initialize it with zeros. own_secrets_add gets the arena that holds the data. */
struct own_secrets {
    struct own_secret *first;
    /* a filter: one bit is set for the hash of the first bytes of each value */
    uint64_t bits[OWN_SECRET_BITS / 64];
};

/*
 * Add a value, with a name for messages. Both are copied. A scheme before the secret ("Bearer ") is
 * left out.
 */
void own_secrets_add(struct own_secrets *set, struct arena *mem, struct str name, struct str value);

/* Find a secret whose value is in the text. NULL: there is none. */
const struct own_secret *own_secrets_find(const struct own_secrets *set, struct str text);

#endif
