/*
 * config.h - what the files say.
 *
 * trefoil.toml in the root lies over the user's config.toml; --config FILE stands in for both.
 * Read strictly: an unknown key, a wrong type, a duplicate or a value out of range is an error
 * with file, line and column, and nothing is applied.
 */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "app/root.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/pick.h"

struct config {
    struct str listen;      /* [serve] listen */
    struct pick_strs hosts; /* [serve] hosts */
    enum log_level log_level;
    bool log_json;
    struct limits limits;
    const char *files[2]; /* those that were read, the weaker first */
    size_t file_count;
};

/* All defaults. */
void config_preset(struct config *c);

/* Read the files; `chosen` is the value of --config, or NULL. Absent default files are fine. */
bool config_load(struct arena *mem, const struct root *root, const char *chosen, struct config *c,
                 struct err *e);

#endif
