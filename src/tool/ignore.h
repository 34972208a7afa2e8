/*
 * ignore.h - decide whether .gitignore files exclude a path. Pure.
 *
 * Each .gitignore file is one struct, linked to that of the folder above. The file of the deepest
 * folder decides first. Within a file the last matching rule decides.
 */
#ifndef TOOL_IGNORE_H
#define TOOL_IGNORE_H

#include "base/arena.h"

struct ignore_rule {
    struct str pattern;
    bool negated, folders_only;
    bool anchored; /* matches the path from the file's folder on, else the last name */
};

struct ignore {
    const struct ignore *above; /* NULL: the topmost */
    struct str folder;          /* where the file lies: "" or "src/" */
    struct ignore_rule *rule;
    size_t rules;
};

/* Read a file's text. It and `folder` must live as long as mem, which holds the rest. */
const struct ignore *ignore_read(struct arena *mem, struct str text, struct str folder,
                                 const struct ignore *above);

/* Is a path, counted from the topmost folder, ignored? The folders above it are not looked at. */
bool ignored(const struct ignore *ig, struct str path, bool is_folder);

#endif
