/*
 * file_watch.h - report that files have changed, appeared or disappeared.
 *
 * A snapshot is a number computed from the path, time of change, size and inode of every file; no
 * file is read. The owner is notified when the number changes. inotify triggers a new snapshot.
 * Changes that inotify misses (full queue, network file system, no descriptors left) are found by a
 * periodic snapshot. For a path that does not exist yet, the nearest existing parent folder is
 * watched.
 *
 * Several changes in quick succession are reported together. A snapshot blocks for one stat call
 * per file.
 */
#ifndef LOOP_FILE_WATCH_H
#define LOOP_FILE_WATCH_H

#include "loop/loop.h"

enum {
    FILE_WATCH_QUIET_MS = 50,  /* the owner is notified when nothing has changed for this time, */
    FILE_WATCH_LATEST_MS = 500 /* but at the latest this long after the first change */
};

/* A file, or a folder and its content down to `depth` levels (0: only the path itself). */
struct file_watch_path {
    const char *path; /* absolute */
    int depth;
};

struct file_watch_opts {
    struct loop *loop;
    const struct file_watch_path *path; /* borrowed until the watch is closed, with its strings */
    size_t paths;
    size_t most;     /* the maximum number of entries checked in one folder */
    int64_t look_ms; /* the interval of periodic snapshots */
    void (*changed)(void *ctx);
    void *ctx;
};

struct file_watch;

/* `changed` is called from the loop when the files differ from their state at this call. */
struct file_watch *file_watch_open(const struct file_watch_opts *o);

/* Check now. True: files have changed; `changed` is not called for these changes. */
bool file_watch_look(struct file_watch *w);

/* Stop reporting. Later *w is freed and done (may be NULL) is called, from the loop. */
void file_watch_close(struct file_watch *w, void (*done)(void *ctx), void *ctx);

#endif
