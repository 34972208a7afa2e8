/*
 * fuzz_mcp.c - a whole MCP server against lines from a stranger.
 *
 * Each line is a message. In it the byte 1 stands for the last requestState we gave out; a line of
 * the byte 2 lets a minute pass. All we say must be JSON, and when the stranger has left and a day
 * has passed nothing may be left.
 */
#include "base/container.h"
#include "base/mem.h"
#include "fixtures.h"
#include "proto/mcp/server/mcp_conversation.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DAY = 24 * 3600 * 1000 };

struct stranger {
    struct link link;
    struct mcp_conv conv;
    struct limits limits;
    struct buf said; /* the last message it got */
    char state[256];
    bool idle;
};

static void must(bool cond)
{
    if (!cond)
        abort();
}

static void hear(struct link *link, const struct str *piece, size_t n)
{
    struct stranger *s = CONTAINER_OF(link, struct stranger, link);
    struct arena mem = { 0 };
    struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = 1 << 20 };
    struct json root;
    struct str state;
    struct err e;

    buf_clear(&s->said);
    for (size_t i = 0; i < n; i++)
        buf_put(&s->said, piece[i]);
    must(json_read(&mem, buf_str(&s->said), &opts, &root, &e));
    state = json_str(&mem, json_get(json_get(root, STR("result")), STR("requestState")));
    if (state.p)
        str_to_c(state, s->state, sizeof(s->state));
    arena_fini(&mem);
}

static void close_link(struct link *link)
{
    (void)link;
}

static const struct link_kind stranger_kind = { .name = "fuzz", .send = hear, .close = close_link };

static void on_idle(struct peer *p)
{
    struct stranger *s = CONTAINER_OF(p, struct stranger, conv.peer);

    s->idle = mcp_conv_idle(&s->conv);
}

static void settle(struct loop *loop)
{
    while (loop_run_once(loop))
        ;
}

static void say(struct stranger *s, struct str line)
{
    struct buf text;
    struct str rest = line, part;

    buf_init(&text, 1 << 20);
    while (rest.p) {
        part = str_cut(&rest, 1);
        buf_put(&text, part);
        if (rest.p)
            buf_put(&text, str_of(s->state));
    }
    peer_receive(&s->conv.peer, &s->link,
                 &(struct frame){ .kind = FRAME_MESSAGE, .text = buf_str(&text) });
    buf_fini(&text);
}

static void talk(struct stranger *s, struct loop *loop, struct str in)
{
    while (in.p) {
        struct str line = str_cut(&in, '\n');

        if (str_eq(line, STR("\2")))
            loop_advance(loop, 60000);
        else if (line.n)
            say(s, line);
        settle(loop);
    }
}

static void leave(struct stranger *s, struct loop *loop)
{
    s->conv.peer.on_idle = on_idle;
    mcp_conv_end(&s->conv);
    peer_hang_up(&s->conv.peer);
    loop_post(loop, &s->conv.peer.idle);
    settle(loop);
    loop_advance(loop, DAY);
    settle(loop);
    must(s->idle);
    mcp_conv_fini(&s->conv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stranger s = { .link = { .kind = &stranger_kind } };
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct offer_source source = { 0 };
    struct offer offer;
    struct rpc rpc;
    struct mcp_server server = { .rpc = &rpc, .offer = &offer, .name = "f", .version = "1" };

    limits_preset(&s.limits);
    s.limits.mcp_page_items = 3;
    s.limits.mcp_parked_calls = 3;
    buf_init(&s.said, 64 << 20);
    rpc_init(&rpc, loop, &s.limits);
    offer_init(&offer, &(struct host){ .loop = loop, .limits = &s.limits },
               (1u << OFFER_PARTS) - 1);
    fixtures_fill(&source);
    offer_join(&offer, &source);
    mcp_conv_init(&s.conv, &server, &s.link, MCP_ASSUMED);
    s.conv.lasting = s.conv.keeps = true;
    talk(&s, loop, (struct str){ (const char *)data, size });
    leave(&s, loop);
    must(!server.parked && !server.listens && !offer.watches);
    offer_fini(&offer);
    rpc_fini(&rpc);
    buf_fini(&s.said);
    loop_free(loop);
    return 0;
}
