/*
 * agent.h - the agent port: anything that can work on a prompt; and the registry of agents.
 *
 * Implementations (struct agent_kind):
 *   local    a model and our tools (core/agent/local.h)
 *   script   rules from a file, for tests and demos (provider/script.h)
 *   acp, a2a agents that we control over ACP or call over A2A: planned, in proto/acp/client and
 *            proto/a2a/client
 *
 * Every user of agents (`run`, `chat`, MCP tools, tasks) opens a session (session.h) and starts
 * turns in it (turn.h); both call the kind. No user tests for a kind: a feature that an agent lacks
 * is missing from its capabilities and NULL in its kind.
 *
 * The session owns the queue, the history, the rights and the log, for every kind. The kind owns
 * only what the agent itself needs to continue: a child process, a remote context id, a position.
 *
 * The registry makes an agent, and all sessions that use it share it. An agent is never changed:
 * when its files change, the registry makes a new one, and open sessions keep the old one.
 */
#ifndef CORE_AGENT_AGENT_H
#define CORE_AGENT_AGENT_H

#include "core/agent/agent_def.h"
#include "core/event.h"
#include "core/guard/guard_check.h"
#include "core/tool/offer.h"

struct agent_prompt;
struct conversation;

enum agent_cap {
    AGENT_MEDIA = 1 << 0,    /* accepts images and audio in prompts */
    AGENT_RESUMES = 1 << 1,  /* resumes an unfinished turn */
    AGENT_COMPACTS = 1 << 2, /* shortens its history on request */
    AGENT_SAVES = 1 << 3,    /* has state that the session stores (agent_kind.save) */
};

struct agent_kind {
    const char *name; /* "local", "script": for logs and lists */

    /*
     * Prepare for work in a session that was opened. c->saved is what save() last returned, or
     * STR_NONE. Settle *op; if it fails, the session does not open. NULL: always ready.
     */
    void (*open)(struct conversation *c, struct op *op);

    /*
     * Work on a prompt, which the session has stored. Report events with turn_event()
     * (core/session/turn.h); the local agent writes its records itself. When no work on the prompt
     * is running any more, set p->stop and p->why and settle p->op. If p->op is cancelled, stop the
     * work and settle with TURN_CANCELED. If the store fails, the turn settles p->op itself.
     */
    void (*prompt)(struct agent_prompt *p);

    /* Resume a turn that was unfinished when its process ended. NULL: cannot. */
    void (*resume)(struct agent_prompt *p);

    /* Shorten the history. NULL: cannot. */
    void (*compact)(struct agent_prompt *p);

    /*
     * The state that open() needs in another process, as one JSON value in mem. It is stored with
     * every batch of records of turn_event(). NULL: none.
     */
    struct str (*save)(const struct conversation *c, struct arena *mem);

    /* Release what open() allocated. No prompt is running. NULL: nothing to release. */
    void (*close)(struct conversation *c, struct op *op);
};

/* The agent's side of one session; lives as long as the session. */
struct conversation {
    struct session *session;
    struct str saved;
    void *data; /* the kind's */
};

/* One prompt. Lifetime: its turn. */
struct agent_prompt {
    struct op op; /* first: under the turn's */
    struct turn *turn;
    struct conversation *conversation;
    const struct block *block; /* the prompt; empty when a turn is resumed or compacted */
    size_t blocks;
    struct str id; /* id of the message */

    enum turn_stop stop; /* results */
    struct err why;      /* unless stop is TURN_END */

    /* called when op is cancelled. NULL: cancelling the child ops is enough */
    void (*cancel)(struct agent_prompt *p);
    void *work;                              /* the kind's */
    void (*release)(struct agent_prompt *p); /* called when the turn is over: frees work; or NULL */
};

struct agent {
    const struct agent_kind *kind;
    const void *own; /* data of the kind; copies of the agent with another definition share it */
    const struct agent_def *def; /* name, title, description: known before anything starts */
    struct str model; /* name of the model, or of what answers instead of one; may be empty */
    unsigned caps;    /* enum agent_cap */
    struct guard_scope scope; /* rights from its definition; the parent is the guard's own scope */
    struct offer *offer;      /* the tools that it can use, and the host they run on */
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

/* The effort that a word of a definition (agent_words) names; else EFFORT_DEFAULT. */
enum model_effort agent_effort_named(struct str word);

/* ---- the registry ---------------------------------------------------------------------------- */

/* What is known about an agent before it is loaded. */
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

/* A model that can be chosen. */
struct model_card {
    const char *name; /* as struct agent_want takes it: PROVIDER/MODEL */
    const char *title;
};

struct agent_registry_port;

struct agent_registry_kind {
    /*
     * Return an agent with a reference that the caller must drop (agent_drop). Reads a few files,
     * which blocks. ERR_NOT_FOUND: the message lists the agents. ERR_INVALID: the definition is
     * wrong, or there is no such provider.
     */
    struct agent *(*take)(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e);

    /*
     * The cards of all agents that files define, sorted by name; valid until the registry changes.
     */
    const struct agent_card *(*cards)(struct agent_registry_port *d, size_t *n);

    /* The configured models, without a request to any provider; valid as long. May be NULL. */
    const struct model_card *(*models)(struct agent_registry_port *d, size_t *n);
};

/* Program lifetime. */
struct agent_registry_port {
    const struct agent_registry_kind *kind;
};

#endif
