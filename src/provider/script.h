/*
 * script.h - an agent that plays rules from a file: for tests, demos and conformance suites.
 *
 * The file is TOML. A rule matches the text of a prompt, or the id of its message; the first rule
 * that matches is played, event by event:
 *
 *   [[rule]]
 *   text = "hello"        # or prefix = "...", contains = "...", id = "..."; none: every prompt
 *   [[rule.event]]
 *   type = "text"
 *   text = "Hi"
 *   pieces = 2            # streamed in so many pieces
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

enum script_match { MATCH_ANY, MATCH_TEXT, MATCH_PREFIX, MATCH_CONTAINS, MATCH_ID };

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

/* One event, whatever its type; what a type does not have stays empty. */
struct script_event {
    enum script_type type;
    struct event event; /* the event to report, for types that are events */
    int64_t pieces;     /* of text and thought */
    int64_t delay_ms;   /* pause before the event; of a delay: its length */
    struct str params;  /* of permission and form: as in struct ask */
    /* of permission and form: the answer if the client declines; STR_NONE: continue */
    struct str refused;
    enum turn_stop stop; /* of end */
    struct str failure;  /* of end */
    int64_t cost_micros; /* of usage: millionths of a US dollar; -1: not known */
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

/* Parse a script; texts are in mem. ERR_INVALID and ERR_LIMIT name file:line:column. */
bool script_read(struct arena *mem, struct str text, const char *file, struct script *out,
                 struct err *e);

/* The rule that is played for a prompt; NULL: none. */
const struct script_rule *script_find(const struct script *s, struct str id, struct str text);

/* agent.own of such an agent is a struct script. */
extern const struct agent_kind script_agent_kind;
enum { SCRIPT_AGENT_CAPS = AGENT_RESUMES | AGENT_SAVES };

#endif
