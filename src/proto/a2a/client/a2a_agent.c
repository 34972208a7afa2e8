#include "proto/a2a/client/a2a_agent.h"

#include "base/container.h"
#include "base/mem.h"
#include "proto/a2a/client/a2a_work.h"

enum { STATE_DEPTH = 8, STATE_VALUES = 4096, STATE_BYTES = 1 << 16 };

/* ---- the state of a conversation ------------------------------------------------------------- */

static void read_saved(struct session *s, struct str saved, struct a2a_conversation *c)
{
    const struct json_opts opts = { .max_depth = STATE_DEPTH, .max_values = STATE_VALUES };
    struct json v;
    struct err e;

    if (!saved.n || !json_read(&s->mem, saved, &opts, &v, &e))
        return;
    c->context = json_str(&s->mem, json_get(v, STR("context")));
    c->task = json_str(&s->mem, json_get(v, STR("task")));
    c->open = json_true(json_get(v, STR("open")));
    str_to_c(json_str(&s->mem, json_get(v, STR("turn"))), c->turn, sizeof(c->turn));
    c->made = json_get(v, STR("made"));
}

static struct a2a_conversation *conversation_of(struct conversation *c)
{
    struct a2a_conversation *own = c->data;

    if (own)
        return own;
    own = ARENA_NEW(&c->session->mem, struct a2a_conversation);
    read_saved(c->session, arena_maybe(&c->session->mem, c->saved), own);
    c->data = own;
    return own;
}

static void a2a_open(struct conversation *c, struct op *op)
{
    conversation_of(c);
    op_ok(op);
}

static struct str a2a_save(const struct conversation *c, struct arena *mem)
{
    const struct a2a_conversation *own = c->data;
    struct buf out;
    struct jw w = jw_to(&out);

    if (!own)
        return STR("{}");
    buf_init_in(&out, mem, STATE_BYTES);
    jw_object(&w);
    jw_kstr(&w, "context", own->context);
    jw_kstr(&w, "task", own->task);
    if (own->open)
        jw_kbool(&w, "open", true);
    jw_kstr(&w, "turn", str_of(own->turn));
    if (own->work) {
        jw_plain_key(&w, STR("made"));
        a2a_report_save(&own->work->report, &w);
    }
    jw_object_end(&w);
    return out.full ? STR("{}") : buf_str(&out);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void work_free(struct a2a_work *w)
{
    a2a_peer_drop(w->peer);
    arena_fini(&w->round);
    arena_fini(&w->mem);
    mem_free(w);
}

static void a2a_work_release(struct agent_prompt *p)
{
    struct a2a_work *w = p->work;

    w->released = true;
    w->c->work = NULL;
    timer_clear(w->peer->o.loop, &w->timer);
    open_trace_end(&w->open_trace);
    if (w->asked)
        turn_question_fini(&w->question);
    a2a_report_fini(&w->report);
    if (w->exchange)
        op_cancel(&w->exchange->op); /* its end calls a2a_work_unused */
    else
        work_free(w);
}

void a2a_work_unused(struct a2a_work *w)
{
    work_free(w);
}

static void a2a_work_canceled(struct agent_prompt *p)
{
    a2a_work_cancel(p->work);
}

/* The trace counts this agent, so the server sees one hop more. */
static bool begin_trace(struct a2a_work *w, struct err *e)
{
    const struct session *s = w->turn->session;
    struct caller caller = { .trace = s->opts.trace };

    w->trace = trace_next(&caller, &w->mem, loop_wall(w->peer->o.loop));
    if (trace_too_deep(w->trace.depth, s->world->limits->trace_depth))
        return fail(e, ERR_DENIED,
                    "the chain of agents that call each other is too long: this would be hop %d, "
                    "and limits.trace_depth is %lld",
                    w->trace.depth, (long long)s->world->limits->trace_depth);
    trace_parent_new(&w->trace, w->parent);
    w->trace.parent = str_of(w->parent);
    w->open_trace = (struct open_trace){ .id = w->trace.id,
                                         .parent = w->trace.parent,
                                         .from = s->opts.trace.parent,
                                         .depth = w->trace.depth,
                                         .arrived = w->trace.arrived };
    if (s->host.traces)
        open_trace_begin(s->host.traces, &w->open_trace);
    return true;
}

static struct a2a_work *work_new(struct agent_prompt *p)
{
    struct a2a_work *w = MEM_NEW(struct a2a_work);

    w->prompt = p;
    w->turn = p->turn;
    /* the registry's agent is const only for its definition: the peer caches its card */
    w->peer = a2a_peer_hold((struct a2a_peer *)turn_agent(p->turn)->own);
    w->c = conversation_of(p->conversation);
    w->c->work = w;
    w->status = TASK_SUBMITTED;
    a2a_report_init(&w->report, p->turn, &w->mem);
    p->work = w;
    p->cancel = a2a_work_canceled;
    p->release = a2a_work_release;
    return w;
}

static void on_met(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_work *w = ctx;

    (void)op;
    if (w->prompt->op.settled)
        return;
    if (w->stopping)
        a2a_work_end(w, TURN_CANCELED, NULL);
    else if (e)
        a2a_work_end(w, TURN_FAILED, e);
    else if (w->message.n)
        a2a_work_send(w);
    else
        a2a_work_follow(w);
}

static void work_begin(struct a2a_work *w)
{
    struct err e;

    if (w->prompt->op.canceled)
        a2a_work_end(w, TURN_CANCELED, NULL);
    else if (!begin_trace(w, &e))
        a2a_work_end(w, TURN_FAILED, &e);
    else
        a2a_meet(&w->meeting, w->peer, &w->prompt->op, on_met, w);
}

static void a2a_prompt(struct agent_prompt *p)
{
    struct a2a_work *w = work_new(p);

    w->message = (struct blocks){ p->block, p->blocks };
    memcpy(w->c->turn, p->turn->id, sizeof(w->c->turn));
    if (!w->c->open)
        w->c->task = STR_NONE;
    work_begin(w);
}

/* A message without an answer may have been lost, or may be worked on: it is not sent again. */
static void a2a_resume(struct agent_prompt *p)
{
    struct a2a_work *w = work_new(p);
    struct err e;

    if (w->c->task.n && str_eq(str_of(w->c->turn), str_of(p->turn->id))) {
        a2a_report_resume(&w->report, w->c->made);
        work_begin(w);
        return;
    }
    fail(&e, ERR_CLOSED,
         "trefoil was stopped before the remote agent had confirmed the message; it is unknown "
         "whether the agent works on it");
    a2a_work_end(w, TURN_FAILED, &e);
}

const struct agent_kind a2a_agent_kind = {
    .name = "a2a",
    .open = a2a_open,
    .prompt = a2a_prompt,
    .resume = a2a_resume,
    .save = a2a_save,
};
