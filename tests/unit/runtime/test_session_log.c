/* test_session_log.c - the log of a session: what is written, what is passed on, what goes wrong. */
#include "place.h"
#include "runtime/session_log.h"
#include "runtime/session_logs.h"

struct listener {
    struct work_client client;
    size_t events, warnings, below;
};

static void on_event(struct work_client *c, const struct event *ev)
{
    struct listener *l = (struct listener *)(void *)c;

    l->events++;
    l->warnings += ev->kind == EVENT_NOTICE && ev->notice.kind == NOTICE_WARNING;
}

static bool on_can(const struct work_client *c, enum ask_kind kind)
{
    (void)c;
    return kind == ASK_URL;
}

static void on_below(struct work_client *c, struct str session, const struct event *ev)
{
    (void)session;
    (void)ev;
    ((struct listener *)(void *)c)->below++;
}

static const struct work_client_kind listener_kind = { .event = on_event,
                                                       .can = on_can,
                                                       .below = on_below };

struct scene {
    struct loop *loop;
    struct limits limits;
    struct listener to;
    struct session_log log;
    bool closed;
};

static void begin(struct scene *s, struct place *p)
{
    *s = (struct scene){ .loop = loop_new(LOOP_REAL_CLOCK), .to = { { &listener_kind }, 0, 0, 0 } };
    limits_preset(&s->limits);
    s->limits.session_log_gather_ms = 1;
    session_log_open(&s->log, s->loop, &s->limits, p->path, NULL, "s1", &s->to.client);
}

static void on_closed(void *ctx)
{
    struct scene *s = ctx;

    s->closed = true;
    loop_stop(s->loop);
}

static void finish(struct scene *s)
{
    session_log_close(&s->log, on_closed, s);
    while (!s->closed)
        loop_run(s->loop);
    loop_free(s->loop);
}

static void say(struct scene *s, const char *text)
{
    struct event ev = { .kind = EVENT_TEXT, .message = STR("m"), .text = str_of(text) };

    s->log.client.kind->event(&s->log.client, &ev);
}

static struct str read_log(struct place *p, const char *name)
{
    struct str text = STR("");
    struct err e;

    file_read(&p->mem, place_file(p, name), 1 << 20, &text, &e);
    return text;
}

TEST(events_are_written_with_their_time_and_passed_on)
{
    AUTO_PLACE p = place_new();
    struct scene s;
    struct event ev = { .kind = EVENT_TEXT, .message = STR("m"), .text = STR("deep") };
    struct str text;

    begin(&s, &p);
    say(&s, "hello");
    s.log.client.kind->below(&s.log.client, STR("s2"), &ev);
    session_log_note(&s.log, &ev);
    OK(s.log.client.kind->can(&s.log.client, ASK_URL));
    OK(!s.log.client.kind->can(&s.log.client, ASK_FORM));
    EQ(s.to.events, 1);
    EQ(s.to.below, 1);
    finish(&s);
    text = read_log(&p, ".trefoil/logs/s1.log");
    HAS_S(text, "{\"time\":\"20");
    HAS_S(text, "\"event\":{\"type\":\"text\",\"message\":\"m\",\"text\":\"hello\"}}\n");
    HAS_S(text, "\"below\":\"s2\",\"event\":");
}

TEST(a_full_log_becomes_the_one_before)
{
    AUTO_PLACE p = place_new();
    struct scene s;

    place_write(&p, ".trefoil/logs/s1.log", "old\n");
    begin(&s, &p);
    s.limits.session_log_bytes = 10;
    say(&s, "new");
    finish(&s);
    EQ_S(read_log(&p, ".trefoil/logs/s1.1.log"), "old\n");
    HAS_S(read_log(&p, ".trefoil/logs/s1.log"), "\"new\"");
}

struct growth {
    struct place *place;
    size_t bytes, seen; /* reported; in the file when they were reported */
};

static void on_grown(void *ctx, size_t bytes)
{
    struct growth *g = ctx;

    g->bytes += bytes;
    g->seen = read_log(g->place, ".trefoil/logs/s1.log").n;
}

TEST(growth_is_reported_when_the_bytes_are_in_the_file)
{
    AUTO_PLACE p = place_new();
    struct growth g = { &p, 0, 0 };
    struct scene s;

    begin(&s, &p);
    s.log.grown = on_grown;
    s.log.grown_ctx = &g;
    say(&s, "hello");
    EQ(g.bytes, 0);
    finish(&s);
    OK(g.bytes > 0);
    EQ(g.seen, g.bytes);
}

TEST(a_line_without_room_is_counted)
{
    AUTO_PLACE p = place_new();
    struct scene s;
    char large[3000];

    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    *(&s) =
        (struct scene){ .loop = loop_new(LOOP_REAL_CLOCK), .to = { { &listener_kind }, 0, 0, 0 } };
    limits_preset(&s.limits);
    s.limits.session_log_backlog_bytes = 2000;
    session_log_open(&s.log, s.loop, &s.limits, p.path, NULL, "s1", &s.to.client);
    say(&s, large);
    say(&s, "small");
    EQ(s.to.events, 2);
    finish(&s);
    HAS_S(read_log(&p, ".trefoil/logs/s1.log"), "{\"lost\":1}\n{\"time\":");
}

TEST(a_log_that_cannot_be_written_warns_once)
{
    AUTO_PLACE p = place_new();
    struct scene s;

    place_write(&p, ".trefoil/logs", "in the way");
    begin(&s, &p);
    say(&s, "one");
    while (!s.to.warnings)
        loop_run_once(s.loop);
    say(&s, "two");
    finish(&s);
    EQ(s.to.warnings, 1);
    EQ(s.to.events, 3);
}

static void note(void *ctx)
{
    *(bool *)ctx = true;
}

TEST(what_was_never_opened_is_closed_at_once)
{
    struct session_log log = { 0 };
    bool closed = false;

    session_log_note(&log, NULL);
    session_log_close(&log, note, &closed);
    OK(closed);
}

/* ---- many of them ---------------------------------------------------------------------------- */

TEST(logs_are_apart_and_all_written_before_they_are_gone)
{
    AUTO_PLACE p = place_new();
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct limits limits;
    struct listener to[2] = { { { &listener_kind }, 0, 0, 0 }, { { &listener_kind }, 0, 0, 0 } };
    struct session_logs *logs;
    struct event ev = { .kind = EVENT_TEXT, .message = STR("m"), .text = STR("hello") };
    bool closed = false;

    limits_preset(&limits);
    logs = session_logs_new(loop, &limits, p.path, NULL);
    for (int i = 0; i < 2; i++) {
        struct work_client *log = logs->kind->open(logs, i ? "s2" : "s1", &to[i].client);

        log->kind->event(log, &ev);
        ev.text = STR("of the second");
        logs->kind->note(logs, log, &ev);
        EQ(to[i].events, 1);
        logs->kind->close(logs, log);
    }
    session_logs_free(logs, note, &closed);
    while (!closed)
        loop_run_once(loop);
    HAS_S(read_log(&p, ".trefoil/logs/s1.log"), "\"hello\"");
    HAS_S(read_log(&p, ".trefoil/logs/s2.log"), "\"of the second\"");
    OK(str_find(read_log(&p, ".trefoil/logs/s2.log"), STR("hello")) < 0);
    loop_free(loop);
}

TEST(who_has_left_is_not_told_that_its_log_has_gaps)
{
    AUTO_PLACE p = place_new();
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct limits limits;
    struct listener to = { { &listener_kind }, 0, 0, 0 };
    struct session_logs *logs;
    struct work_client *log;
    bool closed = false;

    place_write(&p, ".trefoil/logs", "in the way");
    limits_preset(&limits);
    logs = session_logs_new(loop, &limits, p.path, NULL);
    log = logs->kind->open(logs, "s1", &to.client);
    log->kind->event(log, &(struct event){ .kind = EVENT_TEXT, .text = STR("x") });
    logs->kind->close(logs, log);
    session_logs_free(logs, note, &closed);
    while (!closed)
        loop_run_once(loop);
    EQ(to.events, 1);
    EQ(to.warnings, 0);
    loop_free(loop);
}

TEST(where_nothing_is_kept_there_is_nothing_to_wait_for)
{
    bool closed = false;

    session_logs_free(NULL, note, &closed);
    OK(closed);
}

TEST_MAIN()
