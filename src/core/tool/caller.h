/*
 * caller.h - the port to the caller of a call.
 *
 * While a call runs it may report progress to its caller, send it a log message, and ask: a person
 * for input, a model for an answer, a client for its folders. Each protocol implements this port.
 * A caller that cannot be asked reports so, and the call decides what to do.
 *
 * A caller also carries the trace that stops endless chains of agents calling each other (trace.h).
 */
#ifndef CORE_TOOL_CALLER_H
#define CORE_TOOL_CALLER_H

#include "base/json.h"
#include "core/principal.h"
#include "core/trace.h"
#include "loop/op.h"

struct call;
struct ask;
struct event;
struct guard_scope;
struct guard_history;
struct guard_grants;

enum ask_kind {
    ASK_FORM,   /* a person fills in a form: {message, requestedSchema} -> {action, content} */
    ASK_URL,    /* a person visits a page: {message, url, elicitationId} -> {action} */
    ASK_SAMPLE, /* a model answers: {messages, maxTokens, ...} -> {role, content, model} */
    ASK_ROOTS,  /* which folders does the client work in: {} -> {roots} */
    /*
     * a person allows or rejects the call ask->about: {message, options, requestedSchema} ->
     * {option}, or {action, content} as for a form (core/guard/permission_option.h)
     */
    ASK_PERMISSION,
    ASK_KINDS,
};

/* The severities of syslog (RFC 5424), the least severe first. Upstream servers use all of them. */
enum call_level {
    CALL_DEBUG,
    CALL_INFO,
    CALL_NOTICE,
    CALL_WARNING,
    CALL_ERROR,
    CALL_CRITICAL,
    CALL_ALERT,
    CALL_EMERGENCY,
};

struct progress {
    struct str done, total; /* JSON numbers as text; total may be STR_NONE */
    struct str message;     /* plain text, or STR_NONE */
};

struct caller {
    const struct caller_kind *kind;
    const char *name; /* for people, logs and remembered answers: an agent, "mcp", "cli" */
    struct trace trace;

    bool takes_tasks; /* it can fetch the result of a call that continues as a task (call->task) */

    /*
     * The client behind it: callers with the same number ask the same client (id_number). 0: not
     * known, so that no other caller counts as the same.
     */
    uint64_t client;

    /* For the guard (guard.h). Zeroed: refused, the guard's own scope, trusted. */
    enum origin origin;   /* the endpoint by which it connected */
    struct str principal; /* its identity: principal.h */
    bool remote;          /* connected from another machine: the stricter rate limit applies */
    const struct guard_scope *scope;
    /* the recent calls of one model, to detect loops; NULL: none is kept */
    struct guard_history *history;
    struct guard_grants *grants; /* remembered answers of its session; NULL: it has none */
    struct str taint; /* the source of the untrusted data that it acts on; STR_NONE: none */
};

/*
 * The trace of a call made on behalf of `caller`: its trace id, a new one (in mem, kept in the
 * caller for the next call) if it has none; and its depth plus one.
 */
struct trace trace_next(struct caller *caller, struct arena *mem, int64_t wall_ms);

/* Do questions of both reach the same client? */
static inline bool caller_same_client(const struct caller *a, const struct caller *b)
{
    return a == b || (a->client && a->client == b->client);
}

struct caller_kind {
    /* Can the caller answer this kind of question? */
    bool (*can)(const struct caller *c, enum ask_kind kind);

    /* Ask for an answer. Ends with ask_answer or ask_refuse, or when the ask is cancelled. */
    void (*ask)(struct caller *c, struct ask *ask);

    void (*progress)(struct caller *c, const struct progress *p);

    /* data is raw JSON; logger may be STR_NONE. */
    void (*log)(struct caller *c, enum call_level level, struct str logger, struct str data);

    /*
     * Close the connection for now: the caller reconnects after retry_ms and gets what happened
     * meanwhile, if its protocol can do that. NULL: it cannot.
     */
    void (*rest)(struct caller *c, int64_t retry_ms);

    /* The id of the call it makes, as its client knows it (event_tool.id). NULL: it has none. */
    struct str (*call_id)(const struct caller *c);

    /*
     * The guard has allowed the call and it has its write lock: it starts now. NULL: not reported.
     */
    void (*let_in)(struct caller *c);

    /* One of its asks was answered or withdrawn. NULL: not reported. */
    void (*asked)(struct caller *c, struct ask *ask);

    /* An event of an agent that the call runs: as in struct work_client_kind. NULL: not
     * reported. */
    void (*below)(struct caller *c, struct str session, const struct event *ev);
};

/* A caller that receives no reports and cannot be asked: a script, a test. */
extern const struct caller_kind caller_nobody;

#endif
