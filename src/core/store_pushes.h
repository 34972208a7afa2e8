/*
 * store_pushes.h - the stored form of push configurations: webhooks that get the updates of a task.
 *
 * A configuration is deleted with its task. `in` and `out` are explained in store_events.h.
 */
#ifndef CORE_STORE_PUSHES_H
#define CORE_STORE_PUSHES_H

#include "base/str.h"

struct store_push {
    struct str task, id; /* the id is unique in its task */
    struct str owner;    /* PUT: in: the principal that set it */
    struct str setup;    /* PUT: in: JSON, which the store does not interpret */
    /* number of the last event that the webhook has received; PUT, SENT: in */
    int64_t sent;
    bool done;     /* SENT: in: nothing more will be sent */
    int64_t most;  /* PUT: in: most configurations of the owner, and of the task */
    int64_t total; /* PUT: in: most configurations of all owners */
};

/* The configurations of a task or, if `task` is STR_NONE, those of all tasks that are not done. */
struct store_push_page {
    struct str task;
    struct store_push *v; /* out */
    size_t n;
};

#endif
