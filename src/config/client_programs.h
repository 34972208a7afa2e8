/*
 * client_programs.h - the programs that can use trefoil as an MCP server: where their configuration
 * is, and what an entry looks like there.
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
    const char *project; /* its file below the root; NULL: it has none */
    const char *user;  /* its file of the user, as client_path() reads it; NULL: not ours to edit */
    const char *map;   /* the key that holds the servers */
    entry_put_fn *put; /* for the format of the file */
    void (*write_stdio)(struct jw *w, const struct client_launch *launch);
    void (*write_http)(struct jw *w, const char *url); /* NULL: the file takes no URL */
    const char *hint; /* for the user, once it is written; or NULL */
};

/* NULL behind the last. */
const struct client_program *mcp_client_at(size_t i);

/* NULL when there is none. */
const struct client_program *mcp_client_named(const char *name);

/*
 * The path of a file of another program, or of trefoil. ~/ is the home folder, $CONFIG/ is
 * $XDG_CONFIG_HOME or ~/.config, $CODEX/ is $CODEX_HOME or ~/.codex, and any other path counts
 * from `folder`. Of "a|b" the first one that exists, else the first. NULL when HOME is needed and
 * not set.
 */
const char *client_path(struct arena *mem, const char *path, const char *folder);

#endif
