/*
 * uri_template.h - match URIs against templates.
 *
 * RFC 6570, level 1: literals and {name}. An expression matches one or more characters up to
 * the next literal one, but no '/'.
 */
#ifndef PROTO_MCP_SERVER_URI_TEMPLATE_H
#define PROTO_MCP_SERVER_URI_TEMPLATE_H

#include "core/tool/offer.h"

/* Does `uri` match? If so, *vars is {"name":"value"}, percent-decoded, in mem. */
bool uri_template_match(struct arena *mem, struct str uri_template, struct str uri,
                        struct json *vars);

/*
 * Find the resource with this URI, else the first template that matches. For a template, *vars
 * becomes {"name":"value"}, percent-decoded, in mem; otherwise it is missing.
 */
const struct resource *uri_template_find(const struct offer *o, struct str uri, struct arena *mem,
                                         struct json *vars);

#endif
