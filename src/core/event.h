/*
 * event.h - the events of a working agent, which every protocol and screen presents.
 *
 * A turn reports these to its client, in order, as they happen; a loaded session reports the same
 * events from its history. Each protocol encodes them in its own way (docs/PROTOCOLS.md) and needs
 * no model, store or tool for that. All data is borrowed for the call.
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
    EVENT_ASK,      /* a question is open, or needs no answer any more */
    EVENT_USAGE,    /* cost so far, and how full the context is */
    EVENT_ARTIFACT, /* an artifact, or a piece of it */
    EVENT_NOTICE,   /* a retry, another model, a shortened history, a truncated answer:
                     * information */
    EVENT_SESSION,  /* title, mode or model of the session have changed */
    EVENT_END,      /* nothing follows */
    EVENT_KINDS,
};

/* ---- calls of tools -------------------------------------------------------------------------- */

enum called_status {
    CALLED_PENDING, /* the model has named it; reported again with the arguments, before any ask */
    CALLED_RUNNING,
    CALLED_DONE,
    CALLED_FAILED,   /* it returned an error, was rejected, or timed out */
    CALLED_CANCELED, /* with its turn */
    CALLED_STATES,
};

struct event_tool {
    struct str id;   /* id of the call, unique in its session */
    struct str name; /* name of the tool */
    struct str title;
    enum tool_kind kind; /* TOOL_KINDS: there is no such tool */
    enum called_status status;
    struct str args;        /* raw JSON object; STR_NONE: not known yet */
    struct str path;        /* absolute path of the file that the call is about; else STR_NONE */
    int64_t line;           /* line in that file, from 1; 0: none */
    struct str text;        /* running: progress; ended: the text for the model */
    struct str content;     /* ended: blocks as raw JSON, the inside of an array; or STR_NONE */
    struct str old_text;    /* ended, of an edit: the text before (STR_NONE: no file) ... */
    struct str new_text;    /* ... and after; STR_NONE: no text file was changed */
    struct str done, total; /* running: JSON numbers, or STR_NONE */
    const char *trust;      /* ended: "trusted" or "untrusted" ... */
    struct str from;        /* ... and the source of untrusted data */
    struct str session;     /* of a called agent: its session; else STR_NONE */
};

/* ---- other events ---------------------------------------------------------------------------- */

struct event_ask {
    struct str id;  /* id of the call that asks */
    struct str key; /* as in struct ask: the key among the questions of that call */
    enum ask_kind kind;
    struct str params; /* as in struct ask */
    bool open;         /* false: answered or withdrawn */
};

struct event_usage {
    struct model_usage turn; /* of all requests of this turn */
    int64_t used, size;      /* tokens in the context, and its size; size 0: unknown */
    double cost_usd;         /* of the session so far; negative: no prices are configured */
};

/* A piece of an artifact; artifact.h says how pieces are put together. */
struct event_artifact {
    struct str id;
    struct str name, description; /* STR_NONE: as before */
    struct blocks part;
    bool append; /* the parts are added; else they replace those before */
    bool joins;  /* with append: the first part continues the last part before it */
    bool last;   /* no piece follows */
};

enum notice_kind {
    NOTICE_RETRY,
    NOTICE_FALLBACK,
    NOTICE_COMPACTING,     /* begins; ends with one of the next two */
    NOTICE_COMPACTED,      /* text: the summary that replaces the earlier conversation */
    NOTICE_COMPACT_FAILED, /* text: why; history is as it was */
    NOTICE_RESUMED,        /* an interrupted turn continues */
    NOTICE_WARNING,
    NOTICE_KINDS,
};

struct event_notice {
    enum notice_kind kind;
    struct str text; /* a sentence */
};

struct event_session {
    struct str title, mode, model; /* STR_NONE: as before */
};

/* Why a turn ended. */
enum turn_stop {
    TURN_END,      /* the model has finished its answer */
    TURN_LENGTH,   /* an answer was truncated at max_tokens */
    TURN_REQUESTS, /* it asked its model max_turns times */
    TURN_BUDGET,   /* the budget (US dollars) is spent */
    TURN_TOKENS,   /* the limit of tokens is reached */
    TURN_TIME,     /* the time limit is reached */
    TURN_CONTEXT,  /* the conversation does not fit into the model any more */
    TURN_STUCK,    /* several answers in a row had only calls that were not run */
    TURN_REFUSED,  /* the model refuses; the prompt is removed from the conversation */
    TURN_NO_MODEL, /* no model is configured */
    TURN_CANCELED,
    TURN_FAILED, /* with the reason */
    TURN_STOPS,
};

/* "end", "length", ...: as stored, printed and used in --json. */
extern const char *const turn_stop_names[TURN_STOPS];

struct event_end {
    enum turn_stop stop;
    enum err_code code; /* of TURN_FAILED */
    struct str text;    /* of all but TURN_END and TURN_CANCELED: a sentence */
};

/* ---- an event -------------------------------------------------------------------------------- */

struct event {
    enum event_kind kind;
    struct str message;        /* of prompt, text, thought: the id of the message */
    struct str text;           /* of text and thought */
    const struct block *block; /* of a prompt: the part */
    union {
        struct event_tool tool;
        struct str plan; /* raw JSON array of {content, priority, status} */
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

/* A copy whose data is in mem; not of a prompt or a question. */
struct event event_copy(struct arena *mem, const struct event *ev);

/*
 * Parse the output of event_write (event_read.c). Texts point into the line or into mem. The blocks
 * of a call's result are not written, so they are not read. ERR_INVALID: no event.
 */
bool event_read(struct arena *mem, struct json line, struct event *out, struct err *e);

/* The words that event_write and event_read use. */
extern const char *const called_names[CALLED_STATES];
extern const char *const notice_names[NOTICE_KINDS];
extern const char *const ask_names[ASK_KINDS];
bool ask_kind_named(struct str name, enum ask_kind *out);

/* ---- receivers of events
 * ---------------------------------------------------------------------- */

struct ask;
struct work_client;

struct work_client_kind {
    void (*event)(struct work_client *c, const struct event *ev);

    /* As in struct caller_kind: can the client be asked, and ask it. */
    bool (*can)(const struct work_client *c, enum ask_kind kind);
    void (*ask)(struct work_client *c, struct ask *ask);

    /*
     * The events in the session of a called agent (event_tool.session), as a client of that session
     * would get them. NULL: not reported; the events of the call show its progress.
     */
    void (*below)(struct work_client *c, struct str session, const struct event *ev);
};

/* The client of a working agent: an editor, a terminal, an MCP client, another agent. */
struct work_client {
    const struct work_client_kind *kind;
};

#endif
