/* tool_find.h - what a command line means by a tool and its arguments. */
#ifndef APP_TOOL_FIND_H
#define APP_TOOL_FIND_H

#include "app/once.h"

/*
 * The tool of a name, its server connected; NULL and the reason when there is none. Servers that do
 * not connect are reported on stderr.
 */
const struct tool *tool_find(struct once *o, struct str name, struct err *e);

/* A JSON object; "-" reads it from stdin. */
bool tool_find_args(struct arena *mem, const struct limits *limits, struct str text,
                    struct json *out, struct err *e);

#endif
