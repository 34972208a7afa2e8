/* tool_find.h - finds the tool and parses the tool arguments of a command line. */
#ifndef APP_TOOL_FIND_H
#define APP_TOOL_FIND_H

#include "app/short_service.h"

/*
 * Connect the servers and find a tool by name. If there is no such tool, returns NULL, with the
 * reason in *e. Servers that cannot be connected are reported on stderr.
 */
const struct tool *tool_find(struct once *o, struct str name, struct err *e);

/* Parse a JSON object. If `text` is "-", the object is read from stdin. */
bool tool_find_args(struct arena *mem, const struct limits *limits, struct str text,
                    struct json *out, struct err *e);

#endif
