/*
 * http_fetch_reach.c - get and check the addresses that a fetch connects to. address_guard.h has
 * the rules.
 */
#include "wire/http_fetch.h"

#include <stdio.h>

/* ---- the check -------------------------------------------------------------------------- */

static const struct address_policy *policy_of(const struct transfer *t)
{
    static const struct address_policy configured = { .configured = true }, public_only;

    if (t->zone == FETCH_CONFIGURED)
        return &configured;
    return t->req.policy ? t->req.policy : &public_only;
}

static bool check(const struct transfer *t, const struct sockaddr *sa, char why[ADDRESS_WHY])
{
    const struct http_client *c = t->client;

    if (!c->allowed)
        return address_guard_check(policy_of(t), sa, why);
    snprintf(why, ADDRESS_WHY, "refused by the caller");
    return c->allowed(sa, policy_of(t), c->ctx);
}

/* One address that is refused ends the fetch: a name that leads there is not to be trusted. */
static bool check_address(const struct transfer *t, const struct sockaddr *sa, struct err *e)
{
    char text[ADDRESS_TEXT], why[ADDRESS_WHY];

    if (check(t, sa, why))
        return true;
    http_address_text(sa, text);
    return fail(e, ERR_DENIED, HOP_FMT " resolves to %s, which is not allowed: %s", HOP_ARG(t),
                text, why);
}

bool reach_allowed(struct transfer *t, const struct sockaddr *sa)
{
    struct err e;

    if (check_address(t, sa, &e))
        return true;
    transfer_settle(t, &e);
    return false;
}

/* ---- the host --------------------------------------------------------------------------- */

/* The addresses of a name are not known yet. */
static bool check_host(const struct transfer *t, struct err *e)
{
    struct sockaddr_storage sa;
    char why[ADDRESS_WHY];

    if (!http_host_allowed(t->url.host))
        return fail(e, ERR_DENIED,
                    "the host " HOP_FMT " is not allowed: the name of a cloud metadata service",
                    HOP_ARG(t));
    if (!http_host_address(t->url.host, &sa))
        return true;
    http_address_set_port(&sa, t->url.port);
    if (check(t, (void *)&sa, why))
        return true;
    return fail(e, ERR_DENIED, "the address " HOP_FMT " is not allowed: %s", HOP_ARG(t), why);
}

/* "+HOST:PORT:ADDRESS,ADDRESS". "+": libcurl forgets the entry as if it had resolved the name. */
static bool pin(struct transfer *t, const struct addrinfo *list, struct err *e)
{
    char text[ADDRESS_TEXT];
    struct buf line;

    buf_init_in(&line, t->req.mem, (size_t)t->client->limits->fetch_head_bytes);
    buf_printf(&line, "+" STR_FMT ":%u:", STR_ARG(t->url.host), t->url.port);
    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        http_address_text(a->ai_addr, text);
        buf_printf(&line, "%s%s", a == list ? "" : ",", text);
    }
    buf_putc(&line, '\0');
    if (line.full)
        return fail(e, ERR_LIMIT, HOP_FMT " has too many addresses", HOP_ARG(t));
    t->resolved = t->client->api->slist_append(NULL, line.p);
    return t->resolved || fail(e, ERR_SYSTEM, "libcurl is out of memory");
}

static bool use_addresses(struct transfer *t, const struct addrinfo *list, struct err *e)
{
    if (!list)
        return fail(e, ERR_NOT_FOUND, "could not resolve host " STR_FMT,
                    STR_ARG(str_head(t->url.host, 80)));
    for (const struct addrinfo *a = list; a; a = a->ai_next)
        if (!check_address(t, a->ai_addr, e))
            return false;
    return pin(t, list, e) && easy_open(t, e);
}

static void on_addresses(void *ctx, const struct addrinfo *list)
{
    struct transfer *t = ctx;
    struct err e;

    t->lookup = NULL;
    if (!use_addresses(t, list, &e))
        transfer_settle(t, &e);
}

bool reach_begin(struct transfer *t, struct err *e)
{
    struct sockaddr_storage sa;

    if (!check_host(t, e))
        return false;
    if (t->zone == FETCH_CONFIGURED || http_host_address(t->url.host, &sa))
        return easy_open(t, e);
    t->lookup = lookup_start(t->client->loop, arena_cstr(t->req.mem, t->url.host), t->url.port,
                             on_addresses, t, e);
    return t->lookup != NULL;
}

void reach_stop(struct transfer *t)
{
    if (t->lookup)
        lookup_drop(t->lookup);
    t->lookup = NULL;
}
