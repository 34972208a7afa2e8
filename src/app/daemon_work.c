#include "app/daemon_work.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"

#include <stdio.h>

/* A question that the daemon has sent. It is asked as a question of a call in this process. */
struct daemon_ask {
    struct ask ask; /* first */
    struct call call;
    struct arena mem;
    struct daemon_work *work;
    struct daemon_ask *next;
    int64_t id;
};

/*
 * A request that is sent while the stream is open. Its response is ignored, because the stream
 * reports the result.
 */
struct daemon_post {
    struct daemon_request request; /* first */
    struct daemon_work *work;
    struct buf body;
    struct str path;
    struct arena mem;
};

/* ---- the end --------------------------------------------------------------------------------- */

static void check_closed(struct daemon_work *r)
{
    if (r->ended && r->closed && !r->asks && !r->posts)
        loop_stop(r->loop);
}

static void daemon_work_end(struct daemon_work *r)
{
    if (r->ended)
        return;
    r->ended = true;
    timer_clear(r->loop, &r->patience);
    for (struct daemon_ask *f = r->asks; f; f = f->next)
        op_cancel(&f->ask.op);
    if (r->request.state != REQUEST_OVER)
        daemon_request_close(&r->request);
}

static void daemon_work_break(struct daemon_work *r, const struct err *e)
{
    if (r->ended)
        return;
    r->kind->broken(r, e);
    daemon_work_end(r);
}

/* ---- requests while the stream is open ------------------------------------------------------- */

static void on_posted(struct daemon_request *request)
{
    struct daemon_post *p = CONTAINER_OF(request, struct daemon_post, request);
    struct daemon_work *r = p->work;

    buf_fini(&request->answer);
    buf_fini(&p->body);
    arena_fini(&p->mem);
    mem_free(p);
    r->posts--;
    check_closed(r);
}

static struct daemon_post *post_new(struct daemon_work *r, struct jw *w)
{
    struct daemon_post *p = MEM_NEW(struct daemon_post);

    p->work = r;
    buf_init(&p->body, (size_t)r->app->project.config.limits.message_bytes);
    *w = jw_to(&p->body);
    jw_object(w);
    return p;
}

static void post_send(struct daemon_post *p, struct jw *w, const char *what)
{
    struct daemon_work *r = p->work;

    jw_object_end(w);
    p->path = arena_printf(&p->mem, "/api/streams/%s/%s", r->id, what);
    p->request.method = "POST";
    p->request.path = p->path.p;
    p->request.body = buf_str(&p->body);
    p->request.done = on_posted;
    r->posts++;
    if (!daemon_request_start(&p->request, r->loop, &r->app->project,
                              r->app->project.config.limits.shutdown_ms))
        on_posted(&p->request);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static void on_no_answer(struct timer *t)
{
    struct daemon_work *r = CONTAINER_OF(t, struct daemon_work, patience);
    struct err e;

    fail(&e, ERR_TIMEOUT,
         "the daemon (process %d) does not answer the cancel request; it may still be working",
         r->request.pid);
    daemon_work_break(r, &e);
}

void daemon_work_cancel(struct daemon_work *r)
{
    struct daemon_post *p;
    struct jw w;

    if (r->canceled || r->ended)
        return;
    r->canceled = true;
    p = post_new(r, &w);
    post_send(p, &w, "cancel");
    timer_set(r->loop, &r->patience, r->app->project.config.limits.shutdown_ms, on_no_answer);
}

/* ---- questions ------------------------------------------------------------------------------- */

static void free_ask(struct op *op)
{
    struct daemon_ask *f = CONTAINER_OF(op, struct daemon_ask, ask.op);
    struct daemon_work *r = f->work;

    LIST_UNLINK(r->asks, f, next);
    arena_fini(&f->mem);
    mem_free(f);
    check_closed(r);
}

static const struct op_kind daemon_ask_kind = { .name = "ask", .release = free_ask };

static void on_remote_answered(struct op *op, const struct err *e, void *ctx)
{
    struct daemon_ask *f = ctx;
    struct daemon_post *p;
    struct jw w;

    (void)op;
    if (f->work->ended)
        return;
    p = post_new(f->work, &w);
    jw_kint(&w, "answer", f->id);
    if (e) {
        jw_kstr(&w, "code", str_of(err_code_name(e->code)));
        jw_kstr(&w, "text", str_of(e->text));
    } else {
        jw_kraw(&w, "value", json_raw(f->ask.answer));
    }
    post_send(p, &w, "answer");
}

static void put_question(struct daemon_work *r, const struct work_message *m)
{
    struct daemon_ask *f = MEM_NEW(struct daemon_ask);

    *f = (struct daemon_ask){ .work = r, .id = m->ask, .next = r->asks };
    r->asks = f;
    f->call.host = &r->host;
    f->call.mem = &f->mem;
    f->ask.call = &f->call;
    f->ask.about = &f->call;
    if (!ask_kind_named(m->kind, &f->ask.kind))
        f->ask.kind = ASK_KINDS; /* unknown kind: no terminal can ask it */
    f->ask.params = json_here(m->params) ? arena_str(&f->mem, json_raw(m->params)) : STR("{}");
    op_begin(&f->ask.op, &daemon_ask_kind, r->loop, NULL, on_remote_answered, f);
    r->kind->ask(r, &f->ask);
}

static void withdraw_question(struct daemon_work *r, int64_t id)
{
    struct daemon_ask *f = r->asks;

    while (f && f->id != id)
        f = f->next;
    if (f)
        op_cancel(&f->ask.op);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void take_message(struct daemon_work *r, struct arena *mem, const struct work_message *m)
{
    if (m->work.p) {
        str_to_c(m->work, r->id, sizeof(r->id));
        r->accepted = true;
        loop_stop(r->loop);
    } else if (m->ask >= 0) {
        put_question(r, m);
    } else if (m->taken >= 0) {
        withdraw_question(r, m->taken);
    } else {
        r->kind->message(r, mem, m);
        if (m->done >= 0)
            daemon_work_end(r);
    }
}

static void read_message(struct daemon_work *r, struct str data)
{
    AUTO_ARENA mem = { 0 };
    struct work_message m;
    struct err e;

    if (r->ended)
        return;
    if (work_message_read(&mem, data, &r->app->project.config.limits, &m, &e))
        take_message(r, &mem, &m);
    else
        daemon_work_break(r, &e);
}

/*
 * Handle a message. The first message is handled here; the verb gets the others when
 * daemon_work_wait is running.
 */
static void on_work_event(struct daemon_request *request, struct str data)
{
    struct daemon_work *r = request->ctx;

    if (r->showing || !r->accepted) {
        read_message(r, data);
    } else {
        buf_put(&r->early, data);
        buf_putc(&r->early, '\n');
    }
}

static void break_lost(struct daemon_work *r)
{
    struct err e;

    daemon_lost(r->request.pid, &e);
    daemon_work_break(r, &e);
}

static void on_work_closed(struct daemon_request *request)
{
    struct daemon_work *r = request->ctx;

    r->closed = true;
    buf_fini(&request->answer);
    if (!r->showing) {
        loop_stop(r->loop);
        return;
    }
    break_lost(r);
    check_closed(r);
}

/* ---- start and end --------------------------------------------------------------------------- */

bool daemon_work_start(struct daemon_work *r, const char *path, struct str body)
{
    r->host = (struct host){ .loop = r->loop, .limits = &r->app->project.config.limits };
    r->request = (struct daemon_request){ .method = "POST",
                                          .path = path,
                                          .body = body,
                                          .event = on_work_event,
                                          .done = on_work_closed,
                                          .ctx = r };
    buf_init(&r->early, (size_t)r->app->project.config.limits.output_backlog_bytes);
    if (!daemon_request_start(&r->request, r->loop, &r->app->project,
                              r->app->project.config.limits.attach_ms))
        return false;
    while (!r->accepted && !r->closed)
        loop_run(r->loop);
    return r->accepted;
}

void daemon_work_wait(struct daemon_work *r)
{
    struct str early = buf_str(&r->early);

    r->showing = true;
    while (early.n)
        read_message(r, str_cut(&early, '\n'));
    buf_fini(&r->early);
    if (r->closed)
        break_lost(r);
    while (!r->ended || !r->closed || r->asks || r->posts)
        loop_run(r->loop);
}
