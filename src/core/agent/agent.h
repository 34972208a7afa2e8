/*
 * agent.h - an agent ready to work: its definition, with the model, the words and the rights that
 * go with it; and the desk where agents are asked for.
 *
 * Made by the desk, shared by all sessions that use it, and never changed: when its files change
 * the desk makes another one, and sessions that are open keep theirs.
 */
#ifndef CORE_AGENT_AGENT_H
#define CORE_AGENT_AGENT_H

#include "core/agent/agent_def.h"
#include "core/guard/guard_check.h"
#include "core/model.h"
#include "core/tool/offer.h"

/* US dollars for a million tokens; negative: not known. */
struct model_price {
    double input, output, cache_read, cache_write;
};

struct agent_model {
    struct provider *provider; /* NULL: none */
    struct str name;           /* as the provider spells it */
    int64_t window;            /* tokens that fit; 0: not known */
    int64_t max_tokens;        /* of one answer; 0: the provider's */
    struct model_price price;
};

struct agent {
    const struct agent_def *def;
    struct agent_model model;
    struct agent_model fallback; /* asked when the first cannot be reached */
    enum model_effort effort;
    struct str system;                 /* all the model is told before the conversation */
    struct guard_scope scope;          /* by its definition; its parent is the guard's own */
    struct offer *offer;               /* tools it may be given, and the host they run on */
    const struct host_folder *include; /* further folders for its tools */
    size_t includes;
    bool is_default; /* no file defines it */
    size_t refs;
    void (*release)(struct agent *a);
};

static inline struct agent *agent_hold(struct agent *a)
{
    a->refs++;
    return a;
}

static inline void agent_drop(struct agent *a)
{
    if (a && !--a->refs)
        a->release(a);
}

/* The word of a definition (agent_words) as models take it; EFFORT_DEFAULT for none of them. */
enum model_effort agent_effort_named(struct str word);

/* ---- the desk -------------------------------------------------------------------------------- */

/* What is known without making an agent ready. */
struct agent_card {
    const char *name, *title;
    struct str description;
    enum agent_mode mode;
    const char *tier; /* NULL: none */
};

struct agent_want {
    struct str name;  /* STR_NONE: the default agent */
    struct str model; /* instead of the definition's: a model, PROVIDER/MODEL or a tier; STR_NONE */
    enum model_effort effort; /* EFFORT_DEFAULT: the definition's */
};

/* A model that somebody may choose. */
struct model_card {
    const char *name; /* as struct agent_want takes it: PROVIDER/MODEL */
    const char *title;
};

struct agent_registry_port;

struct agent_registry_kind {
    /*
     * An agent, held for the caller. Blocks while it reads a few files. ERR_NOT_FOUND (the sentence
     * names those there are), ERR_INVALID (its definition is wrong, no such provider).
     */
    struct agent *(*take)(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e);

    /* The cards of all agents that files define, by name; both live until the desk changes. */
    const struct agent_card *(*cards)(struct agent_registry_port *d, size_t *n);

    /* The models that are configured, without asking any provider; live as long. May be NULL. */
    const struct model_card *(*models)(struct agent_registry_port *d, size_t *n);
};

/* Program lifetime. */
struct agent_registry_port {
    const struct agent_registry_kind *kind;
};

#endif
