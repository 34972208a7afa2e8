/*
 * event.h - the events that a working agent reports to its client.
 *
 * A turn reports the events in order, as they happen. A session that is loaded from the store
 * replays the same events from its history. Each protocol encodes them in its own way
 * (docs/PROTOCOLS.md). The data of an event is only valid during the callback that receives it.
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "core/block.h"
#include "core/model.h"
#include "core/tool/tool.h"

enum event_kind {
    EVENT_PROMPT,   /* a part of the prompt; only when the history is replayed */
    EVENT_TEXT,     /* a piece of the agent's text */
    EVENT_THOUGHT,  /* a piece of the agent's reasoning */
    EVENT_TOOL,     /* a tool call has a new status or progress */
    EVENT_PLAN,     /* the agent's plan; replaces the previous one */
    EVENT_ASK,      /* a question was opened, answered or withdrawn */
    EVENT_USAGE,    /* the cost so far, and how much of the context is used */
    EVENT_ARTIFACT, /* an artifact, or a piece of one */
    EVENT_NOTICE,   /* information for the user, such as a retry or a shortened history */
    EVENT_SESSION,  /* the title, mode or model of the session has changed */
    EVENT_END,      /* the turn has ended; no event follows */
    EVENT_KINDS,
};

/* ---- tool calls ------------------------------------------------------------------------------ */

enum called_status {
    /*
     * the model has named the tool. The status is reported again when the arguments are complete,
     * before the call asks any question
     */
    CALLED_PENDING,
    CALLED_RUNNING,
    CALLED_DONE,
    CALLED_FAILED,   /* the call returned an error, was rejected, or timed out */
    CALLED_CANCELED, /* the turn was cancelled, and the call with it */
    CALLED_STATES,
};

struct event_tool {
    struct str id;   /* id of the call, unique in its session */
    struct str name; /* name of the tool */
    struct str title;
    enum tool_kind kind; /* TOOL_KINDS: there is no tool with this name */
    enum called_status status;
    struct str args; /* raw JSON object; STR_NONE: not known yet */
    struct str path; /* absolute path of the file that the call uses; STR_NONE: no file */
    int64_t line;    /* line in that file, counted from 1; 0: no line */
    struct str text; /* running call: its progress; ended call: the text for the model */
    /* Set only after the call has ended: */
    /* the blocks of the result as raw JSON, without the brackets of the array; or STR_NONE */
    struct str content;
    struct str old_text; /* the file before an edit; STR_NONE: there was no file */
    struct str new_text; /* the file after an edit; STR_NONE: no text file was changed */
    const char *trust;   /* "trusted" or "untrusted" */
    struct str from;     /* the source of an untrusted result */
    struct str session;  /* id of the agent's session, if the call runs an agent; else STR_NONE */
    /* Set only while the call runs: */
    struct str done, total; /* progress as JSON numbers, or STR_NONE */
};

/* ---- other events ---------------------------------------------------------------------------- */

struct event_ask {
    struct str id;  /* id of the call that asks */
    struct str key; /* identifies the question among all questions of the call, as in struct ask */
    enum ask_kind kind;
    struct str params; /* as in struct ask */
    bool open;         /* false: the question was answered or withdrawn */
};

struct event_usage {
    struct model_usage turn; /* tokens of all requests of this turn */
    /* tokens in the context; the most tokens that it can hold, 0: unknown */
    int64_t used, size;
    double cost_usd; /* cost of the session so far; negative: no prices are configured */
};

/* A piece of an artifact; artifact.h describes how pieces are assembled. */
struct event_artifact {
    struct str id;
    struct str name, description; /* STR_NONE: unchanged */
    struct blocks part;
    bool append; /* true: add the parts to the earlier ones; false: replace the earlier ones */
    bool joins;  /* with `append`: the first part continues the last earlier part */
    bool last;   /* this is the last piece of the artifact */
};

enum notice_kind {
    NOTICE_RETRY,
    NOTICE_FALLBACK,
    NOTICE_COMPACTING,     /* the history is being shortened; one of the next two notices follows */
    NOTICE_COMPACTED,      /* `text` is the summary that replaces the earlier conversation */
    NOTICE_COMPACT_FAILED, /* `text` is the reason; the history is unchanged */
    NOTICE_RESUMED,        /* an interrupted turn continues */
    NOTICE_WARNING,
    NOTICE_KINDS,
};

struct event_notice {
    enum notice_kind kind;
    struct str text; /* a sentence for the user */
};

struct event_session {
    struct str title, mode, model; /* STR_NONE: unchanged */
};

/* The ways in which a turn can end. */
enum turn_stop {
    TURN_END,      /* the model has finished its answer */
    TURN_LENGTH,   /* the last answer was truncated at max_tokens */
    TURN_REQUESTS, /* the agent has sent max_turns requests to its model */
    TURN_BUDGET,   /* the budget (US dollars) is spent */
    TURN_TOKENS,   /* the token limit is reached */
    TURN_TIME,     /* the time limit is reached */
    TURN_CONTEXT,  /* the conversation no longer fits into the context of the model */
    TURN_STUCK,    /* several answers in a row contained only calls that could not be run */
    TURN_REFUSED,  /* the model refused; the prompt is removed from the conversation */
    TURN_NO_MODEL, /* no model is configured */
    TURN_CANCELED,
    TURN_FAILED, /* an error occurred; event_end.text is the reason */
    TURN_STOPS,
};

/* "end", "length", ...: the names in the store, in output and in --json. */
extern const char *const turn_stop_names[TURN_STOPS];

struct event_end {
    enum turn_stop stop;
    enum err_code code; /* the error code, for TURN_FAILED */
    struct str text;    /* the reason as a sentence; empty for TURN_END and TURN_CANCELED */
};

/* ---- an event -------------------------------------------------------------------------------- */

struct event {
    enum event_kind kind;
    struct str message;        /* EVENT_PROMPT, EVENT_TEXT, EVENT_THOUGHT: the id of the message */
    struct str text;           /* EVENT_TEXT, EVENT_THOUGHT: the text */
    const struct block *block; /* EVENT_PROMPT: one part of the prompt */
    union {
        struct event_tool tool;
        struct str plan; /* raw JSON array of objects {content, priority, status} */
        struct event_ask ask;
        struct event_usage usage;
        struct event_artifact artifact;
        struct event_notice notice;
        struct event_session session;
        struct event_end end;
    };
};

/* Write an event as one line of JSON, for --json and for session logs: {"type":"text", ...}. */
void event_write(struct jw *w, const struct event *ev);

extern const char *const event_names[EVENT_KINDS];

/*
 * Return a deep copy of an event in mem. Events of kind EVENT_PROMPT and EVENT_ASK cannot be
 * copied.
 */
struct event event_copy(struct arena *mem, const struct event *ev);

/*
 * Parse the output of event_write (event_read.c). Texts point into the line or into mem.
 * event_tool.content is not restored, because event_write omits it. ERR_INVALID: not an event.
 */
bool event_read(struct arena *mem, struct json line, struct event *out, struct err *e);

/* The names that event_write and event_read use for the values of enums. */
extern const char *const called_names[CALLED_STATES];
extern const char *const notice_names[NOTICE_KINDS];
extern const char *const ask_names[ASK_KINDS];
bool ask_kind_named(struct str name, enum ask_kind *out);

/* ---- receivers of events --------------------------------------------------------------------- */

struct ask;
struct work_client;

struct work_client_kind {
    void (*event)(struct work_client *c, const struct event *ev);

    /*
     * `can` checks whether the client can answer questions of this kind. `ask` asks the client a
     * question. Both work as in struct caller_kind.
     */
    bool (*can)(const struct work_client *c, enum ask_kind kind);
    void (*ask)(struct work_client *c, struct ask *ask);

    /*
     * Report an event of the session in which a called agent works (event_tool.session). The event
     * is the same as the one that a client of that session gets. If `below` is NULL, the client
     * gets only the progress events of the call.
     */
    void (*below)(struct work_client *c, struct str session, const struct event *ev);
};

/* The client of a working agent: an editor, a terminal, an MCP client, another agent. */
struct work_client {
    const struct work_client_kind *kind;
};

#endif
