/* acp_client_kind.c - the functions of the agent port, and the life of an ACP session. */
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "proto/acp/client/acp_client_home.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_settings.h"

/* ---- requests of the agent ------------------------------------------------------------------- */

static void cancel_request(struct op *op)
{
    struct acp_request *r = CONTAINER_OF(op, struct acp_request, op);

    r->cancel(r);
}

static const struct op_kind request_kind = { .name = "acp request", .cancel = cancel_request };

static void on_request_done(struct op *op, const struct err *e, void *ctx)
{
    struct acp_request *r = ctx;

    (void)op;
    (void)e;
    LIST_UNLINK(r->session->requests, r, next);
}

void acp_request_begin(struct acp_request *r, struct rpc_in *in, struct acp_driven *s)
{
    r->in = in;
    r->session = s;
    r->next = s->requests;
    s->requests = r;
    op_begin(&r->op, &request_kind, in->op.loop, &in->op, on_request_done, r);
}

void acp_request_end(struct acp_request *r)
{
    if (!r->op.settled)
        op_ok(&r->op);
}

void acp_requests_cancel(struct acp_driven *s)
{
    for (struct acp_request *r = s->requests; r; r = r->next)
        op_cancel(&r->op);
}

struct acp_driven *acp_driven_of(struct rpc_in *in)
{
    struct acp_link *c = in->peer->ctx;
    struct acp_driven *s = c->session;

    return json_is(json_get(in->params, STR("sessionId")), str_of(s->id)) ? s : NULL;
}

/* ---- the state ------------------------------------------------------------------------------- */

/* {"session": id}: the id of the agent's session, with which another process can resume it. */
static void read_saved(struct acp_driven *s, struct str saved)
{
    const struct json_opts opts = { .max_depth = 4, .max_values = 16 };
    struct arena mem = { 0 };
    struct json v;
    struct err e;

    if (saved.n && json_read(&mem, saved, &opts, &v, &e))
        str_to_c(json_str(&mem, json_get(v, STR("session"))), s->id, sizeof(s->id));
    arena_fini(&mem);
}

static struct str acp_save(const struct conversation *c, struct arena *mem)
{
    const struct acp_driven *s = c->data;
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, 4096);
    jw_object(&w);
    if (s && s->id[0])
        jw_kstr(&w, "session", str_of(s->id));
    jw_object_end(&w);
    return buf_str(&out);
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct acp_driven *new_session(struct conversation *c)
{
    struct acp_driven *s = MEM_NEW(struct acp_driven);

    s->conversation = c;
    s->session = c->session;
    s->fresh = true;
    read_saved(s, history_state(c->session->history));
    c->data = s;
    c->kind = &acp_agent_kind;
    return s;
}

/* The agent may have changed since the last prompt; its process is replaced then. */
static void use_agent(struct acp_driven *s, const struct agent *now)
{
    if (s->agent == now)
        return;
    if (s->conn)
        acp_conn_close(s->conn, false,
                       &(struct err){ ERR_CLOSED, "the definition of the agent has changed" });
    agent_drop(s->agent);
    s->agent = agent_hold((struct agent *)now);
    s->program = now->own;
}

static void acp_kind_prompt(struct agent_prompt *p)
{
    struct conversation *c = p->conversation;
    struct acp_driven *s = c->data ? c->data : new_session(c);

    use_agent(s, turn_agent(p->turn));
    acp_prompt(p);
}

static void free_session(struct acp_driven *s)
{
    struct op *closing = s->closing;

    acp_home_drop(s);
    s->conversation->data = NULL;
    acp_settings_free(s);
    agent_drop(s->agent);
    mem_free(s);
    op_ok(closing);
}

void acp_session_gone(struct acp_driven *s)
{
    if (s->closing && !s->conn && !s->ending && !s->terminals)
        free_session(s);
    else if (!s->closing)
        acp_turn_next(s);
}

static void acp_close(struct conversation *c, struct op *op)
{
    struct acp_driven *s = c->data;

    if (!s) {
        op_ok(op);
        return;
    }
    s->closing = op;
    if (s->conn)
        acp_conn_close(s->conn, false, &(struct err){ ERR_CLOSED, "the session is closed" });
    else
        acp_session_gone(s);
}

const struct agent_kind acp_agent_kind = {
    .name = "acp",
    .prompt = acp_kind_prompt,
    .resume = acp_kind_prompt, /* without blocks (acp_client_content.c) */
    .save = acp_save,
    .close = acp_close,
};
