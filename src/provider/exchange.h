/*
 * exchange.h - one request to a model over HTTP, with retries.
 *
 *   FETCHING -> done
 *      |  ^
 *      v  |
 *    WAITING        after a temporary failure, before the first delta
 *
 * In both states, cancelling ends the request immediately. The model turn settles when its fetch is
 * done.
 */
#ifndef PROVIDER_EXCHANGE_H
#define PROVIDER_EXCHANGE_H

#include "provider/intake.h"
#include "wire/http_client.h"

/* The state of a provider that is reached over HTTP. */
struct http_provider {
    struct provider_spec spec; /* complete: presets fill in what the configuration omits */
    const struct format *format;
    struct http_client *client;
    const struct limits *limits;
};

extern const struct op_kind exchange_op;

/* The `start` of the provider_kind of all providers that are reached over HTTP. */
void exchange_start(struct provider *p, struct model_turn *t);

#endif
