/*
 * session.c - opens and closes sessions; session.h has the states.
 *
 * A new session is stored with one request. To open a stored session, this process first becomes
 * its holder (and gets a fencing token), and then reads the records page by page. If the last turn
 * did not end, the stored state of that turn is read, too.
 */
#include "core/session/session.h"

#include "base/container.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/guard/guard.h"
#include "core/guard/taint_label.h"
#include "core/guard/tool_pattern.h"
#include "core/session/turn.h"

#include <assert.h>

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const state_names[SESSION_STATES] = {
    [SESSION_OPENING] = "opening", [SESSION_QUEUED] = "queued",   [SESSION_IDLE] = "idle",
    [SESSION_WORKING] = "working", [SESSION_CLOSING] = "closing", [SESSION_CLOSED] = "closed",
};

#define TO(state) (1u << SESSION_##state)

static const unsigned state_next[SESSION_STATES] = {
    [SESSION_OPENING] = TO(QUEUED) | TO(IDLE) | TO(CLOSED),
    [SESSION_QUEUED] = TO(OPENING) | TO(CLOSED),
    [SESSION_IDLE] = TO(WORKING) | TO(CLOSING),
    [SESSION_WORKING] = TO(IDLE),
    [SESSION_CLOSING] = TO(CLOSED),
};

void session_set_state(struct session *s, enum session_state to)
{
    assert(state_next[s->state] & (1u << to));
    LOG(LOG_TRACE, "session", "state", LOG_Z("session", s->id),
        LOG_Z("from", state_names[s->state]), LOG_Z("to", state_names[to]));
    s->state = to;
}

/*
 * ---- options, folders and scopes
 * ----------------------------------------------------------------------
 */

static void copy_opts(struct session *s, const struct session_opts *o)
{
    s->opts = *o;
    s->opts.id = s->opts.new_id = STR_NONE;
    s->opts.principal = arena_maybe(&s->mem, o->principal);
    s->opts.taint = arena_maybe(&s->mem, o->taint);
    if (s->world->untrusted_users && !s->opts.taint.n)
        s->opts.taint = taint_source(
            &s->mem, arena_printf(&s->mem, "user@" STR_FMT, STR_ARG(s->opts.principal)));
    if (!s->opts.client)
        s->opts.client = id_number();
    s->opts.trace.id = arena_maybe(&s->mem, o->trace.id);
    s->opts.trace.parent = arena_maybe(&s->mem, o->trace.parent);
    s->opts.trace.state = arena_maybe(&s->mem, o->trace.state);
    s->opts.caller = o->caller ? arena_cstr(&s->mem, str_of(o->caller)) : NULL;
}

static struct offer *offer_of(const struct session *s)
{
    return s->opts.offer ? s->opts.offer : s->agent->offer;
}

static void join_folders(struct session *s)
{
    size_t n = s->host.includes + s->agent->includes + s->opts.includes, at = 0;
    struct host_folder *all = ARENA_ARRAY(&s->mem, struct host_folder, n ? n : 1);

    for (size_t i = 0; i < s->host.includes; i++)
        all[at++] = s->host.include[i];
    for (size_t i = 0; i < s->agent->includes; i++)
        all[at++] = s->agent->include[i];
    for (size_t i = 0; i < s->opts.includes; i++)
        all[at++] = s->opts.include[i];
    s->host.include = all;
    s->host.includes = n;
}

/* The scope chain: session, agent definition, caller. Each can only restrict the one below. */
static void set_scopes(struct session *s)
{
    s->agent_scope = s->agent->scope;
    if (s->opts.parent)
        s->agent_scope.parent = s->opts.parent;
    else if (s->host.guard && origin_is_terminal(s->opts.origin))
        s->agent_scope.parent = guard_face(s->host.guard, s->opts.origin);
    s->agent_scope.inside = true;
    s->scope = (struct guard_scope){
        .name = "the session",
        .parent = &s->agent_scope,
        .mode = s->opts.read_only ? AGENT_READ_ONLY : AGENT_READ_WRITE,
    };
}

/* The folder of the agent's definition, which is relative to the root; the root by default. */
static const char *agents_folder(struct session *s)
{
    const char *folder = s->agent->def->folder;

    return folder ? arena_printf(&s->mem, "%s/%s", s->host.root, folder).p : s->host.root;
}

/* The session's folder, else the agent's, else the root. */
static void set_folder(struct session *s, const char *cwd)
{
    s->host = offer_of(s)->host;
    s->host.offer = offer_of(s);
    s->cwd = cwd ? arena_cstr(&s->mem, str_of(cwd)) : agents_folder(s);
    s->elsewhere = cwd && strcmp(cwd, agents_folder(s)) != 0;
    s->host.cwd = s->cwd;
    join_folders(s);
}

static void make(struct session *s, const struct session_world *w, const struct session_opts *o)
{
    *s = (struct session){ .world = w, .agent = agent_hold(o->agent) };
    copy_opts(s, o);
    s->history = history_new(w->limits, &s->mem);
    set_folder(s, o->cwd);
    set_scopes(s);
}

static void unmake(struct session *s)
{
    if (s->host.on_closed)
        s->host.on_closed(&s->host);
    session_set_state(s, SESSION_CLOSED);
    if (s->world->open)
        session_claim_end(s->world->open, &s->claim);
    history_free(s->history);
    agent_drop(s->agent);
    guard_grants_fini(&s->grants);
    arena_fini(&s->mem);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void fail_opening(struct session_opening *o, const struct err *e)
{
    unmake(o->session);
    op_fail(&o->op, e);
}

/*
 * Waiting in the queue ends at once. A request that the store already has is not stopped: the
 * session opens, and the caller closes it again.
 */
static void cancel_opening(struct op *op)
{
    struct session_opening *o = CONTAINER_OF(op, struct session_opening, op);

    if (o->session->state == SESSION_QUEUED)
        fail_opening(o, &(struct err){ ERR_CANCELED, "cancelled while waiting for the session" });
}

static const struct op_kind opening_kind = { .name = "open session", .cancel = cancel_opening };

static void store_do(struct session_opening *o, size_t steps, op_done_fn *done)
{
    o->ask = (struct store_ask){ .step = o->step,
                                 .steps = steps,
                                 .durability = o->session->world->durability };
    store_start(o->session->world->store, &o->ask, &o->op, done, o);
}

static void on_given_back(struct op *op, const struct err *e, void *ctx)
{
    struct session_opening *o = ctx;

    (void)op;
    (void)e;
    store_ask_fini(&o->ask);
    fail_opening(o, &o->why);
}

/* Opening fails after the session was taken: release it in the store first. */
static void give_back(struct session_opening *o, const struct err *e)
{
    o->why = *e;
    o->step[0] = (struct store_step){
        .what = STORE_SESSION_LEAVE,
        .session = { .id = str_of(o->session->id), .fence = o->session->fence },
    };
    store_do(o, 1, on_given_back);
}

/* ---- the agent prepares ---- */

static void cancel_ready(struct op *op)
{
    (void)op;
}

static const struct op_kind ready_kind = { .name = "open agent", .cancel = cancel_ready };

static void finish_opening(struct session_opening *o)
{
    session_set_state(o->session, SESSION_IDLE);
    op_ok(&o->op);
}

static void on_ready(struct op *op, const struct err *e, void *ctx)
{
    struct session_opening *o = ctx;

    (void)op;
    if (e && o->session->fence)
        give_back(o, e);
    else if (e)
        fail_opening(o, e);
    else
        finish_opening(o);
}

static void open_agent(struct session_opening *o)
{
    struct session *s = o->session;
    const struct agent_kind *kind = s->agent->kind;

    s->conversation = (struct conversation){ .session = s, .saved = history_state(s->history) };
    if (!kind->open) {
        finish_opening(o);
        return;
    }
    op_begin(&o->ready, &ready_kind, s->world->loop, &o->op, on_ready, o);
    kind->open(&s->conversation, &o->ready);
}

static void on_turn(struct op *op, const struct err *e, void *ctx)
{
    struct session_opening *o = ctx;

    (void)op;
    if (!e)
        o->session->calls_started = str_eq(o->step[0].turn.state, STR("tools"));
    store_ask_fini(&o->ask);
    if (e && e->code != ERR_NOT_FOUND)
        give_back(o, e);
    else
        open_agent(o);
}

/* All records are read. If the last turn did not end, read the step that it had reached. */
static void on_read(struct session_opening *o)
{
    struct session *s = o->session;
    struct str turn = history_turn(s->history);

    s->cost = history_cost(s->history);
    if (!turn.p || !str_to_c(turn, s->last_turn, sizeof(s->last_turn))) {
        open_agent(o);
        return;
    }
    s->interrupted = true;
    o->step[0] = (struct store_step){
        .what = STORE_TURN_LOAD,
        .turn = { .session = str_of(s->id), .turn = str_of(s->last_turn) },
    };
    store_do(o, 1, on_turn);
}

static void read_page(struct session_opening *o);

static bool add_page(struct session_opening *o, struct err *e)
{
    const struct store_event_page *p = &o->step[0].events;

    for (size_t i = 0; i < p->n; i++) {
        if (!history_add(o->session->history, p->v[i].seq, p->v[i].kind, p->v[i].body, e))
            return fail_in(e, "session %s is damaged", o->session->id);
        o->after = p->v[i].seq;
    }
    return true;
}

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct session_opening *o = ctx;
    bool more = !e && o->step[0].events.more;
    struct err bad;
    bool ok = !e && add_page(o, &bad);

    (void)op;
    store_ask_fini(&o->ask);
    if (!ok)
        give_back(o, e ? e : &bad);
    else if (more)
        read_page(o);
    else
        on_read(o);
}

static void read_page(struct session_opening *o)
{
    o->step[0] = (struct store_step){
        .what = STORE_EVENTS,
        .events = { .session = str_of(o->session->id), .after = o->after },
    };
    store_do(o, 1, on_page);
}

/* The stored settings apply, except for options that the caller gave this time. */
static void adopt(struct session *s, const struct store_session *was)
{
    s->fence = was->fence;
    s->title = arena_maybe(&s->mem, was->title.n ? was->title : STR_NONE);
    if (!s->opts.cwd && was->cwd.n)
        set_folder(s, arena_cstr(&s->mem, was->cwd));
    if (str_eq(was->mode, str_of(agent_mode_name(AGENT_READ_ONLY))))
        s->scope.mode = AGENT_READ_ONLY;
}

bool session_check_owner(const struct store_session *was, struct str principal, struct err *e)
{
    if (!principal.p || str_eq(was->owner, principal))
        return true;
    if (!principal_is_operator(principal))
        return fail(e, ERR_NOT_FOUND, "there is no session " STR_FMT,
                    STR_ARG(str_head(was->id, 80)));
    return fail(e, ERR_NOT_FOUND,
                "session " STR_FMT " belongs to " STR_FMT "; only its owner can continue it",
                STR_ARG(str_head(was->id, 80)), STR_ARG(str_head(was->owner, 80)));
}

static void on_taken(struct op *op, const struct err *e, void *ctx)
{
    struct session_opening *o = ctx;
    struct err foreign;
    bool ours =
        !e && session_check_owner(&o->step[0].session, o->session->opts.principal, &foreign);

    (void)op;
    if (!e)
        adopt(o->session, &o->step[0].session);
    store_ask_fini(&o->ask);
    if (e)
        fail_opening(o, e);
    else if (!ours)
        give_back(o, &foreign);
    else
        read_page(o);
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct session_opening *o = ctx;

    (void)op;
    o->session->fence = o->step[0].session.fence;
    store_ask_fini(&o->ask);
    if (e)
        fail_opening(o, e);
    else
        open_agent(o);
}

static void create(struct session_opening *o)
{
    struct session *s = o->session;

    o->step[0] = (struct store_step){
        .what = STORE_SESSION_CREATE,
        .session = { .id = str_of(s->id),
                     .agent = str_of(s->agent->def->name),
                     .cwd = str_of(s->cwd),
                     .model = s->agent->model,
                     .mode = str_of(agent_mode_name(s->scope.mode)),
                     .settings = s->opts.settings,
                     .owner = s->opts.principal },
    };
    store_do(o, 1, on_created);
}

static void take(struct session_opening *o)
{
    o->step[0] = (struct store_step){
        .what = STORE_SESSION_TAKE,
        .session = { .id = str_of(o->session->id) },
    };
    store_do(o, 1, on_taken);
}

/* ---- the queue of this process ------------------------------------------- */

static void on_place(struct session_claim *c)
{
    struct session_opening *o = CONTAINER_OF(c, struct session, claim)->opening;

    session_set_state(o->session, SESSION_OPENING);
    take(o);
}

/* False: opening has failed. True and QUEUED: on_place continues later. */
static bool claim(struct session_opening *o, struct op *parent)
{
    struct session *s = o->session;
    bool waits = false;
    struct err e;

    if (!s->world->open)
        return true;
    s->opening = o;
    s->claim = (struct session_claim){ .under = parent, .ready = on_place };
    if (!session_claim_begin(s->world->open, &s->claim,
                             &(struct session_wanted){ .id = str_of(s->id),
                                                       .owner = s->opts.principal,
                                                       .most = s->world->limits->session_queue },
                             &waits, &e)) {
        fail_opening(o, &e);
        return false;
    }
    if (waits)
        session_set_state(s, SESSION_QUEUED);
    return true;
}

void session_open(struct session *s, struct session_opening *o, const struct session_world *w,
                  const struct session_opts *opts, struct op *parent, op_done_fn *done, void *ctx)
{
    struct err e;

    make(s, w, opts);
    *o = (struct session_opening){ .session = s };
    op_begin(&o->op, &opening_kind, w->loop, parent, done, ctx);
    if (opts->id.p && !str_to_c(opts->id, s->id, sizeof(s->id))) {
        fail(&e, ERR_NOT_FOUND, "there is no session " STR_FMT, STR_ARG(str_head(opts->id, 80)));
        fail_opening(o, &e);
    } else if (opts->id.p && w->store) {
        if (claim(o, parent) && s->state == SESSION_OPENING)
            take(o);
    } else if (opts->id.p) {
        fail(&e, ERR_NOT_FOUND, "there is no session %s: no sessions are stored", s->id);
        fail_opening(o, &e);
    } else {
        if (!opts->new_id.n || !str_to_c(opts->new_id, s->id, sizeof(s->id)))
            id_new(loop_wall(w->loop), s->id);
        if (!w->store || opts->keep_nothing)
            open_agent(o);
        else if (claim(o, parent))
            create(o);
    }
}

/* ---- closing --------------------------------------------------------------------------------- */

/* The request to the store that releases a session. It may outlive the session. */
struct release {
    struct store_ask ask;
    struct store_step step;
    char id[ID_TEXT];
    struct leaving *leaving; /* waits for the request; NULL: the request is not waited for */
};

struct leaving {
    struct session *session;
    struct op closing; /* the agent */
    bool early;        /* does not wait for the store */
    struct post post;
    void (*done)(void *ctx);
    void *ctx;
};

static void finish_closing(struct leaving *l)
{
    void (*done)(void *ctx) = l->done;
    void *ctx = l->ctx;

    unmake(l->session); /* this frees *l too */
    if (done)
        done(ctx);
}

static void on_released(struct op *op, const struct err *e, void *ctx)
{
    struct release *x = ctx;
    struct leaving *l = x->leaving;

    (void)op;
    (void)e; /* the store releases the sessions of a process that has ended */
    store_ask_fini(&x->ask);
    mem_free(x);
    if (l)
        finish_closing(l);
}

static void on_leave_post(struct post *p)
{
    finish_closing(CONTAINER_OF(p, struct leaving, post));
}

struct work_client *session_listen(struct session *s, struct work_client *to)
{
    struct session_logs *logs = s->world->logs;

    if (!s->fence || !logs)
        return to;
    if (!s->log) /* else an interrupted turn was resumed before, for the same client */
        s->log = logs->kind->open(logs, s->id, to);
    return s->log;
}

static void close_log(struct session *s)
{
    if (s->log)
        s->world->logs->kind->close(s->world->logs, s->log);
    s->log = NULL;
}

static void release(struct leaving *l)
{
    const struct session *s = l->session;
    struct release *x = MEM_NEW(struct release);

    x->leaving = l->early ? NULL : l;
    memcpy(x->id, s->id, sizeof(x->id));
    x->step = (struct store_step){ .what = STORE_SESSION_LEAVE,
                                   .session = { .id = str_of(x->id), .fence = s->fence } };
    x->ask = (struct store_ask){ .step = &x->step, .steps = 1 };
    store_start(s->world->store, &x->ask, NULL, on_released, x);
}

static void leave_store(struct leaving *l)
{
    bool stored = l->session->fence != 0, waits = stored && !l->early;

    if (stored)
        release(l);
    if (!waits)
        loop_post(l->session->world->loop, &l->post);
}

static void on_agent_closed(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    leave_store(ctx);
}

static void begin_closing(struct session *s, bool early, void (*done)(void *ctx), void *ctx)
{
    struct leaving *l = ARENA_NEW(&s->mem, struct leaving);
    const struct agent_kind *kind = s->conversation.kind ? s->conversation.kind : s->agent->kind;

    *l = (struct leaving){
        .session = s, .early = early, .done = done, .ctx = ctx, .post = { .fn = on_leave_post }
    };
    session_set_state(s, SESSION_CLOSING);
    close_log(s);
    if (!kind->close) {
        leave_store(l);
        return;
    }
    op_begin(&l->closing, &ready_kind, s->world->loop, NULL, on_agent_closed, l);
    kind->close(&s->conversation, &l->closing);
}

void session_close(struct session *s, void (*done)(void *ctx), void *ctx)
{
    begin_closing(s, false, done, ctx);
}

void session_close_early(struct session *s, void (*done)(void *ctx), void *ctx)
{
    begin_closing(s, true, done, ctx);
}
