/*
 * tool_pins.h - compares the tools of MCP servers with the definitions that the user has approved
 * (pins).
 *
 * A server may change the description of a tool after the user has begun to use the tool, and
 * models read that description. The first definition that a server sends for a tool counts as
 * approved (state/pin_file.h). If the definition changes, the user is warned. If `pinning` is
 * "block", the tool is also quarantined until the user approves the new definition with `trefoil
 * servers approve`.
 *
 * The files are read on the loop, because no tool may be offered before it is compared, and written
 * on the pool. While the definition of a tool differs from its pin, the files are watched, so that
 * an approval takes effect at once.
 */
#ifndef RUNTIME_TOOL_PINS_H
#define RUNTIME_TOOL_PINS_H

#include "config/config.h"
#include "core/state.h"
#include "loop/file_watch.h"
#include "proto/mcp/client/mcp_upstream.h"

struct tool_pins {
    struct upstream_pins port; /* first */
    struct loop *loop;
    const struct limits *limits;
    const struct config *config; /* the current configuration */
    enum tool_pinning preset;    /* used if the user has set no `pinning`; UNSET: warn */
    struct arena mem;
    const char *state; /* the state directory; NULL: definitions cannot be stored */
    struct file_watch *watch;
    struct file_watch_path watched;
    /* number of files that are being written, plus one for the watch */
    size_t busy;
    /* called when the user may have approved a definition */
    void (*on_changed)(struct tool_pins *p);
    /* called when `busy` becomes 0; NULL unless the owner waits for that */
    void (*on_idle)(struct tool_pins *p);
};

/* Initialize *p. `limits` must outlive *p. The owner must set p->config before the first check. */
void tool_pins_init(struct tool_pins *p, struct loop *loop, const struct limits *limits,
                    struct state_port *state, enum tool_pinning preset);

/* Stop watching. Afterwards p->busy is 0, or becomes 0 later, when on_idle is called. */
void tool_pins_close(struct tool_pins *p);

/* Free *p. p->busy must be 0. */
void tool_pins_fini(struct tool_pins *p);

/* Return the maximum size of the file with the pins of one server, in bytes. */
size_t tool_pins_most(const struct limits *limits);

#endif
