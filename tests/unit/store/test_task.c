/* Tasks over the real store: their lives, who follows them, and how they come back. */
#include "base/log.h"
#include "core/lock/lock.h"
#include "core/task/task_engine.h"
#include "core/task/task_run.h"
#include "loop/file.h"
#include "stage.h"

#include <sqlite3.h>

/* ---- a play: a stage whose agent works on tasks ---------------------------------------------- */

struct play {
    struct stage s;
    struct agent_registry_port registry;
    struct task_engine *engine, *second;
    struct task_isolate *isolate; /* or NULL */
    struct task_ask ask;          /* the last request that was waited for */
    bool done, closed;
    struct err err;
    char id[ID_TEXT]; /* of the task that was created last */
};

static struct agent *take(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e)
{
    (void)d;
    if (want->name.n && !str_eq(want->name, STR("actor"))) {
        fail(e, ERR_NOT_FOUND, "there is no agent of that name; there is: actor");
        return NULL;
    }
    if (str_eq(want->model, STR("nonsense"))) {
        fail(e, ERR_INVALID, "there is no such model");
        return NULL;
    }
    return agent_hold(&the_stage->local.agent);
}

static const struct agent_registry_kind registry_kind = { .take = take };

static struct task_engine *new_engine(struct play *p)
{
    return task_engine_new(&(struct task_engine_opts){ .world = &p->s.sworld,
                                                       .registry = &p->registry,
                                                       .guard = &p->s.guard,
                                                       .isolate = p->isolate });
}

static void play_init(struct play *p)
{
    *p = (struct play){ .registry = { &registry_kind } };
    stage_init(&p->s);
    p->s.world.limits.task_look_ms = 10;
    p->s.world.limits.task_gather_ms = 0;
}

static void play_up(struct play *p)
{
    stage_up(&p->s);
    p->engine = new_engine(p);
}

static void play_on_closed(void *ctx)
{
    ((struct play *)ctx)->closed = true;
}

static void close_engine(struct play *p, struct task_engine **g)
{
    if (!*g)
        return;
    p->closed = false;
    task_engine_close(*g, play_on_closed, p);
    OK(until(p->s.world.loop, until_true, &p->closed));
    *g = NULL;
}

static void play_fini(struct play *p)
{
    task_ask_fini(&p->ask);
    close_engine(p, &p->second);
    close_engine(p, &p->engine);
    stage_fini(&p->s);
}

#define AUTO_PLAY __attribute__((cleanup(play_fini))) struct play

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct play *p = ctx;

    (void)op;
    p->err = e ? *e : (struct err){ 0 };
    p->done = true;
}

typedef void request_fn(struct task_engine *g, struct task_ask *a, struct op *parent,
                        op_done_fn *done, void *ctx);

static void start(struct play *p, request_fn *fn, const char *id, const char *owner)
{
    task_ask_fini(&p->ask);
    p->ask = (struct task_ask){ .id = str_of(id), .owner = str_of(owner) };
    p->done = false;
    fn(p->engine, &p->ask, NULL, on_done, p);
}

static bool finish(struct play *p)
{
    OK(until(p->s.world.loop, until_true, &p->done));
    return p->err.code == ERR_NONE;
}

static bool request(struct play *p, request_fn *fn)
{
    start(p, fn, p->id, NULL);
    return finish(p);
}

#define PROMPT(words)                                                                              \
    {                                                                                              \
        &(struct block){ .kind = BLOCK_TEXT, .text = (words) }, 1                                  \
    }

/* Where the spec names nobody, it is one of user:1. */
static bool create_by(struct play *p, const struct task_spec *from)
{
    struct task_spec spec = *from;

    if (!spec.owner.p)
        spec.owner = STR("user:1");
    spec.origin = ORIGIN_TERMINAL;
    task_ask_fini(&p->ask);
    p->ask = (struct task_ask){ 0 };
    p->done = false;
    task_create(p->engine, &p->ask, &spec, NULL, on_done, p);
    if (!finish(p))
        return false;
    OK(str_to_c(p->ask.info.id, p->id, sizeof(p->id)));
    return true;
}

static bool create(struct play *p, const char *text)
{
    return create_by(p, &(struct task_spec){ .prompt = PROMPT(str_of(text)), .budget_usd = -1 });
}

static bool is_stuck(void *ctx)
{
    return ((struct play *)ctx)->s.stuck != NULL;
}

static void let_go(struct play *p)
{
    call_text(p->s.stuck, STR("waited"));
    call_done(p->s.stuck);
    p->s.stuck = NULL;
}

static bool speaks(void *ctx)
{
    return ((struct play *)ctx)->s.asked > 0;
}

static bool nobody_runs(void *ctx)
{
    return !((struct play *)ctx)->engine->runs;
}

/* The state is what is wanted, by the store. */
static void wait_state(struct play *p, enum task_state state)
{
    do
        OK(request(p, task_get));
    while (p->ask.info.state != state && !task_state_final(p->ask.info.state));
    EQ(p->ask.info.state, state);
}

/* ---- who follows ----------------------------------------------------------------------------- */

struct notes {
    struct task_watch watch; /* first */
    char text[1 << 14];
    size_t n;    /* events heard */
    size_t room; /* how many it takes before it is full; 0: all */
    bool done;
    struct err err;
};

static bool note(struct task_watch *w, int64_t seq, int64_t at, struct str kind, struct str body)
{
    struct notes *t = (struct notes *)w;
    size_t n = strlen(t->text);

    OK(at > 0);
    snprintf(t->text + n, sizeof(t->text) - n, "%lld " STR_FMT " " STR_FMT "\n", (long long)seq,
             STR_ARG(kind), STR_ARG(body));
    t->n++;
    return !t->room || t->n < t->room;
}

static void on_noted(struct op *op, const struct err *e, void *ctx)
{
    struct notes *t = ctx;

    (void)op;
    t->err = e ? *e : (struct err){ 0 };
    t->done = true;
}

static void follow(struct play *p, struct notes *t, int64_t after)
{
    t->watch = (struct task_watch){ .id = str_of(p->id), .after = after, .event = note };
    t->done = false;
    task_watch(p->engine, &t->watch, NULL, on_noted, t);
}

static bool followed(struct play *p, struct notes *t)
{
    OK(until(p->s.world.loop, until_true, &t->done));
    return t->err.code == ERR_NONE;
}

/* Who follows all. */
struct feed_notes {
    struct task_feed feed; /* first */
    char text[1 << 12];
    size_t n, room; /* as above */
    bool begun, gap, done;
    struct err err;
};

static void note_begun(struct task_feed *f, bool gap)
{
    struct feed_notes *t = (struct feed_notes *)f;

    OK(!t->begun);
    t->begun = true;
    t->gap = gap;
}

static bool note_fed(struct task_feed *f, const struct store_feed_event *ev)
{
    struct feed_notes *t = (struct feed_notes *)f;
    size_t n = strlen(t->text);

    OK(t->begun);
    snprintf(t->text + n, sizeof(t->text) - n, "%lld " STR_FMT " " STR_FMT "\n", (long long)ev->n,
             STR_ARG(ev->event.kind), STR_ARG(ev->event.body));
    t->n++;
    return !t->room || t->n < t->room;
}

static void on_fed(struct op *op, const struct err *e, void *ctx)
{
    struct feed_notes *t = ctx;

    (void)op;
    t->err = *e;
    t->done = true;
}

static void follow_all(struct play *p, struct feed_notes *t, int64_t after, const char *owner)
{
    t->feed = (struct task_feed){
        .owner = str_of(owner), .after = after, .begun = note_begun, .event = note_fed
    };
    task_feed(p->engine, &t->feed, NULL, on_fed, t);
    OK(until(p->s.world.loop, until_true, &t->begun));
}

static bool has_heard(void *ctx)
{
    const struct feed_notes *t = ctx;

    return t->n >= 3;
}

/* ---- states ---------------------------------------------------------------------------------- */

TEST(only_changes_that_make_sense_are_allowed)
{
    for (int from = 0; from < TASK_STATES; from++)
        for (int to = 0; to < TASK_STATES; to++) {
            bool may = task_may_become((enum task_state)from, (enum task_state)to);

            OK(!may || !task_state_final((enum task_state)from));
            OK(!may || from != to);
            OK(!may || to != TASK_SUBMITTED);
        }
    OK(task_may_become(TASK_SUBMITTED, TASK_WORKING));
    OK(task_may_become(TASK_SUBMITTED, TASK_REJECTED));
    OK(!task_may_become(TASK_SUBMITTED, TASK_INPUT_REQUIRED));
    OK(task_may_become(TASK_WORKING, TASK_INPUT_REQUIRED));
    OK(task_may_become(TASK_INPUT_REQUIRED, TASK_WORKING));
    OK(task_may_become(TASK_INPUT_REQUIRED, TASK_AUTH_REQUIRED));
    OK(task_may_become(TASK_AUTH_REQUIRED, TASK_INPUT_REQUIRED));
    OK(task_may_become(TASK_AUTH_REQUIRED, TASK_CANCELED));
}

TEST(every_state_survives_its_name_and_other_spellings_are_known)
{
    static const struct {
        const char *name;
        enum task_state state;
    } rows[] = {
        { "pending", TASK_SUBMITTED },
        { "cancelled", TASK_CANCELED },
        { "input-required", TASK_INPUT_REQUIRED },
        { "auth-required", TASK_AUTH_REQUIRED },
        { "unknown", TASK_FAILED },
    };
    enum task_state s;

    for (int i = 0; i < TASK_STATES; i++) {
        OK(task_state_named(str_of(task_state_names[i]), &s));
        EQ(s, i);
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        OK(task_state_named(str_of(rows[i].name), &s));
        EQ(s, rows[i].state);
    }
    OK(!task_state_named(STR("done"), &s));
}

/* ---- lives ----------------------------------------------------------------------------------- */

TEST(a_task_is_submitted_worked_on_and_completed)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "I wrote src/a.c.", .usage = { .input = 7 } });
    OK(create(&p, "Write it."));
    EQ(p.ask.info.state, TASK_SUBMITTED);
    EQ_S(p.ask.info.agent, "actor");
    EQ_S(p.ask.info.model, "m1");
    EQ_S(p.ask.info.mode, "read-write");
    EQ_S(p.ask.info.owner, "user:1");
    EQ(p.ask.info.context.n, 36);
    follow(&p, &t, 0);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    OK(p.ask.info.ended > 0);
    EQ(p.ask.info.session.n, 36);
    HAS_S(p.ask.info.result, "{\"summary\":\"I wrote src/a.c.\",\"response\":\"I wrote src/a.c.\","
                             "\"artifacts\":[],\"usage\":{");
    HAS_S(p.ask.info.result, "\"stop\":\"end\",\"duration_seconds\":");
    EQ_STR(p.s.last, "Write it.");
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), "1 status {\"state\":\"submitted\"}\n2 status {\"state\":\"working\"}\n"
                          "3 text {\"type\":\"text\",\"message\":");
    HAS_S(str_of(t.text), "status {\"state\":\"completed\"}\n");
    EQ(t.watch.after, p.ask.info.last_seq);
    OK(!p.engine->runs);
}

TEST(words_that_come_together_are_one_event)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    play_init(&p);
    p.s.world.limits.task_gather_ms = 60000;
    play_up(&p);
    add_line(&p.s, (struct line){ .thought = "Hm.", .text = "Yes." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    follow(&p, &t, 2);
    OK(followed(&p, &t));
    EQ(t.n, 3); /* the thought, the words, the end */
    HAS_S(str_of(t.text), "3 thought {");
    HAS_S(str_of(t.text), "4 text {");
    HAS_S(str_of(t.text), "5 status {\"state\":\"completed\"}\n");
}

TEST(what_cannot_be_begun_is_refused_at_once)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    OK(!create(&p, "  "));
    EQ(p.err.code, ERR_INVALID);
    OK(!create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("x")), .agent = STR("nobody") }));
    EQ(p.err.code, ERR_NOT_FOUND);
    OK(!create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("x")), .model = STR("nonsense") }));
    EQ(p.err.code, ERR_INVALID);
    OK(!create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("x")), .effort = STR("some") }));
    HAS_S(str_of(p.err.text), "effort: some is not one of none, low");
    OK(!create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("x")), .trace = { .depth = 6 } }));
    EQ(p.err.code, ERR_INVALID);
}

TEST(a_model_that_fails_fails_the_task_with_its_sentence)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .fails = ERR_INVALID });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.text, "the model failed");
    HAS_S(p.ask.info.result, "\"stop\":\"failed\"");
}

TEST(what_a_task_says_beats_what_its_agent_says)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    p.s.def.max_turns = 9;
    add_line(&p.s,
             (struct line){ .call = { { "a", "say", "{\"text\":\"x\"}" } }, .stop = STOP_TOOLS });
    OK(create_by(
        &p, &(struct task_spec){ .prompt = PROMPT(STR("x")), .max_turns = 1, .budget_usd = -1 }));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.result, "\"stop\":\"requests\"");
    EQ(p.s.def.max_turns, 9);
}

TEST(read_only_work_is_told_so_and_bound_to_it)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .call = { { "b", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "No." });
    add_line(&p.s, (struct line){ .text = "Yes." });
    OK(create_by(&p, &(struct task_spec){
                         .prompt = PROMPT(STR("Look.")), .read_only = true, .budget_usd = -1 }));
    EQ_S(p.ask.info.mode, "read-only");
    OK(until(p.s.world.loop, is_stuck, &p));
    HAS_S(str_of(p.s.last), "PERMISSION: this task is read-only.");
    HAS_S(str_of(p.s.last), ".vault/");
    OK(str_ends(str_of(p.s.last), STR("Look.")));
    let_go(&p);
    OK(request(&p, task_wait));
    EQ(p.s.runs, 0);
    OK(create(&p, "Look."));
    OK(request(&p, task_wait));
    EQ_STR(p.s.last, "Look.");
}

static void run_write(struct call *call)
{
    char path[4200];
    struct err e;

    snprintf(path, sizeof(path), "%s/a.md", call->host->root);
    OK(file_write(path, STR("a"), 0600, &e));
    call_text(call, STR("written"));
    call_done(call);
}

static const struct tool write_tool = {
    .name = "write", .input_schema = "{\"type\":\"object\"}", .kind = TOOL_EDIT, .start = run_write
};
static const struct tool *const more_tools[] = { &write_tool };

TEST(artifacts_are_what_tools_have_written_and_changed_files_that_the_answer_names)
{
    AUTO_PLAY p;
    struct offer_source more = { .tool = more_tools, .tools = 1 };

    play_init(&p);
    offer_join(&p.s.offer, &more);
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "write", "{\"path\":\"notes.txt\"}" } },
                                  .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "See z.md and `./a.md`." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    HAS_S(p.ask.info.result, "\"artifacts\":[\"a.md\",\"notes.txt\"]");
    offer_leave(&p.s.offer, &more);
}

TEST(a_summary_is_the_first_500_characters)
{
    AUTO_PLAY p;
    char text[1201] = "", want[1300] = "{\"summary\":\"";

    for (int i = 0; i < 600; i++)
        memcpy(text + 2 * i, "\xc3\xa4", 2);
    memcpy(want + strlen(want), text, 1000);
    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = text });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    HAS_S(p.ask.info.result, strcat(want, "\",\"response\""));
}

/* ---- a store that fails ----------------------------------------------------------------------- */

static struct {
    struct store_port port; /* first */
    struct store_port *real;
    enum store_what what; /* what fails: updates of tasks, or something of their sessions */
    int fails;            /* so many of them */
    enum err_code code;
} bad_store;

static void start_badly(struct store_port *port, struct store_ask *ask)
{
    (void)port;
    if (ask->step->what != bad_store.what || bad_store.fails <= 0) {
        ask->port = bad_store.real;
        bad_store.real->kind->start(bad_store.real, ask);
        return;
    }
    bad_store.fails--;
    op_fail(&ask->op, &(struct err){ bad_store.code, "the disk is full" });
}

static const struct store_kind bad_kind = { "bad", start_badly };

static void play_badly(struct play *p, int fails, enum err_code code)
{
    play_init(p);
    stage_up(&p->s);
    bad_store.real = p->s.sworld.store;
    bad_store.port = *bad_store.real;
    bad_store.port.kind = &bad_kind;
    bad_store.what = STORE_TASK_UPDATE;
    bad_store.fails = fails;
    bad_store.code = code;
    p->s.sworld.store = &bad_store.port;
    p->engine = new_engine(p);
}

TEST(what_cannot_be_stored_now_is_stored_later_and_nothing_is_told_before)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    log_setup(LOG_ERROR, false);
    play_badly(&p, 3, ERR_SYSTEM);
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    follow(&p, &t, 0);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ(bad_store.fails, 0);
    OK(followed(&p, &t));
    EQ(t.n, t.watch.after);
    HAS_S(str_of(t.text), "2 status {\"state\":\"working\"}\n3 text ");
    log_setup(LOG_WARN, false);
}

TEST(work_that_cannot_be_stored_goes_on_when_there_is_room)
{
    static const enum store_what what[] = { STORE_SESSION_CREATE, STORE_APPEND, STORE_TURN_WRITE };

    for (size_t i = 0; i < ARRAY_LEN(what); i++) {
        AUTO_PLAY p;

        play_badly(&p, 2, ERR_SYSTEM);
        bad_store.what = what[i];
        add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
        add_line(&p.s, (struct line){ .text = "Ok." });
        OK(create(&p, "go"));
        OK(until(p.s.world.loop, is_stuck, &p));
        let_go(&p);
        OK(request(&p, task_wait));
        EQ(p.ask.info.state, TASK_COMPLETED);
        HAS_S(p.ask.info.result, "\"response\":\"Ok.\"");
        EQ(bad_store.fails, 0);
    }
}

TEST(work_that_can_never_be_stored_fails_and_says_why)
{
    AUTO_PLAY p;

    play_badly(&p, 1000000, ERR_SYSTEM);
    bad_store.what = STORE_APPEND;
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    EQ_S(p.ask.info.text, "the disk is full");
    EQ(p.s.asked, 0);
}

TEST(a_call_whose_result_cannot_be_stored_is_not_run_again)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    play_badly(&p, 0, ERR_SYSTEM);
    bad_store.what = STORE_APPEND;
    add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "I see." });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, is_stuck, &p));
    bad_store.fails = 1;
    let_go(&p);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), "interrupted");
    EQ(p.s.asked, 2);
    OK(!p.s.stuck);
}

static bool is_final_here(void *ctx)
{
    struct play *p = ctx;

    return task_state_final(task_engine_find(p->engine, str_of(p->id))->state);
}

TEST(one_that_ends_by_itself_while_it_is_cancelled_was_not_cancelled)
{
    AUTO_PLAY p;

    log_setup(LOG_ERROR, false);
    play_badly(&p, 0, ERR_SYSTEM);
    add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, is_stuck, &p));
    bad_store.fails = 1000000; /* it ends, and that cannot be stored */
    let_go(&p);
    OK(until(p.s.world.loop, is_final_here, &p));
    start(&p, task_cancel, p.id, NULL);
    bad_store.fails = 3;
    OK(!finish(&p));
    EQ(p.err.code, ERR_INVALID);
    HAS_S(str_of(p.err.text), "its state is completed");
    EQ(p.ask.info.state, TASK_COMPLETED);
    log_setup(LOG_WARN, false);
}

TEST(what_tries_that_failed_have_used_is_counted)
{
    AUTO_PLAY p;

    play_badly(&p, 0, ERR_SYSTEM);
    bad_store.what = STORE_APPEND;
    add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } },
                                  .stop = STOP_TOOLS,
                                  .usage = { .input = 7, .output = 2 } });
    add_line(&p.s, (struct line){ .text = "I see.", .usage = { .input = 40, .output = 3 } });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, is_stuck, &p));
    bad_store.fails = 1;
    let_go(&p);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    HAS_S(p.ask.info.result, "\"usage\":{\"input\":47,\"output\":5");
}

TEST(what_the_store_denies_fails_and_is_not_called_a_matter_of_permission)
{
    AUTO_PLAY p;

    play_badly(&p, 1, ERR_DENIED);
    bad_store.what = STORE_SESSION_CREATE;
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    EQ_S(p.ask.info.text, "the disk is full");
}

TEST(a_run_that_is_refused_stops_without_a_word)
{
    AUTO_PLAY p;

    play_badly(&p, 1000, ERR_DENIED);
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, nobody_runs, &p));
    OK(request(&p, task_get));
    EQ(p.ask.info.state, TASK_SUBMITTED);
    EQ(p.s.asked, 0);
}

TEST(an_engine_that_cannot_store_can_be_closed)
{
    AUTO_PLAY p;

    log_setup(LOG_ERROR, false);
    play_badly(&p, 1000000, ERR_SYSTEM);
    OK(create(&p, "go"));
    close_engine(&p, &p.engine);
    log_setup(LOG_WARN, false);
}

/* ---- locks ------------------------------------------------------------------------------------ */

static size_t locks_held(struct play *p, struct lock_table *locks, const char *path)
{
    struct lock_list l = { 0 };
    size_t n;

    p->done = false;
    lock_list(locks, &l, NULL, on_done, p);
    OK(finish(p));
    n = l.n;
    for (size_t i = 0; i < l.n; i++) {
        EQ_S(l.v[i].task, p->id);
        HAS_S(l.v[i].paths, path);
        EQ_STR(l.v[i].mode, "exclusive");
    }
    arena_fini(&l.mem);
    return n;
}

TEST(read_only_work_holds_the_scratch_folder_until_it_ends)
{
    AUTO_PLAY p;
    struct lock_table *locks;
    struct str own[] = { STR("docs") };

    play_init(&p);
    stage_up(&p.s);
    locks = lock_table_new(p.s.world.loop, &p.s.world.limits, p.s.sworld.store, LOCK_FAIL);
    p.engine = task_engine_new(&(struct task_engine_opts){
        .world = &p.s.sworld, .registry = &p.registry, .guard = &p.s.guard, .locks = locks });
    add_line(&p.s, (struct line){ .hangs = true });
    add_line(&p.s, (struct line){ .hangs = true });
    OK(create_by(&p, &(struct task_spec){
                         .prompt = PROMPT(STR("x")), .read_only = true, .budget_usd = -1 }));
    OK(until(p.s.world.loop, speaks, &p));
    EQ(locks_held(&p, locks, ".vault"), 1);
    OK(request(&p, task_cancel));
    EQ(locks_held(&p, locks, ""), 0);
    p.s.asked = 1;
    OK(create_by(&p, &(struct task_spec){
                         .prompt = PROMPT(STR("x")), .budget_usd = -1, .lock = { own, 1, true } }));
    wait_state(&p, TASK_WORKING);
    EQ(locks_held(&p, locks, "docs"), 1);
    {
        char first[ID_TEXT];

        memcpy(first, p.id, sizeof(first));
        OK(create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("y")),
                                              .budget_usd = -1,
                                              .lock = { own, 1, true } }));
        OK(request(&p, task_wait));
        EQ(p.ask.info.state, TASK_FAILED);
        OK(p.ask.info.text.n > 0);
        memcpy(p.id, first, sizeof(first));
    }
    OK(request(&p, task_cancel));
    EQ(locks_held(&p, locks, ""), 0);
    close_engine(&p, &p.engine);
    lock_table_free(locks);
}

/* ---- who may see it, and how many there are -------------------------------------------------- */

TEST(others_do_not_see_it)
{
    AUTO_PLAY p;
    struct task_list l = { .owner = STR("eve") };
    struct notes t = { 0 };

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create_by(&p, &(struct task_spec){
                         .prompt = PROMPT(STR("x")), .owner = STR("ann"), .budget_usd = -1 }));
    start(&p, task_get, p.id, "eve");
    OK(!finish(&p));
    EQ(p.err.code, ERR_NOT_FOUND);
    start(&p, task_cancel, p.id, "eve");
    OK(!finish(&p));
    EQ(p.err.code, ERR_NOT_FOUND);
    follow(&p, &t, 0);
    t.watch.owner = STR("eve");
    OK(!followed(&p, &t));
    EQ(t.err.code, ERR_NOT_FOUND);
    EQ(t.n, 0);
    start(&p, task_wait, p.id, "ann");
    OK(finish(&p));
    p.done = false;
    task_list(p.engine, &l, NULL, on_done, &p);
    OK(finish(&p));
    EQ(l.n, 0);
    arena_fini(&l.mem);
    l = (struct task_list){ .owner = STR("ann") };
    p.done = false;
    task_list(p.engine, &l, NULL, on_done, &p);
    OK(finish(&p));
    EQ(l.n, 1);
    EQ_S(l.v[0].id, p.id);
    arena_fini(&l.mem);
    start(&p, task_get, "no-such-task", NULL);
    OK(!finish(&p));
    EQ(p.err.code, ERR_NOT_FOUND);
}

TEST(when_limits_tasks_are_live_a_new_one_is_refused_and_an_ended_one_makes_room)
{
    AUTO_PLAY p;
    char first[ID_TEXT];

    play_init(&p);
    p.s.world.limits.tasks = 1;
    play_up(&p);
    add_line(&p.s, (struct line){ .hangs = true });
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "one"));
    memcpy(first, p.id, sizeof(first));
    OK(until(p.s.world.loop, speaks, &p));
    OK(!create(&p, "two"));
    EQ(p.err.code, ERR_BUSY);
    HAS_S(str_of(p.err.text), "limits.tasks");
    OK(request(&p, task_cancel));
    OK(create(&p, "two"));
    OK(request(&p, task_wait));
    start(&p, task_get, first, NULL);
    OK(!finish(&p));
    EQ(p.err.code, ERR_NOT_FOUND);
}

TEST(after_limits_task_keep_ms_it_is_forgotten)
{
    AUTO_PLAY p;

    play_init(&p);
    p.s.world.limits.task_keep_ms = 0;
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "one"));
    OK(until(p.s.world.loop, nobody_runs, &p));
    OK(!request(&p, task_get));
    EQ(p.err.code, ERR_NOT_FOUND);
}

/* ---- cancelling ------------------------------------------------------------------------------ */

TEST(it_is_cancelled_while_the_model_speaks)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "Half", .hangs = true });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, speaks, &p));
    OK(request(&p, task_cancel));
    EQ(p.ask.info.state, TASK_CANCELED);
    HAS_S(p.ask.info.result, "\"response\":\"Half\"");
    HAS_S(p.ask.info.result, "\"stop\":\"canceled\"");
    OK(!request(&p, task_cancel));
    EQ(p.err.code, ERR_INVALID);
    HAS_S(str_of(p.err.text), "its state is canceled");
    EQ(p.ask.info.state, TASK_CANCELED);
}

TEST(it_is_cancelled_as_soon_as_it_is_there_and_while_a_tool_runs)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .hangs = true }); /* if it comes that far */
    OK(create(&p, "go"));
    OK(request(&p, task_cancel));
    EQ(p.ask.info.state, TASK_CANCELED);
    p.s.asked = 1;
    add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, is_stuck, &p));
    OK(request(&p, task_cancel));
    EQ(p.ask.info.state, TASK_CANCELED);
}

/* A second engine stands for another process: it knows no run of the first. */
TEST(another_process_can_cancel_it)
{
    AUTO_PLAY p;
    struct task_engine *first;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .hangs = true });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, speaks, &p));
    first = p.engine;
    p.second = new_engine(&p);
    p.engine = p.second;
    OK(request(&p, task_cancel));
    p.engine = first;
    EQ(p.ask.info.state, TASK_CANCELED);
}

/* ---- death ------------------------------------------------------------------------------------ */

static void sql(struct play *p, const char *text)
{
    sqlite3 *db;

    EQ(sqlite3_open(p->s.world.path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    EQ(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* To the store, the process that worked on it is dead; the first engine does not know. */
static void seem_dead(struct play *p)
{
    sql(p, "UPDATE tasks SET process = ''; UPDATE sessions SET process = ''");
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool answer(struct play *p, const char *key, const char *text)
{
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct arena mem = { 0 };
    struct json v;
    bool ok;

    OK(json_read(&mem, str_of(text), &opts, &v, &p->err));
    task_ask_fini(&p->ask);
    p->ask = (struct task_ask){ .id = str_of(p->id), .by = principal_of_user(ORIGIN_TERMINAL, 1) };
    p->done = false;
    task_answer(p->engine, &p->ask, str_of(key), v, NULL, on_done, p);
    ok = finish(p);
    arena_fini(&mem);
    return ok;
}

static void asking_play_looking(struct play *p, int64_t look_ms)
{
    play_init(p);
    p->s.world.limits.task_look_ms = look_ms;
    p->s.local.agent.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    play_up(p);
    add_line(&p->s,
             (struct line){ .call = { { "a", "count", "{}" }, { "b", "count", "{\"n\":1}" } },
                            .stop = STOP_TOOLS });
    add_line(&p->s, (struct line){ .text = "Ok." });
    OK(create(p, "go"));
    do
        wait_state(p, TASK_INPUT_REQUIRED);
    while (!strstr(p->ask.info.asks.p, "ask_2"));
}

static void asking_play(struct play *p)
{
    asking_play_looking(p, 10);
}

TEST(it_asks_and_goes_on_when_it_is_answered)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    asking_play(&p);
    HAS_S(p.ask.info.asks, "{\"ask_1\":{\"kind\":\"permission\",\"params\":{");
    HAS_S(p.ask.info.asks, "\"tool\":\"count\",\"args\":{},\"asked_ms\":");
    HAS_S(p.ask.info.asks, "\"args\":{\"n\":1}");
    OK(p.ask.info.held);
    OK(p.ask.info.text.n > 0);
    OK(!answer(&p, "ask_9", "{\"action\":\"accept\"}"));
    EQ(p.err.code, ERR_NOT_FOUND);
    OK(!answer(&p, "ask_1", "{\"action\":\"perhaps\"}"));
    EQ(p.err.code, ERR_INVALID);
    OK(answer(&p, "ask_1", "{\"action\":\"accept\"}"));
    EQ(p.ask.info.state, TASK_INPUT_REQUIRED);
    OK(!strstr(p.ask.info.asks.p, "ask_1"));
    OK(answer(&p, "ask_2", "{\"action\":\"decline\"}"));
    OK(!p.ask.info.asks.p);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ(p.s.runs, 1);
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), " ask {\"type\":\"ask\",\"id\":\"a\",\"key\":\"ask_1\"");
    HAS_S(str_of(t.text), " status {\"state\":\"input_required\",\"text\":");
    HAS_S(str_of(t.text), " answered {\"key\":\"ask_1\",\"by\":\"user:1\"}\n");
    OK(!answer(&p, "ask_1", "{\"action\":\"accept\"}"));
    EQ(p.err.code, ERR_NOT_FOUND);
}

TEST(nobody_answers_for_somebody_else)
{
    AUTO_PLAY p;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct arena mem = { 0 };
    struct json yes;

    asking_play(&p);
    OK(json_read(&mem, STR("{\"action\":\"accept\"}"), &opts, &yes, &p.err));
    task_ask_fini(&p.ask);
    p.ask = (struct task_ask){ .id = str_of(p.id), .owner = STR("eve") };
    p.done = false;
    task_answer(p.engine, &p.ask, STR("ask_1"), yes, NULL, on_done, &p);
    OK(!finish(&p));
    EQ(p.err.code, ERR_NOT_FOUND);
    HAS_S(str_of(p.err.text), "there is no task");
    OK(request(&p, task_get));
    HAS_S(p.ask.info.asks, "ask_1");
    OK(request(&p, task_cancel));
    EQ(p.s.runs, 0);
    arena_fini(&mem);
}

TEST(it_is_cancelled_while_it_asks)
{
    AUTO_PLAY p;

    asking_play(&p);
    OK(request(&p, task_cancel));
    EQ(p.ask.info.state, TASK_CANCELED);
    OK(!p.ask.info.asks.p);
    EQ(p.s.runs, 0);
}

/* A second engine stands for another process: it knows no run of the first. */
static struct task_engine *elsewhere(struct play *p)
{
    struct task_engine *first = p->engine;

    p->second = p->engine = new_engine(p);
    return first;
}

TEST(a_question_is_answered_from_anywhere_once)
{
    AUTO_PLAY p;
    struct notes t = { 0 };
    struct task_engine *first;

    asking_play(&p);
    first = elsewhere(&p);
    OK(!answer(&p, "", "{\"action\":\"accept\"}"));
    EQ(p.err.code, ERR_INVALID);
    HAS_S(str_of(p.err.text), "of ask_1, ask_2");
    OK(answer(&p, "ask_1", "{\"action\":\"accept\"}"));
    OK(!answer(&p, "ask_1", "{\"action\":\"decline\"}"));
    EQ(p.err.code, ERR_NOT_FOUND);
    OK(answer(&p, "", "{\"action\":\"accept\"}")); /* the only one that is left */
    OK(!p.ask.info.asks.p);
    p.engine = first;
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ(p.s.runs, 2);
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), " answered {\"key\":\"ask_1\",\"by\":\"user:1\"}\n");
    HAS_S(str_of(t.text), " answered {\"key\":\"ask_2\",\"by\":\"user:1\"}\n");
    OK(!answer(&p, "ask_2", "{\"action\":\"accept\"}"));
    HAS_S(str_of(p.err.text), "has ended");
}

struct second_answer {
    struct task_ask ask; /* first */
    struct json json;
    bool done;
    struct err err;
};

static void on_second(struct op *op, const struct err *e, void *ctx)
{
    struct second_answer *a = ctx;

    (void)op;
    a->err = e ? *e : (struct err){ 0 };
    a->done = true;
}

/* Here and elsewhere at the same moment: one of them is told that it was too late. */
TEST(of_two_answers_one_counts)
{
    AUTO_PLAY p;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct second_answer b = { 0 };
    struct arena mem = { 0 };
    bool first;

    asking_play(&p);
    p.second = new_engine(&p);
    OK(json_read(&mem, STR("{\"action\":\"accept\"}"), &opts, &b.json, &p.err));
    b.ask = (struct task_ask){ .id = str_of(p.id), .by = principal_of_key(STR("ann")) };
    task_answer(p.second, &b.ask, STR("ask_1"), b.json, NULL, on_second, &b);
    first = answer(&p, "ask_1", "{\"action\":\"decline\"}");
    OK(until(p.s.world.loop, until_true, &b.done));
    OK(first ? b.err.code == ERR_NOT_FOUND : b.err.code == ERR_NONE && p.err.code == ERR_NOT_FOUND);
    OK(answer(&p, "ask_2", "{\"action\":\"decline\"}"));
    OK(request(&p, task_wait));
    EQ(p.s.runs, first ? 0 : 1);
    task_ask_fini(&b.ask);
    arena_fini(&mem);
}

static bool hear_new_key(struct play *p)
{
    OK(request(p, task_get));
    return p->ask.info.asks.p && strstr(p->ask.info.asks.p, "ask2_1");
}

TEST(what_a_dead_process_asked_is_asked_anew_under_another_key)
{
    AUTO_PLAY p;
    struct task_engine *first;

    asking_play_looking(&p, 600000); /* it does not notice */
    p.s.world.limits.task_look_ms = 10;
    p.s.lines = 1; /* after the interrupted calls it tries again */
    add_line(&p.s, (struct line){ .call = { { "c", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Done." });
    seem_dead(&p);
    first = elsewhere(&p);
    OK(!answer(&p, "ask_1", "{\"action\":\"accept\"}"));
    EQ(p.err.code, ERR_NOT_FOUND);
    HAS_S(str_of(p.err.text), "the process that worked on the task");
    task_engine_recover(p.second);
    while (!hear_new_key(&p))
        ;
    HAS_S(str_of(p.s.last), "[interrupted");
    EQ(p.ask.info.state, TASK_INPUT_REQUIRED);
    OK(!answer(&p, "ask_1", "{\"action\":\"accept\"}"));
    EQ(p.err.code, ERR_NOT_FOUND);
    EQ(p.s.runs, 0);
    OK(answer(&p, "ask2_1", "{\"action\":\"accept\"}"));
    OK(request(&p, task_wait));
    p.engine = first;
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ(p.s.runs, 1);
}

/* It is stored, and whoever was to take it dies: who answered is not left to believe. */
TEST(an_answer_that_was_not_taken_is_said_to_be)
{
    AUTO_PLAY p;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct second_answer b = { 0 };
    struct arena mem = { 0 };

    play_init(&p);
    p.s.world.limits.task_look_ms = 600000;
    p.s.local.agent.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "count", "{}" } }, .stop = STOP_TOOLS });
    OK(create(&p, "go"));
    wait_state(&p, TASK_INPUT_REQUIRED);
    p.s.world.limits.task_look_ms = 10;
    p.second = new_engine(&p);
    OK(json_read(&mem, STR("{\"action\":\"accept\"}"), &opts, &b.json, &p.err));
    b.ask = (struct task_ask){ .id = str_of(p.id), .by = principal_of_user(ORIGIN_TERMINAL, 1) };
    task_answer(p.second, &b.ask, STR("ask_1"), b.json, NULL, on_second, &b);
    OK(request(&p, task_get)); /* behind it, so that it is stored */
    OK(request(&p, task_get));
    OK(!b.done);
    seem_dead(&p);
    OK(until(p.s.world.loop, until_true, &b.done));
    EQ(b.err.code, ERR_NOT_FOUND);
    EQ(p.s.runs, 0);
    task_ask_fini(&b.ask);
    arena_fini(&mem);
}

TEST(who_answers_when_the_program_stops_is_told_that_it_is_stored)
{
    AUTO_PLAY p;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct second_answer b = { 0 };
    struct arena mem = { 0 };

    asking_play_looking(&p, 600000); /* it is not taken meanwhile */
    p.second = new_engine(&p);
    OK(json_read(&mem, STR("{\"action\":\"accept\"}"), &opts, &b.json, &p.err));
    b.ask = (struct task_ask){ .id = str_of(p.id), .by = principal_of_user(ORIGIN_TERMINAL, 1) };
    task_answer(p.second, &b.ask, STR("ask_1"), b.json, NULL, on_second, &b);
    OK(request(&p, task_get)); /* behind it, so that it is stored */
    OK(request(&p, task_get));
    close_engine(&p, &p.second);
    OK(b.done);
    EQ(b.err.code, ERR_CLOSED);
    HAS_S(str_of(b.err.text), "the answer is stored; if the task has not received it yet");
    task_ask_fini(&b.ask);
    arena_fini(&mem);
}

TEST(a_question_is_open_for_limits_task_ask_ms)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    play_init(&p);
    p.s.world.limits.task_ask_ms = 10;
    p.s.local.agent.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ(p.s.runs, 0);
    HAS_S(str_of(p.s.last), "count was not approved: no answer within");
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), " answered {\"key\":\"ask_1\",\"by\":\"nobody\",\"text\":\"no answer");
}

static void on_visited(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;

    (void)op;
    call_text(call, e ? STR("not visited") : STR("visited"));
    call_done(call);
}

static void run_visit(struct call *call)
{
    call_ask(call, ARENA_NEW(call->mem, struct ask), ASK_URL, STR("visit"),
             STR("{\"message\":\"Log in.\",\"url\":\"https://example.org/\","
                 "\"elicitationId\":\"e1\"}"),
             on_visited, call);
}

static void run_form(struct call *call)
{
    call_ask(call, ARENA_NEW(call->mem, struct ask), ASK_FORM, STR("form"),
             STR("{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                 "\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}"),
             on_visited, call);
}

static const struct tool visit_tool = {
    .name = "visit", .input_schema = "{\"type\":\"object\"}", .kind = TOOL_READ, .start = run_visit
};
static const struct tool form_tool = {
    .name = "form", .input_schema = "{\"type\":\"object\"}", .kind = TOOL_READ, .start = run_form
};
static const struct tool *const asking_tools[] = { &visit_tool, &form_tool };

TEST(a_page_to_visit_is_another_state_than_a_question)
{
    AUTO_PLAY p;
    struct offer_source more = { .tool = asking_tools, .tools = 2 };
    struct notes t = { 0 };

    play_init(&p);
    offer_join(&p.s.offer, &more);
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "visit", "{}" }, { "b", "form", "{}" } },
                                  .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    wait_state(&p, TASK_INPUT_REQUIRED); /* both are open */
    OK(!answer(&p, "ask_2", "{\"action\":\"accept\"}"));
    EQ(p.err.code, ERR_INVALID);
    OK(!answer(&p, "ask_2", "{\"action\":\"accept\",\"content\":{}}"));
    HAS_S(str_of(p.err.text), "missing the required field name");
    OK(answer(&p, "ask_2", "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}"));
    EQ(p.ask.info.state, TASK_AUTH_REQUIRED);
    EQ_S(p.ask.info.text, "Log in.");
    OK(answer(&p, "ask_1", "{\"action\":\"accept\"}"));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), "status {\"state\":\"auth_required\",\"text\":\"Log in.\"}");
    offer_leave(&p.s.offer, &more);
}

TEST(only_tasks_that_ask_are_listed_when_that_is_wanted)
{
    AUTO_PLAY p;
    struct task_list l = { .only_asking = true };

    asking_play(&p);
    p.done = false;
    task_list(p.engine, &l, NULL, on_done, &p);
    OK(finish(&p));
    EQ(l.n, 1);
    arena_fini(&l.mem);
    OK(request(&p, task_cancel));
    l = (struct task_list){ .only_asking = true };
    p.done = false;
    task_list(p.engine, &l, NULL, on_done, &p);
    OK(finish(&p));
    EQ(l.n, 0);
    arena_fini(&l.mem);
}

/* ---- what is not approved, and what is not trusted ------------------------------------------- */

TEST(what_is_not_permitted_is_rejected_before_anything_is_done)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    play_init(&p);
    play_up(&p);
    OK(create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("go")),
                                          .budget_usd = -1,
                                          .rights = STR("[{\"mode\":1}]") }));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_REJECTED);
    OK(p.ask.info.text.n > 0);
    EQ(p.s.asked, 0);
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    OK(!strstr(t.text, "working"));
}

TEST(the_result_of_who_read_untrusted_data_says_so)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "mcp_far_say", "{\"text\":\"x\"}" } },
                                  .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Ok." });
    add_line(&p.s, (struct line){ .text = "Ok." });
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    HAS_S(p.ask.info.result, "\"trust\":{\"level\":\"untrusted\",\"from\":[\"far:say\"]}}");
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    HAS_S(p.ask.info.result, "\"trust\":{\"level\":\"trusted\",\"from\":[]}}");
    OK(create_by(&p, &(struct task_spec){
                         .prompt = PROMPT(STR("go")), .taint = STR("web"), .budget_usd = -1 }));
    OK(request(&p, task_wait));
    HAS_S(p.ask.info.result, "\"from\":[\"web\"]}}");
}

/* ---- following ------------------------------------------------------------------------------- */

static void stuck_play(struct play *p)
{
    play_init(p);
    play_up(p);
    add_line(&p->s, (struct line){
                        .text = "One.", .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p->s, (struct line){ .text = "Two." });
    OK(create(p, "go"));
    OK(until(p->s.world.loop, is_stuck, p));
}

TEST(whoever_follows_hears_all_from_any_number_and_then_as_it_happens)
{
    AUTO_PLAY p;
    struct notes all = { 0 }, some = { 0 }, late = { 0 }, elsewhere = { 0 };
    struct task_engine *first;

    stuck_play(&p);
    follow(&p, &all, 0);
    follow(&p, &some, 2);
    first = p.engine;
    p.second = new_engine(&p);
    p.engine = p.second;
    follow(&p, &elsewhere, 0);
    p.engine = first;
    OK(request(&p, task_get));
    let_go(&p);
    OK(followed(&p, &all));
    OK(followed(&p, &some));
    OK(followed(&p, &elsewhere));
    follow(&p, &late, 0);
    OK(followed(&p, &late));
    EQ_STR(late.text, all.text);
    EQ_STR(elsewhere.text, all.text);
    EQ_STR(some.text, strstr(all.text, "3 "));
    EQ(all.n, all.watch.after);
    HAS_S(str_of(all.text), "\"text\":\"One.\"");
    HAS_S(str_of(all.text), "\"text\":\"Two.\"");
}

TEST(who_has_no_room_waits_and_comes_back_for_the_rest)
{
    AUTO_PLAY p;
    struct notes slow = { .room = 1 }, all = { 0 };

    stuck_play(&p);
    follow(&p, &slow, 0);
    let_go(&p);
    OK(request(&p, task_wait));
    EQ(slow.n, 1);
    OK(!slow.done);
    slow.room = 0;
    task_watch_more(&slow.watch);
    OK(followed(&p, &slow));
    follow(&p, &all, 0);
    OK(followed(&p, &all));
    EQ_STR(slow.text, all.text);
}

TEST(who_is_behind_by_limits_task_watch_events_is_let_go)
{
    AUTO_PLAY p;
    struct notes slow = { .room = 1 };

    play_init(&p);
    p.s.world.limits.task_watch_events = 3;
    play_up(&p);
    add_line(&p.s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&p.s,
             (struct line){ .call = { { "b", "say", "{\"text\":\"x\"}" } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Two." });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, is_stuck, &p));
    follow(&p, &slow, 0);
    OK(request(&p, task_get));
    let_go(&p);
    OK(!followed(&p, &slow));
    EQ(slow.err.code, ERR_LIMIT);
    EQ(slow.watch.after, 1);
    OK(request(&p, task_wait));
}

TEST(all_tasks_are_followed_in_one_order)
{
    AUTO_PLAY p;
    struct feed_notes now = { 0 }, others = { 0 }, late = { 0 };

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "One." });
    follow_all(&p, &now, TASK_FEED_NOW, NULL);
    follow_all(&p, &others, TASK_FEED_NOW, "somebody else");
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    OK(until(p.s.world.loop, has_heard, &now));
    EQ_STR(now.text, "1 status {\"state\":\"submitted\"}\n2 status {\"state\":\"working\"}\n"
                     "3 status {\"state\":\"completed\"}\n");
    EQ(others.n, 0);
    EQ(others.feed.after, 3);
    follow_all(&p, &late, 1, NULL);
    while (late.n < 2)
        OK(request(&p, task_get));
    EQ_STR(late.text, now.text + strlen("1 status {\"state\":\"submitted\"}\n"));
    OK(!late.gap && !now.gap);
    op_cancel(&late.feed.op);
    OK(until(p.s.world.loop, until_true, &late.done));
    EQ(late.err.code, ERR_CANCELED);
    close_engine(&p, &p.engine);
    OK(now.done && others.done);
    EQ(now.err.code, ERR_CLOSED);
}

TEST(a_number_that_was_never_given_is_a_gap)
{
    AUTO_PLAY p;
    struct feed_notes t = { 0 };

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "One." });
    follow_all(&p, &t, 1000, NULL);
    OK(t.gap);
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, has_heard, &t));
    close_engine(&p, &p.engine);
}

TEST(who_follows_all_and_has_no_room_comes_back_or_is_let_go)
{
    AUTO_PLAY p;
    struct feed_notes slow = { .room = 1 }, slower = { .room = 1 };

    play_init(&p);
    p.s.world.limits.task_watch_events = 2;
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "One." });
    add_line(&p.s, (struct line){ .text = "Two." });
    follow_all(&p, &slow, TASK_FEED_NOW, NULL);
    follow_all(&p, &slower, TASK_FEED_NOW, NULL);
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    EQ(slow.n, 1);
    slow.room = 0;
    task_feed_more(&slow.feed);
    OK(until(p.s.world.loop, has_heard, &slow));
    OK(create(&p, "go on"));
    OK(until(p.s.world.loop, until_true, &slower.done));
    EQ(slower.err.code, ERR_LIMIT);
    EQ(slower.n, 1);
    EQ(slower.feed.after, 1);
    OK(request(&p, task_wait));
    close_engine(&p, &p.engine);
    EQ(slow.err.code, ERR_CLOSED);
}

/* What was read while it had none does not hold what it missed. */
TEST(who_has_room_again_while_others_are_read_for_misses_nothing)
{
    AUTO_PLAY p;
    struct feed_notes slow = { .room = 1 };

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "One." });
    follow_all(&p, &slow, TASK_FEED_NOW, NULL);
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    EQ(slow.n, 1);
    while (p.engine->feeds.reading)
        loop_run_once(p.s.world.loop);
    task_feeds_hear(p.engine);
    slow.room = 0;
    task_feed_more(&slow.feed);
    OK(until(p.s.world.loop, has_heard, &slow));
    close_engine(&p, &p.engine);
}

/* More than may read at once: every third leaves at once, the others get every event. */
TEST(a_crowd_of_followers_gets_every_event)
{
    enum { CROWD = 60 };
    AUTO_PLAY p;
    static struct notes all, crowd[CROWD];

    stuck_play(&p);
    memset(&all, 0, sizeof(all));
    memset(crowd, 0, sizeof(crowd));
    for (size_t i = 0; i < CROWD; i++)
        follow(&p, &crowd[i], 0);
    OK(p.engine->waiting);
    for (size_t i = 0; i < CROWD; i += 3)
        op_cancel(&crowd[i].watch.op);
    let_go(&p);
    OK(request(&p, task_wait));
    follow(&p, &all, 0);
    OK(followed(&p, &all));
    for (size_t i = 0; i < CROWD; i++) {
        EQ(followed(&p, &crowd[i]), i % 3 != 0);
        if (i % 3)
            EQ_STR(crowd[i].text, all.text);
    }
    OK(!p.engine->waiting);
    EQ(p.engine->reads, 0);
}

TEST(following_and_waiting_can_be_given_up)
{
    AUTO_PLAY p;
    struct notes t = { 0 };

    stuck_play(&p);
    follow(&p, &t, 0);
    start(&p, task_wait, p.id, NULL);
    OK(until(p.s.world.loop, speaks, &p));
    op_cancel(&t.watch.op);
    op_cancel(&p.ask.op);
    OK(!followed(&p, &t));
    EQ(t.err.code, ERR_CANCELED);
    OK(!finish(&p));
    EQ(p.err.code, ERR_CANCELED);
    let_go(&p);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
}

/* ---- going on with a session ----------------------------------------------------------------- */

TEST(what_an_earlier_prompt_was_answered_is_no_result_of_this_task)
{
    AUTO_PLAY p;
    char session[ID_TEXT];

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "I wrote src/old.c." });
    add_line(&p.s, (struct line){ .fails = ERR_INVALID });
    add_line(&p.s, (struct line){ .hangs = true });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    OK(str_to_c(p.ask.info.session, session, sizeof(session)));
    OK(create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("x")),
                                          .session = str_of(session),
                                          .budget_usd = -1 }));
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.result, "{\"summary\":\"\",\"response\":\"\",\"artifacts\":[],");
    sql(&p, "UPDATE tasks SET final = 0, state = 'working', process = '', result = ''"
            " WHERE state = 'failed'");
    task_engine_recover(p.engine);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.result, "{\"summary\":\"\",\"response\":\"\",\"artifacts\":[],");
    OK(create_by(&p, &(struct task_spec){ .prompt = PROMPT(STR("x")),
                                          .session = str_of(session),
                                          .budget_usd = -1 }));
    while (p.s.asked < 3)
        OK(request(&p, task_get));
    OK(request(&p, task_cancel));
    HAS_S(p.ask.info.result, "{\"summary\":\"\",\"response\":\"\",\"artifacts\":[],");
}

/* ---- how much is told ------------------------------------------------------------------------ */

/* An event that is larger than it may be is told without what makes it long. */
TEST(an_event_is_never_larger_than_limits_task_event_bytes)
{
    AUTO_PLAY p;
    struct notes t = { 0 };
    static char args[6000];

    play_init(&p);
    p.s.world.limits.task_event_bytes = 4096;
    play_up(&p);
    snprintf(args, sizeof(args), "{\"text\":\"%05000d\"}", 7);
    add_line(&p.s, (struct line){ .call = { { "a", "say", args } }, .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text),
          "\"name\":\"say\",\"title\":\"Say\",\"kind\":\"read\",\"status\":\"done\"");
    OK(!strstr(t.text, "000000"));
}

/* ---- coming back ----------------------------------------------------------------------------- */

/* All that has happened so far is stored. */
static bool both_begun(void *ctx)
{
    const char *text = ((struct notes *)ctx)->text;

    return strstr(text, "counted") && strstr(text, "\"name\":\"wait\",\"title\":\"wait\","
                                                   "\"kind\":\"read\",\"status\":\"running\"");
}

TEST(a_task_whose_process_died_is_gone_on_with_and_nothing_is_done_twice)
{
    AUTO_PLAY p;
    struct task_engine *first;
    struct notes t = { 0 };

    play_init(&p);
    p.s.world.limits.task_look_ms = 600000;
    play_up(&p);
    first = p.engine;
    add_line(&p.s, (struct line){ .call = { { "a", "count", "{}" }, { "b", "wait", "{}" } },
                                  .stop = STOP_TOOLS });
    add_line(&p.s, (struct line){ .text = "I looked." });
    OK(create(&p, "go"));
    follow(&p, &t, 0);
    OK(until(p.s.world.loop, both_begun, &t));
    EQ(p.s.runs, 1);
    seem_dead(&p);
    p.s.world.limits.task_look_ms = 10;
    p.second = p.engine = new_engine(&p);
    task_engine_recover(p.second);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    HAS_S(p.ask.info.result, "I looked.");
    HAS_S(str_of(p.s.last), "counted|[interrupted");
    EQ(p.s.runs, 1);
    /* The first finds that it is not its own any more, and says nothing. */
    p.engine = first;
    let_go(&p);
    OK(until(p.s.world.loop, nobody_runs, &p));
    op_cancel(&t.watch.op);
    OK(!followed(&p, &t));
    t.text[0] = '\0';
    follow(&p, &t, 0);
    OK(followed(&p, &t));
    HAS_S(str_of(t.text), "resumes after a restart");
    OK(request(&p, task_get));
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ(p.ask.info.last_seq, t.watch.after);
}

TEST(a_run_stops_when_another_process_has_its_task)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .hangs = true });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, speaks, &p));
    sql(&p, "UPDATE tasks SET fence = fence + 1");
    OK(until(p.s.world.loop, nobody_runs, &p));
    OK(request(&p, task_get));
    EQ(p.ask.info.state, TASK_WORKING);
}

TEST(a_process_that_stops_leaves_its_tasks_to_the_next)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "Half", .hangs = true });
    add_line(&p.s, (struct line){ .text = "Whole." });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, speaks, &p));
    close_engine(&p, &p.engine);
    p.engine = new_engine(&p);
    OK(request(&p, task_get));
    EQ(p.ask.info.state, TASK_WORKING);
    seem_dead(&p);
    task_engine_recover(p.engine);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    HAS_S(p.ask.info.result, "\"response\":\"Whole.\"");
    EQ_STR(p.s.last, "go"); /* the same turn: no new prompt, and no half answer before it */
}

/* That it works could not be stored, so it does not. */
TEST(a_task_that_had_not_begun_begins)
{
    AUTO_PLAY p;

    log_setup(LOG_ERROR, false);
    play_badly(&p, 1000000, ERR_SYSTEM);
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    close_engine(&p, &p.engine);
    EQ(p.s.asked, 0);
    bad_store.fails = 0;
    p.engine = new_engine(&p);
    seem_dead(&p);
    task_engine_recover(p.engine);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    EQ_STR(p.s.last, "go");
    EQ(p.s.asked, 1);
    log_setup(LOG_WARN, false);
}

/* Killed between the end of the turn and the end of the task. */
TEST(a_turn_that_had_ended_ends_the_task)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    sql(&p, "UPDATE tasks SET final = 0, state = 'working', process = '', result = ''");
    task_engine_recover(p.engine);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_COMPLETED);
    HAS_S(p.ask.info.result, "\"response\":\"Ok.\"");
    EQ(p.s.asked, 1);
}

TEST(what_cannot_be_gone_on_with_fails_and_says_why)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .text = "Ok." });
    OK(create(&p, "go"));
    OK(request(&p, task_wait));
    sql(&p, "UPDATE tasks SET final = 0, state = 'working', process = '',"
            " session = 'gone', result = ''");
    task_engine_recover(p.engine);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.text, "there is no session gone");
    sql(&p, "UPDATE tasks SET final = 0, state = 'working', process = '', spec = '{'");
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.text, "damaged");
}

static bool is_canceling_here(void *ctx)
{
    struct play *p = ctx;

    return task_engine_find(p->engine, str_of(p->id))->halt == HALT_CANCELED;
}

TEST(one_that_was_being_cancelled_does_not_go_on)
{
    AUTO_PLAY p;

    log_setup(LOG_ERROR, false);
    play_badly(&p, 0, ERR_SYSTEM);
    add_line(&p.s, (struct line){ .hangs = true });
    add_line(&p.s, (struct line){ .text = "Not again." });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, speaks, &p));
    bad_store.fails = 1000000; /* that it has ended cannot be stored */
    start(&p, task_cancel, p.id, NULL);
    OK(until(p.s.world.loop, is_canceling_here, &p));
    close_engine(&p, &p.engine);
    OK(!finish(&p));
    bad_store.fails = 0;
    p.engine = new_engine(&p);
    seem_dead(&p);
    task_engine_recover(p.engine);
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_CANCELED);
    EQ(p.s.asked, 1);
    log_setup(LOG_WARN, false);
}

TEST(a_task_that_nobody_works_on_can_be_cancelled)
{
    AUTO_PLAY p;

    play_init(&p);
    play_up(&p);
    add_line(&p.s, (struct line){ .hangs = true });
    OK(create(&p, "go"));
    OK(until(p.s.world.loop, speaks, &p));
    close_engine(&p, &p.engine);
    p.engine = new_engine(&p);
    seem_dead(&p);
    OK(request(&p, task_cancel));
    EQ(p.ask.info.state, TASK_CANCELED);
}

TEST(a_task_that_is_taken_more_than_limits_task_takes_fails)
{
    AUTO_PLAY p;

    play_init(&p);
    p.s.world.limits.task_takes = 1;
    play_up(&p);
    add_line(&p.s, (struct line){ .hangs = true });
    add_line(&p.s, (struct line){ .hangs = true });
    OK(create(&p, "go"));
    for (size_t asked = 1; asked <= 2; asked++) {
        while (p.s.asked < asked)
            OK(request(&p, task_get));
        close_engine(&p, &p.engine);
        p.engine = new_engine(&p);
        seem_dead(&p);
        task_engine_recover(p.engine);
    }
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_FAILED);
    HAS_S(p.ask.info.text, "2 processes that worked on it have ended (the constant task_takes)");
    EQ(p.s.asked, 2);
}

/* ---- processes of their own, which are none -------------------------------------------------- */

static struct {
    struct task_isolate port; /* first */
    struct task_away *away;
    struct loop *loop;
    struct post end;
    int started, stopped;
} apart;

static bool start_apart(struct task_isolate *i, struct task_away *a, struct err *e)
{
    (void)i;
    (void)e;
    apart.away = a;
    a->child = &apart;
    apart.started++;
    return true;
}

static void on_apart_end(struct post *p)
{
    (void)p;
    task_away_ended(apart.away, "was stopped");
}

static void stop_apart(struct task_isolate *i, struct task_away *a)
{
    (void)i;
    (void)a;
    apart.stopped++;
    loop_post(apart.loop, &apart.end);
}

/* A task whose process seems to run, in a store that fails to give it back so many times. */
static void play_apart(struct play *p, int fails, enum err_code code)
{
    play_badly(p, fails, code);
    bad_store.what = STORE_TASK_TAKE;
    close_engine(p, &p->engine);
    apart.port = (struct task_isolate){ .start = start_apart, .stop = stop_apart };
    apart.loop = p->s.world.loop;
    apart.end.fn = on_apart_end;
    apart.started = apart.stopped = 0;
    p->isolate = &apart.port;
    p->engine = new_engine(p);
    OK(create_by(
        p, &(struct task_spec){ .prompt = PROMPT(STR("x")), .isolate = true, .budget_usd = -1 }));
    task_engine_recover(p->engine);
}

TEST(one_whose_process_has_gone_is_tried_for_until_it_has_failed)
{
    static const enum err_code code[] = { ERR_SYSTEM, ERR_TIMEOUT, ERR_DENIED };

    for (size_t i = 0; i < ARRAY_LEN(code); i++) {
        AUTO_PLAY p;

        play_apart(&p, 3, code[i]);
        EQ(apart.started, 1);
        seem_dead(&p);
        task_away_ended(apart.away, "has died");
        OK(request(&p, task_wait));
        EQ(p.ask.info.state, TASK_FAILED);
        EQ_S(p.ask.info.text, "the process that worked on the task has ended: has died");
        EQ(apart.started, 1);
        EQ(bad_store.fails, 0);
    }
}

static bool was_tried_for(void *ctx)
{
    (void)ctx;
    return bad_store.fails < 1000000;
}

TEST(an_engine_that_tries_for_one_can_be_closed)
{
    AUTO_PLAY p;

    play_apart(&p, 1000000, ERR_SYSTEM);
    task_away_ended(apart.away, "has died");
    OK(until(p.s.world.loop, was_tried_for, NULL));
    close_engine(&p, &p.engine);
    EQ(apart.stopped, 0);
}

TEST(a_process_that_does_not_end_when_its_task_is_cancelled_is_ended)
{
    AUTO_PLAY p;

    play_apart(&p, 0, ERR_SYSTEM);
    p.s.world.limits.child_polite_ms = p.s.world.limits.child_term_ms = 0;
    OK(request(&p, task_cancel));
    EQ(p.ask.info.state, TASK_CANCELED);
    EQ(apart.stopped, 1);
    EQ(apart.started, 1);
}

TEST(also_when_another_process_cancels_it)
{
    AUTO_PLAY p;

    play_apart(&p, 0, ERR_SYSTEM);
    p.s.world.limits.child_polite_ms = p.s.world.limits.child_term_ms = 0;
    sql(&p, "UPDATE tasks SET canceled = 1");
    OK(request(&p, task_wait));
    EQ(p.ask.info.state, TASK_CANCELED);
    EQ(apart.stopped, 1);
    EQ(apart.started, 1);
}

TEST_MAIN()
