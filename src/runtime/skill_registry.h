/*
 * skill_registry.h - the skills of a root while we run: read at the start, and again when their files
 * change; and the tool that loads one.
 *
 * Two forms of the tool: models of ours are told of the skills by their system prompt and get the
 * plain one (tool/tools.h), clients of others get one whose description lists them.
 */
#ifndef RUNTIME_SKILL_REGISTRY_H
#define RUNTIME_SKILL_REGISTRY_H

#include "config/skill_files.h"
#include "core/tool/tool.h"

struct skill_shelf {
    struct loop *loop;
    const struct limits *limits;
    const char *root;
    struct arena mem;       /* of the list */
    struct skill_list list; /* stays where it is: host->skills points here */
    struct tool tool;       /* for clients */

    void (*on_changed)(void *who); /* from the loop; may be NULL */
    void *who;

    struct file_watch *watch; /* NULL: not watching */
    struct arena places;      /* what it watches */
    void (*done)(void *who);
    void *done_who;
};

/* Reads the skills: blocks. limits and root must outlive it. */
void skill_shelf_open(struct skill_shelf *s, struct loop *loop, const struct limits *limits,
                      const char *root);

/* Read them anew; who is told, is told only if they are others now. */
void skill_shelf_refresh(struct skill_shelf *s);

/* What clients are offered for a built-in tool: the tool; NULL for `skill` where there are none. */
const struct tool *skill_shelf_shows(const struct skill_shelf *s, const struct tool *builtin);

/* Notice changes from now on; and no longer: done (may be NULL) is called from the loop. */
void skill_shelf_watch(struct skill_shelf *s);
void skill_shelf_unwatch(struct skill_shelf *s, void (*done)(void *who), void *who);

/* It must not be watching. */
void skill_shelf_fini(struct skill_shelf *s);

#endif
