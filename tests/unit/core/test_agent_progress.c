/* test_agent_tell.c - what a caller hears of an agent at work. */
#include "base/container.h"
#include "core/agent/agent_progress.h"
#include "tap.h"

struct bench {
    struct caller caller;
    struct loop *loop;
    struct limits limits;
    struct host host;
    struct arena mem;
    struct call call;
    struct agent_tell tell;
    int told;
    int64_t last;
    char message[1024];
    bool done;
};

static bool can(const struct caller *c, enum ask_kind kind)
{
    return caller_nobody.can(c, kind);
}

static void progress(struct caller *c, const struct progress *p)
{
    struct bench *b = CONTAINER_OF(c, struct bench, caller);
    uint64_t n = 0;

    OK(str_uint(p->done, 1, 1000, &n));
    OK((int64_t)n > b->last); /* forward, always */
    OK(!p->total.p);
    b->last = (int64_t)n;
    b->told++;
    OK(str_to_c(p->message, b->message, sizeof(b->message)));
}

static const struct caller_kind kind = { .can = can, .progress = progress };

static void start(struct call *call)
{
    agent_tell_begin(&CONTAINER_OF(call, struct bench, call)->tell, call);
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    ((struct bench *)ctx)->done = true;
}

static void begin(struct bench *b)
{
    static const struct call_about about = { .what = "agent", .timeout_ms = CALL_NO_DEADLINE };

    *b = (struct bench){ .caller = { .kind = &kind, .name = "test" },
                         .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&b->limits);
    b->host = (struct host){ .loop = b->loop, .limits = &b->limits, .root_fd = -1, .root = "/" };
    call_run(&b->call, &b->host, &b->caller, &b->mem, &about, start, NULL, on_done, b);
}

static void end(struct bench *b)
{
    agent_tell_end(&b->tell);
    call_done(&b->call);
    while (loop_run_once(b->loop))
        ;
    OK(b->done);
    arena_fini(&b->mem);
    loop_free(b->loop);
}

static void say(struct bench *b, const char *text)
{
    agent_tell_event(&b->tell, &(struct event){ .kind = EVENT_TEXT, .text = str_of(text) });
}

static void tool(struct bench *b, enum called_status status, const char *text)
{
    struct event ev = { .kind = EVENT_TOOL };

    ev.tool = (struct event_tool){ .name = STR("grep"), .status = status, .text = str_of(text) };
    agent_tell_event(&b->tell, &ev);
}

TEST(the_first_words_are_told_at_once_the_next_are_gathered)
{
    struct bench b;

    begin(&b);
    say(&b, "One");
    EQ(b.told, 1);
    EQ_STR(b.message, "One");
    say(&b, " two");
    loop_advance(b.loop, TELL_PACE_MS - 1);
    say(&b, " three");
    EQ(b.told, 1);
    loop_advance(b.loop, 1);
    EQ(b.told, 2);
    EQ_STR(b.message, "One two three");
    loop_advance(b.loop, 10 * TELL_PACE_MS);
    EQ(b.told, 2);
    end(&b);
}

TEST(a_thousand_words_in_a_second_are_ten_messages)
{
    struct bench b;

    begin(&b);
    for (int i = 0; i < 1000; i++) {
        say(&b, "word ");
        loop_advance(b.loop, 1);
    }
    OK(b.told >= 10 && b.told <= 11);
    end(&b);
}

TEST(tools_are_told_at_once_and_what_they_report_in_its_time)
{
    struct bench b;

    begin(&b);
    say(&b, "I look.");
    tool(&b, CALLED_RUNNING, NULL);
    EQ(b.told, 2);
    EQ_STR(b.message, "grep: running");
    tool(&b, CALLED_RUNNING, "3 files");
    EQ(b.told, 2);
    loop_advance(b.loop, TELL_PACE_MS);
    EQ_STR(b.message, "grep: 3 files");
    tool(&b, CALLED_DONE, "what it found");
    EQ(b.told, 4);
    EQ_STR(b.message, "grep: done");
    tool(&b, CALLED_CANCELED, NULL);
    EQ_STR(b.message, "grep: cancelled");
    loop_advance(b.loop, TELL_PACE_MS);
    say(&b, "Found."); /* not behind a note */
    EQ_STR(b.message, "Found.");
    end(&b);
}

TEST(of_a_long_speech_the_end_is_told_in_whole_characters)
{
    struct bench b;

    begin(&b);
    for (int i = 0; i < 500; i++)
        say(&b, "\xc3\xa4\xe2\x82\xac");
    loop_advance(b.loop, TELL_PACE_MS);
    OK(strlen(b.message) <= TELL_BYTES + 4);
    OK(!strncmp(b.message, "... ", 4));
    OK((b.message[4] & 0xc0) != 0x80);
    OK(!strcmp(b.message + strlen(b.message) - 5, "\xc3\xa4\xe2\x82\xac"));
    end(&b);
}

TEST(nothing_is_told_after_the_end)
{
    struct bench b;

    begin(&b);
    say(&b, "One");
    say(&b, " two");
    agent_tell_event(&b.tell, &(struct event){ .kind = EVENT_END });
    loop_advance(b.loop, 10 * TELL_PACE_MS);
    EQ(b.told, 1);
    end(&b);
}

TEST_MAIN()
