/* http.h - what the HTTP server and the HTTP client share. */
#ifndef WIRE_HTTP_H
#define WIRE_HTTP_H

#include "base/str.h"

struct http_header {
    struct str name, value;
};

/* "Not Found" for 404; "Unknown" for a code we never send. */
const char *http_status_text(int status);

/* The value of a header, by name in any case; STR_NONE when absent. First one wins. */
struct str http_header_get(const struct http_header *h, size_t n, const char *name);

/* Is `type`, or a range that covers it, in the value of Accept? An absent value accepts all. */
bool http_accepts(struct str accept, const char *type);

enum { HTTP_DATE = 30 };

/* Sun, 06 Nov 1994 08:49:37 GMT, NUL-terminated. For years 1970 to 9999. */
void http_date(int64_t wall_ms, char out[HTTP_DATE]);

#endif
