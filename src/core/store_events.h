/*
 * store_events.h - records of a session and events of a task, as the store keeps them.
 *
 * Times are wall clock in ms. Texts are UTF-8; STR_NONE is stored as an empty text.
 */
#ifndef CORE_STORE_EVENTS_H
#define CORE_STORE_EVENTS_H

#include "base/str.h"

/* Never changed once it is stored. */
struct store_event {
    int64_t seq; /* out: 1, 2, 3 ... in each session and each task */
    int64_t at;  /* out */
    struct str kind;
    struct str body; /* JSON */
    bool feed;       /* in, tasks only: the event also appears in the feed of all tasks */
};

struct store_event_page {
    struct str session; /* or the task */
    struct str kind;    /* only events of this kind; STR_NONE: all */
    int64_t after;      /* seq; 0: from the first */
    int64_t most;
    struct store_event *v;
    size_t n;
    bool more;
};

/* Where a page ended; zeroed: the first page. */
struct store_cursor {
    int64_t updated, n;
};

#endif
