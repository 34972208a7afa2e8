/*
 * ignore.h - decides whether .gitignore files exclude a path. Pure.
 *
 * Each .gitignore file is one struct, which points to the struct of the folder above. The file in
 * the deepest folder decides first. Within a file, the last matching rule decides.
 */
#ifndef TOOL_FILE_IGNORE_H
#define TOOL_FILE_IGNORE_H

#include "base/arena.h"

struct ignore_rule {
    struct str pattern;
    bool negated, folders_only;
    /*
     * true: the pattern is compared with the path below the folder of the .gitignore file; false:
     * with the last name of the path
     */
    bool anchored;
};

struct ignore {
    const struct ignore *above; /* NULL: this is the topmost file */
    struct str folder;          /* folder of the .gitignore file: "" or "src/" */
    struct ignore_rule *rule;
    size_t rules;
};

/* Parse the text of a .gitignore file. `text` and `folder` must live as long as mem. */
const struct ignore *ignore_read(struct arena *mem, struct str text, struct str folder,
                                 const struct ignore *above);

/*
 * Is a path ignored? `path` is relative to the topmost folder. The function does not check whether
 * the parent folders of the path are ignored.
 */
bool ignored(const struct ignore *ig, struct str path, bool is_folder);

#endif
