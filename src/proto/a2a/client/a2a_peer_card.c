#include "proto/a2a/client/a2a_peer_card.h"

#include "base/utf8.h"

enum { SHOWN_MOST = 60 };

/* ---- interfaces ------------------------------------------------------------------------------ */

struct card_fields {
    struct str name, description, version, protocol, url, transport;
    struct json interfaces, additional, capabilities, skills;
};

static const struct pick card_rows[] = {
    PICK_FIELD("name", PICK_STR, struct card_fields, name, PICK_MUST),
    PICK_FIELD("description", PICK_STR, struct card_fields, description, 0),
    PICK_FIELD("version", PICK_STR, struct card_fields, version, 0),
    PICK_FIELD("protocolVersion", PICK_STR, struct card_fields, protocol, 0),
    PICK_FIELD("url", PICK_STR, struct card_fields, url, 0),
    PICK_FIELD("preferredTransport", PICK_STR, struct card_fields, transport, 0),
    PICK_FIELD("supportedInterfaces", PICK_ARRAY, struct card_fields, interfaces, 0),
    PICK_FIELD("additionalInterfaces", PICK_ARRAY, struct card_fields, additional, 0),
    PICK_FIELD("capabilities", PICK_OBJECT, struct card_fields, capabilities, 0),
    PICK_FIELD("skills", PICK_ARRAY, struct card_fields, skills, 0),
};

struct face_fields {
    struct str url, binding, transport, version, tenant;
};

static const struct pick face_rows[] = {
    PICK_FIELD("url", PICK_STR, struct face_fields, url, PICK_MUST),
    PICK_FIELD("protocolBinding", PICK_STR, struct face_fields, binding, 0),
    PICK_FIELD("transport", PICK_STR, struct face_fields, transport, 0),
    PICK_FIELD("protocolVersion", PICK_STR, struct face_fields, version, 0),
    PICK_FIELD("tenant", PICK_STR, struct face_fields, tenant, 0),
};

/* The binding and version decide the dialect. */
static void find_dialect(struct a2a_interface *f)
{
    bool rpc = str_eq(f->binding, STR(A2A_BINDING_JSONRPC));

    f->rest = str_eq(f->binding, STR(A2A_BINDING_HTTP));
    f->known = (rpc || f->rest) && a2a_version_named(f->version, &f->dialect);
    if (f->rest && f->dialect == A2A_0_3)
        f->dialect = A2A_0_3_REST;
    if (f->rest && f->dialect == A2A_0_1)
        f->known = false;
}

/* An interface with a URL that cannot be used is ignored: it may be for another program. */
static void add_face(struct arena *mem, struct a2a_peer_card *card, const struct face_fields *raw)
{
    struct a2a_interface *f = &card->face[card->faces];
    struct err e;

    if (card->faces == A2A_INTERFACES_MOST)
        return;
    *f = (struct a2a_interface){ .binding = raw->binding.p ? raw->binding : raw->transport,
                                 .version = raw->version,
                                 .tenant = raw->tenant.n ? raw->tenant : STR_NONE };
    if (!f->binding.n)
        f->binding = STR(A2A_BINDING_JSONRPC);
    if (!a2a_url_resolve(mem, &card->url, raw->url, &f->url, &e))
        return;
    find_dialect(f);
    card->faces++;
}

static bool add_list(struct arena *mem, struct a2a_peer_card *card, struct json list,
                     struct str version, struct err *e)
{
    JSON_EACH(item, list)
    {
        struct face_fields raw = { .version = version };

        if (!pick(mem, item, PICK_TABLE(face_rows), PICK_LENIENT, &raw, e))
            return false;
        add_face(mem, card, &raw);
    }
    return true;
}

/*
 * Cards without protocolVersion are from 0.2 or 0.1. In the cards of 0.1 that programs serve, the
 * version of the agent is that of the protocol.
 */
static struct str old_version(const struct card_fields *raw)
{
    if (raw->protocol.n)
        return raw->protocol;
    return str_starts(raw->version, STR("0.1")) ? STR("0.1.0") : STR("0.3");
}

static bool add_faces(struct arena *mem, struct a2a_peer_card *card, const struct card_fields *raw,
                      struct err *e)
{
    const struct face_fields main = { .url = raw->url,
                                      .transport = raw->transport,
                                      .version = old_version(raw) };

    card->face = ARENA_ARRAY(mem, struct a2a_interface, A2A_INTERFACES_MOST);
    if (json_count(raw->interfaces))
        return add_list(mem, card, raw->interfaces, STR("1.0"), e);
    if (raw->url.n)
        add_face(mem, card, &main);
    return add_list(mem, card, raw->additional, main.version, e);
}

/* ---- the card -------------------------------------------------------------------------------- */

bool a2a_card_read(struct arena *mem, const struct limits *limits, struct str text,
                   const struct a2a_url *url, struct a2a_peer_card *out, struct err *e)
{
    const struct json_opts opts = limits_json(limits);
    struct a2a_peer_card card = { .url = *url, .raw = arena_str(mem, text) };
    struct card_fields raw = { 0 };

    if (!json_read(mem, card.raw, &opts, &card.root, e))
        return fail_in(e, "the card is not JSON");
    if (json_type(card.root) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "the card is not a JSON object");
    if (!pick(mem, card.root, PICK_TABLE(card_rows), PICK_LENIENT, &raw, e) ||
        !add_faces(mem, &card, &raw, e))
        return fail_in(e, "the card is not valid");
    if (!card.faces)
        return fail(e, ERR_INVALID,
                    "the card names no URL of the agent (supportedInterfaces or url)");
    card.name = raw.name;
    card.description = raw.description;
    card.version = raw.version;
    card.streaming = json_true(json_get(raw.capabilities, STR("streaming")));
    card.skills = json_count(raw.skills);
    *out = card;
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool is_permitted(const struct a2a_interface *f, const struct remote_spec *spec,
                         struct str home)
{
    if (a2a_same_origin(f->url.origin, home))
        return true;
    for (size_t i = 0; i < spec->origins.n; i++) {
        struct str origin = spec->origins.v[i];

        while (str_ends(origin, STR("/")))
            origin.n--;
        if (a2a_same_origin(f->url.origin, origin))
            return true;
    }
    return false;
}

static bool is_wanted(const struct a2a_interface *f, const struct remote_spec *spec)
{
    enum a2a_dialect wanted = A2A_1_0, has = A2A_1_0;

    if (!f->known || (spec->binding.n && !str_eq(f->binding, spec->binding)))
        return false;
    if (!spec->version.n)
        return true;
    return a2a_version_named(spec->version, &wanted) && a2a_version_named(f->version, &has) &&
           wanted == has;
}

/* The dialects are in this order: the newest version first. */
static bool is_newer(const struct a2a_interface *a, const struct a2a_interface *b)
{
    static const int age[A2A_DIALECTS] = {
        [A2A_1_0] = 0, [A2A_0_3] = 1, [A2A_0_3_REST] = 1, [A2A_0_1] = 2, [A2A_PLAIN] = 2,
    };

    return !b || age[a->dialect] < age[b->dialect];
}

static bool fail_unusable(const struct a2a_peer_card *card, const struct remote_spec *spec,
                          struct err *e)
{
    const struct a2a_interface *f = &card->face[0];

    if (spec->binding.n || spec->version.n)
        return fail(e, ERR_INVALID,
                    "the card has no interface with the configured binding or protocol_version");
    return fail(e, ERR_INVALID,
                "trefoil does not support the interfaces of the card (the first is " STR_FMT
                " " STR_FMT "); it supports JSONRPC and HTTP+JSON of A2A 1.0 and 0.3, and JSONRPC "
                "of 0.1",
                STR_ARG(utf8_head(f->binding, SHOWN_MOST)),
                STR_ARG(utf8_head(f->version, SHOWN_MOST)));
}

bool a2a_card_choose(const struct a2a_peer_card *card, const struct remote_spec *spec,
                     struct str home, const struct a2a_interface **out, struct err *e)
{
    const struct a2a_interface *best = NULL, *foreign = NULL;

    for (size_t i = 0; i < card->faces; i++) {
        const struct a2a_interface *f = &card->face[i];

        if (!is_wanted(f, spec))
            continue;
        if (!is_permitted(f, spec, home))
            foreign = foreign ? foreign : f;
        else if (is_newer(f, best))
            best = f;
    }
    if (!best && foreign)
        return fail(e, ERR_DENIED,
                    "the card leads to another origin, " STR_FMT "; to allow it, add it to "
                    "`origins` of the agent",
                    STR_ARG(utf8_head(foreign->url.origin, 2 * SHOWN_MOST)));
    if (!best)
        return fail_unusable(card, spec, e);
    *out = best;
    return true;
}
