#include "tap.h"
#include "wire/address.h"

#include <netinet/in.h>

enum { NO = 0, PUB = 1, CFG = 2, BOTH = 3 }; /* who may connect */

static const struct {
    const char *host;
    int allowed;
} addresses[] = {
    /* the internet */
    { "8.8.8.8", BOTH },
    { "1.1.1.1", BOTH },
    { "93.184.216.34", BOTH },
    { "2606:4700::1111", BOTH },
    { "2001:4860:4860::8888", BOTH },
    { "2a00:1450:4001::1", BOTH },
    { "3ffe::1", BOTH },

    /* this machine */
    { "127.0.0.1", CFG },
    { "127.255.255.255", CFG },
    { "0.0.0.0", CFG },
    { "0.1.2.3", CFG },
    { "::1", CFG },
    { "::", CFG },

    /* the edges of the private networks */
    { "9.255.255.255", BOTH },
    { "10.0.0.0", CFG },
    { "10.255.255.255", CFG },
    { "11.0.0.0", BOTH },
    { "100.63.255.255", BOTH },
    { "100.64.0.0", CFG },
    { "100.127.255.255", CFG },
    { "100.128.0.0", BOTH },
    { "126.255.255.255", BOTH },
    { "128.0.0.0", BOTH },
    { "169.253.255.255", BOTH },
    { "169.254.0.1", CFG },
    { "169.255.0.0", BOTH },
    { "172.15.255.255", BOTH },
    { "172.16.0.0", CFG },
    { "172.31.255.255", CFG },
    { "172.32.0.0", BOTH },
    { "192.167.255.255", BOTH },
    { "192.168.0.0", CFG },
    { "192.168.255.255", CFG },
    { "192.169.0.0", BOTH },

    /* special networks */
    { "192.0.0.1", CFG },
    { "192.0.1.0", BOTH },
    { "192.0.2.1", CFG },
    { "192.0.3.0", BOTH },
    { "192.88.99.1", CFG },
    { "198.17.255.255", BOTH },
    { "198.18.0.1", CFG },
    { "198.19.255.255", CFG },
    { "198.20.0.0", BOTH },
    { "198.51.100.7", CFG },
    { "203.0.113.7", CFG },
    { "223.255.255.255", BOTH },
    { "224.0.0.1", CFG },
    { "239.255.255.255", CFG },
    { "240.0.0.1", CFG },
    { "255.255.255.255", CFG },
    { "fc00::1", CFG },
    { "fd00::1", CFG },
    { "fdff:ffff::1", CFG },
    { "fe80::1", CFG },
    { "febf::1", CFG },
    { "fec0::1", CFG },
    { "ff02::1", CFG },
    { "100::1", CFG },
    { "2001:db8::1", CFG },
    { "2001:db9::1", BOTH },
    { "2001::1", CFG },
    { "2001:1ff:ffff::1", CFG },
    { "2001:200::1", BOTH },
    { "3fff::1", CFG },
    { "3fff:fff::1", CFG },
    { "3fff:1000::1", BOTH },
    { "4000::1", CFG },
    { "1fff::1", CFG },

    /* metadata services */
    { "169.254.169.254", NO },
    { "169.254.169.253", CFG },
    { "169.254.170.2", NO },
    { "169.254.170.23", NO },
    { "168.63.129.16", NO },
    { "168.63.129.17", BOTH },
    { "100.100.100.200", NO },
    { "192.0.0.192", NO },
    { "fd00:ec2::254", NO },
    { "fd00:ec2::23", NO },
    { "fd00:ec2::253", CFG },
    { "fd20:ce::254", NO },

    /* IPv4 inside IPv6 */
    { "::ffff:8.8.8.8", BOTH },
    { "::ffff:127.0.0.1", CFG },
    { "::ffff:10.1.2.3", CFG },
    { "::ffff:169.254.169.254", NO },
    { "::8.8.8.8", BOTH },
    { "::127.0.0.1", CFG },
    { "::169.254.169.254", NO },
    { "::ffff:0:8.8.8.8", BOTH },
    { "::ffff:0:192.168.1.1", CFG },
    { "::ffff:0:169.254.169.254", NO },
    { "64:ff9b::8.8.8.8", BOTH },
    { "64:ff9b::127.0.0.1", CFG },
    { "64:ff9b::169.254.169.254", NO },
    { "64:ff9b:1::8.8.8.8", CFG },
    { "2002:808:808::1", BOTH },
    { "2002:7f00:1::", CFG },
    { "2002:a00:1::1", CFG },
    { "2002:c0a8:101::1", CFG },
    { "2002:a9fe:a9fe::1", NO },
    { "2a00::5efe:8.8.8.8", BOTH },
    { "2a00::5efe:127.0.0.1", CFG },
    { "2a00::200:5efe:10.0.0.1", CFG },
    { "2a00::5efe:169.254.169.254", NO },
    { "2a00::5eff:127.0.0.1", BOTH },
};

TEST(each_address_is_for_whom_it_should_be)
{
    for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
        struct sockaddr_storage sa;
        int allowed = 0;

        if (!http_host_address(str_of(addresses[i].host), &sa)) {
            TAP_NOT("%s is no address", addresses[i].host);
            continue;
        }
        allowed |= http_address_allowed((void *)&sa, ADDRESS_PUBLIC) ? PUB : 0;
        allowed |= http_address_allowed((void *)&sa, ADDRESS_NOT_METADATA) ? CFG : 0;
        if (allowed != addresses[i].allowed)
            TAP_NOT("%s: %d, want %d", addresses[i].host, allowed, addresses[i].allowed);
    }
}

TEST(other_families_are_refused)
{
    struct sockaddr_storage sa = { .ss_family = AF_UNIX };
    char text[ADDRESS_TEXT];

    OK(!http_address_allowed((void *)&sa, ADDRESS_PUBLIC));
    OK(!http_address_allowed((void *)&sa, ADDRESS_NOT_METADATA));
    http_address_text((void *)&sa, text);
    EQ_STR(text, "?");
}

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
