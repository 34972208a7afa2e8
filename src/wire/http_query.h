/* http_query.h - get one value of a query string (a=1&b=2). */
#ifndef WIRE_HTTP_QUERY_H
#define WIRE_HTTP_QUERY_H

#include "base/arena.h"

/*
 * Get the value of `name`, percent-decoded into mem; STR_NONE if it is absent. False: the name
 * occurs twice or its encoding is invalid, so two parsers could read it differently. A '+' is not
 * decoded to a space.
 */
bool http_query_get(struct arena *mem, struct str query, struct str name, struct str *out);

#endif
