/*
 * skill_registry.h - the skills of a root, and the tool that loads a skill. The skills are read at
 * the start and again when their files change.
 *
 * The tool has two forms. Local agents get the form in tool/tools.h, because their system prompt
 * contains the list of skills. MCP clients get a form whose description lists the skills.
 */
#ifndef RUNTIME_SKILL_REGISTRY_H
#define RUNTIME_SKILL_REGISTRY_H

#include "config/skill_files.h"
#include "core/tool/tool.h"

struct skill_registry {
    struct loop *loop;
    const struct limits *limits;
    const char *root;
    struct arena mem;       /* memory of the list */
    struct skill_list list; /* host->skills points to this member */
    struct tool tool;       /* the form of the tool for clients */

    void (*on_changed)(void *ctx); /* called from the loop when skills have changed; may be NULL */
    void *ctx;

    struct file_watch *watch; /* NULL: not watching */
    struct arena places;      /* memory of the paths to watch */
    void (*done)(void *ctx);
    void *done_ctx;
};

/* Read the skills, which blocks. `limits` and `root` must outlive *s. */
void skill_registry_open(struct skill_registry *s, struct loop *loop, const struct limits *limits,
                         const char *root);

/* Read the skills again; on_changed is called only if they have changed. */
void skill_registry_refresh(struct skill_registry *s);

/*
 * Return the tool to offer to clients in place of a built-in tool. Only the tool `skill` is
 * replaced: by the form for clients, or by NULL if there are no skills.
 */
const struct tool *skill_registry_tool(const struct skill_registry *s, const struct tool *builtin);

/* Start and stop watching for changes. `done` (may be NULL) is called from the loop. */
void skill_registry_watch(struct skill_registry *s);
void skill_registry_unwatch(struct skill_registry *s, void (*done)(void *ctx), void *ctx);

/* Free *s. It must not be watching for changes. */
void skill_registry_fini(struct skill_registry *s);

#endif
