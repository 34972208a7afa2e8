/*
 * tool_pattern.h - the patterns in the tool lists of an agent, and which calls they match. Pure.
 *
 *   file_read            every call of that tool; * matches any part of a name
 *   git:status           a tool of an MCP server, as server:tool; mcp__git__status is the same,
 *                        and mcp__git means all its tools
 *   Read, Bash, ...      names that other programs use for the same tools (tool_pattern_alias)
 *   Bash(git diff:*)     calls that run this command (command_pattern.h), with any further words;
 *                        without :* there must be no further words
 *   Edit(docs)           calls that edit this path below the root. A folder matches everything in
 *                        it; ** also matches "/", * does not; ? matches one character. If a file is
 *                        moved, both paths must match. The tool compares the pattern again with the
 *                        file that it has opened (path_rules.h)
 *   WebFetch(domain:x.y) calls that fetch from this host
 *
 * Some calls cannot be compared with a pattern in brackets: a call of any other tool, a command
 * with environment variables, a path that leaves the root. A pattern in an allow list does not
 * match such a call; a pattern in a deny list does. In a deny list, Bash also matches the tools
 * that run programs in the background.
 */
#ifndef CORE_GUARD_TOOL_PATTERN_H
#define CORE_GUARD_TOOL_PATTERN_H

#include "base/pick.h"

/*
 * Return trefoil's name for the tool that another program calls `name`. If there is no such tool,
 * return `name`.
 */
struct str tool_pattern_alias(struct str name);

/* Is the syntax of the pattern correct? The function does not check whether such a tool exists. */
bool tool_pattern_check(struct str pattern, struct err *e);

/* A call, with the names that a list may use for its tool. */
struct pattern_call {
    struct str tool;  /* name of the tool, as it is published */
    struct str alias; /* tool.alias, such as server:tool; STR_NONE: a built-in tool */
    struct str other; /* tool.other_name; STR_NONE: none */
    struct json args; /* the arguments: an object, or missing */
    const char *root; /* absolute; paths in args may begin with it. NULL: there is no root */
    const char *cwd;  /* absolute; the base of relative paths. NULL: the root */
    /* path of the opened file, below the root; STR_NONE: use the paths in args */
    struct str opened;
};

enum pattern_use { PATTERN_ALLOWS, PATTERN_DENIES };

/*
 * Does the pattern match this call? A pattern with wrong syntax matches nothing in an allow list,
 * and everything in a deny list.
 */
bool tool_pattern_fits(struct str pattern, const struct pattern_call *call, enum pattern_use use);

/* Does any pattern of a list match? An absent list matches nothing. */
bool tool_patterns_fit(const struct pick_strs *list, const struct pattern_call *call,
                       enum pattern_use use);

/*
 * Can the pattern match some call of the tool? If so, the tool is offered. The function compares
 * only the names.
 */
bool tool_pattern_names(struct str pattern, const struct pattern_call *call);

/* For this tool, is the part of a pattern in brackets a path? */
bool tool_pattern_of_paths(struct str tool);

/* Does `s` match the pattern, in which * matches any bytes? */
bool tool_pattern_wild(struct str pattern, struct str s);

#endif
