/* Streamable HTTP of both eras, and HTTP+SSE: who gets what, and by which stream. */
#include "mcp_world.h"

#include "tap.h"

#include <stdlib.h>

#define GET_STREAM SESSION "Accept: text/event-stream\r\n"

/* Go on behind an event; `id` is copied first, since it is overwritten by the next. */
static const char *come_back(struct world *w, int i, const char *id)
{
    char more[200];

    snprintf(more, sizeof(more), GET_STREAM "Last-Event-ID: %s\r\n", id);
    return world_ask(w, i, "GET", "/mcp", more, "");
}

static int count(const char *text, const char *part)
{
    int n = 0;

    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

/* ---- sessions ---------------------------------------------------------------------------- */

TEST(a_session_begins_with_initialize_and_ends_with_delete)
{
    struct world *w = world_new();
    char first[MCP_SESSION_ID];

    world_greet(w, 0, "2025-11-25");
    EQ(strspn(w->session, "0123456789abcdef"), 32);
    EQ(w->sessions.count, 1);
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, LIST), "200 OK");
    memcpy(first, w->session, sizeof(first));
    world_greet(w, 1, "2025-11-25");
    OK(strcmp(first, w->session) != 0);
    EQ(w->sessions.count, 2);
    HAS(world_ask(w, 1, "DELETE", "/mcp", SESSION, ""), "204 No Content");
    EQ(w->sessions.count, 1);
    HAS(world_ask(w, 1, "POST", "/mcp", SESSION BOTH, LIST), "404 Not Found");
    HAS(world_ask(w, 1, "POST", "/mcp", SESSION BOTH, LIST), "\"code\":-32001");
    HAS(world_ask(w, 1, "DELETE", "/mcp", SESSION, ""), "404 Not Found");
    HAS(world_ask(w, 1, "GET", "/mcp", GET_STREAM, ""), "404 Not Found");
    HAS(world_ask(w, 1, "DELETE", "/mcp", "", ""), "400 Bad Request");
    HAS(world_ask(w, 1, "POST", "/mcp", BOTH, LIST), "200 OK"); /* alone */
    world_free(w);
}

TEST(an_initialize_that_fails_begins_nothing)
{
    struct world *w = world_new();
    const char *says = world_ask(w, 0, "POST", "/mcp", BOTH,
                                 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}");

    HAS(says, "-32602");
    LACKS(says, "Mcp-Session-Id");
    EQ(w->mcp.living, 0);
    world_free(w);
}

TEST(a_session_keeps_to_its_version)
{
    struct world *w = world_new();

    world_greet(w, 0, "2025-06-18");
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION "MCP-Protocol-Version: 2025-06-18\r\n", LIST),
        "200 OK");
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION "MCP-Protocol-Version: 2025-11-25\r\n", LIST),
        "400 Bad Request");
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION "MCP-Protocol-Version: 1900-01-01\r\n", LIST),
        "400 Bad Request");
    HAS(world_ask(w, 0, "GET", "/mcp", GET_STREAM "MCP-Protocol-Version: 2025-11-25\r\n", ""),
        "400 Bad Request");
    HAS(world_ask(w, 0, "DELETE", "/mcp", SESSION "MCP-Protocol-Version: 2025-11-25\r\n", ""),
        "400 Bad Request");
    HAS(world_ask(w, 0, "POST", "/mcp", "MCP-Protocol-Version: 1900-01-01\r\n", LIST),
        "400 Bad Request");
    EQ(w->sessions.count, 1);
    world_free(w);
}

TEST(a_session_is_forgotten_when_nobody_uses_it)
{
    struct world *w = world_new();
    int64_t idle = w->limits.mcp_session_idle_ms;

    world_greet(w, 0, "2025-11-25");
    world_wait(w, idle - 1);
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, LIST), "200 OK");
    world_wait(w, idle - 1);
    EQ(w->sessions.count, 1);
    world_wait(w, 1);
    EQ(w->mcp.living, 0);
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, LIST), "404 Not Found");
    world_free(w);
}

TEST(a_session_is_not_forgotten_while_it_is_used)
{
    struct world *w = world_new();
    int64_t idle = w->limits.mcp_session_idle_ms;

    world_greet(w, 0, "2025-11-25");
    HAS(world_ask(w, 1, "GET", "/mcp", GET_STREAM, ""), "200 OK");
    world_wait(w, idle * 3);
    EQ(w->sessions.count, 1);
    world_ask(w, 0, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_hang_up(w, 1);
    world_wait(w, idle * 3);
    EQ(w->sessions.count, 1);
    world_finish(w, world_take(w), "late");
    HAS(world_says(w, 0), "late");
    world_wait(w, idle);
    EQ(w->mcp.living, 0);
    world_free(w);
}

TEST(the_oldest_idle_session_makes_room)
{
    struct world *w = world_new();
    char first[MCP_SESSION_ID], second[MCP_SESSION_ID];

    w->limits.mcp_sessions = 2;
    world_greet(w, 0, "2025-11-25");
    memcpy(first, w->session, sizeof(first));
    world_greet(w, 1, "2025-11-25");
    memcpy(second, w->session, sizeof(second));
    memcpy(w->session, first, sizeof(first)); /* used again: the second is the oldest now */
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, LIST), "200 OK");
    world_greet(w, 2, "2025-11-25");
    EQ(w->sessions.count, 2);
    HAS(world_ask(w, 2, "GET", "/mcp", GET_STREAM, ""), "200 OK");
    memcpy(w->session, second, sizeof(second));
    HAS(world_ask(w, 1, "POST", "/mcp", SESSION BOTH, LIST), "404 Not Found");
    memcpy(w->session, first, sizeof(first));
    HAS(world_ask(w, 3, "GET", "/mcp", GET_STREAM, ""), "200 OK");
    HAS(world_ask(w, 4, "POST", "/mcp", BOTH,
                  "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}"),
        "503 Service Unavailable");
    HAS(world_ask(w, 5, "GET", "/sse", "", ""), "503 Service Unavailable");
    EQ(w->sessions.count, 2);
    world_free(w);
}

/* A session of a key that is idle now, after so many requests. */
static struct mcp_session *idle_session(struct world *w, const char *key, size_t requests)
{
    struct http_req req = { .key = str_of(key) };
    struct mcp_session *s = mcp_session_new(&w->mcp, MCP_SESSION_STREAMABLE, &req);

    if (s)
        mcp_session_release(s);
    for (size_t i = 0; s && i < requests; i++)
        mcp_session_release(mcp_session_find(&w->mcp, MCP_SESSION_STREAMABLE, str_of(s->id), &req));
    return s;
}

static bool is_there(struct world *w, const char *key, const char *id)
{
    struct http_req req = { .key = str_of(key) };
    struct mcp_session *s = mcp_session_find(&w->mcp, MCP_SESSION_STREAMABLE, str_of(id), &req);

    if (s)
        mcp_session_release(s);
    return s != NULL;
}

TEST(whoever_begins_sessions_without_end_evicts_its_own)
{
    struct world *w = world_new();
    char quiet[MCP_SESSION_ID], used[MCP_SESSION_ID];

    w->limits.mcp_sessions = 8;
    memcpy(quiet, idle_session(w, "few", 0)->id, sizeof(quiet));
    memcpy(used, idle_session(w, "many", 3)->id, sizeof(used));
    for (int i = 0; i < 100; i++)
        OK(idle_session(w, "many", (size_t)i % 3));
    EQ(w->sessions.count, 8);
    OK(is_there(w, "few", quiet));
    OK(is_there(w, "many", used));
    for (int i = 0; i < 4; i++) /* somebody with fewer takes from who has most */
        OK(idle_session(w, "few", 0));
    OK(is_there(w, "few", quiet));
    OK(is_there(w, "many", used));
    world_free(w);
}

TEST(whoever_uses_all_sessions_at_once_does_not_get_those_of_others)
{
    struct world *w = world_new();
    struct http_req busy = { .key = STR("busy") };
    struct mcp_session *s[3];
    char quiet[MCP_SESSION_ID];

    w->limits.mcp_sessions = 4;
    memcpy(quiet, idle_session(w, "quiet", 0)->id, sizeof(quiet));
    for (int i = 0; i < 3; i++)
        s[i] = mcp_session_new(&w->mcp, MCP_SESSION_STREAMABLE, &busy);
    OK(!mcp_session_new(&w->mcp, MCP_SESSION_STREAMABLE, &busy));
    OK(is_there(w, "quiet", quiet));
    for (int i = 0; i < 3; i++)
        mcp_session_release(s[i]);
    world_free(w);
}

TEST(a_session_is_for_whom_it_was_made_only)
{
    struct world *w = world_new();
    struct http_req own = { .key = STR("a") }, other = { .key = STR("b") };
    struct http_req keyless = { .loopback = true }, user = { .has_uid = true };
    struct mcp_session *s = mcp_session_new(&w->mcp, MCP_SESSION_STREAMABLE, &own);
    struct str id = str_of(s->id);

    OK(!mcp_session_find(&w->mcp, MCP_SESSION_STREAMABLE, id, &keyless));
    OK(!mcp_session_find(&w->mcp, MCP_SESSION_STREAMABLE, id, &other));
    OK(!mcp_session_find(&w->mcp, MCP_SESSION_STREAMABLE, id, &user));
    OK(!mcp_session_find(&w->mcp, MCP_SESSION_SSE, id, &own));
    OK(mcp_session_find(&w->mcp, MCP_SESSION_STREAMABLE, id, &own) == s);
    mcp_session_release(s);
    mcp_session_release(s);
    world_free(w);
}

TEST(two_hundred_sessions_leave_nothing_behind)
{
    struct world *w = world_new();

    for (int i = 0; i < 200; i++) {
        world_greet(w, i % 4, i % 2 ? "2025-11-25" : "2025-03-26");
        if (i % 3 == 0) {
            world_ask(w, 5, "POST", "/mcp", SESSION BOTH, CALL(9, "hold"));
            world_progress(w, w->held[0], "1");
            world_hang_up(w, 5);
            w->holding = 0;
        }
        if (i % 5 == 0)
            HAS(world_ask(w, 6, "DELETE", "/mcp", SESSION, ""), "204");
    }
    EQ(w->sessions.count, 160);
    for (size_t i = 0; i < MCP_SESSION_BUCKETS; i++)
        while (w->mcp.bucket[i])
            mcp_session_end(w->mcp.bucket[i]);
    fake_settle(w->loop);
    EQ(w->mcp.living, 0);
    EQ(w->cancelled, 67);
    world_free(w);
}

TEST(delete_cancels_what_is_under_way)
{
    struct world *w = world_new();

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_ask(w, 2, "POST", "/mcp", SESSION BOTH, CALL(6, "hold"));
    world_progress(w, w->held[1], "1");
    HAS(world_says(w, 2), "notifications/progress");
    HAS(world_ask(w, 3, "GET", "/mcp", GET_STREAM, ""), "200 OK");
    HAS(world_ask(w, 0, "DELETE", "/mcp", SESSION, ""), "204");
    EQ(w->cancelled, 2);
    HAS(world_says(w, 1), "404 Not Found");
    EQ_STR(world_says(w, 2), "0\r\n\r\n");
    EQ_STR(world_says(w, 3), "0\r\n\r\n");
    EQ(w->mcp.living, 0);
    world_free(w);
}

/* ---- answers ----------------------------------------------------------------------------- */

TEST(an_answer_is_json_unless_something_is_said_before)
{
    struct world *w = world_new();
    const char *says;

    world_greet(w, 0, "2025-11-25");
    says = world_ask(w, 0, "POST", "/mcp", SESSION BOTH, CALL(1, "quick"));
    HAS(says, "Content-Type: application/json");
    HAS(says, "done");
    EQ_STR(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, CALL(2, "hold")), "");
    world_progress(w, w->held[0], "0.5");
    says = world_says(w, 0);
    HAS(says, "Content-Type: text/event-stream");
    HAS(says, "X-Accel-Buffering: no");
    HAS(says, "retry: 1000\ndata: \n\n"); /* an id to come back with, first */
    HAS(says, "event: message\nid: ");
    HAS(says, "{\"progressToken\":\"t2\",\"progress\":0.5}");
    OK(strstr(says, "data: \n") < strstr(says, "progressToken"));
    EQ(count(says, "id: "), 2 + count(says, "Mcp-Session-Id: "));
    world_finish(w, world_take(w), "late");
    says = world_says(w, 0);
    HAS(says, "\"id\":2,\"result\":");
    HAS(says, "\r\n0\r\n\r\n");
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, LIST), "application/json");
    world_free(w);
}

TEST(older_versions_get_ids_but_no_empty_event)
{
    struct world *w = world_new();
    const char *says;

    world_greet(w, 0, "2025-06-18");
    world_ask(w, 0, "POST", "/mcp", SESSION BOTH, CALL(2, "hold"));
    world_progress(w, w->held[0], "1");
    says = world_says(w, 0);
    LACKS(says, "data: \n");
    LACKS(says, "retry");
    HAS(says, "event: message\nid: ");
    world_finish(w, world_take(w), "late");
    world_free(w);
}

TEST(who_takes_no_events_gets_none)
{
    struct world *w = world_new();
    const char *says;

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "GET", "/mcp", GET_STREAM, "");
    EQ_STR(world_ask(w, 0, "POST", "/mcp", SESSION "Accept: application/json\r\n", CALL(2, "hold")),
           "");
    world_progress(w, w->held[0], "1");
    EQ_STR(world_says(w, 0), "");
    HAS(world_says(w, 1), "notifications/progress"); /* where it listens */
    world_wait(w, w->limits.sse_keepalive_ms * 2);
    world_finish(w, world_take(w), "late");
    says = world_says(w, 0);
    HAS(says, "application/json");
    HAS(says, "late");
    LACKS(says, "text/event-stream");
    world_free(w);
}

TEST(a_long_silence_becomes_a_stream)
{
    struct world *w = world_new();

    EQ_STR(world_ask(w, 0, "POST", "/mcp", BOTH, CALL(2, "hold")), "");
    world_wait(w, w->limits.sse_keepalive_ms - 1);
    EQ_STR(world_says(w, 0), "");
    world_wait(w, 1);
    HAS(world_says(w, 0), "text/event-stream");
    world_wait(w, w->limits.sse_keepalive_ms);
    HAS(world_says(w, 0), ": keepalive");
    world_finish(w, world_take(w), "late");
    HAS(world_says(w, 0), "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":");
    world_free(w);
}

TEST(our_requests_are_answered_by_another_post)
{
    struct world *w = world_new();

    world_greet(w, 0, "2025-11-25");
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH,
                  "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}"),
        "202 Accepted");
    HAS(world_ask(w, 0, "POST", "/mcp", BOTH, "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}"),
        "400 Bad Request");
    HAS(world_ask(w, 0, "POST", "/mcp", BOTH,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
        "202 Accepted");
    world_free(w);
}

TEST(a_cancelled_call_is_answered_by_nothing)
{
    struct world *w = world_new();

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_ask(w, 2, "POST", "/mcp", SESSION BOTH, CALL(6, "hold"));
    world_progress(w, w->held[1], "1");
    world_says(w, 2);
    for (int id = 5; id <= 6; id++) {
        char body[160];

        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                 "\"requestId\":%d}}",
                 id);
        HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, body), "202 Accepted");
    }
    EQ(w->cancelled, 2);
    HAS(world_says(w, 1), "202 Accepted");
    EQ_STR(world_says(w, 2), "0\r\n\r\n");
    world_free(w);
}

/* ---- leaving and coming back ------------------------------------------------------------- */

TEST(who_has_an_id_may_leave_and_come_back)
{
    struct world *w = world_new();
    struct call *a, *b;
    const char *says;
    char id[64];

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_ask(w, 2, "POST", "/mcp", SESSION BOTH, CALL(6, "hold"));
    a = world_take(w);
    b = world_take(w);
    world_progress(w, a, "1");
    world_progress(w, b, "1");
    snprintf(id, sizeof(id), "%s", world_last_id(world_says(w, 1)));
    world_hang_up(w, 1);
    EQ(w->cancelled, 0);
    world_progress(w, a, "2");
    world_progress(w, b, "2");
    says = come_back(w, 3, id);
    HAS(says, "text/event-stream");
    EQ(count(says, "data: {"), 1); /* what was missed of this stream, nothing else */
    HAS(says, "\"progressToken\":\"t5\",\"progress\":2");
    snprintf(id, sizeof(id), "%s", world_last_id(says));
    world_progress(w, a, "3");
    says = world_says(w, 3);
    EQ(count(says, "data: {"), 1);
    HAS(says, "\"progress\":3");
    world_hang_up(w, 3);
    world_finish(w, a, "the end");
    says = come_back(w, 4, id);
    EQ(count(says, "data: {"), 2);
    HAS(says, "\"progress\":3");
    HAS(says, "the end");
    HAS(says, "\r\n0\r\n\r\n");
    snprintf(id, sizeof(id), "%s", world_last_id(says));
    HAS(come_back(w, 5, id), "400 Bad Request"); /* it has all there is */
    world_finish(w, b, "b is done");
    says = world_says(w, 2);
    HAS(says, "b is done");
    LACKS(says, "t5");
    world_free(w);
}

TEST(who_has_no_id_cancels_by_leaving)
{
    struct world *w = world_new();

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_hang_up(w, 1);
    EQ(w->cancelled, 1);
    world_ask(w, 1, "POST", "/mcp", BOTH, CALL(5, "hold")); /* no session, no ids */
    world_progress(w, w->held[0], "1");
    world_hang_up(w, 1);
    EQ(w->cancelled, 2);
    world_ask(w, 1, "POST", "/mcp", MODERN("tools/call") "Mcp-Name: hold\r\n",
              MODERN_CALL(7, "hold"));
    world_progress(w, w->held[0], "1");
    HAS(world_says(w, 1), "notifications/progress");
    world_hang_up(w, 1);
    EQ(w->cancelled, 3);
    EQ(w->mcp.living, 1);
    world_free(w);
}

TEST(a_newer_connection_takes_a_stream_over)
{
    struct world *w = world_new();
    char id[64];

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_progress(w, w->held[0], "1");
    snprintf(id, sizeof(id), "%s", world_last_id(world_says(w, 1)));
    come_back(w, 2, id); /* the first is still there, for all we know */
    EQ_STR(world_says(w, 1), "0\r\n\r\n");
    come_back(w, 3, id);
    EQ_STR(world_says(w, 2), "0\r\n\r\n");
    world_finish(w, world_take(w), "late");
    EQ_STR(world_says(w, 1), "");
    EQ_STR(world_says(w, 2), "");
    EQ(count(world_says(w, 3), "late"), 1);
    HAS(world_ask(w, 1, "POST", "/mcp", SESSION BOTH, LIST), "200 OK"); /* its connection lives */
    world_free(w);
}

TEST(ids_of_others_and_lost_events_are_refused)
{
    struct world *w = world_new();
    char id[64], first[MCP_SESSION_ID];

    w->limits.mcp_session_events = 2;
    world_greet(w, 0, "2025-11-25");
    memcpy(first, w->session, sizeof(first));
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_progress(w, w->held[0], "1");
    snprintf(id, sizeof(id), "%s", world_last_id(world_says(w, 1)));
    world_greet(w, 2, "2025-11-25");
    HAS(come_back(w, 2, id), "400 Bad Request"); /* of another session */
    HAS(come_back(w, 2, "nonsense"), "400 Bad Request");
    HAS(come_back(w, 2, ""), "400 Bad Request");
    memcpy(w->session, first, sizeof(first));
    world_hang_up(w, 1);
    world_progress(w, w->held[0], "2");
    world_progress(w, w->held[0], "3");
    world_progress(w, w->held[0], "4");
    HAS(come_back(w, 3, id), "no longer stored");
    world_finish(w, world_take(w), "late");
    HAS(come_back(w, 3, id), "400 Bad Request");
    HAS(world_ask(w, 3, "POST", "/mcp", SESSION BOTH, LIST), "200 OK");
    world_free(w);
}

/* An event costs its text: three of them exceed the bytes of a session. */
TEST(events_past_the_bytes_of_a_session_are_lost)
{
    struct world *w = world_new();
    char id[64];

    w->limits.mcp_session_bytes = 250;
    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_progress(w, w->held[0], "1");
    snprintf(id, sizeof(id), "%s", world_last_id(world_says(w, 1)));
    world_hang_up(w, 1);
    world_progress(w, w->held[0], "2");
    world_progress(w, w->held[0], "3");
    world_progress(w, w->held[0], "4");
    HAS(come_back(w, 3, id), "no longer stored");
    world_finish(w, world_take(w), "late");
    world_free(w);
}

TEST(a_tool_may_let_the_stream_rest)
{
    struct world *w = world_new();
    const char *says;
    struct call *call;
    char id[64];

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    call = world_take(w);
    call->caller->kind->rest(call->caller, 50);
    fake_settle(w->loop);
    says = world_says(w, 1);
    HAS(says, "retry: 50\ndata: \n\n");
    HAS(says, "\r\n0\r\n\r\n");
    snprintf(id, sizeof(id), "%s", world_last_id(says));
    HAS(world_ask(w, 1, "POST", "/mcp", SESSION BOTH, LIST), "200 OK");
    world_finish(w, call, "rested");
    says = come_back(w, 1, id);
    HAS(says, "rested");
    HAS(says, "\r\n0\r\n\r\n");
    EQ(w->cancelled, 0);
    world_ask(w, 1, "POST", "/mcp", BOTH, CALL(5, "hold")); /* nothing to come back to: no effect */
    call = world_take(w);
    call->caller->kind->rest(call->caller, 50);
    world_finish(w, call, "awake");
    HAS(world_says(w, 1), "application/json");
    world_free(w);
}

TEST(who_missed_an_empty_event_missed_nothing)
{
    struct world *w = world_new();
    const char *says;
    struct call *call;
    char id[64];

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    call = world_take(w);
    world_progress(w, call, "1");
    snprintf(id, sizeof(id), "%s", world_last_id(world_says(w, 1)));
    call->caller->kind->rest(call->caller, 50); /* its empty event gets lost */
    fake_settle(w->loop);
    HAS(world_says(w, 1), "retry: 50\n");
    says = come_back(w, 2, id);
    HAS(says, "200 OK");
    LACKS(says, "data: ");
    world_hang_up(w, 2);
    world_finish(w, call, "the end");
    says = come_back(w, 3, id);
    EQ(count(says, "data: {"), 1);
    HAS(says, "the end");
    world_free(w);
}

/* ---- draining ---------------------------------------------------------------------------- */

static void note_drained(void *drained)
{
    *(bool *)drained = true;
}

TEST(draining_waits_for_streams_that_end_by_themselves)
{
    struct world *w = world_new();
    bool drained = false;

    world_greet(w, 0, "2025-11-25");
    HAS(world_ask(w, 1, "GET", "/mcp", GET_STREAM, ""), "200 OK");
    world_ask(w, 2, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    world_progress(w, w->held[0], "1");
    http_server_drain(w->http, note_drained, &drained);
    fake_settle(w->loop);
    HAS(world_says(w, 1), "0\r\n\r\n");
    LACKS(world_says(w, 2), "0\r\n\r\n");
    OK(!drained);
    world_finish(w, world_take(w), "in time");
    HAS(world_says(w, 2), "in time");
    world_hang_up(w, 2);
    world_wait(w, w->limits.http_linger_ms);
    OK(drained);
    EQ(w->cancelled, 0);
    world_free(w);
}

static void note_refused(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    *(enum err_code *)ctx = e ? e->code : ERR_NONE;
}

TEST(who_cannot_answer_any_more_is_not_waited_for)
{
    struct world *w = world_new();
    enum err_code first = ERR_NONE, second = ERR_NONE;
    struct ask asks[2];
    struct call *call;

    world_greet(w, 0, "2025-11-25");
    world_ask(w, 1, "POST", "/mcp", SESSION BOTH, CALL(5, "hold"));
    call = world_take(w);
    call_ask(call, &asks[0], ASK_FORM, STR("a"), STR("{}"), note_refused, &first);
    fake_settle(w->loop);
    HAS(world_says(w, 1), "elicitation/create");
    mcp_http_drain(&w->mcp);
    call_ask(call, &asks[1], ASK_FORM, STR("b"), STR("{}"), note_refused, &second);
    fake_settle(w->loop);
    EQ(first, ERR_CLOSED);
    EQ(second, ERR_CLOSED);
    LACKS(world_says(w, 1), "elicitation/create");
    world_finish(w, call, "alone then");
    HAS(world_says(w, 1), "alone then");
    world_free(w);
}

/* ---- the session's own stream ------------------------------------------------------------ */

static void change_tools(struct world *w)
{
    offer_source_changed(&w->source, OFFER_TOOLS);
    fake_settle(w->loop);
}

TEST(what_belongs_to_no_request_goes_to_the_one_stream_for_it)
{
    struct world *w = world_new();
    const char *says;
    char id[64];

    world_greet(w, 0, "2025-11-25");
    change_tools(w); /* nobody listens: it waits */
    says = world_ask(w, 1, "GET", "/mcp", GET_STREAM, "");
    EQ(count(says, "notifications/tools/list_changed"), 1);
    HAS(world_ask(w, 2, "GET", "/mcp", GET_STREAM, ""), "409 Conflict");
    change_tools(w);
    says = world_says(w, 1);
    EQ(count(says, "list_changed"), 1);
    snprintf(id, sizeof(id), "%s", world_last_id(says));
    world_hang_up(w, 1);
    change_tools(w);
    change_tools(w);
    says = come_back(w, 2, id);
    EQ(count(says, "list_changed"), 2);
    change_tools(w);
    EQ(count(world_says(w, 2), "list_changed"), 1);
    world_hang_up(w, 2);
    says = world_ask(w, 3, "GET", "/mcp", GET_STREAM, ""); /* nothing is told twice */
    EQ(count(says, "list_changed"), 0);
    HAS(world_ask(w, 4, "GET", "/mcp", SESSION "Accept: application/json\r\n", ""),
        "406 Not Acceptable");
    world_free(w);
}

TEST(a_stream_without_a_session_is_silent)
{
    struct world *w = world_new();

    HAS(world_ask(w, 0, "GET", "/mcp", "Accept: text/event-stream\r\n", ""), "200 OK");
    HAS(world_ask(w, 1, "GET", "/mcp", "Accept: text/event-stream\r\n", ""), "200 OK");
    change_tools(w);
    EQ_STR(world_says(w, 0), "");
    EQ(w->mcp.living, 0);
    world_free(w);
}

/* ---- modern ------------------------------------------------------------------------------ */

#define MODERN_LIST                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{" META "}}}"

TEST(a_modern_request_stands_alone)
{
    struct world *w = world_new();
    const char *says;

    says = world_ask(w, 0, "POST", "/mcp", MODERN("tools/list"), MODERN_LIST);
    HAS(says, "200 OK");
    HAS(says, "\"resultType\":\"complete\"");
    says = world_ask(w, 0, "POST", "/mcp", MODERN("tools/list") "Mcp-Session-Id: unheard-of\r\n",
                     MODERN_LIST);
    HAS(says, "200 OK");
    says = world_ask(w, 0, "POST", "/mcp", MODERN("tools/call") "Mcp-Name: hold\r\n",
                     MODERN_CALL(7, "hold"));
    EQ_STR(says, "");
    world_progress(w, w->held[0], "1");
    says = world_says(w, 0);
    HAS(says, "text/event-stream");
    HAS(says, "event: message\ndata: {");
    LACKS(says, "\nid:");
    world_finish(w, world_take(w), "late");
    HAS(world_says(w, 0), "late");
    EQ(w->mcp.living, 0);
    world_free(w);
}

static const struct {
    const char *more, *body;
    const char *status, *part;
} modern[] = {
    { BOTH, MODERN_LIST, "400", "-32020" },
    { BOTH "MCP-Protocol-Version: 2026-07-28\r\n", MODERN_LIST, "400", "-32020" },
    { BOTH "MCP-Protocol-Version: 2025-11-25\r\n", MODERN_LIST, "400", "-32020" },
    { MODERN("prompts/list"), MODERN_LIST, "400", "-32020" },
    { MODERN("TOOLS/LIST"), MODERN_LIST, "400", "-32020" },
    { MODERN("tools/list"), LIST, "400", "-32602" },
    { MODERN("tools/call"), MODERN_CALL(1, "quick"), "400", "-32020" },
    { MODERN("tools/call") "Mcp-Name: hold\r\n", MODERN_CALL(1, "quick"), "400", "-32020" },
    { MODERN("tools/call") "mcp-name:   quick  \r\n", MODERN_CALL(1, "quick"), "200", "done" },
    { MODERN("tools/call") "Mcp-Name: none\r\n", MODERN_CALL(1, "none"), "200", "-32602" },
    { MODERN("none"),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"none\",\"params\":{\"_meta\":{" META "}}}", "404",
      "-32601" },
    { MODERN("initialize"),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"_meta\":{" META "}}}",
      "404", "-32601" },
    { "MCP-Protocol-Version: 2030-01-01\r\nMcp-Method: tools/list\r\n",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":\"2030-01-01\","
      "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
      "400", "-32022" },
    { MODERN("notifications/cancelled"),
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", "202", "" },
    { "Accept: text/html\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n",
      MODERN_LIST, "200", "resultType" },
    { BOTH "MCP-Protocol-Version: 2026-07-28\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
      "400", "-32600" },
    { BOTH, "[" MODERN_LIST "]", "400", "-32600" },
    { BOTH, "[" LIST ",3]", "400", "-32600" },
    { BOTH "MCP-Protocol-Version: 2025-06-18\r\n", "[" LIST "]", "400", "-32600" },
    { BOTH, "[]", "400", "-32600" },
    { BOTH, "[" LIST "]", "200", "[{\"jsonrpc\"" },
    { BOTH, "{", "400", "-32700" },
    { BOTH, "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "400", "-32600" },
    { "Accept: text/html\r\n", LIST, "406", "application/json" },
    { BOTH, LIST, "200", "tools" },
    { BOTH, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"none\"}", "200", "-32601" },
};

TEST(each_kind_of_post_has_its_status)
{
    struct world *w = world_new();

    for (size_t i = 0; i < ARRAY_LEN(modern); i++) {
        const char *says = world_ask(w, 0, "POST", "/mcp", modern[i].more, modern[i].body);

        if (strncmp(says + 9, modern[i].status, 3) != 0 || !world_found(says, modern[i].part))
            TAP_NOT("row %zu: want %s with %s, got %s", i, modern[i].status, modern[i].part, says);
    }
    world_free(w);
}

TEST(a_refusal_is_whole_however_long_its_id)
{
    struct world *w = world_new();
    char id[10001], body[10200];
    const char *says;

    memset(id, 'x', sizeof(id) - 1);
    id[sizeof(id) - 1] = '\0';
    snprintf(body, sizeof(body), "{\"jsonrpc\":\"1.0\",\"id\":\"%s\",\"method\":\"ping\"}", id);
    says = world_ask(w, 0, "POST", "/mcp", BOTH, body);
    HAS(says, "400 Bad Request");
    HAS(says, id);
    HAS(says, "\",\"error\":{\"code\":-32600,\"message\":\"jsonrpc: expected \\\"2.0\\\"\"}}");
    world_free(w);
}

static const struct {
    const char *header, *value; /* header NULL: none */
    const char *status;
} regions[] = {
    { "Hello", "Hello", "200" },
    { "=?base64?SGVsbG8=?=", "Hello", "200" },
    { "SGVsbG8=", "SGVsbG8=", "200" },
    { "=?base64?SGVsbG8=", "=?base64?SGVsbG8=", "200" },
    { "=?base64?SGVsbG8?=", "Hello", "400" },
    { "=?base64?SGVs!!!bG8=?=", "Hello", "400" },
    { "Other", "Hello", "400" },
    { NULL, "test-value", "400" },
};

TEST(arguments_in_headers_must_agree_with_the_body)
{
    struct world *w = world_new();

    for (size_t i = 0; i < ARRAY_LEN(regions); i++) {
        char more[400], body[500];
        const char *says;

        snprintf(more, sizeof(more), MODERN("tools/call") "Mcp-Name: where\r\n%s%s%s",
                 regions[i].header ? "mcp-param-REGION: " : "",
                 regions[i].header ? regions[i].header : "", regions[i].header ? "\r\n" : "");
        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"where\",\"arguments\":{\"region\":\"%s\"},\"_meta\":{" META "}}}",
                 regions[i].value);
        says = world_ask(w, 0, "POST", "/mcp", more, body);
        if (strncmp(says + 9, regions[i].status, 3) != 0)
            TAP_NOT("row %zu: %s", i, says);
        if (regions[i].status[0] == '4')
            HAS(says, "\"id\":4,\"error\":{\"code\":-32020");
    }
    world_free(w);
}

TEST(a_listen_is_a_stream_of_its_own)
{
    struct world *w = world_new();
    const char *says =
        world_ask(w, 0, "POST", "/mcp", MODERN("subscriptions/listen"),
                  "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"subscriptions/listen\",\"params\":{"
                  "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{" META "}}}");

    HAS(says, "text/event-stream");
    HAS(says, "event: message\ndata: {");
    HAS(says, "notifications/subscriptions/acknowledged");
    change_tools(w);
    HAS(world_says(w, 0), "notifications/tools/list_changed");
    mcp_server_end(&w->server);
    fake_settle(w->loop);
    says = world_says(w, 0);
    HAS(says, "\"id\":8,\"result\":");
    HAS(says, "\r\n0\r\n\r\n");
    world_ask(w, 0, "POST", "/mcp", MODERN("subscriptions/listen"),
              "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"subscriptions/listen\",\"params\":{"
              "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{" META "}}}");
    EQ(w->mcp.living, 1);
    world_hang_up(w, 0);
    EQ(w->mcp.living, 0);
    world_free(w);
}

/* ---- HTTP+SSE ---------------------------------------------------------------------------- */

static void open_sse(struct world *w, int i)
{
    const char *says = world_ask(w, i, "GET", "/sse", "Accept: text/event-stream\r\n", "");
    const char *at = strstr(says, "data: /messages?sessionId=");

    HAS(says, "event: endpoint\n");
    if (!at)
        abort();
    memcpy(w->session, at + 26, MCP_SESSION_ID - 1);
}

TEST(http_and_sse_answers_on_the_stream)
{
    struct world *w = world_new();
    const char *says;

    open_sse(w, 0);
    says = world_ask(w, 1, "POST", "/messages?sessionId=$S", "",
                     "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                     "\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{"
                     "\"name\":\"t\",\"version\":\"1\"}}}");
    HAS(says, "202 Accepted");
    HAS(says, "\r\n\r\nAccepted");
    says = world_says(w, 0);
    HAS(says, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":");
    LACKS(says, "\nid:");
    HAS(world_ask(w, 1, "POST", "/messages?sessionId=$S", "", "{"), "202");
    HAS(world_says(w, 0), "-32700");
    world_ask(w, 1, "POST", "/messages?sessionId=$S", "", CALL(3, "hold"));
    world_progress(w, w->held[0], "1");
    HAS(world_says(w, 0), "notifications/progress");
    world_wait(w, w->limits.mcp_session_idle_ms * 2);
    EQ(w->sessions.count, 1);
    world_finish(w, world_take(w), "late");
    HAS(world_says(w, 0), "late");
    world_ask(w, 1, "POST", "/messages?sessionId=$S", "", CALL(4, "hold"));
    world_hang_up(w, 0);
    EQ(w->cancelled, 1);
    EQ(w->mcp.living, 0);
    HAS(world_ask(w, 1, "POST", "/messages?sessionId=$S", "", LIST), "404 Not Found");
    HAS(world_ask(w, 1, "POST", "/messages", "", LIST), "400 Bad Request");
    HAS(world_ask(w, 1, "POST", "/messages?sessionId=", "", LIST), "400 Bad Request");
    HAS(world_ask(w, 1, "POST", "/messages?sessionId=a&sessionId=b", "", LIST), "400 Bad Request");
    world_free(w);
}

TEST(the_two_kinds_of_session_do_not_mix)
{
    struct world *w = world_new();

    world_greet(w, 0, "2025-11-25");
    HAS(world_ask(w, 0, "POST", "/messages?sessionId=$S", "", LIST), "404 Not Found");
    open_sse(w, 1);
    HAS(world_ask(w, 0, "POST", "/mcp", SESSION BOTH, LIST), "404 Not Found");
    HAS(world_ask(w, 0, "DELETE", "/mcp", SESSION, ""), "404 Not Found");
    EQ(w->sessions.count, 2);
    world_free(w);
}

TEST_MAIN()
