/*
 * client_programs.h - the programs that can use trefoil as an MCP server: the paths of their
 * configuration files, and the format of a server entry.
 */
#ifndef CONFIG_CLIENT_PROGRAMS_H
#define CONFIG_CLIENT_PROGRAMS_H

#include "config/entry_edit.h"

/* How the client starts trefoil. */
struct client_launch {
    const char *program;
    const char *const *args; /* ended by NULL */
};

struct client_program {
    const char *name;
    /* the program's configuration file in a project, below the root; NULL: it has none */
    const char *project;
    /*
     * the program's configuration file for the user, in the form of client_path(); NULL: do not
     * edit that file
     */
    const char *user;
    const char *map;   /* the key under which the file lists servers */
    entry_put_fn *put; /* adds an entry to a file of this format */
    void (*write_stdio)(struct jw *w, const struct client_launch *launch);
    /* writes an entry with a URL; NULL: the file does not support URLs */
    void (*write_http)(struct jw *w, const char *url);
    const char *hint; /* a text to print after the file was written; NULL: no text */
};

/* Return the i-th program. NULL: there is no i-th program. */
const struct client_program *mcp_client_at(size_t i);

/* Find a program by name. NULL: there is none. */
const struct client_program *mcp_client_named(const char *name);

/*
 * Expand the path of a configuration file. ~/ is the home folder, $CONFIG/ is $XDG_CONFIG_HOME or
 * ~/.config, and $CODEX/ is $CODEX_HOME or ~/.codex. Any other path is relative to `folder`. If
 * `path` has the form "a|b", the result is b if b exists and a does not, else a. Returns NULL if
 * HOME is needed but not set.
 */
const char *client_path(struct arena *mem, const char *path, const char *folder);

#endif
