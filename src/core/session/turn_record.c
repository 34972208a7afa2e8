/*
 * turn_record.c - turns the events that an agent reports (turn_event) into records of the history.
 *
 * Text is collected into one block until another event arrives. A tool call becomes an answer
 * record that ends with the call when it starts, and a result record when it has ended. Each piece
 * of an artifact becomes a record.
 *
 * Records are stored in order, one batch at a time: new records go to the next batch while one is
 * being stored. An event goes to the client when its batch is stored. An event without a record
 * goes to the client at once, or with the next batch if an earlier event still waits.
 */
#include "core/artifact.h"
#include "core/session/turn_parts.h"

#include "base/buf.h"
#include "base/container.h"

/* ---- batches --------------------------------------------------------------------------------- */

static void store_batch(struct turn *t);

static void tell_waiting(struct turn *t, size_t batch)
{
    struct turn_work *w = t->work;
    struct turn_waiting_event *at = w->event[batch];

    w->event[batch] = NULL;
    for (; at; at = at->next)
        turn_tell(t, &at->event);
}

/* Tell it behind all that waits. */
static void tell_in_order(struct turn *t, const struct event *ev)
{
    struct turn_work *w = t->work;
    struct arena *mem = &w->batch[w->filling];
    struct turn_waiting_event *wait;

    if (!w->storing && !w->records) {
        turn_tell(t, ev);
        return;
    }
    wait = ARENA_NEW(mem, struct turn_waiting_event);
    wait->event = event_copy(mem, ev);
    if (!w->event[w->filling])
        w->event_end[w->filling] = &w->event[w->filling];
    *w->event_end[w->filling] = wait;
    w->event_end[w->filling] = &wait->next;
}

static void on_batch_stored(struct turn_save *s)
{
    struct turn_work *w = s->turn->work;

    w->storing = false;
    tell_waiting(s->turn, w->filling ^ 1);
    if (w->records) {
        store_batch(s->turn);
        return;
    }
    tell_waiting(s->turn, w->filling);
    turn_ask_waiting(s->turn);
    if (w->finished)
        w->finished(s->turn);
}

static void add_record(struct turn *t, const char *kind, struct str body)
{
    struct turn_work *w = t->work;
    struct arena *mem = &w->batch[w->filling];

    w->record = arena_grow(mem, w->record, w->records * sizeof(*w->record),
                           (w->records + 1) * sizeof(*w->record));
    w->record[w->records++] =
        (struct store_event){ .kind = str_of(kind), .body = arena_str(mem, body) };
}

static void store_batch(struct turn *t)
{
    struct turn_work *w = t->work;
    struct arena *mem = &w->batch[w->filling];

    if (w->storing || !w->records)
        return;
    if (w->state.p)
        add_record(t, "state", w->state);
    w->state = STR_NONE;
    save_begin(&w->batch_save, t, mem, 0);
    w->batch_save.record = w->record;
    w->batch_save.records = w->records;
    w->record = NULL;
    w->records = 0;
    w->filling ^= 1;
    arena_reset(&w->batch[w->filling]);
    w->storing = true;
    save_run(&w->batch_save, on_batch_stored);
}

/* The records are complete: store them with where the agent is now. */
static void commit(struct turn *t)
{
    struct turn_work *w = t->work;
    const struct agent_kind *kind = w->agent->kind;

    if (!w->records)
        return;
    if (kind->save)
        w->state = kind->save(&t->session->conversation, &w->batch[w->filling]);
    store_batch(t);
}

void turn_checkpoint(struct turn *t)
{
    struct turn_work *w = t->work;

    if (!w->agent->kind->save)
        return;
    add_record(t, "state", w->agent->kind->save(&t->session->conversation, &w->batch[w->filling]));
    store_batch(t);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void add_block(struct turn_work *w, struct block b)
{
    w->block =
        arena_grow(&w->said_mem, w->block, w->blocks * sizeof(b), (w->blocks + 1) * sizeof(b));
    w->block[w->blocks++] = b;
}

static void end_words(struct turn_work *w)
{
    if (!w->words.n)
        return;
    add_block(w, (struct block){ .kind = w->thinks ? BLOCK_THOUGHT : BLOCK_TEXT,
                                 .text = arena_str(&w->said_mem, buf_str(&w->words)) });
    buf_clear(&w->words);
}

/* Write everything that the agent has said since the last answer record as one answer record. */
static void add_answer(struct turn *t)
{
    struct turn_work *w = t->work;
    struct model_turn m = { .model = w->agent->model };

    end_words(w);
    if (!w->blocks)
        return;
    m.answer = (struct message){ ROLE_ASSISTANT, w->block, w->blocks };
    add_record(t, "answer", record_answer(&w->said_mem, str_of(w->message), &m));
    w->block = NULL;
    w->blocks = 0;
    w->message[0] = '\0';
    arena_reset(&w->said_mem);
}

static void name_message(struct turn *t, struct str id)
{
    struct turn_work *w = t->work;

    if (id.p && w->message[0] && !str_eq(id, str_of(w->message))) {
        add_answer(t);
        commit(t);
    }
    if (!w->message[0] && !(id.p && str_to_c(id, w->message, sizeof(w->message))))
        id_new(loop_wall(t->op.loop), w->message);
}

static void on_words(struct turn *t, const struct event *ev, bool thinks)
{
    struct turn_work *w = t->work;
    struct event told = *ev;

    name_message(t, ev->message);
    if (thinks != w->thinks)
        end_words(w);
    w->thinks = thinks;
    if (!w->words.max)
        buf_init(&w->words, (size_t)t->session->world->limits->message_bytes);
    buf_put(&w->words, ev->text);
    told.message = str_of(w->message);
    tell_in_order(t, &told);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct turn_open_call **find_call(struct turn_work *w, struct str id)
{
    struct turn_open_call **at = &w->call;

    while (*at && !str_eq((*at)->event.id, id))
        at = &(*at)->next;
    return at;
}

static void set_str(struct arena *mem, struct str *to, struct str s)
{
    if (s.p)
        *to = arena_str(mem, s);
}

/* Fields that the new report does not set keep their values. */
static void merge_call(struct arena *mem, struct event_tool *to, const struct event_tool *t)
{
    set_str(mem, &to->name, t->name);
    set_str(mem, &to->title, t->title);
    set_str(mem, &to->args, t->args);
    set_str(mem, &to->path, t->path);
    if (t->kind != TOOL_KINDS)
        to->kind = t->kind;
    if (t->line)
        to->line = t->line;
    to->status = t->status;
}

/* It runs: from now on the history names it, also if its end is never reported. */
static void add_call(struct turn *t, struct turn_open_call *open)
{
    const struct event_tool *call = &open->event;

    if (open->recorded)
        return;
    open->recorded = true;
    name_message(t, STR_NONE);
    end_words(t->work);
    add_block(t->work, (struct block){ .kind = BLOCK_CALL,
                                       .id = call->id,
                                       .name = call->name,
                                       .args = call->args.p ? call->args : STR("{}") });
    add_answer(t);
}

static void add_result(struct turn *t, const struct event_tool *call)
{
    struct block result = { .kind = BLOCK_RESULT,
                            .id = call->id,
                            .name = call->name,
                            .text = call->text.p ? call->text : STR(""),
                            .is_error = call->status != CALLED_DONE };

    add_record(t, "result", record_result(&t->work->batch[t->work->filling], &result, call));
}

/* A call that began in another process is in the history; it may end in this one. */
static struct turn_open_call *begin_call(struct turn *t, struct str id)
{
    struct arena *mem = &t->work->mem;
    struct turn_open_call *open = ARENA_NEW(mem, struct turn_open_call);
    const struct block *begun = history_open_call(t->session->history, id);

    open->event = (struct event_tool){ .id = arena_str(mem, id), .kind = TOOL_KINDS };
    open->recorded = begun != NULL;
    if (begun) {
        open->event.name = arena_str(mem, begun->name);
        open->event.args = arena_str(mem, begun->args);
    }
    return open;
}

static void on_tool(struct turn *t, const struct event_tool *call)
{
    struct turn_work *w = t->work;
    struct turn_open_call **at = find_call(w, call->id), *open = *at;
    struct event told = { .kind = EVENT_TOOL };

    if (!open)
        open = *at = begin_call(t, call->id);
    merge_call(&w->mem, &open->event, call);
    told.tool = *call;
    merge_call(&w->mem, &told.tool, &open->event);
    if (!told.tool.title.p)
        told.tool.title = told.tool.name;
    if (call->status >= CALLED_RUNNING)
        add_call(t, open);
    if (call->status >= CALLED_DONE) {
        *at = open->next;
        add_result(t, &told.tool);
    }
    tell_in_order(t, &told);
    commit(t);
}

/* ---- plans and artifacts --------------------------------------------------------------------- */

static struct jw open_body(struct turn *t, struct buf *out)
{
    struct turn_work *w = t->work;
    struct jw jw = jw_to(out);

    buf_init_in(out, &w->batch[w->filling], RECORD_MOST);
    jw_object(&jw);
    return jw;
}

static void on_plan(struct turn *t, const struct event *ev)
{
    struct buf out;
    struct jw w = open_body(t, &out);

    jw_kraw(&w, "entries", ev->plan);
    jw_object_end(&w);
    add_record(t, "plan", buf_str(&out));
    tell_in_order(t, ev);
    commit(t);
}

/* One record per piece, so that a restart loses no piece that was stored. */
static void on_artifact(struct turn *t, const struct event *ev)
{
    struct buf out;
    struct jw w = open_body(t, &out);

    artifact_piece_write(&w, &ev->artifact);
    jw_object_end(&w);
    add_record(t, "artifact", buf_str(&out));
    tell_in_order(t, ev);
    commit(t);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void on_usage(struct turn *t, const struct event *ev)
{
    t->usage = ev->usage.turn;
    if (ev->usage.cost_usd >= 0)
        t->cost = ev->usage.cost_usd;
    tell_in_order(t, ev);
}

void turn_event(struct turn *t, const struct event *ev)
{
    switch (ev->kind) {
    case EVENT_TEXT: on_words(t, ev, false); break;
    case EVENT_THOUGHT: on_words(t, ev, true); break;
    case EVENT_TOOL: on_tool(t, &ev->tool); break;
    case EVENT_PLAN: on_plan(t, ev); break;
    case EVENT_ARTIFACT: on_artifact(t, ev); break;
    case EVENT_USAGE: on_usage(t, ev); break;
    case EVENT_NOTICE:
    case EVENT_SESSION: tell_in_order(t, ev); break;
    case EVENT_PROMPT: /* only the turn itself sends these */
    case EVENT_ASK:
    case EVENT_END:
    case EVENT_KINDS: break;
    }
}

static void end_calls(struct turn *t)
{
    struct turn_work *w = t->work;

    while (w->call) {
        struct event_tool ended = w->call->event;

        ended.status = CALLED_CANCELED;
        ended.text = STR("[cancelled]");
        on_tool(t, &ended);
    }
}

bool turn_record_flush(struct turn *t)
{
    add_answer(t);
    commit(t);
    return !t->work->storing;
}

void turn_record_finish(struct turn *t, void (*then)(struct turn *t))
{
    struct turn_work *w = t->work;

    end_calls(t);
    add_answer(t);
    w->finished = then;
    if (w->records)
        commit(t);
    else if (!w->storing)
        then(t);
}

void turn_record_free(struct turn_work *w)
{
    buf_fini(&w->words);
    arena_fini(&w->batch[0]);
    arena_fini(&w->batch[1]);
    arena_fini(&w->said_mem);
}
