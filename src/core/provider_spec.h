/*
 * provider_spec.h - the settings of a model provider, from the configuration or the environment.
 *
 * Pure data, in the arena of the configuration. The presets of the provider kind
 * (provider/provider.h) replace missing values (STR_NONE).
 */
#ifndef CORE_PROVIDER_SPEC_H
#define CORE_PROVIDER_SPEC_H

#include "core/agent/agent_def.h"
#include "core/tool/server_spec.h"

/* Which API of OpenAI to use. All other providers have only one API. */
enum provider_api { API_CHAT, API_RESPONSES };

struct provider_spec {
    const char *name; /* name of the provider: "anthropic", "my-vllm" */
    const char *kind; /* name of the provider kind: "anthropic", "openai", "gemini", "offline" */
    enum provider_api api;
    struct str base_url; /* ends in /v1 for openai only, as in the SDKs of the providers */
    struct str key;      /* a secret: never shown, never logged */
    /* additional HTTP headers; a header with the name of a default header replaces it */
    const struct server_pair *header;
    size_t headers;
    /* one model per enum agent_tier; at TIER_NONE: the default model */
    struct str model[TIER_HIGH + 1];
    /* where the provider is defined: "trefoil.toml:12", or "ANTHROPIC_API_KEY" */
    const char *origin;
};

#endif
