/*
 * caller.h - the port to the caller of a call.
 *
 * A running call may report progress to its caller, send log messages, and ask questions: it may
 * ask a person for input, a model for an answer, or a client for its folders. Each protocol
 * implements this port. Not every caller can answer every kind of question, so a call checks that
 * before it asks.
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

/* Kinds of questions. The comments show the JSON of the params -> the JSON of the answer. */
enum ask_kind {
    ASK_FORM,   /* a person fills in a form: {message, requestedSchema} -> {action, content} */
    ASK_URL,    /* a person visits a page: {message, url, elicitationId} -> {action} */
    ASK_SAMPLE, /* a model answers: {messages, maxTokens, ...} -> {role, content, model} */
    ASK_ROOTS,  /* the client lists the folders that it works in: {} -> {roots} */
    /*
     * a person allows or rejects the call ask->about: {message, options, requestedSchema} ->
     * {option}, or {action, content} as for a form (core/guard/permission_option.h)
     */
    ASK_PERMISSION,
    ASK_KINDS,
};

/* The log severities of syslog (RFC 5424), the least severe first. MCP servers use all of them. */
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
    const char *name; /* the name of an agent, "mcp" or "cli" */
    struct trace trace;
    struct str work; /* the id of the session or task that it calls for; STR_NONE: none */

    /* if the call becomes a task (call->task), the caller can fetch the result later */
    bool takes_tasks;

    /*
     * A number (id_number) that identifies the client that answers the questions. Callers with the
     * same number ask the same client. 0: the client is not known, so no other caller counts as the
     * same.
     */
    uint64_t client;

    /*
     * The members from here on are for the guard (guard.h). If they are zeroed, the guard refuses
     * all calls, because the caller has no origin.
     */
    enum origin origin;   /* how the caller connected (principal.h) */
    struct str principal; /* the identity of the caller (principal.h) */
    /* the caller connected from another machine: the stricter rate limit applies */
    bool remote;
    const struct guard_scope *scope;
    /* the recent calls of one model, to detect loops; NULL: loops are not detected */
    struct guard_history *history;
    struct guard_grants *grants; /* remembered answers of the session; NULL: there is no session */
    /* the label (taint_label.h) of untrusted data that may influence the caller; or STR_NONE */
    struct str taint;
};

/*
 * Return the trace for a call that is made on behalf of `caller`: the trace id of the caller, and
 * its depth plus one. If the caller has no trace id, a new one is created in mem and stored in
 * *caller for later calls.
 */
struct trace trace_next(struct caller *caller, struct arena *mem, int64_t wall_ms);

/* Do questions to both callers reach the same client? */
static inline bool caller_same_client(const struct caller *a, const struct caller *b)
{
    return a == b || (a->client && a->client == b->client);
}

struct caller_kind {
    /* Can the caller answer this kind of question? */
    bool (*can)(const struct caller *c, enum ask_kind kind);

    /*
     * Ask the caller a question. The implementation calls ask_answer or ask_refuse later, unless
     * the ask is cancelled.
     */
    void (*ask)(struct caller *c, struct ask *ask);

    void (*progress)(struct caller *c, const struct progress *p);

    /* Send a log message. `data` is raw JSON; `logger` may be STR_NONE. */
    void (*log)(struct caller *c, enum call_level level, struct str logger, struct str data);

    /*
     * Close the connection to the client for some time. The client reconnects after retry_ms and
     * then gets the messages that it has missed. NULL: the protocol cannot do that.
     */
    void (*rest)(struct caller *c, int64_t retry_ms);

    /*
     * Return the id that the call has for the client (event_tool.id). NULL: the calls have no ids.
     */
    struct str (*call_id)(const struct caller *c);

    /*
     * The call starts now: the guard has allowed it, and it has its turn to write. May be NULL.
     */
    void (*let_in)(struct caller *c);

    /* An ask was answered or withdrawn. May be NULL. */
    void (*asked)(struct caller *c, struct ask *ask);

    /* An event of an agent that the call runs, as in struct work_client_kind. May be NULL. */
    void (*below)(struct caller *c, struct str session, const struct event *ev);
};

/* A caller that receives no reports and cannot be asked: a script, a test. */
extern const struct caller_kind caller_nobody;

#endif
