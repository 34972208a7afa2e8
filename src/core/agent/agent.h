/*
 * agent.h - the port that agents implement, and the port of the agent registry. An agent is
 * anything that can work on a prompt.
 *
 * Implementations (struct agent_kind):
 *   local    a model with trefoil's tools (core/agent/local.h)
 *   script   rules from a file, for tests and demos (provider/script.h)
 *   acp      programs that speak ACP, which trefoil starts (proto/acp/client/acp_client.h)
 *   a2a      remote agents that trefoil calls over A2A (proto/a2a/client/a2a_agent.h)
 *
 * All code that uses an agent (`run`, `chat`, MCP tools, tasks) opens a session (session.h) and
 * starts turns in it (turn.h). Sessions and turns call the functions of the kind. No other code
 * depends on the kind: if an agent lacks a feature, its `caps` lack the bit and the function in its
 * kind is NULL.
 *
 * The session has the queue, the history, the rights and the log of agents of every kind. The kind
 * has only the data that the agent needs to continue, such as a child process or the id of a remote
 * context.
 *
 * The registry creates an agent; all sessions that use the agent share it. An agent never changes.
 * When its files change, the registry creates a new agent, and open sessions keep the old one.
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
    const char *name; /* "local", "script", "acp": for logs and lists */

    /*
     * Prepare for work in a session that is being opened. c->saved is the last result of save(), or
     * STR_NONE. Complete *op when ready. If *op fails, the session does not open. NULL: there is
     * nothing to prepare.
     */
    void (*open)(struct conversation *c, struct op *op);

    /*
     * Work on a prompt, which the session has stored. Report events with turn_event()
     * (core/session/turn.h); only the local agent writes its records itself. When all work on the
     * prompt has ended, set p->stop and p->why and complete p->op. If p->op is cancelled, stop the
     * work and set p->stop to TURN_CANCELED. If the store fails, the turn completes p->op itself.
     */
    void (*prompt)(struct agent_prompt *p);

    /*
     * Resume a turn that was unfinished when its process ended. NULL: the agent cannot resume
     * turns.
     */
    void (*resume)(struct agent_prompt *p);

    /* Shorten the history. NULL: the agent cannot do that. */
    void (*compact)(struct agent_prompt *p);

    /*
     * Return the state that open() needs to continue in another process, as one JSON value in mem.
     * The session stores it with every batch of records of turn_event(). NULL: no state.
     */
    struct str (*save)(const struct conversation *c, struct arena *mem);

    /* Release what open() allocated, then complete *op. No prompt is running. May be NULL. */
    void (*close)(struct conversation *c, struct op *op);
};

/* The agent's data about one session. It lives as long as the session. */
struct conversation {
    struct session *session;
    struct str saved; /* the last result of agent_kind.save, or STR_NONE */
    void *data;       /* private to the kind */
    /*
     * The kind that has set `data` and whose close() must be called; NULL: the kind of the
     * session's agent. A session may get an agent of another kind (session_change).
     */
    const struct agent_kind *kind;
};

/* One prompt. It lives as long as its turn. */
struct agent_prompt {
    struct op op; /* first; a child of the turn's op */
    struct turn *turn;
    struct conversation *conversation;
    const struct block *block; /* the prompt; empty when a turn is resumed or compacted */
    size_t blocks;
    struct str id;      /* id of the prompt as a message */
    struct str message; /* another id that the client has for the prompt; STR_NONE: none */

    enum turn_stop stop; /* result: the kind of end of the turn */
    struct err why;      /* result: the reason for `stop`, unless `stop` is TURN_END */
    /*
     * result: the body of an answer record that is stored together with the end, so that both are
     * one commit; STR_NONE: none. `answered` is then called when it is stored, before the end is
     * reported
     */
    struct str last_answer;
    void (*answered)(struct agent_prompt *p);

    /* called when `op` is cancelled. NULL: it is enough to cancel the child ops */
    void (*cancel)(struct agent_prompt *p);
    void *work;                              /* private to the kind */
    void (*release)(struct agent_prompt *p); /* frees `work` after the turn; may be NULL */
};

struct agent {
    const struct agent_kind *kind;
    const void *own; /* data of the kind; copies of the agent with another definition share it */
    const struct agent_def *def; /* name, title, description, ... */
    struct str model; /* name of the model, or of the program that answers instead; may be empty */
    unsigned caps;    /* bits of enum agent_cap */
    struct guard_scope scope; /* rights from the definition; the parent is the guard's own scope */
    struct offer *offer; /* the set of tools (offer.h) that the agent can use, and their host */
    /* folders besides the root folder that the agent's tools may use */
    const struct host_folder *include;
    size_t includes;
    /* the label (taint_label.h) of all that a remote agent says; STR_NONE: it is trusted data */
    struct str source;
    bool is_default; /* this is the built-in default agent, which no file defines */
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

/* Convert a word of a definition (agent_words) to an effort; EFFORT_DEFAULT if it is unknown. */
enum model_effort agent_effort_named(struct str word);

/* ---- the registry ---------------------------------------------------------------------------- */

/* The description of an agent, which is known before the agent is created. */
struct agent_card {
    const char *name, *title;
    struct str description;
    enum agent_mode mode;
    const char *tier; /* "low", "medium" or "high": how capable its model is; NULL: not specified */
};

/* A request to the registry for an agent. */
struct agent_want {
    struct str name; /* name of the agent; STR_NONE: the default agent */
    /* MODEL, PROVIDER/MODEL or a tier (agent_def.h); STR_NONE: as in the definition */
    struct str model;
    /* how much the model should think; EFFORT_DEFAULT: as in the definition */
    enum model_effort effort;
};

/* A model that the user can choose for an agent. */
struct model_card {
    const char *name; /* PROVIDER/MODEL, as accepted in agent_want.model */
    const char *title;
};

struct agent_registry_port;

struct agent_registry_kind {
    /*
     * Return an agent with a reference that the caller must drop (agent_drop). Blocks, because it
     * reads a few files. ERR_NOT_FOUND: there is no such agent; the message lists all agents.
     * ERR_INVALID: the definition is wrong, or its provider does not exist.
     */
    struct agent *(*take)(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e);

    /*
     * Return the cards of all agents that are defined in files, sorted by name. They are valid
     * until the registry changes.
     */
    const struct agent_card *(*cards)(struct agent_registry_port *d, size_t *n);

    /*
     * Return the configured models, without a request to a provider. They are valid until the
     * registry changes. May be NULL.
     */
    const struct model_card *(*models)(struct agent_registry_port *d, size_t *n);
};

/* Lives as long as the program. */
struct agent_registry_port {
    const struct agent_registry_kind *kind;
};

#endif
