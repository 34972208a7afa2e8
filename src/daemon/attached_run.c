#include "daemon/attached_run.h"
#include "term/print.h"

#include "term/question.h"

#include "base/auto.h"
#include "base/container.h"

enum { OUT_KEPT = 64 << 10 };

/* A question of the agent: an op under it, so that we hear when it is taken back. */
struct attached_ask {
    struct op op; /* first */
    struct attached_run *client;
    struct ask *ask;
    int64_t id;
    struct json answer;
    struct attached_ask *next;
};

/* ---- telling --------------------------------------------------------------------------------- */

static struct jw new_line(struct attached_run *g)
{
    struct jw w = jw_to(&g->out);

    buf_clear(&g->out);
    jw_object(&w);
    return w;
}

/* False: it is too large, and was not sent. */
static bool send_line(struct attached_run *g, struct jw *w)
{
    struct str line;
    bool fits;

    jw_object_end(w);
    line = buf_str(&g->out);
    fits = !g->out.full;
    if (fits && !g->gone)
        link_send(&g->link.link, &line, 1);
    buf_trim(&g->out, OUT_KEPT);
    return fits;
}

static struct attached_run *of_job(struct run_job *j)
{
    return CONTAINER_OF(j, struct attached_run, job);
}

static void on_begins(struct run_job *j, struct str session, struct str agent, struct str model)
{
    struct attached_run *g = of_job(j);
    struct jw w = new_line(g);

    jw_plain_key(&w, STR("begins"));
    jw_object(&w);
    jw_kstr(&w, "session", session);
    jw_kstr(&w, "agent", agent);
    jw_kstr(&w, "model", model);
    jw_object_end(&w);
    send_line(g, &w);
}

static void on_turns(struct run_job *j)
{
    struct attached_run *g = of_job(j);
    struct jw w = new_line(g);

    jw_kbool(&w, "turns", true);
    send_line(g, &w);
}

static void on_note(struct run_job *j, struct str text)
{
    struct attached_run *g = of_job(j);
    struct jw w = new_line(g);

    jw_kstr(&w, "note", text);
    send_line(g, &w);
}

static bool tell(struct attached_run *g, struct str below, const struct event *ev)
{
    struct jw w = new_line(g);

    jw_kstr(&w, "below", below);
    jw_plain_key(&w, STR("event"));
    event_write(&w, ev);
    return send_line(g, &w);
}

static void on_event(struct work_client *c, const struct event *ev)
{
    struct attached_run *g = CONTAINER_OF(c, struct attached_run, client);
    const struct event cut = {
        .kind = EVENT_NOTICE,
        .notice = { NOTICE_WARNING, STR("an event that is too large was left out") },
    };

    if (!tell(g, STR_NONE, ev))
        tell(g, STR_NONE, &cut);
}

static void on_below(struct work_client *c, struct str session, const struct event *ev)
{
    tell(CONTAINER_OF(c, struct attached_run, client), session, ev);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void drop_ask(struct attached_ask *q)
{
    struct attached_ask **at = &q->client->asks;

    while (*at && *at != q)
        at = &(*at)->next;
    if (*at)
        *at = q->next;
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct attached_ask *q = ctx;

    (void)op;
    if (e)
        ask_refuse(q->ask, e);
    else
        ask_answer(q->ask, q->answer);
}

static void on_taken_back(struct op *op)
{
    struct attached_ask *q = CONTAINER_OF(op, struct attached_ask, op);
    struct jw w;

    if (op->settled)
        return;
    drop_ask(q);
    w = new_line(q->client);
    jw_kint(&w, "taken", q->id);
    send_line(q->client, &w);
    op_fail(op, &(struct err){ ERR_CANCELED, "canceled" });
}

static const struct op_kind ask_kind = { .name = "guest ask", .cancel = on_taken_back };

static bool put_ask(struct attached_ask *q)
{
    const struct ask *ask = q->ask;
    struct jw w = new_line(q->client);

    jw_kint(&w, "ask", q->id);
    jw_kstr(&w, "kind", str_of(ask_names[ask->kind]));
    jw_kraw(&w, "params", ask->params);
    return send_line(q->client, &w);
}

static void on_ask(struct work_client *c, struct ask *ask)
{
    struct attached_run *g = CONTAINER_OF(c, struct attached_run, client);
    struct attached_ask *q = ARENA_NEW(ask->call->mem, struct attached_ask);

    *q = (struct attached_ask){ .client = g, .ask = ask, .id = ++g->last_ask, .next = g->asks };
    if (!put_ask(q)) {
        ask_refuse(ask, &(struct err){ ERR_LIMIT, "the question is too large to be asked" });
        return;
    }
    g->asks = q;
    op_begin(&q->op, &ask_kind, ask->op.loop, &ask->op, on_answered, q);
}

static bool on_can(const struct work_client *c, enum ask_kind kind)
{
    const struct attached_run *g = CONTAINER_OF(c, const struct attached_run, client);

    return kind == ASK_PERMISSION || (asking_can(kind) && g->person);
}

static const struct work_client_kind client_kind = { on_event, on_can, on_ask, on_below };

/* One that was taken back meanwhile is not found any more. */
static void answer(struct attached_run *g, const struct run_line *line)
{
    struct json_opts opts = limits_json(g->service->limits);
    struct attached_ask *q = g->asks;
    struct arena *mem;
    struct err e;

    while (q && q->id != line->answer)
        q = q->next;
    if (!q)
        return;
    drop_ask(q);
    mem = q->ask->call->mem;
    if (!json_here(line->value))
        fail(&e, run_code_named(line->code), STR_FMT, STR_ARG(line->text));
    else if (json_read(mem, arena_str(mem, json_raw(line->value)), &opts, &q->answer, &e)) {
        op_ok(&q->op);
        return;
    }
    op_fail(&q->op, &e);
}

/* ---- the job --------------------------------------------------------------------------------- */

/* The last word was said. */
static void end(struct attached_run *g)
{
    g->over = true;
    if (g->hurry || g->gone) {
        stream_flush(g->link.io);
        stream_close(g->link.io);
    } else {
        link_close(&g->link.link);
    }
}

static void say_done(struct attached_run *g, int code, bool canceled)
{
    struct jw w = new_line(g);

    jw_kint(&w, "done", code);
    jw_kbool(&w, "canceled", canceled);
    send_line(g, &w);
    end(g);
}

static void on_done(struct run_job *j, int code, bool canceled)
{
    struct attached_run *g = of_job(j);

    g->working = false;
    say_done(g, code, canceled);
}

static const struct run_job_kind job_kind = { on_begins, on_turns, on_note, on_done };

static void start(struct attached_run *g)
{
    g->working = true;
    run_job_start(&g->job);
}

static void on_gathered(struct op *op, const struct err *e, void *ctx)
{
    struct attached_run *g = ctx;

    if (e || op->canceled || g->gone) /* also what came after all was there, and before this */
        say_done(g, EXIT_FAILED, true);
    else
        start(g);
}

static void begin(struct attached_run *g, const struct run_line *line)
{
    struct err e;

    if (!json_here(line->run) || !run_want_read(&g->mem, line->run, &g->want, &g->person, &e)) {
        end(g);
        return;
    }
    g->asked = true;
    if (!g->service->readiness.open) {
        start(g);
        return;
    }
    readiness_wait(&g->service->readiness, &g->wait, g->service->loop, g->service->limits, NULL,
                   on_gathered, g);
}

static void cancel(struct attached_run *g)
{
    if (g->working)
        run_job_cancel(&g->job);
    else if (g->asked && !g->over)
        op_cancel(&g->wait.op);
    else if (!g->over)
        end(g);
}

/* ---- the link -------------------------------------------------------------------------------- */

static void on_frame(struct link *link, const struct frame *frame)
{
    struct attached_run *g = link->owner;
    AUTO_ARENA mem = { 0 };
    struct run_line line;
    struct err e;

    if (g->over)
        return;
    if (!run_line_read(g->asked ? &mem : &g->mem, frame, g->service->limits, &line, &e)) {
        LOG(LOG_DEBUG, "daemon", "a line that is none", LOG_Z("why", e.text));
        attached_run_gone(g);
    } else if (!g->asked) {
        begin(g, &line);
    } else if (line.cancel) {
        cancel(g);
    } else if (line.answer >= 0) {
        answer(g, &line);
    }
}

static void on_end(struct link *link, const struct err *e)
{
    (void)e;
    attached_run_gone(link->owner);
}

static void on_closed(struct link *link)
{
    struct attached_run *g = link->owner;

    buf_fini(&g->out);
    arena_fini(&g->mem);
    g->done(g);
}

static const struct link_events link_events = { on_frame, on_end, on_closed };

void attached_run_start(struct attached_run *g, struct service *service, struct runtime *shop,
                        struct stream *io, void (*done)(struct attached_run *g), void *ctx)
{
    g->service = service;
    g->client.kind = &client_kind;
    g->done = done;
    g->ctx = ctx;
    g->job = (struct run_job){ .kind = &job_kind,
                               .shop = shop,
                               .root = service->offer.host.root,
                               .client = &g->client,
                               .want = &g->want };
    buf_init(&g->out, (size_t)service->limits->output_backlog_bytes / 2);
    stream_link_open(&g->link, io, FRAMING_LINE, service->limits, &link_events, g);
}

void attached_run_gone(struct attached_run *g)
{
    if (g->gone)
        return;
    g->gone = true;
    cancel(g);
}

void attached_run_drain(struct attached_run *g)
{
    if (!g->asked && !g->over)
        end(g);
}

void attached_run_stop(struct attached_run *g)
{
    g->hurry = true;
    if (!g->over)
        cancel(g);
    else if (!g->link.io->closing)
        stream_close(g->link.io);
}
