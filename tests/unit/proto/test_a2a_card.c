/*
 * test_a2a_card.c - the cards of agents, served by a real HTTP server to a client in this process.
 *
 * The registry is one of our own, so the cards depend on nothing but its agents and the settings.
 */
#include "base/mem.h"
#include "core/agent/agent.h"
#include "fake_stream.h"
#include "proto/a2a/client/a2a_peer_card.h"
#include "proto/a2a/server/a2a_call.h"
#include "tap.h"

static const struct agent_card painters[] = {
    { .name = "default", .title = "Helper", .description = STR("Helps."), .tier = "low" },
    { .name = "painter" },
};

static const struct agent_card *take_cards(struct agent_registry_port *d, size_t *n)
{
    (void)d;
    *n = ARRAY_LEN(painters);
    return painters;
}

static struct agent *take_none(struct agent_registry_port *d, const struct agent_want *want,
                               struct err *e)
{
    (void)d;
    (void)want;
    fail(e, ERR_NOT_FOUND, "no agent here");
    return NULL;
}

static const struct agent_registry_kind kind = { .take = take_none, .cards = take_cards };

struct place {
    struct loop *loop;
    struct limits limits;
    struct agent_registry_port registry;
    struct agent_context agents;
    struct a2a_setup setup;
    struct a2a_server server;
    struct http_server *http;
    struct fake_stream client;
    struct arena mem;
    bool closed;
};

static void on_card(struct http_req *req)
{
    struct place *p = req->ctx;

    a2a_card_serve(&p->server, req, STR_NONE, false);
}

static void on_painter(struct http_req *req)
{
    struct place *p = req->ctx;

    a2a_card_serve(&p->server, req, STR("painter"), false);
}

static void on_legacy(struct http_req *req)
{
    struct place *p = req->ctx;

    a2a_card_serve(&p->server, req, STR_NONE, true);
}

static const struct http_route routes[] = {
    { "GET", "/card", on_card },
    { "GET", "/painter", on_painter },
    { "GET", "/legacy", on_legacy },
};

static struct place *place_new(void)
{
    static const struct http_peer here = { .remote = STR("127.0.0.1:1"), .loopback = true };
    struct place *p = MEM_NEW(struct place);

    limits_preset(&p->limits);
    p->loop = loop_new(LOOP_FAKE_CLOCK);
    p->registry.kind = &kind;
    p->agents.registry = &p->registry;
    p->setup = (struct a2a_setup){ .enabled = true, .listen_path = STR("/a2a"), .push = true };
    p->server = (struct a2a_server){ .loop = p->loop,
                                     .limits = &p->limits,
                                     .agents = &p->agents,
                                     .setup = &p->setup,
                                     .version = "9.8.7" };
    p->http = http_server_new(&(struct http_server_opts){ .loop = p->loop,
                                                          .limits = &p->limits,
                                                          .route = routes,
                                                          .routes = ARRAY_LEN(routes),
                                                          .ctx = p });
    fake_stream_open(&p->client, p->loop, NULL, NULL, (size_t)p->limits.output_backlog_bytes);
    http_server_accept(p->http, &p->client.s, &here, NULL);
    fake_settle(p->loop);
    return p;
}

static void on_closed(void *ctx)
{
    ((struct place *)ctx)->closed = true;
}

static void place_free(struct place *p)
{
    http_server_close(p->http, on_closed, p);
    fake_settle(p->loop);
    OK(p->closed);
    fake_stream_fini(&p->client);
    arena_fini(&p->mem);
    loop_free(p->loop);
    mem_free(p);
}

/* The body of the response. */
static struct str get(struct place *p, const char *path)
{
    struct str got;

    fake_stream_clear(&p->client);
    fake_stream_send(&p->client,
                     arena_printf(&p->mem, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
    fake_settle(p->loop);
    got = arena_str(&p->mem, fake_stream_got(&p->client));
    OK(str_find(got, STR("HTTP/1.1 200")) == 0);
    return str_skip(got, (size_t)str_find(got, STR("\r\n\r\n")) + 4);
}

static struct json card(struct place *p, const char *path)
{
    const struct json_opts opts = limits_json(&p->limits);
    struct json root = { 0 };
    struct err e;

    OK(json_read(&p->mem, get(p, path), &opts, &root, &e));
    return root;
}

static struct str member(struct place *p, struct json v, const char *name)
{
    return json_str(&p->mem, json_get(v, str_of(name)));
}

TEST(a_card_has_the_name_and_metadata_of_its_agent)
{
    struct place *p = place_new();
    struct json v = card(p, "/card"), skill = json_first(json_get(v, STR("skills")));

    EQ_S(member(p, v, "name"), "Helper");
    EQ_S(member(p, v, "description"), "Helps.");
    EQ_S(member(p, v, "version"), "9.8.7");
    EQ_S(member(p, skill, "id"), "default");
    EQ(json_count(json_get(skill, STR("tags"))), 2);
    EQ(json_count(json_get(v, STR("skills"))), 2);
    place_free(p);
}

TEST(metadata_that_is_missing_gets_defaults)
{
    struct place *p = place_new();
    struct json v = card(p, "/painter");

    EQ_S(member(p, v, "name"), "painter");
    EQ_S(member(p, v, "description"), "An agent of trefoil.");
    EQ(json_count(json_get(v, STR("skills"))), 1);
    v = card(p, "/legacy");
    EQ_S(member(p, v, "version"), "0.1.0");
    place_free(p);
}

TEST(host_and_port_are_those_of_the_request_unless_they_are_configured)
{
    struct place *p = place_new();

    EQ_S(member(p, card(p, "/painter"), "url"), "http://localhost/a2a/painter");
    p->setup.public_url = STR("https://agents.example.org:8443");
    EQ_S(member(p, card(p, "/painter"), "url"), "https://agents.example.org:8443/a2a/painter");
    place_free(p);
}

static void read_back(struct place *p, size_t faces)
{
    struct a2a_peer_card read;
    struct a2a_url url;
    struct err e;

    OK(a2a_url_read(&p->mem, STR("http://localhost/card"), &url, &e));
    OK(a2a_card_read(&p->mem, &p->limits, get(p, "/card"), &url, &read, &e));
    EQ_S(read.name, "Helper");
    EQ_S(read.description, "Helps.");
    EQ_S(read.version, "9.8.7");
    OK(read.streaming);
    EQ(read.skills, 2);
    EQ(read.faces, faces);
    for (size_t i = 0; i < read.faces; i++)
        OK(read.face[i].known);
}

TEST(a_client_reads_from_a_card_what_was_written_into_it)
{
    static const size_t faces[] = { [A2A_CARD_HYBRID] = 4, [A2A_CARD_1_0] = 2, [A2A_CARD_0_3] = 3 };
    struct place *p = place_new();

    for (size_t i = 0; i < ARRAY_LEN(faces); i++) {
        p->setup.card = (enum a2a_card_shape)i;
        read_back(p, faces[i]);
    }
    place_free(p);
}

TEST(without_agents_there_is_a_placeholder)
{
    static const char *const paths[] = { "/card", "/legacy", "/painter" };
    struct place *p = place_new();

    p->agents.registry = NULL;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        struct json v = card(p, paths[i]);

        EQ_S(member(p, v, "name"), "trefoil");
        EQ_S(member(p, v, "description"), "The agents of this server are starting.");
        EQ(json_count(json_get(v, STR("skills"))), 1);
    }
    p->agents.registry = &p->registry;
    p->setup.agent = STR("nobody");
    HAS_S(member(p, card(p, "/card"), "description"), "[a2a] agent");
    place_free(p);
}

TEST_MAIN()
