/*
 * desk.h - the agents of a root, ready to work: core's agent_desk over their files.
 *
 * Definitions are read once and again when their files change (the caller says so, or watching
 * does); an agent is put together when it is asked for: definition, models, system prompt with
 * the project's rules and the list of skills. An agent of the name "default" that no file defines
 * is there always.
 */
#ifndef APP_DESK_H
#define APP_DESK_H

#include "app/models.h"
#include "app/skills.h"
#include "core/agent.h"

struct desk;

struct desk_opts {
    struct loop *loop;
    const char *root;
    const struct config *config; /* lives until another is used */
    struct models *models;
    struct guard *guard;
    struct offer *offer;           /* what agents may be given */
    void (*on_changed)(void *who); /* the cards have changed; may be NULL */
    void *who;
};

/* Reads the definitions: blocks. */
struct desk *desk_new(const struct desk_opts *opts);
void desk_free(struct desk *d); /* no agent may be held */

struct agent_desk *desk_port(struct desk *d);

/* Read all anew, as after a change. */
void desk_refresh(struct desk *d, const struct config *config);

/* The skills of the root; they live until the desk changes. */
const struct skill_list *desk_skills(const struct desk *d);

/* Notice changes of the files by itself from now on: inotify, and a look every limits.watch_ms. */
void desk_watch(struct desk *d);

/* Stop watching; done is called from the loop. */
void desk_unwatch(struct desk *d, void (*done)(void *who), void *who);

#endif
