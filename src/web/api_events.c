/*
 * api_events.c - streams of the events of one task, and of all tasks and lists.
 *
 * Each stream has its own memory, because it may last for days and its request is freed when the
 * stream begins. The stream ends with the op that delivers its events; then its memory is freed.
 */
#include "web/api_events.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/digits.h"
#include "base/mem.h"
#include "web/api_request.h"
#include "web/task_json.h"

static struct sse_out event_out(struct str kind, int64_t id, char text[DIGITS_MOST],
                                struct str data)
{
    return (struct sse_out){ .event = kind,
                             .id = { text, digits_put(text, (uint64_t)id) },
                             .data = data };
}

/* ---- one task -------------------------------------------------------------------------------- */

struct follower {
    struct http_req *req;
    struct web *web;
    char id[ID_TEXT];
    struct principal principal;
    struct task_watch watch;
};

/* All followers of a task get the same text, one after the other: it is written once. */
static struct str text_of(struct follower *f, int64_t seq, int64_t at, struct str kind,
                          struct str body)
{
    struct events_api *a = &f->web->events;
    struct jw w = jw_to(&a->last);

    if (seq != a->last_seq || !str_eq(str_of(a->last_task), str_of(f->id))) {
        a->last.max = (size_t)f->web->limits->output_backlog_bytes;
        buf_clear(&a->last);
        task_event_write(&w, seq, at, kind, body);
        memcpy(a->last_task, f->id, sizeof(f->id));
        a->last_seq = seq;
    }
    return buf_str(&a->last);
}

static bool on_task_event(struct task_watch *watch, int64_t seq, int64_t at, struct str kind,
                          struct str body)
{
    struct follower *f = CONTAINER_OF(watch, struct follower, watch);
    char id[DIGITS_MOST];
    struct sse_out out = event_out(kind, seq, id, text_of(f, seq, at, kind, body));

    return http_sse_send(f->req, &out);
}

/* It has ended, the client has left, or was too slow and may come again. */
static void on_watched(struct op *op, const struct err *e, void *ctx)
{
    struct follower *f = ctx;

    (void)op;
    (void)e;
    http_stream_end(f->req);
    mem_free(f);
}

static void on_follower_room(struct http_req *req)
{
    task_watch_more(&((struct follower *)req->data)->watch);
}

static void on_follower_gone(struct http_req *req)
{
    op_cancel(&((struct follower *)req->data)->watch.op);
}

struct find_visit {
    struct api_visit visit; /* first */
    struct task_ask ask;
    int64_t after;
};

static void follow(struct find_visit *v)
{
    struct follower *f = MEM_NEW(struct follower);
    struct http_req *req = v->visit.req;
    struct task_engine *engine = api_engine(&v->visit);

    f->req = req;
    f->web = v->visit.web;
    str_to_c(v->ask.id, f->id, sizeof(f->id));
    f->principal = v->visit.principal;
    f->watch = (struct task_watch){ .id = str_of(f->id),
                                    .owner = principal_sees(str_of(f->principal.name)),
                                    .after = v->after,
                                    .event = on_task_event };
    req->data = f;
    req->on_gone = on_follower_gone;
    req->on_room = on_follower_room;
    http_sse_begin(req, NULL, 0);
    http_forget_request(req);
    task_watch(engine, &f->watch, NULL, on_watched, f);
}

static void on_found(struct op *op, const struct err *e, void *ctx)
{
    struct find_visit *v = ctx;
    bool told = !e && task_state_final(v->ask.info.state) && v->after >= v->ask.info.last_seq;

    (void)op;
    task_ask_fini(&v->ask);
    if (e)
        api_refuse(v->visit.req, e);
    else if (told || !v->visit.req->conn)
        http_reply(v->visit.req, 204, NULL, NULL, 0, NULL, 0);
    else
        follow(v);
}

static void find(struct api_visit *visit)
{
    struct find_visit *v = (struct find_visit *)(void *)visit;

    task_get(api_engine(visit), &v->ask, NULL, on_found, v);
}

void events_api_of_task(struct http_req *req, struct str id)
{
    struct find_visit *v = ARENA_NEW(&req->mem, struct find_visit);
    struct err e;

    api_visit_init(&v->visit, req);
    v->ask.id = id;
    v->ask.owner = api_sees(&v->visit);
    if (api_query_after(&v->visit, &v->after, &e))
        api_visit_begin(&v->visit, find);
    else
        api_refuse(req, &e);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The first ones as enum events_list. */
static const struct str kinds[] = {
    STR("agents"), STR("servers"), STR("skills"),   STR("lock"),     STR("unlock"),
    STR("status"), STR("ask"),     STR("answered"), STR("artifact"),
};

struct filter {
    unsigned kinds; /* a bit for each */
    struct str task, context;
};

struct listener {
    struct listener *next, **link;
    struct http_req *req;
    struct web *web;
    struct arena mem;
    struct principal principal;
    struct filter filter;
    struct task_feed feed;
    bool open; /* the stream has begun */
    bool full;
};

static bool kind_named(struct str name, unsigned *bit)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_eq(name, kinds[i])) {
            *bit = 1u << i;
            return true;
        }
    return false;
}

static bool wants(const struct filter *f, struct str kind)
{
    unsigned bit = 0;

    return kind_named(kind, &bit) && (f->kinds & bit);
}

static bool put(struct listener *l, const struct sse_out *out)
{
    l->full = !http_sse_send(l->req, out);
    return !l->full;
}

static void on_begun(struct task_feed *feed, bool gap)
{
    struct listener *l = CONTAINER_OF(feed, struct listener, feed);
    struct events_api *a = &l->web->events;

    http_sse_begin(l->req, NULL, 0);
    http_forget_request(l->req);
    l->open = true;
    l->link = &a->listeners;
    l->next = a->listeners;
    if (l->next)
        l->next->link = &l->next;
    a->listeners = l;
    if (gap)
        put(l, &(struct sse_out){ .event = STR("gap"), .data = STR("{\"kind\":\"gap\"}") });
}

static bool on_event(struct task_feed *feed, const struct store_feed_event *ev)
{
    struct listener *l = CONTAINER_OF(feed, struct listener, feed);
    const struct filter *f = &l->filter;
    char id[DIGITS_MOST];
    AUTO_BUF data;
    struct jw w = jw_to(&data);
    struct sse_out out;

    buf_init(&data, (size_t)l->web->limits->output_backlog_bytes);
    if (!wants(f, ev->event.kind) || (f->task.p && !str_eq(f->task, ev->task)) ||
        (f->context.p && !str_eq(f->context, ev->context)))
        return true;
    task_feed_write(&w, ev);
    out = event_out(ev->event.kind, ev->n, id, buf_str(&data));
    return put(l, &out);
}

static void on_fed(struct op *op, const struct err *e, void *ctx)
{
    struct listener *l = ctx;

    (void)op;
    if (l->open) {
        *l->link = l->next;
        if (l->next)
            l->next->link = l->link;
        http_stream_end(l->req);
    } else {
        api_refuse(l->req, e);
    }
    arena_fini(&l->mem);
    mem_free(l);
}

static void on_listener_room(struct http_req *req)
{
    struct listener *l = req->data;

    l->full = false;
    task_feed_more(&l->feed);
}

static void on_listener_gone(struct http_req *req)
{
    op_cancel(&((struct listener *)req->data)->feed.op);
}

struct listen_visit {
    struct api_visit visit; /* first */
    struct filter filter;
    int64_t after;
};

static void begin_listening(struct api_visit *visit)
{
    const struct listen_visit *v = (const struct listen_visit *)(const void *)visit;
    struct listener *l;

    if (!visit->req->conn) {
        http_reply(visit->req, 204, NULL, NULL, 0, NULL, 0);
        return;
    }
    l = MEM_NEW(struct listener);
    l->req = visit->req;
    l->web = visit->web;
    l->filter.kinds = v->filter.kinds;
    if (v->filter.task.p)
        l->filter.task = arena_str(&l->mem, v->filter.task);
    if (v->filter.context.p)
        l->filter.context = arena_str(&l->mem, v->filter.context);
    l->principal = visit->principal;
    l->feed = (struct task_feed){ .owner = principal_sees(str_of(l->principal.name)),
                                  .after = v->after,
                                  .begun = on_begun,
                                  .event = on_event };
    l->req->data = l;
    l->req->on_gone = on_listener_gone;
    l->req->on_room = on_listener_room;
    task_feed(api_engine(visit), &l->feed, NULL, on_fed, l);
}

static bool read_kinds(struct str words, unsigned *out, struct err *e)
{
    unsigned bit = 0;

    if (!words.p) {
        *out = (1u << ARRAY_LEN(kinds)) - 1;
        return true;
    }
    *out = 0;
    while (words.p) {
        struct str word = str_cut(&words, ',');

        if (!kind_named(word, &bit))
            return fail(e, ERR_INVALID,
                        "kinds: unknown kind " STR_FMT
                        "; expected status, ask, answered, artifact, agents, servers, skills, lock "
                        "or unlock",
                        STR_ARG(str_head(word, 40)));
        *out |= bit;
    }
    return true;
}

void events_api_all(struct http_req *req)
{
    struct listen_visit *v = ARENA_NEW(&req->mem, struct listen_visit);
    struct str words;
    struct err e;

    api_visit_init(&v->visit, req);
    v->after = TASK_FEED_NOW;
    if (api_query(&v->visit, "kinds", &words, &e) && read_kinds(words, &v->filter.kinds, &e) &&
        api_query(&v->visit, "task", &v->filter.task, &e) &&
        api_query(&v->visit, "context", &v->filter.context, &e) &&
        api_query_after(&v->visit, &v->after, &e))
        api_visit_begin(&v->visit, begin_listening);
    else
        api_refuse(req, &e);
}

/* ---- what is not of tasks -------------------------------------------------------------------- */

/* None of this is stored: a listener without room would miss it without knowing. */
static void tell(struct listener *l, struct str kind, struct str data)
{
    if (l->full)
        op_cancel(&l->feed.op);
    else
        put(l, &(struct sse_out){ .event = kind, .data = data });
}

static void begin_event(struct jw *w, struct web *s, struct str kind)
{
    char time[CLOCK_TEXT];

    clock_text(loop_wall(s->loop), time);
    jw_object(w);
    jw_kplain(w, "kind", kind);
    jw_kplain(w, "time", str_of(time));
}

void events_api_changed(struct web *s, enum events_list what)
{
    AUTO_BUF data;
    struct jw w = jw_to(&data);

    buf_init(&data, (size_t)s->limits->output_backlog_bytes);
    begin_event(&w, s, kinds[what]);
    jw_object_end(&w);
    for (struct listener *l = s->events.listeners; l; l = l->next)
        if (wants(&l->filter, kinds[what]) && !l->filter.task.p && !l->filter.context.p)
            tell(l, kinds[what], buf_str(&data));
}

static void on_lock(void *ctx, const struct lock_info *lock, bool held)
{
    struct web *s = ctx;
    struct str kind = held ? STR("lock") : STR("unlock");
    AUTO_BUF data;
    struct jw w = jw_to(&data);

    buf_init(&data, (size_t)s->limits->output_backlog_bytes);
    begin_event(&w, s, kind);
    jw_plain_key(&w, STR("lock"));
    task_lock_write(&w, lock);
    jw_object_end(&w);
    for (struct listener *l = s->events.listeners; l; l = l->next)
        if (wants(&l->filter, kind) && !l->filter.context.p &&
            (!l->filter.task.p || str_eq(l->filter.task, lock->task)))
            tell(l, kind, buf_str(&data));
}

void events_api_agents_opened(struct web *s)
{
    if (s->agents.locks)
        lock_table_watch(s->agents.locks, on_lock, s);
}

void events_api_fini(struct events_api *a)
{
    buf_fini(&a->last);
}
