/*
 * turn_record.c - turns the events that an agent reports (turn_event) into records of the history.
 *
 * Text is collected into one block until another event arrives. When a tool call has ended, it
 * becomes an answer record that ends with the call, and a result record. Calls that ran in parallel
 * are therefore recorded one after the other. Each piece of an artifact becomes a record.
 *
 * Records are stored in order, one batch at a time: new records go to the next batch while one is
 * being stored.
 */
#include "core/artifact.h"
#include "core/session/turn_parts.h"

#include "base/buf.h"
#include "base/container.h"

/* ---- batches --------------------------------------------------------------------------------- */

static void store_batch(struct turn *t);

static void on_batch_stored(struct turn_save *s)
{
    struct turn_work *w = s->turn->work;

    w->storing = false;
    if (w->records)
        store_batch(s->turn);
    else if (w->finished)
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
    const struct agent_kind *kind = w->agent->kind;

    if (w->storing || !w->records)
        return;
    if (kind->save)
        add_record(t, "state", kind->save(&t->session->conversation, mem));
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
        store_batch(t);
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
    turn_tell(t, &told);
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

static void add_call(struct turn *t, const struct event_tool *call)
{
    struct turn_work *w = t->work;
    struct block result = { .kind = BLOCK_RESULT,
                            .id = call->id,
                            .name = call->name,
                            .text = call->text.p ? call->text : STR(""),
                            .is_error = call->status != CALLED_DONE };

    name_message(t, STR_NONE);
    end_words(w);
    add_block(w, (struct block){ .kind = BLOCK_CALL,
                                 .id = call->id,
                                 .name = call->name,
                                 .args = call->args.p ? call->args : STR("{}") });
    add_answer(t);
    add_record(t, "result", record_result(&w->batch[w->filling], &result, call->from));
    store_batch(t);
}

static void tell_call(struct turn *t, const struct event_tool *call)
{
    struct event ev = { .kind = EVENT_TOOL };

    ev.tool = *call;
    turn_tell(t, &ev);
}

static void on_tool(struct turn *t, const struct event_tool *call)
{
    struct turn_work *w = t->work;
    struct turn_open_call **at = find_call(w, call->id), *open = *at;
    struct event_tool told;

    if (!open) {
        open = *at = ARENA_NEW(&w->mem, struct turn_open_call);
        open->event = (struct event_tool){ .id = arena_str(&w->mem, call->id), .kind = TOOL_KINDS };
    }
    merge_call(&w->mem, &open->event, call);
    told = *call;
    merge_call(&w->mem, &told, &open->event);
    if (!told.title.p)
        told.title = told.name;
    if (call->status >= CALLED_DONE) {
        *at = open->next;
        add_call(t, &told);
    }
    tell_call(t, &told);
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
    store_batch(t);
    turn_tell(t, ev);
}

/* One record per piece, so that a restart loses no piece that was stored. */
static void on_artifact(struct turn *t, const struct event *ev)
{
    struct buf out;
    struct jw w = open_body(t, &out);

    artifact_piece_write(&w, &ev->artifact);
    jw_object_end(&w);
    add_record(t, "artifact", buf_str(&out));
    store_batch(t);
    turn_tell(t, ev);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void on_usage(struct turn *t, const struct event *ev)
{
    t->usage = ev->usage.turn;
    if (ev->usage.cost_usd >= 0)
        t->cost = ev->usage.cost_usd;
    turn_tell(t, ev);
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
    case EVENT_SESSION: turn_tell(t, ev); break;
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

void turn_record_finish(struct turn *t, void (*then)(struct turn *t))
{
    struct turn_work *w = t->work;

    end_calls(t);
    add_answer(t);
    w->finished = then;
    if (w->records)
        store_batch(t);
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
