#include "runtime/run_job.h"
#include "runtime/service.h"
#include "term/print.h"

#include "base/container.h"
#include "base/log.h"
#include "core/guard/guard_read_only.h"

#include <assert.h>
#include <stdio.h>

/* ---- states ---------------------------------------------------------------------------------- */

#define TO(state) (1u << RUN_##state)

static const char *const run_names[RUN_STATES] = { "search", "open",  "resume",
                                                   "work",   "close", "done" };

static const unsigned run_next[RUN_STATES] = {
    [RUN_SEARCH] = TO(OPEN) | TO(DONE),
    [RUN_OPEN] = TO(RESUME) | TO(WORK) | TO(CLOSE) | TO(DONE),
    [RUN_RESUME] = TO(WORK) | TO(CLOSE),
    [RUN_WORK] = TO(CLOSE),
    [RUN_CLOSE] = TO(DONE),
};

static void run_go(struct run_job *j, enum run_state to)
{
    assert(run_next[j->state] & (1u << to));
    LOG(LOG_TRACE, "run", "state", LOG_Z("from", run_names[j->state]), LOG_Z("to", run_names[to]));
    j->state = to;
}

static bool is_kept(const struct run_job *j)
{
    return !j->want->no_save;
}

static bool wants_read_only(const struct run_job *j)
{
    return str_eq(j->want->mode, STR("read-only"));
}

/* ---- CLOSE ----------------------------------------------------------------------------------- */

static void finish(struct run_job *j)
{
    run_go(j, RUN_DONE);
    agent_drop(j->agent);
    arena_fini(&j->mem);
    j->kind->done(j, j->code, j->canceled);
}

static void on_log_closed(void *ctx)
{
    finish(ctx);
}

static void on_left(void *ctx)
{
    struct run_job *j = ctx;

    session_log_close(&j->log, on_log_closed, j);
}

static void leave(struct run_job *j)
{
    run_go(j, RUN_CLOSE);
    session_close(&j->session, on_left, j);
}

/* End the job without a session to close. */
static void give_up(struct run_job *j, const struct err *e)
{
    if (!j->canceled)
        j->kind->note(j, str_of(e->text));
    j->code = e->code == ERR_NOT_FOUND || e->code == ERR_INVALID ? EXIT_USAGE : EXIT_FAILED;
    finish(j);
}

/* ---- RESUME and WORK ------------------------------------------------------------------------- */

static int end_code(const struct turn *t)
{
    switch (t->stop) {
    case TURN_END: return EXIT_OK;
    case TURN_LENGTH:
    case TURN_REQUESTS:
    case TURN_BUDGET:
    case TURN_TOKENS:
    case TURN_TIME:
    case TURN_CONTEXT:
    case TURN_STUCK: return EXIT_LIMIT;
    case TURN_REFUSED: return EXIT_REFUSED;
    case TURN_NO_MODEL: return EXIT_USAGE;
    case TURN_CANCELED:
    case TURN_FAILED:
    case TURN_STOPS: break;
    }
    return EXIT_FAILED;
}

static void work(struct run_job *j);

static void on_turned(struct op *op, const struct err *e, void *ctx)
{
    struct run_job *j = ctx;
    bool cut = !e && j->turn.stop == TURN_CANCELED, last = j->state == RUN_WORK || !j->want->text.p;

    (void)op;
    j->code = e ? EXIT_FAILED : end_code(&j->turn);
    j->canceled = cut || (j->canceled && !last); /* a turn that has ended was not cancelled */
    if (e)
        j->kind->note(j, str_of(e->text));
    if (e || j->canceled || last)
        leave(j);
    else
        work(j);
}

static struct work_client *begin_turn(struct run_job *j, enum run_state state)
{
    run_go(j, state);
    j->turn = (struct turn){ 0 };
    j->kind->turns(j);
    return j->log.open ? &j->log.client : j->client;
}

static void work(struct run_job *j)
{
    struct work_client *client = begin_turn(j, RUN_WORK);

    j->block = (struct block){ .kind = BLOCK_TEXT, .text = j->want->text };
    j->prompt = (struct turn_prompt){ .block = &j->block, .blocks = 1 };
    session_log_note(&j->log, &(struct event){ .kind = EVENT_PROMPT, .block = &j->block });
    turn_start(&j->turn, &j->session, client, &j->prompt, NULL, on_turned, j);
}

static void begin(struct run_job *j)
{
    if (j->canceled) {
        leave(j);
    } else if (j->session.interrupted) {
        turn_resume(&j->turn, &j->session, begin_turn(j, RUN_RESUME), NULL, on_turned, j);
    } else if (j->want->text.p) {
        work(j);
    } else {
        j->kind->note(j, STR("the last turn of this session has ended, so there is no turn to "
                             "resume; give a prompt"));
        j->code = EXIT_USAGE;
        leave(j);
    }
}

/* ---- OPEN ------------------------------------------------------------------------------------ */

static void open_log(struct run_job *j)
{
    if (is_kept(j))
        session_log_open(&j->log, j->shop->world.loop, j->shop->world.limits, j->root,
                         j->shop->service->offer.host.state, j->session.id, j->client);
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct run_job *j = ctx;

    (void)op;
    if (e) {
        give_up(j, e);
        return;
    }
    open_log(j);
    j->kind->begins(j, is_kept(j) ? str_of(j->session.id) : STR_NONE, str_of(j->agent->def->name),
                    j->agent->model);
    begin(j);
}

/*
 * Return the model that --model set when the session was created. It applies as long as the session
 * keeps its agent.
 */
static struct str model_of(struct run_job *j, const struct store_session *found)
{
    struct json_opts opts = limits_json(j->shop->world.limits);
    struct json settings, model;
    struct err e;

    if (!found || !found->settings.n || j->want->agent.p ||
        !json_read(&j->mem, found->settings, &opts, &settings, &e))
        return STR_NONE;
    model = json_get(settings, STR("model"));
    return json_here(model) ? json_str(&j->mem, model) : STR_NONE;
}

static struct str settings_of(struct run_job *j)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!j->want->model.p)
        return STR_NONE;
    buf_init_in(&out, &j->mem, j->want->model.n * 6 + 64);
    jw_object(&w);
    jw_kstr(&w, "model", j->want->model);
    jw_object_end(&w);
    return buf_str(&out);
}

static bool take_agent(struct run_job *j, struct str name, struct str model, struct err *e)
{
    struct agent_registry_port *registry = agent_registry_port(j->shop->registry);
    struct agent_want want = { .name = name, .model = model };

    j->agent = registry->kind->take(registry, &want, e);
    if (!j->agent)
        return false;
    if (j->want->mode.p && !wants_read_only(j) && guard_is_read_only(&j->agent->scope))
        return fail(e, ERR_INVALID, "the agent %s is read-only by its definition",
                    j->agent->def->name);
    return true;
}

/*
 * Open the session that was found, with its agent unless another agent is requested. `found` NULL:
 * create a session.
 */
static void open_session(struct run_job *j, const struct store_session *found)
{
    struct str name = j->want->agent.p || !found ? j->want->agent : found->agent;
    struct principal self = principal_self(ORIGIN_RUN);
    struct session_opts opts = {
        .id = found ? found->id : STR_NONE,
        .origin = self.origin,
        .principal = str_of(self.name),
        .read_only = wants_read_only(j),
        .keep_nothing = j->want->no_save,
        .settings = settings_of(j),
    };
    struct err e;

    if (!take_agent(j, name, j->want->model.p ? j->want->model : model_of(j, found), &e)) {
        give_up(j, &e);
        return;
    }
    opts.agent = j->agent;
    run_go(j, RUN_OPEN);
    session_open(&j->session, &j->opening, &j->shop->world, &opts, NULL, on_opened, j);
}

/* ---- SEARCH ---------------------------------------------------------------------------------- */

static void tell_skipped(struct run_job *j)
{
    const struct session_search *f = &j->search;

    j->kind->note(j, arena_printf(&j->mem,
                                  "the last session, " STR_FMT ", is in use; resuming " STR_FMT
                                  " instead",
                                  STR_ARG(f->skipped.id), STR_ARG(f->found.id)));
}

static void on_searched(struct run_job *j)
{
    struct err e;

    if (j->canceled) {
        finish(j);
    } else if (!session_search_end(&j->search, &e)) {
        give_up(j, &e);
    } else {
        if (j->search.skips)
            tell_skipped(j);
        open_session(j, &j->search.found);
    }
}

static void read_page(struct run_job *j);

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct run_job *j = ctx;
    const struct store_session_page *p = &j->step.sessions;
    bool more = !e;

    (void)op;
    for (size_t i = 0; more && i < p->n; i++)
        more = session_search_meets(&j->search, &p->v[i]);
    more = more && p->more;
    store_ask_fini(&j->ask);
    if (e)
        give_up(j, e);
    else if (more)
        read_page(j);
    else
        on_searched(j);
}

/* Read the next page; j->step contains its position. */
static void read_page(struct run_job *j)
{
    j->ask = (struct store_ask){ .step = &j->step, .steps = 1 };
    store_start(j->shop->world.store, &j->ask, NULL, on_page, j);
}

static void on_begin(struct post *p)
{
    struct run_job *j = CONTAINER_OF(p, struct run_job, begin);

    if (!j->want->session.p && !j->want->last) {
        open_session(j, NULL);
        return;
    }
    j->search = (struct session_search){
        .mem = &j->mem,
        .agent = j->want->agent,
        .owner = arena_str(&j->mem, str_of(principal_self(ORIGIN_RUN).name)),
    };
    if (j->want->session.p)
        j->search.ids = (struct id_search){ .what = "session", .beginning = j->want->session };
    j->step = (struct store_step){ .what = STORE_SESSIONS };
    read_page(j);
}

void run_job_start(struct run_job *j)
{
    j->begin.fn = on_begin;
    loop_post(j->shop->world.loop, &j->begin);
}

void run_job_cancel(struct run_job *j)
{
    j->canceled = true;
    if (j->state == RUN_OPEN)
        op_cancel(&j->opening.op);
    else if (j->state == RUN_RESUME || j->state == RUN_WORK)
        op_cancel(&j->turn.op);
}
