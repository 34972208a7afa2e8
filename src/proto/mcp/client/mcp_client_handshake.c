/*
 * mcp_client_handshake.c - detect the era of a server, and do the handshake.
 *
 * Modern servers support server/discover, others need initialize. If the era is unknown, we probe
 * with server/discover and treat anything but a valid result as "not a modern server":
 *
 *   stdio   an error          initialize
 *           no answer         send initialize as well, on the same connection: a server that starts
 *                             slowly may be of either era. It may answer both; the first result
 *                             decides. An error to one leaves the decision to the other
 *           the child exits   start it again, once, with initialize
 *   HTTP    4xx               initialize; if that gets 4xx too, HTTP+SSE
 *           401, 403, 429, 5xx without a JSON-RPC error, no answer: failures that do not show the
 *           era
 *
 * -32022 names versions: we retry with one that we support.
 */
#include "base/container.h"
#include "base/pick.h"
#include "proto/mcp/client/mcp_client_parts.h"

static void send_probe(struct mcp_client *c);
static void send_hello(struct mcp_client *c);

static const struct limits *limits_of(const struct mcp_client *c)
{
    return c->world.rpc->limits;
}

static bool may_be(const struct mcp_client *c, enum server_era era)
{
    return c->spec->era == SERVER_ERA_AUTO || c->spec->era == era;
}

static void set_era(struct mcp_client *c, bool modern, enum mcp_version version)
{
    bool http = c->wire->kind->transport == SERVER_HTTP;

    c->modern = modern;
    c->peer.version = (int)version;
    c->peer.kind =
        /* over HTTP, closing the stream cancels a request */
        modern && http ? &mcp_client_peer_quiet : &mcp_client_peer;
}

/* ---- results of the handshake ------------------------------------------------------------ */

struct hello {
    struct str version, instructions;
    struct json info, abilities, versions, meta;
};

static const struct pick hello_fields[] = {
    PICK_FIELD("protocolVersion", PICK_STR, struct hello, version, PICK_MUST),
    PICK_FIELD("capabilities", PICK_ANY, struct hello, abilities, 0),
    PICK_FIELD("serverInfo", PICK_ANY, struct hello, info, 0),
    PICK_FIELD("instructions", PICK_STR, struct hello, instructions, 0),
};

static const struct pick discover_fields[] = {
    PICK_FIELD("supportedVersions", PICK_ARRAY, struct hello, versions, PICK_MUST),
    PICK_FIELD("capabilities", PICK_ANY, struct hello, abilities, 0),
    PICK_FIELD("_meta", PICK_ANY, struct hello, meta, 0),
    PICK_FIELD("instructions", PICK_STR, struct hello, instructions, 0),
};

static struct str keep_str(struct mcp_client *c, struct json v)
{
    struct str s = json_str(&c->known, v);

    return s.p ? arena_str(&c->known, s) : STR_NONE;
}

static void learn(struct mcp_client *c, struct str version, const struct hello *h)
{
    struct json tools = json_get(h->abilities, STR("tools"));
    struct json extensions = json_get(h->abilities, STR("extensions"));

    arena_fini(&c->known);
    c->version = arena_str(&c->known, version);
    c->server_name = keep_str(c, json_get(h->info, STR("name")));
    c->server_version = keep_str(c, json_get(h->info, STR("version")));
    c->instructions = h->instructions.p ? arena_str(&c->known, h->instructions) : STR_NONE;
    c->refreshes = json_true(json_get(tools, STR("listChanged")));
    c->tasks = c->modern && json_here(json_get(extensions, STR(MCP_TASKS)));
}

static void on_greeted(struct mcp_client *c)
{
    timer_clear(c->world.rpc->loop, &c->patience);
    if (c->wire->kind->greeted)
        c->wire->kind->greeted(c->wire);
    mcp_lists_begin(c);
}

/* ---- common versions ---------------------------------------------------------------------- */

/* The newest legacy version in a list that we support, or NULL. */
static const char *common_legacy(struct json versions)
{
    for (int v = MCP_LEGACY; v >= MCP_FIRST; v--)
        JSON_EACH(name, versions)
    if (json_is(name, str_of(mcp_features[v].name)))
        return mcp_features[v].name;
    return NULL;
}

static bool has_modern(struct json versions)
{
    JSON_EACH(name, versions)
    if (json_is(name, mcp_modern_name()))
        return true;
    return false;
}

static struct json supported(const struct mcp_req *r)
{
    return json_get(json_get(r->out.error, STR("data")), STR("supported"));
}

/* ---- modern handshake ---------------------------------------------------------------------- */

enum { UNSUPPORTED_VERSION = -32022, MISSING_CAPABILITY = -32021, HEADER_MISMATCH = -32020 };

static void be_legacy(struct mcp_client *c, const struct err *why)
{
    if (may_be(c, SERVER_ERA_LEGACY))
        send_hello(c);
    else
        mcp_client_end(c, why);
}

static bool be_modern(struct mcp_client *c)
{
    struct hello h = { 0 };
    struct arena *mem = &c->probe.out.mem;
    struct err e;

    if (!pick(mem, c->probe.out.result, PICK_TABLE(discover_fields), PICK_LENIENT, &h, &e) ||
        !has_modern(h.versions))
        return false;
    h.info = json_get(h.meta, STR("io.modelcontextprotocol/serverInfo"));
    set_era(c, true, MCP_MODERN);
    learn(c, mcp_modern_name(), &h);
    on_greeted(c);
    return true;
}

static void on_discovered(struct mcp_client *c)
{
    struct json versions = json_get(c->probe.out.result, STR("supportedVersions"));
    const char *legacy = common_legacy(versions);
    struct err e;

    if (be_modern(c))
        return;
    if (legacy)
        c->wanted = legacy;
    mcp_client_fail(c, &e, ERR_INVALID, "answered server/discover without naming %s",
                    mcp_features[MCP_MODERN].name);
    be_legacy(c, &e);
}

/* The probe is answered first, although initialize was sent as well. */
static void on_discovered_late(struct mcp_client *c)
{
    struct err e = { ERR_CANCELED, "the handshake used another method" };

    if (be_modern(c) && !c->greet.out.op.settled)
        rpc_out_fail(&c->greet.out, &e);
}

static void on_not_discovered(struct mcp_client *c)
{
    int64_t code = mcp_req_code(&c->probe);
    struct json versions = supported(&c->probe);
    const char *legacy = common_legacy(versions);
    struct err e;

    mcp_req_ok(&c->probe, &e);
    if (code == UNSUPPORTED_VERSION && has_modern(versions) && !c->probe_again) {
        c->probe_again = true;
        send_probe(c);
        return;
    }
    if (legacy)
        c->wanted = legacy;
    if (code == MISSING_CAPABILITY || code == HEADER_MISMATCH ||
        (code == UNSUPPORTED_VERSION && !legacy))
        mcp_client_end(c, &e);
    else
        be_legacy(c, &e);
}

/* Does this HTTP error mean that the server does not support this transport or era? */
static bool not_spoken(int status, int code)
{
    switch (status) {
    case 401:
    case 403:
    case 407:
    case 408:
    case 429: return false;
    default: return (status >= 400 && status < 500) || (status >= 500 && code);
    }
}

static void on_probe_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_client *c = ctx;

    (void)op;
    if (c->step == STEP_GREETING && !e && !json_here(c->probe.out.error)) {
        on_discovered_late(c);
        return;
    }
    if (c->step != STEP_PROBING)
        return;
    timer_clear(c->world.rpc->loop, &c->patience);
    if (!e && json_here(c->probe.out.error))
        on_not_discovered(c);
    else if (!e)
        on_discovered(c);
    else if (c->probe.status / 100 == 2 || not_spoken(c->probe.status, c->probe.code))
        be_legacy(c, e);
    else
        mcp_client_end(c, e);
}

static void on_silence(struct timer *t)
{
    send_hello(CONTAINER_OF(t, struct mcp_client, patience));
}

static void send_probe(struct mcp_client *c)
{
    struct jw *w = mcp_req_begin(c);
    bool hello_follows = c->wire->kind->transport == SERVER_STDIO && may_be(c, SERVER_ERA_LEGACY);

    rpc_out_fini(&c->probe.out);
    mcp_client_go(c, STEP_PROBING);
    set_era(c, true, MCP_MODERN);
    jw_object(w);
    mcp_write_meta(c, w, &(struct mcp_about){ 0 });
    jw_object_end(w);
    mcp_req_send(c, &c->probe, NULL, "server/discover",
                 hello_follows ? limits_of(c)->mcp_connect_ms : mcp_req_patience(c), on_probe_done,
                 c);
    if (hello_follows)
        timer_set(c->world.rpc->loop, &c->patience, limits_of(c)->mcp_probe_ms, on_silence);
}

/* ---- legacy handshake ---------------------------------------------------------------------- */

static bool read_hello(struct mcp_client *c, struct hello *h, enum mcp_version *version,
                       struct err *e)
{
    if (!pick(&c->greet.out.mem, c->greet.out.result, PICK_TABLE(hello_fields), PICK_LENIENT, h, e))
        return fail_in(e, "server %s: initialize", c->spec->name);
    if (mcp_version_named(h->version, version) && *version <= MCP_LEGACY)
        return true;
    return mcp_client_fail(c, e, ERR_INVALID,
                           "speaks MCP " STR_FMT "; supported are %s to %s and %s",
                           STR_ARG(str_head(h->version, 20)), mcp_features[MCP_FIRST].name,
                           mcp_features[MCP_LEGACY].name, mcp_features[MCP_MODERN].name);
}

static bool is_probing(const struct mcp_client *c)
{
    return c->probe.c && !c->probe.out.op.settled;
}

static void forget_probe(struct mcp_client *c)
{
    if (is_probing(c))
        rpc_out_fail(&c->probe.out,
                     &(struct err){ ERR_CANCELED, "the handshake used another method" });
}

static void on_hello(struct mcp_client *c)
{
    struct hello h = { 0 };
    enum mcp_version version;
    bool again = c->renewing;
    struct err e;

    if (!read_hello(c, &h, &version, &e)) {
        mcp_client_end(c, &e);
        return;
    }
    forget_probe(c);
    set_era(c, false, version);
    if (!again)
        learn(c, h.version, &h);
    peer_notify(&c->peer, NULL, "notifications/initialized", STR_NONE);
    c->renewing = false;
    if (!again) {
        on_greeted(c);
        return;
    }
    c->wire->kind->renewed(c->wire, NULL);
    mcp_lists_changed(c);
}

/* Only modern servers reject initialize in this way. */
static bool is_too_modern(const struct mcp_client *c)
{
    return mcp_req_code(&c->greet) == RPC_METHOD_NOT_FOUND || has_modern(supported(&c->greet));
}

/* The server rejected initialize and named versions: try another one, once in each direction. */
static void on_no_hello(struct mcp_client *c)
{
    struct json versions = supported(&c->greet);
    const char *legacy = common_legacy(versions);
    struct err e;

    mcp_req_ok(&c->greet, &e);
    if (c->renewing) {
        mcp_client_end(c, &e);
    } else if (legacy && legacy != c->wanted && !c->hello_again) {
        c->hello_again = true;
        c->wanted = legacy;
        send_hello(c);
    } else if (!c->probe.c && may_be(c, SERVER_ERA_MODERN)) {
        send_probe(c);
    } else if (is_probing(c) && is_too_modern(c)) {
        mcp_client_go(c, STEP_PROBING); /* the answer to the probe is still pending */
    } else {
        mcp_client_end(c, &e);
    }
}

static bool try_sse(struct mcp_client *c, const struct err *e)
{
    if (c->wire->kind->transport != SERVER_HTTP || (c->tried & 1u << SERVER_SSE) ||
        !not_spoken(c->greet.status, c->greet.code))
        return false;
    c->refusal = *e;
    mcp_client_use(c, SERVER_SSE);
    return true;
}

static void on_hello_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_client *c = ctx;

    (void)op;
    if (c->step == STEP_GREETING || (c->renewing && c->step != STEP_CLOSING)) {
        if (!e && json_here(c->greet.out.error))
            on_no_hello(c);
        else if (!e)
            on_hello(c);
        else if (c->renewing || !try_sse(c, e))
            mcp_client_end(c, e);
    }
    if (c->greet.out.op.settled)
        rpc_out_fini(&c->greet.out);
}

static void send_hello(struct mcp_client *c)
{
    if (!c->wanted)
        c->wanted = mcp_features[MCP_LEGACY].name;
    set_era(c, false, MCP_LEGACY);
    if (!c->renewing) {
        mcp_client_go(c, STEP_GREETING);
        c->peer.kind = &mcp_client_peer_quiet; /* initialize must not be canceled */
    }
    rpc_out_fini(&c->greet.out);
    c->greet.greeting = true;
    mcp_write_hello(c, mcp_req_begin(c));
    mcp_req_send(c, &c->greet, NULL, "initialize", mcp_req_patience(c), on_hello_done, c);
}

/* ---- beginnings ---------------------------------------------------------------------------- */

void mcp_greet_begin(struct mcp_client *c)
{
    c->refusal.code = ERR_NONE;
    if (c->hint == SERVER_ERA_LEGACY || c->respawned || c->wire->kind->transport == SERVER_SSE)
        send_hello(c);
    else
        send_probe(c);
}

bool mcp_greet_without(struct mcp_client *c, struct mcp_wire *w, int status, const struct err *e)
{
    bool probing = c->step == STEP_PROBING || (c->step == STEP_GREETING && is_probing(c));

    if (w->kind->transport == SERVER_STDIO && probing && !c->respawned &&
        may_be(c, SERVER_ERA_LEGACY)) {
        c->respawned = true;
        timer_clear(c->world.rpc->loop, &c->patience);
        peer_fail_calls(&c->peer, e);
        mcp_client_use(c, SERVER_STDIO);
        return true;
    }
    if (w->kind->transport == SERVER_SSE && c->step == STEP_OPENING &&
        !(c->tried & 1u << SERVER_HTTP) && (status == 200 || not_spoken(status, 0))) {
        c->refusal = *e;
        mcp_client_use(c, SERVER_HTTP);
        return true;
    }
    if (c->step == STEP_OPENING && c->refusal.code) {
        mcp_client_end(c, &c->refusal);
        return true;
    }
    return false;
}

void mcp_greet_again(struct mcp_client *c)
{
    if (c->renewing)
        return;
    c->renewing = true;
    send_hello(c);
}

void mcp_greet_stop(struct mcp_client *c)
{
    timer_clear(c->world.rpc->loop, &c->patience);
}
