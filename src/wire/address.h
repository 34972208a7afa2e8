/*
 * address.h - parse IP addresses, and determine what an address is reserved for.
 *
 * A host name can resolve to any address, so addresses are checked, not names. This file only
 * classifies addresses; address_guard.h decides which of them a request may connect to.
 *
 * Pure: no lookups, no I/O.
 */
#ifndef WIRE_ADDRESS_H
#define WIRE_ADDRESS_H

#include "base/str.h"

#include <sys/socket.h>

/* The order matters: if an address embeds another address, the higher kind of the two counts. */
enum address_kind {
    ADDRESS_PUBLIC, /* everyone on the internet can reach it */
    ADDRESS_RESERVED,
    ADDRESS_MULTICAST,
    ADDRESS_PRIVATE,
    ADDRESS_CGNAT,
    ADDRESS_LINK_LOCAL,
    ADDRESS_UNSPECIFIED, /* 0.0.0.0/8 and ::, which mean this machine */
    ADDRESS_LOOPBACK,
    ADDRESS_METADATA, /* the metadata service of a cloud */
    ADDRESS_NO_IP,    /* neither IPv4 nor IPv6 */
};

/* A text for error messages, such as "a loopback address". */
const char *address_kind_text(enum address_kind kind);

struct ip_address {
    uint8_t n; /* number of bytes: 4 or 16 */
    uint8_t b[16];
};

struct ip_range {
    uint8_t bits; /* number of leading bits of base that an address must have */
    struct ip_address base;
};

enum { IP_FORMS = 2 };

/*
 * Get the addresses that a connection to *sa may reach; each of them must be allowed. The result is
 * *sa itself. But if *sa only represents an IPv4 address (mapped, NAT64, 6to4, ...), the result is
 * that IPv4 address, and for ISATAP and Teredo it is both. Returns their number; 0: *sa is neither
 * IPv4 nor IPv6.
 */
size_t ip_forms(const struct sockaddr *sa, struct ip_address out[IP_FORMS]);

enum address_kind ip_kind(const struct ip_address *a);
bool ip_in_range(const struct ip_address *a, const struct ip_range *range);

/* The highest kind of all addresses of ip_forms. */
enum address_kind address_kind_of(const struct sockaddr *sa);

/*
 * Parse "10.1.0.0/16", "fd00::/8", or a single address without a length. Other spellings are
 * rejected: IPv4 must have four decimal numbers and must not be written as IPv6, and the bits after
 * the length must be 0. On failure *out_why is the reason.
 */
bool ip_range_read(struct str text, struct ip_range *out, const char **out_why);

/* False for the known names of cloud metadata services. Called before the name is resolved. */
bool http_host_allowed(struct str host);

/*
 * Parse a host that is an address, without brackets: 127.0.0.1, 127.1, 0x7f.1, 2130706433, ::1. A
 * dot at the end is ignored, as resolvers do. The port is 0. False: the host is a name.
 */
bool http_host_address(struct str host, struct sockaddr_storage *out);

/* Set the port of an IPv4 or IPv6 address. */
void http_address_set_port(struct sockaddr_storage *sa, uint16_t port);

/* Does the host mean this machine: localhost, a name below it, or a loopback address? */
bool http_host_is_loopback(struct str host);

enum { ADDRESS_TEXT = 46 };

/* Write the address as text, such as "192.0.2.1" or "2001:db8::1"; "?" for another family. */
void http_address_text(const struct sockaddr *sa, char out[ADDRESS_TEXT]);

#endif
