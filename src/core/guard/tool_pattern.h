/*
 * tool_pattern.h - the entries of an agent's lists of tools, and which calls they match. Pure.
 *
 *   file_read            every call of that tool; * stands for any part of a name
 *   git:status           a tool of an MCP server, as server:tool; mcp__git__status is the same,
 *                        and mcp__git means all its tools
 *   Read, Bash, ...      names that other programs use for the same tools (tool_pattern_alias)
 *   Bash(git diff:*)     of a command (command_pattern.h): git diff and whatever follows; without
 *                        :* exactly this
 *   Edit(docs)           of a path below the root: a folder means all in it; two stars cross
 *                        folders, one does not, ? is one character. Both paths of a move must fit.
 *                        The tool compares again with what it has opened (path_rules.h)
 *   WebFetch(domain:x.y) of that host
 *
 * When a call cannot be judged (another tool with a part in brackets, a command with environment
 * variables, a path that leaves the root), a list that allows does not match it and a list that
 * denies does. In a list that denies, Bash also matches the tools that run programs in the
 * background.
 */
#ifndef CORE_GUARD_TOOL_PATTERN_H
#define CORE_GUARD_TOOL_PATTERN_H

#include "base/pick.h"

/* Our name for the tool of another program, or the name itself. */
struct str tool_pattern_alias(struct str name);

/* Is the syntax of the pattern correct? The error says what is wrong. Does not check whether such a
 * tool exists. */
bool tool_pattern_check(struct str pattern, struct err *e);

/* A call, by the names a list may use for it. */
struct pattern_call {
    struct str tool;   /* published name */
    struct str alias;  /* server:tool; STR_NONE for a built-in one */
    struct str other;  /* other_name of the tool; STR_NONE: none */
    struct json args;  /* an object or missing */
    const char *root;  /* absolute; paths in args may begin with it. NULL: none */
    const char *cwd;   /* absolute; the base of relative paths. NULL: the root */
    struct str opened; /* below the root: what was opened, instead of paths in args; or STR_NONE */
};

enum pattern_use { PATTERN_ALLOWS, PATTERN_DENIES };

/*
 * Does the pattern match this call? A pattern with wrong syntax matches nothing in a list that
 * allows, and everything in a list that denies.
 */
bool tool_pattern_fits(struct str pattern, const struct pattern_call *call, enum pattern_use use);

/* Does any pattern of a list match? An absent list has none. */
bool tool_patterns_fit(const struct pick_strs *list, const struct pattern_call *call,
                       enum pattern_use use);

/* Can the pattern match some call of the tool, so that the tool is offered? Looks at names only. */
bool tool_pattern_names(struct str pattern, const struct pattern_call *call);

/* For this tool, is the part in brackets a path? */
bool tool_pattern_of_paths(struct str tool);

/* Does `s` match the pattern, in which * stands for any bytes? */
bool tool_pattern_wild(struct str pattern, struct str s);

#endif
