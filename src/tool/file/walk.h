/*
 * walk.h - visits all files and folders below a folder, sorted by name, except ignored ones.
 *
 * Symbolic links are visited but never followed, so a walk cannot leave the folder or loop. Folders
 * that cannot be read are counted. The walk skips:
 *
 *   - .git
 *   - paths that .gitignore files exclude, including the .gitignore files of the folders above the
 *     starting folder
 *   - paths that the rules of the place deny (core/guard/path_rules.h)
 *
 * A walk blocks, so run it on a pool thread.
 */
#ifndef TOOL_FILE_WALK_H
#define TOOL_FILE_WALK_H

#include "tool/file/ignore.h"
#include "tool/tool_job.h"

struct walk_item {
    struct str path; /* path relative to the starting folder; NUL-terminated, borrowed */
    const char *name;
    int folder; /* descriptor of the folder that contains the item */
    struct stat st;
};

struct walk {
    struct tool_job *job; /* provides the stop flag, the limits and the host */
    bool everything;      /* also visit ignored paths, except .git */
    int64_t depth;        /* maximum number of levels; 0: limits.walk_depth */
    /* Called for each item. Return false to end the walk. */
    bool (*visit)(struct walk *w, const struct walk_item *item);
    void *ctx;

    /* Results: */
    int64_t seen;   /* number of entries that were checked */
    int64_t unread; /* number of folders that could not be read, or that are nested too deeply */
    bool cut;       /* the walk stopped, because it reached limits.walk_entries */

    /* Private: */
    struct buf path;
    struct str prefix;              /* path of the starting folder for .gitignore: "" or "src/" */
    const struct path_rules *rules; /* rules of the starting folder; NULL: none */
    bool hides_logs;                /* skip the folder whose identity is in `logs` */
    struct stat logs;
    /* the path of the starting folder below the root, without links, to which the rules apply */
    struct str begin;
    bool over;
};

/* Run the walk. False: the folder cannot be opened, or the job was stopped. */
bool walk_run(struct walk *w, const struct place *from, struct err *e);

/* Return the path of the starting folder plus the path of an item, for use in later calls. */
struct str walk_full_path(struct arena *mem, const struct place *from, struct str path);

/*
 * Return sentences about what the walk skipped, each after a line feed; "" if the walk skipped
 * nothing.
 */
struct str walk_remarks(const struct walk *w, struct arena *mem);

#endif
