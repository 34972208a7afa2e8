/*
 * service_secrets.h - collects the secrets of a configuration for the guard, which denies calls
 * that would send them away (core/guard/own_secrets.h).
 */
#ifndef RUNTIME_SERVICE_SECRETS_H
#define RUNTIME_SERVICE_SECRETS_H

#include "config/config.h"
#include "core/guard/own_secrets.h"

/* Zero it. */
struct service_secrets {
    struct arena mem;
    struct own_secrets set;
};

/*
 * Replace the set by the secrets in this configuration and in the environment variables of model
 * providers.
 */
void service_secrets_use(struct service_secrets *s, const struct config *c);

void service_secrets_fini(struct service_secrets *s);

#endif
