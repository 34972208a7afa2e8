/*
 * walk.h - visit all files and folders below a folder, sorted by name, except ignored ones.
 *
 * Symbolic links are visited but never followed, so a walk cannot leave the folder or loop. Folders
 * that cannot be read are counted. The walk skips:
 *
 *   - .git
 *   - paths that .gitignore files exclude, also those of folders above the starting folder
 *   - paths that the rules of the place deny (core/guard/path_rules.h)
 *
 * It blocks, so run it on a pool thread.
 */
#ifndef TOOL_WALK_H
#define TOOL_WALK_H

#include "tool/ignore.h"
#include "tool/tool_job.h"

struct walk_item {
    struct str path; /* from the starting folder on; NUL-terminated, borrowed */
    const char *name;
    int folder; /* the descriptor of the folder it is in */
    struct stat st;
};

struct walk {
    struct tool_job *job; /* for its stop flag, limits and host */
    bool everything;      /* also what is ignored, but for .git */
    int64_t depth;        /* how many levels; 0: as many as limits.walk_depth */
    /* False ends the walk. */
    bool (*visit)(struct walk *w, const struct walk_item *item);
    void *ctx;

    /* What came of it. */
    int64_t seen;   /* entries looked at */
    int64_t unread; /* folders that could not be read, or lie too deep */
    bool cut;       /* limits.walk_entries was reached */

    /* Inside. */
    struct buf path;
    struct str prefix;              /* of the starting folder, for .gitignore: "" or "src/" */
    const struct path_rules *rules; /* of the place it begins at; NULL: none */
    bool hides_logs;                /* the folder `logs` is left out */
    struct stat logs;
    struct str begin; /* its path below the root, without links, for the rules */
    bool over;
};

/* False when the folder cannot be opened, or the job was stopped. */
bool walk_run(struct walk *w, const struct place *from, struct err *e);

/* The path of an item as a caller may give it: with that of the starting folder. */
struct str walk_full_path(struct arena *mem, const struct place *from, struct str path);

/* Sentences about what the walk skipped, each after a line feed; "" if it skipped nothing. */
struct str walk_remarks(const struct walk *w, struct arena *mem);

#endif
