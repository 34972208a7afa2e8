/*
 * path_rules.h - checks path patterns such as Edit(docs) against the file that was opened.
 *
 * The guard compares patterns with the path that a call names. A symbolic link in that path may
 * lead elsewhere, so the tool checks again: it compares the patterns with the path of the opened
 * descriptor (tool/file/beneath.h), and then uses that descriptor.
 */
#ifndef CORE_GUARD_PATH_RULES_H
#define CORE_GUARD_PATH_RULES_H

#include "core/guard/guard_check.h"

struct path_rules;

/*
 * Return the path patterns of a scope and all its parents that apply to this tool. NULL: there are
 * none, which is the usual case. The result is a copy in mem, which pool threads may read.
 */
const struct path_rules *path_rules_of(struct arena *mem, const struct guard_scope *scope,
                                       const struct tool *tool);

/*
 * May the call use the file at this path below the root (STR_NONE: outside the root)? If not, *e is
 * ERR_DENIED.
 */
bool path_rules_check(const struct path_rules *r, struct str path, struct err *e);

#endif
