#include "tap.h"
#include "wire/address.h"

#include <netinet/in.h>

static const struct {
    const char *host;
    enum address_kind kind;
} addresses[] = {
    /* the internet */
    { "8.8.8.8", ADDRESS_PUBLIC },
    { "1.1.1.1", ADDRESS_PUBLIC },
    { "93.184.216.34", ADDRESS_PUBLIC },
    { "2606:4700::1111", ADDRESS_PUBLIC },
    { "2001:4860:4860::8888", ADDRESS_PUBLIC },
    { "2a00:1450:4001::1", ADDRESS_PUBLIC },
    { "3ffe::1", ADDRESS_PUBLIC },

    /* this machine */
    { "127.0.0.1", ADDRESS_LOOPBACK },
    { "127.255.255.255", ADDRESS_LOOPBACK },
    { "0.0.0.0", ADDRESS_UNSPECIFIED },
    { "0.1.2.3", ADDRESS_UNSPECIFIED },
    { "::1", ADDRESS_LOOPBACK },
    { "::", ADDRESS_UNSPECIFIED },

    /* the edges of the private networks */
    { "9.255.255.255", ADDRESS_PUBLIC },
    { "10.0.0.0", ADDRESS_PRIVATE },
    { "10.255.255.255", ADDRESS_PRIVATE },
    { "11.0.0.0", ADDRESS_PUBLIC },
    { "100.63.255.255", ADDRESS_PUBLIC },
    { "100.64.0.0", ADDRESS_CGNAT },
    { "100.127.255.255", ADDRESS_CGNAT },
    { "100.128.0.0", ADDRESS_PUBLIC },
    { "126.255.255.255", ADDRESS_PUBLIC },
    { "128.0.0.0", ADDRESS_PUBLIC },
    { "169.253.255.255", ADDRESS_PUBLIC },
    { "169.254.0.1", ADDRESS_LINK_LOCAL },
    { "169.255.0.0", ADDRESS_PUBLIC },
    { "172.15.255.255", ADDRESS_PUBLIC },
    { "172.16.0.0", ADDRESS_PRIVATE },
    { "172.31.255.255", ADDRESS_PRIVATE },
    { "172.32.0.0", ADDRESS_PUBLIC },
    { "192.167.255.255", ADDRESS_PUBLIC },
    { "192.168.0.0", ADDRESS_PRIVATE },
    { "192.168.255.255", ADDRESS_PRIVATE },
    { "192.169.0.0", ADDRESS_PUBLIC },

    /* special networks */
    { "192.0.0.1", ADDRESS_RESERVED },
    { "192.0.1.0", ADDRESS_PUBLIC },
    { "192.0.2.1", ADDRESS_RESERVED },
    { "192.0.3.0", ADDRESS_PUBLIC },
    { "192.88.99.1", ADDRESS_RESERVED },
    { "198.17.255.255", ADDRESS_PUBLIC },
    { "198.18.0.1", ADDRESS_RESERVED },
    { "198.19.255.255", ADDRESS_RESERVED },
    { "198.20.0.0", ADDRESS_PUBLIC },
    { "198.51.100.7", ADDRESS_RESERVED },
    { "203.0.113.7", ADDRESS_RESERVED },
    { "223.255.255.255", ADDRESS_PUBLIC },
    { "224.0.0.1", ADDRESS_MULTICAST },
    { "239.255.255.255", ADDRESS_MULTICAST },
    { "240.0.0.1", ADDRESS_RESERVED },
    { "255.255.255.255", ADDRESS_RESERVED },
    { "fc00::1", ADDRESS_PRIVATE },
    { "fd00::1", ADDRESS_PRIVATE },
    { "fdff:ffff::1", ADDRESS_PRIVATE },
    { "fe80::1", ADDRESS_LINK_LOCAL },
    { "febf::1", ADDRESS_LINK_LOCAL },
    { "fec0::1", ADDRESS_PRIVATE },
    { "ff02::1", ADDRESS_MULTICAST },
    { "100::1", ADDRESS_RESERVED },
    { "2001:db8::1", ADDRESS_RESERVED },
    { "2001:db9::1", ADDRESS_PUBLIC },
    { "2001::1", ADDRESS_RESERVED },
    { "2001:1ff:ffff::1", ADDRESS_RESERVED },
    { "2001:200::1", ADDRESS_PUBLIC },
    { "3fff::1", ADDRESS_RESERVED },
    { "3fff:fff::1", ADDRESS_RESERVED },
    { "3fff:1000::1", ADDRESS_PUBLIC },
    { "4000::1", ADDRESS_RESERVED },
    { "1fff::1", ADDRESS_RESERVED },

    /* metadata services */
    { "169.254.169.254", ADDRESS_METADATA },
    { "169.254.169.253", ADDRESS_LINK_LOCAL },
    { "169.254.170.2", ADDRESS_METADATA },
    { "169.254.170.23", ADDRESS_METADATA },
    { "168.63.129.16", ADDRESS_METADATA },
    { "168.63.129.17", ADDRESS_PUBLIC },
    { "100.100.100.200", ADDRESS_METADATA },
    { "192.0.0.192", ADDRESS_METADATA },
    { "fd00:ec2::254", ADDRESS_METADATA },
    { "fd00:ec2::23", ADDRESS_METADATA },
    { "fd00:ec2::253", ADDRESS_PRIVATE },
    { "fd20:ce::254", ADDRESS_METADATA },

    /* IPv4 inside IPv6 */
    { "::ffff:8.8.8.8", ADDRESS_PUBLIC },
    { "::ffff:127.0.0.1", ADDRESS_LOOPBACK },
    { "::ffff:10.1.2.3", ADDRESS_PRIVATE },
    { "::ffff:169.254.169.254", ADDRESS_METADATA },
    { "::8.8.8.8", ADDRESS_PUBLIC },
    { "::127.0.0.1", ADDRESS_LOOPBACK },
    { "::169.254.169.254", ADDRESS_METADATA },
    { "::ffff:0:8.8.8.8", ADDRESS_PUBLIC },
    { "::ffff:0:192.168.1.1", ADDRESS_PRIVATE },
    { "::ffff:0:169.254.169.254", ADDRESS_METADATA },
    { "64:ff9b::8.8.8.8", ADDRESS_PUBLIC },
    { "64:ff9b::127.0.0.1", ADDRESS_LOOPBACK },
    { "64:ff9b::169.254.169.254", ADDRESS_METADATA },
    { "64:ff9b:1::8.8.8.8", ADDRESS_RESERVED },
    { "64:ff9b:1::169.254.169.254", ADDRESS_METADATA },
    { "64:ff9b:1::10.0.0.1", ADDRESS_PRIVATE },
    { "2001::5601:5601", ADDRESS_METADATA }, /* Teredo, all bits inverted */
    { "2001::f5ff:fffe", ADDRESS_PRIVATE },
    { "::0.0.0.2", ADDRESS_UNSPECIFIED },
    { "2002:808:808::1", ADDRESS_PUBLIC },
    { "2002:7f00:1::", ADDRESS_LOOPBACK },
    { "2002:a00:1::1", ADDRESS_PRIVATE },
    { "2002:c0a8:101::1", ADDRESS_PRIVATE },
    { "2002:a9fe:a9fe::1", ADDRESS_METADATA },
    { "2a00::5efe:8.8.8.8", ADDRESS_PUBLIC },
    { "2a00::5efe:127.0.0.1", ADDRESS_LOOPBACK },
    { "2a00::200:5efe:10.0.0.1", ADDRESS_PRIVATE },
    { "2a00::5efe:169.254.169.254", ADDRESS_METADATA },
    { "2a00::5eff:127.0.0.1", ADDRESS_PUBLIC },
};

TEST(each_address_has_its_kind)
{
    for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
        struct sockaddr_storage sa;
        enum address_kind kind;

        if (!http_host_address(str_of(addresses[i].host), &sa)) {
            TAP_NOT("%s is no address", addresses[i].host);
            continue;
        }
        kind = address_kind_of((void *)&sa);
        if (kind != addresses[i].kind)
            TAP_NOT("%s: %s, want %s", addresses[i].host, address_kind_text(kind),
                    address_kind_text(addresses[i].kind));
    }
}

TEST(other_families_have_no_kind)
{
    struct sockaddr_storage sa = { .ss_family = AF_UNIX };
    char text[ADDRESS_TEXT];

    EQ(address_kind_of((void *)&sa), ADDRESS_NO_IP);
    http_address_text((void *)&sa, text);
    EQ_STR(text, "?");
}

/* ---- ranges ----------------------------------------------------------------------------- */

static const struct {
    const char *text, *in, *out; /* addresses; NULL: no range */
} ranges[] = {
    { "10.1.0.0/16", "10.1.255.255", "10.2.0.0" },
    { "10.1.2.3", "10.1.2.3", "10.1.2.2" },
    { "10.1.2.2/31", "10.1.2.3", "10.1.2.4" },
    { "0.0.0.0/0", "255.255.255.255", "::1" },
    { "fd00::/8", "fdff::1", "fc00::1" },
    { "::1", "::1", "::2" },
    { "fd00:1::/33", "fd00:1:7fff::", "fd00:1:8000::" },
    { "10.1.0.0/33", NULL, "0 to 32" },
    { "fd00::/129", NULL, "0 to 128" },
    { "10.1.0.0/", NULL, "0 to 32" },
    { "10.1.0.0/-1", NULL, "0 to 32" },
    { "10.1.2.3/16", NULL, "bits set behind" },
    { "fd00::1/8", NULL, "bits set behind" },
    { "10.1/16", NULL, "expected an address" },
    { "0x0a.0.0.0/8", NULL, "expected an address" },
    { "010.0.0.0/8", NULL, "expected an address" },
    { "intern.example", NULL, "expected an address" },
    { "", NULL, "expected an address" },
    { "/8", NULL, "expected an address" },
    { " 10.0.0.0/8", NULL, "expected an address" },
    { "::ffff:10.0.0.0/104", NULL, "write this range with IPv4" },
    { "::ffff:10.0.0.1", NULL, "write this range with IPv4" },
};

static struct ip_address ip(const char *text)
{
    struct ip_address form[IP_FORMS] = { { 0 } };
    struct sockaddr_storage sa;

    OK(http_host_address(str_of(text), &sa) && ip_forms((void *)&sa, form) > 0);
    return form[0];
}

TEST(ranges_are_read)
{
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
        struct ip_range r;
        struct ip_address a;
        const char *why = "";

        if (ip_range_read(str_of(ranges[i].text), &r, &why) != !!ranges[i].in)
            TAP_NOT("%s: %s", ranges[i].text, why);
        else if (!ranges[i].in && !strstr(why, ranges[i].out))
            TAP_NOT("%s: %s", ranges[i].text, why);
        if (!ranges[i].in)
            continue;
        a = ip(ranges[i].in);
        if (!ip_in_range(&a, &r))
            TAP_NOT("%s is not in %s", ranges[i].in, ranges[i].text);
        a = ip(ranges[i].out);
        if (ip_in_range(&a, &r))
            TAP_NOT("%s is in %s", ranges[i].out, ranges[i].text);
    }
    OK(!ip_range_read(STR("10.0.0.0\0/8"), &(struct ip_range){ 0 }, &(const char *){ "" }));
}

/* ---- hosts ------------------------------------------------------------------------------ */

static const struct {
    const char *host, *address; /* NULL: a name */
} spellings[] = {
    { "127.0.0.1", "127.0.0.1" },
    { "127.1", "127.0.0.1" },
    { "127.0.1", "127.0.0.1" },
    { "0x7f.1", "127.0.0.1" },
    { "0177.0.0.1", "127.0.0.1" },
    { "0x7f000001", "127.0.0.1" },
    { "2130706433", "127.0.0.1" },
    { "017700000001", "127.0.0.1" },
    { "127.0.0.1.", "127.0.0.1" },
    { "2852039166", "169.254.169.254" },
    { "0", "0.0.0.0" },
    { "::1", "::1" },
    { "0:0:0:0:0:0:0:1", "::1" },
    { "::ffff:127.0.0.1", "::ffff:127.0.0.1" },
    { "localhost", NULL },
    { "example.com", NULL },
    { "1.2.3.4.5", NULL },
    { "256.0.0.1", NULL },
    { "4294967296", NULL },
    { "127.0.0.1 x", NULL },
    { "127.0.0.1\tx", NULL },
    { "", NULL },
    { ".", NULL },
    { "1.2.3.4..", NULL },
};

TEST(an_address_is_known_in_every_spelling)
{
    for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
        struct sockaddr_storage sa;
        char text[ADDRESS_TEXT] = "";
        bool is = http_host_address(str_of(spellings[i].host), &sa);

        if (is)
            http_address_text((void *)&sa, text);
        if (is != !!spellings[i].address || (is && strcmp(text, spellings[i].address)))
            TAP_NOT("%s is \"%s\"", spellings[i].host, text);
    }
    OK(!http_host_address(STR("127.0.0.1\0"), &(struct sockaddr_storage){ 0 }));
}

TEST(names_of_metadata_services_are_refused)
{
    OK(!http_host_allowed(STR("metadata.google.internal")));
    OK(!http_host_allowed(STR("metadata.google.internal.")));
    OK(!http_host_allowed(STR("METADATA.Google.Internal")));
    OK(!http_host_allowed(STR("metadata.google")));
    OK(!http_host_allowed(STR("metadata.goog")));
    OK(!http_host_allowed(STR("metadata")));
    OK(!http_host_allowed(STR("instance-data")));
    OK(http_host_allowed(STR("metadata.google.internal.example.com")));
    OK(http_host_allowed(STR("xmetadata.google")));
    OK(http_host_allowed(STR("example.com")));
    OK(http_host_allowed(STR("")));
}

TEST(this_machine_is_known_by_name_and_address)
{
    OK(http_host_is_loopback(STR("localhost")));
    OK(http_host_is_loopback(STR("LocalHost.")));
    OK(http_host_is_loopback(STR("a.localhost")));
    OK(http_host_is_loopback(STR("127.1")));
    OK(http_host_is_loopback(STR("127.8.8.8")));
    OK(http_host_is_loopback(STR("::1")));
    OK(http_host_is_loopback(STR("::ffff:127.0.0.1")));
    OK(!http_host_is_loopback(STR("::ffff:126.0.0.1")));
    OK(!http_host_is_loopback(STR("::2")));
    OK(!http_host_is_loopback(STR("10.0.0.1")));
    OK(!http_host_is_loopback(STR(".localhost")));
    OK(!http_host_is_loopback(STR("notlocalhost")));
    OK(!http_host_is_loopback(STR("localhost.example.com")));
}

TEST_MAIN()
