/*
 * address.c - the tables of addresses, from the IANA registries of special-purpose addresses.
 *
 * IPv4: listed networks are refused. IPv6: only global unicast (2000::/3) is public, except
 * listed networks. An IPv6 address that embeds an IPv4 address is judged by that one.
 */
#include "wire/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

struct net4 {
    uint8_t b[4];
    uint8_t bits;
};

struct net6 {
    uint8_t b[16];
    uint8_t bits;
};

static const struct net4 not_public4[] = {
    { { 0 }, 8 },                 /* this network */
    { { 10 }, 8 },                /* private */
    { { 100, 64 }, 10 },          /* carrier-grade NAT */
    { { 127 }, 8 },               /* loopback */
    { { 169, 254 }, 16 },         /* link-local, metadata services */
    { { 172, 16 }, 12 },          /* private */
    { { 192, 0, 0 }, 24 },        /* protocol assignments */
    { { 192, 0, 2 }, 24 },        /* documentation */
    { { 192, 88, 99 }, 24 },      /* 6to4 relays, given up */
    { { 192, 168 }, 16 },         /* private */
    { { 198, 18 }, 15 },          /* benchmarks */
    { { 198, 51, 100 }, 24 },     /* documentation */
    { { 203, 0, 113 }, 24 },      /* documentation */
    { { 224 }, 4 },               /* multicast */
    { { 240 }, 4 },               /* reserved, broadcast */
    { { 168, 63, 129, 16 }, 32 }, /* public by number, but each Azure machine's own host */
};

static const struct net4 metadata4[] = {
    { { 169, 254, 169, 254 }, 32 }, /* AWS, Azure, Google, OpenStack, ... */
    { { 169, 254, 170, 2 }, 32 },   /* AWS ECS credentials */
    { { 169, 254, 170, 23 }, 32 },  /* AWS EKS credentials */
    { { 168, 63, 129, 16 }, 32 },   /* Azure WireServer */
    { { 100, 100, 100, 200 }, 32 }, /* Alibaba */
    { { 192, 0, 0, 192 }, 32 },     /* Oracle */
};

static const struct net6 public6 = { { 0x20 }, 3 };

static const struct net6 not_public6[] = {
    { { 0x20, 0x01 }, 23 },             /* protocol assignments: Teredo, benchmarks, ORCHID */
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32 }, /* documentation */
    { { 0x3f, 0xff }, 20 },             /* documentation */
};

static const struct net6 metadata6[] = {
    { { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54 }, 128 }, /* AWS */
    { { 0xfd, 0, 0x0e, 0xc2, [15] = 0x23 }, 128 },       /* AWS EKS credentials */
    { { 0xfd, 0x20, 0, 0xce, [14] = 0x02, 0x54 }, 128 }, /* Google */
};

/* IPv6 networks whose addresses embed an IPv4 address, and its position. */
static const struct {
    struct net6 net;
    uint8_t at;
} carriers[] = {
    { { { [10] = 0xff, 0xff }, 96 }, 12 },   /* mapped, ::ffff:a.b.c.d */
    { { { 0 }, 96 }, 12 },                   /* compatible, ::a.b.c.d; also :: and ::1 */
    { { { [8] = 0xff, 0xff }, 96 }, 12 },    /* translated, ::ffff:0:a.b.c.d */
    { { { 0, 0x64, 0xff, 0x9b }, 96 }, 12 }, /* NAT64 */
    { { { 0x20, 0x02 }, 16 }, 2 },           /* 6to4 */
};

static const char *const metadata_names[] = {
    "metadata",      "metadata.google", "metadata.google.internal",
    "metadata.goog", "instance-data",   "instance-data.ec2.internal",
};

static bool in_net(const uint8_t *addr, const uint8_t *net, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;

    return memcmp(addr, net, whole) == 0 &&
           (rest == 0 || (addr[whole] ^ net[whole]) >> (8 - rest) == 0);
}

static bool in_nets4(const uint8_t *addr, const struct net4 *net, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (in_net(addr, net[i].b, net[i].bits))
            return true;
    return false;
}

static bool in_nets6(const uint8_t *addr, const struct net6 *net, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (in_net(addr, net[i].b, net[i].bits))
            return true;
    return false;
}

static bool allowed4(const uint8_t *addr, enum address_policy policy)
{
    switch (policy) {
    case ADDRESS_PUBLIC: return !in_nets4(addr, not_public4, ARRAY_LEN(not_public4));
    case ADDRESS_NOT_METADATA: return !in_nets4(addr, metadata4, ARRAY_LEN(metadata4));
    }
    return false;
}

/* A machine reached through ISATAP has its IPv4 address in the lower half, in any network. */
static bool is_isatap(const uint8_t *addr)
{
    static const uint8_t tag[3] = { 0, 0x5e, 0xfe };

    return (addr[8] & ~2) == 0 && memcmp(addr + 9, tag, sizeof(tag)) == 0;
}

static bool allowed6(const uint8_t *addr, enum address_policy policy)
{
    for (size_t i = 0; i < ARRAY_LEN(carriers); i++)
        if (in_net(addr, carriers[i].net.b, carriers[i].net.bits))
            return allowed4(addr + carriers[i].at, policy);
    if (is_isatap(addr) && !allowed4(addr + 12, policy))
        return false;
    switch (policy) {
    case ADDRESS_PUBLIC:
        return in_nets6(addr, &public6, 1) && !in_nets6(addr, not_public6, ARRAY_LEN(not_public6));
    case ADDRESS_NOT_METADATA: return !in_nets6(addr, metadata6, ARRAY_LEN(metadata6));
    }
    return false;
}

bool http_address_allowed(const struct sockaddr *sa, enum address_policy policy)
{
    if (sa->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, sa, sizeof(in));
        return allowed4((const uint8_t *)&in.sin_addr, policy);
    }
    if (sa->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, sa, sizeof(in6));
        return allowed6(in6.sin6_addr.s6_addr, policy);
    }
    return false;
}

/* ---- hosts ------------------------------------------------------------------------------ */

static struct str without_dot(struct str host)
{
    return host.n > 1 && str_ends(host, STR(".")) ? str_head(host, host.n - 1) : host;
}

bool http_host_allowed(struct str host)
{
    host = without_dot(host);
    for (size_t i = 0; i < ARRAY_LEN(metadata_names); i++)
        if (str_eq_nocase(host, str_of(metadata_names[i])))
            return false;
    return true;
}

/* inet_aton takes what resolvers take (octal, hex, fewer parts), but also what follows a space. */
bool http_host_address(struct str host, struct sockaddr_storage *out)
{
    struct sockaddr_in in = { .sin_family = AF_INET };
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
    char text[64];

    if (!str_to_c(without_dot(host), text, sizeof(text)) || strpbrk(text, " \t\r\n\v\f"))
        return false;
    if (inet_aton(text, &in.sin_addr)) {
        *out = (struct sockaddr_storage){ 0 };
        memcpy(out, &in, sizeof(in));
        return true;
    }
    if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1) {
        *out = (struct sockaddr_storage){ 0 };
        memcpy(out, &in6, sizeof(in6));
        return true;
    }
    return false;
}

static bool is_loopback(const struct sockaddr_storage *sa)
{
    const struct sockaddr_in *in = (const void *)sa;
    const struct sockaddr_in6 *in6 = (const void *)sa;
    const uint8_t *b = in6->sin6_addr.s6_addr;

    if (sa->ss_family == AF_INET)
        return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) && b[12] == IN_LOOPBACKNET);
}

bool http_host_is_loopback(struct str host)
{
    struct sockaddr_storage sa;
    struct str tail = STR(".localhost");

    if (http_host_address(host, &sa))
        return is_loopback(&sa);
    host = without_dot(host);
    return str_eq_nocase(host, STR("localhost")) ||
           (host.n > tail.n && str_eq_nocase(str_skip(host, host.n - tail.n), tail));
}

void http_address_text(const struct sockaddr *sa, char out[ADDRESS_TEXT])
{
    const struct sockaddr_in *in = (const void *)sa;
    const struct sockaddr_in6 *in6 = (const void *)sa;
    const void *addr = sa->sa_family == AF_INET ? (const void *)&in->sin_addr : &in6->sin6_addr;

    if (sa->sa_family != AF_INET && sa->sa_family != AF_INET6)
        addr = NULL;
    if (!addr || !inet_ntop(sa->sa_family, addr, out, ADDRESS_TEXT))
        memcpy(out, "?", 2);
}
