/*
 * acp_client_updates.c - session/update: what the agent reports becomes events of the turn.
 *
 * Updates that arrive when no prompt is running are dropped, except those about settings. Unknown
 * kinds are ignored, as the protocol asks.
 */
#include "base/buf.h"
#include "base/log.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_settings.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void report_words(struct acp_turn *t, struct rpc_in *in, struct json update,
                         enum event_kind kind)
{
    struct event ev = { .kind = kind };

    ev.text = acp_content_text(in->mem, json_get(update, STR("content")));
    ev.message = json_str(in->mem, json_get(update, STR("messageId")));
    if (ev.message.n == 0)
        ev.message = STR_NONE;
    if (ev.text.n)
        turn_event(t->prompt->turn, &ev);
}

static void on_text(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    report_words(t, in, update, EVENT_TEXT);
}

static void on_thought(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    report_words(t, in, update, EVENT_THOUGHT);
}

/* ---- tool calls ------------------------------------------------------------------------------ */

static void on_tool_call(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    struct event ev = { .kind = EVENT_TOOL };

    (void)in;
    if (acp_tool_call_merge(t, update, &ev.tool))
        turn_event(t->prompt->turn, &ev);
}

/* ---- plan ------------------------------------------------------------------------------------ */

static struct str word_or(struct arena *mem, struct json v, struct str otherwise)
{
    struct str s = json_str(mem, v);

    return s.n ? s : otherwise;
}

static void write_entry(struct jw *w, struct arena *mem, struct json entry)
{
    struct str content = json_str(mem, json_get(entry, STR("content")));

    if (!content.p)
        return;
    jw_object(w);
    jw_kstr(w, "content", content);
    jw_kstr(w, "priority", word_or(mem, json_get(entry, STR("priority")), STR("medium")));
    jw_kstr(w, "status", word_or(mem, json_get(entry, STR("status")), STR("pending")));
    jw_object_end(w);
}

static void on_plan(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    struct json entries = json_get(update, STR("entries"));
    int64_t left = t->session->session->world->limits->plan_entries;
    struct event ev = { .kind = EVENT_PLAN };
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, in->mem, 2 * json_raw(update).n + 1024);
    jw_array(&w);
    JSON_EACH(entry, entries)
    if (left-- > 0)
        write_entry(&w, in->mem, entry);
    jw_array_end(&w);
    if (out.full)
        return;
    ev.plan = buf_str(&out);
    turn_event(t->prompt->turn, &ev);
}

/* ---- usage and notices ----------------------------------------------------------------------- */

void acp_report_usage(struct acp_turn *t)
{
    struct event ev = { .kind = EVENT_USAGE };

    ev.usage = (struct event_usage){
        .turn = t->usage, .used = t->used, .size = t->size, .cost_usd = t->cost
    };
    turn_event(t->prompt->turn, &ev);
}

/*
 * The agent reports the cost of its session so far; the budget is for one turn. A new process or
 * session counts from 0 again.
 */
static void check_budget(struct acp_turn *t)
{
    struct acp_driven *s = t->session;
    double budget = s->program->def->budget_usd;

    if (t->cost < s->cost)
        s->cost = 0;
    s->cost_now = t->cost;
    if (budget > 0 && t->cost - s->cost >= budget)
        acp_turn_cancel(t, TURN_BUDGET);
}

static void on_usage(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    struct json cost = json_get(update, STR("cost"));

    (void)in;
    json_int(json_get(update, STR("used")), &t->used);
    json_int(json_get(update, STR("size")), &t->size);
    if (json_is(json_get(cost, STR("currency")), STR("USD")) &&
        json_double(json_get(cost, STR("amount")), &t->cost))
        check_budget(t);
    acp_report_usage(t);
}

static void on_notice(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    struct str title = json_str(in->mem, json_get(update, STR("title")));
    struct str more = json_str(in->mem, json_get(update, STR("description")));

    if (title.n)
        acp_turn_notice(t, STR_FMT "%s" STR_FMT, STR_ARG(utf8_head(title, 200)), more.n ? ": " : "",
                        STR_ARG(utf8_head(more, 250)));
}

static void on_compaction(struct acp_turn *t, struct rpc_in *in, struct json update)
{
    struct json status = json_get(update, STR("status"));
    struct event ev = { .kind = EVENT_NOTICE };

    ev.notice.text = json_str(in->mem, json_get(update, STR("summary")));
    if (!ev.notice.text.p)
        ev.notice.text = STR("");
    if (json_is(status, STR("in_progress")))
        ev.notice.kind = NOTICE_COMPACTING;
    else if (json_is(status, STR("completed")))
        ev.notice.kind = NOTICE_COMPACTED;
    else if (json_is(status, STR("failed")) || json_is(status, STR("cancelled")))
        ev.notice.kind = NOTICE_COMPACT_FAILED;
    else
        return;
    turn_event(t->prompt->turn, &ev);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void on_mode(struct acp_driven *s, struct rpc_in *in, struct json update)
{
    acp_settings_mode(s, json_str(in->mem, json_get(update, STR("currentModeId"))));
}

static void on_options(struct acp_driven *s, struct rpc_in *in, struct json update)
{
    (void)in;
    acp_settings_options(s, json_get(update, STR("configOptions")));
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* An update belongs to a turn or to the session. */
static const struct {
    struct str name;
    void (*in_turn)(struct acp_turn *t, struct rpc_in *in, struct json update);
    void (*in_session)(struct acp_driven *s, struct rpc_in *in, struct json update);
} updates[] = {
    { STR("agent_message_chunk"), on_text, NULL },
    { STR("agent_thought_chunk"), on_thought, NULL },
    { STR("tool_call"), on_tool_call, NULL },
    { STR("tool_call_update"), on_tool_call, NULL },
    { STR("plan"), on_plan, NULL },
    { STR("usage_update"), on_usage, NULL },
    { STR("notice"), on_notice, NULL },
    { STR("compaction_update"), on_compaction, NULL },
    { STR("current_mode_update"), NULL, on_mode },
    { STR("config_option_update"), NULL, on_options },
};

static bool is_working(const struct acp_driven *s)
{
    return s->turn &&
           (s->turn->state == ACP_TURN_PROMPTING || s->turn->state == ACP_TURN_CANCELLING);
}

bool acp_turn_count(struct acp_turn *t, size_t bytes)
{
    int64_t most = t->session->session->world->limits->acp_turn_bytes;
    bool was_small = t->bytes <= most;

    t->bytes += (int64_t)bytes;
    if (t->bytes > most && was_small) {
        acp_turn_notice(t, "the agent %s has reported more than %lld bytes (limits.acp_turn_bytes)",
                        t->session->agent->def->name, (long long)most);
        acp_turn_cancel(t, TURN_FAILED);
    }
    return t->bytes <= most;
}

static void log_dropped(struct json name, const char *why)
{
    if (log_on(LOG_DEBUG))
        LOG(LOG_DEBUG, "acp", why, LOG_S("update", utf8_head(json_raw(name), 80)));
}

void acp_on_update(struct rpc_in *in)
{
    struct acp_driven *s = acp_driven_of(in);
    struct json update = json_get(in->params, STR("update"));
    struct json name = json_get(update, STR("sessionUpdate"));

    for (size_t i = 0; s && i < ARRAY_LEN(updates); i++) {
        if (!json_is(name, updates[i].name))
            continue;
        if (updates[i].in_session)
            updates[i].in_session(s, in, update);
        else if (is_working(s) && acp_turn_count(s->turn, json_raw(update).n))
            updates[i].in_turn(s->turn, in, update);
        else
            log_dropped(name, "update outside of a turn, or beyond limits.acp_turn_bytes");
        return;
    }
    log_dropped(name, s ? "unknown update" : "update for an unknown session");
}
