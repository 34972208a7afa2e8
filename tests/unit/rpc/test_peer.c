#include "base/container.h"
#include "rpc/peer.h"
#include "tap.h"

/* ---- a wire that remembers, and a protocol with a few methods ---------------------------- */

struct memory_link {
    struct link link;
    struct buf out; /* what was sent, one message per line */
};

static void remember(struct link *link, const struct str *piece, size_t n)
{
    struct memory_link *m = CONTAINER_OF(link, struct memory_link, link);

    for (size_t i = 0; i < n; i++)
        buf_put(&m->out, piece[i]);
    buf_putc(&m->out, '\n');
}

static void ignore_close(struct link *link)
{
    (void)link;
}

static const struct link_kind memory_kind = {
    .name = "memory",
    .send = remember,
    .close = ignore_close,
};

static const struct op_kind plain = { .name = "plain" };
static struct op slow_work; /* what the call under way does */
static int notes_seen;

static void on_echo(struct rpc_in *in)
{
    rpc_result_raw(in, json_here(in->params) ? json_raw(in->params) : STR("{}"));
}

static void on_slow_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    if (e)
        rpc_error_of(ctx, e);
    else
        rpc_result_raw(ctx, STR("\"slow\""));
}

static void on_slow(struct rpc_in *in)
{
    op_begin(&slow_work, &plain, in->op.loop, &in->op, on_slow_done, in);
}

static void on_large(struct rpc_in *in)
{
    struct jw *w = rpc_result_begin(in);

    jw_array(w);
    for (int i = 0; i < 100000; i++)
        jw_int(w, i);
    jw_array_end(w);
    rpc_result_end(in);
}

static void on_note(struct rpc_in *in)
{
    (void)in;
    notes_seen++;
}

static void on_stop(struct rpc_in *in)
{
    struct rpc_in *call = peer_find_in(in->peer, json_get(in->params, STR("id")));

    if (call)
        rpc_in_cancel(call);
}

static const struct method methods[] = {
    { STR("echo"), RPC_REQUEST, 0, 9, on_echo },
    { STR("slow"), RPC_REQUEST, 0, 9, on_slow },
    { STR("old"), RPC_REQUEST, 0, 1, on_echo },
    { STR("new"), RPC_REQUEST, 2, 9, on_echo },
    { STR("large"), RPC_REQUEST, 0, 9, on_large },
    { STR("note"), RPC_NOTIFICATION, 0, 9, on_note },
    { STR("stop"), RPC_NOTIFICATION, 0, 9, on_stop },
};

static void write_cancel(struct jw *w, struct str id, const struct err *why)
{
    jw_object(w);
    jw_kraw(w, "id", id);
    jw_kstr(w, "why", str_of(err_code_name(why->code)));
    jw_object_end(w);
}

static const struct peer_kind kind = {
    .name = "test",
    .methods = { methods, ARRAY_LEN(methods) },
    .cancel_method = "stop",
    .write_cancel = write_cancel,
};

struct bench {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct memory_link link;
    struct peer peer;
};

static void set_up(struct bench *b)
{
    *b = (struct bench){ .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&b->limits);
    b->limits.message_bytes = 10000;
    b->limits.batch_items = 4;
    rpc_init(&b->rpc, b->loop, &b->limits);
    b->link.link = (struct link){ .kind = &memory_kind };
    buf_init(&b->link.out, 1 << 20);
    peer_init(&b->peer, &b->rpc, &kind, &b->link.link, b);
}

static void turn(struct bench *b)
{
    while (loop_run_once(b->loop))
        ;
}

static void tear_down(struct bench *b)
{
    peer_hang_up(&b->peer);
    turn(b);
    peer_fini(&b->peer);
    rpc_fini(&b->rpc);
    buf_fini(&b->link.out);
    loop_free(b->loop);
}

/* Receive one message and say what has been sent since the last look. */
static void receive(struct bench *b, const char *text)
{
    struct frame f = { FRAME_MESSAGE, str_of(text), NULL };

    peer_receive(&b->peer, &b->link.link, &f);
    turn(b);
}

#define SENT(b, want)                                                                              \
    do {                                                                                           \
        EQ_S(buf_str(&(b)->link.out), want);                                                       \
        buf_clear(&(b)->link.out);                                                                 \
    } while (0)

/* ---- calls made to us -------------------------------------------------------------------- */

TEST(a_request_is_answered_under_its_id_exactly_as_written)
{
    struct bench b;

    set_up(&b);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1e2,\"method\":\"echo\",\"params\":{\"n\":1.0}}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":1e2,\"result\":{\"n\":1.0}}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\/b\",\"method\":\"echo\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\/b\",\"result\":{}}\n");
    tear_down(&b);
}

TEST(a_malformed_message_gets_its_error_and_the_next_one_works)
{
    struct bench b;

    set_up(&b);
    receive(&b, "{\"jsonrpc\":");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
             "\"message\":\"byte 11: the text ends too early\"}}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"none\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,"
             "\"message\":\"Method not found: none\"}}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"echo\",\"params\":3}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32602,"
             "\"message\":\"params: expected an object, found a number\"}}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"echo\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n");
    tear_down(&b);
}

TEST(an_oversized_frame_is_answered_under_the_id_it_shows)
{
    struct bench b;
    struct frame f = { FRAME_TOO_LARGE, STR("{\"id\":9,\"method\":\"x\",\"pa"), NULL };

    set_up(&b);
    peer_receive(&b.peer, &b.link.link, &f);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32600,\"message\":"
             "\"the message is larger than 10000 bytes (limits.message_bytes)\"}}\n");
    f = (struct frame){ FRAME_BAD_HEADER, STR("Content-Length: x"), NULL };
    peer_receive(&b.peer, &b.link.link, &f);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
             "\"bad header line \\\"Content-Length: x\\\"; expected Content-Length: N\"}}\n");
    tear_down(&b);
}

TEST(a_method_exists_in_its_versions_only)
{
    struct bench b;

    set_up(&b);
    b.peer.version = 1;
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"new\"}");
    HAS_S(buf_str(&b.link.out), "-32601");
    buf_clear(&b.link.out);
    b.peer.version = 2;
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"new\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"old\"}");
    HAS_S(buf_str(&b.link.out), "-32601");
    tear_down(&b);
}

TEST(a_notification_is_never_answered)
{
    struct bench b;

    set_up(&b);
    notes_seen = 0;
    receive(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"note\"}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"unknown\"}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}");
    EQ(notes_seen, 1);
    SENT(&b, "");
    tear_down(&b);
}

TEST(a_slow_call_does_not_delay_another)
{
    struct bench b;

    set_up(&b);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    op_ok(&slow_work);
    turn(&b);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"slow\"}\n");
    OK(peer_idle(&b.peer));
    tear_down(&b);
}

TEST(a_cancelled_call_stops_and_is_not_answered)
{
    struct bench b;

    set_up(&b);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"slow\"}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"stop\",\"params\":{\"id\":\"y\"}}");
    OK(!slow_work.settled);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"stop\",\"params\":{\"id\":\"x\"}}");
    OK(slow_work.settled);
    SENT(&b, "");
    OK(peer_idle(&b.peer));
    tear_down(&b);
}

TEST(hanging_up_cancels_what_is_served)
{
    struct bench b;

    set_up(&b);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}");
    peer_hang_up(&b.peer);
    turn(&b);
    OK(slow_work.canceled);
    SENT(&b, "");
    OK(peer_idle(&b.peer));
    tear_down(&b);
}

TEST(one_call_too_many_is_refused_and_the_others_go_on)
{
    struct bench b;

    set_up(&b);
    b.limits.calls_in_flight = 1;
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":"
             "\"1 calls are running (the constant calls_in_flight); try again later\"}}\n");
    op_ok(&slow_work);
    turn(&b);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"slow\"}\n");
    tear_down(&b);
}

TEST(an_answer_past_the_limit_becomes_an_error)
{
    struct bench b;

    set_up(&b);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"large\"}");
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
             "\"message\":\"the response is larger than 10000 bytes\"}}\n");
    tear_down(&b);
}

/* ---- batches ----------------------------------------------------------------------------- */

TEST(a_batch_is_answered_by_one_array_when_its_last_call_is_done)
{
    struct bench b;

    set_up(&b);
    b.peer.batches = true;
    receive(&b, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"},"
                "{\"jsonrpc\":\"2.0\",\"method\":\"note\"},7,"
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}]");
    SENT(&b, "");
    op_ok(&slow_work);
    turn(&b);
    SENT(&b, "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
             "\"[2]: expected an object, found a number\"}},"
             "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}},"
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"slow\"}]\n");
    tear_down(&b);
}

TEST(batches_have_rules)
{
    struct bench b;

    set_up(&b);
    receive(&b, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}]");
    HAS_S(buf_str(&b.link.out), "batches are not part of this protocol version");
    buf_clear(&b.link.out);
    b.peer.batches = true;
    receive(&b, "[]");
    HAS_S(buf_str(&b.link.out), "-32600");
    buf_clear(&b.link.out);
    receive(&b, "[1,2,3,4,5]");
    HAS_S(buf_str(&b.link.out), "a batch must have 1 to 4 messages; this one has 5");
    buf_clear(&b.link.out);
    receive(&b, "[{\"jsonrpc\":\"2.0\",\"method\":\"note\"}]");
    SENT(&b, "");
    tear_down(&b);
}

TEST(answers_that_are_too_large_together_become_one_error)
{
    static char text[9000], pad[4001];
    struct bench b;

    set_up(&b);
    b.peer.batches = true;
    b.limits.message_bytes = 8000;
    memset(pad, 'x', sizeof(pad) - 1);
    snprintf(text, sizeof(text),
             "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"a\":\"%s\"}},"
             "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\",\"params\":{\"a\":\"%s\"}}]",
             pad, pad);
    receive(&b, text);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":"
             "\"the responses to this batch are too large (limits.message_bytes)\"}}\n");
    tear_down(&b);
}

TEST(hanging_up_in_a_batch_leaves_nothing_behind)
{
    struct bench b;

    set_up(&b);
    b.peer.batches = true;
    receive(&b, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"},"
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}]");
    peer_hang_up(&b.peer);
    turn(&b);
    SENT(&b, "");
    OK(peer_idle(&b.peer));
    tear_down(&b);
}

/* ---- calls made by us -------------------------------------------------------------------- */

struct answer {
    int calls;
    enum err_code code;
    struct str result, error;
    char text[64];
};

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct answer *a = ctx;
    struct rpc_out *out = CONTAINER_OF(op, struct rpc_out, op);

    a->calls++;
    a->code = e ? e->code : ERR_NONE;
    a->result = json_raw(out->result);
    a->error = json_raw(out->error);
    if (a->result.p)
        str_to_c(a->result, a->text, sizeof(a->text));
    else if (a->error.p)
        str_to_c(a->error, a->text, sizeof(a->text));
    rpc_out_fini(out);
}

TEST(our_calls_are_matched_by_id_in_any_order)
{
    struct bench b;
    struct rpc_out one, two;
    struct answer a = { 0 }, z = { 0 };

    set_up(&b);
    peer_call(&b.peer, NULL, &one, NULL, "m", STR("{\"x\":1}"), 1000, on_answer, &a);
    peer_call(&b.peer, NULL, &two, NULL, "n", STR_NONE, 1000, on_answer, &z);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"id\":65536,\"method\":\"m\",\"params\":{\"x\":1}}\n"
             "{\"jsonrpc\":\"2.0\",\"id\":131073,\"method\":\"n\"}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":131073,\"result\":[1e400]}");
    EQ(a.calls, 0);
    EQ(z.calls, 1);
    EQ_STR(z.text, "[1e400]");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":65536,\"error\":{\"code\":-1,\"message\":\"no\"}}");
    EQ(a.calls, 1);
    EQ(a.code, ERR_NONE);
    EQ_STR(a.text, "{\"code\":-1,\"message\":\"no\"}");
    tear_down(&b);
}

TEST(answers_nobody_waits_for_are_dropped)
{
    struct bench b;
    struct rpc_out out;
    struct answer a = { 0 };

    set_up(&b);
    peer_call(&b.peer, NULL, &out, NULL, "m", STR_NONE, 1000, on_answer, &a);
    buf_clear(&b.link.out);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"65536\",\"result\":1}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":131072,\"result\":1}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":-65536,\"result\":1}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}");
    EQ(a.calls, 0);
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":65536,\"result\":1}");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":65536,\"result\":2}");
    EQ(a.calls, 1);
    EQ_STR(a.text, "1");
    SENT(&b, "");
    tear_down(&b);
}

TEST(a_call_without_answer_times_out_and_the_other_side_is_told)
{
    struct bench b;
    struct rpc_out out;
    struct answer a = { 0 };

    set_up(&b);
    peer_call(&b.peer, NULL, &out, NULL, "m", STR_NONE, 1000, on_answer, &a);
    buf_clear(&b.link.out);
    loop_advance(b.loop, 900);
    rpc_out_extend(&out, 500);
    loop_advance(b.loop, 400);
    turn(&b);
    EQ(a.calls, 0);
    loop_advance(b.loop, 100);
    turn(&b);
    EQ(a.calls, 1);
    EQ(a.code, ERR_TIMEOUT);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"stop\",\"params\":{\"id\":65536,"
             "\"why\":\"timeout\"}}\n");
    receive(&b, "{\"jsonrpc\":\"2.0\",\"id\":65536,\"result\":1}");
    EQ(a.calls, 1);
    tear_down(&b);
}

TEST(cancelling_a_call_tells_the_other_side)
{
    struct bench b;
    struct rpc_out out;
    struct answer a = { 0 };

    set_up(&b);
    peer_call(&b.peer, NULL, &out, NULL, "m", STR_NONE, 1000, on_answer, &a);
    buf_clear(&b.link.out);
    op_cancel(&out.op);
    turn(&b);
    EQ(a.code, ERR_CANCELED);
    SENT(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"stop\",\"params\":{\"id\":65536,"
             "\"why\":\"canceled\"}}\n");
    tear_down(&b);
}

TEST(calls_end_with_the_connection)
{
    struct bench b;
    struct rpc_out one, two;
    struct answer a = { 0 }, z = { 0 };

    set_up(&b);
    peer_call(&b.peer, NULL, &one, NULL, "m", STR_NONE, 1000, on_answer, &a);
    peer_hang_up(&b.peer);
    turn(&b);
    EQ(a.code, ERR_CLOSED);
    peer_call(&b.peer, NULL, &two, NULL, "m", STR_NONE, 1000, on_answer, &z);
    turn(&b);
    EQ(z.code, ERR_CLOSED);
    tear_down(&b);
}

TEST(many_calls_at_once_all_find_their_answers)
{
    enum { MANY = 500 };
    static struct rpc_out out[MANY];
    static struct answer a[MANY];
    struct bench b;

    set_up(&b);
    for (int i = 0; i < MANY; i++)
        peer_call(&b.peer, NULL, &out[i], NULL, "m", STR_NONE, 1000, on_answer, &a[i]);
    for (int i = MANY - 1; i >= 0; i--) {
        char text[96];

        snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":%d}",
                 (unsigned long long)out[i].id, i);
        receive(&b, text);
    }
    for (int i = 0; i < MANY; i++) {
        char want[16];

        snprintf(want, sizeof(want), "%d", i);
        EQ(a[i].calls, 1);
        EQ_STR(a[i].text, want);
    }
    tear_down(&b);
}

TEST_MAIN()
