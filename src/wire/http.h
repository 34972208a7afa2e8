/* http.h - functions for both the HTTP server and the HTTP client. */
#ifndef WIRE_HTTP_H
#define WIRE_HTTP_H

#include "base/str.h"

struct http_header {
    struct str name, value;
};

/* The reason phrase of a status: "Not Found" for 404. "Unknown" for a status that we never send. */
const char *http_status_text(int status);

/* The value of the first header with this name, in any case; STR_NONE if there is none. */
struct str http_header_get(const struct http_header *h, size_t n, const char *name);

/* Does an Accept header with this value accept the media type? Without a header (STR_NONE) all
 * types are accepted. */
bool http_accepts(struct str accept, const char *type);

enum { HTTP_DATE = 30 };

/* Format a time for an HTTP header, such as "Sun, 06 Nov 1994 08:49:37 GMT". The year must be from
 * 1970 to 9999. */
void http_date(int64_t wall_ms, char out[HTTP_DATE]);

#endif
