/*
 * address.c - the tables of networks, from the IANA registries of special-purpose addresses.
 *
 * IPv4: the networks in the table are not public, all others are. IPv6: only global unicast
 * (2000::/3) is public, except the networks in the table.
 */
#include "wire/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

/* ---- kinds ------------------------------------------------------------------------------ */

struct kind_row {
    struct ip_range range;
    enum address_kind kind;
};

#define NET4(length, address_kind, ...)                                                            \
    {                                                                                              \
        { length, { 4, { __VA_ARGS__ } } }, address_kind                                           \
    }
#define NET6(length, address_kind, ...)                                                            \
    {                                                                                              \
        { length, { 16, { __VA_ARGS__ } } }, address_kind                                          \
    }

/* The first row that matches counts. */
static const struct kind_row kinds[] = {
    NET4(32, ADDRESS_METADATA, 169, 254, 169, 254), /* AWS, Azure, Google, OpenStack, ... */
    NET4(32, ADDRESS_METADATA, 169, 254, 170, 2),   /* AWS ECS credentials */
    NET4(32, ADDRESS_METADATA, 169, 254, 170, 23),  /* AWS EKS credentials */
    NET4(32, ADDRESS_METADATA, 168, 63, 129, 16),   /* Azure WireServer */
    NET4(32, ADDRESS_METADATA, 100, 100, 100, 200), /* Alibaba */
    NET4(32, ADDRESS_METADATA, 192, 0, 0, 192),     /* Oracle */
    NET4(8, ADDRESS_UNSPECIFIED, 0),                /* this network */
    NET4(8, ADDRESS_PRIVATE, 10),
    NET4(10, ADDRESS_CGNAT, 100, 64),
    NET4(8, ADDRESS_LOOPBACK, 127),
    NET4(16, ADDRESS_LINK_LOCAL, 169, 254),
    NET4(12, ADDRESS_PRIVATE, 172, 16),
    NET4(24, ADDRESS_RESERVED, 192, 0, 0),   /* protocol assignments */
    NET4(24, ADDRESS_RESERVED, 192, 0, 2),   /* documentation */
    NET4(24, ADDRESS_RESERVED, 192, 88, 99), /* 6to4 relays, given up */
    NET4(16, ADDRESS_PRIVATE, 192, 168),
    NET4(15, ADDRESS_RESERVED, 198, 18),      /* benchmarks */
    NET4(24, ADDRESS_RESERVED, 198, 51, 100), /* documentation */
    NET4(24, ADDRESS_RESERVED, 203, 0, 113),  /* documentation */
    NET4(4, ADDRESS_MULTICAST, 224),
    NET4(4, ADDRESS_RESERVED, 240), /* also broadcast */
    NET4(0, ADDRESS_PUBLIC, 0),

    NET6(128, ADDRESS_METADATA, 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54), /* AWS */
    NET6(128, ADDRESS_METADATA, 0xfd, 0, 0x0e, 0xc2, [15] = 0x23),       /* AWS EKS */
    NET6(128, ADDRESS_METADATA, 0xfd, 0x20, 0, 0xce, [14] = 0x02, 0x54), /* Google */
    NET6(128, ADDRESS_UNSPECIFIED, 0),                                   /* :: */
    NET6(128, ADDRESS_LOOPBACK, [15] = 1),                               /* ::1 */
    NET6(7, ADDRESS_PRIVATE, 0xfc),                                      /* unique local */
    NET6(10, ADDRESS_LINK_LOCAL, 0xfe, 0x80),
    NET6(10, ADDRESS_PRIVATE, 0xfe, 0xc0), /* site-local, old */
    NET6(8, ADDRESS_MULTICAST, 0xff),
    NET6(23, ADDRESS_RESERVED, 0x20, 0x01),             /* Teredo, benchmarks, ORCHID */
    NET6(32, ADDRESS_RESERVED, 0x20, 0x01, 0x0d, 0xb8), /* documentation */
    NET6(20, ADDRESS_RESERVED, 0x3f, 0xff),             /* documentation */
    NET6(3, ADDRESS_PUBLIC, 0x20),
    NET6(0, ADDRESS_RESERVED, 0),
};

const char *address_kind_text(enum address_kind kind)
{
    switch (kind) {
    case ADDRESS_PUBLIC: return "a public address";
    case ADDRESS_RESERVED: return "a reserved address";
    case ADDRESS_MULTICAST: return "a multicast address";
    case ADDRESS_PRIVATE: return "an address of a private network";
    case ADDRESS_CGNAT: return "an address of a provider's internal network (CGNAT)";
    case ADDRESS_LINK_LOCAL: return "a link-local address";
    case ADDRESS_UNSPECIFIED: return "an unspecified address, which means this machine";
    case ADDRESS_LOOPBACK: return "a loopback address";
    case ADDRESS_METADATA: return "the address of a cloud metadata service";
    case ADDRESS_NO_IP: break;
    }
    return "not an IP address";
}

bool ip_in_range(const struct ip_address *a, const struct ip_range *range)
{
    const uint8_t *net = range->base.b;
    unsigned whole = range->bits / 8, rest = range->bits % 8;

    return a->n == range->base.n && memcmp(a->b, net, whole) == 0 &&
           (rest == 0 || (a->b[whole] ^ net[whole]) >> (8 - rest) == 0);
}

enum address_kind ip_kind(const struct ip_address *a)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (ip_in_range(a, &kinds[i].range))
            return kinds[i].kind;
    return ADDRESS_NO_IP;
}

/* ---- IPv4 in IPv6 ----------------------------------------------------------------------- */

/* IPv6 networks whose addresses embed an IPv4 address. */
static const struct {
    struct ip_range net;
    uint8_t at;    /* its position */
    uint8_t mask;  /* XORed with each byte of it */
    bool is_route; /* packets may also go to the IPv6 address as it is written */
} carriers[] = {
    { { 96, { 16, { [10] = 0xff, 0xff } } }, 12, 0, false },        /* mapped, ::ffff:a.b.c.d */
    { { 96, { 16, { 0 } } }, 12, 0, false },                        /* compatible, ::a.b.c.d */
    { { 96, { 16, { [8] = 0xff, 0xff } } }, 12, 0, false },         /* ::ffff:0:a.b.c.d */
    { { 96, { 16, { 0, 0x64, 0xff, 0x9b } } }, 12, 0, false },      /* NAT64 */
    { { 48, { 16, { 0, 0x64, 0xff, 0x9b, 0, 1 } } }, 12, 0, true }, /* local NAT64 */
    { { 16, { 16, { 0x20, 0x02 } } }, 2, 0, false },                /* 6to4 */
    { { 32, { 16, { 0x20, 0x01 } } }, 12, 0xff, true },             /* Teredo */
};

/* A machine reached through ISATAP has its IPv4 address in the lower half, in any network. */
static bool is_isatap(const uint8_t *addr)
{
    static const uint8_t tag[3] = { 0, 0x5e, 0xfe };

    return (addr[8] & ~2) == 0 && memcmp(addr + 9, tag, sizeof(tag)) == 0;
}

static struct ip_address embedded(const struct ip_address *a, size_t at, uint8_t mask)
{
    struct ip_address v4 = { .n = 4 };

    for (size_t i = 0; i < v4.n; i++)
        v4.b[i] = a->b[at + i] ^ mask;
    return v4;
}

/* :: and ::1 have the form of IPv4-compatible addresses, but are none. */
static bool is_own_form(const struct ip_address *a)
{
    enum address_kind kind = ip_kind(a);

    return kind == ADDRESS_UNSPECIFIED || kind == ADDRESS_LOOPBACK;
}

static size_t forms6(const struct ip_address *a, struct ip_address out[IP_FORMS])
{
    out[0] = *a;
    if (is_own_form(a))
        return 1;
    for (size_t i = 0; i < ARRAY_LEN(carriers); i++)
        if (ip_in_range(a, &carriers[i].net)) {
            size_t n = carriers[i].is_route ? 1 : 0;

            out[n] = embedded(a, carriers[i].at, carriers[i].mask);
            return n + 1;
        }
    if (!is_isatap(a->b))
        return 1;
    out[1] = embedded(a, 12, 0);
    return 2;
}

size_t ip_forms(const struct sockaddr *sa, struct ip_address out[IP_FORMS])
{
    if (sa->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, sa, sizeof(in));
        out[0] = (struct ip_address){ .n = 4 };
        memcpy(out[0].b, &in.sin_addr, 4);
        return 1;
    }
    if (sa->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        struct ip_address a = { .n = 16 };

        memcpy(&in6, sa, sizeof(in6));
        memcpy(a.b, &in6.sin6_addr, 16);
        return forms6(&a, out);
    }
    return 0;
}

enum address_kind address_kind_of(const struct sockaddr *sa)
{
    struct ip_address form[IP_FORMS];
    size_t n = ip_forms(sa, form);
    enum address_kind worst = n ? ADDRESS_PUBLIC : ADDRESS_NO_IP;

    for (size_t i = 0; i < n; i++)
        if (ip_kind(&form[i]) > worst)
            worst = ip_kind(&form[i]);
    return worst;
}

/* ---- ranges ----------------------------------------------------------------------------- */

static bool range_refuse(const char **out_why, const char *why)
{
    *out_why = why;
    return false;
}

static bool read_base(struct str text, struct ip_address *out)
{
    char c[ADDRESS_TEXT];

    *out = (struct ip_address){ 0 };
    if (!str_to_c(text, c, sizeof(c)))
        return false;
    out->n = strchr(c, ':') ? 16 : 4;
    return inet_pton(out->n == 16 ? AF_INET6 : AF_INET, c, out->b) == 1;
}

static bool has_bits_behind(const struct ip_range *r)
{
    for (size_t i = r->bits; i < r->base.n * 8u; i++)
        if (r->base.b[i / 8] & 0x80 >> i % 8)
            return true;
    return false;
}

bool ip_range_read(struct str text, struct ip_range *out, const char **out_why)
{
    struct str rest = text, base = str_cut(&rest, '/');
    struct ip_range r = { 0 };
    uint64_t bits;

    if (!read_base(base, &r.base))
        return range_refuse(out_why, "expected an address or a range, such as \"10.1.0.0/16\"");
    bits = r.base.n * 8u;
    if (rest.p && !str_uint(rest, 0, bits, &bits))
        return range_refuse(out_why, "the number behind the slash must be 0 to 32 for IPv4, 0 to "
                                     "128 for IPv6");
    r.bits = (uint8_t)bits;
    if (has_bits_behind(&r))
        return range_refuse(out_why, "the address has bits set behind the length of the range");
    if (ip_in_range(&r.base, &carriers[0].net) && r.bits >= carriers[0].net.bits)
        return range_refuse(out_why, "write this range with IPv4 addresses");
    *out = r;
    return true;
}

/* ---- hosts ------------------------------------------------------------------------------ */

static const char *const metadata_names[] = {
    "metadata",      "metadata.google", "metadata.google.internal",
    "metadata.goog", "instance-data",   "instance-data.ec2.internal",
};

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

void http_address_set_port(struct sockaddr_storage *sa, uint16_t port)
{
    if (sa->ss_family == AF_INET)
        ((struct sockaddr_in *)(void *)sa)->sin_port = htons(port);
    else if (sa->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)sa)->sin6_port = htons(port);
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
