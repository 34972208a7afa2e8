#include "proto/acp/agent/acp_update.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_block.h"
#include "proto/acp/agent/acp_command.h"
#include "proto/acp/agent/acp_settings.h"
#include "proto/acp/agent/acp_tool_update.h"

#include <stdio.h>

enum { NUMBER_TEXT = 80, OUT_KEPT = 1 << 16, COMMANDS_MOST = 1 << 20 };

/* ---- writing --------------------------------------------------------------------------------- */

struct jw *acp_update_begin(struct acp_session *s, const char *kind)
{
    struct acp_conn *c = s->conn;

    buf_clear(&c->out);
    c->w = jw_to(&c->out);
    jw_object(&c->w);
    jw_kstr(&c->w, "sessionId", str_of(s->at == &s->own ? s->id : s->at->id));
    jw_plain_key(&c->w, STR("update"));
    jw_object(&c->w);
    jw_kplain(&c->w, "sessionUpdate", str_of(kind));
    return &c->w;
}

bool acp_update_end(struct acp_session *s)
{
    struct acp_conn *c = s->conn;
    bool ok;

    jw_object_end(&c->w);
    jw_object_end(&c->w);
    ok = !c->out.full;
    if (ok)
        peer_notify(&c->peer, NULL, "session/update", buf_str(&c->out));
    else
        LOG(LOG_WARN, "acp", "an update is larger than limits.message_bytes and was not sent",
            LOG_Z("session", s->id));
    buf_trim(&c->out, OUT_KEPT);
    return ok;
}

/* An id for a message that is not the agent's. */
static struct str new_message(struct acp_session *s, char out[NUMBER_TEXT])
{
    snprintf(out, NUMBER_TEXT, "%s-%llu", s->id, (unsigned long long)++s->numbers);
    return str_of(out);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void update_chunk(struct acp_session *s, const char *kind, struct str message,
                         struct str text)
{
    struct jw *w = acp_update_begin(s, kind);

    jw_plain_key(w, STR("content"));
    acp_text_write(w, text);
    jw_kstr(w, "messageId", message);
    acp_update_end(s);
}

static void update_block(struct acp_session *s, const char *kind, struct str message,
                         const struct block *b)
{
    struct jw *w = acp_update_begin(s, kind);

    jw_plain_key(w, STR("content"));
    acp_block_write(w, b);
    jw_kstr(w, "messageId", message);
    acp_update_end(s);
}

void acp_update_text(struct acp_session *s, struct str text)
{
    char id[NUMBER_TEXT];

    update_chunk(s, "agent_message_chunk", new_message(s, id), text);
}

/* ---- notices --------------------------------------------------------------------------------- */

static void update_notice(struct acp_session *s, const char *severity, struct str sentence)
{
    struct jw *w;

    if (!s->conn->can.notices)
        return;
    w = acp_update_begin(s, "notice");
    jw_kplain(w, "severity", str_of(severity));
    jw_kstr(w, "title", sentence);
    acp_update_end(s);
}

void acp_update_explain(struct acp_session *s, struct str sentence)
{
    if (s->conn->can.notices)
        update_notice(s, "warning", sentence);
    else
        acp_update_text(s, sentence);
}

void acp_update_notice(struct acp_session *s)
{
    struct str notice = s->notice;

    s->notice = STR_NONE;
    while (notice.p)
        acp_update_explain(s, str_cut(&notice, '\n'));
}

static void update_compaction(struct acp_session *s, const struct event_notice *n)
{
    char id[32];
    struct jw *w;

    if (n->kind == NOTICE_COMPACTING || (n->kind == NOTICE_COMPACTED && s->replaying))
        s->compactions++;
    if (!s->conn->can.compaction)
        return;
    snprintf(id, sizeof(id), "%u", s->compactions);
    w = acp_update_begin(s, "compaction_update");
    jw_kstr(w, "compactionId", str_of(id));
    if (n->kind == NOTICE_COMPACTING) {
        jw_kplain(w, "status", STR("in_progress"));
    } else if (n->kind == NOTICE_COMPACTED) {
        jw_kplain(w, "status", STR("completed"));
        jw_plain_key(w, STR("summary"));
        jw_array(w);
        acp_text_write(w, n->text);
        jw_array_end(w);
    } else {
        jw_kplain(w, "status", STR("failed"));
        jw_kstr(w, "error", n->text);
    }
    acp_update_end(s);
}

static void on_notice(struct acp_session *s, const struct event_notice *n)
{
    switch (n->kind) {
    case NOTICE_COMPACTING:
    case NOTICE_COMPACTED:
    case NOTICE_COMPACT_FAILED: update_compaction(s, n); break;
    case NOTICE_RETRY:
    case NOTICE_RESUMED: update_notice(s, "info", n->text); break;
    case NOTICE_FALLBACK:
    case NOTICE_WARNING: update_notice(s, "warning", n->text); break;
    case NOTICE_KINDS: break;
    }
}

/* ---- other events ---------------------------------------------------------------------------- */

static void on_plan(struct acp_session *s, struct str entries)
{
    struct jw *w = acp_update_begin(s, "plan");

    jw_kraw(w, "entries", entries.p ? entries : STR("[]"));
    acp_update_end(s);
}

static void on_usage(struct acp_session *s, const struct event_usage *u)
{
    struct jw *w;

    if (!u->size)
        return;
    w = acp_update_begin(s, "usage_update");
    jw_kint(w, "used", u->used);
    jw_kint(w, "size", u->size);
    if (u->cost_usd >= 0) {
        jw_plain_key(w, STR("cost"));
        jw_object(w);
        jw_plain_key(w, STR("amount"));
        jw_double(w, u->cost_usd);
        jw_kplain(w, "currency", STR("USD"));
        jw_object_end(w);
    }
    acp_update_end(s);
}

static void update_artifact(struct acp_session *s, const struct artifact *a)
{
    struct blocks parts = artifact_blocks(a, &s->at->made_mem);
    char id[NUMBER_TEXT];

    for (size_t i = 0; i < parts.n; i++) {
        struct block b = parts.v[i];

        if (!b.uri.p)
            b.uri = arena_printf(&s->at->made_mem, "artifact://%s/" STR_FMT, s->id, STR_ARG(a->id));
        if (!b.name.n)
            b.name = a->name;
        update_block(s, "agent_message_chunk", new_message(s, id), &b);
    }
}

/* ACP has no artifacts: the client gets each one as a resource, when it is complete. */
static void on_artifact(struct acp_session *s, const struct event_artifact *piece)
{
    struct artifact *a;

    if (!s->at->made.mem)
        s->at->made = (struct artifact_set){ .mem = &s->at->made_mem,
                                             .most = (size_t)s->root->limits->artifact_bytes };
    a = artifact_add(&s->at->made, piece);
    if (a->complete)
        update_artifact(s, a);
}

void acp_update_end_turn(struct acp_session *s)
{
    acp_calls_end(s);
    s->at->made = (struct artifact_set){ 0 };
    arena_reset(&s->at->made_mem);
}

void acp_update_title(struct acp_session *s, struct str title)
{
    char when[CLOCK_TEXT];
    struct jw *w;

    if (!title.p)
        return;
    clock_text(loop_wall(s->conn->peer.rpc->loop), when);
    w = acp_update_begin(s, "session_info_update");
    jw_kstr(w, "title", title);
    if (s->running) /* else it is only told again */
        jw_kstr(w, "updatedAt", str_of(when));
    acp_update_end(s);
}

static void on_session(struct acp_session *s, const struct event_session *e)
{
    if (e->mode.p)
        acp_update_mode(s);
    if (e->mode.p || e->model.p)
        acp_update_options(s);
    acp_update_title(s, e->title);
}

void acp_update_event(struct work_client *client, const struct event *ev)
{
    struct acp_session *s = CONTAINER_OF(client, struct acp_session, client);

    switch (ev->kind) {
    case EVENT_PROMPT: update_block(s, "user_message_chunk", ev->message, ev->block); break;
    case EVENT_TEXT: update_chunk(s, "agent_message_chunk", ev->message, ev->text); break;
    case EVENT_THOUGHT: update_chunk(s, "agent_thought_chunk", ev->message, ev->text); break;
    case EVENT_TOOL: acp_update_tool(s, &ev->tool); break;
    case EVENT_PLAN: on_plan(s, ev->plan); break;
    case EVENT_ASK: break; /* the question itself is a request (acp_question.c) */
    case EVENT_USAGE: on_usage(s, &ev->usage); break;
    case EVENT_ARTIFACT: on_artifact(s, &ev->artifact); break;
    case EVENT_NOTICE: on_notice(s, &ev->notice); break;
    case EVENT_SESSION: on_session(s, &ev->session); break;
    case EVENT_END: break; /* the response of the prompt */
    case EVENT_KINDS: break;
    }
}

/* ---- settings -------------------------------------------------------------------------------- */

/* A change of the tools is not always a change of the commands. */
void acp_update_commands(struct acp_session *s)
{
    AUTO_BUF list = { 0 };
    struct jw out = jw_to(&list), *w;
    uint64_t hash;

    buf_init(&list, COMMANDS_MOST);
    acp_commands_write(&out, s);
    hash = hash_str_long(1, buf_str(&list)) + 1; /* 0 means none */
    if (list.full || hash == s->commands)
        return;
    s->commands = hash;
    w = acp_update_begin(s, "available_commands_update");
    jw_kraw(w, "availableCommands", buf_str(&list));
    acp_update_end(s);
}

void acp_update_mode(struct acp_session *s)
{
    struct jw *w = acp_update_begin(s, "current_mode_update");

    jw_kstr(w, "currentModeId", str_of(acp_mode_of(s)));
    acp_update_end(s);
}

void acp_update_options(struct acp_session *s)
{
    struct jw *w = acp_update_begin(s, "config_option_update");

    acp_options_write(w, s);
    acp_update_end(s);
}

/* ---- sub-agents ------------------------------------------------------------------------------ */

static struct acp_stream *find_below(const struct acp_session *s, struct str id)
{
    struct acp_stream *b = s->below;

    while (b && !str_eq(str_of(b->id), id))
        b = b->next;
    return b;
}

/* On the session of the parent, before anything that has the id of the child. */
static void update_subagent(struct acp_session *s, const char *child, const char *state,
                            const char *stop)
{
    struct jw *w = acp_update_begin(s, "subagent_update");

    jw_kstr(w, "sessionId", str_of(child));
    if (!stop) {
        jw_kraw(w, "capabilities", STR("{}"));
        jw_kstr(w, "cwd", str_of(s->session.cwd));
    }
    jw_plain_key(w, STR("state"));
    jw_object(w);
    jw_kplain(w, "state", str_of(state));
    if (stop)
        jw_kplain(w, "stopReason", str_of(stop));
    jw_object_end(w);
    acp_update_end(s);
}

static struct acp_stream *add_below(struct acp_session *s, struct str id)
{
    struct acp_stream *b = MEM_NEW(struct acp_stream);

    str_to_c(id, b->id, sizeof(b->id));
    b->next = s->below;
    s->below = b;
    update_subagent(s, b->id, "running", NULL);
    return b;
}

static void free_stream(struct acp_stream *stream)
{
    acp_calls_free(stream);
    arena_fini(&stream->made_mem);
}

static void end_below(struct acp_session *s, struct acp_stream *b, enum turn_stop stop)
{
    const char *why = acp_stop_name(stop);

    LIST_UNLINK(s->below, b, next);
    update_subagent(s, b->id, "idle", why ? why : "end_turn");
    free_stream(b);
    mem_free(b);
}

/*
 * A client without the capability sees the work of a sub-agent as progress of the call that runs
 * it. The mode and the options of a child are not shown, because the client cannot change them.
 */
void acp_update_below(struct work_client *client, struct str session, const struct event *ev)
{
    struct acp_session *s = CONTAINER_OF(client, struct acp_session, client);
    struct acp_stream *b;

    if (!s->conn->can.subagents || ev->kind == EVENT_SESSION)
        return;
    b = find_below(s, session);
    if (!b)
        b = add_below(s, session);
    s->at = b;
    if (ev->kind == EVENT_END)
        acp_update_end_turn(s);
    else
        acp_update_event(client, ev);
    s->at = &s->own;
    if (ev->kind == EVENT_END)
        end_below(s, b, ev->end.stop);
}

void acp_update_free(struct acp_session *s)
{
    while (s->below) {
        struct acp_stream *b = s->below;

        s->below = b->next;
        free_stream(b);
        mem_free(b);
    }
    free_stream(&s->own);
}
