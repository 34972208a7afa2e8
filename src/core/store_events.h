/*
 * store_events.h - the stored form of the records of a session and the events of a task.
 *
 * In the comments of the stored objects, `in` marks members that the caller sets, and `out` marks
 * members that the store sets. Times are in milliseconds since 1970. Texts are UTF-8; STR_NONE is
 * stored as an empty text.
 */
#ifndef CORE_STORE_EVENTS_H
#define CORE_STORE_EVENTS_H

#include "base/str.h"

/* An event is never changed after it was stored. */
struct store_event {
    int64_t seq; /* out: number in its session or task: 1, 2, 3 ... */
    int64_t at;  /* out */
    struct str kind;
    struct str body; /* content of the event as JSON */
    bool feed;       /* in, tasks only: the event also appears in the feed of all tasks */
};

struct store_event_page {
    struct str session; /* id of the session, or of the task */
    struct str kind;    /* only events of this kind; STR_NONE: all */
    int64_t after;      /* only events with a larger seq; 0: from the first */
    int64_t most;       /* most events in the page; 0: limits.store_page_items */
    struct store_event *v;
    size_t n;
    bool more;
};

/*
 * The position at which a page ends and the next page begins. A zeroed cursor selects the first
 * page.
 */
struct store_cursor {
    int64_t updated, n;
};

#endif
