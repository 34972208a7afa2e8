/*
 * gumbo_api.h - loads libgumbo, the HTML parser, when a page is first converted
 * (loop/shared_lib.h).
 */
#ifndef TOOL_GUMBO_API_H
#define TOOL_GUMBO_API_H

#include "base/err.h"

#include <gumbo.h>

struct gumbo_api {
    __typeof__(gumbo_parse_with_options) *parse;
    __typeof__(gumbo_get_attribute) *attribute;
};

/*
 * Get the functions of the library. The first call, on any thread, loads it. ERR_SYSTEM: the
 * message names the package to install.
 */
bool gumbo_api_open(const struct gumbo_api **out, struct err *e);

#endif
