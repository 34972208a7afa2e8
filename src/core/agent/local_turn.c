/* local_turn.c - sends requests to the model, and decides what follows from its answer. */
#include "core/agent/local_parts.h"

/* ---- reporting ------------------------------------------------------------------------------- */

static double price_of(const struct model_price *p, const struct model_usage *u)
{
    int64_t fresh = u->input - u->cache_read - u->cache_write;
    double read = p->cache_read >= 0 ? p->cache_read : p->input;
    double write = p->cache_write >= 0 ? p->cache_write : p->input;

    if (p->input < 0 || p->output < 0)
        return -1;
    return ((double)fresh * p->input + (double)u->cache_read * read +
            (double)u->cache_write * write + (double)u->output * p->output) /
           1e6;
}

void local_spend(struct local_turn *w, const struct model_turn *t)
{
    double cost = price_of(&w->model->price, &t->usage);

    usage_add(&w->turn->usage, &t->usage);
    if (cost < 0 && (t->usage.input || t->usage.output)) {
        w->turn->cost = w->session->cost = -1;
    } else if (cost >= 0) {
        if (w->turn->cost >= 0)
            w->turn->cost += cost;
        if (w->session->cost >= 0)
            w->session->cost += cost;
    }
}

static void tell_usage(struct local_turn *w)
{
    struct event ev = { .kind = EVENT_USAGE };

    if (!w->turn->usage.input && !w->turn->usage.output)
        return;
    ev.usage = (struct event_usage){
        .turn = w->turn->usage,
        .used = history_tokens(w->session->history),
        .size = w->model->window,
        .cost_usd = w->session->cost,
    };
    turn_tell(w->turn, &ev);
}

/* ---- the end --------------------------------------------------------------------------------- */

void local_end(struct local_turn *w, enum turn_stop stop, const struct err *why)
{
    w->prompt->stop = stop;
    if (why)
        w->prompt->why = *why;
    op_ok(&w->prompt->op);
}

static void end_early(struct local_turn *w)
{
    local_end(w, TURN_CANCELED, NULL);
}

/* ---- deltas ---------------------------------------------------------------------------------- */

static void on_text(struct model_turn *m, struct str delta)
{
    struct local_turn *w = m->owner;

    w->told = true;
    turn_tell(w->turn,
              &(struct event){ .kind = EVENT_TEXT, .message = str_of(w->message), .text = delta });
}

static void on_thought(struct model_turn *m, struct str delta)
{
    struct local_turn *w = m->owner;

    w->told = true;
    turn_tell(w->turn, &(struct event){
                           .kind = EVENT_THOUGHT, .message = str_of(w->message), .text = delta });
}

static void on_call(struct model_turn *m, struct str id, struct str name)
{
    struct local_turn *w = m->owner;
    const struct tool *tool = session_tool(w->session, name);
    struct named *n = ARENA_NEW(&w->ask_mem, struct named);
    struct event ev = { .kind = EVENT_TOOL };

    n->event = (struct event_tool){
        .id = arena_str(&w->ask_mem, id),
        .name = arena_str(&w->ask_mem, name),
        .title = arena_str(&w->ask_mem, tool && tool->title ? str_of(tool->title) : name),
        .kind = tool ? tool->kind : TOOL_KINDS,
        .status = CALLED_PENDING,
    };
    n->next = w->named;
    w->named = n;
    w->told = true;
    ev.tool = n->event;
    turn_tell(w->turn, &ev);
}

/*
 * The answer is incomplete: report the calls that it has named as canceled, because none will run.
 */
static void tell_dropped(struct local_turn *w)
{
    struct event ev = { .kind = EVENT_TOOL };

    for (; w->named; w->named = w->named->next) {
        ev.tool = w->named->event;
        ev.tool.status = CALLED_CANCELED;
        turn_tell(w->turn, &ev);
    }
}

static void on_retry(struct model_turn *m, const struct err *why, int64_t in_ms)
{
    struct local_turn *w = m->owner;

    id_new(loop_wall(w->prompt->op.loop), w->message);
    turn_notice(w->turn, NOTICE_RETRY,
                arena_printf(&w->ask_mem, "%s; retrying in %lld ms", why->text, (long long)in_ms));
}

static const struct model_events events = {
    .on_text = on_text, .on_thought = on_thought, .on_call = on_call, .on_retry = on_retry
};

/* ---- after an answer ------------------------------------------------------------------------- */

static bool has_calls(const struct local_turn *w)
{
    for (size_t i = 0; i < w->ask.answer.blocks; i++)
        if (w->ask.answer.block[i].kind == BLOCK_CALL)
            return true;
    return false;
}

/*
 * The client knows the calls of this answer, so each of them must be reported as ended. A process
 * that resumes a parked turn runs them.
 */
static void stop_here(struct local_turn *w)
{
    if (has_calls(w) && !local_parked(w))
        local_tools_refuse(w, "[cancelled]");
    else
        end_early(w);
}

static void on_answer_stored(struct agent_prompt *p)
{
    struct local_turn *w = p->work;

    w->session->calls_started = false;
    tell_usage(w);
}

/* The answer is not the last one of the turn (is_last_answer). */
static void on_answer_saved(struct turn_save *s)
{
    struct local_turn *w = local_of(s->turn);

    on_answer_stored(w->prompt);
    if (local_stopping(w))
        stop_here(w);
    else if (w->ask.stop == STOP_REFUSED)
        local_end(w, TURN_REFUSED, NULL);
    else if (has_calls(w) && w->ask.stop == STOP_LENGTH)
        local_tools_refuse(w, "not run: the answer was truncated before the call was complete");
    else
        local_tools(w);
}

static void save_answer(struct local_turn *w, void (*then)(struct turn_save *s))
{
    save_begin(&w->save, w->turn, &w->ask_mem, 0);
    save_record(&w->save, "answer", record_answer(&w->ask_mem, str_of(w->message), &w->ask));
    save_state(&w->save, str_of(w->turn->id), has_calls(w) ? "answered" : "ask");
    save_run(&w->save, then);
}

static bool is_last_answer(const struct local_turn *w)
{
    return !has_calls(w) && w->ask.stop != STOP_REFUSED && !local_stopping(w);
}

/* Nothing follows this answer: the turn stores it together with its end. */
static void end_with_answer(struct local_turn *w)
{
    w->prompt->last_answer = record_answer(&w->ask_mem, str_of(w->message), &w->ask);
    w->prompt->answered = on_answer_stored;
    local_end(w, w->ask.stop == STOP_LENGTH ? TURN_LENGTH : TURN_END, NULL);
}

static void give_up(struct local_turn *w)
{
    if (local_stopping(w))
        end_early(w);
    else
        local_end(w, w->ask.stop == STOP_NO_MODEL ? TURN_NO_MODEL : TURN_FAILED, &w->why);
}

static void on_rest_saved(struct turn_save *s)
{
    give_up(local_of(s->turn));
}

static bool may_fall_back(const struct local_turn *w, const struct err *e)
{
    return w->agent->fallback.provider && w->model != &w->agent->fallback && !w->told &&
           (e->code == ERR_DENIED || e->code == ERR_TIMEOUT || e->code == ERR_CLOSED ||
            e->code == ERR_SYSTEM || e->code == ERR_NOT_FOUND);
}

/* Try the fallback model, or store the incomplete answer and end the turn. */
static void on_ask_failed(struct local_turn *w, const struct err *e)
{
    if (!local_stopping(w) && may_fall_back(w, e)) {
        w->model = &w->agent->fallback;
        turn_notice(w->turn, NOTICE_FALLBACK,
                    arena_printf(&w->ask_mem, "%s; using " STR_FMT " instead", e->text,
                                 STR_ARG(w->model->name)));
        local_ask(w);
        return;
    }
    tell_dropped(w);
    w->why = *e;
    if (w->ask.answer.blocks && !local_parked(w))
        save_answer(w, on_rest_saved);
    else
        give_up(w);
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct local_turn *w = ctx;

    (void)op;
    local_spend(w, &w->ask);
    if (e) {
        on_ask_failed(w, e);
    } else if (w->ask.stop == STOP_CONTEXT && !local_stopping(w)) {
        w->too_long = true;
        local_shorten(w);
    } else {
        w->shortened = 0;
        w->too_long = false;
        if (is_last_answer(w))
            end_with_answer(w);
        else
            save_answer(w, on_answer_saved);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void give_tools(struct local_turn *w)
{
    struct model_tool *list;
    const struct tool *t;
    size_t n = 0;

    for (size_t i = 0; session_tool_at(w->session, &i);)
        n++;
    list = ARENA_ARRAY(&w->ask_mem, struct model_tool, n ? n : 1);
    w->request.tool = list;
    for (size_t i = 0; w->request.tools < n && (t = session_tool_at(w->session, &i));)
        list[w->request.tools++] = (struct model_tool){
            .name = arena_str(&w->ask_mem, str_of(t->name)),
            .description = arena_str(&w->ask_mem, str_of(t->description ? t->description : "")),
            .schema = arena_str(&w->ask_mem, str_of(t->input_schema)),
        };
}

/* The system prompt and the tool definitions are part of the context, too. */
static int64_t preface_tokens(const struct local_turn *w)
{
    size_t bytes = w->agent->system.n;

    for (size_t i = 0; i < w->request.tools; i++)
        bytes += w->request.tool[i].description.n + w->request.tool[i].schema.n;
    return (int64_t)(bytes / 4);
}

enum { FULL_PERCENT = 80 };

static bool is_full(const struct local_turn *w)
{
    int64_t used = history_tokens(w->session->history) + preface_tokens(w);

    return w->model->window && used > w->model->window / 100 * FULL_PERCENT && !w->shortened;
}

static void send_request(struct local_turn *w)
{
    w->requests++;
    w->told = false;
    w->named = NULL;
    id_new(loop_wall(w->prompt->op.loop), w->message);
    w->request.message = history_messages(w->session->history, &w->request.messages);
    w->ask = (struct model_turn){
        .mem = &w->ask_mem, .request = &w->request, .events = &events, .owner = w
    };
    model_ask(w->model->provider, &w->ask, &w->prompt->op, on_answer, w);
}

static int64_t most_requests(const struct local_turn *w)
{
    int64_t own = w->def->max_turns, all = w->session->world->limits->turn_requests;

    return own && own < all ? own : all;
}

/* Why no further request is allowed; TURN_STOPS: it is. */
static enum turn_stop spent(const struct local_turn *w)
{
    const struct turn *t = w->turn;
    int64_t tokens = w->session->world->limits->turn_tokens;

    if (w->requests >= most_requests(w))
        return TURN_REQUESTS;
    if (w->stuck >= w->session->world->limits->turn_stuck)
        return TURN_STUCK;
    if (w->def->budget_usd > 0 && t->cost >= w->def->budget_usd)
        return TURN_BUDGET;
    if (tokens && t->usage.input + t->usage.output >= tokens)
        return TURN_TOKENS;
    return TURN_STOPS;
}

/* The system prompt of the agent, and the working folder of the session if it is another one. */
static struct str system_of(struct local_turn *w)
{
    const struct session *s = w->session;

    if (!s->elsewhere)
        return w->agent->system;
    return arena_printf(&w->ask_mem, STR_FMT "\n\nIn this session your working folder is %s.",
                        STR_ARG(w->agent->system), s->cwd);
}

void local_ask(struct local_turn *w)
{
    enum turn_stop stop = spent(w);

    if (local_stopping(w)) {
        end_early(w);
        return;
    }
    if (stop != TURN_STOPS) {
        local_end(w, stop, NULL);
        return;
    }
    arena_reset(&w->ask_mem);
    w->request = (struct model_request){
        .model = w->model->name,
        .system = system_of(w),
        .max_tokens = w->model->max_tokens,
        .effort = w->agent->effort,
        .temperature = -1,
    };
    give_tools(w);
    if (is_full(w))
        local_shorten(w);
    else
        send_request(w);
}
