/* http_query.h - one value out of a query (a=1&b=2). */
#ifndef WIRE_HTTP_QUERY_H
#define WIRE_HTTP_QUERY_H

#include "base/arena.h"

/*
 * The value of `name`, percent-decoded into mem; STR_NONE when it is not there. False when it is
 * there twice, or is not well encoded: what two readers could take differently is no value. '+'
 * stands for itself.
 */
bool http_query_get(struct arena *mem, struct str query, struct str name, struct str *out);

#endif
