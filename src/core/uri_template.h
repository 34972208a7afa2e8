/*
 * uri_template.h - which URIs a template stands for, and with what values.
 *
 * RFC 6570, level 1: literals and {name}. An expression matches one or more characters up to
 * the next literal one, but no '/'.
 */
#ifndef CORE_URI_TEMPLATE_H
#define CORE_URI_TEMPLATE_H

#include "base/json.h"

/* Does `uri` fit? Then *vars becomes {"name":"value"}, percent-decoded, in mem. */
bool uri_template_match(struct arena *mem, struct str uri_template, struct str uri,
                        struct json *vars);

#endif
