/*
 * a2a_follow.h - follow a task: one subscription to the events of a task, for all of its clients.
 *
 *   READING   the events up to the newest one at the beginning are being read; listeners wait
 *   LIVE      the view is up to date; every update goes to all listeners
 *   ENDED     the task is final and all updates were delivered, or the subscription has failed
 *
 * A listener joins with the number of the event that the view must have reached. When it has,
 * on_ready is called one time; then on_update for each later update; then on_end, unless the
 * listener has left. A listener may leave in each callback.
 */
#ifndef PROTO_A2A_SERVER_A2A_FOLLOW_H
#define PROTO_A2A_SERVER_A2A_FOLLOW_H

#include "proto/a2a/server/a2a_server.h"
#include "proto/a2a/server/a2a_view.h"

struct a2a_follow {
    struct a2a_follow *next;
    struct a2a_server *server;
    char id[ID_TEXT];
    struct a2a_view view;
    struct task_watch watch;
    struct a2a_listener *listeners;
    struct a2a_listener *hears_next; /* while listeners are called: the one that is next */
    bool calling;                    /* listeners are being called */
    bool ended;
};

struct a2a_listener {
    struct a2a_follow *follow; /* NULL: has left */
    struct a2a_listener *next;
    int64_t at_least; /* event that the view must have reached */
    bool ready;
    void (*on_ready)(struct a2a_listener *l);
    void (*on_update)(struct a2a_listener *l, const struct a2a_update *u, int64_t seq);
    /* The task has ended and everything was delivered (e is NULL), or can no longer be followed. */
    void (*on_end)(struct a2a_listener *l, const struct err *e);
};

/* As at_least: the listener is ready at once, and gets the update of every event of the task. */
enum { A2A_FROM_START = -1 };

/*
 * Join the follow of a task; `info` describes it. Set the callbacks of *l first. on_ready may be
 * called before this returns.
 */
void a2a_follow_join(struct a2a_server *s, const struct task_info *info, struct a2a_listener *l,
                     int64_t at_least);

/* Leave. Does nothing if the listener has left. */
void a2a_follow_leave(struct a2a_listener *l);

#endif
