#include "proto/a2a/server/a2a_proxy.h"

#include "wire/address.h"
#include "wire/http1_parse.h"

enum { HOPS_MOST = 16 };

/* "127.0.0.1:40312" or "[::1]:40312" without the port and the brackets. */
static struct str address_of(struct str remote)
{
    struct str host, port;

    if (!http1_authority(remote, &host, &port))
        return remote;
    if (host.n > 2 && host.p[0] == '[')
        host = (struct str){ host.p + 1, host.n - 2 };
    return host;
}

static bool is_trusted(const struct a2a_setup *setup, struct str address)
{
    for (size_t i = 0; i < setup->proxies.n; i++)
        if (str_eq_nocase(setup->proxies.v[i], address))
            return true;
    return false;
}

/* The last one of a list "client, proxy, proxy" that is no proxy of ours. */
static struct str forwarded_client(const struct a2a_setup *setup, struct str list)
{
    struct str hop[HOPS_MOST];
    size_t n = 0;

    while (list.p && n < HOPS_MOST)
        hop[n++] = address_of(str_trim(str_cut(&list, ',')));
    if (list.p) /* too long to be believed */
        return STR("?");
    while (n && is_trusted(setup, hop[n - 1]))
        n--;
    return n ? hop[n - 1] : STR_NONE;
}

bool a2a_client_is_local(const struct a2a_setup *setup, const struct http_req *req)
{
    struct sockaddr_storage address;
    struct str client = STR_NONE;

    if (req->has_uid)
        return true;
    if (is_trusted(setup, address_of(req->remote)))
        client = forwarded_client(setup, http_req_header(req, "x-forwarded-for"));
    if (!client.n)
        return req->loopback;
    return http_host_address(client, &address) &&
           address_kind_of((const struct sockaddr *)&address) == ADDRESS_LOOPBACK;
}

/* The text goes into a card, so it must be a host with an optional port and nothing else. */
static struct str forwarded_host(struct http_req *req)
{
    struct str host = http_req_header(req, "x-forwarded-host"), name, port;

    return host.n && http1_authority(host, &name, &port) ? host : STR_NONE;
}

struct str a2a_base_url(const struct a2a_setup *setup, struct http_req *req)
{
    struct str url = setup->public_url, host = http_req_header(req, "host"), sent = STR_NONE;
    bool proxied = is_trusted(setup, address_of(req->remote)), tls = false;

    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    if (url.n)
        return url;
    if (proxied) {
        sent = forwarded_host(req);
        tls = str_eq_nocase(http_req_header(req, "x-forwarded-proto"), STR("https"));
    }
    return arena_printf(&req->mem, "%s" STR_FMT, tls ? "https://" : "http://",
                        STR_ARG(sent.n ? sent : host));
}
