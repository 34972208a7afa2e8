/*
 * path_rules.h - patterns of paths, such as Edit(docs), for the path that was really opened.
 *
 * The guard compares patterns with the path that a call names. A link in it may lead elsewhere, so
 * the tool compares again: with the path of the file that it has opened, by its descriptor
 * (tool/beneath.h). So the tool uses the file that was checked.
 */
#ifndef CORE_GUARD_PATH_RULES_H
#define CORE_GUARD_PATH_RULES_H

#include "core/guard/guard_check.h"

struct path_rules;

/*
 * The rules of a scope and of all its parents about paths of this tool; NULL: none, which is usual.
 * A copy in mem: pool threads may read it.
 */
const struct path_rules *path_rules_of(struct arena *mem, const struct guard_scope *scope,
                                       const struct tool *tool);

/* May the call use what lies at a path below the root? STR_NONE: it lies elsewhere. ERR_DENIED. */
bool path_rules_check(const struct path_rules *r, struct str path, struct err *e);

#endif
