/*
 * fuzz_address.c - any bytes as a host and as a range of addresses.
 *
 * An address that the guard lets pass outside is public in every form, and stays so when it is
 * written out and read again. A range contains its own base.
 */
#include "wire/address_guard.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void check_host(struct str host)
{
    const struct address_policy outside = { 0 };
    char text[ADDRESS_TEXT], why[ADDRESS_WHY];
    struct ip_address form[IP_FORMS];
    struct sockaddr_storage sa, again;

    http_host_allowed(host);
    if (!http_host_address(host, &sa))
        return;
    must(ip_forms((void *)&sa, form) > 0);
    must(address_guard_check(&outside, (void *)&sa, why) ==
         (address_kind_of((void *)&sa) == ADDRESS_PUBLIC));
    must(!http_host_is_loopback(host) || address_kind_of((void *)&sa) == ADDRESS_LOOPBACK);
    http_address_text((void *)&sa, text);
    must(http_host_address(str_of(text), &again));
    must(address_kind_of((void *)&again) == address_kind_of((void *)&sa));
}

static void check_range(struct str text)
{
    struct ip_range r;
    const char *why = NULL;

    if (ip_range_read(text, &r, &why))
        must(r.bits <= r.base.n * 8 && ip_in_range(&r.base, &r));
    else
        must(why != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str all = { (const char *)data, size };

    check_host(all);
    check_range(all);
    return 0;
}
