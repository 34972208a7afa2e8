/*
 * config_reload.h - reloads the configuration when it has changed.
 *
 * SIGHUP or a changed file (file_watch.h) starts a reload. The owner gets a complete new
 * configuration. If the new configuration cannot be loaded, the old one stays in force and the
 * reason is logged.
 */
#ifndef RUNTIME_CONFIG_RELOAD_H
#define RUNTIME_CONFIG_RELOAD_H

#include "config/project.h"
#include "loop/file_watch.h"

enum { RELOAD_PATHS = 24 };

/*
 * List the paths from which the configuration is read, including missing files; in mem. Returns the
 * number of paths.
 */
size_t reload_paths(const struct project *project, struct arena *mem,
                    const char *out[RELOAD_PATHS]);

struct reload {
    struct project *project;
    struct loop *loop;
    /* memory of the current configuration, unless that is the first one */
    struct arena mem;
    const struct config *now; /* the current configuration */
    struct file_watch_path *path;
    size_t paths;
    struct file_watch *watch; /* watches the files; NULL: reloading was stopped */
    /* Use *c from now on. The previous configuration is freed after this returns. */
    void (*apply)(struct reload *r, const struct config *c);
};

bool reload_start(struct reload *r, struct project *project, struct loop *loop,
                  void (*apply)(struct reload *r, const struct config *c), struct err *e);

/*
 * Stop reloading, from the next turn of the loop on. The current configuration stays valid until
 * reload_fini.
 */
void reload_stop(struct reload *r);
void reload_fini(struct reload *r);

#endif
