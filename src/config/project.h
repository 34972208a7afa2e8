/*
 * project.h - the project of a command: the root folder, its state directory and its configuration.
 */
#ifndef CONFIG_PROJECT_H
#define CONFIG_PROJECT_H

#include "config/config.h"
#include "state/root.h"
#include "state/state_dir.h"

/* Lives as long as the program. */
struct project {
    struct arena mem; /* memory for data that lives as long as the project */
    /* value of --config; NULL: use trefoil.toml and the user's config.toml */
    const char *config_file;
    bool trust; /* --trust was given */
    struct root root;
    struct state_dir state;
    struct config config;
};

/*
 * Find the database of the root. ERR_NOT_FOUND: the root has no database. The function creates
 * nothing.
 */
bool project_find_database(struct project *p, const char **out, struct err *e);

/*
 * Open the state directory for a command that can also work without it. If the directory cannot be
 * used, prints the reason to stderr and sets *keeps to false, which means that nothing will be
 * stored. Returns false if the command must not run, because the directory is on a network file
 * system or its setting is not a path; the reason is printed to stderr.
 */
bool project_open_state(struct project *p, bool *keeps);

#endif
