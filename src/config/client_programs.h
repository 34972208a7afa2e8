/*
 * client_programs.h - the programs that can start trefoil as an MCP server or as an ACP agent: the
 * paths of their configuration files, and the format of an entry.
 */
#ifndef CONFIG_CLIENT_PROGRAMS_H
#define CONFIG_CLIENT_PROGRAMS_H

#include "config/entry_edit.h"

/* What trefoil is for the program that starts it. */
enum client_role {
    CLIENT_ANY, /* the role that the table lists first for the program */
    CLIENT_ACP, /* an agent */
    CLIENT_MCP, /* an MCP server */
};

/* How the client starts trefoil. */
struct client_launch {
    const char *program;
    const char *const *args; /* ended by NULL */
};

struct client_program {
    const char *name;
    enum client_role role;
    /* the program's configuration file in a project, below the root; NULL: it has none */
    const char *project;
    /*
     * the program's configuration file for the user, in the form of client_path(); NULL: do not
     * edit that file
     */
    const char *user;
    const char *map; /* the key under which the file lists servers or agents */
    /* adds an entry to a file of this format; NULL: trefoil can only print the entry, as `snippet` */
    entry_put_fn *put;
    void (*write_stdio)(struct jw *w, const struct client_launch *launch);
    /* writes an entry with a URL; NULL: the file does not support URLs */
    void (*write_http)(struct jw *w, const char *url);
    const char *hint; /* a text to print after the file was written; NULL: no text */
    /* appends the code that the user adds to the program's configuration; NULL: see `put` */
    void (*snippet)(struct buf *b, const struct client_launch *launch);
};

/* Return the i-th program. NULL: there is no i-th program. A program has a row for each role. */
const struct client_program *client_program_at(size_t i);

/* Find the row of a program by name and role. NULL: there is none. */
const struct client_program *client_program_named(const char *name, enum client_role role);

/* Find a role by its name, "acp" or "mcp". */
bool client_role_named(struct str name, enum client_role *role);

/*
 * Expand the path of a configuration file. ~/ is the home folder, $CONFIG/ is $XDG_CONFIG_HOME or
 * ~/.config, and $CODEX/ is $CODEX_HOME or ~/.codex. Any other path is relative to `folder`. If
 * `path` has the form "a|b", the result is b if b exists and a does not, else a. Returns NULL if
 * HOME is needed but not set.
 */
const char *client_path(struct arena *mem, const char *path, const char *folder);

#endif
