/*
 * project.h - one root as a command finds it: its folder, its state directory, its configuration.
 */
#ifndef CONFIG_PROJECT_H
#define CONFIG_PROJECT_H

#include "config/config.h"
#include "state/root.h"
#include "state/state_dir.h"

/* Program lifetime. */
struct project {
    struct arena mem;        /* for data with the same lifetime */
    const char *config_file; /* --config; NULL: trefoil.toml and the user's config.toml */
    bool trust;              /* --trust */
    struct root root;
    struct state_dir state;
    struct config config;
};

/* Find the database of the root. ERR_NOT_FOUND: there is none. Creates nothing. */
bool project_find_database(struct project *p, const char **out, struct err *e);

/*
 * Open the state directory for a command that can also work without it. When the directory cannot be
 * used, *keeps is false and stderr says why nothing is kept. False, with the reason on stderr, when
 * the command must not run: the directory is on a network file system, or its setting is not a path.
 */
bool project_open_state(struct project *p, bool *keeps);

#endif
