/*
 * config_reload.h - detect that the configuration has changed, and reload it.
 *
 * SIGHUP or a changed file (file_watch.h) starts a reload. The owner gets a complete new
 * configuration. If it cannot be loaded, the old configuration stays in force and the reason is
 * logged.
 */
#ifndef RUNTIME_CONFIG_RELOAD_H
#define RUNTIME_CONFIG_RELOAD_H

#include "config/project.h"
#include "loop/file_watch.h"

enum { RELOAD_PATHS = 24 };

/* The files that a configuration is read from, also missing ones; in mem. Returns their number. */
size_t reload_paths(const struct project *project, struct arena *mem,
                    const char *out[RELOAD_PATHS]);

struct reload {
    struct project *project;
    struct loop *loop;
    struct arena mem;         /* of the configuration in force, unless it is the first one */
    const struct config *now; /* in force */
    struct file_watch_path *path;
    size_t paths;
    struct file_watch *watch; /* NULL: stopped */
    /* Use it from now on; the previous one is freed when this returns. */
    void (*apply)(struct reload *r, const struct config *c);
};

bool reload_start(struct reload *r, struct project *project, struct loop *loop,
                  void (*apply)(struct reload *r, const struct config *c), struct err *e);

/* Stop reloading, from the next turn of the loop on. The configuration stays valid until
 * reload_fini. */
void reload_stop(struct reload *r);
void reload_fini(struct reload *r);

#endif
