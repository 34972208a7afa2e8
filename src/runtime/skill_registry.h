/*
 * skill_registry.h - the skills of a root: read at the start and again when their files change; and
 * the tool that loads a skill.
 *
 * The tool has two forms. Our own models learn about the skills from their system prompt and get the
 * plain form (tool/tools.h). Other programs get a form whose description lists the skills.
 */
#ifndef RUNTIME_SKILL_REGISTRY_H
#define RUNTIME_SKILL_REGISTRY_H

#include "config/skill_files.h"
#include "core/tool/tool.h"

struct skill_registry {
    struct loop *loop;
    const struct limits *limits;
    const char *root;
    struct arena mem;       /* of the list */
    struct skill_list list; /* stays where it is: host->skills points here */
    struct tool tool;       /* for clients */

    void (*on_changed)(void *ctx); /* from the loop; may be NULL */
    void *ctx;

    struct file_watch *watch; /* NULL: not watching */
    struct arena places;      /* what it watches */
    void (*done)(void *ctx);
    void *done_ctx;
};

/* Reads the skills: blocks. limits and root must outlive it. */
void skill_registry_open(struct skill_registry *s, struct loop *loop, const struct limits *limits,
                         const char *root);

/* Read them again; on_changed is called only if they differ. */
void skill_registry_refresh(struct skill_registry *s);

/* The tool that clients are offered for a built-in tool: itself; NULL for `skill` when there are no
 * skills. */
const struct tool *skill_registry_tool(const struct skill_registry *s, const struct tool *builtin);

/* Notice changes from now on; and no longer: done (may be NULL) is called from the loop. */
void skill_registry_watch(struct skill_registry *s);
void skill_registry_unwatch(struct skill_registry *s, void (*done)(void *ctx), void *ctx);

/* It must not be watching. */
void skill_registry_fini(struct skill_registry *s);

#endif
