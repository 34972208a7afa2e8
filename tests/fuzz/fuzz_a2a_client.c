/*
 * fuzz_a2a_client.c - what a remote A2A agent may send: its card, and its answers in every dialect.
 *
 * The first byte chooses what the rest is. A card that is accepted leads to its own origin only,
 * and a request to its interface can be written. An update that is read can be written again in
 * every dialect, and read again.
 */
#include "base/auto.h"
#include "proto/a2a/client/a2a_request.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool cond)
{
    if (!cond)
        abort();
}

/* ---- cards ----------------------------------------------------------------------------------- */

static void check_request(struct arena *mem, const struct limits *limits,
                          const struct a2a_interface *face, enum a2a_op op)
{
    const struct block part = { .kind = BLOCK_TEXT, .text = STR("hello") };
    const struct a2a_message m = { .id = STR("m1"), .parts = { &part, 1 } };
    const struct a2a_ask ask = { .op = op,
                                 .message = op == A2A_SEND || op == A2A_STREAM ? &m : NULL,
                                 .task = STR("../t?1"),
                                 .history = 0 };
    const struct json_opts opts = limits_json(limits);
    struct a2a_request req;
    struct a2a_url url;
    struct json body;
    struct err e;

    if (!a2a_request_write(mem, limits, face, &ask, 7, &req, &e))
        return;
    must(a2a_url_read(mem, req.url, &url, &e));
    must(str_eq(url.origin, face->url.origin));
    must(!req.body.p || json_read(mem, req.body, &opts, &body, &e));
}

static void try_card(struct arena *mem, const struct limits *limits, struct str text)
{
    const struct remote_spec spec = { 0 };
    const struct a2a_interface *face;
    struct a2a_peer_card card;
    struct a2a_url home;
    struct err e;

    must(a2a_url_read(mem, STR("https://agents.example/x/card.json"), &home, &e));
    if (!a2a_card_read(mem, limits, text, &home, &card, &e) ||
        !a2a_card_choose(&card, &spec, home.origin, &face, &e))
        return;
    must(str_eq(face->url.origin, home.origin));
    for (size_t op = 0; op < A2A_OPS; op++)
        check_request(mem, limits, face, (enum a2a_op)op);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void write_again(struct arena *mem, const struct limits *limits, const struct a2a_update *u,
                        enum a2a_dialect dialect)
{
    const struct json_opts opts = limits_json(limits);
    struct buf out;
    struct jw w = jw_to(&out);
    struct json v;
    struct err e;

    buf_init_in(&out, mem, 64 << 20);
    a2a_write_update(&w, dialect, u);
    must(out.full || json_read(mem, buf_str(&out), &opts, &v, &e));
}

static void try_reply(struct arena *mem, const struct limits *limits, enum a2a_dialect dialect,
                      struct str text)
{
    struct a2a_reply reply;
    struct a2a_update u;
    struct err e;

    if (!a2a_reply_read(mem, limits, 7, 200, text, &reply, &e) || reply.err.code ||
        !json_here(reply.result) || !a2a_read_update(mem, dialect, limits, reply.result, &u, &e))
        return;
    for (size_t d = 0; d < A2A_DIALECTS; d++)
        write_again(mem, limits, &u, (enum a2a_dialect)d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct limits limits;
    struct a2a_url url;
    struct err e;
    struct str text;

    if (!size)
        return 0;
    limits_preset(&limits);
    text = (struct str){ (const char *)data + 1, size - 1 };
    if (data[0] == 'c')
        try_card(&mem, &limits, text);
    else if (data[0] == 'u')
        a2a_url_read(&mem, text, &url, &e);
    else
        try_reply(&mem, &limits, (enum a2a_dialect)(data[0] % A2A_DIALECTS), text);
    return 0;
}
