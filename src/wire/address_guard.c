#include "wire/address_guard.h"

#include "base/auto.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>

static bool in_ranges(const struct address_policy *p, const struct ip_address *a)
{
    for (size_t i = 0; i < p->ranges; i++)
        if (ip_in_range(a, &p->range[i]))
            return true;
    return false;
}

static bool form_allowed(const struct address_policy *p, const struct ip_address *a)
{
    enum address_kind kind = ip_kind(a);

    return kind == ADDRESS_PUBLIC || (kind == ADDRESS_LOOPBACK && p->loopback) || in_ranges(p, a);
}

/* ---- own addresses ---------------------------------------------------------------------- */

static uint16_t port_of(const struct sockaddr *sa)
{
    struct sockaddr_in6 in6 = { 0 };

    _Static_assert(offsetof(struct sockaddr_in, sin_port) ==
                       offsetof(struct sockaddr_in6, sin6_port),
                   "the port is at the same place");
    memcpy(&in6, sa, sizeof(struct sockaddr_in));
    return ntohs(in6.sin6_port);
}

/* Only addresses of this machine can be bound; 0.0.0.0, which can be too, leads to it. */
static bool is_local4(const struct ip_address *a)
{
    struct sockaddr_in in = { .sin_family = AF_INET };
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    memcpy(&in.sin_addr, a->b, 4);
    return fd < 0 || bind(fd, (const struct sockaddr *)&in, sizeof(in)) == 0;
}

static bool is_local6(const struct ip_address *a)
{
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
    AUTO_FD fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    memcpy(&in6.sin6_addr, a->b, 16);
    if (fd < 0)
        return errno != EAFNOSUPPORT; /* without IPv6 no such address is anyone's */
    /* a link-local address needs its interface to be bound: taken for ours */
    return bind(fd, (const struct sockaddr *)&in6, sizeof(in6)) == 0 || errno == EINVAL;
}

static bool is_own(const struct address_policy *p, const struct sockaddr *sa,
                   const struct ip_address *form, size_t forms)
{
    bool own = false;

    for (size_t i = 0; i < p->own_ports; i++)
        own |= p->own_port[i] && p->own_port[i] == port_of(sa);
    for (size_t i = 0; own && i < forms; i++)
        if (form[i].n == 4 ? is_local4(&form[i]) : is_local6(&form[i]))
            return true;
    return false;
}

/* ---- the verdict ------------------------------------------------------------------------ */

static bool refuse_always(const char *rule, char why[ADDRESS_WHY])
{
    snprintf(why, ADDRESS_WHY, "%s, which no setting allows", rule);
    return false;
}

/* What a user would have to write: the address as the policy sees it. */
static bool refuse_form(const struct ip_address *a, char why[ADDRESS_WHY])
{
    char text[ADDRESS_TEXT];

    inet_ntop(a->n == 4 ? AF_INET : AF_INET6, a->b, text, sizeof(text));
    snprintf(why, ADDRESS_WHY,
             "%s; allow_private = [\"%s\"] in [web] of the user's config.toml "
             "allows it",
             address_kind_text(ip_kind(a)), text);
    return false;
}

bool address_guard_check(const struct address_policy *p, const struct sockaddr *sa,
                         char why[ADDRESS_WHY])
{
    enum address_kind kind = address_kind_of(sa);
    struct ip_address form[IP_FORMS];
    size_t n = ip_forms(sa, form);

    if (kind == ADDRESS_METADATA || kind == ADDRESS_NO_IP)
        return refuse_always(address_kind_text(kind), why);
    if (p->configured)
        return true;
    if (is_own(p, sa, form, n))
        return refuse_always("an address of this trefoil server", why);
    for (size_t i = 0; i < n; i++)
        if (!form_allowed(p, &form[i]))
            return refuse_form(&form[i], why);
    return true;
}
