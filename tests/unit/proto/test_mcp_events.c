/* What a session keeps of its event streams, and how a client finds its place in them. */
#include "proto/mcp/server/mcp_events.h"

#include "tap.h"

static struct mcp_event_pool pool;
static struct mcp_events events;

static void begin(int64_t most, int64_t bytes)
{
    struct limits limits;

    limits_preset(&limits);
    limits.mcp_session_events = most;
    limits.mcp_session_bytes = bytes;
    mcp_event_pool_init(&pool, &limits);
    mcp_events_init(&events, &limits, &pool);
}

static void keep(struct mcp_event_stream *s, const char *text)
{
    struct str half[] = { str_head(str_of(text), 1), str_skip(str_of(text), 1) };
    char id[MCP_EVENT_ID];

    mcp_events_keep(&events, s, half, 2, id);
}

/* The texts after an event, with a '!' in front if something was lost. */
static const char *after(uint32_t stream, uint64_t number)
{
    static char out[256];
    struct mcp_event_stream from = { .stream = stream, .newest = number };
    bool lost;
    const struct mcp_event *ev = mcp_events_after(&events, from, &lost);

    snprintf(out, sizeof(out), "%s", lost ? "!" : "");
    for (; ev; ev = mcp_events_next(ev))
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%.*s ", (int)ev->n, ev->text);
    return out;
}

TEST(each_stream_goes_on_where_it_was_left)
{
    struct mcp_event_stream a = { .stream = 1 }, b = { .stream = 2 };
    char id[MCP_EVENT_ID];

    begin(100, 1000);
    mcp_events_number(&events, &a, id); /* an empty event: 1 */
    keep(&a, "a1");                     /* 2 */
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
    mcp_events_fini(&events);
    EQ(events.count + events.bytes, 0);
}

TEST(the_oldest_go_first_and_their_loss_is_noticed)
{
    struct mcp_event_stream a = { .stream = 1 }, b = { .stream = 2 };

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
    mcp_events_fini(&events);
}

TEST(an_event_that_says_nothing_is_not_missed)
{
    struct mcp_event_stream a = { .stream = 1 };
    char id[MCP_EVENT_ID];

    begin(10, 100);
    keep(&a, "a1");
    mcp_events_number(&events, &a, id);
    EQ(a.newest, 2);
    EQ(a.told, 1);
    keep(&a, "a2");
    EQ_STR(after(1, 1), "a2 ");
    EQ_STR(after(1, 2), "a2 ");
    mcp_events_fini(&events);
}

TEST(bytes_are_bounded_too)
{
    struct mcp_event_stream a = { .stream = 1 };

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
    mcp_events_fini(&events);
    begin(0, 10);
    keep(&a, "z");
    EQ(events.count, 0);
    mcp_events_fini(&events);
}

TEST(an_id_is_good_in_its_own_session_only)
{
    struct mcp_event_stream a = { .stream = 7 }, got;
    struct mcp_events other;
    struct limits limits;
    char id[MCP_EVENT_ID];
    struct str text;

    begin(10, 100);
    limits_preset(&limits);
    mcp_events_init(&other, &limits, &pool);
    other.session = events.session + 1;
    other.number = 100;
    text = mcp_events_keep(&events, &a, &STR("m"), 1, id);
    OK(mcp_events_named(&events, text, &got));
    EQ(got.stream, 7);
    EQ(got.newest, 1);
    OK(!mcp_events_named(&other, text, &got));
    OK(!mcp_events_named(&events, STR(""), &got));
    OK(!mcp_events_named(&events, STR("7-1"), &got));
    OK(!mcp_events_named(&events, str_head(text, text.n - 1), &got));
    id[text.n] = '0'; /* 10: never given */
    OK(!mcp_events_named(&events, (struct str){ id, text.n + 1 }, &got));
    id[text.n] = '-';
    OK(!mcp_events_named(&events, (struct str){ id, text.n + 1 }, &got));
    mcp_events_fini(&events);
    mcp_events_fini(&other);
}

TEST(an_id_without_a_text_is_nothing_to_lose)
{
    struct mcp_event_stream a = { .stream = 1 };
    char id[MCP_EVENT_ID];

    begin(10, 100);
    keep(&a, "a1");
    mcp_events_number(&events, &a, id); /* 2, which the client never saw */
    EQ(a.newest, 2);
    EQ(a.told, 1);
    keep(&a, "a2");
    EQ_STR(after(1, 1), "a2 ");
    EQ_STR(after(1, 2), "a2 ");
    mcp_events_fini(&events);
}

TEST(what_the_client_has_is_forgotten)
{
    struct mcp_event_stream a = { .stream = 1 }, b = { .stream = 2 };

    begin(10, 100);
    keep(&a, "a1");
    keep(&b, "b1");
    keep(&a, "a2");
    mcp_events_forget(&events, (struct mcp_event_stream){ .stream = 1, .newest = 1 });
    EQ(events.count, 2);
    EQ_STR(after(1, 1), "a2 ");
    mcp_events_forget(&events, a);
    EQ_STR(after(1, 0), "");
    EQ_STR(after(2, 0), "b1 ");
    keep(&b, "b2");
    EQ_STR(after(2, 2), "b2 ");
    mcp_events_fini(&events);
}

TEST(all_sessions_together_are_bounded)
{
    enum { EACH = sizeof(struct mcp_event) + 5 };
    struct mcp_event_stream a = { .stream = 1 }, b = { .stream = 1 };
    struct limits limits;
    struct mcp_events other;
    char id[MCP_EVENT_ID];

    begin(10, 100);
    limits_preset(&limits);
    mcp_events_init(&other, &limits, &pool);
    pool.most_bytes = 3 * EACH;
    keep(&a, "first");
    mcp_events_keep(&other, &b, &STR("their"), 1, id);
    keep(&a, "third");
    EQ(pool.bytes, 3 * EACH);
    mcp_events_keep(&other, &b, &STR("again"), 1, id); /* "first" goes */
    EQ_STR(after(1, 0), "!third ");
    EQ(other.count, 2);
    keep(&a, "fifth"); /* "their" goes */
    EQ_STR(after(1, 0), "!third fifth ");
    EQ(other.count, 1);
    mcp_events_fini(&events);
    EQ(pool.bytes, EACH);
    pool.most_bytes = 10; /* what never fits leaves no gap in the middle */
    mcp_events_keep(&other, &b, &STR("never"), 1, id);
    EQ(other.count, 0);
    mcp_events_fini(&other);
    EQ(pool.bytes, 0);
    OK(!pool.oldest && !pool.newest);
}

TEST_MAIN()
