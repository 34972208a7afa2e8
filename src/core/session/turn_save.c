/* turn_save.c - commits records and the state of a turn; then adds the records to the history. */
#include "core/session/turn_parts.h"

#include "base/container.h"

void save_begin(struct turn_save *s, struct turn *t, struct arena *mem, size_t more_steps)
{
    *s = (struct turn_save){ .turn = t, .mem = mem, .room = more_steps + 2 };
    s->step = ARENA_ARRAY(mem, struct store_step, s->room);
    s->steps = 1; /* step 0 appends the records; save_run skips it if there are none */
}

void save_record(struct turn_save *s, const char *kind, struct str body)
{
    s->record = arena_grow(s->mem, s->record, s->records * sizeof(*s->record),
                           (s->records + 1) * sizeof(*s->record));
    s->record[s->records++] = (struct store_event){ .kind = str_of(kind), .body = body };
}

void save_step(struct turn_save *s, struct store_step step)
{
    s->step[s->steps++] = step;
}

void save_state(struct turn_save *s, struct str turn, const char *state)
{
    const struct session *ses = s->turn->session;

    save_step(s, (struct store_step){
                     .what = STORE_TURN_WRITE,
                     .turn = { .session = str_of(ses->id),
                               .turn = turn,
                               .fence = ses->fence,
                               .state = str_of(state),
                               .calls = STR("[]"),
                               .results = STR("[]"),
                               .finished = str_eq(str_of(state), STR("end")) },
                 });
}

/* Add the records to the history. first: seq of the first record; 0: the session is not stored. */
static bool save_to_history(struct turn_save *s, int64_t first, struct err *e)
{
    for (size_t i = 0; i < s->records; i++)
        if (!history_add(s->turn->session->history, first ? first + (int64_t)i : 0,
                         s->record[i].kind, s->record[i].body, e))
            return false;
    return true;
}

static void on_stored(struct op *op, const struct err *e, void *ctx)
{
    struct turn_save *s = ctx;
    int64_t first = s->step[0].append.last_seq - (int64_t)s->records + 1;
    struct err bad = { 0 };
    bool kept = !e && save_to_history(s, first, &bad);

    (void)op;
    store_ask_fini(&s->ask);
    /* another checkpoint has failed; these records are stored all the same */
    if (s->turn->op.settled)
        return;
    if (kept)
        s->then(s);
    else
        turn_broke(s->turn, e ? e : &bad);
}

void save_run(struct turn_save *s, void (*then)(struct turn_save *s))
{
    struct session *ses = s->turn->session;
    struct err e;

    s->then = then;
    if (!ses->fence) {
        if (save_to_history(s, 0, &e))
            then(s);
        else
            turn_broke(s->turn, &e);
        return;
    }
    s->step[0] = (struct store_step){
        .what = STORE_APPEND,
        .append = { .session = str_of(ses->id),
                    .fence = ses->fence,
                    .event = s->record,
                    .events = s->records },
    };
    s->ask = (struct store_ask){ .step = s->records ? s->step : s->step + 1,
                                 .steps = s->records ? s->steps : s->steps - 1,
                                 .durability = ses->world->durability };
    store_start(ses->world->store, &s->ask, &s->turn->op, on_stored, s);
}
