/*
 * task_asking.c - one shown_ask for each question:
 *
 *   ASKED   the question is shown at the terminal, or waits until earlier questions are answered
 *   GIVEN   the person has answered; the task has not read the answer yet
 *   OVER    the question is closed; only its key is kept
 */
#include "app/task/task_asking.h"

#include "base/container.h"
#include "base/mem.h"
#include "web/approval_json.h"

enum shown_state { ASKED, GIVEN, OVER };

struct shown_ask {
    struct ask ask; /* first */
    struct call call;
    struct arena mem;
    struct task_asking *of;
    struct shown_ask *next;
    enum shown_state state;
    bool open; /* the task last reported the question as open */
    struct str key;
    struct task_ask give;
};

static void over(struct shown_ask *s)
{
    s->state = OVER;
    s->of->busy--;
    if (s->of->closing)
        loop_stop(s->of->screen->loop);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void on_given(struct op *op, const struct err *e, void *ctx)
{
    struct shown_ask *s = ctx;

    (void)op;
    if (e && e->code != ERR_CANCELED)
        task_screen_note(s->of->screen, str_of(e->text));
    if (e && e->code == ERR_INVALID)
        s->key = STR_NONE; /* the question is still open and will be asked again */
    task_ask_fini(&s->give);
    over(s);
}

static void on_asked(struct op *op, const struct err *e, void *ctx)
{
    struct shown_ask *s = ctx;

    (void)op;
    if (e) {
        over(s);
        return;
    }
    s->state = GIVEN;
    s->give.id = s->of->id;
    s->give.by = principal_self(ORIGIN_TERMINAL);
    s->give.unseen = s->of->here;
    task_answer(s->of->engine, &s->give, s->key, s->ask.answer, NULL, on_given, s);
}

/*
 * Cancel the ask. If a question is shown at the terminal, its op is a child of `op` and is
 * cancelled, too.
 */
static void cancel_asked(struct op *op)
{
    if (!op->child)
        op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind shown_kind = { .name = "shown ask", .cancel = cancel_asked };

/* ---- questions ------------------------------------------------------------------------------- */

static struct shown_ask *task_asking_find(struct task_asking *t, struct str key)
{
    struct shown_ask *s = t->all;

    while (s && !str_eq(s->key, key))
        s = s->next;
    return s;
}

/* Copy all data of the question, because the reported data is freed. */
static void task_asking_fill(struct shown_ask *s, const struct approval *a, enum ask_kind kind)
{
    s->key = arena_str(&s->mem, a->key);
    s->call = (struct call){ .host = &s->of->host, .mem = &s->mem };
    s->call.what = arena_cstr(&s->mem, a->tool);
    s->ask = (struct ask){ .call = &s->call, .about = &s->call, .kind = kind, .key = s->key };
    s->ask.params = json_here(a->params) ? arena_str(&s->mem, json_raw(a->params)) : STR("{}");
}

static void ask_it(struct task_asking *t, const struct approval *a, enum ask_kind kind)
{
    struct shown_ask *s = MEM_NEW(struct shown_ask);

    s->of = t;
    s->next = t->all;
    s->open = true;
    t->all = s;
    t->busy++;
    task_asking_fill(s, a, kind);
    op_begin(&s->ask.op, &shown_kind, t->screen->loop, NULL, on_asked, s);
    asking_put(&t->screen->console.asking, &s->ask);
}

static void take_back(struct shown_ask *s)
{
    if (s->state == ASKED)
        op_cancel(&s->ask.op);
}

void task_asking_see(struct task_asking *t, struct str asks)
{
    struct arena mem = { 0 };
    struct task_info info = { .asks = asks };
    struct approval_walk at = { 0 };
    struct approval a;
    enum ask_kind kind;

    if (!t->screen || t->closing)
        return;
    for (struct shown_ask *s = t->all; s; s = s->next)
        s->open = false;
    while (approval_next(&at, &mem, t->host.limits, &info, &a)) {
        struct shown_ask *s = task_asking_find(t, a.key);

        if (s)
            s->open = true;
        else if (!t->lost && ask_kind_named(a.kind, &kind) && asking_can(kind))
            ask_it(t, &a, kind);
    }
    for (struct shown_ask *s = t->all; s; s = s->next)
        if (!s->open)
            take_back(s);
    arena_fini(&mem);
}

/* ---- opening and closing --------------------------------------------------------------------- */

bool task_asking_can(const struct task_screen *screen)
{
    return !screen->app->opt.json && console_can_ask(&screen->console);
}

void task_asking_open(struct task_asking *t, struct task_screen *screen, struct task_engine *engine,
                      struct str id)
{
    *t = (struct task_asking){
        .screen = screen,
        .engine = engine,
        .id = id,
        .host = { .loop = screen->loop, .limits = &screen->app->project.config.limits },
    };
    screen->asks = true;
}

void task_asking_lose(struct task_asking *t)
{
    t->lost = true;
    for (struct shown_ask *s = t->all; s; s = s->next)
        take_back(s);
}

void task_asking_close(struct task_asking *t)
{
    struct shown_ask *next;

    t->closing = true;
    for (struct shown_ask *s = t->all; s; s = s->next) {
        take_back(s);
        if (s->state == GIVEN)
            op_cancel(&s->give.op);
    }
    while (t->busy)
        loop_run(t->screen->loop);
    for (struct shown_ask *s = t->all; s; s = next) {
        next = s->next;
        arena_fini(&s->mem);
        mem_free(s);
    }
    t->all = NULL;
}
