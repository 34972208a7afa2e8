/* What a session keeps of its event streams, and how a client finds its place in them. */
#include "rpc/event_log.h"

#include "tap.h"

static struct event_pool pool;
static struct event_log events;

static void begin(size_t most, size_t bytes)
{
    pool = (struct event_pool){ .max_bytes = 64 << 20 };
    event_log_init(&events, &pool, most, bytes);
}

static void keep(struct event_stream *s, const char *text)
{
    struct str half[] = { str_head(str_of(text), 1), str_skip(str_of(text), 1) };
    char id[EVENT_ID];

    event_log_keep(&events, s, half, 2, id);
}

/* The texts after an event, with a '!' in front if something was lost. */
static const char *after(uint32_t stream, uint64_t number)
{
    static char out[256];
    struct event_stream from = { .stream = stream, .newest = number };
    bool lost;
    const struct logged_event *ev = event_log_after(&events, from, &lost);

    snprintf(out, sizeof(out), "%s", lost ? "!" : "");
    for (; ev; ev = event_log_next(ev))
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%.*s ", (int)ev->n, ev->text);
    return out;
}

TEST(each_stream_goes_on_where_it_was_left)
{
    struct event_stream a = { .stream = 1 }, b = { .stream = 2 };
    char id[EVENT_ID];

    begin(100, 1000);
    event_log_number(&events, &a, id); /* an empty event: 1 */
    keep(&a, "a1");                    /* 2 */
    keep(&b, "b1");
    keep(&a, "a2"); /* 4 */
    keep(&b, "b2");
    EQ_STR(after(1, 1), "a1 a2 ");
    EQ_STR(after(1, 2), "a2 ");
    EQ_STR(after(1, 4), "");
    EQ_STR(after(2, 3), "b2 ");
    EQ_STR(after(2, 1), "b1 b2 ");
    EQ_STR(after(3, 1), "");
    EQ(a.newest, 4);
    EQ(b.newest, 5);
    event_log_fini(&events);
    EQ(events.count + events.bytes, 0);
}

TEST(the_oldest_go_first_and_their_loss_is_noticed)
{
    struct event_stream a = { .stream = 1 }, b = { .stream = 2 };

    begin(3, 1000);
    keep(&a, "a1");
    keep(&a, "a2");
    keep(&b, "b1");
    keep(&b, "b2"); /* a1 goes */
    EQ(events.count, 3);
    EQ_STR(after(1, 1), "a2 ");
    keep(&b, "b3"); /* a2 goes */
    EQ_STR(after(1, 1), "");
    keep(&a, "a3"); /* b1 goes */
    EQ_STR(after(1, 1), "!a3 ");
    EQ_STR(after(1, 2), "a3 ");
    EQ_STR(after(2, 3), "b2 b3 ");
    event_log_fini(&events);
}

TEST(an_event_that_says_nothing_is_not_missed)
{
    struct event_stream a = { .stream = 1 };
    char id[EVENT_ID];

    begin(10, 100);
    keep(&a, "a1");
    event_log_number(&events, &a, id);
    EQ(a.newest, 2);
    EQ(a.sent, 1);
    keep(&a, "a2");
    EQ_STR(after(1, 1), "a2 ");
    EQ_STR(after(1, 2), "a2 ");
    event_log_fini(&events);
}

TEST(bytes_are_bounded_too)
{
    struct event_stream a = { .stream = 1 };

    begin(100, 10);
    keep(&a, "12345");
    keep(&a, "67890");
    EQ_STR(after(1, 1), "67890 ");
    keep(&a, "x");
    EQ_STR(after(1, 1), "67890 x ");
    keep(&a, "more than ten");
    EQ(events.count, 0); /* what never fits leaves no gap in the middle */
    keep(&a, "y");
    EQ_STR(after(1, 3), "!y ");
    EQ_STR(after(1, 4), "y ");
    event_log_fini(&events);
    begin(0, 10);
    keep(&a, "z");
    EQ(events.count, 0);
    event_log_fini(&events);
}

TEST(an_id_is_good_in_its_own_session_only)
{
    struct event_stream a = { .stream = 7 }, got;
    struct event_log other;
    char id[EVENT_ID];
    struct str text;

    begin(10, 100);
    event_log_init(&other, &pool, 100, 1000);
    other.session = events.session + 1;
    other.number = 100;
    text = event_log_keep(&events, &a, &STR("m"), 1, id);
    OK(event_log_find(&events, text, &got));
    EQ(got.stream, 7);
    EQ(got.newest, 1);
    OK(!event_log_find(&other, text, &got));
    OK(!event_log_find(&events, STR(""), &got));
    OK(!event_log_find(&events, STR("7-1"), &got));
    OK(!event_log_find(&events, str_head(text, text.n - 1), &got));
    id[text.n] = '0'; /* 10: never given */
    OK(!event_log_find(&events, (struct str){ id, text.n + 1 }, &got));
    id[text.n] = '-';
    OK(!event_log_find(&events, (struct str){ id, text.n + 1 }, &got));
    event_log_fini(&events);
    event_log_fini(&other);
}

TEST(an_id_without_a_text_is_nothing_to_lose)
{
    struct event_stream a = { .stream = 1 };
    char id[EVENT_ID];

    begin(10, 100);
    keep(&a, "a1");
    event_log_number(&events, &a, id); /* 2, which the client never saw */
    EQ(a.newest, 2);
    EQ(a.sent, 1);
    keep(&a, "a2");
    EQ_STR(after(1, 1), "a2 ");
    EQ_STR(after(1, 2), "a2 ");
    event_log_fini(&events);
}

TEST(what_the_client_has_is_forgotten)
{
    struct event_stream a = { .stream = 1 }, b = { .stream = 2 };

    begin(10, 100);
    keep(&a, "a1");
    keep(&b, "b1");
    keep(&a, "a2");
    event_log_forget(&events, (struct event_stream){ .stream = 1, .newest = 1 });
    EQ(events.count, 2);
    EQ_STR(after(1, 1), "a2 ");
    event_log_forget(&events, a);
    EQ_STR(after(1, 0), "");
    EQ_STR(after(2, 0), "b1 ");
    keep(&b, "b2");
    EQ_STR(after(2, 2), "b2 ");
    event_log_fini(&events);
}

TEST(all_sessions_together_are_bounded)
{
    enum { EACH = sizeof(struct logged_event) + 5 };
    struct event_stream a = { .stream = 1 }, b = { .stream = 1 };
    struct event_log other;
    char id[EVENT_ID];

    begin(10, 100);
    event_log_init(&other, &pool, 100, 1000);
    pool.max_bytes = 3 * EACH;
    keep(&a, "first");
    event_log_keep(&other, &b, &STR("their"), 1, id);
    keep(&a, "third");
    EQ(pool.bytes, 3 * EACH);
    event_log_keep(&other, &b, &STR("again"), 1, id); /* "first" goes */
    EQ_STR(after(1, 0), "!third ");
    EQ(other.count, 2);
    keep(&a, "fifth"); /* "their" goes */
    EQ_STR(after(1, 0), "!third fifth ");
    EQ(other.count, 1);
    event_log_fini(&events);
    EQ(pool.bytes, EACH);
    pool.max_bytes = 10; /* what never fits leaves no gap in the middle */
    event_log_keep(&other, &b, &STR("never"), 1, id);
    EQ(other.count, 0);
    event_log_fini(&other);
    EQ(pool.bytes, 0);
    OK(!pool.oldest && !pool.newest);
}

TEST_MAIN()
