/*
 * a2a_card.c - agent cards.
 *
 *   agent-card.json   the shape of [a2a] card: hybrid (members of 1.0 and 0.3), v1 or v0.3
 *   agent.json        the card of 0.1, with the members of 0.3 that its clients need
 *
 * The card of the root is that of the primary agent, with one skill per agent. Each agent also has
 * a card of its own, under its URL. A card lists only what is served.
 */
#include "base/auto.h"
#include "base/hash.h"
#include "core/session/session.h"
#include "proto/a2a/server/a2a_call.h"
#include "proto/a2a/server/a2a_proxy.h"

#include <stdio.h>

enum { CARD_MOST = 1 << 20, ETAG_TEXT = 24, CARD_AGE_S = 300 };

static const struct str usual_modes[] = {
    STR("text/plain"), STR("text/markdown"),    STR("text/csv"),
    STR("text/html"),  STR("application/json"), STR("application/octet-stream"),
    STR("image/png"),  STR("image/jpeg"),       STR("image/gif"),
    STR("image/webp"), STR("application/pdf"),
};

const struct str *a2a_input_modes(const struct a2a_setup *setup, size_t *n)
{
    *n = setup->input_modes.set ? setup->input_modes.n : ARRAY_LEN(usual_modes);
    return setup->input_modes.set ? setup->input_modes.v : usual_modes;
}

/* ---- agents ---------------------------------------------------------------------------------- */

static const struct agent_card *card_named(const struct a2a_server *s, struct str name)
{
    const struct agent_card *card;

    for (size_t i = 0; (card = agent_card_at(s->agents, i)); i++)
        if (str_eq(name, str_of(card->name)))
            return card;
    return NULL;
}

bool a2a_agent_exists(const struct a2a_server *s, struct str name)
{
    return card_named(s, name) != NULL;
}

/* The configured one, else the first that a file defines, else the built-in one. */
static const struct agent_card *primary_card(const struct a2a_server *s)
{
    const struct agent_card *first = NULL;
    size_t n = 0;

    if (s->setup->agent.n)
        return card_named(s, s->setup->agent);
    if (s->agents->registry)
        first = s->agents->registry->kind->cards(s->agents->registry, &n);
    return n ? first : agent_card_at(s->agents, 0);
}

struct str a2a_primary_agent(const struct a2a_server *s)
{
    const struct agent_card *card = primary_card(s);

    if (card)
        return str_of(card->name);
    return s->setup->agent.n ? s->setup->agent : STR_NONE;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

struct card_urls {
    struct str rpc, rest;
};

static struct card_urls urls_of(const struct a2a_server *s, struct http_req *req, struct str agent)
{
    struct str base = a2a_base_url(s->setup, req), path = s->setup->listen_path;
    struct str below = arena_printf(&req->mem, STR_FMT STR_FMT "%s" STR_FMT, STR_ARG(base),
                                    STR_ARG(path), agent.n ? "/" : "", STR_ARG(agent));

    return (struct card_urls){ .rpc = below, .rest = agent.n ? below : base };
}

/* ---- members --------------------------------------------------------------------------------- */

struct card_writer {
    struct jw *w;
    const struct a2a_server *s;
    struct card_urls urls;
    const struct agent_card *tools_of; /* list the tools of this agent; NULL: of none */
    bool v1, v03, legacy; /* write the members of 1.0, of 0.3; as the seeds of 0.1 do */
};

static void write_words(struct jw *w, const char *key, const struct str *word, size_t n)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < n; i++)
        jw_str(w, word[i]);
    jw_array_end(w);
}

static void write_modes(const struct card_writer *c)
{
    static const struct str text[] = { STR("text") };
    size_t n;
    const struct str *in = a2a_input_modes(c->s->setup, &n);

    write_words(c->w, "defaultInputModes", c->legacy ? text : in, c->legacy ? 1 : n);
    write_words(c->w, "defaultOutputModes", c->legacy ? text : usual_modes,
                c->legacy ? 1 : ARRAY_LEN(usual_modes));
}

static void write_interface(const struct card_writer *c, struct str url, const char *binding,
                            const char *version)
{
    jw_object(c->w);
    jw_kstr(c->w, "url", url);
    jw_kplain(c->w, "protocolBinding", str_of(binding));
    jw_kplain(c->w, "protocolVersion", str_of(version));
    jw_object_end(c->w);
}

/* 1.0 first: a client takes the first one that it knows, and old ones the last. */
static void write_interfaces(const struct card_writer *c)
{
    jw_plain_key(c->w, STR("supportedInterfaces"));
    jw_array(c->w);
    write_interface(c, c->urls.rpc, A2A_BINDING_JSONRPC, "1.0");
    write_interface(c, c->urls.rest, A2A_BINDING_HTTP, "1.0");
    if (c->v03) {
        write_interface(c, c->urls.rest, A2A_BINDING_HTTP, "0.3");
        write_interface(c, c->urls.rpc, A2A_BINDING_JSONRPC, "0.3");
    }
    jw_array_end(c->w);
}

static void write_old_interface(const struct card_writer *c, struct str url, const char *transport)
{
    jw_object(c->w);
    jw_kstr(c->w, "url", url);
    jw_kplain(c->w, "transport", str_of(transport));
    jw_object_end(c->w);
}

static void write_old_interfaces(const struct card_writer *c)
{
    jw_kplain(c->w, "protocolVersion", STR("0.3.0"));
    jw_kstr(c->w, "url", c->urls.rpc);
    jw_kplain(c->w, "preferredTransport", STR(A2A_BINDING_JSONRPC));
    jw_plain_key(c->w, STR("additionalInterfaces"));
    jw_array(c->w);
    write_old_interface(c, c->urls.rpc, A2A_BINDING_JSONRPC);
    write_old_interface(c, c->urls.rest, A2A_BINDING_HTTP);
    jw_array_end(c->w);
}

static void write_capabilities(const struct card_writer *c)
{
    jw_plain_key(c->w, STR("capabilities"));
    jw_object(c->w);
    jw_kbool(c->w, "streaming", true);
    jw_kbool(c->w, "pushNotifications", c->s->setup->push);
    if (c->v03)
        jw_kbool(c->w, "stateTransitionHistory", true);
    if (c->v1)
        jw_kbool(c->w, "extendedAgentCard", c->s->keyed);
    jw_object_end(c->w);
}

/* The members of both versions do not collide. */
static void write_security(const struct card_writer *c)
{
    if (!c->s->keyed)
        return;
    jw_plain_key(c->w, STR("securitySchemes"));
    jw_object(c->w);
    jw_plain_key(c->w, STR("bearer"));
    jw_object(c->w);
    if (c->v03) {
        jw_kplain(c->w, "type", STR("http"));
        jw_kplain(c->w, "scheme", STR("Bearer"));
    }
    if (c->v1)
        jw_kraw(c->w, "httpAuthSecurityScheme", STR("{\"scheme\":\"Bearer\"}"));
    jw_object_end(c->w);
    jw_object_end(c->w);
    if (c->v03)
        jw_kraw(c->w, "security", STR("[{\"bearer\":[]}]"));
    if (c->v1)
        jw_kraw(c->w, "securityRequirements", STR("[{\"schemes\":{\"bearer\":{\"list\":[]}}}]"));
}

static struct str description_of(const struct agent_card *card)
{
    return card->description.n ? card->description : STR("An agent of trefoil.");
}

static void write_skill(const struct card_writer *c, const struct agent_card *card)
{
    jw_object(c->w);
    jw_kstr(c->w, "id", str_of(card->name));
    jw_kstr(c->w, "name", str_of(card->title ? card->title : card->name));
    jw_kstr(c->w, "description", description_of(card));
    jw_plain_key(c->w, STR("tags"));
    jw_array(c->w);
    jw_plain(c->w, STR("agent"));
    if (card->tier)
        jw_str(c->w, str_of(card->tier));
    jw_array_end(c->w);
    jw_object_end(c->w);
}

/* "file_read" -> "file read". */
static struct str tool_title(struct arena *mem, const char *name)
{
    char *text = arena_cstr(mem, str_of(name));

    for (char *at = text; *at; at++)
        if (*at == '_')
            *at = ' ';
    return str_of(text);
}

static void write_tool_skill(const struct card_writer *c, const struct tool *t)
{
    AUTO_ARENA mem = { 0 };

    jw_object(c->w);
    jw_kstr(c->w, "id", str_of(t->name));
    jw_kstr(c->w, "name", tool_title(&mem, t->name));
    jw_kstr(c->w, "description",
            t->description && *t->description ? str_of(t->description)
                                              : arena_printf(&mem, "Can use the %s tool", t->name));
    jw_kraw(c->w, "tags", STR("[\"tool\"]"));
    jw_kraw(c->w, "examples", STR("[]"));
    jw_object_end(c->w);
}

/* The first version lists what an agent can do by its tools. */
static void write_tool_skills(const struct card_writer *c, const struct agent_card *card)
{
    struct agent_registry_port *registry = c->s->agents->registry;
    struct agent_want want = { .name = str_of(card->name) };
    struct agent *agent;
    const struct tool *t;
    struct err ignored;
    size_t i = 0;

    agent = registry ? registry->kind->take(registry, &want, &ignored) : NULL;
    while (agent && (t = agent_tool_at(agent, &i)))
        write_tool_skill(c, t);
    agent_drop(agent);
}

static void write_skills(const struct card_writer *c, const struct agent_card *only)
{
    const struct agent_card *card;

    jw_plain_key(c->w, STR("skills"));
    jw_array(c->w);
    if (only)
        write_skill(c, only);
    for (size_t i = 0; !only && (card = agent_card_at(c->s->agents, i)); i++)
        write_skill(c, card);
    if (c->tools_of)
        write_tool_skills(c, c->tools_of);
    jw_array_end(c->w);
}

/* Without an agent, the card still tells where the server is. */
static const struct agent_card starting = {
    .name = "trefoil",
    .title = "trefoil",
    .description = STR("The agents of this server are starting."),
};
static const struct agent_card missing = {
    .name = "trefoil",
    .title = "trefoil",
    .description = STR("There is no agent here: no agent has the name in the setting [a2a] agent."),
};

static void write_card(struct jw *w, const struct a2a_server *s, struct http_req *req,
                       struct str agent, bool legacy)
{
    const struct agent_card *card = agent.n ? card_named(s, agent) : primary_card(s);
    struct card_writer c = { .w = w, .s = s, .urls = urls_of(s, req, agent), .legacy = legacy };
    bool found = card != NULL;

    c.v1 = !legacy && s->setup->card != A2A_CARD_0_3;
    c.v03 = legacy || s->setup->card != A2A_CARD_1_0;
    if (!found)
        card = s->agents->registry ? &missing : &starting;
    jw_object(w);
    if (c.v03)
        write_old_interfaces(&c);
    jw_kstr(w, "name", str_of(card->title ? card->title : card->name));
    jw_kstr(w, "description", description_of(card));
    if (c.v1)
        write_interfaces(&c);
    jw_kstr(w, "version", legacy ? STR("0.1.0") : str_of(s->version));
    write_capabilities(&c);
    write_security(&c);
    if (!legacy && s->keyed && c.v03)
        jw_kbool(w, "supportsAuthenticatedExtendedCard", true);
    write_modes(&c);
    c.tools_of = legacy && found ? card : NULL;
    write_skills(&c, agent.n || !found ? card : NULL);
    jw_object_end(w);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The same card has the same tag in every process and on every host. */
static void etag_of(struct str body, char out[ETAG_TEXT])
{
    snprintf(out, ETAG_TEXT, "\"%016llx\"", (unsigned long long)hash_str_long(1, body));
}

static bool is_unchanged(struct http_req *req, struct str etag)
{
    struct str seen = http_req_header(req, "if-none-match");

    return seen.n && (str_eq(str_trim(seen), STR("*")) || str_find(seen, etag) >= 0);
}

static void reply_cached(struct a2a_server *s, struct http_req *req, struct buf *body)
{
    char etag[ETAG_TEXT], age[40], changed[HTTP_DATE];
    struct str all = buf_str(body);
    struct http_header h[] = { { STR("Cache-Control"), STR_NONE },
                               { STR("ETag"), STR_NONE },
                               { STR("Last-Modified"), STR_NONE } };

    etag_of(all, etag);
    snprintf(age, sizeof(age), "public, max-age=%d", (int)CARD_AGE_S);
    http_date(s->changed, changed);
    h[0].value = str_of(age);
    h[1].value = str_of(etag);
    h[2].value = str_of(changed);
    if (body->full)
        http_reply_error(req, 507, "the card is larger than %d bytes", (int)CARD_MOST);
    else if (is_unchanged(req, h[1].value))
        http_reply(req, 304, NULL, h, ARRAY_LEN(h), NULL, 0);
    else
        http_reply(req, 200, "application/json", h, ARRAY_LEN(h), &all, 1);
}

void a2a_card_serve(struct a2a_server *s, struct http_req *req, struct str agent, bool legacy)
{
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    buf_init(&body, CARD_MOST);
    write_card(&w, s, req, agent, legacy);
    reply_cached(s, req, &body);
}

void a2a_cards_serve(struct a2a_server *s, struct http_req *req)
{
    const struct agent_card *card;
    AUTO_BUF body = { 0 };
    struct jw w = jw_to(&body);
    struct str all;
    size_t n = 0;

    if (!s->setup->enabled) {
        http_reply_error(req, 503, "A2A disabled: %s", s->setup->why);
        return;
    }
    buf_init(&body, CARD_MOST);
    jw_object(&w);
    jw_plain_key(&w, STR("agents"));
    jw_array(&w);
    for (; (card = agent_card_at(s->agents, n)); n++)
        write_card(&w, s, req, str_of(card->name), true);
    jw_array_end(&w);
    jw_kint(&w, "total", (int64_t)n);
    jw_object_end(&w);
    all = buf_str(&body);
    if (body.full)
        http_reply_error(req, 507, "the cards are larger than %d bytes", (int)CARD_MOST);
    else
        http_reply(req, 200, "application/json", NULL, 0, &all, 1);
}

/* ---- the extended card ----------------------------------------------------------------------- */

void a2a_op_card(struct a2a_call *c)
{
    if (!c->server->keyed) {
        a2a_refuse(
            c, c->dialect == A2A_1_0 ? A2A_UNSUPPORTED_OPERATION : A2A_EXTENDED_CARD_NOT_CONFIGURED,
            "there is no extended card: no API key is configured");
        return;
    }
    write_card(a2a_result_begin(c), c->server, c->req, c->agent, false);
    a2a_result_end(c);
}
