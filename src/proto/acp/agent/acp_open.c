#include "proto/acp/agent/acp_open.h"

#include "base/log.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_prompt.h"
#include "proto/acp/agent/acp_settings.h"
#include "proto/acp/agent/acp_update.h"
#include "proto/acp/agent/acp_workspace.h"
#include "proto/mcp/mcp_trace.h"

#include <assert.h>

static void acp_opening_set_state(struct acp_opening *o, enum acp_opening_state to)
{
    static const char *const names[] = { "begin", "fork", "look", "servers", "session" };

    assert(to > o->state);
    LOG(LOG_TRACE, "acp", "opening", LOG_Z("session", o->session->id),
        LOG_Z("from", names[o->state]), LOG_Z("to", names[to]));
    o->state = to;
}

/* ---- the response ---------------------------------------------------------------------------- */

/* The session may be closed by now: then nothing of it is needed any more. */
static void leave_opening(struct acp_opening *o)
{
    struct acp_session *s = o->session;

    agent_drop(o->agent);
    s->opening = NULL;
    if (s->state == ACP_SESSION_CLOSING)
        acp_session_check(s);
    else
        acp_session_close(s);
}

static void fail_opening(struct acp_opening *o, const struct err *e)
{
    acp_error_of(o->in, e, o->want.id);
    leave_opening(o);
}

static bool was_canceled(const struct acp_opening *o)
{
    return o->session->state == ACP_SESSION_CLOSING || o->in->op.canceled;
}

static void answer_opened(struct acp_opening *o)
{
    struct acp_session *s = o->session;
    struct jw *w = rpc_result_begin(o->in);

    jw_object(w);
    if (!o->want.id.p || o->want.forks)
        jw_kstr(w, "sessionId", str_of(s->id));
    acp_settings_write(w, s);
    jw_object_end(w);
    rpc_result_end(o->in);
}

static void replay(struct acp_session *s)
{
    s->replaying = true;
    session_tell(&s->session, &s->client);
    s->replaying = false;
    acp_update_end_turn(s);
}

static void tell_facts(struct acp_session *s)
{
    acp_update_title(s, s->session.title);
    acp_update_commands(s);
    if (s->conn->can.notices) /* else with the next turn */
        acp_update_notice(s);
}

/*
 * A client knows a new session only after the response, so what belongs to it follows. Nothing
 * follows the response to session/load: clients take it for the end of the replay.
 */
static void tell_opened(struct acp_opening *o)
{
    struct acp_session *s = o->session;
    bool known = o->want.id.p && !o->want.forks;

    if (o->want.replays)
        replay(s);
    if (known)
        tell_facts(s);
    answer_opened(o);
    if (!known)
        tell_facts(s);
}

/* ---- SESSION --------------------------------------------------------------------------------- */

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct acp_opening *o = ctx;
    struct acp_session *s = o->session;

    (void)op;
    if (e) {
        fail_opening(o, e);
        return;
    }
    acp_session_opened(s);
    if (was_canceled(o)) {
        fail_opening(o, &(struct err){ ERR_CANCELED, "cancelled" });
        return;
    }
    agent_drop(o->agent);
    acp_mode_set_asks(s, s->asks);
    tell_opened(o);
    acp_prompts_run(s);
}

static void open_session(struct acp_opening *o)
{
    struct acp_session *s = o->session;
    bool exists = o->want.id.p != NULL;
    struct session_opts opts = {
        .id = exists ? str_of(s->id) : STR_NONE,
        .new_id = exists ? STR_NONE : str_of(s->id),
        .agent = o->agent,
        .cwd = o->cwd,
        .settings = exists ? STR_NONE : acp_settings_text(o->in->mem, &s->want, s->asks),
        .offer = s->servers->offer,
        .include = s->folder,
        .includes = s->folders,
        .origin = s->conn->principal.origin,
        .principal = str_of(s->conn->principal.name),
    };

    mcp_trace_from_meta(o->in->mem, o->in->meta, &opts.trace);
    trace_arrives(&opts.trace, s->root->offer->host.traces);
    acp_opening_set_state(o, ACP_OPEN_SESSION);
    s->servers->offer->host.workspace = acp_workspace_of(s);
    session_open(&s->session, &o->opening, s->root->world, &opts, &o->in->op, on_opened, o);
}

/* ---- SERVERS --------------------------------------------------------------------------------- */

static void on_report(void *ctx, struct str sentence)
{
    acp_session_note(ctx, sentence);
}

static void on_servers(struct op *op, const struct err *e, void *ctx)
{
    struct acp_opening *o = ctx;

    (void)op;
    if (e) {
        fail_opening(o, e);
        return;
    }
    if (o->session->servers->readiness.open)
        acp_session_note(o->session,
                         STR("Some MCP servers of this session are still connecting. Their tools "
                             "become available as soon as they are connected."));
    open_session(o);
}

static void open_servers(struct acp_opening *o)
{
    struct acp_session *s = o->session;
    struct acp_roots *roots = s->conn->agent->roots;
    struct acp_servers_opts opts = {
        .root = s->root, .cwd = o->cwd, .array = o->want.servers, .report = on_report, .ctx = s
    };
    struct err e;

    acp_opening_set_state(o, ACP_OPEN_SERVERS);
    s->servers = roots->kind->servers_open(roots, &opts, &e);
    if (!s->servers)
        fail_opening(o, &e);
    else if (s->servers->readiness.open)
        readiness_wait(&s->servers->readiness, &o->wait, o->in->op.loop, s->root->limits,
                       &o->in->op, on_servers, o);
    else
        open_session(o);
}

/* ---- the agent ------------------------------------------------------------------------------- */

/* A model that no longer exists does not make the session useless. */
static struct agent *take_agent(struct acp_opening *o, struct err *e)
{
    struct acp_session *s = o->session;
    struct agent_registry_port *registry = s->root->registry;
    struct agent *a = registry->kind->take(registry, &s->want, e);

    if (a || !s->want.model.p || !o->want.id.p)
        return a;
    acp_session_note(
        s, arena_printf(o->in->mem, "%s; the session continues with the default model of its agent",
                        e->text));
    s->want.model = STR_NONE;
    return registry->kind->take(registry, &s->want, e);
}

static void choose_agent(struct acp_opening *o)
{
    struct err e;

    o->agent = take_agent(o, &e);
    if (o->agent) {
        open_servers(o);
        return;
    }
    e.code = ERR_INVALID; /* it is not the session that does not exist */
    fail_opening(o, &e);
}

/* ---- LOOK ------------------------------------------------------------------------------------ */

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct acp_opening *o = ctx;
    struct acp_session *s = o->session;
    const struct store_session *was = &o->step.session;
    struct err foreign;

    (void)op;
    if (!e && !session_check_owner(was, str_of(s->conn->principal.name), &foreign))
        e = &foreign;
    if (!e) {
        acp_settings_read(s, was->agent, was->settings);
    }
    store_ask_fini(&o->ask);
    if (e)
        fail_opening(o, e);
    else if (was_canceled(o))
        fail_opening(o, &(struct err){ ERR_CANCELED, "cancelled" });
    else
        choose_agent(o);
}

static void look(struct acp_opening *o)
{
    struct acp_session *s = o->session;
    struct err e;

    acp_opening_set_state(o, ACP_OPEN_LOOK);
    if (!s->root->world->store) {
        fail(&e, ERR_NOT_FOUND, "no sessions are stored");
        fail_opening(o, &e);
        return;
    }
    o->step = (struct store_step){ .what = STORE_SESSION_LOAD, .session = { .id = str_of(s->id) } };
    o->ask = (struct store_ask){ .step = &o->step, .steps = 1 };
    store_start(s->root->world->store, &o->ask, &o->in->op, on_looked, o);
}

/* ---- FORK ------------------------------------------------------------------------------------ */

static void on_forked(struct op *op, const struct err *e, void *ctx)
{
    struct acp_opening *o = ctx;

    (void)op;
    if (!e)
        memcpy(o->session->id, o->fork.id, sizeof(o->session->id));
    store_ask_fini(&o->fork.ask);
    if (e)
        fail_opening(o, e);
    else if (was_canceled(o))
        fail_opening(o, &(struct err){ ERR_CANCELED, "cancelled" });
    else
        look(o);
}

static void fork_session(struct acp_opening *o)
{
    struct acp_session *s = o->session;
    const struct session_world *world = s->root->world;
    struct err e;

    acp_opening_set_state(o, ACP_OPEN_FORK);
    if (!world->store) {
        fail(&e, ERR_NOT_FOUND, "no sessions are stored");
        fail_opening(o, &e);
        return;
    }
    session_fork(&o->fork, world->store, world->durability, o->want.id,
                 str_of(s->conn->principal.name), &o->in->op, on_forked, o);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static bool open_folders(struct acp_opening *o, struct err *e)
{
    struct acp_session *s = o->session;
    struct acp_roots *roots = s->conn->agent->roots;
    size_t n = json_count(o->want.folders);
    struct host_folder *v = ARENA_ARRAY(&s->mem, struct host_folder, n ? n : 1);

    s->folder = v;
    JSON_EACH(f, o->want.folders)
    {
        struct str path = json_str(o->in->mem, f);

        if (!str_starts(path, STR("/")))
            return json_fail(f, e, "expected an absolute path");
        if (!roots->kind->open_folder(roots, &s->mem, path, &v[s->folders], e))
            return false;
        s->folders++;
    }
    return true;
}

static bool open_place(struct acp_opening *o, struct err *e)
{
    struct acp_session *s = o->session;
    struct acp_roots *roots = s->conn->agent->roots;
    struct acp_place place;

    if (!str_starts(o->want.cwd, STR("/")))
        return fail(e, ERR_INVALID, "params.cwd: expected an absolute path");
    if (!roots->kind->take(roots, &s->mem, o->want.cwd, &place, e))
        return false;
    s->root = place.root;
    o->cwd = place.cwd;
    if (place.root->notice.p)
        acp_session_note(s, place.root->notice);
    return open_folders(o, e);
}

static bool may_open(struct rpc_in *in, struct err *e)
{
    const struct acp_conn *c = acp_conn_of(in);
    int64_t most = in->peer->rpc->limits->sessions;

    if ((int64_t)c->open < most)
        return true;
    return fail(e, ERR_LIMIT, "%zu sessions are open (limits.sessions); close one of them first",
                c->open);
}

void acp_open(struct rpc_in *in, const struct acp_open_want *want)
{
    struct acp_conn *c = acp_conn_of(in);
    struct acp_opening *o = ARENA_NEW(in->mem, struct acp_opening);
    char id[ID_TEXT];
    struct err e;

    if (!may_open(in, &e)) {
        rpc_error_of(in, &e);
        return;
    }
    id_new(loop_wall(in->op.loop), id);
    o->in = in;
    o->want = *want;
    o->session = acp_session_new(c, want->id.p && !want->forks ? want->id : str_of(id));
    o->session->opening = o;
    acp_session_want(o->session, &(struct agent_want){ .name = c->agent->agent });
    if (!open_place(o, &e))
        fail_opening(o, &e);
    else if (want->forks)
        fork_session(o);
    else if (want->id.p)
        look(o);
    else
        choose_agent(o);
}

/* What runs below the request ends soon, and notices that the session is CLOSING. */
void acp_opening_cancel(struct acp_opening *o)
{
    op_cancel(&o->in->op);
}
