/* Which addresses a request may connect to, by its policy. */
#include "tap.h"
#include "wire/address_guard.h"

#include <netinet/in.h>
#include <unistd.h>

static bool allowed(const struct address_policy *p, const char *host, uint16_t port,
                    char why[ADDRESS_WHY])
{
    struct sockaddr_storage sa;

    if (!http_host_address(str_of(host), &sa))
        TAP_NOT("%s is no address", host);
    http_address_set_port(&sa, port);
    why[0] = 0;
    return address_guard_check(p, (void *)&sa, why);
}

/* One letter for each policy that allows it: public, configured, loopback, ranges, everything. */
static const struct {
    const char *host, *who;
} rows[] = {
    { "8.8.8.8", "pclre" },
    { "2606:4700::1111", "pclre" },
    { "::ffff:8.8.8.8", "pclre" },
    { "127.0.0.1", "cle" },
    { "127.9.9.9", "cle" },
    { "::1", "cle" },
    { "::ffff:127.0.0.1", "cle" },
    { "64:ff9b::127.0.0.1", "cle" },
    { "0.0.0.0", "ce" },
    { "::", "ce" },
    { "10.1.2.3", "cre" },
    { "10.2.2.3", "ce" },
    { "::ffff:10.1.2.3", "cre" },
    { "2002:a01:203::1", "cre" },
    { "64:ff9b::10.1.2.3", "cre" },
    { "2a00::5efe:10.1.2.3", "cre" },
    { "2a00::5efe:10.2.2.3", "ce" },
    { "fd00:7::5efe:10.1.2.3", "cre" },
    { "fd00:8::5efe:10.1.2.3", "ce" }, /* of two forms, one is allowed */
    { "fd00:7::1", "cre" },
    { "fd00:8::1", "ce" },
    { "192.168.0.1", "ce" },
    { "169.254.0.1", "ce" },
    { "fe80::1", "ce" },
    { "100.64.0.1", "ce" },
    { "224.0.0.1", "ce" },
    { "255.255.255.255", "ce" },
    { "192.0.2.1", "ce" },
    { "2001:db8::1", "ce" },
    { "2001::f5fe:fdfc", "ce" }, /* Teredo, 10.1.2.3 */
    { "169.254.169.254", "" },
    { "::ffff:169.254.169.254", "" },
    { "64:ff9b::169.254.169.254", "" },
    { "2002:a9fe:a9fe::1", "" },
    { "2001::5601:5601", "" },
    { "fd00:7::5efe:169.254.169.254", "" },
    { "100.100.100.200", "" },
    { "fd00:ec2::254", "" },
};

TEST(each_policy_allows_its_addresses)
{
    static const struct ip_range some[] = {
        { 16, { 4, { 10, 1 } } },
        { 32, { 16, { 0xfd, 0, 0, 7 } } },
        { 32, { 4, { 100, 100, 100, 200 } } },
    };
    static const struct ip_range all[] = { { 0, { 4, { 0 } } }, { 0, { 16, { 0 } } } };
    static const struct address_policy policy[] = {
        { 0 },
        { .configured = true },
        { .loopback = true },
        { .range = some, .ranges = ARRAY_LEN(some) },
        { .range = all, .ranges = ARRAY_LEN(all) },
    };
    static const char letter[] = "pclre";
    char why[ADDRESS_WHY];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (size_t k = 0; k < ARRAY_LEN(policy); k++) {
            bool want = strchr(rows[i].who, letter[k]) != NULL;

            if (allowed(&policy[k], rows[i].host, 80, why) != want)
                TAP_NOT("%s, policy %c: want %d; %s", rows[i].host, letter[k], want, why);
            if (!want && !why[0])
                TAP_NOT("%s, policy %c: no reason", rows[i].host, letter[k]);
        }
}

TEST(own_ports_are_refused_on_each_address_of_this_machine)
{
    static const char *const here[] = { "127.0.0.1", "127.8.8.8", "0.0.0.0", "::ffff:127.0.0.1",
                                        "64:ff9b::127.0.0.1" };
    static const struct ip_range all[] = { { 0, { 4, { 0 } } }, { 0, { 16, { 0 } } } };
    static const uint16_t ports[] = { 8733, 0 };
    const struct address_policy p = { .loopback = true,
                                      .range = all,
                                      .ranges = ARRAY_LEN(all),
                                      .own_port = ports,
                                      .own_ports = ARRAY_LEN(ports) };
    char why[ADDRESS_WHY];

    for (size_t i = 0; i < ARRAY_LEN(here); i++) {
        if (allowed(&p, here[i], 8733, why) || !strstr(why, "this trefoil server"))
            TAP_NOT("%s: %s", here[i], why);
        OK(allowed(&p, here[i], 8734, why));
        OK(allowed(&p, here[i], 0, why)); /* no port of ours */
    }
    OK(allowed(&p, "192.0.2.1", 8733, why)); /* another machine */
    OK(allowed(&p, "8.8.8.8", 8733, why));
    OK(allowed(&(struct address_policy){ .configured = true, .own_port = ports, .own_ports = 1 },
               "127.0.0.1", 8733, why));
}

TEST(a_refusal_names_the_rule_and_what_allows_the_address)
{
    const struct address_policy p = { 0 };
    char why[ADDRESS_WHY];

    OK(!allowed(&p, "::ffff:10.1.2.3", 80, why));
    EQ_STR(why, "an address of a private network; allow_private = [\"10.1.2.3\"] in [web] of the "
                "user's config.toml allows it");
    OK(!allowed(&p, "169.254.169.254", 80, why));
    EQ_STR(why, "the address of a cloud metadata service, which no setting allows");
    OK(!address_guard_check(&p, &(struct sockaddr){ .sa_family = AF_UNIX }, why));
    EQ_STR(why, "not an IP address, which no setting allows");
}

TEST_MAIN()
