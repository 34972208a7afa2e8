/*
 * agent.h - the agent port: anything that can work on a prompt; and the registry of agents.
 *
 * Implementations (struct agent_kind):
 *   local    a model and our tools (core/agent/local.h)
 *   script   rules from a file, for tests and demos (provider/script.h)
 *   acp, a2a a driven and a remote agent: later, in proto/acp/client and proto/a2a/client
 *
 * Every face - `run`, `chat`, agents as MCP tools, ACP, A2A, tasks - opens a session (session.h)
 * and starts turns in it (turn.h); both call the kind. No face tests for a kind: what an agent
 * cannot do is missing from its capabilities and NULL in its kind.
 *
 * The session owns the queue, the history, the rights and the log, for every kind. The kind owns
 * only what the agent itself needs to continue: a child process, a remote context id, a position.
 *
 * An agent is made by the registry, shared by all sessions that use it, and never changed: when
 * its files change the registry makes another one, and open sessions keep theirs.
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
    AGENT_RESUMES = 1 << 1,  /* continues a turn that was broken off */
    AGENT_COMPACTS = 1 << 2, /* shortens its history on request */
    AGENT_SAVES = 1 << 3,    /* has state of its own that the session keeps */
};

struct agent_kind {
    const char *name; /* "local", "script": for logs and lists */

    /*
     * Get ready to work in a session that was opened; c->saved is what save() last returned, or
     * STR_NONE. Settle *op; when it fails the session does not open. NULL: always ready.
     */
    void (*open)(struct conversation *c, struct op *op);

    /*
     * Work on a prompt, which the session has stored. Report what happens by turn_event()
     * (core/session/turn.h), or, as the local loop does, by records of its own. Set p->stop and
     * p->why and settle p->op when nothing of the prompt runs any more. Cancelling p->op stops
     * the work: settle with TURN_CANCELED. When the store fails, the turn settles p->op itself.
     */
    void (*prompt)(struct agent_prompt *p);

    /* Continue a turn that was broken off: our process ended before it did. NULL: cannot. */
    void (*resume)(struct agent_prompt *p);

    /* Shorten the history. NULL: cannot. */
    void (*compact)(struct agent_prompt *p);

    /*
     * State that open() needs to continue in another process, as one JSON value in mem. Stored
     * with every record of turn_event(). NULL: none.
     */
    struct str (*save)(const struct conversation *c, struct arena *mem);

    /* Release what open() made. No prompt is under way. NULL: nothing to release. */
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
    const struct block *block; /* what is asked; none when a turn is resumed or compacted */
    size_t blocks;
    struct str id; /* of the message */

    enum turn_stop stop; /* results */
    struct err why;      /* unless stop is TURN_END */

    void (*cancel)(struct agent_prompt *p);  /* op was cancelled: stop soon; NULL: children do */
    void *work;                              /* the kind's */
    void (*release)(struct agent_prompt *p); /* frees work when nothing runs under op; or NULL */
};

struct agent {
    const struct agent_kind *kind;
    const void *own;             /* the kind's data; copies with another definition share it */
    const struct agent_def *def; /* name, title, description: known before anything starts */
    struct str model;            /* the model's name, or what answers instead; may be empty */
    unsigned caps;               /* enum agent_cap */
    struct guard_scope scope;    /* by its definition; its parent is the guard's own */
    struct offer *offer;         /* tools it may be given, and the host they run on */
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

/* What is known of an agent without loading it. */
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
     * An agent, held for the caller. Blocks while it reads a few files. ERR_NOT_FOUND (the sentence
     * lists the agents), ERR_INVALID (its definition is wrong, no such provider).
     */
    struct agent *(*take)(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e);

    /* The cards of all agents that files define, by name; both live until the registry changes. */
    const struct agent_card *(*cards)(struct agent_registry_port *d, size_t *n);

    /* The models that are configured, without asking any provider; live as long. May be NULL. */
    const struct model_card *(*models)(struct agent_registry_port *d, size_t *n);
};

/* Program lifetime. */
struct agent_registry_port {
    const struct agent_registry_kind *kind;
};

#endif
