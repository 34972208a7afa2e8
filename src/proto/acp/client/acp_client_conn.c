/*
 * acp_client_conn.c - the process of an agent and its connection, up to the answer to `initialize`.
 *
 * Invariants: c->session->conn == c until the state is ENDING; from then on c is in the list
 * session->ending, until the child has ended, no call of the peer is open, and the callback of our
 * last request was called. Then it is freed.
 */
#include "base/container.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_home.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_preset.h"
#include "proto/acp/client/acp_client_terminals.h"

#include <assert.h>

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const conn_names[ACP_CONN_STATES] = {
    [ACP_CONN_STARTING] = "starting", [ACP_CONN_GREETING] = "greeting", [ACP_CONN_READY] = "ready",
    [ACP_CONN_ENDING] = "ending",     [ACP_CONN_GONE] = "gone",
};

#define TO(state) (1u << ACP_CONN_##state)

static const unsigned conn_next[ACP_CONN_STATES] = {
    [ACP_CONN_STARTING] = TO(GREETING) | TO(ENDING),
    [ACP_CONN_GREETING] = TO(READY) | TO(ENDING),
    [ACP_CONN_READY] = TO(ENDING),
    [ACP_CONN_ENDING] = TO(GONE),
};

static void acp_conn_go(struct acp_link *c, enum acp_link_state to)
{
    assert(conn_next[c->state] & (1u << to));
    LOG(LOG_DEBUG, "acp", "agent process", LOG_Z("agent", c->session->agent->def->name),
        LOG_Z("from", conn_names[c->state]), LOG_Z("to", conn_names[to]));
    c->state = to;
}

/* ---- errors ---------------------------------------------------------------------------------- */

int64_t acp_answer_code(struct json error)
{
    int64_t code = 0;

    json_int(json_get(error, STR("code")), &code);
    return code;
}

/* Some agents put the sentence for people into data.details or data.message. */
static struct str error_details(struct arena *mem, struct json error)
{
    struct json data = json_get(error, STR("data"));
    struct str more = json_str(mem, data);

    if (!more.n)
        more = json_str(mem, json_get(data, STR("details")));
    if (!more.n)
        more = json_str(mem, json_get(data, STR("message")));
    return more;
}

static enum err_code error_code(int64_t code)
{
    if (code == ACP_AUTH_REQUIRED)
        return ERR_DENIED;
    return code == ACP_NOT_FOUND ? ERR_NOT_FOUND : ERR_CLOSED;
}

bool acp_answer_fail(const struct acp_link *c, struct json error, const char *doing, struct err *e)
{
    struct arena mem = { 0 };
    struct str text = json_str(&mem, json_get(error, STR("message")));
    struct str more = error_details(&mem, error);
    int64_t code = acp_answer_code(error);

    if (str_eq(more, text))
        more = STR_NONE;
    fail(e, error_code(code), "the agent %s could not %s: " STR_FMT "%s" STR_FMT " (error %lld)",
         c->session->agent->def->name, doing, STR_ARG(utf8_head(text, 100)), more.n ? ": " : "",
         STR_ARG(utf8_head(more, 80)), (long long)code);
    arena_fini(&mem);
    return false;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void acp_conn_check(struct acp_link *c)
{
    struct acp_driven *s = c->session;

    if (c->state != ACP_CONN_ENDING || c->child_open || !peer_idle(&c->peer) || c->out.op.kind)
        return;
    loop_unpost(c->peer.rpc->loop, &c->check);
    acp_conn_go(c, ACP_CONN_GONE);
    acp_home_return(c);
    LIST_UNLINK(s->ending, c, next);
    peer_fini(&c->peer);
    arena_fini(&c->mem);
    mem_free(c);
    acp_session_gone(s);
}

static void on_peer_idle(struct peer *p)
{
    acp_conn_check(p->ctx);
}

static void on_check(struct post *post)
{
    acp_conn_check(CONTAINER_OF(post, struct acp_link, check));
}

void acp_conn_watch(struct acp_link *c)
{
    c->peer.on_idle = on_peer_idle;
    c->check.fn = on_check;
}

/* The process cannot be used any more. The session has forgotten it when this returns. */
static void acp_conn_leave(struct acp_link *c, const struct err *e)
{
    struct acp_driven *s = c->session;

    acp_conn_go(c, ACP_CONN_ENDING);
    c->why = *e;
    s->conn = NULL;
    s->open = false;
    c->next = s->ending;
    s->ending = c;
    peer_hang_up(&c->peer);
    acp_terminals_end(s);
}

void acp_conn_close(struct acp_link *c, bool kill, const struct err *e)
{
    bool alive = c->child_open;

    if (c->state == ACP_CONN_ENDING)
        return;
    acp_conn_leave(c, e);
    if (alive && kill && c->child.started && !c->child.ended)
        proc_kill(&c->child.proc);
    if (alive)
        child_link_close(&c->child);
}

/* ---- events of the child --------------------------------------------------------------------- */

static struct acp_link *conn_of(struct child_link *l)
{
    return CONTAINER_OF(l, struct acp_link, child);
}

static void on_agent_frame(struct child_link *l, const struct frame *frame)
{
    struct acp_link *c = conn_of(l);

    if (c->state != ACP_CONN_ENDING)
        peer_receive(&c->peer, &l->link.link, frame);
}

/* Explain the end of the process; lines on stdout that were no messages are a frequent reason. */
static void end_error(const struct acp_link *c, const struct err *why, struct err *e)
{
    fail(e, why->code, "the agent %s %s%.140s", c->session->agent->def->name,
         c->child.started ? "" : "did not start: ", why->text);
    if (c->garbage)
        fail(e, why->code, "%.150s; it also printed text that is not ACP: %.60s", e->text,
             c->garbage_now.p);
}

static void on_agent_failed(struct child_link *l, const struct err *why)
{
    struct acp_link *c = conn_of(l);
    struct acp_driven *s = c->session;
    struct err e;

    if (c->state == ACP_CONN_ENDING)
        return;
    end_error(c, why, &e);
    acp_conn_leave(c, &e);
    if (l->started)
        child_link_close(l);
    acp_turn_next(s);
}

static void on_agent_closed(struct child_link *l)
{
    struct acp_link *c = conn_of(l);

    c->child_open = false;
    acp_conn_check(c);
}

/* ---- the handshake --------------------------------------------------------------------------- */

static void read_abilities(struct acp_link *c, struct json result)
{
    struct json caps = json_get(result, STR("agentCapabilities"));
    struct json prompt = json_get(caps, STR("promptCapabilities"));
    struct json sessions = json_get(caps, STR("sessionCapabilities"));
    struct json info = json_get(result, STR("agentInfo"));
    struct json steering = json_get(json_get(result, STR("_meta")), STR("steering"));

    c->can = (struct acp_abilities){
        .load = json_true(json_get(caps, STR("loadSession"))),
        .resume = json_type(json_get(sessions, STR("resume"))) == JSON_OBJECT,
        .folders = json_type(json_get(sessions, STR("additionalDirectories"))) == JSON_OBJECT,
        .image = json_true(json_get(prompt, STR("image"))),
        .audio = json_true(json_get(prompt, STR("audio"))),
        .embedded = json_true(json_get(prompt, STR("embeddedContext"))),
        .steering = json_true(json_get(steering, STR("supported"))),
        .auth_methods = json_get(result, STR("authMethods")),
        .name = json_str(&c->mem, json_get(info, STR("name"))),
        .version = json_str(&c->mem, json_get(info, STR("version"))),
    };
}

/* The answer is copied, because its memory ends with the call. */
static bool keep_greeting(struct acp_link *c, struct json result, struct err *e)
{
    struct json_opts opts = limits_json(c->peer.rpc->limits);
    int64_t version = 0;
    struct json kept;

    if (!json_int(json_get(result, STR("protocolVersion")), &version) || version != ACP_VERSION)
        return fail(e, ERR_INVALID,
                    "the agent %s speaks version %lld of ACP; trefoil speaks version 1",
                    c->session->agent->def->name, (long long)version);
    if (!json_read(&c->mem, arena_str(&c->mem, json_raw(result)), &opts, &kept, e))
        return false;
    read_abilities(c, kept);
    return true;
}

struct rpc_out acp_conn_answer(struct acp_link *c)
{
    struct rpc_out out = c->out;

    c->out = (struct rpc_out){ 0 };
    if (c->state == ACP_CONN_ENDING)
        loop_post(c->peer.rpc->loop, &c->check); /* the caller still uses *c */
    return out;
}

bool acp_conn_is_free(const struct acp_link *c)
{
    return c->state == ACP_CONN_READY && !c->out.op.kind;
}

static void on_greeted(struct op *op, const struct err *e, void *ctx)
{
    struct acp_link *c = ctx;
    struct acp_driven *s = c->session;
    struct rpc_out out = acp_conn_answer(c);
    struct err why;
    bool ok = false;

    (void)op;
    if (c->state == ACP_CONN_ENDING) {
        rpc_out_fini(&out);
        return;
    }
    if (e)
        fail(&why, e->code, "the agent %s did not answer initialize: %.120s", s->agent->def->name,
             e->text);
    else if (json_here(out.error))
        acp_answer_fail(c, out.error, "start (initialize)", &why);
    else
        ok = keep_greeting(c, out.result, &why);
    rpc_out_fini(&out);
    if (ok)
        acp_conn_go(c, ACP_CONN_READY);
    else
        acp_conn_close(c, e != NULL, &why);
    acp_turn_next(s);
}

/* Only what we offer may be requested. */
static void write_abilities(struct jw *w, const struct acp_program *program)
{
    bool files = !program->preset->no_files;

    jw_plain_key(w, STR("clientCapabilities"));
    jw_object(w);
    jw_plain_key(w, STR("fs"));
    jw_object(w);
    jw_kbool(w, "readTextFile", files);
    jw_kbool(w, "writeTextFile", files);
    jw_object_end(w);
    jw_kbool(w, "terminal", true);
    jw_kraw(w, "elicitation", STR("{\"form\":{},\"url\":{}}"));
    jw_kraw(w, "session",
            STR("{\"configOptions\":{\"boolean\":{}},\"notices\":{},\"compaction\":{}}"));
    jw_object_end(w);
}

static void on_agent_open(struct child_link *l)
{
    struct acp_link *c = conn_of(l);
    const struct acp_world *world = c->session->program->world;
    struct arena mem = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);

    if (c->state != ACP_CONN_STARTING)
        return;
    acp_conn_go(c, ACP_CONN_GREETING);
    buf_init_in(&out, &mem, 4096);
    jw_object(&w);
    jw_kint(&w, "protocolVersion", ACP_VERSION);
    write_abilities(&w, c->session->program);
    jw_plain_key(&w, STR("clientInfo"));
    jw_object(&w);
    jw_kstr(&w, "name", str_of(world->name));
    jw_kstr(&w, "version", str_of(world->version));
    jw_object_end(&w);
    jw_object_end(&w);
    peer_call(&c->peer, NULL, &c->out, NULL, "initialize", buf_str(&out),
              world->rpc->limits->acp_start_ms, on_greeted, c);
    arena_fini(&mem);
}

static const struct child_link_events agent_events = {
    .on_open = on_agent_open,
    .on_frame = on_agent_frame,
    .on_failed = on_agent_failed,
    .on_closed = on_agent_closed,
};

/* ---- the methods of clients ------------------------------------------------------------------ */

static void on_cancel_request(struct rpc_in *in)
{
    struct json id = json_get(in->params, STR("requestId"));
    struct rpc_in *question = json_here(id) ? peer_find_in(in->peer, id) : NULL;

    if (question)
        op_cancel(&question->op);
}

static const struct method methods[] = {
    { STR("session/update"), RPC_NOTIFICATION, 1, ACP_VERSION, acp_on_update },
    { STR("session/request_permission"), RPC_REQUEST, 1, ACP_VERSION, acp_on_permission },
    { STR("fs/read_text_file"), RPC_REQUEST, 1, ACP_VERSION, acp_on_read_file },
    { STR("fs/write_text_file"), RPC_REQUEST, 1, ACP_VERSION, acp_on_write_file },
    { STR("terminal/create"), RPC_REQUEST, 1, ACP_VERSION, acp_on_terminal_create },
    { STR("terminal/output"), RPC_REQUEST, 1, ACP_VERSION, acp_on_terminal_output },
    { STR("terminal/wait_for_exit"), RPC_REQUEST, 1, ACP_VERSION, acp_on_terminal_wait },
    { STR("terminal/kill"), RPC_REQUEST, 1, ACP_VERSION, acp_on_terminal_kill },
    { STR("terminal/release"), RPC_REQUEST, 1, ACP_VERSION, acp_on_terminal_release },
    { STR("elicitation/create"), RPC_REQUEST, 1, ACP_VERSION, acp_on_elicitation },
    { STR("$/cancel_request"), RPC_NOTIFICATION, 1, ACP_VERSION, on_cancel_request },
};

/* Programs print banners and warnings on stdout. They are skipped, and quoted if the agent fails. */
static void on_garbage(struct peer *p, struct str id, const struct err *why)
{
    struct acp_link *c = p->ctx;
    struct rpc_out *out = id.p ? peer_find_out(p, id) : NULL;

    if (out)
        rpc_out_fail(out, why);
    if (!c->garbage++)
        c->garbage_now = arena_str(&c->mem, str_of(why->text));
    LOG(LOG_DEBUG, "acp", "not a message", LOG_Z("agent", c->session->agent->def->name),
        LOG_Z("why", why->text), LOG_N("so_far", (int64_t)c->garbage));
}

const struct peer_kind acp_peer_kind = {
    .name = "acp agent",
    .methods = METHOD_TABLE(methods),
    .on_garbage = on_garbage,
};

/* ---- starting -------------------------------------------------------------------------------- */

void acp_conn_open(struct acp_driven *s)
{
    const struct acp_world *world = s->program->world;
    struct acp_link *c = MEM_NEW(struct acp_link);
    struct child_command command = { 0 };
    struct arena mem = { 0 };
    struct err e;

    c->session = s;
    c->child_open = true;
    c->reads_only = acp_reads_only(s);
    s->conn = c;
    peer_init(&c->peer, world->rpc, &acp_peer_kind, NULL, c);
    acp_conn_watch(c);
    c->peer.version = ACP_VERSION;
    if (!acp_command(&mem, c, &command, &e))
        child_link_open_failed(&c->child, world->procs, &e, &agent_events);
    else if (child_link_open(&c->child, world->procs, &command, FRAMING_LINE, &agent_events))
        c->peer.link = &c->child.link.link;
    c->confined = command.sandbox != NULL;
    arena_fini(&mem);
}
