#include "proto/a2a/server/a2a_view.h"

#include "base/auto.h"
#include "core/event.h"
#include "core/session/turn.h"
#include "proto/a2a/server/a2a_question.h"

#include <stdio.h>

/* The name and, without an id of the message, the id of the artifact with the agent's text. */
#define ANSWER "answer"

struct a2a_view_message {
    struct a2a_message message;
    struct a2a_view_message *next;
};

struct a2a_view_ask {
    struct str key;
    struct a2a_message message; /* the question as a message of the agent */
    struct a2a_view_ask *next;
};

static const struct json_opts body_opts = { .max_depth = JSON_DEPTH_CEILING,
                                            .max_values = UINT32_MAX };

/* ---- messages -------------------------------------------------------------------------------- */

static struct a2a_message message_copy(struct arena *mem, const struct a2a_message *m)
{
    struct a2a_message to = *m;

    to.id = arena_maybe(mem, m->id);
    to.parts = blocks_copy(mem, m->parts);
    to.metadata = arena_maybe(mem, m->metadata);
    to.references = to.extensions = (struct pick_strs){ 0 };
    return to;
}

static void view_add_message(struct a2a_view *v, const struct a2a_message *m)
{
    struct a2a_view_message *node = ARENA_NEW(&v->mem, struct a2a_view_message);

    node->message = message_copy(&v->mem, m);
    node->message.task = v->id;
    node->message.context = v->context;
    *v->end = node;
    v->end = &node->next;
    v->messages++;
}

/* The parts of the prompt; the rest of the message was stored by a2a_stored_write. */
static void add_prompt(struct a2a_view *v, const struct task_info *info)
{
    AUTO_ARENA scratch = { 0 };
    struct a2a_message m = { .id = info->id };
    struct json client, parts;
    struct blocks prompt;
    struct err ignored;

    if (info->client.n && json_read(&scratch, info->client, &body_opts, &client, &ignored))
        a2a_stored_message(&scratch, v->limits, client, &m);
    m.from_agent = false;
    m.parts = blocks_text(&scratch, info->asked);
    if (info->parts.n && json_read(&scratch, info->parts, &body_opts, &parts, &ignored) &&
        blocks_read(&scratch, parts, NULL, &prompt, &ignored))
        m.parts = prompt;
    view_add_message(v, &m);
}

void a2a_view_init(struct a2a_view *v, const struct task_info *info, const struct limits *limits)
{
    *v = (struct a2a_view){ .limits = limits, .state = TASK_SUBMITTED };
    v->id = arena_str(&v->mem, info->id);
    v->context = arena_str(&v->mem, info->context);
    v->owner = arena_str(&v->mem, info->owner);
    v->agent = arena_str(&v->mem, info->agent);
    v->made = (struct artifact_set){ .mem = &v->mem, .most = (size_t)limits->artifact_bytes };
    v->end = &v->first;
    clock_text(info->created, v->time);
    add_prompt(v, info);
}

void a2a_view_fini(struct a2a_view *v)
{
    arena_fini(&v->mem);
}

/* ---- the status ------------------------------------------------------------------------------ */

bool a2a_view_waits(const struct a2a_view *v)
{
    return task_state_final(v->state) || v->state == TASK_INPUT_REQUIRED ||
           v->state == TASK_AUTH_REQUIRED;
}

static bool is_asking(const struct a2a_view *v)
{
    return v->asks && (v->state == TASK_INPUT_REQUIRED || v->state == TASK_AUTH_REQUIRED);
}

/* The question, or the sentence about an end. Remarks about running work are not an answer. */
static const struct a2a_message *status_message(const struct a2a_view *v, struct arena *mem)
{
    struct a2a_message *m;

    if (is_asking(v))
        return &v->asks->message;
    if (!v->text.n || !a2a_view_waits(v))
        return NULL;
    m = ARENA_NEW(mem, struct a2a_message);
    m->id = arena_printf(mem, STR_FMT "-%lld", STR_ARG(v->id), (long long)v->text_seq);
    m->context = v->context;
    m->task = v->id;
    m->from_agent = true;
    m->parts = blocks_text(mem, v->text);
    return m;
}

static struct a2a_status status_of(const struct a2a_view *v, struct arena *mem)
{
    return (struct a2a_status){ .state = v->state,
                                .message = status_message(v, mem),
                                .time = arena_str(mem, str_of(v->time)) };
}

static struct str usage_member(const struct a2a_view *v, struct arena *mem)
{
    return v->usage.n ? arena_printf(mem, "{\"usage\":" STR_FMT "}", STR_ARG(v->usage)) : STR_NONE;
}

struct a2a_task a2a_view_task(const struct a2a_view *v, struct arena *mem, int64_t history,
                              bool artifacts)
{
    struct a2a_message *said = ARENA_ARRAY(mem, struct a2a_message, v->messages + 1);
    struct a2a_task t = { .id = v->id, .context = v->context, .metadata = usage_member(v, mem) };
    size_t n = 0, skip = 0, i = 0;

    if (history >= 0 && (size_t)history < v->messages)
        skip = v->messages - (size_t)history;
    for (const struct a2a_view_message *m = v->first; m; m = m->next)
        if (i++ >= skip)
            said[n++] = m->message;
    t.status = status_of(v, mem);
    t.history = said;
    t.messages = n;
    t.shows_artifacts = false;
    for (const struct artifact *a = v->made.first; artifacts && a; a = a->next)
        t.artifacts++;
    if (t.artifacts) {
        struct a2a_artifact *to = ARENA_ARRAY(mem, struct a2a_artifact, t.artifacts);

        t.artifact = to;
        for (const struct artifact *a = v->made.first; a; a = a->next, to++)
            *to = (struct a2a_artifact){ .id = a->id,
                                         .name = a->name,
                                         .description = a->description,
                                         .parts = artifact_blocks(a, mem) };
    }
    return t;
}

bool a2a_view_direct(const struct a2a_view *v, struct arena *mem, struct a2a_message *out)
{
    const struct artifact *only = v->made.first;

    if (v->state != TASK_COMPLETED || !only || only->next || !str_eq(only->id, STR(A2A_DIRECT)))
        return false;
    *out = (struct a2a_message){
        .id = arena_printf(mem, STR_FMT "-" A2A_DIRECT, STR_ARG(v->id)),
        .context = v->context,
        .from_agent = true,
        .parts = artifact_blocks(only, mem),
    };
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

static struct a2a_update update_of(const struct a2a_view *v, enum a2a_update_kind kind)
{
    return (struct a2a_update){ .kind = kind, .task_id = v->id, .context = v->context };
}

static void status_update(const struct a2a_view *v, struct arena *scratch, struct a2a_update *out)
{
    *out = update_of(v, A2A_STATUS);
    out->status = status_of(v, scratch);
    out->final = task_state_final(v->state) || v->state == TASK_INPUT_REQUIRED;
    if (task_state_final(v->state))
        out->metadata = usage_member(v, scratch);
}

static bool add_status(struct a2a_view *v, struct arena *scratch, struct json body,
                       struct a2a_update *out)
{
    task_state_named(json_str(scratch, json_get(body, STR("state"))), &v->state);
    if (json_is(json_get(body, STR("stop")), str_of(turn_stop_names[TURN_REFUSED])))
        v->state = TASK_REJECTED;
    v->text = arena_maybe(&v->mem, json_str(scratch, json_get(body, STR("text"))));
    v->text_seq = v->seq;
    status_update(v, scratch, out);
    return true;
}

/* What no other member of an update can carry: for another trefoil. */
static bool add_work(const struct a2a_view *v, struct arena *scratch, struct str body,
                     struct a2a_update *out)
{
    if (task_state_final(v->state))
        return false;
    status_update(v, scratch, out);
    out->final = false;
    out->metadata = arena_printf(scratch, "{\"trefoil\":" STR_FMT "}", STR_ARG(body));
    return true;
}

static bool has_artifact(const struct a2a_view *v, struct str id)
{
    const struct artifact *a = v->made.first;

    while (a && !str_eq(a->id, id))
        a = a->next;
    return a != NULL;
}

static bool add_artifact(struct a2a_view *v, const struct event_artifact *piece,
                         struct a2a_update *out)
{
    *out = update_of(v, A2A_ARTIFACT);
    out->artifact = (struct a2a_artifact){ .id = piece->id,
                                           .name = piece->name,
                                           .description = piece->description,
                                           .parts = piece->part };
    out->append = piece->append && has_artifact(v, piece->id);
    out->last = piece->last;
    artifact_add(&v->made, piece);
    return piece->part.n > 0;
}

static bool add_text(struct a2a_view *v, struct arena *scratch, const struct event *ev,
                     struct a2a_update *out)
{
    struct str id = ev->message.n ? ev->message : STR(ANSWER);
    bool more = has_artifact(v, id);
    struct event_artifact piece = { .id = id,
                                    .name = STR(ANSWER),
                                    .part = blocks_text(scratch, ev->text),
                                    .append = more,
                                    .joins = more };

    out->metadata = STR_NONE;
    if (!add_artifact(v, &piece, out))
        return false;
    out->metadata = STR("{\"trefoil\":{\"type\":\"text\"}}");
    return true;
}

static bool add_ask(struct a2a_view *v, const struct event_ask *ask)
{
    struct a2a_view_ask **end = &v->asks;

    while (*end)
        end = &(*end)->next;
    *end = ARENA_NEW(&v->mem, struct a2a_view_ask);
    (*end)->key = arena_str(&v->mem, ask->key);
    (*end)->message = a2a_question_message(&v->mem, ask->kind, ask->params);
    (*end)->message.id =
        arena_printf(&v->mem, STR_FMT "-" STR_FMT, STR_ARG(v->id), STR_ARG(ask->key));
    (*end)->message.task = v->id;
    (*end)->message.context = v->context;
    return false; /* the state that follows tells the question */
}

static struct a2a_view_ask *take_ask(struct a2a_view *v, struct json key)
{
    struct a2a_view_ask **at = &v->asks, *found;

    while (*at && !json_is(key, (*at)->key))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    return found;
}

/* The state changes only after the last question, so the next question is told here. */
static bool add_answered(struct a2a_view *v, struct arena *scratch, struct json body,
                         struct a2a_update *out)
{
    const struct a2a_view_ask *ask = take_ask(v, json_get(body, STR("key")));
    struct a2a_message m = { 0 };

    if (ask)
        view_add_message(v, &ask->message);
    if (a2a_stored_message(scratch, v->limits, json_get(body, STR("client")), &m))
        view_add_message(v, &m);
    if (!is_asking(v))
        return false;
    status_update(v, scratch, out);
    return true;
}

static bool add_event(struct a2a_view *v, struct arena *scratch, struct json body,
                      struct a2a_update *out)
{
    struct event ev;
    struct err ignored;

    if (!event_read(scratch, body, &ev, &ignored))
        return false;
    switch (ev.kind) {
    case EVENT_TEXT: return add_text(v, scratch, &ev, out);
    case EVENT_ARTIFACT: return add_artifact(v, &ev.artifact, out);
    case EVENT_ASK: return ev.ask.open && add_ask(v, &ev.ask);
    case EVENT_USAGE: v->usage = arena_str(&v->mem, json_raw(body)); return false;
    case EVENT_THOUGHT:
    case EVENT_TOOL:
    case EVENT_PLAN:
    case EVENT_NOTICE: return add_work(v, scratch, json_raw(body), out);
    case EVENT_PROMPT:
    case EVENT_SESSION:
    case EVENT_END:
    case EVENT_KINDS: break;
    }
    return false;
}

bool a2a_view_add(struct a2a_view *v, struct arena *scratch, int64_t seq, int64_t at,
                  struct str kind, struct str body, struct a2a_update *out)
{
    struct json root;
    struct err ignored;

    v->seq = seq;
    clock_text(at, v->time); /* lists are sorted by the time of the last change */
    if (!json_read(scratch, body, &body_opts, &root, &ignored))
        return false;
    if (str_eq(kind, STR("status")))
        return add_status(v, scratch, root, out);
    if (str_eq(kind, STR("answered")))
        return add_answered(v, scratch, root, out);
    return add_event(v, scratch, root, out);
}
