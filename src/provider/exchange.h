/*
 * exchange.h - one request to a model over HTTP, tried again while that helps.
 *
 *   FETCHING -> done
 *      |  ^
 *      v  |
 *    WAITING        a failure that may pass, before the first delta
 *
 * Cancelling ends either state at once. The turn settles when the fetch under it is gone.
 */
#ifndef PROVIDER_EXCHANGE_H
#define PROVIDER_EXCHANGE_H

#include "provider/intake.h"
#include "wire/http_client.h"

/* The state of a provider that is reached over HTTP. */
struct http_provider {
    struct provider_spec spec; /* complete */
    const struct format *format;
    struct http_client *client;
    const struct limits *limits;
};

extern const struct op_kind exchange_op;

/* `start` of their provider_kind. */
void exchange_start(struct provider *p, struct model_turn *t);

#endif
