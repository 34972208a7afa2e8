/*
 * file_watch.h - report that files have changed, appeared or disappeared.
 *
 * A snapshot is a number computed from everything visible without reading the files: path, time of
 * change, size, inode. The owner is notified when the number changes. inotify triggers a new
 * snapshot. Changes that inotify misses (full queue, network file system, no descriptors left) are
 * found by a periodic snapshot. For a path that does not exist yet, the nearest existing parent
 * folder is watched.
 *
 * A burst of changes is reported once, after a quiet moment. A snapshot blocks for one stat per
 * file.
 */
#ifndef LOOP_FILE_WATCH_H
#define LOOP_FILE_WATCH_H

#include "loop/loop.h"

enum {
    FILE_WATCH_QUIET_MS = 50,  /* without a change before the owner is notified */
    FILE_WATCH_LATEST_MS = 500 /* after the first one, however many follow */
};

/* A file; or a folder with what is in it, `depth` levels of folders deep (0: the path alone). */
struct file_watch_path {
    const char *path; /* absolute */
    int depth;
};

struct file_watch_opts {
    struct loop *loop;
    const struct file_watch_path *path; /* borrowed until it is closed, like the strings in it */
    size_t paths;
    size_t most;     /* the most entries of one folder that are checked */
    int64_t look_ms; /* from one look to the next, where the kernel is silent */
    void (*changed)(void *ctx);
    void *ctx;
};

struct file_watch;

/* The current state is the base; changed is called from the loop when the files differ from it. */
struct file_watch *file_watch_open(const struct file_watch_opts *o);

/* Check now. True: something had changed; the owner is not notified about it again. */
bool file_watch_look(struct file_watch *w);

/* Reports nothing any more; done (may be NULL) is called from the loop, and *w is freed then. */
void file_watch_close(struct file_watch *w, void (*done)(void *ctx), void *ctx);

#endif
