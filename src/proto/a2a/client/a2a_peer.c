#include "proto/a2a/client/a2a_peer.h"

#include "base/log.h"
#include "base/mem.h"
#include "proto/a2a/client/a2a_exchange.h"

/* ---- life ------------------------------------------------------------------------------------ */

struct a2a_peer *a2a_peer_new(const struct a2a_peer_opts *opts, struct err *e)
{
    struct a2a_peer *p = MEM_NEW(struct a2a_peer);

    p->o = *opts;
    p->refs = 1;
    p->met = -1;
    p->spec = remote_spec_copy(&p->mem, opts->spec);
    p->o.spec = &p->spec;
    if (a2a_url_read(&p->mem, p->spec.url, &p->url, e))
        return p;
    a2a_peer_drop(p);
    return NULL;
}

struct a2a_peer *a2a_peer_hold(struct a2a_peer *p)
{
    p->refs++;
    return p;
}

void a2a_peer_drop(struct a2a_peer *p)
{
    if (!p || --p->refs)
        return;
    arena_fini(&p->mem);
    arena_fini(&p->card_mem);
    arena_fini(&p->token_mem);
    mem_free(p);
}

bool a2a_peer_met(const struct a2a_peer *p)
{
    return p->met >= 0 && loop_now(p->o.loop) - p->met < p->o.limits->a2a_card_ms;
}

/* ---- places ---------------------------------------------------------------------------------- */

static void add_place(struct a2a_meeting *m, struct str base, const char *file, bool other)
{
    m->other[m->places] = other;
    m->place[m->places++] = a2a_url_add(&m->mem, base, file);
}

static void find_places(struct a2a_meeting *m)
{
    const struct a2a_url *url = &m->peer->url;
    struct str path = url->path;

    while (str_ends(path, STR("/")))
        path.n--;
    if (str_ends(path, STR(".json"))) {
        m->place[m->places++] = url->text;
        return;
    }
    add_place(m, url->text, "/.well-known/agent-card.json", false);
    add_place(m, url->text, "/.well-known/agent.json", false);
    if (!path.n)
        return;
    add_place(m, url->origin, "/.well-known/agent-card.json", true);
    add_place(m, url->origin, "/.well-known/agent.json", true);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void meeting_end(struct a2a_meeting *m, const struct err *e)
{
    struct a2a_peer *p = m->peer;

    arena_fini(&m->mem);
    if (!e) {
        op_ok(&m->op);
    } else if (p->met >= 0 && e->code != ERR_CANCELED && e->code != ERR_DENIED) {
        LOG(LOG_WARN, "a2a", "cannot read the card again; the old one is used",
            LOG_S("url", p->url.origin), LOG_Z("why", e->text));
        p->met = loop_now(p->o.loop);
        op_ok(&m->op);
    } else {
        op_fail(&m->op, e);
    }
    a2a_peer_drop(p);
}

static void cancel_meeting(struct op *op)
{
    (void)op;
}

static const struct op_kind meeting_kind = { .name = "a2a card", .cancel = cancel_meeting };

/* ---- one answer ------------------------------------------------------------------------------ */

static bool leads_to(const struct a2a_peer_card *card, struct str url)
{
    while (str_ends(url, STR("/")))
        url.n--;
    for (size_t i = 0; i < card->faces; i++) {
        struct str at = card->face[i].url.text;

        while (str_ends(at, STR("/")))
            at.n--;
        if (str_eq(at, url))
            return true;
    }
    return false;
}

/* The card at the root of a server may be that of another agent. */
static bool check_agent(const struct a2a_meeting *m, const struct a2a_peer_card *card,
                        struct err *e)
{
    if (!m->other[m->at] || leads_to(card, m->peer->url.text))
        return true;
    return fail(e, ERR_NOT_FOUND, "the card of this server is that of another URL");
}

static bool use_card(struct a2a_meeting *m, struct str text, struct err *e)
{
    struct a2a_peer *p = m->peer;
    const struct a2a_interface *face;
    struct a2a_peer_card card;
    struct arena mem = { 0 };
    struct a2a_url url;

    if (!a2a_url_read(&mem, m->exchange->fetch.url, &url, e) ||
        !a2a_card_read(&mem, p->o.limits, text, &url, &card, e) || !check_agent(m, &card, e) ||
        !a2a_card_choose(&card, &p->spec, p->url.origin, &face, e)) {
        arena_fini(&mem);
        return false;
    }
    if (p->met >= 0 && !str_eq(p->card.raw, card.raw))
        LOG(LOG_INFO, "a2a", "the card of the agent has changed", LOG_S("url", p->url.origin));
    p->face = *face;
    p->card = card;
    arena_fini(&p->card_mem);
    p->card_mem = mem;
    p->met = loop_now(p->o.loop);
    return true;
}

/* Is another place worth a try? Not when the server is unreachable or wants credentials. */
static bool try_next(const struct a2a_meeting *m, const struct err *e)
{
    return m->at + 1 < m->places && !m->op.canceled &&
           (e->code == ERR_NOT_FOUND || e->code == ERR_INVALID) && m->exchange->status;
}

static void ask_place(struct a2a_meeting *m);

static void place_failed(struct a2a_meeting *m, const struct err *e)
{
    if (!m->at || m->why.code == ERR_NOT_FOUND)
        m->why = *e;
    if (try_next(m, e)) {
        m->at++;
        ask_place(m);
        return;
    }
    if (m->why.code == ERR_NOT_FOUND || m->why.code == ERR_INVALID)
        fail_in(&m->why, "no agent card at " STR_FMT, STR_ARG(str_head(m->peer->url.text, 100)));
    meeting_end(m, &m->why);
}

static bool check_status(const struct a2a_exchange *x, struct err *e)
{
    if (x->status == 200)
        return true;
    if (x->status == 401 || x->status == 403)
        return fail(e, ERR_DENIED, "the server wants credentials (HTTP status %d); check `auth`",
                    x->status);
    return fail(e, x->status >= 500 ? ERR_BUSY : ERR_NOT_FOUND, "HTTP status %d", x->status);
}

static void on_card(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_meeting *m = ctx;
    struct a2a_exchange *x = m->exchange;
    struct err why;

    (void)op;
    if (e)
        meeting_end(m, e);
    else if (!check_status(x, &why) || !use_card(m, x->text, &why))
        place_failed(m, &why);
    else
        meeting_end(m, NULL);
}

static void ask_place(struct a2a_meeting *m)
{
    struct a2a_exchange *x = ARENA_NEW(&m->mem, struct a2a_exchange);

    m->exchange = x;
    x->peer = m->peer;
    x->mem = &m->mem;
    x->method = "GET";
    x->url = m->place[m->at];
    x->whole_ms = m->peer->o.limits->a2a_request_ms;
    a2a_exchange_start(x, &m->op, on_card, m);
}

void a2a_meet(struct a2a_meeting *m, struct a2a_peer *p, struct op *parent, op_done_fn *done,
              void *ctx)
{
    *m = (struct a2a_meeting){ .peer = a2a_peer_hold(p) };
    op_begin(&m->op, &meeting_kind, p->o.loop, parent, done, ctx);
    if (a2a_peer_met(p)) {
        meeting_end(m, NULL);
        return;
    }
    find_places(m);
    ask_place(m);
}
