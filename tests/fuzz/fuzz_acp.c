/*
 * fuzz_acp.c - a whole ACP agent against lines from a stranger.
 *
 * Each line is a message, and may answer a request of ours. In it the byte 1 stands for the id of
 * the newest session; a line of the byte 2 lets a minute pass. The agent plays a script, and there
 * is no store. All we say must be JSON, and when the stranger has left nothing may be left.
 */
#include "base/container.h"
#include "base/mem.h"
#include "proto/acp/agent/acp_connection.h"
#include "provider/script.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DAY = 24 * 3600 * 1000 };

static const char play[] =
    "[[rule]]\ntext = 'ask'\nevent = [{type='tool', id='t', name='x', status='running'},"
    "{type='permission', id='t', text='May I?'}, {type='form', text='Which?', options=['a','b']},"
    "{type='text', text='ok'}]\n"
    "[[rule]]\ntext = 'wait'\nevent = [{type='text', text='w'}, {type='wait'}]\n"
    "[[rule]]\nevent = [{type='thought', text='h'}, {type='text', text='Hello', pieces=2},"
    "{type='tool', id='e', name='y', kind='edit', path='/x', old_text='1', new_text='2', text='d'},"
    "{type='plan', entries=[{content='c', priority='high', status='pending'}]},"
    "{type='artifact', id='a', text='t'}, {type='notice', text='n'}]\n";

/* The only agent, the only root, and the client. */
struct stranger {
    struct link link;
    struct acp_conn conn;
    struct acp_roots roots;
    struct acp_root root;
    struct agent_registry_port registry;
    struct agent_def def;
    struct agent agent;
    struct offer offer;
    struct session_world world;
    struct limits limits;
    struct buf said; /* the last message it got */
    char session[ID_TEXT];
    bool idle;
    size_t servers; /* sets of servers that are open */
};

static void must(bool cond)
{
    if (!cond)
        abort();
}

/* ---- what it hears --------------------------------------------------------------------------- */

static void hear(struct link *link, const struct str *piece, size_t n)
{
    struct stranger *s = CONTAINER_OF(link, struct stranger, link);
    struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = 1 << 20 };
    struct arena mem = { 0 };
    struct json root;
    struct str id;
    struct err e;

    buf_clear(&s->said);
    for (size_t i = 0; i < n; i++)
        buf_put(&s->said, piece[i]);
    must(json_read(&mem, buf_str(&s->said), &opts, &root, &e));
    id = json_str(&mem, json_get(json_get(root, STR("result")), STR("sessionId")));
    if (id.p)
        str_to_c(id, s->session, sizeof(s->session));
    arena_fini(&mem);
}

static void close_link(struct link *link)
{
    (void)link;
}

static const struct link_kind stranger_kind = { .name = "fuzz", .send = hear, .close = close_link };

/* ---- the root -------------------------------------------------------------------------------- */

static struct stranger *of_roots(struct acp_roots *r)
{
    return CONTAINER_OF(r, struct stranger, roots);
}

static bool take_root(struct acp_roots *r, struct arena *mem, struct str folder,
                      struct acp_place *out, struct err *e)
{
    (void)mem;
    if (folder.n > 50)
        return fail(e, ERR_INVALID, "no such folder");
    *out = (struct acp_place){ &of_roots(r)->root, "/" };
    return true;
}

static bool open_folder(struct acp_roots *r, struct arena *mem, struct str folder,
                        struct host_folder *out, struct err *e)
{
    (void)r;
    (void)e;
    *out = (struct host_folder){ -1, arena_cstr(mem, folder) };
    return true;
}

static bool list_stored(struct acp_roots *r, struct arena *mem, struct str folder, const char **cwd,
                        struct acp_stored_root **out, size_t *n, struct err *e)
{
    (void)r;
    (void)folder;
    (void)cwd;
    (void)e;
    *out = ARENA_NEW(mem, struct acp_stored_root);
    *n = 0;
    return true;
}

struct own_servers {
    struct acp_servers port;
    struct stranger *s;
    struct offer offer;
    struct post post;
    void (*done)(void *ctx);
    void *ctx;
};

static struct acp_servers *open_servers(struct acp_roots *r, const struct acp_servers_opts *opts,
                                        struct err *e)
{
    struct own_servers *own;

    if (json_count(opts->array) > 3) {
        fail(e, ERR_INVALID, "too many");
        return NULL;
    }
    own = MEM_NEW(struct own_servers);
    own->s = of_roots(r);
    own->s->servers++;
    offer_init(&own->offer, &own->s->offer.host, 1u << OFFER_TOOLS);
    own->port.offer = &own->offer;
    own->port.readiness.open = json_count(opts->array) == 2; /* they never come */
    if (json_count(opts->array) == 1)
        opts->report(opts->ctx, STR("it has failed"));
    return &own->port;
}

static bool add_server(struct acp_servers *s, struct json entry, struct err *e)
{
    (void)s;
    return json_count(entry) || fail(e, ERR_INVALID, "empty");
}

static bool remove_server(struct acp_servers *s, struct str name, struct err *e)
{
    (void)s;
    return name.n || fail(e, ERR_NOT_FOUND, "no such server");
}

static void on_close_servers(struct post *p)
{
    struct own_servers *own = CONTAINER_OF(p, struct own_servers, post);
    void (*done)(void *ctx) = own->done;
    void *ctx = own->ctx;

    own->s->servers--;
    offer_fini(&own->offer);
    mem_free(own);
    done(ctx);
}

static void close_servers(struct acp_servers *s, void (*done)(void *ctx), void *ctx)
{
    struct own_servers *own = CONTAINER_OF(s, struct own_servers, port);

    readiness_end(&s->readiness);
    own->done = done;
    own->ctx = ctx;
    own->post.fn = on_close_servers;
    loop_post(own->s->world.loop, &own->post);
}

static const struct acp_roots_kind roots_kind = {
    .take = take_root,
    .open_folder = open_folder,
    .stored = list_stored,
    .servers_open = open_servers,
    .servers_add = add_server,
    .servers_remove = remove_server,
    .servers_close = close_servers,
};

/* ---- the agent ------------------------------------------------------------------------------- */

static struct agent *take_agent(struct agent_registry_port *d, const struct agent_want *want,
                                struct err *e)
{
    struct stranger *s = CONTAINER_OF(d, struct stranger, registry);

    if (!want->name.p || str_eq(want->name, STR("actor")))
        return agent_hold(&s->agent);
    fail(e, ERR_NOT_FOUND, "there is no agent " STR_FMT, STR_ARG(str_head(want->name, 80)));
    return NULL;
}

static const struct agent_card *list_cards(struct agent_registry_port *d, size_t *n)
{
    (void)d;
    *n = 0;
    return NULL;
}

static const struct agent_registry_kind registry_kind = { .take = take_agent, .cards = list_cards };

static void open_root(struct stranger *s, struct loop *loop, const struct script *script)
{
    s->roots.kind = &roots_kind;
    s->registry.kind = &registry_kind;
    s->def = (struct agent_def){ .name = "actor", .title = "Actor" };
    s->agent = (struct agent){ .kind = &script_agent_kind,
                               .own = script,
                               .def = &s->def,
                               .offer = &s->offer,
                               .caps = SCRIPT_AGENT_CAPS,
                               .refs = 1 };
    s->world = (struct session_world){ .loop = loop, .limits = &s->limits };
    s->root = (struct acp_root){ .path = "/",
                                 .limits = &s->limits,
                                 .world = &s->world,
                                 .registry = &s->registry,
                                 .offer = &s->offer,
                                 .notice = STR("be careful") };
}

/* ---- the conversation ------------------------------------------------------------------------ */

static void on_idle(struct peer *p)
{
    struct stranger *s = CONTAINER_OF(p, struct stranger, conn.peer);

    s->idle = acp_conn_idle(&s->conn);
}

static void settle(struct loop *loop)
{
    while (loop_run_once(loop))
        ;
}

static void say(struct stranger *s, struct str line)
{
    struct str rest = line, part;
    struct buf text;

    buf_init(&text, 1 << 20);
    while (rest.p) {
        part = str_cut(&rest, 1);
        buf_put(&text, part);
        if (rest.p)
            buf_put(&text, str_of(s->session));
    }
    peer_receive(&s->conn.peer, &s->link,
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
    s->conn.peer.on_idle = on_idle;
    acp_conn_end(&s->conn);
    peer_hang_up(&s->conn.peer);
    loop_post(loop, &s->conn.peer.idle);
    settle(loop);
    loop_advance(loop, DAY);
    settle(loop);
    must(s->idle && !s->servers && s->agent.refs == 1);
    acp_conn_fini(&s->conn);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stranger *s = MEM_NEW(struct stranger);
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct arena mem = { 0 };
    struct script script;
    struct rpc rpc;
    struct acp_agent agent = {
        .rpc = &rpc, .roots = &s->roots, .name = STR("f"), .title = STR("f"), .version = STR("1")
    };
    struct err e;

    s->link.kind = &stranger_kind;
    limits_preset(&s->limits);
    s->limits.session_queue = 2;
    s->limits.sessions = 4;
    buf_init(&s->said, 64 << 20);
    must(script_read(&mem, str_of(play), "play", &script, &e));
    rpc_init(&rpc, loop, &s->limits);
    offer_init(&s->offer, &(struct host){ .loop = loop, .limits = &s->limits, .root = "/" },
               1u << OFFER_TOOLS);
    open_root(s, loop, &script);
    acp_conn_init(&s->conn, &agent, &s->link);
    talk(s, loop, (struct str){ (const char *)data, size });
    leave(s, loop);
    offer_fini(&s->offer);
    rpc_fini(&rpc);
    buf_fini(&s->said);
    loop_free(loop);
    arena_fini(&mem);
    mem_free(s);
    return 0;
}
