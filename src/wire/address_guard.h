/*
 * address_guard.h - check whether a request may connect to an address.
 *
 * A URL from outside (from a model, a page, a redirect, a push target, an agent card) must not lead
 * to services that outsiders cannot reach: services of this machine or of its networks, and the
 * metadata service of a cloud. Each such request has a policy, which its caller owns:
 *
 *   { 0 }                                public addresses only
 *   { .range = ..., .own_port = ... }    also addresses that the user has configured, but not the
 *                                        ports of trefoil itself
 *   { .loopback = true } also this machine { .configured = true } the user configured the URL: all
 *   addresses except metadata services
 *
 * For a URL from outside, and for each redirect, the HTTP client (http_client.h) does this:
 *
 *   1. It resolves the name once (loop/lookup.h) and checks every address. If one of them is
 *      not allowed, the request fails, even if others are allowed.
 *   2. It passes these addresses to libcurl, which does not resolve the name again. So a different
 *      second answer of the name server (DNS rebinding) has no effect.
 *   3. The function that opens the sockets of libcurl checks the address of each socket, and before
 *      the request is sent, the address of the connection is checked. These checks do not rely on
 *      steps 1 and 2, and nothing can change between check and use.
 *   4. It uses no proxy, because a proxy resolves names itself. If only a proxy can reach the
 *      internet, such requests fail.
 *
 * For a configured URL, only step 3 is done, and the proxy of the environment may be used.
 */
#ifndef WIRE_ADDRESS_GUARD_H
#define WIRE_ADDRESS_GUARD_H

#include "wire/address.h"

/* Must stay valid during each request that uses it. Its members may change during a request. */
struct address_policy {
    bool configured;
    bool loopback; /* 127.0.0.0/8 and ::1 are allowed, except for own_port */

    /* Networks that are allowed, too, except for metadata services and own_port. */
    const struct ip_range *range;
    size_t ranges;

    /* Ports at which this program listens. They are denied on every address of this machine. */
    const uint16_t *own_port;
    size_t own_ports;
};

enum { ADDRESS_WHY = 160 };

/*
 * Is *sa, which must have a port, allowed? If not, `why` names the rule and how to allow the
 * address: "a loopback address; add 127.0.0.1 to ...".
 */
bool address_guard_check(const struct address_policy *p, const struct sockaddr *sa,
                         char why[ADDRESS_WHY]);

#endif
