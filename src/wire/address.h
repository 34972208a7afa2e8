/*
 * address.h - which addresses trefoil may connect to.
 *
 * A URL from outside (a push target, a page, a redirect, an agent card) must not reach addresses
 * that only this machine can reach: the machine itself, its network, the metadata service of a
 * cloud. The host name does not show that, only the address that it resolves to does: every address
 * is checked right before the connection is made.
 *
 * Pure: no lookups, no I/O.
 */
#ifndef WIRE_ADDRESS_H
#define WIRE_ADDRESS_H

#include "base/str.h"

#include <sys/socket.h>

enum address_policy {
    ADDRESS_PUBLIC,       /* only what is reachable for everyone on the internet */
    ADDRESS_NOT_METADATA, /* all but cloud metadata services: for what the operator configured */
};

/* IPv4, and IPv6 with all forms that carry an IPv4 address. Other families are refused. */
bool http_address_allowed(const struct sockaddr *sa, enum address_policy policy);

/* Refuses names that cloud metadata services are known by, before they are resolved. */
bool http_host_allowed(struct str host);

/*
 * An address written as a host: 127.0.0.1, 127.1, 0x7f.1, 2130706433, ::1 - without brackets;
 * a dot at the end is ignored as resolvers do. False when it is a name.
 */
bool http_host_address(struct str host, struct sockaddr_storage *out);

/* Is it this machine, by name (localhost and below) or written as an address? */
bool http_host_is_loopback(struct str host);

enum { ADDRESS_TEXT = 46 };

/* 192.0.2.1 or 2001:db8::1, NUL-terminated; "?" for another family. */
void http_address_text(const struct sockaddr *sa, char out[ADDRESS_TEXT]);

#endif
