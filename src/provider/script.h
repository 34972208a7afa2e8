/*
 * script.h - an agent that answers by rules from a file: for tests, demos and conformance suites.
 *
 * The file is TOML. A rule has a condition on the text of a prompt, or on the id of its message,
 * and a list of events. For each prompt, the agent reports the events of the first rule that
 * matches:
 *
 *   [[rule]]
 *   text = "hello"        # or prefix, contains, id, id_prefix = "..."; none: every prompt
 *   [[rule.event]]
 *   type = "text"
 *   text = "Hi"
 *   pieces = 2            # the text is streamed in this many pieces
 *
 * Event types: text, thought, tool, plan, permission, form, artifact, usage, notice, delay, wait
 * (until cancelled), end. A rule without an end event succeeds after its last event. A script
 * starts no process and opens no file: it is data.
 *
 * A script can be cancelled at any event. Its position is stored with its records, so an unfinished
 * turn resumes after the last stored event.
 */
#ifndef PROVIDER_SCRIPT_H
#define PROVIDER_SCRIPT_H

#include "core/agent/agent.h"

enum { SCRIPT_RULES_MOST = 1000, SCRIPT_EVENTS_MOST = 10000, SCRIPT_DELAY_MOST = 600000 };

enum script_match {
    MATCH_ANY,
    MATCH_TEXT,
    MATCH_PREFIX,
    MATCH_CONTAINS,
    MATCH_ID,
    MATCH_ID_PREFIX
};

enum script_type {
    SCRIPT_TEXT,
    SCRIPT_THOUGHT,
    SCRIPT_TOOL,
    SCRIPT_PLAN,
    SCRIPT_PERMISSION,
    SCRIPT_FORM,
    SCRIPT_ARTIFACT,
    SCRIPT_USAGE,
    SCRIPT_NOTICE,
    SCRIPT_DELAY,
    SCRIPT_WAIT,
    SCRIPT_END,
    SCRIPT_TYPES,
};

/* One event of any type. Members that its type does not use are empty. */
struct script_event {
    enum script_type type;
    struct event event; /* the event to report, for types that are events */
    int64_t pieces;     /* for text and thought: number of pieces */
    int64_t delay_ms;   /* pause before the event; for a delay event, its length */
    struct str params;  /* for permission and form: the params of the ask (struct ask) */
    /* for permission and form: the text of the agent if the client declines; STR_NONE: continue */
    struct str refused;
    /*
     * for permission and form: ask again until the id of the answer's message begins with this
     * text, if the client's protocol has such ids; STR_NONE: ask once
     */
    struct str until;
    enum turn_stop stop; /* for end: the stop reason */
    struct str failure;  /* for end: the error message */
    int64_t cost_micros; /* for usage: millionths of a US dollar; -1: unknown */
};

struct script_rule {
    enum script_match match;
    struct str pattern;
    const struct script_event *event;
    size_t events;
};

struct script {
    const struct script_rule *rule;
    size_t rules;
};

/* Parse a script; its texts are in mem. ERR_INVALID and ERR_LIMIT name file:line:column. */
bool script_read(struct arena *mem, struct str text, const char *file, struct script *out,
                 struct err *e);

/* The first rule that matches a prompt with this message id and text; NULL: none. */
const struct script_rule *script_find(const struct script *s, struct str id, struct str text);

/* The kind of agents that play a script. Their agent.own is a struct script. */
extern const struct agent_kind script_agent_kind;
enum { SCRIPT_AGENT_CAPS = AGENT_RESUMES | AGENT_SAVES };

#endif
