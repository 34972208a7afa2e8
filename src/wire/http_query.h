/* http_query.h - one value out of a query (a=1&b=2). */
#ifndef WIRE_HTTP_QUERY_H
#define WIRE_HTTP_QUERY_H

#include "base/arena.h"

/*
 * The value of `name`, percent-decoded into mem; STR_NONE when it is absent. False when it occurs
 * twice, or is wrongly encoded: two parsers could read it differently. '+' is a literal plus.
 */
bool http_query_get(struct arena *mem, struct str query, struct str name, struct str *out);

#endif
