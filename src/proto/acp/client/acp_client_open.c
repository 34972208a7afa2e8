/*
 * acp_client_open.c - opens the session of the agent: session/new, or session/resume or session/load if an
 * earlier process had one.
 *
 * If the agent has forgotten the earlier session, a new one is opened, and its first prompt begins
 * with the text of the conversation (acp_client_transcript.c). If it
 * answers -32000, it is authenticated with a method that needs no person; otherwise the error tells
 * the user how to log in.
 */
#include "base/auto.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_preset.h"
#include "proto/acp/client/acp_client_settings.h"

/* ---- params ---------------------------------------------------------------------------------- */

/* _meta of Claude Code: its system prompt and its options. */
static void write_options(struct jw *w, const struct acp_program *program)
{
    const struct agent_def *def = program->def;

    jw_plain_key(w, STR("claudeCode"));
    jw_object(w);
    jw_plain_key(w, STR("options"));
    jw_object(w);
    jw_kstr(w, "model", program->model);
    jw_kstr(w, "fallbackModel", def->fallback_model);
    jw_kstr(w, "effort", def->effort);
    if (def->max_turns)
        jw_kint(w, "maxTurns", def->max_turns);
    if (def->budget_usd > 0) {
        jw_plain_key(w, STR("maxBudgetUsd"));
        jw_double(w, def->budget_usd);
    }
    pick_strs_write(w, "allowedTools", &def->allowed);
    pick_strs_write(w, "disallowedTools", &def->disallowed);
    jw_object_end(w);
    jw_object_end(w);
}

static void write_meta(struct jw *w, const struct acp_driven *s)
{
    const struct acp_program *program = s->program;

    if (!program->preset->takes_meta)
        return;
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    if (program->instructions.n) {
        jw_plain_key(w, STR("systemPrompt"));
        jw_object(w);
        jw_kstr(w, "append", program->instructions);
        jw_object_end(w);
    }
    write_options(w, program);
    jw_object_end(w);
}

/* The further folders in which the session may work. */
static void write_folders(struct jw *w, const struct acp_driven *s)
{
    const struct host *host = &s->session->host;

    if (!s->conn->can.folders || !host->includes)
        return;
    jw_plain_key(w, STR("additionalDirectories"));
    jw_array(w);
    for (size_t i = 0; i < host->includes; i++)
        jw_str(w, str_of(host->include[i].path));
    jw_array_end(w);
}

static void write_params(struct jw *w, const struct acp_driven *s, const char *id)
{
    jw_object(w);
    if (id)
        jw_kstr(w, "sessionId", str_of(id));
    jw_kstr(w, "cwd", str_of(s->session->cwd));
    jw_kraw(w, "mcpServers", STR("[]"));
    write_folders(w, s);
    write_meta(w, s);
    jw_object_end(w);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void call_agent(struct acp_driven *s, const char *method, struct str params,
                       op_done_fn *done)
{
    peer_call(&s->conn->peer, NULL, &s->conn->out, NULL, method, params,
              s->session->world->limits->acp_start_ms, done, s->conn);
}

/*
 * The answer of a request is in *out, which the caller frees. NULL: its turn has ended, or the
 * process; acp_turn_next handles that.
 */
static struct acp_turn *take_answer(struct acp_link *c, struct rpc_out *out)
{
    *out = acp_conn_answer(c);
    return c->state == ACP_CONN_ENDING ? NULL : c->session->turn;
}

static void no_answer(struct acp_turn *t, struct acp_link *c, const char *what, const struct err *e)
{
    struct err why;

    fail(&why, e->code, "the agent %s did not answer %s: %.120s", t->session->agent->def->name,
         what, e->text);
    acp_turn_end(t, TURN_FAILED, &why);
    acp_conn_close(c, true, &why);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool take_id(struct acp_driven *s, struct json result, struct err *e)
{
    struct arena mem = { 0 };
    struct str id = json_str(&mem, json_get(result, STR("sessionId")));
    bool ok = id.n && str_to_c(id, s->id, sizeof(s->id));

    arena_fini(&mem);
    return ok ||
           fail(e, ERR_INVALID, "the agent %s answered session/new without a usable sessionId",
                s->agent->def->name);
}

static void opened(struct acp_driven *s, struct json result)
{
    s->open = true;
    acp_options_read(s, result);
    acp_turn_next(s);
}

static void open_failed(struct acp_turn *t, struct acp_link *c, struct json error)
{
    struct err e;

    acp_answer_fail(c, error, "open a session", &e);
    if (acp_answer_code(error) == ACP_AUTH_REQUIRED && acp_authenticate(t, &e))
        return;
    acp_turn_end(t, TURN_FAILED, &e);
}

static void on_new(struct op *op, const struct err *e, void *ctx)
{
    struct acp_link *c = ctx;
    struct rpc_out out;
    struct acp_turn *t = take_answer(c, &out);
    struct err why;

    (void)op;
    if (t && e)
        no_answer(t, c, "session/new", e);
    else if (t && json_here(out.error))
        open_failed(t, c, out.error);
    else if (t && !take_id(t->session, out.result, &why))
        acp_turn_end(t, TURN_FAILED, &why);
    else if (t) {
        turn_checkpoint(t->prompt->turn); /* the prompt may take hours, and trefoil may be killed */
        opened(t->session, out.result);
    }
    rpc_out_fini(&out);
}

static void open_new(struct acp_driven *s)
{
    struct arena mem = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);

    s->fresh = true;
    s->id[0] = '\0';
    buf_init_in(&out, &mem, (size_t)s->session->world->limits->message_bytes);
    write_params(&w, s, NULL);
    call_agent(s, "session/new", buf_str(&out), on_new);
    arena_fini(&mem);
}

static void session_forgotten(struct acp_turn *t, struct acp_link *c, struct json error)
{
    struct err e;

    acp_answer_fail(c, error, "resume its session", &e);
    if (acp_answer_code(error) == ACP_AUTH_REQUIRED && acp_authenticate(t, &e))
        return;
    acp_turn_notice(t, "%s. It starts a new session, and gets the text of the conversation so far.",
                    e.text);
    open_new(t->session);
}

static void on_resumed(struct op *op, const struct err *e, void *ctx)
{
    struct acp_link *c = ctx;
    struct rpc_out out;
    struct acp_turn *t = take_answer(c, &out);

    (void)op;
    if (t && e) {
        no_answer(t, c, "session/load", e);
    } else if (t && json_here(out.error)) {
        session_forgotten(t, c, out.error);
    } else if (t) {
        t->session->fresh = false;
        opened(t->session, out.result);
    }
    rpc_out_fini(&out);
}

static void resume_old(struct acp_driven *s)
{
    const char *method = s->conn->can.resume ? "session/resume" : "session/load";
    struct arena mem = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &mem, (size_t)s->session->world->limits->message_bytes);
    write_params(&w, s, s->id);
    call_agent(s, method, buf_str(&out), on_resumed);
    arena_fini(&mem);
}

void acp_open_session(struct acp_turn *t)
{
    struct acp_driven *s = t->session;

    if (!s->id[0]) {
        open_new(s);
    } else if (s->conn->can.resume || s->conn->can.load) {
        resume_old(s);
    } else {
        acp_turn_notice(t,
                        "the agent %s cannot resume sessions. It starts a new session, and gets "
                        "the text of the conversation so far.",
                        s->agent->def->name);
        open_new(s);
    }
}

/* ---- authentication -------------------------------------------------------------------------- */

static void on_authenticated(struct op *op, const struct err *e, void *ctx)
{
    struct acp_link *c = ctx;
    struct rpc_out out;
    struct acp_turn *t = take_answer(c, &out);
    struct err why;

    (void)op;
    if (t && e) {
        no_answer(t, c, "authenticate", e);
    } else if (t && json_here(out.error)) {
        acp_answer_fail(c, out.error, "authenticate", &why);
        acp_turn_end(t, TURN_FAILED, &why);
    } else if (t) {
        acp_turn_next(t->session);
    }
    rpc_out_fini(&out);
}

static bool is_named(const char *const *names, struct json id)
{
    for (size_t i = 0; names && names[i]; i++)
        if (json_is(id, str_of(names[i])))
            return true;
    return false;
}

/* The first method that the preset can use without a person. */
static struct json usable_method(const struct acp_driven *s)
{
    JSON_EACH(method, s->conn->can.auth_methods)
    if (is_named(s->program->preset->auth, json_get(method, STR("id"))))
        return method;
    return (struct json){ 0 };
}

/* "Log in with Google, Use an API key" */
static struct str method_names(struct arena *mem, struct json methods)
{
    struct str all = STR("");

    JSON_EACH(method, methods)
    {
        struct str name = json_str(mem, json_get(method, STR("name")));

        if (name.n && all.n < 80)
            all = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                               STR_ARG(utf8_head(name, 40)));
    }
    return all;
}

static bool needs_login(const struct acp_driven *s, struct err *e)
{
    const struct acp_preset *preset = s->program->preset;
    struct arena mem = { 0 };
    struct str names = method_names(&mem, s->conn->can.auth_methods);

    fail(e, ERR_DENIED, "the agent %s is not logged in; %s%s%s%s" STR_FMT, s->agent->def->name,
         preset->login ? "log in with `" : "log in with its own program",
         preset->login ? preset->login : "", preset->login ? "` or set its API key" : "",
         names.n ? "; it offers: " : "", STR_ARG(names));
    arena_fini(&mem);
    return false;
}

bool acp_authenticate(struct acp_turn *t, struct err *e)
{
    struct acp_driven *s = t->session;
    struct json method = usable_method(s);
    struct arena mem = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);

    if (t->authenticated || !json_here(method))
        return needs_login(s, e);
    t->authenticated = true;
    buf_init_in(&out, &mem, 4096);
    jw_object(&w);
    jw_kraw(&w, "methodId", json_raw(json_get(method, STR("id"))));
    jw_object_end(&w);
    call_agent(s, "authenticate", buf_str(&out), on_authenticated);
    arena_fini(&mem);
    return true;
}
