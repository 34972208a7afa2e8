/*
 * api_events.h - event streams over HTTP, for dashboards and scripts: of one task, and of all.
 *
 *   GET /api/tasks/ID/events   its events as they happen (task_json.h), until it has ended; those
 *                              after Last-Event-ID or ?after=. 204: there are no more, and never
 *                              will be
 *   GET /api/events[?kinds=&task=&context=]
 *
 * Of all: {"task","agent","context","seq","time","kind","body"} for
 *
 *   status, ask, answered, artifact   of every task of the root, in any process
 *
 * with an id that grows in the order they were stored. They are stored: a client that resumes with
 * Last-Event-ID (or ?after=) misses nothing, even after a restart; if limits.task_feed no longer
 * covers that event, the stream begins with the event "gap". And {"kind","time",...} without an id
 * for
 *
 *   agents, servers, skills           the list has changed: fetch it again
 *   lock, unlock                      {...,"lock":{...}}: a task of this process has taken or
 *                                     released a lock (task_json.h)
 *
 * These are sent to connected clients and not stored: a client that reconnects reads the lists.
 * `kinds` is a comma-separated list of these words. task= selects the events of one task, context=
 * those of the tasks of one context (locks belong to none).
 *
 * A client with the key sees the events of all principals' tasks, as with /api/tasks. Slow
 * readers are disconnected and can resume.
 */
#ifndef WEB_API_EVENTS_H
#define WEB_API_EVENTS_H

#include "base/buf.h"
#include "base/id.h"
#include "wire/http_server.h"

struct web;

void events_api_all(struct http_req *req);
void events_api_of_task(struct http_req *req, struct str id);

/* The state of the event streams of a service. */
struct events_api {
    struct listener *listeners; /* to all */
    char last_task[ID_TEXT];    /* the last event of a task that was sent, as text: */
    int64_t last_seq;
    struct buf last;
};

enum events_list { EVENTS_AGENTS, EVENTS_SERVERS, EVENTS_SKILLS };

/* A list has changed: notify the listeners. */
void events_api_changed(struct web *w, enum events_list what);

/* The agents of the service are open: changes of their locks are sent from now on. */
void events_api_agents_opened(struct web *w);

void events_api_fini(struct events_api *a);

#endif
