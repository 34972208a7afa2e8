/*
 * provider_spec.h - a provider of models as the configuration or the environment names it.
 *
 * Pure data, in the arena of the configuration. Omitted values (STR_NONE) are filled in from the
 * presets of its kind (provider/provider.h).
 */
#ifndef CORE_PROVIDER_SPEC_H
#define CORE_PROVIDER_SPEC_H

#include "core/agent/agent_def.h"
#include "core/tool/server_spec.h"

/* The API of OpenAI that is used; other providers have one. */
enum provider_api { API_CHAT, API_RESPONSES };

struct provider_spec {
    const char *name; /* "anthropic", "my-vllm" */
    const char *kind; /* "anthropic", "openai", "gemini", "offline" */
    enum provider_api api;
    struct str base_url; /* with /v1 for openai, without for the others, as their own tools do */
    struct str key;      /* a secret: never shown, never logged */
    /* added to our headers; replaces one of ours with the same name */
    const struct server_pair *header;
    size_t headers;
    struct str model[TIER_HIGH + 1]; /* by enum agent_tier; TIER_NONE: the default model */
    const char *origin;              /* "trefoil.toml:12", or "ANTHROPIC_API_KEY" */
};

#endif
